use std::collections::{BTreeMap, BTreeSet};

use super::clocks::RouteClocks;
use super::shape::STACK_SIDE_FEET;
use super::*;
use crosswave_base::random;
use crosswave_chips::rotated;
use crosswave_chips::routing::bidelta::route;

fn bidelta(stages: u32, wires: StageWires) -> Bidelta {
    Bidelta {
        stages,
        wires,
        loop_back: LOOP_BACK_CYCLES,
        interface: Interface {
            strategy: 0,
            backoff_limit: 0,
            turns: 0,
            reply_words: 1,
            reply_delay: 0,
            close_drop: false,
        },
    }
}

#[test]
fn every_port_has_a_peer_that_leads_back() {
    for stages in 2..=6 {
        for wires in [
            StageWires::Geometry,
            StageWires::Given((0..stages - 1).map(|stage| stage % 3).collect()),
        ] {
            let fabric = bidelta(stages, wires).fabric();
            assert_eq!(
                fabric.arrays[ROUTERS].instances,
                (stages << (2 * stages - 2)) as usize
            );
            for (number, &peer) in (0..).zip(&fabric.peers) {
                assert_ne!(peer, OPEN, "{stages} {:?}", fabric.link_port(number));
                assert_eq!(fabric.peers[peer as usize], number);
                let back = fabric.rotation(number) + fabric.rotation(peer);
                assert_eq!(back % 4, 0);
            }
        }
    }
}

/// Links of the next stages are found by another thread then, which must not wait for ever.
#[test]
#[should_panic(expected = "RN1 has five bits for it")]
fn a_delay_that_is_too_long_is_a_panic_in_a_large_network_too() {
    let stages = FOUND_AHEAD_FROM_NODES.ilog(4);
    let wires = StageWires::Given((1..stages).map(|_| LINK_DELAY_CYCLES_MAX + 1).collect());
    bidelta(stages, wires).fabric();
}

#[test]
fn nodes_and_instances_are_told_apart() {
    for stages in STAGES_MIN..=STAGES_MAX {
        let network = bidelta(stages, StageWires::Geometry);
        for node in (0..network.nodes()).step_by(1 + network.nodes() as usize / 5000) {
            let instance = network.node_instance(node);
            assert_eq!(network.node_of_instance(instance), node);
        }
    }
}

/// Follows all paths from a node to another one through the links of the fabric, and
/// returns the routers in each stage with the number of paths to each.
fn paths(
    network: &Bidelta,
    fabric: &Fabric,
    source: u32,
    destination: u32,
) -> Vec<BTreeMap<usize, u64>> {
    let follow = |mut from: LinkPort| loop {
        let to = fabric.peer(from).expect("no link is open");
        if to.array != DELAY_LINES {
            return to;
        }
        from = LinkPort {
            link: 1 - to.link,
            ..to
        };
    };
    let mut arriving: BTreeMap<(usize, usize), u64> = BTreeMap::new();
    for side in 0..2 {
        let to = follow(LinkPort {
            array: NODES,
            instance: network.node_instance(source),
            link: rn1_interface::T0 + side,
        });
        *arriving.entry((to.instance, to.link)).or_default() += 1;
    }
    let mut stages = Vec::new();
    for stage in 0..network.stages {
        let mut routers: BTreeMap<usize, u64> = BTreeMap::new();
        let mut next: BTreeMap<(usize, usize), u64> = BTreeMap::new();
        let direction = destination >> (2 * (network.stages - 1 - stage)) & 3;
        for ((router, input), count) in arriving {
            *routers.entry(router).or_default() += count;
            let last = fabric.arrays[ROUTERS].pin(rn1::PORT_TWO_CROSSBARS, router) != 0;
            let outputs = match (last, input < 4) {
                (false, _) => 0..2,
                (true, true) => 0..1,
                (true, false) => 1..2,
            };
            for equivalent in outputs {
                let to = follow(LinkPort {
                    array: ROUTERS,
                    instance: router,
                    link: SIDE + 2 * direction as usize + equivalent,
                });
                if stage + 1 == network.stages {
                    assert_eq!(to.array, NODES);
                    assert_eq!(network.node_of_instance(to.instance), destination);
                } else {
                    *next.entry((to.instance, to.link)).or_default() += count;
                }
            }
        }
        stages.push(routers);
        arriving = next;
    }
    stages
}

/// Full dispersion (section 2.3.3): all paths lead to the destination; they double
/// behind every stage but the last, and the routers they lie on do so too as long as
/// the group has enough.
#[test]
fn paths_double_in_every_stage() {
    for stages in 2..=8 {
        let network = bidelta(stages, StageWires::Geometry);
        let fabric = network.fabric();
        let all = network.nodes();
        for (source, destination) in [(0, all - 1), (all / 3, all / 7), (5, 6), (all - 1, 0)] {
            let paths = paths(&network, &fabric, source, destination);
            let mut distinct = 2;
            for (stage, routers) in paths.iter().enumerate() {
                assert_eq!(routers.values().sum::<u64>(), 2 << stage);
                let shape = network.shape();
                let StackLayer { stack, layer, .. } = shape.layer(stage as u32);
                let of_group = match stage as u32 + 1 == stages {
                    true => 2,
                    false => 1 << (shape.position_bits(stack) - 2 * layer),
                };
                assert_eq!(routers.len(), distinct.min(of_group), "{stages} {stage}");
                // No router is critical.
                assert!(routers.len() >= 2);
                distinct = 2 * routers.len();
            }
        }
    }
}

