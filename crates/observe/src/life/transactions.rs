//! The records of a run as transactions, in two formats that viewers open.
//!
//! In both, a cycle takes 10 ns, as in waveforms, and each sending node has
//!
//! - its messages, from the offer to the acknowledgement;
//! - its attempts, from the launch until the sender is told;
//! - its hops: for each router on the way of an attempt the time from the arrival of the head to
//!   when the output is free again.
//!
//! | file | format | opened by |
//! |---|---|---|
//! | [`ftr`] | FTR, fast transaction recording | Surfer, SCViewer |
//! | [`trace_event`] | trace events, JSON | Perfetto |
//!
//! What has not ended when a run does ends with the last that is known of its attempt.

pub mod ftr;
pub mod trace_event;

use std::io;

use super::events::{RouterNames, node};
use super::record::{AttemptRecord, EndOfAttempt, HopRecord, MessageLife};
use crosswave_probe::message::NEVER;
use crosswave_run::recorder::CYCLE_TIME;

/// Subject of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransactionKind {
    /// A message.
    Message,
    /// An attempt.
    Attempt,
    /// A router on the way of an attempt; they are counted from 1.
    Hop(usize),
}

/// A value of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attribute<'n> {
    /// A number.
    Number(u64),
    /// A name, of which there are not many.
    Name(&'n str),
}

/// A transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction<'n> {
    /// Its subject.
    pub kind: TransactionKind,
    /// The sending node.
    pub node: u32,
    /// The cycle in which it begins.
    pub from_cycle: u64,
    /// The cycle in which it ends.
    pub to_cycle: u64,
    /// Its other known facts.
    pub attributes: Vec<(&'static str, Attribute<'n>)>,
}

/// Takes transactions, those of a node by rising ends.
pub trait TransactionSink {
    /// Writes one.
    ///
    /// # Errors
    /// When writing fails.
    fn transaction(&mut self, transaction: &Transaction<'_>) -> io::Result<()>;
}

/// Nanoseconds of a cycle.
fn nanoseconds(cycle: u64) -> u64 {
    cycle * CYCLE_TIME
}

/// The transactions of an attempt. What had not ended when the run did ends with the last that is
/// known of the attempt.
///
/// # Errors
/// When writing fails.
pub fn of_attempt(
    names: &mut RouterNames<'_>,
    attempt: &AttemptRecord,
    out: &mut impl TransactionSink,
) -> io::Result<()> {
    use Attribute::{Name, Number};
    names.find(&attempt.hops);
    let names = &*names;
    let part = match attempt.packet {
        None => ("attempt", attempt.attempt),
        Some(packet) => ("packet", packet.number),
    };
    let which = [
        ("message", Number(attempt.id.into())),
        (part.0, Number(part.1.into())),
    ];
    let cycles = attempt
        .hops
        .iter()
        .flat_map(|hop| [hop.arrived_cycle, hop.left_cycle]);
    let known = cycles.chain([attempt.launched_cycle, attempt.reached_cycle]);
    let latest = known.filter(|&cycle| cycle != NEVER).max().unwrap_or(0);
    let or_latest = |cycle: u64| match cycle {
        NEVER => latest,
        cycle => cycle,
    };
    let mut attributes = which.to_vec();
    attributes.extend(destination(attempt.destination));
    attributes.extend([
        ("routers", Number(attempt.hops.len() as u64)),
        ("end", Name(attempt.end.name())),
    ]);
    if let (Some(collision), Some(at)) = (&attempt.collision, attempt.hops.last()) {
        let by = match attempt.end {
            EndOfAttempt::Lost => "lost_by",
            _ => "rejected_by",
        };
        attributes.push((by, Name(names.known(at.router))));
        for (rival, name) in collision.rivals.iter().zip(["rival", "other_rival"]) {
            attributes.push((name, Number(rival.id.into())));
        }
    }
    out.transaction(&Transaction {
        kind: TransactionKind::Attempt,
        node: attempt.source,
        from_cycle: attempt.launched_cycle,
        to_cycle: or_latest(attempt.end_cycle),
        attributes,
    })?;
    for (hop, number) in attempt.hops.iter().zip(1..) {
        let mut attributes = vec![("router", Name(names.known(hop.router)))];
        attributes.extend(ports(names, hop));
        attributes.extend(which);
        let waited = attempt.waited_cycles(hop);
        attributes.extend(waited.map(|cycles| ("waited_cycles", Number(cycles))));
        out.transaction(&Transaction {
            kind: TransactionKind::Hop(number),
            node: attempt.source,
            from_cycle: hop.arrived_cycle,
            to_cycle: or_latest(hop.freed_cycle),
            attributes,
        })?;
    }
    Ok(())
}

/// A destination, as an attribute; none where it is every node.
fn destination<'n>(destination: u32) -> Option<(&'static str, Attribute<'n>)> {
    node(destination).map(|node| ("destination", Attribute::Number(node.into())))
}

/// The ports of a hop, as attributes.
fn ports<'n>(names: &RouterNames<'_>, hop: &HopRecord) -> Vec<(&'static str, Attribute<'n>)> {
    let ports = [("input", hop.input), ("output", hop.output)];
    let named = ports.into_iter().filter_map(|(what, link)| {
        let name = names.port(hop.router, link)?;
        Some((what, Attribute::Name(name)))
    });
    named.collect()
}

/// The transaction of a message.
///
/// # Errors
/// When writing fails.
pub fn of_message(life: &MessageLife, out: &mut impl TransactionSink) -> io::Result<()> {
    use Attribute::Number;
    let message = &life.message;
    let mut attributes = vec![("message", Number(life.id.into()))];
    attributes.extend(destination(message.destination));
    attributes.extend([
        ("words", Number(message.words.into())),
        ("attempts", Number(message.attempts.into())),
        ("latency_cycles", Number(message.latency_cycles())),
    ]);
    let parts = life
        .breakdown
        .iter()
        .flat_map(|breakdown| breakdown.parts());
    attributes.extend(parts.map(|(name, cycles)| (name, Number(cycles))));
    out.transaction(&Transaction {
        kind: TransactionKind::Message,
        node: message.source,
        from_cycle: message.offered_cycle,
        to_cycle: message.acknowledged_cycle,
        attributes,
    })
}
