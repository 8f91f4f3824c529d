//! Lines of foreign text, and mistakes in them.
//!
//! A line has at most [`LINE_MAX`] bytes, so that none is read until memory ends. What is no UTF-8 is
//! shown with replacement characters: names that people gave their machines may have any bytes.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use crate::diagnostic::{Class, Diagnostic, Error};

/// The most bytes of a line.
pub const LINE_MAX: usize = 1 << 16;

/// The most mistakes that are shown of one text.
pub const MISTAKES_MAX: usize = 20;

/// The lines of a text.
pub struct Lines<'a, R> {
    input: BufReader<R>,
    /// The name of the text in messages.
    origin: &'a str,
    bytes: Vec<u8>,
    text: String,
    number: u64,
}

impl<'a, R: Read> Lines<'a, R> {
    /// Those of an input.
    pub fn new(input: R, origin: &'a str) -> Self {
        Lines {
            input: BufReader::new(input),
            origin,
            bytes: Vec::new(),
            text: String::new(),
            number: 0,
        }
    }

    /// The next line, without what ends it, and its number, from 1.
    ///
    /// # Errors
    /// When reading fails, and for a line that is too long.
    pub fn next_line(&mut self) -> Result<Option<(u64, &str)>, Error> {
        self.bytes.clear();
        self.number += 1;
        let most = LINE_MAX as u64 + 1;
        let read = self
            .input
            .by_ref()
            .take(most)
            .read_until(b'\n', &mut self.bytes);
        match read {
            Err(error) => Err(Error::io(Path::new(self.origin), "reading", &error)),
            Ok(0) => Ok(None),
            Ok(count) if count > LINE_MAX && self.bytes.last() != Some(&b'\n') => {
                let diagnostic = Diagnostic::new(
                    format!("line {}", self.number),
                    format!("the line is longer than {LINE_MAX} bytes"),
                    "such a file is text with short lines",
                );
                Err(Error::one(Class::Input, self.origin, diagnostic))
            }
            Ok(_) => {
                self.text.clear();
                self.text.push_str(&String::from_utf8_lossy(&self.bytes));
                let mut text = self.text.trim_end_matches(['\n', '\r']);
                if self.number == 1 {
                    text = text.trim_start_matches('\u{feff}');
                }
                Ok(Some((self.number, text)))
            }
        }
    }
}

/// Mistakes that were found in a text.
#[derive(Debug)]
pub struct Mistakes<'a> {
    origin: &'a str,
    found: Vec<Diagnostic>,
    more: u64,
}

impl<'a> Mistakes<'a> {
    /// None yet.
    pub fn new(origin: &'a str) -> Self {
        Mistakes {
            origin,
            found: Vec::new(),
            more: 0,
        }
    }

    /// Adds one. Those after [`MISTAKES_MAX`] are counted only.
    pub fn add(
        &mut self,
        place: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        match self.found.len() < MISTAKES_MAX {
            true => self.found.push(Diagnostic::new(place, message, help)),
            false => self.more += 1,
        }
    }

    /// Adds one before all others.
    pub fn first(
        &mut self,
        place: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.found.insert(0, Diagnostic::new(place, message, help));
    }

    /// Adds one of a line.
    pub fn at_line(&mut self, line: u64, message: impl Into<String>, help: impl Into<String>) {
        self.add(format!("line {line}"), message, help);
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// An error where there were any.
    ///
    /// # Errors
    /// Of [`Class::Input`], with the mistakes.
    pub fn finish(mut self) -> Result<(), Error> {
        if self.found.is_empty() {
            return Ok(());
        }
        if let (Some(last), true) = (self.found.last_mut(), self.more > 0) {
            last.message.push_str(&format!(
                "; {} more mistakes follow that are not shown",
                self.more
            ));
        }
        Err(Error {
            class: Class::Input,
            origin: self.origin.to_owned(),
            source: None,
            diagnostics: self.found,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_and_no_longer_than_the_limit() {
        let mut lines = Lines::new(&b"\xef\xbb\xbfa\r\n\nb\xff"[..], "t");
        assert_eq!(lines.next_line(), Ok(Some((1, "a"))));
        assert_eq!(lines.next_line(), Ok(Some((2, ""))));
        assert_eq!(lines.next_line(), Ok(Some((3, "b\u{fffd}"))));
        assert_eq!(lines.next_line(), Ok(None));
        let long = vec![b'x'; LINE_MAX + 1];
        let error = Lines::new(&long[..], "t")
            .next_line()
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("error: t: line 1: the line is longer than"));
        let fits = [&long[..LINE_MAX], b"\n"].concat();
        assert!(Lines::new(&fits[..], "t").next_line().is_ok());
    }

    #[test]
    fn many_mistakes_are_counted() {
        let mut mistakes = Mistakes::new("t");
        for line in 0..25 {
            mistakes.at_line(line, "wrong", "");
        }
        let said = mistakes.finish().unwrap_err().to_string();
        assert!(said.ends_with("line 19: wrong; 5 more mistakes follow that are not shown\n"));
    }
}
