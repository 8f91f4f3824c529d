//! Declarations of kinds that IEEE 1364 does not know.
//!
//! Simulators of SystemVerilog and VHDL write scopes that are structures, interfaces,
//! packages or processes, and variables of types such as `logic`. The parser stops behind
//! the word that it does not know; what follows up to `$end` is the same as for the kinds
//! that it knows, and is taken in here. A scope of any kind is a scope, and a variable of an
//! unknown type has bits.

use std::io::{self, BufRead};

/// Bytes of a declaration at most.
const BYTES_MAX: usize = 1 << 16;

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
