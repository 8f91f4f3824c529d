//! Outputs that depend on inputs in the same cycle (Mealy), for engines whose outputs are registers.
//!
//! [`register_outputs`](super::register_outputs) gives such an output a register that takes its value from
//! the registers and inputs of the moment: it *settles*. An engine takes an edge, and then passes in which
//! only these registers act and all others hold ([`held`]), until the values have gone from module to
//! module as far as they depend on each other ([`dependencies`]).

use std::collections::BTreeSet;

use super::function::Function;
use super::model::{Bit, BitRange, Cell, CellKind, Gate, Module, NetId, Port, PortDirection};

/// The end of the name of a flip-flop that settles.
pub const SETTLED: &str = "$settled";

/// The input of a module that [`held`] has made: 1 in passes in which values settle.
pub const SETTLE: &str = "$settle";

/// A bit of an input port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct InputBit {
    /// The index of the port in the module.
    pub port: usize,
    /// The bit of it.
    pub bit: usize,
}

/// A flip-flop that settles, and the inputs that it depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// The net that it drives.
    pub q: NetId,
    /// The inputs, in the order of ports and bits.
    pub inputs: Vec<InputBit>,
}

/// True for a flip-flop that settles.
pub fn settles(cell: &Cell) -> bool {
    cell.name.ends_with(SETTLED)
}

/// True when a module has flip-flops that settle.
fn has_settled(module: &Module) -> bool {
    module.flops().any(|(cell, _)| settles(cell))
}

/// The flip-flops of a module that settle, with the inputs that they depend on.
pub fn dependencies(module: &Module) -> Vec<Settled> {
    if !has_settled(module) {
        return Vec::new();
    }
    let mut inputs = vec![None; module.nets.len()];
    for (port, input) in module.ports.iter().enumerate() {
        if input.direction == PortDirection::Input {
            for (bit, net) in input.bits.iter().enumerate() {
                if let Bit::Net(net) = net {
                    inputs[net.index()] = Some(InputBit { port, bit });
                }
            }
        }
    }
    let mut gates = vec![None; module.nets.len()];
    for (at, cell) in module.cells.iter().enumerate() {
        if let CellKind::Gate(gate) = &cell.kind {
            gates[gate.output.index()] = Some(at);
        }
    }
    let flops = module.flops().filter(|(cell, _)| settles(cell));
    let settled = flops.map(|(_, flop)| {
        let mut found = BTreeSet::new();
        let mut seen = vec![false; module.nets.len()];
        let mut left: Vec<NetId> = flop.data.net().into_iter().collect();
        while let Some(net) = left.pop() {
            if std::mem::replace(&mut seen[net.index()], true) {
                continue;
            }
            found.extend(inputs[net.index()]);
            if let Some(cell) = gates[net.index()] {
                let kind = &module.cells[cell].kind;
                kind.visit_inputs(|_, _, bit| left.extend(bit.net()));
            }
        }
        Settled {
            q: flop.q,
            inputs: found.into_iter().collect(),
        }
    });
    settled.collect()
}

/// A module with plain flip-flops and the input [`SETTLE`]: while it is 1, all flip-flops hold but those that
/// settle.
pub fn held(mut module: Module) -> Module {
    let settle = Bit::Net(module.add_net(SETTLE));
    module.ports.push(Port {
        name: SETTLE.to_owned(),
        direction: PortDirection::Input,
        bits: vec![settle],
        range: BitRange::default(),
        signed: false,
    });
    for at in 0..module.cells.len() {
        let cell = &module.cells[at];
        if settles(cell) {
            continue;
        }
        let (name, src) = (format!("{}$held", cell.name), cell.src.clone());
        let CellKind::Flop(flop) = &cell.kind else {
            continue;
        };
        let inputs = [flop.data, Bit::Net(flop.q), settle];
        let output = module.add_net(&name);
        if let CellKind::Flop(flop) = &mut module.cells[at].kind {
            flop.data = Bit::Net(output);
        }
        module.cells.push(Cell {
            name: name.into(),
            src,
            kind: CellKind::Gate(Gate {
                function: Function::Mux,
                inputs: inputs.as_slice().into(),
                output,
            }),
        });
    }
    module
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Evaluation, InputRole, lower_flops, register_outputs, text};

    /// A state of two bits; x is a function of it, y of it and of the input.
    const TEXT: &str = "module m\n input clk\n input rst\n input a\n output x\n output y\n \
        gate g1 ANDNOT a rst -> d\n flop f1 d -> q1 posedge clk\n flop f2 q1 -> q2 posedge clk\n \
        gate g2 XOR q1 q2 -> x\n gate g3 XOR x a -> y\nend\n";

    fn registered() -> (Module, Module) {
        let design = text::parse(TEXT, "test").expect("sound");
        let module = lower_flops(design.modules[0].clone(), "clk").expect("one clock");
        let role = |name: &str| match name {
            "rst" => InputRole::Zero,
            _ => InputRole::Settling,
        };
        let registered = register_outputs(&module, "clk", role).expect("it settles");
        assert_eq!((registered.bits, registered.settled), (2, 1));
        (module, registered.module)
    }

    #[test]
    fn what_settles_depends_on_inputs() {
        let (module, registered) = registered();
        assert!(dependencies(&module).is_empty() && !has_settled(&module));
        let y = registered.port("y").expect("a port").bits[0];
        let a = registered.ports.iter().position(|port| port.name == "a");
        let found = dependencies(&registered);
        assert_eq!(found.len(), 1);
        assert_eq!(Bit::Net(found[0].q), y);
        // The reset is one of the inputs, as it makes the output 0.
        let inputs = found[0].inputs.iter().map(|input| input.port);
        assert!(inputs.clone().any(|port| Some(port) == a));
        assert!(inputs.count() <= 2);
    }

    /// An edge and a pass show what gates show, and a pass more changes nothing.
    #[test]
    fn an_edge_and_a_pass_show_what_gates_do() {
        let (module, registered) = registered();
        let held = held(registered);
        let evaluations = [&module, &held].map(|module| Evaluation::new(module).expect("no loop"));
        let mut nets = [&module, &held].map(|module| vec![false; module.nets.len()]);
        let drive = |module: &Module, nets: &mut [bool], name: &str, value: bool| {
            let port = module.port(name).expect("a port");
            Evaluation::drive(port, nets, u64::from(value));
        };
        let outputs = |module: &Module, nets: &[bool]| {
            ["x", "y"].map(|name| Evaluation::port(module.port(name).expect("a port"), nets))
        };
        let mut changed = 0;
        for cycle in 0_u32..60 {
            let [plain, passing] = &mut nets;
            for (module, nets) in [(&module, &mut *plain), (&held, &mut *passing)] {
                drive(module, nets, "rst", cycle == 0);
                drive(
                    module,
                    nets,
                    "a",
                    0x9d3a_61f5_u32.rotate_left(cycle) & 1 != 0,
                );
            }
            evaluations[0].settle(plain);
            for _ in 0..2 {
                drive(&held, passing, SETTLE, true);
                evaluations[1].settle(passing);
                evaluations[1].edge(passing);
                if cycle > 0 {
                    assert_eq!(outputs(&held, passing), outputs(&module, plain), "{cycle}");
                }
            }
            changed += outputs(&module, plain)[1];
            evaluations[0].edge(plain);
            drive(&held, passing, SETTLE, false);
            evaluations[1].settle(passing);
            evaluations[1].edge(passing);
        }
        assert!((20..50).contains(&changed), "{changed}");
    }
}
