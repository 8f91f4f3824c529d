//! The cycle loop of one replicate, or of several that run in the copies of
//! their network on one engine (see [`network::copies`](crosswave_network::copies)).
//!
//! Every replicate has its own host, and what it leaves behind is what it would
//! leave behind alone:
//!
//! - No link and no pin leads from one copy to another, and the random pins of a
//!   copy come from its replicate's seed.
//! - Random pins are held at 0, and cycles skipped, only while every replicate
//!   is quiet. One that is quiet while others are not is evaluated with its
//!   random pins running, which changes nothing: chips at rest keep their
//!   registers whatever the random pins are (`gate::rest` finds out when that
//!   holds).
//! - A replicate whose messages are all acknowledged offers nothing more. Its
//!   copy comes to rest, and the others go on.
//!
//! Cycles count as evaluated in a replicate when it alone would evaluate them.

use crate::host::{End, Host, Loss, Outcome, PinChanges, QueueRow};
use crate::observer::Observer;
use crate::snapshot::{Impossible, RunState, Snapshot};
use crosswave_chips::endpoint::{Endpoint, Notice, ObservedPort};
use crosswave_network::PinChange;
use crosswave_network::copies::Copies;
use crosswave_network::topology::{LongestQueue, NODES, ROUTERS, Topology};
use crosswave_probe::engine::{Burst, Engine, InstanceList};
use crosswave_probe::message::MessageEvent;

/// Replicates that share an engine.
pub struct ReplicateBatch<'a> {
    hosts: Vec<Host<'a>>,
    /// Outcomes of the hosts that have ended.
    outcomes: Vec<Option<Outcome>>,
    copies: Copies,
    /// The endpoint of the nodes.
    endpoint: &'static dyn Endpoint,
    /// Its ports that tell something.
    ports: Vec<usize>,
    driven: PinChanges,
    /// The instances that raise each of the ports.
    raised: Vec<InstanceList>,
    /// The routers that raise a port.
    routers: Vec<u32>,
    /// Values of instances at the ports that a notice names.
    shown: [Vec<u64>; 2],
    /// Pins that are still to change, whatever the hosts do.
    changes: &'a [PinChange],
}

/// An interface.
#[derive(Clone, Copy)]
struct Interface {
    /// Its instance in the fabric.
    instance: usize,
    /// Its instance in the network of which the fabric has copies.
    own: usize,
    /// Its values at the ports that a notice names.
    shown: [u64; 2],
}

impl<'a> ReplicateBatch<'a> {
    /// Replicates in a fabric of `copies`, the first in copy 0, whose pins change as
    /// [`Fabric::changes`](crosswave_network::Fabric) says. Copies for which there is no host are
    /// driven by nobody, and nobody looks at them.
    ///
    /// # Panics
    /// When there are more hosts than copies, or none.
    pub fn new(hosts: Vec<Host<'a>>, copies: Copies, changes: &'a [PinChange]) -> Self {
        assert!(hosts.len() <= copies.count(), "a copy for each host");
        let endpoint = hosts[0].endpoint();
        let ports: Vec<usize> = endpoint.shows().iter().map(|shown| shown.port).collect();
        ReplicateBatch {
            endpoint,
            raised: vec![InstanceList::default(); ports.len()],
            ports,
            outcomes: vec![None; hosts.len()],
            hosts,
            copies,
            driven: PinChanges::default(),
            routers: Vec::new(),
            shown: [const { Vec::new() }; 2],
            changes,
        }
    }

    /// Runs all to their ends, and gives their outcomes in the same order.
    pub fn run(
        &mut self,
        engine: &mut dyn Engine,
        cycles_max: u64,
        observer: &mut dyn Observer,
    ) -> Vec<Outcome> {
        engine.hold_random(true);
        observer.cycle(engine, false);
        self.observe(engine, observer);
        self.go_on(engine, cycles_max, observer)
    }

    /// Goes on from a cycle that has been observed to the ends of all, whose outcomes it gives in
    /// the same order.
    fn go_on(
        &mut self,
        engine: &mut dyn Engine,
        cycles_max: u64,
        observer: &mut dyn Observer,
    ) -> Vec<Outcome> {
        let messages = self.messages();
        loop {
            if let [host] = &self.hosts[..] {
                observer.between_edges(&RunState { engine, host });
            }
            let cycle = engine.cycle();
            if !self.goes_on(engine, cycles_max) {
                break;
            }
            observer.on_progress(messages - self.unacknowledged(), messages);
            if observer.interrupted() || engine.fault().is_some() {
                self.interrupt(engine);
                break;
            }
            if observer.takes_bursts()
                && let Some((host, burst)) = self.burst(engine, cycles_max)
            {
                host.advance(engine, burst);
                observer.cycle(engine, true);
                continue;
            }
            let skip_to = self.quiet_until(cycle, cycles_max);
            match skip_to {
                Some(next) => {
                    observer.rests(engine, next);
                    engine.skip_to(next);
                }
                None => engine.step(),
            }
            self.drive(engine);
            observer.cycle(engine, skip_to.is_none());
            self.observe(engine, observer);
        }
        let outcomes = self.outcomes.iter_mut().filter_map(Option::take);
        outcomes.collect()
    }

