//! The configuration of a run: a TOML file and `--set` overrides, checked.
//!
//! | module | holds |
//! |---|---|
//! | [`keys`] | the list of all keys, for help and the README |
//! | `resolve` | what must hold between tables |
//! | `source` | the text that a configuration was read from |
//! | `chips`, `retry`, `run`, `traffic`, `wave` | a table each: its keys, their defaults and ranges |
//!
//! Which keys a network takes is a matter of its kind
//! ([`network::registry`](crosswave_network::registry)). A key that is not known, or does not belong to
//! the network or pattern chosen, is a mistake.
//! Mistakes are collected, and reported together.

mod chips;
pub mod keys;
mod resolve;
mod retry;
mod run;
mod source;
mod traffic;
mod wave;

#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

pub use chips::{ChipsConfig, OwnChip};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file::input;
pub use crosswave_document::UNSET;
use crosswave_document::{Document, Key, Wrong};
use crosswave_network::Network;
pub use crosswave_network::NetworkConfig;
pub use crosswave_network::faults::Faults;
use crosswave_network::faults::Faulty;
use crosswave_network::traffic::{Destinations, SteadyConfig, Strategy, TrafficConfig};
pub use retry::RetryConfig;
pub use run::{CYCLES_MAX, EngineKind, REPLICATES_MAX, RunConfig, THREADS_MAX};
pub use source::ConfigSource;
pub use wave::{PortKind, WaveConfig};

/// The mistakes of a configuration that are reported at once.
pub const MISTAKES_MAX: usize = 50;
/// The words after the path of a file of the configuration that cannot be read; the reason follows.
pub const UNREADABLE: &str = "cannot be read";
/// A checked configuration, with every default filled in.
///
/// It serializes with its keys in a fixed order, that of [`keys::table`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// `[network]`, and the tables that belong to its kind.
    pub network: NetworkConfig,
    /// `[faults]`: what is wrong in it.
    pub faults: Faults,
    /// `[traffic]`: what the nodes send.
    pub traffic: TrafficConfig,
    /// `[retry]`: when a message that lost is sent again.
    pub retry: RetryConfig,
    /// `[chips]`: chips whose netlists come from files.
    pub chips: ChipsConfig,
    /// `[run]`: how the simulation is run.
    pub run: RunConfig,
    /// `[wave]`: what a waveform shows.
    pub wave: WaveConfig,
    /// The folder from which the network's files are named. It is no key.
    pub folder: PathBuf,
}

impl Serialize for Config {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, table) in self.network.tables() {
            map.serialize_entry(name, &table)?;
        }
        if !self.faults.is_empty() {
            map.serialize_entry("faults", &self.faults)?;
        }
        map.serialize_entry("traffic", &self.traffic)?;
        map.serialize_entry("retry", &self.retry)?;
        if !self.chips.is_empty() {
            map.serialize_entry("chips", &self.chips)?;
        }
        map.serialize_entry("run", &self.run)?;
        map.serialize_entry("wave", &self.wave)?;
        map.end()
    }
}

impl Config {
    /// The configuration of a network and its traffic with the defaults of all else: what
    /// loses is sent again at once, where anything is.
    pub fn new(network: NetworkConfig, traffic: TrafficConfig) -> Config {
        let strategy = match network.kind().packets {
            false => Strategy::Immediate,
            true => Strategy::None,
        };
        Config {
            network,
            faults: Faults::default(),
            traffic,
            retry: RetryConfig { strategy },
            chips: ChipsConfig::default(),
            run: RunConfig::default(),
            wave: WaveConfig::default(),
            folder: PathBuf::from("."),
        }
    }

