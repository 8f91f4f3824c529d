//! The routers of a tree: how many there are in each stage, their numbers, and the groups whose
//! outputs, or inputs, are alike.

use super::{Dispersion, UpStage};
use crosswave_base::random;
use crosswave_chips::rn1::PORTS_A_SIDE;
use crosswave_chips::routing::transit::{FAN, Stage, TransitForm};

/// Groups of four children, or nodes, below a unit tree: those of its level 1.
const LOW_GROUPS: u32 = FAN / 4;
/// Inputs, and outputs, of a router.
const SIDE: u32 = PORTS_A_SIDE as u32;

/// The stream of random wiring.
const STREAM_WIRING: u64 = u64::from_be_bytes(*b"treewire");

/// Parameters from which the numbers of routers follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TransitShape {
    pub form: TransitForm,
    pub up_stage: UpStage,
    pub dispersion: Dispersion,
}

/// Routers of a stage in one stack that lead to the same places, and whose inputs are alike. In
/// the configuration of two crossbars a group has half of each of its routers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Group {
    pub stage: Stage,
    /// The unit tree, or leaf cluster.
    pub unit: u32,
    /// The stack of the unit.
    pub stack: u32,
    /// The group in the stack.
    pub group: u32,
}

/// The composition of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MadeOf {
    /// Routers, or halves of them.
    pub parts: u32,
    /// True when they are halves.
    pub crossbars: bool,
}

/// An end of a link at a router.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LinkEnd {
    /// The router's number.
    pub router: u32,
    /// The input, or the output, 0 to 7.
    pub port: u32,
}

impl TransitShape {
    /// The stages in the order of routers' numbers: from the nodes up, and down.
    pub fn stages(&self) -> Vec<Stage> {
        let form = self.form;
        let layers = || form.lowest()..=form.layers;
        let mut stages: Vec<Stage> = (0..form.leaf_stages).map(Stage::Leaf).collect();
        stages.extend(layers().map(Stage::Up));
        stages.extend(form.capped.then_some(Stage::Cap));
        for layer in layers().rev() {
            stages.extend((1..=3).rev().map(|level| Stage::Down(layer, level)));
        }
        stages
    }

    /// Unit trees of a layer, as logical units; or leaf clusters.
    pub fn units(&self, stage: Stage) -> u32 {
        match stage {
            Stage::Leaf(_) => self.form.leaves(),
            Stage::Cap => self.form.roots(),
            Stage::Up(layer) | Stage::Down(layer, _) => {
                self.form.roots() * FAN.pow(self.form.layers - layer)
            }
        }
    }

    /// Stacks of a unit of a layer: as many as match the channels of a child, eight for each.
    pub fn stacks_of_layer(&self, layer: u32) -> u32 {
        match layer {
            0 => 1,
            _ => self.stacks_of_lowest_layer() << (4 * (layer - 1)),
        }
    }

    fn stacks_of_lowest_layer(&self) -> u32 {
        match self.form.leaf_stages {
            0 => 4,
            _ => self.form.leaf_nodes() / 12,
        }
    }

    /// Stacks of a unit of a stage.
    pub fn stacks(&self, stage: Stage) -> u32 {
        match stage {
            Stage::Leaf(_) => 1,
            Stage::Cap => self.stacks_of_layer(self.form.layers),
            Stage::Up(layer) | Stage::Down(layer, _) => self.stacks_of_layer(layer),
        }
    }

    /// Groups of a stage in one stack.
    pub fn groups(&self, stage: Stage) -> u32 {
        match stage {
            Stage::Leaf(0) | Stage::Cap => 1,
            Stage::Leaf(stage) => 3 << (2 * (stage - 1)),
            Stage::Up(_) => LOW_GROUPS,
            Stage::Down(_, level) => 1 << (2 * (3 - level)),
        }
    }

    /// The composition of each group of a stage.
    pub fn made_of(&self, stage: Stage) -> MadeOf {
        let routers = |parts| MadeOf {
            parts,
            crossbars: false,
        };
        let halves = |parts| MadeOf {
            parts,
            crossbars: true,
        };
        match stage {
            Stage::Leaf(stage) if stage + 1 == self.form.leaf_stages => halves(2),
            Stage::Leaf(0) => routers(self.form.leaf_nodes() / 3),
            Stage::Leaf(stage) => routers((self.form.leaf_nodes() / 3) >> (2 * stage)),
            Stage::Up(0) => match self.up_stage {
                UpStage::Standard => routers(1),
                UpStage::TwoCrossbars => halves(2),
            },
            Stage::Up(_) => routers(4),
            Stage::Cap => routers(16),
            Stage::Down(0, level) => match level {
                3 => routers(8),
                2 => routers(3),
                _ => halves(2),
            },
            Stage::Down(_, level) => match level {
                3 => routers(32),
                2 => routers(12),
                _ => routers(4),
            },
        }
    }

