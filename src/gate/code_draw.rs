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
use super::gather::Arrive;
use super::kernel::Lanes;
use super::straight::{Draw, Location};
use crate::network::copies::Copies;
use crate::network::random_bits::RandomBits;
use crate::random;

/// The plane that random words are masked with, behind those of the factors.
const MASK: usize = 2;

/// Planes before those of the keys.
const KEYS: usize = 3;

/// What native code of a chip draws.
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

    /// Where the code reads what makes the word of a stream, the planes being those from `first`
    /// on.
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
            arrived.put(plane as u16, Lanes([factor; W]));
        }
    }

    /// Writes what is the same for all groups in a cycle; keys only where copies leave them alike.
    #[inline(always)]
    pub(super) fn begin_cycle<const W: usize>(
        &self,
        random_bits: &RandomBits,
        arrived: &mut [u64],
    ) {
        let mask = u64::from(random_bits.held()).wrapping_sub(1);
        arrived.put((self.first + MASK) as u16, Lanes([mask; W]));
        if !self.has_keys_by_group::<W>(random_bits.copies()) {
            self.write_keys::<W>(random_bits, 0, arrived);
        }
    }

    /// Whether the keys of a group depend on where it begins.
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
            arrived.put(plane as u16, Lanes(keys));
        }
    }
}

/// The counter of a word of an array.
pub fn counter(copies: Copies, word: usize) -> u64 {
    random::counter(copies.split_group(word).1 as u64)
}
