//! The waveform file of a run, which appears under its name only when it is whole.

use std::io;
use std::path::Path;

use super::file_format::{FileFormat, VcdOutput};
use super::fst_writer::{self, FstWriter};
use super::timescale::Timescale;
use super::vcd_writer::VcdWriter;
use crosswave_base::diagnostic::Error;
use crosswave_base::file::{PendingFile, SharedFile};
use crosswave_probe::signal::{SignalSet, Value, WaveSink};

#[cfg(test)]
mod tests;

/// A [`VcdWriter`] or an [`FstWriter`] on a file.
///
/// It is a [`PendingFile`] until [`WaveFile::finish`]. A run that fails, or a value
/// that is dropped, leaves nothing.
#[derive(Debug)]
pub struct WaveFile {
    writer: SignalWriter,
    pending: PendingFile,
    ended: bool,
}

#[derive(Debug)]
enum SignalWriter {
    Vcd(VcdWriter<VcdOutput>),
    Fst(FstWriter<SharedFile>),
}

impl WaveFile {
    /// Creates the file and writes the header. FST needs an output that can be written in
    /// any order.
    ///
    /// # Errors
    /// An error of [`Class::Io`](crosswave_base::diagnostic::Class::Io) when the folder does
    /// not exist or cannot be written to, or the disk is full.
    pub fn create(
        path: &Path,
        format: FileFormat,
        set: &SignalSet,
        timescale: Timescale,
    ) -> Result<Self, Error> {
        let pending = PendingFile::create(path)?;
        let file = pending.file();
        let writer = match format {
            FileFormat::Fst => FstWriter::new(set, timescale, file).map(SignalWriter::Fst),
            FileFormat::Vcd | FileFormat::VcdGz => {
                let out = VcdOutput::new(file, format == FileFormat::VcdGz);
                VcdWriter::new(set, timescale, out).map(SignalWriter::Vcd)
            }
        };
        Ok(WaveFile {
            writer: writer.map_err(|error| pending.error(&error))?,
            pending,
            ended: false,
        })
    }

    /// Bytes of memory that a file of so many signals takes at most, beyond those of VCD.
    pub fn memory(format: FileFormat, signals: u64) -> u64 {
        match format {
            FileFormat::Vcd | FileFormat::VcdGz => 0,
            FileFormat::Fst => fst_writer::memory(signals),
        }
    }

    /// The error that reports a failed call of [`WaveSink`] on this file.
    pub fn error(&self, error: &io::Error) -> Error {
        self.pending.error(error)
    }

    /// Gives the file its name. [`WaveSink::end`] must have been called.
    ///
    /// # Errors
    /// An error of [`Class::Io`](crosswave_base::diagnostic::Class::Io) when the run was not
    /// ended, a write failed before, or the file cannot be renamed; there is no
    /// file then.
    pub fn finish(self) -> Result<(), Error> {
        self.finish_with(Vec::new())
    }

    /// Gives the file its name, and others that belong to it theirs: all, or none.
    ///
    /// # Errors
    /// As [`WaveFile::finish`].
    pub fn finish_with(self, others: Vec<PendingFile>) -> Result<(), Error> {
        let failed = match &self.writer {
            SignalWriter::Vcd(writer) => writer.has_failed(),
            SignalWriter::Fst(writer) => writer.has_failed(),
        };
        if !self.ended || failed {
            let error = io::Error::other("the waveform is incomplete");
            return Err(self.pending.error(&error));
        }
        match self.writer {
            SignalWriter::Vcd(writer) => {
                let finished = writer.into_inner().finish();
                finished.map_err(|error| self.pending.error(&error))?;
            }
            SignalWriter::Fst(writer) => drop(writer),
        }
        let mut files = others;
        files.insert(0, self.pending);
        PendingFile::finish_all(files)
    }
}

impl WaveSink for WaveFile {
    fn begin(&mut self, time: u64, values: &[Value]) -> io::Result<()> {
        match &mut self.writer {
            SignalWriter::Vcd(writer) => writer.begin(time, values),
            SignalWriter::Fst(writer) => writer.begin(time, values),
        }
    }

    #[inline]
    fn time(&mut self, time: u64) -> io::Result<()> {
        match &mut self.writer {
            SignalWriter::Vcd(writer) => writer.time(time),
            SignalWriter::Fst(writer) => writer.time(time),
        }
    }

    #[inline]
    fn change(&mut self, index: usize, value: u64) -> io::Result<()> {
        match &mut self.writer {
            SignalWriter::Vcd(writer) => writer.change(index, value),
            SignalWriter::Fst(writer) => writer.change(index, value),
        }
    }

    fn end(&mut self, time: u64) -> io::Result<()> {
        match &mut self.writer {
            SignalWriter::Vcd(writer) => writer.end(time),
            SignalWriter::Fst(writer) => writer.end(time),
        }?;
        self.ended = true;
        Ok(())
    }
}
