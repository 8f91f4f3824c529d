//! The program of an array: its gates as operations, class by class.
//!
//! Slot 0 is 0. Then come the inputs and the registers, and then results. A result
//! that another class, a register, a link or an observer reads has a slot of its own;
//! the others share slots whose value nobody reads any more.
//!
//! Inverters cost nothing: a net is a node and a sign, and whoever reads it takes the
//! sign in by the choice of its [`Code`]. A product that only one other product or
//! sum reads is joined with it, where the two make one operation of three or four
//! operands.

use smallvec::SmallVec;

use super::elaborate::Array;
use super::kernel::{Code, OpRange};
use super::settle::ArraySchedule;
use crosswave_netlist::{Bit, Function, NetId};

/// A slot, and all ones when the value is its complement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SignedSlot {
    /// The slot.
    pub slot: u32,
    /// 0 or all ones.
    pub flip: u64,
}

/// The operations of an array.
#[derive(Debug, Clone, Default)]
pub(super) struct Program {
    /// Operands of all operations.
    pub stream: Vec<u32>,
    /// The runs of each class.
    pub classes: Vec<Vec<OpRange>>,
    /// The operations of each class.
    pub operations: Vec<usize>,
    /// Slot of each input, in the order of [`Array::inputs`].
    pub inputs: Vec<u32>,
    /// Slot of each register.
    pub registers: Vec<u32>,
    /// What each register takes.
    pub next: Vec<SignedSlot>,
    /// Slots of a frame.
    pub slots: usize,
    /// Which slots hold a value beyond their class.
    pub kept: Vec<bool>,
    /// Where the nets lie that were asked for, by net; others are wherever.
    places: Vec<Option<SignedSlot>>,
}

/// A node and a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Literal {
    node: u32,
    inverted: bool,
}

impl std::ops::Not for Literal {
    type Output = Literal;
    fn not(self) -> Literal {
        Literal {
            inverted: !self.inverted,
            ..self
        }
    }
}

const ZERO: Literal = Literal {
    node: 0,
    inverted: false,
};

/// What a node computes of its literals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Slot 0, an input or a register.
    Leaf,
    /// The product of two or three.
    And,
    /// `a ^ b`
    Xor,
    /// `c ? b : a`
    Mux,
    /// `a & b | c`, or `a & b | c & d`
    Sum,
    /// Taken in by its only reader.
    Joined,
}

#[derive(Debug, Clone)]
struct Node {
    shape: Shape,
    inputs: SmallVec<[Literal; 4]>,
    class: u32,
    /// Whether the slot holds the complement.
    flipped: bool,
}

struct Builder {
    nodes: Vec<Node>,
    nets: Vec<Option<Literal>>,
}

impl Builder {
    fn node(&mut self, shape: Shape, inputs: &[Literal], class: u32) -> Literal {
        self.nodes.push(Node {
            shape,
            inputs: inputs.into(),
            class,
            flipped: false,
        });
        Literal {
            node: self.nodes.len() as u32 - 1,
            inverted: false,
        }
    }

    fn literal(&self, bit: Bit) -> Literal {
        match bit {
            Bit::Zero | Bit::X => ZERO,
            Bit::One => !ZERO,
            Bit::Net(net) => self.nets[net.index()].unwrap_or(ZERO),
        }
    }

    fn gate(&mut self, function: Function, inputs: &[Bit], class: u32) -> Literal {
        let input: SmallVec<[Literal; 4]> = inputs.iter().map(|&bit| self.literal(bit)).collect();
        let mut node = |shape: Shape, inputs: &[Literal]| self.node(shape, inputs, class);
        match (function, input.as_slice()) {
            (Function::Buf, &[a]) => a,
            (Function::Not, &[a]) => !a,
            (Function::And, &[a, b]) => node(Shape::And, &[a, b]),
            (Function::Nand, &[a, b]) => !node(Shape::And, &[a, b]),
            (Function::Or, &[a, b]) => !node(Shape::And, &[!a, !b]),
            (Function::Nor, &[a, b]) => node(Shape::And, &[!a, !b]),
            (Function::AndNot, &[a, b]) => node(Shape::And, &[a, !b]),
            (Function::OrNot, &[a, b]) => !node(Shape::And, &[!a, b]),
            (Function::Xor, &[a, b]) => node(Shape::Xor, &[a, b]),
            (Function::Xnor, &[a, b]) => !node(Shape::Xor, &[a, b]),
            (Function::Mux, &[a, b, s]) => node(Shape::Mux, &[a, b, s]),
            (Function::Nmux, &[a, b, s]) => !node(Shape::Mux, &[a, b, s]),
            (Function::Aoi3, &[a, b, c]) => !node(Shape::Sum, &[a, b, c]),
            (Function::Oai3, &[a, b, c]) => node(Shape::Sum, &[!a, !b, !c]),
            (Function::Aoi4, &[a, b, c, d]) => !node(Shape::Sum, &[a, b, c, d]),
            (Function::Oai4, &[a, b, c, d]) => node(Shape::Sum, &[!a, !b, !c, !d]),
            (function, inputs) => unreachable!("{} of {} inputs", function.name(), inputs.len()),
        }
    }
}

