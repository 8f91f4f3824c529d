//! A waveform file of any format that is read: VCD, compressed VCD, FST.
//!
//! What it is follows from its first bytes. VCD is read in order by the reader of this crate,
//! which tells the line of a mistake and takes pipes; FST by its index, for which one that
//! comes from a pipe, or is compressed, is held in memory.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::clock;
use super::compare::{REAL_DIGITS_EXACT, REAL_DIGITS_VCD};
use super::fst_reader::{FstFile, HELD_BYTES_MAX, ReadSeek};
use super::vcd_reader::Reader;
use super::waveform::Waveform;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file::gzip::Unpacked;
use crosswave_base::file::input::{self, Limited};
use crosswave_base::file::kind::FileKind;

/// Cycles at the beginning of a file in which its clock is looked for.
const CYCLES_OF_PHASE: u64 = 16;

/// Bytes that are read at a time.
const READ_BYTES: usize = 1 << 18;

/// A waveform file of which the declarations are read, and the changes not yet.
pub struct WaveSource {
    kind: Kind,
    /// True when other bytes follow the unpacked ones.
    leaves_bytes: Option<Arc<AtomicBool>>,
}

enum Kind {
    Vcd(Box<Reader<BufReader<Box<dyn Read>>>>),
    /// The file, and what was read of it last.
    Fst(Box<FstFile>, Waveform),
}

/// Opens a waveform file and reads what it declares.
///
/// # Errors
/// An error of [`Class::Input`] when the file is bad or of another kind, and of [`Class::Io`]
/// when it cannot be read.
pub fn open(path: &Path) -> Result<WaveSource, Error> {
    let file = input::open(path, input::WAVEFORM)?;
    open_input(path, BufReader::with_capacity(READ_BYTES, file))
}

/// Opens a waveform of which no more was read than is in the buffer.
///
/// # Errors
/// As [`open`].
pub fn open_input(path: &Path, mut input: BufReader<Limited<File>>) -> Result<WaveSource, Error> {
    let fail = |error: io::Error| Error::io(path, "reading", &error);
    let kind = FileKind::of(path, input.fill_buf().map_err(fail)?);
    let mut leaves_bytes = None;
    let kind = match kind {
        FileKind::Fst => {
            let is_file = fs::metadata(path).is_ok_and(|found| found.is_file());
            let file: Box<dyn ReadSeek> = match is_file {
                true => {
                    let mut file = input.into_inner().into_inner();
                    file.rewind().map_err(fail)?;
                    Box::new(file)
                }
                false => held(input).map_err(fail)?,
            };
            fst(path, file)?
        }
        FileKind::Gzip => {
            let unpacked = Unpacked::new(input);
            leaves_bytes = Some(unpacked.leaves_bytes());
            let input: Box<dyn Read> = Box::new(Limited::new(unpacked, input::WAVEFORM.bytes_max));
            let mut input = BufReader::with_capacity(READ_BYTES, input);
            // An input that cannot be unpacked is reported when it is read.
            let kind = input.fill_buf().map_or(FileKind::Vcd, |beginning| {
                FileKind::of(&path.with_extension(""), beginning)
            });
            match kind {
                FileKind::Fst => fst(path, held(input).map_err(fail)?)?,
                kind => vcd(path, kind, input)?,
            }
        }
        kind => {
            let input: Box<dyn Read> = Box::new(input);
            vcd(path, kind, BufReader::with_capacity(READ_BYTES, input))?
        }
    };
    Ok(WaveSource { kind, leaves_bytes })
}

