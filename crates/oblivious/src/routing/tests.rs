use super::drawn::Drawn;
use super::every_path::EveryPath;
use super::grouped::{Osrm2, Osrm2Index, Osrm3};
use super::modulo::{Chooser, Modulo};
use super::widest::Widest;
use super::*;
use crate::deadlock::Dependencies;
use crate::tree::Vertex;

fn tree(m: u32, n: u32) -> PortTree {
    PortTree::new(m, n).unwrap()
}

fn tops(routing: &dyn Routing, source: u32, destination: u32) -> Vec<u32> {
    let mut shares = Vec::new();
    routing.shares(source, destination, &mut shares);
    shares.iter().map(|share| share.top).collect()
}

/// All that there are for a tree.
fn routings(tree: PortTree) -> Vec<Box<dyn Routing>> {
    let mut all: Vec<Box<dyn Routing>> = vec![
        Box::new(EveryPath::new(tree)),
        Box::new(Widest::new(tree)),
        Box::new(Modulo::mlid(tree)),
        Box::new(Modulo::new(tree, Chooser::Destination, 3)),
        Box::new(Modulo::new(tree, Chooser::Source, 1000)),
        Box::new(Drawn::new(tree, 1, 1)),
        Box::new(Drawn::new(tree, 3, 2)),
        Box::new(Drawn::new(tree, 1000, 3)),
    ];
    if let Ok(routing) = Osrm2::new(tree, Osrm2Index::Printed) {
        all.push(Box::new(routing));
    }
    if let Ok(routing) = Osrm2::new(tree, Osrm2Index::Corrected) {
        all.push(Box::new(routing));
    }
    if let Ok(routing) = Osrm3::new(tree) {
        all.push(Box::new(routing));
    }
    all
}

#[test]
fn shares_of_every_pair_are_whole_and_of_its_top_switches() {
    let mut checked = 0;
    for (m, n) in [(2, 2), (4, 1), (4, 2), (4, 3), (6, 3), (8, 2), (4, 4)] {
        for routing in routings(tree(m, n)) {
            let tree = routing.tree();
            let mut shares = Vec::new();
            for source in 0..tree.nodes() {
                for destination in (0..tree.nodes()).filter(|&other| other != source) {
                    routing.shares(source, destination, &mut shares);
                    let name = routing.name();
                    let sum: u32 = shares.iter().map(|share| share.units).sum();
                    assert_eq!(sum, routing.units(), "{name} on {tree}");
                    assert!(shares.is_sorted_by(|a, b| a.top < b.top), "{name}");
                    assert!(shares.iter().all(|share| share.units > 0), "{name}");
                    let last = shares.last().unwrap().top;
                    assert!(last < tree.tops(source, destination), "{name} on {tree}");
                    for height in 0..=tree.meeting_height(source, destination) {
                        let meeting = tree.meeting_height(source, destination);
                        let ports = by_port(tree, meeting, height, &shares);
                        let sum: u32 = ports.map(|share| share.units).sum();
                        assert_eq!(sum, routing.units());
                    }
                }
            }
            checked += 1;
        }
    }
    // Eight of each tree; OSRM2 of three trees, as printed of those of 2 and 8 ports; OSRM3 of two.
    assert_eq!(checked, 7 * 8 + 3 + 2 + 2);
}

/// Figure 8: the groups of two on FT(8, 2), each pair of which has its top switch.
#[test]
fn osrm2_routes_as_in_figure_8() {
    let routing = Osrm2::new(tree(8, 2), Osrm2Index::Printed).unwrap();
    let groups = [(0, 0), (0, 1), (1, 0), (1, 1)];
    for (top, (from, to)) in (0..).zip(groups) {
        for (source, destination) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let (source, destination) = (2 * from + source, 20 + 2 * to + destination);
            assert_eq!(tops(&routing, source, destination), [top]);
        }
    }
    assert_eq!(tops(&routing, 4, 7), [0]);
}

/// As printed it stays within the range on no tree up to m = 32 but where m/2 is a square.
#[test]
fn osrm2_leaves_the_range_where_half_is_no_square() {
    let out_of_range = |index| -> Vec<u32> {
        let all = (1..=16).map(|half| 2 * half);
        all.filter(|&m| Osrm2::new(tree(m, 2), index).is_err())
            .collect()
    };
    assert_eq!(
        out_of_range(Osrm2Index::Printed),
        [4, 6, 10, 12, 14, 16, 20, 22, 24, 26, 28, 30]
    );
    assert_eq!(out_of_range(Osrm2Index::Corrected), [10, 20, 22]);
    let error = Osrm2::new(tree(10, 2), Osrm2Index::Corrected).unwrap_err();
    let expected = "OSRM2 on FT(10, 2): found top switch 5, expected 0 to 4";
    assert_eq!(error.to_string(), expected);
    let error = Osrm2::new(tree(8, 3), Osrm2Index::Printed).unwrap_err();
    let expected = "OSRM2 as printed: found FT(8, 3), expected 2 levels";
    assert_eq!(error.to_string(), expected);
}

