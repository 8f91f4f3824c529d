//! Comparing two waveforms: the first difference, by time, then by path.

use std::collections::BTreeMap;
use std::fmt;

use super::waveform::{SignalKind, WaveValue, Waveform};

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
        left: left.value_at(left_signals[path], time).cloned(),
        right: right.value_at(right_signals[path], time).cloned(),
        path: path.to_owned(),
    })
}

/// The first time from `from` on at which two signals differ.
fn first_time(left: (&Waveform, usize), right: (&Waveform, usize), from: u64) -> Option<u64> {
    let times = |(wave, signal): (&Waveform, usize)| {
        wave.changes(signal)
            .iter()
            .map(|change| change.time)
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
    fn a_change_to_the_same_value_is_no_difference() {
        let left = wave("#0 0! b0 # #10 0! #30");
        let right = wave("#0 0! b0 # #30");
        assert_eq!(first_difference(&left, &right, ALL), None);
    }
}
