//! The kernel of the portable interpreter: operations on a frame.
//!
//! A *frame* is a list of slots, each a lane word of `W` 64-bit words, so `64 * W` instances.
//! Operations of one code stand together in *runs*, so that what to do is decided once a run. Their
//! operands are slot numbers in a stream of their own: as many as the code has operands, and then the
//! slot of the result.
//!
//! The loops are plain. They are compiled here, once for each width and each level of vector
//! instructions, and chosen at run time ([`pulp::Arch`]); an operation is then loads, one or two
//! instructions and a store of a register. A slot is checked as every index is: that costs less than
//! the loads it stands before.

use super::code::{Code, codes};

/// Consecutive operations of one code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpRange {
    /// The function that they compute.
    pub code: Code,
    /// Their operands, as a range of the stream.
    pub operands: std::ops::Range<usize>,
}

/// Runs of operations, and the frame they work on.
struct CarryOut<'a> {
    runs: &'a [OpRange],
    stream: &'a [u32],
    frame: &'a mut [u64],
    width: usize,
}

impl pulp::NullaryFnOnce for CarryOut<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let CarryOut {
            runs,
            stream,
            frame,
            width,
        } = self;
        match width {
            1 => carry_out::<1>(runs, stream, frame),
            2 => carry_out::<2>(runs, stream, frame),
            4 => carry_out::<4>(runs, stream, frame),
            8 => carry_out::<8>(runs, stream, frame),
            _ => unreachable!("slots have 1, 2, 4 or 8 words"),
        }
    }
}

/// Evaluates runs of operations on a frame whose slots have `width` words: 1, 2, 4 or 8.
///
/// # Panics
/// When an operation names a slot that the frame does not have, or at another width.
pub fn evaluate(
    arch: pulp::Arch,
    runs: &[OpRange],
    stream: &[u32],
    frame: &mut [u64],
    width: usize,
) {
    arch.dispatch(CarryOut {
        runs,
        stream,
        frame,
        width,
    });
}

macro_rules! define {
    ($($name:ident($($operand:ident),+) = $formula:expr;)*) => {
        #[inline(always)]
        fn carry_out<const W: usize>(runs: &[OpRange], stream: &[u32], frame: &mut [u64]) {
            let (frame, _) = frame.as_chunks_mut::<W>();
            for run in runs {
                let operands = &stream[run.operands.clone()];
                match run.code {
                    $(Code::$name => {
                        const SLOTS: usize = Code::$name.operands() + 1;
                        for &[$($operand,)+ result] in operands.as_chunks::<SLOTS>().0 {
                            let mut value = [0; W];
                            // Not copies: the compiler puts these together from pieces.
                            $(let $operand = &frame[$operand as usize];)+
                            for (lane, word) in value.iter_mut().enumerate() {
                                $(let $operand = $operand[lane];)+
                                *word = $formula;
                            }
                            frame[result as usize] = value;
                        }
                    })*
                }
            }
        }
    };
}
codes!(define);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::OPERANDS_MAX;

    #[test]
    fn every_code_is_carried_out_in_every_lane() {
        for width in [1, 2, 4, 8] {
            for &code in Code::ALL {
                // Slots hold words without order; the result goes to slot 1, which is read first.
                let mut frame: Vec<u64> = (0..6 * width as u64)
                    .map(|at| {
                        (at + 1)
                            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                            .rotate_left(at as u32)
                    })
                    .collect();
                let before = frame.clone();
                let slots = [1, 5, 2, 3];
                let mut stream = slots[..code.operands()].to_vec();
                stream.push(1);
                let run = OpRange {
                    code,
                    operands: 0..stream.len(),
                };
                evaluate(pulp::Arch::new(), &[run], &stream, &mut frame, width);
                for (at, &word) in frame.iter().enumerate() {
                    let lane = at % width;
                    let operands: [u64; OPERANDS_MAX] =
                        slots.map(|slot| before[slot as usize * width + lane]);
                    let expected = match at / width {
                        1 => code.compute(operands),
                        _ => before[at],
                    };
                    assert_eq!(word, expected, "{code:?}, width {width}, word {at}");
                }
            }
        }
    }
}
