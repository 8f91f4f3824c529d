//! Windows and triggers of `crosswave netlist`: which cycles a waveform shows.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use clap::Args;

use super::super::progress::Display;
use super::super::{interrupt, say, usage};
use super::inputs::Inputs;
use super::report::MomentResult;
use super::waves::{Wave, WaveLayout};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_design::Run;
use crosswave_design::run::RunState;
use crosswave_design::watch::NetWatch;
use crosswave_trigger::{History, Moments, Plan};
use crosswave_wave::{CycleWindow, FileFormat};

/// Cycles before or after a moment at most.
const BESIDE_MAX: u64 = 1 << 32;

#[derive(Debug, Args)]
pub(super) struct MomentArgs {
    /// Cycles that the waveform shows, both included, as 1000..2000; with --trigger, cycles in which it is
    /// looked for
    #[arg(long, value_name = "FROM..TO")]
    window: Option<String>,
    /// Condition: the waveform shows the cycles around the first one in which it is true, as
    /// '**.state == 3' or 'rise(top.valid) && top.data != 0'. The run ends after them. Without a
    /// waveform, only the cycle is reported
    #[arg(long, value_name = "CONDITION")]
    pub trigger: Option<String>,
    /// Cycles before the trigger that the waveform shows
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "trigger",
          value_parser = clap::value_parser!(u64).range(..=BESIDE_MAX))]
    before_cycles: u64,
    /// Cycles after the trigger that it shows
    #[arg(long, value_name = "N", default_value_t = 100, requires = "trigger",
          value_parser = clap::value_parser!(u64).range(..=BESIDE_MAX))]
    after_cycles: u64,
    /// Triggers to look for, each after the window of the one before; several get a file each, such as
    /// FILE.0.vcd
    #[arg(long, value_name = "N", default_value_t = 1, requires = "trigger",
          value_parser = clap::value_parser!(u16).range(1..=256))]
    triggers: u16,
}

/// The cycles that waveforms show.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShownCycles {
    pub window: CycleWindow,
    /// Triggers that are looked for.
    pub triggers: usize,
}

impl MomentArgs {
    /// The cycles that are asked for.
    pub(super) fn shown(&self) -> Result<ShownCycles, Error> {
        let window = self.window.as_ref().map_or(Ok(CycleWindow::ALL), |text| {
            let refused = |mistake| Error::one(Class::Usage, "command line", mistake);
            CycleWindow::parse("--window", text).map_err(refused)
        })?;
        Ok(ShownCycles {
            window,
            triggers: usize::from(self.triggers),
        })
    }

    /// A cycle before which a run can go on from a state: the first one that is shown, or looked at. Looking for edges takes
    /// the cycle before. Without a window, any state will do.
    pub(super) fn state_before(&self, shown: ShownCycles) -> u64 {
        let first = shown.window.first;
        match (&self.window, &self.trigger) {
            (None, _) => u64::MAX,
            (_, None) => first.saturating_add(1),
            (_, Some(_)) => first.saturating_sub(self.before_cycles),
        }
    }

    /// Cycles of a run that ends with the window, or with that of a trigger in its last cycle.
    pub(super) fn end(&self, shown: ShownCycles) -> u64 {
        let after = self.trigger.as_ref().map_or(0, |_| self.after_cycles);
        shown.window.last + 1 + after
    }

    /// Number of files that are written for so many runs side by side.
    pub(super) fn files(&self, runs: usize) -> usize {
        match self.trigger {
            Some(_) => usize::from(self.triggers),
            None => runs,
        }
    }

    /// Refuses a window that begins after the last cycle.
    pub(super) fn check(&self, shown: ShownCycles, cycles: u64) -> Result<(), Error> {
        let first = shown.window.first;
        match first >= cycles.max(1) {
            false => Ok(()),
            true => Err(usage(
                "--window",
                format!("the window begins at cycle {first}, and the run has {cycles} cycles"),
                "begin it earlier, or run more cycles with --cycles",
            )),
        }
    }

    /// The search for what is asked for.
    pub(super) fn search(
        &self,
        watch: NetWatch,
        shown: ShownCycles,
        (run, first): (&Run, u64),
        keeps_states: bool,
    ) -> Search {
        let plan = Plan {
            before_cycles: self.before_cycles,
            after_cycles: self.after_cycles,
            moments: shown.triggers,
            armed_cycles: (shown.window.first, shown.window.last),
        };
        Search {
            watch,
            history: History::new(plan.before_cycles),
            beginning: Rc::new((first, run.state())),
            keeps_states,
            apart: CYCLES_A_SIZE * run.state_sizes(),
            moments: Moments::new(plan),
            wanted: plan.moments,
        }
    }
}

/// A state and the cycle that follows it.
type StateBefore = (u64, RunState);

/// A cycle in which the condition is true.
pub(super) struct Moment {
    cycle: u64,
    /// The run in which it is.
    replica: usize,
    /// The first and the last cycle around it.
    window: (u64, u64),
    /// From where the window is run again.
    before: Rc<StateBefore>,
}

/// Cycles between states for each time that a state has the size of what a cycle reads and writes, so that keeping
/// states is a small part of the time.
const CYCLES_A_SIZE: u64 = 64;

