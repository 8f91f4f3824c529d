//! The bidelta network as a topology: clocks of connections, where attempts are blocked, and
//! what is told of the network.

use serde_json::json;

use super::Bidelta;
use super::clocks::RouteClocks;
use crate::Fabric;
use crate::rn1_nodes;
use crate::topology::{
    Arrival, CollisionTracing, Footprint, NetworkDrawing, OnPath, PathTiming, ROUTERS, Rank,
    Replies, Summary, Topology, Untraced,
};
use crosswave_chips::endpoint::Endpoint;
use crosswave_chips::routing::Route;
use crosswave_chips::routing::bidelta::route;
use crosswave_chips::switch::Switch;
use crosswave_chips::{Chip, rn1, rn1_delay_line, rn1_interface};
use crosswave_probe::message::{RejectedAt, Rejections};

impl Topology for Bidelta {
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
        &rn1_interface::Connection
    }

    fn switch(&self) -> Option<&'static dyn Switch> {
        Some(&rn1::Crossbar)
    }

    fn route(&self, _: u32, destination: u32) -> Route {
        route(self.stages, destination)
    }

    /// Every message passes a router of each stage.
    fn routers_on_path(&self, _: u32, _: u32) -> u32 {
        self.stages
    }

    fn leaves(&self, at: OnPath) -> usize {
        rn1_nodes::leaves(self.stages, true, at)
    }

    fn reads(&self, at: OnPath) -> String {
        let stage = at.chip - 1;
        let mut last = 0;
        let ends = self.stacks().iter().map(|of_stack| {
            last += of_stack;
            last
        });
        let stack = ends.take_while(|&end| end <= stage).count();
        rn1_nodes::reads(&self.route(at.source, at.destination).bytes, stack, stage)
    }

    fn timing(&self) -> Box<dyn PathTiming> {
        Box::new(RouteClocks::new(self))
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
        let nodes = u64::from(self.nodes());
        vec![
            (&rn1::CHIP, nodes / 4 * u64::from(self.stages)),
            (&rn1_interface::CHIP, nodes),
            (&rn1_delay_line::CHIP, self.delay_lines()),
        ]
    }

    fn summary(&self) -> Summary {
        let (nodes, stages) = (u64::from(self.nodes()), u64::from(self.stages));
        let delays: Vec<(u32, u32)> = self.delays().iter().map(|d| (d.least, d.most)).collect();
        let (routers, links) = (nodes / 4 * stages, 2 * nodes * (stages + 1));
        let stacks: Vec<String> = self.stacks().iter().map(u32::to_string).collect();
        let mut rows = vec![
            ("stages".to_owned(), stages.to_string()),
            (
                "stacks of chips".to_owned(),
                format!("{}, of {} stages", stacks.len(), stacks.join(", ")),
            ),
            ("routers".to_owned(), routers.to_string()),
            ("links".to_owned(), links.to_string()),
        ];
        let long = delays.iter().enumerate().filter(|(_, (_, most))| *most > 0);
        rows.extend(long.map(|(stage, (least, most))| {
            (
                format!("wires after stage {stage}"),
                format!("{least} to {most} extra cycles"),
            )
        }));
        Summary {
            fields: vec![
                ("stages", json!(stages)),
                ("stages_of_stacks", json!(self.stacks())),
                ("routers", json!(routers)),
                ("links", json!(links)),
                ("link_delay_cycles", json!(delays)),
            ],
            rows,
            last_rows: Vec::new(),
        }
    }

    fn collisions(&self) -> Result<&dyn CollisionTracing, Untraced> {
        Err(Untraced {
            why: "the network is no fat tree",
            instead: "blocked attempts of a bidelta network are in the JSON, by stage",
        })
    }

    fn chip_family(&self) -> &'static [&'static Chip] {
        rn1_nodes::family(&rn1::CHIP, false)
    }
}

impl NetworkDrawing for Bidelta {
    /// A stage with the groups in its stacks whose routers have made the same decisions.
    fn ranks(&self) -> Vec<Rank> {
        let shape = self.shape();
        let rank = |stage: u32| Rank {
            name: format!("stage {stage}"),
            routers: self.nodes() / 4,
            groups: shape.groups(stage),
        };
        (0..self.stages).map(rank).collect()
    }

    fn standing(&self, router: u32) -> (usize, u32) {
        let (stage, place) = self.shape().standing(router);
        (stage as usize, place)
    }
}

impl PathTiming for RouteClocks {
    fn arrival(&self, source: u32, destination: u32, words: u32) -> Option<Arrival> {
        // The interface shows the first word a clock after it is on the wire.
        let opened = self.open(source, destination) + 1;
        Some(Arrival {
            opened: Some(opened),
            delivered: opened + u64::from(words) + 1,
        })
    }

    fn rejected(&self, _: u32, _: u32, _: u64, stage: u32) -> RejectedAt {
        rn1_nodes::blocked_in(stage)
    }
}
