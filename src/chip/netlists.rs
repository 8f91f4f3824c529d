//! The chips' synthesised netlists, embedded in the program.
//!
//! `hdl/synthesise.sh` writes them; `hdl/netlists/MANIFEST` says from what.

use std::sync::OnceLock;

use crate::diagnostic::{Class, Diagnostic, Error};
use crate::netlist::{Design, Module, Statistics, yosys};

/// A netlist: module, file name, text, and the design once it has been read.
struct Netlist {
    name: &'static str,
    file: &'static str,
    text: &'static str,
    design: OnceLock<Result<Design, Error>>,
}

macro_rules! netlists {
    ($($name:literal),*) => {
        [$(Netlist {
            name: $name,
            file: concat!("hdl/netlists/", $name, ".json"),
            text: include_str!(concat!("../../hdl/netlists/", $name, ".json")),
            design: OnceLock::new(),
        }),*]
    };
}

static NETLISTS: [Netlist; 7] = netlists![
    "fat_tree_router",
    "fat_tree_tail_router",
    "network_interface",
    "delay_line",
    "rn1",
    "rn1_delay_line",
    "rn1_interface"
];

/// The names of all chips that have a netlist, and its text.
pub fn texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    NETLISTS.iter().map(|netlist| (netlist.name, netlist.text))
}

/// The flip-flops of a chip.
///
/// # Errors
/// As [`module`].
pub fn flip_flops(name: &str) -> Result<usize, Error> {
    Ok(Statistics::new(module(name)?).flops)
}

/// The netlist of a chip.
///
/// # Errors
/// When no netlist of that name is embedded, or it does not read.
pub fn module(name: &str) -> Result<&'static Module, Error> {
    let missing = || {
        Error::one(
            Class::Input,
            "embedded netlists",
            Diagnostic::new(format!("module {name}"), "there is no such netlist", ""),
        )
    };
    let netlist = NETLISTS.iter().find(|netlist| netlist.name == name);
    let netlist = netlist.ok_or_else(missing)?;
    let design = netlist
        .design
        .get_or_init(|| yosys::read(netlist.text, netlist.file));
    let design = design.as_ref().map_err(Error::clone)?;
    design.module(name).ok_or_else(missing)
}
