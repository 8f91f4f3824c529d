//! A configuration as a directory of Verilog that other simulators run.
//!
//! | file | holds |
//! |---|---|
//! | `fat_tree.v`, `bidelta.v`, … | the network: instances and wires only, see [`structural`] |
//! | `testbench.v` | where there is one in Verilog ([`verilog_host`]): the host with its offers and rounds; else what replays the host of a run ([`replay`]); random pins, waveform |
//! | the chips and their headers | as in `hdl/` |
//! | `messages.csv` | for a host in Verilog: the messages, in order of source and then of id |
//! | `stimulus.csv` | else: what the host drives |
//! | `options.hex` | where the options of RN1 come through a scan chain: [`ScanChain`] |
//! | `plusargs.txt` | the options of this configuration, one a line |
//! | `run-icarus.sh`, `run-verilator.sh` | compile and run, and say how to compare with crosswave |
//! | `configuration.toml` | the same for `crosswave run`, which records what the test bench does |
//! | `component.toml` | the component file of a network of a designer's own routers, whose Verilog is beside |
//! | `trace.csv`, `tables.csv` | copies of the files that it names |
//! | `README.txt` | the commands |
//! | `crosswave.manifest` | what this program wrote, and may replace: see [`Folder`] |
//!
//! Network and test bench of a fat tree whose host is in Verilog depend only on nodes and link
//! delays: one compiled model serves every traffic, seed, strategy and router option. A test
//! bench that replays a run has the options of interfaces and routers as constants.
//!
//! The test bench drives what the host of the engines drives, so that every port of
//! every chip has the same value in every cycle.

pub mod replay;
pub mod router_tests;
mod testbench;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file::{Folder, FolderFile, input};
use crosswave_chips::{Chip, verilog};
use crosswave_network::topology::{Topology, VerilogHost};
use crosswave_network::traffic::Workload;
use crosswave_network::verilog::{NoScanChain, RouterOptions, ScanChain, scan_chain, structural};
use crosswave_run::config::{Config, WaveConfig};
use crosswave_run::host::End;
use crosswave_run::limit::cycles_max;
use crosswave_run::replicate::Replicate;

pub use testbench::testbench;

/// The Verilog files of chips, and then their headers: names and texts.
fn sources(chips: &[&Chip]) -> impl Iterator<Item = (String, String)> {
    let files = chips.iter().flat_map(|chip| chip.sources);
    let files: BTreeMap<&str, &str> = files.copied().collect();
    let included = |name: &String| {
        let quoted = format!("\"{name}\"");
        files.values().any(|text| text.contains(&quoted))
    };
    let headers: BTreeMap<String, String> = verilog::headers()
        .into_iter()
        .filter(|(name, _)| included(name))
        .collect();
    let files = files.into_iter();
    let files: Vec<(String, String)> = files
        .map(|(name, text)| (name.to_owned(), text.to_owned()))
        .collect();
    files.into_iter().chain(headers)
}

/// The messages that the test bench holds unless `CROSSWAVE_MESSAGES_MAX` says
/// otherwise.
const MESSAGES_DEFAULT: usize = 1 << 16;

/// An exported configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The files of its directory.
    pub files: Vec<FolderFile>,
    /// The cycle after which the run that the test bench replays was given up, if it was.
    pub given_up: Option<u64>,
}

/// The host in Verilog that can play the nodes, when there is one: none knows of deliveries
/// elsewhere.
pub fn verilog_host(network: &dyn Topology, workload: &Workload) -> Option<VerilogHost> {
    let host = network.verilog_host();
    host.filter(|_| workload.sets.is_empty())
}

