//! Routes up and down the frame: over the common ancestor, and those of section 4.
//!
//! A packet climbs to the level in which it *turns*, goes along links within that level if
//! need be, and comes down to its destination.
//!
//! - By the tree it turns in the lowest common ancestor, and in the general stack, where
//!   ancestors are no part of a subnetwork, on the ring that joins the two. In that stack these
//!   are the shortest paths.
//! - By section 4 it turns as soon as it is at most [`LATERAL_MAX`] links of a ring or mesh from
//!   an ancestor of the destination. In the augmented stack these are shortest paths, as the
//!   paper says; of the 4,032 pairs of a pyramid of 64 processors 256 have a path that is one
//!   link shorter, and 496 one or two with links among leaves.
//!
//! Where there is a choice (of copies, of wires, of ways round a ring or across a mesh) the seed
//! makes it, as in [`route`](super::route). Routes *in order* ([`Lateral::InOrder`]) leave it the choice
//! of copies and wires only: they go across a mesh by rows first, and never through number n/2 of a
//! ring, so that no routes wait for each other in a circle where switches hold a packet until the next
//! has room. With up to four nodes a ring's ways stay shortest ones; in larger rings some are longer. Of two
//! levels to turn in that make a way equally long they take the higher one, which has more links where
//! capacities double: in an augmented stack of four they go along a ring to the next node only.

use super::graph::{Arc, Graph, GraphHop, LinkKind};
use super::grid::{Grid, place_in_squares};
use super::route::Walk;
use super::shape::{Family, FrameShape, QUADRANTS};

/// The most links within a level that a route of section 4 takes.
pub const LATERAL_MAX: u32 = 2;

/// The rule by which routes go along links within a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lateral {
    /// By any shortest way.
    Drawn,
    /// By one that no circle of waiting packets can come of.
    InOrder,
}

/// The position above a processor in a level.
fn ancestor(shape: FrameShape, processor: u32, level: u32) -> u32 {
    processor / shape.ring().pow(level)
}

/// The links within a level between two positions of it, if any lead there.
///
/// ```
/// use crosswave_frame::climb::lateral_distance;
/// use crosswave_frame::shape::{Family, FrameShape};
/// let stack = FrameShape::new(Family::AugmentedFatStack, 4, 3)?;
/// assert_eq!(lateral_distance(stack, 1, 0, 3), Some(1));
/// assert_eq!(lateral_distance(stack, 1, 3, 4), None);
/// # Ok::<(), crosswave_frame::shape::ShapeError>(())
/// ```
pub fn lateral_distance(shape: FrameShape, level: u32, a: u32, b: u32) -> Option<u32> {
    if a == b {
        return Some(0);
    }
    if !shape.has_lateral_links(level) {
        return None;
    }
    let ring = shape.ring();
    match shape.family() {
        Family::ButterflyFatTree => None,
        Family::AugmentedFatStack | Family::GeneralFatStack => {
            let steps = a.abs_diff(b);
            (a / ring == b / ring).then(|| steps.min(ring - steps))
        }
        Family::FatPyramid => {
            let (grid, levels) = (Grid::new(ring), shape.levels() - level);
            let ((x, y), (other_x, other_y)) = (grid.place(a, levels), grid.place(b, levels));
            Some(x.abs_diff(other_x) + y.abs_diff(other_y))
        }
    }
}

/// The level in which a packet of two processors turns by the tree.
pub fn tree_turn(shape: FrameShape, source: u32, destination: u32) -> u32 {
    let joined = |level| match shape.family() {
        Family::GeneralFatStack => {
            let (a, b) = (
                ancestor(shape, source, level),
                ancestor(shape, destination, level),
            );
            lateral_distance(shape, level, a, b).is_some()
        }
        _ => ancestor(shape, source, level) == ancestor(shape, destination, level),
    };
    (0..shape.top_level())
        .find(|&level| joined(level))
        .unwrap_or(shape.top_level())
}

