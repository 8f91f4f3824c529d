use std::collections::VecDeque;

use super::config::TreeConfig;
use super::ways::Choice;
use super::*;
use crate::path::Path;
use crate::topology::Topology;
use crosswave_oblivious::failures::TreeFailure;
use crosswave_oblivious::routing::named::NamedRouting;
use crosswave_oblivious::table::{PathTable, WeightedPath};
use crosswave_oblivious::tree::{LinkDirection, TreeLink, Vertex};

mod told;

const CIRCUITS: Switching = Switching::Circuits(Circuits {
    winner_fixed: false,
    release: Release::Acknowledge,
    strategy: 0,
    backoff_limit: 0,
});
const PACKETS: Switching = Switching::Packets { queue_packets: 1 };

fn network(ports: u32, levels: u32, routing: NamedRouting, switching: Switching) -> MportTree {
    let tree = PortTree::new(ports, levels).unwrap();
    let routing = routing.routing(tree, 2, 1).unwrap();
    MportTree::new(PathSet::new(routing, Choice::RoundRobin, 1), switching)
}

/// The top switch of a message.
fn top(ways: &PathSet, source: u32, destination: u32, before: u32) -> u32 {
    let way = ways.way(source, destination, before);
    ways.shares(source, destination)[way as usize].top
}

/// The place of a vertex of the paper in the fabric.
fn placed(network: &MportTree, vertex: Vertex) -> (usize, usize) {
    match vertex {
        Vertex::Node(node) => (NODES, node as usize),
        Vertex::Switch { level, number } => {
            let level = network.tree.opposite(level);
            (ROUTERS, network.instance(level, number))
        }
    }
}

/// Every link of the paper's structure is there, between the ports that a header names, and no other.
#[test]
fn the_fabric_is_the_tree() {
    for (ports, levels) in [
        (2, 1),
        (2, 3),
        (4, 1),
        (4, 2),
        (4, 3),
        (6, 3),
        (8, 2),
        (12, 2),
        (4, 5),
    ] {
        for switching in [CIRCUITS, PACKETS] {
            let network = network(ports, levels, NamedRouting::DModK, switching);
            let (tree, fabric) = (network.tree, network.fabric());
            let joined = fabric.peers.iter().filter(|&&peer| peer != OPEN).count();
            assert_eq!(joined, tree.links() as usize, "{tree}");
            for instance in 0..tree.switches() as usize {
                let (level, number) = network.place(instance);
                assert_eq!(network.instance(level, number), instance);
            }
            for (level, number) in (0..levels).flat_map(|l| (0..tree.nodes()).map(move |i| (l, i)))
            {
                let direction = LinkDirection::Up;
                let (lower, upper) = tree.ends(TreeLink {
                    level,
                    direction,
                    number,
                });
                let [(array, instance), above] = [lower, upper].map(|end| placed(&network, end));
                let links = fabric.arrays[array].chip.links.len();
                let ends = (0..links).filter_map(|link| {
                    fabric.peer(LinkPort {
                        array,
                        instance,
                        link,
                    })
                });
                let found = ends.filter(|far| (far.array, far.instance) == above);
                assert_eq!(found.count(), 1, "{tree}: {lower:?} to {upper:?}");
            }
        }
    }
}

