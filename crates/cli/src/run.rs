//! `crosswave run`.

mod checkpoints;
mod failure;
mod records;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};

use super::coverage;
use super::memory::{Planned, Task};
use super::output::{self, Format, JsonArgs, Output};
use super::progress::{Beside, Display, Progress, RunPart};
use super::recording::{Console, ViewerArgs, failed, say_size, viewer_outputs, warn_of_size};
use super::wave_args::{WaveArgs, WaveOutput};
use super::{ConfigArgs, interrupt, summary};
use checkpoints::{BegunCheckpoints, CheckpointFile};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file;
use crosswave_network::topology::Untraced;
use crosswave_observe::life::Follower;
use crosswave_observe::life::behind::{Behind, behind};
use crosswave_observe::recording::RunWaveform;
use crosswave_run::batches::{Batch, Batches};
use crosswave_run::config::Config;
use crosswave_run::counts::RunCounts;
use crosswave_run::coverage::RouterPath;
use crosswave_run::host::{End, Loss, Outcome};
use crosswave_run::links;
use crosswave_run::memory;
use crosswave_run::replicate::{Replicate, Shares};
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
    /// Synthesised gates on a GPU
    Gpu,
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
    /// Write the messages of all replicates as CSV; - is standard output. A name that ends in .parquet
    /// makes it a table by columns
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
    /// own routers; - is standard output, and a name that ends in .parquet makes it a table by columns.
    /// The result then has a summary of it
    #[arg(long, value_name = "FILE|-")]
    links: Option<PathBuf>,
    /// Write which nets of each chip toggled, over all instances and replicates, as JSON, which `coverage`
    /// shows and merges; a name that ends in .info makes it LCOV, by lines of source. Gate engine only;
    /// - is standard output
    #[arg(long, value_name = "FILE.json|FILE.info|-")]
    coverage: Option<PathBuf>,
    /// With --coverage: look for inputs of a chip, in so many cycles after its reset, with which a net
    /// changes that never did
    #[arg(long, value_name = "CYCLES", requires = "coverage", value_parser = clap::value_parser!(u16).range(1..=256))]
    coverage_reach: Option<u16>,
    /// With --coverage: count also from which inputs to which outputs of each router messages went, which
    /// waited there and which were rejected. Following messages takes time
    #[arg(long, requires = "coverage")]
    coverage_paths: bool,
    #[command(flatten)]
    json: JsonArgs,
    /// Print no summary
    #[arg(long, short)]
    quiet: bool,
}

/// The replicates that have been run.
struct SimulatedReplicates {
    sums: RunSums,
    /// Counts of what happened.
    counts: RunCounts,
    /// The last cycle of a replicate at most.
    cycles_max: Option<u64>,
    /// Time in which engines ran.
    elapsed: Duration,
    /// The error about a trigger that never came.
    missed: Option<Error>,
    /// The paths of messages through the routers of each chip, if they were counted.
    paths: Vec<(String, Vec<RouterPath>)>,
}

impl SimulatedReplicates {
    fn new(config: &Config) -> SimulatedReplicates {
        SimulatedReplicates {
            sums: RunSums::new(config),
            counts: RunCounts::default(),
            cycles_max: None,
            elapsed: Duration::ZERO,
            missed: None,
            paths: Vec::new(),
        }
    }

    /// True when there are replicates left, and nobody has interrupted.
    fn goes_on(&self, replicates: u32) -> bool {
        self.sums.replicates() < replicates && self.sums.ended(End::Interrupted).is_none()
    }

    /// Takes in the outcomes of the next replicates, and writes their messages.
    fn take_in(
        &mut self,
        outcomes: &[Outcome],
        messages: &mut Option<Messages<'_>>,
    ) -> Result<(), Error> {
        write_messages(messages, self.sums.replicates(), outcomes)?;
        outcomes.iter().for_each(|outcome| self.sums.add(outcome));
        Ok(())
    }
}

/// Writes the messages of replicates from `first` on, if they are asked for.
fn write_messages(
    messages: &mut Option<Messages<'_>>,
    first: u32,
    outcomes: &[Outcome],
) -> Result<(), Error> {
    let Some(messages) = messages else {
        return Ok(());
    };
    let mut outcomes = (first..).zip(outcomes);
    outcomes.try_for_each(|(replicate, outcome)| messages.replicate(replicate, outcome))
}

