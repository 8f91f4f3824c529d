//! Breaks formulas and engines on purpose, and sees which verdicts on papers change:
//! `mutants [PAPER or part of a name ...]` takes those of `crates/papers/mutants.toml` one by one.
//!
//! The sources are copied into `target/mutants`, where a program is built of each mutant. It takes about a
//! minute for each. A Verilog file that is changed takes the place of its chip, which Yosys makes a
//! netlist of.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde::Deserialize;

/// The file with all mutants.
#[derive(Deserialize)]
struct Mutants {
    mutant: Vec<Mutant>,
}

/// A change of one place, and the quantities that must notice.
#[derive(Deserialize)]
struct Mutant {
    paper: String,
    name: String,
    file: PathBuf,
    /// The chip in whose place a Verilog file is put.
    chip: Option<String>,
    /// A text that the file has once.
    find: String,
    replace: String,
    /// Quantities that are reproduced, and are not any more with the change.
    flips: Vec<String>,
}

/// Verdicts by the ids of quantities.
type Verdicts = BTreeMap<String, String>;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(4)
        }
    }
}

/// True when every mutant changes the verdicts that it names.
fn run() -> Result<bool, Box<dyn Error>> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let list = fs::read_to_string(root.join("crates/papers/mutants.toml"))?;
    let Mutants {
        mutant: mut mutants,
    } = toml::from_str(&list)?;
    let is_wanted = |of: &Mutant| {
        wanted
            .iter()
            .any(|text| of.paper == *text || of.name.contains(text))
    };
    mutants.retain(|mutant| wanted.is_empty() || is_wanted(mutant));
    if mutants.is_empty() {
        return Err(format!(
            "no mutant of the list is of a paper {wanted:?}, or has it in its name"
        )
        .into());
    }
    let copy = root.join("target/mutants/sources");
    mirror(&root, &copy)?;
    build(&copy)?;
    let mut whole = BTreeMap::new();
    for mutant in &mutants {
        if !whole.contains_key(&mutant.paper) {
            whole.insert(mutant.paper.clone(), check(&copy, &mutant.paper, None)?);
        }
    }
    let mut all_refuted = true;
    // Those that need no program of their own come first.
    mutants.sort_by_key(|mutant| mutant.chip.is_none());
    for mutant in &mutants {
        let changed = match changed(&copy, mutant, &whole[&mutant.paper]) {
            Ok(changed) => changed,
            Err(error) => {
                println!("{}, {}: no verdicts: {error}", mutant.paper, mutant.name);
                all_refuted = false;
                continue;
            }
        };
        let missed: Vec<&String> = mutant
            .flips
            .iter()
            .filter(|id| !changed.contains(*id))
            .collect();
        let is_refuted = !changed.is_empty() && missed.is_empty();
        all_refuted &= is_refuted;
        println!(
            "{}, {}: {} verdicts change",
            mutant.paper,
            mutant.name,
            changed.len()
        );
        for id in &changed {
            let is_named = if mutant.flips.contains(id) {
                " (named)"
            } else {
                ""
            };
            println!("  {id}{is_named}");
        }
        for id in missed {
            let known = whole[&mutant.paper]
                .get(id)
                .map_or("no quantity", String::as_str);
            println!("  not changed: {id} ({known} before)");
        }
    }
    println!(
        "{}",
        if all_refuted {
            "every mutant changes what it names"
        } else {
            "some mutants do not"
        }
    );
    Ok(all_refuted)
}

/// Quantities that are reproduced by the whole sources, and not by the mutant.
fn changed(copy: &Path, mutant: &Mutant, whole: &Verdicts) -> Result<Vec<String>, Box<dyn Error>> {
    let path = copy.join(&mutant.file);
    let text = fs::read_to_string(&path)?;
    let places = text.matches(&mutant.find).count();
    if places != 1 {
        return Err(format!(
            "{}: found {places} times: {}",
            mutant.file.display(),
            mutant.find
        )
        .into());
    }
    let broken = text.replace(&mutant.find, &mutant.replace);
    let verdicts = match &mutant.chip {
        Some(chip) => {
            let own = copy.join("target-mutant.v");
            fs::write(&own, broken)?;
            check(copy, &mutant.paper, Some((chip, &own)))
        }
        None => {
            fs::write(&path, broken)?;
            let verdicts = build(copy).and_then(|()| check(copy, &mutant.paper, None));
            fs::write(&path, text)?;
            verdicts
        }
    }?;
    let is_reproduced = |verdict: Option<&String>| verdict.is_some_and(|of| of == "reproduced");
    let lost = whole
        .iter()
        .filter(|(id, verdict)| is_reproduced(Some(verdict)) && !is_reproduced(verdicts.get(*id)));
    Ok(lost.map(|(id, _)| id.clone()).collect())
}

/// Copies the sources; files that are alike are left, so that what was built of them is kept.
fn mirror(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if name == "target" || name == ".git" {
            continue;
        }
        let (source, target) = (entry.path(), to.join(&name));
        if source.is_dir() {
            mirror(&source, &target)?;
        } else {
            let bytes = fs::read(&source)?;
            if fs::read(&target).ok().as_ref() != Some(&bytes) {
                fs::write(&target, bytes)?;
            }
        }
    }
    Ok(())
}

/// The folder of what is built of the copy.
fn built(copy: &Path) -> PathBuf {
    copy.with_file_name("build")
}

fn build(copy: &Path) -> Result<(), Box<dyn Error>> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--locked", "--bin", "crosswave"]);
    cargo
        .current_dir(copy)
        .env("CARGO_TARGET_DIR", built(copy))
        .env("RUSTFLAGS", "-A warnings");
    match cargo.status()?.success() {
        true => Ok(()),
        false => Err("it does not build".into()),
    }
}

/// The verdicts of a paper, by the program that was built last.
fn check(copy: &Path, paper: &str, own: Option<(&str, &Path)>) -> Result<Verdicts, Box<dyn Error>> {
    let mut command = Command::new(built(copy).join("debug/crosswave"));
    command.args(["check", paper, "--json", "-"]);
    command.env("RUST_BACKTRACE", "0");
    if let Some((chip, file)) = own {
        command
            .arg("--chip")
            .arg(format!("{chip}={}", file.display()));
    }
    let output = command.output()?;
    // With exit code 1 and verdicts, some verdict is not as it should be.
    if !matches!(output.status.code(), Some(0 | 1)) || output.stdout.is_empty() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let found: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let quantities = found
        .pointer("/papers/0/quantities")
        .and_then(|all| all.as_array());
    let quantities = quantities.ok_or("no quantities")?;
    let text =
        |of: &serde_json::Value, name: &str| of[name].as_str().unwrap_or_default().to_owned();
    Ok(quantities
        .iter()
        .map(|of| (text(of, "id"), text(of, "verdict")))
        .collect())
}
