use std::collections::BTreeSet;

use super::*;
use crate::shape::{Growth, RingCapacity, ShapeOptions};

fn standard(family: Family, ring: u32, levels: u32) -> Graph {
    Graph::new(FrameShape::new(family, ring, levels).unwrap())
}

/// Small networks of every family and option.
fn small() -> Vec<Graph> {
    let mut graphs = Vec::new();
    let sizes = [(3, 1), (3, 3), (4, 1), (4, 2), (4, 3), (5, 2), (7, 2)];
    for family in Family::ALL {
        for form in [SwitchForm::Singular, SwitchForm::Split] {
            for growth in [Growth::Doubling, Growth::Unit] {
                for ring_capacity in [RingCapacity::Copies, RingCapacity::Upward] {
                    for leaf_links in [false, true] {
                        let options = ShapeOptions {
                            form,
                            leaf_links,
                            ring_capacity,
                            growth,
                        };
                        let shape = |(ring, levels)| {
                            FrameShape::with_options(family, ring, levels, options).ok()
                        };
                        graphs.extend(sizes.into_iter().filter_map(shape).map(Graph::new));
                    }
                }
            }
        }
    }
    graphs
}

/// The pairs of addresses that are linked.
fn pairs(graph: &Graph) -> BTreeSet<(String, String)> {
    let address = |node| graph.address(node).to_string();
    let links = graph.links().iter();
    links
        .map(|link| {
            let (a, b) = (address(link.from), address(link.to));
            (a.clone().min(b.clone()), a.max(b))
        })
        .collect()
}

#[test]
fn arcs_are_the_links_from_both_ends() {
    let graphs = small();
    assert!(graphs.len() > 50);
    for graph in graphs {
        assert_eq!(graph.nodes(), graph.shape().nodes());
        assert!(graph.links().len() <= 10 * graph.processors().len());
        let mut seen = vec![0; graph.links().len() * 2];
        for node in 0..graph.nodes() {
            assert_eq!(graph.number_of(graph.node(node)), node);
            assert!(graph.arcs(node).is_sorted_by_key(|arc| arc.hop.link));
            for arc in graph.arcs(node) {
                assert_eq!(graph.ends(arc.hop), (node, arc.to));
                assert_eq!(graph.ends(arc.hop.reversed()), (arc.to, node));
                seen[arc.hop.index()] += 1;
            }
        }
        assert!(seen.iter().all(|&times| times == 1));
    }
}

#[test]
fn links_join_whom_the_rule_says() {
    for graph in small() {
        let shape = graph.shape();
        for link in graph.links() {
            let (from, to) = (graph.node(link.from), graph.node(link.to));
            assert_eq!(link.level, from.level);
            assert_ne!(link.from, link.to);
            match link.kind {
                LinkKind::Up => {
                    assert_eq!(to.level, from.level + 1);
                    assert_eq!(to.position, from.position / shape.ring());
                }
                LinkKind::Ring | LinkKind::Mesh => {
                    assert_eq!((to.level, to.copy), (from.level, from.copy));
                    let same = to.position / shape.ring() == from.position / shape.ring();
                    assert!(same || link.kind == LinkKind::Mesh);
                }
            }
        }
    }
}

/// Every switch copy has two links upwards, and one down to each child.
#[test]
fn split_switches_are_those_of_a_butterfly_fat_tree() {
    let options = ShapeOptions {
        form: SwitchForm::Split,
        ..ShapeOptions::of(Family::ButterflyFatTree)
    };
    let shape = FrameShape::with_options(Family::ButterflyFatTree, 4, 4, options).unwrap();
    let graph = Graph::new(shape);
    for node in graph.processors().end..graph.nodes() {
        let up = graph.arcs(node).iter().filter(|arc| arc.hop.forward);
        let down = graph.arcs(node).iter().filter(|arc| !arc.hop.forward);
        let children: BTreeSet<u32> = down.map(|arc| graph.node(arc.to).position).collect();
        assert_eq!(children.len(), 4);
        let expected = if graph.node(node).level == 4 { 0 } else { 2 };
        assert_eq!(up.count(), expected);
    }
    assert!(graph.links().iter().all(|link| link.capacity == 1));
    let level = |node| graph.node(node).level;
    let roots = (0..graph.nodes()).filter(|&node| level(node) == 4);
    assert_eq!(roots.count(), 8);
}

#[test]
fn each_family_has_the_links_of_the_one_before() {
    for levels in 1..=4 {
        let tree = pairs(&standard(Family::ButterflyFatTree, 4, levels));
        let stack = pairs(&standard(Family::AugmentedFatStack, 4, levels));
        let pyramid = pairs(&standard(Family::FatPyramid, 4, levels));
        assert!(tree.is_subset(&stack) && stack.is_subset(&pyramid));
        let general = pairs(&standard(Family::GeneralFatStack, 4, levels));
        let options = ShapeOptions {
            leaf_links: true,
            ..ShapeOptions::of(Family::AugmentedFatStack)
        };
        let shape =
            FrameShape::with_options(Family::AugmentedFatStack, 4, levels, options).unwrap();
        let linked = pairs(&Graph::new(shape));
        assert!(general.is_subset(&linked), "{levels}");
    }
}

/// Figure 1(b), on two levels.
#[test]
fn a_general_stack_of_rings_of_three() {
    let graph = standard(Family::GeneralFatStack, 3, 2);
    let links: Vec<String> = graph
        .links()
        .iter()
        .map(|link| {
            let (from, to) = (graph.address(link.from), graph.address(link.to));
            format!("{from} - {to}")
        })
        .collect();
    let expected = [
        "(0, 0) - (0)",
        "(1, 0) - (1)",
        "(2, 0) - (2)",
        "(0, 0) - (0, 1)",
        "(0, 1) - (0, 2)",
        "(0, 2) - (0, 0)",
        "(1, 0) - (1, 1)",
        "(1, 1) - (1, 2)",
        "(1, 2) - (1, 0)",
        "(2, 0) - (2, 1)",
        "(2, 1) - (2, 2)",
        "(2, 2) - (2, 0)",
        "(0) - (1)",
        "(1) - (2)",
        "(2) - (0)",
    ];
    assert_eq!(links, expected);
}

/// The mesh of a level has 2 s (s - 1) links, s being its side.
#[test]
fn meshes_are_square() {
    let graph = standard(Family::FatPyramid, 4, 4);
    for (level, side) in [(1, 8), (2, 4), (3, 2)] {
        let links = graph.links().iter();
        let mesh = links.filter(|link| link.kind == LinkKind::Mesh && link.level == level);
        assert_eq!(mesh.count(), 2 * side * (side - 1));
    }
}
