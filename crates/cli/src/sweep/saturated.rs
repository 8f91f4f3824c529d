//! Saturation in a sweep (`--saturation`): the search, the points around it, and its table.

use std::fmt::Write;

use serde::Serialize;

use super::configurations::Configurations;
use super::{LOAD, points_at};
use crate::progress::Status;
use crosswave_base::diagnostic::Error;
use crosswave_base::escape;
use crosswave_observe::points::{Store, beside};
use crosswave_observe::sweep::figure::Saturated;
use crosswave_observe::sweep::grid::SweepPoint;
use crosswave_observe::sweep::saturation::{self, LATENCY, Saturation, tripled};
use crosswave_observe::sweep::table::Table;
use crosswave_observe::sweep::values::Vary;
use crosswave_observe::sweep::{self, StopRule};
use crosswave_run::result::steady::Verdict;

/// The table of saturation.
pub(super) const CSV: &str = "saturation.csv";

/// Loads of a curve as fractions of the largest one that is followed.
const FRACTIONS: [f64; 13] = [
    0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.05, 1.2,
];

/// Width of an interval, as a fraction of its end, above which loads within it were not told.
const WIDE: f64 = 0.04;

/// Digits that count of a load of a curve.
const DIGITS: i32 = 3;

/// Searches for the saturation of each combination of the keys other than the load.
pub(super) fn search(
    combinations: &[SweepPoint],
    wanted: &StopRule,
    store: &Store,
) -> Result<Vec<(SweepPoint, Saturation)>, Error> {
    // Intervals over replicates need two at least.
    let exactly = StopRule::exactly(wanted.replicates.least.max(2));
    beside::each(combinations, &mut Status::new(), |point, idle, watch| {
        let mut measure = |point: &SweepPoint| sweep::run(point, &exactly, store, idle, watch);
        Ok((point.clone(), saturation::find(point, &mut measure)?))
    })
}

/// The load as the first key, and the points of a curve up to saturation and above it, for each
/// combination of the other keys.
pub(super) fn points_up_to_it(
    bases: &Configurations,
    others: &[Vary],
    found: &[(SweepPoint, Saturation)],
) -> Result<(Vec<Vary>, Vec<SweepPoint>), Error> {
    let of = |saturation: &Saturation| {
        let loads = FRACTIONS.map(|fraction| {
            let load = (fraction * saturation.low_load_fraction).min(1.0);
            saturation::rounded(load, DIGITS)
        });
        let mut loads = loads.to_vec();
        loads.dedup();
        loads
    };
    let mut loads: Vec<_> = found.iter().flat_map(|(_, one)| of(one)).collect();
    loads.sort_unstable();
    loads.dedup();
    let mut values = Vec::new();
    for (point, saturation) in found {
        let own = of(saturation);
        let at = (0..loads.len()).filter(|&at| own.contains(&loads[at]));
        values.extend(at.map(|at| [&[at], point.values.as_slice()].concat()));
    }
    let load = Vary {
        key: LOAD.into(),
        values: loads.iter().map(|load| load.to_f64().to_string()).collect(),
    };
    let varied = [&[load], others].concat();
    let points = points_at(bases, &varied, values)?;
    Ok((varied, points))
}

/// The same with what the curves of the table tell.
pub(super) fn with_curves(found: Vec<(SweepPoint, Saturation)>, table: &Table) -> Vec<Saturated> {
    let Some(at) = table.varied().iter().position(|vary| vary.key == LOAD) else {
        return Vec::new();
    };
    let vary = &table.varied()[at];
    let mut all = Vec::new();
    for (point, found) in found {
        let mut values = point.values;
        values.insert(at, 0);
        let agrees = |row: &usize| {
            let others = table.rows()[*row].0.values.iter().zip(&values).enumerate();
            others
                .filter(|(key, _)| *key != at)
                .all(|(_, (one, other))| one == other)
        };
        let rows = (0..table.rows().len()).filter(agrees);
        let mut curve: Vec<(f64, Option<f64>)> = rows
            .filter_map(|row| {
                let load = vary.number(table.rows()[row].0.values[at])?;
                let verdict = table.verdict(row).map(|found| found.verdict);
                let is_known = verdict != Some(Verdict::NotStationary);
                let mean = table.mean(row, LATENCY).filter(|_| is_known);
                Some((load, mean.map(|mean| mean.mean)))
            })
            .collect();
        curve.sort_by(|one, other| one.0.total_cmp(&other.0));
        let alone = found.zero_load_latency_cycles;
        all.push(Saturated {
            values,
            tripled_load_fraction: alone.and_then(|alone| tripled(alone, curve)),
            found,
        });
    }
    all
}

