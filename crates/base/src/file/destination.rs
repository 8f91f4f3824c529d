//! The file or stream that an output would replace, found before anything is written.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::standard::{LINKS_MAX, Stream, identity, names_descriptor, stream};
use super::{folder_of, shown};
use crate::diagnostic::Error;

/// The target of an output.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Destination {
    /// A stream that the process was given.
    Stream(Stream),
    /// A regular file, by its path without links.
    File(PathBuf),
    /// A pipe or a device, by device and inode.
    Special(u64, u64),
}

/// The name of a file that is not there yet, behind any links that lead to it.
pub(super) fn followed(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    for _ in 0..LINKS_MAX {
        match fs::read_link(&path) {
            Ok(target) => path = folder_of(&path).join(target),
            Err(_) => break,
        }
    }
    path
}

/// True when a name is that of a pipe or a device, which is written to in place.
pub fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// True when bytes stay in the order in which they are written to a name: standard output and other
/// descriptors of any kind, pipes and sockets. Devices take anything.
pub fn takes_bytes_in_order(path: &Path) -> bool {
    if stream(path).is_some() || names_descriptor(path) {
        return true;
    }
    fs::metadata(path).is_ok_and(|found| is_pipe(&found))
}

#[cfg(unix)]
fn is_pipe(found: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    found.file_type().is_fifo() || found.file_type().is_socket()
}

#[cfg(not(unix))]
fn is_pipe(_: &Metadata) -> bool {
    false
}

/// Finds what would keep an output from being written: its folder is not there or takes no
/// files, it is a folder itself, or it is read-only.
///
/// # Errors
/// An error of [`Class::Io`](crate::diagnostic::Class::Io).
pub fn check_output(path: &Path) -> Result<(), Error> {
    let checked = match fs::metadata(path) {
        _ if stream(path).is_some() => Ok(()),
        Ok(_) if is_special(path) => Ok(()),
        Ok(found) => check_replaceable(path, &found).and_then(|()| {
            let target = fs::canonicalize(path)?;
            check_folder(folder_of(&target))
        }),
        Err(_) => check_folder(folder_of(&followed(path))),
    };
    checked.map_err(|error| Error::io(shown(path), "creating", &error))
}

/// Fails when a folder is none, or takes no files.
fn check_folder(folder: &Path) -> io::Result<()> {
    match fs::metadata(folder)?.is_dir() {
        true => tempfile::tempfile_in(folder)
            .map(drop)
            .map_err(|error| super::without_temporary_name(&error)),
        false => Err(io::ErrorKind::NotADirectory.into()),
    }
}

/// Fails when what has the name of an output is not to be replaced.
pub(super) fn check_replaceable(path: &Path, found: &Metadata) -> io::Result<()> {
    if found.is_dir() {
        let error = io::ErrorKind::IsADirectory;
        return Err(io::Error::new(error, "it is a folder"));
    }
    // The superuser may write to a file that nobody may write to, but did not ask to.
    if found.permissions().readonly() {
        let error = io::ErrorKind::PermissionDenied;
        return Err(io::Error::new(error, "the file that is there is read-only"));
    }
    fs::File::options().write(true).open(path).map(drop)
}

impl Destination {
    /// The destination of a name, the same for every way to name it. `None` for what takes any
    /// number of outputs, and for what cannot be written since its folder is not there.
    pub(super) fn of(path: &Path) -> Option<Destination> {
        if path.as_os_str() == "-" {
            return Some(Destination::Stream(Stream::Output));
        }
        let Ok(found) = fs::metadata(path) else {
            let path = followed(path);
            let folder = fs::canonicalize(folder_of(&path)).ok()?;
            return Some(Destination::File(folder.join(path.file_name()?)));
        };
        if is_null(&found) {
            return None;
        }
        if let Some(stream) = stream(path) {
            return Some(Destination::Stream(stream));
        }
        if found.is_file()
            && let Ok(path) = fs::canonicalize(path)
        {
            return Some(Destination::File(path));
        }
        identity(&found).map(|(device, inode)| Destination::Special(device, inode))
    }
}

/// True when a file is the device that takes everything and keeps nothing.
#[cfg(unix)]
fn is_null(found: &Metadata) -> bool {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let null = fs::metadata("/dev/null");
    found.file_type().is_char_device() && null.is_ok_and(|null| null.rdev() == found.rdev())
}

#[cfg(not(unix))]
fn is_null(_: &Metadata) -> bool {
    false
}
