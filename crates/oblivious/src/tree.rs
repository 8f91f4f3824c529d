//! The m-port n-tree FT(m, n) (section II.B of the paper), whose switches all have m ports.
//!
//! With h = m/2, SUBFT(m, 1) is a switch with h nodes below it, and SUBFT(m, i + 1) is h
//! SUBFT(m, i) below h^i switches: up-link port q of each is wired to top switch q, whose own
//! up-link ports are hq to hq + h - 1. FT(m, n) is m SUBFT(m, n - 1) below h^(n-1) switches
//! without up-link ports.
//!
//! *Levels* count from the root: switches stand in levels 0 to n - 1, and a link of level i
//! joins levels i and i + 1, where level n is that of the nodes. *Heights* count from the
//! nodes: height j is level n - 1 - j. All formulas here are in heights:
//!
//! - Node p is the number with the digits (p_0, ..., p_(n-1)), of which p_0 is below m and the
//!   others are below h. It is in the SUBFT(m, j) of the number p / h^j.
//! - A switch of height j is number q * h^j + t, where q is the number of its SUBFT(m, j + 1) and t
//!   its own among the top switches of that. Its label is the digits of q, then those of t.
//! - Who climbs by digits u_1, u_2, ..., each the up port that is taken, stands after x of them
//!   in top switch t = (u_1 ... u_x) of SUBFT(m, x + 1), u_1 being the first digit.
//! - A shortest path climbs to the lowest switches that have both nodes below them, and comes down
//!   through top switches of the same numbers (property 2). So its top switch, one of h^x, is the
//!   whole path, and the number of the port that it takes at height j is t / h^(x-j).
//! - The link of height j between a SUBFT(m, j) and what is above it is number q * h^j + port.
//!   There are as many in each level and direction as nodes.
//!
//! Limits: m even, 2 to 2 [`NODES_MAX`]; 1 to [`LEVELS_MAX`] levels; up to [`NODES_MAX`] nodes.

use std::fmt;

/// The most levels of switches.
pub const LEVELS_MAX: u32 = 20;

/// The most nodes.
pub const NODES_MAX: u32 = 1 << 20;

/// An m-port n-tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortTree {
    /// m.
    ports: u32,
    /// n.
    levels: u32,
}

/// The reason why there is no such tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeError {
    /// The number of ports is odd, or 0.
    Ports {
        /// The number.
        found: u32,
    },
    /// The number of levels lies outside 1 to [`LEVELS_MAX`].
    Levels {
        /// The number.
        found: u32,
    },
    /// The tree has more than [`NODES_MAX`] nodes.
    Nodes {
        /// Ports of a switch.
        ports: u32,
        /// Levels of switches.
        levels: u32,
    },
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TreeError::Ports { found } => {
                write!(
                    f,
                    "found switches of {found} ports, expected an even number"
                )
            }
            TreeError::Levels { found } => {
                write!(f, "found {found} levels, expected 1 to {LEVELS_MAX}")
            }
            TreeError::Nodes { ports, levels } => write!(
                f,
                "found more than {NODES_MAX} nodes in FT({ports}, {levels}), expected at most that many"
            ),
        }
    }
}

impl std::error::Error for TreeError {}

/// One direction of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkDirection {
    /// From the nodes to the root.
    Up,
    /// From the root to the nodes.
    Down,
}

/// One direction of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TreeLink {
    /// Its level, 0 at the root to n - 1 at the nodes.
    pub level: u32,
    /// Up or down.
    pub direction: LinkDirection,
    /// Its number in its level, below the number of nodes.
    pub number: u32,
}

/// A node, or a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Vertex {
    /// A processing node.
    Node(u32),
    /// A switch.
    Switch {
        /// Its level, 0 at the root.
        level: u32,
        /// Its number in its level.
        number: u32,
    },
}

