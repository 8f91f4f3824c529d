//! The graph of a frame as a network of [`rated_switch`]es: processors and switches alike, in
//! singular form, where a link of several wires is faster instead of there several times.
//!
//! The links of a node are the link ports of its chip, in the order of [`Graph::arcs`].

use std::sync::Arc;

use super::copies::Copies;
use super::{ChipArray, Fabric, OPEN, Pin, PinValues};
use crosswave_chips::rated_switch::{self, LINKS, OfLink};
use crosswave_frame::graph::{Graph, GraphHop, GraphLink};

/// The array of the processors.
pub const PROCESSORS: usize = 0;
/// The array of the switches.
pub const SWITCHES: usize = 1;

/// Sizes of the queues, the same at all nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueSizes {
    /// Packets that wait for a direction of a link at most.
    pub packets: u16,
    /// Buckets of stochastic fair queues; 1: first come, first served.
    pub buckets: u16,
}

/// Clocks of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkClocks {
    /// Those that a packet occupies it.
    pub packet: u32,
    /// Those from there to its far end.
    pub delay: u32,
    /// Those that an announcement occupies it.
    pub announcement: u32,
    /// Those that an acknowledgement occupies it.
    pub acknowledgement: u32,
}

/// The array and the instance of a node.
pub fn instance(graph: &Graph, node: u32) -> (usize, usize) {
    match node.checked_sub(graph.processors().end) {
        None => (PROCESSORS, node as usize),
        Some(switch) => (SWITCHES, switch as usize),
    }
}

/// The link port of a chip where a hop begins.
///
/// # Panics
/// When the graph has no such hop.
pub fn link_of(graph: &Graph, hop: GraphHop) -> usize {
    let arcs = graph.arcs(graph.ends(hop).0);
    let at = arcs.iter().position(|arc| arc.hop == hop);
    at.expect("a link is one of both of its ends")
}

/// The network, with tables that are empty. `keys` gives the key of a node's queues.
///
/// # Panics
/// When a node has more than [`LINKS`] links, or there are more than 65,536 processors.
pub fn fabric(
    graph: &Graph,
    queues: QueueSizes,
    clocks: impl Fn(&GraphLink) -> LinkClocks,
    key: impl Fn(u32) -> u64,
) -> Fabric {
    let (nodes, processors) = (graph.nodes(), graph.processors().end);
    assert!(processors <= 1 << 16, "addresses have 16 bits");
    let mut peers = vec![OPEN; nodes as usize * LINKS];
    for node in 0..nodes {
        let arcs = graph.arcs(node);
        assert!(arcs.len() <= LINKS, "node {node} has {} links", arcs.len());
        for (link, arc) in arcs.iter().enumerate() {
            let far = link_of(graph, arc.hop.reversed());
            peers[node as usize * LINKS + link] = (arc.to as usize * LINKS + far) as u32;
        }
    }
    let array = |name: &'static str, of: std::ops::Range<u32>| {
        let own = graph.clone();
        let first = of.start;
        let each = |value: &dyn Fn(u32) -> u32| PinValues::Each(of.clone().map(value).collect());
        let uniform = |port, value| Pin {
            port,
            values: PinValues::Uniform(value),
        };
        let mut pins = vec![
            uniform(rated_switch::PORT_QUEUE_PACKETS, queues.packets.into()),
            uniform(rated_switch::PORT_BUCKETS, queues.buckets.into()),
            uniform(rated_switch::PORT_IS_PROCESSOR, u64::from(first == 0)),
            Pin {
                port: rated_switch::PORT_ADDRESS,
                values: each(&|node| node),
            },
            Pin {
                port: rated_switch::PORT_QUEUE_KEY,
                values: PinValues::Wide(of.clone().map(&key).collect()),
            },
        ];
        for link in 0..LINKS {
            let of_link = |port: OfLink, value: fn(LinkClocks) -> u32| Pin {
                port: port.port(link),
                values: each(&|node| {
                    let arc = graph.arcs(node).get(link);
                    arc.map_or(0, |arc| {
                        value(clocks(&graph.links()[arc.hop.link as usize]))
                    })
                }),
            };
            pins.push(of_link(OfLink::PacketClocks, |clocks| clocks.packet));
            pins.push(of_link(OfLink::DelayClocks, |clocks| clocks.delay));
            pins.push(of_link(OfLink::AnnouncementClocks, |clocks| {
                clocks.announcement
            }));
            pins.push(of_link(OfLink::AcknowledgementClocks, |clocks| {
                clocks.acknowledgement
            }));
        }
        ChipArray {
            chip: &rated_switch::CHIP,
            instances: of.len(),
            first_link: first * LINKS as u32,
            pins,
            silent: Vec::new(),
            random: false,
            changing: Vec::new(),
            modules: Arc::default(),
            name: Arc::new(move |instance| {
                let node = own.node(first + instance as u32);
                format!("{name}_{}_{}_{}", node.level, node.position, node.copy)
            }),
        }
    };
    Fabric {
        name: "rated_network",
        arrays: vec![
            array("processor", 0..processors),
            array("switch", processors..nodes),
        ],
        peers,
        rotations: Vec::new(),
        nodes: processors as usize,
        copies: Copies::ONE,
        rest_cycles: 0,
        restless: true,
        more_routers: 0,
        changes: Vec::new(),
        lane: None,
    }
}
