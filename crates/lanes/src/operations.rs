//! Functions of a netlist as operations of the portable interpreter: what both engines' programs are
//! made with.
//!
//! A program is *functions* of up to four inputs over *leaves*. A value is a node and a sign
//! ([`Literal`]); the sign of an input is taken into the table of whoever reads it, so inverters cost
//! nothing. Functions belong to *classes*, each of which is evaluated by itself.
//! [`Functions::assemble`] makes operations of them:
//!
//! 1. A function that only one other of its class reads is joined with it where the two are one
//!    [`Code`].
//! 2. Each takes the code for its table, or for the complement.
//! 3. Classes are ordered for long runs of one code: as long as an operation of the current code is ready
//!    it goes next, else the code with most ready ones takes over.
//! 4. Slots: 0 is 0 in every lane, then come the leaves, then results. Those that another class or the
//!    caller reads have a slot of their own; the others share slots whose value nobody reads any more.
//!
//! Which functions cover a netlist is not decided here, since the engines differ there: the gate engine
//! covers a whole module anew with the fewest functions of three inputs, while in a design of others
//! gates are cut into classes by when their inputs arrive, and a function must not cross them.
//!
//! Time and space are linear in the functions.

use std::collections::VecDeque;

use smallvec::SmallVec;

use super::code::{Code, OPERANDS_MAX, VARIABLES, substitute};
use super::kernel::{self, OpRange};

/// A slot, and all ones when the value is its complement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignedSlot {
    /// The slot.
    pub slot: u32,
    /// 0 or all ones.
    pub flip: u64,
}

/// A value: a node and a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Literal {
    node: u32,
    inverted: bool,
}

impl Literal {
    /// 0 in every lane.
    pub const ZERO: Literal = Literal {
        node: 0,
        inverted: false,
    };

    /// This value, or its complement.
    pub fn invert_if(self, inverted: bool) -> Literal {
        Literal {
            inverted: self.inverted != inverted,
            ..self
        }
    }
}

impl std::ops::Not for Literal {
    type Output = Literal;
    fn not(self) -> Literal {
        self.invert_if(true)
    }
}

type Inputs = SmallVec<[u32; OPERANDS_MAX]>;

/// A leaf, or a function of other nodes.
#[derive(Debug, Clone, Default)]
struct FunctionNode {
    table: u16,
    /// Nodes before this one.
    inputs: Inputs,
    class: u32,
    /// True when it is computed: leaves are not, nor are those that are joined with their reader.
    computed: bool,
}

/// Functions over leaves.
#[derive(Debug, Clone)]
pub struct Functions {
    nodes: Vec<FunctionNode>,
    leaves: usize,
}

/// Operations with their slots.
#[derive(Debug, Clone, Default)]
pub struct Operations {
    /// Operands of all operations.
    pub stream: Vec<u32>,
    /// The runs of each class.
    pub classes: Vec<Vec<OpRange>>,
    /// The operations of each class.
    pub counts: Vec<usize>,
    /// For each slot of a frame, true when it holds a value beyond its class.
    pub kept: Vec<bool>,
}

/// Places of values.
#[derive(Debug, Clone)]
pub struct Places(Vec<SignedSlot>);

impl Places {
    /// The place of a value that was wanted, or of a leaf.
    pub fn of(&self, literal: Literal) -> SignedSlot {
        let place = self.0[literal.node as usize];
        SignedSlot {
            flip: place.flip ^ all(literal.inverted),
            ..place
        }
    }
}

impl Operations {
    /// Slots of a frame.
    pub fn slots(&self) -> usize {
        self.kept.len()
    }

    /// Evaluates a class on a frame whose slots have `width` words.
    #[inline]
    pub fn evaluate(&self, arch: pulp::Arch, class: usize, frame: &mut [u64], width: usize) {
        kernel::evaluate(arch, &self.classes[class], &self.stream, frame, width);
    }
}

/// All ones, or 0.
fn all(ones: bool) -> u64 {
    if ones { u64::MAX } else { 0 }
}

impl Default for Functions {
    fn default() -> Functions {
        Functions {
            nodes: vec![FunctionNode::default()],
            leaves: 1,
        }
    }
}

impl Functions {
    /// Adds a leaf. Its slot is one more than that of the leaf before, from 1 on.
    ///
    /// # Panics
    /// When there are functions already.
    pub fn leaf(&mut self) -> Literal {
        assert_eq!(self.leaves, self.nodes.len(), "leaves come first");
        self.leaves += 1;
        self.push(FunctionNode::default())
    }

