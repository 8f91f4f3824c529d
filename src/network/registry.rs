//! The kinds of networks: the registry.

use serde_json::Value;

use super::bidelta::config::{self as bidelta, BideltaConfig};
use super::binary_fat_tree::config::{self as binary_fat_tree, BinaryFatTreeConfig};
use super::butterfly::config::{self as butterfly, ButterflyConfig};
use super::description::{Description, Kind, TreeRouting};
use super::fat_tree::config::{self as fat_tree, FatTreeConfig};
use super::frame_network::config::{
    self as frame, ButterflyFatTreeConfig, FatPyramidConfig, FatStackConfig,
};
use super::mport_tree::config::{self as mport_tree, MportPacketTreeConfig, MportTreeConfig};
use super::topology::Network;
use super::transit::config::{self as transit, TransitConfig};
use crate::document::Document;
use crate::traffic::Strategy;

/// Lists the kinds.
macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident($config:ty) = $kind:expr;)*) => {
        /// All kinds of networks.
        pub const KINDS: &[&Kind] = &[$($kind),*];

        /// A network of one kind or another.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum NetworkConfig {
            $($(#[$doc])* $variant($config),)*
        }

        impl NetworkConfig {
            /// Reads the keys that a kind takes, for a network of so many nodes where that is
            /// known. What is wrong gets a stand-in.
            pub fn read(
                kind: &'static Kind,
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
}

impl NetworkConfig {
    /// Its kind.
    pub fn kind(&self) -> &'static Kind {
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

    /// The weights of levels in traffic that fits ([`Description::level_weights`]).
    pub fn level_weights(&self) -> Option<Vec<u32>> {
        self.description().level_weights()
    }

    /// Its routing, where it is an m-port n-tree.
    pub fn routing(&self) -> Option<TreeRouting> {
        self.description().routing()
    }

    /// Its tables, with all their keys in a fixed order.
    pub fn tables(&self) -> Vec<(&'static str, Value)> {
        self.description().tables()
    }

    /// The network, whose nodes send by a strategy.
    ///
    /// # Panics
    /// When the strategy is not one of [`Kind::strategies`].
    pub fn build(&self, strategy: Strategy) -> Network {
        self.description().build(strategy)
    }
}
