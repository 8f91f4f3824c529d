//! `crosswave info`.

use std::path::Path;

use clap::Args;
use comfy_table::Table;
use comfy_table::presets::UTF8_BORDERS_ONLY;
use serde::Serialize;

use super::{ConfigArgs, output};
use crate::chip::netlists;
use crate::diagnostic::Report;
use crate::experiment::run;
use crate::gate::Backend;
use crate::netlist::Statistics;

#[derive(Debug, Args)]
pub(super) struct InfoArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// As JSON
    #[arg(long)]
    json: bool,
}

// What a whole run takes. The constants of nodes, messages and the program are
// measured, as the largest resident set of runs of 2^6 to 2^18 nodes on x86-64.

/// Bytes of a register-level model of one router, its pins, and its links in two
/// buffers.
const EVENT_BYTES_PER_ROUTER: u64 = 49;
/// Bytes of one interface likewise, with what host and network know of a node.
const EVENT_BYTES_PER_NODE: u64 = 490;
/// Bytes of the program and of its library, before it has a network.
const EVENT_BYTES: u64 = 4_800_000;
/// Bytes of what host and network know of a node, beside its bits.
const GATE_BYTES_PER_NODE: u64 = 370;
/// Bytes of the wiring of a delay line, beside its bits.
const GATE_BYTES_PER_DELAY: u64 = 28;
/// Bytes of the program, its library and the netlists, before it has a network.
const GATE_BYTES: u64 = 9_000_000;
/// Bits of a link's word.
const LINK_BITS: u64 = 11;
/// Bytes of a message in the workload and in the records.
const BYTES_PER_MESSAGE: u64 = 84;

#[derive(Debug, Serialize)]
struct ChipInfo {
    chip: &'static str,
    instances: usize,
    gates: usize,
    flip_flops: usize,
}

#[derive(Debug, Serialize)]
struct Info {
    nodes: u32,
    levels: u32,
    routers: u64,
    links: u64,
    chips: Vec<ChipInfo>,
    gates: u64,
    flip_flops: u64,
    diameter_routers: u64,
    diameter_head_cycles: u64,
    diameter_answer_cycles: u64,
    gate_engine_bytes: u64,
    event_engine_bytes: u64,
    gate_engine: String,
}

pub(super) fn info(args: &InfoArgs) -> Result<(), Report> {
    let config = args.config.read(&[])?;
    let tree = run::fat_tree(&config);
    let nodes = u64::from(config.network.nodes);
    let levels = u64::from(tree.levels());
    let routers = nodes / 2 * levels;
    let delays: u64 = tree
        .link_delay_cycles
        .iter()
        .map(|&k| u64::from(k) * nodes)
        .sum();
    let mut chips = Vec::new();
    for (chip, instances) in [
        ("fat_tree_router", routers),
        ("network_interface", nodes),
        ("delay_line", delays),
    ] {
        let statistics = Statistics::new(netlists::module(chip)?);
        chips.push(ChipInfo {
            chip,
            instances: instances as usize,
            gates: statistics.gate_count(),
            flip_flops: statistics.flops,
        });
    }
    let total = |count: fn(&ChipInfo) -> usize| -> u64 {
        chips
            .iter()
            .map(|c| c.instances as u64 * count(c) as u64)
            .sum()
    };
    let (gates, flip_flops) = (total(|c| c.gates), total(|c| c.flip_flops));
    let link_ports = 4 * routers + nodes + 2 * delays;
    let far = config.network.nodes - 1;
    let workload = run::workload(&config, config.run.seed)?;
    let messages = workload.messages.len() as u64 * BYTES_PER_MESSAGE;
    let info = Info {
        nodes: config.network.nodes,
        levels: tree.levels(),
        routers,
        links: nodes * levels,
        gates,
        flip_flops,
        diameter_routers: 2 * levels - 1,
        diameter_head_cycles: tree.clocks().forward(0, far),
        diameter_answer_cycles: tree.clocks().backward(0, far),
        // A bit per flip-flop, another one for those that drive links, the far
        // end of every link port, terms of the wiring, pins.
        gate_engine_bytes: flip_flops / 8
            + link_ports * LINK_BITS / 8
            + link_ports * 4
            + link_ports / 16
            + 45 * nodes / 8
            + nodes * GATE_BYTES_PER_NODE
            + delays * GATE_BYTES_PER_DELAY
            + GATE_BYTES
            + messages,
        event_engine_bytes: routers * EVENT_BYTES_PER_ROUTER
            + nodes * EVENT_BYTES_PER_NODE
            + delays * 24
            + EVENT_BYTES
            + messages,
        gate_engine: Backend::best().to_string(),
        chips,
    };
    if args.json {
        return output::write_json(Path::new("-"), &info);
    }
    output::print(text(&info).as_bytes())
}

fn text(info: &Info) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    let mut row = |name: &str, value: String| {
        table.add_row([name.to_owned(), value]);
    };
    row("nodes", info.nodes.to_string());
    row("levels", info.levels.to_string());
    row("routers", info.routers.to_string());
    row(
        "links",
        format!("{} (and {} open at the root)", info.links, info.nodes),
    );
    for chip in info.chips.iter().filter(|chip| chip.instances > 0) {
        row(
            chip.chip,
            format!(
                "{} of {} gates and {} flip-flops",
                chip.instances, chip.gates, chip.flip_flops
            ),
        );
    }
    row("gates", info.gates.to_string());
    row("flip-flops", info.flip_flops.to_string());
    row(
        "diameter",
        format!(
            "{} routers: head {} cycles, answer {} cycles",
            info.diameter_routers, info.diameter_head_cycles, info.diameter_answer_cycles
        ),
    );
    let mib = |bytes: u64| format!("about {} MiB", bytes.div_ceil(1 << 20));
    row("memory of a run, gate engine", mib(info.gate_engine_bytes));
    row(
        "memory of a run, event engine",
        mib(info.event_engine_bytes),
    );
    row("gate engine", info.gate_engine.clone());
    format!("{table}\n")
}
