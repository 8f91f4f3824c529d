//! A VCD file that appears under its name only when it is whole.

use std::fs::File;
use std::io;
use std::path::Path;

use super::timescale::Timescale;
use super::vcd_writer::VcdWriter;
use crate::diagnostic::Error;
use crate::file::PendingFile;
use crate::probe::signal::{SignalSet, Value, WaveSink};

#[cfg(test)]
mod tests;

/// A [`VcdWriter`] on a file.
///
/// It is a [`PendingFile`] until [`VcdFile::finish`]. A run that fails, or a value
/// that is dropped, leaves nothing.
#[derive(Debug)]
pub struct VcdFile {
    writer: VcdWriter<File>,
    pending: PendingFile,
    ended: bool,
}

impl VcdFile {
    /// Creates the file and writes the header.
    ///
    /// # Errors
    /// An error of [`Class::Io`](crate::diagnostic::Class::Io) when the folder does
    /// not exist or cannot be written to, or the disk is full.
    pub fn create(path: &Path, set: &SignalSet, timescale: Timescale) -> Result<Self, Error> {
        let pending = PendingFile::create(path)?;
        let writer = VcdWriter::new(set, timescale, pending.file()?)
            .map_err(|error| pending.error(&error))?;
        Ok(VcdFile {
            writer,
            pending,
            ended: false,
        })
    }

    /// What is said when a call of [`WaveSink`] on this file failed.
    pub fn error(&self, error: &io::Error) -> Error {
        self.pending.error(error)
    }

    /// Gives the file its name. [`WaveSink::end`] must have been called.
    ///
    /// # Errors
    /// An error of [`Class::Io`](crate::diagnostic::Class::Io) when the run was not
    /// ended, a write failed before, or the file cannot be renamed; there is no
    /// file then.
    pub fn finish(self) -> Result<(), Error> {
        if !self.ended || self.writer.has_failed() {
            let error = io::Error::other("the waveform is incomplete");
            return Err(self.pending.error(&error));
        }
        drop(self.writer);
        self.pending.finish()
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
