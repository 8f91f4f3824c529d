//! Packets with faults, as the nodes saw them to which they came.

use serde::{Deserialize, Serialize};

use crosswave_network::topology::PacketFault;

/// Packets with faults that are kept of a replicate, the first ones. All are counted.
pub const FAULTY_MAX: usize = 1000;

/// A packet with a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultyPacket {
    /// The fault.
    pub fault: PacketFault,
    /// The node to which it came.
    pub node: u32,
    /// The cycle in which the node shows it, with its last flit.
    pub cycle: u64,
    /// The message, as far as the number in the head tells; `None` where no message has it.
    pub message: Option<u32>,
}
