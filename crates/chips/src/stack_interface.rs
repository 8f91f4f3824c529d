//! `stack_interface`: the network interface of a node of a fat stack or pyramid.
//!
//! All of it is assumed ([`stack`](super::stack)). A sender and a receiver know nothing of each
//! other; a message is a packet, sent by a way that the host gives, and is over for its sender
//! when its final flit is on the wire. `hdl/stack_interface.md` gives protocol and timing.

use serde::{Deserialize, Serialize};
use smallvec::{SmallVec, smallvec};

use super::endpoint::{Endpoint, Notice, ObservedPort, SendRequest};
use super::ports::{chip, model_types};
use super::stack::{
    CREDIT, DEPTH, LAST, RX_STATES, STACK_RX_BODY, STACK_RX_IDLE, STACK_RX_SECOND, STACK_RX_THIRD,
    STACK_TX_BODY, STACK_TX_DONE, STACK_TX_IDLE, STACK_TX_NUMBER, STACK_TX_ROUTE, TX_STATES,
    credits_left, stack_link,
};
use super::{LinkWord, Model, RandomPins, VALID};

/// Flits of a body, minus one, have so many bits.
const WORDS_MASK: u32 = (1 << 20) - 1;

chip! {
    name: stack_interface,
    links: ["net"],
    words: &[],
    sources: ["stack_interface.v", "stack_sender.v", "stack_receiver.v"],
    ports {
        host_input("tx_request", 1, "a packet is offered; held until tx_done")
            => pub PORT_TX_REQUEST, request: bool;
        host_input("tx_id", 24, "the number of its message") => pub PORT_TX_ID, id: u32;
        host_input("tx_words", 20, "flits of its body minus one") => pub PORT_TX_WORDS, words: u32;
        host_input("tx_hops", 4, "switches of its route minus one") => pub PORT_TX_HOPS, hops: u8;
        host_input(
            "tx_route_low", 64,
            "output ports of the last eight switches of its route, the last in bits 7 to 0",
        ) => pub PORT_TX_ROUTE_LOW, route_low: u64;
        host_input("tx_route_high", 64, "output ports of the switches before those")
            => pub PORT_TX_ROUTE_HIGH, route_high: u64;
        host_output("tx_launch", 1, "its first flit is on the wire") => pub PORT_TX_LAUNCH;
        host_output("tx_done", 1, "its final flit is on the wire") => pub PORT_TX_DONE;
        host_output("rx_valid", 1, "a whole packet has come") => pub PORT_RX_VALID;
        host_output("rx_id", 24, "the number of its message") => pub PORT_RX_ID;
        host_output("rx_words", 20, "flits of its body minus one") => pub PORT_RX_WORDS;
        host_output("rx_wrong", 1, "its body was not as it was sent, or was missing")
            => pub PORT_RX_WRONG;
        stack_link!(0, "net");
        state("tx_state", 3, TX_STATES, "state of the sender") => PORT_TX_STATE;
        state("tx_credits", 3, &[], "flits that may go out before a credit comes")
            => PORT_TX_CREDITS;
        state("rx_state", 2, RX_STATES, "state of the receiver") => PORT_RX_STATE;
    }
    /// Host pins of one interface.
    pub struct Pins saved as [route_low, route_high, id, words, hops, request];
}

/// A node that sends a message as one packet of flits, by a way that its host gives.
#[derive(Debug)]
pub struct Wormhole;

impl Endpoint for Wormhole {
    fn shows(&self) -> &'static [ObservedPort] {
        const SHOWN: &[ObservedPort] = &[
            ObservedPort {
                port: PORT_RX_VALID,
                notice: Notice::Arrived {
                    id: PORT_RX_ID,
                    wrong: PORT_RX_WRONG,
                },
            },
            ObservedPort {
                port: PORT_TX_LAUNCH,
                notice: Notice::Launched,
            },
            ObservedPort {
                port: PORT_TX_DONE,
                notice: Notice::Sent,
            },
        ];
        SHOWN
    }

    fn takes_routes(&self) -> bool {
        true
    }

    fn pins(&self, ask: &SendRequest<'_>) -> SmallVec<[(usize, u64); 7]> {
        let [hops, high, low] = ask.ports_of_way();
        smallvec![
            (PORT_TX_REQUEST, u64::from(ask.request)),
            (PORT_TX_ID, u64::from(ask.packet.id)),
            (PORT_TX_WORDS, ask.words_left()),
            (PORT_TX_HOPS, hops),
            (PORT_TX_ROUTE_LOW, low),
            (PORT_TX_ROUTE_HIGH, high),
        ]
    }
}

impl Pins {
    /// The output port of the switch of the way behind which so many are left.
    fn port(&self, left: u8) -> u8 {
        let route = u128::from(self.route_high) << 64 | u128::from(self.route_low);
        (route >> (8 * u32::from(left))) as u8
    }
}

/// The next flit or packet of a sender.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Next {
    /// No packet.
    #[default]
    Idle,
    /// The port of the switch of the way behind which so many are left.
    Route(u8),
    /// This byte of the message's number, 0 to 2.
    Number(u8),
    /// A flit of the body, behind which so many are left.
    Body { left: u32, payload: u8 },
    /// Nothing: the final flit is on the wire.
    Done,
}

