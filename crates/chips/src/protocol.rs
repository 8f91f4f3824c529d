//! The protocol table: every encoding, written once.
//!
//! The Verilog header `hdl/include/protocol.vh`, the constants of the models
//! and the state names in waveforms come from here. Each row says whether the
//! paper fixes it or whether it was chosen here. The rows of this file are those
//! of the fat-tree router and the network interface (Strumpen & Krishnamurthy
//! 2005); [`rn1_protocol`](super::rn1_protocol) has those of RN1.

use crosswave_probe::signal::StateName;

/// Source of an encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Fixed by the paper that describes the chip.
    Paper,
    /// Left open there and chosen here.
    Assumed,
}

/// One row: a name, its value and its width in bits.
#[derive(Debug, Clone, Copy)]
pub struct Encoding {
    /// Name, in capitals; the Verilog macro is `CROSSWAVE_` and the name.
    pub name: &'static str,
    /// Width in bits; 0 for a plain number.
    pub width: u8,
    /// Value.
    pub value: u64,
    /// Paper or assumed.
    pub origin: Origin,
    /// Meaning of the code.
    pub doc: &'static str,
}

/// Writes rows as constants and as a table.
macro_rules! encodings {
    ($($name:ident, $width:literal, $value:literal, $origin:ident, $doc:literal;)*) => {
        $(#[doc = $doc] pub const $name: u64 = $value;)*
        /// All rows.
        pub const TABLE: &[Encoding] = &[
            $(Encoding { name: stringify!($name), width: $width, value: $value,
                         origin: Origin::$origin, doc: $doc },)*
        ];
    };
}

/// Writes the names of the values of a state port.
macro_rules! state_names {
    ($(#[$doc:meta])* $table:ident: $($name:literal = $value:expr,)*) => {
        $(#[$doc])*
        pub const $table: &[StateName] = &[$(StateName { value: $value, name: $name }),*];
    };
}

pub(super) use {encodings, state_names};

encodings! {
    ADDRESS_WIDTH, 0, 20, Assumed, "bits of a node address: up to 2^20 nodes";
    LEVEL_WIDTH, 0, 5, Assumed, "bits of a router level, and of the turn level in the first header word";
    PATH_BITS, 0, 8, Assumed, "address bits in one path word of a header";
    ANSWERS_MAX, 0, 4, Assumed, "release by the tail: answers that may be awaited over one link";
    STRATEGY_IMMEDIATE, 2, 0, Paper, "retry 1 clock after the collision is sensed";
    STRATEGY_ROUNDS, 2, 1, Paper, "retry when the round of all nodes is over";
    STRATEGY_BACKOFF, 2, 2, Paper, "retry after a random wait that grows with the collisions";
    TX_IDLE, 3, 0, Assumed, "sender: no message";
    TX_ROUND, 3, 1, Assumed, "sender: waits for the round to start";
    TX_BACKOFF, 3, 2, Assumed, "sender: waits after a collision";
    TX_HEADER, 3, 3, Assumed, "sender: a header word is on the wire";
    TX_BODY, 3, 4, Assumed, "sender: a body word is on the wire";
    TX_WAIT, 3, 5, Assumed, "sender: the last word was sent, the answer is awaited";
    TX_RETRY, 3, 6, Assumed, "sender: a collision was sensed";
    TX_DONE, 3, 7, Assumed, "sender: the message was acknowledged";
    RX_IDLE, 1, 0, Assumed, "receiver: no message";
    RX_RECEIVING, 1, 1, Assumed, "receiver: a message is coming in";
}

state_names! {
    /// States of the sender of a network interface.
    TX_STATES:
    "IDLE" = TX_IDLE,
    "ROUND" = TX_ROUND,
    "BACKOFF" = TX_BACKOFF,
    "HEADER" = TX_HEADER,
    "BODY" = TX_BODY,
    "WAIT" = TX_WAIT,
    "RETRY" = TX_RETRY,
    "DONE" = TX_DONE,
}

state_names! {
    /// States of the receiver of a network interface.
    RX_STATES:
    "IDLE" = RX_IDLE,
    "RECEIVING" = RX_RECEIVING,
}

/// The check value of a node's address: word `i` of a message body is the
/// signature of its destination plus `i`, modulo 256.
pub fn signature(node: u64) -> u8 {
    (node ^ (node >> 8) ^ (node >> 16 & 0xf)) as u8
}
