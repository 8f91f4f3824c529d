//! Places of nodes in the plane, and lengths and delays of wires.
//!
//! The unit of length is the side of a processor's cell. A block of level 0 is a processor's
//! cell, one of level h is the [`Grid`] of n blocks of level h - 1 with a street of width 1 through
//! the middle in both directions, as in an H-tree. Switches of level h stand in the street from
//! top to bottom, one in the middle, or copies at even distances. With n = 4 a block of level h
//! has the side 2^(h+1) - 1, so its street takes the 2^(h-1) copies with room for three more
//! between them, and wires of level h are O(2^h) long, as those of the paper are.
//!
//! All families of a size stand in the same frame, and the frame does not grow with its wires:
//! that is section 5's template. The area of section 4, in which wires take room, is larger by a
//! factor of O(log² N).

use super::graph::{Graph, Node};
use super::grid::Grid;

/// The cell of a node: column and row, from the upper left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LayoutPlace {
    /// Column.
    pub x: u32,
    /// Row.
    pub y: u32,
}

/// Clocks that a bit takes along a wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delay {
    /// One, however long it is.
    Unit,
    /// `clocks` for every `units` of length, rounded up, and at least one.
    Linear {
        /// Clocks.
        clocks: u32,
        /// Sides of a processor's cell; 0 counts as 1.
        units: u32,
    },
}

impl Delay {
    /// The clocks of a wire of a length.
    pub fn of(self, length: u32) -> u64 {
        match self {
            Delay::Unit => 1,
            Delay::Linear { clocks, units } => {
                let clocks = u64::from(length) * u64::from(clocks);
                clocks.div_ceil(u64::from(units.max(1))).max(1)
            }
        }
    }
}

/// A network in its frame.
#[derive(Debug, Clone)]
pub struct FrameLayout {
    /// By node.
    places: Vec<LayoutPlace>,
    /// Manhattan lengths, by link.
    lengths: Vec<u32>,
    width: u32,
    height: u32,
}

impl FrameLayout {
    /// Places all nodes of a network.
    ///
    /// ```
    /// use crosswave_frame::graph::Graph;
    /// use crosswave_frame::layout::FrameLayout;
    /// use crosswave_frame::shape::{Family, FrameShape};
    /// let tree = Graph::new(FrameShape::new(Family::ButterflyFatTree, 4, 3)?);
    /// assert_eq!(FrameLayout::new(&tree).area(), 15 * 15);
    /// # Ok::<(), crosswave_frame::shape::ShapeError>(())
    /// ```
    pub fn new(graph: &Graph) -> FrameLayout {
        let frame = Frame::new(graph);
        let places: Vec<LayoutPlace> = (0..graph.nodes())
            .map(|node| frame.place(graph, graph.node(node)))
            .collect();
        let length =
            |from: LayoutPlace, to: LayoutPlace| from.x.abs_diff(to.x) + from.y.abs_diff(to.y);
        let ends = graph.links().iter();
        let lengths = ends
            .map(|link| length(places[link.from as usize], places[link.to as usize]))
            .collect();
        let (width, height) = frame.blocks[frame.blocks.len() - 1];
        FrameLayout {
            places,
            lengths,
            width,
            height,
        }
    }

    /// The cell of a node.
    pub fn place(&self, node: u32) -> LayoutPlace {
        self.places[node as usize]
    }

    /// The length of a link's wires.
    pub fn length(&self, link: u32) -> u32 {
        self.lengths[link as usize]
    }

    /// The lengths of all links.
    pub fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    /// The clocks of every link, by number.
    pub fn delays(&self, delay: Delay) -> Vec<u64> {
        self.lengths
            .iter()
            .map(|&length| delay.of(length))
            .collect()
    }

    /// Columns of the frame.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Rows of the frame.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The area of the frame, in processors' cells.
    pub fn area(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
}

/// Sizes of blocks.
struct Frame {
    grid: Grid,
    /// Width and height of a block, by level.
    blocks: Vec<(u32, u32)>,
}

impl Frame {
    fn new(graph: &Graph) -> Frame {
        let grid = Grid::new(graph.shape().ring());
        let grown = |&(width, height): &(u32, u32)| {
            Some((grid.columns() * width + 1, grid.rows() * height + 1))
        };
        let blocks = std::iter::successors(Some((1, 1)), grown);
        let blocks = blocks.take(graph.shape().levels() as usize + 1).collect();
        Frame { grid, blocks }
    }

