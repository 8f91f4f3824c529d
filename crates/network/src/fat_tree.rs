//! The four-port fat tree as a fabric.
//!
//! Source: Strumpen & Krishnamurthy 2005, section 3 and Fig. 1. A tree of
//! `n = 2^h` nodes has `h` levels. The channel below each node of level `l` has
//! `c(l)` links, its *capacity*: `c(0)` is 1, and `c(l + 1)` is `c(l)` or twice
//! that. Node `j` of level `l` consists of `c(l)` routers, of which router `i` is
//! `router_l_(j * c(l) + i)`. Ports c and d of router `i` of a node lead
//! to routers `i` and `i + c(l)` of the node above, to port a from a left child
//! and to port b from a right one. Where the capacity does not double, only port
//! c leads up, d is open, and the pin `upstream_single` is 1. At the root both are
//! open, and the pin is 0, since nothing goes up.
//!
//! In the paper's tree, here called *full*, every capacity is twice the one before:
//! `c(l) = 2^l`, and each level has `n/2` routers. Seen over a whole level, the port
//! letter and one bit of the router number change places. Its conclusion leaves open
//! what becomes of leaner trees.
//!
//! Instances are numbered so that this exchange moves whole words of lanes
//! ([`numbering`]): routers level by level; nodes with even addresses before those with
//! odd ones, since neighbours share a router. Delay lines follow the order of the
//! link ports they hang from, the one nearest the leaves first.

pub mod collisions;
pub mod config;
mod direct;
pub mod numbering;
mod topology;

use std::sync::Arc;

use super::copies::Copies;
use super::path_clocks::PathClocks;
use super::{ChipArray, Fabric, LinkPort, OPEN, Pin, PinValues};
use crosswave_chips::fat_tree_grants::{A, B, C, D};
use crosswave_chips::{Chip, delay_line, fat_tree_router, fat_tree_tail_router, network_interface};
use numbering::Numbering;
use serde::Serialize;

pub use super::topology::{NODES, ROUTERS};
/// Array of the delay lines; absent when no link has extra clocks.
pub const DELAY_LINES: usize = 2;

/// The event that frees the output of a router that a message holds, unless a collision does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Release {
    /// The acknowledgement on its way back, which the receiver sends behind the tail.
    Acknowledge,
    /// The tail, once the acknowledgement has passed, which the receiver sends behind the
    /// head.
    EarlyAcknowledge,
    /// The tail, as it passes. The acknowledgement comes back without a circuit, behind
    /// the answers to older messages.
    Tail,
}

impl Release {
    /// All, with their names in a configuration.
    pub const ALL: [(&str, Release); 3] = [
        ("acknowledge", Release::Acknowledge),
        ("early-acknowledge", Release::EarlyAcknowledge),
        ("tail", Release::Tail),
    ];

    /// Its name in a configuration.
    pub fn name(self) -> &'static str {
        let named = Release::ALL.iter().find(|(_, release)| *release == self);
        named.expect("all releases are listed").0
    }
}

