//! Flip-flops that act on the falling edge, in a module that is evaluated once a cycle.
//!
//! Inputs change right after the rising edge and are stable in both halves of a cycle. So a flip-flop of the
//! falling edge takes, in the middle of the cycle, what its data is with all rising flip-flops as they are
//! now and all falling ones as they were; everything else sees its new value at the end of the cycle:
//!
//! ```text
//! q(t) = data(inputs(t), rising(t), q(t - 1))
//! ```
//!
//! A rising flip-flop on a new net `NAME$before` keeps `q(t - 1)` where that is read, and gates drive `q`. The
//! gates behind the data that depend on falling flip-flops are there twice afterwards: once before the falling
//! edge, once after it.
//!
//! This is true as long as no input that such a flip-flop takes changes in the middle of the cycle, as an output
//! does that depends on one. An asynchronous control acts by level, so it takes its inputs in both halves, also
//! that of a flip-flop of the rising edge. [`HalfCycles`] says where a module stands.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::findings::{Findings, NetlistPlace};
use super::function::Function;
use super::levelise::levelise;
use super::lower::lower_flops;
use super::memories::chosen_as_gates;
use super::model::{
    Asynchronous, Bit, Cell, CellKind, Edge, Gate, Memory, Module, NetId, Port, PortDirection,
    WritePort,
};
use crosswave_base::diagnostic::Error;

#[cfg(test)]
mod tests;

/// The end of the names of nets that show what others were before the falling edge.
const BEFORE: &str = "$before";

/// The net of the design that a net shows as it was before the falling edge; others are themselves.
pub fn without_half(net: &str) -> &str {
    net.strip_suffix(BEFORE).unwrap_or(net)
}

/// The ports of a module at which the middle of a cycle matters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HalfCycles {
    /// Outputs that may change at the falling edge.
    pub changing: Vec<String>,
    /// Inputs on which flip-flops of the falling edge, and asynchronous controls, depend.
    pub taken: Vec<String>,
}

/// [`lower_flops`], of a module whose flip-flops act on either edge of `clock`, through inverters too; they all act
/// on the rising edge then. Memories that are written at the falling edge become flip-flops.
///
/// # Errors
/// As [`lower_flops`] and [`memories_as_gates`](super::memories_as_gates); and asynchronous controls, and data that
/// they load, that may change at the falling edge. Loops through memories that become flip-flops.
pub fn lower_both_edges(mut module: Module, clock: &str) -> Result<(Module, HalfCycles), Error> {
    if let Some(&[Bit::Net(net)]) = module.port(clock).map(|port| port.bits.as_slice()) {
        clock_without_inverters(&mut module, net);
    }
    let falls = |port: &WritePort| port.edge == Edge::Falling;
    let is_written_there = |_: &Cell, memory: &Memory| memory.writes.iter().any(falls);
    let mut module = chosen_as_gates(module, is_written_there, OF_THE_FALLING_EDGE)?;
    let mut falling = BTreeSet::new();
    for cell in &mut module.cells {
        if let CellKind::Flop(flop) = &mut cell.kind
            && flop.edge == Edge::Falling
        {
            flop.edge = Edge::Rising;
            falling.insert(cell.name.clone());
        }
    }
    let controls = controls(&module);
    let module = lower_flops(module, clock)?;
    if falling.is_empty() && controls.is_empty() {
        return Ok((module, HalfCycles::default()));
    }
    let stored = |cell: &Cell| match &cell.kind {
        CellKind::Flop(flop) if falling.contains(&cell.name) => Some((flop.q, flop.data)),
        _ => None,
    };
    let stored: BTreeMap<NetId, Bit> = module.cells.iter().filter_map(stored).collect();
    let mut halves = Halves::new(module, &stored)?;
    let twice = halves.memories_read_twice();
    if !twice.is_empty() {
        let is_read_twice = |cell: &Cell, _: &Memory| twice.contains(&cell.name);
        let module = chosen_as_gates(halves.module, is_read_twice, OF_THE_FALLING_EDGE)?;
        halves = Halves::new(module, &stored)?;
    }
    halves.check(&controls)?;
    let half_cycles = halves.half_cycles(controls.keys().copied());
    Ok((halves.in_one_step(&stored), half_cycles))
}

/// Help for memories that are too large to be flip-flops.
const OF_THE_FALLING_EDGE: &str = "a memory that is written at the falling edge, or of which flip-flops of that edge give the \
                                   address and take the word, becomes flip-flops: use the rising edge, or a smaller one";

