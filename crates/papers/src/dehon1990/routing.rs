//! Monte Carlo on the event engine: the number of connections that a bidelta network routes at
//! the first attempt.
//!
//! In a replicate each processor sends with the probability that is the load, whatever the
//! others do, over one of its two inputs, chosen at random, to a destination that is
//! uniform among the others; several may have the same one. All start in one cycle, and no
//! wire takes extra clocks, so all heads come to a stage in the same clock, as in the
//! model. Requests are longer than the way, so no path is freed and none is tried again
//! before all first attempts are decided: a connection was routed at the first attempt
//! when its first word comes to a destination before any request is over.
//!
//! # How sure
//!
//! The connections of a replicate depend on each other, the replicates do not. The
//! probability is the ratio of connections routed to connections sent in all replicates,
//! and its standard error that of a ratio of means, from the differences between
//! replicates. With fewer than [`REPLICATES_MIN`], the standard error is that of
//! independent connections.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::bench::{Bench, INTERFACE_OPTIONS, without_wires};
use super::loads;
use super::side_by_side::{KeyedStudy, side_by_side};
use crosswave_base::diagnostic::Error;
use crosswave_base::random;
use crosswave_base::statistics::NORMAL_95;
use crosswave_network::Fabric;
use crosswave_network::bidelta::Bidelta;
use crosswave_observe::points::Store;
use crosswave_observe::points::watch::Watch;

/// Replicates from which their differences say how sure the mean is.
pub const REPLICATES_MIN: u32 = 8;

/// Words of a request, more than there are clocks on any way.
const WORDS: u32 = 64;
/// Seed of all replicates.
const SEED: u64 = 1;
/// Stream of the seeds of replicates.
const STREAM_SEEDS: u64 = u64::from_be_bytes(*b"rout-rep");
/// Stream of who sends, and where to.
const STREAM_TRAFFIC: u64 = u64::from_be_bytes(*b"rout-trf");

/// The greatest width of intervals of 95 %.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    /// Half of one is at most 0.005.
    Narrow,
    /// Half of one is at most 0.015: for most loads of figures in the quick form.
    Broad,
}

impl Width {
    /// Narrow at loads of a half and 1, and wherever there is time.
    pub fn at(load_fraction: f64, quick: bool) -> Width {
        match quick && ![0.5, 1.0].contains(&load_fraction) {
            true => Width::Broad,
            false => Width::Narrow,
        }
    }

    /// Replicates of a network of so many processors that make intervals no wider.
    pub fn replicates(self, processors: u64, load_fraction: f64) -> u32 {
        // Independent connections need no more than this: whatever the probability, and when not
        // more are blocked than 0.6 of the load, as in no network here.
        let (half, variance, least) = match self {
            Width::Narrow => (0.005, 0.25, 2 * REPLICATES_MIN),
            Width::Broad => (0.015, (0.6 * load_fraction).min(0.25), REPLICATES_MIN / 2),
        };
        let needed = variance * (NORMAL_95 / half).powi(2);
        let replicates = (needed / (load_fraction * processors as f64)).ceil() as u32;
        replicates.max(least)
    }
}

/// The connections routed at the first attempt at a load.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RoutedPoint {
    /// Stages of the network, 3 to 10.
    pub stages: u32,
    /// Probability that a processor sends.
    pub load_fraction: f64,
    /// Fraction of connections that were routed.
    pub routed_fraction: f64,
    /// Standard error of that fraction.
    pub stderr: f64,
    /// Replicates.
    pub replicates: u32,
    /// Connections in all of them.
    pub connections: u64,
}

/// Replicates of a bidelta network at a load; where one has 16,384 processors and more, as many as
/// there is time for.
fn replicates(stages: u32, load_fraction: f64, quick: bool) -> u32 {
    match (stages, quick) {
        (10.., _) | (7.., true) => 1,
        (9, _) => 2,
        (8, _) => 4,
        _ => Width::at(load_fraction, quick).replicates(1 << (2 * stages), load_fraction),
    }
}

/// Points of networks of so many stages at all loads, network by network.
///
/// # Errors
/// Those of [`side_by_side`].
pub fn points(
    stages: std::ops::RangeInclusive<u32>,
    quick: bool,
    store: &mut Store,
    watch: &mut dyn Watch,
) -> Result<Vec<RoutedPoint>, Error> {
    let mut points = Vec::new();
    for stages in stages {
        let nodes = 1u32 << (2 * stages);
        let study = |&load: &f64| {
            let replicates = replicates(stages, load, quick);
            KeyedStudy {
                title: format!("{nodes} nodes at load {load:.1}, {replicates} replicates"),
                key: json!({
                    "first attempts": "bidelta", "stages": stages, "load": load,
                    "replicates": replicates,
                }),
                job: (load, replicates),
            }
        };
        let studies: Vec<KeyedStudy<(f64, u32)>> = loads::simulated().iter().map(study).collect();
        // Two of the largest networks side by side would take too much memory.
        let threads = if stages < 9 { 0 } else { 1 };
        let make = || BideltaRouting::new(stages);
        let run = |routing: &mut BideltaRouting, &(load, replicates): &(f64, u32)| {
            routing.of_replicates(load, replicates)
        };
        points.extend(side_by_side(&studies, threads, store, watch, make, run)?);
    }
    Ok(points)
}

