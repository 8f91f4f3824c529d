//! Wires and distances, counted on the graphs of the networks.

use super::short;
use crate::cases::Cases;
use crate::page::PageTable;
use crate::quantity::Quantity;
use crosswave_frame::climb::lateral_route;
use crosswave_frame::distance::{self, Reading};
use crosswave_frame::graph::Graph;
use crosswave_frame::layout::FrameLayout;
use crosswave_frame::shape::{Family, FrameShape, QUADRANTS, RingCapacity, ShapeOptions};
use crosswave_frame::wires;

/// Levels of the networks whose wires are counted: 16 to 65,536 processors.
const LEVELS: std::ops::RangeInclusive<u32> = 2..=8;

/// A network of the four-fold frame with the family's own options.
pub fn graph(family: Family, levels: u32) -> Graph {
    Graph::new(FrameShape::new(family, QUADRANTS, levels).expect("a network of the frame"))
}

/// The same whose processors are linked among themselves, and whose rings and meshes have as many
/// wires as links upwards, where the family has any: section 5.
pub fn linked(family: Family, levels: u32) -> Graph {
    let options = ShapeOptions {
        leaf_links: family != Family::ButterflyFatTree,
        ring_capacity: RingCapacity::Upward,
        ..ShapeOptions::of(family)
    };
    let shape = FrameShape::with_options(family, QUADRANTS, levels, options);
    Graph::new(shape.expect("a network of the frame"))
}

/// Wires of all three families, and those of rings.
pub fn wires() -> Vec<Quantity> {
    let mut quantities = Vec::new();
    for family in super::print::NETWORKS {
        for levels in LEVELS {
            let graph = graph(family, levels);
            let processors = graph.shape().processors();
            let printed = wires::printed(graph.shape()).expect("the frame of section 2");
            let id = format!("wires_{}_{processors}", short(family));
            let quantity = Quantity::claimed(id, "section 2", printed)
                .named(format!("wires of a {family}, N = {processors}"))
                .enumerated(wires::count(&graph).total());
            quantities.push(quantity.judged(None));
        }
    }
    let ring = |capacity| {
        let options = ShapeOptions {
            ring_capacity: capacity,
            ..ShapeOptions::of(Family::AugmentedFatStack)
        };
        let shape = FrameShape::with_options(Family::AugmentedFatStack, QUADRANTS, 3, options);
        wires::count(&Graph::new(shape.expect("a network of the frame"))).ring
    };
    let claimed = wires::printed(graph(Family::AugmentedFatStack, 3).shape())
        .zip(wires::printed(graph(Family::ButterflyFatTree, 3).shape()))
        .map(|(stack, tree)| stack - tree)
        .expect("the frame of section 2");
    let quantity = |id: &str, source: &str, name: &str| {
        Quantity::claimed(id, source, claimed).named(format!("wires of rings, N = 64, {name}"))
    };
    quantities.push(
        quantity(
            "ring_wires_copies_64",
            "section 2",
            "one for each copy of a switch",
        )
        .enumerated(ring(RingCapacity::Copies))
        .judged(None),
    );
    quantities.push(
        quantity(
            "ring_wires_upward_64",
            "section 5",
            "as many as links upwards have",
        )
        .enumerated(ring(RingCapacity::Upward))
        .judged(Some(
            "section 5 gives links of a level the capacity of links upwards, which are twice \
                 the wires that section 2 counts"
                .to_owned(),
        )),
    );
    quantities
}

/// The printed distance of the general stack, and routes of section 4.
pub fn distances() -> Vec<Quantity> {
    let stack = graph(Family::GeneralFatStack, 3);
    let compared = distance::compare(&stack, Reading::Mended).expect("a general stack");
    let why = "the formula counts the ring at the top twice, goes round rings one way only, and \
               leaves out the last digit of both addresses";
    let pairs = Cases::broken(compared.pairs, compared.above);
    let above = pairs
        .claim("distance_above_64", "section 3, d(1, 2)")
        .named("pairs of a general stack of 64 whose distance is no less than its lower bound")
        .enumerated(pairs.kept())
        .judged(Some(why.to_owned()));
    let diameter = Quantity::claimed(
        "diameter_general_stack_64",
        "section 3, d(1, 2)",
        u64::from(compared.printed_max),
    )
    .named("diameter of a general stack of 64")
    .enumerated(u64::from(compared.true_max))
    .judged(Some(why.to_owned()));
    let shortest = shortest(&graph(Family::AugmentedFatStack, 3));
    let shortest = shortest
        .claim("shortest_routes_stack_64", "section 4")
        .named("pairs of an augmented stack of 64 for which section 4's route is a shortest one")
        .enumerated(shortest.kept())
        .judged(None);
    vec![above, diameter, shortest]
}

/// Ordered pairs of different processors, which keep the claim when their route up to the first
/// ring or mesh in which two links are enough is a shortest one.
fn shortest(graph: &Graph) -> Cases {
    let mut cases = Cases::default();
    for source in graph.processors() {
        let distances = distance::from_node(graph, source);
        for destination in graph.processors().filter(|&node| node != source) {
            let hops = lateral_route(graph, source, destination, 1).len() as u32;
            cases.add(hops == distances[destination as usize]);
        }
    }
    cases
}

/// The networks of 64 processors, side by side.
pub fn table() -> PageTable {
    let mut table = PageTable::new(
        "Networks of 64 processors: counted, searched and placed",
        [
            "network",
            "wires",
            "diameter, links",
            "mean distance, links",
            "longest wire",
            "length of all wires",
        ],
    );
    for family in Family::ALL {
        let plain = graph(family, 3);
        let with_leaves = (!plain.shape().options().leaf_links
            && family != Family::ButterflyFatTree)
            .then(|| linked(family, 3));
        for (graph, leaves) in [(Some(plain), ""), (with_leaves, ", processors linked")] {
            let Some(graph) = graph else { continue };
            let layout = FrameLayout::new(&graph);
            let summary = distance::summary(&graph);
            let lengths = graph.links().iter().zip(layout.lengths());
            let all: u64 = lengths
                .map(|(link, &length)| u64::from(link.capacity) * u64::from(length))
                .sum();
            let longest = layout.lengths().iter().max().copied().unwrap_or(0);
            table.row([
                format!("{family}{leaves}"),
                wires::count(&graph).total().to_string(),
                summary.diameter.to_string(),
                format!("{:.3}", summary.mean()),
                longest.to_string(),
                all.to_string(),
            ]);
        }
    }
    table
}
