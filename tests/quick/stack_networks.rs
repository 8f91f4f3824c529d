//! Small networks of the chips of fat stacks, made by hand, on every engine: every packet arrives
//! once and whole, buffers and credits of a link always make up its depth, and what a switch costs
//! is counted.

use std::collections::VecDeque;

use crosswave_base::random;
use crosswave_chips::endpoint::{Endpoint, PacketRequest, SendRequest};
use crosswave_chips::routing::Route;
use crosswave_chips::stack::DEPTH;
use crosswave_chips::stack_interface::{self, Wormhole};
use crosswave_chips::stack_switch::{stack_switch_8, stack_switch_10};
use crosswave_chips::{Chip, PinDirection, Role, netlists};
use crosswave_event::EventEngine;
use crosswave_gate::{GateEngine, ReferenceEngine};
use crosswave_network::binary_fat_tree::BinaryFatTree;
use crosswave_network::{Fabric, OPEN};
use crosswave_probe::engine::Engine;

use crate::support::lockstep::backends;

/// The arrays of a network.
const SWITCHES: usize = 0;
const NODES: usize = 1;

/// Clocks that a switch takes from the first flit of a packet on its input's wire to the first one
/// on its output's, as `hdl/stack_switch.md` says.
const HEAD_CLOCKS: u64 = 3;

/// Ring ports of a switch with eight.
const R0: u8 = 4;
const R1: u8 = 5;

/// Switches that are joined at their link ports: (switch, link) to (switch, link); node `n` is at
/// link port `n % down` of switch `n / down`.
fn fabric(chip: &'static Chip, switches: u32, down: u32, joined: &[[(u32, u8); 2]]) -> Fabric {
    let nodes = switches * down;
    let links = chip.links.len() as u32;
    // Any network of two arrays lends its names.
    let mut fabric = BinaryFatTree::new(vec![1]).fabric();
    fabric.nodes = nodes as usize;
    fabric.peers = vec![OPEN; (switches * links + nodes) as usize];
    let mut array = |number: usize, chip, instances: u32, first_link| {
        let array = &mut fabric.arrays[number];
        (array.chip, array.instances, array.first_link) = (chip, instances as usize, first_link);
        array.pins.clear();
    };
    array(SWITCHES, chip, switches, 0);
    array(NODES, &stack_interface::CHIP, nodes, switches * links);
    let mut join = |near: u32, far: u32| {
        fabric.peers[near as usize] = far;
        fabric.peers[far as usize] = near;
    };
    for node in 0..nodes {
        join(node / down * links + node % down, switches * links + node);
    }
    for &[(one, port), (other, far)] in joined {
        join(
            one * links + u32::from(port),
            other * links + u32::from(far),
        );
    }
    fabric
}

/// A switch with a node at each of its ports.
fn single(chip: &'static Chip) -> Fabric {
    fabric(chip, 1, chip.links.len() as u32, &[])
}

/// Four switches in a ring, with four nodes each.
fn ring() -> Fabric {
    let joined = [0, 1, 2, 3].map(|switch| [(switch, R0), ((switch + 1) % 4, R1)]);
    fabric(&stack_switch_8::CHIP, 4, 4, &joined)
}

/// The ports of a way round the ring that passes no packets through switch 2, so that the links
/// that packets hold and want make no circle.
fn way_in_ring(source: u32, destination: u32) -> Vec<u8> {
    let down = (destination % 4) as u8;
    let steps: &[u8] = match (source / 4, destination / 4) {
        (0, 1) | (1, 2) | (2, 3) | (3, 0) => &[R0],
        (1, 0) | (2, 1) | (3, 2) | (0, 3) => &[R1],
        (0, 2) => &[R0, R0],
        (2, 0) => &[R1, R1],
        (1, 3) => &[R1, R1],
        (3, 1) => &[R0, R0],
        _ => &[],
    };
    [steps, &[down]].concat()
}

/// A packet that a node is to send.
#[derive(Debug, Clone)]
struct Packet {
    /// The cycle from which it is offered at the earliest.
    from: u64,
    id: u32,
    words: u32,
    way: Vec<u8>,
}

/// A packet that has come, with its cycle and its node.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Arrival {
    id: u32,
    cycle: u64,
    node: usize,
    words: u64,
    wrong: bool,
}

/// The events that have happened.
#[derive(Debug, Default)]
struct Outcome {
    /// By their numbers.
    arrivals: Vec<Arrival>,
    /// Cycles in which first flits and final flits were on the wire, with the node.
    launched: Vec<(u64, usize)>,
    done: Vec<(u64, usize)>,
    /// Packets that switches discarded.
    lost: u32,
}

