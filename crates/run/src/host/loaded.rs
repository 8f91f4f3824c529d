//! Checks of a checkpoint before the run goes on from it: the state that a host has loaded must be
//! one that it can have in the cycle.
//!
//! Every number that is used as an index or subtracted from another one is checked, and what is
//! counted is counted again. It is not found out whether chips are in the states that the host takes
//! them to be in.

use super::Host;
use super::sender::{NONE, Sender};
use crosswave_network::topology::{PacketRules, ROUTERS};
use crosswave_network::traffic::Offer;
use crosswave_probe::message::NEVER;

/// Cycles by which packets that are asked for come on the wire later.
const AHEAD_CYCLES: u64 = 4;

impl Host<'_> {
    /// Checks what was loaded in a cycle that has been observed.
    ///
    /// # Errors
    /// What is impossible.
    pub(crate) fn check(&self, cycle: u64) -> Result<(), &'static str> {
        let instances = 0..self.senders.len() as u32;
        if !instances.clone().all(|at| self.is_sender(at, cycle)) {
            return Err("what a sender does is not one of its messages");
        }
        self.check_offers(cycle)?;
        self.check_counts(cycle)?;
        let workload = self.rules.workload;
        if !self.ledger.is_of(workload, cycle) {
            return Err("the records are not those of the messages");
        }
        let is_packets = self.rules.packets.is_some();
        if !is_packets && !instances.clone().all(|at| self.is_in_order(at)) {
            return Err("messages before the current one are not over, or later ones are");
        }
        if !self.dependencies.is_of(workload, cycle) || !self.are_released() {
            return Err("what messages wait for is not what they name");
        }
        Ok(())
    }

    /// True when a sender is at one of its messages, and its cycles follow one another.
    fn is_sender(&self, instance: u32, cycle: u64) -> bool {
        let (sender, node) = (&self.senders[instance as usize], self.rules.node(instance));
        let queued = |back: u32| {
            let at = sender.next.checked_sub(back)?;
            self.rules.queues.get(node, at)
        };
        let is_current = match (sender.id, queued(1)) {
            (NONE, _) => sender.next == self.rules.queues.count(node) && !sender.offered,
            (id, Some(queued)) => {
                (id, sender.destination, sender.words)
                    == (queued.id, queued.destination, queued.words)
            }
            _ => false,
        };
        let was_asked = |back| queued(back).is_some_and(|queued| queued.id == sender.asked);
        let is_asked = sender.asked == NONE || was_asked(1) || was_asked(2);
        let is_ahead = sender.ahead == NONE
            || (0..=2).any(|back| queued(back).is_some_and(|queued| queued.id == sender.ahead));
        is_current && is_asked && is_ahead && has_possible_cycles(sender, cycle, self.rules.packets)
    }

    /// True when the messages of a node are over up to the one before the current one, and no
    /// later.
    fn is_in_order(&self, instance: u32) -> bool {
        let (sender, node) = (&self.senders[instance as usize], self.rules.node(instance));
        let over = sender.next - u32::from(sender.id != NONE);
        let mut queue = (0..).map_while(|at| Some((at, self.rules.queues.get(node, at)?)));
        queue.all(|(at, queued)| self.ledger.is_over(queued.id) == (at < over))
    }

    /// Checks what is planned: every message that may be offered, once, by its sender.
    fn check_offers(&self, cycle: u64) -> Result<(), &'static str> {
        let pending = &self.pending;
        let sender = |instance: u32| self.senders.get(instance as usize);
        let mut planned = vec![0_u32; self.senders.len()];
        let mut plan = |instance: u32, is_due: &dyn Fn(u64) -> bool| {
            let waits = |sender: &&Sender| sender.id != NONE && !sender.offered;
            let due = sender(instance)
                .filter(waits)
                .map(|sender| sender.offered_cycle);
            let is_planned = due.is_some_and(is_due);
            if is_planned {
                planned[instance as usize] += 1;
            }
            is_planned
        };
        let mut due = pending.due.iter();
        let mut due_next = pending.due_next.iter();
        let are_due = due.all(|offer| plan(offer.0.1, &|due| due == offer.0.0 && due > cycle))
            && due_next.all(|&instance| plan(instance, &|due| due <= cycle + 1));
        let is_once = planned.iter().zip(&self.senders).all(|(&planned, sender)| {
            let waits = sender.id != NONE && !sender.offered && sender.offered_cycle != NEVER;
            planned == u32::from(waits)
        });
        if !are_due || !is_once {
            return Err("offers are planned that are not due, or due ones are not");
        }
        let changed = pending.changed.iter().copied();
        let mut named = changed.chain(pending.ahead.iter().map(|ahead| ahead.0.1));
        if !named.all(|instance| sender(instance).is_some()) {
            return Err("an interface is named that the network does not have");
        }
        self.check_packets(cycle)
    }

    /// Checks which packets are asked for and about to be on the wire.
    fn check_packets(&self, cycle: u64) -> Result<(), &'static str> {
        let is_asked_by_host = self
            .rules
            .packets
            .is_some_and(|packets| !packets.is_streamed());
        let mut sending = vec![0_u32; self.senders.len()];
        for offer in &self.pending.sending {
            let (over, instance) = offer.0;
            match sending.get_mut(instance as usize) {
                Some(count) if over > cycle => *count += 1,
                _ => return Err("packets are sent by nobody"),
            }
        }
        let is_once = sending
            .iter()
            .zip(&self.senders)
            .all(|(&sending, sender)| sending == u32::from(sender.offered && is_asked_by_host));
        let mut launching = self.pending.launching.iter();
        let are_launched = launching.all(|launch| {
            let sender = self.senders.get(launch.instance as usize);
            let is_near = (cycle + 1..=cycle + AHEAD_CYCLES).contains(&launch.cycle);
            let is_known = (launch.id as usize) < self.messages() && is_asked_by_host;
            sender.is_some() && is_near && is_known && launch.offered_cycle <= cycle
        });
        match is_once && are_launched {
            true => Ok(()),
            false => Err("packets are sent that are not offered, or offered ones are not"),
        }
    }

    /// Checks the sums, and what is known of cycles.
    fn check_counts(&self, cycle: u64) -> Result<(), &'static str> {
        let pending = &self.pending;
        let count = |is: &dyn Fn(&Sender) -> bool| {
            self.senders.iter().filter(|sender| is(sender)).count() as i64
        };
        let under_way_most = count(&|sender| sender.offered && sender.attempts > 0);
        let in_flight = pending.in_flight;
        let counts_classes = self.rules.by_rounds && self.rules.timing.rounds().is_some();
        let of_classes = match counts_classes {
            true => in_flight,
            false => 0,
        };
        if pending.offered != count(&|sender| sender.offered)
            || !(0..=under_way_most).contains(&in_flight)
            || !pending.round.is_possible(of_classes, cycle)
        {
            return Err("messages in flight are not as many as senders have");
        }
        let routers = self.rules.network.chips()[ROUTERS].1;
        let is_loss = |loss: super::Loss| u64::from(loss.router) < routers && loss.cycle <= cycle;
        let nodes = self.rules.network.nodes();
        let messages = self.rules.workload.messages.len();
        let is_fault = |packet: &super::FaultyPacket| {
            let message = packet.message.is_none_or(|id| (id as usize) < messages);
            packet.node < nodes && packet.cycle <= cycle && message
        };
        let are_past = self.last_busy.is_none_or(|busy| busy <= cycle)
            && self.evaluated_cycles <= cycle
            && self.last_event <= cycle
            && self.rounds <= cycle
            && (self.rules.packets.is_some() || self.drained_cycle == 0)
            && self.first_loss.is_none_or(is_loss)
            && self.faulty.iter().all(is_fault);
        match are_past {
            true => Ok(()),
            false => Err("what has happened lies in a later cycle"),
        }
    }

    /// True when exactly those messages may be offered that wait for no delivery any more.
    fn are_released(&self) -> bool {
        let messages = self.rules.workload.messages.iter();
        let mut released = self.pending.released.iter().zip(messages).enumerate();
        released.all(|(id, (&released, message))| {
            let waits = matches!(message.offered, Offer::After { .. });
            match waits {
                true => (released == NEVER) == self.dependencies.is_waiting(id),
                false => released == NEVER,
            }
        })
    }
}

/// True when the cycles of a sender are past and in the right order.
fn has_possible_cycles(sender: &Sender, cycle: u64, packets: Option<&dyn PacketRules>) -> bool {
    let is_offered = !sender.offered || sender.offered_cycle <= cycle;
    let is_launched = match sender.launched {
        NEVER => sender.replied == NEVER && (sender.attempts == 0 || packets.is_some()),
        launched => {
            let replies = launched..=cycle;
            launched <= cycle && (sender.replied == NEVER || replies.contains(&sender.replied))
        }
    };
    let is_sent = match sender.attempts {
        0 => sender.sent == NEVER,
        attempts => {
            u64::from(attempts) <= cycle
                && (sender.offered_cycle..=cycle + AHEAD_CYCLES).contains(&sender.sent)
        }
    };
    is_offered && is_launched && is_sent
}
