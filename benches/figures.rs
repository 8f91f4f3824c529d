//! The figures of merit, with the machine that they were measured on.
//!
//! `cargo bench --bench figures -- [FIGURE]... [--json FILE]`
//!
//! | figure | is |
//! |---|---|
//! | `saturated` | cycles per second of 64, 256 and 1024 nodes that always send, by backend |
//! | `start` | seconds from the embedded netlists to the first cycle of 1024 nodes |
//! | `million` | 2^20 nodes, a message each: seconds to the last acknowledgement, by threads |
//! | `light` | 2^16 nodes, 64 or 4 of which send, against all |
//! | `irregular` | 1024 nodes, the routers numbered or also joined at random, against the fat tree |
//!
//! All of them without a name; `million` takes a minute or two. JSON goes to a file, the table to the output.

use std::time::Instant;

use crosswave_gate::Backend;
use crosswave_lanes::native::Isa;
use crosswave_network::fat_tree::ROUTERS;
use crosswave_network::shuffle::{rewired, shuffled};
use crosswave_probe::engine::Engine;
use serde::Serialize;

mod common;

use common::machine::Machine;
use common::speed::{Load, Span, Speed, Timed, measure};
use common::{option, short, table};

/// One figure.
#[derive(Debug, Clone, Serialize)]
struct Figure {
    /// The name to ask for it.
    figure: &'static str,
    /// A description of the figure.
    what: String,
    nodes: u32,
    threads: usize,
    backend: String,
    value: f64,
    unit: &'static str,
}

/// The settings of a run.
#[derive(Debug, Clone, Copy)]
struct Setting {
    figure: &'static str,
    nodes: u32,
    threads: usize,
    backend: Backend,
}

impl Setting {
    /// One thread, the best backend.
    fn new(figure: &'static str, nodes: u32) -> Setting {
        Setting {
            figure,
            nodes,
            threads: 1,
            backend: Backend::best(),
        }
    }

    fn figure(self, what: &str, value: f64, unit: &'static str) -> Figure {
        Figure {
            figure: self.figure,
            what: what.to_owned(),
            nodes: self.nodes,
            threads: self.threads,
            backend: self.backend.to_string(),
            value,
            unit,
        }
    }

    /// The fastest of several runs.
    fn measure(self, load: &Load, runs: usize) -> Speed {
        let run = |_| {
            let engine = load.engine(self.backend, self.threads);
            measure(load, engine, Span::of(self.nodes))
        };
        (0..runs).map(run).fold(Speed::NONE, Speed::fastest)
    }

    /// The speed of engine and host, and of the engine alone.
    fn speed(self, load: &Load, what: &str) -> (Speed, [Figure; 2]) {
        let speed = self.measure(load, 3);
        (speed, self.figures(what, speed))
    }

    fn figures(self, what: &str, speed: Speed) -> [Figure; 2] {
        let alone = format!("{what}, engine alone");
        [
            self.figure(what, speed.cycles_per_s, "cycles/s"),
            self.figure(&alone, speed.engine_cycles_per_s, "cycles/s"),
        ]
    }
}

fn saturated() -> Vec<Figure> {
    let native = Isa::ALL.into_iter().filter(|isa| isa.is_available());
    let backends: Vec<Backend> = native
        .map(Backend::Native)
        .chain([Backend::Interpreter])
        .collect();
    let mut figures = Vec::new();
    for nodes in [64, 256, 1024] {
        let load = Load::saturated(nodes);
        for &backend in &backends {
            let setting = Setting {
                backend,
                ..Setting::new("saturated", nodes)
            };
            figures.extend(setting.speed(&load, "saturated").1);
        }
    }
    figures
}

/// Nodes of the network whose start is measured.
const START_NODES: u32 = 1024;

/// Seconds to the first cycle, in this process.
fn start_seconds() -> f64 {
    let start = Instant::now();
    let load = Load::new(START_NODES, "pattern='pair'\nsource=0\ndestination=1");
    let mut engine = load.engine(Backend::best(), 1);
    // Into the reset cycle, and the first one that is evaluated.
    engine.step();
    engine.step();
    start.elapsed().as_secs_f64()
}