/// The rest of an input, in memory.
fn held(input: impl Read) -> io::Result<Box<dyn ReadSeek>> {
    let mut bytes = Vec::new();
    Limited::new(input, HELD_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(Box::new(Cursor::new(bytes)))
}

fn fst(path: &Path, file: Box<dyn ReadSeek>) -> Result<Kind, Error> {
    let file = FstFile::new(path, file)?;
    Ok(Kind::Fst(Box::new(file), Waveform::default()))
}

/// Description of the files that are read.
const EXPECTED: &str = "a waveform (VCD, also compressed with gzip, or FST)";

fn vcd(path: &Path, kind: FileKind, mut input: BufReader<Box<dyn Read>>) -> Result<Kind, Error> {
    let origin = path.display().to_string();
    // Text without a command is an error of the file's kind, other text one with the line of the
    // mistake.
    let is_vcd = match kind {
        FileKind::Vcd => true,
        FileKind::Text => input.fill_buf().is_ok_and(|bytes| bytes.contains(&b'$')),
        _ => false,
    };
    if !is_vcd {
        let mistake = kind.mistake(EXPECTED, kind.to_waveform());
        return Err(Error::one(Class::Input, origin, mistake));
    }
    Ok(Kind::Vcd(Box::new(Reader::new(&origin, input)?)))
}

/// Reads a waveform file.
///
/// # Errors
/// As [`open`].
pub fn read_file(path: &Path) -> Result<Waveform, Error> {
    open(path)?.all()
}

impl WaveSource {
    /// Everything in the file.
    ///
    /// # Errors
    /// As [`open`].
    pub fn all(self) -> Result<Waveform, Error> {
        let all = vec![true; self.declared().signals.len()];
        self.some(&all, (0, u64::MAX))
    }

    /// The scopes and signals, without the changes of all times.
    pub fn declared(&self) -> &Waveform {
        match &self.kind {
            Kind::Vcd(reader) => reader.declared(),
            Kind::Fst(file, _) => file.declared(),
        }
    }

    /// Decimal digits of real numbers that the format holds.
    pub fn real_digits(&self) -> u32 {
        match &self.kind {
            Kind::Vcd(_) => REAL_DIGITS_VCD,
            Kind::Fst(..) => REAL_DIGITS_EXACT,
        }
    }

    /// The changes of the signals that are kept, up to a time. A later request is for some of these
    /// signals only.
    ///
    /// # Errors
    /// As [`open`].
    ///
    /// # Panics
    /// When `kept` has not one entry per signal.
    fn beginning(&mut self, kept: &[bool], until: u64) -> Result<&Waveform, Error> {
        match &mut self.kind {
            Kind::Vcd(reader) => reader.beginning(kept, until),
            Kind::Fst(file, last) => {
                *last = file.read(kept, (0, until))?;
                Ok(last)
            }
        }
    }

    /// The first time at which a signal has a value, or the next one after 0.
    ///
    /// # Errors
    /// As [`open`].
    pub fn first_time(&mut self) -> Result<u64, Error> {
        match &mut self.kind {
            Kind::Vcd(reader) => reader.first_time(),
            Kind::Fst(file, _) => Ok(file.first_time()),
        }
    }

    /// The changes of the signals that are kept in the times from `times.0` to `times.1`, as
    /// [`WaveSource::some`] gives them, before more is asked for: the same signals or some of them,
    /// in times that begin no earlier.
    ///
    /// # Errors
    /// As [`open`].
    ///
    /// # Panics
    /// When `kept` has not one entry per signal.
    pub fn part(&mut self, kept: &[bool], times: (u64, u64)) -> Result<&Waveform, Error> {
        match &mut self.kind {
            Kind::Vcd(reader) => reader.part(kept, times),
            Kind::Fst(file, last) => {
                *last = file.read(kept, times)?;
                Ok(last)
            }
        }
    }

    /// The phase at which cycles of `period` start: that of the first clock at the beginning
    /// of the file, among the scalars; `None` when there is none. What is asked for later is
    /// among what is kept here.
    ///
    /// # Errors
    /// As [`open`].
    ///
    /// # Panics
    /// When `kept` has not one entry per signal.
    pub fn phase(&mut self, kept: &[bool], period: u64) -> Result<Option<u64>, Error> {
        let mut scalars = kept.to_vec();
        for (signal, kept) in self.declared().signals.iter().zip(&mut scalars) {
            *kept |= signal.width == 1;
        }
        let until = period.saturating_mul(CYCLES_OF_PHASE);
        let beginning = self.beginning(&scalars, until)?;
        Ok(clock::phase(beginning, period))
    }

    /// The changes of the signals that are kept in the times from `times.0` to `times.1`: their
    /// last change before, and all changes within. Other signals have no changes.
    ///
    /// # Errors
    /// As [`open`].
    ///
    /// # Panics
    /// When `kept` has not one entry per signal.
    pub fn some(self, kept: &[bool], times: (u64, u64)) -> Result<Waveform, Error> {
        let mut wave = match self.kind {
            Kind::Vcd(reader) => reader.some(kept, times),
            Kind::Fst(mut file, _) => file.read(kept, times),
        }?;
        let leaves_bytes = self.leaves_bytes;
        if leaves_bytes.is_some_and(|leaves| leaves.load(Ordering::Relaxed)) {
            let message = "other bytes follow the compressed data; they are not read";
            wave.warnings
                .push(Diagnostic::new("end of file", message, ""));
        }
        Ok(wave)
    }
}
