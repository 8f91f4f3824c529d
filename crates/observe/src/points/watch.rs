//! Listeners that are told of simulations, and may stop them.

use crosswave_base::diagnostic::{Class, Diagnostic, Error};

/// Is told what a study is doing.
pub trait Watch {
    /// This comes next.
    fn begins(&mut self, what: &str);

    /// So much of the whole is done, of what is not kept from before.
    fn done(&mut self, _share: f64) {}

    /// True when the study has to stop.
    fn interrupted(&mut self) -> bool {
        false
    }
}

/// Goes on, unless someone asks to stop.
///
/// # Errors
/// When someone does.
pub fn check_cancelled(watch: &mut dyn Watch) -> Result<(), Error> {
    match watch.interrupted() {
        true => Err(interruption()),
        false => Ok(()),
    }
}

/// The error when someone asked to stop.
pub fn interruption() -> Error {
    let diagnostic = Diagnostic::new("interrupted", "the simulation was stopped", "");
    Error::one(Class::Check, "simulation", diagnostic)
}

/// Does not care.
impl Watch for () {
    fn begins(&mut self, _: &str) {}
}
