//! The configuration of a run: a TOML file and `--set` overrides, checked.
//!
//! | key | default | legal |
//! |---|---|---|
//! | `network.kind` | | `"fat-tree"`, `"bidelta"` |
//! | `network.nodes` | | a power of two, 2 to 2^20; of four, 16 to 2^20, in a bidelta network |
//! | `network.capacities` | `"doubling"` | `"doubling"`, `"every-second-level"`, the largest capacity, a power of two from 1 to 2^19, or a list with one entry per level |
//! | `network.link_delay_cycles` | 0, `"geometry"` | 0 to 64, or a list with one entry per level; in a bidelta network `"geometry"`, 0 to 31, or a list with one entry per stage but the last |
//! | `router.winner` | `"random"` | `"random"`, `"fixed"` |
//! | `router.release` | `"acknowledge"` | `"acknowledge"`, `"early-acknowledge"`, `"tail"` |
//! | `interface.turns` | 1 | 0 to 15 |
//! | `interface.reply_words` | 1 | 1 to 65,536 |
//! | `interface.reply_delay_cycles` | 0 | 0 to 255 |
//! | `interface.close` | `"drop"` | `"drop"`, `"end"` |
//! | `traffic.pattern` | | a name of [`PATTERN_NAMES`](crate::traffic::pattern::PATTERN_NAMES); or `trace` |
//! | `traffic.messages` | all nodes that can send | 1 to the number of nodes (less one for hot-spot) |
//! | `traffic.words` | 1 | 1 to 2^20 |
//! | `traffic.source`, `.destination`, `.pairs` | | nodes, from 0 |
//! | `traffic.destinations` | `"others"` | `"others"`, `"all"` |
//! | `traffic.random_messages` | 0 | 0 to the number of nodes left |
//! | `traffic.shift` | | 1 to the number of nodes less one |
//! | `traffic.repeat` | 1 | 1 to 10^6, and at most 2^24 messages in all |
//! | `traffic.load` | | above 0, at most 1, six decimals |
//! | `traffic.cycles` | | 1 to 10^9, and at most 2^24 messages to be expected |
//! | `traffic.warmup_cycles` | a fifth of the cycles | 0 to the number of cycles less one |
//! | `traffic.trace` | | a file, relative to the configuration's folder; or `pattern` |
//! | `traffic.replay` | `"timed"` | `"timed"`, `"in-order"` |
//! | `traffic.clock_mhz` | 100 | above 0, at most 10^5, six decimals |
//! | `traffic.time_scale`, `.bytes_scale` | 1.0 | above 0, at most 10^6, six decimals |
//! | `traffic.bytes_per_word` | 1 | 1 to 65,536 |
//! | `traffic.limit` | the whole trace | 1 to 2^24 |
//! | `retry.strategy` | `"immediate"` | `"immediate"`, `"backoff"`; in a fat tree `"rounds"`; in a bidelta network `"random"` |
//! | `retry.backoff_limit` | 10; 6 with `"random"` | 1 to 12, with `"backoff"` and `"random"` only |
//! | `run.seed` | 1 | 0 to 2^63 − 1 |
//! | `run.engine` | `"gate"` | `"gate"`, `"event"` |
//! | `run.replicates` | 1 | 1 to 100,000 |
//! | `run.cycles_max` | from the traffic | 1 to 10^12, and at least `traffic.cycles` |
//! | `run.threads` | 0, the program chooses | 0 to 256 |
//! | `wave.scopes` | `["*"]` | glob patterns on dotted instance paths |
//! | `wave.window_cycles` | the whole run | `[from, to]`, both included, from 0 to 10^12 |
//! | `wave.random_pins` | `false` | `true`, `false` |
//!
//! `[router]` and `network.capacities` belong to fat trees, `[interface]` to bidelta
//! networks. A key that is not
//! known, or does not belong to the network or pattern chosen, is a mistake.
//! Mistakes are collected, and reported together.

mod document;
mod network;
mod resolve;
mod syntax;
mod topology;
mod traffic;

#[cfg(test)]
mod tests;

use std::path::Path;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::diagnostic::{Class, Diagnostic, Error};
pub use crate::network::fat_tree::Release;
use crate::traffic::{Strategy, TrafficConfig};

