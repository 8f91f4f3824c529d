//! The FST format of GTKWave, written.
//!
//! FST ("fast signal trace") holds what VCD holds in a tenth of the bytes and less, and its readers find
//! a signal, or some span of time, without reading the rest. It has no standard; the source
//! is `fstapi.c` of GTKWave, and readers agree on it.
//!
//! | file | holds |
//! |---|---|
//! | `fst` | the file: header, geometry, and the sections in their order |
//! | [`hierarchy`] | scopes, variables, and the names of values |
//! | [`section`] | value changes of a span of time |
//! | [`number`] | numbers of variable length |
//!
//! # The format
//!
//! A file is a list of sections: a byte for the kind, a length (u64, which counts itself),
//! and what it holds. Numbers are big-endian.
//!
//! | kind | holds |
//! |---|---|
//! | 0, header | first and last time; how many scopes, variables, handles and sections of changes; the unit of time as a power of ten; who wrote it and when; 329 bytes |
//! | 4, hierarchy | declarations, compressed with gzip |
//! | 3, geometry | the width of every handle, compressed with zlib |
//! | 8, changes | values when it begins; a chain of changes of each handle; times |
//!
//! A *handle* is a list of changes. Variables on one net have one handle. The values of a
//! variable have names when an *enumeration* stands before it, and viewers show them; no
//! variable besides is needed for them, as it is in VCD.
//!
//! # Choices
//!
//! - The field for a date is empty, and gzip's as well, so the same run gives the same bytes.
//! - The header is written again at the end, so the output must take it: a pipe does not.
//! - A section has 2^20 changes, or as many as there are variables; its memory is
//!   [`FstStream::bytes`].
//!
//! # Why not a crate
//!
//! `fst-writer` 0.3 has no enumerations and does not find chains that are equal, and
//! `wavefst` 0.4, which has both, allocates three times per change of a vector and takes
//! 300 ns for it: a third of the speed that is wanted here.

