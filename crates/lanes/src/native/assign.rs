//! Registers and instructions for an ordered program.
//!
//! A value whose register is needed gives way when its next use is furthest away
//! (Belady, IBM Systems Journal 1966), those that memory holds anyway first: a leaf
//! is read again, the result of a function is spilled to the scratch region. An
//! operand that is not in a register is folded into the instruction, if it is the
//! only such one. `vpternlog` overwrites an operand: the one that dies, with the
//! table permuted to suit, or a copy if none does.

use super::Isa;
use super::lower::{Function, Lowered, Operator, Wordwise};
use super::progress::CodeStep;
use crate::straight::{Location, Motion};
use crosswave_netlist::table::{self, A};
use crosswave_netlist::{MappedValue, PairInstruction};

/// The region of spilled values.
pub const SCRATCH: u8 = u8::MAX;

/// Extra distance that the next use of a value that would be spilled must have, for it to give way
/// before one that would only be read again.
const SPILL_WEIGHT: usize = 3;

/// The last operand of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    /// A register.
    Register(u8),
    /// Memory.
    Memory(Location),
}

/// An instruction. The first register is the one that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Reads memory.
    Load(u8, Location),
    /// Writes memory.
    Store(Location, u8),
    /// Copies a register.
    Copy(u8, u8),
    /// The table over the register that is written, a register and an operand.
    Ternary(u8, u8, u8, Operand),
    /// A two-input instruction.
    Pair(PairInstruction, u8, u8, Operand),
    /// Words of a register, to which something is done by those of an operand.
    Wordwise(Wordwise, u8, u8, Operand),
    /// Words of a register, moved by a number of the instruction.
    Motion(Motion, u8, u8),
    /// A constant.
    Constant(u8, bool),
    /// Ends here, unless a register is 0.
    Guard(u8),
}

/// Capabilities of a target's registers.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The instruction set.
    pub isa: Isa,
    /// True when memory operands are as wide as registers.
    pub folds: bool,
}

impl Target {
    fn registers(self) -> usize {
        match self.isa {
            Isa::Avx512 => 32,
            Isa::Avx2 => 16,
        }
    }
}

const NEVER: u32 = u32::MAX;
const NONE: u32 = u32::MAX;

/// A value: the number of a leaf, or of a function after all leaves.
type Id = u32;

struct Assign<'a> {
    lowered: &'a Lowered,
    target: Target,
    ops: Vec<Op>,
    /// The step that is being done.
    now: u32,
    /// Steps at which value `v` is used: `uses[starts[v]..starts[v + 1]]`.
    uses: Vec<u32>,
    starts: Vec<u32>,
    /// The next of these that is to come.
    cursor: Vec<u32>,
    /// The value that each register holds.
    holds: Vec<Option<Id>>,
    register: Vec<Option<u8>>,
    /// Scratch plane of a spilled value.
    spilled: Vec<u32>,
    free_planes: Vec<u32>,
    planes: u32,
}

/// The instructions of an ordered program.
pub fn assign(lowered: &Lowered, steps: &[CodeStep], target: Target) -> Vec<Op> {
    let mut assign = Assign::new(lowered, steps, target);
    for (now, &step) in (0..).zip(steps) {
        assign.now = now;
        match step {
            CodeStep::Compute(function) => assign.compute(function),
            CodeStep::Store(sink) => assign.store(sink),
            CodeStep::Guard => assign.guard(),
        }
    }
    assign.ops
}

