//! The command line: arguments, terminal output, exit codes. Nothing else in
//! the crate prints or exits.
//!
//! | file | command |
//! |---|---|
//! | `run` | `crosswave run` |
//! | `info` | `crosswave info` |
//! | `trace` | `crosswave trace` |
//! | `view` | `crosswave view` |
//! | `signals` | `crosswave signals` |
//! | `replay` | `crosswave replay` |
//! | `show` | `crosswave show` |
//! | `diff` | `crosswave diff` |
//! | `activity` | `crosswave activity` |
//! | `netlist` | `crosswave netlist` |
//! | `check` | `crosswave check` |
//! | `figure` | `crosswave figure` |
//! | `report` | `crosswave report` |
//! | `sweep` | `crosswave sweep` |
//! | `schedule` | `crosswave schedule` |
//! | `oblivious` | `crosswave oblivious` |
//! | `export` | `crosswave export` |
//! | `headers` | `crosswave headers` |
//! | `reference` | `crosswave keys`, `fields`, `init`, `man`, `reference` |
//! | `coverage` | `crosswave coverage` |
//! | `faults` | `crosswave faults` |
//! | `completion` | `crosswave completions`, and answers to shells that complete |
//! | `arguments` | what is wrong with arguments, said by clap |
//! | `memory` | whether the system grants what a run takes |
//! | `allocator` | what happens when it gives no more |
//! | `output` | files and standard output |
//! | `interrupt` | signals |
//! | `progress` | how far a command is, and how long the rest takes |
//! | `recording` | options, progress and messages of recorded waveforms |
//! | `summary` | the table that a run ends with |

mod activity;
pub mod allocator;
mod arguments;
mod check;
mod compare;
mod completion;
mod component;
mod coverage;
mod diff;
mod export;
mod faults;
mod figure;
mod headers;
mod info;
mod interrupt;
mod memory;
mod named;
mod netlist;
mod oblivious;
mod output;
mod own_chips;
mod progress;
mod recording;
mod reference;
mod replay;
mod report;
mod route;
mod run;
mod schedule;
mod show;
mod signals;
mod summary;
mod sweep;
mod trace;
mod view;
mod wave_args;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::engine::ArgValueCompleter;

use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::escape;
use crosswave_base::file::kind::FileKind;
use crosswave_base::file::{self, input};
use crosswave_observe::recording::Selection;
use crosswave_run::config::{Config, ConfigSource, NetworkConfig, UNSET};
use crosswave_run::simulation::Simulation;
use own_chips::ChipArgument;
use recording::Console;

