//! A routing as a table: for every pair of nodes its top switches, with weights.
//!
//! | file | holds |
//! |---|---|
//! | `table` | the table |
//! | [`csv`] | tables as text: the ports of every path |
//!
//! Weights of a pair's paths are whole numbers, of which only their proportion counts. Shares need as
//! many units in all for every pair: the least common multiple of the pairs' sums.
//!
//! Limits: [`NODES_MAX`] nodes, [`PATHS_MAX`] paths, [`UNITS_MAX`] units. A table takes 4 bytes for each
//! pair and 8 for each path; making one takes 16 more for each path, and reading CSV 40 more.

pub mod csv;

use std::fmt;

use super::multiple;
use super::routing::{Routing, Share};
use super::tree::PortTree;

/// The most nodes of a tree with a table: 2^26 pairs.
pub const NODES_MAX: u32 = 1 << 13;

/// The most paths of all pairs.
pub const PATHS_MAX: usize = 1 << 28;

/// The most units that a pair's traffic is divided into.
pub const UNITS_MAX: u32 = u32::MAX;

/// A path, and what it carries of its pair's traffic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct WeightedPath {
    /// The sending node.
    pub source: u32,
    /// The receiving node.
    pub destination: u32,
    /// The top switch, of the [`PortTree::tops`] that the pair has.
    pub top: u32,
    /// In proportion to the other paths of the pair; at least 1.
    pub weight: u32,
}

/// The reason why paths make no table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableError {
    /// The tree has more than [`NODES_MAX`] nodes.
    Nodes {
        /// The tree.
        tree: PortTree,
    },
    /// There are more than [`PATHS_MAX`] paths.
    Paths,
    /// Pairs have no path.
    Missing {
        /// The first one, sources ascending.
        first: (u32, u32),
        /// Number of pairs without a path.
        count: u64,
    },
    /// No common multiple of the sums of weights is within [`UNITS_MAX`].
    Units {
        /// The pair whose weights are too many.
        pair: (u32, u32),
        /// Their sum, without common factors.
        sum: u64,
    },
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableError::Nodes { tree } => write!(
                f,
                "found {tree} with {} nodes, expected at most {NODES_MAX}",
                tree.nodes()
            ),
            TableError::Paths => write!(f, "found more than {PATHS_MAX} paths"),
            TableError::Missing {
                first: (source, destination),
                count,
            } => write!(
                f,
                "found no path from node {source} to node {destination}, and none for {count} pairs in \
                 all; expected one for every pair"
            ),
            TableError::Units {
                pair: (source, destination),
                sum,
            } => write!(
                f,
                "the weights from node {source} to node {destination} sum to {sum}, and the least common \
                 multiple of this sum and those of other pairs is above {UNITS_MAX}"
            ),
        }
    }
}

impl std::error::Error for TableError {}

/// A routing as a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathTable {
    tree: PortTree,
    name: String,
    units: u32,
    /// The first share of each pair, sources ascending, and the end of the last ones.
    starts: Vec<u32>,
    shares: Vec<Share>,
}

/// The weights of a pair's paths less their common factors, and the sum of these.
fn reduced(weights: impl Iterator<Item = u32> + Clone) -> (u64, u64) {
    let divisor = weights
        .clone()
        .fold(0, |divisor, weight| {
            multiple::divisor(divisor, weight.into())
        })
        .max(1);
    (divisor, weights.map(u64::from).sum::<u64>() / divisor)
}

impl PathTable {
    /// Checks that a tree may have a table.
    ///
    /// # Errors
    /// When it has too many nodes.
    pub fn check(tree: PortTree) -> Result<(), TableError> {
        match tree.nodes() <= NODES_MAX {
            true => Ok(()),
            false => Err(TableError::Nodes { tree }),
        }
    }

