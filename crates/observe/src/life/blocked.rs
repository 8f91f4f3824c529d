//! The blockers of attempts: who kept them from an output, where, how often, and for how long.
//!
//! An attempt that wants one of two outputs, both held, is blocked by two messages, and counts for
//! each of them. A wanted output without a holder was switched off. A rejected attempt without a
//! collision was refused by its receiver, or by a router of which nothing else is known.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;

use super::events::RouterNames;
use super::record::{AttemptRecord, EndOfAttempt, NO_OUTPUT};

/// A router's output that an attempt wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct WantedOutput {
    /// The router: its instance in the network's fabric.
    pub router: u32,
    /// The link port; [`NO_OUTPUT`] where nothing is known of the inside of the router.
    pub output: u8,
}

/// A blocker of attempts, and the cycles that they lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockedBy {
    /// The output that was wanted; `None` where the receiver refused.
    pub at: Option<WantedOutput>,
    /// The message that had the output; `None` where it was off, or the receiver refused.
    pub message: Option<u32>,
    /// Rejected attempts.
    pub attempts: u32,
    /// Cycles of these attempts, each from its launch until its sender was told.
    pub cycles: u64,
}

/// Blockers of the attempts of one message, as they are added up.
#[derive(Debug, Clone, Default)]
pub struct BlockerSums(BTreeMap<(Option<WantedOutput>, Option<u32>), (u32, u64)>);

/// The wanted outputs of a rejected attempt, each with the message that had it. An attempt that
/// its receiver refused has one entry of nothing.
pub fn blockers(attempt: &AttemptRecord) -> Vec<(Option<WantedOutput>, Option<u32>)> {
    let (Some(collision), Some(hop)) = (&attempt.collision, attempt.hops.last()) else {
        return match attempt.end {
            EndOfAttempt::Rejected => {
                let at = attempt.rejected_by().map(|hop| WantedOutput {
                    router: hop.router,
                    output: NO_OUTPUT,
                });
                vec![(at, None)]
            }
            _ => Vec::new(),
        };
    };
    let at = |output| {
        let router = hop.router;
        Some(WantedOutput { router, output })
    };
    let rivals = collision.rivals.iter();
    let mut found: Vec<_> = rivals
        .map(|rival| (at(rival.output), Some(rival.id)))
        .collect();
    for &output in &collision.wanted {
        if collision.rivals.iter().all(|rival| rival.output != output) {
            found.push((at(output), None));
        }
    }
    found
}

/// The cycles of an attempt that has ended, from its launch until its sender was told.
pub(super) fn lost_cycles(attempt: &AttemptRecord) -> u64 {
    match attempt.end {
        EndOfAttempt::UnderWay => 0,
        _ => attempt.end_cycle - attempt.launched_cycle,
    }
}

impl BlockerSums {
    /// Adds an attempt, if it was rejected and its sender told, or a packet that was lost.
    pub fn add(&mut self, attempt: &AttemptRecord) {
        if !matches!(attempt.end, EndOfAttempt::Rejected | EndOfAttempt::Lost) {
            return;
        }
        for key in blockers(attempt) {
            let (attempts, cycles) = self.0.entry(key).or_default();
            *attempts += 1;
            *cycles += lost_cycles(attempt);
        }
    }

    /// The blockers, those first that took the most cycles; then by router, output and message.
    pub fn ranked(&self) -> Vec<BlockedBy> {
        let blocked = |(&(at, message), &(attempts, cycles)): (&_, &(u32, u64))| BlockedBy {
            at,
            message,
            attempts,
            cycles,
        };
        let mut ranked: Vec<BlockedBy> = self.0.iter().map(blocked).collect();
        ranked.sort_by_key(|blocked| Reverse(blocked.cycles));
        ranked
    }
}

/// The blockers of attempts, most cycles first.
pub fn blocked_by(attempts: &[AttemptRecord]) -> Vec<BlockedBy> {
    let mut sums = BlockerSums::default();
    attempts.iter().for_each(|attempt| sums.add(attempt));
    sums.ranked()
}

/// A blocker, as JSON: router and output are null where the receiver refused, the message is null
/// there and where the output was off.
#[derive(Debug, Serialize)]
pub struct BlockedLine {
    message: Option<u32>,
    router: Option<String>,
    output: Option<&'static str>,
    attempts: u32,
    cycles: u64,
}

impl BlockedLine {
    /// The line of a blocker.
    pub fn of(names: &mut RouterNames<'_>, blocked: &BlockedBy) -> Self {
        BlockedLine {
            message: blocked.message,
            router: blocked.at.map(|at| names.router(at.router).to_owned()),
            output: blocked.at.and_then(|at| names.port(at.router, at.output)),
            attempts: blocked.attempts,
            cycles: blocked.cycles,
        }
    }
}
