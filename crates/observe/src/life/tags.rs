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
//! In networks of paths the flits from one cycle of silence to the next are one attempt (`paths`).
//!
//! Cost: a few bits of every output in every cycle, 64 routers to a word, and some steps for each
//! flit on a wire.

mod paths;
mod standing;

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use smallvec::SmallVec;

use super::record::{
    AttemptRecord, Breakdown, EndOfAttempt, HopRecord, LifeSink, MessageLife, NO_OUTPUT,
    PacketNumber,
};
use super::under_way::{Slots, WireEnds};
use crosswave_network::topology::{FlitMark, FlitPorts, NODES, TaggedFlits, Topology};
use crosswave_network::{Fabric, LinkPort};
use crosswave_probe::engine::Engine;
use crosswave_probe::message::{MessageEvent, MessageRecord, NEVER};
use crosswave_run::observer::Observer;
use standing::Paths;

/// A flit that an output offers and that is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OfferedFlit {
    /// The output.
    pub(super) from: LinkPort,
    /// Its virtual channel.
    pub(super) vc: u8,
    /// Its message, where that is known.
    pub(super) message: Option<u32>,
}

/// Bits of the flit at an output.
fn bits(engine: &dyn Engine, ports: &FlitPorts, from: LinkPort, range: &Range<usize>) -> u64 {
    range.clone().zip(0..).fold(0, |value, (at, bit)| {
        let part = engine.value(from.array, ports.data[at / 64], from.instance);
        value | (part >> (at % 64) & 1) << bit
    })
}

/// True when the flit at an output has a mark.
fn is_marked(engine: &dyn Engine, ports: &FlitPorts, from: LinkPort, mark: &FlitMark) -> bool {
    mark.values.contains(&bits(engine, ports, from, &mark.bits))
}

