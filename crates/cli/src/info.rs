//! `crosswave info`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};
use comfy_table::Table;
use comfy_table::presets::UTF8_BORDERS_ONLY;
use serde::Serialize;
use serde_json::{Map, Value};

use super::output::{self, Format, JsonArgs, Output};
use super::{ConfigArgs, ConfigChanges, SourcedConfig, named_input, usage};
use crosswave_base::diagnostic::Error;
use crosswave_base::file;
use crosswave_chips::netlists::NetlistSet;
use crosswave_chips::{CHIPS, Chip, MODELS};
use crosswave_gate::Backend;
use crosswave_netlist::Statistics;
use crosswave_network::text::Structure;
use crosswave_network::topology::Summary;
use crosswave_network::{Fabric, Topology};
use crosswave_observe::drawing::{self, DRAWN_CHIPS_MAX};
use crosswave_observe::recording::SIGNALS_MAX;
use crosswave_run::config::{EngineKind, WaveConfig};
use crosswave_run::gpu::{self, Adapter};
use crosswave_run::memory::{MessageLoad, RecordFile};
use crosswave_run::replicate::Replicate;
use crosswave_run::simulation::Simulation;
use crosswave_run::{limit, memory, own_chips};

#[derive(Debug, Args)]
pub(super) struct InfoArgs {
    /// Configuration (TOML). With - it is read from standard input, and the files that it names are
    /// looked for in the current folder. With --gpu it may be left out
    #[arg(value_parser = PathBufValueParser::new().map(named_input), required_unless_present = "gpu")]
    file: Option<PathBuf>,
    #[command(flatten)]
    changes: ConfigChanges,
    #[command(flatten)]
    json: JsonArgs,
    /// Write chips and links by their names, as text that can be compared; - is standard
    /// output, with nothing else
    #[arg(long, value_name = "FILE|-", requires = "file")]
    structure: Option<PathBuf>,
    /// Draw routers, nodes and links as SVG; - is standard output, with nothing else
    #[arg(long, value_name = "FILE|-", requires = "file")]
    svg: Option<PathBuf>,
    /// List the adapters that run.engine = "gpu" can take, the first of which it does
    #[arg(long)]
    gpu: bool,
}

#[derive(Debug, Serialize)]
struct ChipInfo {
    chip: &'static str,
    instances: u64,
    /// Gates of its netlist, where it has one.
    gates: Option<usize>,
    flip_flops: Option<usize>,
}

impl ChipInfo {
    fn new(chip: &'static Chip, instances: u64, netlists: &NetlistSet) -> Result<ChipInfo, Error> {
        let statistics = match chip.has_netlist() {
            true => Some(Statistics::new(netlists.module(chip.name)?)),
            false => None,
        };
        Ok(ChipInfo {
            chip: chip.name,
            instances,
            gates: statistics.as_ref().map(Statistics::gate_count),
            flip_flops: statistics.map(|statistics| statistics.flops),
        })
    }
}

#[derive(Debug, Serialize)]
struct Info {
    nodes: u32,
    #[serde(flatten)]
    summary: Map<String, Value>,
    chips: Vec<ChipInfo>,
    /// Gates of all chips that have netlists.
    gates: u64,
    flip_flops: u64,
    /// Bytes of a run on the gate engine; only if all chips have netlists.
    gate_engine_bytes: Option<u64>,
    /// Bytes of a run on the event engine; only if all chips have models.
    event_engine_bytes: Option<u64>,
    /// Additional bytes of a run that writes traces of messages; only if messages can be followed.
    #[serde(flatten)]
    records: RecordBytes,
    gate_engine: String,
    /// Bytes of a run on the GPU engine, those of the device among them; as the adapters.
    #[serde(skip_serializing_if = "Option::is_none")]
    gpu_engine_bytes: Option<u64>,
    /// Adapters of the GPU engine; only where they are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    adapters: Option<Vec<Adapter>>,
}

/// The adapters alone.
#[derive(Debug, Serialize)]
struct AdapterList {
    adapters: Vec<Adapter>,
}

/// Bytes that a run takes more with a file of what becomes of each message.
#[derive(Debug, Serialize)]
struct RecordBytes {
    events_bytes: u64,
    events_table_bytes: u64,
    transactions_ftr_bytes: u64,
    transactions_json_bytes: u64,
}