    /// Adds a function of values before it, whose table is over [`VARIABLES`], and which depends on all
    /// inputs. There is a code for it, or it is one of its input alone.
    pub fn function(&mut self, table: u16, inputs: &[Literal], class: u32) -> Literal {
        let mut signed = VARIABLES;
        for (table, input) in signed.iter_mut().zip(inputs) {
            *table ^= all(input.inverted) as u16;
        }
        let table = substitute(table, signed);
        if let &[input] = inputs {
            return Literal {
                node: input.node,
                inverted: table != VARIABLES[0],
            };
        }
        self.push(FunctionNode {
            table,
            inputs: inputs.iter().map(|input| input.node).collect(),
            class,
            computed: true,
        })
    }

    fn push(&mut self, node: FunctionNode) -> Literal {
        self.nodes.push(node);
        Literal {
            node: self.nodes.len() as u32 - 1,
            inverted: false,
        }
    }

    /// Makes operations of the functions, which are of so many classes, and says where the values lie that
    /// are wanted afterwards.
    ///
    /// # Panics
    /// When there is no code for a function.
    pub fn assemble(
        mut self,
        classes: usize,
        wanted: impl Iterator<Item = Literal>,
    ) -> (Operations, Places) {
        let mut kept = vec![false; self.nodes.len()];
        kept[..self.leaves].fill(true);
        wanted.for_each(|literal| kept[literal.node as usize] = true);
        for node in &self.nodes {
            for &input in &node.inputs {
                kept[input as usize] |= self.nodes[input as usize].class != node.class;
            }
        }
        self.join(&kept);
        let (codes, inverted) = self.choose();
        let order = self.order(&codes, classes);
        let (slots, kept) = self.allocate(&order, &kept);
        let mut operations = Operations {
            kept,
            ..Operations::default()
        };
        for class in order {
            let mut runs: Vec<OpRange> = Vec::new();
            for &node in &class {
                let code = codes[node as usize];
                let start = operations.stream.len();
                let inputs = self.nodes[node as usize].inputs.iter().chain([&node]);
                let stream = &mut operations.stream;
                stream.extend(inputs.map(|&slot_of| slots[slot_of as usize]));
                match runs.last_mut() {
                    Some(run) if run.code == code => run.operands.end = stream.len(),
                    _ => runs.push(OpRange {
                        code,
                        operands: start..stream.len(),
                    }),
                }
            }
            operations.classes.push(runs);
            operations.counts.push(class.len());
        }
        let place = |(slot, inverted)| SignedSlot {
            slot,
            flip: all(inverted),
        };
        let places = slots.into_iter().zip(inverted).map(place).collect();
        (operations, Places(places))
    }

    /// Joins functions with the only reader of each.
    fn join(&mut self, kept: &[bool]) {
        /// Sets of inputs to take in, one a bit, the best first. Two of three would be five
        /// operands.
        const CHOICES: [usize; 4] = [0b011, 0b001, 0b010, 0b100];
        let mut readers = vec![0u8; self.nodes.len()];
        for &input in self.nodes.iter().flat_map(|node| &node.inputs) {
            readers[input as usize] = readers[input as usize].saturating_add(1);
        }
        for index in self.leaves..self.nodes.len() {
            let node = &self.nodes[index];
            let is_free = |&input: &u32| {
                let at = input as usize;
                readers[at] == 1 && !kept[at] && self.nodes[at].class == node.class
            };
            let mut free = 0;
            for (at, input) in node.inputs.iter().enumerate() {
                free |= usize::from(is_free(input)) << at;
            }
            let joined = |taken: &usize| Some((self.joined(index, *taken)?, *taken));
            let choices = CHOICES.iter().filter(|&taken| taken & !free == 0);
            let Some(((table, inputs), taken)) = choices.filter_map(joined).next() else {
                continue;
            };
            let old = std::mem::replace(&mut self.nodes[index].inputs, inputs);
            self.nodes[index].table = table;
            for (at, input) in old.into_iter().enumerate() {
                self.nodes[input as usize].computed &= taken >> at & 1 == 0;
            }
        }
    }

    /// A node with the inputs that are bits of `taken` taken in, if there is a code for that.
    fn joined(&self, index: usize, taken: usize) -> Option<(u16, Inputs)> {
        let node = &self.nodes[index];
        let mut inputs = Inputs::new();
        let mut tables = [0; OPERANDS_MAX];
        for (at, &input) in node.inputs.iter().enumerate() {
            let first = inputs.len();
            let inner = &self.nodes[input as usize];
            match taken >> at & 1 {
                0 => inputs.push(input),
                _ => inputs.extend_from_slice(&inner.inputs),
            }
            let mut own = [0; OPERANDS_MAX];
            let variables = VARIABLES.get(first..inputs.len())?;
            own[..variables.len()].copy_from_slice(variables);
            tables[at] = match taken >> at & 1 {
                0 => own[0],
                _ => substitute(inner.table, own),
            };
        }
        let table = substitute(node.table, tables);
        Code::of(table).map(|_| (table, inputs))
    }

