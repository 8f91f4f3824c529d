//! The search for a shuffle, from what is wanted alone.
//!
//! A value is wanted by its lanes: of each, which plane and lane it comes from. What is wanted is
//! made from what is nearer to planes as they are, by the first of these that applies (exchanges and
//! swaps change places where swaps are to come first):
//!
//! | the lanes wanted | made from |
//! |---|---|
//! | come from a lane or two windows | planes, joined |
//! | all have the same bit `i` of the lanes they come from | two values in which bit `i` stays: an *exchange* with the partner, which wants the same with the other bit `i` |
//! | have bit `k` as bit `i` of where they come from | the value with bits `i` and `k` swapped |
//! | have bit `i` turned over | the value with it turned back |
//! | come from a few windows | planes, joined |
//!
//! Each of these holds whatever the rest of the wiring is, so what is found is right. It is short
//! where bits of ports and lanes change places (an affine map over GF(2) whose matrix has a single 1 in
//! each row): then partners want each other's halves, and each value is made once.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::{Join, Load, SLOTS_MAX, Shuffle, Store, WORDS_MAX};

/// Lanes of a word.
const LANES: usize = 64;

/// Bits of a lane's number.
const LANE_BITS: usize = 6;

/// Lanes whose number has a bit set, bit by bit.
const ONES: [u64; LANE_BITS] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

/// The most windows that are joined to a value.
const WINDOWS_MAX: usize = 4;

/// The most rows of the table applied one after another: an exchange or a swap for each bit, and
/// what turns them over.
const DEPTH_MAX: usize = 12;

/// The most moves for each word of a port, from which lanes are better gathered one by one:
/// a move takes some ten instructions, a lane three.
const MOVES_MAX: usize = 16;

/// The planes of a word of a neighbours' port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Plane {
    /// The port, as whoever wants it numbers ports.
    pub port: u32,
    /// The word.
    pub word: u8,
}

/// Where a lane comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lane {
    /// The plane.
    pub plane: Plane,
    /// The lane of its word.
    pub lane: u8,
}

/// What is wanted at one word of a link port; nobody drives lanes without an origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The port.
    pub link: u8,
    /// The word.
    pub word: u8,
    /// Where its lanes come from.
    pub lanes: Lanes,
}

/// Where 64 lanes come from.
pub type Lanes = [Option<Lane>; LANES];

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The program.
    pub shuffle: Shuffle,
    /// The neighbours' ports that it loads.
    pub ports: Vec<u32>,
}

/// A program for those ports that have one, if it is worth while. Those of a port's words that are
/// wanted come in their order. `load` says of a neighbours' port how it is loaded.
///
/// What moves first decides what ports share. Each way is tried until one leaves no port out, and
/// what leaves out the fewest is taken.
pub fn search(wanted: &[Wanted], load: impl Fn(u32) -> Load) -> Option<Found> {
    let all = wanted.iter().fold(0, |all, wanted| all | 1 << wanted.link);
    let links = |found: &Option<Found>| found.as_ref().map_or(0, |found| found.shuffle.links);
    let mut best = None;
    for first in [First::Lowest, First::Highest, First::Swaps] {
        let found = search_from(first, wanted, &load);
        if links(&found).count_ones() > links(&best).count_ones() {
            best = found;
        }
        if links(&best) == all {
            break;
        }
    }
    best
}

/// Which of the bits that may move does first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum First {
    /// The lowest that may be exchanged: best between stages.
    Lowest,
    /// The highest: best for lines that are numbered port by port.
    Highest,
    /// One that may be swapped, then the highest that may be exchanged.
    Swaps,
}

fn search_from(first: First, wanted: &[Wanted], load: impl Fn(u32) -> Load) -> Option<Found> {
    let mut search = Search {
        first,
        nodes: vec![Node::Zero],
        known: BTreeMap::new(),
    };
    let mut failed = 0u32;
    let mut made = Vec::new();
    for wanted in wanted {
        match search.arriving(&wanted.lanes) {
            Some(node) => made.push((node, wanted.link, wanted.word)),
            None => failed |= 1 << wanted.link,
        }
    }
    made.retain(|&(_, link, _)| failed >> link & 1 == 0);
    if made.is_empty() {
        return None;
    }
    let found = Linear::program(&search.nodes, &made, load)?;
    (found.shuffle.moves() <= MOVES_MAX * made.len()).then_some(found)
}