    /// Messages of all replicates that have not been acknowledged.
    fn unacknowledged(&self) -> usize {
        self.hosts.iter().map(Host::unacknowledged).sum()
    }

    /// Messages of all replicates.
    fn messages(&self) -> usize {
        self.hosts.iter().map(Host::messages).sum()
    }

    /// The host that may let the engine take its burst now.
    fn burst(&mut self, engine: &dyn Engine, cycles_max: u64) -> Option<(&mut Host<'a>, Burst)> {
        let burst = engine.burst(NODES)?;
        let [host] = &mut self.hosts[..] else {
            return None;
        };
        let end = engine.cycle() + burst.cycles;
        let undisturbed = self.changes.first().is_none_or(|change| change.cycle > end);
        let fits = undisturbed && end <= cycles_max && host.may_burst(engine.cycle(), burst);
        fits.then_some((host, burst))
    }

    /// Takes in what the interfaces show in the engine's cycle, and tells the observer if it
    /// follows messages.
    fn observe(&mut self, engine: &dyn Engine, observer: &mut dyn Observer) {
        let follows = observer.follows_messages();
        let copies = self.copies;
        let hosts = self.hosts.iter_mut().zip(&self.outcomes).enumerate();
        for (copy, (host, _)) in hosts.filter(|(_, (_, outcome))| outcome.is_none()) {
            host.each_launch(engine.cycle(), |event| {
                if follows {
                    observer.message(engine, copy, event);
                }
            });
        }
        let cycle = engine.cycle();
        engine.raised_each(NODES, &self.ports, &mut self.raised);
        let mut tell = |of: Interface, event: MessageEvent| {
            let (copy, _) = copies.split(of.instance);
            observer.message(engine, copy, event);
        };
        for (at, &ObservedPort { notice, .. }) in self.endpoint.shows().iter().enumerate() {
            if self.raised[at].is_empty() {
                continue;
            }
            match notice {
                Notice::Received => self.each_raised(engine, at, &[], |host, of| {
                    if let (Some(id), true) = (host.received(of.own, cycle), follows) {
                        tell(of, MessageEvent::Delivered { id });
                    }
                }),
                Notice::Arrived { id, wrong } => {
                    self.each_raised(engine, at, &[id, wrong], |host, of| {
                        let [id, wrong] = of.shown;
                        let event = host.arrived(of.own, cycle, id as u32, wrong != 0);
                        if let (Some(event), true) = (event, follows) {
                            tell(of, event);
                        }
                    })
                }
                Notice::Opened => self.each_raised(engine, at, &[], |host, of| {
                    host.opened(of.own, cycle);
                }),
                Notice::Launched => self.each_raised(engine, at, &[], |host, of| {
                    host.launched(of.own, cycle);
                    if follows {
                        tell(of, host.launch(of.own));
                    }
                }),
                Notice::Unasked => self.each_raised(engine, at, &[], |host, of| {
                    host.unasked(of.own, cycle);
                }),
                Notice::Sent => self.each_raised(engine, at, &[], |host, of| {
                    host.sent(of.own, cycle);
                }),
                Notice::Rejected { stage } => {
                    self.each_raised(engine, at, stage.as_slice(), |host, of| {
                        let (id, at) = host.rejected(of.own, cycle, of.shown[0] as u32);
                        if follows {
                            let instance = of.own as u32;
                            tell(of, MessageEvent::Rejected { instance, id, at });
                        }
                    })
                }
                Notice::Replied => self.each_raised(engine, at, &[], |host, of| {
                    host.replied(of.own, cycle);
                }),
                Notice::Acknowledged { wrong } => {
                    self.fetch_raised(at);
                    self.each_raised(engine, at, wrong.as_slice(), |host, of| {
                        let id = host.acknowledged(of.own, cycle, of.shown[0] != 0);
                        if follows {
                            tell(of, host.acknowledgement(of.own, id));
                        }
                    });
                }
            }
        }
        self.observe_losses(engine);
    }

