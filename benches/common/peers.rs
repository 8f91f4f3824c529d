//! Other simulators at their best: the model that they make of a network, in a program that does
//! nothing but drive it from a buffer.
//!
//! | file | holds |
//! |---|---|
//! | [`recording`] | the pins of a run, and what the nodes show |
//! | [`comparison`] | the models and the gate engine in turns |
//! | `peers/harness.cpp` | the program around a model |
//!
//! There is no test bench in Verilog, no host, no `--timing`, and no random bits are computed:
//! all pins of all cycles are in the buffer. The model is compiled with `-O3 -march=native`, by a compiler of C++
//! that is named.

pub mod comparison;
pub mod recording;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crosswave_chips::verilog;
use crosswave_network::Fabric;
use crosswave_network::verilog::{RouterOptions, structural};

use recording::Recording;

const HARNESS: &str = include_str!("peers/harness.cpp");

/// Options of the C++ compiler.
const CXXFLAGS: [&str; 2] = ["-O3", "-march=native"];

/// Options of Verilator.
const VERILATOR_FLAGS: [&str; 6] = [
    "-O3",
    "--x-assign",
    "fast",
    "--x-initial",
    "fast",
    "--noassert",
];

/// Another simulator.
#[derive(Debug, Clone)]
pub enum Tool {
    /// Verilator, and options besides the usual ones.
    Verilator {
        /// The program.
        program: PathBuf,
        /// Options.
        options: Vec<String>,
        /// The compiler of C++.
        compiler: PathBuf,
    },
    /// CXXRTL of Yosys.
    Cxxrtl {
        /// The program.
        program: PathBuf,
        /// The compiler of C++.
        compiler: PathBuf,
    },
}

/// The first line that a command prints.
pub fn first_line(command: &mut Command) -> String {
    let output = command.output();
    let output = output.unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().next().unwrap_or_default().trim().to_owned()
}

/// A compiler's name and version, and the options that it gets.
fn compiler_name(compiler: &Path) -> String {
    let version = first_line(Command::new(compiler).arg("--version"));
    format!("{version} {}", CXXFLAGS.join(" "))
}

impl Tool {
    /// Its name, version and flags.
    pub fn name(&self) -> String {
        match self {
            Tool::Verilator {
                program,
                options,
                compiler,
            } => {
                let version = verilator_version(program);
                let flags = VERILATOR_FLAGS.iter().copied();
                let flags: Vec<&str> = flags.chain(options.iter().map(String::as_str)).collect();
                let compiler = compiler_name(compiler);
                format!("{version}, {}; {compiler}", flags.join(" "))
            }
            Tool::Cxxrtl { program, compiler } => {
                let version = first_line(Command::new(program).arg("-V"));
                let compiler = compiler_name(compiler);
                format!("CXXRTL of {version}, write_cxxrtl -O6 -g0; {compiler}")
            }
        }
    }

    /// A name for a folder.
    fn folder(&self) -> String {
        let letters = |text: &str| -> String {
            let letters = text.chars().filter(|c| c.is_ascii_alphanumeric());
            letters.collect()
        };
        match self {
            Tool::Verilator {
                program,
                options,
                compiler,
            } => {
                let text = format!("{}{}", program.display(), options.concat());
                format!(
                    "verilator-{}-{}",
                    letters(&text),
                    letters(&compiler.display().to_string())
                )
            }
            Tool::Cxxrtl { program, compiler } => {
                let text = program.display().to_string();
                format!(
                    "cxxrtl-{}-{}",
                    letters(&text),
                    letters(&compiler.display().to_string())
                )
            }
        }
    }
}

/// The version as Verilator says it. A package of Python may not have its name and number; its headers do.
fn verilator_version(program: &Path) -> String {
    let said = first_line(verilator(program).arg("--version"));
    if said.starts_with("Verilator") {
        return said;
    }
    let root = program.parent().and_then(Path::parent);
    let header = root.map(|root| root.join("include/verilated_config.h"));
    let text = header.and_then(|header| fs::read_to_string(header).ok());
    let number = text.as_deref().and_then(|text| {
        let mut lines = text.lines();
        let line = lines.find(|line| line.contains("define VERILATOR_VERSION "))?;
        line.split('"').nth(1)
    });
    format!(
        "Verilator {} {said}",
        number.unwrap_or("of an unknown version")
    )
}

/// Verilator, told where its files are when they lie beside it, as in a package of Python.
fn verilator(program: &Path) -> Command {
    let mut command = Command::new(program);
    let root = program.parent().and_then(Path::parent);
    if let Some(root) = root.filter(|root| root.join("include/verilated.cpp").exists()) {
        command.env("VERILATOR_ROOT", root);
    }
    command
}