/// The replicates of a run: those that are recorded or followed, one after another, and all others in
/// batches side by side.
struct Replicates<'a> {
    simulation: &'a Simulation,
    /// The plan that is checked when the first replicate is there: the number of messages in a trace
    /// is known only after reading it.
    planned: Option<Planned<'a>>,
    /// The waveform and its option, until replicate 0 is recorded.
    waveform: Option<(RunWaveform<'a>, &'static str)>,
    /// Output of messages.
    messages: Option<Messages<'a>>,
    /// Output of their traces.
    lives: Option<Lives<'a>>,
    /// Output of checkpoints, until replicate 0 has been run.
    checkpoints: Option<CheckpointFile>,
    /// True when a waveform is mentioned only if it is large.
    quiet: bool,
    /// Counts from which each batch counts.
    none_counted: RunCounts,
    display: Display,
    simulated: SimulatedReplicates,
}

impl<'a> Replicates<'a> {
    /// Simulates all replicates, or those until an interruption, and finishes the files that
    /// were written meanwhile.
    fn run(mut self) -> Result<SimulatedReplicates, Error> {
        let replicates = self.simulation.config().run.replicates;
        while self.simulated.goes_on(replicates) {
            if self.waveform.is_some() || self.checkpoints.is_some() || self.lives.is_some() {
                let first = self.simulated.sums.replicates();
                let replicate = self.simulation.replicate(first)?;
                self.begin(&replicate)?;
                self.run_watched(&[replicate], self.simulation.threads())?;
            } else {
                self.run_batches()?;
            }
        }
        self.messages.map_or(Ok(()), Messages::finish)?;
        if let Some(paths) = self.lives.map(Lives::finish).transpose()?.flatten() {
            let chips = paths.by_chip().into_iter();
            let chips = chips.map(|(chip, paths)| (chip.to_owned(), paths));
            self.simulated.paths = chips.collect();
        }
        Ok(self.simulated)
    }

    /// Checks the memory for the first replicate, and notes its last cycle, which is that of all.
    fn begin(&mut self, first: &Replicate) -> Result<(), Error> {
        if let Some(planned) = self.planned.take() {
            planned.check(memory::MessageLoad::of(&first.workload))?;
        }
        self.simulated.cycles_max = Some(self.simulation.cycles_max(&first.workload));
        Ok(())
    }

    /// Simulates all further replicates, of which nothing is recorded but messages and counts: in
    /// batches side by side, or else the next batch.
    fn run_batches(&mut self) -> Result<(), Error> {
        let simulation = self.simulation;
        let all = simulation.config().run.replicates;
        let first = self.simulated.sums.replicates();
        let make = |index| simulation.replicate(index);
        let batches = Batches::new(simulation, first..all, &make, simulation.processors())?;
        if let Some(first) = batches.first() {
            self.begin(first)?;
        }
        let Shares {
            workers,
            size,
            threads,
        } = batches.shares();
        if workers == 1 {
            let known = batches.into_first().into_iter().map(Ok);
            let others = (first + 1..all).map(make);
            let replicates = known.chain(others).take(size);
            let replicates: Vec<Replicate> = replicates.collect::<Result<_, _>>()?;
            return self.run_watched(&replicates, threads);
        }
        let none_summed = self.simulated.sums.beside(simulation.config(), first);
        let (none, writes) = (&self.none_counted, self.messages.is_some());
        let beside = Beside::new(first, all, self.simulated.cycles_max.unwrap_or(u64::MAX));
        let work = |batch: &Batch, stop: &AtomicBool| {
            let fabric = none.fabric(simulation, batch.replicates.len());
            let mut counting = none.observer(simulation, fabric.as_deref(), batch.first);
            let progress = beside.batch(batch.replicates.len(), stop);
            let outcomes = batch.run(simulation, &mut (progress, &mut counting))?;
            let mut sums = none_summed.beside(simulation.config(), batch.first);
            outcomes.iter().for_each(|outcome| sums.add(outcome));
            // Messages are written in the order of replicates.
            let written = if writes { outcomes } else { Vec::new() };
            Ok((sums, RunCounts::of(counting), written))
        };
        let start = Instant::now();
        let (display, messages) = (&mut self.display, &mut self.messages);
        let simulated = &mut self.simulated;
        batches.run(
            work,
            || beside.show(display),
            |(sums, counts, written)| {
                simulated.counts.add(&counts);
                write_messages(messages, simulated.sums.replicates(), &written)?;
                simulated.sums.add_all(sums);
                Ok(simulated.sums.ended(End::Interrupted).is_none())
            },
        )?;
        self.simulated.elapsed += start.elapsed();
        Ok(())
    }

