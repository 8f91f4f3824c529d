//! Networks as chips, pins and links, without any engine.
//!
//! A [`Fabric`] is what every consumer of a network reads: the engines, the
//! Verilog export, the waveforms. It has one *array* per kind of chip; all
//! chips of an array are alike and differ only in their pins. A *link port* is
//! numbered `array.first_link + instance * chip.links.len() + link`, and two
//! link ports that are joined are each other's [`Fabric::peer`].

pub mod bidelta;
pub mod binary_fat_tree;
pub mod butterfly;
pub mod copies;
pub mod description;
pub mod fat_tree;
pub mod faults;
pub mod frame_network;
mod keys;
pub mod mport_tree;
pub mod own;
pub mod path;
pub mod path_clocks;
pub mod random_bits;
pub mod rated;
pub mod registry;
pub mod rn1_links;
pub mod rn1_nodes;
#[doc(hidden)] // Other orders of the same network, for tests and benches.
pub mod shuffle;
pub mod text;
mod ties;
pub mod topology;
pub mod traffic;
pub mod transit;
pub mod verilog;

use std::fmt;
use std::sync::Arc;

use copies::Copies;
use crosswave_chips::Chip;
use crosswave_chips::lane::Lane;

pub use registry::NetworkConfig;
pub use topology::{Network, Topology};

/// No link port: the far end of a port that is left open.
pub const OPEN: u32 = u32::MAX;

/// The values of one configuration pin over the instances of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PinValues {
    /// The same for all.
    Uniform(u64),
    /// One for each instance.
    Each(Vec<u32>),
    /// One for each instance, of more than 32 bits.
    Wide(Vec<u64>),
}

impl PinValues {
    /// The value at one instance.
    pub fn at(&self, instance: usize) -> u64 {
        match self {
            PinValues::Uniform(value) => *value,
            PinValues::Each(values) => u64::from(values[instance]),
            PinValues::Wide(values) => values[instance],
        }
    }
}

/// A configuration pin and its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    /// Port index in the chip's table.
    pub port: usize,
    /// The values.
    pub values: PinValues,
}

/// A pin of one instance that has another value from a cycle on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PinChange {
    /// The cycle, from 1 on.
    pub cycle: u64,
    /// Array.
    pub array: usize,
    /// Port index in the chip's table: a host input, or one of [`ChipArray::changing`].
    pub port: usize,
    /// Instance in the array.
    pub instance: u32,
    /// The value.
    pub value: u64,
}

/// The chips of one kind.
#[derive(Clone)]
pub struct ChipArray {
    /// The kind.
    pub chip: &'static Chip,
    /// Number of instances.
    pub instances: usize,
    /// Number of the first link port.
    pub first_link: u32,
    /// Configuration pins, and host pins that are driven from the beginning; those not listed
    /// are 0.
    pub pins: Vec<Pin>,
    /// Host input bits that stay 0 during the run: (port, bit).
    pub silent: Vec<(usize, usize)>,
    /// True when the random pins are driven; they are held at 0 when not.
    pub random: bool,
    /// Configuration pins that change during the run ([`Fabric::changes`]); `pins` has what they
    /// are in cycle 0.
    pub changing: Vec<usize>,
    /// The modules of the instances in Verilog, where they differ in parameters; else none, and all are
    /// of the chip's module.
    pub modules: Arc<[&'static str]>,
    name: Arc<dyn Fn(usize) -> String + Send + Sync>,
}

impl fmt::Debug for ChipArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.instances, self.chip.name)
    }
}

impl ChipArray {
    /// The module of an instance in Verilog.
    pub fn module(&self, instance: usize) -> &'static str {
        self.modules.get(instance).unwrap_or(&self.chip.name)
    }

    /// The value of a configuration pin at one instance.
    pub fn pin(&self, port: usize, instance: usize) -> u64 {
        self.pins
            .iter()
            .find(|pin| pin.port == port)
            .map_or(0, |pin| pin.values.at(instance))
    }

    /// True when a configuration pin changes during the run.
    pub fn changes(&self, port: usize) -> bool {
        self.changing.contains(&port)
    }
}

/// One link port by its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkPort {
    /// Array.
    pub array: usize,
    /// Instance in the array.
    pub instance: usize,
    /// Link port of the chip.
    pub link: usize,
}

