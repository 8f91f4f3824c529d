//! The m-port n-tree that a wiring is.
//!
//! Ports, GUIDs and LIDs of a subnet have any order, so that nothing but who is wired to whom tells
//! where a switch stands:
//!
//! 1. The height of a switch is its distance from the nearest end port, less one.
//! 2. All have m wired ports: half of them down and half up, at the root all down.
//! 3. From a switch of height 0 there is one way up to each switch above it, and its up ports are the
//!    digits of that one's number among the top switches of its sub-fat-tree.
//! 4. From the root down, top switch t of a sub-fat-tree has one link to each of those below it, to
//!    the top switch t / (m/2) there, whichever of them it is. So the numbers at the root fix all
//!    others, and a wiring in which they do not agree is no m-port n-tree.
//!
//! The trees that are found so are those whose wiring can be renumbered to be FT(m, n): to choose another
//! switch or other port numbers in step 3 exchanges equal parts of the tree. Sub-fat-trees are numbered
//! by the lowest LID in them, and end ports of a switch by their LIDs.

use std::collections::VecDeque;

use super::wiring::{Peer, Wiring};
use crate::tree::PortTree;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};

/// A wiring as an m-port n-tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recognised {
    /// The tree.
    pub tree: PortTree,
    /// The end port of each node, by its place in the wiring.
    pub nodes: Vec<usize>,
    /// The node of each end port.
    pub node_of: Vec<u32>,
    /// Each switch of the wiring.
    pub places: Vec<SwitchPlace>,
}

/// The place of a switch in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwitchPlace {
    /// Its height: 0 above the nodes.
    pub height: u32,
    /// Its number among the top switches of its sub-fat-tree.
    pub top: u32,
    /// A node below it, the lowest one.
    pub node: u32,
}

/// A diagnostic of a fault that keeps a wiring from being a tree.
fn refused(place: impl Into<String>, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(
        place,
        message,
        "only a whole m-port n-tree is read: m ports of every switch wired, no other links",
    )
}

/// Finds the tree.
///
/// # Errors
/// Of [`Class::Input`] with the first switch that differs from an m-port n-tree; `origin` names the
/// wiring.
pub fn recognise(wiring: &Wiring, origin: &str) -> Result<Recognised, Error> {
    let found = heights(wiring).and_then(|heights| Search::new(wiring, heights)?.numbered());
    found.map_err(|diagnostic| Error::one(Class::Input, origin, diagnostic))
}

/// The height of every switch.
fn heights(wiring: &Wiring) -> Result<Vec<u32>, Diagnostic> {
    let mut heights = vec![None; wiring.switches.len()];
    let mut queue = VecDeque::new();
    for end in &wiring.end_ports {
        if heights[end.switch].replace(0).is_none() {
            queue.push_back((end.switch, 0));
        }
    }
    while let Some((switch, height)) = queue.pop_front() {
        for (_, peer) in wiring.switches[switch].peers() {
            if let Peer::Switch(other) = peer
                && heights[other].is_none()
            {
                heights[other] = Some(height + 1);
                queue.push_back((other, height + 1));
            }
        }
    }
    let known = wiring.switches.iter().zip(&heights);
    known
        .map(|(switch, height)| {
            height.ok_or_else(|| refused(switch.title(), "found no route to an end port"))
        })
        .collect()
}

struct Search<'a> {
    wiring: &'a Wiring,
    tree: PortTree,
    heights: Vec<u32>,
    /// The lowest LID in the sub-fat-tree of each switch.
    lowest: Vec<u32>,
}

/// A sub-fat-tree that is to be numbered: its top switches in their order, their height, and its
/// first node.
struct Part {
    height: u32,
    tops: Vec<usize>,
    first: u32,
}

