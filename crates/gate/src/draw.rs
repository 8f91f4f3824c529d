//! The random bits of a group, drawn as lane words.

use crate::gather::{put, window};
use crosswave_base::random;
use crosswave_chips::RandomKind;
use crosswave_network::random_bits::RandomBits;

/// A random input of a chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RandomInput {
    /// The stream.
    pub stream: u64,
    /// The distribution.
    pub kind: RandomKind,
    /// The plane at which it arrives.
    pub target: u32,
}

/// The keys of a stream for the words of the group that begins at word `first` of its array.
#[inline(always)]
pub(super) fn keys<const W: usize>(
    random_bits: &RandomBits,
    stream: u64,
    first: usize,
) -> [u64; W] {
    let copies = random_bits.copies();
    match random_bits.keys(stream) {
        [] => [0; W],
        [key] => [*key; W],
        // Whole lane words of copies, one after another.
        keys if keys.len() >= W => *window(keys, copies.split_group(first).0),
        keys => std::array::from_fn(|lane| keys[copies.split_group(first + lane).0]),
    }
}

/// Draws the random bits of the group that begins at word `first` of its array.
#[inline(always)]
pub(super) fn draw<const W: usize>(
    random_bits: &RandomBits,
    inputs: &[RandomInput],
    first: usize,
    arrived: &mut [u64],
) {
    let copies = random_bits.copies();
    // The group of each word in its copy.
    let groups = std::array::from_fn(|lane| copies.split_group(first + lane).1 as u64);
    for &RandomInput {
        stream,
        kind,
        target,
    } in inputs
    {
        if random_bits.held() {
            put(arrived, target, [0; W]);
            continue;
        }
        let keys = keys(random_bits, stream, first);
        let drawn = match kind {
            RandomKind::Fair => {
                let mut drawn = [0; W];
                for (lane, word) in drawn.iter_mut().enumerate() {
                    *word = random::word(keys[lane], groups[lane]);
                }
                drawn
            }
            RandomKind::Third => random::third_words(keys, groups),
        };
        put(arrived, target, drawn);
    }
}