/// Runs a command that has to succeed; what it says goes to a file.
fn succeed(command: &mut Command, log: &Path) {
    let log_file = fs::File::create(log).expect("a folder to write to");
    let errors = log_file.try_clone().expect("the same file");
    let status = command.stdout(log_file).stderr(errors).status();
    let status = status.unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(
        status.success(),
        "{command:?} failed, see {}",
        log.display()
    );
}

/// A compiled model.
pub struct Model {
    program: PathBuf,
    folder: PathBuf,
    /// Seconds that it took to make the program from Verilog, when it was made.
    pub build_seconds: f64,
}

/// The file of a built model: its tool, and the seconds that it took to build.
const BUILT: &str = "built.txt";

impl Model {
    /// The model of a recorded network in a folder, compiled when it is not there yet.
    pub fn build(tool: &Tool, recording: &Recording, folder: &Path) -> Model {
        let folder = folder.join(tool.folder());
        let program = folder.join("harness");
        // The mark is written last, so that what was interrupted is built again, as is what another version built.
        let mark = folder.join(BUILT);
        let mark_text = fs::read_to_string(&mark).unwrap_or_default();
        let built = mark_text.split_once('\n');
        let known = built.filter(|(name, _)| *name == tool.name());
        let seconds = known.and_then(|(_, seconds)| seconds.trim().parse().ok());
        let build_seconds = seconds.unwrap_or_else(|| {
            let _ = fs::remove_dir_all(&folder);
            let sources = write_sources(&recording.fabric, &folder);
            fs::write(folder.join("harness.cpp"), HARNESS).expect("a folder to write to");
            let start = Instant::now();
            match tool {
                Tool::Verilator {
                    program,
                    options,
                    compiler,
                } => {
                    write(&folder, "peer.h", &verilator_header(recording));
                    verilate(program, options, compiler, recording.fabric.name, &folder);
                }
                Tool::Cxxrtl { program, compiler } => {
                    write(&folder, "peer.h", &cxxrtl_header(recording));
                    cxxrtl(program, compiler, recording.fabric.name, &sources, &folder);
                }
            }
            let seconds = start.elapsed().as_secs_f64();
            write(&folder, BUILT, &format!("{}\n{seconds}\n", tool.name()));
            eprintln!("{}: built in {seconds:.0} s", tool.name());
            seconds
        });
        Model {
            program,
            folder,
            build_seconds,
        }
    }

    /// Cycles per second over at least so many seconds.
    ///
    /// # Panics
    /// When the model's outputs are not those of the recording.
    pub fn cycles_per_second(&self, recording: &Recording, buffer: &Path, seconds: f64) -> f64 {
        let output = Command::new(&self.program)
            .arg(buffer)
            .args([recording.cycles(), recording.stride()].map(|number| number.to_string()))
            .arg(seconds.to_string())
            .output()
            .expect("the compiled model runs");
        assert!(output.status.success(), "{} failed", self.folder.display());
        let text = String::from_utf8(output.stdout).expect("digits");
        let (sum, rate) = text.trim().split_once(' ').expect("two numbers");
        let sum = u64::from_str_radix(sum, 16).expect("a checksum");
        assert_eq!(
            sum,
            recording.checksum,
            "{} shows else",
            self.folder.display()
        );
        rate.parse().expect("a number")
    }
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("a folder to write to");
}

/// Writes the network, its chips and their headers; the names of those that are modules.
fn write_sources(fabric: &Fabric, folder: &Path) -> Vec<String> {
    fs::create_dir_all(folder).expect("a folder to write to");
    let files = fabric.arrays.iter().flat_map(|array| array.chip.sources);
    let files: BTreeMap<&str, &str> = files.copied().collect();
    let network = format!("{}.v", fabric.name);
    write(folder, &network, &structural(fabric, RouterOptions::Pins));
    files
        .iter()
        .for_each(|(name, text)| write(folder, name, text));
    for (name, text) in verilog::headers() {
        write(folder, &name, &text);
    }
    let names = files.into_keys().filter(|name| name.ends_with(".v"));
    names.map(str::to_owned).chain([network]).collect()
}

fn verilate(program: &Path, options: &[String], compiler: &Path, top: &str, folder: &Path) {
    let compiler = compiler.display();
    let mut command = verilator(program);
    command
        .args([
            "--cc",
            "--exe",
            "--build",
            "-j",
            "2",
            "-Wno-fatal",
            "-Wno-lint",
        ])
        .args(VERILATOR_FLAGS)
        .args(options)
        .args(["-CFLAGS", &CXXFLAGS.join(" "), "-CFLAGS", "-I.."])
        // Code that runs once takes most of the compiler's time, and none of the run's.
        .args(["-MAKEFLAGS", "OPT_FAST=-O3", "-MAKEFLAGS", "OPT_SLOW=-O0"])
        // Whatever the package was made with.
        .args(["-MAKEFLAGS", &format!("CXX={compiler}")])
        .args(["-MAKEFLAGS", &format!("LINK={compiler}")])
        .args(["-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include"])
        .args(["--output-split", "20000", "--prefix", "Vpeer"])
        .args(["--top-module", top, "-y", ".", "-I.", "--Mdir", "objects"])
        .args(["-o", "../harness", &format!("{top}.v"), "harness.cpp"])
        .current_dir(folder);
    succeed(&mut command, &folder.join("log.txt"));
}

