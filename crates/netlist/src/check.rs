//! Rules that a design must meet before any pass or engine sees it.
//!
//! - Modules, ports of a module and cells of a module have distinct names.
//! - A gate has as many inputs as its function, a port of a memory as many bits as a word; every net
//!   number exists.
//! - Every net that is read is driven, and no net is driven twice. Input ports,
//!   gates, flip-flops and outputs of instances drive; nothing drives a constant.
//! - An instance names a module of the design, connects each of its ports at most
//!   once, with the direction and width that the module declares, or leaves it open. An
//!   input that is left open is X; [`unconnected`] finds those.
//! - Modules and ports have names that are not empty.
//! - No module contains itself.
//! - No loop of gates within a module ([`levelise`]).
//!
//! The readers run this check, so a [`Design`] from a reader has passed it.

use std::collections::{BTreeMap, BTreeSet};

use super::findings::{Findings, NetlistPlace};
use super::levelise::levelise;
use super::memories::ADDRESS_BITS_MAX;
use super::model::{Bit, Design, Memory, Module, PortDirection};
use crosswave_base::diagnostic::Error;

mod hierarchy;
#[cfg(test)]
mod tests;

pub use hierarchy::unconnected;
pub(super) use hierarchy::{blackbox_help, missing_module};

/// Checks a design; `origin` names it in the error.
pub fn check(design: &Design, origin: &str) -> Result<(), Error> {
    let mut findings = Findings::default();
    let index = hierarchy::index(design, &mut findings);
    for module in &design.modules {
        names(module, &mut findings);
        // Nets can be followed in a sound module only, and loops only where each net
        // has one driver.
        if shape(module, &mut findings)
            && drivers(module, &mut findings)
            && let Err(loops) = levelise(module)
        {
            for found in loops {
                findings.push(found.diagnostic(module));
            }
        }
        hierarchy::instances(design, &index, module, &mut findings);
    }
    hierarchy::recursion(design, &index, &mut findings);
    findings.finish((), origin, None)
}

fn names(module: &Module, findings: &mut Findings) {
    let place = NetlistPlace::module(&module.name, &module.src);
    if module.name.is_empty() {
        findings.add(place, "a module without a name", "give every module a name");
    }
    let mut ports = BTreeSet::new();
    for port in &module.ports {
        if port.name.is_empty() {
            let help = "give every port a name";
            findings.add(place, "a port without a name", help);
        }
        if !ports.insert(&port.name) {
            findings.add(
                place.port(&port.name),
                "a second port of this name",
                "give each port of a module its own name",
            );
        }
    }
    let mut cells = BTreeSet::new();
    for cell in &module.cells {
        if !cells.insert(&cell.name) {
            findings.add(
                place.cell(&cell.name, &cell.src),
                "a second cell of this name",
                "give each cell of a module its own name",
            );
        }
    }
}

/// Checks that the module is well formed, so that its nets can be followed.
fn shape(module: &Module, findings: &mut Findings) -> bool {
    let mut sound = true;
    let mut bit = |place: NetlistPlace<'_>, bit: Bit| {
        if let Bit::Net(net) = bit
            && net.index() >= module.nets.len()
        {
            sound = false;
            let found = format!("net number {} does not exist", net.0);
            findings.add(place, found, "add the net to the module");
        }
    };
    let place = NetlistPlace::module(&module.name, &module.src);
    for port in &module.ports {
        for (index, &found) in port.bits.iter().enumerate() {
            bit(place.port(&port.name).bit(index), found);
        }
    }
    for cell in &module.cells {
        let place = place.cell(&cell.name, &cell.src);
        cell.kind
            .visit_inputs(|pin, index, found| bit(place.port(pin).bit(index), found));
        cell.kind
            .visit_outputs(|pin, index, found| bit(place.port(pin).bit(index), found));
    }
    for (cell, gate) in module.gates() {
        if gate.inputs.len() != gate.function.arity() {
            sound = false;
            findings.add(
                place.cell(&cell.name, &cell.src),
                format!(
                    "{} has {} inputs, expected {}",
                    gate.function.name(),
                    gate.inputs.len(),
                    gate.function.arity()
                ),
                "",
            );
        }
    }
    for (cell, memory) in module.memories() {
        if let Some((found, expected)) = memory_fault(memory) {
            sound = false;
            let message = format!("{found}, expected {expected}");
            findings.add(place.cell(&cell.name, &cell.src), message, "");
        }
    }
    sound
}

