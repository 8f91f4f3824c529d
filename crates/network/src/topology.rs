//! What every network is to hosts, engines, export and results.

use std::fmt;

use serde_json::Value;
use smallvec::SmallVec;

use super::Fabric;
use crosswave_chips::Chip;
use crosswave_chips::endpoint::Endpoint;
use crosswave_chips::routing::{HeaderBytes, Route};
use crosswave_chips::switch::Switch;
use crosswave_probe::message::{RejectedAt, Rejections};

/// A network of one kind or another. In all of them array [`ROUTERS`] has the routers and
/// array [`NODES`] the network interfaces.
pub type Network = Box<dyn Topology>;

/// Array of the routers.
pub const ROUTERS: usize = 0;
/// Array of the network interfaces.
pub const NODES: usize = 1;

/// A topology: what a kind of network knows of itself.
pub trait Topology: fmt::Debug + Send + Sync {
    /// Number of nodes.
    fn nodes(&self) -> u32;

    /// The network as chips, pins and links.
    fn fabric(&self) -> Fabric;

    /// The node of a network interface.
    fn node_of_instance(&self, instance: usize) -> u32;

    /// What its nodes are to a host.
    fn endpoint(&self) -> &'static dyn Endpoint;

    /// What its routers are to someone who follows messages; `None` where they hold nothing for
    /// messages, which are packets.
    fn switch(&self) -> Option<&'static dyn Switch>;

    /// What a host has to know of packets, where messages are packets.
    fn packets(&self) -> Option<&dyn PacketRules> {
        None
    }

    /// The way that a host gives an interface for a destination; empty where the interface
    /// finds it itself.
    fn route(&self, source: u32, destination: u32) -> Route;

    /// Whether messages of a pair of nodes may take several ways, one or another.
    fn spreads(&self) -> bool {
        false
    }

    /// How many ways a pair of nodes has that senders choose from; way 0 is that of
    /// [`route`](Self::route).
    fn ways(&self, source: u32, destination: u32) -> u32 {
        let _ = (source, destination);
        1
    }

    /// The number of the way of a message, `before` others of its pair having been there.
    fn way_of(&self, source: u32, destination: u32, before: u32) -> u32 {
        let _ = (source, destination, before);
        0
    }

    /// One of the ways of a pair, by its number.
    fn route_by(&self, source: u32, destination: u32, way: u32) -> Route {
        let _ = way;
        self.route(source, destination)
    }

    /// The link port at which a message leaves a chip of its path.
    fn leaves(&self, at: OnPath) -> usize;

    /// The bytes in front of the body on the wire of the source.
    fn header(&self, source: u32, destination: u32) -> HeaderBytes {
        self.route(source, destination).bytes
    }

    /// What a router of a path reads of the header, in words.
    fn reads(&self, at: OnPath) -> String;

    /// What is known in advance of the clocks of messages' ways.
    fn timing(&self) -> Box<dyn PathTiming>;

    /// The rows in which rejected attempts are counted, without any yet.
    fn rejections(&self) -> Rejections;

    /// Clocks that replies add to a message; 0 where there are none. The network comes to
    /// rest in `rest_cycles` clocks.
    fn reply_clocks(&self, rest_cycles: u64) -> u64 {
        let _ = rest_cycles;
        0
    }

    /// The name of the stack that a router is in; `None` where routers are not in stacks.
    fn stack_of(&self, router: u32) -> Option<String> {
        let _ = router;
        None
    }

    /// The ranks in which its routers stand in a drawing, from the senders on: levels from the
    /// nodes up, or stages in the order in which messages pass them.
    fn ranks(&self) -> Vec<Rank>;

    /// Where a router stands: its rank, and its place there, from 0 on. Routers of a group
    /// follow one another.
    fn standing(&self, router: u32) -> (usize, u32);

    /// The chips of each array and how many there are, as in the fabric, of which nothing is
    /// built: routers, network interfaces, where links can have extra clocks delay lines, of
    /// which there may be none, and the wires that are stuck.
    fn chips(&self) -> Vec<(&'static Chip, u64)>;

    /// What is told of the network beside its nodes and chips.
    fn summary(&self) -> Summary;

    /// The levels of routers at which collisions can be traced
    /// (`run::collisions`), or why they cannot.
    ///
    /// # Errors
    /// What is in the way, and where collisions can be seen instead.
    fn traced_levels(&self) -> Result<usize, [&'static str; 2]>;

    /// The chips that networks of its kind are made of, whatever its options are.
    fn chip_family(&self) -> &'static [&'static Chip];

    /// The host in Verilog that can play its nodes, when there is one.
    fn verilog_host(&self) -> Option<VerilogHost> {
        None
    }
}

impl dyn Topology + '_ {
    /// What its routers are to someone who follows messages.
    ///
    /// # Panics
    /// Where messages are packets.
    pub fn circuit_switch(&self) -> &'static dyn Switch {
        self.switch().expect("messages hold something of routers")
    }
}