/// Makes the files of the directory. `origin` names the configuration in the README.
///
/// # Errors
/// Those of [`traffic::build`](crosswave_network::traffic::build); and a scan chain where there is
/// none.
pub fn files(
    config: &Config,
    origin: &str,
    router_options: RouterOptions,
) -> Result<Exported, Error> {
    let network = config.topology();
    let fabric = network.fabric();
    let scanned = match router_options {
        RouterOptions::Pins => None,
        RouterOptions::ScanChain => Some(scan_chain(&fabric).map_err(no_chain)?),
    };
    let mut given_up = None;
    let workload = Replicate::new(config, 0)?.workload;
    let host = verilog_host(&*network, &workload);
    let (testbench, input, defines, options) = match &host {
        Some(host) => {
            let input = ("messages", messages(&workload));
            let defines = defines(workload.messages.len());
            let most = cycles_max(config, &*network, &fabric, &workload);
            let options = plusargs(config, Some(host), most);
            (testbench(&fabric, host), input, defines, options)
        }
        None => {
            let (stimulus, outcome) = replay::stimulus(config)?;
            given_up = (outcome.end == End::OutOfCycles).then_some(outcome.last_cycle);
            let input = ("stimulus", stimulus);
            let options = plusargs(config, None, outcome.last_cycle);
            (
                replay::testbench(&fabric, router_options),
                input,
                String::new(),
                options,
            )
        }
    };
    let seed = match host.is_some() && !config.traffic.is_drawn() {
        true => String::new(),
        false => config.run.seed.to_string(),
    };
    let sources = sources(network.chip_family());
    let sources = sources.map(|(name, text)| FolderFile::new(name, text));
    // Modules are found by the names of files, but for those in a designer's own.
    let own = network.components();
    let defines_of_own = own.iter().flat_map(|component| &component.defines);
    let defines_of_own = defines_of_own.map(|(name, value)| format!("-D{name}={value}"));
    let files_of_own = own.iter().flat_map(|component| &component.files);
    let files_of_own = files_of_own.map(|(name, _)| (*name).to_owned());
    let mut own_files: Vec<String> = Vec::new();
    for word in defines_of_own.chain(files_of_own) {
        let word = shell_word(&word) + " ";
        if !own_files.contains(&word) {
            own_files.push(word);
        }
    }
    let own_files = own_files.concat();
    let reset = own.iter().map(|component| component.reset_cycles).max();
    let diff_options = reset.map_or("diff_options=\n".to_owned(), |cycles| {
        format!(
            "# Resets of a designer's own may act at once; crosswave has X in cycle 0 only. Registers of the falling\n\
             # edge change within a cycle, and crosswave shows what they are at its end.\n\
             diff_options='--cycle-ends --window {cycles}..'\n"
        )
    });
    let cycle_ends = reset.map_or("", |_| " --cycle-ends");
    // The chain is filled in no time, and Verilator has to be told how often something happens in it.
    let (scan_words, scan_rounds) = match &scanned {
        None => (["", ""], String::new()),
        Some(chain) => {
            let beats = chain.places + 2;
            let words = ["+options=/dev/fd/4 ", " 4< \"${here}options.hex\""];
            (words, format!("--converge-limit {} ", 4 * beats))
        }
    };
    // Outputs that depend on inputs in the same cycle cost Verilator speed, and nothing else.
    let verilator_options = match own.is_empty() {
        true => scan_rounds,
        false => format!("{scan_rounds}-Wno-UNOPTFLAT "),
    };
    let options_line = match &scanned {
        None => "",
        Some(_) => "options.hex      the options of the routers, as they enter the scan chain\n",
    };
    let script = |template: &str| {
        template
            .replace("@compare@\n", include_str!("export/compare.sh"))
            .replace("@defines@", &defines)
            .replace("@own_files@", &own_files)
            .replace("@diff_options@\n", &diff_options)
            .replace("@cycle_ends@", cycle_ends)
            .replace("@seed@", &seed)
            .replace("@input@", input.0)
            .replace("@options@", scan_words[0])
            .replace("@options_file@", scan_words[1])
            .replace("@verilator_options@", &verilator_options)
    };
    let mut files: Vec<FolderFile> = sources.collect();
    files.extend([
        FolderFile::new(
            format!("{}.v", fabric.name),
            structural(&fabric, router_options),
        ),
        FolderFile::new("testbench.v", testbench),
        FolderFile::new("plusargs.txt", options),
        FolderFile::script(
            "run-icarus.sh",
            script(include_str!("export/run-icarus.sh")),
        ),
        FolderFile::script(
            "run-verilator.sh",
            script(include_str!("export/run-verilator.sh")),
        ),
        FolderFile::new(
            "README.txt",
            readme(config, origin, fabric.name, host.is_some(), options_line),
        ),
        FolderFile::new(format!("{}.csv", input.0), input.1),
    ]);
    if let Some(ScanChain {
        options,
        source: (name, text),
        ..
    }) = scanned
    {
        files.push(FolderFile::new(name, text));
        files.push(FolderFile::new("options.hex", options));
    }
    files.extend(configuration(config)?);
    Ok(Exported { files, given_up })
}

/// The scan chain of a configuration's network.
///
/// # Errors
/// When it has none.
pub fn scan_chain_of(config: &Config) -> Result<ScanChain, Error> {
    scan_chain(&config.topology().fabric()).map_err(no_chain)
}

fn no_chain(NoScanChain { why, help }: NoScanChain) -> Error {
    let diagnostic = Diagnostic::new("--scan-chain", why, help);
    Error::one(Class::Usage, "command line", diagnostic)
}

