//! Checks what commands say together, and makes a waveform of them.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::super::changes::{Change, Changes};
use super::super::enumerations::{self, Enumerations, ValueNames};
use super::super::signal_name::{SignalName, signal_name};
use super::super::timescale::Timescale;
use super::super::value::{Bit, WaveValue};
use super::super::waveform::{SignalKind, WaveScope, WaveSignal, Waveform};
use super::codes::Codes;
use super::{MAX_DEPTH, MAX_WIDTH, VcdMistake};
use crosswave_base::diagnostic::Diagnostic;

/// A waveform as its commands are taken in.
#[derive(Default)]
pub(super) struct Builder {
    wave: Waveform,
    codes: Codes,
    /// The identifier codes of variables that are too wide to be read.
    left_out: BTreeSet<Box<[u8]>>,
    /// Every list of changes that has an identifier code. Lists of names stand behind theirs.
    streams: Vec<Stream>,
    enumerations: Enumerations,
    /// The open scopes, from the top; `None` for one without a name, which is no level.
    open: Vec<Option<usize>>,
    defined: bool,
    now: u64,
    /// Time before which only the last change is kept.
    keep_from: u64,
    /// For every list of changes, whether it stays empty; all are kept when there are
    /// no entries.
    dropped: Vec<bool>,
    /// Since when what follows are the values that signals hold, as in `$dumpvars`.
    snapshot: Option<u64>,
    texts: HashMap<String, Arc<str>>,
}

/// Properties of a list of changes.
struct Stream {
    /// The identifier code; none of a list of names.
    code: Option<Box<[u8]>>,
    /// The signal that declared it first.
    first: usize,
    /// True when a value was given that tells the kind of the signal: one other than X and Z.
    is_given: bool,
    /// The lists of names of its values.
    named: Vec<(usize, Arc<ValueNames>)>,
}

impl Builder {
    /// The waveform as it has been read so far.
    pub(super) fn wave(&self) -> &Waveform {
        &self.wave
    }

    /// True when everything is declared.
    pub(super) fn is_defined(&self) -> bool {
        self.defined
    }

    /// The last time.
    pub(super) fn now(&self) -> u64 {
        self.now
    }

    /// Takes in that something is not as it should be.
    pub(super) fn warn(&mut self, warning: Diagnostic) {
        self.wave.warnings.push(warning);
    }

