//! Any number of threads, more than there are processors and more than there are groups of
//! chips: the same as one, on every kind of network and in both engines.
//!
//! Arrays are cut by weight, so the last threads own groups in small networks as well: of
//! two groups the second is that of the last thread but a few. Small networks are compared
//! in every port of every chip and every cycle, larger ones, in which each of many threads
//! owns groups, in what becomes of every message.

use crosswave_gate::Backend;
use crosswave_network::fat_tree::ROUTERS;
use crosswave_network::shuffle::{rewired, shuffled};
use crosswave_run::config::Config;
use crosswave_run::host::Outcome;
use crosswave_run::simulation::Simulation;

use crate::support;
use crate::support::Case;
use crate::support::lockstep::same;

const THREADS: [usize; 8] = [1, 2, 3, 7, 16, 33, 64, 256];

/// Compares every port in every cycle, also of what an engine leaves to the interpreter.
fn every_port(case: &Case, what: &str) {
    let expected = case.record(&mut case.event(1));
    let compare = |found, engine: &str, threads| {
        same(
            &expected,
            &found,
            &format!("{what}: {engine}, {threads} threads"),
        );
    };
    for threads in THREADS {
        compare(case.record(&mut case.event(threads)), "event", threads);
        let gate = case.record(&mut case.gate(threads, Backend::best()));
        compare(gate, "gate", threads);
    }
    let interpreted = case.record(&mut case.gate(64, Backend::Interpreter));
    compare(interpreted, "interpreter", 64);
}

/// Compares what becomes of every message.
fn outcomes(case: &Case, what: &str) {
    let expected = case.run_on(&mut case.event(1), &mut ());
    let sent = |outcome: &Outcome| {
        let messages = outcome.messages.iter();
        messages.filter(|message| message.attempts > 0).count()
    };
    assert!(sent(&expected) > 100, "{what}: there is something to do");
    for threads in THREADS {
        let event = case.run_on(&mut case.event(threads), &mut ());
        assert!(event == expected, "{what}: event, {threads} threads");
        let gate = case.run_on(&mut case.gate(threads, Backend::best()), &mut ());
        assert!(gate == expected, "{what}: gate, {threads} threads");
    }
}

fn fat_tree(nodes: u32, rest: &str, cycles_max: u64) -> Case {
    Case::new(&format!(
        "[network]\nkind='fat-tree'\nnodes={nodes}\n{rest}\n\
         [traffic]\npattern='random'\nwords=3\n[run]\nseed=5\ncycles_max={cycles_max}\n"
    ))
}

fn bidelta(nodes: u32, delay: &str, cycles_max: u64) -> Case {
    Case::new(&format!(
        "[network]\nkind='bidelta'\nnodes={nodes}\nlink_delay_cycles={delay}\n\
         [traffic]\npattern='random'\nwords=3\n[run]\nseed=5\ncycles_max={cycles_max}\n"
    ))
}

#[test]
fn every_port_of_fat_trees() {
    every_port(&fat_tree(64, "", 40), "full");
    every_port(&fat_tree(64, "link_delay_cycles=2", 40), "long wires");
    every_port(&fat_tree(128, "capacities=4", 40), "lean");
}

/// Links that are gathered lane by lane from the memory of all threads.
#[test]
fn every_port_of_fat_trees_without_order() {
    let mut case = fat_tree(64, "", 40);
    case.fabric = shuffled(&rewired(&case.fabric), ROUTERS);
    every_port(&case, "without order");
}

#[test]
fn every_port_of_bidelta_networks() {
    every_port(&bidelta(64, "'geometry'", 50), "geometry");
    every_port(&bidelta(64, "3", 50), "long wires");
}

/// Every one of 64 threads owns routers, and there is work for as many threads of the
/// event engine.
#[test]
fn messages_of_large_fat_trees() {
    outcomes(&fat_tree(8192, "", 40), "full");
}

#[test]
fn messages_of_large_bidelta_networks() {
    outcomes(&bidelta(4096, "'geometry'", 50), "geometry");
}

/// Copies of a network on the threads of one engine.
#[test]
fn replicates_that_share_an_engine() {
    for network in [
        "kind='fat-tree'\nnodes=64",
        "kind='bidelta'\nnodes=64",
        "kind='butterfly'\nnodes=64",
        "kind='binary-fat-tree'\nnodes=64",
    ] {
        let outcomes = |threads: usize| {
            let text = format!(
                "[network]\n{network}\n[traffic]\npattern='random'\nwords=3\n\
                 [run]\nreplicates=4\nthreads={threads}\n"
            );
            let config: Config = support::config(&text);
            Simulation::new(&config)
                .expect("a legal configuration")
                .run_all()
                .unwrap_or_else(|e| panic!("{e}"))
        };
        let expected = outcomes(1);
        assert_eq!(expected.len(), 4);
        for threads in THREADS {
            assert!(
                outcomes(threads) == expected,
                "{network}: {threads} threads"
            );
        }
    }
}
