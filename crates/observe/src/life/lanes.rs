//! Messages as signals of a waveform: what each node sends, which message each input of a router
//! serves, and how many there are.
//!
//! ```text
//! testbench.messages.node_N          message, phase, attempt
//! testbench.messages.ROUTER.INPUT    message
//! testbench.messages.LEVEL           held, collisions
//! ```
//!
//! In networks of packets `attempt` is `packet`, and `collisions` is `lost`: a node shows the
//! packet that is on its wire, an input the packet in front there, and a level how many packets are in
//! its routers.
//!
//! A message shows by its id plus one, so that 0 is none. An input serves a message from the cycle
//! in which its state shows the head to the one in which it holds nothing for it any more. The
//! records of a run are turned into changes of these signals once it is over, since who is in an
//! input, and for how long, is known behind it; they are recorded when the run, or a part of it,
//! is run again.

mod spans;

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use super::record::{AttemptRecord, EndOfAttempt, LifeSink, MessageLife, NO_OUTPUT, PacketNumber};
use crosswave_network::Fabric;
use crosswave_network::topology::{NODES, PacketPorts, Topology};
use crosswave_probe::message::NEVER;
use crosswave_probe::signal::{Mark, Net, Scope, Signal, SignalSet, StateName};
use spans::{LaneSpan, Spans};

const NONE: u64 = 0;
const WAIT: u64 = 1;
const HEAD: u64 = 2;
const BODY: u64 = 3;
const ANSWER: u64 = 4;
const REJECTED: u64 = 5;
const PAUSE: u64 = 6;
const SEND: u64 = 7;

/// Phases of a message, as its node shows them.
static PHASES: [StateName; 8] = [
    // No message.
    name(NONE, "-"),
    // It is offered, and its first head not on the wire.
    name(WAIT, "WAIT"),
    // The head of an attempt is on its way.
    name(HEAD, "HEAD"),
    // The head has come to the destination.
    name(BODY, "BODY"),
    // The destination has the last word.
    name(ANSWER, "ANSWER"),
    // A router has rejected the attempt, and the sender does not know it yet.
    name(REJECTED, "REJECTED"),
    // The sender knows, and the next attempt is to come.
    name(PAUSE, "PAUSE"),
    // A packet of it is on the wire of its node.
    name(SEND, "SEND"),
];

const fn name(value: u64, name: &'static str) -> StateName {
    StateName { value, name }
}

/// Bits of a message's signal: its id plus one.
const MESSAGE_BITS: u8 = 33;

/// A signal of a lane: its name, its bits, and the names of its values.
type LaneSignal = (&'static str, u8, &'static [StateName]);

/// The signals of a lane, in order.
const NODE_SIGNALS: [LaneSignal; 3] = [
    ("message", MESSAGE_BITS, &[]),
    ("phase", 3, &PHASES),
    ("attempt", 32, &[]),
];
const LEVEL_SIGNALS: [LaneSignal; 2] = [("held", 32, &[]), ("collisions", 64, &[])];
/// The same where messages are packets.
const PACKET_NODE_SIGNALS: [LaneSignal; NODE_SIGNALS.len()] = [
    ("message", MESSAGE_BITS, &[]),
    ("phase", 3, &PHASES),
    ("packet", 32, &[]),
];
const PACKET_LEVEL_SIGNALS: [LaneSignal; LEVEL_SIGNALS.len()] =
    [("held", 32, &[]), ("lost", 64, &[])];

/// Messages of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Carried {
    Circuits,
    /// Packets that are a word on a wire.
    Words,
    /// Packets that are rows of flits.
    Flits,
}

/// Takes records, and makes signals of them.
pub struct MessageLanes<'a> {
    topology: &'a dyn Topology,
    fabric: &'a Fabric,
    carried: Carried,
    /// The signals of packets.
    spans: Spans,
    /// Copies of packets that have been counted: message, packet, router and output.
    copies: BTreeSet<(u32, u32, u32, u8)>,
    /// The number of inputs of all routers before one, and of all.
    first_inputs: Vec<usize>,
    /// The instance of each node's interface.
    instances: Vec<usize>,
    /// By instance, when its last message was acknowledged.
    free_since: Vec<u64>,
    /// Values by cycle and signal; the last one of a cycle counts.
    values: BTreeMap<(u64, usize), u64>,
    /// Changes of the numbers of inputs held, by cycle and level, and collisions.
    held: BTreeMap<(u64, usize), i64>,
    collisions: BTreeMap<(u64, usize), u64>,
}

