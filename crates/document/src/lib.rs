//! A configuration file and its overrides as known keys with TOML values, each
//! with the place it came from; and the reading of values by type.

mod syntax;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Range, RangeInclusive};
use std::path::PathBuf;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crosswave_base::decimal::{self, Decimal};
use crosswave_base::diagnostic::{Class, Diagnostic, Error, brief_piece};
use crosswave_base::suggest::{list, nearest};

/// The beginning of an override that takes a key away instead of setting it: `!table.key`.
pub const UNSET: char = '!';

/// The tables that a document may have, and the keys of each.
pub type Tables = [(&'static str, Vec<&'static str>)];

/// A table and a key in it.
pub type Key = (&'static str, &'static str);

/// The description of a key in a list of keys.
#[derive(Debug, Clone, Copy)]
pub struct KeyRow {
    /// Its table and name.
    pub key: Key,
    /// The type of its value.
    pub value: &'static str,
    /// Its default, in backticks where it can be written; or what is there without it.
    pub default: &'static str,
    /// The legal values.
    pub legal: &'static str,
    /// The condition under which it may be given, a clause after "only where"; empty when there is
    /// none.
    pub only: &'static str,
    /// Its meaning, in a sentence.
    pub meaning: &'static str,
}

/// A mistake in a value.
#[derive(Debug)]
pub struct Wrong {
    /// The entry of a list, when not the whole value is wrong.
    pub entry: Option<usize>,
    /// The finding and the expectation, as one text.
    pub message: String,
    /// Advice on how to fix it.
    pub help: String,
}

impl Wrong {
    /// Something wrong with a whole value.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Wrong {
        Wrong {
            entry: None,
            message: message.into(),
            help: help.into(),
        }
    }
}

/// A value and where it came from.
struct Item<'a> {
    value: DeValue<'a>,
    origin: Origin<'a>,
}

enum Origin<'a> {
    /// The bytes of the value in the file.
    File(Range<usize>),
    /// The override as written.
    Override(&'a str),
}

/// The keys that were given, and the mistakes found so far.
pub struct Document<'a> {
    /// The keys that there are.
    tables: &'a Tables,
    items: BTreeMap<Key, Item<'a>>,
    /// The bytes of each table's header in the file.
    headers: BTreeMap<&'static str, Range<usize>>,
    /// Keys that have a mistake, so that none is told twice.
    failed: BTreeSet<Key>,
    /// The mistakes, in the order in which they were found.
    pub mistakes: Vec<Diagnostic>,
    /// The folder of files that it names.
    pub folder: PathBuf,
    /// The class of mistakes in a file that it names, and how many there were before.
    file_class: Option<(Class, usize)>,
    /// Mistakes in that file.
    file_mistakes: usize,
}

impl<'a> Document<'a> {
    /// Reads the file's text, then the overrides. The flag tells whether the
    /// text was TOML; when not, keys are missing.
    pub fn read(
        text: &'a str,
        overrides: &'a [String],
        tables: &'a Tables,
    ) -> (Document<'a>, bool) {
        let mut document = Document {
            tables,
            items: BTreeMap::new(),
            headers: BTreeMap::new(),
            failed: BTreeSet::new(),
            mistakes: Vec::new(),
            folder: PathBuf::new(),
            file_class: None,
            file_mistakes: 0,
        };
        let (root, errors) = DeTable::parse_recoverable(text);
        let whole = errors.is_empty();
        document.mistakes = syntax::mistakes(text, &errors);
        if whole {
            for (name, value) in root.into_inner() {
                document.table(name, value);
            }
        }
        for text in overrides {
            if let Err(wrong) = document.replace(text) {
                let place = match text.strip_prefix(UNSET) {
                    Some(key) => format!("--unset {}", brief_piece(key)),
                    None => format!("--set {}", brief_piece(text)),
                };
                let mistake = Diagnostic::new(place, wrong.message, wrong.help);
                document.mistakes.push(mistake);
            }
        }
        (document, whole)
    }

