//! The choice of one cut for each node that is needed: a cover of the graph.
//!
//! 1. In topological order, the cuts of every node and their *area flow*: the
//!    cost of the function plus the flows of the cut's nodes, each shared evenly
//!    among the readers of that node.
//! 2. Two rounds of *exact area*: with the cover as it stands, a node takes the
//!    cut that adds least, counting the nodes that no other one needs. The count
//!    goes [`DEPTH`] nodes deep, which keeps long chains linear.
//!
//! Source: Mishchenko, Chatterjee, Brayton, "Improvements to technology mapping for
//! LUT-based FPGAs", FPGA 2006.

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::cuts::{CUTS, Cuts, NodeCut};
use super::graph::{Graph, Literal, Node};
use super::library::Library;

/// Levels of nodes that exact area follows from a node at most.
const DEPTH: usize = 8;

/// Rounds of exact area.
const ROUNDS: usize = 2;

/// A cover of a graph.
pub struct Cover {
    /// The literal that stands for each node: its own, or of an earlier node of
    /// the same function, its complement or a constant.
    pub alias: Vec<Literal>,
    cuts: Vec<Cuts>,
    /// The chosen cut of each inner node.
    choice: Vec<u8>,
    /// Readers of each node in the cover, roots among them.
    readers: Vec<u32>,
}

impl Cover {
    /// Covers the graph so that the literals `roots` can be computed.
    pub fn new(graph: &Graph, roots: &[Literal], library: &Library) -> Cover {
        let mut cover = Cover {
            alias: Vec::with_capacity(graph.nodes.len()),
            cuts: Vec::with_capacity(graph.nodes.len()),
            choice: vec![0; graph.nodes.len()],
            readers: vec![0; graph.nodes.len()],
        };
        cover.enumerate(graph, roots, library);
        for root in roots {
            let root = cover.resolve(*root).node();
            cover.take(root, library);
        }
        for _ in 0..ROUNDS {
            cover.recover(library);
        }
        cover
    }

    /// The literal that stands for another one.
    pub fn resolve(&self, literal: Literal) -> Literal {
        self.alias[literal.node() as usize].invert_if(literal.inverted())
    }

    /// The chosen cut of a node, if the node is an inner one that is needed.
    pub fn cut(&self, node: u32) -> Option<&NodeCut> {
        let node = node as usize;
        let needed = self.readers[node] > 0;
        self.cuts[node]
            .0
            .get(usize::from(self.choice[node]))
            .filter(|_| needed)
    }

