//! Helpers of the tests that run the program as its users do.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crosswave_chips::CHIPS;

/// A file of the repository.
pub fn root(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The folder in which tests keep netlists that Yosys made. Two tests that begin at once may make the same
/// netlist, which is quicker than to wait for one another.
pub const NETLISTS: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/netlists");

pub fn crosswave(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_crosswave"))
        .args(arguments)
        .current_dir(folder)
        .env("CROSSWAVE_CACHE", NETLISTS)
        .output()
        .expect("the program starts")
}

/// Runs the program, which has to end with `code` and without a panic, and gives
/// what it says of the failure.
pub fn failure(folder: &Path, arguments: &[&str], code: i32) -> String {
    let output = crosswave(folder, arguments);
    let said = String::from_utf8(output.stderr).expect("messages are UTF-8");
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    assert!(!said.contains("panicked"), "{said}");
    said.replace(&folder.display().to_string(), "[folder]")
}

/// Runs the program, which has to succeed, and gives its standard output.
pub fn success(folder: &Path, arguments: &[&str]) -> String {
    let output = crosswave(folder, arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).expect("output is UTF-8")
}

/// Runs a line of shell, in which `crosswave` is the program.
pub fn shell(folder: &Path, line: &str) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_crosswave"));
    let programs = program.parent().expect("a folder").display();
    let path = std::env::var("PATH").unwrap_or_default();
    Command::new("sh")
        .args(["-c", line])
        .current_dir(folder)
        .env("PATH", format!("{programs}:{path}"))
        .env("CROSSWAVE_CACHE", NETLISTS)
        // A program that was compiled runs for a moment.
        .env("CFLAGS", "-O0")
        .output()
        .expect("a shell")
}

/// A folder with a small configuration, `small.toml`.
pub fn workplace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(
        folder.path(),
        "small.toml",
        "[network]\nkind = \"fat-tree\"\nnodes = 64\n\
         [traffic]\npattern = \"random\"\nwords = 4\n",
    );
    folder
}

/// Writes the Verilog of the chips to a new folder `hdl`, as `crosswave headers` takes it.
pub fn write_chips(folder: &Path) {
    fs::create_dir(folder.join("hdl")).expect("a folder");
    for (name, text) in CHIPS.iter().flat_map(|chip| chip.sources) {
        write(&folder.join("hdl"), name, text);
    }
}

pub fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("the folder is writable");
}

pub fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The names of the files of a folder, sorted.
pub fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| {
            entry
                .expect("readable")
                .file_name()
                .into_string()
                .expect("UTF-8")
        })
        .collect();
    names.sort();
    names
}
