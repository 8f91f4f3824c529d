//! The oblivious performance ratio of a routing, exactly, with a traffic that attains it.
//!
//! The ratio is the most that any traffic matrix of base load 1 brings onto any link, since such a
//! matrix has an optimal load of 1 (corollary 1). Its rows and columns sum to 1 at most, the load
//! of a link is linear in it, and the vertices of the set of such matrices are the partial
//! permutations (Birkhoff, von Neumann). So the worst case of a link is a matching of sources with
//! destinations in the graph of pairs that use it, of the largest weight, where a pair weighs
//! what the link carries of it; for single paths that is the largest matching.
//!
//! All links are taken, but for those of the nodes, which carry all that one node sends or
//! receives: their ratio is 1 under every routing.
//!
//! Cost: every pair's shares once for each height above 0 and direction. The threads divide the
//! sub-fat-trees among them, each of which has the pairs of its up links, or of its down links, in
//! memory: at most (m/2)^(2n-2) m times the top switches of a pair, 12 bytes each. Weights that
//! differ on a link take the Hungarian algorithm, whose cost `matching` tells.

use std::sync::atomic::{AtomicUsize, Ordering};

use num_rational::Ratio;

use crosswave_base::threads::on_each;

use super::matching::{Edge, most_weight};
use super::routing::{PortShare, Routing, Share, by_port};
use super::tree::{LinkDirection, PortTree, TreeLink};

/// The oblivious performance ratio of a routing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObliviousRatio {
    /// PERF(r).
    pub ratio: Ratio<u64>,
    /// The first link that attains it: levels count from the root, up comes before down.
    pub link: TreeLink,
    /// The pairs that send one unit there: a partial permutation, sources ascending.
    pub witness: Vec<(u32, u32)>,
    /// The ratios of the links of each level, from the root on.
    pub levels: Vec<LevelRatio>,
}

/// The largest ratio of the links of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LevelRatio {
    /// The largest ratio of up links.
    pub up: Ratio<u64>,
    /// The largest ratio of down links.
    pub down: Ratio<u64>,
}

/// A sub-fat-tree, and one direction of its links to what is above it.
#[derive(Debug, Clone, Copy)]
struct Bundle {
    height: u32,
    direction: LinkDirection,
    /// The first of the (m/2)^height nodes below.
    first: u32,
}

impl Bundle {
    /// All of a tree but those of single nodes, from the root on.
    fn all(tree: PortTree) -> Vec<Bundle> {
        let mut bundles = Vec::new();
        for height in (1..tree.levels()).rev() {
            for direction in [LinkDirection::Up, LinkDirection::Down] {
                let firsts = (0..tree.nodes()).step_by(tree.power(height) as usize);
                bundles.extend(firsts.map(|first| Bundle {
                    height,
                    direction,
                    first,
                }));
            }
        }
        bundles
    }

    /// Hands over each pair that leaves or enters the sub-fat-tree, by ascending node below, with
    /// its shares of the ports.
    fn for_each_pair(self, routing: &dyn Routing, mut visit: impl FnMut(Pair, PortShare)) {
        let tree = routing.tree();
        let mut shares: Vec<Share> = Vec::new();
        for inside in self.first..self.first + tree.power(self.height) {
            for outside in 0..tree.nodes() {
                let meeting = tree.meeting_height(inside, outside);
                if meeting < self.height {
                    continue;
                }
                let pair = Pair { inside, outside };
                let (source, destination) = pair.ends(self.direction);
                routing.shares(source, destination, &mut shares);
                for share in by_port(tree, meeting, self.height, &shares) {
                    visit(pair, share);
                }
            }
        }
    }
}

/// A node below a link, and one that is not.
#[derive(Debug, Clone, Copy)]
struct Pair {
    inside: u32,
    outside: u32,
}

impl Pair {
    /// Source and destination.
    fn ends(self, direction: LinkDirection) -> (u32, u32) {
        match direction {
            LinkDirection::Up => (self.inside, self.outside),
            LinkDirection::Down => (self.outside, self.inside),
        }
    }

    fn edge(self, share: PortShare) -> Edge {
        Edge {
            left: self.inside,
            right: self.outside,
            weight: share.units,
        }
    }
}

fn weight(edges: &[Edge], places: &[usize]) -> u64 {
    let weights = places.iter().map(|&place| u64::from(edges[place].weight));
    weights.sum()
}

