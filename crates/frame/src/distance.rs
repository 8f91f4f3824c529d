//! Distances in links: what a breadth-first search finds, and what section 3 of the paper prints
//! for the general stack.
//!
//! The printed formula, for nodes 1 and 2 with addresses (c_i^1, c_i^2, ...) of |a_i| digits in
//! subnetworks of n_i nodes, is the sum over i = 1, 2 of
//!
//! ```text
//! (|c_1^1 - c_1^2| mod n_i + floor(|c_1^1 - c_1^2| / n_i)) + (sum over j < |a_i| of c_i^j + |a_i| - 1)
//! ```
//!
//! and is called a lower bound. As printed the difference is that of two digits of one address
//! ([`Reading::Literal`]); the first digits of both must be meant ([`Reading::Mended`]). Either
//! way it counts the step along the top ring twice, goes round rings in one direction only, and
//! leaves out the last digit, which is the only one that tells nodes of a ring apart.

use std::collections::VecDeque;

use super::graph::Graph;
use super::shape::{Family, FrameShape};

/// The distance from a node to every other, in links. Costs time in proportion to nodes and
/// links.
pub fn from_node(graph: &Graph, source: u32) -> Vec<u32> {
    let mut distances = vec![u32::MAX; graph.nodes() as usize];
    distances[source as usize] = 0;
    let mut queue = VecDeque::from([source]);
    while let Some(node) = queue.pop_front() {
        for arc in graph.arcs(node) {
            if distances[arc.to as usize] == u32::MAX {
                distances[arc.to as usize] = distances[node as usize] + 1;
                queue.push_back(arc.to);
            }
        }
    }
    distances
}

/// The distance from each processor to the farthest one.
pub fn eccentricities(graph: &Graph) -> Vec<u32> {
    let farthest = |source| {
        let distances = from_node(graph, source);
        let to = distances[..graph.processors().len()].iter();
        to.copied().max().unwrap_or(0)
    };
    graph.processors().map(farthest).collect()
}

/// Distances between processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// The largest.
    pub diameter: u32,
    /// Their sum over all ordered pairs.
    pub sum: u64,
    /// Ordered pairs of different processors.
    pub pairs: u64,
}

impl Summary {
    /// The mean distance.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.pairs as f64
    }
}

/// Distances between all processors. One search a processor.
pub fn summary(graph: &Graph) -> Summary {
    let processors = graph.processors().len();
    let mut summary = Summary {
        diameter: 0,
        sum: 0,
        pairs: processors as u64 * (processors as u64 - 1),
    };
    for source in graph.processors() {
        for &distance in &from_node(graph, source)[..processors] {
            summary.diameter = summary.diameter.max(distance);
            summary.sum += u64::from(distance);
        }
    }
    summary
}

/// Digits of a processor's address, from the top.
fn digits(shape: FrameShape, processor: u32) -> Vec<u32> {
    let places = (0..shape.levels()).rev();
    let digit = |place| processor / shape.ring().pow(place) % shape.ring();
    places.map(digit).collect()
}

/// The distance of two processors of a general stack, by rule: to the joint nodes of all rings
/// below the one that both are below, the shorter way round each, and along that one. `None` in
/// other families.
pub fn general_stack(shape: FrameShape, a: u32, b: u32) -> Option<u32> {
    let round = |from: u32, to: u32| {
        let steps = from.abs_diff(to);
        steps.min(shape.ring() - steps)
    };
    let (a, b) = (digits(shape, a), digits(shape, b));
    let distance = match a.iter().zip(&b).position(|(a, b)| a != b) {
        None => 0,
        Some(first) => {
            let below = a[first + 1..].iter().chain(&b[first + 1..]);
            let climbs: u32 = below.map(|&digit| round(digit, 0) + 1).sum();
            round(a[first], b[first]) + climbs
        }
    };
    (shape.family() == Family::GeneralFatStack).then_some(distance)
}

/// The digits that the printed formula subtracts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// The first digits of the two nodes, |c_1^1 - c_2^1|.
    Mended,
    /// The first two digits of node 1, |c_1^1 - c_1^2|.
    Literal,
}

/// The paper's formula for two processors of a general stack. `None` in other families, and
/// where node 1 has no second digit for [`Reading::Literal`].
pub fn printed(shape: FrameShape, reading: Reading, a: u32, b: u32) -> Option<u32> {
    if shape.family() != Family::GeneralFatStack {
        return None;
    }
    let (a, b) = (digits(shape, a), digits(shape, b));
    let difference = match reading {
        Reading::Mended => a[0].abs_diff(b[0]),
        Reading::Literal => a[0].abs_diff(*a.get(1)?),
    };
    let ring = shape.ring();
    let term = |digits: &[u32]| {
        let above = digits.len() - 1;
        difference % ring + difference / ring + digits[..above].iter().sum::<u32>() + above as u32
    };
    Some(term(&a) + term(&b))
}

/// The printed formula beside distances that were searched, over ordered pairs of different
/// processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comparison {
    /// Pairs.
    pub pairs: u64,
    /// Pairs of which the formula says more than the distance, as no lower bound may.
    pub above: u64,
    /// Pairs of which it says less.
    pub below: u64,
    /// The most that it says.
    pub printed_max: u32,
    /// The largest distance.
    pub true_max: u32,
}