/// Two sides of a node lie on different routers, at the entrance and at the exit.
#[test]
fn both_sides_of_a_node_are_on_different_routers() {
    for stages in 2..=6 {
        let network = Bidelta {
            loop_back: 0,
            ..bidelta(stages, StageWires::Geometry)
        };
        let fabric = network.fabric();
        for instance in 0..fabric.nodes {
            let routers: BTreeSet<usize> = [rn1_interface::T0, rn1_interface::R0]
                .iter()
                .flat_map(|&first| [first, first + 1])
                .map(|link| {
                    let array = NODES;
                    let port = LinkPort {
                        array,
                        instance,
                        link,
                    };
                    fabric.peer(port).expect("joined").instance
                })
                .collect();
            assert_eq!(routers.len(), 4);
        }
    }
}

/// A route is followed bit by bit, with swallows and rotations, in the largest networks
/// as well, where all coordinates are in use.
#[test]
fn routes_lead_to_their_destinations() {
    for stages in STAGES_MIN..=STAGES_MAX {
        let network = bidelta(stages, StageWires::Given(vec![0; stages as usize - 1]));
        let all = network.nodes();
        let shape = network.shape();
        for (source, destination) in [(0, all - 1), (all / 3, all / 7), (5, 6), (all - 1, 1)] {
            for choice in [0u32, 0x3ff, 0x155, 0x2cc] {
                let (mut router, _) = shape.entrance(source, choice & 1);
                let mut bytes = route(stages, destination).bytes;
                for stage in 0..stages - 1 {
                    let StackLayer { stack, layer, .. } = shape.layer(stage);
                    if stack > 0 && layer == 0 {
                        bytes.remove(0);
                    }
                    let direction = u32::from(bytes[0] >> 6);
                    let (next, _) = shape.next(router, direction, choice >> stage & 1);
                    router = next;
                    for byte in &mut bytes {
                        *byte = rotated(u64::from(*byte), 1) as u8;
                    }
                }
                let node = (router.decided << (2 * shape.layer(stages - 1).layer) | router.group)
                    << 2
                    | u32::from(bytes[bytes.len() - 1] >> 6);
                assert_eq!(node, destination, "{stages}");
            }
        }
    }
}

/// Table 4.8: processors and chips.
#[test]
fn sizes_are_those_of_the_paper() {
    for (stages, nodes, chips) in [(3, 64, 48), (4, 256, 256), (5, 1024, 1280), (6, 4096, 6144)] {
        let fabric = bidelta(stages, StageWires::Given(vec![0; stages as usize - 1])).fabric();
        assert_eq!(fabric.nodes, nodes);
        assert_eq!(fabric.arrays[ROUTERS].instances, chips);
    }
}

/// All wires between two planes, 8 stacks a side, by their length in the sides of a
/// stack: as if the places of both ends were drawn at random. Rounded up they are 4.6
/// on average (section 4.2.3).
#[test]
fn wires_are_as_long_as_in_the_geometry() {
    let network = bidelta(7, StageWires::Geometry);
    let shape = network.shape();
    let (mut rounded, mut exact, mut count) = (0.0, 0.0, 0);
    shape.each_router(2, |router| {
        for direction in 0..4 {
            let (next, _) = shape.next(router, direction, 0);
            let (from, to) = (shape.place(router, 0), shape.place(next, 1));
            let sides = (from.0 - to.0).hypot(from.1 - to.1) / STACK_SIDE_FEET;
            rounded += (sides - 1e-9).ceil();
            exact += sides;
            count += 1;
        }
    });
    let mut expected = 0.0;
    for place in 0..1 << 12 {
        let coordinate = |at: u32| f64::from(place >> at & 7);
        expected += (coordinate(0) - coordinate(3)).hypot(coordinate(6) - coordinate(9)) / 4096.0;
    }
    assert!((exact / f64::from(count) - expected).abs() < 1e-9);
    assert_eq!((rounded / f64::from(count) * 10.0_f64).round(), 46.0);
}

/// Clocks that are looked up are those of the links of a path, in all rows of stacks.
#[test]
fn clocks_of_ways_are_those_of_their_links() {
    for (stages, loop_back) in (2..=10).zip([0, 1, 2].into_iter().cycle()) {
        let given = StageWires::Given((0..stages - 1).map(|stage| stage * stage % 7).collect());
        for wires in [StageWires::Geometry, given] {
            let network = Bidelta {
                loop_back,
                ..bidelta(stages, wires)
            };
            let clocks = RouteClocks::new(&network);
            for pair in 0..1000 {
                let node = |end| (random::word(pair, end) % u64::from(network.nodes())) as u32;
                let (source, destination) = (node(0), node(1));
                let links: u32 = network.path_delays(source, destination).iter().sum();
                let expected = u64::from(stages + links + loop_back);
                assert_eq!(clocks.connect(source, destination), expected);
                let swallowed = network.stacks().len() as u64 - 1;
                assert_eq!(clocks.open(source, destination), expected + swallowed);
            }
        }
    }
}

/// The extra clocks of a path are those of its links, whichever of the equivalent
/// outputs it takes.
#[test]
fn delays_of_paths_do_not_depend_on_choices() {
    for stages in [5, 7, 8, 10] {
        let network = bidelta(stages, StageWires::Geometry);
        let shape = network.shape();
        let all = network.nodes();
        for (source, destination) in [(0, all - 1), (all / 3, all / 7), (5, 6)] {
            let delays = network.path_delays(source, destination);
            for choice in [0u32, 0x3ff, 0x155, 0x2cc] {
                let (mut router, _) = shape.entrance(source, choice & 1);
                for stage in 0..stages - 1 {
                    let digit = destination >> (2 * (stages - 1 - stage)) & 3;
                    let (next, _) = shape.next(router, digit, choice >> stage & 1);
                    assert_eq!(network.delay(router, next), delays[stage as usize]);
                    router = next;
                }
            }
        }
    }
}
