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
//! A *value* is a vector of as many words as the group has, for each bit of the links' words.
//! Value 0 is all zeros; the next ones are loaded, and the others joined, in order. What a program
//! reads are *regions*: the outputs of groups that drive the links. Text, a line a move:
//! ```text
//! 8 words
//! v1 = region 0 at 72 step 8 >> 2                 Load: a port's planes, their bytes turned 2 steps
//! v2 = region 0 at 144 step 8 >> 2
//! v3 = v1 & 00000000ffffffff,... | v2 1,... <<< 32,...   Join: v1 in these lanes, v2 moved in the others
//! link 7 = v3                                     Store: what arrives at a port
//! ```
//! Of a vector that is moved each word takes a word, here word 0 takes word 1, and rotates it.
//!
//! # Cost
//! `compile` makes machine code of a program, in which a join is a rotation and a selection for each
//! bit, and values stay in registers. [`Shuffle::run`] evaluates it plainly: it serves the
//! interpreter, programs for which there is no code, and as the judge of the code. A shuffle of `k`
//! bits takes `k` joins for each port, and one more where words change places.

mod compile;
mod search;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

pub use compile::{REGIONS_MAX, ShuffleCode};
pub use search::{FoundShuffle, Lane, LaneOrigins, MOVES_MAX, PortRequest, search};

use super::windows::bit_before;

/// The most values of a program, zeros among them.
pub const VALUES_MAX: usize = 2048;

/// The most words of a vector.
pub const WORDS_MAX: usize = 8;

/// Lanes of a word.
pub const LANES: usize = 64;

/// Lanes of a vector, a bit each; words that it does not have are 0.
pub type Mask = [u64; WORDS_MAX];

/// Loads the planes of a port: bit `b` of its words lies in the region from word
/// `base + b * stride` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PortLoad {
    /// The region.
    pub region: u8,
    /// Position of bit 0 in the region, in words.
    pub base: u32,
    /// Words from one plane to the next.
    pub stride: u16,
    /// Steps by which wiring rotates the byte.
    pub turned: u8,
}

impl PortLoad {
    /// The word at which what arrives as a bit begins.
    pub fn at(&self, bit: usize) -> usize {
        self.base as usize + bit_before(bit, self.turned) * usize::from(self.stride)
    }
}

/// Move of a vector: word `w` becomes the former word `from[w]`, rotated to the left by `lanes[w]`.
/// Words that vectors do not have stay where they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct VectorMove {
    /// The index of the word that each word comes from.
    pub from: [u8; WORDS_MAX],
    /// By how many lanes each is rotated.
    pub lanes: [u8; WORDS_MAX],
}

impl VectorMove {
    /// Nowhere.
    pub const NONE: VectorMove = VectorMove {
        from: [0, 1, 2, 3, 4, 5, 6, 7],
        lanes: [0; WORDS_MAX],
    };

    fn apply<const W: usize>(self, value: &[u64; W]) -> [u64; W] {
        let moved = |word: usize| {
            let from = value[usize::from(self.from[word])];
            from.rotate_left(u32::from(self.lanes[word]))
        };
        std::array::from_fn(moved)
    }
}

/// Puts lanes of two values together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LaneJoin {
    /// The value whose lanes are taken as they are.
    pub kept: u16,
    /// The value whose lanes are taken elsewhere.
    pub other: u16,
    /// The move of the other value.
    pub by: VectorMove,
    /// The lanes that are taken as they are.
    pub mask: Mask,
}

/// Lets a value arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PortStore {
    /// Link port.
    pub link: u8,
    /// The value.
    pub value: u16,
}

/// A program for some link ports of a group.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Shuffle {
    /// Words of a vector: 1, 2, 4 or 8.
    pub words: usize,
    /// The ports, a bit each.
    pub links: u32,
    /// The neighbours' ports that are loaded.
    pub loads: Vec<PortLoad>,
    /// The joins that put lanes of values together.
    pub joins: Vec<LaneJoin>,
    /// The values that arrive.
    pub stores: Vec<PortStore>,
}

impl Shuffle {
    /// Numbers of vectors that are loaded, joined and stored for each bit.
    pub fn counts(&self) -> [usize; 3] {
        [self.loads.len(), self.joins.len(), self.stores.len()]
    }

    /// Number of moves.
    pub fn moves(&self) -> usize {
        self.counts().iter().sum()
    }

    /// Values, zeros among them.
    pub fn values(&self) -> usize {
        1 + self.loads.len() + self.joins.len()
    }

    /// Evaluates the program for one bit of the links' words: `region` are the words of a region,
    /// `store` takes what arrives at a link, and `values` has room for all values.
    ///
    /// # Panics
    /// When vectors have other than `W` words, or there is no room.
    pub fn run<'r, const W: usize>(
        &self,
        bit: usize,
        values: &mut [[u64; W]],
        region: impl Fn(u8) -> &'r [u64],
        mut store: impl FnMut(u8, [u64; W]),
    ) {
        assert_eq!(self.words, W, "vectors of a group");
        values[0] = [0; W];
        let (loaded, joined) = values[1..].split_at_mut(self.loads.len());
        for (value, load) in loaded.iter_mut().zip(&self.loads) {
            value.copy_from_slice(&region(load.region)[load.at(bit)..][..W]);
        }
        let first_joined = 1 + loaded.len();
        assert!(joined.len() >= self.joins.len(), "room for all values");
        for (number, join) in (first_joined..).zip(&self.joins) {
            let kept = values[usize::from(join.kept)];
            let other = join.by.apply(&values[usize::from(join.other)]);
            values[number] = std::array::from_fn(|word| {
                kept[word] & join.mask[word] | other[word] & !join.mask[word]
            });
        }
        for &PortStore { link, value } in &self.stores {
            store(link, values[usize::from(value)]);
        }
    }
}

