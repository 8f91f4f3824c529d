//! The four-port fat tree as a fabric.
//!
//! Source: Strumpen & Krishnamurthy 2005, section 3 and Fig. 1. A tree of
//! `n = 2^h` nodes has `h` levels of `n/2` routers; node `j` of level `l`
//! consists of `2^l` routers, of which router `i` is number `j * 2^l + i` of
//! its level. Ports c and d of router `i` of a node lead to routers `i` and
//! `i + 2^l` of the node above, to port a from a left child and to port b from
//! a right one: seen over a whole level, the port letter and one bit of the
//! router number change places.
//!
//! Instances are numbered so that this exchange moves whole words of lanes:
//! routers level by level; nodes with even addresses before those with odd
//! ones, since neighbours share a router. Delay lines follow the order of the
//! link ports they hang from, the one nearest the leaves first.

use super::copies::Copies;
use super::path_clocks::PathClocks;
use super::{ChipArray, Fabric, LinkPort, OPEN, Pin, PinValues};
use crate::chip::fat_tree_router::{A, B, C, D};
use crate::chip::{delay_line, fat_tree_router, network_interface};

/// Array of the routers.
pub const ROUTERS: usize = 0;
/// Array of the network interfaces.
pub const NODES: usize = 1;
/// Array of the delay lines; absent when no link has extra clocks.
pub const DELAY_LINES: usize = 2;

/// What a fat tree is built from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FatTree {
    /// Nodes: a power of two from 2 to 2^20.
    pub nodes: u32,
    /// Extra clocks of the links below each level; entry 0 is between nodes
    /// and level-0 routers. One entry per level.
    pub link_delay_cycles: Vec<u32>,
    /// The fixed order of winners instead of random ones.
    pub winner_fixed: bool,
    /// The tail frees a circuit instead of the acknowledge.
    pub release_tail: bool,
    /// Code of the retry strategy (`chip::protocol`).
    pub strategy: u64,
    /// Largest exponent of the back-off; 0 when the strategy has none.
    pub backoff_limit: u64,
}

impl FatTree {
    /// Levels of routers: lg n.
    pub fn levels(&self) -> u32 {
        self.nodes.ilog2()
    }

    /// The instance of a node's network interface.
    pub fn node_instance(nodes: u32, node: u32) -> usize {
        ((node >> 1) | ((node & 1) * (nodes / 2))) as usize
    }

    /// The node of a network interface.
    pub fn node_of_instance(nodes: u32, instance: usize) -> u32 {
        let half = nodes / 2;
        let instance = instance as u32;
        ((instance & (half - 1)) << 1) | (instance >> half.trailing_zeros())
    }

    /// Clocks of messages' ways through the tree.
    pub fn clocks(&self) -> PathClocks {
        PathClocks::new(&self.link_delay_cycles)
    }

    /// The fabric.
    pub fn fabric(&self) -> Fabric {
        let half = self.nodes as usize / 2;
        let levels = self.levels() as usize;
        let routers = half * levels;
        let delays: usize = self
            .link_delay_cycles
            .iter()
            .map(|&k| k as usize * self.nodes as usize)
            .sum();

        let first_node_link = 4 * routers as u32;
        let first_delay_link = first_node_link + self.nodes;
        let mut fabric = Fabric {
            name: "fat_tree",
            arrays: vec![
                self.router_array(routers, half),
                self.node_array(first_node_link),
            ],
            peers: vec![OPEN; first_delay_link as usize + 2 * delays],
            rotations: Vec::new(),
            nodes: self.nodes as usize,
            copies: Copies::ONE,
            rest_cycles: 16
                + 4 * u64::from(self.levels())
                + 4 * self.clocks().climb(self.levels() - 1),
        };
        if delays > 0 {
            fabric.arrays.push(ChipArray {
                chip: &delay_line::CHIP,
                instances: delays,
                first_link: first_delay_link,
                pins: Vec::new(),
                silent: Vec::new(),
                random: false,
                name: delay_name,
            });
        }

        // The lines of a level: the first clock of all links, then the second one of
        // all. So neighbours among routers have neighbours among lines, and links
        // move in whole words.
        let delays = &self.link_delay_cycles;
        let first_line = |level: usize| delays[..level].iter().sum::<u32>() * self.nodes;
        let join = |fabric: &mut Fabric, near: LinkPort, far: LinkPort, level: usize, at: u32| {
            let mut near = fabric.number(near);
            for clock in 0..delays[level] {
                let number = first_line(level) + clock * self.nodes + at;
                let line = |link| first_delay_link + 2 * number + link as u32;
                fabric.peers[near as usize] = line(delay_line::NEAR);
                fabric.peers[line(delay_line::NEAR) as usize] = near;
                near = line(delay_line::FAR);
            }
            let far = fabric.number(far);
            fabric.peers[near as usize] = far;
            fabric.peers[far as usize] = near;
        };
        for instance in 0..self.nodes as usize {
            let node = Self::node_of_instance(self.nodes, instance);
            let near = LinkPort {
                array: NODES,
                instance,
                link: 0,
            };
            let link = if node & 1 == 0 { A } else { B };
            let far = LinkPort {
                array: ROUTERS,
                instance: node as usize / 2,
                link,
            };
            join(&mut fabric, near, far, 0, instance as u32);
        }
        for level in 1..levels {
            let stride = 1 << (level - 1);
            for child in 0..half {
                let right = child & stride != 0;
                for (port, upper) in [(C, false), (D, true)] {
                    let parent = child & !stride | if upper { stride } else { 0 };
                    let near = LinkPort {
                        array: ROUTERS,
                        instance: (level - 1) * half + child,
                        link: port,
                    };
                    let far = LinkPort {
                        array: ROUTERS,
                        instance: level * half + parent,
                        link: if right { B } else { A },
                    };
                    let at = child + if upper { half } else { 0 };
                    join(&mut fabric, near, far, level, at as u32);
                }
            }
        }
        fabric
    }

