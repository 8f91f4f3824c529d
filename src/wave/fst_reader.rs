//! Reads an FST file into a [`Waveform`]: some signals in some times, and nothing else.
//!
//! The `fst-reader` crate takes the file apart; it is what `wellen` reads FST with, which
//! itself gives whole signals only, and no part of their time. This module walks the
//! sections first (`check`), so that no number of the file is believed unseen, and ends
//! panics of the crate (`guard`): a bad file is a diagnostic.
//!
//! Files of any tool are read: scopes of every kind (modules, structures, VHDL's) are scopes;
//! states other than 0, 1, X and Z become the nearest of these (H is 1, L is 0, all others X);
//! strings and real numbers are values. Where a variable refers to an enumeration, a string
//! signal `NAME_name` with the names stands behind it, as in VCD of this program.
//!
//! # Limits
//! - Vectors of up to 65,536 bits; scopes up to 256 deep; files of up to 64 GiB.
//! - An FST file needs to be a regular file: its parts are not read in order.
//! - A file that is compressed as a whole is unpacked in memory, up to 4 GiB.
//! - A window takes the time of the sections that it touches: of each the index and the
//!   chains of the signals.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use fst_reader::{FstFilter, FstHierarchyEntry, FstReader, FstSignalHandle, FstSignalValue};

use super::changes::{Change, Changes};
use super::timescale::{TimeUnit, Timescale};
use super::value::{Bit, WaveValue};
use super::vcd_reader::{MAX_DEPTH, MAX_WIDTH};
use super::waveform::{SignalKind, WaveScope, WaveSignal, Waveform};
use crate::diagnostic::{Class, Diagnostic, Error};
use crate::file::input::Limited;
use guard::guarded;

mod check;
mod guard;
#[cfg(test)]
mod tests;

/// What a foreign file declares, as it is taken in.
#[derive(Default)]
struct Declarations {
    wave: Waveform,
    scope: Option<usize>,
    depth: usize,
    /// The enumerations, by their numbers in the file.
    enumerations: BTreeMap<u64, Arc<Names>>,
    /// The one of the next variable.
    enumeration: Option<u64>,
    /// The signals that are names: which, of which signal, and the names.
    named: Vec<(usize, usize, Arc<Names>)>,
    /// What is wrong first.
    mistake: Option<String>,
}

/// The first byte of a file that is compressed as a whole.
const WRAPPED: u8 = 254;

/// What such a file becomes at most.
const UNWRAPPED_BYTES_MAX: u64 = 4 << 30;

trait BufReadSeek: BufRead + Seek {}
impl<T: BufRead + Seek> BufReadSeek for T {}

/// Whether a file that begins with these bytes is FST.
pub(super) fn is_fst(beginning: &[u8]) -> bool {
    beginning.starts_with(&[0, 0, 0, 0, 0, 0, 0, 1, 73]) || beginning.first() == Some(&WRAPPED)
}

/// An FST file of which the declarations are read, and the changes not yet.
pub struct FstFile {
    origin: String,
    reader: FstReader<Box<dyn BufReadSeek>>,
    declared: Waveform,
    /// The streams of names: the stream that they name, and the names.
    named: BTreeMap<usize, (usize, Arc<Names>)>,
}

/// The names of values.
type Names = BTreeMap<u64, Arc<str>>;

