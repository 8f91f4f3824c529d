//! The compiled program of a module: operations on lane words.
//!
//! A program works on a *frame* of slots, each one lane word wide. The first
//! slots are the module's inputs, then the registers' values, then temporaries
//! that are reused as soon as their value is dead. Inverters cost nothing: a
//! net is a slot and a sign, and the sign is absorbed by whoever reads it, by
//! choosing among the operations of [`Code`].
//!
//! The operations are those that cover the netlist with the fewest ([`Mapped`]).
//!
//! Operations of one code are gathered into long *runs*, so that the
//! interpreter decides what to do once per run. Within a run operations are in
//! order, each may use the results of earlier ones.

use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_netlist::{Leaf, LeafSource, Library, Lut, Mapped, MappedValue as Value, table};

/// Slots of a frame: operands are 16-bit numbers.
pub const SLOTS_MAX: usize = 1 << 16;

/// What an operation computes of slots `a`, `b` and `c`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// `a & b`
    And,
    /// `a & !b`
    AndNot,
    /// `!a & !b`
    Nor,
    /// `a ^ b`
    Xor,
    /// `c ? b : a`
    Mux,
    /// `c ? !b : a`
    MuxNot,
    /// `a & b & c`
    And3,
    /// `a & b & !c`
    AndAndNot,
    /// `a & !b & !c`
    AndNor,
    /// `!a & !b & !c`
    Nor3,
    /// `a & !(b & c)`
    AndNand,
    /// `a & !(b & !c)`
    AndNandNot,
    /// `a & (b | c)`
    AndOr,
    /// `!a & !(b & c)`
    NorAnd,
    /// `!a & !(b & !c)`
    NorAndNot,
    /// `!a & (b | c)`
    NotAndOr,
}

/// All codes, in the order of their numbers.
pub const CODES: [Code; 16] = [
    Code::And,
    Code::AndNot,
    Code::Nor,
    Code::Xor,
    Code::Mux,
    Code::MuxNot,
    Code::And3,
    Code::AndAndNot,
    Code::AndNor,
    Code::Nor3,
    Code::AndNand,
    Code::AndNandNot,
    Code::AndOr,
    Code::NorAnd,
    Code::NorAndNot,
    Code::NotAndOr,
];

/// One operation: operand slots and the slot of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// First operand.
    pub a: u16,
    /// Second operand.
    pub b: u16,
    /// Third operand, of multiplexers.
    pub c: u16,
    /// Result.
    pub result: u16,
}

/// Consecutive operations of one code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpRange {
    /// What they compute.
    pub code: Code,
    /// Which operations.
    pub operations: std::ops::Range<usize>,
}

/// A slot and a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// The slot.
    pub slot: u16,
    /// All ones when the value is the slot's complement, else 0.
    pub flip: u64,
}

/// An input bit that the program reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Port name.
    pub port: String,
    /// Bit of the port.
    pub bit: usize,
    /// Where it goes in the frame.
    pub slot: u16,
}

/// The compiled program of a module.
#[derive(Debug, Clone)]
pub struct Program {
    /// Input bits that are read.
    pub inputs: Vec<Input>,
    /// Slot of each register's value.
    pub register_slots: Vec<u16>,
    /// What each register takes at the clock edge.
    pub next: Vec<Source>,
    /// The operations.
    pub operations: Vec<Operation>,
    /// The runs, in order.
    pub runs: Vec<OpRange>,
    /// Slots of the frame.
    pub slots: usize,
}

/// A value during compilation: a node and a sign.
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

#[derive(Debug, Clone, Copy)]
enum Node {
    /// A leaf of the graph: a constant zero, an input or a register.
    Leaf,
    Operation {
        code: Code,
        operands: [u32; 3],
    },
}

/// The node that is 0 in every lane.
const ZERO: Literal = Literal {
    node: 0,
    inverted: false,
};

