//! Writes a run as FST, at the speed of the engines and in a tenth of the bytes of VCD.
//!
//! The format is in `wave::fst`. Signals have the scopes, names, widths and values
//! that [`vcd_writer`](super::vcd_writer) gives them. States and words that have names are
//! enumerations: the table stands before the first signal that has it, and viewers show the
//! names in place of the values; there is no variable besides. Signals on the clock of the
//! design have one list of changes, and those on its reset.
//!
//! # Cost
//!
//! A change is a record of 16 bytes at first; with sorting and compression it takes about
//! 20 ns on one core. Memory is that of two sections' records, see [`memory`].

use std::io::{self, Seek, Write};

use super::declarations::{Declarations, declare};
use super::fst::{Enumeration, FstHierarchy, FstStream, Handle};
use super::timescale::Timescale;
use crosswave_probe::signal::{Net, SignalSet, StateName, Value, WaveSink};

#[cfg(test)]
mod tests;

/// Writes FST to `W`, which is written to in order but for the header, which is written
/// once more at the end.
///
/// Calls go in the order that [`WaveSink`] asks for. After an error of `W` the writer stays
/// failed: later calls return errors, and none panics.
///
/// ```
/// use std::io::Cursor;
/// use crosswave_probe::signal::{Net, Scope, Signal, SignalSet, Value, WaveSink};
/// use crosswave_wave::{FstWriter, Timescale};
///
/// let set = SignalSet {
///     scopes: vec![Scope { name: "top".into(), parent: None }],
///     signals: vec![Signal { scope: 0, name: "data", width: 8, states: &[], net: Net::Own }],
/// };
/// let mut writer = FstWriter::new(&set, Timescale::NANOSECOND, Cursor::new(Vec::new()))?;
/// writer.begin(0, &[Value::X])?;
/// writer.time(10)?;
/// writer.change(0, 0x0a)?;
/// writer.end(20)?;
/// assert!(writer.into_inner().into_inner().len() > 330);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct FstWriter<W> {
    stream: FstStream<W>,
    /// The handle of every signal.
    handles: Vec<Handle>,
}

impl<W: Write + Seek> FstWriter<W> {
    /// Writes the declarations of `set` to `out`. Times are in units of `timescale`.
    ///
    /// # Errors
    /// Those of `out`; and a step of time that is no power of ten.
    pub fn new(set: &SignalSet, timescale: Timescale, out: W) -> io::Result<Self> {
        let mut declared = Declared {
            set,
            hierarchy: FstHierarchy::new(),
            shared: Vec::new(),
            tables: Vec::new(),
            handles: vec![Handle::default(); set.signals.len()],
        };
        let within = set.signals.iter().map(|signal| signal.scope);
        declare(&set.scopes, within, &mut declared)?;
        let Declared {
            hierarchy, handles, ..
        } = declared;
        Ok(FstWriter {
            stream: FstStream::new(out, timescale, hierarchy)?,
            handles,
        })
    }

    /// The writer below. What is not yet written is lost, unless [`WaveSink::end`] was called.
    pub fn into_inner(self) -> W {
        self.stream.into_inner()
    }

    /// Bytes of changes that were written so far. Most are collected first, until
    /// [`FstWriter::flush`].
    pub fn body_bytes(&self) -> u64 {
        self.stream.section_bytes()
    }

    /// Writes all changes so far. The file becomes larger by it.
    ///
    /// # Errors
    /// Those of the writer below.
    pub fn flush(&mut self) -> io::Result<()> {
        self.stream.write_section()
    }

    /// True when a write failed; the file is then incomplete.
    pub fn has_failed(&self) -> bool {
        self.stream.has_failed()
    }
}

/// Bytes of memory that an [`FstWriter`] of so many signals takes at most, beyond those of a
/// [`VcdWriter`](super::VcdWriter).
pub fn memory(signals: u64) -> u64 {
    FstStream::<io::Cursor<Vec<u8>>>::bytes(signals, signals * BITS_EXPECTED)
}

