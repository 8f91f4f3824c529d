//! Reads an FST file into a [`Waveform`]: some signals in some times, and nothing else.
//!
//! The sections are walked first (`check`), so that no number of the file is believed unseen.
//! The declarations are read here (`hierarchy`, `declarations`), the changes by the `fst-reader`
//! crate, whose panics end at a boundary ([`guard`](crosswave_base::guard)): a bad file is a diagnostic. A file whose
//! writer was stopped is made whole before (`unfinished`), and read with a warning.
//!
//! Files of any tool are read: scopes of every kind (modules, structures, VHDL's) are scopes;
//! states other than 0, 1, X and Z become the nearest of these (H is 1, L is 0, all others X);
//! strings and real numbers are values, and events fire. What an event shows first when the file
//! begins, and at a `$dumpon`, is no firing; of a file that is not finished, and of `$dumpall`,
//! nothing tells that. Where a variable refers to an enumeration, a string signal `NAME_name`
//! with the names stands behind it, as in VCD of this program.
//!
//! # Limits
//! - Vectors of up to 65,536 bits; scopes up to 256 deep; files of up to 64 GiB.
//! - A file that is compressed as a whole, comes from a pipe or is not finished stands in
//!   memory, up to 4 GiB of it.
//! - A window takes the time of the sections that it touches: of each the index and the
//!   chains of the signals.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use fst_reader::{FstFilter, FstReader, FstSignalHandle, FstSignalValue};
use smallvec::SmallVec;

use super::changes::{Change, Changes};
use super::enumerations::{self, ValueNames};
use super::timescale::{TimeUnit, Timescale};
use super::value::{Bit, WaveValue};
use super::waveform::{SignalKind, Waveform};
use check::{ChangesSection, Sections};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file::gzip::Unpacked;
use crosswave_base::file::input::Limited;
use declarations::FstDeclarations;
use shared::SharedInput;

use crosswave_base::guard::guarded;

pub(super) use shared::ReadSeek;

mod check;
mod declarations;
mod frame;
mod hierarchy;
mod shared;
#[cfg(test)]
mod tests;
mod unfinished;

/// The first byte of a file that is compressed as a whole.
const WRAPPED: u8 = 254;

/// Bytes of a file that are held in memory, at most.
pub(super) const HELD_BYTES_MAX: u64 = 4 << 30;

/// An FST file of which the declarations are read, and the changes not yet.
pub struct FstFile {
    origin: String,
    reader: FstReader<BufReader<SharedInput>>,
    /// The same file, of which frames are read.
    frames: BufReader<SharedInput>,
    sections: Vec<ChangesSection>,
    /// Times at which all signals are shown, changed or not: the start and every `$dumpon`.
    snapshots: BTreeSet<u64>,
    is_little_endian: bool,
    declared: Waveform,
    /// The streams of names: the stream that they name, and the names.
    named: BTreeMap<usize, (usize, Arc<ValueNames>)>,
}

