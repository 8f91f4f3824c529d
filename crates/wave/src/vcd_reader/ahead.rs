//! An input of which a line can be seen before it is read.

use std::io::{self, BufRead, Read};

/// An input, and what was taken of it in advance.
pub(super) struct Ahead<R> {
    input: R,
    ahead: Vec<u8>,
    /// Bytes of `ahead` that have been read.
    used: usize,
}

impl<R: BufRead> Ahead<R> {
    pub(super) fn new(input: R) -> Ahead<R> {
        Ahead {
            input,
            ahead: Vec::new(),
            used: 0,
        }
    }

    /// The rest of the line, without its end: up to `bytes_max` bytes of it, and no more than there
    /// is where the input is cut. All of it is read again.
    pub(super) fn line(&mut self, bytes_max: usize) -> io::Result<&[u8]> {
        self.ahead.drain(..self.used);
        self.used = 0;
        let mut seen = 0;
        loop {
            let found = self.ahead[seen..].iter().position(|&byte| byte == b'\n');
            if let Some(length) = found {
                return Ok(&self.ahead[..seen + length]);
            }
            seen = self.ahead.len();
            if seen >= bytes_max {
                return Ok(&self.ahead);
            }
            let buffer = match self.input.fill_buf() {
                Ok([]) => return Ok(&self.ahead),
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    return Ok(&self.ahead);
                }
                Err(error) => return Err(error),
            };
            let end = buffer.iter().position(|&byte| byte == b'\n');
            let taken = end.map_or(buffer.len(), |end| end + 1);
            self.ahead.extend_from_slice(&buffer[..taken]);
            self.input.consume(taken);
        }
    }
}

impl<R: BufRead> Read for Ahead<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(bytes)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: BufRead> BufRead for Ahead<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self.used < self.ahead.len() {
            true => Ok(&self.ahead[self.used..]),
            false => self.input.fill_buf(),
        }
    }

    fn consume(&mut self, count: usize) {
        match self.used < self.ahead.len() {
            true => self.used += count,
            false => self.input.consume(count),
        }
    }
}
