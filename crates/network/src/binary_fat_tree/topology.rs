//! The binary fat tree as a topology: clocks of packets' ways, where packets are lost, and what
//! is told of the tree.

use serde_json::json;
use smallvec::{SmallVec, smallvec};

use super::BinaryFatTree;
use crate::Fabric;
use crate::topology::{
    Arrival, CollisionTracing, Footprint, LongestQueue, NetworkDrawing, OnPath, PacketFault,
    PacketPorts, PacketRules, PathTiming, Rank, Summary, Topology, Untraced, WordOutputs,
};
use crosswave_chips::bft_node::{self, LEFT, RIGHT, UP_0, UP_1};
use crosswave_chips::endpoint::Endpoint;
use crosswave_chips::packet_switches::{packet_switch, packet_switch_q8};
use crosswave_chips::routing::{self, Route};
use crosswave_chips::switch::Switch;
use crosswave_chips::{Chip, packet_interface, packet_queue};
use crosswave_probe::message::{CountForm, RejectedAt, RejectionRow, Rejections};

/// Rows of what is lost.
const UP: usize = 0;
const DOWN: usize = 1;
const WRONG: usize = 2;

impl Topology for BinaryFatTree {
    fn nodes(&self) -> u32 {
        self.nodes()
    }

    fn fabric(&self) -> Fabric {
        self.fabric()
    }

    fn node_of_instance(&self, instance: usize) -> u32 {
        self.node_of_instance(instance)
    }

    fn endpoint(&self) -> &'static dyn Endpoint {
        &packet_interface::Packets
    }

    fn switch(&self) -> Option<&'static dyn Switch> {
        None
    }

    fn packets(&self) -> Option<&dyn PacketRules> {
        Some(self)
    }

    fn route(&self, _: u32, _: u32) -> Route {
        Route::default()
    }

    fn routers_on_path(&self, source: u32, destination: u32) -> u32 {
        routing::path_routers(source, destination)
    }

    fn leaves(&self, at: OnPath) -> usize {
        let turn = routing::turn_level(at.source, at.destination);
        match at.chip.checked_sub(1) {
            None => 0,
            Some(level) if level < turn => {
                let slice = self.slice_of(at.source, level);
                match at.arrived == RIGHT && !self.upstream_single(level, slice) {
                    true => UP_1,
                    false => UP_0,
                }
            }
            Some(hop) => match at.destination >> routing::hop_level(turn, hop) & 1 {
                0 => LEFT,
                _ => RIGHT,
            },
        }
    }

    fn reads(&self, at: OnPath) -> String {
        let turn = routing::turn_level(at.source, at.destination);
        let hop = at.chip - 1;
        if hop < turn {
            return format!("destination {}: outside", at.destination);
        }
        let level = routing::hop_level(turn, hop);
        let bit = at.destination >> level & 1;
        format!("bit {level} of the destination: {bit}")
    }

    fn timing(&self) -> Box<dyn PathTiming> {
        Box::new(Timing {
            has_queues: self.queues.is_some(),
        })
    }

    /// Outputs of slices at which packets were lost in a cycle, however many, by level on their way
    /// up and on their way down; and packets that came to another node than theirs.
    fn rejections(&self) -> Rejections {
        let levels = self.levels() as usize;
        Rejections {
            title: "conflicts",
            places: "conflicts at level",
            descending: true,
            rows: vec![
                RejectionRow::new("up_by_level", "up", CountForm::List, levels),
                RejectionRow::new("down_by_level", "down", CountForm::List, levels),
                RejectionRow::new("wrong_node", "wrong node", CountForm::Number, 1),
            ],
        }
    }

    fn drawing(&self) -> &dyn NetworkDrawing {
        self
    }

    fn chips(&self) -> Vec<(&'static Chip, u64)> {
        vec![
            (self.slice_chip(), self.routers() as u64),
            (&packet_interface::CHIP, u64::from(self.nodes())),
        ]
    }

    fn summary(&self) -> Summary {
        let levels = self.levels();
        let below = |level: u32| u64::from(self.nodes() >> level);
        let of = |per_channel: &[u32]| -> u64 {
            let channels = (0..levels).map(below).zip(per_channel);
            channels
                .map(|(channels, &links)| channels * u64::from(links))
                .sum()
        };
        let (links, unused) = (of(&self.slices), of(&self.capacities) - of(&self.slices));
        let listed = |numbers: &[u32]| {
            let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
            numbers.join(", ")
        };
        let row = |name: &str, value: String| (name.to_owned(), value);
        let clocks = 2 * levels;
        let note = match unused {
            0 => String::new(),
            unused => format!(" (and {unused} that nothing could fill, left out)"),
        };
        Summary {
            fields: vec![
                ("levels", json!(levels)),
                ("capacities", json!(self.capacities)),
                ("routers", json!(self.routers())),
                ("links", json!(links)),
                ("links_left_out", json!(unused)),
                ("diameter_links", json!(clocks)),
            ],
            rows: vec![
                row("levels", levels.to_string()),
                row("capacities", listed(&self.capacities)),
                row("slices", self.routers().to_string()),
                row("links", format!("{links}{note}")),
            ],
            last_rows: vec![row("diameter", format!("{clocks} links, {clocks} cycles"))],
        }
    }

    fn collisions(&self) -> Result<&dyn CollisionTracing, Untraced> {
        Err(Untraced {
            why: "packets make no circuits that a collision could be traced along",
            instead: "the JSON has where packets were lost, by level",
        })
    }

    fn footprint(&self) -> Footprint {
        let ports = self.slice_chip().links.len();
        let of_slice = match self.queues {
            None => Footprint::of_packets(ports),
            Some(queues) => Footprint::of_queues(ports, queues.packets),
        };
        Footprint {
            wiring_bytes_per_router: 28,
            ..of_slice
        }
    }

    fn chip_family(&self) -> &'static [&'static Chip] {
        static WITHOUT_QUEUES: [&Chip; 2] = [&bft_node::CHIP, &packet_interface::CHIP];
        static WITH_QUEUES: [&Chip; 2] = [&packet_switch_q8::CHIP, &packet_interface::CHIP];
        match self.queues {
            None => &WITHOUT_QUEUES,
            Some(_) => &WITH_QUEUES,
        }
    }
}

