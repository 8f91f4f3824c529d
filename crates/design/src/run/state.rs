//! The state of a run between two cycles: in memory, and as it is saved in a file.

use serde::{Deserialize, Serialize};

use super::super::engine::{EngineState, SavedArray};
use super::Run;

/// The state of a run between two cycles, from which it can go on.
#[derive(Debug, Clone)]
pub struct RunState {
    engine: EngineState,
    /// The rails of the input bits.
    driven: Vec<u64>,
}

/// The same for a file: what flip-flops, memories and inputs hold, whatever nets are looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedRun {
    arrays: Vec<SavedArray>,
    /// The rails of the input bits.
    driven: Vec<u64>,
}

impl Run {
    /// The state before the first cycle, or after the edge that ended one. Inputs that were not driven in a
    /// cycle are as before, so this belongs to it too.
    pub fn state(&self) -> RunState {
        RunState {
            engine: self.engine.state(),
            driven: self.driven.rails.clone(),
        }
    }

    /// The bytes of a state over those that a cycle reads and writes, from 1 on.
    pub fn state_sizes(&self) -> u64 {
        self.engine.state_sizes()
    }

    /// Goes back to a state of this run.
    pub fn restore(&mut self, state: &RunState) {
        self.engine.restore(&state.engine);
        self.driven.rails.copy_from_slice(&state.driven);
    }

    /// The state before the first cycle, or after the edge that ended one, for a file. The options of the run say that
    /// it can be saved; without that, flip-flops that nothing reads are missing.
    pub fn saved(&mut self) -> SavedRun {
        SavedRun {
            arrays: self.engine.saved(),
            driven: self.driven.rails.clone(),
        }
    }

    /// Goes to a state that was saved of the same design with the same arrays and number of runs; false when it is of another
    /// one, after which the run is of no use.
    pub fn load(&mut self, saved: &SavedRun) -> bool {
        if saved.driven.len() != self.driven.rails.len() {
            return false;
        }
        let pairs = saved.driven.chunks_exact(2 * self.driven.words);
        let are_possible = pairs.map(|pair| pair.split_at(self.driven.words));
        let are_possible = are_possible.flat_map(|(one, zero)| one.iter().zip(zero));
        let mut are_possible = are_possible.map(|(one, zero)| match self.four_state {
            true => one | zero == u64::MAX,
            false => one ^ zero == u64::MAX,
        });
        if !are_possible.all(|is_possible| is_possible) || !self.engine.load(&saved.arrays) {
            return false;
        }
        self.driven.rails.copy_from_slice(&saved.driven);
        self.driven.drive_all(&mut self.engine);
        true
    }
}
