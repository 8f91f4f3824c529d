//! Sweeps: a configuration with keys of it varied over a grid, each point with as many
//! replicates as make the means that are looked at sure.
//!
//! | file | holds |
//! |---|---|
//! | [`values`] | a key and its values: lists and ranges |
//! | [`grid`] | the points: a configuration for every combination of values |
//! | [`measures`] | the numbers of a replicate, as the JSON of a run names them |
//! | [`lengthen`] | longer runs of points that are not in a steady state |
//! | [`saturation`] | the load at which throughput stops following the offer |
//! | [`table`] | what came out, for CSV and JSON |
//! | [`figure`] | a measure over the first key, as a chart |
//!
//! Results are kept by their configurations ([`points::Store`](crate::points::Store)), so
//! that a sweep that was stopped goes on where it was, and several processes share one.

pub mod figure;
pub mod grid;
pub mod lengthen;
pub mod measures;
pub mod saturation;
pub mod table;
pub mod values;

#[cfg(test)]
mod tests;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::points::Store;
use crate::points::enough::Enough;
use crate::points::runner::{IdleProcessors, Runner};
use crate::points::spec::of_replicates;
use crate::points::store::hexadecimal;
use crate::points::watch::{Watch, check_cancelled};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file::input;
use crosswave_base::suggest::nearest;
use crosswave_run::config::Config;
use crosswave_run::host::Outcome;
use crosswave_run::own_chips;
use crosswave_run::result::steady::Verdict;

use grid::SweepPoint;
use measures::{Measured, Replicate};

/// The measures whose means are to be sure, and how sure.
#[derive(Debug, Clone, PartialEq)]
pub struct StopRule {
    /// The measures that are looked at.
    pub measures: Vec<String>,
    /// Limits on the number of replicates.
    pub replicates: Enough,
    /// Half of the 95 % interval of each, as a fraction of its mean; 0 takes the most replicates.
    pub half_width_fraction: f64,
}

impl StopRule {
    /// Exactly so many replicates, whatever comes out.
    pub fn exactly(count: usize) -> StopRule {
        StopRule {
            measures: Vec::new(),
            replicates: Enough {
                least: count,
                most: count,
                step: 1,
            },
            half_width_fraction: 0.0,
        }
    }

    /// Number of replicates to have before looking again, given those that there are.
    fn target(&self, config: &Config, measured: &Measured) -> usize {
        self.replicates.target(measured.len(), |count| {
            let found = measured.stationarity(config, count);
            // The mean of a longer run is another one: more replicates would not make it sure.
            if found.is_some_and(|found| {
                found.verdict != Verdict::Stationary && !found.wants_replicates
            }) {
                return 0.0;
            }
            let excess = |measure: &String| {
                match measured.mean(measure, count) {
                    Some((mean, Some(half))) if half > self.half_width_fraction * mean.abs() => {
                        half / (self.half_width_fraction * mean.abs())
                    }
                    Some((_, Some(_))) => 0.0,
                    // One value says nothing of a spread.
                    _ => 1.5,
                }
            };
            self.measures.iter().map(excess).fold(0.0, f64::max)
        })
    }
}

/// Key of a point: all that its results depend on.
///
/// # Errors
/// When a file of the traffic cannot be read.
fn key(
    SweepPoint {
        config, program, ..
    }: &SweepPoint,
) -> Result<Value, Error> {
    let config_of_replicates = of_replicates(config);
    let mut key = json!({
        "config": config_of_replicates, "of": "numbers and slices of each replicate", "program": program,
    });
    let files = [
        ("trace", config.trace_file(), input::TRACE),
        ("matrix", config.matrix_file(), input::MATRIX),
    ];
    for (name, path, kind) in files {
        if let Some(path) = path {
            let bytes = input::read(path, kind)?;
            key[name] = hexadecimal(&Sha256::digest(&bytes), 32).into();
        }
    }
    let chips = own_chips::hashes(config)?;
    if !chips.is_empty() {
        key["chips"] = json!(chips);
    }
    Ok(key)
}

/// The results kept of a point; `None` when there are not as many replicates as are wanted.
///
/// # Errors
/// When what is kept cannot be read, or is not what was written.
pub fn kept(
    point: &SweepPoint,
    wanted: &StopRule,
    store: &Store,
) -> Result<Option<Measured>, Error> {
    let names = check(point, wanted)?;
    let kept = store.read(&key(point)?)?;
    let mut measured = kept.unwrap_or_else(|| Measured::new(names));
    let target = wanted.target(&point.config, &measured);
    if measured.len() < target {
        return Ok(None);
    }
    measured.truncate(target);
    Ok(Some(measured))
}

/// Keeps in one store what another one keeps of a point, where that is more.
///
/// # Errors
/// As of reading and writing.
pub fn take_in(point: &SweepPoint, from: &Store, to: &Store) -> Result<(), Error> {
    let key = key(point)?;
    let own = to.read(&key)?.map_or(0, |own: Measured| own.len());
    match from.read::<Measured>(&key)? {
        Some(measured) if measured.len() > own => to.write(&key, &measured),
        _ => Ok(()),
    }
}

/// Runs what is missing of a point on one processor and those that are idle, and keeps it.
///
/// # Errors
/// When the folder cannot be read or written, a run fails, or someone asks to stop.
pub fn run(
    point: &SweepPoint,
    wanted: &StopRule,
    store: &Store,
    idle: &IdleProcessors,
    watch: &mut dyn Watch,
) -> Result<Measured, Error> {
    let key = key(point)?;
    let names = check(point, wanted)?;
    let mut measured = store.read(&key)?.unwrap_or_else(|| Measured::new(names));
    let keep = |outcome: &Outcome| Ok(Replicate::new(&point.config, outcome));
    let mut runner = None;
    loop {
        let target = wanted.target(&point.config, &measured);
        if measured.len() >= target {
            measured.truncate(target);
            return Ok(measured);
        }
        let next = measured.len() + 1;
        watch.begins(&format!("{}, replicate {next} of {target}", point.title()));
        check_cancelled(watch)?;
        let running = match runner.take() {
            Some(running) => running,
            None => Runner::new(&point.config, &[], &keep, idle)?,
        };
        let missing = target - measured.len();
        let more = runner.insert(running).run(measured.len(), missing, watch)?;
        measured.extend(more);
        store.write(&key, &measured)?;
    }
}

/// The names of the numbers of a point; fails for a measure that is none of them.
fn check(point: &SweepPoint, wanted: &StopRule) -> Result<Vec<String>, Error> {
    let names = measures::names(&point.config);
    let is_missing = |measure: &&String| !names.contains(measure);
    let Some(missing) = wanted.measures.iter().find(is_missing) else {
        return Ok(names);
    };
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let list = known.join(", ");
    let help = match nearest(missing, &known) {
        Some(near) => format!("did you mean {near}? There are {list}"),
        None => format!("there are {list}"),
    };
    Err(Error::one(
        Class::Usage,
        point.title(),
        Diagnostic::new(
            format!("measure {missing}"),
            "the runs of this point have no such number",
            help,
        ),
    ))
}
