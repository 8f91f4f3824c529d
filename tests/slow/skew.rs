//! Several cycles at a time: the same as one by one.
//!
//! Engines that take bursts show themselves at the ends of these only. There, every
//! port of every chip has the value that it has in an engine that takes cycle by cycle;
//! and what becomes of the messages is the same.

use std::collections::BTreeMap;

use crosswave_chips::netlists;
use crosswave_event::EventEngine;
use crosswave_gate::skew::Limits;
use crosswave_gate::{Backend, GateEngine};
use crosswave_network::Fabric;
use crosswave_network::fat_tree::NODES;
use crosswave_network::shuffle::shuffled;
use crosswave_probe::engine::{Burst, Engine, InstanceList, LocalHost};
use crosswave_run::host::{End, Outcome};
use crosswave_run::observer::Observer;

use crate::support::Case;

/// A digest of values and one more.
fn mixed(digest: u64, value: u64) -> u64 {
    (digest.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A digest of each port of each array.
type Snapshot = Vec<u64>;

/// Takes a snapshot whenever the engine shows itself.
struct Snapshots<'a> {
    fabric: &'a Fabric,
    bursts: bool,
    taken: BTreeMap<u64, Snapshot>,
}

impl Observer for Snapshots<'_> {
    fn cycle(&mut self, engine: &dyn Engine, _: bool) {
        let mut snapshot = Snapshot::new();
        for (array, chips) in self.fabric.arrays.iter().enumerate() {
            for port in 0..chips.chip.ports.len() {
                let values = (0..chips.instances).map(|at| engine.value(array, port, at));
                snapshot.push(values.fold(0, mixed));
            }
        }
        self.taken.insert(engine.cycle(), snapshot);
    }

    fn takes_bursts(&self) -> bool {
        self.bursts
    }
}

/// Interrupts from a cycle on.
struct InterruptFrom(u64);

impl Observer for InterruptFrom {
    fn cycle(&mut self, engine: &dyn Engine, _: bool) {
        if engine.cycle() >= self.0 {
            self.0 = 0;
        }
    }

    fn takes_bursts(&self) -> bool {
        true
    }

    fn interrupted(&mut self) -> bool {
        self.0 == 0
    }
}

/// The result of a run, and the snapshots taken in it.
type Run = (Outcome, BTreeMap<u64, Snapshot>);

impl Case {
    fn run(&self, engine: &mut dyn Engine, bursts: bool) -> Run {
        let mut snapshots = Snapshots {
            fabric: &self.fabric,
            bursts,
            taken: BTreeMap::new(),
        };
        let outcome = self.run_on(engine, &mut snapshots);
        (outcome, snapshots.taken)
    }

    fn skewed(&self, limits: Limits, threads: usize, backend: Backend) -> GateEngine {
        let seed = self.config.run.seed;
        let fabric = self.fabric.clone();
        GateEngine::skewed(fabric, netlists::plain, seed, threads, backend, limits)
            .unwrap_or_else(|e| panic!("{e}"))
    }

