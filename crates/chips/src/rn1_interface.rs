//! `rn1_interface`: the network interface of a processor at a network of RN1.
//!
//! Source: DeHon 1990, section 1.2 (two inputs into the network, one used at a time,
//! and two outputs from it). Payload, routing bytes and the law of the waits:
//! assumed. `hdl/rn1_interface.md` gives protocol, states and timing.
//!
//! The model holds the registers of `hdl/rn1_interface*.v`, but clears those that no
//! longer matter, so that an interface with nothing to do has 0 in all but `tx_stage`.

mod checks;
mod lane;
mod receiver;
mod sender;

use serde::{Deserialize, Serialize};

use smallvec::{SmallVec, smallvec};

use super::endpoint::{Endpoint, Notice, ObservedPort, SendRequest};
use super::ports::{chip, model_types};
use super::rn1::{WIRES, input_link, is_status, output_link};
use super::rn1_protocol::{RN1_RX_STATES, RN1_TX_STATES, RN1_WORDS};
use super::{LinkWord, Model, RandomPins};
use receiver::ConnectionReceiver;
use sender::ConnectionSender;

pub use lane::LANE;

/// Link ports into the network, `T0` and the next.
pub const T0: usize = 0;
/// Link ports out of the network, `R0` and the next.
pub const R0: usize = 2;
/// Most routers of a path.
pub const STAGES_MAX: u32 = 15;

/// First of the twelve streams of the waits.
pub const STREAM_WAIT: u64 = 0x400;
/// Stream of the choice of a port.
pub const STREAM_PORT: u64 = 0x410;

chip! {
    name: rn1_interface,
    links: ["t0", "t1", "r0", "r1"],
    words: &RN1_WORDS,
    sources: [
        "rn1_interface.v", "rn1_interface_sender.v", "rn1_interface_receiver.v",
        "rn1_interface_checks.v", "rn1_checksum.v",
    ],
    ports {
        option("node", 20, "address of this node") => pub PORT_NODE, node: u32;
        option("strategy", 2, "retry: 0 immediate, 1 random wait, 2 back-off")
            => pub PORT_STRATEGY, strategy: u8;
        option("backoff_limit", 4, "largest exponent of a wait, 0 to 12")
            => pub PORT_BACKOFF_LIMIT, backoff_limit: u8;
        option("tx_enable", 2, "which of t0 and t1 are used; both: one at random")
            => pub PORT_TX_ENABLE, tx_enable: u8;
        option("rotation", 2, "of what comes at r0 and r1, in steps of two bits to the left")
            => pub PORT_ROTATION, rotation: u8;
        option("rx_delay", 5, "extra cycles of the wires to r0 and r1")
            => pub PORT_RX_DELAY, rx_delay: u8;
        option("turns", 4, "how often a connection is turned; 0: ended")
            => pub PORT_TURNS, turns: u8;
        option("reply_words", 16, "words of a reply minus one")
            => pub PORT_REPLY_WORDS, reply_words: u16;
        option("reply_delay", 8, "idle words in front of a reply")
            => pub PORT_REPLY_DELAY, reply_delay: u8;
        option("close_drop", 1, "1: a connection that was turned is closed by a drop")
            => pub PORT_CLOSE_DROP, close_drop: bool;
        random("random_wait", 12, STREAM_WAIT, "the waits are drawn from it");
        random("random_port", 1, STREAM_PORT, "chooses t0 or t1");
        host_input("tx_request", 1, "a message is offered; held until tx_done")
            => pub PORT_TX_REQUEST, request: bool;
        host_input("tx_destination", 20, "its destination")
            => pub PORT_TX_DESTINATION, destination: u32;
        host_input("tx_words", 20, "data words of a request minus one")
            => pub PORT_TX_WORDS, words: u32;
        host_input("tx_route", 32, "the routing bytes, the first in bits 7 to 0")
            => pub PORT_TX_ROUTE, route: u32;
        host_input("tx_route_bytes", 2, "their number minus one")
            => pub PORT_TX_ROUTE_BYTES, route_bytes: u8;
        host_input("tx_stages", 4, "routers on the route, 1 to 15") => pub PORT_TX_STAGES, stages: u8;
        host_input(
            "tx_swallows", 16,
            "bit s: router s of the route, from 0, swallows a byte; at most 3",
        ) => pub PORT_TX_SWALLOWS, swallows: u16;
        host_output("tx_launch", 1, "the first byte of an attempt is on the wire")
            => pub PORT_TX_LAUNCH;
        host_output("tx_blocked", 1, "an attempt was blocked, the path is free again")
            => pub PORT_TX_BLOCKED;
        host_output("tx_reply", 1, "the first word of the first reply came") => pub PORT_TX_REPLY;
        host_output("tx_done", 1, "the message is over") => pub PORT_TX_DONE;
        host_output("tx_error", 1, "with tx_done: a checksum, status or reply was wrong")
            => pub PORT_TX_ERROR;
        host_output("tx_stage", 4, "routers that said connected in the latest attempt")
            => pub PORT_TX_STAGE;
        host_output("rx0_open", 1, "the first word of a connection came at r0")
            => pub PORT_RX0_OPEN;
        host_output("rx1_open", 1, "the first word of a connection came at r1")
            => pub PORT_RX1_OPEN;
        host_output("rx0_done", 1, "a request came at r0 and was right") => pub PORT_RX0_DONE;
        host_output("rx1_done", 1, "a request came at r1 and was right") => pub PORT_RX1_DONE;
        host_output("rx0_error", 1, "a request came at r0 and was wrong") => pub PORT_RX0_ERROR;
        host_output("rx1_error", 1, "a request came at r1 and was wrong") => pub PORT_RX1_ERROR;
        output_link!(T0, "t0");
        output_link!(T0 + 1, "t1");
        input_link!(R0, "r0");
        input_link!(R0 + 1, "r1");
        state("tx_state", 4, RN1_TX_STATES, "state of the sender") => pub PORT_TX_STATE;
        state("r0_state", 3, RN1_RX_STATES, "state of the receiver at r0") => pub PORT_R0_STATE;
        state("r1_state", 3, RN1_RX_STATES, "state of the receiver at r1") => pub PORT_R1_STATE;
    }
    /// Configuration and host pins of one interface.
    pub struct Pins saved as [
        node, destination, words, route, swallows, reply_words, reply_delay, strategy,
        backoff_limit, tx_enable, stages, rotation, rx_delay, turns, route_bytes, close_drop,
        request,
    ];
}

