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

use crate::diagnostic::Report;
use crate::experiment::config::{Config, NetworkKind};
use crate::experiment::host::End;
use crate::experiment::run;
use crate::file;
use crate::network::Network;
use crate::network::verilog::structural;
use crate::traffic::{Offer, Workload};

pub use testbench::testbench;

/// Verilog files of the `hdl` folder: name and text.
macro_rules! sources {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../hdl/", $name)))),*]
    };
}

/// The chips of fat trees and their headers, as in `hdl/`.
const FAT_TREE: &[(&str, &str)] = sources!(
    "delay_line.v"
    "fat_tree_arbiter.v"
    "fat_tree_input.v"
    "fat_tree_router.v"
    "network_interface.v"
    "include/delay_line_ports.vh"
    "include/fat_tree_router_ports.vh"
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

/// Writes the directory `dir`, and makes it when it is not there. `origin`
/// names the configuration in the README.
///
/// Returns whether the run that the test bench replays went to its end, and was not
/// given up at `run.cycles_max`.
///
/// Files of the same names are replaced, each at once when it is complete; a
/// run that fails leaves no half-written file.
///
/// # Errors
/// Those of [`traffic::build`](crate::traffic::build), and [`Class::Io`](crate::diagnostic::Class::Io)
/// when the directory cannot be written.
pub fn write(config: &Config, origin: &str, dir: &Path) -> Result<bool, Report> {
    let fabric = run::network(config).fabric();
    let mut whole = true;
    let (testbench, input, defines) = match config.network.kind {
        NetworkKind::FatTree => {
            let workload = run::workload(config, config.run.seed)?;
            let input = ("messages", messages(&workload));
            let defines = defines(workload.messages.len());
            (testbench(&fabric), input, defines)
        }
        NetworkKind::Bidelta => {
            let (stimulus, outcome) = replay::stimulus(config)?;
            whole = outcome.end == End::Finished;
            let input = ("stimulus", stimulus);
            (replay::testbench(&fabric), input, String::new())
        }
    };
    std::fs::create_dir_all(dir).map_err(|error| Report::io(dir, "making it", &error))?;
    for (path, text) in sources(config.network.kind) {
        let name = path.rsplit('/').next().unwrap_or(path);
        file::write(&dir.join(name), |out| out.write_all(text.as_bytes()))?;
    }
    let network = format!("{}.v", fabric.name);
    let input_file = format!("{}.csv", input.0);
    let script = |template: &str| {
        template
            .replace("@defines@", &defines)
            .replace("@input@", input.0)
    };
    for (name, text, mode) in [
        (network.as_str(), structural(&fabric), 0o666),
        ("testbench.v", testbench, 0o666),
        (&input_file, input.1, 0o666),
        ("plusargs.txt", plusargs(config), 0o666),
        (
            "run-icarus.sh",
            script(include_str!("export/run-icarus.sh")),
            0o777,
        ),
        (
            "run-verilator.sh",
            script(include_str!("export/run-verilator.sh")),
            0o777,
        ),
        ("README.txt", readme(config, origin), 0o666),
    ] {
        file::write_with_mode(&dir.join(name), mode, |out| out.write_all(text.as_bytes()))?;
    }
    Ok(whole)
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

/// The options of the test bench, one a line; its input file is not among them.
pub fn plusargs(config: &Config) -> String {
    match run::network(config) {
        Network::FatTree(tree) => format!(
            "+seed={}\n+strategy={}\n+backoff_limit={}\n\
             +winner_fixed={}\n+release_tail={}\n+cycles_max={}\n",
            config.run.seed,
            tree.strategy,
            tree.backoff_limit,
            u8::from(tree.winner_fixed),
            u8::from(tree.release_tail),
            config.run.cycles_max,
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
