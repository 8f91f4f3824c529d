//! FST files whose writer was stopped, or is still at work.
//!
//! A writer appends sections of changes, and only at its end the widths of the variables and
//! the declarations. Until then these stand in a file beside it, `NAME.hier`, as they will be
//! unpacked. Here the whole sections get behind them what the writer would have appended, and
//! the file is read as any other.

use std::ffi::OsString;
use std::io::{self, BufRead, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::check::Sections;
use super::declarations::is_real;
use super::hierarchy::{Entries, HierarchyEntry};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file::gzip::{self, Unpacked};
use crosswave_base::file::input::{self, Limited};

/// A file that was made whole.
pub(super) struct Repaired {
    /// Its bytes, with widths, and without declarations.
    pub(super) bytes: Vec<u8>,
    /// The declarations.
    pub(super) hierarchy: Vec<u8>,
    /// The warning that the file was repaired.
    pub(super) warning: Diagnostic,
}

/// Makes a file of this name whole; `None` when its declarations are nowhere.
///
/// # Errors
/// An error of [`Class::Io`] when reading fails, and of [`Class::Usage`] when the declarations
/// are to be written.
pub(super) fn repaired(
    name: &Path,
    input: &mut (impl BufRead + Seek),
    sections: &Sections,
    bytes_max: u64,
) -> Result<Option<Repaired>, Error> {
    let Some(mut hierarchy) = beside(name)? else {
        return Ok(None);
    };
    let mut widths = Vec::new();
    let mut entries = Entries::new(&hierarchy);
    for entry in entries.by_ref() {
        if let HierarchyEntry::Variable {
            kind,
            length,
            is_alias: false,
            ..
        } = entry
        {
            widths.push(match length {
                _ if is_real(kind) => 0,
                0 => u32::MAX,
                length => length,
            });
        }
    }
    let whole = hierarchy.len() - entries.rest().len();
    hierarchy.truncate(whole);
    if widths.is_empty() {
        return Ok(None);
    }
    // The declarations that came last may be lost while their changes are not.
    let handles = usize::try_from(sections.handles_of_changes).unwrap_or(usize::MAX);
    if handles > widths.len() && handles <= sections.whole as usize {
        widths.resize(handles, 1);
    }
    let fail = |error: io::Error| Error::io(name, "reading", &error);
    input.seek(SeekFrom::Start(0)).map_err(fail)?;
    let mut bytes = Vec::new();
    let mut part = Limited::new(input.take(sections.whole), bytes_max);
    part.read_to_end(&mut bytes).map_err(fail)?;
    append_geometry(&widths, &mut bytes);
    append_section(4, &[0; 8], &mut bytes);
    let read = match sections.last_time() {
        Some(time) => format!("what it had written is read, up to time {time}"),
        None => "it had not written any changes yet".to_owned(),
    };
    let message = format!("the program that wrote it was stopped, or still runs; {read}");
    let help = "`$dumpflush` writes what there is so far";
    Ok(Some(Repaired {
        bytes,
        hierarchy,
        warning: Diagnostic::new("end of file", message, help),
    }))
}

/// The declarations in the file beside one.
fn beside(name: &Path) -> Result<Option<Vec<u8>>, Error> {
    let mut beside = OsString::from(name);
    beside.push(".hier");
    let beside = PathBuf::from(beside);
    let file = match input::open(&beside, input::HIERARCHY) {
        Ok(file) => file,
        // An output was to replace it.
        Err(error) if error.class == Class::Usage => return Err(error),
        Err(_) => return Ok(None),
    };
    let fail = |error: io::Error| Error::io(&beside, "reading", &error);
    let mut file = io::BufReader::new(file);
    let mut bytes = Vec::new();
    match file.fill_buf().map_err(fail)?.starts_with(&gzip::MAGIC) {
        true => {
            let mut unpacked = Limited::new(Unpacked::new(file), input::HIERARCHY.bytes_max);
            if unpacked.read_to_end(&mut bytes).is_err() && bytes.is_empty() {
                return Ok(None);
            }
        }
        false => drop(file.read_to_end(&mut bytes).map_err(fail)?),
    }
    Ok(Some(bytes))
}

/// Appends the section of widths, not compressed.
fn append_geometry(widths: &[u32], bytes: &mut Vec<u8>) {
    let mut packed = Vec::new();
    for &width in widths {
        let mut left = width;
        while left >= 0x80 {
            packed.push(left as u8 | 0x80);
            left >>= 7;
        }
        packed.push(left as u8);
    }
    let mut section = Vec::new();
    section.extend((packed.len() as u64).to_be_bytes());
    section.extend((widths.len() as u64).to_be_bytes());
    section.extend(packed);
    append_section(3, &section, bytes);
}

fn append_section(kind: u8, content: &[u8], bytes: &mut Vec<u8>) {
    bytes.push(kind);
    bytes.extend((content.len() as u64 + 8).to_be_bytes());
    bytes.extend(content);
}
