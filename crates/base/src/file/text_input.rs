//! Inputs that are text, of which files of another kind are told by how they begin.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use super::input::{self, InputKind, Limited};
use super::kind::FileKind;
use crate::diagnostic::{Class, Error};

/// Bytes that are read at a time.
const READ_BYTES: usize = 1 << 16;

/// Opens an input that is `expected`, as in "expected a table".
/// What may be text of any form is left to its reader.
///
/// # Errors
/// As [`input::open`], and an error of [`Class::Input`] for a file of another kind, with what
/// makes text of it.
pub fn open(
    path: &Path,
    kind: InputKind,
    expected: &str,
) -> Result<BufReader<Limited<File>>, Error> {
    let mut input = BufReader::with_capacity(READ_BYTES, input::open(path, kind)?);
    let beginning = input
        .fill_buf()
        .map_err(|error| Error::io(path, "reading", &error))?;
    let found = FileKind::of(path, beginning);
    let help = match found {
        // The reader says what is missing, or in which line the mistake is.
        FileKind::Csv | FileKind::Text | FileKind::Toml | FileKind::Empty => return Ok(input),
        FileKind::Gzip => "`gunzip FILE` unpacks it",
        FileKind::Compressed(_) => "unpack it first",
        FileKind::Utf16 => "`iconv -f UTF-16 -t UTF-8 FILE` makes UTF-8 of it",
        FileKind::Vcd | FileKind::Fst => "`crosswave show FILE` draws a waveform",
        FileKind::Parquet => "write the table as CSV",
        _ => "",
    };
    let origin = path.display().to_string();
    Err(Error::one(
        Class::Input,
        origin,
        found.mistake(expected, help),
    ))
}