/// Follows all messages of one replicate, alone on its engine.
pub struct TagFollower<'a, S: LifeSink> {
    topology: &'a dyn Topology,
    fabric: &'a Fabric,
    /// The number of the first router of each array; `None` of other chips.
    first_router: Vec<Option<u32>>,
    wires: WireEnds,
    flits: Arc<TaggedFlits>,
    /// The message whose flits move at each output of each router and node, in each virtual channel,
    /// from its head on, and how many are to come where heads say so.
    open: Vec<Vec<Option<(u32, u64)>>>,
    /// The cycle in which a flit of a message moved last at each of these; [`NEVER`] where none has.
    pub(super) moved: Vec<Vec<u64>>,
    packets: Slots<AttemptRecord>,
    /// The packet of each message that is under way.
    under_way: BTreeMap<u32, u32>,
    /// Paths, where messages are these.
    paths: Paths,
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
        let channel_bits = flits.vc.as_ref().map_or(0, Range::len);
        let open = fabric
            .arrays
            .iter()
            .map(|array| vec![None; (array.instances * array.chip.links.len()) << channel_bits]);
        let open: Vec<Vec<_>> = open.collect();
        let moved = open.iter().map(|of| vec![NEVER; of.len()]).collect();
        TagFollower {
            topology,
            fabric,
            first_router: (0..fabric.arrays.len())
                .map(|array| Some(fabric.router_number(array, 0)? as u32))
                .collect(),
            wires: WireEnds::of(fabric),
            flits: Arc::new(flits),
            open,
            moved,
            packets: Slots::default(),
            under_way: BTreeMap::new(),
            paths: Paths::default(),
            moving: Vec::new(),
            cycle: 0,
            sink,
            error: None,
        }
    }

    /// Ends the records, those of packets that are under way too, and gives back the sink.
    pub(super) fn finish(mut self) -> io::Result<S> {
        self.end_paths(true);
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

    /// The number of the router of an output.
    fn router(&self, at: LinkPort) -> Option<u32> {
        Some(self.first_router[at.array]? + at.instance as u32)
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
                    .any(|hop| hop.output == NO_OUTPUT && self.router(from) == Some(hop.router)),
            }
        };
        let (last, _) = self.under_way.last_key_value()?;
        let step = usize::try_from(count).unwrap_or(usize::MAX);
        let ids = (u32::try_from(number).ok()?..=*last).step_by(step);
        let mut ids = ids.filter(|id| self.under_way.contains_key(id));
        ids.find(|&id| is_here(id))
    }

    /// The number of an output and a virtual channel among those of its array.
    fn place(&self, from: LinkPort, vc: u8) -> usize {
        let links = self.fabric.arrays[from.array].chip.links.len();
        ((from.instance * links + from.link) << self.channel_bits()) | usize::from(vc)
    }

    /// The output of a router at which the rejection of a message came back last, and the cycle, for each
    /// message whose source was not told of it.
    pub(super) fn nacks_under_way(&self) -> BTreeMap<u32, (LinkPort, u64)> {
        self.paths.nacks.clone()
    }

    /// Bits of the number of a virtual channel.
    pub(super) fn channel_bits(&self) -> usize {
        self.flits.vc.as_ref().map_or(0, Range::len)
    }

    /// The virtual channel of the flit at an output, and true if it is a head.
    fn kind(&self, engine: &dyn Engine, ports: &FlitPorts, from: LinkPort) -> (u8, bool) {
        let vc = self.flits.vc.as_ref();
        let vc = vc.map_or(0, |vc| bits(engine, ports, from, vc) as u8);
        let is_head = match &self.flits.head {
            Some(mark) => is_marked(engine, ports, from, mark),
            None => self.open[from.array][self.place(from, vc)].is_none(),
        };
        (vc, is_head)
    }

    /// The flits that outputs of routers and nodes offer in the engine's cycle and that are not taken.
    /// They show only where links have ready signals.
    pub(super) fn offered(&self, engine: &dyn Engine) -> Vec<OfferedFlit> {
        let mut offered = Vec::new();
        for array in self.fabric.router_arrays().chain([NODES]) {
            let of_array = &self.fabric.arrays[array];
            for (instance, link) in (0..of_array.instances).flat_map(|instance| {
                (0..of_array.chip.links.len()).map(move |link| (instance, link))
            }) {
                let from = LinkPort {
                    array,
                    instance,
                    link,
                };
                let shows = |port| engine.value(array, port, instance) == 1;
                let Some(ports) = &self.flits.outputs[array][link] else {
                    continue;
                };
                if !shows(ports.valid) || ports.ready.is_none_or(shows) {
                    continue;
                }
                let (vc, is_head) = self.kind(engine, ports, from);
                let begun = self.open[array][self.place(from, vc)];
                let message = match (is_head, begun) {
                    (true, _) => {
                        let number = bits(engine, ports, from, &self.flits.message);
                        self.message_of(number, from)
                    }
                    (false, begun) => begun.map(|(id, _)| id),
                };
                offered.push(OfferedFlit { from, vc, message });
            }
        }
        offered
    }

    /// Takes in a flit that moves from an output.
    fn flit(&mut self, engine: &dyn Engine, ports: &FlitPorts, from: LinkPort) {
        if self.flits.is_path {
            self.path_flit(engine, ports, from);
            return;
        }
        let bits = |range: &Range<usize>| bits(engine, ports, from, range);
        let (vc, is_head) = self.kind(engine, ports, from);
        let place = self.place(from, vc);
        let begun = self.open[from.array][place];
        let (id, left) = match (is_head, begun) {
            (false, Some((id, left))) => (id, left),
            (false, None) => return,
            (true, _) => {
                let left = self.flits.length.as_ref().map_or(0, &bits);
                let number = bits(&self.flits.message);
                let Some(id) = self.message_of(number, from) else {
                    return;
                };
                self.leave(id, from, vc);
                (id, left)
            }
        };
        let is_last = match (&self.flits.tail, &self.flits.length) {
            (Some(mark), _) => is_marked(engine, ports, from, mark),
            (None, Some(_)) => left == 0,
            (None, None) => true,
        };
        self.moved[from.array][place] = self.cycle;
        self.open[from.array][place] = match is_last {
            true => None,
            false => Some((id, left.saturating_sub(1))),
        };
        if is_last && from.array != NODES {
            self.free(id, from);
        }
    }

    /// Takes the head of a packet from an output to the end of the wire there.
    fn leave(&mut self, id: u32, from: LinkPort, vc: u8) {
        let slot = self.under_way[&id];
        let cycle = self.cycle;
        let router = self.router(from);
        let end = self.wires.end(from);
        let input = end.and_then(|(clocks, to)| Some((clocks, self.router(to)?, to.link as u8)));
        let packet = &mut self.packets[slot];
        if let Some(router) = router {
            let mut hops = packet.hops.iter_mut().rev();
            let hop = hops.find(|hop| hop.router == router && hop.output == NO_OUTPUT);
            let Some(hop) = hop else {
                return;
            };
            hop.output = from.link as u8;
            hop.left_cycle = cycle;
        }
        match (input, end) {
            (Some((clocks, router, input)), _) => {
                let hop = HopRecord {
                    router,
                    input,
                    output: NO_OUTPUT,
                    vc,
                    arrived_cycle: cycle + clocks,
                    left_cycle: NEVER,
                    freed_cycle: NEVER,
                };
                // One that a router did not take comes again.
                let again = |last: &&mut HopRecord| {
                    (last.router, last.input, last.output) == (router, input, NO_OUTPUT)
                };
                match packet.hops.last_mut().filter(again) {
                    Some(last) => *last = hop,
                    None => packet.hops.push(hop),
                }
            }
            // One that came to another node has not come.
            (None, Some((clocks, to)))
                if self.topology.node_of_instance(to.instance) == packet.destination =>
            {
                packet.reached_cycle = cycle + clocks;
            }
            (None, _) => {}
        }
    }

    /// Takes in that the final flit of a packet has left a router.
    fn free(&mut self, id: u32, from: LinkPort) {
        let Some(&slot) = self.under_way.get(&id) else {
            return;
        };
        let router = self.router(from);
        let here =
            |hop: &&mut HopRecord| Some(hop.router) == router && hop.output == from.link as u8;
        if let Some(hop) = self.packets[slot].hops.iter_mut().rev().find(here) {
            hop.freed_cycle = self.cycle + 1;
        }
    }

    /// Begins the packet of a message.
    fn launch(&mut self, instance: u32, id: u32, attempt: u32, destination: u32) {
        let slot = self.packets.insert(AttemptRecord {
            id,
            attempt,
            packet: Some(PacketNumber {
                number: attempt,
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
        // Routers with mistakes can bring a packet with the number of a message before it is sent.
        let entered = packet
            .hops
            .first()
            .map_or(packet.launched_cycle, |hop| hop.arrived_cycle);
        let between = |from: u64, to: u64| to.saturating_sub(from);
        let waited = packet.waited_in_all() + between(packet.launched_cycle, entered);
        let breakdown = Breakdown {
            source: between(message.offered_cycle, packet.launched_cycle),
            blocked: waited,
            backoff: 0,
            header: between(packet.launched_cycle, reached).saturating_sub(waited),
            body: between(reached, message.delivered_cycle),
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
        let Some(ports) = &flits.outputs[NODES][0] else {
            return;
        };
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
        for (link, ports) in flits.outputs[array].iter().enumerate() {
            let Some(ports) = ports else {
                continue;
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
        for array in self.fabric.router_arrays() {
            self.outputs(engine, array);
        }
        self.outputs(engine, NODES);
        if self.flits.is_path {
            self.nacks(engine);
            self.end_paths(false);
        }
    }

    fn follows_messages(&self) -> bool {
        true
    }

    fn message(&mut self, engine: &dyn Engine, _: usize, event: MessageEvent) {
        match event {
            MessageEvent::Launched {
                instance,
                id,
                attempt,
                destination,
                offered_cycle,
                ..
            } => {
                self.launch(instance, id, attempt, destination);
                if self.flits.is_path {
                    self.begin_attempt(id, offered_cycle);
                }
                // Its head may move in this cycle, in which it was none's.
                self.node_output(engine, instance as usize);
            }
            MessageEvent::Acknowledged { id, message, .. } if self.flits.is_path => {
                self.path_came(id, message);
            }
            MessageEvent::Acknowledged { id, message, .. } => self.acknowledge(id, message),
            MessageEvent::Rejected { id, .. } => self.path_rejected(id),
            MessageEvent::Delivered { .. } => unreachable!("nobody is told of a packet"),
        }
    }

    fn interrupted(&mut self) -> bool {
        self.error.is_some() || self.sink.is_satisfied()
    }
}
