//! The cycle in which a run is given up, and an estimate of its end.

use crate::config::Config;
use crate::host::Outcome;
use crosswave_network::Fabric;
use crosswave_network::topology::Topology;
use crosswave_network::traffic::{TrafficConfig, Workload};
use crosswave_probe::message::NEVER;

/// Cycles that a run has in any case when none are configured.
const CYCLES_MAX_LEAST: u64 = 10_000_000;
/// A run is given up after so many times the cycles of all messages sent one after another.
const CYCLES_MAX_RATIO: u64 = 16;

/// The cycle after which a run of `workload` is given up: `run.cycles_max`, or without it
///
/// ```text
/// last offer + 10^7 + 16 · (clocks of all messages if they were sent one after another)
/// ```
///
/// where a message takes its words, its replies, and for each way the clocks in which the
/// network comes to rest. Networks send many messages at a time, and retry and back-off
/// cost far less than that. It is the same for all replicates of a run: their workloads
/// are alike in number and lengths of messages, and for steady traffic those to be
/// expected count.
pub fn cycles_max(
    config: &Config,
    network: &dyn Topology,
    fabric: &Fabric,
    workload: &Workload,
) -> u64 {
    if let Some(cycles) = config.run.cycles_max {
        return cycles;
    }
    let (last_offer, messages, words) = match &config.traffic {
        TrafficConfig::Steady(steady) => {
            let messages = steady.expected_messages(config.network.nodes());
            let words = messages as f64 * steady.words.mean();
            (steady.cycles, messages, words as u64)
        }
        // Replicates differ in the number of messages to their own sources, which are not sent.
        TrafficConfig::Pattern(pattern) if pattern.leaves_out_messages() => {
            let messages = pattern.messages();
            (1, messages, messages * u64::from(pattern.words))
        }
        TrafficConfig::Pattern(_) | TrafficConfig::Trace(_) => {
            let (mut last_offer, mut words) = (0, 0);
            for message in &workload.messages {
                last_offer = message.offered.earliest().max(last_offer);
                words += u64::from(message.words);
            }
            (last_offer, workload.messages.len() as u64, words)
        }
    };
    let way = fabric.rest_cycles;
    let replies = network.replies();
    let replies = replies.map_or(0, |replies| replies.clocks(way));
    let one_after_another = words + messages * (way + replies);
    last_offer + CYCLES_MAX_LEAST + CYCLES_MAX_RATIO * one_after_another
}

/// The last cycle that a run would have had that was interrupted, if it had gone on as it
/// began.
pub fn expected_end(outcome: &Outcome, workload: &Workload) -> u64 {
    let delivered = |cycle: u64| cycle != NEVER;
    let messages = outcome.messages.iter();
    let done = messages
        .filter(|message| delivered(message.acknowledged_cycle))
        .count() as u128;
    let all = outcome.messages.len() as u128;
    let by_messages = match (u128::from(outcome.last_cycle) * all).checked_div(done) {
        Some(cycles) => u64::try_from(cycles).unwrap_or(u64::MAX),
        None => outcome.last_cycle,
    };
    // No message is sent before it is offered, and a node sends a word in a cycle.
    let mut words = vec![0_u64; workload.nodes as usize];
    for message in &workload.messages {
        words[message.source as usize] += u64::from(message.words);
    }
    let words = words.into_iter().max().unwrap_or(0);
    by_messages.max(words).max(workload.last_offer())
}
