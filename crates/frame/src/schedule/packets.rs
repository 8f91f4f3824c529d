//! Packets with routes on a whole network, by the greedy scheme: every link sends in every
//! step as many of the packets that wait for it as it has wires, those first that came first.
//!
//! Packets that come in the same step stand in the order in which they were sent, and of one step in
//! that of the hops that they came by. A run costs
//! time in proportion to hops of packets, times a logarithm.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::graph::{Graph, GraphHop};

/// The result of a schedule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PacketOutcome {
    /// Steps until the last packet has arrived.
    pub steps: u64,
    /// The most packets that wait for one direction of a link, before the first step or after
    /// any.
    pub longest_queue: u64,
    /// Congestion: the most packets that take one direction of a link.
    pub congestion: u64,
    /// Dilation: the most hops of a packet.
    pub dilation: u64,
}

/// A packet with its route and the step in which it takes the first link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartedPacket {
    /// The node that sends it.
    pub source: u32,
    /// The links on its way.
    pub route: Vec<GraphHop>,
    /// The step, from 1 on.
    pub start: u64,
}

/// Sends one packet along each route. A link takes a step.
///
/// # Panics
/// When a route does not lead from node to node.
pub fn run<'a>(graph: &Graph, routes: impl IntoIterator<Item = &'a [GraphHop]>) -> PacketOutcome {
    run_delayed(graph, routes, &vec![1; graph.links().len()])
}

/// The same on wires that hold several packets behind each other: a link takes so many steps, by
/// its number, and a packet can be sent in each.
///
/// # Panics
/// When a route does not lead from node to node, a link has no delay or one of 0 steps.
pub fn run_delayed<'a>(
    graph: &Graph,
    routes: impl IntoIterator<Item = &'a [GraphHop]>,
    delays: &[u64],
) -> PacketOutcome {
    run_all(graph, routes.into_iter().map(|route| (route, 1)), delays)
}

/// The same of packets that take their first link in a given step, at the earliest. They do not count as waiting
/// before. A link takes a step.
///
/// # Panics
/// As [`run`], and when a step is 0.
pub fn run_started(graph: &Graph, packets: &[StartedPacket]) -> PacketOutcome {
    let delays = vec![1; graph.links().len()];
    let started = packets.iter().map(|packet| {
        assert!(packet.start > 0, "steps begin with 1");
        (packet.route.as_slice(), packet.start)
    });
    run_all(graph, started, &delays)
}

/// Sends packets, each by a route from a step on.
fn run_all<'a>(
    graph: &Graph,
    packets: impl IntoIterator<Item = (&'a [GraphHop], u64)>,
    delays: &[u64],
) -> PacketOutcome {
    assert_eq!(delays.len(), graph.links().len(), "a delay for each link");
    assert!(delays.iter().all(|&delay| delay > 0), "a link takes steps");
    let (routes, starts): (Vec<&[GraphHop]>, Vec<u64>) = packets.into_iter().unzip();
    let mut outcome = PacketOutcome::default();
    let hops = graph.links().len() * 2;
    let (mut queues, mut loads) = (vec![VecDeque::new(); hops], vec![0; hops]);
    // The directions of links that packets wait for.
    let mut busy = BTreeSet::new();
    // Packets that come to their next link, by the step in which they do: from wires and, in the step before they
    // start, from processors.
    let mut flying: BTreeMap<u64, Vec<(usize, usize)>> = BTreeMap::new();
    for (packet, route) in routes.iter().enumerate() {
        let joined = |pair: &[GraphHop]| graph.ends(pair[0]).1 == graph.ends(pair[1]).0;
        assert!(route.windows(2).all(joined), "a route leads on");
        outcome.dilation = outcome.dilation.max(route.len() as u64);
        for hop in *route {
            loads[hop.index()] += 1;
        }
        match (route.first(), starts[packet]) {
            (Some(first), 1) => {
                queues[first.index()].push_back((packet, 0));
                busy.insert(first.index());
            }
            (Some(_), start) => flying.entry(start - 1).or_default().push((packet, 0)),
            (None, _) => {}
        }
    }
    outcome.congestion = loads.iter().copied().max().unwrap_or(0);
    outcome.longest_queue = longest(&queues, &busy);
    let mut step = 0;
    loop {
        // Steps in which nothing is sent are passed over.
        step = match (busy.is_empty(), flying.first_key_value()) {
            (false, _) => step + 1,
            (true, Some((&next, _))) => next,
            (true, None) => return outcome,
        };
        for &hop in &busy {
            let wires = graph.links()[hop / 2].capacity as usize;
            let sent = wires.min(queues[hop].len());
            let arriving = flying.entry(step + delays[hop / 2] - 1).or_default();
            let sent = queues[hop].drain(..sent);
            arriving.extend(sent.map(|(packet, taken)| (packet, taken + 1)));
        }
        busy.retain(|&hop| !queues[hop].is_empty());
        let Some(arrived) = flying.remove(&step) else {
            continue;
        };
        for (packet, taken) in arrived {
            if taken > 0 {
                outcome.steps = step;
            }
            if let Some(next) = routes[packet].get(taken) {
                queues[next.index()].push_back((packet, taken));
                busy.insert(next.index());
            }
        }
        outcome.longest_queue = outcome.longest_queue.max(longest(&queues, &busy));
    }
}

