use num_rational::Ratio;

use super::optimum::{OptimumError, RoutingFreedom, optimum};
use super::rerouted::{Rerouted, ShareMove};
use super::*;
use crate::load::{Demand, LinkLoads, TrafficMatrix, load_by_paths, performance_ratio};
use crate::ratio::oblivious_ratio;
use crate::routing::every_path::EveryPath;
use crate::routing::modulo::{Chooser, Modulo};
use crate::traffic::TrafficPattern;

fn tree(m: u32, n: u32) -> PortTree {
    PortTree::new(m, n).unwrap()
}

fn failed(tree: PortTree, names: &[&str]) -> Failures {
    let failure = |name: &&str| TreeFailure::parse(tree, name).unwrap();
    Failures::new(tree, names.iter().map(failure))
}

#[test]
fn failures_have_names() {
    let tree = tree(8, 3);
    let error = |name| {
        let error = TreeFailure::parse(tree, name).unwrap_err();
        format!("{}: {}", error.place, error.message)
    };
    let all = (0..3).flat_map(|level| {
        (0..tree.switches_of(level)).map(move |number| Vertex::Switch { level, number })
    });
    for vertex in all {
        let Vertex::Switch { level, number } = vertex else {
            panic!("a switch");
        };
        let name = tree.label(vertex).to_string();
        let found = TreeFailure::parse(tree, &name);
        assert_eq!(found, Ok(TreeFailure::Switch { level, number }));
        let found = TreeFailure::parse(tree, &format!("  {name}port 7 "));
        let link = tree.link_by_port(level, number, 7).unwrap();
        assert_eq!(found, Ok(TreeFailure::Link(link)));
    }
    let node = TreeFailure::parse(tree, "node(3,0, 2)");
    let link = tree.link_of(3 * 16 + 2, 0, 0, LinkDirection::Up);
    assert_eq!(node, Ok(TreeFailure::Link(link)));
    for (name, expected) in [
        (
            "",
            "failure ``: found ``, expected a label such as node(0, 0, 0) or switch((0, 0), 2)",
        ),
        (
            "node(8, 0, 0)",
            "found digit 8, expected 0 to 7 in its place",
        ),
        ("node(0, 0)", "found 2 digits, expected 3 in FT(8, 3)"),
        (
            "switch((4, 0), 0)",
            "found digit 4, expected 0 to 3 in its place",
        ),
        ("switch((0, 0), 3)", "found level 3, expected 0 to 2"),
        ("switch((0, 0), 2) port 8", "found port 8, expected 0 to 7"),
        (
            "switch((0, 0), 2) port x",
            "found port `x`, expected a number",
        ),
        (
            "switch((0, 0), 99999999999)",
            "found a number above 2^32 - 1",
        ),
        ("switch[(0, 0), 2)", "expected a label such as"),
        ("switch()", "expected a label such as"),
        ("node(0, 0, 0) port 1", "found a port of a node"),
    ] {
        assert!(error(name).contains(expected), "{name}: {}", error(name));
    }
}

/// A root switch of FT(4, 2) carries half of the pairs of each routing between switches.
#[test]
fn cut_pairs_are_counted() {
    let tree = tree(4, 2);
    let root = failed(tree, &["switch(1, 0)"]);
    let cut = root.cut(&Modulo::mlid(tree));
    // Each of 8 sources reaches 6 others through the root, and half of them by switch 1.
    assert_eq!(
        cut,
        Cut {
            pairs: 56,
            some: 0,
            all: 24,
            disconnected: 0
        }
    );
    assert_eq!(root.cut(&EveryPath::new(tree)).some, 48);
    let leaf = failed(tree, &["switch(0, 1)"]);
    let cut = leaf.cut(&EveryPath::new(tree));
    // Two nodes to six others and back, and to each other.
    assert_eq!((cut.all, cut.disconnected), (26, 26));
    let node = failed(tree, &["node(3, 1)"]);
    assert_eq!(node.cut(&EveryPath::new(tree)).disconnected, 14);
    let link = failed(tree, &["switch(0, 1) port 2"]);
    let cut = link.cut(&Modulo::mlid(tree));
    // MLID sends node 0 up there, and nodes of even numbers down.
    assert_eq!((cut.all, cut.disconnected), (6 + 2 * 3, 0));
}