    /// The expected events, cycle by cycle.
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
        // Idle stretches are longer than any burst.
        let short = |cycles: &u64| *cycles <= 9;
        let burst = gaps.map(|(from, to)| to - from).filter(short).max();
        let burst = burst.expect("more than one cycle");
        let what = format!("{kib} KiB, {burst} cycles, {threads} threads, {backend}");
        let mut names = Vec::new();
        for array in &self.fabric.arrays {
            let ports = array.chip.ports.iter();
            names.extend(ports.map(|port| format!("{}.{}", array.chip.name, port.name)));
        }
        let mut bursts = 0;
        let mut last = 0;
        for (&cycle, snapshot) in some.iter().filter(|(cycle, _)| every.contains_key(cycle)) {
            for (name, (found, expected)) in names.iter().zip(snapshot.iter().zip(&every[&cycle])) {
                assert_eq!(found, expected, "{what}: {name} in cycle {cycle}");
            }
            bursts += usize::from(cycle == last + burst);
            last = cycle;
        }
        assert!(burst > 1 && bursts > 3, "{what}: bursts are taken");
        assert_eq!(&found, expected, "{what}");
        burst
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
        ("[router]\nrelease='early-acknowledge'", 64),
        ("[router]\nrelease='tail'", 64),
        ("[router]\nwinner='fixed'", 64),
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

/// The run ends in the middle of a burst, at its end, or by an interrupt.
#[test]
fn ends_are_where_they_are_cycle_by_cycle() {
    let limits = Limits {
        block_bytes: 64 << 10,
        cycles: 3,
    };
    let mut case = Case::new(&text(1024, "pattern='random'\nwords=3", ""));
    for cycles_max in 30..37 {
        case.config.run.cycles_max = Some(cycles_max);
        let mut engine = case.skewed(limits, 2, Backend::best());
        let (expected, _) = case.expected();
        let (found, taken) = case.run(&mut engine, true);
        assert_eq!(expected.last_cycle, cycles_max);
        assert_eq!(found, expected, "{cycles_max}");
        assert!(taken.len() < 20, "bursts are taken");
    }
    case.config.run.cycles_max = Some(1000);
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
    for (nodes, bursts) in [(1 << 17, false), (1 << 18, true)] {
        let case = Case::new(&text(nodes, "pattern='pair'\nsource=0\ndestination=1", ""));
        let fabric = case.fabric;
        let engine = GateEngine::new(fabric, netlists::plain, 1, 2, Backend::best());
        let mut engine = engine.unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(engine.visits_per_cycle() < 0.4, bursts, "{nodes}");
        engine.step();
        let burst = engine.burst(NODES).map(|burst| burst.cycles);
        assert_eq!(burst, bursts.then_some(7), "{nodes}");
        engine.step();
        let burst = engine.burst(NODES);
        assert_eq!(burst, None, "{nodes}: all groups rest");
    }
}

/// Whatever it has done before, with other random bits.
#[test]
fn a_restarted_engine_is_a_new_one() {
    let limits = Limits {
        block_bytes: 64 << 10,
        cycles: 3,
    };
    let random = "pattern='random'\nwords=3\nmessages=60";
    let bidelta =
        "[network]\nkind='bidelta'\nnodes=64\n[traffic]\npattern='random'\n[run]\nseed=3\n";
    for (text, threads) in [
        (text(1024, random, ""), 1),
        (text(1024, random, "link_delay_cycles=1"), 3),
        (bidelta.to_owned(), 2),
    ] {
        let mut case = Case::new(&text);
        let expected = case.run(&mut case.skewed(limits, threads, Backend::best()), true);
        case.config.run.seed = 99;
        let mut engine = case.skewed(limits, threads, Backend::best());
        case.config.run.seed = 3;
        let begun = case.run_on(&mut engine, &mut InterruptFrom(25));
        assert_eq!(begun.end, End::Interrupted);
        engine.restart(&[3]);
        let found = case.run(&mut engine, true);
        assert!(found == expected, "{text}");
    }
}

/// Notes the cycles in which the engine shows itself.
struct ShownCycles(Vec<u64>);

impl Observer for ShownCycles {
    fn cycle(&mut self, engine: &dyn Engine, _: bool) {
        self.0.push(engine.cycle());
    }

