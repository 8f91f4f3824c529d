//! Packet-switched networks, binary fat trees and m-port n-trees, the same in every engine and in
//! other simulators: every port of every chip in every cycle.
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

/// The same with queues of so many packets.
fn with_queues(text: &str, packets: u32, duplex: &str) -> String {
    format!("{text}[router]\nqueue_packets={packets}\nduplex='{duplex}'\n")
}

/// An m-port n-tree with queues of so many packets.
fn mport(ports: u32, levels: u32, packets: u32, traffic: &str) -> String {
    format!(
        "[network]\nkind='m-port-n-tree-packets'\nports={ports}\nlevels={levels}\n\
         [router]\nqueue_packets={packets}\n[traffic]\n{traffic}\n[run]\nseed=3\ncycles_max=300\n"
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

/// Queues that lose packets and queues that do not, both directions at once and by turns.
#[test]
fn queues_are_the_same_in_every_engine() {
    let (mut lost, mut delivered, mut waited) = (0, 0, 0);
    let mut compare = |text: &str, with_reference| {
        let (outcome, _) = in_every_engine(text, with_reference);
        lost += outcome.rejections.total();
        delivered += outcome.messages.iter().filter(|m| m.came_through()).count();
        let rows = outcome.longest_queues.iter();
        waited += rows.flat_map(|row| &row.longest).sum::<u64>();
        assert_eq!(outcome.rejections.of("wrong_node"), [0]);
    };
    for (at, nodes) in SIZES.into_iter().enumerate() {
        for (packets, duplex) in [(1, "full"), (3, "half"), (8, "full"), (8, "half")] {
            let plain = text(nodes, &listed(nodes), TRAFFICS[at % 3]);
            compare(&with_queues(&plain, packets, duplex), nodes <= 8);
        }
    }
    compare(
        &with_queues(&text(256, "'constant'", TRAFFICS[0]), 5, "full"),
        false,
    );
    for (ports, levels) in [(2, 2), (4, 1), (4, 3), (6, 2), (8, 2)] {
        for packets in [0, 2, 8] {
            let text = mport(ports, levels, packets, TRAFFICS[packets as usize / 4]);
            compare(&text, ports * levels <= 8);
        }
    }
    assert!(
        lost > 100 && delivered > 1000 && waited > 100,
        "{lost} {delivered} {waited}"
    );
}

#[test]
fn icarus_records_the_same_of_queues() {
    for (nodes, packets, duplex) in [(4, 1, "half"), (8, 3, "full"), (16, 8, "half")] {
        let plain = text(nodes, &listed(nodes), TRAFFICS[0]);
        against_peer(Peer::Icarus, &[with_queues(&plain, packets, duplex)]);
    }
    for (ports, levels, packets) in [(4, 2, 3), (8, 1, 8)] {
        against_peer(Peer::Icarus, &[mport(ports, levels, packets, TRAFFICS[0])]);
    }
}

#[test]
fn verilator_records_the_same_of_queues_and_has_nothing_to_say() {
    let tree = with_queues(&text(4, "'exponential'", TRAFFICS[0]), 4, "half");
    let texts = [
        ("binary_fat_tree", tree),
        ("mport_tree", mport(4, 1, 8, TRAFFICS[0])),
    ];
    for (network, text) in texts {
        against_peer(Peer::Verilator, std::slice::from_ref(&text));
        says_nothing(&text, network);
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
        if nodes == 8 {
            says_nothing(&text, "binary_fat_tree");
        }
    }
}

/// Verilator has nothing to say of what is exported.
fn says_nothing(text: &str, network: &str) {
    let place = tempfile::tempdir().expect("a temporary folder");
    let config = support::config(text);
    export::write(&config, "lockstep", place.path()).unwrap_or_else(|e| panic!("{e}"));
    for top in [network, "testbench"] {
        assert_eq!(support::lint_verilator(place.path(), top), "", "{top}");
    }
}