impl Code {
    /// Its truth table.
    fn table(self) -> u8 {
        let (a, b, c) = (table::A, table::B, table::C);
        match self {
            Code::And => a & b,
            Code::AndNot => a & !b,
            Code::Nor => !(a | b),
            Code::Xor => a ^ b,
            Code::Mux => (b & c) | (a & !c),
            Code::MuxNot => (!b & c) | (a & !c),
            Code::And3 => a & b & c,
            Code::AndAndNot => a & b & !c,
            Code::AndNor => a & !(b | c),
            Code::Nor3 => !(a | b | c),
            Code::AndNand => a & !(b & c),
            Code::AndNandNot => a & !(b & !c),
            Code::AndOr => a & (b | c),
            Code::NorAnd => !(a | (b & c)),
            Code::NorAndNot => !(a | (b & !c)),
            Code::NotAndOr => !a & (b | c),
        }
    }

    /// The code that computes a table or its complement: the input that each
    /// operand is, and whether it is the complement.
    fn of(wanted: u8) -> Option<(Code, [usize; 3], bool)> {
        const ORDERS: [[usize; 3]; 6] = [
            [0, 1, 2],
            [0, 2, 1],
            [1, 0, 2],
            [1, 2, 0],
            [2, 0, 1],
            [2, 1, 0],
        ];
        CODES.into_iter().find_map(|code| {
            ORDERS.into_iter().find_map(|order| {
                let placed = table::place(code.table(), order);
                (placed == wanted || placed == !wanted).then_some((code, order, placed != wanted))
            })
        })
    }
}

/// The nodes of a mapped module: the constant, the inputs, all registers, then
/// the operations.
struct Graph {
    nodes: Vec<Node>,
    leaves: Vec<Literal>,
    functions: Vec<Literal>,
}

impl Graph {
    fn leaf(&mut self) -> Literal {
        self.nodes.push(Node::Leaf);
        Literal {
            node: self.nodes.len() as u32 - 1,
            inverted: false,
        }
    }

    fn literal(&self, value: Value) -> Literal {
        match value {
            Value::Constant(false) => ZERO,
            Value::Constant(true) => !ZERO,
            Value::Leaf(leaf) => self.leaves[leaf as usize],
            Value::Function(function) => self.functions[function as usize],
        }
    }

    fn function(&mut self, lut: &Lut) {
        let inputs = lut.inputs.map(|input| self.literal(input));
        let mut wanted = lut.table;
        for (variable, input) in inputs.iter().enumerate() {
            if input.inverted {
                wanted = table::flip(wanted, variable);
            }
        }
        let literal = if wanted == table::A || wanted == !table::A {
            Literal {
                node: inputs[0].node,
                inverted: wanted != table::A,
            }
        } else {
            let (code, order, inverted) = Code::of(wanted).expect("the library has this function");
            self.nodes.push(Node::Operation {
                code,
                operands: order.map(|input| inputs[input].node),
            });
            Literal {
                node: self.nodes.len() as u32 - 1,
                inverted,
            }
        };
        self.functions.push(literal);
    }
}

impl Program {
    /// Compiles a module; what its outputs show is left to the caller.
    ///
    /// # Errors
    /// When it needs more than [`SLOTS_MAX`] slots.
    pub fn compile(leaf: &Leaf) -> Result<Program, Error> {
        let mapped = Mapped::new(leaf, &Library::of(&CODES.map(Code::table)));
        let mut graph = Graph {
            nodes: vec![Node::Leaf],
            leaves: Vec::with_capacity(mapped.leaves.len()),
            functions: Vec::with_capacity(mapped.functions.len()),
        };
        let mut inputs = Vec::new();
        for source in &mapped.leaves {
            if let LeafSource::Input { port, bit } = source {
                let literal = graph.leaf();
                graph.leaves.push(literal);
                inputs.push(Input {
                    port: port.clone(),
                    bit: *bit,
                    slot: literal.node as u16,
                });
            }
        }
        let registers: Vec<Literal> = leaf.registers.iter().map(|_| graph.leaf()).collect();
        for source in &mapped.leaves {
            if let LeafSource::Register(register) = *source {
                graph.leaves.push(registers[register]);
            }
        }
        let leaves = graph.nodes.len();
        mapped.functions.iter().for_each(|lut| graph.function(lut));
        let next: Vec<Literal> = mapped
            .next
            .iter()
            .map(|&value| graph.literal(value))
            .collect();
        let order = schedule(&graph.nodes, leaves);
        let (slot_of, slots) = allocate(&graph.nodes, leaves, &order, &next);
        if slots > SLOTS_MAX {
            return Err(Error::one(
                Class::Input,
                leaf.module.name.clone(),
                Diagnostic::new(
                    format!("module {}", leaf.module.name),
                    format!("it needs {slots} values at once, and at most {SLOTS_MAX} can be held"),
                    "split the module into a hierarchy of smaller ones",
                ),
            ));
        }
        let mut operations = Vec::with_capacity(order.len());
        let mut runs: Vec<OpRange> = Vec::new();
        for &node in &order {
            let Node::Operation { code, operands } = graph.nodes[node as usize] else {
                unreachable!("only operations are scheduled")
            };
            let [a, b, c] = operands.map(|operand| slot_of[operand as usize]);
            let at = operations.len();
            operations.push(Operation {
                a,
                b,
                c,
                result: slot_of[node as usize],
            });
            match runs.last_mut() {
                Some(run) if run.code == code => run.operations.end = at + 1,
                _ => runs.push(OpRange {
                    code,
                    operations: at..at + 1,
                }),
            }
        }
        let source = |literal: &Literal| Source {
            slot: slot_of[literal.node as usize],
            flip: if literal.inverted { u64::MAX } else { 0 },
        };
        Ok(Program {
            inputs,
            register_slots: registers
                .iter()
                .map(|register| register.node as u16)
                .collect(),
            next: next.iter().map(source).collect(),
            operations,
            runs,
            slots,
        })
    }
}

