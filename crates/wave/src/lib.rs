//! Waveforms: files for viewers, and drawings for people.
//!
//! ```text
//!  probe::WaveSink <── VcdWriter, FstWriter <── WaveFile     a run is written
//!  SignalSet ──> selection ──> reduced SignalSet      only what is asked for
//!
//!  file ──> source ──> vcd_reader, fst_reader ──> Waveform ──> selection ──> rows
//!                                  │                         │
//!                                  └──> timeline (runs of equal value, by cycle)
//!                                            ├──> terminal (text)
//!                                            └──> svg (a picture)
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`timescale`] | the unit of times |
//! | `declarations` | the order in which scopes and signals are declared |
//! | [`vcd_writer`] | the VCD format, written at the speed of the engines |
//! | `fst` | the FST format |
//! | [`fst_writer`] | a run as FST, with states and words as enumerations |
//! | [`vector_writer`] | VCD of vectors of any width, with X in single bits |
//! | [`file_format`] | the formats, and the ends of names that promise them |
//! | [`wave_file`], [`vector_file`] | files that appear only when they are whole |
//! | [`viewer_files`] | what a viewer is to show of a waveform |
//! | [`selection`] | patterns on scope and signal paths; windows of cycles |
//! | [`value`], [`changes`] | values of signals; when a signal takes which, in little memory |
//! | `signal_name`, `enumerations` | names of signals and of values in files of any tool |
//! | [`waveform`] | a waveform in memory |
//! | [`clock`] | which signals are clocks |
//! | [`vcd_reader`] | VCD bytes to a waveform, with diagnostics |
//! | [`fst_reader`] | FST files of any tool to a waveform |
//! | [`source`] | files of any of these formats, told by their first bytes |
//! | [`compare`] | two waveforms against each other |
//! | [`activity`], [`saif`] | how long bits have which value and how often they toggle, and the states of machines; bits for power tools |
//! | [`overview`] | the signals and the cycle at which a look at a waveform begins |
//! | [`timeline`] | what is drawn of a waveform: rows, cycles, runs |
//! | [`terminal`] | timing diagrams as text |
//! | [`svg`] | timing diagrams as SVG |
//!
//! Times are in the unit of the [`Timescale`]; a cycle is a number of them, and
//! only [`timeline`] turns the one into the other.
//!
//! Absent on purpose: FST to a pipe, for its header is written last. Extended VCD (ports
//! with strengths) is not read.

pub mod activity;
pub mod changes;
pub mod clock;
pub mod compare;
mod declarations;
mod enumerations;
pub mod file_format;
mod fst;
pub mod fst_reader;
pub mod fst_writer;
pub mod overview;
pub mod saif;
pub mod selection;
mod signal_name;
pub mod source;
pub mod svg;
pub mod terminal;
pub mod timeline;
pub mod timescale;
pub mod value;
pub mod vcd_reader;
pub mod vcd_writer;
pub mod vector_file;
pub mod vector_writer;
pub mod viewer_files;
pub mod wave_file;
pub mod waveform;

#[cfg(test)]
mod tests;

pub use changes::{Change, Changes};
pub use file_format::FileFormat;
pub use fst_writer::FstWriter;
pub use selection::{CycleWindow, reduce, select, select_entries};
pub use source::{WaveSource, open, read_file};
pub use timeline::{DrawOptions, DrawnRow, Radix, rows};
pub use timescale::{TimeUnit, Timescale};
pub use value::{Bit, WaveValue};
pub use vcd_reader::read;
pub use vcd_writer::{SignalChange, VcdWriter, replay};
pub use vector_file::VectorFile;
pub use vector_writer::{VectorSignal, VectorWriter};
pub use wave_file::WaveFile;
pub use waveform::{SignalKind, WaveSignal, Waveform};
