//! The keys of a configuration: one list, from which the help for wrong keys and the table in
//! the README are made.

use super::{retry, run, traffic, wave};
use crosswave_document::{Key, KeyRow};
use crosswave_network::registry::KINDS;

/// The reference entry of a key. When several kinds of networks take the key, it has the text of
/// each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyEntry {
    /// Its table and name.
    pub key: Key,
    /// The type of its value.
    pub value: &'static str,
    /// Its default.
    pub default: String,
    /// Legal values, and their meaning.
    pub legal: String,
}

/// All keys, table by table.
pub fn table() -> Vec<KeyEntry> {
    let names = KINDS
        .iter()
        .map(|kind| format!("`\"{}\"` {}", kind.name, kind.of));
    let mut entries = vec![KeyEntry {
        key: ("network", "kind"),
        value: "string",
        default: "required".into(),
        legal: names.collect::<Vec<_>>().join(", "),
    }];
    for kind in KINDS {
        kind.rows().for_each(|row| add(&mut entries, row));
    }
    traffic::keys::KEYS
        .iter()
        .for_each(|row| add(&mut entries, row));
    entries.push(KeyEntry {
        key: ("retry", "strategy"),
        value: "string",
        default: "`\"immediate\"`; `\"none\"` where there is no other".into(),
        legal: strategies(),
    });
    for rows in [retry::KEYS, run::KEYS, wave::KEYS] {
        rows.iter().for_each(|row| add(&mut entries, row));
    }
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

/// Adds a row, or what it says to what others say of the same key, unless one of them says it too.
fn add(entries: &mut Vec<KeyEntry>, row: &KeyRow) {
    let Some(entry) = entries.iter_mut().find(|entry| entry.key == row.key) else {
        entries.push(KeyEntry {
            key: row.key,
            value: row.value,
            default: row.default.into(),
            legal: row.legal.into(),
        });
        return;
    };
    if !entry.default.contains(row.default) {
        entry.default = format!("{}; {}", entry.default, row.default);
    }
    if !entry.legal.contains(row.legal) {
        entry.legal = format!("{}; {}", entry.legal, row.legal);
    }
}

/// The strategies: those of all kinds where messages are sent again, and then what only some
/// have.
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
    let of_all = |strategy: &&str| {
        let mut retrying = KINDS.iter().filter(|kind| !kind.packets);
        retrying.all(|kind| kind.strategies.contains(strategy))
    };
    let (common, some): (Vec<&str>, Vec<&str>) = all.into_iter().partition(of_all);
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
