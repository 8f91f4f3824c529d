//! Evaluation of a plan's lane words: by the interpreter, or by native code.
//!
//! Both take the same memory: what has arrived (links and random bits), the
//! pins, the state, the array's own outputs, and where the new outputs go. The
//! state is updated in place.

use std::fmt;

use super::joined::Codes;
use super::native::{Isa, Native, NativeOptions};
use super::operations::SignedSlot;
use super::program::Program;
use super::straight::StraightLine;

/// Choice between the interpreter and native code.
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
        let runs =
            |isa: &Isa| Native::new(&StraightLine::default(), NativeOptions::new(*isa, 8)).is_ok();
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
pub struct PlaneLoad {
    /// Plane.
    pub plane: usize,
    /// Slot.
    pub slot: u32,
}

/// A value of the program and the plane that it goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlaneStore {
    /// Value.
    pub source: SignedSlot,
    /// Plane.
    pub plane: usize,
}

/// A program and its loads and stores.
#[derive(Debug, Clone)]
pub struct Interpreter {
    /// The program.
    pub program: Program,
    /// Pins that are read.
    pub pins: Vec<PlaneLoad>,
    /// State that is read.
    pub state: Vec<PlaneLoad>,
    /// Own outputs that are read.
    pub own: Vec<PlaneLoad>,
    /// State that is written.
    pub next_state: Vec<PlaneStore>,
    /// Outputs that are written.
    pub next_outputs: Vec<PlaneStore>,
}

/// Evaluator of a plan's lane words.
#[derive(Debug, Clone)]
pub enum Evaluator {
    /// The portable interpreter.
    Interpreter(Interpreter),
    /// Machine code; regions 2 and 3 are the own outputs and the pins, 4 the
    /// random bits, and then come those of the link ports ([`joined`](super::joined)).
    Native(Codes),
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

impl Interpreter {
    /// One clock edge, on a frame that has what arrives in its slots.
    #[inline(always)]
    pub fn run<const W: usize>(&self, arch: pulp::Arch, frame: &mut [u64], memory: Memory) {
        let stride = memory.stride;
        let (slots, _) = frame.as_chunks_mut::<W>();
        for (loads, words) in [
            (&self.pins, memory.pins),
            (&self.state, &*memory.state),
            (&self.own, memory.own),
        ] {
            for load in loads {
                let at = load.plane * stride;
                slots[load.slot as usize].copy_from_slice(&words[at..at + W]);
            }
        }
        self.program.operations.evaluate(arch, 0, frame, W);
        let (slots, _) = frame.as_chunks::<W>();
        for (stores, words) in [
            (&self.next_state, memory.state),
            (&self.next_outputs, memory.next),
        ] {
            for store in stores {
                let at = store.plane * stride;
                let mut value = slots[store.source.slot as usize];
                for word in &mut value {
                    *word ^= store.source.flip;
                }
                words[at..at + W].copy_from_slice(&value);
            }
        }
    }
}
