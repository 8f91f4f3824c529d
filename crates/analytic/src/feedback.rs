//! The load including retries, which DeHon leaves open (1990, section 5.3.1): a processor sends
//! again what was blocked, and so adds to the load that blocks it.
//!
//! A processor offers λ messages a clock. An attempt that is routed holds its wire for T clocks,
//! one that is blocked for B. With a attempts a message, of which the last one is routed, a
//! fraction u of the processors has an attempt on its way, and the probability of routing is that
//! at this load, P(u):
//!
//! ```text
//! u = λ (T + (a - 1) B)        a = 1 / P(u)
//! ```
//!
//! The least solution is found from a = 1 on. Where there is none with u below 1, the network
//! is saturated. Attempts are taken to be independent, and to meet others as if all began at
//! once.

/// The state that retries lead to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Feedback {
    /// Attempts of a message.
    pub attempts: f64,
    /// The fraction of processors that have an attempt on its way.
    pub load_fraction: f64,
}

/// Clocks for which attempts hold a processor's wire.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Holding {
    /// One that is routed.
    pub routed_clocks: f64,
    /// One that is blocked.
    pub blocked_clocks: f64,
}

/// Steps of the search, more than it takes to come close where there is a solution.
const STEPS: usize = 10_000;
/// Difference of attempts between two steps below which the search ends.
const PRECISION: f64 = 1e-9;

/// The state of a network in which a processor offers so many messages a clock, and which routes
/// a connection with a probability by the load; `None` where it is saturated.
///
/// ```
/// use crosswave_analytic::feedback::{Holding, feedback};
/// let holding = Holding { routed_clocks: 20.0, blocked_clocks: 10.0 };
/// // A network that always routes has the load of one attempt.
/// let found = feedback(0.01, holding, |_| 1.0).unwrap();
/// assert!((found.attempts - 1.0).abs() < 1e-9 && (found.load_fraction - 0.2).abs() < 1e-9);
/// // One that routes half of all needs two.
/// let found = feedback(0.01, holding, |_| 0.5).unwrap();
/// assert!((found.attempts - 2.0).abs() < 1e-6 && (found.load_fraction - 0.3).abs() < 1e-6);
/// assert_eq!(feedback(0.1, holding, |_| 1.0), None);
/// ```
pub fn feedback(
    messages_per_clock: f64,
    holding: Holding,
    routed: impl Fn(f64) -> f64,
) -> Option<Feedback> {
    let load = |attempts: f64| {
        let blocked = (attempts - 1.0) * holding.blocked_clocks;
        messages_per_clock * (holding.routed_clocks + blocked)
    };
    let mut attempts = 1.0;
    for _ in 0..STEPS {
        let load_fraction = load(attempts);
        if load_fraction >= 1.0 {
            return None;
        }
        let next = 1.0 / routed(load_fraction);
        if (next - attempts).abs() < PRECISION {
            return Some(Feedback {
                attempts,
                load_fraction,
            });
        }
        attempts = next;
    }
    None
}
