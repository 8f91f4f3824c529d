//! A straight-line program in functions that an instruction set has.
//!
//! Constant and repeated inputs go into the tables first. Without `vpternlog`
//! each function then becomes the fewest two-input instructions; a leaf that is put together
//! becomes functions first, and without `vprolvq` a rotation two shifts. Whether a value
//! is kept as it is or inverted is free: every function takes the choice that
//! makes it and its readers cheapest, function by function, [`ROUNDS`] times over.

use std::collections::BTreeMap;

use super::Isa;
use crate::straight::{Draw, LeafJoin, Location, Motion, STATE, StraightLine};
use crosswave_base::random::SPLITMIX_SHIFTS;
use crosswave_netlist::table::{self, A, B, C};
use crosswave_netlist::{MappedValue, PairExpressions, PairInstruction};

/// Rounds of choosing signs.
const ROUNDS: usize = 3;

/// Operator of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operator {
    /// A table; it depends on the first `arity` variables.
    Table(u8),
    /// An operation on each word of the first input by the second one's word; for
    /// [`Wordwise::Order`], on the words of the second by those of the first.
    Wordwise(Wordwise),
    /// The words of the only input, moved.
    Motion(Motion),
}

/// Operation on each word by a word of the other input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wordwise {
    /// Rotated to the left. AVX2 does not have it.
    Rotate,
    /// Shifted to the left; by 64, it is 0.
    Left,
    /// Shifted to the right; by 64, it is 0.
    Right,
    /// The sum of both.
    Sum,
    /// The product of both.
    Product,
    /// Words in another order: here the first input has the numbers of words, and the second is moved.
    /// Registers of eight words have it.
    Order,
}

/// A function of one to three different leaves and functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Function {
    /// Its operator.
    pub operator: Operator,
    /// The inputs.
    pub inputs: [MappedValue; 3],
    /// Number of inputs.
    pub arity: u8,
}

impl Function {
    /// The inputs that are read.
    pub fn inputs(&self) -> &[MappedValue] {
        &self.inputs[..self.arity as usize]
    }

    /// A function of one value.
    pub fn of_one(table: u8, input: MappedValue) -> Function {
        Function {
            operator: Operator::Table(table),
            inputs: [
                input,
                MappedValue::Constant(false),
                MappedValue::Constant(false),
            ],
            arity: 1,
        }
    }

    /// A value whose words are moved.
    fn of_motion(motion: Motion, value: MappedValue) -> Function {
        Function {
            operator: Operator::Motion(motion),
            ..Function::of_one(A, value)
        }
    }

    /// A value to whose words something is done by those of another.
    fn of_wordwise(operation: Wordwise, value: MappedValue, by: MappedValue) -> Function {
        Function {
            operator: Operator::Wordwise(operation),
            inputs: [value, by, MappedValue::Constant(false)],
            arity: 2,
        }
    }
}

/// A lowered program.
#[derive(Debug, Default)]
pub struct Lowered {
    /// The place of each leaf; all different.
    pub leaves: Vec<Location>,
    /// The functions, in order.
    pub functions: Vec<Function>,
    /// Values to write, and their places. Values that stay as they are, are left out.
    pub sinks: Vec<(MappedValue, Location)>,
    /// A value that has to be 0 for anything to be written; no constant 0.
    pub guard: Option<MappedValue>,
}

impl Lowered {
    fn function(&mut self, function: Function) -> MappedValue {
        self.functions.push(function);
        MappedValue::Function(self.functions.len() as u32 - 1)
    }

    fn table(&mut self, table: u8, inputs: [MappedValue; 3]) -> MappedValue {
        match clean(table, inputs) {
            Ok(value) => value,
            Err(function) => self.function(function),
        }
    }

