//! All to one by a schedule that is known in advance: the reverse of a scatter.
//!
//! A scatter sends one packet from the sink to each other processor along a tree of shortest paths. In each
//! branch the packets leave the sink one step after another, those to the furthest processors first. Behind the
//! sink they follow each other and never meet, so that no packet waits anywhere. All that backwards brings a packet of each
//! processor to the sink: each leaves in a given step, and those of a branch reach the sink one step after another.
//! Theorems 3.3 and 3.5 ask for that.

use std::collections::BTreeMap;

use super::packets::StartedPacket;
use crate::graph::{Graph, GraphHop};
use crate::route::Towards;

/// A packet of every processor but the sink, by ascending source.
///
/// # Panics
/// When the sink is no processor.
///
/// ```
/// use crosswave_frame::graph::Graph;
/// use crosswave_frame::schedule::{gather::gather, packets::run_started};
/// use crosswave_frame::shape::{Family, FrameShape, Growth, ShapeOptions};
/// let options = ShapeOptions {
///     growth: Growth::Unit,
///     ..ShapeOptions::of(Family::AugmentedFatStack)
/// };
/// let stack = FrameShape::with_options(Family::AugmentedFatStack, 4, 2, options)?;
/// let graph = Graph::new(stack);
/// let outcome = run_started(&graph, &gather(&graph, 0));
/// assert_eq!((outcome.steps, outcome.longest_queue), (16, 1));
/// # Ok::<(), crosswave_frame::shape::ShapeError>(())
/// ```
pub fn gather(graph: &Graph, sink: u32) -> Vec<StartedPacket> {
    assert!(graph.processors().contains(&sink), "found sink {sink}");
    let towards = Towards::by_hops(graph, sink);
    let route = |source: u32| {
        let mut route = Vec::new();
        let mut node = source;
        while node != sink {
            let arc = towards.next(node).next().expect("the network is connected");
            route.push(arc.hop);
            node = arc.to;
        }
        route
    };
    // The branches of the tree, by the link into the sink.
    let mut branches: BTreeMap<GraphHop, Vec<(u32, Vec<GraphHop>)>> = BTreeMap::new();
    for source in graph.processors().filter(|&source| source != sink) {
        let route = route(source);
        let last = *route.last().expect("another processor");
        branches.entry(last).or_default().push((source, route));
    }
    let mut packets = Vec::new();
    let mut steps = 0;
    for mut branch in branches.into_values() {
        branch.sort_by_key(|(source, route)| (std::cmp::Reverse(route.len()), *source));
        for (before, (source, route)) in (0..).zip(branch) {
            // The step in which the scatter would bring it to its processor.
            let arrives: u64 = before + route.len() as u64;
            steps = steps.max(arrives);
            packets.push(StartedPacket {
                source,
                route,
                start: arrives,
            });
        }
    }
    for packet in &mut packets {
        packet.start = steps + 1 - packet.start;
    }
    packets.sort_by_key(|packet| packet.source);
    packets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::packets::run_started;
    use crate::shape::{Family, FrameShape, Growth, ShapeOptions};

    /// Links of one wire, sinks at any place: nothing waits, and no step is lost but for the way of the packet
    /// that comes first.
    #[test]
    fn nothing_waits() {
        for family in Family::ALL {
            for levels in 1..=3 {
                let options = ShapeOptions {
                    growth: Growth::Unit,
                    ..ShapeOptions::of(family)
                };
                let shape = FrameShape::with_options(family, 4, levels, options).unwrap();
                let graph = Graph::new(shape);
                for sink in graph.processors().step_by(5) {
                    let packets = gather(&graph, sink);
                    assert_eq!(packets.len() + 1, graph.processors().len());
                    let outcome = run_started(&graph, &packets);
                    assert_eq!(outcome.longest_queue, 1, "{family} {levels} {sink}");
                    assert!(packets.iter().any(|packet| packet.start == 1));
                    let longest = packets.iter().map(|packet| {
                        let hops = packet.route.len() as u64;
                        packet.start + hops - 1
                    });
                    assert_eq!(longest.max(), Some(outcome.steps));
                    assert!(outcome.steps < packets.len() as u64 + outcome.dilation);
                }
            }
        }
    }
}