/// A vertex by its label in the paper, such as `node(3, 0)` or `switch((3, 1), 2)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    digits: Vec<u32>,
    /// The level of a switch; `None` for a node.
    level: Option<u32>,
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits: Vec<String> = self.digits.iter().map(u32::to_string).collect();
        let digits = digits.join(", ");
        match (self.level, self.digits.len()) {
            (None, _) => write!(f, "node({digits})"),
            (Some(level), 0) => write!(f, "switch({level})"),
            (Some(level), 1) => write!(f, "switch({digits}, {level})"),
            (Some(level), _) => write!(f, "switch(({digits}), {level})"),
        }
    }
}

impl fmt::Display for PortTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FT({}, {})", self.ports, self.levels)
    }
}

impl PortTree {
    /// FT(m, n).
    ///
    /// ```
    /// use crosswave_oblivious::tree::PortTree;
    /// let tree = PortTree::new(24, 3)?;
    /// assert_eq!((tree.nodes(), tree.switches()), (3456, 720));
    /// # Ok::<(), crosswave_oblivious::tree::TreeError>(())
    /// ```
    ///
    /// # Errors
    /// Outside the limits of the module.
    pub fn new(ports: u32, levels: u32) -> Result<Self, TreeError> {
        if ports == 0 || !ports.is_multiple_of(2) {
            return Err(TreeError::Ports { found: ports });
        }
        if !(1..=LEVELS_MAX).contains(&levels) {
            return Err(TreeError::Levels { found: levels });
        }
        let nodes = (ports / 2)
            .checked_pow(levels - 1)
            .and_then(|below| below.checked_mul(ports));
        match nodes {
            Some(nodes) if nodes <= NODES_MAX => Ok(PortTree { ports, levels }),
            _ => Err(TreeError::Nodes { ports, levels }),
        }
    }

    /// m, the ports of a switch.
    pub fn ports(&self) -> u32 {
        self.ports
    }

    /// n, the levels of switches.
    pub fn levels(&self) -> u32 {
        self.levels
    }

    /// m/2, the up ports of a switch below the root.
    pub fn half(&self) -> u32 {
        self.ports / 2
    }

    /// (m/2)^`exponent`: the nodes, and the up-link ports, of SUBFT(m, `exponent`).
    ///
    /// # Panics
    /// When `exponent` is n or more.
    pub fn power(&self, exponent: u32) -> u32 {
        assert!(exponent < self.levels, "{self} has no such sub-fat-tree");
        self.half().pow(exponent)
    }

    /// The number of nodes: m (m/2)^(n-1).
    pub fn nodes(&self) -> u32 {
        self.ports * self.power(self.levels - 1)
    }

    /// The number of switches: (2n - 1) (m/2)^(n-1).
    pub fn switches(&self) -> u32 {
        (0..self.levels).map(|level| self.switches_of(level)).sum()
    }

    /// The number of switches of a level: (m/2)^(n-1) at the root, twice that below.
    ///
    /// # Panics
    /// When there is no such level.
    pub fn switches_of(&self, level: u32) -> u32 {
        assert!(level < self.levels, "{self} has no level {level}");
        let root = self.power(self.levels - 1);
        if level == 0 { root } else { 2 * root }
    }

    /// The number of links, each direction counted: 2n times the nodes.
    pub fn links(&self) -> u32 {
        2 * self.levels * self.nodes()
    }

    /// The level of what stands at a height, and the height of what stands at a level.
    ///
    /// # Panics
    /// When there is no such level.
    pub fn opposite(&self, height: u32) -> u32 {
        assert!(height < self.levels, "{self} has no height {height}");
        self.levels - 1 - height
    }

    /// A link's dense number, below [`links`](Self::links): by level, then up before down.
    pub fn index(&self, link: TreeLink) -> usize {
        let direction = u32::from(link.direction == LinkDirection::Down);
        let row = link.level * 2 + direction;
        row as usize * self.nodes() as usize + link.number as usize
    }

    /// The link of a dense number.
    ///
    /// # Panics
    /// When there is none.
    pub fn link(&self, index: usize) -> TreeLink {
        assert!(
            index < self.links() as usize,
            "{self} has no link of number {index}"
        );
        let (row, number) = (index as u32 / self.nodes(), index as u32 % self.nodes());
        let direction = match row % 2 {
            0 => LinkDirection::Up,
            _ => LinkDirection::Down,
        };
        TreeLink {
            level: row / 2,
            direction,
            number,
        }
    }

