//! The compiled program of a module: operations on lane words.
//!
//! A program works on a *frame* of slots, each one lane word wide. Slot 0 is 0, the
//! next ones are the module's inputs, then the registers' values, then
//! results ([`Operations`]).
//!
//! The operations are those that cover the netlist with the fewest functions of three inputs
//! ([`Mapped`]); two that make one of four operands are joined afterwards.

use super::code::{Code, OPERANDS_MAX, VARIABLES};
use super::operations::{Functions, Literal, Operations, SignedSlot};
use crosswave_netlist::{Leaf, LeafSource, Library, Lut, Mapped, MappedValue, table};

/// An input bit that the program reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Port name.
    pub port: String,
    /// Bit of the port.
    pub bit: usize,
    /// Its slot in the frame.
    pub slot: u32,
}

/// The compiled program of a module.
#[derive(Debug, Clone)]
pub struct Program {
    /// Input bits that are read.
    pub inputs: Vec<Input>,
    /// Slot of each register's value.
    pub register_slots: Vec<u32>,
    /// The next value of each register, taken at the clock edge.
    pub next: Vec<SignedSlot>,
    /// The operations, which are one class.
    pub operations: Operations,
}

/// The codes that compute a function of up to three inputs, and its tables as [`Lut`] has them.
fn tables() -> Vec<u8> {
    let inputs = [table::A, table::B, table::C, 0].map(u64::from);
    let codes = Code::ALL
        .iter()
        .filter(|code| code.operands() < OPERANDS_MAX);
    codes.map(|code| code.compute(inputs) as u8).collect()
}

/// Adds a function of three inputs or fewer.
fn function(
    functions: &mut Functions,
    lut: &Lut,
    value: impl Fn(MappedValue) -> Literal,
) -> Literal {
    let [a, b, c, _] = VARIABLES.map(u64::from);
    let inputs: Vec<Literal> = (0..3)
        .filter(|&variable| table::depends(lut.table, variable))
        .map(|variable| value(lut.inputs[variable]))
        .collect();
    functions.function(table::evaluate(lut.table, [a, b, c]) as u16, &inputs, 0)
}

impl Program {
    /// Compiles a module; what its outputs show is left to the caller.
    pub fn compile(leaf: &Leaf) -> Program {
        let mapped = Mapped::new(leaf, &Library::of(&tables()));
        let mut functions = Functions::default();
        let mut leaves = Vec::with_capacity(mapped.leaves.len());
        let mut read = Vec::new();
        for source in &mapped.leaves {
            if let LeafSource::Input { port, bit } = source {
                let literal = functions.leaf();
                leaves.push(literal);
                read.push((port.clone(), *bit, literal));
            }
        }
        let registers: Vec<Literal> = leaf.registers.iter().map(|_| functions.leaf()).collect();
        for source in &mapped.leaves {
            if let LeafSource::Register(register) = *source {
                leaves.push(registers[register]);
            }
        }
        let mut results: Vec<Literal> = Vec::with_capacity(mapped.functions.len());
        let literal = |results: &[Literal], value| match value {
            MappedValue::Constant(one) => Literal::ZERO.invert_if(one),
            MappedValue::Leaf(leaf) => leaves[leaf as usize],
            MappedValue::Function(function) => results[function as usize],
        };
        for lut in &mapped.functions {
            let result = function(&mut functions, lut, |value| literal(&results, value));
            results.push(result);
        }
        let next = mapped.next.iter().map(|&value| literal(&results, value));
        let next: Vec<Literal> = next.collect();
        let (operations, places) = functions.assemble(1, next.iter().copied());
        let inputs = read.into_iter().map(|(port, bit, literal)| Input {
            port,
            bit,
            slot: places.of(literal).slot,
        });
        Program {
            inputs: inputs.collect(),
            register_slots: registers.iter().map(|&one| places.of(one).slot).collect(),
            next: next.iter().map(|&literal| places.of(literal)).collect(),
            operations,
        }
    }
}
