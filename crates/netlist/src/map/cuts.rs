//! Cuts of a node: sets of at most three nodes that determine its value.
//!
//! The cuts of a node are the unions of one cut of each operand. The best
//! [`CUTS`] of them are kept (priority cuts: Mishchenko, Cho, Chatterjee, Brayton,
//! ICCAD 2007). Nodes without effect are dropped from a cut, so a path that
//! leaves a node and comes back to it is followed, and redundant logic is seen.

use smallvec::SmallVec;

use super::graph::Literal;
use super::table::{self, A};

/// Cuts that are kept of a node.
pub const CUTS: usize = 8;

/// A cut and the function of the node over it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NodeCut {
    leaves: [u32; 3],
    size: u8,
    /// The table over the leaves in ascending order.
    pub table: u8,
    /// Instructions of the node's cone, shared ones in parts.
    pub flow: f32,
}

/// For each set of variables, as bits `1 << variable`: each table over the first
/// of them, with its variables moved to the set in order.
static SPREAD: [[u8; 256]; 8] = moves(false);
/// The inverse of [`SPREAD`].
static SHRINK: [[u8; 256]; 8] = moves(true);

const fn moves(inverse: bool) -> [[u8; 256]; 8] {
    let mut all = [[0; 256]; 8];
    let mut set = 0;
    while set < 8 {
        // The set in order, and after it the other variables.
        let mut to = [0; 3];
        let mut size = 0;
        let mut inside = true;
        loop {
            let mut variable = 0;
            while variable < 3 {
                if (set >> variable & 1 == 1) == inside {
                    to[size] = variable;
                    size += 1;
                }
                variable += 1;
            }
            if !inside {
                break;
            }
            inside = false;
        }
        if inverse {
            let mut back = [0; 3];
            let mut variable = 0;
            while variable < 3 {
                back[to[variable]] = variable;
                variable += 1;
            }
            to = back;
        }
        let mut table = 0;
        while table < 256 {
            all[set][table] = table::place(table as u8, to);
            table += 1;
        }
        set += 1;
    }
    all
}

impl NodeCut {
    /// The node alone.
    pub fn trivial(node: u32, flow: f32) -> NodeCut {
        NodeCut {
            leaves: [node, 0, 0],
            size: 1,
            table: A,
            flow,
        }
    }

    /// The nodes of the cut, in ascending order.
    pub fn leaves(&self) -> &[u32] {
        &self.leaves[..self.size as usize]
    }

    /// Joins cuts of two operands, if three nodes are enough. `join` makes the
    /// table of the node from those of the operands.
    pub fn join(a: &NodeCut, b: &NodeCut, join: impl Fn(u8, u8) -> u8) -> Option<NodeCut> {
        let mut leaves = [0; 3];
        let (mut size, mut i, mut j) = (0, 0, 0);
        let (mut in_a, mut in_b) = (0, 0);
        while i < a.size || j < b.size {
            if size == 3 {
                return None;
            }
            let left = if i < a.size {
                a.leaves[i as usize]
            } else {
                u32::MAX
            };
            let right = if j < b.size {
                b.leaves[j as usize]
            } else {
                u32::MAX
            };
            leaves[size] = left.min(right);
            if left <= right {
                in_a |= 1 << size;
                i += 1;
            }
            if right <= left {
                in_b |= 1 << size;
                j += 1;
            }
            size += 1;
        }
        let table = join(
            SPREAD[in_a][a.table as usize],
            SPREAD[in_b][b.table as usize],
        );
        let mut used = 0;
        let mut count = 0;
        for variable in 0..size {
            if table::depends(table, variable) {
                used |= 1 << variable;
                leaves[count] = leaves[variable];
                count += 1;
            }
        }
        leaves[count..].fill(0);
        Some(NodeCut {
            leaves,
            size: count as u8,
            table: SHRINK[used][table as usize],
            flow: 0.0,
        })
    }

    /// The constant or node that the function comes down to, if it does.
    pub fn alias(&self) -> Option<Literal> {
        match self.size {
            0 => Some(Literal::ZERO.invert_if(self.table & 1 == 1)),
            1 => Some(Literal::new(self.leaves[0], self.table & 1 == 1)),
            _ => None,
        }
    }

    /// Nodes and table, to find nodes of the same function or its complement.
    pub fn key(&self) -> ([u32; 3], u8) {
        let table = if self.table & 1 == 1 {
            !self.table
        } else {
            self.table
        };
        (self.leaves, table)
    }

    fn within(&self, other: &NodeCut) -> bool {
        self.leaves()
            .iter()
            .all(|leaf| other.leaves().contains(leaf))
    }
}

/// The best cuts of a node, the cheapest first.
#[derive(Debug, Clone, Default)]
pub struct Cuts(pub SmallVec<[NodeCut; CUTS]>);

impl Cuts {
    /// Adds a cut, unless there is a better one of some of its nodes.
    pub fn offer(&mut self, cut: NodeCut) {
        let cuts = &mut self.0;
        if cuts
            .iter()
            .any(|known| known.within(&cut) && known.flow <= cut.flow)
        {
            return;
        }
        cuts.retain(|known| !(cut.within(known) && cut.flow <= known.flow));
        let rank = |cut: &NodeCut| (cut.flow, cut.size);
        let at = cuts.partition_point(|known| rank(known) <= rank(&cut));
        if at < CUTS {
            cuts.truncate(CUTS - 1);
            cuts.insert(at, cut);
        }
    }
}
