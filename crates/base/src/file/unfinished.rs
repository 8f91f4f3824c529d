//! The temporary files of this program, which are removed when it ends at once.
//!
//! Whoever makes, renames or removes a temporary file holds the lock meanwhile, so that an
//! end by a signal never comes between a file and its entry.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// Temporary files, and the names that they are to have.
type Unfinished = BTreeMap<PathBuf, PathBuf>;

static UNFINISHED: Mutex<Unfinished> = Mutex::new(Unfinished::new());

pub(super) fn lock() -> MutexGuard<'static, Unfinished> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes what has not been finished, for a program that ends at once, and gives the names
/// that these files were to have. No file is made, finished or removed afterwards: whoever
/// tries waits for the end of the program.
pub fn remove_unfinished() -> Vec<PathBuf> {
    let mut unfinished = lock();
    let mut names: Vec<PathBuf> = Vec::new();
    for (temporary, name) in std::mem::take(&mut *unfinished) {
        // A file that is no longer there need not be removed.
        let _ = fs::remove_file(temporary);
        names.push(name);
    }
    std::mem::forget(unfinished);
    names.sort();
    names
}

/// The same for a program in which any thread may hold the list, this one too, and which
/// has no memory for names: what is listed just then is left.
pub fn remove_unfinished_without_waiting() {
    let unfinished = match UNFINISHED.try_lock() {
        Ok(mut unfinished) => std::mem::take(&mut *unfinished),
        Err(TryLockError::Poisoned(unfinished)) => std::mem::take(&mut *unfinished.into_inner()),
        Err(TryLockError::WouldBlock) => return,
    };
    for temporary in unfinished.keys() {
        // A file that is no longer there need not be removed.
        let _ = fs::remove_file(temporary);
    }
}
