//! How much is simulated for a paper, and who is told of it and may stop it.

use crate::diagnostic::{Class, Diagnostic, Error};

/// How much is simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// Nothing.
    Formulas,
    /// What takes less than a minute.
    Quick,
    /// Everything, which takes minutes and about a gigabyte.
    All,
}

/// Is told what a study is doing.
pub trait Watch {
    /// This comes next.
    fn begins(&mut self, what: &str);

    /// Whether to stop.
    fn interrupted(&mut self) -> bool {
        false
    }
}

/// Goes on, unless someone asks to stop.
///
/// # Errors
/// When someone does.
pub fn go_on(watch: &mut dyn Watch) -> Result<(), Error> {
    match watch.interrupted() {
        true => Err(interruption()),
        false => Ok(()),
    }
}

/// What is said when someone asked to stop.
pub fn interruption() -> Error {
    let diagnostic = Diagnostic::new("interrupted", "the simulation was stopped", "");
    Error::one(Class::Check, "simulation", diagnostic)
}

/// Does not care.
impl Watch for () {
    fn begins(&mut self, _: &str) {}
}
