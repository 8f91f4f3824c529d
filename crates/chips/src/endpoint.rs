//! Endpoints: what a node does with its messages, as a host sees it on the pins of its
//! network interface.
//!
//! A host *asks* an endpoint to send a message ([`SendRequest`]), and the endpoint *shows* what
//! becomes of it, and what comes from other nodes ([`ObservedPort`]). The chips that are endpoints
//! say so in their own files:
//!
//! | endpoint | chip | a message is |
//! |---|---|---|
//! | [`Circuit`](super::network_interface::Circuit) | `network_interface` | a circuit with an acknowledgement |
//! | [`Connection`](super::rn1_interface::Connection) | `rn1_interface` | a connection that is turned for replies |
//! | [`Packets`](super::packet_interface::Packets) | `packet_interface` | a packet for each of its words, of which nobody is told |
//! | [`Wormhole`](super::stack_interface::Wormhole) | `stack_interface` | a packet of flits, whose sender is told when it has left |

use std::fmt::Debug;

use smallvec::SmallVec;

use crate::routing::Route;

/// The event that an output tells by being 1 for a cycle. Ports named in it are read in the same
/// cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// A whole message has come, and was right. Whose it is does not show: the clocks of the
    /// ways tell.
    Received,
    /// A packet has come.
    Arrived {
        /// Shows the number of its message.
        id: usize,
        /// Shows that it was for another node.
        wrong: usize,
    },
    /// The first word of a connection has come.
    Opened,
    /// The first word of an attempt is on the wire.
    Launched,
    /// The attempt has failed.
    Rejected {
        /// Shows how many routers had connected it.
        stage: Option<usize>,
    },
    /// An answer has come, and no attempt was under way.
    Unasked,
    /// The first word of a reply has come.
    Replied,
    /// All of a packet is on the wire, and the next one may be asked for. Nobody is told more of it here.
    Sent,
    /// The message is over, and the next one may be asked for.
    Acknowledged {
        /// Shows that something in it was wrong.
        wrong: Option<usize>,
    },
}

/// An output that is 1 for single cycles after something happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObservedPort {
    /// The port.
    pub port: usize,
    /// The event.
    pub notice: Notice,
}

impl ObservedPort {
    /// True when the port tells all there is to know, so that it can be looked at in advance and in
    /// any order of nodes.
    pub fn is_complete(&self) -> bool {
        match self.notice {
            Notice::Received | Notice::Launched | Notice::Sent | Notice::Unasked => true,
            Notice::Rejected { stage } => stage.is_none(),
            Notice::Acknowledged { wrong } => wrong.is_none(),
            Notice::Arrived { .. } | Notice::Opened | Notice::Replied => false,
        }
    }
}

/// A host's request to an endpoint.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SendRequest<'a> {
    /// A message is offered. Without one the other fields are 0 and empty.
    pub request: bool,
    /// Its destination.
    pub destination: u32,
    /// Words of its body.
    pub words: u32,
    /// Further fields of a packet.
    pub packet: PacketRequest,
    /// Its way, where a host gives it.
    pub route: Option<&'a Route>,
}

/// Fields of a packet beside its destination.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PacketRequest {
    /// The number of its message.
    pub id: u32,
    /// Its phase.
    pub phase: u32,
    /// Its destination is a set.
    pub broadcast: bool,
}

impl SendRequest<'_> {
    /// The words of the body as pins count them: minus one.
    pub fn words_left(&self) -> u64 {
        u64::from(self.words.saturating_sub(1))
    }

    /// The routing bytes as one value, the first in the lowest bits, and their number minus
    /// one.
    pub fn route_value(&self) -> (u64, u64) {
        let bytes = self.route.map_or(&[][..], |route| &route.bytes);
        let value = |value, &byte| value << 8 | u64::from(byte);
        let count = (bytes.len() as u64).saturating_sub(1);
        (bytes.iter().rev().fold(0, value), count)
    }

    /// A way whose routing bytes are the output ports of its switches, as three pins take it:
    /// switches minus one, and the ports of the switches before the last eight and of those, the
    /// last one in the lowest bits.
    pub fn ports_of_way(&self) -> [u64; 3] {
        let ports = self.route.map_or(&[][..], |route| &route.bytes);
        let packed = |ports: &[u8]| {
            let ports = ports.iter();
            ports.fold(0, |value, &port| value << 8 | u64::from(port))
        };
        let (high, low) = ports.split_at(ports.len().saturating_sub(8));
        let more = (ports.len() as u64).saturating_sub(1);
        [more, packed(high), packed(low)]
    }
}