/// Cycle-accurate simulation of networks of routers: circuit- and packet-switched fat trees and
/// related topologies, from gate netlists or from register-level models.
#[derive(Debug, Parser)]
#[command(name = "crosswave", version, arg_required_else_help = true)]
#[command(
    after_help = "Begin with: crosswave init fat-tree --out mine.toml; crosswave run mine.toml\n\n\
                  Exit codes: 0 fine, 1 a check failed, messages were not delivered, or the \
                  command was interrupted, 2 usage or configuration, 3 bad design or input \
                  file, 4 reading or writing failed, 5 memory ran out. When nobody reads standard output any \
                  more, as after `| head`, the command ends quietly, as by SIGPIPE."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a configuration, and measure latencies
    #[command(after_help = "Example:\n  crosswave run mine.toml --vcd mine.vcd")]
    Run(run::RunArgs),
    /// Write a network and a test bench as Verilog
    #[command(
        after_help = "Example:\n  crosswave export mine.toml --verilog out\n  \
                            sh out/run-icarus.sh"
    )]
    Export(export::ExportArgs),
    /// Print the size, the levels, the timing and the memory of a network, or draw it
    #[command(
        after_help = "Example:\n  crosswave info mine.toml --set network.nodes=1024\n  \
                            crosswave info mine.toml --structure mine.txt"
    )]
    Info(info::InfoArgs),
    /// Print the route of a message: header, chips and ports
    #[command(after_help = "Example:\n  crosswave route mine.toml 0 63\n  \
                            crosswave route mine.toml 0 63 --draw 255 --json -")]
    Route(route::RouteArgs),
    /// The trace of a message, cycle by cycle, or the slowest messages
    #[command(after_help = "Example:\n  crosswave trace mine.toml --slowest 5\n  \
                            crosswave trace mine.toml 17\n  \
                            crosswave trace mine.toml 17 --svg message17.svg --json -")]
    Trace(trace::TraceArgs),
    /// Write a run as a page for a browser: the network in any cycle, the traces of its messages
    #[command(
        after_help = "Example:\n  crosswave view mine.toml --window 0..2000 --html mine.html"
    )]
    View(view::ViewArgs),
    /// List the signals that a waveform would show, and its size
    #[command(
        after_help = "Example:\n  crosswave signals mine.toml --set 'wave.scopes=[\"**.node_0\"]'"
    )]
    Signals(signals::SignalsArgs),
    /// Record any cycles of a run from its checkpoints
    #[command(
        after_help = "Example:\n  crosswave run mine.toml --checkpoints mine.checkpoints --checkpoint-every 1000\n  \
                            crosswave replay mine.toml --checkpoints mine.checkpoints \\\n    \
                              --from 5000 --to 5100 --wave part.fst"
    )]
    Replay(replay::ReplayArgs),
    /// Draw a waveform file in the terminal or as SVG
    #[command(
        after_help = "Example:\n  crosswave show mine.vcd --scope '**.router_0_0' --window 0..20\n  \
                            crosswave show mine.vcd --scope '**.node_3' --window 0..20 --json -"
    )]
    Show(show::ShowArgs),
    /// Count how often the signals of a waveform toggle, also as SAIF for power tools
    #[command(
        after_help = "Example:\n  crosswave netlist design.json --random-seed 1 --cycles 1000 --fst design.fst --scope '*'\n  \
                            crosswave activity design.fst --saif design.saif"
    )]
    Activity(activity::ActivityArgs),
    /// Compare two waveforms, of any formats, or two tables of messages
    #[command(
        after_help = "Exit code 1: they differ, or nothing could be compared.\n\nExample:\n  crosswave diff gate.fst event.vcd --scope '**.node_3'\n  \
                            crosswave diff icarus.vcd verilator.vcd --common --window 1..\n  \
                            crosswave diff dut.fst bench.vcd --map top=bench.dut --x-matches\n  \
                            crosswave diff gate.fst delays.vcd --cycle-ends\n  \
                            crosswave diff before.csv after.csv --json -"
    )]
    Diff(diff::DiffArgs),
    /// Run two configurations in lock step: the first difference, and what they measure
    #[command(
        after_help = "Exit code 1: they differ in some cycle.\n\nExample:\n  crosswave compare mine.toml changed.toml\n  \
                            crosswave compare mine.toml --chip fat_tree_router=my_router.v --vcd around.vcd"
    )]
    Compare(compare::CompareArgs),
    /// Check the component file of your own router, or have one proposed
    #[command(
        after_help = "Example:\n  crosswave component guess mesh_router.sv --top mesh_router --output mesh_router.toml\n  \
                            crosswave component check mesh_router.toml"
    )]
    Component(component::ComponentArgs),
    /// Show and merge the coverage of runs: the nets of each chip that toggled
    #[command(
        after_help = "Exit code 1: fewer nets toggled than --at-least says.\n\nExample:\n  crosswave run mine.toml --engine gate --coverage mine.json\n  \
                            crosswave coverage mine.json --lcov mine.info --list 5"
    )]
    Coverage(coverage::CoverageArgs),
    /// Break a router of a network in every way in turn: which faults show, what becomes of messages, and
    /// why others do not show
    #[command(
        after_help = "Exit code 1: fewer faults show than --at-least says.\n\nExample:\n  crosswave faults mine.toml --list 5\n  \
                            crosswave faults mine.toml --router router_0_0 --faults stuck-at,late-links,flips --json faults.json"
    )]
    Faults(faults::FaultsArgs),
    /// Run a gate netlist of your own, as Yosys writes it
    #[command(after_help = "Example:\n  crosswave netlist design.json \\\n    \
                        --stimulus stimulus.csv --vcd design.vcd")]
    Netlist(netlist::NetlistArgs),
    /// Compare the numbers that papers print with formulas and simulation
    #[command(after_help = "Example:\n  crosswave check dehon1990 --json check.json")]
    Check(check::CheckArgs),
    /// Draw figures from formulas and simulation
    #[command(after_help = "Example:\n  crosswave figure dehon1990-4.19 --out figures")]
    Figure(figure::FigureArgs),
    /// Simulate a paper, and write a page with its figures and tables beside the results
    #[command(after_help = "Example:\n  crosswave report strumpen2005 --quick --out report")]
    Report(report::ReportArgs),
    /// Run a configuration with varied keys, and draw the results
    #[command(
        after_help = "Exit code 1: at some points messages were not delivered.\n\nExample:\n  crosswave sweep mine.toml --vary traffic.load=0.01..0.05:0.01 --out load\n  \
                            crosswave sweep mine.toml --saturation traffic.load --out saturation\n  \
                            crosswave sweep mine.toml --vary network.nodes=64..256*2 --out a --shard 1/2"
    )]
    Sweep(sweep::SweepArgs),
    /// Make or check a schedule of collective communications in a binary fat tree
    #[command(
        after_help = "Example:\n  crosswave schedule total-exchange --nodes 64 --by interleaved --out exchange.csv\n  \
                            crosswave schedule check exchange.csv --nodes 64"
    )]
    Schedule(schedule::ScheduleArgs),
    /// Compute the worst that any traffic can do to the routing of an m-port n-tree
    #[command(
        after_help = "Example:\n  crosswave oblivious tree.toml --witness worst.csv\n  \
                            crosswave oblivious tree.toml --failed 'switch((0, 0), 0)' --json -\n  \
                            crosswave oblivious tree.toml --tables lfts.txt --wiring ibnetdiscover.txt"
    )]
    Oblivious(oblivious::ObliviousArgs),
    /// Print the keys of a configuration: types, values, defaults and meanings
    #[command(after_help = "Example:\n  crosswave keys traffic.load\n  \
                            crosswave keys wave. --kind bidelta")]
    Keys(reference::keys::KeysArgs),
    /// Print the fields of results: units and meanings
    #[command(after_help = "Example:\n  crosswave fields latency\n  \
                            crosswave fields 'run --messages'")]
    Fields(reference::fields::FieldsArgs),
    /// Write a configuration that runs, with all keys of a kind of network
    #[command(after_help = "Example:\n  crosswave init fat-tree --out mine.toml\n  \
                            crosswave run mine.toml")]
    Init(reference::init::InitArgs),
    /// Write the manual pages of the program and of its commands
    #[command(after_help = "Example:\n  crosswave man ~/.local/share/man/man1\n  \
                            man crosswave-run")]
    Man(reference::ManArgs),
    /// Write the pages of the reference as Markdown
    #[command(after_help = "Example:\n  crosswave reference reference")]
    Reference(reference::ReferenceArgs),
    /// Write the port lists, headers and FuseSoC cores of the chips' Verilog from their tables
    #[command(after_help = "Example:\n  crosswave headers hdl")]
    Headers(headers::HeadersArgs),
    /// Print the completions of a shell
    #[command(
        after_help = "Example:\n  crosswave completions bash > ~/.local/share/bash-completion/completions/crosswave"
    )]
    Completions {
        /// The shell
        shell: completion::ShellName,
    },
}

