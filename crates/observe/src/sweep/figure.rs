//! A measure over the first key that has numbers, a curve for each combination of the others.

use super::table::Table;
use super::values::Vary;
use crosswave_figures::plot::{self, Axis, Chart, PlotPoint, Scale, Series};

/// Curves that are drawn at most.
const SERIES_MAX: usize = 24;

/// End of a measure's axis, as a multiple of its largest value.
const ABOVE: f64 = 1.06;

/// The picture of a measure under a title, with the 95 % intervals of its means; `None` when no key has
/// several numbers, the measure has no value, or there are more curves than can be told apart.
/// Points of which a replicate did not deliver all messages are left out: their means are of
/// what arrived early.
pub fn svg(table: &Table, title: &str, measure: &str) -> Option<String> {
    let is_axis = |vary: &&Vary| vary.is_numeric() && vary.values.len() > 1;
    let across = table.varied().iter().find(is_axis)?;
    let at = table.varied().iter().position(|vary| vary == across)?;
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
                    let name = vary.key.rsplit('.').next().unwrap_or_default();
                    format!("{name} {}", vary.shown(point.values[key]))
                })
                .collect();
            let name = match names.is_empty() {
                true => measure.to_owned(),
                false => names.join(", "),
            };
            let named = Series {
                name,
                ..Series::default()
            };
            series.push((others, named));
            series.len() - 1
        });
        let x = across.number(point.values[at])?;
        let Some(mean) = table
            .mean(row, measure)
            .filter(|_| measured.unfinished() == 0)
        else {
            continue;
        };
        let half = mean.half_width_95.unwrap_or(0.0);
        let series = &mut series[index].1;
        series.curve.push((x, mean.mean));
        series
            .points
            .push(PlotPoint::with_error(x, mean.mean, half));
    }
    let mut series: Vec<Series> = series.into_iter().map(|(_, series)| series).collect();
    series.retain(|series| !series.points.is_empty());
    for series in &mut series {
        series.curve.sort_by(|one, other| one.0.total_cmp(&other.0));
    }
    let points = || series.iter().flat_map(|series| &series.points);
    let highest = points().map(|point| point.high).fold(f64::NAN, f64::max);
    let lowest = points().map(|point| point.low).fold(0.0, f64::min);
    if !highest.is_finite() || series.len() > SERIES_MAX {
        return None;
    }
    let to = match highest > lowest {
        true => highest * if highest > 0.0 { ABOVE } else { 1.0 },
        false => lowest + 1.0,
    };
    let chart = Chart {
        title: title.to_owned(),
        x: axis(&across.key, points().map(|point| point.x).collect()),
        y: Axis::linear(measure, lowest * ABOVE, to.max(lowest + f64::MIN_POSITIVE)),
        series,
    };
    Some(plot::svg(&chart))
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
