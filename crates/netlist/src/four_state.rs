//! Turns a module into one of two rails, which computes with 0, 1 and X.
//!
//! Every net becomes two: the rail *one* is 1 when the net can be 1, the rail *zero*
//! when it can be 0. So 0 is (0, 1), 1 is (1, 0) and X is (1, 1); (0, 0) does not
//! occur. A net `n` keeps its name on the rail one; the rail zero is `n$zero`, for
//! ports `n` and `n$zero`, which follow each other.
//!
//! The values are those of IEEE 1364 for the models of the cells in `simcells.v`:
//!
//! ```text
//! a & b      one = a1 & b1               zero = a0 | b0
//! a ^ b      one = a1 & b0 | a0 & b1     zero = a1 & b1 | a0 & b0
//! s ? b : a  one = s1 & b1 | s0 & a1     zero = s1 & b0 | s0 & a0
//! ```
//!
//! An inverter exchanges the rails and costs nothing. An X select gives what both
//! inputs have in common, else X. Controls of flip-flops are conditions of `if`: one
//! that is X does not act. A control that acts at 1 does so when its rail zero is 0,
//! so a flip-flop becomes two of its own kind whose controls act at 0. A flip-flop
//! without an initial value starts at X. A constant X is X.
//!
//! A memory has words of both rails. At an address with an X it shows X and is not written, as with one
//! of no word, and an enable that is X writes nothing.
//!
//! Cost: AND and OR become two gates, XOR and MUX two sums of two products, of three
//! gates each, and a flip-flop two.

use smol_str::SmolStr;

use super::function::Function;
use super::model::{
    Asynchronous, Bit, Cell, CellKind, Connection, Control, Flop, Gate, Instance, Memory, Module,
    Net, NetId, Port, ReadPort, SyncReset, WritePort,
};

/// Suffix to the name of a port or net for its rail zero.
pub const ZERO_RAIL: &str = "$zero";

/// The rails that encode a bit: rail one, rail zero.
type Rails = (Bit, Bit);

/// The module on two rails. Its clock is the rail one of the clock.
///
/// ```
/// use crosswave_netlist::{four_state, text};
/// let design = text::parse(
///     "module m\n input a\n input b\n output y\n gate g AND a b -> y\nend\n", "example")?;
/// let rails = four_state(&design.modules[0]);
/// assert_eq!(rails.ports[1].name, "a$zero");
/// assert_eq!(rails.gates().count(), 2);
/// # Ok::<(), crosswave_base::diagnostic::Error>(())
/// ```
pub fn four_state(module: &Module) -> Module {
    let mut rails = Module {
        name: module.name.clone(),
        src: module.src.clone(),
        ports: Vec::with_capacity(2 * module.ports.len()),
        nets: Vec::with_capacity(2 * module.nets.len()),
        cells: Vec::with_capacity(2 * module.cells.len()),
        beside: Vec::new(),
    };
    for net in &module.nets {
        for end in ["", ZERO_RAIL] {
            rails.nets.push(Net {
                name: format!("{}{end}", net.name).into(),
                src: net.src.clone(),
            });
        }
    }
    for port in &module.ports {
        for (end, pick) in RAILS {
            rails.ports.push(Port {
                name: format!("{}{end}", port.name),
                direction: port.direction,
                bits: port.bits.iter().map(|&bit| pick(of(bit))).collect(),
                range: port.range,
                signed: port.signed,
            });
        }
    }
    for cell in &module.cells {
        match &cell.kind {
            CellKind::Gate(gate) => add_gate(&mut rails, cell, gate),
            CellKind::Flop(flop) => add_flop(&mut rails, cell, flop),
            CellKind::Memory(memory) => add_memory(&mut rails, cell, memory),
            CellKind::Instance(instance) => {
                let mut connections = Vec::with_capacity(2 * instance.connections.len());
                for connection in &instance.connections {
                    for (end, pick) in RAILS {
                        connections.push(Connection {
                            port: format!("{}{end}", connection.port),
                            direction: connection.direction,
                            bits: connection.bits.iter().map(|&bit| pick(of(bit))).collect(),
                        });
                    }
                }
                rails.cells.push(Cell {
                    name: cell.name.clone(),
                    src: cell.src.clone(),
                    kind: CellKind::Instance(Instance {
                        module: instance.module.clone(),
                        connections,
                    }),
                });
            }
        }
    }
    rails
}

