//! The networks of the frame as topologies: ways, where packets are lost, and what is told of them.

use serde_json::json;
use smallvec::{SmallVec, smallvec};

use super::{FrameNetwork, is_wide};
use crate::Fabric;
use crate::topology::{
    CollisionTracing, Footprint, LongestQueue, NetworkDrawing, OnPath, PacketFault, PacketPorts,
    PacketRules, PathTiming, Rank, Summary, Topology, UnknownWaits, Untraced,
};
use crosswave_chips::endpoint::Endpoint;
use crosswave_chips::routing::Route;
use crosswave_chips::stack_switch::{stack_switch_8, stack_switch_10};
use crosswave_chips::switch::Switch;
use crosswave_chips::{Chip, stack_delay_line, stack_interface};
use crosswave_frame::climb::ordered_links;
use crosswave_frame::wires;
use crosswave_probe::message::{CountForm, RejectedAt, RejectionRow, Rejections};

/// Clocks from the first flit of a packet at an input of a switch to the first one at its output,
/// which is the next flit of the packet: into the buffer, swallowed and given an output, sent.
const ROUTER_CYCLES: u64 = 3;

/// Rows of lost packets.
const LOST: usize = 0;
const WRONG: usize = 1;

impl Topology for FrameNetwork {
    fn nodes(&self) -> u32 {
        self.shape().processors()
    }

    fn fabric(&self) -> Fabric {
        self.fabric()
    }

    fn node_of_instance(&self, instance: usize) -> u32 {
        instance as u32
    }

    fn endpoint(&self) -> &'static dyn Endpoint {
        &stack_interface::Wormhole
    }

    fn switch(&self) -> Option<&'static dyn Switch> {
        None
    }

    fn packets(&self) -> Option<&dyn PacketRules> {
        Some(self)
    }

    fn route(&self, source: u32, destination: u32) -> Route {
        match source == destination {
            true => Route::default(),
            false => Route {
                bytes: self.way(source, destination).1,
                ..Route::default()
            },
        }
    }

    /// The seed chooses among ways of the same length.
    fn routers_on_path(&self, source: u32, destination: u32) -> u32 {
        let links = ordered_links(self.shape(), source, destination);
        // The links join switches alone where processors have their own, and else both processors
        // as well.
        match self.has_leaf_switches() {
            true => links + 1,
            false => links - 1,
        }
    }

    fn leaves(&self, at: OnPath) -> usize {
        match at.chip.checked_sub(1) {
            None => 0,
            Some(hop) => usize::from(self.way(at.source, at.destination).1[hop as usize]),
        }
    }

    /// The switch by the paper's address, and its output port.
    fn reads(&self, at: OnPath) -> String {
        let hop = at.chip as usize - 1;
        let (nodes, ports) = self.way(at.source, at.destination);
        let address = self.graph().address(nodes[hop]);
        let port = usize::from(ports[hop]);
        format!(
            "{address}: byte {hop}: port {}",
            self.switch_chip().links[port]
        )
    }

    fn timing(&self) -> Box<dyn PathTiming> {
        Box::new(UnknownWaits)
    }

    /// Packets without an output, and those that came to another node than theirs: neither happens
    /// while senders are given the ways of this network.
    fn rejections(&self) -> Rejections {
        let levels = self.ranks().len();
        Rejections {
            title: "conflicts",
            places: "conflicts at level",
            descending: true,
            rows: vec![
                RejectionRow::new("lost_by_level", "lost", CountForm::List, levels),
                RejectionRow::new("wrong_node", "wrong node", CountForm::Number, 1),
            ],
        }
    }

    fn drawing(&self) -> &dyn NetworkDrawing {
        self
    }

    fn chips(&self) -> Vec<(&'static Chip, u64)> {
        vec![
            (self.switch_chip(), u64::from(self.switches())),
            (&stack_interface::CHIP, u64::from(self.shape().processors())),
            (&stack_delay_line::CHIP, self.delay_lines() as u64),
        ]
    }

    fn summary(&self) -> Summary {
        let shape = self.shape();
        let counted = wires::count(self.graph());
        let (switches, links) = (self.switches(), self.graph().links().len());
        let hops = super::hops(shape);
        // The links of processors have delays, but where these have switches of their own.
        let long = match self.has_leaf_switches() {
            true => hops - 1,
            false => hops + 1,
        };
        let head = ROUTER_CYCLES as u32 * hops + long * self.longest_delay();
        let row = |name: &str, value: String| (name.to_owned(), value);
        Summary {
            fields: vec![
                ("family", json!(shape.family().name())),
                ("levels", json!(shape.levels())),
                ("ring", json!(shape.ring())),
                ("routers", json!(switches)),
                ("links", json!(links)),
                ("wires", json!(counted.total())),
                ("way_switches_max", json!(hops)),
            ],
            rows: vec![
                row("network", shape.to_string()),
                row("switches", switches.to_string()),
                row("links", links.to_string()),
                row(
                    "wires",
                    format!(
                        "{} up, {} in rings, {} in meshes, {} that leave the root",
                        counted.up, counted.ring, counted.mesh, counted.external
                    ),
                ),
            ],
            last_rows: vec![row(
                "longest way",
                format!("at most {hops} switches: head {head} cycles"),
            )],
        }
    }

    fn collisions(&self) -> Result<&dyn CollisionTracing, Untraced> {
        Err(Untraced {
            why: "the network is no tree of four-port routers",
            instead: "packets wait for each other here, and do not collide: a waveform shows where",
        })
    }

    fn footprint(&self) -> Footprint {
        let ports = self.switch_chip().links.len();
        Footprint {
            model_bytes_per_router: 33 * ports as u64,
            queue_bytes_per_router: 51 * ports as u64,
            wiring_bytes_per_router: if is_wide(self.shape()) { 1150 } else { 800 },
            wiring_bytes_per_delay: 28,
            ..Footprint::of_packets(ports)
        }
    }

    fn chip_family(&self) -> &'static [&'static Chip] {
        static FAMILIES: [[&Chip; 3]; 2] = [
            [
                &stack_switch_8::CHIP,
                &stack_interface::CHIP,
                &stack_delay_line::CHIP,
            ],
            [
                &stack_switch_10::CHIP,
                &stack_interface::CHIP,
                &stack_delay_line::CHIP,
            ],
        ];
        &FAMILIES[usize::from(super::is_wide(self.shape()))]
    }
}

