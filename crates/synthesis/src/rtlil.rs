//! Modules as RTLIL, the text form of Yosys: modules that differ in constants only, made one with pins.
//!
//! ```text
//! module \top
//!   parameter \X 3                               left out: what X has become is in the cells
//!   attribute \src "router.sv:41.32-41.45"
//!   cell $lt $lt$router.sv:41$100000161
//!     parameter \A_WIDTH 6
//!     connect \A \flit [5:0]
//!     connect \B 3                               a constant: 32 bits
//!     connect \Y $lt$router.sv:41$100000161_Y
//!   end
//!   connect \place { \a 4'0011 }
//! end
//! ```
//!
//! The constants in connections of the top module may differ, bits that are x or z excepted; all else is
//! the *form* of the module, and modules of one form are alike. Names with numbers that Yosys gives are the
//! same when they are met in the same order. A bit that differs becomes a pin ([`with_pins`]). What a cell
//! does follows from its type, its parameters and its inputs, so that the module with pins, its pins tied to
//! the bits of one of the modules, is that module: there is nothing to be proved.

use std::collections::BTreeMap;
use std::fmt::Write;

use sha2::{Digest, Sha256};

use super::script::FIRST_NUMBER;

/// The ports of pins have this name and a number.
pub const PINS: &str = "crosswave_parameters_";
/// Bits of a port of pins at most.
pub const PORT_BITS: usize = 64;

/// A part of a text.
enum Piece<'a> {
    /// Text that modules which are alike have in common.
    Form(&'a str),
    /// A constant: its bits, the highest first, as 0, 1, x or z.
    Constant(&'a str, Vec<u8>),
    /// Text without a meaning here.
    Left,
}

/// A module without its constants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elaborated {
    /// The hash of its form.
    pub form: [u8; 32],
    /// The bits of its constants that are 0 or 1, in their order: 64 in a word.
    pub bits: Vec<u64>,
}

impl Elaborated {
    /// Reads a text whose top module is `top`.
    pub fn read(text: &str, top: &str) -> Elaborated {
        let mut hash = Sha256::new();
        let mut numbers = BTreeMap::new();
        let (mut bits, mut count) = (Vec::new(), 0);
        each_piece(text, top, &mut |piece| match piece {
            Piece::Form(text) => hash.update(without_numbers(text, &mut numbers)),
            Piece::Constant(_, found) => {
                hash.update(unknown_bits(&found));
                for bit in found.iter().filter(|bit| is_known(**bit)) {
                    if count % 64 == 0 {
                        bits.push(0);
                    }
                    bits[count / 64] |= u64::from(*bit == b'1') << (count % 64);
                    count += 1;
                }
            }
            Piece::Left => {}
        });
        Elaborated {
            form: hash.finalize().into(),
            bits,
        }
    }

    /// A bit of its constants.
    pub fn bit(&self, number: usize) -> bool {
        self.bits[number / 64] >> (number % 64) & 1 != 0
    }
}

fn is_known(bit: u8) -> bool {
    matches!(bit, b'0' | b'1')
}

/// A constant with one sign for all of its bits that are 0 or 1.
fn unknown_bits(bits: &[u8]) -> Vec<u8> {
    let sign = |&bit: &u8| if is_known(bit) { b'.' } else { bit };
    [b"'"]
        .into_iter()
        .flatten()
        .copied()
        .chain(bits.iter().map(sign))
        .collect()
}

/// A text with the numbers of names in the order in which they were met.
fn without_numbers(text: &str, numbers: &mut BTreeMap<u64, usize>) -> String {
    let mut parts = text.split('$');
    let mut found = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        found.push('$');
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let number = part[..digits].parse().ok();
        match number.filter(|&number| number >= FIRST_NUMBER) {
            Some(number) => {
                let next = numbers.len();
                let place = *numbers.entry(number).or_insert(next);
                // A String takes all text.
                let _ = write!(found, "#{place}");
                found.push_str(&part[digits..]);
            }
            None => found.push_str(part),
        }
    }
    found
}

/// Calls with all parts of a text.
fn each_piece<'a>(text: &'a str, top: &str, visit: &mut dyn FnMut(Piece<'a>)) {
    let (mut in_top, mut takes_pins) = (false, false);
    for line in text.split_inclusive('\n') {
        let words: &str = line.trim_start_matches(' ');
        let depth = line.len() - words.len();
        let first = words.split_whitespace().next().unwrap_or_default();
        if (depth, first) == (0, "autoidx")
            || first.starts_with('#')
            || (depth, first, in_top) == (2, "parameter", true)
        {
            visit(Piece::Left);
            continue;
        }
        match (depth, first) {
            (0, "module") => in_top = words.trim_end().ends_with(&format!(" \\{top}")),
            (2, "cell") => {
                let kind = words.split_whitespace().nth(1).unwrap_or_default();
                // The words that a memory begins with are constant.
                takes_pins = kind.starts_with('$') && !kind.starts_with("$meminit");
            }
            _ => {}
        }
        let may_differ = match depth {
            2 => true,
            4 => takes_pins,
            _ => false,
        };
        match in_top && first == "connect" && may_differ && !line.contains('"') {
            true => each_word(line, visit),
            false => visit(Piece::Form(line)),
        }
    }
}

