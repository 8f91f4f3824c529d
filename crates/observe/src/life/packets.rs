//! Follows messages whose packets are words.
//!
//! ```text
//! word at an output of an interface ──> a packet begins
//! word at an output of a router     ──> the first one in the queue of the output leaves
//! end of the wire                   ──> joins the queue of its output, or has come
//! router shows a loss               ──> the last ones in the queue, for which there was no room
//! ```
//!
//! Packets have the number of their message, and those of one message have the same. Which one a
//! word is follows from where it was before: a word on a wire is the packet that left at its
//! beginning, and queues are first come, first served. Of packets that come to a router in one
//! cycle, some inputs are first ([`PacketPorts::Words`]). The number on the wire is compared with
//! that of the packet that is expected there.
//!
//! Cost: a bit of every output in every cycle, 64 routers to a word, and some steps for each packet
//! on a wire.

use std::collections::{BTreeMap, VecDeque};
use std::io;

use smallvec::{SmallVec, smallvec};

use super::record::{
    AttemptRecord, Breakdown, Collision, EndOfAttempt, HopRecord, LifeSink, MessageLife, NO_OUTPUT,
    PacketNumber, Rival,
};
use super::under_way::{Slots, WireEnds};
use crosswave_network::topology::{
    NODES, OnPath, PacketPorts, PacketRules, ROUTERS, Topology, WordOutputs,
};
use crosswave_network::traffic::EVERY_NODE;
use crosswave_network::{Fabric, LinkPort};
use crosswave_probe::engine::{Engine, Watched};
use crosswave_probe::message::{MessageEvent, MessageRecord, NEVER};
use crosswave_run::observer::Observer;

/// Clocks in which a router passes a packet that does not wait.
const ROUTER_CYCLES: u64 = 1;

/// A message of which not all packets have come.
#[derive(Debug, Clone, Copy)]
struct Sending {
    source: u32,
    destination: u32,
    /// The number of its way.
    way: u32,
    /// Packets that have been launched.
    packets: u32,
    /// The first of them was on the wire.
    sent_cycle: u64,
}

/// A packet at the end of a wire to a router.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct AtInput {
    router: usize,
    /// The place of the input among those of its router: the lowest is first.
    precedence: usize,
    input: usize,
    slot: u32,
}

/// Link outputs of an array, followed.
#[derive(Debug)]
struct Outputs {
    array: usize,
    valid: Vec<Watched>,
    id: Vec<usize>,
}

/// Follows all messages of one replicate, alone on its engine.
pub struct PacketFollower<'a, S: LifeSink> {
    topology: &'a dyn Topology,
    rules: &'a dyn PacketRules,
    wires: WireEnds,
    outputs: [Outputs; 2],
    /// The place of each input of a router among those of its router.
    precedence: Vec<usize>,
    links: usize,
    /// Packets that wait, or leave with the next edge, for each output of each router.
    queues: Vec<VecDeque<u32>>,
    packets: Slots<AttemptRecord>,
    messages: BTreeMap<u32, Sending>,
    /// Messages of which a packet is on the wire of an interface.
    launching: Vec<(LinkPort, u32)>,
    /// Packets that have come to routers.
    arrived: Vec<AtInput>,
    /// Packets on the wires to interfaces.
    reached: Vec<u32>,
    /// Packets that have come, and whose records are still to be told.
    delivered: Vec<AttemptRecord>,
    /// Packets that leave routers in this cycle, by the place of their queues.
    left: Vec<(usize, u32)>,
    raised: Vec<u32>,
    cycle: u64,
    sink: S,
    error: Option<io::Error>,
}

