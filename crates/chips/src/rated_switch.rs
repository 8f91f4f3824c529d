//! `rated_switch`: a node of a packet-switched network whose links have rates and delays; a
//! register-level model without Verilog.
//!
//! Source: Chen & Sha, section 5: links of 0.1 Mb/s and multiples of it with delays of 10 ms,
//! queues of 40 packets, stochastic fair queueing. Packets are stored and forwarded.
//!
//! A packet is on the wire for a clock at the far end of its link: when its final bit has come.
//! From the clock in which an output takes it up it occupies the link for
//! `link_N_packet_clocks`, and comes `link_N_delay_clocks` after that. What finds the link occupied
//! waits in the queue of the output, or is lost where [`queue`] has no place. In a clock, outputs
//! that came free take what waits first; then packets that come in are passed on, link by link
//! from 0; then that of the host; then the node's own announcement.
//!
//! The table has an output for each destination. There are two: `table_in_force` says which is
//! read, and the host writes the other, an entry a clock.
//!
//! # Routing traffic
//!
//! Every node, processor or switch, can announce itself to all others, as routers do that know the
//! state of all links: when the host gives `announce` a new number, the node sends an announcement
//! on each of its links. A node acknowledges each one that comes, on the link that it came by. If
//! it has a higher number than the last one of that origin, the node sends it on by all other
//! links. Announcements and acknowledgements occupy links for clocks of their own and wait in the
//! queues of the packets. They are not sent again when they are lost: assumed, as the paper gives
//! no protocol.
//!
//! Between packets there is nothing to do, and the chip sleeps until the next one has come or an
//! output that someone waits for is free ([`Model::due`]).

pub mod queue;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use self::queue::FairQueue;
use super::ports::{chip, index, link_ports, model_types};
use super::{ChipPins, Model, RandomPins};
use crosswave_base::random::splitmix;

/// Link ports.
pub const LINKS: usize = 10;

/// The content of a packet, by which it occupies links for more or fewer clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RatedKind {
    /// A message between processors.
    Data,
    /// The state of a node, for all others.
    Announcement,
    /// The answer to it, for the other end of the link.
    Acknowledgement,
}

impl RatedKind {
    /// All, in the order of their codes.
    pub const ALL: [RatedKind; 3] = [
        RatedKind::Data,
        RatedKind::Announcement,
        RatedKind::Acknowledgement,
    ];
}

/// A packet of messages between hosts, on a wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RatedPacket {
    /// Its content.
    pub kind: RatedKind,
    /// Data: its number, below 2^22, for those who look at it. Routing traffic: the cycle in which
    /// this node sent it, modulo 2^22.
    pub number: u32,
    /// The flow that it belongs to, which fair queues go by, or the node that is announced.
    pub flow: u16,
    /// The processor that it is for, or the number of the announcement.
    pub destination: u16,
    /// Links that it has passed, below 128.
    pub hops: u8,
}

/// Bit of a wire that says there is a packet.
const VALID: u64 = 1 << 63;

/// Bits of a packet's number.
pub const NUMBER_BITS: u32 = 22;

/// The bits of a packet's number.
const NUMBER_MASK: u64 = (1 << NUMBER_BITS) - 1;

impl RatedPacket {
    /// The word on a wire: valid in bit 63, hops from 56 on, the destination from 40 on, the flow
    /// from 24 on, the kind from 22 on, the number below.
    pub fn word(self) -> u64 {
        VALID
            | u64::from(self.hops & 0x7f) << 56
            | u64::from(self.destination) << 40
            | u64::from(self.flow) << 24
            | (self.kind as u64) << NUMBER_BITS
            | u64::from(self.number) & NUMBER_MASK
    }

    /// The packet of a word; `None` at rest.
    pub fn of(word: u64) -> Option<RatedPacket> {
        let kind = RatedKind::ALL.get((word >> NUMBER_BITS & 3) as usize);
        let kind = *kind.filter(|_| word & VALID != 0)?;
        Some(RatedPacket {
            kind,
            number: (word & NUMBER_MASK) as u32,
            flow: (word >> 24) as u16,
            destination: (word >> 40) as u16,
            hops: (word >> 56) as u8 & 0x7f,
        })
    }
}

/// The word written at `table_write` to say that a destination is reached by an output.
pub fn table_entry(destination: u16, link: u8) -> u64 {
    1 << 24 | u64::from(link) << 16 | u64::from(destination)
}

