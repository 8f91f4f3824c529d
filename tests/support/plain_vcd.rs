//! VCD text read in the plainest way, as a judge of what is written.

use std::collections::BTreeMap;

/// The values of all signals of a VCD file whose cycles take 10 units, by path and cycle: the
/// last ones of each cycle.
pub fn values(text: &str) -> BTreeMap<String, BTreeMap<u64, u64>> {
    let (mut scopes, mut codes): (Vec<&str>, BTreeMap<&str, Vec<String>>) = Default::default();
    let (mut time, mut values): (u64, BTreeMap<String, BTreeMap<u64, u64>>) = Default::default();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut set = |bits: &str, code: &str| {
            // X is no value.
            if let Ok(value) = u64::from_str_radix(bits, 2) {
                for path in codes.get(code).into_iter().flatten() {
                    let of_path: &mut BTreeMap<u64, u64> = values.entry(path.clone()).or_default();
                    of_path.insert(time / 10, value);
                }
            }
        };
        match words[..] {
            ["$scope", _, name, ..] => scopes.push(name),
            ["$upscope", ..] => drop(scopes.pop()),
            ["$var", _, _, code, name, ..] => {
                let path = format!("{}.{name}", scopes.join("."));
                codes.entry(code).or_default().push(path);
            }
            [word] if word.starts_with('#') => time = word[1..].parse().expect("a time"),
            [bits, code] if bits.starts_with('b') => set(&bits[1..], code),
            [bit] if bit.starts_with(['0', '1']) => set(&bit[..1], &bit[1..]),
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
