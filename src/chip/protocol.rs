//! The protocol table: every encoding, written once.
//!
//! The Verilog header `hdl/include/protocol.vh`, the constants of the models
//! and the state names in waveforms come from here. Each row says whether the
//! paper fixes it or whether it was chosen here.

use crate::probe::signal::StateName;

/// Where an encoding comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Fixed by Strumpen & Krishnamurthy 2005.
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
    /// What it means.
    pub doc: &'static str,
}

macro_rules! protocol {
    ($($name:ident, $width:literal, $value:literal, $origin:ident, $doc:literal;)*) => {
        $(#[doc = $doc] pub const $name: u64 = $value;)*
        /// All rows.
        pub const TABLE: &[Encoding] = &[
            $(Encoding { name: stringify!($name), width: $width, value: $value,
                         origin: Origin::$origin, doc: $doc },)*
        ];
    };
}

protocol! {
    ADDRESS_WIDTH, 0, 20, Assumed, "bits of a node address: up to 2^20 nodes";
    LEVEL_WIDTH, 0, 5, Assumed, "bits of a router level, and of the turn level in the first header word";
    PATH_BITS, 0, 8, Assumed, "address bits in one path word of a header";
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

/// States of the sender of a network interface.
pub const TX_STATES: &[StateName] = &[
    StateName {
        value: TX_IDLE,
        name: "IDLE",
    },
    StateName {
        value: TX_ROUND,
        name: "ROUND",
    },
    StateName {
        value: TX_BACKOFF,
        name: "BACKOFF",
    },
    StateName {
        value: TX_HEADER,
        name: "HEADER",
    },
    StateName {
        value: TX_BODY,
        name: "BODY",
    },
    StateName {
        value: TX_WAIT,
        name: "WAIT",
    },
    StateName {
        value: TX_RETRY,
        name: "RETRY",
    },
    StateName {
        value: TX_DONE,
        name: "DONE",
    },
];

/// States of the receiver of a network interface.
pub const RX_STATES: &[StateName] = &[
    StateName {
        value: RX_IDLE,
        name: "IDLE",
    },
    StateName {
        value: RX_RECEIVING,
        name: "RECEIVING",
    },
];

/// The check value of a node's address: word `i` of a message body is the
/// signature of its destination plus `i`, modulo 256.
pub fn signature(node: u64) -> u8 {
    (node ^ (node >> 8) ^ (node >> 16 & 0xf)) as u8
}
