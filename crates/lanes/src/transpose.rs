//! Planes to words and back.
//!
//! A *block* is what one link port of a group drives or reads: as planes, 16
//! lane words, plane `b` holding bit `b` of every instance's word; as words, one
//! of 16 bits for each instance. [`transpose`] takes one to the other, and is
//! its own inverse: it exchanges the four bits of the plane's number with the
//! four low bits of the lane's, in four steps of masked swaps. So an instance's
//! word does not lie where its lane is, but at [`slot`].

/// Bits of a word.
pub const WORD_BITS: usize = 16;

/// A block of `W` words a plane.
pub type WordBlock<const W: usize> = [[u64; W]; WORD_BITS];

/// The place of an instance's word in a block of lane words of `width` words,
/// counted in words of 16 bits: lane `bit` of word `word`.
pub fn slot(word: usize, bit: usize, width: usize) -> usize {
    let quarter = if cfg!(target_endian = "big") {
        3 - bit / WORD_BITS
    } else {
        bit / WORD_BITS
    };
    (bit % WORD_BITS * width + word) * 4 + quarter
}

/// Planes to words, or words to planes.
#[inline(always)]
pub fn transpose<const W: usize>(block: &mut WordBlock<W>) {
    let masks = [
        0x5555_5555_5555_5555,
        0x3333_3333_3333_3333,
        0x0f0f_0f0f_0f0f_0f0f,
        0x00ff_00ff_00ff_00ff,
    ];
    for (step, mask) in masks.into_iter().enumerate() {
        let distance = 1 << step;
        for low in (0..WORD_BITS).filter(|low| low & distance == 0) {
            let high = low | distance;
            let (before, after) = block.split_at_mut(high);
            for (low, high) in before[low].iter_mut().zip(&mut after[0]) {
                let swapped = ((*low >> distance) ^ *high) & mask;
                *high ^= swapped;
                *low ^= swapped << distance;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_goes_to_the_word_of_its_lane() {
        for (plane, word, bit) in [(0, 0, 0), (3, 1, 17), (10, 0, 63), (15, 1, 48)] {
            let mut block: WordBlock<2> = [[0; 2]; WORD_BITS];
            block[plane][word] = 1 << bit;
            transpose(&mut block);
            let words: Vec<u16> = bytemuck::cast_slice::<_, u16>(block.as_flattened()).to_vec();
            for (at, &value) in words.iter().enumerate() {
                let expected = if at == slot(word, bit, 2) {
                    1 << plane
                } else {
                    0
                };
                assert_eq!(value, expected, "{plane} {word} {bit} {at}");
            }
            transpose(&mut block);
            assert_eq!(block[plane][word], 1 << bit);
        }
    }
}
