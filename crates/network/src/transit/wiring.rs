//! The links of a tree, batch by batch of those that lead from one stage to another one.

use super::geometry::{ChannelEnd, Placement, length};
use super::shape::{Group, LinkEnd, StageLayout};
use super::{StackWires, Transit};
use crate::rn1_links::RouterLink;
use crate::rn1_nodes;
use crosswave_chips::rn1::PORTS_A_SIDE;
use crosswave_chips::rn1_interface;
use crosswave_chips::routing::transit::{FAN, Stage};

/// The direction that leads on up.
const UP: u32 = 3;
/// Channels of a bundle, each way (section 3.3.6).
const BUNDLE: u32 = 8;

/// Links between two stages.
pub(super) struct LinkBatch {
    /// The stage they lead from; `None` from nodes.
    pub from: Option<Stage>,
    /// The stage they lead to; `None` to nodes.
    pub to: Option<Stage>,
    /// True when the inputs that they lead to swallow.
    pub swallows: bool,
    pub links: Vec<RouterLink>,
}

/// A link between a stack of a layer and one of a child.
#[derive(Debug, Clone, Copy)]
pub(super) struct LongLink {
    /// The group it leads from, the direction, and the output.
    near: (Group, u32, u32),
    /// The group it leads to, and which of the wires there it is.
    far: (Group, u32),
    /// The places of its ends.
    pub between: Between,
}

/// A channel between a stack of a layer and one of a child.
#[derive(Debug, Clone, Copy)]
pub(super) struct Between {
    pub layer: u32,
    /// The child, 0 to 63.
    pub child: u32,
    /// The stack of the child, and that of the layer.
    pub stacks: (u32, u32),
    /// The channel of the bundle.
    pub channel: u32,
}

/// The two stages of a batch that is being made, and the numbers of link ports.
struct Joint<'t> {
    tree: &'t Transit,
    from: Stage,
    to: Stage,
    near: StageLayout,
    far: StageLayout,
    swallows: bool,
    links: Vec<RouterLink>,
}

impl<'t> Joint<'t> {
    fn new(tree: &'t Transit, from: Stage, to: Stage) -> Joint<'t> {
        let shape = tree.shape();
        Joint {
            tree,
            from,
            to,
            near: StageLayout::new(&shape, from),
            far: StageLayout::new(&shape, to),
            swallows: false,
            links: Vec::new(),
        }
    }

    fn swallowing(mut self) -> Joint<'t> {
        self.swallows = true;
        self
    }

    /// Joins an output of a group in a direction with the input of another group that a wire is
    /// for.
    fn join(&mut self, near: (Group, u32, u32), far: (Group, u32), delay: u32) {
        let (from, direction, output) = near;
        let turns = self.tree.turned(self.to) + 4 - self.tree.turned(self.from);
        self.links.push(RouterLink {
            near: output_port(self.near.output(from, direction, output)),
            far: input_port(self.far.input(far.0, far.1)),
            rotation: (turns % 4) as u8,
            delay,
        });
    }

    fn batch(self) -> LinkBatch {
        LinkBatch {
            from: Some(self.from),
            to: Some(self.to),
            swallows: self.swallows,
            links: self.links,
        }
    }
}

fn input_port(LinkEnd { router, port }: LinkEnd) -> u32 {
    2 * PORTS_A_SIDE as u32 * router + port
}

fn output_port(LinkEnd { router, port }: LinkEnd) -> u32 {
    (2 * router + 1) * PORTS_A_SIDE as u32 + port
}

impl Transit {
    /// Calls with all links, batch by batch.
    pub(super) fn each_batch(&self, mut call: impl FnMut(LinkBatch)) {
        let form = self.form;
        call(self.entrances());
        for stage in 1..form.leaf_stages {
            call(self.in_leaf(stage));
        }
        for layer in form.lowest()..=form.layers {
            if layer > 0 {
                call(self.climb(layer));
            }
            for level in 1..=3 {
                call(self.lateral(layer, level));
            }
        }
        if form.capped {
            call(self.up_to_cap());
            call(self.down_from_cap());
        }
        for layer in (form.lowest()..=form.layers).rev() {
            for level in [2, 1] {
                call(self.descend(layer, level));
            }
            if layer > 0 {
                call(self.down_to_child(layer));
            }
        }
        call(self.exits());
    }

