//! The figures of `docs/performance.md` and of the README's table, measured on this machine.
//!
//! `cargo bench --bench performance -- [--write] [--rounds N] [--networks KIND=NODES,...]
//! [--verilator PATH]... [--compiler PATH]...`
//!
//! `docs/performance.sh` calls it with the peers that it finds. What is compared takes turns: in each round
//! everything runs once. With `--write` the page and the README's table are written; without it, the page is
//! printed. The program is built with the profile of benches, which is that of `dist`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crosswave_gate::Backend;

mod common;

use common::machine::Machine;
use common::peers::comparison::{HEADER, Row, compare, tools};
use common::peers::first_line;
use common::{median, option, spread, table};

/// The program.
const CROSSWAVE: &str = env!("CARGO_BIN_EXE_crosswave");

/// The lines of the README around its table of figures.
const README_BORDERS: [&str; 2] = ["<!-- figures -->\n", "<!-- end of figures -->\n"];

/// The time and the memory of a process.
#[derive(Clone, Copy)]
struct Taken {
    /// From its start to its end.
    seconds: f64,
    /// The most memory that it had.
    bytes: u64,
}

/// The same of a command in each round.
#[derive(Default)]
struct Series(Vec<Taken>);

impl Series {
    fn seconds(&self) -> Vec<f64> {
        self.0.iter().map(|taken| taken.seconds).collect()
    }

    fn median(&self) -> f64 {
        median(&self.seconds())
    }

    /// Median, lowest and highest; milliseconds where it takes less than a tenth of a second.
    fn text(&self) -> String {
        let seconds = self.seconds();
        match self.median() < 0.1 {
            true => {
                let milliseconds: Vec<f64> = seconds.iter().map(|seconds| 1e3 * seconds).collect();
                format!("{} ms", spread(&milliseconds, 1))
            }
            false => format!("{} s", spread(&seconds, 2)),
        }
    }

    /// The most memory, in MiB.
    fn mebibytes(&self) -> String {
        let bytes = self.0.iter().map(|taken| taken.bytes).max();
        (bytes.unwrap_or(0) >> 20).to_string()
    }

    /// The time of another one to this, round by round.
    fn ratio_to(&self, other: &Series) -> String {
        let pairs = self.0.iter().zip(&other.0);
        let ratios: Vec<f64> = pairs
            .map(|(own, other)| other.seconds / own.seconds)
            .collect();
        spread(&ratios, 2)
    }
}

/// Runs a command that has to succeed; its output is dropped.
fn take(command: &mut Command) -> Taken {
    let start = Instant::now();
    let mut child = command
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let status_file = format!("/proc/{}/status", child.id());
    let (done, is_done) = std::sync::mpsc::channel::<()>();
    let watch = thread::spawn(move || {
        let mut highest = 0;
        loop {
            let status = fs::read_to_string(&status_file).unwrap_or_default();
            highest = peak_bytes(&status).unwrap_or(0).max(highest);
            if is_done.recv_timeout(Duration::from_millis(2))
                != Err(std::sync::mpsc::RecvTimeoutError::Timeout)
            {
                return highest;
            }
        }
    });
    let status = child.wait().expect("the process is ours");
    let seconds = start.elapsed().as_secs_f64();
    drop(done);
    let bytes = watch.join().expect("it only reads");
    assert!(status.success(), "{command:?} failed");
    Taken { seconds, bytes }
}

/// The most memory that a process has had, of its status.
fn peak_bytes(status: &str) -> Option<u64> {
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes << 10)
}

/// Runs commands in turns.
fn in_turns<const N: usize>(rounds: usize, commands: [&dyn Fn() -> Command; N]) -> [Series; N] {
    let mut series: [Series; N] = std::array::from_fn(|_| Series::default());
    for _ in 0..rounds {
        for (series, command) in series.iter_mut().zip(commands) {
            series.0.push(take(&mut command()));
        }
    }
    series
}

/// A run of the program: a configuration and settings, as words.
fn run(line: &str, more: &[&str]) -> Command {
    let mut command = Command::new(CROSSWAVE);
    command
        .arg("run")
        .args(line.split_whitespace())
        .args(more)
        .arg("--quiet");
    command
}

