//! A configuration as a directory of Verilog that other simulators run.
//!
//! | file | holds |
//! |---|---|
//! | `fat_tree.v`, `bidelta.v` | the network: instances and wires only, see [`structural`] |
//! | `testbench.v` | of a fat tree: the host with its offers and rounds; else what replays the host of a run ([`replay`]); random pins, waveform |
//! | the chips and their headers | as in `hdl/` |
//! | `messages.csv` | of a fat tree: the messages, in order of source and then of id |
//! | `stimulus.csv` | else: what the host drives |
//! | `plusargs.txt` | the options of this configuration, one a line |
//! | `run-icarus.sh`, `run-verilator.sh` | compile and run |
//! | `README.txt` | the commands |
//! | `crosswave.manifest` | what this program wrote, and may replace: see [`Folder`] |
//!
//! Network and test bench of a fat tree depend only on nodes and link delays: one
//! compiled model serves every traffic, seed, strategy and router option. Those of a
//! bidelta network depend on the options of its interfaces as well.
//!
//! The test bench drives what the host of the engines drives, so that every port of
//! every chip has the same value in every cycle.

pub mod replay;
mod testbench;

use std::fmt::Write as _;
use std::path::Path;

use crate::config::{Config, NetworkKind, Release};
use crate::diagnostic::Error;
use crate::file::{Folder, FolderFile};
use crate::host::End;
use crate::network::Network;
use crate::network::verilog::structural;
use crate::run::limit::cycles_max;
use crate::run::replicate::Replicate;
use crate::traffic::{Offer, Workload};

pub use testbench::testbench;

/// Verilog files of the `hdl` folder: name and text.
macro_rules! sources {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../hdl/", $name)))),*]
    };
}

/// The chips of fat trees and their headers, as in `hdl/`.
const FAT_TREE: &[(&str, &str)] = sources!(
    "delay_line.v"
    "fat_tree_arbiter.v"
    "fat_tree_crossbar.v"
    "fat_tree_grants.v"
    "fat_tree_input.v"
    "fat_tree_router.v"
    "fat_tree_tail_input.v"
    "fat_tree_tail_output.v"
    "fat_tree_tail_router.v"
    "network_interface.v"
    "include/delay_line_ports.vh"
    "include/fat_tree_router_ports.vh"
    "include/fat_tree_tail_router_ports.vh"
    "include/network_interface_ports.vh"
    "include/protocol.vh"
);

/// The chips of bidelta networks and their headers.
const BIDELTA: &[(&str, &str)] = sources!(
    "rn1.v"
    "rn1_checksum.v"
    "rn1_delay_line.v"
    "rn1_direction.v"
    "rn1_gather.v"
    "rn1_input.v"
    "rn1_interface.v"
    "rn1_interface_checks.v"
    "rn1_interface_receiver.v"
    "rn1_interface_sender.v"
    "include/rn1_delay_line_ports.vh"
    "include/rn1_interface_ports.vh"
    "include/rn1_ports.vh"
    "include/rn1_protocol.vh"
);

/// The chips of a kind of network and their headers: paths in `hdl/` and texts.
pub fn sources(kind: NetworkKind) -> &'static [(&'static str, &'static str)] {
    match kind {
        NetworkKind::FatTree => FAT_TREE,
        NetworkKind::Bidelta => BIDELTA,
    }
}

/// The messages that the test bench holds unless `CROSSWAVE_MESSAGES_MAX` says
/// otherwise.
const MESSAGES_DEFAULT: usize = 1 << 16;

/// An exported configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The files of its directory.
    pub files: Vec<FolderFile>,
    /// The cycle after which the run that the test bench replays was given up, if it was.
    pub given_up: Option<u64>,
}

