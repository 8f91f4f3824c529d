//! Checkpoints of a replicate in a file, from which any part of it can be run again.
//!
//! The crate `checkpoint` has the format of the file. A section is the checkpoint of its cycle, and what it holds is
//! checked: it is of the cycle that the section names, and the state can be one of the run
//! ([`Simulation::take_up`](super::simulation::Simulation::take_up)).

use std::io::{self, Read, Seek, Write};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::recorder::{LaneStates, RunLanes};
use super::replicate::Replicate;
use super::snapshot::{Impossible, RunState, Snapshot};
use crate::config::Config;
use crate::observer::Observer;
use crosswave_base::diagnostic::Error;
use crosswave_checkpoint::{StateFile, StateFormat, StateWriter, Sum};
use crosswave_network::Fabric;
use crosswave_network::traffic::{Offer, Workload};
use crosswave_probe::engine::Engine;

/// The format. Its version goes up when something else is saved, or chips have other
/// numbers in a network: programs are told apart by their results in small runs.
const FORMAT: StateFormat = StateFormat {
    name: "crosswave checkpoints ",
    version: 6,
    origin: "such a file comes from `crosswave run --checkpoints FILE`",
    again: "run the configuration again with --checkpoints",
};

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
        FORMAT.impossible(cycle, origin, &reason.to_string())
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
    file: StateWriter<W>,
    every_cycles: u64,
    next_cycle: u64,
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
        out: W,
        header: &Header,
        fabric: &Fabric,
        every_cycles: u64,
    ) -> io::Result<CheckpointWriter<W>> {
        Ok(CheckpointWriter {
            file: StateWriter::new(out, &FORMAT, header)?,
            every_cycles,
            next_cycle: every_cycles,
            taker: CheckpointTaker::new(fabric),
            error: None,
        })
    }

    /// Number of checkpoints taken.
    pub fn count(&self) -> u64 {
        self.file.count()
    }

    /// Ends the file.
    ///
    /// # Errors
    /// The first one of writing.
    pub fn finish(mut self) -> io::Result<W> {
        match self.error.take() {
            Some(error) => Err(error),
            None => self.file.finish(),
        }
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
        let checkpoint = self.taker.take(state);
        self.error = self
            .file
            .write(checkpoint.snapshot.cycle, &checkpoint)
            .err();
        self.next_cycle = (cycle / self.every_cycles + 1) * self.every_cycles;
    }

    fn takes_bursts(&self) -> bool {
        <CheckpointTaker as Observer>::takes_bursts(&self.taker)
    }

    fn interrupted(&mut self) -> bool {
        self.error.is_some()
    }
}

/// Checkpoints in a file.
#[derive(Debug)]
pub struct Checkpoints<R> {
    file: StateFile<R>,
    origin: String,
}

impl<R: Read + Seek> Checkpoints<R> {
    /// Opens a file of checkpoints of a run.
    ///
    /// # Errors
    /// When it is no such file, of another run, damaged or cut short
    /// ([`Class::Input`](crosswave_base::diagnostic::Class)), and when reading fails.
    pub fn open(input: R, origin: &str, of: &Header) -> Result<Checkpoints<R>, Error> {
        let file = StateFile::open(input, origin, FORMAT, |found| of.differs(found))?;
        Ok(Checkpoints {
            file,
            origin: origin.to_owned(),
        })
    }

    /// The latest checkpoint before a cycle; `None` when there is none.
    ///
    /// # Errors
    /// When it is damaged, and when reading fails.
    pub fn before(&mut self, cycle: u64) -> Result<Option<Checkpoint>, Error> {
        let Some((cycle, checkpoint)) = self.file.before::<Checkpoint>(cycle)? else {
            return Ok(None);
        };
        match checkpoint.snapshot.cycle == cycle {
            true => Ok(Some(checkpoint)),
            false => {
                let reason = Impossible::new("it does not hold a state of that cycle");
                Err(Checkpoint::refusal(cycle, &self.origin, &reason))
            }
        }
    }
}
