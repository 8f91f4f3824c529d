//! Mapping and native code: instructions, time to compile, time of a call.
//!
//! `cargo bench --bench native`

use std::time::Instant;

use crosswave_chips::{CHIPS, netlists};
use crosswave_lanes::native::{Isa, Native, NativeOptions};
use crosswave_lanes::straight::{Location, STATE, StraightLine};
use crosswave_netlist::{Leaf, LeafSource, Library, Mapped, text};

/// A program whose registers are in place.
fn straight(mapped: Mapped) -> StraightLine {
    let leaves = (0..)
        .zip(&mapped.leaves)
        .map(|(index, source)| match source {
            LeafSource::Input { .. } => Location {
                region: 2,
                plane: index,
            },
            LeafSource::Register(register) => Location {
                region: STATE,
                plane: *register as u32,
            },
        });
    let place = |plane| Location {
        region: STATE,
        plane,
    };
    StraightLine {
        leaves: leaves.collect(),
        sinks: (0..)
            .zip(&mapped.next)
            .map(|(plane, &value)| (value, place(plane)))
            .collect(),
        functions: mapped.functions,
        ..StraightLine::default()
    }
}

/// Gates that read near ones, and a register for every tenth.
fn random_netlist(gates: usize) -> String {
    let mut state = 1_u64;
    let mut below = |end: usize| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize % end
    };
    let mut netlist = String::from("module m\n input clock\n");
    for register in 0..gates / 10 {
        let near = (10 * register + below(10)).min(gates - 1);
        netlist.push_str(&format!(
            " flop f{register} g{near} -> q{register} posedge clock\n"
        ));
    }
    for gate in 0..gates {
        let function = ["AND", "OR", "XOR", "ANDNOT", "NAND"][below(5)];
        let mut input = || match below(3) {
            0 => format!("q{}", (gate / 10 + below(20)) % (gates / 10)),
            _ if gate == 0 => "q0".to_owned(),
            _ => format!("g{}", gate - 1 - below(gate.min(50))),
        };
        let (a, b) = (input(), input());
        netlist.push_str(&format!(" gate c{gate} {function} {a} {b} -> g{gate}\n"));
    }
    for register in 0..gates / 10 {
        netlist.push_str(&format!(" output y{register} = q{register}\n"));
    }
    netlist + "end\n"
}

fn error(name: &str, leaf: &Leaf) {
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        let library = match isa {
            Isa::Avx512 => Library::ternary(),
            Isa::Avx2 => Library::pairs(),
        };
        let start = Instant::now();
        let mapped = Mapped::new(leaf, &library);
        let map_ms = start.elapsed().as_secs_f64() * 1e3;
        let functions = mapped.functions.len();
        let straight = straight(mapped);
        let options = NativeOptions::new(isa, 8);
        let start = Instant::now();
        let native = Native::new(&straight, options).expect("it is available");
        let compile_ms = start.elapsed().as_secs_f64() * 1e3;
        let mut regions: Vec<Vec<u64>> = native
            .extents()
            .iter()
            .map(|&words| {
                (0..words as u64 + 8)
                    .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
                    .collect()
            })
            .collect();
        let mut scratch = vec![0; native.scratch_words() + 8];
        let line = |words: &[u64]| words.as_ptr().align_offset(64);
        let (written, read) = regions.split_at_mut(2);
        let [state, next] = written else {
            unreachable!()
        };
        let at = line(state);
        let state = &mut state[at..];
        let read: Vec<&[u64]> = read.iter().map(|words| &words[line(words)..]).collect();
        let at = line(&scratch);
        let scratch = &mut scratch[at..];
        let calls = 20_000_000 / (functions + 100);
        let mut best = f64::MAX;
        for _ in 0..10 {
            let start = Instant::now();
            for _ in 0..calls / 10 {
                native.run(state, next, read.iter().copied(), scratch);
            }
            best = best.min(start.elapsed().as_secs_f64() / (calls / 10) as f64);
        }
        let counts = native.counts();
        println!(
            "{name:<20} {isa:?}: {} gates, {functions} functions in {map_ms:.2} ms; {} instructions, {} bytes in {compile_ms:.2} ms: {counts:?}; {:.0} ns a call",
            leaf.gates.len(),
            counts.total(),
            native.bytes(),
            best * 1e9,
        );
    }
}

fn main() {
    let ties = [("reset".to_owned(), 0, false)];
    for chip in CHIPS {
        let module = netlists::plain(chip.name).expect("it is embedded");
        error(
            chip.name,
            &Leaf::new(module, "clock", &ties).expect("it is a leaf"),
        );
    }
    for gates in [10_000, 100_000] {
        let design = text::parse(&random_netlist(gates), "bench").expect("it is well formed");
        let leaf = Leaf::new(&design.modules[0], "clock", &[]).expect("it is a leaf");
        error("random", &leaf);
    }
}
