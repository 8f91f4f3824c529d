//! A system that fails: at a close, a sync or a rename, or at the start of a thread. An output is whole
//! or it is not there, files of one folder are all new or all old, and the exit code is 4.

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use crate::program::{files, root, success, workplace, write};

/// The library of calls that fail, compiled once.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = LIBRARY.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("failing_files.so");
        let compiled = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(&path)
            .arg(root("tests/quick/failing_files.c"))
            .arg("-ldl")
            .status();
        assert!(compiled.expect("a C compiler").success());
        (folder, path)
    });
    path
}

/// Runs the program on a system on which a call fails.
fn on_failing(folder: &Path, fault: (&str, &str), line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_crosswave"))
        .args(line.split(' '))
        .current_dir(folder)
        .env("LD_PRELOAD", library())
        .env(fault.0, fault.1)
        .output()
        .expect("the program starts")
}

/// Every file of a folder, hidden ones too.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder");
    let files = entries.map(|entry| entry.expect("an entry").path());
    let files = files.filter(|path| path.is_file());
    files
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy();
            (name.into_owned(), fs::read(&path).expect("a file"))
        })
        .collect()
}

/// Every command that writes a file, with what it writes.
const WRITERS: [(&str, &str); 12] = [
    ("run small.toml -q --vcd", "w.vcd"),
    ("run small.toml -q --vcd", "w.vcd.gz"),
    ("run small.toml -q --fst", "w.fst"),
    ("run small.toml -q --messages", "m.csv"),
    ("run small.toml -q --events", "e.jsonl"),
    ("run small.toml -q --transactions", "t.ftr"),
    ("run small.toml -q --transactions", "t.json"),
    ("run small.toml -q --checkpoints", "c.checkpoints"),
    ("run small.toml -q --collisions", "c.csv"),
    ("run small.toml -q --json", "r.json"),
    ("view small.toml --window 0..9 --html", "v.html"),
    ("info small.toml --structure", "s.txt"),
];

#[test]
fn an_error_of_close_or_sync_leaves_no_file() {
    let work = workplace();
    let folder = work.path();
    let close = ("FAIL_CLOSE", "1");
    let faults = [close, ("FAIL_SYNC", "1"), ("FAIL_SYNC", "folder")];
    for (at, (command, name)) in WRITERS.into_iter().enumerate() {
        let line = format!("{command} {name}");
        // All writers go the same way; one that is left open by its writer is found at its close.
        let (faults, olds) = match at {
            0 => (&faults[..], &[None, Some("old")][..]),
            _ => (&faults[..1], &[Some("old")][..]),
        };
        for &fault in faults {
            for &old in olds {
                let path = folder.join(name);
                let _ = fs::remove_file(&path);
                old.iter()
                    .for_each(|text| fs::write(&path, text).expect("a file"));
                let before = contents(folder);
                let output = on_failing(folder, fault, &line);
                let said = String::from_utf8_lossy(&output.stderr);
                assert_eq!(output.status.code(), Some(4), "{line}, {fault:?}: {said}");
                assert!(
                    said.contains("closing failed") || said.contains("syncing"),
                    "{said}"
                );
                assert!(contents(folder) == before, "{line}, {fault:?}: {said}");
            }
        }
    }
}

