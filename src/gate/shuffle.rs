//! Links that shuffle: what arrives at a group, as a program of moves of whole planes.
//!
//! Between the stages of a bidelta network bits of an instance's number change places with
//! bits of a port's. A port then has lanes of many planes, a lane or two of each, and terms
//! (`wiring`) would be as many as lanes. But ports share them: a plane and its partner, each
//! with lanes that the other one needs, exchange these by a rotation and a mask, and so on
//! for each bit, as in the transposition of a matrix. `search` finds such a program; it holds
//! for all bits of the links' words at once.
//!
//! # Layout
//! A *value* has a word of 64 lanes for each bit of the links' words, and lies in a slot. Slot 0 is
//! all zeros; those behind it are the planes that are loaded, port by port; joins use slots again
//! whose values are no longer needed. Text, a line a move:
//! ```text
//! v1..v8 = port 0 >> 2                   Load: words of a neighbours' port, their bytes turned 2 steps
//! v3 = v1 & 00000000ffffffff | v2 <<< 32 Join: v1 in these lanes, v2 rotated in the others
//! link 7 = v3 v9 v1 v4                   Store: what arrives at a port, word by word
//! ```
//! All loads come first, then all joins: what was written word by word is then read as vectors
//! long afterwards, and nothing has to be guessed of which kind the next move is.
//!
//! # Cost
//! A load and a store move a word a bit; a join is a rotation and a selection for each vector
//! of [`BITS_MAX`] words, however many bits there are. A shuffle of `k` bits takes `k` joins for each
//! word of a port.

mod search;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use smallvec::SmallVec;

pub use search::{Found, Lane, Plane, Wanted, search};

use super::gather::{rotated, window};
use crate::chip::bit_before;

/// The most slots of a program: as many as a nearest cache of 32 KiB holds.
pub const SLOTS_MAX: usize = 256;

/// The most bits of a link's word.
pub const BITS_MAX: usize = 16;

/// The most words of a lane word.
const WORDS_MAX: usize = 8;

/// A word for each bit of the links' words, and zeros.
pub type Value = [u64; BITS_MAX];

/// The bits that arrive as each bit of a word whose byte is turned by 0 to 3 steps.
static ORDERS: [[usize; BITS_MAX]; 4] = {
    let mut orders = [[0; BITS_MAX]; 4];
    let mut at = 0;
    while at < 4 * BITS_MAX {
        let (turned, bit) = (at / BITS_MAX, at % BITS_MAX);
        orders[turned][bit] = bit_before(bit, turned as u8);
        at += 1;
    }
    orders
};

/// Puts the words of a neighbours' port into slots that follow one another, from the first on that
/// no port before it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Load {
    /// How many there are.
    pub words: u8,
    /// Steps by which wiring rotates the byte.
    pub turned: u8,
}

impl Load {
    /// Fills the slots; the words of a plane lie behind one another, and planes `stride` apart.
    #[inline(always)]
    fn fill<const W: usize>(
        self,
        values: &mut [Value],
        planes: &[u64],
        bits: usize,
        stride: usize,
    ) {
        let order = &ORDERS[usize::from(self.turned & 3)];
        let values = values.first_chunk_mut::<W>().expect("slots for all words");
        for (bit, &before) in order[..bits].iter().enumerate() {
            let words: &[u64; W] = window(planes, before * stride);
            for (value, word) in values.iter_mut().zip(words) {
                value[bit] = *word;
            }
        }
    }
}

/// Puts lanes of two slots together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Join {
    /// Where to.
    pub slot: u8,
    /// The slot whose lanes are taken as they are.
    pub kept: u8,
    /// The slot whose lanes are taken elsewhere.
    pub other: u8,
    /// By how many lanes these are rotated, to the left.
    pub rotate: u8,
    /// The lanes that are taken as they are.
    pub mask: u64,
}

