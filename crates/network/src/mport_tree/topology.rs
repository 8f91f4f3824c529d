//! The m-port n-tree as a topology: ways, their clocks, where attempts are rejected or packets lost,
//! and what is told of the tree.

use std::cmp::Ordering;

use serde_json::json;
use smallvec::SmallVec;

use super::{Circuits, MportTree, PACKET_NODES, Switching};
use crate::Fabric;
use crate::fat_tree::Release;
use crate::path_clocks::{PathClocks, RejectedBy, RejectionClocks};
use crate::topology::{
    Arrival, CollisionTracing, Footprint, LongestQueue, NetworkDrawing, OnPath, PacketFault,
    PacketPorts, PacketRules, PathChoice, PathTiming, Rank, RoundTiming, Summary, Topology,
    Untraced, WordOutputs,
};
use crosswave_chips::Chip;
use crosswave_chips::endpoint::Endpoint;
use crosswave_chips::mport_packet_switch::{
    Ports, mport_packet_switch_4_q8, mport_packet_switch_8_q8,
};
use crosswave_chips::routing::Route;
use crosswave_chips::switch::Switch;
use crosswave_chips::{mport_interface, mport_packet_interface};
use crosswave_oblivious::tree::{PortTree, Vertex};
use crosswave_probe::message::{CountForm, RejectedAt, RejectionRow, Rejections};

/// Rows of rejected attempts.
const TURNING: usize = 0;
const UPWARD: usize = 1;
const DOWNWARD: usize = 2;
const REFUSED: usize = 3;
const UNPLACED: usize = 4;

/// Rows of lost packets.
const LOST_UP: usize = 0;
const LOST_DOWN: usize = 1;
const WRONG: usize = 2;

/// The level of switch `hop` of a path that turns at a level.
fn level_of_hop(turn: u32, hop: u32) -> u32 {
    if hop <= turn { hop } else { 2 * turn - hop }
}

impl MportTree {
    /// True when the tail frees outputs: answers may wait, so that a sender cannot tell from the cycle
    /// which switch rejected its message.
    fn frees_by_tail(&self) -> bool {
        matches!(self.switching, Switching::Circuits(circuits) if circuits.release == Release::Tail)
    }
}

impl Topology for MportTree {
    fn nodes(&self) -> u32 {
        self.tree.nodes()
    }

    fn fabric(&self) -> Fabric {
        self.fabric()
    }

    fn node_of_instance(&self, instance: usize) -> u32 {
        instance as u32
    }

