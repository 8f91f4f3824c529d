//! Reads the JSON that the Yosys command `write_json` writes.
//!
//! What is read of it, with the rest ignored:
//!
//! ```text
//! { "modules": { NAME: {
//!     "attributes": { "src": "file:line.column", "blackbox": ... },
//!     "parameter_default_values": { NAME: VALUE },    of a module derived by parameters
//!     "ports":      { NAME: { "direction": "input"|"output", "bits": [BIT...],
//!                             "offset": N, "upto": 0|1, "signed": 0|1 } },
//!     "cells":      { NAME: { "type": TYPE, "attributes": { "src": ... },
//!                             "parameters": { NAME: VALUE },   of memories
//!                             "port_directions": { PORT: ... },
//!                             "connections": { PORT: [BIT...] } } },   [] is a port left open
//!     "netnames":   { NAME: { "hide_name": 0|1, "bits": [BIT...], "offset": N,
//!                             "upto": 0|1, "attributes": { "src", "init" } } },
//!     "memories":   must be absent or empty
//! } } }          BIT = net number | "0" | "1" | "x"
//! ```
//!
//! A design to be read has been through `proc; flatten` (or not, to keep the
//! hierarchy) `; opt; memory -nomap; techmap; simplemap; opt`, and `abc` as wished.
//! `$_MUX4_`, `$_MUX8_` and `$_MUX16_` become trees of MUX. Memories (`$mem_v2`) stay memories, or become
//! flip-flops in Yosys with `memory_map`; registers in their read ports become flip-flops here. Latches, tristate
//! buffers and other word-level cells are refused, with the pass that removes
//! them. Cells that drive nothing, such as `$print` and `$assert`, are left out with a
//! warning. Of keys given twice in one object the last counts, as JSON readers do.
//!
//! A module that Yosys derived by parameters has a name for people in the design, such as
//! `sub(W=4)` instead of `$paramod\sub\W=s32'0…0100`; `module_names` says which.
//!
//! Limits: a text of less than 4 GiB, nesting of 128 (`serde_json`). Mistakes of one kind are said
//! once, with their number; the first 50 kinds are shown.

mod cell_types;
mod cells;
mod file;
mod flops;
mod json;
mod memories;
mod module;
mod module_names;
mod names;
mod net_vectors;
#[cfg(test)]
mod tests;
mod unsupported;
mod warnings;

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::check::check;
use super::findings::Findings;
use super::model::{Design, PortDirection};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use file::{Bits, ModuleBody, NetlistFile};
use json::{ExpectedObject, Plain, Read};
pub use net_vectors::NetVector;
use warnings::Warnings;

/// The modules of a file as those that instantiate them see them, by their names in the file.
#[derive(Default)]
struct Declared<'a> {
    /// The directions of the ports of each module that has contents.
    ports: BTreeMap<Cow<'a, str>, BTreeMap<Cow<'a, str>, PortDirection>>,
    /// The modules that are marked as blackboxes.
    blackboxes: BTreeMap<Cow<'a, str>, Blackbox>,
    /// The names in the design of the modules that have another one there.
    shown: BTreeMap<String, String>,
    /// True when all names of nets are kept.
    keeps_names: bool,
}

impl Declared<'_> {
    /// The name in the design of a module of the file.
    fn shown<'n>(&'n self, name: &'n str) -> &'n str {
        self.shown.get(name).map_or(name, String::as_str)
    }
}

/// A module of which the file has the ports only.
struct Blackbox {
    /// Its ports for a message, or why there are none.
    ports: String,
    /// Number of instances in all modules.
    instances: usize,
}

/// A design that was read, and what the file says besides.
#[derive(Debug)]
pub struct Netlist {
    /// The modules but for blackboxes. Those that Yosys derived by parameters have names for people,
    /// such as `sub(W=4)`.
    pub design: Design,
    /// The names in the file of the modules that have another one in the design, by that name.
    pub file_names: BTreeMap<String, String>,
    /// The name of the module that Yosys marked as the top, when there is one.
    pub top: Option<String>,
    /// The names of the blackboxes, in the order of the alphabet.
    pub blackboxes: Vec<String>,
    /// Number of bits of each vector of a module, by the name of the module and its own. Only so it
    /// shows that synthesis has removed a part of one: nets are bits.
    pub vectors: BTreeMap<String, BTreeMap<String, usize>>,
    /// The names of nets of each module, in the order of the modules; none unless the design was read
    /// with [`read_named_netlist`].
    pub net_vectors: Vec<Vec<NetVector>>,
    /// Parts that were left out of the design, and pins of gates that are open.
    pub warnings: Vec<Diagnostic>,
}

impl Netlist {
    /// The name in the design of a module that is called by this name or that of the file.
    pub fn design_name<'n>(&'n self, name: &'n str) -> &'n str {
        let mut names = self.file_names.iter();
        let found = names.find(|(_, in_file)| *in_file == name);
        found.map_or(name, |(in_design, _)| in_design)
    }

