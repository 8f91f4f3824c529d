//! Number of values that make a mean sure.

/// As many values as make half of the 95 % interval of a mean at most a fraction of it,
/// within limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Enough {
    /// The fewest values.
    pub least: usize,
    /// The most values.
    pub most: usize,
    /// A multiple of so many; above the most there may be less than so many.
    pub step: usize,
}

impl Enough {
    /// Number of values to have before looking again, given that there are `known`: the least
    /// number; then as many as the spread of those says are needed; and so on until they are
    /// enough. `excess` tells of the first so many how often half of their interval goes into the
    /// half width that is wished for; above 1 it is too wide. It depends on the first values only,
    /// so that it comes out the same when they are taken in several goes.
    pub fn target(&self, known: usize, excess: impl Fn(usize) -> f64) -> usize {
        let mut target = self.least.next_multiple_of(self.step);
        while target <= known && target < self.most {
            let excess = excess(target);
            if excess <= 1.0 {
                break;
            }
            let needed = (target as f64 * excess * excess)
                .ceil()
                .min(self.most as f64);
            target = (needed as usize).clamp(target + 1, self.most.max(target + 1));
            target = target.next_multiple_of(self.step);
        }
        target
    }
}
