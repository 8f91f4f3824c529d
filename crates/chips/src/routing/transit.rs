//! Addresses and routes of Transit's fat trees (DeHon 1990, section 3.8).
//!
//! A tree has *layers* of unit trees, each with one stage up and three stages down, at levels 3,
//! 2 and 1. Layer 0 are the UT64x2 of a full fat tree; a hybrid one has bidelta clusters below
//! layer 1 instead. A processor's address is the way down to it:
//!
//! | bytes | of | hold |
//! |---|---|---|
//! | C | each layer, the highest first | two bits for each of levels 3, 2 and 1; the lowest two are unused |
//! | P | the cluster, in hybrid trees | two bits for each stage of it, from the highest on |
//!
//! A route is RU, RD and RC: with the highest layer in which source and destination differ,
//! RU climbs to it by 11 and crosses there by 00, 01 or 10 into the level at which they differ;
//! RD are the bytes of C from that layer on; RC is P. In hybrid trees the first 11 leaves the
//! cluster, and the route within one is RC alone.
//!
//! Capped trees have four roots, which the two highest bits of an address tell apart. The paper
//! gives no route through the cap. Assumed: RU goes on by 11 up to it, and then has the two bits
//! of the root; what the cap sends down swallows like all that enters a unit tree from above.
//!
//! A [`Climb`] by height has one number in RU instead: the levels above the lowest that it climbs,
//! at the lowest six bits. A stage up passes three of them, and crosses by the rest; the cap takes
//! it for the number of the root. In hybrid trees 11 stands above the height, which leaves the
//! cluster.
//!
//! Numbers of nodes are in the order of addresses: the root, the bytes of C without their unused
//! bits, and P.

use smallvec::SmallVec;

use super::Route;
use crate::rn1_height::FURTHER;

/// Nodes, or clusters, below a unit tree.
pub const FAN: u32 = 64;
/// Bits of an address byte of C that are used.
const USED: u8 = 0xfc;

/// The form of addresses in a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransitForm {
    /// Stages of a leaf cluster, 2 to 4; 0 in full fat trees.
    pub leaf_stages: u32,
    /// Layers of UT64x8, 0 to 2.
    pub layers: u32,
    /// True when the highest layer is capped.
    pub capped: bool,
}

/// A processor's address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Number of the root, 0 to 3; 0 without a cap.
    pub root: u8,
    /// C, the highest layer's byte first.
    pub tree: SmallVec<[u8; 3]>,
    /// P, in hybrid trees.
    pub leaf: Option<u8>,
}

/// A stage of routers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// A stage of a leaf cluster, from 0.
    Leaf(u32),
    /// The stage up of a layer.
    Up(u32),
    /// The cap.
    Cap,
    /// A stage down: its layer, and its level, 3 to 1.
    Down(u32, u32),
}

/// A router on a way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransitHop {
    /// Its stage.
    pub stage: Stage,
    /// The direction it routes to.
    pub direction: u8,
    /// True when it swallows a byte before.
    pub swallows: bool,
}

/// The way in which the first byte of a route says how far it climbs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Climb {
    /// By a direction for each stage, two bits each.
    Directions,
    /// By a height, which counts down (section 2.2.4, footnote 1).
    Height,
}

impl Stage {
    /// By how many steps of two bits a byte has been rotated to the left that this stage reads,
    /// modulo four. A height is not rotated.
    pub fn turned(self, layers: u32, climb: Climb) -> u32 {
        match self {
            Stage::Leaf(stage) => stage,
            Stage::Up(_) | Stage::Cap if climb == Climb::Height => 0,
            Stage::Up(layer) => layer % 4,
            Stage::Cap => (layers + 1) % 4,
            Stage::Down(_, level) => 3 - level,
        }
    }
}

impl TransitForm {
    /// Nodes of a leaf: of a cluster, or below a UT64x2.
    pub fn leaf_nodes(self) -> u32 {
        match self.leaf_stages {
            0 => FAN,
            stages => 3 << (2 * stages - 2),
        }
    }

    /// Leaves: clusters, or UT64x2.
    pub fn leaves(self) -> u32 {
        self.roots() * FAN.pow(self.layers)
    }

    /// Units of the highest layer, 1 or 4.
    pub fn roots(self) -> u32 {
        if self.capped { 4 } else { 1 }
    }

