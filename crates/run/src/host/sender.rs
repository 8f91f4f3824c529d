//! The host's work for senders: it offers messages, drives the interfaces' pins, and counts
//! attempts. Nothing here needs to know of another node, so a [`SenderBank`] may be for any range
//! of interfaces.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use serde::{Deserialize, Serialize};

use super::ledger::{Acknowledged, Event, SentMessage};
use super::queue::{MessageQueues, Queued};
use super::round::UnderWay;
use super::ways::RouteChoice;
use crosswave_chips::endpoint::{Endpoint, PacketRequest, SendRequest};
use crosswave_chips::routing::Route;
use crosswave_network::topology::{PacketRules, PathTiming, Topology};
use crosswave_network::traffic::{EVERY_NODE, Offer, Workload};
use crosswave_probe::message::{ConnectionRecord, MessageRecord, NEVER, RejectedAt};

/// No message.
pub(super) const NONE: u32 = u32::MAX;

/// Interfaces of which what is needed is read before any of them is driven.
const FETCHED_TOGETHER: usize = 64;

/// State of one node's sender: all that an attempt needs of its message, so that attempts do not
/// touch the records. It fills a cache line.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[repr(align(64))]
pub struct Sender {
    /// The current message, or the next one; [`NONE`] when there is none.
    pub(super) id: u32,
    pub(super) destination: u32,
    pub(super) words: u32,
    /// True when the message is offered.
    pub(super) offered: bool,
    /// Cycle of the offer.
    pub(super) offered_cycle: u64,
    /// Attempts of that message so far.
    pub(super) attempts: u32,
    /// Index into the node's queue of the message after that.
    pub(super) next: u32,
    /// Cycle in which the head of the first attempt was on the wire.
    pub(super) sent: u64,
    /// Cycle in which the head of the current attempt was on the wire.
    pub(super) launched: u64,
    /// Cycle in which the first word of a reply to it came.
    pub(super) replied: u64,
    /// The message that was asked for last; [`NONE`] when nothing is.
    pub(super) asked: u32,
    /// The message after it that was told ahead; [`NONE`] when none is.
    pub(super) ahead: u32,
}

impl Sender {
    /// The launch of the current message's last attempt.
    fn launched_now(&self) -> u64 {
        match self.attempts {
            0 => NEVER,
            _ => self.launched,
        }
    }

    /// The current message and its destination.
    pub fn current(&self) -> (u32, u32) {
        (self.id, self.destination)
    }

    /// The current message, its destination, and its attempts so far.
    pub fn attempt(&self) -> (u32, u32, u32) {
        (self.id, self.destination, self.attempts)
    }

    /// The cycle in which the current message was offered.
    pub fn offered_cycle(&self) -> u64 {
        self.offered_cycle
    }

    /// One that has not begun.
    pub const NEW: Sender = Sender {
        id: NONE,
        destination: 0,
        words: 0,
        offered: false,
        offered_cycle: NEVER,
        attempts: 0,
        next: 0,
        sent: NEVER,
        launched: NEVER,
        replied: NEVER,
        asked: NONE,
        ahead: NONE,
    };

    /// Writes down what has become of the current message, if there is one,
    /// in a run that ends in a cycle.
    pub fn note(
        &self,
        last_cycle: u64,
        messages: &mut [MessageRecord],
        connections: &mut [ConnectionRecord],
    ) {
        if self.id != NONE {
            if let Some(connection) = connections.get_mut(self.id as usize) {
                connection.launched_cycle = self.launched_now();
            }
            let message = &mut messages[self.id as usize];
            message.offered_cycle = self.offered_cycle;
            // Packets are known to come on the wire when they are offered.
            if self.sent <= last_cycle {
                message.attempts = self.attempts;
                message.sent_cycle = self.sent;
            }
        }
    }
}

