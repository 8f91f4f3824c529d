//! Stimuli as tables.
//!
//! ```text
//! cycle,start,operand        names of inputs, in any order
//! 0,0,0
//! 3,1,0xff                   from cycle 3 on
//! 4,0,                       an empty cell changes nothing
//! 9,,0b1x01                  x and z are 0 where X is not computed with
//! 12,,-3                     of an input that is declared as signed
//! ```
//!
//! Values are decimal (up to 128 bits), `0x` and `0b` (any width), or `x`; those of signed
//! inputs may be negative. Cycles rise. Blank lines and lines that begin with `#` are passed
//! over. The stimulus lasts to its last cycle.
//!
//! As spreadsheets write tables: lines may end in CR LF, a byte-order mark may stand first, and
//! a cell may be quoted (`"a,b"`, `""` for a quotation mark), but ends in its line.

use std::borrow::Cow;

use super::{Drive, Stimulus, listed};
use crate::run::RunPort;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_wave::{Bit, WaveValue};

/// Mistakes that are listed.
const MISTAKES_MAX: usize = 20;

/// Reads a table for these inputs; `origin` names it in the error.
///
/// # Errors
/// Every wrong cell, with its line and column name.
pub fn read(origin: &str, text: &str, inputs: &[RunPort]) -> Result<Stimulus, Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let wrong = |mistakes: Vec<Diagnostic>| Error {
        class: Class::Input,
        origin: origin.to_owned(),
        source: None,
        diagnostics: mistakes,
    };
    let Some((at, header)) = lines.next() else {
        let mistake = Diagnostic::new(
            "line 1",
            "the file is empty, expected a header",
            "begin it with `cycle,` and names of inputs",
        );
        return Err(wrong(vec![mistake]));
    };
    let mut table = Table {
        inputs,
        columns: Vec::new(),
        drives: Vec::new(),
        last: None,
        mistakes: Vec::new(),
    };
    table.header(at, header);
    if !table.mistakes.is_empty() {
        return Err(wrong(table.mistakes));
    }
    for (at, line) in lines {
        if table.mistakes.len() >= MISTAKES_MAX {
            break;
        }
        table.row(at, line);
    }
    if !table.mistakes.is_empty() {
        return Err(wrong(table.mistakes));
    }
    Ok(Stimulus {
        drives: table.drives,
        cycles: table.last.map_or(0, |last| last + 1),
        inputs: table.columns,
        ..Stimulus::default()
    })
}

/// A table as its lines are read.
struct Table<'a> {
    inputs: &'a [RunPort],
    /// The input of each column but the first.
    columns: Vec<usize>,
    drives: Vec<Drive>,
    /// The cycle of the last row.
    last: Option<u64>,
    mistakes: Vec<Diagnostic>,
}

impl Table<'_> {
    /// Takes in the header, in line `at`.
    fn header(&mut self, at: usize, header: &str) {
        let Some(names) = self.cells(at, header) else {
            return;
        };
        if let ([_], Some(mark)) = (names.as_slice(), header.find([';', '\t'])) {
            let message = match &header[mark..=mark] {
                ";" => "the columns are separated by `;`, expected `,`",
                _ => "the columns are separated by tabs, expected `,`",
            };
            let help = "write the table with commas";
            let place = format!("line {at}");
            self.mistakes.push(Diagnostic::new(place, message, help));
            return;
        }
        let mut names = names.iter().map(|name| &**name).enumerate();
        if let Some((_, first)) = names.next().filter(|(_, first)| *first != "cycle") {
            self.mistakes.push(Diagnostic::new(
                format!("line {at}"),
                format!("the first column is `{first}`, expected `cycle`"),
                "begin the header with `cycle,`",
            ));
        }
        for (column, name) in names {
            match self.inputs.iter().position(|input| input.name == name) {
                Some(input) if self.columns.contains(&input) => {
                    self.mistakes.push(Diagnostic::new(
                        format!("line {at}, column {}", column + 1),
                        format!("a second column for `{name}`"),
                        "leave one of them",
                    ));
                }
                Some(input) => self.columns.push(input),
                None => self.mistakes.push(Diagnostic::new(
                    format!("line {at}, column {}", column + 1),
                    format!("the design has no input `{name}` that can be driven"),
                    listed(self.inputs),
                )),
            }
        }
    }

    /// Takes in a row, in line `at`.
    fn row(&mut self, at: usize, line: &str) {
        let Some(cells) = self.cells(at, line) else {
            return;
        };
        let expected = 1 + self.columns.len();
        if cells.len() != expected {
            self.mistakes.push(Diagnostic::new(
                format!("line {at}"),
                format!("{} cells, expected {expected}", cells.len()),
                "give every column a cell; an empty one changes nothing",
            ));
            return;
        }
        let Some(cycle) = self.cycle(at, &cells[0]) else {
            return;
        };
        self.last = Some(cycle);
        for (&input, cell) in self.columns.iter().zip(&cells[1..]) {
            if cell.is_empty() {
                continue;
            }
            let width = self.inputs[input].width;
            match value(cell, &self.inputs[input]) {
                Ok(value) => self.drives.push(Drive {
                    cycle,
                    input,
                    bits: 0..width,
                    value,
                }),
                Err((message, help)) => self.mistakes.push(Diagnostic::new(
                    format!("line {at}, column {}", self.inputs[input].name),
                    message,
                    help,
                )),
            }
        }
    }

    /// The cells of a line, in line `at`, without blanks around them and quotation marks.
    fn cells<'l>(&mut self, at: usize, line: &'l str) -> Option<Vec<Cow<'l, str>>> {
        let cells = split(line);
        if cells.is_none() {
            self.mistakes.push(Diagnostic::new(
                format!("line {at}"),
                "a cell in quotation marks does not end where it should",
                "end it in its line, before a comma, and double quotation marks within",
            ));
        }
        cells
    }

    /// The cycle of the row in line `at`, which comes after that of the row before.
    fn cycle(&mut self, at: usize, cell: &str) -> Option<u64> {
        let message = match (cell.parse::<u64>(), self.last) {
            (Ok(cycle), last) if cycle < u64::MAX && last.is_none_or(|last| cycle > last) => {
                return Some(cycle);
            }
            (Ok(cycle), Some(last)) => format!("cycle {cycle} comes after cycle {last}"),
            _ => format!("`{cell}` is not a cycle"),
        };
        self.mistakes.push(Diagnostic::new(
            format!("line {at}, column cycle"),
            message,
            "cycles are whole numbers from 0, and rise",
        ));
        None
    }
}

