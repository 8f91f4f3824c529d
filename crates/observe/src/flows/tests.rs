use super::flow::{Flow, FlowTraffic, Population, draw};
use super::run::{
    Announcements, Discipline, FlowLoad, FlowOutcome, LinkParameters, RoutingOutcome, run,
};
use super::tables::{FlowRouting, Tables};
use super::{
    ACKNOWLEDGEMENT_BYTES, ANNOUNCEMENT_BYTES, DELAY_CLOCKS, EXPERIMENT_CLOCKS, PACKET_BYTES,
    reference,
};
use crosswave_chips::rated_switch::{
    LINKS, OfLink, PORT_RX_LINKS, PORT_TABLE_IN_FORCE, PORT_TABLE_WRITE, PORT_TX, RatedKind,
    RatedPacket, table_entry,
};
use crosswave_event::EventEngine;
use crosswave_frame::graph::{Graph, GraphLink};
use crosswave_frame::route::Towards;
use crosswave_frame::shape::{Family, FrameShape, ShapeOptions};
use crosswave_network::rated::{self, LinkClocks, PROCESSORS, QueueSizes, SWITCHES};
use crosswave_probe::engine::Engine;
use crosswave_probe::save::{Loader, Saver};

const FAIR: LinkParameters = LinkParameters {
    packet_bytes: PACKET_BYTES,
    delay_clocks: DELAY_CLOCKS,
    discipline: Discipline::StochasticFair { buckets: 16 },
    queue_packets: 40,
    routing: FlowRouting::Hops,
    announcements: None,
};

fn linked(family: Family) -> Graph {
    let options = ShapeOptions {
        leaf_links: family != Family::ButterflyFatTree,
        ..ShapeOptions::of(family)
    };
    Graph::new(FrameShape::with_options(family, 4, 3, options).unwrap())
}

fn flow(source: u32, destination: u32, packets: u64) -> Flow {
    Flow {
        source,
        destination,
        from: 0,
        to: 5_000 * packets,
    }
}

/// Sends at the rate of a link of one wire, or slower.
fn load(flows: &[Flow], interval_clocks: u64) -> FlowLoad<'_> {
    FlowLoad {
        flows,
        traffic: FlowTraffic::Constant,
        interval_clocks,
        clocks: EXPERIMENT_CLOCKS,
    }
}

/// From corner to corner of the tree: 0.1, 0.2 and 0.4 Mb/s up and down again.
#[test]
fn a_packet_alone_takes_the_clocks_of_its_links() {
    let tree = linked(Family::ButterflyFatTree);
    let flows = [flow(0, 63, 3)];
    let outcome = run(&tree, FAIR, load(&flows, 5_000), 1);
    let alone = 2 * (4_000 + 2_000 + 1_000) + 6 * 500;
    let expected = FlowOutcome {
        offered: 3,
        delivered: 3,
        lost: 0,
        delay_clocks: 3 * alone,
        hops: 18,
        routing: RoutingOutcome::default(),
    };
    assert_eq!(outcome, expected);
}

/// Three flows want a link of 1,000 bytes each 4,000 clocks every 5,000 clocks each: it carries
/// all that it can, its queue is full in the end, and the rest is lost. Both kinds of queues
/// agree on that.
#[test]
fn a_link_carries_what_it_can() {
    let tree = linked(Family::ButterflyFatTree);
    let flows = [1, 2, 3].map(|source| flow(source, 0, 1_000));
    for (discipline, waiting) in [
        (Discipline::DropTail, 40),
        (Discipline::StochasticFair { buckets: 16 }, 39),
    ] {
        let links = LinkParameters { discipline, ..FAIR };
        let outcome = run(&tree, links, load(&flows, 5_000), 1);
        assert_eq!(
            outcome,
            reference::run(&tree, links, load(&flows, 5_000), 1)
        );
        assert_eq!(outcome.offered, 3_000);
        assert_eq!(outcome.delivered + outcome.lost, 3_000);
        // The last packet comes when the queue is empty, after 1,000 intervals of 5,000 clocks.
        let during = 5_000 * 1_000 / 4_000;
        let most = during + waiting + 2;
        assert!(
            (during..=most).contains(&outcome.delivered),
            "{discipline:?}: {outcome:?}"
        );
    }
}