/// Takes one of two rails.
type Pick = fn(Rails) -> Bit;

/// Name and choice of each rail.
const RAILS: [(&str, Pick); 2] = [("", |rails| rails.0), (ZERO_RAIL, |rails| rails.1)];

/// The rails of a net.
fn nets(net: NetId) -> (NetId, NetId) {
    (NetId(2 * net.0), NetId(2 * net.0 + 1))
}

/// The rails of a bit.
fn of(bit: Bit) -> Rails {
    match bit {
        Bit::Zero => (Bit::Zero, Bit::One),
        Bit::One => (Bit::One, Bit::Zero),
        Bit::X => (Bit::One, Bit::One),
        Bit::Net(net) => (Bit::Net(nets(net).0), Bit::Net(nets(net).1)),
    }
}

fn not((one, zero): Rails) -> Rails {
    (zero, one)
}

fn add_gate(rails: &mut Module, cell: &Cell, gate: &Gate) {
    let input: Vec<Rails> = gate.inputs.iter().map(|&bit| of(bit)).collect();
    let output = nets(gate.output);
    let inverted = (output.1, output.0);
    let mut maker = RailMaker { rails, cell };
    match (gate.function, input.as_slice()) {
        (Function::Buf, &[a]) => maker.copy(a, output),
        (Function::Not, &[a]) => maker.copy(a, inverted),
        (Function::And, &[a, b]) => maker.and(a, b, output),
        (Function::Nand, &[a, b]) => maker.and(a, b, inverted),
        (Function::Or, &[a, b]) => maker.and(not(a), not(b), inverted),
        (Function::Nor, &[a, b]) => maker.and(not(a), not(b), output),
        (Function::AndNot, &[a, b]) => maker.and(a, not(b), output),
        (Function::OrNot, &[a, b]) => maker.and(not(a), b, inverted),
        (Function::Xor, &[a, b]) => maker.choose(b, a, not(a), output),
        (Function::Xnor, &[a, b]) => maker.choose(b, a, not(a), inverted),
        (Function::Mux, &[a, b, s]) => maker.choose(s, a, b, output),
        (Function::Nmux, &[a, b, s]) => maker.choose(s, a, b, inverted),
        (Function::Aoi3, &[a, b, c]) => maker.and_or(a, b, c, None, inverted),
        (Function::Aoi4, &[a, b, c, d]) => maker.and_or(a, b, c, Some(d), inverted),
        (Function::Oai3, &[a, b, c]) => maker.and_or(not(a), not(b), not(c), None, output),
        (Function::Oai4, &[a, b, c, d]) => {
            maker.and_or(not(a), not(b), not(c), Some(not(d)), output);
        }
        (function, inputs) => unreachable!("{} of {} inputs", function.name(), inputs.len()),
    }
}

struct RailMaker<'a> {
    rails: &'a mut Module,
    cell: &'a Cell,
}