/// The cells of a line; `None` where quotation marks do not fit.
fn split(line: &str) -> Option<Vec<Cow<'_, str>>> {
    let mut cells = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_start();
        let after = match rest.strip_prefix('"') {
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                cells.push(Cow::Borrowed(rest[..end].trim_end()));
                &rest[end..]
            }
            Some(quoted) => {
                let end = quoted_end(quoted)?;
                cells.push(match quoted[..end].contains('"') {
                    false => Cow::Borrowed(quoted[..end].trim()),
                    true => Cow::Owned(quoted[..end].replace("\"\"", "\"")),
                });
                quoted[end + 1..].trim_start()
            }
        };
        match after.strip_prefix(',') {
            Some(more) => rest = more,
            None => return after.is_empty().then_some(cells),
        }
    }
}

/// Position of the quotation mark that ends a cell; two of them are one within.
fn quoted_end(quoted: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let end = from + quoted[from..].find('"')?;
        if !quoted[end + 1..].starts_with('"') {
            return Some(end);
        }
        from = end + 2;
    }
}

/// The value of a cell for an input.
fn value(cell: &str, input: &RunPort) -> Result<WaveValue, (String, &'static str)> {
    let width = input.width;
    let Some(magnitude) = cell.strip_prefix('-') else {
        return unsigned(cell, width);
    };
    if !input.signed {
        return Err((
            format!(
                "`{cell}` is negative, and `{}` is not declared as signed",
                input.name
            ),
            "give its bits, such as 0xf, or declare the input as signed",
        ));
    }
    let magnitude = unsigned(magnitude, width)?;
    let bits = (0..width as u32).map(|bit| magnitude.bit(bit).unwrap_or(Bit::X));
    let mut bits: Vec<Bit> = bits.collect();
    if bits.iter().any(|bit| matches!(bit, Bit::X | Bit::Z)) {
        return Err((
            format!("`{cell}` is not a value"),
            "a negative value has no unknown digits",
        ));
    }
    // The two's complement: up to the lowest 1 as it is, inverted above.
    let lowest = bits.iter().position(|&bit| bit == Bit::One);
    let above = lowest.map_or(width, |lowest| lowest + 1);
    bits[above..]
        .iter_mut()
        .for_each(|bit| *bit = known(*bit == Bit::Zero));
    if lowest.is_some() && bits[width - 1] == Bit::Zero {
        return Err((
            format!("`{cell}` does not fit into {width} bits"),
            "give a value as wide as the input",
        ));
    }
    bits.reverse();
    // A leading 0 keeps what follows from being extended.
    Ok(WaveValue::from_bits(
        &[&[Bit::Zero], bits.as_slice()].concat(),
    ))
}

/// The value of a cell without a sign.
fn unsigned(cell: &str, width: usize) -> Result<WaveValue, (String, &'static str)> {
    let wrong = || {
        (
            format!("`{cell}` is not a value"),
            "values are decimal, 0x and hexadecimal digits, 0b and binary digits, or x",
        )
    };
    let lower = cell.to_ascii_lowercase();
    if lower == "x" {
        return Ok(WaveValue::from_bits(&[Bit::X]));
    }
    let digits = |text: &str| text.replace('_', "");
    // The most significant bit first.
    let bits: Vec<Bit> = if let Some(text) = lower.strip_prefix("0b") {
        let bits = digits(text)
            .chars()
            .map(|digit| match digit {
                '0' => Ok(Bit::Zero),
                '1' => Ok(Bit::One),
                'x' => Ok(Bit::X),
                'z' => Ok(Bit::Z),
                _ => Err(wrong()),
            })
            .collect::<Result<_, _>>();
        bits?
    } else if let Some(text) = lower.strip_prefix("0x") {
        let mut bits = Vec::new();
        for digit in digits(text).chars() {
            let value = digit.to_digit(16).ok_or_else(wrong)?;
            bits.extend((0..4).rev().map(|bit| known(value >> bit & 1 == 1)));
        }
        bits
    } else {
        let value: u128 = digits(&lower).parse().map_err(|_| wrong())?;
        let bits = (0..128).rev();
        bits.map(|bit| known(value >> bit & 1 == 1)).collect()
    };
    if bits.is_empty() {
        return Err(wrong());
    }
    let zeros = bits.iter().take_while(|&&bit| bit == Bit::Zero).count();
    let significant = &bits[zeros..];
    if significant.len() > width {
        return Err((
            format!("`{cell}` does not fit into {width} bits"),
            "give a value as wide as the input",
        ));
    }
    // A leading 0 keeps X from being extended to the width.
    let extended: Vec<Bit> = match significant.len() < width {
        true => [&[Bit::Zero], significant].concat(),
        false => significant.to_vec(),
    };
    Ok(WaveValue::from_bits(&extended))
}

fn known(value: bool) -> Bit {
    if value { Bit::One } else { Bit::Zero }
}

#[cfg(test)]
mod tests;
