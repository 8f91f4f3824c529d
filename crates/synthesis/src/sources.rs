//! The files of a design, and where Yosys finds them.
//!
//! ```text
//! d0/ d1/ …   the folders of the files that were named, in their order, with all Verilog in them
//! given/      files that were given as texts
//! library/    what is looked for after those
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{Design, ReadOptions};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file::TemporaryFolder;
use crosswave_base::file::input;

/// The folder of the library.
pub const LIBRARY: &str = "library";
/// The folder of files that were given as texts.
const GIVEN: &str = "given";

/// Files beside those that were named that are read at most, and their bytes together.
const BESIDE_MAX: usize = 2_000;
const BESIDE_BYTES_MAX: u64 = 64 << 20;

/// Folders in each other that are searched for included files.
const INCLUDED_DEPTH_MAX: usize = 8;

/// Endings of files that Yosys may want.
const ENDINGS: [&str; 4] = ["v", "sv", "vh", "svh"];

/// The folders of files, each once, in the order in which Yosys finds them as `d0/`, `d1/` and so on.
pub fn folders<'a>(files: impl IntoIterator<Item = &'a PathBuf>) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for file in files {
        let folder = file.parent().unwrap_or(Path::new(""));
        if !folders.iter().any(|known| known == folder) {
            folders.push(folder.to_owned());
        }
    }
    folders
}

/// All that Yosys may read.
#[derive(Debug)]
pub struct Sources {
    /// The top module; `None` where Yosys is to find it.
    pub top: Option<String>,
    /// The reader, macros and parameters.
    pub options: ReadOptions,
    /// The folders, as they were named.
    folders: Vec<PathBuf>,
    /// The files that were named, as Yosys finds them.
    named: Vec<String>,
    /// All files, as Yosys finds them, with what is in them.
    files: BTreeMap<String, Vec<u8>>,
}

impl Sources {
    /// Reads the files of a design and what lies beside them.
    ///
    /// # Errors
    /// When a file that was named cannot be read, or its name cannot be written in a script.
    pub fn read(design: &Design<'_>) -> Result<Sources, Error> {
        let mut sources = Sources {
            top: None,
            options: design.options.clone(),
            folders: folders(design.files),
            named: Vec::new(),
            files: BTreeMap::new(),
        };
        let mut texts = String::new();
        for path in design.files {
            let bytes = input::read(path, input::VERILOG)?;
            let name = name_of(path)?;
            texts.push_str(&String::from_utf8_lossy(&bytes));
            texts.push('\n');
            let folder = path.parent().unwrap_or(Path::new(""));
            let known = sources.folders.iter().position(|known| known == folder);
            let at = known.expect("the folders are those of the files");
            let found = format!("d{at}/{name}");
            sources.named.push(found.clone());
            sources.files.insert(found, bytes);
        }
        for at in 0..sources.folders.len() {
            sources.read_beside(at);
        }
        for folder in design.includes {
            let at = sources.folders.len();
            sources.folders.push(folder.clone());
            sources.read_below(folder, &format!("d{at}"), 0);
        }
        sources.read_mentioned();
        for (name, text) in design.texts {
            texts.push_str(text);
            texts.push('\n');
            let found = format!("{GIVEN}/{name}");
            sources.named.push(found.clone());
            sources.files.insert(found, text.clone().into_bytes());
        }
        for (name, text) in design.library {
            let found = format!("{LIBRARY}/{name}");
            sources.files.insert(found, text.clone().into_bytes());
        }
        if declares(&texts, design.top) {
            sources.top = Some(design.top.to_owned());
        } else if design
            .library
            .iter()
            .any(|(name, _)| declares_module_of(&texts, name))
        {
            // A part of the chip: the rest is looked for.
            sources.top = Some(design.top.to_owned());
            let mut places = (0..sources.folders.len()).map(|at| format!("d{at}"));
            let beside = places.find_map(|place| {
                let found = format!("{place}/{}.v", design.top);
                sources.files.contains_key(&found).then_some(found)
            });
            let of_library = || format!("{LIBRARY}/{}.v", design.top);
            sources.named.push(beside.unwrap_or_else(of_library));
        }
        Ok(sources)
    }

