//! `network_interface`: a node's sender and receiver.
//!
//! Source: Strumpen & Krishnamurthy 2005, sections 3 and 7 (at most one
//! message each way, three retry strategies, retry 1 clock after the collision
//! is sensed). Header, payload and the law of the back-off: assumed.
//! `hdl/network_interface.md` draws the state machines and the timing.

use serde::{Deserialize, Serialize};

use smallvec::{SmallVec, smallvec};

use super::circuit_receiver::Receiver;
use super::circuit_sender::{Asked, Header, STREAM_WAIT, Sender};
use super::endpoint::{Ask, Endpoint, Notice, Shown};
use super::protocol::{RX_STATES, TX_STATES};
use super::{
    Chip, LinkWord, Model, Port, RandomKind, RandomPins, Role, input, join, link_ports, output,
    pins, port_indices, sources,
};
use crate::routing;

/// The first ports of every interface at a network of circuits.
pub(super) const FIRST_PORTS: [Port; 11] = [
    input("clock", 1, Role::Clock, "rising edge"),
    input("reset", 1, Role::Reset, "synchronous, active high"),
    input("node", 20, Role::Option, "address of this node"),
    input(
        "strategy",
        2,
        Role::Option,
        "retry: 0 immediate, 1 rounds, 2 back-off",
    ),
    input(
        "backoff_limit",
        4,
        Role::Option,
        "largest exponent of the back-off, 1 to 12",
    ),
    input(
        "early_acknowledge",
        1,
        Role::Option,
        "1: acknowledge at the head; 0: after the tail",
    ),
    input(
        "random_wait",
        12,
        Role::Random {
            stream: STREAM_WAIT,
            kind: RandomKind::Fair,
        },
        "the wait of the back-off is drawn from it",
    ),
    input("round_start", 1, Role::Host, "starts a round (strategy 1)"),
    input(
        "tx_request",
        1,
        Role::Host,
        "a message is offered; held until tx_done",
    ),
    input(
        "tx_destination",
        20,
        Role::Host,
        "its destination; not this node",
    ),
    input("tx_words", 20, Role::Host, "its words minus one"),
];

/// The last ports of every interface at a network of circuits.
pub(super) const LAST_PORTS: [Port; 15] = join(&[
    &[
        output(
            "tx_launch",
            1,
            Role::Host,
            "the head of an attempt is on the wire",
        ),
        output("tx_collision", 1, Role::Host, "an attempt was rejected"),
        output("tx_done", 1, Role::Host, "the message was acknowledged"),
        output(
            "rx_done",
            1,
            Role::Host,
            "a message was received and its payload was right",
        ),
        output(
            "rx_error",
            1,
            Role::Host,
            "a message was received and its payload was wrong",
        ),
    ],
    &link_ports!(0, "net"),
    &[
        output("tx_state", 3, Role::State(TX_STATES), "state of the sender"),
        output(
            "rx_state",
            1,
            Role::State(RX_STATES),
            "state of the receiver",
        ),
    ],
]);

const PORTS: [Port; 26] = join(&[&FIRST_PORTS, &LAST_PORTS]);

/// The table of the chip.
pub static CHIP: Chip = Chip {
    name: "network_interface",
    ports: &PORTS,
    links: &["net"],
    words: &[],
    sources: sources![
        "network_interface.v",
        "circuit_sender.v",
        "circuit_receiver.v"
    ],
};

port_indices! { PORTS;
    pub PORT_NODE = "node";
    pub PORT_STRATEGY = "strategy";
    pub PORT_BACKOFF_LIMIT = "backoff_limit";
    pub PORT_EARLY_ACKNOWLEDGE = "early_acknowledge";
    pub PORT_RANDOM_WAIT = "random_wait";
    pub PORT_ROUND_START = "round_start";
    pub PORT_TX_REQUEST = "tx_request";
    pub PORT_TX_DESTINATION = "tx_destination";
    pub PORT_TX_WORDS = "tx_words";
    pub PORT_TX_LAUNCH = "tx_launch";
    pub PORT_TX_COLLISION = "tx_collision";
    pub PORT_TX_DONE = "tx_done";
    pub PORT_RX_DONE = "rx_done";
    pub PORT_RX_ERROR = "rx_error";
    pub PORT_RX_STATE = "rx_state";
    PORT_TX_STATE = "tx_state";
}

