//! Chooses the best name of each net.
//!
//! A net may have many names in `netnames`. The best is, in this order: not
//! hidden (made by the designer, not by a pass), that of a port, with the fewest
//! levels of hierarchy, the shortest, the first in the file.

use std::collections::{HashMap, HashSet};

use smol_str::{SmolStr, format_smolstr};

use super::file::{BitEntry, Bits, NetName};
use super::json::{ExpectedObject, Plain};
use crate::long_names::joined;
use crate::model::{Net, NetId};

/// A name for one net; the lowest rank is the best.
struct Candidate {
    rank: (bool, bool, usize, usize),
    name: SmolStr,
    src: SmolStr,
}

/// The names and initial values of the nets of one module.
pub(super) struct NameTable {
    best: Vec<Option<Candidate>>,
    init: Vec<Option<bool>>,
}

impl NameTable {
    /// An empty book for this many nets.
    pub fn new(nets: usize) -> NameTable {
        NameTable {
            best: (0..nets).map(|_| None).collect(),
            init: vec![None; nets],
        }
    }

    /// Enters one name, which may have many bits.
    pub fn enter(
        &mut self,
        name: &str,
        entry: &ExpectedObject<'_, NetName<'_>>,
        is_port: bool,
        nets: &HashMap<u64, NetId>,
    ) -> Result<(), String> {
        let body = match entry {
            ExpectedObject::Object(body) => body,
            ExpectedObject::Other(other) => {
                return Err(format!("found {}, expected an object", other.shown()));
            }
        };
        let bits = body.bits.as_ref().and_then(Bits::as_array);
        let bits = bits.ok_or("expected an array of bits")?;
        let number = |value: &Plain<'_>| {
            let message = || format!("the offset is {}, expected a number", value.shown());
            value.as_i64().ok_or_else(message)
        };
        let offset = body.offset.as_deref().map(number).transpose()?;
        let init: Vec<char> = body.init.chars().rev().collect();
        for (index, bit) in bits.iter().enumerate() {
            let BitEntry::Net(number) = bit else {
                continue;
            };
            let Some(&net) = nets.get(number) else {
                continue;
            };
            match init.get(index) {
                Some('0') => self.init[net.index()] = Some(false),
                Some('1') => self.init[net.index()] = Some(true),
                _ => {}
            }
            let dots = name.matches('.').count();
            let rank = (body.hidden, !is_port, dots, name.len());
            let best = &mut self.best[net.index()];
            if best.as_ref().is_none_or(|best| rank < best.rank) {
                let position = if body.upto {
                    bits.len() - 1 - index
                } else {
                    index
                };
                let position = i64::try_from(position).unwrap_or(i64::MAX);
                let name = match (bits.len(), offset) {
                    (1, None) => name.into(),
                    (_, offset) => {
                        let index = offset.unwrap_or(0).saturating_add(position);
                        joined(name, &format!("[{index}]"), net.index()).into()
                    }
                };
                let src = SmolStr::from(&*body.src);
                *best = Some(Candidate { rank, name, src });
            }
        }
        Ok(())
    }

    /// Gives a net an initial value.
    pub fn start(&mut self, net: NetId, value: bool) {
        self.init[net.index()] = Some(value);
    }

    /// The initial value of a net.
    pub fn init(&self, net: NetId) -> Option<bool> {
        self.init[net.index()]
    }

    /// Writes the best names into the nets and makes them distinct. A net that
    /// has no name keeps the one it has, or is called by its number in the file.
    pub fn finish(self, nets: &mut [Net], numbers: &[Option<u64>]) {
        for ((net, best), number) in nets.iter_mut().zip(self.best).zip(numbers) {
            match (best, number) {
                (Some(best), _) => (net.name, net.src) = (best.name, best.src),
                (None, Some(number)) => net.name = format_smolstr!("$net{number}"),
                (None, None) => {}
            }
        }
        make_distinct(nets);
    }
}

/// Gives every net but the first of each name another one: `name$1`, ...
fn make_distinct(nets: &mut [Net]) {
    let mut taken: HashSet<SmolStr> = nets.iter().map(|net| net.name.clone()).collect();
    let mut seen = HashSet::new();
    let mut next: HashMap<SmolStr, usize> = HashMap::new();
    for net in nets {
        if seen.insert(net.name.clone()) {
            continue;
        }
        let count = next.entry(net.name.clone()).or_insert(0);
        loop {
            *count += 1;
            let name = format_smolstr!("{}${count}", net.name);
            if taken.insert(name.clone()) {
                seen.insert(name.clone());
                net.name = name;
                break;
            }
        }
    }
}
