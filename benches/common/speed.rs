//! Cycles per second of a network under traffic, the engine's time apart from
//! that of the host.

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

use crosswave_chips::netlists;
use crosswave_gate::{Backend, GateEngine};
use crosswave_network::Fabric;
use crosswave_network::traffic::Workload;
use crosswave_probe::engine::{Burst, Engine, InstanceList, LocalHost};
use crosswave_run::config::Config;
use crosswave_run::host::Outcome;
use crosswave_run::observer::Observer;
use crosswave_run::simulation::Simulation;

/// An engine that says how long its clock edges took.
pub struct Timed<E> {
    engine: E,
    /// Seconds in [`Engine::step`], which the observer reads as well.
    step_seconds: Rc<Cell<f64>>,
}

impl<E: Engine> Timed<E> {
    /// Times an engine from now on.
    pub fn new(engine: E) -> Timed<E> {
        Timed {
            engine,
            step_seconds: Rc::default(),
        }
    }
}

impl<E> Timed<E> {
    /// Seconds in [`Engine::step`] and [`Engine::advance`] so far.
    pub fn seconds(&self) -> f64 {
        self.step_seconds.get()
    }

    fn add(&self, start: Instant) {
        let seconds = self.step_seconds.get() + start.elapsed().as_secs_f64();
        self.step_seconds.set(seconds);
    }
}

impl<E: Engine> Engine for Timed<E> {
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
    fn plane(&self, array: usize, port: usize, bit: usize, instances: usize, words: &mut [u64]) {
        self.engine.plane(array, port, bit, instances, words);
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
        let start = Instant::now();
        self.engine.step();
        self.add(start);
    }
    fn burst(&self, array: usize) -> Option<Burst> {
        self.engine.burst(array)
    }
    /// The time of a burst has that of the host's answers in it.
    fn advance(&mut self, host: &dyn LocalHost) {
        let start = Instant::now();
        self.engine.advance(host);
        self.add(start);
    }
    fn skip_to(&mut self, cycle: u64) {
        self.engine.skip_to(cycle);
    }
}

/// The time of the clock in one cycle.
#[derive(Clone, Copy)]
struct Note {
    cycle: u64,
    time: Instant,
    /// Seconds in the engine until then.
    engine: f64,
}

/// Notes the time every `every` cycles from `first` on, or as soon after that as the
/// engine shows itself, `windows` times, and stops.
struct Windows {
    first: u64,
    every: u64,
    windows: u64,
    notes: Vec<Note>,
    step_seconds: Rc<Cell<f64>>,
    done: bool,
}

impl Observer for Windows {
    fn cycle(&mut self, engine: &dyn Engine, _: bool) {
        let cycle = engine.cycle();
        if cycle >= self.first + self.notes.len() as u64 * self.every {
            self.notes.push(Note {
                cycle,
                time: Instant::now(),
                engine: self.step_seconds.get(),
            });
            self.done = self.notes.len() as u64 > self.windows;
        }
    }

    fn takes_bursts(&self) -> bool {
        true
    }

    fn interrupted(&mut self) -> bool {
        self.done
    }
}

/// A network and its traffic.
pub struct Load {
    /// The configuration, ready to run.
    pub simulation: Simulation,
    /// Its fabric, or one that is joined in the same way.
    pub fabric: Fabric,
    /// The messages that are sent.
    pub workload: Workload,
}

impl Load {
    /// A fat tree, and traffic as the lines of the table `[traffic]` say.
    pub fn new(nodes: u32, traffic: &str) -> Load {
        Load::of_kind("fat-tree", nodes, traffic)
    }

    /// A network of a kind, and traffic as the lines of the table `[traffic]` say.
    pub fn of_kind(kind: &str, nodes: u32, traffic: &str) -> Load {
        let text = format!(
            "[network]\nkind='{kind}'\nnodes={nodes}\n[traffic]\n{traffic}\n[run]\ncycles_max=1_000_000_000_000\n"
        );
        let config = Config::parse(&text, "bench", Path::new("."), &[]);
        let config = config.expect("a valid configuration");
        let simulation = Simulation::new(&config).expect("a legal configuration");
        Load {
            fabric: simulation.fabric().clone(),
            workload: simulation.replicate(0).expect("traffic").workload,
            simulation,
        }
    }

