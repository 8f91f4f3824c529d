//! How a plan evaluates a lane word: the interpreter, or native code.
//!
//! Both take the same memory: what has arrived (links and random bits), the
//! pins, the state, the array's own outputs, and where the new outputs go. The
//! state is updated in place.

use std::fmt;

use super::joined::Codes;
use super::kernel::{Frame, Lanes, evaluate};
use super::native::{Isa, Native, Options};
use super::planes::Planes;
use super::program::{Program, Source};
use super::straight::StraightLine;

/// How cycles are evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// The portable interpreter.
    Interpreter,
    /// Machine code.
    Native(Isa),
}

impl Backend {
    /// The fastest that this machine has: native code where the processor has
    /// the instructions and the system gives executable memory.
    pub fn best() -> Backend {
        let runs = |isa: &Isa| Native::new(&StraightLine::default(), Options::new(*isa, 8)).is_ok();
        let native = Isa::ALL.into_iter().find(runs);
        native.map_or(Backend::Interpreter, Backend::Native)
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Backend::Interpreter => "interpreter",
            Backend::Native(Isa::Avx512) => "native code, AVX-512",
            Backend::Native(Isa::Avx2) => "native code, AVX2",
        })
    }
}

/// A plane and the slot of the program that it goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Plane.
    pub plane: usize,
    /// Slot.
    pub slot: u16,
}

/// A value of the program and the plane that it goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Store {
    /// Value.
    pub source: Source,
    /// Plane.
    pub plane: usize,
}

/// A program and its loads and stores.
#[derive(Debug)]
pub struct Interpreter {
    /// The program.
    pub program: Program,
    /// Pins that are read.
    pub pins: Vec<Load>,
    /// State that is read.
    pub state: Vec<Load>,
    /// Own outputs that are read.
    pub own: Vec<Load>,
    /// State that is written.
    pub next_state: Vec<Store>,
    /// Outputs that are written.
    pub next_outputs: Vec<Store>,
}

/// How a plan evaluates a lane word.
#[derive(Debug)]
pub enum Evaluator {
    /// The portable interpreter.
    Interpreter(Interpreter),
    /// Machine code; regions 2 and 3 are the own outputs and the pins, 4 the
    /// random bits, and then come those of the link ports ([`joined`](super::joined)).
    Native(Codes),
}

/// What a thread works on: what arrives, and the values of the program.
pub enum Arrivals<const W: usize> {
    /// The interpreter's frame; what arrives is put into slots.
    Frame(Box<Frame<W>>),
    /// Planes of `W` words, and the scratch memory of native code.
    Planes(Planes, Planes),
}

/// The planes of a lane word, from its first word on.
pub struct Memory<'a> {
    /// State.
    pub state: &'a mut [u64],
    /// Outputs after the edge.
    pub next: &'a mut [u64],
    /// Own outputs before the edge.
    pub own: &'a [u64],
    /// Pins.
    pub pins: &'a [u64],
    /// Words from one plane to the next in all of these.
    pub stride: usize,
}

#[inline(always)]
fn window<const W: usize>(words: &[u64], at: usize) -> Lanes<W> {
    let words = &words[at..at + W];
    Lanes(words.try_into().expect("the slice has this length"))
}

impl Interpreter {
    /// One clock edge.
    #[inline(always)]
    pub fn run<const W: usize>(&self, frame: &mut Frame<W>, memory: Memory) {
        let stride = memory.stride;
        for (loads, words) in [
            (&self.pins, memory.pins),
            (&self.state, &*memory.state),
            (&self.own, memory.own),
        ] {
            for load in loads {
                frame[load.slot as usize] = window(words, load.plane * stride);
            }
        }
        evaluate(&self.program, frame);
        for (stores, words) in [
            (&self.next_state, memory.state),
            (&self.next_outputs, memory.next),
        ] {
            for store in stores {
                let Lanes(mut value) = frame[store.source.slot as usize];
                for word in &mut value {
                    *word ^= store.source.flip;
                }
                let at = store.plane * stride;
                words[at..at + W].copy_from_slice(&value);
            }
        }
    }
}
