//! Lower bounds on the oblivious ratio of a routing of single paths (section IV).
//!
//! EFT2(m, k) is k switches with m/2 nodes each, below m/2 switches of k ports. FT(m, n) is one when
//! each SUBFT(m, i) is taken for a switch of M = 2 (m/2)^i ports, and what joins their up-link
//! ports of a number, for a switch of k = m (m/2)^(n-1-i) ports: theorems 3 to 5 are theorem 2 for
//! such i.

pub mod lemma_8;

use super::tree::PortTree;

/// Theorem 2, on EFT2(m, k): the root of m/2 where k >= the root of 2m; elsewhere it says
/// nothing.
pub fn theorem_2(m: u32, k: u32) -> Option<f64> {
    let says = u64::from(k).pow(2) >= 2 * u64::from(m);
    says.then(|| theorem_3(m))
}

/// Theorem 3, on FT(m, 2): the root of m/2.
pub fn theorem_3(m: u32) -> f64 {
    f64::from(m / 2).sqrt()
}

/// Theorem 4, on FT(m, 3): m/2.
pub fn theorem_4(m: u32) -> u32 {
    m / 2
}

/// Theorem 5, on FT(m, n): (m/2)^floor((n - 1) / 3). At n = 2 and 3 it says less than
/// theorems 3 and 4 do.
pub fn theorem_5(tree: PortTree) -> u32 {
    tree.power((tree.levels() - 1) / 3)
}

/// The least whole number that theorem 2 allows, at the height i where it says most: (m/2)^(i/2),
/// rounded up, since single paths have a whole ratio. That is theorems 3 and 4 at n = 2 and 3,
/// and theorem 5 or more above.
///
/// *Proof.* Theorem 2 is for M <= k^2 / 2, and k^2 / 2 >= M says (m/2)^(2(n-i)) >= (m/2)^i: i <=
/// 2n / 3. It says most at the largest i, n - 1 being the most there is.
pub fn least_ratio(tree: PortTree) -> u32 {
    let height = (2 * tree.levels() / 3).min(tree.levels() - 1);
    let squared = tree.power(height);
    match squared.isqrt() {
        root if root * root == squared => root,
        root => root + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ratio::oblivious_ratio;
    use crate::routing::Routing;
    use crate::routing::modulo::{Chooser, Modulo};
    use crate::routing::widest::Widest;

    fn tree(m: u32, n: u32) -> PortTree {
        PortTree::new(m, n).unwrap()
    }

    #[test]
    fn the_bound_is_theorem_2_at_the_best_height() {
        for half in 1..=8 {
            for n in 1..=6 {
                let tree = tree(2 * half, n);
                let bounds = (0..n).filter_map(|i| {
                    let ports = 2 * half.pow(i);
                    let k = 2 * half.pow(n - i);
                    theorem_2(ports, k)
                });
                let best = bounds.fold(0.0, f64::max).ceil();
                assert_eq!(f64::from(least_ratio(tree)), best, "{tree}");
                assert!(least_ratio(tree) >= theorem_5(tree));
            }
            let m = 2 * half;
            assert_eq!(f64::from(least_ratio(tree(m, 2))), theorem_3(m).ceil());
            assert_eq!(least_ratio(tree(m, 3)), theorem_4(m));
        }
        assert_eq!(theorem_2(32, 7), None);
        assert_eq!(theorem_2(32, 8), Some(4.0));
        assert_eq!(theorem_5(tree(8, 4)), 4);
    }

    #[test]
    fn no_routing_of_single_paths_is_below() {
        for (m, n) in [(4, 2), (4, 3), (4, 4), (6, 2), (6, 3), (8, 2), (4, 5)] {
            let tree = tree(m, n);
            let routings: [&dyn Routing; 3] = [
                &Modulo::mlid(tree),
                &Modulo::new(tree, Chooser::Destination, 1),
                &Widest::new(tree),
            ];
            for routing in routings {
                let ratio = oblivious_ratio(routing, 1).ratio;
                assert!(ratio >= u64::from(least_ratio(tree)).into(), "{tree}");
            }
        }
    }
}
