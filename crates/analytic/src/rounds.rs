//! Bounds on the rounds of Model I, and curves through what was simulated.
//!
//! Source: V. Strumpen and A. Krishnamurthy, "A collision model for randomized routing in
//! fat-tree networks" (2005), sections 5 (critical path), 6 (Theorem 1) and 7 (fit, lines
//! of Fig. 5, conjecture).
//!
//! There are b = 2n / lg n bins, a real number here. Rounds are *successful* with
//! probability p_s at least, whatever came before, and S successful ones are enough:
//!
//! ```text
//!            successful: at least ...          S                                 p_s
//! Phase I    b (1 - 2/e) messages delivered    (m/b - 1) / (1 - 2/e)      (6)    1/2
//!   m > b                                      <= (lg m / 2 - 1) / (1 - 2/e)  (7)
//! Phase II   half of the messages delivered    lg m                              1 - 2/e
//!   m <= b
//!
//! R = (2 S - 4 ln eps) / p_s rounds hold S successful ones with probability 1 - eps
//! ```
//!
//! The last line is equation 8 with the mean mu = p_s R = 2 S - 4 ln eps and a shortfall
//! of d = S - 4 ln eps: since 2 mu = 4 d + 8 ln eps <= 4 d, exp(-d^2 / 2 mu) is at most
//! exp(-d/4) = eps exp(-S/4).
//!
//! # What holds, and what does not
//!
//! Checked for all n of 2 to 2^20; the tests say how.
//!
//! - (7) is at least (6) for all 2 <= m <= n, as m / lg m <= n / lg n for whole m. The two
//!   are equal at m = n, and at m = 2, n = 4. At n = 3, no tree, m = 2 breaks it.
//! - S of (6) is negative below b, and 0 < S < 1 for m of b to b (2 - 2/e). The condition
//!   d <= mu is said to hold for any eps; it needs S >= 0. So Phase I is for m > 2n / lg n
//!   only, even where the bins are more ([`super::collision::Bins::Reciprocal`]). There is
//!   no such m for n = 2 and 4.
//! - Both phases end with Pr\[X < S\] <= eps "equivalent to" Pr\[X > S\] >= 1 - eps. What
//!   follows is Pr\[X >= S\]. Enough for Phase I. Phase II needs one round more: S = lg m
//!   successful rounds leave one message, not none. The constants have room for it: with
//!   exact binomial tails, R rounds, rounded up, hold more than S successful ones with
//!   probability 1 - eps. Not rounded up, R is 0.15 at m = 1, eps = 0.99, and the
//!   statement is false for all m = 1, eps > e^(-p_s/4) = 0.936.
//! - "Together, Phases I and II yield the claimed bound": each fails with probability eps,
//!   so the sum holds with 1 - 2 eps. [`theorem_1`] gives each phase half of eps.
//! - Section 7 calls lg m and m lg n / n bounds on the rounds. Beside the mean of Model I
//!   (both bins, n of 16 to 4096): lg m is above it for all m but 1 and 2. m lg n / n is
//!   below it until far beyond the boundary, at n = 4096 for all m up to 2034, where the
//!   boundary is 683. The fit is off by +0.3 to -0.9 rounds; at n = 2^20, by +0.6 to -1.0.

use super::collision::{nodes, phase_boundary_messages};
use std::f64::consts::E;

/// The least probability of a successful round in Phase I (section 6.1).
pub const PHASE_1_SUCCESS: f64 = 0.5;

/// The least probability of a successful round in Phase II, with half of the messages
/// delivered: 1 - 2/e (section 6.2).
pub const PHASE_2_SUCCESS: f64 = 1.0 - 2.0 / E;

/// S of equation 6: successful rounds of Phase I from m messages down to the boundary, for
/// n = 2^`levels`. Negative below it.
pub fn phase_1_successes(messages: u64, levels: u32) -> f64 {
    let load = messages as f64 / phase_boundary_messages(levels);
    (load - 1.0) / (1.0 - 2.0 / E)
}

/// S of equation 7, which does not depend on n.
pub fn phase_1_successes_bound(messages: u64) -> f64 {
    (0.5 * lg_messages(messages) - 1.0) / (1.0 - 2.0 / E)
}

/// The least probability that a round of Phase II delivers a fraction `delivered` of its
/// messages: 1 - 1 / ((1 - alpha) e) (section 6.2). Above 0 for alpha < 1 - 1/e.
pub fn phase_2_success(delivered: f64) -> f64 {
    1.0 - 1.0 / ((1.0 - delivered) * E)
}

/// S of Phase II: lg m (section 6.2).
pub fn phase_2_successes(messages: u64) -> f64 {
    lg_messages(messages)
}

