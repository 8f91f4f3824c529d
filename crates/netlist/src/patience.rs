//! A limit for the work of the SAT solver on a question, the same on every machine.

use batsat::Callbacks;

/// Gives up after some restarts of the solver.
#[derive(Debug)]
pub(super) struct Patience {
    restarts: u32,
    restarts_max: u32,
}

impl Patience {
    /// Patience for so many restarts.
    pub fn new(restarts_max: u32) -> Patience {
        let restarts = 0;
        Patience {
            restarts,
            restarts_max,
        }
    }

    /// Begins another question.
    pub fn renew(&mut self) {
        self.restarts = 0;
    }
}

impl Callbacks for Patience {
    fn on_restart(&mut self) {
        self.restarts += 1;
    }

    fn stop(&self) -> bool {
        self.restarts > self.restarts_max
    }
}
