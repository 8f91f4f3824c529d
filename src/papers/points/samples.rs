//! What the replicates of a point left behind.

use serde::{Deserialize, Serialize};

use super::sample::{Sample, Statistic};
use super::spec::Wanted;
use crate::statistics::{Tally, half_width_95};

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
