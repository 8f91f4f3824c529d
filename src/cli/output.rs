//! Standard output and JSON.

use std::io::{self, Write};
use std::path::Path;

use crate::diagnostic::{Class, Diagnostic, Report};
use crate::file;

/// Writes to standard output.
pub(super) fn print(bytes: &[u8]) -> Result<(), Report> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)
        .and_then(|()| out.flush())
        .map_err(|error| Report::io(Path::new("standard output"), "writing", &error))
}

/// Whether what is written to `path` goes where standard output goes.
pub(super) fn is_standard(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let place = |path: &Path| {
            let found = std::fs::metadata(path).ok()?;
            Some((found.dev(), found.ino()))
        };
        let named = place(path);
        if named.is_some() && named == place(Path::new("/dev/stdout")) {
            return true;
        }
    }
    path.as_os_str() == "-"
}

/// Writes a value as JSON, or prints it when the path is `-`.
pub(super) fn write_json(path: &Path, value: &impl serde::Serialize) -> Result<(), Report> {
    let mut text = serde_json::to_vec_pretty(value).map_err(|error| {
        Report::one(
            Class::Io,
            "JSON",
            Diagnostic::new("result", error.to_string(), ""),
        )
    })?;
    text.push(b'\n');
    write_or_print(path, &text)
}

/// Writes to a file, or to standard output when the name is `-`.
fn write_or_print(path: &Path, bytes: &[u8]) -> Result<(), Report> {
    if path.as_os_str() == "-" {
        print(bytes)
    } else {
        file::write(path, |out| out.write_all(bytes))
    }
}