fn both_engines(line: &str, rounds: usize) -> [Series; 2] {
    let gate = || run(line, &["--engine", "gate"]);
    let event = || run(line, &["--engine", "event"]);
    in_turns(rounds, [&gate, &event])
}

/// A count with commas.
fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).expect("digits"))
        .collect();
    groups.join(",")
}

/// Three digits.
fn rounded(value: f64) -> String {
    let scale = 10f64.powf(value.log10().floor() - 2.0).max(1.0);
    grouped((value / scale).round() * scale)
}

/// Figures of the exported test bench in Icarus Verilog, and of the run that was exported.
struct Icarus {
    version: String,
    theirs: Series,
    ours: Series,
}

const EXPORTED: &str =
    "examples/steady64.toml --set traffic.load=0.4 --set traffic.cycles=400 --set run.replicates=1";

fn beside_icarus(folder: &Path, rounds: usize) -> Option<Icarus> {
    let version = Command::new("iverilog").arg("-V").output().ok()?;
    let version = String::from_utf8_lossy(&version.stdout);
    // The first line ends with the branch in parentheses, or with empty ones.
    let version = version.lines().next()?.trim().trim_end_matches(" ()");
    let version = version.to_owned();
    let out = folder.join("exported");
    let mut export = Command::new(CROSSWAVE);
    export
        .arg("export")
        .args(EXPORTED.split_whitespace())
        .arg("--verilog")
        .arg(&out);
    take(&mut export);
    take(Command::new("sh").arg(out.join("run-icarus.sh")));
    let plusargs = fs::read_to_string(out.join("plusargs.txt")).expect("the export wrote it");
    let icarus = || {
        let mut command = Command::new("vvp");
        command
            .arg("-n")
            .arg(out.join("testbench.vvp"))
            .arg(format!("+messages={}", out.join("messages.csv").display()))
            .args(plusargs.split_whitespace());
        command
    };
    let configuration = out.join("configuration.toml");
    let configuration = configuration.to_str().expect("the folder has a plain name");
    let gate = || run(configuration, &[]);
    let [theirs, ours] = in_turns(rounds, [&icarus, &gate]);
    Some(Icarus {
        version,
        theirs,
        ours,
    })
}

/// A run that is measured: what it is, and its command line.
struct Run {
    what: &'static str,
    line: &'static str,
}

/// The FFT that the README runs first.
const FFT: Run = Run {
    what: "fat tree of 64 nodes, the messages of an FFT",
    line: "examples/fft64.toml",
};

/// The largest network.
const MILLION: Run = Run {
    what: "fat tree of 1,048,576 nodes, a message of each",
    line: "examples/random1024.toml --set network.nodes=1048576 --set traffic.messages=1048576 \
           --set run.replicates=1",
};

/// Runs of both engines.
const RUNS: [Run; 10] = [
    Run {
        what: "fat tree of 16 nodes, a message of each",
        line: "examples/random1024.toml --set network.nodes=16 --set traffic.messages=16 \
               --set run.replicates=1",
    },
    Run {
        what: "bidelta network of 16 nodes, request and reply of each",
        line: "examples/bidelta64.toml --set network.nodes=16 --set traffic.messages=16 \
               --set traffic.repeat=1",
    },
    Run {
        what: "16-port 3-tree of 1,024 nodes, four messages",
        line: "examples/mport32.toml --set network.ports=16 --set network.levels=3",
    },
    Run {
        what: "fat pyramid of 64 nodes, steady traffic",
        line: "examples/pyramid64.toml",
    },
    FFT,
    Run {
        what: "fat tree of 1,024 nodes, random messages, five replicates",
        line: "examples/random1024.toml",
    },
    Run {
        what: "Transit's network of 4,096 nodes",
        line: "examples/transit4096.toml",
    },
    Run {
        what: "fat tree of 131,072 nodes, eight messages of each",
        line: "examples/random1024.toml --set network.nodes=131072 --set traffic.messages=131072 \
               --set traffic.repeat=8 --set run.replicates=1",
    },
    MILLION,
    Run {
        what: "bidelta network of 1,048,576 nodes, request and reply of each",
        line: "examples/bidelta64.toml --set network.nodes=1048576 --set traffic.messages=1048576 \
               --set traffic.repeat=1",
    },
];

