//! Behaviour of messages in Transit's fat trees, shown on a unit tree.
//!
//! As in `tests/quick/bidelta_scenarios.rs`. One command makes the waveforms and drawings again:
//!
//! ```text
//! CROSSWAVE_BLESS=1 INSTA_UPDATE=always cargo test --test suite quick::transit_scenarios::
//! ```

use crosswave_chips::rn1_protocol::RN1_DATA;
use crosswave_chips::routing::transit::{Climb, Stage};

use crate::support::scenario::{Scenario, config};

/// Runs a scenario and compares its drawing.
fn shown(name: &str, rows: &[&str], window: std::ops::Range<u64>) -> Scenario {
    let run = Scenario::run(name, rows, window);
    insta::assert_snapshot!(name, run.drawing);
    assert!(run.outcome.connections.iter().all(|c| !c.wrong), "{name}");
    run
}

/// The cycles in which some input of a router comes into a state.
fn entered(run: &Scenario, router: &str, state: &str) -> Vec<u64> {
    let mut cycles = Vec::new();
    for input in 0..8 {
        let states = run.states(&format!("{router}.i{input}_state"));
        let comes = |pair: &[String]| pair[0] != state && pair[1] == state;
        let found = (1..).zip(states.windows(2)).filter(|(_, pair)| comes(pair));
        cycles.extend(found.map(|(cycle, _)| cycle));
    }
    cycles.sort_unstable();
    cycles
}

/// Up, across to level 3 and down: a router a clock, and one more where a byte is swallowed.
/// Every router finds the bits of its direction on top of the byte that opens it.
#[test]
fn a_connection_crosses_at_level_three() {
    let run = shown(
        "transit-level-3",
        &[
            "**.node_0.tx_state",
            "**.node_0.t0_*",
            "**.up_0_0_0.i0_state",
            "**.down_0_3_0_1.i0_state",
            "**.down_0_2_0_11.i3_state",
            "**.down_0_1_0_14.i7_state",
            "**.node_63.r0_state",
        ],
        0..22,
    );
    let message = run.message(0);
    let network = config("transit-level-3", &["network.link_delay_cycles=0"]).topology();
    let way = network.route(message.source, message.destination);
    assert_eq!((way.stages, way.swallows), (4, 0b10));
    let routers = ["up_0_0_0", "down_0_3_0_1", "down_0_2_0_11", "down_0_1_0_14"];
    let mut expected = message.sent_cycle + 1;
    for (stage, router) in routers.into_iter().enumerate() {
        expected += u64::from(way.swallows >> stage & 1);
        assert_eq!(entered(&run, router, "FORWARD")[0], expected, "{router}");
        let input = (0..8)
            .find(|input| run.state(&format!("{router}.i{input}_state"), expected) == "FORWARD");
        let input = input.expect("it is one of them");
        let byte = run.at(&format!("{router}.i{input}_forward"), expected - 1);
        let output = run.at(&format!("{router}.i{input}_output"), expected);
        assert_eq!(byte & RN1_DATA, RN1_DATA);
        assert_eq!(byte >> 6 & 3, output / 2, "{router}");
        expected += 1;
    }
    assert_eq!(
        Stage::Down(0, 1).turned(0, Climb::Directions),
        2,
        "the last router's byte is turned twice"
    );
    let arrival = network
        .timing()
        .arrival(0, 63, message.words)
        .expect("no long wires");
    assert_eq!(
        message.delivered_cycle,
        message.sent_cycle + arrival.delivered
    );
}

/// While its only router up is off a processor waits; a connection that was open goes on.
#[test]
fn a_processor_waits_for_its_router() {
    let run = shown(
        "transit-service",
        &[
            "**.node_0.tx_state",
            "**.node_0.tx_enable",
            "**.up_0_0_0.in_enable",
            "**.up_0_0_0.i0_state",
            "**.up_0_0_0.i1_state",
        ],
        0..72,
    );
    let [first, second] = [run.message(0), run.message(1)];
    assert!(first.sent_cycle < 10 && first.delivered_cycle > 10);
    assert_eq!(run.at("up_0_0_0.in_enable", 9), 0xff);
    for cycle in [10, 59] {
        assert_eq!(run.at("up_0_0_0.in_enable", cycle), 0);
        assert_eq!(run.at("node_0.tx_enable", cycle), 0);
    }
    assert_eq!(run.at("up_0_0_0.in_enable", 60), 0xff);
    assert_eq!(second.offered_cycle, first.acknowledged_cycle + 1);
    // The clock edge out of cycle 60 is the first that launches.
    assert_eq!((second.sent_cycle, second.attempts), (61, 1));
}

/// A wire that is cut answers nothing: the sender hears of one router, and tries again.
#[test]
fn a_cut_wire_is_one_router_and_silence() {
    let run = shown(
        "transit-cut",
        &[
            "**.node_0.tx_state",
            "**.node_0.t?_backward",
            "**.up_0_0_0.i?_output",
            "**.down_0_3_0_1.i?_state",
        ],
        0..40,
    );
    let message = run.message(0);
    assert_eq!(message.attempts, 3);
    assert_eq!(run.outcome.rejections.of("by_stage"), [0, 2, 0, 0]);
    // Each attempt opens the router, and only the last one the next one.
    assert_eq!(entered(&run, "up_0_0_0", "FORWARD").len(), 3);
    assert_eq!(entered(&run, "down_0_3_0_1", "FORWARD").len(), 1);
}
