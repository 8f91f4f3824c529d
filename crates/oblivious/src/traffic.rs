//! The traffic of section VI, as matrices whose entries are 0 or 1.
//!
//! An instance is keyed by (seed, stream, number of the instance): any of them is made without
//! those before it. Patterns with places put the nodes there by a random permutation. Traffic of
//! neighbours goes both ways.
//!
//! The paper leaves open which sides grids have: here the ones that are most alike (of those
//! with the product, the least sum). Meshes have borders, tori none: the paper names meshes. [`TrafficPattern::SquareTorus`]
//! is a reading that was found by search.

use std::fmt;

use super::load::TrafficMatrix;
use crosswave_base::random;

/// The random stream of placements.
const STREAM_PLACEMENT: u64 = u64::from_be_bytes(*b"obl-plac");
/// The random stream of who sends to whom.
const STREAM_PAIRS: u64 = u64::from_be_bytes(*b"obl-pair");
/// The random stream of groups: their sizes, and what they do.
const STREAM_GROUPS: u64 = u64::from_be_bytes(*b"obl-grps");

/// The most dimensions of a grid.
pub const DIMENSIONS_MAX: u32 = 3;

/// The pairs that send, and their amounts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TrafficPattern {
    /// Each node to each other one with this probability: random uniform traffic.
    Pairs {
        /// From 0 to 1.
        probability: f64,
    },
    /// Each node to one, and from one, all permutations being as likely.
    Permutation,
    /// To both neighbours in a ring.
    Ring,
    /// To all neighbours in a grid with borders.
    Mesh {
        /// 1 to [`DIMENSIONS_MAX`].
        dimensions: u32,
    },
    /// To all neighbours in a grid whose borders are joined.
    Torus {
        /// 1 to [`DIMENSIONS_MAX`].
        dimensions: u32,
    },
    /// To all neighbours in a grid of ⌊√N⌋ columns whose borders are joined. Where they do not divide the N
    /// places, the last row goes on with the first places again. Each place counts all its neighbours, so that
    /// neighbours send two units to each other, and those of the last row other amounts.
    SquareTorus,
    /// To all whose place differs in one bit.
    Hypercube,
    /// To the parent and the children in a complete binary tree, the last row of which may be
    /// short.
    BinaryTree,
    /// To all others of one's group; every node is in one.
    Clusters {
        /// Nodes of a group.
        size: u32,
    },
    /// To all others of one's group. Groups are of 2 nodes to so many, each size as likely as any other
    /// (assumed); the last one may be smaller.
    ClustersOfRandomSize {
        /// Nodes of the largest group.
        most: u32,
    },
    /// By a regular pattern within one's group: ring, 2D or 3D torus, hypercube or binary tree. Each
    /// group draws its own.
    ClustersWithPatterns {
        /// Nodes of a group.
        size: u32,
    },
    /// To each other node of one's group with this probability.
    ClustersWithPairs {
        /// Nodes of a group.
        size: u32,
        /// From 0 to 1.
        probability: f64,
    },
    /// To all others of one's group; all other nodes are quiet.
    HotSpots {
        /// The number of groups.
        count: u32,
        /// Nodes of a group.
        size: u32,
    },
}