impl FstFile {
    /// Reads the declarations; `origin` names the input in diagnostics, and is where it lies.
    ///
    /// # Errors
    /// An error of [`Class::Input`] when the file is bad, and of [`Class::Io`] when reading
    /// fails.
    pub(super) fn new(origin: &Path, input: Box<dyn ReadSeek>) -> Result<FstFile, Error> {
        let io_error = |error: io::Error| Error::io(origin, "reading", &error);
        let origin_name = origin.display().to_string();
        let wrong = |place: &str, what: String| bad(&origin_name, place, what);
        let file = |bytes: Vec<u8>| BufReader::new(SharedInput::new(Box::new(Cursor::new(bytes))));
        let mut input = BufReader::new(SharedInput::new(input));
        let is_wrapped = input
            .fill_buf()
            .map(|bytes| bytes.first() == Some(&WRAPPED));
        if is_wrapped.map_err(io_error)? {
            let unwrapped = unwrapped(&mut input);
            let what = "found a compressed file that cannot be unpacked";
            let unwrapped = unwrapped.map_err(|_| wrong("byte 0", what.into()))?;
            input = file(unwrapped);
        }
        let checked = check::check(&mut input).map_err(io_error)?;
        let sections = checked.map_err(|(place, what)| wrong(&place, what))?;
        let (mut warnings, is_cut) = (Vec::new(), sections.is_cut);
        let hierarchy = match (sections.hierarchy, sections.handles) {
            (Some(place), Some(_)) => {
                let unpacked = hierarchy::unpacked(&mut input, place).map_err(io_error)?;
                if sections.is_cut {
                    warnings.push(cut(&sections));
                    let mut whole = Vec::new();
                    input.rewind().map_err(io_error)?;
                    let mut part = Limited::new(input.take(sections.whole), HELD_BYTES_MAX);
                    part.read_to_end(&mut whole).map_err(io_error)?;
                    input = file(whole);
                }
                unpacked.map_err(|what| wrong("declarations", what))?
            }
            _ => {
                let repaired = unfinished::repaired(origin, &mut input, &sections, HELD_BYTES_MAX);
                let Some(repaired) = repaired? else {
                    return Err(without_declarations(&origin_name));
                };
                warnings.push(repaired.warning);
                input = file(repaired.bytes);
                repaired.hierarchy
            }
        };
        let checked = check::check(&mut input).map_err(io_error)?;
        let sections = checked.map_err(|(place, what)| wrong(&place, what))?;
        let handles = sections.handles.unwrap_or(0) as usize;
        let mut frames = BufReader::new(input.get_ref().clone());
        let is_little_endian = frame::is_little_endian(&mut frames).map_err(io_error)?;
        input.rewind().map_err(io_error)?;
        let opened = guarded(|| FstReader::open(input).map_err(|error| error.to_string()));
        let opened = opened.unwrap_or_else(|| Err("what it declares breaks the format".into()));
        let reader = opened.map_err(|what| wrong("declarations", what))?;
        let declarations =
            FstDeclarations::of(&hierarchy).map_err(|what| wrong("declarations", what))?;
        let header = reader.get_header();
        let mut declared = declarations.wave;
        declared.timescale = timescale(header.timescale_exponent);
        let last = sections.last_time().unwrap_or(0);
        declared.end = if is_cut {
            last
        } else {
            header.end_time.max(last)
        };
        declared.warnings = warnings;
        let mut signals = declared.signals.iter();
        if signals.any(|signal| signal.stream >= handles) {
            let what = "a variable without a width";
            return Err(wrong("declarations", what.into()));
        }
        let mut named = BTreeMap::new();
        for (signal, of, names) in declarations.named {
            let stream = handles + named.len();
            named.insert(stream, (declared.signals[of].stream, names));
            declared.signals[signal].stream = stream;
        }
        declared.streams = vec![Changes::default(); handles + named.len()];
        let mut snapshots = sections.dump_on;
        snapshots.insert(reader.get_header().start_time);
        Ok(FstFile {
            origin: origin_name,
            reader,
            frames,
            sections: sections.changes,
            snapshots,
            is_little_endian,
            declared,
            named,
        })
    }

    /// The scopes and signals, without changes.
    pub fn declared(&self) -> &Waveform {
        &self.declared
    }

    /// The time at which the file begins.
    pub fn first_time(&self) -> u64 {
        self.reader.get_header().start_time
    }