/// The mistake in the form of a memory as it was found, and the form that was expected.
fn memory_fault(memory: &Memory) -> Option<(String, String)> {
    let Memory { width, words, .. } = *memory;
    if width == 0 || words == 0 || memory.bits() > MEMORY_BITS_MAX {
        let expected = format!("1 to {MEMORY_BITS_MAX} bits");
        return Some((
            format!("a memory of {words} words of {width} bits"),
            expected,
        ));
    }
    if memory.first.saturating_add(words as u64) > 1 << 32 {
        let found = format!("words from address {} on", memory.first);
        return Some((found, "addresses of words of at most 32 bits".to_owned()));
    }
    if memory.init.len() > memory.bits() {
        let found = format!("{} bits of initial contents", memory.init.len());
        return Some((found, format!("at most {}", memory.bits())));
    }
    let reads = memory.reads.iter();
    let reads = reads.map(|port| (port.address.len(), vec![("data", port.data.len())]));
    let writes = memory.writes.iter().map(|port| {
        let words = vec![("data", port.data.len()), ("enables", port.enable.len())];
        (port.address.len(), words)
    });
    for (address, pins) in reads.chain(writes) {
        if address > ADDRESS_BITS_MAX {
            let expected = format!("at most {ADDRESS_BITS_MAX}");
            return Some((format!("an address of {address} bits"), expected));
        }
        if let Some((pin, found)) = pins.into_iter().find(|&(_, found)| found != width) {
            return Some((
                format!("a port with {found} bits of {pin}"),
                width.to_string(),
            ));
        }
    }
    None
}

/// Bits of a memory at most.
pub const MEMORY_BITS_MAX: usize = 1 << 26;

/// One place that drives or reads a net: cell (`None` for a port of the
/// module), pin and bit.
#[derive(Clone, Copy)]
struct Pin {
    cell: Option<usize>,
    port: usize,
    bit: usize,
}

impl Pin {
    /// The place of the pin, with its name as `name`.
    fn place<'a>(self, module: &'a Module, name: &'a str) -> NetlistPlace<'a> {
        let place = NetlistPlace::module(&module.name, &module.src);
        let place = match self.cell.map(|cell| &module.cells[cell]) {
            Some(cell) => place.cell(&cell.name, &cell.src),
            None => place,
        };
        place.port(name).bit(self.bit)
    }

    /// The name of the pin.
    fn name(self, module: &Module, inputs: bool) -> String {
        let mut name = String::new();
        match self.cell {
            None => name.clone_from(&module.ports[self.port].name),
            Some(cell) => {
                let mut at = 0;
                let take = |pin: &str, _: usize, _: Bit| {
                    if at == self.port {
                        pin.clone_into(&mut name);
                    }
                    at += 1;
                };
                if inputs {
                    module.cells[cell].kind.visit_inputs(take);
                } else {
                    module.cells[cell].kind.visit_outputs(take);
                }
            }
        }
        name
    }
}