    /// Nodes of the tree.
    pub fn nodes(self) -> u32 {
        self.leaves() * self.leaf_nodes()
    }

    /// The lowest layer: 0 in full fat trees.
    pub fn lowest(self) -> u32 {
        u32::from(self.leaf_stages > 0)
    }

    /// Nodes that a message through each level, or a lower one, can reach, the lowest first: its
    /// cluster, where there is one, the three levels of each layer, and those below the cap.
    ///
    /// ```
    /// use crosswave_chips::routing::transit::TransitForm;
    /// let hybrid = TransitForm { leaf_stages: 2, layers: 1, capped: false };
    /// assert_eq!(hybrid.levels(), [12, 48, 192, 768]);
    /// assert_eq!(hybrid.level_weights(), [9, 1, 1, 1]);
    /// let full = TransitForm { leaf_stages: 0, layers: 1, capped: false };
    /// assert_eq!(full.levels(), [4, 16, 64, 256, 1024, 4096]);
    /// assert_eq!(full.level_weights(), [3, 3, 3, 1, 1, 1]);
    /// ```
    pub fn levels(self) -> Vec<u32> {
        let mut size = match self.leaf_stages {
            0 => 1,
            _ => self.leaf_nodes(),
        };
        let mut levels: Vec<u32> = self.leaf_cluster().into_iter().collect();
        while size < self.nodes() {
            size *= 4;
            levels.push(size);
        }
        levels
    }

    /// The weights of the levels in traffic that fits the tree (section 4.5): all directions of
    /// a stage up equally often, and three quarters within a cluster.
    pub fn level_weights(self) -> Vec<u32> {
        // From the top: what crosses over there, and then at the levels below as often as all
        // that goes on up.
        let top = if self.capped { 4 } else { 3 };
        let (mut weights, mut total) = (vec![1; top], top as u32);
        for _ in self.lowest()..self.layers {
            weights.splice(0..0, [total; 3]);
            total *= 4;
        }
        weights.splice(0..0, self.leaf_cluster().map(|_| 3 * total));
        weights
    }

    /// Nodes of a leaf cluster, in trees that have them.
    fn leaf_cluster(self) -> Option<u32> {
        (self.leaf_stages > 0).then(|| self.leaf_nodes())
    }

    /// The most routing bytes of a route.
    pub fn route_bytes(self) -> usize {
        // RU, RD and RC: in both kinds of trees as many as layers, and two more.
        self.layers as usize + 2
    }

    /// The most routers on a way.
    pub fn stages_max(self) -> u32 {
        let of_tree = self.layers + 1 - self.lowest();
        let climb = of_tree + u32::from(self.leaf_stages > 0) + u32::from(self.capped);
        climb + 3 * of_tree + self.leaf_stages
    }

    /// Routers on the way between two nodes, as many as [`hops`](TransitForm::hops) lists.
    ///
    /// ```
    /// use crosswave_chips::routing::transit::TransitForm;
    /// let hybrid = TransitForm { leaf_stages: 2, layers: 1, capped: false };
    /// // Nodes 0 and 11 are in one cluster, and 12 is in the next one.
    /// assert_eq!([11, 12].map(|node| hybrid.routers_on_way(0, node)), [2, 5]);
    /// ```
    pub fn routers_on_way(self, source: u32, destination: u32) -> u32 {
        // Nodes are in the order of addresses, of which each level of a tree has two bits.
        let below = match self.leaf_stages {
            0 => 1,
            _ => self.leaf_nodes(),
        };
        let differ = (source / below) ^ (destination / below);
        if differ == 0 && self.leaf_stages > 0 {
            return self.leaf_stages;
        }
        let in_leaves = match self.leaf_stages {
            0 => 0,
            stages => 1 + stages,
        };
        // The level where the way turns, among those of all layers from the lowest on.
        let level = (differ | 1).ilog2() / 2;
        let layers = self.layers + 1 - self.lowest();
        in_leaves
            + match level < 3 * layers {
                true => level / 3 + 1 + level + 1,
                // All stages up, the cap, and all stages down.
                false => layers + 1 + 3 * layers,
            }
    }

