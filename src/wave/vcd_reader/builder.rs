//! Checks what commands say together, and makes a waveform of them.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::changes::{Change, Changes};
use super::super::timescale::Timescale;
use super::super::value::{Bit, WaveValue};
use super::super::waveform::{SignalKind, WaveScope, WaveSignal, Waveform};
use super::{MAX_DEPTH, MAX_WIDTH, Mistake};

/// A waveform as its commands are taken in.
#[derive(Default)]
pub(super) struct Builder {
    wave: Waveform,
    /// The list of changes of every identifier code, and the signal that
    /// declared it first.
    codes: HashMap<vcd::IdCode, (usize, usize)>,
    /// The identifier code of every list of changes.
    code_of: Vec<vcd::IdCode>,
    /// The innermost open scope.
    scope: Option<usize>,
    depth: usize,
    defined: bool,
    now: u64,
    /// Of changes before this time only the last one is kept.
    keep_from: u64,
    /// For every list of changes, whether it stays empty; all are kept when there are
    /// no entries.
    dropped: Vec<bool>,
    /// Whether what follows are the values that signals hold, as in `$dumpvars`.
    in_snapshot: bool,
    bits: Vec<Bit>,
    texts: HashMap<String, Arc<str>>,
}

impl Builder {
    /// What has been taken in.
    pub(super) fn wave(&self) -> &Waveform {
        &self.wave
    }

    /// Whether everything is declared.
    pub(super) fn is_defined(&self) -> bool {
        self.defined
    }

    /// The last time.
    pub(super) fn now(&self) -> u64 {
        self.now
    }

    /// From now on keeps changes of these signals only, and of those before `time` no
    /// more than the last one of each signal. Gives the identifier codes of which no
    /// change is kept.
    pub(super) fn keep(&mut self, kept: &[bool], time: u64) -> impl Iterator<Item = vcd::IdCode> {
        self.keep_from = time;
        self.dropped = vec![true; self.wave.streams.len()];
        for (signal, _) in self
            .wave
            .signals
            .iter()
            .zip(kept)
            .filter(|(_, kept)| **kept)
        {
            self.dropped[signal.stream] = false;
        }
        for (changes, dropped) in self.wave.streams.iter_mut().zip(&self.dropped) {
            let before = time
                .checked_sub(1)
                .map_or(0, |last| changes.count_until(last));
            match dropped {
                true => changes.clear(),
                false => changes.drop_first(before.saturating_sub(1)),
            }
        }
        let codes = self.code_of.iter().zip(&self.dropped);
        codes
            .filter(|(_, dropped)| **dropped)
            .map(|(code, _)| *code)
    }

    /// Takes in that a signal changed that is not kept.
    pub(super) fn changed(&mut self) {
        self.wave.last_change = self.now;
    }

    /// Takes in a command.
    pub(super) fn take(&mut self, command: vcd::Command) -> Result<(), Mistake> {
        use vcd::Command;
        match command {
            Command::Timescale(count, unit) => self.timescale(count, unit),
            Command::ScopeDef(_, name) => self.open_scope(name),
            Command::Upscope => self.close_scope(),
            Command::VarDef(kind, width, code, name, index) => {
                self.declaring("$var")?;
                self.declare(kind, width, code, name, index)
            }
            Command::Enddefinitions => self.end_definitions(),
            Command::Timestamp(time) => self.advance(time),
            Command::ChangeScalar(code, value) => {
                self.bits.clear();
                self.bits.push(bit(value));
                self.change_bits(code)
            }
            Command::ChangeVector(code, vector) => {
                self.bits.clear();
                self.bits.extend(vector.iter().map(bit));
                self.change_bits(code)
            }
            Command::ChangeReal(code, value) => {
                self.change(code, SignalKind::Real, WaveValue::Real(value))
            }
            Command::ChangeString(code, text) => {
                let text = self.shared(text);
                self.change(code, SignalKind::Text, WaveValue::Text(text))
            }
            Command::Begin(_) => {
                self.in_snapshot = true;
                Ok(())
            }
            Command::End(_) => {
                self.in_snapshot = false;
                Ok(())
            }
            // Dates, versions and comments say nothing of the waveform, and
            // what `$dumpvars` and the like enclose are ordinary changes.
            _ => Ok(()),
        }
    }

    /// Takes in the unit of time.
    fn timescale(&mut self, count: u32, unit: vcd::TimescaleUnit) -> Result<(), Mistake> {
        if count == 0 {
            return Err((
                "the timescale is 0".into(),
                "expected 1, 10 or 100 of a unit",
            ));
        }
        self.wave.timescale = Some(Timescale {
            count,
            unit: unit.into(),
        });
        Ok(())
    }

