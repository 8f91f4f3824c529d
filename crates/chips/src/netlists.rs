//! The chips' synthesised netlists, embedded in the program.
//!
//! `hdl/synthesise.sh` writes them; `hdl/netlists/MANIFEST` says from what. Each is there twice: as
//! Yosys wrote it, with all names, and packed ([`pack`](packed::pack)), which engines take and which
//! is there at once. Some keep modules of which they have many instances, which are put in their
//! places when what Yosys wrote is read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::NETLISTS;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_netlist::packed::{self, CellCounts};
use crosswave_netlist::yosys::{self, Netlist};
use crosswave_netlist::{CutMemory, DesignHierarchy, Module, flatten};

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

    /// The cells of the netlist of a chip as engines take it, which is not unpacked for it.
    ///
    /// # Errors
    /// As [`module`].
    pub fn counts(&self, name: &str) -> Result<CellCounts, Error> {
        match self.own.iter().find(|(chip, _)| *chip == name) {
            Some((_, netlist)) => Ok(CellCounts::of(&netlist.module)),
            None => {
                let netlist = &NETLISTS[place(name)?];
                packed::counts(netlist.packed, &netlist.packed_origin())
            }
        }
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

    /// The netlist of a chip as engines take it.
    ///
    /// # Errors
    /// As [`plain`].
    pub fn plain(&self, name: &str) -> Result<&'static Module, Error> {
        match self.own.iter().find(|(chip, _)| *chip == name) {
            // Its flip-flops are plain already.
            Some((_, netlist)) => Ok(&netlist.module),
            None => plain(name),
        }
    }

    /// The memories that stand beside the netlist of a chip; none of the program's has any.
    pub fn memories(&self, name: &str) -> &'static [CutMemory] {
        let mut own = self.own.iter();
        let found = own.find(|(chip, _)| *chip == name);
        found.map_or(&[], |(_, netlist)| &netlist.module.beside)
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

/// A netlist in the program.
pub(super) struct EmbeddedNetlist {
    /// The chip.
    pub chip: &'static str,
    /// The text that Yosys wrote.
    pub text: &'static str,
    /// The same, packed.
    pub packed: &'static [u8],
}

impl EmbeddedNetlist {
    /// The file of the packed netlist, for messages.
    fn packed_origin(&self) -> String {
        format!("hdl/netlists/{}.packed", self.chip)
    }
}

/// A value for each chip once it is asked for.
type ByChip<T> = [OnceLock<Result<T, Error>>; NETLISTS.len()];

/// The names of all chips that have a netlist, with what Yosys wrote.
pub fn texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    NETLISTS.iter().map(|netlist| (netlist.chip, netlist.text))
}

/// The names of all chips that have a netlist, with the bytes of the packed one.
pub fn packed() -> impl Iterator<Item = (&'static str, &'static [u8])> {
    NETLISTS
        .iter()
        .map(|netlist| (netlist.chip, netlist.packed))
}

/// The netlist of a chip as it was synthesised.
///
/// # Errors
/// When no netlist of that name is embedded, or it does not read.
pub fn module(name: &str) -> Result<&'static Module, Error> {
    chip(name).map(|chip| &chip.module)
}

/// The netlist of a chip as engines take it: with plain flip-flops, simplified, and with the names
/// of ports and registers alone.
///
/// # Errors
/// As [`module`].
pub fn plain(name: &str) -> Result<&'static Module, Error> {
    static PLAIN: ByChip<Module> = [const { OnceLock::new() }; NETLISTS.len()];
    of_chip(&PLAIN, name, |netlist| {
        packed::unpack(netlist.packed, &netlist.packed_origin())
    })
}

fn chip(name: &str) -> Result<&'static ChipNetlist, Error> {
    static CHIPS: ByChip<ChipNetlist> = [const { OnceLock::new() }; NETLISTS.len()];
    of_chip(&CHIPS, name, |embedded| {
        let netlist = yosys::read_netlist(embedded.text, &format!("hdl/netlists/{name}.json"))?;
        let mut modules = netlist.design.modules.iter();
        let root = modules.position(|module| module.name == name);
        flattened(netlist, root.ok_or_else(|| missing(name))?)
    })
}

/// The value of a chip, which is made when it is asked for first.
fn of_chip<T>(
    known: &'static ByChip<T>,
    name: &str,
    make: impl FnOnce(&'static EmbeddedNetlist) -> Result<T, Error>,
) -> Result<&'static T, Error> {
    let at = place(name)?;
    let value = known[at].get_or_init(|| make(&NETLISTS[at]));
    value.as_ref().map_err(Error::clone)
}

/// The place of a chip's netlist among all.
fn place(name: &str) -> Result<usize, Error> {
    let found = NETLISTS.iter().position(|netlist| netlist.chip == name);
    found.ok_or_else(|| missing(name))
}

fn missing(name: &str) -> Error {
    Error::one(
        Class::Input,
        "embedded netlists",
        Diagnostic::new(format!("module {name}"), "there is no such netlist", ""),
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_netlists_are_those_that_yosys_wrote() {
        for netlist in NETLISTS {
            let origin = format!("hdl/netlists/{}.json", netlist.chip);
            let made = packed::pack(netlist.text, netlist.chip, &origin);
            let made = made.unwrap_or_else(|error| panic!("{error}"));
            let advice = "hdl/synthesise.sh packs the netlists";
            assert!(made == netlist.packed, "{}: {advice}", netlist.chip);
        }
    }
}