    /// The code of each node that is computed, whose inputs are then in the order of its operands, and
    /// whether its slot has the complement.
    fn choose(&mut self) -> (Vec<Code>, Vec<bool>) {
        let mut inverted = vec![false; self.nodes.len()];
        let mut codes = vec![Code::And; self.nodes.len()];
        for (index, node) in self
            .nodes
            .iter_mut()
            .enumerate()
            .filter(|(_, n)| n.computed)
        {
            let mut signed = VARIABLES;
            for (table, &input) in signed.iter_mut().zip(&node.inputs) {
                *table ^= all(inverted[input as usize]) as u16;
            }
            let choice =
                Code::of(substitute(node.table, signed)).expect("a function that has a code");
            let order = &choice.order[..node.inputs.len()];
            node.inputs = order.iter().map(|&input| node.inputs[input]).collect();
            codes[index] = choice.code;
            inverted[index] = choice.inverted;
        }
        (codes, inverted)
    }

    /// The computed nodes of each class in the order of their operations.
    fn order(&self, codes: &[Code], classes: usize) -> Vec<Vec<u32>> {
        let (starts, readers) = self.readers();
        let mut waiting = vec![0u8; self.nodes.len()];
        readers
            .iter()
            .for_each(|&reader| waiting[reader as usize] += 1);
        let mut ready = vec![[const { VecDeque::<u32>::new() }; Code::ALL.len()]; classes];
        for (index, node) in self.nodes.iter().enumerate().filter(|(_, n)| n.computed) {
            if waiting[index] == 0 {
                ready[node.class as usize][codes[index] as usize].push_back(index as u32);
            }
        }
        let ordered = ready.into_iter().map(|mut ready| {
            let mut order = Vec::new();
            while let Some(code) = (0..ready.len()).rev().max_by_key(|&code| ready[code].len())
                && !ready[code].is_empty()
            {
                while let Some(node) = ready[code].pop_front() {
                    order.push(node);
                    let node = node as usize;
                    for &reader in &readers[starts[node] as usize..starts[node + 1] as usize] {
                        let left = &mut waiting[reader as usize];
                        *left -= 1;
                        if *left == 0 {
                            ready[codes[reader as usize] as usize].push_back(reader);
                        }
                    }
                }
            }
            order
        });
        ordered.collect()
    }

    /// The nodes of its class that read each function: `readers[starts[node]..starts[node + 1]]`.
    fn readers(&self) -> (Vec<u32>, Vec<u32>) {
        let links = || {
            let nodes = self
                .nodes
                .iter()
                .enumerate()
                .filter(|(_, node)| node.computed);
            nodes.flat_map(|(index, node)| {
                let inputs = node.inputs.iter().map(|&input| input as usize);
                let own = inputs
                    .filter(|&input| input >= self.leaves && self.nodes[input].class == node.class);
                own.map(move |input| (input, index as u32))
            })
        };
        let mut starts = vec![0u32; self.nodes.len() + 1];
        links().for_each(|(input, _)| starts[input + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut readers = vec![0; starts[self.nodes.len()] as usize];
        for (input, reader) in links() {
            readers[next[input] as usize] = reader;
            next[input] += 1;
        }
        (starts, readers)
    }

    /// The slot of each node, and which slots hold a value beyond their class.
    fn allocate(&self, order: &[Vec<u32>], kept: &[bool]) -> (Vec<u32>, Vec<bool>) {
        let operations = || order.iter().flatten().copied().enumerate();
        let mut last_use = vec![0usize; self.nodes.len()];
        for (at, node) in operations() {
            for &input in &self.nodes[node as usize].inputs {
                last_use[input as usize] = at;
            }
        }
        let mut slots: Vec<u32> = (0..self.nodes.len() as u32).collect();
        let mut own = vec![true; self.leaves];
        let mut free: Vec<u32> = Vec::new();
        for (at, node) in operations() {
            let is_kept = kept[node as usize];
            let shared = if is_kept { None } else { free.pop() };
            slots[node as usize] = shared.unwrap_or_else(|| {
                own.push(is_kept);
                own.len() as u32 - 1
            });
            let inputs = &self.nodes[node as usize].inputs;
            for (number, &input) in inputs.iter().enumerate() {
                let index = input as usize;
                let is_last = last_use[index] == at && !inputs[..number].contains(&input);
                if !kept[index] && is_last {
                    free.push(slots[index]);
                }
            }
        }
        (slots, own)
    }
}

#[cfg(test)]
mod tests;
