//! Folders of outputs, with a manifest of what may be replaced.
//!
//! The manifest, `crosswave.manifest`, is in the form of `sha256sum`: a line for each file
//! that the program wrote there, with its hash. A file is replaced only when it is in the
//! manifest and still what was written, so neither files of others are lost nor what someone
//! has changed since. A file that has the wanted bytes already is left as it is. Files that
//! one command wrote stay in the manifest when another one writes to the folder.
//!
//! Files of one write appear together. They are complete on the disk before the first has its
//! name, and when one cannot be renamed, all names get back what they had. A program that is
//! killed between two renames leaves `crosswave.manifest.next`: a line for each file, with its
//! hash, its temporary name and its name. Whoever opens the folder next finishes what it lists.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{PendingFile, USUAL, claims, durable, input, written};
use crate::diagnostic::{Class, Diagnostic, Error};

/// The name of the manifest.
pub const MANIFEST: &str = "crosswave.manifest";

/// The name of the list of a write that is being finished.
const NEXT: &str = "crosswave.manifest.next";

/// Permissions of a script, less the user's mask.
const SCRIPT: u32 = 0o777;

/// A file for a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderFile {
    /// Its name in the folder.
    pub name: String,
    /// Content of the file.
    pub content: Vec<u8>,
    /// True when the file is to be executable.
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

/// Files that are complete, under temporary names.
#[derive(Debug, Default)]
struct Staged {
    pending: Vec<PendingFile>,
    /// A line for each: hash, temporary name and name.
    list: String,
}

impl Staged {
    fn add(
        &mut self,
        folder: &Path,
        name: &str,
        hash: &str,
        mode: u32,
        content: &[u8],
    ) -> Result<(), Error> {
        let file = written(&folder.join(name), mode, |out| out.write_all(content))?;
        let temporary = file.temporary_name().unwrap_or_default();
        self.list.push_str(&format!("{hash}  {temporary}/{name}\n"));
        self.pending.push(file);
        Ok(())
    }
}

/// A folder of outputs.
#[derive(Debug)]
pub struct Folder {
    /// Name of the folder for its user, such as an option.
    what: String,
    path: PathBuf,
    /// Hashes of files, by their names.
    own: BTreeMap<String, String>,
    /// Files that the next write removes.
    obsolete: BTreeSet<String>,
}

impl Folder {
    /// A folder, with what its manifest says; neither needs to be there. A write that was
    /// killed is finished. `what` is what the user calls it, such as an option.
    ///
    /// # Errors
    /// When the manifest cannot be read, or is none, when a killed write cannot be finished, and
    /// when the folder is an input or another output.
    pub fn new(what: &str, path: &Path) -> Result<Folder, Error> {
        claims::claim_outputs(&[(what, path)])?;
        let mut folder = Folder {
            what: what.to_owned(),
            path: path.to_owned(),
            own: BTreeMap::new(),
            obsolete: BTreeSet::new(),
        };
        if let Some(lines) = folder.lines(NEXT)? {
            folder.own = folder.manifest()?;
            folder.finish_killed(&lines)?;
        }
        folder.own = folder.manifest()?;
        Ok(folder)
    }

    /// The hashes of the manifest, by the names of the files.
    fn manifest(&self) -> Result<BTreeMap<String, String>, Error> {
        let lines = self.lines(MANIFEST)?.unwrap_or_default();
        Ok(lines.into_iter().map(|(hash, name)| (name, hash)).collect())
    }

    /// Hashes and names of a list in the folder, where it is there.
    fn lines(&self, list: &str) -> Result<Option<Vec<(String, String)>>, Error> {
        let path = self.path.join(list);
        if fs::symlink_metadata(&path).is_err() {
            return Ok(None);
        }
        let text = input::read_own_text(&path, input::KEPT)?;
        let lines = text.lines().enumerate().map(|(at, line)| {
            let (hash, name) = entry(line).ok_or_else(|| {
                let place = format!("line {}", at + 1);
                let found = "found no SHA-256 and name, as sha256sum writes them";
                let help = "move the file away; files in its folder are not replaced then";
                let diagnostic = Diagnostic::new(place, found, help);
                Error::one(Class::Input, path.display().to_string(), diagnostic)
            })?;
            Ok((hash.to_owned(), name.to_owned()))
        });
        lines.collect::<Result<_, Error>>().map(Some)
    }

    /// Gives files their names that a killed program has left complete. A name whose file is
    /// neither in the manifest nor what was to be written is left alone.
    fn finish_killed(&self, lines: &[(String, String)]) -> Result<(), Error> {
        for (hash, names) in lines {
            let Some((temporary, name)) = names.split_once('/') else {
                continue;
            };
            let is_temporary = super::is_temporary(temporary);
            let is_free = match self.there(name)? {
                None => fs::symlink_metadata(self.path.join(name)).is_err(),
                Some(there) => name == MANIFEST || self.own.get(name) == Some(&there),
            };
            let is_candidate = is_temporary && is_free && !name.contains('/');
            if is_candidate && self.there(temporary)?.as_ref() == Some(hash) {
                let path = self.path.join(name);
                claims::check_free(&self.what, &path)?;
                fs::rename(self.path.join(temporary), &path)
                    .map_err(|error| Error::io(&path, "renaming", &error))?;
            }
        }
        self.forget_next()
    }

