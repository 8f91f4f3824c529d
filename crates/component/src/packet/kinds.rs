//! Kinds of flits as codes in a field of each flit.
//!
//! ```toml
//! type = { bits = "[33:32]", head = 1, body = 0, tail = 2, single = 3 }
//! ```

use std::ops::Range;

use toml::Spanned;

use super::{form_name, overlap, range};
use crate::file::{FlitForm, PacketTable};
use crate::mistakes::Mistakes;

/// Bits of a code at most.
const CODE_BITS_MAX: usize = 16;

/// The codes of the kinds of flits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlitCodes {
    /// The bits of each flit with its code.
    pub bits: Range<usize>,
    /// The first flit of several.
    pub head: u64,
    /// A flit between the first and the final one.
    pub body: u64,
    /// The final flit of several.
    pub tail: u64,
    /// The only flit of a packet.
    pub single: u64,
}

impl FlitCodes {
    /// The codes of flits that are the first of a packet.
    pub fn heads(&self) -> [u64; 2] {
        [self.head, self.single]
    }

    /// The codes of flits that are the final one of a packet.
    pub fn tails(&self) -> [u64; 2] {
        [self.tail, self.single]
    }

    /// A code as Verilog writes it.
    pub fn verilog(&self, code: u64) -> String {
        format!("{}'d{code}", self.bits.len())
    }
}

/// Reads the codes of a file in flits of so many bits, some of which are `taken` by fields.
pub(super) fn read(
    table: &PacketTable,
    data_bits: usize,
    taken: &[(&str, Range<usize>)],
    mistakes: &mut Mistakes<'_>,
) -> Option<FlitCodes> {
    const SUCH: &str =
        "such as type = { bits = \"[33:32]\", head = 1, body = 0, tail = 2, single = 3 }";
    let found = table.kinds.as_ref()?;
    let (span, kinds) = (found.span(), found.get_ref());
    if *table.flits.get_ref() != FlitForm::HeadTail {
        let form = form_name(*table.flits.get_ref());
        let message = format!("flits = \"{form}\" has no kinds of flits");
        let help = "remove it, or set packet.flits = \"head-tail\"";
        mistakes.add("packet.type", Some(span), message, help);
        return None;
    }
    for name in ["head", "tail"] {
        if let Some(field) = table.fields.get(name) {
            let place = format!("packet.fields.{name}");
            let message = "found this and packet.type, which says the same";
            mistakes.add(place, Some(field.span()), message, "remove one of the two");
        }
    }
    let bits = match range(kinds.bits.get_ref(), data_bits) {
        Ok(bits) => bits,
        Err(message) => {
            mistakes.add("packet.type.bits", Some(kinds.bits.span()), message, SUCH);
            return None;
        }
    };
    let of_bits = |message: String, help: &str, mistakes: &mut Mistakes<'_>| {
        mistakes.add("packet.type.bits", Some(kinds.bits.span()), message, help);
    };
    if bits.len() > CODE_BITS_MAX {
        let message = format!("found {} bits; expected up to {CODE_BITS_MAX}", bits.len());
        of_bits(message, SUCH, mistakes);
        return None;
    }
    if let Some((other, _)) = taken.iter().find(|(_, other)| overlap(other, &bits)) {
        let message = format!("it shares bits with the field {other}");
        of_bits(message, "give each field bits of its own", mistakes);
    }
    let codes = [
        ("head", &kinds.head),
        ("body", &kinds.body),
        ("tail", &kinds.tail),
        ("single", &kinds.single),
    ];
    let mut known: Vec<(&str, u64)> = Vec::new();
    for (name, code) in codes {
        let place = format!("packet.type.{name}");
        let Some(code) = code else {
            let (message, help) = match name {
                "single" => (
                    "missing: the code of the only flit of a packet",
                    "where the router has none, give a code that is free, and keep traffic.words above 1",
                ),
                _ => ("missing: the code of this kind of flit", SUCH),
            };
            mistakes.add(place, Some(span.clone()), message, help);
            continue;
        };
        known.push((name, code_of(code, &place, &bits, &known, mistakes)));
    }
    let [head, body, tail, single] = known[..] else {
        return None;
    };
    Some(FlitCodes {
        bits,
        head: head.1,
        body: body.1,
        tail: tail.1,
        single: single.1,
    })
}

/// A code, which is to fit its bits and to be none of others.
fn code_of(
    code: &Spanned<u64>,
    place: &str,
    bits: &Range<usize>,
    others: &[(&str, u64)],
    mistakes: &mut Mistakes<'_>,
) -> u64 {
    let value = *code.get_ref();
    if value >> bits.len() != 0 {
        let message = format!("found {value}; the type has {} bits", bits.len());
        let help = "give a code that it can hold, or more bits";
        mistakes.add(place, Some(code.span()), message, help);
    } else if let Some((other, _)) = others.iter().find(|(_, other)| *other == value) {
        let message = format!("found {value}, which is the code of {other} as well");
        let help = "give each kind of flit a code of its own";
        mistakes.add(place, Some(code.span()), message, help);
    }
    value
}
