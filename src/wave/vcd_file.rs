//! A VCD file that appears under its name only when it is whole.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile, TempPath};

use super::timescale::Timescale;
use super::vcd_writer::VcdWriter;
use crate::diagnostic::Report;
use crate::probe::signal::{SignalSet, Value, WaveSink};

#[cfg(test)]
mod tests;

/// A [`VcdWriter`] on a file.
///
/// The bytes go to a temporary file in the same folder, which
/// [`VcdFile::finish`] gives its name. A run that fails, or a value that is
/// dropped, leaves neither the temporary file nor a half-written one, and an
/// older file of that name stays as it was. A name that exists and is no regular file
/// (`/dev/stdout`, a named pipe) is written to directly. A symbolic link is
/// followed.
#[derive(Debug)]
pub struct VcdFile {
    writer: VcdWriter<File>,
    /// The temporary file and the name it is to have; `None` when written directly.
    rename: Option<(TempPath, PathBuf)>,
    path: PathBuf,
    ended: bool,
}

impl VcdFile {
    /// Creates the file and writes the header.
    ///
    /// # Errors
    /// A [`Class::Io`](crate::diagnostic::Class::Io) report when the folder does
    /// not exist or cannot be written to, or the disk is full.
    pub fn create(path: &Path, set: &SignalSet, timescale: Timescale) -> Result<Self, Report> {
        let fail = |error: io::Error| Report::io(path, "creating", &error);
        let (file, rename) = open(path).map_err(fail)?;
        let writer = VcdWriter::new(set, timescale, file)
            .map_err(|error| Report::io(path, "writing", &error))?;
        Ok(VcdFile {
            writer,
            rename,
            path: path.to_path_buf(),
            ended: false,
        })
    }

    /// The report of an error that a call of [`WaveSink`] on this file returned.
    pub fn report(&self, error: &io::Error) -> Report {
        Report::io(&self.path, "writing", error)
    }

    /// Gives the file its name. [`WaveSink::end`] must have been called.
    ///
    /// # Errors
    /// A [`Class::Io`](crate::diagnostic::Class::Io) report when the run was not
    /// ended, a write failed before, or the file cannot be renamed; there is no
    /// file then.
    pub fn finish(self) -> Result<(), Report> {
        if !self.ended || self.writer.has_failed() {
            let error = io::Error::other("the waveform is incomplete");
            return Err(Report::io(&self.path, "writing", &error));
        }
        drop(self.writer);
        match self.rename {
            None => Ok(()),
            Some((temporary, target)) => temporary
                .persist(target)
                .map_err(|error| Report::io(&self.path, "renaming", &error.error)),
        }
    }
}

impl WaveSink for VcdFile {
    fn begin(&mut self, time: u64, values: &[Value]) -> io::Result<()> {
        self.writer.begin(time, values)
    }

    #[inline]
    fn time(&mut self, time: u64) -> io::Result<()> {
        self.writer.time(time)
    }

    #[inline]
    fn change(&mut self, index: usize, value: u64) -> io::Result<()> {
        self.writer.change(index, value)
    }

    fn end(&mut self, time: u64) -> io::Result<()> {
        self.writer.end(time)?;
        self.ended = true;
        Ok(())
    }
}

type Opened = (File, Option<(TempPath, PathBuf)>);

fn open(path: &Path) -> io::Result<Opened> {
    let target = match fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            return Err(io::Error::new(
                io::ErrorKind::IsADirectory,
                "it is a folder",
            ));
        }
        Ok(found) if !found.is_file() => {
            return Ok((File::options().write(true).open(path)?, None));
        }
        Ok(_) => fs::canonicalize(path)?,
        Err(_) => path.to_path_buf(),
    };
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let (file, temporary) = temporary_in(folder)
        .map_err(|error| without_temporary_name(&error))?
        .into_parts();
    Ok((file, Some((temporary, target))))
}

/// The same error without the name of a temporary file, which tells nobody
/// anything and differs from run to run.
pub(crate) fn without_temporary_name(error: &io::Error) -> io::Error {
    let text = error.to_string();
    let text = text.split(" at path ").next().unwrap_or_default();
    io::Error::new(error.kind(), text)
}

/// A new file with the permissions a file usually gets; temporary files are
/// otherwise for their owner only.
fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".crosswave-").suffix(".vcd.part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}