/// What an interface shows whose [`LAST_PORTS`] begin at this index.
pub(super) const fn shown(first: usize) -> [Shown; 4] {
    const fn at(first: usize, port: usize, notice: Notice) -> Shown {
        Shown {
            port: first + port - PORT_TX_LAUNCH,
            notice,
        }
    }
    [
        at(first, PORT_RX_DONE, Notice::Received),
        at(first, PORT_TX_LAUNCH, Notice::Launched),
        at(first, PORT_TX_COLLISION, Notice::Rejected { stage: None }),
        at(first, PORT_TX_DONE, Notice::Acknowledged { wrong: None }),
    ]
}

/// A node that opens a circuit for every message, which its receiver acknowledges.
#[derive(Debug)]
pub struct Circuit;

impl Endpoint for Circuit {
    fn shows(&self) -> &'static [Shown] {
        const SHOWN: &[Shown] = &shown(PORT_TX_LAUNCH);
        SHOWN
    }

    fn pins(&self, ask: &Ask<'_>) -> SmallVec<[(usize, u64); 7]> {
        smallvec![
            (PORT_TX_REQUEST, u64::from(ask.request)),
            (PORT_TX_DESTINATION, u64::from(ask.destination)),
            (PORT_TX_WORDS, ask.words_left()),
        ]
    }

    fn drive(&self, before: &Ask<'_>, now: &Ask<'_>, drive: &mut dyn FnMut(usize, u64)) {
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

pins! {
    /// Configuration and host pins of one interface.
    pub struct Pins {
        node: u32 = PORT_NODE,
        destination: u32 = PORT_TX_DESTINATION,
        words: u32 = PORT_TX_WORDS,
        strategy: u8 = PORT_STRATEGY,
        backoff_limit: u8 = PORT_BACKOFF_LIMIT,
        early_acknowledge: bool = PORT_EARLY_ACKNOWLEDGE,
        round_start: bool = PORT_ROUND_START,
        request: bool = PORT_TX_REQUEST,
    }
}

/// Registers of one interface, apart from those that drive its link port.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    sender: Sender,
    receiver: Receiver,
}

impl State {
    /// One clock edge of an interface of a node that may acknowledge early. Returns whether it has
    /// to be evaluated in the next clock.
    pub(super) fn step(
        &mut self,
        asked: &Asked,
        header: &impl Header,
        (node, early_acknowledge): (u32, bool),
        random: &impl RandomPins,
        word: &mut LinkWord,
    ) -> bool {
        let before = *self;
        let arriving = *word;
        let forward = self.sender.step(asked, header, random, arriving);
        let backward = self.receiver.step(node, early_acknowledge, arriving);
        *word = forward | backward;
        // Who draws a wait goes on to another state at once.
        *self != before
    }

    /// The value of one of [`LAST_PORTS`], the first of which has this index.
    pub(super) fn output(&self, port: usize, first: usize) -> u64 {
        match port.wrapping_sub(first).wrapping_add(PORT_TX_LAUNCH) {
            PORT_TX_LAUNCH => u64::from(self.sender.launch),
            PORT_TX_COLLISION => u64::from(self.sender.collision),
            PORT_TX_DONE => u64::from(self.sender.done),
            PORT_RX_DONE => u64::from(self.receiver.done),
            PORT_RX_ERROR => u64::from(self.receiver.error),
            PORT_TX_STATE => u64::from(self.sender.state),
            PORT_RX_STATE => self.receiver.state(),
            _ => 0,
        }
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

/// The model.
#[derive(Debug)]
pub struct NetworkInterface;

impl Model for NetworkInterface {
    type State = State;
    type Pins = Pins;
    type Word = LinkWord;
    type Words = [LinkWord; 1];
    const ANSWERS_FOR_WORDS: bool = true;
    const CHIP: &'static Chip = &CHIP;

    fn step(
        state: &mut State,
        pins: &Pins,
        random: &impl RandomPins,
        words: &mut [LinkWord],
    ) -> bool {
        let asked = Asked {
            request: pins.request,
            destination: pins.destination,
            words: pins.words,
            strategy: pins.strategy,
            backoff_limit: pins.backoff_limit,
            round_start: pins.round_start,
        };
        let node = (pins.node, pins.early_acknowledge);
        state.step(&asked, pins, node, random, &mut words[0])
    }

    fn output(state: &State, port: usize) -> u64 {
        state.output(port, PORT_TX_LAUNCH)
    }
}
