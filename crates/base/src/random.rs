//! Random bits keyed by (seed, stream, cycle, group), never by call order.
//!
//! A *stream* is one random pin of one kind of chip. Sixty-four neighbouring
//! instances form a *group* and share one 64-bit word per cycle, bit `i` of
//! which belongs to instance `64 * group + i`. The words of one (seed, stream,
//! cycle) are the consecutive outputs of a SplitMix64 generator, and since the
//! state of SplitMix64 is a counter, the word of any group is one step away:
//! an engine may skip cycles and instances, and a Verilog test bench computes
//! the same bits from the same formula.

use rand_core::{Rng, SeedableRng};

/// The increment of SplitMix64's counter.
pub const SPLITMIX_INCREMENT: u64 = 0x9e37_79b9_7f4a_7c15;

/// The factors by which [`splitmix`] multiplies.
pub const SPLITMIX_FACTORS: [u64; 2] = [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb];

/// The bits by which [`splitmix`] shifts, before each factor and at last.
pub const SPLITMIX_SHIFTS: [u8; 3] = [30, 27, 31];

/// The output of SplitMix64 for a value of its counter.
#[inline(always)]
fn mix(counter: u64) -> u64 {
    let [first, second, last] = SPLITMIX_SHIFTS;
    let mixed = (counter ^ counter >> first).wrapping_mul(SPLITMIX_FACTORS[0]);
    let mixed = (mixed ^ mixed >> second).wrapping_mul(SPLITMIX_FACTORS[1]);
    mixed ^ mixed >> last
}

/// One output of SplitMix64 whose counter stands at `state`.
///
/// What [`rand_xoshiro::SplitMix64`] gives, written out: an engine needs it for all words of a
/// group at once, and the crate's is compiled word by word wherever it is not inlined.
#[inline(always)]
pub fn splitmix(state: u64) -> u64 {
    mix(state.wrapping_add(SPLITMIX_INCREMENT))
}

/// The part of [`key`] that does not depend on the cycle.
#[inline(always)]
pub fn stream_key(seed: u64, stream: u64) -> u64 {
    splitmix(splitmix(seed) ^ stream)
}

/// The counter of group 0 for the stream of `stream_key` in a cycle.
#[inline(always)]
pub fn cycle_key(stream_key: u64, cycle: u64) -> u64 {
    splitmix(stream_key ^ cycle)
}

/// The counter of group 0 for (seed, stream, cycle).
#[inline(always)]
pub fn key(seed: u64, stream: u64, cycle: u64) -> u64 {
    cycle_key(stream_key(seed, stream), cycle)
}

/// The random word of a group of 64 instances: the key and its [`counter`], added and mixed.
#[inline(always)]
pub fn word(key: u64, group: u64) -> u64 {
    mix(key.wrapping_add(counter(group)))
}

/// The number that is added to a key for the word of a group.
#[inline(always)]
pub fn counter(group: u64) -> u64 {
    group
        .wrapping_mul(SPLITMIX_INCREMENT)
        .wrapping_add(SPLITMIX_INCREMENT)
}

/// Steps of [`third_word`]; each halves the distance from one third.
pub const THIRD_STEPS: u64 = 16;

/// The random word of a group of 64 instances whose bits are 1 with
/// probability 21845/65536, one third within 2^-17.
///
/// Sixteen fair bits are the digits of a number, the last step's the first,
/// and the bit is whether it is below 0101...01: decided by the first fair bit
/// that is 0 in an odd step or 1 in an even one. Words far after the one that
/// decides all 64 are not made.
#[inline(always)]
pub fn third_word(key: u64, group: u64) -> u64 {
    third_bits(key, group, u64::MAX)
}

/// The bits of [`third_word`] in `mask`; the others are 0. One bit takes two
/// fair words on average.
#[inline(always)]
pub fn third_bits(key: u64, group: u64, mask: u64) -> u64 {
    thirds([key], [group], mask, 0)[0]
}

/// [`third_word`] of several keys and groups at once.
#[inline(always)]
pub fn third_words<const W: usize>(keys: [u64; W], groups: [u64; W]) -> [u64; W] {
    // After so many pairs of steps about half a lane of all is undecided.
    thirds(keys, groups, u64::MAX, 3 + u64::from(W.ilog2().div_ceil(2)))
}

