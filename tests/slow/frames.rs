//! Butterfly fat trees, fat stacks and fat pyramids, the same in every engine and in other simulators:
//! every port of every chip in every cycle.
//!
//! `CROSSWAVE_SOAK_CASES=2000 cargo test --release --test suite slow::frames::` compares more cases.
//! Needs Icarus Verilog and Verilator.

use crosswave_observe::export;
use crosswave_run::host::{End, Outcome};
use proptest::prelude::*;

use crate::support;
use crate::support::lockstep::{Peer, against_peer, in_every_engine, random_cases, soak_cases};

/// Networks of both switches, with rings of three and of four, processors alone and linked.
const NETWORKS: [&str; 14] = [
    "kind='butterfly-fat-tree'\nlevels=1",
    "kind='butterfly-fat-tree'\nlevels=2",
    "kind='butterfly-fat-tree'\nlevels=2\ncapacities='constant'",
    "kind='fat-stack'\nlevels=1\nprocessors='linked'",
    "kind='fat-stack'\nlevels=2\nrouting_seed=7",
    "kind='fat-stack'\nlevels=2\nring=3\nprocessors='linked'",
    "kind='fat-stack'\nlevels=2\nring_capacity='upward'",
    "kind='fat-stack'\nvariant='general'\nlevels=2\nprocessors='linked'",
    "kind='fat-stack'\nvariant='general'\nlevels=2\nring=3\nprocessors='linked'",
    "kind='fat-pyramid'\nlevels=1\nprocessors='linked'",
    "kind='fat-pyramid'\nlevels=2",
    "kind='fat-pyramid'\nlevels=2\nprocessors='linked'\ncapacities='constant'",
    "kind='fat-stack'\nlevels=2\nlink_delay_cycles=3",
    "kind='fat-pyramid'\nlevels=2\nlink_delay_cycles='geometry'\ncells_per_cycle=1",
];

fn text(network: &str, traffic: &str, seed: u64) -> String {
    format!("[network]\n{network}\n[traffic]\n{traffic}\n[run]\nseed={seed}\n")
}

/// Traffic that fills buffers, some of it with packets longer than those of a whole way.
const TRAFFICS: [&str; 4] = [
    "pattern='random'\nrepeat=5\nwords=3",
    "pattern='random'\nrepeat=2\nwords=40",
    "pattern='hot-spot'\ndestination=2\nwords=9",
    "pattern='steady'\nload=0.4\nwords=5\ncycles=120",
];

/// Every message came to its node, whole and at its first attempt.
fn assert_delivered(outcome: &Outcome, text: &str) {
    assert_eq!(outcome.end, End::Finished, "{text}");
    assert_eq!(outcome.rejections.total(), 0, "{text}");
    for message in &outcome.messages {
        assert!(message.came_through(), "{text}: {message:?}");
        assert_eq!(message.attempts, 1, "{text}");
    }
}

#[test]
fn every_packet_arrives_and_every_engine_is_the_same() {
    for (at, network) in NETWORKS.iter().enumerate() {
        for traffic in TRAFFICS {
            let text = text(network, traffic, at as u64);
            let (outcome, _) = in_every_engine(&text, true);
            assert_delivered(&outcome, &text);
        }
    }
    // Whole words of lanes, and several copies of switches.
    for network in [
        "kind='butterfly-fat-tree'\nlevels=4",
        "kind='fat-stack'\nlevels=4",
        "kind='fat-pyramid'\nlevels=4",
        "kind='fat-stack'\nvariant='general'\nlevels=3\nprocessors='linked'",
        "kind='fat-pyramid'\nlevels=3\nprocessors='linked'",
    ] {
        let text = text(network, TRAFFICS[0], 1);
        let (outcome, _) = in_every_engine(&text, false);
        assert_delivered(&outcome, &text);
    }
}

/// One network of each family, one of wide switches, one of rings of three and one of long wires, and one
/// under each traffic.
const PEERS: [usize; 6] = [1, 4, 5, 7, 10, 13];

#[test]
fn icarus_records_the_same() {
    for at in PEERS {
        let text = text(NETWORKS[at], TRAFFICS[at % 4], 5);
        against_peer(Peer::Icarus, &[text]);
    }
}

#[test]
fn verilator_records_the_same_and_has_nothing_to_say() {
    for at in [4, 10, 13] {
        let text = text(NETWORKS[at], TRAFFICS[0], 5);
        against_peer(Peer::Verilator, std::slice::from_ref(&text));
        let place = tempfile::tempdir().expect("a temporary folder");
        let config = support::config(&text);
        export::write(&config, "lockstep", place.path()).unwrap_or_else(|e| panic!("{e}"));
        for top in ["frame_network", "testbench"] {
            assert_eq!(support::lint_verilator(place.path(), top), "", "{top}");
        }
    }
}

fn any_configuration() -> impl Strategy<Value = String> {
    let networks = prop::sample::select(NETWORKS.to_vec());
    (networks, 0..3u32, 1u32..30, 1u32..5, 0u64..1 << 40).prop_map(
        |(network, pattern, words, repeat, seed)| {
            let pattern = match pattern {
                0 => format!("pattern='random'\nrepeat={repeat}"),
                1 => format!("pattern='cyclic-shift'\nshift=1\nrepeat={repeat}"),
                _ => "pattern='hot-spot'\ndestination=1".to_owned(),
            };
            text(network, &format!("{pattern}\nwords={words}"), seed)
        },
    )
}

#[test]
fn random_cases_are_the_same_in_every_engine() {
    random_cases(soak_cases().unwrap_or(12), any_configuration(), |text| {
        let (outcome, _) = in_every_engine(text, false);
        assert_delivered(&outcome, text);
    });
}
