//! The kinds of networks: the registry.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use super::bidelta::config::{self as bidelta, BideltaConfig};
use super::binary_fat_tree::config::{self as binary_fat_tree, BinaryFatTreeConfig};
use super::butterfly::config::{self as butterfly, ButterflyConfig};
use super::description::{Description, NetworkKind, TreeRouting};
use super::fat_tree::config::{self as fat_tree, FatTreeConfig};
use super::faults::Faults;
use super::frame_network::config::{
    self as frame, ButterflyFatTreeConfig, FatPyramidConfig, FatStackConfig,
};
use super::mport_tree::config::{self as mport_tree, MportPacketTreeConfig, MportTreeConfig};
use super::own::config::{self as own, CustomConfig, MeshConfig, RingConfig, TorusConfig};
use super::topology::Network;
use super::transit::config::{self as transit, TransitConfig};
use crate::traffic::Strategy;
use crosswave_base::diagnostic::Diagnostic;
use crosswave_component::OwnNetlist;
use crosswave_document::{Document, Key, Wrong};

/// Lists the kinds.
macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident($config:ty) = $kind:expr;)*) => {
        /// All kinds of networks.
        pub const KINDS: &[&NetworkKind] = &[$($kind),*];

        /// A network of one kind or another.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum NetworkConfig {
            $($(#[$doc])* $variant($config),)*
        }

        impl NetworkConfig {
            /// Reads the keys that a kind takes, for a network of so many nodes where that is
            /// known. What is wrong gets a stand-in.
            fn read_kind(
                kind: &'static NetworkKind,
                document: &mut Document<'_>,
                nodes: Option<u32>,
            ) -> NetworkConfig {
                $(if kind.name == $kind.name {
                    return NetworkConfig::$variant(<$config>::read(document, nodes));
                })*
                unreachable!("the kind is one of KINDS")
            }

            fn description(&self) -> &dyn Description {
                match self {
                    $(NetworkConfig::$variant(config) => config,)*
                }
            }
        }
    };
}

kinds! {
    /// A fat tree of four-port routers.
    FatTree(FatTreeConfig) = &fat_tree::KIND;
    /// A bidelta network of RN1.
    Bidelta(BideltaConfig) = &bidelta::KIND;
    /// A dilated butterfly of RN1.
    Butterfly(ButterflyConfig) = &butterfly::KIND;
    /// Transit's fat trees of RN1.
    Transit(TransitConfig) = &transit::KIND;
    /// A packet-switched binary fat tree.
    BinaryFatTree(BinaryFatTreeConfig) = &binary_fat_tree::KIND;
    /// An m-port n-tree of circuit switches.
    MportTree(MportTreeConfig) = &mport_tree::KIND;
    /// An m-port n-tree of packet switches.
    MportPacketTree(MportPacketTreeConfig) = &mport_tree::PACKET_KIND;
    /// A butterfly fat tree of wormhole switches.
    ButterflyFatTree(ButterflyFatTreeConfig) = &frame::TREE_KIND;
    /// A fat stack of wormhole switches.
    FatStack(FatStackConfig) = &frame::STACK_KIND;
    /// A fat pyramid of wormhole switches.
    FatPyramid(FatPyramidConfig) = &frame::PYRAMID_KIND;
    /// A mesh of a designer's own routers.
    Mesh(MeshConfig) = &own::MESH_KIND;
    /// A torus of them.
    Torus(TorusConfig) = &own::TORUS_KIND;
    /// A ring of them.
    Ring(RingConfig) = &own::RING_KIND;
    /// A network of them as a list has it.
    Custom(CustomConfig) = &own::CUSTOM_KIND;
}

/// The key that names the kind.
pub const KIND: Key = ("network", "kind");

