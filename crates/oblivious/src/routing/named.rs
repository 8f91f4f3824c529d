//! The routings by their names.

use std::sync::Arc;

use super::drawn::Drawn;
use super::every_path::EveryPath;
use super::grouped::{Osrm2, Osrm2Index, Osrm3};
use super::modulo::{Chooser, Modulo};
use super::widest::Widest;
use super::{Routing, RoutingError};
use crate::tree::PortTree;

/// Paths of a pair, unless something else is said.
pub const PATHS_DEFAULT: u32 = 1;

/// A routing that a tree may have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NamedRouting {
    /// All shortest paths.
    Omrmn,
    /// By groups of sources and destinations, on two levels; the index of the text.
    Osrm2,
    /// The same on three levels.
    Osrm3,
    /// The least loaded path, pair by pair.
    Wsr,
    /// By the digits of the source.
    Mlid,
    /// By those of the destination.
    #[default]
    DModK,
    /// Drawn for each pair.
    Random,
}

impl NamedRouting {
    /// All, with their names.
    pub const ALL: [(&'static str, NamedRouting); 7] = [
        ("omrmn", NamedRouting::Omrmn),
        ("osrm2", NamedRouting::Osrm2),
        ("osrm3", NamedRouting::Osrm3),
        ("wsr", NamedRouting::Wsr),
        ("mlid", NamedRouting::Mlid),
        ("d-mod-k", NamedRouting::DModK),
        ("random", NamedRouting::Random),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        let named = Self::ALL.iter().find(|(_, routing)| *routing == self);
        named.expect("all routings are listed").0
    }

    /// True when the number of paths of a pair can be chosen.
    pub fn takes_paths(self) -> bool {
        matches!(
            self,
            NamedRouting::Mlid | NamedRouting::DModK | NamedRouting::Random
        )
    }

    /// Checks that a tree has such a routing.
    ///
    /// # Errors
    /// Why not.
    pub fn check(self, tree: PortTree) -> Result<(), RoutingError> {
        match self {
            NamedRouting::Osrm2 => Osrm2::new(tree, Osrm2Index::Corrected).map(drop),
            NamedRouting::Osrm3 => Osrm3::new(tree).map(drop),
            _ => Ok(()),
        }
    }

    /// The routing of a tree, with so many paths for a pair where that is to be said; `seed` is for
    /// random ones.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn routing(
        self,
        tree: PortTree,
        paths: u32,
        seed: u64,
    ) -> Result<Arc<dyn Routing>, RoutingError> {
        Ok(match self {
            NamedRouting::Omrmn => Arc::new(EveryPath::new(tree)),
            NamedRouting::Osrm2 => Arc::new(Osrm2::new(tree, Osrm2Index::Corrected)?),
            NamedRouting::Osrm3 => Arc::new(Osrm3::new(tree)?),
            NamedRouting::Wsr => Arc::new(Widest::new(tree)),
            NamedRouting::Mlid => Arc::new(Modulo::new(tree, Chooser::Source, paths)),
            NamedRouting::DModK => Arc::new(Modulo::new(tree, Chooser::Destination, paths)),
            NamedRouting::Random => Arc::new(Drawn::new(tree, paths, seed)),
        })
    }
}
