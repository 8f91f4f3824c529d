//! Records that a page keeps of a run: the attempts that something is seen of in a window of
//! cycles, and the messages that were acknowledged from its beginning on.
//!
//! An attempt counts as one hop, and each of its routers as another one. When there are more
//! than the page may have, the window ends with the cycle that has them: what is seen up to there
//! is complete. An attempt takes some 600 bytes of memory, so a page with the default takes 30 MB where
//! attempts come to five routers, and 180 MB at most, where they come to none.

use std::io;

use crate::life::{AttemptRecord, EndOfAttempt, LifeSink, MessageLife};
use crosswave_probe::engine::Engine;
use crosswave_probe::message::NEVER;
use crosswave_run::observer::Observer;

/// Hops of a page, unless it is told another number.
pub const HOPS_MAX: usize = 300_000;

/// Reason for the end of a page's cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// The run ended.
    End,
    /// The window did.
    Window,
    /// The page has as many hops as it may have.
    Full,
    /// The user interrupted the run.
    Interrupted,
}

/// Keeps what a page shows.
#[derive(Debug)]
pub struct Recorder {
    first_cycle: u64,
    last_cycle: u64,
    hops_max: usize,
    hops: usize,
    /// Attempts of which something is seen in the window.
    pub attempts: Vec<AttemptRecord>,
    /// Messages that were acknowledged in the window.
    pub messages: Vec<MessageLife>,
}

impl Recorder {
    /// Keeps what is seen from a first cycle to a last one, both included, and so many hops at
    /// most, or as many as there are in the cycle with one more.
    pub fn new(first_cycle: u64, last_cycle: u64, hops_max: usize) -> Self {
        Recorder {
            first_cycle,
            last_cycle,
            hops_max,
            hops: 0,
            attempts: Vec::new(),
            messages: Vec::new(),
        }
    }

    /// Puts the records in order: attempts by launch and message, messages by id.
    pub fn sort(&mut self) {
        let key = |attempt: &AttemptRecord| (attempt.launched_cycle, attempt.id, attempt.attempt);
        self.attempts.sort_by_key(key);
        self.messages.sort_by_key(|life| life.id);
    }

    /// The first cycle in which nothing of an attempt is left.
    fn over(attempt: &AttemptRecord) -> u64 {
        let freed = attempt.hops.iter().map(|hop| hop.freed_cycle);
        let told = match attempt.end {
            EndOfAttempt::UnderWay => NEVER,
            _ => attempt.end_cycle,
        };
        freed.fold(told, u64::max)
    }
}

impl LifeSink for &mut Recorder {
    fn attempt(&mut self, attempt: &AttemptRecord) -> io::Result<()> {
        let is_seen = attempt.launched_cycle <= self.last_cycle;
        if is_seen && Recorder::over(attempt) >= self.first_cycle {
            self.hops += 1 + attempt.hops.len();
            self.attempts.push(attempt.clone());
        }
        Ok(())
    }

    fn message(&mut self, life: &MessageLife) -> io::Result<()> {
        let acknowledged = life.message.acknowledged_cycle;
        if (self.first_cycle..=self.last_cycle).contains(&acknowledged) {
            self.messages.push(*life);
        }
        Ok(())
    }

    fn is_satisfied(&self) -> bool {
        self.hops > self.hops_max
    }
}

/// Ends a run with the last cycle of a window.
#[derive(Debug)]
pub struct Window {
    last_cycle: u64,
    seen_cycle: u64,
}

impl Window {
    /// Ends it with this cycle.
    pub fn until(last_cycle: u64) -> Self {
        Window {
            last_cycle,
            seen_cycle: 0,
        }
    }

    /// The last cycle of the window that was seen. Between cycles that an engine stands in
    /// nothing happens.
    pub fn last_seen(&self) -> u64 {
        self.seen_cycle.min(self.last_cycle)
    }

    /// True when it has ended the run.
    pub fn is_over(&self) -> bool {
        self.seen_cycle >= self.last_cycle
    }
}

impl Observer for Window {
    fn cycle(&mut self, engine: &dyn Engine, _: bool) {
        self.seen_cycle = engine.cycle();
    }

    fn interrupted(&mut self) -> bool {
        self.is_over()
    }
}
