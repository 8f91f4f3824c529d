//! The host when an engine takes several cycles at a time: it is asked about groups of
//! interfaces one after another, perhaps from different threads. The senders of a group
//! need nobody else; what concerns others is noted, and written down afterwards.

use std::cmp::Reverse;
use std::sync::Mutex;

use smallvec::SmallVec;

use super::Host;
use super::ledger::Event;
use super::sender::{NONE, PendingOffers, Rules, Sender, SenderBank};
use crosswave_chips::endpoint::{Notice, ObservedPort};
use crosswave_network::topology::NODES;
use crosswave_network::traffic::Offer;
use crosswave_probe::engine::{Burst, Engine, LocalHost, SendQueues, SendState, VisitMessage};

/// Log of a group of interfaces during a burst.
#[derive(Debug, Default)]
pub struct GroupLog {
    pending: PendingOffers,
    events: Vec<Event>,
    /// Number of messages newly offered in each cycle.
    offered: Vec<i64>,
    /// Number of messages acknowledged in each cycle.
    acknowledged: Vec<i64>,
}

/// The groups of interfaces.
struct SenderBanks<'d, 'a> {
    rules: &'d Rules<'a>,
    /// The ports that are looked at.
    ports: SmallVec<[usize; 8]>,
    /// The cycle before the first edge.
    cycle: u64,
    instances: usize,
    groups: Vec<Mutex<(&'d mut [Sender], &'d mut GroupLog)>>,
}

impl LocalHost for SenderBanks<'_, '_> {
    fn array(&self) -> usize {
        NODES
    }

    fn ports(&self) -> &[usize] {
        &self.ports
    }

    fn queues(&self) -> Option<&dyn SendQueues> {
        over(self.rules).map(|_| self as &dyn SendQueues)
    }

    fn answer(
        &self,
        first: usize,
        cycle: u64,
        shown: &[&[u64]],
        drive: &mut dyn FnMut(usize, u32, u64),
    ) {
        let group = &self.groups[first / self.instances];
        let mut group = group
            .lock()
            .expect("no thread panics while it holds the lock");
        let (senders, log) = &mut *group;
        let edge = (cycle - self.cycle - 1) as usize;
        let mut bank = SenderBank {
            rules: self.rules,
            first: first as u32,
            senders,
            pending: &mut log.pending,
        };
        let before = bank.pending.offered;
        bank.begin(cycle, drive);
        let between = bank.pending.offered;
        let rules = self.rules;
        for (ObservedPort { notice, .. }, shown) in rules.endpoint.shows().iter().zip(shown) {
            match notice {
                Notice::Received => each(first, shown, |instance| {
                    let node = rules.node(instance);
                    log.events.push(Event::Received { node, cycle });
                }),
                Notice::Launched => each(first, shown, |instance| bank.launched(instance, cycle)),
                Notice::Rejected { .. } => each(first, shown, |instance| {
                    let (id, at) = bank.rejected(instance, cycle, 0);
                    log.events.push(Event::Rejected { id, at });
                }),
                Notice::Acknowledged { .. } => each(first, shown, |instance| {
                    let event = bank.acknowledged(instance, cycle, false);
                    log.events.push(Event::Acknowledged(event));
                }),
                Notice::Arrived { .. }
                | Notice::Opened
                | Notice::Replied
                | Notice::Sent
                | Notice::Unasked => {
                    unreachable!("not complete by themselves")
                }
            }
        }
        log.offered[edge] = between - before;
        log.acknowledged[edge] = between - bank.pending.offered;
    }
}

/// The port that tells that a message is over, where what senders ask for follows from their queues and
/// from it: messages are no packets, endpoints are told of none ahead, and nothing is sent without being
/// acknowledged.
fn over(rules: &Rules<'_>) -> Option<usize> {
    if rules.packets.is_some() || rules.looks_ahead {
        return None;
    }
    let shows = rules.endpoint.shows().iter();
    let mut over = shows.filter(|shown| matches!(shown.notice, Notice::Acknowledged { .. }));
    over.next().map(|shown| shown.port)
}

impl SendQueues for SenderBanks<'_, '_> {
    fn over(&self) -> usize {
        over(self.rules).expect("there are queues")
    }

    fn count(&self, instance: usize) -> u32 {
        self.rules.queues.count(self.rules.node(instance as u32))
    }

    fn each_message(&self, instance: usize, visit: &mut VisitMessage<'_>) {
        let rules = self.rules;
        let source = rules.node(instance as u32);
        for at in 0..rules.queues.count(source) {
            let queued = rules.queues.get(source, at).expect("it is in the queue");
            let route = rules.route(source, queued.destination, queued.id);
            let ask = rules.ask(source, Some(&queued), route.as_ref());
            let from = match rules.workload.messages[queued.id as usize].offered {
                Offer::At(cycle) if !queued.follows => cycle,
                _ => 0,
            };
            visit(from, &rules.endpoint.pins(&ask));
        }
    }

