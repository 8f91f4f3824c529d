//! The path of a message through a network, chip by chip, and its text form. What a [`Path`]
//! prints, [`Path::parse`] reads back as an equal one.
//!
//! ```text
//! path  = INSTANCE "." PORT { link PORT "." INSTANCE "." PORT } link PORT "." INSTANCE
//! link  = "-" [ CLOCKS "-" ] ">"
//! ```
//!
//! The first instance is the interface of the source and the last one that of the destination;
//! the ports of a router are the one where the message arrives and the one where it leaves. A
//! link may take extra clocks.
//!
//! ```
//! use crosswave_network::path::Path;
//! let text = "node_0.net -> a.router_0_0.d -2-> a.router_1_1.b -2-> c.router_0_1.a -> net.node_2";
//! let path = Path::parse(text, "example")?;
//! assert_eq!(path.to_string(), text);
//! assert_eq!((path.routers(), path.link_clocks()), (3, 4));
//! # Ok::<(), crosswave_base::diagnostic::Error>(())
//! ```

use std::fmt;

use serde::Serialize;

use super::text::is_delay;
use super::topology::{NODES, OnPath, Topology};
use super::{Fabric, LinkPort};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};

/// A path by the names of chips and ports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// The source's interface, and the port where the message leaves it.
    source: (String, String),
    hops: Vec<Hop>,
    /// The link to the destination, the port where the message arrives, and its interface.
    last: (u64, String, String),
}

/// A chip of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PathStep<'p> {
    /// Extra clocks of the link that leads to it.
    #[serde(rename = "link_delay_cycles")]
    pub clocks: u64,
    /// The port where the message arrives; `None` at the source.
    pub arrives: Option<&'p str>,
    /// Its name.
    pub chip: &'p str,
    /// The port where the message leaves; `None` at the destination.
    pub leaves: Option<&'p str>,
}

/// A router of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Hop {
    /// Extra clocks of the link that leads to it.
    clocks: u64,
    /// The port where the message arrives.
    from: String,
    instance: String,
    /// The port where it leaves.
    to: String,
}

impl Path {
    /// The path from a node to another one. Where several links serve, bit `i` of `draw`
    /// chooses for chip `i` of the path, the source's interface being chip 0; where senders choose
    /// from several ways, `draw` does, modulo their number.
    ///
    /// # Panics
    /// When a node is not one of the network, they are the same, or the fabric is not that of
    /// the topology.
    pub fn of(
        topology: &dyn Topology,
        fabric: &Fabric,
        source: u32,
        destination: u32,
        draw: u64,
    ) -> Path {
        assert!(source != destination, "two nodes");
        let mut instances = 0..fabric.nodes;
        let own = instances.find(|&instance| topology.node_of_instance(instance) == source);
        let on_path = |chip: u32, arrived: usize| OnPath {
            source,
            destination,
            chip,
            arrived,
            draw: draw >> (chip % 64) & 1 != 0,
            way: way(topology, source, destination, draw),
        };
        let mut at = LinkPort {
            array: NODES,
            instance: own.expect("a node of the network"),
            link: topology.leaves(on_path(0, 0)),
        };
        let instance = |at: LinkPort| fabric.instance_name(at.array, at.instance);
        let port = |at: LinkPort| fabric.arrays[at.array].chip.links[at.link].to_owned();
        let source_end = (instance(at), port(at));
        let mut hops = Vec::new();
        loop {
            let (clocks, arrives) = follow(fabric, at).expect("a link leads on");
            if arrives.array == NODES {
                let found = topology.node_of_instance(arrives.instance);
                assert_eq!(found, destination, "wiring and routes agree");
                return Path {
                    source: source_end,
                    hops,
                    last: (clocks, port(arrives), instance(arrives)),
                };
            }
            at = LinkPort {
                link: topology.leaves(on_path(hops.len() as u32 + 1, arrives.link)),
                ..arrives
            };
            hops.push(Hop {
                clocks,
                from: port(arrives),
                instance: instance(at),
                to: port(at),
            });
        }
    }

