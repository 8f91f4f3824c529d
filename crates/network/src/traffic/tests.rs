use super::*;
use crosswave_base::decimal::Decimal;
use insta::assert_snapshot;
use proptest::prelude::*;

fn pattern(pattern: Pattern) -> TrafficConfig {
    repeated(pattern, 1)
}

fn repeated(pattern: Pattern, repeat: u32) -> TrafficConfig {
    TrafficConfig::Pattern(PatternConfig {
        pattern,
        words: 3,
        repeat,
    })
}

fn random(messages: u32) -> Pattern {
    Pattern::Random {
        messages,
        destinations: Destinations::Others,
    }
}

fn permutation(permutation: Permutation, messages: u32, nodes: u32) -> TrafficConfig {
    pattern(Pattern::Permutation {
        permutation,
        axes: vec![nodes],
        messages,
    })
}

/// `source>destination`, with `+` where the message waits for the previous one.
fn text(workload: &Workload) -> String {
    let mut words = Vec::new();
    for message in &workload.messages {
        let offer = match message.offered {
            Offer::At(1) => String::new(),
            Offer::At(cycle) => format!("@{cycle}"),
            Offer::AfterPrevious => "+".into(),
            Offer::After { set, not_before } => {
                format!("{:?}@{not_before}", workload.sets.of(set))
            }
        };
        words.push(format!("{}>{}{offer}", message.source, message.destination));
    }
    words.join(" ")
}

fn built(config: &TrafficConfig, nodes: u32) -> String {
    text(&build(config, nodes, 1).unwrap())
}

#[test]
fn permutations() {
    assert_snapshot!(built(&permutation(Permutation::Transpose, 16, 16), 16), @"1>4 2>8 3>12 4>1 6>9 7>13 8>2 9>6 11>14 12>3 13>7 14>11");
    assert_snapshot!(built(&permutation(Permutation::BitReversal, 8, 8), 8), @"1>4 3>6 4>1 6>3");
    assert_snapshot!(built(&permutation(Permutation::CyclicShift { shift: 3 }, 8, 8), 8), @"0>3 1>4 2>5 3>6 4>7 5>0 6>1 7>2");
    assert_snapshot!(built(&permutation(Permutation::CyclicShift { shift: 3 }, 2, 8), 8), @"4>7 5>0");
}

#[test]
fn lists_and_repeats() {
    let pair = Pattern::Pair {
        source: 2,
        destination: 0,
    };
    assert_snapshot!(built(&repeated(pair, 3), 4), @"2>0 2>0+ 2>0+");
    let pairs = Pattern::Pairs {
        pairs: vec![(0, 1), (2, 3), (0, 3)],
    };
    assert_snapshot!(built(&repeated(pairs, 2), 4), @"0>1 2>3 0>3+ 0>1+ 2>3+ 0>3+");
    let hot_spot = Pattern::HotSpot {
        messages: 3,
        destination: 2,
        random_messages: 0,
    };
    assert_snapshot!(built(&repeated(hot_spot, 2), 8), @"0>2 1>2 6>2 0>2+ 1>2+ 6>2+");
    assert_snapshot!(built(&repeated(random(4), 2), 8), @"3>0 4>3 5>3 7>2 3>2+ 4>7+ 5>4+ 7>1+");
}

