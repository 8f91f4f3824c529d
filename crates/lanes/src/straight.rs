//! A straight-line program over planes of memory: what one clock edge computes.
//!
//! Values are lane words of `W` 64-bit words. A *place* is a plane of a region;
//! plane `p` of a region is its words `p * W` to `p * W + W`, or from another multiple of `p` on
//! ([`NativeOptions::apart`](super::native::NativeOptions::apart)).
//!
//! | region | holds | access |
//! |---|---|---|
//! | [`STATE`] | registers | read and written in place: every leaf is read as it was before |
//! | [`NEXT`] | results | written |
//! | 2, 3, ... | inputs | read |

use std::collections::BTreeMap;

use crosswave_netlist::{Lut, MappedValue, table};

/// The region that is read and written in place.
pub const STATE: u8 = 0;

/// The region that is only written.
pub const NEXT: u8 = 1;

/// Place of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The region.
    pub region: u8,
    /// The plane.
    pub plane: u32,
}

/// A leaf that is put together from two places, as a link between groups that exchange bits
/// of their instances' numbers is: word by word `first & keep | second' & other`, where the
/// leaf's own place is the first, and `second'` is the second, rotated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeafJoin {
    /// The place of the second part.
    pub second: Location,
    /// By how many bits each of its words is rotated; `None` when none is.
    pub rotation: Option<Rotation>,
    /// The bits of the first part.
    pub keep: Location,
    /// The bits of the second part; `None` when they are all that are not of the first.
    pub other: Option<Location>,
}

/// Places of the numbers of bits by which words are rotated, one for each word. A processor that
/// cannot rotate shifts both ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rotation {
    /// Bits to the left.
    pub left: Location,
    /// 64 less these.
    pub right: Location,
}

/// A leaf that is a random word, drawn as [`random::word`](crosswave_base::random::word) does it: of the sum of
/// its stream's key and its group's counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draw {
    /// The place of the stream's key, word by word.
    pub keys: Location,
    /// The counters of the group's words.
    pub counters: Location,
    /// The factors.
    pub factors: [Location; 2],
    /// The place of the mask of the word.
    pub mask: Location,
}

/// Move of the words of a function's first input, instead of computing by a table. All ones are not
/// shifted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Motion {
    /// Each word is rotated to the left by so many bits, less than 64.
    Rotate(u8),
    /// Each word is shifted to the left by so many bits, 1 to 63.
    Left(u8),
    /// Each word is shifted to the right by so many bits, 1 to 63.
    Right(u8),
    /// Each word is rotated to the left by the number in the second input's word; for a processor that
    /// cannot rotate, the third input has 64 less these.
    RotateEach,
    /// Each word is shifted to the left by the number in the second input's word.
    LeftEach,
    /// Each word is shifted to the right by the number in the second input's word; by 64, it is 0.
    RightEach,
    /// Word `w` is what word `order[w]` was, for the words of a register; in registers of eight words,
    /// these change places in a circle.
    Words([u8; 8]),
    /// In registers of eight words, word `w` becomes the former word whose number is in word `w` of
    /// the second input.
    WordsEach,
}

/// A straight-line program. The places of the sinks are all different.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StraightLine {
    /// The place of each leaf; not in [`NEXT`].
    pub leaves: Vec<Location>,
    /// The leaves that are put together, by their numbers.
    pub joins: BTreeMap<u32, LeafJoin>,
    /// The leaves that are drawn, by their numbers; their own places mean nothing.
    pub draws: BTreeMap<u32, Draw>,
    /// The functions; each comes after those it reads.
    pub functions: Vec<Lut>,
    /// Those of them that move words instead, by their numbers.
    pub motions: BTreeMap<u32, Motion>,
    /// Values to write, and their places; in [`STATE`] and [`NEXT`] only.
    pub sinks: Vec<(MappedValue, Location)>,
    /// A value that has to be 0 in every lane: otherwise nothing is written.
    pub guard: Option<MappedValue>,
}

impl StraightLine {
    /// Lets nothing be written where a value is 1 in a lane in which the plane at a place is, too.
    pub fn hold(&mut self, value: MappedValue, place: Location) {
        self.leaves.push(place);
        let asked = MappedValue::Leaf(self.leaves.len() as u32 - 1);
        self.functions.push(Lut {
            table: table::A & table::B,
            inputs: [value, asked, MappedValue::Constant(false)],
        });
        self.guard = Some(MappedValue::Function(self.functions.len() as u32 - 1));
    }
}
