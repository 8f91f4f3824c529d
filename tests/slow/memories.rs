//! Networks of routers with memories: all forms of the gate engine against the reference, in which each bit of
//! a memory is a flip-flop, and against Icarus Verilog and Verilator.

use std::fs;
use std::path::Path;

use crosswave_run::own_chips;
use serde_json::Value;

use super::components::{result, same_in};
use super::settling::same_on_all_engines;
use crate::program::{failure, root, success, workplace, write};
use crate::support::Case;

const NETWORK: &str = "[network]\nkind='mesh'\ncomponent='COMPONENT'\nsize=[4, 3]\nlocal='local'\n\
                       axes=[['west','east'],['north','south']]\n[endpoint]\nstall=0.3\n\
                       [traffic]\npattern='steady'\nload=0.3\nwords=1\ncycles=200\n";

/// Writes a router, whose queues have so many words and a register or none at their heads, with its component
/// file and network.
fn write_network(folder: &Path, sync: u32, depth: usize) {
    let designs = root("tests/designs");
    let read = |name: &str| fs::read_to_string(designs.join(name)).expect("it is there");
    write(folder, "memory_router.v", &read("memory_router.v"));
    let parameters = format!("SYNC = {sync}, DEPTH = {depth}");
    let component = read("memory_router.toml").replace("SYNC = 0", &parameters);
    assert!(component.contains(&parameters));
    write(folder, "memory_router.toml", &component);
    let network = NETWORK.replace("COMPONENT", "memory_router.toml");
    write(folder, "two.toml", &network);
}

#[test]
fn every_engine_gives_the_same_at_all_ports() {
    for sync in [0, 1] {
        let work = workplace();
        let folder = work.path();
        write_network(folder, sync, 256);
        let path = folder.join("memory_router.toml");
        let text = NETWORK
            .replace("COMPONENT", &path.display().to_string())
            .replace("cycles=200", "cycles=60")
            .replace("size=[4, 3]", "size=[2, 2]");
        let case = Case::new(&text);
        let netlists = own_chips::netlists(&case.config, &mut |_, _| {}).expect("a netlist");
        let of_router = |name: &&str| {
            let module = netlists.plain(name).expect("a netlist");
            !module.beside.is_empty()
        };
        let arrays = case.fabric.arrays.iter();
        let with_words = arrays
            .map(|array| array.chip.name)
            .filter(|name| of_router(name));
        assert_eq!(with_words.count(), 1);
        same_on_all_engines(&case, 30, &format!("SYNC {sync}"));
    }
}

#[test]
fn exported_networks_do_as_icarus_and_verilator_do() {
    for (sync, depth, simulator) in [
        (0, 256, "icarus"),
        (1, 512, "icarus"),
        (0, 64, "icarus"),
        (0, 256, "verilator"),
    ] {
        let work = workplace();
        write_network(work.path(), sync, depth);
        same_in(work.path(), "two.toml", simulator);
    }
}

/// The result of a run, without its speed, and its messages.
fn told(folder: &Path, arguments: &[&str]) -> (Value, String) {
    let mut found = result(folder, &[arguments, &["--messages", "m.csv"]].concat());
    found["performance"] = Value::Null;
    found["config"] = Value::Null;
    let messages = fs::read_to_string(folder.join("m.csv")).expect("written");
    (found, messages)
}

#[test]
fn runs_go_on_from_checkpoints_and_replicates_are_alone() {
    let work = workplace();
    let folder = work.path();
    write_network(folder, 0, 256);
    let plain = told(folder, &["--set", "run.threads=1"]);
    let kept = ["--checkpoints", "k", "--checkpoint-every", "50"];
    assert!(told(folder, &kept) == plain);
    assert!(told(folder, &["--set", "run.threads=3"]) == plain);
    let read = |name: &str| fs::read(folder.join(name)).expect("written");
    for (from, to) in [("49", "90"), ("101", "120"), ("163", "190")] {
        let window = format!("wave.window_cycles=[{from}, {to}]");
        success(
            folder,
            &[
                "run",
                "two.toml",
                "--wave",
                "whole.vcd",
                "-q",
                "--set",
                &window,
            ],
        );
        let cycles = ["--from", from, "--to", to, "--wave", "part.vcd"];
        success(
            folder,
            &[&["replay", "two.toml", "--checkpoints", "k"][..], &cycles].concat(),
        );
        assert!(read("whole.vcd") == read("part.vcd"), "{from}");
    }
    // The words of one replicate are not those of another one, nor of the one before it in its lanes.
    let run = |replicates: &str| told(folder, &["--set", replicates]).1;
    let (three, five) = (run("run.replicates=3"), run("run.replicates=5"));
    let of = |replicate: u32, messages: &str| -> Vec<String> {
        let column = format!(",{replicate},");
        let lines = messages.lines().filter(|line| line.contains(&column));
        let is_of = |line: &&str| line.split(',').nth(8) == Some(&column[1..2]);
        lines.filter(is_of).map(str::to_owned).collect()
    };
    assert_eq!(of(0, &three).len() + 1, plain.1.lines().count());
    for replicate in 0..3 {
        assert!(!of(replicate, &three).is_empty());
        assert_eq!(of(replicate, &three), of(replicate, &five), "{replicate}");
    }
}

#[test]
fn nets_that_toggle_are_counted_and_change_nothing() {
    let work = workplace();
    let folder = work.path();
    write_network(folder, 1, 512);
    let plain = told(folder, &[]);
    assert!(told(folder, &["--coverage", "c.json"]) == plain);
    let covered = success(folder, &["coverage", "c.json"]);
    assert!(covered.contains("memory_router_chip"), "{covered}");
}

#[test]
fn memories_of_other_clocks_are_refused() {
    let from = "always @(posedge clk) if (enters) queue";
    let to = "always @(posedge in_valid[0]) if (enters) queue";
    let work = workplace();
    let folder = work.path();
    write_network(folder, 0, 256);
    let router = fs::read_to_string(folder.join("memory_router.v")).expect("written");
    assert!(router.contains(from));
    write(folder, "memory_router.v", &router.replace(from, to));
    let said = failure(folder, &["component", "check", "memory_router.toml"], 3);
    assert!(said.contains("expected the clock `clock`"), "{said}");
    assert!(said.contains("port WR_CLK"), "{said}");
}
