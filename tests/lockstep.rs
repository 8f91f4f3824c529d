//! The same in every engine: every port of every chip in every cycle.
//!
//! The event engine, the gate engine (native code and interpreter, 1 to 7 threads) and the
//! reference evaluator record the same bytes; Icarus Verilog and Verilator,
//! running the exported Verilog, record the same variables with the same
//! values. A deliberately broken netlist is told apart.
//!
//! `CROSSWAVE_SOAK_CASES=2000 cargo test --release --test lockstep` runs that
//! many random configurations instead of a few, and Verilator up to n = 64.

mod support;

use std::path::Path;

use crosswave::chip::netlists;
use crosswave::chip::network_interface::{PORT_TX_DESTINATION, PORT_TX_REQUEST};
use crosswave::event::EventEngine;
use crosswave::experiment::export;
use crosswave::experiment::host::Outcome;
use crosswave::experiment::recorder::{self, Recorder};
use crosswave::gate::native::Isa;
use crosswave::gate::{Backend, GateEngine, ReferenceEngine};
use crosswave::netlist::{CellKind, Function, Module};
use crosswave::network::fat_tree::{NODES, ROUTERS};
use crosswave::network::shuffle::{rewired, shuffled};
use crosswave::probe::engine::Engine;
use crosswave::wave::compare::{Scope, first_difference};
use crosswave::wave::{self, Timescale, VcdWriter, Waveform};
use proptest::prelude::*;
use proptest::test_runner::{Config as ProptestConfig, RngAlgorithm, TestRng, TestRunner};

use support::Case;

/// Cycles that are recorded and compared.
const CYCLES: u64 = 4_000;

impl Case {
    /// Runs on an engine and records everything.
    fn record(&self, engine: &mut dyn Engine) -> (Outcome, Vec<u8>) {
        let set = recorder::signals(&self.fabric);
        let index = (0..set.signals.len() as u32).collect();
        let sink = VcdWriter::new(&set, Timescale::NANOSECOND, Vec::new()).expect("memory");
        let seed = self.config.run.seed;
        let mut recorder = Recorder::new(&self.fabric, seed, index, (0, CYCLES), sink);
        let outcome = self.run_on(engine, &mut recorder);
        let writer = recorder.finish(outcome.last_cycle).expect("memory");
        (outcome, writer.into_inner())
    }

    fn event(&self, threads: usize) -> EventEngine {
        EventEngine::new(self.fabric.clone(), self.config.run.seed, threads)
    }

    fn gate(&self, threads: usize, backend: Backend) -> GateEngine {
        let seed = self.config.run.seed;
        GateEngine::new(
            self.fabric.clone(),
            netlists::module,
            seed,
            threads,
            backend,
        )
        .unwrap_or_else(|e| panic!("{e}"))
    }

    fn reference(&self) -> ReferenceEngine<'static> {
        ReferenceEngine::new(self.fabric.clone(), netlists::module, self.config.run.seed)
            .unwrap_or_else(|e| panic!("{e}"))
    }
}

fn read(bytes: &[u8]) -> Waveform {
    wave::read("recorded", bytes).unwrap_or_else(|e| panic!("{e}"))
}

const ALL: Scope = Scope {
    from_time: 0,
    right_may_have_more: false,
};

/// Fails with the first difference when two recordings are not the same bytes.
fn same(left: &(Outcome, Vec<u8>), right: &(Outcome, Vec<u8>), what: &str) {
    if left.1 != right.1 {
        match first_difference(&read(&left.1), &read(&right.1), ALL) {
            Some(difference) => panic!("{what}: {difference}"),
            None => panic!("{what}: other bytes, but the same values"),
        }
    }
    assert_eq!(left.0, right.0, "{what}");
}

/// One configuration on every engine of the crate.
fn in_every_engine(text: &str, with_reference: bool) {
    every_engine(&Case::new(text), text, with_reference);
}

fn every_engine(case: &Case, text: &str, with_reference: bool) {
    let event = case.record(&mut case.event(1));
    let native = Isa::ALL
        .into_iter()
        .filter(|isa| isa.is_available())
        .map(|isa| (1, Backend::Native(isa)));
    for (threads, backend) in native.chain([
        (1, Backend::Interpreter),
        (2, Backend::best()),
        (3, Backend::Interpreter),
    ]) {
        let gate = case.record(&mut case.gate(threads, backend));
        same(
            &event,
            &gate,
            &format!("event against gate ({backend}), {threads} threads:\n{text}"),
        );
    }
    let parts = case.record(&mut case.event(3));
    same(
        &event,
        &parts,
        &format!("event, 1 thread against 3:\n{text}"),
    );
    if with_reference {
        let reference = case.record(&mut case.reference());
        same(
            &event,
            &reference,
            &format!("event against reference:\n{text}"),
        );
    }
}

