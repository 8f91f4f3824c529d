//! Flows on the event engine: the host of the processors of a network of rated switches.
//!
//! Cost: about two evaluations of a chip for each hop of a packet; clocks in which nothing is due
//! are skipped.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use serde::{Deserialize, Serialize};

use super::flow::{Flow, FlowTraffic, Packets};
use super::packet_clocks;
use super::tables::{FlowRouting, Tables, idle_costs};
use crosswave_base::random::splitmix;
use crosswave_chips::rated_switch::{
    self, NUMBER_BITS, OfLink, RatedKind, RatedPacket, table_entry,
};
use crosswave_event::EventEngine;
use crosswave_frame::graph::Graph;
use crosswave_network::rated::{self, LinkClocks, PROCESSORS, QueueSizes, SWITCHES};
use crosswave_probe::engine::Engine;

/// Queueing discipline of a link: the order of packets, and the choice of those that are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Discipline {
    /// First come, first served; what finds no place is dropped.
    DropTail,
    /// Flows are hashed into so many buckets, which are served in turn.
    StochasticFair {
        /// Buckets.
        buckets: u16,
    },
}

impl Discipline {
    /// Buckets of a queue.
    pub fn buckets(self) -> u16 {
        match self {
            Discipline::DropTail => 1,
            Discipline::StochasticFair { buckets } => buckets,
        }
    }
}

/// Routing traffic: every node announces itself to all others, node after node, in rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Announcements {
    /// Bytes of an announcement.
    pub bytes: u64,
    /// Bytes of its acknowledgement, on every link that it takes.
    pub acknowledgement_bytes: u64,
    /// Clocks from the announcement of a node to that of the next one.
    pub apart_clocks: u64,
    /// Clocks from round to round, at least those of a round; none: there is one round.
    pub round_clocks: Option<u64>,
}

impl Announcements {
    /// The clock at which a node announces itself in a round, from 0; none when it does not.
    pub(super) fn clock(self, round: u64, node: u64) -> Option<u64> {
        let from = match self.round_clocks {
            Some(clocks) => round * clocks,
            None if round == 0 => 0,
            None => return None,
        };
        Some(from + node * self.apart_clocks)
    }
}

/// Parameters of links, queues and routers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkParameters {
    /// Bytes of a packet.
    pub packet_bytes: u64,
    /// The delay of every link.
    pub delay_clocks: u64,
    /// The queueing discipline.
    pub discipline: Discipline,
    /// Packets that wait for a direction of a link at most; the one that is being sent does
    /// not count.
    pub queue_packets: u16,
    /// The routing of the routers.
    pub routing: FlowRouting,
    /// The traffic that routers have for it; without it, they know of each other at no cost.
    pub announcements: Option<Announcements>,
}

/// Offered load.
#[derive(Debug, Clone, Copy)]
pub struct FlowLoad<'a> {
    /// The flows, at most 65,536.
    pub flows: &'a [Flow],
    /// The pattern in which each of them sends.
    pub traffic: FlowTraffic,
    /// Clocks between packets, on average.
    pub interval_clocks: u64,
    /// Clocks that are simulated. What is under way then is not counted as delivered.
    pub clocks: u64,
}

/// Outcome of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowOutcome {
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
    /// Outcome of the routing traffic.
    pub routing: RoutingOutcome,
}

/// Routing traffic of a run, counted at the ends of links.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoutingOutcome {
    /// Announcements that came over a link.
    pub announcements: u64,
    /// Acknowledgements that came.
    pub acknowledgements: u64,
    /// Those of both that were dropped.
    pub lost: u64,
    /// Clocks of both over the last link, added up.
    pub clocks: u64,
}

/// The key of the queues of a node.
pub(super) fn node_key(seed: u64, node: u32) -> u64 {
    splitmix(seed ^ splitmix(node.into()))
}

/// Packets that are told apart by their numbers: so many may be under way.
const NUMBERS: usize = 1 << NUMBER_BITS;

