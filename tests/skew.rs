//! Several cycles at a time: the same as one by one.
//!
//! Engines that take strides show themselves at the ends of these only. There, every
//! port of every chip has the value that it has in an engine that takes cycle by cycle;
//! and what becomes of the messages is the same.

mod support;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};

use crosswave::chip::netlists;
use crosswave::event::EventEngine;
use crosswave::experiment::host::{End, Observer, Outcome};
use crosswave::gate::skew::Limits;
use crosswave::gate::{Backend, GateEngine};
use crosswave::network::Fabric;
use crosswave::network::fat_tree::NODES;
use crosswave::network::shuffle::shuffled;
use crosswave::probe::engine::Engine;

use support::Case;

/// A digest of each port of each array.
type Snapshot = Vec<u64>;

/// Takes a snapshot whenever the engine shows itself.
struct Snapshots<'a> {
    fabric: &'a Fabric,
    strides: bool,
    taken: BTreeMap<u64, Snapshot>,
}

impl<E: Engine + ?Sized> Observer<E> for Snapshots<'_> {
    fn cycle(&mut self, engine: &E, _: bool) {
        let mut snapshot = Snapshot::new();
        for (array, chips) in self.fabric.arrays.iter().enumerate() {
            for port in 0..chips.chip.ports.len() {
                let mut digest = DefaultHasher::new();
                for instance in 0..chips.instances {
                    digest.write_u64(engine.value(array, port, instance));
                }
                snapshot.push(digest.finish());
            }
        }
        self.taken.insert(engine.cycle(), snapshot);
    }

    fn takes_strides(&self) -> bool {
        self.strides
    }
}

/// Interrupts from a cycle on.
struct InterruptFrom(u64);

impl<E: Engine + ?Sized> Observer<E> for InterruptFrom {
    fn cycle(&mut self, engine: &E, _: bool) {
        if engine.cycle() >= self.0 {
            self.0 = 0;
        }
    }

    fn takes_strides(&self) -> bool {
        true
    }

    fn interrupted(&mut self) -> bool {
        self.0 == 0
    }
}

/// What a run leaves behind, and what was seen in it.
type Run = (Outcome, BTreeMap<u64, Snapshot>);

impl Case {
    fn run(&self, engine: &mut dyn Engine, strides: bool) -> Run {
        let mut snapshots = Snapshots {
            fabric: &self.fabric,
            strides,
            taken: BTreeMap::new(),
        };
        let outcome = self.run_on(engine, &mut snapshots);
        (outcome, snapshots.taken)
    }

    fn skewed(&self, limits: Limits, threads: usize, backend: Backend) -> GateEngine {
        let seed = self.config.run.seed;
        let fabric = self.fabric.clone();
        GateEngine::skewed(fabric, netlists::module, seed, threads, backend, limits)
            .unwrap_or_else(|e| panic!("{e}"))
    }

    /// What happens, cycle by cycle.
    fn expected(&self) -> Run {
        self.run(&mut self.event(1), false)
    }

    /// Compares a skewed engine with what is expected; gives the cycles that it took at
    /// a time.
    fn compare(
        &self,
        (expected, every): &Run,
        (kib, cycles): (usize, usize),
        threads: usize,
        backend: Backend,
    ) -> u64 {
        let limits = Limits {
            block_bytes: kib << 10,
            cycles,
        };
        let mut engine = self.skewed(limits, threads, backend);
        let (found, some) = self.run(&mut engine, true);
        let gaps = some.keys().zip(some.keys().skip(1));
        // Idle stretches are longer than any stride.
        let short = |cycles: &u64| *cycles <= 9;
        let stride = gaps.map(|(from, to)| to - from).filter(short).max();
        let stride = stride.expect("more than one cycle");
        let what = format!("{kib} KiB, {stride} cycles, {threads} threads, {backend}");
        let mut names = Vec::new();
        for array in &self.fabric.arrays {
            let ports = array.chip.ports.iter();
            names.extend(ports.map(|port| format!("{}.{}", array.chip.name, port.name)));
        }
        let mut strides = 0;
        let mut last = 0;
        for (&cycle, snapshot) in some.iter().filter(|(cycle, _)| every.contains_key(cycle)) {
            for (name, (found, expected)) in names.iter().zip(snapshot.iter().zip(&every[&cycle])) {
                assert_eq!(found, expected, "{what}: {name} in cycle {cycle}");
            }
            strides += usize::from(cycle == last + stride);
            last = cycle;
        }
        assert!(stride > 1 && strides > 3, "{what}: strides are taken");
        assert_eq!(&found, expected, "{what}");
        stride
    }
}

fn text(nodes: u32, traffic: &str, rest: &str) -> String {
    format!(
        "[network]\nkind='fat-tree'\nnodes={nodes}\n{rest}\n\
         [traffic]\n{traffic}\n[run]\nseed=3\n"
    )
}

