//! Carrying out operations where there is no machine code.
//!
//! A frame is a list of slots, each of `W` words of 64 lanes. Operations of one code
//! stand together in runs; their operands are slot numbers in a stream of their own,
//! as many as the code has inputs, and then the slot of the result.

/// What an operation computes. Which operands are complemented is part of the code;
/// the first letters of `Ao` codes are the two factors of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Code {
    /// `a & b`
    And,
    /// `a & !b`
    AndNot,
    /// `!a & !b`
    Nor,
    /// `a ^ b`
    Xor,
    /// `c ? b : a`
    Mux,
    /// `c ? !b : a`
    MuxNot,
    /// `a & b & c`
    And3,
    /// `a & b & !c`
    And2Not,
    /// `a & !b & !c`
    AndNor,
    /// `!a & !b & !c`
    Nor3,
    /// `(a & b) | c`
    AndOr,
    /// `(a & b) | !c`
    AndOrNot,
    /// `(a & !b) | c`
    AndNotOr,
    /// `(a & !b) | !c`
    AndNotOrNot,
    /// `(!a & !b) | c`
    NorOr,
    /// `(!a & !b) | !c`
    NorOrNot,
    /// `(a & b) | (c & d)`
    AndAnd,
    /// `(a & b) | (c & !d)`
    AndAndNot,
    /// `(a & b) | (!c & !d)`
    AndAndNor,
    /// `(a & !b) | (c & !d)`
    AndNotAndNot,
    /// `(a & !b) | (!c & !d)`
    AndNotNor,
    /// `(!a & !b) | (!c & !d)`
    NorNor,
}

impl Code {
    /// How many operands it has.
    pub fn operands(self) -> usize {
        match self {
            Code::And | Code::AndNot | Code::Nor | Code::Xor => 2,
            _ if self.split().is_some() => 4,
            _ => 3,
        }
    }

    /// A code of four operands as one of the first two, and one of the others and its result.
    pub fn split(self) -> Option<(Code, Code)> {
        Some(match self {
            Code::AndAnd => (Code::And, Code::AndOr),
            Code::AndAndNot => (Code::And, Code::AndNotOr),
            Code::AndAndNor => (Code::And, Code::NorOr),
            Code::AndNotAndNot => (Code::AndNot, Code::AndNotOr),
            Code::AndNotNor => (Code::AndNot, Code::NorOr),
            Code::NorNor => (Code::Nor, Code::NorOr),
            _ => return None,
        })
    }
}

/// Consecutive operations of one code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OpRange {
    /// What they compute.
    pub code: Code,
    /// Where their operands lie in the stream.
    pub operands: std::ops::Range<usize>,
}

#[inline(always)]
fn each<const W: usize, const N: usize>(
    frame: &mut [[u64; W]],
    operands: &[u32],
    compute: impl Fn([u64; N]) -> u64,
) {
    for operation in operands.chunks_exact(N + 1) {
        let mut inputs = [[0; W]; N];
        for (input, &slot) in inputs.iter_mut().zip(operation) {
            *input = frame[slot as usize];
        }
        let mut result = [0; W];
        for (lane, word) in result.iter_mut().enumerate() {
            *word = compute(inputs.map(|input| input[lane]));
        }
        frame[operation[N] as usize] = result;
    }
}

/// Evaluates runs of operations on a frame.
#[inline(always)]
pub(super) fn evaluate<const W: usize>(runs: &[OpRange], stream: &[u32], frame: &mut [[u64; W]]) {
    for run in runs {
        let s = &stream[run.operands.clone()];
        match run.code {
            Code::And => each(frame, s, |[a, b]| a & b),
            Code::AndNot => each(frame, s, |[a, b]| a & !b),
            Code::Nor => each(frame, s, |[a, b]| !(a | b)),
            Code::Xor => each(frame, s, |[a, b]| a ^ b),
            Code::Mux => each(frame, s, |[a, b, c]| a ^ ((a ^ b) & c)),
            Code::MuxNot => each(frame, s, |[a, b, c]| a ^ (!(a ^ b) & c)),
            Code::And3 => each(frame, s, |[a, b, c]| a & b & c),
            Code::And2Not => each(frame, s, |[a, b, c]| a & b & !c),
            Code::AndNor => each(frame, s, |[a, b, c]| a & !(b | c)),
            Code::Nor3 => each(frame, s, |[a, b, c]| !(a | b | c)),
            Code::AndOr => each(frame, s, |[a, b, c]| a & b | c),
            Code::AndOrNot => each(frame, s, |[a, b, c]| a & b | !c),
            Code::AndNotOr => each(frame, s, |[a, b, c]| a & !b | c),
            Code::AndNotOrNot => each(frame, s, |[a, b, c]| a & !b | !c),
            Code::NorOr => each(frame, s, |[a, b, c]| !(a | b) | c),
            Code::NorOrNot => each(frame, s, |[a, b, c]| !((a | b) & c)),
            Code::AndAnd => each(frame, s, |[a, b, c, d]| a & b | c & d),
            Code::AndAndNot => each(frame, s, |[a, b, c, d]| a & b | c & !d),
            Code::AndAndNor => each(frame, s, |[a, b, c, d]| a & b | !(c | d)),
            Code::AndNotAndNot => each(frame, s, |[a, b, c, d]| a & !b | c & !d),
            Code::AndNotNor => each(frame, s, |[a, b, c, d]| a & !b | !(c | d)),
            Code::NorNor => each(frame, s, |[a, b, c, d]| !((a | b) & (c | d))),
        }
    }
}
