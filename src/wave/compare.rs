//! Comparing two waveforms: the first difference, by time, then by path; or the first one of
//! every signal.

use std::collections::BTreeMap;
use std::fmt;

use super::value::WaveValue;
use super::waveform::{SignalKind, Waveform};

/// The first place where two waveforms differ.
#[derive(Debug, Clone, PartialEq)]
pub enum Difference {
    /// A signal that only one of them has: its path, and whether the left one does.
    Missing {
        /// Dotted path.
        path: String,
        /// Whether the left waveform is the one that has it.
        only_left: bool,
    },
    /// A signal that has another value.
    Value {
        /// The time from which the values differ.
        time: u64,
        /// Dotted path.
        path: String,
        /// Value on the left; `None` before the first.
        left: Option<WaveValue>,
        /// Value on the right.
        right: Option<WaveValue>,
    },
}

/// A value for a reader.
fn shown(value: &Option<WaveValue>) -> String {
    value
        .as_ref()
        .map_or("nothing".to_owned(), ToString::to_string)
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Missing { path, only_left } => {
                let side = if *only_left { "left" } else { "right" };
                write!(f, "{path} is only in the {side} waveform")
            }
            Difference::Value {
                time,
                path,
                left,
                right,
            } => {
                write!(
                    f,
                    "time {time}, {path}: {} on the left, {} on the right",
                    shown(left),
                    shown(right)
                )
            }
        }
    }
}

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    /// Times before this one are not compared.
    pub from_time: u64,
    /// Whether signals that only the right waveform has are passed over.
    pub right_may_have_more: bool,
}

/// The signals that hold bits, by path. Names of states are text made from a
/// signal beside them, and other simulators do not write them.
fn bits(wave: &Waveform) -> BTreeMap<String, usize> {
    let signals = wave.signals.iter().enumerate();
    signals
        .filter(|(_, signal)| signal.kind == SignalKind::Bits)
        .map(|(index, _)| (wave.path(index), index))
        .collect()
}

/// The first difference between the bit signals of two waveforms; `None` when
/// there is none.
pub fn first_difference(left: &Waveform, right: &Waveform, scope: Scope) -> Option<Difference> {
    let (left_signals, right_signals) = (bits(left), bits(right));
    let only = |path: &str, only_left| Difference::Missing {
        path: path.to_owned(),
        only_left,
    };
    for path in left_signals.keys() {
        if !right_signals.contains_key(path) {
            return Some(only(path, true));
        }
    }
    if !scope.right_may_have_more {
        for path in right_signals.keys() {
            if !left_signals.contains_key(path) {
                return Some(only(path, false));
            }
        }
    }
    let mut first: Option<(u64, &str)> = None;
    for (path, &index) in &left_signals {
        let until = first.map_or(u64::MAX, |(time, _)| time);
        let other = right_signals[path];
        if let Some(time) = first_time((left, index), (right, other), scope.from_time)
            && time < until
        {
            first = Some((time, path));
        }
    }
    first.map(|(time, path)| Difference::Value {
        time,
        left: left.value_at(left_signals[path], time),
        right: right.value_at(right_signals[path], time),
        path: path.to_owned(),
    })
}

/// How two waveforms differ, signal by signal.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Comparison {
    /// Paths that only the left waveform has, sorted. Strings are not among them: they are
    /// mostly names of what another signal shows.
    pub only_left: Vec<String>,
    /// Paths that only the right one has.
    pub only_right: Vec<String>,
    /// How many signals both have.
    pub compared: usize,
    /// The first difference of every signal that has one, by time, then by path.
    pub differences: Vec<SignalDifference>,
}

impl Comparison {
    /// Whether nothing differs.
    pub fn is_same(&self) -> bool {
        self.only_left.is_empty() && self.only_right.is_empty() && self.differences.is_empty()
    }
}

/// Where a signal differs first.
#[derive(Debug, Clone, PartialEq)]
pub struct SignalDifference {
    /// The time from which the values differ.
    pub time: u64,
    /// Dotted path.
    pub path: String,
    /// Value on the left; `None` before the first.
    pub left: Option<WaveValue>,
    /// Value on the right.
    pub right: Option<WaveValue>,
}

/// Compares the signals of two waveforms that are kept, in the times from `times.0` to
/// `times.1`. Signals of the same path are the same, whatever their width; the times of both
/// have one unit, see [`align`].
///
/// # Panics
/// When one of the lists has not one entry per signal.
pub fn compare(
    left: (&Waveform, &[bool]),
    right: (&Waveform, &[bool]),
    times: (u64, u64),
) -> Comparison {
    let paths = |(wave, kept): (&Waveform, &[bool])| -> BTreeMap<String, usize> {
        assert_eq!(wave.signals.len(), kept.len(), "one entry per signal");
        let kept = (0..kept.len()).filter(|&signal| kept[signal]);
        kept.map(|signal| (wave.path(signal), signal)).collect()
    };
    let (left_signals, right_signals) = (paths(left), paths(right));
    let mut found = Comparison::default();
    let is_text = |wave: &Waveform, signal: usize| wave.signals[signal].kind == SignalKind::Text;
    for (path, &signal) in &right_signals {
        if !left_signals.contains_key(path) && !is_text(right.0, signal) {
            found.only_right.push(path.clone());
        }
    }
    for (path, &signal) in &left_signals {
        let Some(&other) = right_signals.get(path) else {
            if !is_text(left.0, signal) {
                found.only_left.push(path.clone());
            }
            continue;
        };
        found.compared += 1;
        let first = first_time((left.0, signal), (right.0, other), times.0);
        if let Some(time) = first.filter(|&time| time <= times.1) {
            found.differences.push(SignalDifference {
                time,
                path: path.clone(),
                left: left.0.value_at(signal, time),
                right: right.0.value_at(other, time),
            });
        }
    }
    found.differences.sort_by_key(|difference| difference.time);
    found
}

