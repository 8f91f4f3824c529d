//! Faults of networks of RN1: the table `[faults]` of a configuration.
//!
//! A router, a port or a stack is *switched off* by the pins `in_enable` and `out_enable` of
//! RN1. What passes a port in the cycle in which it is switched off may still end; nothing new
//! is let in. With `masked`, the ports that lead to what is off are switched off as well, so
//! that no connection is sent there; without it routers go on sending, and their connections
//! hear nothing. A wire is *cut*, or *stuck* at a word. The thesis knows neither masking nor
//! scan paths: DeHon 1990, sections 3.5.4 (a stack is replaced in operation) and 5.2 (critical
//! chips) say what shall be survived, and how a fault is made is assumed.
//!
//! An entry of a list names something and may say when:
//!
//! ```text
//! entry = NAME [ "=" WORD ] [ "@" FROM ".." [ TO ] ]     cycles FROM to TO - 1
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `entry` | one entry of a list |
//! | `place` | entries found in a network |
//! | `apply` | what they change in its fabric |
//! | `faulty` | a topology with faults |

mod apply;
mod entry;
mod faulty;
mod place;

#[cfg(test)]
mod tests;

use serde::Serialize;
use toml::de::DeValue;

use crosswave_document::{Document, Key, KeyRow, Wrong, found};
pub use entry::{FaultEntry, Window};
pub use faulty::Faulty;
pub use place::{Misplaced, Placed};

const ROUTERS: Key = ("faults", "routers");
const STACKS: Key = ("faults", "stacks");
const PORTS: Key = ("faults", "ports");
const WIRES: Key = ("faults", "wires");
const STUCK: Key = ("faults", "stuck");
const RANDOM_ROUTERS: Key = ("faults", "random_routers");
const RANDOM_WIRES: Key = ("faults", "random_wires");
const SEED: Key = ("faults", "fault_seed");
const MASKED: Key = ("faults", "masked");

/// The most things that are drawn.
const RANDOM_MAX: u32 = 1 << 20;

/// The keys of `[faults]`.
pub const KEYS: [KeyRow; 9] = [
    KeyRow {
        key: ROUTERS,
        value: "list of strings",
        default: "`[]`",
        legal: "names such as `\"up_1_0_3\"`, or `\"up_1_0_3@100..200\"` for cycles 100 to 199",
        only: "",
        meaning: "The routers that are switched off.",
    },
    KeyRow {
        key: STACKS,
        value: "list of strings",
        default: "`[]`",
        legal: "names such as `\"unit_1_0_3\"` (layer, unit, stack; `\"unit_0_5_0\"` is a UT64x2) or \
             `\"leaf_5\"` (a cluster), also with cycles",
        only: "",
        meaning: "The stacks whose routers are switched off, of a Transit tree only.",
    },
    KeyRow {
        key: PORTS,
        value: "list of strings",
        default: "`[]`",
        legal: "names such as `\"up_1_0_3.o5\"`, `\"up_1_0_3.i0\"` or `\"node_7.t1\"`, also with \
             cycles",
        only: "",
        meaning: "The ports that are switched off.",
    },
    KeyRow {
        key: WIRES,
        value: "list of strings",
        default: "`[]`",
        legal: "a port at one end of each wire, also with cycles where the wire has an extra cycle, \
             as between stacks",
        only: "",
        meaning: "The wires that are cut: both ends see rest.",
    },
    KeyRow {
        key: STUCK,
        value: "list of strings",
        default: "`[]`",
        legal: "such as `\"up_1_0_3.o5=0x1ff\"`, also with cycles where the wire has an extra cycle",
        only: "",
        meaning: "The wires that are stuck at a word of nine bits, in the direction in which the port \
             drives them.",
    },
    KeyRow {
        key: RANDOM_ROUTERS,
        value: "integer",
        default: "`0`",
        legal: "0 to 2^20, at most all",
        only: "",
        meaning: "The number of routers that are drawn and switched off.",
    },
    KeyRow {
        key: RANDOM_WIRES,
        value: "integer",
        default: "`0`",
        legal: "0 to 2^20, at most all",
        only: "",
        meaning: "The number of wires from outputs of routers that are drawn and cut.",
    },
    KeyRow {
        key: SEED,
        value: "integer",
        default: "`1`",
        legal: "0 to 2^63 − 1",
        only: "",
        meaning: "The seed from which faults are drawn, the same in all replicates.",
    },
    KeyRow {
        key: MASKED,
        value: "boolean",
        default: "`true`",
        legal: "`true`, `false`",
        only: "",
        meaning: "Whether ports that lead to something switched off are switched off too.",
    },
];

