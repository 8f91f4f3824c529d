use super::*;
use crate::traffic::{Locality, Permutation, TrafficConfig, build};
use insta::assert_snapshot;

fn steady(load: &str, words: u32, cycles: u64) -> SteadyConfig {
    SteadyConfig {
        load: Decimal::parse(load).unwrap(),
        words: words.into(),
        burst_messages: 1,
        cycles,
        warmup_cycles: Some(0),
        destinations: Destinations::Others,
    }
}

fn offers(config: SteadyConfig, nodes: u32, seed: u64) -> Vec<(u64, u32, u32)> {
    let workload = build(&TrafficConfig::Steady(config.clone()), nodes, seed).unwrap();
    assert_eq!((workload.nodes, workload.order), (nodes, Replay::Timed));
    let offer = |message: &Message| match message.offered {
        Offer::At(cycle) => {
            assert_eq!(Some(message.words), config.words.fixed());
            (cycle, message.source, message.destination)
        }
        Offer::AfterPrevious | Offer::After { .. } => panic!("an open loop"),
    };
    workload.messages.iter().map(offer).collect()
}

/// The digits of a gap make it geometric: the product over the digits is compared with
/// the power in binary fractions, which are good to 2^-50.
#[test]
fn digits_give_the_geometric_distribution() {
    for (number, of) in [(1, 2u128), (1, 3), (999_999, 1_000_000), (10, 8_000_000)] {
        let gaps = Gaps::new(number, of);
        let (p, ones) = (
            number as f64 / of as f64,
            gaps.digits.map(|t| t as f64 / 2f64.powi(64)),
        );
        for gap in (0..40u64).chain([1 << 10, 12_345, 1 << 20]) {
            let beyond = 1.0 - gaps.beyond as f64 / 2f64.powi(64);
            let digit = |(j, one): (usize, &f64)| if gap >> j & 1 == 1 { *one } else { 1.0 - one };
            let found = beyond * ones.iter().enumerate().map(digit).product::<f64>();
            let expected = p * ((1.0 - p).ln() * gap as f64).exp();
            assert!(
                (found - expected).abs() <= 1e-9 * expected + 1e-18,
                "{number}/{of}, {gap}: {found} for {expected}"
            );
        }
    }
}

#[test]
fn the_rarest_offers_have_the_right_rate() {
    // 2^20 nodes, p = 10^-6 / 2^20, 10^9 cycles: 1000 messages to be expected, Poisson.
    let config = steady("0.000001", 1 << 20, CYCLES_MAX);
    assert_eq!(config.expected_messages(1 << 20), 1000);
    let found = offers(config, 1 << 20, 5).len();
    assert!((873..=1127).contains(&found), "{found}: more than 4 sigma");
}

/// Messages of each node are binomial: mean and variance over many nodes.
#[test]
fn mean_and_variance_over_nodes() {
    for (load, words, cycles) in [("0.5", 1, 1000), ("0.8", 4, 2000), ("0.05", 64, 100_000)] {
        let nodes = 4096;
        let config = steady(load, words, cycles);
        let mut counts = vec![0u64; nodes as usize];
        for (_, source, _) in offers(config.clone(), nodes, 1) {
            counts[source as usize] += 1;
        }
        let n = f64::from(nodes);
        let p = config.load.to_f64() / f64::from(words);
        let (mean, variance) = (p * cycles as f64, p * (1.0 - p) * cycles as f64);
        let found = counts.iter().sum::<u64>() as f64 / n;
        let error = 4.0 * (variance / n).sqrt();
        assert!((found - mean).abs() < error, "{found} for {mean}");
        let squares = counts.iter().map(|&count| (count as f64 - found).powi(2));
        let found = squares.sum::<f64>() / (n - 1.0);
        // The variance of a sample's variance, of counts that are nearly normal.
        let error = 4.0 * variance * (2.0 / (n - 1.0)).sqrt();
        assert!((found - variance).abs() < error, "{found} for {variance}");
    }
}

