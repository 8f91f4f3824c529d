//! Shortest paths, by hops or by costs of links, and a choice among equal ones.
//!
//! Distances are searched from the destination backwards, once for all sources, and a path takes
//! at each node one of the hops that lead nearer. Which one is drawn by a generator that is keyed
//! by the seed and the pair, so a pair keeps its path, and pairs spread over parallel links.
//! A search costs time in proportion to nodes and links, with costs times a logarithm.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crosswave_base::random;

use super::distance;
use super::graph::{Arc, Graph, GraphHop};

/// The distances from every node to one destination.
#[derive(Debug, Clone)]
pub struct Towards<'a> {
    graph: &'a Graph,
    destination: u32,
    /// By [`GraphHop::index`]; `None` where every hop costs 1.
    costs: Option<&'a [u32]>,
    /// By node.
    left: Vec<u64>,
}

impl<'a> Towards<'a> {
    /// Counts hops.
    ///
    /// ```
    /// use crosswave_frame::graph::Graph;
    /// use crosswave_frame::route::Towards;
    /// use crosswave_frame::shape::{Family, FrameShape};
    /// let stack = Graph::new(FrameShape::new(Family::AugmentedFatStack, 4, 3)?);
    /// let towards = Towards::by_hops(&stack, 63);
    /// assert_eq!(towards.left(0), 5);
    /// assert_eq!(towards.route(0, 1).len(), 5);
    /// # Ok::<(), crosswave_frame::shape::ShapeError>(())
    /// ```
    pub fn by_hops(graph: &'a Graph, destination: u32) -> Towards<'a> {
        let hops = distance::from_node(graph, destination);
        Towards {
            graph,
            destination,
            costs: None,
            left: hops.into_iter().map(u64::from).collect(),
        }
    }

    /// Adds costs, one for each direction of each link, by [`GraphHop::index`]: what an adaptive
    /// router takes for the load of its links.
    ///
    /// # Panics
    /// When a direction has no cost, or the cost 0: a path might go round in a circle.
    pub fn by_costs(graph: &'a Graph, destination: u32, costs: &'a [u32]) -> Towards<'a> {
        assert_eq!(costs.len(), graph.links().len() * 2, "a cost for each hop");
        assert!(costs.iter().all(|&cost| cost > 0), "a hop costs something");
        let mut left = vec![u64::MAX; graph.nodes() as usize];
        left[destination as usize] = 0;
        let mut heap = BinaryHeap::from([Reverse((0, destination))]);
        while let Some(Reverse((cost, node))) = heap.pop() {
            if cost > left[node as usize] {
                continue;
            }
            for arc in graph.arcs(node) {
                // The hop is taken towards the destination.
                let more = cost + u64::from(costs[arc.hop.reversed().index()]);
                if more < left[arc.to as usize] {
                    left[arc.to as usize] = more;
                    heap.push(Reverse((more, arc.to)));
                }
            }
        }
        Towards {
            graph,
            destination,
            costs: Some(costs),
            left,
        }
    }

    /// The distance from a node, in hops or costs.
    pub fn left(&self, node: u32) -> u64 {
        self.left[node as usize]
    }

    /// The hops from a node that stand on a shortest path, in the order of their links; none at
    /// the destination.
    pub fn next(&self, node: u32) -> impl Iterator<Item = Arc> {
        self.graph.arcs(node).iter().copied().filter(move |arc| {
            let cost = self.costs.map_or(1, |costs| costs[arc.hop.index()]);
            self.left(arc.to) + u64::from(cost) == self.left(node)
        })
    }

    /// A shortest path from a node.
    pub fn route(&self, source: u32, seed: u64) -> Vec<GraphHop> {
        let mut walk = Walk::new(self.graph, source, self.destination, seed);
        while walk.at() != self.destination {
            let hops: Vec<Arc> = self.next(walk.at()).collect();
            walk.take_one_of(&hops);
        }
        walk.hops()
    }
}

/// A path as it is walked, with a generator of its own for the choices on it.
pub(super) struct Walk {
    at: u32,
    hops: Vec<GraphHop>,
    generator: rand_xoshiro::Xoshiro256PlusPlus,
}

