//! The binary fat tree as a fabric: packet switched.
//!
//! Source: Dimakopoulos & Dimopoulos, "Communications in Binary Fat Trees", section 2. A complete
//! binary tree whose leaves are nodes; the channel below a routing node of level `l`, counted
//! from 0 as everywhere here (the paper counts from 1), has `c(l)` links each way, and capacities
//! do not fall towards the root. With `c(l) = 1` it is the paper's CBFT, with `c(l) = 2^l` its
//! EBFT.
//!
//! A routing node is as many *slices* side by side as the channels below it have links, which
//! know nothing of each other: `s(0) = 1` and `s(l + 1) = min(c(l + 1), 2 s(l))`, since no more
//! packets can come from below in a step; links beyond that are left out. Slice `i` of a node is
//! at link `i` of both channels below. Its up_0 is link `i` of the channel above, and the first
//! `s(l + 1) - s(l)` slices have an up_1 as well, which is link `s(l) + i`. The others send
//! packets from both sides to up_0. So a packet's source says which links it takes up, and which
//! it comes down by, that of the slice in which it turns.
//!
//! Slices are [`bft_node`]s without queues, [`packet_switch_q8`]s with queues of up to
//! [`PLACES`](packet_queue::PLACES) packets, and [`packet_switch`]es with longer ones.
//!
//! Where each `s` is the one before or twice that, slices are numbered as the routers of the
//! four-port fat tree of these capacities ([`Numbering`]), so that links move in whole words of
//! lanes; otherwise level by level, node by node.

pub mod config;
mod topology;

use std::sync::Arc;

use super::copies::Copies;
use super::fat_tree::numbering::Numbering;
use super::topology::{NODES, ROUTERS};
use super::{ChipArray, Fabric, LinkPort, OPEN, Pin, PinValues};
use crosswave_chips::bft_node::{LEFT, RIGHT, UP_0, UP_1};
use crosswave_chips::packet_switches::{packet_switch, packet_switch_q8};
use crosswave_chips::{Chip, bft_node, packet_interface, packet_queue};

/// The queues of routing nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeQueues {
    /// Packets that wait for an output at most; [`packet_queue::UNLIMITED`] without a limit.
    pub packets: u32,
    /// Links have one direction at a time.
    pub half_duplex: bool,
}

/// A binary fat tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BinaryFatTree {
    capacities: Vec<u32>,
    /// Slices of a routing node of each level.
    slices: Vec<u32>,
    queues: Option<NodeQueues>,
    /// The first slice of each level among all, and their number behind the last one.
    firsts: Vec<usize>,
}

impl BinaryFatTree {
    /// The tree of these capacities, one for each level, the lowest first, without queues.
    ///
    /// # Panics
    /// When there is no such tree ([`BinaryFatTree::of`]).
    pub fn new(capacities: Vec<u32>) -> BinaryFatTree {
        BinaryFatTree::of(capacities).expect("capacities of a tree")
    }

    /// The tree of these capacities without queues; `None` when there are none or more than 20,
    /// the first one is not 1, or one is less than the one before.
    pub fn of(capacities: Vec<u32>) -> Option<BinaryFatTree> {
        let is_tree =
            (1..=20).contains(&capacities.len()) && capacities[0] == 1 && capacities.is_sorted();
        if !is_tree {
            return None;
        }
        let mut slices = vec![1];
        for &capacity in &capacities[1..] {
            slices.push(capacity.min(2 * slices[slices.len() - 1]));
        }
        let levels = capacities.len();
        let mut firsts = vec![0];
        for (level, &slices) in slices.iter().enumerate() {
            firsts.push(firsts[level] + ((slices as usize) << (levels - 1 - level)));
        }
        Some(BinaryFatTree {
            capacities,
            slices,
            queues: None,
            firsts,
        })
    }

    /// The same tree with queues.
    pub fn with_queues(self, queues: NodeQueues) -> BinaryFatTree {
        BinaryFatTree {
            queues: Some(queues),
            ..self
        }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> u32 {
        1 << self.levels()
    }

    /// Levels of routing nodes: lg n.
    pub fn levels(&self) -> u32 {
        self.capacities.len() as u32
    }

    /// Links of the channel below each level.
    pub fn capacities(&self) -> &[u32] {
        &self.capacities
    }

    /// Slices of a routing node of each level.
    pub fn slices(&self) -> &[u32] {
        &self.slices
    }

    /// The queues of its routing nodes, where they have some.
    pub fn queues(&self) -> Option<NodeQueues> {
        self.queues
    }

    /// Slices of all levels.
    pub fn routers(&self) -> usize {
        self.firsts[self.capacities.len()]
    }

    /// The numbering of the slices, when it is that of the four-port fat tree.
    fn numbering(&self) -> Option<Numbering<'_>> {
        let doubles = |pair: &[u32]| pair[1] == pair[0] || pair[1] == 2 * pair[0];
        let is_frame = self.slices.windows(2).all(doubles);
        is_frame.then(|| Numbering::new(&self.slices))
    }

