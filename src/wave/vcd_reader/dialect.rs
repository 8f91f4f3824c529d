//! Declarations of kinds, and values, that IEEE 1364 does not know.
//!
//! Simulators of SystemVerilog and VHDL write scopes that are structures, interfaces,
//! packages or processes, and variables of types such as `logic`. The parser stops behind
//! the word that it does not know; what follows up to `$end` is the same as for the kinds
//! that it knows, and is taken in here. A scope of any kind is a scope, and a variable of an
//! unknown type has bits.
//!
//! GHDL writes the nine values of VHDL's `std_logic`. `L` and `H` are weak 0 and 1; `U`, `W` and
//! `-` are not known. Changes with them are taken in here before the parser sees them.

use std::io::{self, BufRead};

/// Bytes of a declaration at most.
const BYTES_MAX: usize = 1 << 16;

/// Digits of a vector at most, and its sign.
const BITS_MAX: usize = super::MAX_WIDTH as usize + 1;

/// What was read of a declaration.
#[derive(Debug, Default)]
pub(super) struct Rest {
    words: Vec<String>,
    /// Line ends.
    pub(super) lines: u64,
}

impl Rest {
    /// Reads on up to `$end`.
    pub(super) fn read(input: &mut impl BufRead) -> io::Result<Rest> {
        let mut rest = Rest::default();
        let mut word = Vec::new();
        for count in 0.. {
            let mut byte = [0];
            if count > BYTES_MAX {
                let message = "a declaration goes on and on";
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            io::Read::read_exact(input, &mut byte)?;
            rest.lines += u64::from(byte[0] == b'\n');
            if !byte[0].is_ascii_whitespace() {
                word.push(byte[0]);
                continue;
            }
            if word == b"$end" {
                break;
            }
            if !word.is_empty() {
                let text = String::from_utf8_lossy(&word).into_owned();
                rest.words.push(text);
                word.clear();
            }
        }
        Ok(rest)
    }

    /// It as a scope.
    pub(super) fn scope(&self) -> Option<vcd::Command> {
        let [name] = &self.words[..] else { return None };
        Some(vcd::Command::ScopeDef(vcd::ScopeType::Module, name.clone()))
    }

    /// It as a variable.
    pub(super) fn variable(&self) -> Option<vcd::Command> {
        let [width, code, name, index @ ..] = &self.words[..] else {
            return None;
        };
        let index = match index {
            [] => None,
            _ => Some(index.concat().parse().ok()?),
        };
        let (width, code) = (width.parse().ok()?, code.parse().ok()?);
        let wire = vcd::VarType::Wire;
        Some(vcd::Command::VarDef(wire, width, code, name.clone(), index))
    }
}

/// Takes in the change that is next in the input if it has values that only `std_logic` has, and
/// white space before it. Line ends are added to `lines`.
///
/// # Errors
/// Those of the input, and of a change that is none.
pub(super) fn change(
    input: &mut impl BufRead,
    lines: &mut u64,
) -> io::Result<Option<vcd::Command>> {
    let first = loop {
        match input.fill_buf()?.first() {
            Some(byte) if byte.is_ascii_whitespace() => {
                *lines += u64::from(*byte == b'\n');
                input.consume(1);
            }
            first => break first.copied(),
        }
    };
    match first {
        Some(byte) if is_odd(&byte) => {
            let word = word(input, lines)?;
            let command = vcd::Command::ChangeScalar(code(&word[1..])?, value(byte)?);
            Ok(Some(command))
        }
        Some(b'b' | b'B') => {
            let word_on = &input.fill_buf()?[1..];
            let end = word_on.iter().position(u8::is_ascii_whitespace);
            if end.is_some_and(|end| !word_on[..end].iter().any(is_odd)) {
                return Ok(None);
            }
            // One that is cut off by the end of the buffer may have any values.
            let digits = word(input, lines)?;
            let values: io::Result<vcd::Vector> =
                digits[1..].iter().map(|&digit| value(digit)).collect();
            let code = code(&word(input, lines)?)?;
            Ok(Some(vcd::Command::ChangeVector(code, values?)))
        }
        _ => Ok(None),
    }
}

/// Whether only `std_logic` has this value.
fn is_odd(byte: &u8) -> bool {
    matches!(byte, b'U' | b'W' | b'L' | b'H' | b'-')
}

fn value(digit: u8) -> io::Result<vcd::Value> {
    match digit {
        b'0' | b'L' => Ok(vcd::Value::V0),
        b'1' | b'H' => Ok(vcd::Value::V1),
        b'z' | b'Z' => Ok(vcd::Value::Z),
        b'x' | b'X' | b'U' | b'W' | b'-' => Ok(vcd::Value::X),
        _ => Err(bad("a vector with digits that are no values")),
    }
}

fn code(word: &[u8]) -> io::Result<vcd::IdCode> {
    let text = std::str::from_utf8(word).ok();
    let code = text.and_then(|text| text.parse().ok());
    code.ok_or_else(|| bad("a change without an identifier code"))
}

/// The next word of the input, and the white space behind it.
fn word(input: &mut impl BufRead, lines: &mut u64) -> io::Result<Vec<u8>> {
    let mut word = Vec::new();
    loop {
        let mut byte = [0];
        io::Read::read_exact(input, &mut byte)?;
        *lines += u64::from(byte[0] == b'\n');
        match byte[0].is_ascii_whitespace() {
            true if word.is_empty() => {}
            true => return Ok(word),
            false if word.len() > BITS_MAX => return Err(bad("a word goes on and on")),
            false => word.push(byte[0]),
        }
    }
}

fn bad(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}