    /// Every node always has a message to send. In large networks there is one for
    /// each: none is acknowledged before all the cycles that are measured are over
    /// in more than a few nodes.
    pub fn saturated(nodes: u32) -> Load {
        Load::saturated_of_kind("fat-tree", nodes)
    }

    /// [`Load::saturated`] in a network of a kind.
    pub fn saturated_of_kind(kind: &str, nodes: u32) -> Load {
        let traffic = match nodes {
            ..=65_536 => {
                let repeat = (1 << 21) / nodes;
                format!("pattern='random'\nrepeat={repeat}\nwords=8")
            }
            _ => "pattern='random'".to_owned(),
        };
        Load::of_kind(kind, nodes, &traffic)
    }

    /// An engine at cycle 0.
    pub fn engine(&self, backend: Backend, threads: usize) -> GateEngine {
        let fabric = self.fabric.clone();
        GateEngine::new(fabric, netlists::plain, 1, threads, backend).expect("the chips' netlists")
    }

    /// Runs from reset until all is acknowledged, or the observer has enough.
    pub fn run(&self, engine: &mut dyn Engine, observer: &mut dyn Observer) -> Outcome {
        self.simulation.run_on(engine, &self.workload, observer)
    }
}

/// Cycles to measure: `windows` windows of `every` cycles from `first` on.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    /// The first cycle.
    pub first: u64,
    /// Cycles of a window.
    pub every: u64,
    /// Windows.
    pub windows: u64,
}

impl Span {
    /// Values that fit a network of so many nodes: about as much work in every window, after the
    /// traffic has reached all levels. In the largest networks these are cycles 50 to 150.
    pub fn of(nodes: u32) -> Span {
        match nodes {
            ..=65_536 => Span {
                first: 400,
                every: ((1 << 21) / u64::from(nodes)).max(50),
                windows: 20,
            },
            _ => Span {
                first: 50,
                every: 10,
                windows: 10,
            },
        }
    }
}

/// The speeds that were measured.
#[derive(Debug, Clone, Copy)]
pub struct Speed {
    /// Cycles per second of engine and host in the fastest window.
    pub cycles_per_s: f64,
    /// Cycles per second of the engine alone in its fastest window.
    pub engine_cycles_per_s: f64,
    /// Cycles per second of engine and host in all windows.
    pub mean_cycles_per_s: f64,
    /// Windows that were measured.
    pub windows: usize,
}

impl Speed {
    /// Nothing measured yet.
    pub const NONE: Speed = Speed {
        cycles_per_s: 0.0,
        engine_cycles_per_s: 0.0,
        mean_cycles_per_s: 0.0,
        windows: 0,
    };

    /// The best of two runs.
    pub fn fastest(self, other: Speed) -> Speed {
        Speed {
            cycles_per_s: self.cycles_per_s.max(other.cycles_per_s),
            engine_cycles_per_s: self.engine_cycles_per_s.max(other.engine_cycles_per_s),
            mean_cycles_per_s: self.mean_cycles_per_s.max(other.mean_cycles_per_s),
            windows: self.windows + other.windows,
        }
    }
}

/// Measures a network. The fastest window is the one least disturbed by what else
/// the machine does.
///
/// # Panics
/// When the traffic ends before the first window does.
pub fn measure(load: &Load, engine: GateEngine, span: Span) -> Speed {
    let mut engine = Timed::new(engine);
    let mut windows = Windows {
        first: span.first,
        every: span.every,
        windows: span.windows,
        notes: Vec::new(),
        step_seconds: engine.step_seconds.clone(),
        done: false,
    };
    load.run(&mut engine, &mut windows);
    let notes = &windows.notes;
    assert!(notes.len() > 1, "the traffic ended too early");
    let rate = |seconds: fn(Note, Note) -> f64, from: Note, to: Note| {
        (to.cycle - from.cycle) as f64 / seconds(from, to)
    };
    let best = |seconds: fn(Note, Note) -> f64| {
        let rates = notes.windows(2).map(|pair| rate(seconds, pair[0], pair[1]));
        rates.fold(0.0, f64::max)
    };
    let whole: fn(Note, Note) -> f64 = |from, to| (to.time - from.time).as_secs_f64();
    Speed {
        cycles_per_s: best(whole),
        engine_cycles_per_s: best(|from, to| to.engine - from.engine),
        mean_cycles_per_s: rate(whole, notes[0], notes[notes.len() - 1]),
        windows: notes.len() - 1,
    }
}