/// The reason why there is no such traffic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PatternError {
    /// The probability lies outside 0 to 1.
    Probability {
        /// The probability.
        found: f64,
    },
    /// The number of dimensions lies outside 1 to [`DIMENSIONS_MAX`].
    Dimensions {
        /// The number.
        found: u32,
    },
    /// The number of nodes of a hypercube is no power of two.
    Hypercube {
        /// The number.
        nodes: u32,
    },
    /// Groups of this size do not divide the nodes.
    Clusters {
        /// The size.
        size: u32,
        /// The number of nodes.
        nodes: u32,
    },
    /// The largest group has fewer nodes than 2, or more than there are.
    LargestCluster {
        /// Its nodes.
        most: u32,
        /// The number of nodes.
        nodes: u32,
    },
    /// There are more nodes in groups than nodes.
    HotSpots {
        /// The number of groups.
        count: u32,
        /// The size of each.
        size: u32,
        /// The number of nodes.
        nodes: u32,
    },
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PatternError::Probability { found } => {
                write!(f, "found probability {found}, expected 0 to 1")
            }
            PatternError::Dimensions { found } => {
                write!(
                    f,
                    "found {found} dimensions, expected 1 to {DIMENSIONS_MAX}"
                )
            }
            PatternError::Hypercube { nodes } => {
                write!(f, "hypercube: found {nodes} nodes, expected a power of two")
            }
            PatternError::Clusters { size, nodes } => write!(
                f,
                "clusters: found groups of {size}, expected a size that divides {nodes} nodes"
            ),
            PatternError::LargestCluster { most, nodes } => write!(
                f,
                "clusters: found groups of up to {most}, expected up to 2 to {nodes} nodes"
            ),
            PatternError::HotSpots { count, size, nodes } => write!(
                f,
                "hot spots: found {count} of {size} nodes, expected at most {nodes} nodes in all"
            ),
        }
    }
}

impl std::error::Error for PatternError {}

impl fmt::Display for TrafficPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrafficPattern::Pairs { probability } => {
                write!(f, "pairs with probability {probability}")
            }
            TrafficPattern::Permutation => write!(f, "permutation"),
            TrafficPattern::Ring => write!(f, "ring"),
            TrafficPattern::Mesh { dimensions } => write!(f, "{dimensions}D mesh"),
            TrafficPattern::Torus { dimensions } => write!(f, "{dimensions}D torus"),
            TrafficPattern::SquareTorus => write!(f, "2D torus of a whole root"),
            TrafficPattern::Hypercube => write!(f, "hypercube"),
            TrafficPattern::BinaryTree => write!(f, "binary tree"),
            TrafficPattern::Clusters { size } => write!(f, "clusters of {size}"),
            TrafficPattern::ClustersOfRandomSize { most } => {
                write!(f, "clusters of 2 to {most}")
            }
            TrafficPattern::ClustersWithPatterns { size } => {
                write!(f, "regular patterns in clusters of {size}")
            }
            TrafficPattern::ClustersWithPairs { size, probability } => {
                write!(
                    f,
                    "pairs with probability {probability} in clusters of {size}"
                )
            }
            TrafficPattern::HotSpots { count, size } => write!(f, "{count} hot spots of {size}"),
        }
    }
}

impl TrafficPattern {
    /// An instance of the pattern on so many nodes.
    ///
    /// # Errors
    /// When the pattern does not fit the nodes.
    pub fn matrix(
        self,
        nodes: u32,
        seed: u64,
        instance: u32,
    ) -> Result<TrafficMatrix, PatternError> {
        self.check(nodes)?;
        let pairs = match self {
            TrafficPattern::Pairs { probability } => pairs(nodes, probability, seed, instance),
            TrafficPattern::Permutation => {
                (0..nodes).zip(placement(nodes, seed, instance)).collect()
            }
            TrafficPattern::ClustersWithPairs { size, probability } => {
                let places = placement(nodes, seed, instance);
                let within = pairs(nodes, probability, seed, instance).into_iter();
                let within = within.filter(|(a, b)| a / size == b / size);
                let place = |place: u32| places[place as usize];
                within.map(|(a, b)| (place(a), place(b))).collect()
            }
            _ => {
                let places = placement(nodes, seed, instance);
                let key = random::key(seed, STREAM_GROUPS, u64::from(instance));
                let mut generator = random::generator(key, STREAM_GROUPS);
                let mut below = |below: u32| random::below(&mut generator, below.into()) as u32;
                let mut links = match self {
                    TrafficPattern::ClustersOfRandomSize { most } => {
                        random_groups(nodes, most, &mut below)
                    }
                    TrafficPattern::ClustersWithPatterns { size } => {
                        pattern_groups(nodes / size, size, &mut below)
                    }
                    _ => self.neighbours(nodes),
                };
                links.sort_unstable();
                if self != TrafficPattern::SquareTorus {
                    links.dedup();
                }
                let place = |place: u32| places[place as usize];
                let both = |(a, b)| [(place(a), place(b)), (place(b), place(a))];
                links.into_iter().flat_map(both).collect()
            }
        };
        Ok(TrafficMatrix::of_pairs(nodes, pairs))
    }

