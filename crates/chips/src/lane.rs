//! Lanes: a signal of each node in waveforms that tells what becomes of its messages, made of
//! what the ports of its network interface show.

use crosswave_probe::signal::StateName;

/// Rules by which the lanes of a kind of network interface follow from its ports.
#[derive(Debug)]
pub struct Lane {
    /// The scope in which each lane has a scope of its own, with the name of its node.
    pub scope: &'static str,
    /// The name of the signal.
    pub name: &'static str,
    /// Its width in bits.
    pub width: u8,
    /// States of a lane; it is in 0, the first one, before anything has happened.
    pub states: &'static [StateName],
    /// Outputs that are 1 for a cycle, each with the state that follows. The last one counts.
    pub events: &'static [(usize, u64)],
    /// A step that no single output tells of.
    pub step: LaneStep,
}

/// The step of a lane from a state to the next one, in the cycle in which two ports show the same.
#[derive(Debug)]
pub struct LaneStep {
    /// The state before.
    pub from: u64,
    /// The state after.
    pub to: u64,
    /// The two ports.
    pub ports: [usize; 2],
}
