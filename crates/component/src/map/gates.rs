//! Gates between the ports of a chip and those of its module.

use crosswave_netlist::{
    Bit, Cell, CellKind, Flop, Function, Gate, Module, Net, NetId, PortDirection,
};

/// Adds a net to a module.
fn net(module: &mut Module, name: String) -> NetId {
    module.nets.push(Net {
        name: name.into(),
        src: "".into(),
    });
    NetId(module.nets.len() as u32 - 1)
}

/// Adds a gate that drives a net.
fn gate(module: &mut Module, name: String, function: Function, inputs: &[Bit], output: NetId) {
    module.cells.push(Cell {
        name: name.into(),
        src: "".into(),
        kind: CellKind::Gate(Gate {
            function,
            inputs: inputs.into(),
            output,
        }),
    });
}

/// A new net for the chip in the place of a bit of a port: its opposite drives an input, and it is the
/// opposite of an output.
pub(super) fn opposite(module: &mut Module, bit: Bit, direction: PortDirection) -> Bit {
    let of_module = match bit {
        Bit::Net(of_module) => of_module,
        Bit::Zero => return Bit::One,
        Bit::One => return Bit::Zero,
        Bit::X => return Bit::X,
    };
    let name = format!("{}$inverted", module.net_name(of_module));
    let of_chip = net(module, name.clone());
    let (from, to) = match direction {
        PortDirection::Input => (of_chip, of_module),
        PortDirection::Output => (of_module, of_chip),
    };
    gate(module, name, Function::Not, &[Bit::Net(from)], to);
    Bit::Net(of_chip)
}

/// A new net for the reset, which acts on what a bit drove for more cycles than it is 1.
pub(super) fn held(module: &mut Module, clock: Option<Bit>, bit: Bit, cycles: u64) -> Bit {
    let (Some(clock), Bit::Net(output)) = (clock, bit) else {
        return bit;
    };
    let reset = net(module, "reset$first".to_owned());
    // The last gate drives what the bit drove.
    let (mut stage, mut any) = (reset, reset);
    for cycle in 1..cycles {
        let name = format!("reset$held_{cycle}");
        let q = net(module, name.clone());
        module.cells.push(Cell {
            name: name.as_str().into(),
            src: "".into(),
            kind: CellKind::Flop(Box::new(Flop::plain(clock, Bit::Net(stage), q))),
        });
        let name = format!("{name}$or");
        let sum = match cycle + 1 == cycles {
            true => output,
            false => net(module, name.clone()),
        };
        let inputs = [Bit::Net(any), Bit::Net(q)];
        gate(module, name, Function::Or, &inputs, sum);
        (stage, any) = (q, sum);
    }
    Bit::Net(reset)
}
