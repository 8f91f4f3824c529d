//! How many connections of traffic that fits a fat tree are routed at the first attempt: a Monte
//! Carlo on the event engine, as [`routing`](super::routing) for bidelta networks.
//!
//! Each processor sends with the probability that is the load; the level of its connection is
//! drawn as [`Locality::p_any`] says, and its destination uniformly among the processors at that
//! distance. All start in one cycle, and no wire takes extra clocks; requests are longer than any
//! way, so first attempts meet first attempts alone. One was routed that is not told to be
//! blocked.

use super::bench::Bench;
use super::routing::{HALF_WIDTH_MAX, REPLICATES_MIN, SIGMAS_95, ratio};
use super::trees::{form, tree};
use crate::analytic::locality::Locality;
use crate::analytic::unit_trees::UnitTrees;
use crate::chip::rn1_interface::PORT_TX_BLOCKED;
use crate::network::Fabric;
use crate::network::transit::{Transit, UpStage};
use crate::papers::watch::Watch;
use crate::random;

/// Words of a request, more than there are clocks on any way.
const WORDS: u32 = 64;
/// Clocks after which every first attempt has been decided: its words, the answers of 15 routers,
/// and what comes before and between.
const CLOCKS: u64 = WORDS as u64 + 48;
/// Seed of all replicates.
const SEED: u64 = 1;
/// Stream of the seeds of replicates.
const STREAM_SEEDS: u64 = u64::from_be_bytes(*b"loca-rep");
/// Stream of who sends, and where to.
const STREAM_TRAFFIC: u64 = u64::from_be_bytes(*b"loca-trf");

/// How many connections were routed at the first attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalPoint {
    /// The tree.
    pub tree: UnitTrees,
    /// Whether UT64x2's stage up is of two crossbars.
    pub two_crossbars: bool,
    /// Probability that a processor sends.
    pub load_fraction: f64,
    /// The fraction of all that was routed, and its standard error.
    pub routed: (f64, f64),
    /// The same for each level, from the lowest on.
    pub levels: Vec<(f64, f64)>,
}

/// A tree, whose fabric serves all replicates.
pub struct LocalRouting {
    tree: UnitTrees,
    network: Transit,
    fabric: Option<Fabric>,
}

impl LocalRouting {
    /// A tree of the tables.
    pub fn new(tree_of: UnitTrees, two_crossbars: bool) -> LocalRouting {
        let clocks = vec![0; tree_of.stack_stages as usize - 1];
        let mut network = tree(form(tree_of), clocks);
        if two_crossbars {
            network.up_stage = UpStage::TwoCrossbars;
        }
        let fabric = Some(network.fabric());
        LocalRouting {
            tree: tree_of,
            network,
            fabric,
        }
    }

    /// The point at a load, with as many replicates as make the interval of 95 % as narrow as
    /// [`HALF_WIDTH_MAX`].
    pub fn point(&mut self, load_fraction: f64, watch: &mut dyn Watch) -> LocalPoint {
        let nodes = self.network.nodes();
        let needed = 0.25 * (SIGMAS_95 / HALF_WIDTH_MAX).powi(2);
        let replicates = (needed / (load_fraction * f64::from(nodes))).ceil() as u64;
        let replicates = replicates.max(u64::from(2 * REPLICATES_MIN));
        watch.begins(&format!(
            "local traffic in {nodes} nodes at load {load_fraction:.1}, {replicates} replicates"
        ));
        let seeds = random::key(SEED, STREAM_SEEDS, 0);
        let found: Vec<Vec<(u64, u64)>> = (0..replicates)
            .map(|replicate| self.replicate(load_fraction, random::word(seeds, replicate)))
            .collect();
        let of_all = |levels: &Vec<(u64, u64)>| {
            let levels = levels.iter();
            levels.fold((0, 0), |sum, level| (sum.0 + level.0, sum.1 + level.1))
        };
        let of_level = |at: usize| {
            let counts: Vec<(u64, u64)> = found.iter().map(|levels| levels[at]).collect();
            ratio(&counts)
        };
        LocalPoint {
            tree: self.tree,
            two_crossbars: self.network.up_stage == UpStage::TwoCrossbars,
            load_fraction,
            routed: ratio(&found.iter().map(of_all).collect::<Vec<_>>()),
            levels: (0..found[0].len()).map(of_level).collect(),
        }
    }

