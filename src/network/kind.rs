//! The kinds of networks, behind one face.

use smallvec::SmallVec;

use super::Fabric;
use super::bidelta::Bidelta;
use super::fat_tree::FatTree;
use crate::chip::{InterfacePorts, network_interface, rn1_interface};
use crate::routing::bidelta::route;

/// A network of one kind or another. In all of them array 0 has the routers and array 1
/// the network interfaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Network {
    /// A fat tree of four-port routers.
    FatTree(FatTree),
    /// A bidelta network of RN1.
    Bidelta(Bidelta),
}

/// Array of the network interfaces.
pub const NODES: usize = 1;

impl Network {
    /// Number of nodes.
    pub fn nodes(&self) -> u32 {
        match self {
            Network::FatTree(tree) => tree.nodes,
            Network::Bidelta(bidelta) => bidelta.nodes(),
        }
    }

    /// The fabric.
    pub fn fabric(&self) -> Fabric {
        match self {
            Network::FatTree(tree) => tree.fabric(),
            Network::Bidelta(bidelta) => bidelta.fabric(),
        }
    }

    /// The node of a network interface.
    #[inline]
    pub fn node_of_instance(&self, instance: usize) -> u32 {
        match self {
            Network::FatTree(tree) => tree.node_of_instance(instance),
            Network::Bidelta(bidelta) => bidelta.node_of_instance(instance),
        }
    }

    /// What its network interfaces show to a host and take from it.
    pub fn interface(&self) -> &'static InterfacePorts {
        match self {
            Network::FatTree(_) => &network_interface::INTERFACE,
            Network::Bidelta(_) => &rn1_interface::INTERFACE,
        }
    }

    /// The routing bytes that a host gives its interface for a destination; none where
    /// the interface finds the way itself.
    pub fn route(&self, destination: u32) -> SmallVec<[u8; 4]> {
        match self {
            Network::FatTree(_) => SmallVec::new(),
            Network::Bidelta(bidelta) => route(bidelta.stages, destination),
        }
    }
}
