//! The table `[wave]`: what a waveform shows.

use serde::Serialize;
use toml::de::DeValue;

use super::CYCLES_MAX;
use crosswave_document::{Document, KeyRow, Wrong, found, integer, two};

/// The longest glob pattern of a scope, in characters.
const SCOPE_LENGTH_MAX: usize = 256;

/// The most triggers of a run.
const TRIGGERS_MAX: u64 = 1000;

/// The keys.
pub(super) const KEYS: &[KeyRow] = &[
    KeyRow {
        key: ("wave", "scopes"),
        value: "list of strings",
        default: "`[\"*\"]`",
        legal: "patterns on dotted paths: `*` and `?` within a name, `**` for any number of names",
        only: "",
        meaning: "The signals that are recorded, by name; a pattern that matches a scope takes all \
             signals below it.",
    },
    KeyRow {
        key: ("wave", "kinds"),
        value: "list of strings",
        default: "all",
        legal: "`\"state\"` (state machines), `\"link\"`, `\"host\"` (between a chip and its host), \
             `\"option\"` (configuration pins), `\"clock\"` (clocks and resets)",
        only: "",
        meaning: "Keeps only ports of these kinds.",
    },
    KeyRow {
        key: ("wave", "levels"),
        value: "list of integers",
        default: "all",
        legal: "levels of routers, or stages of a network of RN1, from 0",
        only: "",
        meaning: "Keeps only the routers of these levels.",
    },
    KeyRow {
        key: ("wave", "routes"),
        value: "list of [source, destination]",
        default: "none",
        legal: "pairs of nodes",
        only: "",
        meaning: "Keeps only interfaces, links and states on all routes that a message may take from \
             one node to the other.",
    },
    KeyRow {
        key: ("wave", "messages"),
        value: "list of integers",
        default: "none",
        legal: "ids of messages, as `--messages` has them",
        only: "",
        meaning: "Keeps only what these messages use; the run is simulated once before to find out.",
    },
    KeyRow {
        key: ("wave", "window_cycles"),
        value: "list [from, to]",
        default: "the whole run",
        legal: "two cycles, 0 to 10^12, both included",
        only: "",
        meaning: "The cycles that are recorded; signals are X before. With a trigger, the cycles in \
             which it is looked for; `--unset wave.window_cycles` searches the whole run.",
    },
    KeyRow {
        key: ("wave", "random_pins"),
        value: "boolean",
        default: "`false`",
        legal: "`true`, `false`",
        only: "",
        meaning: "Whether pins with random bits are recorded; they are a quarter of a waveform or \
             more.",
    },
    KeyRow {
        key: ("wave", "nets"),
        value: "list of strings",
        default: "none",
        legal: "patterns on the paths of nets inside the chips, `testbench.nets.INSTANCE.…`",
        only: "",
        meaning: "The registers and wires inside the chips that are recorded, by their names in the \
             netlist; the run is simulated once before.",
    },
    KeyRow {
        key: ("wave", "lanes"),
        value: "boolean",
        default: "`false`",
        legal: "`true`, `false`",
        only: "",
        meaning: "Whether messages are recorded as signals in `testbench.messages`: what each node \
             sends, and which message each input of a router serves; the run is simulated once \
             before.",
    },
    KeyRow {
        key: ("wave", "trigger"),
        value: "string",
        default: "none",
        legal: "`launched`, `collided` (a router rejects an attempt), `rejected` (its sender hears of it), \
              `acknowledged`, `attempts > N`, `latency > N`; \
              `SIGNAL == VALUE` and other comparisons; `rise(SIGNAL)`, `fall(SIGNAL)`, \
              `change(SIGNAL)`; `differs(SIGNAL)` from the other engine. Those of messages are \
              narrowed as in `rejected(message=17)`, `launched(node=5)`, `rejected(level=3)` or \
             `collided(router=router_2_10)`. \
              `&&`, `||`, `!` and parentheses combine them",
        only: "",
        meaning: "Only cycles around the first moment in which this condition is true are recorded.",
    },
    KeyRow {
        key: ("wave", "before_cycles"),
        value: "integer",
        default: "`1000`",
        legal: "0 to 10^12",
        only: "",
        meaning: "The number of cycles that are recorded before the trigger.",
    },
    KeyRow {
        key: ("wave", "after_cycles"),
        value: "integer",
        default: "`100`",
        legal: "0 to 10^12",
        only: "",
        meaning: "The number of cycles that are recorded after the trigger.",
    },
    KeyRow {
        key: ("wave", "triggers"),
        value: "integer",
        default: "`1`",
        legal: "1 to 1000",
        only: "",
        meaning: "How many moments are recorded; with more than one, each has a file of its own, such \
             as `FILE.0.vcd`.",
    },
];

