use super::{BASE, parse, refused, traffic_refused};
use crate::config::Config;
use crosswave_base::decimal::Decimal;
use crosswave_base::diagnostic::Class;
use crosswave_network::traffic::{Destinations, Lengths, Permutation, SteadyConfig, TrafficConfig};
use insta::assert_snapshot;

const STEADY: &str = "pattern = 'steady'\nload = 0.125\ncycles = 1000\n";

fn steady(lines: &str) -> SteadyConfig {
    let config = parse(&format!("{BASE}{STEADY}{lines}"), &[]).unwrap();
    match config.traffic {
        TrafficConfig::Steady(steady) => steady,
        other => panic!("{other:?}"),
    }
}

#[test]
fn defaults_and_values() {
    let expected = SteadyConfig {
        load: Decimal::parse("0.125").unwrap(),
        words: 1.into(),
        burst_messages: 1,
        cycles: 1000,
        warmup_cycles: None,
        destinations: Destinations::Others,
    };
    assert_eq!(steady(""), expected);
    let found = steady("words = 8\nwarmup_cycles = 0");
    assert_eq!((found.words, found.warmup_cycles), (8.into(), Some(0)));
    assert_eq!(steady("").warmup_least_cycles(), 200);
    assert_eq!(steady("warmup_cycles = 999").warmup_least_cycles(), 999);
    let config = parse(&format!("{BASE}{STEADY}"), &["traffic.load=1"]).unwrap();
    let json = serde_json::to_string(&config.traffic).unwrap();
    assert_snapshot!(json, @r#"{"pattern":"steady","words":1,"load":1.0,"cycles":1000}"#);
}

#[test]
fn keys_that_are_missing_or_of_others() {
    assert_snapshot!(traffic_refused("pattern = 'steady'"), @r#"
    error: traffic.load: missing; the pattern "steady" needs it
     --> run.toml:5:11
      |
    5 | pattern = 'steady'
      |           ^^^^^^^^
      |
      = help: such as load = 0.1

    error: traffic.cycles: missing; the pattern "steady" needs it
     --> run.toml:5:11
      |
    5 | pattern = 'steady'
      |           ^^^^^^^^
      |
      = help: such as cycles = 10000
    "#);
    assert_snapshot!(traffic_refused(&format!("{STEADY}repeat = 2\nmessages = 3")), @r#"
    error: traffic.repeat: the pattern "steady" does not take this key
     --> run.toml:8:10
      |
    8 | repeat = 2
      |          ^
      |
      = help: it belongs to the patterns "random", "pair", "pairs", "hot-spot", "transpose", "bit-reversal", "cyclic-shift"

    error: traffic.messages: the pattern "steady" does not take this key
     --> run.toml:9:12
      |
    9 | messages = 3
      |            ^
      |
      = help: it belongs to the patterns "random", "hot-spot", "transpose", "bit-reversal", "cyclic-shift"
    "#);
    assert_snapshot!(traffic_refused("pattern = 'random'\nload = 0.5\nwarmup_cycles = 1"), @r#"
    error: traffic.load: the pattern "random" does not take this key
     --> run.toml:6:8
      |
    6 | load = 0.5
      |        ^^^
      |
      = help: it belongs to the pattern "steady"

    error: traffic.warmup_cycles: the pattern "random" does not take this key
     --> run.toml:7:17
      |
    7 | warmup_cycles = 1
      |                 ^
      |
      = help: it belongs to the pattern "steady"
    "#);
}

#[test]
fn values_out_of_range() {
    for load in ["0", "1.000001", "0.0000001", "'much'", "-0.5"] {
        let found = traffic_refused(&format!("pattern = 'steady'\ncycles = 10\nload = {load}"));
        assert!(
            found.contains("expected a number above 0, at most 1, with up to 6 decimals")
                && found.matches("error: ").count() == 1,
            "{found}"
        );
    }
    assert_snapshot!(traffic_refused("pattern = 'steady'\nload = 0.5\ncycles = 1_000_000_001\nwarmup_cycles = 0"), @"
    error: traffic.cycles: found 1000000001; expected an integer from 1 to 1000000000
     --> run.toml:7:10
      |
    7 | cycles = 1_000_000_001
      |          ^^^^^^^^^^^^^
      |
      = help: such as cycles = 1000000000
    ");
    assert_snapshot!(traffic_refused("pattern = 'steady'\nload = 0.5\ncycles = 1000\nwarmup_cycles = 1000"), @"
    error: traffic.warmup_cycles: found 1000; expected an integer from 0 to 999
     --> run.toml:8:17
      |
    8 | warmup_cycles = 1000
      |                 ^^^^
      |
      = help: such as warmup_cycles = 999
    ");
    // A wrong load or length says nothing of the number of messages.
    for lines in [
        "load = 2\ncycles = 1_000_000_000",
        "words = 0\nload = 1\ncycles = 1_000_000_000",
    ] {
        let found = traffic_refused(&format!("pattern = 'steady'\n{lines}"));
        assert!(!found.contains("to be expected"), "{found}");
    }
    assert_snapshot!(traffic_refused("pattern = 'steady'\nload = 0.5\ncycles = 1_000_000"), @"
    error: traffic.cycles: 1000000 cycles, in which 32000000 messages are to be expected; a run has at most 16777216
     --> run.toml:7:10
      |
    7 | cycles = 1_000_000
      |          ^^^^^^^^^
      |
      = help: expected 1 to 524288 at this load
    ");
}

#[test]
fn a_run_is_not_given_up_while_messages_are_offered() {
    let with = |lines: &str| format!("{BASE}{STEADY}{lines}");
    assert!(parse(&with("[run]\ncycles_max = 1000"), &[]).is_ok());
    assert_snapshot!(refused(&with("[run]\ncycles_max = 999"), &[]), @"
    error: run.cycles_max: found 999, but messages are offered in 1000 cycles
     --> run.toml:9:14
      |
    9 | cycles_max = 999
      |              ^^^
      |
      = help: leave it out, or such as cycles_max = 10000
    ");
    let long = "pattern = 'steady'\nload = 0.001\ncycles = 20_000_000";
    assert!(parse(&format!("{BASE}{long}"), &[]).is_ok());
}

#[test]
fn destinations_of_steady_traffic() {
    let json = |lines: &str| serde_json::to_string(&steady(lines)).unwrap();
    assert_snapshot!(json("destinations = 'hot-spot'"), @r#"{"pattern":"steady","words":1,"load":0.125,"cycles":1000,"destinations":"hot-spot","destination":0,"hot_share":0.1}"#);
    assert_snapshot!(json("destinations = 'hot-spot'\ndestination = 7\nhot_share = 1"), @r#"{"pattern":"steady","words":1,"load":0.125,"cycles":1000,"destinations":"hot-spot","destination":7,"hot_share":1.0}"#);
    for name in Permutation::PLAIN.map(Permutation::name) {
        let found = steady(&format!("destinations = '{name}'"));
        assert_eq!(found.destinations.name(), name);
    }
    assert_snapshot!(traffic_refused(&format!("{STEADY}destinations = 'all'")), @r#"
    error: traffic.destinations: found "all"; expected one of "others", "local", "hot-spot", "transpose", "bit-reversal", "bit-complement", "shuffle", "tornado", "neighbour", "matrix"
     --> run.toml:8:16
      |
    8 | destinations = 'all'
      |                ^^^^^
      |
      = help: such as destinations = "others"
    "#);
    assert_snapshot!(traffic_refused(&format!("{STEADY}destination = 3\nhot_share = 0.5\nmatrix = 'm.csv'")), @r#"
    error: traffic.destination: destinations have no hot spot
     --> run.toml:8:15
      |
    8 | destination = 3
      |               ^
      |
      = help: remove it, or set destinations = "hot-spot"

    error: traffic.hot_share: destinations have no hot spot
     --> run.toml:9:13
      |
    9 | hot_share = 0.5
      |             ^^^
      |
      = help: remove it, or set destinations = "hot-spot"

    error: traffic.matrix: destinations do not depend on a matrix
      --> run.toml:10:10
       |
    10 | matrix = 'm.csv'
       |          ^^^^^^^
       |
       = help: remove it, or set destinations = "matrix"
    "#);
    assert_snapshot!(traffic_refused(&format!("{STEADY}destinations = 'hot-spot'\ndestination = 64\nhot_share = 0")), @"
    error: traffic.destination: node 64 of 64; expected 0 to 63
     --> run.toml:9:15
      |
    9 | destination = 64
      |               ^^
      |
      = help: name a node of the network

    error: traffic.hot_share: found 0; expected a number above 0, at most 1, with up to 6 decimals
      --> run.toml:10:13
       |
    10 | hot_share = 0
       |             ^
       |
       = help: such as hot_share = 0.5
    ");
    assert_snapshot!(traffic_refused(&format!("{STEADY}destinations = 'matrix'")), @r#"
    error: traffic.matrix: missing; destinations by a matrix need its file
     --> run.toml:8:16
      |
    8 | destinations = 'matrix'
      |                ^^^^^^^^
      |
      = help: such as matrix = "weights.csv"
    "#);
    assert_snapshot!(traffic_refused("pattern = 'random'\ndestinations = 'tornado'\nhot_share = 0.5"), @r#"
    error: traffic.destinations: found "tornado"; expected one of "others", "all", "local"
     --> run.toml:6:16
      |
    6 | destinations = 'tornado'
      |                ^^^^^^^^^
      |
      = help: such as destinations = "others"

    error: traffic.hot_share: the pattern "random" does not take this key
     --> run.toml:7:13
      |
    7 | hot_share = 0.5
      |             ^^^
      |
      = help: it belongs to the pattern "steady"
    "#);
}

/// A matrix is read with the configuration, from its folder; its mistakes are those of an input.
#[test]
fn a_matrix_is_read_from_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.csv");
    let text = format!("{BASE}{STEADY}destinations = 'matrix'\nmatrix = 'm.csv'");
    let parse = || Config::parse(&text, "run.toml", folder.path(), &[]);
    let missing = parse().unwrap_err();
    assert_eq!(missing.class, Class::Io, "{missing}");
    std::fs::write(&file, "source,destination,weight\n0,64,1\n1,2\n").unwrap();
    let wrong = parse().unwrap_err();
    assert_eq!(wrong.class, Class::Input);
    let said = wrong
        .to_string()
        .replace(&folder.path().display().to_string(), "FOLDER");
    assert_snapshot!(said, @"
    error: traffic.matrix: FOLDER/m.csv: line 2: destination: found `64`, expected a node, 0 to 63
     --> run.toml:9:10
      |
    9 | matrix = 'm.csv'
      |          ^^^^^^^
      |
      = help: name nodes of the network, or make it larger

    error: traffic.matrix: FOLDER/m.csv: line 3: found 2 fields, expected 3: source,destination,weight
     --> run.toml:9:10
      |
    9 | matrix = 'm.csv'
      |          ^^^^^^^
    ");
    std::fs::write(&file, "source,destination,weight\n0,63,1\n").unwrap();
    let config = parse().unwrap();
    assert_eq!(config.matrix_file(), Some(file.as_path()));
    let written = Config::parse(&config.to_toml(), "run.toml", folder.path(), &[]);
    assert_eq!(written, Ok(config));
}

#[test]
fn lengths_and_bursts() {
    let found = steady("lengths = [1, 5]\nburst_messages = 4");
    assert_eq!(found.words, Lengths::drawn(vec![1, 5], None));
    assert_eq!(found.burst_messages, 4);
    let json = serde_json::to_string(&steady("lengths = [1, 5]\nlength_weights = [3, 1]")).unwrap();
    assert_snapshot!(json, @r#"{"pattern":"steady","lengths":[1,5],"length_weights":[3,1],"load":0.125,"cycles":1000}"#);
}

#[test]
fn lengths_and_bursts_have_mistakes() {
    assert_snapshot!(traffic_refused(&format!("{STEADY}words = 2\nlengths = [1, 0]\nburst_messages = 0")), @r#"
    error: traffic.lengths: given beside words; expected one of the two
     --> run.toml:9:11
      |
    9 | lengths = [1, 0]
      |           ^^^^^^
      |
      = help: words is the length of all messages; remove one of them, as with --unset traffic.words

    error: traffic.lengths[1]: found 0; expected an integer from 1 to 1048576
     --> run.toml:9:15
      |
    9 | lengths = [1, 0]
      |               ^
      |
      = help: such as lengths = [1, 5]

    error: traffic.burst_messages: found 0; expected an integer from 1 to 1000000
      --> run.toml:10:18
       |
    10 | burst_messages = 0
       |                  ^
       |
       = help: such as burst_messages = 1
    "#);
    assert_snapshot!(traffic_refused(&format!("{STEADY}lengths = []\nlength_weights = 3")), @r#"
    error: traffic.lengths: found a list of 0; expected 1 to 64 lengths
     --> run.toml:8:11
      |
    8 | lengths = []
      |           ^^
      |
      = help: such as lengths = [1, 5]

    error: traffic.length_weights: found 3; expected a list of weights, one for each length
     --> run.toml:9:18
      |
    9 | length_weights = 3
      |                  ^
      |
      = help: such as length_weights = [3, 1]
    "#);
    assert_snapshot!(traffic_refused(&format!("{STEADY}lengths = [1, 2]\nlength_weights = [0, 0]")), @r#"
    error: traffic.length_weights: all weights are 0
     --> run.toml:9:18
      |
    9 | length_weights = [0, 0]
      |                  ^^^^^^
      |
      = help: give some length a weight
    "#);
    assert_snapshot!(traffic_refused(&format!("{STEADY}lengths = [1, 2]\nlength_weights = [1]")), @r#"
    error: traffic.length_weights: found a list of 1; expected 2 weights
     --> run.toml:9:18
      |
    9 | length_weights = [1]
      |                  ^^^
      |
      = help: give a weight for each length, or leave them out
    "#);
    assert_snapshot!(traffic_refused(&format!("{STEADY}lengths = [1, 2]\nlength_weights = []")), @r#"
    error: traffic.length_weights: found a list of 0; expected 2 weights
     --> run.toml:9:18
      |
    9 | length_weights = []
      |                  ^^
      |
      = help: give a weight for each length, or leave them out
    "#);
    assert_snapshot!(traffic_refused(&format!("{STEADY}length_weights = [1]")), @r#"
    error: traffic.length_weights: weights of lengths, and no lengths are given
     --> run.toml:8:18
      |
    8 | length_weights = [1]
      |                  ^^^
      |
      = help: add lengths, such as lengths = [1, 5], or remove the weights
    "#);
    assert_snapshot!(traffic_refused("pattern = 'random'\nlengths = [1]"), @r#"
    error: traffic.lengths: the pattern "random" does not take this key
     --> run.toml:6:11
      |
    6 | lengths = [1]
      |           ^^^
      |
      = help: it belongs to the pattern "steady"
    "#);
}
