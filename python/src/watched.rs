//! Long work beside the interpreter: it runs on a thread of its own without the interpreter's lock, while
//! the calling thread looks for signals, such as that of Ctrl-C, and tells how far the work is.
//!
//! The work and the caller share [`Control`] only, which engines' observers read and write as atomics; so
//! no clock is read in a cycle, and no Python is called.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crosswave_observe::points::watch::Watch;
use crosswave_observe::recording::Monitor;
use crosswave_probe::engine::Engine;
use crosswave_run::observer::Observer;

/// Time between looks for signals.
const LOOK_TIME: Duration = Duration::from_millis(50);

/// Bytes of the stack of the thread that works, as those of a main thread.
const STACK_BYTES: usize = 8 << 20;

/// Millionths of the whole.
const MILLION: f64 = 1e6;

/// State that the work and its caller share.
#[derive(Debug, Default)]
pub(crate) struct Control {
    /// True when the work has to stop.
    pub(crate) stop: AtomicBool,
    /// Millionths of the work that are done.
    done: AtomicU64,
}

impl Control {
    /// True when the work has to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Sets the share of the work that is done.
    pub(crate) fn set_done(&self, share: f64) {
        let done = (share.clamp(0.0, 1.0) * MILLION) as u64;
        self.done.store(done, Ordering::Relaxed);
    }

    /// Adds millionths of the work.
    fn add_done(&self, millionths: u64) {
        self.done.fetch_add(millionths, Ordering::Relaxed);
    }

    fn done(&self) -> f64 {
        self.done.load(Ordering::Relaxed) as f64 / MILLION
    }
}

/// Runs `work` and gives what it gives. `progress` is called with the share that is done, 0 to 1, from
/// time to time, if it is given.
///
/// # Errors
/// What a signal handler or `progress` raises, once the work has stopped.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Control) -> T + Send,
) -> PyResult<T> {
    let progress = progress.map(|callback| callback.clone().unbind());
    let control = Control::default();
    py.detach(|| {
        let (control, (sender, receiver)) = (&control, channel());
        thread::scope(|scope| {
            let run = move || {
                let made = work(control);
                // The receiver waits for as long as this thread runs.
                let _ = sender.send(());
                made
            };
            let worker = thread::Builder::new().stack_size(STACK_BYTES);
            let worker = worker.spawn_scoped(scope, run)?;
            let mut raised = None;
            while let Err(RecvTimeoutError::Timeout) = receiver.recv_timeout(LOOK_TIME) {
                if raised.is_none() {
                    raised = Python::attach(|py| look(py, progress.as_ref(), control.done())).err();
                    control.stop.store(raised.is_some(), Ordering::Relaxed);
                }
            }
            let made = worker.join();
            match (raised, made) {
                (Some(raised), _) => Err(raised),
                (None, Ok(made)) => Ok(made),
                (None, Err(_)) => Err(PyRuntimeError::new_err("a thread of crosswave panicked")),
            }
        })
    })
}

/// Looks for signals, and tells the progress.
fn look(py: Python<'_>, progress: Option<&Py<PyAny>>, share: f64) -> PyResult<()> {
    py.check_signals()?;
    match progress {
        Some(callback) => callback.call1(py, (share,)).map(drop),
        None => Ok(()),
    }
}

/// Observes replicates that run together: how far they are, and whether to stop.
pub(crate) struct BatchWatch<'a> {
    control: &'a Control,
    /// Millionths of the work that the replicates are.
    whole: f64,
    /// The last cycle of each at most.
    cycles_max: u64,
    /// A flag that stops these replicates alone.
    stop: Option<&'a AtomicBool>,
    messages: (usize, usize),
    calls: u64,
    told: u64,
}

/// Cycles between two notes of what is done.
const CALLS: u64 = 256;

impl<'a> BatchWatch<'a> {
    /// Watches replicates that are a share of the whole work.
    pub(crate) fn new(control: &'a Control, share: f64, cycles_max: u64) -> BatchWatch<'a> {
        BatchWatch {
            control,
            whole: share * MILLION,
            cycles_max,
            stop: None,
            messages: (0, 0),
            calls: 0,
            told: 0,
        }
    }

    /// The same, which another flag stops too.
    pub(crate) fn or_stopped_by(mut self, stop: &'a AtomicBool) -> BatchWatch<'a> {
        self.stop = Some(stop);
        self
    }

    fn tell(&mut self, share: f64) {
        let done = (share.min(1.0) * self.whole) as u64;
        self.control.add_done(done.saturating_sub(self.told));
        self.told = self.told.max(done);
    }
}

impl Observer for BatchWatch<'_> {
    fn cycle(&mut self, engine: &dyn Engine, _: bool) {
        self.calls += 1;
        if self.calls.is_multiple_of(CALLS) {
            let (acknowledged, messages) = self.messages;
            let by_messages = acknowledged as f64 / messages.max(1) as f64;
            let by_cycles = engine.cycle() as f64 / self.cycles_max.max(1) as f64;
            self.tell(by_messages.max(by_cycles));
        }
    }

    fn on_progress(&mut self, acknowledged: usize, messages: usize) {
        self.messages = (acknowledged, messages);
    }

    fn takes_bursts(&self) -> bool {
        true
    }

    fn interrupted(&mut self) -> bool {
        let is_set = |stop: &AtomicBool| stop.load(Ordering::Relaxed);
        self.control.is_stopped() || self.stop.is_some_and(is_set)
    }
}

impl Drop for BatchWatch<'_> {
    fn drop(&mut self) {
        self.tell(1.0);
    }
}

/// Stops a recording, and the run before it.
impl Monitor for &Control {
    fn interrupted(&self) -> bool {
        self.is_stopped()
    }

    fn attend(&mut self, cycles_max: u64, run: &mut dyn FnMut(&mut dyn Observer)) {
        run(&mut BatchWatch::new(self, 0.0, cycles_max));
    }
}

/// Stops a study, and is told how far it is.
impl Watch for &Control {
    fn begins(&mut self, _: &str) {}

    fn done(&mut self, share: f64) {
        self.set_done(share);
    }

    fn interrupted(&mut self) -> bool {
        self.is_stopped()
    }
}
