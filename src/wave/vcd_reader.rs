//! Reads a VCD file into a [`Waveform`]: all of it, or some signals in some times.
//!
//! The `vcd` crate cuts the bytes into commands; this module checks what they
//! say together. The format is in [`vcd_writer`](super::vcd_writer). Accepted
//! besides: values before the first time, which then is 0; `$dumpall`,
//! `$dumpon`, `$dumpoff`; several variables with one identifier code; comments
//! anywhere; a last line without a line end.
//!
//! A [`Reader`] reads the declarations first, so that signals can be chosen by their
//! names. Changes of other signals are passed over, seen only by their identifier code;
//! of what a signal shows before the times asked for only the last value is kept; and
//! what lies behind these times is not read.
//!
//! # Limits
//! - Vectors of up to 65,536 bits; scopes up to 256 deep; files of up to
//!   64 GiB.
//! - Scopes and variables of any kind are read (`dialect`). Whatever else the `vcd` crate
//!   does not know is an error: the `$attrbegin` of some tools, and extended VCD.
//! - Values that are passed over are not checked, and nothing is behind the times.
//!
//! # Cost
//! About 170 ns and 32 bytes of memory per change that is kept, most of it in the `vcd`
//! crate, and some 10 ns and no memory per change that is passed over. The nesting of
//! scopes costs no stack, a width costs no memory, and a value never takes more than a
//! small multiple of the bytes it has in the file, so a hostile file cannot do more
//! than its length allows.

use std::io::{self, BufRead};
use std::path::Path;

use super::waveform::Waveform;
use crate::diagnostic::{Class, Diagnostic, Error};
use builder::Builder;
use dialect::Rest;
use skip::Codes;

mod builder;
mod dialect;
mod skip;
#[cfg(test)]
mod tests;

/// The widest vector that is read.
pub const MAX_WIDTH: u32 = 1 << 16;

/// The deepest nesting of scopes that is read.
pub const MAX_DEPTH: usize = 256;

/// Reads the bytes of a VCD file; `origin` names them in diagnostics.
///
/// # Errors
/// An error of [`Class::Input`] with the line of the first mistake.
///
/// ```
/// let text = "$scope module top $end $var wire 4 ! d $end $upscope $end
/// $enddefinitions $end #5 b101 !";
/// let wave = crosswave::wave::read("example", text.as_bytes()).unwrap();
/// assert_eq!(wave.path(0), "top.d");
/// assert_eq!(wave.changes(0)[0].value.binary(4).unwrap(), "0101");
///
/// let error = crosswave::wave::read("example", b"\n#5 1?").unwrap_err();
/// assert_eq!(error.diagnostics[0].place, "line 2");
/// ```
pub fn read(origin: &str, bytes: &[u8]) -> Result<Waveform, Error> {
    Reader::new(origin, bytes)?.all()
}

/// A VCD file of which the declarations are read, and the changes not yet.
pub struct Reader<R> {
    origin: String,
    parser: vcd::Parser<Input<R>>,
    builder: Builder,
    /// Lines that the parser did not see.
    lines_skipped: u64,
}

/// The input, and white space behind it, which the parser wants after the last word.
type Input<R> = io::Chain<R, &'static [u8]>;

impl<R: BufRead> Reader<R> {
    /// Reads the declarations; `origin` names the input in diagnostics.
    ///
    /// # Errors
    /// As [`read`], and an error of [`Class::Io`] when the input fails.
    pub fn new(origin: &str, input: R) -> Result<Self, Error> {
        let mut reader = Reader {
            origin: origin.to_owned(),
            parser: vcd::Parser::new(input.chain(&b"\n"[..])),
            builder: Builder::default(),
            lines_skipped: 0,
        };
        while !reader.builder.is_defined() {
            let Some(command) = reader.next()? else {
                let mistake = (
                    "the file ends before `$enddefinitions`".into(),
                    "expected a value change dump (VCD)",
                );
                return Err(reader.error(END.into(), mistake));
            };
            reader.take(command)?;
        }
        Ok(reader)
    }

    /// The scopes and signals, without changes.
    pub fn declared(&self) -> &Waveform {
        self.builder.wave()
    }

    /// Reads all changes.
    ///
    /// # Errors
    /// As [`Reader::new`].
    pub fn all(mut self) -> Result<Waveform, Error> {
        while let Some(command) = self.next()? {
            self.take(command)?;
        }
        Ok(self.builder.finish())
    }

