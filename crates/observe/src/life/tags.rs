//! Follows messages by the numbers in their heads, through routers of which nothing else is known.
//!
//! ```text
//! host: a message is launched        ──> its head will pass the output of the node
//! a head moves over a link           ──> the packet has left the router there, and is at the next one
//! the final flit moves over the link ──> the packet has left the router
//! ```
//!
//! Where a head moves, its number says whose it is. The flits after it belong to it up to the final
//! one. A number that belongs to no message under way, as of a head that a router changed, is passed
//! over.
//!
//! Cost: a few bits of every output in every cycle, 64 routers to a word, and some steps for each
//! flit on a wire.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use smallvec::SmallVec;

use super::record::{
    AttemptRecord, Breakdown, EndOfAttempt, HopRecord, LifeSink, MessageLife, NO_OUTPUT,
    PacketNumber,
};
use super::under_way::{Slots, WireEnds};
use crosswave_network::topology::{FlitPorts, NODES, ROUTERS, TaggedFlits, Topology};
use crosswave_network::{Fabric, LinkPort};
use crosswave_probe::engine::Engine;
use crosswave_probe::message::{MessageEvent, MessageRecord, NEVER};
use crosswave_run::observer::Observer;

/// Follows all messages of one replicate, alone on its engine.
pub struct TagFollower<'a, S: LifeSink> {
    topology: &'a dyn Topology,
    fabric: &'a Fabric,
    wires: WireEnds,
    flits: Arc<TaggedFlits>,
    /// The message whose flits move at each output of each router and node, in each virtual channel,
    /// from its head on, and how many are to come where heads say so.
    open: [Vec<Option<(u32, u64)>>; 2],
    packets: Slots<AttemptRecord>,
    /// The packet of each message that is under way.
    under_way: BTreeMap<u32, u32>,
    /// A bit for each instance that has a flit at an output.
    moving: Vec<u64>,
    cycle: u64,
    sink: S,
    error: Option<io::Error>,
}

impl<'a, S: LifeSink> TagFollower<'a, S> {
    /// Follows the messages of a network, whose fabric and ports are given, and tells a sink.
    pub(super) fn new(
        topology: &'a dyn Topology,
        fabric: &'a Fabric,
        flits: TaggedFlits,
        sink: S,
    ) -> Self {
        let channel_bits = flits.vc.as_ref().map_or(0, std::ops::Range::len);
        let open = [ROUTERS, NODES].map(|array| {
            let array = &fabric.arrays[array];
            vec![None; (array.instances * array.chip.links.len()) << channel_bits]
        });
        TagFollower {
            topology,
            fabric,
            wires: WireEnds::of(fabric),
            flits: Arc::new(flits),
            open,
            packets: Slots::default(),
            under_way: BTreeMap::new(),
            moving: Vec::new(),
            cycle: 0,
            sink,
            error: None,
        }
    }

    /// Ends the records, those of packets that are under way too, and gives back the sink.
    pub(super) fn finish(mut self) -> io::Result<S> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let mut left = self.packets.into_left();
        left.sort_by_key(|packet| (packet.launched_cycle, packet.id));
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

    /// The message under way whose head shows a number at an output: of several the one that is there.
    fn message_of(&self, number: u64, from: LinkPort) -> Option<u32> {
        let count = self.flits.messages;
        let is_here = |id: u32| {
            let packet = &self.packets[self.under_way[&id]];
            match from.array {
                NODES => packet.hops.is_empty(),
                _ => packet
                    .hops
                    .iter()
                    .any(|hop| hop.router as usize == from.instance && hop.output == NO_OUTPUT),
            }
        };
        let (last, _) = self.under_way.last_key_value()?;
        let step = usize::try_from(count).unwrap_or(usize::MAX);
        let ids = (u32::try_from(number).ok()?..=*last).step_by(step);
        let mut ids = ids.filter(|id| self.under_way.contains_key(id));
        ids.find(|&id| is_here(id))
    }

