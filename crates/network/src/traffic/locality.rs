//! Destinations by their distance in a network that is a tree, or is numbered like one.
//!
//! Nodes fall into groups of levels: those of a group are numbered one after the other, and the
//! groups of a level are made of whole groups of the level below. A message *goes through* the
//! lowest level of which one group has both its source and its destination. The level is drawn
//! by weights, and the destination uniformly among the nodes that it leads to.

use rand_core::Rng;

use super::Fault;
use crosswave_base::random;

/// The largest weight of a level.
pub const WEIGHT_MAX: u32 = 1_000_000;

/// Traffic by levels.
///
/// ```
/// use crosswave_network::traffic::Locality;
/// let tree = Locality { groups: vec![4, 16, 64], weights: vec![3, 0, 1] };
/// assert_eq!(tree.level(0, 3), 0);
/// assert_eq!(tree.level(0, 63), 2);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Locality {
    /// Nodes of a group of each level, the lowest first: multiples of those before, and all
    /// nodes at the end.
    pub groups: Vec<u32>,
    /// Frequency of messages through each level, relative to the others, up to [`WEIGHT_MAX`].
    pub weights: Vec<u32>,
}

impl Locality {
    /// The level through which a message between two nodes goes, from 0.
    ///
    /// # Panics
    /// When no group has both.
    pub fn level(&self, source: u32, destination: u32) -> usize {
        let same = |&size: &u32| source / size == destination / size;
        let level = self.groups.iter().position(same);
        level.expect("the last group has all nodes")
    }

    /// The first mismatch with a network of so many nodes.
    pub fn faults(&self, nodes: u32) -> Option<Fault> {
        let fault = |message: String, help: &str| {
            Some(Fault {
                key: "levels",
                entry: None,
                message,
                help: help.into(),
            })
        };
        let (levels, weights) = (self.groups.len(), self.weights.len());
        if levels != weights {
            let help = "give a weight for each level, the lowest first";
            return fault(
                format!("found a list of {weights}; expected {levels} weights"),
                help,
            );
        }
        let nested = self.groups.windows(2).all(|pair| {
            let [inner, outer] = [pair[0], pair[1]];
            inner > 0 && outer > inner && outer % inner == 0
        });
        let first = self.groups.first().is_some_and(|&size| size > 1);
        if !nested || !first || self.groups.last() != Some(&nodes) {
            let message = format!("groups of {:?} of {nodes} nodes", self.groups);
            return fault(
                message,
                "each is a multiple of the one before; the last has all nodes",
            );
        }
        if self.weights.iter().all(|&weight| weight == 0) {
            return fault("all weights are 0".into(), "give some level a weight");
        }
        None
    }

    /// Draws a destination for a source.
    pub fn draw(&self, source: u32, generator: &mut impl Rng) -> u32 {
        let total = self.weights.iter().map(|&weight| u64::from(weight)).sum();
        let mut left = random::below(generator, total);
        let passed = |&weight: &u32| {
            let here = left < u64::from(weight);
            left = left.saturating_sub(u64::from(weight));
            here
        };
        let level = self.weights.iter().position(passed);
        let level = level.expect("what is drawn is below the sum");
        let outer = self.groups[level];
        let inner = match level {
            0 => 1,
            level => self.groups[level - 1],
        };
        // The nodes of the group but for those of the source's own group below.
        let own = source / inner * inner;
        let other = random::below(generator, u64::from(outer - inner)) as u32;
        let destination = source / outer * outer + other;
        destination + if destination >= own { inner } else { 0 }
    }
}