use std::borrow::Cow;
use std::io::{self, Seek, SeekFrom, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::timescale::{TimeUnit, Timescale};
use super::value::Bit;
use section::FstSection;

mod hierarchy;
mod number;
mod section;

pub(super) use hierarchy::{Enumeration, FstHierarchy, Handle};

/// Kinds of sections.
const HEADER: u8 = 0;
const GEOMETRY: u8 = 3;
const HIERARCHY: u8 = 4;
const CHANGES: u8 = 8;

/// Bytes of the header behind its kind.
const HEADER_BYTES: u64 = 329;
/// Bytes for the name of the program, and for a date.
const PROGRAM_BYTES: usize = 128;
const DATE_BYTES: usize = 119;

/// Writes an FST file to `W`: what a [`FstHierarchy`] declares, and its changes.
///
/// Time steps rise, and changes belong to the last one. After an error the stream stays
/// failed.
#[derive(Debug)]
pub(super) struct FstStream<W> {
    out: W,
    section: FstSection,
    /// The time of the changes that follow.
    now: u64,
    /// The unit of time as a power of ten.
    exponent: i8,
    scopes: u64,
    variables: u64,
    handles: u64,
    /// The first time.
    first: Option<u64>,
    /// Sections of changes so far, and their bytes.
    sections: u64,
    section_bytes: u64,
    failed: Option<io::ErrorKind>,
}

impl<W: Write + Seek> FstStream<W> {
    /// Writes what is declared.
    ///
    /// # Errors
    /// Those of `out`; and a step of time that is no power of ten.
    pub(super) fn new(
        mut out: W,
        timescale: Timescale,
        hierarchy: FstHierarchy,
    ) -> io::Result<Self> {
        let exponent = exponent(timescale)?;
        let (scopes, variables) = (hierarchy.scopes, hierarchy.variables);
        let (widths, length) = (hierarchy.widths.clone(), hierarchy.length);
        let declared = hierarchy.finish()?;
        let mut geometry = Vec::new();
        for &width in &widths {
            number::unsigned(u64::from(width), &mut geometry);
        }
        let packed = shorter(&geometry)?;
        // The header is written at the end, when it is known.
        let mut head = vec![0; 1 + HEADER_BYTES as usize];
        head.push(GEOMETRY);
        for number in [packed.len() + 3 * 8, geometry.len(), widths.len()] {
            head.extend((number as u64).to_be_bytes());
        }
        head.extend_from_slice(&packed);
        head.push(HIERARCHY);
        head.extend((declared.len() as u64 + 2 * 8).to_be_bytes());
        head.extend(length.to_be_bytes());
        out.write_all(&head)?;
        out.write_all(&declared)?;
        Ok(FstStream {
            exponent,
            scopes,
            variables,
            handles: widths.len() as u64,
            section: FstSection::new(widths),
            now: 0,
            first: None,
            sections: 0,
            section_bytes: 0,
            failed: None,
            out,
        })
    }

    /// Bytes of memory that so many variables of so many bits take at most, all told.
    pub(super) fn bytes(variables: u64, bits: u64) -> u64 {
        FstSection::bytes(variables, bits)
    }

    /// Bytes of the sections of changes that were written so far.
    pub(super) fn section_bytes(&self) -> u64 {
        self.section_bytes
    }

    /// True when a write failed; the file is then incomplete.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// The writer below.
    pub(super) fn into_inner(self) -> W {
        self.out
    }

    /// Begins with the values at `time`. All are X of which no change tells something else.
    pub(super) fn begin(&mut self, time: u64) -> io::Result<()> {
        self.time(time)?;
        self.step();
        Ok(())
    }

    /// Sets the time of the changes that follow.
    #[inline]
    pub(super) fn time(&mut self, time: u64) -> io::Result<()> {
        debug_assert!(time >= self.now, "time goes back");
        self.now = time;
        match self.section.is_full() && time > self.section.last() {
            true => self.write_section(),
            false => Ok(()),
        }
    }

    /// Begins the time step of the changes that follow, unless it was.
    #[inline]
    fn step(&mut self) {
        if self.section.is_empty() || self.now > self.section.last() {
            self.first.get_or_insert(self.now);
            self.section.step(self.now);
        }
    }

    /// A variable of up to 64 bits takes a known value.
    #[inline]
    pub(super) fn change(&mut self, handle: Handle, value: u64) {
        self.step();
        self.section.change(handle, value);
    }

    /// A variable takes a value, the least significant bit first.
    pub(super) fn change_bits(&mut self, handle: Handle, bits: &[Bit]) {
        self.step();
        self.section.change_bits(handle, bits);
    }

    /// Ends the section, so that all changes so far are written.
    pub(super) fn write_section(&mut self) -> io::Result<()> {
        if let Some(kind) = self.failed {
            return Err(io::Error::new(kind, "an earlier write failed"));
        }
        let written = self.section.write(&mut self.out);
        self.failed = written.as_ref().err().map(io::Error::kind);
        self.section_bytes += written?;
        self.sections += 1;
        Ok(())
    }

    /// Ends the file at `time`.
    pub(super) fn end(&mut self, time: u64) -> io::Result<()> {
        self.now = time.max(self.now);
        if !self.section.is_empty() || self.first.is_none_or(|_| self.now > self.section.last()) {
            self.step();
            self.section.list_only_step();
            self.write_section()?;
        }
        let header = self.header();
        let out = &mut self.out;
        let done = out
            .seek(SeekFrom::Start(0))
            .and_then(|_| out.write_all(&header))
            .and_then(|()| out.seek(SeekFrom::End(0)))
            .and_then(|_| out.flush());
        self.failed = done.as_ref().err().map(io::Error::kind);
        done
    }

    fn header(&self) -> Vec<u8> {
        let mut header = vec![HEADER];
        let first = self.first.unwrap_or(0);
        for number in [HEADER_BYTES, first, self.section.last()] {
            header.extend(number.to_be_bytes());
        }
        // Tells readers in which order the bytes of real numbers are.
        header.extend(std::f64::consts::E.to_le_bytes());
        let memory = 0;
        let counts = [self.scopes, self.variables, self.handles, self.sections];
        for number in [memory].into_iter().chain(counts) {
            header.extend(u64::to_be_bytes(number));
        }
        header.push(self.exponent as u8);
        let mut program = concat!("crosswave ", env!("CARGO_PKG_VERSION"))
            .as_bytes()
            .to_vec();
        program.resize(PROGRAM_BYTES, 0);
        header.extend(program);
        header.extend([0; DATE_BYTES]);
        // Verilog, and what is added to all times.
        header.push(0);
        header.extend(0_u64.to_be_bytes());
        header
    }
}

/// The unit of time as a power of ten.
fn exponent(timescale: Timescale) -> io::Result<i8> {
    let unit = match timescale.unit {
        TimeUnit::S => 0,
        TimeUnit::Ms => -3,
        TimeUnit::Us => -6,
        TimeUnit::Ns => -9,
        TimeUnit::Ps => -12,
        TimeUnit::Fs => -15,
    };
    let digits = timescale.count.checked_ilog10();
    match digits.filter(|&digits| 10_u32.pow(digits) == timescale.count) {
        Some(digits) => Ok(unit + digits as i8),
        None => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("the step of time is {timescale}, expected a power of ten"),
        )),
    }
}

/// The bytes, compressed with zlib when that makes them fewer.
fn shorter(bytes: &[u8]) -> io::Result<Cow<'_, [u8]>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes)?;
    let packed = encoder.finish()?;
    Ok(match packed.len() < bytes.len() {
        true => Cow::Owned(packed),
        false => Cow::Borrowed(bytes),
    })
}
