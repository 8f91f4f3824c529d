//! Result of comparing two waveforms: text and JSON.

use serde::Serialize;

use super::values::shown;
use super::{ALL_IN_JSON, DiffArgs, PRINTED, different, more};
use crosswave_base::diagnostic::Error;
use crosswave_base::escape;
use crosswave_wave::compare::{Comparison, Rules, SignalDifference};
use crosswave_wave::{CycleWindow, Timescale, WaveValue, Waveform};

/// The result as JSON.
#[derive(Serialize)]
pub(super) struct WaveDiff {
    /// True when the exit code is 0.
    same: bool,
    /// Signals that both have.
    compared: usize,
    only_left: Vec<String>,
    only_right: Vec<String>,
    /// Scopes of the first file that have another name in the second one.
    map: Vec<Map>,
    /// The digits in which real numbers have to agree.
    real_digits: u32,
    /// The unit of the times; null when no file says it.
    timescale: Option<String>,
    /// Signals of other widths or kinds.
    unlike: Vec<UnlikeRow>,
    differences: Vec<SignalRow>,
}

/// A scope that the files call by other names.
#[derive(Serialize)]
pub(super) struct Map {
    pub(super) left: String,
    pub(super) right: String,
    /// True when the name follows from the paths of the scopes, false when the command line gives
    /// it.
    pub(super) is_automatic: bool,
}

/// A signal that is declared otherwise.
#[derive(Serialize)]
struct UnlikeRow {
    signal: String,
    left: String,
    right: String,
}

/// The first difference of a signal.
#[derive(Serialize)]
struct SignalRow {
    signal: String,
    time: u64,
    /// The cycle; null when no clock tells where cycles begin.
    cycle: Option<u64>,
    /// Binary digits, a string or a number; null before the first value.
    left: Option<String>,
    right: Option<String>,
    /// The name of the value, where the file has names.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    right_name: Option<String>,
    /// Both values for people.
    #[serde(skip)]
    shown: (String, String),
}

/// Grid of cycles, in the common unit of time.
pub(super) struct Cycles {
    pub(super) period: u64,
    /// Time at which cycle 0 begins; `None` when no clock tells it.
    pub(super) phase: Option<u64>,
}

impl Cycles {
    fn at(&self, time: u64) -> Option<u64> {
        Some(time.checked_sub(self.phase?)? / self.period)
    }

    /// The first and the last time of a window.
    pub(super) fn times(&self, window: CycleWindow) -> (u64, u64) {
        window.times(self.period, self.phase.unwrap_or(0))
    }
}

/// A time in a unit such as `10 ps`, as `440 ns` or `4400 ps`.
fn shown_time(time: u64, unit: Option<&str>) -> String {
    let parts = unit.and_then(|unit| unit.split_once(' '));
    match parts.and_then(|(count, name)| Some((count.parse::<u128>().ok()?, name))) {
        Some((count, name)) => format!("{} {name}", u128::from(time) * count),
        None => format!("time {time}"),
    }
}

impl WaveDiff {
    pub(super) fn new(
        comparison: Comparison,
        only_common: bool,
        map: Vec<Map>,
        unit: Option<Timescale>,
        cycles: &Cycles,
        rules: Rules,
    ) -> WaveDiff {
        let same = match only_common {
            true => comparison.common_is_same(),
            false => comparison.is_same(),
        };
        let row = |difference: SignalDifference| SignalRow {
            shown: shown(&difference),
            time: difference.time,
            cycle: cycles.at(difference.time),
            left: difference.left.as_ref().map(WaveValue::to_string),
            right: difference.right.as_ref().map(WaveValue::to_string),
            left_name: difference.names.0,
            right_name: difference.names.1,
            signal: difference.path,
        };
        let unlike = comparison.unlike.into_iter().map(|unlike| UnlikeRow {
            signal: unlike.path,
            left: unlike.left.to_string(),
            right: unlike.right.to_string(),
        });
        WaveDiff {
            same,
            compared: comparison.compared,
            only_left: comparison.only_left,
            only_right: comparison.only_right,
            map,
            real_digits: rules.real_digits,
            timescale: unit.map(|unit| unit.to_string()),
            unlike: unlike.collect(),
            differences: comparison.differences.into_iter().map(row).collect(),
        }
    }

