//! The waveform of a run: its signals, its size before the run, and its recording.

mod estimate;

use std::borrow::Cow;
use std::path::Path;
use std::time::{Duration, Instant};

use super::super::SourcedConfig;
use super::super::wave_args::WaveOutput;
use crate::config::Config;
use crate::diagnostic::{Diagnostic, Error};
use crate::host::Outcome;
use crate::network::Fabric;
use crate::probe::engine::Engine;
use crate::probe::signal::{Kept, SignalSet};
use crate::run::memory;
use crate::run::observer::Observer;
use crate::run::recorder::{Pins, Recorder, Signals};
use crate::run::replicate::Replicate;
use crate::run::simulation::Simulation;
use crate::wave::{FileFormat, Hierarchy, Timescale, WaveFile, select_entries};

/// Signals a waveform may have: beyond, its tables would not fit in memory.
pub(in crate::cli) const SIGNALS_MAX: usize = 1 << 26;

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

    /// Bytes of memory that recording them takes.
    pub(super) fn bytes(&self, format: FileFormat) -> u64 {
        let recorder = memory::waveform(self.kept.signals(), self.kept.count());
        recorder + WaveFile::memory(format, self.kept.count() as u64)
    }
}

/// What a waveform of a run shows, and where it goes.
pub(super) struct Waveform<'a> {
    output: WaveOutput<'a>,
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
        output: WaveOutput<'a>,
        simulation: &'a Simulation,
        selection: Selection,
    ) -> Waveform<'a> {
        let set = Signals::new(simulation.fabric(), selection.pins).set(&selection.kept);
        let window = simulation.config().wave.window_cycles;
        Waveform {
            output,
            simulation,
            selection,
            set,
            window: window.unwrap_or((0, u64::MAX / 16)),
        }
    }

    /// Tells how large the file becomes, and warns when it is large. `quiet` leaves the
    /// warning only.
    pub(super) fn tell_size(&self, replicate: &Replicate, quiet: bool) -> Result<(), Error> {
        let bytes = estimate::bytes(self, replicate)
            .map_err(|error| Error::io(self.output.path, "writing", &error))?;
        let path = self.output.path.display();
        if bytes > WARNED_BYTES {
            let message = format!("the waveform will have about {}", shown_bytes(bytes));
            let help = "select less with wave.scopes or wave.window_cycles";
            let warning = Diagnostic::new(self.output.flag, message, help);
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

    /// Runs a replicate, which is replicate 0, and records it. Says how long its cycle loop
    /// took, too.
    pub(super) fn record(
        self,
        replicate: &Replicate,
        observer: &mut impl Observer<dyn Engine>,
    ) -> Result<(Outcome, Duration), Error> {
        let (WaveOutput { path, format, .. }, window) = (self.output, self.window);
        let Selection { pins, kept } = self.selection;
        let file = WaveFile::create(path, format, &self.set, Timescale::NANOSECOND)?;
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

/// About how large the file of a waveform becomes.
#[derive(Debug, serde::Serialize)]
pub(in crate::cli) struct Size {
    /// The end of its name.
    pub(in crate::cli) format: &'static str,
    pub(in crate::cli) bytes: u64,
}

/// The signals that are selected, and about how large files of them become of replicate 0.
///
/// # Errors
/// When the trace cannot be read.
pub(in crate::cli) fn sizes(
    simulation: &Simulation,
    selection: Selection,
) -> Result<(SignalSet, Vec<Size>), Error> {
    let replicate = simulation.replicate(0)?;
    let output = WaveOutput {
        flag: "--wave",
        path: Path::new("waveform"),
        format: FileFormat::Vcd,
    };
    let mut waveform = Waveform::new(output, simulation, selection);
    let mut sizes = Vec::new();
    for format in [FileFormat::Vcd, FileFormat::VcdGz, FileFormat::Fst] {
        waveform.output.format = format;
        let bytes = estimate::bytes(&waveform, &replicate)
            .map_err(|error| Error::io(waveform.output.path, "writing", &error))?;
        sizes.push(Size {
            format: format.ending(),
            bytes,
        });
    }
    Ok((waveform.set, sizes))
}

/// A number of bytes with the unit that suits it.
pub(in crate::cli) fn shown_bytes(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..100_000 => format!("{} kB", bytes.div_ceil(1000)),
        100_000..10_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        10_000_000..WARNED_BYTES => format!("{} MB", bytes / 1_000_000),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}
