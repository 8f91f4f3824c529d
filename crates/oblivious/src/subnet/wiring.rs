//! The wiring of a subnet, as `ibnetdiscover` prints it.
//!
//! ```text
//! Switch  36 "S-0002c90200412380"   # "leaf 1" base port 0 lid 6 lmc 0
//! [1]     "H-0002c90300a0b0c0"[1](2c90300a0b0c1)   # "host 1" lid 4 4xQDR
//! [19]    "S-0002c90200412400"[7]   # "spine 1" lid 3 4xQDR
//!
//! Ca      2 "H-0002c90300a0b0c0"    # "host 1"
//! [1](2c90300a0b0c1)   "S-0002c90200412380"[1]     # lid 4 lmc 1 "leaf 1" lid 6 4xQDR
//! ```
//!
//! A node begins with its type, the number of its ports, and its type and GUID in quotation marks; its
//! links follow, one a line: port, GUID of the port, the node at the other end, its port and that one's
//! GUID. What comes after `#` is for people, but LIDs and the LMC stand there. Options for groups put
//! `[ext N]` behind a port. Every link stands with both of its nodes, which must agree.
//!
//! Switches that combine what hosts send (SHARP) have an adapter of their own inside, an *aggregation
//! node*, on a port above those of cables. It is no host, so it is left out with its link. It is known by
//! its device (`devid=`) and by what it is called.

use std::collections::BTreeMap;
use std::io::Read;

use crosswave_base::diagnostic::Error;
use crosswave_base::text::{Lines, Mistakes};

/// The highest number of a port of a switch.
pub const PORT_MAX: u32 = 254;

/// The highest LID of a single end port.
pub const LID_MAX: u32 = 0xbfff;

/// The highest LMC.
pub const LMC_MAX: u32 = 7;

/// The wiring of a subnet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wiring {
    /// In the order of the text.
    pub switches: Vec<Switch>,
    /// The wired ports of channel adapters, in the order of the text.
    pub end_ports: Vec<EndPort>,
    /// Aggregation nodes of switches, which are left out; how messages name them.
    pub aggregation_nodes: Vec<String>,
}

/// A switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switch {
    /// Its GUID.
    pub guid: u64,
    /// The name that people give it.
    pub name: String,
    /// The peer of each port, port 0 left out: entry 0 is port 1.
    pub ports: Vec<Option<Peer>>,
}

impl Switch {
    /// The name used in messages.
    pub fn title(&self) -> String {
        format!("switch S-{:016x} \"{}\"", self.guid, self.name)
    }

    /// The peer of a port; `None` where there is no such port, and where it is not wired.
    pub fn peer(&self, port: u32) -> Option<Peer> {
        let place = (port as usize).checked_sub(1)?;
        self.ports.get(place).copied().flatten()
    }

    /// The wired ports and what they lead to, ascending.
    pub fn peers(&self) -> impl Iterator<Item = (u32, Peer)> {
        let numbered = (1..).zip(&self.ports);
        numbered.filter_map(|(port, peer)| Some((port, (*peer)?)))
    }
}

/// The other end of a port's cable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    /// A switch, by its place among [`Wiring::switches`].
    Switch(usize),
    /// An end port, by its place among [`Wiring::end_ports`].
    EndPort(usize),
}

/// A wired port of a channel adapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndPort {
    /// The GUID of the adapter.
    pub guid: u64,
    /// The number of the port.
    pub port: u32,
    /// The GUID of the port, where it is known.
    pub port_guid: Option<u64>,
    /// The name that people give the adapter.
    pub name: String,
    /// Its first LID.
    pub lid: u32,
    /// It has 2^LMC LIDs.
    pub lmc: u32,
    /// The switch it is wired to.
    pub switch: usize,
}

impl EndPort {
    /// The name used in messages.
    pub fn title(&self) -> String {
        format!(
            "port {} of H-{:016x} \"{}\"",
            self.port, self.guid, self.name
        )
    }