/// A value.
#[derive(Debug, Clone, Copy)]
enum Node {
    Zero,
    Plane(Plane),
    Join {
        kept: usize,
        other: usize,
        rotate: usize,
        mask: u64,
    },
}

/// The values so far.
struct Search {
    first: First,
    nodes: Vec<Node>,
    /// What has been wanted, and the value made for it, if there is one.
    known: BTreeMap<Lanes, Option<usize>>,
}

/// Lanes of one plane, all rotated alike.
struct Window {
    plane: Plane,
    rotate: usize,
    lanes: u64,
}

/// What bits of the lanes wanted come to.
struct Bits {
    /// The lanes that are wanted.
    wanted: u64,
    /// Of each bit, the wanted lanes that come from lanes in which it is 1.
    ones: [u64; LANE_BITS],
}

impl Bits {
    fn of(lanes: &Lanes) -> Bits {
        let mut bits = Bits {
            wanted: 0,
            ones: [0; LANE_BITS],
        };
        for (to, lane) in lanes.iter().enumerate() {
            let Some(from) = lane else { continue };
            bits.wanted |= 1 << to;
            for (bit, ones) in bits.ones.iter_mut().enumerate() {
                *ones |= u64::from(from.lane >> bit & 1) << to;
            }
        }
        bits
    }

    /// The bit that all lanes wanted have where they come from, if it is not the lanes' own.
    fn constant(&self, bit: usize) -> Option<bool> {
        match self.ones[bit] {
            ones if ones == ONES[bit] & self.wanted => None,
            0 => Some(false),
            ones if ones == self.wanted => Some(true),
            _ => None,
        }
    }

    /// The bit of the lanes that is another bit of where they come from, itself or turned over.
    fn swapped(&self, bit: usize) -> Option<usize> {
        let found = |&other: &usize| {
            let own = ONES[other] & self.wanted;
            self.ones[bit] == own || self.ones[bit] == self.wanted & !own
        };
        (0..LANE_BITS).filter(|&other| other != bit).find(found)
    }

    fn is_turned_over(&self, bit: usize) -> bool {
        self.ones[bit] == self.wanted & !ONES[bit]
    }
}