    /// Removes the list of a write that is finished.
    fn forget_next(&self) -> Result<(), Error> {
        let path = self.path.join(NEXT);
        durable::sync_folder(&self.path)
            .and_then(|()| fs::remove_file(&path))
            .map_err(|error| Error::io(&path, "removing", &error))
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

    /// Claims the names of files before the work whose results they get, and fails when files of
    /// these names are there that are not to be replaced.
    ///
    /// # Errors
    /// An error of [`Class::Usage`] when another output, an input, or a file that the program did
    /// not write is one of them.
    pub fn claim_names<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<(), Error> {
        let names: Vec<&str> = names.into_iter().collect();
        let own = names.iter().copied().chain([MANIFEST, NEXT]);
        let paths: Vec<PathBuf> = own.map(|name| self.path.join(name)).collect();
        let outputs: Vec<(&str, &Path)> = paths.iter().map(|path| (&*self.what, &**path)).collect();
        claims::claim_outputs(&outputs)?;
        self.check(names.into_iter().map(|name| (name, None)))
    }

    /// Writes files, all or none, and notes them in the manifest.
    ///
    /// # Errors
    /// An error of [`Class::Usage`] when an input, another output or a file that is not the
    /// program's would be replaced, and an error of [`Class::Io`] when writing fails.
    pub fn write(&mut self, files: &[FolderFile]) -> Result<(), Error> {
        for file in files {
            claims::check_free(&self.what, &self.path.join(&file.name))?;
        }
        for name in [MANIFEST, NEXT] {
            claims::check_unclaimed(&self.what, &self.path.join(name))?;
        }
        let hashes: Vec<String> = files.iter().map(|file| hash(&file.content)).collect();
        let wanted = files.iter().zip(&hashes);
        self.check(wanted.map(|(file, hash)| (file.name.as_str(), Some(hash.as_str()))))?;
        self.make()?;
        let removed = self.removable()?;
        let mut own = self.own.clone();
        own.retain(|name, _| !removed.contains(name));
        let mut staged = Staged::default();
        for (file, hash) in files.iter().zip(&hashes) {
            if self.there(&file.name)?.as_ref() != Some(hash) {
                let mode = if file.is_script { SCRIPT } else { USUAL };
                staged.add(&self.path, &file.name, hash, mode, &file.content)?;
            }
            own.insert(file.name.clone(), hash.clone());
        }
        let manifest: String = own
            .iter()
            .map(|(name, hash)| format!("{hash}  {name}\n"))
            .collect();
        let manifest_hash = hash(manifest.as_bytes());
        if self.there(MANIFEST)?.as_ref() != Some(&manifest_hash) {
            staged.add(
                &self.path,
                MANIFEST,
                &manifest_hash,
                USUAL,
                manifest.as_bytes(),
            )?;
        }
        self.finish(staged)?;
        self.own = own;
        self.obsolete.clear();
        removed.iter().try_for_each(|name| {
            let path = self.path.join(name);
            fs::remove_file(&path).map_err(|error| Error::io(&path, "removing", &error))
        })
    }

    /// Gives staged files their names, and has a list of them there meanwhile.
    fn finish(&self, staged: Staged) -> Result<(), Error> {
        let Staged { pending, list } = staged;
        if pending.len() < 2 {
            return PendingFile::finish_all(pending);
        }
        let next = self.path.join(NEXT);
        written(&next, USUAL, |out| out.write_all(list.as_bytes()))?.finish()?;
        let finished = PendingFile::finish_all(pending);
        finished.and(self.forget_next())
    }

    /// Has the next write remove a file, where the program wrote it and nobody has changed it.
    pub fn remove(&mut self, name: &str) {
        self.obsolete.insert(name.to_owned());
    }

    /// Has the next write remove the files that the program wrote, nobody has changed, and are not
    /// among these.
    pub fn remove_others(&mut self, files: &[FolderFile]) {
        let is_wanted = |name: &String| files.iter().any(|file| file.name == *name);
        let others = self.own.keys().filter(|name| !is_wanted(name));
        self.obsolete.extend(others.cloned());
    }

    /// Files to be removed that are still what was written.
    fn removable(&self) -> Result<BTreeSet<String>, Error> {
        let mut removable = BTreeSet::new();
        for name in &self.obsolete {
            if let Some(own) = self.own.get(name)
                && self.there(name)?.as_ref() == Some(own)
            {
                removable.insert(name.clone());
            }
        }
        Ok(removable)
    }

    /// Fails when one of these files is there, is not what is wanted, and is not the
    /// program's own. Each is given as (name, hash of what is wanted).
    fn check<'a>(
        &self,
        files: impl Iterator<Item = (&'a str, Option<&'a str>)>,
    ) -> Result<(), Error> {
        let mut diagnostics = Vec::new();
        let mut seen = BTreeSet::new();
        for (name, wanted) in files.filter(|(name, _)| seen.insert(*name)) {
            if fs::symlink_metadata(self.path.join(name)).is_err() {
                continue;
            }
            let there = self.there(name)?;
            let message = match self.own.get(name) {
                _ if there.is_some() && there.as_deref() == wanted => continue,
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

    /// The hash of a file; `None` when no file has the name.
    ///
    /// # Errors
    /// An error of [`Class::Io`] when the file cannot be read.
    fn there(&self, name: &str) -> Result<Option<String>, Error> {
        let path = self.path.join(name);
        let failed = |error: std::io::Error| Error::io(&path, "reading", &error);
        match fs::metadata(&path) {
            Ok(found) if found.is_file() => {}
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(error)),
            _ => return Ok(None),
        }
        let mut file = fs::File::open(&path).map_err(failed)?;
        let mut hash = Sha256::new();
        std::io::copy(&mut file, &mut HashWriter(&mut hash)).map_err(failed)?;
        Ok(Some(hexadecimal(&hash.finalize())))
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

pub(super) fn hash(bytes: &[u8]) -> String {
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