/// A network, whose fabric serves all replicates.
pub struct BideltaRouting {
    network: Bidelta,
    fabric: Option<Fabric>,
}

impl BideltaRouting {
    /// The network of `4^stages` processors.
    ///
    /// # Panics
    /// When there is none.
    pub fn new(stages: u32) -> BideltaRouting {
        let network = without_wires(stages, INTERFACE_OPTIONS);
        let fabric = Some(network.fabric());
        BideltaRouting { network, fabric }
    }

    /// The point at a load with so many replicates.
    pub fn of_replicates(&mut self, load_fraction: f64, replicates: u32) -> RoutedPoint {
        let seeds = random::key(SEED, STREAM_SEEDS, 0);
        let counts: Vec<(u64, u64)> = (0..replicates)
            .map(|index| self.replicate(load_fraction, random::word(seeds, u64::from(index))))
            .collect();
        let sent: u64 = counts.iter().map(|count| count.0).sum();
        let (routed_fraction, stderr) = ratio(&counts);
        RoutedPoint {
            stages: self.network.stages,
            load_fraction,
            routed_fraction,
            stderr,
            replicates,
            connections: sent,
        }
    }

    /// Connections sent, and routed at the first attempt.
    fn replicate(&mut self, load_fraction: f64, seed: u64) -> (u64, u64) {
        let fabric = self.fabric.take().expect("replicates give it back");
        let mut bench = Bench::new(&self.network, fabric, seed);
        let sent = self.send(&mut bench, load_fraction, seed);
        let mut routed = 0;
        // Longer than any way, shorter than any request.
        for _ in 0..WORDS / 2 {
            bench.step();
            routed += bench.opened();
        }
        self.fabric = Some(bench.into_fabric());
        (sent, routed)
    }

    /// Offers the messages of a replicate, and says how many.
    fn send(&self, bench: &mut Bench, load_fraction: f64, seed: u64) -> u64 {
        let nodes = self.network.nodes();
        let mut generator = random::generator(seed, STREAM_TRAFFIC);
        let mut below = |bound: u64| random::below(&mut generator, bound);
        let threshold = (load_fraction * (1u64 << 32) as f64) as u64;
        let mut sent = 0;
        for source in 0..nodes {
            if below(1 << 32) < threshold {
                let other = below(u64::from(nodes) - 1) as u32;
                let destination = other + u32::from(other >= source);
                let instance = self.network.node_instance(source) as u32;
                bench.offer(instance, destination, WORDS);
                sent += 1;
            }
        }
        sent
    }
}

/// The fraction of connections that were routed, and its standard error, from those sent and
/// routed in each replicate.
pub(super) fn ratio(counts: &[(u64, u64)]) -> (f64, f64) {
    let sent: u64 = counts.iter().map(|count| count.0).sum();
    let routed: u64 = counts.iter().map(|count| count.1).sum();
    let fraction = routed as f64 / sent as f64;
    let variance = if counts.len() < REPLICATES_MIN as usize {
        fraction * (1.0 - fraction) / sent as f64
    } else {
        let off = |&(sent, routed): &(u64, u64)| routed as f64 - fraction * sent as f64;
        let squares: f64 = counts.iter().map(|count| off(count).powi(2)).sum();
        let n = counts.len() as f64;
        squares * n / (n - 1.0) / (sent as f64).powi(2)
    };
    (fraction, variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosswave_chips::rn1_interface::PORT_TX_BLOCKED;

    /// A connection that is not routed is blocked, and every other sender is told once.
    #[test]
    fn routed_and_blocked_are_all() {
        for stages in [3, 5] {
            let mut routing = BideltaRouting::new(stages);
            let fabric = routing.fabric.take().expect("nothing has run");
            let mut bench = Bench::new(&routing.network, fabric, 7);
            let sent = routing.send(&mut bench, 0.8, 7);
            let (mut routed, mut blocked) = (0, 0);
            while bench.cycle() < u64::from(WORDS) + 30 {
                bench.step();
                let opened = bench.opened();
                if bench.cycle() < u64::from(WORDS) / 2 {
                    routed += opened;
                }
                blocked += bench.raised(PORT_TX_BLOCKED).len() as u64;
                assert!(blocked == 0 || bench.cycle() > u64::from(WORDS));
            }
            assert_eq!(routed + blocked, sent);
            assert!(blocked > 0);
        }
    }

    #[test]
    fn replicates_differ_as_independent_connections_nearly_do() {
        let mut routing = BideltaRouting::new(3);
        let point = routing.of_replicates(1.0, 200);
        assert_eq!(point.connections, 200 * 64);
        let p = point.routed_fraction;
        let independent = (p * (1.0 - p) / point.connections as f64).sqrt();
        let ratio = point.stderr / independent;
        assert!((0.5..1.2).contains(&ratio), "{ratio}");
        assert_eq!(
            point,
            routing.of_replicates(1.0, 200),
            "nothing is left over"
        );
    }
}
