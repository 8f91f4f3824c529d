//! The configuration of a run: typed, or a file.

use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::keys::{Keys, setters};
use crate::network::Network;
use crate::traffic::Traffic;
use crosswave_base::diagnostic::{self, Class};
use crosswave_base::file::input;
use crosswave_run::config::{self, ConfigSource, EngineKind};

pub use crosswave_network::traffic::Strategy;

/// A network, its traffic, and how they are simulated.
///
/// A method sets one key. Left out, a key has its default: one replicate with seed 1 on the gate
/// engine, and what loses is sent again at once, where anything is. Keys and values are those of
/// a configuration file, and are checked as there, all at once, by [`Config::check`] and
/// [`Simulation::new`](crate::Simulation::new).
///
/// ```
/// use crosswave::{Config, FatTree, Traffic};
///
/// let config = Config::new(FatTree::new(63), Traffic::random().words(0));
/// let error = config.check().unwrap_err().to_string();
/// assert!(error.contains("network.nodes: found 63; expected a power of two"), "{error}");
/// assert!(error.contains("traffic.words"), "{error}");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The file, where there is one.
    file: Option<File>,
    /// Keys set beside the file, or instead of one.
    keys: Keys,
}

/// A configuration as text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct File {
    text: String,
    origin: String,
    folder: PathBuf,
}

impl Config {
    /// The configuration of a network and its traffic.
    pub fn new(network: impl Into<Network>, traffic: Traffic) -> Config {
        let mut keys = network.into().keys;
        keys.extend(traffic.keys);
        Config { file: None, keys }
    }

    /// The configuration in a file (TOML). Methods replace its keys.
    ///
    /// # Errors
    /// When it cannot be read. What is wrong in it is found by [`Config::check`].
    pub fn read(path: impl AsRef<Path>) -> Result<Config, Error> {
        let path = path.as_ref();
        let text = input::read_text(path, input::CONFIGURATION, Class::Usage)?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let origin = path.display().to_string();
        Ok(Config::of_text(text, origin, folder))
    }

    /// The configuration in a text (TOML), which is called `origin` in messages. Files that it
    /// names are looked for in the current folder.
    pub fn parse(text: impl Into<String>, origin: impl Into<String>) -> Config {
        Config::of_text(text.into(), origin.into(), PathBuf::new())
    }

    fn of_text(text: String, origin: String, folder: PathBuf) -> Config {
        Config {
            file: Some(File {
                text,
                origin,
                folder,
            }),
            keys: Keys::default(),
        }
    }

    setters! {
        /// The seed of all random bits, 0 to 2^63 − 1.
        seed(seed: u64) = "run".seed;
        /// Independent runs with other random bits, 1 to 100,000.
        replicates(count: u32) = "run".replicates;
        /// A run that is not finished after so many cycles is given up, 1 to 10^12.
        cycles_max(cycles: u64) = "run".cycles_max;
        /// Threads at most, 0 to 256; 0 lets the program choose. Results do not depend on it.
        threads(count: u32) = "run".threads;
    }

    /// The register-level models simulate, instead of the gates. The results are the same.
    pub fn event_engine(mut self) -> Config {
        self.keys.set("run", "engine", EngineKind::Event.name());
        self
    }

    /// Your own version of a chip, such as `fat_tree_router`, by its files: Verilog, or one netlist
    /// that Yosys wrote. The names of chips are those that `crosswave keys chips.` lists.
    pub fn chip<S: Into<String>>(
        mut self,
        name: &'static str,
        files: impl IntoIterator<Item = S>,
    ) -> Config {
        let files: Vec<String> = files.into_iter().map(Into::into).collect();
        self.keys.set("chips", name, files);
        self
    }

    /// Sets the strategy by which a message that lost is sent again.
    pub fn retry(mut self, strategy: Strategy) -> Config {
        self.keys.set("retry", "strategy", strategy.name());
        if let Strategy::Random { limit } | Strategy::Backoff { limit } = strategy {
            self.keys.set("retry", "backoff_limit", limit);
        }
        self
    }

