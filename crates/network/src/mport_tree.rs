//! The m-port n-tree FT(m, n) as a fabric: of circuit switches, or of packet switches with queues.
//!
//! Source: Yuan, Nienaber, Duan & Melhem, section II.B. [`PortTree`] has its structure, and numbers
//! nodes, switches and links as the paper does. *Levels* count from the nodes here, as everywhere in
//! networks: level `j` is height `j` of `PortTree`, and the paper's level `n - 1 - j`. Switch `t` of
//! the top switches of the `q`-th SUBFT(m, j + 1) is `switch_j_i`, with `i = q (m/2)^j + t`.
//!
//! Port `k` of a switch, below m/2, leads down to its `k`-th sub-fat-tree or node, port `m/2 + u` up
//! by its `u`-th up link; in the root all m lead down, port `k` to the `k`-th sub-fat-tree. A switch
//! is the smallest chip with so many ports: 4, 8, 16 or 32, and of packets 64; the ports behind the
//! m-th are open.
//!
//! A message is source-routed: its sender names the output port at each switch of its way, so that a
//! routing is known to hosts alone. [`ways`] says which of the paths of a routing a message takes.

pub mod config;
pub mod made_routing;
mod topology;
pub mod ways;

use std::sync::Arc;

use super::copies::Copies;
use super::fat_tree::Release;
use super::topology::{NODES, ROUTERS};
use super::{ChipArray, Fabric, LinkPort, OPEN, Pin, PinValues};
use crosswave_chips::mport_arbiter::PortSwitch;
use crosswave_chips::mport_packet_interface::{self, RoutedPackets};
use crosswave_chips::mport_packet_switch::{
    self, mport_packet_switch_4, mport_packet_switch_4_q8, mport_packet_switch_8,
    mport_packet_switch_8_q8, mport_packet_switch_16, mport_packet_switch_32,
    mport_packet_switch_64,
};
use crosswave_chips::mport_switch::{
    mport_switch_4, mport_switch_8, mport_switch_16, mport_switch_32,
};
use crosswave_chips::mport_tail_switch::{
    mport_tail_switch_4, mport_tail_switch_8, mport_tail_switch_16, mport_tail_switch_32,
};
use crosswave_chips::switch::Switch;
use crosswave_chips::{Chip, mport_interface, packet_queue};
use crosswave_oblivious::failures::Failures;
use crosswave_oblivious::tree::{LinkDirection, PortTree, TreeLink};
use ways::PathSet;

/// The chips of circuit switches, and what they are to someone who follows messages.
static CIRCUIT_SWITCHES: [(&Chip, &PortSwitch); 4] = [
    (&mport_switch_4::CHIP, &mport_switch_4::SWITCH),
    (&mport_switch_8::CHIP, &mport_switch_8::SWITCH),
    (&mport_switch_16::CHIP, &mport_switch_16::SWITCH),
    (&mport_switch_32::CHIP, &mport_switch_32::SWITCH),
];

/// Those whose outputs are free behind the tail.
static TAIL_SWITCHES: [(&Chip, &PortSwitch); 4] = [
    (&mport_tail_switch_4::CHIP, &mport_tail_switch_4::SWITCH),
    (&mport_tail_switch_8::CHIP, &mport_tail_switch_8::SWITCH),
    (&mport_tail_switch_16::CHIP, &mport_tail_switch_16::SWITCH),
    (&mport_tail_switch_32::CHIP, &mport_tail_switch_32::SWITCH),
];

/// The chips of packet switches with queues of up to [`PLACES`](packet_queue::PLACES) packets, and
/// their ports that show how many wait.
static SHORT_PACKET_SWITCHES: [(&Chip, &[usize]); 2] = [
    (
        &mport_packet_switch_4_q8::CHIP,
        &mport_packet_switch_4_q8::QUEUED,
    ),
    (
        &mport_packet_switch_8_q8::CHIP,
        &mport_packet_switch_8_q8::QUEUED,
    ),
];

