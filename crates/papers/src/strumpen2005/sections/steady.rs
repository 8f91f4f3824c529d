//! Throughput and latency in steady state, against offered load.

use serde_json::json;

use super::context::StrumpenContext;
use crate::effort::Effort;
use crate::page::{Data, PagePart, PageTable, Picture, Section};
use crate::strumpen2005::steady;
use crate::strumpen2005::steady::Sweep;
use crosswave_base::decimal::Decimal;
use crosswave_base::diagnostic::Error;
use crosswave_base::statistics::student_t_95;
use crosswave_figures::plot::{self, Axis, Chart, PlotPoint, Series};
use crosswave_network::fat_tree::Release;
use crosswave_network::traffic::Strategy;
use crosswave_observe::points::watch::check_cancelled;
use crosswave_observe::sweep::saturation::tripled;

/// Loads of a curve, and of one that is made quickly.
const LOADS: [u32; 2] = [10, 5];

/// A curve: latency without load, and what is kept of its points.
struct Kept {
    zero_load_latency_cycles: f64,
    saturation_throughput_fraction: f64,
    saturation_load_fraction: Option<f64>,
    points: Vec<KeptPoint>,
}

/// The stored results of a point: mean latency and attempts only if all messages were delivered.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct KeptPoint {
    load: f64,
    throughput: f64,
    throughput_stderr: f64,
    latency: Option<f64>,
    latency_stderr: f64,
    latency_p99: Option<u64>,
    attempts: Option<f64>,
    jain: Option<f64>,
    slowest: f64,
    fastest: f64,
}

impl KeptPoint {
    fn of(point: &steady::SteadyLoadPoint) -> KeptPoint {
        let steady = &point.steady;
        let latency = steady.latency_cycles.as_ref();
        let latency_stderr = steady.spread.and_then(|spread| spread.latency_mean);
        KeptPoint {
            load: point.load.to_f64(),
            throughput: steady.throughput_fraction,
            throughput_stderr: steady.spread.map_or(0.0, |spread| spread.throughput),
            latency: latency.map(|latency| latency.mean),
            latency_stderr: latency_stderr.unwrap_or(0.0),
            latency_p99: latency.map(|latency| latency.p99),
            attempts: steady.attempts_per_message,
            jain: steady.fairness.jain_index,
            slowest: steady.fairness.throughput_min_fraction,
            fastest: steady.fairness.throughput_max_fraction,
        }
    }
}

/// The curve of a sweep, its points kept one by one.
fn curve(sweep: &Sweep, context: &mut StrumpenContext) -> Result<Kept, Error> {
    let zero = json!({ "latency without load": sweep.config(Decimal::LEAST) });
    let zero: f64 = context
        .points
        .store()
        .kept(&zero, || sweep.zero_load_latency_cycles())?;
    let mut points = Vec::new();
    let [all, quick] = LOADS;
    let loads = if context.is_quick() { quick } else { all };
    let store = context.points.store();
    for load in sweep.loads(loads)? {
        let key = json!({ "steady": sweep.config(load) });
        let watch = &mut *context.watch;
        let point: KeptPoint = store.kept(&key, || {
            check_cancelled(watch)?;
            Ok(KeptPoint::of(&sweep.point(load, watch)?))
        })?;
        points.push(point);
    }
    let latencies = points.iter().map(|point| (point.load, point.latency));
    Ok(Kept {
        zero_load_latency_cycles: zero,
        saturation_throughput_fraction: points.iter().map(|p| p.throughput).fold(0.0, f64::max),
        saturation_load_fraction: tripled(zero, latencies),
        points,
    })
}

impl Kept {
    /// Throughput over load, with intervals of `t` standard errors.
    fn throughput(&self, name: &str, t: f64) -> Series {
        let values = |p: &KeptPoint| Some((p.throughput, t * p.throughput_stderr));
        self.series(name, values)
    }

    /// Mean latency by that without load over load, with intervals of `t` standard errors.
    fn latency(&self, name: &str, t: f64) -> Series {
        let base = self.zero_load_latency_cycles;
        let values = |p: &KeptPoint| Some((p.latency? / base, t * p.latency_stderr / base));
        self.series(name, values)
    }

    /// The points that have a value, and half of its interval.
    fn series(&self, name: &str, of: impl Fn(&KeptPoint) -> Option<(f64, f64)>) -> Series {
        let found = self.points.iter().filter_map(|p| Some((p.load, of(p)?)));
        let found: Vec<(f64, (f64, f64))> = found.collect();
        Series {
            name: name.into(),
            curve: found.iter().map(|&(x, (y, _))| (x, y)).collect(),
            points: found
                .iter()
                .map(|&(x, (y, error))| PlotPoint::with_error(x, y, error))
                .collect(),
        }
    }
}

/// The strategies, with their names in tables.
const STRATEGIES: [(&str, Strategy); 4] = [
    ("immediate", Strategy::Immediate),
    ("back-off to 2^5", Strategy::Backoff { limit: 5 }),
    ("back-off to 2^10", Strategy::Backoff { limit: 10 }),
    ("rounds", Strategy::Rounds),
];

