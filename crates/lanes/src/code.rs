//! The operations of the portable interpreter: what each computes, written once.
//!
//! `codes!` is the table. It makes [`Code`] here and the loops of the
//! [kernel](super::kernel), and everything else is computed of its formulas: truth tables, which code
//! a function of a netlist takes, and which two a machine without operations of four operands takes.
//!
//! Inverters need no operation. Whoever reads a complement takes the code whose formula has it, so
//! there is one for each way to invert operands, but for the complement of the result.

use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Operands of a code at most.
pub const OPERANDS_MAX: usize = 4;

/// The truth table of each operand: bit `i` is the operand's value when operand `j` is bit `j` of `i`,
/// as in [`Function::table`](crosswave_netlist::Function::table).
pub const VARIABLES: [u16; OPERANDS_MAX] = [0xaaaa, 0xcccc, 0xf0f0, 0xff00];

/// Hands the table of all codes to the macro `$with`: name, operands and formula on words.
macro_rules! codes {
    ($with:ident) => {
        $with! {
            And(a, b) = a & b;
            AndNot(a, b) = a & !b;
            Nor(a, b) = !(a | b);
            Xor(a, b) = a ^ b;
            Mux(a, b, c) = a ^ ((a ^ b) & c);
            MuxNot(a, b, c) = a ^ (!(a ^ b) & c);
            And3(a, b, c) = a & b & c;
            And2Not(a, b, c) = a & b & !c;
            AndNor(a, b, c) = a & !(b | c);
            Nor3(a, b, c) = !(a | b | c);
            AndOr(a, b, c) = a & b | c;
            AndOrNot(a, b, c) = a & b | !c;
            AndNotOr(a, b, c) = a & !b | c;
            AndNotOrNot(a, b, c) = a & !b | !c;
            NorOr(a, b, c) = !(a | b) | c;
            NorOrNot(a, b, c) = !((a | b) & c);
            AndOrAnd(a, b, c, d) = a & b | c & d;
            AndOrAndNot(a, b, c, d) = a & b | c & !d;
            AndOrNor(a, b, c, d) = a & b | !(c | d);
            AndNotOrAndNot(a, b, c, d) = a & !b | c & !d;
            AndNotOrNor(a, b, c, d) = a & !b | !(c | d);
            NorOrNor(a, b, c, d) = !((a | b) & (c | d));
        }
    };
}
pub(super) use codes;

macro_rules! define {
    ($($name:ident($($operand:ident),+) = $formula:expr;)*) => {
        /// Code of an operation on the operands `a`, `b`, `c` and `d`; each code's text is its
        /// formula.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Code {
            $(
                #[doc = concat!("`", stringify!($formula), "`")]
                $name,
            )*
        }

        impl Code {
            /// All codes, in the order of their numbers.
            pub const ALL: &[Code] = &[$(Code::$name),*];

            /// Number of operands.
            pub const fn operands(self) -> usize {
                match self {
                    $(Code::$name => [$(stringify!($operand)),+].len(),)*
                }
            }

            /// The result in every lane of a word. Operands that it does not have are not looked at.
            pub fn compute(self, operands: [u64; OPERANDS_MAX]) -> u64 {
                match self {
                    $(Code::$name => {
                        let [$($operand,)+ ..] = operands;
                        $formula
                    })*
                }
            }
        }
    };
}
codes!(define);

/// A code for a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The code.
    pub code: Code,
    /// The input of the function that each operand is; others mean nothing.
    pub order: [usize; OPERANDS_MAX],
    /// True when it computes the complement.
    pub inverted: bool,
}

impl Code {
    /// The truth table of its result when operand `i` has the table `inputs[i]`.
    pub fn table(self, inputs: [u16; OPERANDS_MAX]) -> u16 {
        self.compute(inputs.map(u64::from)) as u16
    }

    /// The code for a function that depends on all of its up to four inputs, whose tables are
    /// [`VARIABLES`]; `None` when there is no code for it. A function that has a code keeps one when
    /// inputs of it are inverted.
    pub fn of(table: u16) -> Option<Choice> {
        static CHOICES: OnceLock<BTreeMap<u16, Choice>> = OnceLock::new();
        CHOICES.get_or_init(choices).get(&table).copied()
    }

    /// A code of four operands as one of the first two, and one of the others and its result.
    pub fn split(self) -> Option<(Code, Code)> {
        if self.operands() < OPERANDS_MAX {
            return None;
        }
        let [a, b, c, d] = VARIABLES;
        let of = |operands| {
            Code::ALL
                .iter()
                .filter(move |code| code.operands() == operands)
        };
        of(2).find_map(|&first| {
            let product = first.table([a, b, 0, 0]);
            let second =
                of(3).find(|second| second.table([c, d, product, 0]) == self.table(VARIABLES));
            Some((first, *second?))
        })
    }
}

