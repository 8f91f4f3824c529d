//! `mport_interface`: the network interface of a node at m-port switches.
//!
//! Source: Yuan, Nienaber, Duan & Melhem, section V (a path is the ports that it takes). Sender and
//! receiver are those of `network_interface`; the header names the output port at each switch
//! of the way, as the host gives it: assumed. `hdl/mport_interface.md` gives protocol and timing.

use smallvec::{SmallVec, smallvec};

use super::circuit_interface::circuit_interface;
use super::circuit_sender::Header;
use super::endpoint::{Endpoint, ObservedPort, SendRequest};

/// The most switches of a way.
pub const HOPS_MAX: usize = 16;

circuit_interface! {
    mport_interface, MportInterface, "mport_interface.v",
    header {
        host_input("tx_hops", 4, "switches of its route minus one") => pub PORT_TX_HOPS, hops: u8;
        host_input(
            "tx_route_low", 64,
            "output ports of the last eight switches of its route, the last in bits 7 to 0",
        ) => pub PORT_TX_ROUTE_LOW, route_low: u64;
        host_input("tx_route_high", 64, "output ports of the switches before those")
            => pub PORT_TX_ROUTE_HIGH, route_high: u64;
    }
    saved as [
        route_low, route_high, node, destination, words, hops, strategy, backoff_limit,
        early_acknowledge, round_start, request,
    ]
}

/// A node that opens a circuit for every message, by a way that its host gives.
#[derive(Debug)]
pub struct RoutedCircuit;

impl Endpoint for RoutedCircuit {
    fn shows(&self) -> &'static [ObservedPort] {
        SHOWN
    }

    fn takes_routes(&self) -> bool {
        true
    }

    fn pins(&self, ask: &SendRequest<'_>) -> SmallVec<[(usize, u64); 7]> {
        let [hops, high, low] = ask.ports_of_way();
        smallvec![
            (PORT_TX_REQUEST, u64::from(ask.request)),
            (PORT_TX_DESTINATION, u64::from(ask.destination)),
            (PORT_TX_WORDS, ask.words_left()),
            (PORT_TX_HOPS, hops),
            (PORT_TX_ROUTE_LOW, low),
            (PORT_TX_ROUTE_HIGH, high),
        ]
    }

    fn round_start(&self) -> Option<usize> {
        Some(PORT_ROUND_START)
    }
}

/// The output ports of the way.
impl Header for Pins {
    fn first(&self) -> (u8, u8) {
        (self.word(self.hops), self.hops)
    }

    fn word(&self, left: u8) -> u8 {
        let route = u128::from(self.route_high) << 64 | u128::from(self.route_low);
        (route >> (8 * u32::from(left))) as u8
    }
}
