//! The influence of an input: a condition without which no root depends on it.
//!
//! What depends on an input is its cone. If no node of a *cut* through the cone, which all ways
//! from the input to the roots pass, changes with the input, no root does: the condition is that
//! the Boolean differences of the cut's nodes are not all 0. It is exact at the cut, and what
//! follows the cut may still hide the input. Of the cuts with the fewest nodes the one nearest to
//! the roots is taken, since a later one is crossed less often. It is found as the narrowest place
//! of a flow through the cone (Ford, Fulkerson, "Maximal flow through a network", 1956), in
//! which a node lets one unit through.
//!
//! The input itself is no cut: it always changes with itself.

use std::collections::BTreeMap;

use petgraph::Direction;
use petgraph::algo::dinics;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;

use super::graph::{Graph, Literal, Node};

/// More than the nodes of any cut.
const UNBOUNDED: u32 = u32::MAX / 4;

/// The literal that says whether `input` matters to any of the roots; `None` where one of them is
/// the input itself. Nodes are added to the graph.
pub fn influence(graph: &mut Graph, input: u32, roots: &[Literal]) -> Option<Literal> {
    let cone = Cone::new(graph, input);
    if roots.iter().any(|root| root.node() == input) {
        return None;
    }
    let cut = cone.cut(graph, roots);
    let values = [false, true].map(|value| cone.held(graph, value, &cut));
    let mut matters = Literal::ZERO;
    for (zero, one) in values[0].iter().zip(&values[1]) {
        let difference = graph.xor(*zero, *one);
        matters = graph.or(matters, difference);
    }
    Some(matters)
}

/// The nodes that depend on an input.
struct Cone {
    input: u32,
    /// Their numbers, in order; the input is not among them.
    nodes: Vec<u32>,
}

/// The operands of a node.
fn operands(node: Node) -> Option<[Literal; 2]> {
    match node {
        Node::Leaf => None,
        Node::And(a, b) | Node::Xor(a, b) => Some([a, b]),
    }
}

impl Cone {
    fn new(graph: &Graph, input: u32) -> Cone {
        let mut depends = vec![false; graph.nodes.len()];
        depends[input as usize] = true;
        let mut nodes = Vec::new();
        for (number, &node) in (0..).zip(&graph.nodes) {
            let operands = operands(node).into_iter().flatten();
            if operands.into_iter().any(|of| depends[of.node() as usize]) {
                depends[number as usize] = true;
                nodes.push(number);
            }
        }
        Cone { input, nodes }
    }

    /// The cut of the fewest nodes that is nearest to the roots.
    fn cut(&self, graph: &Graph, roots: &[Literal]) -> Vec<u32> {
        // A node of the cone is an edge of the flow, from where it is entered to where it is left.
        let mut flow: DiGraph<(), u32> = DiGraph::new();
        let (source, sink) = (flow.add_node(()), flow.add_node(()));
        let mut ends: BTreeMap<u32, (NodeIndex, NodeIndex)> = BTreeMap::new();
        for &node in &self.nodes {
            let (entry, exit) = (flow.add_node(()), flow.add_node(()));
            flow.add_edge(entry, exit, 1);
            ends.insert(node, (entry, exit));
            for operand in operands(graph.nodes[node as usize]).into_iter().flatten() {
                if operand.node() == self.input {
                    flow.add_edge(source, entry, UNBOUNDED);
                } else if let Some(&(_, exit)) = ends.get(&operand.node()) {
                    flow.add_edge(exit, entry, UNBOUNDED);
                }
            }
        }
        for root in roots {
            if let Some(&(_, exit)) = ends.get(&root.node()) {
                flow.add_edge(exit, sink, UNBOUNDED);
            }
        }
        let (_, flows) = dinics(&flow, source, sink);
        // The ends from which more could flow to the sink.
        let mut reaches = vec![false; flow.node_count()];
        reaches[sink.index()] = true;
        let mut stack = vec![sink];
        while let Some(at) = stack.pop() {
            let along = flow
                .edges_directed(at, Direction::Incoming)
                .filter(|edge| flows[edge.id().index()] < *edge.weight())
                .map(|edge| edge.source());
            let back = flow
                .edges_directed(at, Direction::Outgoing)
                .filter(|edge| flows[edge.id().index()] > 0)
                .map(|edge| edge.target());
            for before in along.chain(back) {
                if !std::mem::replace(&mut reaches[before.index()], true) {
                    stack.push(before);
                }
            }
        }
        let mut cut = self.nodes.clone();
        cut.retain(|node| {
            let (entry, exit) = ends[node];
            reaches[exit.index()] && !reaches[entry.index()]
        });
        cut
    }

    /// The literals of the nodes of a cut when the input is held at a value.
    fn held(&self, graph: &mut Graph, value: bool, cut: &[u32]) -> Vec<Literal> {
        let mut held = BTreeMap::from([(self.input, Literal::ZERO.invert_if(value))]);
        let last = cut.last().copied().unwrap_or(0);
        for &node in self.nodes.iter().take_while(|&&node| node <= last) {
            let of = |literal: Literal| {
                let kept = Literal::new(literal.node(), false);
                let now = held.get(&literal.node()).copied().unwrap_or(kept);
                now.invert_if(literal.inverted())
            };
            let now = match graph.nodes[node as usize] {
                Node::Leaf => unreachable!("the cone is of inner nodes"),
                Node::And(a, b) => graph.and(of(a), of(b)),
                Node::Xor(a, b) => graph.xor(of(a), of(b)),
            };
            held.insert(node, now);
        }
        cut.iter().map(|node| held[node]).collect()
    }
}