    /// The instance of a slice.
    fn slice(&self, level: u32, node: u32, slice: u32) -> usize {
        let number = match self.numbering() {
            Some(numbering) => numbering.router(level, node, slice),
            None => (node * self.slices[level as usize] + slice) as usize,
        };
        self.firsts[level as usize] + number
    }

    /// The level of a slice, its routing node, and its number in it.
    fn place(&self, instance: usize) -> (u32, u32, u32) {
        let level = self.firsts.partition_point(|&first| first <= instance) - 1;
        let number = instance - self.firsts[level];
        let (node, slice) = match self.numbering() {
            Some(numbering) => numbering.place(level as u32, number),
            None => {
                let slices = self.slices[level];
                (number as u32 / slices, number as u32 % slices)
            }
        };
        (level as u32, node, slice)
    }

    /// Links up that the slices of a node have beside up_0.
    fn second_links(&self, level: u32) -> u32 {
        let level = level as usize;
        let above = self.slices.get(level + 1);
        above.map_or(0, |above| above - self.slices[level])
    }

    /// True when only up_0 of a slice leads up; at the root neither does, and this is false.
    fn upstream_single(&self, level: u32, slice: u32) -> bool {
        level + 1 < self.levels() && slice >= self.second_links(level)
    }

    /// The link of the channel above at which a port up of a slice is; `None` where it is open.
    fn link_above(&self, level: u32, slice: u32, port: usize) -> Option<u32> {
        let is_root = level + 1 == self.levels();
        match port {
            UP_0 if !is_root => Some(slice),
            UP_1 if slice < self.second_links(level) => Some(self.slices[level as usize] + slice),
            _ => None,
        }
    }

    /// The instance of a node's interface.
    pub fn node_instance(&self, node: u32) -> usize {
        match self.numbering() {
            Some(numbering) => numbering.node_instance(node),
            None => node as usize,
        }
    }

    /// The node of an interface.
    pub fn node_of_instance(&self, instance: usize) -> u32 {
        match self.numbering() {
            Some(numbering) => numbering.node_of_instance(instance),
            None => instance as u32,
        }
    }

    /// True when slices count the turns of half-duplex links: a cycle that is skipped is one that
    /// they miss. The model without Verilog is told the cycle.
    fn counts_turns(&self) -> bool {
        let queues = self.queues.filter(|queues| queues.half_duplex);
        queues.is_some_and(|queues| queues.packets <= packet_queue::PLACES)
    }

