//! Gates between the ports of a chip and those of its module.

use crosswave_netlist::{Bit, Flop, Function, Module, PortDirection};

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
    let of_chip = module.add_net(&name);
    let (from, to) = match direction {
        PortDirection::Input => (of_chip, of_module),
        PortDirection::Output => (of_module, of_chip),
    };
    module.drive(&name, Function::Not, &[Bit::Net(from)], to);
    Bit::Net(of_chip)
}

/// A new net for the reset, which acts on what a bit drove for more cycles than it is 1.
pub(super) fn held(module: &mut Module, clock: Option<Bit>, bit: Bit, cycles: u64) -> Bit {
    let (Some(clock), Bit::Net(output)) = (clock, bit) else {
        return bit;
    };
    let reset = module.add_net("reset$first");
    // The last gate drives what the bit drove.
    let (mut stage, mut any) = (reset, reset);
    for cycle in 1..cycles {
        let name = format!("reset$held_{cycle}");
        let q = module.add_net(&name);
        module.add_flop(&name, Flop::plain(clock, Bit::Net(stage), q));
        let name = format!("{name}$or");
        let sum = match cycle + 1 == cycles {
            true => output,
            false => module.add_net(&name),
        };
        let inputs = [Bit::Net(any), Bit::Net(q)];
        module.drive(&name, Function::Or, &inputs, sum);
        (stage, any) = (q, sum);
    }
    Bit::Net(reset)
}
