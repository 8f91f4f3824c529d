//! Results of steady traffic: throughput and latency at an offered load.
//!
//! Only the *window* is measured, the cycles after the warm-up in which messages are
//! still offered. What is offered counts by the cycle of the offer, what is accepted by
//! the cycle of the delivery; latencies and attempts are those of the messages offered in
//! the window, whenever they were delivered. Loads and throughputs are fractions of a
//! node's link: words of bodies per node and cycle, of the nodes that send.
//!
//! Where no warm-up is given, it is a fifth, three tenths, four tenths or a half of the cycles,
//! the one that the messages themselves ask for ([`slices`]). Above saturation queues grow as long
//! as messages are offered: throughput is then what the network accepts, while latencies grow with
//! the number of cycles. The verdict tells whether the window is steady; where it is not, means
//! have no standard errors, since those of a longer run would be others.

pub mod slices;

use serde::Serialize;

pub use slices::{Slices, Slicing, Stationarity, Verdict};

use super::by_routers::{ByRouters, RouterRow};
use super::{Counts, Latency, Span};
use crate::config::Config;
use crate::host::{End, Outcome};
use crosswave_base::statistics::NORMAL_95;
use crosswave_base::statistics::stationarity::SLICES;
use crosswave_network::Topology;
use crosswave_network::traffic::{SteadyConfig, TrafficConfig};

/// Throughput and latency in the window, over all replicates that came to its end.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Steady {
    /// The first and the last cycle that count.
    pub window_cycles: (u64, u64),
    /// The rule by which the warm-up before them was chosen.
    pub warmup_rule: &'static str,
    /// Verdict whether the window shows a steady state.
    pub stationarity: Stationarity,
    /// Replicates that came to the end of the window.
    pub replicates: u32,
    /// Words offered per node and cycle.
    pub offered_load_fraction: f64,
    /// Words delivered per node and cycle.
    pub throughput_fraction: f64,
    /// Standard error of it; `None` when the window is not known to be steady.
    pub throughput_stderr: Option<f64>,
    /// The values that the standard errors are of.
    pub stderr_rule: Option<StderrRule>,
    /// Messages offered.
    pub messages: u64,
    /// Those of them that were not acknowledged by the end of the run.
    pub undelivered: u64,
    /// From the offer to the acknowledgement, waiting in the queue included; `None`
    /// when messages are undelivered, or none were offered.
    pub latency_cycles: Option<Latency>,
    /// Standard error of the mean of it; `None` as that of the throughput.
    pub latency_mean_stderr: Option<f64>,
    /// Percentiles of it, with intervals; `None` when it is.
    pub latency_percentiles: Option<Vec<Percentile>>,
    /// The same latency by the number of routers on the messages' paths.
    pub latency_by_routers: Vec<RouterRow>,
    /// Cycles from the first head on the wire to the acknowledgement; `None` as above.
    pub network_latency_cycles: Option<Latency>,
    /// Heads sent per message; `None` as above.
    pub attempts_per_message: Option<f64>,
    /// Evenness of the service of nodes.
    pub fairness: Fairness,
    /// Standard errors over replicates, whatever the verdict is; `None` with one replicate.
    #[serde(skip)]
    pub spread: Option<Spread>,
    /// Sums of all replicates by slice.
    #[serde(skip)]
    pub slices: Slices,
}

/// Standard errors over the means of replicates, of windows of one length that need not be steady.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// That of the throughput.
    pub throughput: f64,
    /// That of the mean latency; `None` as the latency.
    pub latency_mean: Option<f64>,
}

/// The values that standard errors are of, which do not depend on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct StderrRule {
    /// `replicates`, or `batches` of the window of a single replicate (batch means).
    pub of: &'static str,
    /// Number of them.
    pub values: u32,
}

/// A percentile, by the nearest rank.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Percentile {
    /// Share of the messages that are not above it, in percent.
    pub percent: f64,
    /// The percentile.
    pub cycles: u64,
    /// Begin of the interval that holds the true one in 95 % of all cases; `None` as the standard
    /// errors.
    pub low_95: Option<u64>,
    /// Its end; `None` as the begin, and where there are too few messages above.
    pub high_95: Option<u64>,
}

/// Percentiles that are told, in hundredths of a percent.
const PERCENTILES: [u64; 5] = [5_000, 9_000, 9_900, 9_990, 9_999];

/// The percentiles of latencies, given the standard error of their mean. The ranks of an interval's
/// ends are those of as many independent messages as would give that error (order statistics with
/// an effective number of messages), since messages that are near each other in time are alike.
fn percentiles(latencies: &Counts, mean_stderr: Option<f64>) -> Option<Vec<Percentile>> {
    let messages = latencies.count() as f64;
    let effective = mean_stderr.map(|stderr| match stderr > 0.0 {
        true => (latencies.variance() / (stderr * stderr)).clamp(1.0, messages),
        false => messages,
    });
    let row = |hundredths: u64| {
        let share = hundredths as f64 / 10_000.0;
        let ends = effective.map(|effective| {
            let half = NORMAL_95 * (share * (1.0 - share) / effective).sqrt() * messages;
            let rank = share * messages;
            ((rank - half).floor().max(1.0), (rank + half).ceil() + 1.0)
        });
        Some(Percentile {
            percent: hundredths as f64 / 100.0,
            cycles: latencies.percentile(hundredths)?,
            low_95: ends.and_then(|(low, _)| latencies.ranked(low as u64)),
            high_95: ends.and_then(|(_, high)| latencies.ranked(high as u64)),
        })
    };
    PERCENTILES.into_iter().map(row).collect()
}

