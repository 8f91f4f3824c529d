//! Keys of a configuration with their values, put together from typed values.
//!
//! What is put together is written as the text of a configuration, and that is read: so there is
//! one set of checks, of defaults and of messages.

use serde::Serialize;

/// Tables with their keys, each with its value as TOML.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Keys {
    tables: Vec<(&'static str, Vec<(&'static str, String)>)>,
}

impl Keys {
    /// Sets a key of a table. A value that TOML cannot hold is written as JSON, for the reader to
    /// say so.
    pub(crate) fn set(&mut self, table: &'static str, key: &'static str, value: impl Serialize) {
        let text = match toml::Value::try_from(&value) {
            Ok(value) => value.to_string(),
            Err(_) => serde_json::to_string(&value).unwrap_or_default(),
        };
        let keys = self.table(table);
        match keys.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => *known = text,
            None => keys.push((key, text)),
        }
    }

    /// Takes in the keys of others, which replace those of the same names.
    pub(crate) fn extend(&mut self, others: Keys) {
        for (table, keys) in others.tables {
            let own = self.table(table);
            own.retain(|(known, _)| !keys.iter().any(|(key, _)| key == known));
            own.extend(keys);
        }
    }

    fn table(&mut self, name: &'static str) -> &mut Vec<(&'static str, String)> {
        let at = self.tables.iter().position(|(known, _)| *known == name);
        let at = at.unwrap_or_else(|| {
            self.tables.push((name, Vec::new()));
            self.tables.len() - 1
        });
        &mut self.tables[at].1
    }

    /// The text of a configuration with these keys.
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        for (table, keys) in &self.tables {
            text += &format!("[{table}]\n");
            for (key, value) in keys {
                text += &format!("{key} = {value}\n");
            }
        }
        text
    }

    /// Each key with its table and its value: `run.seed=7`.
    pub(crate) fn overrides(&self) -> Vec<String> {
        let tables = self.tables.iter();
        let overrides = tables.flat_map(|(table, keys)| {
            let keys = keys.iter();
            keys.map(move |(key, value)| format!("{table}.{key}={value}"))
        });
        overrides.collect()
    }
}

/// Methods that each set a key to their argument.
macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty)?) = $table:literal.$key:ident $(= $value:expr)?;)*) => {
        $(
            $(#[$doc])*
            pub fn $name(mut self $(, $argument: $type)?) -> Self {
                self.keys.set($table, stringify!($key), crate::keys::setters!(@value $($argument)? $($value)?));
                self
            }
        )*
    };
    (@value $argument:ident) => { $argument };
    (@value $value:expr) => { $value };
}
pub(crate) use setters;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_written_as_toml() {
        let mut keys = Keys::default();
        keys.set("network", "nodes", 64u32);
        keys.set("traffic", "load", 0.5);
        keys.set("traffic", "pairs", [(0u32, 1u32), (2, 3)]);
        keys.set("network", "failed", ["a \"b\""]);
        keys.set("network", "nodes", 16u32);
        let mut others = Keys::default();
        others.set("traffic", "load", 1.0);
        others.set("run", "seed", u64::MAX);
        keys.extend(others);
        let expected = "[network]\nnodes = 16\nfailed = ['a \"b\"']\n[traffic]\n\
                        pairs = [[0, 1], [2, 3]]\nload = 1.0\n[run]\nseed = 18446744073709551615\n";
        assert_eq!(keys.to_text(), expected);
        assert_eq!(keys.overrides()[0], "network.nodes=16");
    }
}
