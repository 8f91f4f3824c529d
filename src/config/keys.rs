//! The keys of a configuration: one list, from which the help for wrong keys and the table in
//! the README are made.

use crate::document::{Key, KeyRow};
use crate::network::registry::KINDS;

const fn row(
    table: &'static str,
    name: &'static str,
    value: &'static str,
    default: &'static str,
    legal: &'static str,
) -> KeyRow {
    KeyRow {
        key: (table, name),
        value,
        default,
        legal,
    }
}

/// The keys of `[traffic]`.
const TRAFFIC: &[KeyRow] = &[
    row(
        "traffic",
        "pattern",
        "string",
        "this or `trace`",
        "`\"random\"`, `\"pair\"`, `\"pairs\"`, `\"hot-spot\"`, `\"transpose\"`, `\"bit-reversal\"`, `\"cyclic-shift\"`, `\"steady\"`",
    ),
    row(
        "traffic",
        "messages",
        "integer",
        "all nodes that can send",
        "1 to the number of nodes (less one for hot-spot): sources; not for pair, pairs and steady",
    ),
    row(
        "traffic",
        "words",
        "integer",
        "`1`",
        "1 to 2^20 body words of a message; patterns only",
    ),
    row(
        "traffic",
        "source",
        "integer",
        "required by pair",
        "a node, from 0; pair only",
    ),
    row(
        "traffic",
        "destination",
        "integer",
        "required by pair and hot-spot",
        "a node, from 0; pair and hot-spot only",
    ),
    row(
        "traffic",
        "destinations",
        "string",
        "`\"others\"`",
        "`\"others\"`, `\"all\"`: among which nodes a destination is uniform; with `\"all\"` a message to its own source is drawn, and not sent; random only. The papers leave open which: both names and the default are assumed",
    ),
    row(
        "traffic",
        "pairs",
        "list of [source, destination]",
        "required by pairs",
        "nodes, from 0; pairs only",
    ),
    row(
        "traffic",
        "random_messages",
        "integer",
        "0",
        "0 to the number of nodes left; sources beside those of hot-spot, which send to random nodes; hot-spot only",
    ),
    row(
        "traffic",
        "shift",
        "integer",
        "required by cyclic-shift",
        "1 to the number of nodes less one; cyclic-shift only",
    ),
    row(
        "traffic",
        "repeat",
        "integer",
        "`1`",
        "1 to 10^6 messages of each source, and at most 2^24 in all; patterns but steady",
    ),
    row(
        "traffic",
        "load",
        "number",
        "required by steady",
        "above 0, at most 1, six decimals: body words that a node offers per cycle, on average; steady only",
    ),
    row(
        "traffic",
        "cycles",
        "integer",
        "required by steady",
        "1 to 10^9, and at most 2^24 messages to be expected: messages are offered in cycles 1 to this one; steady only",
    ),
    row(
        "traffic",
        "warmup_cycles",
        "integer",
        "a fifth of the cycles",
        "0 to the number of cycles less one: what happens up to this cycle is not measured; steady only",
    ),
    row(
        "traffic",
        "trace",
        "string",
        "this or `pattern`",
        "a file, relative to the configuration's folder",
    ),
    row(
        "traffic",
        "replay",
        "string",
        "`\"timed\"`",
        "`\"timed\"`, `\"in-order\"`; traces only",
    ),
    row(
        "traffic",
        "clock_mhz",
        "number",
        "`100`",
        "above 0, at most 10^5, six decimals; traces only",
    ),
    row(
        "traffic",
        "time_scale",
        "number",
        "`1.0`",
        "above 0, at most 10^6, six decimals; traces only",
    ),
    row(
        "traffic",
        "bytes_scale",
        "number",
        "`1.0`",
        "above 0, at most 10^6, six decimals; traces only",
    ),
    row(
        "traffic",
        "bytes_per_word",
        "integer",
        "`1`",
        "1 to 65,536; traces only",
    ),
    row(
        "traffic",
        "limit",
        "integer",
        "the whole trace",
        "1 to 2^24 messages; traces only",
    ),
];