/// The level in which a packet of two processors turns by section 4.
pub fn lateral_turn(shape: FrameShape, source: u32, destination: u32) -> u32 {
    let near = |level: &u32| {
        let (a, b) = (
            ancestor(shape, source, *level),
            ancestor(shape, destination, *level),
        );
        lateral_distance(shape, *level, a, b).is_some_and(|links| links <= LATERAL_MAX)
    };
    let last = tree_turn(shape, source, destination);
    (0..last).find(near).unwrap_or(last)
}

/// The route over the lowest common ancestor, or over the ring that joins two processors of a
/// general stack.
pub fn tree_route(graph: &Graph, source: u32, destination: u32, seed: u64) -> Vec<GraphHop> {
    let turn = tree_turn(graph.shape(), source, destination);
    route_turning(graph, (source, destination), turn, Lateral::Drawn, seed)
}

/// The route of section 4: as that over the common ancestor, or below it along a ring or mesh.
pub fn lateral_route(graph: &Graph, source: u32, destination: u32, seed: u64) -> Vec<GraphHop> {
    let turn = lateral_turn(graph.shape(), source, destination);
    route_turning(graph, (source, destination), turn, Lateral::Drawn, seed)
}

/// The same in order; in the general stack over the ring that joins two processors, however far
/// apart they are on it.
///
/// ```
/// use crosswave_frame::climb::ordered_route;
/// use crosswave_frame::graph::Graph;
/// use crosswave_frame::shape::{Family, FrameShape};
/// let stack = Graph::new(FrameShape::new(Family::GeneralFatStack, 4, 1)?);
/// let nodes: Vec<u32> = ordered_route(&stack, 1, 3, 0).iter().map(|&hop| stack.ends(hop).1).collect();
/// assert_eq!(nodes, [0, 3]);
/// # Ok::<(), crosswave_frame::shape::ShapeError>(())
/// ```
pub fn ordered_route(graph: &Graph, source: u32, destination: u32, seed: u64) -> Vec<GraphHop> {
    let turn = ordered_turn(graph.shape(), source, destination);
    route_turning(graph, (source, destination), turn, Lateral::InOrder, seed)
}

/// The number of links of [`ordered_route`], whatever the seed is, by arithmetic alone.
///
/// ```
/// use crosswave_frame::climb::ordered_links;
/// use crosswave_frame::shape::{Family, FrameShape};
/// let stack = FrameShape::new(Family::AugmentedFatStack, 4, 3)?;
/// // Processors 0 and 5 are below neighbours on a ring of switches, and 0 and 10 are not.
/// assert_eq!([5, 10].map(|node| ordered_links(stack, 0, node)), [3, 4]);
/// # Ok::<(), crosswave_frame::shape::ShapeError>(())
/// ```
pub fn ordered_links(shape: FrameShape, source: u32, destination: u32) -> u32 {
    let ring = shape.ring();
    let (mut a, mut b) = (source, destination);
    match shape.family() {
        Family::ButterflyFatTree | Family::AugmentedFatStack => {
            let mut level = 0;
            if ring == QUADRANTS {
                // Digits are pairs of bits.
                level = (a ^ b | 1).ilog2() / 2;
                (a, b) = (a >> (2 * level), b >> (2 * level));
            }
            while a / ring != b / ring {
                (a, b, level) = (a / ring, b / ring, level + 1);
            }
            // A ring below the common ancestor saves a link where it makes them neighbours.
            match a.abs_diff(b) {
                0 => 0,
                steps if steps.min(ring - steps) == 1 && shape.has_lateral_links(level) => {
                    2 * level + 1
                }
                _ => 2 * level + 2,
            }
        }
        Family::GeneralFatStack => {
            let to_joint = |position: u32| (position % ring).min(ring - position % ring);
            let mut links = 0;
            while a / ring != b / ring {
                links += to_joint(a) + 1 + 1 + to_joint(b);
                (a, b) = (a / ring, b / ring);
            }
            links + ordered_steps(ring, a % ring, b % ring)
        }
        Family::FatPyramid => {
            let ((x, y), (to_x, to_y)) = (place_in_squares(a), place_in_squares(b));
            // The lowest level that serves is enough, as a turn above it would save no links. No
            // level serves where the two are four members or more apart in a row or a column.
            let farthest = x.abs_diff(to_x).max(y.abs_diff(to_y));
            let first = (farthest | 1).ilog2().saturating_sub(1);
            let turning = |level: u32| {
                let across = (x >> level).abs_diff(to_x >> level);
                let along = (y >> level).abs_diff(to_y >> level);
                let links = across + along;
                let is_near = links <= LATERAL_MAX && shape.has_lateral_links(level);
                (links == 0 || is_near).then_some(2 * level + links)
            };
            let links = (first..=shape.levels()).find_map(turning);
            links.expect("the root is above all processors")
        }
    }
}

