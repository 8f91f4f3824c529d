//! Release of the outputs of routers in full trees: the router that does it by the tail, and a
//! comparison of the three rules.
//!
//! `CROSSWAVE_SOAK_CASES=2000 cargo test --release --test suite quick::release::` compares more cases.
//! Needs Icarus Verilog.

use crosswave_chips::fat_tree_tail_router::{CHIP, FatTreeTailRouter};
use crosswave_probe::message::NEVER;
use crosswave_run::host::{End, Outcome};
use crosswave_run::replicate::Replicate;
use crosswave_run::simulation::Simulation;

use crate::support;
use crate::support::chips::outputs;
use crate::support::lockstep::{in_every_engine, soak_cases};
use crate::support::routers;

#[test]
fn the_netlist_and_the_model_are_the_same_in_every_cycle() {
    let output = |name: &str| outputs(&CHIP).position(|(_, port)| port.name == name);
    let [a_ack, c_ack] = ["a_in_ack", "c_in_ack"].map(output).map(Option::unwrap);
    let [a_state, c_state] = ["a_state", "c_state"].map(output).map(Option::unwrap);
    // Answers that come when the input is idle, or has a younger circuit.
    let (mut idle, mut younger) = (0, 0);
    let cases = soak_cases().map_or(128, u64::from);
    routers::model_is_netlist::<FatTreeTailRouter>(cases, |found, _| {
        for (ack, state) in [(a_ack, a_state), (c_ack, c_state)] {
            idle += u64::from(found[ack] == 1 && found[state] == 0);
            younger += u64::from(found[ack] == 1 && found[state] != 0);
        }
    });
    assert!(idle > 0 && younger > 0, "{idle} {younger}");
}

#[test]
fn the_verilog_and_the_model_are_the_same_in_every_cycle() {
    routers::model_is_verilog::<FatTreeTailRouter>(&[
        "fat_tree_tail_router",
        "fat_tree_tail_input",
        "fat_tree_tail_output",
        "fat_tree_grants",
        "fat_tree_arbiter",
        "fat_tree_crossbar",
    ]);
}

fn text(nodes: u32, words: u32, release: &str, rest: &str) -> String {
    format!(
        "[network]\nkind='fat-tree'\nnodes={nodes}\n[router]\nrelease='{release}'\n\
         [traffic]\npattern='random'\nwords={words}\n{rest}"
    )
}

fn finished(outcome: &Outcome, what: &str) {
    assert_eq!(outcome.end, End::Finished, "{what}");
    let attempts = outcome.messages.iter().map(|m| u64::from(m.attempts));
    let messages = outcome.messages.len() as u64;
    assert_eq!(attempts.sum::<u64>(), messages + outcome.rejections.total());
    assert!(outcome.messages.iter().all(|m| m.delivered_cycle != NEVER));
}

#[test]
fn every_engine_frees_outputs_by_the_tail() {
    for (nodes, words, rest) in [
        (2, 1, "repeat=9\n"),
        (4, 2, "repeat=5\n"),
        (16, 1, "repeat=5\n[retry]\nstrategy='rounds'\n"),
        (64, 1, "repeat=3\n"),
        (64, 9, "[retry]\nstrategy='backoff'\n"),
        (256, 4, "[run]\nseed=9\n"),
    ] {
        let text = text(nodes, words, "tail", rest);
        let (outcome, _) = in_every_engine(&text, nodes <= 16);
        finished(&outcome, &text);
        // Senders cannot tell where, only that.
        let collisions = &outcome.rejections;
        assert_eq!(collisions.of("unplaced"), [collisions.total()], "{text}");
    }
}

/// Mean last cycle of replicates.
fn cycles(nodes: u32, words: u32, release: &str) -> f64 {
    let replicates = 24;
    let config = support::config(&text(nodes, words, release, "[run]\nengine='event'\n"));
    let simulation = Simulation::new(&config).expect("a legal configuration");
    let mut sum = 0;
    for seed in 0..replicates {
        let replicate = Replicate::of_seed(&config, seed).unwrap_or_else(|e| panic!("{e}"));
        let outcome = simulation.run_one(&replicate, &mut ());
        let outcome = outcome.unwrap_or_else(|e| panic!("{e}"));
        finished(&outcome, release);
        sum += outcome.last_cycle;
    }
    sum as f64 / f64::from(replicates as u32)
}

/// With short messages an output that the tail frees is free much sooner, and random
/// traffic ends a third sooner; with long ones there is little between the two rules that
/// wait for the tail.
#[test]
fn short_messages_gain_by_the_tail() {
    let [held, early, tail] =
        ["acknowledge", "early-acknowledge", "tail"].map(|release| cycles(256, 1, release));
    assert!(early < held, "{early} {held}");
    assert!(tail < 0.8 * early, "{tail} {early}");
    let [early, tail] = ["early-acknowledge", "tail"].map(|release| cycles(256, 32, release));
    assert!((0.85..1.2).contains(&(tail / early)), "{tail} {early}");
}
