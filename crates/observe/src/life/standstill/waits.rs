//! Links that wait for each other: a graph of the virtual channels of links, and a circle or a chain in it.
//!
//! A channel has the flits that are on the wire of its link, or in the buffer where the link ends. An edge
//! leads from the channel by which a packet came into a router to the one that it waits for there. Of the
//! packets that came by one channel only the first waits; the others are after it.
//!
//! An output that a packet waits for may not be known for sure: then there is an edge to each that may be it.
//! A circle of sure edges is preferred to others.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;

use super::{InputChannel, Standstill};
use crate::life::record::{AttemptRecord, EndOfAttempt, HopRecord, NO_OUTPUT};
use crosswave_network::LinkPort;
use crosswave_network::path::follow;
use crosswave_network::topology::NODES;
use crosswave_probe::message::NEVER;
use crosswave_run::result::failure::WaitingLink;

/// Channels of a knot from which the shortest circle is searched.
const STARTS_MAX: usize = 64;

/// A virtual channel of a link, by the output that sends on it: its array, instance and link.
type Channel = (usize, usize, usize, u8);

/// Links of which each waits for the next one.
pub(super) struct Waits {
    pub(super) links: Vec<WaitingLink>,
    /// The router, or node, to which the last one leads.
    pub(super) leads_to: Option<String>,
    /// The reason why the last one waits; `None` where it waits for the first one.
    pub(super) end: Option<String>,
}

/// A packet that is the first of those that came into a router by a channel.
#[derive(Clone, Copy)]
struct FirstPacket<'k> {
    packet: &'k AttemptRecord,
    at: usize,
}

impl<'k> FirstPacket<'k> {
    fn hop(&self) -> &'k HopRecord {
        &self.packet.hops[self.at]
    }
}

/// A packet that waits for a channel.
#[derive(Debug, Clone, Copy)]
struct Wait {
    message: u32,
    is_sure: bool,
}

/// The graph of channels.
struct WaitGraph<'s, 'f> {
    standstill: &'s Standstill<'f>,
    firsts: BTreeMap<InputChannel, FirstPacket<'s>>,
    graph: DiGraph<Channel, Wait>,
    nodes: BTreeMap<Channel, NodeIndex>,
}

/// The circle of links that wait for each other, or the chain of them that begins with the packet which
/// has waited longest; `None` where no packet waits.
pub(super) fn found(standstill: &Standstill<'_>) -> Option<Waits> {
    let graph = WaitGraph::new(standstill);
    match graph.circle(true).or_else(|| graph.circle(false)) {
        Some(circle) => Some(Waits {
            links: graph.links(&circle),
            leads_to: None,
            end: None,
        }),
        None => graph.chain(),
    }
}

fn channel(from: LinkPort, vc: u8) -> Channel {
    (from.array, from.instance, from.link, vc)
}

fn output((array, instance, link, _): Channel) -> LinkPort {
    LinkPort {
        array,
        instance,
        link,
    }
}

impl<'s, 'f> WaitGraph<'s, 'f> {
    fn new(standstill: &'s Standstill<'f>) -> Self {
        let mut graph = WaitGraph {
            standstill,
            firsts: firsts(standstill),
            graph: DiGraph::new(),
            nodes: BTreeMap::new(),
        };
        for (input, first) in graph.firsts.clone() {
            let Some(from) = graph.came_by(input) else {
                continue;
            };
            let wanted = graph.wanted(first);
            let wait = Wait {
                message: first.packet.id,
                is_sure: wanted.len() == 1,
            };
            for to in wanted {
                let [from, to] = [from, to].map(|channel| graph.node(channel));
                graph.graph.add_edge(from, to, wait);
            }
        }
        graph
    }

    fn node(&mut self, channel: Channel) -> NodeIndex {
        let graph = &mut self.graph;
        let node = self.nodes.entry(channel);
        *node.or_insert_with(|| graph.add_node(channel))
    }

    /// The channel that leads to an input.
    fn came_by(&self, (router, input, vc): InputChannel) -> Option<Channel> {
        let port = self.standstill.port(router, input);
        let (_, from) = follow(self.standstill.fabric, port)?;
        Some(channel(from, vc))
    }

