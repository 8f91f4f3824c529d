//! Values that are put into registers of single instances while an engine runs, as faults need it.

use super::GateEngine;
use crate::step::POISON;
use crosswave_chips::registers::Storage;

/// A value that a register has from a cycle on, until an edge gives it another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedValue {
    /// The cycle, from 1 on.
    pub cycle: u64,
    /// The array.
    pub array: usize,
    /// The name of the register, which drives no link. One that the engine does not have is left out: nothing
    /// depends on it.
    pub register: String,
    /// The instance.
    pub instance: usize,
    /// The value.
    pub value: bool,
}

/// A bit of an array's state.
#[derive(Debug, Clone, Copy)]
struct StateBit {
    cycle: u64,
    array: usize,
    plane: usize,
    instance: usize,
    value: bool,
}

/// The values that are planned, in the order of cycles, and how many are done.
#[derive(Debug, Default)]
pub(super) struct Planned {
    bits: Vec<StateBit>,
    done: usize,
}

impl Planned {
    pub(super) fn begin_again(&mut self) {
        self.done = 0;
    }

    pub(super) fn is_over(&self) -> bool {
        self.done == self.bits.len()
    }
}

impl GateEngine {
    /// Has registers get values as the engine comes to cycles that are ahead. It replaces what was planned
    /// before.
    ///
    /// # Panics
    /// When a register drives a link.
    pub fn plan(&mut self, values: &[PlannedValue]) {
        let mut bits = Vec::with_capacity(values.len());
        for value in values {
            let plan = &self.shared.plans[value.array];
            let mut names = plan.names.iter();
            let Some(register) = names.position(|name| *name == value.register) else {
                continue;
            };
            let Storage::State(plane) = plan.places[register] else {
                panic!("{} drives a link", value.register);
            };
            bits.push(StateBit {
                cycle: value.cycle,
                array: value.array,
                plane,
                instance: value.instance,
                value: value.value,
            });
        }
        bits.sort_by_key(|bit| bit.cycle);
        self.planned = Planned { bits, done: 0 };
    }

    /// Gives registers the values that they are to get in this cycle.
    #[inline]
    pub(super) fn take_planned(&mut self) {
        while let Some(bit) = self.planned.bits.get(self.planned.done)
            && bit.cycle <= self.cycle
        {
            let (thread, chunk) = self.chunk(bit.array, bit.instance / 64);
            let state = &mut self.shared.parts[thread].own.write().expect(POISON).state;
            let word = bit.instance / 64 - chunk.state.words.start;
            let at = chunk.state.address(bit.plane, word);
            let lane = 1 << (bit.instance % 64);
            let words = state[bit.array].words_mut();
            match bit.value {
                true => words[at] |= lane,
                false => words[at] &= !lane,
            }
            self.planned.done += 1;
        }
    }
}
