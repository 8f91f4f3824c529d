//! The clocks of a module: the inputs that flip-flops follow.

use std::collections::{BTreeMap, BTreeSet};

use super::super::clock::Wrong;
use crosswave_netlist::{
    Bit, CellKind, Connection, Design, DesignHierarchy, Edge, Function, Module, NetId,
    PortDirection,
};

/// A bit of a port: the index of the port, the bit.
pub(super) type PortBit = (usize, usize);

/// The inverters on a way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inverters {
    /// There are none.
    None,
    /// Two of them, or four.
    Even,
    /// One, or three.
    Odd,
}

impl Inverters {
    /// Those of two ways, one after the other.
    fn and(self, other: Inverters) -> Inverters {
        match (self, other) {
            (Inverters::None, other) | (other, Inverters::None) => other,
            _ if self == other => Inverters::Even,
            _ => Inverters::Odd,
        }
    }
}

/// The edges of a clock that something acts on.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Uses {
    pub rising: usize,
    pub falling: usize,
}

impl Uses {
    fn of(&mut self, edge: Edge) -> &mut usize {
        match edge {
            Edge::Rising => &mut self.rising,
            Edge::Falling => &mut self.falling,
        }
    }
}

/// The clocks of a module.
#[derive(Debug, Default)]
pub(super) struct ModuleClocks {
    /// The bits of inputs that are clocks.
    pub uses: BTreeMap<PortBit, Uses>,
    /// The bits of inputs that are read as data.
    data: BTreeSet<PortBit>,
    /// The bits of outputs that only pass an input on, and the inverters on the way.
    passed: BTreeMap<PortBit, (PortBit, Inverters)>,
    /// True when an inverter is in front of something that is clocked.
    is_turned: bool,
}

impl ModuleClocks {
    /// True when everything acts on the rising edges of one input.
    pub fn is_one(&self) -> bool {
        self.uses.len() < 2 && !self.is_turned && self.uses.values().all(|uses| uses.falling == 0)
    }
}

/// The driver of a net, if it only passes something on.
#[derive(Debug, Clone, Copy)]
enum Passing {
    /// A bit, past inverters.
    From(Bit, Inverters),
    /// A bit of an input.
    Input(PortBit),
}

/// Follows nets of a module to its inputs.
pub(super) struct Tracer {
    passing: BTreeMap<NetId, Passing>,
}

impl Tracer {
    pub fn new(
        module: &Module,
        design: &Design,
        hierarchy: &DesignHierarchy<'_>,
        clocks: &BTreeMap<&str, ModuleClocks>,
    ) -> Tracer {
        let mut passing = BTreeMap::new();
        for (index, port) in module.ports.iter().enumerate() {
            if port.direction == PortDirection::Input {
                for (at, bit) in port.bits.iter().enumerate() {
                    passing.extend(bit.net().map(|net| (net, Passing::Input((index, at)))));
                }
            }
        }
        for (_, gate) in module.gates() {
            let inverters = match gate.function {
                Function::Not => Inverters::Odd,
                Function::Buf => Inverters::None,
                _ => continue,
            };
            passing.insert(gate.output, Passing::From(gate.inputs[0], inverters));
        }
        for (_, instance) in module.instances() {
            let inside = inner(design, hierarchy, &instance.module);
            for (&(output, at), &((input, of), inverters)) in
                &clocks[instance.module.as_str()].passed
            {
                let bit = |port: usize, at: usize| {
                    let name = &inside.ports[port].name;
                    let mut connections = instance.connections.iter();
                    let found = connections.find(|one| one.port == *name);
                    found.and_then(|one| one.bits.get(at).copied())
                };
                if let (Some(Bit::Net(net)), Some(from)) = (bit(output, at), bit(input, of)) {
                    passing.insert(net, Passing::From(from, inverters));
                }
            }
        }
        Tracer { passing }
    }

    /// The bit of an input that a bit passes on, and the inverters on the way; else the bit in front of what
    /// passes it on.
    pub fn origin(&self, mut bit: Bit) -> Result<(PortBit, Inverters), Bit> {
        let mut inverters = Inverters::None;
        // A circle is refused with other loops.
        for _ in 0..=self.passing.len() {
            match bit.net().and_then(|net| self.passing.get(&net)) {
                Some(&Passing::From(before, more)) => {
                    (bit, inverters) = (before, inverters.and(more));
                }
                Some(&Passing::Input(port)) => return Ok((port, inverters)),
                None => break,
            }
        }
        Err(bit)
    }
}

/// The module of an instance.
pub(super) fn inner<'d>(
    design: &'d Design,
    hierarchy: &DesignHierarchy<'_>,
    name: &str,
) -> &'d Module {
    let module = hierarchy.find(name).expect("a module of the design");
    &design.modules[module]
}

/// The edge that inverters make of one.
pub(super) fn edge_through(edge: Edge, inverters: Inverters) -> Edge {
    match (edge, inverters == Inverters::Odd) {
        (Edge::Rising, false) | (Edge::Falling, true) => Edge::Rising,
        _ => Edge::Falling,
    }
}

