//! Records of an attempt, and of a message.

use std::io;

use smallvec::SmallVec;

use crosswave_probe::message::{ConnectionRecord, MessageRecord, NEVER};

/// No output.
pub const NO_OUTPUT: u8 = u8::MAX;

/// A router on the way of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HopRecord {
    /// The router: its instance in the network's fabric.
    pub router: u32,
    /// The link port where the head arrived.
    pub input: u8,
    /// The link port where it left; [`NO_OUTPUT`] where it did not.
    pub output: u8,
    /// The virtual channel of the link by which it came; 0 where links have none.
    pub vc: u8,
    /// The head was on the wire at the input.
    pub arrived_cycle: u64,
    /// The head was on the wire at the output; [`NEVER`] where it did not leave.
    pub left_cycle: u64,
    /// The input no longer held the output, or no longer rejected what came; [`NEVER`] while
    /// it does. A packet holds the wire at the output until its last word has been there.
    pub freed_cycle: u64,
}

/// A packet of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PacketNumber {
    /// The number of the packet of its message, from 1 on.
    pub number: u32,
    /// Clocks from an input of a router to an output, unless the packet waits.
    pub router_cycles: u64,
    /// True for a copy of a packet to every node, which has the first part of its route in common
    /// with other copies.
    pub is_copy: bool,
}

/// An attempt that kept another one from an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rival {
    /// Its message.
    pub id: u32,
    /// The number of the attempt of its message, from 1 on.
    pub attempt: u32,
    /// The number of the packet of its message, from 1 on, where messages are packets.
    pub packet: Option<u32>,
    /// The input at which it had come in.
    pub input: u8,
    /// The output that it held.
    pub output: u8,
    /// From when on.
    pub since_cycle: u64,
    /// Until when, where the output had become free behind its tail and its answer was awaited
    /// there; [`NEVER`] while it held the output.
    pub freed_cycle: u64,
}

/// Rejection of an attempt by a router, the last one of its hops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collision {
    /// The cycle in which the router's state says so.
    pub cycle: u64,
    /// The outputs that would have served.
    pub wanted: SmallVec<[u8; 2]>,
    /// The attempts that held them, or whose answers were awaited there. An output that nobody held
    /// was off.
    pub rivals: SmallVec<[Rival; 2]>,
}

/// End of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndOfAttempt {
    /// Its sender has been told that the message has come.
    Acknowledged,
    /// Its sender has been told that it was rejected.
    Rejected,
    /// The packet has come to its destination. Nobody tells its sender.
    Delivered,
    /// A router has lost the packet.
    Lost,
    /// It was under way when the run ended.
    UnderWay,
}

impl EndOfAttempt {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            EndOfAttempt::Acknowledged => "acknowledged",
            EndOfAttempt::Rejected => "rejected",
            EndOfAttempt::Delivered => "delivered",
            EndOfAttempt::Lost => "lost",
            EndOfAttempt::UnderWay => "under way",
        }
    }
}

/// An attempt to send a message; where messages are packets, which are sent once, one of its
/// packets. A packet to every node has a record for each copy that came to a node, or was lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptRecord {
    /// The message.
    pub id: u32,
    /// The number of the attempt of the message, from 1 on.
    pub attempt: u32,
    /// The packet, where messages are packets.
    pub packet: Option<PacketNumber>,
    /// The sending node.
    pub source: u32,
    /// The node that it is for. That of a copy of a packet to every node is
    /// [`EVERY_NODE`](crosswave_network::traffic::EVERY_NODE) until it has come to one.
    pub destination: u32,
    /// The head was on the wire at the source.
    pub launched_cycle: u64,
    /// The routers, from the source on.
    pub hops: SmallVec<[HopRecord; 12]>,
    /// The head was on the wire at the destination; [`NEVER`] if it did not come there.
    pub reached_cycle: u64,
    /// The rejection by the last of the routers, if it was rejected; likewise its loss.
    pub collision: Option<Collision>,
    /// The end of the attempt.
    pub end: EndOfAttempt,
    /// The sender was told, or the interface of the destination or the router that has lost the
    /// packet shows it; [`NEVER`] while it is under way.
    pub end_cycle: u64,
}

impl AttemptRecord {
    /// The cycles that a packet waited in a router for an output that it left by; `None` of a
    /// circuit, and while it waits.
    pub fn waited_cycles(&self, hop: &HopRecord) -> Option<u64> {
        let packet = self.packet.filter(|_| hop.left_cycle != NEVER)?;
        let passed = hop.left_cycle - hop.arrived_cycle;
        Some(passed.saturating_sub(packet.router_cycles))
    }

