//! The ports that messages use: on their ways, and on the ways that they might take.

use std::collections::{BTreeSet, VecDeque};
use std::io;

use super::record::{AttemptRecord, LifeSink, MessageLife, NO_OUTPUT};
use crosswave_chips::Role;
use crosswave_network::path::follow;
use crosswave_network::topology::{NODES, OnPath, Topology};
use crosswave_network::{Fabric, LinkPort};

/// Interfaces and links of routers, by array, instance and link port.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Used {
    nodes: BTreeSet<usize>,
    links: BTreeSet<(usize, usize)>,
}

impl Used {
    /// Adds all links that a message from a node to another one may take, whatever routers draw.
    ///
    /// # Panics
    /// When a node is not one of the network.
    pub fn add_route(
        &mut self,
        topology: &dyn Topology,
        fabric: &Fabric,
        source: u32,
        destination: u32,
    ) {
        let mut instances = 0..fabric.nodes;
        let own = instances.find(|&instance| topology.node_of_instance(instance) == source);
        let own = own.expect("a node of the network");
        self.nodes.insert(own);
        // Ports at which a head may be, by the number of chips behind it.
        let start = LinkPort {
            array: NODES,
            instance: own,
            link: 0,
        };
        let mut next = VecDeque::from([(start, 0)]);
        let mut seen = BTreeSet::new();
        while let Some((at, chip)) = next.pop_front() {
            let ways = 0..topology.ways(source, destination);
            for (way, draw) in ways.flat_map(|way| [(way, false), (way, true)]) {
                let link = topology.leaves(OnPath {
                    source,
                    destination,
                    chip,
                    arrived: at.link,
                    draw,
                    way,
                });
                let from = LinkPort { link, ..at };
                if let Some(router) = fabric.router_number(from.array, from.instance) {
                    self.links.insert((router, link));
                }
                let Some((_, to)) = follow(fabric, from) else {
                    continue;
                };
                if to.array == NODES {
                    self.nodes.insert(to.instance);
                } else if let Some(router) = fabric.router_number(to.array, to.instance)
                    && seen.insert((router, to.link, chip))
                {
                    self.links.insert((router, to.link));
                    next.push_back((to, chip + 1));
                }
            }
        }
    }

    /// Adds what an attempt has used.
    pub fn add_attempt(
        &mut self,
        topology: &dyn Topology,
        fabric: &Fabric,
        attempt: &AttemptRecord,
    ) {
        let ends = [attempt.source, attempt.destination];
        let instances = 0..fabric.nodes;
        let is_end = |instance: &usize| ends.contains(&topology.node_of_instance(*instance));
        self.nodes.extend(instances.filter(is_end));
        for hop in &attempt.hops {
            let router = hop.router as usize;
            self.links.insert((router, usize::from(hop.input)));
            if hop.output != NO_OUTPUT {
                self.links.insert((router, usize::from(hop.output)));
            }
        }
    }

    /// True when a port is one of them: of an interface any, of a router one of a link that is used
    /// or one that shows a state.
    pub fn has(&self, fabric: &Fabric, (array, instance, port): (usize, usize, usize)) -> bool {
        if array == NODES {
            return self.nodes.contains(&instance);
        }
        let Some(router) = fabric.router_number(array, instance) else {
            return false;
        };
        match fabric.arrays[array].chip.ports[port].role {
            Role::Link { link, .. } => self.links.contains(&(router, link)),
            Role::State(_) => {
                let mut links = self.links.range((router, 0)..(router + 1, 0));
                links.next().is_some()
            }
            _ => false,
        }
    }
}

/// Ports that some messages have used in a run, up to the acknowledgement of the last of them.
pub struct UsedByMessages<'a> {
    topology: &'a dyn Topology,
    fabric: &'a Fabric,
    /// Those that have not been acknowledged.
    left: BTreeSet<u32>,
    messages: BTreeSet<u32>,
    used: Used,
}

impl<'a> UsedByMessages<'a> {
    /// Sees what some messages of a network use, whose fabric is given.
    pub fn new(
        topology: &'a dyn Topology,
        fabric: &'a Fabric,
        messages: impl IntoIterator<Item = u32>,
    ) -> UsedByMessages<'a> {
        let messages: BTreeSet<u32> = messages.into_iter().collect();
        UsedByMessages {
            topology,
            fabric,
            left: messages.clone(),
            messages,
            used: Used::default(),
        }
    }

    /// The ports that they have used.
    pub fn used(self) -> Used {
        self.used
    }
}

impl LifeSink for &mut UsedByMessages<'_> {
    fn attempt(&mut self, attempt: &AttemptRecord) -> io::Result<()> {
        if self.messages.contains(&attempt.id) {
            self.used.add_attempt(self.topology, self.fabric, attempt);
        }
        Ok(())
    }

    fn message(&mut self, life: &MessageLife) -> io::Result<()> {
        self.left.remove(&life.id);
        Ok(())
    }

    fn is_satisfied(&self) -> bool {
        self.left.is_empty()
    }
}
