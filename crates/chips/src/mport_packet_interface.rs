//! `mport_packet_interface`: a node at packet switches of an m-port n-tree.
//!
//! A packet that the host offers with `tx_valid` is on the link a clock later; one that comes
//! shows for a clock, a clock after it was on the link. Both happen in every clock: there is no
//! queue, and nothing is acknowledged. The fields of a packet: [`mport_packet_switch`](super::mport_packet_switch).

use serde::{Deserialize, Serialize};
use smallvec::{SmallVec, smallvec};

use super::endpoint::{Endpoint, Notice, ObservedPort, SendRequest};
use super::mport_packet_switch::{ID, ID_BITS, ROUTE, ROUTE_BITS, VALID, routed_packet_link};
use super::ports::{chip, model_types};
use super::{Model, RandomPins};

chip! {
    name: mport_packet_interface,
    links: ["link"],
    words: &[],
    sources: ["mport_packet_interface.v"],
    ports {
        option("node", 20, "address of the node") => pub PORT_NODE, node: u32;
        host_input("tx_valid", 1, "send a packet") => pub PORT_TX_VALID, valid: bool;
        host_input("tx_route", 39, "output ports of its route") => pub PORT_TX_ROUTE, route: u64;
        host_input("tx_id", 24, "its number") => pub PORT_TX_ID, id: u32;
        host_output("rx_valid", 1, "a packet has come") => pub PORT_RX_VALID;
        host_output("rx_id", 24, "its number") => pub PORT_RX_ID;
        host_output("rx_wrong", 1, "its route was to go on") => pub PORT_RX_WRONG;
        routed_packet_link!(0, "link");
    }
    /// Host pins of an instance.
    pub struct Pins saved as [route, id, valid, node];
}

/// A node that sends packets by ways that its host gives, through switches whose ports have numbers
/// of so many bits.
#[derive(Debug)]
pub struct RoutedPackets {
    /// lg m.
    pub bits: u32,
}

impl Endpoint for RoutedPackets {
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

    fn takes_routes(&self) -> bool {
        true
    }

    fn pins(&self, ask: &SendRequest<'_>) -> SmallVec<[(usize, u64); 7]> {
        let ports = ask.route.map_or(&[][..], |route| &route.bytes).iter();
        let route = ports
            .rev()
            .fold(0, |route, &port| route << self.bits | u64::from(port));
        smallvec![
            (PORT_TX_VALID, u64::from(ask.request)),
            (PORT_TX_ROUTE, route),
            (PORT_TX_ID, u64::from(ask.packet.id)),
        ]
    }
}

/// Registers beside those that drive the link.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// The packet that has come; 0 without one.
    received: u64,
}

/// The model.
#[derive(Debug)]
pub struct MportPacketInterface;

impl Model for MportPacketInterface {
    model_types!(State, Pins, [u64; 1]);

    fn step(state: &mut State, pins: &Pins, _: &impl RandomPins, words: &mut [u64]) -> bool {
        let word = words[0];
        state.received = if word >> VALID != 0 { word } else { 0 };
        words[0] = match pins.valid {
            false => 0,
            true => 1 << VALID | pins.route << ROUTE | u64::from(pins.id) << ID,
        };
        pins.valid || state.received != 0
    }

    fn output(state: &State, port: usize) -> u64 {
        let field = |lsb: u32, bits: u32| state.received >> lsb & ((1 << bits) - 1);
        match port {
            PORT_RX_VALID => field(VALID, 1),
            PORT_RX_ID => field(ID, ID_BITS),
            PORT_RX_WRONG => u64::from(field(ROUTE, ROUTE_BITS) != 0),
            _ => 0,
        }
    }
}
