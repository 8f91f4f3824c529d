//! Four ports side by side in one machine word.
//!
//! A [`Quad`] holds the words of four link ports in four lanes of 16 bits. What
//! is one bit per port is a set of [`PortSet`]. Which input holds which output is
//! a [`Matrix`].
//!
//! All of it is done by shifts, logic and differences on words of 64 bits, without tables or
//! branches: the same on many routers becomes vector instructions.

use serde::{Deserialize, Serialize};

use super::LinkWord;

/// Some of the four ports: port `i` in bit `i`, and no other bits.
pub(super) type PortSet = u64;

/// Outputs that inputs hold, a row for each input: bit `4 * input + output`, and no other bits.
pub(super) type Matrix = u64;

/// All four ports.
const ALL: PortSet = 0xf;

/// Bit 0 of every lane.
const LANES: u64 = 0x0001_0001_0001_0001;

/// Bit 0 of every row of a matrix.
const ROWS: Matrix = 0x1111;

/// The matrix in which every input holds the output of its own number.
const DIAGONAL: Matrix = 0x8421;

/// The words of four link ports; port `i` in bits `16 * i ..`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Quad(pub(super) u64);

/// All bits of the lanes whose bit 0 is in `lanes`.
#[inline(always)]
fn whole_lanes(lanes: u64) -> u64 {
    (lanes << 16).wrapping_sub(lanes)
}

impl Quad {
    /// The words of the first four of `ports`.
    #[inline(always)]
    pub(super) fn new(ports: &[LinkWord]) -> Self {
        Quad((0..4).fold(0, |lanes, port| {
            lanes | u64::from(ports[port]) << (16 * port)
        }))
    }

    /// The word of each port.
    #[inline(always)]
    pub(super) fn ports(self) -> [LinkWord; 4] {
        [0, 16, 32, 48].map(|shift| (self.0 >> shift) as LinkWord)
    }

    /// The bits of `mask` in the lanes of `ports`.
    #[inline(always)]
    pub(super) fn of_ports(ports: PortSet, mask: LinkWord) -> Self {
        debug_assert!(ports <= ALL, "{ports:x}");
        // Bit i goes 15 * i places up.
        let pairs = ports | ports << 30;
        let lanes = (pairs | pairs << 15) & LANES;
        Quad(whole_lanes(lanes) & (LANES * u64::from(mask)))
    }

    /// The ports whose word has the one bit of `bit`.
    #[inline(always)]
    pub(super) fn ports_with(self, bit: LinkWord) -> PortSet {
        self.ports_with_place(bit.trailing_zeros().into())
    }

    /// The ports whose word has the bit at a place.
    #[inline(always)]
    pub(super) fn ports_with_place(self, place: u64) -> PortSet {
        let ones = (self.0 >> place) & LANES;
        // Bit 16 * i goes 15 * i places down.
        let pairs = ones | ones >> 30;
        (pairs | pairs >> 15) & ALL
    }

    /// The words with no bits but those of `mask`.
    #[inline(always)]
    pub(super) fn only(self, mask: LinkWord) -> Self {
        Quad(self.0 & (LANES * u64::from(mask)))
    }

    /// The words, those of `ports` replaced by the words of `by`.
    #[inline(always)]
    pub(super) fn replaced(self, ports: PortSet, by: Quad) -> Self {
        let lanes = Quad::of_ports(ports, LinkWord::MAX).0;
        Quad(self.0 & !lanes | by.0 & lanes)
    }

    /// Passes words through a crossbar: each output has the word of the input that holds it in
    /// `matrix`, or 0 when nobody holds it.
    #[inline(always)]
    pub(super) fn through(self, matrix: Matrix) -> Self {
        debug_assert!(matrix <= 0xffff, "{matrix:x}");
        // Output o takes from input o - up what the words turned by that many lanes have in lane o.
        // The matrix stands there twice, so that rows from o - up on are there for every o.
        let twice = matrix | matrix << 16;
        let turned = |outputs: u64, up: u32| {
            let held = twice >> (4 * (4 - up)) & DIAGONAL;
            // Bit 5 * o goes 11 * o places up.
            let pairs = held | held << 22;
            let lanes = (pairs | pairs << 11) & LANES;
            outputs | whole_lanes(lanes) & self.0.rotate_left(16 * up)
        };
        Quad((0..4).fold(0, turned))
    }
}