/// The mistakes of a configuration that are reported at once.
pub const MISTAKES_MAX: usize = 50;
/// The longest delay of a link.
pub const LINK_DELAY_CYCLES_MAX: u32 = 64;
/// The most turns of a connection.
pub const TURNS_MAX: u32 = 15;
/// The most words of a reply.
pub const REPLY_WORDS_MAX: u32 = 1 << 16;
/// The most cycles that a reply waits.
pub const REPLY_DELAY_CYCLES_MAX: u32 = 255;
/// The most replicates of a run.
pub const REPLICATES_MAX: u32 = 100_000;
/// The most cycles of a run.
pub const CYCLES_MAX: u64 = 1_000_000_000_000;
/// The most threads of a run.
pub const THREADS_MAX: u32 = 256;

/// A checked configuration, with every default filled in.
///
/// It serializes with its keys in a fixed order, the order of the table above.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Config {
    /// `[network]`: the topology.
    pub network: NetworkConfig,
    /// `[router]`: what the papers leave open about the router of fat trees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub router: Option<RouterConfig>,
    /// `[interface]`: what the network interfaces of RN1 do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interface: Option<InterfaceConfig>,
    /// `[traffic]`: what the nodes send.
    pub traffic: TrafficConfig,
    /// `[retry]`: when a message that lost is sent again.
    pub retry: RetryConfig,
    /// `[run]`: how the simulation is run.
    pub run: RunConfig,
    /// `[wave]`: what a waveform shows.
    pub wave: WaveConfig,
}

/// The topology.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NetworkConfig {
    /// Which kind.
    pub kind: NetworkKind,
    /// The number of nodes, a power of two, 2 to 2^20.
    pub nodes: u32,
    /// Links of the channel below each level of a fat tree, lg `nodes` entries: the
    /// first one 1, each of the others equal to the one before or twice that. `None`
    /// when all are twice the one before, and in a bidelta network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacities: Option<Vec<u32>>,
    /// Extra clocks of the links.
    pub link_delay_cycles: LinkDelays,
}

/// Extra clocks of links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkDelays {
    /// What the lengths of the wires between stacks take; of a bidelta network.
    Geometry,
    /// In a fat tree those of the links of each level, lg `nodes` entries of
    /// `0..=LINK_DELAY_CYCLES_MAX` cycles: entry 0 for the links between nodes
    /// and routers of level 0, entry `l` for those between levels `l - 1` and `l`.
    /// In a bidelta network those of the links behind each stage but the last.
    Given(Vec<u32>),
}

impl Serialize for LinkDelays {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            LinkDelays::Geometry => serializer.serialize_str("geometry"),
            LinkDelays::Given(delays) => delays.serialize(serializer),
        }
    }
}

/// A kind of network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NetworkKind {
    /// A fat tree of four-port routers.
    FatTree,
    /// A bidelta network of RN1.
    Bidelta,
}

/// What the papers leave open about the router.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RouterConfig {
    /// Which of several colliding messages passes.
    pub winner: Winner,
    /// What frees the outputs that a message holds.
    pub release: Release,
}

/// Which of several messages that want one output passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Winner {
    /// Each with the same probability.
    Random,
    /// The one at the first port, always.
    Fixed,
}

/// What the network interfaces of RN1 do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct InterfaceConfig {
    /// How often a connection is turned round: 0 for a message without a reply, 1 for
    /// request and reply.
    pub turns: u32,
    /// Words of a reply.
    pub reply_words: u32,
    /// Idle cycles before a reply.
    pub reply_delay_cycles: u32,
    /// How a connection that was turned is closed.
    pub close: Close,
}

/// How a connection that was turned is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Close {
    /// By a drop, which is not answered.
    Drop,
    /// By its end, which the routers answer.
    End,
}

/// When a message that lost is sent again. It serializes as `strategy`, and
/// `backoff_limit` for back-off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryConfig {
    /// The strategy with its parameters.
    pub strategy: Strategy,
}

impl Serialize for RetryConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("strategy", self.strategy.name())?;
        if let Strategy::Backoff { limit } | Strategy::Random { limit } = self.strategy {
            map.serialize_entry("backoff_limit", &limit)?;
        }
        map.end()
    }
}

