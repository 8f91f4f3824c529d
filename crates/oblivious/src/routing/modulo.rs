//! Paths by the digits of one end: MLID by those of the source, d-mod-k by those of the
//! destination.
//!
//! A pair with h^x shortest paths, h = m/2, has them numbered from 0. Path r goes up by port
//! r mod h first, then by port (r / h) mod h, and so on: the last digit first, so that the h nodes
//! of a switch leave it by different ports. With K paths, node a takes those of the numbers
//! a, a + 1, ..., a + K - 1, modulo h^x, evenly; where there are fewer than K, all.
//!
//! The paper does not say what MLID is, and cites Lin, Chung and Huang (IPDPS 2004), where a
//! source takes the path of its rank among the nodes of its sub-fat-tree. Assumed here: the rank
//! is a mod h^x. It gives the ratios of MLID in table I.

use super::{Routing, Share};
use crate::multiple::multiple;
use crate::tree::PortTree;

/// The most paths of a pair.
pub const PATHS_MAX: u32 = 4096;

/// Whose digits choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chooser {
    /// The source: MLID.
    Source,
    /// The destination: d-mod-k.
    Destination,
}

/// The units of shares of `paths` paths, or of as many as a pair has, evenly.
pub(super) fn units(tree: PortTree, paths: u32) -> u32 {
    let taken = (0..tree.levels()).map(|height| paths.min(tree.power(height)));
    // All but the largest two divide one of these.
    taken.fold(1, |units, taken| {
        multiple(units, taken.into()).expect("at most the square of the most paths")
    })
}

/// Paths by the digits of one end.
#[derive(Debug, Clone, Copy)]
pub struct Modulo {
    tree: PortTree,
    chooser: Chooser,
    paths: u32,
    units: u32,
}

impl Modulo {
    /// The routing with `paths` paths for each pair that has so many.
    ///
    /// # Panics
    /// Unless 1 <= `paths` <= [`PATHS_MAX`].
    pub fn new(tree: PortTree, chooser: Chooser, paths: u32) -> Self {
        assert!(
            (1..=PATHS_MAX).contains(&paths),
            "a pair takes 1 to {PATHS_MAX} paths"
        );
        Modulo {
            tree,
            chooser,
            paths,
            units: units(tree, paths),
        }
    }

    /// MLID with a single path, as in table I.
    pub fn mlid(tree: PortTree) -> Self {
        Self::new(tree, Chooser::Source, 1)
    }

    /// The top switch of path `number` of a pair that meets at `meeting`.
    fn top(&self, number: u32, meeting: u32) -> u32 {
        let half = self.tree.half();
        let digits = (0..meeting).scan(number, |rest, _| {
            let digit = *rest % half;
            *rest /= half;
            Some(digit)
        });
        digits.fold(0, |top, digit| top * half + digit)
    }
}

impl Routing for Modulo {
    fn tree(&self) -> PortTree {
        self.tree
    }

    fn name(&self) -> String {
        let name = match self.chooser {
            Chooser::Source => "MLID",
            Chooser::Destination => "d-mod-k",
        };
        match self.paths {
            1 => name.to_owned(),
            paths => format!("{name}, {paths} paths"),
        }
    }

    fn units(&self) -> u32 {
        self.units
    }

    fn shares(&self, source: u32, destination: u32, shares: &mut Vec<Share>) {
        let chooser = match self.chooser {
            Chooser::Source => source,
            Chooser::Destination => destination,
        };
        let meeting = self.tree.meeting_height(source, destination);
        let tops = self.tree.power(meeting);
        let paths = self.paths.min(tops);
        let units = self.units / paths;
        shares.clear();
        shares.extend((0..paths).map(|path| Share {
            top: self.top((chooser % tops + path) % tops, meeting),
            units,
        }));
        shares.sort_unstable_by_key(|share| share.top);
    }
}
