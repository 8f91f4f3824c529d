//! Packets: what a host has to know of them where messages are packets.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crosswave_chips::Chip;
use crosswave_probe::message::RejectedAt;

/// The rules of a network's packets for a host. A message is as many of them as it has words, one
/// in each clock, and its sender is told nothing; or it is one packet of all its words
/// ([`is_streamed`](Self::is_streamed)).
pub trait PacketRules: Sync {
    /// The most clocks in which a packet can be under way that does not wait.
    fn drain_cycles(&self) -> u64;

    /// The ports of a router that are not 0 while packets wait in it; none without queues.
    fn queued_ports(&self) -> &'static [usize];

    /// True when links lead up in even cycles and down in odd ones.
    fn is_half_duplex(&self) -> bool;

    /// True when a message is one packet of all its words, which goes on the wire as there is room
    /// for it: its interface tells when it has begun and when all of it has been sent.
    fn is_streamed(&self) -> bool {
        false
    }

    /// The cycles after which nothing will happen any more, if nothing has happened at any node in
    /// them and messages are under way; `None` where routers keep nothing for ever.
    fn stall_cycles(&self) -> Option<u64> {
        None
    }

    /// The phase of a packet, which tells something of its way to someone who looks at wires.
    fn phase(&self, source: u32, destination: u32) -> u32;

    /// The destination of a packet that goes to every other node.
    fn every_node(&self) -> u32;

    /// The packets of a message of so many words that come to its destination.
    fn arrivals(&self, words: u32) -> u64 {
        match self.is_streamed() {
            true => 1,
            false => u64::from(words),
        }
    }

    /// The most words of a message.
    fn words_max(&self) -> u64 {
        u64::MAX
    }

    /// The messages that can be under way at a time, since receivers show so many numbers; a message
    /// has its number modulo this one.
    fn messages_told_apart(&self) -> u64 {
        u64::MAX
    }

    /// The port of a router that shows at which of its outputs packets were lost a clock ago; `None`
    /// where no port tells.
    fn lost_port(&self) -> Option<usize>;

    /// The places of the losses that a router shows by a value of that port.
    fn lost_at(&self, router: u32, outputs: u64) -> SmallVec<[RejectedAt; 4]>;

    /// The place under which packets with a fault are counted.
    fn fault_at(&self, fault: PacketFault) -> RejectedAt;

    /// The ports of routers of a level that show how long their queues have been; none without
    /// queues.
    fn longest_queues(&self, level: usize) -> Vec<LongestQueue>;

    /// The ports at which passing packets are recognised.
    fn packet_ports(&self) -> PacketPorts;

    /// The outputs at which copies of a packet to every node leave a router where it came to an
    /// input; none where routers replicate no packets.
    fn copies(&self, router: u32, input: usize) -> SmallVec<[usize; 2]> {
        let _ = (router, input);
        SmallVec::new()
    }
}

/// A fault of a packet that comes to a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PacketFault {
    /// It is for another node.
    Misrouted,
    /// Something in it is not as it was sent.
    Corrupted,
    /// It has come before.
    Doubled,
    /// There is no such message, or it has not been sent.
    Unknown,
}

impl PacketFault {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            PacketFault::Misrouted => "misrouted",
            PacketFault::Corrupted => "corrupted",
            PacketFault::Doubled => "doubled",
            PacketFault::Unknown => "unknown",
        }
    }
}

/// The ports of routers and interfaces at which passing packets are recognised. Lists are by link
/// port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PacketPorts {
    /// A packet is a word, with the number of its message. In the cycle after it came it is in the
    /// queue of its output, or on the wire there; queues are first come, first served.
    Words {
        /// Outputs of routers.
        router: WordOutputs,
        /// Outputs of interfaces.
        node: WordOutputs,
        /// The inputs of a router, the one in front whose packet is first of those that come in one
        /// cycle.
        precedence: Vec<usize>,
    },
    /// A packet is a row of flits. An input of a router holds an output from its first flit there
    /// to its last one. Packets that come to an input leave in their order.
    Flits {
        /// Outputs of routers: a flit is on the wire.
        valid: Vec<usize>,
        /// Outputs of routers: the flit is the last one of its packet.
        last: Vec<usize>,
        /// States of routers: the input that holds an output, a bit for each.
        owner: Vec<usize>,
        /// Clocks from the first flit at an input to the first one at the output, unless the packet
        /// waits.
        router_cycles: u64,
    },
    /// A packet is a row of flits, and its head has the number of the message. Nothing is known of the
    /// inside of routers.
    Tags(TaggedFlits),
}

/// Ports at which flits of packets are seen whose heads have the number of their message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaggedFlits {
    /// The outputs by array of the fabric and link port; `None` of those that only take flits in. Arrays
    /// of neither routers nor nodes have none.
    pub outputs: Vec<Vec<Option<FlitPorts>>>,
    /// The bits of a head with the number of its message, modulo [`messages`](Self::messages).
    pub message: Range<usize>,
    /// The messages that the number tells apart.
    pub messages: u64,
    /// The bits of each flit with its virtual channel, in which packets do not mix.
    pub vc: Option<Range<usize>>,
    /// The mark of heads; without one the flit after a final one is a head.
    pub head: Option<FlitMark>,
    /// The mark of final flits.
    pub tail: Option<FlitMark>,
    /// The bits of a head with the number of flits after it. Without these and `tail` each flit is a
    /// packet.
    pub length: Option<Range<usize>>,
    /// Cycles from the head at an input of a router to that at the output, unless the packet waits.
    pub router_cycles: u64,
    /// True when a packet is a path, that stands as long as flits follow each other: a head is the first
    /// flit after a cycle without one.
    pub is_path: bool,
}

/// A mark of flits of a kind: bits that have one of several values, or a bit that is 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlitMark {
    /// The bits.
    pub bits: Range<usize>,
    /// Their values.
    pub values: Vec<u64>,
}

/// The ports of an output for flits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlitPorts {
    /// There is a flit.
    pub valid: usize,
    /// Its bits, 64 to a port.
    pub data: Vec<usize>,
    /// The input that says that it is taken; without one it moves whenever it is there.
    pub ready: Option<usize>,
    /// The input that rejects the path over the output.
    pub nack: Option<usize>,
}

/// Outputs of a chip that show words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordOutputs {
    /// A packet is on the wire.
    pub valid: Vec<usize>,
    /// The number of its message.
    pub id: Vec<usize>,
}

impl WordOutputs {
    /// Those of a chip whose link ports have outputs `*_out_valid` and `*_out_id`.
    pub fn of(chip: &Chip) -> WordOutputs {
        WordOutputs {
            valid: chip.ports_of_links("out_valid"),
            id: chip.ports_of_links("out_id"),
        }
    }
}

/// A port of routers that shows the most packets that have waited for an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongestQueue {
    /// The port.
    pub port: usize,
    /// The row of results that it belongs to.
    pub name: &'static str,
}
