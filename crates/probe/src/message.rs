//! The life of a message: offered, sent, acknowledged.

use serde::{Deserialize, Serialize};

/// A cycle that has not come yet.
pub const NEVER: u64 = u64::MAX;

/// The record of one message. Cycles are those in which the host pins of the network interfaces
/// showed the event; [`NEVER`] where it did not happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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

    /// True when it was delivered, and its sender told.
    pub fn came_through(&self) -> bool {
        self.delivered_cycle != NEVER && self.acknowledged_cycle != NEVER
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

/// The record of the connection that carried a message through a network of RN1; [`NEVER`] where
/// something did not happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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

/// An event of a message that a host observes in a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageEvent {
    /// The first word of an attempt is on the wire.
    Launched {
        /// The interface.
        instance: u32,
        /// The message.
        id: u32,
        /// Attempts so far, with this one.
        attempt: u32,
        /// Its destination.
        destination: u32,
        /// The number of its way, where its pair of nodes has several.
        way: u32,
        /// The message was first asked for.
        offered_cycle: u64,
    },
    /// The sender has learnt that its attempt was rejected.
    Rejected {
        /// The interface.
        instance: u32,
        /// The message.
        id: u32,
        /// The place at which it was rejected, as far as the host knows.
        at: RejectedAt,
    },
    /// The sender has its acknowledgement.
    Acknowledged {
        /// The interface.
        instance: u32,
        /// The message.
        id: u32,
        /// The record of the message. Where messages go by circuits its delivery may be still to
        /// come.
        message: MessageRecord,
        /// The record of its connection, where it went by one.
        connection: Option<ConnectionRecord>,
    },
    /// The destination has received a message that was acknowledged before.
    Delivered {
        /// The message.
        id: u32,
    },
}

/// Attempts that were rejected, counted by place, in rows that the kind of network names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rejections {
    /// Their name: collisions, or blocked attempts.
    pub title: &'static str,
    /// Name of the places by which lists count.
    pub places: &'static str,
    /// True when places are listed from the last to the first, as levels of a tree are.
    pub descending: bool,
    /// The rows.
    pub rows: Vec<RejectionRow>,
}

/// A row of counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RejectionRow {
    /// Its name in results.
    pub name: &'static str,
    /// Its heading in a table.
    pub heading: &'static str,
    /// Its form in results.
    pub shown: CountForm,
    /// The counts, by place.
    pub counts: Vec<u64>,
}

/// The form of a row of counts in results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountForm {
    /// As a list, by place.
    List,
    /// As a number: there is one place.
    Number,
    /// As not known.
    Unknown,
    /// It counts in the total only.
    Hidden,
}

impl RejectionRow {
    /// A row of so many places, without any rejection yet.
    pub fn new(name: &'static str, heading: &'static str, shown: CountForm, places: usize) -> Self {
        RejectionRow {
            name,
            heading,
            shown,
            counts: vec![0; places],
        }
    }
}

/// A place of [`Rejections`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RejectedAt {
    /// The row.
    pub row: usize,
    /// The place in it.
    pub place: usize,
}

impl Rejections {
    /// Counts one.
    #[inline]
    pub fn count(&mut self, at: RejectedAt) {
        self.rows[at.row].counts[at.place] += 1;
    }

    /// Adds those of another run in the same network; the first are taken as they are.
    ///
    /// # Panics
    /// When the rows are not those of the same network.
    pub fn add(&mut self, others: &Rejections) {
        if self.rows.is_empty() {
            self.clone_from(others);
            return;
        }
        for (row, other) in self.rows.iter_mut().zip(&others.rows) {
            assert_eq!(
                (row.name, row.counts.len()),
                (other.name, other.counts.len())
            );
            for (all, other) in row.counts.iter_mut().zip(&other.counts) {
                *all += other;
            }
        }
    }

    /// The counts of the row of that name; none when there is none.
    pub fn of(&self, name: &str) -> &[u64] {
        let row = self.rows.iter().find(|row| row.name == name);
        row.map_or(&[], |row| &row.counts)
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.rows.iter().flat_map(|row| &row.counts).sum()
    }
}