    /// Connections sent, and routed at the first attempt, by level.
    fn replicate(&mut self, load_fraction: f64, seed: u64) -> Vec<(u64, u64)> {
        let fabric = self.fabric.take().expect("replicates give it back");
        let mut bench = Bench::new(&self.network, fabric, seed);
        let locality = Locality(self.tree);
        let mut levels = vec![(0, 0); locality.levels().count()];
        // The level of each sender's first attempt, while it is not blocked.
        let mut under_way: Vec<Option<usize>> = vec![None; self.network.nodes() as usize];
        let mut generator = random::generator(seed, STREAM_TRAFFIC);
        let threshold = (load_fraction * (1u64 << 32) as f64) as u64;
        for source in 0..self.network.nodes() {
            if random::below(&mut generator, 1 << 32) >= threshold {
                continue;
            }
            let level = drawn_level(locality, &mut generator);
            let destination = self.drawn_node(source, level, &mut generator);
            let place = (level - *locality.levels().start()) as usize;
            let instance = bench.instance(source);
            bench.offer(instance, destination, WORDS);
            under_way[instance as usize] = Some(place);
            levels[place].0 += 1;
            levels[place].1 += 1;
        }
        while bench.cycle() < CLOCKS {
            bench.step();
            for instance in bench.raised(PORT_TX_BLOCKED).to_vec() {
                if let Some(place) = under_way[instance as usize].take() {
                    levels[place].1 -= 1;
                }
            }
        }
        self.fabric = Some(bench.into_fabric());
        levels
    }

    /// A node that is reached from another one through a level.
    fn drawn_node(
        &self,
        source: u32,
        level: u32,
        generator: &mut rand_xoshiro::Xoshiro256PlusPlus,
    ) -> u32 {
        let leaf = match self.tree.leaf_stages {
            None => 1,
            Some(_) => self.tree.leaf_processors() as u32,
        };
        let mut below = |bound: u32| random::below(generator, u64::from(bound)) as u32;
        let (cluster, within) = (source / leaf, source % leaf);
        if level == 0 {
            let other = below(leaf - 1);
            return cluster * leaf + other + u32::from(other >= within);
        }
        // Another child at the level, and anything below it.
        let digit = 2 * (level - 1);
        let child = cluster >> digit & 3;
        let other = (child + 1 + below(3)) % 4;
        let above = cluster >> (digit + 2) << (digit + 2);
        let reached = above | other << digit | below(1 << digit);
        reached * leaf + below(leaf)
    }
}

/// A level, drawn as traffic that fits has them.
fn drawn_level(locality: Locality, generator: &mut rand_xoshiro::Xoshiro256PlusPlus) -> u32 {
    let drawn = random::below(generator, 1 << 32) as f64 / (1u64 << 32) as f64;
    let mut sum = 0.0;
    for level in locality.levels() {
        sum += locality.p_any(level);
        if drawn < sum {
            return level;
        }
    }
    *locality.levels().end()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Destinations are at the distance that was asked for, all of them and equally often.
    #[test]
    fn destinations_are_at_their_distance() {
        let of = UnitTrees {
            stack_stages: 2,
            leaf_stages: Some(2),
        };
        let routing = LocalRouting::new(of, false);
        let mut generator = random::generator(1, 1);
        for level in 0..=3 {
            let mut found = std::collections::BTreeMap::new();
            let count = Locality(of).processors_at(level);
            for _ in 0..200 * count {
                let node = routing.drawn_node(500, level, &mut generator);
                *found.entry(node).or_insert(0u64) += 1;
            }
            assert_eq!(found.len() as u64, count, "level {level}");
            assert!(found.values().all(|&times| (100..320).contains(&times)));
            assert!(!found.contains_key(&500));
            let hops = |node| routing.network.form.hops(500, node).len();
            let lengths: std::collections::BTreeSet<usize> =
                found.keys().map(|&n| hops(n)).collect();
            assert_eq!(lengths.len(), 1, "level {level}");
        }
    }
}
