//! The waveform of a run: its signals, its size before the run, and its recording.

mod beside;
mod estimate;
mod selection;
mod viewers;

use std::path::Path;
use std::rc::Rc;
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use super::super::wave_args::WaveOutput;
use super::super::{SourcedConfig, interrupt};
use beside::Beside;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_observe::trigger::{Condition, ExtraSignals, Plan, Trigger, parse};
use crosswave_probe::engine::Engine;
use crosswave_probe::signal::SignalSet;
use crosswave_run::checkpoint::Checkpoint;
use crosswave_run::config::EngineKind;
use crosswave_run::host::Outcome;
use crosswave_run::observer::Observer;
use crosswave_run::recorder::{CYCLE_TIME, Recorder, Signals};
use crosswave_run::replicate::Replicate;
use crosswave_run::simulation::Simulation;
use crosswave_wave::viewer_files::{Activity, Observed};
use crosswave_wave::{FileFormat, Timescale, WaveFile};
use viewers::Recording;

pub(crate) use selection::{SIGNALS_MAX, Selection};
pub(crate) use viewers::ViewerArgs;

/// Cycles of a window without an end.
const CYCLES: u64 = u64::MAX / 16;

/// Bytes of a waveform that are warned of.
const WARNED_BYTES: u64 = 1_000_000_000;

/// What a waveform of a run shows, and where it goes.
pub(crate) struct Waveform<'a> {
    output: WaveOutput<'a>,
    simulation: &'a Simulation,
    selection: Selection,
    /// The signals that are selected.
    set: SignalSet,
    /// The first and the last cycle.
    window: (u64, u64),
    /// Around what the cycles lie that are shown, where not all of the window are.
    trigger: Option<(Condition, Plan)>,
    /// What is shown beside ports, where that is asked for and has been found in a run.
    beside: Option<Beside>,
    /// Whether files for viewers are written beside it.
    pub(crate) has_viewer_files: bool,
    /// The cycle for which it is recorded, where there is one.
    moment: Option<u64>,
    /// The file that a checkpoint is from, where it is from one.
    pub(crate) checkpoint_origin: Option<String>,
}

/// What came of the recording of a replicate.
pub(super) struct Recorded {
    pub(super) outcome: Outcome,
    /// How long the cycle loop took.
    pub(super) took: Duration,
    /// What is said when nothing triggered.
    pub(super) missed: Option<Error>,
}

/// The condition of a configuration, and what is wanted around it.
fn trigger(
    sourced: &SourcedConfig,
    simulation: &Simulation,
    selection: &Selection,
    window: (u64, u64),
) -> Result<Option<(Condition, Plan)>, Error> {
    let wave = &sourced.config.wave;
    let Some(text) = &wave.trigger else {
        return Ok(None);
    };
    let extra = beside::signals(simulation, selection);
    let condition = parse::parse(text, simulation.network(), simulation.fabric(), &extra)
        .map_err(|mistake| sourced.wave_error("trigger", vec![(None, mistake)]))?;
    let plan = Plan {
        before_cycles: wave.before_cycles,
        after_cycles: wave.after_cycles,
        moments: wave.triggers as usize,
        armed_cycles: window,
    };
    Ok(Some((condition, plan)))
}

