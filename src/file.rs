//! Files that appear under their name only when they are whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::{Builder, TempPath};

use crate::diagnostic::{Class, Diagnostic, Report};

#[cfg(test)]
mod tests;

/// Permissions that any program's new files have; temporary files are otherwise
/// for their owner only.
const USUAL: u32 = 0o666;

/// The temporary files of this program.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Removes what has not been finished, for a program that ends at once.
pub fn remove_unfinished() {
    let mut paths = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for path in std::mem::take(&mut *paths) {
        // A file that is no longer there need not be removed.
        let _ = fs::remove_file(path);
    }
}

/// A file that is being written, under a temporary name in its folder.
///
/// [`PendingFile::finish`] gives it its name. A value that is dropped leaves
/// neither the temporary file nor a half-written one, and an older file of that
/// name stays as it was. A name that exists and is no regular file
/// (`/dev/stdout`, a named pipe) is written to directly. A symbolic link is
/// followed.
#[derive(Debug)]
pub struct PendingFile {
    path: PathBuf,
    file: File,
    /// The temporary file and the name it is to have; `None` when written directly.
    temporary: Option<(TempPath, PathBuf)>,
}

impl PendingFile {
    /// Creates the file.
    ///
    /// # Errors
    /// A [`Class::Io`] report when the folder does
    /// not exist or cannot be written to.
    pub fn create(path: &Path) -> Result<PendingFile, Report> {
        PendingFile::with_mode(path, USUAL)
    }

    /// Creates the file with permissions as for `chmod`, less the user's mask.
    ///
    /// # Errors
    /// As [`PendingFile::create`].
    pub fn with_mode(path: &Path, mode: u32) -> Result<PendingFile, Report> {
        let opened = open(path, mode);
        let (file, temporary) = opened.map_err(|error| Report::io(path, "creating", &error))?;
        if let Some((temporary, _)) = &temporary {
            let mut paths = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
            paths.insert(temporary.to_path_buf());
        }
        Ok(PendingFile {
            path: path.to_owned(),
            file,
            temporary,
        })
    }

    /// Where to write.
    ///
    /// # Errors
    /// A [`Class::Io`] report when the system has
    /// no more file handles.
    pub fn file(&self) -> Result<File, Report> {
        let file = self.file.try_clone();
        file.map_err(|error| self.report(&error))
    }

    /// The report of an error in writing.
    pub fn report(&self, error: &io::Error) -> Report {
        Report::io(&self.path, "writing", error)
    }

    /// Gives the file its name; everything has been written and flushed.
    ///
    /// # Errors
    /// A [`Class::Io`] report when the file cannot
    /// be renamed; there is no file then.
    pub fn finish(mut self) -> Result<(), Report> {
        let Some((temporary, target)) = self.temporary.take() else {
            return Ok(());
        };
        let name = temporary.to_path_buf();
        let persisted = temporary.persist(target);
        forget(&name);
        persisted.map_err(|error| Report::io(&self.path, "renaming", &error.error))
    }
}

impl Drop for PendingFile {
    fn drop(&mut self) {
        if let Some((temporary, _)) = &self.temporary {
            forget(temporary);
        }
    }
}

fn forget(temporary: &Path) {
    let mut paths = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    paths.remove(temporary);
}

/// Writes a whole file.
///
/// # Errors
/// A [`Class::Io`] report; there is no file then.
pub fn write(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Report> {
    write_with_mode(path, USUAL, write)
}

/// Writes a whole file with permissions as for `chmod`, less the user's mask.
///
/// # Errors
/// A [`Class::Io`] report; there is no file then.
pub fn write_with_mode(
    path: &Path,
    mode: u32,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Report> {
    let pending = PendingFile::with_mode(path, mode)?;
    let mut out = BufWriter::new(pending.file()?);
    write(&mut out)
        .and_then(|()| out.flush())
        .map_err(|error| pending.report(&error))?;
    drop(out);
    pending.finish()
}

/// Fails when the folder of a file to be written is not there.
///
/// # Errors
/// A [`Class::Io`] report.
pub fn check_folder(path: &Path) -> Result<(), Report> {
    let error = match fs::metadata(folder_of(path)) {
        Ok(found) if found.is_dir() => return Ok(()),
        Ok(_) => io::ErrorKind::NotADirectory.into(),
        Err(error) => error,
    };
    Err(Report::io(path, "creating", &error))
}

/// Fails when an output is the file of an input or of an output before it, which
/// would be lost. Each is given as (what the user calls it, path).
///
/// Files are compared by where they are, so `./run.csv` is `run.csv`, and so is a
/// symbolic link to it. `-` and what is no regular file (`/dev/stdout`, a named
/// pipe) may be given again and again.
///
/// # Errors
/// A [`Class::Usage`] report.
pub fn check_apart(inputs: &[(&str, &Path)], outputs: &[(&str, &Path)]) -> Result<(), Report> {
    let read: BTreeMap<PathBuf, &str> = inputs
        .iter()
        .filter_map(|&(what, path)| Some((place_of(path)?, what)))
        .collect();
    let mut written: BTreeMap<PathBuf, &str> = BTreeMap::new();
    for &(what, path) in outputs {
        let Some(place) = place_of(path) else {
            continue;
        };
        let shown = path.display();
        let message = match (read.get(&place), written.get(&place)) {
            (Some(other), _) => format!("{shown} is what {other} is read from"),
            (None, Some(other)) => format!("{shown} is the file of {other} as well"),
            (None, None) => {
                written.insert(place, what);
                continue;
            }
        };
        return Err(Report::one(
            Class::Usage,
            "command line",
            Diagnostic::new(what, message, "name another file"),
        ));
    }
    Ok(())
}

/// Where a regular file is or would be, the same for every way to name it. `None`
/// for what is not replaced when it is written to, and for what cannot be written
/// since its folder is not there.
fn place_of(path: &Path) -> Option<PathBuf> {
    if path.as_os_str() == "-" {
        return None;
    }
    match fs::metadata(path) {
        Ok(found) if found.is_file() => fs::canonicalize(path).ok(),
        Ok(_) => None,
        Err(_) => {
            let folder = fs::canonicalize(folder_of(path)).ok()?;
            Some(folder.join(path.file_name()?))
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

type Opened = (File, Option<(TempPath, PathBuf)>);

fn open(path: &Path, mode: u32) -> io::Result<Opened> {
    let target = match fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            let error = io::ErrorKind::IsADirectory;
            return Err(io::Error::new(error, "it is a folder"));
        }
        Ok(found) if !found.is_file() => {
            return Ok((File::options().write(true).open(path)?, None));
        }
        Ok(_) => fs::canonicalize(path)?,
        Err(_) => path.to_path_buf(),
    };
    let mut builder = Builder::new();
    builder.prefix(".crosswave-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    let (file, temporary) = builder
        .tempfile_in(folder_of(&target))
        .map_err(|error| without_temporary_name(&error))?
        .into_parts();
    Ok((file, Some((temporary, target))))
}

/// The same error without the name of a temporary file, which tells nobody
/// anything and differs from run to run.
fn without_temporary_name(error: &io::Error) -> io::Error {
    let text = error.to_string();
    let text = text.split(" at path ").next().unwrap_or_default();
    io::Error::new(error.kind(), text)
}