/// The ports that show that the first word of a connection came, for each receiver.
pub const OPENED: [usize; 2] = [PORT_RX0_OPEN, PORT_RX1_OPEN];
/// The ports that show that a request came and was right, for each receiver.
pub const RECEIVED: [usize; 2] = [PORT_RX0_DONE, PORT_RX1_DONE];

/// A node that opens a connection for every message, and may turn it for replies.
#[derive(Debug)]
pub struct Connection;

impl Endpoint for Connection {
    fn shows(&self) -> &'static [ObservedPort] {
        const fn shown(port: usize, notice: Notice) -> ObservedPort {
            ObservedPort { port, notice }
        }
        const REJECTED: Notice = Notice::Rejected {
            stage: Some(PORT_TX_STAGE),
        };
        const ACKNOWLEDGED: Notice = Notice::Acknowledged {
            wrong: Some(PORT_TX_ERROR),
        };
        const SHOWN: &[ObservedPort] = &[
            shown(RECEIVED[0], Notice::Received),
            shown(RECEIVED[1], Notice::Received),
            shown(OPENED[0], Notice::Opened),
            shown(OPENED[1], Notice::Opened),
            shown(PORT_TX_LAUNCH, Notice::Launched),
            shown(PORT_TX_BLOCKED, REJECTED),
            shown(PORT_TX_REPLY, Notice::Replied),
            shown(PORT_TX_DONE, ACKNOWLEDGED),
        ];
        SHOWN
    }

    fn takes_routes(&self) -> bool {
        true
    }

    fn pins(&self, ask: &SendRequest<'_>) -> SmallVec<[(usize, u64); 7]> {
        let (route, route_bytes) = ask.route_value();
        let way = ask.route.map_or((0, 0), |way| (way.stages, way.swallows));
        smallvec![
            (PORT_TX_REQUEST, u64::from(ask.request)),
            (PORT_TX_DESTINATION, u64::from(ask.destination)),
            (PORT_TX_WORDS, ask.words_left()),
            (PORT_TX_ROUTE, route),
            (PORT_TX_ROUTE_BYTES, route_bytes),
            (PORT_TX_STAGES, u64::from(way.0)),
            (PORT_TX_SWALLOWS, u64::from(way.1)),
        ]
    }
}

/// Registers of one interface, apart from those that drive its link ports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    sender: ConnectionSender,
    receivers: [ConnectionReceiver; 2],
}

/// The model.
#[derive(Debug)]
pub struct Rn1Interface;

/// True when a word says that nothing more comes: 00 or aa.
fn is_rest_or_drop(word: LinkWord) -> bool {
    word == (word & 2) * 0x55
}

impl Model for Rn1Interface {
    model_types!(State, Pins, [LinkWord; 4]);
    const STEP_REPORTS_OUTPUT_CHANGE: bool = true;

    fn step(
        state: &mut State,
        pins: &Pins,
        random: &impl RandomPins,
        words: &mut [LinkWord],
    ) -> bool {
        let before = *state;
        let back = [words[T0] & WIRES, words[T0 + 1] & WIRES];
        let sent = state.sender.step(pins, random, back);
        words[T0..R0].copy_from_slice(&sent);
        for (receiver, word) in state.receivers.iter_mut().zip(&mut words[R0..]) {
            *word = receiver.step(pins, *word & WIRES);
        }
        // A random wait or port is drawn together with a change of state, so an unchanged state
        // needs no further edge.
        *state != before
    }

    fn output(state: &State, port: usize) -> u64 {
        let sender = &state.sender;
        let [r0, r1] = &state.receivers;
        match port {
            PORT_TX_LAUNCH => u64::from(sender.launched),
            PORT_TX_BLOCKED => u64::from(sender.blocked),
            PORT_TX_REPLY => u64::from(sender.replied),
            PORT_TX_DONE => u64::from(sender.done),
            PORT_TX_ERROR => u64::from(sender.failed),
            PORT_TX_STAGE => u64::from(sender.connected),
            PORT_RX0_OPEN => u64::from(r0.opened),
            PORT_RX1_OPEN => u64::from(r1.opened),
            PORT_RX0_DONE => u64::from(r0.done),
            PORT_RX1_DONE => u64::from(r1.done),
            PORT_RX0_ERROR => u64::from(r0.failed),
            PORT_RX1_ERROR => u64::from(r1.failed),
            PORT_TX_STATE => u64::from(sender.state),
            PORT_R0_STATE => u64::from(r0.state),
            PORT_R1_STATE => u64::from(r1.state),
            _ => 0,
        }
    }
}