    /// The values of streams of these kinds at a time, by the frame of the first section that has
    /// it or a later one. The first section of a file has nothing before it.
    fn held(
        &mut self,
        time: u64,
        kinds: &[(SignalKind, u32)],
        wanted: &[bool],
    ) -> io::Result<Vec<(usize, Change)>> {
        let first = self
            .sections
            .iter()
            .position(|section| section.last >= time);
        let Some(section) = first.filter(|&first| first > 0) else {
            return Ok(Vec::new());
        };
        let section = self.sections[section];
        let frame = frame::frame(&mut self.frames, section.place)?;
        let mut held = Vec::new();
        let mut place = 0;
        for (stream, (&kind, &is_wanted)) in kinds.iter().zip(wanted).enumerate() {
            let slot = frame.get(place..place + frame::length(kind));
            place += frame::length(kind);
            let value = slot.filter(|_| is_wanted).and_then(|slot| match kind.0 {
                SignalKind::Real => frame::real(slot, self.is_little_endian),
                SignalKind::Bits => Some(vector(slot)),
                SignalKind::Text | SignalKind::Event => None,
            });
            let time = time.min(section.begin);
            held.extend(value.map(|value| (stream, Change { time, value })));
        }
        Ok(held)
    }

    /// The changes of the signals that are kept in the times from `times.0` to `times.1`: their
    /// last change before, and all changes within. Other signals have no changes.
    ///
    /// # Errors
    /// As `FstFile::new`.
    ///
    /// # Panics
    /// When `kept` has not one entry per signal.
    pub fn read(&mut self, kept: &[bool], times: (u64, u64)) -> Result<Waveform, Error> {
        assert_eq!(
            kept.len(),
            self.declared.signals.len(),
            "one entry per signal"
        );
        let mut wave = self.declared.clone();
        let mut asked = vec![false; wave.streams.len()];
        let mut kinds = vec![(SignalKind::Bits, 0); wave.streams.len()];
        for (signal, _) in wave.signals.iter().zip(kept).filter(|(_, kept)| **kept) {
            asked[signal.stream] = true;
        }
        let mut wanted = asked.clone();
        for (&stream, (of, _)) in &self.named {
            wanted[*of] |= asked[stream];
        }
        for signal in &wave.signals {
            kinds[signal.stream] = (signal.kind, signal.width);
        }
        let handles = wave.streams.len() - self.named.len();
        let chosen = (0..handles).filter(|&stream| wanted[stream]);
        let chosen: Vec<_> = chosen.map(FstSignalHandle::from_index).collect();
        // The frame of a section does not say when an event fired, and has no strings.
        let mut read = kinds[..handles]
            .iter()
            .zip(&wanted)
            .filter(|(_, wanted)| **wanted);
        let is_unframed = |kind| kind == SignalKind::Event || kind == SignalKind::Text;
        let begin = match read.any(|(&(kind, _), _)| is_unframed(kind)) {
            true => 0,
            false => times.0,
        };
        if begin > 0 {
            let held = self.held(begin, &kinds[..handles], &wanted);
            let held =
                held.map_err(|error| Error::io(Path::new(&self.origin), "reading", &error))?;
            for (stream, change) in held {
                wave.streams[stream].take(begin, change);
            }
        }
        let filter = FstFilter::new(begin, times.1, chosen);
        let snapshots = &self.snapshots;
        // The snapshot that each event was shown in last.
        let mut shown = vec![None; handles];
        let (from, mut last_change) = (times.0, 0);
        let reader = &mut self.reader;
        let read = guarded(|| {
            let taken = reader.read_signals(&filter, |time, handle, value| {
                let stream = handle.get_index();
                let value = match (value, kinds[stream]) {
                    (FstSignalValue::String(text), (SignalKind::Event, _)) => {
                        if text != b"1" {
                            return Ok(());
                        }
                        let is_held = snapshots.contains(&time) && shown[stream] != Some(time);
                        if is_held {
                            shown[stream] = Some(time);
                            return Ok(());
                        }
                        WaveValue::Fired
                    }
                    (FstSignalValue::Real(value), (SignalKind::Real, _)) => WaveValue::Real(value),
                    (FstSignalValue::String(text), (SignalKind::Text, _)) => {
                        WaveValue::Text(String::from_utf8_lossy(text).into())
                    }
                    (FstSignalValue::String(text), (SignalKind::Bits, width))
                        if text.len() == width as usize =>
                    {
                        vector(text)
                    }
                    _ => return Err(()),
                };
                last_change = last_change.max(time);
                wave.streams[stream].take(from, Change { time, value });
                Ok(())
            });
            taken.map_err(|_| ())
        });
        if read != Some(Ok(())) {
            let what = "a section of changes breaks the format".to_owned();
            return Err(bad(&self.origin, "changes", what));
        }
        for (&stream, (of, names)) in self.named.iter().filter(|(stream, _)| wanted[**stream]) {
            let name = |change: Change| Change {
                time: change.time,
                value: WaveValue::Text(enumerations::name(&change.value, names)),
            };
            let mut changes = Changes::default();
            let named = wave.streams[*of].iter().map(name);
            named.for_each(|change| changes.take(0, change));
            wave.streams[stream] = changes;
        }
        // Streams that were read only for the sake of their names are emptied.
        for stream in (0..handles).filter(|&stream| wanted[stream] && !asked[stream]) {
            wave.streams[stream].clear();
        }
        wave.last_change = last_change;
        Ok(wave)
    }
}

