//! Transit's fat trees of RN1: unit trees, with processors or bidelta clusters as leaves.
//!
//! Source: DeHon 1990, chapters 2 and 3. [`routing::transit`](crosswave_chips::routing::transit) has
//! addresses, stages and routes.
//!
//! # Parts
//!
//! A *unit tree* has a stage up, which leads to its three stages down or further up, and
//! distinguishes 64 children. UT64x8 has 8 channels for each of them each way, and 128 at its
//! top (208 routers); UT64x2 a quarter of that (52 routers); UT64x8c has a cap above it, 16
//! routers more. A *leaf cluster* B12, B48 or B192 is a bidelta network whose first stage leads
//! to the tree by direction 11. In layer t a unit tree has as many UT64x8 side by side, its
//! *stacks*, as match its children's channels, eight for each child in each stack.
//!
//! | stage | groups in a stack | routers of a group, UT64x8 | UT64x2 |
//! |---|---|---|---|
//! | up | 16: four children each | 4 | 1, or 2 halves |
//! | down, level 3 | 1 | 32 | 8 |
//! | down, level 2 | 4 | 12 | 3 |
//! | down, level 1 | 16 | 4 | 2 halves |
//! | cap | 1 | 16 | |
//!
//! The halves are crossbars of two routers which two groups share, so that no processor depends
//! on one of them. In a cluster of three processors times 4^i the last stage is of halves as
//! well.
//!
//! # Wiring
//!
//! Routers of a group lead to the same places. The wires that come to a group are counted, those
//! from stages up (or from processors) first and those from above behind them, and joined to its
//! inputs by the *dispersion* (section 2.3): dealt round to its routers one after the other
//! (full), router by router (none), or in an order that is drawn (random). Only routers of a
//! group of level 1 are dealt the wires of its four children: otherwise direction 00 would lead
//! to others. Of the outputs of a group in one direction, equivalent ones of a router follow each
//! other, so with full dispersion they lead to different routers.
//!
//! | from | to |
//! |---|---|
//! | wire w of a child, counted by (group, stack, output) | stack w mod S of the parent, and there wire 8 (child mod 4) + w / S of the child's group |
//! | output o of stack s' to a child of S stacks | stack (s' mod 8S) / 8 of it, wire 8q + o from above, q = 8 (s' / 8S) + s' mod 8 |
//! | output o of the cap in stack s of root r | bundle B = 4 (r S + s) + o mod 4; stack B mod S of the root it leads to, wire 8 (B / S) + o / 4 from above |
//!
//! So every stack has bundles of 8 channels each way, as Table 3.6 counts them: one for each
//! child, and 16 at its top. The lanes of the cap are assumed, as is its place.
//!
//! Inputs from stages up, and those into level 3 and into a cluster from above, swallow. Wiring
//! rotates the byte so that each stage finds its bits on top
//! ([`Stage::turned`](crosswave_chips::routing::transit::Stage::turned)).
//!
//! # Heights
//!
//! All routers are `rn1_height` if routes climb by a height, as all are RN1 otherwise: one
//! chip, whose options make it a router of one stage or another. Inputs of the stages up, and of
//! the cap, take their first byte for a height. At all other inputs the chip is RN1.
//!
//! # Numbering
//!
//! Stage by stage, unit by unit, stack by stack, group by group.

pub mod config;
mod critical;
mod geometry;
mod placed;
mod shape;
mod topology;
mod wiring;

use std::sync::Arc;

use super::copies::Copies;
use super::rn1_links::RouterLinks;
use super::rn1_nodes::{self, Interface, RouteProperties};
use super::{ChipArray, Fabric, OPEN, Pin, PinValues};
use crosswave_chips::rn1::{self, PORTS_A_SIDE};
use crosswave_chips::routing::transit::{Climb, Stage, TransitForm};
use crosswave_chips::{Chip, rn1_height, rn1_interface};
use shape::TransitShape;

pub use super::topology::{NODES, ROUTERS};
pub use critical::Dependents;
pub use geometry::Geometry;
pub use placed::{PlacedStack, PlacedWire, Vector};

/// Configuration of the stage up of UT64x2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpStage {
    /// A crossbar with two equivalent outputs.
    Standard,
    /// Two crossbars.
    TwoCrossbars,
}

/// Rule for spreading the wires that come to a group of routers over them (section 2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dispersion {
    /// Over as many as possible.
    Full,
    /// Over as few as possible.
    None,
    /// Over inputs that are drawn.
    Random {
        /// The seed from which they are drawn.
        seed: u64,
    },
}