fn cxxrtl(yosys: &Path, compiler: &Path, top: &str, sources: &[String], folder: &Path) {
    let script = format!(
        "read_verilog -I. {}; hierarchy -top {top}; write_cxxrtl -O6 -g0 peer.cc",
        sources.join(" ")
    );
    let mut command = Command::new(yosys);
    command.args(["-q", "-p", &script]).current_dir(folder);
    succeed(&mut command, &folder.join("yosys.txt"));
    // The headers lie with the program's other files.
    let mut config = Command::new(yosys.with_file_name("yosys-config"));
    let output = config.args(["--datdir/include"]).output();
    let include = String::from_utf8(output.expect("yosys-config starts").stdout);
    let include = include.expect("a path").trim().to_owned();
    let mut command = Command::new(compiler);
    command
        .args(CXXFLAGS)
        .args([
            "-std=c++17",
            "-I.",
            "-I",
            &include,
            "-o",
            "harness",
            "harness.cpp",
        ])
        .current_dir(folder);
    succeed(&mut command, &folder.join("log.txt"));
}

/// `drive`: a copy for each input, as `at(name)` says where it lies in the model.
fn drive(recording: &Recording, at: impl Fn(&str) -> String) -> String {
    let mut text = "static void drive(Model &model, const char *pins) {\n".to_owned();
    let mut offset = 0;
    for bus in &recording.inputs {
        let place = at(&bus.name);
        writeln!(
            text,
            "  std::memcpy(&{place}, pins + {offset}, sizeof {place});"
        )
        .expect("a String takes all text");
        offset += 8 * bus.words();
    }
    text + "}\n"
}

/// `observe`: the sum with each output.
fn observe(recording: &Recording, at: impl Fn(&str) -> String) -> String {
    let mut text = "static uint64_t observe(const Model &model, uint64_t sum) {\n".to_owned();
    for bus in &recording.outputs {
        writeln!(text, "  sum = add(sum, {});", at(&bus.name)).expect("a String takes all text");
    }
    text + "  return sum;\n}\n"
}

/// `begin`: reset, the options and a low clock.
fn begin(recording: &Recording, set: impl Fn(&str, u64) -> String) -> String {
    let mut text = "static void begin(Model &model) {\n".to_owned();
    for (name, value) in [("clock", 0), ("reset", 1)]
        .iter()
        .chain(&recording.options)
    {
        writeln!(text, "  {};", set(name, *value)).expect("a String takes all text");
    }
    text + "}\n"
}

const ADD: &str = "template <class Port> static uint64_t add(uint64_t sum, const Port &port);\n";

fn verilator_header(recording: &Recording) -> String {
    let port = |name: &str| format!("model.{name}");
    let set = |name: &str, value: u64| format!("model.{name} = {value}");
    [
        "#include \"Vpeer.h\"\n#include \"verilated.h\"\n\nusing Model = Vpeer;\n",
        ADD,
        &begin(recording, set),
        &drive(recording, port),
        &observe(recording, port),
        "static void settle(Model &model) { model.eval(); }\n\
         static void end_reset(Model &model) { model.reset = 0; }\n\
         static void rise(Model &model) { model.clock = 1; model.eval(); }\n\
         static void fall(Model &model) { model.clock = 0; model.eval(); }\n",
    ]
    .concat()
}

fn cxxrtl_header(recording: &Recording) -> String {
    // An underscore is doubled.
    let name = |name: &str| format!("p_{}", name.replace('_', "__"));
    let input = |port: &str| format!("model.{}.data", name(port));
    let output = |port: &str| format!("bits(model.{})", name(port));
    let set = |port: &str, value: u64| format!("model.{}.data[0] = {value}", name(port));
    let model = format!("cxxrtl_design::{}", name(recording.fabric.name));
    [
        "#include \"peer.cc\"\n\n",
        &format!("using Model = {model};\n"),
        ADD,
        "template <size_t N> const auto &bits(const cxxrtl::value<N> &v) { return v.data; }\n\
         template <size_t N> const auto &bits(const cxxrtl::wire<N> &w) { return w.curr.data; }\n",
        &begin(recording, set),
        &drive(recording, input),
        &observe(recording, output),
        "static void settle(Model &model) { model.step(); }\n\
         static void end_reset(Model &model) { model.p_reset.data[0] = 0; }\n\
         static void rise(Model &model) { model.p_clock.data[0] = 1; model.step(); }\n\
         static void fall(Model &model) { model.p_clock.data[0] = 0; model.step(); }\n",
    ]
    .concat()
}