    /// Takes in the Verilog in a folder and in those in it, under a name.
    fn read_below(&mut self, folder: &Path, name: &str, depth: usize) {
        if depth > INCLUDED_DEPTH_MAX {
            return;
        }
        self.read_folder(folder, name);
        let Ok(entries) = fs::read_dir(folder) else {
            return;
        };
        let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
        let mut folders: Vec<PathBuf> = paths.filter(|path| path.is_dir()).collect();
        folders.sort();
        for inner in folders {
            if let Ok(of_inner) = name_of(&inner) {
                self.read_below(&inner, &format!("{name}/{of_inner}"), depth + 1);
            }
        }
    }

    /// Takes in the Verilog in the folder of a file that was named.
    fn read_beside(&mut self, at: usize) {
        let folder = match self.folders[at].as_os_str().is_empty() {
            true => PathBuf::from("."),
            false => self.folders[at].clone(),
        };
        self.read_folder(&folder, &format!("d{at}"));
    }

    /// Takes in the Verilog in a folder, under a name. What cannot be read is left out, as it may be none of the
    /// design's; Yosys says so if it is.
    fn read_folder(&mut self, folder: &Path, of: &str) {
        let Ok(entries) = fs::read_dir(folder) else {
            return;
        };
        let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
        let is_verilog = |path: &PathBuf| {
            let ending = path.extension().and_then(|ending| ending.to_str());
            ending.is_some_and(|ending| ENDINGS.contains(&ending)) && path.is_file()
        };
        let mut paths: Vec<PathBuf> = paths.filter(is_verilog).collect();
        paths.sort();
        let mut left = BESIDE_BYTES_MAX;
        for path in paths.into_iter().take(BESIDE_MAX) {
            let Ok(name) = name_of(&path) else {
                continue;
            };
            let found = format!("{of}/{name}");
            if self.files.contains_key(&found) {
                continue;
            }
            let size = fs::metadata(&path).map_or(u64::MAX, |file| file.len());
            if let (Some(rest), Ok(bytes)) =
                (left.checked_sub(size), input::read(&path, input::VERILOG))
            {
                left = rest;
                self.files.insert(found, bytes);
            }
        }
    }

    /// Takes in the files that Verilog includes or reads by name, whatever their names end in: headers
    /// into the folder in which they are found, and contents of memories to where Yosys runs.
    fn read_mentioned(&mut self) {
        let mut texts: Vec<String> = self.files.values().map(|text| lossy(text)).collect();
        while let Some(text) = texts.pop() {
            for (word, is_header) in [
                ("`include", true),
                ("$readmemh", false),
                ("$readmemb", false),
            ] {
                for name in named_after(&text, word) {
                    let places =
                        (0..self.folders.len()).map(|at| (at, self.folders[at].join(name)));
                    let Some((at, path)) = places.clone().find(|(_, path)| path.is_file()) else {
                        continue;
                    };
                    let found = match is_header {
                        true => format!("d{at}/{name}"),
                        false => name.to_owned(),
                    };
                    if self.files.contains_key(&found) {
                        continue;
                    }
                    if let Ok(bytes) = input::read(&path, input::VERILOG) {
                        texts.extend(is_header.then(|| lossy(&bytes)));
                        self.files.insert(found, bytes);
                    }
                }
            }
        }
    }

    /// The folders as Yosys finds them, in which modules and included files are looked for.
    pub fn folder_names(&self) -> impl Iterator<Item = String> {
        (0..self.folders.len()).map(|at| format!("d{at}"))
    }

    /// The files that were named, as Yosys finds them.
    pub fn named(&self) -> impl Iterator<Item = &str> {
        self.named.iter().map(String::as_str)
    }

    /// A text of Yosys with the folders as they were named.
    pub fn as_named(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (at, folder) in self.folders.iter().enumerate() {
            let mut named = folder.display().to_string();
            if !named.is_empty() {
                named.push('/');
            }
            text = text.replace(&format!("d{at}/"), &named);
        }
        text
    }

    /// Writes all files into a folder.
    ///
    /// # Errors
    /// As the system says.
    pub fn lay_out(&self, folder: &TemporaryFolder) -> std::io::Result<()> {
        let mut files = self.files.iter();
        files.try_for_each(|(name, bytes)| folder.write(name, bytes))
    }

