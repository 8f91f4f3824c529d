//! What the replicates of a point left behind.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::spec::{Statistic, Wanted};
use crate::analytic::tally::Tally;
use crate::probe::message::MessageRecord;

/// What one replicate left behind. In JSON it is a list of its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[u64; 5]", into = "[u64; 5]")]
pub struct Sample {
    /// Rounds until all messages were delivered; 0 without rounds.
    pub rounds: u64,
    /// Cycles from the first head on the wire to the last acknowledgement that a sender
    /// senses, or to the last delivery where that comes later: an early acknowledgement may
    /// overtake a long body.
    pub cycles: u64,
    /// Messages.
    pub messages: u64,
    /// Heads sent.
    pub attempts: u64,
    /// Cycles from the first head on the wire to the last delivery.
    pub delivery_cycles: u64,
}

impl Sample {
    /// The sample of a replicate whose messages all were acknowledged, in so many rounds.
    pub fn new(rounds: u64, messages: &[MessageRecord]) -> Sample {
        let most = |of: fn(&MessageRecord) -> u64| messages.iter().map(of).max().unwrap_or(0);
        let first = messages.iter().map(|message| message.sent_cycle).min();
        let first = first.unwrap_or(0);
        Sample {
            rounds,
            cycles: most(|m| m.acknowledged_cycle.max(m.delivered_cycle)) - first,
            messages: messages.len() as u64,
            attempts: messages.iter().map(|m| u64::from(m.attempts)).sum(),
            delivery_cycles: most(|message| message.delivered_cycle) - first,
        }
    }
}

impl From<[u64; 5]> for Sample {
    fn from([rounds, cycles, messages, attempts, delivery_cycles]: [u64; 5]) -> Self {
        Sample {
            rounds,
            cycles,
            messages,
            attempts,
            delivery_cycles,
        }
    }
}

impl From<Sample> for [u64; 5] {
    fn from(sample: Sample) -> Self {
        [
            sample.rounds,
            sample.cycles,
            sample.messages,
            sample.attempts,
            sample.delivery_cycles,
        ]
    }
}

/// What the replicates of a point left behind, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Samples {
    samples: Vec<Sample>,
}

impl Samples {
    /// How many replicates.
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// Keeps the first so many.
    pub fn truncate(&mut self, count: usize) {
        self.samples.truncate(count);
    }

    /// A statistic over the replicates.
    pub fn of(&self, statistic: Statistic) -> Tally {
        first(&self.samples, statistic)
    }

    /// Messages of a replicate; 0 without any.
    pub fn messages(&self) -> u64 {
        self.samples.first().map_or(0, |sample| sample.messages)
    }

    /// Attempts for each message, over all replicates; NaN without any.
    pub fn attempts_per_message(&self) -> f64 {
        let sum = |of: fn(&Sample) -> u64| self.samples.iter().map(of).sum::<u64>() as f64;
        sum(|sample| sample.attempts) / sum(|sample| sample.messages)
    }
}

impl Extend<Sample> for Samples {
    fn extend<I: IntoIterator<Item = Sample>>(&mut self, samples: I) {
        self.samples.extend(samples);
    }
}

fn first(samples: &[Sample], statistic: Statistic) -> Tally {
    samples.iter().map(|sample| statistic.of(sample)).collect()
}

/// Half of the interval that holds the true mean in 95 % of all cases (Student's t);
/// infinite for fewer than two values. When all of n values are the same, it is 3/n (rule of
/// three): values that are one off may still make up so much.
pub fn half_width_95(tally: &Tally) -> f64 {
    match tally.count() {
        0 | 1 => f64::INFINITY,
        count if tally.min() == tally.max() => 3.0 / count as f64,
        count => student_t_95(count) * tally.standard_error(),
    }
}

/// Standard errors on each side of a mean that hold the true mean in 95 % of all cases, where
/// the mean is of many values or its error is known.
pub const NORMAL_95: f64 = 1.96;

/// Standard errors on each side of a mean of so many values that hold the true mean in 95 %
/// of all cases.
///
/// # Panics
/// With fewer than two values.
pub fn student_t_95(count: u64) -> f64 {
    assert!(count > 1, "{count} values");
    // So close to the normal distribution that four digits are the same; the search for the
    // quantile of Student's takes ever longer.
    let freedom = (count - 1).min(100_000);
    let t = StudentsT::new(0.0, 1.0, freedom as f64);
    t.expect("a positive number of degrees of freedom")
        .inverse_cdf(0.975)
}

impl Wanted {
    /// How many replicates to have before looking again, given those that there are: the
    /// least number; then as many as the spread of those says are needed; and so on until
    /// they are enough. It depends on the first replicates only, so that it comes out the
    /// same when a point is stopped and taken up again.
    pub fn target(&self, samples: &Samples) -> usize {
        let mut target = self.least.next_multiple_of(self.step);
        while let Some(taken) = samples.samples.get(..target)
            && target < self.most
        {
            let tally = first(taken, self.of);
            // A few values that happen to be alike are no reason to stop.
            let half = half_width_95(&tally).max(3.0 / target as f64);
            let ratio = half / (self.half_width_fraction * tally.mean());
            if ratio <= 1.0 {
                break;
            }
            let needed = (target as f64 * ratio * ratio).ceil().min(self.most as f64);
            target = (needed as usize).clamp(target + 1, self.most.max(target + 1));
            target = target.next_multiple_of(self.step);
        }
        target
    }
}