/// Those of any queues.
static PACKET_SWITCHES: [(&Chip, &[usize]); 5] = [
    (&mport_packet_switch_4::CHIP, &mport_packet_switch_4::QUEUED),
    (&mport_packet_switch_8::CHIP, &mport_packet_switch_8::QUEUED),
    (
        &mport_packet_switch_16::CHIP,
        &mport_packet_switch_16::QUEUED,
    ),
    (
        &mport_packet_switch_32::CHIP,
        &mport_packet_switch_32::QUEUED,
    ),
    (
        &mport_packet_switch_64::CHIP,
        &mport_packet_switch_64::QUEUED,
    ),
];

/// The nodes of packet switches, by lg of their ports, from 2 on.
static PACKET_NODES: [RoutedPackets; 5] = [
    RoutedPackets { bits: 2 },
    RoutedPackets { bits: 3 },
    RoutedPackets { bits: 4 },
    RoutedPackets { bits: 5 },
    RoutedPackets { bits: 6 },
];

/// The most ports of a circuit switch.
pub const CIRCUIT_PORTS_MAX: u32 = 32;
/// The most ports of a packet switch.
pub const PACKET_PORTS_MAX: u32 = 64;
/// The most levels of circuit switches.
pub const CIRCUIT_LEVELS_MAX: u32 = mport_interface::HOPS_MAX as u32 / 2;

/// The most levels of packet switches with so many ports: as many hops as fit a packet.
pub fn packet_levels_max(ports: u32) -> u32 {
    let hops = mport_packet_switch::ROUTE_BITS / bits(ports);
    hops.div_ceil(2)
}

/// lg of the ports of the chip that a switch of so many is: 2 at least.
fn bits(ports: u32) -> u32 {
    ports.next_power_of_two().ilog2().max(2)
}

/// Treatment of messages by switches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switching {
    /// A message is a circuit.
    Circuits(Circuits),
    /// A message is packets, which wait in queues of so many
    /// ([`UNLIMITED`](packet_queue::UNLIMITED)).
    Packets {
        /// Packets that wait for an output at most.
        queue_packets: u32,
    },
}

/// Options of switches and interfaces of circuits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Circuits {
    /// The fixed order of winners instead of random ones.
    pub winner_fixed: bool,
    /// The event that frees a circuit.
    pub release: Release,
    /// Code of the retry strategy (`chip::protocol`).
    pub strategy: u64,
    /// Largest exponent of the back-off; 0 when the strategy has none.
    pub backoff_limit: u64,
}

/// An m-port n-tree with a routing.
#[derive(Debug, Clone)]
pub struct MportTree {
    tree: PortTree,
    ways: PathSet,
    switching: Switching,
    /// Links that are left out.
    failures: Failures,
}

impl MportTree {
    /// The tree of a routing, whose messages take these ways.
    ///
    /// # Panics
    /// When there is no switch with so many ports, or no header for so many levels.
    pub fn new(ways: PathSet, switching: Switching) -> MportTree {
        let tree = ways.tree();
        let (ports, levels) = match switching {
            Switching::Circuits(_) => (CIRCUIT_PORTS_MAX, CIRCUIT_LEVELS_MAX),
            Switching::Packets { .. } => (PACKET_PORTS_MAX, packet_levels_max(tree.ports())),
        };
        assert!(tree.ports() <= ports && tree.levels() <= levels, "{tree}");
        MportTree {
            tree,
            ways,
            switching,
            failures: Failures::new(tree, []),
        }
    }

    /// The same without the links that have failed, which no way takes.
    pub fn with_failures(self, failures: Failures) -> MportTree {
        MportTree { failures, ..self }
    }

    /// Its structure.
    pub fn tree(&self) -> PortTree {
        self.tree
    }

    /// The paths that messages may take.
    pub fn ways(&self) -> &PathSet {
        &self.ways
    }