impl Join {
    /// What it makes of half of the words of its slots. (As loops over all of them, or behind
    /// closures, they would not become vectors.)
    #[inline(always)]
    fn of(&self, kept: &[u64; 8], other: &[u64; 8]) -> [u64; 8] {
        let by = [u64::from(self.rotate); 8];
        let mut joined = *kept;
        for (bit, word) in joined.iter_mut().enumerate() {
            *word = *word & self.mask | rotated(other[bit], by[bit]) & !self.mask;
        }
        joined
    }
}

/// Lets slots arrive.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Store {
    /// Link port.
    pub link: u8,
    /// Where its words come from.
    pub slots: SmallVec<[u8; WORDS_MAX]>,
}

/// What a program works for: the ports of a group of `W` words, and its neighbours'.
pub trait Ports<const W: usize> {
    /// The planes of a neighbours' port, from the group's first word of bit 0 on, and how far apart
    /// they lie.
    fn load(&self, port: usize) -> (&[u64], usize);

    /// Takes what arrives at a port.
    fn store(&mut self, link: u8, arriving: Arriving<'_, W>);
}

/// What arrives at a port.
#[derive(Clone, Copy)]
pub struct Arriving<'v, const W: usize> {
    values: &'v [Value; SLOTS_MAX],
    slots: &'v [u8; W],
}

impl<const W: usize> Arriving<'_, W> {
    /// The words of a bit.
    ///
    /// # Panics
    /// When values have fewer bits.
    #[inline(always)]
    pub fn bit(&self, bit: usize) -> [u64; W] {
        let mut words = [0; W];
        for (word, &slot) in words.iter_mut().zip(self.slots) {
            *word = self.values[usize::from(slot)][bit];
        }
        words
    }
}

/// A program for some link ports of a group.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Shuffle {
    /// The ports, a bit each.
    pub links: u32,
    /// The neighbours' ports that are loaded.
    pub loads: Vec<Load>,
    /// What is put together of them, in order.
    pub joins: Vec<Join>,
    /// What arrives.
    pub stores: Vec<Store>,
}

impl Shuffle {
    /// A program of moves.
    pub fn new(loads: Vec<Load>, joins: Vec<Join>, stores: Vec<Store>) -> Shuffle {
        let links = stores.iter().fold(0, |all, store| all | 1 << store.link);
        Shuffle {
            links,
            loads,
            joins,
            stores,
        }
    }

    /// How many planes are loaded, joined and stored.
    pub fn counts(&self) -> [usize; 3] {
        let loads = self.loads.iter().map(|load| usize::from(load.words));
        let stores = self.stores.iter().map(|store| store.slots.len());
        [loads.sum(), self.joins.len(), stores.sum()]
    }

    /// How many moves there are.
    pub fn moves(&self) -> usize {
        self.counts().iter().sum()
    }

    /// Carries out the moves for links of `bits` bits. `values` are those of the slots, the first of
    /// which is all zeros.
    ///
    /// # Panics
    /// When links have more bits than a value, or a port stores other than `W` words.
    #[inline(always)]
    pub fn run<const W: usize>(
        &self,
        bits: usize,
        values: &mut [Value; SLOTS_MAX],
        ports: &mut impl Ports<W>,
    ) {
        let mut free = 1;
        for (number, load) in self.loads.iter().enumerate() {
            let (planes, stride) = ports.load(number);
            let slots = &mut values[free..];
            match load.words {
                1 => load.fill::<1>(slots, planes, bits, stride),
                2 => load.fill::<2>(slots, planes, bits, stride),
                4 => load.fill::<4>(slots, planes, bits, stride),
                _ => load.fill::<WORDS_MAX>(slots, planes, bits, stride),
            }
            free += usize::from(load.words);
        }
        for join in &self.joins {
            let kept = &values[usize::from(join.kept)];
            let other = &values[usize::from(join.other)];
            let low = join.of(window(kept, 0), window(other, 0));
            let high = join.of(window(kept, 8), window(other, 8));
            let value = &mut values[usize::from(join.slot)];
            value[..8].copy_from_slice(&low);
            value[8..].copy_from_slice(&high);
        }
        for Store { link, slots } in &self.stores {
            let slots = slots[..].try_into().expect("the words of a group");
            ports.store(*link, Arriving { values, slots });
        }
    }
}

