//! The set of chips to evaluate in a cycle.
//!
//! Two levels of bits: one per chip, and one per 64 chips that says whether
//! any of them is in the set. Adding a chip twice costs nothing, and chips come
//! out in rising order, so that the models of a busy network are walked through
//! in the order of memory, while a quiet network of a million chips is passed
//! over in a few thousand words.

use std::ops::Range;

/// A set of chip numbers.
#[derive(Debug, Clone, Default)]
pub(super) struct AwakeSet {
    words: Vec<u64>,
    summary: Vec<u64>,
}

impl AwakeSet {
    /// An empty set of chips below `chips`.
    pub(super) fn new(chips: usize) -> Self {
        let words = chips.div_ceil(64);
        AwakeSet {
            words: vec![0; words],
            summary: vec![0; words.div_ceil(64)],
        }
    }

    /// Adds a chip.
    #[inline]
    pub(super) fn insert(&mut self, chip: u32) {
        let word = chip as usize / 64;
        self.words[word] |= 1 << (chip % 64);
        self.summary[word / 64] |= 1 << (word % 64);
    }

    /// Removes all chips.
    pub(super) fn clear(&mut self) {
        for (index, summary) in self.summary.iter_mut().enumerate() {
            for bit in ones(std::mem::take(summary)) {
                self.words[64 * index + bit as usize] = 0;
            }
        }
    }

    /// Moves all chips to another set of the same size.
    pub(super) fn move_into(&mut self, other: &mut AwakeSet) {
        for (index, summary) in self.summary.iter_mut().enumerate() {
            let summary = std::mem::take(summary);
            other.summary[index] |= summary;
            for bit in ones(summary) {
                let word = 64 * index + bit as usize;
                other.words[word] |= std::mem::take(&mut self.words[word]);
            }
        }
    }

    /// The chips, in rising order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        self.range(0..64 * self.words.len() as u32)
    }

    /// The chips of a range, in rising order.
    pub(super) fn range(&self, chips: Range<u32>) -> impl Iterator<Item = u32> {
        self.words_of(chips)
            .flat_map(|(word, bits)| ones(bits).map(move |bit| 64 * word + bit))
    }

    /// The numbers of the words of a range that have chips, and these chips.
    fn words_of(&self, chips: Range<u32>) -> impl Iterator<Item = (u32, u64)> {
        let Range { start, end } = chips;
        let blocks = start as usize / 4096..(end as usize).div_ceil(4096);
        let summaries = blocks.clone().zip(&self.summary[blocks]);
        let words = summaries
            .filter(|(_, summary)| **summary != 0)
            .flat_map(|(block, summary)| ones(*summary).map(move |bit| 64 * block as u32 + bit));
        words.map(move |word| {
            let mut bits = self.words[word as usize];
            if word < start.div_ceil(64) {
                bits &= match start.checked_sub(64 * word) {
                    Some(below @ 0..64) => u64::MAX << below,
                    _ => 0,
                };
            }
            if word >= end / 64 {
                bits &= match end.checked_sub(64 * word) {
                    Some(below @ 0..64) => !(u64::MAX << below),
                    _ => 0,
                };
            }
            (word, bits)
        })
    }
}

/// The positions of the ones of a word.
fn ones(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (word != 0).then(|| {
            let bit = word.trailing_zeros();
            word &= word - 1;
            bit
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chips_come_out_once_and_in_order() {
        let mut set = AwakeSet::new(100_000);
        for chip in [99_999, 5, 64, 63, 5, 70_000, 4_096, 4_095] {
            set.insert(chip);
        }
        let chips: Vec<u32> = set.iter().collect();
        let all = [5, 63, 64, 4_095, 4_096, 70_000, 99_999];
        assert_eq!(chips, all);
        for range in [0..100_000, 5..64, 6..4_095, 64..65, 100..200, 4_095..70_001] {
            let mut inside = all.to_vec();
            inside.retain(|chip| range.contains(chip));
            assert_eq!(set.range(range).collect::<Vec<_>>(), inside);
        }
        set.clear();
        assert_eq!(set.iter().count(), 0);
        set.insert(7);
        assert_eq!(set.iter().collect::<Vec<_>>(), [7]);
        let mut other = AwakeSet::new(100_000);
        other.insert(8);
        set.move_into(&mut other);
        assert_eq!(other.iter().collect::<Vec<_>>(), [7, 8]);
        assert_eq!(set.iter().count(), 0);
    }
}
