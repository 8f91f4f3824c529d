//! The core representation: designs, modules, nets, cells.
//!
//! A module is flat data: nets are dense numbers, cells are a list in the order
//! of the file, and a cell refers to nets by number. Nothing refers to a cell;
//! what drives a net is found by a pass that needs it (one scan of the cells).
//!
//! Netlists are two-valued. A constant [`Bit::X`] stands for "any value will
//! do" and reads as 0 everywhere.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use smol_str::SmolStr;

use super::function::Function;

/// A net of one module: a dense number, the index into [`Module::nets`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NetId(pub u32);

impl NetId {
    /// The number as an index into [`Module::nets`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The constant or net that a pin or a port bit is connected to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Bit {
    /// Constant 0.
    Zero,
    /// Constant 1.
    One,
    /// A constant whose value does not matter; it reads as 0.
    X,
    /// A net of the same module.
    Net(NetId),
}

impl Bit {
    /// The net, when it is one.
    pub fn net(self) -> Option<NetId> {
        match self {
            Bit::Net(net) => Some(net),
            _ => None,
        }
    }

    /// The value, when it is a constant; X reads as 0.
    pub fn constant(self) -> Option<bool> {
        match self {
            Bit::Zero | Bit::X => Some(false),
            Bit::One => Some(true),
            Bit::Net(_) => None,
        }
    }
}

impl From<bool> for Bit {
    fn from(value: bool) -> Bit {
        if value { Bit::One } else { Bit::Zero }
    }
}

impl From<NetId> for Bit {
    fn from(net: NetId) -> Bit {
        Bit::Net(net)
    }
}

/// The direction in which a port carries its bits, seen from inside its module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum PortDirection {
    /// Into the module.
    Input,
    /// Out of the module.
    Output,
}

/// The indices that the source of a port gives its bits: `[left:right]`.
///
/// Bits are always counted from the least significant one, which is the rightmost; the
/// indices are for people and for other tools' files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BitRange {
    /// The lowest index.
    pub lowest: i32,
    /// True when the lowest index is at the left, as in `[0:7]`.
    pub ascending: bool,
}

impl BitRange {
    /// The range of `width` bits from `left` to `right`; `None` when they are others.
    pub fn new(left: i64, right: i64, width: usize) -> Option<BitRange> {
        let between = left.abs_diff(right);
        if usize::try_from(between).ok()?.checked_add(1)? != width {
            return None;
        }
        i32::try_from(left.max(right)).ok()?;
        Some(BitRange {
            lowest: i32::try_from(left.min(right)).ok()?,
            ascending: left < right,
        })
    }

    /// The leftmost and the rightmost index of `width` bits, at least one.
    pub fn ends(self, width: usize) -> (i64, i64) {
        let lowest = i64::from(self.lowest);
        let highest = lowest + width as i64 - 1;
        match self.ascending {
            true => (lowest, highest),
            false => (highest, lowest),
        }
    }

    /// The index of a bit of `width`, which is counted from the least significant one.
    pub fn index(self, position: usize, width: usize) -> i64 {
        let (_, right) = self.ends(width);
        match self.ascending {
            true => right - position as i64,
            false => right + position as i64,
        }
    }

    /// The bit of `width` that has an index, counted from the least significant one.
    pub fn position(self, index: i64, width: usize) -> Option<usize> {
        let (_, right) = self.ends(width);
        let position = match self.ascending {
            true => right - index,
            false => index - right,
        };
        usize::try_from(position).ok().filter(|&at| at < width)
    }
}

/// A port of a module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Port {
    /// Its name; unique in the module.
    pub name: String,
    /// Its direction.
    pub direction: PortDirection,
    /// Its bits, the least significant first. Those of an input are nets.
    pub bits: Vec<Bit>,
    /// The indices of its bits; all of them fit into 32 bits.
    pub range: BitRange,
    /// True when its source declares it as signed. No gate depends on it; it says how people write
    /// its values.
    pub signed: bool,
}

