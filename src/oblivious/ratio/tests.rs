use super::*;
use crate::oblivious::load::{TrafficMatrix, performance_ratio};
use crate::oblivious::routing::every_path::EveryPath;
use crate::oblivious::routing::grouped::{Osrm2, Osrm2Index, Osrm3};
use crate::oblivious::routing::modulo::{Chooser, Modulo};
use crate::oblivious::routing::widest::Widest;

fn tree(m: u32, n: u32) -> PortTree {
    PortTree::new(m, n).unwrap()
}

/// The ratio, whose witness attains it.
fn ratio(routing: &dyn Routing) -> Ratio<u64> {
    let found = oblivious_ratio(routing, 2);
    let mut destinations: Vec<u32> = found.witness.iter().map(|pair| pair.1).collect();
    destinations.sort_unstable();
    assert!(destinations.is_sorted_by(|a, b| a < b));
    assert!(found.witness.is_sorted_by(|a, b| a.0 < b.0));
    let nodes = routing.tree().nodes();
    let traffic = TrafficMatrix::of_pairs(nodes, found.witness.iter().copied());
    let attained = performance_ratio(routing, &traffic);
    assert_eq!(attained, Some(found.ratio), "{}", routing.name());
    let levels = found.levels.iter().flat_map(|level| [level.up, level.down]);
    assert_eq!(levels.max(), Some(found.ratio));
    found.ratio
}

#[test]
fn more_paths_bring_the_ratio_down() {
    for chooser in [Chooser::Destination, Chooser::Source] {
        let ratios = [1, 2, 4].map(|paths| ratio(&Modulo::new(tree(8, 2), chooser, paths)));
        assert_eq!(ratios, [4, 2, 1].map(Ratio::from_integer));
    }
}

/// Every link carries pairs all the same, so that what counts is weights, not how many there are.
#[test]
fn by_number_more_paths_change_nothing() {
    for paths in [1, 2, 4] {
        let routing = Modulo::new(tree(8, 2), Chooser::Destination, paths);
        let found = oblivious_ratio(&routing, 1);
        let (_, witness) = of_link(&routing, found.link);
        assert_eq!(witness.len(), 4);
    }
}

/// Theorems 1, 6 and 7, and the rows of table I that are not theorems, at small sizes.
#[test]
fn ratios_are_those_of_the_theorems() {
    for (m, n) in [(4, 2), (4, 3), (6, 3), (8, 2)] {
        assert_eq!(ratio(&EveryPath::new(tree(m, n))), 1.into());
    }
    for (m, root) in [(2, 1), (8, 2), (18, 3)] {
        let routing = Osrm2::new(tree(m, 2), Osrm2Index::Printed).unwrap();
        assert_eq!(ratio(&routing), root.into());
    }
    for m in [2, 4, 6, 8] {
        let half = u64::from(m / 2);
        assert_eq!(ratio(&Osrm3::new(tree(m, 3)).unwrap()), half.into());
        let (two, three) = (tree(m, 2), tree(m, 3));
        assert_eq!(ratio(&Modulo::mlid(two)), half.into());
        assert_eq!(
            ratio(&Modulo::mlid(three)),
            u64::from(m - 1).min(half * half).into()
        );
        assert_eq!(ratio(&Widest::new(two)), half.into());
    }
}

/// Every partial permutation of the smallest trees: none is worse than the witness.
#[test]
fn no_permutation_is_worse() {
    fn try_all(
        routing: &dyn Routing,
        source: u32,
        pairs: &mut Vec<(u32, u32)>,
        worst: &mut Ratio<u64>,
    ) {
        let nodes = routing.tree().nodes();
        if source == nodes {
            let traffic = TrafficMatrix::of_pairs(nodes, pairs.iter().copied());
            *worst = performance_ratio(routing, &traffic).map_or(*worst, |found| found.max(*worst));
            return;
        }
        for destination in 0..nodes {
            if pairs.iter().all(|pair| pair.1 != destination) {
                pairs.push((source, destination));
                try_all(routing, source + 1, pairs, worst);
                pairs.pop();
            }
        }
    }
    let tree = tree(4, 2);
    let routings: [&dyn Routing; 4] = [
        &Modulo::mlid(tree),
        &Modulo::new(tree, Chooser::Destination, 2),
        &Osrm2::new(tree, Osrm2Index::Corrected).unwrap(),
        &Widest::new(tree),
    ];
    for routing in routings {
        let mut worst = Ratio::from_integer(0);
        try_all(routing, 0, &mut Vec::new(), &mut worst);
        assert_eq!(ratio(routing), worst, "{}", routing.name());
    }
}

#[test]
fn threads_do_not_change_the_result() {
    let routing = Modulo::new(tree(6, 3), Chooser::Source, 5);
    let alone = oblivious_ratio(&routing, 1);
    assert_eq!(oblivious_ratio(&routing, 3), alone);
    assert_eq!(ratio(&routing), alone.ratio);
}

/// A tree of one level has the links of nodes alone.
#[test]
fn a_single_switch_has_ratio_1() {
    assert_eq!(ratio(&Modulo::mlid(tree(6, 1))), 1.into());
}
