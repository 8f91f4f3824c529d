//! The operations of an array as machine code, by the code generator of the gate engine.
//!
//! Each class of gates is a straight-line program over the frame, which is read and written in place:
//! what other classes, registers or observers read is written, and all else stays in machine registers. The
//! clock edge is one more such program. An operation of four operands is two functions.

use std::collections::BTreeMap;

use super::program::Program;
use crosswave_lanes::code::Code;
use crosswave_lanes::native::{Isa, Native, NativeOptions};
use crosswave_lanes::operations::Operations;
use crosswave_lanes::straight::{Location, STATE, StraightLine};
use crosswave_netlist::table::{A, B, C};
use crosswave_netlist::{Lut, MappedValue};

/// Truth table of a function that gives its first input, complemented.
const NOT: u8 = 0x0F;

/// Operations of an array from which its code is slower than carrying them out, with slots of one or two
/// words. Code of so many does not fit the caches, and comes from memory slower than operands do: a systolic
/// array of 1.2 million cells, flat, takes twice as long for one run, and half as long for 512 (two cores of
/// an EPYC with 32 MiB); one of 460,000 cells takes less for both.
const OPERATIONS_MAX: usize = 1 << 19;
/// Words of a slot from which code is worth it whatever its length.
const WIDTH_WIDE: usize = 4;

/// Machine code of an array.
#[derive(Debug)]
pub(super) struct Compiled {
    classes: Vec<Native>,
    edge: Native,
}

impl Compiled {
    /// Compiles a program for frames of `width` words a slot; `None` when this machine cannot run it, or
    /// carries the operations out sooner.
    pub fn new(program: &Program, isa: Isa, width: usize) -> Option<Compiled> {
        let operations: usize = program.operations.counts.iter().sum();
        if width < WIDTH_WIDE && operations > OPERATIONS_MAX {
            return None;
        }
        let options = NativeOptions::new(isa, width);
        let native = |straight: StraightLine| Native::new(&straight, options).ok();
        let classes = (0..program.operations.classes.len())
            .map(|class| native(settling(&program.operations, class)));
        Some(Compiled {
            classes: classes.collect::<Option<_>>()?,
            edge: native(edge(program))?,
        })
    }

    /// Evaluates a class of gates on a frame.
    #[inline]
    pub fn settle(&self, class: usize, frame: &mut [u64], scratch: &mut [u64]) {
        self.classes[class].run(frame, &mut [], [], scratch);
    }

    /// Takes the clock edge of a frame.
    #[inline]
    pub fn edge(&self, frame: &mut [u64], scratch: &mut [u64]) {
        self.edge.run(frame, &mut [], [], scratch);
    }

    /// Words of scratch memory that it needs.
    pub fn scratch_words(&self) -> usize {
        let programs = self.classes.iter().chain([&self.edge]);
        programs.map(Native::scratch_words).max().unwrap_or(0)
    }
}

/// A slot as a plane of the frame.
fn location(slot: u32) -> Location {
    Location {
        region: STATE,
        plane: slot,
    }
}

/// A program as it is written, and what each slot holds so far.
#[derive(Default)]
struct Writer {
    straight: StraightLine,
    held: BTreeMap<u32, MappedValue>,
}

impl Writer {
    fn read(&mut self, slot: u32) -> MappedValue {
        let leaves = &mut self.straight.leaves;
        *self.held.entry(slot).or_insert_with(|| {
            leaves.push(location(slot));
            MappedValue::Leaf(leaves.len() as u32 - 1)
        })
    }

    /// A function of up to three values.
    fn function(&mut self, table: u8, values: &[MappedValue]) -> MappedValue {
        let mut inputs = [MappedValue::Constant(false); 3];
        inputs[..values.len()].copy_from_slice(values);
        self.straight.functions.push(Lut { table, inputs });
        MappedValue::Function(self.straight.functions.len() as u32 - 1)
    }
}

/// The truth table of a code of two or three operands, as functions of machine code have it.
fn table(code: Code) -> u8 {
    code.compute([A, B, C, 0].map(u64::from)) as u8
}

/// The gates of a class.
fn settling(operations: &Operations, class: usize) -> StraightLine {
    let mut writer = Writer::default();
    for run in &operations.classes[class] {
        let count = run.code.operands();
        let (first, second) = match run.code.split() {
            None => (table(run.code), None),
            Some((product, sum)) => (table(product), Some(table(sum))),
        };
        for operation in operations.stream[run.operands.clone()].chunks_exact(count + 1) {
            let (operands, target) = (&operation[..count], operation[count]);
            let values: Vec<MappedValue> = operands.iter().map(|&slot| writer.read(slot)).collect();
            let value = match second {
                None => writer.function(first, &values),
                Some(sum) => {
                    let product = writer.function(first, &values[..2]);
                    writer.function(sum, &[values[2], values[3], product])
                }
            };
            writer.held.insert(target, value);
            if operations.kept[target as usize] {
                writer.straight.sinks.push((value, location(target)));
            }
        }
    }
    writer.straight
}

/// The clock edge.
fn edge(program: &Program) -> StraightLine {
    let mut writer = Writer::default();
    for (&register, next) in program.registers.iter().zip(&program.next) {
        let inverted = next.flip != 0;
        let value = match next.slot {
            0 => MappedValue::Constant(inverted),
            slot => {
                let value = writer.read(slot);
                match inverted {
                    true => writer.function(NOT, &[value]),
                    false => value,
                }
            }
        };
        writer.straight.sinks.push((value, location(register)));
    }
    writer.straight
}
