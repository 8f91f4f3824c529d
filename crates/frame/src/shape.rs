//! The description of a network: its family, size and options, and the numbers that follow by
//! rule (section 2 of the paper).
//!
//! Position p of a level is the number whose n-ary digits are the address of the node, from the
//! top. The parent of position p is position p / n of the level above, and p mod n is its number
//! in its subnetwork.
//!
//! | family | upward links | links in a level | levels of switches |
//! |---|---|---|---|
//! | butterfly fat tree | of every node | none | 1 to k |
//! | augmented fat stack | of every node | a ring in each subnetwork | 1 to k |
//! | general fat stack | of node 0 of each subnetwork | a ring in each subnetwork | 1 to k - 1 |
//! | fat pyramid | of every node | one square mesh | 1 to k |
//!
//! The paper omits the top node of the general stack, whose top level is a ring itself. In the
//! others, the one switch of level k is the root; it has wires that leave the network.
//!
//! Capacities are in wires. Where they double, the upward link of a node of level h has 2^h of
//! them, for processors as for switches. A switch of level h is one node, or 2^(h-1) copies of
//! n down links and two up links of one wire each: copy c of a child is linked to copies c and
//! c + 2^(h-1) of its parent, and so the 2^h copies of the parent have one link to each child.
//! That is the wiring of the butterfly fat tree.
//!
//! Limits: subnetworks of [`RING_MIN`] to [`RING_MAX`] nodes, of 4 in the butterfly fat tree and
//! the pyramid; at least one level; up to [`PROCESSORS_MAX`] processors. There are at most twice
//! as many nodes as processors, and ten times as many links.

use std::fmt;

/// The fewest nodes of a subnetwork: a ring of two would be a double link.
pub const RING_MIN: u32 = 3;

/// The most nodes of a subnetwork.
pub const RING_MAX: u32 = 64;

/// The most processors.
pub const PROCESSORS_MAX: u32 = 1 << 20;

/// The nodes of a subnetwork of the paper's layouts, in two rows of two.
pub const QUADRANTS: u32 = 4;

/// A family of networks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// The fat tree that the others are held against.
    ButterflyFatTree,
    /// A fat tree with a ring in each subnetwork (figure 1(a)).
    AugmentedFatStack,
    /// Rings of which node 0 alone is linked upwards (figure 1(b)).
    GeneralFatStack,
    /// A fat tree with a mesh on each level.
    FatPyramid,
}

impl Family {
    /// All families.
    pub const ALL: [Family; 4] = [
        Family::ButterflyFatTree,
        Family::AugmentedFatStack,
        Family::GeneralFatStack,
        Family::FatPyramid,
    ];

    /// Its name, in words.
    pub fn name(self) -> &'static str {
        match self {
            Family::ButterflyFatTree => "butterfly fat tree",
            Family::AugmentedFatStack => "augmented fat stack",
            Family::GeneralFatStack => "general fat stack",
            Family::FatPyramid => "fat pyramid",
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The form that a switch of the frame has in the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchForm {
    /// One node, and links of several wires (section 5).
    Singular,
    /// Copies, and links of one wire each (section 4).
    Split,
}

/// Wires of a link within a level h of switches, where capacities double.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RingCapacity {
    /// 2^(h-1), one a copy of the switch: what the counts of section 2 need.
    Copies,
    /// 2^h, as many as the upward link has: what section 5 says.
    Upward,
}

/// The growth of capacities from level to level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// They double.
    Doubling,
    /// All links have one wire, and switches have no copies (section 3).
    Unit,
}

/// Choices that the paper leaves open, or makes in two ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShapeOptions {
    /// One node a switch, or copies.
    pub form: SwitchForm,
    /// True when processors are linked among themselves, as the family links switches: section 5
    /// says so, section 4 does not. Without such links there is no general stack, and with them
    /// no butterfly fat tree.
    pub leaf_links: bool,
    /// Wires of links within a level of switches. Those of processors have one either way.
    pub ring_capacity: RingCapacity,
    /// Growth of capacities: doubling, or one wire at every level.
    pub growth: Growth,
}