    /// The chip that its slices are.
    fn slice_chip(&self) -> &'static Chip {
        match self.queues {
            None => &bft_node::CHIP,
            Some(queues) if queues.packets <= packet_queue::PLACES => &packet_switch_q8::CHIP,
            Some(_) => &packet_switch::CHIP,
        }
    }

    /// The fabric.
    ///
    /// ```
    /// use crosswave_network::binary_fat_tree::BinaryFatTree;
    /// use crosswave_network::topology::ROUTERS;
    /// let slices = |capacities| BinaryFatTree::new(capacities).fabric().arrays[ROUTERS].instances;
    /// assert_eq!(slices(vec![1, 2, 4]), 4 + 2 * 2 + 4);
    /// // Four nodes of a slice each, two of two, and no more than four packets come to the root.
    /// assert_eq!(slices(vec![1, 2, 100]), 4 + 2 * 2 + 4);
    /// assert_eq!(slices(vec![1, 2, 3]), 4 + 2 * 2 + 3);
    /// ```
    pub fn fabric(&self) -> Fabric {
        let routers = self.routers();
        let nodes = self.nodes() as usize;
        let mut fabric = Fabric {
            name: "binary_fat_tree",
            arrays: vec![self.slice_array(), self.node_array(4 * routers as u32)],
            peers: vec![OPEN; 4 * routers + nodes],
            rotations: Vec::new(),
            nodes,
            copies: Copies::ONE,
            rest_cycles: 2 * u64::from(self.levels()) + 4,
            restless: self.counts_turns(),
            more_routers: 0,
            changes: Vec::new(),
            lane: None,
        };
        let side = |node: u32| if node & 1 == 0 { LEFT } else { RIGHT };
        for node in 0..self.nodes() {
            let near = LinkPort {
                array: NODES,
                instance: self.node_instance(node),
                link: 0,
            };
            fabric.join(near, self.port(0, node >> 1, 0, side(node)));
        }
        for instance in 0..routers {
            let (level, node, slice) = self.place(instance);
            for port in [UP_0, UP_1] {
                if let Some(link) = self.link_above(level, slice, port) {
                    let near = self.port(level, node, slice, port);
                    let far = self.port(level + 1, node >> 1, link, side(node));
                    fabric.join(near, far);
                }
            }
        }
        fabric
    }

    fn port(&self, level: u32, node: u32, slice: u32, link: usize) -> LinkPort {
        LinkPort {
            array: ROUTERS,
            instance: self.slice(level, node, slice),
            link,
        }
    }

    fn slice_array(&self) -> ChipArray {
        let places = || (0..self.routers()).map(|instance| self.place(instance));
        let chip = self.slice_chip();
        let each = |name, value: &dyn Fn((u32, u32, u32)) -> u32| Pin {
            port: chip.port(name),
            values: PinValues::Each(places().map(value).collect()),
        };
        let mut pins = vec![
            each("level", &|(level, ..)| level),
            each("address", &|(level, node, _)| node << (level + 1)),
            each("upstream_single", &|(level, _, slice)| {
                u32::from(self.upstream_single(level, slice))
            }),
        ];
        if let Some(queues) = self.queues {
            let uniform = |name, value| Pin {
                port: chip.port(name),
                values: PinValues::Uniform(value),
            };
            pins.extend([
                uniform("queue_packets", queues.packets.into()),
                uniform("half_duplex", queues.half_duplex.into()),
            ]);
        }
        let tree = self.clone();
        ChipArray {
            chip,
            instances: self.routers(),
            first_link: 0,
            pins,
            silent: Vec::new(),
            random: false,
            changing: Vec::new(),
            modules: Arc::default(),
            name: Arc::new(move |instance| {
                let (level, node, slice) = tree.place(instance);
                format!(
                    "router_{level}_{}",
                    node * tree.slices[level as usize] + slice
                )
            }),
        }
    }

    fn node_array(&self, first_link: u32) -> ChipArray {
        let node = (0..self.nodes() as usize).map(|instance| self.node_of_instance(instance));
        let tree = self.clone();
        ChipArray {
            chip: &packet_interface::CHIP,
            instances: self.nodes() as usize,
            first_link,
            pins: vec![Pin {
                port: packet_interface::PORT_NODE,
                values: PinValues::Each(node.collect()),
            }],
            silent: Vec::new(),
            random: false,
            changing: Vec::new(),
            modules: Arc::default(),
            name: Arc::new(move |instance| format!("node_{}", tree.node_of_instance(instance))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_told_apart_and_joined_to_the_channel_above() {
        for capacities in [
            vec![1],
            vec![1, 1, 1, 1],
            vec![1, 2, 4, 8, 16],
            vec![1, 2, 3, 3, 6],
            vec![1, 1, 2, 3, 5, 7],
            vec![1, 9, 9, 9],
        ] {
            let tree = BinaryFatTree::new(capacities.clone());
            let fabric = tree.fabric();
            for instance in 0..tree.routers() {
                let (level, node, slice) = tree.place(instance);
                assert_eq!(tree.slice(level, node, slice), instance, "{capacities:?}");
                let port = |link| 4 * instance + link;
                let open = |link| fabric.peers[port(link)] == OPEN;
                assert!(!open(LEFT) && !open(RIGHT), "{capacities:?}");
                let is_root = level + 1 == tree.levels();
                assert_eq!(open(UP_0), is_root, "{capacities:?}");
                let single = is_root || tree.upstream_single(level, slice);
                assert_eq!(open(UP_1), single, "{capacities:?}");
            }
            for node in 0..tree.nodes() {
                assert_eq!(tree.node_of_instance(tree.node_instance(node)), node);
            }
            let links: usize = (0..tree.levels() as usize)
                .map(|level| (tree.nodes() as usize >> level) * tree.slices[level] as usize)
                .sum();
            let joined = fabric.peers.iter().filter(|&&peer| peer != OPEN).count();
            assert_eq!(joined, 2 * links, "{capacities:?}");
        }
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        for capacities in [vec![], vec![2], vec![1, 2, 1], vec![1; 21]] {
            assert_eq!(BinaryFatTree::of(capacities), None);
        }
    }
}
