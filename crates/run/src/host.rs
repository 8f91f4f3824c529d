//! The host: hands the nodes their messages and writes down what becomes of
//! them.
//!
//! The host is a synchronous circuit. What it sees of the network interfaces
//! in cycle `c` decides what it drives in cycle `c + 1`:
//!
//! - a message is offered from its cycle on, or, when the node's last one was
//!   acknowledged in cycle `c`, from `c + 1` on;
//! - a message that waits for others is offered from `c + 1` on, when the last of them is
//!   known in `c` to be delivered (`dependencies` says when that is);
//! - with the rounds strategy, a round starts in `c + 1` when no attempt is
//!   under way, a message is offered, and no round started in `c`.
//!
//! A cycle is *quiet* when no message has been offered for
//! [`Fabric::rest_cycles`](crosswave_network::Fabric) cycles: by then no chip can
//! change, so random pins are held at 0 and the cycles up to the next offer are
//! skipped. The exported test bench of a fat tree holds the
//! same host; others replay what it drove.
//!
//! The cycle loop, for one host or for several that share an engine, is in
//! [`cycle_loop`](crate::cycle_loop).
//!
//! Where an attempt was rejected is told by the interface, or read off the clock
//! ([`PathTiming`](crosswave_network::topology::PathTiming)).

mod burst;
mod dependencies;
pub mod faulty;
mod ledger;
mod loaded;
pub mod packets;
mod queue;
mod round;
mod sender;
mod ways;

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use burst::GroupLog;
use crosswave_chips::endpoint::Endpoint;
use crosswave_network::copies::Copies;
use crosswave_network::topology::{PacketFault, PacketRules, Topology};
use crosswave_network::traffic::{EVERY_NODE, Message, Offer, Workload};
use crosswave_probe::message::{
    ConnectionRecord, MessageEvent, MessageRecord, NEVER, RejectedAt, Rejections,
};
use crosswave_probe::save::{Loader, Saver, Unlike};
use dependencies::{Dependencies, Release};
use faulty::{FAULTY_MAX, FaultyPacket};
use ledger::{Event, Ledger, Records};
use queue::MessageQueues;
use sender::{PendingOffers, Rules, Sender, SenderBank};
use ways::RouteChoice;

/// The end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// Every message was delivered and acknowledged.
    Finished,
    /// Packets were lost, and nothing is under way any more.
    Lost,
    /// `cycles_max` was reached first.
    OutOfCycles,
    /// Nothing happened at any node for so long that nothing will, and messages are under way.
    Stalled,
    /// Someone asked to stop.
    Interrupted,
}

/// Results of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The reason for its end.
    pub end: End,
    /// The last cycle.
    pub last_cycle: u64,
    /// Cycles that were evaluated rather than skipped.
    pub evaluated_cycles: u64,
    /// The messages, by id.
    pub messages: Vec<MessageRecord>,
    /// The connections of the messages, by id; empty in a fat tree.
    pub connections: Vec<ConnectionRecord>,
    /// Rejected attempts by place.
    pub rejections: Rejections,
    /// Rounds started (rounds strategy).
    pub rounds: u64,
    /// The first place and cycle in which packets were lost.
    pub first_loss: Option<Loss>,
    /// The first packets with faults in a network of a designer's own routers.
    pub faulty: Vec<FaultyPacket>,
    /// The longest queues of each level, in rows; none without queues. The cycle loop reads them
    /// off the routers.
    pub longest_queues: Vec<QueueRow>,
}

/// A loss of packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loss {
    /// The cycle in which the router shows it, one behind the one in which they came.
    pub cycle: u64,
    /// The router.
    pub router: u32,
    /// The outputs, as the router shows them.
    pub outputs: u64,
}

/// The most packets that waited for an output of a router.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueRow {
    /// The name of the row in results.
    pub name: &'static str,
    /// The most of each level.
    pub longest: Vec<u64>,
}

/// Changes on the pins of the interfaces in one cycle.
#[derive(Debug, Default)]
pub(crate) struct PinChanges {
    /// Ports, and for each instances and values.
    pub(crate) ports: Vec<(usize, Vec<(u32, u64)>)>,
    /// Copies whose nodes are all told to start a round, or no longer to.
    pub(crate) rounds: Vec<(usize, bool)>,
}

