use std::collections::{BTreeMap, BTreeSet};

use super::*;

/// Small trees of every shape, those of one level and of two ports among them.
const SMALL: [(u32, u32); 10] = [
    (2, 1),
    (2, 3),
    (4, 1),
    (4, 2),
    (4, 3),
    (4, 4),
    (6, 2),
    (6, 3),
    (8, 2),
    (10, 2),
];

/// A tree that was wired by the paper's recursion, knowing none of the formulas.
#[derive(Default)]
struct Built {
    /// Wires, from below to above.
    wires: Vec<(usize, usize)>,
    /// The level of each switch, counted from the root; nodes have `n`.
    levels: Vec<u32>,
    /// Nodes, in their order.
    nodes: Vec<usize>,
    /// By l: the switches of each SUBFT(m, l).
    subtrees: BTreeMap<u32, Vec<Vec<usize>>>,
}

impl Built {
    fn new(tree: PortTree) -> Built {
        let mut built = Built::default();
        if tree.levels() == 1 {
            let root = built.vertex(0);
            for _ in 0..tree.ports() {
                let node = built.node(1);
                built.wires.push((node, root));
            }
            return built;
        }
        let below: Vec<Vec<usize>> = (0..tree.ports())
            .map(|_| built.subtree(tree, tree.levels() - 1))
            .collect();
        for port in 0..below[0].len() {
            let root = built.vertex(0);
            for ports in &below {
                built.wires.push((ports[port], root));
            }
        }
        built
    }

    fn vertex(&mut self, level: u32) -> usize {
        self.levels.push(level);
        self.levels.len() - 1
    }

    fn node(&mut self, levels: u32) -> usize {
        let node = self.vertex(levels);
        self.nodes.push(node);
        node
    }

    /// SUBFT(m, l): the switch of each of its up-link ports.
    fn subtree(&mut self, tree: PortTree, l: u32) -> Vec<usize> {
        let half = tree.half() as usize;
        let first = self.levels.len();
        let level = tree.levels() - l;
        let below: Vec<Vec<usize>> = (0..half)
            .map(|_| match l {
                1 => vec![self.node(tree.levels())],
                _ => self.subtree(tree, l - 1),
            })
            .collect();
        let mut ports = Vec::new();
        for port in 0..below[0].len() {
            let top = self.vertex(level);
            for lower in &below {
                self.wires.push((lower[port], top));
            }
            ports.extend(std::iter::repeat_n(top, half));
        }
        let all = (first..self.levels.len()).collect();
        self.subtrees.entry(l).or_default().push(all);
        ports
    }
}

fn trees() -> impl Iterator<Item = PortTree> {
    SMALL.map(|(m, n)| PortTree::new(m, n).unwrap()).into_iter()
}

fn links(tree: PortTree) -> impl Iterator<Item = TreeLink> {
    (0..tree.links() as usize).map(move |index| tree.link(index))
}

/// The number of shortest paths by counting in the graph.
fn shortest_paths(tree: PortTree, source: u32, destination: u32) -> u32 {
    let mut next: BTreeMap<Vertex, Vec<Vertex>> = BTreeMap::new();
    for link in links(tree) {
        let (from, to) = tree.ends(link);
        next.entry(from).or_default().push(to);
    }
    let mut front = BTreeMap::from([(Vertex::Node(source), 1)]);
    let mut seen = BTreeSet::new();
    while !front.contains_key(&Vertex::Node(destination)) {
        seen.extend(front.keys().copied());
        let mut after = BTreeMap::new();
        for (vertex, paths) in front {
            for &to in next[&vertex].iter().filter(|to| !seen.contains(to)) {
                *after.entry(to).or_default() += paths;
            }
        }
        front = after;
    }
    front[&Vertex::Node(destination)]
}

#[test]
fn the_formulas_wire_what_the_recursion_wires() {
    for tree in trees() {
        let built = Built::new(tree);
        // Vertices of a level stand in the same order in both.
        let mut numbers = BTreeMap::new();
        let mut counts = vec![0; tree.levels() as usize + 1];
        for (vertex, &level) in built.levels.iter().enumerate() {
            let number = counts[level as usize];
            counts[level as usize] += 1;
            let named = match level == tree.levels() {
                true => Vertex::Node(number),
                false => Vertex::Switch { level, number },
            };
            numbers.insert(vertex, named);
        }
        let wired: BTreeSet<_> = built
            .wires
            .iter()
            .map(|(low, high)| (numbers[low], numbers[high]))
            .collect();
        let up = links(tree).filter(|link| link.direction == LinkDirection::Up);
        let by_formula: BTreeSet<_> = up.map(|link| tree.ends(link)).collect();
        assert_eq!(wired, by_formula, "{tree}");
        assert_eq!(built.wires.len(), tree.links() as usize / 2, "{tree}");
        let switches = counts.split_last().unwrap().1.iter().sum::<u32>();
        assert_eq!(switches, tree.switches());
        assert_eq!(built.nodes.len(), tree.nodes() as usize);
    }
}

#[test]
fn links_are_numbered_densely_and_both_ways() {
    for tree in trees() {
        for (index, link) in links(tree).enumerate() {
            assert_eq!(tree.index(link), index);
            let (from, to) = tree.ends(link);
            let back = TreeLink {
                direction: match link.direction {
                    LinkDirection::Up => LinkDirection::Down,
                    LinkDirection::Down => LinkDirection::Up,
                },
                ..link
            };
            assert_eq!(tree.ends(back), (to, from));
        }
    }
}

