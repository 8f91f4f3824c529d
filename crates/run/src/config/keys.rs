//! The keys of a configuration: one list, from which the help for wrong keys, `crosswave keys`, the
//! configurations of `crosswave init` and the reference are made.

use std::sync::LazyLock;

use super::{chips, retry, run, traffic, wave};
use crosswave_chips::CHIPS;
use crosswave_document::{Key, KeyRow};
use crosswave_network::description::NetworkKind;
use crosswave_network::registry::KINDS;

/// The reference entry of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyEntry {
    /// Its table and name.
    pub key: Key,
    /// Its forms: one where it is the same in all networks that take it, or one for each group of
    /// kinds.
    pub forms: Vec<KeyForm>,
}

/// A key as some kinds of networks take it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyForm {
    /// The names of these kinds; none for all kinds.
    pub kinds: Vec<&'static str>,
    /// The type of its value.
    pub value: &'static str,
    /// Its default, in backticks where it can be written; or what is there without it.
    pub default: String,
    /// The legal values.
    pub legal: String,
    /// The condition under which it may be given; empty when there is none.
    pub only: &'static str,
    /// Its meaning, in a sentence.
    pub meaning: &'static str,
}

impl KeyEntry {
    /// The key as it is written, `table.name`.
    pub fn name(&self) -> String {
        let (table, name) = self.key;
        format!("{table}.{name}")
    }

    /// The form of the key in a kind of network; `None` when the kind does not take it.
    pub fn form(&self, kind: &str) -> Option<&KeyForm> {
        let takes = |form: &&KeyForm| form.kinds.is_empty() || form.kinds.contains(&kind);
        self.forms.iter().find(takes)
    }

    /// Adds the key as a kind takes it, to a form that is the same otherwise where there is one.
    fn add(&mut self, form: KeyForm) {
        match self.forms.iter_mut().find(|other| other.says(&form)) {
            Some(other) => other.kinds.extend(form.kinds),
            None => self.forms.push(form),
        }
    }
}

impl KeyForm {
    /// True when it says the same as another one, of whatever kinds.
    fn says(&self, other: &KeyForm) -> bool {
        let texts = |form: &KeyForm| (form.value, form.only, form.meaning);
        texts(self) == texts(other)
            && (&self.default, &self.legal) == (&other.default, &other.legal)
    }

    fn new(row: &KeyRow, kinds: &[&'static str]) -> KeyForm {
        KeyForm {
            kinds: kinds.to_vec(),
            value: row.value,
            default: row.default.to_owned(),
            legal: row.legal.to_owned(),
            only: row.only,
            meaning: row.meaning,
        }
    }
}

/// All keys, table by table.
pub fn table() -> &'static [KeyEntry] {
    static TABLE: LazyLock<Vec<KeyEntry>> = LazyLock::new(entries);
    &TABLE
}

/// Puts the keys of all tables together.
fn entries() -> Vec<KeyEntry> {
    let names = KINDS.iter().map(|kind| format!("`\"{}\"`", kind.name));
    let mut entries = vec![KeyEntry {
        key: ("network", "kind"),
        forms: vec![KeyForm {
            kinds: Vec::new(),
            value: "string",
            default: "required".to_owned(),
            legal: names.collect::<Vec<_>>().join(", "),
            only: "",
            meaning: "The kind of network.",
        }],
    }];
    for kind in KINDS {
        for row in kind.rows() {
            entry(&mut entries, row.key).add(KeyForm::new(row, &[kind.name]));
        }
    }
    for row in traffic::keys::KEYS {
        entry(&mut entries, row.key).add(KeyForm::new(row, &[]));
    }
    for kind in KINDS {
        entry(&mut entries, ("retry", "strategy")).add(strategies(kind));
    }
    for kind in KINDS.iter().filter(|kind| kind.strategies != ["none"]) {
        for row in retry::KEYS {
            entry(&mut entries, row.key).add(KeyForm::new(row, &[kind.name]));
        }
    }
    entries.extend(own_chips());
    for row in [run::KEYS, wave::KEYS].into_iter().flatten() {
        entry(&mut entries, row.key).add(KeyForm::new(row, &[]));
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

/// The entries of the keys: one for each chip that has a netlist.
fn own_chips() -> impl Iterator<Item = KeyEntry> {
    CHIPS.iter().map(|chip| {
        let kinds = KINDS.iter().filter(|kind| kind.chips.contains(&chip.name));
        let form = KeyForm {
            kinds: kinds.map(|kind| kind.name).collect(),
            value: "string or list of strings",
            default: "the chip of this program".to_owned(),
            legal: "Verilog files (`.v`, `.sv`), one netlist that Yosys wrote (`.json`), or one component \
                    file (`.toml`)"
                .to_owned(),
            only: "`run.engine = \"gate\"`",
            // Once for each chip: the table is made once.
            meaning: String::leak(format!(
                "The files of your own version of `{}`, by their paths from the folder of the \
                 configuration.",
                chip.name
            )),
        };
        KeyEntry {
            key: (chips::TABLE, chip.name),
            forms: vec![form],
        }
    })
}

/// The entry of a key, which is new where there was none.
fn entry(entries: &mut Vec<KeyEntry>, key: Key) -> &mut KeyEntry {
    let at = entries.iter().position(|entry| entry.key == key);
    let at = at.unwrap_or_else(|| {
        entries.push(KeyEntry {
            key,
            forms: Vec::new(),
        });
        entries.len() - 1
    });
    &mut entries[at]
}

/// The strategies of a kind, the default first.
fn strategies(kind: &NetworkKind) -> KeyForm {
    let names = kind.strategies.iter().map(|name| format!("`\"{name}\"`"));
    KeyForm {
        kinds: vec![kind.name],
        value: "string",
        default: format!("`\"{}\"`", kind.strategies[0]),
        legal: names.collect::<Vec<_>>().join(", "),
        only: "",
        meaning: match kind.strategies {
            ["none"] => "A packet is never sent again.",
            strategies if strategies.contains(&"rounds") => {
                "When a message that lost is sent again: at once, after a random wait, or in rounds \
                 that all nodes begin together."
            }
            _ => "When a message that lost is sent again: at once, or after a random wait.",
        },
    }
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
