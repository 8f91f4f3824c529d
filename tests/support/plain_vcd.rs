//! VCD text read in the plainest way, as a judge of what is written.

use std::collections::BTreeMap;

/// The values of all vectors of a VCD file whose cycles take 10 units, by path and cycle.
pub fn values(text: &str) -> BTreeMap<String, BTreeMap<u64, u64>> {
    let (mut scopes, mut codes): (Vec<&str>, BTreeMap<&str, Vec<String>>) = Default::default();
    let (mut time, mut values): (u64, BTreeMap<String, BTreeMap<u64, u64>>) = Default::default();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["$scope", _, name, ..] => scopes.push(name),
            ["$upscope", ..] => drop(scopes.pop()),
            ["$var", _, _, code, name, ..] => {
                let path = format!("{}.{name}", scopes.join("."));
                codes.entry(code).or_default().push(path);
            }
            [word] if word.starts_with('#') => time = word[1..].parse().expect("a time"),
            [value, code] if value.starts_with('b') => {
                // X is no value.
                let Ok(value) = u64::from_str_radix(&value[1..], 2) else {
                    continue;
                };
                for path in &codes[code] {
                    values
                        .entry(path.clone())
                        .or_default()
                        .insert(time / 10, value);
                }
            }
            _ => {}
        }
    }
    values
}

/// The paths of all variables but strings.
pub fn paths(text: &str) -> Vec<String> {
    let (mut scopes, mut paths): (Vec<&str>, Vec<String>) = Default::default();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["$scope", _, name, ..] => scopes.push(name),
            ["$upscope", ..] => drop(scopes.pop()),
            ["$var", kind, _, _, name, ..] if kind != "string" => {
                paths.push(format!("{}.{name}", scopes.join(".")));
            }
            _ => {}
        }
    }
    paths
}