    /// Takes in a flit that moves from an output.
    fn flit(&mut self, engine: &dyn Engine, ports: &FlitPorts, from: LinkPort) {
        let value = |ports: &[usize], first: usize, width: usize| {
            (0..width).fold(0, |value, bit| {
                let at = first + bit;
                let part = engine.value(from.array, ports[at / 64], from.instance);
                value | (part >> (at % 64) & 1) << bit
            })
        };
        let bits = |range: &std::ops::Range<usize>| value(&ports.data, range.start, range.len());
        let links = self.fabric.arrays[from.array].chip.links.len();
        let channel = self.flits.vc.as_ref();
        let (channel, of) = channel.map_or((0, 0), |vc| (bits(vc) as usize, vc.len()));
        let place = ((from.instance * links + from.link) << of) | channel;
        let begun = self.open[from.array][place];
        let is_head = match self.flits.head {
            Some(at) => value(&ports.data, at, 1) == 1,
            None => begun.is_none(),
        };
        let (id, left) = match (is_head, begun) {
            (false, Some((id, left))) => (id, left),
            (false, None) => return,
            (true, _) => {
                let left = self.flits.length.as_ref().map_or(0, bits);
                let number = bits(&self.flits.message);
                let Some(id) = self.message_of(number, from) else {
                    return;
                };
                self.leave(id, from);
                (id, left)
            }
        };
        let is_last = match (self.flits.tail, &self.flits.length) {
            (Some(at), _) => value(&ports.data, at, 1) == 1,
            (None, Some(_)) => left == 0,
            (None, None) => true,
        };
        self.open[from.array][place] = match is_last {
            true => None,
            false => Some((id, left.saturating_sub(1))),
        };
        if is_last && from.array == ROUTERS {
            self.free(id, from);
        }
    }

    /// Takes the head of a packet from an output to the end of the wire there.
    fn leave(&mut self, id: u32, from: LinkPort) {
        let slot = self.under_way[&id];
        let cycle = self.cycle;
        let packet = &mut self.packets[slot];
        if from.array == ROUTERS {
            let mut hops = packet.hops.iter_mut().rev();
            let hop =
                hops.find(|hop| hop.router as usize == from.instance && hop.output == NO_OUTPUT);
            let Some(hop) = hop else {
                return;
            };
            hop.output = from.link as u8;
            hop.left_cycle = cycle;
        }
        let Some((clocks, to)) = self.wires.end(from) else {
            return;
        };
        match to.array {
            // One that came to another node has not come.
            NODES if self.topology.node_of_instance(to.instance) != packet.destination => {}
            NODES => packet.reached_cycle = cycle + clocks,
            _ => packet.hops.push(HopRecord {
                router: to.instance as u32,
                input: to.link as u8,
                output: NO_OUTPUT,
                arrived_cycle: cycle + clocks,
                left_cycle: NEVER,
                freed_cycle: NEVER,
            }),
        }
    }

    /// Takes in that the final flit of a packet has left a router.
    fn free(&mut self, id: u32, from: LinkPort) {
        let Some(&slot) = self.under_way.get(&id) else {
            return;
        };
        let here = |hop: &&mut HopRecord| {
            hop.router as usize == from.instance && hop.output == from.link as u8
        };
        if let Some(hop) = self.packets[slot].hops.iter_mut().rev().find(here) {
            hop.freed_cycle = self.cycle + 1;
        }
    }

    /// Begins the packet of a message.
    fn launch(&mut self, instance: u32, id: u32, destination: u32) {
        let slot = self.packets.insert(AttemptRecord {
            id,
            attempt: 1,
            packet: Some(PacketNumber {
                number: 1,
                router_cycles: self.flits.router_cycles,
                is_copy: false,
            }),
            source: self.topology.node_of_instance(instance as usize),
            destination,
            launched_cycle: self.cycle,
            hops: SmallVec::new(),
            reached_cycle: NEVER,
            collision: None,
            end: EndOfAttempt::UnderWay,
            end_cycle: NEVER,
        });
        self.under_way.insert(id, slot);
    }

