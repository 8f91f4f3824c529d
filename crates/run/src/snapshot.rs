//! A run between two clock edges, kept so that it can be taken up there.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::host::Host;
use crosswave_probe::engine::Engine;
use crosswave_probe::save::{Loader, Saver, Unlike};

/// A replicate that runs alone, in a cycle that has been observed.
pub struct RunState<'s, 'h> {
    /// The engine, which stands in the cycle.
    pub engine: &'s dyn Engine,
    pub(super) host: &'s Host<'h>,
}

impl RunState<'_, '_> {
    /// Keeps it.
    pub fn snapshot(&self) -> Snapshot {
        let mut saver = Saver::new();
        self.engine.save(&mut saver);
        self.host.save(&mut saver);
        Snapshot {
            cycle: self.engine.cycle(),
            bytes: saver.finish(),
        }
    }
}

/// All that later cycles of a replicate depend on: the registers of chips, the pins, and what
/// the host knows. It is of one kind of engine, whatever the number of threads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The cycle.
    pub cycle: u64,
    /// The engine, and behind it the host.
    pub bytes: Vec<u8>,
}

/// The reason why a run cannot go on from a state: it is of another run, or of none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Impossible {
    reason: String,
}

impl Impossible {
    pub(super) fn new(reason: impl Into<String>) -> Impossible {
        let reason = reason.into();
        Impossible { reason }
    }
}

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl From<Unlike> for Impossible {
    fn from(_: Unlike) -> Impossible {
        Impossible::new("it is not laid out as this network and these messages are")
    }
}

impl Snapshot {
    /// Brings an engine and a host of the same run to the cycle.
    pub(super) fn load(
        &self,
        engine: &mut dyn Engine,
        host: &mut Host<'_>,
    ) -> Result<(), Impossible> {
        let mut loader = Loader::new(&self.bytes);
        engine.load(&mut loader)?;
        host.load(&mut loader)?;
        loader.finish()?;
        if engine.cycle() != self.cycle {
            let message = format!("the chips stand in cycle {}", engine.cycle());
            return Err(Impossible::new(message));
        }
        host.check(self.cycle).map_err(Impossible::new)
    }
}