/// Constants that all senders share.
pub struct Rules<'a> {
    /// The network.
    pub network: &'a dyn Topology,
    /// The endpoint of its nodes.
    pub endpoint: &'static dyn Endpoint,
    /// True when a host gives these the route.
    pub takes_routes: bool,
    /// True when a host tells these the next message ahead.
    pub looks_ahead: bool,
    /// The rules of its packets, when messages are packets.
    pub packets: Option<&'a dyn PacketRules>,
    /// Clocks of the ways through it.
    pub timing: Box<dyn PathTiming>,
    /// The messages.
    pub workload: &'a Workload,
    /// The node of each interface.
    pub nodes: Vec<u32>,
    /// The messages of each node.
    pub queues: MessageQueues,
    /// True when all nodes start together, in rounds.
    pub by_rounds: bool,
    /// The choice among several routes, where the network has them.
    pub choice: Option<RouteChoice<'a>>,
}

impl Rules<'_> {
    /// The node of an interface.
    #[inline]
    pub fn node(&self, instance: u32) -> u32 {
        self.nodes[instance as usize]
    }

    /// The number of the way of a message between two nodes.
    pub fn way(&self, source: u32, destination: u32, id: u32) -> u32 {
        let choice = self.choice.as_ref();
        choice.map_or(0, |choice| choice.way(source, destination, id))
    }

    /// The way of a message between two nodes, if it is to be given.
    #[inline]
    pub(super) fn route(&self, source: u32, destination: u32, id: u32) -> Option<Route> {
        self.takes_routes.then(|| match &self.choice {
            Some(choice) => choice.route(source, destination, id),
            None => self.network.route(source, destination),
        })
    }

    /// The request to an endpoint to send a message of its queue, if there is one.
    #[inline(always)]
    pub(super) fn ask<'r>(
        &self,
        source: u32,
        queued: Option<&Queued>,
        route: Option<&'r Route>,
    ) -> SendRequest<'r> {
        let Some(&Queued {
            id,
            destination,
            words,
            ..
        }) = queued
        else {
            return SendRequest::default();
        };
        let ask = SendRequest {
            request: true,
            destination,
            words,
            packet: PacketRequest::default(),
            route,
        };
        let Some(packets) = self.packets else {
            return ask;
        };
        match destination {
            EVERY_NODE => SendRequest {
                destination: packets.every_node(),
                packet: PacketRequest {
                    id,
                    phase: 0,
                    broadcast: true,
                },
                ..ask
            },
            destination => SendRequest {
                packet: PacketRequest {
                    id,
                    phase: packets.phase(source, destination),
                    broadcast: false,
                },
                ..ask
            },
        }
    }

    /// Cycles of the packets of a message that is offered in a cycle: the cycle in which the first
    /// one is asked for, and the first one after the last.
    fn packet_cycles(&self, words: u32, cycle: u64) -> (u64, u64) {
        match self.is_half_duplex() {
            false => (cycle, cycle + u64::from(words)),
            true => (cycle | 1, (cycle | 1) + 2 * u64::from(words) - 1),
        }
    }

    /// True when packets are asked for in odd cycles only, to be on their links in even ones.
    fn is_half_duplex(&self) -> bool {
        self.packets.is_some_and(PacketRules::is_half_duplex)
    }

    /// The cycle in which the current attempt of a sender arrives, unless it is rejected;
    /// `None` where that is not known in advance.
    pub fn arrives(&self, instance: u32, sender: &Sender) -> Option<u64> {
        let source = self.node(instance);
        let arrival = self
            .timing
            .arrival(source, sender.destination, sender.words);
        Some(sender.launched + arrival?.delivered)
    }

    /// The round's view of an attempt: the class of its path, and the fewest clocks from its launch
    /// to its acknowledgement; `None` with other strategies.
    fn in_round(&self, instance: u32, sender: &Sender) -> Option<(u32, u64)> {
        if !self.by_rounds {
            return None;
        }
        let timing = self.timing.rounds()?;
        let class = timing.class(self.node(instance), sender.destination);
        Some((class, timing.acknowledge(class, sender.words)))
    }

    /// Reads what is about to be needed of a sender's queue when its message is over, and returns
    /// something of it.
    #[inline]
    pub fn fetch(&self, instance: u32, sender: &Sender) -> u32 {
        let next = self.queues.get(self.node(instance), sender.next);
        next.map_or(0, |queued| queued.destination)
    }

    /// Reads what is needed of a sender's queue when its message is offered or is over, and
    /// returns something of it.
    #[inline]
    fn fetch_last(&self, instance: u32, sender: &Sender) -> u32 {
        let last = sender.next.wrapping_sub(1);
        let last = self.queues.get(self.node(instance), last);
        last.map_or(0, |queued| queued.destination)
    }
}

