//! The host's ledger: the records of messages and the counts of collisions.
//!
//! What it is told may come in any order. Deliveries are matched by their cycles: two at a
//! node in one cycle, which has two receivers at RN1, are alike.
//!
//! Records of messages are cold memory. What is known of those that are over is collected, and
//! written down for many at once, so that waits for memory overlap.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crosswave_network::topology::Topology;
use crosswave_network::traffic::{EVERY_NODE, Workload};
use crosswave_probe::message::{ConnectionRecord, MessageRecord, NEVER, RejectedAt, Rejections};
use crosswave_probe::save::{Loader, Saver, Unlike};

#[cfg(test)]
mod tests;

/// A message all packets of which have been sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentMessage {
    /// The message.
    pub id: u32,
    /// The cycle of its offer.
    pub offered_cycle: u64,
    /// The cycle in which its first word was on the wire first.
    pub sent_cycle: u64,
    /// Its attempts.
    pub attempts: u32,
}

/// Something that the ledger is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A node has received a message.
    Received {
        /// The node.
        node: u32,
        /// The cycle of it.
        cycle: u64,
    },
    /// An attempt was rejected.
    Rejected {
        /// The message.
        id: u32,
        /// The place.
        at: RejectedAt,
    },
    /// The first word of a connection has come to a node.
    Opened {
        /// The node.
        node: u32,
        /// The cycle of it.
        cycle: u64,
    },
    /// The first word of a reply has come.
    Replied {
        /// The message that it answers.
        id: u32,
        /// The cycle of it.
        cycle: u64,
    },
    /// A message was acknowledged.
    Acknowledged(Acknowledged),
}

/// A sender's record of a message that was acknowledged.
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
    /// Cycle in which the first word of the last attempt was on the wire.
    pub launched_cycle: u64,
    /// Cycle in which the first word has come to the destination; of a connection.
    pub opened: Option<u64>,
    /// Cycle in which the destination has received the last word.
    pub delivered: u64,
    /// Routers on its way, where the host gives it.
    pub stages: u32,
    /// The sender has found a mistake in the answers.
    pub wrong: bool,
}

/// Deliveries at one node's receiver that have not been matched with an
/// acknowledgement.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Receiver {
    /// Cycles of deliveries whose acknowledgement is still on its way.
    deliveries: SmallVec<[u64; 2]>,
    /// Acknowledged messages whose tail is still on its way here (early
    /// acknowledgement): the cycle of the delivery and the id.
    tails: SmallVec<[(u64, u32); 1]>,
}

/// Messages that are over and written down at once: as many as waits for memory can overlap, and
/// few enough that what is known of them stays in the nearest cache.
const RECENT_MAX: usize = 64;

/// An entry for a message that is over.
#[derive(Debug, Clone, Copy)]
struct Settled {
    event: Acknowledged,
    /// Its delivery has been seen.
    delivered: bool,
    /// Its opening has been seen.
    opened: bool,
}

/// The records of all messages, by id.
#[derive(Debug, Clone, Default)]
pub struct Records {
    /// The messages.
    pub messages: Vec<MessageRecord>,
    /// Their connections; empty when the network has none.
    pub connections: Vec<ConnectionRecord>,
}

impl Records {
    fn write(&mut self, settled: &[Settled]) {
        // Reads overlap, which writes do less.
        let fetched = settled.iter().fold(0, |all, Settled { event, .. }| {
            let id = event.id as usize;
            let connection = self.connections.get(id);
            all ^ self.messages[id].words ^ connection.map_or(0, |connection| connection.stages)
        });
        std::hint::black_box(fetched);
        for &Settled {
            event,
            delivered,
            opened,
        } in settled
        {
            let message = &mut self.messages[event.id as usize];
            message.attempts = event.attempts;
            message.offered_cycle = event.offered_cycle;
            message.sent_cycle = event.sent_cycle;
            message.acknowledged_cycle = event.cycle;
            if delivered {
                message.delivered_cycle = event.delivered;
            }
            let Some(expected) = event.opened else {
                continue;
            };
            let connection = &mut self.connections[event.id as usize];
            connection.launched_cycle = event.launched_cycle;
            connection.wrong = event.wrong;
            connection.stages = event.stages;
            if opened {
                connection.opened_cycle = expected;
            }
        }
    }
}

