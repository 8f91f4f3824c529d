use super::*;
use crate::load::{LinkLoads, TrafficMatrix, performance_ratio};
use crate::routing::every_path::EveryPath;
use crate::routing::grouped::{Osrm2, Osrm2Index, Osrm3};
use crate::routing::modulo::{Chooser, Modulo};
use crate::routing::widest::Widest;
use crate::table::{PathTable, WeightedPath};
use crosswave_base::random;

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

/// A table of drawn paths and weights, but for some leaf switches, whose nodes go up by ports of
/// their own, and some others, whose nodes are reached so: links of these carry less.
fn drawn_table(tree: PortTree, seed: u64) -> PathTable {
    let mut generator = random::generator(seed, 7);
    let mut below = |bound: u32| random::below(&mut generator, bound.into()) as u32;
    let leaves = tree.nodes() / tree.half();
    let orderly: Vec<[bool; 2]> = (0..leaves).map(|_| [0; 2].map(|_| below(3) > 0)).collect();
    let mut paths = Vec::new();
    for source in 0..tree.nodes() {
        for destination in (0..tree.nodes()).filter(|&other| other != source) {
            let tops = tree.tops(source, destination);
            let of = |node: u32, end: usize| orderly[(node / tree.half()) as usize][end];
            let mut add = |top, weight| {
                paths.push(WeightedPath {
                    source,
                    destination,
                    top,
                    weight,
                });
            };
            if of(source, 0) {
                add(source % tops, 1);
            } else if of(destination, 1) {
                add(destination % tops, 1);
            } else {
                // One path or two, of weights 1 to 3.
                (0..=below(2)).for_each(|_| add(below(tops), 1 + below(3)));
            }
        }
    }
    PathTable::new(tree, "drawn", paths).expect("small weights")
}

/// The most units of any partial permutation on a link, by trying all: what each pair brings there
/// is looked up in the list of links of each of its paths.
fn worst_by_trying(routing: &dyn Routing, link: TreeLink) -> u64 {
    let tree = routing.tree();
    let mut shares = Vec::new();
    let mut rows: Vec<Vec<(u32, u64)>> = Vec::new();
    for source in 0..tree.nodes() {
        let mut row = Vec::new();
        for destination in (0..tree.nodes()).filter(|&other| other != source) {
            routing.shares(source, destination, &mut shares);
            let on_link =
                |share: &&Share| tree.path(source, destination, share.top).contains(&link);
            let units = shares.iter().filter(on_link).map(|share| share.units);
            let units: u64 = units.map(u64::from).sum();
            row.extend((units > 0).then_some((destination, units)));
        }
        rows.extend((!row.is_empty()).then_some(row));
    }
    fn most(rows: &[Vec<(u32, u64)>], taken: u64) -> u64 {
        let Some((row, rest)) = rows.split_first() else {
            return 0;
        };
        let free = row.iter().filter(|(node, _)| taken >> node & 1 == 0);
        let with = free.map(|(node, units)| units + most(rest, taken | 1 << node));
        with.max().unwrap_or(0).max(most(rest, taken))
    }
    most(&rows, 0)
}

/// The ratio of every level and direction is the largest of its links, and the link that is told is
/// the first of all that have the largest.
#[test]
fn ratios_of_levels_are_those_of_their_worst_links() {
    let mut differ = 0;
    for (m, n, seeds) in [(4, 2, 0..12), (6, 2, 0..3), (4, 3, 0..2)] {
        for seed in seeds {
            let tree = tree(m, n);
            let table = drawn_table(tree, seed);
            let ratio = |link| Ratio::new(worst_by_trying(&table, link), table.units().into());
            let worst: Vec<Ratio<u64>> = (0..tree.links() as usize)
                .map(|index| ratio(tree.link(index)))
                .collect();
            let rows = worst.chunks(tree.nodes() as usize);
            let expected: Vec<Option<Ratio<u64>>> =
                rows.clone().map(|row| row.iter().copied().max()).collect();
            let last_is_less = |(row, most): (&[Ratio<u64>], &Option<Ratio<u64>>)| {
                let last = row[row.len() - tree.half() as usize..].iter().copied();
                last.max() < *most
            };
            let is_less = rows.zip(&expected).map(last_is_less);
            differ += is_less.filter(|&less| less).count();
            let found = oblivious_ratio(&table, 2);
            let levels = found.levels.iter();
            let levels: Vec<_> = levels.flat_map(|level| [level.up, level.down]).collect();
            let levels: Vec<_> = levels.into_iter().map(Some).collect();
            assert_eq!(levels, expected, "{tree}, {seed}");
            let most = worst.iter().copied().max().expect("there are links");
            let first = worst.iter().position(|&ratio| ratio == most);
            assert_eq!((found.ratio, Some(tree.index(found.link))), (most, first));
            for index in (0..worst.len()).step_by(5) {
                let (of_link, witness) = of_link(&table, tree.link(index));
                assert_eq!(of_link, worst[index]);
                let traffic = TrafficMatrix::of_pairs(tree.nodes(), witness);
                let loads = LinkLoads::new(&table, &traffic);
                assert_eq!(loads.of(index), of_link);
            }
        }
    }
    assert!(
        differ > 10,
        "of {differ} levels the last links are not the worst"
    );
}

/// FT(8, 2): a switch has 4 nodes below it, each with a pair for each of the 28 others, of 12 bytes;
/// there are eight switches, up and down, so that more than 16 threads have nothing to do.
#[test]
fn memory_is_that_of_a_switch_for_each_thread() {
    let of_threads = [1, 3, 16, 17, 1000].map(|threads| bytes_at_least(tree(8, 2), threads));
    let one = 4 * 28 * 12;
    assert_eq!(of_threads, [one, 3 * one, 16 * one, 16 * one, 16 * one]);
    // In FT(4, 3) a SUBFT(4, 2) has 4 nodes, and 12 are outside.
    assert_eq!(bytes_at_least(tree(4, 3), 2), 2 * 4 * 12 * 12);
    assert_eq!(bytes_at_least(tree(6, 1), 2), 0);
}
