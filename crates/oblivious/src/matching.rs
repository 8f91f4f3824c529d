//! Maximum matchings of bipartite graphs, by number and by weight.
//!
//! By number it is Hopcroft and Karp's algorithm: phases of augmenting paths, all of them shortest
//! and disjoint, in time of the edges by the root of the vertices. By weight it is the Hungarian
//! algorithm of the crate `pathfinding`, in time a b min(a, b) for a and b vertices that have
//! edges.

use pathfinding::prelude::{Matrix, kuhn_munkres};

/// An edge of a bipartite graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// Its left vertex.
    pub left: u32,
    /// Its right vertex.
    pub right: u32,
    /// Its weight.
    pub weight: u32,
}

/// A largest set of edges no two of which share a vertex, by their places among `edges`,
/// ascending.
///
/// # Panics
/// Unless the edges are in the order of their left vertices.
pub fn most_edges(edges: &[Edge]) -> Vec<usize> {
    assert!(edges.is_sorted_by_key(|edge| edge.left), "edges in order");
    let graph = Graph::new(edges);
    let mut search = Search::new(&graph);
    while search.find_distances() {
        for left in 0..graph.starts.len() - 1 {
            if search.taken[left].is_none() {
                search.augment(left);
            }
        }
    }
    search.taken.into_iter().flatten().collect()
}

/// Edges by their left vertices, of which only those stand here that have any.
struct Graph<'a> {
    edges: &'a [Edge],
    /// The first edge of each left vertex, and the end of those of the last one.
    starts: Vec<usize>,
    /// One more than the highest right vertex.
    rights: usize,
}

impl<'a> Graph<'a> {
    fn new(edges: &'a [Edge]) -> Self {
        let mut starts = vec![0];
        for group in edges.chunk_by(|a, b| a.left == b.left) {
            starts.push(starts[starts.len() - 1] + group.len());
        }
        let rights = edges.iter().map(|edge| edge.right as usize + 1).max();
        Graph {
            edges,
            starts,
            rights: rights.unwrap_or(0),
        }
    }
}

/// No distance yet.
const FAR: u32 = u32::MAX;

struct Search<'a> {
    graph: &'a Graph<'a>,
    /// The edge that each left vertex has in the matching.
    taken: Vec<Option<usize>>,
    /// The left vertex that each right vertex is matched with.
    partners: Vec<Option<usize>>,
    /// Edges outside the matching from a free left vertex to this one, along alternating paths.
    distances: Vec<u32>,
    /// The edge of each left vertex that its search goes on with.
    next: Vec<usize>,
    /// Left vertices to be visited; the alternating path that is followed.
    queue: Vec<usize>,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Graph<'a>) -> Self {
        let lefts = graph.starts.len() - 1;
        Search {
            graph,
            taken: vec![None; lefts],
            partners: vec![None; graph.rights],
            distances: vec![FAR; lefts],
            next: vec![0; lefts],
            queue: Vec::new(),
        }
    }

    /// Starts a phase. False when no augmenting path is left.
    fn find_distances(&mut self) -> bool {
        self.next
            .copy_from_slice(&self.graph.starts[..self.taken.len()]);
        self.queue.clear();
        for (left, taken) in self.taken.iter().enumerate() {
            self.distances[left] = if taken.is_none() { 0 } else { FAR };
            if taken.is_none() {
                self.queue.push(left);
            }
        }
        let mut limit = FAR;
        let mut at = 0;
        while let Some(&left) = self.queue.get(at) {
            at += 1;
            if self.distances[left] >= limit {
                break;
            }
            for place in self.graph.starts[left]..self.graph.starts[left + 1] {
                let right = self.graph.edges[place].right as usize;
                match self.partners[right] {
                    None => limit = limit.min(self.distances[left] + 1),
                    Some(other) if self.distances[other] == FAR => {
                        self.distances[other] = self.distances[left] + 1;
                        self.queue.push(other);
                    }
                    Some(_) => {}
                }
            }
        }
        limit != FAR
    }

    /// Follows a shortest augmenting path from a free left vertex, if there is one, without
    /// recursion: an edge of `next` is done with when the search comes back over it.
    fn augment(&mut self, root: usize) {
        self.queue.clear();
        self.queue.push(root);
        while let Some(&left) = self.queue.last() {
            let place = self.next[left];
            if place == self.graph.starts[left + 1] {
                self.queue.pop();
                if let Some(&before) = self.queue.last() {
                    self.next[before] += 1;
                }
                continue;
            }
            match self.partners[self.graph.edges[place].right as usize] {
                None => break,
                Some(other) if self.distances[other] == self.distances[left] + 1 => {
                    self.queue.push(other);
                }
                Some(_) => self.next[left] += 1,
            }
        }
        for &left in self.queue.iter().rev() {
            let place = self.next[left];
            self.taken[left] = Some(place);
            self.partners[self.graph.edges[place].right as usize] = Some(left);
            self.next[left] += 1;
        }
    }
}

