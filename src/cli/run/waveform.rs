//! The waveform of a run: its signals, its size before the run, and its recording.
//!
//! How large a waveform becomes follows from a sample: the run's first cycles on the
//! event engine, into a writer that counts. A run that ends within the sample has that
//! size. Of others the cycles that follow are taken to be like those of the sample, and
//! to be as many as the messages delivered so far let expect.

use std::borrow::Cow;
use std::cell::Cell;
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::super::SourcedConfig;
use super::super::interrupt;
use crate::config::Config;
use crate::diagnostic::{Diagnostic, Error};
use crate::event::EventEngine;
use crate::host::{End, Outcome};
use crate::network::Fabric;
use crate::probe::engine::Engine;
use crate::probe::signal::{Kept, SignalSet};
use crate::run::limit::expected_end;
use crate::run::memory;
use crate::run::observer::Observer;
use crate::run::recorder::{Pins, Recorder, Signals};
use crate::run::replicate::Replicate;
use crate::run::simulation::Simulation;
use crate::wave::{Hierarchy, Timescale, VcdFile, VcdWriter, select_entries};

/// Signals a waveform may have: beyond, its tables would not fit in memory.
pub(in crate::cli) const SIGNALS_MAX: usize = 1 << 26;

/// Chips times cycles that are sampled.
const SAMPLE_CHIP_CYCLES: usize = 1 << 18;

/// Cycles that are sampled at least: in fewer, hardly a message of a large network is
/// delivered.
const SAMPLE_CYCLES_MIN: u64 = 256;

/// Bytes of a waveform that are warned of.
const WARNED_BYTES: u64 = 1_000_000_000;

/// What the patterns of a configuration choose from.
impl Hierarchy for Signals<'_> {
    fn scope_count(&self) -> usize {
        self.scope_count()
    }

    fn scope_name(&self, scope: usize) -> Cow<'_, str> {
        self.scope_name(scope)
    }

    fn parent(&self, scope: usize) -> Option<usize> {
        self.parent(scope)
    }

    fn signal_count(&self) -> usize {
        self.signal_count()
    }

    fn signal(&self, signal: usize) -> (&str, Option<usize>) {
        let signal = self.signal(signal);
        (signal.name, Some(signal.scope))
    }
}

/// The signals that a configuration selects for a waveform.
pub(in crate::cli) struct Selection {
    pins: Pins,
    /// Which of all signals.
    kept: Kept,
}

impl Selection {
    /// Selects from what the network has.
    ///
    /// # Errors
    /// When there is too much to select from, and when a pattern matches nothing.
    pub(in crate::cli) fn new(
        sourced: &SourcedConfig,
        fabric: &Fabric,
    ) -> Result<Selection, Error> {
        let ports: usize = fabric
            .arrays
            .iter()
            .map(|a| a.instances * a.chip.ports.len())
            .sum();
        if ports > SIGNALS_MAX {
            return Err(super::super::usage(
                "--vcd",
                format!(
                    "the network has {ports} ports, and a waveform takes at most {SIGNALS_MAX}"
                ),
                "record a smaller network, whatever [wave] scopes selects",
            ));
        }
        let wave = &sourced.config.wave;
        let pins = match wave.random_pins {
            true => Pins::All,
            false => Pins::NotRandom,
        };
        let shown = Signals::new(fabric, pins);
        let kept = select_entries(&shown, &wave.scopes).map_err(|mut mistakes| {
            let SourcedConfig {
                text,
                origin,
                overrides,
                ..
            } = sourced;
            if pins == Pins::NotRandom {
                let all = Signals::new(fabric, Pins::All);
                for (entry, mistake) in &mut mistakes {
                    if select_entries(&all, &wave.scopes[*entry..=*entry]).is_ok() {
                        mistake.message = "matches only pins with random bits".into();
                        mistake.help = "set wave.random_pins = true to record those".into();
                    }
                }
            }
            Config::scopes_error(text, origin, overrides, mistakes)
        })?;
        Ok(Selection {
            pins,
            kept: kept.into_iter().collect(),
        })
    }

    /// Bytes that recording them takes.
    pub(super) fn bytes(&self) -> u64 {
        memory::waveform(self.kept.signals(), self.kept.count())
    }
}

/// What a waveform of a run shows, and where it goes.
pub(super) struct Waveform<'a> {
    path: &'a Path,
    simulation: &'a Simulation,
    selection: Selection,
    /// The signals that are selected.
    set: SignalSet,
    /// The first and the last cycle.
    window: (u64, u64),
}