    /// The number of a link port of a node.
    fn node_port(&self, node: u32, link: usize) -> u32 {
        2 * PORTS_A_SIDE as u32 * self.shape().routers() + 4 * node + link as u32
    }

    /// From nodes into the first stage.
    fn entrances(&self) -> LinkBatch {
        let hybrid = self.form.leaf_stages > 0;
        let to = if hybrid { Stage::Leaf(0) } else { Stage::Up(0) };
        let far = StageLayout::new(&self.shape(), to);
        let first_port = self.node_port(0, rn1_interface::T0);
        let of_side = |(node, side): (usize, u32)| {
            let node = node as u32;
            let within = node % self.form.leaf_nodes();
            let (group, wire) = match hybrid {
                true => (0, 2 * within + side),
                false => (within / 4, 2 * (within % 4) + side),
            };
            let group = Group {
                stage: to,
                unit: node / self.form.leaf_nodes(),
                stack: 0,
                group,
            };
            RouterLink {
                near: first_port + 4 * node + side,
                far: input_port(far.input(group, wire)),
                rotation: 0,
                delay: 0,
            }
        };
        LinkBatch {
            from: None,
            to: Some(to),
            swallows: false,
            links: rn1_nodes::sides(self.nodes() as usize)
                .map(of_side)
                .collect(),
        }
    }

    /// From a stage of the clusters to the next one.
    fn in_leaf(&self, stage: u32) -> LinkBatch {
        let (from, to) = (Stage::Leaf(stage - 1), Stage::Leaf(stage));
        let mut joint = Joint::new(self, from, to);
        // Direction 11 of the first stage leads to the tree.
        let directions = if stage == 1 { UP } else { 4 };
        self.shape().each_group(from, |near| {
            for direction in 0..directions {
                let far = Group {
                    stage: to,
                    group: 4 * near.group + direction,
                    ..near
                };
                for output in 0..joint.near.outputs() {
                    joint.join((near, direction, output), (far, output), 0);
                }
            }
        });
        joint.batch()
    }

    /// From leaves, or unit trees, into the stage up of a layer above them.
    fn climb(&self, layer: u32) -> LinkBatch {
        let mut joint = Joint::new(self, self.below(layer), Stage::Up(layer));
        self.each_up(layer, |link| {
            joint.join(link.near, link.far, self.delay(link.between));
        });
        joint.batch()
    }

    /// The stage that leads up into a layer of UT64x8.
    fn below(&self, layer: u32) -> Stage {
        match layer - 1 {
            0 if self.form.leaf_stages > 0 => Stage::Leaf(0),
            below => Stage::Up(below),
        }
    }

    /// Calls with every link into the stage up of a layer of UT64x8.
    pub(super) fn each_up(&self, layer: u32, mut call: impl FnMut(LongLink)) {
        let (from, to) = (self.below(layer), Stage::Up(layer));
        let shape = self.shape();
        let outputs = StageLayout::new(&shape, from).outputs();
        let (stacks, parent_stacks) = (shape.stacks(from), shape.stacks(to));
        shape.each_group(from, |near| {
            let child = near.unit % FAN;
            for output in 0..outputs {
                let wire = (near.group * stacks + near.stack) * outputs + output;
                let (stack, channel) = (wire % parent_stacks, wire / parent_stacks);
                let far = Group {
                    stage: to,
                    unit: near.unit / FAN,
                    stack,
                    group: child / 4,
                };
                call(LongLink {
                    near: (near, UP, output),
                    far: (far, BUNDLE * (child % 4) + channel),
                    between: Between {
                        layer,
                        child,
                        stacks: (near.stack, stack),
                        channel,
                    },
                });
            }
        });
    }