impl fmt::Display for Shuffle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = 1;
        for (port, Load { words, turned }) in self.loads.iter().enumerate() {
            let last = first + usize::from(*words) - 1;
            writeln!(f, "v{first}..v{last} = port {port} >> {turned}")?;
            first = last + 1;
        }
        for join in &self.joins {
            let Join {
                slot,
                kept,
                other,
                rotate,
                mask,
            } = join;
            writeln!(f, "v{slot} = v{kept} & {mask:016x} | v{other} <<< {rotate}")?;
        }
        for Store { link, slots } in &self.stores {
            write!(f, "link {link} =")?;
            slots.iter().try_for_each(|slot| write!(f, " v{slot}"))?;
            writeln!(f)?;
        }
        Ok(())
    }
}

/// What a line says that is no move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoMove(pub String);

impl FromStr for Shuffle {
    type Err = NoMove;

    fn from_str(text: &str) -> Result<Shuffle, NoMove> {
        let mut reader = Reader {
            program: Shuffle::new(Vec::new(), Vec::new(), Vec::new()),
            written: [false; SLOTS_MAX],
        };
        reader.written[0] = true;
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let read = reader.read(&words);
            read.ok_or_else(|| NoMove(line.to_owned()))?;
        }
        let Shuffle {
            loads,
            joins,
            stores,
            ..
        } = reader.program;
        Ok(Shuffle::new(loads, joins, stores))
    }
}

/// The moves read so far, and the slots that they have written.
struct Reader {
    program: Shuffle,
    written: [bool; SLOTS_MAX],
}

impl Reader {
    /// Adds a move; `None` where it is none, or none that can stand here.
    fn read(&mut self, words: &[&str]) -> Option<()> {
        let Shuffle {
            loads,
            joins,
            stores,
            ..
        } = &mut self.program;
        match *words {
            [to, "=", "port", port, ">>", turned] if joins.is_empty() && stores.is_empty() => {
                let words = loads.iter().map(|load| usize::from(load.words));
                let free = 1 + words.sum::<usize>();
                let (first, last) = to.split_once("..")?;
                let last = usize::from(slot(last)?);
                let words = (last + 1).checked_sub(free)?;
                let is_next = usize::from(slot(first)?) == free && port.parse() == Ok(loads.len());
                (is_next && [1, 2, 4, WORDS_MAX].contains(&words)).then_some(())?;
                loads.push(Load {
                    words: words as u8,
                    turned: turned.parse().ok().filter(|&turned| turned < 4)?,
                });
                self.written[free..=last].fill(true);
            }
            [to, "=", kept, "&", mask, "|", other, "<<<", rotate] if stores.is_empty() => {
                // Slot 0 stays zeros.
                let slot = slot(to).filter(|&slot| slot > 0)?;
                let join = Join {
                    slot,
                    kept: read_slot(&self.written, kept)?,
                    other: read_slot(&self.written, other)?,
                    rotate: rotate.parse().ok().filter(|&rotate| rotate < 64)?,
                    mask: u64::from_str_radix(mask, 16).ok()?,
                };
                joins.push(join);
                self.written[usize::from(slot)] = true;
            }
            ["link", link, "=", ref from @ ..] if from.len() <= WORDS_MAX => {
                let slots = from.iter().map(|from| read_slot(&self.written, from));
                let store = Store {
                    link: link.parse().ok().filter(|&link| link < 32)?,
                    slots: slots.collect::<Option<_>>()?,
                };
                stores.push(store);
            }
            _ => return None,
        }
        Some(())
    }
}

/// A slot that has been written.
fn read_slot(written: &[bool; SLOTS_MAX], word: &str) -> Option<u8> {
    slot(word).filter(|&slot| written[usize::from(slot)])
}

fn slot(word: &str) -> Option<u8> {
    word.strip_prefix('v')?.parse().ok()
}
