//! A bidelta network as a configuration describes it: the key `link_delay_cycles` of
//! `[network]`, and the table `[interface]`.

use serde::Serialize;
use serde_json::{Value, json};

use super::{Bidelta, Interface, LINK_DELAY_CYCLES_MAX, NODES_MIN, Wires};
use crate::chip::rn1_protocol;
use crate::document::{Document, Key, KeyRow};
use crate::network::Network;
use crate::network::description::{Description, Kind};
use crate::network::keys::{self, LinkDelayRules};
use crate::traffic::Strategy;

/// The row of the registry.
pub const KIND: Kind = Kind {
    name: "bidelta",
    title: "bidelta network",
    of: "of RN1",
    keys: &[
        KeyRow {
            key: ("network", "nodes"),
            value: "integer",
            default: "required",
            legal: "in a bidelta network a power of four, 16 to 2^20",
        },
        KeyRow {
            key: ("network", "link_delay_cycles"),
            value: "integer, or a list of them, or `\"geometry\"`",
            default: "`\"geometry\"` in a bidelta network",
            legal: "bidelta network: what the length of the wires between stacks takes, or 0 to 31 between all stages, or one entry per stage but the last",
        },
        KeyRow {
            key: TURNS,
            value: "integer",
            default: "`1`",
            legal: "0 to 15: how often a connection is turned; 0 is a message without a reply, 1 request and reply; bidelta only",
        },
        KeyRow {
            key: REPLY_WORDS,
            value: "integer",
            default: "`1`",
            legal: "1 to 65,536 words of a reply; bidelta only",
        },
        KeyRow {
            key: REPLY_DELAY,
            value: "integer",
            default: "`0`",
            legal: "0 to 255 idle clocks before a reply; bidelta only",
        },
        KeyRow {
            key: CLOSE,
            value: "string",
            default: "`\"drop\"`",
            legal: "`\"drop\"`, `\"end\"`: how a connection that was turned is closed; bidelta only",
        },
    ],
    strategies: &["immediate", "random", "backoff"],
    nodes: |value| keys::nodes(value, 2, NODES_MIN),
};

const TURNS: Key = ("interface", "turns");
const REPLY_WORDS: Key = ("interface", "reply_words");
const REPLY_DELAY: Key = ("interface", "reply_delay_cycles");
const CLOSE: Key = ("interface", "close");

/// The most turns of a connection.
pub const TURNS_MAX: u32 = 15;
/// The most words of a reply.
pub const REPLY_WORDS_MAX: u32 = 1 << 16;
/// The most cycles that a reply waits.
pub const REPLY_DELAY_CYCLES_MAX: u32 = 255;

/// A bidelta network of RN1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BideltaConfig {
    /// The number of nodes, a power of four, 16 to 2^20.
    pub nodes: u32,
    /// Extra clocks of the links between stages.
    pub link_delay_cycles: Wires,
    /// `[interface]`: what the network interfaces do.
    pub interface: InterfaceConfig,
}

/// What the network interfaces of RN1 do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct InterfaceConfig {
    /// How often a connection is turned round: 0 for a message without a reply, 1 for
    /// request and reply.
    pub turns: u32,
    /// Words of a reply.
    pub reply_words: u32,
    /// Idle cycles before a reply.
    pub reply_delay_cycles: u32,
    /// How a connection that was turned is closed.
    pub close: Close,
}

/// How a connection that was turned is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Close {
    /// By a drop, which is not answered.
    Drop,
    /// By its end, which the routers answer.
    End,
}

impl BideltaConfig {
    /// The network, whose nodes send by a strategy.
    ///
    /// # Panics
    /// When the strategy is not one of bidelta networks.
    pub fn network(&self, strategy: Strategy) -> Bidelta {
        let (strategy, backoff_limit) = match strategy {
            Strategy::Immediate => (rn1_protocol::RN1_STRATEGY_IMMEDIATE, 0),
            Strategy::Random { limit } => (rn1_protocol::RN1_STRATEGY_RANDOM, u64::from(limit)),
            Strategy::Backoff { limit } => (rn1_protocol::RN1_STRATEGY_BACKOFF, u64::from(limit)),
            Strategy::Rounds => panic!("not a strategy of bidelta networks"),
        };
        Bidelta {
            stages: self.nodes.ilog2() / 2,
            wires: self.link_delay_cycles.clone(),
            interface: Interface {
                strategy,
                backoff_limit,
                turns: u64::from(self.interface.turns),
                reply_words: u64::from(self.interface.reply_words),
                reply_delay: u64::from(self.interface.reply_delay_cycles),
                close_drop: self.interface.close == Close::Drop,
            },
        }
    }
}

impl Description for BideltaConfig {
    fn read(document: &mut Document<'_>, nodes: Option<u32>) -> BideltaConfig {
        let places = nodes.map(|nodes| nodes.ilog2() as usize / 2 - 1);
        let rules = LinkDelayRules {
            most: LINK_DELAY_CYCLES_MAX,
            place: "stage but the last",
            help: "give \"geometry\", one delay for all links between stages, or a list with one entry \
                   per stage but the last",
            help_list: "entry s is for the links from stage s to stage s+1",
        };
        let wires = document.value(("network", "link_delay_cycles"), |value| {
            if value.as_str() == Some("geometry") {
                return Ok(Wires::Geometry);
            }
            keys::link_delays(value, &rules, places).map(Wires::Given)
        });
        let closes = [("drop", Close::Drop), ("end", Close::End)];
        BideltaConfig {
            nodes: nodes.unwrap_or(NODES_MIN),
            link_delay_cycles: wires.unwrap_or(Wires::Geometry),
            interface: InterfaceConfig {
                turns: document.integer32(TURNS, 0..=TURNS_MAX).unwrap_or(1),
                reply_words: document
                    .integer32(REPLY_WORDS, 1..=REPLY_WORDS_MAX)
                    .unwrap_or(1),
                reply_delay_cycles: document
                    .integer32(REPLY_DELAY, 0..=REPLY_DELAY_CYCLES_MAX)
                    .unwrap_or(0),
                close: document.choice(CLOSE, &closes).unwrap_or(Close::Drop),
            },
        }
    }

    fn kind(&self) -> &'static Kind {
        &KIND
    }

    fn nodes(&self) -> u32 {
        self.nodes
    }

    fn tables(&self) -> Vec<(&'static str, Value)> {
        let delays = match &self.link_delay_cycles {
            Wires::Geometry => json!("geometry"),
            Wires::Given(delays) => json!(delays),
        };
        let network =
            json!({ "kind": KIND.name, "nodes": self.nodes, "link_delay_cycles": delays });
        vec![("network", network), ("interface", json!(self.interface))]
    }

    fn build(&self, strategy: Strategy) -> Network {
        Box::new(self.network(strategy))
    }
}
