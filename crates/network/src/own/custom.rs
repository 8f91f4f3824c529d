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

    /// The links to a place on a shortest way, by the place where it begins. They are found once for each
    /// place that is asked for.
    fn distances_to(&self, place: u32) -> &[u16] {
        self.distances[place as usize].get_or_init(|| {
            let starts = std::iter::once(place);
            spread(self.routers.len(), starts, |at| {
                self.comes[at as usize].iter()
            })
        })
    }

    /// Links from a router to another one on a shortest way.
    pub fn distance(&self, from: u32, to: u32) -> u32 {
        self.distances_to(to)[from as usize].into()
    }

    /// Tells of the output links of a shortest way; of several the one over links of lower numbers.
    pub fn way(&self, from: u32, to: u32, link: &mut dyn FnMut(usize)) {
        let distances = self.distances_to(to);
        let mut at = from;
        while at != to {
            let nearer = |&&(_, next): &&(usize, u32)| {
                distances[next as usize].checked_add(1) == Some(distances[at as usize])
            };
            let Some(&(output, next)) = self.leads[at as usize].iter().find(nearer) else {
                break;
            };
            link(output);
            at = next;
        }
    }

    /// A router of some that no links lead to from another one, or from which none lead there.
    fn apart(&self, first: u32, others: impl IntoIterator<Item = u32>) -> Option<[u32; 2]> {
        let starts = std::iter::once(first);
        let led_to = spread(self.routers.len(), starts, |at| {
            self.leads[at as usize].iter()
        });
        let comes_from = self.distances_to(first);
        let ways = others.into_iter().map(|other| {
            let (led_to, comes_from) = (led_to[other as usize], comes_from[other as usize]);
            match (led_to, comes_from) {
                (FAR, _) => Some([first, other]),
                (_, FAR) => Some([other, first]),
                _ => None,
            }
        });
        ways.flatten().next()
    }

    /// The links of each router to the next one with a node.
    pub fn levels(&self, nodes: &[At]) -> Vec<u32> {
        let starts = nodes.iter().map(|&(place, _)| place);
        let levels = spread(self.routers.len(), starts, |at| {
            self.leads[at as usize]
                .iter()
                .chain(&self.comes[at as usize])
        });
        // A router that no link leads to stands at the top.
        let most = levels.iter().filter(|&&level| level != FAR).max();
        let most = most.copied().unwrap_or(0);
        let levels = levels.iter();
        levels.map(|&level| level.min(most + 1).into()).collect()
    }
}

/// The links from the next of some places to each of so many, over what is `next` to a place.
fn spread<'l, I>(
    count: usize,
    starts: impl Iterator<Item = u32>,
    next: impl Fn(u32) -> I,
) -> Box<[u16]>
where
    I: Iterator<Item = &'l (usize, u32)>,
{
    let mut distances = vec![FAR; count];
    let mut waiting: VecDeque<u32> = starts.collect();
    for &start in &waiting {
        distances[start as usize] = 0;
    }
    while let Some(at) = waiting.pop_front() {
        let distance = distances[at as usize] + 1;
        for &(_, other) in next(at) {
            if distances[other as usize] == FAR {
                distances[other as usize] = distance;
                waiting.push_back(other);
            }
        }
    }
    distances.into_boxed_slice()
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
        let way = |custom: &Custom, from, to| {
            let mut links = Vec::new();
            custom.way(from, to, &mut |link| links.push(link));
            links
        };
        let two_way = ring(6, true);
        assert_eq!(two_way.distance(0, 4), 2);
        assert_eq!(way(&two_way, 0, 4), [1, 1]);
        let one_way = ring(6, false);
        assert_eq!(one_way.distance(0, 4), 4);
        assert_eq!(way(&one_way, 4, 1), [0, 0, 0]);
        assert_eq!(one_way.levels(&[(0, 2)]), [0, 1, 2, 3, 2, 1]);
    }
}