    /// Routers of a stage in one stack.
    pub fn routers_of_stack(&self, stage: Stage) -> u32 {
        let MadeOf { parts, crossbars } = self.made_of(stage);
        self.groups(stage) * parts / if crossbars { 2 } else { 1 }
    }

    /// Routers of a stage.
    pub fn routers_of_stage(&self, stage: Stage) -> u32 {
        self.units(stage) * self.stacks(stage) * self.routers_of_stack(stage)
    }

    /// All routers.
    pub fn routers(&self) -> u32 {
        let stages = self.stages();
        stages
            .into_iter()
            .map(|stage| self.routers_of_stage(stage))
            .sum()
    }

    /// The number of the first router of a stage.
    pub fn first(&self, stage: Stage) -> u32 {
        let stages = self.stages().into_iter();
        let before = stages.take_while(|&other| other != stage);
        before.map(|stage| self.routers_of_stage(stage)).sum()
    }

    /// The stage of a router, and what is left of its number.
    pub fn stage_of(&self, router: u32) -> (Stage, u32) {
        let mut left = router;
        for stage in self.stages() {
            let routers = self.routers_of_stage(stage);
            if left < routers {
                return (stage, left);
            }
            left -= routers;
        }
        unreachable!("a router of the tree")
    }

    /// Calls with every group of a stage.
    pub fn each_group(&self, stage: Stage, mut call: impl FnMut(Group)) {
        for unit in 0..self.units(stage) {
            for stack in 0..self.stacks(stage) {
                for group in 0..self.groups(stage) {
                    call(Group {
                        stage,
                        unit,
                        stack,
                        group,
                    });
                }
            }
        }
    }
}

/// A stage, and what is asked of it again and again.
#[derive(Debug, Clone, Copy)]
pub(super) struct StageLayout {
    first: u32,
    stacks: u32,
    groups: u32,
    routers_of_stack: u32,
    made_of: MadeOf,
    dispersion: Dispersion,
}

impl StageLayout {
    pub fn new(shape: &TransitShape, stage: Stage) -> StageLayout {
        StageLayout {
            first: shape.first(stage),
            stacks: shape.stacks(stage),
            groups: shape.groups(stage),
            routers_of_stack: shape.routers_of_stack(stage),
            made_of: shape.made_of(stage),
            dispersion: shape.dispersion,
        }
    }

    /// The router of a part of a group, and of which of its crossbars it is a half.
    fn router(&self, of: Group, part: u32) -> (u32, u32) {
        let stack = self.first + (of.unit * self.stacks + of.stack) * self.routers_of_stack;
        if !self.made_of.crossbars {
            return (stack + of.group * self.made_of.parts + part, 0);
        }
        match of.stage {
            // Two groups share two routers.
            Stage::Up(_) | Stage::Down(..) => (stack + (of.group & !1) + part, of.group & 1),
            // There may be three groups: each shares routers with both of its neighbours.
            _ => (stack + (of.group + self.groups - part) % self.groups, part),
        }
    }

    /// Outputs of a group in each direction.
    pub fn outputs(&self) -> u32 {
        self.made_of.parts * if self.made_of.crossbars { 1 } else { 2 }
    }

    /// An output of a group in a direction. Equivalent outputs of a router follow each other.
    pub fn output(&self, of: Group, direction: u32, output: u32) -> LinkEnd {
        let (part, equivalent) = match self.made_of.crossbars {
            true => (output, 0),
            false => (output / 2, output % 2),
        };
        let (router, half) = self.router(of, part);
        LinkEnd {
            router,
            port: 2 * direction + (half | equivalent),
        }
    }

    /// The input of a group that a wire is joined to, the wires being counted over all that come
    /// to the group: those from other stages up, or from nodes, first.
    pub fn input(&self, of: Group, wire: u32) -> LinkEnd {
        let MadeOf { parts, crossbars } = self.made_of;
        let inputs = if crossbars { SIDE / 2 } else { SIDE };
        let (part, input) = match self.dispersion {
            Dispersion::Full => (wire % parts, wire / parts),
            Dispersion::None => (wire / inputs, wire % inputs),
            Dispersion::Random { seed } => {
                let wire = shuffled(seed, self.router(of, 0), wire, parts * inputs);
                (wire / inputs, wire % inputs)
            }
        };
        let (router, half) = self.router(of, part);
        LinkEnd {
            router,
            port: half * inputs + input,
        }
    }
}

/// The place of a wire among so many, in an order drawn for the group of a router and half.
fn shuffled(seed: u64, (router, half): (u32, u32), wire: u32, wires: u32) -> u32 {
    // The rank of the wire's key among those of all; ties go by the wire.
    let key_of = random::key(seed, STREAM_WIRING, 0);
    let key = |wire: u32| {
        let group = u64::from(router) << 33 | u64::from(half) << 32;
        (random::word(key_of, group | u64::from(wire)), wire)
    };
    let own = key(wire);
    (0..wires).filter(|&other| key(other) < own).count() as u32
}