    /// Number of its LIDs.
    pub fn lids(&self) -> u32 {
        1 << self.lmc
    }
}

/// The type of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Switch,
    Adapter,
    Router,
}

impl Kind {
    fn letter(self) -> char {
        match self {
            Kind::Switch => 'S',
            Kind::Adapter => 'H',
            Kind::Router => 'R',
        }
    }
}

/// A node's type and GUID.
type Id = (Kind, u64);

fn shown((kind, guid): Id) -> String {
    format!("{}-{guid:016x}", kind.letter())
}

/// Devices that are aggregation nodes.
const AGGREGATION_DEVICES: [u32; 1] = [0xcf09];

/// A node as it stands in the text.
struct Node {
    id: Id,
    /// The number of the `devid=` line that precedes it.
    device: Option<u32>,
    line: u64,
    name: String,
    ports: u32,
    links: Vec<Link>,
}

impl Node {
    /// True when it is no host, but the part of a switch that combines what hosts send.
    fn is_aggregation(&self) -> bool {
        let is_device = self
            .device
            .is_some_and(|device| AGGREGATION_DEVICES.contains(&device));
        let name = self.name.to_ascii_lowercase();
        self.id.0 == Kind::Adapter && (is_device || name.contains("aggregation node"))
    }
}

/// A line of a node's links.
struct Link {
    line: u64,
    port: u32,
    port_guid: Option<u64>,
    peer: Id,
    peer_port: u32,
    /// LID and LMC of the node's port, which adapters have.
    address: Option<(u32, u32)>,
}

/// The rest of a line that is read from left to right.
struct Rest<'a>(&'a str);

impl<'a> Rest<'a> {
    fn skip_space(&mut self) {
        self.0 = self.0.trim_start();
    }

    /// The text between two characters, the first of which is next.
    fn between(&mut self, open: char, close: char) -> Option<&'a str> {
        self.skip_space();
        let (inside, rest) = self.0.strip_prefix(open)?.split_once(close)?;
        self.0 = rest;
        Some(inside)
    }

    /// A port in brackets, and what groups add to it.
    fn port(&mut self) -> Option<u32> {
        let port = self.between('[', ']')?.trim().parse().ok()?;
        if self.0.trim_start().starts_with("[ext") {
            self.between('[', ']')?;
        }
        Some(port)
    }

    /// The GUID of a port, where it stands there.
    fn port_guid(&mut self) -> Option<u64> {
        let text = self.between('(', ')')?;
        u64::from_str_radix(text.trim(), 16).ok()
    }

    fn id(&mut self) -> Option<Id> {
        let (kind, guid) = self.between('"', '"')?.split_once('-')?;
        let kind = match kind {
            "S" => Kind::Switch,
            "H" => Kind::Adapter,
            "R" => Kind::Router,
            _ => return None,
        };
        Some((kind, u64::from_str_radix(guid, 16).ok()?))
    }

    /// The number after a word of what is for people; names in quotation marks are left out.
    fn number_after(&self, word: &str) -> Option<u32> {
        let (_, comment) = self.0.split_once('#')?;
        let outside = comment.split('"').step_by(2);
        let mut words = outside.flat_map(str::split_ascii_whitespace);
        words.find(|&found| found == word)?;
        words.next()?.parse().ok()
    }

    fn name(&self) -> String {
        let comment = self.0.split_once('#').map_or("", |(_, comment)| comment);
        let name = comment.split_once('"').map_or("", |(_, rest)| rest);
        name.rsplit_once('"')
            .map_or("", |(name, _)| name)
            .to_owned()
    }
}

/// The beginning of a node, such as `Switch 36 "S-0002c90200412380"`.
fn node(line: u64, text: &str) -> Option<Node> {
    let (_, after) = text.split_once(char::is_whitespace)?;
    let (ports, after) = after.trim_start().split_once(char::is_whitespace)?;
    let mut rest = Rest(after);
    Some(Node {
        ports: ports.parse().ok()?,
        id: rest.id()?,
        device: None,
        line,
        name: rest.name(),
        links: Vec::new(),
    })
}

