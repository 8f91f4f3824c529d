//! Reads a memory, `$mem_v2`.
//!
//! A read port without a clock is one of [`Memory`]. One with a clock has a register. Where it shows what all
//! write ports write at the same edge (it is transparent), and has neither enable nor reset nor initial value,
//! the register is at the address. Other ports read the word as it was before the edge, with what write ports
//! write put in where the port is transparent, and a flip-flop for each bit takes that. Where Yosys leaves
//! open what such a port shows (a collision), it is the old word.

use smallvec::SmallVec;
use smol_str::format_smolstr;

use super::file::{Bits, CellBody};
use super::json::{Entries, Plain};
use super::module::Reader;
use crate::findings::NetlistPlace;
use crate::function::Function;
use crate::model::{
    Asynchronous, Bit, CellKind, Control, Edge, Flop, Memory, NetId, ReadPort, SyncReset, WritePort,
};

/// The bits of a parameter, the lowest first.
struct Digits(Vec<Option<bool>>);

impl Digits {
    fn is_set(&self, at: usize) -> bool {
        self.get(at) == Some(true)
    }

    fn get(&self, at: usize) -> Option<bool> {
        self.0.get(at).copied().flatten()
    }
}

/// The parameters of a memory.
struct Parameters<'a, 'v>(&'a Entries<'v, Plain<'v>>);

impl Parameters<'_, '_> {
    fn digits(&self, name: &str) -> Digits {
        let digit = |digit| match digit {
            b'0' => Some(false),
            b'1' => Some(true),
            _ => None,
        };
        match self.0.get(name) {
            Some(Plain::Text(text)) => Digits(text.bytes().rev().map(digit).collect()),
            Some(Plain::Number(number)) => {
                let value = number.as_u64().unwrap_or(0);
                Digits((0..64).map(|bit| Some(value >> bit & 1 == 1)).collect())
            }
            _ => Digits(Vec::new()),
        }
    }

    /// A number that is not negative; `None` when there is none, or another one.
    fn number(&self, name: &str) -> Option<usize> {
        let digits = self.digits(name).0;
        if digits.is_empty() || digits.len() == 32 && digits[31] == Some(true) {
            return None;
        }
        digits.iter().rev().try_fold(0_usize, |value, digit| {
            value.checked_mul(2)?.checked_add(usize::from((*digit)?))
        })
    }
}

/// The pins of all ports of a memory.
struct Pins {
    address: Vec<Bit>,
    data: Vec<Bit>,
    clock: Vec<Bit>,
    enable: Vec<Bit>,
}

impl Reader<'_, '_> {
    /// Reads a memory and adds it to the module, with the registers of its read ports.
    pub(super) fn memory(
        &mut self,
        name: &str,
        body: &CellBody<'_>,
        connections: &Entries<'_, Bits<'_>>,
        place: NetlistPlace<'_>,
    ) {
        let parameters = Parameters(&body.parameters);
        let mut numbers = [0; 6];
        let names = ["WIDTH", "SIZE", "OFFSET", "ABITS", "RD_PORTS", "WR_PORTS"];
        for (name, number) in names.into_iter().zip(&mut numbers) {
            let Some(found) = parameters.number(name) else {
                let message = format!("the parameter {name} is no number from 0 on");
                let help = "number the words of a memory from 0 on, and write the netlist again";
                self.findings.add(place, message, help);
                return;
            };
            *number = found;
        }
        let [width, words, first, address_bits, reads, writes] = numbers;
        let mut pins = |names: [&str; 4], ports: usize, enables: usize| {
            let widths = [address_bits, width, 1, enables];
            let mut found = Vec::new();
            for (pin, width) in names.into_iter().zip(widths) {
                let place = place.port(pin);
                let bits = self.bits(connections.get(pin), place)?;
                let expected = width.saturating_mul(ports);
                if bits.len() != expected {
                    let message = format!("{} bits are connected, expected {expected}", bits.len());
                    self.findings.add(place, message, "");
                    return None;
                }
                found.push(bits);
            }
            let [address, data, clock, enable] = found.try_into().ok()?;
            Some(Pins {
                address,
                data,
                clock,
                enable,
            })
        };
        let of_reads = pins(["RD_ADDR", "RD_DATA", "RD_CLK", "RD_EN"], reads, 1);
        let of_writes = pins(["WR_ADDR", "WR_DATA", "WR_CLK", "WR_EN"], writes, width);
        let (Some(of_reads), Some(of_writes)) = (of_reads, of_writes) else {
            return;
        };
        let part = |bits: &[Bit], port: usize, width: usize| bits[port * width..][..width].to_vec();
        let rising = |digits: &Digits, port: usize| match digits.is_set(port) {
            true => Edge::Rising,
            false => Edge::Falling,
        };
        let (clocked, polarity) = (
            parameters.digits("WR_CLK_ENABLE"),
            parameters.digits("WR_CLK_POLARITY"),
        );
        let mut memory = Memory {
            width,
            words,
            first: first as u64,
            init: parameters.digits("INIT").0,
            beyond: false,
            reads: Vec::new(),
            writes: Vec::new(),
        };
        // One digit stands for all of them.
        if memory.init.iter().all(Option::is_none) {
            memory.init.clear();
        }
        for port in 0..writes {
            if !clocked.is_set(port) {
                self.findings.add(
                    place.port("WR_CLK"),
                    format!("write port {port} has no clock"),
                    "write a memory at the edge of a clock",
                );
            }
            memory.writes.push(WritePort {
                clock: of_writes.clock[port],
                edge: rising(&polarity, port),
                address: part(&of_writes.address, port, address_bits),
                data: part(&of_writes.data, port, width),
                enable: part(&of_writes.enable, port, width),
            });
        }
        let clocked = parameters.digits("RD_CLK_ENABLE");
        for port in 0..reads {
            let mut outputs = Vec::new();
            for &bit in &of_reads.data[port * width..][..width] {
                let Bit::Net(net) = bit else {
                    let help = "remove the constant assignment to the net it drives";
                    self.findings.add(
                        place.port("RD_DATA"),
                        "an output is shorted to a constant",
                        help,
                    );
                    return;
                };
                outputs.push(net);
            }
            let mut address = part(&of_reads.address, port, address_bits);
            let data = match clocked.is_set(port) {
                false => outputs,
                true => {
                    let read = RegisteredRead {
                        name: format!("{name}.read{port}"),
                        port,
                        address: &address,
                        outputs: &outputs,
                        clock: of_reads.clock[port],
                        enable: of_reads.enable[port],
                    };
                    let controls = ["RD_ARST", "RD_SRST"].map(|pin| {
                        let bits = self.bits(connections.get(pin), place.port(pin));
                        bits.and_then(|bits| bits.get(port).copied())
                            .unwrap_or(Bit::Zero)
                    });
                    match keeps_address(&read, controls, &parameters, &memory) {
                        true => {
                            address = self.registered_address(&read, &parameters, &body.src);
                            outputs
                        }
                        false => {
                            self.registered_read(&read, controls, &parameters, &memory, &body.src)
                        }
                    }
                }
            };
            memory.reads.push(ReadPort { address, data });
        }
        self.add(name, &body.src, CellKind::Memory(Box::new(memory)));
    }

    /// Adds flip-flops that take the address of a read port, which is then what they hold.
    fn registered_address(
        &mut self,
        read: &RegisteredRead<'_>,
        parameters: &Parameters<'_, '_>,
        src: &str,
    ) -> Vec<Bit> {
        let edge = read.edge(parameters);
        let bits = read.address.iter().enumerate();
        let held = bits.map(|(bit, &data)| {
            let name = format_smolstr!("{}.address[{bit}]", read.name);
            let q = self.fresh(name.clone());
            let flop = Flop {
                edge,
                ..Flop::plain(read.clock, data, q)
            };
            self.add(&name, src, CellKind::Flop(Box::new(flop)));
            Bit::Net(q)
        });
        held.collect()
    }

    /// Adds the flip-flops of a read port, and gives the nets of the word that it reads.
    fn registered_read(
        &mut self,
        read: &RegisteredRead<'_>,
        [asynchronous, synchronous]: [Bit; 2],
        parameters: &Parameters<'_, '_>,
        memory: &Memory,
        src: &str,
    ) -> Vec<NetId> {
        let (name, port, width) = (&read.name, read.port, memory.width);
        let digits = |name: &str| parameters.digits(name);
        let transparent = digits("RD_TRANSPARENCY_MASK");
        let reset_values = [
            digits("RD_ARST_VALUE"),
            digits("RD_SRST_VALUE"),
            digits("RD_INIT_VALUE"),
        ];
        let gated = digits("RD_CE_OVER_SRST").is_set(port);
        let edge = read.edge(parameters);
        let mut gates = 0;
        let mut gate = |reader: &mut Self, function, inputs: &[Bit]| {
            gates += 1;
            let name = format_smolstr!("{name}$gate{gates}");
            let output = reader.fresh(name.clone());
            reader.gate(&name, src, function, SmallVec::from_slice(inputs), output);
            Bit::Net(output)
        };
        // For each write port that shows through, 1 when it has the same address.
        let mut shows_through = Vec::new();
        for (number, write) in memory.writes.iter().enumerate() {
            if transparent.is_set(port * memory.writes.len() + number) {
                let mut same = Bit::One;
                for (&one, &other) in read.address.iter().zip(&write.address) {
                    let equal = gate(self, Function::Xnor, &[one, other]);
                    same = gate(self, Function::And, &[same, equal]);
                }
                shows_through.push((write, same));
            }
        }
        let mut words = Vec::new();
        for (bit, &q) in read.outputs.iter().enumerate() {
            let word = self.fresh(format_smolstr!("{name}.word[{bit}]"));
            words.push(word);
            let mut data = Bit::Net(word);
            for &(write, same) in &shows_through {
                let acts = gate(self, Function::And, &[same, write.enable[bit]]);
                data = gate(self, Function::Mux, &[data, write.data[bit], acts]);
            }
            let at = port * width + bit;
            let value = |kind: usize| reset_values[kind].get(at);
            let control = |bit| Control {
                bit,
                active_high: true,
            };
            let enables = read.enable.constant() != Some(true);
            let resets = synchronous.constant() != Some(false);
            let flop = Flop {
                clock: read.clock,
                edge,
                data,
                q,
                enable: enables.then(|| control(read.enable)),
                reset: resets.then(|| SyncReset {
                    control: control(synchronous),
                    value: value(1).unwrap_or(false),
                    gated,
                }),
                asynchronous: match asynchronous.constant() {
                    Some(false) => Asynchronous::None,
                    _ => Asynchronous::Reset {
                        control: control(asynchronous),
                        value: value(0).unwrap_or(false),
                    },
                },
                init: None,
            };
            self.initial.extend(value(2).map(|value| (q, value)));
            self.add(
                &format!("{name}[{bit}]"),
                src,
                CellKind::Flop(Box::new(flop)),
            );
        }
        words
    }
}

/// True when the register of a read port is as good at its address.
fn keeps_address(
    read: &RegisteredRead<'_>,
    controls: [Bit; 2],
    parameters: &Parameters<'_, '_>,
    memory: &Memory,
) -> bool {
    let transparent = parameters.digits("RD_TRANSPARENCY_MASK");
    let mut writes = 0..memory.writes.len();
    let initial = parameters.digits("RD_INIT_VALUE");
    let mut bits = (0..memory.width).map(|bit| initial.get(read.port * memory.width + bit));
    writes.all(|write| transparent.is_set(read.port * memory.writes.len() + write))
        && read.enable.constant() == Some(true)
        && controls.iter().all(|bit| bit.constant() == Some(false))
        && bits.all(|bit| bit.is_none())
}

impl RegisteredRead<'_> {
    /// The edge of its clock.
    fn edge(&self, parameters: &Parameters<'_, '_>) -> Edge {
        match parameters.digits("RD_CLK_POLARITY").is_set(self.port) {
            true => Edge::Rising,
            false => Edge::Falling,
        }
    }
}

/// A read port with a register.
struct RegisteredRead<'a> {
    /// The beginning of the names of its cells.
    name: String,
    port: usize,
    address: &'a [Bit],
    outputs: &'a [NetId],
    clock: Bit,
    enable: Bit,
}