    fn endpoint(&self) -> &'static dyn Endpoint {
        match self.switching {
            Switching::Circuits(_) => &mport_interface::RoutedCircuit,
            Switching::Packets { .. } => &PACKET_NODES[self.size()],
        }
    }

    fn switch(&self) -> Option<&'static dyn Switch> {
        self.as_switch()
    }

    fn packets(&self) -> Option<&dyn PacketRules> {
        match self.switching {
            Switching::Circuits(_) => None,
            Switching::Packets { .. } => Some(self),
        }
    }

    fn route(&self, source: u32, destination: u32) -> Route {
        self.route_by(source, destination, 0)
    }

    fn path_choice(&self) -> Option<&dyn PathChoice> {
        (self.ways.routing().units() > 1).then_some(self)
    }

    /// Every way is a shortest one, up to a switch above both nodes and down again.
    fn routers_on_path(&self, source: u32, destination: u32) -> u32 {
        2 * self.tree.meeting_height(source, destination) + 1
    }

    fn leaves(&self, at: OnPath) -> usize {
        match at.chip.checked_sub(1) {
            None => 0,
            Some(hop) => {
                let route = self.route_by(at.source, at.destination, at.way);
                usize::from(route.bytes[hop as usize])
            }
        }
    }

    /// The switch by the paper's label, and its output port.
    fn reads(&self, at: OnPath) -> String {
        let hop = at.chip - 1;
        let turn = self.tree.meeting_height(at.source, at.destination);
        let height = level_of_hop(turn, hop);
        let top = self.ways.shares(at.source, at.destination)[at.way as usize].top;
        let end = if hop <= turn {
            at.source
        } else {
            at.destination
        };
        let subtree = match height + 1 == self.tree.levels() {
            true => 0,
            false => end / self.tree.power(height + 1),
        };
        let top = top / self.tree.power(turn - height);
        let label = self.tree.label(Vertex::Switch {
            level: self.tree.opposite(height),
            number: subtree * self.tree.power(height) + top,
        });
        let port = self.route_by(at.source, at.destination, at.way).bytes[hop as usize];
        format!("{label}: byte {hop}: port {port}")
    }

    fn timing(&self) -> Box<dyn PathTiming> {
        match self.switching {
            Switching::Circuits(circuits) => Box::new(Timing::new(self.tree, circuits)),
            Switching::Packets { .. } => Box::new(Waiting),
        }
    }

    /// Rows for circuits: attempts rejected in the switch that turns, on their way up and on their
    /// way down, and refused by the receiver, whose check of the payload failed. Rows for packets:
    /// outputs of switches at which some were lost in a cycle, and packets that came to another
    /// node than theirs.
    fn rejections(&self) -> Rejections {
        let levels = self.tree.levels() as usize;
        let is_placed = !self.frees_by_tail();
        let known = |shown| if is_placed { shown } else { CountForm::Unknown };
        let list = |name, title| RejectionRow::new(name, title, known(CountForm::List), levels);
        let (title, places, rows) = match self.switching {
            Switching::Circuits(_) => (
                "collisions",
                "collisions at level",
                vec![
                    list("turning_by_level", "turning"),
                    list("upward_by_level", "upward"),
                    list("downward_by_level", "downward"),
                    RejectionRow::new(
                        "refused_by_receiver",
                        "refused",
                        known(CountForm::Number),
                        1,
                    ),
                    RejectionRow::new("unplaced", "unplaced", CountForm::Hidden, 1),
                ],
            ),
            Switching::Packets { .. } => (
                "conflicts",
                "conflicts at level",
                vec![
                    list("up_by_level", "up"),
                    list("down_by_level", "down"),
                    RejectionRow::new("wrong_node", "wrong node", CountForm::Number, 1),
                ],
            ),
        };
        Rejections {
            title,
            places,
            descending: true,
            rows,
        }
    }

    fn drawing(&self) -> &dyn NetworkDrawing {
        self
    }

    fn chips(&self) -> Vec<(&'static Chip, u64)> {
        vec![
            (self.switch_chip(), u64::from(self.tree.switches())),
            (self.node_chip(), u64::from(self.tree.nodes())),
        ]
    }

    fn summary(&self) -> Summary {
        let tree = self.tree;
        let routers = 2 * tree.levels() - 1;
        let all = tree.links() / 2;
        let failed = (0..tree.links() as usize)
            .filter(|&index| self.failures.has_failed(tree.link(index)))
            .count()
            / 2;
        let links = all as usize - failed;
        let routing = self.ways.routing().name();
        let row = |name: &str, value: String| (name.to_owned(), value);
        let mut fields = vec![
            ("tree", json!(tree.to_string())),
            ("ports", json!(tree.ports())),
            ("levels", json!(tree.levels())),
            ("routing", json!(routing)),
            ("routers", json!(tree.switches())),
            ("links", json!(links)),
            ("failed_links", json!(failed)),
            ("diameter_routers", json!(routers)),
        ];
        let diameter = match self.switching {
            Switching::Circuits(_) => {
                let (head, answer) = (2 * routers, routers);
                fields.push(("diameter_head_cycles", json!(head)));
                fields.push(("diameter_answer_cycles", json!(answer)));
                format!("{routers} switches: head {head} cycles, answer {answer} cycles")
            }
            Switching::Packets { .. } => {
                let links = routers + 1;
                fields.push(("diameter_links", json!(links)));
                format!("{links} links, {links} cycles")
            }
        };
        Summary {
            fields,
            rows: vec![
                row("tree", tree.to_string()),
                row("routing", routing),
                row("switches", tree.switches().to_string()),
                row(
                    "links",
                    match failed {
                        0 => links.to_string(),
                        failed => format!("{links} (and {failed} that have failed)"),
                    },
                ),
            ],
            last_rows: vec![row("diameter", diameter)],
        }
    }

    fn collisions(&self) -> Result<&dyn CollisionTracing, Untraced> {
        Err(Untraced {
            why: "the network is no tree of four-port routers",
            instead: match self.switching {
                Switching::Circuits(_) if self.frees_by_tail() => {
                    "the JSON has how many collisions there were"
                }
                Switching::Circuits(_) => {
                    "collisions of an m-port n-tree are in the JSON, by level"
                }
                Switching::Packets { .. } => "the JSON has where packets were lost, by level",
            },
        })
    }

    fn footprint(&self) -> Footprint {
        let ports = self.switch_chip().links.len();
        let routing_bytes = self.ways.routing().bytes();
        match self.switching {
            Switching::Circuits(_) => Footprint {
                routing_bytes,
                ..Footprint::of_routers(ports)
            },
            Switching::Packets { queue_packets } => Footprint {
                routing_bytes,
                ..Footprint::of_queues(ports, queue_packets)
            },
        }
    }

    fn chip_family(&self) -> &'static [&'static Chip] {
        macro_rules! families {
            ($of:ident: $($switch:ident),*) => {
                [$([&crosswave_chips::$of::$switch::CHIP, &mport_interface::CHIP]),*]
            };
        }
        static FAMILIES: [[&Chip; 2]; 4] = families!(
            mport_switch: mport_switch_4, mport_switch_8, mport_switch_16, mport_switch_32
        );
        static TAIL_FAMILIES: [[&Chip; 2]; 4] = families!(
            mport_tail_switch: mport_tail_switch_4, mport_tail_switch_8, mport_tail_switch_16,
            mport_tail_switch_32
        );
        static PACKET_FAMILIES: [[&Chip; 2]; 2] = [
            [
                &mport_packet_switch_4_q8::CHIP,
                &mport_packet_interface::CHIP,
            ],
            [
                &mport_packet_switch_8_q8::CHIP,
                &mport_packet_interface::CHIP,
            ],
        ];
        match self.switching {
            Switching::Circuits(_) if self.frees_by_tail() => &TAIL_FAMILIES[self.size()],
            Switching::Circuits(_) => &FAMILIES[self.size()],
            Switching::Packets { .. } => match PACKET_FAMILIES.get(self.size()) {
                Some(family) => family,
                None => &[],
            },
        }
    }
}

