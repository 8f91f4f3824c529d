//! Networks by kind, each with the keys that its kind takes.
//!
//! A method sets one key. Left out, a key has its default. What does not fit, or does not fit
//! together, is said when the configuration is checked.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::keys::{Keys, setters};

pub use crosswave_network::fat_tree::Release;
pub use crosswave_network::fat_tree::config::Winner;
pub use crosswave_network::mport_tree::ways::Choice;
pub use crosswave_network::rn1_nodes::Close;

/// A network of any kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network {
    pub(crate) keys: Keys,
}

/// The keys that name a kind and its size.
fn keys(kind: &str, sizes: &[(&'static str, u32)]) -> Keys {
    let mut keys = Keys::default();
    keys.set("network", "kind", kind);
    for (key, size) in sizes {
        keys.set("network", key, size);
    }
    keys
}

/// Declares the kinds, each with its name and the keys of its size.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal($($(#[$size_doc:meta])* $size:ident),*);)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, PartialEq, Eq)]
            pub struct $kind {
                keys: Keys,
            }

            impl $kind {
                /// One of this size, with the defaults of all else.
                pub fn new($($size: u32),*) -> $kind {
                    $kind {
                        keys: keys($name, &[$((stringify!($size), $size)),*]),
                    }
                }
            }

            impl From<$kind> for Network {
                fn from(network: $kind) -> Network {
                    Network { keys: network.keys }
                }
            }
        )*
    };
}

kinds! {
    /// A fat tree of four-port routers: a power of two nodes, 2 to 2^20.
    FatTree = "fat-tree"(nodes);
    /// A bidelta network of RN1: a power of four nodes, 16 to 2^20.
    Bidelta = "bidelta"(nodes);
    /// A dilated butterfly of RN1: 16, 64 or 256 nodes.
    Butterfly = "butterfly"(nodes);
    /// Transit's fat tree of RN1: the nodes of a leaf times 64 for each layer of UT64x8, and times
    /// 4 with a cap on them.
    Transit = "transit"(nodes);
    /// A packet-switched binary fat tree: a power of two nodes, 2 to 2^20.
    BinaryFatTree = "binary-fat-tree"(nodes);
    /// An m-port n-tree of circuit switches: of `ports`, m, and `levels`, n. It has 2(m/2)^n
    /// nodes.
    MportTree = "m-port-n-tree"(ports, levels);
    /// The same of packet switches with queues: models for the event engine, unless queues hold up to 8
    /// packets and switches have up to 8 ports.
    MportPacketTree = "m-port-n-tree-packets"(ports, levels);
    /// A butterfly fat tree of wormhole switches: 4^levels nodes.
    ButterflyFatTree = "butterfly-fat-tree"(levels);
    /// A fat stack of wormhole switches: 4^levels nodes, with rings of three 3^levels.
    FatStack = "fat-stack"(levels);
    /// A fat pyramid of wormhole switches: 4^levels nodes.
    FatPyramid = "fat-pyramid"(levels);
}

/// Declares the grids of a designer's own routers.
macro_rules! grids {
    ($($(#[$doc:meta])* $kind:ident = $name:literal;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, PartialEq, Eq)]
            pub struct $kind {
                keys: Keys,
            }

            impl $kind {
                /// One of a component file, with so many routers along each axis, and the links to the
                /// lower and to the higher neighbour along each.
                pub fn new(
                    component: impl AsRef<Path>,
                    size: &[u32],
                    axes: &[[&str; 2]],
                ) -> $kind {
                    let mut keys = keys($name, &[]);
                    keys.set("network", "component", component.as_ref());
                    keys.set("network", "size", size);
                    keys.set("network", "axes", axes);
                    $kind { keys }
                }

                setters! {
                    /// The name of the link of the node.
                    local(link: &str) = "network".local;
                    /// The extra cycles of each link between two routers.
                    link_cycles(cycles: u32) = "network".link_cycles;
                    /// The share of cycles in which a sink refuses flits, 0 to 1.
                    stall(share: f64) = "endpoint".stall;
                    /// The cycles that a source of circuits waits at most before it tries again.
                    retry_cycles(cycles: u32) = "endpoint".retry_cycles;
                    /// The cycles without an event after which a run is given up.
                    deadlock_cycles(cycles: u64) = "checks".deadlock_cycles;
                    /// Lets routers look at the properties of their links.
                    monitors(on: bool) = "checks".monitors;
                }
            }

            impl From<$kind> for Network {
                fn from(network: $kind) -> Network {
                    Network { keys: network.keys }
                }
            }
        )*
    };
}

/// A network of your own routers as a list has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Custom {
    keys: Keys,
}

impl Custom {
    /// One of component files, with the lists of routers and links (CSV).
    pub fn new<P: AsRef<Path>>(
        components: impl IntoIterator<Item = P>,
        routers: impl AsRef<Path>,
        links: impl AsRef<Path>,
    ) -> Custom {
        let mut custom = Custom::of(components);
        custom.keys.set("network", "routers", routers.as_ref());
        custom.keys.set("network", "links", links.as_ref());
        custom
    }