    /// The first packet of those that came by a channel and have not left.
    fn first_of(&self, of: Channel) -> Option<FirstPacket<'s>> {
        let fabric = self.standstill.fabric;
        let (_, end) = follow(fabric, output(of))?;
        let router = fabric.router_number(end.array, end.instance)?;
        let input = (router as u32, end.link as u8, of.3);
        self.firsts.get(&input).copied()
    }

    /// The channel by which the head of a packet has left the router of a hop.
    fn held(&self, packet: &AttemptRecord, at: usize) -> Option<Channel> {
        let hop = &packet.hops[at];
        if hop.output == NO_OUTPUT {
            return None;
        }
        let vc = packet.hops.get(at + 1).map_or(hop.vc, |next| next.vc);
        Some(channel(self.standstill.port(hop.router, hop.output), vc))
    }

    /// The message that has begun to leave by a channel, and has not left.
    fn holder(&self, of: Channel) -> Option<u32> {
        let mut packets = under_way(self.standstill);
        let holder = packets.find(|packet| {
            let mut hops = packet.hops.iter().enumerate();
            hops.any(|(at, hop)| hop.freed_cycle == NEVER && self.held(packet, at) == Some(of))
        });
        holder.map(|packet| packet.id)
    }

    /// The channels that the first packet at an input waits for, or may.
    fn wanted(&self, first: FirstPacket<'_>) -> Vec<Channel> {
        let (packet, hop) = (first.packet, first.hop());
        if let Some(held) = self.held(packet, first.at) {
            return vec![held];
        }
        let here = self.standstill.port(hop.router, hop.input);
        let offered = self.standstill.offered.iter();
        let mut offered = offered
            .filter(|flit| (flit.from.array, flit.from.instance) == (here.array, here.instance));
        let own = offered.clone().find(|flit| flit.message == Some(packet.id));
        if let Some(flit) = own {
            return vec![channel(flit.from, flit.vc)];
        }
        let kept = &self.standstill.kept;
        let known = kept.taken.get(&(hop.router, hop.vc, packet.destination));
        if let Some(known) = known {
            let port = |link| self.standstill.port(hop.router, link);
            let channels = known.iter().map(|&(link, vc)| channel(port(link), vc));
            return channels.collect();
        }
        let mut taken: Vec<Channel> = Vec::new();
        for packet in under_way(self.standstill) {
            for (at, other) in packet.hops.iter().enumerate() {
                if other.router == hop.router && other.freed_cycle == NEVER {
                    taken.extend(self.held(packet, at));
                }
            }
        }
        taken.extend(offered.by_ref().map(|flit| channel(flit.from, flit.vc)));
        taken.retain(|&(_, _, link, _)| link != here.link);
        taken.sort_unstable();
        taken.dedup();
        taken
    }

    /// The shortest circle found, of sure edges or of all.
    fn circle(&self, only_sure: bool) -> Option<Vec<NodeIndex>> {
        let mut graph = self.graph.clone();
        if only_sure {
            graph.retain_edges(|graph, edge| graph[edge].is_sure);
        }
        let mut best: Option<Vec<NodeIndex>> = None;
        let mut knots = tarjan_scc(&graph);
        knots.iter_mut().for_each(|knot| knot.sort_unstable());
        knots.sort_unstable();
        for &start in knots.iter().flat_map(|knot| knot.iter().take(STARTS_MAX)) {
            let Some(circle) = shortest(&graph, start) else {
                continue;
            };
            if best.as_ref().is_none_or(|best| circle.len() < best.len()) {
                best = Some(circle);
            }
        }
        best
    }

    /// The chain of channels that begins with the packet which has waited longest.
    fn chain(&self) -> Option<Waits> {
        let in_routers = self.firsts.iter().filter_map(|(&input, first)| {
            let hop = first.hop();
            Some((hop.arrived_cycle, first.packet.id, self.came_by(input)?))
        });
        let launched = under_way(self.standstill).filter(|packet| packet.hops.is_empty());
        let at_nodes = launched.map(|packet| {
            let node = LinkPort {
                array: NODES,
                instance: packet.source as usize,
                link: 0,
            };
            (packet.launched_cycle, packet.id, channel(node, 0))
        });
        let (_, mut message, start) = in_routers.min().or_else(|| at_nodes.min())?;
        let mut chain = vec![start];
        let mut last = start;
        while let Some(&node) = self.nodes.get(&last) {
            let edges = self.graph.edges(node);
            let next = edges.min_by_key(|edge| (!edge.weight().is_sure, self.graph[edge.target()]));
            let Some(edge) = next else {
                break;
            };
            message = edge.weight().message;
            last = self.graph[edge.target()];
            chain.push(last);
        }
        let (end, at) = self.reason(last, message);
        // A packet may have its end some links before its head.
        let kept = chain.iter().position(|&of| Some(of) == at);
        chain.truncate(kept.map_or(chain.len(), |kept| kept + 1));
        let links = chain.iter().map(|&of| {
            let first = self.first_of(of);
            self.link(of, first.map_or(message, |first| first.packet.id))
        });
        let fabric = self.standstill.fabric;
        let to = chain.last().and_then(|&last| follow(fabric, output(last)));
        let to = to.map(|(_, to)| to);
        Some(Waits {
            links: links.collect(),
            leads_to: to.map(|to| fabric.instance_name(to.array, to.instance)),
            end: Some(end),
        })
    }

    /// The reason why flits of a message do not go on by the last channel of a chain, and the channel
    /// where they are.
    fn reason(&self, last: Channel, message: u32) -> (String, Option<Channel>) {
        let fabric = self.standstill.fabric;
        let name = |port: LinkPort| fabric.instance_name(port.array, port.instance);
        let link = |port: LinkPort| fabric.arrays[port.array].chip.links[port.link];
        let from = output(last);
        let to = follow(fabric, from).map(|(_, to)| to);
        if let (Some(first), Some(to)) = (self.first_of(last), to) {
            let reason = format!(
                "{} keeps message {}, which came at {} in cycle {}, and none of its outputs is taken",
                name(to),
                first.packet.id,
                link(to),
                first.hop().arrived_cycle
            );
            return (reason, None);
        }
        let mut offered = self.standstill.offered.iter();
        let is_offered = offered.any(|flit| channel(flit.from, flit.vc) == last);
        if let (Some(to), true) = (to, is_offered) {
            let since = match self.since(last) {
                0 => String::new(),
                cycle => format!(" from cycle {cycle} on"),
            };
            let reason = format!(
                "{} takes nothing at {}{since}, though nothing is known to be in its way",
                name(to),
                link(to)
            );
            return (reason, None);
        }
        let holder = self.holder(last).unwrap_or(message);
        let at = self.end_of(holder).unwrap_or(last);
        let here = output(at);
        let reason = format!(
            "{} sends no more of message {holder} at {} from cycle {} on, though nothing is known to be in \
             the way",
            name(here),
            link(here),
            self.since(at)
        );
        let reason = match holder == message {
            true => reason,
            false => format!(
                "{} keeps its output {} for message {holder}: {reason}",
                name(from),
                link(from)
            ),
        };
        (reason, Some(at))
    }

    /// The channel by which the flits of a packet that are to come leave a router: of those that it has
    /// begun to leave by the last one before which flits have come since one moved there, or else the
    /// first one.
    fn end_of(&self, message: u32) -> Option<Channel> {
        let mut packets = under_way(self.standstill);
        let packet = packets.find(|packet| packet.id == message)?;
        let hops = packet.hops.iter().enumerate();
        let open = hops.filter(|(_, hop)| hop.freed_cycle == NEVER);
        let open = open.filter_map(|(at, hop)| {
            let came_by = self.came_by((hop.router, hop.input, hop.vc))?;
            Some((came_by, self.held(packet, at)?))
        });
        let mut keeping = open.clone();
        let keeping =
            keeping.rfind(|&(came_by, left_by)| self.since(came_by) > self.since(left_by));
        keeping.or(open.clone().next()).map(|(_, left_by)| left_by)
    }

    /// The cycle from which on no flit has moved in a channel.
    fn since(&self, of: Channel) -> u64 {
        self.standstill.since(output(of), of.3)
    }

    /// The links of a circle. The message of each is the one that waits for the next.
    fn links(&self, circle: &[NodeIndex]) -> Vec<WaitingLink> {
        let next = circle.iter().cycle().skip(1);
        let links = circle.iter().zip(next).map(|(&node, &next)| {
            let edges = self.graph.edges_connecting(node, next);
            let message = edges.map(|edge| edge.weight().message).min();
            self.link(self.graph[node], message.unwrap_or(0))
        });
        links.collect()
    }

    fn link(&self, of: Channel, message: u32) -> WaitingLink {
        let fabric = self.standstill.fabric;
        let from = output(of);
        WaitingLink {
            router: fabric.instance_name(from.array, from.instance),
            link: fabric.arrays[from.array].chip.links[from.link],
            vc: (self.standstill.channel_bits > 0).then_some(of.3),
            message,
            since_cycle: self.since(of),
        }
    }
}

