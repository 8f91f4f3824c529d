//! The values of a window of a waveform as JSON.
//!
//! They are made while they are written, one by one, so that a long waveform does not stand
//! in memory a second time.

use std::iter;

use serde::ser::{SerializeMap, SerializeSeq, SerializeTuple};
use serde::{Serialize, Serializer};

use crosswave_wave::{Changes, DrawOptions, DrawnRow, Radix, SignalKind, WaveValue, Waveform};

/// The JSON of a window: of every signal the value in the first cycle, and each one that is
/// another than the one before; null where there is none yet. The value of a cycle is the one
/// at its start, after all changes at that time. Events have a list of cycles and times at
/// which they fire instead.
#[derive(Serialize)]
pub(super) struct Values<'a> {
    /// The unit of times, as `1 ns`; null when the file does not say it.
    timescale: Option<String>,
    /// Units of time of a cycle.
    period: u64,
    /// The first and the last cycle, both included.
    window_cycles: [u64; 2],
    signals: Signals<'a>,
}

/// The signals of some rows in a window.
struct Signals<'a> {
    wave: &'a Waveform,
    rows: &'a [DrawnRow],
    options: &'a DrawOptions,
    window: (u64, u64),
}

impl Serialize for Signals<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for row in self.rows {
            if let Some(signal) = row.signal {
                list.serialize_element(&Signal {
                    all: self,
                    row,
                    signal,
                })?;
            }
        }
        list.end()
    }
}

/// One of the signals.
struct Signal<'a> {
    all: &'a Signals<'a>,
    row: &'a DrawnRow,
    signal: usize,
}

impl Serialize for Signal<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Signals {
            wave,
            options,
            window,
            ..
        } = *self.all;
        let signal = &wave.signals[self.signal];
        let mut map = serializer.serialize_map(None)?;
        // Dotted; empty outside of all scopes.
        map.serialize_entry("scope", &self.row.group)?;
        map.serialize_entry("signal", &self.row.label)?;
        // Null for what has no bits.
        let width = (signal.kind == SignalKind::Bits).then_some(signal.width);
        map.serialize_entry("width", &width)?;
        match signal.kind {
            SignalKind::Event => {
                let all = firings(wave, self.signal, options, window);
                map.serialize_entry("firings", &Pairs(|| all.clone()))?;
            }
            _ => {
                let all = || changes(wave, self.signal, options, window);
                map.serialize_entry("changes", &Pairs(all))?;
            }
        }
        map.end()
    }
}

/// A list of pairs that is made while it is written.
struct Pairs<F>(F);

impl<T: Serialize, I: Iterator<Item = (u64, T)>, F: Fn() -> I> Serialize for Pairs<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// A pair.
        struct Pair<T>(u64, T);
        impl<T: Serialize> Serialize for Pair<T> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut pair = serializer.serialize_tuple(2)?;
                pair.serialize_element(&self.0)?;
                pair.serialize_element(&self.1)?;
                pair.end()
            }
        }
        serializer.collect_seq((self.0)().map(|(cycle, shown)| Pair(cycle, shown)))
    }
}

/// The row of every signal that is kept: also of those whose values another one names.
pub(super) fn rows(wave: &Waveform, kept: &[bool]) -> Vec<DrawnRow> {
    let signals = wave.signals.iter().enumerate().zip(kept);
    let kept = signals.filter(|(_, kept)| **kept);
    let row = |((index, signal), _): ((usize, &crosswave_wave::WaveSignal), _)| DrawnRow {
        label: signal.name.clone(),
        group: signal
            .scope
            .map_or(String::new(), |scope| wave.scope_path(scope)),
        signal: Some(index),
    };
    kept.map(row).collect()
}

/// The values of rows with signals in the window of `options`, of which the waveform has a
/// cycle.
pub(super) fn values<'a>(
    wave: &'a Waveform,
    rows: &'a [DrawnRow],
    options: &'a DrawOptions,
) -> Values<'a> {
    let first = options.window.first;
    let last = wave.cycles(options.period, options.phase).saturating_sub(1);
    let window = (first, last.min(options.window.last).max(first));
    Values {
        timescale: wave.timescale.map(|timescale| timescale.to_string()),
        period: options.period,
        window_cycles: [window.0, window.1],
        signals: Signals {
            wave,
            rows,
            options,
            window,
        },
    }
}

/// The cycles and times of a window at which an event fires.
pub(super) fn firings<'a>(
    wave: &'a Waveform,
    signal: usize,
    options: &'a DrawOptions,
    window: (u64, u64),
) -> impl Iterator<Item = (u64, u64)> + Clone + 'a {
    let changes = wave.changes(signal);
    let before = |cycle: u64| {
        let last = options.start_of(cycle).checked_sub(1);
        last.map_or(0, |last| changes.count_until(last))
    };
    let fired = before(window.0)..before(window.1.saturating_add(1));
    fired.map(move |at| {
        let time = changes.time(at);
        let since = time.saturating_sub(options.phase);
        (since / options.period.max(1), time)
    })
}

/// The value of a signal in the first cycle of a window, and each one that is another than
/// the one before.
pub(super) fn changes<'a>(
    wave: &'a Waveform,
    signal: usize,
    options: &'a DrawOptions,
    window: (u64, u64),
) -> impl Iterator<Item = (u64, serde_json::Value)> + 'a {
    let width = wave.signals[signal].width;
    let radix = options.radix.of_name(&wave.signals[signal].name);
    let changes = wave.changes(signal);
    let json = move |value: &Option<WaveValue>| {
        let json = |value| json(value, width, radix);
        value.as_ref().map_or(serde_json::Value::Null, json)
    };
    let mut next = changes.count_until(options.start_of(window.0));
    let mut value = next.checked_sub(1).map(|last| changes.value(last));
    let first = (window.0, json(&value));
    let later = iter::from_fn(move || {
        while next < changes.len() {
            let (cycle, behind) = seen(changes, next, options);
            if cycle > window.1 {
                return None;
            }
            next = behind;
            let before = value.replace(changes.value(next - 1));
            if before != value {
                return Some((cycle, json(&value)));
            }
        }
        None
    });
    iter::once(first).chain(later)
}

/// The first cycle that starts with a change or after it, and how many changes there are up
/// to its start.
fn seen(changes: &Changes, next: usize, options: &DrawOptions) -> (u64, usize) {
    let since = changes.time(next).saturating_sub(options.phase);
    let cycle = since.div_ceil(options.period.max(1));
    let start = options.start_of(cycle);
    (cycle, changes.count_until(start).max(next + 1))
}

/// A value: the digits of a vector and names as text, a real number as one.
fn json(value: &WaveValue, width: u32, radix: Radix) -> serde_json::Value {
    let digits = match (value, radix) {
        (WaveValue::Real(number), _) => return (*number).into(),
        (WaveValue::Text(text), _) => Some(text.to_string()),
        (_, Radix::Hexadecimal | Radix::Natural) => value.hexadecimal(width, usize::MAX),
        (_, Radix::Binary) => value.binary(width),
        (_, Radix::Decimal) => value.decimal(),
    };
    digits.into()
}