/// Cycles in which nothing may happen at nodes for each word of the longest message.
const STALL_CYCLES_A_WORD: u64 = 16;

/// The host of one run.
pub struct Host<'a> {
    rules: Rules<'a>,
    rest_cycles: u64,
    /// The senders, by their interfaces.
    senders: Vec<Sender>,
    pending: PendingOffers,
    ledger: Ledger,
    dependencies: Dependencies,
    /// Messages that become free to be offered in a cycle.
    free: Vec<Release>,
    /// Logs of groups of interfaces, for use while an engine takes several cycles at a time.
    logs: Vec<GroupLog>,
    last_busy: Option<u64>,
    round_on: bool,
    rounds: u64,
    /// The last cycle in which packets may be under way, as far as they have been sent.
    drained_cycle: u64,
    first_loss: Option<Loss>,
    /// The first packets with faults, where routers may do anything.
    faulty: Vec<FaultyPacket>,
    /// The cycle to which the run alone is on its way without evaluating.
    skipped_to: u64,
    evaluated_cycles: u64,
    /// The last cycle in which a message was begun, ended or received, or none was under way. Packets with
    /// faults count up to as many as there are messages.
    last_event: u64,
    /// Cycles after that in which the run ends, where routers may keep messages for ever.
    stall_cycles: Option<u64>,
}

impl<'a> Host<'a> {
    /// A host for one run of `workload` on `network`, which comes to rest so many clocks after the
    /// last message; [`NEVER`] where it never does.
    pub fn new(
        network: &'a dyn Topology,
        workload: &'a Workload,
        rest_cycles: u64,
        by_rounds: bool,
    ) -> Self {
        let record = |m: &Message| MessageRecord::new(m.source, m.destination, m.words);
        let records = workload.messages.iter().map(record).collect();
        let nodes = network.nodes();
        let queues = MessageQueues::new(workload);
        let choice = network.path_choice();
        let choice = choice.map(|choice| RouteChoice::new(choice, workload, &queues));
        let mut host = Host {
            rules: Rules {
                network,
                endpoint: network.endpoint(),
                takes_routes: network.endpoint().takes_routes(),
                looks_ahead: network.endpoint().looks_ahead(),
                packets: network.packets(),
                timing: network.timing(),
                workload,
                nodes: (0..nodes as usize)
                    .map(|instance| network.node_of_instance(instance))
                    .collect(),
                queues,
                by_rounds,
                choice,
            },
            rest_cycles,
            senders: vec![Sender::NEW; nodes as usize],
            pending: PendingOffers::default(),
            ledger: Ledger::new(records, network),
            dependencies: Dependencies::new(network, workload),
            free: Vec::new(),
            logs: Vec::new(),
            last_busy: (rest_cycles == NEVER).then_some(0),
            round_on: false,
            rounds: 0,
            drained_cycle: 0,
            first_loss: None,
            faulty: Vec::new(),
            skipped_to: 0,
            evaluated_cycles: 0,
            last_event: 0,
            stall_cycles: network
                .packets()
                .and_then(PacketRules::stall_cycles)
                .map(|cycles| {
                    let longest = workload.messages.iter().map(|message| message.words).max();
                    cycles + STALL_CYCLES_A_WORD * u64::from(longest.unwrap_or(0))
                }),
        };
        if !workload.sets.is_empty() {
            host.pending.released = vec![NEVER; workload.messages.len()];
        }
        for instance in 0..nodes {
            host.bank().schedule(instance, 1);
        }
        host
    }

