//! Butterfly fat trees, fat stacks and fat pyramids as fabrics of wormhole switches.
//!
//! Source: Chen & Sha, sections 2 and 4. [`Graph`] has the structure, in its split form: a switch is
//! as many copies as its links have wires, and every link has one. Each copy is a chip, `stack_switch_8`
//! or, where a level is a mesh or rings have two wires, `stack_switch_10`: ports `d0` to `d3` lead down,
//! `r0` on along the level in the order of the graph's links, `u0` and `u1` up. Where processors are
//! linked among themselves each has a switch of its own, at whose port `d0` it is. The switch of node
//! (1, 2) of the second level is `switch_2_6`, its copies follow: `switch_LEVEL_NUMBER`, numbers as
//! positions times copies.
//!
//! A message is a packet that its sender routes: a byte for the output port at each switch. Ways are
//! those of section 4 in order ([`ordered_route`]), which cannot wait for each other in a circle; which of
//! the copies they take is drawn for each pair. The paper fixes no protocol: all of it is assumed.
//!
//! Links can have extra clocks, all the same or by their length in the [`FrameLayout`]; each is a
//! `stack_delay_line`. Buffers do not grow with them.

pub mod config;
mod topology;

use std::sync::Arc;

use super::copies::Copies;
use super::topology::{NODES, ROUTERS};
use super::{ChipArray, Fabric, LinkPort, OPEN};
use crosswave_chips::routing::HeaderBytes;
use crosswave_chips::stack_switch::{stack_switch_8, stack_switch_10};
use crosswave_chips::{Chip, stack_delay_line, stack_interface};
use crosswave_frame::climb::ordered_route;
use crosswave_frame::graph::{Graph, GraphHop, LinkKind, Node};
use crosswave_frame::layout::{Delay, FrameLayout};
use crosswave_frame::shape::{Family, FrameShape, Growth, QUADRANTS, RingCapacity, SwitchForm};

/// The most switches of a way.
pub const HOPS_MAX: u32 = 16;

/// Ports of a switch that lead down.
const DOWN: usize = QUADRANTS as usize;

/// The most links of a switch within its level, by chip.
const LATERAL: [usize; 2] = [2, 4];

/// Array of the delay lines; absent when no link has extra clocks.
const LINES: usize = 2;

/// Extra clocks of the links between switches, and of those of processors to switches of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkDelays {
    /// All the same.
    Uniform(u32),
    /// One for every so many cells of its length in the layout, but for those that a signal passes
    /// in the clock that each link takes anyway.
    Layout {
        /// Sides of a processor's cell that a signal passes in a clock.
        cells_per_cycle: u32,
    },
}

/// A network of wormhole switches.
#[derive(Debug, Clone)]
pub struct FrameNetwork {
    graph: Arc<Graph>,
    /// Extra clocks of each link of the graph.
    delays: Arc<[u32]>,
    /// The port at which each hop leaves its switch, by [`GraphHop::index`]; that of a processor's
    /// own link is 0.
    ports: Arc<[u8]>,
    /// The seed from which copies are drawn.
    routing_seed: u64,
}

/// The most switches that a way passes; in an augmented stack or a pyramid they can be fewer.
pub fn hops(shape: FrameShape) -> u32 {
    let (levels, ring) = (shape.levels(), shape.ring());
    match shape.family() {
        // Half round each ring up and down, and round the highest one; from switch to switch.
        Family::GeneralFatStack => 2 * (levels - 1) * (ring / 2 + 1) + ring / 2 + 1,
        _ if shape.options().leaf_links => 2 * levels + 1,
        _ => 2 * levels - 1,
    }
}

/// The links of a switch within its level at most.
fn lateral_links(shape: FrameShape) -> usize {
    let wires = match (shape.options().growth, shape.options().ring_capacity) {
        (Growth::Doubling, RingCapacity::Upward) => 2,
        _ => 1,
    };
    let neighbours = match shape.family() {
        Family::ButterflyFatTree => 0,
        Family::AugmentedFatStack | Family::GeneralFatStack => 2,
        Family::FatPyramid => 4,
    };
    wires * neighbours
}

