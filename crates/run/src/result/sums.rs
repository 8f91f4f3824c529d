//! Sums over the replicates of a run.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::by_routers::ByRouters;
use super::failure::FailedPackets;
use super::latency::Counts;
use super::steady::SteadySums;
use super::{
    Connections, Latency, LongestQueues, Messages, OverReplicates, Performance, RejectionCounts,
    RunResult, Span,
};
use crate::config::Config;
use crate::host::{End, Loss, Outcome, QueueRow};
use crosswave_network::Network;
use crosswave_network::topology::PacketRules;
use crosswave_network::traffic::Strategy;
use crosswave_probe::message::{ConnectionRecord, MessageRecord, NEVER, Rejections};

/// Sums over replicates, which are taken in one by one, or as sums of some that follow. They take a few numbers for each
/// replicate, and one for each latency that differs from all others.
#[derive(Debug)]
pub struct RunSums {
    network: Arc<Network>,
    /// The number of the first replicate.
    first: u32,
    replicates: u32,
    cycles: u64,
    evaluated_cycles: u64,
    messages: Messages,
    latencies: Counts,
    by_routers: ByRouters,
    rejections: Rejections,
    connections: ConnectionSums,
    steady: Option<SteadySums>,
    /// For every way to end, the last cycle of the first replicate that did.
    ended: BTreeMap<End, u64>,
    /// The first loss of packets in the first replicate in which some were lost.
    first_loss: Option<Loss>,
    failed: FailedPackets,
    longest_queues: Vec<QueueRow>,
    /// Rounds of each replicate that finished.
    rounds: Vec<u64>,
    /// Last cycle of each replicate that finished.
    last_cycles: Vec<u64>,
}

/// Sums for [`Connections`].
#[derive(Debug, Default)]
struct ConnectionSums {
    open: Counts,
    reply: Counts,
    close: Counts,
    wrong: u64,
}

impl ConnectionSums {
    /// Takes in the connection of a message that was acknowledged.
    fn add(&mut self, message: &MessageRecord, connection: &ConnectionRecord) {
        for (counts, to) in [
            (&mut self.open, connection.opened_cycle),
            (&mut self.reply, connection.reply_cycle),
            (&mut self.close, message.acknowledged_cycle),
        ] {
            if to != NEVER {
                counts.add(to - connection.launched_cycle);
            }
        }
        self.wrong += u64::from(connection.wrong);
    }

    /// Adds others.
    fn add_all(&mut self, other: &ConnectionSums) {
        self.open.add_all(&other.open);
        self.reply.add_all(&other.reply);
        self.close.add_all(&other.close);
        self.wrong += other.wrong;
    }

    fn connections(&self) -> Connections {
        Connections {
            open_cycles: Latency::of(&self.open, Span::OPEN),
            reply_cycles: Latency::of(&self.reply, Span::REPLY),
            close_cycles: Latency::of(&self.close, Span::CLOSE),
            wrong: self.wrong,
        }
    }
}

impl RunSums {
    /// Sums of no replicates yet.
    pub fn new(config: &Config) -> RunSums {
        RunSums::with(Arc::new(config.topology()), config, 0)
    }

    /// Sums of no replicates yet of the same configuration, which are those from `first` on.
    pub fn beside(&self, config: &Config, first: u32) -> RunSums {
        RunSums::with(self.network.clone(), config, first)
    }

    fn with(network: Arc<Network>, config: &Config, first: u32) -> RunSums {
        RunSums {
            first,
            replicates: 0,
            cycles: 0,
            evaluated_cycles: 0,
            messages: Messages::default(),
            latencies: Counts::default(),
            by_routers: ByRouters::default(),
            rejections: network.rejections(),
            network,
            connections: ConnectionSums::default(),
            steady: SteadySums::new(config),
            ended: BTreeMap::new(),
            first_loss: None,
            failed: FailedPackets::default(),
            longest_queues: Vec::new(),
            rounds: Vec::new(),
            last_cycles: Vec::new(),
        }
    }

    /// Replicates taken in.
    pub fn replicates(&self) -> u32 {
        self.replicates
    }

    /// The last cycle of the first replicate that ended so.
    pub fn ended(&self, end: End) -> Option<u64> {
        self.ended.get(&end).copied()
    }

    /// The first loss of packets in the first replicate in which some were lost.
    pub fn first_loss(&self) -> Option<Loss> {
        self.first_loss
    }

    /// The packets with faults, and those that did not come.
    pub fn failed_packets(&self) -> &FailedPackets {
        &self.failed
    }

