use super::{BASE, parse, refused, traffic_refused};
use crosswave_base::decimal::Decimal;
use crosswave_network::traffic::{Destinations, SteadyConfig, TrafficConfig};
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
        words: 1,
        cycles: 1000,
        warmup_cycles: None,
        destinations: Destinations::Others,
    };
    assert_eq!(steady(""), expected);
    let found = steady("words = 8\nwarmup_cycles = 0");
    assert_eq!((found.words, found.warmup_cycles), (8, Some(0)));
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
