//! Follows messages that are rows of flits through wormhole switches.
//!
//! ```text
//! host: a message is launched   ──> its first flit is at the input at the end of the wire
//! an output has another owner   ──> it is held by the packet in front at that input
//! first flit there              ──> the packet leaves, and is at the input at the end of the wire
//! last flit there               ──> the packet has left the input
//! ```
//!
//! Flits have no number of a message that a switch could read. Whose they are follows from the
//! input that holds the output, and from the order in which packets came to that input.
//!
//! Cost: a few bits of every output in every cycle, 64 routers to a word, and some steps for each
//! flit on a wire.

use std::collections::{BTreeMap, VecDeque};
use std::io;

use smallvec::SmallVec;

use super::record::{
    AttemptRecord, Breakdown, EndOfAttempt, HopRecord, LifeSink, MessageLife, NO_OUTPUT,
    PacketNumber,
};
use super::under_way::{Slots, WireEnds};
use crosswave_network::topology::{NODES, PacketPorts, ROUTERS, Topology};
use crosswave_network::{Fabric, LinkPort};
use crosswave_probe::engine::{Engine, Watched};
use crosswave_probe::message::{MessageEvent, MessageRecord, NEVER};
use crosswave_run::observer::Observer;

/// No input.
const NOBODY: u8 = u8::MAX;

/// Follows all messages of one replicate, alone on its engine.
pub struct FlitFollower<'a, S: LifeSink> {
    topology: &'a dyn Topology,
    wires: WireEnds,
    links: usize,
    router_cycles: u64,
    /// Ports that show, for each output, whether a flit is on its wire, whether that is the last one,
    /// and who owns the output.
    valid: Vec<Watched>,
    last: Vec<usize>,
    owner: Vec<Watched>,
    /// Packets in the order in which they came, for each input of each router.
    inputs: Vec<VecDeque<u32>>,
    /// The input that holds each output of each router.
    holders: Vec<u8>,
    packets: Slots<AttemptRecord>,
    /// The packet of each message that is under way.
    under_way: BTreeMap<u32, u32>,
    cycle: u64,
    sink: S,
    error: Option<io::Error>,
}

impl<'a, S: LifeSink> FlitFollower<'a, S> {
    /// Follows the messages of a network, whose fabric and ports are given, and tells a sink.
    ///
    /// # Panics
    /// When packets are words.
    pub(super) fn new(
        topology: &'a dyn Topology,
        fabric: &'a Fabric,
        ports: PacketPorts,
        sink: S,
    ) -> Self {
        let PacketPorts::Flits {
            valid,
            last,
            owner,
            router_cycles,
        } = ports
        else {
            unreachable!("packets are rows of flits");
        };
        let routers = &fabric.arrays[ROUTERS];
        let links = routers.chip.links.len();
        let watched = |ports: Vec<usize>| {
            let ports = ports.into_iter();
            ports
                .map(|port| {
                    let width = routers.chip.ports[port].width;
                    Watched::new(ROUTERS, port, width, routers.instances)
                })
                .collect()
        };
        FlitFollower {
            topology,
            wires: WireEnds::of(fabric),
            links,
            router_cycles,
            valid: watched(valid),
            last,
            owner: watched(owner),
            inputs: vec![VecDeque::new(); routers.instances * links],
            holders: vec![NOBODY; routers.instances * links],
            packets: Slots::default(),
            under_way: BTreeMap::new(),
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

    /// Takes the first flit of a packet from an output to the end of the wire there. Packets come
    /// to an input in the order in which they leave the other end.
    fn send(&mut self, slot: u32, from: LinkPort) {
        let Some((clocks, to)) = self.wires.end(from) else {
            unreachable!("packets have a way");
        };
        let cycle = self.cycle + clocks;
        let packet = &mut self.packets[slot];
        if to.array == NODES {
            packet.reached_cycle = cycle;
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
        self.inputs[to.instance * self.links + to.link].push_back(slot);
    }

    /// Takes in a flit on the wire at an output.
    fn flit(&mut self, router: usize, output: usize, is_last: bool) {
        let held = router * self.links + output;
        let holder = self.holders[held];
        assert_ne!(holder, NOBODY, "who sends a flit holds the output");
        let input = router * self.links + usize::from(holder);
        let slot = self.inputs[input].front();
        let slot = *slot.expect("who holds an output has come to its input");
        let cycle = self.cycle;
        let here = |hop: &&mut HopRecord| (hop.router, hop.input) == (router as u32, holder);
        let hop = self.packets[slot].hops.iter_mut().rev().find(here);
        let hop = hop.expect("a packet in an input has a hop there");
        let is_first = hop.output == NO_OUTPUT;
        if is_last {
            hop.freed_cycle = cycle + 1;
            self.inputs[input].pop_front();
            self.holders[held] = NOBODY;
        }
        if is_first {
            hop.output = output as u8;
            hop.left_cycle = cycle;
            let from = LinkPort {
                array: ROUTERS,
                instance: router,
                link: output,
            };
            self.send(slot, from);
        }
    }

    /// Begins the packet of a message.
    fn launch(&mut self, instance: u32, id: u32, destination: u32) {
        let slot = self.packets.insert(AttemptRecord {
            id,
            attempt: 1,
            packet: Some(PacketNumber {
                number: 1,
                router_cycles: self.router_cycles,
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
        let from = LinkPort {
            array: NODES,
            instance: instance as usize,
            link: 0,
        };
        self.send(slot, from);
    }

    /// Tells of a message that has come, and of its packet.
    fn acknowledge(&mut self, id: u32, mut message: MessageRecord) {
        let slot = self.under_way.remove(&id).expect("it was launched");
        let packet = &mut self.packets[slot];
        packet.end = EndOfAttempt::Delivered;
        packet.end_cycle = self.cycle;
        message.sent_cycle = packet.launched_cycle;
        let waited = packet.waited_in_all();
        let breakdown = Breakdown {
            source: packet.launched_cycle - message.offered_cycle,
            blocked: waited,
            backoff: 0,
            header: packet.reached_cycle - packet.launched_cycle - waited,
            body: message.delivered_cycle - packet.reached_cycle,
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
}

impl<S: LifeSink> Observer for FlitFollower<'_, S> {
    fn cycle(&mut self, engine: &dyn Engine, clocked: bool) {
        if !clocked {
            return;
        }
        self.cycle = engine.cycle();
        // An output sends nothing in the cycle in which it has its owner.
        for output in 0..self.links {
            engine.watch(&mut self.valid[output]);
            for word in 0..self.valid[output].changed.len() {
                self.valid[output].changed[word] = 0;
                let mut lanes = self.valid[output].planes[0][word];
                while lanes != 0 {
                    let router = 64 * word + lanes.trailing_zeros() as usize;
                    lanes &= lanes - 1;
                    let is_last = engine.value(ROUTERS, self.last[output], router) != 0;
                    self.flit(router, output, is_last);
                }
            }
        }
        for output in 0..self.links {
            engine.watch(&mut self.owner[output]);
            for word in 0..self.owner[output].changed.len() {
                let mut lanes = std::mem::take(&mut self.owner[output].changed[word]);
                while lanes != 0 {
                    let router = 64 * word + lanes.trailing_zeros() as usize;
                    lanes &= lanes - 1;
                    let owner = self.owner[output].value(router);
                    if owner != 0 {
                        let holder = owner.trailing_zeros() as u8;
                        self.holders[router * self.links + output] = holder;
                    }
                }
            }
        }
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
                ..
            } => self.launch(instance, id, destination),
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
