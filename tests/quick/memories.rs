//! Memories in netlists of others: held as words, against Icarus Verilog and against flip-flops.
//!
//! Needs Yosys and Icarus Verilog.

use std::fmt::Write;
use std::fs;

use crosswave_base::random;
use crosswave_design::{Arrays, Clocks, Options, Run, build};
use crosswave_gate::Backend;
use crosswave_netlist::{self as netlist, memories_as_gates, text};

use super::netlist::pin;
use super::netlist_states::same_when_resumed;
use super::netlist_triggers::{Condition, Whole};
use crate::support::designs::{
    Design, Verilog, crosswave, csv, icarus_of, outputs, random_rows, synthesise_by,
};

const MEMORIES: Design = Design {
    top: "memories",
    source: "tests/designs/memories.v",
    reset: ("rst", '1'),
    inputs: &[
        pin("wa", 7),
        pin("wb", 7),
        pin("ra", 7),
        pin("rb", 7),
        pin("da", 24),
        pin("db", 24),
        pin("ea", 3),
        pin("eb", 1),
        pin("read", 1),
    ],
    outputs: &[
        pin("now", 24),
        pin("first", 24),
        pin("older", 24),
        pin("next", 7),
        pin("entry", 16),
        pin("parity", 8),
    ],
};

/// The passes after `memory`, with or without registers in its ports.
fn passes(flatten: &str, memory: &str) -> String {
    format!(
        "proc; {flatten} opt -full; {memory} -nomap; opt -full; techmap; opt; simplemap; abc -g simple"
    )
}

#[test]
fn memories_show_what_icarus_shows() {
    const CYCLES: usize = 600;
    for (flatten, memory, extra) in [
        ("", "memory", &["--array", "bank"][..]),
        ("", "memory -nordff", &["--flat"]),
        ("flatten;", "memory", &[]),
        ("flatten;", "memory -nordff", &[]),
    ] {
        let place = tempfile::tempdir().expect("a temporary folder");
        let folder = place.path();
        synthesise_by(&MEMORIES, folder, &passes(flatten, memory));
        for x in [false, true] {
            let rows = random_rows(&MEMORIES, CYCLES, 5, x);
            fs::write(folder.join("s.csv"), csv(&MEMORIES, &rows)).expect("writable");
            let verilog = match x {
                true => Verilog::Netlist,
                false => Verilog::Source,
            };
            let expected = icarus_of(&MEMORIES, &rows, folder, false, verilog);
            let mut arguments = vec![
                "netlist",
                "netlist.json",
                "--stimulus",
                "s.csv",
                "--vcd",
                "out.vcd",
                "--quiet",
            ];
            arguments.extend_from_slice(extra);
            if x {
                arguments.push("--four-state");
            }
            crosswave(folder, &arguments);
            let found = outputs(&MEMORIES, &folder.join("out.vcd"), CYCLES);
            let mut known = vec![0; MEMORIES.outputs.len()];
            for (cycle, (found, expected)) in found.iter().zip(&expected).enumerate() {
                for (at, pin) in MEMORIES.outputs.iter().enumerate() {
                    let is_known = !expected[at].contains('x');
                    if x || is_known {
                        let place =
                            format!("{flatten} {memory} {extra:?}, cycle {cycle}, {}", pin.name);
                        assert_eq!(found[at], expected[at], "{place}");
                    }
                    known[at] += usize::from(is_known);
                }
            }
            // X at a few inputs spreads through the banks.
            let least = if x { 0 } else { CYCLES / 10 };
            assert!(known.iter().all(|&known| known >= least), "{known:?}");
        }
    }
}

