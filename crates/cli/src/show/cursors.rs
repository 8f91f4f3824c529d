//! Values of signals in some cycles, and what lies between these.

use comfy_table::presets::{ASCII_BORDERS_ONLY_CONDENSED, UTF8_BORDERS_ONLY};
use comfy_table::{CellAlignment, Table};
use serde::Serialize;

use super::values;
use crosswave_base::escape;
use crosswave_wave::{DrawOptions, DrawnRow, SignalKind, Waveform};

/// Values of signals at cursors.
#[derive(Debug, Serialize)]
pub(super) struct Cursors {
    /// The cycles, in rising order.
    cursor_cycles: Vec<u64>,
    /// From each cursor to the next one.
    between_cycles: Vec<u64>,
    signals: Vec<Signal>,
}

#[derive(Debug, Serialize)]
struct Signal {
    /// Dotted; empty outside of all scopes.
    scope: String,
    signal: String,
    /// The value at each cursor; null where there is none yet. Of an event how many times it
    /// fires in the cycle.
    values: Vec<serde_json::Value>,
    /// In how many cycles behind each cursor, up to the next one, it has another value than in
    /// the cycle before. Of an event how many times it fires in them.
    changes: Vec<usize>,
}

/// The values of rows in cycles, of which the waveform has the last one.
pub(super) fn cursors(
    wave: &Waveform,
    rows: &[DrawnRow],
    options: &DrawOptions,
    cycles: &[u64],
) -> Cursors {
    let mut cycles = cycles.to_vec();
    cycles.sort_unstable();
    cycles.dedup();
    let signals = rows.iter().filter_map(|row| {
        let window = (cycles[0], *cycles.last()?);
        let signal = row.signal?;
        if wave.signals[signal].kind == SignalKind::Event {
            let count = |window| values::firings(wave, signal, options, window).count();
            return Some(Signal {
                scope: row.group.clone(),
                signal: row.label.clone(),
                values: cycles.iter().map(|&at| count((at, at)).into()).collect(),
                changes: cycles
                    .windows(2)
                    .map(|pair| count((pair[0] + 1, pair[1])))
                    .collect(),
            });
        }
        let shown: Vec<_> = values::changes(wave, signal, options, window).collect();
        let before = |cycle: u64| shown.partition_point(|(since, _)| *since <= cycle);
        Some(Signal {
            scope: row.group.clone(),
            signal: row.label.clone(),
            values: cycles
                .iter()
                .map(|&cycle| shown[before(cycle) - 1].1.clone())
                .collect(),
            changes: cycles
                .windows(2)
                .map(|pair| before(pair[1]) - before(pair[0]))
                .collect(),
        })
    });
    Cursors {
        between_cycles: cycles.windows(2).map(|pair| pair[1] - pair[0]).collect(),
        signals: signals.collect(),
        cursor_cycles: cycles,
    }
}

impl Cursors {
    /// The same as a table.
    pub(super) fn text(&self, ascii: bool) -> String {
        let mut table = Table::new();
        table.load_style(match ascii {
            true => ASCII_BORDERS_ONLY_CONDENSED,
            false => UTF8_BORDERS_ONLY,
        });
        let mut header = vec!["signal".to_owned()];
        for (at, cycle) in self.cursor_cycles.iter().enumerate() {
            if at > 0 {
                header.push("changes".into());
            }
            header.push(format!("cycle {cycle}"));
        }
        table.set_header(header);
        for column in 1..2 * self.cursor_cycles.len() {
            let column = table.column_mut(column).expect("one for each heading");
            column.set_cell_alignment(CellAlignment::Right);
        }
        for signal in &self.signals {
            let path = match signal.scope.is_empty() {
                true => signal.signal.clone(),
                false => format!("{}.{}", signal.scope, signal.signal),
            };
            let mut cells = vec![escape::line(&path).into_owned()];
            for (at, value) in signal.values.iter().enumerate() {
                if at > 0 {
                    cells.push(signal.changes[at - 1].to_string());
                }
                cells.push(match value {
                    serde_json::Value::Null => "-".into(),
                    serde_json::Value::String(text) => escape::line(text).into_owned(),
                    other => other.to_string(),
                });
            }
            table.add_row(cells);
        }
        let mut text = format!("{table}\n");
        for (pair, cycles) in self.cursor_cycles.windows(2).zip(&self.between_cycles) {
            text += &format!("cycle {} to cycle {}: {cycles} cycles\n", pair[0], pair[1]);
        }
        text
    }
}