/// A configuration file and what overrides it.
#[derive(Debug, Args)]
struct ConfigArgs {
    /// Configuration (TOML). With - it is read from standard input, and the files that it names are
    /// looked for in the current folder
    #[arg(value_parser = PathBufValueParser::new().map(named_input))]
    file: PathBuf,
    #[command(flatten)]
    changes: ConfigChanges,
}

/// Changes of a configuration.
#[derive(Debug, Clone, Args)]
struct ConfigChanges {
    /// Set a key, as in --set network.nodes=256; may be given several times
    #[arg(long, value_name = "KEY=VALUE", add = ArgValueCompleter::new(completion::settings))]
    set: Vec<String>,
    /// Take a key of the configuration away, so that its default counts, as in
    /// --unset wave.window_cycles; may be given several times
    #[arg(long, value_name = "KEY", add = ArgValueCompleter::new(completion::key_names))]
    unset: Vec<String>,
    /// Run your own version of a chip, by its Verilog (synthesised by Yosys) or netlist: as in --chip
    /// fat_tree_router=my_router.v; several files are separated by commas; may be given again, for
    /// another chip
    #[arg(long, value_name = "CHIP=FILE[,FILE]", add = ArgValueCompleter::new(completion::chips))]
    chip: Vec<ChipArgument>,
}

