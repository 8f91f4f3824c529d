//! The load of links under a traffic matrix, and its ratio to the best (section II.A).
//!
//! No routing brings the maximum link load below the *base load*, the most that a node sends or
//! receives, and OMRMN attains it (corollary 1). So the *performance ratio* of a routing is its
//! maximum link load over the base load, on a tree without faults.
//!
//! A matrix is sparse: the sum of its entries is below 2^32, so that loads, in units of the
//! routing, are exact.

use num_rational::Ratio;

use super::routing::{Routing, by_port};
use super::tree::{LinkDirection, TreeLink};

/// The amount that a source sends to a destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Demand {
    /// The sending node.
    pub source: u32,
    /// The receiving node.
    pub destination: u32,
    /// The amount sent.
    pub amount: u32,
}

/// A traffic matrix TM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrafficMatrix {
    nodes: u32,
    /// By ascending source and destination, each pair once.
    demands: Vec<Demand>,
}

impl TrafficMatrix {
    /// The sum of demands, in any order. What a node sends to itself takes no link and is left out,
    /// as are demands of nothing.
    ///
    /// # Panics
    /// When a node is not below `nodes`, or the amounts come to 2^32 or more.
    pub fn new(nodes: u32, demands: impl IntoIterator<Item = Demand>) -> Self {
        let mut demands: Vec<Demand> = demands
            .into_iter()
            .filter(|demand| demand.source != demand.destination && demand.amount > 0)
            .collect();
        demands.sort_unstable();
        let mut total = 0u64;
        for demand in &demands {
            let highest = demand.source.max(demand.destination);
            assert!(highest < nodes, "found node {highest} of {nodes}");
            total += u64::from(demand.amount);
        }
        assert!(total < 1 << 32, "a traffic matrix sums to {total}");
        demands.dedup_by(|next, kept| {
            let same = (next.source, next.destination) == (kept.source, kept.destination);
            if same {
                kept.amount += next.amount;
            }
            same
        });
        TrafficMatrix { nodes, demands }
    }

    /// One unit of traffic for each pair.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    pub fn of_pairs(nodes: u32, pairs: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let demand = |(source, destination)| Demand {
            source,
            destination,
            amount: 1,
        };
        Self::new(nodes, pairs.into_iter().map(demand))
    }

    /// The number of nodes.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// The entries that are not 0, by ascending source and destination.
    pub fn demands(&self) -> &[Demand] {
        &self.demands
    }

    /// The most that any node sends in all, or receives.
    pub fn base_load(&self) -> u64 {
        let mut sent = vec![0u64; self.nodes as usize];
        let mut received = sent.clone();
        for demand in &self.demands {
            sent[demand.source as usize] += u64::from(demand.amount);
            received[demand.destination as usize] += u64::from(demand.amount);
        }
        sent.into_iter().chain(received).max().unwrap_or(0)
    }
}

/// The load of every link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkLoads {
    /// Units of a demand of 1.
    units: u32,
    /// By the links' dense numbers, in units.
    links: Vec<u64>,
}

impl LinkLoads {
    /// Those of a traffic matrix under a routing.
    ///
    /// # Panics
    /// When the matrix has another number of nodes than the tree.
    pub fn new(routing: &dyn Routing, traffic: &TrafficMatrix) -> Self {
        let tree = routing.tree();
        assert_eq!(traffic.nodes(), tree.nodes(), "nodes of the traffic matrix");
        let mut links = vec![0; tree.links() as usize];
        let mut shares = Vec::new();
        for demand in traffic.demands() {
            let (source, destination) = (demand.source, demand.destination);
            let meeting = tree.meeting_height(source, destination);
            routing.shares(source, destination, &mut shares);
            for height in 0..=meeting {
                for share in by_port(tree, meeting, height, &shares) {
                    let load = u64::from(share.units) * u64::from(demand.amount);
                    for (node, direction) in [
                        (source, LinkDirection::Up),
                        (destination, LinkDirection::Down),
                    ] {
                        let link = tree.link_of(node, height, share.port, direction);
                        links[tree.index(link)] += load;
                    }
                }
            }
        }
        let units = routing.units();
        LinkLoads { units, links }
    }

