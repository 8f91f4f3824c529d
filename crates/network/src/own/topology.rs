//! Networks of a designer's own routers as topologies: destinations in heads, what is lost or wrong, and what is told of the network.

use serde_json::json;
use smallvec::{SmallVec, smallvec};

use super::{OwnNetwork, RouterArray, Shape};
use crate::Fabric;
use crate::topology::{
    CollisionTracing, FlitMark, FlitPorts, Footprint, LongestQueue, NODES, NetworkDrawing, OnPath,
    PacketFault, PacketPorts, PacketRules, PathTiming, Rank, Summary, TaggedFlits, Topology,
    UnknownWaits, Untraced,
};
use crosswave_base::diagnostic::Diagnostic;
use crosswave_chips::Chip;
use crosswave_chips::endpoint::Endpoint;
use crosswave_chips::routing::Route;
use crosswave_chips::switch::Switch;
use crosswave_component::endpoint;
use crosswave_component::endpoint::{FlitEndpoint, PathEndpoint};
use crosswave_component::file::{FlitForm, ProtocolName};
use crosswave_component::links::LinkEnds;
use crosswave_component::packet::FlitCodes;
use crosswave_component::{Component, OwnNetlist};
use crosswave_probe::message::{CountForm, RejectedAt, RejectionRow, Rejections};

impl Topology for OwnNetwork {
    fn nodes(&self) -> u32 {
        self.node_count()
    }

    fn fabric(&self) -> Fabric {
        self.fabric()
    }

    fn node_of_instance(&self, instance: usize) -> u32 {
        instance as u32
    }

    fn endpoint(&self) -> &'static dyn Endpoint {
        match self.first().form.protocol {
            ProtocolName::Circuit => &PathEndpoint,
            _ => &FlitEndpoint,
        }
    }

    fn switch(&self) -> Option<&'static dyn Switch> {
        None
    }

    fn packets(&self) -> Option<&dyn PacketRules> {
        Some(self)
    }

    /// The fields of the destination, for the header of the endpoint.
    fn route(&self, source: u32, destination: u32) -> Route {
        let header = self.header(source, destination);
        Route {
            bytes: SmallVec::from_slice(&header.to_le_bytes()),
            ..Route::default()
        }
    }

    /// Those of a shortest way: routers may take others.
    fn routers_on_path(&self, source: u32, destination: u32) -> u32 {
        let [(from, _), (to, _)] = [source, destination].map(|node| self.nodes[node as usize]);
        self.shape.distance(from, to) + 1
    }

    /// An endpoint has one link; nobody knows how a router of a designer's own decides.
    fn leaves(&self, at: OnPath) -> usize {
        match at.chip {
            0 => 0,
            _ => self.nodes[at.destination as usize].1,
        }
    }

    /// The fields of the destination, which each router sees.
    fn reads(&self, _: OnPath) -> String {
        let fields = self.first().packet.destination.iter();
        let fields = fields.map(|(part, bits)| match bits.len() {
            1 => format!("{} in [{}]", part.field(), bits.start),
            _ => format!("{} in [{}:{}]", part.field(), bits.end - 1, bits.start),
        });
        fields.collect::<Vec<_>>().join(", ")
    }

    fn timing(&self) -> Box<dyn PathTiming> {
        Box::new(UnknownWaits)
    }

    fn rejections(&self) -> Rejections {
        let row = |name, heading| RejectionRow::new(name, heading, CountForm::Number, 1);
        Rejections {
            title: "faults",
            places: "faults of",
            descending: false,
            rows: FAULTS
                .iter()
                .map(|&(fault, heading)| row(fault.name(), heading))
                .collect(),
        }
    }

    fn drawing(&self) -> &dyn NetworkDrawing {
        self
    }

    fn chips(&self) -> Vec<(&'static Chip, u64)> {
        let routers = self.arrays.iter();
        let chip = |of: &RouterArray| (of.component.router.chip, of.places.len() as u64);
        let mut chips: Vec<(&'static Chip, u64)> = routers.map(chip).collect();
        let nodes = (self.first().endpoint.chip, u64::from(self.node_count()));
        chips.insert(NODES, nodes);
        chips.extend(self.delays.map(|(of, count)| (of.chip, count as u64)));
        chips
    }

    fn components(&self) -> &[&'static Component] {
        &self.components
    }

    fn monitored(&self) -> Vec<&'static Component> {
        let components = self.arrays.iter().map(|of| of.component);
        let components = components.filter(|component| !component.monitors.is_empty());
        components.collect()
    }

    fn notes(&self) -> &[Diagnostic] {
        &self.notes
    }

    fn own_netlists(&self) -> Vec<&'static OwnNetlist> {
        self.netlists()
    }

    fn summary(&self) -> Summary {
        let form = self.first().form;
        let links = self.shape.links() + u64::from(self.node_count());
        let mut fields = Vec::new();
        let routers = match &*self.shape {
            Shape::Grid(grid) => {
                fields.push(("size", json!(grid.size)));
                let sizes: Vec<String> = grid.size.iter().map(u32::to_string).collect();
                ("size", sizes.join(" × "))
            }
            Shape::Custom(custom) => ("routers", custom.count().to_string()),
        };
        let tops: Vec<&str> = self.components.iter().map(|of| &*of.top).collect();
        let tops = tops.join(", ");
        fields.extend([
            ("routers", json!(self.places.len())),
            ("links", json!(links)),
            ("component", json!(tops)),
            ("protocol", json!(form.protocol.name())),
            ("flit_bits", json!(form.data_bits)),
        ]);
        let row = |name: &str, value: String| (name.to_owned(), value);
        Summary {
            fields,
            rows: vec![
                row(
                    routers.0,
                    match routers.0 {
                        "size" => format!("{} routers of {tops}", routers.1),
                        _ => format!("{} of {tops}", routers.1),
                    },
                ),
                row("links", links.to_string()),
                row(
                    "flits",
                    format!("{} bits, by {}", form.data_bits, form.protocol.name()),
                ),
            ],
            last_rows: Vec::new(),
        }
    }

    fn collisions(&self) -> Result<&dyn CollisionTracing, Untraced> {
        Err(Untraced {
            why: "routers of a designer's own have no states that are known",
            instead: "packets wait for each other here: a waveform shows where",
        })
    }

    fn footprint(&self) -> Footprint {
        let links = self
            .arrays
            .iter()
            .map(|of| of.component.router.chip.links.len());
        Footprint::of_packets(links.max().unwrap_or(0))
    }

    fn chip_family(&self) -> &'static [&'static Chip] {
        self.family
    }
}