impl<'a> Waveform<'a> {
    /// What was selected of a network.
    pub(super) fn new(
        path: &'a Path,
        simulation: &'a Simulation,
        selection: Selection,
    ) -> Waveform<'a> {
        let set = Signals::new(simulation.fabric(), selection.pins).set(&selection.kept);
        let window = simulation.config().wave.window_cycles;
        Waveform {
            path,
            simulation,
            selection,
            set,
            window: window.unwrap_or((0, u64::MAX / 16)),
        }
    }

    /// Tells how large the file becomes, and warns when it is large. `quiet` leaves the
    /// warning only.
    pub(super) fn tell_size(&self, replicate: &Replicate, quiet: bool) -> Result<(), Error> {
        let bytes = self.estimate(replicate)?;
        let path = self.path.display();
        if bytes > WARNED_BYTES {
            let message = format!("the waveform will have about {}", shown_bytes(bytes));
            let help = "select less with wave.scopes or wave.window_cycles";
            let warning = Diagnostic::new("--vcd", message, help);
            super::super::warn(&path.to_string(), &warning);
        } else if !quiet {
            super::super::say(&format!(
                "{path}: {} signals, about {}",
                self.selection.kept.count(),
                shown_bytes(bytes)
            ));
        }
        Ok(())
    }

    /// About how many bytes the file will have.
    fn estimate(&self, Replicate { seed, workload }: &Replicate) -> Result<u64, Error> {
        let fabric = self.simulation.fabric();
        let counted = Rc::new(Cell::new(0));
        let writer = VcdWriter::new(&self.set, Timescale::NANOSECOND, Counter(counted.clone()))
            .map_err(|error| Error::io(self.path, "writing", &error))?;
        let header = counted.get();
        let chips: usize = fabric.arrays.iter().map(|array| array.instances).sum();
        let Selection { pins, kept } = &self.selection;
        let everything = (0, u64::MAX / 16);
        let mut sample = Sample {
            recorder: Recorder::new(fabric, *seed, *pins, kept.clone(), everything, writer),
            calls_left: SAMPLE_CYCLES_MIN.max((SAMPLE_CHIP_CYCLES / chips.max(1)) as u64),
            window: self.window,
            bytes: 0,
            initial: 0,
            before_window: 0,
            in_window: 0,
        };
        let threads = self.simulation.config().run.threads as usize;
        let engine: &mut dyn Engine = &mut EventEngine::new(fabric.clone(), *seed, threads);
        let outcome = self.simulation.run_on(engine, workload, &mut sample);
        let seen = header + sample.initial + sample.in_window.saturating_sub(sample.before_window);
        let last = outcome.last_cycle;
        if outcome.end != End::Interrupted {
            return Ok(seen);
        }
        let end = expected_end(&outcome, workload).min(self.simulation.cycles_max(workload));
        let left = end
            .min(self.window.1)
            .saturating_sub(last.max(self.window.0.saturating_sub(1)));
        let changing = sample.bytes - sample.initial;
        let rest = u128::from(left) * u128::from(changing) / u128::from(last.max(1));
        Ok(seen.saturating_add(u64::try_from(rest).unwrap_or(u64::MAX)))
    }

    /// Runs a replicate, which is replicate 0, and records it. Says how long its cycle loop
    /// took, too.
    pub(super) fn record(
        self,
        replicate: &Replicate,
        observer: &mut impl Observer<dyn Engine>,
    ) -> Result<(Outcome, Duration), Error> {
        let (path, window) = (self.path, self.window);
        let Selection { pins, kept } = self.selection;
        let file = VcdFile::create(path, &self.set, Timescale::NANOSECOND)?;
        drop(self.set);
        let fabric = self.simulation.fabric();
        let mut recorder = Recorder::new(fabric, replicate.seed, pins, kept, window, file);
        let start = Instant::now();
        let outcome = {
            let mut both = (&mut recorder, observer);
            self.simulation.run_one(replicate, &mut both)?
        };
        let took = start.elapsed();
        let file = recorder
            .finish(outcome.last_cycle)
            .map_err(|error| Error::io(path, "writing the waveform", &error))?;
        file.finish()?;
        if window.0 > outcome.last_cycle {
            super::super::say(&format!(
                "warning: wave.window_cycles: the window begins at cycle {}, and the run ended \
                 at cycle {}; {} shows no values\n  help: begin it earlier",
                window.0,
                outcome.last_cycle,
                path.display()
            ));
        }
        Ok((outcome, took))
    }
}

/// Counts bytes and drops them.
struct Counter(Rc<Cell<u64>>);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.set(self.0.get() + bytes.len() as u64);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Watches the first cycles of a run.
struct Sample<'a> {
    recorder: Recorder<'a, VcdWriter<Counter>>,
    calls_left: u64,
    window: (u64, u64),
    /// Bytes behind the header so far.
    bytes: u64,
    /// Those of the first two cycles, in which every signal takes a value.
    initial: u64,
    /// Those of the cycles from the third to the one before the window.
    before_window: u64,
    /// Those of the cycles from the third to the last of the window.
    in_window: u64,
}

impl Observer<dyn Engine> for Sample<'_> {
    fn cycle(&mut self, engine: &(dyn Engine + 'static), clocked: bool) {
        self.recorder.cycle(engine, clocked);
        self.bytes = self.recorder.sink().body_bytes();
        let cycle = engine.cycle();
        if cycle <= 1 {
            self.initial = self.bytes;
        }
        if cycle < self.window.0 {
            self.before_window = self.bytes - self.initial;
        }
        if cycle <= self.window.1 {
            self.in_window = self.bytes - self.initial;
        }
        self.calls_left = self.calls_left.saturating_sub(1);
    }

    fn interrupted(&mut self) -> bool {
        self.calls_left == 0 || interrupt::interrupted()
    }
}

/// A number of bytes with the unit that suits it.
fn shown_bytes(bytes: u64) -> String {
    match bytes {
        0..100_000 => format!("{} kB", bytes.div_ceil(1000)),
        100_000..10_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        10_000_000..WARNED_BYTES => format!("{} MB", bytes / 1_000_000),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}
