//! Results: the JSON of a run and the messages file.
//!
//! Everything but [`Performance`] is the same bytes for the same configuration
//! and seed, on either engine and with any number of threads.
//!
//! [`RunSums`] takes replicates in one by one, so that their messages need not be kept.
//! Latencies are kept as counts of each value: percentiles are exact.

mod messages;
pub mod steady;
mod sums;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::config::Config;
use crate::host::{Outcome, QueueRow};
use crosswave_probe::message::{CountForm, Rejections};
use steady::Steady;

pub use messages::MessagesWriter;
pub use sums::RunSums;

/// Messages of all replicates.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Messages {
    /// Messages of the workload.
    pub offered: u64,
    /// Messages that were acknowledged.
    pub delivered: u64,
    /// Heads sent.
    pub attempts: u64,
}

/// The rejected attempts of all replicates, in the rows that the kind of network names. In
/// JSON they are one field, named by their title.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RejectionCounts(pub Rejections);

impl Serialize for RejectionCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let RejectionCounts(rejections) = self;
        let mut fields = serde_json::Map::new();
        fields.insert("total".into(), rejections.total().into());
        for row in &rejections.rows {
            let value = match row.shown {
                CountForm::List => row.counts.clone().into(),
                CountForm::Number => row.counts.iter().sum::<u64>().into(),
                CountForm::Unknown => serde_json::Value::Null,
                CountForm::Hidden => continue,
            };
            fields.insert(row.name.into(), value);
        }
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(rejections.title, &fields)?;
        map.end()
    }
}

/// The connections of all replicates; cycles are counted from the first routing byte of
/// the attempt that succeeded.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Connections {
    /// Cycles to the first word at the destination.
    pub open_cycles: Option<Latency>,
    /// Cycles to the first word of the reply at the source.
    pub reply_cycles: Option<Latency>,
    /// Cycles to the end of the connection.
    pub close_cycles: Option<Latency>,
    /// Connections in whose answers something was wrong.
    pub wrong: u64,
}

/// The most packets that waited for an output of a router of each level, in any replicate: rows
/// by their names.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LongestQueues(pub BTreeMap<&'static str, Vec<u64>>);

impl LongestQueues {
    /// Those of rows; `None` without any.
    fn of(rows: &[QueueRow]) -> Option<LongestQueues> {
        let rows = rows.iter().map(|row| (row.name, row.longest.clone()));
        let rows: BTreeMap<_, _> = rows.collect();
        (!rows.is_empty()).then_some(LongestQueues(rows))
    }
}

/// Cycles from the offer to the acknowledgement, over all messages, or of what else is
/// said.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Latency {
    /// Smallest.
    pub min: u64,
    /// Mean.
    pub mean: f64,
    /// Median (nearest rank).
    pub p50: u64,
    /// 90th percentile (nearest rank).
    pub p90: u64,
    /// 99th percentile (nearest rank).
    pub p99: u64,
    /// Largest.
    pub max: u64,
    /// Messages by latency, in at most [`BINS_MAX`] bins of one width from the
    /// smallest latency on, the empty ones between them included.
    pub histogram: Vec<Bin>,
}

/// Bins of a histogram of latencies.
pub const BINS_MAX: u64 = 12;

/// Messages whose latency lies in a range.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Bin {
    /// The smallest latency in it.
    pub from: u64,
    /// The largest latency in it.
    pub to: u64,
    /// Messages.
    pub messages: u64,
}

/// Numbers of cycles below this one are counted in a table, which takes up to 512 KiB.
const TABLE_CYCLES_MAX: usize = 1 << 16;

/// Histogram of numbers of cycles. Nearly all are small, and a run finds millions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Counts {
    /// Counts of the numbers below [`TABLE_CYCLES_MAX`], as far as any was found: a power of two,
    /// or none.
    table: Vec<u64>,
    /// Counts of the numbers from there on.
    large: BTreeMap<u64, u64>,
}

impl Counts {
    #[inline]
    fn add(&mut self, cycles: u64) {
        match self.table.get_mut(cycles as usize) {
            Some(count) => *count += 1,
            None => self.add_new(cycles),
        }
    }

    #[cold]
    fn add_new(&mut self, cycles: u64) {
        if cycles < TABLE_CYCLES_MAX as u64 {
            let numbers = (cycles as usize + 1).next_power_of_two();
            self.table.resize(numbers, 0);
            self.table[cycles as usize] += 1;
        } else {
            *self.large.entry(cycles).or_default() += 1;
        }
    }

