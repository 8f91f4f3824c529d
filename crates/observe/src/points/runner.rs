//! Replicates of a point on the engines, in batches side by side.
//!
//! Points may run side by side as well: a point that runs has one processor, and takes those that
//! nobody else uses when it begins more batches.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::points::watch::{Watch, interruption};
use crosswave_base::diagnostic::Error;
use crosswave_base::threads::processors;
use crosswave_network::traffic::{Pattern, Permutation, TrafficConfig};
use crosswave_probe::engine::Engine;
use crosswave_run::batches::{Batch, Batches};
use crosswave_run::config::Config;
use crosswave_run::host::{End, Outcome};
use crosswave_run::observer::Observer;
use crosswave_run::replicate::Replicate;
use crosswave_run::simulation::Simulation;

/// Batches for each processor before results are handed back.
const BATCHES_EACH: usize = 2;

/// Sees nothing, and stops when it is told to.
struct Stop<'a>([&'a AtomicBool; 2]);

impl Observer for Stop<'_> {
    fn cycle(&mut self, _: &dyn Engine, _: bool) {}

    fn takes_bursts(&self) -> bool {
        true
    }

    fn interrupted(&mut self) -> bool {
        self.0.iter().any(|stop| stop.load(Ordering::Relaxed))
    }
}

/// Processors that nobody uses at the moment, of those that points share.
#[derive(Debug)]
pub struct IdleProcessors(AtomicUsize);

impl IdleProcessors {
    /// Those beside one for each of so many points that run side by side.
    pub fn beside(points: usize) -> IdleProcessors {
        IdleProcessors(AtomicUsize::new(processors().saturating_sub(points)))
    }

    /// Takes all of them, to be given back by [`IdleProcessors::give`].
    fn take(&self) -> usize {
        self.0.swap(0, Ordering::Relaxed)
    }

    /// Adds some: those that were taken, or that of a point which has ended.
    pub fn give(&self, processors: usize) {
        self.0.fetch_add(processors, Ordering::Relaxed);
    }
}

/// Those of a point that runs alone.
impl Default for IdleProcessors {
    fn default() -> IdleProcessors {
        IdleProcessors::beside(1)
    }
}

/// Extracts the part that is kept of a replicate that ended by itself.
type Keep<'a, T> = dyn Fn(&Outcome) -> Result<T, Error> + Sync + 'a;

/// Replicates of a point, on what they have in common.
pub struct Runner<'a, T> {
    shifts: &'a [u32],
    keep: &'a Keep<'a, T>,
    simulation: Simulation,
    idle: &'a IdleProcessors,
}

impl<'a, T: Clone + Send> Runner<'a, T> {
    /// A runner of the replicates of a configuration, of which `keep` is kept. Replicates take
    /// `shifts` in turn, where there are any, as the shift of a cyclic shift.
    ///
    /// # Errors
    /// When the configuration is not legal.
    pub fn new(
        config: &Config,
        shifts: &'a [u32],
        keep: &'a Keep<'a, T>,
        idle: &'a IdleProcessors,
    ) -> Result<Runner<'a, T>, Error> {
        Ok(Runner {
            shifts,
            keep,
            simulation: Simulation::new(config)?,
            idle,
        })
    }

    /// Runs up to `count` replicates from `first` on, at least one, and says what they
    /// left behind.
    ///
    /// # Errors
    /// When a trace cannot be read, someone asks to stop, or as what is kept says.
    pub fn run(&self, first: usize, count: usize, watch: &mut dyn Watch) -> Result<Vec<T>, Error> {
        let more = self.idle.take();
        let found = self.run_on(1 + more, first, count, watch);
        self.idle.give(more);
        found
    }

    /// The same on so many processors.
    fn run_on(
        &self,
        processors: usize,
        first: usize,
        count: usize,
        watch: &mut dyn Watch,
    ) -> Result<Vec<T>, Error> {
        let count = count.min(self.simulation.together() * processors * BATCHES_EACH);
        let replicates = first as u32..(first + count) as u32;
        let make = |index| self.replicate(index);
        let batches = Batches::new(&self.simulation, replicates, &make, processors)?;
        let asked = AtomicBool::new(false);
        let work = |batch: &Batch, stop: &AtomicBool| {
            let outcomes = batch.run(&self.simulation, &mut Stop([&asked, stop]))?;
            let samples = outcomes.iter().map(|outcome| self.sample(outcome));
            samples.collect::<Result<Vec<T>, Error>>()
        };
        let mut found = Vec::with_capacity(count);
        let wait = || {
            if watch.interrupted() {
                asked.store(true, Ordering::Relaxed);
            }
        };
        batches.run(work, wait, |samples| {
            found.extend(samples);
            Ok(true)
        })?;
        Ok(found)
    }

    /// Replicate `index` of the point.
    fn replicate(&self, index: u32) -> Result<Replicate, Error> {
        let shifts = self.shifts;
        if shifts.is_empty() {
            return self.simulation.replicate(index);
        }
        let mut config = self.simulation.config().clone();
        if let TrafficConfig::Pattern(pattern) = &mut config.traffic
            && let Pattern::Permutation {
                permutation: Permutation::CyclicShift { shift },
                ..
            } = &mut pattern.pattern
        {
            *shift = shifts[index as usize % shifts.len()];
        }
        Replicate::new(&config, index)
    }

    fn sample(&self, outcome: &Outcome) -> Result<T, Error> {
        match outcome.end {
            End::Interrupted => Err(interruption()),
            End::Finished | End::Lost | End::Stalled | End::OutOfCycles => (self.keep)(outcome),
        }
    }
}
