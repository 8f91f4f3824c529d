//! The butterfly as a topology: clocks of connections, where attempts are blocked, and what is
//! told of the network.

use serde_json::json;
use smallvec::SmallVec;

use super::Butterfly;
use crate::Fabric;
use crate::rn1_nodes;
use crate::topology::{
    Arrival, CollisionTracing, Footprint, NetworkDrawing, OnPath, PathTiming, ROUTERS, Rank,
    Replies, Summary, Topology, Untraced,
};
use crosswave_chips::endpoint::Endpoint;
use crosswave_chips::routing::Route;
use crosswave_chips::switch::Switch;
use crosswave_chips::{Chip, rn1, rn1_interface};
use crosswave_probe::message::{RejectedAt, Rejections};

impl Topology for Butterfly {
    fn nodes(&self) -> u32 {
        self.nodes()
    }

    fn fabric(&self) -> Fabric {
        self.fabric()
    }

    fn node_of_instance(&self, instance: usize) -> u32 {
        instance as u32
    }

    fn endpoint(&self) -> &'static dyn Endpoint {
        &rn1_interface::Connection
    }

    fn switch(&self) -> Option<&'static dyn Switch> {
        Some(&rn1::Crossbar)
    }

    /// The digits of the destination, the highest in the highest bits of the byte.
    fn route(&self, _: u32, destination: u32) -> Route {
        let byte = destination << (8 - 2 * self.stages);
        Route {
            bytes: SmallVec::from_slice(&[byte as u8]),
            stages: self.stages as u8,
            swallows: 0,
        }
    }

    /// Every message passes a router of each stage.
    fn routers_on_path(&self, _: u32, _: u32) -> u32 {
        self.stages
    }

    fn leaves(&self, at: OnPath) -> usize {
        rn1_nodes::leaves(self.stages, false, at)
    }

    fn reads(&self, at: OnPath) -> String {
        let route = self.route(at.source, at.destination);
        rn1_nodes::reads(&route.bytes, 0, at.chip - 1)
    }

    fn timing(&self) -> Box<dyn PathTiming> {
        Box::new(self.clone())
    }

    fn rejections(&self) -> Rejections {
        rn1_nodes::blocked_by_stage(self.stages)
    }

    fn replies(&self) -> Option<&dyn Replies> {
        Some(&self.interface)
    }

    fn footprint(&self) -> Footprint {
        rn1_nodes::footprint(self.chips()[ROUTERS].1)
    }

    fn drawing(&self) -> &dyn NetworkDrawing {
        self
    }

    fn chips(&self) -> Vec<(&'static Chip, u64)> {
        let routers = self.stages * self.routers_of_stage();
        vec![
            (&rn1::CHIP, u64::from(routers)),
            (&rn1_interface::CHIP, u64::from(self.nodes())),
        ]
    }

    fn summary(&self) -> Summary {
        let routers = self.stages * self.routers_of_stage();
        let links = 2 * self.nodes() * (self.stages + 1);
        let row = |name: &str, value: u32| (name.to_owned(), value.to_string());
        Summary {
            fields: vec![
                ("stages", json!(self.stages)),
                ("routers", json!(routers)),
                ("links", json!(links)),
            ],
            rows: vec![
                row("stages", self.stages),
                row("routers", routers),
                row("links", links),
            ],
            last_rows: Vec::new(),
        }
    }

    fn collisions(&self) -> Result<&dyn CollisionTracing, Untraced> {
        Err(Untraced {
            why: "the network is no fat tree",
            instead: "blocked attempts of a butterfly are in the JSON, by stage",
        })
    }

    fn chip_family(&self) -> &'static [&'static Chip] {
        static FAMILY: [&Chip; 2] = [&rn1::CHIP, &rn1_interface::CHIP];
        &FAMILY
    }
}

impl NetworkDrawing for Butterfly {
    /// A stage with the groups whose routers have made the same decisions.
    fn ranks(&self) -> Vec<Rank> {
        let rank = |stage: u32| Rank {
            name: format!("stage {stage}"),
            routers: self.routers_of_stage(),
            groups: 1 << (2 * stage),
        };
        (0..self.stages).map(rank).collect()
    }

    fn standing(&self, router: u32) -> (usize, u32) {
        let of_stage = self.routers_of_stage();
        ((router / of_stage) as usize, router % of_stage)
    }
}

/// A word passes a router in a clock, and is taken in by the receiver in another one.
impl PathTiming for Butterfly {
    fn arrival(&self, _: u32, _: u32, words: u32) -> Option<Arrival> {
        let opened = u64::from(self.stages) + 1;
        Some(Arrival {
            opened: Some(opened),
            delivered: opened + u64::from(words) + 1,
        })
    }

    fn rejected(&self, _: u32, _: u32, _: u64, stage: u32) -> RejectedAt {
        rn1_nodes::blocked_in(stage)
    }
}
