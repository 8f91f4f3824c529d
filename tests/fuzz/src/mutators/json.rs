//! Mutations of JSON as a tree.

use serde_json::{Map, Value, json};

use super::{NUMBERS, Random, plain};

/// Nesting of a list that is put in.
const DEPTH: usize = 200;

/// A document with one to three nodes changed.
pub fn document(data: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let mut value: Value = serde_json::from_slice(data).ok()?;
    for _ in 0..=random.below(3) {
        change(&mut value, random);
    }
    serde_json::to_vec(&value).ok()
}

/// Changes one node of a tree.
pub fn change(root: &mut Value, random: &mut Random) {
    let count = nodes(root);
    let other = nth(root, &mut random.below(count)).cloned();
    let Some(at) = nth(root, &mut random.below(count)) else {
        return;
    };
    match random.below(10) {
        0 => *at = leaf(random),
        1 => *at = other.unwrap_or_default(),
        2 => {
            let mut nested = at.take();
            for _ in 0..=random.below(2) * random.below(DEPTH) {
                nested = json!([nested]);
            }
            *at = nested;
        }
        _ => within(at, other.unwrap_or_default(), random),
    }
}

/// Changes a node as its kind has it.
fn within(at: &mut Value, other: Value, random: &mut Random) {
    match at {
        Value::Array(entries) => {
            let place = random.below(entries.len() + 1);
            match random.below(4) {
                0 => entries.insert(place, other),
                1 if place < entries.len() => drop(entries.remove(place)),
                2 if place < entries.len() => entries.insert(place, entries[place].clone()),
                _ if place < entries.len() => {
                    let with = random.below(entries.len());
                    entries.swap(place, with);
                }
                _ => {}
            }
        }
        Value::Object(fields) => {
            let names: Vec<String> = fields.keys().cloned().collect();
            let Some(name) = random.of(&names).cloned() else {
                return drop(fields.insert("a".to_owned(), other));
            };
            match random.below(4) {
                0 => drop(fields.remove(&name)),
                1 => drop(fields.insert(name, other)),
                2 => {
                    let copy = fields[&name].clone();
                    fields.insert(format!("{name}_2"), copy);
                }
                _ => renamed(fields, &name, random),
            }
        }
        Value::String(text) => {
            let bytes = plain(text.as_bytes());
            *text = String::from_utf8_lossy(&bytes).into_owned();
        }
        Value::Number(number) => {
            let near = number.as_i64().map(|number| match random.below(3) {
                0 => number.wrapping_add(1),
                1 => number.wrapping_sub(1),
                _ => number.wrapping_mul(2),
            });
            *at = near.map_or_else(|| leaf(random), |near| json!(near));
        }
        _ => *at = leaf(random),
    }
}

fn renamed(fields: &mut Map<String, Value>, name: &str, random: &mut Random) {
    if let Some(value) = fields.remove(name) {
        let bytes = match random.below(2) {
            0 => plain(name.as_bytes()),
            _ => random.of(&WORDS).unwrap_or(&"").as_bytes().to_vec(),
        };
        fields.insert(String::from_utf8_lossy(&bytes).into_owned(), value);
    }
}

/// Names and values of netlists.
const WORDS: [&str; 44] = [
    "$_AND_",
    "$_NOT_",
    "$_XOR_",
    "$_MUX_",
    "$_OR_",
    "$_DFF_P_",
    "$_DFF_N_",
    "$_DFFE_PP_",
    "$_SDFF_PP0_",
    "$_DFF_PP1_",
    "$_DFFSR_PPP_",
    "$_DLATCH_P_",
    "$_TBUF_",
    "$mem_v2",
    "$meminit_v2",
    "$mem",
    "$lut",
    "$add",
    "$assert",
    "$scopeinfo",
    "$print",
    "A",
    "B",
    "C",
    "D",
    "E",
    "Q",
    "R",
    "S",
    "Y",
    "x",
    "z",
    "0",
    "1",
    "input",
    "output",
    "inout",
    "ABITS",
    "SIZE",
    "WIDTH",
    "offset",
    "upto",
    "signed",
    "init",
];

fn leaf(random: &mut Random) -> Value {
    match random.below(6) {
        0 => Value::Null,
        1 => json!(random.below(2) == 0),
        2 | 3 => {
            let number = random.of(&NUMBERS).copied().unwrap_or_default();
            serde_json::from_str(number).unwrap_or_default()
        }
        4 => match random.below(3) {
            0 => json!([]),
            1 => json!({}),
            _ => json!("0".repeat(random.below(300))),
        },
        _ => json!(random.of(&WORDS)),
    }
}

fn nodes(value: &Value) -> usize {
    1 + match value {
        Value::Array(entries) => entries.iter().map(nodes).sum(),
        Value::Object(fields) => fields.values().map(nodes).sum(),
        _ => 0,
    }
}

/// The node of a number, counted before those in it.
fn nth<'a>(value: &'a mut Value, left: &mut usize) -> Option<&'a mut Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Value::Array(entries) => entries.iter_mut().find_map(|entry| nth(entry, left)),
        Value::Object(fields) => fields.values_mut().find_map(|field| nth(field, left)),
        _ => None,
    }
}