impl<'a> Waveform<'a> {
    /// What was selected of a network.
    pub(crate) fn new(
        output: WaveOutput<'a>,
        simulation: &'a Simulation,
        selection: Selection,
    ) -> Waveform<'a> {
        let set = Signals::new(simulation.fabric(), selection.pins).set(&selection.kept);
        let wave = &simulation.config().wave;
        Waveform {
            output,
            simulation,
            selection,
            set,
            window: match wave.trigger {
                Some(_) => (0, wave.before_cycles + wave.after_cycles),
                None => wave.window_cycles.unwrap_or((0, CYCLES)),
            },
            trigger: None,
            beside: None,
            has_viewer_files: false,
            moment: None,
            checkpoint_origin: None,
        }
    }

    /// The same with what is shown beside ports, for which a replicate is run.
    fn with_beside(mut self, replicate: &Replicate) -> Result<Waveform<'a>, Error> {
        if let Some(beside) = Beside::find(self.simulation, &self.selection, replicate)? {
            self.set_beside(beside);
        }
        Ok(self)
    }

    fn set_beside(&mut self, beside: Beside) {
        self.set.extend(beside.signals.clone());
        self.beside = Some(beside);
    }

    /// The same around moments that the configuration asks for, if it does.
    ///
    /// # Errors
    /// When the condition is wrong.
    pub(super) fn triggered(mut self, sourced: &SourcedConfig) -> Result<Waveform<'a>, Error> {
        let armed = sourced.config.wave.window_cycles.unwrap_or((0, CYCLES));
        self.trigger = trigger(sourced, self.simulation, &self.selection, armed)?;
        Ok(self)
    }

    /// Tells how large the file becomes, and warns when it is large. `quiet` leaves the
    /// warning only.
    pub(super) fn tell_size(&self, replicate: &Replicate, quiet: bool) -> Result<(), Error> {
        // What is around a moment is small, and to estimate it takes as long as many cycles.
        if self.trigger.is_some() {
            return Ok(());
        }
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

    /// Runs a replicate, which is replicate 0, and records it.
    pub(super) fn record(
        mut self,
        replicate: &Replicate,
        observer: &mut dyn Observer,
    ) -> Result<Recorded, Error> {
        self = self.with_beside(replicate)?;
        if let Some((condition, plan)) = self.trigger.take() {
            return self.record_moments(condition, plan, replicate, observer);
        }
        let window = self.window;
        let start = Instant::now();
        let (outcome, recording) = self.record_from(None, replicate, observer)?;
        let took = start.elapsed();
        let missed = (window.0 > outcome.last_cycle).then(|| {
            let message = format!(
                "the window begins at cycle {}, and the run ended at cycle {}",
                window.0, outcome.last_cycle
            );
            let help = "there is no waveform; begin it earlier";
            let diagnostic = Diagnostic::new("wave.window_cycles", message, help);
            Error::one(Class::Check, "run", diagnostic)
        });
        if missed.is_none() {
            recording.finish()?;
        }
        Ok(Recorded {
            outcome,
            took,
            missed,
        })
    }

    /// Runs a replicate while a trigger watches it, and then the windows around its moments once
    /// more, which are recorded.
    fn record_moments(
        self,
        condition: Condition,
        plan: Plan,
        replicate: &Replicate,
        observer: &mut dyn Observer,
    ) -> Result<Recorded, Error> {
        let (network, fabric) = (self.simulation.network(), self.simulation.fabric());
        let count = replicate.workload.messages.len();
        let mut named = condition.messages();
        if let Some(missing) = named.find(|&message| message as usize >= count) {
            let message = format!("it names message {missing}, and there are {count}");
            let help = "messages are counted from 0, as in the first column of run --messages";
            let diagnostic = Diagnostic::new("wave.trigger", message, help);
            return Err(Error::one(Class::Usage, "configuration", diagnostic));
        }
        drop(named);
        let mut condition = condition;
        let tellers = condition.tellers();
        let mut trigger = Trigger::new(network, fabric, condition, plan);
        if let Some(beside) = &self.beside {
            let signals = beside.signals.signals.len();
            trigger.set_extra(ExtraSignals::new(signals, beside.marks.clone()));
        }
        let other = match tellers.is_empty() {
            true => None,
            false => Some((self.on_the_other_engine()?, tellers)),
        };
        let (outcome, took, moments) = thread::scope(|scope| {
            let other = other.map(|(simulation, mut tellers)| {
                scope.spawn(move || simulation.run_one(replicate, &mut tellers).map(drop))
            });
            let start = Instant::now();
            let simulation = self.simulation;
            let outcome = simulation.run_one(replicate, &mut (&mut trigger, observer))?;
            let took = start.elapsed();
            // Nobody asks the other run any more, which ends it.
            let moments = trigger.moments();
            match other.map(ScopedJoinHandle::join) {
                None => {}
                Some(Ok(ended)) => ended?,
                Some(Err(panic)) => std::panic::resume_unwind(panic),
            }
            Ok::<_, Error>((outcome, took, moments))
        })?;
        let missed = moments.is_empty().then(|| {
            let (first, last) = (
                plan.armed_cycles.0,
                plan.armed_cycles.1.min(outcome.last_cycle),
            );
            let is_bounded = self.simulation.config().wave.window_cycles.is_some();
            let (message, help) = if first > last {
                let message = format!("the run ended at cycle {last}, before wave.window_cycles");
                (message, "there is no waveform; begin the window earlier")
            } else {
                let message = format!("the condition was never true in cycles {first} to {last}");
                let help = match is_bounded {
                    true => "there is no waveform; wave.window_cycles says where it is looked for",
                    false => "there is no waveform; look at the condition, or run for longer",
                };
                (message, help)
            };
            Error::one(
                Class::Check,
                "run",
                Diagnostic::new("wave.trigger", message, help),
            )
        });
        let paths = self.output.paths(plan.moments);
        if (1..plan.moments).contains(&moments.len()) {
            super::super::say(&format!(
                "warning: wave.triggers: {} of {} moments came; {} and the files behind it are not \
                 written",
                moments.len(),
                plan.moments,
                paths[moments.len()].display()
            ));
        }
        for (moment, path) in moments.into_iter().zip(&paths) {
            let output = WaveOutput {
                path,
                ..self.output
            };
            let mut waveform = Waveform::new(output, self.simulation, self.selection.clone());
            waveform.has_viewer_files = self.has_viewer_files;
            waveform.moment = Some(moment.cycle);
            self.beside
                .iter()
                .for_each(|beside| waveform.set_beside(beside.clone()));
            let (from, to) = (moment.window.0, moment.window.1.min(outcome.last_cycle));
            let checkpoint = moment.checkpoint.map(Rc::unwrap_or_clone);
            waveform.record_window((from, to), checkpoint, replicate, &mut ())?;
            super::super::say(&format!(
                "{}: triggered in cycle {}, shows cycles {from} to {to}",
                path.display(),
                moment.cycle
            ));
        }
        Ok(Recorded {
            outcome,
            took,
            missed,
        })
    }

    /// The same configuration on the engine that it does not run on.
    fn on_the_other_engine(&self) -> Result<Simulation, Error> {
        let mut config = self.simulation.config().clone();
        config.run.engine = match config.run.engine {
            EngineKind::Gate => EngineKind::Event,
            EngineKind::Event => EngineKind::Gate,
        };
        Simulation::new(&config)
    }

    /// Runs a replicate from a checkpoint on, or from its beginning, and records its window in a
    /// file that has not its name yet, nor what belongs to it.
    fn record_from(
        self,
        checkpoint: Option<Checkpoint>,
        replicate: &Replicate,
        observer: &mut dyn Observer,
    ) -> Result<(Outcome, Recording<'a>), Error> {
        let (output, window) = (self.output, self.window);
        let WaveOutput { path, format, .. } = output;
        let Selection { pins, kept, .. } = self.selection;
        let file = WaveFile::create(path, format, &self.set, Timescale::NANOSECOND)?;
        let ports = kept.count();
        let set = self.has_viewer_files.then_some(self.set);
        let asked = self.moment.map(|cycle| cycle * CYCLE_TIME);
        let sink = Observed {
            sink: file,
            activity: set.as_ref().map(|set| Activity::new(set, asked)),
        };
        let fabric = self.simulation.fabric();
        let mut recorder = Recorder::new(fabric, replicate.seed, pins, kept, window, sink);
        if let Some(Beside { unknown, marks, .. }) = self.beside {
            recorder.set_marks(&unknown, marks);
        }
        let outcome = match checkpoint {
            None => {
                let mut both = (&mut recorder, observer);
                self.simulation.run_one(replicate, &mut both)?
            }
            Some(Checkpoint { snapshot, lanes }) => {
                if let Some(lanes) = lanes {
                    recorder.set_lanes(lanes);
                }
                let mut both = (&mut recorder, observer);
                let simulation = self.simulation;
                match &self.checkpoint_origin {
                    None => {
                        let outcome = simulation.go_on(replicate, &snapshot, &mut both)?;
                        outcome.expect("the checkpoint is of this run")
                    }
                    Some(origin) => {
                        let outcome = simulation.take_up(replicate, &snapshot, &mut both)?;
                        let refused = |reason| Checkpoint::refusal(snapshot.cycle, origin, &reason);
                        outcome.map_err(refused)?
                    }
                }
            }
        };
        let observed = recorder
            .finish(outcome.last_cycle)
            .map_err(|error| Error::io(path, "writing the waveform", &error))?;
        let recording = Recording {
            simulation: self.simulation,
            output,
            observed,
            set,
            ports,
        };
        Ok((outcome, recording))
    }

    /// Records a window of a replicate, which is run from a checkpoint on, or from its beginning,
    /// to the end of the window.
    ///
    /// # Errors
    /// When the run ends before the end of the window, or is interrupted; there is no file then.
    pub(crate) fn record_window(
        mut self,
        window: (u64, u64),
        checkpoint: Option<Checkpoint>,
        replicate: &Replicate,
        observer: &mut dyn Observer,
    ) -> Result<(), Error> {
        self.window = window;
        if self.beside.is_none() {
            self = self.with_beside(replicate)?;
        }
        let last = Last {
            cycle: window.1,
            passed: false,
        };
        let recorded = self.record_from(checkpoint, replicate, &mut (last, observer));
        let (outcome, recording) = recorded?;
        if interrupt::interrupted() {
            return Err(interrupt::interruption());
        }
        if outcome.last_cycle < window.0 {
            let (from, last_cycle) = (window.0, outcome.last_cycle);
            let message =
                format!("it begins at cycle {from}, and the run ended at cycle {last_cycle}");
            let diagnostic = Diagnostic::new("window", message, "begin it earlier");
            return Err(Error::one(Class::Usage, "waveform", diagnostic));
        }
        if outcome.last_cycle < window.1 {
            let (to, last_cycle) = (window.1, outcome.last_cycle);
            let message = format!("it ends at cycle {to}, and the run ended at cycle {last_cycle}");
            let help = format!("end it at cycle {last_cycle}");
            let diagnostic = Diagnostic::new("window", message, help);
            return Err(Error::one(Class::Usage, "waveform", diagnostic));
        }
        recording.finish()
    }
}