/// The first pairs of steps are taken whether or not they are needed: their words do not wait
/// for each other, as they would if each pair were asked for when the one before it had left
/// lanes undecided.
#[inline(always)]
fn thirds<const W: usize>(
    keys: [u64; W],
    groups: [u64; W],
    mask: u64,
    unasked_pairs: u64,
) -> [u64; W] {
    let mut lanes = Thirds {
        open: [mask; W],
        bits: [0; W],
        counters: keys,
    };
    for (counter, group) in lanes.counters.iter_mut().zip(groups) {
        let number = group.wrapping_mul(THIRD_STEPS);
        *counter = counter.wrapping_add(number.wrapping_mul(SPLITMIX_INCREMENT));
    }
    let asked = THIRD_STEPS / 2 - unasked_pairs;
    let mut undecided = true;
    for number in (asked..THIRD_STEPS / 2).rev() {
        undecided = lanes.take_pair(number);
    }
    for number in (0..asked).rev() {
        if !undecided {
            break;
        }
        undecided = lanes.take_pair(number);
    }
    lanes.bits
}

/// Lanes while their bits of one third are made.
struct Thirds<const W: usize> {
    /// Lanes that are not decided.
    open: [u64; W],
    /// Those that are 1.
    bits: [u64; W],
    /// The counter of each word's step 0.
    counters: [u64; W],
}

impl<const W: usize> Thirds<W> {
    /// Takes steps `2 * number + 1` and `2 * number`. Whether lanes are left undecided.
    #[inline(always)]
    fn take_pair(&mut self, number: u64) -> bool {
        let mut undecided = 0;
        for lane in 0..W {
            self.open[lane] &= word(self.counters[lane], 2 * number + 1);
            let ones = word(self.counters[lane], 2 * number);
            self.bits[lane] |= self.open[lane] & ones;
            self.open[lane] &= !ones;
            undecided |= self.open[lane];
        }
        undecided != 0
    }
}

/// A generator for everything that is drawn once per run (sources,
/// destinations), keyed by the seed and a stream of its own.
pub fn generator(seed: u64, stream: u64) -> rand_xoshiro::Xoshiro256PlusPlus {
    rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(splitmix(splitmix(seed) ^ stream))
}

/// A uniform number below `bound`, without bias (rejection).
///
/// # Panics
/// When `bound` is 0.
pub fn below(generator: &mut impl Rng, bound: u64) -> u64 {
    assert!(bound > 0, "a random number below 0 was asked for");
    // Numbers above the last multiple of the bound are drawn again. A division finds it, which
    // nearly no number needs.
    loop {
        let value = generator.next_u64();
        if value <= u64::MAX - bound || value <= u64::MAX - (u64::MAX % bound + 1) % bound {
            return value % bound;
        }
    }
}

/// `count` distinct entries of `candidates`, ascending: a set that is chosen uniformly among all
/// of that size (a partial Fisher-Yates shuffle), or all where there are no more.
pub fn choose(mut candidates: Vec<u32>, count: u32, seed: u64, stream: u64) -> Vec<u32> {
    let mut generator = generator(seed, stream);
    let total = candidates.len();
    let count = total.min(count as usize);
    if count < total {
        for place in 0..count {
            let other = place + below(&mut generator, (total - place) as u64) as usize;
            candidates.swap(place, other);
        }
        candidates.truncate(count);
        candidates.sort_unstable();
    }
    candidates
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::SplitMix64;

    use super::*;

    #[test]
    fn words_are_consecutive_outputs_of_one_generator() {
        let start = key(7, 3, 11);
        let mut generator = SplitMix64::seed_from_u64(start);
        for group in 0..100 {
            assert_eq!(word(start, group), generator.next_u64());
        }
    }

    #[test]
    fn streams_and_cycles_give_different_words() {
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..4 {
            for stream in 0..4 {
                for cycle in 0..4 {
                    assert!(seen.insert(key(seed, stream, cycle)));
                }
            }
        }
    }

    #[test]
    fn third_is_one_in_three() {
        let ones: u32 = (0..10_000)
            .map(|group| third_word(key(5, 0, 9), group).count_ones())
            .sum();
        // 640,000 draws: the standard deviation is 377.
        assert!((213_333 - 1_500..213_333 + 1_500).contains(&ones), "{ones}");
    }

    #[test]
    fn digits_are_worked_in_from_the_last_as_in_verilog() {
        for group in 0..100 {
            let mut bits = 0;
            for step in 0..THIRD_STEPS / 2 {
                bits |= word(11, THIRD_STEPS * group + 2 * step);
                bits &= word(11, THIRD_STEPS * group + 2 * step + 1);
            }
            assert_eq!(third_word(11, group), bits);
            assert_eq!(third_words([11; 8], [group; 8]), [bits; 8]);
            for bit in 0..64 {
                assert_eq!(third_bits(11, group, 1 << bit), bits & 1 << bit);
            }
        }
    }

    #[test]
    fn below_reaches_every_value_evenly() {
        let mut generator = generator(1, 2);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[below(&mut generator, 7) as usize] += 1;
        }
        assert!(
            counts.iter().all(|&c| (9_600..10_400).contains(&c)),
            "{counts:?}"
        );
    }
}
