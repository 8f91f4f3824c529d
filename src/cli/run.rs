//! `crosswave run`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};

use super::progress::{self, Progress};
use super::{ConfigArgs, SourcedConfig, output, summary};
use crate::diagnostic::{Class, Diagnostic, Report};
use crate::experiment::collisions::{CollisionObserver, Scenarios};
use crate::experiment::config::{Config, EngineKind, NetworkKind};
use crate::experiment::host::{End, Observer, Outcome};
use crate::experiment::recorder::{self, Recorder};
use crate::experiment::result::{RunResult, write_messages};
use crate::experiment::run::{self, OneByOne, Replicate};
use crate::file;
use crate::network::Fabric;
use crate::network::Network;
use crate::probe::engine::Engine;
use crate::wave::{Reduced, Timescale, VcdFile, reduce, select_entries};

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
    /// Write the waveform of replicate 0
    #[arg(long, value_name = "FILE")]
    vcd: Option<PathBuf>,
    /// Write the messages of replicate 0 as CSV
    #[arg(long, value_name = "FILE")]
    messages: Option<PathBuf>,
    /// Write the collisions of all replicates by level and scenario as CSV; fat tree only
    #[arg(long, value_name = "FILE")]
    collisions: Option<PathBuf>,
    /// Write the result as JSON; - for standard output
    #[arg(long, value_name = "FILE|-")]
    json: Option<PathBuf>,
    /// No summary
    #[arg(long, short)]
    quiet: bool,
}

/// Signals a waveform may have: beyond, its tables would not fit in memory.
const SIGNALS_MAX: usize = 1 << 26;

