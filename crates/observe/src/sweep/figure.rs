//! A measure over the first key that has numbers, a curve for each combination of the others.

use std::fmt;

use super::grid::SweepPoint;
use super::saturation::{LATENCY, Saturation};
use super::table::Table;
use super::values::Vary;
use crosswave_figures::plot::{self, Axis, Chart, Mark, MarkDirection, PlotPoint, Scale, Series};
use crosswave_network::traffic::{Destinations, Lengths, TrafficConfig};
use crosswave_run::config::Config;

/// Curves that are drawn at most.
const SERIES_MAX: usize = 24;

/// End of a measure's axis, as a multiple of its largest value; on an axis of decades the share beyond
/// 1 is one of the length.
const ABOVE: f64 = 1.06;

/// Keys whose value is a number of what they name.
const COUNTED: [&str; 5] = ["nodes", "words", "levels", "ports", "cycles"];

/// The unit of load and throughput.
const PER_CYCLE: &str = "words per node and cycle";

/// Smallest ratio of an axis's largest value to its smallest for which values lie by their
/// logarithms.
const DECADE: f64 = 10.0;

/// Saturation of the points that agree in all keys but the load.
#[derive(Debug, Clone)]
pub struct Saturated {
    /// For each key the index of its value; that of the load does not count.
    pub values: Vec<usize>,
    /// The result of the search.
    pub found: Saturation,
    /// The load at which the mean latency is three times that without load, if the curve tells.
    pub tripled_load_fraction: Option<f64>,
}

/// The title of a picture: the kind of network, nodes, pattern, destinations other than uniform ones
/// and length of the messages, and the cycles in which they are offered, as far as they are no keys of the sweep and the same at all
/// points; the fewest cycles where points were lengthened.
pub fn title(points: &[SweepPoint], varied: &[Vary], is_lengthened: bool) -> String {
    let mut all = points
        .iter()
        .map(|point| parts(&point.config, varied, is_lengthened));
    let Some(mut shared) = all.next() else {
        return String::new();
    };
    for parts in all {
        for (shared, part) in shared.iter_mut().zip(parts) {
            if *shared != part {
                *shared = None;
            }
        }
    }
    shared.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The parts of a title by one configuration; `None` for those that keys of the sweep change.
fn parts(config: &Config, varied: &[Vary], is_lengthened: bool) -> [Option<String>; 7] {
    let is_fixed = |key: &str| varied.iter().all(|vary| vary.key != key);
    let sizes = ["network.nodes", "network.levels", "network.ports"];
    let steady = match &config.traffic {
        TrafficConfig::Steady(steady) => Some(steady),
        TrafficConfig::Pattern(_) | TrafficConfig::Trace(_) => None,
    };
    let (pattern, words) = match &config.traffic {
        TrafficConfig::Steady(steady) => ("steady", Some(steady.words.to_string())),
        TrafficConfig::Pattern(pattern) => {
            let words = Lengths::from(pattern.words);
            (pattern.pattern.name(), Some(words.to_string()))
        }
        TrafficConfig::Trace(_) => ("trace", None),
    };
    let cycles = steady.map(|steady| steady.cycles);
    let destinations = steady.map(|steady| &steady.destinations);
    let bursts = steady.map(|steady| steady.burst_messages);
    let bursts = bursts.filter(|&messages| messages > 1 && is_fixed("traffic.burst_messages"));
    let is_default = |destinations: &&Destinations| **destinations == Destinations::default();
    let destinations = destinations
        .filter(|destinations| !is_default(destinations) && is_fixed("traffic.destinations"));
    let words = words.filter(|_| is_fixed("traffic.words") && is_fixed("traffic.lengths"));
    let cycles = cycles.filter(|_| is_fixed("traffic.cycles"));
    let more = if is_lengthened { " or more" } else { "" };
    let title = || config.network.kind().title.to_owned();
    let nodes = || format!("{} nodes", config.network.nodes());
    [
        is_fixed("network.kind").then(title),
        sizes.into_iter().all(is_fixed).then(nodes),
        is_fixed("traffic.pattern").then(|| pattern.to_owned()),
        destinations.map(|destinations| destinations.name().to_owned()),
        words,
        bursts.map(|messages| format!("bursts of {messages}")),
        cycles.map(|cycles| format!("{cycles}{more} cycles")),
    ]
}

/// The reason why there is no picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undrawn {
    /// No key has several numbers.
    Axis,
    /// The measure has no value at any point.
    Measure,
    /// There are more curves than can be told apart.
    Curves(usize),
}

