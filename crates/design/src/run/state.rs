//! The state of a run between two cycles: in memory, and as it is saved in a file.

use serde::{Deserialize, Serialize};

use super::super::engine::{EngineState, SavedArray};

/// The state of a run between two cycles, from which it can go on.
#[derive(Debug, Clone)]
pub struct RunState {
    pub(super) engine: EngineState,
    /// The rails of the input bits.
    pub(super) driven: Vec<u64>,
}

/// The same for a file: what flip-flops, memories and inputs hold, whatever nets are looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedRun {
    pub(super) arrays: Vec<SavedArray>,
    /// The rails of the input bits.
    pub(super) driven: Vec<u64>,
}
