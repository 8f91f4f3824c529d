//! Inputs that the process reads and outputs that it is going to write, so that no output replaces
//! an input or another output.
//!
//! Readers note every input as they open it ([`input`](super::input)), and commands claim
//! their outputs, derived names included, before the work begins. Whichever of the two comes
//! second is refused, so no command has a list of its inputs, and their order does not
//! matter. Files are compared by where they are: `./run.csv` is `run.csv`, and so is a
//! symbolic link to it, and the file to which standard output is redirected is standard
//! output. `/dev/null` may be given again and again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::destination::Destination;
use super::standard::Stream;
use crate::diagnostic::{Class, Diagnostic, Error};

/// Inputs and outputs, by where they are.
#[derive(Debug, Default)]
pub(super) struct Claims {
    /// A description of each input.
    read: BTreeMap<Destination, &'static str>,
    /// The option of each output, and its name.
    written: BTreeMap<Destination, (String, PathBuf)>,
}

static CLAIMS: Mutex<Claims> = Mutex::new(Claims::new());

/// Notes that a file is read, as `what`.
///
/// # Errors
/// An error of [`Class::Usage`] when an output was claimed there.
pub(super) fn note_input(path: &Path, what: &'static str) -> Result<(), Error> {
    let mut claims = CLAIMS.lock().unwrap_or_else(PoisonError::into_inner);
    claims.note_input(path, what)
}

/// Claims outputs, each given as (what the user calls it, path).
///
/// # Errors
/// An error of [`Class::Usage`] when one would replace an input that was read, or another
/// output. None is claimed then.
pub fn claim_outputs(outputs: &[(&str, &Path)]) -> Result<(), Error> {
    let mut claims = CLAIMS.lock().unwrap_or_else(PoisonError::into_inner);
    claims.claim_outputs(outputs)
}

/// Fails when a file that the program names itself, such as one in a folder of outputs, would
/// replace an input or an output that was claimed. `what` names it in the error.
///
/// # Errors
/// An error of [`Class::Usage`].
pub(super) fn check_free(what: &str, path: &Path) -> Result<(), Error> {
    let claims = CLAIMS.lock().unwrap_or_else(PoisonError::into_inner);
    claims.check(what, path)
}

/// Fails when a file that the program names, reads and writes again, such as a kept result,
/// would replace an output that was claimed.
///
/// # Errors
/// An error of [`Class::Usage`].
pub fn check_unclaimed(what: &str, path: &Path) -> Result<(), Error> {
    let claims = CLAIMS.lock().unwrap_or_else(PoisonError::into_inner);
    claims.check_unclaimed(what, path)
}

impl Claims {
    const fn new() -> Claims {
        Claims {
            read: BTreeMap::new(),
            written: BTreeMap::new(),
        }
    }

    pub(super) fn note_input(&mut self, path: &Path, what: &'static str) -> Result<(), Error> {
        // Only a regular file is replaced.
        if !fs::metadata(path).is_ok_and(|found| found.is_file()) {
            return Ok(());
        }
        let Some(place) = Destination::of(path) else {
            return Ok(());
        };
        if let Some((output, path)) = self.written.get(&place) {
            return Err(is_read(output, path, what));
        }
        self.read.entry(place).or_insert(what);
        Ok(())
    }

    pub(super) fn claim_outputs(&mut self, outputs: &[(&str, &Path)]) -> Result<(), Error> {
        let mut claimed: BTreeMap<Destination, (&str, &Path)> = BTreeMap::new();
        for &(what, path) in outputs {
            self.check(what, path)?;
            let Some(place) = Destination::of(path) else {
                continue;
            };
            if let Some((other, _)) = claimed.get(&place) {
                return Err(is_written(what, path, &place, other));
            }
            claimed.insert(place, (what, path));
        }
        let claimed = claimed.into_iter();
        self.written.extend(
            claimed.map(|(place, (what, path))| (place, (what.to_owned(), path.to_owned()))),
        );
        Ok(())
    }

    /// Fails when an output is an input, or an output that something else has claimed.
    fn check(&self, what: &str, path: &Path) -> Result<(), Error> {
        let place = Destination::of(path);
        match place.and_then(|place| self.read.get(&place)) {
            Some(input) => Err(is_read(what, path, input)),
            None => self.check_unclaimed(what, path),
        }
    }

    /// Fails when an output is one that something else has claimed.
    fn check_unclaimed(&self, what: &str, path: &Path) -> Result<(), Error> {
        let Some(place) = Destination::of(path) else {
            return Ok(());
        };
        match self.written.get(&place) {
            Some((other, _)) if other != what => Err(is_written(what, path, &place, other)),
            _ => Ok(()),
        }
    }
}

fn is_read(output: &str, path: &Path, input: &str) -> Error {
    refused(
        output,
        format!("{} is what {input} is read from", path.display()),
    )
}

fn is_written(output: &str, path: &Path, place: &Destination, other: &str) -> Error {
    let shown = path.display();
    let message = match place {
        Destination::File(_) => format!("{shown} is the file of {other} as well"),
        Destination::Stream(Stream::Output) => {
            format!("{shown} is standard output, which {other} is written to as well")
        }
        Destination::Stream(Stream::Error) | Destination::Special(..) => {
            format!("{shown} is where {other} is written to as well")
        }
    };
    refused(output, message)
}

fn refused(output: &str, message: String) -> Error {
    let diagnostic = Diagnostic::new(output, message, "name another file");
    Error::one(Class::Usage, "command line", diagnostic)
}