/// Parameters of a fat tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FatTree {
    /// Nodes: a power of two from 2 to 2^20.
    pub nodes: u32,
    /// Links of the channel below each level: one entry per level, the first one 1,
    /// each of the others equal to the one before or twice that.
    pub capacities: Vec<u32>,
    /// Extra clocks of the links below each level; entry 0 is between nodes
    /// and level-0 routers. One entry per level.
    pub link_delay_cycles: Vec<u32>,
    /// The fixed order of winners instead of random ones.
    pub winner_fixed: bool,
    /// The event that frees the outputs of routers.
    pub release: Release,
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

    /// The capacities of the full tree of so many levels.
    ///
    /// ```
    /// # use crosswave_network::fat_tree::FatTree;
    /// assert_eq!(FatTree::doubling(4), [1, 2, 4, 8]);
    /// ```
    pub fn doubling(levels: u32) -> Vec<u32> {
        (0..levels).map(|level| 1 << level).collect()
    }

    /// True when every capacity is twice the one before, as in the paper: only then is the last one
    /// half of the number of nodes.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.capacities.last() == Some(&(self.nodes / 2))
    }

    /// Routers of a level.
    pub fn routers_of(&self, level: u32) -> usize {
        self.numbering().routers_of(level)
    }

    /// Routers of all levels.
    pub fn routers(&self) -> usize {
        (0..self.levels()).map(|level| self.routers_of(level)).sum()
    }

    /// Links from the nodes or routers below a level into it.
    pub fn links_below(&self, level: u32) -> usize {
        (self.nodes as usize >> level) * self.capacities[level as usize] as usize
    }

    /// True when only port c of the routers of a level leads up; at the root neither c nor d does,
    /// and this is false.
    pub fn upstream_single(&self, level: u32) -> bool {
        let level = level as usize;
        self.capacities.get(level + 1) == Some(&self.capacities[level])
    }

    /// The chip that its routers are.
    pub fn router_chip(&self) -> &'static Chip {
        match self.release {
            Release::Tail => &fat_tree_tail_router::CHIP,
            _ => &fat_tree_router::CHIP,
        }
    }

    /// Delay lines in all links.
    pub fn delay_lines(&self) -> usize {
        let levels = (0..self.levels()).zip(&self.link_delay_cycles);
        levels
            .map(|(level, &clocks)| clocks as usize * self.links_below(level))
            .sum()
    }

    fn numbering(&self) -> Numbering<'_> {
        Numbering::new(&self.capacities)
    }

    /// The instance of a node's network interface.
    pub fn node_instance(&self, node: u32) -> usize {
        self.numbering().node_instance(node)
    }

    /// The node of a network interface.
    #[inline]
    pub fn node_of_instance(&self, instance: usize) -> u32 {
        if !self.is_full() {
            return self.numbering().node_of_instance(instance);
        }
        let half = self.nodes / 2;
        let instance = instance as u32;
        ((instance & (half - 1)) << 1) | (instance >> half.trailing_zeros())
    }

    /// Clocks of messages' ways through the tree.
    pub fn clocks(&self) -> PathClocks {
        let mut clocks = PathClocks::new(&self.link_delay_cycles);
        if !self.is_full() {
            clocks = clocks.blocking_upward();
        }
        if self.release == Release::Tail {
            clocks = clocks.with_answers_in_turn();
        }
        clocks
    }

    /// The fabric.
    ///
    /// # Panics
    /// When the capacities are not as [`FatTree::capacities`] says.
    pub fn fabric(&self) -> Fabric {
        assert_eq!(self.capacities.len(), self.levels() as usize, "capacities");
        assert_eq!(self.capacities[0], 1, "a node has one link");
        for pair in self.capacities.windows(2) {
            assert!(pair[1] == pair[0] || pair[1] == 2 * pair[0], "{pair:?}");
        }
        let routers = self.routers();
        let delays = self.delay_lines();

        let link_ports = 4 * routers + self.nodes as usize + 2 * delays;
        assert!(
            link_ports < OPEN as usize,
            "link ports have numbers of 32 bits"
        );
        let first_node_link = 4 * routers as u32;
        let first_delay_link = first_node_link + self.nodes;
        let mut fabric = Fabric {
            name: "fat_tree",
            arrays: vec![self.router_array(routers), self.node_array(first_node_link)],
            peers: match delays {
                0 => direct::peers(self),
                _ => vec![OPEN; link_ports],
            },
            rotations: Vec::new(),
            nodes: self.nodes as usize,
            copies: Copies::ONE,
            rest_cycles: 16
                + 4 * u64::from(self.levels())
                + 4 * self.clocks().climb(self.levels() - 1),
            restless: false,
            more_routers: 0,
            changes: Vec::new(),
            lane: None,
        };
        if delays > 0 {
            fabric.arrays.push(ChipArray {
                chip: &delay_line::CHIP,
                instances: delays,
                first_link: first_delay_link,
                pins: Vec::new(),
                silent: Vec::new(),
                random: false,
                changing: Vec::new(),
                modules: Arc::default(),
                name: Arc::new(|instance| format!("delay_{instance}")),
            });
            self.join(&mut fabric, first_delay_link);
        }
        fabric
    }

    /// Joins all links, through the delay lines whose link ports begin with this one.
    fn join(&self, fabric: &mut Fabric, first_delay_link: u32) {
        let lines = Lines::new(self, first_delay_link);
        self.join_nodes(fabric, &lines);
        self.join_routers(fabric, &lines);
    }

    /// Joins nodes to the routers of level 0.
    fn join_nodes(&self, fabric: &mut Fabric, lines: &Lines) {
        let half = self.nodes as usize / 2;
        for instance in 0..self.nodes as usize {
            let near = LinkPort {
                array: NODES,
                instance,
                link: 0,
            };
            let far = LinkPort {
                array: ROUTERS,
                instance: instance % half,
                link: if instance < half { A } else { B },
            };
            lines.join(fabric, [near, far], 0, instance);
        }
    }

    /// Joins the routers of each level to those of the next one.
    fn join_routers(&self, fabric: &mut Fabric, lines: &Lines) {
        let mut first_child = 0;
        for level in 1..self.levels() {
            let children = self.routers_of(level - 1);
            let first = first_child + children;
            let side = self.numbering().side(level - 1);
            let ports: &[usize] = match self.upstream_single(level - 1) {
                true => &[C],
                false => &[C, D],
            };
            for child in 0..children {
                let is_right = child >> side & 1 != 0;
                for (upper, &port) in ports.iter().enumerate() {
                    let parent = child & !(1 << side) | upper << side;
                    let near = LinkPort {
                        array: ROUTERS,
                        instance: first_child + child,
                        link: port,
                    };
                    let far = LinkPort {
                        array: ROUTERS,
                        instance: first + parent,
                        link: if is_right { B } else { A },
                    };
                    lines.join(fabric, [near, far], level, child + upper * children);
                }
            }
            first_child = first;
        }
    }

    fn router_array(&self, routers: usize) -> ChipArray {
        let each = |value: &dyn Fn(u32) -> u32| {
            let levels = 0..self.levels();
            let values =
                levels.flat_map(|level| std::iter::repeat_n(value(level), self.routers_of(level)));
            PinValues::Each(values.collect())
        };
        let chip = self.router_chip();
        let upstream_single = match self.release {
            Release::Tail => fat_tree_tail_router::PORT_UPSTREAM_SINGLE,
            _ => fat_tree_router::PORT_UPSTREAM_SINGLE,
        };
        let mut pins = vec![
            Pin {
                port: chip.port("level"),
                values: each(&|level| level),
            },
            uniform(chip.port("winner_fixed"), u64::from(self.winner_fixed)),
        ];
        if self.release != Release::Tail {
            pins.push(uniform(
                fat_tree_router::PORT_EARLY_ACKNOWLEDGE,
                u64::from(self.release == Release::EarlyAcknowledge),
            ));
        }
        if !self.is_full() {
            pins.push(Pin {
                port: upstream_single,
                values: each(&|level| u32::from(self.upstream_single(level))),
            });
        }
        ChipArray {
            chip,
            instances: routers,
            first_link: 0,
            pins,
            silent: Vec::new(),
            random: true,
            changing: Vec::new(),
            modules: Arc::default(),
            name: {
                let capacities = self.capacities.clone();
                Arc::new(move |instance| router_name(&capacities, instance))
            },
        }
    }

    fn node_array(&self, first_link: u32) -> ChipArray {
        let node = (0..self.nodes as usize)
            .map(|instance| self.node_of_instance(instance))
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
                    network_interface::PORT_EARLY_ACKNOWLEDGE,
                    u64::from(self.release == Release::EarlyAcknowledge),
                ),
            ],
            silent: (address_bits..20)
                .map(|bit| (network_interface::PORT_TX_DESTINATION, bit))
                .collect(),
            random: self.backoff_limit > 0,
            changing: Vec::new(),
            modules: Arc::default(),
            name: {
                let capacities = self.capacities.clone();
                Arc::new(move |instance| {
                    let numbering = Numbering::new(&capacities);
                    format!("node_{}", numbering.node_of_instance(instance))
                })
            },
        }
    }
}

