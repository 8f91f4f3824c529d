//! Throughput and latency of fat trees and bidelta networks in steady state.

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::dehon1990::steady::{self, SteadyNetwork};
use crate::effort::Effort;
use crate::paper::Charts;
use crosswave_base::decimal::Decimal;
use crosswave_base::diagnostic::Error;
use crosswave_base::statistics::student_t_95;
use crosswave_figures::plot::{Axis, Chart, PlotPoint, Series};
use crosswave_observe::points::Store;
use crosswave_observe::points::watch::{Watch, check_cancelled};

/// Independent runs of a point.
const REPLICATES: u32 = 2;

/// Loads in thousandths of a word per node and cycle.
fn loads(effort: Effort) -> &'static [u64] {
    match effort {
        Effort::All => &[20, 60, 100, 140, 180, 220],
        _ => &[20, 100],
    }
}

/// Networks and whether traffic fits a tree, curve by curve.
fn curves(effort: Effort) -> Vec<(SteadyNetwork, bool)> {
    match effort {
        Effort::All => {
            let both = |kind| [(kind, true), (kind, false)];
            SteadyNetwork::ALL.into_iter().flat_map(both).collect()
        }
        _ => vec![(SteadyNetwork::Full, true)],
    }
}

/// The stored results of a point: means with their standard errors. Latencies and attempts are
/// those of the messages that came through by the end, if all did.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// Words delivered per node and cycle.
    pub throughput_fraction: (f64, f64),
    /// Cycles from offer to acknowledgement.
    pub latency_cycles: Option<(f64, f64)>,
    /// Cycles from the first head on the wire to the acknowledgement.
    pub network_latency_cycles: Option<f64>,
    /// Heads sent per message.
    pub attempts: Option<f64>,
}

/// A point of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SteadyCurvePoint {
    /// The network.
    pub kind: SteadyNetwork,
    /// True when traffic fits the tree.
    pub local: bool,
    /// Words offered per node and cycle.
    pub load: Decimal,
    /// The measured values.
    pub kept: Kept,
}

/// The figure and its numbers.
///
/// # Errors
/// When someone asks to stop.
pub fn draw(effort: Effort, watch: &mut dyn Watch) -> Result<Charts, Error> {
    let points = simulated(effort, &mut Store::in_memory(), watch)?;
    Ok(charts(&points))
}

/// The points.
///
/// # Errors
/// When results cannot be kept, or someone asks to stop.
pub fn simulated(
    effort: Effort,
    store: &mut Store,
    watch: &mut dyn Watch,
) -> Result<Vec<SteadyCurvePoint>, Error> {
    let mut points = Vec::new();
    for (kind, local) in curves(effort) {
        for &thousandths in loads(effort) {
            check_cancelled(watch)?;
            let load = Decimal::of_millionths(1000 * thousandths).expect("a load");
            let key = json!({ "steady": steady::config(kind, local, load, REPLICATES) });
            let kept = store.kept(&key, || {
                let found = steady::point(kind, local, load, REPLICATES, watch)?.steady;
                let latency = found.latency_cycles.as_ref().map(|latency| latency.mean);
                let latency_stderr = found.spread.and_then(|spread| spread.latency_mean);
                let network = found.network_latency_cycles.as_ref();
                Ok(Kept {
                    throughput_fraction: (
                        found.throughput_fraction,
                        found.spread.map_or(0.0, |spread| spread.throughput),
                    ),
                    latency_cycles: latency.map(|mean| (mean, latency_stderr.unwrap_or(0.0))),
                    network_latency_cycles: network.map(|latency| latency.mean),
                    attempts: found.attempts_per_message,
                })
            })?;
            points.push(SteadyCurvePoint {
                kind,
                local,
                load,
                kept,
            });
        }
    }
    Ok(points)
}

/// Throughput, and latency, against offered load; and the numbers.
pub fn charts(points: &[SteadyCurvePoint]) -> Charts {
    let t = student_t_95(u64::from(REPLICATES));
    let mut names: Vec<(SteadyNetwork, bool)> = Vec::new();
    for point in points {
        if !names.contains(&(point.kind, point.local)) {
            names.push((point.kind, point.local));
        }
    }
    let most = points.iter().map(|point| point.load.to_f64());
    // As much arrives as is offered, or by chance a little more.
    let most = 1.1 * most.fold(0.0, f64::max);
    let chart = |title: &str, axis: &str, top: f64, of: &dyn Fn(&Kept) -> Option<(f64, f64)>| {
        let series = names.iter().map(|&(kind, local)| {
            let own = points.iter();
            let own = own.filter(|point| (point.kind, point.local) == (kind, local));
            let own = own.filter_map(|point| Some((point.load.to_f64(), of(&point.kept)?)));
            let own: Vec<(f64, (f64, f64))> = own.collect();
            let traffic = if local { "local" } else { "uniform" };
            Series {
                name: format!("{}, {traffic}", kind.title()),
                curve: own.iter().map(|&(x, (y, _))| (x, y)).collect(),
                points: own
                    .iter()
                    .map(|&(x, (y, error))| PlotPoint::with_error(x, y, t * error))
                    .collect(),
            }
        });
        Chart {
            title: title.into(),
            x: Axis::linear("offered load (words per node and cycle)", 0.0, most),
            y: Axis::linear(axis, 0.0, top),
            series: series.collect(),
            marks: Vec::new(),
            hollow_name: "",
        }
    };
    let slowest = points.iter().filter_map(|point| point.kept.latency_cycles);
    let slowest = slowest.map(|(mean, _)| mean).fold(1.0, f64::max);
    let mut csv = String::from(
        "network,traffic,offered_load,throughput_fraction,throughput_stderr,latency_cycles,\
         latency_stderr,attempts_per_message\n",
    );
    for SteadyCurvePoint {
        kind,
        local,
        load,
        kept,
    } in points
    {
        let traffic = if *local { "local" } else { "uniform" };
        let latency = kept
            .latency_cycles
            .map_or(",".into(), |(mean, error)| format!("{mean:.3},{error:.3}"));
        let attempts = kept
            .attempts
            .map_or(String::new(), |mean| format!("{mean:.4}"));
        let _ = writeln!(
            csv,
            "{},{traffic},{},{:.6},{:.6},{latency},{attempts}",
            kind.name(),
            load.to_f64(),
            kept.throughput_fraction.0,
            kept.throughput_fraction.1
        );
    }
    let throughput = |kept: &Kept| Some(kept.throughput_fraction);
    let latency = |kept: &Kept| kept.latency_cycles;
    Charts {
        charts: vec![
            chart(
                "Throughput",
                "words delivered per node and cycle",
                most,
                &throughput,
            ),
            chart(
                "Latency, where all messages came through",
                "mean cycles from offer to acknowledgement",
                1.05 * slowest,
                &latency,
            ),
        ],
        csv,
    }
}
