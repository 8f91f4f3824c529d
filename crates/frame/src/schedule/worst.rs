//! A search for the traffic that takes longest by the greedy scheme, over destinations that
//! processors may send to: all of them on small networks, and by climbing elsewhere. What
//! climbing finds is no more than a lower bound of the worst.

use crate::graph::{Graph, GraphHop};
use crosswave_base::random;

use super::packets::{self, PacketOutcome};

/// The most traffics that are tried in turn.
pub const ALL_MAX: u64 = 100_000;

/// The most processors of a table of routes.
pub const PROCESSORS_MAX: u32 = 1024;

/// A route for each pair of processors.
#[derive(Debug, Clone)]
pub struct Routes<'a> {
    graph: &'a Graph,
    /// By source, then by destination.
    routes: Vec<Vec<GraphHop>>,
}

impl<'a> Routes<'a> {
    /// Asks for the route of every pair. `None` with more than [`PROCESSORS_MAX`] processors.
    pub fn new(graph: &'a Graph, route: impl Fn(u32, u32) -> Vec<GraphHop>) -> Option<Routes<'a>> {
        if graph.shape().processors() > PROCESSORS_MAX {
            return None;
        }
        let pairs = graph
            .processors()
            .flat_map(|from| graph.processors().map(move |to| (from, to)));
        let routes = pairs.map(|(from, to)| route(from, to)).collect();
        Some(Routes { graph, routes })
    }

    fn processors(&self) -> usize {
        self.graph.processors().len()
    }

    /// The schedule's outcome when each processor sends `each` packets to its destination.
    pub fn run(&self, destinations: &[u32], each: u32) -> PacketOutcome {
        let processors = self.processors();
        let route = |(from, &to): (usize, &u32)| &self.routes[from * processors + to as usize];
        let once: Vec<&[GraphHop]> = destinations
            .iter()
            .enumerate()
            .map(|pair| route(pair).as_slice())
            .collect();
        let all = once.iter().flat_map(|&route| (0..each).map(move |_| route));
        packets::run(self.graph, all)
    }
}

/// The set of traffics that are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrafficClass {
    /// Every processor is one's destination.
    Permutation,
    /// Processors may be the destination of any number.
    Function,
}

/// The worst that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worst {
    /// By source.
    pub destinations: Vec<u32>,
    /// The outcome of its schedule.
    pub outcome: PacketOutcome,
}

impl Worst {
    /// Longer schedules are worse, and of those as long the ones with longer queues.
    fn badness(&self) -> (u64, u64) {
        (self.outcome.steps, self.outcome.longest_queue)
    }
}

/// Tries every traffic, and returns the first of the worst. `None` when there are more than
/// [`ALL_MAX`].
pub fn of_all(routes: &Routes, traffic: TrafficClass, each: u32) -> Option<Worst> {
    let processors = routes.processors() as u64;
    let choices = |source: u64| match traffic {
        TrafficClass::Permutation => processors - source,
        TrafficClass::Function => processors,
    };
    let count = (0..processors).try_fold(1_u64, |count, source| count.checked_mul(choices(source)));
    let count = count.filter(|&count| count <= ALL_MAX)?;
    let mut worst: Option<Worst> = None;
    for number in 0..count {
        let mut rest = number;
        let mut free: Vec<u32> = routes.graph.processors().collect();
        let destinations = (0..processors).map(|source| {
            let choice = (rest % choices(source)) as usize;
            rest /= choices(source);
            match traffic {
                TrafficClass::Permutation => free.remove(choice),
                TrafficClass::Function => choice as u32,
            }
        });
        let destinations: Vec<u32> = destinations.collect();
        let outcome = routes.run(&destinations, each);
        let found = Worst {
            destinations,
            outcome,
        };
        if worst
            .as_ref()
            .is_none_or(|worst| found.badness() > worst.badness())
        {
            worst = Some(found);
        }
    }
    worst
}

/// Climbs from a random traffic, `tries` times by changing two destinations of a permutation for
/// each other, or one of a function, and keeping what is no better for those who send.
pub fn by_climbing(
    routes: &Routes,
    traffic: TrafficClass,
    each: u32,
    seed: u64,
    tries: u32,
) -> Worst {
    let mut generator = random::generator(seed, tries.into());
    let processors = routes.processors();
    let mut draw = |bound: usize| random::below(&mut generator, bound as u64) as usize;
    let mut destinations: Vec<u32> = routes.graph.processors().collect();
    for at in (1..processors).rev() {
        destinations.swap(at, draw(at + 1));
    }
    let mut worst = Worst {
        outcome: routes.run(&destinations, each),
        destinations,
    };
    for _ in 0..tries {
        let mut destinations = worst.destinations.clone();
        let (at, other) = (draw(processors), draw(processors));
        match traffic {
            TrafficClass::Permutation => destinations.swap(at, other),
            TrafficClass::Function => destinations[at] = other as u32,
        }
        let outcome = routes.run(&destinations, each);
        let found = Worst {
            destinations,
            outcome,
        };
        if found.badness() >= worst.badness() {
            worst = found;
        }
    }
    worst
}

#[cfg(test)]
mod tests;
