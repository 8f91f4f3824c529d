//! `crosswave run`.

mod waveform;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};

use super::memory::{Planned, Task};
use super::output::{self, Format, JsonArgs, Output};
use super::progress::{Display, Part, Progress};
use super::{ConfigArgs, interrupt, summary};
use crate::config::Config;
use crate::diagnostic::{Class, Diagnostic, Error};
use crate::file;
use crate::host::{End, Outcome};
use crate::run::collisions::{CollisionObserver, Scenarios};
use crate::run::memory;
use crate::run::replicate::Replicate;
use crate::run::result::{RunSums, write_messages};
use crate::run::simulation::Simulation;
use waveform::Waveform;

pub(super) use waveform::{SIGNALS_MAX, Selection};

#[derive(Debug, Clone, Copy, ValueEnum)]
enum EngineName {
    /// Synthesised gates
    Gate,
    /// Register-level models
    Event,
}

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Engine, over the configuration's
    #[arg(long, value_enum)]
    engine: Option<EngineName>,
    /// Write the waveform (VCD) of replicate 0: what wave.scopes selects, in the cycles of
    /// wave.window_cycles = [FROM, TO], both included; - is standard output
    #[arg(long, value_name = "FILE|-")]
    vcd: Option<PathBuf>,
    /// Write the messages of replicate 0 as CSV; - is standard output
    #[arg(long, value_name = "FILE|-")]
    messages: Option<PathBuf>,
    /// Write the collisions of all replicates by level and scenario as CSV; fat tree only; - is
    /// standard output
    #[arg(long, value_name = "FILE|-")]
    collisions: Option<PathBuf>,
    #[command(flatten)]
    json: JsonArgs,
    /// No summary
    #[arg(long, short)]
    quiet: bool,
}

/// The replicates that have been run.
struct Simulated {
    sums: RunSums,
    /// Whether replicate 0 is kept.
    keeps_first: bool,
    /// Replicate 0.
    first: Option<Outcome>,
    /// Time in the cycle loops.
    elapsed: Duration,
}

impl Simulated {
    fn new(config: &Config, keeps_first: bool) -> Simulated {
        Simulated {
            sums: RunSums::new(config),
            keeps_first,
            first: None,
            elapsed: Duration::ZERO,
        }
    }

    /// Takes in a batch, whose cycle loop took so long.
    fn take_in(&mut self, batch: Vec<Outcome>, took: Duration) {
        let begins = self.sums.replicates() == 0;
        batch.iter().for_each(|outcome| self.sums.add(outcome));
        if begins && self.keeps_first {
            self.first = batch.into_iter().next();
        }
        self.elapsed += took;
    }
}

pub(super) fn run(args: &RunArgs) -> Result<(), Error> {
    let engine = args.engine.map(|engine| match engine {
        EngineName::Gate => "run.engine=gate".to_owned(),
        EngineName::Event => "run.engine=event".to_owned(),
    });
    let sourced = args.config.read_sourced(engine.as_slice())?;
    let to_stdout = check_outputs(args, &sourced.config)?;
    let network = sourced.config.topology();
    let planned = |waveform| Planned {
        config: &sourced.config,
        origin: &sourced.origin,
        network: &*network,
        task: Task::Run {
            keeps_records: args.messages.is_some(),
            waveform,
        },
    };
    // How many messages a trace has is known when it has been read.
    let messages = memory::expected_messages(&sourced.config);
    planned(0).check(messages.unwrap_or(0))?;
    let simulation = Simulation::new(&sourced.config)?;
    let fabric = simulation.fabric();
    // How much is recorded is known when the patterns have been compared.
    let selection = match args.vcd {
        Some(_) => Some(Selection::new(&sourced, fabric)?),
        None => None,
    };
    let planned = planned(selection.as_ref().map_or(0, Selection::bytes));
    planned.check(messages.unwrap_or(0))?;
    let waveform = args.vcd.as_deref().zip(selection);
    let mut waveform =
        waveform.map(|(path, selection)| Waveform::new(path, &simulation, selection));
    let config = &sourced.config;
    let levels = simulation.network().traced_levels().unwrap_or(0);
    let mut scenarios = args
        .collisions
        .as_deref()
        .map(|path| (path, Scenarios::of_levels(levels)));
    let mut simulated = Simulated::new(config, args.messages.is_some());
    let mut cycles_max = None;
    let mut display = Display::new();
    let together = simulation.together();
    while simulated.sums.replicates() < config.run.replicates {
        let first = simulated.sums.replicates();
        let waveform = waveform.take();
        let together = if waveform.is_some() { 1 } else { together };
        let replicates = Replicate::next(config, first, together)?;
        if first == 0 && messages.is_none() {
            planned.check(replicates[0].workload.messages.len() as u64)?;
        }
        let last_cycle = simulation.cycles_max(&replicates[0].workload);
        cycles_max = Some(last_cycle);
        let part = Part {
            first,
            count: replicates.len(),
            all: config.run.replicates,
            cycles_max: last_cycle,
        };
        let copied;
        let watched = match replicates.len() {
            1 => fabric,
            count if scenarios.is_some() => {
                copied = fabric.replicated(count.next_power_of_two());
                &copied
            }
            _ => fabric,
        };
        let mut collisions = scenarios.is_some().then(|| CollisionObserver::new(watched));
        let observer = &mut collisions;
        let batch = match waveform {
            Some(waveform) => {
                let [replicate] = &replicates[..] else {
                    unreachable!("replicate 0 is recorded alone");
                };
                waveform.tell_size(replicate, args.quiet)?;
                let mut progress = Progress::new(&mut display, part, observer);
                let outcome = waveform.record(replicate, &mut progress);
                outcome.map(|(outcome, took)| (vec![outcome], took))
            }
            None => {
                let mut progress = Progress::new(&mut display, part, observer);
                let start = Instant::now();
                let batch = simulation.run(&replicates, &mut progress);
                batch.map(|outcomes| (outcomes, start.elapsed()))
            }
        };
        let (batch, took) = batch?;
        simulated.take_in(batch, took);
        if let (Some((_, all)), Some(observer)) = (&mut scenarios, &collisions) {
            all.add(observer.found());
        }
        if simulated.sums.ended(End::Interrupted).is_some() {
            break;
        }
    }

    drop(display);
    let mut resolved = config.clone();
    resolved.run.cycles_max = cycles_max;
    write(args, to_stdout, &resolved, simulated, scenarios)
}

