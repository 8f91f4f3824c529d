use std::collections::BTreeSet;
use std::fmt::Write;

use crate::{Arrays, Clocks, Options, Run, build};
use crosswave_base::random;
use crosswave_lanes::Backend;
use crosswave_netlist::{Design, text};

/// Numbers drawn from a seed.
struct Draw {
    seed: u64,
    count: u64,
}

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.count += 1;
        (random::word(random::key(self.seed, 1, self.count), 0) % bound as u64) as usize
    }

    fn one_of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

const FUNCTIONS: [&str; 8] = ["AND", "OR", "XOR", "NAND", "ANDNOT", "NOR", "XNOR", "ORNOT"];

/// Lines of a module in which every gate is in front of an output. `%` stands for a
/// constant and `@` for the name of a copy.
fn template(draw: &mut Draw, nets: &[&str], gates: usize) -> Vec<String> {
    let mut nets: Vec<String> = nets.iter().map(|&net| net.to_owned()).collect();
    let mut lines = Vec::new();
    let mut last = nets[0].clone();
    for index in 0..gates {
        let right = match draw.below(3) {
            0 => "%".to_owned(),
            _ => nets[draw.below(nets.len())].clone(),
        };
        let function = draw.one_of(&FUNCTIONS);
        lines.push(format!(
            " gate g{index}@ {function} {last} {right} -> n{index}@"
        ));
        last = format!("n{index}@");
        nets.push(last.clone());
    }
    lines.push(format!(" gate m@ MUX {last} % {} -> d@", nets[0]));
    let control = ["% high", "% low", "b high"][draw.below(3)];
    lines.push(format!(" flop f@ d@ -> s@ posedge clk enable {control}"));
    lines.push(format!(
        " flop r@ {last} -> q posedge clk reset {control} to 1"
    ));
    lines.push(" gate o@ OR s@ % -> y".to_owned());
    lines
}

/// A copy of a template with constants and names of its own, in an order of its own.
fn copy(draw: &mut Draw, lines: &[String], name: usize) -> String {
    let mut lines: Vec<String> = lines.to_vec();
    for at in (1..lines.len()).rev() {
        let other = draw.below(at + 1);
        lines.swap(at, other);
    }
    let mut text = String::new();
    for character in (lines.join("\n") + "\n").chars() {
        match character {
            '%' => text.push_str(draw.one_of(&["0", "1", "0", "1", "?"])),
            '@' => {
                let _ = write!(text, "_{name}");
            }
            other => text.push(other),
        }
    }
    text
}