impl fmt::Display for Undrawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Undrawn::Axis => f.write_str(
                "no key that is varied has several numbers, which the horizontal axis needs",
            ),
            Undrawn::Measure => {
                f.write_str("no point has this measure with all its messages delivered")
            }
            Undrawn::Curves(count) => {
                write!(
                    f,
                    "there are {count} curves, and at most {SERIES_MAX} are drawn"
                )
            }
        }
    }
}

/// The picture of a measure under a title, with the 95 % intervals of its means.
/// Points of which a replicate did not deliver all messages are left out: their means are of
/// what arrived early. Points that are not known to be stationary are rings without intervals.
/// Saturation is marked where the load is the first key with numbers.
///
/// # Errors
/// When there is no axis, no value, or too many curves.
pub fn svg(
    table: &Table,
    title: &str,
    measure: &str,
    saturated: &[Saturated],
) -> Result<String, Undrawn> {
    let is_axis = |vary: &Vary| vary.is_numeric() && vary.values.len() > 1;
    let at = table.varied().iter().position(is_axis);
    let at = at.ok_or(Undrawn::Axis)?;
    let across = &table.varied()[at];
    let mut series: Vec<(Vec<usize>, Series)> = Vec::new();
    for (row, (point, measured)) in table.rows().iter().enumerate() {
        let mut others = point.values.clone();
        others.remove(at);
        let known = series.iter().position(|(values, _)| *values == others);
        let index = known.unwrap_or_else(|| {
            let names = table.varied().iter().enumerate();
            let names: Vec<String> = names
                .filter(|&(key, vary)| key != at && vary.values.len() > 1)
                .map(|(key, vary)| {
                    let shown = vary.shown(point.values[key]);
                    match vary.is_of_configurations() {
                        true => shown.to_owned(),
                        false => {
                            let name = vary.key.rsplit('.').next().unwrap_or_default();
                            match COUNTED.contains(&name) {
                                true => format!("{shown} {name}"),
                                false => format!("{name} {shown}"),
                            }
                        }
                    }
                })
                .collect();
            let name = match names.is_empty() {
                true => words(measure),
                false => names.join(", "),
            };
            let named = Series {
                name,
                ..Series::default()
            };
            series.push((others, named));
            series.len() - 1
        });
        let x = across.number(point.values[at]).ok_or(Undrawn::Axis)?;
        let Some(mean) = table
            .mean(row, measure)
            .filter(|_| measured.unfinished() == 0)
        else {
            continue;
        };
        let half = mean.half_width_95.unwrap_or(0.0);
        let series = &mut series[index].1;
        series.curve.push((x, mean.mean));
        series.points.push(match table.is_unsteady(row) {
            true => PlotPoint::hollow(x, mean.mean),
            false => PlotPoint::with_error(x, mean.mean, half),
        });
    }
    series.retain(|(_, series)| !series.points.is_empty());
    let marks = match across.key.as_str() {
        "traffic.load" => marks(&series, saturated, at, measure),
        _ => Vec::new(),
    };
    let mut series: Vec<Series> = series.into_iter().map(|(_, series)| series).collect();
    for series in &mut series {
        series.curve.sort_by(|one, other| one.0.total_cmp(&other.0));
    }
    let points = || series.iter().flat_map(|series| &series.points);
    let highest = points().map(|point| point.high).fold(f64::NAN, f64::max);
    let lowest = points().map(|point| point.low).fold(0.0, f64::min);
    if !highest.is_finite() {
        return Err(Undrawn::Measure);
    }
    if series.len() > SERIES_MAX {
        return Err(Undrawn::Curves(series.len()));
    }
    let to = match highest > lowest {
        true => highest * if highest > 0.0 { ABOVE } else { 1.0 },
        false => lowest + 1.0,
    };
    let across_all = marks
        .iter()
        .filter(|mark| mark.direction == MarkDirection::Horizontal);
    let means = || {
        let marked = across_all.clone().map(|mark| mark.at);
        points().map(|point| point.y).chain(marked)
    };
    let (least, most) = (
        means().fold(f64::INFINITY, f64::min),
        means().fold(0.0, f64::max),
    );
    let name = words(measure);
    let y = match least > 0.0 && most >= DECADE * least && !is_fraction(measure) {
        true => {
            let ends = points().map(|point| point.low).filter(|&low| low > 0.0);
            let low = ends.fold(least, f64::min);
            // Room for the ring of the highest point.
            let room = (highest / low).powf(ABOVE - 1.0);
            Axis::decades(name, low / ABOVE, highest * room)
        }
        false => Axis::linear(name, lowest * ABOVE, to.max(lowest + f64::MIN_POSITIVE)),
    };
    let chart = Chart {
        title: title.to_owned(),
        x: axis(&words(&across.key), points().map(|point| point.x).collect()),
        y,
        series,
        marks,
        hollow_name: "not known to be stationary",
    };
    Ok(plot::svg(&chart))
}

