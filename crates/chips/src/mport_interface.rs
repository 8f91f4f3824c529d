//! `mport_interface`: the network interface of a node at m-port switches.
//!
//! Source: Yuan, Nienaber, Duan & Melhem, section V (a path is the ports that it takes). Sender and
//! receiver are those of `network_interface`; the header names the output port at each switch
//! of the way, as the host gives it: assumed. `hdl/mport_interface.md` gives protocol and timing.

use smallvec::{SmallVec, smallvec};

use super::circuit_sender::{Asked, Header};
use super::endpoint::{Ask, Endpoint, Shown};
use super::network_interface::{FIRST_PORTS, LAST_PORTS, State, shown};
use super::{
    Chip, LinkWord, Model, Port, RandomPins, Role, input, join, pins, port_indices, sources,
};

/// The most switches of a way.
pub const HOPS_MAX: usize = 16;

const PORTS: [Port; 29] = join(&[
    &FIRST_PORTS,
    &[
        input("tx_hops", 4, Role::Host, "switches of its way minus one"),
        input(
            "tx_route_low",
            64,
            Role::Host,
            "output ports of the last eight switches of its way, the last in bits 7 to 0",
        ),
        input(
            "tx_route_high",
            64,
            Role::Host,
            "output ports of the switches before those",
        ),
    ],
    &LAST_PORTS,
]);

/// The table of the chip.
pub static CHIP: Chip = Chip {
    name: "mport_interface",
    ports: &PORTS,
    links: &["net"],
    words: &[],
    sources: sources![
        "mport_interface.v",
        "circuit_sender.v",
        "circuit_receiver.v"
    ],
};

port_indices! { PORTS;
    pub PORT_NODE = "node";
    pub PORT_STRATEGY = "strategy";
    pub PORT_BACKOFF_LIMIT = "backoff_limit";
    pub PORT_EARLY_ACKNOWLEDGE = "early_acknowledge";
    pub PORT_ROUND_START = "round_start";
    pub PORT_TX_REQUEST = "tx_request";
    pub PORT_TX_DESTINATION = "tx_destination";
    pub PORT_TX_WORDS = "tx_words";
    pub PORT_TX_HOPS = "tx_hops";
    pub PORT_TX_ROUTE_LOW = "tx_route_low";
    pub PORT_TX_ROUTE_HIGH = "tx_route_high";
    pub PORT_TX_LAUNCH = "tx_launch";
    pub PORT_TX_COLLISION = "tx_collision";
    pub PORT_TX_DONE = "tx_done";
    pub PORT_RX_DONE = "rx_done";
    pub PORT_RX_ERROR = "rx_error";
    pub PORT_RX_STATE = "rx_state";
}

/// A node that opens a circuit for every message, by a way that its host gives.
#[derive(Debug)]
pub struct RoutedCircuit;

impl Endpoint for RoutedCircuit {
    fn shows(&self) -> &'static [Shown] {
        const SHOWN: &[Shown] = &shown(PORT_TX_LAUNCH);
        SHOWN
    }

    fn takes_routes(&self) -> bool {
        true
    }

    fn pins(&self, ask: &Ask<'_>) -> SmallVec<[(usize, u64); 7]> {
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

pins! {
    /// Configuration and host pins of one interface.
    pub struct Pins {
        route_low: u64 = PORT_TX_ROUTE_LOW,
        route_high: u64 = PORT_TX_ROUTE_HIGH,
        node: u32 = PORT_NODE,
        destination: u32 = PORT_TX_DESTINATION,
        words: u32 = PORT_TX_WORDS,
        hops: u8 = PORT_TX_HOPS,
        strategy: u8 = PORT_STRATEGY,
        backoff_limit: u8 = PORT_BACKOFF_LIMIT,
        early_acknowledge: bool = PORT_EARLY_ACKNOWLEDGE,
        round_start: bool = PORT_ROUND_START,
        request: bool = PORT_TX_REQUEST,
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

/// The model.
#[derive(Debug)]
pub struct MportInterface;

impl Model for MportInterface {
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