    /// The index of the module that is meant: the one of a name, or else the one that is marked as the top,
    /// or the only one that is not instantiated. `origin` is the name of the file.
    ///
    /// # Errors
    /// When there is none, or it is a blackbox.
    pub fn root(&self, wanted: Option<&str>, origin: &str) -> Result<usize, Diagnostic> {
        let design = &self.design;
        let blackbox = |name: &str| {
            let found = format!(
                "module `{name}` is a blackbox: {origin} has its ports, but not what is inside"
            );
            let help = "give Yosys a Verilog model of it without the attribute `blackbox`";
            Diagnostic::new("top", found, help)
        };
        let missing = |found: String| {
            let names = design.modules.iter().take(12);
            let names: Vec<String> = names.map(|module| format!("`{}`", module.name)).collect();
            let help = format!("modules of the file: {}", names.join(", "));
            Diagnostic::new("top", found, help)
        };
        let is_blackbox = |name: &&str| self.blackboxes.iter().any(|black| black == name);
        let find = |name: &str| design.modules.iter().position(|module| module.name == name);
        let wanted = wanted.map(|name| self.design_name(name));
        let marked = self.top.as_deref();
        if let Some(name) = wanted.or(marked).filter(is_blackbox) {
            return Err(blackbox(name));
        }
        if let (true, Some(name)) = (design.modules.is_empty(), self.blackboxes.first()) {
            return Err(blackbox(name));
        }
        if let Some(name) = wanted {
            return find(name).ok_or_else(|| missing(format!("{origin} has no module `{name}`")));
        }
        let only = || design.top().and_then(|module| find(&module.name));
        marked.and_then(find).or_else(only).ok_or_else(|| {
            let found = "no module is marked as the top, and several are not instantiated";
            missing(found.to_owned())
        })
    }

    /// The name in the file of a module of the design.
    pub fn file_name<'n>(&'n self, name: &'n str) -> &'n str {
        self.file_names.get(name).map_or(name, String::as_str)
    }
}

/// Reads and checks ([`check()`]) a design. `origin` is the file name for the
/// report, whose class is [`Class::Input`].
///
/// Modules, ports and cells keep the order of the file. Modules marked as blackboxes
/// are left out, and instances of them are reported.
pub fn read(text: &str, origin: &str) -> Result<Design, Error> {
    read_netlist(text, origin).map(|netlist| netlist.design)
}

/// Reads a design as [`read`] does, and what the file says besides.
///
/// # Errors
/// As [`read`].
pub fn read_netlist(text: &str, origin: &str) -> Result<Netlist, Error> {
    read_file(text, origin, false)
}

/// Reads a design as [`read_netlist`] does, and keeps all names of its nets.
///
/// # Errors
/// As [`read`].
pub fn read_named_netlist(text: &str, origin: &str) -> Result<Netlist, Error> {
    read_file(text, origin, true)
}

fn read_file(text: &str, origin: &str, keeps_names: bool) -> Result<Netlist, Error> {
    if u32::try_from(text.len()).is_err() {
        let found = Diagnostic::new("file", "the file has 4 GiB or more", "split the design");
        return Err(Error::one(Class::Input, origin, found));
    }
    let Read(file) = serde_json::from_str(text).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        let help = "write the file again with the Yosys command `write_json`";
        // The place is said already.
        let found = error.to_string();
        let found = found.split(" at line ").next().unwrap_or_default();
        Error::one(
            Class::Input,
            origin,
            Diagnostic::new(place, format!("not valid JSON: {found}"), help),
        )
    })?;
    let mut findings = Findings::default();
    let netlist = netlist(file, keeps_names, &mut findings);
    let netlist = findings.finish(netlist, origin, None)?;
    check(&netlist.design, origin)?;
    Ok(netlist)
}

fn netlist(file: NetlistFile<'_>, keeps_names: bool, findings: &mut Findings) -> Netlist {
    let mut declared = Declared {
        keeps_names,
        ..Declared::default()
    };
    let mut warnings = Warnings::default();
    if let Some(modules) = &file.modules {
        let modules = modules.0.iter().filter_map(|(name, body)| match body {
            ExpectedObject::Object(body) => Some((&**name, body)),
            ExpectedObject::Other(_) => None,
        });
        declared.shown = module_names::shown_names(modules);
    }
    let top = marked_top(&file).map(|name| declared.shown(&name).to_owned());
    let bodies = declare(file, &mut declared, findings);
    count_blackboxes(&bodies, &mut declared);
    let vectors = bodies.iter();
    let vectors = vectors.map(|(name, body)| (declared.shown(name).to_owned(), vectors_of(body)));
    let vectors = vectors.collect();
    let modules = bodies.into_iter().map(|(name, body)| {
        let name = declared.shown(&name);
        module::module(name, body, &declared, findings, &mut warnings)
    });
    let (modules, net_vectors) = modules.unzip();
    let blackboxes = declared.blackboxes.keys().map(|name| declared.shown(name));
    let mut blackboxes: Vec<String> = blackboxes.map(str::to_owned).collect();
    blackboxes.sort_unstable();
    Netlist {
        design: Design { modules },
        top,
        blackboxes,
        vectors,
        net_vectors,
        warnings: warnings.into_diagnostics(),
        file_names: declared
            .shown
            .into_iter()
            .map(|(file, shown)| (shown, file))
            .collect(),
    }
}