impl PathChoice for MportTree {
    fn ways(&self, source: u32, destination: u32) -> u32 {
        self.ways.shares(source, destination).len() as u32
    }

    fn way_of(&self, source: u32, destination: u32, before: u32) -> u32 {
        self.ways.way(source, destination, before)
    }

    fn route_by(&self, source: u32, destination: u32, way: u32) -> Route {
        if source == destination {
            return Route::default();
        }
        let top = self.ways.shares(source, destination)[way as usize].top;
        Route {
            bytes: self.ways.ports(source, destination, top).collect(),
            ..Route::default()
        }
    }
}

impl NetworkDrawing for MportTree {
    /// A level with its sub-fat-trees as groups.
    fn ranks(&self) -> Vec<Rank> {
        let rank = |level: u32| Rank {
            name: format!("level {level}"),
            routers: self.switches_of(level),
            groups: self.switches_of(level) / self.tree.power(level),
        };
        (0..self.tree.levels()).map(rank).collect()
    }

    fn standing(&self, router: u32) -> (usize, u32) {
        let (level, number) = self.place(router as usize);
        (level as usize, number)
    }
}

/// Clocks of circuits.
#[derive(Debug)]
struct Timing {
    tree: PortTree,
    clocks: PathClocks,
    rejections: RejectionClocks,
    early_acknowledge: bool,
}

impl Timing {
    fn new(tree: PortTree, circuits: Circuits) -> Timing {
        let mut clocks = PathClocks::new(&vec![0; tree.levels() as usize]).blocking_upward();
        if circuits.release == Release::Tail {
            clocks = clocks.with_answers_in_turn();
        }
        Timing {
            tree,
            rejections: clocks.rejections(),
            clocks,
            early_acknowledge: circuits.release == Release::EarlyAcknowledge,
        }
    }
}

impl PathTiming for Timing {
    /// A switch takes two clocks.
    fn arrival(&self, source: u32, destination: u32, words: u32) -> Option<Arrival> {
        let switches = 2 * self.tree.meeting_height(source, destination) + 1;
        Some(Arrival {
            opened: None,
            delivered: 2 * u64::from(switches) + u64::from(words) + 1,
        })
    }

