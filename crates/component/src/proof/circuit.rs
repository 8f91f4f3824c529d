//! A module as an and-inverter graph with one output, in the binary AIGER format of provers.
//!
//! Cycle 0 is that of the reset; after it the reset is 0. Pins have any values, which they keep. Registers
//! begin as the netlist says, else at 0, as in a simulation. The output is 1 in a cycle in which a rule is
//! broken, and in which no assumption is or was.
//!
//! Source: Biere, "The AIGER And-Inverter Graph (AIG) Format", 2007.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use crosswave_base::diagnostic::Error;
use crosswave_netlist::{Bit, CellKind, Flop, Function, Module, NetId, Port, levelise};

/// A literal: twice the number of a variable, and 1 for its opposite. Variable 0 is false.
type Literal = u32;

const FALSE: Literal = 0;
const TRUE: Literal = 1;

/// The use of an input of a module in a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputUse {
    /// The clock is in no circuit.
    Clock,
    /// 1 in cycle 0, then 0.
    Reset,
    /// Any value in each cycle.
    Free,
    /// Any value, which it keeps.
    Kept,
    /// A value.
    Fixed(u64),
}

/// A module as a graph.
#[derive(Debug)]
pub struct Circuit {
    /// Inputs: the number of a port of the module, and of its bit.
    pub inputs: Vec<(usize, usize)>,
    /// Next values of registers, and the variables of these.
    latches: Vec<(Literal, Literal)>,
    /// The inputs of each gate, the greater one first, by its variable.
    gates: BTreeMap<Literal, [Literal; 2]>,
    known: BTreeMap<[Literal; 2], Literal>,
    /// The literal of each net.
    nets: Vec<Literal>,
    variables: u32,
}

impl Circuit {
    /// The graph of a module, with a use for each of its ports. Bits of inputs in `zeros` are 0.
    ///
    /// # Errors
    /// When it has a loop of gates.
    pub fn new(
        module: &Module,
        uses: &[InputUse],
        zeros: &BTreeSet<(usize, usize)>,
    ) -> Result<Circuit, Error> {
        let levels = levelise(module).map_err(|loops| Error {
            class: crosswave_base::diagnostic::Class::Input,
            origin: module.name.clone(),
            source: None,
            diagnostics: loops.iter().map(|found| found.diagnostic(module)).collect(),
        })?;
        let mut circuit = Circuit {
            inputs: Vec::new(),
            latches: Vec::new(),
            gates: BTreeMap::new(),
            known: BTreeMap::new(),
            nets: vec![FALSE; module.nets.len()],
            variables: 0,
        };
        let flops: Vec<&Flop> = module.flops().map(|(_, flop)| flop).collect();
        let free = |used: InputUse| matches!(used, InputUse::Free | InputUse::Kept);
        // AIGER numbers inputs first, then registers, then gates.
        for (at, (port, used)) in module.ports.iter().zip(uses).enumerate() {
            for bit in 0..port.bits.len() {
                if free(*used) {
                    circuit.inputs.push((at, bit));
                    circuit.variable();
                }
            }
        }
        let started = circuit.latch();
        circuit.latches[0].0 = TRUE;
        let kept: Vec<Literal> = circuit
            .inputs
            .clone()
            .iter()
            .map(|&(port, _)| match uses[port] {
                InputUse::Kept => circuit.latch(),
                _ => FALSE,
            })
            .collect();
        for flop in &flops {
            let inverted = Literal::from(flop.init == Some(true));
            circuit.nets[flop.q.index()] = circuit.latch() ^ inverted;
        }
        let mut input = 0;
        for (number, (port, used)) in module.ports.iter().zip(uses).enumerate() {
            for (at, bit) in port.bits.iter().enumerate() {
                let value = match used {
                    InputUse::Clock => continue,
                    InputUse::Reset => started ^ 1,
                    InputUse::Fixed(value) => Literal::from(at < 64 && value >> at & 1 != 0),
                    InputUse::Free | InputUse::Kept => {
                        if zeros.contains(&(number, at)) {
                            input += 1;
                            continue;
                        }
                        let literal = (input as Literal + 1) * 2;
                        input += 1;
                        match used {
                            InputUse::Kept => {
                                let latch = kept[input - 1];
                                let value = circuit.mux(started, literal, latch);
                                let place =
                                    circuit.latches.iter().position(|found| found.1 == latch);
                                circuit.latches[place.expect("it was made")].0 = value;
                                value
                            }
                            _ => literal,
                        }
                    }
                };
                if let (Bit::Net(net), true) = (bit, is_input(port)) {
                    circuit.nets[net.index()] = value;
                }
            }
        }
        for cell in levels.order {
            if let CellKind::Gate(gate) = &module.cells[cell].kind {
                let value = circuit.of_gate(gate);
                circuit.nets[gate.output.index()] = value;
            }
        }
        let first = circuit.latches.len() - flops.len();
        for (at, flop) in flops.iter().enumerate() {
            let inverted = Literal::from(flop.init == Some(true));
            circuit.latches[first + at].0 = circuit.next(flop) ^ inverted;
        }
        Ok(circuit)
    }

