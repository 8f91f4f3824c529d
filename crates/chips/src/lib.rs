//! The chips: their port tables, protocol words and register-level models.
//!
//! A chip's ports are written once, as the rows of a `chip!` (`ports.rs` has its grammar). The rows
//! give the [`Chip`] table, the indices of the ports (`PORT_*`) and the pins of the register-level
//! [`Model`]. The port list in its Verilog (`hdl/NAME.v`), the check of its netlist and the names in
//! waveforms come from the table.
//!
//! Chips meet at *link ports*. What a chip drives at one is packed into one
//! [`Word`] in a model. At a link port `P` of the chips of the fat tree each
//! side drives eleven signals: in Verilog the four ports `P_out_valid`,
//! `P_out_data`, `P_in_ack`, `P_in_collision`, and it reads the four of the other
//! side, `P_in_valid`, `P_in_data`, `P_out_ack`, `P_out_collision`. At a link port
//! of [`rn1`] and the chips around it it is one word of nine bits each way,
//! `P_forward` and `P_backward`. At one of the chips of packet-switched networks it is a
//! [`packet`] each way, a port for each field. At one of the chips of fat stacks and pyramids it is
//! a flit and a credit each way ([`stack`]), a port for each field.

mod batch;
pub mod bft_node;
mod circuit_interface;
mod circuit_receiver;
mod circuit_sender;
mod delay_lines;
pub mod endpoint;
pub mod fat_tree_grants;
pub mod fat_tree_router;
pub mod fat_tree_tail_router;
pub mod fusesoc;
pub mod half_cycles;
pub mod lane;
pub mod mport_arbiter;
pub mod mport_interface;
pub mod mport_packet_interface;
pub mod mport_packet_switch;
pub mod mport_switch;
pub mod mport_tail_switch;
pub mod netlists;
pub mod network_interface;
pub mod packet;
pub mod packet_interface;
pub mod packet_queue;
pub mod packet_switches;
mod ports;
pub mod protocol;
mod quad;
pub mod rated_switch;
pub mod registers;
pub mod rn1;
pub mod rn1_fault_line;
pub mod rn1_height;
pub mod rn1_interface;
pub mod rn1_protocol;
pub mod route_unit;
pub mod routing;
pub mod stack;
pub mod stack_interface;
pub mod stack_switch;
pub mod switch;
pub mod verilog;

use serde::Serialize;
use serde::de::DeserializeOwned;

use mport_packet_switch::{
    mport_packet_switch_4, mport_packet_switch_4_q8, mport_packet_switch_8,
    mport_packet_switch_8_q8, mport_packet_switch_16, mport_packet_switch_32,
    mport_packet_switch_64,
};
use mport_switch::{mport_switch_4, mport_switch_8, mport_switch_16, mport_switch_32};
use mport_tail_switch::{
    mport_tail_switch_4, mport_tail_switch_8, mport_tail_switch_16, mport_tail_switch_32,
};
use packet_switches::{packet_switch, packet_switch_q8};
use stack_switch::{stack_switch_8, stack_switch_10};

pub use batch::{BATCH_MOST, ChipBatch, Operands};
pub use delay_lines::{delay_line, rn1_delay_line, stack_delay_line};

use crosswave_probe::signal::StateName;

/// A word that a chip drives at one link port, in a model: 16 bits or 64, the same for all chips of
/// a network. A link at rest is 0.
pub trait Word:
    Copy
    + Default
    + PartialEq
    + std::ops::BitOr<Output = Self>
    + Into<u64>
    + Send
    + Sync
    + Serialize
    + DeserializeOwned
    + 'static
{
    /// The word of a value, as far as it fits.
    fn of(value: u64) -> Self;
}

impl Word for u16 {
    fn of(value: u64) -> u16 {
        value as u16
    }
}

impl Word for u64 {
    fn of(value: u64) -> u64 {
        value
    }
}

/// A word that a chip of a circuit-switched network drives at one link port: bits 0 to 7 data, bit
/// 8 valid, bit 9 acknowledge, bit 10 collision. RN1 has bits 0 to 8 only, and bit 8 is its control
/// bit. Chips of fat stacks and pyramids have flits and credits in bits 0 to 10, as [`stack`] says.
/// A link at rest is 0.
pub type LinkWord = u16;

