//! Mutations of TOML by its keys. The keys of configurations are those that the program knows.

use std::sync::LazyLock;

use crosswave_run::config::keys;

use super::{NUMBERS, Random, plain};
use crate::readers::PART;

/// Values of keys, as the list of keys has them, in backticks or quotes.
static VALUES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut values = Vec::new();
    for form in keys::table().iter().flat_map(|entry| &entry.forms) {
        for text in [&form.default, &form.legal] {
            values.extend(text.split('`').skip(1).step_by(2).map(str::to_owned));
            let quoted = text.split('"').skip(1).step_by(2);
            values.extend(quoted.map(|value| format!("\"{value}\"")));
        }
        values.extend(form.kinds.iter().map(|kind| format!("\"{kind}\"")));
    }
    values.extend(OTHERS.map(str::to_owned));
    values.sort_unstable();
    values.dedup();
    values
});

const OTHERS: [&str; 16] = [
    "true",
    "[]",
    "[1, 1]",
    "[2, 2]",
    "[4, 4]",
    "[1, 2, 4]",
    "[0, 100]",
    "\"\"",
    "\"**\"",
    "{ a = 1 }",
    "nan",
    "\"router.toml\"",
    "\"trace.csv\"",
    "\"matrix.csv\"",
    "\"local\"",
    "[\"local\"]",
];

/// Keys of component files, with values.
const COMPONENT: [&str; 34] = [
    "top = \"router\"",
    "netlist = \"router.json\"",
    "clock = \"clk\"",
    "reset = { port = \"rst\" }",
    "reset = { port = \"rst\", active = \"low\", cycles = 3 }",
    "hop_cycles = 2",
    "pins = { my_x = 0 }",
    "pins = { my_x = \"instance.x\" }",
    "[component]",
    "[[link]]",
    "[packet]",
    "[ports]",
    "names = [\"local\", \"west\", \"east\"]",
    "names = [\"a\"]",
    "protocol = \"credit\"",
    "protocol = \"on-off\"",
    "protocol = \"valid-only\"",
    "protocol = \"circuit\"",
    "protocol = \"valid-ready\"",
    "credits = 4",
    "vcs = 2",
    "release = \"acknowledge\"",
    "in = { data = \"d_in[9*{i}+8:9*{i}]\", valid = \"v_in[{i}]\", ready = \"r_in[{i}]\" }",
    "out = { data = \"d_out[9*{i}+8:9*{i}]\", valid = \"v_out[{i}]\", ready = \"~r_out[{i}]\" }",
    "in = { data = \"d_in[8:0]\", valid = \"v_in[0]\", credit = \"r_in[0]\" }",
    "out = { data = \"d_out[8:0]\", valid = \"v_out[0]\", credit = \"r_out[0]\" }",
    "flits = \"single\"",
    "flits = \"counted\"",
    "flits = \"last\"",
    "flits = \"head-tail\"",
    "fields = { dest_x = \"[1:0]\", message = \"[7:2]\", tail = \"[8]\" }",
    "fields = { dest_id = \"[3:0]\", message = \"[7:4]\", head = \"[8]\", tail = \"[8]\" }",
    "parameters = { W = 3 }",
    "type = { bits = \"[8:7]\", head = 1, body = 0, tail = 2, single = 3 }",
];

/// A configuration, and overrides of it.
pub fn configuration(data: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(data).ok()?;
    let (text, overrides) = text.split_once(PART).unwrap_or((text, ""));
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut overrides: Vec<String> = overrides.lines().map(str::to_owned).collect();
    for _ in 0..=random.below(3) {
        match random.below(12) {
            0 => {
                let (table, key) = random.of(keys::table())?.key;
                let value = value(&lines, random);
                overrides.push(match random.below(4) {
                    0 => format!("!{table}.{key}"),
                    _ => format!("{table}.{key}={value}"),
                });
            }
            1 => overrides.clear(),
            2..=6 => {
                let (table, key) = random.of(keys::table())?.key;
                let value = value(&lines, random);
                set(&mut lines, table, key, &value);
            }
            _ => one_line(&mut lines, random),
        }
    }
    let mut changed = lines.join("\n");
    if !overrides.is_empty() {
        changed.push_str(PART);
        changed.push_str(&overrides.join("\n"));
    }
    Some(changed.into_bytes())
}

/// A component file.
pub fn component(data: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(data).ok()?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..=random.below(3) {
        match random.below(3) {
            0 => {
                let at = random.below(lines.len() + 1);
                let line = random.of(&COMPONENT)?;
                let key = line.split('=').next().unwrap_or_default();
                // In place of the line of the same key.
                match lines.iter_mut().find(|known| known.starts_with(key)) {
                    Some(known) => *known = (*line).to_owned(),
                    None => lines.insert(at, (*line).to_owned()),
                }
            }
            _ => one_line(&mut lines, random),
        }
    }
    Some(lines.join("\n").into_bytes())
}

/// Gives a key of a table a value.
fn set(lines: &mut Vec<String>, table: &str, key: &str, value: &str) {
    let header = format!("[{table}]");
    let begin = lines.iter().position(|line| line.trim() == header);
    let Some(begin) = begin else {
        lines.push(header);
        return lines.push(format!("{key} = {value}"));
    };
    let end = lines[begin + 1..]
        .iter()
        .position(|line| line.starts_with('['));
    let end = end.map_or(lines.len(), |end| begin + 1 + end);
    let is_key = |line: &String| {
        line.split('=')
            .next()
            .is_some_and(|name| name.trim() == key)
    };
    let line = format!("{key} = {value}");
    match lines[begin..end].iter().position(is_key) {
        Some(at) => lines[begin + at] = line,
        None => lines.insert(begin + 1, line),
    }
}

/// Changes a line: its value, or all of it.
fn one_line(lines: &mut Vec<String>, random: &mut Random) {
    if lines.is_empty() {
        return lines.push("[network]".to_owned());
    }
    let at = random.below(lines.len());
    match (random.below(5), lines[at].split_once('=')) {
        (0, _) => drop(lines.remove(at)),
        (1, _) => lines.insert(at, lines[at].clone()),
        (2, Some((key, old))) => {
            let bytes = plain(old.as_bytes());
            lines[at] = format!("{key}={}", String::from_utf8_lossy(&bytes));
        }
        (_, Some((key, _))) => lines[at] = format!("{key}= {}", value(lines, random)),
        (_, None) => {
            let bytes = plain(lines[at].as_bytes());
            lines[at] = String::from_utf8_lossy(&bytes).into_owned();
        }
    }
}

/// A value: a number, one that a key may have, one of another line, or a list of such.
fn value(lines: &[String], random: &mut Random) -> String {
    let one = |random: &mut Random| match random.below(3) {
        0 => random.of(&NUMBERS).copied().unwrap_or_default().to_owned(),
        1 => random.of(&VALUES).cloned().unwrap_or_default(),
        _ => {
            let values = lines.iter().filter_map(|line| line.split_once('='));
            let values: Vec<&str> = values.map(|(_, value)| value.trim()).collect();
            random.of(&values).copied().unwrap_or("1").to_owned()
        }
    };
    match random.below(8) {
        0 => {
            let count = random.below(4);
            let entries: Vec<String> = (0..count).map(|_| one(random)).collect();
            format!("[{}]", entries.join(", "))
        }
        _ => one(random),
    }
}
