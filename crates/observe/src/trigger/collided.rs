//! The collisions at routers in a cycle: which message was rejected where, and which one had the
//! output that it wanted.
//!
//! A [`CircuitFollower`](crate::life::CircuitFollower) finds them, in the cycle in which the state of a router's
//! input says so. The sender is told later, which is the condition `rejected`.
//!
//! Cost: that of a follower, and only where a condition asks for collisions.

use std::io;

use super::condition::{Condition, Happening, TracedEvent};
use crate::life::{AttemptRecord, Collision, HopRecord, LifeSink, MessageLife, Rival};
use crosswave_base::suggest;
use crosswave_network::Fabric;
use crosswave_network::topology::{ROUTERS, Topology};
use crosswave_probe::message::NEVER;

/// Routers whose names are compared with one that is not there.
const SUGGESTED_MAX: usize = 1 << 16;

/// The rejection of an attempt by a router.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouterCollision {
    /// The message that is rejected.
    pub message: u32,
    /// Its attempt, from 1 on.
    pub attempt: u32,
    /// Its source.
    pub source: u32,
    /// Its destination.
    pub destination: u32,
    /// The router and the input.
    pub hop: HopRecord,
    /// The outputs that it wanted, and the messages that have them.
    pub collision: Collision,
}

impl RouterCollision {
    /// The collision in words, with the names of routers and link ports as in waveforms.
    pub fn text(&self, topology: &dyn Topology, fabric: &Fabric) -> String {
        let name = fabric.instance_name(ROUTERS, self.hop.router as usize);
        let links = fabric.arrays[ROUTERS].chip.links;
        let (level, _) = topology.drawing().standing(self.hop.router);
        let rank = &topology.drawing().ranks()[level].name;
        let wanted = self.collision.wanted.iter();
        let wanted: Vec<&str> = wanted.map(|&output| links[usize::from(output)]).collect();
        let rivals = self.collision.rivals.iter();
        let rivals: Vec<String> = rivals.map(|rival| self.rival(rival, links)).collect();
        let held = match rivals.is_empty() {
            true => "which no message holds".to_owned(),
            false => rivals.join("; "),
        };
        format!(
            "cycle {}: {name} ({rank}) rejects message {} (attempt {}, node {} to node {}) at \
             input {}; it wanted output {}: {held}",
            self.collision.cycle,
            self.message,
            self.attempt,
            self.source,
            self.destination,
            links[usize::from(self.hop.input)],
            wanted.join(" or "),
        )
    }

    /// The message that has an output, in words.
    fn rival(&self, rival: &Rival, links: &[&str]) -> String {
        let (id, attempt) = (rival.id, rival.attempt);
        let input = links[usize::from(rival.input)];
        let output = links[usize::from(rival.output)];
        if rival.freed_cycle != NEVER {
            let freed = rival.freed_cycle;
            return format!(
                "message {id} (attempt {attempt}) from input {input} left {output} in cycle \
                 {freed}, and its answer is awaited there"
            );
        }
        match rival.since_cycle == self.collision.cycle {
            true => format!(
                "message {id} (attempt {attempt}) from input {input} won {output} in this cycle"
            ),
            false => format!(
                "message {id} (attempt {attempt}) from input {input} holds {output} since cycle {}",
                rival.since_cycle
            ),
        }
    }
}

/// Takes the rejections of a cycle.
#[derive(Debug, Default)]
pub(super) struct CollisionLog {
    collisions: Vec<RouterCollision>,
}

impl CollisionLog {
    /// Begins a cycle.
    pub(super) fn begin(&mut self) {
        self.collisions.clear();
    }

    /// The rejections of the cycle as events.
    pub(super) fn events(&self, topology: &dyn Topology) -> impl Iterator<Item = TracedEvent> {
        self.collisions.iter().map(|collision| TracedEvent {
            what: Happening::Collided,
            message: collision.message,
            node: collision.source,
            level: Some(topology.drawing().standing(collision.hop.router).0),
            router: Some(collision.hop.router),
        })
    }

    /// Those of them that a condition asks for.
    pub(super) fn matching(
        &self,
        topology: &dyn Topology,
        condition: &Condition,
    ) -> Vec<RouterCollision> {
        let events = self.events(topology).zip(&self.collisions);
        let is_meant =
            |event: &TracedEvent| condition.collisions().any(|meant| meant.includes(event));
        let found = events.filter(|(event, _)| is_meant(event));
        found.map(|(_, collision)| collision.clone()).collect()
    }
}

impl LifeSink for CollisionLog {
    fn attempt(&mut self, _: &AttemptRecord) -> io::Result<()> {
        Ok(())
    }

    fn rejected(&mut self, attempt: &AttemptRecord) {
        let (Some(&hop), Some(collision)) = (attempt.hops.last(), &attempt.collision) else {
            return;
        };
        self.collisions.push(RouterCollision {
            message: attempt.id,
            attempt: attempt.attempt,
            source: attempt.source,
            destination: attempt.destination,
            hop,
            collision: collision.clone(),
        });
    }

    fn message(&mut self, _: &MessageLife) -> io::Result<()> {
        Ok(())
    }
}

/// Refuses collisions in a network whose routers have none. The error is the problem, and what to
/// look for instead.
pub(super) fn check(topology: &dyn Topology) -> Result<(), (String, String)> {
    if topology.switch().is_some() {
        return Ok(());
    }
    let message = "messages of this network are packets, and no router rejects one";
    let routers = topology.chips()[ROUTERS].0.ports.iter();
    let mut losses = routers.filter(|port| ["lost", "conflict"].contains(&port.name));
    let help = match losses.next() {
        Some(port) => format!(
            "a router that loses packets shows it: `**.{} != 0`",
            port.name
        ),
        None => "packets wait here: look at the queues of routers, which crosswave signals lists"
            .to_owned(),
    };
    Err((message.into(), help))
}

/// The router of a name, which may be without its kind: `router_3_5` or `3_5`. The error is the
/// problem, and advice on fixing it.
pub(super) fn router_of_name(fabric: &Fabric, name: &str) -> Result<u32, (String, String)> {
    let routers = fabric.arrays[ROUTERS].instances;
    let name_of = |router: usize| fabric.instance_name(ROUTERS, router);
    let is_named = |router: &usize| {
        let full = name_of(*router);
        let number = full.split_once('_').map_or("", |(_, number)| number);
        full == name || number == name
    };
    if let Some(router) = (0..routers).find(is_named) {
        return Ok(router as u32);
    }
    let names: Vec<String> = (0..routers.min(SUGGESTED_MAX)).map(name_of).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let near = suggest::nearest(name, &names).map(|near| format!("did you mean {near}?"));
    let (first, last) = (name_of(0), name_of(routers.saturating_sub(1)));
    Err((
        format!("there is no router `{name}`"),
        near.unwrap_or_else(|| format!("routers are named as in waveforms, {first} to {last}")),
    ))
}
