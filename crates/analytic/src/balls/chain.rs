//! The rounds of Model I, without sampling: means, variances and distributions.
//!
//! Let T(m) be the rounds until m balls are delivered. The first round rejects r of them
//! with probability q(m, r) ([`super::occupancy`]), so T(0) = 0 and
//!
//! ```text
//! E[T(m)]         = 1 + sum over r of q(m, r) E[T(r)]
//! Var T(m)        = sum over r of q(m, r) (Var T(r) + (1 + E[T(r)] - E[T(m)])^2)
//! Pr[T(m) <= t+1] = sum over r of q(m, r) Pr[T(r) <= t]
//! ```
//!
//! where r < m. The sums run over the band of `occupancy` only. What the band drops moves
//! E\[T(m)\] by at most the dropped probability times the square of the largest mean; the
//! tests find less than 1e-12 beside sums over everything, and beside exact rationals.
//!
//! Cost: for m up to M, M times the width of the band, at most some 9 sqrt(b); twice 8 M
//! bytes. 2^20 messages into 104,857 bins take seconds in a release build.

use super::occupancy::{CUTOFF, Occupancy, moments};

/// Mean and variance of the rounds of Model I, for every number of messages up to a limit.
///
/// ```
/// use crosswave_analytic::balls::chain::ModelI;
///
/// let model = ModelI::new(4, 2);
/// // Two balls meet with probability 1/4, and then take one more round.
/// assert_eq!(model.mean_rounds(2), 1.25);
/// assert_eq!(model.variance(2), 0.1875);
/// ```
#[derive(Debug, Clone)]
pub struct ModelI {
    bins: u64,
    mean: Vec<f64>,
    variance: Vec<f64>,
    dropped: f64,
}

impl ModelI {
    /// The model for `bins` collision bins and up to `messages_max` messages.
    ///
    /// # Panics
    /// When there are no bins, or 2^31 or more.
    pub fn new(bins: u64, messages_max: u64) -> Self {
        Self::with_cutoff(bins, messages_max, CUTOFF)
    }

    /// The same with another cutoff of the band; with 0 it is everything.
    ///
    /// # Panics
    /// As [`ModelI::new`].
    pub fn with_cutoff(bins: u64, messages_max: u64, cutoff: f64) -> Self {
        let mut occupancy = Occupancy::with_cutoff(bins, cutoff);
        let (mut mean, mut variance) = (vec![0.0], vec![0.0]);
        for before in 0..messages_max as usize {
            occupancy.toss();
            let (first, weights) = rejected(&occupancy);
            // Deviations from a mean nearby: sums of squares that do not cancel.
            let near = mean[before];
            let (away, squares) = moments(weights, &mean[first..], &variance[first..], near - 1.0);
            mean.push(near + away);
            variance.push((squares - away * away).max(0.0));
        }
        ModelI {
            bins,
            mean,
            variance,
            dropped: occupancy.dropped(),
        }
    }

    /// Collision bins: b.
    pub fn bins(&self) -> u64 {
        self.bins
    }

    /// The most messages it knows.
    pub fn messages_max(&self) -> u64 {
        self.mean.len() as u64 - 1
    }

    /// The probability that the band dropped, over all numbers of messages.
    pub fn dropped(&self) -> f64 {
        self.dropped
    }

    /// Expected rounds until `messages` are delivered.
    ///
    /// # Panics
    /// When there are more messages than [`ModelI::messages_max`]; so does `variance`.
    pub fn mean_rounds(&self, messages: u64) -> f64 {
        self.mean[messages as usize]
    }

    /// Variance of the rounds, in rounds squared.
    pub fn variance(&self, messages: u64) -> f64 {
        self.variance[messages as usize]
    }
}

/// Pr\[T(m) <= t\] for every number of messages m and of rounds t up to limits.
///
/// It takes 8 (messages_max + 1) (rounds_max + 1) bytes, and rounds_max times the work of
/// a [`ModelI`].
///
/// ```
/// use crosswave_analytic::balls::chain::RoundsDistribution;
///
/// let distribution = RoundsDistribution::new(4, 2, 8);
/// assert_eq!(distribution.within(2, 1), 0.75);
/// assert_eq!(distribution.within(2, 2), 1.0);
/// ```
#[derive(Debug, Clone)]
pub struct RoundsDistribution {
    rounds_max: usize,
    /// The rows of all m, one after another, each of t = 0 to `rounds_max`.
    within: Vec<f64>,
}

impl RoundsDistribution {
    /// The distribution for `bins` collision bins.
    ///
    /// # Panics
    /// When there are no bins, or 2^31 or more.
    pub fn new(bins: u64, messages_max: u64, rounds_max: u32) -> Self {
        let rounds_max = rounds_max as usize;
        let width = rounds_max + 1;
        let mut occupancy = Occupancy::new(bins);
        let mut within = vec![1.0; width];
        let mut row = vec![0.0; width];
        for _ in 0..messages_max {
            occupancy.toss();
            let (first, weights) = rejected(&occupancy);
            row.fill(0.0);
            let shorter = within[first * width..].chunks_exact(width);
            for (weight, shorter) in weights.iter().zip(shorter) {
                for (sum, before) in row[1..].iter_mut().zip(shorter) {
                    *sum += weight * before;
                }
            }
            within.extend_from_slice(&row);
        }
        RoundsDistribution { rounds_max, within }
    }

    /// The probability that `messages` are delivered in at most `rounds` rounds.
    ///
    /// # Panics
    /// When either is more than it was made for.
    pub fn within(&self, messages: u64, rounds: u32) -> f64 {
        let rounds = rounds as usize;
        assert!(
            rounds <= self.rounds_max,
            "{rounds} rounds were not asked for"
        );
        self.within[messages as usize * (self.rounds_max + 1) + rounds]
    }
}

/// The rejected messages of a round and their probabilities, without the entry of all
/// messages, which no round rejects.
fn rejected(occupancy: &Occupancy) -> (usize, &[f64]) {
    let (first, weights) = occupancy.rejected();
    let first = first as usize;
    let count = weights.len().min(occupancy.messages() as usize - first);
    (first, &weights[..count])
}