/// Finds the clocks of a module; those of the modules in it are known.
pub(super) fn module_clocks(
    module: &Module,
    design: &Design,
    hierarchy: &DesignHierarchy<'_>,
    clocks: &BTreeMap<&str, ModuleClocks>,
    is_top: bool,
    wrong: &mut Wrong,
) -> ModuleClocks {
    let tracer = Tracer::new(module, design, hierarchy, clocks);
    let mut found = ModuleClocks::default();
    // Pins that read data, and the cell they are at.
    let mut readers: Vec<(String, Bit)> = Vec::new();
    for cell in &module.cells {
        let mut clocked = |clock: Bit, edge: Edge| match tracer.origin(clock) {
            Ok((port, inverters)) => {
                found.is_turned |= inverters != Inverters::None;
                let uses = found.uses.entry(port).or_default();
                *uses.of(edge_through(edge, inverters)) += 1;
            }
            Err(bit) => {
                let place = format!("module {}, cell {}", module.name, cell.name);
                wrong.add(&place, derived(module, bit), DERIVED_HELP);
            }
        };
        match &cell.kind {
            CellKind::Flop(flop) => clocked(flop.clock, flop.edge),
            CellKind::Memory(memory) => {
                memory
                    .writes
                    .iter()
                    .for_each(|port| clocked(port.clock, port.edge));
            }
            CellKind::Instance(instance) => {
                let of_inner = &clocks[instance.module.as_str()];
                let inside = inner(design, hierarchy, &instance.module);
                for (&(port, at), uses) in &of_inner.uses {
                    let bit = connected(instance.connections.iter(), &inside.ports[port].name, at);
                    for (edge, number) in
                        [(Edge::Rising, uses.rising), (Edge::Falling, uses.falling)]
                    {
                        if number > 0 {
                            clocked(bit.unwrap_or(Bit::X), edge);
                        }
                    }
                }
                for &(port, at) in &of_inner.data {
                    let name = &inside.ports[port].name;
                    let bit = connected(instance.connections.iter(), name, at);
                    readers
                        .extend(bit.map(|bit| (format!("cell {}, port {name}", cell.name), bit)));
                }
            }
            CellKind::Gate(_) => {}
        }
        let passes = matches!(&cell.kind, CellKind::Instance(_))
            || matches!(&cell.kind, CellKind::Gate(gate)
                if matches!(gate.function, Function::Buf | Function::Not));
        let is_gate = matches!(cell.kind, CellKind::Gate(_));
        if !passes {
            cell.kind.visit_inputs(|pin, _, bit| {
                if bit.net().is_some() && (is_gate || !matches!(pin, "C" | "WR_CLK")) {
                    readers.push((format!("cell {}, port {pin}", cell.name), bit));
                }
            });
        }
    }
    for (index, port) in module.ports.iter().enumerate() {
        if port.direction == PortDirection::Output {
            for (at, &bit) in port.bits.iter().enumerate() {
                if let (Ok(from), false) = (tracer.origin(bit), is_top) {
                    found.passed.insert((index, at), from);
                } else {
                    readers.push((format!("port {}", port.name), bit));
                }
            }
        }
    }
    for (place, bit) in readers {
        if let Ok((port, _)) = tracer.origin(bit) {
            found.data.insert(port);
            if found.uses.contains_key(&port) {
                let place = format!("module {}, {place}", module.name);
                let name = &module.ports[port.0].name;
                let message = format!("reads the clock `{name}` as data");
                wrong.add(&place, message, "use a flip-flop that toggles");
            }
        }
    }
    if is_top {
        let ports: BTreeSet<usize> = found.uses.keys().map(|&(port, _)| port).collect();
        for port in ports {
            if module.ports[port].bits.len() > 1 {
                let name = &module.ports[port].name;
                let place = format!("module {}, port {name}", module.name);
                let help = format!(
                    "give each clock an input of its own, with the Yosys command \
                     `splitnets -ports i:{name}` before `abc`"
                );
                wrong.add(&place, "a clock is a bit of a vector".to_owned(), &help);
            }
        }
    }
    found
}

const DERIVED_HELP: &str =
    "gated and divided clocks are not supported: use an enable, and a clock that is an input";

/// Says what clocks something, if it is no input.
fn derived(module: &Module, bit: Bit) -> String {
    let found = match bit {
        Bit::Net(net) => format!("net `{}`", module.net_name(net)),
        _ => "a constant".to_owned(),
    };
    format!(
        "clocked by {found}, which is no input of module `{}`",
        module.name
    )
}

/// The bit that a bit of a port of an instance is connected to.
fn connected<'c>(
    mut connections: impl Iterator<Item = &'c Connection>,
    port: &str,
    at: usize,
) -> Option<Bit> {
    let found = connections.find(|one| one.port == port);
    found.and_then(|one| one.bits.get(at).copied())
}