/// Links of a ring in order from one member to another, which never pass through number n/2.
fn ordered_steps(ring: u32, from: u32, to: u32) -> u32 {
    let (least, most, barred) = (from.min(to), from.max(to), ring / 2);
    let direct = most - least;
    match barred {
        _ if barred == least || barred == most => direct.min(ring - direct),
        _ if (least..most).contains(&barred) => ring - direct,
        _ => direct,
    }
}

/// The level in which a packet of two processors turns in order.
fn ordered_turn(shape: FrameShape, source: u32, destination: u32) -> u32 {
    let last = tree_turn(shape, source, destination);
    if shape.family() == Family::GeneralFatStack {
        return last;
    }
    // Links of a route that turns there.
    let links = |level: u32| {
        let (a, b) = (
            ancestor(shape, source, level),
            ancestor(shape, destination, level),
        );
        Some(2 * level + lateral_distance(shape, level, a, b)?)
    };
    let first = lateral_turn(shape, source, destination);
    let as_short = |level: &u32| links(*level).is_some() && links(*level) <= links(first);
    (first..=last).rfind(as_short).unwrap_or(last)
}

fn route_turning(
    graph: &Graph,
    (source, destination): (u32, u32),
    turn: u32,
    lateral: Lateral,
    seed: u64,
) -> Vec<GraphHop> {
    let shape = graph.shape();
    let mut walk = Walk::new(graph, source, destination, seed);
    for level in 0..turn {
        let position = graph.node(walk.at()).position;
        if !shape.has_up_link(level, position) {
            let joint = position - position % shape.ring();
            go_along(graph, &mut walk, level, joint, lateral);
        }
        take(graph, &mut walk, |arc, kind| {
            kind == LinkKind::Up && arc.hop.forward
        });
    }
    let beside = ancestor(shape, destination, turn);
    go_along(graph, &mut walk, turn, beside, lateral);
    for level in (0..turn).rev() {
        let wanted = ancestor(shape, destination, level);
        let joint = wanted - wanted % shape.ring();
        let entered = if shape.has_up_link(level, wanted) {
            wanted
        } else {
            joint
        };
        take(graph, &mut walk, |arc, kind| {
            kind == LinkKind::Up && !arc.hop.forward && graph.node(arc.to).position == entered
        });
        go_along(graph, &mut walk, level, wanted, lateral);
    }
    walk.hops()
}

/// Goes along links within a level to a position.
fn go_along(graph: &Graph, walk: &mut Walk, level: u32, wanted: u32, lateral: Lateral) {
    let shape = graph.shape();
    let left =
        |position| lateral_distance(shape, level, position, wanted).expect("links lead there");
    loop {
        let at = graph.node(walk.at()).position;
        if at == wanted {
            return;
        }
        let next = (lateral == Lateral::InOrder).then(|| in_order(shape, level, at, wanted));
        take(graph, walk, |arc, kind| {
            let to = graph.node(arc.to).position;
            kind != LinkKind::Up && next.map_or_else(|| left(to) < left(at), |next| to == next)
        });
    }
}

