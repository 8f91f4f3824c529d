//! One gate over known inputs: its truth table, and the gate for a truth table.
//!
//! Putting constants into the functions of [`Function`], or the same net into
//! several of their inputs, leaves functions that are in [`Function`] again (a test
//! tries them all). Absorbing an inverter may lead out of it, as with
//! `MUX(A, !B, S)`; then as many inverters are absorbed as can be.

use smallvec::SmallVec;

use crate::function::{Function, mask};
use crate::model::{Bit, NetId};

/// A truth table over distinct nets in rising order, each of which has an effect.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct GateForm {
    table: u16,
    inputs: SmallVec<[NetId; 4]>,
}

/// The rest of a gate after simplification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Simple {
    /// A constant, or a net.
    Bit(Bit),
    /// A gate over at least one net; equal gates have equal forms.
    Gate {
        function: Function,
        inputs: SmallVec<[NetId; 4]>,
        form: GateForm,
    },
}

impl GateForm {
    /// The input, when this is an inverter.
    pub fn inverted(&self) -> Option<NetId> {
        match self.inputs.as_slice() {
            &[input] if self.table == Function::Not.table() => Some(input),
            _ => None,
        }
    }

    /// The form of a function of constants and of nets that may be inverted.
    fn new(function: Function, operands: &[Operand]) -> GateForm {
        let mut inputs: SmallVec<[NetId; 4]> = operands
            .iter()
            .filter_map(|operand| operand.bit.net())
            .collect();
        inputs.sort_unstable();
        inputs.dedup();
        let mut table = 0;
        for row in 0..1_usize << inputs.len() {
            let values: SmallVec<[bool; 4]> = operands
                .iter()
                .map(|operand| operand.value(&inputs, row) != operand.inverted)
                .collect();
            table |= u16::from(function.evaluate(&values)) << row;
        }
        let mut form = GateForm { table, inputs };
        for input in (0..form.inputs.len()).rev() {
            form.drop_without_effect(input);
        }
        form
    }

    /// Drops an input when the table is the same for both of its values.
    fn drop_without_effect(&mut self, input: usize) {
        let half = 1_usize << (self.inputs.len() - 1);
        let below = (1_usize << input) - 1;
        let row = |rest: usize| (rest & below) | ((rest & !below) << 1);
        let at = |row: usize| self.table >> row & 1;
        let pairs = (0..half).map(|rest| (at(row(rest)), at(row(rest) | 1 << input)));
        if pairs.clone().all(|(zero, one)| zero == one) {
            let table = pairs
                .enumerate()
                .fold(0, |t, (rest, (bit, _))| t | bit << rest);
            self.table = table;
            self.inputs.remove(input);
        }
    }

    /// The function and order of inputs that have this table.
    fn gate(&self) -> Option<(Function, SmallVec<[NetId; 4]>)> {
        let arity = self.inputs.len();
        for function in Function::ALL.into_iter().filter(|f| f.arity() == arity) {
            for order in orders(arity) {
                // Input `order[j]` of the form is input `j` of the gate.
                let table = (0..1_usize << arity).fold(0, |table, row| {
                    let pins = order.iter().enumerate();
                    let seen = pins.fold(0, |seen, (j, &input)| seen | (row >> input & 1) << j);
                    table | (function.table() >> seen & 1) << row
                });
                if table == self.table {
                    let inputs = order.iter().map(|&input| self.inputs[input]).collect();
                    return Some((function, inputs));
                }
            }
        }
        None
    }
}

#[derive(Clone, Copy)]
struct Operand {
    bit: Bit,
    inverted: bool,
}

impl Operand {
    /// The value of the bit when the nets in `inputs` have the bits of `row`.
    fn value(self, inputs: &[NetId], row: usize) -> bool {
        match self.bit {
            Bit::Net(net) => match inputs.binary_search(&net) {
                Ok(position) => row >> position & 1 == 1,
                Err(_) => false,
            },
            constant => constant == Bit::One,
        }
    }
}

/// The orders of up to four things, in lexicographic order.
fn orders(count: usize) -> impl Iterator<Item = SmallVec<[usize; 4]>> {
    (0..count.pow(count as u32)).filter_map(move |mut code| {
        let mut order: SmallVec<[usize; 4]> = SmallVec::new();
        for _ in 0..count {
            let digit = code % count;
            code /= count;
            if order.contains(&digit) {
                return None;
            }
            order.insert(0, digit);
        }
        Some(order)
    })
}

