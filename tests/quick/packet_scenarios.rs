//! Behaviour of packets in binary fat trees, shown on small ones.
//!
//! As in `tests/quick/bidelta_scenarios.rs`. One command makes the waveforms and drawings again:
//!
//! ```text
//! CROSSWAVE_BLESS=1 INSTA_UPDATE=always cargo test --test suite quick::packet_scenarios::
//! ```

use crosswave_run::host::{End, Loss};

use crate::support::scenario::Scenario;

/// The cycles in which a signal of one bit is 1.
fn raised(run: &Scenario, signal: &str, cycles: std::ops::Range<u64>) -> Vec<u64> {
    cycles.filter(|&cycle| run.at(signal, cycle) != 0).collect()
}

/// A packet goes up to the root and into the other half at every level on its way.
#[test]
fn a_packet_to_all_nodes_is_replicated_at_every_level() {
    let rows = [
        "**.node_5.tx_valid",
        "**.router_0_2.*_out_valid",
        "**.router_1_1.*_out_valid",
        "**.router_2_0.*_out_valid",
        "**.node_?.rx_valid",
    ];
    let run = Scenario::run("packet-broadcast", &rows, 0..10);
    insta::assert_snapshot!("packet-broadcast", run.drawing);
    assert_eq!(run.outcome.end, End::Finished);
    for node in (0..8u32).filter(|&node| node != 5) {
        let links = 2 * u64::from((node ^ 5).ilog2() + 1);
        let shown = raised(&run, &format!("node_{node}.rx_valid"), 1..9);
        assert_eq!(shown, [2 + links], "node {node}");
    }
    assert!(raised(&run, "node_5.rx_valid", 1..9).is_empty());
    assert_eq!(run.outcome.messages[0].delivered_cycle, 2 + 6);
}

/// Three packets want one link, and the one from up_0 passes; the host says where the others were
/// lost.
#[test]
fn of_three_packets_that_meet_one_passes() {
    let rows = [
        "**.router_0_0.right_in_valid",
        "**.router_0_0.up_?_in_valid",
        "**.router_0_0.left_out_*",
        "**.router_0_0.conflict*",
        "**.node_0.rx_valid",
        "**.node_0.rx_id",
    ];
    let run = Scenario::run("packet-conflict", &rows, 0..9);
    insta::assert_snapshot!("packet-conflict", run.drawing);
    for input in ["right", "up_0", "up_1"] {
        let signal = format!("router_0_0.{input}_in_valid");
        assert_eq!(raised(&run, &signal, 1..9), [4], "{input}");
    }
    assert_eq!(raised(&run, "router_0_0.left_out_valid", 1..9), [5]);
    assert_eq!(
        run.at("router_0_0.left_out_id", 5),
        0,
        "the packet of node 2"
    );
    assert_eq!(run.state("router_0_0.conflict", 5), "LEFT");
    assert_eq!(run.outcome.end, End::Lost);
    let loss = run.outcome.first_loss.expect("one");
    let first = Loss {
        cycle: 5,
        router: 0,
        outputs: 1,
    };
    assert_eq!(loss, first);
    let delivered = run.outcome.messages.iter().map(|m| m.came_through());
    assert_eq!(delivered.collect::<Vec<_>>(), [true, false, false]);
    assert_eq!(run.outcome.rejections.of("down_by_level"), [1, 0]);
}

/// Each node sends in the steps of equation 2, and receives all others' packets by step 12.
#[test]
fn phases_of_a_pipelined_exchange_follow_each_other_without_a_conflict() {
    let rows = [
        "**.node_0.link_out_valid",
        "**.node_0.link_out_phase",
        "**.node_0.link_in_valid",
        "**.node_0.link_in_phase",
        "**.router_2_?.left_out_valid",
    ];
    let run = Scenario::run("packet-exchange", &rows, 0..15);
    insta::assert_snapshot!("packet-exchange", run.drawing);
    assert_eq!(run.outcome.end, End::Finished);
    // On the last link in step 12, which is cycle 13, and shown in the next one.
    assert_eq!(run.outcome.last_cycle, 12 + 2);
    for node in 0..8 {
        let signal = |name: &str| format!("node_{node}.link_{name}");
        let sent = raised(&run, &signal("out_valid"), 1..15);
        let received = raised(&run, &signal("in_valid"), 1..15);
        assert_eq!((sent.len(), received.len()), (7, 7), "node {node}");
        let phases: Vec<u64> = sent
            .iter()
            .map(|&c| run.at(&signal("out_phase"), c))
            .collect();
        assert_eq!(phases, [3, 3, 3, 3, 2, 2, 1], "node {node}");
    }
}