/// Runs of routers that are not ours, on the gate engine.
const OWN_ROUTERS: [Run; 3] = [
    Run {
        what: "mesh of 8 by 8 routers with ready and valid",
        line: "examples/routers/mesh64.toml",
    },
    Run {
        what: "mesh of 8 by 8 routers with credits and virtual channels",
        line: "examples/routers/credit64.toml",
    },
    Run {
        what: "mesh of 64 by 64 routers with ready and valid",
        line: "examples/routers/mesh64.toml --set network.size=[64,64]",
    },
];

/// The run of whose waveforms the time is taken.
const WAVEFORM: &str = "examples/steady64.toml --set network.nodes=256 --set traffic.cycles=10000 \
                        --set traffic.load=0.3 --set run.replicates=1";

/// The run of many replicates.
const REPLICATES: &str = "examples/steady64.toml --set run.replicates=1000";

/// Rounds of a run that takes so long: what is short varies more.
fn rounds_of(taken: Taken, rounds: usize) -> usize {
    match taken.seconds < 0.5 {
        true => 3 * rounds,
        false => rounds,
    }
}

/// The row of a run on both engines.
fn run_row(run_at: &Run, rounds: usize) -> (Vec<String>, Series) {
    let rounds = rounds_of(take(&mut run(run_at.line, &[])), rounds);
    let [gate, event] = both_engines(run_at.line, rounds);
    let row = vec![
        run_at.what.to_owned(),
        code(run_at.line),
        gate.text(),
        gate.mebibytes(),
        event.text(),
        event.mebibytes(),
        gate.ratio_to(&event),
    ];
    (row, gate)
}

/// A command line as code in a table.
fn code(line: &str) -> String {
    format!("`{line}`")
}

fn own_router_row(run_at: &Run, rounds: usize) -> Vec<String> {
    let rounds = rounds_of(take(&mut run(run_at.line, &[])), rounds);
    let gate = || run(run_at.line, &[]);
    let [series] = in_turns(rounds, [&gate]);
    let what = run_at.what.to_owned();
    vec![what, code(run_at.line), series.text(), series.mebibytes()]
}

/// The rows of waveforms of an engine: what a run takes without one and with one of each format.
fn waveform_rows(folder: &Path, rounds: usize) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for engine in ["gate", "event"] {
        let files = ["wave.vcd", "wave.vcd.gz", "wave.fst"].map(|name| folder.join(name));
        let with = |file: Option<&PathBuf>| {
            let mut command = run(WAVEFORM, &["--engine", engine]);
            if let Some(file) = file {
                command.arg("--wave").arg(file);
            }
            command
        };
        let plain = || with(None);
        let [vcd, packed, fst] = [0, 1, 2].map(|at| {
            let file = files[at].clone();
            move || with(Some(&file))
        });
        let [none, vcd, packed, fst] = in_turns(rounds, [&plain, &vcd, &packed, &fst]);
        let mut row = |what: &str, series: &Series, file: Option<&PathBuf>| {
            let bytes = file.map(|file| fs::metadata(file).expect("the run wrote it").len());
            rows.push(vec![
                format!("{engine} engine"),
                what.to_owned(),
                series.text(),
                none.ratio_to(series),
                bytes.map_or("0".to_owned(), |bytes| format!("{:.1}", bytes as f64 / 1e6)),
            ]);
        };
        row("none", &none, None);
        row("VCD", &vcd, Some(&files[0]));
        row("VCD, compressed", &packed, Some(&files[1]));
        row("FST", &fst, Some(&files[2]));
    }
    rows
}

