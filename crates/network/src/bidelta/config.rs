//! A bidelta network as a configuration describes it: the key `link_delay_cycles` of
//! `[network]`, and the table `[interface]`.

use serde_json::{Value, json};

use super::{Bidelta, LINK_DELAY_CYCLES_MAX, LOOP_BACK_CYCLES, NODES_MIN, StageWires};
use crate::Network;
use crate::description::{Description, NetworkKind};
use crate::faults;
use crate::keys::{self, LinkDelayRules};
use crate::rn1_nodes::{self, InterfaceConfig};
use crate::traffic::{NODES_MAX, Strategy};
use crosswave_document::{Document, Key, KeyRow};

const LOOP_BACK: Key = ("network", "loop_back_cycles");

/// The clocks of the loop back.
const LOOP_BACK_ROW: KeyRow = KeyRow {
    key: LOOP_BACK,
    value: "integer",
    default: "`1`",
    legal: "0 to 31",
    only: "",
    meaning: "The cycles that wires take from the last stage back to the nodes.",
};

/// The row of the registry.
pub const KIND: NetworkKind = NetworkKind {
    name: "bidelta",
    title: "bidelta network",
    of: "of RN1",
    keys: &[
        &[
            KeyRow {
                key: ("network", "nodes"),
                value: "integer",
                default: "required",
                legal: "a power of four, 16 to 2^20",
                only: "",
                meaning: "The number of nodes.",
            },
            KeyRow {
                key: ("network", "link_delay_cycles"),
                value: "integer, or a list of them, or `\"geometry\"`",
                default: "`\"geometry\"`",
                legal: "`\"geometry\"` (the length of the wires between stacks), 0 to 31 for all \
                     stages, or a list with one entry per stage except the last",
                only: "",
                meaning: "The extra cycles that a word takes between stages.",
            },
        ],
        &[LOOP_BACK_ROW],
        &rn1_nodes::KEYS,
        &faults::KEYS,
    ],
    packets: false,
    broadcasts: false,
    strategies: rn1_nodes::STRATEGIES,
    nodes: Some(|value| keys::nodes(value, 2, NODES_MIN..=NODES_MAX)),
    models: None,
    chips: &["rn1", "rn1_interface", "rn1_delay_line", "rn1_fault_line"],
    samples: &[
        "[network]\nkind='bidelta'\nnodes=16\n[traffic]\npattern='random'\nwords=3\nrepeat=2\n\
     [interface]\nreply_words=2\n[retry]\nstrategy='random'",
        "[network]\nkind='bidelta'\nnodes=64\n[traffic]\npattern='random'\nmessages=24\nwords=2\n\
     [interface]\nturns=0",
    ],
};

/// A bidelta network of RN1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BideltaConfig {
    /// The number of nodes, a power of four, 16 to 2^20.
    pub nodes: u32,
    /// Extra clocks of the links between stages.
    pub link_delay_cycles: StageWires,
    /// Clocks of the wires back to the nodes.
    pub loop_back_cycles: u32,
    /// `[interface]`: what the network interfaces do.
    pub interface: InterfaceConfig,
}

impl BideltaConfig {
    /// The network, whose nodes send by a strategy.
    ///
    /// # Panics
    /// When the strategy is not one of networks of RN1.
    pub fn network(&self, strategy: Strategy) -> Bidelta {
        Bidelta {
            stages: self.nodes.ilog2() / 2,
            wires: self.link_delay_cycles.clone(),
            loop_back: self.loop_back_cycles,
            interface: self.interface.interface(strategy),
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
                return Ok(StageWires::Geometry);
            }
            keys::link_delays(value, &rules, places).map(StageWires::Given)
        });
        BideltaConfig {
            nodes: nodes.unwrap_or(NODES_MIN),
            link_delay_cycles: wires.unwrap_or(StageWires::Geometry),
            loop_back_cycles: document
                .integer32(LOOP_BACK, 0..=LINK_DELAY_CYCLES_MAX)
                .unwrap_or(LOOP_BACK_CYCLES),
            interface: InterfaceConfig::read(document),
        }
    }

    fn kind(&self) -> &'static NetworkKind {
        &KIND
    }

    fn nodes(&self) -> u32 {
        self.nodes
    }

    fn levels(&self) -> Vec<u32> {
        keys::powers(2, self.nodes)
    }

    fn tables(&self) -> Vec<(&'static str, Value)> {
        let delays = match &self.link_delay_cycles {
            StageWires::Geometry => json!("geometry"),
            StageWires::Given(delays) => json!(delays),
        };
        let network = json!({
            "kind": KIND.name,
            "nodes": self.nodes,
            "link_delay_cycles": delays,
            "loop_back_cycles": self.loop_back_cycles,
        });
        vec![("network", network), ("interface", json!(self.interface))]
    }

    fn build(&self, strategy: Strategy) -> Network {
        Box::new(self.network(strategy))
    }
}
