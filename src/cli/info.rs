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
use crate::network::Network;
use crate::network::bidelta::Bidelta;
use crate::network::fat_tree::FatTree;

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

/// Bytes of a register-level model of one router of a fat tree, its pins, and its links
/// in two buffers.
const EVENT_BYTES_PER_ROUTER: u64 = 50;
/// Bytes of one RN1 likewise.
const EVENT_BYTES_PER_RN1: u64 = 300;
/// Bytes of one interface likewise, with what host and network know of a node.
const EVENT_BYTES_PER_NODE: u64 = 490;
/// Bytes of a delay line likewise.
const EVENT_BYTES_PER_DELAY: u64 = 42;
/// Bytes of the program and of its library, before it has a network.
const EVENT_BYTES: u64 = 4_800_000;
/// Bytes of what host and network know of a node, beside its bits.
const GATE_BYTES_PER_NODE: u64 = 370;
/// Bytes of the wiring of a delay line, beside its bits.
const GATE_BYTES_PER_DELAY: u64 = 28;
/// Bytes of the wiring of an RN1, beside its bits: most of its links are gathered lane
/// by lane.
const GATE_BYTES_PER_RN1: u64 = 160;
/// Bytes of the program, its library and the netlists, before it has a network.
const GATE_BYTES: u64 = 9_000_000;
/// Bytes of a message in the workload and in the records.
const BYTES_PER_MESSAGE: u64 = 84;
/// Bytes of a message that goes by a connection.
const BYTES_PER_CONNECTION: u64 = 124;

#[derive(Debug, Serialize)]
struct ChipInfo {
    chip: &'static str,
    instances: u64,
    gates: usize,
    flip_flops: usize,
}

impl ChipInfo {
    fn new(chip: &'static str, instances: u64) -> Result<ChipInfo, Report> {
        let statistics = Statistics::new(netlists::module(chip)?);
        Ok(ChipInfo {
            chip,
            instances,
            gates: statistics.gate_count(),
            flip_flops: statistics.flops,
        })
    }
}

/// What is told of a kind of network.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Shape {
    FatTree {
        levels: u32,
        /// Of a tree that is not full.
        #[serde(skip_serializing_if = "Option::is_none")]
        capacities: Option<Vec<u32>>,
        routers: u64,
        links: u64,
        /// Links that nothing is joined to above the root.
        #[serde(skip)]
        open: u64,
        diameter_routers: u64,
        diameter_head_cycles: u64,
        diameter_answer_cycles: u64,
    },
    Bidelta {
        stages: u32,
        stages_of_stacks: Vec<u32>,
        routers: u64,
        links: u64,
        /// Fewest and most extra clocks behind each stage but the last.
        link_delay_cycles: Vec<(u32, u32)>,
    },
}

#[derive(Debug, Serialize)]
struct Info {
    nodes: u32,
    #[serde(flatten)]
    shape: Shape,
    chips: Vec<ChipInfo>,
    gates: u64,
    flip_flops: u64,
    gate_engine_bytes: u64,
    event_engine_bytes: u64,
    gate_engine: String,
}

/// What the memory of a run depends on.
struct Sizes {
    nodes: u64,
    routers: u64,
    delays: u64,
    link_ports: u64,
    /// Bits of a link's word.
    link_bits: u64,
    event_bytes_per_router: u64,
    gate_bytes_per_router: u64,
    bytes_per_message: u64,
}

fn fat_tree(tree: &FatTree) -> Result<(Shape, Vec<ChipInfo>, Sizes), Report> {
    let nodes = u64::from(tree.nodes);
    let levels = u64::from(tree.levels());
    let routers = tree.routers() as u64;
    let delays = tree.delay_lines() as u64;
    let links: usize = (0..tree.levels())
        .map(|level| tree.links_below(level))
        .sum();
    let root = tree.capacities.last().copied().unwrap_or(1);
    let far = tree.nodes - 1;
    let shape = Shape::FatTree {
        levels: tree.levels(),
        capacities: (!tree.is_full()).then(|| tree.capacities.clone()),
        routers,
        links: links as u64,
        open: 2 * u64::from(root),
        diameter_routers: 2 * levels - 1,
        diameter_head_cycles: tree.clocks().forward(0, far),
        diameter_answer_cycles: tree.clocks().backward(0, far),
    };
    let chips = vec![
        ChipInfo::new("fat_tree_router", routers)?,
        ChipInfo::new("network_interface", nodes)?,
        ChipInfo::new("delay_line", delays)?,
    ];
    let sizes = Sizes {
        nodes,
        routers,
        delays,
        link_ports: 4 * routers + nodes + 2 * delays,
        link_bits: 11,
        event_bytes_per_router: EVENT_BYTES_PER_ROUTER,
        gate_bytes_per_router: 0,
        bytes_per_message: BYTES_PER_MESSAGE,
    };
    Ok((shape, chips, sizes))
}