/// True when there is a chip for the switches of a network.
pub fn has_chip(shape: FrameShape) -> bool {
    shape.ring() <= QUADRANTS && lateral_links(shape) <= LATERAL[1] && hops(shape) <= HOPS_MAX
}

impl FrameNetwork {
    /// The network of a shape.
    ///
    /// # Panics
    /// When it is not split, or [has no chip](has_chip).
    pub fn new(shape: FrameShape, link_delays: LinkDelays, routing_seed: u64) -> FrameNetwork {
        assert!(
            shape.options().form == SwitchForm::Split && has_chip(shape),
            "{shape}"
        );
        let graph = Graph::new(shape);
        let first_up = (DOWN + LATERAL[usize::from(is_wide(shape))]) as u8;
        let mut ports = vec![0; 2 * graph.links().len()];
        for node in 0..graph.nodes() {
            if graph.node(node).level == 0 && !shape.options().leaf_links {
                continue;
            }
            let (mut lateral, mut up) = (DOWN as u8, first_up);
            for arc in graph.arcs(node) {
                let is_up = graph.links()[arc.hop.link as usize].kind == LinkKind::Up;
                ports[arc.hop.index()] = match (is_up, arc.hop.forward) {
                    (true, false) => (graph.node(arc.to).position % shape.ring()) as u8,
                    (true, true) => {
                        up += 1;
                        up - 1
                    }
                    (false, _) => {
                        lateral += 1;
                        lateral - 1
                    }
                };
            }
        }
        let delays = match link_delays {
            LinkDelays::Uniform(cycles) => vec![cycles; graph.links().len()],
            LinkDelays::Layout { cells_per_cycle } => {
                let delay = Delay::Linear {
                    clocks: 1,
                    units: cells_per_cycle,
                };
                let clocks = FrameLayout::new(&graph).delays(delay).into_iter();
                clocks.map(|clocks| clocks as u32 - 1).collect()
            }
        };
        FrameNetwork {
            graph: Arc::new(graph),
            delays: delays.into(),
            ports: ports.into(),
            routing_seed,
        }
    }

