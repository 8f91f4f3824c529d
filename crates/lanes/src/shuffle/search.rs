//! The search for a shuffle, from what is wanted alone.
//!
//! A vector is wanted by its lanes: of each, which window and lane it comes from. A lane's number has
//! six bits of a word's lane, and the bits of the word. What is wanted is made from what is nearer to
//! windows as they are, by the first of these that applies (exchanges and swaps change places where
//! swaps are to come first):
//!
//! | the lanes wanted | made from |
//! |---|---|
//! | come from one window or two, in each word moved alike | windows, joined |
//! | all have the same bit `i` of the lanes they come from | two vectors in which bit `i` stays: an *exchange* with the partner, which wants the same with the other bit `i` |
//! | have bit `k` as bit `i` of where they come from | the vector with bits `i` and `k` swapped |
//! | have bit `i` turned over | the vector with it turned back |
//! | come from a few windows | windows, joined |
//!
//! A port whose lanes none of them leads to is put together from its halves, these from theirs, down to
//! words. Words of a group may be wired differently, and exchange different bits then: one of the ways that
//! are tried asks pairs of ports what each of their words exchanges with the other port (`together`), before
//! the table is for what is left.
//!
//! Each of these holds whatever the rest of the wiring is, so what is found is right. It is short
//! where bits of ports and lanes change places (an affine map over GF(2) whose matrix has a single 1 in
//! each row): then partners want each other's halves, and each vector is made once.

mod together;

use std::collections::BTreeMap;

use together::{kept, turned};

use crosswave_base::threads;

use super::{
    LANES, LaneJoin, Mask, PortLoad, PortStore, Shuffle, VALUES_MAX, VectorMove, WORDS_MAX,
};

/// Bits of a lane's number in a word.
const LANE_BITS: usize = 6;

/// Bits of the number of a lane of the widest vector.
const BITS: usize = LANE_BITS + WORDS_MAX.ilog2() as usize;

/// Words whose lanes' numbers have a bit set, for the bits of a lane in its word.
const ONES: [u64; LANE_BITS] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

/// The most windows that are joined to a vector.
const WINDOWS_MAX: usize = 8;

/// The most rows of the table applied one after another: an exchange or a swap for each bit, and
/// what turns them over.
const DEPTH_MAX: usize = 2 * BITS;

/// The most moves for each port, from which lanes are better gathered one by one: a join takes
/// some two instructions a bit, and a lane three.
pub const MOVES_MAX: usize = 48;

/// Lanes of all ports together from which the ways that are tried take long enough for threads of
/// their own.
const APART: usize = 2048;

/// Origin of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lane {
    /// The window, as whoever wants it numbers windows.
    pub window: u32,
    /// The lane of the window's vector.
    pub lane: u16,
}

impl Lane {
    /// The lane of which a bit of the number is the other one.
    fn turned_over(self, bit: usize) -> Lane {
        Lane {
            lane: self.lane ^ 1 << bit,
            ..self
        }
    }
}

/// Request for the lanes of a link port; nobody drives lanes without an origin.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PortRequest {
    /// The port.
    pub link: u8,
    /// The origins of its lanes: 64 for each word of a vector.
    pub lanes: LaneOrigins,
}

/// Origins of the lanes of a vector.
pub type LaneOrigins = Vec<Option<Lane>>;

/// The program that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundShuffle {
    words: usize,
    /// The ports, a bit each.
    pub links: u32,
    windows: Vec<u32>,
    joins: Vec<LaneJoin>,
    stores: Vec<PortStore>,
}

impl FoundShuffle {
    /// The program, told how windows are loaded.
    pub fn shuffle(&self, load: impl FnMut(u32) -> PortLoad) -> Shuffle {
        Shuffle {
            words: self.words,
            links: self.links,
            loads: self.windows.iter().copied().map(load).collect(),
            joins: self.joins.clone(),
            stores: self.stores.clone(),
        }
    }

    /// Number of moves.
    pub fn moves(&self) -> usize {
        self.windows.len() + self.joins.len() + self.stores.len()
    }
}

