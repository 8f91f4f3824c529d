//! Helpers of the tests that run networks on several engines, or the exported Verilog
//! in other simulators.
//!
//! A network is exported and compiled once, into a directory of its own, and
//! the compiled model is run many times with other plusargs.

pub mod cases;
pub mod chips;
pub mod designs;
pub mod lockstep;
pub mod plain_host;
pub mod plain_vcd;
pub mod process;
pub mod rn1;
pub mod rn1_neighbours;
pub mod routers;
pub mod scenario;

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;

use crosswave_network::Fabric;
use crosswave_observe::export;
use crosswave_probe::engine::Engine;
use crosswave_run::config::Config;
use crosswave_run::host::Outcome;
use crosswave_run::observer::Observer;
use crosswave_run::simulation::Simulation;

/// A configuration and its network.
pub struct Case {
    pub config: Config,
    pub fabric: Fabric,
}

impl Case {
    pub fn new(text: &str) -> Case {
        let config = config(text);
        let fabric = config.topology().fabric();
        Case { config, fabric }
    }

    /// Runs the configuration's workload on an engine of the network.
    pub fn run_on(&self, engine: &mut dyn Engine, observer: &mut dyn Observer) -> Outcome {
        let simulation = Simulation::new(&self.config).expect("a legal configuration");
        let replicate = simulation.replicate(0);
        let workload = replicate.unwrap_or_else(|e| panic!("{e}")).workload;
        simulation.run_on(engine, &workload, observer)
    }
}

/// A compiled network of another simulator.
#[derive(Debug, Clone)]
pub struct Model {
    /// The program and its first arguments.
    command: Vec<PathBuf>,
    /// The text that the compiler printed.
    pub diagnostics: String,
}

/// The summary that the test bench printed at the end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// The last cycle.
    pub cycles: u64,
    /// Messages received.
    pub delivered: u64,
    /// Attempts rejected.
    pub collisions: u64,
}

/// Runs a command that has to succeed.
///
/// # Panics
/// When the program is missing or fails.
pub fn finish(command: &mut Command) -> Output {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}; install it to run this test"));
    assert!(
        output.status.success(),
        "{command:?} failed with {}:\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    output
}

/// The standard output of a command that has to succeed.
pub fn finished_text(command: &mut Command) -> String {
    String::from_utf8_lossy(&finish(command).stdout).into_owned()
}

