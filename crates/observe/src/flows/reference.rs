//! The same as [`run`](super::run::run), without chips, clocks and engine: events in a heap, those
//! of a clock in the order in which chips see to them. For tests.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::flow::Packets;
use super::packet_clocks;
use super::run::{FlowLoad, FlowOutcome, LinkParameters, node_key};
use super::tables::{FlowRouting, Tables, idle_costs};
use crosswave_chips::rated_switch::queue::FairQueue;
use crosswave_chips::rated_switch::{RatedKind, link_key};
use crosswave_frame::graph::{Graph, GraphHop};

/// A packet, or an announcement or acknowledgement, whose flow is the node that is announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Packet {
    kind: RatedKind,
    flow: u32,
    /// The round of an announcement, from 1.
    round: u64,
    sent: u64,
    hops: u32,
}

/// Event of the simulation. Events of one clock are taken in this order, by nodes and links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// Tables that were made are known everywhere.
    InForce,
    /// Tables are made anew.
    Update,
    /// The last byte of a packet has left a node by the link of a number there.
    Free { node: u32, link: usize },
    /// It has come to another one.
    Arrive {
        node: u32,
        link: usize,
        packet: Packet,
    },
    /// A flow sends a packet.
    Send { flow: u32 },
    /// A processor takes up one of those.
    TakeUp { processor: u32 },
    /// A node announces itself.
    Announce { node: u32, round: u64 },
}

/// A direction of a link.
struct Sender {
    hop: GraphHop,
    to: u32,
    /// Its number at the other end.
    far_link: usize,
    /// By kind of packet.
    packet_clocks: [u64; 3],
    is_busy: bool,
    queue: FairQueue<Packet>,
}

struct Network<'a> {
    graph: &'a Graph,
    links: LinkParameters,
    load: FlowLoad<'a>,
    seed: u64,
    clock: u64,
    events: BinaryHeap<Reverse<(u64, Event)>>,
    /// By node and link.
    senders: Vec<Vec<Sender>>,
    tables: Tables,
    coming_tables: Option<Tables>,
    sources: Vec<Packets>,
    /// By processor.
    pending: Vec<VecDeque<Packet>>,
    /// The last round that a node has heard of from another one.
    heard: Vec<Vec<u64>>,
    outcome: FlowOutcome,
}

/// Sends the packets of flows through a network.
pub fn run(graph: &Graph, links: LinkParameters, load: FlowLoad<'_>, seed: u64) -> FlowOutcome {
    let routing = links
        .announcements
        .map(|own| (own.bytes, own.acknowledgement_bytes));
    let (announcement, acknowledgement) = routing.unwrap_or_default();
    let bytes = [links.packet_bytes, announcement, acknowledgement];
    let senders_of = |node: u32| {
        let sender = |(link, arc): (usize, &crosswave_frame::graph::Arc)| {
            let far = graph.arcs(arc.to).iter();
            let mut far = far.map(|arc| arc.hop);
            let wires = graph.links()[arc.hop.link as usize].capacity;
            let key = link_key(node_key(seed, node), link as u64);
            let buckets = links.discipline.buckets();
            Sender {
                hop: arc.hop,
                to: arc.to,
                far_link: far.position(|hop| hop == arc.hop.reversed()).unwrap(),
                packet_clocks: bytes.map(|bytes| packet_clocks(bytes, wires)),
                is_busy: false,
                queue: FairQueue::new(buckets.into(), links.queue_packets.into(), key),
            }
        };
        graph.arcs(node).iter().enumerate().map(sender).collect()
    };
    let mut network = Network {
        graph,
        links,
        load,
        seed,
        clock: 0,
        events: BinaryHeap::new(),
        senders: (0..graph.nodes()).map(senders_of).collect(),
        tables: Tables::new(graph, None, seed),
        coming_tables: None,
        sources: Vec::new(),
        pending: vec![VecDeque::new(); graph.processors().len()],
        heard: vec![vec![0; graph.nodes() as usize]; graph.nodes() as usize],
        outcome: FlowOutcome::default(),
    };
    if let FlowRouting::Adaptive { update_clocks } = links.routing {
        let costs = idle_costs(graph, links.packet_bytes, links.delay_clocks);
        network.tables = Tables::new(graph, Some(&costs), seed);
        network.at(update_clocks, Event::Update);
    }
    for (flow, number) in load.flows.iter().zip(0..) {
        let packets = Packets::new(*flow, number, load.traffic, load.interval_clocks, seed);
        network.sources.push(packets);
        network.send_later(number);
    }
    for node in 0..graph.nodes() {
        network.announce_later(node, 1);
    }
    network.run();
    network.outcome
}

