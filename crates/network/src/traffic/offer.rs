//! Offers: the times at which messages are handed to their sources.
//!
//! A workload is a graph of dependencies: a message may wait for the one before it at its
//! source, and for the delivery of any set of others. As a set names only messages with
//! smaller ids, and a source sends in the order of ids, nothing waits for itself.

/// The time at which a message is handed to its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    /// In this cycle, from 1; later when the source is still busy.
    At(u64),
    /// At the acknowledgement of the source's previous message (by id).
    AfterPrevious,
    /// After the delivery of all messages of a set is known: in the next cycle, or in `not_before`
    /// if that is later. Known is a delivery in its own cycle, or, when attempts that lost on their
    /// way could have come in the same cycle, as soon as their senders are told. The message is
    /// sent later still when the source is busy, and while it waits, the later ones of its source
    /// wait behind it.
    After {
        /// The number of the set in [`Workload::sets`](super::Workload::sets).
        set: u32,
        /// The first cycle, from 1.
        not_before: u64,
    },
}

impl Offer {
    /// The first cycle in which the message may be offered, as far as it is known without a
    /// run: 0 where that depends on other messages alone.
    pub fn earliest(self) -> u64 {
        match self {
            Offer::At(cycle) => cycle,
            Offer::After { not_before, .. } => not_before,
            Offer::AfterPrevious => 0,
        }
    }
}

/// Sets of messages that others wait for, one behind the other. A set takes 4 bytes and a
/// member 4.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeliverySets {
    /// End of each set in `ids`.
    ends: Vec<u32>,
    ids: Vec<u32>,
}

impl DeliverySets {
    /// Adds a set of ids, and returns its number.
    ///
    /// # Panics
    /// When it is empty, or there are 2^32 members in all.
    ///
    /// ```
    /// use crosswave_network::traffic::DeliverySets;
    /// let mut sets = DeliverySets::default();
    /// assert_eq!(sets.push(&[3, 1]), 0);
    /// assert_eq!(sets.push(&[2]), 1);
    /// assert_eq!(sets.of(0), [3, 1]);
    /// ```
    pub fn push(&mut self, ids: &[u32]) -> u32 {
        assert!(!ids.is_empty(), "a message waits for something");
        self.ids.extend(ids);
        let end = u32::try_from(self.ids.len()).expect("fewer than 2^32 members");
        self.ends.push(end);
        self.ends.len() as u32 - 1
    }

    /// The members of a set.
    ///
    /// # Panics
    /// When there is no set of that number.
    pub fn of(&self, set: u32) -> &[u32] {
        let end = |set: usize| self.ends[set] as usize;
        let set = set as usize;
        let first = if set == 0 { 0 } else { end(set - 1) };
        &self.ids[first..end(set)]
    }

    /// Members of all sets.
    pub fn members(&self) -> usize {
        self.ids.len()
    }

    /// True when there are none, so that nodes need to know of no other one.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}
