//! The chips' synthesised netlists, embedded in the program.
//!
//! `hdl/synthesise.sh` writes them; `hdl/netlists/MANIFEST` says from what. Some keep modules of which
//! they have many instances, which are put in their places when the netlist is read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::NETLISTS;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_netlist::yosys::{self, Netlist};
use crosswave_netlist::{DesignHierarchy, Module, Statistics, flatten};

/// A chip's netlist, as far as it is used.
#[derive(Debug)]
struct ChipNetlist {
    /// The chip, without instances.
    module: Module,
    /// Bits of each vector, by its name.
    vectors: BTreeMap<String, usize>,
}

/// The chips' netlists, once they have been read.
static CHIPS: [OnceLock<Result<ChipNetlist, Error>>; NETLISTS.len()] =
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
    chip(name).map(|chip| &chip.module)
}

fn chip(name: &str) -> Result<&'static ChipNetlist, Error> {
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
        let (name, text) = NETLISTS[at];
        let Netlist {
            mut design,
            vectors,
            ..
        } = yosys::read_netlist(text, &format!("hdl/netlists/{name}.json"))?;
        let root = design.modules.iter().position(|module| module.name == name);
        let root = root.ok_or_else(missing)?;
        let vectors = with_instances(&design.modules[root], vectors);
        let module = match design.modules.len() {
            1 => design.modules.remove(0),
            _ => flatten(&DesignHierarchy::new(&design, root), root, &BTreeSet::new())?,
        };
        Ok(ChipNetlist { module, vectors })
    };
    CHIPS[at].get_or_init(read).as_ref().map_err(Error::clone)
}

/// Bits of each vector in the netlist of a chip, by its name; empty when there is no such netlist.
pub fn vector_widths(name: &str) -> BTreeMap<String, usize> {
    let chip = chip(name).map(|chip| chip.vectors.clone());
    chip.unwrap_or_default()
}

/// The vectors of the top module, and those of its instances, which have none themselves:
/// `hdl/synthesise.sh` puts them in their places.
fn with_instances(
    top: &Module,
    mut by_module: BTreeMap<String, BTreeMap<String, usize>>,
) -> BTreeMap<String, usize> {
    let mut vectors = by_module.remove(&top.name).unwrap_or_default();
    for (cell, instance) in top.instances() {
        let inside = by_module.get(&instance.module).into_iter().flatten();
        vectors.extend(inside.map(|(net, &width)| (format!("{}.{net}", cell.name), width)));
    }
    vectors
}
