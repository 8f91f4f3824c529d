//! Random bits that native code draws itself, as it needs them.
//!
//! A random word is the mixed sum of two numbers: the key of its stream in the cycle and the
//! counter of its group ([`random`]). So each stream has a plane of keys, alike in all words but
//! for copies of a network, and each group one of counters, which never change and stand behind
//! its pins. Code adds and mixes them; a plane of ones, or of zeros while random pins are held at
//! 0, is the last factor.
//!
//! Among what arrives at a group the planes are these, from [`CodeDraw::first`] on:
//!
//! | plane | holds |
//! |---|---|
//! | 0, 1 | the factors of [`random::splitmix`] |
//! | 2 | ones, or zeros while pins are held |
//! | 3 + stream | the keys of a stream |

use super::draw::keys;
use crate::gather::put;
use crosswave_base::random;
use crosswave_lanes::straight::{Draw, Location};
use crosswave_network::copies::Copies;
use crosswave_network::random_bits::RandomBits;

/// The plane that random words are masked with, behind those of the factors.
const MASK: usize = 2;

/// Planes before those of the keys.
const KEYS: usize = 3;

/// Random bits that native code of a chip draws.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeDraw {
    /// The streams, in the order of their planes.
    pub streams: Vec<u64>,
    /// The first plane among what arrives.
    pub first: usize,
}

impl CodeDraw {
    /// The planes.
    pub fn planes(&self) -> usize {
        KEYS + self.streams.len()
    }

    /// The places from which the code makes the word of a stream, the planes being those from
    /// `first` on.
    pub fn draw(stream: usize, first: Location, counters: Location) -> Draw {
        let plane = |plane: usize| Location {
            plane: first.plane + plane as u32,
            ..first
        };
        Draw {
            counters,
            factors: [plane(0), plane(1)],
            mask: plane(MASK),
            keys: plane(KEYS + stream),
        }
    }

    /// Writes what is the same in all cycles.
    pub(super) fn begin<const W: usize>(&self, arrived: &mut [u64]) {
        for (plane, factor) in (self.first..).zip(random::SPLITMIX_FACTORS) {
            put(arrived, plane as u32, [factor; W]);
        }
    }

    /// The values that [`begin_cycle`](CodeDraw::begin_cycle) writes for lane words of some width:
    /// the word where the mask begins, and mask and keys; keys are 0 where they depend on the
    /// group.
    pub(super) fn of_cycle(&self, random_bits: &RandomBits, width: usize) -> (usize, Vec<u64>) {
        let mut arrived = vec![0; (self.first + self.planes()) * width];
        match width {
            1 => self.begin_cycle::<1>(random_bits, &mut arrived),
            2 => self.begin_cycle::<2>(random_bits, &mut arrived),
            4 => self.begin_cycle::<4>(random_bits, &mut arrived),
            _ => self.begin_cycle::<8>(random_bits, &mut arrived),
        }
        let first = (self.first + MASK) * width;
        arrived.drain(..first);
        (first, arrived)
    }

    /// Writes what is the same for all groups in a cycle; keys only where copies leave them alike.
    #[inline(always)]
    pub(super) fn begin_cycle<const W: usize>(
        &self,
        random_bits: &RandomBits,
        arrived: &mut [u64],
    ) {
        let mask = u64::from(random_bits.held()).wrapping_sub(1);
        put(arrived, (self.first + MASK) as u32, [mask; W]);
        if !self.has_keys_by_group::<W>(random_bits.copies()) {
            self.write_keys::<W>(random_bits, 0, arrived);
        }
    }

    /// True when the keys of a group depend on where it begins.
    #[inline(always)]
    pub(super) fn has_keys_by_group<const W: usize>(&self, copies: Copies) -> bool {
        copies.count() > W
    }

    /// Writes the keys of the group that begins at a word of its array.
    #[inline(always)]
    pub(super) fn write_keys<const W: usize>(
        &self,
        random_bits: &RandomBits,
        first: usize,
        arrived: &mut [u64],
    ) {
        for (plane, &stream) in (self.first + KEYS..).zip(&self.streams) {
            let keys: [u64; W] = keys(random_bits, stream, first);
            put(arrived, plane as u32, keys);
        }
    }
}

/// The counter of a word of an array.
pub fn counter(copies: Copies, word: usize) -> u64 {
    random::counter(copies.split_group(word).1 as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosswave_chips::Role;
    use crosswave_network::NetworkConfig;
    use crosswave_network::traffic::Strategy;

    fn assert_alike<const W: usize>(draw: &CodeDraw, random_bits: &RandomBits) -> Vec<u64> {
        let mut arrived = vec![7; (draw.first + draw.planes()) * W];
        draw.begin_cycle::<W>(random_bits, &mut arrived);
        let (first, words) = draw.of_cycle(random_bits, W);
        assert_eq!(words, &arrived[first..], "{W} words");
        assert!(arrived[..first].iter().all(|&word| word == 7), "{W} words");
        words
    }

    #[test]
    fn words_of_a_cycle_are_what_is_written_for_it() {
        let text = "[network]\nkind='fat-tree'\nnodes=8\n";
        let (network, _) = NetworkConfig::parse(text).expect("legal tables");
        let fabric = network.build(Strategy::Immediate).fabric();
        let mut random_bits = RandomBits::new(&fabric, 5);
        random_bits.begin(9);
        let ports = fabric.arrays[0].chip.ports.iter();
        let streams = ports.filter_map(|port| match port.role {
            Role::Random { stream, .. } => Some(stream),
            _ => None,
        });
        let draw = CodeDraw {
            streams: streams.collect(),
            first: 3,
        };
        assert!(draw.streams.len() > 1);
        for held in [true, false] {
            random_bits.hold(held);
            let mask = if held { 0 } else { u64::MAX };
            let keys = draw.streams.iter().map(|&stream| random_bits.key(stream));
            let expected: Vec<u64> = std::iter::once(mask).chain(keys).collect();
            assert!(expected[1..].iter().all(|&key| key != 0));
            assert_eq!(assert_alike::<1>(&draw, &random_bits), expected);
            assert_alike::<2>(&draw, &random_bits);
            assert_alike::<4>(&draw, &random_bits);
            let words = assert_alike::<8>(&draw, &random_bits);
            assert!(
                words
                    .chunks(8)
                    .zip(expected)
                    .all(|(plane, word)| plane == [word; 8])
            );
        }
    }
}
