//! Reads one module: its ports, then its cells, then the names of its nets.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::Declared;
use super::json::{Object, direction, is_set, shown, src};
use super::names;
use super::warnings::Warnings;
use crate::findings::{Findings, Place};
use crate::model::{Bit, BitRange, CellKind, Module, Net, NetId, Port};

/// What is known while a module is read.
pub(super) struct Reader<'a, 'f> {
    /// The module so far.
    pub module: Module,
    /// The nets by their number in the file.
    pub nets: HashMap<u64, NetId>,
    /// The numbers in the file, by net; `None` for nets that are not in the file.
    pub numbers: Vec<Option<u64>>,
    /// What the file declares.
    pub declared: &'a Declared<'a>,
    /// What is left out or left open.
    pub warnings: &'f mut Warnings,
    /// What is wrong.
    pub findings: &'f mut Findings,
}

/// Reads a module; what is wrong with it is added to the findings.
pub(super) fn module(
    name: &str,
    body: &Object,
    declared: &Declared<'_>,
    findings: &mut Findings,
    warnings: &mut Warnings,
) -> Module {
    let mut reader = Reader {
        module: Module {
            name: name.to_owned(),
            src: src(body).to_owned(),
            ..Module::default()
        },
        nets: HashMap::new(),
        numbers: Vec::new(),
        declared,
        warnings,
        findings,
    };
    let place = Place::module(name, src(body));
    for (port, declared) in reader.object(body, "ports", place) {
        reader.port(port, declared, place.port(port));
    }
    for (cell, declared) in reader.object(body, "cells", place) {
        match declared.as_object() {
            Some(declared) => reader.cell(cell, declared, place.cell(cell, src(declared))),
            None => {
                let found = format!("found {}, expected an object", shown(declared));
                reader.findings.add(place.cell(cell, ""), found, "");
            }
        }
    }
    if let Some(Value::Object(memories)) = body.get("memories")
        && let Some(memory) = memories.keys().next()
    {
        reader.findings.add(
            place,
            format!("the module has memories, such as `{memory}`"),
            "run the Yosys passes `memory_collect; memory_map`, then `techmap`",
        );
    }
    let names = reader.object(body, "netnames", place);
    reader.names(names, place);
    reader.module
}

impl Reader<'_, '_> {
    /// The entries of an object that may be absent.
    fn object<'v>(
        &mut self,
        body: &'v Object,
        key: &str,
        place: Place<'_>,
    ) -> impl Iterator<Item = (&'v String, &'v Value)> + use<'v> {
        let object = match body.get(key) {
            None => None,
            Some(Value::Object(object)) => Some(object),
            Some(other) => {
                let found = format!("`{key}` is {}, expected an object", shown(other));
                self.findings.add(place, found, "");
                None
            }
        };
        object.into_iter().flatten()
    }

    fn port(&mut self, name: &str, declared: &Value, place: Place<'_>) {
        let Some(direction) = declared.get("direction").and_then(direction) else {
            let found = declared.get("direction").map_or("nothing".into(), shown);
            self.findings.add(
                place,
                format!("the direction is {found}, expected `input` or `output`"),
                "give a bidirectional port an input and an output of its own",
            );
            return;
        };
        if let Some(bits) = self.bits(declared.get("bits"), place)
            && let Some(range) = self.range(declared, bits.len(), place)
        {
            self.module.ports.push(Port {
                name: name.to_owned(),
                direction,
                bits,
                range,
                signed: is_set(declared.get("signed")),
            });
        }
    }

    /// The indices of the bits of a port; `None` when they are not 32-bit numbers.
    fn range(&mut self, declared: &Value, width: usize, place: Place<'_>) -> Option<BitRange> {
        let offset = declared.get("offset");
        let lowest = match offset {
            None => Some(0),
            Some(value) => value.as_i64(),
        };
        let highest = width.saturating_sub(1);
        let ends = lowest.and_then(|low| Some((low, low.checked_add_unsigned(highest as u64)?)));
        let range = ends.and_then(|(low, high)| match is_set(declared.get("upto")) {
            _ if width == 0 => Some(BitRange::default()),
            true => BitRange::new(low, high, width),
            false => BitRange::new(high, low, width),
        });
        if range.is_none() {
            let found = offset.map_or("nothing".into(), shown);
            let message = format!("the offset is {found}, expected a number of 32 bits");
            self.findings.add(place, message, "");
        }
        range
    }

    /// Reads an array of bits; `None` when something is wrong with it.
    pub fn bits(&mut self, value: Option<&Value>, place: Place<'_>) -> Option<Vec<Bit>> {
        let Some(Value::Array(values)) = value else {
            let found = value.map_or("nothing".into(), shown);
            let message = format!("the bits are {found}, expected an array");
            self.findings.add(place, message, "");
            return None;
        };
        let mut bits = Vec::with_capacity(values.len());
        for (index, value) in values.iter().enumerate() {
            let bit = match (value.as_str(), value.as_u64()) {
                (Some("0"), _) => Bit::Zero,
                (Some("1"), _) => Bit::One,
                (Some("x"), _) => Bit::X,
                (Some("z"), _) => {
                    self.findings.add(
                        place.bit(index),
                        "the bit is `z`; a net has two values here",
                        "run the Yosys pass `tribuf -logic`, or `setundef -zero`",
                    );
                    continue;
                }
                (None, Some(number)) => Bit::Net(self.net(number)),
                _ => {
                    self.findings.add(
                        place.bit(index),
                        format!(
                            "found {}, expected a net number, `0`, `1` or `x`",
                            shown(value)
                        ),
                        "",
                    );
                    continue;
                }
            };
            bits.push(bit);
        }
        (bits.len() == values.len()).then_some(bits)
    }

    fn net(&mut self, number: u64) -> NetId {
        if let Some(&net) = self.nets.get(&number) {
            return net;
        }
        let net = self.fresh(String::new());
        self.numbers[net.index()] = Some(number);
        self.nets.insert(number, net);
        net
    }

    /// A net that is not in the file.
    pub fn fresh(&mut self, name: String) -> NetId {
        // A text of less than 2^32 bytes has fewer nets: each takes two bytes,
        // and the 14 within a MUX16 stand for a cell of hundreds.
        let net = NetId(self.module.nets.len() as u32);
        let src = String::new();
        self.module.nets.push(Net { name, src });
        self.numbers.push(None);
        net
    }

    /// Names the nets, and gives flip-flops their initial values.
    fn names<'v>(
        &mut self,
        entries: impl Iterator<Item = (&'v String, &'v Value)>,
        place: Place<'_>,
    ) {
        let mut book = names::NameTable::new(self.module.nets.len());
        let ports: HashSet<&str> = self.module.ports.iter().map(|p| p.name.as_str()).collect();
        for (name, entry) in entries {
            let is_port = ports.contains(name.as_str());
            if let Err(found) = book.enter(name, entry, is_port, &self.nets) {
                self.findings
                    .add(place, format!("net name `{name}`: {found}"), "");
            }
        }
        for cell in &mut self.module.cells {
            if let CellKind::Flop(flop) = &mut cell.kind {
                flop.init = book.init(flop.q);
            }
        }
        book.finish(&mut self.module.nets, &self.numbers);
    }
}