fn bidelta(bidelta: &Bidelta) -> Result<(Shape, Vec<ChipInfo>, Sizes), Report> {
    let nodes = u64::from(bidelta.nodes());
    let stages = u64::from(bidelta.stages);
    let routers = nodes / 4 * stages;
    let delays = bidelta.delays();
    let lines = delays.iter().map(|delays| delays.total).sum();
    let shape = Shape::Bidelta {
        stages: bidelta.stages,
        stages_of_stacks: bidelta.stacks().to_vec(),
        routers,
        links: 2 * nodes * (stages + 1),
        link_delay_cycles: delays.iter().map(|d| (d.least, d.most)).collect(),
    };
    let chips = vec![
        ChipInfo::new("rn1", routers)?,
        ChipInfo::new("rn1_interface", nodes)?,
        ChipInfo::new("rn1_delay_line", lines)?,
    ];
    let sizes = Sizes {
        nodes,
        routers,
        delays: lines,
        link_ports: 16 * routers + 4 * nodes + 2 * lines,
        link_bits: 9,
        event_bytes_per_router: EVENT_BYTES_PER_RN1,
        gate_bytes_per_router: GATE_BYTES_PER_RN1,
        bytes_per_message: BYTES_PER_CONNECTION,
    };
    Ok((shape, chips, sizes))
}

pub(super) fn info(args: &InfoArgs) -> Result<(), Report> {
    let config = args.config.read(&[])?;
    let (shape, chips, sizes) = match run::network(&config) {
        Network::FatTree(tree) => fat_tree(&tree)?,
        Network::Bidelta(network) => bidelta(&network)?,
    };
    let total = |count: fn(&ChipInfo) -> usize| -> u64 {
        chips.iter().map(|c| c.instances * count(c) as u64).sum()
    };
    let (gates, flip_flops) = (total(|c| c.gates), total(|c| c.flip_flops));
    let workload = run::workload(&config, config.run.seed)?;
    let messages = workload.messages.len() as u64 * sizes.bytes_per_message;
    let Sizes {
        nodes,
        routers,
        delays,
        link_ports,
        link_bits,
        ..
    } = sizes;
    let info = Info {
        nodes: config.network.nodes,
        shape,
        gates,
        flip_flops,
        // A bit per flip-flop, another one for those that drive links, the far
        // end of every link port, terms of the wiring, pins.
        gate_engine_bytes: flip_flops / 8
            + link_ports * link_bits / 8
            + link_ports * 4
            + link_ports / 16
            + 45 * nodes / 8
            + nodes * GATE_BYTES_PER_NODE
            + routers * sizes.gate_bytes_per_router
            + delays * GATE_BYTES_PER_DELAY
            + GATE_BYTES
            + messages,
        event_engine_bytes: routers * sizes.event_bytes_per_router
            + nodes * EVENT_BYTES_PER_NODE
            + delays * EVENT_BYTES_PER_DELAY
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
    match &info.shape {
        Shape::FatTree {
            levels,
            capacities,
            routers,
            links,
            open,
            ..
        } => {
            row("levels", levels.to_string());
            if let Some(capacities) = capacities {
                let capacities: Vec<String> = capacities.iter().map(u32::to_string).collect();
                row("capacities", capacities.join(", "));
            }
            row("routers", routers.to_string());
            row("links", format!("{links} (and {open} open at the root)"));
        }
        Shape::Bidelta {
            stages,
            stages_of_stacks,
            routers,
            links,
            link_delay_cycles,
        } => {
            let stacks: Vec<String> = stages_of_stacks.iter().map(u32::to_string).collect();
            row(
                "stages",
                format!("{stages}, in stacks of {}", stacks.join(", ")),
            );
            row("routers", routers.to_string());
            row("links", links.to_string());
            for (stage, (least, most)) in link_delay_cycles.iter().enumerate() {
                if *most > 0 {
                    row(
                        &format!("wires behind stage {stage}"),
                        format!("{least} to {most} extra cycles"),
                    );
                }
            }
        }
    }
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
    if let Shape::FatTree {
        diameter_routers,
        diameter_head_cycles,
        diameter_answer_cycles,
        ..
    } = &info.shape
    {
        row(
            "diameter",
            format!(
                "{diameter_routers} routers: head {diameter_head_cycles} cycles, \
                 answer {diameter_answer_cycles} cycles"
            ),
        );
    }
    let mib = |bytes: u64| format!("about {} MiB", bytes.div_ceil(1 << 20));
    row("memory of a run, gate engine", mib(info.gate_engine_bytes));
    row(
        "memory of a run, event engine",
        mib(info.event_engine_bytes),
    );
    row("gate engine", info.gate_engine.clone());
    format!("{table}\n")
}
