//! Repeated attempts of a message, folded, so that its trace fits a screen or a page.
//!
//! The first attempt and the last one are always whole, and so is one that is under way. The rest
//! is folded as far as a limit makes it necessary, in this order:
//!
//! 1. nothing;
//! 2. attempts one after another that the same router rejected for the same kind of cause;
//! 3. single attempts between those as well;
//! 4. neighbours of different routers, as few attempts together as the limit allows.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use super::blocked::{WantedOutput, blockers};
use super::events::RouterNames;
use super::record::{AttemptRecord, EndOfAttempt};
use crosswave_probe::message::NEVER;

/// Messages that a fold names.
const MESSAGES_NAMED: usize = 2;

/// Kinds of causes for which an attempt is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cause {
    /// The outputs that it wants are held.
    Held,
    /// The answer to an earlier message is awaited at an output.
    Awaited,
    /// An output is switched off.
    Off,
    /// The receiver does not take it.
    Refused,
    /// Nothing is known of the inside of the router.
    Unknown,
}

impl Cause {
    fn of(attempt: &AttemptRecord) -> Cause {
        let Some(collision) = &attempt.collision else {
            return match attempt.rejected_by() {
                Some(_) => Cause::Unknown,
                None => Cause::Refused,
            };
        };
        let held = collision
            .rivals
            .iter()
            .any(|rival| rival.freed_cycle == NEVER);
        match (held, collision.rivals.is_empty()) {
            (true, _) => Cause::Held,
            (false, false) => Cause::Awaited,
            (false, true) => Cause::Off,
        }
    }
}

/// A part of a message's trace.
#[derive(Debug, Clone, Copy)]
pub enum TracePart<'s> {
    /// An attempt.
    Whole(&'s AttemptRecord),
    /// Rejected attempts that are told together.
    Folded(FoldedAttempts<'s>),
}

/// Rejected attempts, one after another.
#[derive(Debug, Clone, Copy)]
pub struct FoldedAttempts<'s>(&'s [AttemptRecord]);

/// Attempts by their places, and whether they are folded.
type Pieces = Vec<(Range<usize>, bool)>;

/// Folds the attempts of a message, in order, until their parts fit, or as far as it goes.
pub fn fold<'s>(
    attempts: &'s [AttemptRecord],
    fits: impl Fn(&[TracePart<'s>]) -> bool,
) -> Vec<TracePart<'s>> {
    let parts = |pieces: Pieces| -> Vec<TracePart<'s>> {
        let part = |(range, folded): (Range<usize>, bool)| match folded {
            true => TracePart::Folded(FoldedAttempts(&attempts[range])),
            false => TracePart::Whole(&attempts[range.start]),
        };
        pieces.into_iter().map(part).collect()
    };
    let last = attempts.len().saturating_sub(1);
    let stays_whole =
        |at: usize| at == 0 || at == last || attempts[at].end != EndOfAttempt::Rejected;
    let whole = unfolded(attempts);
    if fits(&whole) {
        return whole;
    }
    let mut runs: Pieces = Vec::new();
    let key = |at: usize| {
        let router = attempts[at].hops.last().map(|hop| hop.router);
        (Cause::of(&attempts[at]), router)
    };
    for at in 0..attempts.len() {
        match runs.last_mut() {
            Some((run, true)) if !stays_whole(at) && key(run.start) == key(at) => run.end = at + 1,
            _ => runs.push((at..at + 1, !stays_whole(at))),
        }
    }
    let singles = runs
        .iter()
        .map(|(run, folded)| (run.clone(), *folded && run.len() > 1));
    let singles = parts(singles.collect());
    if fits(&singles) {
        return singles;
    }
    // The fewest attempts to a fold that make the parts fit.
    let (mut too_few, mut enough) = (0, attempts.len());
    while enough - too_few > 1 {
        let middle = too_few + (enough - too_few) / 2;
        match fits(&parts(joined(&runs, middle))) {
            true => enough = middle,
            false => too_few = middle,
        }
    }
    parts(joined(&runs, enough))
}

/// All attempts as they are.
pub fn unfolded(attempts: &[AttemptRecord]) -> Vec<TracePart<'_>> {
    attempts.iter().map(TracePart::Whole).collect()
}

/// Runs with neighbours joined up to so many attempts.
fn joined(runs: &Pieces, most: usize) -> Pieces {
    let mut joined: Pieces = Vec::new();
    for (run, folded) in runs {
        match joined.last_mut() {
            Some((before, true)) if *folded && before.len() + run.len() <= most => {
                before.end = run.end;
            }
            _ => joined.push((run.clone(), *folded)),
        }
    }
    joined
}

