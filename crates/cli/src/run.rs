//! `crosswave run`.

mod checkpoints;
mod failure;
mod records;

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};

use super::memory::{Planned, Task};
use super::output::{self, Format, JsonArgs, Output};
use super::progress::{Display, Progress, RunPart};
use super::recording::{Console, ViewerArgs, failed, say_size, viewer_outputs, warn_of_size};
use super::wave_args::{WaveArgs, WaveOutput};
use super::{ConfigArgs, interrupt, summary};
use checkpoints::{BegunCheckpoints, CheckpointFile};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file;
use crosswave_figures::columns;
use crosswave_network::Fabric;
use crosswave_network::topology::Untraced;
use crosswave_observe::life::Follower;
use crosswave_observe::life::behind::{Behind, behind};
use crosswave_observe::recording::RunWaveform;
use crosswave_run::collisions::{CollisionObserver, Scenarios};
use crosswave_run::config::Config;
use crosswave_run::host::{End, Loss, Outcome};
use crosswave_run::links::{self, LinkCounts, LinkObserver};
use crosswave_run::memory;
use crosswave_run::replicate::Replicate;
use crosswave_run::result::RunSums;
use crosswave_run::simulation::Simulation;
use records::{Lives, Messages, TransactionFormat};

pub(super) use checkpoints::program;

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
    /// Engine, in place of that of the configuration
    #[arg(long, value_enum)]
    engine: Option<EngineName>,
    #[command(flatten)]
    wave: WaveArgs,
    #[command(flatten)]
    viewers: ViewerArgs,
    /// Record only the cycles around the moment in which a condition is true, such as
    /// 'rejected(message=17)', in place of wave.trigger of the configuration. `crosswave keys
    /// wave.trigger` lists the conditions
    #[arg(long, value_name = "CONDITION")]
    trigger: Option<String>,
    /// Write the messages of all replicates as CSV; - is standard output
    #[arg(long, value_name = "FILE|-")]
    messages: Option<PathBuf>,
    /// Write the trace of every message of all replicates, with a line of JSON for each attempt and
    /// for each message: routers, cycles, collisions, the parts of the latency; - is standard
    /// output. A name that ends in .parquet makes it a table with a row for each attempt
    #[arg(long, value_name = "FILE|-")]
    events: Option<PathBuf>,
    /// Write the messages, attempts and hops of replicate 0 as transactions: .ftr for Surfer, .json
    /// (trace events) for Perfetto
    #[arg(long, value_name = "FILE.ftr|FILE.json")]
    transactions: Option<PathBuf>,
    /// Write checkpoints of replicate 0, from which `replay` runs any part of it again
    #[arg(long, value_name = "FILE")]
    checkpoints: Option<PathBuf>,
    /// Cycles from one checkpoint to the next
    #[arg(long, value_name = "CYCLES", default_value_t = 10_000, requires = "checkpoints",
          value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    checkpoint_every: u64,
    /// Write the collisions of all replicates by level and scenario as CSV, for fat trees; - is
    /// standard output
    #[arg(long, value_name = "FILE|-")]
    collisions: Option<PathBuf>,
    /// Write the use of each link and virtual channel of all replicates as CSV, for networks of your
    /// own routers; - is standard output. The result then has a summary of it
    #[arg(long, value_name = "FILE|-")]
    links: Option<PathBuf>,
    #[command(flatten)]
    json: JsonArgs,
    /// Print no summary
    #[arg(long, short)]
    quiet: bool,
}

/// The replicates that have been run.
struct SimulatedReplicates {
    sums: RunSums,
    /// The collisions, when they are counted.
    scenarios: Option<Scenarios>,
    /// The use of links, when it is counted.
    links: Option<LinkCounts>,
    /// The last cycle of the latest batch at most.
    cycles_max: Option<u64>,
    /// Time in the cycle loops.
    elapsed: Duration,
    /// The error about a trigger that never came.
    missed: Option<Error>,
}

impl SimulatedReplicates {
    fn new(config: &Config) -> SimulatedReplicates {
        SimulatedReplicates {
            sums: RunSums::new(config),
            scenarios: None,
            links: None,
            cycles_max: None,
            elapsed: Duration::ZERO,
            missed: None,
        }
    }