/// A configuration with where it came from, for what is found wrong with it later.
struct SourcedConfig {
    config: Config,
    source: ConfigSource,
}

/// Standard input, as a file.
const STANDARD_INPUT: &str = "/dev/stdin";

/// The file that an argument names; `-` is standard input.
fn named_input(argument: PathBuf) -> PathBuf {
    input_path(&argument).to_owned()
}

impl ConfigArgs {
    fn is_standard_input(&self) -> bool {
        self.file == Path::new(STANDARD_INPUT)
    }

    /// The name of the configuration in what is said of it.
    fn origin(&self) -> String {
        match self.is_standard_input() {
            true => "standard input".to_owned(),
            false => self.file.display().to_string(),
        }
    }

    /// The text of the configuration.
    fn text(&self) -> Result<String, Error> {
        let bytes = input::read(&self.file, input::CONFIGURATION)?;
        let kind = FileKind::of(&self.file, &bytes);
        let help = match kind {
            FileKind::Vcd | FileKind::Fst => "`crosswave show FILE` draws a waveform",
            FileKind::Verilog => {
                "a configuration names a network; a netlist that Yosys makes of Verilog is run by \
                 `crosswave netlist`"
            }
            _ => kind.to_text(),
        };
        let is_other = matches!(
            kind,
            FileKind::Vcd
                | FileKind::ExtendedVcd
                | FileKind::Verilog
                | FileKind::Vhdl
                | FileKind::Markup
        );
        match is_other || kind.is_binary() && std::str::from_utf8(&bytes).is_err() {
            true => {
                let mistake = kind.mistake("a configuration (TOML)", help);
                Err(Error::one(Class::Usage, self.origin(), mistake))
            }
            false => input::utf8(&self.origin(), bytes, Class::Usage),
        }
    }

    /// The changes of its keys: those that are taken away, then those that are set.
    fn overrides(&self) -> Vec<String> {
        let unset = self.changes.unset.iter().map(|key| format!("{UNSET}{key}"));
        let own = &self.changes.chip;
        let chips = own.iter().map(|chip| chip.setting(self.folder()));
        // Such chips are netlists, which the gate engine runs.
        let engine = own.first().map(|_| "run.engine=gate".to_owned());
        let set = engine.into_iter().chain(self.changes.set.iter().cloned());
        unset.chain(set).chain(chips).collect()
    }

    /// The folder of files that the configuration names.
    fn folder(&self) -> &Path {
        match self.is_standard_input() {
            true => Path::new(""),
            false => self.file.parent().unwrap_or(Path::new(".")),
        }
    }

    fn read_sourced(&self, extra: &[String]) -> Result<SourcedConfig, Error> {
        let text = self.text()?;
        let folder = self.folder();
        let mut overrides = self.overrides();
        overrides.extend_from_slice(extra);
        let origin = self.origin();
        let config = Config::parse(&text, &origin, folder, &overrides);
        let config = config.and_then(|config| {
            config.check_files(&text, &origin, &overrides)?;
            Ok(config)
        });
        let config =
            config.map_err(|error| own_chips::with_option(error, &self.changes.chip, folder))?;
        own_chips::load(&config)?;
        Ok(SourcedConfig {
            config,
            source: ConfigSource {
                text,
                origin,
                overrides,
            },
        })
    }
}

impl ConfigArgs {
    /// The network alone: no `[traffic]` is needed, nor the trace that it names.
    fn read_network(&self) -> Result<NetworkConfig, Error> {
        let text = self.text()?;
        let folder = self.folder();
        let origin = self.origin();
        Config::parse_network(&text, &origin, folder, &self.overrides())
    }
}

impl SourcedConfig {
    /// Selects the signals of the network for a waveform, by the table `[wave]`.
    fn selection(&self, simulation: &Simulation) -> Result<Selection, Error> {
        let (wave, source) = (&self.config.wave, &self.source);
        Selection::new(simulation, wave, source, &mut Console).map_err(recording::failed)
    }
}