/// Reports nets with several drivers or none; whether none has several.
fn drivers(module: &Module, findings: &mut Findings) -> bool {
    let mut drivers: Vec<Option<Pin>> = vec![None; module.nets.len()];
    let mut others: BTreeMap<usize, Vec<Pin>> = BTreeMap::new();
    let mut drive = |found: Bit, pin: Pin, findings: &mut Findings| match found {
        Bit::Net(net) => match &mut drivers[net.index()] {
            free @ None => *free = Some(pin),
            Some(_) => others.entry(net.index()).or_default().push(pin),
        },
        _ => findings.add(
            pin.place(module, &pin.name(module, false)),
            match pin.cell {
                Some(_) => "an output is shorted to a constant",
                None => "an input of the module is a constant",
            },
            "remove the constant assignment to the net it drives",
        ),
    };
    for (port, declared) in module.ports.iter().enumerate() {
        if declared.direction == PortDirection::Input {
            for (bit, &found) in declared.bits.iter().enumerate() {
                let cell = None;
                drive(found, Pin { cell, port, bit }, findings);
            }
        }
    }
    for (index, cell) in module.cells.iter().enumerate() {
        let mut port = 0;
        let cell_index = Some(index);
        cell.kind.visit_outputs(|_, bit, found| {
            let cell = cell_index;
            drive(found, Pin { cell, port, bit }, findings);
            port += 1;
        });
    }
    for (net, pins) in &others {
        let first = drivers[*net].into_iter();
        let all: Vec<String> = first
            .chain(pins.iter().copied())
            .map(|pin| driver_name(module, pin))
            .collect();
        let declared = &module.nets[*net];
        let shown = all[..all.len().min(4)].join(", ");
        let subject = format!("net `{}`", declared.name);
        findings.add_of_kind(
            "driven more than once",
            &subject,
            NetlistPlace::module(
                &module.name,
                if declared.src.is_empty() {
                    &module.src
                } else {
                    &declared.src
                },
            ),
            format!("{subject} is driven {} times: by {shown}", all.len()),
            "leave it one driver; select between drivers with a multiplexer",
        );
    }
    undriven(module, &drivers, findings);
    others.is_empty()
}

fn driver_name(module: &Module, pin: Pin) -> String {
    let name = pin.name(module, false);
    match pin.cell.map(|cell| &module.cells[cell].name) {
        Some(cell) => format!("cell {cell} port {name}"),
        None => format!("input {name} bit {}", pin.bit),
    }
}

/// Reports a module that has nothing inside to drive its outputs.
fn without_contents(module: &Module, drivers: &[Option<Pin>], findings: &mut Findings) {
    let undriven = |bit: &Bit| bit.net().is_some_and(|net| drivers[net.index()].is_none());
    let mut outputs = module.ports_of(PortDirection::Output);
    if let Some(port) = outputs.find(|port| port.bits.iter().any(undriven)) {
        findings.add(
            NetlistPlace::module(&module.name, &module.src).port(&port.name),
            "the module has no cells, and nothing drives this output",
            "it may stand for a macro that the netlist does not have: give Yosys a Verilog model of \
             it; or give undriven nets a value with the Yosys pass `setundef -undriven -zero`",
        );
    }
}

/// Reports each net that is read but not driven, once, where it is first read; those of a
/// module without cells together.
fn undriven(module: &Module, drivers: &[Option<Pin>], findings: &mut Findings) {
    if module.cells.is_empty() {
        return without_contents(module, drivers, findings);
    }
    let mut reported = vec![false; module.nets.len()];
    let mut read = |place: NetlistPlace<'_>, found: Bit| {
        if let Bit::Net(net) = found
            && drivers[net.index()].is_none()
            && !std::mem::replace(&mut reported[net.index()], true)
        {
            let subject = format!("net `{}`", module.net_name(net));
            findings.add_of_kind(
                "undriven",
                &subject,
                place,
                format!("{subject} is read here but never driven"),
                "drive it, or give undriven nets a value with the Yosys pass `setundef -undriven -zero`",
            );
        }
    };
    for cell in &module.cells {
        let place = NetlistPlace::module(&module.name, &module.src).cell(&cell.name, &cell.src);
        cell.kind
            .visit_inputs(|pin, bit, found| read(place.port(pin).bit(bit), found));
    }
    for port in module.ports_of(PortDirection::Output) {
        let place = NetlistPlace::module(&module.name, &module.src).port(&port.name);
        for (bit, &found) in port.bits.iter().enumerate() {
            read(place.bit(bit), found);
        }
    }
}
