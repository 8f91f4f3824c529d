//! The gate engine against Verilator on the same exported network: saturated
//! random traffic, waves off, one thread each.
//!
//! `cargo bench --bench verilator -- [NODES] [FOLDER]` (default 64 nodes). The
//! compiled model stays in FOLDER (default `target/verilator-NODES`) and is used
//! again; compiling takes minutes at 64 nodes and about half an hour at 256.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crosswave::experiment::config::Config;
use crosswave::experiment::host::Host;
use crosswave::experiment::{export, run};

/// Messages of each node in Verilator's runs: more than they get through.
const REPEAT: u32 = 200;

fn config(nodes: u32, cycles: u64, repeat: u32) -> Config {
    let text = format!(
        "[network]\nkind='fat-tree'\nnodes={nodes}\n\
         [traffic]\npattern='random'\nrepeat={repeat}\nwords=8\n\
         [run]\nthreads=1\ncycles_max={cycles}\n"
    );
    Config::parse(&text, "bench", Path::new("."), &[]).expect("a valid configuration")
}

/// Cycles per second of the gate engine.
fn gate(nodes: u32, cycles: u64) -> f64 {
    let config = config(nodes, cycles, (1 << 18) / nodes);
    let tree = run::fat_tree(&config);
    let fabric = tree.fabric();
    let workload = run::workload(&config, 1).expect("traffic");
    let mut engine = run::engine(&config, &fabric, 1).expect("the chips' netlists");
    let start = Instant::now();
    let host = Host::new(&tree, &workload, fabric.rest_cycles, false);
    let outcome = host.run(engine.as_mut(), cycles, &mut ());
    outcome.evaluated_cycles as f64 / start.elapsed().as_secs_f64()
}

fn build(nodes: u32, folder: &Path) -> PathBuf {
    let model = folder.join("objects/Vtestbench");
    if !model.exists() {
        export::write(&config(nodes, 1000, REPEAT), "bench", folder).expect("a folder to write to");
        let start = Instant::now();
        let status = Command::new("verilator")
            .args(["--binary", "--timing", "-O3", "-j", "0"])
            // Code that runs in every cycle at -O2; the code that sets up the
            // model, which takes most of the compiler's time, at -O0.
            .args(["-MAKEFLAGS", "OPT_FAST=-O2", "-MAKEFLAGS", "OPT_SLOW=-O0"])
            .args(["--output-split", "20000", "--timescale", "1ns/1ns"])
            .args([
                "--top-module",
                "testbench",
                "-y",
                ".",
                "-I.",
                "--Mdir",
                "objects",
            ])
            .arg("testbench.v")
            .current_dir(folder)
            .stdout(std::process::Stdio::null())
            .status()
            .expect("verilator is installed");
        assert!(status.success(), "verilator failed");
        println!("build_seconds: {:.0}", start.elapsed().as_secs_f64());
    }
    model
}

/// Seconds of a run of the compiled model.
fn seconds(model: &Path, folder: &Path, cycles: u64) -> f64 {
    let plusargs = export::plusargs(&config(1 << nodes_log(folder), cycles, REPEAT));
    let start = Instant::now();
    let status = Command::new(model)
        .args(plusargs.lines())
        .arg(format!(
            "+messages={}",
            folder.join("messages.csv").display()
        ))
        .stdout(std::process::Stdio::null())
        .status()
        .expect("the compiled model runs");
    assert!(status.success(), "the compiled model failed");
    start.elapsed().as_secs_f64()
}

/// lg n of the network in a folder, by its number of messages.
fn nodes_log(folder: &Path) -> u32 {
    let messages = std::fs::read_to_string(folder.join("messages.csv")).expect("the messages");
    (messages.lines().count() as u32 / REPEAT).ilog2()
}

fn main() {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with("--"))
        .collect();
    let nodes: u32 = words.first().and_then(|w| w.parse().ok()).unwrap_or(64);
    let folder = words.get(1).map_or_else(
        || PathBuf::from(format!("target/verilator-{nodes}")),
        PathBuf::from,
    );
    let folder = std::path::absolute(folder).expect("a path");
    let model = build(nodes, &folder);

    // The difference of two runs leaves out start-up and the reading of messages.
    let (short, long) = (200, 200 + 200_000 / u64::from(nodes));
    // As many as the messages last for.
    let gate_cycles = (1 << 23) / u64::from(nodes);
    let mut ratios = Vec::new();
    for _ in 0..5 {
        let difference = seconds(&model, &folder, long) - seconds(&model, &folder, short);
        let verilator = (long - short) as f64 / difference;
        let ours = gate(nodes, gate_cycles);
        println!(
            "nodes {nodes}: verilator {verilator:.0} cycles/s, gate engine {ours:.0} cycles/s, ratio {:.1}",
            ours / verilator
        );
        ratios.push(ours / verilator);
    }
    ratios.sort_by(f64::total_cmp);
    println!("median ratio: {:.1}", ratios[ratios.len() / 2]);
}
