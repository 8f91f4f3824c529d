//! The portable interpreter: a program over frames of lane words.
//!
//! A lane word is an array of `W` 64-bit words, so `64 * W` instances. The
//! loops are plain; compiled for the vector units of the processor (see
//! [`super::engine`]) an operation is one load-load-operate-store of a register.

use super::program::{Code, Operation, Program, SLOTS_MAX};

/// Lanes: 64 instances per word, `W` words.
pub type Lanes<const W: usize> = [u64; W];

/// The slots that a program works on. Its length makes every 16-bit slot
/// number valid without a check.
pub type Frame<const W: usize> = [Lanes<W>; SLOTS_MAX];

/// A frame of zeros.
pub fn frame<const W: usize>() -> Box<Frame<W>> {
    match vec![[0; W]; SLOTS_MAX].into_boxed_slice().try_into() {
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
        let a = frame[operation.a as usize];
        let b = frame[operation.b as usize];
        let c = frame[operation.c as usize];
        let result = &mut frame[operation.result as usize];
        for lane in 0..W {
            result[lane] = compute(a[lane], b[lane], c[lane]);
        }
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
            Code::MuxNot => each(frame, operations, |a, b, c| a ^ (!(a ^ b) & c)),
        }
    }
}