    /// Takes a table of the file.
    fn table(&mut self, name: Spanned<std::borrow::Cow<'a, str>>, value: Spanned<DeValue<'a>>) {
        let known = self
            .tables
            .iter()
            .find(|(table, _)| *table == name.get_ref());
        let Some((table, keys)) = known else {
            let wrong = unknown_table(self.tables, name.get_ref(), value.get_ref());
            let mistake = Diagnostic::new(brief_piece(name.get_ref()), wrong.message, wrong.help);
            self.mistakes.push(mistake.at(name.span()));
            return;
        };
        self.headers.insert(table, name.span());
        let span = value.span();
        let DeValue::Table(entries) = value.into_inner() else {
            let help = format!("write [{table}] on a line of its own, and its keys below");
            let mistake = Diagnostic::new(*table, "not a table; expected a table", help);
            self.mistakes.push(mistake.at(span));
            return;
        };
        for (name, value) in entries {
            match keys.iter().find(|key| *key == name.get_ref()) {
                Some(&key) => {
                    let origin = Origin::File(value.span());
                    let value = value.into_inner();
                    self.items.insert((table, key), Item { value, origin });
                }
                None => {
                    let wrong = unknown_key(self.tables, table, keys, name.get_ref());
                    let place = format!("{table}.{}", brief_piece(name.get_ref()));
                    let mistake = Diagnostic::new(place, wrong.message, wrong.help);
                    self.mistakes.push(mistake.at(name.span()));
                }
            }
        }
    }

    /// Takes an override.
    fn replace(&mut self, text: &'a str) -> Result<(), Wrong> {
        const FORM: &str = "write --set table.key=VALUE, such as --set run.seed=7";
        if let Some(path) = text.strip_prefix(UNSET) {
            const UNSET_FORM: &str = "write --unset table.key, such as --unset wave.window_cycles";
            let (name, key) = path
                .trim()
                .split_once('.')
                .ok_or_else(|| Wrong::new("no `.`; expected table.key", UNSET_FORM))?;
            if key.contains('=') {
                return Err(Wrong::new("found a value; expected table.key", UNSET_FORM));
            }
            let key = self.known(name, key)?;
            self.items.remove(&key);
            return Ok(());
        }
        let (path, value) = text
            .split_once('=')
            .ok_or_else(|| Wrong::new("no `=`; expected table.key=VALUE", FORM))?;
        let (name, key) = path
            .trim()
            .split_once('.')
            .ok_or_else(|| Wrong::new("no `.`; expected table.key=VALUE", FORM))?;
        let value = value.trim();
        let value = match DeValue::parse(value) {
            Ok(value) => value.into_inner(),
            Err(_) if is_bare_word(value) => DeValue::String(value.into()),
            Err(error) => {
                let help = "quote a string for TOML and for the shell: 'wave.scopes=[\"*\"]'";
                return Err(Wrong::new(
                    format!("not a TOML value: {}", error.message()),
                    help,
                ));
            }
        };
        let key = self.known(name, key)?;
        let origin = Origin::Override(text);
        self.items.insert(key, Item { value, origin });
        Ok(())
    }

    /// The key of a table, by their names.
    fn known(&self, name: &str, key: &str) -> Result<Key, Wrong> {
        let (table, keys) = self
            .tables
            .iter()
            .find(|(table, _)| *table == name)
            .ok_or_else(|| unknown_table(self.tables, name, &DeValue::Table(DeTable::new())))?;
        let &key = keys
            .iter()
            .find(|known| **known == key)
            .ok_or_else(|| unknown_key(self.tables, table, keys, key))?;
        Ok((table, key))
    }

    /// True when the key was given.
    pub fn has(&self, key: Key) -> bool {
        self.items.contains_key(&key)
    }

    /// True when a table has a header or a key.
    pub fn has_table(&self, table: &str) -> bool {
        let given = self.items.keys().any(|(name, _)| *name == table);
        given || self.headers.contains_key(table)
    }

    /// Records all mistakes in a file that a key names, with their places there.
    pub fn wrong_in_file(&mut self, key: Key, error: Error) {
        let source = error.source.unwrap_or_default();
        for found in error.diagnostics {
            let at = found.span.filter(|_| !source.is_empty()).map(|span| {
                let (line, column) = Error::line_column(&source, span.start);
                format!(":{line}:{column}")
            });
            let place = match found.place.is_empty() {
                true => String::new(),
                false => format!("{}: ", found.place),
            };
            let (origin, at) = (&error.origin, at.unwrap_or_default());
            let message = format!("{origin}{at}: {place}{}", found.message);
            self.wrong_file(key, error.class, Wrong::new(message, found.help));
        }
    }