/// The module with the attribute `top`.
fn marked_top(file: &NetlistFile<'_>) -> Option<String> {
    let mut modules = file.modules.as_ref()?.0.iter();
    let (name, _) = modules
        .find(|(_, body)| matches!(body, ExpectedObject::Object(body) if body.attributes.top))?;
    Some(name.clone().into_owned())
}

/// Counts the instances of blackboxes.
fn count_blackboxes(bodies: &[(Cow<'_, str>, ModuleBody<'_>)], declared: &mut Declared<'_>) {
    if declared.blackboxes.is_empty() {
        return;
    }
    for (_, body) in bodies {
        let Some(ExpectedObject::Object(cells)) = &body.cells else {
            continue;
        };
        for (_, cell) in &cells.0 {
            if let ExpectedObject::Object(cell) = cell
                && let Some(name) = cell.cell_type.as_ref().and_then(Plain::as_str)
                && let Some(found) = declared.blackboxes.get_mut(name)
            {
                found.instances += 1;
            }
        }
    }
}

/// The ports of a blackbox for a message, such as `input A[2], output Y`.
fn port_list(body: &ModuleBody<'_>) -> String {
    let Some(ExpectedObject::Object(ports)) = &body.ports else {
        return "no ports".to_owned();
    };
    let shown = ports.0.iter().map(|(name, port)| {
        let direction = port.direction.as_ref().and_then(Plain::as_str);
        let width = port
            .bits
            .as_ref()
            .and_then(Bits::as_array)
            .map_or(1, |bits| bits.len());
        let width = if width == 1 {
            String::new()
        } else {
            format!(" of {width} bits")
        };
        format!("{} `{name}`{width}", direction.unwrap_or("port"))
    });
    let mut list: Vec<String> = shown.take(PORTS_SHOWN).collect();
    match ports.0.len() {
        0 => return "no ports".to_owned(),
        all if all > PORTS_SHOWN => list.push(format!("{} more", all - PORTS_SHOWN)),
        _ => {}
    }
    list.join(", ")
}

/// Ports of a blackbox that are named.
const PORTS_SHOWN: usize = 12;

/// Enters what a file declares, and gives the modules that are no blackboxes.
fn declare<'a>(
    file: NetlistFile<'a>,
    declared: &mut Declared<'a>,
    findings: &mut Findings,
) -> Vec<(Cow<'a, str>, ModuleBody<'a>)> {
    let Some(modules) = file.modules else {
        findings.add(
            "modules",
            "there is no object `modules`",
            "this is not a netlist; write one with the Yosys command `write_json`",
        );
        return Vec::new();
    };
    if modules.0.is_empty() {
        findings.add(
            "modules",
            "the file has no modules",
            "read the Verilog before `write_json`, and look at what Yosys said of it",
        );
    }
    let mut bodies = Vec::new();
    for (name, body) in modules.0 {
        let ExpectedObject::Object(body) = body else {
            findings.add(format!("module {name}"), "expected an object", "");
            continue;
        };
        if body.attributes.blackbox {
            let ports = port_list(&body);
            let instances = 0;
            declared
                .blackboxes
                .insert(name, Blackbox { ports, instances });
            continue;
        }
        declared.ports.insert(name.clone(), signature(&body));
        bodies.push((name, body));
    }
    bodies
}

/// Number of bits of each vector of a module, by its name.
fn vectors_of(body: &ModuleBody<'_>) -> BTreeMap<String, usize> {
    let Some(ExpectedObject::Object(names)) = &body.netnames else {
        return BTreeMap::new();
    };
    let widths = names.0.iter().filter_map(|(name, body)| {
        let ExpectedObject::Object(body) = body else {
            return None;
        };
        let width = body.bits.as_ref().and_then(Bits::as_array)?.len();
        (width > 1).then(|| (name.clone().into_owned(), width))
    });
    widths.collect()
}

/// The directions of the ports of a module; those that are wrong are left out,
/// and are reported when the module is read.
fn signature<'a>(body: &ModuleBody<'a>) -> BTreeMap<Cow<'a, str>, PortDirection> {
    let Some(ExpectedObject::Object(ports)) = &body.ports else {
        return BTreeMap::new();
    };
    let ports = ports.0.iter().filter_map(|(name, port)| {
        let direction = port.direction.as_ref().and_then(Plain::direction)?;
        Some((name.clone(), direction))
    });
    ports.collect()
}
