//! Clocks to a reply over the connection of the request, turned round, and over a second
//! connection in the other direction.
//!
//! Source: DeHon 1990, section 1.3, has RN1 turn connections so that a reply needs no
//! connection of its own; it gives no figures.
//!
//! A fraction of the processors sends requests, each the next one when the reply to the
//! last one is there. Destinations are uniform among the other processors. All answer.
//!
//! - *Turned*: the request ends with a turn, and the destination's interface replies at
//!   once, over the open path.
//! - *Two connections*: the request is ended. When the destination's host sees that it
//!   was received, it offers the reply as a message of its own, in the next clock. A
//!   processor has one sender: a reply waits until the processor's own request, if there
//!   is one on its way, is over, and goes before the next one.
//!
//! Clocks count from the offer to the one in which the asking processor has all of the
//! reply and its end. What is blocked is tried again with back-off. No wire takes extra
//! clocks.
//!
//! An interface does not say from whom a request is. The study finds out by following the
//! path back through the routers, from the output that leads to the destination.

use std::collections::VecDeque;

use super::bench::{Bench, INTERFACE_OPTIONS, without_wires};
use crosswave_base::random;
use crosswave_chips::rn1::{self, PORTS_A_SIDE};
use crosswave_chips::rn1_interface::{OPENED, PORT_TX_DONE, R0, RECEIVED};
use crosswave_chips::rn1_protocol::{
    RN1_STATE_FORWARD, RN1_STATE_REVERSE, RN1_STATE_TO_FORWARD, RN1_STATE_TO_REVERSE,
    RN1_STRATEGY_BACKOFF,
};
use crosswave_network::LinkPort;
use crosswave_network::bidelta::{Bidelta, DELAY_LINES, NODES, ROUTERS};
use crosswave_network::rn1_nodes::Interface;
use crosswave_observe::points::watch::Watch;
use crosswave_probe::engine::Engine;

/// Payload words of a request.
pub const REQUEST_WORDS: u32 = 4;
/// Words of a reply.
pub const REPLY_WORDS: u32 = 8;
/// Requests that a processor sends, one after the other.
const REQUESTS: u32 = 16;
/// Exponent of the longest wait after a blocked attempt.
const BACKOFF_LIMIT: u64 = 6;
/// Cycles after which a replicate is given up.
const CYCLES_MAX: u64 = 10_000_000;
/// Seed of all replicates.
const SEED: u64 = 1;
/// Stream of the seeds of replicates.
const STREAM_SEEDS: u64 = u64::from_be_bytes(*b"turn-rep");
/// Stream of who sends, and where to.
const STREAM_TRAFFIC: u64 = u64::from_be_bytes(*b"turn-trf");

/// The connection that a reply takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Over the connection of the request.
    Turned,
    /// Over a connection of its own.
    TwoConnections,
}

impl Way {
    /// Both.
    pub const ALL: [Way; 2] = [Way::Turned, Way::TwoConnections];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Way::Turned => "turned",
            Way::TwoConnections => "two connections",
        }
    }
}

/// Clocks from offers to replies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReplyPoint {
    /// Stages of the network.
    pub stages: u32,
    /// The connection that replies take.
    pub way: Way,
    /// Processors that send.
    pub senders: u32,
    /// Mean clocks from an offer to the end of its reply.
    pub clocks: f64,
    /// Standard error of the mean, from the differences between replicates.
    pub stderr: f64,
    /// Replicates.
    pub replicates: u32,
    /// Requests in all of them.
    pub requests: u64,
}