/// Properties of a net besides its number.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Net {
    /// The best name for a reader, such as `state[2]`; unique in the module, or empty where it has been
    /// [packed](super::packed).
    pub name: SmolStr,
    /// Place of its declaration (`file:line.column-line.column`), or empty.
    pub src: SmolStr,
}

/// A module: ports, nets and the cells between them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Module {
    /// Its name; unique in the design.
    pub name: String,
    /// Place of its declaration, or empty.
    pub src: String,
    /// Its ports, in the order of the file.
    pub ports: Vec<Port>,
    /// Its nets, by [`NetId`].
    pub nets: Vec<Net>,
    /// Its cells, in the order of the file.
    pub cells: Vec<Cell>,
    /// Memories that stand beside it, at ports of its own ([`cut_memories`](super::cut_memories)).
    #[serde(skip)]
    pub beside: Vec<CutMemory>,
}

/// All modules of one file, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Design {
    /// The modules.
    pub modules: Vec<Module>,
}

/// A named cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// Its name; unique in the module.
    pub name: SmolStr,
    /// Place in the source that it came from, or empty.
    pub src: SmolStr,
    /// The kind, with its function and connections.
    pub kind: CellKind,
}

/// The kind of a cell, with its contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CellKind {
    /// A combinational gate.
    Gate(Gate),
    /// A flip-flop.
    Flop(Box<Flop>),
    /// A memory.
    Memory(Box<Memory>),
    /// An instance of another module.
    Instance(Instance),
}

/// A gate with one output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gate {
    /// The function that it computes.
    pub function: Function,
    /// Its inputs, as many as [`Function::arity`], in the order of [`Function::pins`].
    pub inputs: SmallVec<[Bit; 4]>,
    /// The net it drives.
    pub output: NetId,
}

/// The edge of the clock at which a flip-flop takes its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Edge {
    /// The edge from 0 to 1.
    Rising,
    /// The edge from 1 to 0.
    Falling,
}

/// A control input and the value at which it acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Control {
    /// The bit to which it is connected.
    pub bit: Bit,
    /// True when it acts at 1, false when it acts at 0.
    pub active_high: bool,
}

impl Control {
    /// `Some(true)` when it always acts, `Some(false)` when it never does.
    pub fn constant(self) -> Option<bool> {
        self.bit.constant().map(|value| value == self.active_high)
    }
}

/// A synchronous reset (or preset) of a flip-flop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncReset {
    /// The control that makes it act.
    pub control: Control,
    /// The value taken.
    pub value: bool,
    /// True when it acts only while the flip-flop is enabled (`$_SDFFCE_`); else it acts regardless
    /// of the enable (`$_SDFFE_`).
    pub gated: bool,
}

/// The action of a flip-flop regardless of its clock. It is by level: as long as the control is
/// active, the output follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Asynchronous {
    /// Nothing.
    None,
    /// The output is `value`.
    Reset {
        /// The control that makes it act.
        control: Control,
        /// The value taken.
        value: bool,
    },
    /// The output is 0 when `reset` acts, else 1 when `set` acts.
    SetReset {
        /// The control that sets the output to 1, unless `reset` acts.
        set: Control,
        /// The control that resets the output to 0.
        reset: Control,
    },
    /// The output is `data`.
    Load {
        /// The control that makes it act.
        control: Control,
        /// The value taken.
        data: Bit,
    },
}

/// A D flip-flop with all that Yosys's flip-flop cells may add to it.
///
/// At the edge, unless an asynchronous control acts:
/// `reset (not gated) ? value : !enable ? q : reset (gated) ? value : data`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flop {
    /// The clock.
    pub clock: Bit,
    /// The edge at which it acts.
    pub edge: Edge,
    /// The data input.
    pub data: Bit,
    /// The net it drives.
    pub q: NetId,
    /// The clock enable.
    pub enable: Option<Control>,
    /// The synchronous reset.
    pub reset: Option<SyncReset>,
    /// The asynchronous controls.
    pub asynchronous: Asynchronous,
    /// The value before the first edge, when the design gives one.
    pub init: Option<bool>,
}

