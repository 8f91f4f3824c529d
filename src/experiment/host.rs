//! The host: hands the nodes their messages and writes down what becomes of
//! them.
//!
//! The host is a synchronous circuit. What it sees of the network interfaces
//! in cycle `c` decides what it drives in cycle `c + 1`:
//!
//! - a message is offered from its cycle on, or, when the node's last one was
//!   acknowledged in cycle `c`, from `c + 1` on;
//! - with the rounds strategy, a round starts in `c + 1` when no attempt is
//!   under way, a message is offered, and no round started in `c`.
//!
//! A cycle is *quiet* when no message has been offered for
//! [`Fabric::rest_cycles`](crate::network::Fabric) cycles: by then no chip can
//! change, so random pins are held at 0 and the cycles up to the next offer are
//! skipped. The exported Verilog test bench holds the same host.
//!
//! The cycle loop, for one host or for several that share an engine, is in
//! [`batch`](super::batch).
//!
//! Where a collision happened is read off the clock: an attempt that router
//! `h` of its path rejects is reported 3h + 3 cycles (and the links' extra
//! clocks) after its head left.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use smallvec::SmallVec;

use crate::experiment::batch::Batch;
use crate::network::copies::Copies;
use crate::network::fat_tree::FatTree;
use crate::network::path_clocks::{PathClocks, Rejections};
use crate::probe::engine::Engine;
use crate::probe::message::{Collisions, MessageRecord, NEVER};
use crate::routing;
use crate::traffic::{BySource, Offer, Workload};

/// No message.
const NONE: u32 = u32::MAX;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Every message was delivered and acknowledged.
    Finished,
    /// `cycles_max` was reached first.
    OutOfCycles,
    /// Someone asked to stop.
    Interrupted,
}

/// What a run leaves behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Why it ended.
    pub end: End,
    /// The last cycle.
    pub last_cycle: u64,
    /// Cycles that were evaluated rather than skipped.
    pub evaluated_cycles: u64,
    /// The messages, by id.
    pub messages: Vec<MessageRecord>,
    /// Collisions by level.
    pub collisions: Collisions,
    /// Rounds started (rounds strategy).
    pub rounds: u64,
}

/// What one node's sender is doing: all that an attempt needs of its message,
/// so that attempts do not touch the records. It fills a cache line.
#[derive(Debug, Clone)]
#[repr(align(64))]
struct Sender {
    /// The current message, or the next one; [`NONE`] when there is none.
    id: u32,
    destination: u32,
    words: u32,
    /// Whether the message is offered.
    offered: bool,
    /// Cycle of the offer.
    offered_cycle: u64,
    /// Attempts of that message so far.
    attempts: u32,
    /// Index into the node's queue of the message after that.
    next: u32,
    /// Cycle in which the head of the first attempt was on the wire.
    sent: u64,
    /// Cycle in which the head of the current attempt was on the wire.
    launched: u64,
    /// The request, destination and length pins as driven last.
    driven: (bool, u32, u32),
}

impl Sender {
    /// Writes down what has become of the current message.
    fn note(&self, message: &mut MessageRecord) {
        message.attempts = self.attempts;
        message.offered_cycle = self.offered_cycle;
        message.sent_cycle = self.sent;
    }
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

/// Watches every cycle that an engine stands in.
pub trait Observer<E: ?Sized> {
    /// The engine stands in a new cycle; `clocked` says whether a clock edge
    /// led to it. The host pins of the cycle are driven.
    fn cycle(&mut self, engine: &E, clocked: bool);

    /// Whether to stop.
    fn interrupted(&mut self) -> bool {
        false
    }
}

/// Observes nothing.
impl<E: ?Sized> Observer<E> for () {
    fn cycle(&mut self, _: &E, _: bool) {}
}

/// What changes on the pins of the interfaces in one cycle: instance and value.
#[derive(Debug, Default)]
pub(super) struct Driven {
    pub(super) requests: Vec<(u32, u64)>,
    pub(super) destinations: Vec<(u32, u64)>,
    pub(super) words: Vec<(u32, u64)>,
    /// Copies whose nodes are all told to start a round, or no longer to.
    pub(super) rounds: Vec<(usize, bool)>,
}

/// The host of one run.
pub struct Host<'a> {
    pub(super) nodes: u32,
    clocks: PathClocks,
    rejections: Rejections,
    workload: &'a Workload,
    queues: BySource,
    by_rounds: bool,
    rest_cycles: u64,
    senders: Vec<Sender>,
    receivers: Vec<Receiver>,
    messages: Vec<MessageRecord>,
    collisions: Collisions,
    /// Offers that wait for their cycle: (cycle, node).
    due: BinaryHeap<Reverse<(u64, u32)>>,
    /// Nodes whose next offer is due in the next cycle.
    due_next: Vec<u32>,
    /// Nodes whose offer begins or ends in the next cycle.
    changed: Vec<u32>,
    offered: usize,
    in_flight: usize,
    unfinished: usize,
    undelivered: usize,
    last_busy: Option<u64>,
    round_on: bool,
    rounds: u64,
    /// The cycle to which the run alone is on its way without evaluating.
    skipped_to: u64,
    evaluated_cycles: u64,
}