    /// The value of a flip-flop after the edge.
    fn next(&mut self, flop: &Flop) -> Literal {
        let held = self.nets[flop.q.index()];
        let data = self.bit(flop.data);
        let enabled = |circuit: &mut Circuit, value: Literal| match flop.enable {
            None => value,
            Some(control) => {
                let acts = circuit.bit(control.bit) ^ Literal::from(!control.active_high);
                circuit.mux(acts, held, value)
            }
        };
        let Some(reset) = flop.reset else {
            return enabled(self, data);
        };
        let acts = self.bit(reset.control.bit) ^ Literal::from(!reset.control.active_high);
        let value = Literal::from(reset.value);
        match reset.gated {
            true => {
                let inner = self.mux(acts, data, value);
                enabled(self, inner)
            }
            false => {
                let inner = enabled(self, data);
                self.mux(acts, inner, value)
            }
        }
    }

    fn variable(&mut self) -> Literal {
        self.variables += 1;
        self.variables * 2
    }

    /// A register that begins at 0.
    fn latch(&mut self) -> Literal {
        let literal = self.variable();
        self.latches.push((FALSE, literal));
        literal
    }

    fn bit(&self, bit: Bit) -> Literal {
        match bit {
            Bit::Net(NetId(net)) => self.nets[net as usize],
            Bit::One => TRUE,
            Bit::Zero | Bit::X => FALSE,
        }
    }

    fn and(&mut self, one: Literal, other: Literal) -> Literal {
        let inputs = [one.max(other), one.min(other)];
        match inputs {
            [_, FALSE] => FALSE,
            [value, TRUE] => value,
            [greater, less] if greater == less => greater,
            [greater, less] if greater == less ^ 1 => FALSE,
            _ => {
                if let Some(known) = self.known.get(&inputs) {
                    return *known;
                }
                let output = self.variable();
                self.gates.insert(output, inputs);
                self.known.insert(inputs, output);
                output
            }
        }
    }

    fn or(&mut self, one: Literal, other: Literal) -> Literal {
        self.and(one ^ 1, other ^ 1) ^ 1
    }

    /// `choice ? second : first`.
    fn mux(&mut self, choice: Literal, first: Literal, second: Literal) -> Literal {
        let (one, other) = (self.and(choice, second), self.and(choice ^ 1, first));
        self.or(one, other)
    }

    fn of_gate(&mut self, gate: &crosswave_netlist::Gate) -> Literal {
        let inputs: Vec<Literal> = gate.inputs.iter().map(|&bit| self.bit(bit)).collect();
        let at = |place: usize| inputs[place];
        match gate.function {
            Function::Buf => at(0),
            Function::Not => at(0) ^ 1,
            Function::And => self.and(at(0), at(1)),
            Function::Nand => self.and(at(0), at(1)) ^ 1,
            Function::Or => self.or(at(0), at(1)),
            Function::Nor => self.or(at(0), at(1)) ^ 1,
            Function::Xor => self.mux(at(0), at(1), at(1) ^ 1),
            Function::Xnor => self.mux(at(0), at(1) ^ 1, at(1)),
            Function::AndNot => self.and(at(0), at(1) ^ 1),
            Function::OrNot => self.or(at(0), at(1) ^ 1),
            Function::Mux => self.mux(at(2), at(0), at(1)),
            Function::Nmux => self.mux(at(2), at(0), at(1)) ^ 1,
            Function::Aoi3 => {
                let both = self.and(at(0), at(1));
                self.or(both, at(2)) ^ 1
            }
            Function::Oai3 => {
                let any = self.or(at(0), at(1));
                self.and(any, at(2)) ^ 1
            }
            Function::Aoi4 => {
                let (one, other) = (self.and(at(0), at(1)), self.and(at(2), at(3)));
                self.or(one, other) ^ 1
            }
            Function::Oai4 => {
                let (one, other) = (self.or(at(0), at(1)), self.or(at(2), at(3)));
                self.and(one, other) ^ 1
            }
        }
    }

    /// The file of the circuit whose output is 1 when `wanted` is, and none of `assumed` is or was. All are
    /// bits of ports of the module.
    pub fn aiger(&mut self, wanted: Bit, assumed: &[Bit]) -> Vec<u8> {
        let wanted = self.bit(wanted);
        let mut broken = FALSE;
        for &bit in assumed {
            let bit = self.bit(bit);
            broken = self.or(broken, bit);
        }
        // The register of broken assumptions is the last one; its variable moves the gates by one.
        let mut writer = AigerWriter::new(self);
        writer.run(wanted, broken)
    }
}

