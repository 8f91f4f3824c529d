//! The corpora of the fuzzer (`tests/fuzz`), each file of them fed once to its reader.

#[path = "../fuzz/src/readers/mod.rs"]
mod readers;

use std::fs;
use std::panic::catch_unwind;
use std::path::PathBuf;

use crate::program::root;

/// The files of a corpus, in the order of their names.
fn corpus(name: &str) -> Vec<PathBuf> {
    let folder = fs::read_dir(root("tests/fuzz/corpus").join(name)).expect("a corpus");
    let mut files: Vec<PathBuf> = folder.map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{name} has a corpus");
    files
}

#[test]
fn readers_take_every_file_of_their_corpora() {
    let mut failed = Vec::new();
    for &(name, reader) in readers::READERS {
        for path in corpus(name) {
            let bytes = fs::read(&path).expect("a file");
            if catch_unwind(|| reader(&bytes)).is_err() {
                failed.push(path);
            }
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}

#[test]
fn every_target_is_a_reader() {
    let manifest = fs::read_to_string(root("tests/fuzz/Cargo.toml")).expect("a manifest");
    let targets = fs::read_dir(root("tests/fuzz/fuzz_targets")).expect("targets");
    assert_eq!(targets.count(), readers::READERS.len());
    for (name, _) in readers::READERS {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
    }
}

#[test]
fn files_of_the_program_are_read() {
    for choice in 0..4 {
        readers::kept::checkpoint(&readers::kept::genuine_checkpoint(choice));
    }
    readers::kept::saved_run(&readers::kept::genuine_saved_run());
    readers::kept::point(&readers::kept::genuine_point());
}
