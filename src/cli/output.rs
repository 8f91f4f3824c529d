//! Files and standard output: whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use crate::diagnostic::{Class, Diagnostic, Report};
use crate::wave::vcd_file::without_temporary_name;

/// A file that is being written, under a temporary name in its folder.
pub(super) struct Pending {
    path: PathBuf,
    file: File,
    temporary: Option<(TempPath, PathBuf)>,
}

impl Pending {
    /// Creates the file.
    pub(super) fn create(path: &Path) -> Result<Pending, Report> {
        let io = |error: &io::Error| Report::io(path, "writing", error);
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        // A link stays, and the file that it leads to is replaced.
        let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let (target, folder) = match target.parent() {
            Some(folder) if path.is_symlink() => (target.as_path(), folder),
            _ => (path, folder),
        };
        // A device or a pipe has no name to protect.
        if path.exists() && !path.is_file() {
            let file = File::options().write(true).open(path);
            return Ok(Pending {
                path: path.to_owned(),
                file: file.map_err(|error| io(&error))?,
                temporary: None,
            });
        }
        let (file, temporary) = tempfile::Builder::new()
            .permissions_default()
            .tempfile_in(folder)
            .map_err(|error| io(&without_temporary_name(&error)))?
            .into_parts();
        Ok(Pending {
            path: path.to_owned(),
            file,
            temporary: Some((temporary, target.to_owned())),
        })
    }

    /// Where to write.
    pub(super) fn file(&self) -> Result<File, Report> {
        let file = self.file.try_clone();
        file.map_err(|error| Report::io(&self.path, "writing", &error))
    }

    /// Gives the file its name; everything has been written and flushed.
    pub(super) fn finish(self) -> Result<(), Report> {
        match self.temporary {
            None => Ok(()),
            Some((temporary, target)) => temporary
                .persist(target)
                .map_err(|error| Report::io(&self.path, "writing", &error.error)),
        }
    }
}

/// Writes a file under a temporary name in its folder and renames it when all
/// is written.
pub(super) fn write_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Report> {
    let pending = Pending::create(path)?;
    let mut out = BufWriter::new(pending.file()?);
    write(&mut out)
        .and_then(|()| out.flush())
        .map_err(|error| Report::io(path, "writing", &error))?;
    pending.finish()
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

/// Writes a value as JSON, or prints it when the path is `-`.
pub(super) fn write_json(path: &Path, value: &impl serde::Serialize) -> Result<(), Report> {
    let mut text = serde_json::to_vec_pretty(value).map_err(|error| {
        Report::one(
            Class::Io,
            "JSON",
            Diagnostic::new("result", error.to_string(), ""),
        )
    })?;
    text.push(b'\n');
    write_or_print(path, &text)
}

/// Writes to a file, or to standard output when the name is `-`.
fn write_or_print(path: &Path, bytes: &[u8]) -> Result<(), Report> {
    if path.as_os_str() == "-" {
        print(bytes)
    } else {
        write_file(path, |out| out.write_all(bytes))
    }
}
