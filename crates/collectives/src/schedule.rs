//! A schedule: which packet each source sends in which step.
//!
//! A [`ScheduledPacket`] has one source and either one processor or a set of levels as its
//! destination. With levels it is replicated: on its way up it turns down at the routing
//! node of each level named, into the half below that node that does not hold the
//! source, and reaches every processor there. All levels together are every processor
//! but the source: a broadcast, and with queues the flooding of D&D, section 4. The
//! packet crosses each channel once, however many processors it reaches.
//!
//! A schedule says when packets leave their sources and no more. Whether they then move
//! without waiting ([`check`](crate::check)) or wait in queues
//! ([`ideal`](crate::ideal)) is the reader's choice.

/// The most packets of a schedule: a total exchange among 4,096 processors has 4,096 fewer.
pub const PACKETS_MAX: usize = 1 << 24;

/// A set of levels from 1 to 31.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LevelSet(u32);

impl LevelSet {
    /// Every level of any tree.
    pub const ALL: LevelSet = LevelSet(u32::MAX);

    /// A set of one level; `None` unless `level` is 1 to 31.
    pub fn single(level: u32) -> Option<LevelSet> {
        (1..=31)
            .contains(&level)
            .then(|| LevelSet(1 << (level - 1)))
    }

    /// The levels of both sets.
    pub fn union(self, other: LevelSet) -> LevelSet {
        LevelSet(self.0 | other.0)
    }

    /// True when `level` is in the set.
    pub fn contains(self, level: u32) -> bool {
        (1..=31).contains(&level) && self.0 >> (level - 1) & 1 == 1
    }

    /// The levels of the set up to `top`, lowest first.
    pub fn up_to(self, top: u32) -> impl Iterator<Item = u32> {
        (1..=top.min(31)).filter(move |&level| self.contains(level))
    }

    /// The highest level of the set, which is 32 for [`LevelSet::ALL`].
    pub fn highest(self) -> u32 {
        u32::BITS - self.0.leading_zeros()
    }
}

/// The destination of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Destination {
    /// One processor.
    Processor(u32),
    /// Every processor that meets the source at one of these levels.
    Levels(LevelSet),
}

/// The message that a packet carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Message {
    /// The one message that `origin` broadcasts.
    Broadcast {
        /// The processor that does.
        origin: u32,
    },
    /// The message of `origin` for `target`.
    Personal {
        /// The processor it comes from.
        origin: u32,
        /// The processor it is for.
        target: u32,
    },
}

impl Message {
    /// The processor the message comes from.
    pub fn origin(self) -> u32 {
        match self {
            Message::Broadcast { origin } | Message::Personal { origin, .. } => origin,
        }
    }
}

/// One packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScheduledPacket {
    /// The step in which the source sends the packet on its leaf link; the first is 1.
    pub step: u64,
    /// The processor that sends it.
    pub source: u32,
    /// The destination.
    pub destination: Destination,
    /// The message that a relay sends on; `None` when the message is the source's own.
    pub relayed: Option<Message>,
}

impl ScheduledPacket {
    /// A packet to one processor.
    pub fn to(step: u64, source: u32, destination: u32) -> ScheduledPacket {
        ScheduledPacket {
            step,
            source,
            destination: Destination::Processor(destination),
            relayed: None,
        }
    }

    /// A packet to every processor that meets the source at one of `levels`.
    pub fn to_levels(step: u64, source: u32, levels: LevelSet) -> ScheduledPacket {
        ScheduledPacket {
            step,
            source,
            destination: Destination::Levels(levels),
            relayed: None,
        }
    }

    /// The message that the packet carries: its own unless it is relayed.
    pub fn message(&self) -> Message {
        match (self.relayed, self.destination) {
            (Some(message), _) => message,
            (None, Destination::Levels(_)) => Message::Broadcast {
                origin: self.source,
            },
            (None, Destination::Processor(target)) => Message::Personal {
                origin: self.source,
                target,
            },
        }
    }
}

/// A list of packets. Their order has no meaning for [`check`](crate::check); in
/// [`ideal`](crate::ideal) it breaks ties.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Schedule {
    /// The packets, at most [`PACKETS_MAX`] of 32 bytes.
    pub packets: Vec<ScheduledPacket>,
}

impl Schedule {
    /// The last step in which a source sends, or 0.
    pub fn last_send(&self) -> u64 {
        self.packets
            .iter()
            .map(|packet| packet.step)
            .max()
            .unwrap_or(0)
    }
}

impl FromIterator<ScheduledPacket> for Schedule {
    fn from_iter<I: IntoIterator<Item = ScheduledPacket>>(packets: I) -> Self {
        Schedule {
            packets: packets.into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_takes_32_bytes() {
        assert_eq!(size_of::<ScheduledPacket>(), 32);
    }

    #[test]
    fn level_sets_unite() {
        let set = LevelSet::single(2)
            .unwrap()
            .union(LevelSet::single(5).unwrap());
        assert_eq!(set.up_to(4).collect::<Vec<_>>(), [2]);
        assert_eq!(
            (set.highest(), set.contains(5), set.contains(0)),
            (5, true, false)
        );
        assert_eq!(LevelSet::ALL.up_to(3).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!((LevelSet::single(0), LevelSet::single(32)), (None, None));
    }

    #[test]
    fn a_packet_carries_its_own_message_unless_relayed() {
        assert_eq!(
            ScheduledPacket::to(1, 2, 3).message(),
            Message::Personal {
                origin: 2,
                target: 3
            }
        );
        let own = ScheduledPacket::to_levels(1, 2, LevelSet::ALL);
        assert_eq!(own.message(), Message::Broadcast { origin: 2 });
        let relayed = ScheduledPacket {
            relayed: Some(own.message()),
            ..ScheduledPacket::to(4, 3, 5)
        };
        assert_eq!(relayed.message().origin(), 2);
    }
}
