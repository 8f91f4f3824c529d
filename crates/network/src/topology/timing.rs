//! The clocks of messages' routes, as far as they are known in advance.

use std::fmt;

use crosswave_probe::message::RejectedAt;

/// Clocks of messages' routes, for a host.
pub trait PathTiming: fmt::Debug + Send + Sync {
    /// The arrival of a message of so many words at its destination, if no attempt is rejected;
    /// `None` when it depends on the one of several links that it takes.
    fn arrival(&self, source: u32, destination: u32, words: u32) -> Option<Arrival>;

    /// The arrival at its destination of a message whose sender was first told of it so many clocks
    /// after its launch: by a reply, or by its acknowledgement.
    ///
    /// # Panics
    /// When [`PathTiming::arrival`] gives `None`; networks for which it may do so override this.
    fn arrived(&self, source: u32, destination: u32, words: u32, told: u64) -> Arrival {
        let _ = told;
        let arrival = self.arrival(source, destination, words);
        arrival.expect("the clocks of the way are known")
    }

    /// The place that rejected an attempt whose sender has learnt of it so many clocks after the
    /// launch; `stage` is the stage that the interface tells, if it does.
    fn rejected(&self, source: u32, destination: u32, clocks: u64, stage: u32) -> RejectedAt;

    /// Bounds on the length of a round, where nodes can send by rounds.
    fn rounds(&self) -> Option<&dyn RoundTiming> {
        None
    }
}

/// Clocks from the launch of a message's head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// Clocks to the first word at the destination, where the network interface shows it.
    pub opened: Option<u64>,
    /// Clocks to the last word at the destination.
    pub delivered: u64,
}

/// The most classes of paths that a network may have.
pub const PATH_CLASSES_MAX: usize = 20;

/// Bounds on how long attempts of a round are under way, by classes of paths that are alike.
pub trait RoundTiming {
    /// The class of a path, below [`PATH_CLASSES_MAX`].
    fn class(&self, source: u32, destination: u32) -> u32;

    /// Between the launch of an attempt and its acknowledgement, when nobody rejects it.
    fn acknowledge(&self, class: u32, words: u32) -> u64;

    /// The first of the clocks after its launch, later than `after`, in which an attempt
    /// could be told of a rejection; `None` when it has passed all routers unless it was told
    /// before.
    fn next_rejection(&self, class: u32, after: u64) -> Option<u64>;
}

/// The timing of packets, which wait for an unknown number of cycles.
#[derive(Debug)]
pub struct UnknownWaits;

impl PathTiming for UnknownWaits {
    fn arrival(&self, _: u32, _: u32, _: u32) -> Option<Arrival> {
        None
    }

    fn rejected(&self, _: u32, _: u32, _: u64, _: u32) -> RejectedAt {
        RejectedAt { row: 0, place: 0 }
    }
}