/// Looks for moments while a run goes on.
pub(super) struct Search {
    watch: NetWatch,
    history: History<StateBefore>,
    beginning: Rc<StateBefore>,
    /// True when windows are run again.
    keeps_states: bool,
    /// Cycles between states at least.
    apart: u64,
    moments: Moments<Moment>,
    wanted: usize,
}

impl Search {
    /// Keeps the state before a cycle if it is time to.
    pub(super) fn begin(&mut self, run: &Run, cycle: u64) {
        if self.keeps_states && self.history.is_due(cycle) {
            let state = (cycle, run.state());
            self.history.keep(cycle, state, self.apart);
        }
    }

    /// Looks at a cycle that has settled. True when no more cycles are needed.
    pub(super) fn cycle(&mut self, run: &Run, cycle: u64) -> bool {
        if !self.moments.is_complete()
            && let Some(replica) = self.watch.holds(run, cycle)
            && self.moments.is_armed(cycle)
        {
            let window = self.moments.window(cycle);
            // The state of a cycle is one before it.
            let before = self.history.before(window.0.saturating_add(1));
            let moment = Moment {
                cycle,
                replica,
                window,
                before: before.unwrap_or(&self.beginning).clone(),
            };
            self.moments.add(cycle, moment);
        }
        let window_end = self.moments.window_end();
        self.moments.armed_from(cycle + 1).is_none() && window_end.is_none_or(|end| cycle >= end)
    }

    /// The moments that were found in cycles up to the last that was simulated.
    pub(super) fn found(self, last: u64) -> FoundMoments {
        let mut moments = self.moments.found();
        for moment in &mut moments {
            // A run that goes on from a state has no cycles before it.
            moment.window.0 = moment.window.0.max(self.beginning.0);
            moment.window.1 = moment.window.1.min(last);
        }
        FoundMoments {
            moments,
            wanted: self.wanted,
        }
    }
}

/// The moments that were found.
pub(super) struct FoundMoments {
    moments: Vec<Moment>,
    wanted: usize,
}

impl FoundMoments {
    /// The moments as results.
    pub(super) fn results(&self) -> Vec<MomentResult> {
        let moments = self.moments.iter();
        let result = |moment: &Moment| MomentResult {
            cycle: moment.cycle,
            lane: moment.replica,
            from_cycle: moment.window.0,
            to_cycle: moment.window.1,
        };
        moments.map(result).collect()
    }

    /// Runs the windows once more and records them, one in each of these files.
    pub(super) fn record(
        self,
        paths: &[PathBuf],
        format: FileFormat,
        (run, layout): (&mut Run, &WaveLayout),
        inputs: &mut Inputs,
    ) -> Result<(), Error> {
        let count = self.moments.len();
        if (1..self.wanted).contains(&count) && !paths.is_empty() {
            say(&format!(
                "warning: --triggers: {count} of {} moments came; {} and the files after it are not written",
                self.wanted,
                paths[count].display()
            ));
        }
        // One that ended the search does not end the recording of what was found.
        let was_interrupted = interrupt::interrupted();
        let mut display = Display::new();
        for (moment, path) in self.moments.into_iter().zip(paths) {
            let (first, state) = &*moment.before;
            let (from, to) = moment.window;
            run.restore(state);
            inputs.seek(*first);
            let mut wave = Wave::create(path, format, layout, (run, moment.replica))?;
            for cycle in *first..=to {
                display.cycles(cycle, to + 1);
                if cycle > *first {
                    run.edge();
                }
                inputs.begin(run, cycle);
                if cycle >= from {
                    wave.cycle(layout, run, moment.replica, cycle)?;
                }
                if !was_interrupted && interrupt::interrupted() {
                    return Err(cut_short(path, moment.cycle));
                }
            }
            wave.finish(layout, run, moment.replica, to + 1)?;
            let of_run = match run.replicas() {
                1 => String::new(),
                _ => format!(" of run {}", moment.replica),
            };
            say(&format!(
                "{}: triggered in cycle {}{of_run}, shows cycles {from} to {to}",
                path.display(),
                moment.cycle
            ));
        }
        Ok(())
    }
}

/// The error of a window that was not recorded to its end.
fn cut_short(path: &Path, cycle: u64) -> Error {
    let message = format!(
        "the window of the trigger in cycle {cycle} was not recorded to its end; {} is not written",
        path.display()
    );
    let help = "run it again, or ask for fewer cycles before and after it";
    Error::one(
        Class::Check,
        "netlist",
        Diagnostic::new("interrupted", message, help),
    )
}

/// The error of a condition that was never true up to the last cycle that was simulated.
pub(super) fn never(shown: ShownCycles, (first, last): (u64, u64)) -> Error {
    let first = first.max(shown.window.first);
    let last = last.min(shown.window.last);
    let message = format!("the condition was never true in cycles {first} to {last}");
    let help = match shown.window {
        CycleWindow::ALL => "look at the condition, or run more cycles; no waveform is written",
        _ => "--window limits the search to these cycles; no waveform is written",
    };
    Error::one(
        Class::Check,
        "run",
        Diagnostic::new("--trigger", message, help),
    )
}