    /// Takes in a batch, whose cycle loop took so long.
    fn take_in(&mut self, batch: &[Outcome], took: Duration) {
        batch.iter().for_each(|outcome| self.sums.add(outcome));
        self.elapsed += took;
    }
}

/// The replicates of a run, simulated one batch after another.
struct Batches<'a> {
    simulation: &'a Simulation,
    /// The plan that is checked when the first batch is there: the number of messages in a trace is
    /// known only after reading it.
    planned: Option<Planned<'a>>,
    /// The waveform and its option, until replicate 0 is recorded.
    waveform: Option<(RunWaveform<'a>, &'static str)>,
    /// Output of messages.
    messages: Option<Messages>,
    /// Output of their traces.
    lives: Option<Lives<'a>>,
    /// Output of checkpoints, until replicate 0 has been run.
    checkpoints: Option<CheckpointFile>,
    /// True when a waveform is mentioned only if it is large.
    quiet: bool,
    display: Display,
    simulated: SimulatedReplicates,
}

impl<'a> Batches<'a> {
    /// Simulates all replicates, or those until an interruption, and finishes the files that
    /// were written meanwhile.
    fn run(mut self) -> Result<SimulatedReplicates, Error> {
        let replicates = self.simulation.config().run.replicates;
        while self.simulated.sums.replicates() < replicates {
            self.run_next()?;
            if self.simulated.sums.ended(End::Interrupted).is_some() {
                break;
            }
        }
        self.messages.map_or(Ok(()), Messages::finish)?;
        self.lives.map_or(Ok(()), Lives::finish)?;
        Ok(self.simulated)
    }

    /// Simulates the next batch: replicate 0 alone where it is recorded, each alone where
    /// messages are followed, else as many as share an engine.
    fn run_next(&mut self) -> Result<(), Error> {
        let config = self.simulation.config();
        let first = self.simulated.sums.replicates();
        let waveform = self.waveform.take();
        let checkpoints = self.checkpoints.take();
        let alone = waveform.is_some() || self.lives.is_some() || checkpoints.is_some();
        let together = match alone {
            true => 1,
            false => self.simulation.together(),
        };
        let replicates = Replicate::next(config, first, together)?;
        if let Some(planned) = self.planned.take() {
            planned.check(memory::MessageLoad::of(&replicates[0].workload))?;
        }
        let last_cycle = self.simulation.cycles_max(&replicates[0].workload);
        self.simulated.cycles_max = Some(last_cycle);
        let part = RunPart {
            first,
            count: replicates.len(),
            all: config.run.replicates,
            cycles_max: last_cycle,
        };
        let links = self.simulated.links.take();
        let counts = self.simulated.scenarios.is_some() || links.is_some();
        let watched = counts.then(|| self.fabric_of(replicates.len()));
        let traced = self.simulated.scenarios.as_ref();
        let traced = traced.and_then(|_| self.simulation.network().collisions().ok());
        let collisions = traced
            .zip(watched.as_deref())
            .map(|(network, fabric)| CollisionObserver::new(network, fabric));
        let links = links
            .zip(watched.as_deref())
            .map(|(counts, fabric)| LinkObserver::new(self.simulation.network(), fabric, counts));
        let mut counting = (collisions, links);
        if let Some((waveform, flag)) = &waveform {
            warn_of_size(waveform, flag, &replicates[0])?;
        }
        let mut checkpoints = checkpoints
            .map(|file| file.begin(self.simulation, &replicates[0]))
            .transpose()?;
        let simulation = self.simulation;
        let (network, fabric) = (simulation.network(), simulation.fabric());
        let progress = Progress::new(&mut self.display, part, &mut counting);
        let watched = checkpoints.as_mut().map(BegunCheckpoints::observer);
        let says_size = !self.quiet;
        let simulate = |records: Option<Behind>| {
            let mut follower = records.map(|records| Follower::new(network, fabric, records));
            let mut observer = (progress, (&mut follower, watched));
            let simulated = match waveform {
                Some((waveform, _)) => {
                    let [replicate] = &replicates[..] else {
                        unreachable!("replicate 0 is recorded alone");
                    };
                    let written = waveform.whole_file();
                    let recorded = waveform.record(replicate, &mut observer, &mut Console);
                    let recorded = recorded.map_err(failed)?;
                    if let (Some((path, signals)), None, true) =
                        (written, &recorded.missed, says_size)
                    {
                        say_size(&path, signals);
                    }
                    (vec![recorded.outcome], recorded.took, recorded.missed)
                }
                None => {
                    let start = Instant::now();
                    let batch = simulation.run(&replicates, &mut observer)?;
                    (batch, start.elapsed(), None)
                }
            };
            // Errors of its sink are reported when the records are written.
            let _ = follower.map(Follower::finish);
            Ok(simulated)
        };
        let simulated: Result<_, Error> = match &mut self.lives {
            Some(lives) => {
                lives.begin(first);
                let (simulated, written) = behind(&mut *lives, |records| simulate(Some(records)));
                written.map_err(|error| lives.error(&error))?;
                simulated
            }
            None => simulate(None),
        };
        let (batch, took, missed) = simulated?;
        self.simulated.missed = self.simulated.missed.take().or(missed);
        checkpoints.map_or(Ok(()), BegunCheckpoints::finish)?;
        if let Some(messages) = &mut self.messages {
            for (replicate, outcome) in (first..).zip(&batch) {
                messages.replicate(replicate, outcome)?;
            }
        }
        self.simulated.take_in(&batch, took);
        let (collisions, links) = counting;
        if let (Some(all), Some(observer)) = (&mut self.simulated.scenarios, &collisions) {
            all.add(observer.found());
        }
        self.simulated.links = links.map(LinkObserver::finish);
        Ok(())
    }