impl Flop {
    /// A plain rising-edge flip-flop without an initial value.
    pub fn plain(clock: Bit, data: Bit, q: NetId) -> Flop {
        Flop {
            clock,
            edge: Edge::Rising,
            data,
            q,
            enable: None,
            reset: None,
            asynchronous: Asynchronous::None,
            init: None,
        }
    }

    /// True when it has neither enable nor resets and acts on the rising edge.
    pub fn is_plain(&self) -> bool {
        self.edge == Edge::Rising
            && self.enable.is_none()
            && self.reset.is_none()
            && self.asynchronous == Asynchronous::None
    }
}

/// Words that are read within the cycle and written at the edge of a clock.
///
/// A read port shows the word at its address as it was before the edge. Of writes to one bit at one edge
/// that of the last port counts. An address of no word shows [`Memory::beyond`], and is not written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// Number of bits of a word, from 1.
    pub width: usize,
    /// Number of words, from 1.
    pub words: usize,
    /// The address of the first word.
    pub first: u64,
    /// The bits before the first edge, word by word, the least significant bit of each first; those behind its
    /// end are not known.
    pub init: Vec<Option<bool>>,
    /// The value of all bits at addresses of no word.
    pub beyond: bool,
    /// The ports that read.
    pub reads: Vec<ReadPort>,
    /// The ports that write.
    pub writes: Vec<WritePort>,
}

/// A port at which a memory is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadPort {
    /// The address, the least significant bit first.
    pub address: Vec<Bit>,
    /// The nets that the word drives, one for each of its bits.
    pub data: Vec<NetId>,
}

/// A port at which a memory is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WritePort {
    /// The clock.
    pub clock: Bit,
    /// The edge at which it acts.
    pub edge: Edge,
    /// The address, the least significant bit first.
    pub address: Vec<Bit>,
    /// The word.
    pub data: Vec<Bit>,
    /// For each bit of the word, 1 when it is written.
    pub enable: Vec<Bit>,
}

impl Memory {
    /// Number of its bits.
    pub fn bits(&self) -> usize {
        self.width.saturating_mul(self.words)
    }

    /// A bit before the first edge.
    pub fn initial(&self, word: usize, bit: usize) -> Option<bool> {
        self.init.get(word * self.width + bit).copied().flatten()
    }
}

/// A memory that was taken out of its module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutMemory {
    /// The name of its cell.
    pub name: SmolStr,
    /// The memory, without ports.
    pub memory: Memory,
    /// The ports of the module that stand for the ports that read.
    pub reads: Vec<CutRead>,
    /// Likewise, of those that write.
    pub writes: Vec<CutWrite>,
    /// The input of the module that is the clock of its writes; empty when there are none.
    pub clock: String,
    /// The edge of the clock at which it is written.
    pub edge: Edge,
    /// True when what the ports that write show is of the edge before ([`delay_writes`](super::delay_writes)).
    pub delayed: bool,
}

/// The ports of a module at a read port of its memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutRead {
    /// An output: the address.
    pub address: String,
    /// An input: the word.
    pub data: String,
}

/// The outputs of a module at a write port of its memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutWrite {
    /// The address.
    pub address: String,
    /// The word.
    pub data: String,
    /// For each bit of it, 1 when it is written.
    pub enable: String,
}

/// An instance of another module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instance {
    /// The name of the module.
    pub module: String,
    /// The connections of its ports; each port is in at most one.
    pub connections: Vec<Connection>,
}

/// One connected port of an instance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connection {
    /// The name of the port.
    pub port: String,
    /// The direction of the port, seen from inside the instanced module.
    pub direction: PortDirection,
    /// One bit per bit of the port, the least significant first. Those of an
    /// output are nets.
    pub bits: Vec<Bit>,
}