/// The rows of a thousand replicates, by threads.
fn replicate_rows(threads: usize, rounds: usize) -> Vec<Vec<String>> {
    let mut counts = vec![1];
    while counts[counts.len() - 1] < threads {
        counts.push((2 * counts[counts.len() - 1]).min(threads));
    }
    let mut series: Vec<Series> = counts.iter().map(|_| Series::default()).collect();
    for _ in 0..rounds {
        for (count, series) in counts.iter().zip(&mut series) {
            let count = format!("run.threads={count}");
            series
                .0
                .push(take(&mut run(REPLICATES, &["--set", &count])));
        }
    }
    let rows = counts
        .iter()
        .zip(&series)
        .map(|(count, own)| vec![count.to_string(), own.text(), own.ratio_to(&series[0])]);
    rows.collect()
}

/// A tool without its options: its version and its compiler.
fn short_name(tool: &str) -> String {
    let version = tool.split(", ").next().unwrap_or_default();
    let compiler = tool.split("; ").nth(1).unwrap_or_default();
    format!("{version}, compiled by {compiler}")
}

/// The README's table and what it says of the largest network.
fn short_table(
    machine: &Machine,
    rows: &[Row],
    icarus: Option<&Icarus>,
    fft: &Series,
    million: &Series,
) -> String {
    let mut lines = Vec::new();
    let fastest = |a: &&Row, b: &&Row| median(&a.theirs).total_cmp(&median(&b.theirs));
    let of_64 = rows
        .iter()
        .filter(|row| row.network == "fat-tree, 64 nodes");
    if let Some(row) = of_64.max_by(fastest) {
        let pairs = row.engine.iter().zip(&row.theirs);
        let ratios: Vec<f64> = pairs.map(|(ours, theirs)| ours / theirs).collect();
        lines.push(vec![
            "saturated traffic; both drive the same input pins in every cycle; one thread each"
                .to_owned(),
            format!(
                "{} cycles/s: {:.0} times as many",
                rounded(median(&row.engine)),
                median(&ratios)
            ),
            format!(
                "{}: {} cycles/s",
                short_name(&row.tool),
                rounded(median(&row.theirs))
            ),
        ]);
        lines.push(vec![
            "from the start of the command to its end, the messages of an FFT".to_owned(),
            format!("{:.2} s", fft.median()),
            format!(
                "the same: {:.0} s to build the model before the first cycle",
                row.build_seconds
            ),
        ]);
    }
    if let Some(icarus) = icarus {
        lines.push(vec![
            "the exported test bench, with its models of all hosts, steady traffic, from the start to the end"
                .to_owned(),
            format!("{:.3} s", icarus.ours.median()),
            format!("{}: {:.1} s", icarus.version, icarus.theirs.median()),
        ]);
    }
    let bytes = million.0.iter().map(|taken| taken.bytes).max();
    format!(
        "Measured with this version on {}, a fat tree of 64 nodes:\n\n{}\n\
         A fat tree of 1,048,576 nodes needs {:.1} s and {:.1} GB until every node has had one message \
         acknowledged.\n",
        machine.short(),
        table(&["", "crosswave", "peer"], &lines),
        million.median(),
        bytes.unwrap_or(0) as f64 / 1e9
    )
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |flag| option(&arguments, flag).map(|text| text.parse().expect("a number"));
    let rounds: usize = number("--rounds").unwrap_or(3);
    let networks = option(&arguments, "--networks").unwrap_or("fat-tree=64");
    let machine = Machine::here();
    let folder = std::path::absolute("target/performance").expect("a path");
    fs::create_dir_all(&folder).expect("a folder to write to");

    let readme = fs::read_to_string("README.md").expect("it is run in the repository");
    let [begin, end] = README_BORDERS;
    let (head, rest) = readme
        .split_once(begin)
        .expect("the README has the first border");
    let (_, tail) = rest
        .split_once(end)
        .expect("the README has the second border");
    // Only peers that are named: those of the path may not be there.
    let is_named = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let tools = match is_named("--verilator") && is_named("--compiler") {
        true => tools(&arguments),
        false => Vec::new(),
    };
    let mut peers = Vec::new();
    for network in networks.split(',').filter(|_| !tools.is_empty()) {
        let (kind, nodes) = network.split_once('=').expect("KIND=NODES");
        let nodes: u32 = nodes.parse().expect("a number of nodes");
        let cycles = (1_000_000 / nodes as usize).clamp(100, 20_000);
        peers.extend(compare(kind, nodes, &tools, 5, cycles));
    }
    let icarus = beside_icarus(&folder, rounds);
    let measured = RUNS.each_ref().map(|run| run_row(run, rounds));
    let own: Vec<Vec<String>> = OWN_ROUTERS
        .iter()
        .map(|run| own_router_row(run, rounds))
        .collect();
    let waveforms = waveform_rows(&folder, rounds);
    let replicates = replicate_rows(machine.threads, rounds);

    let series = |of: &Run| {
        let at = RUNS.iter().position(|run| run.what == of.what);
        &measured[at.expect("it is one of them")].1
    };
    let short = short_table(
        &machine,
        &peers,
        icarus.as_ref(),
        series(&FFT),
        series(&MILLION),
    );
    let rows: Vec<Vec<String>> = measured.iter().map(|(row, _)| row.clone()).collect();
    let cells: Vec<Vec<String>> = peers.iter().map(Row::cells).collect();
    let compared = match cells.is_empty() {
        true => "No Verilator, or no compiler of C++, was named.\n".to_owned(),
        false => table(&HEADER, &cells),
    };
    let icarus = icarus.map_or("Icarus Verilog was not there.\n".to_owned(), |icarus| {
        format!(
            "The network of 64 nodes, exported with its hosts (`{EXPORTED}`), from the start of the program to its \
             end: `vvp` of {} takes {}, crosswave {}.\n",
            icarus.version,
            icarus.theirs.text(),
            icarus.ours.text()
        )
    });
    let page = [
        PAGE_HEAD,
        &format!(
            "{}.\nThe gate engine has {}; crosswave {} was built with {}, profile `bench`, which is that of `dist`.\n\n",
            machine.line(),
            Backend::best(),
            env!("CARGO_PKG_VERSION"),
            first_line(Command::new("rustc").arg("--version")),
        ),
        "## In short\n\n",
        &short,
        PEERS_HEAD,
        &compared,
        "\n## Beside Icarus Verilog\n\n",
        &icarus,
        RUNS_HEAD,
        &table(
            &["run", "`crosswave run …`", "gate engine", "MiB", "event engine", "MiB", "event / gate"],
            &rows,
        ),
        "\n## Routers of your own\n\nOn the gate engine, which runs them as synthesised by Yosys. Netlists are \
         kept from a first run that is not counted.\n\n",
        &table(&["network", "`crosswave run …`", "gate engine", "MiB"], &own),
        &format!(
            "\n## Waveforms\n\nAll ports of all chips of a fat tree of 256 nodes (`{WAVEFORM}`); the ratio is to the \
             run without a waveform.\n\n"
        ),
        &table(&["engine", "waveform", "time", "ratio", "MB"], &waveforms),
        &format!("\n## Replicates\n\nA thousand replicates of 64 nodes (`{REPLICATES}`).\n\n"),
        &table(&["threads", "time", "one thread / this"], &replicates),
        PAGE_END,
    ]
    .concat();
    if !arguments.iter().any(|argument| argument == "--write") {
        print!("{page}");
        return;
    }
    fs::write("docs/performance.md", page).expect("the page can be written");
    let readme = [head, begin, &short, end, tail].concat();
    fs::write("README.md", readme).expect("the README can be written");
}

const PAGE_HEAD: &str = "\
# Performance

The figures of this version on the machine below. `docs/performance.sh` measures them on your machine, and writes this
page. What is compared takes turns. A time or a rate is the median of several, with the lowest and the highest in
parentheses; a ratio is the median of those of the rounds. Memory is the most that a process had, looked at every 2 ms.

";

const PEERS_HEAD: &str = "
## Beside Verilator

A small program drives Verilator's model from a buffer; the gate engine is driven with the same pins in every cycle.
Saturated random traffic, no waveform, one thread each. \"Engine and host\" makes its own messages as well.

";

const RUNS_HEAD: &str = "
## Whole runs

From the start of the program to its end, with as many threads as it chooses; of each network all messages are
acknowledged in the end.

";

const PAGE_END: &str = "
[What was measured on the way](performance-diary.md) explains what limits the engines, and has the figures of earlier
versions.
";
