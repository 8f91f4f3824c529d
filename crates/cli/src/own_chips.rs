//! `--chip`, and what is said of a designer's own chips.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use super::{named, say, usage, warn};
use crosswave_base::diagnostic::{Diagnostic, Error};
use crosswave_run::config::{Config, OwnChip, UNREADABLE};
use crosswave_run::own_chips::{self, LoadedChip};

/// Advice for a circle of outputs.
const SETTLING_HELP: &str =
    "the run is exact as long as they settle; a register at one of them breaks the circle";

/// Names of a list that are told at most.
const NAMES: usize = 6;

/// A chip with its files, from the command line.
#[derive(Debug, Clone)]
pub(super) struct ChipArgument {
    chip: String,
    files: Vec<PathBuf>,
}

impl FromStr for ChipArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<ChipArgument, String> {
        const FORM: &str = "expected CHIP=FILE, such as fat_tree_router=my_router.v";
        let (chip, files) = text
            .split_once('=')
            .ok_or_else(|| format!("found no '='; {FORM}"))?;
        let files: Vec<PathBuf> = files.split(',').map(PathBuf::from).collect();
        if chip.is_empty() || files.iter().any(|file| file.as_os_str().is_empty()) {
            return Err(FORM.to_owned());
        }
        let chip = chip.trim().to_owned();
        Ok(ChipArgument { chip, files })
    }
}

impl ChipArgument {
    /// The name of the chip.
    pub(super) fn name(&self) -> &str {
        &self.chip
    }

    /// The chip of the program with that name, and the files by their paths from the current folder.
    ///
    /// # Errors
    /// When no chip has the name.
    fn own_chip(&self) -> Result<OwnChip, Error> {
        let written = self.files.iter().map(|file| file.display().to_string());
        Ok(OwnChip {
            chip: named::chip(&self.chip)?.name,
            written: written.collect(),
            files: self.files.clone(),
        })
    }

    /// The key of a configuration in a folder, in which the files are named by their paths from
    /// there.
    pub(super) fn setting(&self, folder: &Path) -> String {
        let files = self.files.iter().map(|file| {
            let path = from_folder(folder, file);
            toml_string(&path.to_string_lossy())
        });
        let files: Vec<String> = files.collect();
        format!("chips.{}=[{}]", self.chip, files.join(", "))
    }
}

/// The error of a configuration in a folder with the option of a chip in the place of the key that
/// it sets, and its files as the option names them.
pub(super) fn with_option(mut error: Error, chips: &[ChipArgument], folder: &Path) -> Error {
    for mistake in &mut error.diagnostics {
        for chip in chips {
            if !mistake
                .place
                .starts_with(&format!("--set chips.{}=", chip.chip))
            {
                continue;
            }
            mistake.place = format!("--chip {}", chip.chip);
            for file in &chip.files {
                let from_there = folder.join(from_folder(folder, file));
                let unreadable = format!("{} {UNREADABLE}", from_there.display());
                if let Some(reason) = mistake.message.strip_prefix(&unreadable) {
                    mistake.message = format!("{} {UNREADABLE}{reason}", file.display());
                    mistake.help = "name the file by its path from the current folder".into();
                    break;
                }
            }
        }
    }
    error
}

/// A file, which is named by its path from the current folder, by its path from another one.
pub(super) fn from_folder(folder: &Path, file: &Path) -> PathBuf {
    let is_plain = |part: &Component<'_>| matches!(part, Component::Normal(_));
    let parts: Vec<Component<'_>> = folder
        .components()
        .filter(|part| *part != Component::CurDir)
        .collect();
    if file.is_absolute() {
        return file.to_owned();
    }
    if !parts.iter().all(is_plain) {
        return std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    }
    let mut file_parts: Vec<Component<'_>> = file
        .components()
        .filter(|part| *part != Component::CurDir)
        .collect();
    let common = parts.iter().zip(&file_parts).take_while(|(a, b)| a == b);
    let common = common.count().min(file_parts.len().saturating_sub(1));
    file_parts.drain(..common);
    let up = parts[common..].iter().map(|_| Component::ParentDir);
    let relative: PathBuf = up.chain(file_parts).collect();
    // Above a folder that is a link, `..` leads elsewhere.
    match (
        fs::canonicalize(folder.join(&relative)),
        fs::canonicalize(file),
    ) {
        (found, Ok(meant)) if found.as_ref().ok() != Some(&meant) => {
            std::path::absolute(file).unwrap_or_else(|_| file.to_owned())
        }
        _ => relative,
    }
}

