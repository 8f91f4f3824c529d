//! Cycles per second of both engines under saturated random traffic.
//!
//! `cargo bench --bench engines -- [NODES]...` (default 64 256 1024)

use std::time::Instant;

use crosswave_run::config::Config;
use crosswave_run::simulation::Simulation;

fn main() {
    let nodes: Vec<u32> = std::env::args()
        .skip(1)
        .filter_map(|a| a.parse().ok())
        .collect();
    let only = std::env::args().find(|a| a == "gate" || a == "event");
    let nodes = if nodes.is_empty() {
        vec![64, 256, 1024]
    } else {
        nodes
    };
    println!(
        "{:>8} {:>6} {:>10} {:>14} {:>10}",
        "nodes", "engine", "cycles", "cycles_per_s", "setup_s"
    );
    for nodes in nodes {
        for engine in ["gate", "event"] {
            if only.as_deref().is_some_and(|only| only != engine) {
                continue;
            }
            let text = format!(
                "[network]\nkind='fat-tree'\nnodes={nodes}\n[traffic]\npattern='random'\nrepeat={}\nwords=8\n[run]\nengine='{engine}'\nthreads=1\ncycles_max={}",
                (1 << 22) / nodes,
                (if engine == "gate" { 1 << 28 } else { 1 << 23 }) / nodes
            );
            let config = Config::parse(&text, "bench", std::path::Path::new("."), &[]).unwrap();
            let start = Instant::now();
            let simulation = Simulation::new(&config).expect("a legal configuration");
            let replicate = simulation.replicate(0).unwrap();
            let mut engine_now = simulation.engine(1).unwrap();
            let setup = start.elapsed().as_secs_f64();
            let start = Instant::now();
            let outcome = simulation.run_on(engine_now.as_mut(), &replicate.workload, &mut ());
            let seconds = start.elapsed().as_secs_f64();
            println!(
                "{nodes:>8} {engine:>6} {:>10} {:>14.0} {setup:>10.3}",
                outcome.last_cycle,
                outcome.last_cycle as f64 / seconds
            );
        }
    }
}