/// Writes what came out of a run of a configuration, and says how it ended.
fn write(
    args: &RunArgs,
    to_stdout: bool,
    config: &Config,
    simulated: Simulated,
    scenarios: Option<(&Path, Scenarios)>,
) -> Result<(), Error> {
    let Simulated {
        sums,
        first,
        elapsed,
        ..
    } = simulated;
    let interrupted = sums.ended(End::Interrupted).is_some();
    let out_of_cycles = sums.ended(End::OutOfCycles);
    let result = sums.result(config, elapsed.as_secs_f64());
    if let (Some(path), Some(first)) = (&args.messages, &first) {
        file::write(path, |out| write_messages(out, first))?;
    }
    if let Some((path, scenarios)) = &scenarios {
        file::write(path, |out| scenarios.write(out))?;
    }
    args.json.write(&result)?;
    if !args.quiet && !to_stdout {
        output::print(summary::text(&result).as_bytes())?;
    }
    if interrupted {
        return Err(interrupt::interruption());
    }
    match out_of_cycles {
        None => Ok(()),
        Some(last_cycle) => Err(Error::one(
            Class::Check,
            "run",
            Diagnostic::new(
                format!("cycle {last_cycle}"),
                format!(
                    "{} of {} messages were not delivered by run.cycles_max",
                    result.messages.offered - result.messages.delivered,
                    result.messages.offered
                ),
                "raise run.cycles_max, or look at the waveform for what they wait for",
            ),
        )),
    }
}

/// Finds outputs that cannot be written, or that would replace an input or each
/// other, before anything is simulated. Whether one of them is standard output.
fn check_outputs(args: &RunArgs, config: &Config) -> Result<bool, Error> {
    if args.collisions.is_some()
        && let Err([why, instead]) = config.topology().traced_levels()
    {
        let help = format!("leave it out; {instead}");
        return Err(super::usage("--collisions", why, &help));
    }
    let outputs = [
        Output::new("--vcd", Format::Vcd, args.vcd.as_deref()),
        Output::new("--messages", Format::Csv, args.messages.as_deref()),
        Output::new("--collisions", Format::Csv, args.collisions.as_deref()),
        args.json.output(),
    ];
    let outputs: Vec<Output> = outputs.into_iter().flatten().collect();
    let mut inputs = vec![("the configuration", args.config.file.as_path())];
    inputs.extend(config.trace_file().map(|path| ("the trace", path)));
    output::check(&inputs, &outputs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(end: End) -> Outcome {
        Outcome {
            end,
            last_cycle: 9,
            evaluated_cycles: 9,
            messages: Vec::new(),
            connections: Vec::new(),
            rejections: Default::default(),
            rounds: 0,
        }
    }

    #[test]
    fn batches_are_added_up() {
        let text = "[network]\nkind='fat-tree'\nnodes=2\n[traffic]\npattern='random'\n";
        let config = Config::parse(text, "test", std::path::Path::new("."), &[]);
        let config = config.unwrap_or_else(|error| panic!("{error}"));
        let mut simulated = Simulated::new(&config, true);
        let ends = [[End::OutOfCycles, End::Finished], [End::Finished; 2]];
        for (ends, seconds) in ends.into_iter().zip([2, 3]) {
            let batch = ends.map(outcome).to_vec();
            simulated.take_in(batch, Duration::from_secs(seconds));
        }
        assert_eq!(simulated.sums.replicates(), 4);
        assert_eq!(simulated.elapsed, Duration::from_secs(5));
        assert_eq!(simulated.sums.ended(End::OutOfCycles), Some(9));
        assert_eq!(simulated.sums.ended(End::Interrupted), None);
        let first = simulated.first.expect("it is kept");
        assert_eq!(first.end, End::OutOfCycles);
        let mut without = Simulated::new(&config, false);
        without.take_in(vec![first], Duration::ZERO);
        assert!(without.first.is_none());
    }
}