/// A program for those ports that have one, if it is worth while. All vectors have as many words.
///
/// What moves first decides what ports share. Of all ways that which leaves out the fewest ports is
/// taken, and of these that with the fewest moves.
pub fn search(wanted: &[PortRequest]) -> Option<FoundShuffle> {
    let all = [First::Pairs, First::Lowest, First::Highest, First::Swaps];
    let lanes: usize = wanted.iter().map(|port| port.lanes.len()).sum();
    let search = |first| search_from(first, wanted);
    let found = match lanes {
        0..APART => all.map(search).into(),
        _ => threads::each(all.len(), |way| search(all[way])),
    };
    let found = found.into_iter().flatten();
    found.min_by_key(|found| (u32::MAX - found.links.count_ones(), found.moves()))
}

/// Choice of the bit that moves first, among those that may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum First {
    /// Bits that pairs of ports exchange, word by word, then the lowest.
    Pairs,
    /// The lowest that may be exchanged: best between stages.
    Lowest,
    /// The highest: best for lines that are numbered port by port.
    Highest,
    /// One that may be swapped, then the highest that may be exchanged.
    Swaps,
}

fn search_from(first: First, wanted: &[PortRequest]) -> Option<FoundShuffle> {
    let lanes = wanted.first()?.lanes.len();
    let mut search = Search {
        first,
        lanes,
        nodes: vec![ShuffleNode::Zero],
        known: BTreeMap::new(),
    };
    let mut made = match first {
        First::Pairs => search.together(wanted)?,
        First::Lowest | First::Highest | First::Swaps => search.apart(wanted),
    };
    for (node, link) in &mut made {
        let wanted = wanted.iter().find(|wanted| wanted.link == *link);
        *node = search.driven(*node, &wanted.expect("one that is wanted").lanes);
    }
    let found = found(&search.nodes, &made, lanes / LANES)?;
    (found.moves() <= MOVES_MAX * made.len()).then_some(found)
}

/// The program of some nodes that arrive at ports, in the order in which they were made; none if
/// there are no ports, or too many values.
fn found(nodes: &[ShuffleNode], made: &[(usize, u8)], words: usize) -> Option<FoundShuffle> {
    let mut used = vec![false; nodes.len()];
    used[0] = true;
    made.iter().for_each(|&(node, _)| used[node] = true);
    // A value is made of those before it.
    for (node, value) in nodes.iter().enumerate().rev() {
        if let (ShuffleNode::Join { kept, other, .. }, true) = (value, used[node]) {
            used[*kept] = true;
            used[*other] = true;
        }
    }
    if made.is_empty() || used.iter().filter(|used| **used).count() > VALUES_MAX {
        return None;
    }
    let mut numbers = vec![0u16; nodes.len()];
    let mut count = 1;
    let mut number = |of: &mut u16| {
        *of = count;
        count += 1;
    };
    let (mut windows, mut joins) = (Vec::new(), Vec::new());
    for (node, value) in nodes.iter().enumerate().filter(|&(node, _)| used[node]) {
        if let ShuffleNode::Window(window) = value {
            number(&mut numbers[node]);
            windows.push(*window);
        }
    }
    for (node, value) in nodes.iter().enumerate().filter(|&(node, _)| used[node]) {
        if let ShuffleNode::Join {
            kept,
            other,
            by,
            mask,
        } = *value
        {
            number(&mut numbers[node]);
            joins.push(LaneJoin {
                kept: numbers[kept],
                other: numbers[other],
                by,
                mask,
            });
        }
    }
    let store = |&(node, link): &(usize, u8)| PortStore {
        link,
        value: numbers[node],
    };
    Some(FoundShuffle {
        words,
        links: made.iter().fold(0, |links, (_, link)| links | 1 << link),
        windows,
        joins,
        stores: made.iter().map(store).collect(),
    })
}

/// A value.
#[derive(Debug, Clone, Copy)]
enum ShuffleNode {
    Zero,
    Window(u32),
    Join {
        kept: usize,
        other: usize,
        by: VectorMove,
        mask: Mask,
    },
}

/// The values so far.
struct Search {
    first: First,
    /// Lanes of a vector.
    lanes: usize,
    nodes: Vec<ShuffleNode>,
    /// Lanes that have been wanted, and the value made for them, if there is one.
    known: BTreeMap<LaneOrigins, Option<usize>>,
}

/// Lanes of one window; those of a word are moved alike.
struct Moved {
    window: u32,
    by: VectorMove,
    lanes: Mask,
}

