//! The wiring and the tables of an FT(m, n) as the tools print them, with switches, ports and GUIDs in
//! a random order.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::routing::modulo::{Chooser, Modulo};
use crate::routing::{Routing, Share};
use crate::tree::{PortTree, Vertex};
use crosswave_base::random;

/// A tree that is printed as a subnet, with shuffled numbers of switches and ports.
pub struct Sample {
    pub tree: PortTree,
    pub lmc: u32,
    /// Switches by their number in the text.
    pub switches: Vec<Vertex>,
    /// The port of the text for each port of a switch of the tree.
    pub port_of: BTreeMap<(u32, u32), Vec<u32>>,
}

impl Sample {
    pub fn new(tree: PortTree, lmc: u32, seed: u64) -> Self {
        let mut generator = random::generator(seed, 7);
        let mut shuffled = |count: u32| {
            let mut all: Vec<u32> = (0..count).collect();
            for place in (1..all.len()).rev() {
                all.swap(
                    place,
                    random::below(&mut generator, place as u64 + 1) as usize,
                );
            }
            all
        };
        let all: Vec<Vertex> = (0..tree.levels())
            .flat_map(|level| {
                (0..tree.switches_of(level)).map(move |number| Vertex::Switch { level, number })
            })
            .collect();
        let switches: Vec<Vertex> = shuffled(all.len() as u32)
            .iter()
            .map(|&place| all[place as usize])
            .collect();
        let mut port_of = BTreeMap::new();
        for &switch in &switches {
            let Vertex::Switch { level, number } = switch else {
                continue;
            };
            // Switches have three ports more than are wired.
            let mut ports = shuffled(tree.ports() + 3);
            ports.iter_mut().for_each(|port| *port += 1);
            ports.truncate(tree.ports() as usize);
            port_of.insert((level, number), ports);
        }
        Sample {
            tree,
            lmc,
            switches,
            port_of,
        }
    }

    fn guid(&self, vertex: Vertex) -> u64 {
        match vertex {
            Vertex::Node(node) => 0x1000 + 2 * u64::from(node),
            Vertex::Switch { .. } => {
                let place = self.switches.iter().position(|&other| other == vertex);
                0x2_0000 + place.unwrap() as u64
            }
        }
    }

    fn lid(&self, node: u32) -> u32 {
        (node + 1) << self.lmc
    }

    /// A node's end of a link and the other one, as ports of the text.
    fn far_end(&self, level: u32, number: u32, port: u32) -> (Vertex, u32) {
        let tree = self.tree;
        let link = tree.link_by_port(level, number, port).unwrap();
        let from = Vertex::Switch { level, number };
        let (_, to) = tree.ends(link);
        let Vertex::Switch { level, number } = to else {
            return (to, 1);
        };
        let back = (0..tree.ports()).find(|&back| {
            let link = tree.link_by_port(level, number, back).unwrap();
            tree.ends(link).1 == from
        });
        (to, self.port_of[&(level, number)][back.unwrap() as usize])
    }

    /// As `ibnetdiscover` prints it.
    pub fn wiring(&self) -> String {
        let mut text = String::from("#\n# Topology file: generated\n#\n\n");
        let name = |vertex| self.tree.label(vertex).to_string();
        for &switch in &self.switches {
            let Vertex::Switch { level, number } = switch else {
                continue;
            };
            let guid = self.guid(switch);
            let ports = &self.port_of[&(level, number)];
            let _ = writeln!(
                text,
                "vendid=0x2c9\nswitchguid=0x{guid:x}({guid:x})\n\
                 Switch\t{} \"S-{guid:016x}\"\t\t# \"{}\" base port 0 lid 999 lmc 0",
                self.tree.ports() + 3,
                name(switch)
            );
            for (port, mine) in (0..).zip(ports) {
                let (to, theirs) = self.far_end(level, number, port);
                let (kind, port_guid) = match to {
                    Vertex::Node(_) => ('H', format!("({:x}) ", self.guid(to) + 1)),
                    Vertex::Switch { .. } => ('S', String::new()),
                };
                let _ = writeln!(
                    text,
                    "[{mine}]\t\"{kind}-{:016x}\"[{theirs}]{port_guid}\t\t# \"{}\" lid 3 4xQDR",
                    self.guid(to),
                    name(to)
                );
            }
            text.push('\n');
        }
        for node in 0..self.tree.nodes() {
            let vertex = Vertex::Node(node);
            let leaf =
                self.tree.ends(
                    self.tree
                        .link_of(node, 0, 0, crate::tree::LinkDirection::Up),
                );
            let Vertex::Switch { level, number } = leaf.1 else {
                continue;
            };
            let guid = self.guid(vertex);
            let place = (0..self.tree.ports())
                .find(|&port| self.far_end(level, number, port).0 == vertex)
                .unwrap();
            let _ = writeln!(
                text,
                "caguid=0x{guid:x}\nCa\t1 \"H-{guid:016x}\"\t\t# \"{}\"\n\
                 [1]({:x}) \t\"S-{:016x}\"[{}]\t\t# lid {} lmc {} \"a lid 7 lmc 9\" lid 3 4xQDR\n",
                name(vertex),
                guid + 1,
                self.guid(leaf.1),
                self.port_of[&(level, number)][place as usize],
                self.lid(node),
                self.lmc
            );
        }
        text
    }

