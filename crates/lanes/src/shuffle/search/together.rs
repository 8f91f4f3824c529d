//! Exchanges between ports two by two, each word of a vector by its own bit.
//!
//! A group may have routers of several stages, some words each, and each stage exchanges other bits of
//! a router's number with the same bits of a port's. Two ports *differ* in bit `i` in a word when
//! each of its lanes comes from the same window for both, and from lanes whose numbers differ in bit `i` alone, which
//! is the same in all lanes of a port; what nobody drives of one is not driven of the other either. Words that
//! change places with each other have to differ alike. Then the word can be exchanged between the two: of vectors in which the
//! bit stays, each port takes its own half of the lanes, and the other half from the other one's. All words in
//! which two ports differ are exchanged by one join, whatever the bits are, for words are moved and masked each
//! for itself. Words in which they do not differ are left as they are.
//!
//! In round `x` port `p` meets port `p ^ x`, for all `x`, until no two ports differ
//! any more. Eight ports that exchange three bits with the lanes meet in rounds 1, 2 and 4.

use super::super::{LANES, Mask, VectorMove, WORDS_MAX};
use super::{LANE_BITS, Lane, LaneOrigins, PortRequest, Search, not, ones};

/// The most links of a chip.
const LINKS_MAX: u8 = 32;

/// A bit that a word exchanges, and whether it is 1 where the first port's lanes come from.
type Exchanged = Option<(usize, bool)>;

/// Exchange between a pair of ports.
struct Pair {
    /// Their places among those that are wanted.
    ports: [usize; 2],
    words: [Exchanged; WORDS_MAX],
}

impl Search {
    /// The values of ports whose words are exchanged in pairs, and the links they are for; `None` where nothing
    /// is exchanged. Ports whose vectors cannot be made are left out, with those that need them.
    pub(super) fn together(&mut self, wanted: &[PortRequest]) -> Option<Vec<(usize, u8)>> {
        let mut ports: Vec<LaneOrigins> =
            wanted.iter().map(|wanted| wanted.lanes.clone()).collect();
        let pairs = pairs(&mut ports, wanted);
        if pairs.is_empty() {
            return None;
        }
        let bits = self.lanes.ilog2() as usize;
        let values = ports.iter().map(|lanes| self.whole(lanes, bits));
        let mut values: Vec<Option<usize>> = values.collect();
        for Pair { ports, words } in pairs.iter().rev() {
            let both = ports.map(|port| values[port]);
            let [Some(first), Some(second)] = both else {
                ports.iter().for_each(|&port| values[port] = None);
                continue;
            };
            values[ports[0]] = Some(self.exchanged(first, second, words));
            values[ports[1]] = Some(self.exchanged(second, first, &words.map(turned)));
        }
        let made = values.iter().zip(wanted);
        let made = made.filter_map(|(value, wanted)| Some(((*value)?, wanted.link)));
        Some(made.collect())
    }

    /// A port's own half of each word, and the other one's.
    pub(super) fn exchanged(
        &mut self,
        own: usize,
        other: usize,
        words: &[Exchanged; WORDS_MAX],
    ) -> usize {
        let mut by = VectorMove::NONE;
        let mut mask: Mask = [u64::MAX; WORDS_MAX];
        for (word, exchanged) in words.iter().enumerate() {
            let &Some((bit, one)) = exchanged else {
                continue;
            };
            let step = self.step(bit, !one);
            (by.from[word], by.lanes[word]) = (step.from[word], step.lanes[word]);
            let upper = ones(bit);
            mask[word] = if one { upper[word] } else { not(upper)[word] };
        }
        self.join(own, other, by, mask)
    }
}

/// Finds the exchanges between pairs of ports, one after another, until none is left; the vectors
/// that ports want become those from which they take their own halves. The search ends: a bit that
/// has been exchanged is the lanes' own from then on, and is not alike in all of them any more.
fn pairs(ports: &mut [LaneOrigins], wanted: &[PortRequest]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    loop {
        let before = pairs.len();
        for distance in 1..LINKS_MAX {
            for first in 0..wanted.len() {
                let other = wanted[first].link ^ distance;
                let second = wanted.iter().position(|wanted| wanted.link == other);
                let Some(second) = second.filter(|_| wanted[first].link < other) else {
                    continue;
                };
                let words = differences(&ports[first], &ports[second]);
                if words == [None; WORDS_MAX] {
                    continue;
                }
                ports[first] = kept(&ports[first], &words);
                ports[second] = kept(&ports[second], &words.map(turned));
                let ports = [first, second];
                pairs.push(Pair { ports, words });
            }
        }
        if pairs.len() == before {
            return pairs;
        }
    }
}

/// The same as seen by the other port.
pub(super) fn turned(exchanged: Exchanged) -> Exchanged {
    exchanged.map(|(bit, one)| (bit, !one))
}

/// The bit in which two ports differ, word by word.
fn differences(first: &LaneOrigins, second: &LaneOrigins) -> [Exchanged; WORDS_MAX] {
    let mut of_words = [None; WORDS_MAX];
    let words = first.chunks(LANES).zip(second.chunks(LANES));
    for (word, (first, second)) in of_words.iter_mut().zip(words) {
        *word = difference(first, second);
    }
    // Words that change places do so together.
    let mut agreed = of_words;
    for (word, difference) in agreed.iter_mut().enumerate() {
        let bit = difference.and_then(|(bit, _)| bit.checked_sub(LANE_BITS));
        if bit.is_some_and(|bit| of_words[word ^ 1 << bit] != *difference) {
            *difference = None;
        }
    }
    agreed
}

/// The bit in which all lanes of a word differ.
fn difference(first: &[Option<Lane>], second: &[Option<Lane>]) -> Exchanged {
    let mut difference = None;
    for lanes in first.iter().zip(second) {
        let (a, b) = match lanes {
            (None, None) => continue,
            (Some(a), Some(b)) if a.window == b.window => (a.lane, b.lane),
            _ => return None,
        };
        let bits = a ^ b;
        let of_lane = (bits, a & bits != 0);
        if !bits.is_power_of_two() || *difference.get_or_insert(of_lane) != of_lane {
            return None;
        }
    }
    difference.map(|(bits, one)| (bits.trailing_zeros() as usize, one))
}

/// The vector from which a port's own half of each word is taken: the bits that are exchanged stay.
pub(super) fn kept(lanes: &LaneOrigins, words: &[Exchanged; WORDS_MAX]) -> LaneOrigins {
    let kept = |at: usize| {
        let Some((bit, one)) = words[at / LANES] else {
            return lanes[at];
        };
        let step: usize = 1 << bit;
        match (at & step != 0) == one {
            true => lanes[at],
            false => lanes[at ^ step].map(|from| from.turned_over(bit)),
        }
    };
    (0..lanes.len()).map(kept).collect()
}
