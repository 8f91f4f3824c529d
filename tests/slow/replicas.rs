//! Replicates in the lanes of one gate engine leave behind what each leaves
//! behind alone.

use crosswave_chips::netlists;
use crosswave_gate::{Backend, GateEngine};
use crosswave_lanes::native::Isa;
use crosswave_network::traffic::{DeliverySets, Message, Offer, Replay, Workload};
use crosswave_probe::engine::Engine;
use crosswave_run::config::{Config, EngineKind};
use crosswave_run::host::{End, Outcome};
use crosswave_run::observer::Observer;
use crosswave_run::replicate::Replicate;
use crosswave_run::simulation::Simulation;

use crate::support;

/// A configuration for the gate engine, with lines for `[run]`.
fn config(text: &str, run: &str) -> Config {
    support::config(&format!("{text}\n[run]\nengine='gate'\n{run}\n"))
}

/// The first replicates of a run.
fn replicates(config: &Config, count: usize) -> Vec<Replicate> {
    (0..count as u32)
        .map(|index| Replicate::new(config, index).unwrap_or_else(|e| panic!("{e}")))
        .collect()
}

/// The replicates one by one.
fn alone(config: &Config, replicates: &[Replicate]) -> Vec<Outcome> {
    let simulation = Simulation::new(config).expect("a legal configuration");
    let one = |replicate: &Replicate| {
        let outcome = simulation.run_one(replicate, &mut ());
        outcome.unwrap_or_else(|e| panic!("{e}"))
    };
    replicates.iter().map(one).collect()
}

fn together(config: &Config, replicates: &[Replicate]) -> Vec<Outcome> {
    let outcomes = Simulation::new(config)
        .expect("a legal configuration")
        .run(replicates, &mut ());
    outcomes.unwrap_or_else(|e| panic!("{e}"))
}

/// The same on the event engine, which is faster where little happens.
fn on_events(config: &Config) -> Config {
    let mut config = config.clone();
    config.run.engine = EngineKind::Event;
    config
}

#[track_caller]
fn assert_same(expected: &[Outcome], found: &[Outcome], what: &str) {
    assert_eq!(expected.len(), found.len(), "{what}");
    for (replicate, (expected, found)) in expected.iter().zip(found).enumerate() {
        assert_eq!(expected, found, "replicate {replicate}: {what}");
    }
}

/// Sizes, releases, delays and threads with one strategy.
fn under_every_rule(strategy: &str) {
    for (nodes, most) in [(2, 20), (4, 20), (16, 20), (32, 20), (64, 20), (256, 7)] {
        for (release, repeat) in [("acknowledge", 2), ("early-acknowledge", 1), ("tail", 1)] {
            for (delay, threads) in [(0, [1, 2]), (3, [2, 1])] {
                let text = format!(
                    "[network]\nkind='fat-tree'\nnodes={nodes}\nlink_delay_cycles={delay}\n[router]\nrelease='{release}'\n[traffic]\npattern='random'\nrepeat={repeat}\nwords=5\n[retry]\nstrategy='{strategy}'"
                );
                let all = replicates(&config(&text, ""), most);
                let expected = alone(&on_events(&config(&text, "")), &all);
                assert!(expected.iter().all(|o| o.end == End::Finished));
                for (count, threads) in [most, 7].into_iter().zip(threads) {
                    let config = config(&text, &format!("threads={threads}"));
                    let found = together(&config, &all[..count]);
                    let what = format!("{count} together, {threads} threads:\n{text}");
                    assert_same(&expected[..count], &found, &what);
                }
            }
        }
    }
}

#[test]
fn under_every_rule_immediate() {
    under_every_rule("immediate");
}

#[test]
fn under_every_rule_rounds() {
    under_every_rule("rounds");
}

#[test]
fn under_every_rule_backoff() {
    under_every_rule("backoff");
}

#[test]
fn any_number_on_any_backend() {
    for (nodes, capacities, strategy) in [
        (64, "doubling", "immediate"),
        (64, "every-second-level", "immediate"),
        (16, "doubling", "backoff"),
    ] {
        let text = format!(
            "[network]\nkind='fat-tree'\nnodes={nodes}\ncapacities='{capacities}'\nlink_delay_cycles=1\n[traffic]\npattern='random'\nwords=3\nrepeat=3\n[retry]\nstrategy='{strategy}'"
        );
        let config = config(&text, "");
        let all = replicates(&config, 20);
        let expected = alone(&config, &all);
        let simulation = Simulation::new(&config).expect("a legal configuration");
        let native = Isa::ALL.into_iter().filter(|isa| isa.is_available());
        for backend in native.map(Backend::Native).chain([Backend::Interpreter]) {
            for count in [1_usize, 2, 3, 4, 7, 8, 20] {
                for threads in [1, 2] {
                    let fabric = simulation.fabric().replicated(count.next_power_of_two());
                    let mut seeds: Vec<u64> = all[..count].iter().map(|r| r.seed).collect();
                    seeds.resize(fabric.copies.count(), 0);
                    let copies = fabric.copies;
                    let engine =
                        GateEngine::of_copies(fabric, netlists::plain, &seeds, threads, backend);
                    let mut engine = engine.unwrap_or_else(|e| panic!("{e}"));
                    engine.work_together();
                    let found =
                        simulation.run_together_on(&mut engine, copies, &all[..count], &mut ());
                    let what = format!("{count} together, {backend}, {threads} threads:\n{text}");
                    assert_same(&expected[..count], &found, &what);
                }
            }
        }
    }
}