/// The lanes whose number has a bit set.
fn ones(bit: usize) -> Mask {
    std::array::from_fn(|word| match bit.checked_sub(LANE_BITS) {
        None => ONES[bit],
        Some(bit) => ((word >> bit & 1) as u64).wrapping_neg(),
    })
}

fn both(a: Mask, b: Mask) -> Mask {
    std::array::from_fn(|word| a[word] & b[word])
}

fn not(mask: Mask) -> Mask {
    mask.map(|word| !word)
}

fn insert(mask: &mut Mask, lane: usize) {
    mask[lane / LANES] |= 1 << (lane % LANES);
}

/// Summary of the wanted lanes' bits.
struct Bits {
    /// Bits of a lane's number.
    count: usize,
    /// The lanes that are wanted.
    wanted: Mask,
    /// For each bit, the wanted lanes that come from lanes in which it is 1.
    ones: [Mask; BITS],
}

impl Bits {
    fn of(lanes: &LaneOrigins) -> Bits {
        let mut bits = Bits {
            count: lanes.len().ilog2() as usize,
            wanted: [0; WORDS_MAX],
            ones: [[0; WORDS_MAX]; BITS],
        };
        for (to, lane) in lanes.iter().enumerate() {
            let Some(from) = lane else { continue };
            insert(&mut bits.wanted, to);
            for (bit, ones) in bits.ones[..bits.count].iter_mut().enumerate() {
                ones[to / LANES] |= u64::from(from.lane >> bit & 1) << (to % LANES);
            }
        }
        bits
    }

    /// The wanted lanes whose own number has a bit set, and those in which it is not.
    fn own(&self, bit: usize) -> [Mask; 2] {
        [ones(bit), not(ones(bit))].map(|lanes| both(lanes, self.wanted))
    }

    /// The bit that all lanes wanted have where they come from, if it is not the lanes' own.
    fn constant(&self, bit: usize) -> Option<bool> {
        match self.ones[bit] {
            ones if ones == self.own(bit)[0] => None,
            ones if ones == [0; WORDS_MAX] => Some(false),
            ones if ones == self.wanted => Some(true),
            _ => None,
        }
    }

    /// The bit of the lanes that is another bit of where they come from, itself or turned over. A bit
    /// that is alike in all of these is none, though lanes' own bits are alike too where a half of them
    /// is wanted.
    fn swapped(&self, bit: usize) -> Option<usize> {
        if [[0; WORDS_MAX], self.wanted].contains(&self.ones[bit]) {
            return None;
        }
        let found = |&other: &usize| self.own(other).contains(&self.ones[bit]);
        (0..self.count).filter(|&other| other != bit).find(found)
    }

    fn is_kept(&self, bit: usize) -> bool {
        self.ones[bit] == self.own(bit)[0]
    }

    fn is_turned_over(&self, bit: usize) -> bool {
        self.ones[bit] == self.own(bit)[1]
    }
}

impl Search {
    fn node(&mut self, node: ShuffleNode) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// The words that vectors have, all of whose lanes are set.
    fn full(&self) -> Mask {
        std::array::from_fn(|word| u64::from(word < self.lanes / LANES).wrapping_neg())
    }

    /// Words that vectors do not have are never masked, so that equal joins are equal.
    fn join(&mut self, kept: usize, other: usize, by: VectorMove, mask: Mask) -> usize {
        let mask = both(mask, self.full());
        self.node(ShuffleNode::Join {
            kept,
            other,
            by,
            mask,
        })
    }

    /// The move by which a bit of a lane's number becomes 1, or 0.
    fn step(&self, bit: usize, up: bool) -> VectorMove {
        let (step, modulus) = match bit.checked_sub(LANE_BITS) {
            None => (1 << bit, LANES),
            Some(bit) => (1 << bit, self.lanes / LANES),
        };
        let step = if up { step } else { modulus - step } % modulus;
        match bit < LANE_BITS {
            true => self.circle(0, step),
            false => self.circle(step, 0),
        }
    }

    /// Words that move up in a circle, past the last one to the first, and are rotated alike.
    fn circle(&self, words: usize, lanes: usize) -> VectorMove {
        let count = self.lanes / LANES;
        let mut by = VectorMove::NONE;
        for word in 0..count {
            by.from[word] = ((word + count - words) % count) as u8;
            by.lanes[word] = lanes as u8;
        }
        by
    }