    /// The fabric on which so many replicates run together: copies of the network's.
    fn fabric_of(&self, replicates: usize) -> Cow<'a, Fabric> {
        let fabric = self.simulation.fabric();
        match replicates {
            1 => Cow::Borrowed(fabric),
            count => Cow::Owned(fabric.replicated(count.next_power_of_two())),
        }
    }
}

pub(super) fn run(args: &RunArgs) -> Result<(), Error> {
    let engine = args.engine.map(|engine| match engine {
        EngineName::Gate => "run.engine=gate".to_owned(),
        EngineName::Event => "run.engine=event".to_owned(),
    });
    let trigger = args.trigger.as_deref().map(|condition| {
        let condition = toml::Value::String(condition.to_owned());
        format!("wave.trigger={condition}")
    });
    let extra: Vec<String> = engine.into_iter().chain(trigger).collect();
    let sourced = args.config.read_sourced(&extra)?;
    let output = args.wave.output()?;
    if args.trigger.is_some() && output.is_none() {
        let help = "add --wave FILE.vcd or --wave FILE.fst";
        return Err(super::usage("--trigger", "no waveform is asked for", help));
    }
    let to_stdout = check_outputs(args, output, &sourced.config)?;
    let network = sourced.config.topology();
    let records = records::files(args.events.as_deref(), args.transactions.as_deref())?;
    let planned = |waveform| Planned {
        config: &sourced.config,
        origin: &sourced.source.origin,
        network: &*network,
        task: Task::Run {
            records: &records,
            waveform,
        },
    };
    let messages = memory::expected_messages(&sourced.config);
    planned(0).check(messages.unwrap_or(0))?;
    let simulation = Simulation::new(&sourced.config)?;
    // The number of recorded signals is known after matching the patterns.
    let waveform = match output {
        Some(output) => {
            let selection = sourced.selection(&simulation)?;
            Some((output, selection))
        }
        None => None,
    };
    let recorded = waveform.as_ref();
    let planned = planned(recorded.map_or(0, |(output, kept)| kept.bytes(output.format)));
    planned.check(messages.unwrap_or(0))?;
    let waveform = waveform.map(|(output, kept)| {
        let waveform = RunWaveform::new(output.target(), &simulation, kept);
        let waveform = waveform.viewer_files(args.viewers.are_asked_for());
        Ok::<_, Error>((waveform.triggered(&sourced.source)?, output.flag))
    });
    let waveform = waveform.transpose()?;
    let traced = simulation.network().collisions().ok();
    let counts = args.collisions.is_some();
    let transactions = args.transactions.as_deref();
    let transactions = transactions.map(|path| Ok((path, TransactionFormat::of(path)?)));
    let transactions = transactions.transpose()?;
    let lives = Lives::create(&simulation, args.events.as_deref(), transactions)?;
    let messages_file = args.messages.as_deref();
    let messages_file = messages_file.map(|path| Messages::create(simulation.network(), path));
    let batches = Batches {
        simulation: &simulation,
        planned: messages.is_none().then_some(planned),
        waveform,
        messages: messages_file.transpose()?,
        lives,
        checkpoints: args.checkpoints.as_deref().map(|path| CheckpointFile {
            path: path.to_owned(),
            every_cycles: args.checkpoint_every,
        }),
        quiet: args.quiet,
        display: Display::new(),
        simulated: SimulatedReplicates {
            scenarios: traced.filter(|_| counts).map(Scenarios::new),
            links: match args.links {
                Some(_) => LinkCounts::new(simulation.network(), simulation.fabric()),
                None => None,
            },
            ..SimulatedReplicates::new(&sourced.config)
        },
    };
    let simulated = batches.run()?;
    let mut resolved = sourced.config.clone();
    resolved.run.cycles_max = simulated.cycles_max;
    write(args, to_stdout, &resolved, &simulation, simulated)
}

