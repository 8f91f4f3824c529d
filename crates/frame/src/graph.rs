//! A network as a graph: nodes, links, and who is linked to whom.
//!
//! Nodes are numbered by level, then by position, then by copy, so processors are numbers 0 to
//! N - 1. Links are numbered by the level of the end that is lower, upward ones first, then by
//! their first end. Arcs, which are links seen from a node, are one flat array, by node and then
//! by link. To build a graph costs time and memory in proportion to nodes and links.

use std::ops::Range;

use super::grid::Grid;
use super::shape::{Family, FrameShape, QUADRANTS, SwitchForm};

/// A node of the frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Node {
    /// Its level, 0 for processors.
    pub level: u32,
    /// Its position in the level.
    pub position: u32,
    /// The number of the switch's copy.
    pub copy: u32,
}

/// The purpose of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkKind {
    /// From a node to one of the level above.
    Up,
    /// Between nodes of a subnetwork.
    Ring,
    /// Between neighbours on the mesh of a level.
    Mesh,
}

/// A link, of as many wires in each direction as it has capacity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphLink {
    /// Its first end: the lower one, or the one before on the ring or mesh.
    pub from: u32,
    /// Its second end.
    pub to: u32,
    /// The purpose of the link.
    pub kind: LinkKind,
    /// The level of its first end.
    pub level: u32,
    /// In wires.
    pub capacity: u32,
}

/// A direction of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct GraphHop {
    /// The link.
    pub link: u32,
    /// True when it is taken from its first end to its second.
    pub forward: bool,
}

impl GraphHop {
    /// A dense number, below twice the number of links.
    pub fn index(self) -> usize {
        self.link as usize * 2 + usize::from(!self.forward)
    }

    /// The same link in the other direction.
    pub fn reversed(self) -> GraphHop {
        GraphHop {
            forward: !self.forward,
            ..self
        }
    }
}

/// A link as a node sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arc {
    /// The link, away from the node.
    pub hop: GraphHop,
    /// The node it leads to.
    pub to: u32,
}

/// A network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    shape: FrameShape,
    /// The number of the first node of each level, and the number of nodes.
    level_starts: Vec<u32>,
    links: Vec<GraphLink>,
    /// The first arc of each node, and the number of arcs.
    arc_starts: Vec<u32>,
    arcs: Vec<Arc>,
}

impl Graph {
    /// Builds a network.
    ///
    /// ```
    /// use crosswave_frame::graph::Graph;
    /// use crosswave_frame::shape::{Family, FrameShape};
    /// let tree = Graph::new(FrameShape::new(Family::ButterflyFatTree, 4, 3)?);
    /// assert_eq!((tree.nodes(), tree.links().len()), (85, 84));
    /// # Ok::<(), crosswave_frame::shape::ShapeError>(())
    /// ```
    pub fn new(shape: FrameShape) -> Graph {
        let mut level_starts = vec![0];
        for level in 0..=shape.top_level() {
            let nodes = shape.positions(level) * shape.copies(level);
            level_starts.push(level_starts[level as usize] + nodes);
        }
        let mut graph = Graph {
            shape,
            level_starts,
            links: Vec::new(),
            arc_starts: Vec::new(),
            arcs: Vec::new(),
        };
        let grid = Grid::new(shape.ring());
        for level in 0..=shape.top_level() {
            graph.link_upwards(level);
            if shape.has_lateral_links(level) {
                graph.link_laterally(level, &grid);
            }
        }
        graph.list_arcs();
        graph
    }

    /// Links a level to the one above it.
    fn link_upwards(&mut self, level: u32) {
        let shape = self.shape;
        let lower = shape.copies(level);
        for position in 0..shape.positions(level) {
            if !shape.has_up_link(level, position) {
                continue;
            }
            let upper = shape.copies(level + 1);
            let parent = position / shape.ring();
            for copy in 0..lower {
                for above in (copy..upper).step_by(lower as usize) {
                    self.links.push(GraphLink {
                        from: self.number(level, position, copy),
                        to: self.number(level + 1, parent, above),
                        kind: LinkKind::Up,
                        level,
                        capacity: shape.up_capacity(level) / upper,
                    });
                }
            }
        }
    }