    /// From the stage up of a layer across to a level of it.
    fn lateral(&self, layer: u32, level: u32) -> LinkBatch {
        let (from, to) = (Stage::Up(layer), Stage::Down(layer, level));
        let mut joint = Joint::new(self, from, to).swallowing();
        let together = 1 << (2 * (level - 1));
        self.shape().each_group(from, |near| {
            let far = Group {
                stage: to,
                group: near.group / together,
                ..near
            };
            for output in 0..joint.near.outputs() {
                let wire = near.group % together * joint.near.outputs() + output;
                joint.join((near, level - 1, output), (far, wire), 0);
            }
        });
        joint.batch()
    }

    /// Wires that come to a group of a level from the stage up.
    fn laterals(&self, layer: u32, level: u32) -> u32 {
        let outputs = StageLayout::new(&self.shape(), Stage::Up(layer)).outputs();
        outputs << (2 * (level - 1))
    }

    /// From a level of a layer to the one below.
    fn descend(&self, layer: u32, level: u32) -> LinkBatch {
        let (from, to) = (Stage::Down(layer, level + 1), Stage::Down(layer, level));
        let first = self.laterals(layer, level);
        let mut joint = Joint::new(self, from, to);
        self.shape().each_group(from, |near| {
            for direction in 0..4 {
                let far = Group {
                    stage: to,
                    group: 4 * near.group + direction,
                    ..near
                };
                for output in 0..joint.near.outputs() {
                    joint.join((near, direction, output), (far, first + output), 0);
                }
            }
        });
        joint.batch()
    }

    /// From a layer down into the leaves, or unit trees, below it.
    fn down_to_child(&self, layer: u32) -> LinkBatch {
        let mut joint = Joint::new(self, Stage::Down(layer, 1), self.top_of_child(layer).0);
        joint = joint.swallowing();
        self.each_down(layer, |link| {
            joint.join(link.near, link.far, self.delay(link.between));
        });
        joint.batch()
    }

    /// The stage that a layer of UT64x8 leads down into, and the wires that come to a group of it
    /// from elsewhere.
    fn top_of_child(&self, layer: u32) -> (Stage, u32) {
        match layer - 1 {
            0 if self.form.leaf_stages > 0 => (Stage::Leaf(0), 2 * self.form.leaf_nodes()),
            below => (Stage::Down(below, 3), self.laterals(below, 3)),
        }
    }

    /// Calls with every link from a layer of UT64x8 down into the leaves, or unit trees, below it.
    pub(super) fn each_down(&self, layer: u32, mut call: impl FnMut(LongLink)) {
        let (to, first) = self.top_of_child(layer);
        let shape = self.shape();
        let stacks = shape.stacks(to);
        shape.each_group(Stage::Down(layer, 1), |near| {
            for direction in 0..4 {
                let child = 4 * near.group + direction;
                let far = Group {
                    stage: to,
                    unit: near.unit * FAN + child,
                    stack: near.stack % (BUNDLE * stacks) / BUNDLE,
                    group: 0,
                };
                let bundle = bundle(near.stack, stacks);
                for output in 0..BUNDLE {
                    call(LongLink {
                        near: (near, direction, output),
                        far: (far, first + BUNDLE * bundle + output),
                        between: Between {
                            layer,
                            child,
                            stacks: (far.stack, near.stack),
                            channel: output,
                        },
                    });
                }
            }
        });
    }

    /// From the stages up of the roots into the cap, stack by stack.
    fn up_to_cap(&self) -> LinkBatch {
        let (from, to) = (Stage::Up(self.form.layers), Stage::Cap);
        let mut joint = Joint::new(self, from, to);
        self.shape().each_group(from, |near| {
            let far = Group {
                stage: to,
                group: 0,
                ..near
            };
            for output in 0..joint.near.outputs() {
                let wire = near.group * joint.near.outputs() + output;
                joint.join((near, UP, output), (far, wire), 0);
            }
        });
        joint.batch()
    }

