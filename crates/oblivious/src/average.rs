//! The average performance ratio of a routing over random instances of a pattern (section VI).
//!
//! The paper averages over 32 of them and says nothing of how sure that is; here the standard
//! error stands beside it. Instances are the same for every routing, so that those of two routings
//! can be compared one by one.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use crosswave_base::threads::on_each;

use super::load::performance_ratio;
use super::routing::Routing;
use super::traffic::{PatternError, TrafficPattern};

/// The instances of a point in the paper.
pub const INSTANCES: u32 = 32;

/// An average over instances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Average {
    /// The instances in which anything was sent.
    pub instances: u32,
    /// The mean of their performance ratios; NaN without any.
    pub mean: f64,
    /// The standard error of the mean; 0 for fewer than two.
    pub standard_error: f64,
}

/// The performance ratios of instances 0 to `instances` - 1; those in which nothing is sent have
/// none.
///
/// # Errors
/// When the pattern does not fit the nodes of the tree.
pub fn performance_ratios(
    routing: &dyn Routing,
    pattern: TrafficPattern,
    seed: u64,
    instances: u32,
) -> Result<Vec<f64>, PatternError> {
    let mut all = ratios_together(&[routing], pattern, seed, 0..instances)?;
    Ok(all.swap_remove(0))
}

/// The same for several routings of one tree, and any instances, each of which is made once. All
/// threads of the processor take instances in turn, which does not change the result.
///
/// # Errors
/// When the pattern does not fit the nodes of the tree.
///
/// # Panics
/// Without routings, or with some of different trees.
pub fn ratios_together(
    routings: &[&dyn Routing],
    pattern: TrafficPattern,
    seed: u64,
    instances: Range<u32>,
) -> Result<Vec<Vec<f64>>, PatternError> {
    let tree = routings[0].tree();
    let is_of_tree = |routing: &&dyn Routing| routing.tree() == tree;
    assert!(routings.iter().all(is_of_tree), "routings of {tree}");
    let next = AtomicU32::new(instances.start);
    let work = || {
        let mut found = Vec::new();
        loop {
            let instance = next.fetch_add(1, Ordering::Relaxed);
            if instance >= instances.end {
                return Ok(found);
            }
            let traffic = pattern.matrix(tree.nodes(), seed, instance)?;
            let ratios = routings.iter().map(|routing| {
                let ratio = performance_ratio(*routing, &traffic)?;
                Some(*ratio.numer() as f64 / *ratio.denom() as f64)
            });
            found.push((instance, ratios.collect::<Vec<Option<f64>>>()));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let parts: Result<Vec<Vec<_>>, PatternError> = on_each(threads, work).into_iter().collect();
    let mut found: Vec<(u32, Vec<Option<f64>>)> = parts?.into_iter().flatten().collect();
    found.sort_unstable_by_key(|(instance, _)| *instance);
    let of = |place: usize| {
        found
            .iter()
            .filter_map(|(_, ratios)| ratios[place])
            .collect()
    };
    Ok((0..routings.len()).map(of).collect())
}

/// The mean of performance ratios.
pub fn average(ratios: &[f64]) -> Average {
    let count = ratios.len() as f64;
    let mean = ratios.iter().sum::<f64>() / count;
    let squares: f64 = ratios.iter().map(|ratio| (ratio - mean).powi(2)).sum();
    let standard_error = match ratios.len() {
        0 | 1 => 0.0,
        _ => (squares / (count - 1.0) / count).sqrt(),
    };
    Average {
        instances: ratios.len() as u32,
        mean,
        standard_error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::every_path::EveryPath;
    use crate::routing::grouped::Osrm3;
    use crate::routing::modulo::{Chooser, Modulo};
    use crate::routing::widest::Widest;
    use crate::tree::PortTree;

    #[test]
    fn averages_have_their_errors() {
        let found = average(&[1.0, 2.0, 4.0, 5.0]);
        assert_eq!((found.instances, found.mean), (4, 3.0));
        // Squares come to 10, the variance to 10/3.
        assert!((found.standard_error - (10.0f64 / 12.0).sqrt()).abs() < 1e-12);
        assert!(average(&[]).mean.is_nan());
        assert_eq!(average(&[2.0]).standard_error, 0.0);
    }

    /// Each instance has the ratio that it has alone, whoever is asked with it, in the order of
    /// instances.
    #[test]
    fn ratios_together_are_those_of_each_alone() {
        let tree = PortTree::new(8, 3).unwrap();
        let routings: [&dyn Routing; 3] = [
            &Modulo::mlid(tree),
            &EveryPath::new(tree),
            &Modulo::new(tree, Chooser::Destination, 2),
        ];
        let pattern = TrafficPattern::Permutation;
        let together = ratios_together(&routings, pattern, 5, 3..11).unwrap();
        let mut unlike = 0;
        for (routing, found) in routings.iter().zip(&together) {
            let alone = (3..11).map(|instance| {
                let traffic = pattern.matrix(tree.nodes(), 5, instance).unwrap();
                let ratio = performance_ratio(*routing, &traffic).expect("something is sent");
                *ratio.numer() as f64 / *ratio.denom() as f64
            });
            assert_eq!(*found, alone.collect::<Vec<f64>>(), "{}", routing.name());
            unlike += found.windows(2).filter(|pair| pair[0] != pair[1]).count();
        }
        assert!(unlike > 2 && together[0] != together[2], "{together:?}");
    }

    /// Section VI: where all talk, every routing is optimal; all paths always are.
    #[test]
    fn full_traffic_is_balanced_by_all() {
        let tree = PortTree::new(8, 3).unwrap();
        let routings: [&dyn Routing; 3] = [
            &Modulo::mlid(tree),
            &Osrm3::new(tree).unwrap(),
            &Widest::new(tree),
        ];
        let all = TrafficPattern::Pairs { probability: 1.0 };
        for routing in routings {
            assert_eq!(performance_ratios(routing, all, 1, 1), Ok(vec![1.0]));
        }
        let every = performance_ratios(&EveryPath::new(tree), TrafficPattern::Ring, 1, 4);
        assert_eq!(every, Ok(vec![1.0; 4]));
    }

    /// Section VI: symmetric traffic gives MLID the ratios of WSR. It gives those of d-mod-k as
    /// well, whose links are MLID's with up and down exchanged.
    #[test]
    fn symmetric_traffic_tells_mlid_and_wsr_not_apart() {
        for (m, n) in [(8, 2), (8, 3)] {
            let tree = PortTree::new(m, n).unwrap();
            let mlid = Modulo::mlid(tree);
            let patterns = [
                TrafficPattern::Ring,
                TrafficPattern::Mesh { dimensions: 2 },
                TrafficPattern::Hypercube,
                TrafficPattern::BinaryTree,
                TrafficPattern::Clusters { size: 4 },
            ];
            for pattern in patterns {
                let expected = performance_ratios(&mlid, pattern, 1, 8);
                assert!(expected.is_ok());
                for other in [
                    &Widest::new(tree) as &dyn Routing,
                    &Modulo::new(tree, Chooser::Destination, 1),
                ] {
                    let found = performance_ratios(other, pattern, 1, 8);
                    assert_eq!(found, expected, "{pattern} on {tree}, {}", other.name());
                }
            }
        }
    }
}
