//! Cost of a cycle of a network on the gate engine, counted: a plan that got worse shows as a line
//! that changed, whatever machine the tests run on and whatever else it does.
//!
//! The counts are those of `gate::cost`: nothing is run or timed, and machine code is made of
//! both instruction sets, whether the machine has them or not.

use std::fmt::Write;
use std::path::Path;

use crosswave_chips::netlists;
use crosswave_gate::cost::{Cost, planned};
use crosswave_gate::{Backend, GateEngine};
use crosswave_lanes::native::Isa;
use crosswave_network::Fabric;
use crosswave_run::config::Config;

/// Networks, as the lines of the table `[network]`.
const NETWORKS: [&str; 14] = [
    "kind='fat-tree'\nnodes=16",
    "kind='fat-tree'\nnodes=64",
    "kind='fat-tree'\nnodes=256",
    "kind='fat-tree'\nnodes=1024",
    "kind='fat-tree'\nnodes=4096",
    "kind='fat-tree'\nnodes=65536",
    "kind='bidelta'\nnodes=64",
    "kind='bidelta'\nnodes=256",
    "kind='bidelta'\nnodes=1024",
    "kind='butterfly'\nnodes=64",
    "kind='transit'\nnodes=768\nleaf='B12'",
    "kind='m-port-n-tree'\nports=8\nlevels=3",
    "kind='binary-fat-tree'\nnodes=256",
    "kind='fat-pyramid'\nlevels=3",
];

fn fabric(network: &str) -> Fabric {
    let text = format!("[network]\n{network}\n[traffic]\npattern='random'\n");
    let config = Config::parse(&text, "test", Path::new("."), &[]);
    let config = config.unwrap_or_else(|e| panic!("{network}: {e}"));
    config.topology().fabric()
}

/// One array: a line for the wiring, and one for the code; one for that of its shuffles, if it has any.
fn line(cost: &Cost, text: &mut String) {
    let links = cost.links;
    let bytes = cost.bytes;
    let (fair, third) = cost.random_words();
    let counts = cost
        .counts
        .expect("machine code is made of every chip here");
    writeln!(
        text,
        "    {}: {} groups of {} words, {} random words, {third} of one third\n      \
         links: {} in place, {} joined, {} of windows, {} shuffled, {} lane by lane; {} windows, \
         {} planes; {} words loaded, {} joined, {} stored\n      \
         bytes: state {}, written {}, outputs {}, pins {}, wiring {}, links {}\n      \
         code: {} instructions in {} passes: {} compute ({} folded), {} loads, {} stores, \
         {} spills, {} reloads, {} copies",
        cost.chip,
        cost.groups,
        cost.width,
        fair + third,
        links.in_place,
        links.joined,
        links.gathered,
        links.shuffled,
        links.scattered,
        links.windows,
        links.planes,
        links.moves[0],
        links.moves[1],
        links.moves[2],
        bytes.state,
        bytes.state_written,
        bytes.outputs,
        bytes.pins,
        bytes.wiring,
        links.bytes,
        counts.total(),
        cost.passes,
        counts.compute,
        counts.folded,
        counts.loads,
        counts.stores,
        counts.spills,
        counts.reloads,
        counts.copies,
    )
    .expect("a String takes all text");
    let counts = cost.shuffles;
    if counts.total() > 0 {
        writeln!(
            text,
            "      shuffles: {} instructions: {} compute, {} loads, {} stores, {} spills, {} copies",
            counts.total(),
            counts.compute,
            counts.loads,
            counts.stores,
            counts.spills,
            counts.copies,
        )
        .expect("a String takes all text");
    }
}

/// The costs of a network with each instruction set, on so many threads.
fn costs(network: &str, threads: usize) -> String {
    let mut text = String::new();
    for isa in Isa::ALL {
        let costs = planned(fabric(network), netlists::plain, threads, isa);
        let costs = costs.unwrap_or_else(|e| panic!("{network}: {e}"));
        let instructions: Option<usize> = costs.iter().map(Cost::instructions).sum();
        let instructions = instructions.expect("machine code is made of every chip here");
        let name = network.replace('\n', ", ").replace('\'', "");
        writeln!(
            text,
            "{name}, {isa:?}, threads={threads}: {instructions} instructions"
        )
        .expect("a String takes all text");
        costs.iter().for_each(|cost| line(cost, &mut text));
    }
    text
}

#[test]
fn a_cycle_takes_what_it_took() {
    let mut text = String::new();
    for network in NETWORKS {
        text += &costs(network, 1);
    }
    for network in ["kind='fat-tree'\nnodes=1024", "kind='bidelta'\nnodes=1024"] {
        text += &costs(network, 2);
    }
    insta::assert_snapshot!("costs", text);
}

/// The code that is counted without running is that of the engine that runs.
#[test]
fn counted_code_is_the_code_that_runs() {
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        for (network, threads) in [(NETWORKS[1], 1), (NETWORKS[3], 2), (NETWORKS[6], 1)] {
            let backend = Backend::Native(isa);
            let engine = GateEngine::new(fabric(network), netlists::plain, 1, threads, backend);
            let engine = engine.unwrap_or_else(|e| panic!("{network}: {e}"));
            let counted = planned(fabric(network), netlists::plain, threads, isa);
            let counted = counted.unwrap_or_else(|e| panic!("{network}: {e}"));
            assert_eq!(engine.costs(), counted, "{network}, {isa:?}");
        }
    }
}
