//! What a run says: the JSON of a run and the messages file.
//!
//! Everything but [`Performance`] is the same bytes for the same configuration
//! and seed, on either engine and with any number of threads.

pub mod steady;

use std::io::{self, Write};

use serde::Serialize;

use crate::experiment::config::{Config, NetworkKind};
use crate::experiment::host::{End, Outcome};
use crate::probe::message::{Collisions, ConnectionRecord, MessageRecord, NEVER};
use steady::Steady;

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

/// Collisions of all replicates, by the level of the rejecting router.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CollisionCounts {
    /// All.
    pub total: u64,
    /// Per level: of messages that turned there.
    pub turning_by_level: Vec<u64>,
    /// Per level: of messages on their way up; of a tree that is not full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upward_by_level: Option<Vec<u64>>,
    /// Per level: of messages on their way down.
    pub downward_by_level: Vec<u64>,
    /// Refused by a receiver that found the payload wrong.
    pub refused_by_receiver: u64,
}

/// Blocked attempts of all replicates, by the stage of the router that had no output.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct BlockedCounts {
    /// All.
    pub total: u64,
    /// Per stage.
    pub by_stage: Vec<u64>,
}

/// The connections of all replicates; cycles are counted from the first routing byte of
/// the attempt that succeeded.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Connections {
    /// To the first word at the destination.
    pub open_cycles: Option<Latency>,
    /// To the first word of the reply at the source.
    pub reply_cycles: Option<Latency>,
    /// To the end of the connection.
    pub close_cycles: Option<Latency>,
    /// Connections in whose answers something was wrong.
    pub wrong: u64,
}

