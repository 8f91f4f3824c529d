//! The places of a subnetwork's members in the plane.
//!
//! A subnetwork fills the rows of a grid that is as square as can be, along a closed walk: the
//! first row to the right, the others to and fro without their first column, and that
//! column back up. Members that follow each other are neighbours in the plane but for a step or
//! two, and members of 4 go clockwise round a square, which is how the paper numbers a ring:
//!
//! ```text
//! 0 1      0 1 2
//! 3 2      5 4 3
//! ```
//!
//! Positions of several levels are such grids within each other, so the positions of a
//! 4-ary level are a square, of which the digits name quadrants, and a ring of 4 is a part of
//! the square's mesh. (Quadrants in the order of a Z would make the ring cross itself.)

/// Column and row of a position in grids of four members within each other, as
/// [`Grid::place`] tells them.
pub fn place_in_squares(position: u32) -> (u32, u32) {
    // Members 0 to 3 have columns 0, 1, 1, 0 and rows 0, 0, 1, 1.
    let rows = position >> 1;
    (even_bits(position ^ rows), even_bits(rows))
}

/// The number that the bits at even places of a number make.
fn even_bits(number: u32) -> u32 {
    let halvings = [
        (1, 0x3333_3333),
        (2, 0x0f0f_0f0f),
        (4, 0x00ff_00ff),
        (8, 0x0000_ffff),
    ];
    let closer = |bits: u32, (by, kept): (u32, u32)| (bits | bits >> by) & kept;
    halvings.into_iter().fold(number & 0x5555_5555, closer)
}

/// The grid of a subnetwork.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    columns: u32,
    rows: u32,
    /// Column and row of each member.
    cells: Vec<(u32, u32)>,
}

impl Grid {
    /// The grid of a subnetwork of `members` nodes.
    ///
    /// # Panics
    /// When there are none.
    pub fn new(members: u32) -> Grid {
        assert!(members > 0, "a subnetwork has nodes");
        let root = members.isqrt();
        let columns = if root * root == members {
            root
        } else {
            root + 1
        };
        let rows = members.div_ceil(columns);
        let first = (0..columns).map(|column| (column, 0));
        let others = (1..rows).flat_map(|row| {
            (1..columns).map(move |column| match row % 2 {
                1 => (columns - column, row),
                _ => (column, row),
            })
        });
        let back = (1..rows).rev().map(|row| (0, row));
        let cells = first.chain(others).chain(back);
        Grid {
            columns,
            rows,
            cells: cells.take(members as usize).collect(),
        }
    }

    /// The number of columns.
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// The number of rows.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Column and row of a member.
    pub fn cell(&self, member: u32) -> (u32, u32) {
        self.cells[member as usize]
    }

    /// The member in a column and row, if there is one.
    pub fn member(&self, cell: (u32, u32)) -> Option<u32> {
        let at = self.cells.iter().position(|&other| other == cell);
        at.map(|at| at as u32)
    }

    /// Column and row of a position in `levels` grids within each other.
    pub fn place(&self, mut position: u32, levels: u32) -> (u32, u32) {
        let members = self.cells.len() as u32;
        let (mut x, mut y, mut width, mut height) = (0, 0, 1, 1);
        for _ in 0..levels {
            let (column, row) = self.cell(position % members);
            x += column * width;
            y += row * height;
            width *= self.columns;
            height *= self.rows;
            position /= members;
        }
        (x, y)
    }

    /// The position in a column and row of `levels` grids within each other, if there is one.
    pub fn position(&self, (x, y): (u32, u32), levels: u32) -> Option<u32> {
        let members = self.cells.len() as u32;
        let (mut position, mut weight) = (0, 1);
        let (mut x, mut y) = (x, y);
        for _ in 0..levels {
            position += weight * self.member((x % self.columns, y % self.rows))?;
            x /= self.columns;
            y /= self.rows;
            weight *= members;
        }
        (x == 0 && y == 0).then_some(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_have_cells_of_their_own() {
        for members in 1..=64 {
            let grid = Grid::new(members);
            assert!(grid.columns() * grid.rows() >= members);
            for member in 0..members {
                let (column, row) = grid.cell(member);
                assert!(column < grid.columns() && row < grid.rows(), "{members}");
                assert_eq!(grid.member((column, row)), Some(member));
            }
        }
        let square = Grid::new(4);
        let cells: Vec<_> = (0..4).map(|member| square.cell(member)).collect();
        assert_eq!(cells, [(0, 0), (1, 0), (1, 1), (0, 1)]);
    }

    #[test]
    fn places_and_positions_are_each_others_inverse() {
        for (members, levels) in [(3, 3), (4, 4), (7, 2), (9, 2)] {
            let grid = Grid::new(members);
            for position in 0..members.pow(levels) {
                let place = grid.place(position, levels);
                assert_eq!(grid.position(place, levels), Some(position));
                assert!(members != 4 || place_in_squares(position) == place);
            }
        }
        assert_eq!(Grid::new(4).position((4, 0), 2), None);
        assert_eq!(Grid::new(3).position((0, 1), 1), None);
    }
}
