//! Identifier codes, and which list of changes each has.

use std::collections::BTreeMap;

/// Codes of larger numbers stand in a tree: 94 + 94^2 + 94^3 codes have up to three
/// characters.
const NUMBERED_MAX: usize = 94 + 94 * 94 + 94 * 94 * 94;

/// The codes of a file.
#[derive(Debug, Default)]
pub(super) struct Codes {
    /// For each number the list and 1; 0 for none.
    numbered: Vec<u32>,
    others: BTreeMap<Box<[u8]>, u32>,
}

impl Codes {
    /// The list of changes of a code.
    pub(super) fn find(&self, code: &[u8]) -> Option<usize> {
        let stream = match number(code) {
            Some(number) => self.numbered.get(number).copied().unwrap_or(0),
            None => self.others.get(code).copied().unwrap_or(0),
        };
        (stream as usize).checked_sub(1)
    }

    /// Gives a code a list of changes.
    pub(super) fn insert(&mut self, code: &[u8], stream: usize) {
        let entry = u32::try_from(stream + 1).expect("fewer lists than bytes of declarations");
        match number(code) {
            Some(number) => {
                let length = self.numbered.len().max(number + 1);
                self.numbered.resize(length, 0);
                self.numbered[number] = entry;
            }
            None => drop(self.others.insert(code.into(), entry)),
        }
    }
}

/// The number of a short code of printable characters, from 0; `None` for others.
pub(super) fn number(code: &[u8]) -> Option<usize> {
    if code.len() > 3 {
        return None;
    }
    let mut number = 0;
    for &byte in code.iter().rev() {
        if !(b'!'..=b'~').contains(&byte) {
            return None;
        }
        number = 94 * number + usize::from(byte - b'!') + 1;
    }
    (1..=NUMBERED_MAX).contains(&number).then(|| number - 1)
}
