//! The nets of the top that the user drives, on their way to other arrays.

use std::collections::BTreeMap;

use super::super::moves::{self, LaneMove, LaneSources};
use crosswave_netlist::NetId;

/// A net of the top that is driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct DrivenNet {
    /// Its slot in the top.
    pub(super) slot: u32,
    /// Its number among those that other arrays read; one behind them if none does.
    number: u32,
}

/// The inputs of the design that other arrays read, and those that changed since everything was settled.
#[derive(Debug, Clone, Default)]
pub(super) struct DrivenInputs {
    /// The nets, in order.
    nets: Vec<NetId>,
    /// The moves of each: `moves[starts[number]..starts[number + 1]]`.
    moves: Vec<LaneMove>,
    starts: Vec<u32>,
    /// The numbers of those that changed, each once, are the first ones.
    changed: Vec<u32>,
    changes: usize,
    /// For each, true when it is among these. The last entry is true always: it is that of all others.
    is_changed: Vec<bool>,
}

impl DrivenInputs {
    /// With what some nets bring to the words of other arrays.
    pub(super) fn new(driven: BTreeMap<NetId, BTreeMap<u32, LaneSources>>) -> DrivenInputs {
        let mut inputs = DrivenInputs {
            changed: vec![0; driven.len() + 1],
            is_changed: vec![false; driven.len()],
            starts: vec![0],
            ..DrivenInputs::default()
        };
        inputs.is_changed.push(true);
        for (net, targets) in driven {
            inputs.nets.push(net);
            inputs.moves.extend(moves::compile(targets));
            inputs.starts.push(inputs.moves.len() as u32);
        }
        inputs
    }

    /// A net in a slot of the top.
    pub(super) fn net(&self, net: NetId, slot: u32) -> DrivenNet {
        let number = self.nets.binary_search(&net).unwrap_or(self.nets.len());
        DrivenNet {
            slot,
            number: number as u32,
        }
    }

    /// Notes that a net has changed, or has not. Random inputs change in every other cycle, so nothing is decided by a jump.
    #[inline(always)]
    pub(super) fn change(&mut self, net: DrivenNet, has_changed: bool) {
        let is_changed = &mut self.is_changed[net.number as usize];
        let is_new = has_changed & !*is_changed;
        *is_changed |= has_changed;
        self.changed[self.changes] = net.number;
        self.changes += usize::from(is_new);
    }

    /// Carries out the moves of the nets that changed.
    pub(super) fn carry_out(&mut self, words: &mut [u64]) {
        for &number in &self.changed[..self.changes] {
            let number = number as usize;
            self.is_changed[number] = false;
            let range = self.starts[number] as usize..self.starts[number + 1] as usize;
            moves::carry_out(&self.moves[range], words);
        }
        self.changes = 0;
    }

    /// The numbers of the nets that changed.
    pub(super) fn pending(&self) -> &[u32] {
        &self.changed[..self.changes]
    }

    /// Forgets changes, and notes those of other nets, by number.
    pub(super) fn set_pending(&mut self, pending: &[u32]) {
        for number in self.changed.drain(..self.changes) {
            self.is_changed[number as usize] = false;
        }
        self.changed.resize(self.nets.len() + 1, 0);
        self.changed[..pending.len()].copy_from_slice(pending);
        self.changes = pending.len();
        for &number in pending {
            self.is_changed[number as usize] = true;
        }
    }

    /// Number of moves of all nets.
    pub(super) fn moves(&self) -> usize {
        self.moves.len()
    }
}
