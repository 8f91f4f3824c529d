//! `packet_interface`: a node of a packet-switched network.
//!
//! A packet that the host offers with `tx_valid` is on the link a clock later; one that comes
//! shows for a clock, a clock after it was on the link. Both happen in every clock: there is no
//! queue, and nothing is acknowledged.

use serde::{Deserialize, Serialize};
use smallvec::{SmallVec, smallvec};

use super::endpoint::{Endpoint, Notice, ObservedPort, SendRequest};
use super::packet::{self, packet_link};
use super::ports::{chip, model_types};
use super::{Model, RandomPins};

chip! {
    name: packet_interface,
    links: ["link"],
    words: &[],
    sources: ["packet_interface.v"],
    ports {
        option("node", 20, "address of the node") => pub PORT_NODE, node: u32;
        host_input("tx_valid", 1, "send a packet") => pub PORT_TX_VALID, valid: bool;
        host_input("tx_broadcast", 1, "its destination is a set of levels")
            => pub PORT_TX_BROADCAST, broadcast: bool;
        host_input("tx_phase", 5, "its phase") => pub PORT_TX_PHASE, phase: u8;
        host_input("tx_destination", 20, "its destination")
            => pub PORT_TX_DESTINATION, destination: u32;
        host_input("tx_id", 24, "its number") => pub PORT_TX_ID, id: u32;
        host_output("rx_valid", 1, "a packet has come") => pub PORT_RX_VALID;
        host_output("rx_broadcast", 1, "its destination was a set of levels")
            => pub PORT_RX_BROADCAST;
        host_output("rx_phase", 5, "its phase") => pub PORT_RX_PHASE;
        host_output("rx_destination", 20, "its destination") => pub PORT_RX_DESTINATION;
        host_output("rx_id", 24, "its number") => pub PORT_RX_ID;
        host_output("rx_wrong", 1, "it was for another node") => pub PORT_RX_WRONG;
        packet_link!(0, "link");
    }
    /// Configuration and host pins of an instance.
    pub struct Pins;
}

/// The node of a packet-switched network.
#[derive(Debug)]
pub struct Packets;

impl Endpoint for Packets {
    fn shows(&self) -> &'static [ObservedPort] {
        const SHOWN: &[ObservedPort] = &[ObservedPort {
            port: PORT_RX_VALID,
            notice: Notice::Arrived {
                id: PORT_RX_ID,
                wrong: PORT_RX_WRONG,
            },
        }];
        SHOWN
    }

    fn pins(&self, ask: &SendRequest<'_>) -> SmallVec<[(usize, u64); 7]> {
        smallvec![
            (PORT_TX_VALID, u64::from(ask.request)),
            (PORT_TX_BROADCAST, u64::from(ask.packet.broadcast)),
            (PORT_TX_PHASE, u64::from(ask.packet.phase)),
            (PORT_TX_DESTINATION, u64::from(ask.destination)),
            (PORT_TX_ID, u64::from(ask.packet.id)),
        ]
    }
}

/// Registers beside those that drive the link.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// The packet that has come; 0 without one.
    received: u64,
    wrong: bool,
}

/// The model.
#[derive(Debug)]
pub struct PacketInterface;

impl Model for PacketInterface {
    model_types!(State, Pins, [u64; 1]);

    fn step(state: &mut State, pins: &Pins, _: &impl RandomPins, words: &mut [u64]) -> bool {
        let word = words[0];
        let is_packet = word >> packet::VALID & 1 != 0;
        let is_broadcast = word >> packet::BROADCAST & 1 != 0;
        state.received = if is_packet { word } else { 0 };
        state.wrong =
            is_packet && !is_broadcast && packet::destination(word) != u64::from(pins.node);
        words[0] = match pins.valid {
            false => 0,
            true => {
                1 << packet::VALID
                    | u64::from(pins.broadcast) << packet::BROADCAST
                    | u64::from(pins.phase) << packet::PHASE
                    | u64::from(pins.destination) << packet::DESTINATION
                    | u64::from(pins.id) << packet::ID
            }
        };
        pins.valid || state.received != 0
    }

    fn output(state: &State, port: usize) -> u64 {
        let field = |lsb: u32, width: u32| state.received >> lsb & ((1 << width) - 1);
        match port {
            PORT_RX_VALID => field(packet::VALID, 1),
            PORT_RX_BROADCAST => field(packet::BROADCAST, 1),
            PORT_RX_PHASE => field(packet::PHASE, 5),
            PORT_RX_DESTINATION => field(packet::DESTINATION, 20),
            PORT_RX_ID => field(packet::ID, 24),
            PORT_RX_WRONG => u64::from(state.wrong),
            _ => 0,
        }
    }
}