/// The registers of a sender, apart from those that drive the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct FlitSender {
    next: Next,
    credits: u8,
    launch: bool,
}

impl Default for FlitSender {
    fn default() -> FlitSender {
        FlitSender {
            next: Next::Idle,
            credits: DEPTH,
            launch: false,
        }
    }
}

impl FlitSender {
    /// The flit that goes out with a credit, and what is next behind it.
    fn flit(&self, pins: &Pins) -> Option<(LinkWord, Next)> {
        let port = |left: u8| {
            let next = left.checked_sub(1).map_or(Next::Number(0), Next::Route);
            (pins.port(left), next)
        };
        let (data, next) = match self.next {
            Next::Idle if pins.request => port(pins.hops),
            Next::Idle | Next::Done => return None,
            Next::Route(left) => port(left),
            Next::Number(byte) => {
                let body = Next::Body {
                    left: pins.words,
                    payload: pins.id as u8,
                };
                let next = if byte == 2 {
                    body
                } else {
                    Next::Number(byte + 1)
                };
                ((pins.id >> (8 * byte)) as u8, next)
            }
            Next::Body { left: 0, payload } => {
                return Some((VALID | LAST | LinkWord::from(payload), Next::Done));
            }
            Next::Body { left, payload } => {
                let next = Next::Body {
                    left: left - 1,
                    payload: payload.wrapping_add(1),
                };
                (payload, next)
            }
        };
        Some((VALID | LinkWord::from(data), next))
    }

    /// One clock edge: the flit that goes out, or 0.
    fn step(&mut self, pins: &Pins, regains: bool) -> LinkWord {
        let sent = self.flit(pins).filter(|_| self.credits > 0);
        self.launch = self.next == Next::Idle && sent.is_some();
        self.credits = credits_left(self.credits, sent.is_some(), regains);
        if self.next == Next::Done {
            self.next = Next::Idle;
        }
        let Some((flit, next)) = sent else {
            return 0;
        };
        self.next = next;
        flit
    }

    fn code(&self) -> u64 {
        match self.next {
            Next::Idle => STACK_TX_IDLE,
            Next::Route(_) => STACK_TX_ROUTE,
            Next::Number(_) => STACK_TX_NUMBER,
            Next::Body { .. } => STACK_TX_BODY,
            Next::Done => STACK_TX_DONE,
        }
    }
}

/// The registers of a receiver, apart from that which drives the link.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct FlitReceiver {
    /// Flits of the packet that have come, up to those of the number.
    begun: u8,
    valid: bool,
    wrong: bool,
    mismatch: bool,
    id: u32,
    /// Flits of the body so far minus one.
    words: u32,
}

impl FlitReceiver {
    fn step(&mut self, word: LinkWord) {
        (self.valid, self.wrong) = (false, false);
        if word & VALID == 0 {
            return;
        }
        let (data, is_last) = (word as u8, word & LAST != 0);
        if self.begun < 3 {
            let before = if self.begun == 0 { 0 } else { self.id };
            let place = 8 * self.begun;
            self.id = before & !(0xff << place) | u32::from(data) << place;
            self.words = WORDS_MASK;
            self.mismatch = is_last;
            self.begun += 1;
        } else {
            self.words = (self.words + 1) & WORDS_MASK;
            let expected = (self.words as u8).wrapping_add(self.id as u8);
            self.mismatch |= data != expected;
        }
        if is_last {
            self.begun = 0;
            (self.valid, self.wrong) = (true, self.mismatch);
        }
    }

    fn code(&self) -> u64 {
        match self.begun {
            0 => STACK_RX_IDLE,
            1 => STACK_RX_SECOND,
            2 => STACK_RX_THIRD,
            _ => STACK_RX_BODY,
        }
    }
}

/// Registers of one interface, apart from those that drive its link port.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    sender: FlitSender,
    receiver: FlitReceiver,
}

/// The model.
#[derive(Debug)]
pub struct StackInterface;

impl Model for StackInterface {
    model_types!(State, Pins, [LinkWord; 1]);

    fn step(state: &mut State, pins: &Pins, _: &impl RandomPins, words: &mut [LinkWord]) -> bool {
        let arriving = words[0];
        let was_done = state.sender.next == Next::Done;
        let flit = state.sender.step(pins, arriving & CREDIT != 0);
        state.receiver.step(arriving);
        words[0] = flit | if arriving & VALID != 0 { CREDIT } else { 0 };
        was_done || flit != 0 || arriving != 0
    }

    fn output(state: &State, port: usize) -> u64 {
        let State { sender, receiver } = state;
        match port {
            PORT_TX_LAUNCH => u64::from(sender.launch),
            PORT_TX_DONE => u64::from(sender.next == Next::Done),
            PORT_RX_VALID => u64::from(receiver.valid),
            PORT_RX_ID => u64::from(receiver.id),
            PORT_RX_WORDS => u64::from(receiver.words),
            PORT_RX_WRONG => u64::from(receiver.wrong),
            PORT_TX_STATE => sender.code(),
            PORT_TX_CREDITS => u64::from(sender.credits),
            PORT_RX_STATE => receiver.code(),
            _ => 0,
        }
    }
}
