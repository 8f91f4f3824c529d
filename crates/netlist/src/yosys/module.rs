//! Reads one module: its ports, then its cells, then the names of its nets.

use std::collections::{HashMap, HashSet};

use smol_str::SmolStr;

use super::Declared;
use super::file::{BitEntry, Bits, ModuleBody, NetName, ObjectEntries, PortBody};
use super::json::{Entries, ExpectedObject, Plain};
use super::names;
use super::net_vectors::{NetVector, net_vectors};
use super::warnings::Warnings;
use crate::findings::{Findings, NetlistPlace};
use crate::model::{Bit, BitRange, CellKind, Module, Net, NetId, Port};

/// The state of a reader of one module.
pub(super) struct Reader<'a, 'f> {
    /// The module so far.
    pub module: Module,
    /// The nets by their number in the file.
    pub nets: HashMap<u64, NetId>,
    /// The numbers in the file, by net; `None` for nets that are not in the file.
    pub numbers: Vec<Option<u64>>,
    /// The modules that the file declares.
    pub declared: &'a Declared<'a>,
    /// Warnings of parts that are left out or left open.
    pub warnings: &'f mut Warnings,
    /// Mistakes that were found.
    pub findings: &'f mut Findings,
    /// Initial values of flip-flops that no name of a net has.
    pub initial: Vec<(NetId, bool)>,
}

/// Reads a module, and the names of its nets where they are kept; what is wrong with it is added to
/// the findings.
pub(super) fn module(
    name: &str,
    body: ModuleBody<'_>,
    declared: &Declared<'_>,
    findings: &mut Findings,
    warnings: &mut Warnings,
) -> (Module, Vec<NetVector>) {
    let mut reader = Reader {
        module: Module {
            name: name.to_owned(),
            src: body.attributes.src.clone().into_owned(),
            ..Module::default()
        },
        nets: HashMap::new(),
        numbers: Vec::new(),
        declared,
        warnings,
        findings,
        initial: Vec::new(),
    };
    let place = NetlistPlace::module(name, &body.attributes.src);
    for (port, declared) in reader.object(body.ports, "ports", place).0 {
        reader.port(&port, &declared, place.port(&port));
    }
    for (cell, declared) in reader.object(body.cells, "cells", place).0 {
        match declared {
            ExpectedObject::Object(declared) => {
                reader.cell(&cell, &declared, place.cell(&cell, &declared.src));
            }
            ExpectedObject::Other(other) => {
                let found = format!("found {}, expected an object", other.shown());
                reader.findings.add(place.cell(&cell, ""), found, "");
            }
        }
    }
    if let Some(ExpectedObject::Object(memories)) = &body.memories
        && let Some((memory, _)) = memories.0.first()
    {
        let subject = format!("`{memory}`");
        reader.findings.add_of_kind(
            "memories",
            &subject,
            place,
            format!("the module has memories, such as {subject}"),
            "run the Yosys pass `memory -nomap`, or `memory` to make flip-flops of them, then `techmap`",
        );
    }
    let names = reader.object(body.netnames, "netnames", place);
    reader.names(&names, place);
    let vectors = match declared.keeps_names {
        true => net_vectors(&names, |number| reader.nets.get(&number).copied()),
        false => Vec::new(),
    };
    (reader.module, vectors)
}

