//! The view of a network that hosts, engines, export and results have.
//!
//! [`Topology`] has what all networks have. What only some have, or only some consumers ask for,
//! is a *facet* of it, a trait or a struct of its own that the folder of the kind implements:
//!
//! | facet | tells | networks without it |
//! |---|---|---|
//! | [`PathTiming`] | clocks of messages' routes | all have it |
//! | [`NetworkDrawing`] | where routers stand | all have it |
//! | [`PacketRules`] | packets, losses, queues, and the ports at which packets are recognised | messages hold circuits |
//! | [`PathChoice`] | several routes, of which senders choose | each pair of nodes has one |
//! | [`Replies`] | clocks of replies | receivers do not reply |
//! | [`CollisionTracing`] | collisions, read off the states of routers | [`Untraced`] says where else they show |
//! | [`VerilogHost`] | the host of the test bench | the test bench replays a run |
//! | [`Footprint`] | memory of chips | that of routers of as many ports is assumed |
//!
//! A further one is a value of the fabric: [`Fabric::lane`], the signal of what becomes of each
//! node's messages.

mod collisions;
mod drawing;
mod footprint;
mod packets;
mod timing;

use std::fmt;

use serde_json::Value;

use super::Fabric;
use crosswave_base::diagnostic::Diagnostic;
use crosswave_chips::Chip;
use crosswave_chips::endpoint::Endpoint;
use crosswave_chips::routing::{HeaderBytes, Route};
use crosswave_chips::switch::Switch;
use crosswave_component::{Component, OwnNetlist};
use crosswave_probe::message::Rejections;

pub use collisions::{Collision, CollisionTracer, CollisionTracing, OutputHolder, Untraced};
pub use drawing::{NetworkDrawing, Rank};
pub use footprint::Footprint;
pub use packets::{
    FlitMark, FlitPorts, LongestQueue, PacketFault, PacketPorts, PacketRules, TaggedFlits,
    WordOutputs,
};
pub use timing::{Arrival, PATH_CLASSES_MAX, PathTiming, RoundTiming, UnknownWaits};

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

    /// The chips of each array and how many there are, as in the fabric, of which nothing is
    /// built: routers, network interfaces, where links can have extra clocks delay lines, of
    /// which there may be none, and the wires that are stuck.
    fn chips(&self) -> Vec<(&'static Chip, u64)>;

    /// The chips that networks of its kind are made of, whatever its options are.
    fn chip_family(&self) -> &'static [&'static Chip];

    /// The node of a network interface.
    fn node_of_instance(&self, instance: usize) -> u32;

    /// The endpoint of its nodes, as a host uses it.
    fn endpoint(&self) -> &'static dyn Endpoint;

    /// The switch of its routers, for following messages; `None` when they hold nothing for
    /// messages, which are packets.
    fn switch(&self) -> Option<&'static dyn Switch>;

    /// The route that a host gives an interface for a destination; empty where the interface
    /// finds it itself.
    fn route(&self, source: u32, destination: u32) -> Route;

    /// Number of routers on the path of a message between two different nodes, which is the same on
    /// all paths that the message may take. A message to [every node](crate::traffic::EVERY_NODE)
    /// has no such number, and callers leave it out.
    ///
    /// This is arithmetic without allocation, since a run asks once for each of its messages.
    fn routers_on_path(&self, source: u32, destination: u32) -> u32;

    /// The link port at which a message leaves a chip of its path.
    fn leaves(&self, at: OnPath) -> usize;

    /// The bytes in front of the body on the wire of the source.
    fn header(&self, source: u32, destination: u32) -> HeaderBytes {
        self.route(source, destination).bytes
    }

    /// Describes in words the part of the header that a router of a path reads.
    fn reads(&self, at: OnPath) -> String;

    /// The rows in which rejected attempts are counted, without any yet.
    fn rejections(&self) -> Rejections;

    /// The summary of the network beside its nodes and chips.
    fn summary(&self) -> Summary;

    /// The clocks of messages' routes, as far as they are known in advance.
    fn timing(&self) -> Box<dyn PathTiming>;

    /// The places of its routers in a drawing.
    fn drawing(&self) -> &dyn NetworkDrawing;

    /// The rules of packets for a host, when messages are packets.
    fn packets(&self) -> Option<&dyn PacketRules> {
        None
    }

    /// The choice among several routes, where messages of a pair of nodes may take one or
    /// another.
    fn path_choice(&self) -> Option<&dyn PathChoice> {
        None
    }

    /// The clocks of replies, when receivers reply.
    fn replies(&self) -> Option<&dyn Replies> {
        None
    }

    /// The facet that traces collisions at routers.
    ///
    /// # Errors
    /// The error tells what is in the way, and where collisions can be seen instead.
    fn collisions(&self) -> Result<&dyn CollisionTracing, Untraced> {
        Err(Untraced::DEFAULT)
    }

    /// The host in Verilog that can play its nodes, when there is one.
    fn verilog_host(&self) -> Option<VerilogHost> {
        None
    }

    /// The components that its routers are, where these are none of the program's.
    fn components(&self) -> &[&'static Component] {
        &[]
    }

    /// The components of its routers that look at properties in a run.
    fn monitored(&self) -> Vec<&'static Component> {
        Vec::new()
    }

    /// The netlists of its chips that are none of the program's.
    fn own_netlists(&self) -> Vec<&'static OwnNetlist> {
        Vec::new()
    }

    /// Notes that a run begins with.
    fn notes(&self) -> &[Diagnostic] {
        &[]
    }

    /// Memory that its chips take. Unless the kind overrides it, this is the memory of routers with
    /// so many ports in other networks.
    fn footprint(&self) -> Footprint {
        let ports = self.chips()[ROUTERS].0.links.len();
        match self.packets() {
            None => Footprint::of_routers(ports),
            Some(_) => Footprint::of_packets(ports),
        }
    }
}

