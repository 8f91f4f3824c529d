//! The scopes and signals of a waveform, as text and as JSON.

use serde::Serialize;

use super::super::output::{self, JsonArgs};
use crosswave_base::diagnostic::Error;
use crosswave_base::escape;
use crosswave_wave::{SignalKind, Waveform};

/// The JSON of a list.
#[derive(Serialize)]
struct List {
    /// The unit of times, as `1 ns`; null when the file does not say it.
    timescale: Option<String>,
    scopes: Vec<Scope>,
}

#[derive(Serialize)]
struct Scope {
    /// Dotted; empty for signals outside of all scopes.
    path: String,
    signals: Vec<Signal>,
}

#[derive(Serialize)]
struct Signal {
    name: String,
    /// The width in bits; null for what has none.
    width: Option<u32>,
    /// `bits`, `text`, `real` or `event`.
    kind: &'static str,
}

/// Prints the signals that are kept, scope by scope, in lines of `columns` characters,
/// or writes them as JSON.
pub(super) fn list(
    wave: &Waveform,
    kept: &[bool],
    json: &JsonArgs,
    columns: usize,
) -> Result<(), Error> {
    let list = List {
        timescale: wave.timescale.map(|timescale| timescale.to_string()),
        scopes: scopes(wave, kept),
    };
    match json.json {
        Some(_) => json.write(&list),
        None => output::print(&text(&list, columns)),
    }
}

/// The scopes in which signals are kept, in order of declaration.
fn scopes(wave: &Waveform, kept: &[bool]) -> Vec<Scope> {
    let mut scopes: Vec<Scope> = Vec::new();
    let mut last = None;
    for (signal, _) in wave.signals.iter().zip(kept).filter(|(_, kept)| **kept) {
        if last != Some(signal.scope) {
            last = Some(signal.scope);
            let path = signal.scope.map(|scope| wave.scope_path(scope));
            scopes.push(Scope {
                path: path.unwrap_or_default(),
                signals: Vec::new(),
            });
        }
        let signals = &mut scopes.last_mut().expect("one was pushed").signals;
        signals.push(Signal {
            name: signal.name.clone(),
            width: (signal.kind == SignalKind::Bits).then_some(signal.width),
            kind: match signal.kind {
                SignalKind::Bits => "bits",
                SignalKind::Text => "text",
                SignalKind::Real => "real",
                SignalKind::Event => "event",
            },
        });
    }
    scopes
}

fn text(list: &List, columns: usize) -> String {
    let mut text = String::new();
    for scope in &list.scopes {
        if !scope.path.is_empty() {
            text += &escape::line(&scope.path);
            text.push('\n');
        }
        let mut used = 0;
        for signal in &scope.signals {
            let name = escape::line(&signal.name);
            let shown = match signal.width {
                Some(1) | None => name.into_owned(),
                Some(width) => format!("{name}[{width}]"),
            };
            let length = shown.chars().count() + 2;
            if used > 0 && used + length > columns {
                text.push('\n');
                used = 0;
            }
            text += "  ";
            text += &shown;
            used += length;
        }
        text.push('\n');
    }
    text
}