/// Traffic of every kind for `n` nodes.
fn patterns(n: u32) -> Vec<String> {
    let half = n / 2;
    let mut all = vec![
        format!("pattern='random'\nmessages={n}\nrepeat=2"),
        format!("pattern='pair'\nsource=0\ndestination={}", n - 1),
        format!("pattern='pairs'\npairs=[[0,{}],[{},0]]", n - 1, n - 1),
        format!("pattern='hot-spot'\ndestination={half}"),
        "pattern='bit-reversal'".to_owned(),
        format!("pattern='cyclic-shift'\nshift={half}"),
    ];
    if n.ilog2().is_multiple_of(2) {
        all.push("pattern='transpose'".to_owned());
    }
    all
}

fn configuration(n: u32, delay: u32, traffic: &str, rest: &str, seed: u64) -> String {
    format!(
        "[network]\nkind='fat-tree'\nnodes={n}\nlink_delay_cycles={delay}\n\
         [traffic]\n{traffic}\n{rest}\n[run]\nseed={seed}\ncycles_max={CYCLES}\n"
    )
}

const STRATEGIES: [&str; 5] = [
    "[retry]\nstrategy='immediate'",
    "[retry]\nstrategy='rounds'",
    "[retry]\nstrategy='backoff'",
    "[retry]\nstrategy='immediate'\n[router]\nrelease='tail'",
    "[retry]\nstrategy='backoff'\nbackoff_limit=4\n[router]\nwinner='fixed'",
];

#[test]
fn chips_rest_before_and_after_a_message() {
    for backend in [Backend::best(), Backend::Interpreter] {
        let case = Case::new(
            "[network]\nkind='fat-tree'\nnodes=2048\n\
             [traffic]\npattern='pair'\nsource=0\ndestination=2047\nwords=4\n",
        );
        let mut engine = case.gate(1, backend);
        let mut resting = |cycles: u64, request: u64| {
            engine.drive(NODES, PORT_TX_DESTINATION, &[(0, 2047)]);
            engine.drive(NODES, PORT_TX_REQUEST, &[(0, request)]);
            for _ in 0..cycles {
                engine.step();
            }
            engine.resting()
        };
        let (before, groups) = resting(4, 0);
        // The destination's pins are not 0, but the interface rests.
        assert_eq!(before, groups, "{backend}");
        let (during, _) = resting(8, 1);
        assert!(during < groups, "{backend}: {during} of {groups}");
        // A few levels up, the rest of the tree still rests.
        assert!(during > groups / 2, "{backend}: {during} of {groups}");
        let (after, _) = resting(100, 0);
        assert_eq!(after, groups, "{backend}");
    }
}

/// Lane words of 1, 2, 4 and 8 words.
#[test]
fn links_without_order_are_the_same_in_every_engine() {
    for (nodes, cycles, routers_width) in [(32, 150, 2), (64, 150, 4), (512, 60, 8)] {
        let text = format!(
            "[network]\nkind='fat-tree'\nnodes={nodes}\n\
             [traffic]\npattern='random'\nmessages={nodes}\nwords=3\n\
             [run]\ncycles_max={cycles}\n"
        );
        let mut case = Case::new(&text);
        let tree = case.fabric;
        for fabric in [&tree, &rewired(&tree)] {
            case.fabric = shuffled(fabric, ROUTERS);
            let costs = case.gate(1, Backend::best()).costs();
            let (routers, interfaces) = (&costs[ROUTERS], &costs[NODES]);
            assert_eq!(routers.width, routers_width, "{nodes}");
            assert!(routers.links.scattered > 0, "{nodes}: they are scattered");
            if nodes == 64 {
                assert_eq!(interfaces.width, 1);
                assert!(interfaces.links.scattered > 0, "a word of interfaces, too");
            }
            every_engine(&case, &text, false);
        }
    }
}

/// Long wires are numbered so that links still move in whole words.
#[test]
fn trees_with_long_wires_have_order() {
    for nodes in [16, 64, 256, 1024] {
        for delay in [1, 3] {
            let case = Case::new(&configuration(nodes, delay, "pattern='random'", "", 1));
            for cost in case.gate(1, Backend::best()).costs() {
                assert_eq!(cost.links.scattered, 0, "{nodes}, {delay}: {cost:?}");
            }
        }
    }
}