fn is_input(port: &Port) -> bool {
    port.direction == crosswave_netlist::PortDirection::Input
}

/// The part of a circuit that an output depends on, numbered anew.
struct AigerWriter<'a> {
    circuit: &'a Circuit,
    /// New variables, by old ones.
    numbers: Vec<Option<u32>>,
    gates: Vec<[Literal; 3]>,
    variables: u32,
}

impl<'a> AigerWriter<'a> {
    fn new(circuit: &'a Circuit) -> AigerWriter<'a> {
        AigerWriter {
            circuit,
            numbers: vec![None; circuit.variables as usize + 1],
            gates: Vec::new(),
            variables: 0,
        }
    }

    /// Registers that some literals depend on, directly or by others, in order.
    fn cone(&self, roots: &[Literal]) -> Vec<(Literal, Literal)> {
        let circuit = self.circuit;
        let mut next: BTreeMap<Literal, Literal> = BTreeMap::new();
        next.extend(circuit.latches.iter().map(|&(next, latch)| (latch, next)));
        let mut seen = vec![false; circuit.variables as usize + 1];
        let mut open: Vec<Literal> = roots.to_vec();
        while let Some(literal) = open.pop() {
            let variable = literal & !1;
            if std::mem::replace(&mut seen[(variable / 2) as usize], true) {
                continue;
            }
            open.extend(circuit.gates.get(&variable).into_iter().flatten());
            open.extend(next.get(&variable));
        }
        let used = |latch: Literal| seen[(latch / 2) as usize];
        let latches = circuit.latches.iter().copied();
        latches.filter(|&(_, latch)| used(latch)).collect()
    }

    fn run(&mut self, wanted: Literal, broken: Literal) -> Vec<u8> {
        let latches = self.cone(&[wanted, broken]);
        self.numbers[0] = Some(0);
        for input in 1..=self.circuit.inputs.len() {
            self.number(input);
        }
        for &(_, latch) in &latches {
            self.number((latch / 2) as usize);
        }
        self.variables += 1;
        let was_broken = self.variables * 2;
        let wanted = self.literal(wanted);
        let broken = self.literal(broken);
        let next: Vec<Literal> = latches
            .iter()
            .map(|&(next, _)| self.literal(next))
            .collect();
        // (was_broken || broken), and wanted without it.
        let fine = self.gate(was_broken ^ 1, broken ^ 1);
        let output = self.gate(wanted, fine);
        let mut file = Vec::new();
        // A Vec takes all bytes.
        let _ = writeln!(
            file,
            "aig {} {} {} 1 {}",
            self.variables,
            self.circuit.inputs.len(),
            latches.len() + 1,
            self.gates.len()
        );
        for next in next.into_iter().chain([fine ^ 1]) {
            let _ = writeln!(file, "{next}");
        }
        let _ = writeln!(file, "{output}");
        for &[output, greater, less] in &self.gates {
            delta(&mut file, output - greater);
            delta(&mut file, greater - less);
        }
        file
    }

    fn number(&mut self, variable: usize) {
        self.variables += 1;
        self.numbers[variable] = Some(self.variables);
    }

    fn gate(&mut self, one: Literal, other: Literal) -> Literal {
        self.variables += 1;
        let output = self.variables * 2;
        self.gates.push([output, one.max(other), one.min(other)]);
        output
    }

    /// The new literal of an old one, whose gates are written first.
    fn literal(&mut self, literal: Literal) -> Literal {
        let mut open = vec![literal / 2];
        while let Some(&variable) = open.last() {
            if self.numbers[variable as usize].is_some() {
                open.pop();
                continue;
            }
            let inputs = self.circuit.gates[&(variable * 2)];
            let missing = inputs.iter().map(|input| input / 2);
            let missing: Vec<u32> = missing
                .filter(|&input| self.numbers[input as usize].is_none())
                .collect();
            if missing.is_empty() {
                let [one, other] = inputs.map(|input| self.numbered(input));
                let output = self.gate(one, other);
                self.numbers[variable as usize] = Some(output / 2);
            }
            open.extend(missing);
        }
        self.numbered(literal)
    }

    fn numbered(&self, literal: Literal) -> Literal {
        let number = self.numbers[(literal / 2) as usize].expect("it is numbered");
        (number * 2) | (literal & 1)
    }
}

/// A number of AIGER: seven bits a byte, the lowest first.
fn delta(file: &mut Vec<u8>, mut number: u32) {
    while number >= 128 {
        file.push(number as u8 | 128);
        number >>= 7;
    }
    file.push(number as u8);
}
