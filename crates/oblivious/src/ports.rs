//! Ports of switches, and paths as lists of them.
//!
//! A switch has ports 0 to m - 1. Ports 0 to m/2 - 1 lead down, port k to sub-fat-tree or node k below
//! it, and port m/2 + u is its up port u. The ports of a switch at the root all lead down.
//!
//! A *route* is a path as the ports by which it leaves its switches, in their order. A shortest one of
//! nodes that meet at height x has 2x + 1. It is what a message with source routing has in its header.

use std::fmt;

use super::tree::{Label, LinkDirection, PortTree, TreeLink, Vertex};

/// The reason why a list of ports is no shortest path of its pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RouteFault {
    /// A switch has no such port.
    NoPort {
        /// The place in the list.
        hop: usize,
        /// The switch.
        switch: Label,
        /// The port.
        port: u32,
        /// Number of ports of the switch.
        ports: u32,
    },
    /// The path climbs after it came down.
    Turn {
        /// The place in the list.
        hop: usize,
        /// The switch.
        switch: Label,
        /// The port.
        port: u32,
    },
    /// The path climbs where the switch has the destination below it.
    TooHigh {
        /// The place in the list.
        hop: usize,
        /// The switch.
        switch: Label,
        /// The port.
        port: u32,
    },
    /// The path comes down into a part of the tree that the destination is not in.
    Elsewhere {
        /// The place in the list.
        hop: usize,
        /// The switch.
        switch: Label,
        /// The port.
        port: u32,
        /// The port that leads to the destination, or for one that leads up any of these.
        expected: (u32, u32),
    },
    /// The list ends before the path does.
    Ended {
        /// The ports in the list.
        found: usize,
        /// The last switch.
        switch: Label,
        /// The ports of a shortest path.
        expected: usize,
    },
    /// The list goes on after the path.
    GoesOn {
        /// The first place that is too many.
        hop: usize,
        /// The ports of a shortest path.
        expected: usize,
    },
}

impl RouteFault {
    /// The place in the list of what is wrong; the length of the list where it is too short.
    pub fn hop(&self) -> usize {
        match self {
            RouteFault::NoPort { hop, .. }
            | RouteFault::Turn { hop, .. }
            | RouteFault::TooHigh { hop, .. }
            | RouteFault::Elsewhere { hop, .. }
            | RouteFault::GoesOn { hop, .. } => *hop,
            RouteFault::Ended { found, .. } => *found,
        }
    }
}

impl fmt::Display for RouteFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RouteFault::NoPort {
                switch,
                port,
                ports,
                ..
            } => write!(
                f,
                "{switch} has no port {port}; expected 0 to {}",
                ports - 1
            ),
            RouteFault::Turn { switch, port, .. } => write!(
                f,
                "port {port} of {switch} leads up again after the path came down; expected up, then \
                 down, which is free of deadlock"
            ),
            RouteFault::TooHigh { switch, port, .. } => write!(
                f,
                "port {port} of {switch} leads up, though the destination is below that switch; expected \
                 a shortest path"
            ),
            RouteFault::Elsewhere {
                switch,
                port,
                expected: (first, last),
                ..
            } if first == last => write!(
                f,
                "port {port} of {switch} does not lead to the destination; expected port {first}"
            ),
            RouteFault::Elsewhere {
                switch,
                port,
                expected: (first, last),
                ..
            } => write!(
                f,
                "port {port} of {switch} leads down, and the destination is not below that switch; \
                 expected one of the ports {first} to {last}"
            ),
            RouteFault::Ended {
                found,
                switch,
                expected,
            } => write!(
                f,
                "the path has {found} ports and ends in {switch}; expected {expected}"
            ),
            RouteFault::GoesOn { expected, .. } => write!(
                f,
                "the path goes on after the destination; expected {expected} ports"
            ),
        }
    }
}

impl std::error::Error for RouteFault {}

