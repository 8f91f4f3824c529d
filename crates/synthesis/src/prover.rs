//! ABC on this machine, which comes with Yosys: circuits with one output that is never to be 1, proved or
//! refuted.
//!
//! ABC runs in a folder of its own, with the circuit as an AIGER file and a script. What it prints and the
//! counterexample that it writes are read here, and nothing else is known of it elsewhere.

use std::env;
use std::io::{ErrorKind, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file::TemporaryFolder;
use crosswave_base::threads;

/// Names under which it is looked for on the path.
const NAMES: [&str; 3] = ["yosys-abc", "berkeley-abc", "abc"];
/// The time between two looks at a program that runs.
const PAUSE: Duration = Duration::from_millis(5);
/// Bytes of its messages that are read.
const SAID_MAX: u64 = 1 << 22;
/// The files of the circuits: with all assumptions, and with few.
const CIRCUITS: [&str; 2] = ["circuit.aig", "few.aig"];
/// The file of a counterexample.
const FOUND: &str = "found.aiw";
/// Seconds for counterexamples before a proof is tried.
const FIRST_SECONDS: u64 = 5;
/// Seconds that it may take beyond its own limit.
const GRACE_SECONDS: u64 = 10;

/// An ABC that is there.
#[derive(Debug, Clone)]
pub struct Prover {
    program: PathBuf,
}

/// The limits of a proof.
#[derive(Debug, Clone, Copy)]
pub struct ProofLimits {
    /// Cycles that are searched for a counterexample.
    pub depth: u64,
    /// Induction over up to so many cycles is tried first.
    pub induction: u64,
    /// Seconds for each of the ways.
    pub seconds: u64,
}

/// The result of a proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The output is never 1: by induction over so many cycles.
    Inductive(u64),
    /// The output is never 1: by an invariant that was found, in so many frames.
    Invariant(u64),
    /// The output is 1 in a cycle. The inputs of each cycle up to it, in the order of the file.
    Reached(Vec<Vec<bool>>),
    /// The output is 0 in so many cycles; more is not known.
    Bounded(u64),
    /// Nothing is known.
    Open,
}

fn refusal(place: &str, message: String, help: &str) -> Error {
    Error::one(Class::Io, "ABC", Diagnostic::new(place, message, help))
}

fn unwritten(error: std::io::Error) -> Error {
    let message = format!("a folder for ABC cannot be written: {error}");
    refusal("temporary folder", message, "make room in it")
}

impl Prover {
    /// The one that the variable `YOSYS_ABC` names, or the first on the path.
    ///
    /// # Errors
    /// When there is none.
    pub fn find() -> Result<Prover, Error> {
        let own = env::var_os("YOSYS_ABC").filter(|name| !name.is_empty());
        let names: Vec<PathBuf> = match own {
            Some(name) => vec![name.into()],
            None => NAMES.map(PathBuf::from).into(),
        };
        for program in &names {
            let mut command = Command::new(program);
            command.args(["-q", "version"]).stdin(Stdio::null());
            if command.output().is_ok() {
                return Ok(Prover {
                    program: program.clone(),
                });
            }
        }
        let names: Vec<String> = names
            .iter()
            .map(|name| name.display().to_string())
            .collect();
        let message = format!("there is no program {} on the path", names.join(" or "));
        let help = "properties are proved by ABC: install the package `yosys` of Debian or Ubuntu, or name the \
                    program with the variable YOSYS_ABC";
        Err(refusal("program", message, help))
    }

    /// Proves that the output of a circuit is never 1, or finds a cycle in which it is. The second circuit
    /// has fewer assumptions: a proof of it is one of the first, a counterexample is not.
    ///
    /// # Errors
    /// When ABC does not run, or `check` gives an error while it does.
    pub fn prove(
        &self,
        circuits: &[Vec<u8>; 2],
        limits: ProofLimits,
        check: &dyn Fn() -> Result<(), Error>,
    ) -> Result<Outcome, Error> {
        let folder = TemporaryFolder::new().map_err(unwritten)?;
        for (name, circuit) in CIRCUITS.into_iter().zip(circuits) {
            folder.write(name, circuit).map_err(unwritten)?;
        }
        let [all, few] = CIRCUITS;
        let seconds = limits.seconds;
        let search = |circuit: &str, passes: &str, way: &str| {
            let commands =
                format!("read_aiger {circuit}; strash; {passes}{way}; write_cex -a {FOUND}");
            self.run(&folder, &commands, seconds, check)
        };
        let depth = limits.depth;
        let bounded = |seconds: u64| search(all, "", &format!("bmc3 -F {depth} -T {seconds}"));
        // Induction over k cycles needs as many without a counterexample.
        let said = bounded(seconds.min(FIRST_SECONDS))?;
        if let Some(found) = counterexample(&folder, &said)? {
            return Ok(Outcome::Reached(found));
        }
        let mut held = number_after(&said, "No output asserted in ");
        let most = limits.induction.min(held.unwrap_or(0));
        if let Some(k) = self.induction(&folder, most, seconds, check)? {
            return Ok(Outcome::Inductive(k));
        }
        let passes = "scorr; dc2; ";
        let invariant = format!("pdr -n -c -T {seconds}");
        for circuit in [few, all] {
            let said = search(circuit, passes, &invariant)?;
            if said.contains("Property proved") {
                let frames = number_after(&said, "Invariant F[").unwrap_or(1);
                return Ok(Outcome::Invariant(frames));
            }
            if let (true, Some(found)) = (circuit == all, counterexample(&folder, &said)?) {
                return Ok(Outcome::Reached(found));
            }
            // A search that ended with its time has none left.
            if said.contains("Reached timeout") {
                break;
            }
        }
        if held.is_none_or(|held| held < depth) {
            let said = bounded(seconds)?;
            if let Some(found) = counterexample(&folder, &said)? {
                return Ok(Outcome::Reached(found));
            }
            held = number_after(&said, "No output asserted in ").max(held);
        }
        Ok(held
            .filter(|&held| held > 0)
            .map_or(Outcome::Open, Outcome::Bounded))
    }