    /// Simulates replicates that share an engine, of which the first may be recorded or followed, on so
    /// many threads; 0 leaves the number to the engine.
    fn run_watched(&mut self, replicates: &[Replicate], threads: usize) -> Result<(), Error> {
        let simulation = self.simulation;
        let first = self.simulated.sums.replicates();
        let waveform = self.waveform.take();
        let checkpoints = self.checkpoints.take();
        let part = RunPart {
            first,
            count: replicates.len(),
            all: simulation.config().run.replicates,
            cycles_max: self.simulated.cycles_max.unwrap_or(u64::MAX),
        };
        let none = &self.none_counted;
        let copies = none.fabric(simulation, replicates.len());
        let mut counting = none.observer(simulation, copies.as_deref(), first);
        if let Some((waveform, flag)) = &waveform {
            warn_of_size(waveform, flag, &replicates[0])?;
        }
        let mut checkpoints = checkpoints
            .map(|file| file.begin(simulation, &replicates[0]))
            .transpose()?;
        let (network, fabric) = (simulation.network(), simulation.fabric());
        let progress = Progress::new(&mut self.display, part, &mut counting);
        let watched = checkpoints.as_mut().map(BegunCheckpoints::observer);
        let says_size = !self.quiet;
        let simulate = |records: Option<Behind>| {
            let mut follower = records.map(|records| Follower::new(network, fabric, records));
            let mut observer = (progress, (&mut follower, watched));
            let simulated = match waveform {
                Some((waveform, _)) => {
                    let [replicate] = replicates else {
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
                    let batch = simulation.run_on_threads(threads, replicates, &mut observer)?;
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
        self.simulated.counts.add(&RunCounts::of(counting));
        self.simulated.elapsed += took;
        self.simulated.take_in(&batch, &mut self.messages)
    }
}

pub(super) fn run(args: &RunArgs) -> Result<(), Error> {
    let engine = args.engine.map(|engine| match engine {
        EngineName::Gate => "run.engine=gate".to_owned(),
        EngineName::Event => "run.engine=event".to_owned(),
        EngineName::Gpu => "run.engine=gpu".to_owned(),
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
            coverage: args.coverage.is_some(),
        },
    };
    let messages = memory::expected_messages(&sourced.config);
    planned(0).check(messages.unwrap_or(0))?;
    let mut simulation = Simulation::new(&sourced.config)?;
    if args.coverage.is_some() {
        simulation = simulation.with_coverage()?;
    }
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
    let counts = [args.collisions.is_some(), args.links.is_some()];
    let none_counted = RunCounts::none(&simulation, counts[0], counts[1]);
    let transactions = args.transactions.as_deref();
    let transactions = transactions.map(|path| Ok((path, TransactionFormat::of(path)?)));
    let transactions = transactions.transpose()?;
    let events = args.events.as_deref();
    let lives = Lives::create(&simulation, events, transactions, args.coverage_paths)?;
    let messages_file = args.messages.as_deref();
    let messages_file = messages_file.map(|path| Messages::create(simulation.network(), path));
    let replicates = Replicates {
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
            counts: none_counted.clone(),
            ..SimulatedReplicates::new(&sourced.config)
        },
        none_counted,
    };
    let simulated = replicates.run()?;
    warn_of_threads(&simulation);
    let mut resolved = sourced.config.clone();
    resolved.run.cycles_max = simulated.cycles_max;
    write(args, to_stdout, &resolved, &simulation, simulated)
}

/// Nodes up to which it is told that threads do not pay.
const SMALL_NODES: u32 = 1024;

/// Tells that the threads that were asked for do not pay in a small network.
fn warn_of_threads(simulation: &Simulation) {
    let config = simulation.config();
    let (threads, nodes) = (config.run.threads, config.network.nodes());
    if threads > 1 && nodes <= SMALL_NODES && simulation.prefers_one_thread() {
        let message = format!(
            "one of {threads} threads was faster than all in this network of {nodes} nodes"
        );
        let help =
            "leave it out: the others were idle; they pay in larger networks, and for replicates";
        super::warn("run", &Diagnostic::new("run.threads", message, help));
    }
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
        counts:
            RunCounts {
                scenarios,
                links,
                monitors,
            },
        elapsed,
        missed,
        paths,
        ..
    } = simulated;
    let interrupted = sums.ended(End::Interrupted).is_some();
    let out_of_cycles = sums.ended(End::OutOfCycles);
    let stalled = sums.ended(End::Stalled);
    let first_loss = sums.first_loss();
    let replicates = sums.replicates();
    let failure = match interrupted {
        true => None,
        false => failure::find(simulation, sums.failed_packets())?,
    };
    let mut result = sums.result(config, elapsed.as_secs_f64());
    result.failure = failure;
    result.monitors = monitors;
    let fabric = simulation.fabric();
    if let (Some(path), Some(scenarios)) = (&args.collisions, &scenarios) {
        file::write(path, |out| scenarios.write(out))?;
    }
    if let (Some(path), Some(links)) = (&args.links, &links) {
        records::write_links(links, fabric, result.cycles, path)?;
        result.links = Some(links.summary(fabric, result.cycles));
    }
    let mut reach_interrupted = false;
    if let Some(path) = &args.coverage {
        let cycles = args.coverage_reach.map_or(0, usize::from);
        let report = coverage::of_run(simulation, replicates, cycles, paths)?;
        reach_interrupted = cycles > 0 && interrupt::interrupted();
        coverage::write(&report, path)?;
    }
    args.json.write(&result)?;
    if !args.quiet && !to_stdout {
        output::print(&summary::text(&result))?;
    }
    if interrupted || reach_interrupted {
        return Err(interrupt::interruption());
    }
    if let Some(missed) = missed {
        return Err(missed);
    }
    if let Some(broken) = result.monitors.as_ref().and_then(failure::broken) {
        return Err(broken);
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
    if let Some(path) = &args.coverage {
        let has_trigger = config.wave.trigger.is_some() && wave.is_some();
        let beside = (args.coverage_paths, args.checkpoints.is_some(), has_trigger);
        coverage::check(config, path, beside)?;
    }
    let transactions = args.transactions.as_deref();
    let format = transactions.map(TransactionFormat::of).transpose()?;
    let format = format.map_or(Format::Ftr, TransactionFormat::output);
    let files = [
        ("--events", Format::JsonLines, args.events.as_deref()),
        ("--messages", Format::Csv, args.messages.as_deref()),
        ("--links", Format::Csv, args.links.as_deref()),
    ];
    let mut tables = Vec::new();
    for (flag, format, path) in files {
        let format = records::table_or(format, flag, path)?;
        tables.push(Output::new(flag, format, path));
    }
    let windows = config.wave.windows();
    let waves = wave.map_or(Vec::new(), |wave| wave.paths(windows));
    let target = wave.map(|wave| wave.target());
    let viewer_files = args.viewers.files(target.as_ref(), windows)?;
    let outputs = [
        Output::new("--transactions", format, transactions),
        Output::new(
            "--checkpoints",
            Format::Checkpoints,
            args.checkpoints.as_deref(),
        ),
        Output::new("--collisions", Format::Csv, args.collisions.as_deref()),
        coverage::output(args.coverage.as_deref()),
        args.json.output(),
    ];
    let mut all: Vec<Output> = Vec::new();
    if let Some(wave) = wave {
        wave.check_several(windows, "moments of wave.triggers")?;
        all.extend(wave.outputs(&waves));
    }
    all.extend(tables.into_iter().chain(outputs).flatten());
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
        for ends in ends {
            let taken = simulated.take_in(&ends.map(outcome), &mut None);
            taken.expect("there is no file to write");
            assert!(simulated.goes_on(5));
        }
        assert_eq!(simulated.sums.replicates(), 4);
        assert!(!simulated.goes_on(4));
        assert_eq!(simulated.sums.ended(End::OutOfCycles), Some(9));
        assert_eq!(simulated.sums.ended(End::Interrupted), None);
    }
}