    /// The load of the link of a dense number.
    pub fn of(&self, index: usize) -> Ratio<u64> {
        Ratio::new(self.links[index], u64::from(self.units))
    }

    /// The maximum link load, MLOAD, and the dense number of the first link that has it.
    pub fn max(&self) -> (Ratio<u64>, usize) {
        let most = self.links.iter().copied().max().unwrap_or(0);
        let index = self.links.iter().position(|&load| load == most);
        let index = index.unwrap_or(0);
        (self.of(index), index)
    }
}

/// PERF(r, TM): the maximum link load over the base load; none where nothing is sent.
pub fn performance_ratio(routing: &dyn Routing, traffic: &TrafficMatrix) -> Option<Ratio<u64>> {
    let base = traffic.base_load();
    (base > 0).then(|| LinkLoads::new(routing, traffic).max().0 / base)
}

/// The load of one link, by the paths of the pairs: the judge of [`LinkLoads`].
pub fn load_by_paths(routing: &dyn Routing, traffic: &TrafficMatrix, link: TreeLink) -> Ratio<u64> {
    let tree = routing.tree();
    let mut shares = Vec::new();
    let mut load = 0;
    for demand in traffic.demands() {
        routing.shares(demand.source, demand.destination, &mut shares);
        for share in &shares {
            let path = tree.path(demand.source, demand.destination, share.top);
            if path.contains(&link) {
                load += u64::from(share.units) * u64::from(demand.amount);
            }
        }
    }
    Ratio::new(load, u64::from(routing.units()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::every_path::EveryPath;
    use crate::routing::modulo::{Chooser, Modulo};
    use crate::tree::PortTree;
    use crosswave_base::random;

    fn some_traffic(nodes: u32, seed: u64) -> TrafficMatrix {
        let mut generator = random::generator(seed, 0);
        let mut below = |bound| random::below(&mut generator, bound) as u32;
        let demands: Vec<Demand> = (0..3 * nodes)
            .map(|_| Demand {
                source: below(u64::from(nodes)),
                destination: below(u64::from(nodes)),
                amount: below(5),
            })
            .collect();
        TrafficMatrix::new(nodes, demands)
    }

    #[test]
    fn demands_of_a_pair_are_added_up() {
        let demand = |source, destination, amount| Demand {
            source,
            destination,
            amount,
        };
        let all = [
            demand(2, 0, 1),
            demand(1, 1, 9),
            demand(0, 2, 1),
            demand(2, 0, 3),
            demand(0, 1, 0),
        ];
        let traffic = TrafficMatrix::new(3, all);
        assert_eq!(traffic.demands(), [demand(0, 2, 1), demand(2, 0, 4)]);
        assert_eq!(traffic.base_load(), 4);
    }

    #[test]
    fn loads_are_those_of_the_paths() {
        for (m, n) in [(4, 3), (6, 2), (2, 3), (4, 1)] {
            let tree = PortTree::new(m, n).unwrap();
            let routings: [&dyn Routing; 2] = [
                &EveryPath::new(tree),
                &Modulo::new(tree, Chooser::Destination, 2),
            ];
            let traffic = some_traffic(tree.nodes(), 3);
            for routing in routings {
                let loads = LinkLoads::new(routing, &traffic);
                for index in 0..tree.links() as usize {
                    let by_paths = load_by_paths(routing, &traffic, tree.link(index));
                    assert_eq!(loads.of(index), by_paths, "{} on {tree}", routing.name());
                }
            }
        }
    }

    /// Theorem 1 and corollary 1.
    #[test]
    fn all_paths_are_optimal_for_any_traffic() {
        for (m, n) in [(4, 3), (6, 2), (8, 2), (4, 4)] {
            let tree = PortTree::new(m, n).unwrap();
            for seed in 0..20 {
                let traffic = some_traffic(tree.nodes(), seed);
                let ratio = performance_ratio(&EveryPath::new(tree), &traffic);
                assert_eq!(ratio, Some(1.into()));
            }
        }
        let tree = PortTree::new(4, 2).unwrap();
        let nothing = TrafficMatrix::of_pairs(8, []);
        assert_eq!(performance_ratio(&EveryPath::new(tree), &nothing), None);
    }
}
