//! Points of figures and tables: runs of a configuration with as many replicates as make
//! its mean sure, kept so that they need not be run again.
//!
//! | file | holds |
//! |---|---|
//! | [`spec`] | what is run, and how sure its mean is to be |
//! | [`samples`] | what the replicates left behind, and how many of them are enough |
//! | [`store`] | results in a folder, by the hash of what they are results of |
//! | `runner` | replicates on the engines, several at a time |
//!
//! A point is the same whatever was run before it, how often it was stopped, and on how many
//! threads: replicate `i` has the seed that it has in `crosswave run`, and how many are
//! taken follows from their results in order.

mod runner;
pub mod samples;
pub mod spec;
pub mod store;

#[cfg(test)]
mod tests;

use crate::diagnostic::{Class, Diagnostic, Report};
use crate::experiment::study::Watch;

pub use samples::{Sample, Samples};
pub use spec::{Spec, Statistic, Wanted};
pub use store::Store;

/// What is said when someone asked to stop.
pub fn interruption() -> Report {
    Report::one(
        Class::Check,
        "points",
        Diagnostic::new("interrupted", "what was simulated so far has been kept", ""),
    )
}

/// Points that are run when they are asked for the first time.
#[derive(Debug, Default)]
pub struct Points {
    store: Store,
    done: usize,
    of: usize,
}

impl Points {
    /// Points that are kept in `store`.
    pub fn new(store: Store) -> Points {
        Points {
            store,
            done: 0,
            of: 0,
        }
    }

    /// Where results are kept that are not points.
    pub fn store(&mut self) -> &mut Store {
        &mut self.store
    }

    /// Says how many points are about to be asked for, for those who wait.
    pub fn expect(&mut self, count: usize) {
        (self.done, self.of) = (0, count);
    }

    /// The samples of a point, run as far as they are not kept.
    ///
    /// # Errors
    /// When the configuration is wrong, the folder cannot be read or written, a run does
    /// not end by `run.cycles_max`, or someone asks to stop.
    pub fn get(&mut self, spec: &Spec, watch: &mut dyn Watch) -> Result<Samples, Report> {
        let config = spec.config()?;
        let key = spec.key(&config);
        let mut samples: Samples = self.store.read(&key)?.unwrap_or_default();
        self.done += 1;
        let title = match self.of {
            0 => spec.title.clone(),
            of => format!("point {} of {of}: {}", self.done.min(of), spec.title),
        };
        let mut runner = None;
        loop {
            let target = spec.wanted.target(&samples);
            if samples.len() >= target {
                samples.truncate(target);
                return Ok(samples);
            }
            let so_far = samples.of(spec.wanted.of);
            watch.begins(&format!(
                "{title}, replicate {} of {target}",
                so_far.count()
            ));
            if watch.interrupted() {
                return Err(interruption());
            }
            let runner = runner.get_or_insert_with(|| runner::Runner::new(&config, spec));
            let more = runner.run(samples.len(), target - samples.len(), watch)?;
            samples.extend(more);
            self.store.write(&key, &samples)?;
        }
    }
}
