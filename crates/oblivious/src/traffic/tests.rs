use std::collections::BTreeSet;

use super::*;

/// The numbers of partners of the nodes, without repeats, and the number of entries.
fn shape(pattern: TrafficPattern, nodes: u32) -> (BTreeSet<usize>, usize) {
    let traffic = pattern.matrix(nodes, 1, 0).unwrap();
    let pairs: BTreeSet<(u32, u32)> = traffic
        .demands()
        .iter()
        .map(|demand| (demand.source, demand.destination))
        .collect();
    assert_eq!(pairs.len(), traffic.demands().len());
    assert!(traffic.demands().iter().all(|demand| demand.amount == 1));
    assert!(pairs.iter().all(|&(a, b)| pairs.contains(&(b, a))));
    let degree = |node| pairs.iter().filter(|pair| pair.0 == node).count();
    ((0..nodes).map(degree).collect(), pairs.len())
}

#[test]
fn patterns_have_their_neighbours() {
    let shape = |pattern, nodes| {
        let (degrees, pairs) = shape(pattern, nodes);
        (degrees.into_iter().collect::<Vec<_>>(), pairs)
    };
    assert_eq!(shape(TrafficPattern::Ring, 12), (vec![2], 24));
    assert_eq!(shape(TrafficPattern::Ring, 2), (vec![1], 2));
    let mesh = |dimensions| TrafficPattern::Mesh { dimensions };
    // Three by four: 3 * 3 + 2 * 4 links.
    assert_eq!(shape(mesh(2), 12), (vec![2, 3, 4], 34));
    assert_eq!(shape(mesh(3), 8), (vec![3], 24));
    let torus = |dimensions| TrafficPattern::Torus { dimensions };
    assert_eq!(shape(torus(2), 12), (vec![4], 48));
    assert_eq!(shape(torus(3), 27), (vec![6], 162));
    // Sides of two join the same places both ways.
    assert_eq!(shape(torus(3), 8), (vec![3], 24));
    assert_eq!(shape(TrafficPattern::Hypercube, 16), (vec![4], 64));
    assert_eq!(shape(TrafficPattern::BinaryTree, 7), (vec![1, 2, 3], 12));
    assert_eq!(
        shape(TrafficPattern::Clusters { size: 3 }, 12),
        (vec![2], 24)
    );
    let hot = TrafficPattern::HotSpots { count: 2, size: 4 };
    assert_eq!(shape(hot, 12), (vec![0, 3], 24));
}

/// A square is a torus of which each link counts twice; otherwise all places send as much as they are sent.
#[test]
fn tori_of_a_whole_root() {
    let amounts = |pattern: TrafficPattern, nodes| -> Vec<(u32, u32, u32)> {
        let traffic = pattern.matrix(nodes, 1, 0).unwrap();
        let demands = traffic.demands().iter();
        demands
            .map(|demand| (demand.source, demand.destination, demand.amount))
            .collect()
    };
    let torus = amounts(TrafficPattern::Torus { dimensions: 2 }, 16);
    let twice: Vec<_> = torus.iter().map(|&(a, b, _)| (a, b, 2)).collect();
    assert_eq!(amounts(TrafficPattern::SquareTorus, 16), twice);
    // Two rows of two and a last one, whose second place is the first of all again.
    let ragged = amounts(TrafficPattern::SquareTorus, 5);
    let sum: u32 = ragged.iter().map(|demand| demand.2).sum();
    assert_eq!(sum, 2 * 4 * 5);
    let amounts: BTreeSet<u32> = ragged.iter().map(|demand| demand.2).collect();
    assert!(amounts.len() > 1, "{ragged:?}");
    let back = |&(a, b, amount): &(u32, u32, u32)| ragged.contains(&(b, a, amount));
    assert!(ragged.iter().all(back), "{ragged:?}");
}

#[test]
fn sides_are_alike() {
    let expected = [
        (512, 2, vec![16, 32]),
        (1024, 2, vec![32, 32]),
        (128, 3, vec![4, 4, 8]),
        (1024, 3, vec![8, 8, 16]),
        (7, 3, vec![1, 1, 7]),
        (36, 3, vec![3, 3, 4]),
    ];
    for (nodes, dimensions, expected) in expected {
        assert_eq!(sides(nodes, dimensions), expected);
    }
}

#[test]
fn random_pairs_are_as_likely_as_asked() {
    let count = |probability| {
        let pattern = TrafficPattern::Pairs { probability };
        pattern.matrix(64, 5, 0).unwrap().demands().len()
    };
    assert_eq!(count(0.0), 0);
    assert_eq!(count(1.0), 64 * 63);
    // The standard deviation is 27.5.
    assert!((926..=1090).contains(&count(0.25)), "{}", count(0.25));
}