    /// Records that something is wrong with a file that a key names; once for each mistake in it.
    fn wrong_file(&mut self, key: Key, class: Class, wrong: Wrong) {
        let first = match self.file_class {
            Some((_, first)) if self.failed.contains(&key) => first,
            _ => self.mistakes.len(),
        };
        self.wrong(key, None, wrong);
        self.file_class = Some((class, first));
        self.file_mistakes = self.mistakes.len() - first;
    }

    /// The class of the mistakes: that of a file where it is all that is wrong.
    pub fn class(&self) -> Class {
        match self.file_class {
            Some((class, 0)) if self.mistakes.len() == self.file_mistakes => class,
            _ => Class::Usage,
        }
    }

    /// True when the key has a mistake.
    pub fn failed(&self, key: Key) -> bool {
        self.failed.contains(&key)
    }

    /// Records that something is wrong with a key, at its value, or else at
    /// the value of `beside`, or else at its table.
    pub fn wrong(&mut self, key: Key, beside: Option<Key>, wrong: Wrong) {
        let (table, name) = key;
        let entry = wrong
            .entry
            .map_or(String::new(), |entry| format!("[{entry}]"));
        let mut place = format!("{table}.{name}{entry}");
        let item = self.items.get(&key);
        let span = match item.or_else(|| self.items.get(&beside?)) {
            Some(Item { value, origin }) => match origin {
                Origin::Override(text) => {
                    if item.is_some() {
                        place = format!("--set {}", brief_piece(text));
                    }
                    None
                }
                Origin::File(span) => match (value, wrong.entry) {
                    (DeValue::Array(entries), Some(entry)) => {
                        Some(entries.get(entry).map_or(span.clone(), Spanned::span))
                    }
                    _ => Some(span.clone()),
                },
            },
            None => self.headers.get(table).cloned(),
        };
        let mut mistake = Diagnostic::new(place, wrong.message, wrong.help);
        mistake.span = span;
        self.mistakes.push(mistake);
        self.failed.insert(key);
    }