/// The word of a link with its byte rotated to the left by two bits as often as
/// `steps` says, as wiring does between the stages of RN1s.
///
/// ```
/// use crosswave_chips::rotated;
/// assert_eq!(rotated(0x1b1, 1), 0x1c6);
/// assert_eq!(rotated(0x1b1, 4), 0x1b1);
/// ```
#[inline]
pub fn rotated(word: u64, steps: u8) -> u64 {
    word & !0xff | u64::from((word as u8).rotate_left(2 * u32::from(steps)))
}

/// Bit of a [`LinkWord`] that says its data is a word of a message.
pub const VALID: LinkWord = 1 << 8;
/// Bit of a [`LinkWord`] that acknowledges the circuit of the other direction.
pub const ACK: LinkWord = 1 << 9;
/// Bit of a [`LinkWord`] that rejects the circuit of the other direction.
pub const COLLISION: LinkWord = 1 << 10;
/// Valid and data together.
pub const FORWARD: LinkWord = 0x1ff;

/// Direction of a port, as the chip sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PinDirection {
    /// The chip reads it.
    Input,
    /// The chip drives it, from a flip-flop.
    Output,
}

/// Distribution of the bits of a random pin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RandomKind {
    /// Fair bits.
    Fair,
    /// 1 with probability 21845/65536, which is one third within 2^-17.
    Third,
}

/// Purpose of a port.
#[derive(Debug, Clone, Copy)]
pub enum Role {
    /// The clock; everything happens at its rising edge.
    Clock,
    /// Synchronous reset, active high.
    Reset,
    /// A configuration pin, constant during a run unless
    /// `ChipArray::changing` lists it.
    Option,
    /// A pin in the place of parameters of a designer's own module: it is in netlists only, neither in
    /// Verilog nor in waveforms. It never changes.
    Parameter,
    /// Random bits, new in every cycle. Bit `i` of the port is the stream
    /// `stream + i` of [`crosswave_base::random`].
    Random {
        /// The first stream.
        stream: u64,
        /// The distribution of each bit.
        kind: RandomKind,
    },
    /// Between the chip and its host.
    Host,
    /// Bits `lsb ..` of the word of link port `link`.
    Link {
        /// Index of the link port.
        link: usize,
        /// Lowest bit of the word.
        lsb: u32,
    },
    /// The state of a state machine, with the names of its values; without names a number, such as
    /// the fill of a buffer.
    State(&'static [StateName]),
}

/// One port of a chip.
#[derive(Debug, Clone, Copy)]
pub struct Port {
    /// Name in Verilog and in waveforms.
    pub name: &'static str,
    /// Read or driven.
    pub direction: PinDirection,
    /// Width in bits.
    pub width: u8,
    /// Purpose of the port.
    pub role: Role,
    /// One line for the reader of the Verilog.
    pub doc: &'static str,
}

/// The table of a chip.
#[derive(Debug)]
pub struct Chip {
    /// Module name.
    pub name: &'static str,
    /// The ports, in the order of the Verilog.
    pub ports: &'static [Port],
    /// Names of the link ports.
    pub links: &'static [&'static str],
    /// Names of the words of its link ports, where each is one port; may be empty.
    pub words: &'static [StateName],
    /// Its Verilog files in `hdl/` with their texts, the top module first; none of a model.
    pub sources: &'static [(&'static str, &'static str)],
}

impl Chip {
    /// The index of a port.
    ///
    /// # Panics
    /// When the chip has no port of that name: names come from this crate.
    pub fn port(&self, name: &str) -> usize {
        self.ports
            .iter()
            .position(|port| port.name == name)
            .unwrap_or_else(|| panic!("chip {} has no port {name}", self.name))
    }

    /// The ports of one purpose, by link port: `left_out_valid` and the like for `out_valid`.
    ///
    /// # Panics
    /// When a link port has none: names come from this crate.
    pub fn ports_of_links(&self, purpose: &str) -> Vec<usize> {
        let links = self.links.iter();
        links
            .map(|link| self.port(&format!("{link}_{purpose}")))
            .collect()
    }

    /// The names of its clock and of its reset.
    pub fn clock_and_reset(&self) -> [&'static str; 2] {
        let name_of = |wanted: fn(&Role) -> bool| {
            let found = self.ports.iter().find(|port| wanted(&port.role));
            found.map_or("", |port| port.name)
        };
        [
            name_of(|role| matches!(role, Role::Clock)),
            name_of(|role| matches!(role, Role::Reset)),
        ]
    }

    /// True when there is Verilog of it, and a netlist.
    pub fn has_netlist(&self) -> bool {
        !self.sources.is_empty()
    }

