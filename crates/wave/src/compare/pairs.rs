//! Matching of the signals of two waveforms.
//!
//! Signals of one path match, the n-th with the n-th where a path occurs again. A bus that one tool
//! writes whole and another one in parts, as `a` and `a[0]`, `a[1]`, …, is one signal as well:
//! parts that lie side by side are joined where the whole has as many bits. What has another
//! width or kind is named and not compared.

use std::collections::BTreeMap;
use std::fmt;

use super::super::waveform::{SignalKind, WaveSignal, Waveform};
use super::names::{ComparedNames, Side};

/// A signal of a waveform: one that it declares, or several that are joined, the most significant
/// one first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bus(pub(super) Vec<usize>);

/// A signal that both waveforms have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SignalPair {
    pub(super) left: Bus,
    pub(super) right: Bus,
    /// The name, when it is not that of the left signal.
    joined: Option<String>,
    pub(super) shape: ValueShape,
}

impl SignalPair {
    /// The dotted path in the left waveform.
    pub(super) fn path(&self, left: &Waveform) -> String {
        let first = self.left.0[0];
        match (&self.joined, left.signals[first].scope) {
            (None, _) => left.path(first),
            (Some(name), None) => name.clone(),
            (Some(name), Some(scope)) => format!("{}.{name}", left.scope_path(scope)),
        }
    }
}

/// The kind and width of the values of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueShape {
    /// The kind.
    pub kind: SignalKind,
    /// Bits; 0 where values have no width.
    pub width: u32,
}

impl ValueShape {
    fn of(signal: &WaveSignal) -> ValueShape {
        let width = match signal.kind {
            SignalKind::Bits => signal.width,
            SignalKind::Text | SignalKind::Real | SignalKind::Event => 0,
        };
        ValueShape {
            kind: signal.kind,
            width,
        }
    }
}

impl fmt::Display for ValueShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind, self.width) {
            (SignalKind::Bits, 1) => f.write_str("1 bit"),
            (SignalKind::Bits, width) => write!(f, "{width} bits"),
            (SignalKind::Text, _) => f.write_str("text"),
            (SignalKind::Real, _) => f.write_str("a real number"),
            (SignalKind::Event, _) => f.write_str("an event"),
        }
    }
}

/// A signal that the two waveforms declare with other widths or kinds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unlike {
    /// Dotted path in the left waveform.
    pub path: String,
    /// Its shape in the left waveform.
    pub left: ValueShape,
    /// Its shape in the right waveform.
    pub right: ValueShape,
}

/// The signals of two waveforms, told apart.
#[derive(Debug, Clone, Default)]
pub(super) struct Paired {
    pub(super) pairs: Vec<SignalPair>,
    pub(super) unlike: Vec<Unlike>,
    pub(super) only_left: Vec<String>,
    pub(super) only_right: Vec<String>,
}

/// The place of a scope, the name, and how often the same stood before.
type Key<'w> = (usize, &'w str, usize);

/// Signals of both waveforms by their keys.
#[derive(Default)]
struct PairEntry {
    left: Option<usize>,
    right: Option<usize>,
}

/// Tells apart which signals that are kept are in both waveforms. `kept` has those of the left
/// one first.
pub(super) fn pair(names: &ComparedNames, kept: &[bool]) -> Paired {
    let mut entries: BTreeMap<Key, PairEntry> = BTreeMap::new();
    let count = names.left.wave.signals.len();
    for (key, signal) in keyed(&names.left, &kept[..count]) {
        entries.entry(key).or_default().left = Some(signal);
    }
    for (key, signal) in keyed(&names.right, &kept[count..]) {
        entries.entry(key).or_default().right = Some(signal);
    }
    let (left, right) = (names.left.wave, names.right.wave);
    let mut paired = Paired::default();
    // Signals that are no pair by name alone, by place and name without range.
    let mut others: BTreeMap<(usize, &str), Vec<PairEntry>> = BTreeMap::new();
    for ((place, name, _), entry) in entries {
        if let (Some(one), Some(other)) = (entry.left, entry.right) {
            let shape = ValueShape::of(&left.signals[one]);
            if shape == ValueShape::of(&right.signals[other]) {
                paired.pairs.push(SignalPair {
                    left: Bus(vec![one]),
                    right: Bus(vec![other]),
                    joined: None,
                    shape,
                });
                continue;
            }
        }
        let signal = match entry.left {
            Some(one) => Some(&left.signals[one]),
            None => entry.right.map(|other| &right.signals[other]),
        };
        let base = signal.map_or(name, |signal| part_of(signal).0);
        others.entry((place, base)).or_default().push(entry);
    }
    for ((_, base), entries) in others {
        match joined((left, right), base, &entries) {
            Some(pair) => paired.pairs.push(pair),
            None => paired.put_apart((left, right), &entries),
        }
    }
    paired.only_left.sort_unstable();
    paired.only_right.sort_unstable();
    paired
}

