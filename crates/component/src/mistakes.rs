//! Mistakes in a component file, collected.

use std::ops::Range;

use crosswave_base::diagnostic::{Class, Diagnostic, Error};

/// The mistakes of a file.
#[derive(Debug)]
pub struct Mistakes<'a> {
    origin: &'a str,
    text: &'a str,
    found: Vec<Diagnostic>,
}

impl<'a> Mistakes<'a> {
    /// None so far, in the file of a name and text.
    pub fn new(origin: &'a str, text: &'a str) -> Mistakes<'a> {
        Mistakes {
            origin,
            text,
            found: Vec::new(),
        }
    }

    /// Adds one, at some bytes of the text.
    pub fn add(
        &mut self,
        place: impl Into<String>,
        span: Option<Range<usize>>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let mut mistake = Diagnostic::new(place, message, help);
        mistake.span = span;
        self.found.push(mistake);
    }

    /// True when there is a mistake.
    pub fn are_any(&self) -> bool {
        !self.found.is_empty()
    }

    /// The value, if there is no mistake.
    ///
    /// # Errors
    /// All mistakes.
    pub fn finish<T>(&mut self, value: T) -> Result<T, Error> {
        match self.found.is_empty() {
            true => Ok(value),
            false => {
                let found = std::mem::take(&mut self.found);
                Err(self.error(found))
            }
        }
    }

    /// An error of these mistakes.
    pub fn error(&self, diagnostics: Vec<Diagnostic>) -> Error {
        Error {
            class: Class::Usage,
            origin: self.origin.to_owned(),
            source: Some(self.text.to_owned()),
            diagnostics,
        }
    }
}
