//! OMRMN: each of the (m/2)^x shortest paths of a pair carries as much (section III).
//!
//! It is optimal for every traffic (theorem 1), which makes the base load the load of an optimal
//! routing (corollary 1).

use super::{Routing, Share};
use crate::tree::PortTree;

/// All shortest paths, evenly.
#[derive(Debug, Clone, Copy)]
pub struct EveryPath {
    tree: PortTree,
}

impl EveryPath {
    /// The routing of a tree.
    pub fn new(tree: PortTree) -> Self {
        EveryPath { tree }
    }
}

impl Routing for EveryPath {
    fn tree(&self) -> PortTree {
        self.tree
    }

    fn name(&self) -> String {
        "OMRMN".to_owned()
    }

    fn units(&self) -> u32 {
        self.tree.power(self.tree.levels() - 1)
    }

    fn shares(&self, source: u32, destination: u32, shares: &mut Vec<Share>) {
        let tops = self.tree.tops(source, destination);
        let units = self.units() / tops;
        shares.clear();
        shares.extend((0..tops).map(|top| Share { top, units }));
    }
}