/// R = (2 S - 4 ln eps) / p_s: rounds that hold `successes` successful ones with
/// probability 1 - `failure`, if each is one with probability `success` (sections 6.1 and
/// 6.2). Not rounded.
///
/// # Panics
/// When `successes` is negative, `success` is not above 0, or `failure` is not above 0
/// and at most 1.
pub fn rounds_holding(successes: f64, success: f64, failure: f64) -> f64 {
    assert!(successes >= 0.0 && success > 0.0, "{successes} {success}");
    assert!(0.0 < failure && failure <= 1.0, "probability {failure}");
    (2.0 * successes - 4.0 * failure.ln()) / success
}

/// Markov's inequality: Pr\[X >= `threshold`\] <= mean / threshold, for X of `mean` that is
/// never negative (section 6.1).
pub fn markov(mean: f64, threshold: f64) -> f64 {
    mean / threshold
}

/// Equation 8, Chernoff's inequality: Pr\[X < mean - shortfall\] < exp(-shortfall^2 / 2 mean)
/// for the successes X of independent trials, `mean` of them expected.
///
/// # Panics
/// When not 0 < `shortfall` <= `mean`.
pub fn chernoff(mean: f64, shortfall: f64) -> f64 {
    assert!(
        0.0 < shortfall && shortfall <= mean,
        "{shortfall} of {mean}"
    );
    (-shortfall * shortfall / (2.0 * mean)).exp()
}

/// The bound of Theorem 1 with its constants, in rounds, not rounded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoundsBound {
    /// Until 2n / lg n messages are left; 0 when there are no more from the start.
    pub phase_1: f64,
    /// Rounds from there until all are delivered.
    pub phase_2: f64,
}

impl RoundsBound {
    /// Both phases, each rounded up.
    pub fn rounds(self) -> u64 {
        self.phase_1.ceil() as u64 + self.phase_2.ceil() as u64
    }
}

/// Theorem 1: rounds within which m messages are delivered in Model I of n = 2^`levels`
/// nodes, with probability 1 - `failure` at least. With two phases, each has half of
/// `failure`; Phase II starts at 2n / lg n messages.
///
/// # Panics
/// When not 0 < `failure` <= 1, or when there are not 1 to n messages.
///
/// ```
/// use crosswave_analytic::rounds::theorem_1;
///
/// let bound = theorem_1(1 << 20, 20, 1e-3);
/// assert_eq!((bound.phase_1.round(), bound.phase_2.round()), (197.0, 241.0));
/// ```
pub fn theorem_1(messages: u64, levels: u32, failure: f64) -> RoundsBound {
    let most = nodes(levels);
    assert!((1..=most).contains(&messages), "1 to {most} messages");
    let boundary = phase_boundary_messages(levels);
    if messages as f64 <= boundary {
        let successes = phase_2_successes(messages);
        return RoundsBound {
            phase_1: 0.0,
            phase_2: rounds_holding(successes, PHASE_2_SUCCESS, failure),
        };
    }
    let half = failure / 2.0;
    let successes = phase_1_successes(messages, levels);
    RoundsBound {
        phase_1: rounds_holding(successes, PHASE_1_SUCCESS, half),
        phase_2: rounds_holding(boundary.log2(), PHASE_2_SUCCESS, half),
    }
}

/// The line lg m of Fig. 5 (section 7, item 3), in rounds.
///
/// # Panics
/// Without messages; so does all that takes lg m.
pub fn lg_messages(messages: u64) -> f64 {
    assert!(messages > 0, "lg of no messages");
    (messages as f64).log2()
}

/// The line m lg n / n (section 7, item 6), in rounds: two messages to a bin are one.
pub fn load_rounds(messages: u64, levels: u32) -> f64 {
    2.0 * messages as f64 / phase_boundary_messages(levels)
}

/// The ad hoc fit of Fig. 5, lg m / 10 + m lg n / 2n + 1 (section 7, item 7), in rounds.
pub fn fit_rounds(messages: u64, levels: u32) -> f64 {
    lg_messages(messages) / 10.0 + load_rounds(messages, levels) / 2.0 + 1.0
}

/// The conjecture of section 7 without its constant: m_1 + lg m_r, for m_1 messages one
/// after another and m_r that are as good as random.
pub fn mixed_rounds(sequential: u64, random: u64) -> f64 {
    let parallel = if random == 0 {
        0.0
    } else {
        lg_messages(random)
    };
    sequential as f64 + parallel
}

/// The order of Model II's critical path for m = n, ln n / ln ln n without its constant
/// (section 5). `None` at n = 2, where ln ln n is negative.
pub fn critical_path(levels: u32) -> Option<f64> {
    let logarithm = (nodes(levels) as f64).ln();
    (levels > 1).then(|| logarithm / logarithm.ln())
}

#[cfg(test)]
mod tests;
