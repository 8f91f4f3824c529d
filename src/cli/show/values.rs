//! The values of a window of a waveform as JSON.

use serde::Serialize;

use crate::wave::waveform::SignalKind;
use crate::wave::{DrawOptions, Radix, Row, WaveValue, Waveform};

/// The JSON of a window.
#[derive(Serialize)]
pub(super) struct Values {
    /// The unit of times, as `1 ns`; null when the file does not say it.
    timescale: Option<String>,
    /// Units of time of a cycle.
    period: u64,
    /// The first and the last cycle, both included.
    window_cycles: [u64; 2],
    signals: Vec<Signal>,
}

#[derive(Serialize)]
struct Signal {
    /// Dotted; empty outside of all scopes.
    scope: String,
    signal: String,
    /// The width in bits; null for strings and real numbers.
    width: Option<u32>,
    /// The value in the first cycle, and each one that is another than the one before; null
    /// where there is none yet. The value of a cycle is the one at its start, after all
    /// changes at that time.
    changes: Vec<(u64, serde_json::Value)>,
}

/// The row of every signal that is kept: also of those whose values another one names.
pub(super) fn rows(wave: &Waveform, kept: &[bool]) -> Vec<Row> {
    let signals = wave.signals.iter().enumerate().zip(kept);
    let kept = signals.filter(|(_, kept)| **kept);
    let row = |((index, signal), _): ((usize, &crate::wave::WaveSignal), _)| Row {
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
pub(super) fn values(wave: &Waveform, rows: &[Row], options: &DrawOptions) -> Values {
    let first = options.window.first;
    let last = wave.cycles(options.period, options.phase).saturating_sub(1);
    let window = (first, last.min(options.window.last).max(first));
    Values {
        timescale: wave.timescale.map(|timescale| timescale.to_string()),
        period: options.period,
        window_cycles: [window.0, window.1],
        signals: rows
            .iter()
            .filter_map(|row| signal(wave, row, options, window))
            .collect(),
    }
}

fn signal(wave: &Waveform, row: &Row, options: &DrawOptions, window: (u64, u64)) -> Option<Signal> {
    let signal = &wave.signals[row.signal?];
    Some(Signal {
        scope: row.group.clone(),
        signal: row.label.clone(),
        width: (signal.kind == SignalKind::Bits).then_some(signal.width),
        changes: changes(wave, row, options, window)?,
    })
}

/// The value of a row with a signal in the first cycle of a window, and each one that is
/// another than the one before.
pub(super) fn changes(
    wave: &Waveform,
    row: &Row,
    options: &DrawOptions,
    window: (u64, u64),
) -> Option<Vec<(u64, serde_json::Value)>> {
    let index = row.signal?;
    let signal = &wave.signals[index];
    let changes = wave.changes(index);
    let mut next = changes.partition_point(|change| change.time <= options.start_of(window.0));
    let mut value = next.checked_sub(1).map(|last| &changes[last].value);
    let json = |value: Option<&WaveValue>| {
        value.map_or(serde_json::Value::Null, |value| {
            json(value, signal.width, options.radix)
        })
    };
    let mut shown = vec![(window.0, json(value))];
    while let Some(change) = changes.get(next) {
        // The first cycle that starts then or later, and the last change up to its start.
        let since = change.time.saturating_sub(options.phase);
        let cycle = since.div_ceil(options.period.max(1));
        if cycle > window.1 {
            break;
        }
        let start = options.start_of(cycle);
        next += changes[next..].partition_point(|change| change.time <= start);
        let before = value.replace(&changes[next - 1].value);
        if before != value {
            shown.push((cycle, json(value)));
        }
    }
    Some(shown)
}

/// A value: the digits of a vector and names as text, a real number as one.
fn json(value: &WaveValue, width: u32, radix: Radix) -> serde_json::Value {
    let digits = match (value, radix) {
        (WaveValue::Real(number), _) => return (*number).into(),
        (WaveValue::Text(text), _) => Some(text.to_string()),
        (_, Radix::Hexadecimal) => value.hexadecimal(width, usize::MAX),
        (_, Radix::Binary) => value.binary(width),
        (_, Radix::Decimal) => value.decimal(),
    };
    digits.into()
}
