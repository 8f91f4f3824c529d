//! Gate netlists: how they are read, checked, shown and simplified.
//!
//! | to | see |
//! |---|---|
//! | know what a netlist is | [`Design`], [`Module`], [`Cell`], [`Bit`], [`Function`] |
//! | read what Yosys wrote | [`yosys::read`] |
//! | write or read one by hand | [`text`] |
//! | know what holds of one that was read | [`check()`] |
//! | order gates for evaluation | [`levelise()`] |
//! | evaluate one net by net, slowly and plainly | [`Evaluation`] |
//! | make every flip-flop a plain one | [`lower_flops`], [`lower_both_edges`] |
//! | tie inputs and simplify | [`fold()`] |
//! | replace instances by what their modules hold | [`flatten()`], [`DesignHierarchy`] |
//! | compute with X as well | [`four_state()`] |
//! | have all outputs come from flip-flops | [`register_outputs`], [`mealy`] |
//! | have memories as gates, or beside the module | [`memories_as_gates`], [`cut_memories`], [`join_memories`] |
//! | note which nets have changed | [`watch`] |
//! | break one on demand | [`faults`] |
//! | prove that a fault changes nothing | [`redundant`] |
//! | find inputs that bring a net to a value | [`reach`] |
//! | hand a module to an engine | [`Leaf`], which does the three above |
//! | cover its gates with functions of three inputs | [`Mapped`] |
//! | carry one in a program | [`packed`] |
//! | count gates and levels | [`Statistics`] |
//!
//! The readers are the untrusted edge: they return an error with every mistake
//! and its place. The passes are the trusted core: they take what the readers (or
//! [`check()`]) let through. No pass changes what a module does at its ports.
//!
//! Absent on purpose: latches, tristate nets and word-level cells other than memories (the
//! reader names the Yosys pass that removes them); values other than 0 and 1
//! (a constant X reads as 0, except in what [`four_state()`] makes); delays.

mod check;
mod evaluation;
mod falling;
pub mod faults;
mod findings;
mod flatten;
mod fold;
mod four_state;
mod function;
mod leaf;
mod levelise;
mod long_names;
mod lower;
mod map;
pub mod mealy;
mod memories;
mod model;
mod moore;
pub mod packed;
mod patience;
mod pins;
pub mod reach;
pub mod redundant;
mod statistics;
#[cfg(test)]
mod testing;
pub mod text;
pub mod watch;
pub mod yosys;

pub use check::{check, unconnected};
pub use evaluation::Evaluation;
pub use falling::{HalfCycles, lower_both_edges, without_half};
pub use flatten::{
    DesignHierarchy, FLAT_CELLS_MAX, FlatInstance, FlatMap, flatten, flatten_mapped,
};
pub use fold::fold;
pub use four_state::{ZERO_RAIL, four_state};
pub use function::Function;
pub use leaf::{Leaf, Register};
pub use levelise::{CombinationalLoop, Levels, levelise};
pub use lower::lower_flops;
pub use map::{
    LeafSource, Library, Lut, Mapped, MappedValue, PairExpressions, PairInstruction, table,
};
pub use memories::{
    ADDRESS_BITS_MAX, GATE_BITS_MAX, cut_memories, delay_writes, delays_writes, is_of_memory,
    join_memories, memories_as_gates, memories_within_as_gates, without_memories,
};
pub use model::{
    Asynchronous, Bit, BitRange, Cell, CellKind, Connection, Control, CutMemory, CutRead, CutWrite,
    Design, Edge, Flop, Gate, Instance, Memory, Module, Net, NetId, Port, PortDirection, ReadPort,
    SyncReset, WritePort,
};
pub use moore::{InputRole, RegisteredOutputs, register_outputs};
pub use statistics::Statistics;