    /// A value moved; AVX2 shifts both ways instead of rotating.
    fn moved(
        &mut self,
        motion: Motion,
        [value, by, back]: [MappedValue; 3],
        isa: Isa,
    ) -> MappedValue {
        if matches!(value, MappedValue::Constant(_)) {
            let shifts = matches!(
                motion,
                Motion::Left(_) | Motion::Right(_) | Motion::LeftEach | Motion::RightEach
            );
            return constant_moved(value, shifts);
        }
        match (motion, isa) {
            (Motion::Rotate(0), _) => value,
            (Motion::RotateEach, Isa::Avx512) => {
                self.function(Function::of_wordwise(Wordwise::Rotate, value, by))
            }
            (Motion::RotateEach, Isa::Avx2) => {
                let left = self.function(Function::of_wordwise(Wordwise::Left, value, by));
                let right = self.function(Function::of_wordwise(Wordwise::Right, value, back));
                self.table(A | B, [left, right, MappedValue::Constant(false)])
            }
            (Motion::LeftEach, _) => {
                self.function(Function::of_wordwise(Wordwise::Left, value, by))
            }
            (Motion::RightEach, _) => {
                self.function(Function::of_wordwise(Wordwise::Right, value, by))
            }
            (Motion::WordsEach, _) => {
                self.function(Function::of_wordwise(Wordwise::Order, by, value))
            }
            (Motion::Rotate(bits), Isa::Avx2) => {
                let left = self.function(Function::of_motion(Motion::Left(bits), value));
                let right = self.function(Function::of_motion(Motion::Right(64 - bits), value));
                self.table(A | B, [left, right, MappedValue::Constant(false)])
            }
            _ => self.function(Function::of_motion(motion, value)),
        }
    }
}

/// Lowers a program.
pub fn lower(straight: &StraightLine, isa: Isa) -> Lowered {
    let mut reads = Reads::default();
    let leaf: Vec<MappedValue> = (0..)
        .zip(&straight.leaves)
        .map(|(number, &place)| {
            if let Some(draw) = straight.draws.get(&number) {
                return reads.drawn(draw);
            }
            match straight.joins.get(&number) {
                None => reads.leaf(place),
                Some(join) => reads.joined(place, join, isa),
            }
        })
        .collect();
    let mut lowered = reads.lowered;
    let mut result: Vec<MappedValue> = Vec::with_capacity(straight.functions.len());
    let of = |result: &[MappedValue], value: MappedValue| match value {
        MappedValue::Constant(_) => value,
        MappedValue::Leaf(index) => leaf[index as usize],
        MappedValue::Function(index) => result[index as usize],
    };
    for (number, lut) in (0..).zip(&straight.functions) {
        let inputs = lut.inputs.map(|input| of(&result, input));
        result.push(match straight.motions.get(&number) {
            None => lowered.table(lut.table, inputs),
            Some(&motion) => lowered.moved(motion, inputs, isa),
        });
    }
    let sinks = straight.sinks.iter();
    lowered.sinks = sinks
        .map(|&(value, place)| (of(&result, value), place))
        .collect();
    let guard = straight.guard.map(|value| of(&result, value));
    lowered.guard = guard.filter(|&value| value != MappedValue::Constant(false));
    lowered.sinks.retain(|&(value, place)| match value {
        MappedValue::Leaf(leaf) => place.region != STATE || lowered.leaves[leaf as usize] != place,
        _ => true,
    });
    if isa == Isa::Avx2 {
        in_pairs(&mut lowered);
    }
    lowered
}

/// The leaves of a program, and the functions of those that are put together.
#[derive(Default)]
struct Reads {
    lowered: Lowered,
    known: BTreeMap<Location, u32>,
}

impl Reads {
    fn leaf(&mut self, place: Location) -> MappedValue {
        let leaves = &mut self.lowered.leaves;
        let index = *self.known.entry(place).or_insert_with(|| {
            leaves.push(place);
            leaves.len() as u32 - 1
        });
        MappedValue::Leaf(index)
    }

    /// A leaf that is drawn. What is added, multiplied and masked with is in different places.
    fn drawn(&mut self, draw: &Draw) -> MappedValue {
        let [keys, counters, mask] =
            [draw.keys, draw.counters, draw.mask].map(|place| self.leaf(place));
        let factors = draw.factors.map(|place| self.leaf(place));
        let lowered = &mut self.lowered;
        let none = MappedValue::Constant(false);
        let mut mixed = lowered.function(Function::of_wordwise(Wordwise::Sum, keys, counters));
        let [shifts @ .., last] = SPLITMIX_SHIFTS;
        for (bits, factor) in shifts.into_iter().zip(factors) {
            let shifted = lowered.function(Function::of_motion(Motion::Right(bits), mixed));
            mixed = lowered.table(A ^ B, [mixed, shifted, none]);
            mixed = lowered.function(Function::of_wordwise(Wordwise::Product, mixed, factor));
        }
        let shifted = lowered.function(Function::of_motion(Motion::Right(last), mixed));
        lowered.table((A ^ B) & C, [mixed, shifted, mask])
    }

