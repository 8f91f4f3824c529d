//! Folders of outputs, with a manifest of what may be replaced.
//!
//! The manifest, `crosswave.manifest`, is in the form of `sha256sum`: a line for each file
//! that the program wrote there, with its hash. A file is replaced only when it is in the
//! manifest and still what was written, so neither files of others are lost nor what someone
//! has changed since. A file that has the wanted bytes already is left as it is. Files that
//! one command wrote stay in the manifest when another one writes to the folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{PendingFile, USUAL, check_apart, input, written};
use crate::diagnostic::{Class, Diagnostic, Error};

/// The name of the manifest.
pub const MANIFEST: &str = "crosswave.manifest";

/// Permissions of a script, less the user's mask.
const SCRIPT: u32 = 0o777;

/// A file for a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderFile {
    /// Its name in the folder.
    pub name: String,
    /// What is in it.
    pub content: Vec<u8>,
    /// Whether it is to be run.
    pub is_script: bool,
}

impl FolderFile {
    /// A file that is not to be run.
    pub fn new(name: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        FolderFile {
            name: name.into(),
            content: content.into(),
            is_script: false,
        }
    }

    /// A script.
    pub fn script(name: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        FolderFile {
            is_script: true,
            ..FolderFile::new(name, content)
        }
    }
}

/// A folder of outputs.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Hashes of files, by their names.
    own: BTreeMap<String, String>,
}

impl Folder {
    /// A folder, with what its manifest says; neither needs to be there.
    ///
    /// # Errors
    /// When the manifest cannot be read, or is none.
    pub fn new(path: &Path) -> Result<Folder, Error> {
        let manifest = path.join(MANIFEST);
        let mut own = BTreeMap::new();
        if fs::symlink_metadata(&manifest).is_ok() {
            let text = input::read_text(&manifest, input::KEPT_BYTES_MAX, Class::Input)?;
            for (at, line) in text.lines().enumerate() {
                let (hash, name) = entry(line).ok_or_else(|| {
                    let place = format!("line {}", at + 1);
                    let found = "found no SHA-256 and name, as sha256sum writes them";
                    let help = "move the file away; files in its folder are not replaced then";
                    let diagnostic = Diagnostic::new(place, found, help);
                    Error::one(Class::Input, manifest.display().to_string(), diagnostic)
                })?;
                own.insert(name.to_owned(), hash.to_owned());
            }
        }
        Ok(Folder {
            path: path.to_owned(),
            own,
        })
    }

    /// Makes the folder when it is not there, and finds out whether it takes files.
    ///
    /// # Errors
    /// An error of [`Class::Io`] when it cannot be made or written to.
    pub fn make(&self) -> Result<(), Error> {
        fs::create_dir_all(&self.path)
            .map_err(|error| Error::io(&self.path, "making the folder", &error))?;
        tempfile::tempfile_in(&self.path)
            .map(drop)
            .map_err(|error| super::without_temporary_name(&error))
            .map_err(|error| Error::io(&self.path, "writing to the folder", &error))
    }

    /// Fails when files of these names are there that are not to be replaced, for a command
    /// that takes long to find out what to write.
    ///
    /// # Errors
    /// An error of [`Class::Usage`] of all of them.
    pub fn check_names<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<(), Error> {
        self.check(names.into_iter().map(|name| (name, None)))
    }

    /// Writes files, all or none, and notes them in the manifest. `inputs` are what the
    /// command has read, each as (what the user calls it, path).
    ///
    /// # Errors
    /// An error of [`Class::Usage`] when an input or a file that is not the program's would be
    /// replaced, and an error of [`Class::Io`] when writing fails.
    pub fn write(&mut self, inputs: &[(&str, &Path)], files: &[FolderFile]) -> Result<(), Error> {
        let paths: Vec<PathBuf> = files
            .iter()
            .map(|file| self.path.join(&file.name))
            .collect();
        let outputs: Vec<(&str, &Path)> = files
            .iter()
            .zip(&paths)
            .map(|(file, path)| (file.name.as_str(), path.as_path()))
            .collect();
        check_apart(inputs, &outputs)?;
        self.check(files.iter().map(|file| {
            let hash = hash(&file.content);
            (file.name.as_str(), Some(hash))
        }))?;
        self.make()?;
        let mut pending: Vec<PendingFile> = Vec::new();
        for (file, path) in files.iter().zip(&paths) {
            let mode = if file.is_script { SCRIPT } else { USUAL };
            let hash = hash(&file.content);
            if self.there(&file.name).as_ref() != Some(&hash) {
                pending.push(written(path, mode, |out| out.write_all(&file.content))?);
            }
            self.own.insert(file.name.clone(), hash);
        }
        let mut manifest = String::new();
        for (name, hash) in &self.own {
            manifest.push_str(&format!("{hash}  {name}\n"));
        }
        if self.there(MANIFEST) != Some(hash(manifest.as_bytes())) {
            let path = self.path.join(MANIFEST);
            pending.push(written(&path, USUAL, |out| {
                out.write_all(manifest.as_bytes())
            })?);
        }
        PendingFile::finish_all(pending)
    }

    /// Removes a file that the program wrote and nobody has changed, where there is one; the next
    /// write notes it.
    ///
    /// # Errors
    /// An error of [`Class::Io`] when it cannot be removed.
    pub fn remove(&mut self, name: &str) -> Result<(), Error> {
        if self.own.contains_key(name) && self.own.get(name) == self.there(name).as_ref() {
            let path = self.path.join(name);
            fs::remove_file(&path).map_err(|error| Error::io(&path, "removing", &error))?;
            self.own.remove(name);
        }
        Ok(())
    }

    /// Fails when one of these files is there, is not what is wanted, and is not the
    /// program's own. Each is given as (name, hash of what is wanted).
    fn check<'a>(
        &self,
        files: impl Iterator<Item = (&'a str, Option<String>)>,
    ) -> Result<(), Error> {
        let mut diagnostics = Vec::new();
        let mut seen = BTreeSet::new();
        for (name, wanted) in files.filter(|(name, _)| seen.insert(*name)) {
            if fs::symlink_metadata(self.path.join(name)).is_err() {
                continue;
            }
            let there = self.there(name);
            let message = match self.own.get(name) {
                _ if there.is_some() && there == wanted => continue,
                Some(own) if there.as_ref() == Some(own) => continue,
                Some(_) => "it was changed after crosswave wrote it, and would be replaced",
                None => "crosswave did not write it, and it would be replaced",
            };
            let help = "move it away, or name another folder";
            diagnostics.push(Diagnostic::new(name, message, help));
        }
        match diagnostics.is_empty() {
            true => Ok(()),
            false => Err(Error {
                class: Class::Usage,
                origin: self.path.display().to_string(),
                source: None,
                diagnostics,
            }),
        }
    }

    /// The hash of a file that is there; `None` when it cannot be read as a file.
    fn there(&self, name: &str) -> Option<String> {
        let path = self.path.join(name);
        fs::metadata(&path).ok().filter(|found| found.is_file())?;
        let mut file = fs::File::open(path).ok()?;
        let mut hash = Sha256::new();
        std::io::copy(&mut file, &mut HashWriter(&mut hash)).ok()?;
        Some(hexadecimal(&hash.finalize()))
    }
}

/// Hashes what is written to it.
struct HashWriter<'a>(&'a mut Sha256);

impl std::io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn hash(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The hash and the name of a line of the manifest.
fn entry(line: &str) -> Option<(&str, &str)> {
    let (hash, name) = line.split_once("  ")?;
    let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_hash && !name.is_empty()).then_some((hash, name))
}
