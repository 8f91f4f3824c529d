//! Model I: messages as balls that are tossed into collision bins, round by round.
//!
//! Source: V. Strumpen and A. Krishnamurthy, "A collision model for randomized routing in
//! fat-tree networks" (2005), section 5.
//!
//! A round tosses m balls into b bins, each ball independently into a uniform bin. One
//! ball of each bin that is not empty is delivered; the others are tossed again in the
//! next round. b is that of [`super::collision::bins`]. Of one round,
//!
//! ```text
//! E[b_e] = b (1 - 1/b)^m            <= b e^(-m/b)                  empty bins    (3)
//! E[D]   = b (1 - (1 - 1/b)^m)      >= b (1 - e^(-m/b))            delivered     (4)
//! E[R]   = m - E[D]                 <= m - b (1 - e^(-m/b))        rejected      (5)
//! ```
//!
//! [`Round`] has these, [`occupancy`] the whole distribution of b - b_e, and [`chain`] the
//! rounds until all balls are delivered: the paper gives only simulations of them.
//! [`play`] is one such simulation.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;

use crosswave_base::random;

pub mod chain;
pub mod occupancy;

/// Stream of the bins of balls.
const STREAM_BINS: u64 = u64::from_be_bytes(*b"ana-ball");

/// One round of Model I.
///
/// ```
/// use crosswave_analytic::balls::Round;
///
/// let round = Round { bins: 2, messages: 3 };
/// assert_eq!(round.delivered_exact().to_string(), "7/4");
/// assert!((round.delivered() - 1.75).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Round {
    /// Collision bins: b, at least 1.
    pub bins: u64,
    /// Messages that are sent: m.
    pub messages: u64,
}

impl Round {
    /// Expected empty bins: E\[b_e\] of equation 3.
    pub fn empty(self) -> f64 {
        self.bins as f64 * self.log_empty().exp()
    }

    /// The bound of equation 3, from above.
    pub fn empty_bound(self) -> f64 {
        self.bins as f64 * (-self.load()).exp()
    }

    /// Expected delivered messages: E\[D\] of equation 4.
    pub fn delivered(self) -> f64 {
        -(self.bins as f64) * self.log_empty().exp_m1()
    }

    /// The bound of equation 4, from below.
    pub fn delivered_bound(self) -> f64 {
        -(self.bins as f64) * (-self.load()).exp_m1()
    }

    /// Expected rejected messages: E\[R\] of equation 5. The error is that of a
    /// difference: some 1e-16 of the messages, not of the result.
    pub fn rejected(self) -> f64 {
        self.messages as f64 - self.delivered()
    }

    /// The bound of equation 5, from above.
    pub fn rejected_bound(self) -> f64 {
        self.messages as f64 - self.delivered_bound()
    }

    /// Equation 3 without rounding. Its digits grow with the messages.
    ///
    /// # Panics
    /// When there are no bins, or 2^31 messages or more; so do the other exact ones.
    pub fn empty_exact(self) -> BigRational {
        assert!(self.bins > 0, "no bins");
        let exponent = i32::try_from(self.messages).expect("fewer than 2^31 messages");
        let bins = BigInt::from(self.bins);
        let miss = BigRational::new(&bins - BigInt::one(), bins.clone());
        BigRational::from_integer(bins) * miss.pow(exponent)
    }

    /// Equation 4 without rounding.
    pub fn delivered_exact(self) -> BigRational {
        BigRational::from_integer(self.bins.into()) - self.empty_exact()
    }

    /// Equation 5 without rounding.
    pub fn rejected_exact(self) -> BigRational {
        BigRational::from_integer(self.messages.into()) - self.delivered_exact()
    }

    /// m / b.
    fn load(self) -> f64 {
        self.messages as f64 / self.bins as f64
    }

    /// The logarithm of the probability that a bin is empty.
    fn log_empty(self) -> f64 {
        if self.messages == 0 {
            return 0.0;
        }
        self.messages as f64 * (-1.0 / self.bins as f64).ln_1p()
    }
}

/// Rounds until `messages` balls are delivered through `bins` bins, in one play. The same
/// seed gives the same play.
///
/// # Panics
/// When there are messages and no bins.
pub fn play(bins: u64, messages: u64, seed: u64) -> u32 {
    let mut generator = random::generator(seed, STREAM_BINS);
    let words = usize::try_from(bins.div_ceil(64)).expect("bins that fit into memory");
    let mut occupied = vec![0u64; words];
    let mut left = messages;
    let mut rounds = 0;
    while left > 0 {
        for _ in 0..left {
            let bin = random::below(&mut generator, bins);
            occupied[(bin / 64) as usize] |= 1 << (bin % 64);
        }
        for word in &mut occupied {
            left -= u64::from(word.count_ones());
            *word = 0;
        }
        rounds += 1;
    }
    rounds
}

#[cfg(test)]
mod tests;
