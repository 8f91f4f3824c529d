//! Messages that wait for the delivery of others ([`Offer::After`]).
//!
//! What waits has to know *which* message was delivered when a receiver shows that one was.
//! The receivers of circuits do not say whose it was, but the clocks of the ways do: an attempt
//! that was launched in cycle L arrives, unless it is rejected, in a cycle that follows from
//! its way and its length. So each attempt is expected at its destination until it is
//! rejected. When as many are expected in a cycle as have come, it is they; when more are, some
//! of them have lost, and it is known who as soon as their senders are told. What waits is
//! offered in the cycle after that. Where the clocks of a way depend on which of several links
//! a message takes, its sender's acknowledgement is waited for.
//!
//! A workload without sets has none of this, and is asked only whether it has.

use std::collections::BTreeSet;

use smallvec::SmallVec;

use crosswave_network::topology::Topology;
use crosswave_network::traffic::{Offer, Workload};
use crosswave_probe::save::{Loader, Saver, Unlike};

/// A message that becomes free to be offered: its number, its source's interface and its cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Release {
    /// The message.
    pub id: u32,
    /// The interface of its source.
    pub instance: u32,
    /// The cycle from which it may be offered.
    pub cycle: u64,
}

/// Dependencies between messages: those that wait, and the deliveries that they wait for.
#[derive(Debug, Default)]
pub struct Dependencies {
    /// For each message, how many of its set have not been delivered.
    missing: Vec<u32>,
    /// For each message, where those begin in `waiting` that wait for it; and an end.
    firsts: Vec<u32>,
    waiting: Vec<u32>,
    /// The interface of each node.
    interfaces: Vec<u32>,
    /// Attempts under way to each node: the cycle in which they arrive, and the message.
    expected: Vec<BTreeSet<(u64, u32)>>,
    /// Deliveries at each node of which it is not yet known whose they are.
    unknown: Vec<SmallVec<[u64; 1]>>,
    /// Arrivals are not known in advance.
    by_acknowledgement: bool,
}

impl Dependencies {
    /// The dependencies of a workload.
    pub fn new(network: &dyn Topology, workload: &Workload) -> Dependencies {
        if workload.sets.is_empty() {
            return Dependencies::default();
        }
        let nodes = network.nodes() as usize;
        let mut interfaces = vec![0; nodes];
        for instance in 0..nodes {
            interfaces[network.node_of_instance(instance) as usize] = instance as u32;
        }
        let mut firsts = vec![0; workload.messages.len() + 1];
        let sets = || {
            let messages = (0..).zip(&workload.messages);
            messages.filter_map(|(id, message)| match message.offered {
                Offer::After { set, .. } => Some((id, workload.sets.of(set))),
                Offer::At(_) | Offer::AfterPrevious => None,
            })
        };
        // Counted, then placed: while ids are placed, `firsts[m + 1]` is the place of the next
        // one that waits for m.
        for (id, set) in sets() {
            for &before in set {
                assert!(before < id, "a message waits for earlier ones");
                firsts[before as usize + 1] += 1;
            }
        }
        let mut place = 0;
        for first in &mut firsts {
            place += std::mem::replace(first, place);
        }
        let mut waiting = vec![0; place as usize];
        let mut missing = vec![0; workload.messages.len()];
        for (id, set) in sets() {
            missing[id as usize] = set.len() as u32;
            for &before in set {
                let place = &mut firsts[before as usize + 1];
                waiting[*place as usize] = id;
                *place += 1;
            }
        }
        Dependencies {
            missing,
            firsts,
            waiting,
            interfaces,
            expected: vec![BTreeSet::new(); nodes],
            unknown: vec![SmallVec::new(); nodes],
            by_acknowledgement: network.timing().arrival(0, 1, 1).is_none(),
        }
    }

    /// True when nothing waits for a delivery in the whole workload.
    pub fn is_empty(&self) -> bool {
        self.missing.is_empty()
    }

    /// Saves what changes in a run.
    pub fn save(&self, saver: &mut Saver) {
        saver.value(&self.missing);
        saver.value(&self.expected);
        saver.value(&self.unknown);
    }

    /// Takes over what those of the same workload saved.
    ///
    /// # Errors
    /// When it was of another one.
    pub fn load(&mut self, loader: &mut Loader<'_>) -> Result<(), Unlike> {
        self.missing = loader.values(self.missing.len())?;
        self.expected = loader.values(self.expected.len())?;
        self.unknown = loader.values(self.unknown.len())?;
        Ok(())
    }