/// Loads of a rerouted pair, path by path, on trees with every single link or switch failed.
#[test]
fn shares_stay_whole_and_move_to_whole_paths() {
    let (mut cut, mut kept) = (0, 0);
    for (m, n) in [(4, 2), (6, 2), (4, 3)] {
        let tree = tree(m, n);
        let links = (0..tree.links() as usize).step_by(3);
        let single = links.map(|index| TreeFailure::Link(tree.link(index)));
        let switches = (0..n).map(|level| TreeFailure::Switch { level, number: 1 });
        for failure in single.chain(switches) {
            let failures = Failures::new(tree, [failure]);
            let routings: [&dyn Routing; 3] = [
                &EveryPath::new(tree),
                &Modulo::mlid(tree),
                &Modulo::new(tree, Chooser::Destination, 2),
            ];
            for routing in routings {
                for to in [ShareMove::Evenly, ShareMove::RoundRobin] {
                    let (of_cut, of_kept) = check_shares(routing, &failures, to);
                    (cut, kept) = (cut + of_cut, kept + of_kept);
                }
            }
        }
    }
    assert!(cut > 1000 && kept > 1000, "{cut} and {kept}");
}

/// Gives how many pairs have lost something, and how many of these have something left where it was.
fn check_shares(routing: &dyn Routing, failures: &Failures, to: ShareMove) -> (usize, usize) {
    let (mut pairs_cut, mut pairs_kept) = (0, 0);
    let tree = routing.tree();
    let rerouted = Rerouted::new(routing, failures, to).unwrap();
    let scale = rerouted.units() / routing.units();
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for source in 0..tree.nodes() {
        for destination in (0..tree.nodes()).filter(|&other| other != source) {
            routing.shares(source, destination, &mut before);
            rerouted.shares(source, destination, &mut after);
            assert!(after.is_sorted_by(|a, b| a.top < b.top));
            let whole: Vec<u32> = failures.whole_tops(source, destination).collect();
            let is_whole = |share: &Share| whole.contains(&share.top);
            assert!(after.iter().all(is_whole));
            let sum: u32 = after.iter().map(|share| share.units).sum();
            let expected = if whole.is_empty() {
                0
            } else {
                rerouted.units()
            };
            assert_eq!(sum, expected);
            for share in before.iter().filter(|share| is_whole(share)) {
                let kept = after.iter().find(|after| after.top == share.top);
                assert!(kept.unwrap().units >= share.units * scale);
            }
            let cut: u32 = before
                .iter()
                .filter(|share| !is_whole(share))
                .map(|share| share.units * scale)
                .sum();
            pairs_cut += usize::from(cut > 0);
            pairs_kept += usize::from(cut > 0 && before.iter().any(is_whole));
            if to == ShareMove::Evenly && cut > 0 {
                for &top in &whole {
                    let units = |shares: &[Share]| {
                        let share = shares.iter().find(|share| share.top == top);
                        share.map_or(0, |share| share.units)
                    };
                    let moved = units(&after) - units(&before) * scale;
                    assert_eq!(moved * whole.len() as u32, cut);
                }
            }
        }
    }
    (pairs_cut, pairs_kept)
}

/// FT(10, 2) without root switches 2 and 3: whole are the paths by 0, 1 and 4. The share of top
/// switch t from source s to destination d takes number (s + d + t) mod 3 of these.
#[test]
fn cut_shares_move_in_turn() {
    let tree = tree(10, 2);
    let failures = failed(tree, &["switch(2, 0)", "switch(3, 0)"]);
    let routing = EveryPath::new(tree);
    let rerouted = Rerouted::new(&routing, &failures, ShareMove::RoundRobin).unwrap();
    let mut shares = Vec::new();
    let mut tops = |source, destination| {
        rerouted.shares(source, destination, &mut shares);
        let share = |share: &Share| (share.top, share.units);
        shares.iter().map(share).collect::<Vec<_>>()
    };
    assert_eq!(rerouted.units(), 5);
    // 0 + 5 + 2 = 7 takes number 1, and 0 + 5 + 3 = 8 number 2.
    assert_eq!(tops(0, 5), [(0, 1), (1, 2), (4, 2)]);
    // 8 and 9: numbers 2 and 0.
    assert_eq!(tops(1, 5), [(0, 2), (1, 1), (4, 2)]);
    assert_eq!(tops(0, 6), [(0, 2), (1, 1), (4, 2)]);
    // 9 and 10: numbers 0 and 1; and so from 40 to 17, 59 and 60 giving 2 and 0.
    assert_eq!(tops(5, 2), [(0, 2), (1, 2), (4, 1)]);
    assert_eq!(tops(40, 17), [(0, 2), (1, 1), (4, 2)]);
    // Within a switch nothing is cut, nor is what a node has for itself.
    assert_eq!(tops(0, 4), [(0, 5)]);
    assert_eq!(tops(7, 7), [(0, 5)]);
}