/// Reads a port of an instance by its name.
fn value(engine: &dyn Engine, fabric: &Fabric, array: usize, instance: usize, name: &str) -> u64 {
    let port = fabric.arrays[array].chip.port(name);
    engine.value(array, port, instance)
}

/// Every place of every buffer is accounted for: credits, flits on the wire, flits in the buffer
/// and credits on the wire back make up its depth. So no buffer is overrun, and no counter of
/// credits is above the depth.
fn assert_places_are_kept(engine: &dyn Engine, fabric: &Fabric) {
    for (number, &peer) in fabric
        .peers
        .iter()
        .enumerate()
        .filter(|(_, peer)| **peer != OPEN)
    {
        let (near, far) = (fabric.link_port(number as u32), fabric.link_port(peer));
        let name = |at: crosswave_network::LinkPort| fabric.arrays[at.array].chip.links[at.link];
        let shown = |at: crosswave_network::LinkPort, end: &str| {
            let port = match (at.array, end) {
                (NODES, "credits") => "tx_credits".to_owned(),
                _ => format!("{}_{end}", name(at)),
            };
            value(engine, fabric, at.array, at.instance, &port)
        };
        // An interface takes every flit at once.
        let fill = match far.array {
            NODES => 0,
            _ => shown(far, "fill"),
        };
        let parts = [
            shown(near, "credits"),
            shown(near, "out_valid"),
            fill,
            shown(far, "in_credit"),
        ];
        let cycle = engine.cycle();
        let depth = u64::from(DEPTH);
        assert_eq!(
            parts.iter().sum::<u64>(),
            depth,
            "{near:?} in {cycle}: {parts:?}"
        );
    }
}

/// Compares all that chips show in the current cycle.
fn assert_same(fabric: &Fabric, found: &dyn Engine, expected: &dyn Engine, what: &str) {
    for (number, array) in fabric.arrays.iter().enumerate() {
        let ports = array.chip.ports.iter().enumerate();
        let shown = ports.filter(|(_, port)| {
            port.direction == PinDirection::Output && !matches!(port.role, Role::Clock)
        });
        for (port, table) in shown {
            for instance in 0..array.instances {
                let values = [found, expected].map(|engine| engine.value(number, port, instance));
                let (cycle, name) = (found.cycle(), table.name);
                assert_eq!(
                    values[0], values[1],
                    "{what}: {name} of {instance} in {cycle}"
                );
            }
        }
    }
}

/// Every engine that there is; the first one has the models.
fn engines(fabric: &Fabric) -> Vec<(String, Box<dyn Engine>)> {
    let event = |threads| {
        let mut engine = EventEngine::new(fabric.clone(), 0, threads);
        engine.work_together();
        engine
    };
    let mut engines: Vec<(String, Box<dyn Engine>)> = vec![
        ("event".to_owned(), Box::new(event(1))),
        ("two threads".to_owned(), Box::new(event(2))),
    ];
    for (threads, backend) in backends() {
        let mut gate = GateEngine::new(fabric.clone(), netlists::plain, 0, threads, backend)
            .unwrap_or_else(|error| panic!("{error}"));
        gate.work_together();
        engines.push((format!("{backend}, {threads} threads"), Box::new(gate)));
    }
    let reference = ReferenceEngine::new(fabric.clone(), netlists::module, 0)
        .unwrap_or_else(|error| panic!("{error}"));
    engines.push(("reference".to_owned(), Box::new(reference)));
    engines
}

