//! The values that signals hold when a section of changes begins.
//!
//! Each section has them: its *frame*, of every variable in order as many characters as bits,
//! eight bytes for a real number, and nothing for a string. A window that begins in a later
//! section takes from it what signals show that do not change there.

use std::io::{self, BufRead, Read, Seek, SeekFrom};

use flate2::read::ZlibDecoder;

use super::check::variable;
use crate::value::WaveValue;
use crate::waveform::SignalKind;

/// Bytes of a section before its frame: kind, length, two times and a size.
const BEFORE_FRAME: u64 = 1 + 4 * 8;

/// Byte at which the header has the number e, which tells the order of bytes.
const PLACE_OF_E: u64 = 1 + 3 * 8;

/// True when real numbers begin with their lowest byte.
pub(super) fn is_little_endian(input: &mut (impl Read + Seek)) -> io::Result<bool> {
    input.seek(SeekFrom::Start(PLACE_OF_E))?;
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    Ok(f64::from_le_bytes(bytes) == std::f64::consts::E)
}

/// The bytes of the frame of the section at a place, whose lengths were checked.
pub(super) fn frame(input: &mut (impl BufRead + Seek), place: u64) -> io::Result<Vec<u8>> {
    input.seek(SeekFrom::Start(place + BEFORE_FRAME))?;
    let (length, packed, _) = (variable(input)?, variable(input)?, variable(input)?);
    let mut bytes = Vec::new();
    let part = input.take(packed);
    match packed == length {
        true => part.take(length).read_to_end(&mut bytes)?,
        false => ZlibDecoder::new(part)
            .take(length)
            .read_to_end(&mut bytes)?,
    };
    Ok(bytes)
}

/// Number of bytes of a variable in a frame.
pub(super) fn length((kind, width): (SignalKind, u32)) -> usize {
    match kind {
        SignalKind::Real => 8,
        SignalKind::Bits | SignalKind::Text | SignalKind::Event => width as usize,
    }
}

/// The real number in eight bytes.
pub(super) fn real(bytes: &[u8], is_little_endian: bool) -> Option<WaveValue> {
    let bytes = bytes.try_into().ok()?;
    Some(WaveValue::Real(match is_little_endian {
        true => f64::from_le_bytes(bytes),
        false => f64::from_be_bytes(bytes),
    }))
}