impl NetworkDrawing for BinaryFatTree {
    /// A level with its routing nodes as groups.
    fn ranks(&self) -> Vec<Rank> {
        let rank = |level: u32| Rank {
            name: format!("level {level}"),
            routers: (self.nodes() >> (level + 1)) * self.slices[level as usize],
            groups: self.nodes() >> (level + 1),
        };
        (0..self.levels()).map(rank).collect()
    }

    fn standing(&self, router: u32) -> (usize, u32) {
        let (level, node, slice) = self.place(router as usize);
        let place = node * self.slices[level as usize] + slice;
        (level as usize, place)
    }
}

/// The ports of a slice that tell of its queues: losses, and by link port those that wait and the
/// most that have.
struct QueuePorts {
    lost: usize,
    queued: &'static [usize],
    longest: [usize; 4],
}

impl BinaryFatTree {
    /// The ports that tell of queues, where there are some.
    fn queue_ports(&self) -> Option<QueuePorts> {
        macro_rules! of_chip {
            ($chip:ident) => {
                QueuePorts {
                    lost: $chip::PORT_LOST,
                    queued: &$chip::QUEUED,
                    longest: $chip::LONGEST,
                }
            };
        }
        let queues = self.queues?;
        Some(match queues.packets <= packet_queue::PLACES {
            true => of_chip!(packet_switch_q8),
            false => of_chip!(packet_switch),
        })
    }

