//! A butterfly as a configuration describes it: the number of nodes, and the table
//! `[interface]`.

use serde_json::{Value, json};

use super::{Butterfly, STAGES_MAX, STAGES_MIN};
use crate::Network;
use crate::description::{Description, NetworkKind};
use crate::rn1_nodes::{self, InterfaceConfig};
use crate::traffic::Strategy;
use crate::{faults, keys};
use crosswave_document::{Document, KeyRow};

/// The row of the registry.
pub const KIND: NetworkKind = NetworkKind {
    name: "butterfly",
    title: "butterfly",
    of: "of RN1",
    keys: &[
        &[KeyRow {
            key: ("network", "nodes"),
            value: "integer",
            default: "required",
            legal: "16, 64 or 256",
            only: "",
            meaning: "The number of nodes.",
        }],
        &rn1_nodes::KEYS,
        &faults::KEYS,
    ],
    packets: false,
    broadcasts: false,
    strategies: rn1_nodes::STRATEGIES,
    nodes: Some(|value| keys::nodes(value, 2, NODES_MIN..=NODES_MAX)),
    models: None,
    chips: &["rn1", "rn1_interface", "rn1_fault_line"],
    samples: &[
        "[network]\nkind='butterfly'\nnodes=16\n[traffic]\npattern='random'\nwords=2\nrepeat=2",
    ],
};

/// The fewest nodes.
const NODES_MIN: u32 = 1 << (2 * STAGES_MIN);
/// The most nodes.
const NODES_MAX: u32 = 1 << (2 * STAGES_MAX);

/// A butterfly of RN1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ButterflyConfig {
    /// The number of nodes: 16, 64 or 256.
    pub nodes: u32,
    /// `[interface]`: what the network interfaces do.
    pub interface: InterfaceConfig,
}

impl ButterflyConfig {
    /// The network, whose nodes send by a strategy.
    ///
    /// # Panics
    /// When the strategy is not one of networks of RN1.
    pub fn network(&self, strategy: Strategy) -> Butterfly {
        Butterfly {
            stages: self.nodes.ilog2() / 2,
            interface: self.interface.interface(strategy),
        }
    }
}

impl Description for ButterflyConfig {
    fn read(document: &mut Document<'_>, nodes: Option<u32>) -> ButterflyConfig {
        ButterflyConfig {
            nodes: nodes.unwrap_or(NODES_MIN),
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
        let network = json!({ "kind": KIND.name, "nodes": self.nodes });
        vec![("network", network), ("interface", json!(self.interface))]
    }

    fn build(&self, strategy: Strategy) -> Network {
        Box::new(self.network(strategy))
    }
}
