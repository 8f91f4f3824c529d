//! The portable interpreter: a program over frames of lane words.
//!
//! A lane word is an array of `W` 64-bit words, so `64 * W` instances. The
//! loops are plain; compiled for the vector units of the processor, as the gate engine
//! does, an operation is one load-load-operate-store of a register.

use super::program::{Code, Operation, Program, SLOTS_MAX};

/// Lanes: 64 instances per word, `W` words. Aligned to a cache line, since a
/// vector that straddles two costs twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Lanes<const W: usize>(pub [u64; W]);

/// The slots that a program works on. Its length makes every 16-bit slot
/// number valid without a check.
pub type Frame<const W: usize> = [Lanes<W>; SLOTS_MAX];

/// A frame of zeros.
pub fn frame<const W: usize>() -> Box<Frame<W>> {
    match vec![Lanes([0; W]); SLOTS_MAX].into_boxed_slice().try_into() {
        Ok(frame) => frame,
        Err(_) => unreachable!("the slice has the length of a frame"),
    }
}

#[inline(always)]
fn each<const W: usize>(
    frame: &mut Frame<W>,
    operations: &[Operation],
    compute: impl Fn(u64, u64, u64) -> u64,
) {
    for operation in operations {
        let Lanes(a) = frame[operation.a as usize];
        let Lanes(b) = frame[operation.b as usize];
        let Lanes(c) = frame[operation.c as usize];
        let mut result = [0; W];
        for (lane, word) in result.iter_mut().enumerate() {
            *word = compute(a[lane], b[lane], c[lane]);
        }
        frame[operation.result as usize] = Lanes(result);
    }
}

/// Evaluates all operations of a program.
#[inline(always)]
pub fn evaluate<const W: usize>(program: &Program, frame: &mut Frame<W>) {
    for run in &program.runs {
        let operations = &program.operations[run.operations.clone()];
        match run.code {
            Code::And => each(frame, operations, |a, b, _| a & b),
            Code::AndNot => each(frame, operations, |a, b, _| a & !b),
            Code::Nor => each(frame, operations, |a, b, _| !(a | b)),
            Code::Xor => each(frame, operations, |a, b, _| a ^ b),
            Code::Mux => each(frame, operations, |a, b, c| a ^ ((a ^ b) & c)),
            Code::And3 => each(frame, operations, |a, b, c| a & b & c),
            Code::AndAndNot => each(frame, operations, |a, b, c| a & b & !c),
            Code::AndNor => each(frame, operations, |a, b, c| a & !(b | c)),
            Code::Nor3 => each(frame, operations, |a, b, c| !(a | b | c)),
            Code::AndNand => each(frame, operations, |a, b, c| a & !(b & c)),
            Code::AndNandNot => each(frame, operations, |a, b, c| a & !(b & !c)),
            Code::AndOr => each(frame, operations, |a, b, c| a & (b | c)),
            Code::NorAnd => each(frame, operations, |a, b, c| !(a | (b & c))),
            Code::NorAndNot => each(frame, operations, |a, b, c| !(a | (b & !c))),
            Code::NotAndOr => each(frame, operations, |a, b, c| !a & (b | c)),
            Code::MuxNot => each(frame, operations, |a, b, c| a ^ (!(a ^ b) & c)),
        }
    }
}