/// The delay lines of the links below each level: the first clock of all links, then the
/// second one of all. So neighbours among routers have neighbours among lines, and links move
/// in whole words.
struct Lines {
    /// Clocks of a link, links, and the first line of each level.
    levels: Vec<(usize, usize, usize)>,
    /// The first link port of the lines.
    first_link: u32,
}

impl Lines {
    /// The lines of a tree, whose link ports begin with this one.
    fn new(tree: &FatTree, first_link: u32) -> Lines {
        let mut first_line = 0;
        let levels = (0..tree.levels()).zip(&tree.link_delay_cycles);
        let levels = levels.map(|(level, &clocks)| {
            let (clocks, links) = (clocks as usize, tree.links_below(level));
            let first = first_line;
            first_line += clocks * links;
            (clocks, links, first)
        });
        Lines {
            levels: levels.collect(),
            first_link,
        }
    }

    /// Joins the two ends of link `at` below a level, through the lines of its clocks.
    fn join(&self, fabric: &mut Fabric, [near, far]: [LinkPort; 2], level: u32, at: usize) {
        let (clocks, links, first) = self.levels[level as usize];
        let mut near = fabric.number(near);
        for clock in 0..clocks {
            let number = first + clock * links + at;
            let line = |link| self.first_link + 2 * number as u32 + link as u32;
            fabric.peers[near as usize] = line(delay_line::NEAR);
            fabric.peers[line(delay_line::NEAR) as usize] = near;
            near = line(delay_line::FAR);
        }
        let far = fabric.number(far);
        fabric.peers[near as usize] = far;
        fabric.peers[far as usize] = near;
    }
}