/// A message of packets, the first of which is on the wire in a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// The cycle.
    pub cycle: u64,
    /// The interface.
    pub instance: u32,
    /// The message.
    pub id: u32,
    /// The cycle of its offer.
    pub offered_cycle: u64,
}

/// Offers to be made for a range of interfaces, and counts.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct PendingOffers {
    /// Offers that wait for their cycle: (cycle, instance).
    pub due: BinaryHeap<Reverse<(u64, u32)>>,
    /// Interfaces whose next offer is due in the next cycle.
    pub due_next: Vec<u32>,
    /// Interfaces whose offer begins or ends in the next cycle. Every end of an offer notes its
    /// interface here, so that one whose next offer begins in the same cycle is there already.
    pub changed: Vec<u32>,
    /// Messages that are to be told ahead of their turn: (cycle of the offer, instance). One whose turn has
    /// come before may stand here still.
    pub ahead: BinaryHeap<Reverse<(u64, u32)>>,
    /// Packets that are asked for: the cycle in which they no longer are, and the instance.
    pub sending: BinaryHeap<Reverse<(u64, u32)>>,
    /// Messages of packets, the first of which is about to be on the wire.
    pub launching: Vec<Launch>,
    /// Messages that are offered.
    pub offered: i64,
    /// Attempts under way.
    pub in_flight: i64,
    /// More about them, in rounds.
    pub round: UnderWay,
    /// For each message, the cycle from which it may be offered that waits for deliveries;
    /// [`NEVER`] while it waits. Empty when none does.
    pub released: Vec<u64>,
}

/// The senders of a range of interfaces at work.
pub struct SenderBank<'d, 'a> {
    /// Constants that all share.
    pub rules: &'d Rules<'a>,
    /// The first interface.
    pub first: u32,
    /// The senders.
    pub senders: &'d mut [Sender],
    /// Offers to be made.
    pub pending: &'d mut PendingOffers,
}

impl SenderBank<'_, '_> {
    fn sender(&mut self, instance: u32) -> &mut Sender {
        &mut self.senders[(instance - self.first) as usize]
    }

    /// Plans a node's next message, `next` being the next cycle.
    pub fn schedule(&mut self, instance: u32, next: u64) {
        let rules = self.rules;
        let pending = &*self.pending;
        let sender = &mut self.senders[(instance - self.first) as usize];
        let Some(Queued {
            id,
            destination,
            words,
            follows,
        }) = rules.queues.get(rules.node(instance), sender.next)
        else {
            sender.id = NONE;
            return;
        };
        sender.id = id;
        sender.next += 1;
        sender.destination = destination;
        sender.words = words;
        sender.attempts = 0;
        sender.sent = NEVER;
        sender.offered_cycle = NEVER;
        let offer = match follows {
            true => Offer::AfterPrevious,
            false => rules.workload.messages[id as usize].offered,
        };
        sender.offered_cycle = match offer {
            Offer::At(cycle) => cycle,
            Offer::AfterPrevious => next,
            Offer::After { .. } => match pending.released[id as usize] {
                NEVER => return,
                cycle => cycle,
            },
        };
        self.plan(instance, next);
    }