/// A kind of node.
pub trait Endpoint: Debug + Send + Sync {
    /// The ports that tell of events, in the order in which a host takes them in.
    fn shows(&self) -> &'static [ObservedPort];

    /// The host pins and their values while so much is asked, always the same pins in the same
    /// order.
    fn pins(&self, ask: &SendRequest<'_>) -> SmallVec<[(usize, u64); 7]>;

    /// Drives what is asked now, where that differs from what was asked before: calls
    /// `drive(port, value)` for each pin that changes.
    fn drive(
        &self,
        before: &SendRequest<'_>,
        now: &SendRequest<'_>,
        drive: &mut dyn FnMut(usize, u64),
    ) {
        let pins = self.pins(before).into_iter().zip(self.pins(now));
        for (_, (port, value)) in pins.filter(|(before, now)| before != now) {
            drive(port, value);
        }
    }

    /// The host pins, and their values, that tell an endpoint of the message after the current one. It
    /// begins that message in the cycle after the end of the current one.
    fn pins_ahead(&self, _ask: &SendRequest<'_>) -> SmallVec<[(usize, u64); 4]> {
        SmallVec::new()
    }

    /// True when a host tells the next message ahead: there are pins for it.
    fn looks_ahead(&self) -> bool {
        !self.pins_ahead(&SendRequest::default()).is_empty()
    }

    /// True when a host gives it the route.
    fn takes_routes(&self) -> bool {
        false
    }

    /// The pin that starts a round, where nodes can send by rounds.
    fn round_start(&self) -> Option<usize> {
        None
    }

    /// True when its messages are connections, of which more is recorded
    /// ([`ConnectionRecord`](crosswave_probe::message::ConnectionRecord)).
    fn has_connections(&self) -> bool {
        self.shows()
            .iter()
            .any(|shown| shown.notice == Notice::Opened)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{network_interface, rn1_interface};

    #[test]
    fn only_pins_that_change_are_driven() {
        let driven = |endpoint: &dyn Endpoint, before: &SendRequest<'_>, now: &SendRequest<'_>| {
            let mut pins = Vec::new();
            endpoint.drive(before, now, &mut |port, value| pins.push((port, value)));
            pins
        };
        let ask = SendRequest {
            request: true,
            destination: 5,
            words: 3,
            packet: PacketRequest::default(),
            route: Some(&Route {
                bytes: [0x12, 0x34].into_iter().collect(),
                stages: 6,
                swallows: 8,
            }),
        };
        let longer = SendRequest { words: 4, ..ask };
        let circuit = &network_interface::Circuit;
        let request = (network_interface::PORT_TX_REQUEST, 1);
        let destination = (network_interface::PORT_TX_DESTINATION, 5);
        let words = |left| (network_interface::PORT_TX_WORDS, left);
        let first = driven(circuit, &SendRequest::default(), &ask);
        assert_eq!(first, [request, destination, words(2)]);
        assert_eq!(driven(circuit, &ask, &longer), [words(3)]);
        assert_eq!(driven(circuit, &ask, &ask), []);

        let connection = &rn1_interface::Connection;
        let ended = driven(connection, &ask, &SendRequest::default());
        assert_eq!(ended.len(), 7);
        assert!(ended.iter().all(|&(_, value)| value == 0));
        let route = driven(connection, &SendRequest::default(), &ask);
        assert!(route.contains(&(rn1_interface::PORT_TX_ROUTE, 0x3412)));
        assert!(route.contains(&(rn1_interface::PORT_TX_ROUTE_BYTES, 1)));
    }
}
