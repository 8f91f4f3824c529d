//! Replicates of a point on the engines.
//!
//! A network that is small enough for replicates to share an engine, or of which one
//! thread makes the most, is run in several batches side by side, one thread each; a larger
//! one alone, with the threads that the engine chooses.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam::channel::RecvTimeoutError;

use crate::points::watch::{Watch, interruption};
use crosswave_base::diagnostic::Error;
use crosswave_network::traffic::{Pattern, Permutation, TrafficConfig};
use crosswave_probe::engine::Engine;
use crosswave_run::config::Config;
use crosswave_run::host::{End, Outcome};
use crosswave_run::observer::Observer;
use crosswave_run::replicate::Replicate;
use crosswave_run::simulation::Simulation;

/// Nodes from which an engine has all threads to itself.
const ALONE_NODES: u32 = 1 << 15;
/// Time between looks at whether someone asked to stop.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Batches for each thread before results are handed back.
const BATCHES_EACH: usize = 2;

/// Sees nothing, and stops when it is told to.
struct Stop<'a>(&'a AtomicBool);

impl Observer for Stop<'_> {
    fn cycle(&mut self, _: &dyn Engine, _: bool) {}

    fn takes_bursts(&self) -> bool {
        true
    }

    fn interrupted(&mut self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Sees nothing, and stops when those who wait say so.
struct SendRequest<'a>(&'a mut dyn Watch);

impl Observer for SendRequest<'_> {
    fn cycle(&mut self, _: &dyn Engine, _: bool) {}

    fn takes_bursts(&self) -> bool {
        true
    }

    fn interrupted(&mut self) -> bool {
        self.0.interrupted()
    }
}

/// Extracts the part that is kept of a replicate that ended by itself.
type Keep<'a, T> = dyn Fn(&Outcome) -> Result<T, Error> + Sync + 'a;

/// Batches of replicates of a configuration that run side by side.
pub fn workers(config: &Config) -> usize {
    match config.network.nodes() {
        ..ALONE_NODES => std::thread::available_parallelism().map_or(1, usize::from),
        _ => 1,
    }
}

/// Replicates of a point, on what they have in common.
pub struct Runner<'a, T> {
    shifts: &'a [u32],
    keep: &'a Keep<'a, T>,
    simulation: Simulation,
    together: usize,
    workers: usize,
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
    ) -> Result<Runner<'a, T>, Error> {
        let mut config = config.clone();
        let workers = workers(&config);
        if workers > 1 {
            config.run.threads = 1;
        }
        let simulation = Simulation::new(&config)?;
        Ok(Runner {
            shifts,
            keep,
            together: simulation.together(),
            simulation,
            workers,
        })
    }

    /// Runs up to `count` replicates from `first` on, at least one, and says what they
    /// left behind.
    ///
    /// # Errors
    /// When a trace cannot be read, someone asks to stop, or as what is kept says.
    pub fn run(&self, first: usize, count: usize, watch: &mut dyn Watch) -> Result<Vec<T>, Error> {
        if self.workers > 1 || self.together > 1 {
            return self.side_by_side(first, count, watch);
        }
        let replicate = self.replicate(first)?;
        let outcomes = self.simulation.run(&[replicate], &mut SendRequest(watch))?;
        outcomes
            .iter()
            .map(|outcome| self.sample(outcome))
            .collect()
    }

    /// Replicate `index` of the point.
    fn replicate(&self, index: usize) -> Result<Replicate, Error> {
        let shifts = self.shifts;
        if shifts.is_empty() {
            return self.simulation.replicate(index as u32);
        }
        let mut config = self.simulation.config().clone();
        if let TrafficConfig::Pattern(pattern) = &mut config.traffic
            && let Pattern::Permutation {
                permutation: Permutation::CyclicShift { shift },
                ..
            } = &mut pattern.pattern
        {
            *shift = shifts[index % shifts.len()];
        }
        Replicate::new(&config, index as u32)
    }

    /// Runs several batches side by side.
    fn side_by_side(
        &self,
        first: usize,
        count: usize,
        watch: &mut dyn Watch,
    ) -> Result<Vec<T>, Error> {
        let count = count.min(self.together * self.workers * BATCHES_EACH);
        // Batches are alike in size, so that no thread waits long for another.
        let rounds = count.div_ceil(self.together * self.workers);
        let size = count.div_ceil(rounds * self.workers);
        let batches: Vec<(usize, usize)> = (0..count)
            .step_by(size)
            .map(|from| (first + from, size.min(count - from)))
            .collect();
        let stop = AtomicBool::new(false);
        let (to_do, taken) = crossbeam::channel::unbounded();
        for batch in batches.iter().copied().enumerate() {
            to_do.send(batch).expect("the other end is at hand");
        }
        drop(to_do);
        let (done, results) = crossbeam::channel::unbounded();
        let mut found: Vec<Vec<T>> = vec![Vec::new(); batches.len()];
        std::thread::scope(|scope| {
            for _ in 0..self.workers.min(batches.len()) {
                let (taken, done, stop) = (taken.clone(), done.clone(), &stop);
                scope.spawn(move || {
                    for (place, (first, count)) in taken {
                        let samples = self.batch(first, count, stop);
                        let failed = samples.is_err();
                        if done.send((place, samples)).is_err() || failed {
                            break;
                        }
                    }
                });
            }
            drop(done);
            let mut left = batches.len();
            while left > 0 {
                match results.recv_timeout(LOOK_EVERY) {
                    Ok((place, samples)) => match samples {
                        Ok(samples) => {
                            found[place] = samples;
                            left -= 1;
                        }
                        Err(error) => {
                            stop.store(true, Ordering::Relaxed);
                            return Err(error);
                        }
                    },
                    // A thread has panicked; leaving the scope says so.
                    Err(RecvTimeoutError::Disconnected) => break,
                    Err(RecvTimeoutError::Timeout) if watch.interrupted() => {
                        stop.store(true, Ordering::Relaxed);
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
            Ok(())
        })?;
        Ok(found.concat())
    }

    fn batch(&self, first: usize, count: usize, stop: &AtomicBool) -> Result<Vec<T>, Error> {
        let replicates = (first..first + count).map(|index| self.replicate(index));
        let replicates = replicates.collect::<Result<Vec<_>, Error>>()?;
        let outcomes = self.simulation.run(&replicates, &mut Stop(stop))?;
        outcomes
            .iter()
            .map(|outcome| self.sample(outcome))
            .collect()
    }

    fn sample(&self, outcome: &Outcome) -> Result<T, Error> {
        match outcome.end {
            End::Interrupted => Err(interruption()),
            End::Finished | End::Lost | End::Stalled | End::OutOfCycles => (self.keep)(outcome),
        }
    }
}
