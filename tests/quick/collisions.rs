//! Collisions counted at the routers are those that senders are told of.

use crosswave_network::fat_tree::collisions::Scenario;
use crosswave_network::topology::OutputHolder;
use crosswave_network::traffic::{DeliverySets, Message, Offer, Replay, Workload};
use crosswave_run::collisions::{CollisionObserver, Scenarios};
use crosswave_run::config::{Config, EngineKind};
use crosswave_run::host::{End, Outcome};
use crosswave_run::replicate::Replicate;
use crosswave_run::simulation::Simulation;

use crate::support;

/// Runs the replicates of a configuration, one by one or in copies.
fn observed(config: &Config, copies: bool) -> (Vec<Outcome>, Scenarios) {
    let simulation = Simulation::new(config).expect("a legal configuration");
    let fabric = simulation.fabric();
    let traced = simulation.network().collisions().expect("a fat tree");
    let count = config.run.replicates;
    let replicates: Vec<Replicate> = (0..count)
        .map(|index| Replicate::new(config, index).unwrap_or_else(|e| panic!("{e}")))
        .collect();
    if copies {
        let watched = fabric.replicated(replicates.len().next_power_of_two());
        let mut observer = CollisionObserver::new(traced, &watched);
        let outcomes = simulation.run(&replicates, &mut observer);
        let outcomes = outcomes.unwrap_or_else(|e| panic!("{e}"));
        return (outcomes, observer.found().clone());
    }
    let mut found = Scenarios::new(traced);
    let one = |replicate: &Replicate| {
        let mut observer = CollisionObserver::new(traced, fabric);
        let outcome = simulation.run_one(replicate, &mut observer);
        found.add(observer.found());
        outcome.unwrap_or_else(|e| panic!("{e}"))
    };
    (replicates.iter().map(one).collect(), found)
}

/// Level by level the same as what the interfaces' clocks say.
#[track_caller]
fn assert_same(outcomes: &[Outcome], found: &Scenarios, what: &str) {
    for level in 0..found.levels() {
        let sum = |row: &str| -> u64 {
            outcomes
                .iter()
                .map(|outcome| outcome.rejections.of(row)[level])
                .sum()
        };
        let (turning, downward) = (sum("turning_by_level"), sum("downward_by_level"));
        assert_eq!(found.turning(level), turning, "level {level}: {what}");
        assert_eq!(
            found.total(level),
            turning + downward,
            "level {level}: {what}"
        );
    }
}

fn text(nodes: u32, strategy: &str, rest: &str) -> String {
    format!(
        "[network]\nkind='fat-tree'\nnodes={nodes}\n{rest}\n[traffic]\npattern='random'\n\
         words=9\nrepeat=2\n[retry]\nstrategy='{strategy}'\n"
    )
}

#[test]
fn both_engines_count_what_senders_are_told() {
    for (nodes, replicates) in [(2, 5), (4, 5), (16, 5), (64, 3), (256, 1)] {
        for strategy in ["immediate", "rounds", "backoff"] {
            for rest in [
                "",
                "[router]\nwinner='fixed'",
                "link_delay_cycles=2\n[router]\nrelease='early-acknowledge'",
            ] {
                let text = text(nodes, strategy, rest);
                let run = format!("[run]\nengine='gate'\nreplicates={replicates}\n");
                let mut config = support::config(&format!("{text}{run}"));
                let (together, gates) = observed(&config, true);
                assert!(together.iter().all(|outcome| outcome.end == End::Finished));
                assert_same(&together, &gates, &text);
                config.run.engine = EngineKind::Event;
                let (alone, events) = observed(&config, false);
                assert_eq!(together, alone, "{text}");
                assert_eq!(gates, events, "{text}");
                assert!(nodes < 16 || (0..events.levels()).any(|level| events.total(level) > 0));
            }
        }
    }
}

/// The first attempts of messages in a tree of four nodes: (source, destination, cycle of
/// the offer).
fn first_attempts(messages: &[(u32, u32, u64)]) -> Scenarios {
    let text = text(4, "immediate", "");
    let config = support::config(&format!("{text}[run]\nengine='event'\ncycles_max=10\n"));
    let simulation = Simulation::new(&config).expect("a legal configuration");
    let message = |&(source, destination, cycle)| Message {
        source,
        destination,
        words: 60,
        offered: Offer::At(cycle),
    };
    let workload = Workload {
        nodes: 4,
        order: Replay::InOrder,
        messages: messages.iter().map(message).collect(),
        sets: DeliverySets::default(),
    };
    let traced = simulation.network().collisions().expect("a fat tree");
    let mut observer = CollisionObserver::new(traced, simulation.fabric());
    let replicate = Replicate { seed: 1, workload };
    let outcome = simulation.run_one(&replicate, &mut observer);
    outcome.unwrap_or_else(|e| panic!("{e}"));
    observer.found().clone()
}

/// (level, scenario, winner, collisions) of all kinds that occurred.
fn kinds(found: &Scenarios) -> Vec<(usize, Scenario, OutputHolder, u64)> {
    let mut kinds = Vec::new();
    for level in 0..found.levels() {
        for scenario in Scenario::ALL {
            for winner in OutputHolder::ALL {
                match found.count(level, scenario as usize, winner) {
                    0 => {}
                    count => kinds.push((level, scenario, winner, count)),
                }
            }
        }
    }
    kinds
}

/// Messages to node 0: node 1 shares its router, and heads from nodes 2 and 3 reach that
/// router four clocks later, one by c and one by d.
#[test]
fn scenarios_are_told_apart() {
    use OutputHolder::{Circuit, Head};
    use Scenario::{Above, Both, Side};
    for (messages, expected) in [
        (&[(2, 0, 1)][..], None),
        (&[(2, 0, 1), (3, 0, 1)], Some((Above, Head, 1))),
        (&[(2, 0, 1), (3, 0, 3)], Some((Above, Circuit, 1))),
        (&[(2, 0, 1), (1, 0, 5)], Some((Side, Head, 1))),
        (&[(2, 0, 1), (1, 0, 1)], Some((Side, Circuit, 1))),
        (&[(2, 0, 1), (1, 0, 6)], Some((Side, Circuit, 1))),
        (&[(2, 0, 1), (3, 0, 1), (1, 0, 5)], Some((Both, Head, 2))),
        (&[(2, 0, 1), (3, 0, 1), (1, 0, 1)], Some((Both, Circuit, 2))),
    ] {
        let found = kinds(&first_attempts(messages));
        let expected = expected.map(|(scenario, winner, count)| (0, scenario, winner, count));
        assert_eq!(found, Vec::from_iter(expected), "{messages:?}");
    }
}
