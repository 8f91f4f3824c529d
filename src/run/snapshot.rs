//! A run between two clock edges, kept so that it can be taken up there.

use serde::{Deserialize, Serialize};

use crate::host::Host;
use crate::probe::engine::Engine;
use crate::probe::save::{Loader, Saver, Unlike};

/// A replicate that runs alone, in a cycle that has been observed.
pub struct State<'s, 'h, E: ?Sized> {
    /// The engine, which stands in the cycle.
    pub engine: &'s E,
    pub(super) host: &'s Host<'h>,
}

impl<E: Engine + ?Sized> State<'_, '_, E> {
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

impl Snapshot {
    /// Brings an engine and a host of the same run to the cycle.
    pub(super) fn load<E: Engine + ?Sized>(
        &self,
        engine: &mut E,
        host: &mut Host<'_>,
    ) -> Result<(), Unlike> {
        let mut loader = Loader::new(&self.bytes);
        engine.load(&mut loader)?;
        host.load(&mut loader)?;
        loader.finish()?;
        (engine.cycle() == self.cycle).then_some(()).ok_or(Unlike)
    }
}