/// The next position on the way in order from one position of a level to another.
fn in_order(shape: FrameShape, level: u32, at: u32, wanted: u32) -> u32 {
    let ring = shape.ring();
    if shape.family() == Family::FatPyramid {
        let (grid, levels) = (Grid::new(ring), shape.levels() - level);
        let ((x, y), (to_x, to_y)) = (grid.place(at, levels), grid.place(wanted, levels));
        let towards = |from: u32, to: u32| if from < to { from + 1 } else { from - 1 };
        let next = match x == to_x {
            false => (towards(x, to_x), y),
            true => (x, towards(y, to_y)),
        };
        return grid.position(next, levels).expect("a place of the mesh");
    }
    let first = at - at % ring;
    let (from, to, barred) = (at % ring, wanted % ring, ring / 2);
    let rising = (to + ring - from) % ring;
    let falling = ring - rising;
    // True when a way of so many steps leads through the barred node, which is not its end.
    let is_barred = |steps: u32, away: u32| (1..steps).contains(&away);
    let rises = match (
        is_barred(rising, (barred + ring - from) % ring),
        is_barred(falling, (from + ring - barred) % ring),
    ) {
        (false, true) => true,
        (true, false) => false,
        _ => rising <= falling,
    };
    let next = if rises { from + 1 } else { from + ring - 1 };
    first + next % ring
}