    /// Takes in where routers show that packets were lost, and whether some wait.
    fn observe_losses(&mut self, engine: &dyn Engine) {
        let Some(packets) = self.hosts[0].network().packets() else {
            return;
        };
        let cycle = engine.cycle();
        self.routers.clear();
        if let Some(port) = packets.lost_port() {
            engine.raised(ROUTERS, port, &mut self.routers);
            engine.values(ROUTERS, port, &self.routers, &mut self.shown[0]);
        }
        for (&instance, &outputs) in self.routers.iter().zip(&self.shown[0]) {
            let (copy, own) = self.copies.split(instance as usize);
            if let Some(host) = running(&mut self.hosts, &self.outcomes, copy) {
                host.lost(Loss {
                    cycle,
                    router: own as u32,
                    outputs,
                });
            }
        }
        let mut hosts = self.hosts.iter().zip(&self.outcomes);
        if !hosts.any(|(host, outcome)| outcome.is_none() && host.may_wait()) {
            return;
        }
        for &port in packets.queued_ports() {
            self.routers.clear();
            engine.raised(ROUTERS, port, &mut self.routers);
            for &instance in &self.routers {
                let (copy, _) = self.copies.split(instance as usize);
                if let Some(host) = running(&mut self.hosts, &self.outcomes, copy) {
                    host.still_waiting(cycle);
                }
            }
        }
    }

    /// Reads what is about to be needed of the messages that are over, those of the interfaces
    /// that raise a port of the endpoint.
    fn fetch_raised(&self, at: usize) {
        let fetched = self.raised[at].iter().filter_map(|&instance| {
            let (copy, instance) = self.copies.split(instance as usize);
            Some(self.hosts.get(copy)?.fetch(instance))
        });
        std::hint::black_box(fetched.fold(0, |all, words| all ^ words));
    }

    /// Calls with each interface that raises a port of the endpoint, and with what it shows at
    /// two others at most.
    #[inline(always)]
    fn each_raised(
        &mut self,
        engine: &dyn Engine,
        at: usize,
        others: &[usize],
        mut take: impl FnMut(&mut Host<'a>, Interface),
    ) {
        let raised = &self.raised[at];
        self.shown.iter_mut().for_each(Vec::clear);
        for (&port, values) in others.iter().zip(&mut self.shown) {
            engine.values(NODES, port, raised, values);
        }
        for (at, &instance) in raised.iter().enumerate() {
            let instance = instance as usize;
            let (copy, own) = self.copies.split(instance);
            let shown = |values: &Vec<u64>| values.get(at).copied().unwrap_or(0);
            let [first, second] = &self.shown;
            if let Some(host) = running(&mut self.hosts, &self.outcomes, copy) {
                let of = Interface {
                    instance,
                    own,
                    shown: [shown(first), shown(second)],
                };
                take(host, of);
            }
        }
    }

    /// Ends the replicates that end in the engine's cycle. Whether others go on.
    fn goes_on(&mut self, engine: &dyn Engine, cycles_max: u64) -> bool {
        let (cycle, mut goes_on) = (engine.cycle(), false);
        for copy in 0..self.hosts.len() {
            if self.outcomes[copy].is_some() {
                continue;
            }
            if let Some((end, last)) = self.hosts[copy].ended(cycle) {
                self.end(engine, copy, end, last);
            } else if cycle >= cycles_max {
                self.end(engine, copy, End::OutOfCycles, cycle);
            } else {
                goes_on = true;
            }
        }
        goes_on
    }

    /// Ends a replicate. What its copy does from now on counts no more.
    fn end(&mut self, engine: &dyn Engine, copy: usize, end: End, last_cycle: u64) {
        let host = &mut self.hosts[copy];
        let mut outcome = host.end(end, last_cycle);
        outcome.longest_queues = longest_queues(engine, host.network(), |router| {
            self.copies.instance(copy, router)
        });
        self.outcomes[copy] = Some(outcome);
    }

    fn interrupt(&mut self, engine: &dyn Engine) {
        for copy in 0..self.hosts.len() {
            if self.outcomes[copy].is_none() {
                self.end(engine, copy, End::Interrupted, engine.cycle());
            }
        }
    }

    /// The cycle up to which nothing changes in any copy, if there is one to
    /// skip; counts what the replicates would evaluate.
    fn quiet_until(&mut self, cycle: u64, cycles_max: u64) -> Option<u64> {
        let change = self
            .changes
            .first()
            .map_or(cycles_max, |change| change.cycle);
        let (mut skip, mut next) = (change > cycle + 1, cycles_max.min(change));
        for (host, outcome) in self.hosts.iter_mut().zip(&self.outcomes) {
            if outcome.is_some() {
                skip &= host.quiet(cycle);
                continue;
            }
            let idle_until = host.idle_until(cycle);
            host.count_edge(cycle, idle_until);
            match idle_until {
                Some(offer) => next = next.min(offer),
                None => skip = false,
            }
        }
        skip.then_some(next)
    }

    /// Drives the pins of the engine's cycle.
    fn drive(&mut self, engine: &mut dyn Engine) {
        let cycle = engine.cycle();
        let due = self.changes.partition_point(|change| change.cycle <= cycle);
        let (due, later) = self.changes.split_at(due);
        self.changes = later;
        for change in due {
            engine.drive(
                change.array,
                change.port,
                &[(change.instance, change.value)],
            );
        }
        let mut quiet = true;
        for (copy, host) in self.hosts.iter_mut().enumerate() {
            host.drive(cycle, self.copies, copy, &mut self.driven);
            quiet &= host.quiet(cycle);
        }
        let PinChanges { ports, rounds } = &mut self.driven;
        for (port, values) in ports {
            if !values.is_empty() {
                engine.drive(NODES, *port, values);
                values.clear();
            }
        }
        for (copy, start) in rounds.drain(..) {
            let port = self
                .endpoint
                .round_start()
                .expect("the strategy has rounds");
            let value = u64::from(start);
            if self.copies == Copies::ONE {
                engine.drive_all(NODES, port, value);
                continue;
            }
            let nodes = self.hosts[copy].network().nodes() as usize;
            let instance = |own| self.copies.instance(copy, own) as u32;
            let values: Vec<(u32, u64)> = (0..nodes).map(|own| (instance(own), value)).collect();
            engine.drive(NODES, port, &values);
        }
        engine.hold_random(quiet);
    }
}

/// The host of a copy, if there is one that has not ended.
#[inline(always)]
fn running<'h, 'a>(
    hosts: &'h mut [Host<'a>],
    outcomes: &[Option<Outcome>],
    copy: usize,
) -> Option<&'h mut Host<'a>> {
    match outcomes.get(copy) {
        Some(None) => hosts.get_mut(copy),
        _ => None,
    }
}

