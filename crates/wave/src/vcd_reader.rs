//! Reads a VCD file into a [`Waveform`]: all of it, or some signals in some times.
//!
//! Bytes become words with lines (`words`), words become commands (`commands`), and what these
//! say together is checked (`builder`). The format is in [`vcd_writer`](super::vcd_writer).
//! Read besides is what tools write that the standard does not know: values before the first
//! time, which then is 0; `$dumpall`, `$dumpon`, `$dumpoff`; several variables with one
//! identifier code; comments and other commands anywhere; scopes and variables of any kind;
//! strings, also empty ones and those with blanks; a byte-order mark; real numbers in every form
//! that C prints; the nine values of VHDL; enumerations of
//! the VCD that is made of FST, shown by name; names that are not UTF-8; indices of several
//! dimensions. A variable of 0 bits is a string, and one that is declared with bits and given
//! a string or a real number first, or after nothing but X and Z, is of that kind. Bits that a
//! string is given are the text of their digits. A value of an event is a firing, except
//! those that `$dumpvars` and the like show of it.
//!
//! A file that ends in the middle of a command, of a compressed block, or with zeros, is read
//! up to there, with a warning that says where that is. A last word without white space behind
//! it is taken as whole where it can be.
//!
//! A [`Reader`] reads the declarations first, so that signals can be chosen by their
//! names. Changes of other signals are passed over, seen only by their identifier code;
//! of what a signal shows before the times asked for only the last value is kept; and
//! what lies behind these times is not read.
//!
//! # Limits
//! - Vectors of up to 65,536 bits: wider variables are left out, with a warning; scopes up to 256 deep; files of up to
//!   64 GiB; words of up to 1 MiB.
//! - Extended VCD (ports with strengths) is an error.
//! - Values that are passed over are not checked, and nothing is behind the times.
//!
//! # Cost
//! Memory for each change that is kept as in [`changes`](super::changes), and no memory per
//! change that is passed over. The nesting of scopes costs no stack, a width costs no memory,
//! and a value never takes more than a small multiple of the bytes it has in the file, so a
//! hostile file cannot do more than its length allows.

use std::io::BufRead;
use std::path::Path;

use super::waveform::Waveform;
use builder::Builder;
use commands::Commands;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use skip::Unwanted;
use words::{ReadFailure, Words};

mod ahead;
mod builder;
mod codes;
mod commands;
mod numbers;
mod skip;
#[cfg(test)]
mod tests;
mod words;

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
/// let wave = crosswave_wave::read("example", text.as_bytes()).unwrap();
/// assert_eq!(wave.path(0), "top.d");
/// assert_eq!(wave.changes(0).value(0).binary(4).unwrap(), "0101");
///
/// let error = crosswave_wave::read("example", b"\n#5 1?\n").unwrap_err();
/// assert_eq!(error.diagnostics[0].place, "line 2");
/// ```
pub fn read(origin: &str, bytes: &[u8]) -> Result<Waveform, Error> {
    Reader::new(origin, bytes)?.all()
}

/// A VCD file of which the declarations are read, and the changes not yet.
pub struct Reader<R> {
    origin: String,
    words: Words<R>,
    commands: Commands,
    builder: Builder,
    has_ended: bool,
}

