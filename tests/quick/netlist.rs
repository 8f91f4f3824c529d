//! `crosswave netlist`: designs of others, against Icarus Verilog on the same netlist.
//!
//! Needs Yosys and Icarus Verilog.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use crosswave_base::random;
use crosswave_design::{Arrays, Clocks, Options, Run, build};
use crosswave_gate::Backend;
use crosswave_netlist::text;
use crosswave_wave::{self as wave, Bit};
use serde_json::Value;

use crate::support;
use crate::support::designs::{
    self, Design, Pin, crosswave, csv, icarus, outputs, random_rows, synthesise,
};

pub(super) const fn pin(name: &'static str, width: usize) -> Pin {
    Pin { name, width }
}

const FIFO: Design = Design {
    top: "fifo",
    source: "tests/designs/fifo.v",
    reset: ("rst_n", '0'),
    inputs: &[pin("push", 1), pin("pop", 1), pin("in", 8)],
    outputs: &[
        pin("out", 8),
        pin("full", 1),
        pin("empty", 1),
        pin("taken", 1),
    ],
};

const SYSTOLIC: Design = Design {
    top: "systolic",
    source: "examples/systolic/systolic.v",
    reset: ("rst", '1'),
    inputs: &[pin("drain", 1), pin("a", 64), pin("b", 64)],
    outputs: &[pin("c", 128)],
};

pub(super) const MESH: Design = Design {
    top: "mesh",
    source: "tests/designs/mesh.v",
    reset: ("rst", '1'),
    inputs: &[pin("west", 24), pin("north", 24), pin("grant", 6)],
    outputs: &[
        pin("east", 24),
        pin("south", 24),
        pin("request", 6),
        pin("parity", 1),
    ],
};

const LFSR_BANK: Design = Design {
    top: "lfsr_bank",
    source: "tests/designs/lfsr_bank.v",
    reset: ("rst", '1'),
    inputs: &[pin("load", 1), pin("seed", 16), pin("enable", 70)],
    outputs: &[pin("bits", 70), pin("mixed", 16)],
};

pub(super) const BUTTERFLY_TREE: Design = Design {
    top: "butterfly_tree",
    source: "tests/designs/butterfly_tree.v",
    reset: ("rst", '1'),
    inputs: &[pin("in", 576)],
    outputs: &[pin("out", 576)],
};

const PROCESSOR: Design = Design {
    top: "processor",
    source: "tests/designs/processor.v",
    reset: ("rst", '1'),
    inputs: &[pin("instruction", 16), pin("valid", 1)],
    outputs: &[
        pin("pc", 8),
        pin("result", 8),
        pin("zero", 1),
        pin("carry", 1),
        pin("port", 8),
    ],
};

/// Two-state runs of a design, with each of the options, are what Icarus shows once
/// nothing is X there; X is compared in four-state runs, and which flip-flops stay X.
fn check(design: &Design, cycles: usize, options: &[&[&str]]) {
    let place = tempfile::tempdir().expect("a temporary folder");
    let folder = place.path();
    synthesise(design, folder);
    for x in [false, true] {
        let rows = random_rows(design, cycles, 7, x);
        fs::write(folder.join("s.csv"), csv(design, &rows)).expect("writable");
        let expected = icarus(design, &rows, folder, x);
        assert_eq!(expected.len(), cycles);
        for extra in options {
            let mut arguments = vec![
                "netlist",
                "netlist.json",
                "--stimulus",
                "s.csv",
                "--vcd",
                "out.vcd",
                "--json",
                "out.json",
                "--quiet",
            ];
            arguments.extend_from_slice(extra);
            if x {
                arguments.push("--four-state");
            }
            crosswave(folder, &arguments);
            let found = outputs(design, &folder.join("out.vcd"), cycles);
            let mut known = 0;
            for (cycle, (found, expected)) in found.iter().zip(&expected).enumerate() {
                for ((found, expected), pin) in found.iter().zip(expected).zip(design.outputs) {
                    if x || !expected.contains('x') {
                        let place = format!("{} {extra:?} cycle {cycle} {}", design.top, pin.name);
                        assert_eq!(found, expected, "{place}");
                        known += 1;
                    }
                }
            }
            assert!(x || known > cycles / 2, "{known} outputs were known");
            if x {
                same_unknown_flops(folder, cycles);
            }
        }
    }
}