    /// Its chips in order.
    pub fn steps(&self) -> Vec<PathStep<'_>> {
        let (source, to) = &self.source;
        let (clocks, from, destination) = &self.last;
        let first = PathStep {
            clocks: 0,
            arrives: None,
            chip: source,
            leaves: Some(to),
        };
        let routers = self.hops.iter().map(|hop| PathStep {
            clocks: hop.clocks,
            arrives: Some(&hop.from),
            chip: &hop.instance,
            leaves: Some(&hop.to),
        });
        let last = PathStep {
            clocks: *clocks,
            arrives: Some(from),
            chip: destination,
            leaves: None,
        };
        std::iter::once(first)
            .chain(routers)
            .chain([last])
            .collect()
    }

    /// Routers on it.
    pub fn routers(&self) -> usize {
        self.hops.len()
    }

    /// Extra clocks of all its links.
    pub fn link_clocks(&self) -> u64 {
        let hops = self.hops.iter().map(|hop| hop.clocks);
        hops.sum::<u64>() + self.last.0
    }

    /// Reads a path; `origin` names the text in an error. Whether a network has the chips and
    /// links is not looked at.
    ///
    /// # Errors
    /// An error of [`Class::Input`] with the first word that does not fit.
    pub fn parse(text: &str, origin: &str) -> Result<Path, Error> {
        let mistake = |place: usize, word: Option<&str>, expected: &str| {
            let found = word.map_or("the end of the text".into(), |word| format!("{word:?}"));
            let message = format!("found {found}; expected {expected}");
            let help = "such as node_0.net -> a.router_0_0.b -> net.node_1";
            let place = format!("word {}", place + 1);
            Error::one(Class::Input, origin, Diagnostic::new(place, message, help))
        };
        let names = |word: &str| -> Vec<String> { word.split('.').map(str::to_owned).collect() };
        let words: Vec<&str> = text.split_whitespace().collect();
        let first = words.first().copied();
        let source = first
            .map(names)
            .and_then(|names| <[String; 2]>::try_from(names).ok());
        let source = source.ok_or_else(|| mistake(0, first, "INSTANCE.PORT"))?;
        let mut hops: Vec<Hop> = Vec::new();
        for (at, pair) in words[1..].chunks(2).enumerate() {
            let place = 1 + 2 * at;
            let link = pair.first().copied();
            let clocks = link.and_then(link_clocks);
            let clocks = clocks.ok_or_else(|| mistake(place, link, "-> or -CLOCKS->"))?;
            let chip = pair.get(1).copied();
            match chip.map(names).as_deref() {
                Some([from, instance, to]) => hops.push(Hop {
                    clocks,
                    from: from.clone(),
                    instance: instance.clone(),
                    to: to.clone(),
                }),
                Some([from, instance]) if place + 2 == words.len() => {
                    let [source, to] = source;
                    return Ok(Path {
                        source: (source, to),
                        hops,
                        last: (clocks, from.clone(), instance.clone()),
                    });
                }
                _ => {
                    return Err(mistake(
                        place + 1,
                        chip,
                        "PORT.INSTANCE.PORT, or PORT.INSTANCE at the end",
                    ));
                }
            }
        }
        Err(mistake(words.len(), None, "PORT.INSTANCE at the end"))
    }
}

/// The way that a draw chooses of those that a pair of nodes has.
pub fn way(topology: &dyn Topology, source: u32, destination: u32, draw: u64) -> u32 {
    (draw % u64::from(topology.ways(source, destination))) as u32
}

/// Follows the link at a port of a chip, past the chips that only add clocks, to the port where it
/// ends. Returns the extra clocks and the port; `None` when the link leads nowhere.
pub fn follow(fabric: &Fabric, from: LinkPort) -> Option<(u64, LinkPort)> {
    let (mut clocks, mut from) = (0, from);
    loop {
        let port = fabric.peer(from)?;
        if !is_delay(fabric.arrays[port.array].chip) {
            return Some((clocks, port));
        }
        clocks += 1;
        from = LinkPort {
            link: 1 - port.link,
            ..port
        };
    }
}

/// The clocks of a link as it is written.
fn link_clocks(word: &str) -> Option<u64> {
    let inside = word.strip_prefix('-')?.strip_suffix('>')?;
    match inside.strip_suffix('-') {
        None => inside.is_empty().then_some(0),
        Some(clocks) => clocks.parse().ok().filter(|&clocks| clocks > 0),
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let link = |clocks: u64| match clocks {
            0 => "->".to_owned(),
            clocks => format!("-{clocks}->"),
        };
        write!(f, "{}.{}", self.source.0, self.source.1)?;
        for Hop {
            clocks,
            from,
            instance,
            to,
        } in &self.hops
        {
            write!(f, " {} {from}.{instance}.{to}", link(*clocks))?;
        }
        let (clocks, port, instance) = &self.last;
        write!(f, " {} {port}.{instance}", link(*clocks))
    }
}

#[cfg(test)]
mod tests;
