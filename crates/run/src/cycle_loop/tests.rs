//! Known cycles: what the host evaluates, and what it says of offers, of two nodes.

use super::*;
use crate::config::Config;
use crate::simulation::Simulation;
use crosswave_event::EventEngine;
use crosswave_network::traffic::{DeliverySets, Message, Offer, Replay, Workload};
use crosswave_probe::message::NEVER;

/// Two nodes at one router.
fn two_nodes(cycles_max: u64) -> Simulation {
    let text = format!(
        "[network]\nkind='fat-tree'\nnodes=2\n[traffic]\npattern='random'\n\
         [run]\ncycles_max={cycles_max}\n"
    );
    let config = Config::parse(&text, "test", std::path::Path::new("."), &[]);
    Simulation::new(&config.unwrap_or_else(|error| panic!("{error}"))).unwrap()
}

/// Runs one-word messages `(source, cycle of the offer)` between two nodes.
///
/// A message whose cycle is 0 waits for the one before it.
fn run(offers: &[(u32, u64)], cycles_max: u64) -> Outcome {
    let simulation = two_nodes(cycles_max);
    let message = |&(source, cycle): &(u32, u64)| Message {
        source,
        destination: 1 - source,
        words: 1,
        offered: match cycle {
            0 => Offer::AfterPrevious,
            cycle => Offer::At(cycle),
        },
    };
    let workload = Workload {
        nodes: 2,
        order: Replay::Timed,
        messages: offers.iter().map(message).collect(),
        sets: DeliverySets::default(),
    };
    let mut engine = EventEngine::new(simulation.fabric().clone(), 1, 1);
    simulation.run_on(&mut engine, &workload, &mut ())
}

/// Clocks from an offer to the acknowledgement, past one router: 1 to the wire, 2 for the
/// head, 2 for the word and the silence behind it, 2 for the answer.
const ALONE: u64 = 7;

#[test]
fn cycles_are_evaluated_until_the_network_rests() {
    let rest = two_nodes(1).fabric().rest_cycles;
    let outcome = run(&[(0, 1), (1, 10_000)], 20_000);
    assert_eq!(outcome.end, End::Finished);
    let ends: Vec<u64> = outcome
        .messages
        .iter()
        .map(|m| m.acknowledged_cycle)
        .collect();
    assert_eq!(ends, [1 + ALONE, 10_000 + ALONE]);
    // The first message is offered up to cycle 8; so many cycles later all rests, and the
    // edge out of that cycle is the last before the skip. The second takes 7 edges.
    assert_eq!(outcome.evaluated_cycles, (1 + ALONE + rest + 1) + ALONE);
    // An offer in the first quiet cycle, or the one after, leaves nothing to skip.
    let quiet = 1 + ALONE + rest + 1;
    for (offer, skipped) in [(quiet, 0), (quiet + 1, 0), (quiet + 2, 2), (quiet + 3, 3)] {
        let outcome = run(&[(0, 1), (1, offer)], 20_000);
        assert_eq!(outcome.last_cycle, offer + ALONE);
        assert_eq!(outcome.evaluated_cycles, offer + ALONE - skipped, "{offer}");
    }
}

#[test]
fn an_offer_in_the_last_cycle_is_one() {
    let outcome = run(&[(0, 1), (1, 50), (0, 51), (0, 2)], 50);
    assert_eq!((outcome.end, outcome.last_cycle), (End::OutOfCycles, 50));
    let offers: Vec<u64> = outcome.messages.iter().map(|m| m.offered_cycle).collect();
    // The last message waits behind one that is later, and was offered all the same.
    assert_eq!(offers, [1, 50, NEVER, 2]);
    assert_eq!(outcome.messages[1].attempts, 0);
}

/// A message that waits for another one is offered a cycle after the other's end, when there
/// is such a cycle.
#[test]
fn an_offer_after_the_last_cycle_is_none() {
    for (cycles_max, offered) in [(1 + ALONE, NEVER), (2 + ALONE, 2 + ALONE)] {
        let outcome = run(&[(0, 1), (0, 0)], cycles_max);
        assert_eq!(outcome.messages[0].acknowledged_cycle, 1 + ALONE);
        assert_eq!(outcome.messages[1].offered_cycle, offered);
    }
}
