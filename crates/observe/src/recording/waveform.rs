//! The waveform of a run: its signals, its size before the run, and its recording.

use std::path::PathBuf;
use std::rc::Rc;
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use super::estimate::{self, Sampled};
use super::extra::{self, ExtraHistory};
use super::failure::RecordingFailure;
use super::monitor::{Monitor, Note};
use super::selection::Selection;
use super::target::WaveTarget;
use super::viewers::Unfinished;
use crate::trigger::{Condition, ExtraSignals, Plan, Trigger, parse};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::threads;
use crosswave_probe::engine::Engine;
use crosswave_probe::signal::SignalSet;
use crosswave_run::checkpoint::Checkpoint;
use crosswave_run::config::{ConfigSource, EngineKind};
use crosswave_run::host::Outcome;
use crosswave_run::observer::Observer;
use crosswave_run::recorder::{CYCLE_TIME, Recorder, Signals};
use crosswave_run::replicate::Replicate;
use crosswave_run::simulation::Simulation;
use crosswave_wave::viewer_files::{Activity, Observed};
use crosswave_wave::{FileFormat, Timescale, WaveFile};

/// Cycles of a window without an end.
const CYCLES: u64 = u64::MAX / 16;

/// Waveform of a run: its signals, and its destination.
pub struct RunWaveform<'a> {
    target: WaveTarget,
    simulation: &'a Simulation,
    selection: Selection,
    /// The signals that are selected.
    set: SignalSet,
    /// The first and the last cycle.
    window: (u64, u64),
    /// Around what the cycles lie that are shown, where not all of the window are.
    trigger: Option<(Condition, Plan)>,
    /// The history of signals beside ports, if it is asked for and has been found in a run.
    extra: Option<ExtraHistory>,
    /// True when files for viewers are written beside it.
    has_viewer_files: bool,
    /// The cycle for which it is recorded, where there is one.
    moment: Option<u64>,
    /// The file that a checkpoint is from, where it is from one.
    checkpoint_origin: Option<String>,
}

/// Result of recording a replicate.
pub struct Recorded {
    /// The outcome of the replicate.
    pub outcome: Outcome,
    /// Time that the cycle loop took.
    pub took: Duration,
    /// The message for a waveform that was not written: the window began after the run, or the
    /// condition was never true in it.
    pub missed: Option<Error>,
}

/// The condition of a selection, and what is wanted around it.
fn trigger(
    simulation: &Simulation,
    selection: &Selection,
    source: &ConfigSource,
) -> Result<Option<(Condition, Plan)>, Error> {
    let wave = &selection.wave;
    let Some(text) = &wave.trigger else {
        return Ok(None);
    };
    let extra = extra::signals(simulation, selection);
    let condition = parse::parse(text, simulation.network(), simulation.fabric(), &extra)
        .map_err(|mistake| source.wave_error("trigger", vec![(None, mistake)]))?;
    let plan = Plan {
        before_cycles: wave.before_cycles,
        after_cycles: wave.after_cycles,
        moments: wave.triggers as usize,
        armed_cycles: wave.window_cycles.unwrap_or((0, CYCLES)),
    };
    Ok(Some((condition, plan)))
}

impl<'a> RunWaveform<'a> {
    /// The waveform of what was selected of the network of a simulation. It shows the window of
    /// the selection; around what a condition finds, once it is [`RunWaveform::triggered`].
    pub fn new(target: WaveTarget, simulation: &'a Simulation, selection: Selection) -> Self {
        let set = Signals::new(simulation.fabric(), selection.pins).set(&selection.kept);
        let wave = &selection.wave;
        RunWaveform {
            target,
            simulation,
            window: match wave.trigger {
                Some(_) => (0, wave.before_cycles + wave.after_cycles),
                None => wave.window_cycles.unwrap_or((0, CYCLES)),
            },
            selection,
            set,
            trigger: None,
            extra: None,
            has_viewer_files: false,
            moment: None,
            checkpoint_origin: None,
        }
    }

