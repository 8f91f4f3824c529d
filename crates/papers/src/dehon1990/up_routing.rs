//! Monte Carlo on the event engine: the connections that the hybrid scheme of Figure 2.7 brings up
//! at the first attempt.
//!
//! Its way up is a bidelta network of RN1s from the processors to the levels of a tree. The network
//! that is built has one stage more, whose inputs are the wires to the levels: eight for each, twice
//! as many as there are processors for a level. Every processor sends over one of its two inputs,
//! chosen at random, to a level that is drawn by the traffic of [`levels`]. All start in one cycle,
//! and requests are longer than the way. A connection was brought up when its first word has come to
//! a wire of its level.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::bench::{Bench, INTERFACE_OPTIONS, without_wires};
use super::routing::{Width, ratio};
use super::side_by_side::{KeyedStudy, side_by_side};
use crosswave_analytic::up_routing::levels;
use crosswave_base::diagnostic::Error;
use crosswave_base::random;
use crosswave_chips::rn1::Crossbar;
use crosswave_chips::rn1_protocol::RN1_STATE_IDLE;
use crosswave_chips::switch::Switch as _;
use crosswave_network::Fabric;
use crosswave_network::bidelta::{Bidelta, ROUTERS};
use crosswave_observe::points::Store;
use crosswave_observe::points::watch::Watch;
use crosswave_probe::engine::Engine;

/// Words of a request, more than there are clocks on any way.
const WORDS: u32 = 64;
/// Seed of all replicates.
const SEED: u64 = 1;
/// Stream of the seeds of replicates.
const STREAM_SEEDS: u64 = u64::from_be_bytes(*b"upro-rep");
/// Stream of the levels of connections.
const STREAM_TRAFFIC: u64 = u64::from_be_bytes(*b"upro-trf");

/// The connections that were brought up.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct UpPoint {
    /// Levels of the tree, a power of four.
    pub levels: u32,
    /// The fraction of connections that came to their levels.
    pub routed_fraction: f64,
    /// Standard error of that fraction.
    pub stderr: f64,
}

/// Points of the ways up to so many levels.
///
/// # Errors
/// Those of [`side_by_side`].
pub fn points(
    of_levels: &[u32],
    store: &mut Store,
    watch: &mut dyn Watch,
) -> Result<Vec<UpPoint>, Error> {
    let study = |&levels: &u32| {
        let replicates = Width::Narrow.replicates(u64::from(NODES_OF_LEVEL * levels), 1.0);
        KeyedStudy {
            title: format!("way up to {levels} levels, {replicates} replicates"),
            key: json!({
                "first attempts": "way up", "levels": levels, "replicates": replicates,
            }),
            job: (levels, replicates),
        }
    };
    let studies: Vec<KeyedStudy<(u32, u32)>> = of_levels.iter().map(study).collect();
    let run = |(): &mut (), &(levels, replicates): &(u32, u32)| {
        WayUpRouting::new(levels).of_replicates(replicates)
    };
    side_by_side(&studies, 0, store, watch, || (), run)
}

/// Nodes behind the wires of a level.
const NODES_OF_LEVEL: u32 = 4;

/// A network, whose fabric serves all replicates.
pub struct WayUpRouting {
    levels: u32,
    network: Bidelta,
    /// The routers behind the levels' wires, those of the last stage.
    level_routers: Range<usize>,
    fabric: Option<Fabric>,
}

impl WayUpRouting {
    /// The network with a way up to so many levels.
    ///
    /// # Panics
    /// When it is no power of four, or 1, or there is no network with a stage more.
    pub fn new(levels: u32) -> WayUpRouting {
        let stages = levels.ilog(4);
        assert!(stages > 0 && levels == 4u32.pow(stages), "a power of four");
        let network = without_wires(stages + 1, INTERFACE_OPTIONS);
        let fabric = network.fabric();
        let routers = fabric.arrays[ROUTERS].instances;
        WayUpRouting {
            levels,
            network,
            level_routers: routers - levels as usize..routers,
            fabric: Some(fabric),
        }
    }

