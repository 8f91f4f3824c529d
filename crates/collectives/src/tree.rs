//! The binary fat tree (D&D, section 2).
//!
//! Level 0 holds the n = 2^d processors, levels 1 to d the routing nodes, level d the
//! root. The branch between levels i-1 and i has capacity c_i: that many packets cross
//! it per step in each direction. Capacities never decrease towards the root.
//!
//! Nodes are numbered as a heap: the root is 1, the children of node v are 2v and 2v+1,
//! processor p is node n + p. A branch is named by its lower node.
//!
//! Limits: 1 to [`LEVELS_MAX`] levels; capacities from 1 to 2^32 - 1.

use std::fmt;

/// The most levels of a tree: 1,048,576 processors.
pub const LEVELS_MAX: u32 = 20;

/// A binary fat tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BinaryFatTree {
    /// Capacity c_i at index i - 1.
    capacities: Vec<u32>,
}

/// The reason why capacities do not make a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeError {
    /// The number of levels lies outside 1 to [`LEVELS_MAX`].
    Levels {
        /// The number of capacities.
        found: usize,
    },
    /// The capacity of this level is 0.
    ZeroCapacity {
        /// The level.
        level: u32,
    },
    /// The capacity of this level is smaller than that of the level below.
    Decreasing {
        /// The level.
        level: u32,
        /// Its capacity.
        capacity: u32,
        /// That of the level below.
        below: u32,
    },
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TreeError::Levels { found } => {
                write!(f, "found {found} levels, expected 1 to {LEVELS_MAX}")
            }
            TreeError::ZeroCapacity { level } => {
                write!(f, "level {level}: found capacity 0, expected at least 1")
            }
            TreeError::Decreasing {
                level,
                capacity,
                below,
            } => write!(
                f,
                "level {level}: found capacity {capacity}, expected at least {below}, the capacity of level {}",
                level - 1
            ),
        }
    }
}

impl std::error::Error for TreeError {}

/// One direction of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChannelDirection {
    /// The direction from a child to its parent.
    Up,
    /// The direction from a parent to its child.
    Down,
}

/// A channel: one direction of the branch above a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Channel {
    /// The lower node of the branch, in heap order (2 to 2n - 1).
    pub node: u32,
    /// Up or down.
    pub direction: ChannelDirection,
}

impl Channel {
    /// A dense index: below 4n.
    pub fn index(self) -> usize {
        self.node as usize * 2 + usize::from(self.direction == ChannelDirection::Down)
    }
}

/// A channel in words, such as `up channel of level 2 above processors 4-5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelName {
    direction: ChannelDirection,
    level: u32,
    /// The processors below the channel.
    first: u32,
    last: u32,
}

impl fmt::Display for ChannelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ChannelName {
            direction,
            level,
            first,
            last,
        } = self;
        let direction = match direction {
            ChannelDirection::Up => "up",
            ChannelDirection::Down => "down",
        };
        match first == last {
            true => write!(
                f,
                "{direction} channel of level {level} above processor {first}"
            ),
            false => {
                write!(
                    f,
                    "{direction} channel of level {level} above processors {first}-{last}"
                )
            }
        }
    }
}

/// The level at which two processors meet: their distance is twice this. Level 0 means
/// that they are the same.
pub fn meeting_level(a: u32, b: u32) -> u32 {
    u32::BITS - (a ^ b).leading_zeros()
}

impl BinaryFatTree {
    /// A tree with capacities c_1 to c_d.
    ///
    /// # Errors
    /// When there are not 1 to [`LEVELS_MAX`], one is 0, or one is below the one before it.
    pub fn with_capacities(capacities: Vec<u32>) -> Result<Self, TreeError> {
        if capacities.is_empty() || capacities.len() > LEVELS_MAX as usize {
            return Err(TreeError::Levels {
                found: capacities.len(),
            });
        }
        let mut below = 1;
        for (level, &capacity) in (1..).zip(&capacities) {
            if capacity == 0 {
                return Err(TreeError::ZeroCapacity { level });
            }
            if capacity < below {
                return Err(TreeError::Decreasing {
                    level,
                    capacity,
                    below,
                });
            }
            below = capacity;
        }
        Ok(BinaryFatTree { capacities })
    }