/// Replicates of the network of `4^stages` processors in which so many of them send.
///
/// # Panics
/// When there are more senders than processors, or fewer than two replicates.
pub fn point(
    stages: u32,
    way: Way,
    senders: u32,
    replicates: u32,
    watch: &mut dyn Watch,
) -> ReplyPoint {
    let network = without_wires(
        stages,
        Interface {
            strategy: RN1_STRATEGY_BACKOFF,
            backoff_limit: BACKOFF_LIMIT,
            turns: u64::from(way == Way::Turned),
            reply_words: u64::from(REPLY_WORDS),
            ..INTERFACE_OPTIONS
        },
    );
    assert!(senders <= network.nodes() && replicates > 1);
    let (nodes, name) = (network.nodes(), way.name());
    watch.begins(&format!(
        "replies in {nodes} nodes, {senders} senders, {name}"
    ));
    let seeds = random::key(SEED, STREAM_SEEDS, 0);
    let means: Vec<f64> = (0..replicates)
        .map(|index| {
            let seed = random::word(seeds, u64::from(index));
            let clocks = Replicate::new(&network, way, senders, seed).run();
            clocks as f64 / f64::from(senders * REQUESTS)
        })
        .collect();
    let n = f64::from(replicates);
    let mean = means.iter().sum::<f64>() / n;
    let squares: f64 = means.iter().map(|other| (other - mean).powi(2)).sum();
    ReplyPoint {
        stages,
        way,
        senders,
        clocks: mean,
        stderr: (squares / (n * (n - 1.0))).sqrt(),
        replicates,
        requests: u64::from(replicates * senders * REQUESTS),
    }
}

/// The transmission that an interface is busy with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sending {
    Nothing,
    Request,
    /// A reply to this interface.
    Reply(u32),
}

/// The state of a processor.
#[derive(Debug, Clone)]
struct Processor {
    sending: Sending,
    /// Requests that were not offered yet.
    requests_left: u32,
    /// A request waits to be offered.
    asks: bool,
    /// The cycle from which the request counts.
    asked_cycle: u64,
    /// Interfaces that wait for a reply.
    owes: VecDeque<u32>,
    /// The sources that its two receivers hear.
    heard: [u32; 2],
}

/// A replicate under way. Processors are numbered as their interfaces.
struct Replicate<'a> {
    network: &'a Bidelta,
    way: Way,
    bench: Bench,
    generator: rand_xoshiro::Xoshiro256PlusPlus,
    processors: Vec<Processor>,
    /// Those that may have something to drive in the next cycle, by what was seen in this
    /// one.
    due: Vec<u32>,
    /// Replies that are still to come.
    replies_left: u64,
    /// Clocks to all replies so far.
    clocks: u64,
    inputs: [[usize; 2]; PORTS_A_SIDE],
}

