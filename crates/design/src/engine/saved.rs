//! The values that an engine holds between two cycles: as they lie in memory, and for a file.

use serde::{Deserialize, Serialize};

use super::super::placed::PlacedMemory;
use super::Engine;
use crosswave_lanes::memories::MemoryWords;
use crosswave_lanes::planes::Planes;

/// The values of all arrays between two cycles.
#[derive(Debug, Clone)]
pub(in super::super) struct EngineState {
    words: Planes,
    /// The words of each memory.
    memories: Vec<Vec<MemoryWords>>,
    /// The driven nets of the top that are not yet brought to the arrays.
    changed: Vec<u32>,
}

/// The values that an array holds between two cycles, for a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in super::super) struct SavedArray {
    /// By register, a bit for each instance of each run.
    registers: Vec<Vec<u64>>,
    /// By memory, the words of each instance of each run.
    memories: Vec<Vec<Vec<u16>>>,
}

impl Engine {
    /// The values of all arrays.
    pub(in super::super) fn state(&self) -> EngineState {
        let of_array = |memories: &Vec<PlacedMemory>| {
            let words = memories.iter().map(|memory| memory.words().clone());
            words.collect()
        };
        EngineState {
            words: self.words.clone(),
            memories: self.memories.iter().map(of_array).collect(),
            changed: self.driven.pending().to_vec(),
        }
    }

    /// The bytes of a state over those that a cycle reads and writes: of a memory it looks at few words.
    pub(in super::super) fn state_sizes(&self) -> u64 {
        (self.bytes() / (8 * self.words.words().len()).max(1)) as u64
    }

    /// Goes back to a state.
    pub(in super::super) fn restore(&mut self, state: &EngineState) {
        self.words.words_mut().copy_from_slice(state.words.words());
        for (memories, kept) in self.memories.iter_mut().zip(&state.memories) {
            for (memory, kept) in memories.iter_mut().zip(kept) {
                memory.set_words(kept);
            }
        }
        self.driven.set_pending(&state.changed);
    }

    /// The registers and memories of all arrays between two cycles, whatever the order of lanes.
    pub(in super::super) fn saved(&mut self) -> Vec<SavedArray> {
        let mut saved = Vec::new();
        for (array, program) in self.programs.iter().enumerate() {
            let (region, lanes) = (&self.regions[array], self.lanes_as_written(array));
            let plane = |&slot: &u32| {
                let mut plane = vec![0; lanes.len().div_ceil(64)];
                for (at, &lane) in lanes.iter().enumerate() {
                    let word = self.words.words()[region.address(slot, lane / 64)];
                    plane[at / 64] |= (word >> (lane % 64) & 1) << (at % 64);
                }
                plane
            };
            let registers = program.registers.iter().map(plane).collect();
            let memories = self.memories[array].iter_mut().map(|memory| {
                let words = lanes.iter().map(|&lane| memory.lane_mut(lane).to_vec());
                words.collect()
            });
            saved.push(SavedArray {
                registers,
                memories: memories.collect(),
            });
        }
        saved
    }

    /// Goes to what was saved of the same arrays; false when it is of others, which leaves the engine in no certain state.
    pub(in super::super) fn load(&mut self, saved: &[SavedArray]) -> bool {
        if saved.len() != self.programs.len() {
            return false;
        }
        for (array, saved) in saved.iter().enumerate() {
            let (region, lanes) = (self.regions[array], self.lanes_as_written(array));
            let registers = &self.programs[array].registers;
            let planes = lanes.len().div_ceil(64);
            if saved.registers.len() != registers.len()
                || saved.registers.iter().any(|plane| plane.len() != planes)
                || saved.memories.len() != self.memories[array].len()
            {
                return false;
            }
            for (&slot, plane) in registers.iter().zip(&saved.registers) {
                for (at, &lane) in lanes.iter().enumerate() {
                    let word = &mut self.words.words_mut()[region.address(slot, lane / 64)];
                    let bit = plane[at / 64] >> (at % 64) & 1;
                    *word = *word & !(1 << (lane % 64)) | bit << (lane % 64);
                }
            }
            for (memory, saved) in self.memories[array].iter_mut().zip(&saved.memories) {
                if saved.len() != lanes.len() {
                    return false;
                }
                for (&lane, saved) in lanes.iter().zip(saved) {
                    let held = memory.lane_mut(lane);
                    if held.len() != saved.len() {
                        return false;
                    }
                    held.copy_from_slice(saved);
                }
            }
        }
        true
    }

    /// The lanes of an array by run, and by instance in the order of the netlist.
    fn lanes_as_written(&self, array: usize) -> Vec<usize> {
        let order = &self.order[array];
        let runs = self.regions[array].lanes / order.len();
        let of_run = |run: usize| {
            order
                .iter()
                .map(move |&lane| run * order.len() + lane as usize)
        };
        (0..runs).flat_map(of_run).collect()
    }
}
