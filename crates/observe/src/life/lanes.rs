//! Messages as signals of a waveform: what each node sends, which message each input of a router
//! serves, and how many there are.
//!
//! ```text
//! testbench.messages.node_N          message, phase, attempt
//! testbench.messages.ROUTER.INPUT    message
//! testbench.messages.LEVEL           held, collisions
//! ```
//!
//! A message shows by its id plus one, so that 0 is none. An input serves a message from the cycle
//! in which its state shows the head to the one in which it holds nothing for it any more. The
//! records of a run are turned into changes of these signals once it is over, since who is in an
//! input, and for how long, is known behind it; they are recorded when the run, or a part of it,
//! is run again.

use std::collections::BTreeMap;
use std::io;

use super::record::{AttemptRecord, EndOfAttempt, LifeSink, MessageLife};
use crosswave_network::Fabric;
use crosswave_network::topology::{NODES, ROUTERS, Topology};
use crosswave_probe::message::NEVER;
use crosswave_probe::signal::{Mark, Net, Scope, Signal, SignalSet, StateName};

const NONE: u64 = 0;
const WAIT: u64 = 1;
const HEAD: u64 = 2;
const BODY: u64 = 3;
const ANSWER: u64 = 4;
const REJECTED: u64 = 5;
const PAUSE: u64 = 6;

/// Phases of a message, as its node shows them.
static PHASES: [StateName; 7] = [
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

/// Takes records, and makes signals of them.
pub struct MessageLanes<'a> {
    topology: &'a dyn Topology,
    fabric: &'a Fabric,
    /// The number of inputs of a router.
    inputs: usize,
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
        MessageLanes {
            instances,
            free_since: vec![0; nodes],
            topology,
            fabric,
            inputs: topology.circuit_switch().inputs(),
            values: BTreeMap::new(),
            held: BTreeMap::new(),
            collisions: BTreeMap::new(),
        }
    }

    /// The first signal of the inputs of routers, and of the levels.
    fn firsts(&self) -> (usize, usize) {
        let inputs = self.fabric.arrays[NODES].instances * NODE_SIGNALS.len();
        let routers = self.fabric.arrays[ROUTERS].instances;
        (inputs, inputs + routers * self.inputs)
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
        for instance in 0..self.fabric.arrays[NODES].instances {
            let name = self.fabric.instance_name(NODES, instance);
            lanes.push((scope(name, Some(messages)), &NODE_SIGNALS));
        }
        let routers = &self.fabric.arrays[ROUTERS];
        for instance in 0..routers.instances {
            let name = self.fabric.instance_name(ROUTERS, instance);
            let router = scope(name, Some(messages));
            for link in &routers.chip.links[..self.inputs] {
                lanes.push((scope((*link).into(), Some(router)), &NODE_SIGNALS[..1]));
            }
        }
        for rank in self.topology.drawing().ranks() {
            let name = rank.name.replace(' ', "_");
            lanes.push((scope(name, Some(messages)), &LEVEL_SIGNALS));
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
        let (_, levels) = self.firsts();
        let mut values = self.values;
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

    /// The first signal of the lane of a node.
    fn lane(&self, node: u32) -> usize {
        self.instances[node as usize] * NODE_SIGNALS.len()
    }
}

impl LifeSink for &mut MessageLanes<'_> {
    fn attempt(&mut self, attempt: &AttemptRecord) -> io::Result<()> {
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
            let signal = inputs + router * self.inputs + usize::from(hop.input);
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