/// A set of edges no two of which share a vertex, with the largest sum of weights, by their places
/// among `edges`, ascending. Each pair of vertices has one edge at most.
///
/// # Panics
/// Unless the edges are in the order of their left vertices.
pub fn most_weight(edges: &[Edge]) -> Vec<usize> {
    match edges.first() {
        None => return Vec::new(),
        Some(first) if edges.iter().all(|edge| edge.weight == first.weight) => {
            return most_edges(edges);
        }
        Some(_) => {}
    }
    let lefts = Ranks::new(edges, |edge| edge.left);
    let rights = Ranks::new(edges, |edge| edge.right);
    // The algorithm wants no more rows than columns.
    let turned = lefts.len() > rights.len();
    let (rows, columns) = match turned {
        true => (rights, lefts),
        false => (lefts, rights),
    };
    let cell = |edge: &Edge| match turned {
        true => (rows.of(edge.right), columns.of(edge.left)),
        false => (rows.of(edge.left), columns.of(edge.right)),
    };
    let mut weights = Matrix::new(rows.len(), columns.len(), 0i64);
    for edge in edges {
        weights[cell(edge)] = i64::from(edge.weight);
    }
    let (_, assigned) = kuhn_munkres(&weights);
    let is_taken = |edge: &Edge| {
        let (row, column) = cell(edge);
        edge.weight > 0 && assigned[row] == column
    };
    (0..edges.len())
        .filter(|&place| is_taken(&edges[place]))
        .collect()
}

/// Vertices that have edges, numbered densely.
struct Ranks {
    /// Ascending.
    vertices: Vec<u32>,
}

impl Ranks {
    fn new(edges: &[Edge], vertex: impl Fn(&Edge) -> u32) -> Self {
        let mut vertices: Vec<u32> = edges.iter().map(vertex).collect();
        vertices.sort_unstable();
        vertices.dedup();
        Ranks { vertices }
    }

    fn len(&self) -> usize {
        self.vertices.len()
    }

    fn of(&self, vertex: u32) -> usize {
        self.vertices.partition_point(|&other| other < vertex)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosswave_base::random;

    /// Edges of a small graph, each there with one chance in `one_in`.
    fn some_edges(seed: u64, lefts: u32, rights: u32, one_in: u64, weights: u64) -> Vec<Edge> {
        let mut generator = random::generator(seed, 1);
        let mut edges = Vec::new();
        for left in 0..lefts {
            for right in 0..rights {
                if random::below(&mut generator, one_in) == 0 {
                    let weight = 1 + random::below(&mut generator, weights) as u32;
                    edges.push(Edge {
                        left,
                        right,
                        weight,
                    });
                }
            }
        }
        edges
    }

    /// The largest sum by trying every matching.
    fn by_trying(edges: &[Edge], used: (u64, u64), value: fn(&Edge) -> u32) -> u32 {
        let Some((edge, rest)) = edges.split_first() else {
            return 0;
        };
        let without = by_trying(rest, used, value);
        let (left, right) = (1 << edge.left, 1 << edge.right);
        if used.0 & left != 0 || used.1 & right != 0 {
            return without;
        }
        let with = value(edge) + by_trying(rest, (used.0 | left, used.1 | right), value);
        without.max(with)
    }

    fn assert_is_matching(edges: &[Edge], places: &[usize]) {
        for (at, &a) in places.iter().enumerate() {
            for &b in &places[..at] {
                assert!(edges[a].left != edges[b].left && edges[a].right != edges[b].right);
            }
        }
    }

    #[test]
    fn matchings_are_the_largest() {
        for seed in 0..300 {
            let (lefts, rights) = (1 + seed as u32 % 5, 1 + seed as u32 / 5 % 6);
            let edges = some_edges(seed, lefts, rights, 1 + seed % 4, 6);
            let places = most_edges(&edges);
            assert_is_matching(&edges, &places);
            let largest = by_trying(&edges, (0, 0), |_| 1);
            assert_eq!(places.len() as u32, largest, "{edges:?}");
            let places = most_weight(&edges);
            assert_is_matching(&edges, &places);
            let sum: u32 = places.iter().map(|&place| edges[place].weight).sum();
            assert_eq!(sum, by_trying(&edges, (0, 0), |edge| edge.weight));
        }
    }

    /// Koenig: as many vertices cover all edges, which no smaller matching would allow.
    #[test]
    fn large_matchings_are_proved_by_a_cover() {
        for seed in 0..20 {
            let edges = some_edges(seed, 200, 150, 60, 1);
            let places = most_edges(&edges);
            assert_is_matching(&edges, &places);
            let (mut lefts, mut rights) = ([true; 200], [false; 150]);
            for &place in &places {
                lefts[edges[place].left as usize] = false;
            }
            // The vertices that alternating paths reach from free left vertices.
            let mut grows = true;
            while grows {
                grows = false;
                for edge in &edges {
                    if lefts[edge.left as usize] && !rights[edge.right as usize] {
                        rights[edge.right as usize] = true;
                        grows = true;
                        for &place in &places {
                            if edges[place].right == edge.right {
                                lefts[edges[place].left as usize] = true;
                            }
                        }
                    }
                }
            }
            let covers = |edge: &Edge| !lefts[edge.left as usize] || rights[edge.right as usize];
            assert!(edges.iter().all(covers));
            let size = lefts.iter().filter(|&&reached| !reached).count()
                + rights.iter().filter(|&&reached| reached).count();
            assert_eq!(size, places.len());
        }
    }

    #[test]
    fn vertices_may_have_any_numbers() {
        let edge = |left, right, weight| Edge {
            left,
            right,
            weight,
        };
        let edges = [
            edge(7, 900, 2),
            edge(7, 3, 3),
            edge(50, 3, 2),
            edge(51, 3, 2),
        ];
        assert_eq!(most_edges(&edges), [0, 2]);
        assert_eq!(most_weight(&edges), [0, 2]);
        assert_eq!(most_weight(&[]), [0; 0]);
    }
}
