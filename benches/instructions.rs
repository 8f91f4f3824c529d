//! Instructions of whole runs: figures that other work on the machine does not change.
//!
//! `cargo bench --bench instructions -- [RUN]... [--program PATH] [--json FILE]
//! [--against FILE]`
//!
//! Each run is one of the program, on one thread, counted by `perf stat -e instructions:u` where
//! the processor's counters can be read, and else by valgrind's `cachegrind` without caches. The
//! counters count machine code of the best instruction set; valgrind knows no AVX-512, and
//! takes some 50 times as long. `--program` counts another build; `--against` compares with what
//! `--json` wrote, and gives the ratio old/new.
//!
//! Counts repeat to about a thousandth: the addresses that the system hands out decide what the
//! allocator and hash tables do.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

mod common;

use common::{option, short, table};

/// A run: its name and its configuration.
const RUNS: [(&str, &str); 8] = [
    (
        "fat-tree-64",
        "[network]\nkind='fat-tree'\nnodes=64\n[traffic]\npattern='random'\nrepeat=100\nwords=8\n",
    ),
    (
        "fat-tree-1024",
        "[network]\nkind='fat-tree'\nnodes=1024\n[traffic]\npattern='random'\nrepeat=20\nwords=8\n",
    ),
    (
        "fat-tree-16384",
        "[network]\nkind='fat-tree'\nnodes=16384\n[traffic]\npattern='random'\nwords=8\n",
    ),
    (
        "fat-tree-1024-event",
        "[network]\nkind='fat-tree'\nnodes=1024\n[traffic]\npattern='random'\nrepeat=10\nwords=8\n\
         [run]\nengine='event'\n",
    ),
    (
        "bidelta-64",
        "[network]\nkind='bidelta'\nnodes=64\n[traffic]\npattern='random'\nrepeat=20\nwords=8\n",
    ),
    (
        "bidelta-256",
        "[network]\nkind='bidelta'\nnodes=256\n[traffic]\npattern='random'\nrepeat=10\nwords=8\n",
    ),
    (
        "transit-768",
        "[network]\nkind='transit'\nnodes=768\nleaf='B12'\n[traffic]\npattern='random'\nwords=8\n",
    ),
    (
        "m-port-n-tree-128",
        "[network]\nkind='m-port-n-tree'\nports=8\nlevels=3\n[traffic]\npattern='random'\n\
         repeat=10\nwords=8\n",
    ),
];

/// The tool that counts instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Counter {
    /// The processor.
    Perf,
    /// Valgrind.
    Cachegrind,
}

impl Counter {
    /// The one to use here; `None` when there is none.
    fn here() -> Option<Counter> {
        let counts = |counter: &Counter| counter.count(Path::new("true"), &[]).is_some();
        [Counter::Perf, Counter::Cachegrind]
            .into_iter()
            .find(counts)
    }

    /// Instructions of a program; `None` when they cannot be counted or it failed.
    fn count(self, program: &Path, arguments: &[&Path]) -> Option<u64> {
        let mut command = match self {
            Counter::Perf => {
                let mut command = Command::new("perf");
                command.args(["stat", "-x", ",", "-e", "instructions:u"]);
                command
            }
            Counter::Cachegrind => {
                let mut command = Command::new("valgrind");
                command.args(["--tool=cachegrind", "--cache-sim=no"]);
                command.arg("--cachegrind-out-file=/dev/null");
                command
            }
        };
        let output = command.arg(program).args(arguments).output().ok()?;
        let text = String::from_utf8_lossy(&output.stderr);
        let count = match self {
            Counter::Perf => text
                .lines()
                .find(|line| line.contains("instructions:u"))?
                .split(',')
                .next()?
                .to_owned(),
            Counter::Cachegrind => {
                let line = text
                    .lines()
                    .find(|line| line.contains("I   refs:") || line.contains("I refs:"))?;
                line.rsplit(' ').next()?.replace(',', "")
            }
        };
        output.status.success().then(|| count.parse().ok())?
    }
}

/// The counts as they are written to a file.
#[derive(Debug, Serialize, Deserialize)]
struct Document {
    counter: Counter,
    instructions: BTreeMap<String, u64>,
}

/// Instructions of a run of the program, without its result being written.
fn instructions(counter: Counter, program: &Path, configuration: &str) -> u64 {
    let folder = tempfile::tempdir().expect("a folder for a configuration");
    let file = folder.path().join("run.toml");
    let threads = match configuration.contains("[run]\n") {
        true => configuration.replace("[run]\n", "[run]\nthreads=1\n"),
        false => format!("{configuration}[run]\nthreads=1\n"),
    };
    std::fs::write(&file, threads).expect("a folder to write to");
    let arguments = [Path::new("run"), &file];
    let count = counter.count(program, &arguments);
    count.unwrap_or_else(|| panic!("{} fails on {configuration}", program.display()))
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let named = |name: &str| arguments.iter().any(|argument| argument == name);
    let all = !RUNS.iter().any(|(name, _)| named(name));
    let program = option(&arguments, "--program");
    let program = program.map_or(
        PathBuf::from(env!("CARGO_BIN_EXE_crosswave")),
        PathBuf::from,
    );
    let before: Option<Document> = option(&arguments, "--against").map(|file| {
        let text = std::fs::read_to_string(file).expect("a file that --json wrote");
        serde_json::from_str(&text).expect("a file that --json wrote")
    });
    let counter = Counter::here().expect("perf with counters, or valgrind");
    let comparable = |before: &&Document| before.counter == counter;
    let before = before.as_ref().filter(comparable);
    let mut document = Document {
        counter,
        instructions: BTreeMap::new(),
    };
    let mut rows = Vec::new();
    for (name, configuration) in RUNS.iter().filter(|(name, _)| all || named(name)) {
        let count = instructions(counter, &program, configuration);
        let old = before.and_then(|before| before.instructions.get(*name));
        let ratio = old.map_or(String::new(), |&old| {
            format!("{:.3}", old as f64 / count as f64)
        });
        rows.push(vec![
            (*name).to_owned(),
            format!("{}", short(count as f64)),
            ratio,
        ]);
        document.instructions.insert((*name).to_owned(), count);
    }
    println!(
        "counted by {counter:?}\n{}",
        table(&["run", "instructions", "old/new"], &rows)
    );
    if let Some(file) = option(&arguments, "--json") {
        let text = serde_json::to_string_pretty(&document).expect("plain data");
        std::fs::write(file, text + "\n").expect("a file to write to");
    }
}