/// A text as a string of TOML.
fn toml_string(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|letter| match letter {
            '"' => "\\\"".to_owned(),
            '\\' => "\\\\".to_owned(),
            letter => letter.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}

/// Reads chips, and puts them into all networks of studies that make their configurations themselves.
///
/// # Errors
/// When no chip has a name, and those of [`own_chips::load`].
pub(super) fn put_everywhere(chips: &[ChipArgument]) -> Result<Vec<&'static LoadedChip>, Error> {
    let chips: Vec<OwnChip> = chips
        .iter()
        .map(ChipArgument::own_chip)
        .collect::<Result<_, Error>>()?;
    let mut names = BTreeSet::new();
    if let Some(twice) = chips.iter().find(|own| !names.insert(own.chip)) {
        let message = format!("found {} twice", twice.chip);
        let help = "name a chip once, with all its files: CHIP=FILE,FILE";
        return Err(usage("--chip", message, help));
    }
    let loaded = chips.iter().map(load_one).collect();
    own_chips::put_everywhere(chips);
    loaded
}

/// Reads a chip, and says what is to be said of it.
fn load_one(own: &OwnChip) -> Result<&'static LoadedChip, Error> {
    let mut begun = |chip: &str, version: &str| say(&format!("{chip}: synthesis by {version}"));
    let loaded = own_chips::load(own, &mut begun)?;
    if is_new(own.chip, &loaded.hash) {
        notes(own.chip, &own.written.join(", "), loaded);
    }
    Ok(loaded)
}

/// True when nothing was said yet of a chip, or what else has these names.
fn is_new(chip: &str, version: &str) -> bool {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    said.insert(format!("{chip} {version}"))
}

/// Reads the chips of a configuration, and synthesises them. Says what takes time, and what was done
/// to a netlist, once.
///
/// # Errors
/// Those of [`own_chips::load`].
pub(super) fn load(config: &Config) -> Result<(), Error> {
    let network = config.topology();
    for own in &config.chips.own {
        load_one(own)?;
        let chips = network.chips();
        let mut there = chips.iter().filter(|(_, count)| *count > 0);
        if !there.any(|(chip, _)| chip.name == own.chip) && is_new(own.chip, "unused") {
            let place = format!("chip {}", own.chip);
            let message = "the network has no such chip, so that these files change nothing";
            let help = "`crosswave info FILE` lists the chips of a network";
            warn(
                &own.written.join(", "),
                &Diagnostic::new(place, message, help),
            );
        }
    }
    for note in network.notes() {
        if is_new(&note.message, "") {
            let top = &network.components()[0].top;
            say(&format!("{top}: {}\n  help: {}", note.message, note.help));
        }
    }
    for own in config.network.own_netlists() {
        let loaded = own_chips::of_component(own)?;
        // Modules that differ in parameters have the same to say.
        if is_new(&own.origin, "") {
            if let Some(port) = loaded.passing_output() {
                let place = format!("chip {}", own.chip.name);
                let message = format!("flits pass it within a cycle, by {port}");
                let help = "`trace` and `--events` do not show this router, as they follow a flit from cycle to cycle";
                warn(&own.origin, &Diagnostic::new(place, message, help));
            }
            notes(own.chip.name, &own.origin, loaded);
        }
    }
    if let Some(path) = own_chips::circle(config)?
        && is_new(&path, "")
    {
        let message = format!("outputs depend on each other in a circle within one cycle: {path}");
        warn(
            "network",
            &Diagnostic::new("routers", message, SETTLING_HELP),
        );
    }
    Ok(())
}

/// Says what was done to a netlist.
fn notes(chip: &str, files: &str, loaded: &LoadedChip) {
    let names = |names: &[String]| {
        let more = names.len().saturating_sub(NAMES);
        let listed = names[..names.len().min(NAMES)].join(", ");
        match more {
            0 => listed,
            more => format!("{listed} and {more} more"),
        }
    };
    let place = format!("chip {chip}");
    if !loaded.unreset.is_empty() {
        let message = format!(
            "the reset leaves {} registers as they are: {}",
            loaded.unreset.len(),
            names(&loaded.unreset)
        );
        let help = "they begin at 0 here, and at X in a simulator with X";
        warn(files, &Diagnostic::new(&*place, message, help));
    }
    if !loaded.left_out.is_empty() {
        let message = format!(
            "the chip does not have the outputs {}",
            names(&loaded.left_out)
        );
        warn(
            files,
            &Diagnostic::new(&*place, message, "they are left out"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_from_the_folder_of_the_configuration() {
        let from = |folder: &str, file: &str| from_folder(Path::new(folder), Path::new(file));
        assert_eq!(from("", "router.v"), Path::new("router.v"));
        assert_eq!(from("examples", "router.v"), Path::new("../router.v"));
        assert_eq!(from("./a/b", "a/router.v"), Path::new("../router.v"));
        assert_eq!(from("a", "a/c/router.v"), Path::new("c/router.v"));
        assert_eq!(from("/tmp", "/x/router.v"), Path::new("/x/router.v"));
        assert!(from("..", "router.v").is_absolute());
        let argument: ChipArgument = "rn1=a b.v,\"q.v".parse().expect("a form");
        assert_eq!(
            argument.setting(Path::new("")),
            "chips.rn1=[\"a b.v\", \"\\\"q.v\"]"
        );
        for wrong in ["rn1", "=a.v", "rn1=", "rn1=a.v,"] {
            assert!(wrong.parse::<ChipArgument>().is_err(), "{wrong}");
        }
    }
}