impl Program {
    /// Compiles the gates of an array. Nets of `observed` and linked nets get places.
    pub fn compile(array: &Array, schedule: &ArraySchedule, observed: &[NetId]) -> Program {
        let leaf = &array.leaf;
        let mut builder = Builder {
            nodes: Vec::with_capacity(leaf.gates.len() + array.inputs.len()),
            nets: vec![None; leaf.nets()],
        };
        let class_count = schedule.classes();
        builder.node(Shape::Leaf, &[], 0);
        let mut leaves = |nets: &mut dyn Iterator<Item = NetId>| -> Vec<u32> {
            let slots = nets.map(|net| {
                let literal = builder.node(Shape::Leaf, &[], 0);
                builder.nets[net.index()] = Some(literal);
                literal.node
            });
            slots.collect()
        };
        let inputs = leaves(&mut array.inputs.iter().copied());
        let registers = leaves(&mut leaf.registers.iter().map(|register| register.q));
        let leaf_count = builder.nodes.len();

        // Gates in order of class, each class in level order.
        let mut order: Vec<u32> = (0..leaf.gates.len() as u32).collect();
        order.sort_by_key(|&gate| schedule.class_of[gate as usize]);
        for gate in order {
            let class = schedule.class_of[gate as usize];
            let gate = &leaf.gates[gate as usize];
            let value = builder.gate(gate.function, &gate.inputs, class);
            builder.nets[gate.output.index()] = Some(value);
        }
        let next: Vec<Literal> = leaf
            .registers
            .iter()
            .map(|register| builder.literal(register.data))
            .collect();
        let mut readers = vec![0u32; builder.nodes.len()];
        let mut persistent = vec![false; builder.nodes.len()];
        for node in &builder.nodes {
            for input in &node.inputs {
                readers[input.node as usize] += 1;
                if builder.nodes[input.node as usize].class != node.class {
                    persistent[input.node as usize] = true;
                }
            }
        }
        let seen = observed.iter().chain(&schedule.linked);
        let seen = seen.map(|&net| builder.literal(Bit::Net(net)));
        for literal in next.iter().copied().chain(seen) {
            persistent[literal.node as usize] = true;
        }
        join(&mut builder.nodes, &readers, &persistent);
        let Emitted {
            runs,
            stream,
            operations,
            slot_of,
            kept,
        } = emit(&mut builder.nodes, leaf_count, class_count, &persistent);
        let place = |literal: Literal| SignedSlot {
            slot: slot_of[literal.node as usize],
            flip: match literal.inverted != builder.nodes[literal.node as usize].flipped {
                true => u64::MAX,
                false => 0,
            },
        };
        let mut places = vec![None; leaf.nets()];
        let asked = observed.iter().chain(&schedule.linked).chain(&array.inputs);
        for &net in asked.chain(leaf.registers.iter().map(|register| &register.q)) {
            places[net.index()] = Some(place(builder.literal(Bit::Net(net))));
        }
        Program {
            stream,
            classes: runs,
            operations,
            inputs,
            registers,
            next: next.into_iter().map(place).collect(),
            slots: kept.len(),
            kept,
            places,
        }
    }

