//! Wires of a network by kind, and the paper's closed forms (section 2).
//!
//! With N processors on a 4-ary frame whose capacities double, the butterfly fat tree has
//! 2N - √N wires, the augmented stack N/2 - √N more, and the pyramid N/2 - √N log4 N more than
//! that. They come out where links within level h have 2^(h-1) wires, processors are not linked
//! among themselves, and the √N wires that leave the root are counted. A sum of geometric
//! series shows it: N + Σ N/2^h for the tree, Σ N/2^(h+1) below the root for the rings, and
//! Σ √N (√N/2^h - 1) for the meshes, h being 1 to k.

use super::graph::{Graph, LinkKind};
use super::shape::{Family, FrameShape, Growth, QUADRANTS, RingCapacity};

/// Wires, each counted once for its two directions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WireCounts {
    /// From level to level.
    pub up: u64,
    /// Within subnetworks.
    pub ring: u64,
    /// Within meshes.
    pub mesh: u64,
    /// Out of the root.
    pub external: u64,
}

impl WireCounts {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.up + self.ring + self.mesh + self.external
    }
}

/// The wires of a network, link by link.
pub fn count(graph: &Graph) -> WireCounts {
    let mut wires = WireCounts {
        external: graph.shape().external_wires().into(),
        ..WireCounts::default()
    };
    for link in graph.links() {
        let kind = match link.kind {
            LinkKind::Up => &mut wires.up,
            LinkKind::Ring => &mut wires.ring,
            LinkKind::Mesh => &mut wires.mesh,
        };
        *kind += u64::from(link.capacity);
    }
    wires
}

/// The wires of a network, without building it.
pub fn by_rule(shape: FrameShape) -> WireCounts {
    let general = shape.family() == Family::GeneralFatStack;
    let mut wires = WireCounts {
        external: shape.external_wires().into(),
        ..WireCounts::default()
    };
    for level in 0..=shape.top_level() {
        let nodes = u64::from(shape.positions(level));
        if level < shape.top_level() {
            let linked = if general {
                nodes / u64::from(shape.ring())
            } else {
                nodes
            };
            wires.up += linked * u64::from(shape.up_capacity(level));
        }
        if shape.has_lateral_links(level) {
            let capacity = u64::from(shape.lateral_capacity(level));
            match shape.family() {
                Family::FatPyramid => wires.mesh += 2 * (nodes - nodes.isqrt()) * capacity,
                _ => wires.ring += nodes * capacity,
            }
        }
    }
    wires
}

/// The paper's closed form for all wires of a network, where it gives one.
///
/// ```
/// use crosswave_frame::shape::{Family, FrameShape};
/// use crosswave_frame::wires::printed;
/// let tree = FrameShape::new(Family::ButterflyFatTree, 4, 3)?;
/// assert_eq!(printed(tree), Some(120));
/// # Ok::<(), crosswave_frame::shape::ShapeError>(())
/// ```
pub fn printed(shape: FrameShape) -> Option<u64> {
    let options = shape.options();
    let says = shape.ring() == QUADRANTS
        && options.growth == Growth::Doubling
        && options.ring_capacity == RingCapacity::Copies
        && !options.leaf_links;
    let (processors, levels) = (u64::from(shape.processors()), u64::from(shape.levels()));
    let root = processors.isqrt();
    let tree = 2 * processors - root;
    let stack = tree + processors / 2 - root;
    let total = match shape.family() {
        Family::ButterflyFatTree => Some(tree),
        Family::AugmentedFatStack => Some(stack),
        // The last term adds nothing for 4 processors and for 16: it is 0.
        Family::FatPyramid => Some(stack + processors / 2 - root * levels),
        Family::GeneralFatStack => None,
    };
    total.filter(|_| says)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{ShapeOptions, SwitchForm};

    fn shape(family: Family, levels: u32, change: impl Fn(&mut ShapeOptions)) -> FrameShape {
        let mut options = ShapeOptions::of(family);
        change(&mut options);
        FrameShape::with_options(family, 4, levels, options).unwrap()
    }

    const PRINTED: [Family; 3] = [
        Family::ButterflyFatTree,
        Family::AugmentedFatStack,
        Family::FatPyramid,
    ];

    #[test]
    fn the_closed_forms_are_the_counts() {
        for levels in 1..=8 {
            for family in PRINTED {
                for form in [SwitchForm::Singular, SwitchForm::Split] {
                    let shape = shape(family, levels, |options| options.form = form);
                    let wires = count(&Graph::new(shape));
                    assert_eq!(Some(wires.total()), printed(shape), "{shape}");
                    assert_eq!(wires, by_rule(shape), "{shape}");
                }
            }
        }
    }

    #[test]
    fn of_64_processors() {
        let totals = PRINTED.map(|family| printed(shape(family, 3, |_| ())).unwrap());
        assert_eq!(totals, [120, 144, 152]);
        let rings = |ring_capacity| {
            let shape = shape(Family::AugmentedFatStack, 3, |options| {
                options.ring_capacity = ring_capacity;
            });
            count(&Graph::new(shape)).ring
        };
        // Section 2 needs the first, section 5 says the second.
        assert_eq!(rings(RingCapacity::Copies), 24);
        assert_eq!(rings(RingCapacity::Upward), 48);
    }

    #[test]
    fn rules_hold_with_every_option() {
        for family in Family::ALL {
            for growth in [Growth::Doubling, Growth::Unit] {
                for ring_capacity in [RingCapacity::Copies, RingCapacity::Upward] {
                    for form in [SwitchForm::Singular, SwitchForm::Split] {
                        let shape = shape(family, 3, |options| {
                            options.growth = growth;
                            options.ring_capacity = ring_capacity;
                            options.form = form;
                            options.leaf_links = family != Family::ButterflyFatTree;
                        });
                        assert_eq!(count(&Graph::new(shape)), by_rule(shape), "{shape}");
                        let silent = family != Family::ButterflyFatTree
                            || growth == Growth::Unit
                            || ring_capacity == RingCapacity::Upward;
                        assert_eq!(printed(shape).is_none(), silent);
                    }
                }
            }
        }
    }
}
