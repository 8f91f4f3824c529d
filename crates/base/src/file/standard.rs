//! The handles of standard output and standard error, for outputs that are named so.
//!
//! A name is that of standard output when it leads to the same file (device and inode),
//! whatever it is: `-`, `/dev/stdout`, `/proc/self/fd/1`, or the file that a shell
//! redirected it to. Such an output is written through the handle that the process was
//! given, so it goes on where others stopped, and what was there stays. The rest of the
//! program prints in `cli` only.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;

use super::folder_of;

/// A stream that the process was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stream {
    Output,
    Error,
}

impl Stream {
    #[cfg(unix)]
    pub(super) fn file(self) -> io::Result<File> {
        use std::os::fd::AsFd;
        let handle = match self {
            Stream::Output => io::stdout().as_fd().try_clone_to_owned(),
            Stream::Error => io::stderr().as_fd().try_clone_to_owned(),
        };
        handle.map(File::from)
    }

    #[cfg(windows)]
    pub(super) fn file(self) -> io::Result<File> {
        use std::os::windows::io::AsHandle;
        let handle = match self {
            Stream::Output => io::stdout().as_handle().try_clone_to_owned(),
            Stream::Error => io::stderr().as_handle().try_clone_to_owned(),
        };
        handle.map(File::from)
    }
}

/// Device and inode, which are the same for every name of a file.
#[cfg(unix)]
pub(super) fn identity(found: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((found.dev(), found.ino()))
}

#[cfg(not(unix))]
pub(super) fn identity(_: &Metadata) -> Option<(u64, u64)> {
    None
}

/// The stream that a name leads to.
pub(super) fn stream(path: &Path) -> Option<Stream> {
    if path.as_os_str() == "-" {
        return Some(Stream::Output);
    }
    let named = identity(&fs::metadata(path).ok()?)?;
    [Stream::Output, Stream::Error].into_iter().find(|stream| {
        let found = stream.file().and_then(|file| file.metadata());
        found.is_ok_and(|found| identity(&found) == Some(named))
    })
}

/// True when output written to `path` goes where standard output goes.
pub fn is_standard_output(path: &Path) -> bool {
    stream(path) == Some(Stream::Output)
}

/// True when two names lead to one input that can be read once only: a pipe or a terminal, or any
/// descriptor of the process.
pub fn is_one_stream(one: &Path, other: &Path) -> bool {
    let [found_one, found_other] = [one, other].map(|path| fs::metadata(path).ok());
    let (Some(one_is), Some(other_is)) = (found_one, found_other) else {
        return false;
    };
    let is_same = identity(&one_is).is_some() && identity(&one_is) == identity(&other_is);
    is_same && (!one_is.is_file() || names_descriptor(one) && names_descriptor(other))
}

/// Links that are followed before a name is given up.
pub(super) const LINKS_MAX: usize = 40;

/// True when a name leads to a descriptor of the process, as `/dev/fd/3` and `/dev/stdout` do.
pub(super) fn names_descriptor(path: &Path) -> bool {
    let Ok(descriptors) = fs::canonicalize("/dev/fd") else {
        return false;
    };
    let mut path = path.to_path_buf();
    for _ in 0..LINKS_MAX {
        let folder = folder_of(&path).to_path_buf();
        if fs::canonicalize(&folder).is_ok_and(|folder| folder == descriptors) {
            return true;
        }
        match fs::read_link(&path) {
            Ok(target) => path = folder.join(target),
            Err(_) => return false,
        }
    }
    false
}
