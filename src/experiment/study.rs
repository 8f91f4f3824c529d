//! Studies: networks built and run for what papers say of them.
//!
//! A study of a network needs no configuration and no [`host`](super::host): it drives the
//! pins of the interfaces itself, in the same way (what is seen in a cycle decides what is
//! driven in the next one), and reads its figures off ports. It runs on the event engine,
//! which has the same value at every port as the gate engine; or, where every answer of the
//! random pins is tried, the models are stepped without an engine. The study of steady
//! traffic makes configurations and reads results. None knows anything of the formulas of
//! [`analytic`](crate::analytic), with which `check` and `figure` compare them.
//!
//! | file | measures |
//! |---|---|
//! | [`enumerate`] | exact probabilities of collisions and mean rounds in small fat trees |
//! | [`pairs`] | how often two messages collide in a fat tree, by their places |
//! | [`path`] | clocks of a connection through a bidelta network |
//! | [`routing`] | how many connections a bidelta network routes at the first attempt |
//! | [`steady`] | throughput and latency of a fat tree against offered load |
//! | [`turning`] | clocks to a reply: over a turned connection, and over a second one |

pub mod enumerate;
pub mod pairs;
pub mod path;
pub mod routing;
pub mod steady;
pub mod turning;

use crate::chip::protocol::STRATEGY_ROUNDS;
use crate::chip::rn1_interface::{self, INTERFACE};
use crate::diagnostic::{Class, Diagnostic, Report};
use crate::event::EventEngine;
use crate::network::Fabric;
use crate::network::bidelta::{Bidelta, Interface, NODES, Wires};
use crate::network::fat_tree::{FatTree, Release};
use crate::probe::engine::Engine;
use crate::routing::bidelta::route;

/// How much is simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// Nothing.
    Formulas,
    /// What takes less than a minute.
    Quick,
    /// Everything, which takes minutes and about a gigabyte.
    All,
}

/// Is told what a study is doing.
pub trait Watch {
    /// This comes next.
    fn begins(&mut self, what: &str);

    /// Whether to stop.
    fn interrupted(&mut self) -> bool {
        false
    }
}

/// Goes on, unless someone asks to stop.
///
/// # Errors
/// When someone does.
pub fn go_on(watch: &mut dyn Watch) -> Result<(), Report> {
    match watch.interrupted() {
        true => Err(interruption()),
        false => Ok(()),
    }
}

/// What is said when someone asked to stop.
pub fn interruption() -> Report {
    let diagnostic = Diagnostic::new("interrupted", "the simulation was stopped", "");
    Report::one(Class::Check, "simulation", diagnostic)
}

/// Does not care.
impl Watch for () {
    fn begins(&mut self, _: &str) {}
}

/// The full fat tree of `2^levels` nodes that sends by rounds, over links without extra
/// clocks; ties are decided at random.
pub fn fat_tree(levels: u32) -> FatTree {
    FatTree {
        nodes: 1 << levels,
        capacities: FatTree::doubling(levels),
        link_delay_cycles: vec![0; levels as usize],
        winner_fixed: false,
        release: Release::Acknowledge,
        strategy: STRATEGY_ROUNDS,
        backoff_limit: 0,
    }
}

/// Interfaces that try again at once, and end connections that are over.
const INTERFACE_OPTIONS: Interface = Interface {
    strategy: crate::chip::rn1_protocol::RN1_STRATEGY_IMMEDIATE,
    backoff_limit: 0,
    turns: 0,
    reply_words: 1,
    reply_delay: 0,
    close_drop: false,
};

/// A network whose wires take no extra clocks.
fn without_wires(stages: u32, interface: Interface) -> Bidelta {
    Bidelta {
        stages,
        wires: Wires::Given(vec![0; stages as usize - 1]),
        interface,
    }
}

/// A bidelta network on an engine, and its pins.
struct Bench {
    stages: u32,
    engine: EventEngine,
    raised: Vec<u32>,
}

impl Bench {
    /// In cycle 1, the first in which a message can be offered.
    fn new(network: &Bidelta, fabric: Fabric, seed: u64) -> Bench {
        let mut engine = EventEngine::new(fabric, seed, 0);
        engine.step();
        engine.hold_random(false);
        Bench {
            stages: network.stages,
            engine,
            raised: Vec::new(),
        }
    }

    /// The fabric, to be used again.
    fn into_fabric(self) -> Fabric {
        self.engine.into_fabric()
    }

    fn cycle(&self) -> u64 {
        self.engine.cycle()
    }

    fn step(&mut self) {
        self.engine.step();
    }

    /// Offers a message from the current cycle on.
    fn offer(&mut self, instance: u32, destination: u32, words: u32) {
        let route = route(self.stages, destination);
        let bytes = route.iter().rev();
        let value = bytes.fold(0, |value, &byte| value << 8 | u64::from(byte));
        for (port, value) in [
            (rn1_interface::PORT_TX_REQUEST, 1),
            (rn1_interface::PORT_TX_DESTINATION, u64::from(destination)),
            (rn1_interface::PORT_TX_WORDS, u64::from(words) - 1),
            (rn1_interface::PORT_TX_ROUTE, value),
            (rn1_interface::PORT_TX_ROUTE_BYTES, route.len() as u64 - 1),
        ] {
            self.engine.drive(NODES, port, &[(instance, value)]);
        }
    }

    /// Offers nothing from the current cycle on.
    fn withdraw(&mut self, instance: u32) {
        let port = rn1_interface::PORT_TX_REQUEST;
        self.engine.drive(NODES, port, &[(instance, 0)]);
    }

    /// The value of a port of an interface.
    fn shown(&self, port: usize, instance: u32) -> u64 {
        self.engine.value(NODES, port, instance as usize)
    }

    /// The interfaces at which an output is 1 that is so for single cycles.
    fn raised(&mut self, port: usize) -> &[u32] {
        self.raised.clear();
        self.engine.raised(NODES, port, &mut self.raised);
        &self.raised
    }

    /// Connections whose first word has come to its destination in this cycle.
    fn opened(&mut self) -> u64 {
        let ports = INTERFACE.opened.iter();
        ports.map(|&port| self.raised(port).len() as u64).sum()
    }
}