    /// The outputs of one bit to the host.
    pub fn host_flags(&self) -> impl Iterator<Item = usize> {
        let is_flag = |port: &Port| {
            let is_output = port.direction == PinDirection::Output;
            is_output && port.width == 1 && matches!(port.role, Role::Host)
        };
        (0..self.ports.len()).filter(move |&port| is_flag(&self.ports[port]))
    }

    /// Bits of the words of its link ports; 0 when it has none.
    pub fn link_bits(&self) -> u32 {
        let ports = self.ports.iter();
        let ends = ports.filter_map(|port| match port.role {
            Role::Link { lsb, .. } => Some(lsb + u32::from(port.width)),
            _ => None,
        });
        ends.max().unwrap_or(0)
    }
}

/// A word for each link port of a chip, and where they lead to.
pub trait PortWords<W>: AsRef<[W]> + AsMut<[W]> + Clone + Send {
    /// The number of a link port for each.
    type Peers: AsRef<[u32]> + AsMut<[u32]> + Clone + Send;
    /// Alignment of a chip with so many links: it begins with a cache line. Chips of two links,
    /// such as delay lines, lie close together.
    type Alignment: Send;
    /// Links at rest.
    const REST: Self;
    /// Links that lead nowhere.
    const NO_PEERS: Self::Peers;
}

/// Alignment to the beginning of a cache line.
#[derive(Debug)]
#[repr(align(64))]
pub struct CacheLine;

macro_rules! wires {
    ($alignment:ty: $($word:ty = $($links:literal)*;)*) => {
        $($(impl PortWords<$word> for [$word; $links] {
            type Peers = [u32; $links];
            type Alignment = $alignment;
            const REST: [$word; $links] = [0; $links];
            const NO_PEERS: [u32; $links] = [u32::MAX; $links];
        })*)*
    };
}
wires! { u8: u16 = 0 2; }
wires! { CacheLine: u16 = 1 4 8 10 16 32; u64 = 1 4 8 10 16 32 64; }

/// The random pins of one instance in one cycle, and which cycle it is.
pub trait RandomPins {
    /// The cycle: what a counter that is reset with all chips would show.
    fn cycle(&self) -> u64;

    /// The bit of a stream.
    fn bit(&self, stream: u64, kind: RandomKind) -> bool;
}

/// A register-level model of a chip: what its registers hold after the next
/// clock edge, given what they and the wires hold now.
pub trait Model: Send + 'static {
    /// The registers of one instance apart from those that drive link ports.
    type State: Clone + Default + Send + std::fmt::Debug + Serialize + DeserializeOwned;
    /// The table of the chip.
    const CHIP: &'static Chip;
    /// Number of link ports.
    const LINKS: usize = Self::CHIP.links.len();
    /// The word that it drives at a link port.
    type Word: Word;
    /// One word for each link port.
    type Words: PortWords<Self::Word>;
    /// True when [`step`](Model::step) reports changes of driven words too, while arriving words
    /// stay. If so, and it returned false, another edge with the same words and pins and any random
    /// bits changes neither registers nor driven words. Other chips are evaluated in every cycle in
    /// which a word at their links, on either side, is not 0.
    const STEP_REPORTS_OUTPUT_CHANGE: bool = false;
    /// True when [`step_all`](Model::step_all) takes less time for several chips than for one after
    /// the other.
    const SIDE_BY_SIDE: bool = false;
    /// Pins other than random ones, packed as the model likes.
    type Pins: ChipPins;

    /// One clock edge. `words` holds what the links bring in and, on return,
    /// what the chip drives after the edge. Returns whether the chip has to be evaluated in the
    /// next cycle even if nothing new arrives and no pin is driven
    /// ([`STEP_REPORTS_OUTPUT_CHANGE`](Model::STEP_REPORTS_OUTPUT_CHANGE)).
    fn step(
        state: &mut Self::State,
        pins: &Self::Pins,
        random: &impl RandomPins,
        words: &mut [Self::Word],
    ) -> bool;

    /// One clock edge of some chips, of each as by [`step`](Model::step). Returns those for which
    /// that returned true, a bit for each.
    #[inline(always)]
    fn step_all(batch: &mut impl ChipBatch<Self>) -> u64
    where
        Self: Sized,
    {
        (0..batch.count()).fold(0, |again, at| {
            let chip = batch.chip(at);
            chip.driven.clone_from(chip.arriving);
            let words = chip.driven.as_mut();
            let is_again = Self::step(chip.state, chip.pins, &chip.random, words);
            again | u64::from(is_again) << at
        })
    }

    /// The cycle in which the chip, though asleep, has something to do by itself; `None` where
    /// only what arrives can change something. Earlier evaluations do no harm.
    fn due(state: &Self::State) -> Option<u64> {
        let _ = state;
        None
    }

    /// The value of an output port of role `Host` or `State`.
    fn output(state: &Self::State, port: usize) -> u64;
}