/// Counts of things with names, most first, as `a (3), b and 5 others`; a count of one thing alone is
/// left out.
fn listed(mut counts: Vec<(String, u32)>, named: usize) -> String {
    counts.sort_by_key(|(_, count)| Reverse(*count));
    let is_alone = counts.len() == 1;
    let mut names: Vec<String> = counts
        .into_iter()
        .map(|(name, count)| match is_alone || count == 1 {
            true => name,
            false => format!("{name} ({count})"),
        })
        .collect();
    if names.len() > named + 1 {
        let others = names.len() - named;
        names.truncate(named);
        names.push(format!("{others} others"));
    }
    let last = names.pop().unwrap_or_default();
    match names.is_empty() {
        true => last,
        false => format!("{} and {last}", names.join(", ")),
    }
}

impl FoldedAttempts<'_> {
    /// The number of attempts.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The first launch.
    pub fn from_cycle(&self) -> u64 {
        self.0[0].launched_cycle
    }

    /// The cycle in which the sender was told of the last rejection.
    pub fn to_cycle(&self) -> u64 {
        self.0[self.0.len() - 1].end_cycle
    }

    /// The numbers of the attempts, as `4 to 37`.
    pub fn numbers(&self) -> String {
        let [first, last] = [&self.0[0], &self.0[self.0.len() - 1]].map(|each| each.attempt);
        match first == last {
            true => first.to_string(),
            false => format!("{first} to {last}"),
        }
    }

    /// The number of rejections, in words.
    pub fn times(&self) -> String {
        times(self.count())
    }

    /// The places that rejected them.
    pub fn places(&self, names: &mut RouterNames<'_>) -> String {
        let mut counts: BTreeMap<Option<u32>, u32> = BTreeMap::new();
        for attempt in self.0 {
            let router = attempt.rejected_by();
            *counts.entry(router.map(|hop| hop.router)).or_default() += 1;
        }
        let mut place = |(router, count): (Option<u32>, u32)| match router {
            Some(router) => (names.router(router).to_owned(), count),
            None => (format!("node {}", self.0[0].destination), count),
        };
        listed(counts.into_iter().map(&mut place).collect(), 1)
    }

    /// The causes of the rejections, with the messages that had the outputs.
    pub fn causes(&self, names: &RouterNames<'_>) -> String {
        let mut causes: BTreeMap<Cause, Vec<&AttemptRecord>> = BTreeMap::new();
        for attempt in self.0 {
            causes.entry(Cause::of(attempt)).or_default().push(attempt);
        }
        let is_one = causes.len() == 1;
        let told = causes.into_iter().map(|(cause, attempts)| {
            let told = of_cause(cause, &attempts, names);
            match is_one {
                true => told,
                false => format!("{} {told}", times(attempts.len())),
            }
        });
        told.collect::<Vec<String>>().join("; ")
    }
}

/// A number of times, in words.
fn times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}

/// Rejections for one kind of cause.
fn of_cause(cause: Cause, attempts: &[&AttemptRecord], names: &RouterNames<'_>) -> String {
    if cause == Cause::Refused {
        return "its receiver refuses".to_owned();
    }
    if cause == Cause::Unknown {
        return "the router refuses its head".to_owned();
    }
    // Routers of one kind have links of the same names.
    let mut outputs: BTreeMap<u8, u32> = BTreeMap::new();
    let mut messages: BTreeMap<u32, u32> = BTreeMap::new();
    for (at, message) in attempts.iter().flat_map(|attempt| blockers(attempt)) {
        let WantedOutput { router, output } = at.expect("a router rejects");
        outputs.entry(output).or_insert(router);
        if let Some(message) = message {
            *messages.entry(message).or_default() += 1;
        }
    }
    let outputs: Vec<&str> = outputs
        .into_iter()
        .filter_map(|(output, router)| names.port(router, output))
        .collect();
    let outputs = match outputs.as_slice() {
        [output] => format!("output {output}"),
        outputs => format!("outputs {}", outputs.join(", ")),
    };
    let word = match messages.len() {
        1 => "message",
        _ => "messages",
    };
    let messages = messages
        .into_iter()
        .map(|(id, count)| (id.to_string(), count));
    let messages = listed(messages.collect(), MESSAGES_NAMED);
    match cause {
        Cause::Held => format!("{outputs} held by {word} {messages}"),
        Cause::Awaited => format!("{outputs} waiting for the answers to {word} {messages}"),
        Cause::Off | Cause::Refused | Cause::Unknown => "the output it wants is off".to_owned(),
    }
}