    /// Takes in that a message may be offered from a cycle on that waited for deliveries,
    /// `next` being the next cycle.
    pub fn release(&mut self, id: u32, instance: u32, cycle: u64, next: u64) {
        self.pending.released[id as usize] = cycle;
        let sender = self.sender(instance);
        if sender.id == id {
            sender.offered_cycle = cycle;
            self.plan(instance, next);
        } else if sender.offered && self.rules.looks_ahead {
            self.pending.ahead.push(Reverse((cycle, instance)));
        }
    }

    /// The message after a sender's current one, and the cycle from which it is offered, where its
    /// endpoint is told of it ahead. One that waits for others, or for the end of the current one,
    /// is not.
    fn ahead(&self, instance: u32) -> Option<(Queued, u64)> {
        let rules = self.rules;
        if !rules.looks_ahead {
            return None;
        }
        let sender = &self.senders[(instance - self.first) as usize];
        let next = rules.queues.get(rules.node(instance), sender.next)?;
        match rules.workload.messages[next.id as usize].offered {
            Offer::At(cycle) => Some((next, cycle)),
            Offer::After { .. } => match self.pending.released[next.id as usize] {
                NEVER => None,
                cycle => Some((next, cycle)),
            },
            Offer::AfterPrevious => None,
        }
    }

    /// Plans the offer of a sender's current message.
    fn plan(&mut self, instance: u32, next: u64) {
        let due = self.sender(instance).offered_cycle;
        if due <= next {
            self.pending.due_next.push(instance);
        } else {
            self.pending.due.push(Reverse((due, instance)));
        }
    }

    /// Begins a cycle: offers what is due, and says what to drive, by
    /// `drive(port, instance, value)`.
    pub fn begin(&mut self, cycle: u64, mut drive: impl FnMut(usize, u32, u64)) {
        let mut due = std::mem::take(&mut self.pending.due_next);
        due.iter().for_each(|&instance| self.offer(instance, cycle));
        due.clear();
        self.pending.due_next = due;
        while let Some(&Reverse((due, instance))) = self.pending.due.peek() {
            if due > cycle {
                break;
            }
            self.pending.due.pop();
            self.offer(instance, cycle);
        }
        while let Some(&Reverse((due, instance))) = self.pending.ahead.peek()
            && due <= cycle
        {
            self.pending.ahead.pop();
            self.pending.changed.push(instance);
        }
        let rules = self.rules;
        let mut changed = std::mem::take(&mut self.pending.changed);
        let mut pauses = false;
        if rules.is_half_duplex() {
            pauses = cycle.is_multiple_of(2);
            changed.extend(
                self.pending
                    .sending
                    .iter()
                    .map(|Reverse((_, instance))| instance),
            );
        }
        for changed in changed.chunks(FETCHED_TOGETHER) {
            // Misses of these reads overlap, which they do not among the branches further on.
            let fetched = changed.iter().fold(0, |all, &instance| {
                all ^ rules.fetch_last(instance, self.sender(instance))
            });
            std::hint::black_box(fetched);
            for &instance in changed {
                self.ask(instance, pauses, &mut drive);
                self.ask_ahead(instance, cycle, &mut drive);
            }
        }
        changed.clear();
        self.pending.changed = changed;
    }

