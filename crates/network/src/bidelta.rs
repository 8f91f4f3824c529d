//! Bidelta networks of RN1 as a fabric.
//!
//! Source: DeHon 1990, sections 1.2 to 1.5 and 4.2. A network of `4^h` processors has
//! `h` stages of `4^h / 4` routers, in stacks
//! ([`routing::bidelta`](crosswave_chips::routing::bidelta)). Routers of a
//! stage form groups: those that lead to the same destinations, which agree in the
//! digits (base 4) decided on so far. Every router has two equivalent outputs in each
//! direction, but for the last stage, which is in the configuration of two crossbars,
//! so that the two outputs of the network to a processor come from two chips.
//!
//! # Coordinates
//!
//! A router has a stack and, in its layer of the stack, a group of as many digits as
//! there are layers above, and a position in the group. A layer of a stack that is not
//! the last has 64 routers; position `p` of the first has 6 bits, and each layer has two
//! less. Bits of numbers are written from the highest to the lowest:
//!
//! | from | to |
//! |---|---|
//! | processor `P`, side `s` | first stack `P >> 8` (or the only one), position `[s, P7..P3]`, input `P2..P0` |
//! | position `p`, output `2 d + e` | group `[g, d]`, position `[e, p >> 3]`, input `p & 7` |
//! | the same, to the last stage | groups `2 m` and `2 m + 1` share routers `2 m + e`; input `[g' & 1, p]`, `g' = [g, d]` |
//! | router `2 m + e` of the last stage, crossbar `c`, direction `d` | processor of group `2 m + c` and digit `d`, side `e` |
//!
//! The position takes up one bit of the choice of outputs (and sides) for each stage,
//! so the paths from a source to a destination meet in no router as long as there are
//! enough of them: their number doubles with each stage (full dispersion, section
//! 2.3.3).
//!
//! Between stacks: a stack leads in each of its 64 directions `D` by 8 wires
//! `w = [e, position]`. Where there are three stacks in a row, the stacks of the first
//! are in squares of 64: stack `[q, r]` is number `r` of square `q`. Its wires go to
//! stack `D` of the same square, and from there to the last stack `[D, D']`:
//! `index = [w, r]`, position `index >> 3`, input `index & 7`; for the last stack all of
//! `r` is there is.
//!
//! The wiring from a stage to the next one rotates bytes by two bits to the left.
//!
//! # Geometry (section 4.2)
//!
//! Stacks are squares of up to 8 by 8 chips with a pitch of 2 x 1.4 inch, and lie side
//! by side in planes, one for each stack in a row. A processor's last stack lies above
//! its first one, as the way back down is vertical (section 4.3.4). A wire between
//! planes is as long as the distance between the centres of its stacks, and takes at
//! least one extra clock; light covers 0.98357 feet in a nanosecond. The wires back down to
//! the processors take a clock, or what is asked for.
//!
//! # Numbering
//!
//! Stage by stage; in a stage the routers of one place in all stacks follow each other,
//! so that lane words move as a whole between the stages of stacks.

mod clocks;
pub mod config;
mod shape;
mod topology;

use std::sync::Arc;
use std::thread::Builder;

use crossbeam::channel::bounded;
use smallvec::SmallVec;

use super::copies::Copies;
use super::rn1_links::{RouterLink, RouterLinks};
use super::rn1_nodes::{self, Interface, RouteProperties};
use super::{ChipArray, Fabric, LinkPort, OPEN, Pin, PinValues};
use crosswave_chips::routing::bidelta::{STAGES_MAX, STAGES_MIN, stacks};
use crosswave_chips::{rn1, rn1_interface};
use shape::{BideltaShape, Router, STACK_SIDE_FEET, StackLayer};

pub use super::rn1_links::LINK_DELAY_CYCLES_MAX;
pub use super::topology::{NODES, ROUTERS};
/// Array of the delay lines; absent when no link has extra clocks.
pub const DELAY_LINES: usize = 2;

/// The fewest nodes of a network.
pub const NODES_MIN: u32 = 1 << (2 * STAGES_MIN);