    fn rejected(&self, source: u32, destination: u32, clocks: u64, _: u32) -> RejectedAt {
        let turn = self.tree.meeting_height(source, destination);
        let without_level = |row| RejectedAt { row, place: 0 };
        let hop = match self.rejections.by(turn, clocks) {
            RejectedBy::Hop(hop) => hop,
            RejectedBy::Receiver => return without_level(REFUSED),
            RejectedBy::Someone => return without_level(UNPLACED),
        };
        let row = match hop.cmp(&turn) {
            Ordering::Less => UPWARD,
            Ordering::Equal => TURNING,
            Ordering::Greater => DOWNWARD,
        };
        let place = level_of_hop(turn, hop) as usize;
        RejectedAt { row, place }
    }

    fn rounds(&self) -> Option<&dyn RoundTiming> {
        Some(self)
    }
}

/// Paths that turn at one level are alike.
impl RoundTiming for Timing {
    fn class(&self, source: u32, destination: u32) -> u32 {
        self.tree.meeting_height(source, destination)
    }

    fn acknowledge(&self, turn: u32, words: u32) -> u64 {
        self.clocks
            .acknowledge(turn, 2 * turn, words, self.early_acknowledge)
    }

    fn next_rejection(&self, turn: u32, after: u64) -> Option<u64> {
        self.clocks.next_rejection(turn, after)
    }
}

/// The timing of packets, which wait for an unknown number of clocks.
#[derive(Debug)]
struct Waiting;

impl PathTiming for Waiting {
    fn arrival(&self, _: u32, _: u32, _: u32) -> Option<Arrival> {
        None
    }

    fn rejected(&self, _: u32, _: u32, _: u64, _: u32) -> RejectedAt {
        unreachable!("nobody is told of a packet that was lost")
    }
}

impl PacketRules for MportTree {
    fn drain_cycles(&self) -> u64 {
        2 * u64::from(self.tree.levels()) + 4
    }

    fn queued_ports(&self) -> &'static [usize] {
        match self.switching {
            Switching::Circuits(_) => &[],
            Switching::Packets { queue_packets } => self.packet_switch(queue_packets).1,
        }
    }

    fn is_half_duplex(&self) -> bool {
        false
    }

    /// Packets have no phase.
    fn phase(&self, _: u32, _: u32) -> u32 {
        0
    }

    fn every_node(&self) -> u32 {
        unreachable!("switches replicate no packets")
    }

    fn lost_port(&self) -> Option<usize> {
        Some(Ports::LOST)
    }

    fn lost_at(&self, router: u32, outputs: u64) -> SmallVec<[RejectedAt; 4]> {
        let (level, _) = self.place(router as usize);
        let of_port = |port: u32| RejectedAt {
            row: match self.leads_up(level, port) {
                true => LOST_UP,
                false => LOST_DOWN,
            },
            place: level as usize,
        };
        let lost = (0..self.tree.ports()).filter(|port| outputs >> port & 1 != 0);
        lost.map(of_port).collect()
    }

    fn fault_at(&self, _: PacketFault) -> RejectedAt {
        RejectedAt {
            row: WRONG,
            place: 0,
        }
    }

    fn longest_queues(&self, level: usize) -> Vec<LongestQueue> {
        let ports = Ports::of(self.switch_chip().links.len());
        let row = |port: u32| LongestQueue {
            port: ports.longest(port as usize),
            name: match self.leads_up(level as u32, port) {
                true => "up_by_level",
                false => "down_by_level",
            },
        };
        (0..self.tree.ports()).map(row).collect()
    }

    fn packet_ports(&self) -> PacketPorts {
        let switch = self.switch_chip();
        PacketPorts::Words {
            router: WordOutputs::of(switch),
            node: WordOutputs::of(self.node_chip()),
            precedence: (0..switch.links.len()).collect(),
        }
    }
}

impl MportTree {
    /// True when a port of a switch leads up.
    fn leads_up(&self, level: u32, port: u32) -> bool {
        level + 1 < self.tree.levels() && port >= self.tree.half()
    }
}
