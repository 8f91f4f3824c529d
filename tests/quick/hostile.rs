//! The program against inputs, options, outputs and signals that nobody should send it.
//!
//! Every case is made from its number, so a failure names what to run again. Whatever the
//! case, the program ends by itself with a documented exit code, says nothing of a panic,
//! answers in a few lines, and leaves no unfinished file. `CROSSWAVE_SOAK_CASES` is the
//! number of cases, 160 unless set; `./soak.sh` takes more.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crosswave_base::random;

use crate::program::root;
use crate::support::lockstep::soak_cases;

/// Cases of an ordinary run.
const CASES: u64 = 160;
/// A program that has not ended by then hangs. It is no measurement: cases take
/// milliseconds, and a few of the largest take seconds on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);
/// Address space that the program is given, in KiB.
const MEMORY_KIB: u64 = 3 << 20;
/// Bytes of a message.
const SAID_MAX: u64 = 64 << 10;

/// Numbers drawn for one case.
struct Draw {
    case: u64,
    drawn: u64,
}

impl Draw {
    fn below(&mut self, end: usize) -> usize {
        self.drawn += 1;
        (random::word(random::key(0x1057, self.case, self.drawn), 0) % end as u64) as usize
    }

    fn of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

const FAT_TREE: &str = "[network]\nkind = \"fat-tree\"\nnodes = 16\n\n[router]\n\
    release = \"tail\"\n\n[traffic]\ntrace = \"trace.csv\"\nclock_mhz = 100\n\n\
    [retry]\nstrategy = \"backoff\"\nbackoff_limit = 4\n\n[wave]\n\
    scopes = [\"**.node_0\", \"**.router_0_*\"]\nwindow_cycles = [0, 40]\n";
const BIDELTA: &str = "[network]\nkind = \"bidelta\"\nnodes = 16\nlink_delay_cycles = 1\n\n\
    [interface]\nturns = 2\nreply_words = 3\n\n[traffic]\npattern = \"random\"\nwords = 4\n\n\
    [run]\nseed = 5\nreplicates = 3\n";
const TRACE: &str = "# three messages\nt_ns,source,destination,bytes\n0,1,2,9\n\
    20,3,4,0\n1000,15,0,70\n";
const STIMULUS: &str = "cycle,drain,a,b\n1,0,0x4,0xf\n2,0,0x602,0x7\n9,1,0,0\n";
const STIMULUS_VCD: &str = "$timescale 1ns $end\n$scope module top $end\n\
    $var wire 1 c clk $end\n$var wire 1 d drain $end\n$var wire 64 a a [63:0] $end\n\
    $var wire 64 b b [63:0] $end\n$upscope $end\n$enddefinitions $end\n\
    #0\n0c\n0d\nb101 a\nb0 b\n#5\n1c\n#10\n0c\n1d\n#15\n1c\n#20\n0c\n";

/// A folder with inputs, each of which the program takes.
fn inputs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path();
    for (name, text) in [
        ("tree.toml", FAT_TREE),
        ("bidelta.toml", BIDELTA),
        ("trace.csv", TRACE),
        ("stimulus.csv", STIMULUS),
        ("stimulus.vcd", STIMULUS_VCD),
    ] {
        fs::write(place.join(name), text).expect("a file");
    }
    fs::copy(
        root("tests/netlist_data/stages.json"),
        place.join("stages.json"),
    )
    .expect("a netlist");
    let taken: [&[&str]; 4] = [
        &["run", "tree.toml", "--vcd", "wave.vcd"],
        &["run", "bidelta.toml"],
        &["netlist", "stages.json", "--cycles", "9"],
        &["show", "wave.vcd", "--window", "0..5"],
    ];
    for arguments in taken {
        let output = Command::new(env!("CARGO_BIN_EXE_crosswave"))
            .args(arguments)
            .current_dir(place)
            .output()
            .expect("the program");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {said}");
    }
    folder
}