    /// The slice of a level that a packet of a source comes to on its way up.
    fn slice_of(&self, source: u32, level: u32) -> u32 {
        (0..level).fold(0, |slice, below| {
            let is_right = source >> below & 1 != 0;
            let port = match is_right && !self.upstream_single(below, slice) {
                true => UP_1,
                false => UP_0,
            };
            let link = self.link_above(below, slice, port);
            link.expect("there is a level above")
        })
    }
}

impl PacketRules for BinaryFatTree {
    fn drain_cycles(&self) -> u64 {
        2 * u64::from(self.levels()) + 4
    }

    fn queued_ports(&self) -> &'static [usize] {
        self.queue_ports().map_or(&[], |ports| ports.queued)
    }

    fn is_half_duplex(&self) -> bool {
        self.queues.is_some_and(|queues| queues.half_duplex)
    }

    /// The phase of a total exchange in which a packet goes: the paper's number of the level at
    /// which it turns.
    fn phase(&self, source: u32, destination: u32) -> u32 {
        routing::turn_level(source, destination) + 1
    }

    /// All levels.
    fn every_node(&self) -> u32 {
        self.nodes() - 1
    }

    fn lost_port(&self) -> Option<usize> {
        let of_queues = self.queue_ports().map(|ports| ports.lost);
        Some(of_queues.unwrap_or(bft_node::PORT_CONFLICT))
    }

    fn lost_at(&self, router: u32, outputs: u64) -> SmallVec<[RejectedAt; 4]> {
        let (level, ..) = self.place(router as usize);
        let of_link = |link: usize| RejectedAt {
            row: if link < UP_0 { DOWN } else { UP },
            place: level as usize,
        };
        let lost = (LEFT..=UP_1).filter(|link| outputs >> link & 1 != 0);
        lost.map(of_link).collect()
    }

    fn fault_at(&self, _: PacketFault) -> RejectedAt {
        RejectedAt {
            row: WRONG,
            place: 0,
        }
    }

    fn longest_queues(&self, _: usize) -> Vec<LongestQueue> {
        let Some(ports) = self.queue_ports() else {
            return Vec::new();
        };
        let ports = (0..).zip(ports.longest);
        let row = |(link, port)| LongestQueue {
            port,
            name: if link < UP_0 {
                "down_by_level"
            } else {
                "up_by_level"
            },
        };
        ports.map(row).collect()
    }

    fn packet_ports(&self) -> PacketPorts {
        PacketPorts::Words {
            router: WordOutputs::of(self.slice_chip()),
            node: WordOutputs::of(&packet_interface::CHIP),
            precedence: vec![UP_0, UP_1, LEFT, RIGHT],
        }
    }

    /// Packets from above go down on both sides, those from below up as well as to the other side.
    fn copies(&self, router: u32, input: usize) -> SmallVec<[usize; 2]> {
        let (level, _, slice) = self.place(router as usize);
        let is_root = level + 1 == self.levels();
        let up = match input {
            RIGHT if !self.upstream_single(level, slice) => UP_1,
            _ => UP_0,
        };
        match input {
            LEFT | RIGHT if is_root => smallvec![LEFT + RIGHT - input],
            LEFT | RIGHT => smallvec![LEFT + RIGHT - input, up],
            _ => smallvec![LEFT, RIGHT],
        }
    }
}

/// A link takes a clock; with queues it is not known how long a packet waits.
#[derive(Debug)]
struct Timing {
    has_queues: bool,
}

impl PathTiming for Timing {
    fn arrival(&self, source: u32, destination: u32, words: u32) -> Option<Arrival> {
        let links = 2 * (routing::turn_level(source, destination) + 1);
        (!self.has_queues).then(|| Arrival {
            opened: None,
            delivered: u64::from(links) + u64::from(words) - 1,
        })
    }

    fn rejected(&self, _: u32, _: u32, _: u64, _: u32) -> RejectedAt {
        unreachable!("nobody is told of a packet that was lost")
    }
}
