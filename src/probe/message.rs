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

/// What was observed of the connection that carried a message through a network of RN1;
/// [`NEVER`] where something did not happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionRecord {
    /// Routers that connected the last attempt that is over.
    pub stages: u32,
    /// The first routing byte of the last attempt was on the wire.
    pub launched_cycle: u64,
    /// The first word of it has come to the destination.
    pub opened_cycle: u64,
    /// The first word of the reply has come to the source.
    pub reply_cycle: u64,
    /// A status, a checksum or a word of a reply was not right.
    pub wrong: bool,
}

impl ConnectionRecord {
    /// A connection of which nothing has happened yet.
    pub const NEW: ConnectionRecord = ConnectionRecord {
        stages: 0,
        launched_cycle: NEVER,
        opened_cycle: NEVER,
        reply_cycle: NEVER,
        wrong: false,
    };
}

/// Collisions counted by the level, or the stage, of the router that rejected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Collisions {
    /// Per level: rejected while turning into the level's other downstream port.
    pub turning: Vec<u64>,
    /// Per level: rejected on the way up; 0 in a full tree.
    pub upward: Vec<u64>,
    /// Per level: rejected on the way down.
    pub downward: Vec<u64>,
    /// Refused by the receiver, whose check of the payload failed.
    pub refused: u64,
    /// Rejected at a place that its sender cannot tell.
    pub unplaced: u64,
    /// Per stage of a bidelta network: blocked there.
    pub blocked: Vec<u64>,
}

impl Collisions {
    /// No collisions yet, for a tree of this many levels.
    pub fn of_levels(levels: usize) -> Self {
        Collisions {
            turning: vec![0; levels],
            upward: vec![0; levels],
            downward: vec![0; levels],
            ..Collisions::default()
        }
    }

    /// No collisions yet, for a bidelta network of this many stages.
    pub fn of_stages(stages: usize) -> Self {
        Collisions {
            blocked: vec![0; stages],
            ..Collisions::default()
        }
    }

    /// Adds others.
    pub fn add(&mut self, others: &Collisions) {
        let Collisions {
            turning,
            upward,
            downward,
            refused,
            unplaced,
            blocked,
        } = others;
        for (all, others) in [
            (&mut self.turning, turning),
            (&mut self.upward, upward),
            (&mut self.downward, downward),
            (&mut self.blocked, blocked),
        ] {
            all.resize(all.len().max(others.len()), 0);
            for (all, other) in all.iter_mut().zip(others) {
                *all += other;
            }
        }
        self.refused += refused;
        self.unplaced += unplaced;
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        let by_router = self.turning.iter().chain(&self.upward);
        let by_router = by_router.chain(&self.downward);
        by_router.chain(&self.blocked).sum::<u64>() + self.refused + self.unplaced
    }
}
