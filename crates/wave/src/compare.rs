//! Two waveforms against each other: which signals both have, and where each of them differs
//! first.
//!
//! ```text
//!  Waveform ──┐
//!             ├──> names (one hierarchy of scopes) ──> pairs ──> Comparer ──> Comparison
//!  Waveform ──┘       ^                                             ^
//!                  Prefix                            values of both, in parts or whole; Rules
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `names` | what scopes of the one are called in the other |
//! | `pairs` | which signals are the same, buses in parts, other widths and kinds |
//! | `rules` | when two values are the same |
//!
//! The values may come in parts, one after the other in time, of which only one has to be in
//! memory: a [`Comparer`] keeps nothing of them except the differences.
//!
//! Cost: a pass over the changes of each pair; a bus that is joined takes its width at each.

mod names;
mod pairs;
mod rules;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;

use super::changes::Changes;
use super::timescale::Timescale;
use super::value::{Bit, WaveValue};
use super::waveform::{SignalKind, Waveform};
use pairs::{Bus, SignalPair, pair};

pub use names::{ComparedNames, Prefix};
pub use pairs::{Unlike, ValueShape};
pub use rules::{REAL_DIGITS_EXACT, REAL_DIGITS_VCD, Rules};

/// The differences between two waveforms, signal by signal.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Comparison {
    /// Paths that only the left waveform has, sorted. Texts are not among them: they are
    /// mostly names of what another signal shows.
    pub only_left: Vec<String>,
    /// Paths that only the right one has, as they are there.
    pub only_right: Vec<String>,
    /// Number of signals that were compared.
    pub compared: usize,
    /// The signals that have another width or kind, by path; they are not compared.
    pub unlike: Vec<Unlike>,
    /// The first difference of every signal that has one, by time, then by path.
    pub differences: Vec<SignalDifference>,
}

impl Comparison {
    /// True when all signals that were compared are the same, and there were some.
    pub fn common_is_same(&self) -> bool {
        self.compared > 0 && self.unlike.is_empty() && self.differences.is_empty()
    }

    /// True when that is so, and each waveform has all signals of the other one.
    pub fn is_same(&self) -> bool {
        self.common_is_same() && self.only_left.is_empty() && self.only_right.is_empty()
    }
}

/// The earliest difference, or what is in one waveform only.
impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (only, side) in [(&self.only_left, "left"), (&self.only_right, "right")] {
            if let Some(path) = only.first() {
                return write!(f, "{path} is only in the {side} waveform");
            }
        }
        if let Some(Unlike { path, left, right }) = self.unlike.first() {
            return write!(f, "{path}: {left} on the left, {right} on the right");
        }
        match self.differences.first() {
            None => write!(f, "{} signals are the same", self.compared),
            Some(difference) => {
                let shown = |value: &Option<WaveValue>| match value {
                    Some(value) => value.to_string(),
                    None => "nothing".to_owned(),
                };
                let (left, right) = (shown(&difference.left), shown(&difference.right));
                let SignalDifference { time, path, .. } = difference;
                write!(
                    f,
                    "time {time}, {path}: {left} on the left, {right} on the right"
                )
            }
        }
    }
}

/// The first difference of a signal.
#[derive(Debug, Clone, PartialEq)]
pub struct SignalDifference {
    /// The time from which the values differ, in the common unit.
    pub time: u64,
    /// Dotted path in the left waveform.
    pub path: String,
    /// The kind and width of the signal's values.
    pub shape: ValueShape,
    /// Value on the left; `None` before the first.
    pub left: Option<WaveValue>,
    /// Value on the right.
    pub right: Option<WaveValue>,
    /// Names of the two values, where a waveform has them.
    pub names: (Option<String>, Option<String>),
}

/// Compares all signals of two waveforms whose times have one unit, in all times.
pub fn compare(left: &Waveform, right: &Waveform, rules: Rules) -> Comparison {
    let names = ComparedNames::new(left, right, &[]);
    let kept = vec![true; left.signals.len() + right.signals.len()];
    let mut comparer = Comparer::new(&names, &kept, rules, (1, 1));
    comparer.part(left, right, (0, u64::MAX));
    comparer.finish()
}

/// The factors of the times of two waveforms that give them one unit. A waveform that does not say
/// its unit has that of the other one.
pub fn time_factors(left: Option<Timescale>, right: Option<Timescale>) -> (u64, u64) {
    let (Some(one), Some(other)) = (left, right) else {
        return (1, 1);
    };
    let (one_fs, other_fs) = (one.femtoseconds(), other.femtoseconds());
    let common = greatest_divisor(one_fs, other_fs);
    (one_fs / common, other_fs / common)
}