#[test]
fn destinations_are_uniform_and_cycles_alike() {
    let (nodes, cycles) = (8u32, 5000);
    let mut pairs = [[0u32; 8]; 8];
    let mut by_tenth = [0u32; 10];
    for seed in 0..10 {
        for (cycle, source, destination) in offers(steady("0.9", 3, cycles), nodes, seed) {
            pairs[source as usize][destination as usize] += 1;
            by_tenth[((cycle - 1) * 10 / cycles) as usize] += 1;
        }
    }
    // 15,000 of each source: 2,143 +- 43 of each pair; 12,000 +- 92 in each tenth.
    for (source, row) in pairs.iter().enumerate() {
        for (destination, &count) in row.iter().enumerate() {
            let expected = if source == destination {
                0..1
            } else {
                1953..2333
            };
            assert!(
                expected.contains(&count),
                "{source} to {destination}: {count}"
            );
        }
    }
    for count in by_tenth {
        assert!((11_600..12_400).contains(&count), "{by_tenth:?}");
    }
}

/// Ids go by cycle and node; more cycles, and more nodes' messages, change nothing.
#[test]
fn messages_of_a_node_are_its_own() {
    let short = offers(steady("0.7", 2, 500), 16, 3);
    let long = offers(steady("0.7", 2, 2000), 16, 3);
    assert!(short.len() > 1000 && short.is_sorted());
    assert_eq!(short, long[..short.len()]);
    assert!(long[short.len()].0 > 500);
    let cycles = |offers: &[(u64, u32, u32)], node| -> Vec<u64> {
        let of = offers.iter().filter(|offer| offer.1 == node);
        of.map(|offer| offer.0).collect()
    };
    let first = |nodes| offers(steady("0.7", 2, 500), nodes, 3);
    let (few, many) = (first(2), first(1024));
    for node in 0..2 {
        assert_eq!(cycles(&few, node)[0], cycles(&many, node)[0]);
    }
    assert_ne!(short, offers(steady("0.7", 2, 500), 16, 4));
}

#[test]
fn a_full_load_of_single_words_is_a_message_in_every_cycle() {
    let found = offers(steady("1", 1, 50), 4, 1);
    let expected = (1..=50).flat_map(|cycle| (0..4).map(move |node| (cycle, node)));
    assert!(found.iter().map(|offer| (offer.0, offer.1)).eq(expected));
}