    /// A leaf that is put together. Its parts, numbers and masks are in different places, so
    /// that tables of three inputs have three.
    fn joined(&mut self, first: Location, join: &LeafJoin, isa: Isa) -> MappedValue {
        let (first, keep) = (self.leaf(first), self.leaf(join.keep));
        let mut second = self.leaf(join.second);
        if let Some(rotation) = &join.rotation {
            let [left, right] = [rotation.left, rotation.right].map(|place| self.leaf(place));
            let inputs = [second, left, right];
            second = self.lowered.moved(Motion::RotateEach, inputs, isa);
        }
        match join.other {
            None => self.lowered.table(A & B | !A & C, [keep, first, second]),
            Some(other) => {
                let inputs = [second, self.leaf(other), MappedValue::Constant(false)];
                let second = self.lowered.table(A & B, inputs);
                self.lowered.table(A & B | C, [first, keep, second])
            }
        }
    }
}

/// The result of moving a constant: words that are all alike are the same in any place.
fn constant_moved(value: MappedValue, shifts: bool) -> MappedValue {
    let is_zero = value == MappedValue::Constant(false);
    assert!(!shifts || is_zero, "ones are not shifted");
    value
}

/// A function without constant, repeated and unused inputs, or the value that it
/// comes down to.
fn clean(mut table: u8, inputs: [MappedValue; 3]) -> Result<MappedValue, Function> {
    let variables = [A, B, C];
    for variable in 0..3 {
        if let MappedValue::Constant(value) = inputs[variable] {
            table = table::hold(table, variable, value);
        }
        for earlier in 0..variable {
            if inputs[earlier] == inputs[variable] {
                let both = |value| table::hold(table::hold(table, variable, value), earlier, value);
                let select = variables[earlier];
                table = both(true) & select | both(false) & !select;
            }
        }
    }
    // Variables that are read come first.
    let mut order = [0, 1, 2];
    order.sort_by_key(|&variable| !table::depends(table, variable));
    let arity = (0..3)
        .filter(|&variable| table::depends(table, variable))
        .count();
    let mut to = [0; 3];
    let mut kept = [MappedValue::Constant(false); 3];
    for (at, &variable) in order.iter().enumerate() {
        to[variable] = at;
        if at < arity {
            kept[at] = inputs[variable];
        }
    }
    let table = table::place(table, to);
    match arity {
        0 => Ok(MappedValue::Constant(table & 1 == 1)),
        1 if table == A => Ok(kept[0]),
        _ => Err(Function {
            operator: Operator::Table(table),
            inputs: kept,
            arity: arity as u8,
        }),
    }
}

/// For each function, true when it is kept inverted.
fn signs(lowered: &Lowered) -> Vec<bool> {
    let functions = &lowered.functions;
    let mut readers: Vec<Vec<u32>> = vec![Vec::new(); functions.len()];
    for (index, function) in functions.iter().enumerate() {
        for input in function.inputs() {
            if let MappedValue::Function(input) = *input {
                readers[input as usize].push(index as u32);
            }
        }
    }
    let mut sinks = vec![false; functions.len()];
    let read = lowered.sinks.iter().map(|(value, _)| value);
    for value in read.chain(&lowered.guard) {
        if let MappedValue::Function(index) = *value {
            sinks[index as usize] = true;
        }
    }
    let pairs = PairExpressions::get();
    // Words are moved as they are: zeros come in where they are shifted.
    let mut is_moved = vec![false; functions.len()];
    for function in functions {
        if matches!(function.operator, Operator::Table(_)) {
            continue;
        }
        for input in function.inputs() {
            if let MappedValue::Function(input) = *input {
                is_moved[input as usize] = true;
            }
        }
    }
    let mut inverted = vec![false; functions.len()];
    let around = |inverted: &[bool], index: usize| -> u32 {
        let own = std::iter::once(index as u32);
        let cost = own.chain(readers[index].iter().copied()).map(|function| {
            signed(functions, inverted, function as usize)
                .map_or(0, |table| u32::from(pairs.cost[table as usize]))
        });
        // An inversion takes the constant, too.
        cost.sum::<u32>()
            + if sinks[index] && inverted[index] {
                2
            } else {
                0
            }
    };
    for _ in 0..ROUNDS {
        for index in 0..functions.len() {
            if !matches!(functions[index].operator, Operator::Table(_)) || is_moved[index] {
                continue;
            }
            let before = around(&inverted, index);
            inverted[index] ^= true;
            if around(&inverted, index) >= before {
                inverted[index] ^= true;
            }
        }
    }
    inverted
}