/// Clocks of the wires back to the processors, where nothing else is asked for (section 4.3.4).
pub const LOOP_BACK_CYCLES: u32 = 1;

/// Nodes from which another thread finds links ahead.
const FOUND_AHEAD_FROM_NODES: u32 = 1 << 14;

/// Inputs, and outputs, of a router.
const SIDE: usize = 8;

/// Feet that a signal covers in a clock of 10 ns, at the speed of light (section 4.1.3).
const FEET_PER_CLOCK: f64 = 9.835_710_564_304_46;

/// Extra clocks of the links between stages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StageWires {
    /// None within stacks; between stacks what the length of the wire takes.
    Geometry,
    /// Given for each stage but the last: those of the links behind it.
    Given(Vec<u32>),
}

/// Parameters of a bidelta network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bidelta {
    /// Stages of routers, [`STAGES_MIN`] to [`STAGES_MAX`]; there are `4^stages` nodes.
    pub stages: u32,
    /// Extra clocks between stages.
    pub wires: StageWires,
    /// Clocks of the wires from the last stage back to the processors (section 4.3.4).
    pub loop_back: u32,
    /// Settings of the network interfaces.
    pub interface: Interface,
}

impl Bidelta {
    /// Number of nodes.
    pub fn nodes(&self) -> u32 {
        1 << (2 * self.stages)
    }

    fn shape(&self) -> BideltaShape {
        BideltaShape {
            stages: self.stages,
        }
    }