/// The same tree without root switch 2: its share, a fifth, is divided among four, which takes
/// shares in twentieths.
#[test]
fn cut_shares_move_to_all_that_are_left() {
    let tree = tree(10, 2);
    let failures = failed(tree, &["switch(2, 0)"]);
    let routing = EveryPath::new(tree);
    let rerouted = Rerouted::new(&routing, &failures, ShareMove::Evenly).unwrap();
    assert_eq!(rerouted.units(), 20);
    let mut shares = Vec::new();
    for (source, destination, expected) in [
        (0, 5, &[(0, 5), (1, 5), (3, 5), (4, 5)][..]),
        (49, 0, &[(0, 5), (1, 5), (3, 5), (4, 5)]),
        (0, 4, &[(0, 20)]),
        (7, 7, &[(0, 20)]),
    ] {
        rerouted.shares(source, destination, &mut shares);
        let found: Vec<_> = shares
            .iter()
            .map(|share| (share.top, share.units))
            .collect();
        assert_eq!(found, expected, "{source} to {destination}");
    }
}

/// The worst of every partial permutation of connected pairs.
fn by_trying(routing: &dyn Routing) -> Ratio<u64> {
    fn go_on(
        routing: &dyn Routing,
        source: u32,
        pairs: &mut Vec<(u32, u32)>,
        worst: &mut Ratio<u64>,
    ) {
        let nodes = routing.tree().nodes();
        if source == nodes {
            let traffic = TrafficMatrix::of_pairs(nodes, pairs.iter().copied());
            *worst = (*worst).max(LinkLoads::new(routing, &traffic).max().0);
            return;
        }
        for destination in 0..nodes {
            if pairs.iter().all(|pair| pair.1 != destination) {
                pairs.push((source, destination));
                go_on(routing, source + 1, pairs, worst);
                pairs.pop();
            }
        }
    }
    let mut worst = 0.into();
    go_on(routing, 0, &mut Vec::new(), &mut worst);
    worst
}

/// FT(4, 2) by hand: with one of two root switches gone, both nodes of a switch send by the other, so
/// that its links carry 2; the assignment agrees with every permutation.
#[test]
fn ratios_after_rerouting_are_exact() {
    let tree = tree(4, 2);
    let nothing = failed(tree, &[]);
    let root = failed(tree, &["switch(0, 0)"]);
    let link = failed(tree, &["switch(0, 1) port 2"]);
    let leaf = failed(tree, &["switch(2, 1)", "switch(0, 1) port 3"]);
    let routings: [&dyn Routing; 2] = [&EveryPath::new(tree), &Modulo::mlid(tree)];
    let mut found = Vec::new();
    for routing in routings {
        for failures in [&nothing, &root, &link, &leaf] {
            for to in [ShareMove::Evenly, ShareMove::RoundRobin] {
                let rerouted = Rerouted::new(routing, failures, to).unwrap();
                let ratio = oblivious_ratio(&rerouted, 1);
                if to == ShareMove::Evenly {
                    assert_eq!(ratio.ratio, by_trying(&rerouted), "{}", rerouted.name());
                    found.push(ratio.ratio.to_string());
                }
                let nodes = tree.nodes();
                let witness = TrafficMatrix::of_pairs(nodes, ratio.witness.iter().copied());
                let attained = performance_ratio(&rerouted, &witness);
                assert_eq!(attained, Some(ratio.ratio));
                let index = LinkLoads::new(&rerouted, &witness).max().1;
                let by_paths = load_by_paths(&rerouted, &witness, tree.link(index));
                assert_eq!(by_paths, ratio.ratio);
            }
        }
    }
    assert_eq!(found, ["1", "2", "2", "2", "2", "2", "2", "2"]);
}

#[test]
fn the_optimum_of_a_whole_tree_is_the_base_load() {
    for (m, n) in [(4, 2), (6, 2), (4, 3)] {
        let tree = tree(m, n);
        let nothing = failed(tree, &[]);
        for pattern in [
            TrafficPattern::Permutation,
            TrafficPattern::Ring,
            TrafficPattern::Pairs { probability: 0.1 },
        ] {
            let traffic = pattern.matrix(tree.nodes(), 3, 0).unwrap();
            for ways in [RoutingFreedom::Shortest, RoutingFreedom::Any] {
                let found = optimum(&nothing, &traffic, ways).unwrap();
                let expected = traffic.base_load() as f64;
                assert!((found.load - expected).abs() < 1e-6, "{pattern} on {tree}");
                assert_eq!(found.disconnected, 0);
            }
        }
    }
}