/// Calls with the parts of a connection.
fn each_word<'a>(line: &'a str, visit: &mut dyn FnMut(Piece<'a>)) {
    let mut fixed = 0;
    let mut at = 0;
    for word in line.split_inclusive([' ', '\n']) {
        let constant = word.trim_end();
        if let Some(bits) = constant_bits(constant) {
            visit(Piece::Form(&line[fixed..at]));
            visit(Piece::Constant(constant, bits));
            fixed = at + constant.len();
        }
        at += word.len();
    }
    visit(Piece::Form(&line[fixed..]));
}

/// The bits of a constant, the highest first: `4'01x0`, or an integer of 32 bits.
fn constant_bits(word: &str) -> Option<Vec<u8>> {
    let Some((width, bits)) = word.split_once('\'') else {
        let number: i32 = word.parse().ok()?;
        return Some(format!("{number:032b}").into_bytes());
    };
    let bits = bits.strip_prefix('s').unwrap_or(bits);
    let is_whole = width.parse() == Ok(bits.len()) && !bits.is_empty();
    let is_bit = |bit: u8| matches!(bit, b'0' | b'1' | b'x' | b'z' | b'-' | b'm');
    (is_whole && bits.bytes().all(is_bit)).then(|| bits.as_bytes().to_vec())
}

/// The text with pins in the place of bits of its constants: the number of the pin by that of the bit.
pub fn with_pins(text: &str, top: &str, pins: &BTreeMap<usize, usize>) -> String {
    let count = pins.values().max().map_or(0, |last| last + 1);
    let module = format!("module \\{top}\n");
    let mut made = String::with_capacity(text.len());
    let mut number = 0;
    each_piece(text, top, &mut |piece| match piece {
        Piece::Form(part) => {
            made.push_str(part);
            if part == module {
                declare(count, last_port(text) + 1, &mut made);
            }
        }
        Piece::Constant(word, bits) => {
            let first = number;
            number += bits.iter().filter(|bit| is_known(**bit)).count();
            match pins.range(first..number).next() {
                Some(_) => made.push_str(&joined(&bits, first, pins)),
                None => made.push_str(word),
            }
        }
        Piece::Left => {}
    });
    made
}

/// The highest number of a port.
fn last_port(text: &str) -> usize {
    let wires = text.lines().filter(|line| line.starts_with("  wire "));
    let number = |line: &str| {
        let mut words = line.split(' ');
        words.find(|word| matches!(*word, "input" | "output" | "inout"))?;
        words.next()?.parse().ok()
    };
    wires.filter_map(number).max().unwrap_or(0)
}

/// Declares the ports of so many pins.
fn declare(pins: usize, first_port: usize, text: &mut String) {
    for port in 0..pins.div_ceil(PORT_BITS) {
        let width = (pins - port * PORT_BITS).min(PORT_BITS);
        let number = first_port + port;
        // A String takes all text.
        let _ = writeln!(text, "  wire width {width} input {number} \\{PINS}{port}");
    }
}

/// A constant whose known bits have numbers from `first` on, with pins in it.
fn joined(bits: &[u8], first: usize, pins: &BTreeMap<usize, usize>) -> String {
    let mut number = first;
    let mut parts = Vec::new();
    let mut fixed = String::new();
    for &bit in bits {
        let pin = pins.get(&number).filter(|_| is_known(bit));
        number += usize::from(is_known(bit));
        match pin {
            None => fixed.push(char::from(bit)),
            Some(pin) => {
                if !fixed.is_empty() {
                    parts.push(format!("{}'{fixed}", fixed.len()));
                    fixed.clear();
                }
                parts.push(format!("\\{PINS}{} [{}]", pin / PORT_BITS, pin % PORT_BITS));
            }
        }
    }
    if !fixed.is_empty() {
        parts.push(format!("{}'{fixed}", fixed.len()));
    }
    format!("{{ {} }}", parts.join(" "))
}

/// A place in a source where the forms of two modules differ, as Yosys names it: a line of which there are
/// more wires and cells in one of them, or else the first difference.
pub fn difference(one: &str, other: &str, top: &str) -> Option<String> {
    let [one, other] = [one, other].map(|text| form_lines(text, top));
    let mut counts: BTreeMap<String, i64> = BTreeMap::new();
    for (lines, sign) in [(&one, 1), (&other, -1)] {
        for place in lines.iter().filter_map(|line| place(line)) {
            *counts.entry(place).or_default() += sign;
        }
    }
    let mut places = one.iter().chain(&other).filter_map(|line| place(line));
    let uneven = places.find(|place| counts[place] != 0);
    if uneven.is_some() {
        return uneven;
    }
    let first = one
        .iter()
        .zip(&other)
        .position(|(one, other)| one != other)?;
    one[..=first].iter().rev().find_map(|line| place(line))
}