/// The ledger.
pub struct Ledger {
    records: Records,
    /// Entries for messages that are over, not yet written to the records.
    recent: Vec<Settled>,
    /// Rejected attempts by place.
    pub rejections: Rejections,
    /// Connections opened at each node, and not yet acknowledged; empty when the network
    /// has none.
    opened: Vec<SmallVec<[u64; 2]>>,
    receivers: Vec<Receiver>,
    /// Packets of each message that have not come, to all of its destinations; empty where
    /// messages are no packets.
    missing: Vec<u64>,
    /// Messages whose packets have all been sent, where messages are packets.
    sent: usize,
    /// Messages that have not been acknowledged.
    pub unacknowledged: usize,
    /// Acknowledged messages whose tails are on their way.
    tails: usize,
    /// The last cycle in which a message was delivered or acknowledged.
    last_cycle: u64,
}

impl Ledger {
    /// A ledger for messages of a network.
    pub fn new(messages: Vec<MessageRecord>, network: &dyn Topology) -> Self {
        let nodes = network.nodes() as usize;
        let connections = match network.endpoint().has_connections() {
            false => 0,
            true => messages.len(),
        };
        let others = u64::from(network.nodes() - 1);
        let packets = |message: &MessageRecord| match message.destination {
            EVERY_NODE => u64::from(message.words) * others,
            _ => u64::from(message.words),
        };
        let missing = match network.packets() {
            Some(rules) if rules.is_streamed() => {
                let arrivals = |message: &MessageRecord| rules.arrivals(message.words);
                messages.iter().map(arrivals).collect()
            }
            Some(_) => messages.iter().map(packets).collect(),
            None => Vec::new(),
        };
        Ledger {
            missing,
            opened: vec![SmallVec::new(); if connections > 0 { nodes } else { 0 }],
            sent: 0,
            unacknowledged: messages.len(),
            tails: 0,
            records: Records {
                messages,
                connections: vec![ConnectionRecord::NEW; connections],
            },
            recent: Vec::with_capacity(RECENT_MAX),
            rejections: network.rejections(),
            receivers: (0..nodes).map(|_| Receiver::default()).collect(),
            last_cycle: 0,
        }
    }

    /// The records as they are now.
    pub fn records(&mut self) -> &mut Records {
        self.records.write(&self.recent);
        self.recent.clear();
        &mut self.records
    }

    /// Saves everything.
    pub fn save(&self, saver: &mut Saver) {
        let mut records = self.records.clone();
        records.write(&self.recent);
        saver.value(&records.messages);
        saver.value(&records.connections);
        for row in &self.rejections.rows {
            saver.value(&row.counts);
        }
        saver.value(&self.opened);
        saver.value(&self.receivers);
        saver.value(&self.missing);
        saver.value(&(self.unacknowledged, self.tails, self.last_cycle, self.sent));
    }

    /// Takes over what a ledger of the same messages saved.
    ///
    /// # Errors
    /// When it was of others.
    pub fn load(&mut self, loader: &mut Loader<'_>) -> Result<(), Unlike> {
        let records = self.records();
        records.messages = loader.values(records.messages.len())?;
        records.connections = loader.values(records.connections.len())?;
        for row in &mut self.rejections.rows {
            row.counts = loader.values(row.counts.len())?;
        }
        self.opened = loader.values(self.opened.len())?;
        self.receivers = loader.values(self.receivers.len())?;
        self.missing = loader.values(self.missing.len())?;
        (self.unacknowledged, self.tails, self.last_cycle, self.sent) = loader.value()?;
        Ok(())
    }