    /// True when the output of a circuit is 1 in some cycle, up to the depth.
    ///
    /// # Errors
    /// As [`prove`](Self::prove).
    pub fn reach(
        &self,
        circuit: &[u8],
        limits: ProofLimits,
        check: &dyn Fn() -> Result<(), Error>,
    ) -> Result<bool, Error> {
        let folder = TemporaryFolder::new().map_err(unwritten)?;
        folder.write("circuit.aig", circuit).map_err(unwritten)?;
        let (depth, seconds) = (limits.depth, limits.seconds);
        let search = format!("read_aiger circuit.aig; strash; bmc3 -F {depth} -T {seconds}");
        let said = self.run(&folder, &search, seconds, check)?;
        Ok(said.contains("asserted in frame"))
    }

    /// Runs commands in a folder, and returns what was printed.
    fn run(
        &self,
        folder: &TemporaryFolder,
        commands: &str,
        seconds: u64,
        check: &dyn Fn() -> Result<(), Error>,
    ) -> Result<String, Error> {
        let started = Command::new(&self.program)
            .current_dir(folder.path())
            .args(["-c", commands])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut child = started.map_err(|error| {
            let message = match error.kind() {
                ErrorKind::NotFound => format!("there is no program {}", self.program.display()),
                _ => format!("{} does not run: {error}", self.program.display()),
            };
            refusal("program", message, "install it anew")
        })?;
        let pipe = child.stdout.take();
        let reader = pipe.map(|mut pipe| {
            thread::Builder::new().spawn(move || {
                let mut said = Vec::new();
                let _ = pipe.by_ref().take(SAID_MAX).read_to_end(&mut said);
                let _ = std::io::copy(&mut pipe, &mut std::io::sink());
                String::from_utf8_lossy(&said).into_owned()
            })
        });
        let reader = reader.transpose().map_err(|error| {
            let _ = child.kill().and_then(|()| child.wait());
            Error::one(Class::Io, "system", threads::not_started(&error))
        })?;
        let ended = wait(&mut child, seconds + GRACE_SECONDS, check);
        let said = reader.and_then(|reader| reader.join().ok());
        ended?;
        Ok(said.unwrap_or_default())
    }
}

impl Prover {
    /// The least number of cycles, up to a limit, over which induction proves the output to be never 1.
    fn induction(
        &self,
        folder: &TemporaryFolder,
        most: u64,
        seconds: u64,
        check: &dyn Fn() -> Result<(), Error>,
    ) -> Result<Option<u64>, Error> {
        let [all, _] = CIRCUITS;
        for k in 1..=most {
            // So many cycles in which it is 0, and the one after them.
            let step = format!("read_aiger {all}; strash; ind -F {} -T {seconds}", k + 1);
            let said = self.run(folder, &step, seconds, check)?;
            if said.contains("Networks are equivalent") {
                return Ok(Some(k));
            }
        }
        Ok(None)
    }
}

/// The number after some words.
fn number_after(said: &str, words: &str) -> Option<u64> {
    let (_, rest) = said.rsplit_once(words)?;
    let digits = rest
        .trim_start()
        .split(|c: char| !c.is_ascii_digit())
        .next()?;
    digits.parse().ok()
}

/// The inputs of a counterexample, if one was written.
fn counterexample(folder: &TemporaryFolder, said: &str) -> Result<Option<Vec<Vec<bool>>>, Error> {
    if !said.contains("asserted in frame") {
        return Ok(None);
    }
    let text = folder.read_text(FOUND).map_err(unwritten)?;
    // The registers at the beginning come first; versions differ in what is around the values.
    let values = text.lines().map(|line| {
        let is_value = |c: &char| ['0', '1', 'x'].contains(c);
        let values = line.chars().take_while(is_value);
        values.map(|c| c == '1').collect::<Vec<bool>>()
    });
    let frames: Vec<Vec<bool>> = values.filter(|line| line.len() > 1).skip(1).collect();
    Ok((!frames.is_empty()).then_some(frames))
}

/// Waits for a program, and ends it when it takes too long or `check` fails.
fn wait(
    child: &mut Child,
    seconds: u64,
    check: &dyn Fn() -> Result<(), Error>,
) -> Result<(), Error> {
    let end = Instant::now() + Duration::from_secs(seconds);
    loop {
        let stopped = check();
        match child.try_wait() {
            Ok(Some(_)) => return stopped,
            Ok(None) if Instant::now() < end && stopped.is_ok() => thread::sleep(PAUSE),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return stopped;
            }
        }
    }
}