    /// The offset of one of `count` blocks of a size, beyond the street or not.
    fn offset(number: u32, count: u32, size: u32) -> u32 {
        number * size + u32::from(number >= count / 2)
    }

    fn place(&self, graph: &Graph, node: Node) -> LayoutPlace {
        let shape = graph.shape();
        let (columns, rows) = (self.grid.columns(), self.grid.rows());
        let mut place = LayoutPlace { x: 0, y: 0 };
        for level in node.level..shape.levels() {
            let (width, height) = self.blocks[level as usize];
            let ancestor = node.position / shape.ring().pow(level - node.level);
            let (column, row) = self.grid.cell(ancestor % shape.ring());
            place.x += Frame::offset(column, columns, width);
            place.y += Frame::offset(row, rows, height);
        }
        if node.level > 0 {
            let (width, _) = self.blocks[node.level as usize - 1];
            let (_, height) = self.blocks[node.level as usize];
            place.x += columns / 2 * width;
            place.y += (2 * node.copy + 1) * height / (2 * shape.copies(node.level));
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::graph::LinkKind;
    use crate::shape::{Family, FrameShape, Growth, ShapeOptions, SwitchForm};

    fn graph(family: Family, ring: u32, levels: u32, form: SwitchForm) -> Option<Graph> {
        let options = ShapeOptions {
            form,
            growth: Growth::Doubling,
            ..ShapeOptions::of(family)
        };
        let shape = FrameShape::with_options(family, ring, levels, options);
        shape.ok().map(Graph::new)
    }

    #[test]
    fn nodes_have_places_of_their_own() {
        for family in Family::ALL {
            for form in [SwitchForm::Singular, SwitchForm::Split] {
                for (ring, levels) in [(3, 6), (4, 1), (4, 5), (5, 3), (8, 3), (64, 2)] {
                    let Some(graph) = graph(family, ring, levels, form) else {
                        continue;
                    };
                    let layout = FrameLayout::new(&graph);
                    let places: BTreeSet<LayoutPlace> =
                        (0..graph.nodes()).map(|node| layout.place(node)).collect();
                    assert_eq!(places.len(), graph.nodes() as usize, "{}", graph.shape());
                    let inside =
                        |place: &LayoutPlace| place.x < layout.width() && place.y < layout.height();
                    assert!(places.iter().all(inside));
                    assert!(layout.lengths().iter().all(|&length| length > 0));
                }
            }
        }
    }

    /// Wires of level h are at most a few times 2^h long.
    #[test]
    fn lengths_grow_as_two_to_the_level() {
        for form in [SwitchForm::Singular, SwitchForm::Split] {
            let graph = graph(Family::FatPyramid, 4, 6, form).unwrap();
            let layout = FrameLayout::new(&graph);
            assert_eq!((layout.width(), layout.area()), (127, 127 * 127));
            for (link, ends) in (0..).zip(graph.links()) {
                let most = match ends.kind {
                    LinkKind::Up => 6,
                    LinkKind::Ring | LinkKind::Mesh => 3,
                };
                assert!(layout.length(link) <= most << ends.level, "{ends:?}");
            }
        }
    }

    #[test]
    fn delays() {
        let slow = Delay::Linear {
            clocks: 3,
            units: 4,
        };
        assert_eq!([0, 1, 4, 5].map(|length| slow.of(length)), [1, 1, 3, 4]);
        assert_eq!(Delay::Unit.of(1000), 1);
        let degenerate = Delay::Linear {
            clocks: 0,
            units: 0,
        };
        assert_eq!(degenerate.of(9), 1);
        let tree = graph(Family::ButterflyFatTree, 4, 3, SwitchForm::Singular).unwrap();
        let layout = FrameLayout::new(&tree);
        let delays = layout.delays(Delay::Linear {
            clocks: 1,
            units: 1,
        });
        // From a corner of a block to its middle: 1 and 1, 2 and 2, 4 and 4.
        assert_eq!([0, 64, 80].map(|link: usize| delays[link]), [2, 4, 8]);
    }
}