    pub(super) fn is_same(&self) -> bool {
        self.same
    }

    /// Number of signals that are in one file only.
    fn only(&self) -> usize {
        self.only_left.len() + self.only_right.len()
    }

    pub(super) fn text(&self, args: &DiffArgs) -> String {
        let mut text = String::new();
        let sides = [
            (&args.left, &self.only_left),
            (&args.right, &self.only_right),
        ];
        for (file, only) in sides.into_iter().filter(|_| !args.common) {
            for path in only.iter().take(PRINTED) {
                text += &format!("{}: only in {}\n", escape::line(path), file.display());
            }
            text += &more(only.len(), "signals");
        }
        for row in self.unlike.iter().take(PRINTED) {
            let UnlikeRow {
                signal,
                left,
                right,
            } = row;
            text += &format!("{}: {left} and {right}\n", escape::line(signal));
        }
        text += &more(self.unlike.len(), "signals of other widths or kinds");
        for row in self.differences.iter().take(PRINTED) {
            let cycle = row.cycle.map(|cycle| format!(" (cycle {cycle})"));
            let (left, right) = &row.shown;
            text += &format!(
                "{}: at {}{}: {left} in the first file, {right} in the second\n",
                escape::line(&row.signal),
                shown_time(row.time, self.timescale.as_deref()),
                cycle.unwrap_or_default(),
            );
        }
        text += &more(self.differences.len(), "signals differ");
        if self.same {
            text += &format!("{} signals are the same", self.compared);
            text += &match self.only() {
                0 => "\n".to_owned(),
                only => format!(", and {only} are in one of the files only\n"),
            };
        }
        text
    }

    /// The error of a comparison that found differences, or had nothing to compare.
    pub(super) fn ended(&self, args: &DiffArgs, waves: [&Waveform; 2]) -> Error {
        if self.compared == 0 && self.unlike.is_empty() {
            let [first, second] = waves.map(|wave| match tops(wave).as_str() {
                "" => "no scopes".to_owned(),
                tops => format!("scopes {tops}"),
            });
            let help = format!(
                "--map FIRST=SECOND says what a scope of the first file is called in the second \
                 one: there are {first} in the first, {second} in the second"
            );
            let found = format!(
                "nothing was compared: no signal is in both, and {} are in one of them only",
                self.only()
            );
            return different(args, found, &help);
        }
        let mut found = format!(
            "{} of {} signals differ",
            self.differences.len(),
            self.compared
        );
        if !self.unlike.is_empty() {
            found += &format!(", {} have other widths or kinds", self.unlike.len());
        }
        if self.only() > 0 {
            found += &format!(", and {} are in one of them only", self.only());
        }
        different(args, found, ALL_IN_JSON)
    }
}

/// The outermost scopes that are named at most.
const TOPS_NAMED: usize = 4;

/// The outermost scopes.
pub(super) fn tops(wave: &Waveform) -> String {
    let tops = wave.scopes.iter().filter(|scope| scope.parent.is_none());
    let mut names: Vec<String> = tops.map(|scope| format!("`{}`", scope.name)).collect();
    names.dedup();
    if names.len() > TOPS_NAMED {
        names.truncate(TOPS_NAMED);
        names.push("…".to_owned());
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_unit_without_its_number() {
        assert_eq!(shown_time(440, Some("1 ns")), "440 ns");
        assert_eq!(shown_time(44, Some("100 ps")), "4400 ps");
        assert_eq!(shown_time(7, None), "time 7");
    }
}