/// FT(4, 2): the nodes of switch 0 send to those of switch 1 and back. Without one of its up links
/// switch 0 has one for two units. Without one of the two from switch 0 and the other one from
/// switch 1 no shortest path is left, but one by way of switch 2 is.
#[test]
fn damage_raises_the_optimum() {
    let tree = tree(4, 2);
    let pairs = [(0, 2), (1, 3), (2, 0), (3, 1)];
    let traffic = TrafficMatrix::of_pairs(8, pairs);
    let found = |names: &[&str], ways| optimum(&failed(tree, names), &traffic, ways).unwrap();
    for ways in [RoutingFreedom::Shortest, RoutingFreedom::Any] {
        let one = found(&["switch(0, 1) port 2"], ways);
        assert!((one.load - 2.0).abs() < 1e-6 && one.disconnected == 0);
        let gone = found(&["switch(0, 1)"], ways);
        assert_eq!((gone.load, gone.disconnected), (0.0, 4));
    }
    let crossed = ["switch(0, 1) port 2", "switch(1, 1) port 3"];
    let shortest = found(&crossed, RoutingFreedom::Shortest);
    assert_eq!((shortest.load, shortest.disconnected), (0.0, 4));
    let any = found(&crossed, RoutingFreedom::Any);
    assert!(
        (any.load - 2.0).abs() < 1e-6 && any.disconnected == 0,
        "{any:?}"
    );
}

/// No routing of whole paths is better than the optimum.
#[test]
fn rerouting_is_no_better_than_the_optimum() {
    let tree = tree(6, 2);
    let failures = failed(tree, &["switch(1, 0)", "switch(3, 1) port 3"]);
    for instance in 0..5 {
        let traffic = TrafficPattern::Permutation
            .matrix(tree.nodes(), 1, instance)
            .unwrap();
        let best = |ways| optimum(&failures, &traffic, ways).unwrap().load;
        let (shortest, any) = (best(RoutingFreedom::Shortest), best(RoutingFreedom::Any));
        assert!(any <= shortest + 1e-6 && any >= 1.0 - 1e-6);
        for routing in [&EveryPath::new(tree) as &dyn Routing, &Modulo::mlid(tree)] {
            let rerouted = Rerouted::new(routing, &failures, ShareMove::Evenly).unwrap();
            let load = LinkLoads::new(&rerouted, &traffic).max().0;
            let load = *load.numer() as f64 / *load.denom() as f64;
            assert!(load >= shortest - 1e-6, "{load} and {shortest}");
        }
    }
}

#[test]
fn large_programs_are_refused() {
    let tree = tree(8, 3);
    let all = TrafficPattern::Pairs { probability: 1.0 }
        .matrix(tree.nodes(), 1, 0)
        .unwrap();
    for ways in [RoutingFreedom::Shortest, RoutingFreedom::Any] {
        let error = optimum(&failed(tree, &[]), &all, ways).unwrap_err();
        assert!(matches!(error, OptimumError::Variables { found } if found > 20_000));
    }
}

/// Without switch 0 of FT(4, 2) its nodes 0 and 1 are alone. What is left takes the links of nodes: 6
/// into node 6, and 5 + 4 out of node 4.
#[test]
fn all_that_is_sent_in_vain_is_counted() {
    let tree = tree(4, 2);
    let failures = failed(tree, &["switch(0, 1)"]);
    let demand = |(source, destination, amount)| Demand {
        source,
        destination,
        amount,
    };
    let kept = [(4, 6, 5), (5, 6, 1), (4, 7, 4)];
    let lost = [(0, 2, 3), (0, 1, 20), (1, 4, 7), (2, 0, 100), (7, 1, 1000)];
    let all = kept.into_iter().chain(lost).map(demand);
    let traffic = TrafficMatrix::new(8, all);
    for ways in [RoutingFreedom::Shortest, RoutingFreedom::Any] {
        let found = optimum(&failures, &traffic, ways).unwrap();
        assert!((found.load - 9.0).abs() < 1e-6, "{ways:?}: {}", found.load);
        assert_eq!(found.disconnected, 3 + 20 + 7 + 100 + 1000, "{ways:?}");
    }
}