/// The table of a function over its inputs as they are kept, giving the result
/// as it is kept; `None` for what moves values, which are kept as they are.
fn signed(functions: &[Function], inverted: &[bool], index: usize) -> Option<u8> {
    let function = &functions[index];
    let Operator::Table(mut table) = function.operator else {
        return None;
    };
    for (variable, input) in function.inputs().iter().enumerate() {
        if let MappedValue::Function(input) = *input
            && inverted[input as usize]
        {
            table = table::flip(table, variable);
        }
    }
    Some(if inverted[index] { !table } else { table })
}

/// Writes all functions as two-input instructions and inversions.
fn in_pairs(lowered: &mut Lowered) {
    let inverted = signs(lowered);
    let mut made = Made::default();
    let mut result: Vec<MappedValue> = Vec::with_capacity(inverted.len());
    let of = |result: &[MappedValue], value: MappedValue| match value {
        MappedValue::Function(index) => result[index as usize],
        value => value,
    };
    for (index, function) in lowered.functions.iter().enumerate() {
        let inputs = function.inputs.map(|input| of(&result, input));
        result.push(match signed(&lowered.functions, &inverted, index) {
            Some(table) => made.expression(table, &inputs),
            None => made.moved(Function {
                inputs,
                ..*function
            }),
        });
    }
    let read = lowered.sinks.iter_mut().map(|(value, _)| value);
    for value in read.chain(&mut lowered.guard) {
        *value = match *value {
            MappedValue::Function(index) if inverted[index as usize] => {
                made.function(Function::of_one(!A, result[index as usize]))
            }
            value => of(&result, value),
        };
    }
    lowered.functions = made.functions;
}

/// Functions as they are made; equal ones are one.
#[derive(Default)]
struct Made {
    functions: Vec<Function>,
    known: BTreeMap<Function, u32>,
}

impl Made {
    fn function(&mut self, function: Function) -> MappedValue {
        let functions = &mut self.functions;
        let index = *self.known.entry(function).or_insert_with(|| {
            functions.push(function);
            functions.len() as u32 - 1
        });
        MappedValue::Function(index)
    }

    /// A function that moves words. Equal functions may have shown that these are all alike.
    fn moved(&mut self, function: Function) -> MappedValue {
        let moved = match function.operator {
            Operator::Wordwise(Wordwise::Order) => function.inputs[1],
            _ => function.inputs[0],
        };
        if !matches!(moved, MappedValue::Constant(_)) {
            return self.function(function);
        }
        let shifts = matches!(
            function.operator,
            Operator::Wordwise(Wordwise::Left | Wordwise::Right)
                | Operator::Motion(Motion::Left(_) | Motion::Right(_))
        );
        constant_moved(moved, shifts)
    }

    /// The value of the cheapest expression of a table. It recurses as deep as
    /// the expression is, which is a few instructions.
    fn expression(&mut self, wanted: u8, inputs: &[MappedValue; 3]) -> MappedValue {
        let Some((pair, a, b)) = PairExpressions::get().last[wanted as usize] else {
            return match wanted {
                A => inputs[0],
                B => inputs[1],
                C => inputs[2],
                constant => MappedValue::Constant(constant == 0xff),
            };
        };
        let (a, b) = (self.expression(a, inputs), self.expression(b, inputs));
        let (a, b) = match pair {
            PairInstruction::AndNot => (a, b),
            _ => (a.min(b), a.max(b)),
        };
        match clean(pair.of(A, B), [a, b, MappedValue::Constant(false)]) {
            Ok(value) => value,
            Err(function) => self.function(function),
        }
    }
}