/// A kind of port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PortKind {
    /// It shows the state of a state machine.
    State,
    /// It is on a link.
    Link,
    /// It is between a chip and its host.
    Host,
    /// It is a configuration pin.
    Option,
    /// It is a clock or a reset.
    Clock,
}

/// The names of kinds.
const PORT_KINDS: [(&str, PortKind); 5] = [
    ("state", PortKind::State),
    ("link", PortKind::Link),
    ("host", PortKind::Host),
    ("option", PortKind::Option),
    ("clock", PortKind::Clock),
];

/// The expected entries of a list, and an example of one.
struct Expected(&'static str, &'static str);

const KINDS: Expected = Expected(
    "\"state\", \"link\", \"host\", \"option\" or \"clock\"",
    "such as [\"state\", \"link\"]",
);
const NUMBERS: Expected = Expected("a number from 0 on", "such as [0, 3]");
const ROUTES: Expected = Expected("[source, destination], two nodes", "such as [[0, 63]]");

/// Most entries of a list.
const ENTRIES_MAX: usize = 10_000;

/// A list of entries that are read one by one.
fn list<T>(
    value: &DeValue<'_>,
    Expected(expected, example): &Expected,
    read: impl Fn(&DeValue<'_>) -> Option<T>,
) -> Result<Vec<T>, Vec<Wrong>> {
    let entries = value
        .as_array()
        .filter(|entries| (1..=ENTRIES_MAX).contains(&entries.len()));
    let Some(entries) = entries else {
        let message = format!(
            "{}; expected a list of 1 to {ENTRIES_MAX} entries, each {expected}",
            found(value)
        );
        return Err(vec![Wrong::new(message, *example)]);
    };
    let mut wrongs = Vec::new();
    let mut all = Vec::new();
    for (entry, value) in entries.iter().enumerate() {
        match read(value.get_ref()) {
            Some(read) => all.push(read),
            None => wrongs.push(Wrong {
                entry: Some(entry),
                message: format!("{}; expected {expected}", found(value.get_ref())),
                help: (*example).into(),
            }),
        }
    }
    match wrongs.is_empty() {
        true => Ok(all),
        false => Err(wrongs),
    }
}

fn kind(value: &DeValue<'_>) -> Option<PortKind> {
    let name = value.as_str()?;
    let found = PORT_KINDS.iter().find(|(known, _)| *known == name);
    found.map(|(_, kind)| *kind)
}

fn number(value: &DeValue<'_>) -> Option<u32> {
    let number = integer(value, &(0..=u64::from(u32::MAX))).ok()?;
    u32::try_from(number).ok()
}

fn route(value: &DeValue<'_>) -> Option<(u32, u32)> {
    let [source, destination] = two(value)?;
    number(source).zip(number(destination))
}

/// Contents of a waveform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WaveConfig {
    /// Glob patterns on dotted instance paths.
    pub scopes: Vec<String>,
    /// Kinds of ports; empty for all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<PortKind>,
    /// Levels or stages of routers; empty for all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<u32>,
    /// Sources and destinations whose ways are shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub routes: Vec<(u32, u32)>,
    /// Messages whose ways are shown; with no routes and no messages everything is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<u32>,
    /// The first and the last cycle shown; `None` for the whole run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_cycles: Option<(u64, u64)>,
    /// True when the pins with random bits are shown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub random_pins: bool,
    /// Patterns on paths of nets that are shown too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nets: Vec<String>,
    /// True when messages are signals too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lanes: bool,
    /// The condition around which cycles are shown; `None` shows all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    /// Cycles before it that are shown.
    pub before_cycles: u64,
    /// Cycles behind it that are shown.
    pub after_cycles: u64,
    /// Number of times that it is waited for.
    pub triggers: u64,
}

/// All ports of the whole run, but those with random bits.
impl Default for WaveConfig {
    fn default() -> WaveConfig {
        WaveConfig {
            scopes: vec!["*".into()],
            kinds: Vec::new(),
            levels: Vec::new(),
            routes: Vec::new(),
            messages: Vec::new(),
            window_cycles: None,
            random_pins: false,
            nets: Vec::new(),
            lanes: false,
            trigger: None,
            before_cycles: 1000,
            after_cycles: 100,
            triggers: 1,
        }
    }
}

impl WaveConfig {
    /// Upper bound on the number of files: a condition may become true several times.
    pub fn windows(&self) -> usize {
        match self.trigger {
            Some(_) => self.triggers as usize,
            None => 1,
        }
    }