struct Host<'a> {
    graph: &'a Graph,
    links: LinkParameters,
    load: FlowLoad<'a>,
    seed: u64,
    engine: EventEngine,
    /// The cycle of clock 0: tables are written before.
    first_cycle: u64,
    /// Contents that were last written into both tables of all chips.
    tables: [Tables; 2],
    in_force: usize,
    /// Clocks of flows' next packets, with their flows.
    sends: BinaryHeap<Reverse<(u64, u32)>>,
    sources: Vec<Packets>,
    /// The next announcement: round and node.
    announcement: (u64, u64),
    /// By processor, what it has to send: clock and flow.
    pending: Vec<VecDeque<(u64, u32)>>,
    /// Processors that have something to send, or whose `tx` is to be taken back.
    busy: Vec<u32>,
    /// Clocks at which packets were sent, by their numbers; a packet that is sent 2^22 packets
    /// later takes the place.
    sent: Vec<u64>,
    /// Packets that were made.
    made: usize,
    /// Processors to which something came.
    came: Vec<u32>,
    outcome: FlowOutcome,
}

/// Sends the packets of flows through a network.
///
/// # Panics
/// When a flow is between other nodes than processors, tables are made anew before the last ones
/// are written, there are too many flows or packets, links take more clocks than 32 bits hold, a
/// round of announcements is longer than the time until the next one, there are more than 65,535
/// rounds, or an announcement may take 2^22 clocks over a link.
pub fn run(graph: &Graph, links: LinkParameters, load: FlowLoad<'_>, seed: u64) -> FlowOutcome {
    let processors = graph.processors();
    let known =
        |flow: &Flow| processors.contains(&flow.source) && processors.contains(&flow.destination);
    assert!(load.flows.iter().all(known), "flows between processors");
    assert!(load.flows.len() <= 1 << 16, "flows have numbers of 16 bits");
    if let Some(announcements) = links.announcements
        && let Some(clocks) = announcements.round_clocks
    {
        let last = u64::from(graph.nodes() - 1) * announcements.apart_clocks;
        assert!(last < clocks, "a round ends before the next one");
        let rounds = load.clocks / clocks;
        assert!(rounds < 1 << 16, "rounds have numbers of 16 bits");
    }
    if links.announcements.is_some() {
        let longest = packet_clocks(links.packet_bytes, 1) * (1 + u64::from(links.queue_packets));
        let most = longest + links.delay_clocks;
        assert!(
            most < NUMBERS as u64,
            "routing traffic knows its cycle modulo 2^22"
        );
    }
    let clocks = |clocks: u64| u32::try_from(clocks).expect("clocks of a link have 32 bits");
    let [announcement_bytes, acknowledgement_bytes] = match links.announcements {
        Some(announcements) => [announcements.bytes, announcements.acknowledgement_bytes],
        None => [0; 2],
    };
    let fabric = rated::fabric(
        graph,
        QueueSizes {
            packets: links.queue_packets,
            buckets: links.discipline.buckets(),
        },
        |link| LinkClocks {
            packet: clocks(packet_clocks(links.packet_bytes, link.capacity)),
            delay: clocks(links.delay_clocks),
            announcement: clocks(packet_clocks(announcement_bytes, link.capacity)),
            acknowledgement: clocks(packet_clocks(acknowledgement_bytes, link.capacity)),
        },
        |node| node_key(seed, node),
    );
    let mut host = Host {
        graph,
        links,
        load,
        seed,
        engine: EventEngine::new(fabric, seed, 1),
        first_cycle: 1 + u64::from(processors.end),
        tables: [Tables::unknown(graph), Tables::unknown(graph)],
        in_force: 0,
        sends: BinaryHeap::new(),
        sources: Vec::new(),
        announcement: (0, 0),
        pending: vec![VecDeque::new(); processors.len()],
        busy: Vec::new(),
        sent: Vec::new(),
        made: 0,
        came: Vec::new(),
        outcome: FlowOutcome::default(),
    };
    for (flow, number) in load.flows.iter().zip(0..) {
        let packets = Packets::new(*flow, number, load.traffic, load.interval_clocks, seed);
        host.sources.push(packets);
        host.send_later(number);
    }
    host.run();
    host.outcome
}

/// Tables that are being written.
struct Writing {
    /// The cycle of the entries of destination 0.
    from: u64,
    /// Entries by destination.
    entries: Vec<Vec<(u32, u8)>>,
    tables: Tables,
}

impl Writing {
    /// The cycle in which they are in force.
    fn in_force(&self) -> u64 {
        self.from + self.entries.len() as u64
    }

