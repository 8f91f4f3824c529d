//! The names of state values, laid out so that a lookup is two loads.

use std::collections::HashMap;

use crosswave_probe::signal::{SignalSet, StateName};

/// Values below this are looked up in an array, others by binary search.
const DENSE: u64 = 512;

/// Bytes of a name that stands for a value without a name: `?` and 16 digits.
const UNNAMED_VALUE_BYTES: usize = 17;

/// The state tables of a signal set; each distinct table is kept once.
#[derive(Debug, Default)]
pub(super) struct StateNames {
    /// All names, one after the other.
    text: Vec<u8>,
    tables: Vec<Table>,
    /// The table of every signal that has states, in order of the signals.
    table_of: Vec<u32>,
    longest: usize,
}

#[derive(Debug)]
struct Table {
    /// Range of the name of each small value; an empty range has no name.
    dense: Vec<(u32, u32)>,
    /// The large values, sorted, and where their names lie.
    sparse: Vec<(u64, (u32, u32))>,
}

impl StateNames {
    /// The tables of all signals of `set` that have states.
    pub(super) fn new(set: &SignalSet) -> Self {
        let mut names = StateNames {
            longest: UNNAMED_VALUE_BYTES,
            ..StateNames::default()
        };
        // Instances share the static table of their chip, so the address finds
        // it again; two equal tables at two addresses cost only a second copy.
        let mut seen: HashMap<(*const StateName, usize), u32> = HashMap::new();
        for signal in set.signals.iter().filter(|s| !s.states.is_empty()) {
            let key = (signal.states.as_ptr(), signal.states.len());
            let table = *seen.entry(key).or_insert_with(|| {
                let table = names.table(signal.states);
                names.tables.push(table);
                names.tables.len() as u32 - 1
            });
            names.table_of.push(table);
        }
        names
    }

    fn table(&mut self, states: &[StateName]) -> Table {
        let largest = states
            .iter()
            .map(|state| state.value)
            .filter(|&value| value < DENSE)
            .max();
        let mut table = Table {
            dense: vec![(0, 0); largest.map_or(0, |value| value as usize + 1)],
            sparse: Vec::new(),
        };
        for state in states {
            let start = self.text.len() as u32;
            self.text.extend(
                state
                    .name
                    .bytes()
                    .map(|b| if b.is_ascii_graphic() { b } else { b'_' }),
            );
            if state.name.is_empty() {
                self.text.push(b'_');
            }
            let end = self.text.len() as u32;
            self.longest = self.longest.max((end - start) as usize);
            if state.value < DENSE {
                table.dense[state.value as usize] = (start, end);
            } else {
                table.sparse.push((state.value, (start, end)));
            }
        }
        table.sparse.sort_by_key(|&(value, _)| value);
        table
    }

    /// Bytes of the longest name that [`StateNames::copy`] writes.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// Copies the name that `value` has in the `named`-th signal with states to
    /// the start of `out`, and returns its length.
    #[inline]
    pub(super) fn copy(&self, named: usize, value: u64, out: &mut [u8]) -> usize {
        let table = &self.tables[self.table_of[named] as usize];
        let small = usize::try_from(value).ok();
        let (start, end) = match small.and_then(|value| table.dense.get(value)) {
            Some(&range) => range,
            None => table
                .sparse
                .binary_search_by_key(&value, |&(value, _)| value)
                .map_or((0, 0), |at| table.sparse[at].1),
        };
        if start == end {
            return copy_hexadecimal(value, out);
        }
        let name = &self.text[start as usize..end as usize];
        out[..name.len()].copy_from_slice(name);
        name.len()
    }
}

/// Writes `?` and `value` in hexadecimal, and returns the length.
fn copy_hexadecimal(value: u64, out: &mut [u8]) -> usize {
    let digits = (64 - (value | 1).leading_zeros() as usize).div_ceil(4);
    out[0] = b'?';
    for (at, digit) in out[1..=digits].iter_mut().enumerate() {
        let nibble = value >> (4 * (digits - 1 - at)) & 15;
        *digit = b"0123456789abcdef"[nibble as usize];
    }
    1 + digits
}
