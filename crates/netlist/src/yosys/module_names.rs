//! Names of modules for people.
//!
//! Yosys makes a module of its own for each set of parameters, and its name has their
//! values or a hash of them:
//!
//! ```text
//! $paramod\sub\W=s32'00000000000000000000000000000100     few and short values
//! $paramod$228d1954c6e36d0bd65bb4d70364ee24582bfbbf\sub    others: SHA-1 of the values
//! ```
//!
//! A value is `[t][s][r]BITS'DIGITS`: `t` a text, `s` signed, `r` a real number. The values of a
//! hashed name are in the object `parameter_default_values` of the module, with those that the
//! instance left alone. So writes Yosys 0.23; later versions do the same as far as is known. Names of
//! another form are shown as they are.
//!
//! Such modules are shown as `sub(W=4)`; where the values are not known, as `sub#228d`, with as
//! much of the hash as tells modules of one name apart. Every shown name is that of one module.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::file::ModuleBody;
use super::json::Plain;

#[cfg(test)]
mod tests;

/// Digits of a hash that are shown at least.
const HASH_DIGITS: usize = 4;

/// Bytes of the parameters that are shown.
const PARAMETERS_BYTES_MAX: usize = 80;

/// Bytes of a text that are shown as the value of a parameter.
const TEXT_BYTES_MAX: usize = 24;

/// A module that was made for values of parameters.
struct DerivedModule<'a> {
    /// The name of the module in the source.
    source_name: &'a str,
    /// The hash in its name.
    hash: Option<&'a str>,
    /// Its parameters as people read them; `None` when they are not known.
    parameters: Option<String>,
}

/// The shown names of the modules that are shown by another name than their own, by that name.
pub(super) fn shown_names<'a, 'b: 'a>(
    modules: impl Iterator<Item = (&'a str, &'a ModuleBody<'b>)>,
) -> BTreeMap<String, String> {
    let mut derived: Vec<(&str, DerivedModule<'_>)> = Vec::new();
    // The number of modules that want each name, as it is or as the shown one.
    let mut wanted: BTreeMap<Cow<'_, str>, usize> = BTreeMap::new();
    for (name, body) in modules {
        match derive(name, body) {
            Some(found) => derived.push((name, found)),
            None => *wanted.entry(name.into()).or_default() += 1,
        }
    }
    let mut hashes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (_, module) in &derived {
        let hashes = hashes.entry(module.source_name).or_default();
        hashes.extend(module.hash);
    }
    hashes
        .values_mut()
        .for_each(|hashes| hashes.sort_unstable());
    let hashed = |module: &DerivedModule<'_>| {
        let hash = module.hash?;
        Some(format!(
            "#{}",
            distinct_part(hash, &hashes[module.source_name])
        ))
    };
    let plain = |module: &DerivedModule<'_>| {
        let parameters = module.parameters.as_ref();
        let detail = parameters.map(|list| format!("({list})"));
        Some(format!(
            "{}{}",
            module.source_name,
            detail.or_else(|| hashed(module))?
        ))
    };
    for (_, module) in &derived {
        if let Some(name) = plain(module) {
            *wanted.entry(name.into()).or_default() += 1;
        }
    }
    let mut shown = BTreeMap::new();
    for (full, module) in &derived {
        let Some(name) = plain(module) else { continue };
        if wanted[name.as_str()] == 1 {
            shown.insert((*full).to_owned(), name);
        } else if let Some(hash) = hashed(module)
            && !wanted.contains_key(format!("{name}{hash}").as_str())
        {
            shown.insert((*full).to_owned(), format!("{name}{hash}"));
        }
    }
    shown
}

/// The beginning of a hash that no other of the sorted hashes has.
fn distinct_part<'a>(hash: &'a str, sorted: &[&str]) -> &'a str {
    let at = sorted.partition_point(|other| *other < hash);
    let common = |other: &str| {
        let pairs = hash.bytes().zip(other.bytes());
        pairs.take_while(|(one, other)| one == other).count()
    };
    let before = at.checked_sub(1).map_or(0, |at| common(sorted[at]));
    let after = sorted.get(at + 1).map_or(0, |other| common(other));
    let digits = (before.max(after) + 1).max(HASH_DIGITS);
    &hash[..digits.min(hash.len())]
}