impl<'a> MessageLanes<'a> {
    /// Lanes of a network, whose fabric is given.
    pub fn new(topology: &'a dyn Topology, fabric: &'a Fabric) -> MessageLanes<'a> {
        let nodes = fabric.arrays[NODES].instances;
        let mut instances = vec![0; nodes];
        for instance in 0..nodes {
            instances[topology.node_of_instance(instance) as usize] = instance;
        }
        let mut first_inputs = vec![0];
        for router in 0..fabric.routers() {
            let inputs = topology.inputs().min(fabric.router_links(router).len());
            first_inputs.push(first_inputs[router] + inputs);
        }
        MessageLanes {
            instances,
            free_since: vec![0; nodes],
            carried: match topology.packets().map(|rules| rules.packet_ports()) {
                None => Carried::Circuits,
                Some(PacketPorts::Words { .. }) => Carried::Words,
                Some(PacketPorts::Flits { .. } | PacketPorts::Tags(_)) => Carried::Flits,
            },
            spans: Spans::default(),
            copies: BTreeSet::new(),
            topology,
            fabric,
            first_inputs,
            values: BTreeMap::new(),
            held: BTreeMap::new(),
            collisions: BTreeMap::new(),
        }
    }

    /// The first signal of the inputs of routers, and of the levels.
    fn firsts(&self) -> (usize, usize) {
        let inputs = self.fabric.arrays[NODES].instances * NODE_SIGNALS.len();
        let all = self.first_inputs.last().copied().unwrap_or(0);
        (inputs, inputs + all)
    }

    /// The scopes and signals, which lie in a scope of the outermost one.
    pub fn signals(&self) -> SignalSet {
        let mut set = SignalSet::default();
        let mut scope = |name: String, parent: Option<usize>| {
            set.scopes.push(Scope { name, parent });
            set.scopes.len() - 1
        };
        let outermost = scope("testbench".into(), None);
        let messages = scope("messages".into(), Some(outermost));
        let mut lanes: Vec<(usize, &[LaneSignal])> = Vec::new();
        let (of_node, of_level) = match self.carried {
            Carried::Circuits => (&NODE_SIGNALS, &LEVEL_SIGNALS),
            Carried::Words | Carried::Flits => (&PACKET_NODE_SIGNALS, &PACKET_LEVEL_SIGNALS),
        };
        for instance in 0..self.fabric.arrays[NODES].instances {
            let name = self.fabric.instance_name(NODES, instance);
            lanes.push((scope(name, Some(messages)), of_node));
        }
        for router in 0..self.fabric.routers() {
            let links = self.fabric.router_links(router);
            let inputs = self.first_inputs[router + 1] - self.first_inputs[router];
            let router = scope(self.fabric.router_name(router), Some(messages));
            for link in &links[..inputs] {
                lanes.push((scope((*link).into(), Some(router)), &of_node[..1]));
            }
        }
        for rank in self.topology.drawing().ranks() {
            let name = rank.name.replace(' ', "_");
            lanes.push((scope(name, Some(messages)), of_level));
        }
        for (scope, signals) in lanes {
            for &(name, width, states) in signals {
                set.signals.push(Signal {
                    scope,
                    name,
                    width,
                    states,
                    net: Net::Own,
                });
            }
        }
        set
    }

    /// The changes, in the order of cycles. All signals are 0 before them.
    pub fn marks(self) -> Vec<Mark> {
        let (inputs, levels) = self.firsts();
        let mut values = self.values;
        self.spans.changes(|cycle, lane, shown| {
            let signals = if lane < inputs { NODE_SIGNALS.len() } else { 1 };
            for (signal, value) in (lane..lane + signals).zip(shown) {
                values.insert((cycle, signal), value);
            }
        });
        let mut sums: BTreeMap<usize, i64> = BTreeMap::new();
        for ((cycle, level), change) in self.held {
            let sum = sums.entry(level).or_default();
            *sum += change;
            let signal = levels + level * LEVEL_SIGNALS.len();
            values.insert((cycle, signal), *sum as u64);
        }
        let mut sums: BTreeMap<usize, u64> = BTreeMap::new();
        for ((cycle, level), count) in self.collisions {
            let sum = sums.entry(level).or_default();
            *sum += count;
            values.insert((cycle, levels + level * LEVEL_SIGNALS.len() + 1), *sum);
        }
        let marks = values.into_iter();
        let marks = marks.map(|((cycle, signal), value)| Mark {
            cycle,
            signal,
            value,
        });
        marks.collect()
    }

    fn set(&mut self, cycle: u64, signal: usize, value: u64) {
        if cycle != NEVER {
            self.values.insert((cycle, signal), value);
        }
    }

    /// Sets a signal back where nothing else begins in the same cycle.
    fn clear(&mut self, cycle: u64, signal: usize) {
        if cycle != NEVER {
            self.values.entry((cycle, signal)).or_insert(NONE);
        }
    }

    /// Takes in a packet.
    fn packet(&mut self, record: &AttemptRecord, packet: PacketNumber) {
        let message = u64::from(record.id) + 1;
        let of_node = self.lane(record.source);
        let gone = match (self.carried, record.hops.first()) {
            (Carried::Flits, Some(hop)) => hop.freed_cycle,
            _ => record.launched_cycle + 1,
        };
        let sends = LaneSpan {
            from: record.launched_cycle,
            to: gone,
            values: [message, SEND, packet.number.into()],
        };
        self.spans.sending.entry(of_node).or_default().push(sends);
        let (inputs, _) = self.firsts();
        for hop in &record.hops {
            let router = hop.router as usize;
            let signal = inputs + self.first_inputs[router] + usize::from(hop.input);
            let (gone, left) = match self.carried {
                Carried::Flits => (hop.freed_cycle, hop.freed_cycle),
                _ => (hop.arrived_cycle + 1, hop.left_cycle.min(hop.freed_cycle)),
            };
            let span = LaneSpan {
                from: hop.arrived_cycle,
                to: gone,
                values: [message, 0, 0],
            };
            self.spans.in_turn.entry(signal).or_default().push(span);
            let output = match &record.collision {
                Some(lost) if hop.output == NO_OUTPUT => lost.wanted[0],
                _ => hop.output,
            };
            let copy = (record.id, packet.number, hop.router, output);
            if packet.is_copy && !self.copies.insert(copy) {
                continue;
            }
            let (level, _) = self.topology.drawing().standing(hop.router);
            *self.held.entry((hop.arrived_cycle, level)).or_default() += 1;
            if left != NEVER {
                *self.held.entry((left, level)).or_default() -= 1;
            }
        }
        if let (EndOfAttempt::Lost, Some(hop)) = (record.end, record.hops.last()) {
            let (level, _) = self.topology.drawing().standing(hop.router);
            *self
                .collisions
                .entry((record.end_cycle, level))
                .or_default() += 1;
        }
    }

    /// The first signal of the lane of a node.
    fn lane(&self, node: u32) -> usize {
        self.instances[node as usize] * NODE_SIGNALS.len()
    }
}