    /// The table of some paths, in any order. Weights of a path that comes several times are added up.
    ///
    /// # Errors
    /// When the tree has too many nodes, there are too many paths, a pair has none, or the weights
    /// need too many units.
    ///
    /// # Panics
    /// When a path is not one of its pair, a pair is a node and itself, a weight is 0, or those of a
    /// path add up to 2^32.
    pub fn new(
        tree: PortTree,
        name: impl Into<String>,
        mut paths: Vec<WeightedPath>,
    ) -> Result<Self, TableError> {
        PathTable::check(tree)?;
        if paths.len() > PATHS_MAX {
            return Err(TableError::Paths);
        }
        for path in &paths {
            assert!(path.source.max(path.destination) < tree.nodes(), "a pair");
            assert_ne!(path.source, path.destination, "a pair");
            assert!(path.top < tree.tops(path.source, path.destination), "a top");
            assert!(path.weight > 0, "a weight");
        }
        paths.sort_unstable();
        paths.dedup_by(|next, kept| {
            let key = |path: &WeightedPath| (path.source, path.destination, path.top);
            let same = key(next) == key(kept);
            if same {
                let sum = kept.weight.checked_add(next.weight);
                kept.weight = sum.expect("weights of a path");
            }
            same
        });

        let pair = |path: &WeightedPath| (path.source, path.destination);
        let weights = |group: &[WeightedPath]| {
            let weights: Vec<u32> = group.iter().map(|path| path.weight).collect();
            reduced(weights.iter().copied())
        };
        let mut units = 1;
        for group in paths.chunk_by(|a, b| pair(a) == pair(b)) {
            let (_, sum) = weights(group);
            let pair = pair(&group[0]);
            units = multiple::multiple(units, sum).ok_or(TableError::Units { pair, sum })?;
        }

        let pairs = tree.nodes() as usize * tree.nodes() as usize;
        let mut starts = Vec::with_capacity(pairs + 1);
        let mut shares = Vec::with_capacity(paths.len());
        let mut missing = (0, None);
        let mut groups = paths.chunk_by(|a, b| pair(a) == pair(b)).peekable();
        for source in 0..tree.nodes() {
            for destination in 0..tree.nodes() {
                starts.push(shares.len() as u32);
                let next = groups.next_if(|group| pair(&group[0]) == (source, destination));
                if let Some(group) = next {
                    let (divisor, sum) = weights(group);
                    let scale = u64::from(units) / sum;
                    shares.extend(group.iter().map(|path| Share {
                        top: path.top,
                        units: (u64::from(path.weight) / divisor * scale) as u32,
                    }));
                } else if source != destination {
                    missing.0 += 1;
                    missing.1.get_or_insert((source, destination));
                }
            }
        }
        starts.push(shares.len() as u32);
        match missing {
            (count, Some(first)) => Err(TableError::Missing { first, count }),
            (_, None) => Ok(PathTable {
                tree,
                name: name.into(),
                units,
                starts,
                shares,
            }),
        }
    }

    /// The table of a routing, of the same name.
    ///
    /// # Errors
    /// When the tree has too many nodes, there are too many paths, or a pair has none.
    pub fn of(routing: &dyn Routing) -> Result<Self, TableError> {
        let tree = routing.tree();
        PathTable::check(tree)?;
        let mut paths = Vec::new();
        let mut shares = Vec::new();
        for source in 0..tree.nodes() {
            for destination in (0..tree.nodes()).filter(|&other| other != source) {
                routing.shares(source, destination, &mut shares);
                if paths.len() + shares.len() > PATHS_MAX {
                    return Err(TableError::Paths);
                }
                paths.extend(shares.iter().map(|share| WeightedPath {
                    source,
                    destination,
                    top: share.top,
                    weight: share.units,
                }));
            }
        }
        PathTable::new(tree, routing.name(), paths)
    }

    /// The number of paths of all pairs.
    pub fn paths(&self) -> usize {
        self.shares.len()
    }
}

impl Routing for PathTable {
    fn tree(&self) -> PortTree {
        self.tree
    }

    fn name(&self) -> String {
        self.name.clone()
    }

    fn units(&self) -> u32 {
        self.units
    }

    fn shares(&self, source: u32, destination: u32, shares: &mut Vec<Share>) {
        let pair = source as usize * self.tree.nodes() as usize + destination as usize;
        let range = self.starts[pair] as usize..self.starts[pair + 1] as usize;
        shares.clear();
        shares.extend_from_slice(&self.shares[range]);
    }

    fn bytes(&self) -> u64 {
        (size_of_val(&self.starts[..]) + size_of_val(&self.shares[..])) as u64
    }
}

#[cfg(test)]
mod tests;
