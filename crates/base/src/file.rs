//! Files: inputs that are read up to a limit, and outputs that appear under their name only
//! when they are whole.
//!
//! | file | holds |
//! |---|---|
//! | `file` | one output: a [`PendingFile`], or standard output |
//! | [`input`] | inputs, with a limit on their size |
//! | [`gzip`] | the content of compressed inputs |
//! | [`claims`] | what is read and what is written, so that no output replaces an input |
//! | [`kind`] | what kind of file an input is, told by how it begins |
//! | [`destination`] | where an output goes, and what keeps it from being written |
//! | [`folder`] | folders of outputs, with a manifest of what may be replaced |
//! | [`text_input`] | inputs that are text, told from files of other kinds |
//! | `temporary` | folders that other programs work in |
//! | `swap` | new names for files, all or none |
//! | `durable` | files and folders that are on the disk |
//! | `standard` | the handles of standard output and standard error |
//! | `unfinished` | temporary files, removed when the program ends at once |
//!
//! An output of a name that exists and is a regular file is written beside it and then takes
//! its name and its permissions. Everything else is written to where it is, and never
//! replaced: `-` and whatever name standard output has, other descriptors of the process
//! (`/dev/fd/3`), named pipes and devices.

pub mod claims;
pub mod destination;
mod durable;
pub mod folder;
pub mod gzip;
pub mod input;
pub mod kind;
mod standard;
mod swap;
mod temporary;
pub mod text_input;
mod unfinished;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::{Builder, TempPath};

use crate::diagnostic::Error;

pub use claims::claim_outputs;
pub use destination::{check_output, is_special, takes_bytes_in_order};
pub use folder::{Folder, FolderFile};
pub use standard::{is_one_stream, is_standard_output};
use swap::Swap;
pub use temporary::TemporaryFolder;
pub use unfinished::{remove_unfinished, remove_unfinished_without_waiting};

#[cfg(test)]
mod tests;

/// Permissions that any program's new files have, less the user's mask; temporary files are
/// otherwise for their owner only.
const USUAL: u32 = 0o666;

/// Prefix and suffix of the names of temporary files.
const TEMPORARY: (&str, &str) = (".crosswave-", ".part");

/// True when a name may be that of a temporary file.
fn is_temporary(name: &str) -> bool {
    name.starts_with(TEMPORARY.0) && name.ends_with(TEMPORARY.1)
}

/// A file that is open for writing, for who writes and for who closes it. There is one open
/// file of the system only, so no error of closing it is lost.
pub type SharedFile = Arc<File>;

/// A file that is being written, under a temporary name in its folder.
///
/// [`PendingFile::finish`] gives it its name. A value that is dropped leaves
/// neither the temporary file nor a half-written one, and an older file of that
/// name stays as it was. A file keeps the permissions, and where the system allows it the
/// owner, of the one that it replaces, and a read-only file is not replaced. What is no
/// regular file, and standard output under any name, is written to directly. A symbolic link
/// is followed.
#[derive(Debug)]
pub struct PendingFile {
    path: PathBuf,
    /// The open file, until it is finished.
    file: Option<SharedFile>,
    /// The temporary file and the name it is to have; `None` when written directly.
    temporary: Option<(TempPath, PathBuf)>,
}

impl PendingFile {
    /// Creates the file.
    ///
    /// # Errors
    /// An error of [`Class::Io`](crate::diagnostic::Class::Io) when the folder does
    /// not exist or cannot be written to, or the file that is there is read-only.
    pub fn create(path: &Path) -> Result<PendingFile, Error> {
        PendingFile::with_mode(path, USUAL)
    }

    /// Creates the file; a new one has permissions as for `chmod`, less the user's mask.
    ///
    /// # Errors
    /// As [`PendingFile::create`].
    pub fn with_mode(path: &Path, mode: u32) -> Result<PendingFile, Error> {
        let opened = open(path, mode);
        let (file, temporary) =
            opened.map_err(|error| Error::io(shown(path), "creating", &error))?;
        Ok(PendingFile {
            path: path.to_owned(),
            file: Some(Arc::new(file)),
            temporary,
        })
    }

    /// The handle to write to. Whoever has it drops it before [`PendingFile::finish`].
    pub fn file(&self) -> SharedFile {
        let file = self.file.as_ref();
        Arc::clone(file.expect("the file is open until it is finished"))
    }

    /// The name under which the file is written, without its folder; `None` when it is written
    /// to directly.
    fn temporary_name(&self) -> Option<&str> {
        let (temporary, _) = self.temporary.as_ref()?;
        temporary.file_name()?.to_str()
    }

    /// The error that reports a failed write.
    pub fn error(&self, error: &io::Error) -> Error {
        Error::io(shown(&self.path), "writing", error)
    }

    /// Gives the file its name; everything has been written and flushed.
    ///
    /// # Errors
    /// As [`PendingFile::finish_all`].
    pub fn finish(self) -> Result<(), Error> {
        PendingFile::finish_all(vec![self])
    }

