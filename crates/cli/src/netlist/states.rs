//! Checkpoints of `crosswave netlist`: states of a run in a file, from which it goes on.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::PathBuf;

use clap::Args;
use serde::{Deserialize, Serialize};

use super::super::output::{Format, Output};
use super::super::usage;
use crosswave_base::diagnostic::Error;
use crosswave_base::file::input;
use crosswave_base::file::{PendingFile, SharedFile};
use crosswave_checkpoint::{Difference, StateFile, StateFormat, StateWriter, Sum};
use crosswave_design::run::SavedRun;
use crosswave_design::{Arrays, Run};

/// The format. Its version goes up when something else is saved.
const FORMAT: StateFormat = StateFormat {
    name: "crosswave netlist checkpoints ",
    version: 1,
    origin: "such a file comes from `crosswave netlist --checkpoints FILE`",
    again: "run the netlist again with --checkpoints",
};

#[derive(Debug, Args)]
pub(super) struct StateArgs {
    /// Write the state of the run every so many cycles, and at its end, from which --resume goes on
    #[arg(long, value_name = "FILE")]
    checkpoints: Option<PathBuf>,
    /// Cycles from one checkpoint to the next
    #[arg(long, value_name = "CYCLES", default_value_t = 1_000_000, requires = "checkpoints",
          value_parser = clap::value_parser!(u64).range(1..))]
    checkpoint_every: u64,
    /// Go on from the last state in a file of checkpoints that is before the first cycle of --window, or from the last one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["flat", "array"])]
    resume: Option<PathBuf>,
}

/// The run that states are of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    /// The digest of the netlist.
    netlist: Sum,
    top: String,
    four_state: bool,
    lanes: usize,
    /// The clocks: name, cycles of the period and before the first one.
    clocks: Vec<(String, Option<(u64, u64)>)>,
    /// The modules that are arrays.
    arrays: Vec<String>,
}

impl Header {
    fn new(run: &Run, design: &RunDesign) -> Header {
        let clocks = run.clocks().iter();
        let arrays = run.sizes()[1..].iter();
        Header {
            netlist: design.netlist,
            top: design.top.clone(),
            four_state: run.four_state(),
            lanes: run.replicas(),
            clocks: clocks
                .map(|clock| (clock.name.clone(), clock.period()))
                .collect(),
            arrays: arrays.map(|array| array.module.clone()).collect(),
        }
    }
}

/// The design that is run.
#[derive(Debug, Clone)]
pub(super) struct RunDesign {
    /// The digest of its file.
    pub netlist: Sum,
    /// The module.
    pub top: String,
}

/// A file of checkpoints whose run goes on.
pub(super) struct Resumed {
    file: StateFile<BufReader<File>>,
    header: Header,
    origin: String,
}

impl StateArgs {
    /// True when states are written or read.
    pub(super) fn is_saved(&self) -> bool {
        self.checkpoints.is_some() || self.resume.is_some()
    }

    /// The file that is written, to be checked with others.
    pub(super) fn output(&self) -> Option<Output<'_>> {
        Output::new(
            "--checkpoints",
            Format::Checkpoints,
            self.checkpoints.as_deref(),
        )
    }

    /// Opens the file whose run goes on, which has to be of a design.
    pub(super) fn resumed(&self, design: &RunDesign) -> Result<Option<Resumed>, Error> {
        let Some(path) = &self.resume else {
            return Ok(None);
        };
        let origin = path.display().to_string();
        let input = BufReader::new(input::open(path, input::CHECKPOINTS)?.into_inner());
        let mut header = None;
        let check = |found: &Header| -> Option<Difference> {
            header = Some(found.clone());
            let help = "name the netlist and the top that the checkpoints were made with";
            if found.netlist != design.netlist {
                return Some(("it is of another netlist".to_owned(), help));
            }
            let message = || {
                format!(
                    "it is of the module `{}`, and this is `{}`",
                    found.top, design.top
                )
            };
            (found.top != design.top).then(|| (message(), help))
        };
        let file = StateFile::open(input, &origin, FORMAT, check)?;
        Ok(Some(Resumed {
            file,
            header: header.expect("a header was checked"),
            origin,
        }))
    }

    /// Begins the file that is written.
    pub(super) fn begin(
        &self,
        run: &Run,
        design: &RunDesign,
    ) -> Result<Option<StatesBegun>, Error> {
        let Some(path) = &self.checkpoints else {
            return Ok(None);
        };
        let pending = PendingFile::create(path)?;
        let out = BufWriter::new(pending.file());
        let writer = StateWriter::new(out, &FORMAT, &Header::new(run, design));
        let writer = writer.map_err(|error| pending.error(&error))?;
        Ok(Some(StatesBegun {
            pending,
            writer,
            every_cycles: self.checkpoint_every,
        }))
    }
}

