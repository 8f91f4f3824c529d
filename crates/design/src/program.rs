//! The program of an array: its gates as operations, class by class.
//!
//! Gates are taken as they are, each as a function of its inputs: they were cut into classes by when
//! these arrive, so that a module is not covered anew. What the interpreter makes of them is the same for
//! all programs ([`operations`](crosswave_lanes::operations)).

use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::elaborate::{Array, nets_read};
use super::memories::ArrayMemory;
use super::settle::ArraySchedule;
use crosswave_lanes::operations::{Functions, Literal, Operations, SignedSlot};
use crosswave_netlist::{Bit, Function, NetId};

/// The operations of an array.
#[derive(Debug, Clone, Default)]
pub(super) struct Program {
    /// The operations.
    pub operations: Operations,
    /// Slot of each input, in the order of [`Array::inputs`].
    pub inputs: Vec<u32>,
    /// Slot of each register.
    pub registers: Vec<u32>,
    /// The next value of each register.
    pub next: Vec<SignedSlot>,
    /// Slot of each net that a memory drives and something reads, by net.
    memory: BTreeMap<NetId, u32>,
    /// The places of the nets that were asked for, by net; others may lie anywhere.
    places: Vec<Option<SignedSlot>>,
}

/// The truth table of a gate's function for rows of four inputs, of which it has the first.
fn table(function: Function) -> u16 {
    let rows = 1 << function.arity();
    (0..16).fold(0, |table, row| {
        table | (function.table() >> (row % rows) & 1) << row
    })
}

/// The value of a bit; nets that nothing drives are 0.
fn literal(nets: &[Option<Literal>], bit: Bit) -> Literal {
    match bit {
        Bit::Zero | Bit::X => Literal::ZERO,
        Bit::One => !Literal::ZERO,
        Bit::Net(net) => nets[net.index()].unwrap_or(Literal::ZERO),
    }
}

impl Program {
    /// Compiles the gates of an array. Nets of `observed` and linked nets get places.
    pub fn compile(array: &Array, schedule: &ArraySchedule, observed: &[NetId]) -> Program {
        let leaf = &array.leaf;
        let mut functions = Functions::default();
        let mut nets: Vec<Option<Literal>> = vec![None; leaf.nets()];
        let registers = leaf.registers.iter().map(|register| register.q);
        for net in array.inputs.iter().copied().chain(registers) {
            nets[net.index()] = Some(functions.leaf());
        }
        // Behind the registers, so that these take what is read as they take results.
        let is_read = nets_read(leaf);
        let mut of_memories = Vec::new();
        for net in array
            .reads()
            .flat_map(|read| &read.data)
            .filter_map(|bit| bit.net())
        {
            if is_read[net.index()] {
                nets[net.index()] = Some(functions.leaf());
                of_memories.push(net);
            }
        }

        // Gates in order of class, each class in level order.
        let mut order: Vec<u32> = (0..leaf.gates.len() as u32).collect();
        order.sort_by_key(|&gate| schedule.class_of[gate as usize]);
        for gate in order {
            let class = schedule.class_of[gate as usize];
            let gate = &leaf.gates[gate as usize];
            let inputs = gate.inputs.iter().map(|&bit| literal(&nets, bit));
            let inputs: SmallVec<[Literal; 4]> = inputs.collect();
            let value = functions.function(table(gate.function), &inputs, class);
            nets[gate.output.index()] = Some(value);
        }
        let next = leaf.registers.iter();
        let next: Vec<Literal> = next.map(|register| literal(&nets, register.data)).collect();
        let asked_of_memories: Vec<NetId> = array
            .memories
            .iter()
            .flat_map(ArrayMemory::asked)
            .filter_map(|bit| bit.net())
            .collect();
        let seen = observed
            .iter()
            .chain(&schedule.linked)
            .chain(&asked_of_memories);
        let seen = seen.map(|&net| literal(&nets, Bit::Net(net)));
        let wanted = next.iter().copied().chain(seen);
        let (operations, values) = functions.assemble(schedule.classes(), wanted);
        let mut places = vec![None; leaf.nets()];
        let asked = observed.iter().chain(&schedule.linked).chain(&array.inputs);
        let asked = asked.chain(&asked_of_memories);
        for &net in asked.chain(leaf.registers.iter().map(|register| &register.q)) {
            places[net.index()] = Some(values.of(literal(&nets, Bit::Net(net))));
        }
        let slot = |net: NetId| values.of(literal(&nets, Bit::Net(net))).slot;
        Program {
            operations,
            inputs: array.inputs.iter().map(|&net| slot(net)).collect(),
            registers: leaf
                .registers
                .iter()
                .map(|register| slot(register.q))
                .collect(),
            next: next.into_iter().map(|literal| values.of(literal)).collect(),
            memory: of_memories.iter().map(|&net| (net, slot(net))).collect(),
            places,
        }
    }

    /// The slot of a net that a memory drives; `None` when nothing reads it.
    pub fn memory_slot(&self, bit: Bit) -> Option<u32> {
        self.memory.get(&bit.net()?).copied()
    }

    /// The place of a bit that [`Program::compile`] was asked to observe, or that is linked, an
    /// input or a register.
    pub fn place(&self, bit: Bit) -> SignedSlot {
        let flip = |value: bool| if value { u64::MAX } else { 0 };
        match bit {
            Bit::Net(net) => self.places[net.index()].expect("the net was asked for"),
            constant => SignedSlot {
                slot: 0,
                flip: flip(constant == Bit::One),
            },
        }
    }
}
