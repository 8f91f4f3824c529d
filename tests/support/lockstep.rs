//! The lock step: a case on several engines, or in another simulator, and the
//! comparison of everything that they record.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crosswave_chips::netlists;
use crosswave_event::EventEngine;
use crosswave_gate::{Backend, GateEngine, ReferenceEngine};
use crosswave_lanes::native::Isa;
use crosswave_netlist::{CellKind, Function, Module};
use crosswave_network::verilog::{RouterOptions, structural};
use crosswave_observe::export;
use crosswave_probe::engine::Engine;
use crosswave_probe::signal::SignalSelection;
use crosswave_run::host::Outcome;
use crosswave_run::recorder;
use crosswave_run::recorder::{PortSelection, Recorder};
use crosswave_wave::compare::{ComparedNames, Comparer, Prefix, Rules, compare};
use crosswave_wave::{self as wave, SignalKind, Timescale, VcdWriter, Waveform};
use proptest::strategy::Strategy;

use super::{Case, Model};

/// The result of a run, and its waveform as VCD.
pub type Recording = (Outcome, Vec<u8>);

impl Case {
    /// Runs on an engine and records everything.
    pub fn record(&self, engine: &mut dyn Engine) -> Recording {
        let set = recorder::signals(&self.fabric, PortSelection::All);
        let kept = SignalSelection::all(set.signals.len());
        let sink = VcdWriter::new(&set, Timescale::NANOSECOND, Vec::new()).expect("memory");
        let seed = self.config.run.seed;
        let window = (0, self.config.run.cycles_max.unwrap_or(u64::MAX / 16));
        let mut recorder =
            Recorder::new(&self.fabric, seed, PortSelection::All, kept, window, sink);
        let outcome = self.run_on(engine, &mut recorder);
        let writer = recorder.finish(outcome.last_cycle).expect("memory");
        (outcome, writer.into_inner())
    }

    pub fn event(&self, threads: usize) -> EventEngine {
        let mut engine = EventEngine::new(self.fabric.clone(), self.config.run.seed, threads);
        engine.work_together();
        engine
    }

    pub fn gate(&self, threads: usize, backend: Backend) -> GateEngine {
        let (fabric, seed) = (self.fabric.clone(), self.config.run.seed);
        let engine = GateEngine::new(fabric, netlists::plain, seed, threads, backend);
        let mut engine = engine.unwrap_or_else(|e| panic!("{e}"));
        engine.work_together();
        engine
    }

    pub fn reference(&self) -> ReferenceEngine<'static> {
        ReferenceEngine::new(self.fabric.clone(), netlists::module, self.config.run.seed)
            .unwrap_or_else(|e| panic!("{e}"))
    }
}

pub fn read(bytes: &[u8]) -> Waveform {
    wave::read("recorded", bytes).unwrap_or_else(|e| panic!("{e}"))
}

/// The signals that another simulator records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    /// Every port of every chip in every cycle.
    Icarus,
    /// Two values only, so the reset cycle is left out; also what is inside the network, in a
    /// scope around the test bench.
    Verilator,
}

impl Peer {
    /// Compiles an exported directory.
    fn build(self, dir: &Path) -> Model {
        match self {
            Peer::Icarus => super::build_icarus(dir),
            Peer::Verilator => super::build_verilator(dir),
        }
    }

    /// Compares a recording of the crate with one of this simulator, and gives how many signals
    /// were compared.
    pub fn compare(self, own: &Waveform, peer: &Waveform) -> Result<usize, String> {
        let prefix = Prefix {
            left: String::new(),
            right: "TOP".into(),
        };
        let (prefixes, from) = match self {
            Peer::Icarus => (Vec::new(), 0),
            Peer::Verilator => (vec![prefix], 10),
        };
        let names = ComparedNames::new(own, peer, &prefixes);
        // Names of states are text made from a signal beside them, which others do not write.
        let all = own.signals.iter().chain(&peer.signals);
        let kept: Vec<bool> = all.map(|signal| signal.kind == SignalKind::Bits).collect();
        let mut comparer = Comparer::new(&names, &kept, Rules::EXACT, (1, 1));
        comparer.part(own, peer, (from, u64::MAX));
        let mut found = comparer.finish();
        if self == Peer::Verilator {
            found.only_right.clear();
        }
        match found.is_same() {
            true => Ok(found.compared),
            false => Err(found.to_string()),
        }
    }
}

/// Fails with the first difference when two recordings are not the same bytes.
pub fn same(left: &Recording, right: &Recording, what: &str) {
    if left.1 != right.1 {
        let found = compare(&read(&left.1), &read(&right.1), Rules::EXACT);
        panic!("{what}: other bytes: {found}");
    }
    assert_eq!(left.0, right.0, "{what}");
}