/// The flip-flops that are X in the last cycle, here and in Icarus.
fn same_unknown_flops(folder: &Path, cycles: usize) {
    let result = fs::read_to_string(folder.join("out.json")).expect("a result");
    let result: Value = serde_json::from_str(&result).expect("JSON");
    let found: BTreeSet<&str> = result["unknown_at_end"]["flip_flops"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|name| name.as_str().expect("a name"))
        .collect();
    let dump = wave::read_file(&folder.join("icarus.vcd")).expect("a dump");
    let bits = designs::bits_at(&dump, 10 * (cycles as u64 - 1) + 4);
    for name in &found {
        assert_eq!(bits.get(*name), Some(&Bit::X), "{name} in Icarus");
    }
    // The cells of Icarus have their state at the pin Q.
    let flops = bits.iter().filter(|(path, _)| path.ends_with(".Q"));
    let expected = flops.filter(|(_, bit)| **bit == Bit::X).count();
    assert_eq!(found.len(), expected, "flip-flops that are X");
}

#[test]
fn a_fifo_with_memory_and_asynchronous_reset() {
    check(&FIFO, 400, &[&[]]);
}

#[test]
fn a_systolic_array() {
    check(&SYSTOLIC, 60, &[&[], &["--flat"]]);
}

#[test]
fn a_mesh_with_paths_through_neighbours() {
    check(&MESH, 200, &[&["--array", "element"], &["--flat"]]);
}

#[test]
fn a_bank_of_shift_registers() {
    check(&LFSR_BANK, 120, &[&["--array", "lfsr"], &["--flat"]]);
}

/// Every switch has its address as a parameter, so there are 21 modules of 28 switches;
/// Yosys does not optimise all of them alike.
#[test]
fn a_tree_of_switches_with_addresses() {
    check(&BUTTERFLY_TREE, 30, &[&[]]);
    let place = tempfile::tempdir().expect("a temporary folder");
    synthesise(&BUTTERFLY_TREE, place.path());
    let arguments = ["netlist", "netlist.json", "--cycles", "9", "--json", "-"];
    let result = crosswave(place.path(), &arguments);
    let result: Value = serde_json::from_str(&result).expect("JSON");
    let [_, shared] = &result["arrays"].as_array().expect("a list")[..] else {
        panic!("expected one array: {}", result["arrays"]);
    };
    assert!(shared["modules"].as_u64() >= Some(12), "{shared}");
    assert!(shared["instances"].as_u64() >= Some(16), "{shared}");
}

#[test]
fn a_processor() {
    check(&PROCESSOR, 400, &[&[], &["--array", "alu"]]);
}

/// A design of instances that pass values on within a cycle, joined at random but
/// without loops, in the text form.
pub(super) fn random_design(seed: u64, instances: usize) -> String {
    let mut count = 0;
    let mut draw = |bound: usize| {
        count += 1;
        (random::word(random::key(seed, 1, count), 0) % bound as u64) as usize
    };
    let mut text = String::from(
        "module part\n input clk\n input a\n input b\n input c\n output y\n output z\n output q\n \
         output through = b\n",
    );
    let mut nets = vec!["a", "b", "q", "s"];
    let names = ["y", "z", "n0", "n1", "n2", "n3"];
    let functions = ["AND", "OR", "XOR", "NAND", "ANDNOT", "NOR", "XNOR", "ORNOT"];
    for (index, name) in ["n0", "y", "n1", "z", "n2", "n3"].iter().enumerate() {
        let function = functions[draw(functions.len())];
        let (left, right) = (nets[draw(nets.len())], nets[draw(nets.len())]);
        let _ = writeln!(text, " gate g{index} {function} {left} {right} -> {name}");
        nets.push(name);
    }
    let last = names[draw(names.len())];
    let _ = writeln!(
        text,
        " gate m MUX {last} c n3 -> d\n flop f d -> q posedge clk\n \
         flop h {last} -> s posedge clk enable c high\nend"
    );
    text.push_str("module top\n input clk\n input i\n input j\n input k\n");
    for index in 0..instances {
        for port in ["y", "q"] {
            let _ = writeln!(text, " output o{port}{index} = {port}{index}");
        }
    }
    let mut sources: Vec<String> = vec!["i".into(), "j".into(), "k".into()];
    sources.extend((0..instances).map(|index| format!("q{index}")));
    for index in 0..instances {
        let mut pick = || sources[draw(sources.len())].clone();
        let (a, b, c) = (pick(), pick(), pick());
        let _ = writeln!(
            text,
            " instance u{index} part in clk = clk in a = {a} in b = {b} in c = {c} \
             out y = y{index} out z = z{index} out q = q{index} out through = t{index}"
        );
        sources.extend(["y", "z", "t"].map(|port| format!("{port}{index}")));
        if draw(3) == 0 {
            let _ = writeln!(text, " gate x{index} XOR y{index} i -> x{index}");
            sources.push(format!("x{index}"));
        }
    }
    text.push_str("end\n");
    text
}

