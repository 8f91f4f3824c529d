//! Monitor of a recording: it is asked whether to stop it, and told of events in it.

use std::path::Path;

use super::failure::RecordingFailure;
use crosswave_base::diagnostic::Error;
use crosswave_run::observer::Observer;
use crosswave_run::replicate::Replicate;
use crosswave_run::simulation::Simulation;

/// Event during a recording that is no failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Note<'a> {
    /// A condition is looked for in a window of the run only.
    SearchWindow {
        /// The first and the last cycle.
        window: (u64, u64),
    },
    /// A window around a moment of a trigger is in its file.
    Moment {
        /// The file.
        path: &'a Path,
        /// The cycle in which the condition became true.
        cycle: u64,
        /// The first and the last cycle that the file shows.
        window: (u64, u64),
    },
    /// A router has rejected a message at the moment that was told of last.
    Collision {
        /// The router, the messages, and where they met.
        text: &'a str,
    },
    /// A condition became true less often than was asked for, but not never.
    FewerMoments {
        /// Number of times that it became true.
        found: usize,
        /// Number of times that were asked for.
        wanted: usize,
        /// The first file that is not written.
        first_missing: &'a Path,
    },
    /// A file for a viewer lists only some signals, [`LISTED_MAX`](super::LISTED_MAX).
    SignalsLeftOut {
        /// The file.
        path: &'a Path,
        /// Number of signals that it does not list.
        count: usize,
    },
}

/// Attends a recording. `()` is a monitor that never stops one and does not listen.
pub trait Monitor {
    /// True when the recording has to stop. Once it has said so, it goes on saying so.
    fn interrupted(&self) -> bool {
        false
    }

    /// Calls `run` with an observer of its own, which shows how far a run is that goes to
    /// `cycles_max` at most and that is not recorded itself.
    fn attend(&mut self, _cycles_max: u64, run: &mut dyn FnMut(&mut dyn Observer)) {
        run(&mut ());
    }

    /// Is told what happened.
    fn note(&mut self, _note: Note<'_>) {}
}

impl Monitor for () {}

/// Runs a replicate to its end for an observer, before it is recorded.
///
/// The observer is not to be used when the monitor has stopped the run.
///
/// # Errors
/// When the run fails or is stopped.
pub(super) fn run_before(
    simulation: &Simulation,
    replicate: &Replicate,
    observer: &mut dyn Observer,
    monitor: &mut dyn Monitor,
) -> Result<(), RecordingFailure> {
    let cycles_max = simulation.cycles_max(&replicate.workload);
    let mut ended: Result<(), Error> = Ok(());
    monitor.attend(cycles_max, &mut |progress| {
        ended = (simulation.run_one(replicate, &mut (progress, &mut *observer))).map(drop);
    });
    ended?;
    match monitor.interrupted() {
        true => Err(RecordingFailure::Interrupted),
        false => Ok(()),
    }
}
