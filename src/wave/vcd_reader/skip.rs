//! Passes over the changes of signals that nobody asked for.
//!
//! A change is a word, or two, with the identifier code at the end. As long as whole
//! changes of known and unwanted codes lie in the buffer of the input they are passed
//! over there; the parser gets everything else, also what is not understood.

use std::io::{self, BufRead};

/// Identifier codes of larger numbers are left to the parser: 94 + 94^2 + 94^3 codes
/// have up to three characters.
const CODES_MAX: usize = 94 + 94 * 94 + 94 * 94 * 94;

/// What is done with the changes of an identifier code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// They are the parser's: they are kept, or nobody has declared the code.
    Parse,
    /// They are passed over.
    Skip,
}

/// Which identifier codes are passed over, by their number.
pub(super) struct Codes(Vec<Use>);

/// What was passed over.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Skipped {
    /// Line ends.
    pub lines: u64,
    /// Whether there were changes.
    pub changes: bool,
}

impl Codes {
    /// Passes over these codes.
    pub(super) fn new(unwanted: impl Iterator<Item = vcd::IdCode>) -> Codes {
        let mut uses = Vec::new();
        for code in unwanted {
            if let Some(number) = number(code.to_string().as_bytes()) {
                uses.resize(uses.len().max(number + 1), Use::Parse);
                uses[number] = Use::Skip;
            }
        }
        Codes(uses)
    }

    /// Passes over unwanted changes at the start of the input, up to the first command
    /// that is another, or does not end in the buffer.
    pub(super) fn skip(&self, input: &mut impl BufRead) -> io::Result<Skipped> {
        let mut all = Skipped::default();
        loop {
            let buffer = input.fill_buf()?;
            let used = self.skip_in(buffer);
            if used == 0 {
                return Ok(all);
            }
            let line_ends = buffer[..used].iter().filter(|&&byte| byte == b'\n');
            all.lines += line_ends.count() as u64;
            all.changes = true;
            input.consume(used);
        }
    }

    /// The number of bytes that [`Codes::skip`] passes over in a buffer.
    fn skip_in(&self, buffer: &[u8]) -> usize {
        let mut words = Words { buffer, at: 0 };
        loop {
            let before = words.at;
            let code = match words.next() {
                Some([b'0' | b'1' | b'x' | b'X' | b'z' | b'Z', code @ ..]) => Some(code),
                Some([b'b' | b'B' | b'r' | b'R' | b's' | b'S', _, ..]) => words.next(),
                _ => None,
            };
            let number = code.and_then(number);
            if number.and_then(|number| self.0.get(number)) != Some(&Use::Skip) {
                return before;
            }
        }
    }
}

/// The words of a buffer that end in it.
struct Words<'a> {
    buffer: &'a [u8],
    at: usize,
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    /// The next word; the byte behind it is passed over as well.
    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = &self.buffer[self.at..];
        let start = rest.iter().position(|byte| !is_space(*byte))?;
        let length = rest[start..].iter().position(|byte| is_space(*byte))?;
        self.at += start + length + 1;
        Some(&rest[start..start + length])
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// The number of an identifier code, as [`vcd::IdCode`] counts them; `None` when it is
/// no code or a large one.
fn number(code: &[u8]) -> Option<usize> {
    let mut number = 0;
    for &byte in code.iter().rev() {
        if !(b'!'..=b'~').contains(&byte) || number >= CODES_MAX {
            return None;
        }
        number = 94 * number + usize::from(byte - b'!') + 1;
    }
    (1..=CODES_MAX).contains(&number).then(|| number - 1)
}