fn uniform(port: usize, value: u64) -> Pin {
    Pin {
        port,
        values: PinValues::Uniform(value),
    }
}

fn router_name(capacities: &[u32], instance: usize) -> String {
    let numbering = Numbering::new(capacities);
    let (level, number) = numbering.level(instance);
    let (node, router) = numbering.place(level, number);
    let capacity = capacities[level as usize];
    format!("router_{level}_{}", node * capacity + router)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosswave_chips::routing;

    fn tree(capacities: &[u32], delay: u32) -> FatTree {
        let levels = capacities.len();
        FatTree {
            nodes: 1 << levels,
            capacities: capacities.to_vec(),
            link_delay_cycles: (0..levels as u32).map(|level| delay + level % 2).collect(),
            winner_fixed: false,
            release: Release::Acknowledge,
            strategy: 0,
            backoff_limit: 0,
        }
    }

    /// The capacities of all trees of so many levels.
    fn all_capacities(levels: u32) -> Vec<Vec<u32>> {
        let choices = 0u32..1 << (levels - 1);
        let capacities = choices.map(|choice| {
            let exponent = |level: u32| (choice & ((1 << level) - 1)).count_ones();
            (0..levels).map(|level| 1 << exponent(level)).collect()
        });
        capacities.collect()
    }

    #[test]
    fn peers_are_mutual_and_only_ports_without_a_way_up_are_open() {
        for levels in 1..=6 {
            for capacities in all_capacities(levels) {
                let tree = tree(&capacities, levels % 3);
                let fabric = tree.fabric();
                let routers = &fabric.arrays[ROUTERS];
                let root = 2 * capacities[levels as usize - 1] as usize;
                let singles = (0..levels).filter(|&level| tree.upstream_single(level));
                let singles: usize = singles.map(|level| tree.routers_of(level)).sum();
                let mut open = 0;
                for (number, &peer) in fabric.peers.iter().enumerate() {
                    if peer != OPEN {
                        assert_ne!(peer, number as u32);
                        assert_eq!(fabric.peers[peer as usize], number as u32);
                        continue;
                    }
                    open += 1;
                    let port = fabric.link_port(number as u32);
                    assert_eq!(port.array, ROUTERS);
                    let level = routers.pin(fat_tree_router::PORT_LEVEL, port.instance);
                    let single = fat_tree_router::PORT_UPSTREAM_SINGLE;
                    let single = routers.pin(single, port.instance) == 1;
                    assert!(
                        port.link == D && single || port.link >= C && level as u32 + 1 == levels
                    );
                }
                assert_eq!(open, root + singles, "{capacities:?}");
                let lines = fabric
                    .arrays
                    .get(DELAY_LINES)
                    .map_or(0, |lines| lines.instances);
                assert_eq!(lines, tree.delay_lines());
            }
        }
    }

    #[test]
    fn direct_links_are_those_that_are_joined_one_by_one() {
        for levels in 1..=6 {
            for capacities in all_capacities(levels) {
                let mut tree = tree(&capacities, 0);
                tree.link_delay_cycles = vec![0; levels as usize];
                let direct = tree.fabric();
                let mut joined = direct.clone();
                joined.peers.fill(OPEN);
                tree.join(&mut joined, OPEN);
                assert_eq!(direct.peers, joined.peers, "{capacities:?}");
            }
        }
    }

    /// Ports c and d of a router of a full tree change places with a bit of its number.
    #[test]
    fn levels_of_a_full_tree_exchange_a_bit() {
        let (levels, half) = (6, 32);
        let mut tree = tree(&FatTree::doubling(levels), 0);
        tree.link_delay_cycles = vec![0; levels as usize];
        let fabric = tree.fabric();
        assert_eq!(fabric.arrays[ROUTERS].instances, 6 * half);
        let pins = &fabric.arrays[ROUTERS].pins;
        let single = fat_tree_router::PORT_UPSTREAM_SINGLE;
        assert!(pins.iter().all(|pin| pin.port != single), "it is 0");
        for level in 0..levels as usize - 1 {
            let bit = 1 << level;
            for child in 0..half {
                for (link, upper) in [(C, 0), (D, bit)] {
                    let near = LinkPort {
                        array: ROUTERS,
                        instance: level * half + child,
                        link,
                    };
                    let far = LinkPort {
                        array: ROUTERS,
                        instance: (level + 1) * half + (child & !bit | upper),
                        link: if child & bit == 0 { A } else { B },
                    };
                    assert_eq!(fabric.peer(near), Some(far));
                }
                let name = format!("router_{level}_{child}");
                assert_eq!(fabric.instance_name(ROUTERS, level * half + child), name);
            }
        }
    }

    /// Every choice of upstream ports leads to the destination when the way
    /// down follows the address bits.
    #[test]
    fn every_upstream_choice_reaches_the_destination() {
        for capacities in all_capacities(4) {
            let mut tree = tree(&capacities, 0);
            let nodes = tree.nodes;
            tree.link_delay_cycles = vec![0; 4];
            let fabric = tree.fabric();
            for source in 0..nodes {
                for destination in (0..nodes).filter(|&d| d != source) {
                    let turn = routing::turn_level(source, destination);
                    for choices in 0..1u32 << turn {
                        let uses_d = |level| choices >> level & 1 != 0;
                        if (0..turn).any(|level| uses_d(level) && tree.upstream_single(level)) {
                            continue;
                        }
                        let mut at = fabric
                            .peer(LinkPort {
                                array: NODES,
                                instance: tree.node_instance(source),
                                link: 0,
                            })
                            .unwrap();
                        for level in 0..turn {
                            let link = if uses_d(level) { D } else { C };
                            at = fabric.peer(LinkPort { link, ..at }).unwrap();
                        }
                        for level in (0..=turn).rev() {
                            let link = if destination >> level & 1 == 0 { A } else { B };
                            assert!(level < turn || link != at.link);
                            at = fabric.peer(LinkPort { link, ..at }).unwrap();
                        }
                        assert_eq!(at.array, NODES);
                        assert_eq!(tree.node_of_instance(at.instance), destination);
                    }
                }
            }
        }
    }
}
