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
//! Where a collision happened is read off the clock: an attempt that router
//! `h` of its path rejects is reported 3h + 3 cycles (and the links' extra
//! clocks) after its head left.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use smallvec::SmallVec;

use crate::chip::network_interface as port;
use crate::network::fat_tree::{FatTree, NODES};
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

/// What one node's sender is doing, and the deliveries at its receiver that
/// have not been matched with an acknowledgement.
#[derive(Debug, Clone, Default)]
struct Node {
    /// Index into the node's queue of the current or next message.
    next: u32,
    /// Whether that message is offered.
    offered: bool,
    /// Cycle in which the head of the current attempt was on the wire.
    launched: u64,
    /// The destination and length pins as driven last.
    driven: (u64, u64),
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

/// The host of one run.
pub struct Host<'a> {
    tree: &'a FatTree,
    workload: &'a Workload,
    queues: BySource,
    by_rounds: bool,
    rest_cycles: u64,
    nodes: Vec<Node>,
    messages: Vec<MessageRecord>,
    collisions: Collisions,
    /// Offers that wait for their cycle: (cycle, node).
    due: BinaryHeap<Reverse<(u64, u32)>>,
    /// Nodes whose offer begins or ends in the next cycle.
    changed: Vec<u32>,
    offered: usize,
    in_flight: usize,
    unfinished: usize,
    undelivered: usize,
    last_busy: Option<u64>,
    round_on: bool,
    rounds: u64,
    raised: Vec<u32>,
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
        let mut host = Host {
            tree,
            workload,
            by_rounds,
            rest_cycles,
            nodes: vec![Node::default(); tree.nodes as usize],
            messages: workload
                .messages
                .iter()
                .map(|m| MessageRecord::new(m.source, m.destination, m.words))
                .collect(),
            collisions: Collisions::new(tree.levels() as usize),
            due: BinaryHeap::new(),
            changed: Vec::new(),
            offered: 0,
            in_flight: 0,
            unfinished: workload.messages.len(),
            undelivered: workload.messages.len(),
            last_busy: None,
            round_on: false,
            rounds: 0,
            raised: Vec::new(),
            queues,
        };
        for node in 0..tree.nodes {
            host.schedule(node, 1);
        }
        host
    }

    /// Plans the node's next message, `now` being the first cycle in which it
    /// can be offered.
    fn schedule(&mut self, node: u32, now: u64) {
        let next = self.nodes[node as usize].next as usize;
        if let Some(&id) = self.queues.of(node).get(next) {
            let cycle = match self.workload.messages[id as usize].offered {
                Offer::At(cycle) => cycle,
                Offer::AfterPrevious => now,
            };
            self.messages[id as usize].offered_cycle = cycle;
            self.due.push(Reverse((cycle.max(now), node)));
        }
    }

    fn current(&self, node: u32) -> u32 {
        let at = &self.nodes[node as usize];
        if at.offered {
            self.queues.of(node)[at.next as usize]
        } else {
            NONE
        }
    }

    /// Takes in what the interfaces show in the engine's cycle.
    fn observe<E: Engine + ?Sized>(&mut self, engine: &E) {
        let cycle = engine.cycle();
        let nodes = self.tree.nodes;
        let mut raised = std::mem::take(&mut self.raised);

        raised.clear();
        engine.raised(NODES, port::PORT_RX_DONE, &mut raised);
        for &instance in &raised {
            let node = FatTree::node_of_instance(nodes, instance as usize);
            let at = &mut self.nodes[node as usize];
            match at.tails.iter().position(|&(due, _)| due == cycle) {
                Some(found) => {
                    let (_, id) = at.tails.remove(found);
                    self.messages[id as usize].delivered_cycle = cycle;
                }
                None => at.deliveries.push(cycle),
            }
            self.undelivered -= 1;
        }

        raised.clear();
        engine.raised(NODES, port::PORT_TX_LAUNCH, &mut raised);
        self.in_flight += raised.len();
        for &instance in &raised {
            let node = FatTree::node_of_instance(nodes, instance as usize);
            let id = self.current(node);
            self.nodes[node as usize].launched = cycle;
            let message = &mut self.messages[id as usize];
            message.attempts += 1;
            if message.sent_cycle == NEVER {
                message.sent_cycle = cycle;
            }
        }

        raised.clear();
        engine.raised(NODES, port::PORT_TX_COLLISION, &mut raised);
        self.in_flight -= raised.len();
        for &instance in &raised {
            let node = FatTree::node_of_instance(nodes, instance as usize);
            let id = self.current(node);
            self.count_collision(node, id, cycle);
        }

        raised.clear();
        engine.raised(NODES, port::PORT_TX_DONE, &mut raised);
        self.in_flight -= raised.len();
        for &instance in &raised {
            let node = FatTree::node_of_instance(nodes, instance as usize);
            let id = self.current(node);
            self.acknowledge(id, cycle);
            let at = &mut self.nodes[node as usize];
            at.offered = false;
            at.next += 1;
            self.offered -= 1;
            self.unfinished -= 1;
            self.changed.push(node);
            self.schedule(node, cycle + 1);
        }
        self.raised = raised;
    }

    fn count_collision(&mut self, node: u32, id: u32, cycle: u64) {
        let destination = self.messages[id as usize].destination;
        let after = cycle - self.nodes[node as usize].launched;
        let routers = routing::path_routers(node, destination);
        let turn = routing::turn_level(node, destination);
        // Extra clocks of links only add, so the hop is at most that of none.
        let most = (after.saturating_sub(3) / 3).min(u64::from(routers) - 1) as u32;
        let hop = (0..=most)
            .rev()
            .find(|&hop| self.tree.rejection_cycles(node, destination, hop) == after);
        match hop {
            Some(hop) => {
                let level = routing::hop_level(node, destination, hop) as usize;
                let list = if hop == turn {
                    &mut self.collisions.turning
                } else {
                    &mut self.collisions.downward
                };
                list[level] += 1;
            }
            None => self.collisions.refused += 1,
        }
    }

    /// Writes down the acknowledgement, and which delivery it belongs to: with
    /// release by the acknowledge the one whose answer took as long as the way
    /// back is; with release by the tail, where the answer leaves at the head,
    /// the one that the forward way and the length give.
    fn acknowledge(&mut self, id: u32, cycle: u64) {
        let message = &mut self.messages[id as usize];
        message.acknowledged_cycle = cycle;
        let (source, destination) = (message.source, message.destination);
        let launched = self.nodes[source as usize].launched;
        let delivered =
            launched + self.tree.forward_cycles(source, destination) + u64::from(message.words) + 1;
        let at = &mut self.nodes[destination as usize];
        match at.deliveries.iter().position(|&at| at == delivered) {
            Some(found) => {
                at.deliveries.remove(found);
                message.delivered_cycle = delivered;
            }
            None => at.tails.push((delivered, id)),
        }
    }

    /// Drives the pins of the engine's cycle, which is the one after the
    /// cycle observed last.
    fn drive<E: Engine + ?Sized>(&mut self, engine: &mut E) {
        let cycle = engine.cycle();
        while let Some(&Reverse((due, node))) = self.due.peek() {
            if due > cycle {
                break;
            }
            self.due.pop();
            self.nodes[node as usize].offered = true;
            self.offered += 1;
            self.changed.push(node);
        }
        let mut changed = std::mem::take(&mut self.changed);
        for &node in &changed {
            let instance = FatTree::node_instance(self.tree.nodes, node);
            let id = self.current(node);
            let (request, destination, words) = match self.workload.messages.get(id as usize) {
                Some(message) => (
                    1,
                    u64::from(message.destination),
                    u64::from(message.words) - 1,
                ),
                None => (0, 0, 0),
            };
            engine.drive(NODES, port::PORT_TX_REQUEST, instance, request);
            let driven = &mut self.nodes[node as usize].driven;
            let before = std::mem::replace(driven, (destination, words));
            if before.0 != destination {
                engine.drive(NODES, port::PORT_TX_DESTINATION, instance, destination);
            }
            if before.1 != words {
                engine.drive(NODES, port::PORT_TX_WORDS, instance, words);
            }
        }
        changed.clear();
        self.changed = changed;
        if self.by_rounds {
            let start = !self.round_on && self.in_flight == 0 && self.offered > 0;
            if start != self.round_on {
                engine.drive_all(NODES, port::PORT_ROUND_START, u64::from(start));
                self.round_on = start;
                self.rounds += u64::from(start);
            }
        }
        if self.offered > 0 {
            self.last_busy = Some(cycle);
        }
        engine.hold_random(self.quiet(cycle));
    }

    fn quiet(&self, cycle: u64) -> bool {
        self.last_busy
            .is_none_or(|busy| cycle > busy + self.rest_cycles)
    }

    /// Runs to the end.
    pub fn run<E: Engine + ?Sized>(
        mut self,
        engine: &mut E,
        cycles_max: u64,
        observer: &mut impl Observer<E>,
    ) -> Outcome {
        let mut evaluated_cycles = 0;
        engine.hold_random(true);
        observer.cycle(engine, false);
        let end = loop {
            self.observe(engine);
            let cycle = engine.cycle();
            if self.unfinished == 0 && self.undelivered == 0 {
                break End::Finished;
            }
            if cycle >= cycles_max {
                break End::OutOfCycles;
            }
            if observer.interrupted() {
                break End::Interrupted;
            }
            let next_offer = self.due.peek().map_or(cycle + 1, |Reverse((due, _))| *due);
            let skip =
                cycle > 0 && self.offered == 0 && self.quiet(cycle) && next_offer > cycle + 1;
            if skip {
                engine.skip_to(next_offer.min(cycles_max));
            } else {
                engine.step();
                evaluated_cycles += 1;
            }
            self.drive(engine);
            observer.cycle(engine, !skip);
        };
        Outcome {
            end,
            last_cycle: engine.cycle(),
            evaluated_cycles,
            messages: self.messages,
            collisions: self.collisions,
            rounds: self.rounds,
        }
    }
}