    /// The numbers that were found, in rising order, and how often each was.
    fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        let table = (0..).zip(self.table.iter().copied());
        let large = self.large.iter().map(|(&cycles, &count)| (cycles, count));
        table.filter(|&(_, count)| count > 0).chain(large)
    }

    /// Number of values counted.
    fn count(&self) -> u64 {
        self.iter().map(|(_, count)| count).sum()
    }

    /// The nearest-rank percentile; `None` without any.
    fn percentile(&self, percent: u64) -> Option<u64> {
        let rank = (self.count() * percent).div_ceil(100).max(1);
        let mut before = 0;
        let found = self.iter().find(|&(_, count)| {
            before += count;
            before >= rank
        });
        found.map(|(cycles, _)| cycles)
    }
}

impl FromIterator<u64> for Counts {
    fn from_iter<I: IntoIterator<Item = u64>>(cycles: I) -> Counts {
        let mut counts = Counts::default();
        cycles.into_iter().for_each(|cycles| counts.add(cycles));
        counts
    }
}

impl Latency {
    /// The latency of what was counted; `None` without any.
    fn of(counts: &Counts) -> Option<Self> {
        let (min, _) = counts.iter().next()?;
        let (max, _) = counts.iter().last()?;
        let step = (max - min) / BINS_MAX + 1;
        let bin = |index| Bin {
            from: min + index * step,
            to: min + index * step + (step - 1),
            messages: 0,
        };
        let mut histogram: Vec<Bin> = (0..=(max - min) / step).map(bin).collect();
        let mut sum = 0;
        for (latency, count) in counts.iter() {
            histogram[((latency - min) / step) as usize].messages += count;
            sum += latency * count;
        }
        Some(Latency {
            min,
            mean: sum as f64 / counts.count() as f64,
            p50: counts.percentile(50)?,
            p90: counts.percentile(90)?,
            p99: counts.percentile(99)?,
            max,
            histogram,
        })
    }
}

/// A quantity over replicates.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct OverReplicates {
    /// Mean.
    pub mean: f64,
    /// Standard error of the mean; 0 with one replicate.
    pub stderr: f64,
    /// Smallest.
    pub min: u64,
    /// Largest.
    pub max: u64,
}

impl OverReplicates {
    /// Mean and extremes of one value per replicate; `None` without any.
    fn of(values: impl Iterator<Item = u64>) -> Option<Self> {
        let values: Vec<u64> = values.collect();
        let (min, max) = (*values.iter().min()?, *values.iter().max()?);
        let count = values.len() as f64;
        let mean = values.iter().map(|&v| v as f64).sum::<f64>() / count;
        let squares: f64 = values.iter().map(|&v| (v as f64 - mean).powi(2)).sum();
        Some(OverReplicates {
            mean,
            stderr: if count > 1.0 {
                (squares / (count - 1.0) / count).sqrt()
            } else {
                0.0
            },
            min,
            max,
        })
    }
}

/// Speed of the simulator; it differs from run to run.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Performance {
    /// Seconds in the cycle loops.
    pub wall_seconds: f64,
    /// Evaluated cycles per second.
    pub cycles_per_second: f64,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunResult {
    /// Version of the program.
    pub crosswave: &'static str,
    /// The configuration as resolved.
    pub config: Config,
    /// The engine.
    pub engine: &'static str,
    /// True when every replicate was run and delivered its messages before `cycles_max`.
    pub finished: bool,
    /// True when someone stopped the run, so that this is what was simulated until then.
    pub interrupted: bool,
    /// Replicates that were run, to their end or not; fewer than asked for when
    /// interrupted.
    pub replicates_run: u32,
    /// Replicates that delivered all their messages.
    pub replicates_finished: u32,
    /// Last cycle of each replicate, added up.
    pub cycles: u64,
    /// Messages.
    pub messages: Messages,
    /// Attempts that were rejected: collisions, or blocked attempts.
    #[serde(flatten)]
    pub rejections: RejectionCounts,
    /// The most packets that waited for an output, where routers have queues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest_queues: Option<LongestQueues>,
    /// Connections, where messages go by them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connections: Option<Connections>,
    /// Latency, when a message was delivered.
    pub latency_cycles: Option<Latency>,
    /// Throughput and latency in the window; of steady traffic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steady: Option<Steady>,
    /// Rounds until all messages were delivered, over the replicates that
    /// finished; with the rounds strategy, when there is one.
    pub rounds: Option<OverReplicates>,
    /// Last cycle, over the replicates that finished, when there is one.
    pub cycles_to_finish: Option<OverReplicates>,
    /// Speed.
    pub performance: Performance,
    /// Evaluated cycles of all replicates.
    #[serde(skip)]
    pub evaluated_cycles: u64,
}

impl RunResult {
    /// Sums up the outcomes of the replicates.
    pub fn new(config: &Config, outcomes: &[Outcome], wall_seconds: f64) -> Self {
        let mut sums = RunSums::new(config);
        outcomes.iter().for_each(|outcome| sums.add(outcome));
        sums.result(config, wall_seconds)
    }
}