/// The best of some new processes, since netlists are read once in each.
fn start() -> Vec<Figure> {
    let program = std::env::current_exe().expect("the path of this program");
    let run = |_| {
        let output = std::process::Command::new(&program)
            .arg("--start-seconds")
            .output()
            .expect("this program runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.trim().parse::<f64>().expect("a number of seconds")
    };
    let best = (0..10).map(run).fold(f64::MAX, f64::min);
    let setting = Setting::new("start", START_NODES);
    vec![setting.figure("netlists to first cycle", best, "s")]
}

fn million(machine: &Machine) -> Vec<Figure> {
    let load = Load::new(1 << 20, "pattern='random'");
    let mut threads = vec![1, machine.threads.min(2)];
    threads.dedup();
    let mut figures = Vec::new();
    for threads in threads {
        let setting = Setting {
            threads,
            ..Setting::new("million", 1 << 20)
        };
        let engine = load.engine(setting.backend, threads);
        let bytes = engine.memory_bytes();
        let mut engine = Timed::new(engine);
        let start = Instant::now();
        let outcome = load.run(&mut engine, &mut ());
        let seconds = start.elapsed().as_secs_f64();
        let figure = |what: &str, value, unit| setting.figure(what, value, unit);
        figures.extend([
            figure("to the last acknowledgement", seconds, "s"),
            figure("engine alone", engine.seconds(), "s"),
            figure("cycles", outcome.last_cycle as f64, "cycles"),
            figure("state and wiring", bytes as f64, "B"),
        ]);
    }
    figures
}

/// Nodes of the network in which few or all send.
const LIGHT_NODES: u32 = 1 << 16;

fn light() -> Vec<Figure> {
    let setting = Setting::new("light", LIGHT_NODES);
    let (all, all_figures) = setting.speed(&Load::saturated(LIGHT_NODES), "all nodes send");
    let mut figures = all_figures.to_vec();
    for senders in [64, 4] {
        let traffic = format!("pattern='random'\nmessages={senders}\nrepeat=2000\nwords=8");
        let few = Load::new(LIGHT_NODES, &traffic);
        let (few, few_figures) = setting.speed(&few, &format!("{senders} nodes send"));
        let ratio = few.engine_cycles_per_s / all.engine_cycles_per_s;
        let what = format!("{senders} against all, engine alone");
        figures.extend(few_figures);
        figures.push(setting.figure(&what, ratio, "times"));
    }
    figures
}

fn irregular() -> Vec<Figure> {
    let setting = Setting::new("irregular", 1024);
    let tree = Load::saturated(setting.nodes).fabric;
    let load = |fabric| Load {
        fabric,
        ..Load::saturated(setting.nodes)
    };
    let loads = [
        ("fat tree", load(tree.clone())),
        ("shuffled", load(shuffled(&tree, ROUTERS))),
        (
            "rewired, shuffled",
            load(shuffled(&rewired(&tree), ROUTERS)),
        ),
    ];
    // By turns, so that what else the machine does disturbs all of them.
    let mut speeds = [Speed::NONE; 3];
    for _ in 0..5 {
        for ((_, load), speed) in loads.iter().zip(&mut speeds) {
            *speed = speed.fastest(setting.measure(load, 1));
        }
    }
    let mut figures = Vec::new();
    for ((what, _), speed) in loads.iter().zip(speeds) {
        figures.extend(setting.figures(what, speed));
        let ratio = speeds[0].engine_cycles_per_s / speed.engine_cycles_per_s;
        let what = format!("fat tree against {what}, engine alone");
        figures.push(setting.figure(&what, ratio, "times"));
    }
    // The fat tree against itself.
    figures.remove(2);
    figures
}

/// A value for a reader.
fn shown(figure: &Figure) -> String {
    match figure.unit {
        "cycles" => format!("{:.0} cycles", figure.value),
        "cycles/s" => format!("{:.0} cycles/s", figure.value),
        "times" => format!("{:.2} times", figure.value),
        "s" if figure.value < 1.0 => format!("{:.1} ms", figure.value * 1e3),
        unit => format!("{}{unit}", short(figure.value)),
    }
}

#[derive(Serialize)]
struct Error<'a> {
    machine: &'a Machine,
    figures: &'a [Figure],
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments
        .iter()
        .any(|argument| argument == "--start-seconds")
    {
        println!("{}", start_seconds());
        return;
    }
    let machine = Machine::here();
    let names = ["saturated", "start", "million", "light", "irregular"];
    let named = |name: &&str| arguments.iter().any(|argument| argument == name);
    let all = !names.iter().any(named);
    println!("{}\n", machine.line());
    let mut figures = Vec::new();
    for name in names.into_iter().filter(|name| all || named(name)) {
        figures.extend(match name {
            "saturated" => saturated(),
            "start" => start(),
            "million" => million(&machine),
            "light" => light(),
            _ => irregular(),
        });
    }
    let rows: Vec<Vec<String>> = figures
        .iter()
        .map(|figure| {
            vec![
                figure.figure.to_owned(),
                figure.nodes.to_string(),
                figure.threads.to_string(),
                figure.backend.clone(),
                figure.what.clone(),
                shown(figure),
            ]
        })
        .collect();
    let header = ["figure", "nodes", "threads", "backend", "what", "measured"];
    println!("{}", table(&header, &rows));
    if let Some(path) = option(&arguments, "--json") {
        let error = Error {
            machine: &machine,
            figures: &figures,
        };
        let text = serde_json::to_string_pretty(&error).expect("plain data");
        std::fs::write(path, text + "\n").expect("the file can be written");
    }
}
