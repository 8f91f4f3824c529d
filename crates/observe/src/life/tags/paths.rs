//! Messages as paths: each attempt is a record, and a router is free when no flit follows any more.
//!
//! ```text
//! head after a cycle without a flit ──> the path leads over this output
//! a cycle without a flit after that ──> the path leads no longer over it
//! nack at an output on a path       ──> the rejection has come back to there
//! host: rejected, or come           ──> the attempt is told of when no output is on its path
//! ```

use super::standing::{Attempts, Paths};
use super::{TagFollower, bits};
use crate::life::record::{Breakdown, EndOfAttempt, LifeSink, MessageLife};
use crosswave_network::LinkPort;
use crosswave_network::topology::{FlitPorts, NODES};
use crosswave_probe::engine::Engine;
use crosswave_probe::message::MessageRecord;

impl<S: LifeSink> TagFollower<'_, S> {
    /// Takes in a flit on a path.
    pub(super) fn path_flit(&mut self, engine: &dyn Engine, ports: &FlitPorts, from: LinkPort) {
        let place = self.place(from, 0);
        let last = std::mem::replace(&mut self.moved[from.array][place], self.cycle);
        if last.wrapping_add(1) == self.cycle || last == self.cycle {
            return;
        }
        let number = bits(engine, ports, from, &self.flits.message);
        let Some(id) = self.message_of(number, from) else {
            // It is looked at once more when the message is known to be launched.
            if from.array == NODES {
                self.moved[from.array][place] = last;
            }
            return;
        };
        self.leave(id, from, 0);
        self.paths.standing.push((from, self.under_way[&id]));
    }

    /// Takes in the rejections that come back to routers in the cycle.
    pub(super) fn nacks(&mut self, engine: &dyn Engine) {
        let Paths {
            standing, nacks, ..
        } = &mut self.paths;
        for &(from, slot) in standing.iter().filter(|(from, _)| from.array != NODES) {
            // A rejection of which the source knows may still stand at the outputs.
            if self.packets[slot].end != EndOfAttempt::UnderWay {
                continue;
            }
            let ports = self.flits.outputs[from.array][from.link].as_ref();
            let nack = ports.and_then(|ports| ports.nack);
            if nack.is_some_and(|port| engine.value(from.array, port, from.instance) == 1) {
                nacks.insert(self.packets[slot].id, (from, self.cycle));
            }
        }
    }

    /// Begins an attempt of a message.
    pub(super) fn begin_attempt(&mut self, id: u32, offered_cycle: u64) {
        let cycle = self.cycle;
        self.paths.nacks.remove(&id);
        let attempts = self.paths.attempts.entry(id).or_insert(Attempts {
            offered_cycle,
            sent_cycle: cycle,
            blocked: 0,
            pauses: 0,
            told_cycle: cycle,
            count: 0,
        });
        attempts.count += 1;
        attempts.pauses += cycle - attempts.told_cycle;
    }

    /// Takes in that the attempt of a message was rejected.
    pub(super) fn path_rejected(&mut self, id: u32) {
        let Some(slot) = self.under_way.remove(&id) else {
            return;
        };
        let packet = &mut self.packets[slot];
        packet.end = EndOfAttempt::Rejected;
        packet.end_cycle = self.cycle;
        self.paths.nacks.remove(&id);
        if let Some(attempts) = self.paths.attempts.get_mut(&id) {
            attempts.blocked += self.cycle - packet.launched_cycle;
            attempts.told_cycle = self.cycle;
        }
        self.paths.ending.push((slot, None));
    }

    /// Takes in that a message has come.
    pub(super) fn path_came(&mut self, id: u32, mut message: MessageRecord) {
        let Some(slot) = self.under_way.remove(&id) else {
            return;
        };
        self.paths.nacks.remove(&id);
        let Some(attempts) = self.paths.attempts.remove(&id) else {
            return;
        };
        let packet = &mut self.packets[slot];
        packet.end = EndOfAttempt::Delivered;
        packet.end_cycle = self.cycle;
        packet.reached_cycle = packet.reached_cycle.min(message.delivered_cycle);
        message.offered_cycle = attempts.offered_cycle;
        message.sent_cycle = attempts.sent_cycle;
        message.attempts = attempts.count;
        let between = |from: u64, to: u64| to.saturating_sub(from);
        let waited = packet.waited_in_all();
        let header = between(packet.launched_cycle, packet.reached_cycle);
        let breakdown = Breakdown {
            source: between(attempts.offered_cycle, attempts.sent_cycle),
            blocked: attempts.blocked + waited.min(header),
            backoff: attempts.pauses,
            header: header.saturating_sub(waited),
            body: between(packet.reached_cycle, message.delivered_cycle),
            answer: between(message.delivered_cycle, message.acknowledged_cycle),
        };
        let life = MessageLife {
            id,
            message,
            connection: None,
            breakdown: Some(breakdown),
        };
        self.paths.ending.push((slot, Some(life)));
    }

    /// Takes in where paths have ended, and tells of attempts that are over. At the end of a run all of
    /// these are told of.
    pub(super) fn end_paths(&mut self, is_last: bool) {
        let mut paths = std::mem::take(&mut self.paths);
        paths.standing.retain(|&(from, slot)| {
            let stands = self.moved[from.array][self.place(from, 0)] == self.cycle;
            let router = self.router(from);
            let hops = self.packets[slot].hops.iter_mut().rev();
            let mut hops = hops.filter(|hop| hop.output == from.link as u8);
            let hop = hops.find(|hop| Some(hop.router) == router);
            if let (false, Some(hop)) = (stands, hop) {
                hop.freed_cycle = self.cycle;
            }
            stands
        });
        let standing = &paths.standing;
        paths.ending.retain(|(slot, life)| {
            let stands = standing.iter().any(|(_, of)| of == slot);
            if stands && !is_last {
                return true;
            }
            let packet = &mut self.packets[*slot];
            // A router that rejected it has kept nothing of it.
            for hop in &mut packet.hops {
                hop.freed_cycle = hop.freed_cycle.min(self.cycle.max(hop.arrived_cycle));
            }
            let told = self.sink.attempt(packet);
            if let Err(error) = told {
                self.error.get_or_insert(error);
            }
            self.packets.free(*slot);
            if let Some(life) = life
                && let Err(error) = self.sink.message(life)
            {
                self.error.get_or_insert(error);
            }
            false
        });
        self.paths = paths;
    }
}