    /// Where a bit lies that [`Program::compile`] was asked to observe, or that is
    /// linked, an input or a register.
    pub fn place(&self, bit: Bit) -> SignedSlot {
        let flip = |value: bool| if value { u64::MAX } else { 0 };
        match bit {
            Bit::Net(net) => self.places[net.index()].expect("the net was asked for"),
            constant => SignedSlot {
                slot: 0,
                flip: flip(constant == Bit::One),
            },
        }
    }
}

/// Joins products with the only reader of each.
fn join(nodes: &mut [Node], readers: &[u32], persistent: &[bool]) {
    for index in 0..nodes.len() {
        let node = &nodes[index];
        if node.shape != Shape::And || node.inputs.len() != 2 {
            continue;
        }
        let free = |literal: Literal| {
            let inner = &nodes[literal.node as usize];
            let at = literal.node as usize;
            inner.shape == Shape::And
                && inner.inputs.len() == 2
                && inner.class == node.class
                && readers[at] == 1
                && !persistent[at]
        };
        let [a, b] = [node.inputs[0], node.inputs[1]];
        let inner = |literal: Literal| nodes[literal.node as usize].inputs.clone();
        let (shape, inputs, taken, complement): (_, SmallVec<[Literal; 4]>, _, _) =
            if a.inverted && b.inverted && free(a) && free(b) && a.node != b.node {
                // !P & !Q is the complement of P | Q.
                let inputs = inner(a).into_iter().chain(inner(b)).collect();
                (Shape::Sum, inputs, [Some(a), Some(b)], true)
            } else if let Some((product, other)) = [(a, b), (b, a)]
                .into_iter()
                .find(|&(product, _)| free(product))
            {
                let own = inner(product).into_iter();
                if product.inverted {
                    let inputs = own.chain([!other]).collect();
                    (Shape::Sum, inputs, [Some(product), None], true)
                } else {
                    let inputs = own.chain([other]).collect();
                    (Shape::And, inputs, [Some(product), None], false)
                }
            } else {
                continue;
            };
        for literal in taken.into_iter().flatten() {
            nodes[literal.node as usize].shape = Shape::Joined;
        }
        let node = &mut nodes[index];
        node.shape = shape;
        node.inputs = inputs;
        node.flipped = complement;
    }
}

/// Operations with their slots.
struct Emitted {
    /// The runs of each class.
    runs: Vec<Vec<OpRange>>,
    /// Operands of all operations.
    stream: Vec<u32>,
    /// The operations of each class.
    operations: Vec<usize>,
    /// The slot of each node.
    slot_of: Vec<u32>,
    /// Which slots hold a value beyond their class.
    kept: Vec<bool>,
}

/// Chooses codes, orders and slots. `flipped` of a node becomes final.
fn emit(nodes: &mut [Node], leaf_count: usize, class_count: usize, persistent: &[bool]) -> Emitted {
    let mut coded: Vec<(u32, u32, Code, u32)> = Vec::new();
    let mut level = vec![0u32; nodes.len()];
    let mut operands: Vec<SmallVec<[u32; 4]>> = vec![SmallVec::new(); nodes.len()];
    for index in leaf_count..nodes.len() {
        if matches!(nodes[index].shape, Shape::Joined | Shape::Leaf) {
            continue;
        }
        let class = nodes[index].class;
        let inputs: SmallVec<[Literal; 4]> = nodes[index]
            .inputs
            .iter()
            .map(|&literal| Literal {
                inverted: literal.inverted != nodes[literal.node as usize].flipped,
                ..literal
            })
            .collect();
        let (code, inputs, flip) = choose(nodes[index].shape, inputs);
        nodes[index].flipped ^= flip;
        for &input in &inputs {
            if nodes[input as usize].class == class && input as usize >= leaf_count {
                level[index] = level[index].max(level[input as usize] + 1);
            }
        }
        operands[index] = inputs;
        coded.push((class, level[index], code, index as u32));
    }
    let mut slot_of: Vec<u32> = (0..nodes.len() as u32).collect();
    coded.sort_unstable();
    let mut last_use = vec![0usize; nodes.len()];
    for (at, &(_, _, _, index)) in coded.iter().enumerate() {
        for &operand in &operands[index as usize] {
            last_use[operand as usize] = at;
        }
    }
    let mut kept = vec![true; leaf_count];
    let mut free: Vec<u32> = Vec::new();
    let mut runs: Vec<Vec<OpRange>> = vec![Vec::new(); class_count];
    let mut stream: Vec<u32> = Vec::new();
    let mut counts = vec![0; class_count];
    for (at, &(class, _, code, index)) in coded.iter().enumerate() {
        let own = persistent[index as usize];
        let slot = match free.pop().filter(|_| !own) {
            Some(slot) => slot,
            None => {
                kept.push(own);
                kept.len() as u32 - 1
            }
        };
        slot_of[index as usize] = slot;
        let start = stream.len();
        let read = &operands[index as usize];
        stream.extend(read.iter().map(|&operand| slot_of[operand as usize]));
        stream.push(slot);
        counts[class as usize] += 1;
        match runs[class as usize].last_mut() {
            Some(run) if run.code == code => run.operands.end = stream.len(),
            _ => runs[class as usize].push(OpRange {
                code,
                operands: start..stream.len(),
            }),
        }
        let mut freed = SmallVec::<[u32; 4]>::new();
        for &operand in read {
            let temporary = operand as usize >= leaf_count && !persistent[operand as usize];
            if temporary && last_use[operand as usize] == at && !freed.contains(&operand) {
                freed.push(operand);
                free.push(slot_of[operand as usize]);
            }
        }
    }
    Emitted {
        runs,
        stream,
        operations: counts,
        slot_of,
        kept,
    }
}