impl<'a> Host<'a> {
    /// A host for one run of `workload` on `tree`.
    pub fn new(
        tree: &'a FatTree,
        workload: &'a Workload,
        rest_cycles: u64,
        by_rounds: bool,
    ) -> Self {
        let queues = workload.by_source();
        let sender = Sender {
            id: NONE,
            destination: 0,
            words: 0,
            offered: false,
            offered_cycle: NEVER,
            attempts: 0,
            next: 0,
            sent: NEVER,
            launched: NEVER,
            driven: (false, 0, 0),
        };
        let mut host = Host {
            nodes: tree.nodes,
            clocks: tree.clocks(),
            rejections: tree.clocks().rejections(),
            workload,
            by_rounds,
            rest_cycles,
            senders: vec![sender; tree.nodes as usize],
            receivers: vec![Receiver::default(); tree.nodes as usize],
            messages: workload
                .messages
                .iter()
                .map(|m| MessageRecord::new(m.source, m.destination, m.words))
                .collect(),
            collisions: Collisions::new(tree.levels() as usize),
            due: BinaryHeap::new(),
            due_next: Vec::new(),
            changed: Vec::new(),
            offered: 0,
            in_flight: 0,
            unfinished: workload.messages.len(),
            undelivered: workload.messages.len(),
            last_busy: None,
            round_on: false,
            rounds: 0,
            skipped_to: 0,
            evaluated_cycles: 0,
            queues,
        };
        for node in 0..tree.nodes {
            host.schedule(node, 1);
        }
        host
    }

    /// Plans the node's next message, `next` being the next cycle.
    fn schedule(&mut self, node: u32, next: u64) {
        let sender = &mut self.senders[node as usize];
        let Some(&id) = self.queues.of(node).get(sender.next as usize) else {
            sender.id = NONE;
            return;
        };
        let message = &self.workload.messages[id as usize];
        sender.id = id;
        sender.next += 1;
        sender.destination = message.destination;
        sender.words = message.words;
        sender.attempts = 0;
        sender.sent = NEVER;
        sender.offered_cycle = match message.offered {
            Offer::At(cycle) => cycle,
            Offer::AfterPrevious => next,
        };
        if sender.offered_cycle <= next {
            self.due_next.push(node);
        } else {
            self.due.push(Reverse((sender.offered_cycle, node)));
        }
    }

    /// Offers the node's next message.
    fn offer(&mut self, node: u32) {
        self.senders[node as usize].offered = true;
        self.offered += 1;
        self.changed.push(node);
    }

    fn node_of(&self, instance: usize) -> u32 {
        FatTree::node_of_instance(self.nodes, instance)
    }

    /// Takes in that an interface has received a message in a cycle.
    pub(super) fn received(&mut self, instance: usize, cycle: u64) {
        self.undelivered -= 1;
        let node = self.node_of(instance);
        let receiver = &mut self.receivers[node as usize];
        match receiver.tails.iter().position(|&(due, _)| due == cycle) {
            Some(found) => {
                let (_, id) = receiver.tails.remove(found);
                self.messages[id as usize].delivered_cycle = cycle;
            }
            None => receiver.deliveries.push(cycle),
        }
    }

    /// Takes in that an interface has sent a head.
    pub(super) fn launched(&mut self, instance: usize, cycle: u64) {
        self.in_flight += 1;
        let node = self.node_of(instance);
        let sender = &mut self.senders[node as usize];
        sender.launched = cycle;
        sender.attempts += 1;
        sender.sent = sender.sent.min(cycle);
    }

    /// Takes in that an interface has learnt of a collision.
    pub(super) fn collided(&mut self, instance: usize, cycle: u64) {
        self.in_flight -= 1;
        self.count_collision(self.node_of(instance), cycle);
    }

    /// Reads what [`Host::acknowledged`] is about to need, and returns something
    /// of it. Records of messages are cold; misses of reads for one interface
    /// after another overlap, which they do not among the branches there.
    #[inline]
    pub(super) fn fetch(&self, instance: usize) -> u32 {
        let node = self.node_of(instance);
        let sender = &self.senders[node as usize];
        let next = self.queues.of(node).get(sender.next as usize);
        let next = next.map_or(0, |&id| self.workload.messages[id as usize].words);
        self.messages[sender.id as usize].words ^ next
    }

    /// Takes in that an interface has an acknowledgement.
    pub(super) fn acknowledged(&mut self, instance: usize, cycle: u64) {
        self.in_flight -= 1;
        self.offered -= 1;
        self.unfinished -= 1;
        let node = self.node_of(instance);
        self.acknowledge(node, cycle);
        self.changed.push(node);
        self.schedule(node, cycle + 1);
    }

    fn count_collision(&mut self, node: u32, cycle: u64) {
        let sender = &self.senders[node as usize];
        let turn = routing::turn_level(node, sender.destination);
        match self.rejections.hop(turn, cycle - sender.launched) {
            Some(hop) => {
                let list = if hop == turn {
                    &mut self.collisions.turning
                } else {
                    &mut self.collisions.downward
                };
                list[routing::hop_level(turn, hop) as usize] += 1;
            }
            None => self.collisions.refused += 1,
        }
    }

