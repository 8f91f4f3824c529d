//! `crosswave component`: component files of your own routers, checked, proposed and proved.

mod guess;
mod prove;
mod rtl;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use comfy_table::Table;
use comfy_table::presets::UTF8_BORDERS_ONLY;
use serde::Serialize;

use super::output::{self, JsonArgs};
use crosswave_base::diagnostic::Error;
use crosswave_base::escape::ShownPath;
use crosswave_component::file::ParametersAs;
use crosswave_component::packet::FlitCodes;
use crosswave_component::{Component, OwnNetlist, load, packet, parameters};
use crosswave_netlist::Statistics;
use crosswave_run::own_chips::{self, LoadedChip};

/// Names of registers and outputs that are printed.
const NAMES: usize = 8;

#[derive(Debug, Args)]
pub(super) struct ComponentArgs {
    #[command(subcommand)]
    command: ComponentCommand,
}

#[derive(Debug, Subcommand)]
enum ComponentCommand {
    /// Read a component file, synthesise its module, and say what was found
    #[command(
        after_help = "Exit code 1: the netlist and the sources differ.\n\nExample:\n  crosswave component check mesh_router.toml\n  \
                            crosswave component check mesh_router.toml --rtl icarus --cycles 500"
    )]
    Check(CheckArgs),
    /// Propose a component file from the names and widths of a module's ports
    #[command(
        after_help = "Example:\n  crosswave component guess mesh_router.sv --top mesh_router --output mesh_router.toml"
    )]
    Guess(guess::GuessArgs),
    /// Prove that a router keeps the protocol of its links and its packets, or show how it does not
    #[command(
        after_help = "Exit code 1: a property fails or is not proved.\n\nExample:\n  crosswave component prove mesh_router.toml --output proofs\n  \
                            crosswave component prove mesh_router.toml --assertions mesh_router_checked.sv"
    )]
    Prove(prove::ProveArgs),
}

#[derive(Debug, Args)]
struct CheckArgs {
    /// Component file (TOML)
    file: PathBuf,
    #[command(flatten)]
    rtl: rtl::RtlArgs,
    #[command(flatten)]
    json: JsonArgs,
}

/// The findings, as JSON.
#[derive(Debug, Serialize)]
struct Findings {
    crosswave: &'static str,
    file: ShownPath,
    module: String,
    links: Vec<&'static str>,
    protocol: &'static str,
    virtual_channels: usize,
    /// Credits of each virtual channel, by link; none without credits.
    credits: Vec<u32>,
    flit_bits: usize,
    packets: &'static str,
    /// Bits of the number of a message.
    message_bits: usize,
    gates: usize,
    flip_flops: usize,
    memories: usize,
    memory_bits: usize,
    endpoint_gates: usize,
    endpoint_flip_flops: usize,
    /// Bits of outputs that are computed from registers, rather than being registers.
    computed_output_bits: usize,
    /// Bits of outputs that depend on inputs in the same cycle.
    settled_output_bits: usize,
    /// Registers that the reset leaves open.
    unreset_registers: Vec<String>,
    /// The hash of the netlist and of the component file.
    hash: String,
    /// The parameters that instances have values of; none without such.
    parameters: Option<ParameterFindings>,
    /// The comparison with the sources, when it is asked for.
    rtl: Option<rtl::SourceComparison>,
}

/// The sets of values of parameters in a small grid, and their netlists.
#[derive(Debug, Serialize)]
struct ParameterFindings {
    /// Their names.
    names: Vec<String>,
    /// Sets of values.
    sets: usize,
    /// Netlists for them.
    netlists: usize,
    /// Those of these that are for several sets, by pins.
    with_pins: usize,
    /// The reason for several, where they were to be one.
    reason: Option<String>,
}

impl ParameterFindings {
    /// Finds out what becomes of the parameters of a component.
    fn of(component: &'static Component) -> Result<Option<ParameterFindings>, Error> {
        if component.instance_parameters.is_empty() {
            return Ok(None);
        }
        let sample = parameters::sample(component);
        let names = component.instance_parameters.iter();
        let apart = ParameterFindings {
            names: names.map(|(name, _)| name.clone()).collect(),
            sets: sample.len(),
            netlists: sample.len(),
            with_pins: 0,
            reason: None,
        };
        if component.parameters_as == ParametersAs::Arrays {
            return Ok(Some(apart));
        }
        let realised = parameters::realised(component, &sample)?;
        Ok(Some(ParameterFindings {
            netlists: realised.chips,
            with_pins: realised.merged,
            reason: realised.reason.clone(),
            ..apart
        }))
    }

    fn text(&self) -> String {
        let side = parameters::SAMPLE_SIDE;
        let netlists = match (self.netlists, self.with_pins) {
            (1, 1) => {
                "one netlist with pins, which has the cells of the module with each set".to_owned()
            }
            (1, _) => "one netlist".to_owned(),
            (count, 0) => format!("{count} netlists"),
            (count, pins) => format!("{count} netlists, {pins} of them with pins for several sets"),
        };
        let reason = self.reason.as_ref();
        let reason = reason.map_or(String::new(), |reason| format!("; {reason}"));
        format!(
            "{} sets in a grid of {side} routers along each axis: {netlists}{reason}",
            self.sets
        )
    }
}

/// Gates and flip-flops of a netlist.
fn sizes(own: &OwnNetlist) -> (usize, usize) {
    let statistics = Statistics::new(&own.netlist.module);
    let gates = statistics.gates.iter().map(|(_, count)| count).sum();
    (gates, statistics.flops)
}

