//! Finding the clock: the one input that every flip-flop follows.
//!
//! Buffers between the input and a flip-flop are passed over, anything else makes a
//! derived clock, which is refused. Several clocks, and falling edges, have become rising
//! edges of one before ([`domains`](super::domains)).

use std::collections::{BTreeMap, BTreeSet};

use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_netlist::{Bit, CellKind, Function, Module, PortDirection};

#[cfg(test)]
mod tests;

/// Mistakes of one kind that are listed before the rest is counted.
const LISTED: usize = 8;

/// A flip-flop, memory or instance with a clock.
struct Clocked {
    /// Its place, for a message.
    place: String,
    /// Its clock, in front of all buffers.
    clock: Bit,
    /// The input port that this is a bit of.
    port: Option<usize>,
}

/// The input port that clocks every flip-flop of a module and every instance in it,
/// where `inner` gives the clock port of a module; `None` when nothing is clocked.
/// The clocks of flip-flops and instances are joined to the port itself.
///
/// # Errors
/// When there is a derived clock; when `wanted` is not an input of one bit, or clocks nothing.
pub(super) fn settle_clock(
    module: &mut Module,
    wanted: Option<&str>,
    inner: &BTreeMap<String, Option<String>>,
) -> Result<Option<String>, Error> {
    if let Some(name) = wanted {
        check_wanted(module, name)?;
    }
    let clocked = clocked(module, inner);
    let mut wrong = Wrong::default();
    let ports = clock_ports(module, &clocked, &mut wrong);
    let Some(clock) = choose(module, wanted, &ports)? else {
        return wrong.finish(module).map(|()| None);
    };
    wrong.finish(module)?;
    join(module, clock, inner);
    Ok(Some(module.ports[clock].name.clone()))
}

/// The input ports of one bit that clock something. Other clocks are refused.
fn clock_ports(module: &Module, clocked: &[Clocked], wrong: &mut Wrong) -> BTreeSet<usize> {
    let mut ports = BTreeSet::new();
    for one in clocked {
        match one.port {
            Some(port) if module.ports[port].bits.len() == 1 => {
                ports.insert(port);
            }
            _ => refuse_derived(module, one, wrong),
        }
    }
    ports
}

/// Refuses a clock that is not an input of one bit.
fn refuse_derived(module: &Module, one: &Clocked, wrong: &mut Wrong) {
    let found = match one.clock {
        Bit::Net(net) => format!("net `{}`", module.net_name(net)),
        _ => "a constant".to_owned(),
    };
    let help = match one.port {
        Some(port) => format!(
            "give the clock an input of its own, with the Yosys command \
             `splitnets -ports i:{}` before `abc`",
            module.ports[port].name
        ),
        None if one.clock.net().is_none() => {
            "connect the clock of every flip-flop and instance".to_owned()
        }
        None => "gated and divided clocks are not supported: use an enable on the \
                 one clock"
            .to_owned(),
    };
    wrong.add(
        &one.place,
        format!(
            "clocked by {found}, which is not an input of one bit of module `{}`",
            module.name
        ),
        &help,
    );
}

/// The port of the clock: the one that is wanted, or that of `ports`, of which there is one; `None`
/// when nothing is clocked.
///
/// # Errors
/// When the wanted one clocks nothing, and others do.
fn choose(
    module: &Module,
    wanted: Option<&str>,
    ports: &BTreeSet<usize>,
) -> Result<Option<usize>, Error> {
    let name = |port: usize| module.ports[port].name.as_str();
    let Some(wanted) = wanted else {
        return Ok(ports.first().copied());
    };
    let clock = (0..module.ports.len()).find(|&port| name(port) == wanted);
    if let Some(clock) = clock
        && !ports.contains(&clock)
        && !ports.is_empty()
    {
        let clocks: Vec<String> = ports
            .iter()
            .map(|&port| format!("`{}`", name(port)))
            .collect();
        return Err(Error::one(
            Class::Usage,
            "command line",
            Diagnostic::new(
                "--clock",
                format!(
                    "`{wanted}` clocks no flip-flop; the flip-flops are clocked by {}",
                    clocks.join(", ")
                ),
                "name that input, or leave --clock out",
            ),
        ));
    }
    Ok(clock)
}

/// Joins the clocks of flip-flops and instances to the port of the clock.
fn join(module: &mut Module, clock: usize, inner: &BTreeMap<String, Option<String>>) {
    let net = module.ports[clock].bits[0];
    for cell in &mut module.cells {
        match &mut cell.kind {
            CellKind::Flop(flop) => flop.clock = net,
            CellKind::Memory(memory) => {
                memory.writes.iter_mut().for_each(|port| port.clock = net);
            }
            CellKind::Instance(instance) => {
                let inner = inner.get(&instance.module).and_then(Option::as_deref);
                for connection in &mut instance.connections {
                    if Some(connection.port.as_str()) == inner {
                        connection.bits[0] = net;
                    }
                }
            }
            CellKind::Gate(_) => {}
        }
    }
}

