//! Files of states of a run, from which any part of it can be run again.
//!
//! # Format
//!
//! Numbers have eight bytes, the little end first; a digest is SHA-256.
//!
//! ```text
//! file     = magic header section* end
//! magic    = the name of the kind of file, its version, a line feed
//! header   = length, postcard of the header, digest of all before it
//! section  = cycle, length, digest of (digest of the header, cycle, length, body), body
//! end      = u64::MAX, number of sections, digest of (digest of the header, both numbers)
//! body     = deflated: postcard of the state
//! ```
//!
//! A reader believes nothing unseen: the header and the end are compared with their digests
//! when the file is opened, a section before its state is used. So a byte that is another
//! one is found, or lies in a section that is not used. A file without its end is cut short.
//! The digests find damage; they are no protection from someone who writes them anew. So whoever uses a
//! state checks it as well.

use std::io::{self, Read, Seek, SeekFrom, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crosswave_base::diagnostic::{Class, Diagnostic, Error};

/// Bytes that a header may have: a configuration of a megabyte, and some more.
const HEADER_BYTES_MAX: u64 = 1 << 22;
/// Bytes that a state may become when it is unpacked.
const STATE_BYTES_MAX: u64 = 1 << 36;

/// A SHA-256 digest.
pub type Sum = [u8; 32];

/// The digest of a file that a run is of.
pub fn digest(bytes: &[u8]) -> Sum {
    sum(&[bytes])
}

fn sum(parts: &[&[u8]]) -> Sum {
    let mut digest = Sha256::new();
    parts.iter().for_each(|part| digest.update(part));
    digest.finalize().into()
}

/// A kind of file.
#[derive(Debug, Clone, Copy)]
pub struct StateFormat {
    /// First bytes of a file of any version.
    pub name: &'static str,
    /// The version, which goes up when something else is saved.
    pub version: u32,
    /// Advice on getting such a file.
    pub origin: &'static str,
    /// Advice on getting another one for a damaged one.
    pub again: &'static str,
}

impl StateFormat {
    fn magic(&self) -> Vec<u8> {
        format!("{}{}\n", self.name, self.version).into_bytes()
    }

    /// The error of a state in a file that no such run has.
    pub fn impossible(&self, cycle: u64, origin: &str, reason: &str) -> Error {
        let message = format!("no run has such a state: {reason}");
        diagnostic(origin, &place(cycle), message, self.again)
    }

    /// The error of a read that fails, or ends too soon.
    fn read_error(&self, origin: &str, error: &io::Error) -> Error {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                diagnostic(origin, "its end", "it is cut short".to_owned(), self.again)
            }
            _ => Error::io(origin.as_ref(), "reading", error),
        }
    }
}

/// The place of a state, for an error.
fn place(cycle: u64) -> String {
    format!("the checkpoint of cycle {cycle}")
}

/// A file that is being written.
#[derive(Debug)]
pub struct StateWriter<W: Write> {
    out: W,
    header: Sum,
    sections: u64,
}

