//! New names for files, all or none.
//!
//! Before a file takes a name that is in use, the old file gets a second name beside it, as a hard
//! link where the file system has them. When a later file cannot be renamed, every name gets
//! back what it had. The old files are removed when all names are on the disk.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::{Builder, TempPath};

use super::standard::identity;
use super::{durable, folder_of};
use crate::diagnostic::Error;

/// Names that have been given, and what they had before. Dropping it gives that back, unless
/// [`Swap::commit`] was called.
pub(super) struct Swap {
    /// Each name, with the old file where there was one.
    renamed: Vec<(PathBuf, Option<TempPath>)>,
}

impl Swap {
    pub(super) fn new() -> Swap {
        Swap {
            renamed: Vec::new(),
        }
    }

    /// Gives a finished file its name.
    pub(super) fn rename(&mut self, file: TempPath, name: PathBuf) -> io::Result<()> {
        let old = match fs::symlink_metadata(&name) {
            Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(_) => Some(keep(&name)?),
            Err(_) => None,
        };
        match take_name(file, &name) {
            Ok(()) => {
                self.renamed.push((name, old));
                Ok(())
            }
            Err(error) => {
                restore(&name, old);
                Err(error)
            }
        }
    }

    /// Waits until the names are on the disk, and removes the old files.
    pub(super) fn commit(mut self) -> Result<(), Error> {
        let folders: BTreeSet<&Path> = self
            .renamed
            .iter()
            .map(|(name, _)| folder_of(name))
            .collect();
        for folder in folders {
            durable::sync_folder(folder)
                .map_err(|error| Error::io(folder, "syncing the folder", &error))?;
        }
        self.renamed.clear();
        Ok(())
    }
}

impl Drop for Swap {
    fn drop(&mut self) {
        for (name, old) in self.renamed.drain(..).rev() {
            match old {
                Some(old) => restore(&name, Some(old)),
                // A file that cannot be removed is left; the error that led here is told.
                None => drop(fs::remove_file(&name)),
            }
        }
    }
}

/// Gives a file another name. A file that cannot have it is removed.
fn take_name(file: TempPath, name: &Path) -> io::Result<()> {
    fs::rename(&file, name)?;
    // Nothing is left to be removed under its old name.
    file.keep().map(drop).map_err(|error| error.error)
}

/// Gives what has a name a second one, until the first is that of another file.
fn keep(name: &Path) -> io::Result<TempPath> {
    let mut builder = Builder::new();
    builder.prefix(".crosswave-").suffix(".old");
    let kept = builder.make_in(folder_of(name), |old| {
        fs::hard_link(name, old).or_else(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Err(error),
            _ => fs::rename(name, old),
        })
    })?;
    Ok(kept.into_temp_path())
}

/// Gives a name what it had before. Where that fails the old file stays under its other name.
fn restore(name: &Path, old: Option<TempPath>) {
    let Some(old) = old else { return };
    let file = |path: &Path| {
        fs::symlink_metadata(path)
            .ok()
            .and_then(|found| identity(&found))
    };
    // Two names of one file: the second is no longer needed, and is removed as it is dropped.
    if file(name).is_some() && file(name) == file(&old) {
        return;
    }
    match old.keep() {
        Ok(old) => drop(fs::rename(old, name)),
        Err(error) => drop(fs::rename(&error.path, name)),
    }
}
