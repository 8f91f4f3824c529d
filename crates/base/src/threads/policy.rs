//! The choice between threads that take the steps of an engine together, and the first one alone.
//!
//! How much a second thread helps depends on the machine and on what else runs there: on two idle
//! cores a fat tree of 1,024 nodes is 1.5 times as fast, on two threads of one core slower, and
//! beside busy programs, which a thread that is woken has to wait for, dozens of times slower.
//! Nobody can know beforehand, so it is found out, also where a number of threads was asked for.
//!
//! Work is counted in units that the engine chooses, such as clock edges. In a *trial* short
//! *windows* of work are taken both ways by turns and timed; the best window of each way counts, and
//! the better way is kept for `KEPT_WINDOWS` windows, until it is tried again, as other programs
//! come and go. What a trial costs is bounded:
//!
//! - A window of all threads that takes more than `SLOW` times what one thread takes ends at
//!   once, and after `SLOW_WINDOWS` of them in a row so does the trial, in favour of one thread.
//!   So does a window of any length, once it has taken `LONG`.
//! - While threads work together every window is timed, and a slow one begins a trial.
//! - As long as one thread wins, it is kept twice as long each time, up to
//!   `KEPT_WINDOWS_MAX` windows, and at least `REPAID` times as long as the trial has lost.
//!
//! Should another program that hindered the threads end, that is noticed after no more work than
//! one thread has done before. The first window is one of one thread, and takes at least
//! `FIRST`: runs that are over by then are not worth a second thread.
//!
//! This is the one place where an engine reads a clock. What is computed does not depend on
//! who computes it, so no result depends on the clock.

use std::time::{Duration, Instant};

/// Windows of each way in a trial: enough that some are undisturbed.
const TRIALS: u32 = 4;

/// Windows between trials at first, and where all threads won; those of a trial are one in
/// sixteen of these.
const KEPT_WINDOWS: u64 = 16 * 2 * TRIALS as u64;

/// Windows between trials at most, but for what a trial has lost.
const KEPT_WINDOWS_MAX: u64 = 64 * KEPT_WINDOWS;

/// Factor to the time of one thread from which on all threads together count as slow.
const SLOW: f64 = 2.0;

/// Slow windows in a row that end a trial.
const SLOW_WINDOWS: u32 = 2;

/// Time after which a window ends, however little work has been done.
const LONG: Duration = Duration::from_millis(4);

/// Time that the first window takes at least.
const FIRST: Duration = Duration::from_millis(2);

/// Factor from the time that a trial has lost to the time that one thread works before the next
/// trial.
const REPAID: f64 = 16.0;

/// The threads that take a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// All threads, each its own part.
    Together,
    /// The first thread, one part after another.
    Alone,
}

/// A step that has begun.
#[derive(Debug)]
pub struct TimedStep {
    /// The threads that take it.
    pub turn: Turn,
    started: Option<Instant>,
}

/// The state of the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nothing is found out.
    Settled,
    /// Both ways are tried: so many windows are to come, and the last ones together were slow.
    Trial { windows: u32, slow: u32 },
    /// One way is taken until so much work is done.
    Kept { left: u64 },
}

/// Work that has been timed.
#[derive(Debug, Clone, Copy, Default)]
struct TimedWindow {
    work: u64,
    time: Duration,
}

impl TimedWindow {
    /// Seconds of a unit of work.
    fn pace(self) -> f64 {
        self.time.as_secs_f64() / self.work.max(1) as f64
    }
}

/// The decision who takes the next step.
#[derive(Debug)]
pub struct ThreadPolicy {
    now: Turn,
    phase: Phase,
    /// Units of work in a window.
    window_work: u64,
    window: TimedWindow,
    /// Time that the first window has yet to take.
    least: Duration,
    /// Seconds of a unit of work in the best window of this trial, together and alone.
    best: [Option<f64>; 2],
    /// Seconds that the windows together in this trial took longer than one thread.
    lost: f64,
    /// Windows from the next trial to the one after it, if one thread wins.
    kept_windows: u64,
}

impl ThreadPolicy {
    /// A policy that always takes steps together.
    pub fn together() -> ThreadPolicy {
        ThreadPolicy {
            now: Turn::Together,
            phase: Phase::Settled,
            window_work: 1,
            window: TimedWindow::default(),
            least: Duration::ZERO,
            best: [None; 2],
            lost: 0.0,
            kept_windows: KEPT_WINDOWS,
        }
    }