/// A module with memories whose ports are joined at random, in the text form.
fn random_memories(seed: u64) -> String {
    let mut count = 0;
    let mut draw = |bound: usize| {
        count += 1;
        (random::word(random::key(seed, 3, count), 0) % bound as u64) as usize
    };
    let mut text =
        String::from("module part\n input clk\n input a = a0 a1 a2 a3 a4 a5 a6 a7 a8 a9\n");
    let mut nets: Vec<String> = (0..10).map(|bit| format!("a{bit}")).collect();
    nets.extend((0..4).map(|flop| format!("q{flop}")));
    let memories = 1 + draw(3);
    let mut cells = String::new();
    for memory in 0..memories {
        let (words, width) = (100 + draw(300), 1 + draw(20));
        let first = [0, 0, 7][draw(3)];
        let _ = write!(
            cells,
            " memory m{memory} words {words} width {width} first {first} init "
        );
        let bits = draw(words * width) + 1;
        cells.extend((0..bits).map(|_| ['0', '1', 'x', '1'][draw(4)]));
        for port in 0..1 + draw(2) {
            let _ = write!(cells, " in R{port}_ADDR =");
            for _ in 0..7 + draw(4) {
                let _ = write!(cells, " {}", nets[draw(nets.len())]);
            }
            let _ = write!(cells, " out R{port}_DATA =");
            for bit in 0..width {
                let net = format!("m{memory}r{port}d{bit}");
                let _ = write!(cells, " {net}");
                nets.push(net);
            }
        }
        for port in 0..draw(3) {
            let _ = write!(cells, " in W{port}_CLK = clk");
            let alike = draw(2) == 0;
            let enable = draw(nets.len());
            for (pin, bits) in [("ADDR", 6 + draw(5)), ("DATA", width), ("EN", width)] {
                let _ = write!(cells, " in W{port}_{pin} =");
                for _ in 0..bits {
                    let net = if alike && pin == "EN" {
                        enable
                    } else {
                        draw(nets.len())
                    };
                    let _ = write!(cells, " {}", nets[net]);
                }
            }
        }
        cells.push('\n');
    }
    for gate in 0..6 {
        let function = ["AND", "XOR", "ORNOT", "NAND"][draw(4)];
        let (left, right) = (
            nets[draw(nets.len())].clone(),
            nets[draw(nets.len())].clone(),
        );
        let _ = writeln!(cells, " gate g{gate} {function} {left} {right} -> g{gate}");
        nets.push(format!("g{gate}"));
    }
    for flop in 0..4 {
        let _ = writeln!(
            cells,
            " flop f{flop} {} -> q{flop} posedge clk",
            nets[draw(nets.len())]
        );
    }
    let _ = write!(text, " output y =");
    for _ in 0..12 {
        let _ = write!(text, " {}", nets[draw(nets.len())]);
    }
    let _ = write!(
        text,
        "\n{cells}end\nmodule top\n input clk\n input i = i0 i1 i2 i3 i4 i5 i6 i7 i8 i9\n"
    );
    let mut sources: Vec<String> = (0..10).map(|bit| format!("i{bit}")).collect();
    let mut instances = String::new();
    for instance in 0..18 {
        let _ = write!(instances, " instance u{instance} part in clk = clk in a =");
        for _ in 0..10 {
            let _ = write!(instances, " {}", sources[draw(sources.len())]);
        }
        let _ = write!(instances, " out y =");
        let shown: Vec<String> = (0..12).map(|bit| format!("u{instance}y{bit}")).collect();
        let _ = writeln!(instances, " {}", shown.join(" "));
        sources.extend(shown);
    }
    let _ = write!(text, " output o =");
    for source in &sources[10..] {
        let _ = write!(text, " {source}");
    }
    let _ = write!(text, "\n{instances}end\n");
    text
}

/// Words are what flip-flops are, for one run and for many. With X they are the same in arrays and flat; gates
/// keep what all words have in common, where a memory shows X.
#[test]
fn words_are_what_flip_flops_are() {
    let mut changed = 0;
    for seed in 0..12 {
        let text = random_memories(seed);
        let design = text::parse(&text, "random").unwrap_or_else(|error| panic!("{error}\n{text}"));
        let modules = design.modules.iter().cloned().map(memories_as_gates);
        let gates = netlist::Design {
            modules: modules.collect::<Result<_, _>>().expect("small memories"),
        };
        let replicas = [1, 3, 70][seed as usize % 3];
        for four_state in [false, true] {
            let run = |design: &netlist::Design, arrays: Arrays, backend: Backend| -> Run {
                let options = Options {
                    clocks: Clocks::One(None),
                    four_state,
                    arrays,
                    replicas,
                    backend,
                    is_saved: false,
                };
                build(design, 1, &options).unwrap_or_else(|error| panic!("{error}\n{text}"))
            };
            let part = || Arrays::Named(vec!["part".to_owned()]);
            let mut runs = vec![
                run(&design, part(), Backend::best()),
                run(&design, Arrays::None, Backend::Interpreter),
            ];
            if !four_state {
                runs.push(run(&gates, Arrays::None, Backend::best()));
            }
            let mut before = Vec::new();
            for cycle in 0..60 {
                for run in &mut runs {
                    for input in 0..run.inputs().len() {
                        if !four_state || cycle % 7 != 2 {
                            run.drive_random(input, seed, cycle);
                        }
                    }
                    run.settle();
                }
                for replica in 0..replicas {
                    let shown = |run: &Run| -> Vec<_> {
                        (0..12 * 18).map(|bit| run.output(bit, replica)).collect()
                    };
                    let expected = shown(&runs[0]);
                    for run in &runs[1..] {
                        assert_eq!(shown(run), expected, "seed {seed}, cycle {cycle}\n{text}");
                    }
                    if replica == 0 {
                        changed += usize::from(before != expected);
                        before = expected;
                    }
                }
                runs.iter_mut().for_each(Run::edge);
            }
        }
    }
    assert!(changed > 500, "{changed}");
}

#[test]
fn runs_go_on_with_the_words_of_memories() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let folder = place.path();
    for (flatten, memory, extra) in [
        ("", "memory", &["--array", "bank", "--lanes", "1"][..]),
        ("flatten;", "memory -nordff", &["--four-state"]),
    ] {
        synthesise_by(&MEMORIES, folder, &passes(flatten, memory));
        let random = ["netlist.json", "--reset", "rst", "--random-seed", "7"];
        let arguments = [&random[..], extra].concat();
        same_when_resumed(folder, &arguments, 300, 45);
        let whole = Whole::new(folder, &arguments, 1, 9_000);
        let condition: Condition<'_> = ("memories.next == 77", &|seen| {
            seen.any(["memories", "memories.next"], |value| value == 77)
        });
        whole.same(condition, [6, 3, 1, 8_500]);
    }
}