    fn takes_bursts(&self) -> bool {
        true
    }
}

/// Three quarters of the nodes are busy, so bursts are taken; then nodes of the last
/// quarter, of which all groups rest, are offered messages for each other.
#[test]
fn an_offer_within_a_stride_wakes_a_group_at_rest() {
    const FIRST_NS: u32 = 400;
    let mut trace = String::from("t_ns,source,destination,bytes\n");
    for message in 0..6 * 3072u32 {
        let (source, destination) = (message % 3072, (message * 37 + 1 + message / 3072) % 3072);
        if source != destination {
            trace += &format!("0,{source},{destination},8\n");
        }
    }
    for message in 0..40u32 {
        let time = FIRST_NS + 10 * message;
        let (source, destination) = (3072 + 25 * message, 3072 + (25 * message + 512) % 1024);
        trace += &format!("{time},{source},{destination},8\n");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("late.csv");
    std::fs::write(&path, trace).expect("a file");
    let traffic = format!(
        "trace='{}'\nreplay='timed'\nclock_mhz=100\n",
        path.display()
    );
    let mut case = Case::new(&text(4096, &traffic, ""));
    case.config.run.cycles_max = Some(150);
    let limits = Limits {
        block_bytes: 200 << 10,
        cycles: 4,
    };
    let mut shown = ShownCycles(Vec::new());
    let mut engine = case.skewed(limits, 2, Backend::best());
    let found = case.run_on(&mut engine, &mut shown);
    let expected = case.run_on(&mut case.event(1), &mut ());
    let late = found.messages.iter().rev().take(40);
    let delivered = late
        .filter(|message| message.acknowledged_cycle < 150)
        .count();
    assert!(
        found == expected,
        "{delivered} of 40 offered late are delivered"
    );
    let first = u64::from(FIRST_NS / 10) + 1;
    let within = (first..first + 40).filter(|cycle| !shown.0.contains(cycle));
    assert!(
        within.count() >= 20,
        "bursts are taken when messages are offered"
    );
}

#[test]
fn watchers_see_cycle_by_cycle() {
    let limits = Limits {
        block_bytes: 64 << 10,
        cycles: 3,
    };
    let case = Case::new(&text(1024, "pattern='random'\nmessages=9", ""));
    let (outcome, taken) = case.run(&mut case.skewed(limits, 1, Backend::best()), false);
    assert_eq!(taken.len() as u64, outcome.last_cycle + 1);
}

#[test]
fn rounds() {
    for (traffic, rest, cycles, threads) in [
        ("pattern='random'\nwords=5\nmessages=60", "", 3, 1),
        (
            "pattern='random'\nwords=5\nmessages=60",
            "link_delay_cycles=1",
            4,
            2,
        ),
        (
            "pattern='random'\nwords=76\nmessages=40",
            "[router]\nrelease='early-acknowledge'",
            4,
            3,
        ),
        (
            "pattern='random'\nwords=76\nmessages=40",
            "[router]\nrelease='tail'",
            4,
            3,
        ),
    ] {
        let rest = format!("{rest}\n[retry]\nstrategy='rounds'");
        let case = Case::new(&text(1024, traffic, &rest));
        case.compare(&case.expected(), (64, cycles), threads, Backend::best());
    }
}

/// An event engine that takes its cycles one by one, but asks the host as in bursts.
struct Striding {
    engine: EventEngine,
    burst: Burst,
    nodes: usize,
    /// Bursts taken.
    taken: u64,
}

impl Engine for Striding {
    fn cycle(&self) -> u64 {
        self.engine.cycle()
    }

    fn drive(&mut self, array: usize, port: usize, values: &[(u32, u64)]) {
        self.engine.drive(array, port, values);
    }

    fn drive_all(&mut self, array: usize, port: usize, value: u64) {
        self.engine.drive_all(array, port, value);
    }

    fn value(&self, array: usize, port: usize, instance: usize) -> u64 {
        self.engine.value(array, port, instance)
    }

    fn random_held(&self) -> bool {
        self.engine.random_held()
    }

    fn raised(&self, array: usize, port: usize, instances: &mut Vec<u32>) {
        self.engine.raised(array, port, instances);
    }

    fn raised_each(&self, array: usize, ports: &[usize], found: &mut [InstanceList]) {
        self.engine.raised_each(array, ports, found);
    }

    fn hold_random(&mut self, hold: bool) {
        self.engine.hold_random(hold);
    }

    fn step(&mut self) {
        self.engine.step();
    }

    fn skip_to(&mut self, cycle: u64) {
        self.engine.skip_to(cycle);
    }

    fn burst(&self, _: usize) -> Option<Burst> {
        Some(self.burst)
    }

    fn advance(&mut self, host: &dyn LocalHost) {
        self.taken += 1;
        let array = host.array();
        for _ in 0..self.burst.cycles {
            self.step();
            for first in (0..self.nodes).step_by(self.burst.instances) {
                let end = self.nodes.min(first + self.burst.instances);
                let shown = host.ports().iter().map(|&port| {
                    let mut words = vec![0; self.burst.instances.div_ceil(64)];
                    for instance in first..end {
                        let lane = instance - first;
                        words[lane / 64] |= self.value(array, port, instance) << (lane % 64);
                    }
                    words
                });
                let shown: Vec<Vec<u64>> = shown.collect();
                let shown: Vec<&[u64]> = shown.iter().map(Vec::as_slice).collect();
                let mut driven = Vec::new();
                host.answer(first, self.cycle(), &shown, &mut |port, instance, value| {
                    driven.push((port, (instance, value)));
                });
                for (port, value) in driven {
                    self.drive(array, port, &[value]);
                }
            }
        }
    }
}

impl Case {
    /// The result when the host may let the engine take so many cycles at a time, and how often it
    /// did.
    fn striding(&self, cycles: u64, instances: usize) -> (Outcome, u64) {
        let mut engine = Striding {
            engine: self.event(1),
            burst: Burst {
                cycles,
                instances,
                by_queues: false,
            },
            nodes: self.config.network.nodes() as usize,
            taken: 0,
        };
        let outcome = self.run_on(&mut engine, &mut ());
        (outcome, engine.taken)
    }
}

/// Sizes, lengths, wires, releases and bursts. With long messages, more than half of the
/// cycles are taken in bursts of four.
#[test]
fn rounds_in_strides_of_any_length() {
    for nodes in [2u32, 4, 16, 64, 256] {
        let mut delays = vec!["0".to_owned(), "2".to_owned()];
        let uneven = (0..nodes.ilog2()).map(|level| (level * 2 % 5).to_string());
        delays.push(format!("[{}]", uneven.collect::<Vec<_>>().join(",")));
        for words in [1, 5, 76] {
            for delay in &delays {
                for release in ["acknowledge", "early-acknowledge", "tail"] {
                    let case = Case::new(&text(
                        nodes,
                        &format!("pattern='random'\nwords={words}"),
                        &format!(
                            "link_delay_cycles={delay}\n[router]\nrelease='{release}'\n\
                             [retry]\nstrategy='rounds'"
                        ),
                    ));
                    let what = format!("{nodes} {words} {delay} {release}");
                    let (expected, none) = case.striding(1 << 40, 64);
                    assert_eq!(none, 0, "{what}: too long a burst");
                    for (cycles, instances) in [(1, 64), (2, 1), (3, 7), (4, 64), (31, 100)] {
                        let (found, taken) = case.striding(cycles, instances);
                        assert_eq!(found, expected, "{what}: {cycles}");
                        assert!(taken > 0 || cycles > 2, "{what}: {cycles}");
                        if cycles == 4 && words == 76 && release == "acknowledge" {
                            let part = (4 * taken) as f64 / expected.last_cycle as f64;
                            assert!(part > 0.5, "{what}: {part}");
                        }
                    }
                }
            }
        }
    }
}

/// A message across the tree: launched in cycle 2, told of the last router's rejection
/// 3 · 6 + 3 cycles later or never, and acknowledged in cycle 45.
#[test]
fn a_round_goes_in_one_stride_from_the_last_rejection_to_the_acknowledgement() {
    let traffic = "pattern='pair'\nsource=0\ndestination=15\nwords=20";
    let case = Case::new(&text(16, traffic, "[retry]\nstrategy='rounds'"));
    let (expected, _) = case.striding(100, 64);
    assert_eq!(expected.last_cycle, 45);
    let last_rejection = 2 + 3 * 6 + 3;
    let whole = 45 - last_rejection;
    assert_eq!(case.striding(whole, 64), (expected.clone(), 1));
    assert_eq!(case.striding(whole + 1, 64), (expected, 0));
}

/// Messages of many lengths, some offered in the middle of a round, and idle stretches.
#[test]
fn rounds_of_different_lengths() {
    let mut trace = String::from("t_ns,source,destination,bytes\n");
    for message in 0..300u32 {
        let time = message / 60 * 20_000 + message % 60 * 31;
        let (source, destination) = (message * 37 % 64, (message * 91 + 5) % 64);
        let bytes = [0, 3, 17, 90][message as usize % 4];
        trace += &format!("{time},{source},{destination},{bytes}\n");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lengths.csv");
    std::fs::write(&path, trace).expect("a file");
    for replay in ["timed", "in-order"] {
        for release in ["acknowledge", "early-acknowledge", "tail"] {
            let traffic = format!(
                "trace='{}'\nreplay='{replay}'\nclock_mhz=100\n",
                path.display()
            );
            let rest = format!(
                "link_delay_cycles=1\n[router]\nrelease='{release}'\n\
                 [retry]\nstrategy='rounds'"
            );
            let case = Case::new(&text(64, &traffic, &rest));
            let (expected, _) = case.striding(1 << 40, 64);
            assert_eq!(expected.end, End::Finished);
            for cycles in [2, 3, 4, 5, 8, 16] {
                let (found, taken) = case.striding(cycles, 10);
                assert_eq!(found, expected, "{replay} {release} {cycles}");
                assert!(taken > 3, "{replay} {release} {cycles}");
            }
        }
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