impl<'a> Assign<'a> {
    fn new(lowered: &'a Lowered, steps: &[CodeStep], target: Target) -> Assign<'a> {
        let leaves = lowered.leaves.len();
        let values = leaves + lowered.functions.len();
        let id = |value: MappedValue| match value {
            MappedValue::Constant(_) => None,
            MappedValue::Leaf(leaf) => Some(leaf as usize),
            MappedValue::Function(function) => Some(leaves + function as usize),
        };
        let read = |step: CodeStep| -> smallvec::SmallVec<[usize; 3]> {
            match step {
                CodeStep::Compute(function) => lowered.functions[function as usize]
                    .inputs()
                    .iter()
                    .filter_map(|&input| id(input))
                    .collect(),
                CodeStep::Store(sink) => id(lowered.sinks[sink as usize].0).into_iter().collect(),
                CodeStep::Guard => lowered.guard.and_then(id).into_iter().collect(),
            }
        };
        let mut starts = vec![0; values + 1];
        for &step in steps {
            read(step)
                .into_iter()
                .for_each(|value| starts[value + 1] += 1);
        }
        for value in 0..values {
            starts[value + 1] += starts[value];
        }
        let mut fill = starts.clone();
        let mut uses = vec![0; starts[values] as usize];
        for (at, &step) in steps.iter().enumerate() {
            for value in read(step) {
                uses[fill[value] as usize] = at as u32;
                fill[value] += 1;
            }
        }
        Assign {
            lowered,
            target,
            ops: Vec::with_capacity(2 * steps.len()),
            now: 0,
            uses,
            cursor: starts[..values].to_vec(),
            starts,
            holds: vec![None; target.registers()],
            register: vec![None; values],
            spilled: vec![NONE; values],
            free_planes: Vec::new(),
            planes: 0,
        }
    }

    fn leaves(&self) -> u32 {
        self.lowered.leaves.len() as u32
    }

    fn id(&self, value: MappedValue) -> Id {
        match value {
            MappedValue::Leaf(leaf) => leaf,
            MappedValue::Function(function) => self.leaves() + function,
            MappedValue::Constant(_) => unreachable!("no function reads a constant"),
        }
    }

    /// The step of the next use.
    fn next_use(&self, id: Id) -> u32 {
        let at = self.cursor[id as usize];
        if at < self.starts[id as usize + 1] {
            self.uses[at as usize]
        } else {
            NEVER
        }
    }

    fn dies(&self, id: Id) -> bool {
        self.next_use(id) == NEVER
    }

    /// The place of a value in memory, if it has one.
    fn memory(&self, id: Id) -> Option<Location> {
        if id < self.leaves() {
            return Some(self.lowered.leaves[id as usize]);
        }
        let plane = self.spilled[id as usize];
        (plane != NONE).then_some(Location {
            region: SCRATCH,
            plane,
        })
    }

    fn home(&self, id: Id) -> Location {
        self.memory(id)
            .expect("a value is in a register or in memory")
    }

    /// A register for something new, none of `pinned`.
    fn take(&mut self, pinned: &[u8]) -> u8 {
        if let Some(free) = self.holds.iter().position(Option::is_none) {
            // A free register is never pinned: what is pinned holds a value.
            return free as u8;
        }
        let mut best = (0, 0);
        for (register, held) in self.holds.iter().enumerate() {
            let Some(id) = *held else { continue };
            if pinned.contains(&(register as u8)) {
                continue;
            }
            let mut distance = (self.next_use(id) - self.now) as usize;
            if self.memory(id).is_some() {
                distance *= SPILL_WEIGHT;
            }
            if distance >= best.0 {
                best = (distance, register as u8);
            }
        }
        let register = best.1;
        if let Some(id) = self.holds[register as usize].take() {
            self.register[id as usize] = None;
            if self.memory(id).is_none() {
                let plane = self.free_planes.pop().unwrap_or_else(|| {
                    self.planes += 1;
                    self.planes - 1
                });
                self.spilled[id as usize] = plane;
                self.ops.push(Op::Store(self.home(id), register));
            }
        }
        register
    }

    fn hold(&mut self, register: u8, id: Id) {
        self.holds[register as usize] = Some(id);
        self.register[id as usize] = Some(register);
    }

    /// Gives up what holds a value that is not used any more.
    fn release(&mut self, id: Id) {
        if !self.dies(id) {
            return;
        }
        if let Some(register) = self.register[id as usize].take() {
            self.holds[register as usize] = None;
        }
        if id >= self.leaves() && self.spilled[id as usize] != NONE {
            self.free_planes.push(self.spilled[id as usize]);
            self.spilled[id as usize] = NONE;
        }
    }

    /// Chooses which of the values that are not in registers the instruction itself reads from
    /// memory: the one whose next use is furthest, unless it had better stay in a register.
    fn fold(&self, missing: &[Id]) -> Option<Id> {
        let furthest = missing
            .iter()
            .copied()
            .max_by_key(|&id| self.next_use(id))?;
        if !self.target.folds {
            return None;
        }
        let next = self.next_use(furthest);
        let gives_way = |held: &Option<Id>| match *held {
            None => true,
            Some(id) => self.memory(id).is_some() && self.next_use(id) > next,
        };
        (next == NEVER || !self.holds.iter().any(gives_way)).then_some(furthest)
    }

    fn compute(&mut self, number: u32) {
        let function = self.lowered.functions[number as usize];
        let ids: smallvec::SmallVec<[Id; 3]> = function
            .inputs()
            .iter()
            .map(|&input| self.id(input))
            .collect();
        ids.iter().for_each(|&id| self.cursor[id as usize] += 1);
        let pair = pair(&function);
        // For a shift only the number can be in memory; without `vpternlog`, for AND NOT only the
        // plain operand.
        let foldable = |at: usize| match function.operator {
            Operator::Wordwise(_) => at == 1,
            Operator::Motion(_) => false,
            Operator::Table(_) => {
                self.target.isa == Isa::Avx512
                    || pair.is_none_or(|(_, first)| pair_folds(pair, first, at))
            }
        };
        let missing: smallvec::SmallVec<[Id; 3]> = (0..ids.len())
            .filter(|&at| self.register[ids[at] as usize].is_none() && foldable(at))
            .map(|at| ids[at])
            .collect();
        let fold = self.fold(&missing);
        let mut pinned: smallvec::SmallVec<[u8; 4]> = ids
            .iter()
            .filter_map(|&id| self.register[id as usize])
            .collect();
        for &id in &ids {
            if self.register[id as usize].is_none() && fold != Some(id) {
                let register = self.take(&pinned);
                self.ops.push(Op::Load(register, self.home(id)));
                self.hold(register, id);
                pinned.push(register);
            }
        }
        let to = match (function.operator, &ids[..]) {
            (Operator::Wordwise(operation), &[value, by, ..]) => {
                self.wordwise(operation, [value, by], &pinned)
            }
            (Operator::Motion(motion), &[id]) => {
                let to = self.result(&[id], &pinned);
                let from = self.register[id as usize].expect("it has been loaded");
                self.ops.push(Op::Motion(motion, to, from));
                to
            }
            (Operator::Table(table), &[id]) => self.one(table, id, &pinned),
            (Operator::Table(table), &[a, b]) => self.two(table, pair, [a, b], &pinned),
            (Operator::Table(table), &[a, b, c]) => self.three(table, [a, b, c], fold, &pinned),
            _ => unreachable!("a function has one to three inputs, a shift two, a motion one"),
        };
        ids.iter().for_each(|&id| self.release(id));
        self.hold(to, self.leaves() + number);
    }

    /// The register of an operand that dies, or a new one.
    fn result(&mut self, ids: &[Id], pinned: &[u8]) -> u8 {
        let dying = ids
            .iter()
            .find_map(|&id| self.register[id as usize].filter(|_| self.dies(id)));
        dying.unwrap_or_else(|| self.take(pinned))
    }

    fn operand(&self, id: Id) -> Operand {
        match self.register[id as usize] {
            Some(register) => Operand::Register(register),
            None => Operand::Memory(self.home(id)),
        }
    }

    fn wordwise(&mut self, operation: Wordwise, ids: [Id; 2], pinned: &[u8]) -> u8 {
        let to = self.result(&ids, pinned);
        let [Operand::Register(value), by] = ids.map(|id| self.operand(id)) else {
            unreachable!("what is moved is in a register")
        };
        self.ops.push(Op::Wordwise(operation, to, value, by));
        to
    }

    fn one(&mut self, table: u8, id: Id, pinned: &[u8]) -> u8 {
        if table == A {
            return match (self.register[id as usize], self.dies(id)) {
                (Some(register), true) => register,
                (Some(register), false) => {
                    let to = self.take(pinned);
                    self.ops.push(Op::Copy(to, register));
                    to
                }
                (None, _) => {
                    let to = self.take(pinned);
                    self.ops.push(Op::Load(to, self.home(id)));
                    to
                }
            };
        }
        let operand = self.operand(id);
        if self.target.isa == Isa::Avx512 {
            let to = self.result(&[id], pinned);
            self.ops.push(Op::Ternary(!table::C, to, to, operand));
            return to;
        }
        let to = self.take(pinned);
        self.ops.push(Op::Constant(to, true));
        self.ops
            .push(Op::Pair(PairInstruction::Xor, to, to, operand));
        to
    }

    fn two(
        &mut self,
        table: u8,
        pair: Option<(PairInstruction, usize)>,
        ids: [Id; 2],
        pinned: &[u8],
    ) -> u8 {
        let to = self.result(&ids, pinned);
        let operands = ids.map(|id| self.operand(id));
        if let Some((pair, first)) = pair {
            let commutes = pair != PairInstruction::AndNot;
            let plain = first;
            for first in [first, 1 - first] {
                if let Operand::Register(a) = operands[first]
                    && (commutes || first == plain)
                {
                    self.ops.push(Op::Pair(pair, to, a, operands[1 - first]));
                    return to;
                }
            }
        }
        let (b, c, places) = match operands {
            [Operand::Register(b), c] => (b, c, [1, 2, 0]),
            [c, Operand::Register(b)] => (b, c, [2, 1, 0]),
            _ => unreachable!("at most one operand is in memory"),
        };
        let table = table::place(table, places);
        self.ops.push(Op::Ternary(table, to, b, c));
        to
    }

    fn three(&mut self, table: u8, ids: [Id; 3], fold: Option<Id>, pinned: &[u8]) -> u8 {
        // The operand that is overwritten, and the register it is in.
        let register = |at: usize| self.register[ids[at] as usize];
        let dying = (0..3).find(|&at| register(at).is_some() && self.dies(ids[at]));
        let folded = (0..3).find(|&at| fold == Some(ids[at]));
        let (first, to) = match (dying, folded) {
            (Some(at), _) => (at, register(at).expect("it is in a register")),
            (None, Some(at)) => {
                let to = self.take(pinned);
                self.ops.push(Op::Load(to, self.home(ids[at])));
                (at, to)
            }
            (None, None) => {
                let from = register(0).expect("all operands are in registers");
                let to = self.take(pinned);
                self.ops.push(Op::Copy(to, from));
                (0, to)
            }
        };
        let last = folded.filter(|&at| at != first);
        let last = last.unwrap_or(if first == 2 { 1 } else { 2 });
        let middle = 3 - first - last;
        let mut places = [0; 3];
        places[middle] = 1;
        places[last] = 2;
        let Operand::Register(b) = self.operand(ids[middle]) else {
            unreachable!("at most one operand is in memory")
        };
        let c = self.operand(ids[last]);
        self.ops
            .push(Op::Ternary(table::place(table, places), to, b, c));
        to
    }

    fn store(&mut self, sink: u32) {
        let (value, place) = self.lowered.sinks[sink as usize];
        self.read(value, |register| Op::Store(place, register));
    }

    fn guard(&mut self) {
        let guard = self.lowered.guard.expect("there is a guard");
        self.read(guard, Op::Guard);
    }

    /// An instruction that only reads a value, from a register.
    fn read(&mut self, value: MappedValue, op: impl Fn(u8) -> Op) {
        if let MappedValue::Constant(value) = value {
            let register = self.take(&[]);
            self.ops.push(Op::Constant(register, value));
            self.ops.push(op(register));
            return;
        }
        let id = self.id(value);
        self.cursor[id as usize] += 1;
        let register = self.register[id as usize].unwrap_or_else(|| {
            let register = self.take(&[]);
            self.ops.push(Op::Load(register, self.home(id)));
            self.hold(register, id);
            register
        });
        self.ops.push(op(register));
        self.release(id);
    }
}

/// The instruction that computes a function of two inputs, and which of them is
/// its first operand.
fn pair(function: &Function) -> Option<(PairInstruction, usize)> {
    let Operator::Table(table) = function.operator else {
        return None;
    };
    if function.arity != 2 {
        return None;
    }
    PairInstruction::ALL
        .into_iter()
        .find_map(|pair| match table {
            found if found == pair.of(A, table::B) => Some((pair, 0)),
            found if found == pair.of(table::B, A) => Some((pair, 1)),
            _ => None,
        })
}

/// True when operand `at` of a pair instruction may be in memory.
fn pair_folds(pair: Option<(PairInstruction, usize)>, first: usize, at: usize) -> bool {
    at != first || !matches!(pair, Some((PairInstruction::AndNot, _)))
}
