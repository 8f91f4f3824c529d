//! Icarus Verilog and Verilator on this machine: the files of a design, run with a test bench.
//!
//! Both run in a folder of their own, which holds the sources as Yosys finds them, the test bench and its
//! inputs. A program that takes too long is ended.

use std::io::{self, ErrorKind, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::Frontend;
use super::sources::Sources;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file::TemporaryFolder;
use crosswave_base::threads;

/// The name of the module of a test bench, and the files that it reads and writes.
pub const TESTBENCH: &str = "crosswave_testbench";
/// The file that a test bench reads.
pub const INPUTS: &str = "inputs.hex";
/// The file that a test bench writes.
pub const OUTPUTS: &str = "outputs.bin";

/// The time that a program may take.
const SECONDS_MAX: u64 = 600;
/// The time between two looks at a program that runs.
const PAUSE: Duration = Duration::from_millis(10);
/// Bytes of its messages that are kept.
const SAID_MAX: u64 = 1 << 20;
/// Lines of its messages that are shown.
const LINES: usize = 6;

/// A simulator of Verilog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Simulator {
    /// Icarus Verilog, which computes with X.
    Icarus,
    /// Verilator, in which all begins at 0.
    Verilator,
}

/// A test bench, as it is run.
#[derive(Debug)]
pub struct TestBench<'a> {
    /// The text of the module [`TESTBENCH`].
    pub text: &'a str,
    /// The text of [`INPUTS`].
    pub inputs: &'a str,
}

/// A program that has ended.
struct Ended {
    status: ExitStatus,
    said: String,
}

impl Simulator {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Simulator::Icarus => "Icarus Verilog",
            Simulator::Verilator => "Verilator",
        }
    }

    fn refusal(self, class: Class, place: &str, message: String, help: &str) -> Error {
        Error::one(class, self.name(), Diagnostic::new(place, message, help))
    }

    /// Runs the sources with a test bench, and returns what it wrote to [`OUTPUTS`].
    ///
    /// # Errors
    /// When the program is missing, refuses the sources or takes too long.
    pub fn run(self, sources: &Sources, bench: &TestBench<'_>) -> Result<String, Error> {
        let fail = |error: std::io::Error| {
            let message = format!("a folder for {} cannot be written: {error}", self.name());
            self.refusal(Class::Io, "temporary folder", message, "make room in it")
        };
        let folder = TemporaryFolder::new().map_err(fail)?;
        sources.lay_out(&folder).map_err(fail)?;
        let file = format!("{TESTBENCH}.sv");
        folder.write(&file, bench.text.as_bytes()).map_err(fail)?;
        folder
            .write(INPUTS, bench.inputs.as_bytes())
            .map_err(fail)?;
        let mut compile = match self {
            Simulator::Icarus => icarus(sources),
            Simulator::Verilator => verilator(sources),
        };
        compile.args(sources.named()).arg(&file);
        let compiled = self.ended(&mut compile, &folder)?;
        if !compiled.status.success() {
            return Err(self.complaint(sources, &compiled.said));
        }
        let mut simulate = match self {
            Simulator::Icarus => Command::new("vvp"),
            Simulator::Verilator => Command::new(folder.path().join("build").join("simulation")),
        };
        if self == Simulator::Icarus {
            simulate.args(["-n", "simulation"]);
        }
        let simulated = self.ended(&mut simulate, &folder)?;
        if !simulated.status.success() {
            return Err(self.complaint(sources, &simulated.said));
        }
        folder.read_text(OUTPUTS).map_err(|error| {
            let message = format!("the simulation left no values: {error}");
            let help = "does the module end it with $finish, or wait for something?";
            self.refusal(Class::Input, "simulation", message, help)
        })
    }

    /// Runs a program in a folder.
    fn ended(self, command: &mut Command, folder: &TemporaryFolder) -> Result<Ended, Error> {
        let program = command.get_program().to_string_lossy().into_owned();
        let started = command
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = match started {
            Ok(child) => child,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let message = format!("there is no program {program} on the path");
                let help = match self {
                    Simulator::Icarus => "install the package `iverilog` of Debian or Ubuntu",
                    Simulator::Verilator => {
                        "install the package `verilator` of Debian or Ubuntu, 5.006 or newer, and `g++` and `make`"
                    }
                };
                return Err(self.refusal(Class::Io, "program", message, help));
            }
            Err(error) => {
                let message = format!("{program} does not run: {error}");
                return Err(self.refusal(Class::Io, "program", message, "install it anew"));
            }
        };
        // Pipes are read all the time, as a full one would stop the program.
        let out = child.stdout.take();
        let err = child.stderr.take();
        let readers = [
            out.map(|pipe| thread::Builder::new().spawn(|| read(pipe))),
            err.map(|pipe| thread::Builder::new().spawn(|| read(pipe))),
        ];
        let readers: io::Result<Vec<JoinHandle<String>>> = readers.into_iter().flatten().collect();
        let said = readers.map_err(|error| {
            let _ = child.kill().and_then(|()| child.wait());
            Error::one(Class::Io, "system", threads::not_started(&error))
        })?;
        let status = wait(&mut child);
        let said = said
            .into_iter()
            .filter_map(|reader| reader.join().ok())
            .collect();
        match status {
            Some(status) => Ok(Ended { status, said }),
            None => {
                let message = format!("{program} was ended after {SECONDS_MAX} s");
                let help = "compare fewer cycles with --cycles N";
                Err(self.refusal(Class::Input, "simulation", message, help))
            }
        }
    }

    /// The error of what a program said, with the files as they were named.
    fn complaint(self, sources: &Sources, said: &str) -> Error {
        let said = sources.as_named(said);
        let lines: Vec<&str> = said
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.contains("Warning"))
            .collect();
        let is_error = |line: &&str| line.to_lowercase().contains("error");
        let at = lines.iter().position(is_error).unwrap_or(0);
        let shown = &lines[at..lines.len().min(at + LINES)];
        let message = match shown.is_empty() {
            true => format!("{} ended without a word", self.name()),
            false => format!("{} says: {}", self.name(), shown.join("; ")),
        };
        let help = match self {
            Simulator::Icarus => {
                "Icarus Verilog reads less SystemVerilog than slang does; `--rtl verilator` reads more"
            }
            Simulator::Verilator => {
                "Verilator has to read the files that Yosys has read, from version 5.006 on"
            }
        };
        self.refusal(Class::Input, "sources", message, help)
    }
}