    /// True when a message waits for others.
    pub fn is_waiting(&self, id: usize) -> bool {
        self.missing[id] > 0
    }

    /// True when these can be the dependencies of a workload in a cycle.
    pub fn is_of(&self, workload: &Workload, cycle: u64) -> bool {
        let messages = &workload.messages;
        let mut missing = self.missing.iter().zip(messages);
        let mut expected = (0..).zip(&self.expected);
        let mut unknown = self.unknown.iter().flatten();
        missing.all(|(&missing, message)| match message.offered {
            Offer::After { set, .. } => missing as usize <= workload.sets.of(set).len(),
            Offer::At(_) | Offer::AfterPrevious => missing == 0,
        }) && expected.all(|(node, expected): (u32, _)| {
            let mut ids = expected.iter().map(|(_, id)| messages.get(*id as usize));
            ids.all(|message| message.is_some_and(|message| message.destination == node))
        }) && unknown.all(|&at| at <= cycle)
    }

    /// Takes in that an attempt was launched that arrives in a cycle unless it is rejected.
    pub fn launched(&mut self, id: u32, destination: u32, arrives: u64) {
        self.expected[destination as usize].insert((arrives, id));
    }

    /// Takes in, in a cycle, that an attempt was rejected that would have arrived in another
    /// one; `free` gets what is now known to wait no longer.
    pub fn rejected(
        &mut self,
        (id, destination, arrives): (u32, u32, u64),
        cycle: u64,
        workload: &Workload,
        free: &mut Vec<Release>,
    ) {
        let was_expected = self.expected[destination as usize].remove(&(arrives, id));
        assert!(was_expected, "the attempt was launched");
        self.settle(destination, arrives, cycle, workload, free);
    }

    /// Takes in that a message was acknowledged in a cycle, which matters where its arrival was
    /// not known in advance.
    pub fn acknowledged(
        &mut self,
        id: u32,
        cycle: u64,
        workload: &Workload,
        free: &mut Vec<Release>,
    ) {
        if self.by_acknowledgement {
            self.delivered(id, cycle, workload, free);
        }
    }

    /// Takes in that a node has received a message in a cycle.
    pub fn received(
        &mut self,
        node: u32,
        cycle: u64,
        workload: &Workload,
        free: &mut Vec<Release>,
    ) {
        if self.by_acknowledgement {
            return;
        }
        self.unknown[node as usize].push(cycle);
        self.settle(node, cycle, cycle, workload, free);
    }

    /// Finds out, in cycle `now`, whose the deliveries at a node in a cycle were.
    fn settle(
        &mut self,
        node: u32,
        cycle: u64,
        now: u64,
        workload: &Workload,
        free: &mut Vec<Release>,
    ) {
        let expected = &mut self.expected[node as usize];
        let unknown = &mut self.unknown[node as usize];
        let come = unknown.iter().filter(|&&at| at == cycle).count();
        let all = (cycle, 0)..=(cycle, u32::MAX);
        if come == 0 || expected.range(all.clone()).take(come + 1).count() != come {
            return;
        }
        unknown.retain(|at| *at != cycle);
        let delivered: SmallVec<[u32; 2]> = expected.range(all).map(|&(_, id)| id).collect();
        for id in &delivered {
            expected.remove(&(cycle, *id));
        }
        for id in delivered {
            self.delivered(id, now, workload, free);
        }
    }

    /// Takes in, in a cycle, that a message was delivered.
    pub fn delivered(&mut self, id: u32, cycle: u64, workload: &Workload, free: &mut Vec<Release>) {
        let range = self.firsts[id as usize] as usize..self.firsts[id as usize + 1] as usize;
        for &waits in &self.waiting[range] {
            let missing = &mut self.missing[waits as usize];
            // An interface of your own may tell a delivery again. Then a message may be released
            // before all of its set is there.
            if *missing == 0 {
                continue;
            }
            *missing -= 1;
            if *missing == 0 {
                let message = &workload.messages[waits as usize];
                free.push(Release {
                    id: waits,
                    instance: self.interfaces[message.source as usize],
                    cycle: message.offered.earliest().max(cycle + 1),
                });
            }
        }
    }
}

#[cfg(test)]
mod tests;