/// The code of a node, its operands, and whether the result is the complement.
fn choose(shape: Shape, inputs: SmallVec<[Literal; 4]>) -> (Code, SmallVec<[u32; 4]>, bool) {
    let node = |literal: &Literal| literal.node;
    match shape {
        Shape::And => {
            let inverted = inputs.iter().filter(|input| input.inverted).count();
            let mut inputs = inputs;
            inputs.sort_by_key(|input| input.inverted);
            let code = match (inputs.len(), inverted) {
                (2, 0) => Code::And,
                (2, 1) => Code::AndNot,
                (2, _) => Code::Nor,
                (_, 0) => Code::And3,
                (_, 1) => Code::And2Not,
                (_, 2) => Code::AndNor,
                _ => Code::Nor3,
            };
            (code, inputs.iter().map(node).collect(), false)
        }
        Shape::Xor => {
            let flip = inputs[0].inverted != inputs[1].inverted;
            (Code::Xor, inputs.iter().map(node).collect(), flip)
        }
        Shape::Mux => {
            let [mut a, mut b, select] = [inputs[0], inputs[1], inputs[2]];
            if select.inverted {
                std::mem::swap(&mut a, &mut b);
            }
            let code = match a.inverted == b.inverted {
                true => Code::Mux,
                false => Code::MuxNot,
            };
            let operands = [a, b, select].iter().map(node).collect();
            (code, operands, a.inverted)
        }
        Shape::Sum => {
            let product = |pair: &[Literal]| {
                let mut pair = [pair[0], pair[1]];
                pair.sort_by_key(|literal| literal.inverted);
                let inverted = pair.iter().filter(|literal| literal.inverted).count();
                (inverted, pair)
            };
            let (first, a) = product(&inputs[..2]);
            if inputs.len() == 3 {
                let code = match (first, inputs[2].inverted) {
                    (0, false) => Code::AndOr,
                    (0, true) => Code::AndOrNot,
                    (1, false) => Code::AndNotOr,
                    (1, true) => Code::AndNotOrNot,
                    (_, false) => Code::NorOr,
                    (_, true) => Code::NorOrNot,
                };
                let operands = a.iter().chain(&inputs[2..]).map(node).collect();
                return (code, operands, false);
            }
            let (second, b) = product(&inputs[2..]);
            let (low, a, high, b) = match first <= second {
                true => (first, a, second, b),
                false => (second, b, first, a),
            };
            let code = match (low, high) {
                (0, 0) => Code::AndAnd,
                (0, 1) => Code::AndAndNot,
                (0, _) => Code::AndAndNor,
                (1, 1) => Code::AndNotAndNot,
                (1, _) => Code::AndNotNor,
                _ => Code::NorNor,
            };
            (code, a.iter().chain(&b).map(node).collect(), false)
        }
        Shape::Leaf | Shape::Joined => unreachable!("only operations are emitted"),
    }
}