    /// One move after the other.
    fn sum(&self, a: VectorMove, b: VectorMove) -> VectorMove {
        let mut by = VectorMove::NONE;
        for word in 0..self.lanes / LANES {
            let from = usize::from(b.from[word]);
            by.from[word] = a.from[from];
            by.lanes[word] = (a.lanes[from] + b.lanes[word]) % LANES as u8;
        }
        by
    }

    /// The values of ports, each asked for by itself, and the links they are for; those that have none are left
    /// out.
    fn apart(&mut self, wanted: &[PortRequest]) -> Vec<(usize, u8)> {
        let bits = self.lanes.ilog2() as usize;
        let made = |wanted: &PortRequest| Some((self.whole(&wanted.lanes, bits)?, wanted.link));
        wanted.iter().filter_map(made).collect()
    }

    /// The value for a port, in which lanes that nobody drives are 0.
    fn driven(&mut self, value: usize, lanes: &LaneOrigins) -> usize {
        let wanted = Bits::of(lanes).wanted;
        match wanted {
            wanted if wanted == [0; WORDS_MAX] || wanted == self.full() => value,
            _ => self.join(value, 0, VectorMove::NONE, wanted),
        }
    }

    /// A value that has the lanes wanted. Where there is none for all words, as in a group whose words
    /// are wired differently, it is put together from those of its halves, by the words' bits below
    /// `bits`. A half that comes from the other half of windows is moved when it is put there.
    fn whole(&mut self, lanes: &LaneOrigins, bits: usize) -> Option<usize> {
        let value = self.value(lanes, 0);
        if value.is_some() || bits == LANE_BITS {
            return value;
        }
        let (bit, step) = (bits - 1, 1 << (bits - 1));
        let mut half = |upper: bool| {
            let of =
                |(at, lane): (usize, &Option<Lane>)| lane.filter(|_| (at & step != 0) == upper);
            let half: LaneOrigins = lanes.iter().enumerate().map(of).collect();
            if Bits::of(&half).constant(bit) != Some(!upper) {
                return Some((self.whole(&half, bit)?, VectorMove::NONE));
            }
            let moved: LaneOrigins = (0..half.len()).map(|at| half[at ^ step]).collect();
            Some((self.whole(&moved, bit)?, self.step(bit, upper)))
        };
        let (low, high) = (half(false)?, half(true)?);
        let upper = ones(bit);
        Some(match (low, high) {
            ((low, VectorMove::NONE), (high, by)) => self.join(low, high, by, not(upper)),
            ((low, by), (high, VectorMove::NONE)) => self.join(high, low, by, upper),
            ((low, down), (high, up)) => {
                let low = self.join(0, low, down, upper);
                self.join(low, high, up, not(upper))
            }
        })
    }

    /// A value that has the lanes wanted, and anything elsewhere.
    fn value(&mut self, lanes: &LaneOrigins, depth: usize) -> Option<usize> {
        if let Some(known) = self.known.get(lanes) {
            return *known;
        }
        let made = self.make(lanes, depth);
        self.known.insert(lanes.clone(), made);
        made
    }

    fn make(&mut self, lanes: &LaneOrigins, depth: usize) -> Option<usize> {
        let windows = self.windows(lanes);
        if windows.len() <= 2 {
            return Some(self.join_windows(&windows));
        }
        let bits = Bits::of(lanes);
        if depth < DEPTH_MAX {
            let moved = || (0..bits.count).filter(|&bit| !bits.is_kept(bit));
            let swapped = moved().find_map(|bit| Some((bit, bits.swapped(bit)?)));
            let mut constants = (0..bits.count).filter_map(|bit| Some((bit, bits.constant(bit)?)));
            let exchanged = match self.first {
                First::Swaps if swapped.is_some() => None,
                First::Pairs | First::Lowest => constants.next(),
                First::Highest | First::Swaps => constants.next_back(),
            };
            if let Some((bit, one)) = exchanged {
                return self.exchange(lanes, bit, one, depth);
            }
            if let Some((bit, other)) = swapped {
                return self.swap(lanes, bit.max(other), bit.min(other), depth);
            }
            if let Some(bit) = moved().find(|&bit| bits.is_turned_over(bit)) {
                return self.turn_over(lanes, bit, depth);
            }
        }
        (windows.len() <= WINDOWS_MAX).then(|| self.join_windows(&windows))
    }