/// Origins of the clocks of a module.
struct Origins<'m> {
    module: &'m Module,
    /// The input of the buffer that drives each net.
    buffered: Vec<Option<Bit>>,
    /// The input port of each net.
    port_of: Vec<Option<usize>>,
}

impl<'m> Origins<'m> {
    fn new(module: &'m Module) -> Origins<'m> {
        let mut buffered: Vec<Option<Bit>> = vec![None; module.nets.len()];
        for (_, gate) in module.gates() {
            if gate.function == Function::Buf {
                buffered[gate.output.index()] = Some(gate.inputs[0]);
            }
        }
        let mut port_of: Vec<Option<usize>> = vec![None; module.nets.len()];
        for (index, port) in module.ports.iter().enumerate() {
            if port.direction == PortDirection::Input {
                for net in port.bits.iter().filter_map(|bit| bit.net()) {
                    port_of[net.index()] = Some(index);
                }
            }
        }
        Origins {
            module,
            buffered,
            port_of,
        }
    }

    /// The bit in front of all buffers.
    fn trace(&self, mut bit: Bit) -> Bit {
        // A circle of buffers has been refused with other loops.
        for _ in 0..=self.module.nets.len() {
            match bit.net().and_then(|net| self.buffered[net.index()]) {
                Some(before) => bit = before,
                None => break,
            }
        }
        bit
    }

    /// A cell's clock, traced.
    fn clocked(&self, cell: &str, clock: Bit) -> Clocked {
        let clock = self.trace(clock);
        Clocked {
            place: format!("module {}, cell {cell}", self.module.name),
            clock,
            port: clock.net().and_then(|net| self.port_of[net.index()]),
        }
    }
}

/// Everything in a module that has a clock.
fn clocked(module: &Module, inner: &BTreeMap<String, Option<String>>) -> Vec<Clocked> {
    let origins = Origins::new(module);
    let mut all = Vec::new();
    for cell in &module.cells {
        match &cell.kind {
            CellKind::Flop(flop) => all.push(origins.clocked(&cell.name, flop.clock)),
            CellKind::Memory(memory) => {
                for port in &memory.writes {
                    all.push(origins.clocked(&cell.name, port.clock));
                }
            }
            CellKind::Instance(instance) => {
                let inner = inner.get(&instance.module).and_then(Option::as_deref);
                let connections = instance.connections.iter();
                for connection in connections.filter(|c| Some(c.port.as_str()) == inner) {
                    let clock = connection.bits[0];
                    all.push(origins.clocked(&cell.name, clock));
                }
            }
            CellKind::Gate(_) => {}
        }
    }
    all
}

/// Refuses a name that is not an input of one bit.
pub(super) fn check_wanted(module: &Module, name: &str) -> Result<(), Error> {
    let port = module.port(name);
    let found = match port {
        None => format!("module `{}` has no port `{name}`", module.name),
        Some(port) if port.direction == PortDirection::Output => format!("`{name}` is an output"),
        Some(port) if port.bits.len() != 1 => format!("`{name}` has {} bits", port.bits.len()),
        Some(_) => return Ok(()),
    };
    Err(Error::one(
        Class::Usage,
        "command line",
        Diagnostic::new("--clock", found, one_bit_inputs(module)),
    ))
}

/// Names the inputs of one bit, for a message.
pub(super) fn one_bit_inputs(module: &Module) -> String {
    let names: Vec<String> = module
        .ports_of(PortDirection::Input)
        .filter(|port| port.bits.len() == 1)
        .take(LISTED)
        .map(|port| format!("`{}`", port.name))
        .collect();
    match names.is_empty() {
        true => "the module has no input of one bit".to_owned(),
        false => format!("inputs of one bit: {}", names.join(", ")),
    }
}

/// Mistakes, of which the first few are kept.
#[derive(Default)]
pub(super) struct Wrong {
    diagnostics: Vec<Diagnostic>,
    more: usize,
}

impl Wrong {
    pub(super) fn add(&mut self, place: &str, message: String, help: &str) {
        if self.diagnostics.len() < LISTED {
            self.diagnostics.push(Diagnostic::new(place, message, help));
        } else {
            self.more += 1;
        }
    }

    pub(super) fn finish(mut self, module: &Module) -> Result<(), Error> {
        if self.diagnostics.is_empty() {
            return Ok(());
        }
        if self.more > 0 {
            self.diagnostics.push(Diagnostic::new(
                "more",
                format!("{} more mistakes are not shown", self.more),
                "mend the ones above first",
            ));
        }
        Err(Error {
            class: Class::Input,
            origin: module.name.clone(),
            source: None,
            diagnostics: self.diagnostics,
        })
    }
}
