//! Four ports side by side in one machine word.
//!
//! A [`Quad`] holds the words of four link ports in four lanes of 16 bits. What
//! is one bit per port is the low half of a byte, port `i` in bit `i`. Which
//! input holds which output is a matrix of four by four bits, input by row:
//! bit `4 * input + output`.

use serde::{Deserialize, Serialize};

use super::LinkWord;

/// Bit 0 of every lane.
const LANES: u64 = 0x0001_0001_0001_0001;

/// The lanes of the ports of each set.
const LANES_OF: [u64; 16] = {
    let mut lanes_of = [0; 16];
    let mut ports = 0;
    while ports < 16 {
        // The factor puts bit i to bit 16 * i, and elsewhere what is masked.
        lanes_of[ports] = ((ports as u64 * 0x0000_2000_4000_8001) & LANES) * 0xffff;
        ports += 1;
    }
    lanes_of
};

/// The words of four link ports; port `i` in bits `16 * i ..`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Quad(pub(super) u64);

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
    pub(super) fn of_ports(ports: u8, mask: LinkWord) -> Self {
        Quad(LANES_OF[usize::from(ports & 0xf)] & (LANES * u64::from(mask)))
    }

    /// The ports whose word has the one bit of `bit`.
    #[inline(always)]
    pub(super) fn ports_with(self, bit: LinkWord) -> u8 {
        let ones = (self.0 >> bit.trailing_zeros()) & LANES;
        // The factor brings bit 16 * i to bit 48 + i, no two to one place.
        (ones.wrapping_mul(0x0001_0002_0004_0008) >> 48) as u8 & 0xf
    }

    /// The words with no bits but those of `mask`.
    #[inline(always)]
    pub(super) fn only(self, mask: LinkWord) -> Self {
        Quad(self.0 & (LANES * u64::from(mask)))
    }

    /// The words, those of `ports` replaced by the words of `by`.
    #[inline(always)]
    pub(super) fn replaced(self, ports: u8, by: Quad) -> Self {
        let lanes = Quad::of_ports(ports, LinkWord::MAX).0;
        Quad(self.0 & !lanes | by.0 & lanes)
    }

    /// What comes out of a crossbar: at each output the word of the input that
    /// holds it in `matrix`, 0 at an output that nobody holds.
    #[inline(always)]
    pub(super) fn through(self, matrix: u16) -> Self {
        // No branch: which outputs are held is hard to predict.
        let with_input = |outputs: u64, input: u32| {
            let word = (self.0 >> (16 * input) & 0xffff) * LANES;
            let held = (matrix >> (4 * input)) as u8;
            outputs | Quad::of_ports(held, LinkWord::MAX).0 & word
        };
        Quad((0..4).fold(0, with_input))
    }
}

/// The rows of a matrix that have a bit.
#[inline(always)]
pub(super) fn rows(matrix: u16) -> u8 {
    let pairs = matrix | matrix >> 2;
    let ones = u32::from((pairs | pairs >> 1) & 0x1111);
    // The factor brings bit 4 * i to bit 12 + i, no two to one place.
    ((ones * 0x1248) >> 12) as u8 & 0xf
}

/// The columns of a matrix that have a bit.
#[inline(always)]
pub(super) fn columns(matrix: u16) -> u8 {
    let halves = matrix | matrix >> 8;
    (halves | halves >> 4) as u8 & 0xf
}

/// The matrix with `columns` in every row.
#[inline(always)]
pub(super) fn every_row(columns: u8) -> u16 {
    u16::from(columns) * 0x1111
}

/// The matrix with the rows in `rows` in one column.
#[inline(always)]
pub(super) fn column(rows: u8, column: usize) -> u16 {
    whole_rows(rows) & every_row(1 << column)
}

/// The matrix with all bits of the rows in `rows`.
#[inline(always)]
pub(super) fn whole_rows(rows: u8) -> u16 {
    // Bits 2 and 3 go six places up, then each odd one three.
    let pairs = (u16::from(rows) * 0x41) & 0x0303;
    ((pairs * 9) & 0x1111) * 0xf
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_ports_go_into_lanes_and_back() {
        for ports in 0..16u8 {
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
        for matrix in 0..=u16::MAX {
            let bit = |row: usize, column: usize| matrix >> (4 * row + column) & 1 != 0;
            let any = |of: &dyn Fn(usize, usize) -> bool| {
                (0..4).fold(0u8, |set, i| set | u8::from((0..4).any(|j| of(i, j))) << i)
            };
            assert_eq!(rows(matrix), any(&bit));
            assert_eq!(columns(matrix), any(&|column, row| bit(row, column)));
        }
        for set in 0..16u8 {
            assert_eq!(columns(every_row(set)), set);
            assert_eq!(rows(whole_rows(set)), set);
            assert_eq!(whole_rows(set).count_ones(), 4 * set.count_ones());
        }
    }

    #[test]
    fn a_crossbar_moves_words_to_the_outputs_held() {
        let quad = Quad::new(&[0x11, 0x22, 0x33, 0x44]);
        assert_eq!(quad.ports(), [0x11, 0x22, 0x33, 0x44]);
        // Input 0 holds output 3, input 2 output 0.
        let matrix = 1 << 3 | 1 << 8;
        assert_eq!(quad.through(matrix).ports(), [0x33, 0, 0, 0x11]);
        assert_eq!(quad.only(0x0f).ports(), [1, 2, 3, 4]);
    }
}