/// The packets that are under way at the end.
fn under_way<'s>(standstill: &'s Standstill<'_>) -> impl Iterator<Item = &'s AttemptRecord> {
    let packets = standstill.kept.packets.iter();
    packets.filter(|packet| packet.end == EndOfAttempt::UnderWay)
}

/// The first packet at each input and virtual channel.
fn firsts<'s>(standstill: &'s Standstill<'_>) -> BTreeMap<InputChannel, FirstPacket<'s>> {
    let mut firsts: BTreeMap<InputChannel, FirstPacket<'s>> = BTreeMap::new();
    for packet in under_way(standstill) {
        for (at, hop) in packet.hops.iter().enumerate() {
            let input = (hop.router, hop.input, hop.vc);
            // One that came later has left: this one is lost, or set aside.
            let passed = standstill.kept.passed.get(&input);
            let is_passed = passed.is_some_and(|&passed| hop.arrived_cycle < passed);
            if hop.freed_cycle != NEVER || is_passed {
                continue;
            }
            let known = firsts.entry(input).or_insert(FirstPacket { packet, at });
            if hop.arrived_cycle < known.hop().arrived_cycle {
                *known = FirstPacket { packet, at };
            }
        }
    }
    firsts
}

/// The shortest circle through a node, which it begins with.
fn shortest(graph: &DiGraph<Channel, Wait>, start: NodeIndex) -> Option<Vec<NodeIndex>> {
    let mut before: BTreeMap<NodeIndex, NodeIndex> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        let mut targets: Vec<NodeIndex> = graph.neighbors(node).collect();
        targets.sort_unstable();
        for target in targets {
            if target == start {
                let mut circle = vec![node];
                let mut last = node;
                while let Some(&earlier) = before.get(&last) {
                    circle.push(earlier);
                    last = earlier;
                }
                circle.reverse();
                return Some(circle);
            }
            if let Entry::Vacant(unseen) = before.entry(target) {
                unseen.insert(node);
                queue.push_back(target);
            }
        }
    }
    None
}
