//! States of a run, from which the cycles before a moment can be run again.

use std::collections::VecDeque;
use std::rc::Rc;

/// Cycles between states at least.
const CYCLES_MIN: u64 = 4096;

/// States of the latest cycles of a run. At most three are kept.
#[derive(Debug)]
pub struct History<S> {
    /// Number of cycles before the current one that are asked for.
    cycles: u64,
    /// Each with its cycle, in the order of cycles.
    states: VecDeque<(u64, Rc<S>)>,
    next_cycle: u64,
}

impl<S> History<S> {
    /// A history of so many cycles of a run from its beginning on.
    pub fn new(cycles: u64) -> History<S> {
        History {
            cycles,
            states: VecDeque::new(),
            next_cycle: cycles.max(CYCLES_MIN),
        }
    }

    /// True when it is time to keep the state of this cycle.
    #[inline]
    pub fn is_due(&self, cycle: u64) -> bool {
        cycle >= self.next_cycle
    }

    /// Keeps a state. The next one is due after the cycles that are asked for, and after `apart` cycles
    /// at least: as many as make keeping a state cheap beside them.
    pub fn keep(&mut self, cycle: u64, state: S, apart: u64) {
        self.next_cycle = cycle.saturating_add(apart.max(CYCLES_MIN).max(self.cycles));
        let first_cycle = cycle.saturating_sub(self.cycles);
        while let Some((second, _)) = self.states.get(1)
            && *second < first_cycle
        {
            self.states.pop_front();
        }
        self.states.push_back((cycle, Rc::new(state)));
    }

    /// The latest state before a cycle, which is one of those asked for; `None` where
    /// that is the beginning of the run.
    pub fn before(&self, cycle: u64) -> Option<&Rc<S>> {
        let mut states = self.states.iter().rev();
        let found = states.find(|(kept, _)| *kept < cycle);
        found.map(|(_, state)| state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_state_before_every_cycle_that_is_asked_for() {
        for (cycles, apart) in [(0, 0), (10, 100), (5000, 1), (9000, 20_000)] {
            let mut history = History::new(cycles);
            for cycle in 0..100_000u64 {
                if history.is_due(cycle) {
                    history.keep(cycle, cycle, apart);
                    assert!(history.states.len() <= 3);
                }
                let first = cycle.saturating_sub(cycles);
                let found = history.before(first);
                assert_eq!(found.is_some(), first > cycles.max(CYCLES_MIN));
                assert!(found.is_none_or(|state| **state < first));
            }
        }
    }
}