#[test]
fn arrays_behave_as_the_flat_design() {
    for seed in 0..40 {
        let instances = [3, 20, 70, 130][seed as usize % 4];
        let replicas = [1, 3, 1, 70][seed as usize % 4];
        let text = random_design(seed, instances);
        let design = text::parse(&text, "random").unwrap_or_else(|error| panic!("{error}"));
        for four_state in [false, true] {
            let run = |arrays: Arrays, backend: Backend| -> Run {
                let options = Options {
                    clocks: Clocks::One(None),
                    four_state,
                    arrays,
                    replicas,
                    backend,
                    is_saved: false,
                };
                build(&design, 1, &options).unwrap_or_else(|error| panic!("{error}"))
            };
            let part = || Arrays::Named(vec!["part".to_owned()]);
            let mut runs = [
                run(part(), Backend::best()),
                run(Arrays::None, Backend::Interpreter),
                run(part(), Backend::Interpreter),
                run(Arrays::None, Backend::best()),
            ];
            assert_eq!(runs[0].sizes().len(), 2);
            for cycle in 0..12 {
                for run in &mut runs {
                    for input in 0..run.inputs().len() {
                        if !four_state || cycle > 2 {
                            run.drive_random(input, seed, cycle);
                        }
                    }
                    run.settle();
                }
                for replica in 0..replicas {
                    for bit in 0..runs[0].outputs().len() {
                        let outputs = [0, 1, 2, 3].map(|run| runs[run].output(bit, replica));
                        let [array, ..] = outputs;
                        assert_eq!(
                            outputs, [array; 4],
                            "seed {seed} cycle {cycle} bit {bit}\n{text}"
                        );
                    }
                }
                assert_eq!(runs[0].unknown_flops().len(), runs[1].unknown_flops().len());
                runs.iter_mut().for_each(Run::edge);
            }
        }
    }
}

/// Nets exchanged at random: what the reader lets through runs, or is refused with a
/// error.
#[test]
fn odd_designs_are_run_or_refused() {
    let (mut ran, mut refused) = (0, 0);
    for seed in 0..1500 {
        let text = random_design(seed % 10, 6);
        let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        let joined: Vec<usize> = (1..words.len())
            .filter(|&at| words[at - 1] == "=" && !words[at].contains('\n'))
            .collect();
        let mut state = random::key(seed, 2, 0);
        for _ in 0..1 + seed % 3 {
            let mut draw = || {
                state = random::splitmix(state);
                joined[(state % joined.len() as u64) as usize]
            };
            let (to, from) = (draw(), draw());
            words[to] = words[from].clone();
        }
        let Ok(design) = text::parse(&words.join(" "), "odd") else {
            continue;
        };
        let root = design
            .modules
            .iter()
            .position(|module| module.name == "top");
        let Some(root) = root else { continue };
        for four_state in [false, true] {
            let built = [Arrays::Named(vec!["part".to_owned()]), Arrays::None].map(|arrays| {
                let options = Options {
                    clocks: Clocks::One(None),
                    four_state,
                    arrays,
                    replicas: 2,
                    backend: Backend::best(),
                    is_saved: false,
                };
                build(&design, root, &options).map(|mut run| {
                    run.settle();
                    run.edge();
                    run.settle();
                })
            });
            match built {
                [Ok(()), Ok(())] => ran += 1,
                [Err(_), _] => refused += 1,
                // A gate that is constant within its module breaks a loop there, but is
                // left alone where the loop is within one module.
                [Ok(()), Err(error)] => {
                    assert!(error.to_string().contains("loop"), "{error}");
                    refused += 1;
                }
            }
        }
    }
    assert!(ran > 200 && refused > 200, "{ran} ran, {refused} refused");
}

