//! Fat trees of unit trees: sizes, chips and latencies.
//!
//! Source: A. DeHon, "Fat-Tree Routing for Transit" (1990), sections 3.3, 4.3.1, 4.3.2 and 4.4,
//! equations 3.1 to 3.10 and 4.14 to 4.34. A tree has i stack stages: UT64x2 (full) or leaf
//! clusters of j routing stages (hybrid), and i - 1 of UT64x8 above them.
//!
//! Brackets around fractions in equations 4.19, 4.23, 4.32 and 4.34 are read as ceilings.
//! [`UnitTrees::wire_clocks`] has the clocks of the longest wires between stack stages,
//! diagonals of hollow cubes (section 4.1.1).

use super::wires::Geometry;

/// Chips of a UT64x8 (Table 3.1).
const CHIPS_UT64X8: u64 = 208;
/// Chips of a UT64x2 (Table 3.4).
const CHIPS_UT64X2: u64 = 52;

/// A tree without a cap.
///
/// ```
/// use crosswave_analytic::unit_trees::UnitTrees;
/// use crosswave_analytic::wires::Geometry;
///
/// let hybrid = UnitTrees { stack_stages: 3, leaf_stages: Some(4) };
/// assert_eq!(hybrid.processors(), 786_432);
/// assert_eq!(hybrid.chips(), 1_118_208);
/// let wires = hybrid.wire_clocks(&Geometry::DEHON);
/// assert_eq!(wires, [2, 6]);
/// assert_eq!(hybrid.connect_clocks(6, &wires), 29);
/// assert_eq!(hybrid.open_clocks(6, &wires), 32);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitTrees {
    /// Stack stages: i, 1 to 3; from 2 on in hybrid trees.
    pub stack_stages: u32,
    /// Stages of a leaf cluster: j, 2 to 4; `None` in full fat trees.
    pub leaf_stages: Option<u32>,
}

impl UnitTrees {
    /// Processors of a leaf stack (equation 4.24), or below a UT64x2.
    pub fn leaf_processors(self) -> u64 {
        self.leaf_stages.map_or(64, |stages| 3 << (2 * stages - 2))
    }

    /// Processors (equations 4.14 and 4.25).
    pub fn processors(self) -> u64 {
        self.leaf_processors() << (6 * (self.stack_stages - 1))
    }

    /// Leaf stacks (equations 4.15 and 4.27).
    pub fn leaf_stacks(self) -> u64 {
        self.processors() / self.leaf_processors()
    }

    /// UT64x8 (equations 4.16 and 4.28).
    pub fn unit_trees(self) -> u64 {
        let of_one = if self.leaf_stages.is_some() { 576 } else { 768 };
        // 1 - 4^(1-i) as a fraction.
        let power = 1u64 << (2 * (self.stack_stages - 1));
        self.processors() * (power - 1) / (of_one * power)
    }

    /// Chips of a leaf stack (equation 4.26).
    pub fn leaf_chips(self) -> u64 {
        self.leaf_stages.map_or(CHIPS_UT64X2, |stages| {
            u64::from(3 * stages + 1) << (2 * (stages - 2))
        })
    }

    /// Chips (equations 4.17 and 4.29).
    pub fn chips(self) -> u64 {
        self.leaf_chips() * self.leaf_stacks() + CHIPS_UT64X8 * self.unit_trees()
    }

    /// Levels of the tree.
    pub fn levels(self) -> u32 {
        match self.leaf_stages {
            None => 3 * self.stack_stages,
            Some(_) => 3 * (self.stack_stages - 1),
        }
    }

    /// Clocks of the longest wires between stack stages, the lowest first, one way. The stacks'
    /// sides are those of the leaves.
    pub fn wire_clocks(self, geometry: &Geometry) -> Vec<u64> {
        let chips = self.leaf_stages.map_or(4, |stages| 1 << (stages - 1));
        let geometry = Geometry {
            stack_side_micrometres: geometry.stack_side_micrometres * chips / 8,
            ..*geometry
        };
        let sides = (1..self.stack_stages).map(|stage| 1 << (2 * stage));
        sides
            .map(|side| geometry.cube_diagonal_cycles(side))
            .collect()
    }

    /// Clocks of the wires of a connection through a level, both ways.
    fn wires_through(self, level: u32, wires: &[u64]) -> u64 {
        let stages = level.div_ceil(3) as usize;
        let passed = match self.leaf_stages {
            None => stages - 1,
            Some(_) => stages,
        };
        2 * wires[..passed].iter().sum::<u64>()
    }

    /// Clocks of data on a connection through level k of the tree, with wires of so many clocks
    /// between stack stages (equations 4.18 and 4.31); level 0 is the leaf cluster (4.30).
    pub fn connect_clocks(self, level: u32, wires: &[u64]) -> u64 {
        let wires = self.wires_through(level, wires);
        match self.leaf_stages {
            None => u64::from(level.div_ceil(3) + level) + wires,
            Some(stages) if level == 0 => u64::from(stages),
            Some(stages) => u64::from(1 + stages + level + level.div_ceil(3)) + wires,
        }
    }

    /// Clocks of the first word that arrives while the connection opens (equations 4.19 and
    /// 4.32).
    pub fn open_clocks(self, level: u32, wires: &[u64]) -> u64 {
        let connect = self.connect_clocks(level, wires);
        let swallows = match self.leaf_stages {
            None => level.div_ceil(3) - 1 + level.div_ceil(12),
            Some(_) if level == 0 => 0,
            Some(_) => level.div_ceil(3) + (level + 3).div_ceil(12),
        };
        connect + u64::from(swallows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Equations 4.20 to 4.23, 4.33 and 4.34 are those through a level for the lowest and the
    /// highest one.
    #[test]
    fn best_and_worst_cases_are_those_of_levels() {
        for stack_stages in 1..=3u32 {
            let i = u64::from(stack_stages);
            let full = UnitTrees {
                stack_stages,
                leaf_stages: None,
            };
            let wires: Vec<u64> = (1..i).collect();
            let all = 2 * wires.iter().sum::<u64>();
            assert_eq!(full.connect_clocks(1, &wires), 2);
            assert_eq!(full.open_clocks(1, &wires), 3);
            assert_eq!(full.connect_clocks(full.levels(), &wires), 4 * i + all);
            let open = i.div_ceil(4) + 5 * i - 1 + all;
            assert_eq!(full.open_clocks(full.levels(), &wires), open);
            for leaf_stages in (2..=4).filter(|_| i > 1) {
                let hybrid = UnitTrees {
                    stack_stages,
                    leaf_stages: Some(leaf_stages),
                };
                let j = u64::from(leaf_stages);
                let connect = 1 + 4 * (i - 1) + j + all;
                assert_eq!(hybrid.connect_clocks(hybrid.levels(), &wires), connect);
                let open = 1 + j + 5 * (i - 1) + i.div_ceil(4) + all;
                assert_eq!(hybrid.open_clocks(hybrid.levels(), &wires), open);
            }
        }
    }

    /// Section 3.3.3: 12K, 768K; section 3.3.4: 256K.
    #[test]
    fn examples_of_the_paper() {
        let tree = |stack_stages, leaf_stages| UnitTrees {
            stack_stages,
            leaf_stages,
        };
        assert_eq!(tree(2, Some(4)).unit_trees(), 16);
        assert_eq!(tree(3, Some(4)).unit_trees(), 1280);
        assert_eq!(tree(3, None).unit_trees(), 320);
        assert_eq!(tree(3, None).chips(), 279_552);
    }
}
