//! The binary fat tree as a fabric: packet switched, of slices without queues.
//!
//! Source: Dimakopoulos & Dimopoulos, "Communications in Binary Fat Trees", section 2. A complete
//! binary tree whose leaves are nodes; the channel below a routing node of level `l`, counted
//! from 0 as everywhere here (the paper counts from 1), has `c(l)` links each way. Capacities do
//! not fall towards the root; each is the one before or twice that here, so that a routing node
//! is `c(l)` slices that know nothing of each other ([`bft_node`]). With `c(l) = 1` it is the
//! paper's CBFT, with `c(l) = 2^l` its EBFT.
//!
//! The links are those of the four-port fat tree of these capacities, which has the same frame:
//! a slice's left, right and two upper links are the ports a, b, c and d of a router there. So a
//! packet's source and the levels say which links it takes: two packets on one link at a time
//! have sources below it that share all links up to there, or come down from the same slice.

use std::sync::Arc;

use super::fat_tree::{FatTree, Release};
use super::{ChipArray, Fabric, Pin, PinValues};
use crate::chip::{bft_node, packet_interface};

/// A binary fat tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BinaryFatTree {
    frame: FatTree,
}

impl BinaryFatTree {
    /// The tree of these capacities, one for each level, the lowest first.
    ///
    /// # Panics
    /// When there is no such tree ([`BinaryFatTree::of`]).
    pub fn new(capacities: Vec<u32>) -> BinaryFatTree {
        BinaryFatTree::of(capacities).expect("capacities of a tree of slices")
    }

    /// The tree of these capacities; `None` when there are none or more than 20, the first one is
    /// not 1, or one is neither the one before nor twice that.
    pub fn of(capacities: Vec<u32>) -> Option<BinaryFatTree> {
        let doubles = |pair: &[u32]| pair[1] == pair[0] || pair[1] == 2 * pair[0];
        let is_tree = (1..=20).contains(&capacities.len())
            && capacities[0] == 1
            && capacities.windows(2).all(doubles);
        is_tree.then(|| BinaryFatTree {
            frame: FatTree {
                nodes: 1 << capacities.len(),
                link_delay_cycles: vec![0; capacities.len()],
                capacities,
                winner_fixed: true,
                release: Release::Acknowledge,
                strategy: 0,
                backoff_limit: 0,
            },
        })
    }

    /// Number of nodes.
    pub fn nodes(&self) -> u32 {
        self.frame.nodes
    }

    /// Levels of routing nodes: lg n.
    pub fn levels(&self) -> u32 {
        self.frame.levels()
    }

    /// Links of the channel below each level.
    pub fn capacities(&self) -> &[u32] {
        &self.frame.capacities
    }

    /// The instance of a node's interface.
    pub fn node_instance(&self, node: u32) -> usize {
        self.frame.node_instance(node)
    }

    /// The node of an interface.
    pub fn node_of_instance(&self, instance: usize) -> u32 {
        self.frame.node_of_instance(instance)
    }

    /// The fabric.
    ///
    /// ```
    /// use crosswave::network::binary_fat_tree::BinaryFatTree;
    /// use crosswave::network::topology::ROUTERS;
    /// let fabric = BinaryFatTree::new(vec![1, 2, 4]).fabric();
    /// assert_eq!(fabric.arrays[ROUTERS].instances, 4 + 2 * 2 + 4);
    /// ```
    pub fn fabric(&self) -> Fabric {
        let frame = self.frame.fabric();
        let [routers, nodes] = &frame.arrays[..] else {
            unreachable!("there are no delay lines");
        };
        let arrays = vec![self.slices(routers), self.interfaces(nodes)];
        Fabric {
            name: "binary_fat_tree",
            rest_cycles: 2 * u64::from(self.levels()) + 4,
            arrays,
            ..frame
        }
    }

    fn slices(&self, routers: &ChipArray) -> ChipArray {
        let places = || (0..routers.instances).map(|slice| self.frame.place(slice));
        let each =
            |value: &dyn Fn((u32, u32)) -> u32| PinValues::Each(places().map(value).collect());
        ChipArray {
            chip: &bft_node::CHIP,
            instances: routers.instances,
            first_link: routers.first_link,
            pins: vec![
                Pin {
                    port: bft_node::PORT_LEVEL,
                    values: each(&|(level, _)| level),
                },
                Pin {
                    port: bft_node::PORT_ADDRESS,
                    values: each(&|(level, node)| node << (level + 1)),
                },
                Pin {
                    port: bft_node::PORT_UPSTREAM_SINGLE,
                    values: each(&|(level, _)| u32::from(self.frame.upstream_single(level))),
                },
            ],
            silent: Vec::new(),
            random: false,
            changing: Vec::new(),
            name: Arc::clone(&routers.name),
        }
    }

    fn interfaces(&self, nodes: &ChipArray) -> ChipArray {
        let node = (0..nodes.instances).map(|instance| self.node_of_instance(instance));
        ChipArray {
            chip: &packet_interface::CHIP,
            instances: nodes.instances,
            first_link: nodes.first_link,
            pins: vec![Pin {
                port: packet_interface::PORT_NODE,
                values: PinValues::Each(node.collect()),
            }],
            silent: Vec::new(),
            random: false,
            changing: Vec::new(),
            name: Arc::clone(&nodes.name),
        }
    }
}