    /// The point of so many replicates.
    pub fn of_replicates(&mut self, replicates: u32) -> UpPoint {
        let seeds = random::key(SEED, STREAM_SEEDS, 0);
        let counts: Vec<(u64, u64)> = (0..replicates)
            .map(|index| self.replicate(random::word(seeds, u64::from(index))))
            .collect();
        let (routed_fraction, stderr) = ratio(&counts);
        UpPoint {
            levels: self.levels,
            routed_fraction,
            stderr,
        }
    }

    /// Connections sent, and those that came to their levels.
    fn replicate(&mut self, seed: u64) -> (u64, u64) {
        let fabric = self.fabric.take().expect("replicates give it back");
        let mut bench = Bench::new(&self.network, fabric, seed);
        let mut generator = random::generator(seed, STREAM_TRAFFIC);
        let shares = levels(self.levels);
        let nodes = self.network.nodes();
        for source in 0..nodes {
            let drawn = random::below(&mut generator, 1 << 32) as f64 / (1u64 << 32) as f64;
            let level = level_at(&shares, drawn);
            let node = random::below(&mut generator, u64::from(NODES_OF_LEVEL)) as u32;
            let instance = self.network.node_instance(source) as u32;
            bench.offer(instance, NODES_OF_LEVEL * level + node, WORDS);
        }
        // Longer than any way, shorter than any request.
        for _ in 0..WORDS / 2 {
            bench.step();
        }
        let arrived = self.arrived(&bench).len() as u64;
        self.fabric = Some(bench.into_fabric());
        (u64::from(nodes), arrived)
    }

    /// The wires of levels on which a connection has come: routers and inputs.
    fn arrived(&self, bench: &Bench) -> Vec<(usize, usize)> {
        let mut arrived = Vec::new();
        for router in self.level_routers.clone() {
            for input in 0..Crossbar.inputs() {
                let port = Crossbar.state_port(input);
                let state = bench.engine.value(ROUTERS, port, router);
                if state != RN1_STATE_IDLE {
                    arrived.push((router, input));
                }
            }
        }
        arrived
    }
}

/// The level of a number of [0, 1).
fn level_at(shares: &[f64], drawn: f64) -> u32 {
    let mut below = 0.0;
    let at = shares.iter().position(|share| {
        below += share;
        drawn < below
    });
    at.unwrap_or(shares.len() - 1) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// A connection alone comes to one wire, and levels have wires of their own.
    #[test]
    fn one_connection_comes_to_its_level() {
        let mut way = WayUpRouting::new(16);
        let mut owners = BTreeMap::new();
        for node in 0..64 {
            for source in 0..64 {
                let fabric = way.fabric.take().expect("nothing else runs");
                let mut bench = Bench::new(&way.network, fabric, u64::from(64 * node + source));
                bench.offer(way.network.node_instance(source) as u32, node, WORDS);
                for _ in 0..WORDS / 2 {
                    bench.step();
                }
                let [wire] = way.arrived(&bench)[..] else {
                    panic!("{:?}", way.arrived(&bench));
                };
                let level = node / NODES_OF_LEVEL;
                assert_eq!(*owners.entry(wire).or_insert(level), level, "{wire:?}");
                way.fabric = Some(bench.into_fabric());
            }
        }
        // Each of the 16 levels has eight wires.
        assert_eq!(owners.len(), 16 * 8);
    }

    #[test]
    fn levels_are_drawn_by_their_shares() {
        let shares = [0.5, 0.25, 0.25];
        let levels = [0.0, 0.49, 0.5, 0.74, 0.75, 0.999_999, 1.0].map(|at| level_at(&shares, at));
        assert_eq!(levels, [0, 0, 1, 1, 2, 2, 2]);
    }
}
