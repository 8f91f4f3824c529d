//! The trace of a message: every attempt, or every packet, with every router on its route, what it
//! met there, and where the cycles of its latency went.
//!
//! ```text
//!  states of routers' inputs, ──┐
//!  words at outputs             ├──> Follower ──> AttemptRecord, MessageLife ──> LifeSink
//!  what hosts are told ─────────┘
//! ```
//!
//! | file | holds |
//! |---|---|
//! | [`record`] | what is recorded of an attempt, and of a message |
//! | [`follower`] | who watches a run and records it, whatever its messages are |
//! | [`circuits`] | follows circuits |
//! | [`packets`] | follows packets of a word each |
//! | [`flits`] | follows packets of flits |
//! | [`tags`] | follows packets of flits by the numbers in their heads |
//! | [`blocked`] | who blocked attempts, where and how often |
//! | [`router_paths`] | from which inputs to which outputs messages went |
//! | [`slowest`] | the slowest messages of a run, and the outputs that reject most |
//! | [`fold`] | repeated attempts, folded |
//! | [`behind`](mod@behind) | records that are taken on a thread of their own |
//! | [`events`] | JSON, a line for each record |
//! | [`lanes`] | messages as signals of a waveform |
//! | [`ports`] | the ports that messages use |
//! | [`standstill`] | where packets are at the end of a run that failed, and which links wait for each other |
//! | [`story`] | all records of one message |
//! | [`ladder`] | the story of a message as a picture |
//! | [`table`] | a row for each attempt, for notebooks |
//! | [`transactions`] | records as transactions, for viewers |
//! | `under_way` | packets that are under way, and wires |
//!
//! Times are cycles. A head that is *at* a router in a cycle is on the wire there.

pub mod behind;
pub mod blocked;
pub mod circuits;
pub mod events;
pub mod flits;
pub mod fold;
pub mod follower;
pub mod ladder;
pub mod lanes;
pub mod packets;
pub mod ports;
pub mod record;
pub mod router_paths;
pub mod slowest;
pub mod standstill;
pub mod story;
pub mod table;
pub mod tags;
pub mod transactions;
mod under_way;

#[cfg(test)]
mod tests;

pub use circuits::CircuitFollower;
pub use follower::Follower;
pub use record::{
    AttemptRecord, Breakdown, Collision, EndOfAttempt, HopRecord, LifeSink, MessageLife, NO_OUTPUT,
    PacketNumber, Rival,
};