    /// Reads a value; `None` when the key was not given, or is wrong.
    pub fn value<T>(
        &mut self,
        key: Key,
        read: impl FnOnce(&DeValue<'a>) -> Result<T, Vec<Wrong>>,
    ) -> Option<T> {
        match read(&self.items.get(&key)?.value) {
            Ok(value) => Some(value),
            Err(wrongs) => {
                for wrong in wrongs {
                    self.wrong(key, None, wrong);
                }
                None
            }
        }
    }

    /// An integer in `range`.
    pub fn integer(&mut self, key: Key, range: RangeInclusive<u64>) -> Option<u64> {
        self.value(key, |value| {
            integer(value, &range).map_err(|mut wrong| {
                let nearest = match as_i128(value) {
                    Some(found) if found > i128::from(*range.end()) => range.end(),
                    _ => range.start(),
                };
                wrong.help = format!("such as {} = {nearest}", key.1);
                vec![wrong]
            })
        })
    }

    /// [`Document::integer`] for ranges within 32 bits.
    pub fn integer32(&mut self, key: Key, range: RangeInclusive<u32>) -> Option<u32> {
        let range = u64::from(*range.start())..=u64::from(*range.end());
        self.integer(key, range)
            .and_then(|value| u32::try_from(value).ok())
    }

    /// One of several names.
    pub fn choice<T: Copy>(&mut self, key: Key, choices: &[(&'static str, T)]) -> Option<T> {
        self.value(key, |value| {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            let chosen = value
                .as_str()
                .and_then(|found| choices.iter().find(|(name, _)| *name == found));
            if let Some((_, choice)) = chosen {
                return Ok(*choice);
            }
            let expected = match names.as_slice() {
                [only] => format!("{only:?}"),
                _ => format!("one of {}", list(&names)),
            };
            let message = format!("{}; expected {expected}", found(value));
            let help = match value.as_str().and_then(|found| nearest(found, &names)) {
                Some(name) => format!("did you mean {name:?}?"),
                None => format!("such as {} = {:?}", key.1, names[0]),
            };
            Err(vec![Wrong::new(message, help)])
        })
    }

    /// A positive number up to `most`, exact in millionths.
    pub fn decimal(&mut self, key: Key, most: u64) -> Option<Decimal> {
        self.value(key, |value| {
            let number = match value {
                DeValue::Integer(_) => as_i128(value)
                    .and_then(|whole| u64::try_from(whole).ok())
                    .and_then(Decimal::whole),
                DeValue::Float(float) => Decimal::parse(float.as_str()),
                _ => None,
            };
            number
                .filter(|&number| Decimal::whole(most).is_none_or(|most| number <= most))
                .ok_or_else(|| {
                    let message = format!(
                        "{}; expected a number above 0, at most {most}, with up to {} decimals",
                        found(value),
                        decimal::DECIMALS_MAX
                    );
                    vec![Wrong::new(message, format!("such as {} = 0.5", key.1))]
                })
        })
    }
}

/// The integer in `value`, when it is in `range`.
pub fn integer(value: &DeValue<'_>, range: &RangeInclusive<u64>) -> Result<u64, Wrong> {
    as_i128(value)
        .and_then(|integer| u64::try_from(integer).ok())
        .filter(|integer| range.contains(integer))
        .ok_or_else(|| {
            let (from, to) = (range.start(), range.end());
            let message = format!("{}; expected an integer from {from} to {to}", found(value));
            Wrong::new(message, "")
        })
}

/// The two entries of a list of two.
pub fn two<'v, 'a>(value: &'v DeValue<'a>) -> Option<[&'v DeValue<'a>; 2]> {
    let entries = value.as_array().filter(|entries| entries.len() == 2)?;
    Some([entries.first()?.get_ref(), entries.get(1)?.get_ref()])
}

fn as_i128(value: &DeValue<'_>) -> Option<i128> {
    let integer = value.as_integer()?;
    i128::from_str_radix(integer.as_str(), integer.radix()).ok()
}

/// A value as it is told to the user.
pub fn found(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("found {:?}", brief_piece(text)),
        DeValue::Integer(integer) => format!("found {}", brief_piece(&integer.to_string())),
        DeValue::Float(float) => format!("found {}", brief_piece(float.as_str())),
        DeValue::Boolean(value) => format!("found {value}"),
        DeValue::Datetime(_) => "found a date or time".into(),
        DeValue::Array(entries) if entries.is_empty() => "found an empty list".into(),
        DeValue::Array(entries) => format!("found a list of {}", entries.len()),
        DeValue::Table(_) => "found a table".into(),
    }
}

/// True when an override's value may do without quotes.
fn is_bare_word(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "_-./*?~+:@%".contains(c);
    !text.is_empty() && text.chars().all(plain)
}

fn unknown_table(all: &Tables, name: &str, value: &DeValue<'_>) -> Wrong {
    let tables: Vec<&str> = all.iter().map(|(table, _)| *table).collect();
    let home = |key: &str| all.iter().find(|(_, keys)| keys.contains(&key));
    let keys: Vec<&str> = all.iter().flat_map(|(_, keys)| keys).copied().collect();
    let near = nearest(name, &keys).and_then(|key| Some((key, home(key)?.0)));
    let help = if let Some((table, _)) = home(name) {
        format!("the key `{name}` belongs in [{table}]")
    } else if let Some(table) = nearest(name, &tables) {
        format!("did you mean [{table}]?")
    } else if let (Some((key, table)), false) = (near, value.is_table()) {
        format!("did you mean `{key}` in [{table}]?")
    } else {
        format!("the tables are [{}]", tables.join("], ["))
    };
    let what = if value.is_table() { "table" } else { "key" };
    Wrong::new(format!("unknown {what}"), help)
}

fn unknown_key(all: &Tables, table: &str, keys: &[&str], name: &str) -> Wrong {
    let home = all.iter().find(|(_, keys)| keys.contains(&name));
    let help = match (home, nearest(name, keys)) {
        (Some((home, _)), _) => format!("the key `{name}` belongs in [{home}]"),
        (None, Some(key)) => format!("did you mean `{key}` in [{table}]?"),
        (None, None) => format!("the keys of [{table}] are {}", keys.join(", ")),
    };
    Wrong::new("unknown key", help)
}