/// Ends a run behind a cycle.
struct Last {
    cycle: u64,
    passed: bool,
}

impl Observer for Last {
    fn cycle(&mut self, engine: &dyn Engine, _: bool) {
        self.passed = engine.cycle() > self.cycle;
    }

    fn interrupted(&mut self) -> bool {
        self.passed || interrupt::interrupted()
    }
}

/// About how large the file of a waveform becomes.
#[derive(Debug, serde::Serialize)]
pub(crate) struct Size {
    /// The end of its name.
    pub(crate) format: &'static str,
    pub(crate) bytes: u64,
}

/// The signals that are selected, and about how large files become of replicate 0 with those
/// that are ports.
///
/// # Errors
/// When the trace cannot be read.
pub(crate) fn sizes(
    simulation: &Simulation,
    selection: Selection,
) -> Result<(SignalSet, Vec<Size>), Error> {
    let replicate = simulation.replicate(0)?;
    let output = WaveOutput {
        flag: "--wave",
        path: Path::new("waveform"),
        format: FileFormat::Vcd,
    };
    let beside = beside::signals(simulation, &selection);
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
    let mut set = waveform.set;
    set.extend(beside);
    Ok((set, sizes))
}

/// A number of bytes with the unit that suits it.
pub(crate) fn shown_bytes(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..100_000 => format!("{} kB", bytes.div_ceil(1000)),
        100_000..10_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        10_000_000..WARNED_BYTES => format!("{} MB", bytes / 1_000_000),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}