/// The program that compiles for Icarus Verilog.
/// True for Verilog-2005, in which words of SystemVerilog, such as `interface`, are names.
fn is_verilog(sources: &Sources) -> bool {
    let mut named = sources.named();
    sources.options.frontend == Frontend::Verilog && named.all(|name| name.ends_with(".v"))
}

fn icarus(sources: &Sources) -> Command {
    let mut command = Command::new("iverilog");
    let standard = if is_verilog(sources) {
        "-g2005"
    } else {
        "-g2012"
    };
    command.args([standard, "-s", TESTBENCH, "-o", "simulation"]);
    command.args(["-Y", ".v", "-Y", ".sv"]);
    for folder in sources.folder_names() {
        command.args([format!("-I{folder}"), format!("-y{folder}")]);
    }
    for (name, value) in &sources.options.defines {
        command.arg(format!("-D{name}={value}"));
    }
    command
}

/// The program that compiles for Verilator; its warnings are none of ours.
fn verilator(sources: &Sources) -> Command {
    let mut command = Command::new("verilator");
    command.args([
        "--binary",
        "--timing",
        "-Wno-fatal",
        "-Wno-lint",
        "-Wno-style",
        "-O3",
    ]);
    command.args(["-CFLAGS", "-O1", "-j", "0", "--timescale", "1ns/1ns"]);
    command.args([
        "--x-assign",
        "0",
        "--x-initial",
        "0",
        "--top-module",
        TESTBENCH,
    ]);
    command.args(["--Mdir", "build", "-o", "simulation", "+libext+.v+.sv"]);
    for folder in sources.folder_names() {
        command.args([format!("+incdir+{folder}"), "-y".to_owned(), folder]);
    }
    for (name, value) in &sources.options.defines {
        command.arg(format!("+define+{name}={value}"));
    }
    command
}

/// The text of a pipe, as far as it is kept.
fn read(mut pipe: impl Read) -> String {
    let mut said = Vec::new();
    let _ = pipe.by_ref().take(SAID_MAX).read_to_end(&mut said);
    let _ = std::io::copy(&mut pipe, &mut std::io::sink());
    String::from_utf8_lossy(&said).into_owned()
}

/// Waits for a program. `None` when it took too long, and was ended.
fn wait(child: &mut Child) -> Option<ExitStatus> {
    let end = Instant::now() + Duration::from_secs(SECONDS_MAX);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < end => thread::sleep(PAUSE),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    }
}
