//! Mutations of compressed files, and of FST, whose sections have lengths and are compressed in part.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};

use super::{Random, plain};

/// Bytes that are unpacked at most.
const BYTES_MAX: u64 = 1 << 20;
/// The section of declarations, compressed with gzip, and the other one, with LZ4.
const HIERARCHY: u8 = 4;
/// The whole file, compressed with gzip.
const WRAPPED: u8 = 254;
/// The widths of signals, compressed with zlib.
const GEOMETRY: u8 = 3;

fn unpacked(data: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = MultiGzDecoder::new(data)
        .take(BYTES_MAX)
        .read_to_end(&mut bytes);
    (read.is_ok() || !bytes.is_empty()).then_some(bytes)
}

fn packed(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(bytes).ok()?;
    packer.finish().ok()
}

/// A file that gzip made: its content is changed, or another member, or zeros, come after it.
pub fn gzip(data: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let Some(content) = unpacked(data) else {
        return packed(data);
    };
    let mut changed = match content.first() {
        Some(&(0..=8 | WRAPPED)) => packed(&fst(&content, random)?)?,
        _ => packed(&plain(&content))?,
    };
    match random.below(8) {
        0 => changed.extend(packed(&content)?),
        1 => changed.extend([0; 3]),
        2 => changed.extend(plain(b"more")),
        _ => {}
    }
    Some(changed)
}

/// A section of FST: its kind, and what comes after its length.
type Section = (u8, Vec<u8>);

fn sections(mut data: &[u8]) -> Vec<Section> {
    let mut sections = Vec::new();
    while let Some((head, rest)) = data.split_at_checked(9) {
        let length = u64::from_be_bytes(head[1..].try_into().unwrap_or_default());
        let length = usize::try_from(length).unwrap_or(0).saturating_sub(8);
        let (content, rest) = rest.split_at(length.min(rest.len()));
        sections.push((head[0], content.to_vec()));
        data = rest;
    }
    sections
}

fn joined(sections: &[Section]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (kind, content) in sections {
        bytes.push(*kind);
        bytes.extend((content.len() as u64 + 8).to_be_bytes());
        bytes.extend(content);
    }
    bytes
}

/// FST with one section changed, left out, doubled or moved. The two bytes before it, and declarations
/// beside it, stay.
pub fn fst(data: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let beside = match data {
        [first, second, rest @ ..] if *first != 0 || *second != 0 => {
            let length = usize::from(u16::from_le_bytes([*first, *second]));
            (length <= rest.len()).then_some(2 + length)
        }
        [_, _, ..] => Some(2),
        _ => None,
    };
    let begin = beside.filter(|&begin| data.get(begin).is_some_and(|kind| *kind <= 8));
    let (head, rest) = data.split_at(begin.unwrap_or(0));
    let mut found = sections(rest);
    if found.is_empty() {
        return None;
    }
    let at = random.below(found.len());
    match random.below(8) {
        0 => drop(found.remove(at)),
        1 => found.insert(at, found[at].clone()),
        2 => {
            let with = random.below(found.len());
            found.swap(at, with);
        }
        3 => found[at].0 = random.below(10) as u8,
        _ => {
            let (kind, content) = &mut found[at];
            *content = section(*kind, content)?;
        }
    }
    let mut bytes = match random.below(8) {
        0 => plain(head),
        _ => head.to_vec(),
    };
    bytes.extend(joined(&found));
    Some(bytes)
}

/// The content of a section, changed; what is compressed is compressed again.
fn section(kind: u8, content: &[u8]) -> Option<Vec<u8>> {
    match kind {
        HIERARCHY if content.len() > 8 => {
            let changed = plain(&unpacked(&content[8..])?);
            let mut bytes = (changed.len() as u64).to_be_bytes().to_vec();
            bytes.extend(packed(&changed)?);
            Some(bytes)
        }
        GEOMETRY if content.len() > 16 => {
            let mut widths = Vec::new();
            let unpacked = ZlibDecoder::new(&content[16..]).read_to_end(&mut widths);
            let (widths, is_packed) = match unpacked {
                Ok(_) => (plain(&widths), true),
                Err(_) => (plain(&content[16..]), false),
            };
            let mut bytes = (widths.len() as u64).to_be_bytes().to_vec();
            bytes.extend(&content[8..16]);
            match is_packed {
                true => {
                    let mut packer = ZlibEncoder::new(Vec::new(), Compression::fast());
                    packer.write_all(&widths).ok()?;
                    bytes.extend(packer.finish().ok()?);
                }
                false => bytes.extend(widths),
            }
            Some(bytes)
        }
        _ => Some(plain(content)),
    }
}