/// A network as arrays of chips and the links between them; or copies of one,
/// see [`copies`].
#[derive(Debug, Clone)]
pub struct Fabric {
    /// Name of the network's module in exported Verilog.
    pub name: &'static str,
    /// The arrays.
    pub arrays: Vec<ChipArray>,
    /// The far end of every link port, [`OPEN`] where there is none.
    pub peers: Vec<u32>,
    /// By how many steps of two bits wiring rotates the byte that arrives at every
    /// link port, to the left ([`rotated`](crosswave_chips::rotated)): 0 to 3. Empty
    /// when no byte is rotated.
    pub rotations: Vec<u8>,
    /// Number of nodes of one copy.
    pub nodes: usize,
    /// Copies of the network, for replicates that run together.
    pub copies: Copies,
    /// Clocks that the fabric needs at most to come to rest once the last
    /// message is acknowledged.
    pub rest_cycles: u64,
    /// True when a chip drives words for ever, or counts cycles, so that the fabric never comes to rest
    /// and no cycle may be skipped.
    pub restless: bool,
    /// Arrays of further routers, after that of the network interfaces, where these differ.
    pub more_routers: usize,
    /// Pins that change during the run, by rising cycles.
    pub changes: Vec<PinChange>,
    /// The lane of each node in waveforms, where its interface has one.
    pub lane: Option<&'static Lane>,
}

impl Fabric {
    /// The number of a link port.
    pub fn number(&self, port: LinkPort) -> u32 {
        let array = &self.arrays[port.array];
        array.first_link + (port.instance * array.chip.links.len() + port.link) as u32
    }

    /// The array of a link port, by its number.
    #[inline]
    pub fn array_of(&self, number: u32) -> usize {
        self.arrays
            .iter()
            .rposition(|array| array.first_link <= number)
            .unwrap_or(0)
    }

    /// The parts of a link port.
    pub fn link_port(&self, number: u32) -> LinkPort {
        let array = self.array_of(number);
        let links = self.arrays[array].chip.links.len();
        let offset = (number - self.arrays[array].first_link) as usize;
        LinkPort {
            array,
            instance: offset / links,
            link: offset % links,
        }
    }

    /// Joins two link ports.
    fn join(&mut self, near: LinkPort, far: LinkPort) {
        let (near, far) = (self.number(near), self.number(far));
        self.peers[near as usize] = far;
        self.peers[far as usize] = near;
    }

    /// The link port at the other end.
    pub fn peer(&self, port: LinkPort) -> Option<LinkPort> {
        match self.peers[self.number(port) as usize] {
            OPEN => None,
            number => Some(self.link_port(number)),
        }
    }

    /// By how many steps of two bits the byte that arrives at a link port is
    /// rotated to the left.
    #[inline]
    pub fn rotation(&self, number: u32) -> u8 {
        self.rotations.get(number as usize).copied().unwrap_or(0)
    }

    /// The name of an instance, as in exported Verilog and in waveforms; the
    /// same in all copies.
    pub fn instance_name(&self, array: usize, instance: usize) -> String {
        let (_, instance) = self.copies.split(instance);
        (self.arrays[array].name)(instance)
    }

    /// The arrays in the order in which their chips are shown: routers of all modules first, so that
    /// it is the same however they are divided.
    pub fn shown_arrays(&self) -> impl Iterator<Item = usize> + use<> {
        let first_more = topology::NODES + 1;
        let after_routers = first_more + self.more_routers;
        let others = (topology::NODES..first_more).chain(after_routers..self.arrays.len());
        let count = self.arrays.len();
        self.router_arrays()
            .chain(others)
            .filter(move |array| *array < count)
    }

    /// The arrays of routers.
    pub fn router_arrays(&self) -> impl Iterator<Item = usize> + use<> {
        let first_more = topology::NODES + 1;
        std::iter::once(topology::ROUTERS).chain(first_more..first_more + self.more_routers)
    }

    /// Number of routers.
    pub fn routers(&self) -> usize {
        self.router_arrays()
            .map(|array| self.arrays[array].instances)
            .sum()
    }

    /// The array and the instance of a router. Routers are numbered array after array.
    ///
    /// # Panics
    /// When there is no such router.
    pub fn router_place(&self, router: usize) -> (usize, usize) {
        let mut instance = router;
        for array in self.router_arrays() {
            match instance.checked_sub(self.arrays[array].instances) {
                Some(rest) => instance = rest,
                None => return (array, instance),
            }
        }
        panic!("the network has no router {router}")
    }

    /// The number of a router by its array and instance; `None` where it is another chip.
    pub fn router_number(&self, array: usize, instance: usize) -> Option<usize> {
        let mut first = 0;
        for of in self.router_arrays() {
            if of == array {
                return Some(first + instance);
            }
            first += self.arrays[of].instances;
        }
        None
    }

    /// The name of a router.
    pub fn router_name(&self, router: usize) -> String {
        let (array, instance) = self.router_place(router);
        self.instance_name(array, instance)
    }

    /// The names of the links of a router.
    pub fn router_links(&self, router: usize) -> &'static [&'static str] {
        let (array, _) = self.router_place(router);
        self.arrays[array].chip.links
    }

    /// Total number of chips.
    pub fn chips(&self) -> usize {
        self.arrays.iter().map(|array| array.instances).sum()
    }
}
