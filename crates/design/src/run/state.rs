//! The state of a run between two cycles: in memory, and as it is saved in a file.

use serde::{Deserialize, Serialize};

use super::super::engine::{EngineState, SavedArray};
use super::{DrivenBit, Run};

/// The state of a run between two cycles, from which it can go on.
#[derive(Debug, Clone)]
pub struct RunState {
    engine: EngineState,
    driven: Vec<DrivenBit>,
}

/// The same for a file: what flip-flops, memories and inputs hold, whatever nets are looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedRun {
    arrays: Vec<SavedArray>,
    /// The rails of each input bit.
    driven: Vec<[Vec<u64>; 2]>,
}

impl Run {
    /// The state before the first cycle, or after the edge that ended one. Inputs that were not driven in a
    /// cycle are as before, so this belongs to it too.
    pub fn state(&self) -> RunState {
        RunState {
            engine: self.engine.state(),
            driven: self.driven.clone(),
        }
    }

    /// Goes back to a state of this run.
    pub fn restore(&mut self, state: &RunState) {
        self.engine.restore(&state.engine);
        self.driven.clone_from(&state.driven);
    }

    /// The state before the first cycle, or after the edge that ended one, for a file. The options of the run say that
    /// it can be saved; without that, flip-flops that nothing reads are missing.
    pub fn saved(&mut self) -> SavedRun {
        SavedRun {
            arrays: self.engine.saved(),
            driven: self.driven.iter().map(|bit| bit.rails.clone()).collect(),
        }
    }

    /// Goes to a state that was saved of the same design with the same arrays and number of runs; false when it is of another
    /// one, after which the run is of no use.
    pub fn load(&mut self, saved: &SavedRun) -> bool {
        let words = self.replicas.div_ceil(64);
        let are_rails = |rails: &[Vec<u64>; 2]| {
            let is_driven = |(one, zero): (&u64, &u64)| one | zero == u64::MAX;
            rails.iter().all(|rail| rail.len() == words)
                && rails[0].iter().zip(&rails[1]).all(is_driven)
        };
        let is_known =
            |rails: &[Vec<u64>; 2]| rails[0].iter().zip(&rails[1]).all(|(a, b)| a & b == 0);
        if saved.driven.len() != self.driven.len()
            || !saved.driven.iter().all(are_rails)
            || !self.four_state && !saved.driven.iter().all(is_known)
            || !self.engine.load(&saved.arrays)
        {
            return false;
        }
        for (driven, rails) in self.driven.iter_mut().zip(&saved.driven) {
            driven.rails.clone_from(rails);
        }
        for (driven, nets) in self.driven.iter().zip(&self.input_nets) {
            for (rail, net) in driven.rails.iter().zip(nets) {
                if let &Some(net) = net {
                    let word = |group: usize| rail.get(group).copied().unwrap_or(0);
                    self.engine.drive_all(net, word);
                }
            }
        }
        true
    }
}
