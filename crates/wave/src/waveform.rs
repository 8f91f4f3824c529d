//! A waveform in memory: scopes, signals, and the [`Changes`] of each.
//!
//! Signals that share an identifier code in the file share one list of changes.

use std::borrow::Cow;

use super::changes::{Change, Changes};
use super::timescale::Timescale;
use super::value::WaveValue;
use crosswave_base::diagnostic::Diagnostic;
use crosswave_probe::signal::Hierarchy;

/// The kind of values that a signal takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalKind {
    /// A vector of bits; a scalar is one of width 1.
    Bits,
    /// Strings.
    Text,
    /// Real numbers.
    Real,
    /// No values: it fires at some times.
    Event,
}

/// A scope of a waveform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaveScope {
    /// The instance name.
    pub name: String,
    /// Index of the enclosing scope, which is smaller; `None` for the top.
    pub parent: Option<usize>,
}

/// A signal of a waveform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaveSignal {
    /// Index of the scope it lies in; `None` when it lies in none.
    pub scope: Option<usize>,
    /// The name; a range `[width-1:0]` is left off, any other index is part of it.
    pub name: String,
    /// True when a range was left off.
    pub had_range: bool,
    /// Width in bits, from 1; meaningless for what has no bits.
    pub width: u32,
    /// The kind of its values.
    pub kind: SignalKind,
    /// Index of its list of changes.
    pub stream: usize,
}

/// A waveform: what [`read`](super::vcd_reader::read) returns.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Waveform {
    /// The unit of times, when the file says it.
    pub timescale: Option<Timescale>,
    /// The scopes; a scope comes before those it encloses.
    pub scopes: Vec<WaveScope>,
    /// The signals, in order of declaration.
    pub signals: Vec<WaveSignal>,
    /// The changes, sorted by time; see [`WaveSignal::stream`].
    pub streams: Vec<Changes>,
    /// The last time in the file.
    pub end: u64,
    /// The last time at which a signal changed.
    pub last_change: u64,
    /// Irregularities of the file that did not keep it from being read.
    pub warnings: Vec<Diagnostic>,
}

impl Waveform {
    /// The changes of a signal, sorted by time.
    pub fn changes(&self, signal: usize) -> &Changes {
        &self.streams[self.signals[signal].stream]
    }

    /// The value of a signal at `time`, after all changes at that time; `None`
    /// before its first value, and of an event that does not fire at that time.
    pub fn value_at(&self, signal: usize, time: u64) -> Option<WaveValue> {
        let changes = self.changes(signal);
        let last = changes.count_until(time).checked_sub(1)?;
        let is_event = self.signals[signal].kind == SignalKind::Event;
        (!is_event || changes.time(last) == time).then(|| changes.value(last))
    }

    /// The signal with the names of what a signal shows: the text `NAME_name` that is declared
    /// after it in the same scope.
    pub fn names_of(&self, signal: usize) -> Option<usize> {
        let (named, names) = (&self.signals[signal], self.signals.get(signal + 1)?);
        let are_names = names.kind == SignalKind::Text
            && named.kind == SignalKind::Bits
            && names.scope == named.scope
            && names.name.strip_suffix("_name") == Some(&named.name);
        are_names.then_some(signal + 1)
    }

    /// The number of cycles of `period`, of which the first starts at the time `phase`.
    /// A cycle that would start when the waveform ends is none, unless something
    /// changes at that time.
    ///
    /// # Panics
    /// When the period is 0.
    pub fn cycles(&self, period: u64, phase: u64) -> u64 {
        let Some(length) = self.end.checked_sub(phase) else {
            return 0;
        };
        match length.is_multiple_of(period) && self.last_change < self.end {
            true => length / period,
            false => (length / period).saturating_add(1),
        }
    }

    /// Shows in each cycle what signals show at its end: of several changes within a cycle the last one counts,
    /// from the beginning of the cycle on. Cycles last `period`, and the first begins at the time `phase`.
    ///
    /// # Panics
    /// When the period is 0.
    pub fn show_cycle_ends(&mut self, period: u64, phase: u64) {
        let begins = |time: u64| match time.checked_sub(phase) {
            Some(later) => time - later % period,
            None => 0,
        };
        for stream in &mut self.streams {
            let mut shown = Changes::default();
            for Change { time, value } in stream.iter() {
                let time = begins(time);
                shown.take(0, Change { time, value });
            }
            *stream = shown;
        }
        self.last_change = begins(self.last_change);
    }

    /// The dotted path of a scope, from the top.
    pub fn scope_path(&self, scope: usize) -> String {
        let mut names = Vec::new();
        let mut at = Some(scope);
        while let Some(scope) = at {
            names.push(self.scopes[scope].name.as_str());
            at = self.scopes[scope].parent;
        }
        names.reverse();
        names.join(".")
    }

    /// The dotted path of a signal, from the top.
    pub fn path(&self, signal: usize) -> String {
        let signal = &self.signals[signal];
        match signal.scope {
            Some(scope) => format!("{}.{}", self.scope_path(scope), signal.name),
            None => signal.name.clone(),
        }
    }

    /// The signal with this dotted path.
    pub fn find(&self, path: &str) -> Option<usize> {
        (0..self.signals.len())
            .filter(|&signal| path.ends_with(self.signals[signal].name.as_str()))
            .find(|&signal| self.path(signal) == path)
    }
}

impl Hierarchy for Waveform {
    fn scope_count(&self) -> usize {
        self.scopes.len()
    }

    fn scope_name(&self, scope: usize) -> Cow<'_, str> {
        Cow::Borrowed(&self.scopes[scope].name)
    }

    fn parent(&self, scope: usize) -> Option<usize> {
        self.scopes[scope].parent
    }

    fn signal_count(&self) -> usize {
        self.signals.len()
    }

    fn signal(&self, signal: usize) -> (&str, Option<usize>) {
        (&self.signals[signal].name, self.signals[signal].scope)
    }
}
