//! What the host writes down: the records of messages and the counts of collisions.
//!
//! What it is told may come in any order: a receiver has one delivery in a cycle at most,
//! and matches them by their cycles.

use smallvec::SmallVec;

use crate::probe::message::{Collisions, MessageRecord};
use crate::routing;

/// Something that the ledger is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A node has received a message.
    Received {
        /// The node.
        node: u32,
        /// In this cycle.
        cycle: u64,
    },
    /// An attempt has ended in a collision.
    Collided {
        /// Level at which its path turns.
        turn: u32,
        /// Router that rejected it; `None` when the receiver did.
        hop: Option<u32>,
    },
    /// A message was acknowledged.
    Acknowledged(Acknowledged),
}

/// What a sender knows of a message that was acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Acknowledged {
    /// The message.
    pub id: u32,
    /// Its destination.
    pub destination: u32,
    /// Attempts, the last one included.
    pub attempts: u32,
    /// Cycle of the offer.
    pub offered_cycle: u64,
    /// Cycle in which the head of the first attempt was on the wire.
    pub sent_cycle: u64,
    /// Cycle of the acknowledgement.
    pub cycle: u64,
    /// Cycle in which the destination has received the last word.
    pub delivered: u64,
}

/// Deliveries at one node's receiver that have not been matched with an
/// acknowledgement.
#[derive(Debug, Clone, Default)]
struct Receiver {
    /// Cycles of deliveries whose acknowledgement is still on its way.
    deliveries: SmallVec<[u64; 2]>,
    /// Acknowledged messages whose tail is still on its way here (release by
    /// the tail): the cycle of the delivery and the id.
    tails: SmallVec<[(u64, u32); 1]>,
}

/// The records.
pub struct Ledger {
    /// The messages, by id.
    pub messages: Vec<MessageRecord>,
    /// Collisions by level.
    pub collisions: Collisions,
    receivers: Vec<Receiver>,
    unacknowledged: usize,
    undelivered: usize,
    /// The last cycle in which a message was delivered or acknowledged.
    last_cycle: u64,
}

impl Ledger {
    /// A ledger for messages of a network.
    pub fn new(messages: Vec<MessageRecord>, nodes: usize, levels: usize) -> Self {
        Ledger {
            unacknowledged: messages.len(),
            undelivered: messages.len(),
            messages,
            collisions: Collisions::new(levels),
            receivers: vec![Receiver::default(); nodes],
            last_cycle: 0,
        }
    }

    /// Writes down what happened.
    pub fn take(&mut self, event: Event) {
        match event {
            Event::Received { node, cycle } => self.received(node, cycle),
            Event::Collided { turn, hop } => self.collided(turn, hop),
            Event::Acknowledged(acknowledged) => self.acknowledged(&acknowledged),
        }
    }

    /// The cycle in which the last message was delivered and acknowledged, when all
    /// were.
    pub fn finished(&self) -> Option<u64> {
        (self.unacknowledged == 0 && self.undelivered == 0).then_some(self.last_cycle)
    }

    fn received(&mut self, node: u32, cycle: u64) {
        self.undelivered -= 1;
        self.last_cycle = self.last_cycle.max(cycle);
        let receiver = &mut self.receivers[node as usize];
        match receiver.tails.iter().position(|&(due, _)| due == cycle) {
            Some(found) => {
                let (_, id) = receiver.tails.remove(found);
                self.messages[id as usize].delivered_cycle = cycle;
            }
            None => receiver.deliveries.push(cycle),
        }
    }

    fn collided(&mut self, turn: u32, hop: Option<u32>) {
        let Some(hop) = hop else {
            self.collisions.refused += 1;
            return;
        };
        let list = if hop == turn {
            &mut self.collisions.turning
        } else {
            &mut self.collisions.downward
        };
        list[routing::hop_level(turn, hop) as usize] += 1;
    }

    /// Finds the delivery that an acknowledgement belongs to: with release by the
    /// acknowledge the one whose answer took as long as the way back is; with release
    /// by the tail, where the answer leaves at the head, the one that the forward way
    /// and the length give.
    fn acknowledged(&mut self, event: &Acknowledged) {
        self.unacknowledged -= 1;
        self.last_cycle = self.last_cycle.max(event.cycle);
        let message = &mut self.messages[event.id as usize];
        message.attempts = event.attempts;
        message.offered_cycle = event.offered_cycle;
        message.sent_cycle = event.sent_cycle;
        message.acknowledged_cycle = event.cycle;
        let receiver = &mut self.receivers[event.destination as usize];
        let mut deliveries = receiver.deliveries.iter();
        match deliveries.position(|&at| at == event.delivered) {
            Some(found) => {
                receiver.deliveries.remove(found);
                message.delivered_cycle = event.delivered;
            }
            None => receiver.tails.push((event.delivered, event.id)),
        }
    }
}