    /// The CBFT: every capacity is 1.
    ///
    /// # Errors
    /// When there are not 1 to [`LEVELS_MAX`] levels.
    pub fn constant(levels: u32) -> Result<Self, TreeError> {
        Self::with_capacities(vec![1; levels as usize])
    }

    /// The EBFT: c_i = 2^(i-1), so that every level has n links.
    ///
    /// # Errors
    /// When there are not 1 to [`LEVELS_MAX`] levels.
    pub fn exponential(levels: u32) -> Result<Self, TreeError> {
        if levels > LEVELS_MAX {
            return Err(TreeError::Levels {
                found: levels as usize,
            });
        }
        Self::with_capacities((0..levels).map(|i| 1 << i).collect())
    }

    /// The number of levels of branches: d = lg n.
    pub fn levels(&self) -> u32 {
        self.capacities.len() as u32
    }

    /// The number of processors: n.
    pub fn processors(&self) -> u32 {
        1 << self.levels()
    }

    /// Capacity c_i.
    ///
    /// # Panics
    /// Unless 1 <= `level` <= d.
    pub fn capacity(&self, level: u32) -> u32 {
        self.capacities[level as usize - 1]
    }

    /// The packets that can cross a branch of this level per step when the branches below
    /// it are counted too: e_1 = c_1, e_i = min(c_i, 2 e_(i-1)). Equations (1) and (2)
    /// hold with e_i in the place of c_i; the paper leaves this out.
    pub fn effective_capacity(&self, level: u32) -> u64 {
        (2..=level).fold(u64::from(self.capacity(1)), |below, i| {
            u64::from(self.capacity(i)).min(2 * below)
        })
    }

    /// The node at `level` above processor `processor`.
    pub fn ancestor(&self, processor: u32, level: u32) -> u32 {
        (self.processors() + processor) >> level
    }

    /// The level of the branch above `node`, from 1 to d.
    pub fn branch_level(&self, node: u32) -> u32 {
        self.levels() - node.ilog2() + 1
    }

    /// The capacity of a channel.
    pub fn channel_capacity(&self, channel: Channel) -> u32 {
        self.capacity(self.branch_level(channel.node))
    }

    /// The first and the last processor below `node`.
    pub fn span(&self, node: u32) -> (u32, u32) {
        let height = self.branch_level(node) - 1;
        let first = (node << height) - self.processors();
        (first, first + (1 << height) - 1)
    }

    /// A channel's name for a reader.
    pub fn name(&self, channel: Channel) -> ChannelName {
        let (first, last) = self.span(channel.node);
        let level = self.branch_level(channel.node);
        ChannelName {
            direction: channel.direction,
            level,
            first,
            last,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_heap() {
        let tree = BinaryFatTree::exponential(3).unwrap();
        assert_eq!((tree.processors(), tree.capacity(3)), (8, 4));
        let channel = Channel {
            node: tree.ancestor(5, 1),
            direction: ChannelDirection::Up,
        };
        assert_eq!(
            tree.name(channel).to_string(),
            "up channel of level 2 above processors 4-5"
        );
        assert_eq!(tree.channel_capacity(channel), 2);
        assert_eq!(tree.span(1), (0, 7));
    }

    #[test]
    fn processors_meet_at_the_highest_differing_bit() {
        assert_eq!(
            [(3, 3), (2, 3), (1, 2), (3, 4)].map(|(a, b)| meeting_level(a, b)),
            [0, 1, 2, 3]
        );
    }

    #[test]
    fn effective_capacity_counts_the_branches_below() {
        let tree = BinaryFatTree::with_capacities(vec![1, 1, 4, 100]).unwrap();
        assert_eq!(
            [1, 2, 3, 4].map(|i| tree.effective_capacity(i)),
            [1, 1, 2, 4]
        );
    }

    #[test]
    fn wrong_capacities_are_named() {
        let error = |c: &[u32]| BinaryFatTree::with_capacities(c.to_vec()).unwrap_err();
        assert_eq!(error(&[]), TreeError::Levels { found: 0 });
        assert_eq!(error(&[1, 0]), TreeError::ZeroCapacity { level: 2 });
        assert_eq!(
            error(&[1, 3, 2]).to_string(),
            "level 3: found capacity 2, expected at least 3, the capacity of level 2"
        );
        assert_eq!(
            BinaryFatTree::exponential(40).unwrap_err(),
            TreeError::Levels { found: 40 }
        );
    }
}