    /// The hash of all that a netlist depends on: these files, and the version and script of Yosys.
    pub fn hash(&self, version: &str, script: &str) -> String {
        let mut hash = Sha256::new();
        let mut part = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        part(version.as_bytes());
        part(script.as_bytes());
        for (name, bytes) in &self.files {
            part(name.as_bytes());
            part(bytes);
        }
        let bytes = hash.finalize();
        bytes
            .iter()
            .take(16)
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The relative paths in quotes after a word of a text, without steps up.
fn named_after<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = &'t str> {
    let after = text
        .match_indices(word)
        .map(move |(at, _)| &text[at + word.len()..]);
    let named = after.filter_map(|rest| {
        let rest = rest
            .trim_start_matches([' ', '\t', '('])
            .strip_prefix('"')?;
        rest.split(['"', '\n']).next()
    });
    named.filter(|name| {
        let mut parts = Path::new(name).components();
        !name.is_empty() && parts.all(|part| matches!(part, Component::Normal(_)))
    })
}

/// The name of a file, as it can stand in a script.
fn name_of(path: &Path) -> Result<String, Error> {
    let name = path.file_name().and_then(|name| name.to_str());
    let is_plain = |name: &&str| !name.contains(['"', '\\', '\n', '\r']);
    name.filter(is_plain).map(str::to_owned).ok_or_else(|| {
        let help = "rename it: Yosys takes names without quotes, backslashes and line ends";
        let found = Diagnostic::new("file name", "Yosys cannot read a file of this name", help);
        Error::one(Class::Input, path.display().to_string(), found)
    })
}

/// A name in a script.
pub fn quoted(name: &str) -> String {
    match name.contains([' ', ';', '#', '\'']) {
        true => format!("\"{name}\""),
        false => name.to_owned(),
    }
}

/// True when a text declares the module of a file of the library.
fn declares_module_of(text: &str, file: &str) -> bool {
    let module = file.strip_suffix(".v");
    module.is_some_and(|module| declares(text, module))
}

/// True when a text declares a module of this name.
fn declares(text: &str, name: &str) -> bool {
    let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    let mut before = "";
    words.any(|word| {
        let found = before == "module" && word == name;
        if !word.is_empty() {
            before = word;
        }
        found
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_found_by_their_names() {
        let text = "// a module\nmodule  router_fixed (input a);\nendmodule\nmodule router(input b);endmodule";
        assert!(declares(text, "router") && declares(text, "router_fixed"));
        assert!(!declares(text, "route") && !declares(text, "a"));
    }

    #[test]
    fn files_beside_count_and_a_change_changes_the_hash() {
        let folder = tempfile::tempdir().expect("a folder");
        let write =
            |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("writable");
        write(
            "top.v",
            "module top(input a, output b); part p(a, b); endmodule",
        );
        write(
            "part.v",
            "`include \"define.h\"\nmodule part(input a, output b); assign b = a; initial $readmemh(\"table.hex\", m); endmodule",
        );
        write("notes.txt", "not Verilog");
        write("define.h", "`include \"more.inc\"");
        write("more.inc", "");
        write("table.hex", "0");
        let files = [folder.path().join("top.v")];
        let library = [("include/x.vh".to_owned(), "`define X 1".to_owned())];
        let design = Design {
            top: "top",
            files: &files,
            texts: &[],
            options: &ReadOptions::default(),
            includes: &[],
            library: &library,
        };
        let read = || Sources::read(&design).expect("readable");
        let sources = read();
        assert_eq!(sources.top.as_deref(), Some("top"));
        let names: Vec<&str> = sources.files.keys().map(String::as_str).collect();
        let expected = [
            "d0/define.h",
            "d0/more.inc",
            "d0/part.v",
            "d0/top.v",
            "library/include/x.vh",
            "table.hex",
        ];
        assert_eq!(names, expected);
        let before = sources.hash("0.23", "");
        assert_eq!(before, read().hash("0.23", ""));
        assert_ne!(before, sources.hash("0.24", ""));
        write(
            "part.v",
            "module part(input a, output b); assign b = !a; endmodule",
        );
        assert_ne!(before, read().hash("0.23", ""));
        let named = sources.as_named("d0/top.v:1: ERROR");
        assert_eq!(named, format!("{}/top.v:1: ERROR", folder.path().display()));
    }
}