/// Brings the times of two waveforms to one unit, and gives what those of each were
/// multiplied by. A waveform that does not say its unit has that of the other one.
pub fn align(left: &mut Waveform, right: &mut Waveform) -> (u64, u64) {
    let (Some(one), Some(other)) = (left.timescale, right.timescale) else {
        return (1, 1);
    };
    let (one_fs, other_fs) = (one.femtoseconds(), other.femtoseconds());
    let common = greatest_divisor(one_fs, other_fs);
    let factors = (one_fs / common, other_fs / common);
    let scale = |wave: &mut Waveform, factor: u64| {
        for changes in &mut wave.streams {
            changes.scale_times(factor);
        }
        wave.end = wave.end.saturating_mul(factor);
        wave.last_change = wave.last_change.saturating_mul(factor);
    };
    scale(left, factors.0);
    scale(right, factors.1);
    factors
}

/// The greatest common divisor.
fn greatest_divisor(mut one: u64, mut other: u64) -> u64 {
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// The first time from `from` on at which two signals differ.
fn first_time(left: (&Waveform, usize), right: (&Waveform, usize), from: u64) -> Option<u64> {
    let times = |(wave, signal): (&Waveform, usize)| {
        wave.changes(signal)
            .times()
            .filter(move |&time| time > from)
            .collect::<Vec<_>>()
    };
    let mut all = times(left);
    all.extend(times(right));
    all.push(from);
    all.sort_unstable();
    all.dedup();
    all.into_iter()
        .find(|&time| left.0.value_at(left.1, time) != right.0.value_at(right.1, time))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(body: &str) -> Waveform {
        let text = format!(
            "$timescale 1 ns $end $scope module top $end $var wire 1 ! a $end \
             $var wire 8 # b $end $upscope $end $enddefinitions $end {body}"
        );
        crate::wave::read("test", text.as_bytes()).unwrap()
    }

    const ALL: Scope = Scope {
        from_time: 0,
        right_may_have_more: false,
    };

    #[test]
    fn the_earliest_difference_is_named() {
        let left = wave("#0 x! b0 # #10 1! b101 # #20 0! #30");
        assert_eq!(first_difference(&left, &left, ALL), None);
        let right = wave("#0 x! b0 # #10 1! b111 # #20 1! #30");
        let found = first_difference(&left, &right, ALL).unwrap();
        assert_eq!(
            found.to_string(),
            "time 10, top.b: 101 on the left, 111 on the right"
        );
        let later = Scope {
            from_time: 25,
            ..ALL
        };
        let found = first_difference(&left, &right, later).unwrap();
        assert_eq!(
            found.to_string(),
            "time 25, top.a: 0 on the left, 1 on the right"
        );
    }

    #[test]
    fn every_signal_has_its_first_difference() {
        let left = wave("#0 x! b0 # #10 1! b101 # #20 0! #30");
        let right = wave("#0 x! b0 # #10 1! b111 # #20 1! #30");
        let all = [true; 2];
        let found = compare((&left, &all), (&right, &all), (0, 99));
        let times: Vec<_> = found
            .differences
            .iter()
            .map(|d| (d.time, &*d.path))
            .collect();
        assert_eq!(times, [(10, "top.b"), (20, "top.a")]);
        assert_eq!(
            compare((&left, &all), (&right, &all), (0, 9)).differences,
            []
        );
        assert!(compare((&left, &all), (&left, &all), (0, 99)).is_same());
        let found = compare((&left, &[true, false]), (&right, &[false, true]), (0, 99));
        assert_eq!(
            (found.only_left, found.only_right),
            (vec!["top.a".into()], vec!["top.b".into()])
        );
    }

    #[test]
    fn times_are_brought_to_one_unit() {
        let mut left = wave("#0 x! b0 # #10 1! #30");
        let mut right = wave("#0 x! b0 # #10000 1! #30000");
        right.timescale = Some(crate::wave::Timescale::PICOSECOND);
        assert_eq!(align(&mut left, &mut right), (1000, 1));
        let all = [true; 2];
        assert!(compare((&left, &all), (&right, &all), (0, u64::MAX)).is_same());
        assert_eq!(left.end, right.end);
    }

    #[test]
    fn a_change_to_the_same_value_is_no_difference() {
        let left = wave("#0 0! b0 # #10 0! #30");
        let right = wave("#0 0! b0 # #30");
        assert_eq!(first_difference(&left, &right, ALL), None);
    }
}
