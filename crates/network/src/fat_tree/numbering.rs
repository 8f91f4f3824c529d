//! Instance numbers of the routers and nodes of a fat tree.
//!
//! The number of a router within its level is made of bits: those of its number within
//! its node, and one for each level above, the address bit that tells on which side of
//! that level the router lies. Going down from level `l + 1` to level `l`,
//!
//! - where the capacity doubles, the address bit takes the place of the highest bit of
//!   the number within the node, which the level below does not have: port letter and
//!   bit change places;
//! - where it stays the same, the address bit becomes the highest bit of all: what is on
//!   the left comes before what is on the right.
//!
//! Either way neighbours stand in the same order, so links move in whole words of lanes.
//! In a full tree router `i` of node `j` of level `l` has the number `j * 2^l + i`, and
//! that is also its name in all trees, with the capacity in place of `2^l`. Nodes have one
//! router of level 0 above two of them: first come those on its port a.

/// The numbering of one tree.
#[derive(Debug, Clone, Copy)]
pub struct Numbering<'a> {
    /// Links of the channel below each level.
    capacities: &'a [u32],
}

impl<'a> Numbering<'a> {
    /// The numbering of the tree of these capacities, which are powers of two.
    pub fn new(capacities: &'a [u32]) -> Self {
        Numbering { capacities }
    }

    fn levels(self) -> u32 {
        self.capacities.len() as u32
    }

    /// lg of a level's capacity.
    fn bits_inside(self, level: u32) -> u32 {
        self.capacities[level as usize].trailing_zeros()
    }

    /// lg of the routers of a level.
    fn bits(self, level: u32) -> u32 {
        self.levels() - 1 - level + self.bits_inside(level)
    }

    /// Routers of a level.
    pub fn routers_of(self, level: u32) -> usize {
        1 << self.bits(level)
    }

    /// The level of a router among all, and its number within the level.
    pub fn level(self, router: usize) -> (u32, usize) {
        let (mut level, mut number) = (0, router);
        while number >= self.routers_of(level) {
            number -= self.routers_of(level);
            level += 1;
        }
        (level, number)
    }

    /// The bit of numbers at a level that tells the side of the level above.
    pub fn side(self, level: u32) -> u32 {
        let (inside, above) = (self.bits_inside(level), self.bits_inside(level + 1));
        if inside == above {
            self.bits(level + 1)
        } else {
            inside
        }
    }

    /// The number of router `router` of node `node` of a level, within the level.
    pub fn router(self, level: u32, node: u32, router: u32) -> usize {
        let sides = (level..self.levels() - 1).enumerate();
        let sides = sides.map(|(bit, level)| (node >> bit & 1) << self.side(level));
        (router + sides.sum::<u32>()) as usize
    }

    /// The node of a level that a router belongs to, and its number within the node.
    pub fn place(self, level: u32, number: usize) -> (u32, u32) {
        let number = number as u32;
        let sides = (level..self.levels() - 1).enumerate();
        let node = sides.map(|(bit, level)| (number >> self.side(level) & 1) << bit);
        (node.sum(), number & (self.capacities[level as usize] - 1))
    }

    /// The instance of a node's network interface.
    pub fn node_instance(self, node: u32) -> usize {
        self.router(0, node >> 1, 0) + (node & 1) as usize * self.routers_of(0)
    }

    /// The node of a network interface.
    pub fn node_of_instance(self, instance: usize) -> u32 {
        let half = self.routers_of(0);
        let (above, _) = self.place(0, instance & (half - 1));
        above << 1 | u32::from(instance & half != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_places_are_told_apart() {
        for capacities in [
            &[1, 2, 4, 8, 16][..],
            &[1, 1, 1, 1, 1],
            &[1, 2, 2, 4, 4],
            &[1, 1, 2, 4, 4],
            &[1],
        ] {
            let numbering = Numbering::new(capacities);
            let levels = capacities.len() as u32;
            for level in 0..levels {
                let capacity = capacities[level as usize];
                let nodes = 1 << (levels - 1 - level);
                assert_eq!(numbering.routers_of(level), (nodes * capacity) as usize);
                let mut seen = vec![false; numbering.routers_of(level)];
                for (node, router) in
                    (0..nodes).flat_map(|node| (0..capacity).map(move |router| (node, router)))
                {
                    let number = numbering.router(level, node, router);
                    assert_eq!(numbering.place(level, number), (node, router));
                    assert!(!std::mem::replace(&mut seen[number], true));
                    if capacity == 1 << level {
                        let whole = capacities.iter().zip(0..).all(|(&c, l)| c == 1 << l);
                        assert!(!whole || number as u32 == node * capacity + router);
                    }
                }
            }
            for node in 0..1 << levels {
                let instance = numbering.node_instance(node);
                assert_eq!(numbering.node_of_instance(instance), node);
            }
        }
    }
}
