//! Stacks and routing bytes of bidelta networks of RN1.
//!
//! A network of `4^h` processors has `h` stages of routers, each deciding on two bits
//! of the destination, the highest first. Stages are built in *stacks*: up to four
//! stages are one; larger networks have stacks of three stages and a last one of two
//! to four (DeHon 1990, section 4.2.1 and Table 4.8). Every stack has a routing byte
//! of its own, and all stacks but the first swallow the one before it (section 4.2.2).
//!
//! A router reads the two highest bits of the byte, and the wiring between stages
//! rotates it by two bits to the left (section 1.3). A byte that meets its stack after
//! some stages has been rotated before, so the source sends it rotated to the right.

use smallvec::SmallVec;

use super::Route;

/// The fewest stages of a network.
pub const STAGES_MIN: u32 = 2;
/// The most stages of a network: 4^10 processors.
pub const STAGES_MAX: u32 = 10;

/// The stages of each stack of a network of `stages` stages.
///
/// ```
/// # use crosswave_chips::routing::bidelta::stacks;
/// assert_eq!(stacks(4), [4]);
/// assert_eq!(stacks(5), [3, 2]);
/// assert_eq!(stacks(10), [3, 3, 4]);
/// ```
///
/// # Panics
/// When there are not [`STAGES_MIN`] to [`STAGES_MAX`] stages.
pub fn stacks(stages: u32) -> &'static [u32] {
    match stages {
        2 => &[2],
        3 => &[3],
        4 => &[4],
        5 => &[3, 2],
        6 => &[3, 3],
        7 => &[3, 4],
        8 => &[3, 3, 2],
        9 => &[3, 3, 3],
        10 => &[3, 3, 4],
        _ => panic!("{stages} stages, and not {STAGES_MIN} to {STAGES_MAX}"),
    }
}

/// The way to a processor, the same from all.
///
/// ```
/// # use crosswave_chips::routing::bidelta::route;
/// // One stack: the four digits of the destination.
/// assert_eq!(route(4, 0b00_01_10_11).bytes.as_slice(), [0b00_01_10_11]);
/// // The second byte is rotated by three stages before it is used.
/// let way = route(5, 0b11_10_01_00_10);
/// assert_eq!(way.bytes.as_slice(), [0b11_10_01_00, 0b00_10_00_00_u8.rotate_right(6)]);
/// assert_eq!((way.stages, way.swallows), (5, 0b01000));
/// ```
pub fn route(stages: u32, destination: u32) -> Route {
    let mut before = 0;
    let mut swallows = 0;
    let mut bytes = SmallVec::new();
    for &of_stack in stacks(stages) {
        let byte = (0..of_stack).fold(0u8, |byte, stage| {
            let digit = destination >> (2 * (stages - 1 - before - stage)) & 3;
            byte | (digit as u8) << (6 - 2 * stage)
        });
        bytes.push(byte.rotate_right(2 * (before % 4)));
        swallows |= u16::from(before > 0) << before;
        before += of_stack;
    }
    Route {
        bytes,
        stages: stages as u8,
        swallows,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every stage finds its digit of the destination in the two highest bits.
    #[test]
    fn every_stage_reads_its_digit() {
        for stages in STAGES_MIN..=STAGES_MAX {
            let most = (1u32 << (2 * stages)) - 1;
            for destination in [0, 1, most, most / 3, most / 5, 0x9_c6e5 & most] {
                let route = route(stages, destination);
                let mut stage = 0;
                for (byte, &of_stack) in route.bytes.iter().zip(stacks(stages)) {
                    for _ in 0..of_stack {
                        let seen = byte.rotate_left(2 * (stage % 4)) >> 6;
                        let digit = destination >> (2 * (stages - 1 - stage)) & 3;
                        assert_eq!(u32::from(seen), digit);
                        stage += 1;
                    }
                }
                assert_eq!(stage, stages);
            }
        }
    }
}
