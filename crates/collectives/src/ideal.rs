//! The judge: a step simulator with a FIFO queue at every channel.
//!
//! A packet that wants to cross a channel joins the channel's queue. In each step each
//! channel of level i passes the first c_i packets of its queue on to the next node, where
//! they join the next queue, or queues when they are replicated, in the next step. Packets
//! that join a queue in the same step come in this order: from the source (in the order of
//! the schedule), from the left child, from the right child, from the parent.
//!
//! The length of a queue is counted at the end of a step, and so leaves out the packets in
//! transmission in that step; that is the count for which D&D, section 4.1, give 2^(i-1).
//! A source's queue is no part of the network, and is counted apart.
//!
//! Cost: time in proportion to crossings and waiting queues; 128 bytes a processor, and 12
//! bytes for each packet under way, of which there are at most
//! [`DELIVERIES_MAX`](crate::fault::DELIVERIES_MAX).

use std::collections::VecDeque;
use std::fmt;

use crate::check::{check_messages, check_packets};
use crate::contention::top_level;
use crate::fault::Fault;
use crate::schedule::{Destination, Message, Schedule};
use crate::tree::{BinaryFatTree, Channel, ChannelDirection, ChannelName};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};

/// The time and the queues that a schedule takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedOutcome {
    /// The last step in which a packet arrives; 0 for an empty schedule.
    pub finish_step: u64,
    /// Packets that arrive, replicas counted.
    pub deliveries: u64,
    /// The longest queue of the up channels that leave nodes of level i, at index i; at
    /// index 0 that of the sources.
    pub up_queues: Vec<u32>,
    /// The longest queue of the down channels that leave nodes of level i, at index i.
    pub down_queues: Vec<u32>,
}

impl QueuedOutcome {
    /// The longest queue at each level's routing nodes, from level 1 to the root.
    pub fn queues(&self) -> Vec<u32> {
        let both = self.up_queues.iter().zip(&self.down_queues);
        both.skip(1).map(|(&up, &down)| up.max(down)).collect()
    }
}

/// The reason why a schedule does not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScheduleFailure {
    /// A packet does not fit, a message comes twice, or a relay sends one on too early.
    Packet(Fault),
    /// A queue in the network grows longer than the limit.
    Overflow {
        /// The step.
        step: u64,
        /// The channel for which packets wait.
        channel: ChannelName,
        /// The limit.
        limit: u32,
    },
}

impl ScheduleFailure {
    /// An error of it. `lines` has the line of each packet of the schedule.
    pub fn error(&self, origin: &str, lines: &[u32]) -> Error {
        match self {
            ScheduleFailure::Packet(fault) => fault.error(origin, lines),
            ScheduleFailure::Overflow {
                step,
                channel,
                limit,
            } => {
                let found = format!("more than {limit} packets wait for the {channel}");
                let help = "raise the limit of queues, or send packets later";
                let diagnostic = Diagnostic::new(format!("step {step}"), found, help);
                Error::one(Class::Check, origin, diagnostic)
            }
        }
    }
}

impl fmt::Display for ScheduleFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScheduleFailure::Packet(fault) => fault.fmt(f),
            ScheduleFailure::Overflow {
                step,
                channel,
                limit,
            } => {
                write!(
                    f,
                    "step {step}: more than {limit} packets wait for the {channel}"
                )
            }
        }
    }
}

impl std::error::Error for ScheduleFailure {}

/// Runs a schedule. Its steps are the earliest in which sources send. With a `limit` the
/// run fails when more packets than that wait for a channel inside the network. Relays are
/// not held back: a schedule whose messages arrive too late for them fails.
///
/// # Errors
/// A [`ScheduleFailure`].
pub fn run(
    tree: &BinaryFatTree,
    schedule: &Schedule,
    limit: Option<u32>,
) -> Result<QueuedOutcome, ScheduleFailure> {
    check_packets(tree, schedule).map_err(ScheduleFailure::Packet)?;
    check_messages(tree, schedule).map_err(ScheduleFailure::Packet)?;
    let mut order: Vec<u32> = (0..schedule.packets.len() as u32).collect();
    order.sort_by_key(|&index| schedule.packets[index as usize].step);
    let mut network = Network::new(tree, schedule);
    let mut order = order.into_iter().peekable();
    let mut step = 0;
    loop {
        let next = order
            .peek()
            .map(|&index| schedule.packets[index as usize].step);
        step = match (network.active.is_empty(), next) {
            (true, None) => return network.ended(),
            (true, Some(next)) => next.max(step + 1),
            (false, _) => step + 1,
        };
        let due = |index: &u32| schedule.packets[*index as usize].step <= step;
        while let Some(index) = order.next_if(due) {
            let node = tree.ancestor(schedule.packets[index as usize].source, 0);
            network.join(
                Channel {
                    node,
                    direction: ChannelDirection::Up,
                },
                index,
            );
        }
        network.step(step, limit)?;
    }
}

/// The channels' queues. A packet is its index in the schedule.
struct Network<'a> {
    tree: &'a BinaryFatTree,
    schedule: &'a Schedule,
    queues: Vec<VecDeque<u32>>,
    /// The channels whose queues are not empty, in no order of meaning before
    /// [`Network::step`] sorts them.
    active: Vec<Channel>,
    outcome: QueuedOutcome,
    relays: Relays,
}