fn longest<T>(queues: &[VecDeque<T>], busy: &BTreeSet<usize>) -> u64 {
    let lengths = busy.iter().map(|&hop| queues[hop].len() as u64);
    lengths.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::climb::tree_route;
    use crate::shape::{Family, FrameShape, Growth, ShapeOptions};

    fn unit(family: Family, ring: u32, levels: u32) -> Graph {
        let options = ShapeOptions {
            growth: Growth::Unit,
            ..ShapeOptions::of(family)
        };
        Graph::new(FrameShape::with_options(family, ring, levels, options).unwrap())
    }

    fn outcome(graph: &Graph, pairs: &[(u32, u32)]) -> PacketOutcome {
        let routes: Vec<Vec<GraphHop>> = pairs
            .iter()
            .map(|&(source, destination)| tree_route(graph, source, destination, 0))
            .collect();
        run(graph, routes.iter().map(Vec::as_slice))
    }

    #[test]
    fn one_packet_takes_its_hops() {
        let stack = unit(Family::GeneralFatStack, 4, 3);
        for (a, b) in [(0, 0), (0, 1), (0, 2), (0, 63), (21, 42)] {
            let alone = outcome(&stack, &[(a, b)]);
            assert_eq!(alone.steps, tree_route(&stack, a, b, 0).len() as u64);
            assert_eq!(alone.steps, alone.dilation);
            assert!(alone.longest_queue <= 1);
        }
        assert_eq!(run(&stack, []), PacketOutcome::default());
    }

    /// Wires hold packets: the second comes a step behind the first, however long they are.
    #[test]
    fn wires_are_pipelines() {
        let tree = unit(Family::ButterflyFatTree, 4, 2);
        let route = tree_route(&tree, 0, 15, 0);
        let delays: Vec<u64> = tree
            .links()
            .iter()
            .map(|link| 3 + 4 * u64::from(link.level))
            .collect();
        let along: u64 = route.iter().map(|hop| delays[hop.link as usize]).sum();
        for packets in 1..5 {
            let routes = vec![route.as_slice(); packets as usize];
            let outcome = run_delayed(&tree, routes, &delays);
            assert_eq!(outcome.steps, along + packets - 1);
        }
    }

    /// All processors to number 0 of a tree of unit links: its one link takes a packet a step, the
    /// nearest packet being two hops away.
    #[test]
    fn all_to_one() {
        for levels in 1..=3 {
            let tree = unit(Family::AugmentedFatStack, 4, levels);
            let pairs: Vec<(u32, u32)> = tree.processors().skip(1).map(|from| (from, 0)).collect();
            let all = outcome(&tree, &pairs);
            assert_eq!(all.congestion, pairs.len() as u64);
            assert_eq!(all.steps, pairs.len() as u64 + 1);
        }
    }

    /// With doubled capacities the root's wires take what a subtree of 16 sends two at a time.
    #[test]
    fn links_take_as_many_packets_as_they_have_wires() {
        let pairs: Vec<(u32, u32)> = (0..64).map(|from| (from, from ^ 32)).collect();
        let doubled = Graph::new(FrameShape::new(Family::ButterflyFatTree, 4, 3).unwrap());
        let fast = outcome(&doubled, &pairs);
        let slow = outcome(&unit(Family::ButterflyFatTree, 4, 3), &pairs);
        assert_eq!((slow.congestion, fast.congestion), (16, 16));
        // Level 2 sends 16 packets upwards by 4 wires in steps 3 to 6, and three steps lead down;
        // by one wire it takes 12 steps more.
        assert_eq!((fast.steps, slow.steps), (9, 21));
    }
}
