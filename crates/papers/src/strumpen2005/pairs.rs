//! The probability that two messages collide in a fat tree, by their places.
//!
//! Source: Strumpen & Krishnamurthy 2005, section 4: Pr\[k, i, j\] is the average
//! probability that two messages sent at the same time collide, when the first one's
//! destination is in its source's `i`-subtree, the second one's source in the first one's
//! `k`-subtree, and the second one's destination in its own source's `j`-subtree. The paper
//! fixes the first source at node 0; here it is uniform. [`enumerate`](super::enumerate)
//! has the same probabilities exactly, in smaller trees.
//!
//! Each sample is an experiment of its own on an idle network: the event engine sends two
//! messages by rounds, and goes on until both are acknowledged. It counts when one was
//! rejected in the first round, and where: as with a run's host, the level follows from the
//! clock in which the sender is told.
//!
//! A body is as long as it must be, so that nothing is released before both heads have
//! arrived: a message whose path is shorter than the other's by `d` routers has `2 d`
//! words more than one.
//!
//! Cost: 20 to 40 us a sample in a tree of 64 nodes.

use crosswave_base::diagnostic::Error;
use crosswave_base::random;
use crosswave_chips::network_interface as port;
use crosswave_chips::protocol::STRATEGY_ROUNDS;
use crosswave_chips::routing;
use crosswave_event::EventEngine;
use crosswave_network::Fabric;
use crosswave_network::fat_tree::{FatTree, NODES};
use crosswave_network::path_clocks::{RejectedBy, RejectionClocks};
use crosswave_observe::points::watch::{Watch, check_cancelled};
use crosswave_probe::engine::Engine;

/// Stream of the seeds of blocks.
const STREAM_SEEDS: u64 = u64::from_be_bytes(*b"pair-blk");
/// Stream of sources and destinations.
const STREAM_PLACES: u64 = u64::from_be_bytes(*b"pair-plc");
/// Cycles after which something is wrong.
const CYCLES_MAX: u64 = 1000;

/// The collisions counted in one block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockSample {
    /// Subtree of the second source, relative to the first source.
    pub k: u32,
    /// Subtree of the first destination, relative to the first source.
    pub i: u32,
    /// Subtree of the second destination, relative to the second source.
    pub j: u32,
    /// Pairs of messages.
    pub samples: u64,
    /// Pairs of which one was rejected.
    pub collisions: u64,
    /// Those of them by the level of the router that rejected.
    pub collisions_by_level: Vec<u64>,
}

/// Counts collisions of `samples` pairs of messages in each block of a tree, for all k, i and
/// j in this order; j changes first.
///
/// # Errors
/// When someone asks to stop.
///
/// # Panics
/// When the tree does not send by rounds.
pub fn measure(
    tree: &FatTree,
    samples: u64,
    seed: u64,
    watch: &mut dyn Watch,
) -> Result<Vec<BlockSample>, Error> {
    assert_eq!(tree.strategy, STRATEGY_ROUNDS, "messages go by rounds");
    let levels = tree.levels();
    let mut fabric = tree.fabric();
    let mut blocks = Vec::new();
    for k in 0..levels {
        watch.begins(&format!("pairs in {} nodes, k = {k}", tree.nodes));
        for i in 0..levels {
            for j in 0..levels {
                let number = blocks.len() as u64;
                let seed = random::word(random::key(seed, STREAM_SEEDS, 0), number);
                check_cancelled(watch)?;
                let mut bench = Bench::new(tree, fabric, seed);
                blocks.push(bench.block((k, i, j), samples, seed));
                fabric = bench.engine.into_fabric();
            }
        }
    }
    Ok(blocks)
}

/// A fat tree on an engine.
struct Bench<'t> {
    tree: &'t FatTree,
    engine: EventEngine,
    rejections: RejectionClocks,
    rest_cycles: u64,
}

/// One of two messages.
#[derive(Debug, Clone, Copy)]
struct Sender {
    instance: u32,
    destination: u32,
    /// Level at which it turns.
    turn: u32,
}