/// A destination among all nodes is the source once in as many draws as there are nodes; such a
/// message is left out, and the next one of its source is its first.
#[test]
fn destinations_among_all_nodes() {
    let all = |messages, repeat| {
        let destinations = Destinations::All;
        let random = Pattern::Random {
            messages,
            destinations,
        };
        repeated(random, repeat)
    };
    assert_snapshot!(built(&all(4, 3), 4), @"0>1 1>2 2>0 0>1+ 0>2+ 1>0+ 2>0+ 3>0");
    assert_snapshot!(serde_json::to_string(&all(4, 3)).expect("JSON"), @r#"{"pattern":"random","messages":4,"destinations":"all","words":3,"repeat":3}"#);
    let (nodes, repeat, seeds) = (4, 60, 50);
    let mut drawn = [[0; 4]; 4];
    for seed in 0..seeds {
        let workload = build(&all(nodes, repeat), nodes, seed).expect("legal");
        let mut seen = [false; 4];
        for message in &workload.messages {
            let (source, destination) = (message.source as usize, message.destination as usize);
            drawn[source][destination] += 1;
            let first = !std::mem::replace(&mut seen[source], true);
            assert_eq!(message.offered == Offer::At(1), first);
        }
    }
    for (source, drawn) in drawn.iter().enumerate() {
        assert_eq!(drawn[source], 0, "nobody sends to itself");
        // Each node is drawn 750 times in 3000, give or take 24.
        let sent = drawn.iter().enumerate().filter(|(node, _)| *node != source);
        assert!(
            sent.clone().all(|(_, count)| (650..850).contains(count)),
            "{drawn:?}"
        );
    }
    // Half of the messages between two nodes go to the other one.
    let sent = build(&all(2, 1000), 2, 1).expect("legal").messages.len();
    assert!((900..1100).contains(&sent), "{sent} of 2000");
}

#[test]
fn others_send_beside_a_hot_spot() {
    let mixed = pattern(Pattern::HotSpot {
        messages: 5,
        destination: 3,
        random_messages: 7,
    });
    let (mut firsts, mut others) = (std::collections::BTreeSet::new(), 0);
    for seed in 0..40 {
        let workload = build(&mixed, 16, seed).expect("legal");
        let mut sources: Vec<u32> = workload.messages.iter().map(|m| m.source).collect();
        assert!(sources.is_sorted() && !sources.contains(&3), "{sources:?}");
        sources.dedup();
        assert_eq!(sources.len(), 12);
        let hot = workload.messages.iter().filter(|m| m.destination == 3);
        let hot: Vec<u32> = hot.map(|m| m.source).collect();
        assert!(hot.len() >= 5, "{hot:?}");
        others += hot.len() - 5;
        firsts.insert(hot[0]);
    }
    assert!(firsts.len() > 3, "any of them may be hot: {firsts:?}");
    // One in 15 of the 280 random messages goes there as well.
    assert!((5..40).contains(&others), "{others}");
    let too_many = pattern(Pattern::HotSpot {
        messages: 10,
        destination: 3,
        random_messages: 6,
    });
    let error = build(&too_many, 16, 1).expect_err("15 nodes are left");
    assert!(
        error.to_string().contains("traffic.random_messages"),
        "{error}"
    );
    assert!(error.to_string().contains("0 to 5"), "{error}");
}

#[test]
fn more_repeats_keep_the_sources_and_the_first_round() {
    let short = build(&repeated(random(5), 1), 16, 9).unwrap();
    let long = build(&repeated(random(5), 4), 16, 9).unwrap();
    assert_eq!(short.messages, long.messages[..5]);
    assert!(long.messages.chunks(5).all(|round| {
        let sources = round.iter().map(|message| message.source);
        sources.eq(short.messages.iter().map(|message| message.source))
    }));
}

#[test]
fn random_sources_and_destinations_are_uniform() {
    let config = pattern(random(3));
    let (mut sources, mut pairs) = ([0u32; 8], [[0u32; 8]; 8]);
    for seed in 0..14_000 {
        for message in build(&config, 8, seed).unwrap().messages {
            sources[message.source as usize] += 1;
            pairs[message.source as usize][message.destination as usize] += 1;
        }
    }
    // 42,000 messages: 5,250 of each source, 750 of each pair.
    assert!(
        sources.iter().all(|&n| (5_000..5_500).contains(&n)),
        "{sources:?}"
    );
    for (source, row) in pairs.iter().enumerate() {
        for (destination, &n) in row.iter().enumerate() {
            let expected = if source == destination {
                0..1
            } else {
                630..870
            };
            assert!(expected.contains(&n), "{source} to {destination}: {n}");
        }
    }
}

#[test]
fn a_million_nodes() {
    let workload = build(&pattern(random(1 << 20)), 1 << 20, 1).unwrap();
    let queues = workload.by_source();
    assert!((0..1 << 20).all(|source| queues.of(source) == [source]));
}

#[test]
fn by_source_keeps_the_order_of_ids() {
    let workload = build(&repeated(random(3), 3), 8, 4).unwrap();
    let queues = workload.by_source();
    let mut seen = 0;
    for source in 0..8 {
        let ids = queues.of(source);
        assert!(ids.is_sorted());
        assert!(
            ids.iter()
                .all(|&id| workload.messages[id as usize].source == source)
        );
        seen += ids.len();
    }
    assert_eq!(seen, 9);
}

fn refused(config: &TrafficConfig, nodes: u32) -> String {
    build(config, nodes, 1).unwrap_err().to_string()
}

#[test]
fn faults_of_patterns() {
    assert_snapshot!(refused(&pattern(random(65)), 64), @"
    error: configuration: traffic.messages: 65 sources of 64 nodes; expected 1 to 64 for this pattern
      help: each node is the source of at most one; use `repeat` for more
    ");
    assert_snapshot!(refused(&pattern(random(1)), 1), @"error: configuration: network.nodes: 1 nodes; expected 2 to 1048576");
    let reversed = Pattern::Permutation {
        permutation: Permutation::BitReversal,
        axes: vec![100],
        messages: 4,
    };
    assert_snapshot!(refused(&pattern(reversed), 100), @r#"
    error: configuration: traffic.pattern: a permutation of address bits, but 100 nodes are no power of two
      help: use another pattern, such as "random" or "cyclic-shift"
    "#);
    assert_snapshot!(refused(&pattern(Pattern::Pair { source: 4, destination: 9 }), 4), @"
    error: configuration: traffic.source: node 4 of 4; expected 0 to 3
      help: name a node of the network, or raise network.nodes

    error: configuration: traffic.destination: node 9 of 4; expected 0 to 3
      help: name a node of the network, or raise network.nodes
    ");
    assert_snapshot!(refused(&pattern(Pattern::Pair { source: 3, destination: 3 }), 4), @"
    error: configuration: traffic.destination: 3 is the source as well
      help: a node sends only to another node
    ");
    assert_snapshot!(refused(&pattern(Pattern::Pairs { pairs: vec![] }), 4), @"
    error: configuration: traffic.pairs: the list is empty
      help: give at least one, such as pairs = [[0, 1]]
    ");
    assert_snapshot!(refused(&pattern(Pattern::Pairs { pairs: vec![(0, 1), (2, 2), (3, 4)] }), 4), @"
    error: configuration: traffic.pairs[1]: node 2 would send to itself
      help: a node sends only to another node

    error: configuration: traffic.pairs[2]: node 4 of 4; expected 0 to 3
      help: name a node of the network, or raise network.nodes
    ");
    assert_snapshot!(refused(&pattern(Pattern::HotSpot { messages: 4, destination: 4, random_messages: 0 }), 4), @"
    error: configuration: traffic.messages: 4 sources of 4 nodes; expected 1 to 3 for this pattern
      help: each node is the source of at most one; use `repeat` for more

    error: configuration: traffic.destination: node 4 of 4; expected 0 to 3
      help: name a node of the network, or raise network.nodes
    ");
    assert_snapshot!(refused(&permutation(Permutation::Transpose, 9, 8), 8), @"
    error: configuration: traffic.messages: 9 sources of 8 nodes; expected 1 to 8 for this pattern
      help: each node is the source of at most one; use `repeat` for more

    error: configuration: traffic.pattern: transpose exchanges two halves of the address, but the addresses of 8 nodes have 3 bits; expected an even number
      help: use 4 or 16 nodes
    ");
    assert_snapshot!(refused(&permutation(Permutation::Transpose, 1, 2), 2), @"
    error: configuration: traffic.pattern: transpose exchanges two halves of the address, but the addresses of 2 nodes have 1 bits; expected an even number
      help: use 4 nodes
    ");
    assert_snapshot!(refused(&permutation(Permutation::CyclicShift { shift: 8 }, 8, 8), 8), @"
    error: configuration: traffic.shift: a shift of 8; expected 1 to 7
      help: a shift by all 8 nodes returns to the source
    ");
    assert_snapshot!(refused(&repeated(random(64), 1_000_000), 64), @"
    error: configuration: traffic.repeat: 64 sources with 1000000 messages each; a run has at most 16777216 messages
      help: expected 1 to 262144
    ");
    let config = PatternConfig {
        pattern: random(1),
        words: 0,
        repeat: 0,
    };
    assert_snapshot!(refused(&TrafficConfig::Pattern(config), 64), @"
    error: configuration: traffic.words: 0 words; expected 1 to 1048576

    error: configuration: traffic.repeat: 0 repeats; expected 1 to 1000000
    ");
}

fn options() -> TraceConfig {
    TraceConfig::new("t.csv")
}

fn traced(lines: &str, config: &TraceConfig) -> Result<Workload, Error> {
    let text = format!("# a comment\nt_ns,source,destination,bytes\n{lines}");
    trace::read(text.as_bytes(), "t.csv", config, 64)
}

#[test]
fn times_become_cycles() {
    let lines = "1000,0,1,0\n1009,0,2,1\n1010,1,2,2\n1019,1,2,3\r\n\n1020,1,2,4";
    assert_snapshot!(text(&traced(lines, &options()).unwrap()), @"0>1 0>2 1>2@2 1>2@2 1>2@3");
    let mut config = options();
    config.replay = Replay::InOrder;
    assert_snapshot!(text(&traced(lines, &config).unwrap()), @"0>1 0>2+ 1>2 1>2+ 1>2+");
    // A tenth of 10 ns at 1 GHz is exactly one cycle; 0.1 as a binary fraction
    // times three is not three tenths.
    config = options();
    config.time_scale = Decimal::parse("0.1").unwrap();
    config.clock_mhz = Decimal::parse("1000").unwrap();
    assert_snapshot!(text(&traced("0,0,1,0\n9,0,1,0\n10,0,1,0\n30,0,1,0", &config).unwrap()), @"0>1 0>1 0>1@2 0>1@4");
    config.limit = Some(2);
    assert_snapshot!(text(&traced("0,0,1,0\n9,0,1,0\nnot read", &config).unwrap()), @"0>1 0>1");
}

/// Known values where the time alone, or its product with the factors, needs many bits.
#[test]
fn long_times_become_cycles() {
    let cycle = |elapsed: u64, scale: &str, clock: &str| {
        let mut config = options();
        config.time_scale = Decimal::parse(scale).unwrap();
        config.clock_mhz = Decimal::parse(clock).unwrap();
        let workload = traced(&format!("7,0,1,0\n{},0,1,0", 7 + elapsed), &config);
        match workload.unwrap().messages[1].offered {
            Offer::At(cycle) => cycle,
            Offer::AfterPrevious | Offer::After { .. } => panic!("a timed trace"),
        }
    };
    // 2^40 ns are 18 minutes, at 100 MHz 10 ns each.
    assert_eq!(cycle(1 << 40, "1", "100"), 1 + (1 << 40) / 10);
    assert_eq!(cycle((1 << 40) + 19, "1", "100"), 1 + ((1 << 40) + 19) / 10);
    // 58 days at a millionth of the speed; 10^15 ns is where the product is split.
    assert_eq!(cycle(5_000_000_000_000_000, "1e-6", "100"), 500_000_001);
    assert_eq!(cycle(3_000_000_019_999_999, "1e-6", "100"), 300_000_002);
    assert_eq!(cycle(u64::MAX - 7, "1e-6", "1"), 18_446_744_073 + 1);
    assert_eq!(cycle(9_999_999_999_990, "1", "100"), CYCLE_MAX);
    let late = traced("0,0,1,0\n10000000000000,0,1,0", &options());
    assert!(late.is_err(), "a cycle after the last one");
}

/// A line of [`trace::LINE_MAX`] bytes is taken, wherever it stands; one more is not.
#[test]
fn lines_are_as_long_as_they_may_be() {
    const NAMES: &str = "t_ns,source,destination,bytes";
    let padded = |text: &str, length: usize| format!("{text}{}", " ".repeat(length - text.len()));
    for line in 0..3 {
        for (length, taken) in [(trace::LINE_MAX, true), (trace::LINE_MAX + 1, false)] {
            let mut lines = ["# a comment", NAMES, "0,1,2,3"].map(str::to_owned);
            lines[line] = padded(&lines[line], length);
            // Long lines after each other are counted one by one.
            let text = format!(
                "#{}\n{}\n",
                "x".repeat(trace::LINE_MAX - 1),
                lines.join("\n")
            );
            let found = trace::read(text.as_bytes(), "t.csv", &options(), 4);
            match found {
                Ok(workload) => assert!(taken && workload.messages.len() == 1, "{line} {length}"),
                Err(error) => {
                    let place = format!("line {}, column 1: the line is longer", line + 2);
                    assert!(!taken && error.to_string().contains(&place), "{error}");
                }
            }
        }
    }
    // Nothing is kept of a line that never ends.
    let endless = std::io::Read::take(std::io::repeat(b'#'), 1 << 40);
    assert!(trace::read(endless, "t.csv", &options(), 4).is_err());
}

#[test]
fn bytes_become_words() {
    let words = |config: &TraceConfig| -> Vec<u32> {
        let workload = traced("0,0,1,0\n0,0,1,1\n0,0,1,8\n0,0,1,9\n0,0,1,1048576", config);
        workload
            .unwrap()
            .messages
            .iter()
            .map(|message| message.words)
            .collect()
    };
    assert_eq!(words(&options()), [1, 1, 8, 9, 1 << 20]);
    let mut config = options();
    config.bytes_per_word = 4;
    assert_eq!(words(&config), [1, 1, 2, 3, 1 << 18]);
    config.bytes_scale = Decimal::parse("0.5").unwrap();
    assert_eq!(words(&config), [1, 1, 1, 2, 1 << 17]);
}

#[test]
fn messages_wait_for_earlier_ones() {
    let read = |lines: &str, config: &TraceConfig| {
        let text = format!("t_ns,source,destination,bytes,after\n{lines}");
        trace::read(text.as_bytes(), "t.csv", config, 64)
    };
    let lines = "0,0,1,0,\n10,1,2,0,0\n20,2,3,0, 1  0 \n20,2,4,0,";
    assert_snapshot!(text(&read(lines, &options()).unwrap()), @"0>1 1>2[0]@2 2>3[0, 1]@3 2>4@3");
    let mut config = options();
    config.replay = Replay::InOrder;
    assert_snapshot!(text(&read(lines, &config).unwrap()), @"0>1 1>2[0]@1 2>3[0, 1]@1 2>4+");
    let refused = read(
        "0,0,1,0,0\n0,1,2,0\n0,1,2,0,0 x\n0,1,2,0,3\n0,1,2,0,-1",
        &options(),
    );
    assert_snapshot!(refused.unwrap_err(), @r#"
    error: t.csv: line 2, column 9: after has "0"; expected nothing, as no message stands before this one
      help: messages are numbered from 0 in the order of the file; separate numbers by spaces

    error: t.csv: line 3, column 1: 4 fields; expected 5: t_ns,source,destination,bytes,after

    error: t.csv: line 4, column 11: after has "x"; expected a number from 0 to 1, as this is message 2
      help: messages are numbered from 0 in the order of the file; separate numbers by spaces

    error: t.csv: line 5, column 9: after has "3"; expected a number from 0 to 2, as this is message 3
      help: messages are numbered from 0 in the order of the file; separate numbers by spaces

    error: t.csv: line 6, column 9: after has "-1"; expected a number from 0 to 3, as this is message 4
      help: messages are numbered from 0 in the order of the file; separate numbers by spaces
    "#);
}

#[test]
fn mistakes_of_traces() {
    let refused = |text: &str| {
        let error = trace::read(text.as_bytes(), "t.csv", &options(), 64).unwrap_err();
        assert_eq!(error.class, Class::Input);
        error.to_string()
    };
    const NAMES: &str = "t_ns,source,destination,bytes\n";
    assert_snapshot!(refused(""), @"
    error: t.csv: line 1, column 1: the file ends before the column names
      help: the first line after the comments is t_ns,source,destination,bytes
    ");
    assert_snapshot!(refused("# only\n# comments\n"), @"
    error: t.csv: line 3, column 1: the file ends before the column names
      help: the first line after the comments is t_ns,source,destination,bytes
    ");
    assert_snapshot!(refused("#\n0,1,2,3\n"), @r#"
    error: t.csv: line 2, column 1: found "0,1,2,3"; expected the column names t_ns,source,destination,bytes
      help: name the columns, in this order, on the line after the comments; after may follow them
    "#);
    assert_snapshot!(refused(NAMES), @"error: t.csv: line 1, column 1: no messages after the column names; expected at least one");
    assert_snapshot!(refused(&format!("#\n{NAMES}0,1,2,3\n\n5,  64 ,2,3\n\r\n5,2,99999999999,3\n4,0,0,0")), @"
    error: t.csv: line 5, column 3: source is node 64 of 64; expected 0 to 63
      help: a network of 128 nodes has this one

    error: t.csv: line 7, column 5: destination is node 99999999999 of 64; expected 0 to 63
      help: a network has at most 1048576 nodes

    error: t.csv: line 8, column 1: t_ns is 4 after 5; expected times that do not decrease
      help: sort the messages by t_ns

    error: t.csv: line 8, column 5: node 0 sends to itself; expected another destination
      help: leave the line out: such a message does not enter the network
    ");
    assert_snapshot!(refused(&format!("{NAMES}0.5,-1,,99999999999999999999\n1,2,3\n# late\n\"1\",\u{e9},1,1\n")), @r#"
    error: t.csv: line 2, column 1: t_ns is "0.5"; expected a whole number
      help: round the time to nanoseconds

    error: t.csv: line 2, column 5: source is "-1"; expected a whole number

    error: t.csv: line 2, column 8: destination is ""; expected a whole number

    error: t.csv: line 2, column 9: bytes is "99999999999999999999"; expected a whole number
      help: the largest is 18446744073709551615

    error: t.csv: line 3, column 1: 3 fields; expected 4: t_ns,source,destination,bytes

    error: t.csv: line 4, column 1: a comment among the messages
      help: comments stand before the column names

    error: t.csv: line 5, column 1: t_ns is "\"1\""; expected a whole number
      help: round the time to nanoseconds

    error: t.csv: line 5, column 5: source is "é"; expected a whole number
    "#);
    assert_snapshot!(refused(&format!("{NAMES}0,1,2,1048577\n18446744073709551615,1,2,18446744073709551615\n")), @"
    error: t.csv: line 2, column 7: 1048577 bytes make 1048577 words; expected at most 1048576
      help: traffic.bytes_per_word = 2 is enough

    error: t.csv: line 3, column 1: t_ns is 18446744073709551615 ns after the first message; expected a cycle up to 1000000000000
      help: lower traffic.time_scale or traffic.clock_mhz

    error: t.csv: line 3, column 26: 18446744073709551615 bytes make 18446744073709551615 words; expected at most 1048576
      help: lower traffic.bytes_scale
    ");
    assert_snapshot!(refused(&format!("{NAMES}0,1,2,3\n{}\n", "x".repeat(70_000))), @"
    error: t.csv: line 3, column 1: the line is longer than 65536 bytes
      help: a trace is text with one message per line
    ");
    assert_snapshot!(refused(&"x".repeat(4000)), @r#"
    error: t.csv: line 1, column 1: found "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" …; expected the column names t_ns,source,destination,bytes
      help: name the columns, in this order, on the line after the comments; after may follow them
    "#);
    let many = refused(&format!("{NAMES}{}", "1,1,1,1\n".repeat(25)));
    assert_eq!(many.matches("error:").count(), trace::MISTAKES_MAX);
    assert_snapshot!(many.split("error: ").last().unwrap(), @"
    t.csv: line 21, column 5: node 1 sends to itself; expected another destination; more mistakes follow that are not shown
      help: leave the line out: such a message does not enter the network
    ");
}

#[test]
fn faults_of_trace_options() {
    let mut config = options();
    config.clock_mhz = Decimal::parse("100000.5").unwrap();
    config.bytes_per_word = 0;
    config.limit = Some(0);
    assert_snapshot!(refused(&TrafficConfig::Trace(config), 64), @"
    error: configuration: traffic.clock_mhz: 100000.5 MHz; expected at most 100000

    error: configuration: traffic.bytes_per_word: 0 bytes; expected 1 to 65536

    error: configuration: traffic.limit: 0 messages; expected 1 to 16777216
    ");
}

#[test]
fn a_missing_file() {
    let error = build(&TrafficConfig::Trace(TraceConfig::new("no/such.csv")), 4, 1).unwrap_err();
    assert_eq!(error.class, Class::Io);
    assert_snapshot!(error, @"error: no/such.csv: file: reading failed: No such file or directory (os error 2)");
}

#[test]
fn every_shipped_trace_is_read() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces");
    let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let mut lines = Vec::new();
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|f| f.unwrap().path())
        .collect();
    files.sort();
    for path in files {
        if path.extension().is_none_or(|extension| extension != "csv") {
            continue;
        }
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(readme.contains(name), "{name} is not in traces/README.md");
        let content = std::fs::read_to_string(&path).unwrap();
        let nodes = if content.contains("# ranks: 16\n") {
            16
        } else {
            64
        };
        let workload = build(&TrafficConfig::Trace(TraceConfig::new(&path)), nodes, 1).unwrap();
        let messages = &workload.messages;
        let header = format!("# messages in this file: {},", messages.len());
        assert!(content.contains(&header), "{name}: {header}");
        let words: u64 = messages
            .iter()
            .map(|message| u64::from(message.words))
            .sum();
        let last = messages.last().unwrap().offered;
        lines.push(format!(
            "{name}: {} messages, {words} words, last {last:?}",
            messages.len()
        ));
    }
    assert_snapshot!(lines.join("\n"), @"
    fft2d64_p2p.csv: 4032 messages, 4128768 words, last At(5923709)
    fft2d64_transpose_p2p.csv: 4032 messages, 4128768 words, last At(2203011)
    hpcc16_randomaccess_p2p.csv: 2000 messages, 2080600 words, last At(27032499)
    hpcc64_ptrans_p2p.csv: 1000 messages, 73793944 words, last At(66093765)
    jacobi64_p2p.csv: 2000 messages, 1024000 words, last At(2171284)
    lammps_melt64_p2p.csv: 2000 messages, 3789864 words, last At(2319338)
    ");
}

#[test]
fn configurations_print_their_keys_in_order() {
    let json = |config: &TrafficConfig| serde_json::to_string(config).unwrap();
    assert_snapshot!(json(&pattern(random(5))), @r#"{"pattern":"random","messages":5,"words":3,"repeat":1}"#);
    assert_snapshot!(json(&pattern(Pattern::Pair { source: 1, destination: 2 })), @r#"{"pattern":"pair","source":1,"destination":2,"words":3,"repeat":1}"#);
    assert_snapshot!(json(&pattern(Pattern::Pairs { pairs: vec![(1, 2)] })), @r#"{"pattern":"pairs","pairs":[[1,2]],"words":3,"repeat":1}"#);
    assert_snapshot!(json(&pattern(Pattern::HotSpot { messages: 5, destination: 2, random_messages: 0 })), @r#"{"pattern":"hot-spot","messages":5,"destination":2,"words":3,"repeat":1}"#);
    assert_snapshot!(json(&permutation(Permutation::CyclicShift { shift: 2 }, 4, 16)), @r#"{"pattern":"cyclic-shift","messages":4,"shift":2,"words":3,"repeat":1}"#);
    let mut config = options();
    config.limit = Some(7);
    assert_snapshot!(json(&TrafficConfig::Trace(config)), @r#"{"trace":"t.csv","replay":"timed","clock_mhz":100.0,"time_scale":1.0,"bytes_scale":1.0,"bytes_per_word":1,"limit":7}"#);
}

proptest! {
    #![proptest_config(crosswave_testing::config(256))]

    #[test]
    fn damaged_traces_never_panic(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3u8), 1..8)
    ) {
        let mut bytes = b"# note\nt_ns,source,destination,bytes\n0,1,2,3\n10,3,2,0\n20,2,1,9999\n".to_vec();
        for (at, byte, kind) in damage {
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ if bytes.len() > 1 => drop(bytes.remove(at)),
                _ => {}
            }
        }
        match trace::read(bytes.as_slice(), "t.csv", &options(), 8) {
            Ok(workload) => {
                let valid = workload.messages.iter().all(|message| {
                    message.source < 8 && message.destination < 8 && message.words <= WORDS_MAX
                });
                prop_assert!(valid);
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    /// The ranges of all sizes put about half of the cases in time.
    #[test]
    fn cycles_match_wide_arithmetic(
        elapsed in any::<u64>(), time in 1..=1_000_000u64, clock in 1..=1_000_000u64,
        shifts in (0..64u32, 0..20u32, 0..20u32),
    ) {
        let elapsed = elapsed >> shifts.0;
        let (time, clock) = ((time >> shifts.1).max(1), (clock >> shifts.2).max(1));
        let mut config = options();
        config.time_scale = Decimal::parse(&format!("{time}e-6")).unwrap();
        config.clock_mhz = Decimal::parse(&format!("{clock}e-3")).unwrap();
        let workload = traced(&format!("0,0,1,0\n{elapsed},0,1,0"), &config);
        // time / 10^6 · clock / 10^3 / 1000
        let whole = u128::from(elapsed) * u128::from(time) * u128::from(clock) / 1_000_000_000_000;
        if whole < u128::from(CYCLE_MAX) {
            let offered = workload.unwrap().messages[1].offered;
            prop_assert_eq!(offered, Offer::At(1 + whole as u64));
        } else {
            let said = workload.unwrap_err().to_string();
            prop_assert!(said.contains("expected a cycle up to 1000000000000"), "{}", said);
        }
    }
}
