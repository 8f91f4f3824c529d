//! Reads a VCD file into a [`Waveform`].
//!
//! The `vcd` crate cuts the bytes into commands; this module checks what they
//! say together. The format is in [`vcd_writer`](super::vcd_writer). Accepted
//! besides: values before the first time, which then is 0; `$dumpall`,
//! `$dumpon`, `$dumpoff`; several variables with one identifier code; comments
//! anywhere; a last line without a line end.
//!
//! # Limits
//! - Vectors of up to 65,536 bits; scopes up to 256 deep.
//! - Whatever the `vcd` crate does not know is an error: scope types other than
//!   those of Verilog, the `$attrbegin` of some tools, and extended VCD.
//!
//! # Cost
//! About 170 ns and 32 bytes of memory per change, most of it in the `vcd` crate. The nesting of scopes costs
//! no stack, a width costs no memory, and a value never takes more than a small
//! multiple of the bytes it has in the file, so a hostile file cannot do more
//! than its length allows.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use super::timescale::Timescale;
use super::waveform::{Bit, Change, SignalKind, WaveScope, WaveSignal, WaveValue, Waveform};
use crate::diagnostic::{Class, Diagnostic, Report};

#[cfg(test)]
mod tests;

/// The widest vector that is read.
pub const MAX_WIDTH: u32 = 1 << 16;

/// The deepest nesting of scopes that is read.
pub const MAX_DEPTH: usize = 256;

/// Reads the bytes of a VCD file; `origin` names them in diagnostics.
///
/// # Errors
/// A report of [`Class::Input`] with the line of the first mistake.
///
/// ```
/// let text = "$scope module top $end $var wire 4 ! d $end $upscope $end
/// $enddefinitions $end #5 b101 !";
/// let wave = crosswave::wave::read("example", text.as_bytes()).unwrap();
/// assert_eq!(wave.path(0), "top.d");
/// assert_eq!(wave.changes(0)[0].value.binary(4).unwrap(), "0101");
///
/// let report = crosswave::wave::read("example", b"\n#5 1?").unwrap_err();
/// assert_eq!(report.diagnostics[0].place, "line 2");
/// ```
pub fn read(origin: &str, bytes: &[u8]) -> Result<Waveform, Report> {
    read_from(origin, bytes)
}

/// Reads a VCD file.
///
/// # Errors
/// As [`read`], and a report of [`Class::Io`] when the file cannot be read.
pub fn read_file(path: &Path) -> Result<Waveform, Report> {
    let file = File::open(path).map_err(|error| Report::io(path, "opening", &error))?;
    read_from(&path.display().to_string(), BufReader::new(file))
}

/// Reads VCD from a stream; `origin` names it in diagnostics.
///
/// # Errors
/// As [`read`], and a report of [`Class::Io`] when the stream fails.
pub fn read_from(origin: &str, input: impl BufRead) -> Result<Waveform, Report> {
    // The parser wants white space after the last word.
    let mut parser = vcd::Parser::new(input.chain(&b"\n"[..]));
    let mut builder = Builder::default();
    while let Some(command) = parser.next() {
        let line = |line: u64| format!("line {line}");
        match command {
            Ok(command) => builder
                .take(command)
                .map_err(|mistake| report(origin, line(parser.line()), mistake))?,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                let mistake = (
                    "the file ends in the middle of a command".into(),
                    "the program that wrote it was probably stopped; run it again",
                );
                return Err(report(origin, END.into(), mistake));
            }
            Err(error) => {
                let mistake = parse_error(origin, error)?;
                return Err(report(origin, line(parser.line()), mistake));
            }
        }
    }
    builder
        .finish()
        .map_err(|mistake| report(origin, END.into(), mistake))
}