impl Resumed {
    /// The arrays of the run, which are the same when it goes on.
    pub(super) fn arrays(&self) -> Arrays {
        match self.header.arrays.is_empty() {
            true => Arrays::None,
            false => Arrays::Named(self.header.arrays.clone()),
        }
    }

    /// Brings a run of the design to the latest state before a cycle, whose cycle is the result: 0, where the run begins,
    /// if there is none.
    pub(super) fn go_on(
        mut self,
        run: &mut Run,
        design: &RunDesign,
        before: u64,
    ) -> Result<u64, Error> {
        let (own, found) = (Header::new(run, design), &self.header);
        let help = "give the options that the checkpoints were made with";
        let refused = |option: &str, has: String, wants: String| {
            let message = format!("{} is of {has}, and this is {wants}", self.origin);
            Err(usage(option, message, help))
        };
        if own.lanes != found.lanes {
            let runs = |lanes: usize| match lanes {
                1 => "one run".to_owned(),
                _ => format!("{lanes} runs side by side"),
            };
            return refused("--lanes", runs(found.lanes), runs(own.lanes));
        }
        if own.four_state != found.four_state {
            let x = |has: bool| match has {
                true => "a run with X".to_owned(),
                false => "a run without X".to_owned(),
            };
            return refused("--four-state", x(found.four_state), x(own.four_state));
        }
        if own.clocks != found.clocks {
            let clocks = |header: &Header| {
                let clocks = header.clocks.iter().map(|(name, period)| match period {
                    Some((period, 0)) => format!("{name}={period}"),
                    Some((period, shift)) => format!("{name}={period}+{shift}"),
                    None => format!("{name} of a stimulus"),
                });
                format!(
                    "a run with the clocks {}",
                    clocks.collect::<Vec<_>>().join(", ")
                )
            };
            return refused("--clock", clocks(found), clocks(&own));
        }
        let Some((cycle, state)) = self.file.before::<SavedRun>(before)? else {
            return Ok(0);
        };
        match run.load(&state) {
            true => Ok(cycle),
            false => Err(FORMAT.impossible(cycle, &self.origin, "it is of another design")),
        }
    }
}

/// A file of checkpoints that is being written.
pub(super) struct StatesBegun {
    pending: PendingFile,
    writer: StateWriter<BufWriter<SharedFile>>,
    every_cycles: u64,
}

impl StatesBegun {
    /// Writes the state before a cycle if it is time to.
    pub(super) fn begin_cycle(&mut self, run: &mut Run, cycle: u64) -> Result<(), Error> {
        match cycle > 0 && cycle.is_multiple_of(self.every_cycles) {
            true => self.write(run, cycle),
            false => Ok(()),
        }
    }

    fn write(&mut self, run: &mut Run, cycle: u64) -> Result<(), Error> {
        let written = self.writer.write(cycle, &run.saved());
        written.map_err(|error| self.pending.error(&error))
    }

    /// Writes the state after the last cycle, which takes its edge for it, and ends the file.
    pub(super) fn finish(mut self, run: &mut Run, cycles: u64) -> Result<(), Error> {
        if cycles > 0 {
            run.edge();
            self.write(run, cycles)?;
        }
        let written = self.writer.finish();
        written.map_err(|error| self.pending.error(&error))?;
        self.pending.finish()
    }
}
