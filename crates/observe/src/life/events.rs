//! The records of a run as JSON, a line for each.
//!
//! A line is an object with the field `record`, which is `attempt` or `message`. Lines come in
//! the order in which attempts are over; the line of a message follows that of its last attempt.
//! Attempts that are under way when the run ends come last, by launch and message. Cycles that
//! did not come are `null`.
//!
//! In networks of packets an attempt is a packet of its message, and has the fields in brackets.
//!
//! ```text
//! attempt = replicate, message, attempt, [packet], source, destination, launched_cycle,
//!           hops: [{ router, input, output, arrived_cycle, left_cycle, freed_cycle,
//!                    [waited_cycles] }],
//!           reached_cycle, end: "acknowledged" | "rejected" | "delivered" | "lost" | "under way",
//!           end_cycle,
//!           collision: null | { router, input, wanted, cycle,
//!                               rivals: [{ message, attempt, [packet], input, output,
//!                                          since_cycle, freed_cycle }] }
//! message = replicate, message, source, destination, words, attempts, offered_cycle,
//!           sent_cycle, delivered_cycle, acknowledged_cycle, latency_cycles,
//!           breakdown_cycles: null | { source, blocked, backoff, header, body, answer }
//! ```

use std::io::{self, Write};

use serde::Serialize;
use smallvec::SmallVec;

use super::record::{
    AttemptRecord, Breakdown, Collision, HopRecord, LifeSink, MessageLife, NO_OUTPUT,
};
use crosswave_network::Fabric;
use crosswave_network::traffic::EVERY_NODE;
use crosswave_probe::message::NEVER;

/// The names of routers and of their link ports.
pub struct RouterNames<'a> {
    fabric: &'a Fabric,
    /// Those of routers that were asked for.
    routers: Vec<Option<Box<str>>>,
}

impl<'a> RouterNames<'a> {
    /// Those of a network.
    pub fn new(fabric: &'a Fabric) -> Self {
        RouterNames {
            fabric,
            routers: vec![None; fabric.routers()],
        }
    }

    /// The name of a router.
    pub fn router(&mut self, router: u32) -> &str {
        let name = || self.fabric.router_name(router as usize).into();
        self.routers[router as usize].get_or_insert_with(name)
    }

    /// The name of a link port of a router; `None` of [`NO_OUTPUT`].
    pub fn port(&self, router: u32, link: u8) -> Option<&'static str> {
        let links = self.fabric.router_links(router as usize);
        (link != NO_OUTPUT).then(|| links[usize::from(link)])
    }

    /// Finds the names of routers, so that [`RouterNames::known`] has them.
    pub fn find(&mut self, hops: &[HopRecord]) {
        for hop in hops {
            self.router(hop.router);
        }
    }

    /// The name of a router that was asked for before.
    pub fn known(&self, router: u32) -> &str {
        self.routers[router as usize].as_deref().unwrap_or_default()
    }
}

/// A cycle; `None` when it did not come.
pub(super) fn cycle(cycle: u64) -> Option<u64> {
    (cycle != NEVER).then_some(cycle)
}

/// A destination; `None` where it is every node.
pub(super) fn node(destination: u32) -> Option<u32> {
    (destination != EVERY_NODE).then_some(destination)
}

/// An attempt, as JSON.
#[derive(Debug, Serialize)]
pub struct AttemptLine<'n> {
    record: &'static str,
    replicate: u32,
    message: u32,
    attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    packet: Option<u32>,
    source: u32,
    destination: Option<u32>,
    launched_cycle: u64,
    hops: SmallVec<[HopFields<'n>; 16]>,
    reached_cycle: Option<u64>,
    end: &'static str,
    end_cycle: Option<u64>,
    collision: Option<CollisionFields<'n>>,
}

#[derive(Debug, Serialize)]
struct HopFields<'n> {
    router: &'n str,
    input: Option<&'static str>,
    output: Option<&'static str>,
    arrived_cycle: u64,
    left_cycle: Option<u64>,
    freed_cycle: Option<u64>,
    /// `None` of a circuit.
    #[serde(skip_serializing_if = "Option::is_none")]
    waited_cycles: Option<Option<u64>>,
}

#[derive(Debug, Serialize)]
struct CollisionFields<'n> {
    router: &'n str,
    input: Option<&'static str>,
    wanted: SmallVec<[Option<&'static str>; 2]>,
    cycle: u64,
    rivals: SmallVec<[RivalFields; 2]>,
}

#[derive(Debug, Serialize)]
struct RivalFields {
    message: u32,
    attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    packet: Option<u32>,
    input: Option<&'static str>,
    output: Option<&'static str>,
    since_cycle: u64,
    freed_cycle: Option<u64>,
}