    /// Cuts and area flow of all nodes.
    fn enumerate(&mut self, graph: &Graph, roots: &[Literal], library: &Library) {
        let mut fanout = vec![0_u32; graph.nodes.len()];
        for node in &graph.nodes {
            if let Node::And(a, b) | Node::Xor(a, b) = node {
                fanout[a.node() as usize] += 1;
                fanout[b.node() as usize] += 1;
            }
        }
        roots
            .iter()
            .for_each(|root| fanout[root.node() as usize] += 1);
        let mut flow = vec![0.0_f32; graph.nodes.len()];
        let mut known: FxHashMap<([u32; 3], u8), Literal> =
            FxHashMap::with_capacity_and_hasher(CUTS * graph.nodes.len() / 2, FxBuildHasher);
        for (number, &node) in graph.nodes.iter().enumerate() {
            let own = Literal::new(number as u32, false);
            let (Node::And(a, b) | Node::Xor(a, b)) = node else {
                self.alias.push(own);
                self.cuts.push(Cuts::default());
                continue;
            };
            let (a, b) = (self.resolve(a), self.resolve(b));
            let join = |left: u8, right: u8| {
                let left = if a.inverted() { !left } else { left };
                let right = if b.inverted() { !right } else { right };
                match node {
                    Node::Xor(..) => left ^ right,
                    _ => left & right,
                }
            };
            let mut cuts = Cuts::default();
            let mut alias = None;
            let trivial = [a, b].map(|operand| [NodeCut::trivial(operand.node(), 0.0)]);
            let [of_a, of_b] = [a, b].map(|operand| &self.cuts[operand.node() as usize].0);
            'cuts: for left in trivial[0].iter().chain(of_a) {
                for right in trivial[1].iter().chain(of_b) {
                    let Some(mut cut) = NodeCut::join(left, right, join) else {
                        continue;
                    };
                    let same = |known: &Literal| known.invert_if(cut.table & 1 == 1);
                    alias = cut.alias().or_else(|| known.get(&cut.key()).map(same));
                    if alias.is_some() {
                        break 'cuts;
                    }
                    let below: f32 = cut.leaves().iter().map(|&leaf| flow[leaf as usize]).sum();
                    cut.flow = library.cost(cut.table) as f32 + below;
                    cuts.offer(cut);
                }
            }
            if alias.is_some() {
                cuts = Cuts::default();
            }
            for cut in &cuts.0 {
                known
                    .entry(cut.key())
                    .or_insert(own.invert_if(cut.table & 1 == 1));
            }
            if let Some(best) = cuts.0.first() {
                flow[number] = best.flow / fanout[number].max(1) as f32;
            }
            self.alias.push(alias.unwrap_or(own));
            self.cuts.push(cuts);
        }
    }

    /// Adds a reader of a node, and of those that it needs for the first time.
    fn take(&mut self, node: u32, library: &Library) {
        self.walk(node, library, usize::MAX, true, &mut Vec::new());
    }

    /// Adds or removes a reader of `first` and goes on to the nodes that are
    /// needed for the first time, or not any more, `depth` nodes deep. Returns the
    /// cost of the nodes that it comes by; `trail` receives all whose number of
    /// readers has changed.
    fn walk(
        &mut self,
        first: u32,
        library: &Library,
        depth: usize,
        add: bool,
        trail: &mut Vec<u32>,
    ) -> u32 {
        let mut area = 0;
        let mut stack = vec![(first, depth)];
        while let Some((node, depth)) = stack.pop() {
            trail.push(node);
            let readers = &mut self.readers[node as usize];
            let turned = if add {
                *readers += 1;
                *readers == 1
            } else {
                *readers -= 1;
                *readers == 0
            };
            let Some(cut) = self.cuts[node as usize]
                .0
                .get(usize::from(self.choice[node as usize]))
            else {
                continue;
            };
            if turned {
                area += library.cost(cut.table);
                if depth > 0 {
                    stack.extend(cut.leaves().iter().map(|&leaf| (leaf, depth - 1)));
                }
            }
        }
        area
    }

    fn undo(&mut self, trail: &mut Vec<u32>, added: bool) {
        for node in trail.drain(..) {
            let readers = &mut self.readers[node as usize];
            *readers = if added { *readers - 1 } else { *readers + 1 };
        }
    }

    /// A round of exact area.
    fn recover(&mut self, library: &Library) {
        let mut removed = Vec::new();
        let mut added = Vec::new();
        for node in 0..self.cuts.len() {
            if self.readers[node] == 0 || self.cuts[node].0.len() < 2 {
                continue;
            }
            let old = self.choice[node];
            let leaves = |cover: &Cover, choice: u8| -> SmallLeaves {
                cover.cuts[node].0[usize::from(choice)].leaves().into()
            };
            for leaf in leaves(self, old) {
                self.walk(leaf, library, DEPTH, false, &mut removed);
            }
            let mut best = (u32::MAX, 0, old);
            for choice in 0..self.cuts[node].0.len() as u8 {
                let mut area = library.cost(self.cuts[node].0[usize::from(choice)].table);
                let inputs = leaves(self, choice);
                let count = inputs.len();
                for leaf in inputs {
                    area += self.walk(leaf, library, DEPTH, true, &mut added);
                }
                self.undo(&mut added, true);
                if (area, count) < (best.0, best.1) || best.0 == u32::MAX {
                    best = (area, count, choice);
                }
            }
            self.undo(&mut removed, false);
            if best.2 != old {
                // Taken before it is given up: what both need stays as it is.
                for leaf in leaves(self, best.2) {
                    self.walk(leaf, library, usize::MAX, true, &mut added);
                }
                for leaf in leaves(self, old) {
                    self.walk(leaf, library, usize::MAX, false, &mut removed);
                }
                added.clear();
                removed.clear();
                self.choice[node] = best.2;
            }
        }
    }
}

/// The nodes of a cut.
type SmallLeaves = smallvec::SmallVec<[u32; 3]>;