impl NetworkDrawing for FrameNetwork {
    /// A level with the copies of a switch as groups.
    fn ranks(&self) -> Vec<Rank> {
        let shape = self.shape();
        let first = u32::from(!self.has_leaf_switches());
        let levels = first..=shape.top_level();
        let rank = |level: u32| Rank {
            name: format!("level {level}"),
            routers: shape.positions(level) * shape.copies(level),
            groups: shape.positions(level),
        };
        levels.map(rank).collect()
    }

    fn standing(&self, router: u32) -> (usize, u32) {
        let (level, number) = self.place(router);
        let first = u32::from(!self.has_leaf_switches());
        ((level - first) as usize, number)
    }
}

impl PacketRules for FrameNetwork {
    /// Switches lose nothing that has a way, however long it waits.
    fn drain_cycles(&self) -> u64 {
        u64::MAX
    }

    fn queued_ports(&self) -> &'static [usize] {
        &[]
    }

    fn is_half_duplex(&self) -> bool {
        false
    }

    fn is_streamed(&self) -> bool {
        true
    }

    /// Packets have no phase.
    fn phase(&self, _: u32, _: u32) -> u32 {
        0
    }

    fn every_node(&self) -> u32 {
        unreachable!("switches replicate no packets")
    }

    fn lost_port(&self) -> Option<usize> {
        Some(match super::is_wide(self.shape()) {
            false => stack_switch_8::PORT_LOST,
            true => stack_switch_10::PORT_LOST,
        })
    }

    fn lost_at(&self, router: u32, _: u64) -> SmallVec<[RejectedAt; 4]> {
        smallvec![RejectedAt {
            row: LOST,
            place: self.standing(router).0,
        }]
    }

    fn fault_at(&self, _: PacketFault) -> RejectedAt {
        RejectedAt {
            row: WRONG,
            place: 0,
        }
    }

    fn longest_queues(&self, _: usize) -> Vec<LongestQueue> {
        Vec::new()
    }

    fn packet_ports(&self) -> PacketPorts {
        let switch = self.switch_chip();
        PacketPorts::Flits {
            valid: switch.ports_of_links("out_valid"),
            last: switch.ports_of_links("out_last"),
            owner: switch.ports_of_links("owner"),
            router_cycles: ROUTER_CYCLES,
        }
    }
}
