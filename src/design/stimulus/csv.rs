//! Stimuli as tables.
//!
//! ```text
//! cycle,start,operand        names of inputs, in any order
//! 0,0,0
//! 3,1,0xff                   from cycle 3 on
//! 4,0,                       an empty cell changes nothing
//! 9,,0b1x01                  x and z are 0 where X is not computed with
//! ```
//!
//! Values are decimal (up to 128 bits), `0x` and `0b` (any width), or `x`. Cycles rise.
//! Blank lines and lines that begin with `#` are passed over. The stimulus lasts to
//! its last cycle.

use super::{Drive, Stimulus, listed};
use crate::design::run::RunPort;
use crate::diagnostic::{Class, Diagnostic, Error};
use crate::wave::{Bit, WaveValue};

/// Mistakes that are listed.
const MISTAKES_MAX: usize = 20;

/// Reads a table for these inputs; `origin` names it in the error.
///
/// # Errors
/// Every wrong cell, with its line and column name.
pub fn read(origin: &str, text: &str, inputs: &[RunPort]) -> Result<Stimulus, Error> {
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
        let mut names = header.split(',').map(str::trim).enumerate();
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
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let expected = 1 + self.columns.len();
        if cells.len() != expected {
            self.mistakes.push(Diagnostic::new(
                format!("line {at}"),
                format!("{} cells, expected {expected}", cells.len()),
                "give every column a cell; an empty one changes nothing",
            ));
            return;
        }
        let Some(cycle) = self.cycle(at, cells[0]) else {
            return;
        };
        self.last = Some(cycle);
        for (&input, cell) in self.columns.iter().zip(&cells[1..]) {
            if cell.is_empty() {
                continue;
            }
            let width = self.inputs[input].width;
            match value(cell, width) {
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

/// The value of a cell.
fn value(cell: &str, width: usize) -> Result<WaveValue, (String, &'static str)> {
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
mod tests {
    use super::*;
    use crate::netlist::BitRange;

    fn inputs() -> Vec<RunPort> {
        let port = |name: &str, width, first| RunPort {
            name: name.to_owned(),
            width,
            first,
            range: BitRange::default(),
        };
        vec![port("a", 4, 0), port("b", 1, 4)]
    }

    #[test]
    fn cells_are_read_and_empty_ones_hold() {
        let text = "cycle, b, a\n# nothing\n0,1,0xA\n\n2,,0b0011\n5,0,7\n";
        let stimulus = read("t", text, &inputs()).unwrap();
        assert_eq!(stimulus.cycles, 6);
        assert_eq!(stimulus.drives.len(), 5);
        let drive = &stimulus.drives[1];
        assert_eq!((drive.cycle, drive.input), (0, 0));
        let values: Vec<Bit> = drive.values().collect();
        assert_eq!(values, [Bit::Zero, Bit::One, Bit::Zero, Bit::One]);
    }

    #[test]
    fn unknown_bits_are_kept_where_they_are() {
        let text = "cycle,a,b\n0,x,x\n1,0bx1,0b0\n2,0bzx10,1\n3,0x00_0f,0b0000001\n";
        let stimulus = read("t", text, &inputs()).unwrap();
        let found: Vec<String> = stimulus
            .drives
            .iter()
            .map(|drive| drive.values().map(Bit::as_char).rev().collect())
            .collect();
        let expected = ["xxxx", "x", "00x1", "0", "zx10", "1", "1111", "1"];
        assert_eq!(found, expected);
        let unknown = stimulus.drives.iter().map(Drive::is_unknown);
        let expected = [true, true, true, false, true, false, false, false];
        assert!(unknown.eq(expected));
    }

    #[test]
    fn every_mistake_has_its_line() {
        let text = "cycle,a,b\n0,16,0\n0,1,1\n1,x,2\n2,1\n3,0xg,0b\n";
        let error = read("t.csv", text, &inputs()).unwrap_err();
        insta::assert_snapshot!(error, @r"
        error: t.csv: line 2, column a: `16` does not fit into 4 bits
          help: give a value as wide as the input

        error: t.csv: line 3, column cycle: cycle 0 comes after cycle 0
          help: cycles are whole numbers from 0, and rise

        error: t.csv: line 4, column b: `2` does not fit into 1 bits
          help: give a value as wide as the input

        error: t.csv: line 5: 2 cells, expected 3
          help: give every column a cell; an empty one changes nothing

        error: t.csv: line 6, column a: `0xg` is not a value
          help: values are decimal, 0x and hexadecimal digits, 0b and binary digits, or x

        error: t.csv: line 6, column b: `0b` is not a value
          help: values are decimal, 0x and hexadecimal digits, 0b and binary digits, or x
        ");
        let error = read("t.csv", "time,c\n", &inputs()).unwrap_err();
        insta::assert_snapshot!(error, @r"
        error: t.csv: line 1: the first column is `time`, expected `cycle`
          help: begin the header with `cycle,`

        error: t.csv: line 1, column 2: the design has no input `c` that can be driven
          help: the inputs are `a`, `b`
        ");
    }
}