/// The signals that are kept, with their keys.
fn keyed<'w>(side: &Side<'w>, kept: &[bool]) -> Vec<(Key<'w>, usize)> {
    let signals = side.wave.signals.iter().enumerate();
    let signals = signals.filter(|(index, _)| kept[*index]);
    let mut keyed: Vec<(Key<'w>, usize)> = signals
        .map(|(index, signal)| ((side.place(index), signal.name.as_str(), 0), index))
        .collect();
    keyed.sort_unstable();
    // A port and the wire behind it may be declared as one signal twice.
    let stream = |signal: usize| side.wave.signals[signal].stream;
    keyed.dedup_by(|again, first| again.0 == first.0 && stream(again.1) == stream(first.1));
    for index in 1..keyed.len() {
        let (place, name, number) = keyed[index - 1].0;
        if keyed[index].0.0 == place && keyed[index].0.1 == name {
            keyed[index].0.2 = number + 1;
        }
    }
    keyed
}

impl Paired {
    /// Puts down signals that are in one waveform only, or of other shapes. Texts that only one
    /// has are passed over: they are mostly names of what another signal shows.
    fn put_apart(&mut self, (left, right): (&Waveform, &Waveform), entries: &[PairEntry]) {
        let is_told = |wave: &Waveform, signal: usize| {
            let told = wave.signals[signal].kind != SignalKind::Text;
            told.then(|| wave.path(signal))
        };
        for entry in entries {
            match (entry.left, entry.right) {
                (Some(one), Some(other)) => self.unlike.push(Unlike {
                    path: left.path(one),
                    left: ValueShape::of(&left.signals[one]),
                    right: ValueShape::of(&right.signals[other]),
                }),
                (Some(one), None) => self.only_left.extend(is_told(left, one)),
                (None, Some(other)) => self.only_right.extend(is_told(right, other)),
                (None, None) => {}
            }
        }
    }
}

/// Bits of a bus: the index of the most significant one, and that of the least significant one.
type Range = (i64, i64);

/// The bus that a signal is a part of, and its bits of that: its name without the last range or
/// index, when that says as many bits as it has; else its name.
fn part_of(signal: &WaveSignal) -> (&str, Option<Range>) {
    let split = || -> Option<(&str, Range)> {
        let (base, range) = signal.name.strip_suffix(']')?.rsplit_once('[')?;
        let (first, last) = range.split_once(':').unwrap_or((range, range));
        Some((base.trim_end(), (first.parse().ok()?, last.parse().ok()?)))
    };
    let is_part = |&(base, (first, last)): &(&str, Range)| {
        let bits = first.abs_diff(last).checked_add(1);
        !base.is_empty() && bits == Some(u64::from(signal.width))
    };
    match split().filter(is_part) {
        Some((base, range)) if signal.kind == SignalKind::Bits => (base, Some(range)),
        _ => (&signal.name, None),
    }
}

/// The parts of one bus in a waveform, joined.
struct Whole {
    signals: Vec<usize>,
    width: u32,
    /// The smallest index; `None` when it is not said.
    lowest: Option<i64>,
    /// True when indices rise from the most significant bit; `None` when each part is one bit.
    rises: Option<bool>,
}

impl Whole {
    /// Joins parts that lie side by side.
    fn new(wave: &Waveform, signals: &[usize]) -> Option<Whole> {
        let mut parts: Vec<(Range, usize)> = Vec::new();
        let (mut rises, mut width, mut is_said) = (None, 0_u32, true);
        for &signal in signals {
            let declared = &wave.signals[signal];
            if declared.kind != SignalKind::Bits {
                return None;
            }
            let (_, said) = part_of(declared);
            is_said &= said.is_some() || declared.had_range || signals.len() > 1;
            let range = said.unwrap_or((i64::from(declared.width) - 1, 0));
            if range.0 != range.1 {
                let way = Some(range.0 < range.1);
                if rises.is_some_and(|_| rises != way) {
                    return None;
                }
                rises = way;
            }
            width = width.checked_add(declared.width)?;
            parts.push((range, signal));
        }
        parts.sort_unstable_by_key(|((first, last), _)| *first.min(last));
        let is_beside = |pair: &[(Range, usize)]| {
            let ((first, last), _) = pair[0];
            let (next, after) = pair[1].0;
            first.max(last).checked_add(1) == Some(next.min(after))
        };
        if !parts.windows(2).all(is_beside) {
            return None;
        }
        let lowest = parts.first().map(|((first, last), _)| *first.min(last))?;
        Some(Whole {
            signals: parts.into_iter().map(|(_, signal)| signal).collect(),
            width,
            lowest: is_said.then_some(lowest),
            rises,
        })
    }

    /// The signals, the most significant one first.
    fn bus(mut self, rises: bool) -> Bus {
        if !rises {
            self.signals.reverse();
        }
        Bus(self.signals)
    }
}

/// One bus, of all signals of one place and base name.
fn joined(
    (left, right): (&Waveform, &Waveform),
    base: &str,
    entries: &[PairEntry],
) -> Option<SignalPair> {
    let ones: Vec<usize> = entries.iter().filter_map(|entry| entry.left).collect();
    let others: Vec<usize> = entries.iter().filter_map(|entry| entry.right).collect();
    let (one, other) = (Whole::new(left, &ones)?, Whole::new(right, &others)?);
    // A single bit is the whole of a bus only when it is the first one.
    let lowest = one.lowest.or(other.lowest);
    let is_whole = one.width > 1 || lowest == Some(0);
    let indices = one.lowest.zip(other.lowest);
    let ways = one.rises.zip(other.rises);
    let alike = one.width == other.width
        && indices.is_none_or(|(one, other)| one == other)
        && ways.is_none_or(|(one, other)| one == other);
    if !is_whole || !alike {
        return None;
    }
    let rises = one.rises.or(other.rises).unwrap_or(false);
    let width = one.width;
    Some(SignalPair {
        left: one.bus(rises),
        right: other.bus(rises),
        joined: Some(base.to_owned()),
        shape: ValueShape {
            kind: SignalKind::Bits,
            width,
        },
    })
}