impl<'a, S: LifeSink> PacketFollower<'a, S> {
    /// Follows the messages of a network, whose rules, fabric and ports are given, and tells a sink.
    ///
    /// # Panics
    /// When packets are rows of flits.
    pub(super) fn new(
        topology: &'a dyn Topology,
        rules: &'a dyn PacketRules,
        fabric: &'a Fabric,
        ports: PacketPorts,
        sink: S,
    ) -> Self {
        let PacketPorts::Words {
            router,
            node,
            precedence: order,
        } = ports
        else {
            unreachable!("packets are words");
        };
        let outputs = |array: usize, ports: WordOutputs| {
            let instances = fabric.arrays[array].instances;
            let valid = ports.valid.iter();
            Outputs {
                array,
                valid: valid
                    .map(|&port| Watched::new(array, port, 1, instances))
                    .collect(),
                id: ports.id,
            }
        };
        let links = order.len();
        let mut precedence = vec![0; links];
        for (place, &input) in order.iter().enumerate() {
            precedence[input] = place;
        }
        PacketFollower {
            topology,
            rules,
            wires: WireEnds::of(fabric),
            outputs: [outputs(ROUTERS, router), outputs(NODES, node)],
            precedence,
            links,
            queues: vec![VecDeque::new(); fabric.arrays[ROUTERS].instances * links],
            packets: Slots::default(),
            messages: BTreeMap::new(),
            launching: Vec::new(),
            arrived: Vec::new(),
            reached: Vec::new(),
            delivered: Vec::new(),
            left: Vec::new(),
            raised: Vec::new(),
            cycle: 0,
            sink,
            error: None,
        }
    }

    /// Ends the records, those of packets that are under way too, and gives back the sink.
    pub(super) fn finish(mut self) -> io::Result<S> {
        self.settle();
        self.tell_delivered();
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let mut left = self.packets.into_left();
        left.sort_by_key(|packet| {
            let number = packet.packet.map_or(0, |packet| packet.number);
            (packet.launched_cycle, packet.id, number)
        });
        for mut packet in left {
            packet.end_with(self.cycle);
            self.sink.attempt(&packet)?;
        }
        Ok(self.sink)
    }

    /// Keeps the first error of the sink.
    fn note(&mut self, told: io::Result<()>) {
        if let Err(error) = told {
            self.error.get_or_insert(error);
        }
    }

    /// Puts what came to routers in the cycle before into the queues.
    fn settle(&mut self) {
        let mut launching = std::mem::take(&mut self.launching);
        for (from, id) in launching.drain(..) {
            self.launch(from, id);
        }
        self.launching = launching;
        let mut arrived = std::mem::take(&mut self.arrived);
        arrived.sort_unstable();
        for at in arrived.drain(..) {
            self.enqueue(at);
        }
        self.arrived = arrived;
    }

    /// Takes in that packets have come that were on the wires to interfaces in the cycle before.
    fn deliver(&mut self) {
        // The interface shows a packet a clock after it was on the wire.
        let mut reached = std::mem::take(&mut self.reached);
        for slot in reached.drain(..) {
            let mut packet = self.packets[slot].clone();
            packet.end = EndOfAttempt::Delivered;
            packet.end_cycle = packet.reached_cycle + 1;
            self.delivered.push(packet);
            self.packets.free(slot);
        }
        self.reached = reached;
    }

    /// Begins a packet of a message, which was on the wire of an interface in the cycle before.
    fn launch(&mut self, from: LinkPort, id: u32) {
        let cycle = self.cycle;
        let message = self.messages.get_mut(&id).expect("it is launched");
        if message.packets == 0 {
            message.sent_cycle = cycle;
        }
        message.packets += 1;
        let record = AttemptRecord {
            id,
            attempt: 1,
            packet: Some(PacketNumber {
                number: message.packets,
                router_cycles: ROUTER_CYCLES,
                is_copy: message.destination == EVERY_NODE,
            }),
            source: message.source,
            destination: message.destination,
            launched_cycle: cycle,
            hops: SmallVec::new(),
            reached_cycle: NEVER,
            collision: None,
            end: EndOfAttempt::UnderWay,
            end_cycle: NEVER,
        };
        let slot = self.packets.insert(record);
        self.send(slot, from, cycle);
    }

