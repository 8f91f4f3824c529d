//! Results in a folder, under names that are hashes of what they are results of.
//!
//! A file is JSON: the version of the program, what was asked for (`point`), the SHA-256 of
//! what came out, and what came out (`result`). It is named by the first 16 digits of the
//! SHA-256 of version and question, so that another question, or another version, finds
//! nothing. The version has in it the netlists of all chips, and what this program makes of
//! the runs in `reference`. A file appears under its name only when it is whole.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::reference;
use crate::chip::netlists;
use crate::diagnostic::{Class, Diagnostic, Report};
use crate::file::{self, input};

/// The version whose results these are.
fn version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| version_of(netlists::texts(), &reference::parts()))
}

/// The version of a program with such netlists, by their names, that makes this of the
/// reference.
fn version_of<'a>(
    netlists: impl Iterator<Item = (&'a str, &'a str)>,
    reference: &[reference::Part],
) -> String {
    let netlists = netlists.map(|(name, text)| (name, text.as_bytes()));
    let reference = reference
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
    format!(
        "{}, netlists {}, reference {}",
        env!("CARGO_PKG_VERSION"),
        digest(netlists),
        digest(reference)
    )
}

/// A hash of names and contents.
fn digest<'a>(parts: impl Iterator<Item = (&'a str, &'a [u8])>) -> String {
    let mut hash = Sha256::new();
    for (name, content) in parts {
        for text in [name.as_bytes(), content] {
            // With its length before it, no text can pass for a part of its neighbour.
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        }
    }
    hexadecimal(&hash.finalize(), 8)
}

/// The first bytes of a hash.
fn hexadecimal(hash: &[u8], bytes: usize) -> String {
    hash.iter()
        .take(bytes)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The SHA-256 of a result.
fn seal(result: &Value) -> String {
    hexadecimal(&Sha256::digest(result.to_string().as_bytes()), 32)
}

/// Kept results.
#[derive(Debug, Default)]
pub struct Store {
    folder: Option<PathBuf>,
    known: BTreeMap<String, Value>,
}

/// The name of what is asked for: 16 hexadecimal digits.
pub fn name(key: &Value) -> String {
    let text = json!({ "crosswave": version(), "point": key }).to_string();
    hexadecimal(&Sha256::digest(text.as_bytes()), 8)
}

impl Store {
    /// Results in memory only.
    pub fn in_memory() -> Store {
        Store::default()
    }

    /// Results in a folder, which is made when missing.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn in_folder(folder: &Path) -> Result<Store, Report> {
        fs::create_dir_all(folder)
            .map_err(|error| Report::io(folder, "making the folder", &error))?;
        Ok(Store {
            folder: Some(folder.to_owned()),
            known: BTreeMap::new(),
        })
    }

    /// Where results are kept; `None` in memory.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The result of what is asked for, when there is one.
    ///
    /// # Errors
    /// When there is a file that cannot be read, or that is not a result of it.
    pub fn read<T: DeserializeOwned>(&mut self, key: &Value) -> Result<Option<T>, Report> {
        let name = name(key);
        if let Some(known) = self.known.get(&name) {
            let known = T::deserialize(known);
            return Ok(Some(known.expect("what was written can be read")));
        }
        let Some(folder) = &self.folder else {
            return Ok(None);
        };
        let path = folder.join(format!("{name}.json"));
        if fs::symlink_metadata(&path).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            return Ok(None);
        }
        let bytes = input::read(&path, input::KEPT_BYTES_MAX)?;
        let wrong = |found: String| {
            Report::one(
                Class::Input,
                path.display().to_string(),
                Diagnostic::new(
                    "kept result",
                    format!("{found}; expected the result of a point, as this program wrote it"),
                    "remove the file, and the point is simulated again",
                ),
            )
        };
        let mut found: Value =
            serde_json::from_slice(&bytes).map_err(|error| wrong(format!("not JSON: {error}")))?;
        if found.get("crosswave").and_then(Value::as_str) != Some(version())
            || found.get("point") != Some(key)
        {
            return Err(wrong("found the result of something else".into()));
        }
        let result = found.get_mut("result").map_or(Value::Null, Value::take);
        if found.get("sha256").and_then(Value::as_str) != Some(&seal(&result)) {
            return Err(wrong("found a result that is not what was written".into()));
        }
        let value = T::deserialize(&result)
            .map_err(|error| wrong(format!("the result cannot be read: {error}")))?;
        self.known.insert(name, result);
        Ok(Some(value))
    }

    /// Keeps the result of what was asked for.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write<T: Serialize>(&mut self, key: &Value, value: &T) -> Result<(), Report> {
        let name = name(key);
        let result = serde_json::to_value(value).expect("results are JSON");
        if let Some(folder) = &self.folder {
            let document = json!({
                "crosswave": version(), "point": key, "sha256": seal(&result), "result": result,
            });
            let text = format!("{document}\n");
            let path = folder.join(format!("{name}.json"));
            file::write(&path, |out| out.write_all(text.as_bytes()))?;
        }
        self.known.insert(name, result);
        Ok(())
    }

    /// The kept result of what is asked for, or else what `make` gives, which is kept.
    ///
    /// # Errors
    /// As of reading and writing, and those of `make`.
    pub fn kept<T: Serialize + DeserializeOwned>(
        &mut self,
        key: &Value,
        make: impl FnOnce() -> Result<T, Report>,
    ) -> Result<T, Report> {
        if let Some(value) = self.read(key)? {
            return Ok(value);
        }
        let value = make()?;
        self.write(key, &value)?;
        Ok(value)
    }
}

#[cfg(test)]
mod tests;