impl NetworkDrawing for OwnNetwork {
    /// A rank for each row of a grid along its first axis; in other networks for all routers as far
    /// from the next node.
    fn ranks(&self) -> Vec<Rank> {
        let rank = |(name, routers): &(String, u32)| Rank {
            name: name.clone(),
            routers: *routers,
            groups: 1,
        };
        self.rows.iter().map(rank).collect()
    }

    fn standing(&self, router: u32) -> (usize, u32) {
        self.standings[router as usize]
    }
}

/// The faults of packets, with the names of their rows in a table.
const FAULTS: [(PacketFault, &str); 4] = [
    (PacketFault::Misrouted, "came to another node"),
    (PacketFault::Corrupted, "not as it was sent"),
    (PacketFault::Doubled, "came once more"),
    (PacketFault::Unknown, "of no message under way"),
];

impl PacketRules for OwnNetwork {
    /// A router may keep a packet for ever.
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

    fn stall_cycles(&self) -> Option<u64> {
        Some(self.checks.deadlock_cycles)
    }

    fn arrivals(&self, words: u32) -> u64 {
        match self.first().packet.form {
            FlitForm::Single => u64::from(words),
            _ => 1,
        }
    }

    fn words_max(&self) -> u64 {
        let first = self.first();
        match (first.form.protocol, first.packet.form) {
            // A path is for one packet.
            (ProtocolName::Circuit, FlitForm::Single) => 1,
            _ => first.packet.flits_max(),
        }
    }

    fn messages_told_apart(&self) -> u64 {
        self.first().packet.messages_max()
    }

    fn phase(&self, _: u32, _: u32) -> u32 {
        0
    }

    fn every_node(&self) -> u32 {
        unreachable!("routers replicate no packets")
    }

    fn lost_port(&self) -> Option<usize> {
        None
    }

    fn lost_at(&self, _: u32, _: u64) -> SmallVec<[RejectedAt; 4]> {
        smallvec![]
    }

    fn fault_at(&self, fault: PacketFault) -> RejectedAt {
        let row = FAULTS.iter().position(|(known, _)| *known == fault);
        RejectedAt {
            row: row.unwrap_or(0),
            place: 0,
        }
    }

    fn longest_queues(&self, _: usize) -> Vec<LongestQueue> {
        Vec::new()
    }

    fn packet_ports(&self) -> PacketPorts {
        let packet = &self.first().packet;
        let ports = |chip: &Chip, link: &str| {
            let prefix = format!("{link}_out_data");
            let is_data = |name: &str| {
                let rest = name.strip_prefix(&prefix);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
            };
            let all = 0..chip.ports.len();
            let protocol = self.first().form.protocol;
            let back = |of: ProtocolName| {
                let name = format!("{link}_out_{}", of.back());
                (of == protocol).then(|| chip.port(&name))
            };
            FlitPorts {
                valid: chip.port(&format!("{link}_out_valid")),
                data: all.filter(|&port| is_data(chip.ports[port].name)).collect(),
                ready: back(ProtocolName::ValidReady),
                nack: back(ProtocolName::Circuit),
            }
        };
        let of_routers = self.arrays.iter().map(|of| {
            let chip = of.component.router.chip;
            let links = chip.links.iter().zip(&of.component.ends);
            let of_link = |(link, ends): (&&str, &LinkEnds)| ends.sends.then(|| ports(chip, link));
            links.map(of_link).collect()
        });
        let mut outputs: Vec<Vec<Option<FlitPorts>>> = of_routers.collect();
        let node = ports(self.first().endpoint.chip, endpoint::NET);
        outputs.insert(NODES, vec![Some(node)]);
        outputs.extend(self.delays.map(|_| Vec::new()));
        let mark = |flag: Option<usize>, codes: fn(&FlitCodes) -> [u64; 2]| {
            let of_flag = flag.map(|at| FlitMark {
                bits: at..at + 1,
                values: vec![1],
            });
            of_flag.or_else(|| {
                packet.codes.as_ref().map(|found| FlitMark {
                    bits: found.bits.clone(),
                    values: codes(found).to_vec(),
                })
            })
        };
        PacketPorts::Tags(TaggedFlits {
            outputs,
            message: packet.message.clone(),
            messages: packet.messages_max(),
            vc: packet.vc.clone(),
            head: mark(packet.head, FlitCodes::heads),
            tail: mark(packet.tail, FlitCodes::tails),
            length: packet.length.clone(),
            router_cycles: self.first().hop_cycles,
            is_path: self.first().form.protocol == ProtocolName::Circuit,
        })
    }
}