    /// Takes a packet from an output to the end of the wire there.
    fn send(&mut self, slot: u32, from: LinkPort, cycle: u64) {
        let Some((clocks, to)) = self.wires.end(from) else {
            unreachable!("packets have a way");
        };
        assert_eq!(clocks, 0, "a link takes one clock");
        let packet = &mut self.packets[slot];
        if to.array == NODES {
            packet.reached_cycle = cycle;
            packet.destination = self.topology.node_of_instance(to.instance);
            self.reached.push(slot);
            return;
        }
        packet.hops.push(HopRecord {
            router: to.instance as u32,
            input: to.link as u8,
            output: NO_OUTPUT,
            vc: 0,
            arrived_cycle: cycle,
            left_cycle: NEVER,
            freed_cycle: NEVER,
        });
        self.arrived.push(AtInput {
            router: to.instance,
            precedence: self.precedence[to.link],
            input: to.link,
            slot,
        });
    }

    /// The outputs by which a packet is to leave a router.
    fn wanted(&self, at: AtInput) -> SmallVec<[usize; 2]> {
        let packet = &self.packets[at.slot];
        if packet.destination == EVERY_NODE {
            return self.rules.copies(at.router as u32, at.input);
        }
        let way = self.messages.get(&packet.id).map_or(0, |known| known.way);
        smallvec![self.topology.leaves(OnPath {
            source: packet.source,
            destination: packet.destination,
            chip: packet.hops.len() as u32,
            arrived: at.input,
            draw: false,
            way,
        })]
    }

    /// Puts a packet, or its copies, into the queues of a router.
    fn enqueue(&mut self, at: AtInput) {
        for (number, output) in self.wanted(at).into_iter().enumerate() {
            let slot = match number {
                0 => at.slot,
                _ => {
                    let copy = self.packets[at.slot].clone();
                    self.packets.insert(copy)
                }
            };
            self.queues[at.router * self.links + output].push_back(slot);
        }
    }

    /// Takes the packet on the wire at an output from its queue.
    fn leave(&mut self, router: usize, output: usize, id: u32) {
        let (place, cycle) = (router * self.links + output, self.cycle);
        let slot = self.queues[place].pop_front();
        let slot = slot.expect("who leaves a router has come to it");
        let packet = &mut self.packets[slot];
        assert_eq!(packet.id, id, "queues are first come, first served");
        let hop = packet.hops.last_mut().expect("it is in a router");
        hop.output = output as u8;
        hop.left_cycle = cycle;
        hop.freed_cycle = cycle + 1;
        self.left.push((place, slot));
        let from = LinkPort {
            array: ROUTERS,
            instance: router,
            link: output,
        };
        self.send(slot, from, cycle);
    }

    /// Takes in that a router has lost packets at an output where so many can wait.
    fn lose(&mut self, router: usize, output: usize, waiting: usize) {
        let (place, cycle) = (router * self.links + output, self.cycle);
        if self.queues[place].len() <= waiting {
            return;
        }
        let lost = self.queues[place].split_off(waiting);
        let passing = self.left.iter().find(|(left, _)| *left == place);
        let passing = passing.map(|&(_, slot)| slot);
        let ahead = passing.iter().chain(&self.queues[place]);
        let rivals: SmallVec<[Rival; 2]> = ahead
            .map(|&slot| {
                let packet = &self.packets[slot];
                let here = |hop: &&HopRecord| hop.router == router as u32;
                let hop = packet.hops.iter().rfind(here).expect("it came here");
                Rival {
                    id: packet.id,
                    attempt: packet.attempt,
                    packet: packet.packet.map(|packet| packet.number),
                    input: hop.input,
                    output: output as u8,
                    since_cycle: hop.left_cycle.min(hop.arrived_cycle + ROUTER_CYCLES),
                    freed_cycle: NEVER,
                }
            })
            .collect();
        for slot in lost {
            let packet = &mut self.packets[slot];
            let hop = packet.hops.last_mut().expect("it is in a router");
            hop.freed_cycle = cycle;
            packet.end = EndOfAttempt::Lost;
            packet.end_cycle = cycle;
            packet.collision = Some(Collision {
                cycle,
                wanted: smallvec![output as u8],
                rivals: rivals.clone(),
            });
            let told = self.sink.attempt(&self.packets[slot]);
            self.note(told);
            self.packets.free(slot);
        }
    }

