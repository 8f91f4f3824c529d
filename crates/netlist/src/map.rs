//! Technology mapping: a leaf module as functions of three inputs.
//!
//! The gates become a graph of two-input nodes ([`graph`]), each node gets a few
//! *cuts* ([`cuts`]), and a cover of the graph by cuts is chosen for the fewest
//! instructions ([`cover`]); depth does not matter. Inverters vanish into the
//! tables of whoever reads them.
//!
//! Time and space are near linear: at most 81 joins of cuts a node.

mod cover;
mod cuts;
mod graph;
mod influence;
mod library;
pub mod table;
#[cfg(test)]
mod tests;

pub use library::{Library, PairExpressions, PairInstruction};

use super::leaf::Leaf;
use super::model::Bit;
use cover::Cover;
use graph::{Graph, Literal, literal};
use influence::influence;

/// The origin of a leaf of the functions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeafSource {
    /// A bit of an input port.
    Input {
        /// The port.
        port: String,
        /// Its bit.
        bit: usize,
    },
    /// The register of this number in [`Leaf::registers`].
    Register(usize),
}

/// The source of a value that a function reads, a register takes or an output shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MappedValue {
    /// A constant.
    Constant(bool),
    /// A leaf, by number.
    Leaf(u32),
    /// The result of a function, by number.
    Function(u32),
}

/// A function of up to three inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lut {
    /// Its truth table: bit `4 * a + 2 * b + c` for inputs `a`, `b`, `c`.
    pub table: u8,
    /// The inputs. Those it does not depend on are last, and constants.
    pub inputs: [MappedValue; 3],
}

/// A module as functions of three inputs.
///
/// To evaluate a cycle: set the leaves, evaluate `functions` in order, read `next`
/// and `outputs`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapped {
    /// The leaves that are read: inputs in the order of the ports, then registers.
    pub leaves: Vec<LeafSource>,
    /// The functions, by level; each comes after those it reads.
    pub functions: Vec<Lut>,
    /// The value that each register takes.
    pub next: Vec<MappedValue>,
    /// Output ports and their bits.
    pub outputs: Vec<(String, Vec<MappedValue>)>,
    /// A value that is 1 wherever anything depends on the input bit that was asked for, and elsewhere
    /// as a rule 0; `None` when there is no such bit, or it is taken as it is.
    pub influence: Option<MappedValue>,
}

impl Mapped {
    /// Maps a module for the least cost by `library`.
    pub fn new(leaf: &Leaf, library: &Library) -> Mapped {
        Mapped::with_influence(leaf, library, None)
    }

    /// The same, with the [influence](Mapped::influence) of a bit of an input port.
    pub fn with_influence(
        leaf: &Leaf,
        library: &Library,
        watched: Option<(&str, usize)>,
    ) -> Mapped {
        let mut graph = Graph::new(leaf.gates.len());
        let mut nets: Vec<Option<Literal>> = vec![None; leaf.nets()];
        let mut sources = Vec::new();
        for port in leaf.inputs() {
            for (bit, &net) in port.bits.iter().enumerate() {
                if let Bit::Net(net) = net {
                    nets[net.index()] = Some(graph.leaf());
                    let port = port.name.clone();
                    sources.push(LeafSource::Input { port, bit });
                }
            }
        }
        for (index, register) in leaf.registers.iter().enumerate() {
            nets[register.q.index()] = Some(graph.leaf());
            sources.push(LeafSource::Register(index));
        }
        for gate in &leaf.gates {
            let inputs: smallvec::SmallVec<[Literal; 4]> =
                gate.inputs.iter().map(|&bit| literal(&nets, bit)).collect();
            nets[gate.output.index()] = Some(graph.gate(gate.function, &inputs));
        }
        let data = leaf.registers.iter().map(|register| register.data);
        let driven = leaf.outputs().flat_map(|port| port.bits.iter().copied());
        let mut roots: Vec<Literal> = data.chain(driven).map(|bit| literal(&nets, bit)).collect();
        let watched = watched.and_then(|(port, bit)| {
            let port = port.to_owned();
            let input = LeafSource::Input { port, bit };
            // Leaves come after the constant.
            let input = 1 + sources.iter().position(|source| *source == input)? as u32;
            influence(&mut graph, input, &roots)
        });
        roots.extend(watched);
        let cover = Cover::new(&graph, &roots, library);
        let roots: Vec<Literal> = roots.iter().map(|&root| cover.resolve(root)).collect();
        let (leaves, functions, values) = extract(&cover, graph.nodes.len(), sources, &roots);
        let mut values = values.into_iter();
        let influence = watched.and_then(|_| values.next_back());
        Mapped {
            leaves,
            functions,
            next: values.by_ref().take(leaf.registers.len()).collect(),
            outputs: leaf
                .outputs()
                .map(|port| {
                    let bits = values.by_ref().take(port.bits.len()).collect();
                    (port.name.clone(), bits)
                })
                .collect(),
            influence,
        }
    }
}

