//! The clocks of a run: their levels in each cycle, and the edges that follow.

use super::super::domains::{ClockPeriod, JoinedClock, periods_needed};
use super::super::engine::DrivenNet;
use super::Run;
use crosswave_base::diagnostic::Error;

/// The levels of a clock in the two halves of a cycle.
pub type ClockLevels = [bool; 2];

/// A cycle of a clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClockCycle {
    /// Its levels.
    pub levels: ClockLevels,
    /// True when it rises at the end of the cycle.
    pub rises: bool,
    /// True when it falls there.
    pub falls: bool,
}

/// A clock of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunClock {
    /// Its name.
    pub name: String,
    /// True when something acts on its rising edge.
    pub rises: bool,
    /// True when something acts on its falling edge.
    pub falls: bool,
    pub(super) course: Course,
}

/// The course of a clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Course {
    /// It repeats: cycles of a period, and of those before the first one.
    Period { period: u64, shift: u64 },
    /// Each cycle, and one behind them whose levels stay, for all runs or for each one.
    Stimulus(Vec<Vec<ClockCycle>>),
}

impl RunClock {
    /// A clock that rises at the end of every cycle.
    pub(crate) fn of_each_cycle(name: String) -> RunClock {
        let (period, shift) = (1, 0);
        RunClock {
            name,
            rises: true,
            falls: false,
            course: Course::Period { period, shift },
        }
    }

    /// A clock of this period; without one, it follows a stimulus.
    pub(super) fn of_period(clock: &JoinedClock, period: Option<&ClockPeriod>) -> RunClock {
        let course = period.map(|period| Course::Period {
            period: period.period,
            shift: period.shift,
        });
        RunClock {
            name: clock.name.clone(),
            rises: clock.rises,
            falls: clock.falls.is_some(),
            course: course.unwrap_or_else(|| Course::Stimulus(Vec::new())),
        }
    }

    /// Cycles of its period, and before the first one; `None` when it follows a stimulus.
    pub fn period(&self) -> Option<(u64, u64)> {
        match self.course {
            Course::Period { period, shift } => Some((period, shift)),
            Course::Stimulus(_) => None,
        }
    }

    /// Its levels in a cycle of a run.
    pub fn levels(&self, cycle: u64, replica: usize) -> ClockLevels {
        match &self.course {
            Course::Period { period, shift } => {
                let phase = (cycle + period - shift % period) % period;
                let (high, falls_within) = (period / 2, period % 2 == 1);
                [
                    phase < high || (phase == high && falls_within),
                    phase < high,
                ]
            }
            Course::Stimulus(runs) => cycle_of(runs, cycle, replica).levels,
        }
    }

    /// True when the clock has this edge at the end of a cycle of a run.
    pub(super) fn has_edge(&self, cycle: u64, replica: usize, rising: bool) -> bool {
        if let Course::Stimulus(runs) = &self.course {
            let cycle = cycle_of(runs, cycle, replica);
            return if rising { cycle.rises } else { cycle.falls };
        }
        let before = self.levels(cycle, replica)[1];
        let after = self.levels(cycle + 1, replica)[0];
        before != after && after == rising
    }

    /// True when all runs have the same levels.
    pub(super) fn is_common(&self) -> bool {
        match &self.course {
            Course::Period { .. } => true,
            Course::Stimulus(runs) => runs.len() < 2,
        }
    }
}

/// A cycle of a clock of a stimulus. Behind the last one nothing changes.
fn cycle_of(runs: &[Vec<ClockCycle>], cycle: u64, replica: usize) -> ClockCycle {
    let run = match runs {
        [all] => Some(all),
        runs => runs.get(replica),
    };
    let at = usize::try_from(cycle).unwrap_or(usize::MAX);
    let known = run.and_then(|run| run.get(at).copied());
    known.unwrap_or_else(|| {
        let last = run.and_then(|run| run.last());
        ClockCycle {
            levels: [last.is_some_and(|last| last.levels[1]); 2],
            ..ClockCycle::default()
        }
    })
}

/// An input that is 1 in a cycle at whose end a clock has an edge.
#[derive(Debug, Clone)]
pub(super) struct EdgeInput {
    /// The clock.
    pub clock: usize,
    /// True for the rising edge.
    pub rising: bool,
    /// Its nets that are read: one, or both rails.
    pub nets: [Option<DrivenNet>; 2],
}

impl Run {
    /// The clocks, in the order of the module.
    pub fn clocks(&self) -> &[RunClock] {
        &self.clocks
    }

    /// The clocks in waveforms. A design without one has `clock` there, or a longer name where a port is
    /// called so; without it a waveform would not tell its cycles.
    pub fn wave_clocks(&self) -> Vec<RunClock> {
        let is_port = |name: &str| {
            let mut ports = self.inputs.iter().chain(&self.outputs);
            ports.any(|port| port.name == name)
        };
        if !self.clocks.is_empty() {
            return self.clocks.clone();
        }
        let mut name = "clock".to_owned();
        while is_port(&name) {
            name.push('_');
        }
        vec![RunClock::of_each_cycle(name)]
    }

    /// The levels in a cycle of a run of the clock of this number among those in waveforms.
    ///
    /// # Panics
    /// When there is no such clock or run.
    pub fn levels(&self, clock: usize, cycle: u64, replica: usize) -> ClockLevels {
        match self.clocks.is_empty() {
            true => [true, false],
            false => self.clocks[clock].levels(cycle, replica),
        }
    }

    /// True when the clocks follow a stimulus, which [`Run::follow`] gives.
    pub fn follows_stimulus(&self) -> bool {
        self.clocks.iter().any(|clock| clock.period().is_none())
    }

    /// The error for a stimulus that does not say how the clocks run.
    pub fn periods_needed(&self) -> Error {
        let clocks = self.clocks.iter();
        periods_needed(clocks.map(|clock| (&*clock.name, clock.rises, clock.falls)))
    }

    /// Gives a clock that follows a stimulus its cycles, for all runs or for each one; without them it has no
    /// edges. The levels of the last stay.
    ///
    /// # Panics
    /// When there is no such clock, or it has a period; when there are cycles for another number of runs.
    pub fn follow(&mut self, clock: usize, cycles: Vec<Vec<ClockCycle>>) {
        assert!(
            [1, self.replicas].contains(&cycles.len()),
            "cycles of all runs"
        );
        let clock = &mut self.clocks[clock];
        assert!(clock.period().is_none(), "a clock of a stimulus");
        clock.course = Course::Stimulus(cycles);
    }

    /// Begins a cycle: at its end the clocks have their edges of it. A design with one clock, of which only
    /// the rising edges count, need not be told.
    pub fn begin_cycle(&mut self, cycle: u64) {
        for index in 0..self.edges.len() {
            let EdgeInput {
                clock,
                rising,
                nets,
            } = self.edges[index];
            let clock = &self.clocks[clock];
            if clock.is_common() {
                let has_edge = clock.has_edge(cycle, 0, rising);
                for (net, value) in nets.into_iter().zip([has_edge, !has_edge]) {
                    if let Some(net) = net {
                        self.engine.drive_all(net, value);
                    }
                }
            } else {
                for replica in 0..self.replicas {
                    let has_edge = clock.has_edge(cycle, replica, rising);
                    for (net, value) in nets.into_iter().zip([has_edge, !has_edge]) {
                        if let Some(net) = net {
                            self.engine.drive(net, replica, value);
                        }
                    }
                }
            }
        }
    }
}