/// Values that options and keys do not expect.
const VALUES: [&str; 28] = [
    "",
    "0",
    "-1",
    "1",
    "2",
    "3",
    "64",
    "4096",
    "1e400",
    "nan",
    "0.0000001",
    "9223372036854775807",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "true",
    "[]",
    "[1, 2, [3]]",
    "\"tail\"",
    "\"\\u0000\"",
    "{ a = 1 }",
    "'../../..'",
    "/dev/zero",
    "/dev/full",
    ".",
    "**",
    "no such file",
    "\u{202e}\u{0}x",
    "ÄÖÜ\r\n\t",
];

/// Mutates bytes: flips, removes, doubles, cuts, puts numbers and brackets in.
fn mutate(bytes: &mut Vec<u8>, draw: &mut Draw) {
    for _ in 0..1 + draw.below(4) {
        let at = draw.below(bytes.len().max(1));
        match draw.below(9) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << draw.below(8),
            1 if !bytes.is_empty() => drop(bytes.remove(at)),
            2 => bytes.truncate(at),
            3 => {
                let piece = bytes[at..bytes.len().min(at + 1 + draw.below(80))].to_vec();
                bytes.splice(at..at, piece);
            }
            4 => {
                let value = draw.of(&VALUES);
                bytes.splice(at..at, value.bytes());
            }
            5 => {
                // Another number in place of one.
                let digits = (at..bytes.len()).find(|&at| bytes[at].is_ascii_digit());
                let Some(from) = digits else { continue };
                let rest = bytes[from..].iter();
                let len = rest.take_while(|byte| byte.is_ascii_digit()).count();
                let value = draw.of(&VALUES);
                bytes.splice(from..from + len, value.bytes());
            }
            6 => {
                let open = draw.of(&["[", "{", "\"", "$scope ", "\\", "'''"]);
                let many = open.repeat(1 + draw.below(3000));
                bytes.splice(at..at, many.bytes());
            }
            7 => {
                let line = bytes[at..].iter().position(|&byte| byte == b'\n');
                let end = line.map_or(bytes.len(), |line| at + line);
                bytes.drain(at..end);
            }
            _ => bytes.splice(at..at, [0, 0xff, 0xc3, 0x28]).for_each(drop),
        }
    }
}

/// Keys that a configuration knows, and one that it does not.
const KEYS: [&str; 20] = [
    "network.kind",
    "network.nodes",
    "network.capacities",
    "network.link_delay_cycles",
    "router.release",
    "router.winner",
    "interface.turns",
    "traffic.pattern",
    "traffic.words",
    "traffic.repeat",
    "traffic.limit",
    "traffic.clock_mhz",
    "retry.strategy",
    "run.seed",
    "run.replicates",
    "run.cycles_max",
    "run.threads",
    "wave.scopes",
    "wave.window_cycles",
    "no.key",
];