/// Fails for a replicate that a configuration does not have.
fn check_replicate(config: &Config, replicate: u32) -> Result<(), Error> {
    let replicates = config.run.replicates;
    if replicate < replicates {
        return Ok(());
    }
    let found = format!("found {replicate}; expected 0 to {}", replicates - 1);
    Err(usage("--replicate", found, "raise run.replicates"))
}

/// Writes lines to standard error, harmless ones as [`output::print`] does; a closed standard
/// error is no reason to fail. On a terminal, unless `NO_COLOR` is set, the words that begin
/// errors, warnings and advice are coloured.
fn say(text: &str) {
    let mut coloured = String::new();
    for line in escape::lines(text).lines() {
        let rest = line.trim_start();
        let indent = &line[..line.len() - rest.len()];
        let label = LABELS.iter().find(|(word, _)| {
            let after = rest.strip_prefix(word);
            after.is_some_and(|after| after.starts_with([':', '[']))
        });
        coloured += &match label {
            Some((word, style)) => {
                format!("{indent}{style}{word}{style:#}{}\n", &rest[word.len()..])
            }
            None => format!("{line}\n"),
        };
    }
    let _ = anstream::stderr().write_all(coloured.as_bytes());
}

/// Words that begin a line, and their colours.
const LABELS: [(&str, Style); 3] = [
    ("error", AnsiColor::Red.on_default().bold()),
    ("warning", AnsiColor::Yellow.on_default().bold()),
    ("help", AnsiColor::Cyan.on_default().bold()),
];

/// Warns of something that does not keep a command from going on.
fn warn(origin: &str, warning: &Diagnostic) {
    say(warning.as_warning(origin).trim_end());
}

/// Prints what was found in a file that did not keep it from being read.
fn warn_all(file: &Path, warnings: &[Diagnostic]) {
    let origin = file.display().to_string();
    warnings.iter().for_each(|warning| warn(&origin, warning));
}

/// The path from which an input is read: `-` is standard input.
fn input_path(path: &Path) -> &Path {
    match path.as_os_str() == "-" {
        true => Path::new(STANDARD_INPUT),
        false => path,
    }
}

/// The name of an input in messages.
fn input_name(path: &Path) -> String {
    match path.as_os_str() == "-" {
        true => "standard input".to_owned(),
        false => path.display().to_string(),
    }
}

/// Refuses two inputs that are one stream, such as a pipe, which can be read once only. Each
/// is given as (what the user calls it, path).
fn check_streams(inputs: &[(&str, &Path)]) -> Result<(), Error> {
    for (number, &(what, path)) in inputs.iter().enumerate() {
        let paths = |&&(_, other): &&(&str, &Path)| {
            file::is_one_stream(input_path(other), input_path(path))
        };
        if let Some((other, _)) = inputs[..number].iter().find(paths) {
            let message = format!(
                "{} is what {other} is read from, and can be read once only",
                input_name(path)
            );
            return Err(usage(what, message, "write one of them to a file first"));
        }
    }
    Ok(())
}

/// The features that were chosen when the program was built.
const FEATURES: &[&str] = match (cfg!(feature = "parquet"), cfg!(feature = "gpu")) {
    (true, true) => &["parquet", "gpu"],
    (true, false) => &["parquet"],
    (false, true) => &["gpu"],
    (false, false) => &[],
};

/// The command as clap has it, with the version as it is printed: the source's revision where it is
/// known, and the features.
fn command(revision: &str) -> clap::Command {
    let features = match FEATURES {
        [] => "none".to_owned(),
        features => features.join(", "),
    };
    let revision = if revision.is_empty() {
        "unknown"
    } else {
        revision
    };
    let version = env!("CARGO_PKG_VERSION");
    Cli::command().version(format!(
        "{version} (revision {revision}, features: {features})"
    ))
}

