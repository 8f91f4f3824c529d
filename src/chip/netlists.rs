//! The chips' synthesised netlists, embedded in the program.
//!
//! `hdl/synthesise.sh` writes them; `hdl/netlists/MANIFEST` says from what.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::NETLISTS;
use crate::diagnostic::{Class, Diagnostic, Error};
use crate::netlist::{Design, Module, Statistics, yosys};

/// Designs of the chips' netlists, once they have been read.
static DESIGNS: [OnceLock<Result<Design, Error>>; NETLISTS.len()] =
    [const { OnceLock::new() }; NETLISTS.len()];

/// The names of all chips that have a netlist, and its text.
pub fn texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    NETLISTS.iter().copied()
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
    let at = NETLISTS.iter().position(|(known, _)| *known == name);
    let at = at.ok_or_else(missing)?;
    let file = format!("hdl/netlists/{name}.json");
    let design = DESIGNS[at].get_or_init(|| yosys::read(NETLISTS[at].1, &file));
    let design = design.as_ref().map_err(Error::clone)?;
    design.module(name).ok_or_else(missing)
}

/// How many bits each vector in the netlist of a chip has, by its name.
pub fn vector_widths(name: &str) -> BTreeMap<String, usize> {
    let text = NETLISTS.iter().find(|(known, _)| *known == name);
    text.map_or_else(BTreeMap::new, |(_, text)| yosys::vector_widths(text, name))
}