/// Nothing is lost or made, and adaptive tables bring everything where it belongs as well. The
/// engine and the reference agree in all that they count.
#[test]
fn packets_are_conserved() {
    let population = Population {
        processors: 64,
        sources: 40,
        flows: 60,
        clocks: EXPERIMENT_CLOCKS / 20,
    };
    for family in Family::ALL {
        let graph = linked(family);
        for seed in 1..4 {
            let flows = draw(population, seed);
            for (traffic, routing) in [
                (FlowTraffic::Constant, FlowRouting::Hops),
                (
                    FlowTraffic::Exponential,
                    FlowRouting::Adaptive {
                        update_clocks: 100_000,
                    },
                ),
                (
                    FlowTraffic::Pareto,
                    FlowRouting::Adaptive {
                        update_clocks: 50_000,
                    },
                ),
            ] {
                let load = FlowLoad {
                    traffic,
                    clocks: EXPERIMENT_CLOCKS / 2,
                    ..load(&flows, 5_000)
                };
                let links = LinkParameters { routing, ..FAIR };
                let outcome = run(&graph, links, load, seed);
                assert!(outcome.offered > 0, "{family:?}: {outcome:?}");
                assert_eq!(outcome.delivered + outcome.lost, outcome.offered);
                assert_eq!(outcome, reference::run(&graph, links, load, seed));
            }
        }
    }
}

/// One round in a network without packets: an announcement goes over every link of a tree once for
/// each node, and in both directions over the links that close a circle. Each is acknowledged.
/// Engine and reference agree, and they do when rounds and packets share links.
#[test]
fn every_node_is_announced_to_all_others() {
    let population = Population {
        processors: 64,
        sources: 40,
        flows: 60,
        clocks: EXPERIMENT_CLOCKS / 20,
    };
    let once = Announcements {
        bytes: ANNOUNCEMENT_BYTES,
        acknowledgement_bytes: ACKNOWLEDGEMENT_BYTES,
        apart_clocks: 5_000,
        round_clocks: None,
    };
    for family in Family::ALL {
        let graph = linked(family);
        let (nodes, links) = (u64::from(graph.nodes()), graph.links().len() as u64);
        let parameters = LinkParameters {
            announcements: Some(once),
            ..FAIR
        };
        let outcome = run(&graph, parameters, load(&[], 5_000), 1);
        assert_eq!(
            outcome,
            reference::run(&graph, parameters, load(&[], 5_000), 1)
        );
        let came = nodes * (2 * links - (nodes - 1));
        let routing = outcome.routing;
        assert_eq!(
            (
                routing.announcements,
                routing.acknowledgements,
                routing.lost
            ),
            (came, came, 0),
            "{family:?}"
        );
        for (apart_clocks, round_clocks, seed) in [(0, 40_000, 1), (400, 60_000, 2)] {
            let announcements = Some(Announcements {
                apart_clocks,
                round_clocks: Some(round_clocks),
                ..once
            });
            let parameters = LinkParameters {
                announcements,
                routing: FlowRouting::Adaptive {
                    update_clocks: 50_000,
                },
                ..FAIR
            };
            let flows = draw(population, seed);
            let load = FlowLoad {
                clocks: EXPERIMENT_CLOCKS / 20,
                ..load(&flows, 5_000)
            };
            let outcome = run(&graph, parameters, load, seed);
            assert!(outcome.routing.announcements > came && outcome.delivered > 0);
            assert_eq!(outcome, reference::run(&graph, parameters, load, seed));
        }
    }
}