/// A row of the table.
#[derive(Debug, Serialize)]
pub(super) struct SaturationRow {
    /// Values of the other keys.
    values: Vec<(String, String)>,
    #[serde(flatten)]
    found: Saturation,
    /// The load at which the mean latency is three times that without load, on the curve.
    latency_tripled_load_fraction: Option<f64>,
}

/// The rows of the table.
pub(super) fn rows(found: &[Saturated], varied: &[Vary]) -> Vec<SaturationRow> {
    let row = |one: &Saturated| {
        let values = varied.iter().zip(&one.values);
        let values = values.filter(|(vary, _)| vary.key != LOAD);
        SaturationRow {
            values: values
                .map(|(vary, &value)| (vary.key.clone(), vary.shown(value).to_owned()))
                .collect(),
            found: one.found.clone(),
            latency_tripled_load_fraction: one.tripled_load_fraction,
        }
    };
    found.iter().map(row).collect()
}

/// Comma-separated values with a line of headings.
pub(super) fn csv(rows: &[SaturationRow], varied: &[Vary]) -> Vec<u8> {
    let whole = "memory takes all that is written";
    let mut csv = csv::Writer::from_writer(Vec::new());
    let keys = varied.iter().map(|vary| vary.key.as_str());
    let mut heading: Vec<&str> = keys.filter(|key| *key != LOAD).collect();
    heading.extend([
        "saturation_low_load_fraction",
        "saturation_high_load_fraction",
        "throughput_fraction",
        "zero_load_latency_cycles",
        "latency_tripled_load_fraction",
    ]);
    csv.write_record(&heading).expect(whole);
    let number = |number: Option<f64>| number.map_or(String::new(), |number| number.to_string());
    for row in rows {
        let values = row.values.iter();
        let mut cells: Vec<String> = values
            .map(|(_, value)| escape::csv_cell(value).into_owned())
            .collect();
        let found = &row.found;
        cells.extend([
            number(Some(found.low_load_fraction)),
            number(found.high_load_fraction),
            number(Some(found.throughput_fraction)),
            number(found.zero_load_latency_cycles),
            number(row.latency_tripled_load_fraction),
        ]);
        csv.write_record(&cells).expect(whole);
    }
    csv.into_inner().expect(whole)
}

/// Digits after the decimal point of a load.
fn decimals(load: f64) -> usize {
    let shown = load.to_string();
    shown
        .split_once('.')
        .map_or(0, |(_, decimals)| decimals.len())
}

/// A few lines for each row.
pub(super) fn text(rows: &[SaturationRow]) -> String {
    let mut text = String::new();
    for row in rows {
        let values = row.values.iter();
        let values: Vec<String> = values
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        let at = match values.is_empty() {
            true => String::new(),
            false => format!(" at {}", values.join(", ")),
        };
        let found = &row.found;
        let low = found.low_load_fraction;
        let _ = match found.high_load_fraction {
            Some(high) => {
                let digits = decimals(low).max(decimals(high));
                writeln!(
                    text,
                    "saturation{at}: between load {low:.digits$} and {high:.digits$}; throughput at \
                     load {high:.digits$} is {:.4} words per node and cycle{}",
                    found.throughput_fraction,
                    match high - low > WIDE * high {
                        true =>
                            "; the interval is wider than usual, because the runs gave no clear \
                             answer for the loads in it: take more replicates, or more \
                             traffic.cycles",
                        false => "",
                    }
                )
            }
            None => writeln!(text, "saturation{at}: none up to load {low}"),
        };
        if let Some(cycles) = found.zero_load_latency_cycles {
            let tripled = row.latency_tripled_load_fraction;
            let tripled = tripled.map_or(String::new(), |load| {
                format!("; three times as much at load {load:.4}")
            });
            let _ = writeln!(text, "  zero-load latency {cycles:.1} cycles{tripled}");
        }
    }
    text
}