/// Properties 1 to 3, by breadth-first search in the fabric: switches and nodes as many as said;
/// shortest paths of a pair as long, and as many, as the tree says.
#[test]
fn distances_and_numbers_of_shortest_paths_are_those_of_the_paper() {
    for (ports, levels) in [(4, 2), (4, 3), (6, 2), (8, 2)] {
        let network = network(ports, levels, NamedRouting::DModK, CIRCUITS);
        let (tree, fabric) = (network.tree, network.fabric());
        let half = ports / 2;
        assert_eq!(tree.nodes(), 2 * half.pow(levels));
        assert_eq!(
            fabric.arrays[ROUTERS].instances as u32,
            (2 * levels - 1) * half.pow(levels - 1)
        );
        let switches = fabric.arrays[ROUTERS].instances;
        for source in 0..tree.nodes() {
            // Distance and number of shortest paths, switches first and then nodes.
            let mut found = vec![(usize::MAX, 0u64); switches + fabric.nodes];
            let place = |at: LinkPort| match at.array {
                ROUTERS => at.instance,
                _ => switches + at.instance,
            };
            found[switches + source as usize] = (0, 1);
            let mut queue = VecDeque::from([switches + source as usize]);
            while let Some(at) = queue.pop_front() {
                let (array, instance) = match at.checked_sub(switches) {
                    None => (ROUTERS, at),
                    Some(node) => (NODES, node),
                };
                let (distance, paths) = found[at];
                for link in 0..fabric.arrays[array].chip.links.len() {
                    let near = LinkPort {
                        array,
                        instance,
                        link,
                    };
                    let Some(far) = fabric.peer(near).map(place) else {
                        continue;
                    };
                    if found[far].0 == usize::MAX {
                        found[far].0 = distance + 1;
                        queue.push_back(far);
                    }
                    if found[far].0 == distance + 1 {
                        found[far].1 += paths;
                    }
                }
            }
            for destination in (0..tree.nodes()).filter(|&node| node != source) {
                let (distance, paths) = found[switches + destination as usize];
                let meeting = tree.meeting_height(source, destination);
                assert_eq!(distance as u32, 2 * (meeting + 1), "{tree}");
                assert_eq!(paths, u64::from(tree.tops(source, destination)), "{tree}");
            }
        }
    }
}

/// Every routing's header leads to the destination, through the top switch that it names.
#[test]
fn routes_lead_to_their_destinations() {
    let mut routings = 0;
    for (ports, levels) in [(2, 2), (4, 2), (4, 3), (6, 2), (8, 2), (8, 3)] {
        for (name, routing) in NamedRouting::ALL {
            if routing
                .check(PortTree::new(ports, levels).unwrap())
                .is_err()
            {
                continue;
            }
            let network = network(ports, levels, routing, CIRCUITS);
            let (tree, fabric) = (network.tree, network.fabric());
            let pairs = (0..tree.nodes()).flat_map(|a| (0..tree.nodes()).map(move |b| (a, b)));
            for (source, destination) in pairs.filter(|(a, b)| a != b).step_by(7) {
                let path = Path::of(&network, &fabric, source, destination, 0);
                let meeting = tree.meeting_height(source, destination);
                assert_eq!(path.routers() as u32, 2 * meeting + 1, "{name} on {tree}");
                let bytes = network.route(source, destination).bytes;
                assert_eq!(bytes.len() as u32, 2 * meeting + 1);
                // The label that is told is that of the switch on the path.
                let top = network.ways().shares(source, destination)[0].top;
                let turn = tree.link_of(destination, meeting, top, LinkDirection::Up);
                let label = tree.label(tree.ends(turn).1).to_string();
                let reads = network.reads(crate::topology::OnPath {
                    source,
                    destination,
                    chip: meeting + 1,
                    arrived: 0,
                    draw: false,
                    way: 0,
                });
                assert!(reads.starts_with(&label), "{reads} at {label}");
            }
            routings += 1;
        }
    }
    // All but those for trees of other levels.
    assert!(routings > 3 * NamedRouting::ALL.len(), "{routings}");
}