    /// Writes down the acknowledgement of a node's message, and which delivery
    /// it belongs to: with release by the acknowledge the one whose answer took
    /// as long as the way back is; with release by the tail, where the answer
    /// leaves at the head, the one that the forward way and the length give.
    fn acknowledge(&mut self, node: u32, cycle: u64) {
        let sender = &mut self.senders[node as usize];
        sender.offered = false;
        let (id, destination) = (sender.id, sender.destination);
        let message = &mut self.messages[id as usize];
        sender.note(message);
        message.acknowledged_cycle = cycle;
        let way = self.clocks.forward(node, destination);
        let delivered = sender.launched + way + u64::from(sender.words) + 1;
        let receiver = &mut self.receivers[destination as usize];
        match receiver.deliveries.iter().position(|&at| at == delivered) {
            Some(found) => {
                receiver.deliveries.remove(found);
                message.delivered_cycle = delivered;
            }
            None => receiver.tails.push((delivered, id)),
        }
    }

    /// Says what to drive in a cycle, which is the one after the cycle observed
    /// last, in the copy of the network that the host is for.
    pub(super) fn drive(&mut self, cycle: u64, copies: Copies, copy: usize, driven: &mut Driven) {
        let mut due_next = std::mem::take(&mut self.due_next);
        for &node in &due_next {
            self.offer(node);
        }
        due_next.clear();
        self.due_next = due_next;
        while let Some(&Reverse((due, node))) = self.due.peek() {
            if due > cycle {
                break;
            }
            self.due.pop();
            self.offer(node);
        }
        for &node in &self.changed {
            let instance = FatTree::node_instance(self.nodes, node);
            let instance = copies.instance(copy, instance) as u32;
            let sender = &mut self.senders[node as usize];
            let pins = if sender.offered {
                (true, sender.destination, sender.words - 1)
            } else {
                (false, 0, 0)
            };
            let before = std::mem::replace(&mut sender.driven, pins);
            if before.0 != pins.0 {
                driven.requests.push((instance, u64::from(pins.0)));
            }
            if before.1 != pins.1 {
                driven.destinations.push((instance, u64::from(pins.1)));
            }
            if before.2 != pins.2 {
                driven.words.push((instance, u64::from(pins.2)));
            }
        }
        self.changed.clear();
        if self.by_rounds {
            let start = !self.round_on && self.in_flight == 0 && self.offered > 0;
            if start != self.round_on {
                driven.rounds.push((copy, start));
                self.round_on = start;
                self.rounds += u64::from(start);
            }
        }
        if self.offered > 0 {
            self.last_busy = Some(cycle);
        }
    }

    /// Whether the random pins may be held at 0 in a cycle.
    pub(super) fn quiet(&self, cycle: u64) -> bool {
        self.last_busy
            .is_none_or(|busy| cycle > busy + self.rest_cycles)
    }

    /// Whether every message has been delivered and acknowledged.
    pub(super) fn is_finished(&self) -> bool {
        self.unfinished == 0 && self.undelivered == 0
    }

    /// Whether nothing happens in the cycles after `cycle` before another one,
    /// and which: that of the next offer.
    pub(super) fn idle_until(&self, cycle: u64) -> Option<u64> {
        let next_offer = match self.due.peek() {
            Some(Reverse((due, _))) if self.due_next.is_empty() => *due,
            _ => return None,
        };
        let idle = cycle > 0 && self.offered == 0 && self.quiet(cycle) && next_offer > cycle + 1;
        idle.then_some(next_offer)
    }

    /// Counts the clock edge after `cycle` if the run alone evaluates it;
    /// `idle_until` is what the method of that name says.
    pub(super) fn count_edge(&mut self, cycle: u64, idle_until: Option<u64>) {
        if cycle >= self.skipped_to {
            match idle_until {
                Some(next) => self.skipped_to = next,
                None => self.evaluated_cycles += 1,
            }
        }
    }

    /// What the run leaves behind when it ends so in a cycle. Later cycles
    /// change nothing in it.
    pub(super) fn end(&mut self, end: End, last_cycle: u64) -> Outcome {
        for sender in self.senders.iter().filter(|sender| sender.id != NONE) {
            sender.note(&mut self.messages[sender.id as usize]);
        }
        Outcome {
            end,
            last_cycle,
            evaluated_cycles: self.evaluated_cycles,
            messages: std::mem::take(&mut self.messages),
            collisions: std::mem::take(&mut self.collisions),
            rounds: self.rounds,
        }
    }

    /// Runs to the end.
    pub fn run<E: Engine + ?Sized>(
        self,
        engine: &mut E,
        cycles_max: u64,
        observer: &mut impl Observer<E>,
    ) -> Outcome {
        let mut batch = Batch::new(vec![self], Copies::ONE);
        let mut outcomes = batch.run(engine, cycles_max, observer);
        outcomes.pop().expect("an outcome for each host")
    }
}