impl Walk {
    /// A path that starts at a node, of a pair that keys its choices.
    pub(super) fn new(graph: &Graph, source: u32, destination: u32, seed: u64) -> Walk {
        let pair = u64::from(source) * u64::from(graph.nodes()) + u64::from(destination);
        Walk {
            at: source,
            hops: Vec::new(),
            generator: random::generator(seed, pair),
        }
    }

    /// The node that was reached.
    pub(super) fn at(&self) -> u32 {
        self.at
    }

    /// The hops that were walked.
    pub(super) fn hops(self) -> Vec<GraphHop> {
        self.hops
    }

    /// Goes on by one of several hops from where it is.
    ///
    /// # Panics
    /// When there are none.
    pub(super) fn take_one_of(&mut self, arcs: &[Arc]) {
        let choice = match arcs.len() {
            1 => 0,
            several => random::below(&mut self.generator, several as u64) as usize,
        };
        self.at = arcs[choice].to;
        self.hops.push(arcs[choice].hop);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::shape::{Family, FrameShape, ShapeOptions, SwitchForm};

    fn graph(family: Family, form: SwitchForm) -> Graph {
        let options = ShapeOptions {
            form,
            ..ShapeOptions::of(family)
        };
        Graph::new(FrameShape::with_options(family, 4, 3, options).unwrap())
    }

    /// Asserts that hops lead from node to node.
    fn assert_path(graph: &Graph, hops: &[GraphHop], source: u32, destination: u32) {
        let at = hops.iter().fold(source, |at, &hop| {
            let (from, to) = graph.ends(hop);
            assert_eq!(from, at);
            to
        });
        assert_eq!(at, destination);
    }

    #[test]
    fn paths_are_as_short_as_distances() {
        for family in Family::ALL {
            for form in [SwitchForm::Singular, SwitchForm::Split] {
                let graph = graph(family, form);
                let ones = vec![1; graph.links().len() * 2];
                for destination in [0, 21, 63] {
                    let towards = Towards::by_hops(&graph, destination);
                    let costs = Towards::by_costs(&graph, destination, &ones);
                    for source in graph.processors() {
                        let hops = towards.route(source, 7);
                        assert_path(&graph, &hops, source, destination);
                        assert_eq!(hops.len() as u64, towards.left(source));
                        assert_eq!(hops, costs.route(source, 7), "the same choices");
                    }
                }
            }
        }
    }

    #[test]
    fn seeds_choose_among_all_equal_paths() {
        // Up from level 1, and again from level 2, there are two copies to choose from.
        let graph = graph(Family::ButterflyFatTree, SwitchForm::Split);
        let towards = Towards::by_hops(&graph, 63);
        let routes: BTreeSet<Vec<GraphHop>> = (0..64).map(|seed| towards.route(0, seed)).collect();
        assert_eq!(routes.len(), 4);
        assert_eq!(towards.route(0, 5), towards.route(0, 5));
    }

    /// Against Bellman and Ford's repeated relaxing.
    #[test]
    fn costs_are_the_least() {
        for family in Family::ALL {
            let graph = graph(family, SwitchForm::Split);
            for seed in 0..4 {
                let mut generator = random::generator(seed, 0);
                let hops = graph.links().len() * 2;
                let costs: Vec<u32> = (0..hops)
                    .map(|_| 1 + random::below(&mut generator, 9) as u32)
                    .collect();
                let towards = Towards::by_costs(&graph, 17, &costs);
                let mut left = vec![u64::MAX / 2; graph.nodes() as usize];
                left[17] = 0;
                for _ in 0..graph.nodes() {
                    for node in 0..graph.nodes() {
                        for arc in graph.arcs(node) {
                            let by = left[arc.to as usize] + u64::from(costs[arc.hop.index()]);
                            left[node as usize] = left[node as usize].min(by);
                        }
                    }
                }
                for source in graph.processors() {
                    assert_eq!(towards.left(source), left[source as usize]);
                    let route = towards.route(source, seed);
                    assert_path(&graph, &route, source, 17);
                    let cost: u32 = route.iter().map(|hop| costs[hop.index()]).sum();
                    assert_eq!(u64::from(cost), left[source as usize]);
                }
            }
        }
    }
}
