//! Other simulators and the gate engine on the same network, in turns.

use std::fs;
use std::path::{Path, PathBuf};

use crosswave_gate::Backend;
use serde::Serialize;

use super::super::speed::{Load, Span, measure};
use super::super::spread;
use super::recording::{Drive, Recording};
use super::{Model, Tool};

/// The titles of [`Row::cells`].
pub const HEADER: [&str; 8] = [
    "network",
    "tool",
    "s to build its model",
    "its cycles/s",
    "engine, same pins",
    "ratio",
    "engine and host",
    "ratio",
];

/// Seconds of a measurement at least.
const SECONDS: f64 = 1.0;

/// The result of one tool on one network.
#[derive(Debug, Serialize)]
pub struct Row {
    /// Kind and size of the network.
    pub network: String,
    /// The tool, its version and its options.
    pub tool: String,
    /// Seconds that its model took to build.
    pub build_seconds: f64,
    /// Cycles per second of each round.
    pub theirs: Vec<f64>,
    /// Cycles per second of the gate engine with the same pins, in each round.
    pub engine: Vec<f64>,
    /// Cycles per second of the gate engine with its host, in each round.
    pub with_host: Vec<f64>,
}

impl Row {
    /// The columns of [`HEADER`].
    pub fn cells(&self) -> Vec<String> {
        let ratios = |ours: &[f64]| -> Vec<f64> {
            let pairs = ours.iter().zip(&self.theirs);
            pairs.map(|(ours, theirs)| ours / theirs).collect()
        };
        vec![
            self.network.clone(),
            self.tool.clone(),
            format!("{:.0}", self.build_seconds),
            spread(&self.theirs, 0),
            spread(&self.engine, 0),
            spread(&ratios(&self.engine), 1),
            spread(&self.with_host, 0),
            spread(&ratios(&self.with_host), 1),
        ]
    }
}

/// The values of a flag that may be given again.
pub fn all<'a>(arguments: &'a [String], flag: &str) -> Vec<&'a str> {
    let pairs = arguments.windows(2).filter(|pair| pair[0] == flag);
    pairs.map(|pair| pair[1].as_str()).collect()
}

/// The tools that arguments ask for; the `verilator` and `g++` of the path where they do not.
pub fn tools(arguments: &[String]) -> Vec<Tool> {
    let mut programs = all(arguments, "--verilator");
    let cxxrtl = all(arguments, "--cxxrtl");
    if programs.is_empty() && cxxrtl.is_empty() {
        programs.push("verilator");
    }
    let mut options = vec![Vec::new()];
    for more in all(arguments, "--options") {
        options.push(more.split_whitespace().map(str::to_owned).collect());
    }
    let mut compilers = all(arguments, "--compiler");
    if compilers.is_empty() {
        compilers.push("g++");
    }
    let mut tools = Vec::new();
    for compiler in compilers.into_iter().map(PathBuf::from) {
        for program in &programs {
            for options in &options {
                tools.push(Tool::Verilator {
                    program: PathBuf::from(program),
                    options: options.clone(),
                    compiler: compiler.clone(),
                });
            }
        }
        for program in &cxxrtl {
            tools.push(Tool::Cxxrtl {
                program: PathBuf::from(program),
                compiler: compiler.clone(),
            });
        }
    }
    tools
}

/// Cycles per second of the gate engine with the recorded pins.
fn replayed(recording: &Recording, drives: &[Vec<Drive>]) -> f64 {
    let (mut cycles, mut seconds) = (0, 0.0);
    while seconds < SECONDS {
        seconds += recording.replay(drives, false).1;
        cycles += recording.cycles() - 1;
    }
    cycles as f64 / seconds
}

/// Compares tools on a network of a kind: `cycles` of it are recorded, and the tools run in turns.
///
/// # Panics
/// When a tool is not there, its model does not compile, or it shows other values than the engines.
pub fn compare(kind: &str, nodes: u32, tools: &[Tool], rounds: usize, cycles: usize) -> Vec<Row> {
    let recording = Recording::new(kind, nodes, cycles);
    let folder = Path::new("target/peers").join(format!("{kind}-{nodes}"));
    let folder = std::path::absolute(folder).expect("a path");
    fs::create_dir_all(&folder).expect("a folder to write to");
    let buffer = folder.join("pins.bin");
    recording.write(&buffer);
    let drives = recording.drives();
    let (sum, _) = recording.replay(&drives, true);
    assert_eq!(sum, recording.checksum, "the gate engine shows else");

    let build = |tool: &Tool| Model::build(tool, &recording, &folder);
    let models: Vec<Model> = tools.iter().map(build).collect();
    let load = Load::saturated_of_kind(kind, nodes);
    let mut rows: Vec<Row> = tools
        .iter()
        .zip(&models)
        .map(|(tool, model)| Row {
            network: format!("{kind}, {nodes} nodes"),
            tool: tool.name(),
            build_seconds: model.build_seconds,
            theirs: Vec::new(),
            engine: Vec::new(),
            with_host: Vec::new(),
        })
        .collect();
    for _ in 0..rounds {
        for (model, row) in models.iter().zip(&mut rows) {
            row.theirs
                .push(model.cycles_per_second(&recording, &buffer, SECONDS));
            row.engine.push(replayed(&recording, &drives));
            let engine = load.engine(Backend::best(), 1);
            // The mean, not the best window: the others' are means too.
            let speed = measure(&load, engine, Span::of(nodes));
            row.with_host.push(speed.mean_cycles_per_s);
        }
    }
    rows
}
