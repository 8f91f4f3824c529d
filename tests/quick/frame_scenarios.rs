//! Behaviour of packets in fat stacks and pyramids, shown on small ones.
//!
//! As in `tests/quick/bidelta_scenarios.rs`. One command makes the waveforms and drawings again:
//!
//! ```text
//! CROSSWAVE_BLESS=1 INSTA_UPDATE=always cargo test --test suite quick::frame_scenarios::
//! ```

use crosswave_run::host::End;

use crate::support::scenario::Scenario;

/// A packet whose output is held waits in the buffer of its input; when that is full its sender has no
/// credit, and goes on behind the final flit of the other packet.
#[test]
fn of_two_packets_for_one_ring_link_one_waits_without_credits() {
    let rows = [
        "**.node_0.net_out_*",
        "**.node_1.net_out_*",
        "**.node_1.tx_credits",
        "**.switch_1_0.d1_state",
        "**.switch_1_0.d1_fill",
        "**.switch_1_0.r0_owner",
        "**.switch_1_0.r0_out_*",
        "**.node_?.rx_valid",
    ];
    let run = Scenario::run("stack-wait", &rows, 0..30);
    insta::assert_snapshot!("stack-wait", run.drawing);
    assert_eq!(run.outcome.end, End::Finished);
    let waits: Vec<u64> = (1..40)
        .filter(|&cycle| run.state("switch_1_0.d1_state", cycle) == "WANTING")
        .collect();
    let (first, last) = (waits[0], waits[waits.len() - 1]);
    // A message of six words is on the ring link with the port of the next switch and its number.
    assert_eq!(waits, (first..=last).collect::<Vec<u64>>());
    assert_eq!(last + 1 - first, 1 + 3 + 6 + 1);
    assert_eq!(run.at("switch_1_0.d1_fill", last), 4);
    assert_eq!(run.at("node_1.tx_credits", last), 0);
    let sent = (1..30).filter(|&cycle| run.at("switch_1_0.r0_out_last", cycle) == 1);
    assert_eq!(sent.count(), 2);
    let arrived = |node: u32| {
        let shown = |&cycle: &u64| run.at(&format!("node_{node}.rx_valid"), cycle) == 1;
        (1..32).find(shown).expect("it comes")
    };
    assert_eq!(arrived(4), 2 + 3 * 2 + 3 + 6);
    assert!(arrived(5) > arrived(4));
}

/// Neighbours of different quadrants of the frame are joined by a mesh, far below the root.
#[test]
fn a_pyramid_joins_neighbours_across_the_middle() {
    let rows = [
        "**.node_5.net_out_*",
        "**.switch_1_1.*_out_valid",
        "**.switch_1_4.*_out_valid",
        "**.node_16.net_in_*",
        "**.node_16.rx_valid",
    ];
    let run = Scenario::run("stack-ways", &rows, 0..20);
    insta::assert_snapshot!("stack-ways", run.drawing);
    assert_eq!(run.outcome.end, End::Finished);
    let came = &run.outcome.messages[0];
    assert_eq!(came.delivered_cycle - came.sent_cycle, 3 * 2 + 3 + 4);
}
