//! Passes over the changes of signals that nobody asked for.
//!
//! A change is a word, or two, with the identifier code at the end. As long as whole
//! changes of known and unwanted codes lie in the buffer of the input they are passed
//! over there; the parser gets everything else, also what is not understood, and texts with
//! blanks.

use std::io::{self, BufRead};

use super::codes::number;

/// The identifier codes that are skipped, by their number.
#[derive(Debug, Default)]
pub(super) struct Unwanted(Vec<bool>);

/// A summary of the text that was skipped.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Skipped {
    /// Line ends.
    pub lines: u64,
    /// True when there were changes.
    pub changes: bool,
}

impl Unwanted {
    /// Passes over these codes.
    pub(super) fn new<'a>(unwanted: impl Iterator<Item = &'a [u8]>) -> Unwanted {
        let mut skipped = Vec::new();
        for number in unwanted.filter_map(number) {
            skipped.resize(skipped.len().max(number + 1), false);
            skipped[number] = true;
        }
        Unwanted(skipped)
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

    /// The number of bytes that [`Unwanted::skip`] passes over in a buffer.
    fn skip_in(&self, buffer: &[u8]) -> usize {
        let mut words = BufferWords { buffer, at: 0 };
        loop {
            let before = words.at;
            let code = match words.next() {
                Some([b'0' | b'1' | b'x' | b'X' | b'z' | b'Z', code @ ..]) => Some(code),
                Some([b'b' | b'B' | b'r' | b'R', _, ..]) => words.next(),
                Some([b's' | b'S', _, ..]) => words.next().filter(|_| words.is_at_line_end()),
                _ => None,
            };
            let number = code.and_then(number);
            if number.and_then(|number| self.0.get(number)) != Some(&true) {
                return before;
            }
        }
    }
}

/// The words of a buffer that end in it.
struct BufferWords<'a> {
    buffer: &'a [u8],
    at: usize,
}

impl BufferWords<'_> {
    /// True when nothing else stands on the line, as far as the buffer tells.
    fn is_at_line_end(&self) -> bool {
        let mut rest = self.buffer[self.at..].iter();
        let next = rest.find(|&&byte| byte == b'\n' || !byte.is_ascii_whitespace());
        next == Some(&b'\n')
    }
}

impl<'a> Iterator for BufferWords<'a> {
    type Item = &'a [u8];

    /// The next word. What ends it is left, so that a line's end is seen by who reads on.
    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = &self.buffer[self.at..];
        let start = rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let length = rest[start..].iter().position(u8::is_ascii_whitespace)?;
        self.at += start + length;
        Some(&rest[start..start + length])
    }
}