impl FstFile {
    /// Reads the declarations; `origin` names the input in diagnostics.
    ///
    /// # Errors
    /// An error of [`Class::Input`] when the file is bad, and of [`Class::Io`] when reading
    /// fails.
    pub fn new(origin: &str, file: File) -> Result<FstFile, Error> {
        let io_error = |error: &io::Error| Error::io(Path::new(origin), "reading", error);
        let mut input: Box<dyn BufReadSeek> = Box::new(BufReader::new(file));
        let is_wrapped = input
            .fill_buf()
            .map(|bytes| bytes.first() == Some(&WRAPPED));
        if is_wrapped.map_err(|error| io_error(&error))? {
            let unwrapped = unwrapped(&mut input);
            let unwrapped = unwrapped.map_err(|_| {
                bad(
                    origin,
                    "byte 0",
                    "found a compressed file that cannot be unpacked".into(),
                )
            })?;
            input = Box::new(Cursor::new(unwrapped));
        }
        let checked = check::check(&mut input).map_err(|error| io_error(&error))?;
        let handles = checked.map_err(|(place, what)| bad(origin, &place, what))?;
        let opened = guarded(|| {
            let mut reader = FstReader::open(input).map_err(|error| error.to_string())?;
            let mut declarations = Declarations::default();
            let read = reader.read_hierarchy(|entry| declarations.take(entry));
            read.map_err(|error| error.to_string())?;
            Ok((reader, declarations))
        });
        let opened = opened.unwrap_or_else(|| Err("what it declares breaks the format".into()));
        let (reader, declarations) =
            opened.map_err(|what: String| bad(origin, "declarations", what))?;
        if let Some(mistake) = declarations.mistake {
            return Err(bad(origin, "declarations", mistake));
        }
        let header = reader.get_header();
        let mut declared = declarations.wave;
        declared.timescale = timescale(header.timescale_exponent);
        declared.end = header.end_time;
        if declared
            .signals
            .iter()
            .any(|signal| signal.stream >= handles)
        {
            return Err(bad(
                origin,
                "declarations",
                "a variable without a width".into(),
            ));
        }
        let mut named = BTreeMap::new();
        for (signal, of, names) in declarations.named {
            let stream = handles + named.len();
            named.insert(stream, (declared.signals[of].stream, names));
            declared.signals[signal].stream = stream;
        }
        declared.streams = vec![Changes::default(); handles + named.len()];
        Ok(FstFile {
            origin: origin.to_owned(),
            reader,
            declared,
            named,
        })
    }

    /// The scopes and signals, without changes.
    pub fn declared(&self) -> &Waveform {
        &self.declared
    }

