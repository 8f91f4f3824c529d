//! The queue in front of an output of a packet switch: first come, first served.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// `queue_packets` of queues without a limit.
pub const UNLIMITED: u32 = 0xffff;

/// The most packets that wait for an output of the chips in Verilog.
pub const PLACES: u32 = 8;

/// The queue of an output.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Queue {
    words: VecDeque<u64>,
    longest: usize,
}

impl Queue {
    /// Packets that wait.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// The most that have waited so far.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// A packet comes, behind the others.
    pub(super) fn push(&mut self, word: u64) {
        self.words.push_back(word);
    }

    /// One clock edge, behind those that came in it: what the link drives, and whether packets
    /// found no place of at most so many.
    pub(super) fn step(&mut self, has_turn: bool, queue_packets: u32) -> (u64, bool) {
        let most = match queue_packets {
            UNLIMITED => usize::MAX,
            packets => packets as usize,
        };
        let word = match has_turn {
            true => self.words.pop_front().unwrap_or(0),
            false => 0,
        };
        let is_lost = self.words.len() > most;
        self.words.truncate(most);
        self.longest = self.longest.max(self.words.len());
        (word, is_lost)
    }
}
