//! The ports of a chip at links of flits: data, valid, and what comes back from the receiver.

use super::file::ProtocolName;
use crosswave_chips::{PinDirection, Port, Role};

/// Bits of a port at most; wider data are several ports.
pub const PORT_BITS_MAX: usize = 64;

/// The signal that acknowledges a circuit.
pub const ACK: &str = "ack";

/// The form of the links of a component and of its endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkForm {
    /// The protocol.
    pub protocol: ProtocolName,
    /// Bits of a flit.
    pub data_bits: usize,
    /// Virtual channels of a link.
    pub vcs: usize,
    /// True when a credit comes with the number of its virtual channel; else each channel has a bit of
    /// its own.
    pub numbers_credits: bool,
    /// The answers to circuits, where links carry these.
    pub answers: CircuitAnswers,
}

/// The answers to circuits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CircuitAnswers {
    /// True when a circuit that has come is acknowledged.
    pub has_ack: bool,
    /// True when that is after its final flit, and not after its head.
    pub at_end: bool,
    /// Cycles from the head on in which a rejection may come, where nothing acknowledges.
    pub cycles: u64,
}

/// The directions of a link, and what comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkEnds {
    /// True when flits come in.
    pub takes: bool,
    /// True when flits go out.
    pub sends: bool,
    /// True when the receiver of flits that come in answers their sender.
    pub takes_answer: bool,
    /// True when that of flits that go out does.
    pub sends_answer: bool,
}

impl LinkEnds {
    /// True when a link can be joined to another one.
    pub fn fits(self, other: LinkEnds) -> bool {
        (self.takes, self.sends) == (other.sends, other.takes)
    }
}

/// A signal of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkSignal {
    /// Bits of a flit, from this one on.
    Data(usize),
    /// The flag that there is a flit.
    Valid,
    /// The answer of the receiver.
    Back,
    /// The number of the virtual channel of a credit.
    BackChannel,
    /// The acknowledgement of a circuit.
    Ack,
}

/// A port of a chip at a link.
#[derive(Debug, Clone)]
pub struct LinkPort {
    /// The port.
    pub port: Port,
    /// True when it belongs to the direction out of the chip.
    pub is_out: bool,
    /// The signal.
    pub signal: LinkSignal,
}

/// A text that is there to the end of the program. Tables of chips are, as those in the program; a
/// component is read once.
pub fn kept(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

impl LinkForm {
    /// Bits of the number of a virtual channel, one at least.
    pub fn channel_bits(self) -> usize {
        (usize::BITS - (self.vcs - 1).leading_zeros()).max(1) as usize
    }

    /// Bits of the answer of a receiver.
    pub fn back_bits(self) -> usize {
        if self.numbers_credits { 1 } else { self.vcs }
    }

    /// The ports of link `number` of a chip, in order. Bit `b` of a flit is bit `b` of the link's word;
    /// `valid` and what comes back are the two bits above.
    pub fn ports(self, number: usize, name: &str, ends: LinkEnds) -> Vec<LinkPort> {
        let mut ports = Vec::new();
        let directions = [
            (false, ends.takes, ends.takes_answer),
            (true, ends.sends, ends.sends_answer),
        ];
        for (is_out, _, has_back) in directions.into_iter().filter(|(_, is_there, _)| *is_there) {
            let (direction, other) = match is_out {
                false => (PinDirection::Input, PinDirection::Output),
                true => (PinDirection::Output, PinDirection::Input),
            };
            let prefix = format!("{name}_{}", if is_out { "out" } else { "in" });
            let mut add = |name: String, width: usize, direction, lsb: usize, signal, doc| {
                ports.push(LinkPort {
                    port: Port {
                        name: kept(name),
                        direction,
                        width: width as u8,
                        role: Role::Link {
                            link: number,
                            lsb: lsb as u32,
                        },
                        doc,
                    },
                    is_out,
                    signal,
                });
            };
            for first in (0..self.data_bits).step_by(PORT_BITS_MAX) {
                let width = (self.data_bits - first).min(PORT_BITS_MAX);
                let name = match self.data_bits > PORT_BITS_MAX {
                    true => format!("{prefix}_data_{first}"),
                    false => format!("{prefix}_data"),
                };
                let signal = LinkSignal::Data(first);
                add(name, width, direction, first, signal, "bits of a flit");
            }
            let valid = (format!("{prefix}_valid"), self.data_bits);
            add(
                valid.0,
                1,
                direction,
                valid.1,
                LinkSignal::Valid,
                "there is a flit",
            );
            if has_back {
                let back = self.protocol.back();
                let doc = match self.protocol {
                    ProtocolName::Credit => "a place for a flit is free again",
                    ProtocolName::ValidOnly => "the flit of the cycle before was not taken",
                    ProtocolName::Circuit => "rejects the circuit",
                    _ => "the receiver takes flits",
                };
                let at = self.data_bits + 1;
                let (width, signal) = (self.back_bits(), LinkSignal::Back);
                add(format!("{prefix}_{back}"), width, other, at, signal, doc);
                if self.numbers_credits {
                    let (name, width) = (format!("{prefix}_{back}_vc"), self.channel_bits());
                    let doc = "the virtual channel of the credit";
                    add(name, width, other, at + 1, LinkSignal::BackChannel, doc);
                }
                if self.answers.has_ack {
                    let doc = "acknowledges the circuit";
                    add(
                        format!("{prefix}_{ACK}"),
                        1,
                        other,
                        at + 1,
                        LinkSignal::Ack,
                        doc,
                    );
                }
            }
        }
        ports
    }
}
