//! Routings, as shares of each pair's traffic by top switch.
//!
//! | file | holds |
//! |---|---|
//! | [`every_path`] | OMRMN: all shortest paths, evenly (section III) |
//! | [`grouped`] | OSRM2 and OSRM3: paths by groups of sources and destinations (section V) |
//! | [`modulo`] | MLID and d-mod-k: paths by the digits of one end |
//! | [`named`] | all of them by name |
//! | [`drawn`] | K paths at random |
//! | [`widest`] | WSR: the least loaded path, pair by pair (section VI) |
//!
//! Shares are whole numbers of *units*, as many in all for every pair, so that loads are
//! exact. A routing of single paths has one unit.

pub mod drawn;
pub mod every_path;
pub mod grouped;
pub mod modulo;
pub mod named;
pub mod widest;

use std::fmt;

use super::tree::PortTree;

/// The part of a pair's traffic that takes the path by a top switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// The top switch, of the [`PortTree::tops`] that the pair has.
    pub top: u32,
    /// The units that it carries, of [`Routing::units`].
    pub units: u32,
}

/// The part of a pair's traffic that takes a port at some height.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortShare {
    /// The port of the sub-fat-tree.
    pub port: u32,
    /// The units that it carries, of [`Routing::units`].
    pub units: u32,
}

/// A routing on shortest paths.
pub trait Routing: fmt::Debug + Send + Sync {
    /// The tree that it is for.
    fn tree(&self) -> PortTree;

    /// The name, such as `MLID`.
    fn name(&self) -> String;

    /// The units that a pair's traffic is divided into.
    fn units(&self) -> u32;

    /// Fills `shares` with those of a pair, by ascending top switch, each of them once and none
    /// of 0 units. What was in there is lost.
    fn shares(&self, source: u32, destination: u32, shares: &mut Vec<Share>);

    /// Bytes of its tables; 0 of a routing that is computed.
    fn bytes(&self) -> u64 {
        0
    }
}

/// The shares of a pair that meets at `meeting` by the port they take at `height`, which is no
/// higher, ascending.
pub fn by_port(
    tree: PortTree,
    meeting: u32,
    height: u32,
    shares: &[Share],
) -> impl Iterator<Item = PortShare> {
    let tops_per_port = tree.power(meeting - height);
    let port = move |share: &Share| share.top / tops_per_port;
    let groups = shares.chunk_by(move |a, b| port(a) == port(b));
    groups.map(move |group| PortShare {
        port: port(&group[0]),
        units: group.iter().map(|share| share.units).sum(),
    })
}

/// The reason why a tree has no such routing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoutingError {
    /// The routing is for another number of levels.
    Levels {
        /// The routing.
        routing: &'static str,
        /// The tree.
        tree: PortTree,
        /// The number of levels that it is for.
        expected: u32,
    },
    /// The routing names a top switch that is not there.
    TopSwitch {
        /// The routing.
        routing: &'static str,
        /// The tree.
        tree: PortTree,
        /// The highest number that it names.
        top: u32,
        /// Number of top switches.
        tops: u32,
    },
}

impl fmt::Display for RoutingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RoutingError::Levels {
                routing,
                tree,
                expected,
            } => write!(f, "{routing}: found {tree}, expected {expected} levels"),
            RoutingError::TopSwitch {
                routing,
                tree,
                top,
                tops,
            } => write!(
                f,
                "{routing} on {tree}: found top switch {top}, expected 0 to {}",
                tops - 1
            ),
        }
    }
}

impl std::error::Error for RoutingError {}

#[cfg(test)]
mod tests;
