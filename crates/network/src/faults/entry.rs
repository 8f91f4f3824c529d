//! An entry of a list of faults: a name, a word where something is stuck, and when.

use std::fmt;

use serde::{Serialize, Serializer};

/// Bits of a word of a wire of RN1.
const WORD_MAX: u16 = 0x1ff;
/// The last cycle that a window may name, which no run passes.
const CYCLE_MAX: u64 = 1_000_000_000_000;
/// The most characters of a name.
const NAME_MAX: usize = 200;

/// The cycles of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Window {
    /// The first one.
    pub from: u64,
    /// The first one after it, greater than `from`; without one it lasts.
    pub to: Option<u64>,
}

impl Window {
    /// All cycles.
    pub const ALWAYS: Window = Window { from: 0, to: None };

    /// True when a cycle is one of them.
    pub fn holds(self, cycle: u64) -> bool {
        cycle >= self.from && self.to.is_none_or(|to| cycle < to)
    }
}

/// An entry as it is written.
///
/// ```
/// use crosswave_network::faults::{FaultEntry, Window};
/// let entry = FaultEntry::parse("up_1_0_3.o5=0x1ff@100..200").unwrap();
/// assert_eq!((entry.name.as_str(), entry.word), ("up_1_0_3.o5", Some(0x1ff)));
/// assert_eq!(entry.window, Window { from: 100, to: Some(200) });
/// assert_eq!(entry.to_string(), "up_1_0_3.o5=0x1ff@100..200");
/// assert!(FaultEntry::parse("leaf_5@200..100").is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultEntry {
    /// The name of the faulty component.
    pub name: String,
    /// The word at which it is stuck, nine bits.
    pub word: Option<u16>,
    /// The cycles of the fault.
    pub window: Window,
}

impl FaultEntry {
    /// Something that is wrong in all cycles.
    pub fn always(name: impl Into<String>) -> FaultEntry {
        FaultEntry {
            name: name.into(),
            word: None,
            window: Window::ALWAYS,
        }
    }

    /// Reads an entry.
    ///
    /// # Errors
    /// What is expected where it is none.
    pub fn parse(text: &str) -> Result<FaultEntry, &'static str> {
        let (what, window) = match text.split_once('@') {
            None => (text, Window::ALWAYS),
            Some((what, cycles)) => (what, window(cycles)?),
        };
        let (name, word) = match what.split_once('=') {
            None => (what, None),
            Some((name, word)) => (name, Some(word_of(word).ok_or(EXPECTED_WORD)?)),
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        if !(1..=NAME_MAX).contains(&name.len()) || !name.chars().all(plain) {
            return Err("a name of letters, digits, `_` and `.` in front");
        }
        Ok(FaultEntry {
            name: name.to_owned(),
            word,
            window,
        })
    }
}

const EXPECTED_WORD: &str = "a word of nine bits after `=`, such as 0x1ff";

/// The cycles `FROM..TO` or `FROM..`.
fn window(text: &str) -> Result<Window, &'static str> {
    const EXPECTED: &str = "cycles after `@`, FROM..TO or FROM.., each up to 10^12";
    let (from, to) = text.split_once("..").ok_or(EXPECTED)?;
    let from = cycle(from).ok_or(EXPECTED)?;
    let to = match to {
        "" => None,
        to => Some(cycle(to).ok_or(EXPECTED)?),
    };
    if to.is_some_and(|to| to <= from) {
        return Err("cycles FROM..TO with TO greater than FROM");
    }
    Ok(Window { from, to })
}

fn cycle(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let cycle = digits.then(|| text.parse().ok()).flatten();
    cycle.filter(|&cycle| cycle <= CYCLE_MAX)
}

/// A word, decimal or hexadecimal.
fn word_of(text: &str) -> Option<u16> {
    let word = match text.strip_prefix("0x") {
        Some(hex) if hex.chars().all(|c| c.is_ascii_hexdigit()) => {
            u16::from_str_radix(hex, 16).ok()
        }
        None if text.chars().all(|c| c.is_ascii_digit()) => text.parse().ok(),
        _ => None,
    };
    word.filter(|&word| word <= WORD_MAX)
}

impl fmt::Display for FaultEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some(word) = self.word {
            write!(f, "={word:#05x}")?;
        }
        match self.window {
            Window::ALWAYS => Ok(()),
            Window { from, to: None } => write!(f, "@{from}.."),
            Window { from, to: Some(to) } => write!(f, "@{from}..{to}"),
        }
    }
}

impl Serialize for FaultEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
