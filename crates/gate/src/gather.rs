//! Putting together what arrives: windows of planes, moved and joined; and words, lane by lane.

use super::place_code::{NOWHERE, PlaceCode};
use crosswave_lanes::transpose::{WORD_BITS, WordBlock, transpose};

/// Puts what arrives where it belongs: into a plane of machine code, or a slot of the interpreter.
#[inline(always)]
pub(super) fn put<const W: usize>(arrived: &mut [u64], target: u32, value: [u64; W]) {
    let at = target as usize * W;
    arrived[at..at + W].copy_from_slice(&value);
}

#[inline(always)]
pub(super) fn window<const W: usize>(words: &[u64], at: usize) -> &[u64; W] {
    words[at..at + W]
        .try_into()
        .expect("the slice has this length")
}

#[inline(always)]
pub(super) fn rotated(value: u64, by: u64) -> u64 {
    (value << by) | (value >> (by.wrapping_neg() & 63))
}

/// Move of a term's words, before its mask. Each kind is a type of its own, so that needless work
/// is left out once a term and not once a signal.
pub(super) trait WordMove<const W: usize>: Copy {
    fn apply(self, words: &[u64; W]) -> [u64; W];
}

/// Not at all.
#[derive(Clone, Copy)]
pub(super) struct Unmoved;

impl<const W: usize> WordMove<W> for Unmoved {
    #[inline(always)]
    fn apply(self, words: &[u64; W]) -> [u64; W] {
        *words
    }
}

/// Rotated.
#[derive(Clone, Copy)]
pub(super) struct Rotated<const W: usize>(pub [u64; W]);

impl<const W: usize> WordMove<W> for Rotated<W> {
    #[inline(always)]
    fn apply(self, words: &[u64; W]) -> [u64; W] {
        let mut moved = *words;
        for (lane, word) in moved.iter_mut().enumerate() {
            *word = rotated(*word, self.0[lane]);
        }
        moved
    }
}

/// Two terms as one word: the first one's lanes, and of the others the second
/// one's.
#[inline(always)]
fn joined<const W: usize>(
    (first, first_mask): ([u64; W], &[u64; W]),
    (second, second_mask): ([u64; W], &[u64; W]),
) -> [u64; W] {
    let mut value = first;
    for (lane, word) in value.iter_mut().enumerate() {
        *word = *word & first_mask[lane] | second[lane] & second_mask[lane];
    }
    value
}

/// Calls `$body` with `$name` bound to the move of a pattern.
macro_rules! with_move {
    ($name:ident, $pattern:expr, $body:expr) => {{
        if $pattern.straight {
            let $name = $crate::gather::Unmoved;
            $body
        } else {
            let $name = $crate::gather::Rotated(*$crate::gather::window(&$pattern.rotate, 0));
            $body
        }
    }};
}

pub(super) use with_move;

/// A term: its planes and the words from one to the next, its move, its mask.
pub(super) type Moved<'a, M, const W: usize> = (&'a [u64], usize, M, &'a [u64; W]);

/// Joins two terms.
#[inline(always)]
pub(super) fn join<const W: usize>(
    inputs: &[(usize, u32)],
    arrived: &mut [u64],
    (first, first_stride, first_move, first_mask): Moved<impl WordMove<W>, W>,
    (second, second_stride, second_move, second_mask): Moved<impl WordMove<W>, W>,
) {
    for &(bit, target) in inputs {
        let value = joined(
            (
                first_move.apply(window(first, bit * first_stride)),
                first_mask,
            ),
            (
                second_move.apply(window(second, bit * second_stride)),
                second_mask,
            ),
        );
        put(arrived, target, value);
    }
}

/// Adds a term to what has arrived.
#[inline(always)]
pub(super) fn add<const W: usize>(
    inputs: &[(usize, u32)],
    arrived: &mut [u64],
    (words, stride, by, mask): Moved<impl WordMove<W>, W>,
) {
    for &(bit, target) in inputs {
        let mut value: [u64; W] = *window(arrived, target as usize * W);
        let other = by.apply(window(words, bit * stride));
        for (lane, word) in value.iter_mut().enumerate() {
            *word |= other[lane] & mask[lane];
        }
        put(arrived, target, value);
    }
}

/// Collects the words of a scattered link as planes. `all` are the threads' words.
#[inline(always)]
pub(super) fn collect<const W: usize>(
    list: &[u32],
    code: PlaceCode,
    all: &[&[u64]],
) -> WordBlock<W> {
    let mut block: WordBlock<W> = [[0; W]; WORD_BITS];
    let words: &mut [u16] = bytemuck::cast_slice_mut(block.as_flattened_mut());
    if let [only] = all {
        let from: &[u16] = bytemuck::cast_slice(only);
        for (word, &at) in words.iter_mut().zip(list) {
            // Nowhere is past the end.
            *word = from.get(at as usize).copied().unwrap_or(0);
        }
    } else {
        for (word, &at) in words.iter_mut().zip(list) {
            if at != NOWHERE {
                let (part, at) = code.unpack(at);
                let from: &[u16] = bytemuck::cast_slice(all[part]);
                *word = from[at];
            }
        }
    }
    transpose(&mut block);
    block
}