/// Writes what came out of a run of a configuration, and says how it ended.
fn write(
    args: &RunArgs,
    to_stdout: bool,
    config: &Config,
    simulation: &Simulation,
    simulated: SimulatedReplicates,
) -> Result<(), Error> {
    let SimulatedReplicates {
        sums,
        scenarios,
        links,
        elapsed,
        missed,
        ..
    } = simulated;
    let interrupted = sums.ended(End::Interrupted).is_some();
    let out_of_cycles = sums.ended(End::OutOfCycles);
    let stalled = sums.ended(End::Stalled);
    let first_loss = sums.first_loss();
    let failure = match interrupted {
        true => None,
        false => failure::find(simulation, sums.failed_packets())?,
    };
    let mut result = sums.result(config, elapsed.as_secs_f64());
    result.failure = failure;
    let fabric = simulation.fabric();
    if let (Some(path), Some(scenarios)) = (&args.collisions, &scenarios) {
        file::write(path, |out| scenarios.write(out))?;
    }
    if let (Some(path), Some(links)) = (&args.links, &links) {
        file::write(path, |out| links.write(fabric, result.cycles, out))?;
        result.links = Some(links.summary(fabric, result.cycles));
    }
    args.json.write(&result)?;
    if !args.quiet && !to_stdout {
        output::print(&summary::text(&result))?;
    }
    if interrupted {
        return Err(interrupt::interruption());
    }
    if let Some(missed) = missed {
        return Err(missed);
    }
    let lost = result.messages.offered - result.messages.delivered;
    let of_all = format!("{lost} of {} messages", result.messages.offered);
    if let Some(failure) = &result.failure {
        let place = |cycle: u64| format!("cycle {cycle}");
        let found = match (stalled, out_of_cycles) {
            (Some(cycle), _) => (
                place(cycle),
                format!("{of_all} were not delivered, and nothing happened at any node for long"),
            ),
            (None, Some(cycle)) => (
                place(cycle),
                format!("{of_all} were not delivered by run.cycles_max"),
            ),
            (None, None) => ("packets".to_owned(), failure::counted(failure)),
        };
        let has_waveform = args.wave.output()?.is_some();
        return Err(failure::error(
            config.run.replicates,
            found,
            failure,
            has_waveform,
        ));
    }
    let (place, found, help) = match out_of_cycles {
        Some(last_cycle) if first_loss.is_none() => (
            format!("cycle {last_cycle}"),
            format!("{of_all} were not delivered by run.cycles_max"),
            "raise run.cycles_max, or look at the waveform for what they wait for",
        ),
        _ if first_loss.is_some() => {
            let Loss { cycle, router, .. } = first_loss.expect("there is one");
            let router = config.topology().fabric().router_name(router as usize);
            (
                format!("cycle {cycle}"),
                format!("{of_all} were not delivered; {router} was the first to lose a packet"),
                "send so that packets do not meet, or set router.queue_packets; the signal \
                 `conflict` or `lost` of the routers shows where they do",
            )
        }
        None if lost > 0 => (
            "messages".into(),
            format!("{of_all} were not delivered, though their senders were told so"),
            "wires that are stuck do that, and ports that come back while something arrives; look \
             at the column `wrong` of --messages",
        ),
        _ => return Ok(()),
    };
    let diagnostic = Diagnostic::new(place, found, help);
    Err(Error::one(Class::Check, "run", diagnostic))
}

