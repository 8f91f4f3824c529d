//! Constant folding and specialisation.
//!
//! One pass over the gates in topological order. Each net gets a representative:
//! a constant, or a net that always has the same value. A gate is written as a
//! truth table over the representatives of its inputs, with constants put in,
//! inverters absorbed and inputs without effect dropped ([`simplify()`]); what is
//! left is a constant, a net, or a gate, and a gate with the table and inputs of an
//! earlier one is that one. A second pass, from the outputs backwards, keeps the
//! cells that an output depends on through any number of flip-flops and instances, or a flip-flop that
//! [watches](super::watch).
//!
//! Flip-flops are not merged and not replaced by constants: their values before
//! reset are not known. For the same reason no gate is moved across one. Instances
//! are opaque.
//!
//! Cost: linear in pins, plus a search for the gate of a table (at most 768 table
//! comparisons for each subset of the inverters that feed the gate). No gate is
//! added, so the result has at most as many gates as the module.

mod simplify;
#[cfg(test)]
mod tests;

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::levelise::order_outside_loops;
use super::model::{Asynchronous, Bit, CellKind, Flop, Gate, Module, Net, NetId, PortDirection};
use super::watch::is_watcher;
use simplify::{GateForm, Simple, simplify};

/// The module with some input bits tied to constants, simplified.
///
/// A tie is a port, a bit of it and its value. For every sequence of inputs with
/// the tied bits at their values, every output has the value in every cycle that
/// it has in `module`, when flip-flops start with the same values.
///
/// Ports keep names, order and widths; tied input bits are left unused, output bits
/// may become constants, and X becomes 0. Cells and nets that are left keep names
/// and order; where two nets become one, it has a name that a designer gave if one
/// of them has. Gates in a combinational loop or behind one are left as they are.
///
/// # Panics
///
/// When `ties` names an input bit that the module does not have: check a tie that
/// comes from a user with [`Module::port`].
pub fn fold(module: Module, ties: &[(String, usize, bool)]) -> Module {
    let order = order_outside_loops(&module);
    let mut folder = ConstantFolder::new(module, ties);
    for index in order {
        folder.gate(index);
    }
    for cell in &mut folder.module.cells {
        let value = &folder.value;
        cell.kind.map_inputs(|bit| resolve(value, bit));
        if let CellKind::Flop(flop) = &mut cell.kind {
            simplify_flop(flop);
        }
    }
    folder.finish()
}

struct ConstantFolder {
    module: Module,
    /// The representative of each net.
    value: Vec<Bit>,
    /// For the output of an inverter, its input.
    inverse: Vec<Option<NetId>>,
    /// The output of the gate of each table and inputs; only ever looked up.
    known: FxHashMap<GateForm, NetId>,
}

/// The representative of a bit; X is 0.
fn resolve(value: &[Bit], bit: Bit) -> Bit {
    match bit {
        Bit::Net(net) => value[net.index()],
        Bit::X => Bit::Zero,
        constant => constant,
    }
}

impl ConstantFolder {
    fn new(module: Module, ties: &[(String, usize, bool)]) -> ConstantFolder {
        let (nets, cells) = (module.nets.len(), module.cells.len());
        let mut value: Vec<Bit> = (0..nets).map(|net| Bit::Net(NetId(net as u32))).collect();
        for (name, bit, tied) in ties {
            let found = module
                .port(name)
                .filter(|p| p.direction == PortDirection::Input);
            match found.and_then(|port| port.bits.get(*bit)) {
                Some(Bit::Net(net)) => value[net.index()] = Bit::from(*tied),
                Some(_) => {}
                None => panic!(
                    "module {} has no input {name} bit {bit} to tie",
                    module.name
                ),
            }
        }
        ConstantFolder {
            module,
            value,
            inverse: vec![None; nets],
            known: FxHashMap::with_capacity_and_hasher(cells, FxBuildHasher),
        }
    }

    fn gate(&mut self, index: usize) {
        let CellKind::Gate(gate) = &mut self.module.cells[index].kind else {
            return;
        };
        let output = gate.output;
        let inputs: Vec<Bit> = gate
            .inputs
            .iter()
            .map(|&bit| resolve(&self.value, bit))
            .collect();
        let inverse = |net: NetId| self.inverse[net.index()];
        let value = match simplify(gate.function, &inputs, inverse) {
            Simple::Bit(bit) => bit,
            Simple::Gate {
                function,
                inputs,
                form,
            } => match self.known.get(&form) {
                Some(&net) => Bit::Net(net),
                None => {
                    if let Some(input) = form.inverted() {
                        self.inverse[output.index()] = Some(input);
                    }
                    self.known.insert(form, output);
                    *gate = Gate {
                        function,
                        inputs: inputs.into_iter().map(Bit::Net).collect(),
                        output,
                    };
                    return;
                }
            },
        };
        self.value[output.index()] = value;
        if let Bit::Net(kept) = value {
            let made = |net: &Net| net.name.starts_with('$') || net.name.is_empty();
            if made(&self.module.nets[kept.index()]) && !made(&self.module.nets[output.index()]) {
                self.module.nets.swap(kept.index(), output.index());
            }
        }
    }

