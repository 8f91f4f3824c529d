//! Samples of the replicates of a point.

use serde::{Deserialize, Serialize};

use super::enough::Enough;
use super::sample::{Sample, Statistic};
use super::spec::PointStopRule;
use crosswave_base::statistics::{Tally, half_width_95};

/// Samples of the replicates of a point, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Samples {
    samples: Vec<Sample>,
}

impl Samples {
    /// Number of replicates.
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// True when there are no replicates.
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

impl PointStopRule {
    /// Number of replicates to have before looking again, given those that there are.
    pub fn target(&self, samples: &Samples) -> usize {
        let enough = Enough {
            least: self.least,
            most: self.most,
            step: self.step,
        };
        enough.target(samples.len(), |count| {
            let tally = first(&samples.samples[..count], self.of);
            // A few values that happen to be alike are no reason to stop.
            let half = half_width_95(&tally).max(3.0 / count as f64);
            half / (self.half_width_fraction * tally.mean())
        })
    }
}
