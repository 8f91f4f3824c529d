//! Machine code for x86-64: a straight-line program as vector instructions.
//!
//! | step | file | does |
//! |---|---|---|
//! | 1 | `lower` | functions that the instruction set has |
//! | 2 | `order`, `progress`, `pressure` | the order of functions and stores |
//! | 3 | `assign` | registers, spills, memory operands |
//! | 4 | `encode` | bytes |
//! | 5 | `code` | executable memory, and calling it |
//!
//! With AVX-512 a function of three inputs is one `vpternlogq`, on 32 registers;
//! with AVX2 it is two-input instructions on 16. Leaves that are put together from two places
//! take a rotation of words besides, and no memory in between. Functions may also rotate and shift
//! words, or let them change places, by numbers in the instruction. Leaves that are drawn take nine
//! instructions, and a guard ends the code before anything is written. A lane word of 8 words is one
//! register or two halves done one after the other; smaller ones take a part of a
//! register. Memory need not be aligned, but an operand that straddles two cache
//! lines costs twice.

mod assign;
mod code;
mod encode;
mod lower;
mod order;
mod pressure;
mod progress;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::straight::StraightLine;
use assign::{Op, Operand, SCRATCH, Target};
use code::NativeCode;

pub use code::borrowed::{BorrowedSlices, Others};
pub use code::calls::{Bound, Calls, SlicePlace};
pub use encode::REGIONS_MAX;

/// An instruction set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isa {
    /// AVX-512 F, VL and DQ.
    Avx512,
    /// AVX2.
    Avx2,
}

impl Isa {
    /// All of them, the best first.
    pub const ALL: [Isa; 2] = [Isa::Avx512, Isa::Avx2];

    /// True when code of this instruction set can have a guard. AVX2 takes a lane word of eight
    /// words in two halves, of which the first is written when the second comes to its guard.
    pub fn guards(self) -> bool {
        self == Isa::Avx512
    }

    /// True when code of this instruction set can draw: AVX2 does not multiply words.
    pub fn draws(self) -> bool {
        self == Isa::Avx512
    }

    /// True when this machine has the instruction set.
    pub fn is_available(self) -> bool {
        code::has(self)
    }
}

/// Options of compilation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NativeOptions {
    /// The instruction set.
    pub isa: Isa,
    /// Words of a lane word: 1, 2, 4 or 8.
    pub words: usize,
    /// Words from where a plane of a region begins to where the next one does, in programs' places.
    /// Where planes overlap, those that are written must not be read, nor overlap each other.
    pub apart: usize,
    /// True when results in [`NEXT`](super::straight::NEXT) go past the caches.
    pub streaming: bool,
    /// True when the code is made only to be counted. Then the machine need not have the
    /// instruction set, and [`Native::run`] panics.
    pub counted: bool,
}

impl NativeOptions {
    /// Options for an instruction set and a width, of code to be run; nothing is streamed.
    pub fn new(isa: Isa, words: usize) -> NativeOptions {
        NativeOptions {
            isa,
            words,
            apart: words,
            streaming: false,
            counted: false,
        }
    }
}

/// Reason for which there is no native code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unavailable {
    /// The processor does not have the instruction set.
    Instructions,
    /// The system gives no executable memory.
    Memory,
    /// The program has more regions or planes than addresses reach.
    Size,
}

/// Instructions by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Instructions that compute, constants among them.
    pub compute: usize,
    /// Those of them that have an operand in memory.
    pub folded: usize,
    /// Loads.
    pub loads: usize,
    /// Loads and memory operands that read spilled values.
    pub reloads: usize,
    /// Stores of sinks.
    pub stores: usize,
    /// Stores of spilled values.
    pub spills: usize,
    /// Copies of registers.
    pub copies: usize,
    /// Guards, of four instructions each.
    pub guards: usize,
}

impl Counts {
    /// All instructions.
    pub fn total(&self) -> usize {
        let guards = 4 * self.guards;
        self.compute + self.loads + self.stores + self.spills + self.copies + guards
    }

    /// Adds the instructions of another piece of code.
    pub fn add(&mut self, other: Counts) {
        self.compute += other.compute;
        self.folded += other.folded;
        self.loads += other.loads;
        self.reloads += other.reloads;
        self.stores += other.stores;
        self.spills += other.spills;
        self.copies += other.copies;
        self.guards += other.guards;
    }

