//! The faults that forbid a schedule.

use std::fmt;

use crate::schedule::ScheduledPacket;
use crate::text::{destination_text, message_text};
use crate::tree::ChannelName;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};

/// The last step in which a packet may be sent.
pub const STEP_MAX: u64 = 1_000_000_000_000;

/// The most deliveries of messages in one schedule: a total exchange among 4,096.
pub const DELIVERIES_MAX: u64 = 1 << 24;

/// A packet with its index in the schedule, from 0.
pub type Indexed = (usize, ScheduledPacket);

/// A fault that forbids a schedule. Packets are given with their index in the schedule, from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The step is 0 or lies after [`STEP_MAX`].
    Step(Indexed),
    /// A source, a destination, an origin or a target is no processor of the tree.
    UnknownProcessor {
        /// The packet that names it.
        packet: Indexed,
        /// The processor that is named.
        processor: u32,
        /// Processors of the tree.
        processors: u32,
    },
    /// A level is not in the tree.
    UnknownLevel {
        /// The packet that names it.
        packet: Indexed,
        /// The level that is named.
        level: u32,
        /// Levels of the tree.
        levels: u32,
    },
    /// The source is its own destination.
    SelfSend(Indexed),
    /// With this packet there are more than [`DELIVERIES_MAX`] deliveries.
    TooMany(Indexed),
    /// A message reaches a processor twice, or its own origin.
    Duplicate {
        /// The packet that brings it first in the schedule; `None` for the origin, which
        /// has it from the beginning.
        first: Option<Indexed>,
        /// The packet that brings it again.
        second: Indexed,
        /// The processor that is reached again.
        processor: u32,
    },
    /// A relay sends a message on before it has arrived.
    EarlyRelay {
        /// The packet that is sent too early.
        packet: Indexed,
        /// The step in which its message arrives; `None` when it never does.
        arrival: Option<u64>,
    },
    /// More packets want a channel in one step than its capacity; the two named are the
    /// last one that fits and the first one that does not.
    Contention {
        /// The step.
        step: u64,
        /// The channel.
        channel: ChannelName,
        /// Its capacity.
        capacity: u32,
        /// The last packet that fits.
        first: Indexed,
        /// The first packet that does not.
        second: Indexed,
    },
}

/// A packet in words.
fn words(packet: &ScheduledPacket) -> String {
    let relayed = packet.relayed.map(message_text);
    format!(
        "{} to {} in step {}{}",
        packet.source,
        destination_text(packet.destination),
        packet.step,
        relayed.map_or_else(String::new, |message| format!(" with message {message}"))
    )
}

impl Fault {
    /// The class of an error of it: [`Class::Input`] when a packet does not fit the tree or the
    /// limits, [`Class::Check`] when all do, and the schedule does not run.
    pub fn class(&self) -> Class {
        match self {
            Fault::Step(_)
            | Fault::UnknownProcessor { .. }
            | Fault::UnknownLevel { .. }
            | Fault::SelfSend(_)
            | Fault::TooMany(_) => Class::Input,
            Fault::Duplicate { .. } | Fault::EarlyRelay { .. } | Fault::Contention { .. } => {
                Class::Check
            }
        }
    }

    /// The packet at which it is found: of two the later one.
    pub fn packet(&self) -> Indexed {
        match *self {
            Fault::Step(packet) | Fault::SelfSend(packet) | Fault::TooMany(packet) => packet,
            Fault::UnknownProcessor { packet, .. }
            | Fault::UnknownLevel { packet, .. }
            | Fault::EarlyRelay { packet, .. } => packet,
            Fault::Duplicate { second, .. } | Fault::Contention { second, .. } => second,
        }
    }

    /// The value found and the one expected; `place` names packets by their indices.
    fn message(&self, place: &dyn Fn(usize) -> String) -> String {
        let name = |packet: &Indexed| format!("{} ({})", place(packet.0), words(&packet.1));
        let here = |packet: &Indexed| words(&packet.1);
        match self {
            Fault::Step(packet) => format!(
                "{}: found step {}, expected one from 1 to {STEP_MAX}",
                here(packet),
                packet.1.step
            ),
            Fault::UnknownProcessor {
                packet,
                processor,
                processors,
            } => format!(
                "{}: found processor {processor}, expected one from 0 to {}",
                here(packet),
                processors - 1
            ),
            Fault::UnknownLevel {
                packet,
                level,
                levels,
            } => format!(
                "{}: found level {level}, expected one from 1 to {levels}",
                here(packet)
            ),
            Fault::SelfSend(packet) => format!(
                "{}: the source is its own destination, expected another processor",
                here(packet)
            ),
            Fault::TooMany(packet) => format!(
                "{}: packets up to here make more than {DELIVERIES_MAX} deliveries",
                here(packet)
            ),
            Fault::Duplicate {
                first: Some(first),
                second,
                processor,
            } => format!(
                "{}: processor {processor} has the message from {}, expected it once",
                here(second),
                name(first)
            ),
            Fault::Duplicate {
                first: None,
                second,
                processor,
            } => format!(
                "{}: the message comes from processor {processor}, expected it to go to others",
                here(second)
            ),
            Fault::EarlyRelay {
                packet,
                arrival: None,
            } => format!("{}: the relay never receives the message", here(packet)),
            Fault::EarlyRelay {
                packet,
                arrival: Some(arrival),
            } => format!(
                "{}: the relay receives the message in step {arrival} only",
                here(packet)
            ),
            Fault::Contention {
                step,
                channel,
                capacity,
                first,
                second,
            } => format!(
                "{}: in step {step} it wants the {channel}, and so does {}; the channel's \
                 capacity is {capacity}",
                here(second),
                name(first)
            ),
        }
    }

    /// Advice on fixing the fault.
    fn help(&self) -> String {
        match self {
            Fault::Step(_) => "steps count from 1".into(),
            Fault::UnknownProcessor { .. } | Fault::UnknownLevel { .. } => {
                "correct the number, or take a larger tree".into()
            }
            Fault::SelfSend(_) => "a processor has its own messages; leave the packet out".into(),
            Fault::TooMany(_) => "take a smaller tree, or fewer packets".into(),
            Fault::Duplicate { .. } => "leave one of the packets out".into(),
            Fault::EarlyRelay {
                arrival: Some(arrival),
                ..
            } => format!("send it in step {} or later", arrival + 1),
            Fault::EarlyRelay { arrival: None, .. } => {
                "add the packet that brings it, or correct the message".into()
            }
            Fault::Contention { .. } => {
                "send one of them in another step, raise the capacity, or let packets wait in \
                 queues"
                    .into()
            }
        }
    }

    /// An error of it. `lines` has the line of each packet of the schedule.
    pub fn error(&self, origin: &str, lines: &[u32]) -> Error {
        let place = |index: usize| format!("line {}", lines.get(index).copied().unwrap_or(0));
        let diagnostic = Diagnostic::new(place(self.packet().0), self.message(&place), self.help());
        Error::one(self.class(), origin, diagnostic)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |index: usize| format!("packet {index}");
        write!(f, "{}: {}", place(self.packet().0), self.message(&place))
    }
}

impl std::error::Error for Fault {}