/// Something done with the model of a chip, whichever it is.
pub trait ModelVisitor {
    /// Result of the visit.
    type Output;
    /// Does it with model `M`.
    fn visit<M: Model>(self) -> Self::Output;
}

/// Lists the chips: each has a module of its name, which holds its table and its model. Those
/// behind `models` have neither Verilog nor a netlist.
macro_rules! chips {
    (
        chips { $($chip:ident: $model:ident;)* }
        models { $($only:ident: $only_model:ident;)* }
    ) => {
        /// All chips, in the order in which they are listed everywhere.
        pub const CHIPS: &[&Chip] = &[$(&$chip::CHIP),*];

        /// Chips that are register-level models only, for the event engine.
        pub const MODELS: &[&Chip] = &[$(&$only::CHIP),*];

        /// The netlists of all chips.
        static NETLISTS: &[netlists::EmbeddedNetlist] = &[$(netlists::EmbeddedNetlist {
            chip: stringify!($chip),
            text: include_str!(concat!("../hdl/netlists/", stringify!($chip), ".json")),
            packed: include_bytes!(concat!("../hdl/netlists/", stringify!($chip), ".packed")),
        }),*];

        impl Chip {
            /// Finds the model of this chip.
            ///
            /// # Panics
            /// When the chip is neither one of [`CHIPS`] nor of [`MODELS`].
            pub fn with_model<V: ModelVisitor>(&self, visitor: V) -> V::Output {
                match self.name {
                    $(stringify!($chip) => visitor.visit::<$chip::$model>(),)*
                    $(stringify!($only) => visitor.visit::<$only::$only_model>(),)*
                    other => panic!("chip {other} has no model"),
                }
            }
        }
    };
}

chips! {
    chips {
        fat_tree_router: FatTreeRouter;
        fat_tree_tail_router: FatTreeTailRouter;
        network_interface: NetworkInterface;
        delay_line: DelayLine;
        rn1: Rn1;
        rn1_delay_line: Rn1DelayLine;
        rn1_fault_line: Rn1FaultLine;
        rn1_height: Rn1Height;
        rn1_interface: Rn1Interface;
        route_unit: RouteUnit;
        bft_node: BftNode;
        packet_switch_q8: PacketSwitchQ8;
        packet_interface: PacketInterface;
        mport_switch_4: MportSwitch4;
        mport_switch_8: MportSwitch8;
        mport_switch_16: MportSwitch16;
        mport_switch_32: MportSwitch32;
        mport_tail_switch_4: MportTailSwitch4;
        mport_tail_switch_8: MportTailSwitch8;
        mport_tail_switch_16: MportTailSwitch16;
        mport_tail_switch_32: MportTailSwitch32;
        mport_interface: MportInterface;
        mport_packet_switch_4_q8: MportPacketSwitch4Q8;
        mport_packet_switch_8_q8: MportPacketSwitch8Q8;
        mport_packet_interface: MportPacketInterface;
        stack_switch_8: StackSwitch8;
        stack_switch_10: StackSwitch10;
        stack_interface: StackInterface;
        stack_delay_line: StackDelayLine;
    }
    models {
        packet_switch: PacketSwitch;
        rated_switch: RatedSwitch;
        mport_packet_switch_4: MportPacketSwitch4;
        mport_packet_switch_8: MportPacketSwitch8;
        mport_packet_switch_16: MportPacketSwitch16;
        mport_packet_switch_32: MportPacketSwitch32;
        mport_packet_switch_64: MportPacketSwitch64;
    }
}

/// The pins of a chip that are not random.
pub trait ChipPins: Copy + Default + Send + Serialize + DeserializeOwned {
    /// Sets the pin of a port of role `Option` or `Host`; other ports have none.
    fn set(&mut self, port: usize, value: u64);
    /// The pin of a port; 0 of other ports.
    fn get(&self, port: usize) -> u64;
}

/// The pins of a chip that has none.
impl ChipPins for () {
    fn set(&mut self, _: usize, _: u64) {}

    fn get(&self, _: usize) -> u64 {
        0
    }
}
