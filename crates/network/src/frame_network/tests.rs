use super::*;
use crate::topology::Topology;
use crosswave_frame::shape::ShapeOptions;

/// Networks of all families with two and three levels, of all options that have a chip.
fn networks() -> Vec<FrameNetwork> {
    let mut networks = Vec::new();
    for family in Family::ALL {
        for (ring, levels) in [(3, 2), (4, 1), (4, 2), (4, 3)] {
            for leaf_links in [false, true] {
                for ring_capacity in [RingCapacity::Copies, RingCapacity::Upward] {
                    for growth in [Growth::Doubling, Growth::Unit] {
                        let options = ShapeOptions {
                            form: SwitchForm::Split,
                            leaf_links,
                            ring_capacity,
                            growth,
                        };
                        let shape = FrameShape::with_options(family, ring, levels, options);
                        let shape = shape.ok().filter(|&shape| has_chip(shape));
                        networks.extend(
                            shape.map(|shape| FrameNetwork::new(shape, LinkDelays::Uniform(0), 1)),
                        );
                    }
                }
            }
        }
    }
    networks
}

/// The bytes of a way lead through the built fabric to the destination, and to nobody else.
#[test]
fn ways_lead_to_their_destinations() {
    let networks = networks();
    assert!(networks.len() > 20, "{}", networks.len());
    for network in networks {
        let fabric = network.fabric();
        let links = network.switch_chip().links.len();
        let first_node = links * fabric.arrays[ROUTERS].instances;
        for source in 0..network.nodes() {
            for destination in (0..network.nodes()).filter(|&node| node != source) {
                let route = network.route(source, destination);
                assert!(route.bytes.len() <= hops(network.shape()) as usize);
                let mut at = fabric.peers[first_node + source as usize] as usize;
                for &byte in &route.bytes {
                    assert!(
                        at < first_node,
                        "{source} to {destination} in {}",
                        network.shape()
                    );
                    at = fabric.peers[at / links * links + usize::from(byte)] as usize;
                }
                assert_eq!(at, first_node + destination as usize, "{}", network.shape());
            }
        }
    }
}

/// Every link of the graph is one of the fabric, and the longest way is not longer than is said.
#[test]
fn links_and_ways_are_those_of_the_graph() {
    for network in networks() {
        let fabric = network.fabric();
        let joined = fabric.peers.iter().filter(|&&peer| peer != OPEN).count();
        let own = match network.has_leaf_switches() {
            true => network.nodes() as usize,
            false => 0,
        };
        assert_eq!(joined, 2 * (network.graph().links().len() + own));
        let nodes = 0..network.nodes();
        let pairs = nodes
            .clone()
            .flat_map(|a| nodes.clone().map(move |b| (a, b)));
        let longest = pairs.map(|(a, b)| network.route(a, b).bytes.len()).max();
        let most = hops(network.shape()) as usize;
        // Links within a level are used where they save switches.
        match network.shape().family() {
            Family::AugmentedFatStack | Family::FatPyramid => {
                assert!(longest.is_some_and(|longest| longest <= most));
            }
            _ => assert_eq!(longest, Some(most), "{}", network.shape()),
        }
    }
}

/// Delay lines are between the ends of links, as many on each as its length asks for.
#[test]
fn wires_are_as_long_as_in_the_layout() {
    let mut longest = 0;
    for plain in networks() {
        let shape = plain.shape();
        let lengths = FrameLayout::new(plain.graph()).lengths().to_vec();
        for cells_per_cycle in [1, 3] {
            let delays = LinkDelays::Layout { cells_per_cycle };
            let network = FrameNetwork::new(shape, delays, 1);
            longest = longest.max(network.longest_delay());
            let expected = lengths
                .iter()
                .map(|&length| (length.max(1) - 1) / cells_per_cycle);
            assert_eq!(network.delay_lines() as u32, expected.sum::<u32>());
            let fabric = network.fabric();
            for (link, &length) in (0..).zip(&lengths) {
                let hop = GraphHop {
                    link,
                    forward: true,
                };
                let (mut to, mut lines) = (fabric.peer(network.link_port(hop)), 0);
                while let Some(line) = to.filter(|at| at.array == LINES) {
                    lines += 1;
                    to = fabric.peer(LinkPort {
                        link: 1 - line.link,
                        ..line
                    });
                }
                assert_eq!(to, Some(network.link_port(hop.reversed())), "{shape}");
                assert_eq!(lines, (length.max(1) - 1) / cells_per_cycle, "{shape}");
            }
        }
    }
    assert!(longest > 3, "{longest}");
}
