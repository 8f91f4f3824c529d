//! The clocks of a module as inputs that say when they have an edge.

use std::collections::BTreeMap;

use super::find::{ModuleClocks, PortBit, Tracer, edge_through, inner};
use crosswave_netlist::{
    Bit, BitRange, CellKind, Connection, Control, Design, DesignHierarchy, Edge, Flop, Function,
    Module, Port, PortDirection,
};

/// Names of new ports, which no module has yet.
pub(super) struct NewNames {
    pub clock: String,
    falls_suffix: String,
}

impl NewNames {
    pub fn of(design: &Design) -> NewNames {
        let ports = || design.modules.iter().flat_map(|module| &module.ports);
        let mut clock = "$clock".to_owned();
        while ports().any(|port| port.name == clock) {
            clock.push('$');
        }
        let mut falls_suffix = "$falls".to_owned();
        while ports().any(|port| port.name.ends_with(&falls_suffix)) {
            falls_suffix.push('$');
        }
        NewNames {
            clock,
            falls_suffix,
        }
    }

    pub fn falls(&self, port: &str) -> String {
        format!("{port}{}", self.falls_suffix)
    }
}

/// Joins the clocks of a module.
pub(super) struct Joiner<'m> {
    module: &'m mut Module,
    names: &'m NewNames,
    /// The net of each clock and edge.
    edges: BTreeMap<(PortBit, Edge), Bit>,
    /// Gates that join an edge and a control, which share what is equal.
    gates: BTreeMap<(Bit, Bit, bool), Bit>,
}

impl<'m> Joiner<'m> {
    pub fn new(module: &'m mut Module, names: &'m NewNames) -> Joiner<'m> {
        Joiner {
            module,
            names,
            edges: BTreeMap::new(),
            gates: BTreeMap::new(),
        }
    }

    pub fn join(
        mut self,
        design: &Design,
        hierarchy: &DesignHierarchy<'_>,
        clocks: &BTreeMap<&str, ModuleClocks>,
    ) {
        let found = &clocks[self.module.name.as_str()];
        if found.uses.is_empty() {
            return;
        }
        let tracer = Tracer::new(self.module, design, hierarchy, clocks);
        let clock = add_input(self.module, &self.names.clock, 1)[0];
        let mut falling: BTreeMap<usize, Vec<Bit>> = BTreeMap::new();
        for (&(port, at), uses) in &found.uses {
            let rises = self.module.ports[port].bits[at];
            self.edges.insert(((port, at), Edge::Rising), rises);
            if uses.falling > 0 {
                let bits = falling.entry(port).or_insert_with(|| {
                    let name = self.names.falls(&self.module.ports[port].name);
                    let width = self.module.ports[port].bits.len();
                    add_input(self.module, &name, width)
                });
                self.edges.insert(((port, at), Edge::Falling), bits[at]);
            }
        }
        let cells = std::mem::take(&mut self.module.cells);
        for mut cell in cells {
            let name = cell.name.clone();
            match &mut cell.kind {
                CellKind::Flop(flop) => {
                    let edge = self.edge(&tracer, flop.clock, flop.edge);
                    self.enable(&name, flop, edge);
                    (flop.clock, flop.edge) = (clock, Edge::Rising);
                }
                CellKind::Memory(memory) => {
                    for port in &mut memory.writes {
                        let edge = self.edge(&tracer, port.clock, port.edge);
                        for bit in &mut port.enable {
                            *bit = self.and(&name, edge, *bit, true);
                        }
                        (port.clock, port.edge) = (clock, Edge::Rising);
                    }
                }
                CellKind::Instance(instance) => {
                    let of_inner = &clocks[instance.module.as_str()];
                    let inside = inner(design, hierarchy, &instance.module);
                    self.connect(&tracer, &mut instance.connections, of_inner, inside, clock);
                }
                CellKind::Gate(_) => {}
            }
            self.module.cells.push(cell);
        }
    }

    /// Connects the clocks of an instance.
    fn connect(
        &self,
        tracer: &Tracer,
        connections: &mut Vec<Connection>,
        clocks: &ModuleClocks,
        inside: &Module,
        clock: Bit,
    ) {
        if clocks.uses.is_empty() {
            return;
        }
        let mut falling: BTreeMap<usize, Vec<Bit>> = BTreeMap::new();
        for (&(port, at), uses) in &clocks.uses {
            let Port { name, bits, .. } = &inside.ports[port];
            let connection = connections.iter_mut().find(|one| one.port == *name);
            let connection = connection.expect("a clock that is connected");
            let outside = connection.bits[at];
            // An edge without effect still shows the clock where nets are recorded.
            if uses.rising > 0 {
                connection.bits[at] = self.edge(tracer, outside, Edge::Rising);
            }
            if uses.falling > 0 {
                let bits = falling
                    .entry(port)
                    .or_insert_with(|| vec![Bit::Zero; bits.len()]);
                bits[at] = self.edge(tracer, outside, Edge::Falling);
            }
        }
        let mut add = |port: String, bits: Vec<Bit>| {
            connections.push(Connection {
                port,
                direction: PortDirection::Input,
                bits,
            });
        };
        add(self.names.clock.clone(), vec![clock]);
        for (port, bits) in falling {
            add(self.names.falls(&inside.ports[port].name), bits);
        }
    }

    /// The input that is 1 when a clock has an edge at the end of the cycle.
    fn edge(&self, tracer: &Tracer, clock: Bit, edge: Edge) -> Bit {
        let (port, inverters) = tracer.origin(clock).expect("a clock that was found");
        self.edges[&(port, edge_through(edge, inverters))]
    }

    /// Lets a flip-flop act at an edge only.
    fn enable(&mut self, cell: &str, flop: &mut Flop, edge: Bit) {
        let high = |bit: Bit| Control {
            bit,
            active_high: true,
        };
        if let Some(reset) = &mut flop.reset
            && !reset.gated
        {
            let control = reset.control;
            reset.control = high(self.and(cell, edge, control.bit, control.active_high));
        }
        flop.enable = Some(match flop.enable {
            Some(enable) => high(self.and(cell, edge, enable.bit, enable.active_high)),
            None => high(edge),
        });
    }

    /// An edge and a control.
    fn and(&mut self, cell: &str, edge: Bit, control: Bit, active_high: bool) -> Bit {
        if control.constant() == Some(active_high) {
            return edge;
        }
        let known = self.gates.get(&(edge, control, active_high));
        known.copied().unwrap_or_else(|| {
            let function = match active_high {
                true => Function::And,
                false => Function::AndNot,
            };
            let name = format!("{cell}$edge${}", self.gates.len());
            let bit = self.module.add_gate(&name, function, &[edge, control]);
            self.gates.insert((edge, control, active_high), bit);
            bit
        })
    }
}

/// Adds an input to a module.
fn add_input(module: &mut Module, name: &str, width: usize) -> Vec<Bit> {
    let bits: Vec<Bit> = (0..width).map(|_| Bit::Net(module.add_net(name))).collect();
    module.ports.push(Port {
        name: name.to_owned(),
        direction: PortDirection::Input,
        bits: bits.clone(),
        range: BitRange::default(),
        signed: false,
    });
    bits
}
