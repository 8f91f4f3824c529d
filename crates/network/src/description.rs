//! Descriptions: of a kind of network by itself, and of one network by a configuration.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use toml::de::DeValue;

use super::topology::Network;
use crate::traffic::Strategy;
use crosswave_component::OwnNetlist;
use crosswave_document::{Document, KeyRow, Wrong};
use crosswave_oblivious::failures::rerouted::ShareMove;
use crosswave_oblivious::routing::Routing;

/// Reads a number of nodes.
pub type ReadNodes = fn(&DeValue<'_>) -> Result<u32, Vec<Wrong>>;

/// A kind of network.
pub struct NetworkKind {
    /// Its name in a configuration.
    pub name: &'static str,
    /// Its name in a sentence.
    pub title: &'static str,
    /// Its components, in words that follow the name.
    pub of: &'static str,
    /// The keys that it takes, beside those that all networks take, in groups.
    pub keys: &'static [&'static [KeyRow]],
    /// True when messages are packets.
    pub packets: bool,
    /// True when routers replicate packets, for messages to all nodes.
    pub broadcasts: bool,
    /// The names of its retry strategies, the default first.
    pub strategies: &'static [&'static str],
    /// Reads a number of nodes; none where other keys say how many there are.
    pub nodes: Option<ReadNodes>,
    /// The messages for chips that are models without netlists; `None` when there are none.
    pub models: Option<&'static WithoutNetlists>,
    /// The names of its chips that have netlists, whatever its options are.
    pub chips: &'static [&'static str],
    /// Small runs as configurations, of a few hundred messages, which stand for the kind where
    /// something is done with all kinds: one at least, and one for each set of chips.
    pub samples: &'static [&'static str],
}

/// Messages about chips that are models without netlists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WithoutNetlists {
    /// The chips that have none.
    pub why: &'static str,
    /// Advice for a run without netlists.
    pub help: &'static str,
    /// Advice for an export without netlists.
    pub export_help: &'static str,
}

impl WithoutNetlists {
    /// The messages for kinds that do not set their own.
    pub const DEFAULT: WithoutNetlists = WithoutNetlists {
        why: "chips of this network are models without netlists",
        help: "set run.engine = \"event\"",
        export_help: "export a network of chips that are in Verilog",
    };
}

/// The routing of an m-port n-tree, and what of the tree has failed.
#[derive(Debug, Clone)]
pub struct TreeRouting {
    /// The routing of the tree without failures.
    pub intact: Arc<dyn Routing>,
    /// The file that it was read from.
    pub file: Option<PathBuf>,
    /// The names of switches and links that have failed.
    pub failed: Vec<String>,
    /// Rule by which paths over them move.
    pub reroute: ShareMove,
}

/// The description of a network by a configuration.
pub trait Description {
    /// Reads the keys that its kind takes, for a network of so many nodes where that is known.
    /// What is wrong gets a stand-in.
    fn read(document: &mut Document<'_>, nodes: Option<u32>) -> Self
    where
        Self: Sized;

    /// Its kind.
    fn kind(&self) -> &'static NetworkKind;

    /// Number of nodes.
    fn nodes(&self) -> u32;

    /// Nodes of a group of each level, the lowest first, as
    /// [`Locality`](crate::traffic::Locality) has them.
    fn levels(&self) -> Vec<u32>;

    /// Nodes along each axis, for a node's coordinates: the number of the node is its first
    /// coordinate, plus as many as are along the first axis times the second one, and so on. A
    /// network that is no grid has one axis.
    fn axes(&self) -> Vec<u32> {
        vec![self.nodes()]
    }

    /// Messages through each level in traffic that fits the network, relative to the other levels;
    /// `None` when no traffic fits better than other.
    fn level_weights(&self) -> Option<Vec<u32>> {
        None
    }

    /// Its routing, where it is an m-port n-tree.
    fn routing(&self) -> Option<TreeRouting> {
        None
    }

    /// The netlists of its chips that are none of the program's.
    fn own_netlists(&self) -> Vec<&'static OwnNetlist> {
        Vec::new()
    }

    /// The files that its keys in `[network]` name, with the names that they have in an export.
    fn files(&self) -> Vec<(&'static str, PathBuf, &'static str)> {
        Vec::new()
    }

    /// Its tables, with all their keys in a fixed order.
    fn tables(&self) -> Vec<(&'static str, Value)>;

    /// The network, whose nodes send by a strategy.
    ///
    /// # Panics
    /// When the strategy is not one of [`NetworkKind::strategies`].
    fn build(&self, strategy: Strategy) -> Network;
}

impl NetworkKind {
    /// The messages for chips that are models without netlists.
    pub fn without_netlists(&self) -> &'static WithoutNetlists {
        self.models.unwrap_or(&WithoutNetlists::DEFAULT)
    }

    /// The keys that it takes, beside those that all networks take.
    pub fn rows(&self) -> impl Iterator<Item = &'static KeyRow> {
        self.keys.iter().copied().flatten()
    }
}

impl fmt::Debug for NetworkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