/// What is wrong, and how to mend it.
type Mistake = (String, &'static str);

/// The place of what is missing.
const END: &str = "end of file";

fn report(origin: &str, place: String, (message, help): Mistake) -> Report {
    Report::one(Class::Input, origin, Diagnostic::new(place, message, help))
}

/// The mistake in the input that `error` tells of, or else the report that
/// reading failed.
fn parse_error(origin: &str, error: io::Error) -> Result<Mistake, Report> {
    use vcd::ParseErrorKind as Kind;
    if error.kind() != io::ErrorKind::InvalidData {
        return Err(Report::io(Path::new(origin), "reading", &error));
    }
    let inner = error.get_ref().and_then(|error| error.downcast_ref());
    let Some(error): Option<&vcd::ParseError> = inner else {
        return Ok((error.to_string(), ""));
    };
    let kind = error.kind();
    let message = match kind {
        Kind::ParseIntError(error) => format!("expected a whole number: {error}"),
        Kind::ParseFloatError(error) => format!("expected a number: {error}"),
        Kind::TokenTooLong => "a word is longer than any that may stand here".into(),
        _ => kind.to_string(),
    };
    let help = match kind {
        Kind::UnexpectedCharacter => "a change is `0!`, `b0101 !`, `r1.5 !` or `sNAME !`",
        Kind::UnknownCommand => "only commands of IEEE 1364 are read, not extended VCD",
        Kind::InvalidScopeType(_) => "the types are module, task, function, begin and fork",
        Kind::InvalidTimescaleUnit(_) => "the units are s, ms, us, ns, ps and fs",
        _ => "",
    };
    Ok((message, help))
}

#[derive(Default)]
struct Builder {
    wave: Waveform,
    /// The list of changes of every identifier code, and the signal that
    /// declared it first.
    codes: HashMap<vcd::IdCode, (usize, usize)>,
    /// The innermost open scope.
    scope: Option<usize>,
    depth: usize,
    defined: bool,
    now: u64,
    bits: Vec<Bit>,
    texts: HashMap<String, Arc<str>>,
}

impl Builder {
    fn take(&mut self, command: vcd::Command) -> Result<(), Mistake> {
        use vcd::Command;
        match command {
            Command::Timescale(count, unit) => {
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
            }
            Command::ScopeDef(_, name) => {
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
            }
            Command::Upscope => {
                let Some(scope) = self.scope else {
                    return Err(("`$upscope` without an open `$scope`".into(), ""));
                };
                self.scope = self.wave.scopes[scope].parent;
                self.depth -= 1;
            }
            Command::VarDef(kind, width, code, name, index) => {
                self.declaring("$var")?;
                self.declare(kind, width, code, name, index)?;
            }
            Command::Enddefinitions => {
                if self.scope.is_some() {
                    return Err((
                        "`$enddefinitions` inside a scope".into(),
                        "close every `$scope` with `$upscope $end`",
                    ));
                }
                self.defined = true;
            }
            Command::Timestamp(time) => {
                if time < self.now {
                    let now = self.now;
                    return Err((
                        format!("time {time} comes after time {now}"),
                        "times must not fall",
                    ));
                }
                self.now = time;
            }
            Command::ChangeScalar(code, value) => {
                self.bits.clear();
                self.bits.push(bit(value));
                self.change_bits(code)?;
            }
            Command::ChangeVector(code, vector) => {
                self.bits.clear();
                self.bits.extend(vector.iter().map(bit));
                self.change_bits(code)?;
            }
            Command::ChangeReal(code, value) => {
                self.change(code, SignalKind::Real, WaveValue::Real(value))?;
            }
            Command::ChangeString(code, text) => {
                let text = match self.texts.get(&text) {
                    Some(shared) => shared.clone(),
                    None => {
                        let shared: Arc<str> = text.as_str().into();
                        self.texts.insert(text, shared.clone());
                        shared
                    }
                };
                self.change(code, SignalKind::Text, WaveValue::Text(text))?;
            }
            // Dates, versions and comments say nothing of the waveform, and
            // what `$dumpvars` and the like enclose are ordinary changes.
            _ => {}
        }
        Ok(())
    }

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
            _ => SignalKind::Bits,
        };
        if kind == SignalKind::Bits && !(1..=MAX_WIDTH).contains(&width) {
            return Err((
                format!("variable `{name}` is {width} bits wide"),
                "expected 1 to 65536 bits",
            ));
        }
        let name = match index {
            None => name,
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
            self.wave.streams.push(Vec::new());
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
            WaveValue::Text(_) | WaveValue::Real(_) => 0,
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
        let changes = &mut self.wave.streams[stream];
        if changes.last().is_some_and(|last| last.time == self.now) {
            changes.pop();
        }
        if changes.last().is_none_or(|last| last.value != value) {
            changes.push(Change {
                time: self.now,
                value,
            });
        }
        Ok(())
    }

    fn finish(self) -> Result<Waveform, Mistake> {
        if !self.defined {
            return Err((
                "the file ends before `$enddefinitions`".into(),
                "expected a value change dump (VCD)",
            ));
        }
        let mut wave = self.wave;
        wave.end = self.now;
        Ok(wave)
    }
}

fn bit(value: vcd::Value) -> Bit {
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
    }
}
