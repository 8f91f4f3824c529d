//! The neighbours of other networks, as pairs of processors of the frame: what a network must carry
//! to simulate a step of another (section 4).
//!
//! Host and guest take the same area, up to a factor that does not grow. A mesh of N nodes has an area
//! in proportion to N, with a node on every processor. Of the others, whose wires fill the area, that is
//! the area of fewer nodes: √N of a hypercube or a permutation, √N rows of a butterfly. These stand
//! at even distances in the order of the positions of the frame, which suits the hypercube: each bit
//! halves the frame.

use super::grid::Grid;
use super::shape::FrameShape;
use crosswave_base::random::{below, generator};

/// Another network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guest {
    /// Rows and columns of N nodes, four neighbours each but at the borders.
    Mesh,
    /// √N nodes, rounded down to a power of two, with a neighbour for each bit of the number.
    Hypercube,
    /// r + 1 ranks of 2^r nodes, two neighbours each in the next rank; 2^r is √N, rounded down to a
    /// power of two, or less where N processors are not enough.
    Butterfly,
    /// √N nodes, one neighbour each, by a random permutation.
    Permutation,
}

impl Guest {
    /// All.
    pub const ALL: [Guest; 4] = [
        Guest::Mesh,
        Guest::Hypercube,
        Guest::Butterfly,
        Guest::Permutation,
    ];

    /// Its name, in words.
    pub fn name(self) -> &'static str {
        match self {
            Guest::Mesh => "mesh",
            Guest::Hypercube => "hypercube",
            Guest::Butterfly => "butterfly",
            Guest::Permutation => "random permutation",
        }
    }

    /// Pairs of processors that are neighbours, in both orders where both send, without pairs of one.
    ///
    /// ```
    /// use crosswave_frame::guest::Guest;
    /// use crosswave_frame::shape::{Family, FrameShape};
    /// let tree = FrameShape::new(Family::ButterflyFatTree, 4, 3)?;
    /// assert_eq!(Guest::Mesh.pairs(tree, 1).len(), 4 * 8 * 7);
    /// assert_eq!(Guest::Hypercube.pairs(tree, 1).len(), 8 * 3);
    /// # Ok::<(), crosswave_frame::shape::ShapeError>(())
    /// ```
    pub fn pairs(self, shape: FrameShape, seed: u64) -> Vec<(u32, u32)> {
        let processors = shape.processors();
        if self == Guest::Mesh {
            return mesh(shape);
        }
        let side = processors.isqrt();
        let mut bits = side.ilog2();
        let mut pairs = Vec::new();
        let nodes = match self {
            Guest::Mesh | Guest::Hypercube => 1 << bits,
            Guest::Butterfly => {
                while (bits + 1) << bits > processors {
                    bits -= 1;
                }
                (bits + 1) << bits
            }
            Guest::Permutation => side,
        };
        match self {
            Guest::Mesh | Guest::Hypercube => {
                for node in 0..nodes {
                    pairs.extend((0..bits).map(|bit| (node, node ^ 1 << bit)));
                }
            }
            Guest::Butterfly => {
                for rank in 0..bits {
                    for column in 0..1 << bits {
                        let from = rank << bits | column;
                        for to in [column, column ^ 1 << rank] {
                            let to = (rank + 1) << bits | to;
                            pairs.extend([(from, to), (to, from)]);
                        }
                    }
                }
            }
            Guest::Permutation => {
                let mut generator = generator(seed, u64::from(nodes));
                let mut to: Vec<u32> = (0..nodes).collect();
                for place in (1..to.len()).rev() {
                    to.swap(place, below(&mut generator, place as u64 + 1) as usize);
                }
                pairs.extend((0..).zip(to).filter(|(from, to)| from != to));
            }
        }
        let apart = processors / nodes;
        let place = |(from, to): (u32, u32)| (from * apart, to * apart);
        pairs.into_iter().map(place).collect()
    }
}

/// Neighbours in rows and columns of the frame.
fn mesh(shape: FrameShape) -> Vec<(u32, u32)> {
    let (grid, levels) = (Grid::new(shape.ring()), shape.levels());
    let mut pairs = Vec::new();
    for position in 0..shape.processors() {
        let (x, y) = grid.place(position, levels);
        for next in [(x + 1, y), (x, y + 1)] {
            if let Some(next) = grid.position(next, levels) {
                pairs.extend([(position, next), (next, position)]);
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;
    use crate::layout::FrameLayout;
    use crate::shape::Family;

    /// Neighbours of the mesh are next to each other; nobody is its own; all are nodes.
    #[test]
    fn guests_are_what_they_are_called() {
        for levels in 1..=4 {
            let shape = FrameShape::new(Family::FatPyramid, 4, levels).unwrap();
            let layout = FrameLayout::new(&Graph::new(shape));
            for guest in Guest::ALL {
                let pairs = guest.pairs(shape, 1);
                for &(a, b) in &pairs {
                    assert!(a != b && a < shape.processors() && b < shape.processors());
                    let (p, q) = (layout.place(a), layout.place(b));
                    let apart = p.x.abs_diff(q.x) + p.y.abs_diff(q.y);
                    assert!(guest != Guest::Mesh || apart == 2);
                }
                let mut sorted = pairs.clone();
                sorted.sort_unstable();
                sorted.dedup();
                assert_eq!(sorted.len(), pairs.len(), "{guest:?}");
                if guest != Guest::Permutation {
                    assert!(
                        pairs
                            .iter()
                            .all(|&(a, b)| sorted.binary_search(&(b, a)).is_ok())
                    );
                }
            }
        }
        let shape = FrameShape::new(Family::ButterflyFatTree, 4, 2).unwrap();
        // Three ranks of four: 12 of 16 processors.
        assert_eq!(Guest::Butterfly.pairs(shape, 1).len(), 2 * 2 * 2 * 4);
    }
}