/// Words delivered by source. Chance alone makes them differ: with d deliveries of each node
/// to be expected, and messages of one length, Jain's index is about 1 / (1 + 1/d).
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Fairness {
    /// Jain's index of the words delivered of the nodes: 1 when all are alike, 1/n when one node
    /// of n has all; `None` without deliveries.
    pub jain_index: Option<f64>,
    /// Words per cycle of the node of which the fewest words are delivered.
    pub throughput_min_fraction: f64,
    /// Words per cycle of the node of which the most words are delivered.
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

/// Sums of one replicate over a part of the time.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    offered: u64,
    offered_words: u64,
    delivered_words: u64,
    acknowledged: u64,
    latency: u64,
}

/// Sums over all replicates between two slices at which the window may begin.
#[derive(Debug)]
struct Part {
    /// Words delivered, by source.
    deliveries: Vec<u64>,
    attempts: u64,
    latencies: Counts,
    network_latencies: Counts,
    by_routers: ByRouters,
    /// Sums of each replicate.
    replicates: Vec<Sums>,
}

/// Sums for [`Steady`] over replicates, which are taken in one by one.
#[derive(Debug)]
pub(super) struct SteadySums {
    traffic: SteadyConfig,
    /// True for each node that sends.
    sends: Vec<bool>,
    slicing: Slicing,
    slices: Slices,
    /// The part with which the window begins, and those behind it, are measured.
    parts: Vec<Part>,
    /// The part of each slice.
    part_of: [u8; SLICES],
    replicates: u32,
}

impl SteadySums {
    /// Sums of no replicates yet; `None` when the traffic is not steady.
    pub fn new(config: &Config) -> Option<SteadySums> {
        let TrafficConfig::Steady(traffic) = &config.traffic else {
            return None;
        };
        let nodes = config.network.nodes();
        let slicing = Slicing::new(traffic);
        let starts = slicing.starts();
        let part = |_: &usize| Part {
            deliveries: vec![0; nodes as usize],
            attempts: 0,
            latencies: Counts::default(),
            network_latencies: Counts::default(),
            by_routers: ByRouters::default(),
            replicates: Vec::new(),
        };
        let begun = |slice: usize| starts.iter().filter(|&&start| start <= slice).count();
        Some(SteadySums {
            traffic: traffic.clone(),
            sends: (0..nodes)
                .map(|node| traffic.destinations.sends(node))
                .collect(),
            slicing,
            slices: Slices::default(),
            parts: starts.iter().map(part).collect(),
            part_of: std::array::from_fn(|slice| (begun(slice) - 1) as u8),
            replicates: 0,
        })
    }

    /// Takes in a replicate, if it came to the end of the window.
    pub fn add(&mut self, network: &dyn Topology, outcome: &Outcome) {
        if outcome.end != End::Finished && outcome.last_cycle < self.traffic.cycles {
            return;
        }
        self.replicates += 1;
        for part in &mut self.parts {
            part.replicates.push(Sums::default());
        }
        let (slicing, part_of) = (self.slicing, self.part_of);
        let part = |slice: usize| usize::from(part_of[slice]);
        for message in &outcome.messages {
            let (offered, delivered) = self.slices.take_in(slicing, message);
            if let Some(slice) = delivered {
                let part = &mut self.parts[part(slice)];
                let words = u64::from(message.words);
                part.deliveries[message.source as usize] += words;
                part.sums().delivered_words += words;
            }
            let Some(slice) = offered else {
                continue;
            };
            let part = &mut self.parts[part(slice)];
            part.sums().offered += 1;
            part.sums().offered_words += u64::from(message.words);
            if message.came_through() {
                let latency = message.latency_cycles();
                part.sums().acknowledged += 1;
                part.sums().latency += latency;
                part.attempts += u64::from(message.attempts);
                part.latencies.add(latency);
                part.network_latencies
                    .add(message.acknowledged_cycle - message.sent_cycle);
                part.by_routers.add(network, message);
            }
        }
    }

    /// Takes in the sums of replicates that follow.
    pub fn add_all(&mut self, next: SteadySums) {
        self.replicates += next.replicates;
        self.slices.add(&next.slices);
        for (part, next) in self.parts.iter_mut().zip(next.parts) {
            part.add(&next);
            part.replicates.extend(next.replicates);
        }
    }