    /// The cycles that a packet waited in all routers.
    pub(super) fn waited_in_all(&self) -> u64 {
        let hops = self.hops.iter();
        hops.filter_map(|hop| self.waited_cycles(hop)).sum()
    }

    /// The router that rejected it, where it was one.
    pub fn rejected_by(&self) -> Option<&HopRecord> {
        let last = self.hops.last()?;
        let is_stopped = self.end == EndOfAttempt::Rejected && last.output == NO_OUTPUT;
        (self.collision.is_some() || is_stopped).then_some(last)
    }

    /// Leaves out what was only to come when a run ended in a cycle.
    pub(super) fn end_with(&mut self, last_cycle: u64) {
        let came = |cycle: &mut u64| {
            if *cycle > last_cycle {
                *cycle = NEVER;
            }
        };
        self.hops.retain(|hop| hop.arrived_cycle <= last_cycle);
        self.hops
            .iter_mut()
            .for_each(|hop| came(&mut hop.freed_cycle));
        came(&mut self.reached_cycle);
    }
}

/// Parts of a message's latency, in cycles. Together they are the latency.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Breakdown {
    /// From the offer to the first launch.
    pub source: u64,
    /// In attempts that were rejected: from the launch until the sender was told. Of a packet: its
    /// waits in routers.
    pub blocked: u64,
    /// Between attempts: from when the sender was told to the next launch.
    pub backoff: u64,
    /// In the last attempt: until the head was at the destination.
    pub header: u64,
    /// In the last attempt: until the destination had received the last word, or the sender was
    /// told, whichever was first.
    pub body: u64,
    /// In the last attempt: until the sender was told. A reply is part of the answer.
    pub answer: u64,
}

impl Breakdown {
    /// The parts with their names, in the order in which they follow one another.
    pub fn parts(&self) -> [(&'static str, u64); 6] {
        [
            ("source", self.source),
            ("blocked", self.blocked),
            ("backoff", self.backoff),
            ("header", self.header),
            ("body", self.body),
            ("answer", self.answer),
        ]
    }

    /// All cycles.
    pub fn total(&self) -> u64 {
        self.parts().iter().map(|(_, cycles)| cycles).sum()
    }
}

/// A message that was acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageLife {
    /// The message.
    pub id: u32,
    /// The host's record of the message.
    pub message: MessageRecord,
    /// The host's record of its connection, if it went by one.
    pub connection: Option<ConnectionRecord>,
    /// The parts of its latency; `None` if the route of the last attempt is not known, as with
    /// wires that are stuck.
    pub breakdown: Option<Breakdown>,
}

/// Cycles that the rejected attempts of a message took.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Lost {
    pub(super) blocked: u64,
    pub(super) backoff: u64,
    /// The cycle in which the sender was told last.
    pub(super) told_cycle: u64,
}

impl Lost {
    /// The breakdown of a message with so much lost before its last attempt.
    pub(super) fn breakdown(
        self,
        message: &MessageRecord,
        last: &AttemptRecord,
    ) -> Option<Breakdown> {
        let told = message.acknowledged_cycle;
        let delivered = message.delivered_cycle.min(told);
        (last.reached_cycle != NEVER && last.reached_cycle <= delivered).then(|| Breakdown {
            source: message.sent_cycle - message.offered_cycle,
            blocked: self.blocked,
            backoff: self.backoff,
            header: last.reached_cycle - last.launched_cycle,
            body: delivered - last.reached_cycle,
            answer: told - delivered,
        })
    }
}

/// Takes records as a run goes on.
pub trait LifeSink {
    /// An attempt is over: its sender has been told, and no router holds anything for it. A packet
    /// is over when it has come or was lost.
    ///
    /// # Errors
    /// When writing fails.
    fn attempt(&mut self, attempt: &AttemptRecord) -> io::Result<()>;

    /// A router rejects an attempt in this cycle: the last of its hops, with its collision. The
    /// attempt itself is told of when it is over.
    fn rejected(&mut self, _attempt: &AttemptRecord) {}

    /// A message was acknowledged, and its last attempt is over.
    ///
    /// # Errors
    /// When writing fails.
    fn message(&mut self, life: &MessageLife) -> io::Result<()>;

    /// True when it has what it wants, so that the run may end.
    fn is_satisfied(&self) -> bool {
        false
    }
}