/// Messages at times far apart, other ones in each replicate, and in one none
/// at all: one rests while others are busy.
#[test]
fn offers_at_times() {
    let nodes = 16;
    for strategy in ["immediate", "rounds", "backoff"] {
        for release in ["acknowledge", "early-acknowledge", "tail"] {
            let text = format!(
                "[network]\nkind='fat-tree'\nnodes={nodes}\nlink_delay_cycles=2\n[router]\nrelease='{release}'\n[traffic]\npattern='random'\n[retry]\nstrategy='{strategy}'"
            );
            let mut all = replicates(&config(&text, ""), 7);
            for (index, replicate) in (0..).zip(&mut all) {
                let message = |number: u32| Message {
                    source: (number * 5 + index) % nodes,
                    destination: (number * 7 + 3 * index + 1) % nodes,
                    words: 1 + number % 9,
                    offered: match number % 3 {
                        2 if number > 30 => Offer::AfterPrevious,
                        _ => Offer::At(1 + u64::from(number / 12 * (900 + 177 * index))),
                    },
                };
                replicate.workload = Workload {
                    nodes,
                    order: Replay::Timed,
                    messages: (0..if index == 4 { 0 } else { 90 })
                        .map(message)
                        .filter(|message| message.source != message.destination)
                        .collect(),
                    sets: DeliverySets::default(),
                };
            }
            let expected = alone(&config(&text, ""), &all);
            let skipped = |o: &Outcome| o.evaluated_cycles + 1000 < o.last_cycle;
            assert!(expected.iter().any(skipped));
            for threads in [1, 2] {
                let config = config(&text, &format!("threads={threads}"));
                assert_same(&expected, &together(&config, &all), &text);
            }
        }
    }
}

#[test]
fn recorded_traffic() {
    let text = format!(
        "[network]\nkind='fat-tree'\nnodes=64\n[traffic]\ntrace='{}/traces/fft2d64_p2p.csv'\nlimit=300\n[retry]\nstrategy='backoff'",
        env!("CARGO_MANIFEST_DIR")
    );
    let config = config(&text, "");
    let all = replicates(&config, 3);
    assert_same(&alone(&config, &all), &together(&config, &all), &text);
}

#[test]
fn some_run_out_of_cycles() {
    for strategy in ["immediate", "rounds", "backoff"] {
        let text = format!(
            "[network]\nkind='fat-tree'\nnodes=32\n[traffic]\npattern='random'\nwords=9\n[retry]\nstrategy='{strategy}'"
        );
        let all = replicates(&config(&text, ""), 20);
        let mut ends: Vec<u64> = alone(&config(&text, ""), &all)
            .iter()
            .map(|outcome| outcome.last_cycle)
            .collect();
        ends.sort_unstable();
        let config = config(&text, &format!("cycles_max={}", ends[9]));
        let expected = alone(&config, &all);
        let finished = expected.iter().filter(|o| o.end == End::Finished).count();
        assert!((10..20).contains(&finished), "{finished}");
        assert_same(&expected, &together(&config, &all), &text);
    }
}

/// Interrupts in a cycle.
struct InterruptAt {
    cycle: u64,
    now: u64,
}

impl Observer for InterruptAt {
    fn cycle(&mut self, engine: &dyn Engine, _: bool) {
        self.now = engine.cycle();
    }

    fn interrupted(&mut self) -> bool {
        self.now >= self.cycle
    }
}

#[test]
fn interruption_keeps_what_has_finished() {
    let text = "[network]\nkind='fat-tree'\nnodes=32\n[traffic]\npattern='random'\nwords=9";
    let config = config(text, "");
    let all = replicates(&config, 8);
    let simulation = Simulation::new(&config).expect("a legal configuration");
    let mut ends: Vec<u64> = alone(&config, &all).iter().map(|o| o.last_cycle).collect();
    ends.sort_unstable();
    let interrupt = || InterruptAt {
        cycle: ends[3],
        now: 0,
    };
    let expected: Vec<Outcome> = all
        .iter()
        .map(|replicate| {
            let outcome = simulation.run_one(replicate, &mut interrupt());
            outcome.unwrap_or_else(|e| panic!("{e}"))
        })
        .collect();
    let ended = |end| expected.iter().filter(|o| o.end == end).count();
    assert!(ended(End::Finished) >= 4 && ended(End::Interrupted) >= 1);
    let found = simulation.run(&all, &mut interrupt());
    assert_same(&expected, &found.unwrap_or_else(|e| panic!("{e}")), text);
}

#[test]
fn how_many_share_an_engine() {
    for (nodes, expected) in [(2, 32), (64, 32), (256, 8), (1024, 2), (1 << 14, 1)] {
        let text = format!(
            "[network]\nkind='fat-tree'\nnodes={nodes}\n[traffic]\npattern='random'\nmessages=2"
        );
        let gate = config(&text, "replicates=100");
        let simulation = Simulation::new(&gate).expect("a legal configuration");
        assert_eq!(simulation.together(), expected, "{nodes} nodes");
        let on_events = Simulation::new(&on_events(&gate)).expect("a legal configuration");
        assert_eq!(on_events.together(), 1);
    }
}