impl<'a> Search<'a> {
    /// Finds m and n, and checks all that needs no numbers.
    fn new(wiring: &'a Wiring, heights: Vec<u32>) -> Result<Self, Diagnostic> {
        let levels = heights.iter().max().map_or(0, |height| height + 1);
        let first = wiring.switches.first();
        let Some(first) = first.filter(|_| !wiring.end_ports.is_empty()) else {
            return Err(refused(
                "wiring",
                "found no end port that is wired to a switch",
            ));
        };
        let ports = first.peers().count();
        let tree = PortTree::new(ports as u32, levels).map_err(|error| {
            let found = format!(
                "found {levels} levels of switches, of which this one has {ports} wired ports: {error}"
            );
            refused(first.title(), found)
        })?;
        let mut search = Search {
            wiring,
            tree,
            heights,
            lowest: Vec::new(),
        };
        for switch in 0..wiring.switches.len() {
            search.check_ports(switch)?;
        }
        let ends = wiring.end_ports.len();
        if ends != tree.nodes() as usize {
            let found = format!(
                "found {ends} end ports, expected {}, as many as {tree} has",
                tree.nodes()
            );
            return Err(refused("wiring", found));
        }
        for level in 0..levels {
            let height = tree.opposite(level);
            let found = search.heights.iter().filter(|&&h| h == height).count();
            let expected = tree.switches_of(level) as usize;
            if found != expected {
                let found = format!(
                    "found {found} switches of height {height} above the end ports, expected {expected}, as \
                     {tree} has"
                );
                return Err(refused("wiring", found));
            }
        }
        search.lowest = search.lowest_lids();
        Ok(search)
    }

    /// Checks that a switch has as many links down and up as others of its height.
    fn check_ports(&self, switch: usize) -> Result<(), Diagnostic> {
        let (tree, height) = (self.tree, self.heights[switch]);
        let title = || self.wiring.switches[switch].title();
        let (mut up, mut down) = (0, 0);
        for (port, peer) in self.wiring.switches[switch].peers() {
            match peer {
                Peer::EndPort(_) => down += 1,
                Peer::Switch(other) if self.heights[other] == height + 1 => up += 1,
                Peer::Switch(other) if self.heights[other] + 1 == height => down += 1,
                Peer::Switch(other) => {
                    let found = format!(
                        "port {port} leads to {}, which is as far from the end ports; expected links between \
                         neighbouring levels",
                        self.wiring.switches[other].title()
                    );
                    return Err(refused(title(), found));
                }
            }
        }
        let is_root = height + 1 == tree.levels();
        let expected = match is_root {
            true => (tree.ports(), 0),
            false => (tree.half(), tree.half()),
        };
        match (down, up) == expected {
            true => Ok(()),
            false => Err(refused(
                title(),
                format!(
                    "found {down} wired ports down and {up} up at height {height}, expected {} and {} in \
                     {tree}",
                    expected.0, expected.1
                ),
            )),
        }
    }

    /// The lowest LID in the sub-fat-tree of every switch: switches up to a height that are wired to
    /// each other are one.
    fn lowest_lids(&self) -> Vec<u32> {
        let switches = &self.wiring.switches;
        let mut lids = vec![u32::MAX; switches.len()];
        for end in &self.wiring.end_ports {
            lids[end.switch] = lids[end.switch].min(end.lid);
        }
        // Those of lower switches are final when a height is begun.
        let mut union = Union::new(switches.len());
        let mut lowest = lids.clone();
        for height in 0..self.tree.levels() {
            let of_height = || (0..switches.len()).filter(|&switch| self.heights[switch] == height);
            for switch in of_height() {
                for (_, peer) in switches[switch].peers() {
                    if let Peer::Switch(other) = peer
                        && self.heights[other] < height
                    {
                        union.join(switch, other, &mut lids);
                    }
                }
            }
            for switch in of_height() {
                lowest[switch] = lids[union.find(switch)];
            }
        }
        lowest
    }

    /// The switches below or above a switch, with the ports that lead there, by ascending port.
    fn next_to(&self, switch: usize, height: u32) -> impl Iterator<Item = usize> {
        let peers = self.wiring.switches[switch].peers();
        peers.filter_map(move |(_, peer)| match peer {
            Peer::Switch(other) if self.heights[other] == height => Some(other),
            _ => None,
        })
    }

