//! A key of the configuration, and the values that it takes.
//!
//! | written | values |
//! |---|---|
//! | `8,16,"random"` | these |
//! | `0.1..1.0:0.1` | from the first to the second, that included, in steps |
//! | `64..4096*4` | from the first to the second, that included, each a multiple of the one before |
//!
//! Ranges are counted in decimal digits, so that a step of 0.1 meets 0.3 exactly.

use std::str::FromStr;

/// The key that tells several configurations apart. Its values are their names, and no setting.
pub const CONFIGURATION: &str = "configuration";

/// The most values of a key.
pub const VALUES_MAX: usize = 10_000;

/// A key with its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vary {
    /// As in `--set`: `table.key`.
    pub key: String,
    /// Values as TOML, or bare words.
    pub values: Vec<String>,
}

impl Vary {
    /// The setting that gives the key one of its values.
    pub fn setting(&self, value: usize) -> String {
        format!("{}={}", self.key, self.values[value])
    }

    /// A value without quotes.
    pub fn shown(&self, value: usize) -> &str {
        let text = self.values[value].as_str();
        let bare = |quote| text.strip_prefix(quote)?.strip_suffix(quote);
        bare('"').or_else(|| bare('\'')).unwrap_or(text)
    }

    /// True for the key that tells configurations apart.
    pub fn is_of_configurations(&self) -> bool {
        self.key == CONFIGURATION
    }

    /// A value as a number; `None` when it is none, or a name.
    pub fn number(&self, value: usize) -> Option<f64> {
        if self.is_of_configurations() {
            return None;
        }
        let text = self.values[value].replace('_', "");
        text.parse().ok().filter(|number: &f64| number.is_finite())
    }

    /// A value as a whole number from 0 to 2^63 − 1; `None` when it is none, or a name.
    pub fn whole(&self, value: usize) -> Option<u64> {
        if self.is_of_configurations() {
            return None;
        }
        let text = self.values[value].replace('_', "");
        text.parse()
            .ok()
            .filter(|&number| number <= i64::MAX as u64)
    }

    /// True when all values are whole numbers.
    pub fn is_whole(&self) -> bool {
        (0..self.values.len()).all(|value| self.whole(value).is_some())
    }

    /// True when all values are numbers.
    pub fn is_numeric(&self) -> bool {
        (0..self.values.len()).all(|value| self.number(value).is_some())
    }
}

impl FromStr for Vary {
    type Err = String;

    fn from_str(text: &str) -> Result<Vary, String> {
        let (key, values) = text
            .split_once('=')
            .ok_or("found no '='; expected KEY=VALUES, such as traffic.words=2,4,8")?;
        let key = key.trim().to_owned();
        if key == CONFIGURATION {
            return Err("several configurations are given as files, or with --variant".into());
        }
        for same in ["run.replicates", "run.threads"] {
            if key == same {
                return Err(format!(
                    "{same} does not change what a replicate gives; --replicates says how many"
                ));
            }
        }
        if key.starts_with("wave.") {
            return Err(format!("{key} does not change what comes out of a run"));
        }
        let mut found = Vec::new();
        for part in parts(values)? {
            match part.split_once("..") {
                Some((from, rest)) if decimal(from.trim()).is_some() => {
                    found.extend(range(from.trim(), rest.trim(), part)?);
                }
                _ => found.push(part.to_owned()),
            }
        }
        if found.len() > VALUES_MAX {
            return Err(format!("found more than {VALUES_MAX} values"));
        }
        for (at, value) in found.iter().enumerate() {
            if found[..at].contains(value) {
                return Err(format!("found the value {value} twice"));
            }
        }
        Ok(Vary { key, values: found })
    }
}

/// The parts of a list, divided by commas outside of quotes and brackets.
fn parts(text: &str) -> Result<Vec<&str>, String> {
    let mut parts = Vec::new();
    let (mut from, mut depth, mut quote) = (0, 0_usize, None);
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[from..].trim());
    match parts.iter().any(|part| part.is_empty()) {
        true => Err("found an empty value; expected values with a comma between them".into()),
        false => Ok(parts),
    }
}

/// A number in decimal digits: `digits` of them, the last `places` behind the point.
#[derive(Clone, Copy)]
struct Decimal {
    digits: i128,
    places: usize,
}

impl Decimal {
    /// Its digits with so many behind the point.
    fn at(self, places: usize) -> i128 {
        self.digits * 10_i128.pow((places - self.places) as u32)
    }
}

/// Reads at most 18 digits.
fn decimal(text: &str) -> Option<Decimal> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let (whole, behind) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let all = format!("{whole}{behind}");
    let are_digits = all.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !are_digits || all.len() > 18 || unsigned.ends_with('.') {
        return None;
    }
    Some(Decimal {
        digits: sign * all.parse::<i128>().ok()?,
        places: behind.len(),
    })
}

/// Digits of which the last `places` are behind the point, without zeros at their end.
fn shown(digits: i128, places: usize) -> String {
    if places == 0 {
        return digits.to_string();
    }
    let unit = 10_i128.pow(places as u32);
    let sign = if digits < 0 { "-" } else { "" };
    let (whole, behind) = (digits.abs() / unit, digits.abs() % unit);
    let behind = format!("{behind:0places$}");
    let behind = behind.trim_end_matches('0');
    format!(
        "{sign}{whole}.{}",
        if behind.is_empty() { "0" } else { behind }
    )
}

/// The values from `from` to and by what `rest` says.
fn range(from: &str, rest: &str, whole: &str) -> Result<Vec<String>, String> {
    let wrong = |what: &str| {
        format!("found the range {whole}, {what}; expected FROM..TO:STEP or FROM..TO*FACTOR")
    };
    let at = rest
        .find([':', '*'])
        .ok_or_else(|| wrong("without a step"))?;
    let number = |text: &str| decimal(text.trim()).ok_or_else(|| wrong("with what is no number"));
    let (first, to, step) = (
        number(from)?,
        number(&rest[..at])?,
        number(&rest[at + 1..])?,
    );
    let is_factor = rest[at..].starts_with('*');
    let places = match is_factor {
        true => first.places.max(to.places),
        false => first.places.max(to.places).max(step.places),
    };
    let (mut value, to) = (first.at(places), to.at(places));
    if to < value {
        return Err(wrong("whose end is below its beginning"));
    }
    if is_factor && (step.places > 0 || step.digits < 2 || value <= 0) {
        return Err(wrong(
            "whose factor is no whole number from 2 on, or whose beginning is not above 0",
        ));
    }
    if !is_factor && step.digits <= 0 {
        return Err(wrong("whose step is not above 0"));
    }
    let mut values = Vec::new();
    while value <= to {
        if values.len() == VALUES_MAX {
            return Err(wrong(&format!("of more than {VALUES_MAX} values")));
        }
        values.push(shown(value, places));
        let next = match is_factor {
            true => value.checked_mul(step.digits),
            false => value.checked_add(step.at(places)),
        };
        let Some(next) = next else { break };
        value = next;
    }
    Ok(values)
}