/// Ports of a link: its own and those of its words.
macro_rules! rated_link {
    ($link:literal, $name:literal) => {
        join::<PER_LINK>(&[
            &option(
                concat!($name, "_packet_clocks"),
                32,
                "clocks that a packet occupies the link",
            ),
            &option(
                concat!($name, "_announcement_clocks"),
                32,
                "clocks that an announcement occupies the link",
            ),
            &option(
                concat!($name, "_acknowledgement_clocks"),
                32,
                "clocks that an acknowledgement occupies the link",
            ),
            &option(
                concat!($name, "_delay_clocks"),
                32,
                "clocks from there to the far end",
            ),
            &host_output(
                concat!($name, "_waiting"),
                16,
                "packets that wait for the link",
            ),
            &host_output(
                concat!($name, "_free_cycle"),
                64,
                "cycle from which the link is free of the last packet",
            ),
            &host_output(
                concat!($name, "_rx"),
                64,
                "packet for this node that came by the link",
            ),
            &link_ports! { $link, $name:
                Input("_in", 64, 0, "a packet that comes");
                Output("_out", 64, 0, "a packet that goes");
            },
        ])
    };
}

/// Ports of a link.
const PER_LINK: usize = 9;
/// Ports in front of those of links.
const OWN: usize = index(&PORTS, "link_0_packet_clocks");

chip! {
    name: rated_switch,
    links: [
        "link_0", "link_1", "link_2", "link_3", "link_4", "link_5", "link_6", "link_7", "link_8",
        "link_9",
    ],
    words: &[],
    sources: [],
    ports {
        option("is_processor", 1, "packets end here") => pub PORT_IS_PROCESSOR, is_processor: bool;
        option("address", 16, "number of the processor") => pub PORT_ADDRESS, address: u16;
        option("queue_packets", 16, "packets that wait for a link at most")
            => pub PORT_QUEUE_PACKETS, queue_packets: u16;
        option("buckets", 16, "buckets of a stochastic fair queue; 1: first come, first served")
            => pub PORT_BUCKETS, buckets: u16;
        option("queue_key", 64, "key of the hash of flows") => pub PORT_QUEUE_KEY, queue_key: u64;
        host_input("table_in_force", 1, "which of two tables is read; the other one is written")
            => pub PORT_TABLE_IN_FORCE, table_in_force: bool;
        host_input("table_write", 25, "an entry: destination, link from bit 16 on, valid in bit 24")
            => pub PORT_TABLE_WRITE, table_write: u32;
        host_input("tx", 64, "a packet of this node") => pub PORT_TX, tx: u64;
        host_input("announce", 16, "number of the node's latest announcement; 0: none so far")
            => pub PORT_ANNOUNCE, announce: u16;
        host_output("lost", 32, "packets of processors that found no place, so far") => pub PORT_LOST;
        host_output("announcements", 32, "announcements that came, so far")
            => pub PORT_ANNOUNCEMENTS;
        host_output("acknowledgements", 32, "acknowledgements that came, so far")
            => pub PORT_ACKNOWLEDGEMENTS;
        host_output("routing_lost", 32, "announcements and acknowledgements that found no place")
            => pub PORT_ROUTING_LOST;
        host_output("routing_clocks", 64, "clocks over the last link of those that came, added up")
            => pub PORT_ROUTING_CLOCKS;
        host_output("rx_links", 10, "links by which packets for this node came")
            => pub PORT_RX_LINKS;
        rated_link!(0, "link_0");
        rated_link!(1, "link_1");
        rated_link!(2, "link_2");
        rated_link!(3, "link_3");
        rated_link!(4, "link_4");
        rated_link!(5, "link_5");
        rated_link!(6, "link_6");
        rated_link!(7, "link_7");
        rated_link!(8, "link_8");
        rated_link!(9, "link_9");
    }
    /// Pins of an instance, apart from those of its links.
    struct OwnPins;
}

/// A port that every link has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfLink {
    /// Clocks that a packet occupies it.
    PacketClocks,
    /// Clocks that an announcement occupies it.
    AnnouncementClocks,
    /// Clocks that an acknowledgement occupies it.
    AcknowledgementClocks,
    /// Clocks from there to the far end.
    DelayClocks,
    /// Packets that wait for it.
    Waiting,
    /// Cycle from which it is free.
    FreeCycle,
    /// A packet for this node.
    Rx,
}

impl OfLink {
    /// The index of the port of a link.
    pub const fn port(self, link: usize) -> usize {
        OWN + PER_LINK * link + self as usize
    }

    /// The port of an index, and its link.
    fn of(port: usize) -> Option<(OfLink, usize)> {
        const ALL: [OfLink; 7] = [
            OfLink::PacketClocks,
            OfLink::AnnouncementClocks,
            OfLink::AcknowledgementClocks,
            OfLink::DelayClocks,
            OfLink::Waiting,
            OfLink::FreeCycle,
            OfLink::Rx,
        ];
        let at = port.checked_sub(OWN)?;
        Some((*ALL.get(at % PER_LINK)?, at / PER_LINK))
    }
}