    /// True when a message was acknowledged.
    pub fn is_over(&self, id: u32) -> bool {
        self.records.messages[id as usize].acknowledged_cycle != NEVER
    }

    /// True when it can be the ledger of a workload in a cycle, after all that is over has been
    /// written down.
    pub fn is_of(&self, workload: &Workload, cycle: u64) -> bool {
        let records = &self.records.messages;
        let is_past = |at: u64| at == NEVER || at <= cycle;
        let mut pairs = records.iter().zip(&workload.messages);
        let are_messages = pairs.all(|(record, message)| {
            let ends = (record.source, record.destination, record.words);
            let is_in_order = match record.acknowledged_cycle {
                NEVER => true,
                // A message of packets may have no cycle yet in which all have been sent.
                _ if !self.missing.is_empty() && record.sent_cycle == NEVER => true,
                over => record.offered_cycle <= record.sent_cycle && record.sent_cycle <= over,
            };
            ends == (message.source, message.destination, message.words)
                && u64::from(record.attempts) <= cycle
                && is_past(record.delivered_cycle)
                && is_past(record.acknowledged_cycle)
                && is_in_order
        });
        let connections = self.records.connections.iter();
        let cycles = connections.flat_map(|connection| {
            [
                connection.launched_cycle,
                connection.opened_cycle,
                connection.reply_cycle,
            ]
        });
        let lists = self.receivers.iter();
        let deliveries = lists
            .clone()
            .flat_map(|receiver| receiver.deliveries.iter());
        let opened = self.opened.iter().flatten();
        let are_past = cycles.chain(deliveries.chain(opened).copied()).all(is_past);
        let mut tails = lists.clone().flat_map(|receiver| receiver.tails.iter());
        let are_tails = tails.all(|&(due, id)| due >= cycle && self.is_tail(id));
        let over = records
            .iter()
            .filter(|record| record.acknowledged_cycle != NEVER);
        let of_packets = self
            .missing
            .iter()
            .zip(records)
            .all(|(&missing, record)| (missing == 0) == (record.acknowledged_cycle != NEVER));
        are_messages
            && are_past
            && are_tails
            && of_packets
            && lists.map(|receiver| receiver.tails.len()).sum::<usize>() == self.tails
            && over.count() + self.unacknowledged == records.len()
            && self.sent <= records.len()
            && self.last_cycle <= cycle
    }

    /// True when a message was acknowledged whose tail may still be on its way.
    fn is_tail(&self, id: u32) -> bool {
        let record = self.records.messages.get(id as usize);
        record.is_some_and(|record| {
            record.acknowledged_cycle != NEVER && record.delivered_cycle == NEVER
        })
    }

    /// Writes down what happened. Gives the message that was acknowledged before and is now
    /// delivered, if one is.
    pub fn take(&mut self, event: Event) -> Option<u32> {
        match event {
            Event::Received { node, cycle } => return self.received(node, cycle),
            Event::Rejected { id, at } => self.rejected(id, at),
            Event::Opened { node, cycle } => self.opened[node as usize].push(cycle),
            Event::Replied { id, cycle } => {
                self.records.connections[id as usize].reply_cycle = cycle;
            }
            Event::Acknowledged(event) => self.acknowledged(event),
        }
        None
    }

    /// Writes down that an attempt was rejected.
    #[inline]
    pub fn rejected(&mut self, id: u32, at: RejectedAt) {
        self.rejections.count(at);
        if let Some(connection) = self.records.connections.get_mut(id as usize) {
            connection.stages = at.place as u32;
        }
    }

    /// Writes down that a message was acknowledged.
    #[inline]
    pub fn acknowledged(&mut self, event: Acknowledged) {
        let settled = Settled {
            delivered: self.is_delivered(&event),
            opened: self.connected(&event),
            event,
        };
        self.recent.push(settled);
        if self.recent.len() == RECENT_MAX {
            self.records();
        }
    }

