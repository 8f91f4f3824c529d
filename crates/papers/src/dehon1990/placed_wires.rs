//! Wires between stacks of placed networks, counted one by one: of fat trees in hollow cubes, and
//! of bidelta networks between planes.

use super::bench::INTERFACE_OPTIONS;
use super::bench::without_wires;
use super::trees::{form, tree};
use crosswave_analytic::unit_trees::UnitTrees;
use crosswave_chips::routing::transit::TransitForm;
use crosswave_network::transit::{Geometry, PlacedStack};
use crosswave_observe::points::watch::Watch;

/// Bound on the rounding error of a length.
const EXACT: f64 = 1e-9;

/// Trees whose wires are counted, by their leaves: of two layers of UT64x8.
pub const LEAVES: [(&str, Option<u32>); 4] = [
    ("UT64x2", None),
    ("B12", Some(2)),
    ("B48", Some(3)),
    ("B192", Some(4)),
];
/// Stages of the bidelta network whose wires are counted, that of section 4.2.3: two planes of
/// B64x8 and one of B256x2.
pub const BIDELTA_STAGES: u32 = 10;

/// Wires of a hollow cube of a placed tree, or of a square between planes.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedWires {
    /// The leaf of the tree; empty for a bidelta network.
    pub leaf: &'static str,
    /// Stacks along a side of the cube, or square.
    pub side_stacks: u64,
    /// Wires by their offsets along the edge, into the room, and down, in sides of a stack; empty
    /// for a bidelta network.
    pub offsets: [Vec<u64>; 3],
    /// Wires by their length, in sides of a stack, rounded up.
    pub lengths: Vec<u64>,
    /// Wires by the clocks that they take.
    pub clocks: Vec<u64>,
}

/// Counts one more of a kind.
fn count(counts: &mut Vec<u64>, kind: usize) {
    if counts.len() <= kind {
        counts.resize(kind + 1, 0);
    }
    counts[kind] += 1;
}

/// The counts as fractions of their sum.
pub fn fractions(counts: &[u64]) -> Vec<f64> {
    let total: u64 = counts.iter().sum();
    counts
        .iter()
        .map(|&count| count as f64 / total as f64)
        .collect()
}

/// The mean of a kind, by its number.
pub fn mean(counts: &[u64]) -> f64 {
    let kinds = fractions(counts).into_iter().enumerate();
    kinds.map(|(kind, share)| kind as f64 * share).sum()
}

impl PlacedWires {
    /// The wires of a layer of the tree with such leaves.
    fn of_layer(leaf: &'static str, leaf_stages: Option<u32>, layer: u32) -> PlacedWires {
        let form = placed_form(leaf_stages);
        let mut placed = PlacedWires {
            leaf,
            side_stacks: 1 << (2 * layer),
            offsets: Default::default(),
            lengths: Vec::new(),
            clocks: Vec::new(),
        };
        let geometry = Geometry::default();
        tree(form, vec![0; 2]).each_placed_wire(layer, |wire| {
            for (counts, offset) in placed.offsets.iter_mut().zip(wire.offsets) {
                count(counts, offset as usize);
            }
            count(&mut placed.lengths, wire.sides as usize);
            count(
                &mut placed.clocks,
                geometry.clocks(wire.sides, form) as usize,
            );
        });
        placed
    }

    /// The wires behind a plane of stacks of the bidelta network.
    fn behind_plane(plane: u32) -> PlacedWires {
        // Stacks of a B192 and of a B64x8 have as many chips along a side.
        let form = placed_form(Some(4));
        let mut placed = PlacedWires {
            leaf: "",
            side_stacks: 1 << (3 * plane),
            offsets: Default::default(),
            lengths: Vec::new(),
            clocks: Vec::new(),
        };
        let geometry = Geometry::default();
        let network = without_wires(BIDELTA_STAGES, INTERFACE_OPTIONS);
        network.each_placed_wire(3 * plane - 1, |[dx, dy]| {
            let sides = (dx.hypot(dy) - EXACT).ceil().max(0.0) as u32;
            count(&mut placed.lengths, sides as usize);
            count(&mut placed.clocks, geometry.clocks(sides, form) as usize);
        });
        placed
    }
}

/// A tree of two layers of UT64x8 with such leaves.
fn placed_form(leaf_stages: Option<u32>) -> TransitForm {
    form(UnitTrees {
        stack_stages: 3,
        leaf_stages,
    })
}

/// The cubes of both layers of each tree.
pub fn cubes(watch: &mut dyn Watch) -> Vec<PlacedWires> {
    let leaves = LEAVES.into_iter();
    let of_leaf = |(leaf, stages)| [1, 2].map(|layer| (leaf, stages, layer));
    leaves
        .flat_map(of_leaf)
        .map(|(leaf, stages, layer)| {
            watch.begins(&format!("counts wires of layer {layer} above {leaf}"));
            PlacedWires::of_layer(leaf, stages, layer)
        })
        .collect()
}

/// The squares behind the first and the second plane of the bidelta network.
pub fn squares(watch: &mut dyn Watch) -> Vec<PlacedWires> {
    let of_plane = |plane| {
        watch.begins(&format!(
            "counts wires after plane {plane} of a bidelta network"
        ));
        PlacedWires::behind_plane(plane)
    };
    [1, 2].map(of_plane).into()
}

/// The stacks of a tree of so many layers of UT64x8 whose leaves are B48.
pub fn stacks(layers: u32) -> Vec<PlacedStack> {
    let of = UnitTrees {
        stack_stages: layers + 1,
        leaf_stages: Some(3),
    };
    tree(form(of), vec![0; layers as usize]).placed_stacks()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosswave_analytic::wires::LengthDistribution;

    /// The lowest cubes of trees whose leaves have a wire to every stack are those of the
    /// equations.
    #[test]
    fn lowest_cubes_are_those_of_the_equations() {
        for (leaf, stages) in [("UT64x2", None), ("B48", Some(3))] {
            let placed = PlacedWires::of_layer(leaf, stages, 1);
            let formula = LengthDistribution::of_hollow_cube(4);
            let expected = fractions(formula.counts());
            assert_eq!(fractions(&placed.lengths), expected, "{leaf}");
            assert!((mean(&placed.lengths) - formula.mean()).abs() < 1e-12);
        }
    }
}