/// A design of copies of two modules, one within the other, that differ in constants,
/// names and the order of cells.
fn random_design(seed: u64, copies: usize, instances: usize) -> Design {
    let draw = &mut Draw { seed, count: 0 };
    let ports = "input clk\n input a\n input b\n output y\n output q\n";
    let inner = template(draw, &["a", "b", "s@"], 3);
    let gates = 2 + draw.below(6);
    let mut outer = template(draw, &["a", "b", "s@", "iy", "ik", "q"], gates);
    outer.push(
        " instance u inner! in a = a in clk = clk in b = % out k = ik out q = iq out y = iy"
            .to_owned(),
    );
    let mut text = String::new();
    for name in 0..copies {
        let body = copy(draw, &inner, name);
        let constant = draw.below(2);
        let _ = write!(
            text,
            "module inner{name}\n {ports} output k = {constant}\n{body}end\n"
        );
    }
    for name in 0..copies {
        let body = copy(draw, &outer, name);
        let body = body.replace('!', &draw.below(copies).to_string());
        let constant = draw.below(2);
        let _ = write!(
            text,
            "module part{name}\n {ports} output through = iq iy {constant}\n{body}end\n"
        );
    }
    text.push_str("module top\n input clk\n input i\n input j\n");
    for index in 0..instances {
        for port in ["y", "q"] {
            let _ = writeln!(text, " output o{port}{index} = {port}{index}");
        }
    }
    let mut sources: Vec<String> = vec!["i".into(), "j".into(), "0".into(), "1".into()];
    for index in 0..instances {
        let [a, b] = [0, 1].map(|_| sources[draw.below(sources.len())].clone());
        // Every copy is there once.
        let part = match index < copies {
            true => index,
            false => draw.below(copies),
        };
        let _ = writeln!(
            text,
            " instance u{index} part{part} in clk = clk in a = {a} in b = {b} \
             out y = y{index} out q = q{index} out through = t{index} v{index} w{index}"
        );
        sources.extend(["y", "q", "t", "v", "w"].map(|port| format!("{port}{index}")));
    }
    text.push_str("end\n");
    text::parse(&text, "random").unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn run(
    design: &Design,
    arrays: Arrays,
    four_state: bool,
    replicas: usize,
    backend: Backend,
) -> Run {
    let root = design.modules.len() - 1;
    let options = Options {
        clocks: Clocks::One(None),
        four_state,
        arrays,
        replicas,
        backend,
        is_saved: false,
    };
    build(design, root, &options).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn copies_with_other_constants_share_an_array_and_behave_as_the_flat_design() {
    for seed in 0..40 {
        let copies = [2, 5, 9][seed as usize % 3];
        let instances = [16, 40, 70][seed as usize / 3 % 3];
        let replicas = [1, 3, 70][seed as usize / 9 % 3];
        let design = random_design(seed, copies, instances);
        for four_state in [false, true] {
            let part = Arrays::Named(vec!["part1".to_owned()]);
            let mut runs = [
                (part.clone(), Backend::best()),
                (Arrays::None, Backend::best()),
                (Arrays::Auto, Backend::best()),
                (part, Backend::Interpreter),
                (Arrays::None, Backend::Interpreter),
            ]
            .map(|(arrays, backend)| run(&design, arrays, four_state, replicas, backend));
            let shared = &runs[0].sizes()[1];
            assert_eq!((shared.modules, shared.instances), (copies, instances));
            assert_eq!(shared.module, "part0");
            for cycle in 0..10 {
                for run in &mut runs {
                    for input in 0..2 {
                        if !four_state || cycle > 2 {
                            run.drive_random(input, seed, cycle);
                        }
                    }
                    run.settle();
                }
                for replica in 0..replicas {
                    for bit in 0..2 * instances {
                        let found = runs.each_ref().map(|run| run.output(bit, replica));
                        let place = format!("seed {seed} cycle {cycle} bit {bit} {four_state}");
                        assert_eq!(found, [found[1]; 5], "{place}");
                    }
                }
                let [found, flat, auto] = [0, 1, 2].map(|run| {
                    let names = runs[run].unknown_flops().into_iter();
                    names.collect::<BTreeSet<String>>()
                });
                assert_eq!((&found, &auto), (&flat, &flat), "seed {seed} cycle {cycle}");
                runs.iter_mut().for_each(Run::edge);
            }
        }
    }
}

/// In one module a constant breaks a loop, which an input in its place would not.
#[test]
fn a_loop_that_constants_break_is_run_without_sharing() {
    let mut text = String::new();
    for (name, constant) in [("even", 0), ("odd", 1)] {
        let other = 1 - constant;
        let _ = write!(
            text,
            "module {name}\n input clk\n input a\n input b\n output y\n output z\n output q\n \
             gate g AND a {constant} -> y\n gate h AND b {other} -> z\n \
             flop f a -> q posedge clk\nend\n"
        );
    }
    text.push_str("module top\n input clk\n input i\n output o = q0 q1 q2 q3\n");
    // Around the ring: y of each even one comes from z of the odd one after it.
    for index in 0..4 {
        let (name, next, last) = (["even", "odd"][index % 2], (index + 1) % 4, (index + 3) % 4);
        let _ = writeln!(
            text,
            " instance u{index} {name} in clk = clk in a = y{last} in b = z{next} \
             out y = y{index} out z = z{index} out q = q{index}"
        );
    }
    text.push_str("end\n");
    let design = text::parse(&text, "ring").unwrap_or_else(|error| panic!("{error}"));
    let arrays = || Arrays::Named(vec!["even".to_owned(), "odd".to_owned()]);
    let found = run(&design, arrays(), false, 1, Backend::best());
    let modules: Vec<usize> = found.sizes().iter().map(|array| array.modules).collect();
    assert_eq!(modules, [1, 1, 1]);
}