    /// The cycle in which the last message was acknowledged, and had been delivered if it ever
    /// is: an acknowledged connection whose answers were wrong may not have been.
    pub fn finished(&self) -> Option<u64> {
        (self.unacknowledged == 0 && self.tails == 0).then_some(self.last_cycle)
    }

    /// Writes down that all packets of a message have been sent.
    pub fn sent(&mut self, of: SentMessage) {
        let message = &mut self.records.messages[of.id as usize];
        self.sent += 1;
        message.attempts = of.attempts;
        message.offered_cycle = of.offered_cycle;
        message.sent_cycle = of.sent_cycle;
    }

    /// True when packets have not come of messages that have all been sent.
    pub fn under_way(&self) -> bool {
        self.sent > self.records.messages.len() - self.unacknowledged
    }

    /// Writes down that a packet of a message has come. Whether it was the last one; `None` when
    /// none was awaited. A message that has come is over: nobody acknowledges it.
    pub fn arrived(&mut self, id: u32, cycle: u64) -> Option<bool> {
        let missing = self.missing.get_mut(id as usize)?;
        *missing = missing.checked_sub(1)?;
        if *missing > 0 {
            return Some(false);
        }
        let message = &mut self.records.messages[id as usize];
        message.delivered_cycle = cycle;
        message.acknowledged_cycle = cycle;
        self.unacknowledged -= 1;
        self.last_cycle = cycle;
        Some(true)
    }

    /// True when all packets of a message have been sent.
    pub fn is_sent(&self, id: u32) -> bool {
        let record = self.records.messages.get(id as usize);
        record.is_some_and(|record| record.sent_cycle != NEVER)
    }

    /// True when packets of a message have not come.
    pub fn is_missing(&self, id: u32) -> bool {
        self.missing
            .get(id as usize)
            .is_some_and(|&missing| missing > 0)
    }

    /// Writes down that a node has received a message. Gives it, if it was acknowledged before.
    #[inline]
    pub fn received(&mut self, node: u32, cycle: u64) -> Option<u32> {
        self.last_cycle = self.last_cycle.max(cycle);
        let receiver = &mut self.receivers[node as usize];
        match receiver.tails.iter().position(|&(due, _)| due == cycle) {
            Some(found) => {
                let (_, id) = receiver.tails.remove(found);
                self.tails -= 1;
                self.records.messages[id as usize].delivered_cycle = cycle;
                Some(id)
            }
            None => {
                receiver.deliveries.push(cycle);
                None
            }
        }
    }

    /// Finds the opening that an acknowledgement belongs to, the one at the time that
    /// the way takes, and whether there is one.
    fn connected(&mut self, event: &Acknowledged) -> bool {
        let Some(expected) = event.opened else {
            return false;
        };
        let opened = &mut self.opened[event.destination as usize];
        let found = opened.iter().position(|&cycle| cycle == expected);
        if let Some(found) = found {
            opened.swap_remove(found);
        }
        found.is_some()
    }

    /// Finds the delivery that an acknowledgement belongs to, the one that the forward way
    /// and the length give, and whether there is one: an early acknowledgement may come before it.
    #[inline]
    fn is_delivered(&mut self, event: &Acknowledged) -> bool {
        self.unacknowledged -= 1;
        self.last_cycle = self.last_cycle.max(event.cycle);
        let receiver = &mut self.receivers[event.destination as usize];
        let mut deliveries = receiver.deliveries.iter();
        let found = deliveries.position(|&at| at == event.delivered);
        match found {
            // Mostly it is the only one.
            Some(found) if found + 1 == receiver.deliveries.len() => {
                receiver.deliveries.pop();
            }
            Some(found) => {
                receiver.deliveries.remove(found);
            }
            // A connection is acknowledged after its words have come.
            None if !self.records.connections.is_empty() => {}
            None => {
                receiver.tails.push((event.delivered, event.id));
                self.tails += 1;
            }
        }
        found.is_some()
    }
}
