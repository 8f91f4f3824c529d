//! Clocks to a reply through a bidelta network that is otherwise empty.
//!
//! Source: the protocol of RN1 and of its interface, `hdl/rn1.md`. A. DeHon, "Fat-Tree
//! Routing for Transit" (1990), section 1.3, says what a turn does, and no clocks.
//!
//! The network has h stages, the wires between them take w clocks in all, and B routing
//! bytes open a connection. A request has q words and its reply r. Let a message be
//! offered in clock 0. Its first routing byte is on the wire in clock 1, and what ends
//! the request, a turn or a rest, in T = 1 + B + q. That arrives in T + L, with L = h + w + 1
//! for stages, wires and the loop back (equation 4.41).
//!
//! - *Turned*: every router and every clock of a wire answers with two words, so the first
//!   word of the reply is on the asking processor's wire in T + 1 + 2 L, its end r
//!   words later, and in a register in the clock after that.
//! - *Two connections*: the host of the destination sees the request in a register in the clock
//!   after its arrival, and offers the reply in the clock after that. Then everything is as for
//!   the request.

use super::bidelta::Bidelta;

/// A request and its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exchange {
    /// Words of the request: q.
    pub request_words: u64,
    /// Words of the reply: r.
    pub reply_words: u64,
    /// Clocks of the wires between the stages: w.
    pub wire_clocks: u64,
}

impl Exchange {
    /// Clocks from the offer of the request until the end of a reply over the same
    /// connection has arrived.
    ///
    /// ```
    /// use crosswave_analytic::bidelta::Bidelta;
    /// use crosswave_analytic::replies::Exchange;
    ///
    /// let exchange = Exchange { request_words: 4, reply_words: 8, wire_clocks: 0 };
    /// let network = Bidelta::new(3).unwrap();
    /// assert_eq!(exchange.turned_clocks(network), 24);
    /// assert_eq!(exchange.two_connections_clocks(network), 27);
    /// ```
    pub fn turned_clocks(self, network: Bidelta) -> u64 {
        let on_wire = self.end_on_wire(network, self.request_words);
        let answers = 2 * network.connect_clocks(self.wire_clocks);
        on_wire + 1 + answers + self.reply_words + 1
    }

    /// The same with a reply over a connection of its own.
    pub fn two_connections_clocks(self, network: Bidelta) -> u64 {
        let one_way =
            |words| self.end_on_wire(network, words) + network.connect_clocks(self.wire_clocks) + 1;
        one_way(self.request_words) + 1 + one_way(self.reply_words)
    }

    /// Clocks from an offer until the end of so many words is on the source's wire.
    fn end_on_wire(self, network: Bidelta, words: u64) -> u64 {
        1 + u64::from(network.stack_stages()) + words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A second connection costs its routing bytes, a clock of the host and one until the
    /// first of them is on the wire, whatever is sent and however long wires are.
    #[test]
    fn what_a_second_connection_costs() {
        for stages in 2..=10 {
            let network = Bidelta::new(stages).expect("a size of the range");
            for (words, wire_clocks) in [(1, 0), (5, 0), (5, 9)] {
                let exchange = Exchange {
                    request_words: words,
                    reply_words: 2 * words,
                    wire_clocks,
                };
                let more =
                    exchange.two_connections_clocks(network) - exchange.turned_clocks(network);
                assert_eq!(more, u64::from(network.stack_stages()) + 2);
            }
        }
    }
}