impl Network<'_> {
    fn at(&mut self, clock: u64, event: Event) {
        self.events.push(Reverse((clock, event)));
    }

    fn run(&mut self) {
        while let Some(Reverse((clock, event))) = self.events.pop() {
            if clock >= self.load.clocks {
                return;
            }
            self.clock = clock;
            match event {
                Event::InForce => {
                    self.tables = self.coming_tables.take().expect("tables that were made");
                }
                Event::Update => self.update(),
                Event::Free { node, link } => {
                    let sender = &mut self.senders[node as usize][link];
                    sender.is_busy = false;
                    if let Some(packet) = sender.queue.pop() {
                        self.transmit(node, link, packet);
                    }
                }
                Event::Arrive { node, link, packet } => match packet.kind {
                    RatedKind::Data => self.forward(node, packet),
                    RatedKind::Announcement => self.hear(node, link, packet),
                    RatedKind::Acknowledgement => {
                        self.outcome.routing.acknowledgements += 1;
                        self.outcome.routing.clocks += self.clock - packet.sent;
                    }
                },
                Event::Announce { node, round } => {
                    self.heard[node as usize][node as usize] = round;
                    let packet = Packet {
                        kind: RatedKind::Announcement,
                        flow: node,
                        round,
                        sent: self.clock,
                        hops: 0,
                    };
                    self.flood(node, None, packet);
                    self.announce_later(node, round + 1);
                }
                Event::Send { flow } => self.send(flow),
                Event::TakeUp { processor } => {
                    let pending = &mut self.pending[processor as usize];
                    let packet = pending.pop_front().expect("a packet that was sent");
                    if !pending.is_empty() {
                        self.at(clock + 1, Event::TakeUp { processor });
                    }
                    self.forward(processor, packet);
                }
            }
        }
    }

    fn send(&mut self, flow: u32) {
        self.outcome.offered += 1;
        let packet = Packet {
            kind: RatedKind::Data,
            round: 0,
            flow,
            sent: self.clock,
            hops: 0,
        };
        let processor = self.load.flows[flow as usize].source;
        let pending = &mut self.pending[processor as usize];
        pending.push_back(packet);
        if pending.len() == 1 {
            self.at(self.clock, Event::TakeUp { processor });
        }
        self.send_later(flow);
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
        let senders = self.senders[node as usize].iter();
        let mut hops = senders.map(|sender| sender.hop);
        let link = hops.position(|other| other == hop).unwrap();
        self.offer(node, link, packet);
    }

    /// A packet is put on a link, at once or later, or lost.
    fn offer(&mut self, node: u32, link: usize, packet: Packet) {
        let sender = &mut self.senders[node as usize][link];
        if !sender.is_busy {
            self.transmit(node, link, packet);
            return;
        }
        let kind = (packet.kind as u64) << 16;
        if !sender.queue.push(kind | u64::from(packet.flow), packet) {
            match packet.kind {
                RatedKind::Data => self.outcome.lost += 1,
                _ => self.outcome.routing.lost += 1,
            }
        }
    }

    /// A node announces itself in a round, if there is one.
    fn announce_later(&mut self, node: u32, round: u64) {
        let announcements = self.links.announcements;
        let clock = announcements.and_then(|own| own.clock(round - 1, node.into()));
        if let Some(clock) = clock {
            self.at(clock, Event::Announce { node, round });
        }
    }

    /// An announcement goes out by all links but one.
    fn flood(&mut self, node: u32, from: Option<usize>, packet: Packet) {
        for link in 0..self.senders[node as usize].len() {
            if from != Some(link) {
                self.offer(node, link, packet);
            }
        }
    }

    /// An announcement has come to a node.
    fn hear(&mut self, node: u32, link: usize, packet: Packet) {
        self.outcome.routing.announcements += 1;
        self.outcome.routing.clocks += self.clock - packet.sent;
        let now = Packet {
            sent: self.clock,
            hops: 0,
            ..packet
        };
        let answer = Packet {
            kind: RatedKind::Acknowledgement,
            ..now
        };
        self.offer(node, link, answer);
        let heard = &mut self.heard[node as usize][packet.flow as usize];
        if *heard < packet.round {
            *heard = packet.round;
            self.flood(node, Some(link), now);
        }
    }

    /// A packet is put on a link.
    fn transmit(&mut self, node: u32, link: usize, mut packet: Packet) {
        let sender = &mut self.senders[node as usize][link];
        sender.is_busy = true;
        packet.hops += 1;
        let (to, far_link) = (sender.to, sender.far_link);
        let gone = self.clock + sender.packet_clocks[packet.kind as usize];
        self.at(gone, Event::Free { node, link });
        let arrives = Event::Arrive {
            node: to,
            link: far_link,
            packet,
        };
        self.at(gone + self.links.delay_clocks, arrives);
    }

    /// Makes tables from what waits.
    fn update(&mut self) {
        let FlowRouting::Adaptive { update_clocks } = self.links.routing else {
            return;
        };
        let mut costs = idle_costs(self.graph, self.links.packet_bytes, self.links.delay_clocks);
        for sender in self.senders.iter().flatten() {
            let ahead = sender.queue.len() as u64 + u64::from(sender.is_busy);
            costs[sender.hop.index()] +=
                (ahead * sender.packet_clocks[RatedKind::Data as usize]) as u32;
        }
        self.coming_tables = Some(Tables::new(self.graph, Some(&costs), self.seed));
        let written = self.clock + self.pending.len() as u64;
        self.at(written, Event::InForce);
        self.at(self.clock + update_clocks, Event::Update);
    }
}
