//! The choice of a message's path among those of a routing.
//!
//! A routing gives each pair of nodes shares of its top switches. Where it gives several, messages of
//! the pair are spread over them: *round robin*, each as often as its share says and as far apart as
//! a fixed step through all units makes them, source `s` beginning at step `s`; or at *random*, keyed by the pair and by how many of its messages came before.

use std::sync::Arc;

use num_integer::Integer;

use crosswave_base::random;
use crosswave_oblivious::routing::{Routing, Share};
use crosswave_oblivious::tree::PortTree;

/// The random stream of paths.
const STREAM_PATH: u64 = u64::from_be_bytes(*b"obl-path");

/// Rule for spreading messages over several paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// One after another.
    RoundRobin,
    /// At random.
    Random,
}

/// Ways of messages.
#[derive(Debug, Clone)]
pub struct PathSet {
    routing: Arc<dyn Routing>,
    choice: Choice,
    seed: u64,
}

impl PathSet {
    /// Ways by a routing. `seed` is for random ones.
    pub fn new(routing: Arc<dyn Routing>, choice: Choice, seed: u64) -> PathSet {
        PathSet {
            routing,
            choice,
            seed,
        }
    }

    /// The tree that the routing is for.
    pub fn tree(&self) -> PortTree {
        self.routing.tree()
    }

    /// The routing.
    pub fn routing(&self) -> &dyn Routing {
        &*self.routing
    }

    /// The shares of a pair, whose numbers are those of its ways.
    pub fn shares(&self, source: u32, destination: u32) -> Vec<Share> {
        let mut shares = Vec::new();
        self.routing.shares(source, destination, &mut shares);
        shares
    }

    /// The number of the way of a message, `before` others of its pair having been there.
    pub fn way(&self, source: u32, destination: u32, before: u32) -> u32 {
        let shares = self.shares(source, destination);
        if shares.len() == 1 {
            return 0;
        }
        let whole = shares.iter().fold(0, |all, share| share.units.gcd(&all));
        let total: u64 = shares
            .iter()
            .map(|share| u64::from(share.units / whole))
            .sum();
        let place = match self.choice {
            Choice::RoundRobin => {
                let turn = u128::from(source) + u128::from(before);
                (turn * u128::from(step(total)) % u128::from(total)) as u64
            }
            Choice::Random => {
                let key = random::key(self.seed, STREAM_PATH, u64::from(before));
                let pair = u64::from(source) << 32 | u64::from(destination);
                ((u128::from(random::word(key, pair)) * u128::from(total)) >> 64) as u64
            }
        };
        let mut behind = 0;
        let found = shares.iter().position(|share| {
            behind += u64::from(share.units / whole);
            place < behind
        });
        found.expect("a place below the sum of all shares") as u32
    }

    /// The output ports at the switches of the path by a top switch.
    pub fn ports(&self, source: u32, destination: u32, top: u32) -> impl Iterator<Item = u8> {
        let tree = self.tree();
        let half = tree.half();
        let meeting = tree.meeting_height(source, destination);
        let up = move |level: u32| half + top / tree.power(meeting - 1 - level) % half;
        let down = move |level: u32| match level + 1 == tree.levels() {
            true => destination / tree.power(level),
            false => destination / tree.power(level) % half,
        };
        let ports = (0..meeting).map(up).chain((0..=meeting).rev().map(down));
        ports.map(|port| port as u8)
    }
}

/// A step through so many places that comes to all of them, and whose neighbours are far apart: the
/// nearest to the golden section that has no divisor with them in common.
fn step(places: u64) -> u64 {
    let golden = (u128::from(places) * 618 / 1000) as u64;
    let is_step = |step: &u64| step.gcd(&places) == 1;
    (golden.max(1)..=places).find(is_step).unwrap_or(1)
}