/// The greatest common divisor.
fn greatest_divisor(mut one: u64, mut other: u64) -> u64 {
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// A comparison under way.
pub struct Comparer {
    /// The pairs in which no difference has been found.
    open: Vec<SignalPair>,
    rules: Rules,
    factors: (u64, u64),
    found: Comparison,
}

impl Comparer {
    /// The comparison of the signals of two waveforms that are kept: `kept` has an entry for each
    /// signal of [`ComparedNames`]. The values of the waveforms are not looked at, but their
    /// signals have the kinds that they are read with, which may be others than were declared.
    /// `factors` multiply the times, see [`time_factors`].
    ///
    /// # Panics
    /// When `kept` has another number of entries.
    pub fn new(
        names: &ComparedNames,
        kept: &[bool],
        rules: Rules,
        factors: (u64, u64),
    ) -> Comparer {
        let signals = names.left.wave.signals.len() + names.right.wave.signals.len();
        assert_eq!(kept.len(), signals, "one entry per signal");
        let paired = pair(names, kept);
        Comparer {
            rules,
            factors,
            found: Comparison {
                only_left: paired.only_left,
                only_right: paired.only_right,
                compared: paired.pairs.len(),
                unlike: paired.unlike,
                differences: Vec::new(),
            },
            open: paired.pairs,
        }
    }

    /// Compares the times from `times.0` to `times.1`, in the common unit, of which `left` and
    /// `right` have all changes, and the last ones before. They declare what the waveforms of
    /// [`Comparer::new`] declared.
    pub fn part(&mut self, left: &Waveform, right: &Waveform, times: (u64, u64)) {
        let open = std::mem::take(&mut self.open);
        for pair in open {
            let mut left_side = Cursors::new(left, &pair.left, self.factors.0, times.0);
            let mut right_side = Cursors::new(right, &pair.right, self.factors.1, times.0);
            let shape = (pair.shape.kind, pair.shape.width);
            let mut time = Some(times.0);
            let mut differs = None;
            while let Some(now) = time.filter(|&time| time <= times.1) {
                let (one, other) = (left_side.value(now), right_side.value(now));
                if !self.rules.same(shape, one.as_ref(), other.as_ref()) {
                    differs = Some((now, one, other));
                    break;
                }
                time = match (left_side.next(), right_side.next()) {
                    (Some(one), Some(other)) => Some(one.min(other)),
                    (one, other) => one.or(other),
                };
                if let Some(time) = time {
                    left_side.go_to(time);
                    right_side.go_to(time);
                }
            }
            match differs {
                None => self.open.push(pair),
                Some((time, one, other)) => {
                    let name = |wave: &Waveform, bus: &Bus, factor| {
                        let named = bus.0.first().filter(|_| bus.0.len() == 1)?;
                        let names = wave.names_of(*named)?;
                        let value = wave.value_at(names, time / factor)?;
                        Some(value.to_string())
                    };
                    let names = (
                        name(left, &pair.left, self.factors.0),
                        name(right, &pair.right, self.factors.1),
                    );
                    self.found.differences.push(SignalDifference {
                        time,
                        path: pair.path(left),
                        shape: pair.shape,
                        left: one,
                        right: other,
                        names,
                    });
                }
            }
        }
    }

    /// The comparison, sorted by time.
    pub fn finish(self) -> Comparison {
        let mut found = self.found;
        // Names of what has been told are not told again.
        let told = found
            .differences
            .iter()
            .filter(|told| told.shape.kind == SignalKind::Bits);
        let told: BTreeMap<String, u64> = told
            .map(|told| (format!("{}_name", told.path), told.time))
            .collect();
        found.differences.retain(|difference| {
            let named = told.get(&difference.path);
            difference.shape.kind != SignalKind::Text
                || named.is_none_or(|&time| time > difference.time)
        });
        let by_time = |one: &SignalDifference, other: &SignalDifference| {
            (one.time, &one.path).cmp(&(other.time, &other.path))
        };
        found.differences.sort_unstable_by(by_time);
        found
    }
}

/// Positions of the signals of a bus in their changes.
struct Cursors<'w> {
    parts: Vec<Cursor<'w>>,
    factor: u64,
}

/// Position of a signal in its changes.
struct Cursor<'w> {
    changes: &'w Changes,
    /// The first change after the time.
    next: usize,
    kind: SignalKind,
    width: u32,
}

impl<'w> Cursors<'w> {
    /// The cursors at a time, which is the first of a part.
    fn new(wave: &'w Waveform, bus: &Bus, factor: u64, time: u64) -> Self {
        let parts = bus.0.iter().map(|&signal| {
            let changes = wave.changes(signal);
            let declared = &wave.signals[signal];
            Cursor {
                next: changes.count_until(time / factor),
                changes,
                kind: declared.kind,
                width: declared.width,
            }
        });
        Cursors {
            parts: parts.collect(),
            factor,
        }
    }

    /// The value at a time, up to which changes have been taken.
    fn value(&self, now: u64) -> Option<WaveValue> {
        let value = |part: &Cursor| {
            let last = part.next.checked_sub(1)?;
            // An event is nothing but when it fires.
            let is_now = || part.changes.time(last).saturating_mul(self.factor) == now;
            (part.kind != SignalKind::Event || is_now()).then(|| part.changes.value(last))
        };
        if let [part] = &self.parts[..] {
            return value(part);
        }
        let mut bits = Vec::new();
        for part in &self.parts {
            let value = value(part);
            let bit = |at| value.as_ref().and_then(|value| value.bit(at));
            bits.extend((0..part.width).rev().map(|at| bit(at).unwrap_or(Bit::X)));
        }
        Some(WaveValue::from_bits(&bits))
    }

    /// The time of the next change.
    fn next(&self) -> Option<u64> {
        let next =
            |part: &Cursor| (part.next < part.changes.len()).then(|| part.changes.time(part.next));
        let next = self.parts.iter().filter_map(next).min()?;
        Some(next.saturating_mul(self.factor))
    }

    /// Takes the changes up to a time.
    fn go_to(&mut self, time: u64) {
        for part in &mut self.parts {
            let is_due = |next: usize| part.changes.time(next).saturating_mul(self.factor) <= time;
            while part.next < part.changes.len() && is_due(part.next) {
                part.next += 1;
            }
        }
    }
}
