//! The gate engine against Verilator on the same exported network: saturated
//! random traffic, waves off, one thread each.
//!
//! `cargo bench --bench verilator -- [NODES] [KIND] [FOLDER]` (default 64 nodes of a
//! `fat-tree`; the other kind is `bidelta`). The compiled model stays in FOLDER (default
//! `target/verilator-KIND-NODES`) and is used again; compiling takes minutes at 64 nodes and about half an hour at 256.

use std::path::PathBuf;
use std::time::Instant;

use crosswave::gate::Backend;

mod common;

use common::speed::{Load, Span, measure};
use common::verilator::Model;

fn main() {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with("--"))
        .collect();
    let nodes: u32 = words.first().and_then(|w| w.parse().ok()).unwrap_or(64);
    let name = words.get(1).map_or("fat-tree", String::as_str);
    let folder = words.get(2).map_or_else(
        || PathBuf::from(format!("target/verilator-{name}-{nodes}")),
        PathBuf::from,
    );
    let folder = std::path::absolute(folder).expect("a path");
    let model = Model::build(name, nodes, &folder);
    let load = Load::saturated_of_kind(name, nodes);
    let mut ratios = Vec::new();
    for _ in 0..5 {
        let start = Instant::now();
        let theirs = model.cycles_per_second();
        let engine = load.engine(Backend::best(), 1);
        // The mean, not the best window: Verilator's is a mean too.
        let ours = measure(&load, engine, Span::of(nodes)).mean_cycles_per_s;
        println!(
            "nodes {nodes}: verilator {theirs:.0} cycles/s, gate engine {ours:.0} cycles/s, ratio {:.1} ({:.1} s)",
            ours / theirs,
            start.elapsed().as_secs_f64()
        );
        ratios.push(ours / theirs);
    }
    ratios.sort_by(f64::total_cmp);
    println!("median ratio: {:.1}", ratios[ratios.len() / 2]);
}
