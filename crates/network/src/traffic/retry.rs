//! Retry strategies: the times at which a message that lost in a collision is sent again.

/// A retry strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// Nothing is sent again: packets, of whose fate nobody is told.
    None,
    /// One clock after the collision signal is sensed.
    Immediate,
    /// All messages that are left start together when the last one of the round
    /// was acknowledged or rejected.
    Rounds,
    /// As immediate, after a wait that is uniform in `0..2^limit` clocks.
    Random {
        /// `1..=BACKOFF_LIMIT_MAX`.
        limit: u32,
    },
    /// Binary exponential back-off: as immediate, after a wait that is uniform
    /// in `0..2^min(j, limit)` clocks after the message's `j`-th collision.
    Backoff {
        /// The exponent stops growing here, `1..=BACKOFF_LIMIT_MAX`.
        limit: u32,
    },
}

/// The largest limit of [`Strategy::Backoff`]: waits of up to 4,095 clocks.
pub const BACKOFF_LIMIT_MAX: u32 = 12;
/// The limit of [`Strategy::Backoff`] when none is given.
pub const BACKOFF_LIMIT_DEFAULT: u32 = 10;
/// The limit of [`Strategy::Random`] when none is given.
pub const RANDOM_LIMIT_DEFAULT: u32 = 6;

impl Strategy {
    /// The name in a configuration.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::None => "none",
            Strategy::Immediate => "immediate",
            Strategy::Rounds => "rounds",
            Strategy::Random { .. } => "random",
            Strategy::Backoff { .. } => "backoff",
        }
    }

    /// Number of the waits `0, 1, 2, …` in clocks that are equally likely after a message's
    /// `collisions`-th collision; 1 means no extra wait.
    ///
    /// ```
    /// use crosswave_network::traffic::Strategy;
    /// let backoff = Strategy::Backoff { limit: 3 };
    /// assert_eq!([1, 2, 3, 4].map(|j| backoff.waits(j)), [2, 4, 8, 8]);
    /// assert_eq!(Strategy::Immediate.waits(5), 1);
    /// ```
    pub fn waits(self, collisions: u32) -> u64 {
        match self {
            Strategy::None | Strategy::Immediate | Strategy::Rounds => 1,
            Strategy::Random { limit } => 1 << limit.min(BACKOFF_LIMIT_MAX),
            Strategy::Backoff { limit } => 1 << collisions.min(limit).min(BACKOFF_LIMIT_MAX),
        }
    }
}
