//! Register pressure: the change in the number of kept values with the next cone.
//!
//! A value is kept from when it is computed until its last reader; the next value
//! of a register also until the last reader of the old one. A leaf that has been
//! read and will be again is kept, too, at less weight.
//!
//! The changes of a few cones are known at a time, each in a *slot*. Most of them stay as they are
//! when one of the cones is computed: those are counted again in which a value that they depend on has
//! changed.

use super::progress::{CodeStep, Order};
use crosswave_netlist::MappedValue;

/// Functions of a cone that are looked at.
const CONE: usize = 200;

/// Weight of a value that has to be kept.
const VALUE: i32 = 6;

/// Weight of a leaf that will be read again; it need not be spilled.
const LEAF: i32 = 2;

/// The most cones whose changes are known at a time: a bit each.
pub const SLOTS: usize = 64;

/// Increase in the number of values that have to be kept once a cone is computed. Values are leaves
/// and then functions.
pub struct Pressure {
    /// Reads of each leaf from the start.
    all_reads: Vec<u32>,
    /// Reads by the cone; zero between cones.
    by_cone: Vec<u32>,
    /// The most reads by any cone so far.
    most: Vec<u32>,
    /// The slots whose changes depend on a value, as bits.
    watched: Vec<u64>,
    /// The values on which the change of each slot depends.
    of_slot: [Vec<u32>; SLOTS],
    /// Leaves that have been read.
    begun: Vec<bool>,
    /// Steps of the order that have been looked at.
    steps: usize,
    stack: Vec<u32>,
    touched: Vec<u32>,
    computed_here: Vec<u32>,
}

impl Pressure {
    /// Before anything is computed.
    pub fn new(order: &Order) -> Pressure {
        let values = order.reads.len() + order.computed.len();
        Pressure {
            all_reads: order.reads.clone(),
            by_cone: vec![0; values],
            most: vec![0; values],
            watched: vec![0; values],
            of_slot: [const { Vec::new() }; SLOTS],
            begun: vec![false; order.reads.len()],
            steps: 0,
            stack: Vec::new(),
            touched: Vec::new(),
            computed_here: Vec::new(),
        }
    }

    /// The slots, as bits, whose changes may be others after what has happened to an order.
    pub fn turned(&mut self, order: &mut Order) -> u64 {
        let leaves = self.all_reads.len();
        let mut turned = 0;
        for step in &order.steps[std::mem::replace(&mut self.steps, order.steps.len())..] {
            let CodeStep::Compute(function) = *step else {
                continue;
            };
            turned |= self.watched[leaves + function as usize];
            // It may be one that waits for a leaf's last read.
            for &sink in &order.sinks[function as usize] {
                if let Some(leaf) = order.blocker[sink as usize] {
                    turned |= self.watched[leaf as usize];
                }
            }
        }
        for value in order.read.drain(..) {
            // A read matters only if it is the first one of a leaf, or leaves no more reads than
            // some cone has.
            let (value, left, first) = match value {
                MappedValue::Leaf(leaf) => {
                    let leaf = leaf as usize;
                    let begun = std::mem::replace(&mut self.begun[leaf], true);
                    (leaf, order.reads[leaf], !begun)
                }
                MappedValue::Function(function) => {
                    let function = function as usize;
                    (leaves + function, order.readers[function], false)
                }
                MappedValue::Constant(_) => continue,
            };
            if first || left <= self.most[value] {
                turned |= self.watched[value];
            }
        }
        turned
    }

    /// The change for the cone of a function, as far as the first [`CONE`] functions tell, which is
    /// known in a slot from now on.
    pub fn of(&mut self, order: &Order, root: u32, slot: usize) -> i32 {
        let bit = 1 << slot;
        for value in self.of_slot[slot].drain(..) {
            self.watched[value as usize] &= !bit;
        }
        let leaves = self.all_reads.len();
        if order.computed[root as usize] {
            return i32::MIN;
        }
        self.stack.push(root);
        while let Some(function) = self.stack.pop() {
            self.computed_here.push(function);
            if self.computed_here.len() == CONE {
                break;
            }
            for input in order.lowered.functions[function as usize].inputs() {
                let value = match *input {
                    MappedValue::Leaf(leaf) => leaf as usize,
                    MappedValue::Function(input) => leaves + input as usize,
                    MappedValue::Constant(_) => continue,
                };
                self.by_cone[value] += 1;
                if self.by_cone[value] == 1 {
                    self.touched.push(value as u32);
                    if let MappedValue::Function(input) = *input
                        && !order.computed[input as usize]
                    {
                        self.stack.push(input);
                    }
                }
            }
        }
        self.stack.clear();
        let mut watch = |value: usize| {
            if self.watched[value] & bit == 0 {
                self.watched[value] |= bit;
                self.of_slot[slot].push(value as u32);
            }
        };
        watch(leaves + root as usize);
        let mut cost = 0;
        for &value in &self.touched {
            let value = value as usize;
            watch(value);
            let by_cone = self.by_cone[value];
            self.most[value] = self.most[value].max(by_cone);
            if value >= leaves {
                let function = value - leaves;
                let stays = order.readers[function] > by_cone;
                match (order.computed[function], stays) {
                    (true, false) => cost -= VALUE,
                    (false, true) => cost += VALUE,
                    _ => {}
                }
                continue;
            }
            let begun = order.reads[value] < self.all_reads[value];
            let ends = order.reads[value] == by_cone;
            match (begun, ends) {
                (true, true) => cost -= LEAF,
                (false, false) => cost += LEAF,
                _ => {}
            }
            if ends {
                let waits = |sink: &&u32| match order.lowered.sinks[**sink as usize].0 {
                    MappedValue::Function(function) => order.computed[function as usize],
                    _ => false,
                };
                cost -= VALUE * order.waiting[value].iter().filter(waits).count() as i32;
            }
        }
        // Values that have to wait for their places.
        for function in self.computed_here.drain(..) {
            let mut waits = false;
            for &sink in &order.sinks[function as usize] {
                if let Some(leaf) = order.blocker[sink as usize] {
                    let leaf = leaf as usize;
                    watch(leaf);
                    waits |= order.reads[leaf] > self.by_cone[leaf];
                }
            }
            cost += VALUE * i32::from(waits);
        }
        for value in self.touched.drain(..) {
            self.by_cone[value as usize] = 0;
        }
        cost
    }
}