impl RailMaker<'_> {
    fn gate(&mut self, end: &str, function: Function, inputs: &[Bit], output: NetId) {
        self.rails.cells.push(Cell {
            name: format!("{}{end}", self.cell.name).into(),
            src: self.cell.src.clone(),
            kind: CellKind::Gate(Gate {
                function,
                inputs: inputs.into(),
                output,
            }),
        });
    }

    /// A net of the module for a value within a cell.
    fn net(&mut self, end: &str) -> NetId {
        let net = NetId(self.rails.nets.len() as u32);
        self.rails.nets.push(Net {
            name: format!("${}{end}", self.cell.name).into(),
            src: SmolStr::default(),
        });
        net
    }

    fn copy(&mut self, a: Rails, output: (NetId, NetId)) {
        self.gate("", Function::Buf, &[a.0], output.0);
        self.gate(ZERO_RAIL, Function::Buf, &[a.1], output.1);
    }

    fn and(&mut self, a: Rails, b: Rails, output: (NetId, NetId)) {
        self.gate("", Function::And, &[a.0, b.0], output.0);
        self.gate(ZERO_RAIL, Function::Or, &[a.1, b.1], output.1);
    }

    /// `a & b | c & d` as three NAND, or `(a | b) & (c | d)` as three NOR; `d` may be
    /// absent. Engines join the three again.
    fn pairs(&mut self, end: &str, function: Function, inputs: &[Bit], output: NetId) {
        let first = self.net(&format!("{end}$first"));
        self.gate(&format!("{end}$first"), function, &inputs[..2], first);
        let first = Bit::Net(first);
        if let [c] = inputs[2..] {
            let last = match function {
                Function::Nand => Function::OrNot,
                _ => Function::AndNot,
            };
            return self.gate(end, last, &[c, first], output);
        }
        let second = self.net(&format!("{end}$second"));
        self.gate(&format!("{end}$second"), function, &inputs[2..], second);
        self.gate(end, function, &[first, Bit::Net(second)], output);
    }

    /// `s ? b : a`
    fn choose(&mut self, s: Rails, a: Rails, b: Rails, output: (NetId, NetId)) {
        let (one, zero) = output;
        self.pairs("", Function::Nand, &[s.0, b.0, s.1, a.0], one);
        self.pairs(ZERO_RAIL, Function::Nand, &[s.0, b.1, s.1, a.1], zero);
    }

    /// `a & b | c & d`, where `d` may be absent
    fn and_or(&mut self, a: Rails, b: Rails, c: Rails, d: Option<Rails>, output: (NetId, NetId)) {
        let mut one = vec![a.0, b.0, c.0];
        let mut zero = vec![a.1, b.1, c.1];
        if let Some(d) = d {
            one.push(d.0);
            zero.push(d.1);
        }
        self.pairs("", Function::Nand, &one, output.0);
        self.pairs(ZERO_RAIL, Function::Nor, &zero, output.1);
    }
}

fn add_flop(rails: &mut Module, cell: &Cell, flop: &Flop) {
    // A control acts when it cannot be the value at which it does not.
    let control = |control: Control| {
        let (one, zero) = of(control.bit);
        Control {
            bit: if control.active_high { zero } else { one },
            active_high: false,
        }
    };
    let (one, zero) = nets(flop.q);
    for (at, q) in [one, zero].into_iter().enumerate() {
        let (end, pick) = RAILS[at];
        // Reset goes before set on both rails, so with both of them the complement
        // of the rail zero is stored.
        let complement = at == 1 && matches!(flop.asynchronous, Asynchronous::SetReset { .. });
        let value = |value: bool| value == (at == 0 || complement);
        let mut maker = RailMaker { rails, cell };
        let (data, q) = if complement {
            let (data, stored) = (maker.net("$next"), maker.net("$complement"));
            maker.gate("$next", Function::Not, &[pick(of(flop.data))], data);
            maker.gate("$complement", Function::Not, &[Bit::Net(stored)], q);
            (Bit::Net(data), stored)
        } else {
            (pick(of(flop.data)), q)
        };
        let asynchronous = match flop.asynchronous {
            Asynchronous::None => Asynchronous::None,
            Asynchronous::Reset {
                control: c,
                value: v,
            } => Asynchronous::Reset {
                control: control(c),
                value: value(v),
            },
            Asynchronous::Load { control: c, data } => Asynchronous::Load {
                control: control(c),
                data: pick(of(data)),
            },
            Asynchronous::SetReset { set, reset } => Asynchronous::SetReset {
                set: control(set),
                reset: control(reset),
            },
        };
        let rail = Flop {
            clock: of(flop.clock).0,
            edge: flop.edge,
            data,
            q,
            enable: flop.enable.map(control),
            reset: flop.reset.map(|reset| SyncReset {
                control: control(reset.control),
                value: value(reset.value),
                gated: reset.gated,
            }),
            asynchronous,
            init: Some(flop.init.map_or(!complement, value)),
        };
        rails.cells.push(Cell {
            name: format!("{}{end}", cell.name).into(),
            src: cell.src.clone(),
            kind: CellKind::Flop(Box::new(rail)),
        });
    }
}

