//! The search for a shuffle, from what is wanted alone.
//!
//! A value is wanted by its lanes: of each, which plane and lane it comes from. What is wanted is
//! made from what is nearer to planes as they are, by the first of these that applies:
//!
//! | the lanes wanted | made from |
//! |---|---|
//! | come from a lane or two windows | planes, joined |
//! | all have the same bit `i` of the lanes they come from | two values in which bit `i` stays: an *exchange* with the partner, which wants the same with the other bit `i` |
//! | have bit `k` as bit `i` of where they come from | the value with bits `i` and `k` swapped |
//! | have bit `i` turned over | the value with it turned back |
//! | come from a few windows | planes, joined |
//!
//! In the rows about bits several may apply at once, and an order says which is taken. Each of
//! these holds whatever the rest of the wiring is, so what is found is right. It is short where
//! bits of ports and lanes change places (an affine map over GF(2) whose matrix has a single 1 in
//! each row): then partners want each other's halves, and each value is made once.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{Join, Load, SLOTS_MAX, Shuffle, Store};

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

/// Where a lane comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lane {
    /// The plane, as whoever wants it numbers planes.
    pub plane: u32,
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
    /// The planes that it loads.
    pub planes: Vec<u32>,
}

/// A program for those ports that have one, if it is worth while. `turned` gives the steps by which
/// the bytes of a plane are turned on their way.
///
/// Whether bits move within lanes first, and which bit is exchanged first, decides what ports share;
/// so four orders are tried.
pub fn search(wanted: &[Wanted], turned: impl Fn(u32) -> u8) -> Option<Found> {
    let found = Order::all().filter_map(|order| search_in(order, wanted, &turned));
    let better = |found: &Found| {
        let moves = found.shuffle.moves();
        (found.shuffle.links.count_ones(), Reverse(moves))
    };
    found.max_by_key(better)
}

/// What is tried first where several rows of the table apply.
#[derive(Debug, Clone, Copy)]
struct Order {
    /// Swaps, and not exchanges.
    swaps: bool,
    /// The highest bit, and not the lowest, of those that may be exchanged.
    highest: bool,
}

impl Order {
    fn all() -> impl Iterator<Item = Order> {
        let order = |number: u32| Order {
            swaps: number & 1 != 0,
            highest: number & 2 != 0,
        };
        (0..4).map(order)
    }
}

fn search_in(order: Order, wanted: &[Wanted], turned: impl Fn(u32) -> u8) -> Option<Found> {
    let mut search = Search {
        order,
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
    let found = Linear::finish(&search.nodes, &made, turned)?;
    (found.shuffle.moves() <= MOVES_MAX * made.len()).then_some(found)
}

/// A value.
#[derive(Debug, Clone, Copy)]
enum Node {
    Zero,
    Plane(u32),
    Join {
        kept: usize,
        other: usize,
        rotate: usize,
        mask: u64,
    },
}

/// The values so far.
struct Search {
    order: Order,
    nodes: Vec<Node>,
    /// What has been wanted, and the value made for it, if there is one.
    known: BTreeMap<Lanes, Option<usize>>,
}

/// Lanes of one plane, all rotated alike.
struct Window {
    plane: u32,
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
            let mut constants = (0..LANE_BITS).filter_map(|bit| Some((bit, bits.constant(bit)?)));
            let exchanged = match self.order.highest {
                false => constants.next(),
                true => constants.next_back(),
            };
            let swapped = moved().find_map(|bit| Some((bit, bits.swapped(bit)?)));
            match (exchanged, swapped) {
                (Some((bit, one)), swapped) if swapped.is_none() || !self.order.swaps => {
                    return self.exchange(lanes, bit, one, depth);
                }
                (_, Some((bit, other))) => {
                    return self.swap(lanes, bit.max(other), bit.min(other), depth);
                }
                _ => {}
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

    fn plane(&mut self, plane: u32) -> usize {
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
    slots: Vec<Option<u16>>,
    free: Vec<u16>,
    /// Slots in use or free.
    count: usize,
    joins: Vec<Join>,
}

impl<'a> Linear<'a> {
    fn finish(
        nodes: &'a [Node],
        made: &[(usize, u8, u8)],
        turned: impl Fn(u32) -> u8,
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
        let planes = linear.planes();
        let load = |&plane: &u32| Load {
            turned: turned(plane),
        };
        let loads = planes.iter().map(load).collect();
        let stores = made.iter().map(|&(node, link, word)| Store {
            // What arrives stays where it is until all has been made.
            slot: linear.value(node),
            link,
            word,
        });
        let stores: Vec<Store> = stores.collect();
        (linear.count <= SLOTS_MAX).then(|| Found {
            shuffle: Shuffle::new(loads, linear.joins, stores),
            planes,
        })
    }

    /// The planes that are used, which take the first slots.
    fn planes(&mut self) -> Vec<u32> {
        let mut planes = Vec::new();
        for (node, value) in self.nodes.iter().enumerate() {
            match value {
                Node::Zero => self.slots[node] = Some(0),
                Node::Plane(plane) if self.uses[node] > 0 => {
                    planes.push(*plane);
                    self.slots[node] = Some(planes.len() as u16);
                }
                _ => {}
            }
        }
        self.count = 1 + planes.len();
        planes
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
    fn value(&mut self, node: usize) -> u16 {
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
            (self.count - 1) as u16
        });
        self.joins.push(Join {
            slot,
            kept: from[0],
            other: from[1],
            rotate: (rotate % LANES) as u8,
            mask,
        });
        self.slots[node] = Some(slot);
        slot
    }
}
