//! The subject graph: conjunctions and exclusive ors of literals.
//!
//! Gates become two-input nodes with inverters on their edges (Kuehlmann, Krohm,
//! "Equivalence checking using cuts and heaps", DAC 1997). Equal nodes are one.

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::{Bit, Function};

/// A node, inverted or not: twice the number of the node, plus 1 if inverted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal(u32);

impl Literal {
    /// The constant 0, node 0.
    pub const ZERO: Literal = Literal(0);

    /// The literal of a node.
    pub fn new(node: u32, inverted: bool) -> Literal {
        Literal(2 * node + u32::from(inverted))
    }

    /// The node.
    pub fn node(self) -> u32 {
        self.0 / 2
    }

    /// True when it is the complement of the node.
    pub fn inverted(self) -> bool {
        self.0 % 2 == 1
    }

    /// The complement, if `invert`.
    pub fn invert_if(self, invert: bool) -> Literal {
        Literal(self.0 ^ u32::from(invert))
    }
}

impl std::ops::Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        self.invert_if(true)
    }
}

/// A node; operands come before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Node {
    /// The constant, an input or a register.
    Leaf,
    /// Both are 1.
    And(Literal, Literal),
    /// They differ.
    Xor(Literal, Literal),
}

/// The nodes, in topological order.
pub struct Graph {
    /// The nodes by number.
    pub nodes: Vec<Node>,
    /// The number of each inner node; only ever looked up.
    known: FxHashMap<Node, u32>,
}

impl Graph {
    /// The constant alone, with room for the nodes of so many gates.
    pub fn new(gates: usize) -> Graph {
        Graph {
            nodes: vec![Node::Leaf],
            known: FxHashMap::with_capacity_and_hasher(2 * gates, FxBuildHasher),
        }
    }

    /// A new leaf.
    pub fn leaf(&mut self) -> Literal {
        self.nodes.push(Node::Leaf);
        Literal::new(self.nodes.len() as u32 - 1, false)
    }

    fn node(&mut self, node: Node) -> Literal {
        let nodes = &mut self.nodes;
        let number = *self.known.entry(node).or_insert_with(|| {
            nodes.push(node);
            nodes.len() as u32 - 1
        });
        Literal::new(number, false)
    }

    /// Both are 1.
    pub fn and(&mut self, a: Literal, b: Literal) -> Literal {
        let (a, b) = (a.min(b), a.max(b));
        match a {
            _ if a == Literal::ZERO || a == !b => Literal::ZERO,
            _ if a == !Literal::ZERO || a == b => b,
            _ => self.node(Node::And(a, b)),
        }
    }

    /// Any of them is 1.
    pub fn or(&mut self, a: Literal, b: Literal) -> Literal {
        !self.and(!a, !b)
    }

    /// They differ.
    pub fn xor(&mut self, a: Literal, b: Literal) -> Literal {
        let inverted = a.inverted() != b.inverted();
        let (a, b) = (a.min(b), a.max(b));
        let (a, b) = (a.invert_if(a.inverted()), b.invert_if(b.inverted()));
        let value = match a {
            _ if a == b => Literal::ZERO,
            Literal::ZERO => b,
            _ => self.node(Node::Xor(a, b)),
        };
        value.invert_if(inverted)
    }

    fn mux(&mut self, a: Literal, b: Literal, select: Literal) -> Literal {
        if a == !b {
            return self.xor(a, select);
        }
        let (a, b) = (self.and(a, !select), self.and(b, select));
        self.or(a, b)
    }

    /// The literal of a gate's function of `inputs`, which are in the order of its pins.
    pub fn gate(&mut self, function: Function, inputs: &[Literal]) -> Literal {
        match (function, inputs) {
            (Function::Buf, &[a]) => a,
            (Function::Not, &[a]) => !a,
            (Function::And, &[a, b]) => self.and(a, b),
            (Function::Nand, &[a, b]) => !self.and(a, b),
            (Function::Or, &[a, b]) => self.or(a, b),
            (Function::Nor, &[a, b]) => !self.or(a, b),
            (Function::Xor, &[a, b]) => self.xor(a, b),
            (Function::Xnor, &[a, b]) => !self.xor(a, b),
            (Function::AndNot, &[a, b]) => self.and(a, !b),
            (Function::OrNot, &[a, b]) => self.or(a, !b),
            (Function::Mux, &[a, b, s]) => self.mux(a, b, s),
            (Function::Nmux, &[a, b, s]) => !self.mux(a, b, s),
            (Function::Aoi3, &[a, b, c]) => {
                let ab = self.and(a, b);
                !self.or(ab, c)
            }
            (Function::Oai3, &[a, b, c]) => {
                let ab = self.or(a, b);
                !self.and(ab, c)
            }
            (Function::Aoi4, &[a, b, c, d]) => {
                let (ab, cd) = (self.and(a, b), self.and(c, d));
                !self.or(ab, cd)
            }
            (Function::Oai4, &[a, b, c, d]) => {
                let (ab, cd) = (self.or(a, b), self.or(c, d));
                !self.and(ab, cd)
            }
            (function, inputs) => {
                unreachable!("{} of {} inputs", function.name(), inputs.len())
            }
        }
    }
}

/// The literal of a bit, when those of the nets are known.
pub fn literal(nets: &[Option<Literal>], bit: Bit) -> Literal {
    match bit {
        Bit::Zero | Bit::X => Literal::ZERO,
        Bit::One => !Literal::ZERO,
        Bit::Net(net) => nets[net.index()].expect("gates come in level order"),
    }
}
