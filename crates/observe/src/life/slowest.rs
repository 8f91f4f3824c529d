//! The slowest messages of a run, and the outputs at which the most attempts were rejected.
//!
//! Memory: the messages under way that were rejected, the slowest ones, and for each output of the
//! network the longest holds of it; nothing grows with the length of the run.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;

use super::blocked::{BlockedBy, BlockerSums, WantedOutput, blockers, lost_cycles};
use super::record::{AttemptRecord, EndOfAttempt, LifeSink, MessageLife, NO_OUTPUT};
use crosswave_probe::message::NEVER;

/// Holds that are kept of an output.
const HOLDS_MAX: usize = 3;

/// A message that was acknowledged, and who blocked its attempts, most cycles first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlowMessage {
    /// The message.
    pub life: MessageLife,
    /// The blockers.
    pub blocked_by: Vec<BlockedBy>,
}

/// An attempt that held an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputHold {
    /// Its message.
    pub message: u32,
    /// The number of the attempt, from 1 on.
    pub attempt: u32,
    /// The first cycle.
    pub from_cycle: u64,
    /// The cycle from which on the output was not held any more; [`NEVER`] if that did not come.
    pub freed_cycle: u64,
}

impl OutputHold {
    /// The cycles of the hold, in a run with a last cycle.
    pub fn cycles(&self, last_cycle: u64) -> u64 {
        self.freed_cycle.min(last_cycle + 1) - self.from_cycle
    }
}

/// An output at which attempts were rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RejectingOutput {
    /// The output.
    pub at: WantedOutput,
    /// Attempts that wanted it and were rejected.
    pub attempts: u64,
    /// Cycles of these attempts, each from its launch until its sender was told.
    pub cycles: u64,
    /// The longest holds of the output, longest first.
    pub longest: Vec<OutputHold>,
}

/// Sums of an output.
#[derive(Debug, Default)]
struct OutputSums {
    attempts: u64,
    cycles: u64,
    longest: Vec<OutputHold>,
}

/// Finds the slowest messages of a run.
#[derive(Debug)]
pub struct Slowest {
    most: usize,
    /// Blockers of messages that are not acknowledged yet.
    under_way: BTreeMap<u32, BlockerSums>,
    slowest: Vec<SlowMessage>,
    messages: u64,
    outputs: BTreeMap<WantedOutput, OutputSums>,
    refused: u64,
}

impl Slowest {
    /// Keeps so many messages.
    pub fn new(most: usize) -> Slowest {
        Slowest {
            most,
            under_way: BTreeMap::new(),
            slowest: Vec::new(),
            messages: 0,
            outputs: BTreeMap::new(),
            refused: 0,
        }
    }

    /// Messages that were acknowledged.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// Attempts that receivers refused.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// The slowest messages, slowest first; of the same latency the lower id.
    pub fn slowest(&mut self) -> &[SlowMessage] {
        self.keep();
        &self.slowest
    }

    fn keep(&mut self) {
        let key = |slow: &SlowMessage| (Reverse(slow.life.message.latency_cycles()), slow.life.id);
        self.slowest.sort_by_key(key);
        self.slowest.truncate(self.most);
    }

    /// So many outputs at which the most attempts were rejected in a run with a last cycle, those with
    /// most first; of the same number the lower router and output.
    pub fn outputs(&self, most: usize, last_cycle: u64) -> Vec<RejectingOutput> {
        let rejecting = self.outputs.iter().filter(|(_, sums)| sums.attempts > 0);
        let mut found: Vec<(&WantedOutput, &OutputSums)> = rejecting.collect();
        found.sort_by_key(|(_, sums)| Reverse(sums.attempts));
        found.truncate(most);
        let output = |(at, sums): (&WantedOutput, &OutputSums)| {
            let mut longest = sums.longest.clone();
            longest.sort_by_key(|hold| (Reverse(hold.cycles(last_cycle)), hold.from_cycle));
            longest.truncate(HOLDS_MAX);
            RejectingOutput {
                at: *at,
                attempts: sums.attempts,
                cycles: sums.cycles,
                longest,
            }
        };
        found.into_iter().map(output).collect()
    }
}

impl OutputSums {
    /// Keeps a hold if it is one of the longest. One that has not ended is always kept: an output has
    /// one at most.
    fn held(&mut self, hold: OutputHold) {
        self.longest.push(hold);
        self.longest.sort_by_key(|hold| {
            let cycles = match hold.freed_cycle {
                NEVER => NEVER,
                freed => freed - hold.from_cycle,
            };
            (Reverse(cycles), hold.from_cycle)
        });
        self.longest.truncate(HOLDS_MAX + 1);
    }
}

impl LifeSink for &mut Slowest {
    fn attempt(&mut self, attempt: &AttemptRecord) -> io::Result<()> {
        for hop in attempt.hops.iter().filter(|hop| hop.output != NO_OUTPUT) {
            let at = WantedOutput {
                router: hop.router,
                output: hop.output,
            };
            self.outputs.entry(at).or_default().held(OutputHold {
                message: attempt.id,
                attempt: attempt.attempt,
                from_cycle: hop.left_cycle,
                freed_cycle: hop.freed_cycle,
            });
        }
        if matches!(attempt.end, EndOfAttempt::Rejected | EndOfAttempt::Lost) {
            self.under_way.entry(attempt.id).or_default().add(attempt);
            let mut wanted: Vec<Option<WantedOutput>> =
                blockers(attempt).into_iter().map(|(at, _)| at).collect();
            wanted.sort_unstable();
            wanted.dedup();
            for at in wanted {
                match at {
                    Some(at) => {
                        let sums = self.outputs.entry(at).or_default();
                        sums.attempts += 1;
                        sums.cycles += lost_cycles(attempt);
                    }
                    None => self.refused += 1,
                }
            }
        }
        Ok(())
    }

    fn message(&mut self, life: &MessageLife) -> io::Result<()> {
        self.messages += 1;
        let sums = self.under_way.remove(&life.id).unwrap_or_default();
        let blocked_by = sums.ranked();
        self.slowest.push(SlowMessage {
            life: *life,
            blocked_by,
        });
        // Sorted once for many messages.
        if self.slowest.len() >= 2 * self.most + 64 {
            self.keep();
        }
        Ok(())
    }
}