    /// The value that some windows make.
    fn join_windows(&mut self, windows: &[Moved]) -> usize {
        let mut made = None;
        for &Moved { window, by, lanes } in windows {
            let window = self.window(window);
            made = Some(match (made, by) {
                (None, VectorMove::NONE) => window,
                (None, by) => self.join(0, window, by, [0; WORDS_MAX]),
                (Some(made), by) => self.join(made, window, by, not(lanes)),
            });
        }
        made.unwrap_or(0)
    }

    fn window(&mut self, window: u32) -> usize {
        let lane = |lane| Some(Lane { window, lane });
        let as_it_is: LaneOrigins = (0..self.lanes as u16).map(lane).collect();
        if let Some(Some(known)) = self.known.get(&as_it_is) {
            return *known;
        }
        let node = self.node(ShuffleNode::Window(window));
        self.known.insert(as_it_is, Some(node));
        node
    }

    /// Exchanges a bit of the lanes, which is alike where all of them come from, with the number
    /// of the value and its partner's.
    fn exchange(
        &mut self,
        lanes: &LaneOrigins,
        bit: usize,
        one: bool,
        depth: usize,
    ) -> Option<usize> {
        let words = [Some((bit, one)); WORDS_MAX];
        let turned_over = |lane: &Option<Lane>| Some(lane.as_ref()?.turned_over(bit));
        let partner: LaneOrigins = lanes.iter().map(turned_over).collect();
        let own = self.value(&kept(lanes, &words), depth + 1)?;
        let other = self.value(&kept(&partner, &words.map(turned)), depth + 1)?;
        Some(self.exchanged(own, other, &words))
    }

    /// Swaps two bits of the lanes.
    fn swap(
        &mut self,
        lanes: &LaneOrigins,
        high: usize,
        low: usize,
        depth: usize,
    ) -> Option<usize> {
        let bits = 1 << high | 1 << low;
        let swapped = |at: usize| match at & bits {
            one if one == 0 || one == bits => at,
            _ => at ^ bits,
        };
        let from: LaneOrigins = (0..lanes.len()).map(|at| lanes[swapped(at)]).collect();
        let from = self.value(&from, depth + 1)?;
        let up = self.sum(self.step(high, true), self.step(low, false));
        let down = self.sum(self.step(high, false), self.step(low, true));
        let only = |one: usize, other: usize| both(ones(one), not(ones(other)));
        let raised = self.join(from, from, up, not(only(high, low)));
        Some(self.join(raised, from, down, not(only(low, high))))
    }

    /// Turns over a bit of the lanes.
    fn turn_over(&mut self, lanes: &LaneOrigins, bit: usize, depth: usize) -> Option<usize> {
        let from: LaneOrigins = (0..lanes.len()).map(|at| lanes[at ^ 1 << bit]).collect();
        let from = self.value(&from, depth + 1)?;
        let raised = self.join(0, from, self.step(bit, true), not(ones(bit)));
        Some(self.join(raised, from, self.step(bit, false), ones(bit)))
    }

    /// The windows that lanes come from, those that are not moved first; when there are too many,
    /// some of them.
    fn windows(&self, lanes: &LaneOrigins) -> Vec<Moved> {
        let mut windows: Vec<Moved> = Vec::new();
        for (to, from) in lanes.iter().enumerate() {
            let Some(Lane { window, lane }) = *from else {
                continue;
            };
            let lane = usize::from(lane);
            let word = to / LANES;
            let from = (lane / LANES) as u8;
            let rotation = ((to % LANES + LANES - lane % LANES) % LANES) as u8;
            let like = |moved: &Moved| {
                let is_so = moved.by.from[word] == from && moved.by.lanes[word] == rotation;
                moved.window == window && (is_so || moved.lanes[word] == 0)
            };
            let at = match windows.iter().position(like) {
                Some(at) => at,
                None if windows.len() > WINDOWS_MAX => break,
                None => {
                    windows.push(Moved {
                        window,
                        by: VectorMove::NONE,
                        lanes: [0; WORDS_MAX],
                    });
                    windows.len() - 1
                }
            };
            let moved = &mut windows[at];
            (moved.by.from[word], moved.by.lanes[word]) = (from, rotation);
            insert(&mut moved.lanes, to);
        }
        windows.sort_by_key(|moved| moved.by != VectorMove::NONE);
        windows
    }
}