/// Runs the command and gives its exit code. `revision` names the source that the program was built
/// from; it is empty where that is not known.
pub fn main(revision: &str) -> ExitCode {
    if completion::answer(Cli::command) {
        return ExitCode::SUCCESS;
    }
    let parsed = command(revision).try_get_matches();
    let cli = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => {
            let is_wrong = error.use_stderr();
            let arguments = std::env::args_os().skip(1);
            let arguments = arguments.map(|argument| argument.to_string_lossy().into_owned());
            let arguments: Vec<String> = arguments.collect();
            let printed = arguments::print(error, &Cli::command(), &arguments);
            if is_wrong {
                return ExitCode::from(Class::Usage.exit_code());
            }
            // Help, or the version, that was asked for.
            let path = Path::new("standard output");
            return ended(printed.map_err(|error| Error::io(path, "writing", &error)));
        }
    };
    ended(execute(cli.command))
}

/// Says what went wrong, and gives the exit code.
fn ended(result: Result<(), Error>) -> ExitCode {
    let Err(error) = result else {
        return ExitCode::SUCCESS;
    };
    if error.class == Class::Pipe {
        // Ends the program as the signal does that it would have had of the closed pipe.
        #[cfg(unix)]
        let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGPIPE);
    } else {
        say(error.to_string().trim_end());
    }
    ExitCode::from(error.class.exit_code())
}

impl Command {
    /// The name of the command.
    fn name(&self) -> &'static str {
        match self {
            Command::Run(_) => "run",
            Command::Export(_) => "export",
            Command::Info(_) => "info",
            Command::Route(_) => "route",
            Command::Trace(_) => "trace",
            Command::View(_) => "view",
            Command::Signals(_) => "signals",
            Command::Replay(_) => "replay",
            Command::Show(_) => "show",
            Command::Compare(_) => "compare",
            Command::Component(_) => "component",
            Command::Coverage(_) => "coverage",
            Command::Faults(_) => "faults",
            Command::Activity(_) => "activity",
            Command::Diff(_) => "diff",
            Command::Netlist(_) => "netlist",
            Command::Check(_) => "check",
            Command::Figure(_) => "figure",
            Command::Report(_) => "report",
            Command::Sweep(_) => "sweep",
            Command::Schedule(_) => "schedule",
            Command::Oblivious(_) => "oblivious",
            Command::Keys(_) => "keys",
            Command::Fields(_) => "fields",
            Command::Init(_) => "init",
            Command::Man(_) => "man",
            Command::Reference(_) => "reference",
            Command::Headers(_) => "headers",
            Command::Completions { .. } => "completions",
        }
    }
}

fn execute(command: Command) -> Result<(), Error> {
    interrupt::catch(command.name());
    match command {
        Command::Run(args) => run::run(&args),
        Command::Export(args) => export::export(&args),
        Command::Info(args) => info::info(&args),
        Command::Route(args) => route::route(&args),
        Command::Trace(args) => trace::trace(&args),
        Command::View(args) => view::view(&args),
        Command::Signals(args) => signals::signals(&args),
        Command::Replay(args) => replay::replay(&args),
        Command::Show(args) => show::show(&args),
        Command::Compare(args) => compare::compare(&args),
        Command::Component(args) => component::component(&args),
        Command::Coverage(args) => coverage::coverage(&args),
        Command::Faults(args) => faults::faults(&args),
        Command::Activity(args) => activity::activity(&args),
        Command::Diff(args) => diff::diff(&args),
        Command::Netlist(args) => netlist::netlist(&args),
        Command::Check(args) => check::check(&args),
        Command::Figure(args) => figure::figure(&args),
        Command::Report(args) => report::report(&args),
        Command::Sweep(args) => sweep::sweep(&args),
        Command::Schedule(args) => schedule::schedule(&args),
        Command::Oblivious(args) => oblivious::oblivious(&args),
        Command::Keys(args) => reference::keys::keys(&args),
        Command::Fields(args) => reference::fields::fields(&args),
        Command::Init(args) => reference::init::init(&args),
        Command::Man(args) => reference::man(&args),
        Command::Reference(args) => reference::reference(&args),
        Command::Headers(args) => headers::headers(&args),
        Command::Completions { shell } => completion::print(shell),
    }
}

/// An error about the command line itself.
fn usage(place: &str, message: impl Into<String>, help: &str) -> Error {
    Error::one(
        Class::Usage,
        "command line",
        Diagnostic::new(place, message, help),
    )
}