    /// Links a level among itself: copies of one number by as many links as there are wires, or
    /// single switches by one link.
    fn link_laterally(&mut self, level: u32, grid: &Grid) {
        let shape = self.shape;
        let (kind, copies) = (lateral_kind(shape.family()), shape.copies(level));
        let wires = shape.lateral_capacity(level) / copies;
        let (parallel, capacity) = match shape.options().form {
            SwitchForm::Singular => (1, wires),
            SwitchForm::Split => (wires, 1),
        };
        for position in 0..shape.positions(level) {
            for next in next_in_level(shape, grid, level, position) {
                for copy in 0..copies {
                    let link = GraphLink {
                        from: self.number(level, position, copy),
                        to: self.number(level, next, copy),
                        kind,
                        level,
                        capacity,
                    };
                    self.links.extend((0..parallel).map(|_| link));
                }
            }
        }
    }

    /// Sorts links by the nodes they end at.
    fn list_arcs(&mut self) {
        let mut starts = vec![0; self.nodes() as usize + 1];
        for link in &self.links {
            starts[link.from as usize + 1] += 1;
            starts[link.to as usize + 1] += 1;
        }
        for node in 1..starts.len() {
            starts[node] += starts[node - 1];
        }
        let hop = GraphHop {
            link: 0,
            forward: true,
        };
        let mut arcs = vec![Arc { hop, to: 0 }; self.links.len() * 2];
        let mut next = starts.clone();
        for (link, ends) in (0..).zip(&self.links) {
            for (node, to, forward) in [(ends.from, ends.to, true), (ends.to, ends.from, false)] {
                let at = &mut next[node as usize];
                let hop = GraphHop { link, forward };
                arcs[*at as usize] = Arc { hop, to };
                *at += 1;
            }
        }
        self.arc_starts = starts;
        self.arcs = arcs;
    }

    /// The shape of the network.
    pub fn shape(&self) -> FrameShape {
        self.shape
    }

    /// The number of nodes.
    pub fn nodes(&self) -> u32 {
        self.level_starts[self.level_starts.len() - 1]
    }

    /// The numbers of the processors.
    pub fn processors(&self) -> Range<u32> {
        0..self.shape.processors()
    }

    /// The links, by number.
    pub fn links(&self) -> &[GraphLink] {
        &self.links
    }

    /// The links of a node, away from it.
    pub fn arcs(&self, node: u32) -> &[Arc] {
        let at = node as usize;
        &self.arcs[self.arc_starts[at] as usize..self.arc_starts[at + 1] as usize]
    }

    /// The nodes that a hop leads from and to.
    pub fn ends(&self, hop: GraphHop) -> (u32, u32) {
        let link = self.links[hop.link as usize];
        match hop.forward {
            true => (link.from, link.to),
            false => (link.to, link.from),
        }
    }

    /// The node of a number.
    ///
    /// # Panics
    /// When there is none.
    pub fn node(&self, number: u32) -> Node {
        assert!(number < self.nodes(), "{} has no node {number}", self.shape);
        let level = self.level_starts.partition_point(|&start| start <= number) as u32 - 1;
        let within = number - self.level_starts[level as usize];
        let copies = self.shape.copies(level);
        Node {
            level,
            position: within / copies,
            copy: within % copies,
        }
    }

    /// The number of a node.
    ///
    /// # Panics
    /// When there is none.
    pub fn number_of(&self, node: Node) -> u32 {
        let Node {
            level,
            position,
            copy,
        } = node;
        let shape = self.shape;
        assert!(
            level <= shape.top_level()
                && position < shape.positions(level)
                && copy < shape.copies(level),
            "{shape} has no {node:?}"
        );
        self.number(level, position, copy)
    }

    fn number(&self, level: u32, position: u32, copy: u32) -> u32 {
        self.level_starts[level as usize] + position * self.shape.copies(level) + copy
    }
}

/// The kind of the links within a level of a family.
fn lateral_kind(family: Family) -> LinkKind {
    match family {
        Family::FatPyramid => LinkKind::Mesh,
        _ => LinkKind::Ring,
    }
}

/// The positions of a level that follow a position: clockwise on its ring, or to the right and
/// below on the mesh. Each pair of neighbours is found from one of the two.
fn next_in_level(shape: FrameShape, grid: &Grid, level: u32, position: u32) -> Vec<u32> {
    match lateral_kind(shape.family()) {
        LinkKind::Mesh => {
            debug_assert_eq!(shape.ring(), QUADRANTS);
            let levels = shape.levels() - level;
            let (x, y) = grid.place(position, levels);
            let places = [(x + 1, y), (x, y + 1)];
            let next = places.map(|place| grid.position(place, levels));
            next.into_iter().flatten().collect()
        }
        _ => {
            let member = position % shape.ring();
            vec![position - member + (member + 1) % shape.ring()]
        }
    }
}

#[cfg(test)]
mod tests;
