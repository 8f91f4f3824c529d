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
pub struct ChipNetlist {
    /// The chip, without instances.
    pub module: Module,
    /// Bits of each vector, by its name.
    pub vectors: BTreeMap<String, usize>,
}

/// The netlists of a network: those that are embedded, or others in the place of some.
#[derive(Debug, Clone, Default)]
pub struct NetlistSet {
    own: Vec<(&'static str, &'static ChipNetlist)>,
}

impl NetlistSet {
    /// The embedded netlists with others in their place, by the names of their chips.
    pub fn with(own: Vec<(&'static str, &'static ChipNetlist)>) -> NetlistSet {
        NetlistSet { own }
    }

    /// True when all are embedded.
    pub fn is_embedded(&self) -> bool {
        self.own.is_empty()
    }

    fn chip(&self, name: &str) -> Result<&'static ChipNetlist, Error> {
        match self.own.iter().find(|(chip, _)| *chip == name) {
            Some((_, netlist)) => Ok(netlist),
            None => chip(name),
        }
    }

    /// The netlist of a chip.
    ///
    /// # Errors
    /// As [`module`].
    pub fn module(&self, name: &str) -> Result<&'static Module, Error> {
        self.chip(name).map(|chip| &chip.module)
    }

    /// The flip-flops of a chip.
    ///
    /// # Errors
    /// As [`module`].
    pub fn flip_flops(&self, name: &str) -> Result<usize, Error> {
        Ok(Statistics::new(self.module(name)?).flops)
    }

    /// Bits of each vector in the netlist of a chip, by its name; empty when there is no such
    /// netlist.
    pub fn vector_widths(&self, name: &str) -> BTreeMap<String, usize> {
        let chip = self.chip(name).map(|chip| chip.vectors.clone());
        chip.unwrap_or_default()
    }
}

/// A netlist in the place of a chip that was read of a file: `root` of its modules, with the
/// instances in it put in their places.
///
/// # Errors
/// When it is too large to be flattened.
pub fn flattened(netlist: Netlist, root: usize) -> Result<ChipNetlist, Error> {
    let Netlist {
        mut design,
        vectors,
        ..
    } = netlist;
    let vectors = with_instances(&design.modules[root], vectors);
    let module = match design.modules.len() {
        1 => design.modules.remove(0),
        _ => flatten(&DesignHierarchy::new(&design, root), root, &BTreeSet::new())?,
    };
    Ok(ChipNetlist { module, vectors })
}

/// The chips' netlists, once they have been read.
static CHIPS: [OnceLock<Result<ChipNetlist, Error>>; NETLISTS.len()] =
    [const { OnceLock::new() }; NETLISTS.len()];

/// The names of all chips that have a netlist, and its text.
pub fn texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    NETLISTS.iter().copied()
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
        let netlist = yosys::read_netlist(text, &format!("hdl/netlists/{name}.json"))?;
        let mut modules = netlist.design.modules.iter();
        let root = modules.position(|module| module.name == name);
        flattened(netlist, root.ok_or_else(missing)?)
    };
    CHIPS[at].get_or_init(read).as_ref().map_err(Error::clone)
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
