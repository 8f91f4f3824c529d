//! A waveform file of any format that is read: VCD, compressed VCD, FST.
//!
//! What it is follows from its first bytes. VCD is read in order by the reader of this crate,
//! which tells the line of a mistake and takes pipes; FST by its index.

use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::clock;
use super::fst_reader::{FstFile, is_fst};
use super::vcd_reader::Reader;
use super::waveform::Waveform;
use crate::diagnostic::{Class, Diagnostic, Error};
use crate::file::input::{self, Limited};

/// Cycles at the beginning of a file in which its clock is looked for.
const CYCLES_OF_PHASE: u64 = 16;

/// Bytes that are read at a time.
const READ_BYTES: usize = 1 << 18;

/// A waveform file of which the declarations are read, and the changes not yet.
pub struct WaveSource(Kind);

enum Kind {
    Vcd(Box<Reader<BufReader<Box<dyn Read>>>>),
    /// The file, and what was read of it last.
    Fst(Box<FstFile>, Waveform),
}

/// Opens a waveform file and reads what it declares.
///
/// # Errors
/// An error of [`Class::Input`] when the file is bad, and of [`Class::Io`] when it cannot be
/// read.
pub fn open(path: &Path) -> Result<WaveSource, Error> {
    let origin = path.display().to_string();
    let fail = |error: &io::Error| Error::io(path, "reading", error);
    let file = input::open(path, input::WAVEFORM_BYTES_MAX)?;
    let mut input = BufReader::with_capacity(READ_BYTES, file);
    let beginning = input.fill_buf().map_err(|error| fail(&error))?;
    if is_fst(beginning) {
        let mut file = input.into_inner().into_inner();
        if file.rewind().is_err() {
            let found = Diagnostic::new("input", "FST from a pipe", "name a file, or send VCD");
            return Err(Error::one(Class::Input, origin, found));
        }
        let file = FstFile::new(&origin, file)?;
        return Ok(WaveSource(Kind::Fst(Box::new(file), Waveform::default())));
    }
    let input: Box<dyn Read> = match beginning.starts_with(&[0x1f, 0x8b]) {
        true => {
            let unpacked = Unpacked(MultiGzDecoder::new(input));
            Box::new(Limited::new(unpacked, input::WAVEFORM_BYTES_MAX))
        }
        false => Box::new(input),
    };
    let input = BufReader::with_capacity(READ_BYTES, input);
    Ok(WaveSource(Kind::Vcd(Box::new(Reader::new(
        &origin, input,
    )?))))
}

/// An input without its compression. What cannot be unpacked is bad data.
struct Unpacked<R>(MultiGzDecoder<R>);

impl<R: BufRead> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput => io::Error::new(io::ErrorKind::InvalidData, error),
            _ => error,
        })
    }
}

/// Reads a waveform file.
///
/// # Errors
/// As [`open`].
pub fn read_file(path: &Path) -> Result<Waveform, Error> {
    let source = open(path)?;
    let all = vec![true; source.declared().signals.len()];
    source.some(&all, (0, u64::MAX))
}

impl WaveSource {
    /// The scopes and signals, without the changes of all times.
    pub fn declared(&self) -> &Waveform {
        match &self.0 {
            Kind::Vcd(reader) => reader.declared(),
            Kind::Fst(file, _) => file.declared(),
        }
    }

    /// What the signals that are kept show up to a time. What is asked for later is among
    /// what is kept here.
    ///
    /// # Errors
    /// As [`open`].
    ///
    /// # Panics
    /// When `kept` has not one entry per signal.
    fn beginning(&mut self, kept: &[bool], until: u64) -> Result<&Waveform, Error> {
        match &mut self.0 {
            Kind::Vcd(reader) => reader.beginning(kept, until),
            Kind::Fst(file, last) => {
                *last = file.read(kept, (0, until))?;
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

    /// What the signals that are kept show in the times from `times.0` to `times.1`: their
    /// last change before, and all changes within. Other signals have no changes.
    ///
    /// # Errors
    /// As [`open`].
    ///
    /// # Panics
    /// When `kept` has not one entry per signal.
    pub fn some(self, kept: &[bool], times: (u64, u64)) -> Result<Waveform, Error> {
        match self.0 {
            Kind::Vcd(reader) => reader.some(kept, times),
            Kind::Fst(mut file, _) => file.read(kept, times),
        }
    }
}