/// Routers that are drawn in a row. All of them are wired alike: a link port leads to the same
/// rank from each of them, or nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rank {
    /// What it is called.
    pub name: String,
    /// How many routers it has.
    pub routers: u32,
    /// Groups of routers that belong together, as those of a subtree, all of one size.
    pub groups: u32,
}

/// A message in a chip of its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OnPath {
    /// Its source.
    pub source: u32,
    /// Its destination, another node.
    pub destination: u32,
    /// The chip: 0 is the interface of the source, and the routers follow.
    pub chip: u32,
    /// The link port of the router where it arrives.
    pub arrived: usize,
    /// Chooses where several links serve.
    pub draw: bool,
    /// The number of its way, where senders choose from several.
    pub way: u32,
}

/// What a host has to know of the clocks of messages' ways.
pub trait PathTiming: fmt::Debug + Send + Sync {
    /// When a message of so many words has come to its destination, if no attempt is
    /// rejected; `None` where that depends on which of several links it takes.
    fn arrival(&self, source: u32, destination: u32, words: u32) -> Option<Arrival>;

    /// When a message had come to its destination of which the sender was first told so many
    /// clocks after its launch: by a reply, or by its acknowledgement.
    ///
    /// # Panics
    /// Where [`PathTiming::arrival`] does not tell; networks where it does not say so here.
    fn arrived(&self, source: u32, destination: u32, words: u32, told: u64) -> Arrival {
        let _ = told;
        let arrival = self.arrival(source, destination, words);
        arrival.expect("the clocks of the way are known")
    }

    /// Where an attempt was rejected whose sender has learnt of it so many clocks after the
    /// launch; `stage` is what the interface tells, where it does.
    fn rejected(&self, source: u32, destination: u32, clocks: u64, stage: u32) -> RejectedAt;

    /// Bounds on the length of a round, where nodes can send by rounds.
    fn rounds(&self) -> Option<&dyn RoundTiming> {
        None
    }
}

/// What a host has to know of the packets of a network. A message is as many of them as it has
/// words, one in each clock, and its sender is told nothing; or it is one packet of all its words
/// ([`is_streamed`](Self::is_streamed)).
pub trait PacketRules: Sync {
    /// The most clocks in which a packet can be under way that does not wait.
    fn drain_cycles(&self) -> u64;

    /// The ports of a router that are not 0 while packets wait in it; none without queues.
    fn queued_ports(&self) -> &'static [usize];

    /// Whether links lead up in even cycles and down in odd ones.
    fn is_half_duplex(&self) -> bool;

    /// Whether a message is one packet of all its words, which goes on the wire as there is room for it:
    /// its interface tells when it has begun and when all of it has been sent.
    fn is_streamed(&self) -> bool {
        false
    }

    /// The phase of a packet, which tells something of its way to someone who looks at wires.
    fn phase(&self, source: u32, destination: u32) -> u32;

    /// The destination of a packet that goes to every other node.
    fn every_node(&self) -> u32;

    /// The port of a router that shows at which of its outputs packets were lost a clock ago.
    fn lost_port(&self) -> usize;

    /// Where they were, when a router shows a value there.
    fn lost_at(&self, router: u32, outputs: u64) -> SmallVec<[RejectedAt; 4]>;

    /// Where packets are counted that come to another node than theirs.
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

/// Clocks from the launch of a message's head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// Clocks to the first word at the destination, where the network interface shows it.
    pub opened: Option<u64>,
    /// Clocks to the last word at the destination.
    pub delivered: u64,
}

/// The most classes of paths that a network may have.
pub const PATH_CLASSES_MAX: usize = 20;

/// Bounds on how long attempts of a round are under way, by classes of paths that are alike.
pub trait RoundTiming {
    /// The class of a path, below [`PATH_CLASSES_MAX`].
    fn class(&self, source: u32, destination: u32) -> u32;

    /// Between the launch of an attempt and its acknowledgement, when nobody rejects it.
    fn acknowledge(&self, class: u32, words: u32) -> u64;

    /// The first of the clocks after its launch, later than `after`, in which an attempt
    /// could be told of a rejection; `None` when it has passed all routers unless it was told
    /// before.
    fn next_rejection(&self, class: u32, after: u64) -> Option<u64>;
}

/// What is told of a network.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// As JSON: fields in order.
    pub fields: Vec<(&'static str, Value)>,
    /// As rows of a table.
    pub rows: Vec<(String, String)>,
    /// Rows that follow those of chips.
    pub last_rows: Vec<(String, String)>,
}

/// What a test bench needs that has the host in Verilog.
#[derive(Debug, Clone)]
pub struct VerilogHost {
    /// Extra clocks from a node up to and into each level.
    pub climb_cycles: Vec<u64>,
    /// Options of the test bench, one a line.
    pub options: String,
}
