//! `network_interface`: a node's sender and receiver.
//!
//! Source: Strumpen & Krishnamurthy 2005, sections 3 and 7 (at most one
//! message each way, three retry strategies, retry 1 clock after the collision
//! is sensed). Header, payload and the law of the back-off: assumed.
//! `hdl/network_interface.md` draws the state machines and the timing.

use smallvec::{SmallVec, smallvec};

use super::circuit_interface::circuit_interface;
use super::circuit_sender::Header;
use super::endpoint::{Endpoint, ObservedPort, SendRequest};
use crate::routing;

circuit_interface! {
    network_interface, NetworkInterface, "network_interface.v",
    header {}
    saved as [
        node, destination, words, strategy, backoff_limit, early_acknowledge, round_start, request,
    ]
}

/// A node that opens a circuit for every message, which its receiver acknowledges.
#[derive(Debug)]
pub struct Circuit;

impl Endpoint for Circuit {
    fn shows(&self) -> &'static [ObservedPort] {
        SHOWN
    }

    fn pins(&self, ask: &SendRequest<'_>) -> SmallVec<[(usize, u64); 7]> {
        smallvec![
            (PORT_TX_REQUEST, u64::from(ask.request)),
            (PORT_TX_DESTINATION, u64::from(ask.destination)),
            (PORT_TX_WORDS, ask.words_left()),
        ]
    }

    fn drive(
        &self,
        before: &SendRequest<'_>,
        now: &SendRequest<'_>,
        drive: &mut dyn FnMut(usize, u64),
    ) {
        if before.request != now.request {
            drive(PORT_TX_REQUEST, u64::from(now.request));
        }
        if before.destination != now.destination {
            drive(PORT_TX_DESTINATION, u64::from(now.destination));
        }
        if before.words_left() != now.words_left() {
            drive(PORT_TX_WORDS, now.words_left());
        }
    }

    fn round_start(&self) -> Option<usize> {
        Some(PORT_ROUND_START)
    }
}

/// The level of the turn, and the bytes of the destination that hold the bits below it.
impl Header for Pins {
    fn first(&self) -> (u8, u8) {
        let level = routing::turn_level(self.node, self.destination);
        (level as u8, level.div_ceil(8) as u8)
    }

    fn word(&self, left: u8) -> u8 {
        (self.destination >> (8 * left)) as u8
    }
}