    /// From the cap down into the roots.
    fn down_from_cap(&self) -> LinkBatch {
        let layer = self.form.layers;
        let (from, to) = (Stage::Cap, Stage::Down(layer, 3));
        let first = self.laterals(layer, 3);
        let stacks = self.shape().stacks(to);
        let mut joint = Joint::new(self, from, to).swallowing();
        self.shape().each_group(from, |near| {
            for root in 0..4 {
                for output in 0..joint.near.outputs() {
                    let bundle = 4 * (near.unit * stacks + near.stack) + output % 4;
                    let far = Group {
                        stage: to,
                        unit: root,
                        stack: bundle % stacks,
                        group: 0,
                    };
                    let wire = first + BUNDLE * (bundle / stacks) + output / 4;
                    let delay = self.cap_delay((near.unit, near.stack), (root, far.stack));
                    joint.join((near, root, output), (far, wire), delay);
                }
            }
        });
        joint.batch()
    }

    /// From the last stage to nodes.
    fn exits(&self) -> LinkBatch {
        let from = match self.form.leaf_stages {
            0 => Stage::Down(0, 1),
            stages => Stage::Leaf(stages - 1),
        };
        let near = StageLayout::new(&self.shape(), from);
        let first_port = self.node_port(0, rn1_interface::R0);
        let mut links = Vec::new();
        self.shape().each_group(from, |group| {
            for direction in 0..4 {
                let node = group.unit * self.form.leaf_nodes() + 4 * group.group + direction;
                for side in 0..near.outputs() {
                    links.push(RouterLink {
                        near: output_port(near.output(group, direction, side)),
                        far: first_port + 4 * node + side,
                        rotation: 0,
                        delay: 0,
                    });
                }
            }
        });
        LinkBatch {
            from: Some(from),
            to: None,
            swallows: false,
            links,
        }
    }

    /// Extra clocks of a channel between a stack of a layer and one of a child.
    fn delay(&self, between: Between) -> u32 {
        match &self.wires {
            StackWires::Given(clocks) => clocks[between.layer as usize - 1],
            StackWires::Geometry(geometry) => {
                geometry.clocks(length(self.offsets(between)), self.form)
            }
        }
    }

    /// The offsets of such a channel's ends: along the edge, into the room, and down.
    pub(super) fn offsets(&self, between: Between) -> [u32; 3] {
        let Between {
            layer,
            child,
            stacks,
            channel,
        } = between;
        let shape = self.shape();
        let below = match layer {
            1 => 1,
            _ => shape.stacks_of_layer(layer - 1),
        };
        let placement = Placement::new(layer, below, shape.stacks_of_layer(layer));
        let near = ChannelEnd {
            stack: stacks.0,
            channel: BUNDLE * bundle(stacks.1, below) + channel,
        };
        let far = ChannelEnd {
            stack: stacks.1,
            channel: BUNDLE * child + channel,
        };
        placement.offsets(child, near, far)
    }

    /// Extra clocks of the wires from a stack of a root to one of another root, or its own.
    fn cap_delay(&self, near: (u32, u32), far: (u32, u32)) -> u32 {
        match &self.wires {
            StackWires::Given(clocks) => clocks[self.form.layers as usize],
            StackWires::Geometry(geometry) => {
                let stacks = self.shape().stacks_of_layer(self.form.layers);
                let placement = Placement::new(self.form.layers, 1, stacks);
                geometry.clocks(placement.between_roots(near, far), self.form)
            }
        }
    }
}

/// The bundle at the top of a child's stack that leads to a stack of its parent, the child having
/// so many stacks.
fn bundle(parent_stack: u32, stacks: u32) -> u32 {
    BUNDLE * (parent_stack / (BUNDLE * stacks)) + parent_stack % BUNDLE
}
