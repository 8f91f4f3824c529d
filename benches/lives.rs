//! Cost of tracing messages: cycles per second of a run by itself, traced, and traced into a file
//! of events, one after the other in each of several rounds; ratios are medians.
//!
//! `cargo bench --bench lives -- [NODES]... [--rounds N]` (default 64 1024, 5 rounds)
//!
//! Two kinds of traffic: saturated, in which every node always sends, and a load of a tenth.

use std::fs::File;
use std::io::{self, BufWriter};
use std::time::Instant;

use crosswave_observe::life::behind::behind;
use crosswave_observe::life::events::EventsWriter;
use crosswave_observe::life::{AttemptRecord, Follower, LifeSink, MessageLife};
use crosswave_run::config::Config;
use crosswave_run::simulation::Simulation;

mod common;

use common::{option, short, table};

/// Takes records and drops them.
#[derive(Default)]
struct Counter {
    attempts: u64,
}

impl LifeSink for &mut Counter {
    fn attempt(&mut self, _: &AttemptRecord) -> io::Result<()> {
        self.attempts += 1;
        Ok(())
    }

    fn message(&mut self, _: &MessageLife) -> io::Result<()> {
        Ok(())
    }
}

/// Seconds of a run by itself, followed, and into a file; cycles, attempts, and bytes.
fn round(simulation: &Simulation) -> ([f64; 3], u64, u64, u64) {
    let replicate = simulation.replicate(0).expect("no trace");
    let (network, fabric) = (simulation.network(), simulation.fabric());
    let start = Instant::now();
    let outcome = simulation.run_one(&replicate, &mut ()).expect("it runs");
    let alone = start.elapsed().as_secs_f64();

    let mut counter = Counter::default();
    let start = Instant::now();
    let mut follower = Follower::new(network, fabric, &mut counter);
    simulation
        .run_one(&replicate, &mut follower)
        .expect("it runs");
    follower.finish().expect("records are dropped");
    let followed = start.elapsed().as_secs_f64();

    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let start = Instant::now();
    let out = BufWriter::with_capacity(1 << 18, File::create(file.path()).expect("a file"));
    let mut writer = EventsWriter::new(fabric, out);
    let ((), taken) = behind(&mut writer, |records| {
        let mut follower = Follower::new(network, fabric, records);
        let ran = simulation.run_one(&replicate, &mut follower);
        ran.expect("it runs");
        follower.finish().expect("there is room");
    });
    taken.expect("there is room");
    writer.finish().expect("there is room");
    let written = start.elapsed().as_secs_f64();
    let bytes = file.path().metadata().expect("it is there").len();
    (
        [alone, followed, written],
        outcome.last_cycle,
        counter.attempts,
        bytes,
    )
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rounds = option(&arguments, "--rounds").map_or(5, |n| n.parse().expect("a number"));
    let numbers = arguments
        .iter()
        .filter(|argument| !argument.starts_with("--"));
    let nodes: Vec<u32> = numbers
        .filter_map(|n| n.parse().ok())
        .filter(|&n| n >= 16)
        .collect();
    let nodes = if nodes.is_empty() {
        vec![64, 1024]
    } else {
        nodes
    };
    let mut rows = Vec::new();
    for nodes in nodes {
        for traffic in ["saturated", "a tenth"] {
            for engine in ["gate", "event"] {
                let pattern = match traffic {
                    "saturated" => format!("pattern='random'\nrepeat={}", (1 << 14) / nodes),
                    _ => format!("pattern='steady'\nload=0.1\ncycles={}", (1 << 21) / nodes),
                };
                let text = format!(
                    "[network]\nkind='fat-tree'\nnodes={nodes}\n[traffic]\n{pattern}\nwords=8\n\
                     [run]\nengine='{engine}'\nthreads=1\n"
                );
                let config = Config::parse(&text, "bench", std::path::Path::new("."), &[]);
                let simulation = Simulation::new(&config.expect("legal")).expect("legal");
                round(&simulation);
                let mut seconds: [Vec<f64>; 3] = Default::default();
                let mut told = (0, 0, 0);
                for _ in 0..rounds {
                    let (took, cycles, attempts, bytes) = round(&simulation);
                    took.iter()
                        .zip(&mut seconds)
                        .for_each(|(took, all)| all.push(*took));
                    told = (cycles, attempts, bytes);
                }
                let ratio = |of: usize| -> String {
                    let pairs = seconds[of].iter().zip(&seconds[0]);
                    let mut ratios: Vec<f64> = pairs.map(|(with, alone)| with / alone).collect();
                    format!("{:.2}", median(&mut ratios))
                };
                let (cycles, attempts, bytes) = told;
                let (followed, written) = (ratio(1), ratio(2));
                rows.push(vec![
                    nodes.to_string(),
                    traffic.to_owned(),
                    engine.to_owned(),
                    short(cycles as f64 / median(&mut seconds[0].clone())),
                    format!("{:.2}", attempts as f64 / cycles as f64),
                    format!("{:.0}", bytes as f64 / cycles as f64),
                    followed,
                    written,
                ]);
            }
        }
    }
    let header = [
        "nodes",
        "traffic",
        "engine",
        "cycles/s alone",
        "attempts a cycle",
        "bytes a cycle",
        "time followed / alone",
        "time with events / alone",
    ];
    print!("{}", table(&header, &rows));
}
