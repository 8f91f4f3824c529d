//! Meshes, tori and rings of a designer's own routers.
//!
//! A router stands at each point of a grid of one, two or three axes; node `x + X (y + Y z)` is at the
//! local port of the router at (x, y, z). Along each axis a router has a link to the neighbour with the
//! lower coordinate and one to that with the higher coordinate. At the edge of a mesh these links lead
//! nowhere: what arrives there is 0. In a torus and a ring they lead round to the other edge. Which ports
//! these are the configuration says, in the names of the component file.

pub mod config;
mod topology;

use std::sync::Arc;

use super::copies::Copies;
use super::topology::{NODES, ROUTERS};
use super::{ChipArray, Fabric, LinkPort, OPEN, Pin, PinValues};
use crosswave_component::map::PinSource;
use crosswave_component::{Component, endpoint};

/// Routers at most.
pub const ROUTERS_MAX: u32 = 1 << 16;

/// A grid of routers.
#[derive(Debug, Clone)]
pub struct Grid {
    /// The router.
    component: &'static Component,
    /// Routers along each axis.
    size: Vec<u32>,
    /// The link port of the node.
    local: usize,
    /// The link ports to the lower and the higher neighbour, for each axis.
    axes: Vec<[usize; 2]>,
    /// True when the links at the edges lead round.
    wraps: bool,
    /// In so many of 256 cycles sinks refuse flits.
    stall: u32,
    /// Cycles without an event at any node after which a run ends.
    deadlock_cycles: u64,
}

impl Grid {
    /// Number of routers, and of nodes.
    fn count(&self) -> u32 {
        self.size.iter().product()
    }

    /// The coordinates of a router.
    fn coordinates(&self, router: u32) -> Vec<u32> {
        let mut rest = router;
        let split = |&size: &u32| {
            let coordinate = rest % size;
            rest /= size;
            coordinate
        };
        self.size.iter().map(split).collect()
    }

    /// The fields of a head for a node.
    fn header(&self, node: u32) -> u64 {
        self.component.packet.header(&self.coordinates(node), node)
    }

    /// Links from a router to another one on a shortest way.
    fn distance(&self, from: u32, to: u32) -> u32 {
        let (from, to) = (self.coordinates(from), self.coordinates(to));
        let pairs = from.iter().zip(&to).zip(&self.size);
        let along = pairs.map(|((&from, &to), &size)| {
            let straight = from.abs_diff(to);
            match self.wraps {
                true => straight.min(size - straight),
                false => straight,
            }
        });
        along.sum()
    }

    /// The values of a pin over all routers.
    fn pin_values(&self, source: PinSource) -> PinValues {
        let routers = 0..self.count();
        match source {
            PinSource::Value(value) => PinValues::Uniform(value),
            PinSource::Id => PinValues::Each(routers.collect()),
            PinSource::Coordinate(axis) => {
                let of = |router| self.coordinates(router).get(axis).copied().unwrap_or(0);
                PinValues::Each(routers.map(of).collect())
            }
        }
    }

    /// The name of a router: `router_X_Y`.
    fn router_name(&self, router: u32) -> String {
        let coordinates = self.coordinates(router);
        let parts = coordinates
            .iter()
            .map(|coordinate| format!("_{coordinate}"));
        format!("router{}", parts.collect::<String>())
    }

    /// The fabric.
    pub fn fabric(&self) -> Fabric {
        let count = self.count() as usize;
        let chip = self.component.router.chip;
        let first_node_link = (count * chip.links.len()) as u32;
        let pins = self.component.pins.iter();
        let pin = |&(port, source): &(usize, PinSource)| Pin {
            port,
            values: self.pin_values(source),
        };
        let network = self.clone();
        let routers = ChipArray {
            chip,
            instances: count,
            first_link: 0,
            pins: pins.map(pin).collect(),
            silent: Vec::new(),
            random: false,
            changing: Vec::new(),
            name: Arc::new(move |instance| network.router_name(instance as u32)),
        };
        let nodes = ChipArray {
            chip: self.component.endpoint.chip,
            instances: count,
            first_link: first_node_link,
            pins: vec![
                Pin {
                    port: endpoint::PORT_STALL,
                    values: PinValues::Uniform(self.stall.into()),
                },
                Pin {
                    port: endpoint::PORT_OWN_HEADER,
                    values: PinValues::Wide(
                        (0..self.count()).map(|node| self.header(node)).collect(),
                    ),
                },
            ],
            silent: Vec::new(),
            random: self.stall > 0,
            changing: Vec::new(),
            name: Arc::new(|instance| format!("node_{instance}")),
        };
        let mut fabric = Fabric {
            name: "grid",
            arrays: vec![routers, nodes],
            peers: vec![OPEN; first_node_link as usize + count],
            rotations: Vec::new(),
            nodes: count,
            copies: Copies::ONE,
            rest_cycles: 0,
            // Nothing is known of when a router of a designer's own rests.
            restless: true,
            changes: Vec::new(),
            lane: None,
        };
        let router = |instance: usize, link| LinkPort {
            array: ROUTERS,
            instance,
            link,
        };
        for instance in 0..count {
            let node = LinkPort {
                array: NODES,
                instance,
                link: 0,
            };
            fabric.join(node, router(instance, self.local));
            let mut step = 1;
            for (&size, &[lower, higher]) in self.size.iter().zip(&self.axes) {
                let at = instance / step % size as usize;
                let next = match at + 1 < size as usize {
                    true => Some(instance + step),
                    false if self.wraps => Some(instance - at * step),
                    false => None,
                };
                if let Some(next) = next {
                    fabric.join(router(instance, higher), router(next, lower));
                }
                step *= size as usize;
            }
        }
        fabric
    }
}
