//! An order of functions and stores as it grows.

use std::collections::BTreeMap;

use super::lower::{Function, Lowered};
use crate::straight::STATE;
use crosswave_netlist::MappedValue;
use crosswave_netlist::table::A;

/// A step of the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeStep {
    /// Computes the function of this number.
    Compute(u32),
    /// Writes the sink of this number.
    Store(u32),
    /// Ends here, with nothing written, unless the guard is 0.
    Guard,
}

/// An order as it grows.
pub struct Order<'a> {
    /// The program.
    pub lowered: &'a mut Lowered,
    /// The steps so far.
    pub steps: Vec<CodeStep>,
    /// Functions that have been computed.
    pub computed: Vec<bool>,
    /// Reads of each function by others that are still to come.
    pub readers: Vec<u32>,
    /// Reads of each leaf that are still to come, by functions and sinks.
    pub reads: Vec<u32>,
    /// Sinks that wait for the last read of a leaf.
    pub waiting: Vec<Vec<u32>>,
    /// The leaf whose reads a sink waits for.
    pub blocker: Vec<Option<u32>>,
    stored: Vec<bool>,
    /// True while nothing may be written.
    held: bool,
    /// Sinks of each function.
    pub sinks: Vec<Vec<u32>>,
    /// Sinks of each leaf.
    copies: Vec<Vec<u32>>,
    /// The functions and leaves that have been read since this was emptied, once for each read.
    pub read: Vec<MappedValue>,
}