/// The messages that relays wait for, (message, relay) in order, and the steps of their arrival.
struct Relays {
    awaited: Vec<(Message, u32)>,
    arrivals: Vec<u64>,
}

impl Relays {
    fn new(schedule: &Schedule) -> Self {
        let packets = schedule.packets.iter();
        let mut awaited: Vec<(Message, u32)> = packets
            .map(|packet| (packet.message(), packet.source))
            .filter(|(message, source)| message.origin() != *source)
            .collect();
        awaited.sort_unstable();
        awaited.dedup();
        let arrivals = vec![0; awaited.len()];
        Relays { awaited, arrivals }
    }

    /// The step in which a message arrives at a relay that waits for it.
    fn arrival(&mut self, message: Message, relay: u32) -> Option<&mut u64> {
        let found = self.awaited.binary_search(&(message, relay)).ok()?;
        self.arrivals.get_mut(found)
    }
}

impl<'a> Network<'a> {
    fn new(tree: &'a BinaryFatTree, schedule: &'a Schedule) -> Self {
        let none = vec![0; tree.levels() as usize + 1];
        let outcome = QueuedOutcome {
            finish_step: 0,
            deliveries: 0,
            up_queues: none.clone(),
            down_queues: none,
        };
        let queues = vec![VecDeque::new(); 4 * tree.processors() as usize];
        Network {
            tree,
            schedule,
            queues,
            active: Vec::new(),
            outcome,
            relays: Relays::new(schedule),
        }
    }

    /// All packets have arrived.
    fn ended(mut self) -> Result<QueuedOutcome, ScheduleFailure> {
        for (index, packet) in self.schedule.packets.iter().enumerate() {
            let arrival = self.relays.arrival(packet.message(), packet.source);
            let arrival = arrival.copied().filter(|&arrival| arrival >= packet.step);
            if arrival.is_some() {
                let packet = (index, *packet);
                return Err(ScheduleFailure::Packet(Fault::EarlyRelay {
                    packet,
                    arrival,
                }));
            }
        }
        Ok(self.outcome)
    }

    fn join(&mut self, channel: Channel, index: u32) {
        let queue = &mut self.queues[channel.index()];
        if queue.is_empty() {
            self.active.push(channel);
        }
        queue.push_back(index);
    }

    /// Every channel passes on what it can.
    fn step(&mut self, step: u64, limit: Option<u32>) -> Result<(), ScheduleFailure> {
        let mut active = std::mem::take(&mut self.active);
        // The order of arrivals: left child before right child, children before parent.
        active.sort_unstable_by_key(|channel| (channel.direction, channel.node));
        let mut moved: Vec<(Channel, u32)> = Vec::new();
        for channel in active {
            let capacity = self.tree.channel_capacity(channel) as usize;
            let queue = &mut self.queues[channel.index()];
            let passed = capacity.min(queue.len());
            moved.extend(queue.drain(..passed).map(|index| (channel, index)));
            let waiting = queue.len() as u32;
            if waiting > 0 {
                self.active.push(channel);
                self.note_waiting(step, channel, waiting, limit)?;
            }
        }
        for (channel, index) in moved {
            self.arrive(step, channel, index);
        }
        Ok(())
    }

    fn note_waiting(
        &mut self,
        step: u64,
        channel: Channel,
        waiting: u32,
        limit: Option<u32>,
    ) -> Result<(), ScheduleFailure> {
        let level = self.tree.branch_level(channel.node) as usize;
        let longest = match channel.direction {
            ChannelDirection::Up => &mut self.outcome.up_queues[level - 1],
            ChannelDirection::Down => &mut self.outcome.down_queues[level],
        };
        *longest = waiting.max(*longest);
        let inside = channel.direction == ChannelDirection::Down || level > 1;
        match limit {
            Some(limit) if inside && waiting > limit => {
                let channel = self.tree.name(channel);
                Err(ScheduleFailure::Overflow {
                    step,
                    channel,
                    limit,
                })
            }
            _ => Ok(()),
        }
    }

    /// A packet has crossed a channel and joins the next ones.
    fn arrive(&mut self, step: u64, channel: Channel, index: u32) {
        let packet = &self.schedule.packets[index as usize];
        let down = |node| Channel {
            node,
            direction: ChannelDirection::Down,
        };
        let level = self.tree.branch_level(channel.node);
        match (channel.direction, packet.destination) {
            (ChannelDirection::Up, destination) => {
                let parent = Channel {
                    node: channel.node >> 1,
                    direction: ChannelDirection::Up,
                };
                let top = top_level(self.tree, packet);
                let turns = match destination {
                    Destination::Processor(_) => top == level,
                    Destination::Levels(set) => set.contains(level),
                };
                if turns {
                    self.join(down(channel.node ^ 1), index);
                }
                if top > level {
                    self.join(parent, index);
                }
            }
            (ChannelDirection::Down, _) if level == 1 => {
                self.outcome.deliveries += 1;
                self.outcome.finish_step = step;
                let processor = channel.node - self.tree.processors();
                if let Some(arrival) = self.relays.arrival(packet.message(), processor) {
                    *arrival = step;
                }
            }
            (ChannelDirection::Down, Destination::Processor(processor)) => {
                self.join(down(self.tree.ancestor(processor, level - 2)), index);
            }
            (ChannelDirection::Down, Destination::Levels(_)) => {
                self.join(down(2 * channel.node), index);
                self.join(down(2 * channel.node + 1), index);
            }
        }
    }
}

#[cfg(test)]
mod tests;
