//! The checksums that the routers of a path should have of what was sent: 16 at
//! once, one in each byte of a word. Byte `4 n + r` is for a router that sees bytes
//! rotated to the left by `2 r` bits and without the first `n` of them.

use serde::{Deserialize, Serialize};

/// Bit 0 of every byte.
const ONES: u128 = u128::MAX / 0xff;

/// Each byte as a polynomial, times `x^8`, modulo `x^8 + x^2 + x + 1`.
fn times_x8(all: u128) -> u128 {
    // x^8 is x^2 + x + 1: the product has bits 8 and 9 left to fold back.
    let bit9 = all >> 7 & ONES;
    let bit8 = bit9 ^ (all >> 6 & ONES);
    let low = all ^ (all & (ONES * 0x7f)) << 1 ^ (all & (ONES * 0x3f)) << 2;
    low ^ (bit8 * 0b0111) ^ (bit9 * 0b1110)
}

/// The checksums of a segment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Checks {
    sums: u128,
    /// Bytes so far, 3 at most.
    bytes: u8,
}

impl Checks {
    /// One more byte is sent.
    pub(super) fn add(&mut self, byte: u8) {
        let turned = [0, 2, 4, 6].map(|bits| byte.rotate_left(bits));
        let turned = u128::from(u32::from_le_bytes(turned));
        let turned = turned | turned << 32 | turned << 64 | turned << 96;
        // Those that swallow more bytes than there were before keep theirs, 0.
        let counts = u128::MAX >> (96 - 32 * u32::from(self.bytes));
        self.sums = times_x8(self.sums ^ turned) & counts;
        self.bytes = (self.bytes + 1).min(3);
    }

    /// The checksum of a router behind `rotation` rotations, 0 to 3, on a path where
    /// `swallowed` bytes were swallowed, 0 to 3.
    pub(super) fn sum(&self, rotation: u8, swallowed: u8) -> u8 {
        (self.sums >> (8 * (4 * swallowed + rotation))) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rn1_protocol::checksum;

    #[test]
    fn all_sixteen_are_those_of_the_routers() {
        for bytes in [&b"123456789"[..], b"", b"\xff\x00\x80", b"12"] {
            let mut checks = Checks::default();
            bytes.iter().for_each(|&byte| checks.add(byte));
            for swallowed in 0..4u8 {
                for rotation in 0..4u8 {
                    let seen = bytes.iter().skip(usize::from(swallowed));
                    let turned = seen.map(|byte| byte.rotate_left(2 * u32::from(rotation)));
                    assert_eq!(checks.sum(rotation, swallowed), turned.fold(0, checksum));
                }
            }
        }
    }
}
