//! Checkpoints of a replicate in a file, from which any part of it can be run again.
//!
//! # Format
//!
//! Numbers have eight bytes, the little end first; a digest is SHA-256.
//!
//! ```text
//! file     = "crosswave checkpoints 6\n" header section* end
//! header   = length, postcard of Header, digest of all before it
//! section  = cycle, length, digest of (digest of the header, cycle, length, body), body
//! end      = u64::MAX, number of sections, digest of (digest of the header, both numbers)
//! body     = deflated: postcard of Checkpoint
//! ```
//!
//! A reader believes nothing unseen: the header and the end are compared with their digests
//! when the file is opened, a section before its checkpoint is used. So a byte that is another
//! one is found, or lies in a section that is not used. A file without its end is cut short.
//! The digests find damage; they are no protection from someone who writes them anew. So what a
//! section holds is checked as well: it is of the cycle that the section names, nothing is left over,
//! and the state can be one of the run ([`Simulation::take_up`](super::simulation::Simulation::take_up)).

use std::io::{self, Read, Seek, SeekFrom, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::recorder::{LaneStates, RunLanes};
use super::replicate::Replicate;
use super::snapshot::{Impossible, RunState, Snapshot};
use crate::config::Config;
use crate::observer::Observer;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_network::Fabric;
use crosswave_network::traffic::{Offer, Workload};
use crosswave_probe::engine::Engine;

/// First bytes of a file. The number goes up when something else is saved, or chips have other
/// numbers in a network: programs are told apart by their results in small runs.
const MAGIC: &[u8] = b"crosswave checkpoints 6\n";
/// First bytes of a file of any version.
const NAME: &[u8] = b"crosswave checkpoints ";
/// Bytes that a header may have: a configuration of a megabyte, and some more.
const HEADER_BYTES_MAX: u64 = 1 << 22;
/// Bytes that a checkpoint may become when it is unpacked.
const SNAPSHOT_BYTES_MAX: u64 = 1 << 36;

type Sum = [u8; 32];

fn sum(parts: &[&[u8]]) -> Sum {
    let mut digest = Sha256::new();
    parts.iter().for_each(|part| digest.update(part));
    digest.finalize().into()
}

/// A snapshot with what a recorder has to know of the cycles before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The run.
    pub snapshot: Snapshot,
    /// States of the lanes of connections, when the network has them.
    pub lanes: Option<LaneStates>,
}

/// Follows a run so that checkpoints of it can be taken.
#[derive(Debug)]
pub struct CheckpointTaker {
    lanes: Option<RunLanes>,
}

impl Checkpoint {
    /// Checks that it has the connections of a fabric, in a file of some origin.
    ///
    /// # Errors
    /// When it has others, or impossible ones.
    pub fn check_lanes(&self, fabric: &Fabric, origin: &str) -> Result<(), Error> {
        let are_possible = match &self.lanes {
            Some(lanes) => lanes.are_of(fabric),
            None => fabric.lane.is_none(),
        };
        let reason = Impossible::new("the connections are not those of the network");
        match are_possible {
            true => Ok(()),
            false => Err(Checkpoint::refusal(self.snapshot.cycle, origin, &reason)),
        }
    }

    /// The error of a state in a file that no run of a configuration has.
    pub fn refusal(cycle: u64, origin: &str, reason: &Impossible) -> Error {
        let place = format!("the checkpoint of cycle {cycle}");
        let message = format!("no run has such a state: {reason}");
        let help = "run the configuration again with --checkpoints";
        diagnostic(origin, &place, message, help)
    }
}

impl CheckpointTaker {
    /// For a run in a fabric from its beginning on.
    pub fn new(fabric: &Fabric) -> CheckpointTaker {
        CheckpointTaker {
            lanes: RunLanes::new(fabric),
        }
    }

    /// The connections in the cycle observed last, where the network has some.
    pub fn lanes(&self) -> Option<&RunLanes> {
        self.lanes.as_ref()
    }

    /// A checkpoint of the cycle observed last.
    pub fn take(&self, state: &RunState<'_, '_>) -> Checkpoint {
        Checkpoint {
            snapshot: state.snapshot(),
            lanes: self.lanes().map(|lanes| lanes.states().clone()),
        }
    }
}

impl Observer for CheckpointTaker {
    fn cycle(&mut self, engine: &dyn Engine, _: bool) {
        if let Some(lanes) = &mut self.lanes {
            lanes.update(engine, |_, _| {});
        }
    }

    fn takes_bursts(&self) -> bool {
        // Lanes are told of every cycle.
        self.lanes.is_none()
    }
}

/// Identity of the run that checkpoints are of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The program, by its version and the results that it gives.
    program: String,
    /// The configuration, without what changes no cycle.
    design: String,
    /// The messages.
    workload: Sum,
    /// The seed of the replicate.
    seed: u64,
}