#[test]
fn parameters_out_of_range() {
    let refused = |config: SteadyConfig, nodes| {
        let error = build(&TrafficConfig::Steady(config), nodes, 1).unwrap_err();
        error.to_string()
    };
    assert_snapshot!(refused(steady("1.5", 0, 0), 64), @"
    error: configuration: traffic.load: a load of 1.5; expected at most 1
      help: 1 is a word in every cycle

    error: configuration: traffic.cycles: 0 cycles; expected 1 to 1000000000

    error: configuration: traffic.words: 0 words; expected 1 to 1048576
    ");
    assert_snapshot!(refused(steady("0.5", 1, 1_000_000), 64), @"
    error: configuration: traffic.cycles: 1000000 cycles, in which 32000000 messages are to be expected; a run has at most 16777216
      help: expected 1 to 524288 at this load
    ");
    let config = SteadyConfig {
        warmup_cycles: Some(10),
        destinations: Destinations::Others,
        ..steady("0.5", 1, 10)
    };
    assert_snapshot!(refused(config, 64), @"
    error: configuration: traffic.warmup_cycles: 10 of 10 cycles; expected 0 to 9
      help: the cycles after it are those that are measured
    ");
    let most = MESSAGES_MAX * 2 / 64;
    assert!(steady("0.5", 1, most).faults(64).is_empty());
    assert_eq!(steady("0.5", 1, most + 1).faults(64).len(), 1);
}

/// Messages of one length each, by their weights, give the load that was asked for.
#[test]
fn lengths_are_drawn_by_weight() {
    let config = SteadyConfig {
        words: Lengths::drawn(vec![1, 5, 9, 7], Some(vec![3, 1, 2, 0])),
        ..steady("0.5", 1, 100_000)
    };
    let workload = build(&TrafficConfig::Steady(config.clone()), 64, 2).unwrap();
    let count = |words| {
        workload
            .messages
            .iter()
            .filter(|one| one.words == words)
            .count() as f64
    };
    let all = workload.messages.len() as f64;
    // 820,000 messages: a share of a half is off by 0.0006.
    for (words, share) in [(1, 0.5), (5, 1.0 / 6.0), (9, 1.0 / 3.0), (7, 0.0)] {
        let found = count(words) / all;
        assert!(
            (found - share).abs() < 0.003,
            "{found} of {words} words for {share}"
        );
    }
    let words: u64 = workload
        .messages
        .iter()
        .map(|one| u64::from(one.words))
        .sum();
    let load = words as f64 / 6_400_000.0;
    assert!((load - 0.5).abs() < 0.003, "{load}");
    assert_eq!(config.expected_messages(64), 64 * 100_000 * 6 / 2 / 26);
}

/// The messages of a node, one for each cycle in which the link is free after those before.
fn bursts(messages: &[Message], source: u32) -> Vec<Vec<(u64, u32, u32)>> {
    let mut bursts: Vec<Vec<(u64, u32, u32)>> = Vec::new();
    for message in messages.iter().filter(|message| message.source == source) {
        let offered = (
            message.offered.earliest(),
            message.destination,
            message.words,
        );
        let follows = |burst: &&mut Vec<(u64, u32, u32)>| {
            let (cycle, destination, words) = *burst.last().unwrap();
            (cycle + u64::from(words), destination) == (offered.0, offered.1)
        };
        match bursts.iter_mut().find(follows) {
            Some(burst) => burst.push(offered),
            None => bursts.push(vec![offered]),
        }
    }
    bursts
}

/// At a load at which bursts do not meet they are told from each other: their number of messages is
/// geometric, and their load is that which was asked for.
#[test]
fn bursts_are_geometric() {
    let config = SteadyConfig {
        words: Lengths::drawn(vec![2, 6], None),
        burst_messages: 5,
        ..steady("0.001", 1, 1_000_000)
    };
    let workload = build(&TrafficConfig::Steady(config), 256, 3).unwrap();
    let found: Vec<usize> = (0..256)
        .flat_map(|source| bursts(&workload.messages, source))
        .map(|burst| burst.len())
        .collect();
    // 12,800 bursts of 5 ± 4.5 messages: a mean of 5 ± 0.04.
    let mean = found.iter().sum::<usize>() as f64 / found.len() as f64;
    assert!((mean - 5.0).abs() < 0.16, "{mean}");
    for (messages, share) in [(1, 0.2), (2, 0.16), (10, 0.2 * 0.8_f64.powi(9))] {
        let count = found.iter().filter(|&&burst| burst == messages).count() as f64;
        let (expected, all) = (share * found.len() as f64, found.len() as f64);
        let error = 4.0 * (all * share * (1.0 - share)).sqrt();
        assert!(
            (count - expected).abs() < error,
            "{count} of {messages} for {expected}"
        );
    }
    let words: u64 = workload
        .messages
        .iter()
        .map(|one| u64::from(one.words))
        .sum();
    let load = words as f64 / 256e6;
    assert!((load - 0.001).abs() < 0.000_05, "{load}");
}

/// The end of the run cuts bursts, and changes nothing before it.
#[test]
fn more_cycles_only_add_messages_of_bursts() {
    let messages = |cycles| {
        let config = SteadyConfig {
            words: Lengths::drawn(vec![1, 30], Some(vec![5, 1])),
            burst_messages: 20,
            ..steady("0.7", 1, cycles)
        };
        let workload = build(&TrafficConfig::Steady(config), 32, 4).unwrap();
        let offered =
            |message: &Message| (message.offered.earliest(), message.source, message.words);
        workload.messages.iter().map(offered).collect::<Vec<_>>()
    };
    let (short, long) = (messages(300), messages(2000));
    assert!(short.len() > 500, "{}", short.len());
    let cut = long.iter().filter(|message| message.0 <= 300);
    assert!(short.iter().eq(cut));
}

/// Two nodes that share a generator would offer in the same cycles.
#[test]
fn no_two_nodes_offer_alike() {
    let nodes = 256;
    let mut cycles = vec![Vec::new(); nodes as usize];
    for (cycle, source, _) in offers(steady("0.1", 1, 1000), nodes, 3) {
        cycles[source as usize].push(cycle);
    }
    assert!(cycles.iter().all(|cycles| cycles.len() > 40));
    cycles.sort();
    for pair in cycles.windows(2) {
        assert_ne!(pair[0], pair[1]);
    }
}

/// With weights, as many messages go through each level as they say, to every node behind it.
#[test]
fn destinations_by_levels() {
    let locality = Locality {
        groups: vec![3, 12, 48],
        weights: vec![6, 3, 1],
    };
    let local = SteadyConfig {
        destinations: Destinations::Local(locality.clone()),
        ..steady("0.5", 1, 400)
    };
    let local = build(&TrafficConfig::Steady(local), 48, 3).expect("legal");
    let mut counts = [0_u32; 3];
    let mut reached = vec![0_u32; 48];
    for message in &local.messages {
        assert_ne!(message.source, message.destination);
        counts[locality.level(message.source, message.destination)] += 1;
        reached[message.destination as usize] += 1;
    }
    let all = local.messages.len() as f64;
    for (count, share) in counts.into_iter().zip([0.6, 0.3, 0.1]) {
        // Some 9,600 messages: five standard deviations.
        assert!((f64::from(count) / all - share).abs() < 0.025, "{counts:?}");
    }
    assert!(
        reached.iter().all(|&count| (120..280).contains(&count)),
        "{reached:?}"
    );
}

/// A hot spot gets its share and as many of the rest as any other; itself it sends to the others.
#[test]
fn a_hot_spot_gets_its_share() {
    let config = SteadyConfig {
        destinations: Destinations::HotSpot {
            node: 5,
            share: Decimal::parse("0.2").unwrap(),
        },
        ..steady("0.5", 1, 5000)
    };
    let (mut hot, mut own, mut all) = (0.0, 0, 0.0);
    for (_, source, destination) in offers(config, 16, 3) {
        assert_ne!(source, destination);
        match source {
            5 => own += 1,
            _ => {
                all += 1.0;
                hot += f64::from(u8::from(destination == 5));
            }
        }
    }
    // 37,500 messages; (0.2 + 0.8 / 15), five standard deviations. The hot spot offers as much as others.
    assert!((hot / all - 0.2533_f64).abs() < 0.0115, "{hot} of {all}");
    assert!((2300..2700).contains(&own), "{own}");
}

/// Nodes that a permutation sends to themselves send nothing, and nobody expects that they do.
#[test]
fn nodes_without_another_destination_are_silent() {
    let transposed = SteadyConfig {
        destinations: Destinations::Permutation {
            permutation: Permutation::Transpose,
            axes: vec![4, 4],
        },
        ..steady("0.5", 1, 1000)
    };
    assert_eq!(transposed.expected_messages(16), 6000);
    let found = offers(transposed.clone(), 16, 3);
    assert!((5700..6300).contains(&found.len()), "{}", found.len());
    for (_, source, destination) in found {
        assert_eq!((source % 4, source / 4), (destination / 4, destination % 4));
        assert_ne!(source % 4, source / 4);
    }
    // Twelve senders may offer for longer than sixteen.
    let long = SteadyConfig {
        cycles: MESSAGES_MAX * 2 / 12,
        ..transposed
    };
    assert_eq!(long.faults(16), []);
}

#[test]
fn destinations_that_do_not_fit() {
    let refused = |destinations, nodes| {
        let config = SteadyConfig {
            destinations,
            ..steady("0.5", 1, 10)
        };
        let error = build(&TrafficConfig::Steady(config), nodes, 1).unwrap_err();
        error.to_string()
    };
    let permuted = |permutation, axes: &[u32]| {
        let nodes = axes.iter().product();
        let axes = axes.to_vec();
        refused(Destinations::Permutation { permutation, axes }, nodes)
    };
    assert_snapshot!(permuted(Permutation::Transpose, &[4, 8]), @r#"
    error: configuration: traffic.destinations: transpose exchanges x and y, but the grid has 4 and 8 nodes along these axes; expected as many along both
      help: use a square, or "bit-complement"
    "#);
    assert_snapshot!(permuted(Permutation::Shuffle, &[3, 3]), @r#"
    error: configuration: traffic.destinations: a permutation of address bits, but 9 nodes are no power of two
      help: use "tornado" or "neighbour", which take any number of nodes
    "#);
    assert_snapshot!(permuted(Permutation::Tornado, &[2, 2]), @"
    error: configuration: traffic.destinations: tornado sends each of the 4 nodes to itself; expected another destination for some
      help: use a larger network, or others
    ");
    let hot = |node, share| Destinations::HotSpot {
        node,
        share: Decimal::parse(share).unwrap(),
    };
    assert_snapshot!(refused(hot(16, "0.5"), 16), @"
    error: configuration: traffic.destination: node 16 of 16; expected 0 to 15
      help: name a node of the network
    ");
    assert_snapshot!(refused(hot(0, "1.5"), 16), @"
    error: configuration: traffic.hot_share: a share of 1.5; expected at most 1
      help: 1 is every message
    ");
}
