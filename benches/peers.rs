//! The gate engine against other simulators at their best, on the same network and with the
//! same pins in every cycle: saturated random traffic, waves off, one thread each.
//!
//! `cargo bench --bench peers -- [KIND=NODES]... [--verilator PATH]... [--cxxrtl YOSYS]
//! [--options "OPTIONS"] [--compiler PATH]... [--rounds N] [--cycles N] [--json FILE]`
//!
//! Networks are `fat-tree=64` when none is named. `--verilator` may be given again, for other
//! versions; without it and `--cxxrtl` it is the `verilator` of the path. `--options` are more of
//! Verilator's, for one more model of each. `--compiler` may be given again, for models by other compilers of C++
//! than `g++`. The compiled models
//! stay in `target/peers` and are used again; compiling takes minutes at 64 nodes.
//!
//! All tools run in turns, once in each round. The columns are cycles per second: of the tool;
//! of the gate engine driven with the pins that the tool is driven with, but drawing its random
//! bits itself; and of the gate engine with its host. Ratios are medians of the ratios of rounds.

use std::fs;

use crosswave_gate::Backend;

mod common;

use common::machine::Machine;
use common::peers::comparison::{HEADER, Row, compare, tools};
use common::{option, table};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |flag| option(&arguments, flag).map(|text| text.parse().expect("a number"));
    let rounds = number("--rounds").unwrap_or(5);
    let network = |argument: &String| {
        let (kind, nodes) = argument.split_once('=')?;
        Some((kind.to_owned(), nodes.parse::<u32>().ok()?))
    };
    let mut networks: Vec<(String, u32)> = arguments.iter().filter_map(network).collect();
    if networks.is_empty() {
        networks.push(("fat-tree".to_owned(), 64));
    }
    let tools = tools(&arguments);
    let machine = Machine::here();
    println!("{}; {}\n", machine.line(), Backend::best());
    let mut rows = Vec::new();
    for (kind, nodes) in networks {
        let cycles = number("--cycles").unwrap_or(1_000_000 / nodes as usize);
        rows.extend(compare(
            &kind,
            nodes,
            &tools,
            rounds,
            cycles.clamp(100, 20_000),
        ));
    }
    let cells: Vec<Vec<String>> = rows.iter().map(Row::cells).collect();
    println!("{}", table(&HEADER, &cells));
    if let Some(file) = option(&arguments, "--json") {
        let document = serde_json::json!({ "machine": machine, "rows": rows });
        let text = serde_json::to_string_pretty(&document).expect("plain data");
        fs::write(file, text).expect("a file to write to");
    }
}
