//! Bits that native code takes as 0 until they matter: what becomes of every message is the same as
//! in the event engine and the interpreter, which draw them wherever they are asked for.
//!
//! They matter where three messages want one output in the same cycle, which collisions counted at the
//! routers tell of. That happens in lane words of each width, one cycle and several at a time, and
//! in replicates that share an engine.

use crosswave_chips::netlists;
use crosswave_gate::skew::Limits;
use crosswave_gate::{Backend, GateEngine};
use crosswave_network::fat_tree::collisions::Scenario;
use crosswave_network::topology::OutputHolder;
use crosswave_run::collisions::{CollisionObserver, Scenarios};
use crosswave_run::config::EngineKind;
use crosswave_run::host::Outcome;
use crosswave_run::replicate::Replicate;
use crosswave_run::simulation::Simulation;

use crate::support;
use crate::support::Case;

fn text(nodes: u32, repeat: u32) -> String {
    format!(
        "[network]\nkind='fat-tree'\nnodes={nodes}\n\
         [traffic]\npattern='random'\nrepeat={repeat}\nwords=1\n[run]\nseed=3\n"
    )
}

/// Number of times that three messages wanted one output in the same cycle, at least.
fn threes(found: &Scenarios) -> u64 {
    let levels = 0..found.levels();
    let counts =
        levels.map(|level| found.count(level, Scenario::Both as usize, OutputHolder::Head));
    counts.sum()
}

#[test]
fn three_that_want_one_output_are_decided_as_elsewhere() {
    for (nodes, repeat) in [(16, 8000), (64, 1000), (128, 300), (256, 400), (1024, 30)] {
        let case = Case::new(&text(nodes, repeat));
        let network = case.config.topology();
        let traced = network.collisions().expect("a fat tree");
        let mut collisions = CollisionObserver::new(traced, &case.fabric);
        let expected = case.run_on(&mut case.event(1), &mut collisions);
        let threes = threes(collisions.found());
        assert!(threes > 3, "{nodes} nodes: {threes}");
        for (backend, threads) in [
            (Backend::best(), 1),
            (Backend::best(), 2),
            (Backend::Interpreter, 1),
        ] {
            if backend == Backend::Interpreter && nodes > 128 {
                continue;
            }
            let found = case.run_on(&mut case.gate(threads, backend), &mut ());
            assert!(
                found == expected,
                "{nodes} nodes, {backend}, {threads} threads"
            );
        }
    }
}

#[test]
fn several_cycles_at_a_time_decide_as_one() {
    let case = Case::new(&text(1024, 30));
    let expected = case.run_on(&mut case.event(1), &mut ());
    let limits = Limits {
        block_bytes: 64 << 10,
        cycles: 4,
    };
    for threads in [1, 2] {
        let (fabric, seed) = (case.fabric.clone(), case.config.run.seed);
        let backend = Backend::best();
        let engine = GateEngine::skewed(fabric, netlists::plain, seed, threads, backend, limits);
        let mut engine = engine.unwrap_or_else(|e| panic!("{e}"));
        assert!(
            engine.visits_per_cycle() < 1.0,
            "it takes several cycles at a time"
        );
        let found = case.run_on(&mut engine, &mut ());
        assert!(found == expected, "{threads} threads");
    }
}

/// More replicates than a lane word has words, and fewer, side by side and each alone in the event
/// engine.
#[test]
fn replicates_side_by_side_draw_as_alone() {
    for count in [4, 16] {
        let mut config = support::config(&text(64, 300));
        let replicates: Vec<Replicate> = (0..count)
            .map(|index| Replicate::new(&config, index).unwrap_or_else(|e| panic!("{e}")))
            .collect();
        let simulation = Simulation::new(&config).expect("a legal configuration");
        let found = simulation.run(&replicates, &mut ());
        config.run.engine = EngineKind::Event;
        let simulation = Simulation::new(&config).expect("a legal configuration");
        let alone = replicates.iter().map(|replicate| {
            let outcome = simulation.run_one(replicate, &mut ());
            outcome.unwrap_or_else(|e| panic!("{e}"))
        });
        let alone: Vec<Outcome> = alone.collect();
        assert!(
            found.unwrap_or_else(|e| panic!("{e}")) == alone,
            "{count} replicates"
        );
    }
}
