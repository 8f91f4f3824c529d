//! A folder that another program works in, and that goes when it is dropped.

use std::fs;
use std::io;
use std::path::Path;

use tempfile::TempDir;

use super::input::{Limited, NETLIST};

/// A folder of its own among the system's temporary files. Nothing outside of it is written.
#[derive(Debug)]
pub struct TemporaryFolder(TempDir);

impl TemporaryFolder {
    /// A new one, which is empty.
    ///
    /// # Errors
    /// As the system says.
    pub fn new() -> io::Result<TemporaryFolder> {
        tempfile::tempdir().map(TemporaryFolder)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file in it, with the folders on the way there.
    ///
    /// # Errors
    /// As the system says.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.path().join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, bytes)
    }

    /// The text of a file in it.
    ///
    /// # Errors
    /// As the system says, and when it is larger than a netlist may be or no UTF-8.
    pub fn read_text(&self, name: &str) -> io::Result<String> {
        let file = fs::File::open(self.path().join(name))?;
        io::read_to_string(Limited::new(file, NETLIST.bytes_max))
    }
}
