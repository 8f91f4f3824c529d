//! Inputs, with a limit on their size, so that none is read until memory ends.
//!
//! A regular file that is larger is refused when it is opened, and a pipe when it has given
//! so much. Devices other than a terminal are refused, for they may have no end.
//!
//! Every input is noted as it is opened, so that no output replaces it
//! ([`claims`]).
//!
//! | input | at most |
//! |---|---|
//! | [`CONFIGURATION`] | 64 MiB: room for as many pairs as a network has nodes |
//! | [`TRACE`] | 4 GiB |
//! | [`MATRIX`] of traffic (CSV) | 256 MiB |
//! | [`SCHEDULE`] of packets (CSV) | 2 GiB |
//! | [`ROUTING_TABLE`] (CSV, or forwarding tables) and their [`WIRING`] | 2 GiB |
//! | [`ROUTERS`], [`LINKS`] (CSV), [`STRUCTURE`] (text or GraphML) | 64 MiB each; they are held in memory |
//! | [`VERILOG`] | 64 MiB |
//! | [`NETLIST`] | 2 GiB; it is held in memory |
//! | [`STIMULUS`] (CSV) | 2 GiB; it is held in memory |
//! | [`WAVEFORM`] | 64 GiB |
//! | [`HIERARCHY`] of an unfinished FST file | 1 GiB |
//! | [`CHECKPOINTS`] | 64 GiB |
//! | [`MESSAGES`] (CSV) | 4 GiB |
//! | [`KEPT`]: result of a point, manifest of a folder | 64 MiB |

use std::fs::{File, Metadata};
use std::io::{self, IsTerminal, Read};
use std::path::Path;

use super::claims;
use super::kind::FileKind;
use crate::diagnostic::{Class, Diagnostic, Error};

/// A kind of input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputKind {
    /// The name of such an input in messages, with its article.
    pub name: &'static str,
    /// The bytes of the largest one that is read.
    pub bytes_max: u64,
}

impl InputKind {
    const fn new(name: &'static str, bytes_max: u64) -> InputKind {
        InputKind { name, bytes_max }
    }
}

/// A configuration.
pub const CONFIGURATION: InputKind = InputKind::new("the configuration", 64 << 20);
/// A trace of messages.
pub const TRACE: InputKind = InputKind::new("the trace", 4 << 30);
/// Weights of pairs of nodes.
pub const MATRIX: InputKind = InputKind::new("the traffic matrix", 256 << 20);
/// A schedule of packets.
pub const SCHEDULE: InputKind = InputKind::new("the schedule", 2 << 30);
/// A routing table, or the forwarding tables of a subnet.
pub const ROUTING_TABLE: InputKind = InputKind::new("the routing table", 2 << 30);
/// The wiring of a subnet.
pub const WIRING: InputKind = InputKind::new("the wiring", 2 << 30);
/// A component file.
pub const COMPONENT: InputKind = InputKind::new("the component file", 4 << 20);
/// A list of routers (CSV).
pub const ROUTERS: InputKind = InputKind::new("the list of routers", 64 << 20);
/// A list of links (CSV).
pub const LINKS: InputKind = InputKind::new("the list of links", 64 << 20);
/// A network as text or GraphML.
pub const STRUCTURE: InputKind = InputKind::new("the network", 64 << 20);
/// Verilog.
pub const VERILOG: InputKind = InputKind::new("the Verilog", 64 << 20);
/// A netlist.
pub const NETLIST: InputKind = InputKind::new("the netlist", 2 << 30);
/// A stimulus as CSV.
pub const STIMULUS: InputKind = InputKind::new("the stimulus", 2 << 30);
/// A waveform.
pub const WAVEFORM: InputKind = InputKind::new("the waveform", 64 << 30);
/// The declarations that stand beside an unfinished FST file.
pub const HIERARCHY: InputKind = InputKind::new("the hierarchy of the waveform", 1 << 30);
/// The checkpoints of a run.
pub const CHECKPOINTS: InputKind = InputKind::new("the file of checkpoints", 64 << 30);
/// A table of messages.
pub const MESSAGES: InputKind = InputKind::new("the table of messages", 4 << 30);
/// The coverage of a run.
pub const COVERAGE: InputKind = InputKind::new("the coverage", 1 << 30);
/// A small file that the program has written itself and reads again.
pub const KEPT: InputKind = InputKind::new("a kept result", 64 << 20);

/// An input that fails instead of giving more than its limit. A call of the system that was interrupted is made again:
/// a buffered reader would hand on its error.
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
        let count = loop {
            match self.input.read(&mut buffer[..asked]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => break read?,
            }
        };
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

/// Description of a limit in messages.
const MOST: &str = "the most that is read of such an input";

/// Finds what would keep an input from being read. What is no regular file, such as a pipe,
/// is not opened: that can be done once only.
///
/// # Errors
/// What the system says of it; or it is larger than its kind may be, a folder or a device.
pub fn check(path: &Path, kind: InputKind) -> io::Result<()> {
    let found = std::fs::metadata(path)?;
    match found.is_file() || is_device(&found) {
        true => try_open(path, kind.bytes_max).map(drop),
        false => check_kind(&found, false, kind.bytes_max),
    }
}

/// Notes that an input is going to be read, before it is opened.
///
/// # Errors
/// An error of [`Class::Usage`] when it is to be written.
pub fn note(path: &Path, kind: InputKind) -> Result<(), Error> {
    claims::note_input(path, kind.name)
}

/// Opens an input, and notes that it is read.
///
/// # Errors
/// An error of [`Class::Io`] when it cannot be opened, is larger than its kind may be, or is a
/// folder or a device; and an error of [`Class::Usage`] when it is to be written.
pub fn open(path: &Path, kind: InputKind) -> Result<Limited<File>, Error> {
    let input = open_own(path, kind)?;
    note(path, kind)?;
    Ok(input)
}

/// Opens a file that the program has written, and may write again: it is not noted.
///
/// # Errors
/// An error of [`Class::Io`] as [`open`].
pub fn open_own(path: &Path, kind: InputKind) -> Result<Limited<File>, Error> {
    try_open(path, kind.bytes_max).map_err(|error| Error::io(path, "reading", &error))
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

/// Reads a whole input.
///
/// # Errors
/// As [`open`], and when reading fails, or there is no memory for it.
pub fn read(path: &Path, kind: InputKind) -> Result<Vec<u8>, Error> {
    read_all(path, open(path, kind)?)
}

fn read_all(path: &Path, mut input: Limited<File>) -> Result<Vec<u8>, Error> {
    let fail = |error: io::Error| Error::io(path, "reading", &error);
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
pub fn read_text(path: &Path, kind: InputKind, class: Class) -> Result<String, Error> {
    text(path, read(path, kind)?, class)
}

/// Reads a text that the program has written, and may write again: it is not noted.
///
/// # Errors
/// As [`open_own`] and [`read_text`].
pub fn read_own_text(path: &Path, kind: InputKind) -> Result<String, Error> {
    let bytes = read_all(path, open_own(path, kind)?)?;
    text(path, bytes, Class::Input)
}

/// The text that was read of an input.
///
/// # Errors
/// As [`read_text`].
pub fn text(path: &Path, bytes: Vec<u8>, class: Class) -> Result<String, Error> {
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
