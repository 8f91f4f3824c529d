//! `route_unit`: the route of a message in a Transit fat tree, from addresses.
//!
//! Source: DeHon 1990, section 3.8. `hdl/route_unit.md` gives ports and routes. It has no link
//! ports: it stands beside the interface, where a host computes the route.

use serde::{Deserialize, Serialize};

use super::ports::{chip, model_types};
use super::{LinkWord, Model, RandomPins};
use crate::routing::Route;
use crate::routing::transit::{Address, TransitForm};

chip! {
    name: route_unit,
    links: [],
    words: &[],
    sources: ["route_unit.v"],
    ports {
        option("leaf_stages", 3, "stages of a leaf cluster, 2 to 4; 0 in full fat trees")
            => pub PORT_LEAF_STAGES, leaf_stages: u8;
        option("tree_bytes", 2, "address bytes of unit trees, 1 to 3")
            => pub PORT_TREE_BYTES, tree_bytes: u8;
        host_input("source_root", 2, "which of the roots of a capped tree; 0 without a cap")
            => pub PORT_SOURCE_ROOT, source_root: u8;
        host_input(
            "source_tree", 24,
            "the source's address bytes, the lowest layer's in bits 7 to 0",
        ) => pub PORT_SOURCE_TREE, source_tree: u32;
        host_input("destination_root", 2, "the destination's root")
            => pub PORT_DESTINATION_ROOT, destination_root: u8;
        host_input("destination_tree", 24, "the destination's address bytes")
            => pub PORT_DESTINATION_TREE, destination_tree: u32;
        host_input(
            "destination_leaf", 8,
            "its place in the leaf cluster; not read in full fat trees",
        ) => pub PORT_DESTINATION_LEAF, destination_leaf: u8;
        host_output("route", 32, "the routing bytes, the first in bits 7 to 0; the others are 0")
            => pub PORT_ROUTE;
        host_output("route_bytes", 2, "their number minus one") => pub PORT_ROUTE_BYTES;
        host_output("stages", 4, "routers on the route") => pub PORT_STAGES;
        host_output("swallows", 16, "bit s: router s of the route, from 0, swallows a byte")
            => pub PORT_SWALLOWS;
    }
    /// Configuration and host pins.
    pub struct Pins saved as [
        source_tree, destination_tree, leaf_stages, tree_bytes, source_root, destination_root,
        destination_leaf,
    ];
}

impl Pins {
    /// The form of addresses.
    fn form(&self) -> TransitForm {
        let hybrid = self.leaf_stages > 0;
        TransitForm {
            leaf_stages: u32::from(self.leaf_stages),
            layers: u32::from(self.tree_bytes) - u32::from(!hybrid),
            capped: true,
        }
    }

    fn address(&self, root: u8, tree: u32) -> Address {
        let bytes = (0..self.tree_bytes).rev();
        Address {
            root,
            tree: bytes.map(|byte| (tree >> (8 * byte)) as u8).collect(),
            leaf: (self.leaf_stages > 0).then_some(self.destination_leaf),
        }
    }
}

/// Registers: those that are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    route: u32,
    route_bytes: u8,
    stages: u8,
    swallows: u16,
}

/// The model.
#[derive(Debug)]
pub struct RouteUnit;

impl Model for RouteUnit {
    model_types!(State, Pins, [LinkWord; 0]);

    fn step(state: &mut State, pins: &Pins, _: &impl RandomPins, _: &mut [LinkWord]) -> bool {
        let before = *state;
        *state = match pins.tree_bytes {
            0 => State::default(),
            _ => {
                let source = pins.address(pins.source_root, pins.source_tree);
                let destination = pins.address(pins.destination_root, pins.destination_tree);
                shown(&pins.form().route(&source, &destination))
            }
        };
        *state != before
    }

    fn output(state: &State, port: usize) -> u64 {
        match port {
            PORT_ROUTE => u64::from(state.route),
            PORT_ROUTE_BYTES => u64::from(state.route_bytes),
            PORT_STAGES => u64::from(state.stages),
            PORT_SWALLOWS => u64::from(state.swallows),
            _ => 0,
        }
    }
}

/// A route as the chip shows it.
fn shown(route: &Route) -> State {
    let bytes = route.bytes.iter().rev();
    State {
        route: bytes.fold(0, |value, &byte| value << 8 | u32::from(byte)),
        route_bytes: route.bytes.len() as u8 - 1,
        stages: route.stages,
        swallows: route.swallows,
    }
}
