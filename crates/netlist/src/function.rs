//! The functions a gate may compute: one row per function, used by the
//! readers, the text form, the passes and the engines.
//!
//! Pins and truth tables are those of `simcells.v`, which is part of Yosys.
//! `MUX` is `S ? B : A`; `AOI3` is `!((A & B) | C)`; `OAI3` is
//! `!((A | B) & C)`; `AOI4` is `!((A & B) | (C & D))`; `OAI4` is
//! `!((A | B) & (C | D))`; `ANDNOT` is `A & !B`; `ORNOT` is `A | !B`.

use serde::{Deserialize, Serialize};

/// The function of a gate with one output and one to four inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Function {
    /// `A`
    Buf,
    /// `!A`
    Not,
    /// `A & B`
    And,
    /// `!(A & B)`
    Nand,
    /// `A | B`
    Or,
    /// `!(A | B)`
    Nor,
    /// `A ^ B`
    Xor,
    /// `!(A ^ B)`
    Xnor,
    /// `A & !B`
    AndNot,
    /// `A | !B`
    OrNot,
    /// `S ? B : A`, inputs in the order A, B, S
    Mux,
    /// `!(S ? B : A)`, inputs in the order A, B, S
    Nmux,
    /// `!((A & B) | C)`
    Aoi3,
    /// `!((A | B) & C)`
    Oai3,
    /// `!((A & B) | (C & D))`
    Aoi4,
    /// `!((A | B) & (C | D))`
    Oai4,
}

/// Input pins of functions of one to four inputs; those of `MUX` are apart.
const PINS: [&str; 4] = ["A", "B", "C", "D"];
const MUX_PINS: [&str; 3] = ["A", "B", "S"];

impl Function {
    /// All functions, in the order in which they are listed anywhere.
    pub const ALL: [Function; 16] = [
        Function::Buf,
        Function::Not,
        Function::And,
        Function::Nand,
        Function::Or,
        Function::Nor,
        Function::Xor,
        Function::Xnor,
        Function::AndNot,
        Function::OrNot,
        Function::Mux,
        Function::Nmux,
        Function::Aoi3,
        Function::Oai3,
        Function::Aoi4,
        Function::Oai4,
    ];

    /// The name in the text form, and between `$_` and `_` in Yosys.
    pub fn name(self) -> &'static str {
        match self {
            Function::Buf => "BUF",
            Function::Not => "NOT",
            Function::And => "AND",
            Function::Nand => "NAND",
            Function::Or => "OR",
            Function::Nor => "NOR",
            Function::Xor => "XOR",
            Function::Xnor => "XNOR",
            Function::AndNot => "ANDNOT",
            Function::OrNot => "ORNOT",
            Function::Mux => "MUX",
            Function::Nmux => "NMUX",
            Function::Aoi3 => "AOI3",
            Function::Oai3 => "OAI3",
            Function::Aoi4 => "AOI4",
            Function::Oai4 => "OAI4",
        }
    }

    /// The function of this name, such as `NAND`.
    pub fn from_name(name: &str) -> Option<Function> {
        Function::ALL.into_iter().find(|f| f.name() == name)
    }

    /// The function of a Yosys cell type, such as `$_NAND_`.
    pub fn from_yosys(cell_type: &str) -> Option<Function> {
        Function::from_name(cell_type.strip_prefix("$_")?.strip_suffix('_')?)
    }

    /// The names of the input pins, in the order of the inputs of a gate.
    pub fn pins(self) -> &'static [&'static str] {
        match self {
            Function::Buf | Function::Not => &PINS[..1],
            Function::Mux | Function::Nmux => &MUX_PINS,
            Function::Aoi3 | Function::Oai3 => &PINS[..3],
            Function::Aoi4 | Function::Oai4 => &PINS,
            _ => &PINS[..2],
        }
    }

    /// The number of inputs, 1 to 4.
    pub fn arity(self) -> usize {
        self.pins().len()
    }

    /// The truth table: bit `i` is the output when input `j` is bit `j` of
    /// `i`. Bits from `1 << arity` on are zero.
    pub fn table(self) -> u16 {
        // The tables of the inputs themselves, over four variables.
        let [a, b, c, d] = [0xaaaa_u16, 0xcccc, 0xf0f0, 0xff00];
        let table = match self {
            Function::Buf => a,
            Function::Not => !a,
            Function::And => a & b,
            Function::Nand => !(a & b),
            Function::Or => a | b,
            Function::Nor => !(a | b),
            Function::Xor => a ^ b,
            Function::Xnor => !(a ^ b),
            Function::AndNot => a & !b,
            Function::OrNot => a | !b,
            Function::Mux => (b & c) | (a & !c),
            Function::Nmux => !((b & c) | (a & !c)),
            Function::Aoi3 => !((a & b) | c),
            Function::Oai3 => !((a | b) & c),
            Function::Aoi4 => !((a & b) | (c & d)),
            Function::Oai4 => !((a | b) & (c | d)),
        };
        table & mask(self.arity())
    }

    /// The output for these inputs.
    ///
    /// # Panics
    ///
    /// When there are more than four inputs.
    ///
    /// ```
    /// use crosswave_netlist::Function;
    /// // MUX: A, B, S
    /// assert!(Function::Mux.evaluate(&[false, true, true]));
    /// ```
    pub fn evaluate(self, inputs: &[bool]) -> bool {
        assert!(inputs.len() <= 4, "a gate has at most four inputs");
        let row = inputs
            .iter()
            .enumerate()
            .fold(0, |row, (j, &value)| row | (usize::from(value) << j));
        self.table() >> row & 1 == 1
    }
}

/// The bits of a truth table over `arity` inputs (at most 4).
pub(super) fn mask(arity: usize) -> u16 {
    (((1_u32 << (1 << arity)) - 1) & 0xffff) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_agree_with_the_formulas() {
        for row in 0..16_usize {
            let [a, b, c, d] = [0, 1, 2, 3].map(|j| row >> j & 1 == 1);
            let expected = [
                (Function::Buf, a),
                (Function::Not, !a),
                (Function::And, a && b),
                (Function::Nand, !(a && b)),
                (Function::Or, a || b),
                (Function::Nor, !(a || b)),
                (Function::Xor, a != b),
                (Function::Xnor, a == b),
                (Function::AndNot, a && !b),
                (Function::OrNot, a || !b),
                (Function::Mux, if c { b } else { a }),
                (Function::Nmux, if c { !b } else { !a }),
                (Function::Aoi3, !(a && b || c)),
                (Function::Oai3, !((a || b) && c)),
                (Function::Aoi4, !(a && b || c && d)),
                (Function::Oai4, !((a || b) && (c || d))),
            ];
            for (function, value) in expected {
                let inputs = &[a, b, c, d][..function.arity()];
                assert_eq!(function.evaluate(inputs), value, "{function:?} {inputs:?}");
            }
        }
    }

    #[test]
    fn names_are_distinct() {
        for function in Function::ALL {
            assert_eq!(Function::from_name(function.name()), Some(function));
            let yosys = format!("$_{}_", function.name());
            assert_eq!(Function::from_yosys(&yosys), Some(function));
        }
        assert_eq!(Function::from_yosys("$_MUX4_"), None);
        assert_eq!(Function::from_yosys("AND"), None);
    }
}
