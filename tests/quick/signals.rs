//! Termination of the program by signals, and the files that it leaves. No test depends on when a
//! signal comes: a run is held by a pipe that nobody reads, or goes on for ever.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::program::{files, read, root, shell, workplace, write};

/// Thousands of messages of a million words, one after the other: a run that only a signal
/// ends.
const ENDLESS: &str = "[network]\nkind = \"fat-tree\"\nnodes = 64\n\
     [traffic]\npattern = \"hot-spot\"\ndestination = 0\nwords = 1_048_576\nrepeat = 100\n\
     [run]\ncycles_max = 1_000_000_000\n";

fn start(folder: &Path, arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_crosswave"))
        .args(arguments)
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

fn send(child: &Child, signal: &str) {
    let pid = child.id().to_string();
    let kill = Command::new("kill").args([signal, &pid]).status();
    assert!(kill.expect("kill").success());
}

/// Waits for something that has to come.
fn wait(what: &str, mut has_come: impl FnMut() -> bool) {
    let began = Instant::now();
    while !has_come() {
        assert!(began.elapsed() < Duration::from_secs(300), "no {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until the program catches SIGTERM.
fn wait_until_caught(child: &Child) {
    const SIGTERM: u32 = 15;
    let path = format!("/proc/{}/status", child.id());
    wait("handler", || {
        let status = fs::read_to_string(&path).expect("a process");
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        mask.is_some_and(|mask| mask >> (SIGTERM - 1) & 1 == 1)
    });
}

fn unfinished(folder: &Path) -> bool {
    files(folder).iter().any(|name| name.ends_with(".part"))
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Reads a waveform until some cycles have been written, so that the run is on its way.
fn first_cycles(out: &mut impl Read) -> Vec<u8> {
    let mut read = Vec::new();
    while !read.windows(5).any(|window| window == b"\n#100") {
        let mut some = [0; 1 << 16];
        let count = out.read(&mut some).expect("a waveform");
        assert!(count > 0, "the run has ended");
        read.extend(&some[..count]);
    }
    read
}

/// A run whose waveform fills a pipe, so that it stands in its cycles until someone reads.
struct Held {
    child: Child,
    /// The bytes of the waveform that were read.
    read: Vec<u8>,
}

impl Held {
    fn new(folder: &Path) -> Held {
        write(folder, "endless.toml", ENDLESS);
        let mut child = start(
            folder,
            &["run", "endless.toml", "--vcd", "-", "--json", "out.json"],
        );
        let read = first_cycles(child.stdout.as_mut().expect("a pipe"));
        Held { child, read }
    }

    /// Reads to the end of the waveform.
    fn end(mut self) -> (Vec<u8>, Output) {
        let mut out = self.child.stdout.take().expect("a pipe");
        out.read_to_end(&mut self.read).expect("a waveform");
        (self.read, self.child.wait_with_output().expect("it ends"))
    }
}

/// As GNU `timeout` does, which sends a signal to the process and to its group.
#[test]
fn signals_at_the_same_time_are_one_and_end_a_run_in_order() {
    let work = workplace();
    let folder = work.path();
    for signals in [
        &["-INT"][..],
        &["-TERM", "-TERM"],
        &["-HUP", "-INT", "-TERM"],
    ] {
        let held = Held::new(folder);
        // They are all taken when the process goes on.
        send(&held.child, "-STOP");
        for signal in signals {
            send(&held.child, signal);
        }
        send(&held.child, "-CONT");
        let (waveform, output) = held.end();
        let said = said(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(
            said.contains("run: interrupted: what was simulated so far has been written"),
            "{said}"
        );
        assert!(waveform.ends_with(b"\n"), "the waveform is whole");
        let json: Value = serde_json::from_str(&read(folder, "out.json")).expect("JSON");
        assert_eq!(json["finished"], false);
        assert_eq!(json["interrupted"], true);
        fs::remove_file(folder.join("out.json")).expect("it was written");
    }
    assert_eq!(files(folder), ["endless.toml", "small.toml"]);
}

/// A run is stopped while its standard output is a pipe for the table.
#[test]
fn the_table_says_that_a_run_was_interrupted() {
    let work = workplace();
    let folder = work.path();
    write(folder, "endless.toml", ENDLESS);
    let made = Command::new("mkfifo").arg(folder.join("pipe")).status();
    assert!(made.expect("mkfifo").success());
    let child = start(folder, &["run", "endless.toml", "--vcd", "pipe"]);
    let mut pipe = fs::File::open(folder.join("pipe")).expect("a pipe");
    first_cycles(&mut pipe);
    send(&child, "-TERM");
    std::io::copy(&mut pipe, &mut std::io::sink()).expect("a waveform");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(table.contains("│ interrupted "), "{table}");
}

#[test]
fn a_later_signal_ends_the_command_at_once() {
    let work = workplace();
    let mut held = Held::new(work.path());
    send(&held.child, "-TERM");
    // The run cannot end in order, for nobody reads its waveform.
    std::thread::sleep(Duration::from_millis(1500));
    send(&held.child, "-INT");
    held.child.wait().expect("it ends, still without a reader");
    let (_, output) = held.end();
    let said = said(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("run: interrupted: SIGINT ended the command at once"),
        "{said}"
    );
    assert_eq!(files(work.path()), ["endless.toml", "small.toml"]);
}

#[test]
fn what_is_unfinished_is_removed_and_named() {
    let work = workplace();
    let folder = work.path();
    write(folder, "endless.toml", ENDLESS);
    write(folder, "w.vcd", "old");
    for signal in ["-QUIT", "-USR1", "-ALRM"] {
        let child = start(folder, &["run", "endless.toml", "--vcd", "w.vcd"]);
        wait("waveform", || unfinished(folder));
        send(&child, signal);
        let output = child.wait_with_output().expect("it ends");
        let said = said(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        let expected = format!("interrupted: SIG{} ended the command at once", &signal[1..]);
        assert!(said.contains(&expected), "{said}");
        assert!(
            said.contains("unfinished files were removed: w.vcd"),
            "{said}"
        );
        assert_eq!(files(folder), ["endless.toml", "small.toml", "w.vcd"]);
        assert_eq!(read(folder, "w.vcd"), "old");
    }
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error_in_writing() {
    let work = workplace();
    let folder = work.path();
    let limit = "ulimit -f 8; exec crosswave run small.toml -q";
    for option in ["--vcd w.vcd --set \"wave.scopes=['**']\"", "--vcd - > out"] {
        let output = shell(folder, &format!("{limit} {option}"));
        let said = said(&output);
        assert_eq!(output.status.code(), Some(4), "{said}");
        assert!(said.contains("File too large"), "{said}");
        assert!(!unfinished(folder), "{:?}", files(folder));
    }
    assert_eq!(files(folder), ["out", "small.toml"]);
}

/// A signal that comes while the network is built or later is told, and nothing is left half.
#[test]
fn every_command_tells_that_it_was_interrupted() {
    let work = workplace();
    let folder = work.path();
    write(folder, "endless.toml", ENDLESS);
    let netlist = root("examples/systolic/systolic.json");
    let netlist = netlist.to_str().expect("UTF-8");
    let large = ["--set", "network.nodes=262144", "--set", "traffic.repeat=1"];
    let kept = ["check", "strumpen2005", "--keep", "points"];
    for (command, what) in [
        (&[&["run", "endless.toml"], &large[..]].concat()[..], "run"),
        (
            &[
                "netlist",
                netlist,
                "--cycles",
                "1000000000000",
                "--random-seed",
                "1",
            ],
            "netlist",
        ),
        (
            &["figure", "dehon1990-4.19", "--all", "--out", "out"],
            "figure",
        ),
        (&["check", "--all"], "check"),
        (&kept, "check"),
        (&["report", "strumpen2005", "--out", "report"], "report"),
    ] {
        let child = start(folder, command);
        wait_until_caught(&child);
        send(&child, "-INT");
        let output = child.wait_with_output().expect("it ends");
        let said = said(&output);
        assert_eq!(output.status.code(), Some(1), "{command:?}: {said}");
        assert!(
            said.contains(&format!("error: {what}: interrupted: ")),
            "{said}"
        );
    }
    let out = folder.join("out");
    assert!(!out.exists() || files(&out).is_empty());
    assert!(!unfinished(folder));
}

/// `nohup` asks for it.
#[test]
fn a_signal_that_was_ignored_stays_so() {
    let work = workplace();
    let folder = work.path();
    write(folder, "endless.toml", ENDLESS);
    let run = "trap '' HUP; exec crosswave run endless.toml";
    let program = Path::new(env!("CARGO_BIN_EXE_crosswave"));
    let programs = program.parent().expect("a folder").display();
    let path = std::env::var("PATH").unwrap_or_default();
    let child = Command::new("sh")
        .args(["-c", run])
        .current_dir(folder)
        .env("PATH", format!("{programs}:{path}"))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a shell");
    wait_until_caught(&child);
    send(&child, "-HUP");
    send(&child, "-QUIT");
    let output = child.wait_with_output().expect("it ends");
    assert!(
        said(&output).contains("SIGQUIT ended the command at once"),
        "{output:?}"
    );
}