impl NetworkConfig {
    /// Reads the tables of a network: its kind, itself, and its number of nodes where that is
    /// known. What is wrong gets a stand-in.
    pub fn read(document: &mut Document<'_>) -> (&'static NetworkKind, NetworkConfig, Option<u32>) {
        const NODES: Key = ("network", "nodes");
        let kinds: Vec<(&str, &NetworkKind)> =
            KINDS.iter().map(|kind| (kind.name, *kind)).collect();
        let kind = document.choice(KIND, &kinds).unwrap_or(KINDS[0]);
        let needed = [
            (KIND, "kind = \"fat-tree\"", true),
            (NODES, "nodes = 64", kind.nodes.is_some()),
        ];
        for (key, example, is_needed) in needed {
            if is_needed && !document.has(key) {
                let wrong = Wrong::new("missing; it has no default", format!("such as {example}"));
                document.wrong(key, None, wrong);
            }
        }
        let mistakes = document.mistakes.len();
        let given = kind.nodes.and_then(|read| document.value(NODES, read));
        let network = NetworkConfig::read_kind(kind, document, given);
        let follows = kind.nodes.is_none() && document.mistakes.len() == mistakes;
        let nodes = given.or_else(|| follows.then(|| network.nodes()));
        (kind, network, nodes)
    }

    /// Reads the tables of a network and of its faults from a text that has no others.
    ///
    /// # Errors
    /// All that is wrong with the text, each with its place.
    ///
    /// ```
    /// use crosswave_network::NetworkConfig;
    /// let (tree, faults) = NetworkConfig::parse("[network]\nkind='fat-tree'\nnodes=64\n").unwrap();
    /// assert_eq!((tree.nodes(), faults.is_empty()), (64, true));
    /// let mistakes = NetworkConfig::parse("[network]\nkind='fat-tree'\nnodes=63\n").unwrap_err();
    /// assert_eq!(mistakes[0].place, "network.nodes");
    /// ```
    pub fn parse(text: &str) -> Result<(NetworkConfig, Faults), Vec<Diagnostic>> {
        let rows = KINDS.iter().flat_map(|kind| kind.rows()).map(|row| row.key);
        let mut tables: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (table, key) in rows.chain([KIND]) {
            let keys = tables.entry(table).or_default();
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let tables: Vec<(&str, Vec<&str>)> = tables.into_iter().collect();
        let (mut document, is_whole) = Document::read(text, &[], &tables);
        if !is_whole {
            return Err(document.mistakes);
        }
        let (_, network, _) = NetworkConfig::read(&mut document);
        let faults = Faults::read(&mut document);
        match document.mistakes.is_empty() {
            true => Ok((network, faults)),
            false => Err(document.mistakes),
        }
    }

    /// Its kind.
    pub fn kind(&self) -> &'static NetworkKind {
        self.description().kind()
    }

    /// Number of nodes.
    pub fn nodes(&self) -> u32 {
        self.description().nodes()
    }

    /// Nodes of a group of each level ([`Description::levels`]).
    pub fn levels(&self) -> Vec<u32> {
        self.description().levels()
    }

    /// Nodes along each axis ([`Description::axes`]).
    pub fn axes(&self) -> Vec<u32> {
        self.description().axes()
    }

    /// The weights of levels in traffic that fits ([`Description::level_weights`]).
    pub fn level_weights(&self) -> Option<Vec<u32>> {
        self.description().level_weights()
    }

    /// Its routing, where it is an m-port n-tree.
    pub fn routing(&self) -> Option<TreeRouting> {
        self.description().routing()
    }

    /// The netlists of its chips that are none of the program's.
    pub fn own_netlists(&self) -> Vec<&'static OwnNetlist> {
        self.description().own_netlists()
    }

    /// The files that its keys in `[network]` name ([`Description::files`]).
    pub fn files(&self) -> Vec<(&'static str, PathBuf, &'static str)> {
        self.description().files()
    }

    /// Its tables, with all their keys in a fixed order.
    pub fn tables(&self) -> Vec<(&'static str, Value)> {
        self.description().tables()
    }

    /// The network, whose nodes send by a strategy.
    ///
    /// # Panics
    /// When the strategy is not one of [`NetworkKind::strategies`].
    pub fn build(&self, strategy: Strategy) -> Network {
        self.description().build(strategy)
    }
}