    fn check(self, nodes: u32) -> Result<(), PatternError> {
        match self {
            TrafficPattern::Pairs { probability }
            | TrafficPattern::ClustersWithPairs { probability, .. }
                if !(0.0..=1.0).contains(&probability) =>
            {
                Err(PatternError::Probability { found: probability })
            }
            TrafficPattern::Mesh { dimensions } | TrafficPattern::Torus { dimensions }
                if !(1..=DIMENSIONS_MAX).contains(&dimensions) =>
            {
                Err(PatternError::Dimensions { found: dimensions })
            }
            TrafficPattern::Hypercube if !nodes.is_power_of_two() => {
                Err(PatternError::Hypercube { nodes })
            }
            TrafficPattern::Clusters { size }
            | TrafficPattern::ClustersWithPatterns { size }
            | TrafficPattern::ClustersWithPairs { size, .. }
                if size == 0 || !nodes.is_multiple_of(size) =>
            {
                Err(PatternError::Clusters { size, nodes })
            }
            TrafficPattern::ClustersOfRandomSize { most } if !(2..=nodes).contains(&most) => {
                Err(PatternError::LargestCluster { most, nodes })
            }
            TrafficPattern::HotSpots { count, size }
                if count.checked_mul(size).is_none_or(|all| all > nodes) =>
            {
                Err(PatternError::HotSpots { count, size, nodes })
            }
            _ => Ok(()),
        }
    }

    /// The places that talk to each other, the lower one first; some of them twice.
    fn neighbours(self, nodes: u32) -> Vec<(u32, u32)> {
        match self {
            TrafficPattern::Pairs { .. }
            | TrafficPattern::Permutation
            | TrafficPattern::ClustersOfRandomSize { .. }
            | TrafficPattern::ClustersWithPatterns { .. }
            | TrafficPattern::ClustersWithPairs { .. } => Vec::new(),
            TrafficPattern::Ring => grid(&[nodes], true),
            TrafficPattern::Mesh { dimensions } => grid(&sides(nodes, dimensions), false),
            TrafficPattern::Torus { dimensions } => grid(&sides(nodes, dimensions), true),
            TrafficPattern::SquareTorus => square_torus(nodes),
            TrafficPattern::Hypercube => (0..nodes.ilog2())
                .flat_map(|bit| (0..nodes).map(move |place| (place, place | 1 << bit)))
                .filter(|(a, b)| a != b)
                .collect(),
            TrafficPattern::BinaryTree => {
                (1..nodes).map(|place| ((place - 1) / 2, place)).collect()
            }
            TrafficPattern::Clusters { size } => groups(nodes / size, size),
            TrafficPattern::HotSpots { count, size } => groups(count, size),
        }
    }
}

/// All pairs of each group of neighbouring places.
fn groups(count: u32, size: u32) -> Vec<(u32, u32)> {
    let of_group = |group| {
        let members = group * size..(group + 1) * size;
        members
            .clone()
            .flat_map(move |a| (a + 1..members.end).map(move |b| (a, b)))
    };
    (0..count).flat_map(of_group).collect()
}

/// All pairs of each group of neighbouring places, of 2 to `most`; `below` draws a number.
fn random_groups(nodes: u32, most: u32, below: &mut impl FnMut(u32) -> u32) -> Vec<(u32, u32)> {
    let mut links = Vec::new();
    let mut first = 0;
    while first < nodes {
        let size = (2 + below(most - 1)).min(nodes - first);
        links.extend(shifted(groups(1, size), first));
        first += size;
    }
    links
}