/// Simplifies a gate; `inverse` gives the input of the inverter that drives a net.
pub(super) fn simplify(
    function: Function,
    inputs: &[Bit],
    inverse: impl Fn(NetId) -> Option<NetId>,
) -> Simple {
    let sources: SmallVec<[Option<NetId>; 4]> = inputs
        .iter()
        .map(|bit| bit.net().and_then(&inverse))
        .collect();
    let absorbable = sources.iter().enumerate().fold(0_u8, |set, (j, source)| {
        set | u8::from(source.is_some()) << j
    });
    let mut best: Option<(Function, SmallVec<[NetId; 4]>, GateForm)> = None;
    // All subsets of the inverters, the largest numbers first, then none of them.
    let mut absorbed = absorbable;
    loop {
        let operands: SmallVec<[Operand; 4]> = inputs
            .iter()
            .zip(&sources)
            .enumerate()
            .map(|(j, (&bit, source))| match source {
                Some(source) if absorbed >> j & 1 == 1 => Operand {
                    bit: Bit::Net(*source),
                    inverted: true,
                },
                _ => Operand {
                    bit,
                    inverted: false,
                },
            })
            .collect();
        let form = GateForm::new(function, &operands);
        match form.inputs.as_slice() {
            [] => return Simple::Bit(Bit::from(form.table & 1 == 1)),
            &[net] if form.table == Function::Buf.table() => return Simple::Bit(Bit::Net(net)),
            _ => {}
        }
        if best
            .as_ref()
            .is_none_or(|best| form.inputs.len() < best.2.inputs.len())
            && let Some((function, inputs)) = form.gate()
        {
            best = Some((function, inputs, form));
        }
        if absorbed == 0 {
            break;
        }
        absorbed = (absorbed - 1) & absorbable;
    }
    let (function, inputs, form) = best.expect("a gate without absorbed inverters has a function");
    debug_assert_eq!(form.table & !mask(inputs.len()), 0);
    Simple::Gate {
        function,
        inputs,
        form,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every function over constants, and over four nets in any of which two may
    /// be the same or one the inverse of another.
    #[test]
    fn every_gate_over_every_choice_of_inputs_is_simplified_exactly() {
        // Net 4 + i is the inverse of net i.
        let inverse = |net: NetId| (net.0 >= 4).then(|| NetId(net.0 - 4));
        let choices: Vec<Bit> = [Bit::Zero, Bit::One]
            .into_iter()
            .chain((0..8).map(|net| Bit::Net(NetId(net))))
            .collect();
        let value = |bit: Bit, row: usize| match bit {
            Bit::Net(NetId(net)) => (row >> (net & 3) & 1 == 1) != (net >= 4),
            constant => constant == Bit::One,
        };
        for function in Function::ALL {
            for code in 0..choices.len().pow(function.arity() as u32) {
                let inputs: Vec<Bit> = (0..function.arity() as u32)
                    .map(|j| choices[code / choices.len().pow(j) % choices.len()])
                    .collect();
                let simple = simplify(function, &inputs, inverse);
                for row in 0..16 {
                    let before: Vec<bool> = inputs.iter().map(|&bit| value(bit, row)).collect();
                    let after = match &simple {
                        Simple::Bit(bit) => value(*bit, row),
                        Simple::Gate {
                            function, inputs, ..
                        } => {
                            let values: Vec<bool> =
                                inputs.iter().map(|&n| value(Bit::Net(n), row)).collect();
                            function.evaluate(&values)
                        }
                    };
                    assert_eq!(after, function.evaluate(&before), "{function:?} {inputs:?}");
                }
            }
        }
    }

    #[test]
    fn orders_are_all_permutations_in_lexicographic_order() {
        let all: Vec<_> = orders(3).map(|order| order.to_vec()).collect();
        let expected = [
            [0, 1, 2],
            [0, 2, 1],
            [1, 0, 2],
            [1, 2, 0],
            [2, 0, 1],
            [2, 1, 0],
        ];
        assert_eq!(all, expected);
        assert_eq!(orders(4).count(), 24);
    }
}