#[test]
fn runs_side_by_side_are_those_alone() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let folder = place.path();
    synthesise(&MESH, folder);
    let base = ["netlist", "netlist.json", "--quiet", "--vcd", "w.vcd"];
    let mut arguments = base.to_vec();
    for seed in 0..3 {
        let name = ["0.csv", "1.csv", "2.csv"][seed];
        let rows = random_rows(&MESH, 40, seed as u64, false);
        fs::write(folder.join(name), csv(&MESH, &rows)).expect("writable");
        arguments.extend(["--stimulus", name]);
    }
    crosswave(folder, &arguments);
    for seed in 0..3 {
        let together = folder.join(format!("w.{seed}.vcd"));
        let name = format!("{seed}.csv");
        let mut alone = base.to_vec();
        alone.extend(["--stimulus", &name]);
        crosswave(folder, &alone);
        let [together, alone] = [together, folder.join("w.vcd")].map(|file| fs::read(file).ok());
        assert!(together.is_some());
        assert_eq!(together, alone, "run {seed}");
        // A waveform is a stimulus that gives itself.
        fs::rename(folder.join("w.vcd"), folder.join("again.vcd")).expect("writable");
        let mut again = base.to_vec();
        again.extend(["--stimulus", "again.vcd"]);
        crosswave(folder, &again);
        assert_eq!(alone, fs::read(folder.join("w.vcd")).ok());
    }
}

#[test]
fn the_example_multiplies_matrices() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/systolic");
    let place = tempfile::tempdir().expect("a temporary folder");
    let made = place.path().join("made.json");
    let made = made.to_str().expect("UTF-8");
    support::finish(Command::new(folder.join("make.sh")).arg(made));
    let [made, kept] = [made.into(), folder.join("systolic.json")].map(fs::read);
    assert_eq!(made.ok(), kept.ok(), "examples/systolic/make.sh");
    let printed = crosswave(
        &folder,
        &[
            "netlist",
            "systolic.json",
            "--stimulus",
            "stimulus.csv",
            "--reset",
            "rst",
            "--json",
            "-",
        ],
    );
    let result: Value = serde_json::from_str(&printed).expect("JSON");
    assert_eq!(result["arrays"][1]["instances"], 64);
    assert_eq!(result["cycles"], 34);
}

#[test]
fn show_draws_the_clock_of_a_netlist() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/systolic");
    let vcd = place.path().join("x.vcd");
    let vcd = vcd.to_str().expect("UTF-8");
    let run = "netlist systolic.json --reset rst --stimulus stimulus.csv --quiet --vcd";
    let run: Vec<&str> = run.split(' ').chain([vcd]).collect();
    crosswave(&folder, &run);
    let drawn = crosswave(
        &folder,
        &[
            "show", vcd, "--scope", "*.clk", "--ascii", "--window", "0..36",
        ],
    );
    let rows = drawn.lines().filter(|line| line.trim().starts_with("clk"));
    let edges: usize = rows.map(|row| row.matches("/~").count()).sum();
    assert!(edges >= 34, "{drawn}");
}

#[test]
fn x_after_reset_is_told_of_a_run_that_ends_there() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/systolic");
    let arguments = "netlist systolic.json --reset rst --cycles 2 --four-state --json -";
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let result: Value = serde_json::from_str(&crosswave(&folder, &arguments)).expect("JSON");
    assert_eq!(result["unknown_after_reset"]["cycle"], 1);
    assert_eq!(result["unknown_at_end"]["cycle"], 1);
    assert_eq!(result["cycles_requested"], 2);
    assert_eq!(result["finished"], true);
    let known = &arguments[..arguments.len() - 3];
    let known = crosswave(&folder, &[known, &["--json", "-"]].concat());
    let known: Value = serde_json::from_str(&known).expect("JSON");
    for sizes in ["arrays", "flip_flops", "cells"] {
        assert_eq!(result[sizes], known[sizes], "{sizes}");
    }
}

/// Runs crosswave, which has to fail with a code, and gives what it says.
pub(super) fn failure(folder: &Path, arguments: &[&str], code: i32) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_crosswave"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    assert!(!said.contains("panicked"), "{said}");
    said
}

