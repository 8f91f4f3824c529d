//! The next hop to every destination, as routers have it that know the state of all links.

use super::packet_clocks;
use crosswave_base::random::splitmix;
use crosswave_frame::graph::{Graph, GraphHop};
use crosswave_frame::route::Towards;

/// Metric by which routers choose paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlowRouting {
    /// The fewest hops, for ever.
    Hops,
    /// The fewest clocks for a packet: those on the links, and those of the packets that waited
    /// for them when the tables were made, which is every so many clocks.
    Adaptive {
        /// Clocks from tables to tables.
        update_clocks: u64,
    },
}

/// The next hop from every node to every processor.
#[derive(Debug, Clone)]
pub struct Tables {
    /// By destination, then by node; none at the destination.
    next: Vec<Option<GraphHop>>,
    nodes: usize,
}

impl Tables {
    /// Tables of the fewest hops, or of the least costs, which are by [`GraphHop::index`]. Among
    /// equals one is drawn for each node and destination.
    pub fn new(graph: &Graph, costs: Option<&[u32]>, seed: u64) -> Tables {
        let nodes = graph.nodes();
        let mut next = Vec::new();
        for destination in graph.processors() {
            let towards = match costs {
                None => Towards::by_hops(graph, destination),
                Some(costs) => Towards::by_costs(graph, destination, costs),
            };
            for node in 0..nodes {
                let key = u64::from(destination) * u64::from(nodes) + u64::from(node);
                let equals = towards.next(node).count();
                let draw = splitmix(seed ^ splitmix(key)) as usize;
                let chosen = draw.checked_rem(equals);
                let arc = chosen.and_then(|chosen| towards.next(node).nth(chosen));
                next.push(arc.filter(|_| node != destination).map(|arc| arc.hop));
            }
        }
        Tables {
            next,
            nodes: nodes as usize,
        }
    }

    /// Tables without entries.
    pub fn unknown(graph: &Graph) -> Tables {
        let nodes = graph.nodes() as usize;
        Tables {
            next: vec![None; nodes * graph.processors().len()],
            nodes,
        }
    }

    /// The hop from a node towards a processor; none when it is there.
    pub fn next(&self, node: u32, destination: u32) -> Option<GraphHop> {
        self.next[destination as usize * self.nodes + node as usize]
    }
}

/// The clocks of a packet over each hop where nothing else is under way: costs of
/// [`Tables::new`].
pub fn idle_costs(graph: &Graph, bytes: u64, delay_clocks: u64) -> Vec<u32> {
    let both = |wires| [packet_clocks(bytes, wires) + delay_clocks; 2];
    let links = graph.links().iter();
    let clocks = links.flat_map(|link| both(link.capacity));
    clocks.map(|clocks| clocks as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows::{DELAY_CLOCKS, PACKET_BYTES};
    use crosswave_frame::shape::{Family, FrameShape, ShapeOptions};

    fn linked(family: Family) -> Graph {
        let options = ShapeOptions {
            leaf_links: family != Family::ButterflyFatTree,
            ..ShapeOptions::of(family)
        };
        Graph::new(FrameShape::with_options(family, 4, 3, options).unwrap())
    }

    /// Tables lead everywhere by as many hops as there are at least, whatever is drawn.
    #[test]
    fn tables_lead_to_their_destinations() {
        for family in Family::ALL {
            let graph = linked(family);
            for seed in [1, 2] {
                let tables = Tables::new(&graph, None, seed);
                for destination in graph.processors() {
                    let towards = Towards::by_hops(&graph, destination);
                    for source in 0..graph.nodes() {
                        let (mut at, mut hops) = (source, 0);
                        while let Some(hop) = tables.next(at, destination) {
                            at = graph.ends(hop).1;
                            hops += 1;
                        }
                        assert_eq!((at, hops), (destination, towards.left(source)));
                    }
                }
            }
        }
    }

    /// A wide link above costs less than narrow ones below.
    #[test]
    fn costs_are_those_of_rates() {
        let graph = linked(Family::FatPyramid);
        let costs = idle_costs(&graph, PACKET_BYTES, DELAY_CLOCKS);
        for (number, link) in graph.links().iter().enumerate() {
            let expected = match link.capacity {
                1 => 4_500,
                2 => 2_500,
                4 => 1_500,
                other => panic!("a link of {other} wires"),
            };
            assert_eq!(costs[2 * number..2 * number + 2], [expected; 2]);
        }
    }
}
