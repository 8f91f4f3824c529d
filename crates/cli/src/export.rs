//! `crosswave export`: a configuration as Verilog in a folder.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::memory::{Planned, Task};
use super::output::{self, JsonArgs};
use super::{ConfigArgs, say, usage};
use crosswave_base::diagnostic::Error;
use crosswave_base::escape::ShownPath;
use crosswave_base::file::Folder;
use crosswave_network::verilog::RouterOptions;
use crosswave_observe::export;
use crosswave_observe::export::Exported;
use crosswave_run::memory;

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Folder to write to; made when missing. Files there that crosswave did not write are
    /// not replaced
    #[arg(long, value_name = "DIR")]
    verilog: PathBuf,
    /// Take the options of RN1s from a scan chain through all of them, which the test bench fills
    /// before the run, in place of pins
    #[arg(long)]
    scan_chain: bool,
    #[command(flatten)]
    json: JsonArgs,
}

/// The files written to a folder.
#[derive(Debug, Serialize)]
pub(super) struct ExportedFiles<'a> {
    crosswave: &'static str,
    folder: ShownPath,
    files: Vec<&'a str>,
    /// True when the run that is replayed went to its end; of an exported network.
    #[serde(skip_serializing_if = "Option::is_none")]
    finished: Option<bool>,
}

impl<'a> ExportedFiles<'a> {
    pub(super) fn new(folder: &'a Path, files: impl IntoIterator<Item = &'a str>) -> Self {
        ExportedFiles {
            crosswave: env!("CARGO_PKG_VERSION"),
            folder: folder.into(),
            files: files.into_iter().collect(),
            finished: None,
        }
    }
}

/// Nodes of the largest network that is exported.
const EXPORT_NODES_MAX: u32 = 1 << 14;

/// Routers of a scan chain that other simulators fill in minutes.
const SCANNED_QUICKLY: usize = 200;

pub(super) fn export(args: &ExportArgs) -> Result<(), Error> {
    let sourced = args.config.read_sourced(&[])?;
    let config = &sourced.config;
    let options = match args.scan_chain {
        true => RouterOptions::ScanChain,
        false => RouterOptions::Pins,
    };
    if config.network.nodes() > EXPORT_NODES_MAX {
        return Err(usage(
            "export",
            format!(
                "the network has {} nodes, and at most {EXPORT_NODES_MAX} are exported: \
                 other simulators take hours to compile more",
                config.network.nodes()
            ),
            "export a smaller network, as with --set network.nodes=64",
        ));
    }
    if options == RouterOptions::ScanChain {
        let routers = export::scan_chain_of(config)?.routers;
        if routers > SCANNED_QUICKLY {
            say(&format!(
                "warning: --scan-chain: the chain goes through {routers} routers, and the time to \
                 fill it grows with their square: Icarus takes hours for a thousand\n  help: export \
                 a smaller network, or leave --scan-chain out"
            ));
        }
    }
    if let Some((chip, _)) = config
        .topology()
        .chips()
        .iter()
        .find(|c| !c.0.has_netlist())
    {
        return Err(usage(
            "export",
            format!("{} is a model, of which there is no Verilog", chip.name),
            config.network.kind().without_netlists().export_help,
        ));
    }
    if let Some(own) = config.chips.own.first() {
        let help = "leave [chips] and --chip out; then put your own files in the place of those that are \
                    exported, and run the scripts";
        let found = format!(
            "{} is your own, and what is exported are the chips of this program",
            own.chip
        );
        return Err(usage("export", found, help));
    }
    let topology = config.topology();
    let components = topology.components();
    let is_netlist = components
        .iter()
        .find(|component| component.files.is_empty());
    if let Some(component) = is_netlist {
        let found = format!(
            "{} is a netlist, of which there is no Verilog",
            component.top
        );
        let help = "name its Verilog in component.sources";
        return Err(usage("export", found, help));
    }
    let mut texts: BTreeMap<&str, &str> = BTreeMap::new();
    let mut all = components.iter().flat_map(|component| &component.files);
    let twice = all.find(|(name, text)| *texts.entry(name).or_insert(text) != *text);
    if let Some((name, _)) = twice {
        let found = format!("several files of components have the name {name}");
        let help = "an export is one folder: rename them";
        return Err(usage("export", found, help));
    }
    let json = args.json.output();
    let takes_standard = output::check(json.as_slice())?;
    let mut folder = Folder::new("--verilog", &args.verilog)?;
    let network = config.topology();
    let planned = Planned {
        config,
        origin: &sourced.source.origin,
        network: &*network,
        task: Task::Export,
    };
    planned.check(memory::expected_messages(config).unwrap_or(0))?;
    let Exported { files, given_up } = export::files(config, &sourced.source.origin, options)?;
    folder.remove_others(&files);
    folder.write(&files)?;
    if let Some(cycle) = given_up {
        say(&format!(
            "warning: run.cycles_max: the run was given up after cycle {cycle}, and the \
             stimulus ends there\n  help: raise run.cycles_max"
        ));
    }
    let names = files.iter().map(|file| file.name.as_str());
    args.json.write(&ExportedFiles {
        finished: Some(given_up.is_none()),
        ..ExportedFiles::new(&args.verilog, names)
    })?;
    if !takes_standard && std::io::stderr().is_terminal() {
        say(&format!("wrote {}", args.verilog.display()));
    }
    Ok(())
}