/// Round robin takes every path of a pair as often as its share says.
#[test]
fn messages_are_spread_over_the_paths_of_their_pair() {
    let tree = PortTree::new(8, 3).unwrap();
    for (routing, paths) in [(NamedRouting::Omrmn, 16), (NamedRouting::DModK, 2)] {
        let ways = PathSet::new(routing.routing(tree, 2, 1).unwrap(), Choice::RoundRobin, 1);
        let tops = |messages: u32| {
            let mut tops: Vec<u32> = (0..messages)
                .map(|before| top(&ways, 3, 77, before))
                .collect();
            tops.sort_unstable();
            tops
        };
        let once = tops(paths);
        assert!(once.windows(2).all(|pair| pair[0] != pair[1]), "{once:?}");
        let thrice = tops(3 * paths);
        assert!(thrice.chunks(3).all(|three| three[0] == three[2]));
    }
    // Weights of 3 and 1: the rarer path comes in every four messages, and never twice in a row.
    let paths = [(0, 3), (1, 1)].map(|(top, weight)| WeightedPath {
        source: 0,
        destination: 77,
        top,
        weight,
    });
    let mut all: Vec<WeightedPath> = paths.to_vec();
    let pairs = (0..128).flat_map(|a| (0..128).map(move |b| (a, b)));
    all.extend(
        pairs
            .filter(|&(a, b)| a != b && (a, b) != (0, 77))
            .map(|(source, destination)| WeightedPath {
                source,
                destination,
                top: 0,
                weight: 1,
            }),
    );
    let table = PathTable::new(tree, "weights", all).unwrap();
    let ways = PathSet::new(Arc::new(table), Choice::RoundRobin, 1);
    let tops: Vec<u32> = (0..12).map(|before| top(&ways, 0, 77, before)).collect();
    for four in tops.chunks(4) {
        assert_eq!(four.iter().sum::<u32>(), 1, "{tops:?}");
    }
    // At random each of sixteen paths is taken, none by far more often than others.
    let ways = PathSet::new(
        NamedRouting::Omrmn.routing(tree, 1, 1).unwrap(),
        Choice::Random,
        1,
    );
    let mut counts = [0; 16];
    (0..1600).for_each(|before| counts[top(&ways, 3, 77, before) as usize] += 1);
    assert!(
        counts.iter().all(|count| (60..140).contains(count)),
        "{counts:?}"
    );
}

/// FT(48, 3) has 27,648 nodes.
#[test]
fn trees_of_real_size_are_built() {
    let tree = PortTree::new(48, 3).unwrap();
    let config = TreeConfig::new(tree);
    let ways = PathSet::new(config.routing(), Choice::RoundRobin, 1);
    let fabric = MportTree::new(ways, PACKETS).fabric();
    assert_eq!(fabric.nodes, 27_648);
    assert_eq!(fabric.arrays[ROUTERS].instances, 2_880);
    let joined = fabric.peers.iter().filter(|&&peer| peer != OPEN).count();
    assert_eq!(joined, 6 * 27_648);
}

#[test]
fn headers_have_room_for_the_ways_of_all_trees() {
    let expected = [
        (2, 10),
        (4, 10),
        (6, 7),
        (8, 7),
        (16, 5),
        (32, 4),
        (34, 3),
        (64, 3),
    ];
    for (ports, levels) in expected {
        assert_eq!(packet_levels_max(ports), levels, "{ports}");
        let hops = 2 * levels - 1;
        assert!(hops * bits(ports) <= mport_packet_switch::ROUTE_BITS);
        assert!((hops + 2) * bits(ports) > mport_packet_switch::ROUTE_BITS);
    }
}

/// A link that has failed, be it of a node, is not there, and all others are.
#[test]
fn links_that_have_failed_are_left_out() {
    let mut tried = 0;
    for (ports, levels) in [(2, 1), (4, 1), (4, 2), (4, 3), (6, 2)] {
        for switching in [CIRCUITS, PACKETS] {
            let network = network(ports, levels, NamedRouting::DModK, switching);
            let (tree, intact) = (network.tree, network.fabric());
            for index in 0..tree.links() as usize {
                let link = tree.link(index);
                let failures = Failures::new(tree, [TreeFailure::Link(link)]);
                let fabric = network.clone().with_failures(failures).fabric();
                let (from, to) = tree.ends(link);
                let ends = [from, to].map(|end| placed(&network, end));
                for (number, &peer) in (0..).zip(&intact.peers) {
                    let joins = |peer: u32| {
                        let of = |number| {
                            let port: LinkPort = intact.link_port(number);
                            (port.array, port.instance)
                        };
                        peer != OPEN && ends.contains(&of(number)) && ends.contains(&of(peer))
                    };
                    let expected = if joins(peer) { OPEN } else { peer };
                    assert_eq!(fabric.peers[number as usize], expected, "{tree}: {link:?}");
                }
                let open = |fabric: &Fabric| fabric.peers.iter().filter(|&&p| p == OPEN).count();
                assert_eq!(open(&fabric), open(&intact) + 2);
                tried += 1;
            }
        }
    }
    // 2n links a node, of 2, 4, 8, 16 and 18 nodes.
    assert_eq!(tried, 2 * (2 * 2 + 4 * 2 + 8 * 4 + 16 * 6 + 18 * 4));
}