    /// The same with files for viewers beside it ([`ViewerPaths`](super::ViewerPaths)), or
    /// without.
    pub fn viewer_files(mut self, are_written: bool) -> Self {
        self.has_viewer_files = are_written;
        self
    }

    /// The same for checkpoints that were read from a file, `origin`. Those are not trusted: what
    /// is wrong with one is found before it is used, or where the run goes on from it.
    pub fn checkpoints_from(mut self, origin: String) -> Self {
        self.checkpoint_origin = Some(origin);
        self
    }

    /// The same around the moments of the selection's condition, if it has one; `source` is what
    /// that was read from.
    ///
    /// # Errors
    /// When the condition is wrong.
    pub fn triggered(mut self, source: &ConfigSource) -> Result<Self, Error> {
        self.trigger = trigger(self.simulation, &self.selection, source)?;
        Ok(self)
    }

    /// The same with what is shown beside ports, for which a replicate is run.
    fn with_extra(
        mut self,
        replicate: &Replicate,
        monitor: &mut dyn Monitor,
    ) -> Result<Self, RecordingFailure> {
        let (simulation, selection) = (self.simulation, &self.selection);
        if let Some(extra) = ExtraHistory::find(simulation, selection, replicate, monitor)? {
            self.set_extra(extra);
        }
        Ok(self)
    }

    fn set_extra(&mut self, extra: ExtraHistory) {
        self.set.extend(extra.signals.clone());
        self.extra = Some(extra);
    }

    /// The destination of the waveform.
    pub fn target(&self) -> &WaveTarget {
        &self.target
    }

    /// Its file, and the number of signals in it, as [`sizes`] counts them: the names of states are
    /// none. `None` where a trigger decides what is written.
    pub fn whole_file(&self) -> Option<(PathBuf, usize)> {
        let file = (self.target.path.clone(), self.set.signals.len());
        self.trigger.is_none().then_some(file)
    }

    /// About how many bytes its file becomes with its ports, by the first cycles of a replicate;
    /// `None` for cycles around moments, which are few, and whose estimate takes as long as many.
    ///
    /// # Errors
    /// When packing the sample fails.
    pub fn estimated_bytes(
        &self,
        replicate: &Replicate,
        monitor: &dyn Monitor,
    ) -> Result<Option<u64>, Error> {
        if self.trigger.is_some() {
            return Ok(None);
        }
        self.bytes_as(self.target.format, replicate, monitor)
            .map(Some)
    }

    fn bytes_as(
        &self,
        format: FileFormat,
        replicate: &Replicate,
        monitor: &dyn Monitor,
    ) -> Result<u64, Error> {
        let sampled = Sampled {
            simulation: self.simulation,
            selection: &self.selection,
            set: &self.set,
            window: self.window,
            monitor,
        };
        estimate::bytes(sampled, format, replicate)
            .map_err(|error| Error::io(&self.target.path, "writing", &error))
    }

