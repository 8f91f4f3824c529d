//! The cycles in which a condition is asked, and the windows around its moments.

/// Windows that are wanted around moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Cycles before it.
    pub before_cycles: u64,
    /// Cycles after it.
    pub after_cycles: u64,
    /// Number of moments that are looked for. Each next one lies after the window of the one
    /// before.
    pub moments: usize,
    /// The first and the last cycle in which moments are looked for.
    pub armed_cycles: (u64, u64),
}

/// Moments that were found, each with what was noted of it.
#[derive(Debug)]
pub struct Moments<M> {
    plan: Plan,
    found: Vec<M>,
    /// The last cycle of the window of the last moment.
    window_end: Option<u64>,
}

impl<M> Moments<M> {
    /// None yet.
    pub fn new(plan: Plan) -> Moments<M> {
        Moments {
            plan,
            found: Vec::new(),
            window_end: None,
        }
    }

    /// The first cycle, a given one or a later one, in which a moment is looked for.
    pub fn armed_from(&self, cycle: u64) -> Option<u64> {
        let (first, last) = self.plan.armed_cycles;
        let free = match self.window_end {
            None => first,
            Some(end) => first.max(end.checked_add(1)?),
        };
        let armed = cycle.max(free);
        (!self.is_complete() && armed <= last).then_some(armed)
    }

    /// True when a moment is looked for in this cycle.
    pub fn is_armed(&self, cycle: u64) -> bool {
        self.armed_from(cycle) == Some(cycle)
    }

    /// True when no more are looked for.
    pub fn is_complete(&self) -> bool {
        self.found.len() == self.plan.moments
    }

    /// The last cycle of the window of the last moment.
    pub fn window_end(&self) -> Option<u64> {
        self.window_end
    }

    /// The first and the last cycle around a moment.
    pub fn window(&self, cycle: u64) -> (u64, u64) {
        let first = cycle.saturating_sub(self.plan.before_cycles);
        (first, cycle.saturating_add(self.plan.after_cycles))
    }

    /// Notes a moment in a cycle.
    pub fn add(&mut self, cycle: u64, moment: M) {
        self.window_end = Some(self.window(cycle).1);
        self.found.push(moment);
    }

    /// Those that were found, in the order of cycles.
    pub fn found(self) -> Vec<M> {
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_comes_after_the_window_of_the_one_before() {
        let plan = Plan {
            before_cycles: 5,
            after_cycles: 3,
            moments: 2,
            armed_cycles: (10, 40),
        };
        let mut moments = Moments::new(plan);
        assert_eq!(moments.armed_from(0), Some(10));
        assert!(moments.is_armed(11) && !moments.is_armed(9) && !moments.is_armed(41));
        assert_eq!((moments.window(12), moments.window(2)), ((7, 15), (0, 5)));
        moments.add(12, 'a');
        assert_eq!(
            (moments.armed_from(13), moments.window_end()),
            (Some(16), Some(15))
        );
        assert_eq!(moments.armed_from(41), None);
        moments.add(u64::MAX - 1, 'b');
        assert!(moments.is_complete());
        assert_eq!(
            (moments.armed_from(20), moments.window_end()),
            (None, Some(u64::MAX))
        );
        assert_eq!(moments.found(), ['a', 'b']);
    }
}