    /// Drives the pins of an interface whose offer begins or ends. While the network `pauses`,
    /// nothing is offered.
    fn ask(&mut self, instance: u32, pauses: bool, drive: &mut impl FnMut(usize, u32, u64)) {
        let rules = self.rules;
        let sender = self.sender(instance);
        let now = match sender.offered && !pauses {
            true => sender.id,
            false => NONE,
        };
        let before = std::mem::replace(&mut sender.asked, now);
        if before == now {
            return;
        }
        // The message asked for last is at most one back.
        let source = rules.node(instance);
        let next = sender.next;
        let taken = |back: u32| {
            let at = next.checked_sub(back);
            let queued = at.and_then(|at| rules.queues.get(source, at));
            queued.unwrap_or(Queued::NONE)
        };
        let (last, one_back) = (taken(1), taken(2));
        let queued = |id: u32| match id {
            NONE => None,
            _ => [&last, &one_back]
                .into_iter()
                .find(|queued| queued.id == id),
        };
        let route = |queued: Option<&Queued>| {
            let queued = queued?;
            rules.route(source, queued.destination, queued.id)
        };
        let (before, now) = (queued(before), queued(now));
        let (route_before, route_now) = (route(before), route(now));
        let before = rules.ask(source, before, route_before.as_ref());
        let now = rules.ask(source, now, route_now.as_ref());
        rules.endpoint.drive(&before, &now, &mut |port, value| {
            drive(port, instance, value)
        });
    }

    /// Drives the pins that tell an interface of the message after the one that it is asked for.
    fn ask_ahead(&mut self, instance: u32, cycle: u64, drive: &mut impl FnMut(usize, u32, u64)) {
        let rules = self.rules;
        let ahead = self.ahead(instance);
        let sender = self.sender(instance);
        let is_told = |&(_, offered): &(Queued, u64)| sender.offered && offered <= cycle;
        let now = ahead.filter(is_told).map(|(queued, _)| queued);
        let before = std::mem::replace(&mut sender.ahead, now.map_or(NONE, |queued| queued.id));
        if before == sender.ahead {
            return;
        }
        // The one told last is next still, or has had its turn since.
        let (source, next) = (rules.node(instance), sender.next);
        let mut taken =
            (0..=2).filter_map(|back| rules.queues.get(source, next.checked_sub(back)?));
        let before = taken.find(|queued| queued.id == before);
        let route = |queued: &Option<Queued>| {
            let queued = queued.as_ref()?;
            rules.route(source, queued.destination, queued.id)
        };
        let (route_before, route_now) = (route(&before), route(&now));
        let before = rules.ask(source, before.as_ref(), route_before.as_ref());
        let now = rules.ask(source, now.as_ref(), route_now.as_ref());
        let pins = rules.endpoint.pins_ahead(&before).into_iter();
        let pins = pins.zip(rules.endpoint.pins_ahead(&now));
        for (_, (port, value)) in pins.filter(|(before, now)| before != now) {
            drive(port, instance, value);
        }
    }

    /// Offers a node's next message.
    fn offer(&mut self, instance: u32, cycle: u64) {
        let rules = self.rules;
        let sender = self.sender(instance);
        sender.offered = true;
        // One that still asks for its last message has been noted at the end of it.
        let is_noted = sender.asked != NONE;
        if rules.packets.is_some_and(|packets| !packets.is_streamed()) {
            let (first, over) = rules.packet_cycles(sender.words, cycle);
            sender.attempts = 1;
            sender.sent = first + 1;
            let launch = Launch {
                cycle: first + 1,
                instance,
                id: sender.id,
                offered_cycle: sender.offered_cycle,
            };
            self.pending.launching.push(launch);
            self.pending.sending.push(Reverse((over, instance)));
        }
        self.pending.offered += 1;
        if !is_noted {
            self.pending.changed.push(instance);
        }
        if let Some((_, offered)) = self.ahead(instance)
            && offered > cycle
        {
            self.pending.ahead.push(Reverse((offered, instance)));
        }
    }