impl Header {
    /// The header of a replicate of a configuration, run by a program that is named so.
    pub fn new(program: &str, config: &Config, replicate: &Replicate) -> Header {
        let mut design = config.clone();
        design.wave = Default::default();
        design.run.threads = 0;
        design.run.replicates = 1;
        design.run.cycles_max = None;
        // The file that the messages are from does not matter.
        let text = design.to_toml();
        let lines = text.lines().filter(|line| !line.starts_with("trace ="));
        Header {
            program: program.to_owned(),
            design: lines.collect::<Vec<_>>().join("\n"),
            workload: digest(&replicate.workload),
            seed: replicate.seed,
        }
    }

    /// The first difference from the header of a file, and how to fix it.
    fn differs(&self, found: &Header) -> Option<(String, &'static str)> {
        let help = "name the configuration that the checkpoints were made with, and the same \
                    --set options";
        if self.design != found.design {
            let lines =
                |design: &'_ str, at| design.lines().nth(at).unwrap_or("nothing more").to_owned();
            let mut pairs = self.design.lines().zip(found.design.lines());
            let alike = pairs
                .by_ref()
                .take_while(|(own, other)| own == other)
                .count();
            let message = format!(
                "it is of another configuration: it has `{}`, and this one `{}`",
                lines(&found.design, alike),
                lines(&self.design, alike)
            );
            return Some((message, help));
        }
        // The name of a program follows from the configuration, too.
        if self.program != found.program {
            let message = format!("it is by {}, and this is {}", found.program, self.program);
            return Some((message, "run the configuration again with --checkpoints"));
        }
        if (self.workload, self.seed) != (found.workload, found.seed) {
            return Some(("it is of other messages".to_owned(), help));
        }
        None
    }
}

/// The digest of a workload.
fn digest(workload: &Workload) -> Sum {
    let mut digest = Sha256::new();
    for message in &workload.messages {
        let (kind, value) = match message.offered {
            Offer::At(cycle) => (0, cycle),
            Offer::AfterPrevious => (1, 0),
            Offer::After { set, not_before } => {
                let members = workload.sets.of(set);
                digest.update((members.len() as u64).to_le_bytes());
                for before in members {
                    digest.update(before.to_le_bytes());
                }
                digest.update(set.to_le_bytes());
                (2, not_before)
            }
        };
        let words = [message.source, message.destination, message.words, kind];
        words
            .iter()
            .for_each(|word| digest.update(word.to_le_bytes()));
        digest.update(value.to_le_bytes());
    }
    digest.finalize().into()
}

/// Writes checkpoints every so many cycles.
pub struct CheckpointWriter<W: Write> {
    out: W,
    header: Sum,
    every_cycles: u64,
    next_cycle: u64,
    sections: u64,
    taker: CheckpointTaker,
    error: Option<io::Error>,
}

impl<W: Write> CheckpointWriter<W> {
    /// Begins a file of checkpoints of a run in a fabric, one in the first cycle from each
    /// multiple of `every_cycles` on in which the run can be taken up.
    ///
    /// # Errors
    /// When writing fails.
    pub fn new(
        mut out: W,
        header: &Header,
        fabric: &Fabric,
        every_cycles: u64,
    ) -> io::Result<CheckpointWriter<W>> {
        let body = postcard::to_stdvec(header).expect("a header has only plain values");
        let length = (body.len() as u64).to_le_bytes();
        let header = sum(&[MAGIC, &length, &body]);
        for part in [MAGIC, &length, &body, &header] {
            out.write_all(part)?;
        }
        Ok(CheckpointWriter {
            out,
            header,
            every_cycles,
            next_cycle: every_cycles,
            sections: 0,
            taker: CheckpointTaker::new(fabric),
            error: None,
        })
    }

    fn section(&mut self, checkpoint: &Checkpoint) -> io::Result<()> {
        let body = postcard::to_stdvec(checkpoint);
        let body = body.expect("a checkpoint has only plain values");
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(&body)?;
        let body = packed.finish()?;
        let numbers = [checkpoint.snapshot.cycle, body.len() as u64].map(u64::to_le_bytes);
        let numbers = numbers.as_flattened();
        self.out.write_all(numbers)?;
        self.out.write_all(&sum(&[&self.header, numbers, &body]))?;
        self.out.write_all(&body)?;
        self.sections += 1;
        Ok(())
    }

    /// Number of checkpoints taken.
    pub fn count(&self) -> u64 {
        self.sections
    }

    /// Ends the file.
    ///
    /// # Errors
    /// The first one of writing.
    pub fn finish(mut self) -> io::Result<W> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let numbers = [u64::MAX, self.sections].map(u64::to_le_bytes);
        let numbers = numbers.as_flattened();
        self.out.write_all(numbers)?;
        self.out.write_all(&sum(&[&self.header, numbers]))?;
        self.out.flush()?;
        Ok(self.out)
    }
}