/// The leaves and functions that are needed, and the value of each root.
fn extract(
    cover: &Cover,
    nodes: usize,
    sources: Vec<LeafSource>,
    roots: &[Literal],
) -> (Vec<LeafSource>, Vec<Lut>, Vec<MappedValue>) {
    // A node that is only wanted inverted is computed so.
    let mut wanted = vec![[false; 2]; nodes];
    for root in roots {
        wanted[root.node() as usize][usize::from(root.inverted())] = true;
    }
    let mut used = vec![false; nodes];
    roots
        .iter()
        .for_each(|root| used[root.node() as usize] = true);
    let mut level = vec![0_u32; nodes];
    let mut inner = Vec::new();
    for node in 0..nodes as u32 {
        if let Some(cut) = cover.cut(node) {
            let leaves = cut.leaves();
            leaves.iter().for_each(|&leaf| used[leaf as usize] = true);
            let below = leaves.iter().map(|&leaf| level[leaf as usize]).max();
            level[node as usize] = 1 + below.unwrap_or(0);
            inner.push(node);
        }
    }
    inner.sort_by_key(|&node| level[node as usize]);

    let mut value = vec![MappedValue::Constant(false); nodes];
    let mut leaves = Vec::new();
    for (index, source) in sources.into_iter().enumerate() {
        if used[index + 1] {
            value[index + 1] = MappedValue::Leaf(leaves.len() as u32);
            leaves.push(source);
        }
    }
    let inverted = |node: u32| wanted[node as usize] == [false, true];
    let mut functions: Vec<Lut> = Vec::with_capacity(inner.len());
    for &node in &inner {
        let Some(cut) = cover.cut(node) else { continue };
        let mut lut = Lut {
            table: cut.table,
            inputs: [MappedValue::Constant(false); 3],
        };
        for (variable, &leaf) in cut.leaves().iter().enumerate() {
            lut.inputs[variable] = value[leaf as usize];
            if cover.cut(leaf).is_some() && inverted(leaf) {
                lut.table = table::flip(lut.table, variable);
            }
        }
        if inverted(node) {
            lut.table = !lut.table;
        }
        value[node as usize] = MappedValue::Function(functions.len() as u32);
        functions.push(lut);
    }
    // Complements of leaves, and of functions that are wanted both ways.
    let mut complement = vec![None; nodes];
    let mut of_root = |root: &Literal| {
        let node = root.node() as usize;
        if node == 0 {
            return MappedValue::Constant(root.inverted());
        }
        let computed_inverted = cover.cut(root.node()).is_some() && inverted(root.node());
        if root.inverted() == computed_inverted {
            return value[node];
        }
        *complement[node].get_or_insert_with(|| {
            functions.push(Lut {
                table: !table::A,
                inputs: [
                    value[node],
                    MappedValue::Constant(false),
                    MappedValue::Constant(false),
                ],
            });
            MappedValue::Function(functions.len() as u32 - 1)
        })
    };
    let values = roots.iter().map(&mut of_root).collect();
    (leaves, functions, values)
}