/// Compares the printed formula with searches of the whole network. `None` where the formula
/// says nothing.
pub fn compare(graph: &Graph, reading: Reading) -> Option<Comparison> {
    let mut comparison = Comparison {
        pairs: 0,
        above: 0,
        below: 0,
        printed_max: 0,
        true_max: 0,
    };
    for a in graph.processors() {
        let distances = from_node(graph, a);
        for b in graph.processors().filter(|&b| b != a) {
            let (said, distance) = (
                printed(graph.shape(), reading, a, b)?,
                distances[b as usize],
            );
            comparison.pairs += 1;
            comparison.above += u64::from(said > distance);
            comparison.below += u64::from(said < distance);
            comparison.printed_max = comparison.printed_max.max(said);
            comparison.true_max = comparison.true_max.max(distance);
        }
    }
    Some(comparison)
}

/// Theorem 3.1: the levels of links that a packet climbs at least, log_n N less the place of the
/// first digit in which the addresses differ, counted from 1; 0 for a node and itself. Counted
/// from 0, as the theorem's index is, it is one more: the levels of subnetworks. That the
/// minimum is taken of places, not of truths, is a reading.
///
/// In the general stack no shortest path climbs more. Where every node has a link upwards, paths
/// that turn in a common ancestor climb one more, as all do where leaves have no links.
pub fn theorem_3_1(shape: FrameShape, a: u32, b: u32) -> u32 {
    let (a, b) = (digits(shape, a), digits(shape, b));
    let first = a.iter().zip(&b).position(|(a, b)| a != b);
    first.map_or(0, |first| shape.levels() - 1 - first as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::ShapeOptions;

    fn graph(family: Family, ring: u32, levels: u32) -> Graph {
        Graph::new(FrameShape::new(family, ring, levels).unwrap())
    }

    /// The figures for n = 4 and three levels: 3,842 of 4,032 pairs differ.
    #[test]
    fn the_printed_formula_is_no_lower_bound() {
        let stack = graph(Family::GeneralFatStack, 4, 3);
        let expected = |above, below| Comparison {
            pairs: 4032,
            above,
            below,
            printed_max: 19,
            true_max: 14,
        };
        assert_eq!(compare(&stack, Reading::Mended), Some(expected(3732, 110)));
        assert_eq!(compare(&stack, Reading::Literal), Some(expected(3420, 345)));
        let one = graph(Family::GeneralFatStack, 4, 1);
        assert_eq!(compare(&one, Reading::Literal), None);
        assert_eq!(
            compare(&graph(Family::FatPyramid, 4, 2), Reading::Mended),
            None
        );
    }

    #[test]
    fn searches_find_what_the_rule_of_the_general_stack_says() {
        for (ring, levels) in [(3, 1), (3, 4), (4, 3), (5, 2), (6, 2), (9, 1)] {
            let stack = graph(Family::GeneralFatStack, ring, levels);
            let mut largest = 0;
            for a in stack.processors() {
                let distances = from_node(&stack, a);
                for b in stack.processors() {
                    let distance = distances[b as usize];
                    assert_eq!(general_stack(stack.shape(), a, b), Some(distance));
                    largest = largest.max(distance);
                }
            }
            // All rings but the top one are crossed twice, halfway round.
            assert_eq!(largest, (2 * levels - 1) * (ring / 2) + 2 * (levels - 1));
            assert_eq!(largest, summary(&stack).diameter);
        }
    }

    #[test]
    fn packets_of_a_general_stack_climb_as_theorem_3_1_says() {
        let stack = graph(Family::GeneralFatStack, 3, 3);
        for a in stack.processors() {
            let (from_a, shape) = (from_node(&stack, a), stack.shape());
            for b in stack.processors() {
                let from_b = from_node(&stack, b);
                let on_path = (0..stack.nodes()).filter(|&node| {
                    let node = node as usize;
                    from_a[node] + from_b[node] == from_a[b as usize]
                });
                let climbed = on_path.map(|node| stack.node(node).level).max();
                assert_eq!(climbed, Some(theorem_3_1(shape, a, b)));
            }
        }
    }

    /// Distances in a tree: 2k at most, and 2h for the pairs that meet in level h.
    #[test]
    fn distances_of_64_processors() {
        let of = |family| summary(&graph(family, 4, 3));
        let tree = of(Family::ButterflyFatTree);
        assert_eq!((tree.diameter, tree.pairs), (6, 4032));
        assert_eq!(tree.sum, 64 * (3 * 2 + 12 * 4 + 48 * 6));
        let (stack, pyramid) = (of(Family::AugmentedFatStack), of(Family::FatPyramid));
        assert!(stack.sum < tree.sum && pyramid.sum < stack.sum);
        assert_eq!((stack.diameter, pyramid.diameter), (6, 6));
        let eccentricities = eccentricities(&graph(Family::ButterflyFatTree, 4, 3));
        assert!(eccentricities.iter().all(|&farthest| farthest == 6));
    }

    #[test]
    fn leaf_links_shorten() {
        for family in [Family::AugmentedFatStack, Family::FatPyramid] {
            let options = ShapeOptions {
                leaf_links: true,
                ..ShapeOptions::of(family)
            };
            let linked = Graph::new(FrameShape::with_options(family, 4, 3, options).unwrap());
            let (with, without) = (summary(&linked), summary(&graph(family, 4, 3)));
            assert!(with.sum < without.sum && with.diameter <= without.diameter);
        }
    }
}
