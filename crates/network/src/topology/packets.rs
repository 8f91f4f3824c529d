//! Packets: what a host has to know of them where messages are packets.

use smallvec::SmallVec;

use crosswave_probe::message::RejectedAt;

/// The rules of a network's packets for a host. A message is as many of them as it has words, one
/// in each clock, and its sender is told nothing; or it is one packet of all its words
/// ([`is_streamed`](Self::is_streamed)).
pub trait PacketRules: Sync {
    /// The most clocks in which a packet can be under way that does not wait.
    fn drain_cycles(&self) -> u64;

    /// The ports of a router that are not 0 while packets wait in it; none without queues.
    fn queued_ports(&self) -> &'static [usize];

    /// True when links lead up in even cycles and down in odd ones.
    fn is_half_duplex(&self) -> bool;

    /// True when a message is one packet of all its words, which goes on the wire as there is room
    /// for it: its interface tells when it has begun and when all of it has been sent.
    fn is_streamed(&self) -> bool {
        false
    }

    /// The phase of a packet, which tells something of its way to someone who looks at wires.
    fn phase(&self, source: u32, destination: u32) -> u32;

    /// The destination of a packet that goes to every other node.
    fn every_node(&self) -> u32;

    /// The port of a router that shows at which of its outputs packets were lost a clock ago.
    fn lost_port(&self) -> usize;

    /// The places of the losses that a router shows by a value of that port.
    fn lost_at(&self, router: u32, outputs: u64) -> SmallVec<[RejectedAt; 4]>;

    /// The place under which packets are counted that come to another node than theirs.
    fn wrong_at(&self) -> RejectedAt;

    /// The ports of routers of a level that show how long their queues have been; none without
    /// queues.
    fn longest_queues(&self, level: usize) -> Vec<LongestQueue>;
}

/// A port of routers that shows the most packets that have waited for an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongestQueue {
    /// The port.
    pub port: usize,
    /// The row of results that it belongs to.
    pub name: &'static str,
}