    fn router_array(&self, routers: usize, half: usize) -> ChipArray {
        let level = (0..routers).map(|router| (router / half) as u32).collect();
        ChipArray {
            chip: &fat_tree_router::CHIP,
            instances: routers,
            first_link: 0,
            pins: vec![
                Pin {
                    port: fat_tree_router::PORT_LEVEL,
                    values: PinValues::Each(level),
                },
                uniform(
                    fat_tree_router::PORT_WINNER_FIXED,
                    u64::from(self.winner_fixed),
                ),
                uniform(
                    fat_tree_router::PORT_RELEASE_TAIL,
                    u64::from(self.release_tail),
                ),
            ],
            silent: Vec::new(),
            random: true,
            name: router_name,
        }
    }

    fn node_array(&self, first_link: u32) -> ChipArray {
        let node = (0..self.nodes as usize)
            .map(|instance| Self::node_of_instance(self.nodes, instance))
            .collect();
        let address_bits = self.levels() as usize;
        ChipArray {
            chip: &network_interface::CHIP,
            instances: self.nodes as usize,
            first_link,
            pins: vec![
                Pin {
                    port: network_interface::PORT_NODE,
                    values: PinValues::Each(node),
                },
                uniform(network_interface::PORT_STRATEGY, self.strategy),
                uniform(network_interface::PORT_BACKOFF_LIMIT, self.backoff_limit),
                uniform(
                    network_interface::PORT_RELEASE_TAIL,
                    u64::from(self.release_tail),
                ),
            ],
            silent: (address_bits..20)
                .map(|bit| (network_interface::PORT_TX_DESTINATION, bit))
                .collect(),
            random: self.backoff_limit > 0,
            name: node_name,
        }
    }
}

fn uniform(port: usize, value: u64) -> Pin {
    Pin {
        port,
        values: PinValues::Uniform(value),
    }
}

fn router_name(fabric: &Fabric, instance: usize) -> String {
    let half = fabric.nodes / 2;
    format!("router_{}_{}", instance / half, instance % half)
}

fn node_name(fabric: &Fabric, instance: usize) -> String {
    format!(
        "node_{}",
        FatTree::node_of_instance(fabric.nodes as u32, instance)
    )
}

fn delay_name(_: &Fabric, instance: usize) -> String {
    format!("delay_{instance}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing;

    fn tree(nodes: u32, delay: u32) -> FatTree {
        FatTree {
            nodes,
            link_delay_cycles: vec![delay; nodes.ilog2() as usize],
            winner_fixed: false,
            release_tail: false,
            strategy: 0,
            backoff_limit: 0,
        }
    }

    #[test]
    fn peers_are_mutual_and_only_the_root_is_open() {
        for nodes in [2, 4, 16, 64] {
            for delay in [0, 1, 3] {
                let fabric = tree(nodes, delay).fabric();
                let mut open = 0;
                for (number, &peer) in fabric.peers.iter().enumerate() {
                    if peer == OPEN {
                        open += 1;
                        let port = fabric.link_port(number as u32);
                        assert_eq!(port.array, ROUTERS);
                        assert!(port.link >= C);
                        assert!(
                            port.instance >= fabric.arrays[ROUTERS].instances - nodes as usize / 2
                        );
                    } else {
                        assert_eq!(fabric.peers[peer as usize], number as u32);
                    }
                }
                assert_eq!(open, nodes);
            }
        }
    }

    /// Every choice of upstream ports leads to the destination when the way
    /// down follows the address bits.
    #[test]
    fn every_upstream_choice_reaches_the_destination() {
        let nodes = 16;
        let fabric = tree(nodes, 0).fabric();
        for source in 0..nodes {
            for destination in (0..nodes).filter(|&d| d != source) {
                let turn = routing::turn_level(source, destination);
                for choices in 0..1u32 << turn {
                    let mut at = fabric
                        .peer(LinkPort {
                            array: NODES,
                            instance: FatTree::node_instance(nodes, source),
                            link: 0,
                        })
                        .unwrap();
                    for level in 0..turn {
                        let link = if choices >> level & 1 == 0 { C } else { D };
                        at = fabric.peer(LinkPort { link, ..at }).unwrap();
                    }
                    for level in (0..=turn).rev() {
                        let link = if destination >> level & 1 == 0 { A } else { B };
                        assert!(level < turn || link != at.link);
                        at = fabric.peer(LinkPort { link, ..at }).unwrap();
                    }
                    assert_eq!(at.array, NODES);
                    assert_eq!(FatTree::node_of_instance(nodes, at.instance), destination);
                }
            }
        }
    }
}
