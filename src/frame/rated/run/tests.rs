use super::*;
use crate::frame::rated::flows::{Population, draw};
use crate::frame::rated::{DELAY_CLOCKS, EXPERIMENT_CLOCKS, PACKET_BYTES};
use crate::frame::shape::{Family, Options, Shape};

const FAIR: Links = Links {
    packet_bytes: PACKET_BYTES,
    delay_clocks: DELAY_CLOCKS,
    discipline: Discipline::StochasticFair { buckets: 16 },
    queue_packets: 40,
    routing: Routing::Hops,
};

fn linked(family: Family) -> Graph {
    let options = Options {
        leaf_links: family != Family::ButterflyFatTree,
        ..Options::of(family)
    };
    Graph::new(Shape::with_options(family, 4, 3, options).unwrap())
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
fn load(flows: &[Flow], interval_clocks: u64) -> Load<'_> {
    Load {
        flows,
        traffic: Traffic::Constant,
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
    let expected = Outcome {
        offered: 3,
        delivered: 3,
        lost: 0,
        delay_clocks: 3 * alone,
        hops: 18,
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
        let links = Links { discipline, ..FAIR };
        let outcome = run(&tree, links, load(&flows, 5_000), 1);
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

/// Nothing is lost or made, and adaptive tables bring everything where it belongs as well.
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
                (Traffic::Constant, Routing::Hops),
                (
                    Traffic::Exponential,
                    Routing::Adaptive {
                        update_clocks: 100_000,
                    },
                ),
                (
                    Traffic::Pareto,
                    Routing::Adaptive {
                        update_clocks: 50_000,
                    },
                ),
            ] {
                let load = Load {
                    traffic,
                    clocks: EXPERIMENT_CLOCKS / 2,
                    ..load(&flows, 5_000)
                };
                let links = Links { routing, ..FAIR };
                let outcome = run(&graph, links, load, seed);
                assert!(outcome.offered > 0, "{family:?}: {outcome:?}");
                assert_eq!(outcome.delivered + outcome.lost, outcome.offered);
                assert_eq!(outcome, run(&graph, links, load, seed));
            }
        }
    }
}
