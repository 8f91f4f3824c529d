//! A routing whose paths over failed links have moved to whole ones.
//!
//! What is left of a pair's shares stays where it is. A share that is cut moves to whole shortest paths
//! of its pair, whichever the routing has:
//!
//! - [`ShareMove::Evenly`]: to all of them, each as much;
//! - [`ShareMove::RoundRobin`]: to one of them. Of k whole paths, a share that was on top switch t
//!   takes number (source + destination + t) mod k, so that neighbours take them in turn, and
//!   nothing depends on which pair is asked first.
//!
//! A pair without whole shortest paths is *disconnected* and has no shares. Longer ways around are
//! not looked for.
//!
//! The oblivious ratio of such a routing is still exact
//! ([`ratio`](crate::ratio)), as the largest load that traffic of base load 1 between
//! connected pairs brings onto a link: rows and columns sum to 1 at most as before, an entry that must
//! be 0 takes a facet of the set, and the vertices of what is left are again partial permutations. Its
//! denominator is the base load, which is the optimal load of the intact tree.

use std::fmt::Debug;
use std::ops::Deref;

use super::Failures;
use crate::multiple::multiple;
use crate::routing::{Routing, Share};
use crate::table::UNITS_MAX;
use crate::tree::PortTree;

/// The paths that cut shares move to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShareMove {
    /// To all whole paths of the pair.
    Evenly,
    /// To one of them.
    RoundRobin,
}

/// A routing after rerouting; `R` is how it has the one before.
#[derive(Debug)]
pub struct Rerouted<R> {
    routing: R,
    failures: Failures,
    to: ShareMove,
    /// By what the units of the routing are multiplied.
    scale: u32,
}

/// The units of a pair's traffic would be more than [`UNITS_MAX`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyUnits;

impl std::fmt::Display for TooManyUnits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "paths that move evenly need shares in more than {UNITS_MAX} units; move them round robin"
        )
    }
}

impl std::error::Error for TooManyUnits {}

impl<R: Deref<Target: Routing>> Rerouted<R> {
    /// Moves the cut shares of a routing.
    ///
    /// # Errors
    /// When shares would have too many units.
    ///
    /// # Panics
    /// When the routing is of another tree than the failures.
    pub fn new(routing: R, failures: &Failures, to: ShareMove) -> Result<Self, TooManyUnits> {
        assert_eq!(routing.tree(), failures.tree(), "the tree of the routing");
        let mut scale = 1;
        if to == ShareMove::Evenly {
            let tree = routing.tree();
            let mut shares = Vec::new();
            for source in 0..tree.nodes() {
                for destination in (0..tree.nodes()).filter(|&other| other != source) {
                    routing.shares(source, destination, &mut shares);
                    let is_cut = |share: &Share| !failures.is_whole(source, destination, share.top);
                    if shares.iter().any(is_cut) {
                        let whole = failures.whole_tops(source, destination).count() as u64;
                        scale = multiple(scale, whole.max(1)).ok_or(TooManyUnits)?;
                    }
                }
            }
        }
        scale.checked_mul(routing.units()).ok_or(TooManyUnits)?;
        Ok(Rerouted {
            routing,
            failures: failures.clone(),
            to,
            scale,
        })
    }
}

impl<R> Routing for Rerouted<R>
where
    R: Deref<Target: Routing> + Debug + Send + Sync,
{
    fn tree(&self) -> PortTree {
        self.routing.tree()
    }

    fn name(&self) -> String {
        let how = match self.to {
            ShareMove::Evenly => "evenly",
            ShareMove::RoundRobin => "round robin",
        };
        format!("{}, rerouted {how}", self.routing.name())
    }

    fn units(&self) -> u32 {
        self.routing.units() * self.scale
    }

    fn bytes(&self) -> u64 {
        self.routing.bytes()
    }

    /// None for a pair that is disconnected.
    fn shares(&self, source: u32, destination: u32, shares: &mut Vec<Share>) {
        self.routing.shares(source, destination, shares);
        if source == destination {
            shares
                .iter_mut()
                .for_each(|share| share.units *= self.scale);
            return;
        }
        let (mut left, mut cut) = (Vec::new(), Vec::new());
        for mut share in shares.drain(..) {
            share.units *= self.scale;
            match self.failures.is_whole(source, destination, share.top) {
                true => left.push(share),
                false => cut.push(share),
            }
        }
        if !cut.is_empty() {
            let whole: Vec<u32> = self.failures.whole_tops(source, destination).collect();
            let Some(count) = u32::try_from(whole.len()).ok().filter(|&count| count > 0) else {
                return;
            };
            for share in cut {
                match self.to {
                    ShareMove::Evenly => left.extend(whole.iter().map(|&top| Share {
                        top,
                        units: share.units / count,
                    })),
                    ShareMove::RoundRobin => {
                        let turn = u64::from(source) + u64::from(destination);
                        let turn = (turn + u64::from(share.top)) % u64::from(count);
                        left.push(Share {
                            top: whole[turn as usize],
                            units: share.units,
                        });
                    }
                }
            }
            left.sort_unstable_by_key(|share| share.top);
        }
        for share in left {
            match shares.last_mut() {
                Some(last) if last.top == share.top => last.units += share.units,
                _ => shares.push(share),
            }
        }
    }
}
