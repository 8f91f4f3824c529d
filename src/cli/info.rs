//! `crosswave info`.

use clap::Args;
use comfy_table::Table;
use comfy_table::presets::UTF8_BORDERS_ONLY;
use serde::Serialize;

use super::output::{self, JsonArgs};
use super::run::{SIGNALS_MAX, Selection};
use super::{ConfigArgs, SourcedConfig};
use crate::chip::{CHIPS, netlists};
use crate::config::EngineKind;
use crate::diagnostic::Error;
use crate::gate::Backend;
use crate::netlist::Statistics;
use crate::network::bidelta::Bidelta;
use crate::network::fat_tree::FatTree;
use crate::network::{Fabric, Network};
use crate::run::replicate::Replicate;
use crate::run::{limit, memory};

#[derive(Debug, Args)]
pub(super) struct InfoArgs {
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    json: JsonArgs,
}

#[derive(Debug, Serialize)]
struct ChipInfo {
    chip: &'static str,
    instances: u64,
    gates: usize,
    flip_flops: usize,
}

impl ChipInfo {
    fn new(chip: &'static str, instances: u64) -> Result<ChipInfo, Error> {
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

fn fat_tree(tree: &FatTree) -> Shape {
    let levels = u64::from(tree.levels());
    let links: usize = (0..tree.levels())
        .map(|level| tree.links_below(level))
        .sum();
    let root = tree.capacities.last().copied().unwrap_or(1);
    let far = tree.nodes - 1;
    Shape::FatTree {
        levels: tree.levels(),
        capacities: (!tree.is_full()).then(|| tree.capacities.clone()),
        routers: tree.routers() as u64,
        links: links as u64,
        open: 2 * u64::from(root),
        diameter_routers: 2 * levels - 1,
        diameter_head_cycles: tree.clocks().forward(0, far),
        diameter_answer_cycles: tree.clocks().backward(0, far),
    }
}

fn bidelta(bidelta: &Bidelta) -> Shape {
    let nodes = u64::from(bidelta.nodes());
    let stages = u64::from(bidelta.stages);
    let delays = bidelta.delays();
    Shape::Bidelta {
        stages: bidelta.stages,
        stages_of_stacks: bidelta.stacks().to_vec(),
        routers: nodes / 4 * stages,
        links: 2 * nodes * (stages + 1),
        link_delay_cycles: delays.iter().map(|d| (d.least, d.most)).collect(),
    }
}

/// Checks `[wave]` as `crosswave run --vcd` does before it simulates, and warns of what
/// only a waveform would show.
///
/// # Errors
/// When a scope matches nothing.
fn check_wave(
    sourced: &SourcedConfig,
    network: &Network,
    chips: &[ChipInfo],
    cycles_max: impl Fn(&Fabric) -> u64,
) -> Result<(), Error> {
    let ports = chips.iter().map(|info| {
        let chip = CHIPS.iter().find(|chip| chip.name == info.chip);
        info.instances * chip.map_or(0, |chip| chip.ports.len() as u64)
    });
    let ports: u64 = ports.sum();
    if ports > SIGNALS_MAX as u64 {
        super::say(&format!(
            "warning: [wave]: the network has {ports} ports, and a waveform takes at most \
             {SIGNALS_MAX}\n  help: run it without --vcd, or record a smaller network"
        ));
        return Ok(());
    }
    let wave = &sourced.config.wave;
    if wave.scopes == ["*"] && wave.window_cycles.is_none() {
        return Ok(());
    }
    let fabric = network.fabric();
    Selection::new(sourced, &fabric)?;
    let cycles_max = cycles_max(&fabric);
    if let Some((from, _)) = wave.window_cycles
        && from > cycles_max
    {
        super::say(&format!(
            "warning: wave.window_cycles: the window begins at cycle {from}, and a run is given \
             up after cycle {cycles_max}\n  help: begin it earlier, or raise run.cycles_max"
        ));
    }
    Ok(())
}

pub(super) fn info(args: &InfoArgs) -> Result<(), Error> {
    let sourced = args.config.read_sourced(&[])?;
    let config = &sourced.config;
    let mut inputs = vec![("the configuration", args.config.file.as_path())];
    inputs.extend(config.trace_file().map(|path| ("the trace", path)));
    let to_stdout = output::check(&inputs, args.json.output().as_slice())?;
    let network = config.topology();
    let shape = match &network {
        Network::FatTree(tree) => fat_tree(tree),
        Network::Bidelta(network) => bidelta(network),
    };
    let chips = memory::Chips::of(&network).arrays;
    let chips = chips
        .into_iter()
        .map(|(chip, instances, _)| ChipInfo::new(chip, instances))
        .collect::<Result<Vec<_>, Error>>()?;
    let total = |count: fn(&ChipInfo) -> usize| -> u64 {
        chips.iter().map(|c| c.instances * count(c) as u64).sum()
    };
    let workload = Replicate::new(config, 0)?.workload;
    check_wave(&sourced, &network, &chips, |fabric| {
        limit::cycles_max(config, fabric, &workload)
    })?;
    let messages = workload.messages.len() as u64;
    let bytes = |engine| -> Result<u64, Error> {
        let mut config = config.clone();
        config.run.engine = engine;
        Ok(memory::need(&config, &network, messages, false)?.total())
    };
    let info = Info {
        nodes: config.network.nodes,
        shape,
        gates: total(|c| c.gates),
        flip_flops: total(|c| c.flip_flops),
        gate_engine_bytes: bytes(EngineKind::Gate)?,
        event_engine_bytes: bytes(EngineKind::Event)?,
        gate_engine: Backend::best().to_string(),
        chips,
    };
    args.json.write(&info)?;
    match to_stdout {
        true => Ok(()),
        false => output::print(text(&info).as_bytes()),
    }
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