/// Extra clocks of the wires between stacks.
#[derive(Debug, Clone, PartialEq)]
pub enum StackWires {
    /// The clocks that follow from the length of each.
    Geometry(Geometry),
    /// Given for each layer of UT64x8, the lowest first: those of the wires below it; and for
    /// the wires of the cap.
    Given(Vec<u32>),
}

/// Parameters of a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Transit {
    /// Leaves, layers and cap.
    pub form: TransitForm,
    /// Configuration of the stage up of UT64x2.
    pub up_stage: UpStage,
    /// The form in which the first byte of a route says how far it climbs.
    pub climb: Climb,
    /// Rule for spreading wires.
    pub dispersion: Dispersion,
    /// Extra clocks between stacks.
    pub wires: StackWires,
    /// Settings of the network interfaces.
    pub interface: Interface,
}

impl Transit {
    /// Number of nodes.
    pub fn nodes(&self) -> u32 {
        self.form.nodes()
    }

    fn shape(&self) -> TransitShape {
        TransitShape {
            form: self.form,
            up_stage: self.up_stage,
            dispersion: self.dispersion,
        }
    }

    /// The place of a router.
    pub fn place(&self, router: u32) -> RouterPosition {
        let shape = self.shape();
        let (stage, number) = shape.stage_of(router);
        let of_stack = shape.routers_of_stack(stage);
        let stacks = shape.stacks(stage);
        let (stack, index) = (number / of_stack, number % of_stack);
        RouterPosition {
            stage,
            unit: stack / stacks,
            stack: stack % stacks,
            index,
        }
    }

    /// Routers that each group of a stage has in a stack; a group shares them with others where
    /// they are two crossbars.
    pub fn routers_of_group(&self, stage: Stage) -> u32 {
        let shape = self.shape();
        shape.routers_of_stack(stage) / shape.groups(stage)
    }

    /// The stages of routers, in the order of routers' numbers, with the routers of each.
    pub fn stages(&self) -> Vec<(Stage, u32)> {
        let shape = self.shape();
        let of_stage = |stage| (stage, shape.routers_of_stage(stage));
        shape.stages().into_iter().map(of_stage).collect()
    }

    /// Stacks of each kind of part: leaves, and each layer of UT64x8.
    pub fn stacks(&self) -> Vec<u32> {
        let shape = self.shape();
        let layers = (1..=self.form.layers).map(Stage::Up);
        let of_layer = |stage| shape.units(stage) * shape.stacks(stage);
        [self.form.leaves()]
            .into_iter()
            .chain(layers.map(of_layer))
            .collect()
    }

    /// The fabric.
    ///
    /// # Panics
    /// When the number of delays is wrong, or a delay too long.
    pub fn fabric(&self) -> Fabric {
        let nodes = self.nodes() as usize;
        let routers = self.shape().routers() as usize;
        let first_node_link = (2 * PORTS_A_SIDE * routers) as u32;
        let link_ports = first_node_link as usize + 4 * nodes;
        let mut fabric = Fabric {
            name: "transit",
            arrays: vec![self.router_array(routers), self.node_array(first_node_link)],
            peers: vec![OPEN; link_ports],
            rotations: vec![0; link_ports],
            nodes,
            copies: Copies::ONE,
            rest_cycles: 0,
            restless: false,
            more_routers: 0,
            changes: Vec::new(),
            lane: Some(&rn1_interface::LANE),
        };
        let mut links = RouterLinks::new(&fabric);
        let mut swallows = vec![0; routers];
        let mut longest_way = 0;
        self.each_batch(|batch| {
            for link in batch.links.iter().filter(|_| batch.swallows) {
                let input = link.far as usize;
                swallows[input / (2 * PORTS_A_SIDE)] |= 1 << (input % (2 * PORTS_A_SIDE));
            }
            longest_way += links.join(&mut fabric, batch.links);
        });
        links.finish(&mut fabric);
        fabric.arrays[ROUTERS].pins.push(Pin {
            port: self.router_port(rn1::PORT_SWALLOW),
            values: PinValues::Each(swallows),
        });
        self.enable(&mut fabric);
        self.take_heights(&mut fabric);
        // The answers of a blocked connection, and its end, pass the way once more.
        fabric.rest_cycles = 64 + 4 * u64::from(self.form.stages_max() + longest_way);
        fabric
    }

