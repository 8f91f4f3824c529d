//! A waveform file of four-valued vectors, which appears under its name only when it is
//! whole.

use std::io;
use std::path::Path;

use super::file_format::{FileFormat, VcdOutput};
use super::fst::{FstHierarchy, FstStream, Handle};
use super::timescale::Timescale;
use super::value::Bit;
use super::vector_writer::{VectorSignal, VectorWriter, declared_names, escaped};
use crosswave_base::diagnostic::Error;
use crosswave_base::file::{PendingFile, SharedFile};

/// One scope of vectors of any width, on a file.
#[derive(Debug)]
pub struct VectorFile {
    writer: VariableWriter,
    pending: PendingFile,
}

#[derive(Debug)]
enum VariableWriter {
    Vcd(VectorWriter<VcdOutput>),
    Fst(FstStream<SharedFile>, Vec<Handle>),
}

impl VectorFile {
    /// Creates the file and writes the header.
    ///
    /// # Errors
    /// As [`WaveFile::create`](super::WaveFile::create).
    pub fn create(
        path: &Path,
        format: FileFormat,
        timescale: Timescale,
        scope: &str,
        signals: &[VectorSignal],
    ) -> Result<VectorFile, Error> {
        let pending = PendingFile::create(path)?;
        let file = pending.file();
        let writer = match format {
            FileFormat::Fst => fst(file, timescale, scope, signals),
            FileFormat::Vcd | FileFormat::VcdGz => {
                let out = VcdOutput::new(file, format == FileFormat::VcdGz);
                VectorWriter::new(out, timescale, scope, signals).map(VariableWriter::Vcd)
            }
        };
        Ok(VectorFile {
            writer: writer.map_err(|error| pending.error(&error))?,
            pending,
        })
    }

    /// Sets the time of the values that follow; times rise.
    ///
    /// # Errors
    /// As [`VectorFile::create`].
    pub fn time(&mut self, time: u64) -> Result<(), Error> {
        let done = match &mut self.writer {
            VariableWriter::Vcd(writer) => writer.time(time),
            VariableWriter::Fst(stream, _) => stream.time(time),
        };
        done.map_err(|error| self.pending.error(&error))
    }

    /// A signal takes a value, the least significant bit first.
    ///
    /// # Errors
    /// As [`VectorFile::create`].
    pub fn change(&mut self, signal: usize, bits: &[Bit]) -> Result<(), Error> {
        let done = match &mut self.writer {
            VariableWriter::Vcd(writer) => writer.change(signal, bits),
            VariableWriter::Fst(stream, handles) => {
                stream.change_bits(handles[signal], bits);
                Ok(())
            }
        };
        done.map_err(|error| self.pending.error(&error))
    }

    /// Ends the file at `time` and gives it its name.
    ///
    /// # Errors
    /// As [`VectorFile::create`]; there is no file then.
    pub fn finish(self, time: u64) -> Result<(), Error> {
        let done = match self.writer {
            VariableWriter::Vcd(writer) => writer.finish(time).and_then(VcdOutput::finish),
            VariableWriter::Fst(mut stream, _) => stream.end(time),
        };
        done.map_err(|error| self.pending.error(&error))?;
        self.pending.finish()
    }
}

/// An FST file of one scope.
fn fst(
    file: SharedFile,
    timescale: Timescale,
    scope: &str,
    signals: &[VectorSignal],
) -> io::Result<VariableWriter> {
    let mut hierarchy = FstHierarchy::new();
    hierarchy.open(&escaped(scope))?;
    let mut handles = Vec::new();
    for (signal, name) in signals.iter().zip(declared_names(signals)) {
        let (left, right) = signal.range;
        let name = match signal.width {
            1 => name,
            _ => format!("{name} [{left}:{right}]"),
        };
        handles.push(hierarchy.variable(&name, signal.width)?);
    }
    hierarchy.close()?;
    let stream = FstStream::new(file, timescale, hierarchy)?;
    Ok(VariableWriter::Fst(stream, handles))
}