/// The nets on which flip-flops depend by level: those that control them asynchronously, and those that are
/// loaded then. Each comes with the cell of one.
fn controls(module: &Module) -> BTreeMap<NetId, Cell> {
    let mut controls = BTreeMap::new();
    for (cell, flop) in module.flops() {
        let bits = match flop.asynchronous {
            Asynchronous::None => [None, None],
            Asynchronous::Reset { control, .. } => [Some(control.bit), None],
            Asynchronous::Load { control, data } => [Some(control.bit), Some(data)],
            Asynchronous::SetReset { set, reset } => [Some(set.bit), Some(reset.bit)],
        };
        for net in bits.into_iter().flatten().filter_map(Bit::net) {
            controls.entry(net).or_insert_with(|| cell.clone());
        }
    }
    controls
}

/// A module of plain flip-flops, some of which act on the falling edge.
struct Halves {
    module: Module,
    /// The gates, inputs first.
    order: Vec<usize>,
    /// Nets that may change at the falling edge.
    late: BTreeSet<NetId>,
    /// Nets on which the data of these flip-flops depends.
    behind: BTreeSet<NetId>,
}

impl Halves {
    /// `stored` has the nets that flip-flops of the falling edge drive, and their data.
    fn new(module: Module, stored: &BTreeMap<NetId, Bit>) -> Result<Halves, Error> {
        let order = match levelise(&module) {
            Ok(levels) => levels.order,
            Err(loops) => {
                let mut findings = Findings::default();
                for found in loops {
                    findings.push(found.diagnostic(&module));
                }
                findings.finish(Vec::new(), &module.name, None)?
            }
        };
        let mut late: BTreeSet<NetId> = stored.keys().copied().collect();
        let is_in =
            |nets: &BTreeSet<NetId>, bit: Bit| bit.net().is_some_and(|net| nets.contains(&net));
        // A word may be read at an address that a word gives, so gates are looked at until nothing is new.
        loop {
            let before = late.len();
            for gate in gates(&module, &order) {
                if gate.inputs.iter().any(|&bit| is_in(&late, bit)) {
                    late.insert(gate.output);
                }
            }
            for (_, memory) in module.memories() {
                for port in &memory.reads {
                    if port.address.iter().any(|&bit| is_in(&late, bit)) {
                        late.extend(port.data.iter().copied());
                    }
                }
            }
            if late.len() == before {
                break;
            }
        }
        let behind = behind(&module, &order, stored.values().filter_map(|bit| bit.net()));
        Ok(Halves {
            module,
            order,
            late,
            behind,
        })
    }

    /// Refuses asynchronous controls, and data that they load, that may change at the falling edge.
    fn check(&self, controls: &BTreeMap<NetId, Cell>) -> Result<(), Error> {
        let mut findings = Findings::default();
        let of_module = NetlistPlace::module(&self.module.name, &self.module.src);
        for (net, cell) in controls {
            if self.late.contains(net) {
                findings.add(
                    of_module.cell(&cell.name, &cell.src),
                    format!(
                        "its asynchronous control, or what that loads, `{}`, may change at the falling edge, and may \
                         act in half a cycle only",
                        self.module.net_name(*net)
                    ),
                    "make it synchronous, or control it from flip-flops of the rising edge",
                );
            }
        }
        findings.finish((), &self.module.name, None)
    }

    /// The memories of which flip-flops of the falling edge give an address and take the word: before that edge
    /// they show another word than after it.
    fn memories_read_twice(&self) -> BTreeSet<SmolStr> {
        let is_twice = |net: &NetId| self.behind.contains(net) && self.late.contains(net);
        let memories = self.module.memories().filter(|(_, memory)| {
            let mut words = memory.reads.iter().flat_map(|port| &port.data);
            words.any(is_twice)
        });
        memories.map(|(cell, _)| cell.name.clone()).collect()
    }

    /// The ports at which the middle of a cycle matters; `controls` act by level.
    fn half_cycles(&self, controls: impl Iterator<Item = NetId>) -> HalfCycles {
        let mut taken = behind(&self.module, &self.order, controls);
        taken.extend(self.behind.iter().copied());
        HalfCycles {
            changing: self.ports(PortDirection::Output, &self.late),
            taken: self.ports(PortDirection::Input, &taken),
        }
    }

    /// Ports of a direction with a bit on one of some nets.
    fn ports(&self, direction: PortDirection, nets: &BTreeSet<NetId>) -> Vec<String> {
        let has = |port: &&Port| {
            port.bits
                .iter()
                .filter_map(|bit| bit.net())
                .any(|net| nets.contains(&net))
        };
        let ports = self.module.ports_of(direction).filter(has);
        ports.map(|port| port.name.clone()).collect()
    }