impl ShapeOptions {
    /// The assumptions of section 2 for a family: singular, without links of leaves except in the
    /// general stack, and doubling except there.
    pub fn of(family: Family) -> ShapeOptions {
        let general = family == Family::GeneralFatStack;
        ShapeOptions {
            form: SwitchForm::Singular,
            leaf_links: general,
            ring_capacity: RingCapacity::Copies,
            growth: match general {
                true => Growth::Unit,
                false => Growth::Doubling,
            },
        }
    }
}

/// The reason why there is no such network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShapeError {
    /// The family has no subnetworks of this many nodes.
    Ring {
        /// The family.
        family: Family,
        /// Nodes of a subnetwork.
        found: u32,
    },
    /// There are no levels.
    Levels,
    /// The network has more than [`PROCESSORS_MAX`] processors.
    Processors {
        /// Nodes of a subnetwork.
        ring: u32,
        /// Levels.
        levels: u32,
    },
    /// The family has links among leaves where none are wanted, or has none.
    LeafLinks {
        /// The family.
        family: Family,
        /// The value of `leaf_links` that was given.
        found: bool,
    },
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShapeError::Ring { family, found } => {
                write!(f, "found subnetworks of {found} nodes in a {family}, ")?;
                match rings(*family) {
                    (least, most) if least == most => write!(f, "expected {least}"),
                    (least, most) => write!(f, "expected {least} to {most}"),
                }
            }
            ShapeError::Levels => write!(f, "found 0 levels, expected at least 1"),
            ShapeError::Processors { ring, levels } => write!(
                f,
                "found {ring}^{levels} processors, expected at most {PROCESSORS_MAX}"
            ),
            ShapeError::LeafLinks { family, found } => match found {
                true => write!(
                    f,
                    "found links among the processors of a {family}, expected none"
                ),
                false => write!(
                    f,
                    "found no links among the processors of a {family}, expected rings: nothing else joins them"
                ),
            },
        }
    }
}

impl std::error::Error for ShapeError {}

/// The fewest and the most nodes of a family's subnetworks.
fn rings(family: Family) -> (u32, u32) {
    match family {
        Family::ButterflyFatTree | Family::FatPyramid => (QUADRANTS, QUADRANTS),
        Family::AugmentedFatStack | Family::GeneralFatStack => (RING_MIN, RING_MAX),
    }
}

/// A network, as far as numbers say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameShape {
    family: Family,
    /// n.
    ring: u32,
    /// k.
    levels: u32,
    options: ShapeOptions,
}

impl fmt::Display for FrameShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (family, processors) = (self.family, self.processors());
        write!(f, "{family} of {processors} processors")
    }
}

impl FrameShape {
    /// A network with the family's own options.
    ///
    /// ```
    /// use crosswave_frame::shape::{Family, FrameShape};
    /// let stack = FrameShape::new(Family::AugmentedFatStack, 4, 3)?;
    /// assert_eq!((stack.processors(), stack.switches()), (64, 21));
    /// # Ok::<(), crosswave_frame::shape::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// Outside the limits of the module.
    pub fn new(family: Family, ring: u32, levels: u32) -> Result<FrameShape, ShapeError> {
        FrameShape::with_options(family, ring, levels, ShapeOptions::of(family))
    }