/// The rows of a matrix that have a bit.
#[inline(always)]
pub(super) fn rows(matrix: Matrix) -> PortSet {
    let pairs = matrix | matrix >> 2;
    let ones = (pairs | pairs >> 1) & ROWS;
    // Bit 4 * i goes 3 * i places down.
    let pairs = ones | ones >> 6;
    (pairs | pairs >> 3) & ALL
}

/// The columns of a matrix that have a bit.
#[inline(always)]
pub(super) fn columns(matrix: Matrix) -> PortSet {
    let halves = matrix | matrix >> 8;
    (halves | halves >> 4) & ALL
}

/// The matrix with `columns` in every row.
#[inline(always)]
pub(super) fn every_row(columns: PortSet) -> Matrix {
    let pairs = columns | columns << 8;
    pairs | pairs << 4
}

/// The matrix with the rows in `rows` in one column.
#[inline(always)]
pub(super) fn column(rows: PortSet, column: usize) -> Matrix {
    debug_assert!(rows <= ALL, "{rows:x}");
    // Bit i goes 3 * i places up.
    let pairs = rows | rows << 6;
    ((pairs | pairs << 3) & ROWS) << column
}

/// The matrix with all bits of the rows in `rows`.
#[inline(always)]
pub(super) fn whole_rows(rows: PortSet) -> Matrix {
    let ones = column(rows, 0);
    (ones << 4) - ones
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_ports_go_into_lanes_and_back() {
        for ports in 0..16 {
            let quad = Quad::of_ports(ports, 0x8421);
            for (port, word) in quad.ports().into_iter().enumerate() {
                let there = ports >> port & 1 != 0;
                assert_eq!(word, if there { 0x8421 } else { 0 });
            }
            for bit in 0..16 {
                let all = Quad(u64::MAX);
                let quad = all.replaced(!ports & 0xf, Quad(!(LANES << bit)));
                assert_eq!(quad.ports_with(1 << bit), ports, "bit {bit}");
            }
        }
    }

    #[test]
    fn rows_and_columns_are_those_of_the_matrix() {
        for matrix in 0..1 << 16 {
            let bit = |row: usize, column: usize| matrix >> (4 * row + column) & 1 != 0;
            let any = |of: &dyn Fn(usize, usize) -> bool| {
                (0..4).fold(0, |set, i| set | u64::from((0..4).any(|j| of(i, j))) << i)
            };
            assert_eq!(rows(matrix), any(&bit));
            assert_eq!(columns(matrix), any(&|column, row| bit(row, column)));
        }
        for set in 0..16u64 {
            assert_eq!(columns(every_row(set)), set);
            assert_eq!(rows(whole_rows(set)), set);
            assert_eq!(whole_rows(set).count_ones(), 4 * set.count_ones());
        }
    }

    #[test]
    fn a_crossbar_moves_words_to_the_outputs_held() {
        let quad = Quad::new(&[0x11, 0x22, 0x33, 0x44]);
        assert_eq!(quad.ports(), [0x11, 0x22, 0x33, 0x44]);
        // Each output is held by one input or by none.
        for holders in 0..5usize.pow(4) {
            let holder = |output: u32| holders / 5usize.pow(output) % 5;
            let (mut matrix, mut expected) = (0, [0; 4]);
            for output in 0..4 {
                if let Some(&word) = quad.ports().get(holder(output)) {
                    matrix |= 1 << (4 * holder(output) as u32 + output);
                    expected[output as usize] = word;
                }
            }
            assert_eq!(quad.through(matrix).ports(), expected, "{matrix:x}");
        }
        assert_eq!(quad.only(0x0f).ports(), [1, 2, 3, 4]);
    }
}