    /// Reads the table. What is wrong gets a stand-in.
    pub(super) fn read(document: &mut Document<'_>) -> WaveConfig {
        let default = WaveConfig::default();
        let mut whether = |name: &'static str| {
            document.value(("wave", name), |value| {
                value.as_bool().ok_or_else(|| {
                    let message = format!("{}; expected true or false", found(value));
                    vec![Wrong::new(message, format!("write {name} = true"))]
                })
            })
        };
        let (random_pins, lanes) = (whether("random_pins"), whether("lanes"));
        WaveConfig {
            scopes: document
                .value(("wave", "scopes"), |value| {
                    patterns(value, PATTERNS_OF_SCOPES)
                })
                .unwrap_or(default.scopes),
            kinds: document
                .value(("wave", "kinds"), |value| list(value, &KINDS, kind))
                .unwrap_or_default(),
            levels: document
                .value(("wave", "levels"), |value| list(value, &NUMBERS, number))
                .unwrap_or_default(),
            routes: document
                .value(("wave", "routes"), |value| list(value, &ROUTES, route))
                .unwrap_or_default(),
            messages: document
                .value(("wave", "messages"), |value| list(value, &NUMBERS, number))
                .unwrap_or_default(),
            window_cycles: document.value(("wave", "window_cycles"), window_cycles),
            random_pins: random_pins.unwrap_or(default.random_pins),
            nets: document
                .value(("wave", "nets"), |value| patterns(value, PATTERNS_OF_NETS))
                .unwrap_or_default(),
            lanes: lanes.unwrap_or(default.lanes),
            trigger: document.value(("wave", "trigger"), trigger),
            before_cycles: document
                .integer(("wave", "before_cycles"), 0..=CYCLES_MAX)
                .unwrap_or(default.before_cycles),
            after_cycles: document
                .integer(("wave", "after_cycles"), 0..=CYCLES_MAX)
                .unwrap_or(default.after_cycles),
            triggers: document
                .integer(("wave", "triggers"), 1..=TRIGGERS_MAX)
                .unwrap_or(default.triggers),
        }
    }
}

/// A condition, which is read when the network is known.
fn trigger(value: &DeValue<'_>) -> Result<String, Vec<Wrong>> {
    let text = value.as_str().filter(|text| !text.trim().is_empty());
    text.map(str::to_owned).ok_or_else(|| {
        let message = format!("{}; expected a condition", found(value));
        let help = "such as trigger = \"rejected(level=3)\"";
        vec![Wrong::new(message, help)]
    })
}

const PATTERNS_OF_SCOPES: Expected = Expected(
    "expected a list of glob patterns on dotted instance paths",
    "such as scopes = [\"*\"]",
);
const PATTERNS_OF_NETS: Expected = Expected(
    "expected a list of glob patterns on dotted paths of nets",
    "such as nets = [\"**.input_a.in_valid_q\"]",
);

/// A list of glob patterns.
fn patterns(
    value: &DeValue<'_>,
    Expected(expected, help): Expected,
) -> Result<Vec<String>, Vec<Wrong>> {
    let entries = value
        .as_array()
        .filter(|entries| !entries.is_empty())
        .ok_or_else(|| vec![Wrong::new(format!("{}; {expected}", found(value)), help)])?;
    let mut scopes = Vec::new();
    let mut wrongs = Vec::new();
    for (entry, value) in entries.iter().enumerate() {
        let plain = |text: &&str| {
            let visible = |c: char| !c.is_whitespace() && !c.is_control();
            (1..=SCOPE_LENGTH_MAX).contains(&text.chars().count()) && text.chars().all(visible)
        };
        match value.get_ref().as_str().filter(plain) {
            Some(text) => scopes.push(text.to_string()),
            None => wrongs.push(Wrong {
                entry: Some(entry),
                message: format!(
                    "{}; expected a pattern of 1 to {SCOPE_LENGTH_MAX} characters without space",
                    found(value.get_ref())
                ),
                help: help.into(),
            }),
        }
    }
    if wrongs.is_empty() {
        Ok(scopes)
    } else {
        Err(wrongs)
    }
}

/// Two cycles in order.
fn window_cycles(value: &DeValue<'_>) -> Result<(u64, u64), Vec<Wrong>> {
    const HELP: &str = "such as window_cycles = [1, 100]";
    let cycle = |value: &DeValue<'_>| integer(value, &(0..=CYCLES_MAX)).ok();
    let window = two(value).and_then(|[from, to]| cycle(from).zip(cycle(to)));
    match window {
        Some((from, to)) if from <= to => Ok((from, to)),
        Some((from, to)) => {
            let message = format!("from {from} to {to}; expected from <= to");
            let help = format!("write window_cycles = [{to}, {from}]");
            Err(vec![Wrong::new(message, help)])
        }
        None => {
            let message = format!(
                "{}; expected [from, to], two cycles from 0 to {CYCLES_MAX}",
                found(value)
            );
            Err(vec![Wrong::new(message, HELP)])
        }
    }
}
