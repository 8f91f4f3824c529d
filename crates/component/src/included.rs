//! Files that Verilog includes: for exports, as an export is one folder, and for constants in them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crosswave_base::diagnostic::{Class, Error};
use crosswave_base::file::input;

/// Files that are included at most.
const FILES_MAX: usize = 256;

/// The directive with its blank.
const INCLUDE: &str = "`include";

/// The folders in which included files are looked for, and those that were found, by the names that they
/// get.
#[derive(Debug)]
pub struct Included<'a> {
    folders: &'a [PathBuf],
    /// The paths and texts of files.
    pub files: BTreeMap<String, (PathBuf, String)>,
}

impl<'a> Included<'a> {
    /// None so far.
    pub fn new(folders: &'a [PathBuf]) -> Included<'a> {
        Included {
            folders,
            files: BTreeMap::new(),
        }
    }

    /// Finds the files that a text in a folder includes, and those that these include. The text with
    /// their names without folders comes back.
    ///
    /// # Errors
    /// When a file that is there cannot be read.
    pub fn of(&mut self, text: &str, folder: &Path) -> Result<String, Error> {
        let mut found = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(INCLUDE) {
            let (before, from) = rest.split_at(at + INCLUDE.len());
            found.push_str(before);
            rest = from;
            let mut parts = from.splitn(3, '"');
            let (Some(blank), Some(path), Some(_)) = (parts.next(), parts.next(), parts.next())
            else {
                continue;
            };
            if !blank.trim().is_empty() || path.contains('\n') {
                continue;
            }
            let name = Path::new(path).file_name().and_then(|name| name.to_str());
            let Some(name) = name else {
                continue;
            };
            found.push_str(&format!("{blank}\"{name}\""));
            rest = &from[blank.len() + path.len() + 2..];
            self.add(path, name, folder)?;
        }
        found.push_str(rest);
        Ok(found)
    }

    /// Takes in an included file. One that is nowhere is left to the reader of the Verilog, which says so
    /// if it needs it.
    fn add(&mut self, path: &str, name: &str, folder: &Path) -> Result<(), Error> {
        let folders = std::iter::once(folder).chain(self.folders.iter().map(PathBuf::as_path));
        let mut paths = folders.map(|folder| folder.join(path));
        let Some(place) = paths.find(|path| path.is_file()) else {
            return Ok(());
        };
        if self.files.contains_key(name) || self.files.len() == FILES_MAX {
            return Ok(());
        }
        let text = input::read_text(&place, input::VERILOG, Class::Input)?;
        // It is known before it is read, as it may include itself.
        let key = name.to_owned();
        self.files
            .insert(key.clone(), (place.clone(), String::new()));
        let text = self.of(&text, place.parent().unwrap_or(Path::new("")))?;
        self.files.insert(key, (place, text));
        Ok(())
    }
}
