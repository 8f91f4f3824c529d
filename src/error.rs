//! The error of everything that fails.

use std::fmt;

use crosswave_base::diagnostic;
use crosswave_observe::recording::{RecordingFailure, Refusal};

/// An error: every mistake with its place, what was found there, what was expected, and
/// how to fix it.
///
/// It prints as the `crosswave` command prints it, also from a `main` that returns it.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(diagnostic::Error);

impl Error {
    /// The exit code with which the command ends: 1 when something was found to be wrong in a
    /// run, 2 for a configuration, 3 for an input file, 4 when reading or writing failed.
    pub fn exit_code(&self) -> u8 {
        self.0.class.exit_code()
    }
}

impl From<diagnostic::Error> for Error {
    fn from(error: diagnostic::Error) -> Error {
        Error(error)
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Error {
        Error(RecordingFailure::from(refusal).into_error())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.to_string().trim_end())
    }
}

/// The same text: it is what a `main` that fails shows.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}