/// The arguments of a case, in a folder of inputs that it may have changed.
fn arguments(folder: &Path, draw: &mut Draw) -> Vec<String> {
    let change = |name: &str, draw: &mut Draw| {
        let path = folder.join(name);
        let mut bytes = fs::read(&path).expect("an input");
        mutate(&mut bytes, draw);
        fs::write(&path, bytes).expect("an input");
    };
    let mut all: Vec<String> = Vec::new();
    let mut add = |words: &[&str]| all.extend(words.iter().map(|word| (*word).to_owned()));
    match draw.below(12) {
        0 => {
            let name = draw.of(&["tree.toml", "bidelta.toml"]);
            change(name, draw);
            add(&[draw.of(&["run", "info", "export"]), name]);
            if draw.below(3) == 0 {
                add(&["--vcd", "out.vcd"]);
            }
        }
        1 => {
            change("trace.csv", draw);
            add(&["run", "tree.toml", "--messages", "out.csv"]);
        }
        2 | 3 => {
            change("stages.json", draw);
            add(&["netlist", "stages.json", "--cycles", "20"]);
            if draw.below(2) == 0 {
                add(&["--four-state", "--vcd", "out.vcd"]);
            }
        }
        4 => {
            let name = draw.of(&["stimulus.csv", "stimulus.vcd"]);
            change(name, draw);
            add(&["netlist", "stages.json", "--stimulus", name]);
            add(&["--period", draw.of(&["10", "1", "0", "7"])]);
            if draw.below(2) == 0 {
                add(&["--cycles", "50"]);
            }
        }
        5 | 6 => {
            change("wave.vcd", draw);
            add(&[
                "show",
                "wave.vcd",
                "--window",
                draw.of(&["0..9", "3..3", "9..1", "0..99999999999"]),
            ]);
            if draw.below(2) == 0 {
                add(&["--svg", "out.svg"]);
            }
        }
        7 | 8 => {
            let name = draw.of(&["tree.toml", "bidelta.toml"]);
            add(&[draw.of(&["run", "info", "run"]), name]);
            for _ in 0..1 + draw.below(3) {
                let value = draw.of(&VALUES).replace('\0', "");
                add(&["--set", &format!("{}={value}", draw.of(&KEYS))]);
            }
        }
        9 => {
            let output = draw.of(&["--vcd", "--messages", "--json", "--collisions"]);
            let place = draw.of(&[
                "/dev/full",
                "/dev/null",
                "-",
                ".",
                "missing/x",
                "tree.toml",
                "trace.csv",
                "/proc/x",
                "out.fst",
                "out.vcd.gz",
                "",
                "/dev/stdout",
                "/dev/fd/1",
            ]);
            add(&["run", "tree.toml", output, place]);
            if draw.below(2) == 0 {
                let other = draw.of(&["--vcd", "--messages", "--json"]);
                if other != output {
                    add(&[other, draw.of(&["out", "-", place])]);
                }
            }
        }
        10 => {
            let command = draw.of(&[
                "run",
                "info",
                "show",
                "export",
                "netlist",
                "check",
                "figure",
                "report",
                "headers",
                "completions",
                "nothing",
                "--version",
            ]);
            add(&[command]);
            for _ in 0..draw.below(4) {
                let word = draw.of(&[
                    "tree.toml",
                    "wave.vcd",
                    "stages.json",
                    "--json",
                    "--set",
                    "--vcd",
                    "--window",
                    "--scope",
                    "--svg",
                    "--cycles",
                    "--lanes",
                    "--reset",
                    "--out",
                    "--verilog",
                    "--keep",
                    "--engine",
                    "--help",
                    "--",
                    "-",
                ]);
                let value = draw.of(&VALUES).replace('\0', "");
                add(&[if draw.below(3) == 0 { &value } else { word }]);
            }
            // Checks and figures of whole papers are no case for here.
            if ["check", "figure", "report"].contains(&command) {
                add(&["no-such-paper"]);
            }
        }
        _ => {
            let name = draw.of(&["/dev/zero", "/dev/null", ".", "/dev/urandom", "nowhere"]);
            let command = draw.of(&["run", "info", "show", "netlist"]);
            add(&[command, name]);
        }
    }
    all
}

/// Files of a folder and below whose names say that they are not finished.
fn unfinished(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(unfinished(&path));
        } else if path.extension().is_some_and(|ending| ending == "part") {
            found.push(path);
        }
    }
    found
}