    /// Its structure.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    fn shape(&self) -> FrameShape {
        self.graph.shape()
    }

    /// True when processors have switches of their own.
    fn has_leaf_switches(&self) -> bool {
        self.shape().options().leaf_links
    }

    /// The first node of the graph that is a switch.
    fn first_switch(&self) -> u32 {
        match self.has_leaf_switches() {
            true => 0,
            false => self.shape().processors(),
        }
    }

    fn switches(&self) -> u32 {
        self.graph.nodes() - self.first_switch()
    }

    /// The node of the graph that a switch is.
    fn node_of(&self, router: u32) -> Node {
        self.graph.node(router + self.first_switch())
    }

    /// The level of a switch, and its number there.
    fn place(&self, router: u32) -> (u32, u32) {
        let node = self.node_of(router);
        let copies = self.shape().copies(node.level);
        (node.level, node.position * copies + node.copy)
    }

    fn switch_chip(&self) -> &'static Chip {
        match is_wide(self.shape()) {
            false => &stack_switch_8::CHIP,
            true => &stack_switch_10::CHIP,
        }
    }

    /// The port of the switch where a hop leaves it.
    fn port_of(&self, hop: GraphHop) -> usize {
        usize::from(self.ports[hop.index()])
    }

    /// The nodes of the graph on the way of a message, from its first switch on, and the ports at which
    /// it leaves them.
    fn way(&self, source: u32, destination: u32) -> (Vec<u32>, HeaderBytes) {
        let hops = ordered_route(&self.graph, source, destination, self.routing_seed);
        let hops = &hops[usize::from(!self.has_leaf_switches()).min(hops.len())..];
        let mut nodes: Vec<u32> = hops.iter().map(|&hop| self.graph.ends(hop).0).collect();
        let mut ports: HeaderBytes = hops.iter().map(|&hop| self.port_of(hop) as u8).collect();
        if self.has_leaf_switches() {
            // The last switch is that of the processor, which is at d0.
            nodes.push(destination);
            ports.push(0);
        }
        (nodes, ports)
    }

    /// The port of the fabric at which a link of the graph ends.
    fn link_port(&self, hop: GraphHop) -> LinkPort {
        let (from, _) = self.graph.ends(hop);
        match from.checked_sub(self.first_switch()) {
            Some(switch) => LinkPort {
                array: ROUTERS,
                instance: switch as usize,
                link: self.port_of(hop),
            },
            None => node_port(from),
        }
    }

    /// Extra clocks of all links together: delay lines.
    fn delay_lines(&self) -> usize {
        self.delays.iter().map(|&cycles| cycles as usize).sum()
    }

    /// The most extra clocks of a link.
    fn longest_delay(&self) -> u32 {
        self.delays.iter().copied().max().unwrap_or(0)
    }

    /// The fabric.
    ///
    /// # Panics
    /// When there are too many link ports for numbers of 32 bits.
    pub fn fabric(&self) -> Fabric {
        let (nodes, switches) = (self.shape().processors() as usize, self.switches() as usize);
        let links = self.switch_chip().links.len();
        let lines = self.delay_lines();
        let link_ports = links * switches + nodes + 2 * lines;
        assert!(
            link_ports < OPEN as usize,
            "link ports have numbers of 32 bits"
        );
        let array =
            |chip, instances, first_link, name: Arc<dyn Fn(usize) -> String + Send + Sync>| {
                ChipArray {
                    chip,
                    instances,
                    first_link,
                    pins: Vec::new(),
                    silent: Vec::new(),
                    random: false,
                    changing: Vec::new(),
                    modules: Arc::default(),
                    name,
                }
            };
        let network = self.clone();
        let switch_name = move |instance| {
            let (level, number) = network.place(instance as u32);
            format!("switch_{level}_{number}")
        };
        let first_node_link = (links * switches) as u32;
        let node_name = |instance| format!("node_{instance}");
        let mut fabric = Fabric {
            name: "frame_network",
            arrays: vec![
                array(self.switch_chip(), switches, 0, Arc::new(switch_name)),
                array(
                    &stack_interface::CHIP,
                    nodes,
                    first_node_link,
                    Arc::new(node_name),
                ),
            ],
            peers: vec![OPEN; link_ports],
            rotations: Vec::new(),
            nodes,
            copies: Copies::ONE,
            // A place is used again after its flit and its credit have passed the wire.
            rest_cycles: 16 + u64::from(hops(self.shape()) * (4 + 2 * self.longest_delay())),
            restless: false,
            more_routers: 0,
            changes: Vec::new(),
            lane: None,
        };
        if lines > 0 {
            let first_line = first_node_link + nodes as u32;
            let name = |instance| format!("delay_{instance}");
            let lines = array(&stack_delay_line::CHIP, lines, first_line, Arc::new(name));
            fabric.arrays.push(lines);
        }
        let mut line = 0;
        for (link, &delay) in (0..).zip(self.delays.iter()) {
            let hop = GraphHop {
                link,
                forward: true,
            };
            let mut near = self.link_port(hop);
            for _ in 0..delay {
                let port = |link| LinkPort {
                    array: LINES,
                    instance: line,
                    link,
                };
                fabric.join(near, port(stack_delay_line::NEAR));
                near = port(stack_delay_line::FAR);
                line += 1;
            }
            fabric.join(near, self.link_port(hop.reversed()));
        }
        if self.has_leaf_switches() {
            for node in 0..nodes {
                let switch = LinkPort {
                    array: ROUTERS,
                    instance: node,
                    link: 0,
                };
                fabric.join(node_port(node as u32), switch);
            }
        }
        fabric
    }
}

/// True when the switches of a network are those with four links within a level.
fn is_wide(shape: FrameShape) -> bool {
    lateral_links(shape) > LATERAL[0]
}

/// The link port of a processor's interface.
fn node_port(node: u32) -> LinkPort {
    LinkPort {
        array: NODES,
        instance: node as usize,
        link: 0,
    }
}

#[cfg(test)]
mod tests;
