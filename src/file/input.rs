//! Inputs, with a limit on their size, so that none is read until memory ends.
//!
//! A regular file that is larger is refused when it is opened, and a pipe when it has given
//! so much. Devices other than a terminal are refused, for they may have no end.
//!
//! | input | at most |
//! |---|---|
//! | configuration | [`CONFIG_BYTES_MAX`], 64 MiB |
//! | trace | [`TRACE_BYTES_MAX`], 4 GiB |
//! | schedule of packets (CSV) | [`SCHEDULE_BYTES_MAX`], 2 GiB |
//! | routing table (CSV, or forwarding tables with the wiring) | [`ROUTING_BYTES_MAX`], 2 GiB |
//! | netlist | [`NETLIST_BYTES_MAX`], 2 GiB |
//! | stimulus (CSV) | [`STIMULUS_BYTES_MAX`], 2 GiB |
//! | waveform (VCD) | [`WAVEFORM_BYTES_MAX`], 64 GiB |
//! | kept result of a point, manifest of a folder | [`KEPT_BYTES_MAX`], 64 MiB |

use std::fs::{File, Metadata};
use std::io::{self, IsTerminal, Read};
use std::path::Path;

use super::kind::FileKind;
use crate::diagnostic::{Class, Diagnostic, Error};

/// The largest configuration that is read: room for as many pairs as a network has nodes.
pub const CONFIG_BYTES_MAX: u64 = 64 << 20;
/// The largest trace that is read.
pub const TRACE_BYTES_MAX: u64 = 4 << 30;
/// The largest schedule of packets that is read.
pub const SCHEDULE_BYTES_MAX: u64 = 2 << 30;
/// The largest routing table that is read.
pub const ROUTING_BYTES_MAX: u64 = 2 << 30;
/// The largest netlist that is read; it is held in memory.
pub const NETLIST_BYTES_MAX: u64 = 2 << 30;
/// The largest stimulus that is read as CSV; it is held in memory.
pub const STIMULUS_BYTES_MAX: u64 = 2 << 30;
/// The largest waveform that is read.
pub const WAVEFORM_BYTES_MAX: u64 = 64 << 30;
/// The largest of the small files that the program has written itself and reads again.
pub const KEPT_BYTES_MAX: u64 = 64 << 20;

/// An input that fails instead of giving more than its limit.
#[derive(Debug)]
pub struct Limited<R> {
    input: R,
    bytes_max: u64,
    bytes_left: u64,
}

impl<R> Limited<R> {
    /// At most `bytes_max` bytes of an input.
    pub fn new(input: R, bytes_max: u64) -> Self {
        Limited {
            input,
            bytes_max,
            bytes_left: bytes_max,
        }
    }

    /// The input, of which some may have been read.
    pub fn into_inner(self) -> R {
        self.input
    }
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // One byte more is asked for, which tells an input that is too long from one that
        // ends at the limit.
        let most = usize::try_from(self.bytes_left.saturating_add(1)).unwrap_or(usize::MAX);
        let asked = buffer.len().min(most);
        let count = self.input.read(&mut buffer[..asked])?;
        match self.bytes_left.checked_sub(count as u64) {
            Some(left) => self.bytes_left = left,
            None => {
                let message = format!("it goes on after {} bytes, {MOST}", self.bytes_max);
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
        }
        Ok(count)
    }
}

/// What a limit is.
const MOST: &str = "the most that is read of such an input";

/// Finds what would keep an input from being read. What is no regular file, such as a pipe,
/// is not opened: that can be done once only.
///
/// # Errors
/// What the system says of it; or it is larger than `bytes_max`, a folder or a device.
pub fn check(path: &Path, bytes_max: u64) -> io::Result<()> {
    let found = std::fs::metadata(path)?;
    match found.is_file() || is_device(&found) {
        true => try_open(path, bytes_max).map(drop),
        false => check_kind(&found, false, bytes_max),
    }
}

/// Opens an input of at most `bytes_max` bytes.
///
/// # Errors
/// An error of [`Class::Io`] when it cannot be opened, is larger, or is a folder or a device.
pub fn open(path: &Path, bytes_max: u64) -> Result<Limited<File>, Error> {
    try_open(path, bytes_max).map_err(|error| Error::io(path, "reading", &error))
}

fn try_open(path: &Path, bytes_max: u64) -> io::Result<Limited<File>> {
    let file = File::open(path)?;
    check_kind(&file.metadata()?, file.is_terminal(), bytes_max)?;
    Ok(Limited::new(file, bytes_max))
}

/// Refuses what is not to be read.
fn check_kind(found: &Metadata, is_terminal: bool, bytes_max: u64) -> io::Result<()> {
    if found.is_dir() {
        let message = "it is a folder, expected a file";
        return Err(io::Error::new(io::ErrorKind::IsADirectory, message));
    }
    if is_device(found) && !is_terminal {
        let message = "it is a device, expected a file or a pipe";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    if found.is_file() && found.len() > bytes_max {
        let message = format!("it has {} bytes, and {bytes_max} are {MOST}", found.len());
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    Ok(())
}

/// Reads an input of at most `bytes_max` bytes.
///
/// # Errors
/// As [`open`], and when reading fails, or there is no memory for it.
pub fn read(path: &Path, bytes_max: u64) -> Result<Vec<u8>, Error> {
    let fail = |error: io::Error| Error::io(path, "reading", &error);
    let mut input = open(path, bytes_max)?;
    let known = input.input.metadata().map_or(0, |found| found.len());
    let mut bytes = Vec::new();
    let room = bytes.try_reserve_exact(usize::try_from(known).unwrap_or(usize::MAX));
    room.map_err(|_| fail(io::ErrorKind::OutOfMemory.into()))?;
    input.read_to_end(&mut bytes).map_err(fail)?;
    Ok(bytes)
}

/// Reads an input that is UTF-8 text; `class` is that of a report that it is not.
///
/// # Errors
/// As [`read`], and an error with the kind of file that it is, or the line of the first byte that
/// is not UTF-8.
pub fn read_text(path: &Path, bytes_max: u64, class: Class) -> Result<String, Error> {
    let bytes = read(path, bytes_max)?;
    let kind = FileKind::of(path, &bytes);
    if kind.is_binary() && std::str::from_utf8(&bytes).is_err() {
        let mistake = kind.mistake("text in UTF-8", kind.to_text());
        return Err(Error::one(class, path.display().to_string(), mistake));
    }
    utf8(&path.display().to_string(), bytes, class)
}

/// The text of an input that was read; `origin` names it in a report of `class`.
///
/// # Errors
/// With the line of the first byte that is not UTF-8.
pub fn utf8(origin: &str, bytes: Vec<u8>, class: Class) -> Result<String, Error> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let before = &error.as_bytes()[..at];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        Error::one(
            class,
            origin,
            Diagnostic::new(
                format!("line {line}"),
                "found bytes that are not UTF-8, expected text in UTF-8",
                "save the file as UTF-8",
            ),
        )
    })
}

#[cfg(unix)]
fn is_device(found: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    found.file_type().is_char_device() || found.file_type().is_block_device()
}

#[cfg(not(unix))]
fn is_device(_: &Metadata) -> bool {
    false
}