impl<W: Write> Observer for CheckpointWriter<W> {
    fn cycle(&mut self, engine: &dyn Engine, clocked: bool) {
        self.taker.cycle(engine, clocked);
    }

    fn between_edges(&mut self, state: &RunState<'_, '_>) {
        let cycle = state.engine.cycle();
        if cycle < self.next_cycle || self.error.is_some() {
            return;
        }
        self.error = self.section(&self.taker.take(state)).err();
        self.next_cycle = (cycle / self.every_cycles + 1) * self.every_cycles;
    }

    fn takes_bursts(&self) -> bool {
        <CheckpointTaker as Observer>::takes_bursts(&self.taker)
    }

    fn interrupted(&mut self) -> bool {
        self.error.is_some()
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

/// Checkpoints in a file.
#[derive(Debug)]
pub struct Checkpoints<R> {
    input: R,
    origin: String,
    header: Sum,
    sections: Vec<Section>,
}

impl<R: Read + Seek> Checkpoints<R> {
    /// Opens a file of checkpoints of a run.
    ///
    /// # Errors
    /// When it is no such file, of another run, damaged or cut short ([`Class::Input`]), and
    /// when reading fails ([`Class::Io`]).
    pub fn open(mut input: R, origin: &str, of: &Header) -> Result<Checkpoints<R>, Error> {
        let said = |(message, help)| diagnostic(origin, "header", message, help);
        let mut magic = [0; MAGIC.len()];
        let read = input.read_exact(&mut magic);
        if read.is_err() || magic != *MAGIC {
            let message = match magic.starts_with(NAME) {
                true => "it is of another version of checkpoints",
                false => "it is no file of checkpoints",
            };
            let help = "such a file comes from `crosswave run --checkpoints FILE`";
            return Err(said((message.to_owned(), help)));
        }
        let damaged = || {
            let message = "it is damaged: its digest is another one".to_owned();
            said((message, "run the configuration again with --checkpoints"))
        };
        let mut failed = |error: io::Error| read_error(origin, &error);
        let length = number(&mut input).map_err(&mut failed)?;
        if length > HEADER_BYTES_MAX {
            return Err(damaged());
        }
        let body = bytes(&mut input, length).map_err(&mut failed)?;
        let digest = array(&mut input).map_err(&mut failed)?;
        if digest != sum(&[MAGIC, &length.to_le_bytes(), &body]) {
            return Err(damaged());
        }
        let found: Header = postcard::from_bytes(&body).map_err(|_| damaged())?;
        if let Some(difference) = of.differs(&found) {
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
        Ok(Checkpoints {
            input,
            origin: origin.to_owned(),
            header: digest,
            sections,
        })
    }

    /// The latest checkpoint before a cycle; `None` when there is none.
    ///
    /// # Errors
    /// When it is damaged, and when reading fails.
    pub fn before(&mut self, cycle: u64) -> Result<Option<Checkpoint>, Error> {
        let earlier = self.sections.iter().filter(|section| section.cycle < cycle);
        let Some(&section) = earlier.max_by_key(|section| section.cycle) else {
            return Ok(None);
        };
        let place = format!("the checkpoint of cycle {}", section.cycle);
        let damaged = || {
            let message = "it is damaged: its digest is another one".to_owned();
            let help = "run the configuration again with --checkpoints";
            diagnostic(&self.origin, &place, message, help)
        };
        let numbers = [section.cycle, section.length].map(u64::to_le_bytes);
        let start = self.input.seek(SeekFrom::Start(section.at));
        let body = start.and_then(|_| bytes(&mut self.input, section.length));
        let body = body.map_err(|error| read_error(&self.origin, &error))?;
        if section.digest != sum(&[&self.header, numbers.as_flattened(), &body]) {
            return Err(damaged());
        }
        let mut unpacked = Vec::new();
        let mut reader = DeflateDecoder::new(&body[..]).take(SNAPSHOT_BYTES_MAX);
        reader.read_to_end(&mut unpacked).map_err(|_| damaged())?;
        match postcard::take_from_bytes::<Checkpoint>(&unpacked) {
            Ok((checkpoint, [])) if checkpoint.snapshot.cycle == section.cycle => {
                Ok(Some(checkpoint))
            }
            _ => {
                let message = "it does not hold a state of that cycle".to_owned();
                let help = "run the configuration again with --checkpoints";
                Err(diagnostic(&self.origin, &place, message, help))
            }
        }
    }
}

fn diagnostic(origin: &str, place: &str, message: String, help: &str) -> Error {
    Error::one(Class::Input, origin, Diagnostic::new(place, message, help))
}

/// The error of a read that fails, or ends too soon.
fn read_error(origin: &str, error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            let message = "it is cut short".to_owned();
            let help = "run the configuration again with --checkpoints";
            diagnostic(origin, "its end", message, help)
        }
        _ => Error::io(origin.as_ref(), "reading", error),
    }
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