/// One configuration on every engine of the crate.
pub fn in_every_engine(text: &str, with_reference: bool) -> Recording {
    every_engine(&Case::new(text), text, with_reference)
}

/// Native code of every kind that there is here, the interpreter, and threads.
pub fn backends() -> Vec<(usize, Backend)> {
    let native = Isa::ALL.into_iter().filter(|isa| isa.is_available());
    let one_thread = native.map(|isa| (1, Backend::Native(isa)));
    let others = [
        (1, Backend::Interpreter),
        (2, Backend::best()),
        (3, Backend::Interpreter),
    ];
    one_thread.chain(others).collect()
}

/// A case on every engine of the crate; the recording is that of all.
pub fn every_engine(case: &Case, text: &str, with_reference: bool) -> Recording {
    let event = case.record(&mut case.event(1));
    for (threads, backend) in backends() {
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
    event
}

/// The number of random cases of a soak; `None` in a usual run.
pub fn soak_cases() -> Option<u32> {
    std::env::var("CROSSWAVE_SOAK_CASES").ok()?.parse().ok()
}

/// Checks random configurations, `cases` of them or as many as a soak asks for. A
/// longer soak continues the sequence that the short run begins.
pub fn random_cases(cases: u32, any: impl Strategy<Value = String>, check: impl Fn(&str)) {
    let mut runner = super::cases::runner(soak_cases().unwrap_or(cases));
    let result = runner.run(&any, |text| {
        check(&text);
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
}

/// Runs configurations of one network in a compiled model of another simulator
/// and compares every port with the event engine.
pub fn against_peer(simulator: Peer, texts: &[String]) {
    let place = tempfile::tempdir().expect("a temporary folder");
    let first = Case::new(&texts[0]);
    export::write(&first.config, "lockstep", place.path()).unwrap_or_else(|e| panic!("{e}"));
    let model = simulator.build(place.path());
    assert_eq!(model.diagnostics, "", "the compiler has nothing to say");
    for text in texts {
        let case = Case::new(text);
        // The compiled model is a network and its delays; all else is an option of the run.
        assert!(
            structural(&case.fabric, RouterOptions::Pins)
                == structural(&first.fabric, RouterOptions::Pins),
            "{text}"
        );
        let (outcome, bytes) = case.record(&mut case.event(1));
        let file = place.path().join("peer.vcd");
        let mut options = super::plusargs(&case.config, &place.path().join("input.csv"));
        options.push(format!("+vcd={}", file.display()));
        let cycles = super::run_cycles(&model, &options);
        assert_eq!(cycles, outcome.last_cycle, "{text}");
        let peer = wave::read_file(&file).unwrap_or_else(|e| panic!("{e}"));
        let compared = simulator.compare(&read(&bytes), &peer);
        let compared = compared.unwrap_or_else(|difference| panic!("{difference}\n{text}"));
        let arrays = case.fabric.arrays.iter();
        let ports: usize = arrays.map(|a| a.instances * a.chip.ports.len()).sum();
        assert_eq!(compared, ports, "{text}");
    }
}

/// Exchanges gates of a chip's netlist, every `step`-th one, and runs the case with each
/// netlist so broken. Returns how many there were, and how many were told apart from
/// the model by the recording.
pub fn broken_netlists(case: &Case, chip: &str, step: usize) -> (u32, u32) {
    let event = case.record(&mut case.event(1));
    let good = netlists::module(chip).unwrap_or_else(|e| panic!("{e}"));
    let gates: Vec<usize> = (0..good.cells.len())
        .filter(|&cell| matches!(good.cells[cell].kind, CellKind::Gate(_)))
        .collect();
    let (mut mutants, mut caught) = (0, 0);
    for &cell in gates.iter().step_by(step) {
        let Some(broken) = exchange(good, cell) else {
            continue;
        };
        // Engines keep plans by the addresses of netlists.
        let broken: &'static Module = Box::leak(Box::new(broken));
        let netlist = |name: &str| match name {
            name if name == chip => Ok(broken),
            other => netlists::module(other),
        };
        let fabric = case.fabric.clone();
        let seed = case.config.run.seed;
        let mut engine = GateEngine::new(fabric, netlist, seed, 1, Backend::best())
            .unwrap_or_else(|e| panic!("{e}"));
        mutants += 1;
        // A broken chip may break the host's own rules; that is caught too.
        let gate = catch_unwind(AssertUnwindSafe(|| case.record(&mut engine)));
        caught += match gate {
            Err(_) => 1,
            Ok(gate) if gate.1 == event.1 => 0,
            Ok(gate) => {
                let found = compare(&read(&event.1), &read(&gate.1), Rules::EXACT);
                assert!(
                    !found.differences.is_empty(),
                    "other bytes are other values"
                );
                assert!(found.to_string().contains("testbench.network."));
                1
            }
        };
    }
    (mutants, caught)
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
