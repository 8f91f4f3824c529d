//! The command line: arguments, terminal output, exit codes. Nothing else in
//! the crate prints or exits.
//!
//! | file | command |
//! |---|---|
//! | `run` | `crosswave run` |
//! | `info` | `crosswave info` |
//! | `show` | `crosswave show` |
//! | `netlist` | `crosswave netlist` |
//! | `check` | `crosswave check` |
//! | `figure` | `crosswave figure` |
//! | `report` | `crosswave report` |
//! | `output` | files and standard output |
//! | `progress` | progress on a terminal, and interruption |
//! | `summary` | the table that a run ends with |

mod check;
mod figure;
mod info;
mod netlist;
mod output;
mod progress;
mod report;
mod run;
mod show;
mod summary;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser, Subcommand};

use crate::diagnostic::{Class, Diagnostic, Report};
use crate::experiment::config::Config;
use crate::file;
use crate::{chip, experiment};

/// Cycle-accurate simulation of circuit-switched fat trees and bidelta networks, from their gate
/// netlists or from register-level models.
#[derive(Debug, Parser)]
#[command(name = "crosswave", version, arg_required_else_help = true)]
#[command(
    after_help = "Exit codes: 0 fine, 1 a check failed, 2 usage or configuration, \
                        3 bad design or input file, 4 reading or writing failed."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a configuration
    #[command(after_help = "Example:\n  crosswave run examples/fft64.toml --vcd fft64.vcd")]
    Run(run::RunArgs),
    /// Write the network and a test bench as Verilog
    #[command(
        after_help = "Example:\n  crosswave export examples/diameter16.toml --verilog out\n  \
                            sh out/run-icarus.sh"
    )]
    Export(ExportArgs),
    /// Sizes, levels, clocks and memory of a configuration
    #[command(
        after_help = "Example:\n  crosswave info examples/fft64.toml --set network.nodes=1024"
    )]
    Info(info::InfoArgs),
    /// Draw a waveform file in the terminal or as SVG
    #[command(
        after_help = "Example:\n  crosswave show fft64.vcd --scope '**.router_0_0' --window 0..20"
    )]
    Show(show::ShowArgs),
    /// Run a gate netlist that Yosys wrote
    #[command(
        after_help = "Example:\n  crosswave netlist examples/systolic/systolic.json \\\n    \
                        --stimulus examples/systolic/stimulus.csv --vcd systolic.vcd"
    )]
    Netlist(netlist::NetlistArgs),
    /// Compare what papers print with their formulas and with simulation
    #[command(after_help = "Example:\n  crosswave check dehon1990 --json check.json")]
    Check(check::CheckArgs),
    /// Draw figures from formulas and simulation
    #[command(after_help = "Example:\n  crosswave figure dehon1990-4.19 --out figures")]
    Figure(figure::FigureArgs),
    /// Simulate what a paper shows, and write a page with its figures and tables beside it
    #[command(after_help = "Example:\n  crosswave report strumpen2005 --quick --out report")]
    Report(report::ReportArgs),
    /// Write the Verilog headers that come from the port tables
    #[command(after_help = "Example:\n  crosswave headers hdl/include")]
    Headers {
        /// Folder to write to
        folder: PathBuf,
    },
    /// Print the completions of a shell
    #[command(
        after_help = "Example:\n  crosswave completions bash > ~/.local/share/bash-completion/completions/crosswave"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// A configuration file and what overrides it.
#[derive(Debug, Args)]
struct ConfigArgs {
    /// Configuration (TOML)
    file: PathBuf,
    /// Set a key, as in --set network.nodes=256; may be given again
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
}

/// A configuration with where it came from, for what is found wrong with it later.
struct SourcedConfig {
    config: Config,
    text: String,
    origin: String,
    overrides: Vec<String>,
}

impl ConfigArgs {
    fn read(&self, extra: &[String]) -> Result<Config, Report> {
        Ok(self.read_sourced(extra)?.config)
    }

