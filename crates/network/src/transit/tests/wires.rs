//! Wires between stacks: their lengths, their clocks, and what is told of them.

use super::super::geometry::{Placement, length};
use super::*;
use crate::topology::PathTiming;
use crosswave_chips::rn1_delay_line;

/// Lengths are rounded up, and a root's cells lie beside those of the other roots, two by two.
#[test]
fn lengths_are_those_of_straight_wires() {
    let lengths = [[0, 0, 0], [3, 4, 0], [1, 2, 2], [1, 1, 1], [0, 5, 5]].map(length);
    assert_eq!(lengths, [0, 5, 3, 2, 8]);
    // Cubes of four sides with 16 stacks on their tops: stack 5 is in column 1 of row 1.
    let placement = Placement::new(1, 1, 16);
    let between = |near, far| placement.between_roots(near, far);
    assert_eq!(between((2, 7), (2, 7)), 0);
    // Columns 0 and 5, rows 0 and 5.
    assert_eq!(between((0, 0), (3, 5)), 8);
    // Columns 4 + 2 and 3, rows 0 and 4.
    assert_eq!(between((1, 2), (2, 3)), 5);
    assert_eq!(between((2, 3), (1, 2)), 5);
    // A wire of four times the permittivity is as slow as one twice as long.
    let form = tree(4, 1, false).form;
    let geometry = |permittivity| Geometry {
        clock_ns: 5.0,
        permittivity,
    };
    let clocks = [7, 14].map(|sides| geometry(1.0).clocks(sides, form));
    // 7 sides of 8 chips on 2.8 inches each are 13.07 feet, 13.3 ns.
    assert_eq!(clocks, [3, 6]);
    assert_eq!(geometry(4.0).clocks(7, form), 6);
}

/// Section 4.1.2: ends of wires are spread evenly over the sides and the top of a cube.
#[test]
fn ends_of_wires_are_spread_evenly() {
    let tree = tree(2, 2, false);
    for layer in [1, 2] {
        let side = 4_usize.pow(layer);
        let mut ends = [vec![0; side], vec![0; side]];
        tree.each_placed_wire(layer, |wire| {
            ends[0][wire.offsets[1] as usize] += 1;
            ends[1][wire.offsets[2] as usize] += 1;
        });
        for along in &ends {
            assert!(
                along[0] > 0 && along.iter().all(|&count| count == along[0]),
                "{ends:?}"
            );
        }
    }
    // Children stand outside of a cube, so that its room is free for wires.
    let placed = tree.placed_stacks();
    let leaves = placed.iter().filter(|stack| stack.layer == 0);
    let is_in_room = |stack: &&PlacedStack| {
        let [a, b] = stack.edges;
        let twice = |at: usize| 2 * stack.corner[at] + a[at] + b[at];
        [0, 1].iter().all(|&at| (1..32).contains(&twice(at)))
    };
    assert_eq!(leaves.clone().count(), 4096);
    assert_eq!(leaves.filter(is_in_room).count(), 0);
}

/// Clocks that are given for each layer, and for the cap, are those of its wires and of no others.
#[test]
fn given_clocks_are_those_of_their_layers() {
    for (mut tree, given) in [
        (tree(2, 2, false), &[2, 5][..]),
        (tree(2, 1, true), &[3, 7]),
        (tree(0, 1, true), &[4, 1]),
    ] {
        tree.wires = StackWires::Given(given.to_vec());
        let mut links = 0;
        tree.each_batch(|batch| {
            let expected = match (batch.from, batch.to) {
                (Some(Stage::Cap), _) => given[given.len() - 1],
                (Some(Stage::Leaf(_)), Some(Stage::Up(layer))) => given[layer as usize - 1],
                (Some(Stage::Up(below)), Some(Stage::Up(layer))) if below < layer => {
                    given[layer as usize - 1]
                }
                (Some(Stage::Down(layer, 1)), Some(Stage::Leaf(_))) => given[layer as usize - 1],
                (Some(Stage::Down(layer, 1)), Some(Stage::Down(below, 3))) if below < layer => {
                    given[layer as usize - 1]
                }
                _ => 0,
            };
            assert!(batch.links.iter().all(|link| link.delay == expected));
            links += usize::from(expected > 0) * batch.links.len();
        });
        assert!(links > 0, "wires with clocks");
    }
}

/// The known arrival of a message is that of its path, and there are as many delay lines as the
/// network tells.
#[test]
fn arrivals_are_those_of_paths() {
    for (mut tree, given) in [(tree(2, 1, true), [3, 7]), (tree(0, 1, true), [4, 1])] {
        tree.wires = StackWires::Given(given.to_vec());
        let fabric = tree.fabric();
        let last = tree.nodes() - 1;
        let mut clocks = BTreeSet::new();
        for (source, destination) in [(0, 1), (0, 700), (0, last), (last, 5), (900, 63)] {
            let path = Path::of(&tree, &fabric, source, destination, 9);
            let bytes = tree.route(source, destination).bytes.len() as u64;
            let way = path.routers() as u64 + path.link_clocks();
            let found = PathTiming::arrival(&tree, source, destination, 6).expect("it is known");
            assert_eq!(found.opened, Some(bytes + way), "{source} to {destination}");
            assert_eq!(found.delivered, bytes + way + 6 + 1);
            clocks.insert(path.link_clocks());
        }
        // Within a leaf, within a root, and over the cap.
        assert_eq!(clocks.len(), 3, "{clocks:?}");
        let lines = fabric
            .arrays
            .iter()
            .find(|array| array.chip.name == rn1_delay_line::CHIP.name);
        let chips = tree.chips();
        let told = chips
            .iter()
            .find(|(chip, _)| chip.name == rn1_delay_line::CHIP.name);
        assert_eq!(
            told.map(|(_, count)| *count),
            lines.map(|array| array.instances as u64)
        );
    }
}

/// Wires of one batch that are not as long as each other are told from the shortest to the longest.
#[test]
fn a_summary_has_the_shortest_and_the_longest_wires() {
    let tree = Transit {
        wires: StackWires::Geometry(Geometry {
            clock_ns: 2.0,
            permittivity: 1.0,
        }),
        ..tree(4, 1, false)
    };
    // From a leaf to the top: 1 to the root of 3^2 + 3^2 + 3^2 = 27, 6 sides. A side is 1.867 feet,
    // which are 1.898 ns, a clock; 6 sides take 5.69 clocks. Straight below is no wire at all.
    let summary = tree.summary();
    let wires = summary
        .rows
        .iter()
        .filter(|(name, _)| name.starts_with("wires"));
    let wires: Vec<&str> = wires.map(|(_, cycles)| cycles.as_str()).collect();
    assert_eq!(wires, ["0 to 6 extra cycles"; 2]);
}