/// A message that was acknowledged, as JSON.
#[derive(Debug, Serialize)]
pub struct MessageLine {
    record: &'static str,
    replicate: u32,
    message: u32,
    source: u32,
    destination: Option<u32>,
    words: u32,
    attempts: u32,
    offered_cycle: u64,
    sent_cycle: u64,
    delivered_cycle: Option<u64>,
    acknowledged_cycle: u64,
    latency_cycles: u64,
    breakdown_cycles: Option<Breakdown>,
}

impl<'n> AttemptLine<'n> {
    /// The line of an attempt of a replicate, whose routers' names are [found](RouterNames::find).
    pub fn of(names: &'n RouterNames<'_>, replicate: u32, attempt: &AttemptRecord) -> Self {
        let hop = |hop: &HopRecord| HopFields {
            router: names.known(hop.router),
            input: names.port(hop.router, hop.input),
            output: names.port(hop.router, hop.output),
            arrived_cycle: hop.arrived_cycle,
            left_cycle: cycle(hop.left_cycle),
            freed_cycle: cycle(hop.freed_cycle),
            waited_cycles: attempt.packet.map(|_| attempt.waited_cycles(hop)),
        };
        let collision = |collision: &Collision| {
            let at = attempt.hops.last().expect("a router rejects");
            let rivals = collision.rivals.iter().map(|rival| RivalFields {
                message: rival.id,
                attempt: rival.attempt,
                packet: rival.packet,
                input: names.port(at.router, rival.input),
                output: names.port(at.router, rival.output),
                since_cycle: rival.since_cycle,
                freed_cycle: cycle(rival.freed_cycle),
            });
            let wanted = collision.wanted.iter();
            CollisionFields {
                router: names.known(at.router),
                input: names.port(at.router, at.input),
                wanted: wanted.map(|&port| names.port(at.router, port)).collect(),
                cycle: collision.cycle,
                rivals: rivals.collect(),
            }
        };
        AttemptLine {
            record: "attempt",
            replicate,
            message: attempt.id,
            attempt: attempt.attempt,
            packet: attempt.packet.map(|packet| packet.number),
            source: attempt.source,
            destination: node(attempt.destination),
            launched_cycle: attempt.launched_cycle,
            hops: attempt.hops.iter().map(hop).collect(),
            reached_cycle: cycle(attempt.reached_cycle),
            end: attempt.end.name(),
            end_cycle: cycle(attempt.end_cycle),
            collision: attempt.collision.as_ref().map(collision),
        }
    }
}

impl MessageLine {
    /// The line of a message of a replicate.
    pub fn of(replicate: u32, life: &MessageLife) -> Self {
        let message = &life.message;
        MessageLine {
            record: "message",
            replicate,
            message: life.id,
            source: message.source,
            destination: node(message.destination),
            words: message.words,
            attempts: message.attempts,
            offered_cycle: message.offered_cycle,
            sent_cycle: message.sent_cycle,
            delivered_cycle: cycle(message.delivered_cycle),
            acknowledged_cycle: message.acknowledged_cycle,
            latency_cycles: message.latency_cycles(),
            breakdown_cycles: life.breakdown,
        }
    }
}

/// Writes the records of replicates.
pub struct EventsWriter<'a, W: Write> {
    names: RouterNames<'a>,
    replicate: u32,
    out: W,
}

impl<'a, W: Write> EventsWriter<'a, W> {
    /// Writes the records of a network's replicate 0 first.
    pub fn new(fabric: &'a Fabric, out: W) -> Self {
        EventsWriter {
            names: RouterNames::new(fabric),
            replicate: 0,
            out,
        }
    }

    /// Begins another replicate: all later events belong to it.
    pub fn begin(&mut self, replicate: u32) {
        self.replicate = replicate;
    }

    /// Flushes and gives back what it writes to.
    ///
    /// # Errors
    /// When writing fails.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    fn line(out: &mut W, line: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut *out, line)?;
        out.write_all(b"\n")
    }
}

impl<W: Write> LifeSink for &mut EventsWriter<'_, W> {
    fn attempt(&mut self, attempt: &AttemptRecord) -> io::Result<()> {
        self.names.find(&attempt.hops);
        let line = AttemptLine::of(&self.names, self.replicate, attempt);
        EventsWriter::line(&mut self.out, &line)
    }

    fn message(&mut self, life: &MessageLife) -> io::Result<()> {
        EventsWriter::line(&mut self.out, &MessageLine::of(self.replicate, life))
    }
}