/// Makes the files of the directory. `origin` names the configuration in the README.
///
/// # Errors
/// Those of [`traffic::build`](crate::traffic::build).
pub fn files(config: &Config, origin: &str) -> Result<Exported, Error> {
    let network = config.topology();
    let fabric = network.fabric();
    let mut given_up = None;
    let (testbench, input, defines, options) = match &network {
        Network::FatTree(tree) => {
            let workload = Replicate::new(config, 0)?.workload;
            let input = ("messages", messages(&workload));
            let defines = defines(workload.messages.len());
            let options = plusargs(config, cycles_max(config, &fabric, &workload));
            (testbench(&fabric, &tree.clocks()), input, defines, options)
        }
        Network::Bidelta(_) => {
            let (stimulus, outcome) = replay::stimulus(config)?;
            given_up = (outcome.end != End::Finished).then_some(outcome.last_cycle);
            let input = ("stimulus", stimulus);
            let options = plusargs(config, outcome.last_cycle);
            (replay::testbench(&fabric), input, String::new(), options)
        }
    };
    let sources = sources(config.network.kind).iter().map(|(path, text)| {
        let name = path.rsplit('/').next().unwrap_or(path);
        FolderFile::new(name, *text)
    });
    let script = |template: &str| {
        template
            .replace("@defines@", &defines)
            .replace("@input@", input.0)
    };
    let mut files: Vec<FolderFile> = sources.collect();
    files.extend([
        FolderFile::new(format!("{}.v", fabric.name), structural(&fabric)),
        FolderFile::new("testbench.v", testbench),
        FolderFile::new("plusargs.txt", options),
        FolderFile::script(
            "run-icarus.sh",
            script(include_str!("export/run-icarus.sh")),
        ),
        FolderFile::script(
            "run-verilator.sh",
            script(include_str!("export/run-verilator.sh")),
        ),
        FolderFile::new("README.txt", readme(config, origin)),
        FolderFile::new(format!("{}.csv", input.0), input.1),
    ]);
    Ok(Exported { files, given_up })
}

/// Writes the directory `dir`, and makes it when it is not there. Returns
/// [`Exported::given_up`].
///
/// # Errors
/// Those of [`files`] and of [`Folder::write`]: files there that this program did not write
/// are not replaced.
pub fn write(config: &Config, origin: &str, dir: &Path) -> Result<Option<u64>, Error> {
    let Exported { files, given_up } = files(config, origin)?;
    let trace = config.trace_file().map(|path| ("the trace", path));
    Folder::new(dir)?.write(trace.as_slice(), &files)?;
    Ok(given_up)
}

/// The messages as the test bench reads them.
pub fn messages(workload: &Workload) -> String {
    let mut text = String::from("source,destination,words,offered_cycle\n");
    let queues = workload.by_source();
    for source in 0..workload.nodes {
        for &id in queues.of(source) {
            let message = &workload.messages[id as usize];
            let offered = match message.offered {
                Offer::At(cycle) => cycle,
                Offer::AfterPrevious => 0,
            };
            writeln!(
                text,
                "{source},{},{},{offered}",
                message.destination, message.words
            )
            .expect("a String takes all text");
        }
    }
    text
}

/// The options of the test bench, one a line; its input file is not among them. A run of
/// a fat tree is given up after `cycles_max` cycles.
pub fn plusargs(config: &Config, cycles_max: u64) -> String {
    match config.topology() {
        Network::FatTree(tree) => format!(
            "+seed={}\n+strategy={}\n+backoff_limit={}\n\
             +winner_fixed={}\n+early_acknowledge={}\n+cycles_max={cycles_max}\n",
            config.run.seed,
            tree.strategy,
            tree.backoff_limit,
            u8::from(tree.winner_fixed),
            u8::from(tree.release == Release::EarlyAcknowledge),
        ),
        Network::Bidelta(_) => format!("+seed={}\n", config.run.seed),
    }
}

/// The macro that makes room for many messages; empty when they fit anyway.
fn defines(messages: usize) -> String {
    if messages <= MESSAGES_DEFAULT {
        String::new()
    } else {
        format!("-DCROSSWAVE_MESSAGES_MAX={messages} ")
    }
}

fn readme(config: &Config, origin: &str) -> String {
    let template = match config.network.kind {
        NetworkKind::FatTree => include_str!("export/README.txt"),
        NetworkKind::Bidelta => include_str!("export/README-bidelta.txt"),
    };
    template
        .replace("@origin@", origin)
        .replace("@version@", env!("CARGO_PKG_VERSION"))
        .replace("@nodes@", &config.network.nodes.to_string())
}