pub(super) fn run(args: &RunArgs) -> Result<(), Report> {
    let engine = args.engine.map(|engine| match engine {
        EngineName::Gate => "run.engine=gate".to_owned(),
        EngineName::Event => "run.engine=event".to_owned(),
    });
    let sourced = args.config.read_sourced(engine.as_slice())?;
    check_outputs(args, &sourced.config)?;
    let network = run::network(&sourced.config);
    let fabric = network.fabric();
    let mut waveform = match &args.vcd {
        Some(path) => Some((path.as_path(), signals(&sourced, &fabric)?)),
        None => None,
    };
    let config = sourced.config;
    // A file that replaces another of the same name is no longer that file, so
    // this is asked before anything is written.
    let to_stdout = [&args.vcd, &args.messages, &args.collisions, &args.json]
        .into_iter()
        .flatten()
        .any(|path| output::is_standard(path));
    progress::catch_interrupts();

    let levels = config.network.nodes.ilog2() as usize;
    let mut scenarios = args
        .collisions
        .as_deref()
        .map(|path| (path, Scenarios::of_levels(levels)));
    let mut outcomes: Vec<Outcome> = Vec::new();
    let mut seconds = 0.0;
    let together = run::together(&config, &fabric);
    let mut one_by_one = OneByOne::new(&config, &network, &fabric);
    while outcomes.len() < config.run.replicates as usize {
        let first = outcomes.len() as u32;
        let signals = waveform.take();
        let together = if signals.is_some() { 1 } else { together };
        let replicates = Replicate::next(&config, first, together)?;
        let copied;
        let watched = match replicates.len() {
            1 => &fabric,
            count if scenarios.is_some() => {
                copied = fabric.replicated(count.next_power_of_two());
                &copied
            }
            _ => &fabric,
        };
        let mut collisions = scenarios.is_some().then(|| CollisionObserver::new(watched));
        let observer = &mut collisions;
        let batch = match signals {
            Some(signals) => {
                let [replicate] = &replicates[..] else {
                    unreachable!("replicate 0 is recorded alone");
                };
                let outcome = record(
                    &config,
                    &network,
                    &fabric,
                    replicate,
                    signals,
                    observer,
                    &mut seconds,
                );
                outcome.map(|outcome| vec![outcome])
            }
            None => {
                let title = title(&config, first, replicates.len());
                let mut progress = Progress::new(title, observer);
                let start = Instant::now();
                let batch = one_by_one.batch(&replicates, &mut progress);
                seconds += start.elapsed().as_secs_f64();
                batch
            }
        };
        outcomes.extend(batch?);
        if let (Some((_, all)), Some(observer)) = (&mut scenarios, &collisions) {
            all.add(observer.found());
        }
        if outcomes
            .iter()
            .any(|outcome| outcome.end == End::Interrupted)
        {
            break;
        }
    }

    let name = match config.run.engine {
        EngineKind::Gate => "gate",
        EngineKind::Event => "event",
    };
    let result = RunResult::new(&config, name, &outcomes, seconds);
    if let (Some(path), Some(first)) = (&args.messages, outcomes.first()) {
        file::write(path, |out| write_messages(out, first))?;
    }
    if let Some((path, scenarios)) = &scenarios {
        file::write(path, |out| scenarios.write(out))?;
    }
    if let Some(path) = &args.json {
        output::write_json(path, &result)?;
    }
    if !args.quiet && !to_stdout {
        output::print(summary::text(&result).as_bytes())?;
    }
    match outcomes
        .iter()
        .map(|outcome| outcome.end)
        .find(|end| *end != End::Finished)
    {
        None => Ok(()),
        Some(End::Interrupted) => Err(progress::interruption()),
        Some(_) => Err(Report::one(
            Class::Check,
            "run",
            Diagnostic::new(
                format!("cycle {}", config.run.cycles_max),
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
/// other, before anything is simulated.
fn check_outputs(args: &RunArgs, config: &Config) -> Result<(), Report> {
    let outputs = [
        ("--vcd", &args.vcd),
        ("--messages", &args.messages),
        ("--collisions", &args.collisions),
        ("--json", &args.json),
    ];
    let named: Vec<(&str, &Path)> = outputs
        .iter()
        .filter_map(|(name, path)| Some((*name, path.as_deref()?)))
        .collect();
    for &(name, path) in &named {
        if path.as_os_str() != "-" {
            file::check_folder(path)?;
        } else if name != "--json" {
            return Err(super::usage(
                name,
                "- is not taken for standard output here",
                "write /dev/stdout, or ./- for a file of that name",
            ));
        }
    }
    if args.collisions.is_some() && config.network.kind != NetworkKind::FatTree {
        return Err(super::usage(
            "--collisions",
            "the network is no fat tree",
            "leave it out; blocked attempts of a bidelta network are in the JSON, by stage",
        ));
    }
    let mut inputs = vec![("the configuration", args.config.file.as_path())];
    inputs.extend(config.trace_file().map(|path| ("the trace", path)));
    file::check_apart(&inputs, &named)
}

/// What progress says of replicates.
fn title(config: &Config, first: u32, count: usize) -> String {
    let all = config.run.replicates;
    match (all, count) {
        (1, _) => "simulating".to_owned(),
        (_, 1) => format!("replicate {} of {all}", first + 1),
        _ => {
            let last = first as usize + count;
            format!("replicates {} to {last} of {all}", first + 1)
        }
    }
}

/// The signals that a configuration selects for a waveform.
fn signals(sourced: &SourcedConfig, fabric: &Fabric) -> Result<Reduced, Report> {
    let ports: usize = fabric
        .arrays
        .iter()
        .map(|a| a.instances * a.chip.ports.len())
        .sum();
    if ports > SIGNALS_MAX {
        return Err(super::usage(
            "--vcd",
            format!("the network has {ports} ports, and a waveform takes at most {SIGNALS_MAX}"),
            "record a smaller network, whatever [wave] scopes selects",
        ));
    }
    let mut set = recorder::signals(fabric);
    recorder::add_connections(fabric, &mut set);
    let kept = select_entries(&set, &sourced.config.wave.scopes).map_err(|mistakes| {
        let SourcedConfig {
            text,
            origin,
            overrides,
            ..
        } = sourced;
        Config::scopes_report(text, origin, overrides, mistakes)
    })?;
    Ok(reduce(&set, &kept))
}

/// Runs a replicate, which is replicate 0, and records its waveform.
fn record(
    config: &Config,
    network: &Network,
    fabric: &Fabric,
    Replicate { seed, workload }: &Replicate,
    (path, signals): (&Path, Reduced),
    observer: &mut impl Observer<dyn Engine>,
    seconds: &mut f64,
) -> Result<Outcome, Report> {
    let window = config.wave.window_cycles.unwrap_or((0, u64::MAX / 16));
    let file = VcdFile::create(path, &signals.set, Timescale::NANOSECOND)?;
    let mut recorder = Recorder::new(fabric, *seed, signals.index, window, file);
    let start = Instant::now();
    let outcome = {
        let mut both = (&mut recorder, observer);
        let mut progress = Progress::new(title(config, 0, 1), &mut both);
        run::replicate(config, network, fabric, workload, *seed, &mut progress)?
    };
    *seconds += start.elapsed().as_secs_f64();
    let file = recorder
        .finish(outcome.last_cycle)
        .map_err(|error| Report::io(path, "writing the waveform", &error))?;
    file.finish()?;
    if window.0 > outcome.last_cycle {
        super::say(&format!(
            "warning: wave.window_cycles: the window begins at cycle {}, and the run ended at \
             cycle {}; {} shows no values\n  help: begin it earlier",
            window.0,
            outcome.last_cycle,
            path.display()
        ));
    }
    Ok(outcome)
}