    /// One of component files, with a file that has all routers and links: the text form of networks, or
    /// GraphML.
    pub fn structure<P: AsRef<Path>>(
        components: impl IntoIterator<Item = P>,
        structure: impl AsRef<Path>,
    ) -> Custom {
        let mut custom = Custom::of(components);
        custom.keys.set("network", "structure", structure.as_ref());
        custom
    }

    fn of<P: AsRef<Path>>(components: impl IntoIterator<Item = P>) -> Custom {
        let mut keys = keys("custom", &[]);
        let paths: Vec<PathBuf> = components
            .into_iter()
            .map(|path| path.as_ref().to_owned())
            .collect();
        keys.set("network", "component", paths);
        Custom { keys }
    }

    setters! {
        /// The names of the links of nodes.
        local(links: &[&str]) = "network".local;
        /// The share of cycles in which a sink refuses flits, 0 to 1.
        stall(share: f64) = "endpoint".stall;
        /// The cycles that a source of circuits waits at most before it tries again.
        retry_cycles(cycles: u32) = "endpoint".retry_cycles;
        /// The cycles without an event after which a run is given up.
        deadlock_cycles(cycles: u64) = "checks".deadlock_cycles;
        /// Lets routers look at the properties of their links.
        monitors(on: bool) = "checks".monitors;
    }
}

impl From<Custom> for Network {
    fn from(network: Custom) -> Network {
        Network { keys: network.keys }
    }
}

grids! {
    /// A mesh of your own routers.
    Mesh = "mesh";
    /// A torus of them.
    Torus = "torus";
    /// A ring of them.
    Ring = "ring";
}

/// A queue of packets at an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queue {
    /// At most so many packets wait, 0 to 65,534.
    Packets(u32),
    /// Any number of packets waits.
    Unlimited,
}

impl Serialize for Queue {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Queue::Packets(packets) => serializer.serialize_u32(*packets),
            Queue::Unlimited => serializer.serialize_str("unlimited"),
        }
    }
}

/// A leaf of Transit's fat tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Leaf {
    /// A UT64x2, of a full fat tree.
    #[serde(rename = "UT64x2")]
    Ut64x2,
    /// A cluster of 12 nodes, of a hybrid tree.
    B12,
    /// A cluster of 48 nodes.
    B48,
    /// A cluster of 192 nodes.
    B192,
}

impl FatTree {
    setters! {
        /// Capacities that double at every second level, instead of every one: 1, 2, 2, 4, 4, 8, …
        capacities_at_every_second_level() = "network".capacities = "every-second-level";
        /// Capacities that double up to so many links, a power of two from 1 to 2^19.
        capacity_max(links: u32) = "network".capacities;
        /// The links of the channel below each level: 1 in front, each of the others the one before
        /// or twice that.
        capacities(links: impl AsRef<[u32]> + Serialize) = "network".capacities;
        /// Extra clocks of all links, 0 to 64.
        link_delay_cycles(cycles: u32) = "network".link_delay_cycles;
        /// Extra clocks of the links of each level, 0 to 64; the first are those between nodes and
        /// routers.
        link_delay_cycles_by_level(cycles: impl AsRef<[u32]> + Serialize) = "network".link_delay_cycles;
        /// The one of several colliding messages that passes.
        winner(winner: Winner) = "router".winner;
        /// The event that frees an output that a message holds.
        release(release: Release) = "router".release;
    }
}

/// Methods of the nodes of networks of RN1.
macro_rules! of_rn1 {
    ($($kind:ident)*) => {
        $(impl $kind {
            setters! {
                /// Number of times that a connection is turned, 0 to 15: 0 is a message without a
                /// reply, 1 a request and a reply.
                turns(turns: u32) = "interface".turns;
                /// Words of a reply, 1 to 65,536.
                reply_words(words: u32) = "interface".reply_words;
                /// Idle cycles before a reply, 0 to 255.
                reply_delay_cycles(cycles: u32) = "interface".reply_delay_cycles;
                /// The way in which a connection that was turned is closed.
                close(close: Close) = "interface".close;
            }
        })*
    };
}
of_rn1!(Bidelta Butterfly Transit);

impl Bidelta {
    setters! {
        /// Extra clocks between all stages, 0 to 31, instead of what the length of wires takes.
        link_delay_cycles(cycles: u32) = "network".link_delay_cycles;
        /// Extra clocks behind each stage but the last, 0 to 31.
        link_delay_cycles_by_stage(cycles: impl AsRef<[u32]> + Serialize) = "network".link_delay_cycles;
        /// Clocks of the wires from the last stage back to the nodes, 0 to 31.
        loop_back_cycles(cycles: u32) = "network".loop_back_cycles;
    }
}

