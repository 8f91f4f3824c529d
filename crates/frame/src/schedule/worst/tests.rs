use super::*;
use crate::climb::tree_route;
use crate::schedule::bounds;
use crate::shape::{Family, FrameShape, Growth, ShapeOptions};

fn unit(family: Family, ring: u32, levels: u32) -> Graph {
    let options = ShapeOptions {
        growth: Growth::Unit,
        ..ShapeOptions::of(family)
    };
    Graph::new(FrameShape::with_options(family, ring, levels, options).unwrap())
}

fn routes(graph: &Graph) -> Routes<'_> {
    Routes::new(graph, |from, to| tree_route(graph, from, to, 0)).unwrap()
}

/// Lemma 3.2: on a ring whose nodes are destinations no traffic takes nq steps. All to one node is
/// worst; it comes from two sides, of which the longer has n/2 nodes, rounded down.
#[test]
fn no_function_on_a_ring_takes_longer_than_half_of_the_bound() {
    for (nodes, each) in [(3, 1), (3, 4), (4, 1), (4, 3), (5, 2)] {
        let ring = unit(Family::GeneralFatStack, nodes, 1);
        let worst = of_all(&routes(&ring), TrafficClass::Function, each).unwrap();
        assert_eq!(worst.destinations, vec![0; nodes as usize]);
        let steps = u64::from(nodes / 2 * each);
        assert_eq!(
            (worst.outcome.steps, worst.outcome.longest_queue),
            (steps, each.into())
        );
        assert!(steps <= bounds::ring(nodes, each.into()));
    }
}

#[test]
fn climbing_does_not_beat_all() {
    let ring = unit(Family::GeneralFatStack, 5, 1);
    let routes = routes(&ring);
    for traffic in [TrafficClass::Permutation, TrafficClass::Function] {
        let all = of_all(&routes, traffic, 2).unwrap();
        let climbed = by_climbing(&routes, traffic, 2, 1, 300);
        assert_eq!(climbed, by_climbing(&routes, traffic, 2, 1, 300));
        assert!(climbed.badness() <= all.badness());
        assert_eq!(routes.run(&climbed.destinations, 2), climbed.outcome);
    }
    let all = of_all(&routes, TrafficClass::Permutation, 1).unwrap();
    let mut sorted = all.destinations;
    sorted.sort_unstable();
    assert_eq!(sorted, [0, 1, 2, 3, 4]);
}

/// Theorems 3.3 and 3.5 with 64 processors: what was found stays below the bounds, whose constants
/// are taken for 1; queues are longer than the O(1) that the theorems have by sending later.
#[test]
fn whole_networks() {
    for (family, bound, permutation, function, one) in [
        (Family::GeneralFatStack, 76, (34, 10), (56, 25), (64, 24)),
        (Family::AugmentedFatStack, 67, (30, 13), (53, 33), (64, 33)),
    ] {
        let graph = unit(family, 4, 3);
        let routes = routes(&graph);
        assert_eq!(bounds::network(graph.shape()), Some(bound));
        let climbed = |traffic| by_climbing(&routes, traffic, 1, 1, 2000).badness();
        assert_eq!(climbed(TrafficClass::Permutation), permutation);
        assert_eq!(climbed(TrafficClass::Function), function);
        let all_to = |to| routes.run(&[to; 64], 1);
        let worst = (0..64)
            .map(all_to)
            .max_by_key(|outcome| outcome.steps)
            .unwrap();
        assert_eq!((worst.steps, worst.longest_queue), one);
    }
}

#[test]
fn large_searches_are_refused() {
    let stack = unit(Family::GeneralFatStack, 4, 2);
    assert_eq!(of_all(&routes(&stack), TrafficClass::Permutation, 1), None);
    let large = unit(Family::GeneralFatStack, 4, 6);
    assert!(Routes::new(&large, |_, _| Vec::new()).is_none());
}