/// Each option of circuits reaches its pins alone.
#[test]
fn options_are_pins() {
    let options = |circuits| {
        let network = network(6, 2, NamedRouting::DModK, Switching::Circuits(circuits));
        let fabric = network.fabric();
        let of = |array: usize, name| {
            let array = &fabric.arrays[array];
            [0, array.instances - 1].map(|instance| array.pin(array.chip.port(name), instance))
        };
        let switches = ["winner_fixed", "early_acknowledge"].map(|name| of(ROUTERS, name));
        let nodes = ["strategy", "backoff_limit", "early_acknowledge"].map(|name| of(NODES, name));
        assert_eq!(of(NODES, "node"), [0, 17]);
        let pairs = switches.into_iter().chain(nodes);
        let values: Vec<u64> = pairs
            .map(|[first, last]| {
                assert_eq!(first, last);
                first
            })
            .collect();
        let random = [ROUTERS, NODES].map(|array| fabric.arrays[array].random);
        (values, random)
    };
    let Switching::Circuits(none) = CIRCUITS else {
        panic!("circuits");
    };
    assert_eq!(options(none), (vec![0, 0, 0, 0, 0], [true, false]));
    let fixed = Circuits {
        winner_fixed: true,
        ..none
    };
    assert_eq!(options(fixed), (vec![1, 0, 0, 0, 0], [false, false]));
    let early = Circuits {
        release: Release::EarlyAcknowledge,
        ..none
    };
    assert_eq!(options(early), (vec![0, 1, 0, 0, 1], [true, false]));
    let strategy = Circuits {
        strategy: 2,
        ..none
    };
    assert_eq!(options(strategy), (vec![0, 0, 2, 0, 0], [true, false]));
    for limit in [1, 7] {
        let backoff = Circuits {
            backoff_limit: limit,
            ..none
        };
        assert_eq!(options(backoff), (vec![0, 0, 0, limit, 0], [true, true]));
    }
    // Switches whose outputs the tail frees are another chip, which has no such pin.
    let tail = Circuits {
        release: Release::Tail,
        ..none
    };
    let network = network(6, 2, NamedRouting::DModK, Switching::Circuits(tail));
    let fabric = network.fabric();
    let [switches, nodes] = [ROUTERS, NODES].map(|array| &fabric.arrays[array]);
    assert_eq!(switches.chip.name, "mport_tail_switch_8");
    let fixed = switches.chip.port("winner_fixed");
    assert_eq!(switches.pin(fixed, 0), 0);
    assert_eq!(
        nodes.pin(nodes.chip.port("early_acknowledge"), 0),
        0,
        "receivers acknowledge behind the tail"
    );
}

/// By hand: of four paths alike the step is 3, the first from 4 * 0.618 on without a divisor in
/// common with 4, and source s begins s steps on.
#[test]
fn neighbours_begin_at_different_paths() {
    let tree = PortTree::new(8, 2).unwrap();
    let routing = NamedRouting::Omrmn.routing(tree, 1, 1).unwrap();
    let ways = |choice, seed| PathSet::new(routing.clone(), choice, seed);
    let tops = |ways: &PathSet, source, destination, messages: u32| -> Vec<u32> {
        (0..messages)
            .map(|before| top(ways, source, destination, before))
            .collect()
    };
    let in_turn = ways(Choice::RoundRobin, 1);
    assert_eq!(tops(&in_turn, 0, 9, 5), [0, 3, 2, 1, 0]);
    assert_eq!(tops(&in_turn, 1, 9, 5), [3, 2, 1, 0, 3]);
    assert_eq!(tops(&in_turn, 2, 30, 2), [2, 1]);
    // Random ones differ by each end of the pair, and by the seed.
    let random = ways(Choice::Random, 1);
    let some = tops(&random, 0, 9, 40);
    assert_ne!(some, tops(&random, 1, 9, 40));
    assert_ne!(some, tops(&random, 0, 8, 40));
    assert_ne!(some, tops(&ways(Choice::Random, 2), 0, 9, 40));
}
