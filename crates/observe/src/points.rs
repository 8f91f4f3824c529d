//! Points of figures and tables: runs of a configuration with as many replicates as make
//! its mean sure, kept so that they need not be run again.
//!
//! | file | holds |
//! |---|---|
//! | [`spec`] | what is run, and how sure its mean is to be |
//! | [`sample`] | what one replicate left behind, and what is looked at in it |
//! | [`samples`] | what the replicates left behind, and how many of them are enough |
//! | [`store`] | results in a folder, by the hash of what they are results of |
//! | [`watch`] | who is told of it, and may stop it |
//! | [`runner`] | replicates on the engines, several at a time |
//! | [`beside`] | points, and other studies, side by side on all processors |
//! | [`enough`] | how many values make a mean sure |
//!
//! A point is the same whatever was run before it, how often it was stopped, and on how many
//! threads: replicate `i` has the seed that it has in `crosswave run`, and how many are
//! taken follows from their results in order.

pub mod beside;
pub mod enough;
pub mod runner;
pub mod sample;
pub mod samples;
pub mod spec;
pub mod store;
pub mod watch;

#[cfg(test)]
mod tests;

use std::path::Path;

use serde_json::Value;

use crate::points::watch::{Watch, check_cancelled};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file::{self, input};
use crosswave_base::statistics::Tally;
use crosswave_probe::message::{MessageRecord, NEVER};
use crosswave_run::config::{Config, EngineKind};
use crosswave_run::host::{End, Outcome};

use runner::{IdleProcessors, Runner};

pub use sample::{Sample, Statistic};
pub use samples::Samples;
pub use spec::{PointStopRule, Spec};
pub use store::Store;

/// A point that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// Its name in the store.
    pub name: String,
    /// The title of the point.
    pub title: String,
    /// The statistic that it was run for, over its replicates.
    pub tally: Tally,
    /// The statistic that `tally` sums up.
    pub of: Statistic,
    /// The engine that ran it.
    pub engine: EngineKind,
}

/// Points that are run when they are asked for the first time.
#[derive(Debug, Default)]
pub struct Points {
    store: Store,
    known: Vec<Known>,
}

impl Points {
    /// Points that are kept in `store`.
    pub fn new(store: Store) -> Points {
        Points {
            store,
            known: Vec::new(),
        }
    }

    /// The store of results that are not points.
    pub fn store(&mut self) -> &mut Store {
        &mut self.store
    }

    /// The points that were asked for, in the order of the first time.
    pub fn known(&self) -> &[Known] {
        &self.known
    }

    /// The samples of a point, run as far as they are not kept.
    ///
    /// # Errors
    /// When the configuration is wrong, the folder cannot be read or written, a run does
    /// not end by `run.cycles_max`, or someone asks to stop.
    pub fn get(&mut self, spec: &Spec, watch: &mut dyn Watch) -> Result<Samples, Error> {
        let key = spec.key();
        let mut samples: Samples = self.store.read(&key)?.unwrap_or_default();
        let title = format!("point {}: {}", self.known.len() + 1, spec.title);
        let keep = |outcome: &Outcome| finished_sample(spec, outcome);
        let idle = IdleProcessors::default();
        let mut runner = None;
        loop {
            let target = spec.wanted.target(&samples);
            if samples.len() >= target {
                samples.truncate(target);
                self.note(spec, &key, &samples)?;
                return Ok(samples);
            }
            let so_far = samples.of(spec.wanted.of);
            watch.begins(&format!(
                "{title}, replicate {} of {target}",
                so_far.count() + 1
            ));
            check_cancelled(watch)?;
            let running = match runner.take() {
                Some(running) => running,
                None => Runner::new(&spec.config, &spec.shifts, &keep, &idle)?,
            };
            let more = runner
                .insert(running)
                .run(samples.len(), target - samples.len(), watch)?;
            samples.extend(more);
            self.store.write(&key, &samples)?;
        }
    }

    /// Notes that a point is at hand, and writes its configuration beside its results.
    fn note(&mut self, spec: &Spec, key: &Value, samples: &Samples) -> Result<(), Error> {
        let name = self.store.name(key);
        if self.known.iter().any(|known| known.name == name) {
            return Ok(());
        }
        if let Some(folder) = self.store.folder() {
            let path = folder.join(format!("{name}.toml"));
            write_run(spec, &path, samples.len())?;
        }
        self.known.push(Known {
            name,
            title: spec.title.clone(),
            tally: samples.of(spec.wanted.of),
            of: spec.wanted.of,
            engine: spec.config.run.engine,
        });
        Ok(())
    }
}

/// The sample of a replicate, all of whose messages are to be delivered.
fn finished_sample(spec: &Spec, outcome: &Outcome) -> Result<Sample, Error> {
    if outcome.end == End::Finished {
        return Ok(Sample::new(outcome.rounds, &outcome.messages));
    }
    let late = |message: &&MessageRecord| message.acknowledged_cycle == NEVER;
    let message = format!(
        "{} messages were not delivered by cycle {}",
        outcome.messages.iter().filter(late).count(),
        outcome.last_cycle
    );
    Err(Error::one(
        Class::Check,
        spec.title.clone(),
        Diagnostic::new("run.cycles_max", message, ""),
    ))
}

/// Writes the configuration of a point, so that `crosswave run` gives so many replicates. A
/// file of that name is replaced only when it is the configuration of the same point, under
/// whatever title and with however many replicates.
fn write_run(spec: &Spec, path: &Path, replicates: usize) -> Result<(), Error> {
    let text = spec.run_text(replicates);
    if path.exists() {
        let found = input::read_text(path, input::KEPT, Class::Input)?;
        let kept = Config::parse(&found, &path.display().to_string(), Path::new("."), &[]);
        let same = kept.is_ok_and(|kept| kept == spec.run_config(kept.run.replicates as usize));
        if !same {
            return Err(Error::one(
                Class::Input,
                path.display().to_string(),
                Diagnostic::new(
                    "configuration of a point",
                    format!("it is not what was written for {}", spec.title),
                    "move it away, and it is written again",
                ),
            ));
        }
        if found == text {
            return Ok(());
        }
    }
    file::claims::check_unclaimed("the configuration of a point", path)?;
    file::write(path, |out| out.write_all(text.as_bytes()))
}