/// Configuration of an instance, and what its host drives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pins {
    own: OwnPins,
    /// Options of links, by option and link: clocks of each kind of packet, and the delay. Clocks
    /// are 0 where there is no link.
    clocks: [[u32; LINKS]; OfLink::Waiting as usize],
}

impl ChipPins for Pins {
    fn set(&mut self, port: usize, value: u64) {
        match OfLink::of(port) {
            Some((of, link)) => self.clocks[of as usize][link] = value as u32,
            None => self.own.set(port, value),
        }
    }

    fn get(&self, port: usize) -> u64 {
        match OfLink::of(port) {
            Some((of, link)) => self.clocks[of as usize][link].into(),
            None => self.own.get(port),
        }
    }
}

/// An output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct LinkSender {
    queue: FairQueue<u64>,
    /// Cycle from which the link is free.
    free_cycle: u64,
    /// Packets on the link, with the cycles in which the far end has them.
    flying: VecDeque<(u64, u64)>,
}

/// Registers beside those that drive links.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// One for each link, once there was something to do.
    senders: Vec<LinkSender>,
    tables: [Vec<u8>; 2],
    lost: u32,
    /// The number of this node's last announcement, and of those of other nodes, by node.
    announced: u16,
    heard: Vec<u16>,
    announcements: u32,
    acknowledgements: u32,
    routing_lost: u32,
    routing_clocks: u64,
    rx: [u64; LINKS],
    due: Option<u64>,
}

/// The model.
#[derive(Debug)]
pub struct RatedSwitch;

impl State {
    /// Makes the queues, whose sizes are pins.
    fn start(&mut self, pins: &Pins) {
        let links = 0..LINKS as u64;
        let senders = links.map(|link| LinkSender {
            queue: FairQueue::new(
                pins.own.buckets.into(),
                pins.own.queue_packets.into(),
                link_key(pins.own.queue_key, link),
            ),
            free_cycle: 0,
            flying: VecDeque::new(),
        });
        self.senders = senders.collect();
    }

    /// A packet occupies a link from this cycle on.
    fn transmit(&mut self, pins: &Pins, link: usize, word: u64, cycle: u64) {
        let Some(mut packet) = RatedPacket::of(word) else {
            return;
        };
        packet.hops += 1;
        let sender = &mut self.senders[link];
        let clocks = pins.clocks[packet.kind as usize][link];
        sender.free_cycle = cycle + u64::from(clocks);
        let comes = sender.free_cycle + u64::from(pins.clocks[OfLink::DelayClocks as usize][link]);
        sender.flying.push_back((comes, packet.word()));
    }

    /// A packet is to leave by a link, at once or later; false when it is lost.
    fn send(&mut self, pins: &Pins, link: usize, packet: RatedPacket, cycle: u64) -> bool {
        let sender = &mut self.senders[link];
        if sender.free_cycle <= cycle {
            self.transmit(pins, link, packet.word(), cycle);
            return true;
        }
        let flow = (packet.kind as u64) << 16 | u64::from(packet.flow);
        sender.queue.push(flow, packet.word())
    }

    /// A packet that does not end here goes on.
    fn forward(&mut self, pins: &Pins, packet: RatedPacket, cycle: u64) {
        let table = &self.tables[usize::from(pins.own.table_in_force)];
        let link = table.get(usize::from(packet.destination)).copied();
        let Some(link) = link.map(usize::from).filter(|&link| link < LINKS) else {
            self.lost += 1;
            return;
        };
        if !self.send(pins, link, packet, cycle) {
            self.lost += 1;
        }
    }

    /// Sends an announcement by all links but the one that it came by.
    fn flood(&mut self, pins: &Pins, from: Option<usize>, packet: RatedPacket, cycle: u64) {
        let links = pins.clocks[RatedKind::Announcement as usize];
        for (link, &clocks) in links.iter().enumerate() {
            if clocks != 0 && from != Some(link) {
                let sent = self.send(pins, link, packet, cycle);
                self.routing_lost += u32::from(!sent);
            }
        }
    }

    /// The number of the last announcement of a node.
    fn last_of(&mut self, node: u16) -> &mut u16 {
        let node = usize::from(node);
        if self.heard.len() <= node {
            self.heard.resize(node + 1, 0);
        }
        &mut self.heard[node]
    }

    /// Sends this node's announcement when the host has given it a number.
    fn announce(&mut self, pins: &Pins, cycle: u64) {
        if pins.own.announce == self.announced {
            return;
        }
        self.announced = pins.own.announce;
        *self.last_of(pins.own.address) = self.announced;
        let packet = RatedPacket {
            kind: RatedKind::Announcement,
            number: (cycle & NUMBER_MASK) as u32,
            flow: pins.own.address,
            destination: self.announced,
            hops: 0,
        };
        self.flood(pins, None, packet, cycle);
    }

