//! Results in a folder, under names that are hashes of what they are results of.
//!
//! A file is JSON: the version of the program, what was asked for (`point`), the SHA-256 of
//! what came out, and what came out (`result`). It is named by the first 16 digits of the
//! SHA-256 of version and question, so that another question, or another version, finds
//! nothing. The version is given by who opens the store. A file appears under its name only when it is whole.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file::{self, input};

/// The first bytes of a hash.
pub fn hexadecimal(hash: &[u8], bytes: usize) -> String {
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
    /// The version of the program whose results these are.
    version: String,
    known: Mutex<BTreeMap<String, Value>>,
}

impl Store {
    /// Results in memory only.
    pub fn in_memory() -> Store {
        Store::default()
    }

    /// Results of a version of the program in a folder, which is made when missing.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn in_folder(folder: &Path, version: &str) -> Result<Store, Error> {
        fs::create_dir_all(folder)
            .map_err(|error| Error::io(folder, "making the folder", &error))?;
        Ok(Store {
            folder: Some(folder.to_owned()),
            version: version.to_owned(),
            known: Mutex::default(),
        })
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<String, Value>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The name of what is asked for: 16 hexadecimal digits.
    pub fn name(&self, key: &Value) -> String {
        let text = json!({ "crosswave": self.version, "point": key }).to_string();
        hexadecimal(&Sha256::digest(text.as_bytes()), 8)
    }

    /// The folder of the results; `None` in memory.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The result of what is asked for, when there is one.
    ///
    /// # Errors
    /// When there is a file that cannot be read, or that is not a result of it.
    pub fn read<T: DeserializeOwned>(&self, key: &Value) -> Result<Option<T>, Error> {
        let name = self.name(key);
        if let Some(known) = self.known().get(&name) {
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
        let bytes = input::read(&path, input::KEPT)?;
        let wrong = |found: String| {
            Error::one(
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
        if found.get("crosswave").and_then(Value::as_str) != Some(self.version.as_str())
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
        self.known().insert(name, result);
        Ok(Some(value))
    }

    /// Keeps the result of what was asked for.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write<T: Serialize>(&self, key: &Value, value: &T) -> Result<(), Error> {
        let name = self.name(key);
        let result = serde_json::to_value(value).expect("results are JSON");
        if let Some(folder) = &self.folder {
            let document = json!({
                "crosswave": self.version, "point": key, "sha256": seal(&result), "result": result,
            });
            let text = format!("{document}\n");
            let path = folder.join(format!("{name}.json"));
            file::claims::check_unclaimed("a kept result", &path)?;
            file::write(&path, |out| out.write_all(text.as_bytes()))?;
        }
        self.known().insert(name, result);
        Ok(())
    }

    /// The kept result of what is asked for, or else what `make` gives, which is kept.
    ///
    /// # Errors
    /// As of reading and writing, and those of `make`.
    pub fn kept<T: Serialize + DeserializeOwned>(
        &self,
        key: &Value,
        make: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        if let Some(value) = self.read(key)? {
            return Ok(value);
        }
        let value = make()?;
        self.write(key, &value)?;
        Ok(value)
    }
}