    /// The next cycle from one on in which there is something to do.
    fn next(&self, cycle: u64) -> u64 {
        let done = (cycle - self.from) as usize;
        let left = self.entries.iter().enumerate().skip(done);
        let mut left = left.filter(|(_, entries)| !entries.is_empty());
        left.next()
            .map_or(self.in_force(), |(at, _)| self.from + at as u64)
    }
}

impl Host<'_> {
    fn run(&mut self) {
        self.engine.step();
        let costs = idle_costs(self.graph, self.links.packet_bytes, self.links.delay_clocks);
        let (costs, update_clocks) = match self.links.routing {
            FlowRouting::Hops => (None, None),
            FlowRouting::Adaptive { update_clocks } => {
                (Some(costs.as_slice()), Some(update_clocks))
            }
        };
        let first = Tables::new(self.graph, costs, self.seed);
        let mut writing = Some(self.writing(first));
        if let Some(clocks) = update_clocks {
            assert!(
                clocks > self.pending.len() as u64,
                "tables are written in time"
            );
        }
        let mut update = update_clocks.map(|clocks| self.first_cycle + clocks);
        let end = self.first_cycle + self.load.clocks;
        loop {
            let now = self.engine.cycle();
            let send = self
                .sends
                .peek()
                .map(|Reverse((clock, _))| self.first_cycle + clock);
            let hands = (!self.busy.is_empty()).then_some(now);
            let writes = writing.as_ref().map(|writing| writing.next(now));
            let announces = self
                .next_announcement()
                .map(|clock| self.first_cycle + clock);
            let all = [self.engine.due(), send, hands, update, writes, announces];
            let Some(cycle) = all.into_iter().flatten().min().filter(|&cycle| cycle < end) else {
                break;
            };
            if cycle > now {
                self.engine.skip_to(cycle);
            }
            if update == Some(cycle) {
                let tables = self.tables_of_waiting(cycle);
                writing = Some(self.writing(tables));
                update = update_clocks.map(|clocks| cycle + clocks);
            }
            if let Some(done) = writing.take_if(|writing| writing.in_force() == cycle) {
                self.in_force = 1 - self.in_force;
                self.tables[self.in_force] = done.tables;
                for array in [PROCESSORS, SWITCHES] {
                    let engine = &mut self.engine;
                    engine.drive_all(array, rated_switch::PORT_TABLE_WRITE, 0);
                    let in_force = self.in_force as u64;
                    engine.drive_all(array, rated_switch::PORT_TABLE_IN_FORCE, in_force);
                }
            } else if let Some(writing) = &writing {
                self.write(writing, cycle);
            }
            if let Some(clock) = cycle.checked_sub(self.first_cycle) {
                self.hand_over(clock);
                self.announce(clock);
            }
            self.engine.step();
            self.receive(cycle);
        }
        for node in 0..self.graph.nodes() {
            let (array, instance) = rated::instance(self.graph, node);
            let value = |port| self.engine.value(array, port, instance);
            self.outcome.lost += value(rated_switch::PORT_LOST);
            let routing = &mut self.outcome.routing;
            routing.announcements += value(rated_switch::PORT_ANNOUNCEMENTS);
            routing.acknowledgements += value(rated_switch::PORT_ACKNOWLEDGEMENTS);
            routing.lost += value(rated_switch::PORT_ROUTING_LOST);
            routing.clocks += value(rated_switch::PORT_ROUTING_CLOCKS);
        }
    }

    /// The clock of the next announcement.
    fn next_announcement(&self) -> Option<u64> {
        let (round, node) = self.announcement;
        self.links.announcements?.clock(round, node)
    }

    /// Has nodes announce themselves.
    fn announce(&mut self, clock: u64) {
        while self.next_announcement() == Some(clock) {
            let (round, node) = self.announcement;
            let (array, instance) = rated::instance(self.graph, node as u32);
            let number = (instance as u32, round + 1);
            self.engine
                .drive(array, rated_switch::PORT_ANNOUNCE, &[number]);
            self.announcement = match node + 1 < u64::from(self.graph.nodes()) {
                true => (round, node + 1),
                false => (round + 1, 0),
            };
        }
    }

    /// The next packet of a flow.
    fn send_later(&mut self, flow: u32) {
        if let Some(clock) = self.sources[flow as usize].next() {
            self.sends.push(Reverse((clock, flow)));
        }
    }

    /// The words to write from this cycle on.
    fn writing(&self, tables: Tables) -> Writing {
        let old = &self.tables[1 - self.in_force];
        let entries = self.graph.processors().map(|destination| {
            let nodes = 0..self.graph.nodes();
            let entry = |node| {
                let hop = tables.next(node, destination)?;
                let is_new = old.next(node, destination) != Some(hop);
                is_new.then(|| (node, rated::link_of(self.graph, hop) as u8))
            };
            nodes.filter_map(entry).collect()
        });
        Writing {
            from: self.engine.cycle(),
            entries: entries.collect(),
            tables,
        }
    }

    /// Gives chips the entries of a cycle.
    fn write(&mut self, writing: &Writing, cycle: u64) {
        let destination = (cycle - writing.from) as usize;
        for &(node, link) in &writing.entries[destination] {
            let (array, instance) = rated::instance(self.graph, node);
            let entry = table_entry(destination as u16, link);
            let port = rated_switch::PORT_TABLE_WRITE;
            self.engine.drive(array, port, &[(instance as u32, entry)]);
        }
    }

    /// Tables of the fewest clocks, as far as is known in a cycle.
    fn tables_of_waiting(&self, cycle: u64) -> Tables {
        let links = self.links;
        let mut costs = idle_costs(self.graph, links.packet_bytes, links.delay_clocks);
        for node in 0..self.graph.nodes() {
            let (array, instance) = rated::instance(self.graph, node);
            for (link, arc) in self.graph.arcs(node).iter().enumerate() {
                let value = |port: OfLink| self.engine.value(array, port.port(link), instance);
                let is_busy = value(OfLink::FreeCycle) >= cycle;
                let ahead = value(OfLink::Waiting) + u64::from(is_busy);
                let wires = self.graph.links()[arc.hop.link as usize].capacity;
                let clocks = ahead * packet_clocks(links.packet_bytes, wires);
                costs[arc.hop.index()] += clocks as u32;
            }
        }
        Tables::new(self.graph, Some(&costs), self.seed)
    }

    /// Gives processors what flows send, a packet a clock.
    fn hand_over(&mut self, clock: u64) {
        while let Some(&Reverse((at, flow))) = self.sends.peek()
            && at == clock
        {
            self.sends.pop();
            self.outcome.offered += 1;
            let source = self.load.flows[flow as usize].source;
            let pending = &mut self.pending[source as usize];
            pending.push_back((clock, flow));
            self.send_later(flow);
            if !self.busy.contains(&source) {
                self.busy.push(source);
            }
        }
        let mut busy = std::mem::take(&mut self.busy);
        busy.retain(|&source| {
            let next = self.pending[source as usize].pop_front();
            let word = next.map_or(0, |(sent, flow)| self.packet(sent, flow).word());
            let port = rated_switch::PORT_TX;
            self.engine.drive(PROCESSORS, port, &[(source, word)]);
            next.is_some()
        });
        self.busy = busy;
    }

    /// The packet that a flow sent in a clock.
    fn packet(&mut self, sent: u64, flow: u32) -> RatedPacket {
        let number = self.made % NUMBERS;
        self.made += 1;
        match self.sent.get_mut(number) {
            Some(before) => *before = sent,
            None => self.sent.push(sent),
        }
        RatedPacket {
            kind: RatedKind::Data,
            number: number as u32,
            flow: flow as u16,
            destination: self.load.flows[flow as usize].destination as u16,
            hops: 0,
        }
    }

    /// Takes what has come to processors.
    fn receive(&mut self, cycle: u64) {
        let mut came = std::mem::take(&mut self.came);
        came.clear();
        self.engine
            .raised(PROCESSORS, rated_switch::PORT_RX_LINKS, &mut came);
        for &processor in &came {
            for link in 0..self.graph.arcs(processor).len() {
                let port = OfLink::Rx.port(link);
                let word = self.engine.value(PROCESSORS, port, processor as usize);
                if let Some(packet) = RatedPacket::of(word) {
                    let sent = self.sent[packet.number as usize];
                    self.outcome.delivered += 1;
                    self.outcome.delay_clocks += cycle - self.first_cycle - sent;
                    self.outcome.hops += u64::from(packet.hops);
                }
            }
        }
        self.came = came;
    }
}