    /// Enables the ports of routers that lead somewhere: those at the root do not.
    fn enable(&self, fabric: &mut Fabric) {
        let routers = fabric.arrays[ROUTERS].instances;
        let side = |router: usize, first: usize| {
            let at = 2 * PORTS_A_SIDE * router + first;
            let ports = fabric.peers[at..at + PORTS_A_SIDE].iter().enumerate();
            ports.fold(0, |bits, (port, &peer)| {
                bits | u32::from(peer != OPEN) << port
            })
        };
        let values =
            [0, PORTS_A_SIDE].map(|first| (0..routers).map(|router| side(router, first)).collect());
        let ports = [rn1::PORT_IN_ENABLE, rn1::PORT_OUT_ENABLE];
        for (port, values) in ports.into_iter().zip(values) {
            let (port, values) = (self.router_port(port), PinValues::Each(values));
            fabric.arrays[ROUTERS].pins.push(Pin { port, values });
        }
    }

    /// The inputs at which the first byte is a height: all of the stages up and of the cap.
    fn take_heights(&self, fabric: &mut Fabric) {
        if self.climb != Climb::Height {
            return;
        }
        let of_stage = |(stage, routers): (Stage, u32)| {
            let climbs = matches!(stage, Stage::Up(_) | Stage::Cap);
            let inputs = if climbs { (1 << PORTS_A_SIDE) - 1 } else { 0 };
            std::iter::repeat_n(inputs, routers as usize)
        };
        fabric.arrays[ROUTERS].pins.push(Pin {
            port: rn1_height::PORT_TO_HEIGHT,
            values: PinValues::Each(self.stages().into_iter().flat_map(of_stage).collect()),
        });
    }

    /// The chip of which all routers are.
    fn router_chip(&self) -> &'static Chip {
        match self.climb {
            Climb::Directions => &rn1::CHIP,
            Climb::Height => &rn1_height::CHIP,
        }
    }

    /// The index of a port of RN1 in the table of the routers' chip.
    fn router_port(&self, of_rn1: usize) -> usize {
        rn1_nodes::router_port(self.router_chip(), of_rn1)
    }

    /// By how many steps of two bits a byte has been rotated to the left that a stage reads.
    fn turned(&self, stage: Stage) -> u32 {
        stage.turned(self.form.layers, self.climb)
    }

    fn router_array(&self, routers: usize) -> ChipArray {
        let shape = self.shape();
        let mut crossbars = Vec::with_capacity(routers);
        for stage in shape.stages() {
            let value = u32::from(shape.made_of(stage).crossbars);
            let count = shape.routers_of_stage(stage) as usize;
            crossbars.extend(std::iter::repeat_n(value, count));
        }
        ChipArray {
            chip: self.router_chip(),
            instances: routers,
            first_link: 0,
            pins: vec![Pin {
                port: self.router_port(rn1::PORT_TWO_CROSSBARS),
                values: PinValues::Each(crossbars),
            }],
            silent: Vec::new(),
            random: true,
            changing: Vec::new(),
            modules: Arc::default(),
            name: {
                let tree = self.clone();
                Arc::new(move |instance| name(&tree, instance as u32))
            },
        }
    }

    fn node_array(&self, first_link: u32) -> ChipArray {
        let rotation = self.turned(match self.form.leaf_stages {
            0 => Stage::Down(0, 1),
            stages => Stage::Leaf(stages - 1),
        });
        rn1_nodes::array(
            &self.interface,
            &RouteProperties {
                route_bytes: self.form.route_bytes(),
                rotation,
                last_delay: 0,
            },
            0..self.nodes(),
            first_link,
            Arc::new(|instance| format!("node_{instance}")),
        )
    }
}

/// The coordinates of a router.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RouterPosition {
    /// Its stage.
    pub stage: Stage,
    /// The unit tree of its layer, or the leaf cluster.
    pub unit: u32,
    /// The stack of the unit.
    pub stack: u32,
    /// Its number in its stage of the stack.
    pub index: u32,
}

/// The name of a stage: `leaf_0`, `up_1`, `cap`, `down_1_3` (layer 1, level 3).
pub fn stage_name(stage: Stage) -> String {
    match stage {
        Stage::Leaf(stage) => format!("leaf_{stage}"),
        Stage::Up(layer) => format!("up_{layer}"),
        Stage::Cap => "cap".into(),
        Stage::Down(layer, level) => format!("down_{layer}_{level}"),
    }
}

/// The name of a router: its stage, and the numbers of its unit and of the router in it; where
/// there are several stacks in a unit, that of its stack between them.
fn name(tree: &Transit, router: u32) -> String {
    let RouterPosition {
        stage,
        unit,
        stack,
        index,
    } = tree.place(router);
    let name = stage_name(stage);
    match tree.shape().stacks(stage) {
        1 => format!("{name}_{unit}_{index}"),
        _ => format!("{name}_{unit}_{stack}_{index}"),
    }
}

#[cfg(test)]
mod tests;