    /// Runs a replicate, which is replicate 0, and records it.
    ///
    /// # Errors
    /// When a run fails, when a file cannot be written, when what is shown beside ports changes
    /// too often, and when the condition names a message that is not there. A monitor that stops
    /// the run itself leaves a waveform of what was simulated; one that stops a run before or
    /// after it leaves none.
    pub fn record(
        mut self,
        replicate: &Replicate,
        observer: &mut dyn Observer,
        monitor: &mut dyn Monitor,
    ) -> Result<Recorded, RecordingFailure> {
        self = self.with_extra(replicate, monitor)?;
        if let Some((condition, plan)) = self.trigger.take() {
            return self.record_moments(condition, plan, replicate, observer, monitor);
        }
        let window = self.window;
        let start = Instant::now();
        let (outcome, unfinished) = self.record_from(None, replicate, observer)?;
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
            unfinished.finish(monitor)?;
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
        monitor: &mut dyn Monitor,
    ) -> Result<Recorded, RecordingFailure> {
        let (network, fabric) = (self.simulation.network(), self.simulation.fabric());
        if self.selection.wave.window_cycles.is_some() {
            monitor.note(Note::SearchWindow {
                window: plan.armed_cycles,
            });
        }
        let count = replicate.workload.messages.len();
        let mut named = condition.messages();
        if let Some(missing) = named.find(|&message| message as usize >= count) {
            let message = format!("it names message {missing}, and there are {count}");
            let help = "messages are counted from 0";
            let diagnostic = Diagnostic::new("wave.trigger", message, help);
            let error = Error::one(Class::Usage, "configuration", diagnostic);
            return Err(RecordingFailure::UnknownMessage(error));
        }
        drop(named);
        let mut condition = condition;
        let tellers = condition.tellers();
        let mut trigger = Trigger::new(network, fabric, condition, plan);
        if let Some(extra) = &self.extra {
            let signals = extra.signals.signals.len();
            trigger.set_extra(ExtraSignals::new(signals, extra.marks.clone()));
        }
        let other = match tellers.is_empty() {
            true => None,
            false => Some((self.on_the_other_engine()?, tellers)),
        };
        let (outcome, took, moments) = thread::scope(|scope| {
            let other = other.map(|(simulation, mut tellers)| {
                threads::start(scope, move || {
                    simulation.run_one(replicate, &mut tellers).map(drop)
                })
            });
            let other = other.transpose()?;
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
            let is_bounded = self.selection.wave.window_cycles.is_some();
            let (message, help) = if first > last {
                let message = format!("the run ended at cycle {last}, before wave.window_cycles");
                (message, "there is no waveform; begin the window earlier")
            } else {
                let message = format!("the condition was never true in cycles {first} to {last}");
                let help = match is_bounded {
                    true => {
                        "there is no waveform; wave.window_cycles limits the search to these \
                         cycles, and without that key the whole run is searched"
                    }
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
        let paths = self.target.paths(plan.moments);
        if (1..plan.moments).contains(&moments.len()) {
            monitor.note(Note::FewerMoments {
                found: moments.len(),
                wanted: plan.moments,
                first_missing: &paths[moments.len()],
            });
        }
        for (moment, path) in moments.into_iter().zip(&paths) {
            let target = WaveTarget {
                path: path.clone(),
                format: self.target.format,
            };
            let mut waveform = RunWaveform::new(target, self.simulation, self.selection.clone());
            waveform.has_viewer_files = self.has_viewer_files;
            waveform.moment = Some(moment.cycle);
            self.extra
                .iter()
                .for_each(|extra| waveform.set_extra(extra.clone()));
            let window = (moment.window.0, moment.window.1.min(outcome.last_cycle));
            let checkpoint = moment.checkpoint.map(Rc::unwrap_or_clone);
            waveform.record_window(window, checkpoint, replicate, &mut (), monitor)?;
            monitor.note(Note::Moment {
                path,
                cycle: moment.cycle,
                window,
            });
            for collision in &moment.collisions {
                let text = collision.text(network, fabric);
                monitor.note(Note::Collision { text: &text });
            }
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
            EngineKind::Event | EngineKind::Gpu => EngineKind::Gate,
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
    ) -> Result<(Outcome, Unfinished<'a>), Error> {
        let (target, window) = (self.target, self.window);
        let Selection { pins, kept, .. } = self.selection;
        let unit = Timescale::NANOSECOND;
        let file = WaveFile::create(&target.path, target.format, &self.set, unit)?;
        let ports = kept.count();
        let set = self.has_viewer_files.then_some(self.set);
        let asked = self.moment.map(|cycle| cycle * CYCLE_TIME);
        let sink = Observed {
            sink: file,
            activity: set.as_ref().map(|set| Activity::new(set, asked)),
        };
        let fabric = self.simulation.fabric();
        let mut recorder = Recorder::new(fabric, replicate.seed, pins, kept, window, sink);
        if let Some(ExtraHistory { unknown, marks, .. }) = self.extra {
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
            .map_err(|error| Error::io(&target.path, "writing the waveform", &error))?;
        let unfinished = Unfinished {
            simulation: self.simulation,
            target,
            observed,
            set,
            ports,
        };
        Ok((outcome, unfinished))
    }

    /// Records a window of a replicate, which is run from a checkpoint on, or from its beginning,
    /// to the end of the window.
    ///
    /// # Errors
    /// When the run ends before the end of the window, or is stopped; there is no file then.
    pub fn record_window(
        mut self,
        window: (u64, u64),
        checkpoint: Option<Checkpoint>,
        replicate: &Replicate,
        observer: &mut dyn Observer,
        monitor: &mut dyn Monitor,
    ) -> Result<(), RecordingFailure> {
        self.window = window;
        if self.extra.is_none() {
            self = self.with_extra(replicate, monitor)?;
        }
        let last = Last {
            cycle: window.1,
            passed: false,
            monitor: &*monitor,
        };
        let recorded = self.record_from(checkpoint, replicate, &mut (last, observer));
        let (outcome, unfinished) = recorded?;
        if monitor.interrupted() {
            return Err(RecordingFailure::Interrupted);
        }
        if outcome.last_cycle < window.0 {
            let (from, last_cycle) = (window.0, outcome.last_cycle);
            let message =
                format!("it begins at cycle {from}, and the run ended at cycle {last_cycle}");
            let diagnostic = Diagnostic::new("window", message, "begin it earlier");
            return Err(Error::one(Class::Usage, "waveform", diagnostic).into());
        }
        if outcome.last_cycle < window.1 {
            let (to, last_cycle) = (window.1, outcome.last_cycle);
            let message = format!("it ends at cycle {to}, and the run ended at cycle {last_cycle}");
            let help = format!("end it at cycle {last_cycle}");
            let diagnostic = Diagnostic::new("window", message, help);
            return Err(Error::one(Class::Usage, "waveform", diagnostic).into());
        }
        unfinished.finish(monitor)?;
        Ok(())
    }
}

/// Ends a run behind a cycle.
struct Last<'a> {
    cycle: u64,
    passed: bool,
    monitor: &'a dyn Monitor,
}

impl Observer for Last<'_> {
    fn cycle(&mut self, engine: &dyn Engine, _: bool) {
        self.passed = engine.cycle() > self.cycle;
    }

    fn interrupted(&mut self) -> bool {
        self.passed || self.monitor.interrupted()
    }
}

/// About how large the file of a waveform becomes.
#[derive(Debug, serde::Serialize)]
pub struct Size {
    /// The end of its name.
    pub format: &'static str,
    /// Its bytes.
    pub bytes: u64,
}

/// The signals that are selected, and about how large files become of replicate 0 with those
/// that are ports.
///
/// # Errors
/// When the trace cannot be read, or packing a sample fails.
pub fn sizes(
    simulation: &Simulation,
    selection: Selection,
    monitor: &dyn Monitor,
) -> Result<(SignalSet, Vec<Size>), Error> {
    let replicate = simulation.replicate(0)?;
    let target = WaveTarget {
        path: "waveform".into(),
        format: FileFormat::Vcd,
    };
    let extra = extra::signals(simulation, &selection);
    let waveform = RunWaveform::new(target, simulation, selection);
    let formats = [FileFormat::Vcd, FileFormat::VcdGz, FileFormat::Fst].into_iter();
    let sizes = formats.map(|format| {
        let bytes = waveform.bytes_as(format, &replicate, monitor)?;
        Ok(Size {
            format: format.ending(),
            bytes,
        })
    });
    let sizes = sizes.collect::<Result<Vec<Size>, Error>>()?;
    let mut set = waveform.set;
    set.extend(extra);
    Ok((set, sizes))
}