    /// Tells of a message that has come, and of its packet.
    fn acknowledge(&mut self, id: u32, mut message: MessageRecord) {
        let Some(slot) = self.under_way.remove(&id) else {
            return;
        };
        let packet = &mut self.packets[slot];
        packet.end = EndOfAttempt::Delivered;
        packet.end_cycle = self.cycle;
        message.sent_cycle = packet.launched_cycle;
        // A head that nobody has seen at the end has come at the latest with its tail.
        let reached = packet.reached_cycle.min(message.delivered_cycle);
        packet.reached_cycle = reached;
        let entered = packet
            .hops
            .first()
            .map_or(packet.launched_cycle, |hop| hop.arrived_cycle);
        let waited = packet.waited_in_all() + entered - packet.launched_cycle;
        let breakdown = Breakdown {
            source: packet.launched_cycle - message.offered_cycle,
            blocked: waited,
            backoff: 0,
            header: (reached - packet.launched_cycle).saturating_sub(waited),
            body: message.delivered_cycle - reached,
            answer: message.acknowledged_cycle - message.delivered_cycle,
        };
        let told = self.sink.attempt(&self.packets[slot]);
        self.note(told);
        self.packets.free(slot);
        let told = self.sink.message(&MessageLife {
            id,
            message,
            connection: None,
            breakdown: Some(breakdown),
        });
        self.note(told);
    }

    /// Takes in the flit that moves from a node, if one does.
    fn node_output(&mut self, engine: &dyn Engine, instance: usize) {
        let flits = Arc::clone(&self.flits);
        let ports = &flits.node;
        let shows = |port| engine.value(NODES, port, instance) == 1;
        if shows(ports.valid) && ports.ready.is_none_or(shows) {
            let from = LinkPort {
                array: NODES,
                instance,
                link: 0,
            };
            self.flit(engine, ports, from);
        }
    }

    /// Takes in all flits that move in the cycle from outputs of an array.
    fn outputs(&mut self, engine: &dyn Engine, array: usize) {
        let instances = self.fabric.arrays[array].instances;
        let flits = Arc::clone(&self.flits);
        let mut moving = std::mem::take(&mut self.moving);
        moving.resize(instances.div_ceil(64), 0);
        for link in 0..self.fabric.arrays[array].chip.links.len() {
            let ports = match array {
                NODES => &flits.node,
                _ => &flits.router[link],
            };
            engine.plane(array, ports.valid, 0, instances, &mut moving);
            for (word, lanes) in moving.iter().enumerate() {
                let mut lanes = *lanes;
                while lanes != 0 {
                    let instance = 64 * word + lanes.trailing_zeros() as usize;
                    lanes &= lanes - 1;
                    if instance >= instances {
                        break;
                    }
                    let taken = ports
                        .ready
                        .is_none_or(|ready| engine.value(array, ready, instance) == 1);
                    if taken {
                        let from = LinkPort {
                            array,
                            instance,
                            link,
                        };
                        self.flit(engine, ports, from);
                    }
                }
            }
        }
        self.moving = moving;
        self.moving.clear();
    }
}

impl<S: LifeSink> Observer for TagFollower<'_, S> {
    fn cycle(&mut self, engine: &dyn Engine, clocked: bool) {
        if !clocked {
            return;
        }
        self.cycle = engine.cycle();
        // Routers first: a head passes one link in a cycle.
        self.outputs(engine, ROUTERS);
        self.outputs(engine, NODES);
    }

    fn follows_messages(&self) -> bool {
        true
    }

    fn message(&mut self, engine: &dyn Engine, _: usize, event: MessageEvent) {
        match event {
            MessageEvent::Launched {
                instance,
                id,
                destination,
                ..
            } => {
                self.launch(instance, id, destination);
                // Its head may move in this cycle, in which it was none's.
                self.node_output(engine, instance as usize);
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
