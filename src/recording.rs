//! Recordings of a run.

use std::path::PathBuf;

use crate::error::Error;
use crate::keys::{Keys, setters};
use crosswave_observe::recording::WaveTarget;

pub use crosswave_run::config::PortKind;

/// A waveform that is recorded of replicate 0 of a run.
///
/// It shows what the table `[wave]` of the configuration says: all ports in the whole run, except
/// pins with random bits, unless that is a file that says otherwise. A method sets one key of the
/// table, which is checked when the run begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recording {
    pub(crate) target: WaveTarget,
    pub(crate) has_viewer_files: bool,
    pub(crate) keys: Keys,
}

impl Recording {
    fn to(target: WaveTarget) -> Recording {
        Recording {
            target,
            has_viewer_files: false,
            keys: Keys::default(),
        }
    }

    /// An FST file, which is a tenth as large as VCD.
    pub fn fst(path: impl Into<PathBuf>) -> Recording {
        Recording::to(WaveTarget::fst(path))
    }

    /// A VCD file, compressed when its name ends in `.vcd.gz`.
    pub fn vcd(path: impl Into<PathBuf>) -> Recording {
        Recording::to(WaveTarget::vcd(path))
    }

    /// A file in the format that its name promises.
    ///
    /// # Errors
    /// When the name ends in none of `.vcd`, `.vcd.gz` and `.fst`.
    pub fn of_name(path: impl Into<PathBuf>) -> Result<Recording, Error> {
        Ok(Recording::to(WaveTarget::of_name(path)?))
    }

    fn with_list<T: serde::Serialize>(
        mut self,
        key: &'static str,
        entries: impl IntoIterator<Item = T>,
    ) -> Recording {
        let entries: Vec<T> = entries.into_iter().collect();
        self.keys.set("wave", key, entries);
        self
    }

    /// These scopes only: patterns on dotted paths of instances, with `*` and `?` within a name
    /// and `**` for any number of names.
    pub fn scopes<S: Into<String>>(self, patterns: impl IntoIterator<Item = S>) -> Recording {
        self.with_list("scopes", patterns.into_iter().map(Into::into))
    }

    /// Ports of these kinds only.
    pub fn kinds(self, kinds: impl IntoIterator<Item = PortKind>) -> Recording {
        self.with_list("kinds", kinds)
    }

    /// Routers of these levels or stages only, counted from 0.
    pub fn levels(self, levels: impl IntoIterator<Item = u32>) -> Recording {
        self.with_list("levels", levels)
    }

    /// Restricts the recording to signals on the routes from these sources to these destinations.
    pub fn routes(self, routes: impl IntoIterator<Item = (u32, u32)>) -> Recording {
        self.with_list("routes", routes)
    }

    /// Restricts the recording to signals that these messages use, by their numbers, from 0. The
    /// replicate is run once more to find them.
    pub fn messages(self, messages: impl IntoIterator<Item = u32>) -> Recording {
        self.with_list("messages", messages)
    }

    /// Nets inside the chips too: patterns on their dotted paths. The replicate is run once more.
    pub fn nets<S: Into<String>>(self, patterns: impl IntoIterator<Item = S>) -> Recording {
        self.with_list("nets", patterns.into_iter().map(Into::into))
    }

    /// These cycles only, both included, 0 to 10^12. A trigger is looked for in them.
    pub fn window_cycles(self, from: u64, to: u64) -> Recording {
        self.with_list("window_cycles", [from, to])
    }

    setters! {
        /// Pins that take random bits too, a quarter of a waveform and more.
        random_pins() = "wave".random_pins = true;
        /// Messages as signals too. The replicate is run once more.
        lanes() = "wave".lanes = true;
        /// The cycles around the moment in which a condition becomes true only, such as
        /// `rejected(level=3)`. They are run once more.
        trigger(condition: &str) = "wave".trigger;
        /// So many cycles before that moment, 0 to 10^12, instead of 1000.
        before_cycles(cycles: u64) = "wave".before_cycles;
        /// So many cycles after that moment, 0 to 10^12, instead of 100.
        after_cycles(cycles: u64) = "wave".after_cycles;
        /// So many moments, 1 to 1000, each in a file of its own: `run.0.fst` and so on.
        triggers(moments: u64) = "wave".triggers;
    }

    /// Files beside the waveform tell GTKWave and Surfer how to show it.
    pub fn viewer_files(mut self) -> Recording {
        self.has_viewer_files = true;
        self
    }
}