    /// The configuration as TOML, with every default filled in. [`Config::parse`] reads the
    /// same configuration from it, when it is in the folder of the files that it names.
    ///
    /// ```
    /// use crosswave_run::config::Config;
    /// use crosswave_network::fat_tree::config::FatTreeConfig;
    /// use crosswave_run::config::NetworkConfig;
    /// use crosswave_network::traffic::{Pattern, PatternConfig, TrafficConfig};
    /// use std::path::Path;
    /// let config = Config::new(
    ///     NetworkConfig::FatTree(FatTreeConfig::new(16)),
    ///     TrafficConfig::Pattern(PatternConfig {
    ///         pattern: Pattern::Pair { source: 0, destination: 15 },
    ///         words: 3,
    ///         repeat: 1,
    ///     }),
    /// );
    /// let text = config.to_toml();
    /// assert_eq!(Config::parse(&text, "run.toml", Path::new("."), &[])?, config);
    /// # Ok::<(), crosswave_base::diagnostic::Error>(())
    /// ```
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a configuration is made of tables with plain values")
    }

    /// Checks a configuration that was put together as a value: what [`Config::parse`] refuses
    /// to read is refused here. There is one set of checks, that of a text: the configuration is
    /// written and read for it.
    ///
    /// # Errors
    /// As [`Config::parse`], with places in what [`Config::to_toml`] writes.
    pub fn check(&self) -> Result<(), Error> {
        Config::parse(&self.to_toml(), "configuration", &self.folder, &[]).map(drop)
    }

    /// Reads the configuration in `text`, which came from the file `origin` in
    /// `folder`; a trace's path is relative to that folder. Each of `overrides`
    /// is `table.key=VALUE` and replaces the file's key; a later one replaces an
    /// earlier one. VALUE is TOML, or a bare word, which is taken as a string.
    ///
    /// Whether a trace can be read is seen only by
    /// [`traffic::build`](crosswave_network::traffic::build).
    ///
    /// # Errors
    /// [`Class::Usage`] with up to [`MISTAKES_MAX`] mistakes, those of the file
    /// first, each with its place in the text. When the text is not TOML only
    /// the mistakes of syntax are reported.
    ///
    /// ```
    /// use crosswave_run::config::Config;
    /// use std::path::Path;
    /// let text = "[network]\nkind = \"fat-tree\"\nnodes = 64\n[traffic]\npattern = \"random\"\n";
    /// let overrides = ["traffic.pattern=bit-reversal".to_string()];
    /// let config = Config::parse(text, "run.toml", Path::new("."), &overrides).unwrap();
    /// assert_eq!(config.network.nodes(), 64);
    /// ```
    pub fn parse(
        text: &str,
        origin: &str,
        folder: &Path,
        overrides: &[String],
    ) -> Result<Config, Error> {
        let tables = keys::tables();
        let (mut document, whole) = Document::read(text, overrides, &tables);
        document.folder = folder.to_owned();
        let config = whole.then(|| resolve::resolve(&mut document, folder));
        match config {
            Some(config) if document.mistakes.is_empty() => Ok(config),
            _ => Err(Error {
                class: document.class(),
                ..invalid(document.mistakes, text, origin)
            }),
        }
    }

    /// The network of a configuration, which needs no traffic.
    ///
    /// # Errors
    /// As [`Config::parse`].
    pub fn parse_network(
        text: &str,
        origin: &str,
        folder: &Path,
        overrides: &[String],
    ) -> Result<NetworkConfig, Error> {
        let tables = keys::tables();
        let (document, _) = Document::read(text, overrides, &tables);
        let mut overrides = overrides.to_vec();
        if !document.has_table("traffic") {
            overrides.push("traffic.pattern=random".to_owned());
        }
        Ok(Config::parse(text, origin, folder, &overrides)?.network)
    }

    /// The network that is described.
    ///
    /// # Panics
    /// When [`Config::check`] finds a mistake.
    pub fn topology(&self) -> Network {
        let intact = self.intact_topology();
        if self.faults.is_empty() {
            return intact;
        }
        let faulty = Faulty::new(intact, &self.faults);
        Box::new(faulty.expect("the faults of a checked configuration fit its network"))
    }

    /// The same without its faults.
    ///
    /// # Panics
    /// When [`Config::check`] finds a mistake.
    pub fn intact_topology(&self) -> Network {
        self.network.build(self.retry.strategy)
    }

    /// The file of the traffic, when that is a trace.
    pub fn trace_file(&self) -> Option<&Path> {
        match &self.traffic {
            TrafficConfig::Trace(trace) => Some(&trace.path),
            TrafficConfig::Pattern(_) | TrafficConfig::Steady(_) => None,
        }
    }

    /// The file of the weights by which destinations are drawn, when there is one.
    pub fn matrix_file(&self) -> Option<&Path> {
        match &self.traffic {
            TrafficConfig::Steady(SteadyConfig {
                destinations: Destinations::Matrix(file),
                ..
            }) => Some(&file.path),
            _ => None,
        }
    }

    /// Checks that the files that it names are there and may be read, the trace and those of chips,
    /// and notes that they will be.
    /// `text`, `origin` and `overrides` are what the configuration was read from.
    ///
    /// # Errors
    /// [`Class::Io`], at the key that names the file; [`Class::Usage`] when an output is to be
    /// written there.
    pub fn check_files(&self, text: &str, origin: &str, overrides: &[String]) -> Result<(), Error> {
        let refused = |key: Key, path: &Path, error: io::Error| {
            let tables = keys::tables();
            let (mut document, _) = Document::read(text, overrides, &tables);
            let message = format!("{} {UNREADABLE}: {error}", path.display());
            let help = "name a file by its path from the folder of the configuration";
            document.wrong(key, None, Wrong::new(message, help));
            Error {
                class: Class::Io,
                ..invalid(document.mistakes, text, origin)
            }
        };
        for own in &self.chips.own {
            for path in &own.files {
                input::check(path, input::VERILOG)
                    .map_err(|error| refused(own.key(), path, error))?;
                input::note(path, input::VERILOG)?;
            }
        }
        let TrafficConfig::Trace(trace) = &self.traffic else {
            return Ok(());
        };
        let Err(error) = trace.check_file() else {
            return trace.note_file();
        };
        Err(refused(("traffic", "trace"), &trace.path, error))
    }
}

/// The first [`MISTAKES_MAX`] mistakes in the order of the text, those of
/// overrides last.
fn invalid(mut diagnostics: Vec<Diagnostic>, text: &str, origin: &str) -> Error {
    diagnostics.sort_by_key(|mistake| mistake.span.as_ref().map_or(usize::MAX, |span| span.start));
    if diagnostics.len() > MISTAKES_MAX {
        diagnostics.truncate(MISTAKES_MAX);
        if let Some(last) = diagnostics.last_mut() {
            last.message
                .push_str("; more mistakes follow that are not shown");
        }
    }
    Error {
        class: Class::Usage,
        origin: origin.to_string(),
        source: Some(text.to_string()),
        diagnostics,
    }
}
