//! The model that Verilator makes of an exported network under saturated random
//! traffic, and how fast it runs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crosswave::experiment::config::Config;
use crosswave::experiment::export;

/// Messages of each node: more than they get through.
const REPEAT: u32 = 200;

fn config(nodes: u32, cycles: u64) -> Config {
    let text = format!(
        "[network]\nkind='fat-tree'\nnodes={nodes}\n\
         [traffic]\npattern='random'\nrepeat={REPEAT}\nwords=8\n\
         [run]\nthreads=1\ncycles_max={cycles}\n"
    );
    Config::parse(&text, "bench", Path::new("."), &[]).expect("a valid configuration")
}

/// The compiled model in a folder; exports the network and compiles it when there
/// is none.
pub fn build(nodes: u32, folder: &Path) -> PathBuf {
    let model = folder.join("objects/Vtestbench");
    if !model.exists() {
        export::write(&config(nodes, 1000), "bench", folder).expect("a folder to write to");
        let start = Instant::now();
        let status = Command::new("verilator")
            .args(["--binary", "--timing", "-O3", "-j", "0"])
            // Code that runs in every cycle at -O2; the code that sets up the
            // model, which takes most of the compiler's time, at -O0.
            .args(["-MAKEFLAGS", "OPT_FAST=-O2", "-MAKEFLAGS", "OPT_SLOW=-O0"])
            .args(["--output-split", "20000", "--timescale", "1ns/1ns"])
            .args(["--top-module", "testbench", "-y", ".", "-I."])
            .args(["--Mdir", "objects", "testbench.v"])
            .current_dir(folder)
            .stdout(std::process::Stdio::null())
            .status()
            .expect("verilator is installed");
        assert!(status.success(), "verilator failed");
        eprintln!("build_seconds: {:.0}", start.elapsed().as_secs_f64());
    }
    model
}

/// Seconds of a run of the compiled model.
fn seconds(nodes: u32, model: &Path, folder: &Path, cycles: u64) -> f64 {
    let plusargs = export::plusargs(&config(nodes, cycles));
    let messages = folder.join("messages.csv");
    let start = Instant::now();
    let status = Command::new(model)
        .args(plusargs.lines())
        .arg(format!("+messages={}", messages.display()))
        .stdout(std::process::Stdio::null())
        .status()
        .expect("the compiled model runs");
    assert!(status.success(), "the compiled model failed");
    start.elapsed().as_secs_f64()
}

/// Cycles per second of the compiled model. The difference of two runs leaves out
/// start-up and the reading of messages.
///
/// # Panics
/// When the folder holds a network of another size.
pub fn cycles_per_second(nodes: u32, model: &Path, folder: &Path) -> f64 {
    let messages = std::fs::read_to_string(folder.join("messages.csv")).expect("the messages");
    let found = (messages.lines().count() as u32 / REPEAT).next_power_of_two();
    assert_eq!(found, nodes, "nodes of the network in {}", folder.display());
    let (short, long) = (200, 200 + 200_000 / u64::from(nodes));
    let run = |cycles| seconds(nodes, model, folder, cycles);
    (long - short) as f64 / (run(long) - run(short))
}
