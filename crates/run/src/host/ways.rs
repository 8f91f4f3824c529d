//! The choice of the way of each message, where several lead from its source to its destination.

use std::collections::BTreeMap;

use super::queue::MessageQueues;
use crosswave_chips::routing::Route;
use crosswave_network::topology::PathChoice;
use crosswave_network::traffic::Workload;

/// The choice among several routes of a pair of nodes.
pub struct RouteChoice<'a> {
    network: &'a dyn PathChoice,
    /// For each message how many others of its pair of nodes come before it.
    before: Vec<u32>,
}

impl<'a> RouteChoice<'a> {
    /// The choice for the messages of a workload, by their queues.
    pub fn new(
        network: &'a dyn PathChoice,
        workload: &Workload,
        queues: &MessageQueues,
    ) -> RouteChoice<'a> {
        RouteChoice {
            network,
            before: before(workload, queues),
        }
    }

    /// The number of the way of a message between two nodes.
    pub fn way(&self, source: u32, destination: u32, id: u32) -> u32 {
        let before = self.before[id as usize];
        self.network.way_of(source, destination, before)
    }

    /// The way of a message between two nodes.
    pub fn route(&self, source: u32, destination: u32, id: u32) -> Route {
        let way = self.way(source, destination, id);
        self.network.route_by(source, destination, way)
    }
}

/// For each message, how many others of its pair of nodes come before it.
fn before(workload: &Workload, queues: &MessageQueues) -> Vec<u32> {
    let mut before = vec![0; workload.messages.len()];
    let mut counts = BTreeMap::new();
    for source in 0..workload.nodes {
        counts.clear();
        let queue = (0..queues.count(source)).filter_map(|at| queues.get(source, at));
        for queued in queue {
            let count = counts.entry(queued.destination).or_insert(0);
            before[queued.id as usize] = *count;
            *count += 1;
        }
    }
    before
}