/// The ports of routers of each level that show how long their queues have been.
fn queues(network: &dyn Topology) -> Vec<Vec<LongestQueue>> {
    let levels = 0..network.drawing().ranks().len();
    let of_level = |level| {
        network
            .packets()
            .map(|packets| packets.longest_queues(level))
    };
    levels
        .map(|level| of_level(level).unwrap_or_default())
        .collect()
}

/// The rows of the longest queues of a network before anything has waited; none where routers
/// have no queues.
pub fn queue_rows(network: &dyn Topology) -> Vec<QueueRow> {
    let queues = queues(network);
    let mut rows: Vec<QueueRow> = Vec::new();
    for LongestQueue { name, .. } in queues.iter().flatten() {
        if rows.iter().all(|row| row.name != *name) {
            let longest = vec![0; queues.len()];
            rows.push(QueueRow { name, longest });
        }
    }
    rows
}

/// The longest queues of each level of a network whose routers have them, at these instances.
fn longest_queues(
    engine: &dyn Engine,
    network: &dyn Topology,
    instance: impl Fn(usize) -> usize,
) -> Vec<QueueRow> {
    let mut rows = queue_rows(network);
    if rows.is_empty() {
        return rows;
    }
    let (queues, drawing) = (queues(network), network.drawing());
    for router in 0..network.chips()[ROUTERS].1 {
        let (level, _) = drawing.standing(router as u32);
        for LongestQueue { port, name } in &queues[level] {
            let longest = engine.value(ROUTERS, *port, instance(router as usize));
            let row = rows.iter_mut().find(|row| row.name == *name);
            let most = &mut row.expect("a row for each name").longest[level];
            *most = longest.max(*most);
        }
    }
    rows
}

/// Runs the one host of an engine, pins of which change, to its end.
pub fn run_alone(
    host: Host<'_>,
    engine: &mut dyn Engine,
    changes: &[PinChange],
    cycles_max: u64,
    observer: &mut dyn Observer,
) -> Outcome {
    let mut batch = ReplicateBatch::new(vec![host], Copies::ONE, changes);
    let mut outcomes = batch.run(engine, cycles_max, observer);
    outcomes.pop().expect("an outcome for each host")
}

/// Takes up the run of the one host of an engine where a snapshot of it was taken, and runs it
/// to its end.
///
/// # Errors
/// When the snapshot is of another run, or of none.
pub fn go_on_alone(
    mut host: Host<'_>,
    engine: &mut dyn Engine,
    snapshot: &Snapshot,
    changes: &[PinChange],
    cycles_max: u64,
    observer: &mut dyn Observer,
) -> Result<Outcome, Impossible> {
    snapshot.load(engine, &mut host)?;
    let done = changes.partition_point(|change| change.cycle <= engine.cycle());
    let mut batch = ReplicateBatch::new(vec![host], Copies::ONE, &changes[done..]);
    let mut outcomes = batch.go_on(engine, cycles_max, observer);
    Ok(outcomes.pop().expect("an outcome for each host"))
}

#[cfg(test)]
mod tests;
