//! The table `[run]`: how a simulation is run.

use serde::Serialize;

use crosswave_document::{Document, KeyRow};

/// The most replicates of a run.
pub const REPLICATES_MAX: u32 = 100_000;
/// The most cycles of a run.
pub const CYCLES_MAX: u64 = 1_000_000_000_000;
/// The most threads of a run.
pub const THREADS_MAX: u32 = 256;

/// The keys.
pub(super) const KEYS: &[KeyRow] = &[
    KeyRow {
        key: ("run", "seed"),
        value: "integer",
        default: "`1`",
        legal: "0 to 2^63 − 1",
        only: "",
        meaning: "The seed of all random bits.",
    },
    KeyRow {
        key: ("run", "engine"),
        value: "string",
        default: "`\"gate\"`",
        legal: "`\"gate\"` (netlists, fast when most of the network is busy), `\"event\"` \
             (register-level models, fast when few nodes send), `\"gpu\"` (netlists on a graphics \
             processor, in programs built with `--features gpu`)",
        only: "",
        meaning: "The engine that simulates; all give the same signals in every cycle.",
    },
    KeyRow {
        key: ("run", "replicates"),
        value: "integer",
        default: "`1`",
        legal: "1 to 100,000",
        only: "",
        meaning: "The number of runs, each with random bits of its own.",
    },
    KeyRow {
        key: ("run", "cycles_max"),
        value: "integer",
        default: "from the traffic",
        legal: "1 to 10^12, with steady traffic at least `traffic.cycles`",
        only: "",
        meaning: "The cycle at which a run that is not finished is given up. The default is the sum of \
             three numbers: the cycle of the last offer, 10^7, and 16 times the cycles of all \
             messages one after another.",
    },
    KeyRow {
        key: ("run", "threads"),
        value: "integer",
        default: "`0`",
        legal: "0 to 256, and no more than there are processors",
        only: "",
        meaning: "The most threads; with 0 the program chooses. Replicates run side by side on them, and \
             large networks are cut into parts. Results do not depend on it, and threads that do not pay are \
             left idle. Netlists are made ready, and compressed waveforms packed, on all processors \
             whatever it is.",
    },
];

/// Settings of the simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RunConfig {
    /// The seed of all random bits, below 2^63.
    pub seed: u64,
    /// The engine that simulates.
    pub engine: EngineKind,
    /// Independent runs, `1..=REPLICATES_MAX`.
    pub replicates: u32,
    /// A run that is not finished after so many cycles is given up,
    /// `1..=CYCLES_MAX`; `None` when the traffic says how many
    /// ([`limit::cycles_max`](crate::limit::cycles_max)).
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
    /// The gate netlists on a GPU.
    Gpu,
}

impl EngineKind {
    /// All of them.
    pub const ALL: [EngineKind; 3] = [EngineKind::Gate, EngineKind::Event, EngineKind::Gpu];

    /// True when it evaluates netlists.
    pub fn takes_netlists(self) -> bool {
        matches!(self, EngineKind::Gate | EngineKind::Gpu)
    }

    /// Its name in a configuration.
    pub fn name(self) -> &'static str {
        match self {
            EngineKind::Gate => "gate",
            EngineKind::Event => "event",
            EngineKind::Gpu => "gpu",
        }
    }
}

/// One run with seed 1 on the gate engine, on as many threads as the program chooses.
impl Default for RunConfig {
    fn default() -> RunConfig {
        RunConfig {
            seed: 1,
            engine: EngineKind::Gate,
            replicates: 1,
            cycles_max: None,
            threads: 0,
        }
    }
}

impl RunConfig {
    /// Reads the table. What is wrong gets a stand-in.
    pub(super) fn read(document: &mut Document<'_>) -> RunConfig {
        let default = RunConfig::default();
        let engines = EngineKind::ALL.map(|engine| (engine.name(), engine));
        RunConfig {
            seed: document
                .integer(("run", "seed"), 0..=i64::MAX.unsigned_abs())
                .unwrap_or(default.seed),
            engine: document
                .choice(("run", "engine"), &engines)
                .unwrap_or(default.engine),
            replicates: document
                .integer32(("run", "replicates"), 1..=REPLICATES_MAX)
                .unwrap_or(default.replicates),
            cycles_max: document.integer(("run", "cycles_max"), 1..=CYCLES_MAX),
            threads: document
                .integer32(("run", "threads"), 0..=THREADS_MAX)
                .unwrap_or(default.threads),
        }
    }
}