    /// The cells that an output depends on, or a flip-flop that watches.
    fn live(&self, ports: &[super::Port]) -> Vec<bool> {
        let mut driver: Vec<Option<usize>> = vec![None; self.module.nets.len()];
        for (index, cell) in self.module.cells.iter().enumerate() {
            cell.kind.visit_outputs(|_, _, bit| {
                if let Bit::Net(net) = bit {
                    driver[net.index()] = Some(index);
                }
            });
        }
        let mut live = vec![false; self.module.cells.len()];
        let watching = self
            .module
            .flops()
            .filter(|(cell, _)| is_watcher(&cell.name));
        let mut wanted: Vec<NetId> = watching.map(|(_, flop)| flop.q).collect();
        let outputs = ports
            .iter()
            .filter(|port| port.direction == PortDirection::Output)
            .flat_map(|port| &port.bits)
            .filter_map(|bit| bit.net());
        wanted.extend(outputs);
        while let Some(net) = wanted.pop() {
            if let Some(index) = driver[net.index()]
                && !std::mem::replace(&mut live[index], true)
            {
                let kind = &self.module.cells[index].kind;
                kind.visit_inputs(|_, _, bit| wanted.extend(bit.net()));
            }
        }
        live
    }

    /// The module of the live cells, with the nets they need.
    fn finish(mut self) -> Module {
        let mut ports = std::mem::take(&mut self.module.ports);
        for port in &mut ports {
            if port.direction == PortDirection::Output {
                for bit in &mut port.bits {
                    *bit = resolve(&self.value, *bit);
                }
            }
        }
        let live = self.live(&ports);
        let mut position = 0;
        self.module.cells.retain(|_| {
            position += 1;
            live[position - 1]
        });
        let mut used = vec![false; self.module.nets.len()];
        let mut mark = |bit: Bit| {
            if let Bit::Net(net) = bit {
                used[net.index()] = true;
            }
        };
        for port in &ports {
            port.bits.iter().for_each(|&bit| mark(bit));
        }
        for cell in &self.module.cells {
            cell.kind.visit_inputs(|_, _, bit| mark(bit));
            cell.kind.visit_outputs(|_, _, bit| mark(bit));
        }
        let mut number = Vec::with_capacity(used.len());
        let mut nets = Vec::new();
        for (net, used) in std::mem::take(&mut self.module.nets).into_iter().zip(used) {
            number.push(NetId(nets.len() as u32));
            if used {
                nets.push(net);
            }
        }
        let renumber = |bit: Bit| match bit {
            Bit::Net(net) => Bit::Net(number[net.index()]),
            constant => constant,
        };
        for port in &mut ports {
            port.bits.iter_mut().for_each(|bit| *bit = renumber(*bit));
        }
        for cell in &mut self.module.cells {
            cell.kind.map_inputs(renumber);
            cell.kind.map_outputs(|net| number[net.index()]);
        }
        Module {
            ports,
            nets,
            ..self.module
        }
    }
}

/// Drops controls of a flip-flop that always or never act.
fn simplify_flop(flop: &mut Flop) {
    if flop.enable.and_then(|enable| enable.constant()) == Some(true) {
        flop.enable = None;
    }
    if let Some(reset) = flop.reset {
        match reset.control.constant() {
            Some(false) => flop.reset = None,
            Some(true) => {
                flop.data = Bit::from(reset.value);
                flop.reset = None;
                if !reset.gated {
                    flop.enable = None;
                }
            }
            None => {}
        }
    }
    flop.asynchronous = match flop.asynchronous {
        Asynchronous::Reset { control, .. } if control.constant() == Some(false) => {
            Asynchronous::None
        }
        Asynchronous::SetReset { set, reset } => match (set.constant(), reset.constant()) {
            (Some(false), Some(false)) => Asynchronous::None,
            (Some(false), _) => Asynchronous::Reset {
                control: reset,
                value: false,
            },
            (_, Some(false)) => Asynchronous::Reset {
                control: set,
                value: true,
            },
            _ => flop.asynchronous,
        },
        Asynchronous::Load { control, data } => match (control.constant(), data.constant()) {
            (Some(false), _) => Asynchronous::None,
            (_, Some(value)) => Asynchronous::Reset { control, value },
            _ => flop.asynchronous,
        },
        other => other,
    };
}