impl PortTree {
    /// The link that leaves a switch by a port; none where the switch has no such port.
    ///
    /// ```
    /// use crosswave_oblivious::tree::{PortTree, Vertex};
    /// let tree = PortTree::new(8, 3)?;
    /// let link = tree.link_by_port(2, 1, 4 + 2).expect("up port 2");
    /// assert_eq!(tree.label(tree.ends(link).1).to_string(), "switch((0, 2), 1)");
    /// # Ok::<(), crosswave_oblivious::tree::TreeError>(())
    /// ```
    ///
    /// # Panics
    /// When there is no such switch.
    pub fn link_by_port(&self, level: u32, number: u32, port: u32) -> Option<TreeLink> {
        assert!(number < self.switches_of(level), "a switch of {self}");
        let height = self.opposite(level);
        let (subtree, top) = (number / self.power(height), number % self.power(height));
        let down_ports = match level {
            0 => self.ports(),
            _ => self.half(),
        };
        if port < down_ports {
            return Some(TreeLink {
                level,
                direction: LinkDirection::Down,
                number: (subtree * self.half() + port) * self.power(height) + top,
            });
        }
        (port < self.ports()).then(|| TreeLink {
            level: level - 1,
            direction: LinkDirection::Up,
            number: subtree * self.power(height + 1) + top * self.half() + (port - down_ports),
        })
    }

    /// The port of the switch above a SUBFT(m, `height`), or a node, that leads down to the one with
    /// `node`.
    fn port_to(&self, height: u32, node: u32) -> u32 {
        let subtree = node / self.power(height);
        match height + 1 == self.levels() {
            true => subtree,
            false => subtree % self.half(),
        }
    }

    /// The ports of the shortest path by top switch `top`. A message of a node to itself takes none.
    ///
    /// # Panics
    /// When the pair has no such top switch.
    pub fn route(&self, source: u32, destination: u32, top: u32) -> Vec<u32> {
        if source == destination {
            return Vec::new();
        }
        let meeting = self.meeting_height(source, destination);
        assert!(
            top < self.power(meeting),
            "{self}: {source} and {destination} do not meet in top switch {top}"
        );
        let up = (1..=meeting)
            .map(|height| self.half() + top / self.power(meeting - height) % self.half());
        let down = (0..=meeting).rev();
        up.chain(down.map(|height| self.port_to(height, destination)))
            .collect()
    }

