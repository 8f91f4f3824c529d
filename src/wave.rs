//! Waveforms: files for viewers, and drawings for people.
//!
//! ```text
//!  probe::WaveSink <── VcdWriter <── VcdFile          a run is written
//!  SignalSet ──> selection ──> reduced SignalSet      only what is asked for
//!
//!  VCD bytes ──> vcd_reader ──> Waveform ──> selection ──> rows
//!                                  │                         │
//!                                  └──> timeline (runs of equal value, by cycle)
//!                                            ├──> terminal (text)
//!                                            └──> svg (a picture)
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`timescale`] | the unit of times |
//! | [`vcd_writer`] | the VCD format, written at the speed of the engines |
//! | [`vector_writer`] | VCD of vectors of any width, with X in single bits |
//! | [`vcd_file`] | a VCD file that appears only when it is whole |
//! | [`selection`] | patterns on scope and signal paths; windows of cycles |
//! | [`waveform`] | a waveform in memory |
//! | [`clock`] | which signals are clocks |
//! | [`vcd_reader`] | VCD bytes to a waveform, with diagnostics |
//! | [`timeline`] | what is drawn of a waveform: rows, cycles, runs |
//! | [`terminal`] | timing diagrams as text |
//! | [`svg`] | timing diagrams as SVG |
//!
//! Times are in the unit of the [`Timescale`]; a cycle is a number of them, and
//! only [`timeline`] turns the one into the other.
//!
//! Absent on purpose: FST is not written; `vcd2fst` of GTKWave makes it from a
//! VCD file. Extended VCD (ports with strengths) is not read.

pub mod clock;
pub mod compare;
pub mod selection;
pub mod svg;
pub mod terminal;
pub mod timeline;
pub mod timescale;
pub mod vcd_file;
pub mod vcd_reader;
pub mod vcd_writer;
pub mod vector_writer;
pub mod waveform;

#[cfg(test)]
mod tests;

pub use selection::{Hierarchy, Window, reduce, select, select_entries};
pub use timeline::{DrawOptions, Radix, Row, rows};
pub use timescale::{TimeUnit, Timescale};
pub use vcd_file::VcdFile;
pub use vcd_reader::{open, read, read_file};
pub use vcd_writer::{SignalChange, VcdWriter, replay};
pub use vector_writer::{VectorSignal, VectorWriter};
pub use waveform::{Bit, SignalKind, WaveSignal, WaveValue, Waveform};
