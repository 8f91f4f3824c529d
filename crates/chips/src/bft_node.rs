//! `bft_node`: a slice of a routing node of a binary fat tree, packet switched, without queues.
//!
//! Source: Dimakopoulos & Dimopoulos, "Communications in Binary Fat Trees", sections 2 and 5: a
//! routing node uses all its links at once, and replicates. A node whose channels have `c` links
//! is `c` slices that know nothing of each other, so one chip serves all levels.
//!
//! A packet that comes in goes out a clock later. From below it goes up while its destination is
//! outside the node's subtree, from the left on `up_0` and from the right on `up_1`, or on `up_0`
//! too where the node has no more links up than down on one side; and into the other half
//! otherwise. From above it goes to the half that its destination is in. With `broadcast` it does
//! all of this at once: up while there are higher levels in its set, into the other half where
//! this level is, and from above into both.
//!
//! There are no queues. Where two packets want one link, the one from `up_0` passes, or from
//! `up_1`, or from below, the left one first; the others are lost, and `conflict` says so in the
//! next clock.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::packet::{self, packet_link};
use super::ports::{chip, model_types};
use super::protocol::state_names;
use super::{Model, RandomPins};
use crosswave_probe::signal::StateName;

/// Link port to the left child.
pub const LEFT: usize = 0;
/// Link port to the right child.
pub const RIGHT: usize = 1;
/// First link port up.
pub const UP_0: usize = 2;
/// Second link port up.
pub const UP_1: usize = 3;

/// Bits of `conflict`.
const CONFLICT_LEFT: u64 = 1;
const CONFLICT_RIGHT: u64 = 2;
const CONFLICT_UP: u64 = 4;

state_names! {
    /// Outputs for which several packets came.
    CONFLICTS:
    "NONE" = 0,
    "LEFT" = 1,
    "RIGHT" = 2,
    "LEFT_RIGHT" = 3,
    "UP" = 4,
    "LEFT_UP" = 5,
    "RIGHT_UP" = 6,
    "ALL" = 7,
}

chip! {
    name: bft_node,
    links: ["left", "right", "up_0", "up_1"],
    words: &[],
    sources: ["bft_node.v", "bft_node_way.v"],
    ports {
        option("level", 5, "level of the node: 0 above the leaves") => pub PORT_LEVEL, level: u8;
        option("address", 20, "first node of its subtree; its bits up to the level are 0")
            => pub PORT_ADDRESS, address: u32;
        option("upstream_single", 1, "only up_0 leads up, and packets from both sides take it")
            => pub PORT_UPSTREAM_SINGLE, upstream_single: bool;
        state(
            "conflict", 3, CONFLICTS,
            "outputs for which several packets came: left, right, up_0; all but one are lost",
        ) => pub PORT_CONFLICT;
        packet_link!(LEFT, "left");
        packet_link!(RIGHT, "right");
        packet_link!(UP_0, "up_0");
        packet_link!(UP_1, "up_1");
    }
    /// Configuration of an instance.
    pub struct Pins;
}

/// Registers beside those that drive links.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    conflict: u8,
}

/// The model.
#[derive(Debug)]
pub struct BftNode;

/// Position of a slice in the tree, from which its routing follows.
#[derive(Debug, Clone, Copy)]
pub(super) struct SlicePosition {
    /// Level of its node.
    pub level: u8,
    /// First node of the subtree.
    pub address: u32,
    /// Only up_0 leads up.
    pub upstream_single: bool,
}

impl SlicePosition {
    /// A packet on its way from below: whether it goes up, and whether into the other half.
    fn of_lower(self, word: u64) -> (bool, bool) {
        if word == 0 {
            return (false, false);
        }
        let broadcast = word >> packet::BROADCAST & 1 != 0;
        let destination = packet::destination(word);
        let from = if broadcast { 0 } else { self.address };
        let above = (destination ^ u64::from(from)) >> self.level;
        let climbs = above >> 1 != 0;
        let turns = if broadcast { above & 1 != 0 } else { !climbs };
        (climbs, turns)
    }

    /// A packet on its way down: whether it goes left, and whether right.
    fn of_upper(self, word: u64) -> (bool, bool) {
        if word == 0 {
            return (false, false);
        }
        let broadcast = word >> packet::BROADCAST & 1 != 0;
        let is_right = packet::destination(word) >> self.level & 1 != 0;
        (broadcast || !is_right, broadcast || is_right)
    }

    /// The packets that want each output, the one that passes first in front. Fields without a
    /// packet count for nothing.
    pub(super) fn wanted(self, words: &[u64]) -> [SmallVec<[u64; 3]>; 4] {
        let arrived = |link: usize| match words[link] >> packet::VALID & 1 {
            0 => 0,
            _ => words[link],
        };
        let [left, right, up_0, up_1] = [LEFT, RIGHT, UP_0, UP_1].map(arrived);
        let ((left_climbs, left_turns), (right_climbs, right_turns)) =
            (self.of_lower(left), self.of_lower(right));
        let ((to_left_0, to_right_0), (to_left_1, to_right_1)) =
            (self.of_upper(up_0), self.of_upper(up_1));
        let single = self.upstream_single;
        let wanting = |wants: [(bool, u64); 3]| {
            let wanting = wants.into_iter().filter(|(wants, _)| *wants);
            wanting.map(|(_, word)| word).collect()
        };
        [
            wanting([(to_left_0, up_0), (to_left_1, up_1), (right_turns, right)]),
            wanting([(to_right_0, up_0), (to_right_1, up_1), (left_turns, left)]),
            wanting([(left_climbs, left), (right_climbs && single, right), NOBODY]),
            wanting([(right_climbs && !single, right), NOBODY, NOBODY]),
        ]
    }
}

/// An input that wants no output.
const NOBODY: (bool, u64) = (false, 0);

impl Model for BftNode {
    model_types!(State, Pins, [u64; 4]);

    fn step(state: &mut State, pins: &Pins, _: &impl RandomPins, words: &mut [u64]) -> bool {
        let place = SlicePosition {
            level: pins.level,
            address: pins.address,
            upstream_single: pins.upstream_single,
        };
        let outputs = place.wanted(words);
        let bits = [CONFLICT_LEFT, CONFLICT_RIGHT, CONFLICT_UP];
        let lost = bits.iter().zip(&outputs).filter(|(_, all)| all.len() > 1);
        state.conflict = lost.map(|(bit, _)| *bit as u8).sum();
        for (word, wanting) in words.iter_mut().zip(outputs) {
            *word = wanting.first().copied().unwrap_or(0);
        }
        state.conflict != 0
    }

    fn output(state: &State, port: usize) -> u64 {
        match port {
            PORT_CONFLICT => u64::from(state.conflict),
            _ => 0,
        }
    }
}