/// Plays the packets of every node on every engine, which show the same in every cycle, until
/// all is quiet again.
fn play(fabric: &Fabric, packets: &[Vec<Packet>]) -> Outcome {
    const QUIET: u64 = 60;
    const CYCLES_MAX: u64 = 20_000;
    let mut engines = engines(fabric);
    let mut left: Vec<VecDeque<Packet>> = packets
        .iter()
        .map(|packets| packets.iter().cloned().collect())
        .collect();
    let count: usize = left.iter().map(VecDeque::len).sum();
    let mut is_offered = vec![false; left.len()];
    let mut over = 0;
    let mut outcome = Outcome::default();
    let mut quiet = 0;
    for (_, engine) in &mut engines {
        engine.hold_random(true);
    }
    while over < count || quiet < QUIET {
        let cycle = engines[0].1.cycle() + 1;
        assert!(cycle < CYCLES_MAX, "{over} of {count} in time: {outcome:?}");
        engines.iter_mut().for_each(|(_, engine)| engine.step());
        let shows = |engine: &dyn Engine, node: usize, port: usize| engine.value(NODES, port, node);
        for (node, left) in left.iter_mut().enumerate() {
            // A packet that was done in the cycle before is answered in this one.
            let was_done = outcome.done.iter().any(|&done| done == (cycle - 1, node));
            if was_done {
                left.pop_front();
                is_offered[node] = false;
                over += 1;
            }
            let may_start = left.front().is_some_and(|packet| packet.from <= cycle);
            if !was_done && (is_offered[node] || !may_start) {
                continue;
            }
            is_offered[node] = may_start;
            let route = left.front().filter(|_| may_start).map(|packet| Route {
                bytes: packet.way.iter().copied().collect(),
                ..Route::default()
            });
            let ask = match (&route, left.front()) {
                (Some(route), Some(packet)) => SendRequest {
                    request: true,
                    words: packet.words,
                    packet: PacketRequest {
                        id: packet.id,
                        ..PacketRequest::default()
                    },
                    route: Some(route),
                    ..SendRequest::default()
                },
                _ => SendRequest::default(),
            };
            for (port, value) in Wormhole.pins(&ask) {
                for (_, engine) in &mut engines {
                    engine.drive(NODES, port, &[(node as u32, value)]);
                }
            }
        }
        let first = &*engines[0].1;
        for (what, engine) in &engines[1..] {
            assert_same(fabric, &**engine, first, what);
        }
        assert_places_are_kept(first, fabric);
        quiet = if over < count { 0 } else { quiet + 1 };
        for node in 0..fabric.nodes {
            if shows(first, node, stack_interface::PORT_TX_LAUNCH) != 0 {
                outcome.launched.push((cycle, node));
            }
            if shows(first, node, stack_interface::PORT_TX_DONE) != 0 {
                outcome.done.push((cycle, node));
            }
            if shows(first, node, stack_interface::PORT_RX_VALID) != 0 {
                quiet = 0;
                outcome.arrivals.push(Arrival {
                    id: shows(first, node, stack_interface::PORT_RX_ID) as u32,
                    cycle,
                    node,
                    words: shows(first, node, stack_interface::PORT_RX_WORDS) + 1,
                    wrong: shows(first, node, stack_interface::PORT_RX_WRONG) != 0,
                });
            }
        }
        for switch in 0..fabric.arrays[SWITCHES].instances {
            outcome.lost += value(first, fabric, SWITCHES, switch, "lost").count_ones();
        }
    }
    outcome.arrivals.sort_unstable();
    outcome
}

/// Packets of all lengths from anybody to anybody, most of which meet others; by node, each with
/// the node that it is for.
fn disorder(
    nodes: u32,
    each: u64,
    seed: u64,
    way: impl Fn(u32, u32) -> Vec<u8>,
) -> (Vec<Vec<Packet>>, Vec<u32>) {
    let mut destinations = Vec::new();
    let mut packets = Vec::new();
    for source in 0..nodes {
        let mut from = 1;
        let mut of_node = Vec::new();
        for number in 0..each {
            let drawn = random::word(random::key(seed, 0, 0), u64::from(source) * each + number);
            let destination = drawn as u32 % nodes;
            let words = 1 + (drawn >> 32) as u32 % if drawn >> 50 & 7 == 0 { 60 } else { 9 };
            from += (drawn >> 56) % 32 * (drawn >> 40 & 1);
            // All three bytes of the number are used.
            let id = (destinations.len() as u32) * 0x01_0203 % (1 << 24);
            destinations.push(destination);
            of_node.push(Packet {
                from,
                id,
                words,
                way: way(source, destination),
            });
        }
        packets.push(of_node);
    }
    (packets, destinations)
}

/// Plays packets and expects each of them at its node, once and whole.
fn assert_all_arrive(fabric: &Fabric, each: u64, seed: u64, way: impl Fn(u32, u32) -> Vec<u8>) {
    let (packets, destinations) = disorder(fabric.nodes as u32, each, seed, way);
    let outcome = play(fabric, &packets);
    let mut expected: Vec<(u32, usize, u64, bool)> = (packets.iter().flatten())
        .zip(destinations)
        .map(|(packet, node)| (packet.id, node as usize, packet.words.into(), false))
        .collect();
    expected.sort_unstable();
    let found = outcome.arrivals.iter();
    let found: Vec<_> = found
        .map(|came| (came.id, came.node, came.words, came.wrong))
        .collect();
    assert_eq!(found, expected);
    assert_eq!(outcome.lost, 0);
    assert_eq!(outcome.launched.len(), expected.len());
}

#[test]
fn every_packet_crosses_a_switch_once_and_whole() {
    for chip in [&stack_switch_8::CHIP, &stack_switch_10::CHIP] {
        assert_all_arrive(&single(chip), 24, 1, |_, destination| {
            vec![destination as u8]
        });
    }
}

#[test]
fn every_packet_goes_round_a_ring_once_and_whole() {
    for seed in 0..2 {
        assert_all_arrive(&ring(), 16, seed, way_in_ring);
    }
}

