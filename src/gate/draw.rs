//! The random bits of a group, drawn as lane words.

use super::gather::{Arrive, window};
use super::kernel::Lanes;
use crate::chip::RandomKind;
use crate::network::random_bits::RandomBits;
use crate::random;

/// Draws the random bits of the group that begins at word `first` of its array; `inputs` are
/// stream, distribution, and where they arrive.
#[inline(always)]
pub(super) fn draw<const W: usize>(
    random_bits: &RandomBits,
    inputs: &[(u64, RandomKind, u16)],
    first: usize,
    arrivals: &mut (impl Arrive<W> + ?Sized),
) {
    let copies = random_bits.copies();
    // The copy of each word of the group, and its group in that copy.
    let (mut copy, mut groups) = ([0; W], [0; W]);
    for lane in 0..W {
        let (of, group) = copies.split_group(first + lane);
        (copy[lane], groups[lane]) = (of, group as u64);
    }
    for &(stream, kind, target) in inputs {
        if random_bits.held() {
            arrivals.put(target, Lanes([0; W]));
            continue;
        }
        let keys = match random_bits.keys(stream) {
            [] => [0; W],
            [key] => [*key; W],
            // Whole lane words of copies, one after another.
            keys if keys.len() >= W => *window(keys, copy[0]),
            keys => copy.map(|copy| keys[copy]),
        };
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
        arrivals.put(target, Lanes(drawn));
    }
}