    /// The switches of the root in the order of their numbers: step 3.
    fn roots(&self) -> Result<Vec<usize>, Diagnostic> {
        let ends = &self.wiring.end_ports;
        let nearest = ends.iter().min_by_key(|end| end.lid);
        let start = nearest.expect("there are end ports").switch;
        let mut tops = vec![start];
        for height in 1..self.tree.levels() {
            let above = tops.iter().flat_map(|&top| self.next_to(top, height));
            tops = above.collect();
            let mut sorted = tops.clone();
            sorted.sort_unstable();
            if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                let found = format!(
                    "found two routes up to it from {}, expected one",
                    self.wiring.switches[start].title()
                );
                return Err(refused(self.wiring.switches[pair[0]].title(), found));
            }
        }
        Ok(tops)
    }

    fn numbered(self) -> Result<Recognised, Diagnostic> {
        let tree = self.tree;
        let roots = self.roots()?;
        let mut nodes = vec![0; tree.nodes() as usize];
        let mut places = vec![None; self.wiring.switches.len()];
        let mut parts = vec![Part {
            height: tree.levels() - 1,
            tops: roots,
            first: 0,
        }];
        while let Some(part) = parts.pop() {
            for (top, &switch) in (0..).zip(&part.tops) {
                let place = SwitchPlace {
                    height: part.height,
                    top,
                    node: part.first,
                };
                if places[switch].replace(place).is_some() {
                    let found = "found it in two sub-fat-trees, expected it in one";
                    return Err(refused(self.wiring.switches[switch].title(), found));
                }
            }
            match part.height {
                0 => {
                    let below = self.wiring.switches[part.tops[0]].peers();
                    let mut ends: Vec<usize> = below
                        .filter_map(|(_, peer)| match peer {
                            Peer::EndPort(end) => Some(end),
                            Peer::Switch(_) => None,
                        })
                        .collect();
                    ends.sort_by_key(|&end| self.wiring.end_ports[end].lid);
                    nodes[part.first as usize..][..ends.len()].copy_from_slice(&ends);
                }
                _ => parts.extend(self.below(&part)?),
            }
        }
        let mut node_of = vec![0; nodes.len()];
        for (node, &end) in (0..).zip(&nodes) {
            node_of[end] = node;
        }
        let places = self
            .wiring
            .switches
            .iter()
            .zip(places)
            .map(|(switch, place)| {
                let found = "found it in no sub-fat-tree, expected it in one";
                place.ok_or_else(|| refused(switch.title(), found))
            });
        Ok(Recognised {
            tree,
            nodes,
            node_of,
            places: places.collect::<Result<_, _>>()?,
        })
    }

    /// The sub-fat-trees below the top switches of one: step 4.
    fn below(&self, part: &Part) -> Result<Vec<Part>, Diagnostic> {
        let tree = self.tree;
        let height = part.height - 1;
        let below = |switch| {
            let mut below: Vec<usize> = self.next_to(switch, height).collect();
            below.sort_by_key(|&other| self.lowest[other]);
            below
        };
        let lids = |below: &[usize]| -> Vec<u32> {
            below.iter().map(|&switch| self.lowest[switch]).collect()
        };
        let first = below(part.tops[0]);
        let expected = lids(&first);
        let mut parts: Vec<Part> = (0..)
            .zip(&first)
            .map(|(number, _)| Part {
                height,
                tops: Vec::new(),
                first: part.first + number * tree.power(part.height),
            })
            .collect();
        let title = |switch: usize| self.wiring.switches[switch].title();
        for (number, &top) in part.tops.iter().enumerate() {
            let below = below(top);
            let found = lids(&below);
            if found != expected || found.windows(2).any(|pair| pair[0] == pair[1]) {
                let found = format!(
                    "found links to the sub-fat-trees with the lowest LIDs {found:?}, expected one to each of \
                     those below {}, with {expected:?}",
                    title(part.tops[0])
                );
                return Err(refused(title(top), found));
            }
            for (part, switch) in parts.iter_mut().zip(below) {
                let expected = part.tops.get(number / tree.half() as usize);
                match expected {
                    None => part.tops.push(switch),
                    Some(&expected) if expected == switch => {}
                    Some(&expected) => {
                        let found = format!(
                            "found a link to {}, expected one to {}, as top switches that meet in one \
                             sub-fat-tree meet in all beside it",
                            title(switch),
                            title(expected)
                        );
                        return Err(refused(title(top), found));
                    }
                }
            }
        }
        Ok(parts)
    }
}

/// Sets of switches that grow together.
struct Union {
    parents: Vec<usize>,
}

impl Union {
    fn new(count: usize) -> Self {
        Union {
            parents: (0..count).collect(),
        }
    }

    fn find(&mut self, mut member: usize) -> usize {
        while self.parents[member] != member {
            self.parents[member] = self.parents[self.parents[member]];
            member = self.parents[member];
        }
        member
    }

    /// Joins two sets, of which the lower LID stays.
    fn join(&mut self, a: usize, b: usize, lids: &mut [u32]) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            lids[a] = lids[a].min(lids[b]);
            self.parents[b] = a;
        }
    }
}