    /// The module, evaluated once a cycle.
    fn in_one_step(mut self, stored: &BTreeMap<NetId, Bit>) -> Module {
        // Nets as they were before the falling edge. Of flip-flops on which no data depends nothing is kept.
        let mut before: BTreeMap<NetId, Bit> = BTreeMap::new();
        for &net in stored.keys().filter(|net| self.behind.contains(net)) {
            let name = format!("{}{BEFORE}", self.module.net_name(net));
            before.insert(net, Bit::Net(self.module.add_net(&name)));
        }
        let early = |before: &BTreeMap<NetId, Bit>, bit: Bit| match bit {
            Bit::Net(net) => before.get(&net).copied().unwrap_or(bit),
            constant => constant,
        };
        for &cell in &self.order {
            let CellKind::Gate(gate) = &self.module.cells[cell].kind else {
                continue;
            };
            if !self.late.contains(&gate.output) || !self.behind.contains(&gate.output) {
                continue;
            }
            let (function, output) = (gate.function, gate.output);
            let inputs = gate.inputs.iter().map(|&bit| early(&before, bit)).collect();
            let net = self.module.net_name(output);
            let copy = self.module.add_net(&format!("{net}{BEFORE}"));
            before.insert(output, Bit::Net(copy));
            let from = &self.module.cells[cell];
            self.module.cells.push(Cell {
                name: format!("{}{BEFORE}", from.name).into(),
                src: from.src.clone(),
                kind: CellKind::Gate(Gate {
                    function,
                    inputs,
                    output: copy,
                }),
            });
        }
        let mut taking = Vec::new();
        for cell in &mut self.module.cells {
            let CellKind::Flop(flop) = &mut cell.kind else {
                continue;
            };
            let Some(&data) = stored.get(&flop.q) else {
                continue;
            };
            let now = flop.q;
            let takes = Gate {
                function: Function::Buf,
                inputs: [early(&before, data)].as_slice().into(),
                output: now,
            };
            match before.get(&now) {
                Some(Bit::Net(earlier)) => {
                    taking.push(Cell {
                        name: format!("{}$falls", cell.name).into(),
                        src: cell.src.clone(),
                        kind: CellKind::Gate(takes),
                    });
                    flop.q = *earlier;
                    flop.data = Bit::Net(now);
                }
                _ => cell.kind = CellKind::Gate(takes),
            }
        }
        self.module.cells.extend(taking);
        self.module
    }
}

/// The nets on which some depend within the cycle, and these.
fn behind(module: &Module, order: &[usize], nets: impl Iterator<Item = NetId>) -> BTreeSet<NetId> {
    let mut behind: BTreeSet<NetId> = nets.collect();
    loop {
        let before = behind.len();
        for gate in gates(module, order).rev() {
            if behind.contains(&gate.output) {
                behind.extend(gate.inputs.iter().filter_map(|bit| bit.net()));
            }
        }
        for (_, memory) in module.memories() {
            for port in &memory.reads {
                if port.data.iter().any(|net| behind.contains(net)) {
                    behind.extend(port.address.iter().filter_map(|bit| bit.net()));
                }
            }
        }
        if behind.len() == before {
            return behind;
        }
    }
}

/// The gates of a module in an order.
fn gates<'m>(module: &'m Module, order: &'m [usize]) -> impl DoubleEndedIterator<Item = &'m Gate> {
    order
        .iter()
        .filter_map(|&cell| match &module.cells[cell].kind {
            CellKind::Gate(gate) => Some(gate),
            _ => None,
        })
}

/// Has flip-flops and memories read the clock itself where they read its inverse, with the other edge, and
/// takes out inverters that nothing else reads. What is left reads the clock as data.
fn clock_without_inverters(module: &mut Module, clock: NetId) {
    let mut inverses = BTreeSet::new();
    for cell in &module.cells {
        if let CellKind::Gate(gate) = &cell.kind
            && gate.function == Function::Not
            && gate.inputs[0] == Bit::Net(clock)
        {
            inverses.insert(gate.output);
        }
    }
    if inverses.is_empty() {
        return;
    }
    let turn = |bit: &mut Bit, edge: &mut Edge| {
        if bit.net().is_some_and(|net| inverses.contains(&net)) {
            *bit = Bit::Net(clock);
            *edge = match edge {
                Edge::Rising => Edge::Falling,
                Edge::Falling => Edge::Rising,
            };
        }
    };
    let mut read: BTreeSet<NetId> = BTreeSet::new();
    for cell in &mut module.cells {
        match &mut cell.kind {
            CellKind::Flop(flop) => turn(&mut flop.clock, &mut flop.edge),
            CellKind::Memory(memory) => {
                for port in &mut memory.writes {
                    turn(&mut port.clock, &mut port.edge);
                }
            }
            CellKind::Gate(_) | CellKind::Instance(_) => {}
        }
        cell.kind.visit_inputs(|_, _, bit| read.extend(bit.net()));
    }
    for port in module.ports_of(PortDirection::Output) {
        read.extend(port.bits.iter().filter_map(|bit| bit.net()));
    }
    module.cells.retain(|cell| match &cell.kind {
        CellKind::Gate(gate) => !inverses.contains(&gate.output) || read.contains(&gate.output),
        _ => true,
    });
}