    fn state(&self, instance: usize) -> SendState {
        let group = self.groups[instance / self.instances].lock();
        let group = group.expect("no thread panics while it holds the lock");
        let sender = &group.0[instance % self.instances];
        SendState {
            position: match sender.id {
                NONE => self.count(instance),
                _ => sender.next - 1,
            },
            offered: sender.offered,
            shown: sender.asked != NONE,
        }
    }
}

/// Calls with each instance whose lane is 1.
fn each(first: usize, words: &[u64], mut take: impl FnMut(u32)) {
    for (word, &value) in words.iter().enumerate() {
        let mut lanes = value;
        while lanes != 0 {
            take((first + 64 * word) as u32 + lanes.trailing_zeros());
            lanes &= lanes - 1;
        }
    }
}

impl Host<'_> {
    /// True when the cycles of a burst that begins in a cycle may be taken together: no node has to
    /// know of another one to act, the nodes show by single ports all there is to know, and the
    /// cycles are all of one kind, not quiet.
    ///
    /// In rounds, nodes wait for the last one. So a round is on its way, and cannot end
    /// before the last cycle of the burst; the next one then starts after that.
    pub(crate) fn may_burst(&self, cycle: u64, burst: Burst) -> bool {
        let mut shows = self.rules.endpoint.shows().iter();
        if !self.dependencies.is_empty() || !shows.all(ObservedPort::is_complete) {
            return false;
        }
        if burst.by_queues && over(&self.rules).is_none() {
            return false;
        }
        let end = cycle + burst.cycles;
        let alone = match (self.rules.by_rounds, self.rules.timing.rounds()) {
            (false, _) => true,
            (true, None) => false,
            (true, Some(timing)) => {
                !self.round_on && self.pending.round.ends_from(timing, cycle) >= Some(end)
            }
        };
        alone && cycle > 0 && !self.quiet(end)
    }

    /// Lets the engine take a burst, and takes in what happened in it.
    pub(crate) fn advance(&mut self, engine: &mut dyn Engine, burst: Burst) {
        let cycle = engine.cycle();
        self.hand_out(cycle, burst);
        let groups = self.senders.chunks_mut(burst.instances);
        let groups = groups.zip(&mut self.logs);
        engine.advance(&SenderBanks {
            rules: &self.rules,
            ports: self
                .rules
                .endpoint
                .shows()
                .iter()
                .map(|shown| shown.port)
                .collect(),
            cycle,
            instances: burst.instances,
            groups: groups.map(Mutex::new).collect(),
        });
        self.gather(cycle, burst);
    }

    /// Hands what is to be done to the groups.
    fn hand_out(&mut self, cycle: u64, burst: Burst) {
        let groups = self.senders.len().div_ceil(burst.instances);
        self.logs.resize_with(groups, GroupLog::default);
        for log in &mut self.logs {
            log.offered.clear();
            log.offered.resize(burst.cycles as usize, 0);
            log.acknowledged.clear();
            log.acknowledged.resize(burst.cycles as usize, 0);
        }
        let logs = &mut self.logs;
        let group = |instance: u32| instance as usize / burst.instances;
        for instance in self.pending.due_next.drain(..) {
            logs[group(instance)].pending.due_next.push(instance);
        }
        for instance in self.pending.changed.drain(..) {
            logs[group(instance)].pending.changed.push(instance);
        }
        while let Some(&Reverse((due, instance))) = self.pending.due.peek()
            && due <= cycle + burst.cycles
        {
            self.pending.due.pop();
            let due = Reverse((due, instance));
            logs[group(instance)].pending.due.push(due);
        }
    }

    /// Takes back what is still to be done, and writes down what happened.
    fn gather(&mut self, cycle: u64, burst: Burst) {
        let sum = |of: fn(&GroupLog) -> &[i64], edge: usize| -> i64 {
            self.logs.iter().map(|log| of(log)[edge]).sum()
        };
        let mut offered = self.pending.offered;
        for edge in 0..burst.cycles as usize {
            offered += sum(|log| &log.offered, edge);
            if offered > 0 {
                self.last_busy = Some(cycle + 1 + edge as u64);
            }
            offered -= sum(|log| &log.acknowledged, edge);
        }
        for log in &mut self.logs {
            self.pending.due_next.append(&mut log.pending.due_next);
            self.pending.changed.append(&mut log.pending.changed);
            self.pending.due.append(&mut log.pending.due);
            self.pending.offered += std::mem::take(&mut log.pending.offered);
            self.pending.in_flight += std::mem::take(&mut log.pending.in_flight);
            if self.rules.by_rounds {
                self.pending.round.take_in(&mut log.pending.round);
            }
            for event in log.events.drain(..) {
                self.ledger.take(event);
            }
        }
        let end = cycle + burst.cycles;
        assert!(
            !self.rules.by_rounds
                || self.pending.in_flight > 0
                || self.pending.round.last_settled == end,
            "no round ends before the last cycle of a burst"
        );
        let end = self.finished().map_or(end, |last| last.min(end));
        self.evaluated_cycles += end - cycle;
    }
}
