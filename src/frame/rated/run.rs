//! The network: packets stored and forwarded, event by event. Events of one clock are taken in the
//! order in which they were made.
//!
//! Cost: two events and a place in a heap for each hop of a packet, and one table look-up.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::flows::{Flow, Packets, Traffic};
use super::packet_clocks;
use super::queue::{Discipline, OfFlow, Queue};
use super::tables::{Routing, Tables, idle_costs};
use crate::frame::graph::{Graph, Hop};
use crate::random::splitmix;

/// What links, queues and routers do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Links {
    /// Bytes of a packet.
    pub packet_bytes: u64,
    /// The delay of every link.
    pub delay_clocks: u64,
    /// Who waits how.
    pub discipline: Discipline,
    /// Packets that wait for a direction of a link at most; the one that is being sent does
    /// not count.
    pub queue_packets: usize,
    /// What routers go by.
    pub routing: Routing,
}

/// What is sent.
#[derive(Debug, Clone, Copy)]
pub struct Load<'a> {
    /// The flows.
    pub flows: &'a [Flow],
    /// What each of them sends.
    pub traffic: Traffic,
    /// Clocks between packets, on average.
    pub interval_clocks: u64,
    /// Clocks that are simulated. What is under way then is not counted as delivered.
    pub clocks: u64,
}

/// What came of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Packets that were sent.
    pub offered: u64,
    /// Packets that have come.
    pub delivered: u64,
    /// Packets that were dropped.
    pub lost: u64,
    /// Clocks from first to last of the packets that came, added up.
    pub delay_clocks: u64,
    /// Hops of the packets that came, added up.
    pub hops: u64,
}

/// A packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Packet {
    flow: u32,
    sent: u64,
    hops: u32,
}

impl OfFlow for Packet {
    fn flow(&self) -> u32 {
        self.flow
    }
}

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A flow sends a packet.
    Send { flow: u32 },
    /// The last byte of a packet has left a node.
    Free { hop: usize },
    /// It has come to the next one.
    Arrive { node: u32, packet: Packet },
    /// Tables are made anew.
    Update,
}

/// A direction of a link.
struct Sender {
    hop: Hop,
    to: u32,
    packet_clocks: u64,
    is_busy: bool,
    queue: Queue<Packet>,
}

struct Network<'a> {
    graph: &'a Graph,
    links: Links,
    load: Load<'a>,
    seed: u64,
    clock: u64,
    made: u64,
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    senders: Vec<Sender>,
    tables: Tables,
    sources: Vec<Packets>,
    outcome: Outcome,
}

/// Sends the packets of flows through a network.
///
/// # Panics
/// When a flow is between other nodes than processors, or tables are made anew every 0 clocks.
pub fn run(graph: &Graph, links: Links, load: Load<'_>, seed: u64) -> Outcome {
    let processors = graph.processors();
    let known =
        |flow: &Flow| processors.contains(&flow.source) && processors.contains(&flow.destination);
    assert!(load.flows.iter().all(known), "flows between processors");
    let ends = graph.links().iter().zip(0..);
    let senders = ends.flat_map(|(ends, link)| {
        [(true, ends.to), (false, ends.from)].map(|(forward, to)| {
            let hop = Hop { link, forward };
            let key = splitmix(seed ^ hop.index() as u64);
            Sender {
                hop,
                to,
                packet_clocks: packet_clocks(links.packet_bytes, ends.capacity),
                is_busy: false,
                queue: Queue::new(links.discipline, links.queue_packets, key),
            }
        })
    });
    let mut network = Network {
        graph,
        links,
        load,
        seed,
        clock: 0,
        made: 0,
        events: BinaryHeap::new(),
        senders: senders.collect(),
        tables: Tables::new(graph, None, seed),
        sources: Vec::new(),
        outcome: Outcome::default(),
    };
    if let Routing::Adaptive { update_clocks } = links.routing {
        assert!(update_clocks > 0, "time goes on between tables");
        network.update();
    }
    for (flow, number) in load.flows.iter().zip(0..) {
        let packets = Packets::new(*flow, number, load.traffic, load.interval_clocks, seed);
        network.sources.push(packets);
        network.send_later(number);
    }
    network.run();
    network.outcome
}

impl Network<'_> {
    fn at(&mut self, clock: u64, event: Event) {
        self.made += 1;
        self.events.push(Reverse((clock, self.made, event)));
    }

    fn run(&mut self) {
        while let Some(Reverse((clock, _, event))) = self.events.pop() {
            if clock >= self.load.clocks {
                return;
            }
            self.clock = clock;
            match event {
                Event::Send { flow } => {
                    self.outcome.offered += 1;
                    let packet = Packet {
                        flow,
                        sent: clock,
                        hops: 0,
                    };
                    self.forward(self.load.flows[flow as usize].source, packet);
                    self.send_later(flow);
                }
                Event::Free { hop } => {
                    self.senders[hop].is_busy = false;
                    if let Some(packet) = self.senders[hop].queue.pop() {
                        self.transmit(hop, packet);
                    }
                }
                Event::Arrive { node, packet } => self.forward(node, packet),
                Event::Update => self.update(),
            }
        }
    }

    /// The next packet of a flow.
    fn send_later(&mut self, flow: u32) {
        if let Some(clock) = self.sources[flow as usize].next() {
            self.at(clock, Event::Send { flow });
        }
    }

    /// A packet is at a node: it has come, or goes on.
    fn forward(&mut self, node: u32, packet: Packet) {
        let destination = self.load.flows[packet.flow as usize].destination;
        let Some(hop) = self.tables.next(node, destination) else {
            self.outcome.delivered += 1;
            self.outcome.delay_clocks += self.clock - packet.sent;
            self.outcome.hops += u64::from(packet.hops);
            return;
        };
        let hop = hop.index();
        if !self.senders[hop].is_busy {
            self.transmit(hop, packet);
        } else if !self.senders[hop].queue.push(packet) {
            self.outcome.lost += 1;
        }
    }

    /// A packet is put on a link.
    fn transmit(&mut self, hop: usize, mut packet: Packet) {
        let sender = &mut self.senders[hop];
        sender.is_busy = true;
        packet.hops += 1;
        let (node, gone) = (sender.to, self.clock + sender.packet_clocks);
        self.at(gone, Event::Free { hop });
        self.at(
            gone + self.links.delay_clocks,
            Event::Arrive { node, packet },
        );
    }

    /// Makes tables from what waits.
    fn update(&mut self) {
        let Routing::Adaptive { update_clocks } = self.links.routing else {
            return;
        };
        let mut costs = idle_costs(self.graph, self.links.packet_bytes, self.links.delay_clocks);
        for sender in &self.senders {
            let ahead = sender.queue.len() as u64 + u64::from(sender.is_busy);
            costs[sender.hop.index()] += (ahead * sender.packet_clocks) as u32;
        }
        self.tables = Tables::new(self.graph, Some(&costs), self.seed);
        self.at(self.clock + update_clocks, Event::Update);
    }
}

#[cfg(test)]
mod tests;