    /// Opens a scope inside the innermost open one.
    fn open_scope(&mut self, name: String) -> Result<(), Mistake> {
        self.declaring("$scope")?;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err((
                format!("scope `{name}` lies in {MAX_DEPTH} others"),
                "expected at most 256 scopes within each other",
            ));
        }
        self.wave.scopes.push(WaveScope {
            name,
            parent: self.scope,
        });
        self.scope = Some(self.wave.scopes.len() - 1);
        Ok(())
    }

    /// Closes the innermost open scope.
    fn close_scope(&mut self) -> Result<(), Mistake> {
        let Some(scope) = self.scope else {
            return Err(("`$upscope` without an open `$scope`".into(), ""));
        };
        self.scope = self.wave.scopes[scope].parent;
        self.depth -= 1;
        Ok(())
    }

    /// Ends the declarations.
    fn end_definitions(&mut self) -> Result<(), Mistake> {
        if self.scope.is_some() {
            return Err((
                "`$enddefinitions` inside a scope".into(),
                "close every `$scope` with `$upscope $end`",
            ));
        }
        self.defined = true;
        Ok(())
    }

    /// Goes on to a time, which is not before the last one.
    fn advance(&mut self, time: u64) -> Result<(), Mistake> {
        if time < self.now {
            let now = self.now;
            return Err((
                format!("time {time} comes after time {now}"),
                "times must not fall",
            ));
        }
        self.now = time;
        Ok(())
    }

    /// The text, in the one copy that all changes to it share.
    fn shared(&mut self, text: String) -> Arc<str> {
        match self.texts.get(&text) {
            Some(shared) => shared.clone(),
            None => {
                let shared: Arc<str> = text.as_str().into();
                self.texts.insert(text, shared.clone());
                shared
            }
        }
    }

    /// Refuses a declaration behind the end of all declarations.
    fn declaring(&self, what: &str) -> Result<(), Mistake> {
        if self.defined {
            return Err((format!("`{what}` after `$enddefinitions`"), ""));
        }
        Ok(())
    }

    fn declare(
        &mut self,
        kind: vcd::VarType,
        width: u32,
        code: vcd::IdCode,
        name: String,
        index: Option<vcd::ReferenceIndex>,
    ) -> Result<(), Mistake> {
        let kind = match kind {
            vcd::VarType::String => SignalKind::Text,
            vcd::VarType::Real => SignalKind::Real,
            vcd::VarType::Event => SignalKind::Event,
            _ => SignalKind::Bits,
        };
        if kind == SignalKind::Bits && !(1..=MAX_WIDTH).contains(&width) {
            return Err((
                format!("variable `{name}` is {width} bits wide"),
                "expected 1 to 65536 bits",
            ));
        }
        let whole = format!("[{}:0]", width - width.min(1));
        let name = match index {
            // GHDL writes no blank before it.
            None => match name.strip_suffix(&whole) {
                Some(name) if !name.is_empty() => name.to_owned(),
                _ => name,
            },
            Some(vcd::ReferenceIndex::Range(high, 0))
                if i64::from(high) == i64::from(width) - 1 =>
            {
                name
            }
            Some(index) => format!("{name}{index}"),
        };
        let signal = self.wave.signals.len();
        let streams = self.wave.streams.len();
        let &mut (stream, first) = self.codes.entry(code).or_insert((streams, signal));
        if stream == streams {
            self.wave.streams.push(Changes::default());
            self.code_of.push(code);
        } else {
            let other = &self.wave.signals[first];
            if other.kind != kind || other.width != width {
                return Err((
                    format!(
                        "variable `{name}` has the identifier code `{code}` of `{}`, \
                         which is of another width or type",
                        other.name
                    ),
                    "variables with one code are one signal",
                ));
            }
        }
        self.wave.signals.push(WaveSignal {
            scope: self.scope,
            name,
            width,
            kind,
            stream,
        });
        Ok(())
    }

    fn change_bits(&mut self, code: vcd::IdCode) -> Result<(), Mistake> {
        let value = WaveValue::from_bits(&self.bits);
        self.change(code, SignalKind::Bits, value)
    }

    fn change(
        &mut self,
        code: vcd::IdCode,
        kind: SignalKind,
        value: WaveValue,
    ) -> Result<(), Mistake> {
        let Some(&(stream, first)) = self.codes.get(&code) else {
            return Err((
                format!("no variable has the identifier code `{code}`"),
                "declare it with `$var` before `$enddefinitions`",
            ));
        };
        let signal = &self.wave.signals[first];
        let (kind, value) = match (signal.kind, kind) {
            (SignalKind::Event, SignalKind::Bits) => {
                // An event holds nothing that `$dumpvars` and the like could show.
                if self.in_snapshot || value != WaveValue::Known(1) {
                    return Ok(());
                }
                (SignalKind::Event, WaveValue::Fired)
            }
            _ => (kind, value),
        };
        if signal.kind != kind {
            return Err((
                format!(
                    "variable `{}` is declared as {} and given {}",
                    signal.name,
                    noun(signal.kind),
                    noun(kind)
                ),
                "",
            ));
        }
        let width = match &value {
            WaveValue::Known(value) => 64 - value.leading_zeros(),
            WaveValue::Bits(bits) => u32::try_from(bits.len()).unwrap_or(u32::MAX),
            WaveValue::Text(_) | WaveValue::Real(_) | WaveValue::Fired => 0,
        };
        if width > signal.width && kind == SignalKind::Bits {
            return Err((
                format!(
                    "a value of {width} bits for variable `{}`, which has {}",
                    signal.name, signal.width
                ),
                "",
            ));
        }
        self.wave.last_change = self.now;
        if self.dropped.get(stream) == Some(&true) {
            return Ok(());
        }
        let change = Change {
            time: self.now,
            value,
        };
        self.wave.streams[stream].take(self.keep_from, change);
        Ok(())
    }

    /// The waveform, which ends at the last time.
    pub(super) fn finish(self) -> Waveform {
        let mut wave = self.wave;
        wave.end = self.now;
        wave
    }
}

pub(super) fn bit(value: vcd::Value) -> Bit {
    match value {
        vcd::Value::V0 => Bit::Zero,
        vcd::Value::V1 => Bit::One,
        vcd::Value::X => Bit::X,
        vcd::Value::Z => Bit::Z,
    }
}

fn noun(kind: SignalKind) -> &'static str {
    match kind {
        SignalKind::Bits => "bits",
        SignalKind::Text => "a string",
        SignalKind::Real => "a real number",
        SignalKind::Event => "an event",
    }
}