    /// The vertex that a link leaves and the one it enters.
    pub fn ends(&self, link: TreeLink) -> (Vertex, Vertex) {
        let height = self.opposite(link.level);
        let (subtree, port) = (
            link.number / self.power(height),
            link.number % self.power(height),
        );
        let lower = match height {
            0 => Vertex::Node(subtree),
            _ => self.switch(height - 1, subtree, port / self.half()),
        };
        // SUBFT(m, n) stands for the whole tree, of which there is one.
        let above = match link.level {
            0 => 0,
            _ => subtree / self.half(),
        };
        let upper = self.switch(height, above, port);
        match link.direction {
            LinkDirection::Up => (lower, upper),
            LinkDirection::Down => (upper, lower),
        }
    }

    /// Top switch `top` of a SUBFT(m, `height` + 1).
    fn switch(&self, height: u32, subtree: u32, top: u32) -> Vertex {
        Vertex::Switch {
            level: self.opposite(height),
            number: subtree * self.power(height) + top,
        }
    }

    /// The label of a vertex.
    pub fn label(&self, vertex: Vertex) -> Label {
        let (mut rest, length, level) = match vertex {
            Vertex::Node(node) => (node, self.levels, None),
            Vertex::Switch { level, number } => (number, self.levels - 1, Some(level)),
        };
        let mut digits = Vec::new();
        for _ in 1..length {
            digits.push(rest % self.half());
            rest /= self.half();
        }
        if length > 0 {
            digits.push(rest);
        }
        digits.reverse();
        Label { digits, level }
    }

    /// The height x of the nearest common ancestors of two nodes: 0 where they share a
    /// switch. Their level is n - 1 - x, and there are (m/2)^x of them, as of shortest paths
    /// (property 3).
    pub fn meeting_height(&self, a: u32, b: u32) -> u32 {
        let half = self.half();
        if half > 1 && half.is_power_of_two() {
            // The digits of numbers are bits, and those of the nodes' own ports do not count.
            let bits = half.ilog2();
            let digits = match (a ^ b) >> bits {
                0 => 0,
                differ => differ.ilog2() / bits + 1,
            };
            return digits.min(self.levels - 1);
        }
        let (mut a, mut b) = (a / half, b / half);
        let mut height = 0;
        while height < self.levels - 1 && a != b {
            a /= half;
            b /= half;
            height += 1;
        }
        height
    }

    /// The number of shortest paths, which is that of the top switches, of a pair of nodes.
    pub fn tops(&self, source: u32, destination: u32) -> u32 {
        self.power(self.meeting_height(source, destination))
    }

    /// The link of a height between `node`'s sub-fat-tree and the switch above its `port`.
    pub fn link_of(&self, node: u32, height: u32, port: u32, direction: LinkDirection) -> TreeLink {
        TreeLink {
            level: self.opposite(height),
            direction,
            number: node - node % self.power(height) + port,
        }
    }

    /// The links of the shortest path by top switch `top`, in their order. A message of a node to
    /// itself takes none.
    ///
    /// # Panics
    /// When the pair has no such top switch.
    pub fn path(&self, source: u32, destination: u32, top: u32) -> Vec<TreeLink> {
        if source == destination {
            return Vec::new();
        }
        let meeting = self.meeting_height(source, destination);
        assert!(
            top < self.power(meeting),
            "{self}: {source} and {destination} do not meet in top switch {top}"
        );
        let port = |height| top / self.power(meeting - height);
        let up = (0..=meeting).map(|j| self.link_of(source, j, port(j), LinkDirection::Up));
        let down =
            (0..=meeting).map(|j| self.link_of(destination, j, port(j), LinkDirection::Down));
        up.chain(down.rev()).collect()
    }
}

#[cfg(test)]
mod tests;