/// One packet of node 0 in an empty ring.
fn alone(way: &[u8], words: u32) -> Outcome {
    let mut packets = vec![Vec::new(); 16];
    packets[0].push(Packet {
        from: 5,
        id: 0x12_3456,
        words,
        way: way.to_vec(),
    });
    play(&ring(), &packets)
}

/// A packet takes three clocks for each switch, and a clock for each flit behind, however long
/// it is: four places are enough for the full rate.
#[test]
fn a_switch_takes_three_clocks_and_then_a_flit_a_clock() {
    for (way, node) in [
        (&[3][..], 3),
        (&[R0, 1], 5),
        (&[R1, R1, 2], 10),
        (&[R0, R0, R0, 0], 12),
        (&[R0, R0, R0, R0, 0], 0),
    ] {
        for words in [1, 2, 7, 300] {
            let outcome = alone(way, words);
            let [(launched, 0)] = outcome.launched[..] else {
                panic!("{outcome:?}");
            };
            // Offered in cycle 5, on the wire in the next one.
            assert_eq!(launched, 6);
            let hops = way.len() as u64;
            let flits = hops + 3 + u64::from(words);
            assert_eq!(outcome.done, [(launched + flits - 1, 0)]);
            // The three bytes of the number and the body, and a clock in the receiver.
            let came = launched + HEAD_CLOCKS * hops + 3 + u64::from(words);
            let expected = Arrival {
                id: 0x12_3456,
                cycle: came,
                node,
                words: words.into(),
                wrong: false,
            };
            assert_eq!(outcome.arrivals, [expected]);
        }
    }
}

/// All nodes of a switch send at once to different ones, one packet behind the other: between the
/// last flit of one and the first of the next a link is silent for a clock, and no more.
#[test]
fn all_links_carry_a_flit_in_every_clock() {
    const WORDS: u32 = 20;
    const FLITS: u64 = 1 + 3 + WORDS as u64;
    let fabric = single(&stack_switch_8::CHIP);
    let of_node = |node: u32| -> Vec<Packet> {
        let packet = |number: u32| Packet {
            from: 1,
            id: node + 100 * number,
            words: WORDS,
            way: vec![((node + 3) % 8) as u8],
        };
        (0..5).map(packet).collect()
    };
    let outcome = play(&fabric, &(0..8).map(of_node).collect::<Vec<_>>());
    for node in 0..8 {
        let of = |&&(_, at): &&(u64, usize)| at == node;
        let launched: Vec<u64> = outcome.launched.iter().filter(of).map(|of| of.0).collect();
        assert_eq!(
            launched,
            [0, 1, 2, 3, 4].map(|number| 2 + number * (FLITS + 1))
        );
    }
    assert_eq!(outcome.arrivals.len(), 40);
    for came in &outcome.arrivals {
        let launched = 2 + u64::from(came.id / 100) * (FLITS + 1);
        assert_eq!(came.cycle, launched + HEAD_CLOCKS + 3 + u64::from(WORDS));
        assert_eq!(came.node, (came.id as usize % 100 + 3) % 8);
    }
}

/// Inputs that want one output get it in turn.
#[test]
fn an_output_serves_its_inputs_in_turn() {
    let packets = (0..8).map(|node| {
        let packet = |number: u32| Packet {
            from: 1,
            id: node + 8 * number,
            words: 2,
            way: vec![6],
        };
        (0..4).map(packet).collect()
    });
    let mut outcome = play(&single(&stack_switch_8::CHIP), &packets.collect::<Vec<_>>());
    outcome.arrivals.sort_unstable_by_key(|came| came.cycle);
    let order: Vec<u32> = outcome.arrivals.iter().map(|came| came.id % 8).collect();
    let expected: Vec<u32> = (0..32).map(|at| at % 8).collect();
    assert_eq!(order, expected);
    // Packets of five flits behind the swallowed one, and a clock for the grant.
    let cycles = outcome
        .arrivals
        .windows(2)
        .map(|pair| pair[1].cycle - pair[0].cycle);
    assert!(cycles.into_iter().all(|between| between == 6));
}

/// A packet for a port that is not there is lost, and nobody else's.
#[test]
fn a_packet_for_no_port_is_lost_alone() {
    let way = |_: u32, destination: u32| match destination {
        3 => vec![8],
        5 => vec![255],
        to => vec![to as u8],
    };
    let fabric = single(&stack_switch_8::CHIP);
    let (packets, destinations) = disorder(8, 24, 9, way);
    let outcome = play(&fabric, &packets);
    let astray = destinations
        .iter()
        .filter(|node| [3, 5].contains(*node))
        .count();
    assert!(astray > 20, "{astray}");
    assert_eq!(outcome.lost as usize, astray);
    assert_eq!(outcome.arrivals.len(), destinations.len() - astray);
    assert!(outcome.arrivals.iter().all(|came| !came.wrong));
}
