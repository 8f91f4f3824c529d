//! Packets on a network, step by step, and the schedules of section 3.
//!
//! | file | holds |
//! |---|---|
//! | [`ring`] | one ring whose packets all leave by node 0: lemma 3.1 and corollary 3.1 |
//! | [`packets`] | packets with routes on a whole network, by the greedy scheme |
//! | [`gather`] | all to one by a schedule that is known in advance |
//! | [`worst`] | a search for the traffic that takes longest |
//! | [`bounds`] | what the paper's lemmas and theorems bound them by |
//!
//! A link takes as many packets in a step and direction as it has wires, one where capacities do
//! not double. What arrives in a step leaves in the next at the earliest. Processors start with all
//! their packets.

pub mod bounds;
pub mod gather;
pub mod packets;
pub mod ring;
pub mod worst;
