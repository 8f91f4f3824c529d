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
//! A *value* has a word of 64 lanes for each bit of the links' words. Values lie in slots, which
//! are used again; slot 0 is all zeros. Text, a line a step:
//! ```text
//! v1 = plane 0 >> 2                      Load: the neighbours' plane, its byte turned 2 steps
//! v3 = v1 & 00000000ffffffff | v2 <<< 32 Join: v1 in these lanes, v2 rotated in the others
//! link 7 word 2 = v3                     Store: what arrives at a port of a lane word's word
//! ```
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

use crate::chip::bit_before;

/// The most slots of a program; their memory is on the stack.
pub const SLOTS_MAX: usize = 128;

/// The most bits of a link's word.
pub const BITS_MAX: usize = 16;

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

/// One move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Puts words of the neighbours into a slot, their bytes turned by some steps.
    Load {
        /// Where to.
        slot: u16,
        /// Which of the program's planes.
        plane: u16,
        /// Steps by which wiring rotates the byte.
        turned: u8,
    },
    /// Puts lanes of two slots together.
    Join {
        /// Where to.
        slot: u16,
        /// The slot whose lanes are taken as they are.
        kept: u16,
        /// The slot whose lanes are taken elsewhere.
        other: u16,
        /// By how many lanes these are rotated, to the left.
        rotate: u8,
        /// The lanes that are taken as they are.
        mask: u64,
    },
    /// Lets a slot arrive.
    Store {
        /// Where from.
        slot: u16,
        /// Link port.
        link: u8,
        /// Word of the lane word.
        word: u8,
    },
}

/// A program for some link ports of a group.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Shuffle {
    /// The ports, a bit each.
    pub links: u32,
    /// The moves in their order.
    pub steps: Vec<Step>,
}

impl Shuffle {
    /// A program of moves.
    pub fn new(steps: Vec<Step>) -> Shuffle {
        let link = |step: &Step| match *step {
            Step::Store { link, .. } => 1 << link,
            _ => 0,
        };
        Shuffle {
            links: steps.iter().map(link).fold(0, |all, link| all | link),
            steps,
        }
    }

    /// How many planes are loaded, joined and stored.
    pub fn counts(&self) -> [usize; 3] {
        let mut counts = [0; 3];
        for step in &self.steps {
            counts[match step {
                Step::Load { .. } => 0,
                Step::Join { .. } => 1,
                Step::Store { .. } => 2,
            }] += 1;
        }
        counts
    }

    /// Carries out the moves for links of `bits` bits. `plane` gives the words from bit 0
    /// of a plane on, and how far apart they lie; `store` takes what arrives at a port and
    /// word.
    ///
    /// # Panics
    /// When the links have more bits than a value.
    #[inline(always)]
    pub fn run<'a>(
        &self,
        bits: usize,
        plane: impl Fn(u16) -> (&'a [u64], usize),
        store: impl FnMut(u8, u8, &[u64]),
    ) {
        // Whole vectors of four words.
        match bits {
            0..=12 => self.run_on::<12>(bits, plane, store),
            _ => self.run_on::<BITS_MAX>(bits, plane, store),
        }
    }

    #[inline(always)]
    fn run_on<'a, const B: usize>(
        &self,
        bits: usize,
        plane: impl Fn(u16) -> (&'a [u64], usize),
        mut store: impl FnMut(u8, u8, &[u64]),
    ) {
        let mut slots = [[0u64; B]; SLOTS_MAX];
        let at = |slot: u16| usize::from(slot) % SLOTS_MAX;
        for step in &self.steps {
            match *step {
                Step::Load {
                    slot,
                    plane: number,
                    turned,
                } => {
                    let (words, stride) = plane(number);
                    let value = &mut slots[at(slot)];
                    let order = &ORDERS[usize::from(turned & 3)];
                    for (word, &bit) in value[..bits].iter_mut().zip(order) {
                        *word = words[bit * stride];
                    }
                }
                Step::Join {
                    slot,
                    kept,
                    other,
                    rotate,
                    mask,
                } => {
                    let (kept, other) = (slots[at(kept)], slots[at(other)]);
                    let by = u32::from(rotate);
                    for (bit, word) in slots[at(slot)].iter_mut().enumerate() {
                        *word = kept[bit] & mask | other[bit].rotate_left(by) & !mask;
                    }
                }
                Step::Store { slot, link, word } => store(link, word, &slots[at(slot)][..bits]),
            }
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Load {
                slot,
                plane,
                turned,
            } => write!(f, "v{slot} = plane {plane} >> {turned}"),
            Step::Join {
                slot,
                kept,
                other,
                rotate,
                mask,
            } => write!(f, "v{slot} = v{kept} & {mask:016x} | v{other} <<< {rotate}"),
            Step::Store { slot, link, word } => write!(f, "link {link} word {word} = v{slot}"),
        }
    }
}

impl fmt::Display for Shuffle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.steps.iter().try_for_each(|step| writeln!(f, "{step}"))
    }
}

/// What a line says that is no step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoStep(pub String);

impl FromStr for Step {
    type Err = NoStep;

    fn from_str(line: &str) -> Result<Step, NoStep> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |word: &str| word.parse().ok();
        let slot = |word: &str| word.strip_prefix('v')?.parse().ok();
        let small = |word: &str| word.parse().ok();
        let step = || match words[..] {
            [to, "=", "plane", plane, ">>", turned] => Some(Step::Load {
                slot: slot(to)?,
                plane: number(plane)?,
                turned: small(turned)?,
            }),
            [to, "=", kept, "&", mask, "|", other, "<<<", rotate] => Some(Step::Join {
                slot: slot(to)?,
                kept: slot(kept)?,
                other: slot(other)?,
                rotate: small(rotate)?,
                mask: u64::from_str_radix(mask, 16).ok()?,
            }),
            ["link", link, "word", word, "=", from] => Some(Step::Store {
                slot: slot(from)?,
                link: small(link)?,
                word: small(word)?,
            }),
            _ => None,
        };
        step().ok_or_else(|| NoStep(line.to_owned()))
    }
}

impl FromStr for Shuffle {
    type Err = NoStep;

    fn from_str(text: &str) -> Result<Shuffle, NoStep> {
        let steps = text.lines().map(str::parse);
        steps.collect::<Result<_, _>>().map(Shuffle::new)
    }
}
