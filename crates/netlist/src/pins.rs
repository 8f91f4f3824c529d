//! Walking over the pins of a cell, whatever its kind.
//!
//! Every pass that asks "what does this cell read" or "what does it drive"
//! asks here, so that a pin is named in one place.

use super::model::{Asynchronous, Bit, CellKind, NetId, PortDirection};

impl CellKind {
    /// Calls `visit` with pin name, bit index and connection of every input.
    pub fn visit_inputs(&self, mut visit: impl FnMut(&str, usize, Bit)) {
        match self {
            CellKind::Gate(gate) => {
                for (pin, &bit) in gate.function.pins().iter().zip(&gate.inputs) {
                    visit(pin, 0, bit);
                }
            }
            CellKind::Flop(flop) => {
                visit("C", 0, flop.clock);
                visit("D", 0, flop.data);
                if let Some(enable) = flop.enable {
                    visit("E", 0, enable.bit);
                }
                if let Some(reset) = flop.reset {
                    visit("R", 0, reset.control.bit);
                }
                match flop.asynchronous {
                    Asynchronous::None => {}
                    Asynchronous::Reset { control, .. } => visit("R", 0, control.bit),
                    Asynchronous::SetReset { set, reset } => {
                        visit("S", 0, set.bit);
                        visit("R", 0, reset.bit);
                    }
                    Asynchronous::Load { control, data } => {
                        visit("L", 0, control.bit);
                        visit("AD", 0, data);
                    }
                }
            }
            CellKind::Memory(memory) => {
                let mut at = 0;
                let mut all = |pin: &str, bits: &[Bit]| {
                    for &bit in bits {
                        visit(pin, at, bit);
                        at += 1;
                    }
                };
                memory
                    .reads
                    .iter()
                    .for_each(|port| all("RD_ADDR", &port.address));
                for port in &memory.writes {
                    all("WR_CLK", &[port.clock]);
                    all("WR_ADDR", &port.address);
                    all("WR_DATA", &port.data);
                    all("WR_EN", &port.enable);
                }
            }
            CellKind::Instance(instance) => {
                for connection in &instance.connections {
                    if connection.direction == PortDirection::Input {
                        for (index, &bit) in connection.bits.iter().enumerate() {
                            visit(&connection.port, index, bit);
                        }
                    }
                }
            }
        }
    }

    /// Calls `visit` with pin name, bit index and connection of every output.
    pub fn visit_outputs(&self, mut visit: impl FnMut(&str, usize, Bit)) {
        match self {
            CellKind::Gate(gate) => visit("Y", 0, Bit::Net(gate.output)),
            CellKind::Flop(flop) => visit("Q", 0, Bit::Net(flop.q)),
            CellKind::Memory(memory) => {
                let data = memory.reads.iter().flat_map(|port| &port.data);
                data.enumerate()
                    .for_each(|(at, &net)| visit("RD_DATA", at, Bit::Net(net)));
            }
            CellKind::Instance(instance) => {
                for connection in &instance.connections {
                    if connection.direction == PortDirection::Output {
                        for (index, &bit) in connection.bits.iter().enumerate() {
                            visit(&connection.port, index, bit);
                        }
                    }
                }
            }
        }
    }

    /// Replaces what every input is connected to.
    pub fn map_inputs(&mut self, mut map: impl FnMut(Bit) -> Bit) {
        match self {
            CellKind::Gate(gate) => gate.inputs.iter_mut().for_each(|bit| *bit = map(*bit)),
            CellKind::Flop(flop) => {
                flop.clock = map(flop.clock);
                flop.data = map(flop.data);
                if let Some(enable) = &mut flop.enable {
                    enable.bit = map(enable.bit);
                }
                if let Some(reset) = &mut flop.reset {
                    reset.control.bit = map(reset.control.bit);
                }
                match &mut flop.asynchronous {
                    Asynchronous::None => {}
                    Asynchronous::Reset { control, .. } => control.bit = map(control.bit),
                    Asynchronous::SetReset { set, reset } => {
                        set.bit = map(set.bit);
                        reset.bit = map(reset.bit);
                    }
                    Asynchronous::Load { control, data } => {
                        control.bit = map(control.bit);
                        *data = map(*data);
                    }
                }
            }
            CellKind::Memory(memory) => {
                let addresses = memory.reads.iter_mut().flat_map(|port| &mut port.address);
                addresses.for_each(|bit| *bit = map(*bit));
                for port in &mut memory.writes {
                    port.clock = map(port.clock);
                    let bits = port.address.iter_mut().chain(&mut port.data);
                    bits.chain(&mut port.enable)
                        .for_each(|bit| *bit = map(*bit));
                }
            }
            CellKind::Instance(instance) => {
                for connection in &mut instance.connections {
                    if connection.direction == PortDirection::Input {
                        connection.bits.iter_mut().for_each(|bit| *bit = map(*bit));
                    }
                }
            }
        }
    }

    /// Replaces the nets that the outputs drive.
    pub fn map_outputs(&mut self, mut map: impl FnMut(NetId) -> NetId) {
        match self {
            CellKind::Gate(gate) => gate.output = map(gate.output),
            CellKind::Flop(flop) => flop.q = map(flop.q),
            CellKind::Memory(memory) => {
                let data = memory.reads.iter_mut().flat_map(|port| &mut port.data);
                data.for_each(|net| *net = map(*net));
            }
            CellKind::Instance(instance) => {
                for connection in &mut instance.connections {
                    if connection.direction == PortDirection::Output {
                        for bit in &mut connection.bits {
                            if let Bit::Net(net) = bit {
                                *net = map(*net);
                            }
                        }
                    }
                }
            }
        }
    }
}