impl Reader<'_, '_> {
    /// The entries of an object that may be absent.
    fn object<'v, T>(
        &mut self,
        section: ObjectEntries<'v, T>,
        key: &str,
        place: NetlistPlace<'_>,
    ) -> Entries<'v, T> {
        match section {
            None => Entries::default(),
            Some(ExpectedObject::Object(entries)) => entries,
            Some(ExpectedObject::Other(other)) => {
                let found = format!("`{key}` is {}, expected an object", other.shown());
                self.findings.add(place, found, "");
                Entries::default()
            }
        }
    }

    fn port(&mut self, name: &str, declared: &PortBody<'_>, place: NetlistPlace<'_>) {
        let found = declared.direction.as_ref();
        let Some(direction) = found.and_then(Plain::direction) else {
            let found = found.map_or("nothing".into(), Plain::shown);
            self.findings.add(
                place,
                format!("the direction is {found}, expected `input` or `output`"),
                "give a bidirectional port an input and an output of its own",
            );
            return;
        };
        if let Some(bits) = self.bits(declared.bits.as_ref(), place)
            && let Some(range) = self.range(declared, bits.len(), place)
        {
            self.module.ports.push(Port {
                name: name.to_owned(),
                direction,
                bits,
                range,
                signed: declared.signed,
            });
        }
    }

    /// The indices of the bits of a port; `None` when they are not 32-bit numbers.
    fn range(
        &mut self,
        declared: &PortBody<'_>,
        width: usize,
        place: NetlistPlace<'_>,
    ) -> Option<BitRange> {
        let offset = declared.offset.as_ref();
        let lowest = match offset {
            None => Some(0),
            Some(value) => value.as_i64(),
        };
        let highest = width.saturating_sub(1);
        let ends = lowest.and_then(|low| Some((low, low.checked_add_unsigned(highest as u64)?)));
        let range = ends.and_then(|(low, high)| match declared.upto {
            _ if width == 0 => Some(BitRange::default()),
            true => BitRange::new(low, high, width),
            false => BitRange::new(high, low, width),
        });
        if range.is_none() {
            let found = offset.map_or("nothing".into(), Plain::shown);
            let message = format!("the offset is {found}, expected a number of 32 bits");
            self.findings.add(place, message, "");
        }
        range
    }

    /// Reads an array of bits; `None` when something is wrong with it.
    pub fn bits(&mut self, value: Option<&Bits<'_>>, place: NetlistPlace<'_>) -> Option<Vec<Bit>> {
        let values = match value {
            Some(Bits::Array(values)) => values,
            None | Some(Bits::Other(_)) => {
                let found = match value {
                    Some(Bits::Other(other)) => other.shown(),
                    _ => "nothing".into(),
                };
                let message = format!("the bits are {found}, expected an array");
                self.findings.add(place, message, "");
                return None;
            }
        };
        let mut bits = Vec::with_capacity(values.len());
        for (index, value) in values.iter().enumerate() {
            let bit = match value {
                BitEntry::Zero => Bit::Zero,
                BitEntry::One => Bit::One,
                BitEntry::X => Bit::X,
                BitEntry::Net(number) => Bit::Net(self.net(*number)),
                BitEntry::Other(other) if other.as_str() == Some("z") => {
                    self.findings.add(
                        place.bit(index),
                        "the bit is `z`; a net has two values here",
                        "run the Yosys pass `tribuf -logic`, or `setundef -zero`",
                    );
                    continue;
                }
                BitEntry::Other(other) => {
                    let subject = format!("found {}", other.shown());
                    self.findings.add_of_kind(
                        "bit",
                        &subject,
                        place.bit(index),
                        format!("{subject}, expected a net number, `0`, `1` or `x`"),
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
        let net = self.fresh(SmolStr::default());
        self.numbers[net.index()] = Some(number);
        self.nets.insert(number, net);
        net
    }

    /// A net that is not in the file.
    pub fn fresh(&mut self, name: SmolStr) -> NetId {
        // A text of less than 2^32 bytes has fewer nets: each takes two bytes,
        // and the 14 within a MUX16 stand for a cell of hundreds.
        let net = NetId(self.module.nets.len() as u32);
        let src = SmolStr::default();
        self.module.nets.push(Net { name, src });
        self.numbers.push(None);
        net
    }

    /// Names the nets, and gives flip-flops their initial values.
    fn names(
        &mut self,
        entries: &Entries<'_, ExpectedObject<'_, NetName<'_>>>,
        place: NetlistPlace<'_>,
    ) {
        let mut book = names::NameTable::new(self.module.nets.len());
        let ports: HashSet<&str> = self.module.ports.iter().map(|p| p.name.as_str()).collect();
        for (name, entry) in &entries.0 {
            let is_port = ports.contains(name.as_ref());
            if let Err(found) = book.enter(name, entry, is_port, &self.nets) {
                let subject = format!("net name `{name}`");
                let message = format!("{subject}: {found}");
                self.findings
                    .add_of_kind(&found, &subject, place, message, "");
            }
        }
        for (net, value) in std::mem::take(&mut self.initial) {
            book.start(net, value);
        }
        for cell in &mut self.module.cells {
            if let CellKind::Flop(flop) = &mut cell.kind {
                flop.init = book.init(flop.q);
            }
        }
        book.finish(&mut self.module.nets, &self.numbers);
    }
}
