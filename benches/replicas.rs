//! Replicates of a small network one by one against several in the lanes of one
//! gate engine: saturated random traffic, all to the end.
//!
//! `cargo bench --bench replicas -- [NODES]... [xTOGETHER]...` (default 64, and
//! x1 to x64)

use std::path::Path;
use std::time::Instant;

use crosswave_chips::netlists;
use crosswave_gate::{Backend, GateEngine};
use crosswave_probe::engine::Engine;
use crosswave_run::config::Config;
use crosswave_run::host::Outcome;
use crosswave_run::replicate::Replicate;
use crosswave_run::simulation::Simulation;

/// Replicates of a run.
const REPLICATES: u32 = 64;

/// Seconds to make the engines, and in the cycle loops.
#[derive(Default)]
struct Seconds {
    setup: f64,
    cycles: f64,
}

/// Runs replicates in the copies of one engine.
fn together(
    simulation: &Simulation,
    replicates: &[Replicate],
    seconds: &mut Seconds,
) -> Vec<Outcome> {
    let start = Instant::now();
    let fabric = simulation.fabric().replicated(replicates.len());
    let seeds: Vec<u64> = replicates.iter().map(|replicate| replicate.seed).collect();
    let copies = fabric.copies;
    let engine = GateEngine::of_copies(fabric, netlists::plain, &seeds, 1, Backend::best());
    let mut engine = engine.unwrap_or_else(|error| panic!("{error}"));
    seconds.setup += start.elapsed().as_secs_f64();
    let start = Instant::now();
    let engine: &mut dyn Engine = &mut engine;
    let outcomes = simulation.run_together_on(engine, copies, replicates, &mut ());
    seconds.cycles += start.elapsed().as_secs_f64();
    outcomes
}

fn main() {
    let nodes: Vec<u32> = std::env::args()
        .skip(1)
        .filter_map(|a| a.parse().ok())
        .collect();
    let nodes = if nodes.is_empty() { vec![64] } else { nodes };
    let counts: Vec<usize> = std::env::args()
        .filter_map(|a| a.strip_prefix('x')?.parse().ok())
        .collect();
    let counts = match counts.as_slice() {
        [] => &[1, 2, 4, 8, 16, 32, 64],
        counts => counts,
    };
    println!(
        "{:>6} {:>9} {:>10} {:>9} {:>9} {:>14} {:>12} {:>10}",
        "nodes",
        "together",
        "cycles",
        "setup_s",
        "cycles_s",
        "cycles_per_s",
        "times_cycles",
        "times_all"
    );
    for nodes in nodes {
        let text = format!(
            "[network]\nkind='fat-tree'\nnodes={nodes}\n[traffic]\npattern='random'\nrepeat={}\nwords=8\n[run]\nreplicates={REPLICATES}\n",
            (1 << 14) / nodes.max(64),
        );
        let config = Config::parse(&text, "bench", Path::new("."), &[]);
        let config = config.unwrap_or_else(|error| panic!("{error}"));
        let simulation = Simulation::new(&config).expect("a legal configuration");
        let replicates: Vec<Replicate> = (0..REPLICATES)
            .map(|index| Replicate::new(&config, index).unwrap_or_else(|error| panic!("{error}")))
            .collect();
        let mut alone: Option<(Seconds, Vec<Outcome>)> = None;
        for &count in counts {
            let mut seconds = Seconds::default();
            let outcomes: Vec<Outcome> = replicates
                .chunks(count)
                .flat_map(|some| together(&simulation, some, &mut seconds))
                .collect();
            let cycles: u64 = outcomes.iter().map(|outcome| outcome.last_cycle).sum();
            let (first, expected) = alone.get_or_insert((Seconds { ..seconds }, outcomes.clone()));
            assert!(outcomes == *expected, "other outcomes, {count} together");
            println!(
                "{nodes:>6} {count:>9} {cycles:>10} {:>9.3} {:>9.3} {:>14.0} {:>12.2} {:>10.2}",
                seconds.setup,
                seconds.cycles,
                cycles as f64 / seconds.cycles,
                first.cycles / seconds.cycles,
                (first.setup + first.cycles) / (seconds.setup + seconds.cycles),
            );
        }
        println!(
            "{nodes:>6} {:>9} is what a run takes",
            simulation.together()
        );
    }
}