#[test]
fn property_1_counts_sub_fat_trees() {
    for tree in trees() {
        let built = Built::new(tree);
        for l in 1..tree.levels() {
            let expected = tree.ports() * tree.power(tree.levels() - 1 - l);
            assert_eq!(built.subtrees[&l].len(), expected as usize, "{tree} {l}");
        }
    }
}

/// Above the SUBFT(m, i), a walk that starts at up-link port j ends at ports j alone, and at those of all.
#[test]
fn property_2_joins_ports_of_one_number() {
    for tree in trees() {
        for i in 1..tree.levels() {
            let level = tree.opposite(i);
            let above: Vec<(Vertex, Vertex)> = links(tree)
                .filter(|link| link.level < level)
                .map(|link| tree.ends(link))
                .collect();
            let port_links = links(tree).filter(|link| link.level == level);
            let ports: Vec<(Vertex, u32)> = port_links
                .filter(|link| link.direction == LinkDirection::Up)
                .map(|link| (tree.ends(link).1, link.number % tree.power(i)))
                .collect();
            for &(start, port) in &ports[..tree.power(i) as usize] {
                let mut reached = BTreeSet::from([start]);
                loop {
                    let more: Vec<Vertex> = above
                        .iter()
                        .filter(|(from, to)| reached.contains(from) && !reached.contains(to))
                        .map(|&(_, to)| to)
                        .collect();
                    if more.is_empty() {
                        break;
                    }
                    reached.extend(more);
                }
                for &(switch, other) in &ports {
                    assert_eq!(reached.contains(&switch), other == port, "{tree} {i}");
                }
            }
        }
    }
}

#[test]
fn property_3_counts_shortest_paths() {
    for (m, n) in [(2, 3), (4, 2), (4, 3), (6, 2)] {
        let tree = PortTree::new(m, n).unwrap();
        let destinations = (1..tree.nodes()).step_by(if n == 3 { 3 } else { 1 });
        for destination in destinations {
            let tops = tree.tops(0, destination);
            assert_eq!(tops, shortest_paths(tree, 0, destination), "{tree}");
            let mut paths = BTreeSet::new();
            for top in 0..tops {
                let path = tree.path(0, destination, top);
                let mut at = Vertex::Node(0);
                for &link in &path {
                    assert_eq!(tree.ends(link).0, at);
                    at = tree.ends(link).1;
                }
                assert_eq!(at, Vertex::Node(destination));
                paths.insert(path);
            }
            assert_eq!(paths.len(), tops as usize);
        }
    }
}

#[test]
fn properties_4_and_5_say_how_paths_share_links() {
    for tree in trees().filter(|tree| tree.nodes() <= 54) {
        let nodes = tree.nodes();
        let mut users = vec![BTreeSet::new(); tree.links() as usize];
        for source in 0..nodes {
            for destination in (0..nodes).filter(|&other| other != source) {
                let tops = tree.tops(source, destination);
                let meeting = tree.meeting_height(source, destination);
                let mut uses: BTreeMap<TreeLink, u32> = BTreeMap::new();
                for top in 0..tops {
                    for link in tree.path(source, destination, top) {
                        *uses.entry(link).or_default() += 1;
                        users[tree.index(link)].insert(match link.direction {
                            LinkDirection::Up => source,
                            LinkDirection::Down => destination,
                        });
                    }
                }
                for (link, paths) in uses {
                    let height = tree.opposite(link.level);
                    assert_eq!(paths, tree.power(meeting - height));
                }
            }
        }
        for (index, users) in users.iter().enumerate() {
            let height = tree.opposite(tree.link(index).level);
            assert_eq!(users.len(), tree.power(height) as usize, "{tree}");
        }
    }
}

#[test]
fn labels_are_the_papers() {
    let label = |m, n, vertex| PortTree::new(m, n).unwrap().label(vertex).to_string();
    assert_eq!(label(8, 2, Vertex::Node(14)), "node(3, 2)");
    let switch = |level, number| Vertex::Switch { level, number };
    assert_eq!(label(8, 2, switch(1, 7)), "switch(7, 1)");
    assert_eq!(label(8, 3, switch(2, 30)), "switch((7, 2), 2)");
    assert_eq!(label(8, 3, switch(0, 15)), "switch((3, 3), 0)");
    assert_eq!(label(8, 1, switch(0, 0)), "switch(0)");
    // Section V.B: switch ((i0, i1), 1) has a link to each switch ((i1, X), 0).
    let tree = PortTree::new(8, 3).unwrap();
    let path = tree.path(0, 127, 2 * 4 + 3);
    let labels: Vec<String> = path
        .iter()
        .map(|&link| tree.label(tree.ends(link).1).to_string())
        .collect();
    let expected = [
        "switch((0, 0), 2)",
        "switch((0, 2), 1)",
        "switch((2, 3), 0)",
        "switch((7, 2), 1)",
        "switch((7, 3), 2)",
        "node(7, 3, 3)",
    ];
    assert_eq!(labels, expected);
}

#[test]
fn sizes_outside_the_limits_are_named() {
    let error = |m, n| PortTree::new(m, n).unwrap_err().to_string();
    assert_eq!(
        error(7, 2),
        "found switches of 7 ports, expected an even number"
    );
    assert_eq!(error(4, 21), "found 21 levels, expected 1 to 20");
    assert!(error(1 << 30, 3).starts_with("found more than 1048576 nodes"));
    assert_eq!(PortTree::new(2, 20).unwrap().nodes(), 2);
}
