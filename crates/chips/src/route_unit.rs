//! `route_unit`: the route of a message in a Transit fat tree, from addresses.
//!
//! Source: DeHon 1990, section 3.8. `hdl/route_unit.md` gives ports and routes. It has no link
//! ports: it stands beside the interface, where a host computes the route.

use serde::{Deserialize, Serialize};

use super::{
    Chip, LinkWord, Model, Port, RandomPins, Role, input, join, output, pins, port_indices, sources,
};
use crate::routing::Route;
use crate::routing::transit::{Address, Form};

const fn option(name: &'static str, width: u8, doc: &'static str) -> Port {
    input(name, width, Role::Option, doc)
}

const fn asked(name: &'static str, width: u8, doc: &'static str) -> Port {
    input(name, width, Role::Host, doc)
}

const fn told(name: &'static str, width: u8, doc: &'static str) -> Port {
    output(name, width, Role::Host, doc)
}

const PORTS: [Port; 13] = join(&[&[
    input("clock", 1, Role::Clock, "rising edge"),
    input("reset", 1, Role::Reset, "synchronous, active high"),
    option(
        "leaf_stages",
        3,
        "stages of a leaf cluster, 2 to 4; 0 in full fat trees",
    ),
    option("tree_bytes", 2, "address bytes of unit trees, 1 to 3"),
    asked(
        "source_root",
        2,
        "which of the roots of a capped tree; 0 without a cap",
    ),
    asked(
        "source_tree",
        24,
        "the source's address bytes, the lowest layer's in bits 7 to 0",
    ),
    asked("destination_root", 2, "the destination's root"),
    asked("destination_tree", 24, "the destination's address bytes"),
    asked(
        "destination_leaf",
        8,
        "its place in the leaf cluster; not read in full fat trees",
    ),
    told(
        "route",
        32,
        "the routing bytes, the first in bits 7 to 0; the others are 0",
    ),
    told("route_bytes", 2, "their number minus one"),
    told("stages", 4, "routers on the way"),
    told(
        "swallows",
        16,
        "bit s: router s of the way, from 0, swallows a byte",
    ),
]]);

/// The table of the chip.
pub static CHIP: Chip = Chip {
    name: "route_unit",
    ports: &PORTS,
    links: &[],
    words: &[],
    sources: sources!["route_unit.v"],
};

port_indices! { PORTS;
    pub PORT_LEAF_STAGES = "leaf_stages";
    pub PORT_TREE_BYTES = "tree_bytes";
    pub PORT_SOURCE_ROOT = "source_root";
    pub PORT_SOURCE_TREE = "source_tree";
    pub PORT_DESTINATION_ROOT = "destination_root";
    pub PORT_DESTINATION_TREE = "destination_tree";
    pub PORT_DESTINATION_LEAF = "destination_leaf";
    pub PORT_ROUTE = "route";
    pub PORT_ROUTE_BYTES = "route_bytes";
    pub PORT_STAGES = "stages";
    pub PORT_SWALLOWS = "swallows";
}

pins! {
    /// Configuration and host pins.
    pub struct Pins {
        source_tree: u32 = PORT_SOURCE_TREE,
        destination_tree: u32 = PORT_DESTINATION_TREE,
        leaf_stages: u8 = PORT_LEAF_STAGES,
        tree_bytes: u8 = PORT_TREE_BYTES,
        source_root: u8 = PORT_SOURCE_ROOT,
        destination_root: u8 = PORT_DESTINATION_ROOT,
        destination_leaf: u8 = PORT_DESTINATION_LEAF,
    }
}

impl Pins {
    /// The form of addresses.
    fn form(&self) -> Form {
        let hybrid = self.leaf_stages > 0;
        Form {
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
    type State = State;
    type Pins = Pins;
    type Word = LinkWord;
    type Words = [LinkWord; 0];
    const CHIP: &'static Chip = &CHIP;

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