/// Marks of saturation, of each series that is drawn: the load, and in pictures of the mean
/// latency that without load.
fn marks(
    series: &[(Vec<usize>, Series)],
    saturated: &[Saturated],
    load: usize,
    measure: &str,
) -> Vec<Mark> {
    let mut marks = Vec::new();
    for one in saturated {
        let mut others = one.values.clone();
        others.remove(load);
        let Some(of) = series.iter().position(|(values, _)| *values == others) else {
            continue;
        };
        let mark = |name: &str, at, half_width, direction| Mark {
            name: name.to_owned(),
            at,
            half_width,
            direction,
            series: Some(of),
        };
        let load = one.found.load_with_half_width();
        marks.extend(
            load.map(|(load, half)| mark("saturation", load, half, MarkDirection::Vertical)),
        );
        if measure == LATENCY {
            let alone = one.found.zero_load_latency_cycles;
            marks.extend(
                alone.map(|cycles| mark("zero load", cycles, 0.0, MarkDirection::Horizontal)),
            );
            marks.extend(
                one.tripled_load_fraction
                    .map(|load| mark("latency tripled", load, 0.0, MarkDirection::Vertical)),
            );
        }
    }
    marks
}

/// True for a measure that is a share of a whole.
fn is_fraction(name: &str) -> bool {
    name.ends_with("fraction") || name.ends_with("index")
}

/// A key or a measure in words, with its unit after a comma.
///
/// A measure is a path in the output of a run, such as `steady.latency_cycles.p99`, which is
/// "99th percentile of latency, cycles". Of the path its last quantity counts, and a statistic of
/// it. Other keys than the load stay as they are written.
fn words(name: &str) -> String {
    if name == "traffic.load" {
        return format!("offered load, {PER_CYCLE}");
    }
    if name.starts_with("traffic.") || name.starts_with("network.") || name.starts_with("router.") {
        return name.to_owned();
    }
    let mut parts = name.rsplit('.');
    let last = parts.next().unwrap_or_default();
    let statistic = match last {
        "mean" => Some("mean ".to_owned()),
        "min" => Some("smallest ".to_owned()),
        "max" => Some("largest ".to_owned()),
        "p50" => Some("median ".to_owned()),
        _ => last.strip_prefix('p').and_then(|percent| {
            let percent = percent.replace('_', ".");
            percent.parse::<f64>().ok()?;
            Some(format!("{percent}th percentile of "))
        }),
    };
    let quantity = match statistic {
        Some(_) => parts.next().unwrap_or_default(),
        None => last,
    };
    let (quantity, unit) = match quantity {
        "throughput_fraction" => ("throughput", PER_CYCLE),
        "load_fraction" => ("offered load", PER_CYCLE),
        _ => match quantity.strip_suffix("_cycles") {
            Some(quantity) => (quantity, "cycles"),
            None => (quantity, ""),
        },
    };
    let comma = if unit.is_empty() { "" } else { ", " };
    let statistic = statistic.unwrap_or_default();
    format!("{statistic}{}{comma}{unit}", quantity.replace('_', " "))
}

/// The axis of some values: by their logarithms when all are powers of two far apart.
fn axis(title: &str, mut values: Vec<f64>) -> Axis {
    values.sort_by(f64::total_cmp);
    let (from, to) = (values[0], values[values.len() - 1]);
    let are_powers = values
        .iter()
        .all(|value| *value > 0.0 && value.log2().fract() == 0.0);
    if are_powers && to >= 8.0 * from {
        return Axis {
            scale: Scale::PowersOfTwo,
            ..Axis::linear(title, from / 1.1, to * 1.1)
        };
    }
    let room = match to > from {
        true => (to - from) * 0.04,
        false => 0.5,
    };
    Axis::linear(title, from - room, to + room)
}