/// Bits of a signal in the mean, for its memory.
const BITS_EXPECTED: u64 = 8;

impl<W: Write + Seek> WaveSink for FstWriter<W> {
    fn begin(&mut self, time: u64, values: &[Value]) -> io::Result<()> {
        assert_eq!(values.len(), self.handles.len(), "one value per signal");
        self.stream.begin(time)?;
        // Signals without a value are X.
        for (&handle, value) in self.handles.iter().zip(values) {
            if let Value::Known(value) = *value {
                self.stream.change(handle, value);
            }
        }
        Ok(())
    }

    #[inline]
    fn time(&mut self, time: u64) -> io::Result<()> {
        self.stream.time(time)
    }

    #[inline]
    fn change(&mut self, index: usize, value: u64) -> io::Result<()> {
        self.stream.change(self.handles[index], value);
        Ok(())
    }

    fn end(&mut self, time: u64) -> io::Result<()> {
        self.stream.end(time)
    }
}

/// The declarations of a set of signals.
struct Declared<'a> {
    set: &'a SignalSet,
    hierarchy: FstHierarchy,
    /// The nets that have several signals.
    shared: Vec<(Net, Handle)>,
    /// The tables of names, by where they are and for which width.
    tables: Vec<(*const StateName, usize, u8, Enumeration)>,
    handles: Vec<Handle>,
}

impl Declared<'_> {
    /// The enumeration of a signal's names, defined at its first signal. Signals of one kind
    /// of chip have one table, so there are few.
    fn enumeration(&mut self, index: usize) -> io::Result<Enumeration> {
        let signal = &self.set.signals[index];
        let (table, length) = (signal.states.as_ptr(), signal.states.len());
        let key = (table, length, signal.width);
        let known = |entry: &&(*const StateName, usize, u8, Enumeration)| {
            (entry.0, entry.1, entry.2) == key
        };
        if let Some(&(_, _, _, known)) = self.tables.iter().find(known) {
            return Ok(known);
        }
        let fits = |value: u64| signal.width == 64 || value >> signal.width == 0;
        let states = signal.states.iter().filter(|state| fits(state.value));
        let named: Vec<(u64, String)> = states
            .map(|state| (state.value, word(state.name)))
            .collect();
        let width = u32::from(signal.width);
        let made = self
            .hierarchy
            .enumeration(&word(signal.name), width, &named)?;
        self.tables.push((table, length, signal.width, made));
        Ok(made)
    }
}

/// A name as a word of a table.
fn word(name: &str) -> String {
    let plain = |c: char| c.is_ascii_graphic() && c != '\\';
    match name.is_empty() {
        true => "_".to_owned(),
        false => name.replace(|c| !plain(c), "_"),
    }
}

impl Declarations for Declared<'_> {
    fn open(&mut self, scope: &str) -> io::Result<()> {
        self.hierarchy.open(scope)
    }

    fn signal(&mut self, index: usize) -> io::Result<()> {
        let signal = &self.set.signals[index];
        if !signal.states.is_empty() {
            let names = self.enumeration(index)?;
            self.hierarchy.named_by(names)?;
        }
        let width = u32::from(signal.width);
        let name = match width {
            1 => signal.name.to_owned(),
            _ => format!("{} [{}:0]", signal.name, width - 1),
        };
        let shared = self.shared.iter().find(|(net, _)| *net == signal.net);
        self.handles[index] = match shared {
            Some(&(_, handle)) => {
                self.hierarchy.alias(&name, handle)?;
                handle
            }
            None => {
                let handle = self.hierarchy.variable(&name, width)?;
                if signal.net != Net::Own {
                    self.shared.push((signal.net, handle));
                }
                handle
            }
        };
        Ok(())
    }

    fn close(&mut self) -> io::Result<()> {
        self.hierarchy.close()
    }
}
