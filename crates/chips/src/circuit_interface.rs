//! Network interfaces at networks of circuits: all of them but their headers.
//!
//! Source: Strumpen & Krishnamurthy 2005, sections 3 and 7 (at most one message each way, three
//! retry strategies, retry 1 clock after the collision is sensed). An interface is a
//! [`CircuitSender`] and a [`CircuitReceiver`] that know nothing of each other.

use serde::{Deserialize, Serialize};

use super::circuit_receiver::CircuitReceiver;
use super::circuit_sender::{CircuitSender, Header, SenderInputs};
use super::{LinkWord, RandomPins};

/// Registers of one interface, apart from those that drive its link port.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    pub(super) sender: CircuitSender,
    pub(super) receiver: CircuitReceiver,
}

impl State {
    /// One clock edge of an interface of a node that may acknowledge early. Returns whether it has
    /// to be evaluated in the next clock.
    pub(super) fn step(
        &mut self,
        asked: &SenderInputs,
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
        // A random wait is drawn together with a change of state, so an unchanged state needs no
        // further edge.
        *self != before
    }
}

/// Writes an interface, whose pins have a [`Header`]: its table, its pins, what it shows to a host
/// (`SHOWN`) and its model. `header` has the rows of the pins that only its header needs.
macro_rules! circuit_interface {
    (
        $name:ident, $model:ident, $source:literal,
        header { $($header:tt)* }
        saved as $saved:tt
    ) => {
        $crate::ports::chip! {
            name: $name,
            links: ["net"],
            words: &[],
            sources: [$source, "circuit_sender.v", "circuit_receiver.v"],
            ports {
                option("node", 20, "address of this node") => pub PORT_NODE, node: u32;
                option("strategy", 2, "retry: 0 immediate, 1 rounds, 2 back-off")
                    => pub PORT_STRATEGY, strategy: u8;
                option("backoff_limit", 4, "largest exponent of the back-off, 1 to 12")
                    => pub PORT_BACKOFF_LIMIT, backoff_limit: u8;
                option("early_acknowledge", 1, "1: acknowledge at the head; 0: after the tail")
                    => pub PORT_EARLY_ACKNOWLEDGE, early_acknowledge: bool;
                random(
                    "random_wait", 12, $crate::circuit_sender::STREAM_WAIT,
                    "the wait of the back-off is drawn from it",
                ) => pub PORT_RANDOM_WAIT;
                host_input("round_start", 1, "starts a round (strategy 1)")
                    => pub PORT_ROUND_START, round_start: bool;
                host_input("tx_request", 1, "a message is offered; held until tx_done")
                    => pub PORT_TX_REQUEST, request: bool;
                host_input("tx_destination", 20, "its destination; not this node")
                    => pub PORT_TX_DESTINATION, destination: u32;
                host_input("tx_words", 20, "its words minus one")
                    => pub PORT_TX_WORDS, words: u32;
                $($header)*
                host_output("tx_launch", 1, "the head of an attempt is on the wire")
                    => pub PORT_TX_LAUNCH;
                host_output("tx_collision", 1, "an attempt was rejected") => pub PORT_TX_COLLISION;
                host_output("tx_done", 1, "the message was acknowledged") => pub PORT_TX_DONE;
                host_output("rx_done", 1, "a message was received and its payload was right")
                    => pub PORT_RX_DONE;
                host_output("rx_error", 1, "a message was received and its payload was wrong")
                    => pub PORT_RX_ERROR;
                circuit_link!(0, "net");
                state("tx_state", 3, $crate::protocol::TX_STATES, "state of the sender")
                    => PORT_TX_STATE;
                state("rx_state", 1, $crate::protocol::RX_STATES, "state of the receiver")
                    => pub PORT_RX_STATE;
            }
            /// Configuration and host pins of one interface.
            pub struct Pins saved as $saved;
        }

        /// Ports that tell a host what has happened.
        const SHOWN: &[$crate::endpoint::ObservedPort] = {
            use $crate::endpoint::{Notice, ObservedPort};
            &[
                ObservedPort { port: PORT_RX_DONE, notice: Notice::Received },
                ObservedPort { port: PORT_TX_LAUNCH, notice: Notice::Launched },
                ObservedPort { port: PORT_TX_COLLISION, notice: Notice::Rejected { stage: None } },
                ObservedPort { port: PORT_TX_DONE, notice: Notice::Acknowledged { wrong: None } },
            ]
        };

        /// The model.
        #[derive(Debug)]
        pub struct $model;

        impl $crate::Model for $model {
            $crate::ports::model_types!(
                $crate::circuit_interface::State, Pins, [$crate::LinkWord; 1]
            );
            const STEP_REPORTS_OUTPUT_CHANGE: bool = true;

            fn step(
                state: &mut Self::State,
                pins: &Pins,
                random: &impl $crate::RandomPins,
                words: &mut [$crate::LinkWord],
            ) -> bool {
                let asked = $crate::circuit_sender::SenderInputs {
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

            fn output(state: &Self::State, port: usize) -> u64 {
                let $crate::circuit_interface::State { sender, receiver } = state;
                match port {
                    PORT_TX_LAUNCH => u64::from(sender.launch),
                    PORT_TX_COLLISION => u64::from(sender.collision),
                    PORT_TX_DONE => u64::from(sender.done),
                    PORT_RX_DONE => u64::from(receiver.done),
                    PORT_RX_ERROR => u64::from(receiver.error),
                    PORT_TX_STATE => u64::from(sender.state),
                    PORT_RX_STATE => receiver.state(),
                    _ => 0,
                }
            }
        }
    };
}

pub(super) use circuit_interface;
