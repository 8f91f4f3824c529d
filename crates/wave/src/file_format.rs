//! The formats of waveform files, and what a name says of them.

use std::io::{self, Write};
use std::path::Path;

use crosswave_base::file::SharedFile;
use crosswave_base::file::gzip::Packed;

/// A format that waveforms are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    /// A value change dump.
    Vcd,
    /// A value change dump, compressed with gzip.
    VcdGz,
    /// GTKWave's FST.
    Fst,
}

impl FileFormat {
    /// All of them. An ending comes before those that it ends with.
    pub const ALL: [FileFormat; 3] = [FileFormat::VcdGz, FileFormat::Vcd, FileFormat::Fst];

    /// The end of a name that promises it, behind a dot.
    pub fn ending(self) -> &'static str {
        match self {
            FileFormat::Vcd => "vcd",
            FileFormat::VcdGz => "vcd.gz",
            FileFormat::Fst => "fst",
        }
    }

    /// The format that a name promises, in letters of any case.
    ///
    /// ```
    /// use crosswave_wave::FileFormat;
    /// assert_eq!(FileFormat::of_name("a.VCD.gz".as_ref()), Some(FileFormat::VcdGz));
    /// assert_eq!(FileFormat::of_name("a.gz".as_ref()), None);
    /// ```
    pub fn of_name(path: &Path) -> Option<FileFormat> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let ends = |format: &FileFormat| {
            let stem = name.strip_suffix(format.ending());
            stem.is_some_and(|stem| stem.ends_with('.'))
        };
        FileFormat::ALL.into_iter().find(ends)
    }
}

/// The output of a VCD file.
#[derive(Debug)]
pub(super) enum VcdOutput {
    /// As it is.
    Plain(SharedFile),
    /// Compressed.
    Compressed(Packed<SharedFile>),
}

impl VcdOutput {
    /// Writes to a file, compressed or not.
    pub(super) fn new(file: SharedFile, compressed: bool) -> VcdOutput {
        match compressed {
            true => VcdOutput::Compressed(Packed::new(file)),
            false => VcdOutput::Plain(file),
        }
    }

    /// Writes what is left.
    pub(super) fn finish(self) -> io::Result<()> {
        match self {
            VcdOutput::Plain(mut file) => file.flush(),
            VcdOutput::Compressed(encoder) => encoder.finish()?.flush(),
        }
    }
}

impl Write for VcdOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            VcdOutput::Plain(file) => file.write(bytes),
            VcdOutput::Compressed(encoder) => encoder.write(bytes),
        }
    }

    /// Compressed bytes are handed on at the end only.
    fn flush(&mut self) -> io::Result<()> {
        match self {
            VcdOutput::Plain(file) => file.flush(),
            VcdOutput::Compressed(_) => Ok(()),
        }
    }
}