/// Chips that sleep until a cycle are woken there by an engine of any number of threads, and by
/// one that takes over what another saved meanwhile.
#[test]
fn a_network_of_sleeping_chips_is_taken_up_again() {
    let graph = linked(Family::AugmentedFatStack);
    let (source, destination) = (0, 63);
    let tables = Tables::new(&graph, None, 1);
    let engine = |threads| {
        let queues = QueueSizes {
            packets: 40,
            buckets: 16,
        };
        let clocks = |link: &GraphLink| LinkClocks {
            packet: 40 / link.capacity,
            delay: 7,
            announcement: 1,
            acknowledgement: 1,
        };
        let fabric = rated::fabric(&graph, queues, clocks, u64::from);
        let mut engine = EventEngine::new(fabric, 1, threads);
        for node in 0..graph.nodes() {
            let Some(hop) = tables.next(node, destination) else {
                continue;
            };
            let (array, instance) = rated::instance(&graph, node);
            let entry = table_entry(destination as u16, rated::link_of(&graph, hop) as u8);
            engine.drive(array, PORT_TABLE_WRITE, &[(instance as u32, entry)]);
        }
        engine.step();
        engine.step();
        for array in [PROCESSORS, SWITCHES] {
            engine.drive_all(array, PORT_TABLE_WRITE, 0);
            engine.drive_all(array, PORT_TABLE_IN_FORCE, 1);
        }
        engine.step();
        for number in 0..3 {
            let packet = RatedPacket {
                kind: RatedKind::Data,
                number,
                flow: 5,
                destination: destination as u16,
                hops: 0,
            };
            engine.drive(PROCESSORS, PORT_TX, &[(source, packet.word())]);
            engine.step();
        }
        engine.drive(PROCESSORS, PORT_TX, &[(source, 0)]);
        engine
    };
    // Cycles, and numbers of packets that come then; the engine is left in the last cycle.
    let came = |engine: &mut EventEngine, end: u64| {
        let (mut came, mut cycles) = (Vec::new(), 0);
        while let Some(due) = engine.due().filter(|&due| due < end) {
            engine.skip_to(due);
            engine.step();
            cycles += 1;
            let mut raised = Vec::new();
            engine.raised(PROCESSORS, PORT_RX_LINKS, &mut raised);
            for processor in raised {
                let words = (0..LINKS).map(|link| {
                    engine.value(PROCESSORS, OfLink::Rx.port(link), processor as usize)
                });
                let packets = words.filter_map(RatedPacket::of);
                came.extend(packets.map(|packet| (engine.cycle(), packet.number, packet.hops)));
            }
        }
        (came, cycles)
    };
    let mut whole = engine(1);
    let (expected, cycles) = came(&mut whole, u64::MAX);
    let Some(&[(first, 0, hops), (second, 1, _), (third, 2, _)]) = expected.first_chunk() else {
        panic!("three packets in order: {expected:?}");
    };
    let hops_of_way = Towards::by_hops(&graph, destination).left(source);
    assert_eq!((u64::from(hops), expected.len()), (hops_of_way, 3));
    assert_eq!(
        (second - first, third - second),
        (40, 40),
        "a packet in 40 clocks"
    );
    assert!(cycles < third / 2, "{cycles} of {third} cycles have events");
    for threads in [1, 2, 3] {
        let mut begun = engine(threads);
        let (mut all, _) = came(&mut begun, first + 20);
        assert_eq!(all.len(), 1);
        let mut saver = Saver::new();
        begun.save(&mut saver);
        let saved = saver.finish();
        let mut other = engine(1);
        other
            .load(&mut Loader::new(&saved))
            .expect("what was saved");
        assert_eq!((other.cycle(), other.due()), (begun.cycle(), begun.due()));
        all.extend(came(&mut other, u64::MAX).0);
        assert_eq!(all, expected);
        assert_eq!(came(&mut begun, u64::MAX).0, expected[1..]);
    }
}
