//! Links between instances as moves of words.
//!
//! What a word of an input plane receives is put together from *moves*. One takes a
//! word, rotates it and keeps the lanes of a mask; another spreads one lane of a word
//! over a mask. Moves of one kind for consecutive words are one move of many. A link
//! to the neighbour in an array of 64 n instances takes two moves of n words; a
//! signal from the top to all instances takes one; the general case is a move a lane.

use std::collections::BTreeMap;

/// A word of 64 lanes in memory, plain or complemented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Word {
    /// Index of the word in memory.
    pub address: u32,
    /// 0 or all ones.
    pub flip: u64,
}

/// One move of one or more words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LaneMove {
    source: u32,
    target: u32,
    count: u32,
    how: How,
    mask: u64,
    flip: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum How {
    /// Rotate to the left; source and target go on by a word.
    Rotate(u32),
    /// Spread this lane; only the target goes on.
    Spread(u32),
}

/// The lanes that a target word receives: source and lane there, by lane.
pub(super) type LaneSources = Vec<(u32, Word, u32)>;

/// Compiles what goes to each word. `targets` is in order of address.
pub(super) fn compile(targets: BTreeMap<u32, LaneSources>) -> Vec<LaneMove> {
    let mut moves: Vec<LaneMove> = Vec::new();
    for (target, lanes) in targets {
        let mut by_lane: BTreeMap<(Word, u32), u64> = BTreeMap::new();
        for (lane, word, from) in lanes {
            *by_lane.entry((word, from)).or_insert(0) |= 1 << lane;
        }
        let mut kinds: BTreeMap<(Word, How), u64> = BTreeMap::new();
        for ((word, from), mask) in by_lane {
            let how = match mask.count_ones() {
                1 => How::Rotate(mask.trailing_zeros().wrapping_sub(from) & 63),
                _ => How::Spread(from),
            };
            *kinds.entry((word, how)).or_insert(0) |= mask;
        }
        moves.extend(kinds.into_iter().map(|((word, how), mask)| LaneMove {
            source: word.address,
            target,
            count: 1,
            how,
            mask,
            flip: word.flip,
        }));
    }
    merge(moves)
}

/// Gathers moves of consecutive words.
fn merge(mut moves: Vec<LaneMove>) -> Vec<LaneMove> {
    let ahead = |one: &LaneMove| match one.how {
        How::Rotate(_) => one.source.wrapping_sub(one.target),
        How::Spread(_) => one.source,
    };
    moves.sort_by_key(|one| (one.how, one.mask, one.flip, ahead(one), one.target));
    let mut merged: Vec<LaneMove> = Vec::new();
    for one in moves {
        match merged.last_mut() {
            Some(last)
                if (last.how, last.mask, last.flip) == (one.how, one.mask, one.flip)
                    && ahead(last) == ahead(&one)
                    && last.target + last.count == one.target =>
            {
                last.count += 1;
            }
            _ => merged.push(one),
        }
    }
    merged.sort_by_key(|one| one.target);
    merged
}

/// Carries moves out.
#[inline(always)]
pub(super) fn carry_out(moves: &[LaneMove], words: &mut [u64]) {
    for one in moves {
        let (source, target) = (one.source as usize, one.target as usize);
        match one.how {
            How::Rotate(turn) => {
                for at in 0..one.count as usize {
                    let value = words[source + at].rotate_left(turn) ^ one.flip;
                    let old = words[target + at];
                    words[target + at] = old ^ ((old ^ value) & one.mask);
                }
            }
            How::Spread(lane) => {
                let value = (words[source] >> lane & 1).wrapping_neg() ^ one.flip;
                for word in &mut words[target..target + one.count as usize] {
                    *word ^= (*word ^ value) & one.mask;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_bring_every_lane_where_it_belongs() {
        // A shift by one instance over three words, and a lane for everybody.
        let mut targets: BTreeMap<u32, LaneSources> = BTreeMap::new();
        for lane in 1..192u32 {
            let word = Word {
                address: (lane - 1) / 64,
                flip: 0,
            };
            let lanes = targets.entry(8 + lane / 64).or_default();
            lanes.push((lane % 64, word, (lane - 1) % 64));
        }
        for lane in 0..128u32 {
            let word = Word {
                address: 1,
                flip: u64::MAX,
            };
            let lanes = targets.entry(16 + lane / 64).or_default();
            lanes.push((lane % 64, word, 5));
        }
        let moves = compile(targets);
        assert!(moves.len() <= 6, "{moves:?}");
        let mut words = vec![0u64; 24];
        words[..3].copy_from_slice(&[0x8000_0000_0000_0021, 0x1234, u64::MAX]);
        carry_out(&moves, &mut words);
        assert_eq!(words[8], 0x42);
        assert_eq!(words[9], 0x2469);
        assert_eq!(words[10], u64::MAX << 1);
        assert_eq!(words[16..18], [0, 0]);
    }
}