impl<'a> Order<'a> {
    /// Before anything is computed.
    pub fn new(lowered: &'a mut Lowered) -> Order<'a> {
        let functions = lowered.functions.len();
        let mut live = vec![false; functions];
        for (value, _) in &lowered.sinks {
            if let MappedValue::Function(index) = *value {
                live[index as usize] = true;
            }
        }
        let mut reads = vec![0; lowered.leaves.len()];
        let mut readers = vec![0; functions];
        match lowered.guard {
            Some(MappedValue::Function(guard)) => {
                live[guard as usize] = true;
                readers[guard as usize] += 1;
            }
            Some(MappedValue::Leaf(leaf)) => reads[leaf as usize] += 1,
            _ => {}
        }
        for index in (0..functions).rev() {
            if live[index] {
                for input in lowered.functions[index].inputs() {
                    match *input {
                        MappedValue::Function(input) => {
                            live[input as usize] = true;
                            readers[input as usize] += 1;
                        }
                        MappedValue::Leaf(leaf) => reads[leaf as usize] += 1,
                        MappedValue::Constant(_) => {}
                    }
                }
            }
        }
        let of_place: BTreeMap<_, u32> = (0..).zip(&lowered.leaves).map(|(i, &p)| (p, i)).collect();
        let mut sinks = vec![Vec::new(); functions];
        let mut copies = vec![Vec::new(); reads.len()];
        let mut waiting = vec![Vec::new(); reads.len()];
        let mut blocker = Vec::with_capacity(lowered.sinks.len());
        for (index, (value, place)) in (0..).zip(&lowered.sinks) {
            match *value {
                MappedValue::Function(function) => sinks[function as usize].push(index),
                MappedValue::Leaf(leaf) => {
                    copies[leaf as usize].push(index);
                    reads[leaf as usize] += 1;
                }
                MappedValue::Constant(_) => {}
            }
            let leaf = of_place.get(place).filter(|_| place.region == STATE);
            if let Some(&leaf) = leaf {
                waiting[leaf as usize].push(index);
            }
            blocker.push(leaf.copied());
        }
        Order {
            steps: Vec::with_capacity(functions + lowered.sinks.len()),
            computed: vec![false; functions],
            stored: vec![false; lowered.sinks.len()],
            held: false,
            lowered,
            readers,
            reads,
            waiting,
            blocker,
            sinks,
            copies,
            read: Vec::new(),
        }
    }

    /// Computes a function and all that it needs.
    pub fn cone(&mut self, root: u32, need: &[u32]) {
        let mut stack = vec![(root, false)];
        while let Some((function, ready)) = stack.pop() {
            if self.computed[function as usize] {
                continue;
            }
            if ready {
                self.compute(function);
                continue;
            }
            stack.push((function, true));
            let inputs = self.lowered.functions[function as usize];
            let mut below: smallvec::SmallVec<[u32; 3]> = inputs
                .inputs()
                .iter()
                .filter_map(|input| match *input {
                    MappedValue::Function(input) if !self.computed[input as usize] => Some(input),
                    _ => None,
                })
                .collect();
            below.sort_by_key(|&input| need[input as usize]);
            stack.extend(below.into_iter().map(|input| (input, false)));
        }
    }

    /// Computes the guard and all that it needs, and nothing is written before.
    pub fn guard(&mut self, need: &[u32]) {
        let Some(guard) = self.lowered.guard else {
            return;
        };
        self.held = true;
        if let MappedValue::Function(function) = guard {
            self.cone(function, need);
        }
        self.steps.push(CodeStep::Guard);
        self.held = false;
        match guard {
            MappedValue::Function(function) => self.readers[function as usize] -= 1,
            MappedValue::Leaf(leaf) => self.read_leaf(leaf),
            MappedValue::Constant(_) => {}
        }
        self.try_all();
    }

    fn compute(&mut self, function: u32) {
        self.steps.push(CodeStep::Compute(function));
        self.computed[function as usize] = true;
        for sink in self.sinks[function as usize].clone() {
            self.try_store(sink);
        }
        let inputs = self.lowered.functions[function as usize];
        for input in inputs.inputs() {
            if let MappedValue::Function(input) = *input {
                self.readers[input as usize] -= 1;
                self.read.push(MappedValue::Function(input));
            }
            if let MappedValue::Leaf(leaf) = *input {
                for sink in self.copies[leaf as usize].clone() {
                    self.try_store(sink);
                }
                self.read_leaf(leaf);
            }
        }
    }

    /// Counts a read of a leaf, and writes what has waited for the last one.
    fn read_leaf(&mut self, leaf: u32) {
        let mut read = vec![leaf];
        while let Some(leaf) = read.pop() {
            self.reads[leaf as usize] -= 1;
            self.read.push(MappedValue::Leaf(leaf));
            if self.reads[leaf as usize] == 0 {
                for sink in std::mem::take(&mut self.waiting[leaf as usize]) {
                    if self.ready(sink) {
                        self.store(sink, &mut read);
                    }
                }
            }
        }
    }

    fn ready(&self, sink: u32) -> bool {
        let available = match self.lowered.sinks[sink as usize].0 {
            MappedValue::Function(function) => self.computed[function as usize],
            _ => true,
        };
        let free = self.blocker[sink as usize].is_none_or(|leaf| self.reads[leaf as usize] == 0);
        available && free && !self.held && !self.stored[sink as usize]
    }

    fn store(&mut self, sink: u32, read: &mut Vec<u32>) {
        self.stored[sink as usize] = true;
        self.steps.push(CodeStep::Store(sink));
        if let MappedValue::Leaf(leaf) = self.lowered.sinks[sink as usize].0 {
            read.push(leaf);
        }
    }

    fn try_store(&mut self, sink: u32) {
        if self.ready(sink) {
            let mut read = Vec::new();
            self.store(sink, &mut read);
            read.into_iter().for_each(|leaf| self.read_leaf(leaf));
        }
    }

    fn try_all(&mut self) {
        for sink in 0..self.stored.len() as u32 {
            self.try_store(sink);
        }
    }

    /// Writes what is left once all functions are computed.
    pub fn rest(&mut self) {
        self.try_all();
        // All sinks that are left wait in circles.
        for sink in 0..self.stored.len() {
            let value = self.lowered.sinks[sink].0;
            let MappedValue::Leaf(leaf) = value else {
                continue;
            };
            if self.stored[sink] {
                continue;
            }
            let copy = self.lowered.functions.len() as u32;
            self.lowered.functions.push(Function::of_one(A, value));
            self.lowered.sinks[sink].0 = MappedValue::Function(copy);
            self.computed.push(true);
            self.sinks.push(vec![sink as u32]);
            self.steps.push(CodeStep::Compute(copy));
            self.read_leaf(leaf);
        }
    }
}
