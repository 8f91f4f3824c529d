//! Flits and credits: what is on a link of a fat stack or pyramid.
//!
//! Chen & Sha fix which switches are joined, and nothing of what passes between them. All of it is
//! assumed:
//!
//! A *packet* is a row of flits, of a byte each: the numbers of the output ports of the switches
//! on its way, each of which is swallowed where it is used; three flits with the number of its
//! message, the low byte first; and a body. The final flit is marked. At the far end of a link is
//! a *buffer* of [`DEPTH`] places; who sends into it has a *credit* for each place that is free,
//! and gets one back whenever a flit leaves the buffer.
//!
//! | field | bits | holds |
//! |---|---|---|
//! | `data` | 0 to 7 | the flit |
//! | `valid` | 8 | 1 with a flit; a link at rest is 0 |
//! | `last` | 9 | the flit is the final one of its packet |
//! | `credit` | 10 | a place came free in the buffer that the other direction of the link fills |

use super::LinkWord;
use super::protocol::{Encoding, Origin, encodings, state_names};
use crosswave_probe::signal::StateName;

encodings! {
    STACK_DEPTH, 0, 4, Assumed, "places of the buffer at the end of a link: as many as the cycles that a flit and its credit take";
    STACK_IDLE, 2, 0, Assumed, "input of a switch: the next flit is the number of an output";
    STACK_WANTING, 2, 1, Assumed, "input of a switch: asks for an output";
    STACK_HOLDING, 2, 2, Assumed, "input of a switch: holds an output until the final flit has gone";
    STACK_DISCARDING, 2, 3, Assumed, "input of a switch: discards a packet for an output that is not there";
    STACK_TX_IDLE, 3, 0, Assumed, "sender: no packet";
    STACK_TX_ROUTE, 3, 1, Assumed, "sender: a port of the route is next";
    STACK_TX_NUMBER, 3, 2, Assumed, "sender: a byte of the message's number is next";
    STACK_TX_BODY, 3, 3, Assumed, "sender: a flit of the body is next";
    STACK_TX_DONE, 3, 4, Assumed, "sender: the final flit is on the wire";
    STACK_RX_IDLE, 2, 0, Assumed, "receiver: no packet";
    STACK_RX_SECOND, 2, 1, Assumed, "receiver: the second byte of the message's number is next";
    STACK_RX_THIRD, 2, 2, Assumed, "receiver: the third byte of the message's number is next";
    STACK_RX_BODY, 2, 3, Assumed, "receiver: a flit of the body is next";
}

state_names! {
    /// States of an input of a switch.
    INPUT_STATES:
    "IDLE" = STACK_IDLE,
    "WANTING" = STACK_WANTING,
    "HOLDING" = STACK_HOLDING,
    "DISCARDING" = STACK_DISCARDING,
}

state_names! {
    /// States of the sender of an interface.
    TX_STATES:
    "IDLE" = STACK_TX_IDLE,
    "ROUTE" = STACK_TX_ROUTE,
    "NUMBER" = STACK_TX_NUMBER,
    "BODY" = STACK_TX_BODY,
    "DONE" = STACK_TX_DONE,
}

state_names! {
    /// States of the receiver of an interface.
    RX_STATES:
    "IDLE" = STACK_RX_IDLE,
    "SECOND" = STACK_RX_SECOND,
    "THIRD" = STACK_RX_THIRD,
    "BODY" = STACK_RX_BODY,
}

/// Places of the buffer at the end of a link.
pub const DEPTH: u8 = STACK_DEPTH as u8;

/// Bit of a [`LinkWord`] that says its flit is the final one of a packet.
pub const LAST: LinkWord = 1 << 9;
/// Bit of a [`LinkWord`] that gives a credit to the other direction.
pub const CREDIT: LinkWord = 1 << 10;
/// A flit without its valid bit: last and data.
pub(super) const FLIT: LinkWord = LAST | 0xff;

/// The credits of who sends into a buffer, after a clock in which a flit went or none, and a
/// credit came or none. A credit for a place that nobody took is ignored.
pub(super) fn credits_left(credits: u8, sends: bool, regains: bool) -> u8 {
    (credits - u8::from(sends) + u8::from(regains)).min(DEPTH)
}

/// Writes the ports of one link port of a table.
macro_rules! stack_link {
    ($link:expr, $name:literal) => {
        $crate::ports::link_ports! { $link, $name:
            Input("_in_valid", 1, 8, "a flit comes in");
            Input("_in_data", 8, 0, "the flit; 0 when not valid");
            Input("_in_last", 1, 9, "it is the final one of its packet");
            Output("_in_credit", 1, 10, "a place came free for flits that come in");
            Output("_out_valid", 1, 8, "a flit goes out");
            Output("_out_data", 8, 0, "the flit; 0 when not valid");
            Output("_out_last", 1, 9, "it is the final one of its packet");
            Input("_out_credit", 1, 10, "a place came free for flits that go out");
        }
    };
}

pub(super) use stack_link;