/// Finds outputs that cannot be written, or that would replace an input or each
/// other, before anything is simulated. Whether one of them is standard output.
fn check_outputs(args: &RunArgs, wave: Option<WaveOutput>, config: &Config) -> Result<bool, Error> {
    if args.collisions.is_some()
        && let Err(Untraced { why, instead }) = config.topology().collisions()
    {
        let help = format!("leave it out; {instead}");
        return Err(super::usage("--collisions", why, &help));
    }
    if args.links.is_some() {
        let refused = |found: Diagnostic| super::usage("--links", found.message, &found.help);
        links::check(&*config.topology()).map_err(refused)?;
    }
    let transactions = args.transactions.as_deref();
    let format = transactions.map(TransactionFormat::of).transpose()?;
    let format = format.map_or(Format::Ftr, TransactionFormat::output);
    let events = match args.events.as_deref().is_some_and(records::is_table) {
        true => {
            columns::check_built("--events")?;
            Format::Parquet
        }
        false => Format::JsonLines,
    };
    let windows = config.wave.windows();
    let waves = wave.map_or(Vec::new(), |wave| wave.paths(windows));
    let target = wave.map(|wave| wave.target());
    let viewer_files = args.viewers.files(target.as_ref(), windows)?;
    let outputs = [
        Output::new("--transactions", format, transactions),
        Output::new("--messages", Format::Csv, args.messages.as_deref()),
        Output::new(
            "--checkpoints",
            Format::Checkpoints,
            args.checkpoints.as_deref(),
        ),
        Output::new("--events", events, args.events.as_deref()),
        Output::new("--collisions", Format::Csv, args.collisions.as_deref()),
        Output::new("--links", Format::Csv, args.links.as_deref()),
        args.json.output(),
    ];
    let mut all: Vec<Output> = Vec::new();
    if let Some(wave) = wave {
        wave.check_several(windows, "moments of wave.triggers")?;
        all.extend(wave.outputs(&waves));
    }
    all.extend(outputs.into_iter().flatten());
    all.extend(viewer_outputs(&viewer_files));
    output::check(&all)
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
            first_loss: None,
            faulty: Vec::new(),
            longest_queues: Vec::new(),
        }
    }

    #[test]
    fn batches_are_added_up() {
        let text = "[network]\nkind='fat-tree'\nnodes=2\n[traffic]\npattern='random'\n";
        let config = Config::parse(text, "test", std::path::Path::new("."), &[]);
        let config = config.unwrap_or_else(|error| panic!("{error}"));
        let mut simulated = SimulatedReplicates::new(&config);
        let ends = [[End::OutOfCycles, End::Finished], [End::Finished; 2]];
        for (ends, seconds) in ends.into_iter().zip([2, 3]) {
            let batch = ends.map(outcome);
            simulated.take_in(&batch, Duration::from_secs(seconds));
        }
        assert_eq!(simulated.sums.replicates(), 4);
        assert_eq!(simulated.elapsed, Duration::from_secs(5));
        assert_eq!(simulated.sums.ended(End::OutOfCycles), Some(9));
        assert_eq!(simulated.sums.ended(End::Interrupted), None);
    }
}