/// Large enough for threads to have several groups each, cut by their weight.
#[test]
fn many_groups_are_the_same_on_any_number_of_threads() {
    let text = "[network]\nkind='fat-tree'\nnodes=1024\n\
                [traffic]\npattern='random'\nmessages=1024\nwords=3\n\
                [run]\ncycles_max=60\n";
    let case = Case::new(text);
    let event = case.record(&mut case.event(1));
    for threads in [1, 2, 3, 7] {
        let gate = case.record(&mut case.gate(threads, Backend::best()));
        let what = format!("event against gate, {threads} threads:\n{text}");
        same(&event, &gate, &what);
    }
}

/// All messages arrive in a tree that is joined otherwise.
#[test]
fn a_rewired_tree_carries_its_messages() {
    let mut case = Case::new(&configuration(
        64,
        1,
        "pattern='random'\nmessages=64\nwords=3",
        STRATEGIES[0],
        1,
    ));
    let tree = case.fabric;
    case.fabric = rewired(&tree);
    assert_ne!(case.fabric.peers, tree.peers);
    let (outcome, _) = case.record(&mut case.event(1));
    assert!(outcome.last_cycle < CYCLES, "all are acknowledged");
}

#[test]
fn every_pattern_and_strategy_is_the_same_in_every_engine() {
    for (index, n) in [2, 4, 8, 16, 32, 64].into_iter().enumerate() {
        for (at, pattern) in patterns(n).into_iter().enumerate() {
            for (number, strategy) in STRATEGIES.iter().enumerate() {
                let words = [1, 2, 7, 64][(at + number + index) % 4];
                let delay = [0, 0, 1, 3][(at + 2 * number) % 4];
                let traffic = format!("{pattern}\nwords={words}");
                let seed = (100 * index + 10 * at + number) as u64;
                let text = configuration(n, delay, &traffic, strategy, seed);
                in_every_engine(&text, n <= 8 && words < 64);
            }
        }
    }
}

/// A random configuration.
fn any_configuration() -> impl Strategy_<Value = String> {
    let strategy = prop::sample::select(STRATEGIES.to_vec());
    (
        1u32..=6,
        0u32..3,
        any::<u32>(),
        1u32..=64,
        strategy,
        1u32..4,
        0u64..1 << 40,
    )
        .prop_map(|(levels, delay, pattern, words, strategy, repeat, seed)| {
            let n = 1 << levels;
            let all = patterns(n);
            let pattern = all[pattern as usize % all.len()].replace("\nrepeat=2", "");
            let repeat = if pattern.contains("pairs'") {
                1
            } else {
                repeat
            };
            let traffic = format!("{pattern}\nwords={words}\nrepeat={repeat}");
            configuration(n, delay, &traffic, strategy, seed)
        })
}

use proptest::strategy::Strategy as Strategy_;