    /// The endpoint of the nodes.
    pub(crate) fn endpoint(&self) -> &'static dyn Endpoint {
        self.rules.endpoint
    }

    /// All senders.
    fn bank(&mut self) -> SenderBank<'_, 'a> {
        SenderBank {
            rules: &self.rules,
            first: 0,
            senders: &mut self.senders,
            pending: &mut self.pending,
        }
    }

    /// The network.
    pub(crate) fn network(&self) -> &'a dyn Topology {
        self.rules.network
    }

    /// Takes in that an interface has received a message in a cycle. Gives the message where
    /// it was acknowledged before.
    pub(crate) fn received(&mut self, instance: usize, cycle: u64) -> Option<u32> {
        let node = self.rules.node(instance as u32);
        let late = self.ledger.received(node, cycle);
        if !self.dependencies.is_empty() {
            let (workload, free) = (self.rules.workload, &mut self.free);
            self.dependencies.received(node, cycle, workload, free);
            self.release(cycle);
        }
        late
    }

    /// Takes in that a packet of a message has come to an interface, or one that is for another
    /// node. Tells of the end of a message: where messages are packets, that is its
    /// acknowledgement.
    pub(crate) fn arrived(
        &mut self,
        instance: usize,
        cycle: u64,
        id: u32,
        wrong: bool,
    ) -> Option<MessageEvent> {
        let found = match self.message_of(instance, id) {
            Err((PacketFault::Misrouted, id)) => Err((PacketFault::Misrouted, id)),
            Ok(id) if wrong => Err((PacketFault::Corrupted, Some(id))),
            Err((_, id)) if wrong => Err((PacketFault::Corrupted, id)),
            found => found,
        };
        let come = found.and_then(|id| {
            let is_last = self.ledger.arrived(id, cycle);
            Ok((id, is_last.ok_or((PacketFault::Doubled, Some(id)))?))
        });
        let (id, is_last) = match come {
            Ok(come) => {
                self.last_event = cycle;
                come
            }
            Err((fault, message)) => {
                self.faulty(instance, cycle, fault, message);
                return None;
            }
        };
        if is_last && !self.dependencies.is_empty() {
            let (workload, free) = (self.rules.workload, &mut self.free);
            self.dependencies.delivered(id, cycle, workload, free);
            self.release(cycle);
        }
        is_last.then(|| self.acknowledgement(instance, id))
    }

    /// Takes in that an answer has come to an interface that had no attempt under way.
    pub(crate) fn unasked(&mut self, instance: usize, cycle: u64) {
        self.faulty(instance, cycle, PacketFault::Unknown, None);
    }

    /// Counts a fault at an interface.
    fn faulty(&mut self, instance: usize, cycle: u64, fault: PacketFault, message: Option<u32>) {
        let at = self.packets().fault_at(fault);
        self.ledger.rejections.count(at);
        // Routers that double packets go on for ever.
        if self.ledger.rejections.total() <= self.rules.workload.messages.len() as u64 {
            self.last_event = cycle;
        }
        if self.stall_cycles.is_some() && self.faulty.len() < FAULTY_MAX {
            self.faulty.push(FaultyPacket {
                fault,
                node: self.rules.node(instance as u32),
                cycle,
                message,
            });
        }
    }

    /// The message of a packet that shows a number at an interface: of those with that number which
    /// have left and have not come the first one for this node. Otherwise the fault, with the message if there is one.
    fn message_of(&self, instance: usize, number: u32) -> Result<u32, (PacketFault, Option<u32>)> {
        let messages = &self.rules.workload.messages;
        let node = self.rules.node(instance as u32);
        let step = usize::try_from(self.packets().messages_told_apart()).unwrap_or(usize::MAX);
        let mut fault = (PacketFault::Unknown, None);
        for id in (number as usize..messages.len()).step_by(step) {
            let id = id as u32;
            let is_here = [EVERY_NODE, node].contains(&messages[id as usize].destination);
            if self.stall_cycles.is_some() && self.ledger.is_missing(id) && !self.has_left(id) {
                continue;
            }
            fault = match (self.ledger.is_missing(id), is_here) {
                (true, true) => return Ok(id),
                (true, false) => (PacketFault::Misrouted, Some(id)),
                (false, true) if fault.0 == PacketFault::Unknown => {
                    (PacketFault::Doubled, Some(id))
                }
                (false, _) => fault,
            };
        }
        Err(fault)
    }

    /// True when a message has been sent, or is being sent.
    fn has_left(&self, id: u32) -> bool {
        let source = self.rules.workload.messages[id as usize].source;
        let (current, _, attempts) = self.senders[source as usize].attempt();
        self.ledger.is_sent(id) || current == id && attempts > 0
    }

    /// Calls with each message the first packet of which is on the wire in a cycle.
    pub(crate) fn each_launch(&mut self, cycle: u64, mut tell: impl FnMut(MessageEvent)) {
        let rules = &self.rules;
        self.pending.launching.retain(|launch| {
            if launch.cycle == cycle {
                let message = rules.workload.messages[launch.id as usize];
                tell(MessageEvent::Launched {
                    instance: launch.instance,
                    id: launch.id,
                    attempt: 1,
                    destination: message.destination,
                    way: rules.way(message.source, message.destination, launch.id),
                    offered_cycle: launch.offered_cycle,
                });
            }
            launch.cycle > cycle
        });
    }

    /// Takes in that a router shows that packets were lost at its outputs.
    pub(crate) fn lost(&mut self, loss: Loss) {
        let places = self.packets().lost_at(loss.router, loss.outputs);
        places
            .iter()
            .for_each(|&at| self.ledger.rejections.count(at));
        self.first_loss.get_or_insert(loss);
    }

    /// True when packets may be under way of messages that have all been sent, so that the cycle
    /// loop has to find out if they wait ([`Host::still_waiting`]).
    pub(crate) fn may_wait(&self) -> bool {
        self.pending.offered == 0 && self.ledger.under_way()
    }

    /// Takes in that packets wait in routers in a cycle.
    pub(crate) fn still_waiting(&mut self, cycle: u64) {
        self.last_busy = Some(cycle);
        self.drained_cycle = cycle.saturating_add(self.packets().drain_cycles());
    }

    fn packets(&self) -> &'a dyn PacketRules {
        self.rules.packets.expect("messages are packets")
    }

    /// The attempt of an interface that was launched last, as an event of the cycle of its
    /// launch.
    pub(crate) fn launch(&self, instance: usize) -> MessageEvent {
        let sender = &self.senders[instance];
        let (id, destination, attempt) = sender.attempt();
        let source = self.rules.node(instance as u32);
        MessageEvent::Launched {
            instance: instance as u32,
            id,
            attempt,
            destination,
            way: self.rules.way(source, destination, id),
            offered_cycle: sender.offered_cycle(),
        }
    }

    /// Takes in that the first word of a connection has come to an interface.
    pub(crate) fn opened(&mut self, instance: usize, cycle: u64) {
        let node = self.rules.node(instance as u32);
        self.ledger.take(Event::Opened { node, cycle });
    }

    /// Takes in that the first word of a reply has come to an interface.
    pub(crate) fn replied(&mut self, instance: usize, cycle: u64) {
        let event = self.bank().replied(instance as u32, cycle);
        self.ledger.take(event);
    }

    /// Takes in that an interface has sent a head.
    pub(crate) fn launched(&mut self, instance: usize, cycle: u64) {
        self.bank().launched(instance as u32, cycle);
        // Attempts that are rejected again and again bring a message no nearer.
        if self.senders[instance].attempt().2 == 1 {
            self.last_event = cycle;
        }
        if self.dependencies.is_empty() {
            return;
        }
        if let Some((id, destination, arrives)) = self.attempt(instance) {
            self.dependencies.launched(id, destination, arrives);
        }
    }

    /// Takes in that all of an interface's packet is on the wire.
    pub(crate) fn sent(&mut self, instance: usize, cycle: u64) {
        self.last_event = cycle;
        let of = self.bank().sent(instance as u32, cycle);
        self.ledger.sent(of);
    }

    /// Takes in that an interface has learnt of a collision, and in which stage, when it
    /// tells. Gives the message, and where it was rejected.
    pub(crate) fn rejected(
        &mut self,
        instance: usize,
        cycle: u64,
        stage: u32,
    ) -> (u32, RejectedAt) {
        let (id, at) = self.bank().rejected(instance as u32, cycle, stage);
        // Faults of packets are counted, and a new attempt is none.
        if self.rules.packets.is_some() {
            return (id, at);
        }
        self.ledger.rejected(id, at);
        if self.dependencies.is_empty() {
            return (id, at);
        }
        if let Some(attempt) = self.attempt(instance) {
            let (workload, free) = (self.rules.workload, &mut self.free);
            self.dependencies.rejected(attempt, cycle, workload, free);
            self.release(cycle);
        }
        (id, at)
    }

    /// The current attempt of a sender: message, destination, and the cycle in which it
    /// arrives unless it is rejected, where that is known.
    fn attempt(&self, instance: usize) -> Option<(u32, u32, u64)> {
        let sender = &self.senders[instance];
        let (id, destination) = sender.current();
        let arrives = self.rules.arrives(instance as u32, sender)?;
        Some((id, destination, arrives))
    }

    /// Lets go what has become free in a cycle.
    fn release(&mut self, cycle: u64) {
        while let Some(Release {
            id,
            instance,
            cycle: due,
        }) = self.free.pop()
        {
            self.bank().release(id, instance, due, cycle + 1);
        }
    }

    /// Reads what [`Host::acknowledged`] is about to need, and returns something
    /// of it. Queues of messages are cold; misses of reads for one interface
    /// after another overlap, which they do not among the branches there.
    #[inline]
    pub(crate) fn fetch(&self, instance: usize) -> u32 {
        self.rules.fetch(instance as u32, &self.senders[instance])
    }

    /// Takes in that an interface has an acknowledgement, and whether something was
    /// wrong. Gives the message.
    pub(crate) fn acknowledged(&mut self, instance: usize, cycle: u64, wrong: bool) -> u32 {
        let (id, _) = self.senders[instance].current();
        if !self.dependencies.is_empty() {
            let (workload, free) = (self.rules.workload, &mut self.free);
            self.dependencies.acknowledged(id, cycle, workload, free);
            self.release(cycle);
        }
        let event = self.bank().acknowledged(instance as u32, cycle, wrong);
        self.ledger.acknowledged(event);
        id
    }

    /// That an interface has the acknowledgement of a message, as an event of the cycle of it.
    pub(crate) fn acknowledgement(&mut self, instance: usize, id: u32) -> MessageEvent {
        let records = self.ledger.records();
        MessageEvent::Acknowledged {
            instance: instance as u32,
            id,
            message: records.messages[id as usize],
            connection: records.connections.get(id as usize).copied(),
        }
    }

    /// Says what to drive in a cycle, which is the one after the cycle observed
    /// last, in the copy of the network that the host is for.
    pub(crate) fn drive(
        &mut self,
        cycle: u64,
        copies: Copies,
        copy: usize,
        driven: &mut PinChanges,
    ) {
        if self.rules.packets.is_some() {
            let mut bank = SenderBank {
                rules: &self.rules,
                first: 0,
                senders: &mut self.senders,
                pending: &mut self.pending,
            };
            bank.end_sent(cycle, |of| self.ledger.sent(of));
        }
        self.bank().begin(cycle, |port, instance, value| {
            let instance = copies.instance(copy, instance as usize) as u32;
            let found = driven.ports.iter().position(|(of, _)| *of == port);
            let place = found.unwrap_or_else(|| {
                driven.ports.push((port, Vec::new()));
                driven.ports.len() - 1
            });
            driven.ports[place].1.push((instance, value));
        });
        if self.rules.by_rounds {
            let start = !self.round_on && self.pending.in_flight == 0 && self.pending.offered > 0;
            if start != self.round_on {
                driven.rounds.push((copy, start));
                self.round_on = start;
                self.rounds += u64::from(start);
            }
        }
        if self.pending.offered > 0 {
            self.last_busy = Some(cycle);
            if let Some(packets) = self.rules.packets {
                self.drained_cycle = cycle.saturating_add(packets.drain_cycles());
            }
        } else if cycle <= self.drained_cycle && self.ledger.under_way() {
            self.last_busy = Some(cycle);
        }
        if self.stall_cycles.is_some() && self.pending.offered == 0 && !self.ledger.under_way() {
            self.last_event = cycle;
        }
    }

    /// True when the random pins may be held at 0 in a cycle.
    pub(crate) fn quiet(&self, cycle: u64) -> bool {
        self.last_busy
            .is_none_or(|busy| cycle > busy.saturating_add(self.rest_cycles))
    }

    /// All messages.
    pub(crate) fn messages(&self) -> usize {
        self.rules.workload.messages.len()
    }

    /// Messages that have not been acknowledged.
    pub(crate) fn unacknowledged(&self) -> usize {
        self.ledger.unacknowledged
    }

    /// The end of the run and its cycle, if it has ended in the cycle that was observed last.
    pub(crate) fn ended(&self, cycle: u64) -> Option<(End, u64)> {
        if let Some(last) = self.finished() {
            return Some((End::Finished, last));
        }
        if let Some(limit) = self.stall_cycles
            && cycle > self.last_event.saturating_add(limit)
        {
            return Some((End::Stalled, cycle));
        }
        let pending = &self.pending;
        let sends = pending.offered > 0 || !pending.due.is_empty() || !pending.due_next.is_empty();
        let is_lost = self.rules.packets.is_some() && !sends && cycle > self.drained_cycle;
        is_lost.then_some((End::Lost, cycle))
    }

    /// The cycle in which every message had been delivered and acknowledged.
    pub(crate) fn finished(&self) -> Option<u64> {
        self.ledger.finished()
    }

    /// The cycle of the next offer, if nothing happens in the cycles after `cycle` and before it.
    pub(crate) fn idle_until(&self, cycle: u64) -> Option<u64> {
        let next_offer = match self.pending.due.peek() {
            Some(Reverse((due, _))) if self.pending.due_next.is_empty() => *due,
            _ => return None,
        };
        let idle =
            cycle > 0 && self.pending.offered == 0 && self.quiet(cycle) && next_offer > cycle + 1;
        idle.then_some(next_offer)
    }

    /// Counts the clock edge after `cycle` if the run alone evaluates it;
    /// `idle_until` is what the method of that name says.
    pub(crate) fn count_edge(&mut self, cycle: u64, idle_until: Option<u64>) {
        if cycle >= self.skipped_to {
            match idle_until {
                Some(next) => self.skipped_to = next,
                None => self.evaluated_cycles += 1,
            }
        }
    }

    /// Saves what it knows in a cycle that has been observed.
    pub(crate) fn save(&self, saver: &mut Saver) {
        saver.value(&self.senders);
        saver.value(&self.pending);
        self.ledger.save(saver);
        self.dependencies.save(saver);
        saver.value(&(self.last_busy, self.round_on, self.rounds));
        saver.value(&(self.drained_cycle, self.first_loss, &self.faulty));
        saver.value(&(self.skipped_to, self.last_event, self.evaluated_cycles));
    }

    /// Takes over what a host of the same workload saved.
    ///
    /// # Errors
    /// When it was of another one. The host is of no use then.
    pub(crate) fn load(&mut self, loader: &mut Loader<'_>) -> Result<(), Unlike> {
        self.senders = loader.values(self.senders.len())?;
        let released = self.pending.released.len();
        self.pending = loader.value()?;
        self.ledger.load(loader)?;
        self.dependencies.load(loader)?;
        (self.last_busy, self.round_on, self.rounds) = loader.value()?;
        (self.drained_cycle, self.first_loss, self.faulty) = loader.value()?;
        (self.skipped_to, self.last_event, self.evaluated_cycles) = loader.value()?;
        let alike = self.pending.released.len() == released;
        alike.then_some(()).ok_or(Unlike)
    }

    /// Results of the run when it ends so in a cycle. Later cycles change nothing in them.
    pub(crate) fn end(&mut self, end: End, last_cycle: u64) -> Outcome {
        let Records {
            messages: mut records,
            mut connections,
        } = std::mem::take(self.ledger.records());
        for sender in &self.senders {
            sender.note(last_cycle, &mut records, &mut connections);
        }
        // Messages that waited behind another one were offered nevertheless, and those
        // that a sender was told of in advance were not.
        let messages = self.rules.workload.messages.iter();
        for (id, (message, record)) in messages.zip(&mut records).enumerate() {
            let cycle = match message.offered {
                Offer::At(cycle) => cycle,
                Offer::AfterPrevious => record.offered_cycle,
                Offer::After { .. } => self.pending.released[id],
            };
            record.offered_cycle = if cycle <= last_cycle { cycle } else { NEVER };
        }
        Outcome {
            end,
            last_cycle,
            evaluated_cycles: self.evaluated_cycles,
            messages: records,
            connections,
            rejections: std::mem::take(&mut self.ledger.rejections),
            rounds: self.rounds,
            first_loss: self.first_loss,
            faulty: std::mem::take(&mut self.faulty),
            longest_queues: Vec::new(),
        }
    }
}
