//! Results of steady traffic: throughput and latency at an offered load.
//!
//! Only the *window* is measured, the cycles after the warm-up in which messages are
//! still offered. What is offered counts by the cycle of the offer, what is accepted by
//! the cycle of the delivery; latencies and attempts are those of the messages offered in
//! the window, whenever they were delivered. Loads and throughputs are fractions of a
//! node's link: words of bodies per node and cycle.
//!
//! Above saturation queues grow as long as messages are offered: throughput is then
//! what the network accepts, while latencies grow with the number of cycles.

use serde::Serialize;

use super::{Counts, Latency};
use crate::config::Config;
use crate::host::{End, Outcome};
use crosswave_network::traffic::{SteadyConfig, TrafficConfig};

/// Throughput and latency in the window, over all replicates that came to its end.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Steady {
    /// The first and the last cycle that count.
    pub window_cycles: (u64, u64),
    /// Replicates that came to the end of the window.
    pub replicates: u32,
    /// Words offered per node and cycle.
    pub offered_load_fraction: f64,
    /// Words delivered per node and cycle.
    pub throughput_fraction: f64,
    /// Standard error of it, over replicates; `None` with one.
    pub throughput_stderr: Option<f64>,
    /// Messages offered.
    pub messages: u64,
    /// Those of them that were not acknowledged by the end of the run.
    pub undelivered: u64,
    /// From the offer to the acknowledgement, waiting in the queue included; `None`
    /// when messages are undelivered, or none were offered.
    pub latency_cycles: Option<Latency>,
    /// Standard error of the mean of it, over the means of replicates; `None` with one.
    pub latency_mean_stderr: Option<f64>,
    /// Cycles from the first head on the wire to the acknowledgement; `None` as above.
    pub network_latency_cycles: Option<Latency>,
    /// Heads sent per message; `None` as above.
    pub attempts_per_message: Option<f64>,
    /// Evenness of the service of nodes.
    pub fairness: Fairness,
}

/// Deliveries by source. Chance alone makes them differ: with d deliveries of each node
/// to be expected, Jain's index is about 1 / (1 + 1/d).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fairness {
    /// Jain's index of the deliveries of the nodes: 1 when all are alike, 1/n when one node
    /// of n has all; `None` without deliveries.
    pub jain_index: Option<f64>,
    /// Words per cycle of the node with the fewest deliveries.
    pub throughput_min_fraction: f64,
    /// Words per cycle of the node with the most deliveries.
    pub throughput_max_fraction: f64,
}

/// Jain's index, (sum of x)^2 / (n * sum of x^2); `None` when all are 0.
///
/// Source: Jain, Chiu & Hawe 1984, "A quantitative measure of fairness and
/// discrimination for resource allocation in shared computer systems".
///
/// ```
/// use crosswave_run::result::steady::jain_index;
/// assert_eq!(jain_index(&[5, 5, 5, 5]), Some(1.0));
/// assert_eq!(jain_index(&[7, 0, 0, 0]), Some(0.25));
/// assert_eq!(jain_index(&[1, 2, 3]), Some(36.0 / 42.0));
/// assert_eq!(jain_index(&[0, 0]), None);
/// ```
pub fn jain_index(values: &[u64]) -> Option<f64> {
    let sum: f64 = values.iter().map(|&value| value as f64).sum();
    let squares: f64 = values.iter().map(|&value| (value as f64).powi(2)).sum();
    (squares > 0.0).then(|| sum * sum / (values.len() as f64 * squares))
}

/// The standard error of the mean of some values; `None` with fewer than two.
fn standard_error(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| (squares / (count - 1.0) / count).sqrt())
}

/// Sums of one replicate.
#[derive(Debug, Default)]
struct Sums {
    offered: u64,
    delivered: u64,
    acknowledged: u64,
    latency: u64,
}

