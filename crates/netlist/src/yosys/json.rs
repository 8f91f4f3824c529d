//! JSON that is read into types, once.
//!
//! A value of another kind than expected is no mistake of the text: it is kept as a
//! [`Plain`], so that what reads the netlist can tell where it is. What is ignored is read
//! too, so that every mistake of the text is found.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};

use crate::model::PortDirection;

/// Up to this many names are compared with each other; more are hashed.
const FEW: usize = 16;

/// A JSON value without the contents of arrays and objects.
pub(super) enum Plain<'a> {
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'a, str>),
    Array,
    Object,
}

impl<'a> Plain<'a> {
    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Plain::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The text of a string.
    pub fn into_text(self) -> Option<Cow<'a, str>> {
        match self {
            Plain::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A number that is an `i64`.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Plain::Number(number) => number.as_i64(),
            _ => None,
        }
    }

    /// True when a flag is there and not zero. Yosys writes flags as numbers or as strings of
    /// binary digits.
    pub fn is_set(&self) -> bool {
        match self {
            Plain::Text(digits) => digits.contains('1'),
            Plain::Number(number) => number.as_u64() != Some(0),
            _ => false,
        }
    }

    /// A port direction; `None` for `inout` and anything else.
    pub fn direction(&self) -> Option<PortDirection> {
        match self.as_str()? {
            "input" => Some(PortDirection::Input),
            "output" => Some(PortDirection::Output),
            _ => None,
        }
    }

    /// The value for a message: short values as they are, others by kind.
    pub fn shown(&self) -> String {
        let value = match self {
            Plain::Array => return "an array".to_owned(),
            Plain::Object => return "an object".to_owned(),
            Plain::Text(text) if text.chars().count() > 40 => return "a long string".to_owned(),
            Plain::Text(text) => Value::from(text.as_ref()),
            Plain::Number(number) => Value::from(number.clone()),
            Plain::Bool(flag) => Value::from(*flag),
            Plain::Null => Value::Null,
        };
        format!("`{value}`")
    }
}

/// A type that can be read from a JSON value of any kind.
pub(super) trait FromJson<'de>: Sized {
    /// The result for a value of another kind than expected.
    fn plain(value: Plain<'de>) -> Self;

    /// Reads an object to its end.
    fn object<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<Read<Skip>, Read<Skip>>()?.is_some() {}
        Ok(Self::plain(Plain::Object))
    }

    /// Reads an array to its end.
    fn array<A: SeqAccess<'de>>(mut sequence: A) -> Result<Self, A::Error> {
        while sequence.next_element::<Read<Skip>>()?.is_some() {}
        Ok(Self::plain(Plain::Array))
    }
}

/// A value that is read as its shape says.
pub(super) struct Read<S>(pub S);

impl<'de, S: FromJson<'de>> Deserialize<'de> for Read<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Shaped(PhantomData)).map(Read)
    }
}

/// The value of the key that was read last.
pub(super) fn value<'de, S: FromJson<'de>, A: MapAccess<'de>>(map: &mut A) -> Result<S, A::Error> {
    Ok(map.next_value::<Read<S>>()?.0)
}

struct Shaped<S>(PhantomData<S>);

impl<'de, S: FromJson<'de>> Visitor<'de> for Shaped<S> {
    type Value = S;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<S, E> {
        Ok(S::plain(Plain::Null))
    }

    fn visit_bool<E>(self, flag: bool) -> Result<S, E> {
        Ok(S::plain(Plain::Bool(flag)))
    }

    fn visit_u64<E>(self, number: u64) -> Result<S, E> {
        Ok(S::plain(Plain::Number(number.into())))
    }

    fn visit_i64<E>(self, number: i64) -> Result<S, E> {
        Ok(S::plain(Plain::Number(number.into())))
    }

    fn visit_f64<E>(self, number: f64) -> Result<S, E> {
        let number = Number::from_f64(number);
        Ok(S::plain(number.map_or(Plain::Null, Plain::Number)))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<S, E> {
        Ok(S::plain(Plain::Text(Cow::Borrowed(text))))
    }

    fn visit_str<E>(self, text: &str) -> Result<S, E> {
        Ok(S::plain(Plain::Text(Cow::Owned(text.to_owned()))))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<S, A::Error> {
        S::object(map)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, sequence: A) -> Result<S, A::Error> {
        S::array(sequence)
    }
}

impl<'de> FromJson<'de> for Plain<'de> {
    fn plain(value: Plain<'de>) -> Self {
        value
    }
}

/// A value that is ignored.
pub(super) struct Skip;

impl<'de> FromJson<'de> for Skip {
    fn plain(_: Plain<'de>) -> Self {
        Skip
    }
}

/// A value that should be an object.
pub(super) enum ExpectedObject<'a, T> {
    /// The contents of the object.
    Object(T),
    /// A value of another kind.
    Other(Plain<'a>),
}

impl<'de, T: FromJson<'de>> FromJson<'de> for ExpectedObject<'de, T> {
    fn plain(value: Plain<'de>) -> Self {
        ExpectedObject::Other(value)
    }

    fn object<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        T::object(map).map(ExpectedObject::Object)
    }
}

/// The entries of an object, in the order of the file. Of those of one name the last
/// counts, in the place of the first.
pub(super) struct Entries<'a, T>(pub Vec<(Cow<'a, str>, T)>);

impl<T> Default for Entries<'_, T> {
    fn default() -> Self {
        Entries(Vec::new())
    }
}

impl<T> Entries<'_, T> {
    /// The entry of a name. It is searched for one by one.
    pub fn get(&self, name: &str) -> Option<&T> {
        let mut entries = self.0.iter();
        entries.find_map(|(own, value)| (own == name).then_some(value))
    }

    /// True when two entries have one name.
    fn has_repeats(&self) -> bool {
        let names = || self.0.iter().map(|(name, _)| name.as_ref());
        if self.0.len() <= FEW {
            let mut before = names().enumerate();
            return before.any(|(at, name)| names().take(at).any(|other| other == name));
        }
        let mut seen: HashSet<&str> = HashSet::with_capacity(self.0.len());
        !names().all(|name| seen.insert(name))
    }

    /// Leaves one entry for each name.
    fn make_distinct(&mut self) {
        if !self.has_repeats() {
            return;
        }
        let mut places: HashMap<Cow<'_, str>, usize> = HashMap::new();
        let mut kept = Vec::new();
        for (name, value) in self.0.drain(..) {
            match places.get(&name) {
                Some(&at) => kept[at] = (name, value),
                None => {
                    places.insert(name.clone(), kept.len());
                    kept.push((name, value));
                }
            }
        }
        self.0 = kept;
    }
}

impl<'de, T: FromJson<'de>> FromJson<'de> for Entries<'de, T> {
    fn plain(_: Plain<'de>) -> Self {
        Entries::default()
    }

    fn object<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        let mut entries = Entries::default();
        while let Some((EntryName(name), Read(value))) = map.next_entry()? {
            entries.0.push((name, value));
        }
        entries.make_distinct();
        Ok(entries)
    }
}

/// The key of an entry.
#[derive(Deserialize)]
struct EntryName<'a>(#[serde(borrow)] Cow<'a, str>);
