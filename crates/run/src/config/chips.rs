//! The table `[chips]`: chips whose netlists come from files.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{EngineKind, RunConfig};
use crosswave_chips::{CHIPS, Chip};
use crosswave_document::{Document, Key, Wrong, found};
use crosswave_network::NetworkConfig;

/// The table.
pub(super) const TABLE: &str = "chips";
/// Files of a chip at most.
const FILES_MAX: usize = 64;

/// Chips whose netlists come from files, in the order of the program's list of chips.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChipsConfig {
    /// The chips.
    pub own: Vec<OwnChip>,
}

/// A chip whose netlist comes from files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnChip {
    /// The name of the chip.
    pub chip: &'static str,
    /// The files as the configuration names them: Verilog, one netlist, or one component file.
    pub written: Vec<String>,
    /// Their paths.
    pub files: Vec<PathBuf>,
}

impl OwnChip {
    /// The key that names the files.
    pub fn key(&self) -> Key {
        (TABLE, self.chip)
    }

    /// The table of the chip.
    pub fn table(&self) -> &'static Chip {
        let mut chips = CHIPS.iter().copied();
        let found = chips.find(|chip| chip.name == self.chip);
        found.expect("the name of a chip")
    }
}

/// The chip and its files, in words.
impl fmt::Display for OwnChip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = self.files.iter().map(|file| file.display().to_string());
        let files: Vec<String> = files.collect();
        write!(f, "{} from {}", self.chip, files.join(", "))
    }
}

impl Serialize for ChipsConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for own in &self.own {
            match &own.written[..] {
                [file] => map.serialize_entry(own.chip, file)?,
                files => map.serialize_entry(own.chip, files)?,
            }
        }
        map.end()
    }
}

impl ChipsConfig {
    /// True when all chips are those of the program.
    pub fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// Reads the table, for a network. What is wrong is left out.
    pub(super) fn read(
        document: &mut Document<'_>,
        network: &NetworkConfig,
        run: &RunConfig,
        folder: &Path,
    ) -> ChipsConfig {
        let mut own = Vec::new();
        for chip in CHIPS {
            let key = (TABLE, chip.name);
            let written = document.value(key, |value| {
                let list: Option<Vec<&str>> = match value.as_array() {
                    Some(entries) => entries
                        .iter()
                        .map(|entry| entry.get_ref().as_str())
                        .collect(),
                    None => value.as_str().map(|file| vec![file]),
                };
                let is_path = |file: &&str| !file.is_empty() && !file.contains('\0');
                let list = list.filter(|files| {
                    (1..=FILES_MAX).contains(&files.len()) && files.iter().all(is_path)
                });
                list.map(|files| files.into_iter().map(str::to_owned).collect::<Vec<_>>())
                    .ok_or_else(|| {
                        let message = format!(
                            "{}; expected a file, or a list of 1 to {FILES_MAX} files",
                            found(value)
                        );
                        let help = format!("such as {} = \"my_router.v\"", chip.name);
                        vec![Wrong::new(message, help)]
                    })
            });
            let Some(written) = written else {
                continue;
            };
            let is_alone = |file: &String| file.ends_with(".json") || file.ends_with(".toml");
            if written.len() > 1 && written.iter().any(is_alone) {
                let message = "found several files, and a netlist or a component file among them";
                let help =
                    "give Verilog files, or one netlist (.json), or one component file (.toml)";
                document.wrong(key, None, Wrong::new(message, help));
                continue;
            }
            if let Some(wrong) = misplaced(chip, network) {
                document.wrong(key, None, wrong);
                continue;
            }
            own.push(OwnChip {
                chip: chip.name,
                files: written.iter().map(|file| joined(folder, file)).collect(),
                written,
            });
        }
        if let (EngineKind::Event, Some(first)) = (run.engine, own.first()) {
            let message = format!(
                "the event engine runs models in Rust, and {} is a netlist of your own",
                first.chip
            );
            let help = "set run.engine = \"gate\"";
            document.wrong(
                ("run", "engine"),
                Some(first.key()),
                Wrong::new(message, help),
            );
        }
        ChipsConfig { own }
    }
}

/// The path of a file in a folder, without steps up and down again where that is the same file.
fn joined(folder: &Path, file: &str) -> PathBuf {
    let path = folder.join(file);
    let mut short = PathBuf::new();
    for part in path.components() {
        let is_named = matches!(short.components().next_back(), Some(Component::Normal(_)));
        match part {
            Component::CurDir => {}
            Component::ParentDir if is_named => {
                short.pop();
            }
            part => short.push(part),
        }
    }
    match (path.canonicalize(), short.canonicalize()) {
        (Ok(one), Ok(other)) if one == other => short,
        _ => path,
    }
}

/// The mistake of a chip that networks of the kind do not have.
fn misplaced(chip: &Chip, network: &NetworkConfig) -> Option<Wrong> {
    let kind = network.kind();
    if kind.chips.contains(&chip.name) {
        return None;
    }
    let message = format!("a network of kind {:?} has no chip of this name", kind.name);
    let help = match kind.chips {
        [] => "its chips are models without netlists".to_owned(),
        chips => format!("its chips are {}", chips.join(", ")),
    };
    Some(Wrong::new(message, help))
}
