//! K paths of the many, drawn at random for each pair.
//!
//! The paths of a pair are keyed by (seed, source, destination), so that they are the same whatever is
//! asked before. They differ from each other; a pair with fewer than K takes all. Floyd's algorithm
//! draws them with K random numbers, however many there are to choose from.

use super::modulo::{PATHS_MAX, units};
use super::{Routing, Share};
use crate::tree::PortTree;
use crosswave_base::random;

/// The random stream of paths.
const STREAM: u64 = u64::from_be_bytes(*b"obl-path");

/// K paths at random.
#[derive(Debug, Clone, Copy)]
pub struct Drawn {
    tree: PortTree,
    paths: u32,
    seed: u64,
    units: u32,
}

impl Drawn {
    /// The routing with `paths` paths for each pair that has so many.
    ///
    /// # Panics
    /// Unless 1 <= `paths` <= [`PATHS_MAX`].
    pub fn new(tree: PortTree, paths: u32, seed: u64) -> Self {
        assert!(
            (1..=PATHS_MAX).contains(&paths),
            "a pair takes 1 to {PATHS_MAX} paths"
        );
        Drawn {
            tree,
            paths,
            seed,
            units: units(tree, paths),
        }
    }
}

impl Routing for Drawn {
    fn tree(&self) -> PortTree {
        self.tree
    }

    fn name(&self) -> String {
        match self.paths {
            1 => "random".to_owned(),
            paths => format!("random, {paths} paths"),
        }
    }

    fn units(&self) -> u32 {
        self.units
    }

    fn shares(&self, source: u32, destination: u32, shares: &mut Vec<Share>) {
        let tops = self.tree.tops(source, destination);
        let paths = self.paths.min(tops);
        let units = self.units / paths;
        let pair = u64::from(source) << 32 | u64::from(destination);
        let mut generator = random::generator(random::key(self.seed, STREAM, pair), STREAM);
        shares.clear();
        for last in tops - paths..tops {
            let drawn = match last {
                0 => 0,
                _ => random::below(&mut generator, u64::from(last) + 1) as u32,
            };
            let place = |top| shares.binary_search_by_key(&top, |share: &Share| share.top);
            // Whatever was drawn before is below `last`.
            let (top, place) = match place(drawn) {
                Err(place) => (drawn, place),
                Ok(_) => (last, shares.len()),
            };
            shares.insert(place, Share { top, units });
        }
    }
}