fn link(line: u64, text: &str) -> Option<Link> {
    let mut rest = Rest(text);
    let port = rest.port()?;
    let port_guid = rest.port_guid();
    let peer = rest.id()?;
    let peer_port = rest.port()?;
    // That of the other end.
    rest.port_guid();
    let address = rest.number_after("lid").zip(rest.number_after("lmc"));
    Some(Link {
        line,
        port,
        port_guid,
        peer,
        peer_port,
        address,
    })
}

/// Lines that say nothing of the wiring.
fn is_other(text: &str) -> bool {
    let heads = [
        "#",
        "vendid=",
        "sysimgguid=",
        "switchguid=",
        "caguid=",
        "rtguid=",
        "Chassis",
        "Non-Chassis",
        "DR path",
        "ibwarn:",
    ];
    text.is_empty() || heads.iter().any(|head| text.starts_with(head))
}

/// Reads a wiring; `origin` names it in reports.
///
/// # Errors
/// When reading fails, and with the mistakes: text of another form, nodes that stand there twice,
/// links whose ends do not agree, LIDs that two ports have, routers, adapters that are wired to each
/// other.
pub fn read(input: impl Read, origin: &str) -> Result<Wiring, Error> {
    let mut lines = Lines::new(input, origin);
    let mut mistakes = Mistakes::new(origin);
    let mut nodes: Vec<Node> = Vec::new();
    let mut device = None;
    while let Some((line, text)) = lines.next_line()? {
        let text = text.trim();
        if text.starts_with('[') {
            match (link(line, text), nodes.last_mut()) {
                (Some(link), Some(node)) => node.links.push(link),
                (_, None) => mistakes.at_line(line, "a link before the first node", ""),
                (None, _) => {
                    let found =
                        format!("found `{text}`, expected a link such as [1] \"S-1234\"[2]");
                    mistakes.at_line(line, found, "");
                }
            }
        } else if ["Switch", "Ca", "Rt"]
            .iter()
            .any(|kind| text.split_ascii_whitespace().next() == Some(kind))
        {
            match node(line, text) {
                Some(node) => nodes.push(Node {
                    device: device.take(),
                    ..node
                }),
                None => {
                    let found =
                        format!("found `{text}`, expected a node such as Switch 36 \"S-1234\"");
                    mistakes.at_line(line, found, "");
                }
            }
        } else if let Some(number) = text.strip_prefix("devid=") {
            let digits = number.trim().trim_start_matches("0x");
            device = u32::from_str_radix(digits, 16).ok();
        } else if !is_other(text) {
            let found = format!("found `{text}`, expected a node, a link or a comment");
            mistakes.at_line(
                line,
                found,
                "give the output of ibnetdiscover, without options",
            );
        }
    }
    if nodes.is_empty() {
        mistakes.add(
            "end of the file",
            "found no node, expected switches and channel adapters",
            "give the output of ibnetdiscover",
        );
    }
    mistakes.finish()?;
    resolved(nodes, origin)
}