#[test]
fn any_limits_threads_and_backend() {
    let case = Case::new(&text(1024, "pattern='random'\nwords=3\nrepeat=2", ""));
    let expected = case.expected();
    let mut taken = Vec::new();
    for (kib, cycles, threads, backend) in [
        (40, 2, 1, Backend::best()),
        (40, 9, 2, Backend::best()),
        (64, 9, 3, Backend::Interpreter),
        (64, 3, 7, Backend::best()),
    ] {
        taken.push(case.compare(&expected, (kib, cycles), threads, backend));
    }
    assert_eq!(taken[0], 2);
    assert!(
        taken.contains(&3),
        "an odd number, which exchanges the buffers"
    );
}

#[test]
fn blocks_of_many_groups() {
    let case = Case::new(&text(4096, "pattern='random'\nwords=3\nmessages=500", ""));
    assert!(case.compare(&case.expected(), (200, 4), 2, Backend::best()) >= 2);
}

#[test]
fn wires_rules_and_strategies() {
    for (rest, kib) in [
        ("link_delay_cycles=2", 64),
        ("[router]\nrelease='tail'", 64),
        ("[retry]\nstrategy='backoff'", 64),
    ] {
        let case = Case::new(&text(1024, "pattern='random'\nwords=4", rest));
        case.compare(&case.expected(), (kib, 4), 2, Backend::best());
    }
}

#[test]
fn offers_at_times_with_idle_stretches() {
    let mut trace = String::from("t_ns,source,destination,bytes\n");
    for message in 0..600u32 {
        let burst = message / 100;
        let time = burst * 9000 + message % 100 * 7;
        let (source, destination) = (message * 37 % 1024, (message * 91 + 5) % 1024);
        trace += &format!("{time},{source},{destination},{}\n", message % 5);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bursts.csv");
    std::fs::write(&path, trace).expect("a file");
    for replay in ["timed", "in-order"] {
        let traffic = format!(
            "trace='{}'\nreplay='{replay}'\nclock_mhz=100\n",
            path.display()
        );
        let case = Case::new(&text(1024, &traffic, ""));
        case.compare(&case.expected(), (64, 3), 2, Backend::best());
    }
}

/// The run ends in the middle of a stride, at its end, or by an interrupt.
#[test]
fn ends_are_where_they_are_cycle_by_cycle() {
    let limits = Limits {
        block_bytes: 64 << 10,
        cycles: 3,
    };
    let mut case = Case::new(&text(1024, "pattern='random'\nwords=3", ""));
    for cycles_max in 30..37 {
        case.config.run.cycles_max = cycles_max;
        let mut engine = case.skewed(limits, 2, Backend::best());
        let (expected, _) = case.expected();
        let (found, taken) = case.run(&mut engine, true);
        assert_eq!(expected.last_cycle, cycles_max);
        assert_eq!(found, expected, "{cycles_max}");
        assert!(taken.len() < 20, "strides are taken");
    }
    case.config.run.cycles_max = 1000;
    let mut engine = case.skewed(limits, 2, Backend::best());
    let last_cycle = 40;
    let found = case.run_on(&mut engine, &mut InterruptFrom(last_cycle));
    let mut event = EventEngine::new(case.fabric.clone(), case.config.run.seed, 1);
    let expected = case.run_on(&mut event, &mut InterruptFrom(found.last_cycle));
    assert!((last_cycle..last_cycle + 3).contains(&found.last_cycle));
    assert_eq!(found.end, End::Interrupted);
    assert_eq!(found, expected);
}

/// Engines as they are made for users. Nothing is run.
#[test]
fn networks_larger_than_the_caches_take_strides() {
    for (nodes, strides) in [(1 << 17, false), (1 << 18, true)] {
        let case = Case::new(&text(nodes, "pattern='pair'\nsource=0\ndestination=1", ""));
        let fabric = case.fabric;
        let engine = GateEngine::new(fabric, netlists::module, 1, 2, Backend::best());
        let mut engine = engine.unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(engine.visits_per_cycle() < 0.4, strides, "{nodes}");
        engine.step();
        let stride = engine.stride(NODES).map(|stride| stride.cycles);
        assert_eq!(stride, strides.then_some(4), "{nodes}");
        engine.step();
        let stride = engine.stride(NODES);
        assert_eq!(stride, None, "{nodes}: all groups rest");
    }
}

#[test]
fn rounds_and_watchers_take_cycle_by_cycle() {
    let limits = Limits {
        block_bytes: 64 << 10,
        cycles: 3,
    };
    let rounds = "[retry]\nstrategy='rounds'";
    for (rest, strides) in [(rounds, true), ("", false)] {
        let case = Case::new(&text(1024, "pattern='random'\nmessages=9", rest));
        let (outcome, taken) = case.run(&mut case.skewed(limits, 1, Backend::best()), strides);
        assert_eq!(taken.len() as u64, outcome.last_cycle + 1);
    }
}

#[test]
fn networks_that_gain_nothing_are_left_alone() {
    let limits = Limits {
        block_bytes: 64 << 10,
        cycles: 3,
    };
    let small = Case::new(&text(64, "pattern='random'", ""));
    let mut shuffled_tree = Case::new(&text(1024, "pattern='random'", ""));
    shuffled_tree.fabric = shuffled(&shuffled_tree.fabric, 1);
    for case in [small, shuffled_tree] {
        let engine = case.skewed(limits, 1, Backend::best());
        assert_eq!(engine.visits_per_cycle(), 1.0);
    }
}