#[test]
fn random_configurations_are_the_same_in_every_engine() {
    let cases = soak_cases().unwrap_or(24);
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    // A longer soak continues the sequence that the short run begins.
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let result = runner.run(&any_configuration(), |text| {
        in_every_engine(
            &text,
            text.contains("nodes=2\n") || text.contains("nodes=4\n"),
        );
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
}

fn soak_cases() -> Option<u32> {
    std::env::var("CROSSWAVE_SOAK_CASES").ok()?.parse().ok()
}

/// Runs configurations of one network in a compiled model of another simulator
/// and compares every port with the event engine.
fn against_peer(
    n: u32,
    delay: u32,
    build: fn(&Path) -> support::Model,
    scope: Scope,
    texts: &[String],
) {
    let place = tempfile::tempdir().expect("a temporary folder");
    let first = Case::new(&texts[0]);
    export::write(&first.config, "lockstep", place.path()).unwrap_or_else(|e| panic!("{e}"));
    let model = build(place.path());
    for text in texts {
        let case = Case::new(text);
        assert_eq!(case.config.network.nodes, n);
        let (outcome, bytes) = case.record(&mut case.event(1));
        let file = place.path().join("peer.vcd");
        let mut options = support::plusargs(&case.config, &place.path().join("messages.csv"));
        options.push(format!("+vcd={}", file.display()));
        let summary = support::run(&model, &options);
        assert_eq!(summary.cycles, outcome.last_cycle, "{text}");
        let mut peer = wave::read_file(&file).unwrap_or_else(|e| panic!("{e}"));
        // Verilator puts a scope of its own around the test bench.
        let top = peer.scopes.iter().position(|scope| scope.name == "TOP");
        for scope in &mut peer.scopes {
            scope.parent = scope.parent.filter(|&parent| Some(parent) != top);
        }
        if let Some(difference) = first_difference(&read(&bytes), &peer, scope) {
            panic!("n = {n}, {delay} extra clocks: {difference}\n{text}");
        }
    }
}

/// Configurations of one network that differ in all that can be set at run time.
fn run_time_choices(n: u32, delay: u32, every: usize) -> Vec<String> {
    let mut all = Vec::new();
    for (at, pattern) in patterns(n).into_iter().enumerate() {
        for (number, strategy) in STRATEGIES.iter().enumerate() {
            let words = [1, 3, 64][(at + number) % 3];
            let traffic = format!("{pattern}\nwords={words}");
            all.push(configuration(
                n,
                delay,
                &traffic,
                strategy,
                (7 * at + number) as u64,
            ));
        }
    }
    all.into_iter().step_by(every).collect()
}

#[test]
fn icarus_records_the_same_variables_and_values() {
    for (n, delay, every) in [(2, 0, 1), (4, 2, 1), (8, 0, 2), (16, 1, 5), (32, 0, 11)] {
        let texts = run_time_choices(n, delay, every);
        against_peer(n, delay, support::build_icarus, ALL, &texts);
    }
}

#[test]
fn icarus_records_the_same_at_64_nodes() {
    let texts = [
        configuration(
            64,
            0,
            "pattern='random'\nmessages=64\nwords=5",
            STRATEGIES[0],
            3,
        ),
        configuration(
            64,
            0,
            "pattern='hot-spot'\nmessages=12\ndestination=9\nwords=2",
            STRATEGIES[1],
            4,
        ),
    ];
    against_peer(64, 0, support::build_icarus, ALL, &texts);
}

/// Verilator has two values only, so the reset cycle is left out; it also
/// records what is inside the network.
const VERILATOR: Scope = Scope {
    from_time: 10,
    right_may_have_more: true,
};

#[test]
fn verilator_records_the_same_values() {
    for (n, delay) in [(4, 1), (16, 0)] {
        let texts = run_time_choices(n, delay, 2);
        against_peer(n, delay, support::build_verilator, VERILATOR, &texts);
    }
    if soak_cases().is_some() {
        let texts = run_time_choices(64, 0, 6);
        against_peer(64, 0, support::build_verilator, VERILATOR, &texts);
    }
}

/// The comparison itself: netlists with one gate exchanged have to be told
/// apart from the model, at a named cycle and port.
#[test]
fn a_broken_netlist_is_caught() {
    let case = Case::new(&configuration(
        16,
        0,
        "pattern='random'\nmessages=16\nwords=9\nrepeat=12",
        STRATEGIES[0],
        5,
    ));
    let event = case.record(&mut case.event(1));
    let good = netlists::module("fat_tree_router").unwrap_or_else(|e| panic!("{e}"));
    let gates: Vec<usize> = (0..good.cells.len())
        .filter(|&cell| matches!(good.cells[cell].kind, CellKind::Gate(_)))
        .collect();
    let (mut mutants, mut caught) = (0, 0);
    for &cell in gates.iter().step_by(6) {
        let Some(broken) = exchange(good, cell) else {
            continue;
        };
        let netlist = |name: &str| match name {
            "fat_tree_router" => Ok(&broken),
            other => netlists::module(other),
        };
        let mut engine = GateEngine::new(
            case.fabric.clone(),
            netlist,
            case.config.run.seed,
            1,
            Backend::best(),
        )
        .unwrap_or_else(|e| panic!("{e}"));
        mutants += 1;
        // A broken router may break the host's own rules; that is caught too.
        let gate =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| case.record(&mut engine)));
        caught += match gate {
            Err(_) => 1,
            Ok(gate) => {
                let difference = first_difference(&read(&event.1), &read(&gate.1), ALL);
                if let Some(difference) = &difference {
                    assert!(difference.to_string().contains("testbench.network."));
                }
                u32::from(difference.is_some())
            }
        };
    }
    // Some gates matter only in situations that this traffic does not reach
    // (release by the tail, fixed winners, levels above 3).
    assert!(mutants >= 50, "{mutants} mutants");
    assert!(
        caught * 10 >= mutants * 8,
        "{caught} of {mutants} mutants were caught"
    );
}

/// The module with the function of one gate exchanged for another.
fn exchange(module: &Module, cell: usize) -> Option<Module> {
    let mut broken = module.clone();
    let CellKind::Gate(gate) = &mut broken.cells[cell].kind else {
        return None;
    };
    gate.function = match gate.function {
        Function::And => Function::Or,
        Function::Nand => Function::Nor,
        Function::Or => Function::And,
        Function::Nor => Function::Nand,
        Function::Xor => Function::Xnor,
        Function::Xnor => Function::Xor,
        Function::AndNot => Function::OrNot,
        Function::OrNot => Function::AndNot,
        Function::Mux => Function::Nmux,
        _ => return None,
    };
    Some(broken)
}
