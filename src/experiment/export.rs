//! A configuration as a directory of Verilog that other simulators run.
//!
//! | file | holds |
//! |---|---|
//! | `fat_tree.v` | the network: instances and wires only, see [`structural`] |
//! | `testbench.v` | the host: offers, rounds, random pins, waveform |
//! | the chips and their headers | as in `hdl/` |
//! | `messages.csv` | the messages, in order of source and then of id |
//! | `plusargs.txt` | the options of this configuration, one a line |
//! | `run-icarus.sh`, `run-verilator.sh` | compile and run |
//! | `README.txt` | the commands |
//!
//! Network and test bench depend only on nodes and link delays: one compiled
//! model serves every traffic, seed, strategy and router option.
//!
//! The test bench follows the same contract as the host of the engines, so
//! that every port of every chip has the same value in every cycle.

mod testbench;

use std::fmt::Write as _;
use std::path::Path;

use crate::diagnostic::Report;
use crate::experiment::config::Config;
use crate::experiment::run;
use crate::file;
use crate::network::verilog::structural;
use crate::traffic::{Offer, Workload};

pub use testbench::testbench;

/// The chips and their headers: file name and text.
pub const SOURCES: [(&str, &str); 9] = [
    ("delay_line.v", include_str!("../../hdl/delay_line.v")),
    (
        "fat_tree_arbiter.v",
        include_str!("../../hdl/fat_tree_arbiter.v"),
    ),
    (
        "fat_tree_input.v",
        include_str!("../../hdl/fat_tree_input.v"),
    ),
    (
        "fat_tree_router.v",
        include_str!("../../hdl/fat_tree_router.v"),
    ),
    (
        "network_interface.v",
        include_str!("../../hdl/network_interface.v"),
    ),
    (
        "delay_line_ports.vh",
        include_str!("../../hdl/include/delay_line_ports.vh"),
    ),
    (
        "fat_tree_router_ports.vh",
        include_str!("../../hdl/include/fat_tree_router_ports.vh"),
    ),
    (
        "network_interface_ports.vh",
        include_str!("../../hdl/include/network_interface_ports.vh"),
    ),
    ("protocol.vh", include_str!("../../hdl/include/protocol.vh")),
];

/// The messages that the test bench holds unless `CROSSWAVE_MESSAGES_MAX` says
/// otherwise.
const MESSAGES_DEFAULT: usize = 1 << 16;

/// Writes the directory `dir`, and makes it when it is not there. `origin`
/// names the configuration in the README.
///
/// Files of the same names are replaced, each at once when it is complete; a
/// run that fails leaves no half-written file.
///
/// # Errors
/// Those of [`traffic::build`](crate::traffic::build), and [`Class::Io`](crate::diagnostic::Class::Io)
/// when the directory cannot be written.
pub fn write(config: &Config, origin: &str, dir: &Path) -> Result<(), Report> {
    let fabric = run::fat_tree(config).fabric();
    let workload = run::workload(config, config.run.seed)?;
    std::fs::create_dir_all(dir).map_err(|error| Report::io(dir, "making it", &error))?;
    for (name, text) in SOURCES {
        file::write(&dir.join(name), |out| out.write_all(text.as_bytes()))?;
    }
    let network = format!("{}.v", fabric.name);
    let defines = defines(workload.messages.len());
    for (name, text, mode) in [
        (network.as_str(), structural(&fabric), 0o666),
        ("testbench.v", testbench(&fabric), 0o666),
        ("messages.csv", messages(&workload), 0o666),
        ("plusargs.txt", plusargs(config), 0o666),
        (
            "run-icarus.sh",
            script(include_str!("export/run-icarus.sh"), &defines),
            0o777,
        ),
        (
            "run-verilator.sh",
            script(include_str!("export/run-verilator.sh"), &defines),
            0o777,
        ),
        ("README.txt", readme(config, origin), 0o666),
    ] {
        file::write_with_mode(&dir.join(name), mode, |out| out.write_all(text.as_bytes()))?;
    }
    Ok(())
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

/// The options of the test bench, one a line; the messages are not among them.
pub fn plusargs(config: &Config) -> String {
    let tree = run::fat_tree(config);
    format!(
        "+seed={}\n+strategy={}\n+backoff_limit={}\n\
         +winner_fixed={}\n+release_tail={}\n+cycles_max={}\n",
        config.run.seed,
        tree.strategy,
        tree.backoff_limit,
        u8::from(tree.winner_fixed),
        u8::from(tree.release_tail),
        config.run.cycles_max,
    )
}

/// The macro that makes room for many messages; empty when they fit anyway.
fn defines(messages: usize) -> String {
    if messages <= MESSAGES_DEFAULT {
        String::new()
    } else {
        format!("-DCROSSWAVE_MESSAGES_MAX={messages} ")
    }
}

fn script(template: &str, defines: &str) -> String {
    template.replace("@defines@", defines)
}

fn readme(config: &Config, origin: &str) -> String {
    include_str!("export/README.txt")
        .replace("@origin@", origin)
        .replace("@version@", env!("CARGO_PKG_VERSION"))
        .replace("@nodes@", &config.network.nodes.to_string())
}