impl<'t> Bench<'t> {
    fn new(tree: &'t FatTree, fabric: Fabric, seed: u64) -> Bench<'t> {
        let rest_cycles = fabric.rest_cycles;
        let mut engine = EventEngine::new(fabric, seed, 1);
        engine.step();
        engine.hold_random(false);
        Bench {
            tree,
            engine,
            rejections: tree.clocks().rejections(),
            rest_cycles,
        }
    }

    fn block(&mut self, (k, i, j): (u32, u32, u32), samples: u64, seed: u64) -> BlockSample {
        let mut places = random::generator(seed, STREAM_PLACES);
        let mut block = BlockSample {
            k,
            i,
            j,
            samples,
            collisions: 0,
            collisions_by_level: vec![0; self.tree.levels() as usize],
        };
        for _ in 0..samples {
            let mut below = |bound: u32| random::below(&mut places, u64::from(bound)) as u32;
            let first = below(self.tree.nodes);
            let mut other = |node: u32, subtree: u32| node ^ (1 << subtree | below(1 << subtree));
            let second = other(first, k);
            let messages = [(first, other(first, i)), (second, other(second, j))];
            if let Some(level) = self.collision(messages) {
                block.collisions += 1;
                block.collisions_by_level[level as usize] += 1;
            }
        }
        block
    }

    /// The level at which two messages that are sent now collide, if they do; the network
    /// is at rest before and afterwards.
    fn collision(&mut self, messages: [(u32, u32); 2]) -> Option<u32> {
        let senders = messages.map(|(source, destination)| Sender {
            instance: self.tree.node_instance(source) as u32,
            destination,
            turn: routing::turn_level(source, destination),
        });
        let turn_max = senders.iter().map(|sender| sender.turn).max();
        for sender in senders {
            let shorter_by = 2 * (turn_max.unwrap_or(0) - sender.turn);
            self.drive(sender, port::PORT_TX_REQUEST, 1);
            self.drive(sender, port::PORT_TX_DESTINATION, sender.destination);
            self.drive(sender, port::PORT_TX_WORDS, 2 * shorter_by);
        }
        let mut collision = None;
        let mut open = 2;
        while open > 0 {
            let rejected = collision.is_some();
            let launched = self.round(senders, &mut collision, &mut open);
            assert!(!rejected || launched == 1, "one message is left");
        }
        for _ in 0..self.rest_cycles {
            self.engine.step();
        }
        collision
    }

    /// A round: starts those that are offered, and goes on until all of them are
    /// acknowledged or rejected. Gives how many there were.
    fn round(&mut self, senders: [Sender; 2], level: &mut Option<u32>, open: &mut u32) -> u32 {
        // A sender that was told of a rejection needs a clock to wait for a round.
        self.engine.step();
        for sender in senders {
            self.drive(sender, port::PORT_ROUND_START, 1);
        }
        self.engine.step();
        for sender in senders {
            self.drive(sender, port::PORT_ROUND_START, 0);
        }
        let launched = *open;
        let started = self.engine.cycle();
        let mut in_flight = launched;
        while in_flight > 0 {
            self.engine.step();
            let after = self.engine.cycle() - started;
            assert!(after < CYCLES_MAX, "a message is lost");
            for sender in senders {
                if self.shown(sender, port::PORT_TX_DONE) {
                    self.drive(sender, port::PORT_TX_REQUEST, 0);
                    *open -= 1;
                    in_flight -= 1;
                } else if self.shown(sender, port::PORT_TX_COLLISION) {
                    let RejectedBy::Hop(hop) = self.rejections.by(sender.turn, after) else {
                        panic!("no message is refused");
                    };
                    *level = Some(routing::hop_level(sender.turn, hop));
                    in_flight -= 1;
                }
            }
        }
        launched
    }

    fn drive(&mut self, sender: Sender, port: usize, value: u32) {
        let values = [(sender.instance, u64::from(value))];
        self.engine.drive(NODES, port, &values);
    }

    fn shown(&self, sender: Sender, port: usize) -> bool {
        self.engine.value(NODES, port, sender.instance as usize) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strumpen2005::enumerate::fat_tree;

    /// Equation (2) of section 4.
    fn equation_2(k: u32, i: u32, j: u32) -> f64 {
        let (numerator, exponent) = match () {
            () if i == k && j < k => (j + 2, k + 1),
            () if j == k && i < k => (i + 2, k + 1),
            () if i == j && i > k => (k + 2, i + 1),
            () => return 0.0,
        };
        f64::from(numerator) / f64::from(1 << exponent)
    }

    #[test]
    fn blocks_agree_with_equation_2() {
        let samples = 200;
        let blocks = measure(&fat_tree(4), samples, 1, &mut ()).expect("nobody stops it");
        assert_eq!(blocks.len(), 64);
        for block in &blocks {
            let expected = equation_2(block.k, block.i, block.j);
            let found = block.collisions as f64 / samples as f64;
            let stderr = (expected * (1.0 - expected) / samples as f64).sqrt();
            assert!((found - expected).abs() <= 4.0 * stderr, "{block:?}");
            assert_eq!(
                block.collisions_by_level.iter().sum::<u64>(),
                block.collisions
            );
            // Messages meet on their way down into the subtree that both go to.
            let highest = block.k.max(block.i).max(block.j) as usize;
            assert!(
                block.collisions_by_level[highest + 1..]
                    .iter()
                    .all(|&at| at == 0)
            );
        }
        assert_eq!(
            blocks,
            measure(&fat_tree(4), samples, 1, &mut ()).expect("nobody stops it")
        );
        assert_ne!(
            blocks,
            measure(&fat_tree(4), samples, 2, &mut ()).expect("nobody stops it")
        );
    }
}
