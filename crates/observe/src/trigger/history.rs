//! Checkpoints in memory, from which the cycles before a moment can be run again.
//!
//! A checkpoint costs time by its bytes, most of which are messages; running a cycle again
//! costs time by the chips. So checkpoints are so far apart that writing one is a small part of
//! the run: as many cycles as it has times the bytes of the network's links, times
//! `CYCLES_A_SIZE`.

use std::rc::Rc;

use crosswave_network::Fabric;
use crosswave_probe::engine::Engine;
use crosswave_run::checkpoint::{Checkpoint, CheckpointTaker};
use crosswave_run::observer::Observer;
use crosswave_run::recorder::RunLanes;
use crosswave_run::snapshot::RunState;
use crosswave_trigger::History;

/// Cycles for each time that a checkpoint is as large as the words on all links.
const CYCLES_A_SIZE: u64 = 512;

/// Keeps what it takes to run the latest cycles again.
#[derive(Debug)]
pub struct CheckpointHistory {
    taker: CheckpointTaker,
    checkpoints: History<Checkpoint>,
    /// Bytes of the words on all links.
    links_bytes: u64,
}

impl CheckpointHistory {
    /// A history of so many cycles of a run in a fabric, from its beginning on.
    pub fn new(fabric: &Fabric, cycles: u64) -> CheckpointHistory {
        CheckpointHistory {
            taker: CheckpointTaker::new(fabric),
            checkpoints: History::new(cycles),
            links_bytes: 4 * fabric.peers.len().max(1) as u64,
        }
    }

    /// Takes in a cycle.
    pub fn cycle(&mut self, engine: &dyn Engine, clocked: bool) {
        self.taker.cycle(engine, clocked);
    }

    /// The connections in the cycle that was taken in last, where the network has some.
    pub fn lanes(&self) -> Option<&RunLanes> {
        self.taker.lanes()
    }

    /// Keeps the state if it is time to.
    #[inline]
    pub fn between_edges(&mut self, state: &RunState<'_, '_>) {
        let cycle = state.engine.cycle();
        if !self.checkpoints.is_due(cycle) {
            return;
        }
        let checkpoint = self.taker.take(state);
        let sizes = checkpoint.snapshot.bytes.len() as u64 / self.links_bytes + 1;
        self.checkpoints
            .keep(cycle, checkpoint, sizes * CYCLES_A_SIZE);
    }

    /// The latest checkpoint before a cycle, which is one of those asked for; `None` where
    /// that is the beginning of the run.
    pub fn before(&self, cycle: u64) -> Option<Rc<Checkpoint>> {
        self.checkpoints.before(cycle).cloned()
    }
}
