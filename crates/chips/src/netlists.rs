//! The chips' synthesised netlists, embedded in the program.
//!
//! `hdl/synthesise.sh` writes them; `hdl/netlists/MANIFEST` says from what. Some keep modules of which
//! they have many instances, which are put in their places when the netlist is read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::NETLISTS;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_netlist::{Design, Hierarchy, Module, Statistics, flatten, yosys};

/// The chips' netlists without instances, once they have been read.
static MODULES: [OnceLock<Result<Module, Error>>; NETLISTS.len()] =
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
    let read = || {
        let design = design(at)?;
        let root = design.modules.iter().position(|module| module.name == name);
        let root = root.ok_or_else(missing)?;
        match design.modules.len() {
            1 => Ok(design.modules.into_iter().next().ok_or_else(missing)?),
            _ => flatten(&Hierarchy::new(&design, root), root, &BTreeSet::new()),
        }
    };
    let module = MODULES[at].get_or_init(read);
    module.as_ref().map_err(Error::clone)
}

fn design(at: usize) -> Result<Design, Error> {
    let (name, text) = NETLISTS[at];
    yosys::read(text, &format!("hdl/netlists/{name}.json"))
}

/// How many bits each vector in the netlist of a chip has, by its name.
pub fn vector_widths(name: &str) -> BTreeMap<String, usize> {
    let at = NETLISTS.iter().position(|(known, _)| *known == name);
    let Some((at, design)) = at.and_then(|at| Some((at, design(at).ok()?))) else {
        return BTreeMap::new();
    };
    let of = |module: &str| yosys::vector_widths(NETLISTS[at].1, module);
    let mut widths = of(name);
    // Modules of instances have none themselves: `hdl/synthesise.sh` puts them in their places.
    let mut parts = BTreeMap::new();
    let instances = design.module(name).into_iter().flat_map(Module::instances);
    for (cell, instance) in instances {
        let part = parts.entry(&instance.module);
        let inside = part.or_insert_with(|| of(&instance.module)).iter();
        widths.extend(inside.map(|(net, &width)| (format!("{}.{net}", cell.name), width)));
    }
    widths
}
