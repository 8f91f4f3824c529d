//! Constants of sources by their names: parameters, macros and members of enumerations.

use super::names::{KindWord, kind_of_flit, names_codes};

/// A constant with a small value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Constant {
    pub name: String,
    pub value: u64,
    /// Its bits, where the sources say them.
    pub width: Option<usize>,
}

/// The codes of kinds of flits, as constants of the sources name them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedCodes {
    pub head: u64,
    pub body: u64,
    pub tail: u64,
    /// None where no constant names it.
    pub single: Option<u64>,
    /// Bits of a code.
    pub width: usize,
    /// True when their names can hardly be those of the states of a machine, which may be head, body and tail as
    /// well.
    pub are_of_flits: bool,
}

/// The constants whose values are plain numbers, in their order.
pub(super) fn constants(sources: &str) -> Vec<Constant> {
    let mut found = Vec::new();
    let mut code = String::new();
    for line in sources.lines() {
        let line = line.split("//").next().unwrap_or_default();
        match line.trim_start().strip_prefix("`define") {
            None => {
                code.push_str(line);
                code.push('\n');
            }
            Some(macro_of) => {
                let mut words = macro_of.split_whitespace();
                let (name, value) = (words.next(), words.next().and_then(number));
                if let (Some(name), Some((value, width))) = (name, value) {
                    let name = name.to_owned();
                    found.push(Constant { name, value, width });
                }
            }
        }
    }
    // The value of the next member of an enumeration, and the bits of all.
    let mut next: Option<u64> = None;
    let mut of_enumeration = None;
    for piece in code.split_inclusive([',', ';', '{', '}']) {
        let (item, end) = piece.split_at(piece.len() - 1);
        let value = match item.split_once('=') {
            Some((_, value)) => number(value),
            None => next.map(|value| (value, None)),
        };
        let name = item.split('=').next().unwrap_or_default();
        let name = name.split_whitespace().last().unwrap_or_default();
        if let Some((value, width)) = value.filter(|_| !name.is_empty()) {
            let width = width.or_else(|| range_bits(item)).or(of_enumeration);
            let name = name.to_owned();
            found.push(Constant { name, value, width });
        }
        next = match end {
            "{" if item.split_whitespace().any(|word| word == "enum") => {
                of_enumeration = range_bits(item);
                Some(0)
            }
            "," if next.is_some() => value.and_then(|(value, _)| value.checked_add(1)),
            _ => {
                of_enumeration = None;
                None
            }
        };
    }
    found
}

/// The bits of a range such as `[1:0]` in a declaration.
fn range_bits(text: &str) -> Option<usize> {
    let text = text.split('=').next()?;
    let inner = text.split_once('[')?.1.split_once(']')?.0;
    let (left, right) = inner.split_once(':')?;
    let [left, right]: [usize; 2] = [left.trim().parse().ok()?, right.trim().parse().ok()?];
    left.abs_diff(right).checked_add(1)
}

/// A number as Verilog writes small ones, and its bits where it says them: `3`, `3'd3` or `2'b11`.
fn number(text: &str) -> Option<(u64, Option<usize>)> {
    let text = text.trim();
    match text.split_once('\'') {
        None => Some((text.parse().ok()?, None)),
        Some((width, value)) => {
            let (base, digits) = value.split_at_checked(1)?;
            let radix = match base {
                "d" => 10,
                "b" => 2,
                "h" => 16,
                _ => return None,
            };
            let value = u64::from_str_radix(digits.trim(), radix).ok()?;
            Some((value, width.trim().parse().ok()))
        }
    }
}

/// The codes of kinds of flits, where the sources name head, body and tail, each with one value of one width.
pub(super) fn codes(sources: &str) -> Option<NamedCodes> {
    let constants = constants(sources);
    let of_flits = constants.iter();
    let of_flits = of_flits.filter_map(|one| Some((kind_of_flit(&one.name)?, one)));
    let of_flits: Vec<(KindWord, &Constant)> = of_flits.collect();
    let value = |kind: KindWord| {
        let mut of_kind = of_flits.iter().filter(|(found, _)| *found == kind);
        let first = of_kind.next()?.1.value;
        of_kind.all(|(_, one)| one.value == first).then_some(first)
    };
    let (head, body, tail) = (
        value(KindWord::Head)?,
        value(KindWord::Body)?,
        value(KindWord::Tail)?,
    );
    let single = value(KindWord::Single);
    let values = [Some(head), Some(body), Some(tail), single];
    let values: Vec<u64> = values.into_iter().flatten().collect();
    let are_different = (1..values.len()).all(|at| !values[..at].contains(&values[at]));
    let most = values.iter().copied().max().unwrap_or(0);
    let needed = (u64::BITS - most.leading_zeros()) as usize;
    let width = of_flits.iter().find_map(|(_, one)| one.width);
    let mut names = of_flits.iter().map(|(_, one)| &*one.name);
    let are_of_flits = single.is_some() || names.all(names_codes);
    let width = width.unwrap_or(needed).max(2);
    (are_different && needed <= width).then_some(NamedCodes {
        head,
        body,
        tail,
        single,
        width,
        are_of_flits,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(head: u64, body: u64, tail: u64, single: Option<u64>) -> Option<NamedCodes> {
        Some(NamedCodes {
            head,
            body,
            tail,
            single,
            width: 2,
            are_of_flits: true,
        })
    }

    #[test]
    fn constants_name_kinds_of_flits() {
        let macros = "`define FLIT_TYPE_PAYLOAD 2'b00\n`define FLIT_TYPE_HEADER 2'b01\n\
                      `define FLIT_TYPE_LAST 2'b10 // the end\n`define FLIT_TYPE_SINGLE 2'b11\n";
        assert_eq!(codes(macros), found(1, 0, 2, Some(3)));
        let enumeration =
            "typedef enum logic [1:0] {\n  HEAD,\n  BODY,\n  TAIL,\n  HEAD_TAIL\n} flit_e;";
        assert_eq!(codes(enumeration), found(0, 1, 2, Some(3)));
        let parameters =
            "localparam [1:0] HEAD_FLIT = 2'd2, BODY_FLIT = 2'd1;\nparameter TAIL_FLIT = 2'h3;";
        assert_eq!(codes(parameters), found(2, 1, 3, None));
        let states = "localparam IDLE = 0, HEAD = 1, BODY = 2, TAIL = 3;";
        assert!(codes(states).is_some_and(|codes| !codes.are_of_flits));
        for none in [
            "localparam HEAD = 0, TAIL = 1;",
            "localparam HEAD = 1, BODY = 1, TAIL = 2;",
            "localparam HEAD_WIDTH = 1, BODY_WIDTH = 2, TAIL_WIDTH = 3;",
            "// HEAD = 0, BODY = 1, TAIL = 2",
            "localparam HEAD = 1, BODY = 0, TAIL = 2; localparam FLIT_HEAD = 3;",
            "",
        ] {
            assert_eq!(codes(none), None, "{none}");
        }
    }
}