pub(super) fn component(args: &ComponentArgs) -> Result<(), Error> {
    match &args.command {
        ComponentCommand::Check(args) => check(args),
        ComponentCommand::Guess(args) => guess::guess(args),
        ComponentCommand::Prove(args) => prove::prove(args),
    }
}

fn check(args: &CheckArgs) -> Result<(), Error> {
    let to_stdout = output::check(args.json.output().as_slice())?;
    let component = load(&args.file)?;
    let router = own_chips::of_component(&component.router)?;
    own_chips::of_component(component.endpoint)?;
    let ((gates, flip_flops), (endpoint_gates, endpoint_flip_flops)) =
        (sizes(&component.router), sizes(component.endpoint));
    let statistics = Statistics::new(&component.router.netlist.module);
    let form = component.form;
    let findings = Findings {
        crosswave: env!("CARGO_PKG_VERSION"),
        file: args.file.as_path().into(),
        module: component.top.clone(),
        links: component.router.chip.links.to_vec(),
        protocol: form.protocol.name(),
        virtual_channels: form.vcs,
        credits: component
            .credits
            .iter()
            .copied()
            .filter(|&credits| credits > 0)
            .collect(),
        flit_bits: form.data_bits,
        packets: packet::form_name(component.packet.form),
        message_bits: component.packet.message.len(),
        gates,
        flip_flops,
        memories: statistics.memories,
        memory_bits: statistics.memory_bits,
        endpoint_gates,
        endpoint_flip_flops,
        computed_output_bits: router.registered_outputs - router.settled_outputs,
        settled_output_bits: router.settled_outputs,
        unreset_registers: router.unreset.clone(),
        hash: router.hash.clone(),
        parameters: ParameterFindings::of(component)?,
        rtl: args.rtl.compare(&args.file)?,
    };
    args.json.write(&findings)?;
    if !to_stdout {
        output::print(&text(component, router, &findings))?;
    }
    findings
        .rtl
        .as_ref()
        .map_or(Ok(()), rtl::SourceComparison::check)
}

fn text(component: &Component, router: &LoadedChip, findings: &Findings) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    let mut row = |name: &str, value: String| {
        table.add_row([name.to_owned(), value]);
    };
    row("module", findings.module.clone());
    let channels = match findings.virtual_channels {
        1 => String::new(),
        count => format!(", {count} virtual channels"),
    };
    let credits = match findings.credits.split_first() {
        None => String::new(),
        Some((first, rest)) if rest.iter().all(|credits| credits == first) => {
            format!(", {first} credits")
        }
        Some(_) => {
            let each: Vec<String> = findings.credits.iter().map(u32::to_string).collect();
            format!(", {} credits", each.join(", "))
        }
    };
    let links = findings.links.join(", ");
    row("links", format!("{}: {links}", findings.links.len()));
    row(
        "protocol",
        format!("{}{channels}{credits}", findings.protocol),
    );
    row("flits", format!("{} bits", findings.flit_bits));
    let packets = format!(
        "{}, with a number of {} bits: {} messages are told apart",
        findings.packets,
        findings.message_bits,
        component.packet.messages_max()
    );
    row("packets", packets);
    if let Some(codes) = &component.packet.codes {
        let FlitCodes {
            bits,
            head,
            body,
            tail,
            single,
        } = codes;
        let (left, right) = (bits.end - 1, bits.start);
        let codes = format!("head {head}, body {body}, tail {tail}, single {single}");
        row("kinds of flits", format!("{codes}, in [{left}:{right}]"));
    }
    for &(port, source) in &component.pins {
        let name = component.router.chip.ports[port].name;
        row("pin", format!("{name} = {}", source.text()));
    }
    for (name, source) in &component.instance_parameters {
        row("parameter", format!("{name} = {}", source.text()));
    }
    if let Some(found) = &findings.parameters {
        row("values", found.text());
    }
    let size = |gates: usize, flip_flops: usize| format!("{gates} gates, {flip_flops} flip-flops");
    row("router", size(findings.gates, findings.flip_flops));
    if findings.memories > 0 {
        let words = match router.netlist.module.beside.len() {
            0 => "as flip-flops".to_owned(),
            all if all == findings.memories => "held as words".to_owned(),
            some => format!("{some} of them held as words, the others as flip-flops"),
        };
        let (memories, bits) = (findings.memories, findings.memory_bits);
        row(
            "memories",
            format!("{memories} of {bits} bits in all, {words}"),
        );
    }
    row(
        "endpoint",
        size(findings.endpoint_gates, findings.endpoint_flip_flops),
    );
    let outputs = match findings.computed_output_bits {
        0 => "registers".to_owned(),
        bits => format!("{bits} bits are computed from registers, the others are registers"),
    };
    let outputs = match findings.settled_output_bits {
        0 => format!("{outputs} (Moore)"),
        bits => format!(
            "{outputs}; {bits} bits depend on inputs in the same cycle (Mealy), or on memories"
        ),
    };
    row("outputs", outputs);
    let shown = router.unreset[..router.unreset.len().min(NAMES)].join(", ");
    let open = match router.unreset.len() {
        0 => "sets all registers".to_owned(),
        count if count <= NAMES => {
            format!("leaves {count} registers or memories, which begin at 0: {shown}")
        }
        count => format!(
            "leaves {count} registers or memories, which begin at 0: {shown} and {} more",
            count - NAMES
        ),
    };
    row("reset", open);
    if let Some(compared) = &findings.rtl {
        row("sources", compared.text());
    }
    format!("{table}\n")
}