/// Takes a name apart; `None` when it is not that of a derived module.
fn derive<'a>(name: &'a str, body: &ModuleBody<'_>) -> Option<DerivedModule<'a>> {
    let rest = name.strip_prefix("$paramod")?;
    if let Some(rest) = rest.strip_prefix('$') {
        let (hash, source_name) = rest.split_once('\\')?;
        let is_hash = hash.len() > HASH_DIGITS && hash.bytes().all(|one| one.is_ascii_hexdigit());
        let known = &body.parameters.0;
        let shown = known
            .iter()
            .map(|(name, value)| (&**name, json_value(value)));
        return (is_hash && !source_name.is_empty()).then(|| DerivedModule {
            source_name,
            hash: Some(hash),
            parameters: (!known.is_empty()).then(|| list(shown)),
        });
    }
    let mut rest = rest.strip_prefix('\\')?;
    let mut parameters = Vec::new();
    // A name may have a backslash in it, so parameters are taken off the end.
    while let Some((before, last)) = rest.rsplit_once('\\')
        && let Some((name, value)) = last.split_once('=')
        && let Some(value) = name_value(value)
    {
        parameters.push((name, value));
        rest = before;
    }
    parameters.reverse();
    (!parameters.is_empty() && !rest.is_empty()).then(|| DerivedModule {
        source_name: rest,
        hash: None,
        parameters: Some(list(parameters.into_iter())),
    })
}

/// Parameters and values as `A=1,B=2`, of which the end is left out when there are many.
fn list<'a>(parameters: impl Iterator<Item = (&'a str, String)>) -> String {
    let mut text = String::new();
    for (name, value) in parameters {
        if text.len() + name.len() + value.len() > PARAMETERS_BYTES_MAX && !text.is_empty() {
            text.push_str(",…");
            break;
        }
        let comma = if text.is_empty() { "" } else { "," };
        text.push_str(&format!("{comma}{name}={value}"));
    }
    text
}

/// A value within a name, as people read it; `None` when it has another form.
fn name_value(text: &str) -> Option<String> {
    let (head, digits) = text.split_once('\'')?;
    let flags = head.trim_end_matches(|one: char| one.is_ascii_digit());
    let bits: usize = head[flags.len()..].parse().ok()?;
    let is_digit = |one: u8| b"01xz?-m".contains(&one);
    if bits != digits.len() || !digits.bytes().all(is_digit) {
        return None;
    }
    Some(match flags {
        "t" => text_of(digits).map_or_else(|| number(digits, false), |text| quoted(&text)),
        flags => number(digits, flags.contains('s')),
    })
}

/// A value of the object of parameters, as people read it. Yosys writes a text as it is, with a
/// space after one that could be taken for bits.
fn json_value(value: &Plain<'_>) -> String {
    match value {
        Plain::Number(found) => found.to_string(),
        Plain::Text(text) => {
            let is_bits = |text: &str| text.bytes().all(|one| b"01xz".contains(&one));
            match (text.is_empty(), is_bits(text)) {
                (false, true) => number(text, false),
                _ => quoted(text.strip_suffix(' ').unwrap_or(text)),
            }
        }
        other => other.shown(),
    }
}

/// The text that bits encode, eight to a character.
fn text_of(digits: &str) -> Option<String> {
    let bytes = digits.as_bytes().chunks(8);
    let bytes = bytes.map(|byte| u8::from_str_radix(std::str::from_utf8(byte).ok()?, 2).ok());
    String::from_utf8(bytes.collect::<Option<Vec<u8>>>()?).ok()
}

/// A text, in quotation marks unless it is a word.
fn quoted(text: &str) -> String {
    let is_plain = |one: u8| one.is_ascii_alphanumeric() || b"_-./".contains(&one);
    let mut end = text.len().min(TEXT_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let more = if end < text.len() { "…" } else { "" };
    match !text.is_empty() && text.bytes().all(is_plain) {
        true => format!("{}{more}", &text[..end]),
        false => format!("{:?}{more}", &text[..end]),
    }
}

/// Binary digits as a number: decimal up to 31 bits and where they are signed, else
/// hexadecimal; as digits when some are neither 0 nor 1.
fn number(digits: &str, is_signed: bool) -> String {
    let cut = |text: &str| match text.len() > TEXT_BYTES_MAX {
        true => format!("{}…", &text[..TEXT_BYTES_MAX]),
        false => text.to_owned(),
    };
    if !digits.bytes().all(|one| one == b'0' || one == b'1') {
        return format!("{}'b{}", digits.len(), cut(digits));
    }
    if is_signed && digits.len() <= 64 && digits.starts_with('1') {
        let extended = format!("{digits:1>64}");
        let value = u64::from_str_radix(&extended, 2).unwrap_or(0);
        return value.cast_signed().to_string();
    }
    let significant = digits.trim_start_matches('0');
    match u64::from_str_radix(significant, 2) {
        _ if significant.is_empty() => "0".to_owned(),
        Ok(value) if value < 1 << 31 => value.to_string(),
        Ok(value) => format!("{value:#x}"),
        Err(_) => {
            let padded = format!(
                "{digits:0>width$}",
                width = digits.len().next_multiple_of(4)
            );
            let nibbles = padded.as_bytes().chunks(4);
            let nibble = |four: &[u8]| four.iter().fold(0, |sum, one| 2 * sum + u32::from(one & 1));
            let hex: String = nibbles
                .filter_map(|four| char::from_digit(nibble(four), 16))
                .collect();
            format!("0x{}", cut(hex.trim_start_matches('0')))
        }
    }
}
