//! Planes of registers that were read back from the device in the current cycle.
//!
//! A plane is read back when it is asked for. Those that were asked for in a cycle are gathered with the
//! next cycle's edge, so that a host that looks at the same outputs in every cycle waits once.

use std::ops::Range;

use crate::plan::Plans;

/// The planes.
#[derive(Debug)]
pub struct Mirror {
    /// Numbers of the planes of each array: one for each register.
    of_array: Vec<Range<usize>>,
    /// Words of 64 instances of each, which are kept from cycle to cycle; empty until it is asked for.
    planes: Vec<Vec<u64>>,
    /// True when they are those of the current cycle.
    fresh: Vec<bool>,
    /// Planes that were asked for in the current cycle, each once.
    asked: Vec<usize>,
    is_asked: Vec<bool>,
    /// Planes that were gathered with the last edge and are yet to be read back.
    pub gathered: Vec<usize>,
}

impl Mirror {
    /// A mirror of a fabric's registers.
    pub fn new(plans: &Plans) -> Mirror {
        let mut count = 0;
        let of_array = plans.arrays.iter().map(|plan| {
            let first = count;
            count += plan.leaf.registers.len();
            first..count
        });
        let of_array = of_array.collect();
        Mirror {
            of_array,
            planes: vec![Vec::new(); count],
            fresh: vec![false; count],
            asked: Vec::new(),
            is_asked: vec![false; count],
            gathered: Vec::new(),
        }
    }

    /// The number of a register's plane.
    pub fn plane(&self, array: usize, register: usize) -> usize {
        self.of_array[array].start + register
    }

    /// The array and the register of a plane.
    pub fn register(&self, plane: usize) -> (usize, usize) {
        let array = self.of_array.partition_point(|planes| planes.end <= plane);
        (array, plane - self.of_array[array].start)
    }

    /// Notes that a plane is asked for. True when it has to be read back.
    pub fn ask(&mut self, plane: usize) -> bool {
        if !std::mem::replace(&mut self.is_asked[plane], true) {
            self.asked.push(plane);
        }
        !self.fresh[plane]
    }

    /// The planes that are asked for and not there.
    pub fn missing(&self) -> impl Iterator<Item = usize> {
        self.asked
            .iter()
            .copied()
            .filter(|&plane| !self.fresh[plane])
    }

    /// The words of a plane that is there.
    pub fn words(&self, plane: usize) -> &[u64] {
        debug_assert!(self.fresh[plane], "it was read back");
        &self.planes[plane]
    }

    /// Takes in the words of a plane, low halves first.
    pub fn take(&mut self, plane: usize, halves: &[u32]) {
        let words = &mut self.planes[plane];
        words.clear();
        let pairs = halves.chunks_exact(2);
        words.extend(pairs.map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32));
        self.fresh[plane] = true;
    }

    /// Fills a plane that cannot be read back.
    pub fn give_up(&mut self, plane: usize, words: usize) {
        self.planes[plane].clear();
        self.planes[plane].resize(words, 0);
        self.fresh[plane] = true;
    }

    /// Goes to the next cycle: `gathered` are the planes asked for in this one.
    pub fn next_cycle(&mut self) {
        self.fresh.fill(false);
        self.gathered.clear();
        std::mem::swap(&mut self.gathered, &mut self.asked);
        self.gathered.sort_unstable();
        for &plane in &self.gathered {
            self.is_asked[plane] = false;
        }
    }
}
