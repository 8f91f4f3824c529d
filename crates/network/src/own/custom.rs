//! Routers and links as a designer lists them.

pub mod config;
mod list;
pub mod read;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, OnceLock};

use super::{At, Coordinates};

pub use list::{List, ListedLink, ListedRouter};

/// Routers of a list at most: their distances are kept, two bytes for each pair that is asked for.
pub const ROUTERS_MAX: usize = 1 << 14;

/// The distance of what no links lead to.
const FAR: u16 = u16::MAX;

/// A router of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Router {
    name: String,
    coordinates: [u32; 3],
    id: u32,
    /// Values of pins and parameters.
    given: BTreeMap<String, u64>,
    /// True when pins without a value are 0.
    others_are_0: bool,
}

/// Links in one direction, by the place where they begin or end.
type Directed = Vec<Vec<(usize, u32)>>;

/// Routers and links as a list has them.
#[derive(Debug, Clone)]
pub struct Custom {
    routers: Vec<Router>,
    joins: Vec<(At, At, u32)>,
    /// By place, the output links and the places that they lead to.
    leads: Arc<Directed>,
    /// By place, the places that links come from.
    comes: Arc<Directed>,
    /// By place, the links to it on a shortest way from every place, once that was asked for.
    distances: Arc<Vec<OnceLock<Box<[u16]>>>>,
}

impl Custom {
    /// The routers of a list, and the links that join them with their extra cycles; `sends` says of a link if flits go out
    /// there.
    fn new(routers: Vec<Router>, joins: Vec<(At, At, u32)>, sends: impl Fn(At) -> bool) -> Custom {
        let (mut leads, mut comes) = (
            vec![Vec::new(); routers.len()],
            vec![Vec::new(); routers.len()],
        );
        for &(one, other, _) in &joins {
            for (from, to) in [(one, other), (other, one)] {
                if sends(from) {
                    leads[from.0 as usize].push((from.1, to.0));
                    comes[to.0 as usize].push((from.1, from.0));
                }
            }
        }
        leads.iter_mut().for_each(|links| links.sort_unstable());
        Custom {
            distances: Arc::new(vec![OnceLock::new(); routers.len()]),
            routers,
            joins,
            leads: Arc::new(leads),
            comes: Arc::new(comes),
        }
    }

    /// Number of routers.
    pub fn count(&self) -> u32 {
        self.routers.len() as u32
    }

    /// The name of a router.
    pub fn name(&self, place: u32) -> &str {
        &self.routers[place as usize].name
    }

    /// The coordinates of a router.
    pub fn coordinates(&self, place: u32) -> Coordinates {
        Coordinates::from(self.routers[place as usize].coordinates)
    }

    /// The number of a router.
    pub fn id(&self, place: u32) -> u32 {
        self.routers[place as usize].id
    }

    /// The value that a pin or a parameter of a router is given.
    pub fn given(&self, place: u32, name: &str) -> Option<u64> {
        let router = &self.routers[place as usize];
        let found = router.given.get(name).copied();
        found.or(router.others_are_0.then_some(0))
    }

    /// Tells of all links between routers, with their extra cycles.
    pub fn joins(&self, join: &mut dyn FnMut(At, At, u32)) {
        let joins = self.joins.iter();
        joins.for_each(|&(one, other, cycles)| join(one, other, cycles));
    }

    /// Number of links between routers.
    pub fn links(&self) -> u64 {
        self.joins.len() as u64
    }

    /// The links to a place on a shortest way, by the place where it begins.
    fn distances_to(&self, place: u32) -> &[u16] {
        self.distances[place as usize].get_or_init(|| {
            let mut distances = vec![FAR; self.routers.len()];
            distances[place as usize] = 0;
            let mut next = VecDeque::from([place]);
            while let Some(at) = next.pop_front() {
                let distance = distances[at as usize] + 1;
                for &(_, from) in &self.comes[at as usize] {
                    if distances[from as usize] == FAR {
                        distances[from as usize] = distance;
                        next.push_back(from);
                    }
                }
            }
            distances.into_boxed_slice()
        })
    }

    /// Links from a router to another one on a shortest way.
    pub fn distance(&self, from: u32, to: u32) -> u32 {
        self.distances_to(to)[from as usize].into()
    }

    /// The output links of a shortest way; of several the one over links of lower numbers.
    pub fn way(&self, from: u32, to: u32) -> Vec<usize> {
        let distances = self.distances_to(to);
        let mut links = Vec::new();
        let mut at = from;
        while at != to {
            let nearer = |&&(_, next): &&(usize, u32)| {
                distances[next as usize].checked_add(1) == Some(distances[at as usize])
            };
            let Some(&(link, next)) = self.leads[at as usize].iter().find(nearer) else {
                break;
            };
            links.push(link);
            at = next;
        }
        links
    }

    /// True when links lead from a router to another one.
    fn is_joined(&self, from: u32, to: u32) -> bool {
        self.distances_to(to)[from as usize] != FAR
    }

    /// The links of each router to the next one with a node.
    pub fn levels(&self, nodes: &[At]) -> Vec<u32> {
        let mut levels = vec![u32::MAX; self.routers.len()];
        let mut next: VecDeque<u32> = VecDeque::new();
        for &(place, _) in nodes {
            if levels[place as usize] != 0 {
                levels[place as usize] = 0;
                next.push_back(place);
            }
        }
        while let Some(at) = next.pop_front() {
            let level = levels[at as usize] + 1;
            let (leads, comes) = (&self.leads[at as usize], &self.comes[at as usize]);
            for &(_, other) in leads.iter().chain(comes) {
                if levels[other as usize] == u32::MAX {
                    levels[other as usize] = level;
                    next.push_back(other);
                }
            }
        }
        // A router that no link leads to stands at the top.
        let most = levels.iter().filter(|&&level| level != u32::MAX).max();
        let most = most.copied().unwrap_or(0);
        levels.iter().map(|&level| level.min(most + 1)).collect()
    }
}

impl PartialEq for Custom {
    fn eq(&self, other: &Custom) -> bool {
        (&self.routers, &self.joins) == (&other.routers, &other.joins)
    }
}

impl Eq for Custom {}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring of `count` routers, whose link 0 leads to the next one and link 1 back.
    fn ring(count: u32, back: bool) -> Custom {
        let router = |number: u32| Router {
            name: format!("r{number}"),
            coordinates: [number, 0, 0],
            id: number,
            given: BTreeMap::new(),
            others_are_0: false,
        };
        let joins = (0..count).map(|at| ((at, 0), ((at + 1) % count, 1), 0));
        Custom::new((0..count).map(router).collect(), joins.collect(), |at| {
            back || at.1 == 0
        })
    }

    #[test]
    fn ways_are_shortest_and_follow_directions() {
        let two_way = ring(6, true);
        assert_eq!(two_way.distance(0, 4), 2);
        assert_eq!(two_way.way(0, 4), [1, 1]);
        let one_way = ring(6, false);
        assert_eq!(one_way.distance(0, 4), 4);
        assert_eq!(one_way.way(4, 1), [0, 0, 0]);
        assert_eq!(one_way.levels(&[(0, 2)]), [0, 1, 2, 3, 2, 1]);
    }
}