impl fmt::Display for Shuffle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} words", self.words)?;
        for (number, load) in (1..).zip(&self.loads) {
            let PortLoad {
                region,
                base,
                stride,
                turned,
            } = load;
            writeln!(
                f,
                "v{number} = region {region} at {base} step {stride} >> {turned}"
            )?;
        }
        for (number, join) in (1 + self.loads.len()..).zip(&self.joins) {
            let LaneJoin {
                kept,
                other,
                by,
                mask,
            } = join;
            write!(f, "v{number} = v{kept} & ")?;
            for (at, word) in mask[..self.words].iter().enumerate() {
                write!(f, "{}{word:016x}", if at > 0 { "," } else { "" })?;
            }
            let list = |of: &[u8; WORDS_MAX]| {
                let numbers: Vec<String> = of[..self.words].iter().map(u8::to_string).collect();
                numbers.join(",")
            };
            writeln!(f, " | v{other} {} <<< {}", list(&by.from), list(&by.lanes))?;
        }
        let mut stores = self.stores.iter();
        stores.try_for_each(|PortStore { link, value }| writeln!(f, "link {link} = v{value}"))
    }
}

/// Error for a line that is no move, with its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoMove(pub String);

impl FromStr for Shuffle {
    type Err = NoMove;

    fn from_str(text: &str) -> Result<Shuffle, NoMove> {
        let mut program = Shuffle::default();
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let read = program.read(&words);
            read.ok_or_else(|| NoMove(line.to_owned()))?;
        }
        Ok(program)
    }
}

impl Shuffle {
    /// Adds a line; `None` where it is no move, or none that can stand here.
    fn read(&mut self, line: &[&str]) -> Option<()> {
        match *line {
            [words, "words"] if *self == Shuffle::default() => {
                self.words = words.parse().ok()?;
                [1, 2, 4, WORDS_MAX].contains(&self.words).then_some(())
            }
            _ if self.words == 0 => None,
            [
                to,
                "=",
                "region",
                region,
                "at",
                base,
                "step",
                stride,
                ">>",
                turned,
            ] if self.joins.is_empty() && self.stores.is_empty() => {
                self.is_next(to).then_some(())?;
                self.loads.push(PortLoad {
                    region: region.parse().ok()?,
                    base: base.parse().ok()?,
                    stride: stride.parse().ok()?,
                    turned: turned.parse().ok().filter(|&turned| turned < 4)?,
                });
                Some(())
            }
            [to, "=", kept, "&", mask, "|", other, from, "<<<", lanes]
                if self.stores.is_empty() =>
            {
                self.is_next(to).then_some(())?;
                let lane_mask = |text: &str| u64::from_str_radix(text, 16).ok();
                let join = LaneJoin {
                    kept: self.value(kept)?,
                    other: self.value(other)?,
                    by: VectorMove {
                        from: self
                            .list(from, VectorMove::NONE.from, |text| below(text, self.words))?,
                        lanes: self
                            .list(lanes, VectorMove::NONE.lanes, |text| below(text, LANES))?,
                    },
                    mask: self.list(mask, [0; WORDS_MAX], lane_mask)?,
                };
                self.joins.push(join);
                Some(())
            }
            ["link", link, "=", value] => {
                let store = PortStore {
                    link: below(link, 32)?,
                    value: self.value(value)?,
                };
                self.links |= 1 << store.link;
                self.stores.push(store);
                Some(())
            }
            _ => None,
        }
    }

    /// A number for each word of a vector, between commas; words that vectors do not have are left as they are.
    fn list<T>(
        &self,
        text: &str,
        mut list: [T; WORDS_MAX],
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<[T; WORDS_MAX]> {
        let texts = text.split(',');
        (texts.clone().count() == self.words).then_some(())?;
        for (place, text) in list.iter_mut().zip(texts) {
            *place = read(text)?;
        }
        Some(list)
    }

    /// True when a word names the value that comes next.
    fn is_next(&self, word: &str) -> bool {
        let next = self.values();
        next < VALUES_MAX && number(word).is_some_and(|value| usize::from(value) == next)
    }

    /// A value that has been made.
    fn value(&self, word: &str) -> Option<u16> {
        number(word).filter(|&value| usize::from(value) < self.values())
    }
}

/// The number of a value.
fn number(word: &str) -> Option<u16> {
    word.strip_prefix('v')?.parse().ok()
}

/// A number below a limit.
fn below(word: &str, limit: usize) -> Option<u8> {
    let number = word.parse().ok();
    number.filter(|&number: &u8| usize::from(number) < limit)
}