    /// Sets the faults of the network, one of RN1.
    pub fn faults(mut self, faults: Faults) -> Config {
        self.keys.extend(faults.keys);
        self
    }

    /// Checks all keys and how they fit together.
    ///
    /// # Errors
    /// All mistakes at once, with the names of their keys, the lines that they are in, and how to
    /// fix them.
    pub fn check(&self) -> Result<(), Error> {
        self.checked().map(drop)
    }

    /// The configuration as TOML with every default filled in, of which a file makes the same
    /// run.
    ///
    /// # Errors
    /// Those of [`Config::check`].
    pub fn to_toml(&self) -> Result<String, Error> {
        Ok(self.checked()?.to_toml())
    }

    /// The text of what methods have set.
    #[cfg(test)]
    pub(crate) fn keys_text(&self) -> String {
        self.keys.to_text()
    }

    /// The keys that methods have set, as overrides.
    #[cfg(test)]
    pub(crate) fn overrides(&self) -> Vec<String> {
        self.keys.overrides()
    }

    /// The same with other keys too, which replace those of the same names.
    pub(crate) fn with(&self, keys: Keys) -> Config {
        let mut config = self.clone();
        config.keys.extend(keys);
        config
    }

    /// The source of the configuration, and the folder of the files that it names.
    pub(crate) fn source(&self) -> (ConfigSource, &Path) {
        match &self.file {
            Some(file) => {
                let source = ConfigSource {
                    text: file.text.clone(),
                    origin: file.origin.clone(),
                    overrides: self.keys.overrides(),
                };
                (source, &file.folder)
            }
            None => {
                let source = ConfigSource {
                    text: self.keys.to_text(),
                    origin: "configuration".to_owned(),
                    overrides: Vec::new(),
                };
                (source, Path::new(""))
            }
        }
    }

    /// The configuration with every default filled in.
    pub(crate) fn checked(&self) -> Result<config::Config, Error> {
        let (source, folder) = self.source();
        let ConfigSource {
            text,
            origin,
            overrides,
        } = &source;
        let checked = config::Config::parse(text, origin, folder, overrides);
        let checked = checked.and_then(|config| {
            config.check_files(text, origin, overrides)?;
            Ok(config)
        });
        checked.map_err(without_options)
    }
}

/// The error with the names of keys where the command line would name its option.
pub(crate) fn without_options(mut error: diagnostic::Error) -> Error {
    for mistake in &mut error.diagnostics {
        if let Some(key) = mistake.place.strip_prefix("--set ") {
            mistake.place = key.to_owned();
        }
    }
    error.into()
}

/// Faults in a network of RN1. An entry names something and may say when:
/// `up_1_0_3@100..200` is a router that is switched off from cycle 100 to 199.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Faults {
    keys: Keys,
}

impl Faults {
    /// Nothing is wrong.
    pub fn new() -> Faults {
        Faults::default()
    }

    setters! {
        /// Routers that are switched off.
        routers(names: &[&str]) = "faults".routers;
        /// Stacks of Transit's fat tree whose routers are switched off, such as `unit_1_0_3` or
        /// `leaf_5`.
        stacks(names: &[&str]) = "faults".stacks;
        /// Ports that are switched off, such as `up_1_0_3.o5`.
        ports(names: &[&str]) = "faults".ports;
        /// Wires that are cut, by a port at one of their ends.
        wires(names: &[&str]) = "faults".wires;
        /// Wires that are stuck at a word of nine bits, such as `up_1_0_3.o5=0x1ff`.
        stuck(names: &[&str]) = "faults".stuck;
        /// So many routers that are drawn are switched off.
        random_routers(count: u32) = "faults".random_routers;
        /// So many wires behind routers that are drawn are cut.
        random_wires(count: u32) = "faults".random_wires;
        /// The seed from which they are drawn, 0 to 2^63 − 1.
        seed(seed: u64) = "faults".fault_seed;
        /// Ports that lead to what is switched off stay on.
        unmasked() = "faults".masked = false;
    }
}
