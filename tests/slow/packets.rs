//! Packet-switched binary fat trees, the same in every engine and in other simulators: every port
//! of every chip in every cycle.
//!
//! Needs Icarus Verilog and Verilator.

use crosswave_observe::export;

use crate::support;
use crate::support::lockstep::{Peer, against_peer, in_every_engine};

fn text(nodes: u32, capacities: &str, traffic: &str) -> String {
    format!(
        "[network]\nkind='binary-fat-tree'\nnodes={nodes}\ncapacities={capacities}\n\
         [traffic]\n{traffic}\n[run]\nseed=3\ncycles_max=300\n"
    )
}

const SIZES: [u32; 6] = [2, 4, 8, 16, 32, 64];

/// Traffic in which packets are lost, and some in which none is.
const TRAFFICS: [&str; 3] = [
    "pattern='random'\nrepeat=4\nwords=3",
    "pattern='cyclic-shift'\nshift=1\nwords=5",
    "pattern='steady'\nload=0.3\nwords=2\ncycles=60",
];

/// Capacities of so many levels that neither stay the same nor double.
fn listed(nodes: u32) -> String {
    let all = [1, 2, 3, 3, 5, 9, 11, 11, 12, 20];
    format!("{:?}", &all[..nodes.ilog2() as usize])
}

#[test]
fn every_engine_is_the_same() {
    let (mut lost, mut delivered) = (0, 0);
    for nodes in SIZES {
        for capacities in ["'exponential'", "'constant'", &listed(nodes)] {
            for traffic in TRAFFICS {
                let (outcome, _) = in_every_engine(&text(nodes, capacities, traffic), nodes <= 16);
                lost += outcome.rejections.total();
                let came = outcome.messages.iter().filter(|m| m.came_through());
                delivered += came.count();
                assert_eq!(outcome.rejections.of("wrong_node"), [0]);
            }
        }
    }
    assert!(lost > 100 && delivered > 1000, "{lost} {delivered}");
    // Whole words of lanes, of which some have open ports.
    for (nodes, capacities) in [
        (1024, "'exponential'"),
        (512, "'constant'"),
        (512, &listed(512)),
    ] {
        in_every_engine(&text(nodes, capacities, TRAFFICS[0]), false);
    }
}

#[test]
fn icarus_records_the_same() {
    for nodes in SIZES {
        let capacities = [&listed(nodes), "'constant'"][nodes.ilog2() as usize % 2].to_owned();
        against_peer(Peer::Icarus, &[text(nodes, &capacities, TRAFFICS[0])]);
        let ebft = text(nodes, "'exponential'", TRAFFICS[2]);
        against_peer(Peer::Icarus, &[ebft]);
    }
}

#[test]
fn verilator_records_the_same_and_has_nothing_to_say() {
    for nodes in SIZES {
        let text = text(nodes, "'exponential'", TRAFFICS[0]);
        against_peer(Peer::Verilator, std::slice::from_ref(&text));
        if nodes != 8 {
            continue;
        }
        let place = tempfile::tempdir().expect("a temporary folder");
        let config = support::config(&text);
        export::write(&config, "lockstep", place.path()).unwrap_or_else(|e| panic!("{e}"));
        for top in ["binary_fat_tree", "testbench"] {
            assert_eq!(support::lint_verilator(place.path(), top), "", "{top}");
        }
    }
}