impl LifeSink for &mut MessageLanes<'_> {
    fn attempt(&mut self, attempt: &AttemptRecord) -> io::Result<()> {
        if let Some(packet) = attempt.packet {
            self.packet(attempt, packet);
            return Ok(());
        }
        let lane = self.lane(attempt.source);
        let message = u64::from(attempt.id) + 1;
        self.set(attempt.launched_cycle, lane, message);
        self.set(attempt.launched_cycle, lane + 1, HEAD);
        self.set(attempt.launched_cycle, lane + 2, u64::from(attempt.attempt));
        let is_rejected = attempt.end == EndOfAttempt::Rejected;
        match &attempt.collision {
            Some(collision) => self.set(collision.cycle, lane + 1, REJECTED),
            None if attempt.reached_cycle <= attempt.end_cycle => {
                self.set(attempt.reached_cycle, lane + 1, BODY);
            }
            None => {}
        }
        if is_rejected {
            self.set(attempt.end_cycle, lane + 1, PAUSE);
        }
        let (inputs, _) = self.firsts();
        for hop in &attempt.hops {
            let router = hop.router as usize;
            let signal = inputs + self.first_inputs[router] + usize::from(hop.input);
            // While the head is on the wire, the input may still serve another message.
            let entered = hop.arrived_cycle + self.topology.circuit_switch().head_clocks();
            self.set(entered, signal, message);
            self.clear(hop.freed_cycle, signal);
            let (level, _) = self.topology.drawing().standing(hop.router);
            *self.held.entry((entered, level)).or_default() += 1;
            if hop.freed_cycle != NEVER {
                *self.held.entry((hop.freed_cycle, level)).or_default() -= 1;
            }
        }
        if let (Some(collision), Some(hop)) = (&attempt.collision, attempt.hops.last()) {
            let (level, _) = self.topology.drawing().standing(hop.router);
            *self.collisions.entry((collision.cycle, level)).or_default() += 1;
        }
        Ok(())
    }

    fn message(&mut self, life: &MessageLife) -> io::Result<()> {
        let record = &life.message;
        let lane = self.lane(record.source);
        if self.carried != Carried::Circuits {
            let waits = LaneSpan {
                from: record.offered_cycle,
                to: record.sent_cycle,
                values: [u64::from(life.id) + 1, WAIT, 0],
            };
            self.spans.waiting.entry(lane).or_default().push(waits);
            return Ok(());
        }
        // A message that waits behind another one is not in its lane before that is over.
        let free_since = &mut self.free_since[lane / NODE_SIGNALS.len()];
        let since = record.offered_cycle.max(*free_since);
        *free_since = record.acknowledged_cycle;
        if since < record.sent_cycle {
            self.set(since, lane, u64::from(life.id) + 1);
            self.set(since, lane + 1, WAIT);
            self.set(since, lane + 2, NONE);
        }
        if record.delivered_cycle < record.acknowledged_cycle {
            self.set(record.delivered_cycle, lane + 1, ANSWER);
        }
        for signal in 0..NODE_SIGNALS.len() {
            self.clear(record.acknowledged_cycle, lane + signal);
        }
        Ok(())
    }
}
