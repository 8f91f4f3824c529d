//! The life of a message: offered, sent, acknowledged.

/// A cycle that has not come yet.
pub const NEVER: u64 = u64::MAX;

/// What was observed of one message. Cycles are those in which the host pins of
/// the network interfaces showed the event; [`NEVER`] where it did not happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageRecord {
    /// Sending node.
    pub source: u32,
    /// Receiving node.
    pub destination: u32,
    /// Words of the body.
    pub words: u32,
    /// Attempts so far: heads sent.
    pub attempts: u32,
    /// The message was first asked for.
    pub offered_cycle: u64,
    /// The head of the first attempt was on the wire.
    pub sent_cycle: u64,
    /// The receiver had checked the whole body.
    pub delivered_cycle: u64,
    /// The sender was told.
    pub acknowledged_cycle: u64,
}

impl MessageRecord {
    /// A message of which nothing has happened yet.
    pub fn new(source: u32, destination: u32, words: u32) -> Self {
        MessageRecord {
            source,
            destination,
            words,
            attempts: 0,
            offered_cycle: NEVER,
            sent_cycle: NEVER,
            delivered_cycle: NEVER,
            acknowledged_cycle: NEVER,
        }
    }

    /// Cycles from the offer to the acknowledgement.
    ///
    /// # Panics
    /// When the message was not acknowledged.
    pub fn latency_cycles(&self) -> u64 {
        assert_ne!(
            self.acknowledged_cycle, NEVER,
            "the message is still on its way"
        );
        self.acknowledged_cycle - self.offered_cycle
    }
}

/// Collisions counted by the level of the router that rejected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Collisions {
    /// Per level: rejected while turning into the level's other downstream port.
    pub turning: Vec<u64>,
    /// Per level: rejected on the way down.
    pub downward: Vec<u64>,
    /// Refused by the receiver, whose check of the payload failed.
    pub refused: u64,
}

impl Collisions {
    /// No collisions yet, for a tree of this many levels.
    pub fn new(levels: usize) -> Self {
        Collisions {
            turning: vec![0; levels],
            downward: vec![0; levels],
            refused: 0,
        }
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.turning.iter().chain(&self.downward).sum::<u64>() + self.refused
    }
}
