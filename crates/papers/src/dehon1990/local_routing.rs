//! Monte Carlo on the event engine: the share of connections routed at the first attempt, in
//! traffic that fits a fat tree. [`routing`](super::routing) does it for bidelta networks.
//!
//! Each processor sends with the probability that is the load; the level of its connection is
//! drawn by the weights that fit the tree, and its destination uniformly among the processors at
//! that distance. All start in one cycle, and no wire takes extra clocks; requests are longer than any
//! way, so first attempts meet first attempts alone. One was routed that is not told to be
//! blocked.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::bench::Bench;
use super::loads;
use super::routing::{Width, ratio};
use super::side_by_side::{KeyedStudy, side_by_side};
use super::trees::{form, tree};
use crosswave_analytic::unit_trees::UnitTrees;
use crosswave_base::diagnostic::Error;
use crosswave_base::random;
use crosswave_chips::rn1_interface::PORT_TX_BLOCKED;
use crosswave_network::Fabric;
use crosswave_network::traffic;
use crosswave_network::transit::{Dispersion, Transit, UpStage};
use crosswave_observe::points::Store;
use crosswave_observe::points::watch::Watch;

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

/// The connections routed at the first attempt at a load.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalPoint {
    /// The tree.
    pub tree: UnitTrees,
    /// True when UT64x2's stage up is of two crossbars.
    pub two_crossbars: bool,
    /// Probability that a processor sends.
    pub load_fraction: f64,
    /// The fraction of all that was routed, and its standard error.
    pub routed: (f64, f64),
    /// The same for each level, from the lowest on.
    pub levels: Vec<(f64, f64)>,
}

/// Fractions of connections that were routed, with their standard errors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fractions {
    /// The fraction of all connections.
    pub routed: (f64, f64),
    /// The fractions of each level, from the lowest on.
    pub levels: Vec<(f64, f64)>,
}

/// Points of a tree at all loads.
///
/// # Errors
/// Those of [`side_by_side`].
pub fn points(
    tree: UnitTrees,
    two_crossbars: bool,
    quick: bool,
    store: &mut Store,
    watch: &mut dyn Watch,
) -> Result<Vec<LocalPoint>, Error> {
    let nodes = tree.processors();
    let study = |&load: &f64| {
        let replicates = u64::from(Width::at(load, quick).replicates(nodes, load));
        KeyedStudy {
            title: format!(
                "local traffic in {nodes} nodes at load {load:.1}, {replicates} replicates"
            ),
            key: json!({
                "first attempts": "fat tree", "stack stages": tree.stack_stages,
                "leaf stages": tree.leaf_stages, "two crossbars": two_crossbars, "load": load,
                "replicates": replicates,
            }),
            job: (load, replicates),
        }
    };
    let loads = loads::simulated();
    let studies: Vec<KeyedStudy<(f64, u64)>> = loads.iter().map(study).collect();
    let make = || LocalRouting::new(tree, two_crossbars);
    let run = |routing: &mut LocalRouting, &(load, replicates): &(f64, u64)| {
        routing.of_replicates(load, replicates)
    };
    let found = side_by_side(&studies, 0, store, watch, make, run)?;
    let points = loads.iter().zip(found);
    let point = |(&load_fraction, fractions): (&f64, Fractions)| LocalPoint {
        tree,
        two_crossbars,
        load_fraction,
        routed: fractions.routed,
        levels: fractions.levels,
    };
    Ok(points.map(point).collect())
}

/// Traffic that fits a tree.
fn local(tree: UnitTrees) -> traffic::Locality {
    let form = form(tree);
    traffic::Locality {
        groups: form.levels(),
        weights: form.level_weights(),
    }
}

/// A tree, whose fabric serves all replicates.
pub struct LocalRouting {
    local: traffic::Locality,
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
            local: local(tree_of),
            network,
            fabric,
        }
    }

    /// The same tree with its wires spread in some way.
    pub fn dispersed(self, dispersion: Dispersion) -> LocalRouting {
        let network = Transit {
            dispersion,
            ..self.network
        };
        LocalRouting {
            fabric: Some(network.fabric()),
            network,
            ..self
        }
    }

    /// The fractions found at a load in so many replicates.
    pub fn of_replicates(&mut self, load_fraction: f64, replicates: u64) -> Fractions {
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
        Fractions {
            routed: ratio(&found.iter().map(of_all).collect::<Vec<_>>()),
            levels: (0..found[0].len()).map(of_level).collect(),
        }
    }

    /// Connections sent, and routed at the first attempt, by level.
    fn replicate(&mut self, load_fraction: f64, seed: u64) -> Vec<(u64, u64)> {
        let fabric = self.fabric.take().expect("replicates give it back");
        let mut bench = Bench::new(&self.network, fabric, seed);
        let mut levels = vec![(0, 0); self.local.groups.len()];
        // The level of each sender's first attempt, while it is not blocked.
        let mut under_way: Vec<Option<usize>> = vec![None; self.network.nodes() as usize];
        let mut generator = random::generator(seed, STREAM_TRAFFIC);
        let threshold = (load_fraction * (1u64 << 32) as f64) as u64;
        for source in 0..self.network.nodes() {
            if random::below(&mut generator, 1 << 32) >= threshold {
                continue;
            }
            let destination = self.local.draw(source, &mut generator);
            let place = self.local.level(source, destination);
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosswave_analytic::locality::Locality;

    /// Levels are drawn as often as the formulas have them, which do not know the tree.
    #[test]
    fn weights_are_the_probabilities_of_levels() {
        let full = (1..=3).map(|stages| (stages, None));
        let hybrid = (2..=3).flat_map(|stages| (2..=4).map(move |leaf| (stages, Some(leaf))));
        for (stack_stages, leaf_stages) in full.chain(hybrid) {
            let of = UnitTrees {
                stack_stages,
                leaf_stages,
            };
            let (formulas, local) = (Locality(of), local(of));
            let total: u32 = local.weights.iter().sum();
            let drawn = local.weights.iter();
            let drawn: Vec<f64> = drawn.map(|&w| f64::from(w) / f64::from(total)).collect();
            let expected: Vec<f64> = formulas
                .levels()
                .map(|level| formulas.p_any(level))
                .collect();
            assert_eq!(drawn, expected, "{of:?}");
            let mut before = 1;
            for (level, &group) in formulas.levels().zip(&local.groups) {
                assert_eq!(
                    u64::from(group - before),
                    formulas.processors_at(level),
                    "{of:?}"
                );
                before = group;
            }
        }
    }
}