impl<'a> Replicate<'a> {
    fn new(network: &'a Bidelta, way: Way, senders: u32, seed: u64) -> Replicate<'a> {
        let nodes = network.nodes();
        let mut generator = random::generator(seed, STREAM_TRAFFIC);
        let mut order: Vec<u32> = (0..nodes).collect();
        for place in 0..senders {
            let other = place + random::below(&mut generator, u64::from(nodes - place)) as u32;
            order.swap(place as usize, other as usize);
        }
        order.truncate(senders as usize);
        let idle = Processor {
            sending: Sending::Nothing,
            requests_left: 0,
            asks: false,
            asked_cycle: 0,
            owes: VecDeque::new(),
            heard: [0; 2],
        };
        let mut replicate = Replicate {
            network,
            way,
            bench: Bench::new(network, network.fabric(), seed),
            generator,
            processors: vec![idle; nodes as usize],
            due: Vec::new(),
            replies_left: u64::from(senders * REQUESTS),
            clocks: 0,
            inputs: std::array::from_fn(|input| {
                ["state", "output"].map(|what| rn1::CHIP.port(&format!("i{input}_{what}")))
            }),
        };
        for instance in order {
            replicate.processors[instance as usize].requests_left = REQUESTS;
            replicate.asks(instance, 1);
        }
        replicate
    }

    /// The clocks of all replies together.
    fn run(mut self) -> u64 {
        self.drive();
        loop {
            self.bench.step();
            self.drive();
            self.observe();
            if self.replies_left == 0 {
                return self.clocks;
            }
            assert!(self.bench.cycle() < CYCLES_MAX, "all are answered");
        }
    }

    /// The next request of a processor counts from a cycle on.
    fn asks(&mut self, instance: u32, cycle: u64) {
        let processor = &mut self.processors[instance as usize];
        if processor.requests_left > 0 {
            processor.requests_left -= 1;
            processor.asks = true;
            processor.asked_cycle = cycle;
            self.due.push(instance);
        }
    }

    fn drive(&mut self) {
        let mut due = std::mem::take(&mut self.due);
        for instance in due.drain(..) {
            let nodes = u64::from(self.network.nodes());
            let processor = &mut self.processors[instance as usize];
            if processor.sending != Sending::Nothing {
                continue;
            }
            if let Some(to) = processor.owes.pop_front() {
                processor.sending = Sending::Reply(to);
                let to = self.network.node_of_instance(to as usize);
                self.bench.offer(instance, to, REPLY_WORDS);
            } else if processor.asks {
                processor.asks = false;
                processor.sending = Sending::Request;
                let own = self.network.node_of_instance(instance as usize);
                let other = random::below(&mut self.generator, nodes - 1) as u32;
                let to = other + u32::from(other >= own);
                self.bench.offer(instance, to, REQUEST_WORDS);
            } else {
                self.bench.withdraw(instance);
            }
        }
        self.due = due;
    }

    fn observe(&mut self) {
        let cycle = self.bench.cycle();
        if self.way == Way::TwoConnections {
            for side in 0..2 {
                let opened = self.bench.raised(OPENED[side]).to_vec();
                for instance in opened {
                    let from = self.origin(instance, side);
                    self.processors[instance as usize].heard[side] = from;
                }
                let received = self.bench.raised(RECEIVED[side]).to_vec();
                for instance in received {
                    self.received(instance, side, cycle);
                }
            }
        }
        for instance in self.bench.raised(PORT_TX_DONE).to_vec() {
            self.processors[instance as usize].sending = Sending::Nothing;
            self.due.push(instance);
            if self.way == Way::Turned {
                self.replied(instance, cycle);
            }
        }
    }

    /// A message has come: a request, or a reply. Its sender does not know it yet.
    fn received(&mut self, instance: u32, side: usize, cycle: u64) {
        let from = self.processors[instance as usize].heard[side];
        match self.processors[from as usize].sending {
            Sending::Request => {
                self.processors[instance as usize].owes.push_back(from);
                self.due.push(instance);
            }
            Sending::Reply(to) => {
                assert_eq!(to, instance, "replies come to who asked");
                self.replied(instance, cycle);
            }
            Sending::Nothing => unreachable!("who is heard is sending"),
        }
    }

    fn replied(&mut self, instance: u32, cycle: u64) {
        self.clocks += cycle - self.processors[instance as usize].asked_cycle;
        self.replies_left -= 1;
        self.asks(instance, cycle + 1);
    }

    /// The interface at the other end of the connection that has just come to a receiver.
    fn origin(&self, instance: u32, side: usize) -> u32 {
        const HOLDING: [u64; 4] = [
            RN1_STATE_FORWARD,
            RN1_STATE_TO_REVERSE,
            RN1_STATE_REVERSE,
            RN1_STATE_TO_FORWARD,
        ];
        let engine = &self.bench.engine;
        let peer = |array, instance, link| {
            let port = LinkPort {
                array,
                instance,
                link,
            };
            let peer = engine.fabric().peer(port);
            peer.expect("all ports of the network are joined")
        };
        let mut from = peer(NODES, instance as usize, R0 + side);
        while from.array != NODES {
            if from.array == DELAY_LINES {
                from = peer(DELAY_LINES, from.instance, 1 - from.link);
                continue;
            }
            let output = (from.link - PORTS_A_SIDE) as u64;
            let shown = |port| engine.value(ROUTERS, port, from.instance);
            let mut inputs = self.inputs.iter();
            let held = inputs.position(|&[state, held]| {
                HOLDING.contains(&shown(state)) && shown(held) == output
            });
            let input = held.expect("a connection holds its path");
            from = peer(ROUTERS, from.instance, input);
        }
        from.instance as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One sender meets no one, and all its requests take the same time. By the protocol
    /// a second connection costs its routing bytes, a clock of the host and one of the
    /// interface.
    #[test]
    fn alone() {
        for (stages, routing_bytes) in [(2, 1.0), (3, 1.0), (5, 2.0)] {
            let [turned, two] = Way::ALL.map(|way| point(stages, way, 1, 2, &mut ()));
            assert_eq!((turned.stderr, two.stderr), (0.0, 0.0));
            assert_eq!(two.clocks - turned.clocks, routing_bytes + 2.0, "{stages}");
        }
    }

    /// All send: the sums come out, and a connection less is worth something.
    #[test]
    fn under_load() {
        let [turned, two] = Way::ALL.map(|way| point(2, way, 16, 4, &mut ()));
        assert_eq!(turned.requests, 4 * 16 * u64::from(REQUESTS));
        assert!(turned.clocks < two.clocks, "{turned:?} {two:?}");
    }
}
