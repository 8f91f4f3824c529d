//! Register pressure: the change in the number of kept values with the next cone.
//!
//! A value is kept from when it is computed until its last reader; the next value
//! of a register also until the last reader of the old one. A leaf that has been
//! read and will be again is kept, too, at less weight.

use super::progress::Order;
use crosswave_netlist::MappedValue;

/// Functions of a cone that are looked at.
const CONE: usize = 200;

/// Weight of a value that has to be kept.
const VALUE: i32 = 6;

/// Weight of a leaf that will be read again; it need not be spilled.
const LEAF: i32 = 2;

/// Increase in the number of values that have to be kept once a cone is computed.
pub struct Pressure {
    /// Reads of each leaf from the start.
    all_reads: Vec<u32>,
    /// Reads by the cone, of leaves and then of functions; zero between cones.
    by_cone: Vec<u32>,
}

impl Pressure {
    /// Before anything is computed.
    pub fn new(order: &Order) -> Pressure {
        Pressure {
            all_reads: order.reads.clone(),
            by_cone: vec![0; order.reads.len() + order.computed.len()],
        }
    }

    /// The change for the cone of a function, as far as the first [`CONE`] functions tell.
    pub fn of(&mut self, order: &Order, root: u32) -> i32 {
        let leaves = self.all_reads.len();
        let mut stack = vec![root];
        let mut touched = Vec::new();
        let mut computed_here = smallvec::SmallVec::<[u32; 32]>::new();
        if order.computed[root as usize] {
            return i32::MIN;
        }
        while let Some(function) = stack.pop() {
            computed_here.push(function);
            if computed_here.len() == CONE {
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
                    touched.push(value);
                    if let MappedValue::Function(input) = *input
                        && !order.computed[input as usize]
                    {
                        stack.push(input);
                    }
                }
            }
        }
        let mut cost = 0;
        for &value in &touched {
            let by_cone = self.by_cone[value];
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
        for &function in &computed_here {
            let waits = |sink: &&u32| {
                order.blocker[**sink as usize]
                    .is_some_and(|leaf| order.reads[leaf as usize] > self.by_cone[leaf as usize])
            };
            let count = order.sinks[function as usize].iter().filter(waits).count();
            cost += VALUE * i32::from(count > 0);
        }
        touched.iter().for_each(|&value| self.by_cone[value] = 0);
        cost
    }
}
