//! Results: the JSON of a run and the messages file.
//!
//! Everything but [`Performance`] is the same bytes for the same configuration
//! and seed, on either engine and with any number of threads.
//!
//! [`RunSums`] takes replicates in one by one, so that their messages need not be kept.
//! Latencies are kept as counts of each value: percentiles are exact.

mod by_routers;
pub mod failure;
mod latency;
pub mod links;
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
use crate::monitors::MonitorCounts;
use crosswave_probe::message::{CountForm, Rejections};
use failure::Failure;

use links::LinkUse;
use steady::Steady;

pub use by_routers::RouterRow;
use latency::Counts;
pub use latency::{BINS_MAX, Bin, Latency, LogBin, Span};
pub use messages::{MessagesWriter, message_columns, message_rows};
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
    /// Latency of all messages, when one was delivered. Steady traffic has that of its window
    /// instead, in `steady`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_cycles: Option<Latency>,
    /// The same by the number of routers on the messages' paths; as above.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub latency_by_routers: Vec<RouterRow>,
    /// Throughput and latency in the window; of steady traffic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steady: Option<Steady>,
    /// Rounds until all messages were delivered, over the replicates that
    /// finished; with the rounds strategy, when there is one.
    pub rounds: Option<OverReplicates>,
    /// Last cycle, over the replicates that finished, when there is one.
    pub cycles_to_finish: Option<OverReplicates>,
    /// Use of links, when they are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<LinkUse>,
    /// Properties that routers broke, when they look at them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub monitors: Option<MonitorCounts>,
    /// Packets with faults and packets that wait for ever, in a network of a designer's own routers.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
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