    fn new(ops: &[Op]) -> Counts {
        let mut counts = Counts::default();
        for op in ops {
            match op {
                Op::Load(..) => counts.loads += 1,
                Op::Store(place, _) if place.region == SCRATCH => counts.spills += 1,
                Op::Store(..) => counts.stores += 1,
                Op::Copy(..) => counts.copies += 1,
                Op::Ternary(.., Operand::Memory(_))
                | Op::Pair(.., Operand::Memory(_))
                | Op::Wordwise(.., Operand::Memory(_)) => {
                    counts.compute += 1;
                    counts.folded += 1;
                }
                Op::Ternary(..)
                | Op::Pair(..)
                | Op::Wordwise(..)
                | Op::Motion(..)
                | Op::Constant(..) => {
                    counts.compute += 1;
                }
                Op::Guard(_) => counts.guards += 1,
            }
            if let Op::Load(_, place)
            | Op::Ternary(.., Operand::Memory(place))
            | Op::Pair(.., Operand::Memory(place))
            | Op::Wordwise(.., Operand::Memory(place)) = op
                && place.region == SCRATCH
            {
                counts.reloads += 1;
            }
        }
        counts
    }
}

/// Machine code of a straight-line program.
#[derive(Debug, Clone)]
pub struct Native {
    isa: Isa,
    code: Arc<NativeCode>,
    counts: Counts,
}

impl Native {
    /// Compiles a program.
    ///
    /// # Errors
    /// When this machine cannot run it.
    ///
    /// # Panics
    /// When the width is not 1, 2, 4 or 8, a sink is in a region that is read only, or there is a
    /// guard and no code [can end](Isa::guards) there, or leaves are drawn and none [draws](Isa::draws).
    pub fn new(straight: &StraightLine, options: NativeOptions) -> Result<Native, Unavailable> {
        assert!(matches!(options.words, 1 | 2 | 4 | 8), "no such width");
        if !options.counted && !options.isa.is_available() {
            return Err(Unavailable::Instructions);
        }
        assert!(
            straight.guard.is_none() || options.isa.guards(),
            "no guards"
        );
        assert!(straight.draws.is_empty() || options.isa.draws(), "no draws");
        let mut lowered = lower::lower(straight, options.isa);
        let steps = order::order(&mut lowered);
        let target = Target {
            isa: options.isa,
            folds: options.words > 1,
        };
        let ops = assign::assign(&lowered, &steps, target);
        Ok(Native {
            isa: options.isa,
            code: Arc::new(NativeCode::new(&ops, options)?),
            counts: Counts::new(&ops),
        })
    }

    /// The instruction set.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// The instructions of one pass; AVX2 makes two over 8 words.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Adds a call of this code, which may write slices of the calls: its state and its results.
    ///
    /// # Panics
    /// When what it touches of a region is not in the slice, it reads what it writes, or there are not as
    /// many places as for all calls or fewer than regions.
    pub fn add_to(&self, calls: &mut Calls, places: &[SlicePlace], written: Option<[u32; 2]>) {
        calls.add(&self.code, places, written);
    }

    /// Bytes of machine code.
    pub fn bytes(&self) -> usize {
        self.code.bytes()
    }

    /// Words of scratch memory that [`Native::run`] needs.
    pub fn scratch_words(&self) -> usize {
        self.code.scratch_words()
    }

    /// Words that it touches of each region.
    pub fn extents(&self) -> &[u32] {
        self.code.extents()
    }

    /// Evaluates the program once. `read` are the regions from 2 on, of which there may be more than
    /// the program has. Whether it came to the end: where the program's guard is not 0, nothing is
    /// written but the scratch memory.
    ///
    /// # Panics
    /// When a slice is shorter than its extent, there are too few regions or more than
    /// [`REGIONS_MAX`], streamed results do not begin on a cache line, or the code is only counted.
    #[inline(always)]
    pub fn run<'a>(
        &self,
        state: &mut [u64],
        next: &mut [u64],
        read: impl IntoIterator<Item = &'a [u64]>,
        scratch: &mut [u64],
    ) -> bool {
        self.code.run(state, next, read.into_iter(), scratch)
    }

    /// Orders streamed results before everything that this thread does next;
    /// to be called before other threads are told of them.
    #[inline]
    pub fn finish(&self) {
        self.code.finish();
    }
}
