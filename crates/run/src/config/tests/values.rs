use super::*;

#[test]
fn names_and_ranges() {
    let text = format!(
        "{BASE}pattern = 'random'\n\
         [router]\nwinner = 'radnom'\nrelease = 3\n\
         [retry]\nstrategy = 'backof'\nbackoff_limit = 13\n\
         [run]\nseed = -1\nengine = 'rtl'\nreplicates = 0\ncycles_max = 1_000_000_000_001\n\
         threads = true\n\
         [wave]\nscopes = ['*', 'a b', 3, '']\nwindow_cycles = [9, 5]\n"
    );
    assert_snapshot!(refused(&text, &[]), @r#"
    error: router.winner: found "radnom"; expected one of "random", "fixed"
     --> run.toml:7:10
      |
    7 | winner = 'radnom'
      |          ^^^^^^^^
      |
      = help: did you mean "random"?

    error: router.release: found 3; expected one of "acknowledge", "early-acknowledge", "tail"
     --> run.toml:8:11
      |
    8 | release = 3
      |           ^
      |
      = help: such as release = "acknowledge"

    error: retry.strategy: found "backof"; expected one of "immediate", "rounds", "backoff"
      --> run.toml:10:12
       |
    10 | strategy = 'backof'
       |            ^^^^^^^^
       |
       = help: did you mean "backoff"?

    error: retry.backoff_limit: found 13; expected an integer from 1 to 12
      --> run.toml:11:17
       |
    11 | backoff_limit = 13
       |                 ^^
       |
       = help: such as backoff_limit = 12

    error: run.seed: found -1; expected an integer from 0 to 9223372036854775807
      --> run.toml:13:8
       |
    13 | seed = -1
       |        ^^
       |
       = help: such as seed = 0

    error: run.engine: found "rtl"; expected one of "gate", "event", "gpu"
      --> run.toml:14:10
       |
    14 | engine = 'rtl'
       |          ^^^^^
       |
       = help: such as engine = "gate"

    error: run.replicates: found 0; expected an integer from 1 to 100000
      --> run.toml:15:14
       |
    15 | replicates = 0
       |              ^
       |
       = help: such as replicates = 1

    error: run.cycles_max: found 1000000000001; expected an integer from 1 to 1000000000000
      --> run.toml:16:14
       |
    16 | cycles_max = 1_000_000_000_001
       |              ^^^^^^^^^^^^^^^^^
       |
       = help: such as cycles_max = 1000000000000

    error: run.threads: found true; expected an integer from 0 to 256
      --> run.toml:17:11
       |
    17 | threads = true
       |           ^^^^
       |
       = help: such as threads = 0

    error: wave.scopes[1]: found "a b"; expected a pattern of 1 to 256 characters without space
      --> run.toml:19:16
       |
    19 | scopes = ['*', 'a b', 3, '']
       |                ^^^^^
       |
       = help: such as scopes = ["*"]

    error: wave.scopes[2]: found 3; expected a pattern of 1 to 256 characters without space
      --> run.toml:19:23
       |
    19 | scopes = ['*', 'a b', 3, '']
       |                       ^
       |
       = help: such as scopes = ["*"]

    error: wave.scopes[3]: found ""; expected a pattern of 1 to 256 characters without space
      --> run.toml:19:26
       |
    19 | scopes = ['*', 'a b', 3, '']
       |                          ^^
       |
       = help: such as scopes = ["*"]

    error: wave.window_cycles: from 9 to 5; expected from <= to
      --> run.toml:20:17
       |
    20 | window_cycles = [9, 5]
       |                 ^^^^^^
       |
       = help: write window_cycles = [5, 9]
    "#);
    let text =
        format!("{BASE}pattern = 'random'\n[retry]\nstrategy = 'rounds'\nbackoff_limit = 3\n");
    assert_snapshot!(refused(&text, &[]), @r#"
    error: retry.backoff_limit: the strategy "rounds" does not take this key
     --> run.toml:8:17
      |
    8 | backoff_limit = 3
      |                 ^
      |
      = help: remove it, or set retry.strategy = "backoff"
    "#);
    let text = format!("{BASE}pattern = 'random'\n[wave]\nscopes = []\nwindow_cycles = [1]\n");
    assert_snapshot!(refused(&text, &[]), @r#"
    error: wave.scopes: found an empty list; expected a list of glob patterns on dotted instance paths
     --> run.toml:7:10
      |
    7 | scopes = []
      |          ^^
      |
      = help: such as scopes = ["*"]

    error: wave.window_cycles: found a list of 1; expected [from, to], two cycles from 0 to 1000000000000
     --> run.toml:8:17
      |
    8 | window_cycles = [1]
      |                 ^^^
      |
      = help: such as window_cycles = [1, 100]
    "#);
    let text = format!("{BASE}pattern = 'random'\n[wave]\nscopes = '*'\nwindow_cycles = [-1, 2]\n");
    assert_snapshot!(refused(&text, &[]), @r#"
    error: wave.scopes: found "*"; expected a list of glob patterns on dotted instance paths
     --> run.toml:7:10
      |
    7 | scopes = '*'
      |          ^^^
      |
      = help: such as scopes = ["*"]

    error: wave.window_cycles: found a list of 2; expected [from, to], two cycles from 0 to 1000000000000
     --> run.toml:8:17
      |
    8 | window_cycles = [-1, 2]
      |                 ^^^^^^^
      |
      = help: such as window_cycles = [1, 100]
    "#);
}

#[test]
fn pattern_or_trace() {
    assert_snapshot!(traffic_refused("words = 3"), @r#"
    error: traffic.pattern: missing, and no trace is given; expected one of the two
     --> run.toml:4:2
      |
    4 | [traffic]
      |  ^^^^^^^
      |
      = help: the patterns are "random", "pair", "pairs", "hot-spot", "transpose", "bit-reversal", "cyclic-shift", "steady"
    "#);
    assert_snapshot!(traffic_refused("pattern = 'random'\ntrace = 't.csv'\nshift = 'x'\nlimit = 0"), @r#"
    error: traffic.trace: given beside a pattern; expected one of the two
     --> run.toml:6:9
      |
    6 | trace = 't.csv'
      |         ^^^^^^^
      |
      = help: remove one of them

    error: traffic.shift: found "x"; expected an integer from 1 to 63
     --> run.toml:7:9
      |
    7 | shift = 'x'
      |         ^^^
      |
      = help: such as shift = 1

    error: traffic.limit: found 0; expected an integer from 1 to 16777216
     --> run.toml:8:9
      |
    8 | limit = 0
      |         ^
      |
      = help: such as limit = 1
    "#);
    assert_snapshot!(traffic_refused("pattern = 'randon'\nwords = 0.5"), @r#"
    error: traffic.pattern: found "randon"; expected one of "random", "pair", "pairs", "hot-spot", "transpose", "bit-reversal", "cyclic-shift", "steady"
     --> run.toml:5:11
      |
    5 | pattern = 'randon'
      |           ^^^^^^^^
      |
      = help: did you mean "random"?

    error: traffic.words: found 0.5; expected an integer from 1 to 1048576
     --> run.toml:6:9
      |
    6 | words = 0.5
      |         ^^^
      |
      = help: such as words = 1
    "#);
    assert_snapshot!(traffic_refused("pattern = 7"), @r#"
    error: traffic.pattern: found 7; expected one of "random", "pair", "pairs", "hot-spot", "transpose", "bit-reversal", "cyclic-shift", "steady"
     --> run.toml:5:11
      |
    5 | pattern = 7
      |           ^
      |
      = help: such as pattern = "random"
    "#);
    assert_snapshot!(traffic_refused("trace = ''"), @r#"
    error: traffic.trace: found ""; expected the path of a trace
     --> run.toml:5:9
      |
    5 | trace = ''
      |         ^^
      |
      = help: such as trace = "traces/fft2d64_p2p.csv"
    "#);
}

#[test]
fn keys_of_other_patterns() {
    assert_snapshot!(traffic_refused("pattern = 'random'\nshift = 'x'\nsource = 1\nreplay = 'timed'"), @r#"
    error: traffic.shift: the pattern "random" does not take this key
     --> run.toml:6:9
      |
    6 | shift = 'x'
      |         ^^^
      |
      = help: it belongs to the pattern "cyclic-shift"

    error: traffic.source: the pattern "random" does not take this key
     --> run.toml:7:10
      |
    7 | source = 1
      |          ^
      |
      = help: it belongs to the pattern "pair"

    error: traffic.replay: the pattern "random" does not take this key
     --> run.toml:8:10
      |
    8 | replay = 'timed'
      |          ^^^^^^^
      |
      = help: it belongs to a trace
    "#);
    assert_snapshot!(traffic_refused("trace = 't.csv'\nmessages = 5\nwords = 2"), @r#"
    error: traffic.messages: a trace does not take this key
     --> run.toml:6:12
      |
    6 | messages = 5
      |            ^
      |
      = help: it belongs to the patterns "random", "hot-spot", "transpose", "bit-reversal", "cyclic-shift"

    error: traffic.words: a trace does not take this key
     --> run.toml:7:9
      |
    7 | words = 2
      |         ^
      |
      = help: it belongs to the patterns "random", "pair", "pairs", "hot-spot", "transpose", "bit-reversal", "cyclic-shift", "steady"
    "#);
}

#[test]
fn no_mistake_hides_another() {
    let places = |text: &str| -> Vec<String> {
        let errors = refused(text, &[]);
        let titles = errors.lines().filter_map(|l| l.strip_prefix("error: "));
        titles
            .map(|t| t.split(": ").next().unwrap_or(t).to_string())
            .collect()
    };
    let keys = "messages = 0\nwords = 0\nshift = 0\ndestination = 4_000_000\nrepeat = 1_000_001\n";
    let ranges = [
        "traffic.messages",
        "traffic.words",
        "traffic.shift",
        "traffic.destination",
        "traffic.repeat",
    ];
    for (nodes, first) in [
        ("100", "pattern = 'randon'\n"),
        ("64", "pattern = 'randon'\n"),
        ("64", "pattern = 'random'\ntrace = 't.csv'\n"),
        ("64", ""),
    ] {
        let head = format!("[network]\nkind = 'fat-tree'\nnodes = {nodes}\n[traffic]\n");
        let mut found = places(&format!("{head}{first}{keys}"));
        found.retain(|place| ranges.contains(&place.as_str()));
        assert_eq!(found, ranges, "{nodes} nodes, {first}");
    }
    let head = "[network]\nkind = 'fat-tree'\nnodes = 100\n[traffic]\n";
    let text = format!("{head}pattern = 'cyclic-shift'\nshift = 0\nwords = 0\n");
    assert_eq!(
        places(&text),
        ["network.nodes", "traffic.shift", "traffic.words"]
    );
    let text = format!("{BASE}pattern = 'pairs'\npairs = [[1], [2, 2], [0, 64], [0, 1]]\n");
    assert_eq!(
        places(&text),
        ["traffic.pairs[0]", "traffic.pairs[1]", "traffic.pairs[2]"]
    );
}

#[test]
fn values_of_patterns() {
    assert_snapshot!(traffic_refused("pattern = 'random'\nmessages = 65\nwords = 1048577\nrepeat = 0"), @"
    error: traffic.messages: 65 sources of 64 nodes; expected 1 to 64 for this pattern
     --> run.toml:6:12
      |
    6 | messages = 65
      |            ^^
      |
      = help: each node is the source of at most one; use `repeat` for more

    error: traffic.words: found 1048577; expected an integer from 1 to 1048576
     --> run.toml:7:9
      |
    7 | words = 1048577
      |         ^^^^^^^
      |
      = help: such as words = 1

    error: traffic.repeat: found 0; expected an integer from 1 to 1000000
     --> run.toml:8:10
      |
    8 | repeat = 0
      |          ^
      |
      = help: such as repeat = 1
    ");
    assert_snapshot!(traffic_refused("pattern = 'random'\nmessages = -1\nwords = 'x'\nrepeat = 1_000_000"), @r#"
    error: traffic.messages: found -1; expected an integer from 1 to 64
     --> run.toml:6:12
      |
    6 | messages = -1
      |            ^^
      |
      = help: such as messages = 1

    error: traffic.words: found "x"; expected an integer from 1 to 1048576
     --> run.toml:7:9
      |
    7 | words = 'x'
      |         ^^^
      |
      = help: such as words = 1
    "#);
    assert_snapshot!(traffic_refused("pattern = 'random'\nrepeat = 1_000_000"), @"
    error: traffic.repeat: 64 sources with 1000000 messages each; a run has at most 16777216 messages
     --> run.toml:6:10
      |
    6 | repeat = 1_000_000
      |          ^^^^^^^^^
      |
      = help: expected 1 to 262144
    ");
    assert_snapshot!(traffic_refused("pattern = 'hot-spot'\nmessages = 64"), @r#"
    error: traffic.destination: missing; the pattern "hot-spot" needs it
     --> run.toml:5:11
      |
    5 | pattern = 'hot-spot'
      |           ^^^^^^^^^^
      |
      = help: such as destination = 0

    error: traffic.messages: 64 sources of 64 nodes; expected 1 to 63 for this pattern
     --> run.toml:6:12
      |
    6 | messages = 64
      |            ^^
      |
      = help: each node is the source of at most one; use `repeat` for more
    "#);
    assert_snapshot!(traffic_refused("pattern = 'pair'\nsource = 64\ndestination = 1.5"), @"
    error: traffic.source: node 64 of 64; expected 0 to 63
     --> run.toml:6:10
      |
    6 | source = 64
      |          ^^
      |
      = help: name a node of the network, or raise network.nodes

    error: traffic.destination: found 1.5; expected an integer from 0 to 63
     --> run.toml:7:15
      |
    7 | destination = 1.5
      |               ^^^
      |
      = help: such as destination = 0
    ");
    assert_snapshot!(traffic_refused("pattern = 'pair'\nsource = 3\ndestination = 3"), @"
    error: traffic.destination: 3 is the source as well
     --> run.toml:7:15
      |
    7 | destination = 3
      |               ^
      |
      = help: a node sends only to another node
    ");
    assert_snapshot!(traffic_refused("pattern = 'pair'"), @r#"
    error: traffic.source: missing; the pattern "pair" needs it
     --> run.toml:5:11
      |
    5 | pattern = 'pair'
      |           ^^^^^^
      |
      = help: such as source = 0

    error: traffic.destination: missing; the pattern "pair" needs it
     --> run.toml:5:11
      |
    5 | pattern = 'pair'
      |           ^^^^^^
      |
      = help: such as destination = 0
    "#);
    assert_snapshot!(traffic_refused("pattern = 'pairs'"), @r#"
    error: traffic.pairs: missing; the pattern "pairs" needs it
     --> run.toml:5:11
      |
    5 | pattern = 'pairs'
      |           ^^^^^^^
      |
      = help: such as pairs = [[0, 1]]
    "#);
    assert_snapshot!(traffic_refused("pattern = 'pairs'\npairs = []"), @"
    error: traffic.pairs: the list is empty
     --> run.toml:6:9
      |
    6 | pairs = []
      |         ^^
      |
      = help: give at least one, such as pairs = [[0, 1]]
    ");
    assert_snapshot!(traffic_refused("pattern = 'pairs'\npairs = 5"), @"
    error: traffic.pairs: found 5; expected a list of [source, destination]
     --> run.toml:6:9
      |
    6 | pairs = 5
      |         ^
      |
      = help: such as pairs = [[0, 1], [2, 3]]
    ");
    assert_snapshot!(traffic_refused("pattern = 'pairs'\npairs = [[0, 1], [1], 'x', [-1, 2]]"), @r#"
    error: traffic.pairs[1]: found a list of 1; expected [source, destination], two nodes from 0 to 63
     --> run.toml:6:18
      |
    6 | pairs = [[0, 1], [1], 'x', [-1, 2]]
      |                  ^^^
      |
      = help: such as pairs = [[0, 1], [2, 3]]

    error: traffic.pairs[2]: found "x"; expected [source, destination], two nodes from 0 to 63
     --> run.toml:6:23
      |
    6 | pairs = [[0, 1], [1], 'x', [-1, 2]]
      |                       ^^^
      |
      = help: such as pairs = [[0, 1], [2, 3]]

    error: traffic.pairs[3]: found a list of 2; expected [source, destination], two nodes from 0 to 63
     --> run.toml:6:28
      |
    6 | pairs = [[0, 1], [1], 'x', [-1, 2]]
      |                            ^^^^^^^
      |
      = help: such as pairs = [[0, 1], [2, 3]]
    "#);
    assert_snapshot!(traffic_refused("pattern = 'pairs'\npairs = [[0, 1], [1, 1], [2, 64]]"), @"
    error: traffic.pairs[1]: node 1 would send to itself
     --> run.toml:6:18
      |
    6 | pairs = [[0, 1], [1, 1], [2, 64]]
      |                  ^^^^^^
      |
      = help: a node sends only to another node

    error: traffic.pairs[2]: node 64 of 64; expected 0 to 63
     --> run.toml:6:26
      |
    6 | pairs = [[0, 1], [1, 1], [2, 64]]
      |                          ^^^^^^^
      |
      = help: name a node of the network, or raise network.nodes
    ");
    assert_snapshot!(traffic_refused("pattern = 'cyclic-shift'\nshift = 64"), @"
    error: traffic.shift: a shift of 64; expected 1 to 63
     --> run.toml:6:9
      |
    6 | shift = 64
      |         ^^
      |
      = help: a shift by all 64 nodes returns to the source
    ");
    assert_snapshot!(traffic_refused("pattern = 'cyclic-shift'\nshift = '1'"), @r#"
    error: traffic.shift: found "1"; expected an integer from 1 to 63
     --> run.toml:6:9
      |
    6 | shift = '1'
      |         ^^^
      |
      = help: such as shift = 1
    "#);
    assert_snapshot!(traffic_refused("pattern = 'cyclic-shift'"), @r#"
    error: traffic.shift: missing; the pattern "cyclic-shift" needs it
     --> run.toml:5:11
      |
    5 | pattern = 'cyclic-shift'
      |           ^^^^^^^^^^^^^^
      |
      = help: such as shift = 1
    "#);
    let text =
        "[network]\nkind = 'fat-tree'\nnodes = 32\n[traffic]\npattern = 'transpose'\nmessages = 33";
    assert_snapshot!(refused(text, &[]), @"
    error: traffic.pattern: transpose exchanges two halves of the address, but the addresses of 32 nodes have 5 bits; expected an even number
     --> run.toml:5:11
      |
    5 | pattern = 'transpose'
      |           ^^^^^^^^^^^
      |
      = help: use 16 or 64 nodes

    error: traffic.messages: 33 sources of 32 nodes; expected 1 to 32 for this pattern
     --> run.toml:6:12
      |
    6 | messages = 33
      |            ^^
      |
      = help: each node is the source of at most one; use `repeat` for more
    ");
}

#[test]
fn values_of_traces() {
    let lines = "trace = 3\nreplay = 'inorder'\nclock_mhz = 100_001\ntime_scale = 0.0000001\n\
                 bytes_scale = nan\nbytes_per_word = 0\nlimit = 16777217";
    assert_snapshot!(traffic_refused(lines), @r#"
    error: traffic.trace: found 3; expected the path of a trace
     --> run.toml:5:9
      |
    5 | trace = 3
      |         ^
      |
      = help: such as trace = "traces/fft2d64_p2p.csv"

    error: traffic.replay: found "inorder"; expected one of "timed", "in-order"
     --> run.toml:6:10
      |
    6 | replay = 'inorder'
      |          ^^^^^^^^^
      |
      = help: did you mean "in-order"?

    error: traffic.clock_mhz: found 100001; expected a number above 0, at most 100000, with up to 6 decimals
     --> run.toml:7:13
      |
    7 | clock_mhz = 100_001
      |             ^^^^^^^
      |
      = help: such as clock_mhz = 0.5

    error: traffic.time_scale: found 0.0000001; expected a number above 0, at most 1000000, with up to 6 decimals
     --> run.toml:8:14
      |
    8 | time_scale = 0.0000001
      |              ^^^^^^^^^
      |
      = help: such as time_scale = 0.5

    error: traffic.bytes_scale: found nan; expected a number above 0, at most 1000000, with up to 6 decimals
     --> run.toml:9:15
      |
    9 | bytes_scale = nan
      |               ^^^
      |
      = help: such as bytes_scale = 0.5

    error: traffic.bytes_per_word: found 0; expected an integer from 1 to 65536
      --> run.toml:10:18
       |
    10 | bytes_per_word = 0
       |                  ^
       |
       = help: such as bytes_per_word = 1

    error: traffic.limit: found 16777217; expected an integer from 1 to 16777216
      --> run.toml:11:9
       |
    11 | limit = 16777217
       |         ^^^^^^^^
       |
       = help: such as limit = 16777216
    "#);
}

#[test]
fn destinations_of_random_traffic() {
    let text = format!("{BASE}pattern='random'\n");
    let traffic = |set: &str| {
        let config = parse(&text, &[set]).unwrap_or_else(|error| panic!("{error}"));
        serde_json::to_string(&config.traffic).expect("JSON")
    };
    let plain = r#"{"pattern":"random","messages":64,"words":1,"repeat":1}"#;
    assert_eq!(traffic("traffic.destinations=others"), plain);
    assert_eq!(
        traffic("traffic.destinations=all"),
        r#"{"pattern":"random","messages":64,"destinations":"all","words":1,"repeat":1}"#
    );
    assert_snapshot!(traffic_refused("pattern = 'random'\ndestinations = 'al'"), @r#"
    error: traffic.destinations: found "al"; expected one of "others", "all", "local"
     --> run.toml:6:16
      |
    6 | destinations = 'al'
      |                ^^^^
      |
      = help: did you mean "all"?
    "#);
    assert_snapshot!(traffic_refused("pattern = 'transpose'\ndestinations = 'all'"), @r#"
    error: traffic.destinations: the pattern "transpose" does not take this key
     --> run.toml:6:16
      |
    6 | destinations = 'all'
      |                ^^^^^
      |
      = help: it belongs to the patterns "random", "steady"
    "#);
}
