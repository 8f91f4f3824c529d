//! The receiver of a network interface at a network of circuits, which checks a message and answers
//! it; registers as in `hdl/circuit_receiver.v`.
//!
//! Source: Strumpen & Krishnamurthy 2005, sections 3 and 7. Payload: assumed.
//! `hdl/network_interface.md` has the state machine.

use serde::{Deserialize, Serialize};

use super::protocol::{RX_IDLE, RX_RECEIVING, signature};
use super::{ACK, COLLISION, LinkWord, VALID};

/// The registers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CircuitReceiver {
    receiving: bool,
    expected: u8,
    mismatch: bool,
    pub(super) done: bool,
    pub(super) error: bool,
}

impl CircuitReceiver {
    /// A clock edge: the answer that it drives behind it.
    pub(super) fn step(
        &mut self,
        node: u32,
        early_acknowledge: bool,
        arriving: LinkWord,
    ) -> LinkWord {
        let valid = arriving & VALID != 0;
        let last = self.receiving && !valid;
        let first = valid && !self.receiving;
        self.done = last && !self.mismatch;
        self.error = last && self.mismatch;
        let answer = match (early_acknowledge, self.done, self.error) {
            (true, _, _) if first => ACK,
            (false, true, _) => ACK,
            (false, _, true) => COLLISION,
            _ => 0,
        };
        let expected = if self.receiving {
            self.expected
        } else {
            signature(u64::from(node))
        };
        self.mismatch = self.receiving && self.mismatch || valid && arriving as u8 != expected;
        if valid {
            self.expected = expected.wrapping_add(1);
        }
        self.receiving = valid;
        answer
    }

    /// The value of the port that shows its state.
    pub(super) fn state(&self) -> u64 {
        if self.receiving {
            RX_RECEIVING
        } else {
            RX_IDLE
        }
    }
}