/// The code of every function that has one: as it is if that can be, and with the inputs in order.
fn choices() -> BTreeMap<u16, Choice> {
    let mut choices = BTreeMap::new();
    for inverted in [false, true] {
        for &code in Code::ALL {
            for order in orders(code.operands()) {
                let table = code.table(order.map(|input| VARIABLES[input]));
                choices
                    .entry(if inverted { !table } else { table })
                    .or_insert(Choice {
                        code,
                        order,
                        inverted,
                    });
            }
        }
    }
    choices
}

/// The orders of so many inputs, the first of which is theirs; what is beyond them stays in place.
fn orders(inputs: usize) -> impl Iterator<Item = [usize; OPERANDS_MAX]> {
    let base = OPERANDS_MAX;
    (0..base.pow(base as u32)).filter_map(move |number| {
        let order = [3, 2, 1, 0].map(|place| number / base.pow(place) % base);
        let is_order = (0..base).all(|input| order.contains(&input));
        (is_order && (inputs..base).all(|input| order[input] == input)).then_some(order)
    })
}

/// The table of a function, given as one over [`VARIABLES`], when input `i` has the table `inputs[i]`.
pub fn substitute(table: u16, inputs: [u16; OPERANDS_MAX]) -> u16 {
    (0..16).fold(0, |result, row: usize| {
        let at = (0..OPERANDS_MAX).map(|input| usize::from(inputs[input] >> row & 1) << input);
        result | (table >> at.sum::<usize>() & 1) << row
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Results of each code, for operands 0 0 .. 0, 1 0 .. 0, 0 1 .. 0 and so on, written down by hand.
    const RESULTS: [(Code, &str); 22] = [
        (Code::And, "0001"),
        (Code::AndNot, "0100"),
        (Code::Nor, "1000"),
        (Code::Xor, "0110"),
        (Code::Mux, "0101 0011"),
        (Code::MuxNot, "0101 1100"),
        (Code::And3, "0000 0001"),
        (Code::And2Not, "0001 0000"),
        (Code::AndNor, "0100 0000"),
        (Code::Nor3, "1000 0000"),
        (Code::AndOr, "0001 1111"),
        (Code::AndOrNot, "1111 0001"),
        (Code::AndNotOr, "0100 1111"),
        (Code::AndNotOrNot, "1111 0100"),
        (Code::NorOr, "1000 1111"),
        (Code::NorOrNot, "1111 1000"),
        (Code::AndOrAnd, "0001 0001 0001 1111"),
        (Code::AndOrAndNot, "0001 1111 0001 0001"),
        (Code::AndOrNor, "1111 0001 0001 0001"),
        (Code::AndNotOrAndNot, "0100 1111 0100 0100"),
        (Code::AndNotOrNor, "1111 0100 0100 0100"),
        (Code::NorOrNor, "1111 1000 1000 1000"),
    ];

    #[test]
    fn codes_compute_what_is_written_down() {
        assert_eq!(RESULTS.map(|(code, _)| code), Code::ALL);
        for (code, results) in RESULTS {
            let results = results.replace(' ', "");
            assert_eq!(results.len(), 1 << code.operands(), "{code:?}");
            for (row, result) in results.bytes().enumerate() {
                let operands =
                    [0, 1, 2, 3].map(|operand| (row as u64 >> operand & 1).wrapping_neg());
                let expected = if result == b'1' { u64::MAX } else { 0 };
                assert_eq!(code.compute(operands), expected, "{code:?}, row {row}");
            }
        }
    }

    #[test]
    fn every_order_and_sign_of_a_code_has_a_code() {
        for &code in Code::ALL {
            let count = code.operands();
            for order in orders(count) {
                for signs in 0..1 << count {
                    let inputs = [0, 1, 2, 3].map(|operand| {
                        let inverted = signs >> operand & 1 == 1;
                        VARIABLES[order[operand]] ^ if inverted { u16::MAX } else { 0 }
                    });
                    let table = code.table(inputs);
                    let choice = Code::of(table).expect("a code");
                    assert_eq!(choice.code.operands(), count);
                    let computed = choice
                        .code
                        .table(choice.order.map(|input| VARIABLES[input]));
                    assert_eq!(computed ^ if choice.inverted { u16::MAX } else { 0 }, table);
                    assert_eq!(substitute(code.table(VARIABLES), inputs), table);
                }
            }
        }
        assert_eq!(orders(4).count(), 24);
        assert_eq!(orders(2).collect::<Vec<_>>(), [[0, 1, 2, 3], [1, 0, 2, 3]]);
        // The parity of three is no single operation, nor is the product of four.
        assert_eq!(Code::of(0xaaaa ^ 0xcccc ^ 0xf0f0), None);
        assert_eq!(Code::of(0x8000), None);
    }

    #[test]
    fn operations_of_four_operands_are_two_others() {
        let split: Vec<_> = Code::ALL.iter().filter_map(|code| code.split()).collect();
        assert_eq!(
            split,
            [
                (Code::And, Code::AndOr),
                (Code::And, Code::AndNotOr),
                (Code::And, Code::NorOr),
                (Code::AndNot, Code::AndNotOr),
                (Code::AndNot, Code::NorOr),
                (Code::Nor, Code::NorOr),
            ]
        );
    }
}