/// The neighbours of each group of neighbouring places, in a pattern that it draws.
fn pattern_groups(count: u32, size: u32, below: &mut impl FnMut(u32) -> u32) -> Vec<(u32, u32)> {
    let mut patterns = vec![
        TrafficPattern::Ring,
        TrafficPattern::Torus { dimensions: 2 },
        TrafficPattern::Torus { dimensions: 3 },
        TrafficPattern::BinaryTree,
    ];
    if size.is_power_of_two() {
        patterns.push(TrafficPattern::Hypercube);
    }
    let mut of_group = |group| {
        let pattern = patterns[below(patterns.len() as u32) as usize];
        shifted(pattern.neighbours(size), group * size)
    };
    (0..count).flat_map(&mut of_group).collect()
}

/// Pairs of places that lie so many places further on.
fn shifted(pairs: Vec<(u32, u32)>, by: u32) -> Vec<(u32, u32)> {
    let shift = |(a, b)| (a + by, b + by);
    pairs.into_iter().map(shift).collect()
}

/// The neighbours in a grid, the lower one first. Those across a joined side of two places
/// come twice.
fn grid(sides: &[u32], joined: bool) -> Vec<(u32, u32)> {
    let nodes: u32 = sides.iter().product();
    let mut links = Vec::new();
    let mut stride = 1;
    for &side in sides {
        for place in 0..nodes {
            let position = place / stride % side;
            if position + 1 < side {
                links.push((place, place + stride));
            } else if joined && side > 1 {
                links.push((place - position * stride, place));
            }
        }
        stride *= side;
    }
    links
}

/// The neighbours of each place in a grid of ⌊√N⌋ columns: four of each, without a place itself.
fn square_torus(nodes: u32) -> Vec<(u32, u32)> {
    let columns = nodes.isqrt().max(1);
    let rows = nodes.div_ceil(columns);
    let of_place = |place: u32| {
        let (row, column) = (place / columns, place % columns);
        let at = move |row: u32, column: u32| (row % rows * columns + column % columns) % nodes;
        let neighbours = [
            at(row, column + 1),
            at(row, column + columns - 1),
            at(row + 1, column),
            at(row + rows - 1, column),
        ];
        neighbours
            .into_iter()
            .filter(move |&other| other != place)
            .map(move |other| (place, other))
    };
    (0..nodes).flat_map(of_place).collect()
}

/// The sides of a grid of `nodes` places with the least sum, ascending.
fn sides(nodes: u32, dimensions: u32) -> Vec<u32> {
    if dimensions == 1 {
        return vec![nodes];
    }
    let shortest = (1..=nodes).take_while(|side| side.checked_pow(dimensions) <= Some(nodes));
    let fitting = shortest.filter(|&side| nodes.is_multiple_of(side));
    let with_rest = fitting.map(|side| {
        let mut sides = sides(nodes / side, dimensions - 1);
        sides.push(side);
        sides.sort_unstable();
        sides
    });
    with_rest
        .min_by_key(|sides| sides.iter().sum::<u32>())
        .unwrap_or_default()
}

/// The pairs that send when each does with this probability.
fn pairs(nodes: u32, probability: f64, seed: u64, instance: u32) -> Vec<(u32, u32)> {
    let key = random::key(seed, STREAM_PAIRS, u64::from(instance));
    let all =
        (0..nodes).flat_map(|source| (0..nodes).map(move |destination| (source, destination)));
    // As many as a real number from 0 to 1 can tell apart.
    let fraction = |word: u64| (word >> 11) as f64 / (1u64 << 53) as f64;
    (0..)
        .zip(all)
        .filter(|&(number, _)| fraction(random::word(key, number)) < probability)
        .map(|(_, pair)| pair)
        .collect()
}

/// A random permutation: the node in each place.
fn placement(nodes: u32, seed: u64, instance: u32) -> Vec<u32> {
    let key = random::key(seed, STREAM_PLACEMENT, u64::from(instance));
    let mut generator = random::generator(key, STREAM_PLACEMENT);
    let mut places: Vec<u32> = (0..nodes).collect();
    for place in (1..places.len()).rev() {
        let other = random::below(&mut generator, place as u64 + 1) as usize;
        places.swap(place, other);
    }
    places
}

#[cfg(test)]
mod tests;
