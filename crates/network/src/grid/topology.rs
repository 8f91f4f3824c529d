//! Grids as topologies: destinations in heads, what is lost or wrong, and what is told of the network.

use serde_json::json;
use smallvec::{SmallVec, smallvec};

use super::Grid;
use crate::Fabric;
use crate::topology::{
    CollisionTracing, FlitPorts, Footprint, LongestQueue, NetworkDrawing, OnPath, PacketFault,
    PacketPorts, PacketRules, PathTiming, Rank, Summary, TaggedFlits, Topology, UnknownWaits,
    Untraced,
};
use crosswave_chips::Chip;
use crosswave_chips::endpoint::Endpoint;
use crosswave_chips::routing::Route;
use crosswave_chips::switch::Switch;
use crosswave_component::Component;
use crosswave_component::endpoint;
use crosswave_component::endpoint::FlitEndpoint;
use crosswave_component::file::{FlitForm, ProtocolName};
use crosswave_probe::message::{CountForm, RejectedAt, RejectionRow, Rejections};

impl Topology for Grid {
    fn nodes(&self) -> u32 {
        self.count()
    }

    fn fabric(&self) -> Fabric {
        self.fabric()
    }

    fn node_of_instance(&self, instance: usize) -> u32 {
        instance as u32
    }

    fn endpoint(&self) -> &'static dyn Endpoint {
        &FlitEndpoint
    }

    fn switch(&self) -> Option<&'static dyn Switch> {
        None
    }

    fn packets(&self) -> Option<&dyn PacketRules> {
        Some(self)
    }

    /// The fields of the destination, for the header of the endpoint.
    fn route(&self, _: u32, destination: u32) -> Route {
        let header = self.header(destination);
        Route {
            bytes: SmallVec::from_slice(&header.to_le_bytes()),
            ..Route::default()
        }
    }

    /// Those of a shortest way: routers may take others.
    fn routers_on_path(&self, source: u32, destination: u32) -> u32 {
        self.distance(source, destination) + 1
    }

    /// Nobody knows how a router of a designer's own decides.
    fn leaves(&self, _: OnPath) -> usize {
        self.local
    }

    /// The fields of the destination, which each router sees.
    fn reads(&self, _: OnPath) -> String {
        let fields = self.component.packet.destination.iter();
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
                .map(|&(_, name, heading)| row(name, heading))
                .collect(),
        }
    }

    fn drawing(&self) -> &dyn NetworkDrawing {
        self
    }

    fn chips(&self) -> Vec<(&'static Chip, u64)> {
        let count = u64::from(self.count());
        vec![
            (self.component.router.chip, count),
            (self.component.endpoint.chip, count),
        ]
    }

    fn component(&self) -> Option<&'static Component> {
        Some(self.component)
    }

    fn summary(&self) -> Summary {
        let form = self.component.form;
        let sizes: Vec<String> = self.size.iter().map(u32::to_string).collect();
        let shape = sizes.join(" × ");
        let inner = self.size.iter().map(|&size| match self.wraps {
            true => u64::from(self.count()),
            false => u64::from(self.count() / size * (size - 1)),
        });
        let links: u64 = inner.sum::<u64>() + u64::from(self.count());
        let row = |name: &str, value: String| (name.to_owned(), value);
        Summary {
            fields: vec![
                ("size", json!(self.size)),
                ("routers", json!(self.count())),
                ("links", json!(links)),
                ("component", json!(self.component.top)),
                ("protocol", json!(form.protocol.name())),
                ("flit_bits", json!(form.data_bits)),
            ],
            rows: vec![
                row("size", format!("{shape} routers of {}", self.component.top)),
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
        Footprint::of_packets(self.component.router.chip.links.len(), true)
    }

    fn chip_family(&self) -> &'static [&'static Chip] {
        &self.component.chips
    }
}

impl NetworkDrawing for Grid {
    /// A rank for each row of routers along the first axis.
    fn ranks(&self) -> Vec<Rank> {
        let width = self.size[0];
        let rows = self.count() / width;
        let rank = |row: u32| Rank {
            name: format!("row {row}"),
            routers: width,
            groups: 1,
        };
        (0..rows).map(rank).collect()
    }

    fn standing(&self, router: u32) -> (usize, u32) {
        let width = self.size[0];
        ((router / width) as usize, router % width)
    }
}

/// The faults of packets, with the names of their rows in results and in a table.
const FAULTS: [(PacketFault, &str, &str); 4] = [
    (PacketFault::Misrouted, "misrouted", "came to another node"),
    (PacketFault::Corrupted, "corrupted", "not as it was sent"),
    (PacketFault::Doubled, "doubled", "came once more"),
    (PacketFault::Unknown, "unknown", "of no message under way"),
];

impl PacketRules for Grid {
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
        Some(self.deadlock_cycles)
    }

    fn arrivals(&self, words: u32) -> u64 {
        match self.component.packet.form {
            FlitForm::Single => u64::from(words),
            _ => 1,
        }
    }

    fn words_max(&self) -> u64 {
        self.component.packet.flits_max()
    }

    fn messages_told_apart(&self) -> u64 {
        self.component.packet.messages_max()
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
        let row = FAULTS.iter().position(|(known, ..)| *known == fault);
        RejectedAt {
            row: row.unwrap_or(0),
            place: 0,
        }
    }

    fn longest_queues(&self, _: usize) -> Vec<LongestQueue> {
        Vec::new()
    }

    fn packet_ports(&self) -> PacketPorts {
        let packet = &self.component.packet;
        let router = self.component.router.chip;
        let ports = |chip: &Chip, link: &str| {
            let prefix = format!("{link}_out_data");
            let is_data = |name: &str| {
                let rest = name.strip_prefix(&prefix);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
            };
            let all = 0..chip.ports.len();
            FlitPorts {
                valid: chip.port(&format!("{link}_out_valid")),
                data: all.filter(|&port| is_data(chip.ports[port].name)).collect(),
                ready: match self.component.form.protocol {
                    ProtocolName::ValidReady => Some(chip.port(&format!("{link}_out_ready"))),
                    _ => None,
                },
            }
        };
        PacketPorts::Tags(TaggedFlits {
            router: router
                .links
                .iter()
                .map(|link| ports(router, link))
                .collect(),
            node: ports(self.component.endpoint.chip, endpoint::NET),
            message: packet.message.clone(),
            messages: packet.messages_max(),
            vc: packet.vc.clone(),
            head: packet.head,
            tail: packet.tail,
            length: packet.length.clone(),
            router_cycles: self.component.hop_cycles,
        })
    }
}