impl<R: BufRead> Reader<R> {
    /// Reads the declarations; `origin` names the input in diagnostics.
    ///
    /// # Errors
    /// As [`read`], and an error of [`Class::Io`] when the input fails.
    pub fn new(origin: &str, input: R) -> Result<Self, Error> {
        let mut reader = Reader {
            origin: origin.to_owned(),
            words: Words::new(input),
            commands: Commands::default(),
            builder: Builder::default(),
            has_ended: false,
        };
        while !reader.builder.is_defined() && reader.step()? {}
        if !reader.builder.is_defined() {
            if reader.declared().signals.is_empty() {
                let mistake = (
                    "the file ends before `$enddefinitions`".into(),
                    "expected a value change dump (VCD)",
                );
                return Err(reader.error(END.into(), mistake));
            }
            if reader.declared().warnings.is_empty() {
                reader.warn_of_end("before `$enddefinitions`");
            }
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
        while self.step()? {}
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
        self.part(kept, (0, until))
    }

    /// Reads on until a time is behind `times.1`, and gives what the signals that are kept have
    /// shown from `times.0` on. What is asked for later is among what is kept here.
    ///
    /// # Errors
    /// As [`Reader::new`].
    ///
    /// # Panics
    /// When `kept` has not one entry per signal.
    pub fn part(&mut self, kept: &[bool], times: (u64, u64)) -> Result<&Waveform, Error> {
        self.read_on(kept, times)?;
        self.builder.set_end();
        Ok(self.declared())
    }

    /// The first time of the file, or the next one after 0. All signals are kept.
    ///
    /// # Errors
    /// As [`Reader::new`].
    pub fn first_time(&mut self) -> Result<u64, Error> {
        let all = vec![true; self.declared().signals.len()];
        self.read_on(&all, (0, 0))?;
        Ok(self.builder.now())
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
        let unwanted = Unwanted::new(self.builder.keep(kept, times.0));
        while self.builder.now() <= times.1 && !self.has_ended {
            let mut has_changes = false;
            let passed = self.words.pass_over(|input| {
                let skipped = unwanted.skip(input)?;
                has_changes = skipped.changes;
                Ok(skipped.lines)
            });
            if let Err(failure) = passed {
                return Err(self.failed(failure));
            }
            if has_changes {
                self.builder.changed();
            }
            self.step()?;
        }
        Ok(())
    }

    /// Takes in the next command; `false` when the file has ended.
    fn step(&mut self) -> Result<bool, Error> {
        if self.has_ended {
            return Ok(false);
        }
        match self.commands.take(&mut self.words, &mut self.builder) {
            Ok(true) => return Ok(true),
            Ok(false) if !self.words.is_cut() => {}
            Ok(false) => self.warn_of_end("early"),
            Err(ReadFailure::End) => self.warn_of_end("in the middle of a command"),
            // The mistake comes from the part that is missing.
            Err(ReadFailure::Mistake(_)) if self.may_be_cut() => {
                self.warn_of_end("in the middle of a command");
            }
            Err(failure) => return Err(self.failed(failure)),
        }
        self.has_ended = true;
        Ok(false)
    }

    /// True when the last word may go on where the file ends, and something was declared.
    fn may_be_cut(&self) -> bool {
        let is_whole = self.words.word() == b"$end";
        self.words.is_last() && !is_whole && !self.declared().signals.is_empty()
    }

    /// Says that the file ends too early, and what is read of it.
    fn warn_of_end(&mut self, where_it_ends: &str) {
        let place = format!("line {}", self.words.line());
        let read = match self.builder.is_defined() {
            true => format!(
                "what is before it is read, up to time {}",
                self.builder.now()
            ),
            false => "what is declared before it is read".to_owned(),
        };
        let message = format!("the file ends {where_it_ends}; {read}");
        let help = "the program that wrote it was probably stopped, or still runs";
        self.builder.warn(Diagnostic::new(place, message, help));
    }

    fn failed(&self, failure: ReadFailure) -> Error {
        match failure {
            ReadFailure::Mistake(mistake) => {
                self.error(format!("line {}", self.words.line()), mistake)
            }
            ReadFailure::End => self.error(END.into(), ("the file ends early".into(), "")),
            ReadFailure::Input(error) => Error::io(Path::new(&self.origin), "reading", &error),
        }
    }

    fn error(&self, place: String, (message, help): VcdMistake) -> Error {
        let diagnostic = Diagnostic::new(place, message, help);
        Error::one(Class::Input, self.origin.clone(), diagnostic)
    }
}

/// A mistake: the finding, and advice on how to fix it.
type VcdMistake = (String, &'static str);

/// The place of what is missing.
const END: &str = "end of file";
