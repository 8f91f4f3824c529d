//! Routers on which connections depend (DeHon 1990, sections 2.1.2 and 5.2.2).
//!
//! A connection has as many routers in each stage of its way as the random choices of those
//! before can lead to. One that is alone in its stage is *critical*: without it the connection
//! cannot be made, however often it is tried. A way passes each stage once, so no other router
//! is.

use std::collections::{BTreeMap, BTreeSet};

use super::{ROUTERS, Transit};
use crate::path::follow;
use crate::topology::NODES;
use crate::{Fabric, LinkPort};
use crosswave_chips::rn1::PORTS_A_SIDE;
use crosswave_chips::routing::transit::TransitHop;

/// Connections and nodes that depend on a router.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dependents {
    /// Ordered pairs of nodes whose connection needs it.
    pub pairs: u64,
    /// Nodes of which all connections to others, or from all others, need it.
    pub nodes: Vec<u32>,
    /// One of the pairs: source and destination.
    pub example: (u32, u32),
}

impl Transit {
    /// The critical routers, by their numbers, with what depends on each. All pairs of nodes are
    /// looked at; `fabric` is that of the tree.
    ///
    /// Takes time proportional to the pairs, and to the routers of a stage that a connection may
    /// come to: some seconds for 4,096 nodes.
    pub fn critical_routers(&self, fabric: &Fabric) -> BTreeMap<u32, Dependents> {
        let nodes = self.nodes();
        let others = u64::from(nodes - 1);
        let mut critical: BTreeMap<u32, Dependents> = BTreeMap::new();
        // Number of connections to each node that need a router, for nodes with any.
        let mut to_node: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for source in 0..nodes {
            let mut walk = Walk::new(self, fabric, source);
            // Pairs, and the last destination.
            let mut of_source: BTreeMap<u32, (u64, u32)> = BTreeMap::new();
            for destination in (0..nodes).filter(|&node| node != source) {
                let alone = walk.alone(destination);
                for router in alone {
                    let (pairs, last) = of_source.entry(router).or_default();
                    (*pairs, *last) = (*pairs + 1, destination);
                    *to_node.entry((router, destination)).or_default() += 1;
                }
            }
            for (router, (pairs, destination)) in of_source {
                let dependents = critical.entry(router).or_default();
                dependents.pairs += pairs;
                dependents.example = (source, destination);
                dependents.nodes.extend((pairs == others).then_some(source));
            }
        }
        for ((router, node), pairs) in to_node {
            let dependents = critical.entry(router).or_default();
            dependents.nodes.extend((pairs == others).then_some(node));
        }
        for dependents in critical.values_mut() {
            dependents.nodes.sort_unstable();
            dependents.nodes.dedup();
        }
        critical
    }
}

/// The ways from a node to others, one destination after the other. What two ways have in common
/// at their beginnings is found once.
struct Walk<'w> {
    tree: &'w Transit,
    fabric: &'w Fabric,
    source: u32,
    hops: Vec<TransitHop>,
    /// The inputs of routers to which each stage of the way may lead, and behind the last stage
    /// the nodes.
    reached: Vec<BTreeSet<(usize, usize)>>,
    /// True for stages whose routers are of two crossbars, by the stages of the hops.
    crossbars: BTreeMap<crosswave_chips::routing::transit::Stage, bool>,
}

impl<'w> Walk<'w> {
    fn new(tree: &'w Transit, fabric: &'w Fabric, source: u32) -> Walk<'w> {
        let entrances = (0..2).map(|link| {
            let entrance = LinkPort {
                array: NODES,
                instance: source as usize,
                link,
            };
            let (_, at) = follow(fabric, entrance).expect("every link of a tree leads on");
            (at.instance, at.link)
        });
        let shape = tree.shape();
        let stages = shape.stages().into_iter();
        Walk {
            tree,
            fabric,
            source,
            hops: Vec::new(),
            reached: vec![entrances.collect()],
            crossbars: stages
                .map(|stage| (stage, shape.made_of(stage).crossbars))
                .collect(),
        }
    }

    /// The routers that are alone in their stages on the way to a destination.
    fn alone(&mut self, destination: u32) -> Vec<u32> {
        let hops = self.tree.form.hops(self.source, destination);
        let same = |(one, other): &(&TransitHop, &TransitHop)| {
            (one.stage, one.direction) == (other.stage, other.direction)
        };
        let common = self.hops.iter().zip(&hops).take_while(same).count();
        self.hops.truncate(common);
        self.reached.truncate(common + 1);
        for &hop in &hops[common..] {
            let next = self.behind(hop);
            self.hops.push(hop);
            self.reached.push(next);
        }
        let stages = self.reached[..hops.len()].iter();
        let alone = stages.filter_map(|inputs| {
            let mut routers = inputs.iter().map(|(router, _)| *router);
            let first = routers.next()?;
            routers
                .all(|router| router == first)
                .then_some(first as u32)
        });
        alone.collect()
    }

    /// The ports to which the outputs of the last stage lead that serve a hop.
    fn behind(&self, hop: TransitHop) -> BTreeSet<(usize, usize)> {
        let inputs = self.reached.last().expect("the entrances");
        let of_input = |&(instance, link): &(usize, usize)| {
            let first = PORTS_A_SIDE + 2 * usize::from(hop.direction);
            let outputs = match self.crossbars[&hop.stage] {
                true => {
                    let side = usize::from(link >= PORTS_A_SIDE / 2);
                    first + side..first + side + 1
                }
                false => first..first + 2,
            };
            outputs.map(move |link| LinkPort {
                array: ROUTERS,
                instance,
                link,
            })
        };
        let outputs = inputs.iter().flat_map(of_input);
        let led = outputs.map(|output| follow(self.fabric, output).expect("it leads on"));
        led.map(|(_, at)| (at.instance, at.link)).collect()
    }
}