/// The program in a folder, with so much memory; what it says goes to files there.
fn start(folder: &Path, said: &Path, arguments: &[String]) -> Child {
    let out = |name: &str| File::create(said.join(name)).expect("a file");
    Command::new("sh")
        .args(["-c", &format!("ulimit -v {MEMORY_KIB}; exec \"$0\" \"$@\"")])
        .arg(env!("CARGO_BIN_EXE_crosswave"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(out("stdout"))
        .stderr(out("stderr"))
        .spawn()
        .expect("a shell")
}

/// Waits for the end; `None` when it does not come.
fn end(child: &mut Child) -> Option<ExitStatus> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            return Some(status);
        }
        if started.elapsed() > PATIENCE {
            // It is given up; what is left of it does not matter.
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The fault in how the program ended; `None` when there is none.
fn fault(folder: &Path, said: &Path, status: Option<ExitStatus>, codes: &[i32]) -> Option<String> {
    let Some(status) = status else {
        return Some("it hangs".to_owned());
    };
    let mut text = String::new();
    let mut stderr = File::open(said.join("stderr")).expect("a file");
    let length = stderr.metadata().expect("a file").len();
    // Text of any encoding may be quoted.
    let mut bytes = Vec::new();
    let _ = stderr.by_ref().take(SAID_MAX).read_to_end(&mut bytes);
    text.push_str(&String::from_utf8_lossy(&bytes));
    if let Some(signal) = status.signal() {
        return Some(format!("signal {signal}: {text}"));
    }
    let code = status.code().expect("no signal");
    if !codes.contains(&code) {
        return Some(format!("exit code {code}: {text}"));
    }
    if code != 0 && text.trim().is_empty() {
        return Some(format!("exit code {code} without a word"));
    }
    if text.contains("panicked") || text.contains("RUST_BACKTRACE") {
        return Some(format!("a panic: {text}"));
    }
    if length > SAID_MAX {
        return Some(format!("{length} bytes of messages"));
    }
    let left = unfinished(folder);
    (!left.is_empty()).then(|| format!("left {left:?}: {text}"))
}

fn cases() -> u64 {
    soak_cases().map_or(CASES, u64::from)
}

#[test]
fn nothing_makes_it_panic_hang_or_leave_a_mess() {
    let originals = inputs();
    let mut codes: BTreeMap<i32, u64> = BTreeMap::new();
    let mut faults = Vec::new();
    for case in 0..cases() {
        let mut draw = Draw { case, drawn: 0 };
        let (folder, said) = (tempfile::tempdir(), tempfile::tempdir());
        let (folder, said) = (folder.expect("a folder"), said.expect("a folder"));
        for entry in fs::read_dir(originals.path()).expect("inputs").flatten() {
            fs::copy(entry.path(), folder.path().join(entry.file_name())).expect("a copy");
        }
        let arguments = arguments(folder.path(), &mut draw);
        let mut child = start(folder.path(), said.path(), &arguments);
        let status = end(&mut child);
        if let Some(code) = status.and_then(|status| status.code()) {
            *codes.entry(code).or_default() += 1;
        }
        if let Some(fault) = fault(folder.path(), said.path(), status, &[0, 1, 2, 3, 4, 5]) {
            faults.push(format!("case {case}, {arguments:?}: {fault}"));
        }
    }
    println!("{} cases, by exit code: {codes:?}", cases());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(codes.len() >= 4, "all kinds of ends: {codes:?}");
}

/// Signals at any time: the run ends in order, says so, and leaves nothing unfinished.
#[test]
fn signals_end_it_in_order() {
    let originals = inputs();
    let mut faults = Vec::new();
    let cases = cases() / 8;
    for case in 0..cases {
        let mut draw = Draw {
            case: 1 << 40 | case,
            drawn: 0,
        };
        let (folder, said) = (tempfile::tempdir(), tempfile::tempdir());
        let (folder, said) = (folder.expect("a folder"), said.expect("a folder"));
        for entry in fs::read_dir(originals.path()).expect("inputs").flatten() {
            fs::copy(entry.path(), folder.path().join(entry.file_name())).expect("a copy");
        }
        let long: Vec<String> = match draw.below(2) {
            0 => "run bidelta.toml --set run.replicates=100000 --vcd w.vcd --json j.json",
            _ => "run bidelta.toml --set network.nodes=16384 --set traffic.repeat=16 --json j.json",
        }
        .split(' ')
        .map(str::to_owned)
        .collect();
        let mut child = start(folder.path(), said.path(), &long);
        std::thread::sleep(Duration::from_millis(draw.below(400) as u64));
        let signal = draw.of(&["-INT", "-TERM", "-QUIT"]);
        for _ in 0..1 + draw.below(2) {
            // It may have ended already.
            let _ = Command::new("kill")
                .args([signal, &child.id().to_string()])
                .stderr(Stdio::null())
                .status();
        }
        let status = end(&mut child);
        // A signal that comes before the program has begun is the shell's.
        let early = status.is_some_and(|status| status.signal().is_some());
        let said_something = fs::metadata(said.path().join("stderr")).is_ok_and(|s| s.len() > 0);
        if early && !said_something && unfinished(folder.path()).is_empty() {
            continue;
        }
        let codes = [0, 1];
        if let Some(fault) = fault(folder.path(), said.path(), status, &codes) {
            faults.push(format!("case {case}, {long:?}, {signal:?}: {fault}"));
        }
    }
    assert!(faults.is_empty(), "{cases} cases\n{}", faults.join("\n"));
}
