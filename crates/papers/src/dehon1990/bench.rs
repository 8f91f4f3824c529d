//! A network of RN1 on an engine, driven by its pins.
//!
//! A study of a network needs no configuration and no [`host`](crosswave_run::host): it drives the
//! pins of the interfaces itself, in the same way (what is seen in a cycle decides what is
//! driven in the next one), and reads its figures off ports.

use crosswave_chips::endpoint::{PacketRequest, SendRequest};
use crosswave_chips::rn1_interface::{self, OPENED};
use crosswave_event::EventEngine;
use crosswave_network::Fabric;
use crosswave_network::bidelta::{Bidelta, LOOP_BACK_CYCLES, NODES, StageWires};
use crosswave_network::rn1_nodes::Interface;
use crosswave_network::{Network, Topology};
use crosswave_probe::engine::Engine;

/// Interfaces that try again at once, and end connections that are over.
pub(super) const INTERFACE_OPTIONS: Interface = Interface {
    strategy: crosswave_chips::rn1_protocol::RN1_STRATEGY_IMMEDIATE,
    backoff_limit: 0,
    turns: 0,
    reply_words: 1,
    reply_delay: 0,
    close_drop: false,
};

/// A network whose wires take no extra clocks.
pub(super) fn without_wires(stages: u32, interface: Interface) -> Bidelta {
    Bidelta {
        stages,
        wires: StageWires::Given(vec![0; stages as usize - 1]),
        loop_back: LOOP_BACK_CYCLES,
        interface,
    }
}

/// A network on an engine, and its pins.
pub(super) struct Bench {
    network: Network,
    /// The interface of each node.
    instances: Vec<u32>,
    pub engine: EventEngine,
    raised: Vec<u32>,
}

impl Bench {
    /// A bench in cycle 1, the first in which a message can be offered.
    pub fn new<T: Topology + Clone + 'static>(network: &T, fabric: Fabric, seed: u64) -> Bench {
        let mut engine = EventEngine::new(fabric, seed, 0);
        engine.step();
        engine.hold_random(false);
        Bench {
            network: Box::new(network.clone()),
            instances: {
                let mut instances = vec![0; network.nodes() as usize];
                for instance in 0..network.nodes() {
                    instances[network.node_of_instance(instance as usize) as usize] = instance;
                }
                instances
            },
            engine,
            raised: Vec::new(),
        }
    }

    /// The interface of a node.
    pub fn instance(&self, node: u32) -> u32 {
        self.instances[node as usize]
    }

    /// The fabric, to be used again.
    pub fn into_fabric(self) -> Fabric {
        self.engine.into_fabric()
    }

    pub fn cycle(&self) -> u64 {
        self.engine.cycle()
    }

    pub fn step(&mut self) {
        self.engine.step();
    }

    /// Offers a message from the current cycle on.
    pub fn offer(&mut self, instance: u32, destination: u32, words: u32) {
        let source = self.network.node_of_instance(instance as usize);
        let route = self.network.route(source, destination);
        let ask = SendRequest {
            request: true,
            destination,
            words,
            packet: PacketRequest::default(),
            route: Some(&route),
        };
        for (port, value) in self.network.endpoint().pins(&ask) {
            self.engine.drive(NODES, port, &[(instance, value)]);
        }
    }

    /// Offers nothing from the current cycle on.
    pub fn withdraw(&mut self, instance: u32) {
        let port = rn1_interface::PORT_TX_REQUEST;
        self.engine.drive(NODES, port, &[(instance, 0)]);
    }

    /// The value of a port of an interface.
    pub fn shown(&self, port: usize, instance: u32) -> u64 {
        self.engine.value(NODES, port, instance as usize)
    }

    /// The interfaces at which an output is 1 that is so for single cycles.
    pub fn raised(&mut self, port: usize) -> &[u32] {
        self.raised.clear();
        self.engine.raised(NODES, port, &mut self.raised);
        &self.raised
    }

    /// Connections whose first word has come to its destination in this cycle.
    pub fn opened(&mut self) -> u64 {
        let ports = OPENED.iter();
        ports.map(|&port| self.raised(port).len() as u64).sum()
    }
}