/// Sums for [`Steady`] over replicates, which are taken in one by one.
#[derive(Debug)]
pub(super) struct SteadySums {
    traffic: SteadyConfig,
    nodes: u32,
    /// Messages delivered, by source.
    deliveries: Vec<u64>,
    attempts: u64,
    latencies: Counts,
    network_latencies: Counts,
    replicates: Vec<Sums>,
}

impl SteadySums {
    /// Sums of no replicates yet; `None` when the traffic is not steady.
    pub fn new(config: &Config) -> Option<SteadySums> {
        let TrafficConfig::Steady(traffic) = &config.traffic else {
            return None;
        };
        let nodes = config.network.nodes();
        Some(SteadySums {
            traffic: traffic.clone(),
            nodes,
            deliveries: vec![0; nodes as usize],
            attempts: 0,
            latencies: Counts::default(),
            network_latencies: Counts::default(),
            replicates: Vec::new(),
        })
    }

    /// Takes in a replicate, if it came to the end of the window.
    pub fn add(&mut self, outcome: &Outcome) {
        if outcome.end != End::Finished && outcome.last_cycle < self.traffic.cycles {
            return;
        }
        let (from, to) = self.traffic.window_cycles();
        let within = |cycle: u64| (from..=to).contains(&cycle);
        let mut sums = Sums::default();
        for message in &outcome.messages {
            if within(message.delivered_cycle) {
                sums.delivered += 1;
                self.deliveries[message.source as usize] += 1;
            }
            if !within(message.offered_cycle) {
                continue;
            }
            sums.offered += 1;
            if message.came_through() {
                let latency = message.latency_cycles();
                sums.acknowledged += 1;
                sums.latency += latency;
                self.attempts += u64::from(message.attempts);
                self.latencies.add(latency);
                self.network_latencies
                    .add(message.acknowledged_cycle - message.sent_cycle);
            }
        }
        self.replicates.push(sums);
    }

    /// The results of the traffic; `None` when no replicate came to the end of the window.
    pub fn steady(self) -> Option<Steady> {
        if self.replicates.is_empty() {
            return None;
        }
        let (from, to) = self.traffic.window_cycles();
        let replicates = &self.replicates;
        let count = replicates.len() as f64;
        // Word slots of one node in the window, and of all.
        let slots = (to - from + 1) as f64;
        let words = f64::from(self.traffic.words);
        let fraction = |messages: u64, nodes: f64| messages as f64 * words / (slots * nodes);
        let each = f64::from(self.nodes);
        let all = each * count;
        let sum = |of: fn(&Sums) -> u64| replicates.iter().map(of).sum::<u64>();
        let messages = sum(|sums| sums.offered);
        let undelivered = messages - sum(|sums| sums.acknowledged);
        let throughputs = replicates.iter().map(|sums| fraction(sums.delivered, each));
        let heard = replicates.iter().filter(|sums| sums.acknowledged > 0);
        let means = heard.map(|sums| sums.latency as f64 / sums.acknowledged as f64);
        let known = undelivered == 0 && messages > 0;
        let of_a_node = |found: Option<&u64>| fraction(found.copied().unwrap_or(0), count);
        Some(Steady {
            window_cycles: (from, to),
            replicates: replicates.len() as u32,
            offered_load_fraction: fraction(messages, all),
            throughput_fraction: fraction(sum(|sums| sums.delivered), all),
            throughput_stderr: standard_error(&throughputs.collect::<Vec<f64>>()),
            messages,
            undelivered,
            latency_cycles: Latency::of(&self.latencies).filter(|_| known),
            latency_mean_stderr: standard_error(&means.collect::<Vec<f64>>()).filter(|_| known),
            network_latency_cycles: Latency::of(&self.network_latencies).filter(|_| known),
            attempts_per_message: known.then(|| self.attempts as f64 / messages as f64),
            fairness: Fairness {
                jain_index: jain_index(&self.deliveries),
                throughput_min_fraction: of_a_node(self.deliveries.iter().min()),
                throughput_max_fraction: of_a_node(self.deliveries.iter().max()),
            },
        })
    }
}

#[cfg(test)]
mod tests;