    /// The address of a node.
    pub fn address(self, node: u32) -> Address {
        let (mut above, leaf) = match self.leaf_stages {
            0 => (node, None),
            stages => {
                let within = node % self.leaf_nodes();
                (
                    node / self.leaf_nodes(),
                    Some((within << (8 - 2 * stages)) as u8),
                )
            }
        };
        let mut tree = SmallVec::new();
        for _ in self.lowest()..=self.layers {
            tree.push(((above % FAN) << 2) as u8);
            above /= FAN;
        }
        tree.reverse();
        Address {
            root: above as u8,
            tree,
            leaf,
        }
    }

    /// The way from a node to another one.
    ///
    /// ```
    /// use crosswave_chips::routing::transit::{Address, TransitForm};
    /// // The example of section 3.8.5.
    /// let form = TransitForm { leaf_stages: 4, layers: 2, capped: false };
    /// let address = |tree: [u8; 2], leaf| Address { root: 0, tree: tree.into_iter().collect(), leaf: Some(leaf) };
    /// let (from, to) = (address([0xcc, 0x02], 0x34), address([0xd8, 0x42], 0x67));
    /// let route = form.route(&from, &to);
    /// assert_eq!(route.bytes.as_slice(), [0xf4, 0xd8, 0x42, 0x67]);
    /// ```
    pub fn route(self, source: &Address, destination: &Address) -> Route {
        let mut bytes = SmallVec::new();
        let crossing = self.crossing(source, destination);
        if let Some(Crossover { layer, direction }) = crossing {
            // 11 for each stage that is climbed, then the direction there.
            let climbed = layer.unwrap_or(self.layers + 1);
            let up = (0..climbed).fold(0, |up, pair| up | 3 << (6 - 2 * pair));
            bytes.push(up | direction << (6 - 2 * climbed));
            let down = layer.unwrap_or(self.layers) + 1 - self.lowest();
            let first = destination.tree.len() - down as usize;
            bytes.extend_from_slice(&destination.tree[first..]);
        }
        bytes.extend(destination.leaf);
        let (stages, swallows) = self.shape(crossing);
        Route {
            bytes,
            stages,
            swallows,
        }
    }

    /// The same route with a height in its first byte, where it climbs.
    ///
    /// The checksums of stages up have no height in them. For its sender the byte is as good as
    /// swallowed by the first of them, and not by the stage down that swallows it:
    /// [`swallows`](Route::swallows) says so.
    ///
    /// ```
    /// use crosswave_chips::routing::transit::TransitForm;
    /// let form = TransitForm { leaf_stages: 0, layers: 1, capped: false };
    /// let [from, to] = [0, 4095].map(|node| form.address(node));
    /// // Three levels of UT64x2, and across to the third of UT64x8.
    /// let route = form.route_by_height(&from, &to);
    /// assert_eq!(route.bytes.as_slice(), [5, 0xfc, 0xfc]);
    /// assert_eq!(route.swallows, 0b10_0001);
    /// assert_eq!(form.route(&from, &to).swallows, 0b10_0100);
    /// ```
    pub fn route_by_height(self, source: &Address, destination: &Address) -> Route {
        let mut route = self.route(source, destination);
        let Some(crossing) = self.crossing(source, destination) else {
            return route;
        };
        let leaves_cluster = match self.leaf_stages {
            0 => 0,
            _ => 3 << 6,
        };
        route.bytes[0] = leaves_cluster | self.height(crossing);
        // Routers before the first stage up are the first stage of a cluster.
        let first_up = u32::from(self.leaf_stages > 0);
        let entered = route.swallows.trailing_zeros();
        route.swallows ^= 1 << entered | 1 << first_up;
        route
    }

    /// The levels that a route climbs above the lowest one of the tree; through the cap, three for
    /// each layer, and the root.
    fn height(self, crossing: Crossover) -> u8 {
        let Crossover { layer, direction } = crossing;
        let layers = layer.unwrap_or(self.layers + 1) - self.lowest();
        FURTHER * layers as u8 + direction
    }

    /// The height that the stage up of a layer reads on a way, or the cap's, which is behind that of
    /// the highest one; 0 on ways that do not climb so far.
    pub fn height_at(self, source: u32, destination: u32, stage: Stage) -> u8 {
        let (from, to) = (self.address(source), self.address(destination));
        let passed = match stage {
            Stage::Up(layer) => layer - self.lowest(),
            Stage::Cap => self.layers + 1 - self.lowest(),
            Stage::Leaf(_) | Stage::Down(..) => 0,
        };
        let height = self.crossing(&from, &to).map(|at| self.height(at));
        height.unwrap_or(0).saturating_sub(FURTHER * passed as u8)
    }