impl Search {
    fn node(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn join(&mut self, kept: usize, other: usize, rotate: usize, mask: u64) -> usize {
        self.node(Node::Join {
            kept,
            other,
            rotate,
            mask,
        })
    }

    /// The value for a port, in which lanes that nobody drives are 0.
    fn arriving(&mut self, lanes: &Lanes) -> Option<usize> {
        let value = self.value(lanes, 0)?;
        let wanted = Bits::of(lanes).wanted;
        Some(match wanted {
            0 | u64::MAX => value,
            _ => self.join(value, 0, 0, wanted),
        })
    }

    /// A value that has the lanes wanted, and anything elsewhere.
    fn value(&mut self, lanes: &Lanes, depth: usize) -> Option<usize> {
        if let Some(known) = self.known.get(lanes) {
            return *known;
        }
        let made = self.make(lanes, depth);
        self.known.insert(*lanes, made);
        made
    }

    fn make(&mut self, lanes: &Lanes, depth: usize) -> Option<usize> {
        let windows = windows(lanes);
        if windows.len() <= 2 {
            return Some(self.windows(&windows));
        }
        let bits = Bits::of(lanes);
        let not_kept = |&bit: &usize| bits.ones[bit] != ONES[bit] & bits.wanted;
        if depth < DEPTH_MAX {
            let moved = || (0..LANE_BITS).filter(not_kept);
            let swapped = moved().find_map(|bit| Some((bit, bits.swapped(bit)?)));
            let mut constants = (0..LANE_BITS).filter_map(|bit| Some((bit, bits.constant(bit)?)));
            let exchanged = match self.first {
                First::Swaps if swapped.is_some() => None,
                First::Lowest => constants.next(),
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
        (windows.len() <= WINDOWS_MAX).then(|| self.windows(&windows))
    }

    /// The value that some windows make.
    fn windows(&mut self, windows: &[Window]) -> usize {
        let mut made = None;
        for window in windows {
            let plane = self.plane(window.plane);
            made = Some(match (made, window.rotate) {
                (None, 0) => plane,
                (None, rotate) => self.join(0, plane, rotate, !window.lanes),
                (Some(made), rotate) => self.join(made, plane, rotate, !window.lanes),
            });
        }
        made.unwrap_or(0)
    }

    fn plane(&mut self, plane: Plane) -> usize {
        let mut as_it_is = [None; LANES];
        for (lane, from) in (0u8..).zip(&mut as_it_is) {
            *from = Some(Lane { plane, lane });
        }
        if let Some(Some(known)) = self.known.get(&as_it_is) {
            return *known;
        }
        let node = self.node(Node::Plane(plane));
        self.known.insert(as_it_is, Some(node));
        node
    }

    /// Exchanges a bit of the lanes, which is alike where all of them come from, with the number
    /// of the value and its partner's.
    fn exchange(&mut self, lanes: &Lanes, bit: usize, one: bool, depth: usize) -> Option<usize> {
        let step = 1usize << bit;
        let half = |at: usize| (at & step != 0) == one;
        let turned_over = |at: usize| {
            lanes[at ^ step].map(|from| Lane {
                lane: from.lane ^ step as u8,
                ..from
            })
        };
        let (mut kept, mut other) = (*lanes, *lanes);
        for at in 0..LANES {
            match half(at) {
                true => other[at] = lanes[at ^ step],
                false => {
                    kept[at] = turned_over(at);
                    other[at] = lanes[at].map(|from| Lane {
                        lane: from.lane ^ step as u8,
                        ..from
                    });
                }
            }
        }
        let kept = self.value(&kept, depth + 1)?;
        let other = self.value(&other, depth + 1)?;
        Some(match one {
            true => self.join(kept, other, LANES - step, ONES[bit]),
            false => self.join(kept, other, step, !ONES[bit]),
        })
    }

    /// Swaps two bits of the lanes.
    fn swap(&mut self, lanes: &Lanes, high: usize, low: usize, depth: usize) -> Option<usize> {
        let both = 1 << high | 1 << low;
        let swapped = |at: usize| match at & both {
            one if one == 0 || one == both => at,
            _ => at ^ both,
        };
        let from = self.value(&std::array::from_fn(|at| lanes[swapped(at)]), depth + 1)?;
        let by = (1 << high) - (1 << low);
        let up = self.join(from, from, by, !(ONES[high] & !ONES[low]));
        Some(self.join(up, from, LANES - by, !(ONES[low] & !ONES[high])))
    }

    /// Turns over a bit of the lanes.
    fn turn_over(&mut self, lanes: &Lanes, bit: usize, depth: usize) -> Option<usize> {
        let by = 1 << bit;
        let from = self.value(&std::array::from_fn(|at| lanes[at ^ by]), depth + 1)?;
        let up = self.join(0, from, by, !ONES[bit]);
        Some(self.join(up, from, LANES - by, ONES[bit]))
    }
}

/// The windows that lanes come from, those that are not rotated first; when there are too many,
/// some of them.
fn windows(lanes: &Lanes) -> Vec<Window> {
    let mut windows: Vec<Window> = Vec::new();
    for (to, from) in lanes.iter().enumerate() {
        let Some(Lane { plane, lane }) = *from else {
            continue;
        };
        let rotate = (to + LANES - usize::from(lane)) % LANES;
        let like = |window: &Window| window.plane == plane && window.rotate == rotate;
        match windows.iter().position(like) {
            Some(at) => windows[at].lanes |= 1 << to,
            None if windows.len() > WINDOWS_MAX => break,
            None => windows.push(Window {
                plane,
                rotate,
                lanes: 1 << to,
            }),
        }
    }
    windows.sort_by_key(|window| window.rotate != 0);
    windows
}

/// Values in the order in which they are made, depth first, so that few are needed at a time.
struct Linear<'a> {
    nodes: &'a [Node],
    /// How often each value is still to be used.
    uses: Vec<usize>,
    slots: Vec<Option<usize>>,
    free: Vec<usize>,
    /// Slots in use or free.
    count: usize,
    joins: Vec<WideJoin>,
}

/// A join of any slots, of which there may be too many.
struct WideJoin {
    slot: usize,
    from: [usize; 2],
    rotate: usize,
    mask: u64,
}

impl<'a> Linear<'a> {
    /// The program of some values, if it has slots enough.
    fn program(
        nodes: &'a [Node],
        made: &[(usize, u8, u8)],
        load: impl Fn(u32) -> Load,
    ) -> Option<Found> {
        let mut uses = vec![0; nodes.len()];
        for &(node, _, _) in made {
            uses[node] += 1;
        }
        // A value is made of those before it.
        for (node, value) in nodes.iter().enumerate().rev() {
            if let (Node::Join { kept, other, .. }, true) = (value, uses[node] > 0) {
                uses[*kept] += 1;
                uses[*other] += 1;
            }
        }
        let mut linear = Linear {
            slots: vec![None; nodes.len()],
            nodes,
            uses,
            free: Vec::new(),
            count: 1,
            joins: Vec::new(),
        };
        let (ports, loads) = linear.ports(load);
        let mut stores = BTreeMap::new();
        for &(node, link, word) in made {
            // What arrives stays where it is until all has been made.
            let slots: &mut SmallVec<[usize; WORDS_MAX]> = stores.entry(link).or_default();
            assert_eq!(slots.len(), usize::from(word), "words come in their order");
            slots.push(linear.value(node));
        }
        let narrow = |slot: usize| u8::try_from(slot).expect("below SLOTS_MAX");
        let store = |(link, slots): (u8, SmallVec<_>)| Store {
            link,
            slots: slots.into_iter().map(narrow).collect(),
        };
        let join = |join: &WideJoin| Join {
            slot: narrow(join.slot),
            kept: narrow(join.from[0]),
            other: narrow(join.from[1]),
            rotate: (join.rotate % LANES) as u8,
            mask: join.mask,
        };
        (linear.count <= SLOTS_MAX).then(|| {
            let stores = stores.into_iter().map(store).collect();
            let joins = linear.joins.iter().map(join).collect();
            Found {
                shuffle: Shuffle::new(loads, joins, stores),
                ports,
            }
        })
    }

    /// The ports that are used, and how they are loaded; they take the first slots.
    fn ports(&mut self, load: impl Fn(u32) -> Load) -> (Vec<u32>, Vec<Load>) {
        let (mut ports, mut loads, mut starts) = (Vec::new(), Vec::new(), BTreeMap::new());
        let mut used = vec![true];
        for (node, value) in self.nodes.iter().enumerate() {
            match value {
                Node::Zero => self.slots[node] = Some(0),
                Node::Plane(Plane { port, word }) if self.uses[node] > 0 => {
                    let start = *starts.entry(*port).or_insert_with(|| {
                        let start = used.len();
                        ports.push(*port);
                        loads.push(load(*port));
                        used.resize(start + usize::from(load(*port).words), false);
                        start
                    });
                    let slot = start + usize::from(*word);
                    used[slot] = true;
                    self.slots[node] = Some(slot);
                }
                _ => {}
            }
        }
        self.count = used.len();
        self.free = (0..used.len()).filter(|&slot| !used[slot]).collect();
        (ports, loads)
    }

    /// Frees the slot of a value that was used for the last time.
    fn used(&mut self, node: usize) {
        self.uses[node] -= 1;
        if let (0, Some(slot)) = (self.uses[node], self.slots[node])
            && slot != 0
        {
            self.free.push(slot);
        }
    }

    /// The slot in which a value lies; it is made if it was not yet.
    fn value(&mut self, node: usize) -> usize {
        if let Some(slot) = self.slots[node] {
            return slot;
        }
        let Node::Join {
            kept,
            other,
            rotate,
            mask,
        } = self.nodes[node]
        else {
            unreachable!("planes and zeros have slots")
        };
        let from = [kept, other].map(|node| self.value(node));
        self.used(kept);
        self.used(other);
        let slot = self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        });
        self.joins.push(WideJoin {
            slot,
            from,
            rotate,
            mask,
        });
        self.slots[node] = Some(slot);
        slot
    }
}