    /// Tells of packets that have come.
    fn tell_delivered(&mut self) {
        let mut delivered = std::mem::take(&mut self.delivered);
        for packet in delivered.drain(..) {
            let told = self.sink.attempt(&packet);
            self.note(told);
        }
        self.delivered = delivered;
    }

    /// Tells of a message, whose last packet has come, and of its packets that came with it.
    fn acknowledge(&mut self, id: u32, mut message: MessageRecord) {
        let sending = self.messages.remove(&id).expect("it was launched");
        message.sent_cycle = sending.sent_cycle;
        let of_message = |packet: &mut AttemptRecord| packet.id == id;
        let packets: Vec<AttemptRecord> = self.delivered.extract_if(.., of_message).collect();
        let breakdown = packets.last().map(|last| {
            let waited = last.waited_in_all();
            Breakdown {
                source: sending.sent_cycle - message.offered_cycle,
                blocked: waited,
                backoff: 0,
                header: last.reached_cycle - last.launched_cycle - waited,
                // The packets before it, and the clock until the interface shows it.
                body: last.launched_cycle - sending.sent_cycle + message.delivered_cycle
                    - last.reached_cycle,
                answer: message.acknowledged_cycle - message.delivered_cycle,
            }
        });
        for packet in &packets {
            let told = self.sink.attempt(packet);
            self.note(told);
        }
        let told = self.sink.message(&MessageLife {
            id,
            message,
            connection: None,
            breakdown,
        });
        self.note(told);
    }
}

impl<S: LifeSink> Observer for PacketFollower<'_, S> {
    fn cycle(&mut self, engine: &dyn Engine, clocked: bool) {
        if !clocked {
            return;
        }
        self.tell_delivered();
        self.settle();
        self.deliver();
        self.cycle = engine.cycle();
        self.left.clear();
        for which in 0..self.outputs.len() {
            let Outputs { array, .. } = self.outputs[which];
            for link in 0..self.outputs[which].id.len() {
                engine.watch(&mut self.outputs[which].valid[link]);
                let id = self.outputs[which].id[link];
                for word in 0..self.outputs[which].valid[link].changed.len() {
                    self.outputs[which].valid[link].changed[word] = 0;
                    let mut lanes = self.outputs[which].valid[link].planes[0][word];
                    while lanes != 0 {
                        let instance = 64 * word + lanes.trailing_zeros() as usize;
                        lanes &= lanes - 1;
                        let id = engine.value(array, id, instance) as u32;
                        let from = LinkPort {
                            array,
                            instance,
                            link,
                        };
                        match array {
                            NODES => self.launching.push((from, id)),
                            _ => self.leave(instance, link, id),
                        }
                    }
                }
            }
        }
        let Some(lost_port) = self.rules.lost_port() else {
            return;
        };
        let mut raised = std::mem::take(&mut self.raised);
        raised.clear();
        engine.raised(ROUTERS, lost_port, &mut raised);
        for &router in &raised {
            let router = router as usize;
            let mut outputs = engine.value(ROUTERS, lost_port, router);
            while outputs != 0 {
                let output = outputs.trailing_zeros() as usize;
                outputs &= outputs - 1;
                let queued = self.rules.queued_ports().get(output);
                let waiting = queued.map_or(0, |&port| engine.value(ROUTERS, port, router));
                self.lose(router, output, waiting as usize);
            }
        }
        self.raised = raised;
    }

    fn follows_messages(&self) -> bool {
        true
    }

    fn message(&mut self, _: &dyn Engine, _: usize, event: MessageEvent) {
        match event {
            MessageEvent::Launched {
                instance,
                id,
                destination,
                way,
                ..
            } => {
                let sending = Sending {
                    source: self.topology.node_of_instance(instance as usize),
                    destination,
                    way,
                    packets: 0,
                    sent_cycle: NEVER,
                };
                self.messages.insert(id, sending);
            }
            MessageEvent::Acknowledged { id, message, .. } => self.acknowledge(id, message),
            MessageEvent::Rejected { .. } | MessageEvent::Delivered { .. } => {
                unreachable!("nobody is told of a packet")
            }
        }
    }

    fn interrupted(&mut self) -> bool {
        self.error.is_some() || self.sink.is_satisfied()
    }
}