impl Design {
    /// The module of this name. Costs a scan of the modules.
    pub fn module(&self, name: &str) -> Option<&Module> {
        self.modules.iter().find(|module| module.name == name)
    }

    /// The only module that no other module instantiates, when there is exactly
    /// one such module.
    pub fn top(&self) -> Option<&Module> {
        let used: std::collections::BTreeSet<&str> = self
            .modules
            .iter()
            .flat_map(Module::instances)
            .map(|(_, instance)| instance.module.as_str())
            .collect();
        let mut tops = self
            .modules
            .iter()
            .filter(|m| !used.contains(m.name.as_str()));
        tops.next().filter(|_| tops.next().is_none())
    }
}

impl Module {
    /// The port of this name. Costs a scan of the ports.
    pub fn port(&self, name: &str) -> Option<&Port> {
        self.ports.iter().find(|port| port.name == name)
    }

    /// The ports of one direction, in order.
    pub fn ports_of(&self, direction: PortDirection) -> impl Iterator<Item = &Port> {
        self.ports
            .iter()
            .filter(move |port| port.direction == direction)
    }

    /// Adds a net that nothing drives yet.
    ///
    /// # Panics
    /// When there are 2^32 nets.
    pub fn add_net(&mut self, name: &str) -> NetId {
        let net = NetId(u32::try_from(self.nets.len()).expect("fewer than 2^32 nets"));
        self.nets.push(Net {
            name: name.into(),
            src: SmolStr::default(),
        });
        net
    }

    /// Adds a gate that drives a new net of its name.
    pub fn add_gate(&mut self, name: &str, function: Function, inputs: &[Bit]) -> Bit {
        let output = self.add_net(name);
        self.drive(name, function, inputs, output);
        Bit::Net(output)
    }

    /// Adds a gate that drives a net.
    pub fn drive(&mut self, name: &str, function: Function, inputs: &[Bit], output: NetId) {
        self.cells.push(Cell {
            name: name.into(),
            src: SmolStr::default(),
            kind: CellKind::Gate(Gate {
                function,
                inputs: inputs.into(),
                output,
            }),
        });
    }

    /// Adds a flip-flop.
    pub fn add_flop(&mut self, name: &str, flop: Flop) {
        self.cells.push(Cell {
            name: name.into(),
            src: SmolStr::default(),
            kind: CellKind::Flop(Box::new(flop)),
        });
    }

    /// The name of a net.
    ///
    /// # Panics
    ///
    /// When the net is not one of this module.
    pub fn net_name(&self, net: NetId) -> &str {
        &self.nets[net.index()].name
    }

    /// The gates and their cells, in order.
    pub fn gates(&self) -> impl Iterator<Item = (&Cell, &Gate)> {
        self.cells.iter().filter_map(|cell| match &cell.kind {
            CellKind::Gate(gate) => Some((cell, gate)),
            _ => None,
        })
    }

    /// The flip-flops and their cells, in order.
    pub fn flops(&self) -> impl Iterator<Item = (&Cell, &Flop)> {
        self.cells.iter().filter_map(|cell| match &cell.kind {
            CellKind::Flop(flop) => Some((cell, flop.as_ref())),
            _ => None,
        })
    }

    /// The memories and their cells, in order.
    pub fn memories(&self) -> impl Iterator<Item = (&Cell, &Memory)> {
        self.cells.iter().filter_map(|cell| match &cell.kind {
            CellKind::Memory(memory) => Some((cell, memory.as_ref())),
            _ => None,
        })
    }

    /// The instances and their cells, in order.
    pub fn instances(&self) -> impl Iterator<Item = (&Cell, &Instance)> {
        self.cells.iter().filter_map(|cell| match &cell.kind {
            CellKind::Instance(instance) => Some((cell, instance)),
            _ => None,
        })
    }
}
