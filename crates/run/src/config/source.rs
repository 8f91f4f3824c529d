//! The text that a configuration was read from, for what is found wrong with it later.

#[cfg(doc)]
use super::Config;
use super::{invalid, keys};
use crosswave_base::diagnostic::{Diagnostic, Error};
use crosswave_document::{Document, Wrong};

/// The input of [`Config::parse`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigSource {
    /// The text.
    pub text: String,
    /// Its name: a file, or what else it came from.
    pub origin: String,
    /// Overrides, which replaced keys of it.
    pub overrides: Vec<String>,
}

impl ConfigSource {
    /// The error of mistakes in a key of the table `wave` that only the network tells, each
    /// with the entry of the list where the value is one. [`Config::parse`] found none.
    pub fn wave_error(
        &self,
        key: &'static str,
        mistakes: Vec<(Option<usize>, Diagnostic)>,
    ) -> Error {
        let tables = keys::tables();
        let (mut document, _) = Document::read(&self.text, &self.overrides, &tables);
        for (entry, mistake) in mistakes {
            let wrong = Wrong {
                entry,
                message: format!("{}: {}", mistake.place, mistake.message),
                help: mistake.help,
            };
            document.wrong(("wave", key), None, wrong);
        }
        invalid(document.mistakes, &self.text, &self.origin)
    }
}
