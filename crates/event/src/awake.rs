//! The set of chips to evaluate in a cycle.
//!
//! Two levels of bits: one per chip, and one per 64 chips that says whether
//! any of them is in the set. Adding a chip twice costs nothing, and chips come
//! out in rising order, so that the models of a busy network are walked through
//! in the order of memory, while a quiet network of a million chips is passed
//! over in a few thousand words.

use crosswave_probe::engine::InstanceList;

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

    /// Moves all chips into a list, in rising order.
    pub(super) fn drain_into(&mut self, chips: &mut InstanceList) {
        for (index, summary) in self.summary.iter_mut().enumerate() {
            for bit in ones(std::mem::take(summary)) {
                let word = 64 * index as u32 + bit;
                let set = std::mem::take(&mut self.words[word as usize]);
                chips.append_lanes(64 * word, &[set]);
            }
        }
    }

    /// Removes all chips.
    pub(super) fn clear(&mut self) {
        for (index, summary) in self.summary.iter_mut().enumerate() {
            for bit in ones(std::mem::take(summary)) {
                self.words[64 * index + bit as usize] = 0;
            }
        }
    }

    /// True when the set has no chip.
    pub(super) fn is_empty(&self) -> bool {
        self.summary.iter().all(|&summary| summary == 0)
    }

    /// The chips, in rising order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        let summaries = self.summary.iter().enumerate();
        let words = summaries
            .flat_map(|(index, &summary)| ones(summary).map(move |bit| 64 * index as u32 + bit));
        words.flat_map(|word| ones(self.words[word as usize]).map(move |bit| 64 * word + bit))
    }
}

/// The positions of the ones of a word.
pub(super) fn ones(mut word: u64) -> impl Iterator<Item = u32> {
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
        assert!(!set.is_empty());
        let mut drained = InstanceList::default();
        drained.push(3);
        let mut copy = set.clone();
        copy.drain_into(&mut drained);
        assert!(copy.is_empty());
        assert_eq!(drained[..1], [3]);
        assert_eq!(drained[1..], all);
        set.clear();
        assert_eq!(set.iter().count(), 0);
        assert!(set.is_empty());
        set.insert(6);
        set.drain_into(&mut drained);
        assert!(set.is_empty());
        assert_eq!(drained.last(), Some(&6));
        set.insert(7);
        assert_eq!(set.iter().collect::<Vec<_>>(), [7]);
    }
}