/// Takes one of the hops that a rule allows.
fn take(graph: &Graph, walk: &mut Walk, allowed: impl Fn(&Arc, LinkKind) -> bool) {
    let arcs = graph.arcs(walk.at()).iter();
    let kind = |arc: &Arc| graph.links()[arc.hop.link as usize].kind;
    let arcs: Vec<Arc> = arcs
        .filter(|arc| allowed(arc, kind(arc)))
        .copied()
        .collect();
    walk.take_one_of(&arcs);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance;
    use crate::shape::{Growth, RingCapacity, ShapeOptions, SwitchForm};
    use crosswave_oblivious::deadlock::Dependencies;

    /// Routes in order lead where they should, by no more hops than others in rings of up to four, and
    /// no channels depend on each other in a circle; of drawn ones some do.
    #[test]
    fn routes_in_order_do_not_wait_in_a_circle() {
        let mut circles = 0;
        let small = (3..=7).flat_map(|ring| [(ring, 1), (ring, 2), (ring.min(4), 3)]);
        for graph in small.flat_map(|(ring, levels)| graphs_of(ring, levels)) {
            let shape = graph.shape();
            let shortest: Router = match shape.family() {
                Family::GeneralFatStack => tree_route,
                _ => lateral_route,
            };
            let (ordered, drawn) = (lengths(&graph, ordered_route), lengths(&graph, shortest));
            let pairs = graph
                .processors()
                .flat_map(|a| graph.processors().map(move |b| (a, b)));
            let told = pairs.map(|(a, b)| ordered_links(shape, a, b));
            assert_eq!(told.collect::<Vec<u32>>(), ordered, "{shape}");
            let is_as_long = ordered
                .iter()
                .zip(&drawn)
                .all(|(ordered, drawn)| ordered == drawn);
            assert!(is_as_long || shape.ring() > 4, "{shape}");
            let dependencies = |router: Router| {
                let mut dependencies = Dependencies::default();
                for (a, b) in graph
                    .processors()
                    .flat_map(|a| graph.processors().map(move |b| (a, b)))
                {
                    let hops = router(&graph, a, b, 3);
                    let channels = hops.iter().map(|hop| hop.index() as u32);
                    dependencies.add(&channels.collect::<Vec<u32>>());
                }
                dependencies
            };
            assert_eq!(dependencies(ordered_route).circle(), None, "{shape}");
            circles += u32::from(dependencies(shortest).circle().is_some());
        }
        assert!(circles > 0, "drawn ways wait in circles");
    }

    /// Networks of every family, of all options.
    fn graphs_of(ring: u32, levels: u32) -> Vec<Graph> {
        let both = [false, true];
        let mut graphs = Vec::new();
        for family in Family::ALL {
            for (is_split, leaf_links) in both.into_iter().flat_map(|a| both.map(|b| (a, b))) {
                for (doubles, upward) in both.into_iter().flat_map(|a| both.map(|b| (a, b))) {
                    let options = ShapeOptions {
                        form: if is_split {
                            SwitchForm::Split
                        } else {
                            SwitchForm::Singular
                        },
                        leaf_links,
                        growth: if doubles {
                            Growth::Doubling
                        } else {
                            Growth::Unit
                        },
                        ring_capacity: match upward {
                            true => RingCapacity::Upward,
                            false => RingCapacity::Copies,
                        },
                    };
                    let shape = FrameShape::with_options(family, ring, levels, options);
                    graphs.extend(shape.map(Graph::new));
                }
            }
        }
        graphs
    }

    fn graphs() -> Vec<Graph> {
        let sizes = [(4, 1), (4, 3), (7, 2)];
        let graphs = sizes.map(|(ring, levels)| graphs_of(ring, levels));
        graphs.into_iter().flatten().collect()
    }

    type Router = fn(&Graph, u32, u32, u64) -> Vec<GraphHop>;

    /// The lengths of all routes, each of which is checked to lead from one to the other.
    fn lengths(graph: &Graph, router: Router) -> Vec<u32> {
        let mut lengths = Vec::new();
        for source in graph.processors() {
            for destination in graph.processors() {
                let hops = router(graph, source, destination, 3);
                let end = hops.iter().fold(source, |at, &hop| {
                    assert_eq!(graph.ends(hop).0, at);
                    graph.ends(hop).1
                });
                assert_eq!(end, destination);
                lengths.push(hops.len() as u32);
            }
        }
        lengths
    }

    #[test]
    fn routes_lead_there_and_section_4_is_between_tree_and_shortest() {
        for graph in graphs() {
            let (tree, lateral) = (lengths(&graph, tree_route), lengths(&graph, lateral_route));
            let shortest: Vec<u32> = graph
                .processors()
                .flat_map(|source| {
                    let mut distances = distance::from_node(&graph, source);
                    distances.truncate(graph.processors().len());
                    distances
                })
                .collect();
            let all = shortest.iter().zip(&lateral).zip(&tree);
            for ((shortest, lateral), tree) in all {
                assert!(shortest <= lateral && lateral <= tree, "{}", graph.shape());
            }
            match graph.shape().family() {
                // One path, or as many as there are ways halfway round rings.
                Family::GeneralFatStack => assert_eq!(tree, shortest),
                Family::ButterflyFatTree => assert_eq!((&lateral, &tree), (&shortest, &tree)),
                // Section 4: the path could not be shorter.
                Family::AugmentedFatStack => assert_eq!(lateral, shortest),
                Family::FatPyramid => (),
            }
        }
    }

    /// Some routes of a pyramid could be shorter, by a mesh link in one level and another in the
    /// next.
    #[test]
    fn routes_of_section_4_are_not_the_shortest_of_a_pyramid() {
        for (leaf_links, longer, by) in [(false, 256, 1), (true, 496, 2)] {
            let options = ShapeOptions {
                leaf_links,
                ..ShapeOptions::of(Family::FatPyramid)
            };
            let shape = FrameShape::with_options(Family::FatPyramid, 4, 3, options).unwrap();
            let graph = Graph::new(shape);
            let mut excess = Vec::new();
            for source in graph.processors() {
                let distances = distance::from_node(&graph, source);
                for destination in graph.processors() {
                    let hops = lateral_route(&graph, source, destination, 3).len() as u32;
                    excess.push(hops - distances[destination as usize]);
                }
            }
            assert_eq!(excess.iter().filter(|&&more| more > 0).count(), longer);
            assert_eq!(excess.iter().max(), Some(&by));
        }
    }

    #[test]
    fn pyramids_turn_below_the_root() {
        // Processors 21 and 42 stand on both sides of the middle of the frame.
        let grid = Grid::new(4);
        let (a, b) = (
            grid.position((3, 3), 3).unwrap(),
            grid.position((4, 4), 3).unwrap(),
        );
        let turn = |family| lateral_turn(FrameShape::new(family, 4, 3).unwrap(), a, b);
        assert_eq!(turn(Family::FatPyramid), 1);
        assert_eq!(turn(Family::AugmentedFatStack), 2);
        assert_eq!(turn(Family::ButterflyFatTree), 3);
    }
}