    /// Stages of each stack.
    pub fn stacks(&self) -> &'static [u32] {
        stacks(self.stages)
    }

    /// The instance of a node's network interface.
    pub fn node_instance(&self, node: u32) -> usize {
        self.shape().node_instance(node)
    }

    /// The node of a network interface.
    pub fn node_of_instance(&self, instance: usize) -> u32 {
        self.shape().node_of_instance(instance)
    }

    /// Extra clocks of the links from a router to one of the next stage.
    fn delay(&self, from: Router, to: Router) -> u32 {
        let shape = self.shape();
        if let StageWires::Given(delays) = &self.wires {
            return delays[from.stage as usize];
        }
        let (stack, next) = (shape.layer(from.stage).stack, shape.layer(to.stage).stack);
        if stack == next {
            return 0;
        }
        let (from, to) = (shape.place(from, stack), shape.place(to, next));
        let feet = (from.0 - to.0).hypot(from.1 - to.1);
        ((feet / FEET_PER_CLOCK).ceil() as u32).max(1)
    }

    /// Calls with every wire behind a stage, which is not the last one: the offsets of its ends in
    /// their planes, in sides of a stack of 64 chips a layer.
    pub fn each_placed_wire(&self, stage: u32, mut call: impl FnMut([f64; 2])) {
        let shape = self.shape();
        let [stack, next_stack] = [stage, stage + 1].map(|stage| shape.layer(stage).stack);
        shape.each_router(stage, |router| {
            let from = shape.place(router, stack);
            for output in 0..SIDE as u32 {
                let (next, _) = shape.next(router, output >> 1, output & 1);
                let to = shape.place(next, next_stack);
                let offsets = [from.0 - to.0, from.1 - to.1];
                call(offsets.map(|feet| feet.abs() / STACK_SIDE_FEET));
            }
        });
    }

    /// The extra clocks of all links behind each stage but the last.
    pub fn delays(&self) -> Vec<StageDelays> {
        let shape = self.shape();
        let of_stage = |stage| {
            let mut delays = StageDelays {
                least: u32::MAX,
                most: 0,
                total: 0,
            };
            shape.each_router(stage, |router| {
                for output in 0..SIDE as u32 {
                    let (next, _) = shape.next(router, output >> 1, output & 1);
                    let delay = self.delay(router, next);
                    delays.least = delays.least.min(delay);
                    delays.most = delays.most.max(delay);
                    delays.total += u64::from(delay);
                }
            });
            delays
        };
        (0..self.stages - 1).map(of_stage).collect()
    }

    /// Delay lines of all links.
    pub fn delay_lines(&self) -> u64 {
        let loop_back = 2 * u64::from(self.nodes()) * u64::from(self.loop_back);
        self.delays().iter().map(|delays| delays.total).sum::<u64>() + loop_back
    }

    /// Extra clocks between the stages on the way from a node to another one, which are
    /// the same on all paths. One for each stage but the last.
    pub fn path_delays(&self, source: u32, destination: u32) -> SmallVec<[u32; 10]> {
        let shape = self.shape();
        let (mut router, _) = shape.entrance(source, 0);
        let digit = |stage: u32| destination >> (2 * (self.stages - 1 - stage)) & 3;
        (0..self.stages - 1)
            .map(|stage| {
                let (next, _) = shape.next(router, digit(stage), 0);
                let delay = self.delay(router, next);
                router = next;
                delay
            })
            .collect()
    }

    /// The fabric.
    ///
    /// # Panics
    /// When the number of stages, or of delays, is wrong, or a delay too long.
    pub fn fabric(&self) -> Fabric {
        assert!((STAGES_MIN..=STAGES_MAX).contains(&self.stages));
        let nodes = self.nodes() as usize;
        let routers = self.stages as usize * nodes / 4;
        let first_node_link = (2 * SIDE * routers) as u32;
        let link_ports = first_node_link as usize + 4 * nodes;
        let mut fabric = Fabric {
            name: "bidelta",
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
        let entrances = self.entrances(&fabric);
        links.join(&mut fabric, entrances);
        let mut longest_way = self.loop_back;
        self.each_stage_links(|of_stage| longest_way += links.join(&mut fabric, of_stage));
        let exits = self.exits(&fabric);
        links.join(&mut fabric, exits);
        links.finish(&mut fabric);
        // The answers of a blocked connection, and its end, pass the way once more.
        fabric.rest_cycles = 64 + 4 * u64::from(self.stages + longest_way);
        fabric
    }

    fn entrances(&self, fabric: &Fabric) -> Vec<RouterLink> {
        let shape = self.shape();
        let of_side = |(instance, side): (usize, u32)| {
            let node = self.node_of_instance(instance);
            let (router, input) = shape.entrance(node, side);
            RouterLink {
                near: fabric.number(LinkPort {
                    array: NODES,
                    instance,
                    link: rn1_interface::T0 + side as usize,
                }),
                far: fabric.number(LinkPort {
                    array: ROUTERS,
                    instance: shape.instance(router),
                    link: input as usize,
                }),
                rotation: 0,
                delay: 0,
            }
        };
        rn1_nodes::sides(fabric.nodes).map(of_side).collect()
    }

    /// The last stage's outputs, which loop back; interfaces know how far words are rotated
    /// there.
    fn exits(&self, fabric: &Fabric) -> Vec<RouterLink> {
        let shape = self.shape();
        let StackLayer { stack, layers, .. } = shape.layer(self.stages - 1);
        let in_stack = 2 * layers;
        let of_side = |(instance, side): (usize, u32)| {
            let node = self.node_of_instance(instance);
            let group = (node & ((1 << in_stack) - 1)) >> 2;
            let router = Router {
                stage: self.stages - 1,
                source: 0,
                decided: if stack == 0 { 0 } else { node >> in_stack },
                group,
                position: side,
            };
            let output = 2 * (node & 3) + (group & 1);
            RouterLink {
                near: fabric.number(LinkPort {
                    array: ROUTERS,
                    instance: shape.instance(router),
                    link: SIDE + output as usize,
                }),
                far: fabric.number(LinkPort {
                    array: NODES,
                    instance,
                    link: rn1_interface::R0 + side as usize,
                }),
                rotation: 0,
                delay: self.loop_back,
            }
        };
        rn1_nodes::sides(fabric.nodes).map(of_side).collect()
    }

    /// Calls with the links behind each stage but the last, stage by stage. In a large network another
    /// thread finds those of the next stage meanwhile, however many threads the run has.
    fn each_stage_links(&self, mut call: impl FnMut(Vec<RouterLink>)) {
        let stages = 0..self.stages - 1;
        let (sender, found) = bounded(1);
        std::thread::scope(|scope| {
            let ahead = stages.clone();
            let find = move || {
                let _ = ahead
                    .map(|stage| self.stage_links(stage))
                    .try_for_each(|links| sender.send(links));
            };
            let is_large = self.nodes() >= FOUND_AHEAD_FROM_NODES;
            match is_large.then(|| Builder::new().spawn_scoped(scope, find)) {
                // Should `call` panic, nobody receives any more, and the other thread ends.
                Some(Ok(_)) => found.into_iter().for_each(call),
                _ => stages.for_each(|stage| call(self.stage_links(stage))),
            }
        });
    }

    /// The outputs of a stage, which is not the last one, to the next stage's inputs.
    fn stage_links(&self, stage: u32) -> Vec<RouterLink> {
        let shape = self.shape();
        // Routers have the first link ports of the fabric.
        let port = |router: Router, link: u32| (2 * SIDE * shape.instance(router)) as u32 + link;
        let mut links = Vec::with_capacity(2 * self.nodes() as usize);
        shape.each_router(stage, |router| {
            let near = port(router, SIDE as u32);
            for direction in 0..SIDE as u32 / 2 {
                // Equivalent outputs lead to one stack.
                let nexts = [0, 1].map(|equivalent| shape.next(router, direction, equivalent));
                let delay = self.delay(router, nexts[0].0);
                for (output, (next, input)) in (2 * direction..).zip(nexts) {
                    links.push(RouterLink {
                        near: near + output,
                        far: port(next, input),
                        rotation: 1,
                        delay,
                    });
                }
            }
        });
        links
    }

    fn router_array(&self, routers: usize) -> ChipArray {
        let shape = self.shape();
        let of_stage = routers / self.stages as usize;
        let last = routers - of_stage;
        let swallows = |instance: usize| {
            let StackLayer { stack, layer, .. } = shape.layer((instance / of_stage) as u32);
            if stack > 0 && layer == 0 { 0xff } else { 0 }
        };
        let pin = |port, values| Pin { port, values };
        let each =
            |value: &dyn Fn(usize) -> u32| PinValues::Each((0..routers).map(value).collect());
        let swallow = if shape.stacks_in_a_row() == 1 {
            PinValues::Uniform(0)
        } else {
            each(&swallows)
        };
        ChipArray {
            chip: &rn1::CHIP,
            instances: routers,
            first_link: 0,
            pins: vec![
                pin(
                    rn1::PORT_TWO_CROSSBARS,
                    each(&|instance| u32::from(instance >= last)),
                ),
                pin(rn1::PORT_SWALLOW, swallow),
                pin(rn1::PORT_IN_ENABLE, PinValues::Uniform(0xff)),
                pin(rn1::PORT_OUT_ENABLE, PinValues::Uniform(0xff)),
            ],
            silent: Vec::new(),
            random: true,
            changing: Vec::new(),
            modules: Arc::default(),
            name: {
                let of_stage = self.nodes() as usize / 4;
                Arc::new(move |instance| {
                    format!("rn1_{}_{}", instance / of_stage, instance % of_stage)
                })
            },
        }
    }

    fn node_array(&self, first_link: u32) -> ChipArray {
        let shape = self.shape();
        rn1_nodes::array(
            &self.interface,
            &RouteProperties {
                route_bytes: stacks(self.stages).len(),
                rotation: (self.stages - 1) % 4,
                last_delay: self.loop_back,
            },
            (0..self.nodes() as usize).map(|instance| self.node_of_instance(instance)),
            first_link,
            Arc::new(move |instance| format!("node_{}", shape.node_of_instance(instance))),
        )
    }
}

/// Extra clocks of the links behind a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StageDelays {
    /// Extra clocks of the shortest link.
    pub least: u32,
    /// Extra clocks of the longest link.
    pub most: u32,
    /// Extra clocks of all links together: delay lines.
    pub total: u64,
}

#[cfg(test)]
mod tests;