#[test]
fn permutations_are_drawn_evenly() {
    let mut counts = [0; 24];
    for instance in 0..4800 {
        let places = placement(4, 3, instance);
        let rank = |at: usize| places[at + 1..].iter().filter(|&&p| p < places[at]).count();
        counts[rank(0) * 6 + rank(1) * 2 + rank(2)] += 1;
    }
    // Each has 200 on average, with a standard deviation of 13.8.
    assert!(
        counts.iter().all(|count| (145..255).contains(count)),
        "{counts:?}"
    );
    let traffic = TrafficPattern::Permutation.matrix(100, 1, 2).unwrap();
    assert_eq!(traffic.base_load(), 1);
}

#[test]
fn instances_differ_and_are_the_same_again() {
    for pattern in [
        TrafficPattern::Ring,
        TrafficPattern::Permutation,
        TrafficPattern::Pairs { probability: 0.5 },
    ] {
        let made = |seed, instance| pattern.matrix(32, seed, instance).unwrap();
        assert_eq!(made(1, 2), made(1, 2));
        assert_ne!(made(1, 2), made(1, 3));
        assert_ne!(made(1, 2), made(2, 2));
    }
}

/// Groups of random sizes have all pairs within, and each node is in one of 2 or more, but for a last one. Patterns
/// and pairs stay within groups of their size.
#[test]
fn mixed_clusters_stay_within_their_groups() {
    let partners = |pattern: TrafficPattern, instance| {
        let traffic = pattern.matrix(48, 1, instance).unwrap();
        let of = |node: u32| -> BTreeSet<u32> {
            let demands = traffic
                .demands()
                .iter()
                .filter(|demand| demand.source == node);
            demands
                .map(|demand| demand.destination)
                .chain([node])
                .collect()
        };
        (0..48).map(of).collect::<Vec<_>>()
    };
    let mut sizes = BTreeSet::new();
    for instance in 0..20 {
        let groups = partners(TrafficPattern::ClustersOfRandomSize { most: 5 }, instance);
        for (node, group) in (0..48).zip(&groups) {
            assert!(group.contains(&node));
            assert!(group.iter().all(|&other| &groups[other as usize] == group));
            sizes.insert(group.len());
        }
        assert!(groups.iter().filter(|group| group.len() == 1).count() <= 1);
    }
    assert_eq!(sizes.range(2..).copied().collect::<Vec<_>>(), [2, 3, 4, 5]);
    // All nodes of its group are reached from a node, and no others.
    let within = |pattern: TrafficPattern, size: usize| {
        let next = partners(pattern, 0);
        let mut found: Vec<BTreeSet<u32>> = Vec::new();
        for node in 0..48 {
            let mut reached = BTreeSet::from([node]);
            loop {
                let more: BTreeSet<u32> = reached
                    .iter()
                    .flat_map(|&node| next[node as usize].clone())
                    .collect();
                if more.len() == reached.len() {
                    break;
                }
                reached = more;
            }
            assert_eq!(reached.len(), size, "{pattern} of {node}");
            if !found.contains(&reached) {
                found.push(reached);
            }
        }
        assert_eq!(found.len(), 48 / size);
    };
    within(TrafficPattern::ClustersWithPatterns { size: 8 }, 8);
    within(TrafficPattern::ClustersWithPatterns { size: 6 }, 6);
    let pairs = TrafficPattern::ClustersWithPairs {
        size: 8,
        probability: 0.9,
    };
    within(pairs, 8);
}

#[test]
fn patterns_that_do_not_fit_are_named() {
    let error = |pattern: TrafficPattern| pattern.matrix(12, 1, 0).unwrap_err().to_string();
    assert_eq!(
        error(TrafficPattern::Hypercube),
        "hypercube: found 12 nodes, expected a power of two"
    );
    assert_eq!(
        error(TrafficPattern::Clusters { size: 5 }),
        "clusters: found groups of 5, expected a size that divides 12 nodes"
    );
    assert_eq!(
        error(TrafficPattern::HotSpots { count: 4, size: 4 }),
        "hot spots: found 4 of 4 nodes, expected at most 12 nodes in all"
    );
    assert_eq!(
        error(TrafficPattern::ClustersOfRandomSize { most: 13 }),
        "clusters: found groups of up to 13, expected up to 2 to 12 nodes"
    );
    assert_eq!(
        error(TrafficPattern::Mesh { dimensions: 4 }),
        "found 4 dimensions, expected 1 to 3"
    );
    assert_eq!(
        error(TrafficPattern::Pairs { probability: 1.5 }),
        "found probability 1.5, expected 0 to 1"
    );
    let huge = TrafficPattern::HotSpots {
        count: 1 << 20,
        size: 1 << 20,
    };
    assert!(error(huge).starts_with("hot spots"));
}
