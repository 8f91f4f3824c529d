//! Lower bounds on the length of a round.
//!
//! The attempts of a round are launched in one cycle L. One whose path is of
//! class t is told of a router's rejection in one of a few cycles
//! ([`RoundTiming::next_rejection`]). If none is ahead, no router has rejected it, and it is
//! acknowledged, or refused by its receiver, in a cycle that follows from t and its length ([`RoundTiming::acknowledge`]).
//! The round ends when the last attempt is settled, so any attempt that is under way gives
//! a bound.
//!
//! For each t the number of attempts under way is kept, and the sum of the clocks that
//! they take to their acknowledgements. The longest takes at least the mean, and that is
//! exact when lengths are alike. Sums can be kept apart for groups of senders, and added.

use serde::{Deserialize, Serialize};

use crosswave_network::topology::{PATH_CLASSES_MAX, RoundTiming};

/// Attempts whose paths are of one class.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Attempts {
    /// Number of attempts.
    count: i64,
    /// Clocks from their launches to their acknowledgements, added up.
    clocks: i64,
}

/// The attempts of a round that are under way. For a part of the senders, what has
/// changed.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct UnderWay {
    /// The attempts by the class of their paths.
    classes: [Attempts; PATH_CLASSES_MAX],
    /// The cycle in which the round's attempts were launched.
    launched: u64,
    /// The last cycle in which one was settled.
    pub last_settled: u64,
}

impl UnderWay {
    /// Takes in that an attempt was launched, which takes so many clocks if nobody
    /// rejects it.
    pub fn launched(&mut self, cycle: u64, class: u32, clocks: u64) {
        self.launched = cycle;
        let attempts = &mut self.classes[class as usize];
        attempts.count += 1;
        attempts.clocks += clocks as i64;
    }

    /// Takes in that one was rejected or acknowledged.
    pub fn settled(&mut self, cycle: u64, class: u32, clocks: u64) {
        self.last_settled = self.last_settled.max(cycle);
        let attempts = &mut self.classes[class as usize];
        attempts.count -= 1;
        attempts.clocks -= clocks as i64;
    }

    /// Takes in what a part of the senders has settled, and leaves it with nothing.
    pub fn take_in(&mut self, part: &mut UnderWay) {
        for (all, part) in self.classes.iter_mut().zip(&part.classes) {
            all.count += part.count;
            all.clocks += part.clocks;
        }
        self.last_settled = self.last_settled.max(part.last_settled);
        *part = UnderWay::default();
    }

    /// True when it can be of so many attempts under way in a cycle.
    pub fn is_possible(&self, in_flight: i64, cycle: u64) -> bool {
        // Clocks of an attempt at most: those of the longest message on the longest way.
        const CLOCKS_MAX: i64 = 1 << 40;
        let counts = self.classes.iter().map(|of| of.count);
        let mut classes = self.classes.iter();
        let are_possible = classes.all(|of| {
            let most = of.count.checked_mul(CLOCKS_MAX);
            of.count >= 0 && most.is_some_and(|most| (0..=most).contains(&of.clocks))
        });
        are_possible
            && counts.sum::<i64>() == in_flight
            && self.launched <= cycle
            && self.last_settled <= cycle
    }

    /// The first cycle in which the last of the attempts can be settled that are under way
    /// in `cycle`; `None` when there are none.
    pub fn ends_from(&self, timing: &dyn RoundTiming, cycle: u64) -> Option<u64> {
        let classes = (0..).zip(&self.classes).filter(|(_, of)| of.count > 0);
        let ends = classes.map(|(class, of)| {
            let mean = of.clocks.cast_unsigned().div_ceil(of.count.cast_unsigned());
            let rejection = timing.next_rejection(class, cycle - self.launched);
            self.launched + rejection.unwrap_or(mean)
        });
        ends.max()
    }
}
