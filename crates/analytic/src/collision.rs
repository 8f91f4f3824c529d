//! The probability that two messages collide in a four-port circuit-switched fat tree, and the
//! number of collision bins that stands for it.
//!
//! Source: V. Strumpen and A. Krishnamurthy, "A collision model for randomized routing in
//! fat-tree networks" (2005), section 4 (Lemma 1, equations 1 and 2) and section 5
//! (Corollary 1).
//!
//! The tree has n = 2^h nodes, and h = lg n is the argument everywhere (`levels`). Message
//! 1 goes from node 0 to a node of the *i-subtree* {2^i, ..., 2^(i+1) - 1}; message 2 comes
//! from a node of the k-subtree, and goes to the j-subtree as seen from there. An
//! i-subtree has 2^i nodes, all at 2 (i + 1) links from the reference node, and
//!
//! ```text
//! (n-1)^3 Pr\[C2\] = sum over k, i, j < h of 2^k 2^i 2^j Pr[k, i, j]              (1)
//!
//! Pr[k, i, j] = (j + 2) / 2^(k+1)   for j < i = k                               (2)
//!               (i + 2) / 2^(k+1)   for i < j = k
//!               (k + 2) / 2^(i+1)   for i = j > k
//!               0                   otherwise
//!
//! (n-1)^3 Pr\[C2\] = n^2 (lg n / 2 - 2/3) + 2/3                             (Lemma 1)
//! ```
//!
//! The tests also count collisions path by path in small trees, which equation 2 does not
//! enter. Probabilities are exact rationals; only the phase boundary is rounded.
//!
//! # Where the print fails
//!
//! - Lemma 1 gives the bounds lg n / 3n and lg n / 2n for n > 0. The lower one fails at
//!   n = 2: it is 1/6, and Pr\[C2\] = 0, as the two messages cross and go opposite ways. It
//!   holds for n of 4 to 2^20.
//! - Corollary 1 sets b = 2n / lg n bins, not an integer in general, and names 1/Pr\[C2\]
//!   as what it stands for. [`Bins`] has both; they are about 20 % apart at n = 64.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};

/// The tallest tree: 2^20 nodes, the largest of section 7.
pub const LEVELS_MAX: u32 = 20;

/// Nodes of a tree with so many levels of routers: n = 2^h.
///
/// # Panics
/// When `levels` is not of 1 to [`LEVELS_MAX`]; so does all that takes `levels`.
pub fn nodes(levels: u32) -> u64 {
    assert!(
        (1..=LEVELS_MAX).contains(&levels),
        "a fat tree has 1 to {LEVELS_MAX} levels, not {levels}"
    );
    1 << levels
}

/// Pr\[C2\]: the probability that two messages with distinct random sources and
/// independent random destinations collide. The closed form of Lemma 1.
///
/// ```
/// use crosswave_analytic::collision::pair_probability;
///
/// assert_eq!(pair_probability(2).to_string(), "2/9");
/// ```
pub fn pair_probability(levels: u32) -> BigRational {
    let n = BigInt::from(nodes(levels));
    let half_levels = ratio(levels, 2);
    let squares = BigRational::from_integer(&n * &n);
    (squares * (half_levels - ratio(2, 3)) + ratio(2, 3)) / cube(n - 1)
}

/// Pr\[C2\] as the sum of equation 1 over the matrix of equation 2.
pub fn pair_probability_sum(levels: u32) -> BigRational {
    let n = BigInt::from(nodes(levels));
    let mut sum = BigRational::zero();
    for k in 0..levels {
        for i in 0..levels {
            for j in 0..levels {
                let weight = BigInt::one() << (k + i + j);
                sum += block_probability(k, i, j) * weight;
            }
        }
    }
    sum / cube(n - 1)
}

/// Pr\[k, i, j\]: the same for destinations in the `i`- and `j`-subtree and the second
/// source in the `k`-subtree (equation 2).
///
/// # Panics
/// When a subtree is not of a tree with [`LEVELS_MAX`] levels.
pub fn block_probability(k: u32, i: u32, j: u32) -> BigRational {
    assert!(
        k.max(i).max(j) < LEVELS_MAX,
        "no subtrees ({k}, {i}, {j}) in a tree of {LEVELS_MAX} levels"
    );
    let (above, below) = if j < i && i == k {
        (j + 2, k + 1)
    } else if i < j && j == k {
        (i + 2, k + 1)
    } else if i == j && i > k {
        (k + 2, i + 1)
    } else {
        return BigRational::zero();
    };
    BigRational::new(above.into(), BigInt::one() << below)
}

/// The lower bound of Lemma 1, lg n / 3n. It does not hold for one level.
pub fn pair_probability_lower(levels: u32) -> BigRational {
    BigRational::new(levels.into(), (3 * nodes(levels)).into())
}

/// The upper bound of Lemma 1, lg n / 2n.
pub fn pair_probability_upper(levels: u32) -> BigRational {
    BigRational::new(levels.into(), (2 * nodes(levels)).into())
}

/// Rounding of Corollary 1 to a whole number of collision bins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bins {
    /// floor(2n / lg n): what the corollary states, and the fewer.
    Floor,
    /// 1 / Pr\[C2\] to the nearest integer: what it approximates, and what Model II uses.
    Reciprocal,
}

impl Bins {
    /// Both, the one that is stated first.
    pub const ALL: [Bins; 2] = [Bins::Floor, Bins::Reciprocal];
}

/// The number of collision bins of a tree, at least 1 (Corollary 1). `None` for
/// [`Bins::Reciprocal`] of one level, where nothing collides.
///
/// ```
/// use crosswave_analytic::collision::{Bins, bins};
///
/// assert_eq!(bins(6, Bins::Floor), Some(21));
/// assert_eq!(bins(6, Bins::Reciprocal), Some(26));
/// ```
pub fn bins(levels: u32, reading: Bins) -> Option<u64> {
    match reading {
        Bins::Floor => Some(2 * nodes(levels) / u64::from(levels)),
        Bins::Reciprocal => {
            let probability = pair_probability(levels);
            if probability.is_zero() {
                return None;
            }
            probability.recip().round().to_integer().to_u64()
        }
    }
}

/// m = 2n / lg n, where Phase I of the proof ends and Phase II starts, in messages
/// (sections 6 and 7; the vertical lines of Fig. 5).
pub fn phase_boundary_messages(levels: u32) -> f64 {
    2.0 * nodes(levels) as f64 / f64::from(levels)
}

fn ratio(above: u32, below: u32) -> BigRational {
    BigRational::new(above.into(), below.into())
}

fn cube(base: BigInt) -> BigRational {
    BigRational::from_integer(base.pow(3))
}

#[cfg(test)]
mod tests;
