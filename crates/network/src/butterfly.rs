//! Dilated butterflies of RN1 as a fabric.
//!
//! A network of `4^h` processors has `h` stages of `4^h / 4` routers; each router has four
//! directions with two outputs each (a radix of four, dilated twice). A link has a *position*,
//! an address of `h` digits (base 4), and a *side*, 0 or 1. Stage `s` decides on digit
//! `h - 1 - s` of the destination: a router joins the eight links whose positions differ in
//! that digit only, and the outputs in direction `d` have the same position with `d` in its
//! place. So a message comes to its destination's position, on either side. The wiring is
//! assumed; it is the usual one of butterflies (Leighton, Introduction to Parallel Algorithms
//! and Architectures, 1992, section 3.2, for radix two).
//!
//! | from | to |
//! |---|---|
//! | processor `P`, side `e` | position `P`, side `e` |
//! | position `p`, side `e` | stage `s`: router `p` without digit `h - 1 - s`, input `2 * digit + e` |
//! | router, output `2 d + e` | position with `d` as that digit, side `e` |
//! | position `p`, side `e`, behind the last stage | processor `p`, side `e` |
//!
//! In a bidelta network the two paths of a message spread over more and more routers, and the
//! two sides of a processor are reached by two chips of the last stage. Here the sides of a
//! link stay together, so that a message that is blocked at one output of a direction has only
//! the other one. One routing byte has the digits of four stages, so there are up to four.
//!
//! The wiring from a stage to the next one rotates bytes by two bits to the left (DeHon 1990,
//! section 1.3).

pub mod config;
mod topology;

use std::sync::Arc;

use super::copies::Copies;
use super::rn1_links::{RouterLink, RouterLinks};
use super::rn1_nodes::{self, Interface, RouteProperties};
use super::{ChipArray, Fabric, LinkPort, OPEN, Pin, PinValues};
use crosswave_chips::rn1::PORTS_A_SIDE;
use crosswave_chips::{rn1, rn1_interface};

pub use super::topology::{NODES, ROUTERS};

/// The fewest stages.
pub const STAGES_MIN: u32 = 2;
/// The most stages: those whose digits one routing byte has.
pub const STAGES_MAX: u32 = 4;

/// Parameters of a butterfly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Butterfly {
    /// Stages of routers, [`STAGES_MIN`] to [`STAGES_MAX`]; there are `4^stages` nodes.
    pub stages: u32,
    /// Settings of the network interfaces.
    pub interface: Interface,
}

impl Butterfly {
    /// Number of nodes.
    pub fn nodes(&self) -> u32 {
        1 << (2 * self.stages)
    }

    /// Routers of a stage.
    fn routers_of_stage(&self) -> u32 {
        self.nodes() / 4
    }

    /// The lowest bit of the digit that a stage decides on.
    fn digit_bit(&self, stage: u32) -> u32 {
        2 * (self.stages - 1 - stage)
    }

    /// The router of a stage, and its input, to which a link leads.
    fn input(&self, stage: u32, position: u32, side: u32) -> LinkPort {
        let bit = self.digit_bit(stage);
        let digit = position >> bit & 3;
        let router = position >> (bit + 2) << bit | position & ((1 << bit) - 1);
        LinkPort {
            array: ROUTERS,
            instance: (stage * self.routers_of_stage() + router) as usize,
            link: (2 * digit + side) as usize,
        }
    }

    /// The router of a stage, and its output, from which a link of the next stage comes.
    fn output(&self, stage: u32, position: u32, side: u32) -> LinkPort {
        let input = self.input(stage, position, side);
        LinkPort {
            link: PORTS_A_SIDE + input.link,
            ..input
        }
    }

    /// The fabric.
    ///
    /// # Panics
    /// When there are not [`STAGES_MIN`] to [`STAGES_MAX`] stages.
    pub fn fabric(&self) -> Fabric {
        assert!((STAGES_MIN..=STAGES_MAX).contains(&self.stages));
        let routers = (self.stages * self.routers_of_stage()) as usize;
        let first_node_link = (2 * PORTS_A_SIDE * routers) as u32;
        let link_ports = (first_node_link + 4 * self.nodes()) as usize;
        let mut fabric = Fabric {
            name: "butterfly",
            arrays: vec![
                self.router_array(routers),
                rn1_nodes::array(
                    &self.interface,
                    &RouteProperties {
                        route_bytes: 1,
                        rotation: (self.stages - 1) % 4,
                        last_delay: 0,
                    },
                    0..self.nodes(),
                    first_node_link,
                    Arc::new(|instance| format!("node_{instance}")),
                ),
            ],
            peers: vec![OPEN; link_ports],
            rotations: vec![0; link_ports],
            nodes: self.nodes() as usize,
            copies: Copies::ONE,
            // The answers of a blocked connection, and its end, pass the way once more.
            rest_cycles: 64 + 4 * u64::from(self.stages),
            restless: false,
            more_routers: 0,
            changes: Vec::new(),
            lane: Some(&rn1_interface::LANE),
        };
        let link = |near: LinkPort, far: LinkPort, rotation: u8| RouterLink {
            near: fabric.number(near),
            far: fabric.number(far),
            rotation,
            delay: 0,
        };
        let mut all = Vec::new();
        for (node, side) in rn1_nodes::sides(fabric.nodes) {
            let position = node as u32;
            let node = |link: usize| LinkPort {
                array: NODES,
                instance: node,
                link: link + side as usize,
            };
            all.push(link(
                node(rn1_interface::T0),
                self.input(0, position, side),
                0,
            ));
            for stage in 1..self.stages {
                let near = self.output(stage - 1, position, side);
                all.push(link(near, self.input(stage, position, side), 1));
            }
            let last = self.output(self.stages - 1, position, side);
            all.push(link(last, node(rn1_interface::R0), 0));
        }
        let mut links = RouterLinks::new(&fabric);
        links.join(&mut fabric, all);
        links.finish(&mut fabric);
        fabric
    }

    fn router_array(&self, routers: usize) -> ChipArray {
        let of_stage = self.routers_of_stage() as usize;
        let pin = |port| Pin {
            port,
            values: PinValues::Uniform(0xff),
        };
        ChipArray {
            chip: &rn1::CHIP,
            instances: routers,
            first_link: 0,
            pins: vec![pin(rn1::PORT_IN_ENABLE), pin(rn1::PORT_OUT_ENABLE)],
            silent: Vec::new(),
            random: true,
            changing: Vec::new(),
            modules: Arc::default(),
            name: Arc::new(move |instance| {
                format!("rn1_{}_{}", instance / of_stage, instance % of_stage)
            }),
        }
    }
}

#[cfg(test)]
mod tests;