/// The most that a link carries of any traffic of base load 1, and the partial permutation that
/// brings so much onto it, sources ascending.
pub fn of_link(routing: &dyn Routing, link: TreeLink) -> (Ratio<u64>, Vec<(u32, u32)>) {
    let tree = routing.tree();
    let height = tree.opposite(link.level);
    let port = link.number % tree.power(height);
    let bundle = Bundle {
        height,
        direction: link.direction,
        first: link.number - port,
    };
    let mut edges = Vec::new();
    bundle.for_each_pair(routing, |pair, share| {
        if share.port == port && pair.inside != pair.outside {
            edges.push(pair.edge(share));
        }
    });
    let places = most_weight(&edges);
    let ratio = Ratio::new(weight(&edges, &places), u64::from(routing.units()));
    let pair = |&place: &usize| {
        let (inside, outside) = (edges[place].left, edges[place].right);
        Pair { inside, outside }.ends(link.direction)
    };
    let mut witness: Vec<(u32, u32)> = places.iter().map(pair).collect();
    witness.sort_unstable();
    (ratio, witness)
}

/// The units that the worst link of a bundle carries, and its port: the first such.
fn worst_port(routing: &dyn Routing, bundle: Bundle, ports: &mut [Vec<Edge>]) -> (u64, u32) {
    ports.iter_mut().for_each(Vec::clear);
    bundle.for_each_pair(routing, |pair, share| {
        ports[share.port as usize].push(pair.edge(share));
    });
    let mut worst = (0, 0);
    for (port, edges) in (0..).zip(ports.iter()) {
        let units = weight(edges, &most_weight(edges));
        if units > worst.0 {
            worst = (units, port);
        }
    }
    worst
}

/// The first node that has a path to another.
fn first_source(routing: &dyn Routing) -> Option<u32> {
    let nodes = 0..routing.tree().nodes();
    let mut shares = Vec::new();
    nodes.clone().find(|&source| {
        nodes.clone().any(|destination| {
            routing.shares(source, destination, &mut shares);
            source != destination && !shares.is_empty()
        })
    })
}

/// Bytes that pairs take at least, on so many threads: each has those of a sub-fat-tree, one path
/// a pair.
pub fn bytes_at_least(tree: PortTree, threads: usize) -> u64 {
    let Some(height) = tree.levels().checked_sub(1).filter(|&height| height > 0) else {
        return 0;
    };
    let inside = u64::from(tree.power(height));
    let pairs = inside * (u64::from(tree.nodes()) - inside);
    let threads = (threads as u64).min(2 * u64::from(tree.ports()));
    threads * pairs * size_of::<Edge>() as u64
}

/// The oblivious performance ratio of a routing, on so many threads; 0 stands for as many as the
/// processor has. The number of threads does not change the result.
pub fn oblivious_ratio(routing: &dyn Routing, threads: usize) -> ObliviousRatio {
    oblivious_ratio_watched(routing, threads, &|_, _| {})
}

/// The same; `watch` is told how many of all sub-fat-trees are done, by any thread and in any
/// order.
pub fn oblivious_ratio_watched(
    routing: &dyn Routing,
    threads: usize,
    watch: &(dyn Fn(usize, usize) + Sync),
) -> ObliviousRatio {
    let tree = routing.tree();
    let threads = match threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        _ => threads,
    };
    let bundles = Bundle::all(tree);
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        let mut found = Vec::new();
        let most_ports = tree.power(tree.levels() - 1) as usize;
        let mut ports = vec![Vec::new(); most_ports];
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(&bundle) = bundles.get(place) else {
                return found;
            };
            let ports = &mut ports[..tree.power(bundle.height) as usize];
            found.push((place, worst_port(routing, bundle, ports)));
            watch(done.fetch_add(1, Ordering::Relaxed) + 1, bundles.len());
        }
    };
    let mut found: Vec<(usize, (u64, u32))> = on_each(threads, work).concat();
    found.sort_unstable();

    let units = u64::from(routing.units());
    let both = |ratio: Ratio<u64>| LevelRatio {
        up: ratio,
        down: ratio,
    };
    let mut levels = vec![both(Ratio::ZERO); tree.levels() as usize];
    // The link of a node carries 1, unless nothing has a path.
    let mut ratio = Ratio::ZERO;
    let mut link = tree.link_of(0, 0, 0, LinkDirection::Up);
    if let Some(source) = first_source(routing) {
        ratio = Ratio::from_integer(1);
        link = tree.link_of(source, 0, 0, LinkDirection::Up);
        levels[tree.levels() as usize - 1] = both(ratio);
    }
    let mut inner = Ratio::ZERO;
    for (place, (found, port)) in found {
        let bundle = bundles[place];
        let found = Ratio::new(found, units);
        let level = &mut levels[tree.opposite(bundle.height) as usize];
        let most = match bundle.direction {
            LinkDirection::Up => &mut level.up,
            LinkDirection::Down => &mut level.down,
        };
        *most = found.max(*most);
        if found > inner && found >= ratio {
            (inner, ratio) = (found, found);
            link = tree.link_of(bundle.first, bundle.height, port, bundle.direction);
        }
    }
    let (ratio, witness) = of_link(routing, link);
    ObliviousRatio {
        ratio,
        link,
        witness,
        levels,
    }
}

#[cfg(test)]
mod tests;
