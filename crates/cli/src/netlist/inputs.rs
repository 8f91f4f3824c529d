//! Inputs of `crosswave netlist`: the reset, random bits and stimuli.

use std::path::Path;

use super::super::{input_name, usage, warn};
use super::NetlistArgs;
use super::stimulus;
use crosswave_base::diagnostic::{Diagnostic, Error};
use crosswave_design::Run;
use crosswave_design::stimulus::Stimulus;
use crosswave_wave::Bit;

/// A reset in the first cycles.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reset {
    /// The input.
    input: usize,
    /// The value at which it is active.
    active: bool,
    /// Cycles in which it is active.
    pub cycles: u64,
}

impl Reset {
    /// Drives the input in the cycles in which it changes, and in the first one.
    fn drive(self, run: &mut Run, cycle: u64, first: u64) {
        let value = (cycle < self.cycles) == self.active;
        if cycle == first || cycle == self.cycles {
            let value = if value { Bit::One } else { Bit::Zero };
            (0..run.replicas()).for_each(|replica| run.drive(self.input, 0, replica, value));
        }
    }
}

/// Inputs that take random bits.
struct Random {
    seed: u64,
    inputs: Vec<usize>,
}

/// The sources that drive the inputs of a run.
pub(super) struct Inputs {
    pub reset: Option<Reset>,
    /// One for all runs side by side, or one for each.
    pub stimuli: Vec<Stimulus>,
    random: Option<Random>,
    /// The first cycle of the run.
    first: u64,
}

impl Inputs {
    /// Reads what the arguments name. Random bits go to the inputs that have neither the
    /// reset nor a stimulus.
    pub(super) fn new(args: &NetlistArgs, run: &mut Run) -> Result<Inputs, Error> {
        let reset = reset(args, run)?;
        let mut stimuli: Vec<Stimulus> = Vec::new();
        for path in &args.stimulus {
            stimuli.push(stimulus::read(args, path, run)?);
        }
        if run.follows_stimulus() {
            for clock in 0..run.clocks().len() {
                let levels = stimuli.iter_mut();
                let levels = levels.map(|stimulus| std::mem::take(&mut stimulus.clocks[clock]));
                run.follow(clock, levels.collect());
            }
        }
        let random = args.random_seed.map(|seed| Random {
            seed,
            inputs: (0..run.inputs().len())
                .filter(|input| !stimuli.iter().any(|s| s.inputs.contains(input)))
                .filter(|&input| reset.is_none_or(|reset| reset.input != input))
                .collect(),
        });
        Ok(Inputs {
            reset,
            stimuli,
            random,
            first: 0,
        })
    }

    /// Begins a cycle of a run, which settles; cycles rise from call to call.
    pub(super) fn begin(&mut self, run: &mut Run, cycle: u64) {
        run.begin_cycle(cycle);
        self.drive(run, cycle);
        run.settle();
    }

    /// Goes to the first cycle of a run, which begins next: inputs have the values that stimuli gave them before it.
    pub(super) fn start(&mut self, run: &mut Run, first: u64) {
        self.first = first;
        if let Some(before) = first.checked_sub(1) {
            self.apply(run, before);
        }
    }

    /// Goes back to a cycle, which begins next.
    pub(super) fn seek(&mut self, cycle: u64) {
        let stimuli = self.stimuli.iter_mut();
        stimuli.for_each(|stimulus| stimulus.seek(cycle));
    }

    /// Drives the inputs for a cycle.
    fn drive(&mut self, run: &mut Run, cycle: u64) {
        if let Some(reset) = self.reset {
            reset.drive(run, cycle, self.first);
        }
        if let Some(random) = &self.random {
            for &input in &random.inputs {
                run.drive_random(input, random.seed, cycle);
            }
        }
        self.apply(run, cycle);
    }

