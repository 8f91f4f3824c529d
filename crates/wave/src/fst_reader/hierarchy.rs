//! The declarations of an FST file as bytes: unpacked, and taken apart into entries.
//!
//! ```text
//! 254 KIND NAME 0 COMPONENT 0             a scope
//! 255                                     its end
//! 252 KIND SUBKIND TEXT 0 NUMBER          an attribute, mostly of what follows
//! 253                                     its end
//! KIND DIRECTION NAME 0 LENGTH ALIAS      a variable; alias 0 has changes of its own
//! ```
//!
//! Numbers are of variable length, seven bits a byte. Names are mostly UTF-8; what is not
//! becomes replacement characters. The same bytes, not compressed, stand in the file
//! `NAME.hier` while the writer is at work; they may end anywhere.

use std::io::{self, BufRead, Read, Seek, SeekFrom};

use flate2::read::GzDecoder;

/// Attributes of no other kind.
const MISCELLANEOUS: u8 = 0;
/// Those of them whose text is a number of a file, and nothing else.
const SOURCE_STEMS: [u8; 2] = [4, 5];
/// The kinds of variables end below.
const VARIABLES: u8 = 30;

/// An entry.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HierarchyEntry {
    /// A scope begins.
    Scope(String),
    /// The innermost scope ends.
    UpScope,
    /// An attribute.
    Attribute {
        kind: u8,
        subkind: u8,
        text: String,
        number: u64,
    },
    /// A variable, with the index of its list of changes.
    Variable {
        kind: u8,
        name: String,
        length: u32,
        stream: usize,
        is_alias: bool,
    },
    /// Something without a meaning here.
    Other,
}

/// The entries of a hierarchy, up to the first that is not whole.
pub(super) struct Entries<'a> {
    bytes: &'a [u8],
    streams: usize,
}

impl<'a> Entries<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Entries<'a> {
        Entries { bytes, streams: 0 }
    }

    /// The bytes behind the entries so far.
    pub(super) fn rest(&self) -> &[u8] {
        self.bytes
    }

    /// The next entry; `None` where no whole one is left.
    fn entry(&mut self) -> Option<HierarchyEntry> {
        let mut at = self.bytes;
        let entry = match byte(&mut at)? {
            254 => {
                byte(&mut at)?;
                let name = text(&mut at)?;
                text(&mut at)?;
                HierarchyEntry::Scope(name)
            }
            255 => HierarchyEntry::UpScope,
            252 => {
                let (kind, subkind) = (byte(&mut at)?, byte(&mut at)?);
                if kind == MISCELLANEOUS && SOURCE_STEMS.contains(&subkind) {
                    number(&mut at)?;
                    byte(&mut at)?;
                    number(&mut at)?;
                    HierarchyEntry::Other
                } else {
                    HierarchyEntry::Attribute {
                        kind,
                        subkind,
                        text: text(&mut at)?,
                        number: number(&mut at)?,
                    }
                }
            }
            253 => HierarchyEntry::Other,
            kind if kind < VARIABLES => {
                byte(&mut at)?;
                let name = text(&mut at)?;
                let length = u32::try_from(number(&mut at)?).ok()?;
                let alias = usize::try_from(number(&mut at)?).ok()?;
                let stream = alias.checked_sub(1).unwrap_or(self.streams);
                self.streams += usize::from(alias == 0);
                HierarchyEntry::Variable {
                    kind,
                    name,
                    length,
                    stream,
                    is_alias: alias > 0,
                }
            }
            _ => return None,
        };
        self.bytes = at;
        Some(entry)
    }
}

impl Iterator for Entries<'_> {
    type Item = HierarchyEntry;

    fn next(&mut self) -> Option<HierarchyEntry> {
        self.entry()
    }
}

fn byte(at: &mut &[u8]) -> Option<u8> {
    let (&first, rest) = at.split_first()?;
    *at = rest;
    Some(first)
}

/// A text up to its zero.
fn text(at: &mut &[u8]) -> Option<String> {
    let end = at.iter().position(|&byte| byte == 0)?;
    let text = String::from_utf8_lossy(&at[..end]).into_owned();
    *at = &at[end + 1..];
    Some(text)
}

/// A number of variable length; `None` where it is too long.
fn number(at: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..70).step_by(7) {
        let next = byte(at)?;
        value |= u64::from(next & 0x7f) << shift;
        if next < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Unpacks the section of a hierarchy, of this kind and at this place; its lengths were
/// checked. An `Err` within says what is wrong with it.
pub(super) fn unpacked(
    input: &mut (impl BufRead + Seek),
    (kind, place): (u8, u64),
) -> io::Result<Result<Vec<u8>, String>> {
    input.seek(SeekFrom::Start(place + 1))?;
    let mut numbers = [0; 16];
    input.read_exact(&mut numbers)?;
    let [section, length] = [&numbers[..8], &numbers[8..]]
        .map(|bytes| u64::from_be_bytes(bytes.try_into().expect("eight bytes")));
    let mut packed = input.take(section - 16);
    let mut bytes = Vec::new();
    if kind == 4 {
        let read = GzDecoder::new(packed).take(length).read_to_end(&mut bytes);
        return Ok(match read {
            Ok(_) if bytes.len() as u64 == length => Ok(bytes),
            _ => Err("declarations that cannot be unpacked".to_owned()),
        });
    }
    packed.read_to_end(&mut bytes)?;
    let unpacked = match kind {
        6 => block(&bytes, length),
        _ => {
            let mut at = &bytes[..];
            let once = number(&mut at).and_then(|once| block(at, once));
            once.and_then(|once| block(&once, length))
        }
    };
    Ok(unpacked.ok_or_else(|| "declarations that cannot be unpacked".to_owned()))
}

/// Bytes that a byte of LZ4 becomes at most.
const LZ4_EXPANSION_MAX: u64 = 255;

/// A block of LZ4 that becomes so many bytes.
fn block(packed: &[u8], length: u64) -> Option<Vec<u8>> {
    let most = (packed.len() as u64).saturating_mul(LZ4_EXPANSION_MAX);
    if length > most.saturating_add(LZ4_EXPANSION_MAX) {
        return None;
    }
    let length = usize::try_from(length).ok()?;
    let bytes = lz4_flex::block::decompress(packed, length).ok()?;
    (bytes.len() == length).then_some(bytes)
}

#[cfg(test)]
mod tests;