#[test]
fn a_folder_is_all_new_or_all_old() {
    let work = workplace();
    let folder = work.path();
    let export = |seed: u32| {
        format!("export small.toml --verilog ex --set run.seed={seed} --set traffic.words={seed}")
    };
    let ex = folder.join("ex");
    success(folder, &export(4).split(' ').collect::<Vec<&str>>());
    let old = contents(&ex);
    success(folder, &export(5).split(' ').collect::<Vec<&str>>());
    let new = contents(&ex);
    let changed = old
        .iter()
        .filter(|(name, text)| new[*name] != **text)
        .count();
    assert!(
        changed >= 3,
        "{changed} files differ, the manifest among them"
    );
    // The list of what is being written takes its name first.
    let renames = changed + 1;
    for rename in 1..=renames {
        success(folder, &export(4).split(' ').collect::<Vec<&str>>());
        assert!(contents(&ex) == old);
        let nth = rename.to_string();
        let output = on_failing(folder, ("FAIL_RENAME", &nth), &export(5));
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "rename {nth}: {said}");
        assert!(contents(&ex) == old, "rename {nth}: {said}");
        let output = on_failing(folder, ("KILL_RENAME", &nth), &export(5));
        assert_eq!(output.status.code(), None, "rename {nth}");
        // Whoever opens the folder next finds what the killed program was about to finish.
        success(folder, &export(5).split(' ').collect::<Vec<&str>>());
        let mut found = contents(&ex);
        found.retain(|name, _| !name.starts_with(".crosswave-"));
        assert!(found == new, "rename {nth}");
        for name in contents(&ex)
            .into_keys()
            .filter(|name| name.starts_with('.'))
        {
            fs::remove_file(ex.join(name)).expect("what a killed program leaves");
        }
    }
    let output = on_failing(
        folder,
        ("FAIL_RENAME", &(renames + 1).to_string()),
        &export(4),
    );
    assert!(output.status.success(), "there are no more renames");
    assert!(contents(&ex) == old);
    // An empty folder is left empty.
    let output = on_failing(
        folder,
        ("FAIL_RENAME", "4"),
        &export(4).replace(" ex ", " none "),
    );
    assert_eq!(output.status.code(), Some(4));
    assert!(contents(&folder.join("none")).is_empty());
}

#[test]
fn a_waveform_and_its_viewer_files_are_one() {
    let work = workplace();
    let folder = work.path();
    let line = "run small.toml -q --vcd w.vcd --viewer-files";
    for rename in ["1", "2", "3"] {
        let output = on_failing(folder, ("FAIL_RENAME", rename), line);
        assert_eq!(output.status.code(), Some(4));
        assert_eq!(
            contents(folder).into_keys().collect::<Vec<_>>(),
            ["small.toml"]
        );
    }
    let output = on_failing(folder, ("FAIL_RENAME", "4"), line);
    assert!(output.status.success());
    let names = ["small.toml", "w.gtkw", "w.sucl", "w.vcd"];
    assert_eq!(contents(folder).into_keys().collect::<Vec<_>>(), names);
}

/// Commands that use threads. What does not need them goes on without, and gives the same.
#[test]
fn a_thread_that_does_not_start_is_reported() {
    let work = workplace();
    let folder = work.path();
    let needed = [
        "compare small.toml small.toml -q",
        "run small.toml -q --events e.jsonl",
        "run small.toml -q --vcd w.vcd --trigger differs(**.node_0.**)",
    ];
    let spared = [
        "run small.toml -q --engine gate --messages -",
        "sweep small.toml --vary traffic.words=1,2 --replicates 2..2 --out sweep",
        "oblivious tree.toml",
    ];
    write(
        folder,
        "tree.toml",
        "[network]\nkind = \"m-port-n-tree\"\nports = 4\nlevels = 3\n[traffic]\npattern = \"random\"\n",
    );
    for first in ["1", "2"] {
        for line in needed {
            let output = on_failing(folder, ("FAIL_THREAD", first), line);
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!said.contains("panicked"), "{line}: {said}");
            assert_eq!(output.status.code(), Some(4), "{line}: {said}");
            assert!(said.contains("Resource temporarily unavailable"), "{said}");
            assert_eq!(files(folder), ["small.toml", "tree.toml"], "{line}");
        }
    }
    for line in spared {
        // The sweep keeps its points, so the first run is the one without threads.
        let alone = on_failing(folder, ("FAIL_THREAD", "1"), line);
        let whole = on_failing(folder, ("FAIL_THREAD", "1000"), line);
        let said = String::from_utf8_lossy(&alone.stderr);
        assert!(alone.status.success(), "{line}: {said}");
        assert_eq!(alone.stdout, whole.stdout, "{line}");
    }
}