impl Connections {
    fn of(outcomes: &[Outcome]) -> Self {
        let all = || {
            let pairs = outcomes
                .iter()
                .flat_map(|o| o.messages.iter().zip(&o.connections));
            pairs.filter(|(message, _)| message.acknowledged_cycle != NEVER)
        };
        let cycles = |to: fn(&MessageRecord, &ConnectionRecord) -> u64| {
            let clocks = all().map(|(m, c)| (c.launched_cycle, to(m, c)));
            let happened = clocks.filter(|(_, to)| *to != NEVER);
            let mut clocks: Vec<u64> = happened.map(|(from, to)| to - from).collect();
            clocks.sort_unstable();
            Latency::of(&clocks)
        };
        Connections {
            open_cycles: cycles(|_, connection| connection.opened_cycle),
            reply_cycles: cycles(|_, connection| connection.reply_cycle),
            close_cycles: cycles(|message, _| message.acknowledged_cycle),
            wrong: all().filter(|(_, connection)| connection.wrong).count() as u64,
        }
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

impl Latency {
    /// Of latencies in rising order; `None` without any.
    fn of(sorted: &[u64]) -> Option<Self> {
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        let step = (max - min) / BINS_MAX + 1;
        let bin = |index| Bin {
            from: min + index * step,
            to: min + index * step + (step - 1),
            messages: 0,
        };
        let mut histogram: Vec<Bin> = (0..=(max - min) / step).map(bin).collect();
        for latency in sorted {
            histogram[((latency - min) / step) as usize].messages += 1;
        }
        Some(Latency {
            min,
            mean: sorted.iter().sum::<u64>() as f64 / sorted.len() as f64,
            p50: percentile(sorted, 50),
            p90: percentile(sorted, 90),
            p99: percentile(sorted, 99),
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
    /// Of one value per replicate; `None` without any.
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

/// How fast the simulator was; differs from run to run.
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
    /// Whether every replicate was run and delivered its messages before
    /// `cycles_max`.
    pub finished: bool,
    /// Replicates that were run, to their end or not; fewer than asked for when
    /// interrupted.
    pub replicates_run: u32,
    /// Replicates that delivered all their messages.
    pub replicates_finished: u32,
    /// Last cycle of each replicate, added up.
    pub cycles: u64,
    /// Messages.
    pub messages: Messages,
    /// Collisions; of a fat tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collisions: Option<CollisionCounts>,
    /// Blocked attempts; of a bidelta network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked: Option<BlockedCounts>,
    /// Connections; of a bidelta network.
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

/// Nearest-rank percentile of sorted values.
fn percentile(sorted: &[u64], percent: u64) -> u64 {
    let rank = (sorted.len() as u64 * percent).div_ceil(100).max(1) as usize;
    sorted.get(rank - 1).copied().unwrap_or(0)
}

impl RunResult {
    /// Sums up the outcomes of the replicates.
    pub fn new(
        config: &Config,
        engine: &'static str,
        outcomes: &[Outcome],
        wall_seconds: f64,
    ) -> Self {
        let all = || outcomes.iter().flat_map(|outcome| &outcome.messages);
        let delivered = |m: &&MessageRecord| m.acknowledged_cycle != NEVER;
        let mut latencies: Vec<u64> = all()
            .filter(delivered)
            .map(MessageRecord::latency_cycles)
            .collect();
        latencies.sort_unstable();
        let is_tree = config.network.kind == NetworkKind::FatTree;
        let is_lean = config.network.capacities.is_some();
        let sum = |of: fn(&Collisions) -> &[u64]| {
            let mut all = Vec::new();
            for outcome in outcomes {
                let counts = of(&outcome.collisions);
                all.resize(counts.len(), 0);
                for (all, count) in all.iter_mut().zip(counts) {
                    *all += count;
                }
            }
            all
        };
        let total = outcomes.iter().map(|outcome| outcome.collisions.total());
        let total = total.sum();
        let refused = outcomes.iter().map(|outcome| outcome.collisions.refused);
        let collisions = is_tree.then(|| CollisionCounts {
            total,
            turning_by_level: sum(|counts| &counts.turning),
            upward_by_level: is_lean.then(|| sum(|counts| &counts.upward)),
            downward_by_level: sum(|counts| &counts.downward),
            refused_by_receiver: refused.sum(),
        });
        let blocked = (!is_tree).then(|| BlockedCounts {
            total,
            by_stage: sum(|counts| &counts.blocked),
        });
        let finished = || outcomes.iter().filter(|o| o.end == End::Finished);
        let in_rounds = config.retry.strategy == crate::traffic::Strategy::Rounds;
        let evaluated: u64 = outcomes
            .iter()
            .map(|outcome| outcome.evaluated_cycles)
            .sum();
        RunResult {
            crosswave: env!("CARGO_PKG_VERSION"),
            config: config.clone(),
            engine,
            finished: finished().count() == config.run.replicates as usize,
            replicates_run: outcomes.len() as u32,
            replicates_finished: finished().count() as u32,
            cycles: outcomes.iter().map(|outcome| outcome.last_cycle).sum(),
            messages: Messages {
                offered: all().count() as u64,
                delivered: latencies.len() as u64,
                attempts: all().map(|m| u64::from(m.attempts)).sum(),
            },
            collisions,
            blocked,
            connections: (!is_tree).then(|| Connections::of(outcomes)),
            latency_cycles: Latency::of(&latencies),
            steady: Steady::of(config, outcomes),
            rounds: OverReplicates::of(finished().filter(|_| in_rounds).map(|o| o.rounds)),
            cycles_to_finish: OverReplicates::of(finished().map(|o| o.last_cycle)),
            performance: Performance {
                wall_seconds,
                cycles_per_second: evaluated as f64 / wall_seconds.max(1e-9),
            },
            evaluated_cycles: evaluated,
        }
    }
}

/// Writes the messages of one replicate as CSV, in order of id. A cycle that
/// did not come is an empty field. Messages that went by connections have more columns.
pub fn write_messages(out: impl Write, outcome: &Outcome) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    let mut names = vec![
        "id",
        "source",
        "destination",
        "offered_cycle",
        "sent_cycle",
        "attempts",
        "delivered_cycle",
        "acknowledged_cycle",
    ];
    if !outcome.connections.is_empty() {
        names.extend([
            "launched_cycle",
            "opened_cycle",
            "reply_cycle",
            "stages",
            "wrong",
        ]);
    }
    csv.write_record(names)?;
    let cycle = |cycle: u64| {
        if cycle == NEVER {
            String::new()
        } else {
            cycle.to_string()
        }
    };
    for (id, m) in outcome.messages.iter().enumerate() {
        let mut fields = vec![
            id.to_string(),
            m.source.to_string(),
            m.destination.to_string(),
            cycle(m.offered_cycle),
            cycle(m.sent_cycle),
            m.attempts.to_string(),
            cycle(m.delivered_cycle),
            cycle(m.acknowledged_cycle),
        ];
        if let Some(connection) = outcome.connections.get(id) {
            fields.extend([
                cycle(connection.launched_cycle),
                cycle(connection.opened_cycle),
                cycle(connection.reply_cycle),
                connection.stages.to_string(),
                u8::from(connection.wrong).to_string(),
            ]);
        }
        csv.write_record(fields)?;
    }
    csv.flush()
}