/// The section.
pub(super) fn section(context: &mut StrumpenContext) -> Result<Section, Error> {
    let mut section = Section::new("Beyond the paper: throughput and latency in steady state");
    section.text(
        "Every node offers messages to random nodes at a given load, whatever became of its earlier \
         ones, and queues those that wait. Load and throughput are body words per node and cycle. \
         Latency counts from the offer to the acknowledgement, waiting included, of the messages \
         offered in the last four fifths of the cycles. The saturation load is where mean latency \
         passes three times that without load. Loads go up to what a node could send if it never met \
         another. Fairness is Jain's index of the nodes' deliveries: 1 when all have the same; beside it what it \
         is when only chance makes them differ. Bars are intervals of 95 %. The axis of latency ends \
         at ten times that without load; what is above is not drawn.",
    );
    let (cycles, replicates) = match context.effort {
        Effort::All => (20_000, 8),
        _ => (4000, 4),
    };
    let mut table = saturation_table();
    let mut csv = String::from(
        "nodes,words,strategy,load_fraction,throughput_fraction,throughput_stderr,\
         latency_mean_cycles,latency_p99_cycles,attempts_per_message,jain_index\n",
    );
    let t = student_t_95(u64::from(replicates));
    let mut best: Vec<String> = Vec::new();
    for words in [1u32, 8, 64] {
        let mut found: Vec<(&str, f64)> = Vec::new();
        let mut throughput = Vec::new();
        let mut latency = Vec::new();
        for (name, strategy) in STRATEGIES {
            let sweep = Sweep {
                nodes: 64,
                words,
                strategy,
                release: Release::Acknowledge,
                cycles,
                replicates,
                seed: 1,
            };
            let kept = curve(&sweep, context)?;
            for point in &kept.points {
                csv.push_str(&csv_row(words, name, point));
            }
            table.row(saturation_row(name, &sweep, &kept));
            found.push((name, kept.saturation_throughput_fraction));
            throughput.push(kept.throughput(name, t));
            latency.push(kept.latency(name, t));
        }
        pictures(words, throughput, latency, &mut section);
        let (name, most) =
            found.into_iter().fold(
                ("", 0.0),
                |most, one| if one.1 > most.1 { one } else { most },
            );
        best.push(format!("{name} with {most:.3} at {words} words"));
    }
    section.parts.insert(1, PagePart::Table(table));
    section.text(format!("Most throughput: {}.", best.join("; ")));
    section.parts.push(PagePart::Data(Data {
        name: "steady.csv".into(),
        text: csv,
    }));
    section.text(
        "The configuration of every point is in its file in the folder points, and a similar one in \
         the examples:",
    );
    section.parts.push(PagePart::Commands(vec![
        "crosswave run examples/steady64.toml --set traffic.load=0.1".into(),
    ]));
    Ok(section)
}

/// The table of saturation, without rows.
fn saturation_table() -> PageTable {
    PageTable::new(
        "Saturation, n = 64",
        [
            "strategy",
            "words",
            "latency without load",
            "saturation load",
            "saturation throughput",
            "fairness at the highest load",
            "by chance",
            "slowest node",
            "fastest node",
            "attempts per message",
        ],
    )
}

/// The row of a curve in the table of saturation.
fn saturation_row(name: &str, sweep: &Sweep, kept: &Kept) -> [String; 10] {
    let shown = |value: Option<f64>, decimals: usize| match value {
        Some(value) => format!("{value:.decimals$}"),
        None => "–".into(),
    };
    let last = kept.points.last();
    // The relative difference of deliveries that chance alone makes.
    let window = 0.8 * sweep.cycles as f64 * f64::from(sweep.replicates) / f64::from(sweep.words);
    let by_chance = last.map(|p| 1.0 / (1.0 + 1.0 / (p.throughput * window)));
    [
        name.into(),
        sweep.words.to_string(),
        format!("{:.1}", kept.zero_load_latency_cycles),
        shown(kept.saturation_load_fraction, 4),
        format!("{:.4}", kept.saturation_throughput_fraction),
        shown(last.and_then(|p| p.jain), 4),
        shown(by_chance, 4),
        shown(last.map(|p| p.slowest), 4),
        shown(last.map(|p| p.fastest), 4),
        shown(last.and_then(|p| p.attempts), 2),
    ]
}

/// The line of a point in the file of all points.
fn csv_row(words: u32, name: &str, point: &KeptPoint) -> String {
    let optional = |value: Option<f64>, decimals: usize| {
        value.map_or(String::new(), |value| format!("{value:.decimals$}"))
    };
    format!(
        "64,{words},{name},{},{:.6},{:.6},{},{},{},{}\n",
        point.load,
        point.throughput,
        point.throughput_stderr,
        optional(point.latency, 3),
        point.latency_p99.map_or(String::new(), |p| p.to_string()),
        optional(point.attempts, 4),
        optional(point.jain, 5)
    )
}

/// Adds the pictures of throughput and latency over load for bodies of so many words.
fn pictures(words: u32, throughput: Vec<Series>, latency: Vec<Series>, section: &mut Section) {
    let most = |series: &[Series], of: fn(&(f64, f64)) -> f64| {
        let values = series.iter().flat_map(|s| s.curve.iter().map(of));
        values.fold(0.01, f64::max)
    };
    let load = most(&throughput, |point| point.0) * 1.02;
    let x = || Axis::linear("offered load, words per node and cycle", 0.0, load);
    let top = most(&throughput, |point| point.1) * 1.1;
    let charts = [
        (
            "throughput",
            Chart {
                title: format!("Throughput, n = 64, {words} words"),
                x: x(),
                y: Axis::linear("throughput, words per node and cycle", 0.0, top),
                series: throughput,
                marks: Vec::new(),
                hollow_name: "",
            },
        ),
        (
            "latency",
            Chart {
                title: format!("Mean latency, n = 64, {words} words"),
                x: x(),
                y: Axis::linear("latency / latency without load", 0.0, 10.0),
                series: latency,
                marks: Vec::new(),
                hollow_name: "",
            },
        ),
    ];
    for (name, chart) in charts {
        section.parts.push(PagePart::Picture(Picture {
            name: format!("steady-{name}-{words}"),
            svg: plot::svg(&chart),
            caption: format!("{}.", chart.title),
        }));
    }
}