    /// The top switch of a route: the reverse of [`route`](Self::route).
    ///
    /// # Errors
    /// When the ports are not a shortest path from `source` to `destination`, at the first switch that
    /// shows it.
    ///
    /// # Panics
    /// When a node sends to itself.
    pub fn top_of_route(
        &self,
        source: u32,
        destination: u32,
        ports: &[u32],
    ) -> Result<u32, RouteFault> {
        assert_ne!(source, destination, "a pair of nodes");
        let meeting = self.meeting_height(source, destination);
        let expected = 2 * meeting as usize + 1;
        let mut vertex = self.ends(self.link_of(source, 0, 0, LinkDirection::Up)).1;
        let mut tops = 0;
        for hop in 0..expected {
            let Vertex::Switch { level, number } = vertex else {
                break;
            };
            let switch = || self.label(vertex);
            let Some(&port) = ports.get(hop) else {
                return Err(RouteFault::Ended {
                    found: hop,
                    switch: switch(),
                    expected,
                });
            };
            let Some(link) = self.link_by_port(level, number, port) else {
                let (switch, ports) = (switch(), self.ports());
                return Err(RouteFault::NoPort {
                    hop,
                    switch,
                    port,
                    ports,
                });
            };
            let climbs = hop < meeting as usize;
            match (climbs, link.direction) {
                (true, LinkDirection::Up) => tops = tops * self.half() + (port - self.half()),
                (true, LinkDirection::Down) => {
                    return Err(RouteFault::Elsewhere {
                        hop,
                        switch: switch(),
                        port,
                        expected: (self.half(), self.ports() - 1),
                    });
                }
                (false, LinkDirection::Up) if hop == meeting as usize => {
                    let switch = switch();
                    return Err(RouteFault::TooHigh { hop, switch, port });
                }
                (false, LinkDirection::Up) => {
                    let switch = switch();
                    return Err(RouteFault::Turn { hop, switch, port });
                }
                (false, LinkDirection::Down) => {
                    let expected = self.port_to(self.opposite(level), destination);
                    if port != expected {
                        return Err(RouteFault::Elsewhere {
                            hop,
                            switch: switch(),
                            port,
                            expected: (expected, expected),
                        });
                    }
                }
            }
            vertex = self.ends(link).1;
        }
        match ports.len() > expected {
            true => Err(RouteFault::GoesOn {
                hop: expected,
                expected,
            }),
            false => Ok(tops),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREES: [(u32, u32); 8] = [
        (2, 1),
        (2, 3),
        (4, 1),
        (4, 2),
        (4, 3),
        (6, 3),
        (8, 2),
        (4, 4),
    ];

    /// Ports of a switch lead over different links, each of which leaves that switch.
    #[test]
    fn every_link_leaves_by_one_port() {
        for (m, n) in TREES {
            let tree = PortTree::new(m, n).unwrap();
            let mut seen = vec![false; tree.links() as usize];
            for level in 0..n {
                for number in 0..tree.switches_of(level) {
                    for port in 0..m {
                        let link = tree.link_by_port(level, number, port).unwrap();
                        assert_eq!(tree.ends(link).0, Vertex::Switch { level, number });
                        assert!(!std::mem::replace(&mut seen[tree.index(link)], true));
                    }
                    assert_eq!(tree.link_by_port(level, number, m), None);
                }
            }
            // All but those that nodes send by.
            let left = seen.iter().filter(|seen| !**seen).count();
            assert_eq!(left as u32, tree.nodes());
        }
    }

    #[test]
    fn routes_are_the_paths() {
        for (m, n) in TREES {
            let tree = PortTree::new(m, n).unwrap();
            for source in 0..tree.nodes() {
                for destination in (0..tree.nodes()).filter(|&other| other != source) {
                    for top in 0..tree.tops(source, destination) {
                        let route = tree.route(source, destination, top);
                        let path = tree.path(source, destination, top);
                        let ports = route.iter().zip(&path[1..]);
                        for (&port, &link) in ports {
                            let Vertex::Switch { level, number } = tree.ends(link).0 else {
                                panic!("a link of a switch");
                            };
                            assert_eq!(tree.link_by_port(level, number, port), Some(link));
                        }
                        assert_eq!(route.len() + 1, path.len());
                        assert_eq!(tree.top_of_route(source, destination, &route), Ok(top));
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_no_shortest_path_says_where() {
        let tree = PortTree::new(4, 3).unwrap();
        let said = |source, destination, ports: &[u32]| {
            let fault = tree.top_of_route(source, destination, ports).unwrap_err();
            format!("{}: {fault}", fault.hop())
        };
        assert_eq!(
            said(0, 15, &[2, 4]),
            "1: switch((0, 0), 1) has no port 4; expected 0 to 3"
        );
        assert_eq!(
            said(0, 2, &[2, 2]),
            "1: port 2 of switch((0, 0), 1) leads up, though the destination is below that switch; \
             expected a shortest path"
        );
        assert_eq!(
            said(0, 15, &[2, 2, 3, 2]),
            "3: port 2 of switch((3, 0), 1) leads up again after the path came down; expected up, \
             then down, which is free of deadlock"
        );
        assert_eq!(
            said(0, 15, &[2, 2, 1]),
            "2: port 1 of switch((0, 0), 0) does not lead to the destination; expected port 3"
        );
        assert_eq!(
            said(0, 15, &[1]),
            "0: port 1 of switch((0, 0), 2) leads down, and the destination is not below that \
             switch; expected one of the ports 2 to 3"
        );
        assert_eq!(
            said(0, 15, &[2, 2, 3]),
            "3: the path has 3 ports and ends in switch((3, 0), 1); expected 5"
        );
        assert_eq!(
            said(0, 1, &[1, 0]),
            "1: the path goes on after the destination; expected 1 ports"
        );
    }
}
