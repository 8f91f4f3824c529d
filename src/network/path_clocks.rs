//! Clocks of a message's way through a fat tree, in closed form.
//!
//! A head takes 2 clocks per router, an answer 1 (Strumpen & Krishnamurthy
//! 2005, section 7), and both take the extra clocks of every link they pass.

use crate::routing;

/// The closed forms for one tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathClocks {
    /// Extra clocks of the links from a node up to and into each level.
    climb_cycles: Vec<u64>,
    /// Whether routers reject on the way up.
    blocks_upward: bool,
}

impl PathClocks {
    /// For a full tree whose links below level `l` take `link_delay_cycles[l]` extra
    /// clocks.
    pub fn new(link_delay_cycles: &[u32]) -> Self {
        let mut sum = 0;
        let climb = link_delay_cycles.iter().map(|&clocks| {
            sum += u64::from(clocks);
            sum
        });
        PathClocks {
            climb_cycles: climb.collect(),
            blocks_upward: false,
        }
    }

    /// The same in a leaner tree, whose routers reject on the way up too.
    pub fn blocking_upward(self) -> Self {
        PathClocks {
            blocks_upward: true,
            ..self
        }
    }

    /// Extra clocks from a node up to and into level `level`.
    pub fn climb(&self, level: u32) -> u64 {
        self.climb_cycles[level as usize]
    }

    /// From the head on the source's wire to the head on the destination's.
    pub fn forward(&self, source: u32, destination: u32) -> u64 {
        let turn = routing::turn_level(source, destination);
        2 * u64::from(routing::path_routers(source, destination)) + 2 * self.climb(turn)
    }

    /// Of an answer, from the destination's wire to the source's.
    pub fn backward(&self, source: u32, destination: u32) -> u64 {
        let turn = routing::turn_level(source, destination);
        u64::from(routing::path_routers(source, destination)) + 2 * self.climb(turn)
    }

    /// Between the launch of an attempt that turns at level `turn` and its
    /// `tx_collision`, when router `hop` of its path (0 is the first) rejects
    /// it: forward 2 per router passed, 1 into the register of the rejecting
    /// one, 1 out of it, back 1 per router passed, 1 into the sender.
    pub fn rejection(&self, turn: u32, hop: u32) -> u64 {
        let up = self.climb(hop.min(turn));
        let down = if hop > turn {
            self.climb(turn) - self.climb(routing::hop_level(turn, hop))
        } else {
            0
        };
        3 * u64::from(hop) + 2 * (up + down) + 3
    }

    /// The first of the clocks after its launch, later than `after`, in which an attempt
    /// that turns at level `turn` could be told of a router's rejection; `None` when it
    /// has passed all routers unless it was told before.
    ///
    /// In a full tree no router of the way up rejects (Strumpen & Krishnamurthy 2005,
    /// section 3).
    pub fn next_rejection(&self, turn: u32, after: u64) -> Option<u64> {
        let first = if self.blocks_upward { 0 } else { turn };
        let clocks = (first..=2 * turn).map(|hop| self.rejection(turn, hop));
        clocks.filter(|&clocks| clocks > after).min()
    }

    /// Between the launch of an attempt that turns at level `turn` and its `tx_done`, when
    /// no router rejects it. With release by the acknowledge, a receiver that refuses the
    /// message is heard after as many clocks.
    ///
    /// The way there, the body and the clock of silence behind it, the way back, 1 into
    /// the sender; with release by the tail the answer leaves a clock after the head, and
    /// the sender looks at it when the last word is on the wire.
    pub fn acknowledge(&self, turn: u32, words: u32, release_tail: bool) -> u64 {
        let routers = u64::from(2 * turn + 1);
        let ways = 3 * routers + 4 * self.climb(turn);
        let words = u64::from(words);
        if release_tail {
            let path_words = u64::from(turn.div_ceil(8));
            (ways + 2).max(path_words + words + 1)
        } else {
            ways + words + 2
        }
    }

    /// For each turn level, the router of the path that rejected an attempt
    /// whose `tx_collision` came after so many clocks; [`Rejections::NONE`] when
    /// it was the receiver.
    pub fn rejections(&self) -> Rejections {
        let levels = self.climb_cycles.len() as u32;
        let hops = (0..levels).map(|turn| {
            let last = self.rejection(turn, 2 * turn) as usize;
            let mut hops = vec![Rejections::NONE; last + 1];
            for hop in 0..=2 * turn {
                hops[self.rejection(turn, hop) as usize] = hop as u8;
            }
            hops
        });
        Rejections {
            hops: hops.collect(),
        }
    }
}

/// The hops that reject, by turn level and clocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejections {
    hops: Vec<Vec<u8>>,
}

impl Rejections {
    /// No router rejects after so many clocks.
    pub const NONE: u8 = u8::MAX;

    /// The hop that rejected an attempt turning at level `turn` whose
    /// `tx_collision` came `after` clocks; `None` when it was the receiver.
    #[inline]
    pub fn hop(&self, turn: u32, after: u64) -> Option<u32> {
        let hop = self.hops[turn as usize].get(after as usize);
        hop.filter(|&&hop| hop != Self::NONE)
            .map(|&hop| u32::from(hop))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rejection_is_ahead_once() {
        for delays in [[0, 0, 0, 0], [3, 0, 1, 2]] {
            let full = PathClocks::new(&delays);
            let lean = full.clone().blocking_upward();
            for (clocks, lean, turn) in (0..4).flat_map(|t| [(&full, false, t), (&lean, true, t)]) {
                let mut ahead = Vec::new();
                let mut after = 0;
                while let Some(next) = clocks.next_rejection(turn, after) {
                    ahead.push(next);
                    after = next;
                }
                let first = if lean { 0 } else { turn };
                let hops = first..=2 * turn;
                let expected: Vec<u64> = hops.map(|hop| clocks.rejection(turn, hop)).collect();
                assert_eq!(ahead, expected, "in the order of the path");
                for words in [1, 9] {
                    for release_tail in [false, true] {
                        assert!(after < clocks.acknowledge(turn, words, release_tail));
                    }
                }
            }
        }
    }

    #[test]
    fn the_hop_is_read_off_the_clock() {
        for delays in [[0, 0, 0, 0], [3, 0, 1, 2]] {
            let clocks = PathClocks::new(&delays);
            let rejections = clocks.rejections();
            for turn in 0..4 {
                for hop in 0..=2 * turn {
                    let after = clocks.rejection(turn, hop);
                    assert_eq!(rejections.hop(turn, after), Some(hop));
                }
                let refused = clocks.rejection(turn, 2 * turn) + 1;
                assert_eq!(rejections.hop(turn, refused), None);
                assert_eq!(rejections.hop(turn, 2), None);
            }
        }
    }
}
