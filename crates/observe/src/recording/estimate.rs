//! Estimate of the size of a waveform.
//!
//! That follows from a sample: the run's first cycles on the event engine, into a writer
//! that counts. A run that ends within the sample has that size. Of others the cycles that
//! follow are taken to be like those of the sample, and to be as many as the messages
//! delivered so far let expect.
//!
//! VCD is measured in bytes cycle by cycle. FST and compressed VCD are written in large
//! pieces, so changes are counted cycle by cycle, and how many bytes one takes at the end.

#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::io::{self, Seek, SeekFrom, Write};
use std::rc::Rc;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::monitor::Monitor;
use super::selection::Selection;
use crosswave_probe::engine::Engine;
use crosswave_probe::signal::{SignalSet, WaveSink};
use crosswave_run::host::End;
use crosswave_run::limit::expected_end;
use crosswave_run::observer::Observer;
use crosswave_run::recorder::Recorder;
use crosswave_run::replicate::Replicate;
use crosswave_run::simulation::Simulation;
use crosswave_wave::{FileFormat, FstWriter, Timescale, VcdWriter};

/// Chips times cycles that are sampled.
const SAMPLE_CHIP_CYCLES: usize = 1 << 18;

/// Cycles that are sampled at least: in fewer, hardly a message of a large network is
/// delivered.
const SAMPLE_CYCLES_MIN: u64 = 256;

/// A waveform whose size is estimated.
#[derive(Clone, Copy)]
pub(super) struct Sampled<'a> {
    pub(super) simulation: &'a Simulation,
    pub(super) selection: &'a Selection,
    /// The signals that are selected.
    pub(super) set: &'a SignalSet,
    /// The first and the last cycle.
    pub(super) window: (u64, u64),
    pub(super) monitor: &'a dyn Monitor,
}

/// About how many bytes the file of a waveform will have in a format.
pub(super) fn bytes(
    waveform: Sampled<'_>,
    format: FileFormat,
    replicate: &Replicate,
) -> io::Result<u64> {
    let set = waveform.set;
    let unit = Timescale::NANOSECOND;
    let counted = Rc::new(Cell::new(0));
    let counter = Counter {
        length: counted.clone(),
        place: 0,
    };
    match format {
        FileFormat::Vcd => {
            let writer = VcdWriter::new(set, unit, counter)?;
            let header = counted.get();
            let bytes = |recorder: &Recorder<VcdWriter<Counter>>| recorder.sink().body_bytes();
            let sample = sample(waveform, replicate, writer, bytes)?;
            Ok(header.saturating_add(sample.expected))
        }
        FileFormat::VcdGz => {
            let packed = GzEncoder::new(counter, Compression::fast());
            let writer = VcdWriter::new(set, unit, packed)?;
            let header = counted.get();
            let sample = sample(waveform, replicate, writer, Recorder::changes)?;
            sample.sink.into_inner().finish()?;
            Ok(scaled(
                sample.expected,
                sample.sampled,
                header,
                counted.get(),
            ))
        }
        FileFormat::Fst => {
            let writer = FstWriter::new(set, unit, counter)?;
            let header = counted.get();
            let sample = sample(waveform, replicate, writer, Recorder::changes)?;
            Ok(scaled(
                sample.expected,
                sample.sampled,
                header,
                counted.get(),
            ))
        }
    }
}

/// The bytes of a file with so many changes, when one of so many has `all` bytes with its
/// header.
fn scaled(expected: u64, sampled: u64, header: u64, all: u64) -> u64 {
    let body = u128::from(all.saturating_sub(header));
    let bytes = u128::from(expected) * body / u128::from(sampled.max(1));
    header.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX))
}

/// Measurements of the first cycles of a run, in units: bytes or changes.
struct SizeSample<S> {
    /// Those of the sample.
    sampled: u64,
    /// Those of the file.
    expected: u64,
    sink: S,
}

/// Runs the first cycles into a sink.
fn sample<'a, S: WaveSink>(
    waveform: Sampled<'a>,
    Replicate { seed, workload }: &Replicate,
    sink: S,
    units: impl Fn(&Recorder<'a, S>) -> u64,
) -> io::Result<SizeSample<S>> {
    let simulation = waveform.simulation;
    let (fabric, window) = (simulation.fabric(), waveform.window);
    let chips: usize = fabric.arrays.iter().map(|array| array.instances).sum();
    let (pins, kept) = (waveform.selection.pins, waveform.selection.kept.clone());
    let everything = (0, u64::MAX / 16);
    let mut sample = SampleRun {
        recorder: Recorder::new(fabric, *seed, pins, kept, everything, sink),
        units,
        monitor: waveform.monitor,
        calls_left: SAMPLE_CYCLES_MIN.max((SAMPLE_CHIP_CYCLES / chips.max(1)) as u64),
        window,
        all: 0,
        initial: 0,
        before_window: 0,
        in_window: 0,
    };
    let mut engine = simulation.light_engine(*seed).map_err(io::Error::other)?;
    let outcome = simulation.run_on(&mut *engine, workload, &mut sample);
    let seen = sample.initial + sample.in_window.saturating_sub(sample.before_window);
    let last = outcome.last_cycle;
    let left = match outcome.end {
        End::Interrupted => {
            let end = expected_end(&outcome, workload).min(simulation.cycles_max(workload));
            end.min(window.1)
                .saturating_sub(last.max(window.0.saturating_sub(1)))
        }
        _ => 0,
    };
    let changing = sample.all - sample.initial;
    let rest = u128::from(left) * u128::from(changing) / u128::from(last.max(1));
    Ok(SizeSample {
        sampled: sample.all,
        expected: seen.saturating_add(u64::try_from(rest).unwrap_or(u64::MAX)),
        sink: sample.recorder.finish(last)?,
    })
}

/// Drops bytes, and counts how long a file they make.
struct Counter {
    length: Rc<Cell<u64>>,
    place: u64,
}

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.place += bytes.len() as u64;
        self.length.set(self.length.get().max(self.place));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Counter {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::Current(by) => self.place.checked_add_signed(by),
            SeekFrom::End(by) => self.length.get().checked_add_signed(by),
        };
        self.place = place.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.place)
    }
}

/// Watches the first cycles of a run.
struct SampleRun<'a, S: WaveSink, U> {
    recorder: Recorder<'a, S>,
    /// The units so far.
    units: U,
    monitor: &'a dyn Monitor,
    calls_left: u64,
    window: (u64, u64),
    /// Units behind the header so far.
    all: u64,
    /// Those of the first two cycles, in which every signal takes a value.
    initial: u64,
    /// Those of the cycles from the third to the one before the window.
    before_window: u64,
    /// Those of the cycles from the third to the last of the window.
    in_window: u64,
}

impl<'a, S: WaveSink, U: Fn(&Recorder<'a, S>) -> u64> Observer for SampleRun<'a, S, U> {
    fn cycle(&mut self, engine: &dyn Engine, clocked: bool) {
        self.recorder.cycle(engine, clocked);
        self.all = (self.units)(&self.recorder);
        let cycle = engine.cycle();
        if cycle <= 1 {
            self.initial = self.all;
        }
        if cycle < self.window.0 {
            self.before_window = self.all - self.initial;
        }
        if cycle <= self.window.1 {
            self.in_window = self.all - self.initial;
        }
        self.calls_left = self.calls_left.saturating_sub(1);
    }

    fn interrupted(&mut self) -> bool {
        self.calls_left == 0 || self.monitor.interrupted()
    }
}