impl Transit {
    setters! {
        /// Its leaves.
        leaf(leaf: Leaf) = "network".leaf;
        /// A stage up of UT64x2 of two crossbars.
        up_stage_of_two_crossbars() = "network".up_stage = "two-crossbars";
        /// Routes that say by a height how far they climb, instead of by a direction for each stage.
        climb_by_height() = "network".climb = "height";
        /// Wires to a stage spread over as few routers as possible, instead of as many.
        no_dispersion() = "network".dispersion = "none";
        /// Extra clocks of all wires between stacks, 0 to 31, instead of what their length takes.
        link_delay_cycles(cycles: u32) = "network".link_delay_cycles;
        /// Extra clocks below each layer of UT64x8, and below the cap, 0 to 31.
        link_delay_cycles_by_layer(cycles: impl AsRef<[u32]> + Serialize) = "network".link_delay_cycles;
        /// Picoseconds of a clock, 500 to 1,000,000, from which the clocks of long wires follow.
        clock_ps(picoseconds: u32) = "network".clock_ps;
        /// Relative permittivity of what carries signals over long wires, 100 to 2000 percent.
        permittivity_percent(percent: u32) = "network".permittivity_percent;
    }

    /// Wires to a stage spread over inputs that are drawn from a seed, 0 to 2^63 − 1.
    pub fn random_dispersion(mut self, seed: u64) -> Self {
        self.keys.set("network", "dispersion", "random");
        self.keys.set("network", "wiring_seed", seed);
        self
    }
}

impl BinaryFatTree {
    setters! {
        /// Capacities of one link at every level, instead of twice as many from level to level.
        capacities_of_one() = "network".capacities = "constant";
        /// The links of the channel below each level: 1 in front, none below the one before.
        capacities(links: impl AsRef<[u32]> + Serialize) = "network".capacities;
        /// Queues at the outputs of routing nodes; those of more than 8 packets are a model for the
        /// event engine. Without this there are none.
        queue_packets(queue: Queue) = "router".queue_packets;
        /// Links that lead up in even cycles and down in odd ones, with queues.
        half_duplex() = "router".duplex = "half";
    }
}

/// Methods of m-port n-trees.
macro_rules! of_mport_trees {
    ($($kind:ident)*) => {
        $(impl $kind {
            setters! {
                /// The paths of pairs of nodes, by the name of a routing: `omrmn`, `osrm2`, `osrm3`,
                /// `wsr`, `mlid`, `d-mod-k` or `random`.
                routing(name: &str) = "network".routing;
                /// Paths of a pair that has so many, 1 to 4,096.
                paths(paths: u32) = "network".paths;
                /// The rule for spreading messages of a pair over its paths.
                choice(choice: Choice) = "network".choice;
                /// The seed from which paths are drawn.
                routing_seed(seed: u32) = "network".routing_seed;
                /// Names of switches and links that have failed, such as `switch((0, 1), 2) port 3`.
                failed(names: &[&str]) = "network".failed;
                /// Paths over failed links move to one other path each, in turn, instead of to all.
                reroute_in_turn() = "network".reroute = "round-robin";
            }

            /// A file of tables with the ports of every path, in place of a routing by name.
            pub fn tables(mut self, file: impl AsRef<Path>) -> Self {
                let file = file.as_ref().to_string_lossy();
                self.keys.set("network", "tables", file);
                self
            }
        })*
    };
}
of_mport_trees!(MportTree MportPacketTree);

impl MportTree {
    setters! {
        /// The one of several colliding messages that passes.
        winner(winner: Winner) = "router".winner;
        /// The event that frees an output that a message holds.
        release(release: Release) = "router".release;
    }
}

impl MportPacketTree {
    setters! {
        /// Queues at the outputs of switches.
        queue_packets(queue: Queue) = "router".queue_packets;
    }
}

/// Methods of networks of wormhole switches.
macro_rules! of_the_frame {
    ($($kind:ident)*) => {
        $(impl $kind {
            setters! {
                /// Twice the wires from level to level.
                capacities_that_double() = "network".capacities = "doubling";
                /// One wire at every level.
                capacities_of_one() = "network".capacities = "constant";
                /// The seed that draws the copies of switches that routes take.
                routing_seed(seed: u32) = "network".routing_seed;
                /// Extra clocks of all links, 0 to 64.
                link_delay_cycles(cycles: u32) = "network".link_delay_cycles;
            }

            /// Extra clocks by the length of links in the layout: a signal passes so many sides of
            /// a processor's cell in a clock, 1 to 1,024.
            pub fn cells_per_cycle(mut self, cells: u32) -> Self {
                self.keys.set("network", "link_delay_cycles", "geometry");
                self.keys.set("network", "cells_per_cycle", cells);
                self
            }
        })*
    };
}
of_the_frame!(ButterflyFatTree FatStack FatPyramid);

/// Methods of networks with links within levels.
macro_rules! of_lateral_links {
    ($($kind:ident)*) => {
        $(impl $kind {
            setters! {
                /// Links within a level of as many wires as links upwards have, instead of one for
                /// each copy of a switch.
                ring_capacity_as_upward() = "network".ring_capacity = "upward";
                /// Processors with a switch each, joined as those of other levels.
                linked_processors() = "network".processors = "linked";
            }
        })*
    };
}
of_lateral_links!(FatStack FatPyramid);

impl FatStack {
    setters! {
        /// A link upwards from one node of a ring, instead of from every one.
        general() = "network".variant = "general";
        /// Nodes of a ring, 3 or 4.
        ring(nodes: u32) = "network".ring;
    }
}