    /// What the signals that are kept show in the times from `times.0` to `times.1`: their
    /// last change before, and all changes within. Other signals have no changes.
    ///
    /// # Errors
    /// As [`FstFile::new`].
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
        // What an event shows when the file begins, or a section that is read first, says
        // nothing of when it fired.
        let mut read = kinds.iter().zip(&wanted).filter(|(_, wanted)| **wanted);
        let has_events = read.any(|((kind, _), _)| *kind == SignalKind::Event);
        let begin = if has_events { 0 } else { times.0 };
        let filter = FstFilter::new(begin, times.1, chosen);
        let start = self.reader.get_header().start_time;
        let (from, mut last_change) = (times.0, 0);
        let mut bits = Vec::new();
        let reader = &mut self.reader;
        let read = guarded(|| {
            let taken = reader.read_signals(&filter, |time, handle, value| {
                let stream = handle.get_index();
                let value = match (value, kinds[stream]) {
                    (FstSignalValue::String(text), (SignalKind::Event, _)) => {
                        if text != b"1" || time == start {
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
                        bits.clear();
                        bits.extend(text.iter().map(|&digit| bit(digit)));
                        WaveValue::from_bits(&bits)
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
                value: WaveValue::Text(name(&change.value, names)),
            };
            let mut changes = Changes::default();
            let named = wave.streams[*of].iter().map(name);
            named.for_each(|change| changes.take(0, change));
            wave.streams[stream] = changes;
        }
        // What was read for the sake of its names only.
        for stream in (0..handles).filter(|&stream| wanted[stream] && !asked[stream]) {
            wave.streams[stream].clear();
        }
        wave.last_change = last_change;
        Ok(wave)
    }
}

impl Declarations {
    fn take(&mut self, entry: FstHierarchyEntry) {
        match entry {
            FstHierarchyEntry::Scope { name, .. } => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    self.mistake
                        .get_or_insert(format!("scopes lie in {MAX_DEPTH} others"));
                    return;
                }
                self.wave.scopes.push(WaveScope {
                    name,
                    parent: self.scope,
                });
                self.scope = Some(self.wave.scopes.len() - 1);
            }
            FstHierarchyEntry::UpScope => match self.scope {
                Some(scope) => {
                    self.scope = self.wave.scopes[scope].parent;
                    self.depth -= 1;
                }
                None => drop(
                    self.mistake
                        .get_or_insert("a scope ends that did not begin".into()),
                ),
            },
            FstHierarchyEntry::EnumTable {
                handle, mapping, ..
            } => {
                let value = |digits: &str| u64::from_str_radix(digits, 2).ok();
                let names = mapping.iter();
                let names = names.filter_map(|(digits, name)| Some((value(digits)?, &**name)));
                let names = names.map(|(value, name)| (value, name.into())).collect();
                self.enumerations.insert(handle, Arc::new(names));
            }
            FstHierarchyEntry::EnumTableRef { handle } => self.enumeration = Some(handle),
            FstHierarchyEntry::Var {
                tpe,
                name,
                length,
                handle,
                ..
            } => {
                use fst_reader::FstVarType as Kind;
                let kind = match tpe {
                    Kind::GenericString => SignalKind::Text,
                    Kind::Event => SignalKind::Event,
                    Kind::Real | Kind::RealTime | Kind::RealParameter | Kind::ShortReal => {
                        SignalKind::Real
                    }
                    _ => SignalKind::Bits,
                };
                self.variable(&name, length, kind, handle.get_index());
            }
            _ => {}
        }
    }

    fn variable(&mut self, name: &str, width: u32, kind: SignalKind, stream: usize) {
        let enumeration = self.enumeration.take();
        if kind == SignalKind::Bits && !(1..=MAX_WIDTH).contains(&width) {
            if width > 0 {
                let what = format!("variable `{name}` of {width} bits, expected up to 65536");
                self.mistake.get_or_insert(what);
            }
            return;
        }
        let of = self.wave.signals.len();
        let name = without_range(name, width);
        self.wave.signals.push(WaveSignal {
            scope: self.scope,
            name: name.clone(),
            width,
            kind,
            stream,
        });
        let names = enumeration.and_then(|number| self.enumerations.get(&number));
        if let (Some(names), SignalKind::Bits) = (names, kind) {
            self.named.push((of + 1, of, names.clone()));
            self.wave.signals.push(WaveSignal {
                scope: self.scope,
                name: format!("{name}_name"),
                width: 1,
                kind: SignalKind::Text,
                stream,
            });
        }
    }
}

/// A name without the blank before its range, which GHDL leaves out, and without the range
/// when it says nothing that the width does not.
fn without_range(name: &str, width: u32) -> String {
    let whole = format!("[{}:0]", width - width.min(1));
    match name.split_once(" [") {
        _ if name.ends_with(&whole) && name.len() > whole.len() => {
            name[..name.len() - whole.len()].trim_end().to_owned()
        }
        Some((name, range)) => format!("{name}[{range}"),
        None => name.to_owned(),
    }
}

/// The name of a value: `X` when it is not known, and its digits when it has none.
fn name(value: &WaveValue, names: &Names) -> Arc<str> {
    match value {
        WaveValue::Known(value) => match names.get(value) {
            Some(name) => name.clone(),
            None => format!("?{value:x}").into(),
        },
        _ => "X".into(),
    }
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
fn unwrapped(input: &mut Box<dyn BufReadSeek>) -> io::Result<Vec<u8>> {
    input.seek(SeekFrom::Start(1 + 2 * 8))?;
    let mut unpacked = Vec::new();
    Limited::new(MultiGzDecoder::new(input), UNWRAPPED_BYTES_MAX).read_to_end(&mut unpacked)?;
    Ok(unpacked)
}

fn bad(origin: &str, place: &str, what: String) -> Error {
    let help = "the file is damaged or incomplete; write it again";
    Error::one(Class::Input, origin, Diagnostic::new(place, what, help))
}