    /// The results of the traffic, in a network of packets or another one; `None` when no replicate
    /// came to the end of the window.
    pub fn steady(mut self, packets: bool) -> Option<Steady> {
        if self.replicates == 0 {
            return None;
        }
        let start = self.slices.start(self.slicing);
        let first = usize::from(self.part_of[start]);
        let (from, to) = self.slicing.window(start);
        let window = self.parts.drain(first..).reduce(Part::with);
        let window = window.expect("a part with which the window begins");
        let replicates = &window.replicates;
        let count = f64::from(self.replicates);
        // Word slots of one node in the window, and of all.
        let slots = (to - from + 1) as f64;
        let fraction = |words: f64, nodes: f64| words / (slots * nodes);
        let by_node = window.deliveries.iter().zip(&self.sends);
        let deliveries = by_node.filter(|(_, sends)| **sends);
        let deliveries: Vec<u64> = deliveries.map(|(count, _)| *count).collect();
        let each = deliveries.len() as f64;
        let all = each * count;
        let sum = |of: fn(&Sums) -> u64| replicates.iter().map(of).sum::<u64>();
        let messages = sum(|sums| sums.offered);
        let undelivered = messages - sum(|sums| sums.acknowledged);
        let known = undelivered == 0 && messages > 0;
        let throughputs = replicates
            .iter()
            .map(|sums| fraction(sums.delivered_words as f64, each));
        let heard = replicates.iter().filter(|sums| sums.acknowledged > 0);
        let means = heard.map(|sums| sums.latency as f64 / sums.acknowledged as f64);
        let throughput_error = standard_error(&throughputs.collect::<Vec<f64>>());
        let spread = throughput_error.map(|throughput| Spread {
            throughput,
            latency_mean: standard_error(&means.collect::<Vec<f64>>()).filter(|_| known),
        });
        let stationarity = self.slices.stationarity(self.slicing, start);
        let (errors, stderr_rule) = match (stationarity.verdict, spread) {
            (Verdict::NotStationary | Verdict::TooShort, _) => (None, None),
            (Verdict::Stationary, Some(spread)) => {
                let rule = StderrRule {
                    of: "replicates",
                    values: self.replicates,
                };
                (Some(spread), Some(rule))
            }
            (Verdict::Stationary, None) => {
                let errors = self.slices.errors_of_batches(start);
                let spread = errors.map(|errors| Spread {
                    throughput: fraction(errors.words_per_slice * (SLICES - start) as f64, each),
                    latency_mean: known.then_some(errors.latency_mean),
                });
                let rule = errors.map(|errors| StderrRule {
                    of: "batches",
                    values: errors.batches,
                });
                (spread, rule)
            }
        };
        let latency_mean_stderr = errors.and_then(|errors| errors.latency_mean);
        let of_a_node = |found: Option<&u64>| fraction(found.copied().unwrap_or(0) as f64, count);
        let words = [
            |sums: &Sums| sums.offered_words,
            |sums: &Sums| sums.delivered_words,
        ];
        let [offered, delivered] = words.map(sum);
        let span = Span::message(packets);
        Some(Steady {
            window_cycles: (from, to),
            warmup_rule: match self.slicing.is_found {
                true => "found (MSER)",
                false => "given",
            },
            stationarity,
            replicates: self.replicates,
            offered_load_fraction: fraction(offered as f64, all),
            throughput_fraction: fraction(delivered as f64, all),
            throughput_stderr: errors.map(|errors| errors.throughput),
            stderr_rule,
            messages,
            undelivered,
            latency_cycles: Latency::of(&window.latencies, span).filter(|_| known),
            latency_mean_stderr,
            latency_percentiles: percentiles(&window.latencies, latency_mean_stderr)
                .filter(|_| known),
            latency_by_routers: match known {
                true => window.by_routers.rows(),
                false => Vec::new(),
            },
            network_latency_cycles: Latency::of(&window.network_latencies, Span::network(packets))
                .filter(|_| known),
            attempts_per_message: known.then(|| window.attempts as f64 / messages as f64),
            fairness: Fairness {
                jain_index: jain_index(&deliveries),
                throughput_min_fraction: of_a_node(deliveries.iter().min()),
                throughput_max_fraction: of_a_node(deliveries.iter().max()),
            },
            spread,
            slices: self.slices,
        })
    }
}

impl Part {
    /// Those of the replicate that is being taken in.
    fn sums(&mut self) -> &mut Sums {
        self.replicates.last_mut().expect("a replicate")
    }

    /// Adds the sums over replicates of another part, or of other replicates.
    fn add(&mut self, other: &Part) {
        for (all, more) in self.deliveries.iter_mut().zip(&other.deliveries) {
            *all += more;
        }
        self.attempts += other.attempts;
        self.latencies.add_all(&other.latencies);
        self.network_latencies.add_all(&other.network_latencies);
        self.by_routers.add_all(&other.by_routers);
    }

    /// The sums of this part and another one of the same replicates.
    fn with(mut self, other: Part) -> Part {
        self.add(&other);
        for (all, more) in self.replicates.iter_mut().zip(&other.replicates) {
            all.offered += more.offered;
            all.offered_words += more.offered_words;
            all.delivered_words += more.delivered_words;
            all.acknowledged += more.acknowledged;
            all.latency += more.latency;
        }
        self
    }
}

#[cfg(test)]
mod tests;