    /// Gives several files their names: all of them, or none.
    ///
    /// Each file is on the disk and closed before the first is renamed, and so are the entries
    /// of their folders before this returns, as far as the file system can tell.
    ///
    /// # Errors
    /// An error of [`Class::Io`](crate::diagnostic::Class::Io) when a file cannot be synced,
    /// closed or renamed. What was there under their names is there again then.
    pub fn finish_all(mut files: Vec<PendingFile>) -> Result<(), Error> {
        files.iter_mut().try_for_each(PendingFile::close)?;
        // Held to the end, so that a signal comes before all renames or after them.
        let mut unfinished = unfinished::lock();
        // Their files have no entry any more, and are removed as they are dropped.
        let staged = files.iter_mut().filter_map(|file| file.temporary.take());
        let staged: Vec<(TempPath, PathBuf)> = staged
            .inspect(|(temporary, _)| drop(unfinished.remove(temporary.as_ref() as &Path)))
            .collect();
        let mut swap = Swap::new();
        for (temporary, target) in staged {
            swap.rename(temporary, target.clone())
                .map_err(|error| Error::io(&target, "renaming", &error))?;
        }
        swap.commit()
    }

    /// Closes the file, which is on the disk then.
    fn close(&mut self) -> Result<(), Error> {
        let Some(file) = self.file.take() else {
            return Ok(());
        };
        let file = Arc::into_inner(file).expect("writers are dropped before they are finished");
        let synced = match self.temporary {
            Some(_) => durable::sync(&file),
            None => Ok(()),
        };
        let closed = durable::close(file);
        synced
            .map_err(|error| Error::io(shown(&self.path), "syncing", &error))
            .and(closed.map_err(|error| Error::io(shown(&self.path), "closing", &error)))
    }
}

impl Drop for PendingFile {
    fn drop(&mut self) {
        if let Some((temporary, _)) = self.temporary.take() {
            let mut unfinished = unfinished::lock();
            unfinished.remove(temporary.as_ref() as &Path);
            drop(temporary);
        }
    }
}

/// Writes a whole file.
///
/// # Errors
/// As [`PendingFile`]; there is no file then.
pub fn write(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Error> {
    written(path, USUAL, write)?.finish()
}

/// A file with a text in it, which has not its name yet.
///
/// # Errors
/// As [`PendingFile`]; there is no file then.
pub fn pending_text(path: &Path, text: &str) -> Result<PendingFile, Error> {
    written(path, USUAL, |out| out.write_all(text.as_bytes()))
}

/// A file with everything in it, which has not its name yet.
fn written(
    path: &Path,
    mode: u32,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<PendingFile, Error> {
    let pending = PendingFile::with_mode(path, mode)?;
    let mut out = BufWriter::new(pending.file());
    write(&mut out)
        .and_then(|()| out.flush())
        .map_err(|error| pending.error(&error))?;
    drop(out);
    Ok(pending)
}

/// The name of an output in an error.
pub fn shown(path: &Path) -> &Path {
    match path.as_os_str() == "-" {
        true => Path::new("standard output"),
        false => path,
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
    if let Some(stream) = standard::stream(path) {
        return Ok((stream.file()?, None));
    }
    let (target, replaced) = match fs::metadata(path) {
        Ok(_) if is_special(path) => {
            return Ok((File::options().write(true).open(path)?, None));
        }
        // The content also belongs to another program, so it is kept.
        Ok(found) if found.is_file() && standard::names_descriptor(path) => {
            return Ok((File::options().append(true).open(path)?, None));
        }
        Ok(found) => {
            destination::check_replaceable(path, &found)?;
            (fs::canonicalize(path)?, Some(found))
        }
        Err(_) => (destination::followed(path), None),
    };
    let mut builder = Builder::new();
    builder.prefix(TEMPORARY.0).suffix(TEMPORARY.1);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    let mut unfinished = unfinished::lock();
    let made = builder.tempfile_in(folder_of(&target));
    let (file, temporary) = made
        .map_err(|error| without_temporary_name(&error))?
        .into_parts();
    unfinished.insert(temporary.to_path_buf(), path.to_owned());
    drop(unfinished);
    if let Some(replaced) = replaced {
        keep_owner(&file, &replaced);
        file.set_permissions(replaced.permissions())?;
    }
    Ok((file, Some((temporary, target))))
}

/// Gives a file the owner and the group of the one that it is to replace. Only some users
/// may; the file of another one is the user's own afterwards, as with other programs.
#[cfg(unix)]
fn keep_owner(file: &File, replaced: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let Ok(own) = file.metadata() else { return };
    if own.gid() != replaced.gid() {
        let _ = fchown(file, None, Some(replaced.gid()));
    }
    if own.uid() != replaced.uid() {
        let _ = fchown(file, Some(replaced.uid()), None);
    }
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &fs::Metadata) {}

/// The same error without the name of a temporary file, which tells nobody
/// anything and differs from run to run.
fn without_temporary_name(error: &io::Error) -> io::Error {
    let text = error.to_string();
    let text = text.split(" at path ").next().unwrap_or_default();
    io::Error::new(error.kind(), text)
}
