//! Paths that stand in a network, and what is known of the messages that have them.

use std::collections::BTreeMap;

use crate::life::record::MessageLife;
use crosswave_network::LinkPort;

/// The attempts of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attempts {
    pub(super) offered_cycle: u64,
    /// The first head was on the wire.
    pub(super) sent_cycle: u64,
    /// Cycles of rejected attempts, and between attempts.
    pub(super) blocked: u64,
    pub(super) pauses: u64,
    /// The cycle in which the source was told of the last rejection.
    pub(super) told_cycle: u64,
    pub(super) count: u32,
}

/// The paths that stand, and what is known of messages whose paths do.
#[derive(Debug, Default)]
pub(super) struct Paths {
    /// Outputs on a path, with the place of its attempt.
    pub(super) standing: Vec<(LinkPort, u32)>,
    /// Attempts that are over but for their paths, and the messages that have come by them.
    pub(super) ending: Vec<(u32, Option<MessageLife>)>,
    pub(super) attempts: BTreeMap<u32, Attempts>,
    /// The outputs of routers at which a rejection came back last, with the cycle, by messages whose sources
    /// were not told so far.
    pub(super) nacks: BTreeMap<u32, (LinkPort, u64)>,
}
