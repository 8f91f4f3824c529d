//! Paths and headers of the four-port fat tree; [`bidelta`] has those of RN1's
//! networks.
//!
//! A message climbs to the level at which the addresses of its source and its
//! destination first agree above, turns there, and follows the destination's
//! address bits down. Its header says just that: first the level of the turn,
//! then the bytes of the destination that hold the bits below it, the highest
//! first. The router that turns uses up the first word, and a router whose
//! level is a multiple of 8 uses up the byte whose last bit it decides on.
//! Source of the path: Strumpen & Krishnamurthy 2005, section 3; of the
//! header: assumed.

pub mod bidelta;

pub mod transit;

use smallvec::SmallVec;

/// The bytes in front of a message's body.
pub type HeaderBytes = SmallVec<[u8; 16]>;

/// The route to a destination as a source needs it: the pins `tx_route`, `tx_route_bytes`,
/// `tx_stages` and `tx_swallows` of its interface.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Route {
    /// The routing bytes, in the order in which they are sent: 4 at most in a network of RN1, one
    /// for each switch in an m-port n-tree.
    pub bytes: HeaderBytes,
    /// Routers on the way; 15 at most.
    pub stages: u8,
    /// Bit s: router s of the way, from 0, swallows a byte.
    pub swallows: u16,
}

/// The level at which a message turns: the highest differing address bit.
pub fn turn_level(source: u32, destination: u32) -> u32 {
    (source ^ destination | 1).ilog2()
}

/// Routers on the path of a message.
pub fn path_routers(source: u32, destination: u32) -> u32 {
    2 * turn_level(source, destination) + 1
}

/// The level of router `hop` of a path that turns at level `turn`; 0 is the
/// first.
pub fn hop_level(turn: u32, hop: u32) -> u32 {
    if hop <= turn { hop } else { 2 * turn - hop }
}

/// The header words of a message: 1 to 4 for up to 2^20 nodes.
///
/// ```
/// # use crosswave_chips::routing::header;
/// assert_eq!(header(0, 1).as_slice(), [0]);
/// assert_eq!(header(0, 15).as_slice(), [3, 0x0f]);
/// assert_eq!(header(0, 0x12345).as_slice(), [16, 0x23, 0x45]);
/// assert_eq!(header(0, 0xf0000).as_slice(), [19, 0x0f, 0x00, 0x00]);
/// ```
pub fn header(source: u32, destination: u32) -> HeaderBytes {
    let turn = turn_level(source, destination);
    let bytes = turn.div_ceil(8);
    let mut words = SmallVec::new();
    words.push(turn as u8);
    words.extend(
        (0..bytes)
            .rev()
            .map(|byte| (destination >> (8 * byte)) as u8),
    );
    words
}

/// The output ports that a header leads to on the way down, from the router
/// that turns: for each level below it, whether the right subtree is taken.
///
/// ```
/// # use crosswave_chips::routing::{header, way_down};
/// assert_eq!(way_down(&header(0, 0b1010)).as_slice(), [false, true, false]);
/// ```
pub fn way_down(header: &[u8]) -> SmallVec<[bool; 20]> {
    let turn = header.first().copied().unwrap_or(0) as usize;
    let bit = |level: usize| {
        let byte = header.len() - 1 - level / 8;
        header[byte] >> (level % 8) & 1 != 0
    };
    (0..turn).rev().map(bit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_down_spells_the_destination() {
        for (source, destination) in [
            (0, 1),
            (5, 4),
            (0, 255),
            (300, 45),
            (0xfffff, 0),
            (1, 0x80001),
        ] {
            let turn = turn_level(source, destination);
            let down = way_down(&header(source, destination));
            let spelled = down
                .iter()
                .fold(0, |value, &bit| value << 1 | u32::from(bit));
            assert_eq!(spelled, destination & ((1 << turn) - 1));
        }
    }
}