/// Nodes whose links are known to agree, by their places.
fn resolved(nodes: Vec<Node>, origin: &str) -> Result<Wiring, Error> {
    let mut mistakes = Mistakes::new(origin);
    let mut places = BTreeMap::new();
    let mut ends: BTreeMap<(Id, u32), (Id, u32)> = BTreeMap::new();
    let mut switches = Vec::new();
    for node in &nodes {
        let id = shown(node.id);
        if places.insert(node.id, switches.len()).is_some() {
            mistakes.at_line(node.line, format!("{id} stands here again"), "");
        }
        match node.id.0 {
            Kind::Switch if (1..=PORT_MAX).contains(&node.ports) => switches.push(Switch {
                guid: node.id.1,
                name: node.name.clone(),
                ports: vec![None; node.ports as usize],
            }),
            Kind::Switch => {
                let found = format!("{id} has {} ports, expected 1 to {PORT_MAX}", node.ports);
                mistakes.at_line(node.line, found, "");
            }
            Kind::Adapter => {}
            Kind::Router => {
                let found = format!("found router {id}, expected switches and channel adapters");
                mistakes.at_line(
                    node.line,
                    found,
                    "leave its lines and those of its links out",
                );
            }
        }
        for link in &node.links {
            if !(1..=node.ports).contains(&link.port) {
                let found = format!(
                    "{id} has no port {}, expected 1 to {}",
                    link.port, node.ports
                );
                mistakes.at_line(link.line, found, "");
            }
            let end = (link.peer, link.peer_port);
            if ends.insert((node.id, link.port), end).is_some() {
                let found = format!("port {} of {id} is wired twice", link.port);
                mistakes.at_line(link.line, found, "");
            }
        }
    }
    for node in &nodes {
        for link in &node.links {
            let there = ends.get(&(link.peer, link.peer_port));
            if there != Some(&(node.id, link.port)) {
                let (id, peer) = (shown(node.id), shown(link.peer));
                let found = format!(
                    "port {} of {id} leads to port {} of {peer}, which does not lead back",
                    link.port, link.peer_port
                );
                let help =
                    "give the whole output of ibnetdiscover, in which links stand with both ends";
                mistakes.at_line(link.line, found, help);
            }
            if node.id.0 != Kind::Switch && link.peer.0 != Kind::Switch {
                let found = "a channel adapter is wired to another; expected a switch between them";
                mistakes.at_line(link.line, found, "");
            }
        }
    }
    mistakes.finish()?;

    let mut mistakes = Mistakes::new(origin);
    let mut end_ports: Vec<EndPort> = Vec::new();
    let mut by_lid: BTreeMap<u32, usize> = BTreeMap::new();
    let (aggregation, nodes): (Vec<Node>, Vec<Node>) =
        nodes.into_iter().partition(Node::is_aggregation);
    let aggregation = aggregation.iter();
    let aggregation_nodes = aggregation.map(|node| format!("{} \"{}\"", shown(node.id), node.name));
    for node in &nodes {
        for link in &node.links {
            let peer = places[&link.peer];
            if node.id.0 == Kind::Switch {
                if link.peer.0 == Kind::Switch {
                    let ports = &mut switches[places[&node.id]].ports;
                    ports[link.port as usize - 1] = Some(Peer::Switch(peer));
                }
                continue;
            }
            let fits = |&(lid, lmc): &(u32, u32)| {
                lmc <= LMC_MAX && lid >= 1 && lid <= LID_MAX + 1 - (1 << lmc)
            };
            let Some((lid, lmc)) = link.address.filter(fits) else {
                let found = format!(
                    "expected the LID of the port, 1 to {LID_MAX}, and its LMC, 0 to {LMC_MAX}, after #"
                );
                let help = "ibnetdiscover prints, for example, # lid 4 lmc 1";
                mistakes.at_line(link.line, found, help);
                continue;
            };
            for lid in lid..lid + (1 << lmc) {
                if let Some(other) = by_lid.insert(lid, end_ports.len()) {
                    let other = &end_ports[other];
                    let found = format!("LID {lid} is that of {} as well", other.title());
                    mistakes.at_line(link.line, found, "");
                }
            }
            let ports = &mut switches[peer].ports;
            ports[link.peer_port as usize - 1] = Some(Peer::EndPort(end_ports.len()));
            end_ports.push(EndPort {
                guid: node.id.1,
                port: link.port,
                port_guid: link.port_guid,
                name: node.name.clone(),
                lid,
                lmc,
                switch: peer,
            });
        }
    }
    mistakes.finish()?;
    Ok(Wiring {
        switches,
        end_ports,
        aggregation_nodes: aggregation_nodes.collect(),
    })
}
