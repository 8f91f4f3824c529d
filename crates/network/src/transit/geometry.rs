//! Hollow cubes in space (DeHon 1990, sections 3.4 and 4.1): where stacks are, how long the
//! wires between them are, and the clocks that they take.
//!
//! The 64 children of a unit of layer t stand on four sides of a cube, 4 by 4 on each, and the
//! stacks of the unit tile its top. Lengths are counted in sides of a leaf stack: a cube of layer
//! t is Ns = 4^t of them wide, and its top has Ns by Ns *cells*. A stack larger than a leaf's has
//! 4 or 16 cells, over which the channels of a bundle are dealt, so that all ends of wires are
//! spread evenly over sides and top, as section 4.1.2 has it.
//!
//! A wire goes straight through the room. With the offsets of its ends, each 0 to Ns - 1, along
//! the side (dx), down from the top (z), and into the room (y), it is the square root of dx^2 +
//! y^2 + z^2 long, rounded up to whole sides (equation 4.5), and takes
//!
//! ```text
//! clocks = ceil(length * side * sqrt(permittivity) / (c * clock period))
//! ```
//!
//! (equations 3.15, 4.6 and 4.7). The roots of a capped tree are assumed to lie in a plane, two by
//! two, and the wires of the cap to go straight from cell to cell.

use crosswave_chips::routing::transit::TransitForm;

/// Feet that light covers in a nanosecond.
const FEET_PER_NS: f64 = 0.983_571_056_430_446;
/// Feet from chip to chip on a board: 2 x 1.4 inches (section 3.3.1).
const PITCH_FEET: f64 = 2.0 * 1.4 / 12.0;
/// Bound on the rounding errors of a number of clocks.
const EXACT: f64 = 1e-9;

/// Parameters from which clocks of wires follow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Geometry {
    /// The clock period, in nanoseconds.
    pub clock_ns: f64,
    /// The relative permittivity of what carries the signal: 1 in free space.
    pub permittivity: f64,
}

/// Section 4.1.3.
impl Default for Geometry {
    fn default() -> Geometry {
        Geometry {
            clock_ns: 10.0,
            permittivity: 1.0,
        }
    }
}

impl Geometry {
    /// Clocks of a wire of so many sides of a leaf stack.
    pub fn clocks(&self, sides: u32, form: TransitForm) -> u32 {
        let feet = f64::from(sides) * leaf_side_feet(form);
        let ns = feet * self.permittivity.sqrt() / FEET_PER_NS;
        (ns / self.clock_ns - EXACT).ceil().max(0.0) as u32
    }
}

/// The side of a leaf stack: 8 chips in a row for B192, 4 for B48 and UT64x2, 2 for B12.
pub fn leaf_side_feet(form: TransitForm) -> f64 {
    let chips = match form.leaf_stages {
        0 => 4,
        stages => 1 << (stages - 1),
    };
    f64::from(chips) * PITCH_FEET
}

/// The cubes of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placement {
    /// Ns: cells along a side of the cube.
    side: u32,
    /// The grid of the stacks on its top.
    top: Grid,
    /// The grid of the stacks on the top of a child.
    child: Grid,
}

/// A square of stacks, cut into cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Grid {
    /// Stacks along a side.
    stacks: u32,
    /// Cells along the side of a stack.
    cells: u32,
}

impl Grid {
    /// A square of so many cells a side, with so many stacks.
    fn new(side: u32, stacks: u32) -> Grid {
        let along = stacks.isqrt();
        assert_eq!(along * along, stacks, "stacks fill a square");
        Grid {
            stacks: along,
            cells: side / along,
        }
    }

    /// The cell of a channel of a stack.
    fn cell(self, end: ChannelEnd) -> (u32, u32) {
        let Grid { stacks, cells } = self;
        let channel = end.channel % (cells * cells);
        (
            end.stack % stacks * cells + channel % cells,
            end.stack / stacks * cells + channel / cells,
        )
    }
}

/// An end of a channel between two stacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChannelEnd {
    /// The stack of its unit.
    pub stack: u32,
    /// The number of the channel there.
    pub channel: u32,
}

impl Placement {
    /// The cubes of a layer whose units, and their children, have so many stacks.
    pub fn new(layer: u32, child_stacks: u32, stacks: u32) -> Placement {
        let side = 1 << (2 * layer);
        Placement {
            side,
            top: Grid::new(side, stacks),
            child: Grid::new(side / 4, child_stacks),
        }
    }

    /// The offsets of the ends of a wire between a child and the top, in sides of a leaf stack:
    /// along the edge, into the room, and down.
    pub fn offsets(&self, child: u32, near: ChannelEnd, far: ChannelEnd) -> [u32; 3] {
        let (wall, place) = (child / 16, child % 16);
        let (a, b) = self.child.cell(near);
        let along = place % 4 * (self.side / 4) + a;
        let down = place / 4 * (self.side / 4) + b;
        let (x, y) = self.top.cell(far);
        let last = self.side - 1;
        let (beside, into) = match wall {
            0 => (x, y),
            1 => (x, last - y),
            2 => (y, x),
            _ => (y, last - x),
        };
        [beside.abs_diff(along), into, down]
    }

    /// The length of a wire between stacks of two roots, or of one.
    pub fn between_roots(&self, near: (u32, u32), far: (u32, u32)) -> u32 {
        let place = |(root, stack): (u32, u32)| {
            let (x, y) = self.top.cell(ChannelEnd { stack, channel: 0 });
            (root % 2 * self.side + x, root / 2 * self.side + y)
        };
        let (near, far) = (place(near), place(far));
        length([near.0.abs_diff(far.0), near.1.abs_diff(far.1), 0])
    }
}

/// The length of a wire with these offsets, rounded up.
pub(super) fn length(offsets: [u32; 3]) -> u32 {
    let square: u32 = offsets.iter().map(|offset| offset * offset).sum();
    let root = square.isqrt();
    root + u32::from(root * root < square)
}
