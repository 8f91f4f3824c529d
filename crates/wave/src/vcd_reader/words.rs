//! The words of a VCD file, with the lines on which they stand, and how the input ends.
//!
//! A program that is stopped leaves a file that ends anywhere: in the middle of a word, of a
//! command, or of a compressed block; a machine that is stopped leaves zeros behind it. All of
//! that is an end here, and [`Words`] tells which.

use std::io::{self, BufRead};

use super::VcdMistake;
use super::ahead::Ahead;

/// Bytes of a word at most: more than the widest vector has.
const WORD_BYTES_MAX: usize = 1 << 20;

/// The byte-order mark with which some editors begin a file.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The reason why a word or a command cannot be read.
#[derive(Debug)]
pub(super) enum ReadFailure {
    /// It is wrong.
    Mistake(VcdMistake),
    /// The input ends in the middle of it.
    End,
    /// Reading failed.
    Input(io::Error),
}

impl From<VcdMistake> for ReadFailure {
    fn from(mistake: VcdMistake) -> ReadFailure {
        ReadFailure::Mistake(mistake)
    }
}

/// An input as words, of which the last one is held.
pub(super) struct Words<R> {
    input: Ahead<R>,
    word: Vec<u8>,
    has_begun: bool,
    /// The line on which the input stands, from 1.
    input_line: u64,
    /// The line of the word that is held.
    word_line: u64,
    /// True when a line ended between the word that is held and the one before.
    follows_line_end: bool,
    /// True when the word that is held ends with the input, without white space after it.
    is_last: bool,
    /// True when the word that is held is only the beginning of a longer one.
    is_clipped: bool,
    is_cut: bool,
}

impl<R: BufRead> Words<R> {
    pub(super) fn new(input: R) -> Words<R> {
        Words {
            input: Ahead::new(input),
            word: Vec::new(),
            has_begun: false,
            input_line: 1,
            word_line: 1,
            follows_line_end: false,
            is_last: false,
            is_clipped: false,
            is_cut: false,
        }
    }

    /// The word that was read last.
    pub(super) fn word(&self) -> &[u8] {
        &self.word
    }

    /// The line of the word that was read last.
    pub(super) fn line(&self) -> u64 {
        self.word_line
    }

    /// True when a line ended between the last word and the one before.
    pub(super) fn follows_line_end(&self) -> bool {
        self.follows_line_end
    }

    /// True when the last word may go on where the input ends.
    pub(super) fn is_last(&self) -> bool {
        self.is_last
    }

    /// True when the input ended early: in a compressed block, or with zeros.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The input behind the last word, of which whole words may be taken; `lines` of them.
    pub(super) fn pass_over(
        &mut self,
        pass: impl FnOnce(&mut Ahead<R>) -> io::Result<u64>,
    ) -> Result<(), ReadFailure> {
        match pass(&mut self.input) {
            Ok(lines) => {
                self.input_line += lines;
                self.word_line = self.input_line;
                Ok(())
            }
            // The words that were read up to there stay, and the parser finds the end again.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(()),
            Err(error) => Err(failure(error)),
        }
    }

    /// True when the word that was read last is only the beginning of a longer one.
    pub(super) fn is_clipped(&self) -> bool {
        self.is_clipped
    }

    /// The rest of the line behind the last word, up to so many bytes. It is read again.
    pub(super) fn rest_of_line(&mut self, bytes_max: usize) -> Result<&[u8], ReadFailure> {
        self.input.line(bytes_max).map_err(failure)
    }

    /// Reads the first word of a command, of a long one the beginning; `false` when there is
    /// none. The first word of a file has no byte-order mark.
    pub(super) fn next(&mut self) -> Result<bool, ReadFailure> {
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        let is_there = self.read(true)?;
        if is_first && self.word.starts_with(BYTE_ORDER_MARK) {
            self.word.drain(..BYTE_ORDER_MARK.len());
            if self.word.is_empty() {
                return self.read(true);
            }
        }
        Ok(is_there)
    }

    /// Reads the next word of a command that has begun.
    pub(super) fn more(&mut self) -> Result<&[u8], ReadFailure> {
        match self.read(false)? {
            true => Ok(&self.word),
            false => Err(ReadFailure::End),
        }
    }

    /// Passes over everything up to `$end`.
    pub(super) fn pass_to_end(&mut self) -> Result<(), ReadFailure> {
        while self.read(true)? {
            if self.word == b"$end" {
                return Ok(());
            }
        }
        Err(ReadFailure::End)
    }

    /// Reads a word; of one that is too long only the beginning, where this is enough.
    fn read(&mut self, is_clipped: bool) -> Result<bool, ReadFailure> {
        self.word.clear();
        self.follows_line_end = false;
        self.is_last = false;
        self.is_clipped = false;
        if !self.pass_space()? {
            return Ok(false);
        }
        self.word_line = self.input_line;
        loop {
            let buffer = match self.input.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    self.is_cut = true;
                    return Err(ReadFailure::End);
                }
                Err(error) => return Err(failure(error)),
            };
            if buffer.is_empty() {
                self.is_last = true;
                return Ok(true);
            }
            let end = buffer.iter().position(u8::is_ascii_whitespace);
            let taken = end.unwrap_or(buffer.len());
            let room = WORD_BYTES_MAX - self.word.len();
            if taken > room && !is_clipped {
                return Err(too_long());
            }
            self.is_clipped |= taken > room;
            self.word.extend_from_slice(&buffer[..taken.min(room)]);
            self.input.consume(taken);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// Passes over white space; `false` when nothing else is left.
    fn pass_space(&mut self) -> Result<bool, ReadFailure> {
        loop {
            let buffer = match self.input.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    self.is_cut = true;
                    return Ok(false);
                }
                Err(error) => return Err(failure(error)),
            };
            if buffer.is_empty() {
                return Ok(false);
            }
            let start = buffer.iter().position(|byte| !byte.is_ascii_whitespace());
            let taken = start.unwrap_or(buffer.len());
            let lines = buffer[..taken]
                .iter()
                .filter(|&&byte| byte == b'\n')
                .count();
            let is_zero = start.is_some_and(|start| buffer[start] == 0);
            self.input_line += lines as u64;
            self.follows_line_end |= lines > 0;
            self.input.consume(taken);
            if is_zero {
                return self.pass_zeros();
            }
            if start.is_some() {
                return Ok(true);
            }
        }
    }

    /// Passes over zeros up to the end of the input.
    fn pass_zeros(&mut self) -> Result<bool, ReadFailure> {
        self.word_line = self.input_line;
        loop {
            let buffer = self.input.fill_buf().map_err(failure)?;
            if buffer.is_empty() {
                self.is_cut = true;
                return Ok(false);
            }
            if buffer.iter().any(|&byte| byte != 0) {
                let message = "found a zero byte, expected text".to_owned();
                return Err((message, "a value change dump (VCD) is text").into());
            }
            let zeros = buffer.len();
            self.input.consume(zeros);
        }
    }
}

/// The failure that a word is too long for its place.
pub(super) fn too_long() -> ReadFailure {
    let message = "a word is longer than any that may stand here".to_owned();
    ReadFailure::Mistake((message, ""))
}

/// Bad data is a mistake of the file, also where it cannot be unpacked.
fn failure(error: io::Error) -> ReadFailure {
    match error.kind() {
        io::ErrorKind::InvalidData => ReadFailure::Mistake((error.to_string(), "")),
        _ => ReadFailure::Input(error),
    }
}