    /// The routing of the tables: path number `lid - first LID` is d-mod-k's with that many nodes more.
    fn top(&self, path: u32, source: u32, destination: u32) -> u32 {
        let routing = Modulo::new(self.tree, Chooser::Destination, 1);
        let mut shares: Vec<Share> = Vec::new();
        // A destination further on has other digits; only those count here.
        let meeting = self.tree.meeting_height(source, destination);
        let far = (destination + path) % self.tree.nodes();
        let other = (0..self.tree.nodes())
            .find(|&node| self.tree.meeting_height(node, far) == meeting && node != far)
            .unwrap();
        routing.shares(other, far, &mut shares);
        shares[0].top
    }

    /// As `ibroute` prints it, or OpenSM.
    pub fn tables(&self, by_opensm: bool) -> String {
        let tree = self.tree;
        let mut text = String::new();
        for &switch in &self.switches {
            let Vertex::Switch { level, number } = switch else {
                continue;
            };
            let height = tree.opposite(level);
            let guid = self.guid(switch);
            let ports = &self.port_of[&(level, number)];
            match by_opensm {
                false => {
                    let _ = writeln!(
                        text,
                        "Unicast lids [0x0-0xff] of switch Lid 3 guid 0x{guid:016x} ({}):\n  Lid  Out   \
                         Destination\n       Port     Info ",
                        tree.label(switch)
                    );
                }
                true => {
                    let _ = writeln!(
                        text,
                        "Unicast lids [0-255] of switch Lid 3 guid 0x{guid:016x} ('{}'):",
                        tree.label(switch)
                    );
                }
            }
            for node in 0..tree.nodes() {
                for path in 0..1 << self.lmc {
                    // Nodes below the switch are reached downwards; the others' paths climb by the
                    //  digits of the whole tree's top switch.
                    let subtree = number / tree.power(height);
                    let below = level == 0 || node / tree.power(height) / tree.half() == subtree;
                    let port = if below {
                        let child = node / tree.power(height);
                        match level {
                            0 => child,
                            _ => child % tree.half(),
                        }
                    } else {
                        let far = (node + tree.nodes() / 2) % tree.nodes();
                        let top = self.top(path, far, node);
                        let root = tree.levels() - 1;
                        tree.half() + top / tree.power(root - height - 1) % tree.half()
                    };
                    let (lid, port) = (self.lid(node) + path, ports[port as usize]);
                    let guid = self.guid(Vertex::Node(node)) + 1;
                    let _ = match (by_opensm, path) {
                        (true, _) => writeln!(
                            text,
                            "0x{lid:04x} {port:03} # Channel Adapter portguid 0x{guid:016x}: 'host'"
                        ),
                        (false, 0) => writeln!(
                            text,
                            "0x{lid:04x} {port:03} : (Channel Adapter portguid 0x{guid:016x}: 'host')"
                        ),
                        (false, _) => writeln!(
                            text,
                            "0x{lid:04x} {port:03} : (path #{} out of 2: portguid 0x{guid:016x})",
                            path + 1
                        ),
                    };
                }
            }
            text.push_str("9 valid lids dumped \n");
        }
        text
    }
}