/// A memory of both rails: each word is that of the rail one, then that of the rail zero.
fn add_memory(rails: &mut Module, cell: &Cell, memory: &Memory) {
    let mut gates = 0;
    let mut gate = |rails: &mut Module, function, inputs: &[Bit]| {
        gates += 1;
        rails.add_gate(&format!("${}$x{gates}", cell.name), function, inputs)
    };
    // 1 when a bit of an address is X.
    let mut unknown = |rails: &mut Module, address: &[Bit]| {
        let mut any = Bit::Zero;
        for &bit in address {
            let (one, zero) = of(bit);
            let both = gate(rails, Function::And, &[one, zero]);
            any = gate(rails, Function::Or, &[any, both]);
        }
        any
    };
    let one = |bits: &[Bit]| bits.iter().map(|&bit| of(bit).0).collect::<Vec<Bit>>();
    let both = |bits: &[Bit]| {
        let ones = bits.iter().map(|&bit| of(bit).0);
        let zeros = bits.iter().map(|&bit| of(bit).1);
        ones.chain(zeros).collect::<Vec<Bit>>()
    };
    let mut reads = Vec::new();
    for (port, read) in memory.reads.iter().enumerate() {
        let hidden = unknown(rails, &read.address);
        let ones = read.data.iter().map(|&net| nets(net).0);
        let driven = ones.chain(read.data.iter().map(|&net| nets(net).1));
        let mut data = Vec::new();
        for (bit, output) in driven.enumerate() {
            let name = format!("${}$read{port}_{bit}", cell.name);
            let shown = rails.add_net(&name);
            rails.drive(&name, Function::Or, &[Bit::Net(shown), hidden], output);
            data.push(shown);
        }
        reads.push(ReadPort {
            address: one(&read.address),
            data,
        });
    }
    let mut writes = Vec::new();
    for (port, write) in memory.writes.iter().enumerate() {
        let hidden = unknown(rails, &write.address);
        let mut enable: Vec<Bit> = Vec::new();
        for (bit, &enables) in write.enable.iter().enumerate() {
            let before = bit
                .checked_sub(1)
                .filter(|&before| write.enable[before] == enables);
            let acts = before.map(|before| enable[before]);
            enable.push(acts.unwrap_or_else(|| {
                let name = format!("${}$write{port}_{bit}", cell.name);
                rails.add_gate(&name, Function::Nor, &[of(enables).1, hidden])
            }));
        }
        writes.push(WritePort {
            clock: of(write.clock).0,
            edge: write.edge,
            address: one(&write.address),
            data: both(&write.data),
            enable: [enable.as_slice(), &enable].concat(),
        });
    }
    let words = (0..memory.words).flat_map(|word| {
        let rail = move |value: bool| {
            let bits = (0..memory.width).map(move |bit| memory.initial(word, bit));
            bits.map(move |bit| Some(bit.is_none_or(|bit| bit == value)))
        };
        rail(true).chain(rail(false))
    });
    let kind = CellKind::Memory(Box::new(Memory {
        width: 2 * memory.width,
        words: memory.words,
        first: memory.first,
        init: words.collect(),
        beyond: true,
        reads,
        writes,
    }));
    rails.cells.push(Cell {
        name: cell.name.clone(),
        src: cell.src.clone(),
        kind,
    });
}