    /// Routers on a way, and which of them swallow.
    fn shape(self, crossing: Option<Crossover>) -> (u8, u16) {
        let stages = self.stages(crossing);
        let swallows = stages
            .iter()
            .enumerate()
            .map(|(at, &(_, swallows))| u16::from(swallows) << at);
        (stages.len() as u8, swallows.sum())
    }

    /// The point at which the route to a destination crosses over; `None` within a leaf cluster.
    fn crossing(self, source: &Address, destination: &Address) -> Option<Crossover> {
        if source.root != destination.root {
            return Some(Crossover {
                layer: None,
                direction: destination.root,
            });
        }
        let differ = |(a, b): (&u8, &u8)| (a ^ b) & USED;
        let mut differences = source.tree.iter().zip(&destination.tree).map(differ);
        let highest = differences.position(|difference| difference != 0);
        match highest {
            None if self.leaf_stages > 0 => None,
            // A node of a full tree that sends to itself turns at the lowest level.
            None => Some(Crossover {
                layer: Some(0),
                direction: 0,
            }),
            Some(at) => {
                let difference = (source.tree[at] ^ destination.tree[at]) & USED;
                // 10 for bits 7 and 6, 01 for 5 and 4, 00 for 3 and 2.
                let direction = (difference.ilog2() / 2 - 1) as u8;
                Some(Crossover {
                    layer: Some(self.layers - at as u32),
                    direction,
                })
            }
        }
    }

    /// The stages of a way, and whether they swallow.
    fn stages(self, crossing: Option<Crossover>) -> SmallVec<[(Stage, bool); 15]> {
        let mut stages = SmallVec::new();
        let hybrid = self.leaf_stages > 0;
        if let Some(Crossover { layer, direction }) = crossing {
            if hybrid {
                stages.push((Stage::Leaf(0), false));
            }
            let highest = layer.unwrap_or(self.layers);
            stages.extend((self.lowest()..=highest).map(|layer| (Stage::Up(layer), false)));
            let mut level = u32::from(direction) + 1;
            if layer.is_none() {
                stages.push((Stage::Cap, false));
                level = 3;
            }
            for layer in (self.lowest()..=highest).rev() {
                let entered = level;
                stages.extend(
                    (1..=level)
                        .rev()
                        .map(|level| (Stage::Down(layer, level), level == entered)),
                );
                level = 3;
            }
        }
        let enters = crossing.is_some();
        let of_leaf = (0..self.leaf_stages).map(|stage| (Stage::Leaf(stage), enters && stage == 0));
        stages.extend(of_leaf);
        stages
    }

    /// The routers of a way in order. What they read of the route says the same.
    pub fn hops(self, source: u32, destination: u32) -> SmallVec<[TransitHop; 15]> {
        let (from, to) = (self.address(source), self.address(destination));
        let crossing = self.crossing(&from, &to);
        let tree = |layer: u32| to.tree[(self.layers - layer) as usize];
        let mut climbs = crossing.is_some();
        let hop = |(stage, swallows): (Stage, bool)| {
            let direction = match stage {
                Stage::Leaf(_) if climbs => 3,
                Stage::Leaf(stage) => to.leaf.unwrap_or(0) >> (6 - 2 * stage) & 3,
                Stage::Up(layer) => match crossing {
                    Some(crossing) if crossing.layer == Some(layer) => crossing.direction,
                    _ => 3,
                },
                Stage::Cap => to.root,
                Stage::Down(layer, level) => tree(layer) >> (2 * level) & 3,
            };
            climbs = false;
            TransitHop {
                stage,
                direction,
                swallows,
            }
        };
        self.stages(crossing).into_iter().map(hop).collect()
    }
}

/// The point at which a route crosses over from the stages up to those down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Crossover {
    /// The layer; `None` through the cap.
    layer: Option<u32>,
    /// The direction of the last stage up: one less than the level, or the root.
    direction: u8,
}

#[cfg(test)]
mod tests;