/// The faults of a network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Faults {
    /// Routers that are off.
    pub routers: Vec<FaultEntry>,
    /// Stacks that are off.
    pub stacks: Vec<FaultEntry>,
    /// Ports that are off.
    pub ports: Vec<FaultEntry>,
    /// Wires that are cut.
    pub wires: Vec<FaultEntry>,
    /// Wires that are stuck; each entry has a word.
    pub stuck: Vec<FaultEntry>,
    /// Number of routers that are drawn and switched off.
    pub random_routers: u32,
    /// Number of wires that are drawn and cut.
    pub random_wires: u32,
    /// The seed of the draws.
    #[serde(rename = "fault_seed")]
    pub seed: u64,
    /// True when ports that lead to what is off are off as well.
    pub masked: bool,
}

impl Default for Faults {
    fn default() -> Faults {
        Faults {
            routers: Vec::new(),
            stacks: Vec::new(),
            ports: Vec::new(),
            wires: Vec::new(),
            stuck: Vec::new(),
            random_routers: 0,
            random_wires: 0,
            seed: 1,
            masked: true,
        }
    }
}

impl Faults {
    /// Reads the table. What is wrong gets a stand-in.
    pub fn read(document: &mut Document<'_>) -> Faults {
        let default = Faults::default();
        let mut list = |key: Key, word: bool| {
            let entries = document.value(key, |value| entries(value, key.1, word));
            entries.unwrap_or_default()
        };
        let lists = [ROUTERS, STACKS, PORTS, WIRES].map(|key| list(key, false));
        let stuck = list(STUCK, true);
        let [routers, stacks, ports, wires] = lists;
        let masked = document.value(MASKED, |value| {
            value.as_bool().ok_or_else(|| {
                let message = format!("{}; expected true or false", found(value));
                vec![Wrong::new(message, "write masked = false")]
            })
        });
        let mut drawn = |key| document.integer32(key, 0..=RANDOM_MAX).unwrap_or(0);
        Faults {
            routers,
            stacks,
            ports,
            wires,
            stuck,
            random_routers: drawn(RANDOM_ROUTERS),
            random_wires: drawn(RANDOM_WIRES),
            seed: document
                .integer(SEED, 0..=i64::MAX as u64)
                .unwrap_or(default.seed),
            masked: masked.unwrap_or(default.masked),
        }
    }

    /// True when nothing is wrong.
    pub fn is_empty(&self) -> bool {
        let lists = [
            &self.routers,
            &self.stacks,
            &self.ports,
            &self.wires,
            &self.stuck,
        ];
        lists.iter().all(|list| list.is_empty()) && self.random_routers + self.random_wires == 0
    }
}

/// A list of entries, each with a word or without one.
fn entries(value: &DeValue<'_>, key: &str, word: bool) -> Result<Vec<FaultEntry>, Vec<Wrong>> {
    let example = if word { "NAME.PORT=0x1ff" } else { "NAME" };
    let help = || format!("such as {key} = [\"{example}\", \"{example}@100..200\"]");
    let list = value.as_array().ok_or_else(|| {
        let message = format!("{}; expected a list of strings", found(value));
        vec![Wrong::new(message, help())]
    })?;
    let (mut entries, mut wrongs) = (Vec::new(), Vec::new());
    for (at, value) in list.iter().enumerate() {
        let value = value.get_ref();
        let entry = match value.as_str().map(FaultEntry::parse) {
            None => Err("a string"),
            Some(Ok(entry)) if entry.word.is_some() != word => Err(match word {
                true => "a word after `=`",
                false => "a name, and cycles after `@`",
            }),
            Some(entry) => entry,
        };
        match entry {
            Ok(entry) => entries.push(entry),
            Err(expected) => wrongs.push(Wrong {
                entry: Some(at),
                message: format!("{}; expected {expected}", found(value)),
                help: help(),
            }),
        }
    }
    match wrongs.is_empty() {
        true => Ok(entries),
        false => Err(wrongs),
    }
}
