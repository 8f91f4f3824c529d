//! Reads the JSON that the Yosys command `write_json` writes.
//!
//! What is read of it, with the rest ignored:
//!
//! ```text
//! { "modules": { NAME: {
//!     "attributes": { "src": "file:line.column", "blackbox": ... },
//!     "ports":      { NAME: { "direction": "input"|"output", "bits": [BIT...],
//!                             "offset": N, "upto": 0|1, "signed": 0|1 } },
//!     "cells":      { NAME: { "type": TYPE, "attributes": { "src": ... },
//!                             "port_directions": { PORT: ... },
//!                             "connections": { PORT: [BIT...] } } },   [] is a port left open
//!     "netnames":   { NAME: { "hide_name": 0|1, "bits": [BIT...], "offset": N,
//!                             "upto": 0|1, "attributes": { "src", "init" } } },
//!     "memories":   must be absent or empty
//! } } }          BIT = net number | "0" | "1" | "x"
//! ```
//!
//! A design to be read has been through `proc; flatten` (or not, to keep the
//! hierarchy) `; opt; memory_map; techmap; simplemap; opt`, and `abc` as wished.
//! `$_MUX4_`, `$_MUX8_` and `$_MUX16_` become trees of MUX. Latches, tristate
//! buffers, memories and word-level cells are refused, with the pass that removes
//! them. Cells that drive nothing, such as `$print` and `$assert`, are left out with a
//! warning. Of keys given twice in one object the last counts, as JSON readers do.
//!
//! Limits: a text of less than 4 GiB, nesting of 128 (`serde_json`), the first 50
//! mistakes are shown.

mod cell_types;
mod cells;
mod file;
mod flops;
mod json;
mod module;
mod names;
#[cfg(test)]
mod tests;
mod unsupported;
mod warnings;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::check::check;
use super::findings::Findings;
use super::model::{Design, PortDirection};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use file::{Bits, ModuleBody, NetlistFile};
pub use flops::flop_type;
use json::{ExpectedObject, Plain, Read};
use warnings::Warnings;

/// The modules of a file as those that instantiate them see them.
#[derive(Default)]
struct Declared<'a> {
    /// The directions of the ports of each module that has contents.
    ports: BTreeMap<Cow<'a, str>, BTreeMap<Cow<'a, str>, PortDirection>>,
    /// The modules that are marked as blackboxes.
    blackboxes: BTreeSet<Cow<'a, str>>,
}

/// A design that was read, and what the file says besides.
#[derive(Debug)]
pub struct Netlist {
    /// The modules but for blackboxes.
    pub design: Design,
    /// The name of the module that Yosys marked as the top, when there is one.
    pub top: Option<String>,
    /// The names of the blackboxes, in the order of the alphabet.
    pub blackboxes: Vec<String>,
    /// Number of bits of each vector of a module, by the name of the module and its own. Only so it
    /// shows that synthesis has removed a part of one: nets are bits.
    pub vectors: BTreeMap<String, BTreeMap<String, usize>>,
    /// Parts that were left out of the design, and pins of gates that are open.
    pub warnings: Vec<Diagnostic>,
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
    let netlist = netlist(file, &mut findings);
    let netlist = findings.finish(netlist, origin, None)?;
    check(&netlist.design, origin)?;
    Ok(netlist)
}

fn netlist(file: NetlistFile<'_>, findings: &mut Findings) -> Netlist {
    let mut declared = Declared::default();
    let mut warnings = Warnings::default();
    let top = marked_top(&file);
    let bodies = declare(file, &mut declared, findings);
    let vectors = bodies.iter();
    let vectors = vectors.map(|(name, body)| (name.clone().into_owned(), vectors_of(body)));
    let vectors = vectors.collect();
    let modules = bodies
        .into_iter()
        .map(|(name, body)| module::module(&name, body, &declared, findings, &mut warnings));
    let modules = modules.collect();
    let names = declared.blackboxes.into_iter();
    Netlist {
        design: Design { modules },
        top,
        blackboxes: names.map(Cow::into_owned).collect(),
        vectors,
        warnings: warnings.into_diagnostics(),
    }
}

/// The module with the attribute `top`.
fn marked_top(file: &NetlistFile<'_>) -> Option<String> {
    let mut modules = file.modules.as_ref()?.0.iter();
    let (name, _) = modules
        .find(|(_, body)| matches!(body, ExpectedObject::Object(body) if body.attributes.top))?;
    Some(name.clone().into_owned())
}

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
            declared.blackboxes.insert(name);
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