    /// Reads on until a time is behind `until`, and gives what the signals that are kept
    /// have shown up to it. What is asked for later is among what is kept here.
    ///
    /// # Errors
    /// As [`Reader::new`].
    ///
    /// # Panics
    /// When `kept` has not one entry per signal.
    pub fn beginning(&mut self, kept: &[bool], until: u64) -> Result<&Waveform, Error> {
        self.read_on(kept, (0, until))?;
        Ok(self.declared())
    }

    /// Reads what the signals that are kept show in the times from `times.0` to
    /// `times.1`: their last change before, and all changes within. Other signals
    /// have no changes, and the waveform ends with the first time behind `times.1`.
    ///
    /// # Errors
    /// As [`Reader::new`].
    ///
    /// # Panics
    /// When `kept` has not one entry per signal.
    pub fn some(mut self, kept: &[bool], times: (u64, u64)) -> Result<Waveform, Error> {
        self.read_on(kept, times)?;
        Ok(self.builder.finish())
    }

    fn read_on(&mut self, kept: &[bool], times: (u64, u64)) -> Result<(), Error> {
        assert_eq!(
            kept.len(),
            self.declared().signals.len(),
            "one entry per signal"
        );
        let codes = Codes::new(self.builder.keep(kept, times.0));
        while self.builder.now() <= times.1 {
            let skipped = codes.skip(self.parser.reader());
            let skipped = skipped.map_err(|error| self.failure(&error))?;
            self.lines_skipped += skipped.lines;
            if skipped.changes {
                self.builder.changed();
            }
            let Some(command) = self.next()? else { break };
            self.take(command)?;
        }
        Ok(())
    }

    /// The next command.
    fn next(&mut self) -> Result<Option<vcd::Command>, Error> {
        let odd = dialect::change(self.parser.reader(), &mut self.lines_skipped);
        let next = match odd {
            Ok(None) => self.parser.next().transpose(),
            odd => odd,
        };
        match next.or_else(|error| self.declaration_of_others(error)) {
            Ok(command) => Ok(command),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                let mistake = (
                    "the file ends in the middle of a command".into(),
                    "the program that wrote it was probably stopped; run it again",
                );
                Err(self.error(END.into(), mistake))
            }
            Err(error) => match parse_error(&error) {
                Some(mistake) => Err(self.error(self.line(), mistake)),
                None => Err(self.failure(&error)),
            },
        }
    }

    /// The declaration of a kind that the parser does not know.
    fn declaration_of_others(&mut self, error: io::Error) -> io::Result<Option<vcd::Command>> {
        use vcd::ParseErrorKind as Kind;
        let inner = error.get_ref().and_then(|error| error.downcast_ref());
        let command: fn(&Rest) -> _ = match inner.map(vcd::ParseError::kind) {
            Some(Kind::InvalidScopeType(_)) => Rest::scope,
            Some(Kind::InvalidVarType(_)) => Rest::variable,
            _ => return Err(error),
        };
        let rest = Rest::read(self.parser.reader())?;
        let command = command(&rest).ok_or(error)?;
        self.lines_skipped += rest.lines;
        Ok(Some(command))
    }

    fn take(&mut self, command: vcd::Command) -> Result<(), Error> {
        let taken = self.builder.take(command);
        taken.map_err(|mistake| self.error(self.line(), mistake))
    }

    fn line(&self) -> String {
        format!("line {}", self.parser.line() + self.lines_skipped)
    }

    fn error(&self, place: String, (message, help): Mistake) -> Error {
        let diagnostic = Diagnostic::new(place, message, help);
        Error::one(Class::Input, self.origin.clone(), diagnostic)
    }

    /// The error that reading failed.
    fn failure(&self, error: &io::Error) -> Error {
        Error::io(Path::new(&self.origin), "reading", error)
    }
}

/// What is wrong, and how to mend it.
type Mistake = (String, &'static str);

/// The place of what is missing.
const END: &str = "end of file";

/// The mistake in the input that `error` tells of; `None` when reading failed.
fn parse_error(error: &io::Error) -> Option<Mistake> {
    use vcd::ParseErrorKind as Kind;
    if error.kind() != io::ErrorKind::InvalidData {
        return None;
    }
    let inner = error.get_ref().and_then(|error| error.downcast_ref());
    let Some(error): Option<&vcd::ParseError> = inner else {
        return Some((error.to_string(), ""));
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
        Kind::InvalidScopeType(_) => "a scope is `$scope module NAME $end`",
        Kind::InvalidVarType(_) => "a variable is `$var wire WIDTH CODE NAME $end`",
        Kind::InvalidTimescaleUnit(_) => "the units are s, ms, us, ns, ps and fs",
        _ => "",
    };
    Some((message, help))
}
