//! Collective communications in binary fat trees, after Dimakopoulos and Dimopoulos,
//! *Communications in Binary Fat Trees* (PDCS 1995; cited below as D&D).
//!
//! | file | holds |
//! |---|---|
//! | [`tree`] | the tree, its capacities and its channels |
//! | [`schedule`] | packets, and when their sources send them |
//! | [`text`] | a schedule as CSV |
//! | [`fault`] | what forbids a schedule |
//! | [`check`] | the check that a schedule runs without queues, and when it ends |
//! | `contention` | channels that are asked for more than their capacity |
//! | [`generate`] | broadcast, scatter, gather, multinode broadcast |
//! | [`total_exchange`] | total exchange in phases, and interleaved |
//! | [`quartered`] | total exchange on the CBFT in the fewest steps |
//! | [`spread`] | messages of a phase spread evenly over its steps |
//! | [`operation`] | all of them by their names, with what they take |
//! | [`ideal`] | the step simulator with a FIFO queue at every channel |
//! | [`bounds`] | the closed forms of the paper, and sharper lower bounds |
//! | [`messages`] | operations as unicast messages that wait for each other |
//!
//! A step is the time a packet takes over one link; the first step is 1. A packet that
//! its source sends in step t over D links arrives in step t + D - 1, and an operation
//! takes as many steps as the number of the last one in which a packet arrives (D&D,
//! section 3: T_i = n - 2^(i-1) + 2i - 1).
//!
//! Nothing here knows the chips and engines of the rest: this is the paper's ideal
//! network, and its schedules are inputs and yardsticks of real ones. [`messages`] is for those
//! whose routers do not replicate, circuit-switched ones above all.

pub mod bounds;
pub mod check;
mod contention;
pub mod fault;
pub mod generate;
pub mod ideal;
pub mod messages;
pub mod operation;
pub mod quartered;
pub mod schedule;
pub mod spread;
pub mod text;
pub mod total_exchange;
pub mod tree;

#[cfg(test)]
mod tests;
