//! Failures in networks of a designer's own routers: packets with faults, packets that did not come, and
//! links that wait for each other.

use serde::Serialize;

use crate::host::faulty::{FAULTY_MAX, FaultyPacket};
use crate::host::{End, Outcome};
use crosswave_probe::message::{MessageRecord, NEVER};

/// A packet with a fault, or one that did not come.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FailedPacket {
    /// The replicate.
    pub replicate: u32,
    /// The message; `None` where no message has the number in the head.
    pub message: Option<u32>,
    /// Its source.
    pub source: Option<u32>,
    /// Its destination.
    pub destination: Option<u32>,
    /// The name of the fault: that of a [`PacketFault`](crosswave_network::topology::PacketFault), or
    /// [`MISSING`].
    pub fault: &'static str,
    /// The node to which it came.
    pub node: Option<u32>,
    /// The cycle in which the node shows it; of one that did not come the cycle in which its head left
    /// its source.
    pub cycle: u64,
    /// The last place where its head was seen.
    pub last: Option<LastPlace>,
}

/// The name of the fault of a message that did not come.
pub const MISSING: &str = "missing";

/// A place where the head of a packet was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LastPlace {
    /// The router, or the node that sends.
    pub router: String,
    /// The link.
    pub link: &'static str,
    /// True when the head left by the link; it came by it otherwise.
    pub has_left: bool,
    /// The cycle in which it was on the link.
    pub cycle: u64,
}

/// A link whose flits wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WaitingLink {
    /// The router, or the node, that sends on it.
    pub router: String,
    /// The link.
    pub link: &'static str,
    /// The virtual channel, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vc: Option<u8>,
    /// The message whose flits have come by the link and wait for the next link of the list; on the
    /// last link of a chain the message that waits for it.
    pub message: u32,
    /// No flit has moved on the link from this cycle on.
    pub since_cycle: u64,
}

/// Links that wait for each other at the end of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Deadlock {
    /// The replicate.
    pub replicate: u32,
    /// The cycle in which the run ended.
    pub cycle: u64,
    /// True when the last link waits for the first one.
    pub is_circle: bool,
    /// The links, each of which waits for the next one.
    pub links: Vec<WaitingLink>,
    /// The router, or node, to which the last link of a chain leads.
    #[serde(skip)]
    pub leads_to: Option<String>,
    /// The reason at the end of a chain; `None` of a circle.
    pub end: Option<String>,
}

/// A router that a packet passes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PassedRouter {
    /// The router.
    pub router: String,
    /// The link by which the packet leaves.
    pub link: Option<&'static str>,
    /// The cycle in which it came.
    pub cycle: u64,
}

/// A packet that moves on and on, and comes nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Livelock {
    /// The replicate.
    pub replicate: u32,
    /// The message that is longest under way of those that move; of circuits the one that was rejected
    /// most often.
    pub message: u32,
    /// Its attempts; 1 of a packet.
    pub attempts: u32,
    /// The cycle in which its head left its source.
    pub launched_cycle: u64,
    /// The routers that it has passed, each as often as it has.
    pub hops: usize,
    /// The last of them.
    pub last_hops: Vec<PassedRouter>,
}

/// A rejection of a circuit that came back to a router, and of which its source was not told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LostNack {
    /// The replicate.
    pub replicate: u32,
    /// The message.
    pub message: u32,
    /// The router to which it came.
    pub router: String,
    /// The link by which it came, which the path left by.
    pub link: &'static str,
    /// The cycle in which it came.
    pub cycle: u64,
}

/// The failures of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Failure {
    /// Packets with faults and packets that did not come, the first ones of each.
    pub failed_packets: Vec<FailedPacket>,
    /// Further ones, which are only counted.
    pub failed_packets_left_out: u64,
    /// Links that wait for each other.
    pub deadlock: Option<Deadlock>,
    /// A packet that comes nowhere.
    pub livelock: Option<Livelock>,
    /// A rejection that did not come back to its source.
    pub lost_nack: Option<LostNack>,
}