    /// An announcement or an acknowledgement has come by a link.
    fn hear(&mut self, pins: &Pins, link: usize, packet: RatedPacket, cycle: u64) {
        self.routing_clocks += cycle.wrapping_sub(packet.number.into()) & NUMBER_MASK;
        if packet.kind == RatedKind::Acknowledgement {
            self.acknowledgements += 1;
            return;
        }
        self.announcements += 1;
        let now = RatedPacket {
            number: (cycle & NUMBER_MASK) as u32,
            hops: 0,
            ..packet
        };
        let answer = RatedPacket {
            kind: RatedKind::Acknowledgement,
            ..now
        };
        let sent = self.send(pins, link, answer, cycle);
        self.routing_lost += u32::from(!sent);
        let last = self.last_of(packet.flow);
        if *last < packet.destination {
            *last = packet.destination;
            self.flood(pins, Some(link), now, cycle);
        }
    }

    fn write(&mut self, pins: &Pins) {
        if pins.own.table_write >> 24 & 1 == 0 {
            return;
        }
        let table = &mut self.tables[usize::from(!pins.own.table_in_force)];
        let destination = usize::from(pins.own.table_write as u16);
        if table.len() <= destination {
            table.resize(destination + 1, u8::MAX);
        }
        table[destination] = (pins.own.table_write >> 16) as u8;
    }
}

/// The key of the hash of flows at a link of a node.
pub fn link_key(node_key: u64, link: u64) -> u64 {
    splitmix(node_key ^ link)
}

impl Model for RatedSwitch {
    model_types!(State, Pins, [u64; LINKS]);

    fn step(state: &mut State, pins: &Pins, random: &impl RandomPins, words: &mut [u64]) -> bool {
        let cycle = random.cycle();
        if state.senders.is_empty() {
            state.start(pins);
        }
        state.write(pins);
        for link in 0..LINKS {
            let sender = &mut state.senders[link];
            if sender.free_cycle <= cycle
                && let Some(word) = sender.queue.pop()
            {
                state.transmit(pins, link, word, cycle);
            }
        }
        state.rx = [0; LINKS];
        for (link, &word) in words.iter().enumerate() {
            let Some(packet) = RatedPacket::of(word) else {
                continue;
            };
            if packet.kind != RatedKind::Data {
                state.hear(pins, link, packet, cycle);
                continue;
            }
            match pins.own.is_processor && packet.destination == pins.own.address {
                true => state.rx[link] = word,
                false => state.forward(pins, packet, cycle),
            }
        }
        if let Some(packet) = RatedPacket::of(pins.own.tx) {
            state.forward(pins, packet, cycle);
        }
        state.announce(pins, cycle);
        state.due = None;
        for (word, sender) in words.iter_mut().zip(&mut state.senders) {
            *word = match sender.flying.front() {
                Some(&(comes, word)) if comes == cycle + 1 => {
                    sender.flying.pop_front();
                    word
                }
                _ => 0,
            };
            let comes = sender.flying.front().map(|flying| flying.0 - 1);
            let frees = (!sender.queue.is_empty()).then_some(sender.free_cycle);
            let first = comes.into_iter().chain(frees).min();
            state.due = state.due.into_iter().chain(first).min();
        }
        // A received packet is shown for one clock.
        state.rx.iter().any(|&word| word != 0)
    }

    fn due(state: &State) -> Option<u64> {
        state.due
    }

    fn output(state: &State, port: usize) -> u64 {
        match port {
            PORT_LOST => state.lost.into(),
            PORT_ANNOUNCEMENTS => state.announcements.into(),
            PORT_ACKNOWLEDGEMENTS => state.acknowledgements.into(),
            PORT_ROUTING_LOST => state.routing_lost.into(),
            PORT_ROUTING_CLOCKS => state.routing_clocks,
            PORT_RX_LINKS => {
                let came = state.rx.iter().enumerate();
                came.map(|(link, &word)| u64::from(word != 0) << link).sum()
            }
            _ => match OfLink::of(port) {
                Some((OfLink::Rx, link)) => state.rx[link],
                Some((OfLink::Waiting, link)) => {
                    let sender = state.senders.get(link);
                    sender.map_or(0, |sender| sender.queue.len() as u64)
                }
                Some((OfLink::FreeCycle, link)) => state
                    .senders
                    .get(link)
                    .map_or(0, |sender| sender.free_cycle),
                _ => 0,
            },
        }
    }
}
