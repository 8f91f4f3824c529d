//! m-port n-trees of circuit switches, the same in every engine and in other simulators: every port of
//! every chip in every cycle.
//!
//! `CROSSWAVE_SOAK_CASES=2000 cargo test --release --test suite slow::mport::` compares more cases. Needs
//! Icarus Verilog and Verilator.

use crosswave_observe::export;
use crosswave_run::host::{End, Outcome};
use proptest::prelude::*;

use crate::support;
use crate::support::lockstep::{Peer, against_peer, in_every_engine, random_cases, soak_cases};

fn text(ports: u32, levels: u32, routing: &str, rest: &str) -> String {
    format!(
        "[network]\nkind='m-port-n-tree'\nports={ports}\nlevels={levels}\nrouting='{routing}'\n{rest}"
    )
}

const ROUTINGS: [&str; 3] = ["d-mod-k", "mlid", "omrmn"];

const STRATEGIES: [&str; 8] = [
    "[retry]\nstrategy='immediate'\n",
    "[retry]\nstrategy='rounds'\n[router]\nwinner='fixed'\n",
    "[retry]\nstrategy='backoff'\nbackoff_limit=6\n",
    "[retry]\nstrategy='immediate'\n[router]\nrelease='early-acknowledge'\n",
    "[retry]\nstrategy='rounds'\n[router]\nrelease='early-acknowledge'\n",
    "[retry]\nstrategy='immediate'\n[router]\nrelease='tail'\n",
    "[retry]\nstrategy='rounds'\n[router]\nrelease='tail'\nwinner='fixed'\n",
    "[retry]\nstrategy='backoff'\nbackoff_limit=4\n[router]\nrelease='tail'\n",
];

/// Every message was delivered, and every attempt but the last of each collided. Unless the tail
/// frees outputs, it is known in which switch.
fn assert_delivered(outcome: &Outcome, text: &str) {
    assert_eq!(outcome.end, End::Finished, "{text}");
    let attempts = outcome.messages.iter().map(|message| message.attempts);
    let messages = outcome.messages.len() as u64;
    let failed = attempts.map(u64::from).sum::<u64>() - messages;
    assert_eq!(outcome.rejections.total(), failed, "{text}");
    assert_eq!(outcome.rejections.of("refused_by_receiver"), [0], "{text}");
    let unplaced = if text.contains("'tail'") { failed } else { 0 };
    assert_eq!(outcome.rejections.of("unplaced"), [unplaced], "{text}");
}

#[test]
fn every_strategy_delivers_and_is_the_same_in_every_engine() {
    let mut rows = [0; 3];
    for (ports, levels) in [
        (2, 1),
        (2, 3),
        (4, 1),
        (4, 2),
        (4, 3),
        (6, 2),
        (8, 2),
        (10, 2),
        (4, 5),
    ] {
        for (at, strategy) in STRATEGIES.iter().enumerate() {
            let words = [1, 7][at % 2];
            let rest = format!(
                "[traffic]\npattern='random'\nwords={words}\nrepeat=2\n{strategy}[run]\nseed={at}\n"
            );
            let text = text(ports, levels, ROUTINGS[at % 3], &rest);
            let (outcome, _) = in_every_engine(&text, ports * levels <= 12);
            assert_delivered(&outcome, &text);
            let of = ["turning_by_level", "upward_by_level", "downward_by_level"];
            for (row, name) in rows.iter_mut().zip(of) {
                *row += outcome.rejections.of(name).iter().sum::<u64>();
            }
        }
    }
    assert!(rows.iter().all(|&row| row > 20), "{rows:?}");
}

/// Switches of 16 and of 32 ports.
#[test]
fn large_switches_are_the_same_in_every_engine() {
    for (ports, levels) in [(16, 2), (32, 1), (32, 2)] {
        for release in ["acknowledge", "tail"] {
            let rest = format!(
                "[traffic]\npattern='random'\nwords=3\n[router]\nrelease='{release}'\n\
                 [run]\ncycles_max=60\n"
            );
            in_every_engine(&text(ports, levels, "d-mod-k", &rest), false);
        }
    }
}

const PEERS: [(u32, u32); 3] = [(4, 2), (4, 3), (8, 2)];

#[test]
fn icarus_records_the_same() {
    for (at, (ports, levels)) in PEERS.into_iter().enumerate() {
        let of = |at: usize| {
            let strategy = STRATEGIES[at % STRATEGIES.len()];
            let rest = format!(
                "[traffic]\npattern='random'\nwords=4\n{strategy}[run]\nseed=5\ncycles_max=250\n"
            );
            text(ports, levels, ROUTINGS[at % 3], &rest)
        };
        for text in [of(at), of(at + 1), of(at + 5)] {
            against_peer(Peer::Icarus, &[text]);
        }
    }
}

#[test]
fn verilator_records_the_same_and_has_nothing_to_say() {
    for (ports, levels) in PEERS {
        // One size stands for the others where the tail frees outputs: compiling takes longest.
        let release = if (ports, levels) == (4, 3) {
            "tail"
        } else {
            "acknowledge"
        };
        let rest = format!(
            "[traffic]\npattern='random'\nwords=4\n[router]\nrelease='{release}'\n\
             [run]\nseed=5\ncycles_max=250\n"
        );
        let text = text(ports, levels, "d-mod-k", &rest);
        against_peer(Peer::Verilator, std::slice::from_ref(&text));
        let place = tempfile::tempdir().expect("a temporary folder");
        let config = support::config(&text);
        export::write(&config, "lockstep", place.path()).unwrap_or_else(|e| panic!("{e}"));
        for top in ["mport_tree", "testbench"] {
            assert_eq!(support::lint_verilator(place.path(), top), "", "{top}");
        }
    }
}

fn any_configuration() -> impl Strategy<Value = String> {
    let trees = prop::sample::select(vec![(4u32, 1u32), (4, 2), (6, 2), (8, 2), (4, 3), (2, 2)]);
    let routings = prop::sample::select(ROUTINGS.to_vec());
    let strategies = prop::sample::select(STRATEGIES.to_vec());
    (
        trees,
        routings,
        strategies,
        0..3u32,
        1u32..20,
        0u64..1 << 40,
    )
        .prop_map(
            |((ports, levels), routing, strategy, pattern, words, seed)| {
                let pattern = match pattern {
                    0 => "'random'\nrepeat=3",
                    1 => "'cyclic-shift'\nshift=1",
                    _ => "'hot-spot'\ndestination=1",
                };
                let rest = format!(
                    "[traffic]\npattern={pattern}\nwords={words}\n{strategy}[run]\nseed={seed}\n"
                );
                text(ports, levels, routing, &rest)
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