/// The packets with faults of all replicates, and the messages that did not come in those that stalled.
#[derive(Debug, Clone, Default)]
pub struct FailedPackets {
    packets: Vec<FailedPacket>,
    count: u64,
    /// The replicate that is to be looked at, and the last cycle of it.
    replicate: Option<(u32, u64)>,
    is_stalled: bool,
}

impl FailedPackets {
    /// Those that are kept, by replicate: first packets with faults, then messages that did not come
    /// and were not among these.
    pub fn packets(&self) -> &[FailedPacket] {
        &self.packets
    }

    /// The number of all.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The replicate in which to look for the places of packets, and its last cycle: the first one that
    /// stalled, otherwise the first one with faults.
    pub fn replicate(&self) -> Option<(u32, u64)> {
        self.replicate
    }

    /// Takes in a replicate of a network in which nothing happens any more after so many cycles.
    pub(super) fn add(&mut self, replicate: u32, outcome: &Outcome, stall_cycles: Option<u64>) {
        let stalls = match (outcome.end, stall_cycles) {
            (End::Stalled, _) => true,
            (End::OutOfCycles, Some(limit)) => {
                let messages = outcome.messages.iter();
                let came = messages.map(|message| message.delivered_cycle);
                let last = came.filter(|&cycle| cycle != NEVER).max();
                last.unwrap_or(0).saturating_add(limit) < outcome.last_cycle
            }
            _ => false,
        };
        let first = self.count;
        let faults: u64 = outcome.rejections.total();
        if !outcome.faulty.is_empty() {
            self.count += faults;
            for packet in &outcome.faulty {
                let message = packet.message.map(|id| &outcome.messages[id as usize]);
                self.keep(FailedPacket::with_fault(replicate, packet, message));
            }
        }
        if stalls {
            let faulty = outcome.faulty.iter().filter_map(|packet| packet.message);
            let faulty: std::collections::BTreeSet<u32> = faulty.collect();
            let missing = (0..).zip(&outcome.messages).filter(|(id, message)| {
                let is_missing = message.acknowledged_cycle == NEVER;
                is_missing && message.sent_cycle != NEVER && !faulty.contains(id)
            });
            for (id, message) in missing {
                self.count += 1;
                self.keep(FailedPacket {
                    replicate,
                    message: Some(id),
                    source: Some(message.source),
                    destination: Some(message.destination),
                    fault: MISSING,
                    node: None,
                    cycle: message.sent_cycle,
                    last: None,
                });
            }
        }
        let is_first = self.replicate.is_none() && self.count > first;
        if is_first || (stalls && !self.is_stalled) {
            self.replicate = Some((replicate, outcome.last_cycle));
        }
        self.is_stalled |= stalls;
    }

    /// Takes in those of replicates that follow.
    pub(super) fn add_all(&mut self, next: FailedPackets) {
        self.count += next.count;
        next.packets
            .into_iter()
            .for_each(|packet| self.keep(packet));
        if self.replicate.is_none() || (next.is_stalled && !self.is_stalled) {
            self.replicate = next.replicate;
        }
        self.is_stalled |= next.is_stalled;
    }

    /// True when a replicate stalled, or ended while nothing had come for as long.
    pub fn is_stalled(&self) -> bool {
        self.is_stalled
    }

    fn keep(&mut self, packet: FailedPacket) {
        if self.packets.len() < FAULTY_MAX {
            self.packets.push(packet);
        }
    }
}

impl FailedPacket {
    fn with_fault(replicate: u32, packet: &FaultyPacket, message: Option<&MessageRecord>) -> Self {
        FailedPacket {
            replicate,
            message: packet.message,
            source: message.map(|message| message.source),
            destination: message.map(|message| message.destination),
            fault: packet.fault.name(),
            node: Some(packet.node),
            cycle: packet.cycle,
            last: None,
        }
    }
}
