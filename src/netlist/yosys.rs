//! Reads the JSON that the Yosys command `write_json` writes.
//!
//! What is read of it, with the rest ignored:
//!
//! ```text
//! { "modules": { NAME: {
//!     "attributes": { "src": "file:line.column", "blackbox": ... },
//!     "ports":      { NAME: { "direction": "input"|"output", "bits": [BIT...] } },
//!     "cells":      { NAME: { "type": TYPE, "attributes": { "src": ... },
//!                             "port_directions": { PORT: ... },
//!                             "connections": { PORT: [BIT...] } } },
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
//! them. Of keys given twice in one object the last counts, as JSON readers do.
//!
//! Limits: a text of less than 4 GiB, nesting of 128 (`serde_json`), the first 50
//! mistakes are shown.

mod cells;
mod flops;
mod json;
mod module;
mod names;
#[cfg(test)]
mod tests;
mod unsupported;

use std::collections::BTreeMap;

use serde_json::Value;

use super::check::check;
use super::findings::Findings;
use super::model::{Design, Direction};
use crate::diagnostic::{Class, Diagnostic, Error};
pub use flops::flop_type;
use json::{Object, attribute, is_set};

/// The directions of the ports of each module, by module and port.
type Signatures<'a> = BTreeMap<&'a str, BTreeMap<&'a str, Direction>>;

/// Reads and checks ([`check()`]) a design. `origin` is the file name for the
/// report, whose class is [`Class::Input`].
///
/// Modules, ports and cells keep the order of the file. Modules marked as black
/// boxes are left out, so that an instance of one is reported as missing.
pub fn read(text: &str, origin: &str) -> Result<Design, Error> {
    read_marked(text, origin).map(|(design, _)| design)
}

/// Reads a design as [`read`] does, and the name of the module that Yosys marked as
/// the top, when there is one.
pub fn read_marked(text: &str, origin: &str) -> Result<(Design, Option<String>), Error> {
    if u32::try_from(text.len()).is_err() {
        let found = Diagnostic::new("file", "the file has 4 GiB or more", "split the design");
        return Err(Error::one(Class::Input, origin, found));
    }
    let value: Value = serde_json::from_str(text).map_err(|error| {
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
    let design = design(&value, &mut findings);
    let design = findings.finish(design, origin, None)?;
    check(&design, origin)?;
    Ok((design, marked_top(&value)))
}

/// How many bits each vector of a module has, by its name, in a text that has been read. What
/// synthesis has taken away of one shows only so: nets are bits.
pub fn vector_widths(text: &str, module: &str) -> BTreeMap<String, usize> {
    let design: Value = serde_json::from_str(text).unwrap_or_default();
    let names = design["modules"][module]["netnames"].as_object();
    let names = names.into_iter().flatten();
    let widths =
        names.map(|(name, body)| (name.clone(), body["bits"].as_array().map_or(0, Vec::len)));
    widths.filter(|(_, width)| *width > 1).collect()
}

/// The module with the attribute `top`.
fn marked_top(value: &Value) -> Option<String> {
    let modules = value.get("modules")?.as_object()?;
    let marked = |body: &Value| is_set(attribute(body.as_object()?, "top")).then_some(());
    let (name, _) = modules.iter().find(|(_, body)| marked(body).is_some())?;
    Some(name.clone())
}

fn design(value: &Value, findings: &mut Findings) -> Design {
    let Some(modules) = value.get("modules").and_then(Value::as_object) else {
        findings.add(
            "modules",
            "there is no object `modules`",
            "this is not a netlist; write one with the Yosys command `write_json`",
        );
        return Design::default();
    };
    let mut bodies: Vec<(&str, &Object)> = Vec::new();
    let mut signatures = Signatures::new();
    for (name, body) in modules {
        let Some(body) = body.as_object() else {
            findings.add(format!("module {name}"), "expected an object", "");
            continue;
        };
        if is_set(attribute(body, "blackbox")) {
            continue;
        }
        bodies.push((name, body));
        signatures.insert(name, signature(body));
    }
    if modules.is_empty() {
        findings.add(
            "modules",
            "the file has no modules",
            "read the Verilog before `write_json`, and look at what Yosys said of it",
        );
    }
    Design {
        modules: bodies
            .into_iter()
            .map(|(name, body)| module::module(name, body, &signatures, findings))
            .collect(),
    }
}

/// The directions of the ports of a module; those that are wrong are left out,
/// and are reported when the module is read.
fn signature(body: &Object) -> BTreeMap<&str, Direction> {
    let ports = body.get("ports").and_then(Value::as_object);
    ports
        .into_iter()
        .flatten()
        .filter_map(|(name, port)| Some((name.as_str(), json::direction(port.get("direction")?)?)))
        .collect()
}
