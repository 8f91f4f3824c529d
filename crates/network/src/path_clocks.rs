//! Clocks of a circuit's way through a fat tree, in closed form.
//!
//! A head takes 2 clocks per router, an answer 1 (Strumpen & Krishnamurthy
//! 2005, section 7), and both take the extra clocks of every link they pass.

use crosswave_chips::routing;

/// The closed forms for one tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathClocks {
    /// Extra clocks of the links from a node up to and into each level.
    climb_cycles: Vec<u64>,
    /// True when routers reject on the way up.
    blocks_upward: bool,
    /// True when answers may wait behind older ones.
    answers_in_turn: bool,
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
            answers_in_turn: false,
        }
    }

    /// The same in a leaner tree, whose routers reject on the way up too.
    pub fn blocking_upward(self) -> Self {
        PathClocks {
            blocks_upward: true,
            ..self
        }
    }

    /// The same where answers come back in the order of the heads, so that one may wait
    /// behind an older one: clocks of answers are the least that they take.
    pub fn with_answers_in_turn(self) -> Self {
        PathClocks {
            answers_in_turn: true,
            ..self
        }
    }

    /// Extra clocks from a node up to and into level `level`.
    pub fn climb(&self, level: u32) -> u64 {
        self.climb_cycles[level as usize]
    }

    /// Clocks from the head on the source's wire to the head on the destination's.
    pub fn forward(&self, source: u32, destination: u32) -> u64 {
        let turn = routing::turn_level(source, destination);
        2 * u64::from(routing::path_routers(source, destination)) + 2 * self.climb(turn)
    }

    /// Clocks of an answer from the destination's wire to the source's.
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
    /// has passed all routers unless it was told before. Where answers may wait, the next
    /// clock from the first rejection on.
    ///
    /// In a full tree no router of the way up rejects (Strumpen & Krishnamurthy 2005,
    /// section 3).
    pub fn next_rejection(&self, turn: u32, after: u64) -> Option<u64> {
        let first = if self.blocks_upward { 0 } else { turn };
        if self.answers_in_turn {
            return Some(self.rejection(turn, first).max(after + 1));
        }
        let clocks = (first..=2 * turn).map(|hop| self.rejection(turn, hop));
        clocks.filter(|&clocks| clocks > after).min()
    }

    /// Between the launch of an attempt that turns at level `turn`, with so many words of a header
    /// behind the first, and its `tx_done`, when no router rejects it. With release by the acknowledge, a receiver that refuses the
    /// message is heard after as many clocks.
    ///
    /// The way there, the body and the clock of silence behind it, the way back, 1 into
    /// the sender; early, the answer leaves a clock after the head, and the sender looks at
    /// it when the last word is on the wire.
    pub fn acknowledge(&self, turn: u32, path_words: u32, words: u32, early: bool) -> u64 {
        let routers = u64::from(2 * turn + 1);
        let ways = 3 * routers + 4 * self.climb(turn);
        let words = u64::from(words);
        if early {
            (ways + 2).max(u64::from(path_words) + words + 1)
        } else {
            ways + words + 2
        }
    }

    /// For each turn level, who rejected an attempt whose `tx_collision` came after so
    /// many clocks. Where answers may wait, the clock does not tell.
    pub fn rejections(&self) -> RejectionClocks {
        if self.answers_in_turn {
            return RejectionClocks { hops: Vec::new() };
        }
        let levels = self.climb_cycles.len() as u32;
        let hops = (0..levels).map(|turn| {
            let last = self.rejection(turn, 2 * turn) as usize;
            let mut hops = vec![RejectionClocks::NONE; last + 1];
            for hop in 0..=2 * turn {
                let narrow = u8::try_from(hop)
                    .ok()
                    .filter(|&hop| hop != RejectionClocks::NONE);
                hops[self.rejection(turn, hop) as usize] = narrow.expect("a tree has fewer hops");
            }
            hops
        });
        RejectionClocks {
            hops: hops.collect(),
        }
    }
}

/// The place that rejected an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RejectedBy {
    /// This router of its path; 0 is the first.
    Hop(u32),
    /// The receiver.
    Receiver,
    /// A router or the receiver.
    Someone,
}

/// The hops that reject, by turn level and clocks; of no level when the clock does not
/// tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RejectionClocks {
    hops: Vec<Vec<u8>>,
}

impl RejectionClocks {
    /// No router rejects after so many clocks.
    pub const NONE: u8 = u8::MAX;

    /// The place that rejected an attempt turning at level `turn` whose `tx_collision` came `after`
    /// clocks.
    #[inline]
    pub fn by(&self, turn: u32, after: u64) -> RejectedBy {
        let Some(hops) = self.hops.get(turn as usize) else {
            return RejectedBy::Someone;
        };
        match hops.get(after as usize) {
            Some(&hop) if hop != Self::NONE => RejectedBy::Hop(u32::from(hop)),
            _ => RejectedBy::Receiver,
        }
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
                    for early in [false, true] {
                        assert!(after < clocks.acknowledge(turn, turn.div_ceil(8), words, early));
                    }
                }
            }
        }
    }

    #[test]
    fn the_clock_does_not_tell_where_answers_wait() {
        let clocks = PathClocks::new(&[0, 2, 0]).with_answers_in_turn();
        assert_eq!(clocks.rejections().by(1, 6), RejectedBy::Someone);
        let first = clocks.rejection(2, 2);
        assert_eq!(clocks.next_rejection(2, 0), Some(first));
        assert_eq!(clocks.next_rejection(2, first - 1), Some(first));
        assert_eq!(clocks.next_rejection(2, first), Some(first + 1));
        let late = clocks.acknowledge(2, 1, 1, false) + 50;
        assert_eq!(clocks.next_rejection(2, late), Some(late + 1));
    }

    #[test]
    fn the_hop_is_read_off_the_clock() {
        for delays in [[0, 0, 0, 0], [3, 0, 1, 2]] {
            let clocks = PathClocks::new(&delays);
            let rejections = clocks.rejections();
            for turn in 0..4 {
                for hop in 0..=2 * turn {
                    let after = clocks.rejection(turn, hop);
                    assert_eq!(rejections.by(turn, after), RejectedBy::Hop(hop));
                }
                let refused = clocks.rejection(turn, 2 * turn) + 1;
                assert_eq!(rejections.by(turn, refused), RejectedBy::Receiver);
                assert_eq!(rejections.by(turn, 2), RejectedBy::Receiver);
            }
        }
    }
}