/// How the simulation is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RunConfig {
    /// The seed of all random bits, below 2^63.
    pub seed: u64,
    /// Which engine simulates.
    pub engine: EngineKind,
    /// Independent runs, `1..=REPLICATES_MAX`.
    pub replicates: u32,
    /// A run that is not finished after so many cycles is given up,
    /// `1..=CYCLES_MAX`; `None` when the traffic says how many
    /// ([`limit::cycles_max`](crate::run::limit::cycles_max)).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles_max: Option<u64>,
    /// Threads, `0..=THREADS_MAX`; 0 lets the program choose.
    pub threads: u32,
}

/// An engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineKind {
    /// The gate netlists, every gate in every cycle.
    Gate,
    /// The register-level models, woken when something arrives or is due.
    Event,
}

/// What a waveform shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WaveConfig {
    /// Glob patterns on dotted instance paths.
    pub scopes: Vec<String>,
    /// The first and the last cycle shown; `None` for the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_cycles: Option<(u64, u64)>,
    /// Whether the pins with random bits are shown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub random_pins: bool,
}

impl Config {
    /// Reads the configuration in `text`, which came from the file `origin` in
    /// `folder`; a trace's path is relative to that folder. Each of `overrides`
    /// is `table.key=VALUE` and replaces the file's key; a later one replaces an
    /// earlier one. VALUE is TOML, or a bare word, which is taken as a string.
    ///
    /// Whether a trace can be read is seen only by
    /// [`traffic::build`](crate::traffic::build).
    ///
    /// # Errors
    /// [`Class::Usage`] with up to [`MISTAKES_MAX`] mistakes, those of the file
    /// first, each with its place in the text. When the text is not TOML only
    /// the mistakes of syntax are reported.
    ///
    /// ```
    /// use crosswave::config::{Config, LinkDelays};
    /// use std::path::Path;
    /// let text = "[network]\nkind = \"fat-tree\"\nnodes = 64\n[traffic]\npattern = \"random\"\n";
    /// let overrides = ["traffic.pattern=bit-reversal".to_string()];
    /// let config = Config::parse(text, "run.toml", Path::new("."), &overrides).unwrap();
    /// assert_eq!(config.network.link_delay_cycles, LinkDelays::Given(vec![0; 6]));
    /// ```
    pub fn parse(
        text: &str,
        origin: &str,
        folder: &Path,
        overrides: &[String],
    ) -> Result<Config, Error> {
        let (mut document, whole) = document::Document::read(text, overrides);
        let config = whole.then(|| resolve::resolve(&mut document, folder));
        match config {
            Some(config) if document.mistakes.is_empty() => Ok(config),
            _ => Err(invalid(document.mistakes, text, origin)),
        }
    }

    /// The file of the traffic, when that is a trace.
    pub fn trace_file(&self) -> Option<&Path> {
        match &self.traffic {
            TrafficConfig::Trace(trace) => Some(&trace.path),
            TrafficConfig::Pattern(_) | TrafficConfig::Steady(_) => None,
        }
    }

    /// Checks that the trace, when the traffic is one, is there and may be read.
    /// `text`, `origin` and `overrides` are what the configuration was read from.
    ///
    /// # Errors
    /// [`Class::Io`], at the key that names the file.
    pub fn check_trace(&self, text: &str, origin: &str, overrides: &[String]) -> Result<(), Error> {
        let TrafficConfig::Trace(trace) = &self.traffic else {
            return Ok(());
        };
        let Err(error) = trace.check_file() else {
            return Ok(());
        };
        let (mut document, _) = document::Document::read(text, overrides);
        let message = format!("{} cannot be read: {error}", trace.path.display());
        let help = "name a file by its path from the folder of the configuration";
        let wrong = document::Wrong::new(message, help);
        document.wrong(("traffic", "trace"), None, wrong);
        Err(Error {
            class: Class::Io,
            ..invalid(document.mistakes, text, origin)
        })
    }

    /// The error of mistakes in entries of `wave.scopes`, given by their index,
    /// which only the network's names tell. The configuration is that of
    /// [`Config::parse`], which found none.
    pub fn scopes_report(
        text: &str,
        origin: &str,
        overrides: &[String],
        mistakes: Vec<(usize, Diagnostic)>,
    ) -> Error {
        let (mut document, _) = document::Document::read(text, overrides);
        for (entry, mistake) in mistakes {
            let wrong = document::Wrong {
                entry: Some(entry),
                message: format!("{}: {}", mistake.place, mistake.message),
                help: mistake.help,
            };
            document.wrong(("wave", "scopes"), None, wrong);
        }
        invalid(document.mistakes, text, origin)
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
