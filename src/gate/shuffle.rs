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
//! all zeros; those behind it are the planes that are loaded, in their order. Text, a line a move:
//! ```text
//! v1 = plane 0 >> 2                      Load: the neighbours' plane, its byte turned 2 steps
//! v3 = v1 & 00000000ffffffff | v2 <<< 32 Join: v1 in these lanes, v2 rotated in the others
//! link 7 word 2 = v3                     Store: what arrives at a port of a lane word's word
//! ```
//! All loads come first, then all joins: what was written word by word is then read as vectors
//! long afterwards, and nothing has to be guessed of which kind the next move is.
//!
//! # Cost
//! A load and a store move a word a bit; a join is a rotation and a selection for each vector
//! of them. A shuffle of `k` bits takes `k` joins for each word of a port.

mod search;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

pub use search::{Found, Lane, Wanted, search};

use super::gather::{rotated, window};
use crate::chip::bit_before;

/// The most slots of a program: as many as a nearest cache of 32 KiB holds.
pub const SLOTS_MAX: usize = 256;

/// The most bits of a link's word.
pub const BITS_MAX: usize = 16;

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

/// Puts words of the neighbours into the slot of their number, from 1 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Load {
    /// Steps by which wiring rotates the byte.
    pub turned: u8,
}

/// Puts lanes of two slots together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Join {
    /// Where to.
    pub slot: u16,
    /// The slot whose lanes are taken as they are.
    pub kept: u16,
    /// The slot whose lanes are taken elsewhere.
    pub other: u16,
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

/// Lets a slot arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Store {
    /// Where from.
    pub slot: u16,
    /// Link port.
    pub link: u8,
    /// Word of the lane word.
    pub word: u8,
}

/// A program for some link ports of a group.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Shuffle {
    /// The ports, a bit each.
    pub links: u32,
    /// The planes that are loaded.
    pub loads: Vec<Load>,
    /// What is put together of them, in order.
    pub joins: Vec<Join>,
    /// What arrives.
    pub stores: Vec<Store>,
    /// How many slots there are.
    pub slots: u16,
}

impl Shuffle {
    /// A program of moves.
    pub fn new(loads: Vec<Load>, joins: Vec<Join>, stores: Vec<Store>) -> Shuffle {
        let links = stores.iter().fold(0, |all, store| all | 1 << store.link);
        let slots = joins.iter().map(|join| usize::from(join.slot));
        let last = slots.fold(loads.len(), usize::max);
        Shuffle {
            links,
            loads,
            joins,
            stores,
            slots: last as u16 + 1,
        }
    }

    /// How many planes are loaded, joined and stored.
    pub fn counts(&self) -> [usize; 3] {
        [self.loads.len(), self.joins.len(), self.stores.len()]
    }

    /// How many moves there are.
    pub fn moves(&self) -> usize {
        self.counts().iter().sum()
    }

    /// Carries out the moves for links of `bits` bits. `values` are those of the slots, the first
    /// of which is all zeros; `plane` gives the words from bit 0 of a plane on, and how far apart
    /// they lie; `store` takes what arrives at a port and word.
    ///
    /// # Panics
    /// When there are fewer values than slots, or links have more bits than a value.
    #[inline(always)]
    pub fn run<'a>(
        &self,
        bits: usize,
        values: &mut [Value],
        plane: impl Fn(usize) -> (&'a [u64], usize),
        mut store: impl FnMut(u8, u8, &Value),
    ) {
        let loaded = &mut values[1..=self.loads.len()];
        for (number, (load, value)) in self.loads.iter().zip(loaded).enumerate() {
            let (words, stride) = plane(number);
            let order = &ORDERS[usize::from(load.turned & 3)];
            for (word, &bit) in value[..bits].iter_mut().zip(order) {
                *word = words[bit * stride];
            }
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
        for &Store { slot, link, word } in &self.stores {
            store(link, word, &values[usize::from(slot)]);
        }
    }
}

impl fmt::Display for Shuffle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (plane, Load { turned }) in self.loads.iter().enumerate() {
            writeln!(f, "v{} = plane {plane} >> {turned}", plane + 1)?;
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
        for Store { slot, link, word } in &self.stores {
            writeln!(f, "link {link} word {word} = v{slot}")?;
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
        let (mut loads, mut joins, mut stores) = (Vec::new(), Vec::new(), Vec::new());
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let is_known = load(&words).map(|one| loads.push(one)).is_some()
                || join(&words).map(|one| joins.push(one)).is_some()
                || store(&words).map(|one| stores.push(one)).is_some();
            if !is_known {
                return Err(NoMove(line.to_owned()));
            }
        }
        Ok(Shuffle::new(loads, joins, stores))
    }
}

fn slot(word: &str) -> Option<u16> {
    let slot = word.strip_prefix('v')?.parse().ok()?;
    (usize::from(slot) < SLOTS_MAX).then_some(slot)
}

fn load(words: &[&str]) -> Option<Load> {
    let &[to, "=", "plane", plane, ">>", turned] = words else {
        return None;
    };
    let plane: u16 = plane.parse().ok()?;
    (slot(to)? == plane + 1).then_some(Load {
        turned: turned.parse().ok()?,
    })
}

fn join(words: &[&str]) -> Option<Join> {
    let &[to, "=", kept, "&", mask, "|", other, "<<<", rotate] = words else {
        return None;
    };
    Some(Join {
        // The first one stays zeros.
        slot: slot(to).filter(|&slot| slot > 0)?,
        kept: slot(kept)?,
        other: slot(other)?,
        rotate: rotate.parse().ok()?,
        mask: u64::from_str_radix(mask, 16).ok()?,
    })
}

fn store(words: &[&str]) -> Option<Store> {
    let &["link", link, "word", word, "=", from] = words else {
        return None;
    };
    Some(Store {
        slot: slot(from)?,
        link: link.parse().ok().filter(|&link| link < 32)?,
        word: word.parse().ok()?,
    })
}