/// A word of a shell, whatever is in it.
fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-=/+".contains(c);
    match text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// The configuration that records what the test bench does, and the files that it names. What
/// can be read only once, such as a pipe, is named as it is.
fn configuration(config: &Config) -> Result<Vec<FolderFile>, Error> {
    let mut recorded = config.clone();
    recorded.run.replicates = 1;
    // The test bench dumps the ports of chips, and crosswave shows connections besides.
    recorded.wave = WaveConfig {
        scopes: vec!["testbench.network".into()],
        random_pins: true,
        ..WaveConfig::default()
    };
    let text = recorded.to_toml();
    let mut table: toml::Table = text.parse().expect("what is written can be read");
    let routing = config.network.routing();
    let tables = routing.and_then(|routing| routing.file);
    let named = [
        ("traffic", "trace", config.trace_file(), "trace.csv"),
        ("traffic", "matrix", config.matrix_file(), "matrix.csv"),
        ("network", "tables", tables.as_deref(), "tables.csv"),
    ];
    let mut files = Vec::new();
    for (section, key, path, name) in named {
        let Some(path) = path.filter(|path| path.is_file()) else {
            continue;
        };
        files.push(FolderFile::new(name, input::read(path, input::TRACE)?));
        if let Some(toml::Value::Table(section)) = table.get_mut(section) {
            section.insert(key.to_owned(), name.into());
        }
    }
    let topology = config.topology();
    let mut components = Vec::new();
    for (number, component) in (1..).zip(topology.components()) {
        let name = match number {
            1 => "component.toml".to_owned(),
            _ => format!("component_{number}.toml"),
        };
        components.push(toml::Value::from(&*name));
        files.push(FolderFile::new(name, component.text_beside_files()));
    }
    if let Some(toml::Value::Table(section)) = table.get_mut("network")
        && let Some(first) = components.first()
    {
        let value = match &components[..] {
            [_] => first.clone(),
            _ => toml::Value::Array(components),
        };
        section.insert("component".to_owned(), value);
        for (key, path, name) in config.network.files() {
            files.push(FolderFile::new(name, input::read(&path, input::STRUCTURE)?));
            section.insert(key.to_owned(), name.into());
        }
    }
    files.push(FolderFile::new("configuration.toml", table.to_string()));
    Ok(files)
}

/// Writes the directory `dir`, with options by pins, and makes it when it is not there. Returns
/// [`Exported::given_up`].
///
/// # Errors
/// Those of [`files`] and of [`Folder::write`]: files there that this program did not write
/// are not replaced.
pub fn write(config: &Config, origin: &str, dir: &Path) -> Result<Option<u64>, Error> {
    let Exported { files, given_up } = files(config, origin, RouterOptions::Pins)?;
    Folder::new("the folder of the export", dir)?.write(&files)?;
    Ok(given_up)
}

/// The messages as the test bench reads them.
pub fn messages(workload: &Workload) -> String {
    let mut text = String::from("source,destination,words,offered_cycle\n");
    let queues = workload.by_source();
    for source in 0..workload.nodes {
        for &id in queues.of(source) {
            let message = &workload.messages[id as usize];
            let offered = message.offered.earliest();
            writeln!(
                text,
                "{source},{},{},{offered}",
                message.destination, message.words
            )
            .expect("a String takes all text");
        }
    }
    text
}

/// The options of the test bench, one a line; its input file is not among them. A run whose
/// host is in Verilog is given up after `cycles_max` cycles.
pub fn plusargs(config: &Config, host: Option<&VerilogHost>, cycles_max: u64) -> String {
    let seed = config.run.seed;
    match host {
        Some(host) => format!("+seed={seed}\n{}+cycles_max={cycles_max}\n", host.options),
        None => format!("+seed={seed}\n"),
    }
}

/// The macro that makes room for many messages; empty when they fit anyway.
fn defines(messages: usize) -> String {
    if messages <= MESSAGES_DEFAULT {
        String::new()
    } else {
        format!("-DCROSSWAVE_MESSAGES_MAX={messages} ")
    }
}

fn readme(config: &Config, origin: &str, network: &str, has_host: bool, options: &str) -> String {
    let template = match has_host {
        true => include_str!("export/README.txt"),
        false => include_str!("export/README-replay.txt"),
    };
    template
        .replace("@origin@", origin)
        .replace("@options_line@", options)
        .replace("@title@", config.network.kind().title)
        .replace("@network@", &format!("{:<17}", format!("{network}.v")))
        .replace("@version@", env!("CARGO_PKG_VERSION"))
        .replace("@nodes@", &config.network.nodes().to_string())
}
