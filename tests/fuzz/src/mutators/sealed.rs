//! Mutations of files with digests, which are made anew. An input that is none of them becomes a genuine one.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{Random, json, plain};
use crate::readers::kept;

/// Bytes that are unpacked at most.
const BYTES_MAX: u64 = 1 << 20;
const DIGEST: usize = 32;

/// A section of a file of checkpoints: its cycle and its state.
struct Section {
    cycle: u64,
    state: Vec<u8>,
}

/// The parts of a file of checkpoints.
struct Parts {
    magic: Vec<u8>,
    header: Vec<u8>,
    sections: Vec<Section>,
}

fn take<'a>(data: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, rest) = data.split_at_checked(length)?;
    *data = rest;
    Some(taken)
}

fn number(data: &mut &[u8]) -> Option<u64> {
    take(data, 8)?.try_into().ok().map(u64::from_le_bytes)
}

fn sum(parts: &[&[u8]]) -> Vec<u8> {
    let mut digest = Sha256::new();
    parts.iter().for_each(|part| digest.update(part));
    digest.finalize().to_vec()
}

impl Parts {
    fn read(mut data: &[u8]) -> Option<Parts> {
        let line = data.iter().position(|&byte| byte == b'\n')?;
        let magic = take(&mut data, line + 1)?.to_vec();
        let length = number(&mut data)?;
        let header = take(&mut data, usize::try_from(length).ok()?)?.to_vec();
        take(&mut data, DIGEST)?;
        let mut sections = Vec::new();
        loop {
            let cycle = number(&mut data)?;
            let length = number(&mut data)?;
            take(&mut data, DIGEST)?;
            if cycle == u64::MAX {
                break;
            }
            let body = take(&mut data, usize::try_from(length).ok()?)?;
            let mut state = Vec::new();
            let unpacked = DeflateDecoder::new(body).take(BYTES_MAX);
            { unpacked }.read_to_end(&mut state).ok()?;
            sections.push(Section { cycle, state });
        }
        Some(Parts {
            magic,
            header,
            sections,
        })
    }

    fn write(&self) -> Option<Vec<u8>> {
        let length = (self.header.len() as u64).to_le_bytes();
        let header = sum(&[&self.magic, &length, &self.header]);
        let mut bytes = [&self.magic[..], &length, &self.header, &header].concat();
        for section in &self.sections {
            let mut packer = DeflateEncoder::new(Vec::new(), Compression::fast());
            packer.write_all(&section.state).ok()?;
            let body = packer.finish().ok()?;
            let numbers = [section.cycle, body.len() as u64].map(u64::to_le_bytes);
            let numbers = numbers.as_flattened();
            bytes.extend(numbers);
            bytes.extend(sum(&[&header, numbers, &body]));
            bytes.extend(body);
        }
        let numbers = [u64::MAX, self.sections.len() as u64].map(u64::to_le_bytes);
        bytes.extend(numbers.as_flattened());
        bytes.extend(sum(&[&header, numbers.as_flattened()]));
        Some(bytes)
    }
}

/// Checkpoints of a run.
pub fn checkpoint(data: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let choice = random.below(4);
    states(data, random, || kept::genuine_checkpoint(choice))
}

/// Checkpoints of a netlist.
pub fn saved_run(data: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    states(data, random, kept::genuine_saved_run)
}

fn states(data: &[u8], random: &mut Random, genuine: impl Fn() -> Vec<u8>) -> Option<Vec<u8>> {
    let Some(mut parts) = Parts::read(data).filter(|_| random.below(64) > 0) else {
        return Some(genuine());
    };
    let count = parts.sections.len();
    if count == 0 || random.below(16) == 0 {
        parts.header = plain(&parts.header);
        return parts.write();
    }
    // The last one is used.
    let at = match random.below(4) {
        0 => random.below(count),
        _ => count - 1,
    };
    match random.below(12) {
        0 => drop(parts.sections.remove(at)),
        1 => parts.sections[at].cycle = random.word() >> random.below(64),
        2 => parts.sections.truncate(at + 1),
        _ => parts.sections[at].state = plain(&parts.sections[at].state),
    }
    parts.write()
}

/// A kept point, whose result is changed.
pub fn point(data: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let genuine = || Some(kept::genuine_point());
    let Ok(mut document) = serde_json::from_slice::<Value>(data) else {
        return genuine();
    };
    if document.get("result").is_none() || random.below(64) == 0 {
        return genuine();
    }
    json::change(&mut document["result"], random);
    let text = document["result"].to_string();
    let digest = Sha256::digest(text.as_bytes());
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    document["sha256"] = digest.into();
    serde_json::to_vec(&document).ok()
}