    /// Drives the inputs with what stimuli have up to a cycle.
    fn apply(&mut self, run: &mut Run, cycle: u64) {
        let reset = self.reset.map(|reset| reset.input);
        let alone = self.stimuli.len() == 1;
        for (index, stimulus) in self.stimuli.iter_mut().enumerate() {
            let driven = if alone {
                0..run.replicas()
            } else {
                index..index + 1
            };
            stimulus.apply(run, driven, cycle, reset);
        }
    }

    /// True when the reset or random bits drive an input.
    fn drives(&self, input: usize) -> bool {
        let random = self.random.as_ref();
        self.reset.is_some_and(|reset| reset.input == input)
            || random.is_some_and(|random| random.inputs.contains(&input))
    }

    /// Says which scope a stimulus was taken from where there are several, which inputs it
    /// leaves alone, and that its X are not what they seem.
    pub(super) fn warn_of_stimulus(&self, path: &Path, stimulus: &Stimulus, run: &Run) {
        let origin = input_name(path);
        if let Some(scope) = &stimulus.scope {
            let others: Vec<String> = scope
                .others
                .iter()
                .take(8)
                .map(|other| format!("`{other}`"))
                .collect();
            let more = if scope.others.len() > others.len() {
                ", …"
            } else {
                ""
            };
            let message = format!(
                "the inputs are taken from `{}`; {}{more} has variables with names of inputs as well",
                scope.path,
                others.join(", ")
            );
            let help = "name another scope with --stimulus-scope PATH";
            warn(&origin, &Diagnostic::new("scope", message, help));
        }
        let ports = run.inputs().iter().enumerate();
        let lacking: Vec<String> = ports
            .filter(|(input, _)| !stimulus.inputs.contains(input))
            .filter(|(input, _)| !self.drives(*input))
            .map(|(_, port)| format!("`{}`", port.name))
            .collect();
        let value = if run.four_state() { "X" } else { "0" };
        if !lacking.is_empty() {
            let message = format!(
                "no values for {}, which stay {value} in every cycle",
                lacking.join(", ")
            );
            let help = "add them to the stimulus, or drive what it lacks with --random-seed";
            warn(&origin, &Diagnostic::new("inputs", message, help));
        }
        let mut unknown = stimulus.drives.iter().filter(|drive| drive.is_unknown());
        if !run.four_state()
            && let Some(first) = unknown.next()
        {
            let place = format!("cycle {}", first.cycle);
            let name = &run.inputs()[first.input].name;
            let message = match unknown.count() {
                0 => format!("the value of `{name}` has X or Z, which is 0 here"),
                more => {
                    format!("the value of `{name}` and {more} more have X or Z, which is 0 here")
                }
            };
            let help = "run with --four-state to compute with X";
            warn(&origin, &Diagnostic::new(place, message, help));
        }
    }
}

/// The reset that --reset names.
fn reset(args: &NetlistArgs, run: &Run) -> Result<Option<Reset>, Error> {
    let Some(text) = &args.reset else {
        return Ok(None);
    };
    let (name, active) = match text.rsplit_once('=') {
        Some((name, "low")) => (name, false),
        Some((name, "high")) => (name, true),
        Some((_, level)) => {
            let found = format!("`{level}`, expected `low` or `high`");
            return Err(usage("--reset", found, "write NAME or NAME=low"));
        }
        None => (text.as_str(), true),
    };
    let found = run.inputs().iter().position(|port| port.name == name);
    match found {
        Some(input) if run.inputs()[input].width == 1 => Ok(Some(Reset {
            input,
            active,
            cycles: args.reset_cycles,
        })),
        Some(input) => Err(usage(
            "--reset",
            format!("`{name}` has {} bits", run.inputs()[input].width),
            "a reset has one bit",
        )),
        None => {
            let names: Vec<String> = run
                .inputs()
                .iter()
                .filter(|port| port.width == 1)
                .take(8)
                .map(|port| format!("`{}`", port.name))
                .collect();
            Err(usage(
                "--reset",
                format!("the design has no input `{name}` that can be driven"),
                &format!("inputs of one bit: {}", names.join(", ")),
            ))
        }
    }
}