/// The keys of the other tables that all networks have, `retry.strategy` apart.
const OTHERS: &[KeyRow] = &[
    row(
        "retry",
        "backoff_limit",
        "integer",
        "`10`; `6` with random",
        "1 to 12; the wait after collision j is uniform in 0 to 2^min(j, limit) − 1 clocks, with random in 0 to 2^limit − 1; backoff and random only",
    ),
    row("run", "seed", "integer", "`1`", "0 to 2^63 − 1"),
    row(
        "run",
        "engine",
        "string",
        "`\"gate\"`",
        "`\"gate\"`, `\"event\"`",
    ),
    row(
        "run",
        "replicates",
        "integer",
        "`1`",
        "1 to 100,000 runs with other random bits",
    ),
    row(
        "run",
        "cycles_max",
        "integer",
        "from the traffic",
        "1 to 10^12, with steady at least `traffic.cycles`; a run that is not finished then is given up. Left out, it is the cycle of the last offer, 10^7, and 16 times what all messages would take one after another, added up",
    ),
    row(
        "run",
        "threads",
        "integer",
        "`0`",
        "0 to 256; 0 lets the program choose: one in small networks, more as there is more to do in a cycle; results do not depend on it",
    ),
    row(
        "wave",
        "scopes",
        "list of strings",
        "`[\"*\"]`",
        "patterns on dotted paths: `*` and `?` within a name, `**` for any number of names; looked up with `--vcd`, which takes networks of up to 2^26 ports, whatever is selected",
    ),
    row(
        "wave",
        "window_cycles",
        "list [from, to]",
        "the whole run",
        "0 to 10^12, both included; cycles before the window are X, and a window that begins after the run's last cycle is warned of",
    ),
    row(
        "wave",
        "random_pins",
        "boolean",
        "`false`",
        "whether pins with random bits are recorded; they are a quarter of a waveform and more",
    ),
];

/// What is said of a key; of one that several kinds of networks take, what each says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its table and name.
    pub key: Key,
    /// The type of its value.
    pub value: &'static str,
    /// Its default.
    pub default: String,
    /// What is legal, and what it means.
    pub legal: String,
}

/// All keys, table by table.
pub fn table() -> Vec<Entry> {
    let names = KINDS
        .iter()
        .map(|kind| format!("`\"{}\"` {}", kind.name, kind.of));
    let mut entries = vec![Entry {
        key: ("network", "kind"),
        value: "string",
        default: "required".into(),
        legal: names.collect::<Vec<_>>().join(", "),
    }];
    for kind in KINDS {
        kind.keys.iter().for_each(|row| add(&mut entries, row));
    }
    TRAFFIC.iter().for_each(|row| add(&mut entries, row));
    entries.push(Entry {
        key: ("retry", "strategy"),
        value: "string",
        default: "`\"immediate\"`".into(),
        legal: strategies(),
    });
    OTHERS.iter().for_each(|row| add(&mut entries, row));
    // Keys of a table stand together, in the order of their tables.
    let mut tables: Vec<&str> = Vec::new();
    for entry in &entries {
        if !tables.contains(&entry.key.0) {
            tables.push(entry.key.0);
        }
    }
    entries.sort_by_key(|entry| tables.iter().position(|table| *table == entry.key.0));
    entries
}

/// Adds a row, or what it says to what others say of the same key.
fn add(entries: &mut Vec<Entry>, row: &KeyRow) {
    let Some(entry) = entries.iter_mut().find(|entry| entry.key == row.key) else {
        entries.push(Entry {
            key: row.key,
            value: row.value,
            default: row.default.into(),
            legal: row.legal.into(),
        });
        return;
    };
    if entry.default != row.default {
        entry.default = format!("{}; {}", entry.default, row.default);
    }
    if entry.legal != row.legal {
        entry.legal = format!("{}; {}", entry.legal, row.legal);
    }
}

/// The strategies: those of all kinds, and then what only some have.
fn strategies() -> String {
    let mut all: Vec<&str> = Vec::new();
    for strategy in KINDS.iter().flat_map(|kind| kind.strategies) {
        if !all.contains(strategy) {
            all.push(strategy);
        }
    }
    let of = |strategy: &str| -> Vec<&str> {
        let having = KINDS
            .iter()
            .filter(|kind| kind.strategies.contains(&strategy));
        having.map(|kind| kind.title).collect()
    };
    let (common, some): (Vec<&str>, Vec<&str>) = all
        .into_iter()
        .partition(|strategy| of(strategy).len() == KINDS.len());
    let common: Vec<String> = common.iter().map(|name| format!("`\"{name}\"`")).collect();
    let some = some.into_iter().map(|name| {
        let kinds = of(name).into_iter().map(|title| format!("a {title}"));
        format!(
            "; `\"{name}\"` in {}",
            kinds.collect::<Vec<_>>().join(" or ")
        )
    });
    common.join(", ") + &some.collect::<String>()
}

/// The tables and the names of their keys.
pub(super) fn tables() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut tables: Vec<(&str, Vec<&str>)> = Vec::new();
    for entry in table() {
        let (table, name) = entry.key;
        match tables.last_mut() {
            Some((last, names)) if *last == table => names.push(name),
            _ => tables.push((table, vec![name])),
        }
    }
    tables
}