#[test]
fn what_is_wrong_is_explained() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let folder = place.path();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("writable");
    let yosys = |name: &str, verilog: &str| {
        write("source.v", verilog);
        let script = format!(
            "read_verilog source.v; hierarchy -top t; proc; techmap; simplemap; opt_clean; \
             write_json {name}.json"
        );
        let mut command = Command::new("yosys");
        support::finish(command.args(["-q", "-p", &script]).current_dir(folder));
    };
    yosys(
        "good",
        "module t(input clk, input [3:0] d, input e, output reg [3:0] q);\n\
         always @(posedge clk) if (e) q <= d;\nendmodule\n",
    );
    yosys(
        "two",
        "module t(input clk, input other, input d, output reg q, output reg r);\n\
         always @(posedge clk) q <= d;\nalways @(posedge other) r <= q;\nendmodule\n",
    );
    yosys(
        "gated",
        "module t(input clk, input en, input d, output reg q);\n\
         wire g = clk & en;\nalways @(posedge g) q <= d;\nendmodule\n",
    );
    yosys(
        "loop",
        "module part(input a, input b, output y, output z);\n\
         assign y = a & b;\nassign z = a ^ b;\nendmodule\n\
         module t(input a, output z);\nwire y, w;\n\
         part one(a, w, y, z);\npart two(y, a, w, );\nendmodule\n",
    );
    let text = fs::read_to_string(folder.join("good.json")).expect("a netlist");
    write("truncated.json", &text[..text.len() / 2]);
    write("name.csv", "cycle,d,nothing\n0,1,1\n");
    write("cells.csv", "cycle,d\n0,16\n2,1\n1,0\n3,0b12\n4\n");
    write("empty.vcd", "$enddefinitions $end\n");

    let mut said = String::new();
    let cases: &[(&[&str], i32)] = &[
        (&["good.json", "--clock", "clock", "--cycles", "1"], 2),
        (&["good.json", "--clock", "d", "--cycles", "1"], 2),
        (&["good.json", "--top", "other", "--cycles", "1"], 2),
        (&["good.json", "--reset", "d", "--cycles", "1"], 2),
        (
            &[
                "good.json",
                "--reset",
                "e",
                "--reset-cycles",
                "3",
                "--cycles",
                "3",
            ],
            2,
        ),
        (&["good.json", "--clock", "e", "--cycles", "1"], 2),
        (&["good.json", "--array", "u", "--cycles", "1"], 2),
        (&["good.json"], 2),
        (&["good.json", "--stimulus", "name.csv"], 3),
        (&["good.json", "--stimulus", "cells.csv"], 3),
        (&["good.json", "--stimulus", "empty.vcd"], 3),
        (&["good.json", "--stimulus", "none.csv"], 4),
        (&["truncated.json", "--cycles", "1"], 3),
        (&["two.json", "--cycles", "1"], 2),
        (&["gated.json", "--cycles", "1"], 3),
        (&["loop.json", "--cycles", "1"], 3),
        (&["loop.json", "--array", "part", "--cycles", "1"], 3),
        (&["good.json", "--cycles", "1", "--vcd", "no/w.vcd"], 4),
        (&["good.json", "--cycles", "1", "--vcd", "./good.json"], 2),
        (
            &["good.json", "--stimulus", "name.csv", "--json", "name.csv"],
            2,
        ),
        (
            &["good.json", "--cycles", "1", "--vcd", "w", "--json", "./w"],
            2,
        ),
        (
            &[
                "good.json",
                "--lanes",
                "2",
                "--vcd",
                "w.vcd",
                "--json",
                "w.1.vcd",
            ],
            2,
        ),
    ];
    for (arguments, code) in cases {
        let mut all = vec!["netlist"];
        all.extend_from_slice(arguments);
        let _ = write!(
            said,
            "$ crosswave {} ({code})\n{}\n",
            all.join(" "),
            failure(folder, &all, *code)
        );
    }
    insta::assert_snapshot!("diagnostics", said);
    let left = fs::read_dir(folder).expect("a folder");
    let left = left.filter(|entry| {
        let name = entry.as_ref().expect("an entry").file_name();
        name.to_string_lossy().contains("part")
    });
    assert_eq!(left.count(), 0, "temporary files");
}
