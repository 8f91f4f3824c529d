//! Every reader of the program, each as a function of bytes.
//!
//! | module | holds |
//! |---|---|
//! | `configurations` | configurations, component files, lists of routers and links |
//! | `traffic` | traces, traffic matrices, schedules |
//! | `routing` | routing tables, InfiniBand subnets |
//! | `waves` | VCD, FST, compressed waveforms |
//! | `designs` | netlists, stimuli, conditions |
//! | `kept` | checkpoints, kept points, coverage: files that the program wrote itself |
//!
//! A function takes any bytes and returns. It panics when a reader does, and when a text that was read is
//! not the same after it was written and read again. A mistake that a reader reports is no fault. Every
//! such report is printed, because that looks at the places in it.

pub mod configurations;
pub mod designs;
pub mod kept;
pub mod routing;
pub mod traffic;
pub mod waves;

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use crosswave_base::diagnostic::Error;
use tempfile::TempDir;

/// A reader: its name, which is that of its target and of its corpus, and its function.
pub type Reader = (&'static str, fn(&[u8]));

/// All readers.
pub const READERS: &[Reader] = &[
    ("checkpoint", kept::checkpoint),
    ("component", configurations::component),
    ("condition", designs::condition),
    ("config", configurations::config),
    ("coverage", kept::coverage),
    ("fst", waves::fst),
    ("lists", configurations::lists),
    ("matrix", traffic::matrix),
    ("netlist", designs::netlist),
    ("packed", waves::packed),
    ("point", kept::point),
    ("saved_run", kept::saved_run),
    ("schedule", traffic::schedule),
    ("stimulus", designs::stimulus),
    ("subnet", routing::subnet),
    ("table", routing::table),
    ("trace", traffic::trace),
    ("vcd", waves::vcd),
];

/// The line between the parts of an input that is several files.
pub const PART: &str = "\n%%\n";

/// The parts of an input, of which those that are missing are empty.
fn parts<const N: usize>(data: &[u8]) -> Option<[&str; N]> {
    let mut parts = std::str::from_utf8(data).ok()?.splitn(N, PART);
    Some([(); N].map(|()| parts.next().unwrap_or_default()))
}

/// The value that was read; a mistake is printed.
fn read<T>(found: Result<T, Error>) -> Option<T> {
    found
        .map_err(|mistake| {
            assert!(!mistake.diagnostics.is_empty(), "a mistake is described");
            assert!(!mistake.to_string().is_empty(), "a mistake is printed");
        })
        .ok()
}

/// The folder with files that configurations name.
fn files() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let from_root = here.join("tests/fuzz/files");
    match from_root.is_dir() {
        true => from_root,
        false => here.join("files"),
    }
}

thread_local! {
    /// A folder in memory, where the system has one, for readers that take files.
    static FOLDER: RefCell<Option<TempDir>> = const { RefCell::new(None) };
}

/// A file with this content in a folder of this thread.
fn file(name: &str, content: &[u8]) -> PathBuf {
    FOLDER.with_borrow_mut(|folder| {
        let folder = folder.get_or_insert_with(|| {
            let memory = Path::new("/dev/shm");
            let made = match memory.is_dir() {
                true => tempfile::tempdir_in(memory),
                false => tempfile::tempdir(),
            };
            made.expect("a folder")
        });
        let path = folder.path().join(name);
        fs::write(&path, content).expect("a file");
        path
    })
}