impl dyn Topology + '_ {
    /// The switch of its routers, for following messages.
    ///
    /// # Panics
    /// Where messages are packets.
    pub fn circuit_switch(&self) -> &'static dyn Switch {
        self.switch().expect("messages hold something of routers")
    }

    /// Number of inputs of a router: its first link ports. Where routers differ, that of those that
    /// have the most.
    pub fn inputs(&self) -> usize {
        let chips = self.chips();
        let of_nodes = |&(at, _): &(usize, &(&Chip, u64))| at != NODES;
        let routers = chips.iter().enumerate().filter(of_nodes);
        let links = routers.map(|(_, (chip, _))| chip.links.len()).max();
        self.switch()
            .map_or(links.unwrap_or(0), |switch| switch.inputs())
    }

    /// Number of routes of a pair of nodes that senders choose from; number 0 is that of
    /// [`route`](Topology::route).
    pub fn ways(&self, source: u32, destination: u32) -> u32 {
        let choice = self.path_choice();
        choice.map_or(1, |choice| choice.ways(source, destination))
    }
}

/// Several routes for messages of a pair of nodes.
pub trait PathChoice: Sync {
    /// Number of routes of a pair of nodes; number 0 is that of [`route`](Topology::route).
    fn ways(&self, source: u32, destination: u32) -> u32;

    /// The number of the route of a message, `before` others of its pair having been there.
    fn way_of(&self, source: u32, destination: u32, before: u32) -> u32;

    /// One of the routes of a pair, by its number.
    fn route_by(&self, source: u32, destination: u32, way: u32) -> Route;
}

/// Replies of receivers.
pub trait Replies {
    /// Clocks that replies add to a message in a network that comes to rest in `rest_cycles`
    /// clocks.
    fn clocks(&self, rest_cycles: u64) -> u64;
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

/// The summary of a network.
#[derive(Debug, Clone, Default)]
pub struct Summary {
    /// As JSON: fields in order.
    pub fields: Vec<(&'static str, Value)>,
    /// As rows of a table.
    pub rows: Vec<(String, String)>,
    /// Rows that follow those of chips.
    pub last_rows: Vec<(String, String)>,
}

/// Numbers for a test bench that has the host in Verilog.
#[derive(Debug, Clone)]
pub struct VerilogHost {
    /// Extra clocks from a node up to and into each level.
    pub climb_cycles: Vec<u64>,
    /// Options of the test bench, one a line.
    pub options: String,
    /// For each bit of a node's number, the lowest first, the bit of its instance's number.
    pub instance_bits: Vec<u32>,
    /// The condition under which nodes draw random bits, of the variables of the test bench.
    pub nodes_draw: &'static str,
}
