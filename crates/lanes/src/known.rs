//! Three-valued logic in lanes: a value is known to be 1, known to be 0, or unknown.

use std::ops::{BitAnd, BitOr, Not};

use crosswave_netlist::{Bit, Function, Gate};

/// Lanes that are known to be 1 and lanes that are known to be 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// Known to be 1.
    pub one: u64,
    /// Known to be 0.
    pub zero: u64,
}

impl Known {
    /// Nothing is known.
    pub const NOTHING: Known = Known { one: 0, zero: 0 };

    /// The same value in all lanes.
    pub fn all(value: bool) -> Known {
        match value {
            true => Known {
                one: u64::MAX,
                zero: 0,
            },
            false => Known {
                one: 0,
                zero: u64::MAX,
            },
        }
    }

    /// The value of the first lane.
    pub fn first(self) -> Option<bool> {
        match (self.one & 1, self.zero & 1) {
            (0, 0) => None,
            (one, _) => Some(one == 1),
        }
    }

    /// The value of a bit when those of the nets are known. X reads as 0.
    pub fn of(nets: &[Known], bit: Bit) -> Known {
        match bit {
            Bit::Net(net) => nets[net.index()],
            constant => Known::all(constant == Bit::One),
        }
    }
}

impl Not for Known {
    type Output = Known;

    fn not(self) -> Known {
        Known {
            one: self.zero,
            zero: self.one,
        }
    }
}

impl BitAnd for Known {
    type Output = Known;

    fn bitand(self, other: Known) -> Known {
        Known {
            one: self.one & other.one,
            zero: self.zero | other.zero,
        }
    }
}

impl BitOr for Known {
    type Output = Known;

    fn bitor(self, other: Known) -> Known {
        !(!self & !other)
    }
}

/// The output of a gate: known where it is the same for all values of the inputs that are unknown.
pub fn evaluate(gate: &Gate, nets: &[Known]) -> Known {
    let input = |pin: usize| Known::of(nets, gate.inputs[pin]);
    let (a, b) = (input(0), || input(1));
    let (c, d) = (|| input(2), || input(3));
    let xor = |a: Known, b: Known| Known {
        one: a.one & b.zero | a.zero & b.one,
        zero: a.one & b.one | a.zero & b.zero,
    };
    // The data inputs may agree where the select is unknown.
    let mux = |a: Known, b: Known, select: Known| Known {
        one: select.one & b.one | select.zero & a.one | a.one & b.one,
        zero: select.one & b.zero | select.zero & a.zero | a.zero & b.zero,
    };
    match gate.function {
        Function::Buf => a,
        Function::Not => !a,
        Function::And => a & b(),
        Function::Nand => !(a & b()),
        Function::Or => a | b(),
        Function::Nor => !(a | b()),
        Function::Xor => xor(a, b()),
        Function::Xnor => !xor(a, b()),
        Function::AndNot => a & !b(),
        Function::OrNot => a | !b(),
        Function::Mux => mux(a, b(), c()),
        Function::Nmux => !mux(a, b(), c()),
        Function::Aoi3 => !(a & b() | c()),
        Function::Oai3 => !((a | b()) & c()),
        Function::Aoi4 => !(a & b() | c() & d()),
        Function::Oai4 => !((a | b()) & (c() | d())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosswave_netlist::NetId;

    /// Every function of every input at 0, 1 and unknown, against all completions of the unknown
    /// ones.
    #[test]
    fn an_output_is_known_where_all_completions_agree() {
        for function in Function::ALL {
            let arity = function.arity();
            for case in 0..3_usize.pow(arity as u32) {
                let digits: Vec<usize> = (0..arity as u32)
                    .map(|pin| case / 3_usize.pow(pin) % 3)
                    .collect();
                let nets: Vec<Known> = digits
                    .iter()
                    .map(|&digit| match digit {
                        2 => Known::NOTHING,
                        value => Known::all(value == 1),
                    })
                    .collect();
                let gate = Gate {
                    function,
                    inputs: (0..arity as u32).map(|pin| Bit::Net(NetId(pin))).collect(),
                    output: NetId(9),
                };
                let completions = (0..1_usize << arity).filter(|row| {
                    let values = digits.iter().enumerate();
                    values
                        .into_iter()
                        .all(|(pin, &digit)| digit == 2 || row >> pin & 1 == digit)
                });
                let mut outputs: Vec<bool> = completions
                    .map(|row| function.table() >> row & 1 == 1)
                    .collect();
                outputs.dedup();
                let expected = match outputs.as_slice() {
                    &[value] => Some(value),
                    _ => None,
                };
                let known = evaluate(&gate, &nets);
                assert_eq!(known.first(), expected, "{function:?} {digits:?}");
                assert!(known.one & known.zero == 0, "{function:?} {digits:?}");
                assert!([0, u64::MAX].contains(&known.one), "{function:?}");
            }
        }
    }
}
