//! The chips' synthesised netlists, embedded in the program.
//!
//! `hdl/synthesise.sh` writes them; `hdl/netlists/MANIFEST` says from what.

use std::sync::OnceLock;

use crate::diagnostic::{Class, Diagnostic, Report};
use crate::netlist::{Design, Module, yosys};

/// File name and text of each netlist.
const TEXTS: [(&str, &str); 3] = [
    (
        "hdl/netlists/fat_tree_router.json",
        include_str!("../../hdl/netlists/fat_tree_router.json"),
    ),
    (
        "hdl/netlists/network_interface.json",
        include_str!("../../hdl/netlists/network_interface.json"),
    ),
    (
        "hdl/netlists/delay_line.json",
        include_str!("../../hdl/netlists/delay_line.json"),
    ),
];

/// The netlist of a chip.
///
/// # Errors
/// When no netlist of that name is embedded, or it does not read.
pub fn module(name: &str) -> Result<&'static Module, Report> {
    static DESIGNS: OnceLock<Result<Vec<Design>, Report>> = OnceLock::new();
    let designs = DESIGNS.get_or_init(|| {
        TEXTS
            .iter()
            .map(|(file, text)| yosys::read(text, file))
            .collect()
    });
    let designs = designs.as_ref().map_err(Report::clone)?;
    designs
        .iter()
        .find_map(|design| design.module(name))
        .ok_or_else(|| {
            Report::one(
                Class::Input,
                "embedded netlists",
                Diagnostic::new(format!("module {name}"), "there is no such netlist", ""),
            )
        })
}
