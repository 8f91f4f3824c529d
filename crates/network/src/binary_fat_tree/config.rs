//! A binary fat tree as a configuration describes it: the keys `nodes` and `capacities` of
//! `[network]`, and the queues in `[router]`.

use serde_json::{Value, json};
use toml::de::DeValue;

use super::{BinaryFatTree, NodeQueues};
use crate::Network;
use crate::description::{Description, NetworkKind, WithoutNetlists};
use crate::keys::{self, NextCapacity};
use crate::traffic::{NODES_MAX, Strategy};
use crosswave_base::suggest::nearest;
use crosswave_document::{Document, Key, KeyRow, Wrong, found};

const CAPACITIES: Key = ("network", "capacities");
const QUEUE: Key = ("router", "queue_packets");
const DUPLEX: Key = ("router", "duplex");

/// Messages about routing nodes with queues.
const WITHOUT_NETLISTS: WithoutNetlists = WithoutNetlists {
    why: "routing nodes with queues of more than 8 packets are a model without a netlist",
    help: "set run.engine = \"event\", or router.queue_packets to 8 or less",
    export_help: "export a network with shorter queues, as with --set router.queue_packets=8",
};

/// The row of the registry.
pub const KIND: NetworkKind = NetworkKind {
    name: "binary-fat-tree",
    title: "binary fat tree",
    of: "of packet nodes",
    keys: &[&[
        KeyRow {
            key: ("network", "nodes"),
            value: "integer",
            default: "required",
            legal: "a power of two, 2 to 2^20",
            only: "",
            meaning: "The number of nodes.",
        },
        KeyRow {
            key: CAPACITIES,
            value: "string, integer, or a list of integers",
            default: "`\"exponential\"`",
            legal: "`\"exponential\"` (1, 2, 4, 8, …), `\"constant\"` (1, 1, 1, …), or a list with \
                 one entry per level that begins with 1 and does not decrease",
            only: "",
            meaning: "The number of links in the channel below each level; links beyond twice those of \
                 the level below are left out, since they are of no use.",
        },
        KeyRow {
            key: QUEUE,
            value: "integer or string",
            default: "`0`",
            legal: "0 to 65,534, or `\"unlimited\"`; queues of more than 8 packets are models for \
                 the event engine",
            only: "",
            meaning: "The most packets that wait for one output of a router.",
        },
        KeyRow {
            key: DUPLEX,
            value: "string",
            default: "`\"full\"`",
            legal: "`\"full\"`; with queues also `\"half\"`",
            only: "",
            meaning: "Whether links carry packets both ways in every cycle, or up in even cycles and \
                 down in odd ones.",
        },
    ]],
    packets: true,
    broadcasts: true,
    strategies: &["none"],
    nodes: Some(|value| keys::nodes(value, 1, 2..=NODES_MAX)),
    models: Some(&WITHOUT_NETLISTS),
    chips: &["bft_node", "packet_switch_q8", "packet_interface"],
    samples: &[
        "[network]\nkind='binary-fat-tree'\nnodes=16\n[traffic]\npattern='cyclic-shift'\nshift=8\nwords=2",
        "[network]\nkind='binary-fat-tree'\nnodes=8\n[router]\nqueue_packets=8\nduplex='half'\n\
     [traffic]\npattern='random'\nwords=2\nrepeat=2",
    ],
};

/// The largest entry of a list of capacities.
const CAPACITY_MAX: u32 = NODES_MAX / 2;

/// A binary fat tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BinaryFatTreeConfig {
    /// The links of the channel below each level.
    pub capacities: Vec<u32>,
    /// The queues, where there are some.
    pub queues: Option<NodeQueues>,
}

impl BinaryFatTreeConfig {
    /// The tree.
    ///
    /// # Panics
    /// When there is none of these capacities.
    pub fn tree(&self) -> BinaryFatTree {
        let tree = BinaryFatTree::new(self.capacities.clone());
        match self.queues {
            Some(queues) => tree.with_queues(queues),
            None => tree,
        }
    }
}

impl Description for BinaryFatTreeConfig {
    fn read(document: &mut Document<'_>, nodes: Option<u32>) -> BinaryFatTreeConfig {
        let levels = nodes.map(|nodes| nodes.ilog2() as usize);
        let given = document.value(CAPACITIES, |value| capacities(value, levels));
        let exponential = || (0..levels.unwrap_or(1)).map(|level| 1 << level).collect();
        let packets = document.value(QUEUE, keys::queue_packets).unwrap_or(0);
        let duplex = document.choice(DUPLEX, &[("full", false), ("half", true)]);
        let half_duplex = duplex.unwrap_or(false);
        if packets == 0 && half_duplex && !document.failed(QUEUE) {
            let wrong = Wrong::new(
                "found \"half\"; expected \"full\" without queues",
                "packets have to wait for their turn: such as router.queue_packets = \"unlimited\"",
            );
            document.wrong(DUPLEX, None, wrong);
        }
        BinaryFatTreeConfig {
            capacities: given.unwrap_or_else(exponential),
            queues: (packets > 0).then_some(NodeQueues {
                packets,
                half_duplex,
            }),
        }
    }

    fn kind(&self) -> &'static NetworkKind {
        &KIND
    }

    fn nodes(&self) -> u32 {
        1 << self.capacities.len()
    }

    fn levels(&self) -> Vec<u32> {
        keys::powers(1, self.nodes())
    }

    fn tables(&self) -> Vec<(&'static str, Value)> {
        let network = json!({
            "kind": KIND.name,
            "nodes": self.nodes(),
            "capacities": self.capacities,
        });
        let packets = self.queues.map_or(0, |queues| queues.packets);
        let is_half = self.queues.is_some_and(|queues| queues.half_duplex);
        let duplex = if is_half { "half" } else { "full" };
        let router =
            json!({ "queue_packets": keys::queue_packets_value(packets), "duplex": duplex });
        vec![("network", network), ("router", router)]
    }

    fn build(&self, _: Strategy) -> Network {
        Box::new(self.tree())
    }
}

/// The capacities of a tree of so many levels: by name, or each. Without levels only what can be
/// seen without them is looked at.
fn capacities(value: &DeValue<'_>, levels: Option<usize>) -> Result<Vec<u32>, Vec<Wrong>> {
    const NAMES: [&str; 2] = ["exponential", "constant"];
    let count = levels.unwrap_or(1);
    if let DeValue::Array(entries) = value {
        let next = NextCapacity {
            is_legal: |before, number| number >= before,
            expected: |before| format!("{before} to {CAPACITY_MAX}"),
            help: "capacities do not fall towards the root",
        };
        return keys::listed_capacities(entries, levels, CAPACITY_MAX, &next);
    }
    match value.as_str() {
        Some(name) if name == NAMES[0] => Ok((0..count).map(|level| 1 << level).collect()),
        Some(name) if name == NAMES[1] => Ok(vec![1; count]),
        text => {
            let message = format!(
                "{}; expected \"exponential\", \"constant\" or a list",
                found(value)
            );
            let help = match text.and_then(|text| nearest(text, &NAMES)) {
                Some(name) => format!("did you mean {name:?}?"),
                None => "give a name, or a list with one entry per level".into(),
            };
            Err(vec![Wrong::new(message, help)])
        }
    }
}
