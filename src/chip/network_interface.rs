//! `network_interface`: a node's sender and receiver.
//!
//! Source: Strumpen & Krishnamurthy 2005, sections 3 and 7 (at most one
//! message each way, three retry strategies, retry 1 clock after the collision
//! is sensed). Header, payload and the law of the back-off: assumed.
//! `hdl/network_interface.md` draws the state machines and the timing.

use serde::{Deserialize, Serialize};

use smallvec::{SmallVec, smallvec};

use super::endpoint::{Ask, Endpoint, Notice, Shown};
use super::protocol::{
    RX_IDLE, RX_RECEIVING, RX_STATES, STRATEGY_BACKOFF, STRATEGY_ROUNDS, TX_BACKOFF, TX_BODY,
    TX_DONE, TX_HEADER, TX_IDLE, TX_RETRY, TX_ROUND, TX_STATES, TX_WAIT, signature,
};
use super::{
    ACK, COLLISION, Chip, LinkWord, Model, Port, RandomKind, RandomPins, Role, VALID, input, join,
    link_ports, output, pins, port_indices, sources,
};
use crate::routing;

/// First of the twelve streams of the back-off.
const STREAM_WAIT: u64 = 0x200;

const PORTS: [Port; 26] = join(&[
    &[
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

/// The table of the chip.
pub static CHIP: Chip = Chip {
    name: "network_interface",
    ports: &PORTS,
    links: &["net"],
    words: &[],
    sources: sources!["network_interface.v"],
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

/// A node that opens a circuit for every message, which its receiver acknowledges.
#[derive(Debug)]
pub struct Circuit;

impl Endpoint for Circuit {
    fn shows(&self) -> &'static [Shown] {
        const SHOWN: &[Shown] = &[
            Shown {
                port: PORT_RX_DONE,
                notice: Notice::Received,
            },
            Shown {
                port: PORT_TX_LAUNCH,
                notice: Notice::Launched,
            },
            Shown {
                port: PORT_TX_COLLISION,
                notice: Notice::Rejected { stage: None },
            },
            Shown {
                port: PORT_TX_DONE,
                notice: Notice::Acknowledged { wrong: None },
            },
        ];
        SHOWN
    }

    fn pins(&self, ask: &Ask<'_>) -> SmallVec<[(usize, u64); 7]> {
        smallvec![
            (PORT_TX_REQUEST, u64::from(ask.request)),
            (PORT_TX_DESTINATION, u64::from(ask.destination)),
            (PORT_TX_WORDS, ask.words_left()),
        ]
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
    words_left: u32,
    wait_left: u16,
    tx_state: u8,
    header_left: u8,
    payload: u8,
    exponent: u8,
    acknowledged: bool,
    launch: bool,
    collision: bool,
    done: bool,
    receiving: bool,
    expected: u8,
    mismatch: bool,
    rx_done: bool,
    rx_error: bool,
}

/// The model.
#[derive(Debug)]
pub struct NetworkInterface;

impl State {
    /// The sender: what it drives after the edge.
    fn send(&mut self, pins: &Pins, random: &impl RandomPins, answer: LinkWord) -> LinkWord {
        let state = u64::from(self.tx_state);
        let by_rounds = u64::from(pins.strategy) == STRATEGY_ROUNDS;
        let by_backoff = u64::from(pins.strategy) == STRATEGY_BACKOFF;
        let sending = matches!(state, TX_HEADER | TX_BODY | TX_WAIT);
        let collision = sending && answer & COLLISION != 0;
        let settled = answer & ACK != 0 || self.acknowledged;
        let finished = state == TX_WAIT && settled && !collision;

        let mut wait = 0;
        if state == TX_BACKOFF {
            wait = self.wait_left;
        } else if state == TX_RETRY && by_backoff {
            for bit in 0..u64::from(self.exponent).min(12) {
                wait |= u16::from(random.bit(STREAM_WAIT + bit, RandomKind::Fair)) << bit;
            }
        }
        let offered = state == TX_IDLE && pins.request;
        let launch = if by_rounds {
            (offered || state == TX_ROUND) && pins.round_start
        } else {
            offered || matches!(state, TX_RETRY | TX_BACKOFF) && wait == 0
        } || state == TX_BACKOFF && wait == 0;

        if state == TX_IDLE {
            self.exponent = 1;
        } else if state == TX_RETRY && self.exponent != pins.backoff_limit {
            self.exponent = (self.exponent + 1) & 0xf;
        }
        if matches!(state, TX_RETRY | TX_BACKOFF) {
            self.wait_left = wait.wrapping_sub(1) & 0xfff;
        }
        self.acknowledged = sending && settled && !collision && !finished;
        self.launch = launch;
        self.collision = collision;
        self.done = finished;

        let mut word = 0;
        let next = if launch {
            let level = routing::turn_level(pins.node, pins.destination);
            self.header_left = level.div_ceil(8) as u8;
            self.words_left = pins.words;
            self.payload = signature(u64::from(pins.destination));
            word = VALID | level as LinkWord;
            TX_HEADER
        } else if collision {
            TX_RETRY
        } else if finished {
            TX_DONE
        } else if state == TX_HEADER && self.header_left != 0 {
            self.header_left -= 1;
            word = VALID | (pins.destination >> (8 * self.header_left) & 0xff) as LinkWord;
            TX_HEADER
        } else if matches!(state, TX_HEADER | TX_BODY) {
            word = VALID | LinkWord::from(self.payload);
            self.payload = self.payload.wrapping_add(1);
            let last = self.words_left == 0;
            self.words_left = self.words_left.wrapping_sub(1) & 0xf_ffff;
            if last { TX_WAIT } else { TX_BODY }
        } else if offered || state == TX_RETRY && by_rounds {
            TX_ROUND
        } else if state == TX_RETRY {
            TX_BACKOFF
        } else if state == TX_DONE {
            TX_IDLE
        } else {
            state
        };
        self.tx_state = next as u8;
        word
    }

    /// The receiver: the answer it drives after the edge.
    fn receive(&mut self, pins: &Pins, arriving: LinkWord) -> LinkWord {
        let valid = arriving & VALID != 0;
        let last = self.receiving && !valid;
        let first = valid && !self.receiving;
        self.rx_done = last && !self.mismatch;
        self.rx_error = last && self.mismatch;
        let answer = match (pins.early_acknowledge, self.rx_done, self.rx_error) {
            (true, _, _) if first => ACK,
            (false, true, _) => ACK,
            (false, _, true) => COLLISION,
            _ => 0,
        };
        let expected = if self.receiving {
            self.expected
        } else {
            signature(u64::from(pins.node))
        };
        self.mismatch = self.receiving && self.mismatch || valid && arriving as u8 != expected;
        if valid {
            self.expected = expected.wrapping_add(1);
        }
        self.receiving = valid;
        answer
    }
}

impl Model for NetworkInterface {
    type State = State;
    type Pins = Pins;
    type Word = LinkWord;
    type Words = [LinkWord; 1];
    const CHIP: &'static Chip = &CHIP;

    fn step(
        state: &mut State,
        pins: &Pins,
        random: &impl RandomPins,
        words: &mut [LinkWord],
    ) -> bool {
        let arriving = words[0];
        let forward = state.send(pins, random, arriving);
        let backward = state.receive(pins, arriving);
        words[0] = forward | backward;
        let resting = match u64::from(state.tx_state) {
            TX_IDLE => !pins.request,
            TX_ROUND => !pins.round_start,
            TX_WAIT => !state.acknowledged,
            _ => false,
        };
        !resting
            || words[0] != 0
            || state.receiving
            || state.rx_done
            || state.rx_error
            || state.launch
            || state.collision
            || state.done
    }

    fn output(state: &State, port: usize) -> u64 {
        match port {
            PORT_TX_LAUNCH => u64::from(state.launch),
            PORT_TX_COLLISION => u64::from(state.collision),
            PORT_TX_DONE => u64::from(state.done),
            PORT_RX_DONE => u64::from(state.rx_done),
            PORT_RX_ERROR => u64::from(state.rx_error),
            PORT_TX_STATE => u64::from(state.tx_state),
            PORT_RX_STATE => {
                if state.receiving {
                    RX_RECEIVING
                } else {
                    RX_IDLE
                }
            }
            _ => 0,
        }
    }
}