/// The vector with these digits.
fn vector(digits: &[u8]) -> WaveValue {
    let bits: SmallVec<[Bit; 64]> = digits.iter().map(|&digit| bit(digit)).collect();
    WaveValue::from_bits(&bits)
}

fn bit(digit: u8) -> Bit {
    match digit {
        b'0' | b'l' | b'L' => Bit::Zero,
        b'1' | b'h' | b'H' => Bit::One,
        b'z' | b'Z' => Bit::Z,
        _ => Bit::X,
    }
}

/// The unit of time of a power of ten of seconds.
fn timescale(exponent: i8) -> Option<Timescale> {
    let units = [
        TimeUnit::S,
        TimeUnit::Ms,
        TimeUnit::Us,
        TimeUnit::Ns,
        TimeUnit::Ps,
        TimeUnit::Fs,
    ];
    let place = match exponent {
        0.. => 0,
        _ => usize::from(exponent.unsigned_abs()).div_ceil(3),
    };
    let count = i32::from(exponent) + 3 * place as i32;
    Some(Timescale {
        count: 10_u32.checked_pow(u32::try_from(count).ok()?)?,
        unit: *units.get(place)?,
    })
}

/// The FST file in one that is compressed as a whole.
fn unwrapped(input: &mut (impl BufRead + Seek)) -> io::Result<Vec<u8>> {
    input.seek(SeekFrom::Start(1 + 2 * 8))?;
    let mut unpacked = Vec::new();
    Limited::new(Unpacked::new(input), HELD_BYTES_MAX).read_to_end(&mut unpacked)?;
    Ok(unpacked)
}

/// The warning that a file with declarations ends in the middle of a section.
fn cut(sections: &Sections) -> Diagnostic {
    let place = format!("byte {}", sections.whole);
    let read = match sections.last_time() {
        Some(time) => format!("what is before it is read, up to time {time}"),
        None => "no changes are before it".to_owned(),
    };
    let message = format!("the file ends in the middle of a section; {read}");
    Diagnostic::new(place, message, "copy or record the file again")
}

/// The error that a file ends before its declarations, and they are not beside it.
fn without_declarations(origin: &str) -> Error {
    let message = "the file ends without declarations: the program that wrote it was stopped, or \
                   the file is cut, and no file of its name and `.hier` has them";
    let help = "keep the `.hier` file of the writer beside it, or record the waveform again";
    Error::one(
        Class::Input,
        origin,
        Diagnostic::new("end of file", message, help),
    )
}

fn bad(origin: &str, place: &str, what: String) -> Error {
    let help = "the file is damaged or incomplete; write it again";
    Error::one(Class::Input, origin, Diagnostic::new(place, what, help))
}