/// Figure 10, the third route, from node (0, 1, 2) to node (3, 0, 1) of FT(8, 3).
#[test]
fn osrm3_goes_by_the_last_digits() {
    let routing = Osrm3::new(tree(8, 3)).unwrap();
    let (source, destination) = (4 + 2, 3 * 16 + 1);
    let top = tops(&routing, source, destination)[0];
    let path = routing.tree().path(source, destination, top);
    let labels: Vec<String> = path
        .iter()
        .map(|&link| routing.tree().ends(link).1)
        .filter(|vertex| !matches!(vertex, Vertex::Node(_)))
        .map(|vertex| routing.tree().label(vertex).to_string())
        .collect();
    let expected = [
        "switch((0, 1), 2)",
        "switch((0, 2), 1)",
        "switch((2, 1), 0)",
        "switch((3, 2), 1)",
        "switch((3, 0), 2)",
    ];
    assert_eq!(labels, expected);
    assert_eq!(tops(&routing, source, 9), [2]);
}

#[test]
fn modulo_climbs_by_the_last_digit_first() {
    let tree = tree(8, 3);
    let mlid = Modulo::mlid(tree);
    // Node (0, 1, 2) climbs by port 2, then by port 1.
    assert_eq!(tops(&mlid, 6, 100), [2 * 4 + 1]);
    assert_eq!(tops(&mlid, 6, 0), [2]);
    let destination = Modulo::new(tree, Chooser::Destination, 2);
    assert_eq!(tops(&destination, 100, 6), [2 * 4 + 1, 3 * 4 + 1]);
    assert_eq!(tops(&destination, 5, 6), [0]);
    assert_eq!(destination.name(), "d-mod-k, 2 paths");
}

/// WSR against a plain one that weighs whole paths.
#[test]
fn wsr_takes_the_lightest_path() {
    for (m, n) in [(4, 2), (4, 3), (8, 2), (6, 3)] {
        let tree = tree(m, n);
        let routing = Widest::new(tree);
        let mut weights = vec![0u32; tree.links() as usize];
        for source in 0..tree.nodes() {
            for destination in (0..tree.nodes()).filter(|&other| other != source) {
                let path = |top| tree.path(source, destination, top);
                let weight = |top: &u32| -> u32 {
                    let links = path(*top).into_iter();
                    links.map(|link| weights[tree.index(link)]).sum()
                };
                let top = (0..tree.tops(source, destination)).min_by_key(weight);
                assert_eq!(tops(&routing, source, destination), [top.unwrap()]);
                for link in path(top.unwrap()) {
                    weights[tree.index(link)] += 1;
                }
            }
        }
    }
}

/// Every set of paths is as likely, and asked in any order they are the same.
#[test]
fn paths_are_drawn_evenly_and_by_their_pair_alone() {
    let tree = tree(8, 2);
    let mut counts = [0; 1 << 4];
    let pairs = || (0..16).flat_map(|source| (16..32).map(move |to| (source, to)));
    for seed in 0..24 {
        let routing = Drawn::new(tree, 2, seed);
        for (source, destination) in pairs() {
            let tops = tops(&routing, source, destination);
            counts[tops.iter().map(|top| 1 << top).sum::<usize>()] += 1;
        }
        let ahead: Vec<_> = pairs().map(|(a, b)| tops(&routing, a, b)).collect();
        let mut back: Vec<_> = pairs().collect();
        back.reverse();
        let mut back: Vec<_> = back.iter().map(|&(a, b)| tops(&routing, a, b)).collect();
        back.reverse();
        assert_eq!(ahead, back);
    }
    // Each of the six sets has 1,024 on average, with a standard deviation of 29.
    let chosen: Vec<i32> = counts.into_iter().filter(|&count| count > 0).collect();
    assert_eq!(chosen.len(), 6);
    assert!(
        chosen.iter().all(|count| (910..1140).contains(count)),
        "{chosen:?}"
    );
}

/// Paths that climb and then come down do not wait for each other in a circle.
#[test]
fn shortest_paths_of_trees_have_none() {
    for (m, n) in [(4, 3), (6, 2)] {
        let tree = PortTree::new(m, n).unwrap();
        let mut dependencies = Dependencies::default();
        let mut shares = Vec::new();
        for (source, destination) in
            (0..tree.nodes()).flat_map(|a| (0..tree.nodes()).map(move |b| (a, b)))
        {
            if source == destination {
                continue;
            }
            EveryPath::new(tree).shares(source, destination, &mut shares);
            for share in &shares {
                let path = tree.path(source, destination, share.top);
                let channels = path.iter().map(|&link| tree.index(link) as u32);
                dependencies.add(&channels.collect::<Vec<u32>>());
            }
        }
        assert_eq!(dependencies.circle(), None);
    }
}