fn printed(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// Compiles an exported directory with Icarus Verilog, all warnings on.
pub fn build_icarus(dir: &Path) -> Model {
    let target = dir.join("testbench.vvp");
    let output = finish(
        Command::new("iverilog")
            .args(["-g2012", "-Wall", "-Wno-timescale", "-s", "testbench", "-y"])
            .arg(dir)
            .arg("-I")
            .arg(dir)
            .arg("-o")
            .arg(&target)
            .arg(dir.join("testbench.v")),
    );
    Model {
        command: vec!["vvp".into(), "-n".into(), target],
        diagnostics: printed(&output),
    }
}

/// The files that Verilator adds to every program, compiled: file names and contents. All programs
/// are built with the same options, so the first one's serve all.
static VERILATOR_RUNTIME: Mutex<Vec<(OsString, Vec<u8>)>> = Mutex::new(Vec::new());

/// Compiles an exported directory with Verilator, with waveforms. The compiled
/// program is slow and soon built.
pub fn build_verilator(dir: &Path) -> Model {
    let objects = dir.join("verilated");
    let mut include = OsString::from("-I");
    include.push(dir);
    finish(
        Command::new("verilator")
            .args(["--cc", "--exe", "--main", "--timing"])
            .args(["--trace", "--trace-depth", "3", "-O3"])
            .args(["--timescale", "1ns/1ns", "--top-module", "testbench", "-y"])
            .arg(dir)
            .arg(&include)
            .arg("--Mdir")
            .arg(&objects)
            .arg(dir.join("testbench.v")),
    );
    let runtime = || {
        VERILATOR_RUNTIME
            .lock()
            .expect("files are read without a panic")
    };
    for (name, object) in runtime().iter() {
        fs::write(objects.join(name), object).unwrap();
    }
    // The compiler optimises nothing, and reads the headers once.
    finish(
        Command::new("make")
            .args(["-j2", "-f", "Vtestbench.mk", "VM_PARALLEL_BUILDS=0"])
            .args(["OPT_FAST=-O0", "OPT_SLOW=-O0", "OPT_GLOBAL=-O0"])
            .current_dir(&objects),
    );
    let mut runtime = runtime();
    if runtime.is_empty() {
        let files = fs::read_dir(&objects).unwrap().map(|file| file.unwrap());
        let is_runtime = |name: &OsString| {
            let name = name.to_string_lossy();
            name.starts_with("verilated") && name.ends_with(".o")
        };
        let named = files.map(|file| (file.file_name(), file.path()));
        let named = named.filter(|(name, _)| is_runtime(name));
        runtime.extend(named.map(|(name, path)| (name, fs::read(path).unwrap())));
        assert!(!runtime.is_empty(), "Verilator has a runtime");
    }
    Model {
        command: vec![objects.join("Vtestbench")],
        diagnostics: String::new(),
    }
}

/// The warnings of Verilator for the module `top` of an exported directory, all warnings on; empty
/// when it is clean.
pub fn lint_verilator(dir: &Path, top: &str) -> String {
    let mut include = std::ffi::OsString::from("-I");
    include.push(dir);
    let mut command = Command::new("verilator");
    command
        .args(["--lint-only", "-Wall", "--timing", "--top-module", top])
        .arg("-y")
        .arg(dir)
        .arg(&include);
    if top == "testbench" {
        command.args(["--timescale", "1ns/1ns"]);
    }
    printed(&finish(command.arg(dir.join(format!("{top}.v")))))
}

/// Runs a compiled network. Each of `plusargs` is a whole argument, `+` first.
///
/// # Panics
/// When the simulator fails or prints no summary.
pub fn run(model: &Model, plusargs: &[String]) -> Summary {
    let line = summary(model, plusargs);
    Summary {
        cycles: field(&line, "cycles="),
        delivered: field(&line, "delivered="),
        collisions: field(&line, "collisions="),
    }
}

/// Runs a compiled network as [`run`] does, and gives the last cycle only: a test bench
/// that replays a run knows no more.
pub fn run_cycles(model: &Model, plusargs: &[String]) -> u64 {
    field(&summary(model, plusargs), "cycles=")
}

/// The line that a test bench prints at the end.
fn summary(model: &Model, plusargs: &[String]) -> String {
    let output = finish(
        Command::new(&model.command[0])
            .args(&model.command[1..])
            .args(plusargs),
    );
    let text = printed(&output);
    let line = text.lines().find(|line| line.starts_with("cycles="));
    line.unwrap_or_else(|| panic!("no summary in:\n{text}"))
        .to_owned()
}

fn field(line: &str, name: &str) -> u64 {
    line.split(' ')
        .find_map(|field| field.strip_prefix(name)?.parse().ok())
        .unwrap_or_else(|| panic!("no {name} in {line}"))
}

/// A configuration from its TOML text.
pub fn config(text: &str) -> Config {
    Config::parse(text, "test", Path::new("."), &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// The options of a configuration for a compiled network with the same nodes
/// and delays; what its test bench reads, messages or stimulus, is written to `input`.
pub fn plusargs(config: &Config, input: &Path) -> Vec<String> {
    let simulation = Simulation::new(config).expect("a legal configuration");
    let replicate = simulation.replicate(0);
    let workload = replicate.unwrap_or_else(|error| panic!("{error}")).workload;
    let host = export::verilog_host(simulation.network(), &workload);
    let (name, text) = match &host {
        Some(_) => ("messages", export::messages(&workload)),
        None => {
            let stimulus = export::replay::stimulus(config);
            ("stimulus", stimulus.unwrap_or_else(|e| panic!("{e}")).0)
        }
    };
    std::fs::write(input, text).expect("a temporary file");
    let mut all = vec![format!("+{name}={}", input.display())];
    let options = export::plusargs(config, host.as_ref(), simulation.cycles_max(&workload));
    all.extend(options.lines().map(str::to_owned));
    all
}

/// One port of one chip: array, instance, port.
pub type PortId = (usize, usize, usize);

/// The ports of all chips of a waveform at each time at which one changed.
#[derive(Debug, Clone)]
pub struct Waveform {
    /// All ports, in order.
    pub ports: Vec<PortId>,
    /// Per time, the value of every port; `None` where a bit is X or Z.
    pub times: Vec<(u64, Vec<Option<u64>>)>,
    /// The last time in the file.
    pub end: u64,
}

/// Reads the ports of the chips from a VCD file that a test bench wrote;
/// everything else in it is passed over.
///
/// # Panics
/// When the file is not VCD or a port is missing.
pub fn read_vcd(path: &Path, fabric: &Fabric) -> Waveform {
    // The scopes may be opened several times; collect them by instance name.
    let mut codes: HashMap<(String, String), vcd::IdCode> = HashMap::new();
    let mut body = Vec::new();
    let mut scopes: Vec<String> = Vec::new();
    let file = std::fs::File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    for command in vcd::Parser::new(BufReader::new(file)) {
        match command.expect("VCD") {
            vcd::Command::ScopeDef(_, name) => scopes.push(name),
            vcd::Command::Upscope => {
                scopes.pop();
            }
            vcd::Command::VarDef(_, _, code, name, _) => {
                let place = scopes.iter().position(|scope| scope == "network");
                if let Some(place) = place
                    && scopes.len() == place + 2
                {
                    codes.insert((scopes[place + 1].clone(), name), code);
                }
            }
            other => body.push(other),
        }
    }

    let mut ports = Vec::new();
    let mut of_code: HashMap<vcd::IdCode, Vec<usize>> = HashMap::new();
    for (array, chips) in fabric.arrays.iter().enumerate() {
        for instance in 0..chips.instances {
            let name = fabric.instance_name(array, instance);
            for (port, table) in chips.chip.ports.iter().enumerate() {
                let code = codes
                    .get(&(name.clone(), table.name.to_owned()))
                    .unwrap_or_else(|| panic!("no {name}.{} in the VCD", table.name));
                of_code.entry(*code).or_default().push(ports.len());
                ports.push((array, instance, port));
            }
        }
    }

    let mut times: Vec<(u64, Vec<Option<u64>>)> = Vec::new();
    let mut values = vec![None; ports.len()];
    let (mut time, mut changed) = (0, false);
    for command in body {
        let (code, value) = match command {
            vcd::Command::Timestamp(next) => {
                if changed {
                    times.push((time, values.clone()));
                }
                (time, changed) = (next, false);
                continue;
            }
            vcd::Command::ChangeScalar(code, value) => (code, number(std::iter::once(value))),
            vcd::Command::ChangeVector(code, value) => (code, number(value.iter())),
            _ => continue,
        };
        for &port in of_code.get(&code).into_iter().flatten() {
            values[port] = value;
            changed = true;
        }
    }
    if changed {
        times.push((time, values));
    }
    Waveform {
        ports,
        times,
        end: time,
    }
}

fn number(mut bits: impl Iterator<Item = vcd::Value>) -> Option<u64> {
    bits.try_fold(0, |number, bit| match bit {
        vcd::Value::V0 => Some(number << 1),
        vcd::Value::V1 => Some(number << 1 | 1),
        vcd::Value::X | vcd::Value::Z => None,
    })
}
