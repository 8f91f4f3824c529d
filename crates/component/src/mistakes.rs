//! Mistakes in a component file, collected.

use std::ops::Range;

use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::suggest::nearest;

/// The mistakes of a file.
#[derive(Debug)]
pub struct Mistakes<'a> {
    origin: &'a str,
    text: &'a str,
    found: Vec<Diagnostic>,
    /// The link whose signals are looked at.
    link: Option<String>,
    of_links: Vec<LinkMistake>,
}

/// A mistake in an expression that several links share.
#[derive(Debug)]
struct LinkMistake {
    /// Its place among all mistakes.
    at: usize,
    /// The link that it was found at.
    link: String,
    /// Further links that have it.
    others: Vec<String>,
}

impl<'a> Mistakes<'a> {
    /// None so far, in the file of a name and text.
    pub fn new(origin: &'a str, text: &'a str) -> Mistakes<'a> {
        Mistakes {
            origin,
            text,
            found: Vec::new(),
            link: None,
            of_links: Vec::new(),
        }
    }

    /// Takes the next mistakes for those of a link, up to the next call. What was found at the same bytes for a
    /// link before is counted, and not told again.
    pub fn at_link(&mut self, link: Option<&str>) {
        self.link = link.map(str::to_owned);
    }

    /// Adds one, at some bytes of the text.
    pub fn add(
        &mut self,
        place: impl Into<String>,
        span: Option<Range<usize>>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        if let (Some(link), Some(span)) = (&self.link, &span) {
            let mut known = self.of_links.iter_mut();
            let known = known.find(|known| self.found[known.at].span.as_ref() == Some(span));
            if let Some(known) = known {
                if known.link != *link && !known.others.contains(link) {
                    known.others.push(link.clone());
                }
                return;
            }
            self.of_links.push(LinkMistake {
                at: self.found.len(),
                link: link.clone(),
                others: Vec::new(),
            });
        }
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
                let mut found = std::mem::take(&mut self.found);
                for LinkMistake { at, others, .. } in self.of_links.drain(..) {
                    let links = match others.len() {
                        0 => continue,
                        1 => "another link".to_owned(),
                        more => format!("{more} more links"),
                    };
                    let others: Vec<&str> = others.iter().map(String::as_str).collect();
                    let told = format!("; so it is at {links}: {}", some(&others));
                    found[at].message += &told;
                }
                Err(self.error(found))
            }
        }
    }

    /// The error of a text that is no component file. What a word may stand for goes before the help.
    pub fn of_toml(&self, error: &toml::de::Error, help: &str) -> Error {
        let message = error.message().trim();
        let help = meant(message).unwrap_or_else(|| help.to_owned());
        let mut found = Diagnostic::new("component file", message, help);
        found.span = error.span();
        self.error(vec![found])
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

/// The known word that an unknown one may stand for, of a message such as "unknown field `a`, expected `b` or
/// `c`".
fn meant(message: &str) -> Option<String> {
    let mut words = message
        .strip_prefix("unknown ")?
        .split('`')
        .skip(1)
        .step_by(2);
    let found = words.next()?;
    let known: Vec<&str> = words.collect();
    nearest(found, &known).map(|near| format!("did you mean {near}?"))
}

/// Advice to take the nearest of some known words for another one, or else other advice.
pub(crate) fn meant_or(word: &str, known: &[&str], help: impl Into<String>) -> String {
    match nearest(word, known) {
        Some(near) => format!("did you mean {near}?"),
        None => help.into(),
    }
}

/// Some of the names, in words.
pub(crate) fn some(names: &[&str]) -> String {
    const SHOWN: usize = 12;
    let shown = names[..names.len().min(SHOWN)].join(", ");
    match names.len().checked_sub(SHOWN) {
        Some(more @ 1..) => format!("{shown} and {more} more"),
        _ => shown,
    }
}
