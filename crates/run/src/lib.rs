//! From a configuration to runs and their results.
//!
//! | file | holds |
//! |---|---|
//! | [`simulation`] | a configuration on its engine, replicate after replicate |
//! | [`replicate`] | replicates: seeds, messages, and how many share an engine |
//! | [`limit`] | when a run is given up |
//! | [`cycle_loop`] | the cycles of hosts that share an engine |
//! | [`checkpoint`] | snapshots of a run in a file |
//! | `checked` | what chips show where a run is taken up from a file |
//! | [`snapshot`] | a run between two clock edges, kept |
//! | [`observer`] | who watches a run |
//! | [`recorder`] | an observer that records a waveform |
//! | [`packets`] | a schedule of packets on an engine |
//! | [`nets`] | an observer of what is inside the chips |
//! | [`collisions`] | an observer that finds where messages collide |
//! | [`counts`] | counts of collisions, links and properties over all replicates |
//! | [`links`] | an observer that counts the flits on links |
//! | [`monitors`] | an observer of the properties that routers look at |
//! | [`campaign`] | a router of a network, broken in every way in turn |
//! | [`coverage`] | which nets of the chips changed, as a report |
//! | [`result`] | what a run leaves behind, as JSON and CSV |
//! | [`memory`] | what a run takes of memory, before it is made |

pub mod batches;
pub mod campaign;
mod checked;
pub mod checkpoint;
pub mod collisions;
pub mod config;
pub mod counts;
pub mod coverage;
pub mod cycle_loop;
pub mod fault;
pub mod gpu;
pub mod host;
pub mod limit;
pub mod links;
pub mod memory;
pub mod monitors;
pub mod nets;
pub mod observer;
pub mod own_chips;
pub mod packets;
pub mod recorder;
pub mod replicate;
pub mod result;
pub mod simulation;
pub mod snapshot;
