//! OSRM2 and OSRM3: each up link carries what a group of sources sends, each down link what a group
//! of destinations receives (section V).
//!
//! OSRM2, on FT(m, 2), cuts the m/2 nodes of a switch into Z_s groups of N_s sources and Z_d groups of
//! N_d destinations, and takes a top switch for each pair of groups. The paper's figure 9 has
//! top switch (s_1 / N_s) N_d + d_1 / N_d, while the text needs (s_1 / N_s) Z_d + d_1 / N_d. The two
//! are one where m/2 is a square. Elsewhere, up to m = 32, the first names switches that are not there, as
//! the second does where Z_s Z_d > m/2: [`Osrm2::new`] says for which trees.
//!
//! OSRM3, on FT(m, 3), takes top switch (s_2, d_2) of the whole tree, and s_2 within a
//! SUBFT(m, 2). The last switch of its third route must be ((d_0, d_1), 2), which is wired to the
//! destination, in place of the printed ((d_0, s_1), 2).

use super::{Routing, RoutingError, Share};
use crate::tree::PortTree;

/// By what OSRM2 multiplies the number of the sources' group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Osrm2Index {
    /// N_d, the size of a group of destinations, as in figure 9.
    Printed,
    /// Z_d, the number of those groups.
    Corrected,
}

/// OSRM2.
#[derive(Debug, Clone, Copy)]
pub struct Osrm2 {
    tree: PortTree,
    /// N_s.
    sources: u32,
    /// N_d.
    destinations: u32,
    /// Top switches from a group of sources to the next one.
    step: u32,
}

impl Osrm2 {
    /// The routing of a tree.
    ///
    /// # Errors
    /// Unless the tree has two levels, and where the index names a switch that is not there.
    pub fn new(tree: PortTree, index: Osrm2Index) -> Result<Self, RoutingError> {
        let routing = match index {
            Osrm2Index::Printed => "OSRM2 as printed",
            Osrm2Index::Corrected => "OSRM2",
        };
        if tree.levels() != 2 {
            return Err(RoutingError::Levels {
                routing,
                tree,
                expected: 2,
            });
        }
        let half = tree.half();
        let destination_groups = half.isqrt();
        let source_groups = match destination_groups.pow(2) == half {
            true => destination_groups,
            false => destination_groups + 1,
        };
        let destinations = half.div_ceil(destination_groups);
        let osrm2 = Osrm2 {
            tree,
            sources: half.div_ceil(source_groups),
            destinations,
            step: match index {
                Osrm2Index::Printed => destinations,
                Osrm2Index::Corrected => destination_groups,
            },
        };
        let top = osrm2.top(half - 1, half - 1);
        match top < half {
            true => Ok(osrm2),
            false => Err(RoutingError::TopSwitch {
                routing,
                tree,
                top,
                tops: half,
            }),
        }
    }

    fn top(&self, source_digit: u32, destination_digit: u32) -> u32 {
        source_digit / self.sources * self.step + destination_digit / self.destinations
    }
}

impl Routing for Osrm2 {
    fn tree(&self) -> PortTree {
        self.tree
    }

    fn name(&self) -> String {
        "OSRM2".to_owned()
    }

    fn units(&self) -> u32 {
        1
    }

    fn shares(&self, source: u32, destination: u32, shares: &mut Vec<Share>) {
        let half = self.tree.half();
        let top = match self.tree.meeting_height(source, destination) {
            0 => 0,
            _ => self.top(source % half, destination % half),
        };
        shares.clear();
        shares.push(Share { top, units: 1 });
    }
}

/// OSRM3.
#[derive(Debug, Clone, Copy)]
pub struct Osrm3 {
    tree: PortTree,
}

impl Osrm3 {
    /// The routing of a tree.
    ///
    /// # Errors
    /// Unless the tree has three levels.
    pub fn new(tree: PortTree) -> Result<Self, RoutingError> {
        match tree.levels() {
            3 => Ok(Osrm3 { tree }),
            _ => Err(RoutingError::Levels {
                routing: "OSRM3",
                tree,
                expected: 3,
            }),
        }
    }
}

impl Routing for Osrm3 {
    fn tree(&self) -> PortTree {
        self.tree
    }

    fn name(&self) -> String {
        "OSRM3".to_owned()
    }

    fn units(&self) -> u32 {
        1
    }

    fn shares(&self, source: u32, destination: u32, shares: &mut Vec<Share>) {
        let half = self.tree.half();
        let top = match self.tree.meeting_height(source, destination) {
            0 => 0,
            1 => source % half,
            _ => source % half * half + destination % half,
        };
        shares.clear();
        shares.push(Share { top, units: 1 });
    }
}