    /// A network.
    ///
    /// # Errors
    /// Outside the limits of the module, or with links of leaves that the family cannot have or
    /// cannot do without.
    pub fn with_options(
        family: Family,
        ring: u32,
        levels: u32,
        options: ShapeOptions,
    ) -> Result<FrameShape, ShapeError> {
        let (least, most) = rings(family);
        if !(least..=most).contains(&ring) {
            return Err(ShapeError::Ring {
                family,
                found: ring,
            });
        }
        if levels == 0 {
            return Err(ShapeError::Levels);
        }
        let processors = ring.checked_pow(levels);
        if processors.is_none_or(|processors| processors > PROCESSORS_MAX) {
            return Err(ShapeError::Processors { ring, levels });
        }
        let found = options.leaf_links;
        match family {
            Family::ButterflyFatTree if found => Err(ShapeError::LeafLinks { family, found }),
            Family::GeneralFatStack if !found => Err(ShapeError::LeafLinks { family, found }),
            _ => Ok(FrameShape {
                family,
                ring,
                levels,
                options,
            }),
        }
    }

    /// The family.
    pub fn family(&self) -> Family {
        self.family
    }

    /// n, the nodes of a subnetwork.
    pub fn ring(&self) -> u32 {
        self.ring
    }

    /// k, the levels: N = n^k.
    pub fn levels(&self) -> u32 {
        self.levels
    }

    /// The options.
    pub fn options(&self) -> ShapeOptions {
        self.options
    }

    /// N, the number of processors.
    pub fn processors(&self) -> u32 {
        self.positions(0)
    }

    /// The number of positions of a level: n^(k-h).
    ///
    /// # Panics
    /// When there is no such level.
    pub fn positions(&self, level: u32) -> u32 {
        assert!(level <= self.levels, "{self} has no level {level}");
        self.ring.pow(self.levels - level)
    }

    /// The highest level that has nodes: k, and k - 1 in the general stack.
    pub fn top_level(&self) -> u32 {
        match self.family {
            Family::GeneralFatStack => self.levels - 1,
            _ => self.levels,
        }
    }

    /// The number of switches of the frame, copies of one counted once.
    pub fn switches(&self) -> u32 {
        (1..=self.top_level())
            .map(|level| self.positions(level))
            .sum()
    }

    /// The number of nodes of a position of a level.
    pub fn copies(&self, level: u32) -> u32 {
        match (self.options.form, self.options.growth) {
            (SwitchForm::Split, Growth::Doubling) => 1 << level.saturating_sub(1),
            (SwitchForm::Singular, _) | (_, Growth::Unit) => 1,
        }
    }

    /// The number of nodes of the graph, copies counted.
    pub fn nodes(&self) -> u32 {
        let nodes = |level| self.positions(level) * self.copies(level);
        (0..=self.top_level()).map(nodes).sum()
    }

    /// Wires upwards of a position of a level that has an upward link, over all copies.
    pub fn up_capacity(&self, level: u32) -> u32 {
        match self.options.growth {
            Growth::Doubling => 1 << level,
            Growth::Unit => 1,
        }
    }

    /// Wires between neighbours of a level, over all copies.
    pub fn lateral_capacity(&self, level: u32) -> u32 {
        match (self.options.growth, self.options.ring_capacity) {
            (Growth::Unit, _) => 1,
            (Growth::Doubling, RingCapacity::Copies) => 1 << level.saturating_sub(1),
            (Growth::Doubling, RingCapacity::Upward) => 1 << level,
        }
    }

    /// True when a position has an upward link within the network.
    pub fn has_up_link(&self, level: u32, position: u32) -> bool {
        level < self.top_level()
            && match self.family {
                Family::GeneralFatStack => position.is_multiple_of(self.ring),
                _ => true,
            }
    }

    /// True when nodes of a level are linked among themselves.
    pub fn has_lateral_links(&self, level: u32) -> bool {
        self.family != Family::ButterflyFatTree
            && level < self.levels
            && (level > 0 || self.options.leaf_links)
    }

    /// Wires of the root that leave the network. The paper counts them: sqrt N where a
    /// subnetwork has 4 nodes and capacities double.
    pub fn external_wires(&self) -> u32 {
        match self.family {
            Family::GeneralFatStack => 0,
            _ => self.up_capacity(self.levels),
        }
    }
}

#[cfg(test)]
mod tests;