    /// Ends the messages of packets that have all been asked for before a cycle, and plans the
    /// next ones: calls with the message, the cycle of its offer, and that of its first packet on
    /// the wire.
    pub fn end_sent(&mut self, cycle: u64, mut sent: impl FnMut(SentMessage)) {
        while let Some(&Reverse((over, instance))) = self.pending.sending.peek()
            && over <= cycle
        {
            self.pending.sending.pop();
            self.pending.offered -= 1;
            self.pending.changed.push(instance);
            let sender = self.sender(instance);
            sender.offered = false;
            sent(SentMessage {
                id: sender.id,
                offered_cycle: sender.offered_cycle,
                sent_cycle: sender.sent,
                attempts: 1,
            });
            self.schedule(instance, cycle);
        }
    }

    /// Takes in that an interface has sent a head.
    pub fn launched(&mut self, instance: u32, cycle: u64) {
        self.pending.in_flight += 1;
        let sender = self.sender(instance);
        sender.launched = cycle;
        sender.replied = NEVER;
        sender.attempts += 1;
        sender.sent = sender.sent.min(cycle);
        let sender = &self.senders[(instance - self.first) as usize];
        if let Some((class, clocks)) = self.rules.in_round(instance, sender) {
            self.pending.round.launched(cycle, class, clocks);
        }
    }

    /// Takes in that all of an interface's packet is on the wire, and plans the next message.
    pub fn sent(&mut self, instance: u32, cycle: u64) -> SentMessage {
        self.settled(instance, cycle);
        self.pending.offered -= 1;
        self.pending.changed.push(instance);
        let sender = self.sender(instance);
        sender.offered = false;
        let sent = SentMessage {
            id: sender.id,
            offered_cycle: sender.offered_cycle,
            sent_cycle: sender.sent,
            attempts: sender.attempts,
        };
        self.schedule(instance, cycle + 1);
        sent
    }

    /// Takes in that an attempt is no longer under way.
    fn settled(&mut self, instance: u32, cycle: u64) {
        self.pending.in_flight -= 1;
        let sender = &self.senders[(instance - self.first) as usize];
        if let Some((class, clocks)) = self.rules.in_round(instance, sender) {
            self.pending.round.settled(cycle, class, clocks);
        }
    }

    /// Takes in that an interface has learnt of a collision; `stage` is where, when
    /// it tells. Gives the message, and where it was rejected.
    pub fn rejected(&mut self, instance: u32, cycle: u64, stage: u32) -> (u32, RejectedAt) {
        self.settled(instance, cycle);
        let rules = self.rules;
        let sender = self.sender(instance);
        let clocks = cycle - sender.launched;
        let (source, destination) = (rules.node(instance), sender.destination);
        let at = rules.timing.rejected(source, destination, clocks, stage);
        (sender.id, at)
    }

    /// Takes in that the first word of a reply has come to an interface.
    pub fn replied(&mut self, instance: u32, cycle: u64) -> Event {
        let sender = self.sender(instance);
        sender.replied = cycle;
        Event::Replied {
            id: sender.id,
            cycle,
        }
    }

    /// Takes in that an interface has an acknowledgement, and plans the next message.
    pub fn acknowledged(&mut self, instance: u32, cycle: u64, wrong: bool) -> Acknowledged {
        self.settled(instance, cycle);
        self.pending.offered -= 1;
        self.pending.changed.push(instance);
        let rules = self.rules;
        let sender = self.sender(instance);
        sender.offered = false;
        let source = rules.node(instance);
        let told = sender.replied.min(cycle) - sender.launched;
        let route = rules.route(source, sender.destination, sender.id);
        let arrival = rules
            .timing
            .arrived(source, sender.destination, sender.words, told);
        let event = Acknowledged {
            id: sender.id,
            destination: sender.destination,
            attempts: sender.attempts,
            offered_cycle: sender.offered_cycle,
            sent_cycle: sender.sent,
            cycle,
            launched_cycle: sender.launched,
            opened: arrival.opened.map(|clocks| sender.launched + clocks),
            delivered: sender.launched + arrival.delivered,
            stages: route.map_or(0, |route| u32::from(route.stages)),
            wrong,
        };
        self.schedule(instance, cycle + 1);
        event
    }
}
