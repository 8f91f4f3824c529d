//! Enumerations of values, as FST and the VCD that is made of it declare them.
//!
//! Both have attributes before the variable that they belong to. One whose text is not empty
//! defines an enumeration under a number: `NAME COUNT`, as many names, and as many values in
//! binary digits. One without a text refers to a number. The signal of names stands behind the
//! signal that it names, under `NAME_name`, as in VCD of this program.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::value::WaveValue;

/// The names of values.
pub(super) type ValueNames = BTreeMap<u64, Arc<str>>;

/// The enumerations of a file, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Enumerations {
    defined: BTreeMap<u64, Arc<ValueNames>>,
    /// The number that the next variable refers to.
    next: Option<u64>,
}

impl Enumerations {
    /// Takes in an attribute: the words of its text, and its number.
    pub(super) fn attribute<'a>(&mut self, text: impl Iterator<Item = &'a str>, number: u64) {
        let words: Vec<&str> = text.filter(|word| *word != "\"\"").collect();
        if words.is_empty() {
            self.next = Some(number);
        } else if let Some(names) = names(&words) {
            self.defined.insert(number, Arc::new(names));
        }
    }

    /// The names of the variable that is declared now.
    pub(super) fn take(&mut self) -> Option<Arc<ValueNames>> {
        self.defined.get(&self.next.take()?).cloned()
    }
}

/// The names in the text of a definition; `None` when it is none.
fn names(words: &[&str]) -> Option<ValueNames> {
    let count: usize = words.get(1)?.parse().ok()?;
    let rest = &words[2..];
    if rest.len() != count.checked_mul(2)? {
        return None;
    }
    let (names, values) = rest.split_at(count);
    let value = |digits: &str| u64::from_str_radix(digits, 2).ok();
    let pairs = values.iter().zip(names);
    // A value with X is no number, and has no name here.
    Some(
        pairs
            .filter_map(|(digits, &name)| Some((value(digits)?, name.into())))
            .collect(),
    )
}

/// The name of a value: `X` when it is not known, and its digits when it has none.
pub(super) fn name(value: &WaveValue, names: &ValueNames) -> Arc<str> {
    match value {
        WaveValue::Known(value) => match names.get(value) {
            Some(name) => name.clone(),
            None => format!("?{value:x}").into(),
        },
        _ => "X".into(),
    }
}
