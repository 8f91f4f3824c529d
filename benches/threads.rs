//! Cycles per second of the gate engine by threads, under saturated random
//! traffic: one, two, and as many as the engine chooses.
//!
//! `cargo bench --bench threads -- [NODES]... [--rounds R] [--json FILE]`
//! (default 64 to 65536, and 5 rounds)
//!
//! In a round the settings are measured one after another, so that what else the
//! machine does disturbs all of them. Speeds are those of the best round, ratios
//! the medians over rounds.

mod common;

use common::machine::Machine;
use common::speed::{Load, Span, Speed, measure};
use common::{option, table};
use crosswave_gate::{Backend, GateEngine};
use serde::Serialize;

/// Threads that are asked for; 0 leaves them to the engine.
const THREADS: [usize; 3] = [1, 2, 0];

/// One network with one setting.
#[derive(Debug, Serialize)]
struct Row {
    nodes: u32,
    /// Threads asked for; 0 leaves them to the engine.
    asked: usize,
    /// Threads in use.
    threads: usize,
    /// Engine and host, the best round.
    cycles_per_s: f64,
    /// The engine alone, the best round.
    engine_cycles_per_s: f64,
    /// Engine and host against one thread, the median of all rounds.
    ratio: f64,
    /// The engine alone against one thread, the median of all rounds.
    engine_ratio: f64,
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Many short windows: on a machine with other work a few of them are undisturbed.
fn span(nodes: u32) -> Span {
    let span = Span::of(nodes);
    let every = ((1 << 17) / u64::from(nodes)).max(5);
    Span {
        every,
        windows: span.every * span.windows / every,
        ..span
    }
}

fn sweep(nodes: u32, rounds: usize) -> Vec<Row> {
    let load = Load::saturated(nodes);
    let mut threads = [0; THREADS.len()];
    let mut speeds: Vec<[Speed; THREADS.len()]> = Vec::new();
    for _ in 0..rounds {
        speeds.push(std::array::from_fn(|setting| {
            let engine: GateEngine = load.engine(Backend::best(), THREADS[setting]);
            threads[setting] = engine.threads();
            measure(&load, engine, span(nodes))
        }));
    }
    let row = |setting: usize| {
        let best = |of: fn(&Speed) -> f64| {
            let all = speeds.iter().map(|round| of(&round[setting]));
            all.fold(0.0, f64::max)
        };
        let ratio = |of: fn(&Speed) -> f64| {
            let all = speeds.iter();
            median(all.map(|round| of(&round[setting]) / of(&round[0])))
        };
        Row {
            nodes,
            asked: THREADS[setting],
            threads: threads[setting],
            cycles_per_s: best(|speed| speed.cycles_per_s),
            engine_cycles_per_s: best(|speed| speed.engine_cycles_per_s),
            ratio: ratio(|speed| speed.cycles_per_s),
            engine_ratio: ratio(|speed| speed.engine_cycles_per_s),
        }
    };
    (0..THREADS.len()).map(row).collect()
}

#[derive(Serialize)]
struct Error<'a> {
    machine: &'a Machine,
    rows: &'a [Row],
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let machine = Machine::here();
    println!("{}\n", machine.line());
    let rounds = option(&arguments, "--rounds").map_or(5, |text| text.parse().expect("a number"));
    let mut nodes: Vec<u32> = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if word == "--rounds" || word == "--json" {
            words.next();
        } else {
            nodes.extend(word.parse::<u32>());
        }
    }
    if nodes.is_empty() {
        nodes = (6..=16).map(|levels| 1 << levels).collect();
    }
    let rows: Vec<Row> = nodes.iter().flat_map(|&n| sweep(n, rounds)).collect();
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            vec![
                row.nodes.to_string(),
                match row.asked {
                    0 => format!("automatic: {}", row.threads),
                    asked => asked.to_string(),
                },
                format!("{:.0}", row.cycles_per_s),
                format!("{:.2}", row.ratio),
                format!("{:.0}", row.engine_cycles_per_s),
                format!("{:.2}", row.engine_ratio),
            ]
        })
        .collect();
    let header = [
        "nodes",
        "threads",
        "cycles/s",
        "ratio",
        "engine alone",
        "ratio",
    ];
    println!("{}", table(&header, &cells));
    if let Some(path) = option(&arguments, "--json") {
        let error = Error {
            machine: &machine,
            rows: &rows,
        };
        let text = serde_json::to_string_pretty(&error).expect("plain data");
        std::fs::write(path, text + "\n").expect("the file can be written");
    }
}