impl RecordBytes {
    fn new(network: &dyn Topology, load: MessageLoad) -> RecordBytes {
        let bytes = |file| memory::follower(network, &[file], load);
        RecordBytes {
            events_bytes: bytes(RecordFile::Lines),
            events_table_bytes: bytes(RecordFile::Table),
            transactions_ftr_bytes: bytes(RecordFile::Ftr),
            transactions_json_bytes: bytes(RecordFile::TraceEvents),
        }
    }

    /// The rows of the table, each with its bytes.
    fn rows(&self) -> [(&'static str, u64); 4] {
        [
            ("more with --events", self.events_bytes),
            ("more with --events FILE.parquet", self.events_table_bytes),
            (
                "more with --transactions FILE.ftr",
                self.transactions_ftr_bytes,
            ),
            (
                "more with --transactions FILE.json",
                self.transactions_json_bytes,
            ),
        ]
    }
}

/// Checks `[wave]` as `crosswave run --vcd` does before it simulates, and warns of what
/// only a waveform would show.
///
/// # Errors
/// When a scope matches nothing.
fn check_wave(
    sourced: &SourcedConfig,
    chips: &[ChipInfo],
    cycles_max: impl Fn(&Fabric) -> u64,
) -> Result<(), Error> {
    let ports = chips.iter().map(|info| {
        let chip = CHIPS
            .iter()
            .chain(MODELS)
            .find(|chip| chip.name == info.chip);
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
    if *wave == WaveConfig::default() {
        return Ok(());
    }
    let simulation = Simulation::new(&sourced.config)?;
    sourced.selection(&simulation)?;
    let cycles_max = cycles_max(simulation.fabric());
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
    let Some(file) = args.file.clone() else {
        return list_adapters(args);
    };
    let of_network = ConfigArgs {
        file,
        changes: args.changes.clone(),
    };
    let sourced = of_network.read_sourced(&[])?;
    let config = &sourced.config;
    let structure = Output::new("--structure", Format::Text, args.structure.as_deref());
    let drawing = Output::new("--svg", Format::Svg, args.svg.as_deref());
    let outputs = args.json.output().into_iter().chain(structure);
    let outputs: Vec<Output<'_>> = outputs.chain(drawing).collect();
    let to_stdout = output::check(&outputs)?;
    let network = config.topology();
    let summary = network.summary();
    let chips = network.chips();
    let netlists = own_chips::netlists(config, &mut |_, _| {})?;
    let chips = chips
        .into_iter()
        .map(|(chip, instances)| ChipInfo::new(chip, instances, &netlists))
        .collect::<Result<Vec<_>, Error>>()?;
    let total = |count: fn(&ChipInfo) -> Option<usize>| -> u64 {
        let counted = chips.iter().filter_map(|c| Some((c.instances, count(c)?)));
        counted
            .map(|(instances, count)| instances * count as u64)
            .sum()
    };
    let have_netlists = chips.iter().all(|chip| chip.gates.is_some());
    let workload = Replicate::new(config, 0)?.workload;
    check_wave(&sourced, &chips, |fabric| {
        limit::cycles_max(config, &*network, fabric, &workload)
    })?;
    let load = memory::MessageLoad::of(&workload);
    let bytes = |engine| -> Result<u64, Error> {
        let mut config = config.clone();
        config.run.engine = engine;
        Ok(memory::need(&config, &*network, load)?.total())
    };
    let fields = summary.fields.iter();
    let fields = fields.map(|(name, value)| ((*name).to_owned(), value.clone()));
    let info = Info {
        nodes: network.nodes(),
        summary: fields.collect(),
        gates: total(|c| c.gates),
        flip_flops: total(|c| c.flip_flops),
        gate_engine_bytes: match have_netlists {
            true => Some(bytes(EngineKind::Gate)?),
            false => None,
        },
        event_engine_bytes: match network.own_netlists().is_empty() {
            true => Some(bytes(EngineKind::Event)?),
            false => None,
        },
        records: RecordBytes::new(&*network, load),
        gate_engine: Backend::best().to_string(),
        gpu_engine_bytes: match args.gpu && have_netlists {
            true => Some(bytes(EngineKind::Gpu)?),
            false => None,
        },
        adapters: args.gpu.then(adapters).transpose()?,
        chips,
    };
    args.json.write(&info)?;
    if let Some(path) = &args.structure {
        let structure = Structure::of(&network.fabric());
        file::write(path, |out| write!(out, "{structure}"))?;
    }
    if let Some(path) = &args.svg {
        let drawn = drawing::network_svg(&*network, &network.fabric());
        let drawn = drawn.map_err(|chips| {
            let found =
                format!("the network has {chips} chips; expected at most {DRAWN_CHIPS_MAX}");
            usage("--svg", found, "draw a smaller network of the same kind")
        })?;
        file::write(path, |out| out.write_all(drawn.as_bytes()))?;
    }
    match to_stdout {
        true => Ok(()),
        false => output::print(&text(&info, summary)),
    }
}

/// Writes or prints the adapters of the GPU engine.
///
/// # Errors
/// As [`adapters`], and when a configuration is changed that is not there.
fn list_adapters(args: &InfoArgs) -> Result<(), Error> {
    let ConfigChanges { set, unset, chip } = &args.changes;
    if !(set.is_empty() && unset.is_empty() && chip.is_empty()) {
        let found = "found changes of a configuration, and no configuration";
        return Err(usage("--gpu", found, "name a configuration as well"));
    }
    let outputs: Vec<Output<'_>> = args.json.output().into_iter().collect();
    let to_stdout = output::check(&outputs)?;
    let list = AdapterList {
        adapters: adapters()?,
    };
    args.json.write(&list)?;
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    table.add_rows(adapter_rows(&list.adapters));
    match to_stdout {
        true => Ok(()),
        false => output::print(&format!("{table}\n")),
    }
}

/// The rows of adapters.
fn adapter_rows(adapters: &[Adapter]) -> Vec<[String; 2]> {
    let titles = std::iter::once("GPU engine").chain(std::iter::repeat("not taken"));
    let rows = titles.zip(adapters);
    let mut rows: Vec<[String; 2]> = rows
        .map(|(title, adapter)| [title.to_owned(), adapter.to_string()])
        .collect();
    if rows.is_empty() {
        let none = "no adapter; mesa-vulkan-drivers has a driver for processors";
        rows.push(["GPU engine", none].map(str::to_owned));
    }
    rows
}

/// The adapters of the GPU engine.
///
/// # Errors
/// When the program is built without it.
fn adapters() -> Result<Vec<Adapter>, Error> {
    let [message, help] = gpu::WITHOUT;
    gpu::adapters().ok_or_else(|| usage("--gpu", message, help))
}

fn text(info: &Info, summary: Summary) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    let mut row = |name: &str, value: String| {
        table.add_row([name.to_owned(), value]);
    };
    row("nodes", info.nodes.to_string());
    for (name, value) in summary.rows {
        row(&name, value);
    }
    for chip in info.chips.iter().filter(|chip| chip.instances > 0) {
        row(
            chip.chip,
            match (chip.gates, chip.flip_flops) {
                (Some(gates), Some(flip_flops)) => format!(
                    "{} × ({gates} gates, {flip_flops} flip-flops)",
                    chip.instances
                ),
                _ => format!("{}, a model without a netlist", chip.instances),
            },
        );
    }
    if info.gates > 0 {
        row("gates", info.gates.to_string());
        row("flip-flops", info.flip_flops.to_string());
    }
    for (name, value) in summary.last_rows {
        row(&name, value);
    }
    let mib = |bytes: u64| format!("about {} MiB", bytes.div_ceil(1 << 20));
    if let Some(bytes) = info.gate_engine_bytes {
        row("memory of a run, gate engine", mib(bytes));
    }
    if let Some(bytes) = info.event_engine_bytes {
        row("memory of a run, event engine", mib(bytes));
    }
    if let Some(bytes) = info.gpu_engine_bytes {
        row("memory of a run, GPU engine", mib(bytes));
    }
    for (name, bytes) in info.records.rows() {
        row(name, mib(bytes));
    }
    if info.gate_engine_bytes.is_some() {
        row("gate engine", info.gate_engine.clone());
    }
    if let Some(adapters) = &info.adapters {
        table.add_rows(adapter_rows(adapters));
    }
    format!("{table}\n")
}