    fn read_sourced(&self, extra: &[String]) -> Result<SourcedConfig, Report> {
        let bytes =
            std::fs::read(&self.file).map_err(|error| Report::io(&self.file, "reading", &error))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..at]
                .iter()
                .filter(|&&byte| byte == b'\n')
                .count()
                + 1;
            Report::one(
                Class::Usage,
                self.file.display().to_string(),
                Diagnostic::new(
                    format!("line {line}"),
                    "found bytes that are not UTF-8; a configuration is TOML, which is UTF-8 text",
                    "save the file as UTF-8",
                ),
            )
        })?;
        let folder = self.file.parent().unwrap_or(Path::new("."));
        let mut overrides = self.overrides.clone();
        overrides.extend_from_slice(extra);
        let origin = self.file.display().to_string();
        Ok(SourcedConfig {
            config: Config::parse(&text, &origin, folder, &overrides)?,
            text,
            origin,
            overrides,
        })
    }
}

#[derive(Debug, Args)]
struct ExportArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Folder to write to; made when missing
    #[arg(long, value_name = "DIR")]
    verilog: PathBuf,
}

/// Nodes of the largest network that is exported.
const EXPORT_NODES_MAX: u32 = 1 << 14;

/// Writes one line to standard error; a closed standard error is no reason to fail.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Runs the command and gives its exit code.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let printed = error.print().and_then(|()| std::io::stdout().flush());
            if error.use_stderr() {
                return ExitCode::from(Class::Usage.exit_code());
            }
            // Help, or the version, that was asked for.
            let report = match printed {
                Ok(()) => return ExitCode::SUCCESS,
                Err(error) => Report::io(Path::new("standard output"), "writing", &error),
            };
            say(report.to_string().trim_end());
            return ExitCode::from(report.class.exit_code());
        }
    };
    match execute(cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(report) => {
            say(report.to_string().trim_end());
            ExitCode::from(report.class.exit_code())
        }
    }
}

fn execute(command: Command) -> Result<(), Report> {
    match command {
        Command::Run(args) => run::run(&args),
        Command::Export(args) => {
            let config = args.config.read(&[])?;
            if config.network.nodes > EXPORT_NODES_MAX {
                return Err(usage(
                    "export",
                    format!(
                        "the network has {} nodes, and at most {EXPORT_NODES_MAX} are exported: \
                         other simulators take hours to compile more",
                        config.network.nodes
                    ),
                    "export a smaller network, as with --set network.nodes=64",
                ));
            }
            let origin = args.config.file.display().to_string();
            if !experiment::export::write(&config, &origin, &args.verilog)? {
                say(&format!(
                    "warning: run.cycles_max: the run was given up after cycle {}, and the \
                     stimulus ends there\n  help: raise run.cycles_max",
                    config.run.cycles_max
                ));
            }
            if std::io::stderr().is_terminal() {
                say(&format!("wrote {}", args.verilog.display()));
            }
            Ok(())
        }
        Command::Info(args) => info::info(&args),
        Command::Show(args) => show::show(&args),
        Command::Netlist(args) => netlist::netlist(&args),
        Command::Check(args) => check::check(&args),
        Command::Figure(args) => figure::figure(&args),
        Command::Report(args) => report::report(&args),
        Command::Headers { folder } => {
            std::fs::create_dir_all(&folder)
                .map_err(|error| Report::io(&folder, "making the folder", &error))?;
            for (name, text) in chip::verilog::headers() {
                file::write(&folder.join(name), |out| out.write_all(text.as_bytes()))?;
            }
            Ok(())
        }
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "crosswave", &mut text);
            output::print(&text)
        }
    }
}

/// A report about the command line itself.
fn usage(place: &str, message: impl Into<String>, help: &str) -> Report {
    Report::one(
        Class::Usage,
        "command line",
        Diagnostic::new(place, message, help),
    )
}
