//! The gate engine against other simulators at their best, on the same network and with the
//! same pins in every cycle: saturated random traffic, waves off, one thread each.
//!
//! `cargo bench --bench peers -- [KIND=NODES]... [--verilator PATH]... [--cxxrtl YOSYS]
//! [--options "OPTIONS"] [--rounds N] [--cycles N] [--json FILE]`
//!
//! Networks are `fat-tree=64` when none is named. `--verilator` may be given again, for other
//! versions; without it and `--cxxrtl` it is the `verilator` of the path. `--options` are more of
//! Verilator's, for one more model of each. The compiled models
//! stay in `target/peers` and are used again; compiling takes minutes at 64 nodes.
//!
//! All tools run in turns, once in each round. The columns are cycles per second: of the tool;
//! of the gate engine driven with the pins that the tool is driven with, but drawing its random
//! bits itself; and of the gate engine with its host. Ratios are medians of the ratios of rounds.

use std::fs;
use std::path::{Path, PathBuf};

use crosswave_gate::Backend;
use serde::Serialize;

mod common;

use common::machine::Machine;
use common::peers::recording::{Drive, Recording};
use common::peers::{Model, Tool};
use common::speed::{Load, Span, measure};
use common::{option, table};

/// Seconds of a measurement at least.
const SECONDS: f64 = 1.0;

/// The result of one tool on one network.
#[derive(Debug, Serialize)]
struct Row {
    network: String,
    tool: String,
    /// Cycles per second of each round.
    theirs: Vec<f64>,
    /// Cycles per second of the gate engine with the same pins, in each round.
    engine: Vec<f64>,
    /// Cycles per second of the gate engine with its host, in each round.
    with_host: Vec<f64>,
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Median, lowest and highest.
fn spread(values: &[f64], digits: usize) -> String {
    let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = values.iter().copied().fold(0.0, f64::max);
    let middle = median(values.to_vec());
    format!("{middle:.digits$} ({lowest:.digits$} to {highest:.digits$})")
}

impl Row {
    fn cells(&self) -> Vec<String> {
        let ratios = |ours: &[f64]| -> Vec<f64> {
            let pairs = ours.iter().zip(&self.theirs);
            pairs.map(|(ours, theirs)| ours / theirs).collect()
        };
        vec![
            self.network.clone(),
            self.tool.clone(),
            spread(&self.theirs, 0),
            spread(&self.engine, 0),
            spread(&ratios(&self.engine), 1),
            spread(&self.with_host, 0),
            spread(&ratios(&self.with_host), 1),
        ]
    }
}

/// The values of a flag that may be given again.
fn all<'a>(arguments: &'a [String], flag: &str) -> Vec<&'a str> {
    let pairs = arguments.windows(2).filter(|pair| pair[0] == flag);
    pairs.map(|pair| pair[1].as_str()).collect()
}

/// The tools that are asked for.
fn tools(arguments: &[String]) -> Vec<Tool> {
    let mut programs = all(arguments, "--verilator");
    let cxxrtl = all(arguments, "--cxxrtl");
    if programs.is_empty() && cxxrtl.is_empty() {
        programs.push("verilator");
    }
    let mut options = vec![Vec::new()];
    for more in all(arguments, "--options") {
        options.push(more.split_whitespace().map(str::to_owned).collect());
    }
    let mut tools = Vec::new();
    for program in programs {
        for options in &options {
            tools.push(Tool::Verilator {
                program: PathBuf::from(program),
                options: options.clone(),
            });
        }
    }
    tools.extend(cxxrtl.into_iter().map(PathBuf::from).map(Tool::Cxxrtl));
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

fn compare(kind: &str, nodes: u32, tools: &[Tool], rounds: usize, cycles: usize) -> Vec<Row> {
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
        .map(|tool| Row {
            network: format!("{kind}, {nodes} nodes"),
            tool: tool.name(),
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

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |flag| option(&arguments, flag).map(|text| text.parse().expect("a number"));
    let rounds = number("--rounds").unwrap_or(5);
    let network = |argument: &String| {
        let (kind, nodes) = argument.split_once('=')?;
        Some((kind.to_owned(), nodes.parse::<u32>().ok()?))
    };
    let mut networks: Vec<(String, u32)> = arguments.iter().filter_map(network).collect();
    if networks.is_empty() {
        networks.push(("fat-tree".to_owned(), 64));
    }
    let tools = tools(&arguments);
    let machine = Machine::here();
    println!("{}; {}\n", machine.line(), Backend::best());
    let mut rows = Vec::new();
    for (kind, nodes) in networks {
        let cycles = number("--cycles").unwrap_or(1_000_000 / nodes as usize);
        rows.extend(compare(
            &kind,
            nodes,
            &tools,
            rounds,
            cycles.clamp(100, 20_000),
        ));
    }
    let header = [
        "network",
        "tool",
        "its cycles/s",
        "engine, same pins",
        "ratio",
        "engine and host",
        "ratio",
    ];
    let cells: Vec<Vec<String>> = rows.iter().map(Row::cells).collect();
    println!("{}", table(&header, &cells));
    if let Some(file) = option(&arguments, "--json") {
        let document = serde_json::json!({ "machine": machine, "rows": rows });
        let text = serde_json::to_string_pretty(&document).expect("plain data");
        fs::write(file, text).expect("a file to write to");
    }
}
