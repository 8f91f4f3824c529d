//! A waveform file of four-valued vectors, which appears under its name only when it is
//! whole.

use std::io;
use std::path::Path;

use super::declarations::{Declarations, declare};
use super::file_format::{FileFormat, VcdOutput};
use super::fst::{FstHierarchy, FstStream, Handle};
use super::timescale::Timescale;
use super::value::Bit;
use super::vector_writer::{VectorSignal, VectorWriter, declared_names, scope_name};
use crosswave_base::diagnostic::Error;
use crosswave_base::file::{PendingFile, SharedFile};
use crosswave_probe::signal::Scope;

/// Scopes with vectors of any width, on a file.
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
        scopes: &[Scope],
        signals: &[VectorSignal],
    ) -> Result<VectorFile, Error> {
        let pending = PendingFile::create(path)?;
        let file = pending.file();
        let writer = match format {
            FileFormat::Fst => fst(file, timescale, scopes, signals),
            FileFormat::Vcd | FileFormat::VcdGz => {
                let out = VcdOutput::new(file, format == FileFormat::VcdGz);
                VectorWriter::new(out, timescale, scopes, signals).map(VariableWriter::Vcd)
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

    /// A signal without an alias takes a value, the least significant bit first.
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

/// An FST file of some scopes and signals.
fn fst(
    file: SharedFile,
    timescale: Timescale,
    scopes: &[Scope],
    signals: &[VectorSignal],
) -> io::Result<VariableWriter> {
    let mut header = FstVectorHeader {
        hierarchy: FstHierarchy::new(),
        signals,
        names: declared_names(signals),
        handles: vec![None; signals.len()],
    };
    let within = signals.iter().map(|signal| signal.scope);
    declare(scopes, within, &mut header)?;
    let handles = header.handles.into_iter().map(Option::unwrap_or_default);
    let handles = handles.collect();
    let stream = FstStream::new(file, timescale, header.hierarchy)?;
    Ok(VariableWriter::Fst(stream, handles))
}

/// The declarations of a file.
struct FstVectorHeader<'a> {
    hierarchy: FstHierarchy,
    signals: &'a [VectorSignal],
    names: Vec<String>,
    /// The handle of each signal that has been declared, or that one with an alias to it has.
    handles: Vec<Option<Handle>>,
}

impl Declarations for FstVectorHeader<'_> {
    fn open(&mut self, scope: &str) -> io::Result<()> {
        self.hierarchy.open(&scope_name(scope))
    }

    fn signal(&mut self, index: usize) -> io::Result<()> {
        let signal = &self.signals[index];
        let (left, right) = signal.range;
        let name = &self.names[index];
        let name = match signal.width {
            1 => name.clone(),
            _ => format!("{name} [{left}:{right}]"),
        };
        // Scopes are declared in another order than signals have, so either may come first.
        let own = signal.alias.unwrap_or(index);
        match self.handles[own] {
            Some(handle) => self.hierarchy.alias(&name, handle)?,
            None => self.handles[own] = Some(self.hierarchy.variable(&name, signal.width)?),
        }
        Ok(())
    }

    fn close(&mut self) -> io::Result<()> {
        self.hierarchy.close()
    }
}