    /// Takes in a replicate.
    pub fn add(&mut self, outcome: &Outcome) {
        let packets = self.network.packets();
        let stall_cycles = packets.and_then(PacketRules::stall_cycles);
        let replicate = self.first + self.replicates;
        self.failed.add(replicate, outcome, stall_cycles);
        self.replicates += 1;
        self.ended.entry(outcome.end).or_insert(outcome.last_cycle);
        self.cycles += outcome.last_cycle;
        self.evaluated_cycles += outcome.evaluated_cycles;
        self.rejections.add(&outcome.rejections);
        self.first_loss = self.first_loss.or(outcome.first_loss);
        self.queued(&outcome.longest_queues);
        self.messages.offered += outcome.messages.len() as u64;
        for (id, message) in outcome.messages.iter().enumerate() {
            self.messages.attempts += u64::from(message.attempts);
            if message.acknowledged_cycle == NEVER {
                continue;
            }
            if let Some(connection) = outcome.connections.get(id) {
                self.connections.add(message, connection);
            }
            if message.came_through() {
                self.messages.delivered += 1;
                if self.steady.is_none() {
                    self.latencies.add(message.latency_cycles());
                    self.by_routers.add(&**self.network, message);
                }
            }
        }
        if let Some(steady) = &mut self.steady {
            steady.add(&**self.network, outcome);
        }
        if outcome.end == End::Finished {
            self.rounds.push(outcome.rounds);
            self.last_cycles.push(outcome.last_cycle);
        }
    }

    /// Takes in the sums of the replicates that follow.
    ///
    /// # Panics
    /// When they are of others.
    pub fn add_all(&mut self, next: RunSums) {
        assert_eq!(
            next.first,
            self.first + self.replicates,
            "the next replicates"
        );
        self.replicates += next.replicates;
        self.cycles += next.cycles;
        self.evaluated_cycles += next.evaluated_cycles;
        self.messages.offered += next.messages.offered;
        self.messages.delivered += next.messages.delivered;
        self.messages.attempts += next.messages.attempts;
        self.latencies.add_all(&next.latencies);
        self.by_routers.add_all(&next.by_routers);
        self.rejections.add(&next.rejections);
        self.connections.add_all(&next.connections);
        if let (Some(steady), Some(next)) = (&mut self.steady, next.steady) {
            steady.add_all(next);
        }
        for (end, last_cycle) in next.ended {
            self.ended.entry(end).or_insert(last_cycle);
        }
        self.first_loss = self.first_loss.or(next.first_loss);
        self.failed.add_all(next.failed);
        self.queued(&next.longest_queues);
        self.rounds.extend(next.rounds);
        self.last_cycles.extend(next.last_cycles);
    }

    fn queued(&mut self, rows: &[QueueRow]) {
        if self.longest_queues.is_empty() {
            self.longest_queues = rows.to_vec();
        }
        for (all, row) in self.longest_queues.iter_mut().zip(rows) {
            for (most, &longest) in all.longest.iter_mut().zip(&row.longest) {
                *most = longest.max(*most);
            }
        }
    }

    /// The result of a run of `config`, `wall_seconds` being those of the cycle loops.
    pub fn result(self, config: &Config, wall_seconds: f64) -> RunResult {
        let in_rounds = config.retry.strategy == Strategy::Rounds;
        let finished = self.last_cycles.len();
        let has_connections = self.network.endpoint().has_connections();
        let packets = config.network.kind().packets;
        RunResult {
            crosswave: env!("CARGO_PKG_VERSION"),
            config: config.clone(),
            engine: config.run.engine.name(),
            finished: finished == config.run.replicates as usize,
            interrupted: self.ended.contains_key(&End::Interrupted),
            replicates_run: self.replicates,
            replicates_finished: finished as u32,
            cycles: self.cycles,
            messages: self.messages,
            rejections: RejectionCounts(self.rejections),
            longest_queues: LongestQueues::of(&self.longest_queues),
            connections: has_connections.then(|| self.connections.connections()),
            latency_cycles: Latency::of(&self.latencies, Span::message(packets)),
            latency_by_routers: self.by_routers.rows(),
            steady: self.steady.and_then(|sums| sums.steady(packets)),
            rounds: OverReplicates::of(self.rounds.into_iter().filter(|_| in_rounds)),
            cycles_to_finish: OverReplicates::of(self.last_cycles.into_iter()),
            links: None,
            monitors: None,
            failure: None,
            performance: Performance {
                wall_seconds,
                cycles_per_second: self.evaluated_cycles as f64 / wall_seconds.max(1e-9),
            },
            evaluated_cycles: self.evaluated_cycles,
        }
    }
}