impl<W: Write> StateWriter<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// When writing fails.
    ///
    /// # Panics
    /// When postcard cannot write the header.
    pub fn new(
        mut out: W,
        format: &StateFormat,
        header: &impl Serialize,
    ) -> io::Result<StateWriter<W>> {
        let body = postcard::to_stdvec(header).expect("a header has only plain values");
        let length = (body.len() as u64).to_le_bytes();
        let magic = format.magic();
        let header = sum(&[&magic, &length, &body]);
        for part in [&magic, &length[..], &body, &header] {
            out.write_all(part)?;
        }
        Ok(StateWriter {
            out,
            header,
            sections: 0,
        })
    }

    /// Writes the state of a cycle.
    ///
    /// # Errors
    /// When writing fails.
    ///
    /// # Panics
    /// When postcard cannot write the state.
    pub fn write(&mut self, cycle: u64, state: &impl Serialize) -> io::Result<()> {
        let body = postcard::to_stdvec(state);
        let body = body.expect("a state has only plain values");
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(&body)?;
        let body = packed.finish()?;
        let numbers = [cycle, body.len() as u64].map(u64::to_le_bytes);
        let numbers = numbers.as_flattened();
        self.out.write_all(numbers)?;
        self.out.write_all(&sum(&[&self.header, numbers, &body]))?;
        self.out.write_all(&body)?;
        self.sections += 1;
        Ok(())
    }

    /// Number of states written.
    pub fn count(&self) -> u64 {
        self.sections
    }

    /// Ends the file.
    ///
    /// # Errors
    /// When writing fails.
    pub fn finish(mut self) -> io::Result<W> {
        let numbers = [u64::MAX, self.sections].map(u64::to_le_bytes);
        let numbers = numbers.as_flattened();
        self.out.write_all(numbers)?;
        self.out.write_all(&sum(&[&self.header, numbers]))?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// A section of a file.
#[derive(Debug, Clone, Copy)]
struct Section {
    cycle: u64,
    length: u64,
    digest: Sum,
    /// Offset of its body in the file, in bytes.
    at: u64,
}

/// A difference of a header from the one that is expected, and advice.
pub type Difference = (String, &'static str);

/// States in a file.
#[derive(Debug)]
pub struct StateFile<R> {
    input: R,
    format: StateFormat,
    origin: String,
    header: Sum,
    sections: Vec<Section>,
}

impl<R: Read + Seek> StateFile<R> {
    /// Opens a file whose header `check` finds no difference in.
    ///
    /// # Errors
    /// When it is no such file, has a difference, is damaged or cut short ([`Class::Input`]), and
    /// when reading fails ([`Class::Io`]).
    pub fn open<H: DeserializeOwned>(
        mut input: R,
        origin: &str,
        format: StateFormat,
        check: impl FnOnce(&H) -> Option<Difference>,
    ) -> Result<StateFile<R>, Error> {
        let said = |(message, help)| diagnostic(origin, "header", message, help);
        let expected = format.magic();
        let mut magic = vec![0; expected.len()];
        let read = input.read_exact(&mut magic);
        if read.is_err() || magic != expected {
            let message = match magic.starts_with(format.name.as_bytes()) {
                true => "it is of another version of checkpoints",
                false => "it is no file of checkpoints",
            };
            return Err(said((message.to_owned(), format.origin)));
        }
        let damaged = || said((DAMAGED.to_owned(), format.again));
        let mut failed = |error: io::Error| format.read_error(origin, &error);
        let length = number(&mut input).map_err(&mut failed)?;
        if length > HEADER_BYTES_MAX {
            return Err(damaged());
        }
        let body = bytes(&mut input, length).map_err(&mut failed)?;
        let digest = array(&mut input).map_err(&mut failed)?;
        if digest != sum(&[&magic, &length.to_le_bytes(), &body]) {
            return Err(damaged());
        }
        let found: H = postcard::from_bytes(&body).map_err(|_| damaged())?;
        if let Some(difference) = check(&found) {
            return Err(said(difference));
        }
        // A place behind the end may be one that the system does not seek.
        let begin = input.stream_position().map_err(&mut failed)?;
        let size = input.seek(SeekFrom::End(0)).map_err(&mut failed)?;
        input.seek(SeekFrom::Start(begin)).map_err(&mut failed)?;
        let mut sections = Vec::new();
        loop {
            let cycle = number(&mut input).map_err(&mut failed)?;
            let length = number(&mut input).map_err(&mut failed)?;
            let own: Sum = array(&mut input).map_err(&mut failed)?;
            let numbers = [cycle, length].map(u64::to_le_bytes);
            if cycle == u64::MAX {
                let right = own == sum(&[&digest, numbers.as_flattened()]);
                let is_last = matches!(input.read(&mut [0]), Ok(0));
                if !right || !is_last || length != sections.len() as u64 {
                    return Err(damaged());
                }
                break;
            }
            let at = input.stream_position().map_err(&mut failed)?;
            let next = at.checked_add(length).filter(|&next| next <= size);
            let next = next.ok_or_else(|| failed(io::ErrorKind::UnexpectedEof.into()))?;
            input.seek(SeekFrom::Start(next)).map_err(&mut failed)?;
            sections.push(Section {
                cycle,
                length,
                digest: own,
                at,
            });
        }
        Ok(StateFile {
            input,
            format,
            origin: origin.to_owned(),
            header: digest,
            sections,
        })
    }

    /// The latest state before a cycle, and its cycle; `None` when there is none.
    ///
    /// # Errors
    /// When it is damaged, and when reading fails.
    pub fn before<S: DeserializeOwned>(&mut self, cycle: u64) -> Result<Option<(u64, S)>, Error> {
        let earlier = self.sections.iter().filter(|section| section.cycle < cycle);
        let Some(&section) = earlier.max_by_key(|section| section.cycle) else {
            return Ok(None);
        };
        let refused = |message: &str| {
            let place = place(section.cycle);
            diagnostic(&self.origin, &place, message.to_owned(), self.format.again)
        };
        let numbers = [section.cycle, section.length].map(u64::to_le_bytes);
        let start = self.input.seek(SeekFrom::Start(section.at));
        let body = start.and_then(|_| bytes(&mut self.input, section.length));
        let body = body.map_err(|error| self.format.read_error(&self.origin, &error))?;
        if section.digest != sum(&[&self.header, numbers.as_flattened(), &body]) {
            return Err(refused(DAMAGED));
        }
        let mut unpacked = Vec::new();
        let mut reader = DeflateDecoder::new(&body[..]).take(STATE_BYTES_MAX);
        let read = reader.read_to_end(&mut unpacked);
        read.map_err(|_| refused(DAMAGED))?;
        match postcard::take_from_bytes::<S>(&unpacked) {
            Ok((state, [])) => Ok(Some((section.cycle, state))),
            _ => Err(refused("it does not hold a state of that cycle")),
        }
    }
}

/// The message of what has another digest.
const DAMAGED: &str = "it is damaged: its digest is another one";

fn diagnostic(origin: &str, place: &str, message: String, help: &str) -> Error {
    Error::one(Class::Input, origin, Diagnostic::new(place, message, help))
}

fn array<const N: usize>(input: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn number(input: &mut impl Read) -> io::Result<u64> {
    array(input).map(u64::from_le_bytes)
}

/// So many bytes, for which memory is taken as they come.
fn bytes(input: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes)?;
    match bytes.len() as u64 == length {
        true => Ok(bytes),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

#[cfg(test)]
mod tests;