/// The lines of the form of a module. Numbers are counted in each line anew: one more at the beginning is
/// no difference of all that follow.
fn form_lines(text: &str, top: &str) -> Vec<String> {
    let mut form = Vec::new();
    each_piece(text, top, &mut |piece| match piece {
        Piece::Form(text) => {
            form.extend(without_numbers(text, &mut BTreeMap::new()).into_bytes());
        }
        Piece::Constant(_, bits) => form.extend(unknown_bits(&bits)),
        Piece::Left => {}
    });
    let form = String::from_utf8_lossy(&form);
    form.lines().map(str::to_owned).collect()
}

/// The file and the line of an attribute `\src "router.sv:41.32-41.45"`.
fn place(line: &str) -> Option<String> {
    let sources = line.trim_start().strip_prefix("attribute \\src \"")?;
    let first = sources.split(['|', '"']).next()?;
    let (file, at) = first.rsplit_once(':')?;
    let line = at.split(['.', '-']).next()?;
    Some(format!("{file}:{line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module in which X is a constant of cells, of a connection and of a memory.
    fn module(x: &str, bits: &str, number: u64) -> String {
        format!(
            "# Generated by Yosys\nautoidx {number}\nattribute \\top 1\nmodule \\top\n  parameter \\X {x}\n  \
             wire width 6 input 3 \\flit\n  attribute \\src \"d0/a.sv:41.32-41.45|d0/a.sv:2.1-2.3\"\n  \
             cell $lt $lt$a.sv:41${number}\n    parameter \\A_WIDTH 6\n    connect \\A \\flit [5:0]\n    \
             connect \\B {x}\n    connect \\Y $lt$a.sv:41${number}_Y\n  end\n  cell $meminit_v2 \\m\n    \
             connect \\DATA 4'0110\n  end\n  connect \\place {{ \\a [3:2] {bits} }}\nend\n"
        )
    }

    #[test]
    fn constants_are_no_part_of_the_form() {
        let read = |text: &str| Elaborated::read(text, "top");
        let one = read(&module("3", "4'0x11", 100_000_007));
        let other = read(&module("-1", "4'1x11", 100_002_007));
        assert_eq!(one.form, other.form);
        assert!(one.bit(31) && one.bit(30) && !one.bit(29) && !one.bit(32));
        assert!(other.bit(0) && other.bit(32) && other.bit(33));
        // Bits that are unknown, widths and memories are.
        for text in [
            module("3", "4'0111", 100_000_007),
            module("3", "5'00x11", 100_000_007),
            module("3", "4'0x11", 100_000_007).replace("4'0110", "4'0111"),
            module("3", "4'0x11", 100_000_007).replace("A_WIDTH 6", "A_WIDTH 7"),
            module("3", "4'0x11", 100_000_007).replace("module \\top", "module \\other"),
            module(
                "33'000000000000000000000000000000011",
                "4'0x11",
                100_000_007,
            ),
        ] {
            assert_ne!(read(&text).form, one.form, "{text}");
        }
        // Numbers are the same in their order only.
        let twice = module("3", "4'0x11", 100_000_007);
        let changed = twice.replace("$100000007_Y", "$100000008_Y");
        assert_ne!(read(&changed).form, one.form);
    }

    #[test]
    fn pins_take_the_place_of_bits() {
        let text = module("3", "4'0x11", 100_000_007);
        // Bits 30 and 31 are the lowest of the integer, 32 to 34 the known ones after it.
        let pins = BTreeMap::from([(30, 0), (31, 70), (32, 0)]);
        let made = with_pins(&text, "top", &pins);
        let zeros = "0".repeat(30);
        for part in [
            "module \\top\n  wire width 64 input 4 \\crosswave_parameters_0\n  wire width 7 input 5 \
             \\crosswave_parameters_1\n",
            &format!(
                "    connect \\B {{ 30'{zeros} \\crosswave_parameters_0 [0] \\crosswave_parameters_1 [6] }}\n"
            ),
            "  connect \\place { \\a [3:2] { \\crosswave_parameters_0 [0] 3'x11 } }\n",
            "    connect \\DATA 4'0110\n",
        ] {
            assert!(made.contains(part), "{part}\n{made}");
        }
        assert!(!made.contains("parameter \\X") && !made.contains("autoidx"));
    }

    #[test]
    fn differences_have_a_place() {
        let [one, other] = ["$lt", "$gt"].map(|cell| {
            module("3", "4'0x11", 100_000_007).replace("cell $lt", &format!("cell {cell}"))
        });
        assert_eq!(
            difference(&one, &other, "top").as_deref(),
            Some("d0/a.sv:41")
        );
        assert_eq!(difference(&one, &one, "top"), None);
    }
}