    /// A policy that finds out which is faster, by windows of so much work: enough that reading
    /// the clock costs nothing, little enough that some windows are undisturbed.
    pub fn tried(window_work: u64) -> ThreadPolicy {
        let mut policy = ThreadPolicy {
            window_work,
            least: FIRST,
            ..ThreadPolicy::together()
        };
        policy.try_again();
        policy
    }

    /// True when it was found out, the last time it was tried, that one thread is faster.
    pub fn prefers_one(&self) -> bool {
        matches!(self.phase, Phase::Kept { .. }) && self.now == Turn::Alone
    }

    /// Begins a step.
    #[inline]
    pub fn begin(&self) -> TimedStep {
        let is_timed = match self.phase {
            Phase::Settled => false,
            Phase::Trial { .. } => true,
            Phase::Kept { .. } => self.now == Turn::Together,
        };
        TimedStep {
            turn: self.now,
            started: is_timed.then(Instant::now),
        }
    }

    /// Ends a step, in which so much work was done.
    #[inline]
    pub fn end(&mut self, step: TimedStep, work: u64) {
        match step.started {
            Some(started) => self.took(work, started.elapsed()),
            None => self.did(work),
        }
    }

    /// Notes work that was not timed.
    fn did(&mut self, work: u64) {
        if let Phase::Kept { left } = &mut self.phase {
            *left = left.saturating_sub(work);
            if *left == 0 {
                self.try_again();
            }
        }
    }

    #[cold]
    fn try_again(&mut self) {
        self.phase = Phase::Trial {
            windows: 2 * TRIALS,
            slow: 0,
        };
        self.best = [None; 2];
        self.lost = 0.0;
        self.now = Turn::Alone;
        self.window = TimedWindow::default();
    }

    /// Notes how long a step took.
    fn took(&mut self, work: u64, time: Duration) {
        self.window.work += work;
        self.window.time += time;
        let TimedWindow { work, time } = self.window;
        let is_slow = self.is_slow();
        if work < self.window_work && time < LONG && !is_slow || time < self.least {
            if let Phase::Kept { left } = &mut self.phase
                && work > *left
            {
                self.try_again();
            }
            return;
        }
        match self.phase {
            Phase::Trial { windows, slow } => self.tried_window(windows - 1, slow, is_slow),
            Phase::Kept { left } if work < left && !is_slow => {
                self.phase = Phase::Kept { left: left - work };
            }
            _ => self.try_again(),
        }
        self.window = TimedWindow::default();
    }

    /// True when all threads together are slow in a window, begun or whole.
    fn is_slow(&self) -> bool {
        let Some(alone) = self.best[Turn::Alone as usize] else {
            return false;
        };
        let TimedWindow { work, time } = self.window;
        let is_over = work >= self.window_work || time >= LONG;
        let work = if is_over { work } else { self.window_work };
        self.now == Turn::Together && time.as_secs_f64() > SLOW * alone * work as f64
    }

    /// Ends a window of a trial.
    fn tried_window(&mut self, windows: u32, slow: u32, is_slow: bool) {
        self.least = Duration::ZERO;
        let pace = self.window.pace();
        let best = &mut self.best[self.now as usize];
        *best = Some(best.map_or(pace, |best| best.min(pace)));
        let slow = match self.now {
            Turn::Alone => slow,
            Turn::Together if is_slow => slow + 1,
            Turn::Together => 0,
        };
        if self.now == Turn::Together {
            let [_, alone] = self.best.map(Option::unwrap_or_default);
            self.lost += (pace - alone) * self.window.work as f64;
        }
        if windows == 0 || slow == SLOW_WINDOWS {
            return self.decide();
        }
        self.phase = Phase::Trial { windows, slow };
        self.now = match self.now {
            Turn::Together => Turn::Alone,
            Turn::Alone => Turn::Together,
        };
    }

    /// Ends a trial, and keeps the better way.
    fn decide(&mut self) {
        let [together, alone] = self.best.map(|pace| pace.unwrap_or(f64::INFINITY));
        if together < alone {
            self.now = Turn::Together;
            self.kept_windows = KEPT_WINDOWS;
            let left = KEPT_WINDOWS * self.window_work;
            self.phase = Phase::Kept { left };
            return;
        }
        self.now = Turn::Alone;
        // A float that is too large for the type becomes its largest value.
        let repaid = (REPAID * self.lost / alone.max(f64::MIN_POSITIVE)) as u64;
        let left = (self.kept_windows * self.window_work).max(repaid);
        self.phase = Phase::Kept { left };
        self.kept_windows = (2 * self.kept_windows).min(KEPT_WINDOWS_MAX);
    }
}

#[cfg(test)]
mod tests;
