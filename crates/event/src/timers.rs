//! Chips that sleep until a cycle.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::awake::AwakeSet;

/// The cycles for which chips of a part wait.
#[derive(Debug, Default)]
pub(super) struct Timers {
    heap: BinaryHeap<Reverse<(u64, u32)>>,
    /// The cycle set last for each chip of the part; empty while none was.
    latest: Vec<u64>,
}

impl Timers {
    /// Wakes a chip for a cycle, one among `chips` of the part.
    pub(super) fn set(&mut self, cycle: u64, chip: u32, chips: usize) {
        if self.latest.is_empty() {
            self.latest = vec![0; chips];
        }
        // Evaluations in between find what is due unchanged.
        if std::mem::replace(&mut self.latest[chip as usize], cycle) != cycle {
            self.heap.push(Reverse((cycle, chip)));
        }
    }

    /// The first cycle that someone waits for.
    pub(super) fn first(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse((cycle, _))| *cycle)
    }

    /// Wakes those whose cycle has come.
    pub(super) fn wake(&mut self, cycle: u64, awake: &mut AwakeSet) {
        while let Some(&Reverse((due, chip))) = self.heap.peek()
            && due <= cycle
        {
            self.heap.pop();
            awake.insert(chip);
        }
    }

    /// All that is waited for, in order.
    pub(super) fn all(&self) -> Vec<(u64, u32)> {
        let mut all: Vec<(u64, u32)> = self.heap.iter().map(|Reverse(timer)| *timer).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Nothing more is waited for.
    pub(super) fn clear(&mut self) {
        self.heap.clear();
        self.latest.clear();
    }
}
