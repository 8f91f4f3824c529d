//! Checkpoints in memory, from which the cycles before a moment can be run again.
//!
//! A checkpoint costs time by its bytes, most of which are messages; running a cycle again
//! costs time by the chips. So checkpoints are so far apart that writing one is a small part of
//! the run: as many cycles as it has times the bytes of the network's links, times
//! `CYCLES_A_SIZE`. No more than three are kept.

use std::collections::VecDeque;
use std::rc::Rc;

use crosswave_network::Fabric;
use crosswave_probe::engine::Engine;
use crosswave_run::checkpoint::{Checkpoint, CheckpointTaker};
use crosswave_run::observer::Observer;
use crosswave_run::recorder::RunLanes;
use crosswave_run::snapshot::RunState;

/// Cycles for each time that a checkpoint is as large as the words on all links.
const CYCLES_A_SIZE: u64 = 512;

/// Cycles between checkpoints at least.
const CYCLES_MIN: u64 = 4096;

/// Keeps what it takes to run the latest cycles again.
#[derive(Debug)]
pub struct History {
    taker: CheckpointTaker,
    /// Number of cycles before the current one that are asked for.
    cycles: u64,
    checkpoints: VecDeque<Rc<Checkpoint>>,
    next_cycle: u64,
    /// Bytes of the words on all links.
    links_bytes: u64,
}

impl History {
    /// A history of so many cycles of a run in a fabric, from its beginning on.
    pub fn new(fabric: &Fabric, cycles: u64) -> History {
        History {
            taker: CheckpointTaker::new(fabric),
            cycles,
            checkpoints: VecDeque::new(),
            next_cycle: cycles.max(CYCLES_MIN),
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
        if cycle < self.next_cycle {
            return;
        }
        let checkpoint = self.taker.take(state);
        let sizes = checkpoint.snapshot.bytes.len() as u64 / self.links_bytes + 1;
        self.next_cycle = cycle + (sizes * CYCLES_A_SIZE).max(CYCLES_MIN).max(self.cycles);
        let first_cycle = cycle.saturating_sub(self.cycles);
        while let Some(second) = self.checkpoints.get(1)
            && second.snapshot.cycle < first_cycle
        {
            self.checkpoints.pop_front();
        }
        self.checkpoints.push_back(Rc::new(checkpoint));
    }

    /// The latest checkpoint before a cycle, which is one of those asked for; `None` where
    /// that is the beginning of the run.
    pub fn before(&self, cycle: u64) -> Option<&Rc<Checkpoint>> {
        let mut checkpoints = self.checkpoints.iter().rev();
        checkpoints.find(|checkpoint| checkpoint.snapshot.cycle < cycle)
    }
}
