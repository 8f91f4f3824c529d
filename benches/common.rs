//! Helpers that several benches share. Each takes its part of them.
//!
//! | file | holds |
//! |---|---|
//! | [`machine`] | the machine: processor, caches, memory |
//! | [`rates`] | what the machine can do: instructions and bytes per second |
//! | [`speed`] | a network under traffic: cycles per second, engine and host apart |
//! | [`peers`] | models of networks that other simulators make |

#![allow(dead_code)]

pub mod machine;
pub mod peers;
pub mod rates;
pub mod speed;

/// The value after a flag.
pub fn option<'a>(arguments: &'a [String], flag: &str) -> Option<&'a str> {
    let at = arguments.iter().position(|argument| argument == flag)?;
    arguments.get(at + 1).map(String::as_str)
}

/// The middle one of some values.
///
/// # Panics
/// When there is none.
pub fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Median, lowest and highest.
pub fn spread(values: &[f64], digits: usize) -> String {
    let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = values.iter().copied().fold(0.0, f64::max);
    let middle = median(values);
    format!("{middle:.digits$} ({lowest:.digits$} to {highest:.digits$})")
}

/// A table in Markdown, its columns as wide as their widest cell.
pub fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([header[column].len()]).max().unwrap_or(0)
    };
    let line = |cells: &[String]| {
        let cells = cells.iter().enumerate().map(|(column, cell)| {
            let fill = width(column) - cell.chars().count();
            format!("{cell}{}", " ".repeat(fill))
        });
        format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
    };
    let titles: Vec<String> = header.iter().map(|&title| title.to_owned()).collect();
    let mut text = line(&titles);
    text += &format!("|{}\n", "---|".repeat(header.len()));
    for row in rows {
        text += &line(row);
    }
    text
}

/// Three digits of a positive number, with a unit's prefix.
pub fn short(value: f64) -> String {
    let (scaled, prefix) = [(1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")]
        .into_iter()
        .find(|(scale, _)| value >= *scale)
        .map_or((value, " "), |(scale, prefix)| (value / scale, prefix));
    let digits = match scaled {
        100.0.. => 0,
        10.0.. => 1,
        1.0.. => 2,
        _ => 3,
    };
    format!("{scaled:.digits$}{prefix}")
}