    /// The switches of a level.
    pub fn switches_of(&self, level: u32) -> u32 {
        self.tree.switches_of(self.tree.opposite(level))
    }

    /// The instance of a switch.
    fn instance(&self, level: u32, number: u32) -> usize {
        let below: u32 = (0..level).map(|below| self.switches_of(below)).sum();
        (below + number) as usize
    }

    /// The level of a switch, and its number there.
    fn place(&self, instance: usize) -> (u32, u32) {
        let mut number = instance as u32;
        let mut level = 0;
        while number >= self.switches_of(level) {
            number -= self.switches_of(level);
            level += 1;
        }
        (level, number)
    }

    fn size(&self) -> usize {
        bits(self.tree.ports()) as usize - 2
    }

    fn switch_chip(&self) -> &'static Chip {
        match self.switching {
            Switching::Circuits(circuits) => self.circuit_switch(circuits).0,
            Switching::Packets { queue_packets } => self.packet_switch(queue_packets).0,
        }
    }

    /// The chip of circuit switches with such a release, and what it is to someone who follows
    /// messages.
    fn circuit_switch(&self, circuits: Circuits) -> (&'static Chip, &'static PortSwitch) {
        match circuits.release {
            Release::Tail => TAIL_SWITCHES[self.size()],
            _ => CIRCUIT_SWITCHES[self.size()],
        }
    }

    /// The chip of packet switches with such queues, and its ports that show how many wait.
    fn packet_switch(&self, queue_packets: u32) -> (&'static Chip, &'static [usize]) {
        let short = SHORT_PACKET_SWITCHES.get(self.size());
        let short = short.filter(|_| queue_packets <= packet_queue::PLACES);
        *short.unwrap_or(&PACKET_SWITCHES[self.size()])
    }

    fn node_chip(&self) -> &'static Chip {
        match self.switching {
            Switching::Circuits(_) => &mport_interface::CHIP,
            Switching::Packets { .. } => &mport_packet_interface::CHIP,
        }
    }

    fn as_switch(&self) -> Option<&'static dyn Switch> {
        match self.switching {
            Switching::Circuits(circuits) => Some(self.circuit_switch(circuits).1),
            Switching::Packets { .. } => None,
        }
    }

    /// The fabric.
    ///
    /// # Panics
    /// When there are too many link ports for numbers of 32 bits.
    pub fn fabric(&self) -> Fabric {
        let (nodes, switches) = (self.tree.nodes() as usize, self.tree.switches() as usize);
        let links = self.switch_chip().links.len();
        let link_ports = links * switches + nodes;
        assert!(
            link_ports < OPEN as usize,
            "link ports have numbers of 32 bits"
        );
        let first_node_link = (links * switches) as u32;
        let mut fabric = Fabric {
            name: "mport_tree",
            arrays: vec![
                self.switch_array(switches),
                self.node_array(first_node_link),
            ],
            peers: vec![OPEN; link_ports],
            rotations: Vec::new(),
            nodes,
            copies: Copies::ONE,
            rest_cycles: 16 + 4 * u64::from(self.tree.levels()),
            restless: false,
            more_routers: 0,
            changes: Vec::new(),
            lane: None,
        };
        let half = self.tree.half();
        for level in 0..self.tree.levels() {
            let tops = self.tree.power(level);
            let down = match level + 1 == self.tree.levels() {
                true => self.tree.ports(),
                false => half,
            };
            for number in 0..self.switches_of(level) {
                let (subtree, top) = (number / tops, number % tops);
                for port in 0..down {
                    let below = subtree * half + port;
                    let link = TreeLink {
                        level: self.tree.opposite(level),
                        direction: LinkDirection::Up,
                        number: below * tops + top,
                    };
                    if self.failures.has_failed(link) {
                        continue;
                    }
                    // The link by which what is below reaches top switch `top`.
                    let (array, instance, link) = match level.checked_sub(1) {
                        None => (NODES, below as usize, 0),
                        Some(lower) => {
                            let number = below * self.tree.power(lower) + top / half;
                            (ROUTERS, self.instance(lower, number), half + top % half)
                        }
                    };
                    let near = LinkPort {
                        array,
                        instance,
                        link: link as usize,
                    };
                    let far = LinkPort {
                        array: ROUTERS,
                        instance: self.instance(level, number),
                        link: port as usize,
                    };
                    fabric.join(near, far);
                }
            }
        }
        fabric
    }

    fn switch_array(&self, switches: usize) -> ChipArray {
        let chip = self.switch_chip();
        let uniform = |name, value| Pin {
            port: chip.port(name),
            values: PinValues::Uniform(value),
        };
        let (pins, random) = match self.switching {
            Switching::Circuits(circuits) => {
                let mut pins = vec![uniform("winner_fixed", circuits.winner_fixed.into())];
                if circuits.release != Release::Tail {
                    let early = circuits.release == Release::EarlyAcknowledge;
                    pins.push(uniform("early_acknowledge", early.into()));
                }
                (pins, !circuits.winner_fixed)
            }
            Switching::Packets { queue_packets } => {
                (vec![uniform("queue_packets", queue_packets.into())], false)
            }
        };
        let tree = self.clone();
        ChipArray {
            chip,
            instances: switches,
            first_link: 0,
            pins,
            silent: Vec::new(),
            random,
            changing: Vec::new(),
            modules: Arc::default(),
            name: Arc::new(move |instance| {
                let (level, number) = tree.place(instance);
                format!("switch_{level}_{number}")
            }),
        }
    }

    fn node_array(&self, first_link: u32) -> ChipArray {
        let chip = self.node_chip();
        let nodes = self.tree.nodes();
        let mut pins = vec![Pin {
            port: chip.port("node"),
            values: PinValues::Each((0..nodes).collect()),
        }];
        let mut silent = Vec::new();
        let mut random = false;
        let hops = 2 * self.tree.levels() as usize - 1;
        let hop_bits = bits(self.tree.ports()) as usize;
        if let Switching::Packets { .. } = self.switching {
            let route = hops * hop_bits..mport_packet_switch::ROUTE_BITS as usize;
            silent.extend(route.map(|bit| (mport_packet_interface::PORT_TX_ROUTE, bit)));
        }
        if let Switching::Circuits(circuits) = self.switching {
            let options = [
                (mport_interface::PORT_STRATEGY, circuits.strategy),
                (mport_interface::PORT_BACKOFF_LIMIT, circuits.backoff_limit),
                (
                    mport_interface::PORT_EARLY_ACKNOWLEDGE,
                    (circuits.release == Release::EarlyAcknowledge).into(),
                ),
            ];
            pins.extend(options.map(|(port, value)| Pin {
                port,
                values: PinValues::Uniform(value),
            }));
            random = circuits.backoff_limit > 0;
            let address_bits = nodes.next_power_of_two().ilog2() as usize;
            silent
                .extend((address_bits..20).map(|bit| (mport_interface::PORT_TX_DESTINATION, bit)));
            let names_port = |bit: usize| bit / 8 < hops && bit % 8 < hop_bits;
            let route = (0..8 * mport_interface::HOPS_MAX).filter(|&bit| !names_port(bit));
            silent.extend(route.map(|bit| match bit.checked_sub(64) {
                None => (mport_interface::PORT_TX_ROUTE_LOW, bit),
                Some(bit) => (mport_interface::PORT_TX_ROUTE_HIGH, bit),
            }));
        }
        ChipArray {
            chip,
            instances: nodes as usize,
            first_link,
            pins,
            silent,
            random,
            changing: Vec::new(),
            modules: Arc::default(),
            name: Arc::new(|instance| format!("node_{instance}")),
        }
    }
}

#[cfg(test)]
mod tests;