/// An order of the operations with few changes of code: as long as an operation
/// of the current code is ready it goes next, else the code with most ready
/// ones takes over.
fn schedule(nodes: &[Node], leaves: usize) -> Vec<u32> {
    let mut waiting = vec![0u8; nodes.len()];
    let mut readers: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
    let mut ready: [std::collections::VecDeque<u32>; CODES.len()] = Default::default();
    for (index, node) in nodes.iter().enumerate().skip(leaves) {
        if let Node::Operation { code, operands } = node {
            for &operand in operands
                .iter()
                .filter(|&&operand| operand as usize >= leaves)
            {
                waiting[index] += 1;
                readers[operand as usize].push(index as u32);
            }
            if waiting[index] == 0 {
                ready[*code as usize].push_back(index as u32);
            }
        }
    }
    let mut order = Vec::with_capacity(nodes.len() - leaves);
    while let Some(code) = (0..CODES.len()).rev().max_by_key(|&code| ready[code].len())
        && !ready[code].is_empty()
    {
        while let Some(node) = ready[code].pop_front() {
            order.push(node);
            for &reader in &readers[node as usize] {
                waiting[reader as usize] -= 1;
                if waiting[reader as usize] == 0
                    && let Node::Operation { code, .. } = nodes[reader as usize]
                {
                    ready[code as usize].push_back(reader);
                }
            }
        }
    }
    order
}

/// A slot for every node, and the number of slots. Leaves keep theirs, slot =
/// node; results share slots whose value nobody reads any more.
fn allocate(nodes: &[Node], leaves: usize, order: &[u32], next: &[Literal]) -> (Vec<u16>, usize) {
    let mut last_use = vec![0usize; nodes.len()];
    for (at, &node) in order.iter().enumerate() {
        if let Node::Operation { operands, .. } = nodes[node as usize] {
            for operand in operands {
                last_use[operand as usize] = at;
            }
        }
    }
    for literal in next {
        last_use[literal.node as usize] = usize::MAX;
    }
    let mut slot_of: Vec<u16> = (0..nodes.len()).map(|node| node as u16).collect();
    let mut free: Vec<u16> = Vec::new();
    let mut slots = leaves;
    for (at, &node) in order.iter().enumerate() {
        slot_of[node as usize] = free.pop().unwrap_or_else(|| {
            slots += 1;
            (slots - 1) as u16
        });
        if let Node::Operation { operands, .. } = nodes[node as usize] {
            let mut freed = smallvec::SmallVec::<[u32; 3]>::new();
            for operand in operands {
                let index = operand as usize;
                if index >= leaves && last_use[index] == at && !freed.contains(&operand) {
                    freed.push(operand);
                    free.push(slot_of[index]);
                }
            }
        }
    }
    (slot_of, slots)
}
