//! Files and folders whose content is on the disk, and errors that come only as a file is closed.

use std::fs::File;
use std::io;
use std::path::Path;

/// True when the system has no such operation for a file, which is no failure.
fn is_unsupported(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported
    )
}

/// Waits until a file is on the disk, where its file system can do that.
pub(super) fn sync(file: &File) -> io::Result<()> {
    file.sync_all()
        .or_else(|error| match is_unsupported(&error) {
            true => Ok(()),
            false => Err(error),
        })
}

/// Waits until the entries of a folder are on the disk. A folder that may be written to and not
/// read is left alone.
#[cfg(unix)]
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder) {
        Ok(folder) => sync(&folder),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
pub(super) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Closes a file, and tells what the system says of it: some file systems find out only then
/// that there is no room.
#[cfg(unix)]
pub(super) fn close(file: File) -> io::Result<()> {
    nix::unistd::close(file).map_err(io::Error::from)
}

#[cfg(not(unix))]
pub(super) fn close(file: File) -> io::Result<()> {
    drop(file);
    Ok(())
}