    /// From now on keeps changes of these signals only, and of those before `time` no
    /// more than the last one of each signal. Gives the identifier codes of which no
    /// change is kept.
    pub(super) fn keep(&mut self, kept: &[bool], time: u64) -> impl Iterator<Item = &[u8]> {
        self.keep_from = time;
        self.dropped = vec![true; self.wave.streams.len()];
        let signals = self.wave.signals.iter().zip(kept);
        for (signal, _) in signals.filter(|(_, kept)| **kept) {
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
        let dropped = &self.dropped;
        let is_dropped = |(at, stream): &(usize, &Stream)| {
            dropped[*at] && stream.named.iter().all(|(of, _)| dropped[*of])
        };
        let streams = self.streams.iter().enumerate().filter(is_dropped);
        let codes: Vec<&[u8]> = streams
            .filter_map(|(_, stream)| stream.code.as_deref())
            .collect();
        codes.into_iter()
    }

    /// Takes in that a signal changed that is not kept.
    pub(super) fn changed(&mut self) {
        self.wave.last_change = self.now;
    }

    /// Takes in that values follow that signals hold, as in `$dumpvars`.
    pub(super) fn begin_snapshot(&mut self) {
        self.snapshot = Some(self.now);
    }

    /// Ends them; fails where they did not begin.
    pub(super) fn end_snapshot(&mut self) -> Result<(), VcdMistake> {
        match self.snapshot.take() {
            Some(_) => Ok(()),
            None => Err(("unmatched `$end`".into(), "")),
        }
    }

    /// Takes in the unit of time.
    pub(super) fn timescale(&mut self, timescale: Timescale) -> Result<(), VcdMistake> {
        if timescale.count == 0 {
            return Err((
                "the timescale is 0".into(),
                "expected 1, 10 or 100 of a unit",
            ));
        }
        self.wave.timescale = Some(timescale);
        Ok(())
    }

    /// Takes in an attribute: its words up to its number, and that.
    pub(super) fn attribute(&mut self, words: &[String], number: u64) {
        if let [kind, subtype, text @ ..] = words
            && (kind.as_str(), subtype.as_str()) == ("misc", "07")
        {
            let text = text.iter().map(String::as_str);
            self.enumerations.attribute(text, number);
        }
    }

    /// Opens a scope inside the innermost open one.
    pub(super) fn open_scope(&mut self, name: String) -> Result<(), VcdMistake> {
        self.declaring("$scope")?;
        if self.open.len() >= MAX_DEPTH {
            return Err((
                format!("scope `{name}` lies in {MAX_DEPTH} others"),
                "expected at most 256 scopes within each other",
            ));
        }
        let is_named = !name.is_empty();
        if is_named {
            let parent = self.scope();
            self.wave.scopes.push(WaveScope { name, parent });
        }
        self.open.push(is_named.then(|| self.wave.scopes.len() - 1));
        Ok(())
    }

    /// The innermost open scope that has a name.
    fn scope(&self) -> Option<usize> {
        self.open.iter().rev().find_map(|scope| *scope)
    }

    /// Closes the innermost open scope.
    pub(super) fn close_scope(&mut self) -> Result<(), VcdMistake> {
        self.declaring("$upscope")?;
        match self.open.pop() {
            Some(_) => Ok(()),
            None => Err(("`$upscope` without an open `$scope`".into(), "")),
        }
    }

    /// Ends the declarations.
    pub(super) fn end_definitions(&mut self) -> Result<(), VcdMistake> {
        if !self.open.is_empty() {
            return Err((
                "`$enddefinitions` inside a scope".into(),
                "close every `$scope` with `$upscope $end`",
            ));
        }
        self.defined = true;
        Ok(())
    }

    /// Goes on to a time, which is not before the last one.
    pub(super) fn advance(&mut self, time: u64) -> Result<(), VcdMistake> {
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
    pub(super) fn shared(&mut self, text: &str) -> Arc<str> {
        match self.texts.get(text) {
            Some(shared) => shared.clone(),
            None => {
                let shared: Arc<str> = text.into();
                self.texts.insert(text.to_owned(), shared.clone());
                shared
            }
        }
    }

    /// Refuses a declaration behind the end of all declarations.
    fn declaring(&self, what: &str) -> Result<(), VcdMistake> {
        if self.defined {
            return Err((format!("`{what}` after `$enddefinitions`"), ""));
        }
        Ok(())
    }

    /// Takes in a variable of a type, with a name in which its index may stand.
    pub(super) fn declare(
        &mut self,
        kind: &str,
        width: u32,
        code: &[u8],
        name: &str,
    ) -> Result<(), VcdMistake> {
        self.declaring("$var")?;
        let kind = match kind {
            "string" => SignalKind::Text,
            "real" | "realtime" | "shortreal" | "real_parameter" | "real_time" => SignalKind::Real,
            "event" => SignalKind::Event,
            // It has no bits, and what some tools write of it is text.
            _ if width == 0 => SignalKind::Text,
            _ => SignalKind::Bits,
        };
        let SignalName { name, had_range } = signal_name(name, width);
        if kind == SignalKind::Bits && width > MAX_WIDTH {
            self.leave_out(width, code, &name);
            return Ok(());
        }
        let signal = self.wave.signals.len();
        let stream = match self.codes.find(code) {
            Some(stream) => {
                let other = &self.wave.signals[self.streams[stream].first];
                let has_width = kind == SignalKind::Bits;
                if other.kind != kind || has_width && other.width != width {
                    return Err((
                        format!(
                            "variable `{name}` has the identifier code `{}` of `{}`, \
                             which is of another width or type",
                            String::from_utf8_lossy(code),
                            other.name
                        ),
                        "variables with one code are one signal",
                    ));
                }
                stream
            }
            None => {
                let stream = self.stream(Some(code.into()), signal);
                self.codes.insert(code, stream);
                stream
            }
        };
        let names = self.enumerations.take();
        let scope = self.scope();
        if let (Some(names), SignalKind::Bits) = (names, kind) {
            let of_names = self.stream(None, signal + 1);
            self.streams[stream].named.push((of_names, names));
            self.wave.signals.push(WaveSignal {
                scope,
                name: name.clone(),
                had_range,
                width,
                kind,
                stream,
            });
            self.wave.signals.push(WaveSignal {
                scope,
                name: format!("{name}_name"),
                had_range: false,
                width: 1,
                kind: SignalKind::Text,
                stream: of_names,
            });
            return Ok(());
        }
        self.wave.signals.push(WaveSignal {
            scope,
            name,
            had_range,
            width,
            kind,
            stream,
        });
        Ok(())
    }

    /// Leaves out a variable that is too wide.
    fn leave_out(&mut self, width: u32, code: &[u8], name: &str) {
        drop(self.enumerations.take());
        self.left_out.insert(code.into());
        let scope = self.scope().map(|scope| self.wave.scope_path(scope));
        let path = scope.map_or_else(|| name.to_owned(), |scope| format!("{scope}.{name}"));
        let message = format!("it is {width} bits wide, and left out");
        let help = "variables of up to 65536 bits are read";
        self.warn(Diagnostic::new(format!("variable `{path}`"), message, help));
    }

    /// A new list of changes.
    fn stream(&mut self, code: Option<Box<[u8]>>, first: usize) -> usize {
        self.wave.streams.push(Changes::default());
        self.streams.push(Stream {
            code,
            first,
            is_given: false,
            named: Vec::new(),
        });
        self.streams.len() - 1
    }

    /// True when an identifier code is declared.
    pub(super) fn is_code(&self, code: &[u8]) -> bool {
        self.codes.find(code).is_some() || self.is_left_out(code)
    }

    /// True when an identifier code is that of a variable that is too wide.
    pub(super) fn is_left_out(&self, code: &[u8]) -> bool {
        self.left_out.contains(code)
    }

    /// Takes in the value of what has an identifier code.
    pub(super) fn change(&mut self, code: &[u8], value: WaveValue) -> Result<(), VcdMistake> {
        let Some(stream) = self.codes.find(code) else {
            if self.is_left_out(code) {
                return Ok(());
            }
            let code = String::from_utf8_lossy(code);
            return Err((
                format!("no variable has the identifier code `{code}`"),
                "declare it with `$var` before `$enddefinitions`",
            ));
        };
        let Some(value) = self.fitting(stream, value)? else {
            return Ok(());
        };
        self.streams[stream].is_given |= !says_nothing(&value);
        self.wave.last_change = self.now;
        for at in 0..self.streams[stream].named.len() {
            let (of, names) = &self.streams[stream].named[at];
            let text = WaveValue::Text(enumerations::name(&value, names));
            self.put(*of, text);
        }
        self.put(stream, value);
        Ok(())
    }

    fn put(&mut self, stream: usize, value: WaveValue) {
        if self.dropped.get(stream) != Some(&true) {
            let time = self.now;
            let change = Change { time, value };
            self.wave.streams[stream].take(self.keep_from, change);
        }
    }

    /// A value as one of the signal's kind; `None` where it says nothing.
    fn fitting(
        &mut self,
        stream: usize,
        value: WaveValue,
    ) -> Result<Option<WaveValue>, VcdMistake> {
        use SignalKind as Kind;
        let signal = &self.wave.signals[self.streams[stream].first];
        match (signal.kind, &value) {
            (Kind::Text, WaveValue::Text(_)) | (Kind::Real, WaveValue::Real(_)) => Ok(Some(value)),
            (Kind::Bits, WaveValue::Known(_) | WaveValue::Bits(_)) => {
                let width = width(&value);
                if width > signal.width {
                    return Err((
                        format!(
                            "a value of {width} bits for variable `{}`, which has {}",
                            signal.name, signal.width
                        ),
                        "",
                    ));
                }
                Ok(Some(value))
            }
            (Kind::Event, WaveValue::Known(1)) => {
                // An event holds nothing that `$dumpvars` and the like could show.
                let is_held = self.snapshot == Some(self.now);
                Ok((!is_held).then_some(WaveValue::Fired))
            }
            (Kind::Event, WaveValue::Known(_) | WaveValue::Bits(_)) => Ok(None),
            (Kind::Real, WaveValue::Known(value)) => Ok(Some(WaveValue::Real(*value as f64))),
            (Kind::Real, WaveValue::Bits(_)) => Ok(Some(WaveValue::Real(f64::NAN))),
            (Kind::Text, WaveValue::Known(_) | WaveValue::Bits(_)) if signal.width == 0 => Ok(None),
            (Kind::Text, WaveValue::Known(_) | WaveValue::Bits(_)) => Ok(Some(text(&value))),
            // Some tools declare everything as bits.
            (Kind::Bits, WaveValue::Text(_)) if !self.streams[stream].is_given => {
                self.set_kind(stream, Kind::Text);
                Ok(Some(value))
            }
            (Kind::Bits, WaveValue::Real(_)) if !self.streams[stream].is_given => {
                self.set_kind(stream, Kind::Real);
                Ok(Some(value))
            }
            (kind, _) => Err((
                format!(
                    "variable `{}` is declared as {} and given {}",
                    signal.name,
                    noun(kind),
                    noun(kind_of(&value))
                ),
                "",
            )),
        }
    }

    fn set_kind(&mut self, stream: usize, kind: SignalKind) {
        let signals = self.wave.signals.iter_mut();
        for signal in signals.filter(|signal| signal.stream == stream) {
            signal.kind = kind;
        }
        // The values that it has shown so far are X or Z.
        let changes = std::mem::take(&mut self.wave.streams[stream]);
        for Change { time, value } in changes.iter() {
            let value = match kind {
                SignalKind::Real => WaveValue::Real(f64::NAN),
                _ => text(&value),
            };
            self.wave.streams[stream].take(self.keep_from, Change { time, value });
        }
    }

    /// The waveform, which ends at the last time.
    pub(super) fn finish(mut self) -> Waveform {
        self.set_end();
        self.wave
    }

    /// Makes the current time the end of the waveform.
    pub(super) fn set_end(&mut self) {
        self.wave.end = self.now;
    }
}

/// True when bits are all X or all Z, as those are that nothing was given yet.
fn says_nothing(value: &WaveValue) -> bool {
    matches!(value, WaveValue::Bits(bits) if matches!(**bits, [Bit::X | Bit::Z]))
}

/// The text of a vector: its digits, and `X` where all are not known.
fn text(value: &WaveValue) -> WaveValue {
    let digits = match value.is_unknown() {
        true => None,
        false => value.binary(width(value).max(1)),
    };
    WaveValue::Text(digits.as_deref().unwrap_or("X").into())
}

/// The bits that a vector needs.
fn width(value: &WaveValue) -> u32 {
    match value {
        WaveValue::Known(value) => 64 - value.leading_zeros(),
        WaveValue::Bits(bits) => u32::try_from(bits.len()).unwrap_or(u32::MAX),
        WaveValue::Text(_) | WaveValue::Real(_) | WaveValue::Fired => 0,
    }
}

/// The bit of a digit, also of those that only VHDL's `std_logic` has: `L` and `H` are weak 0
/// and 1, and `U`, `W` and `-` are not known.
pub(super) fn bit(digit: u8) -> Option<Bit> {
    match digit {
        b'0' | b'L' => Some(Bit::Zero),
        b'1' | b'H' => Some(Bit::One),
        b'z' | b'Z' => Some(Bit::Z),
        b'x' | b'X' | b'U' | b'W' | b'-' => Some(Bit::X),
        _ => None,
    }
}

fn kind_of(value: &WaveValue) -> SignalKind {
    match value {
        WaveValue::Known(_) | WaveValue::Bits(_) => SignalKind::Bits,
        WaveValue::Text(_) => SignalKind::Text,
        WaveValue::Real(_) => SignalKind::Real,
        WaveValue::Fired => SignalKind::Event,
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
