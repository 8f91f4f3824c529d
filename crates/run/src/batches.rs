//! Replicates of a run in batches, side by side on all processors.
//!
//! A batch is as many replicates as share an engine, on one thread or a few ([`Shares`]). Its results
//! do not depend on what runs beside it, nor on who runs with it, so that those of a run are the same
//! at any number of processors.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::AtomicBool;

use super::observer::Observer;
use super::replicate::{Replicate, Shares};
use super::simulation::Simulation;
use crate::host::Outcome;
use crosswave_base::diagnostic::Error;
use crosswave_base::jobs::{begun_at_most, in_order};

/// Replicates that share an engine.
pub struct Batch {
    /// The number of the first one.
    pub first: u32,
    /// The replicates.
    pub replicates: Vec<Replicate>,
    threads: usize,
}

impl Batch {
    /// Runs them to their ends.
    ///
    /// # Errors
    /// When a netlist cannot be compiled.
    pub fn run(
        &self,
        simulation: &Simulation,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Outcome>, Error> {
        simulation.run_on_threads(self.threads, &self.replicates, observer)
    }
}

/// Makes a replicate of a number.
pub type Make<'a> = dyn Fn(u32) -> Result<Replicate, Error> + Sync + 'a;

/// Replicates that are to be run.
pub struct Batches<'a> {
    make: &'a Make<'a>,
    replicates: Range<u32>,
    /// The first one, of which the number of messages is known.
    first: Option<Replicate>,
    shares: Shares,
}

impl<'a> Batches<'a> {
    /// The replicates of a range, as `make` gives them, on so many processors.
    ///
    /// # Errors
    /// As of making the first one.
    pub fn new(
        simulation: &Simulation,
        replicates: Range<u32>,
        make: &'a Make<'a>,
        processors: usize,
    ) -> Result<Batches<'a>, Error> {
        let first = match replicates.is_empty() {
            true => None,
            false => Some(make(replicates.start)?),
        };
        let messages = first.as_ref().map_or(0, |one| one.workload.messages.len());
        let shares = Shares::of(
            simulation.config(),
            &simulation.instances(),
            simulation.together(),
            replicates.len() as u64,
            messages as u64,
            processors,
        );
        Ok(Batches {
            make,
            replicates,
            first,
            shares,
        })
    }

    /// The number of replicates in a batch, and of batches side by side.
    pub fn shares(&self) -> Shares {
        self.shares
    }

    /// The first replicate.
    pub fn first(&self) -> Option<&Replicate> {
        self.first.as_ref()
    }

    /// The first replicate, for who runs batches by themselves.
    pub fn into_first(self) -> Option<Replicate> {
        self.first
    }

    /// Runs them. `work` runs a batch, and has a flag that is set when nobody waits for its result;
    /// `take` has the results in the order of the batches, and says whether to go on.
    /// `wait` is called now and then.
    ///
    /// # Errors
    /// The first one of a batch or of `take`.
    pub fn run<R: Send>(
        self,
        work: impl Fn(&Batch, &AtomicBool) -> Result<R, Error> + Sync,
        wait: impl FnMut(),
        mut take: impl FnMut(R) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        let Shares {
            workers,
            size,
            threads,
        } = self.shares;
        let end = self.replicates.end;
        let jobs = self.replicates.step_by(size);
        let mut known = self.first;
        let jobs = jobs.map(|first| (first..end.min(first + size as u32), known.take()));
        let batch = |(range, known): (Range<u32>, Option<Replicate>)| {
            let first = range.start;
            let others = range.skip(usize::from(known.is_some()));
            let others = others.map(|index| (self.make)(index));
            let replicates = known.into_iter().map(Ok).chain(others);
            Ok::<_, Error>(Batch {
                first,
                replicates: replicates.collect::<Result<_, _>>()?,
                threads,
            })
        };
        let ended = in_order(
            workers,
            begun_at_most(workers),
            jobs,
            |job, stop| work(&batch(job)?, stop),
            wait,
            |result| match result.and_then(&mut take) {
                Ok(true) => ControlFlow::Continue(()),
                Ok(false) => ControlFlow::Break(Ok(())),
                Err(error) => ControlFlow::Break(Err(error)),
            },
        );
        ended.break_value().unwrap_or(Ok(()))
    }
}

impl Simulation {
    /// Runs all replicates of the configuration to their ends, unobserved, on all processors.
    ///
    /// # Errors
    /// When the trace cannot be read, or a netlist cannot be compiled.
    pub fn run_all(&self) -> Result<Vec<Outcome>, Error> {
        let replicates = self.config().run.replicates;
        let mut outcomes = Vec::with_capacity(replicates as usize);
        self.run_from(0, &mut outcomes)?;
        Ok(outcomes)
    }

    /// Runs the replicates of the configuration from `first` on likewise, and adds their outcomes.
    ///
    /// # Errors
    /// As [`Simulation::run_all`].
    pub fn run_from(&self, first: u32, outcomes: &mut Vec<Outcome>) -> Result<(), Error> {
        let make = |index| self.replicate(index);
        let range = first..self.config().run.replicates;
        let batches = Batches::new(self, range, &make, self.processors())?;
        batches.run(
            |batch, _| batch.run(self, &mut ()),
            || {},
            |batch| {
                outcomes.extend(batch);
                Ok(true)
            },
        )
    }
}
