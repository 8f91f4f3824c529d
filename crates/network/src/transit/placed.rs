//! Positions of a tree's stacks in space, and the wires between them, one by one.

use super::Transit;
use super::geometry::length;
use crosswave_chips::routing::transit::FAN;

/// Children on one side of a cube, along each of its edges.
const ALONG: u32 = 4;

/// A place in space, or a way, in sides of a leaf stack.
pub type Vector = [i32; 3];

/// A stack: a square plate, taken to be so thin that two stand back to back where the sides of
/// neighbouring cubes lie in one plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedStack {
    /// 0 for a leaf, or the layer of a UT64x8.
    pub layer: u32,
    /// One of its corners.
    pub corner: Vector,
    /// Its edges from there.
    pub edges: [Vector; 2],
}

/// A wire between a stack of a layer and one of a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedWire {
    /// Offsets of its ends, in sides of a leaf stack: along the edge (dx), into the room (y), and
    /// down from the top (z).
    pub offsets: [u32; 3],
    /// Its length, in sides of a leaf stack, rounded up (equation 4.5).
    pub sides: u32,
}

/// A cube: the corner of its top at which counting starts, the two edges of the top, and the way
/// down, as units.
#[derive(Debug, Clone, Copy)]
struct Cube {
    corner: Vector,
    x: Vector,
    y: Vector,
    down: Vector,
}

impl Cube {
    /// A place in the cube.
    fn at(&self, [x, y, down]: [u32; 3]) -> Vector {
        let of = |axis: usize| {
            let [x, y, down] = [x, y, down].map(|steps| steps as i32);
            self.corner[axis] + x * self.x[axis] + y * self.y[axis] + down * self.down[axis]
        };
        [of(0), of(1), of(2)]
    }

    /// The cube of a child, which stands outside on a side: `side` is the edge of this cube.
    fn child(&self, child: u32, side: u32) -> Cube {
        let (wall, place) = (child / (ALONG * ALONG), child % (ALONG * ALONG));
        let step = side / ALONG;
        let (along, down) = (place % ALONG * step, place / ALONG * step);
        let back = |way: Vector| way.map(|step| -step);
        let (corner, x, outward) = match wall {
            0 => ([along, 0, down], self.x, back(self.y)),
            1 => ([along, side, down], self.x, self.y),
            2 => ([0, along, down], self.y, back(self.x)),
            _ => ([side, along, down], self.y, self.x),
        };
        Cube {
            corner: self.at(corner),
            x,
            y: self.down,
            down: outward,
        }
    }
}

impl Transit {
    /// The stacks of the tree's first root, each unit's before those of its children. The top of
    /// the root lies in the plane z = 0, and what is below it has negative z.
    pub fn placed_stacks(&self) -> Vec<PlacedStack> {
        let root = Cube {
            corner: [0; 3],
            x: [1, 0, 0],
            y: [0, 1, 0],
            down: [0, 0, -1],
        };
        let mut placed = Vec::new();
        self.place_unit(self.form.layers, root, &mut placed);
        placed
    }

    fn place_unit(&self, layer: u32, cube: Cube, placed: &mut Vec<PlacedStack>) {
        let side = 1 << (2 * layer);
        let along = match layer {
            0 => 1,
            _ => self.shape().stacks_of_layer(layer).isqrt(),
        };
        let cells = side / along;
        for stack in 0..along * along {
            let (x, y) = (stack % along * cells, stack / along * cells);
            placed.push(PlacedStack {
                layer,
                corner: cube.at([x, y, 0]),
                edges: [cube.x, cube.y].map(|edge| edge.map(|step| step * cells as i32)),
            });
        }
        if layer > 0 {
            for child in 0..FAN {
                self.place_unit(layer - 1, cube.child(child, side), placed);
            }
        }
    }

    /// Calls with every wire between the stacks of a layer of UT64x8, from 1 on, and those below
    /// it: first the wires up, then those down.
    ///
    /// # Panics
    /// When there is no such layer.
    pub fn each_placed_wire(&self, layer: u32, mut call: impl FnMut(PlacedWire)) {
        assert!((1..=self.form.layers).contains(&layer), "a layer of UT64x8");
        let mut of = |between| {
            let offsets = self.offsets(between);
            call(PlacedWire {
                offsets,
                sides: length(offsets),
            });
        };
        self.each_up(layer, |link| of(link.between));
        self.each_down(layer, |link| of(link.between));
    }
}
