//! Files and standard output: whole or not at all.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::diagnostic::Report;
use crate::wave::vcd_file::without_temporary_name;

/// Writes a file under a temporary name in its folder and renames it when all
/// is written.
pub(super) fn write_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Report> {
    let io = |error: &io::Error| Report::io(path, "writing", error);
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // A link stays, and the file that it leads to is replaced.
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let (path, folder) = match target.parent() {
        Some(folder) if path.is_symlink() => (target.as_path(), folder),
        _ => (path, folder),
    };
    // A device or a pipe has no name to protect.
    if path.exists() && !path.is_file() {
        let mut file = std::fs::OpenOptions::new()
            .write(true)
            .open(path)
            .map_err(|e| io(&e))?;
        return write(&mut file).map_err(|e| io(&e));
    }
    let file = tempfile::Builder::new()
        .permissions_default()
        .tempfile_in(folder)
        .map_err(|error| io(&without_temporary_name(&error)))?;
    let mut out = BufWriter::new(file);
    write(&mut out)
        .and_then(|()| out.flush())
        .map_err(|error| io(&error))?;
    let file = out.into_inner().map_err(|error| io(error.error()))?;
    file.persist(path).map_err(|error| io(&error.error))?;
    Ok(())
}

/// Fails when the folder of a file to be written is not there.
pub(super) fn check_folder(path: &Path) -> Result<(), Report> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    match std::fs::metadata(folder) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(Report::io(
            path,
            "creating",
            &io::ErrorKind::NotADirectory.into(),
        )),
        Err(error) => Err(Report::io(path, "creating", &error)),
    }
}

/// Permissions of new files.
trait DefaultPermissions {
    fn permissions_default(&mut self) -> &mut Self;
}

impl DefaultPermissions for tempfile::Builder<'_, '_> {
    /// Those that any program's new files have, not the private ones of
    /// temporary files.
    fn permissions_default(&mut self) -> &mut Self {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            self.permissions(std::fs::Permissions::from_mode(0o666));
        }
        self
    }
}

/// Writes to standard output.
pub(super) fn print(bytes: &[u8]) -> Result<(), Report> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)
        .and_then(|()| out.flush())
        .map_err(|error| Report::io(Path::new("standard output"), "writing", &error))
}

/// Writes to a file, or to standard output when the name is `-`.
pub(super) fn write_or_print(path: &Path, bytes: &[u8]) -> Result<(), Report> {
    if path.as_os_str() == "-" {
        print(bytes)
    } else {
        write_file(path, |out| out.write_all(bytes))
    }
}
