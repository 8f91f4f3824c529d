//! Tells the program which revision of its source it is built from.

use std::path::Path;
use std::process::Command;

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

fn main() {
    println!("cargo::rerun-if-changed=src/build.rs");
    // Every commit adds a line to this file.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"])
        && Path::new(&log).exists()
    {
        println!("cargo::rerun-if-changed={log}");
    }
    // A packed source has no revision, whatever repository it is unpacked in.
    let is_own = Path::new(".git").exists();
    let revision = is_own
        .then(|| git(&["rev-parse", "--short=10", "HEAD"]))
        .flatten();
    println!(
        "cargo::rustc-env=CROSSWAVE_REVISION={}",
        revision.unwrap_or_default()
    );
}
