//! Follows messages that are circuits.
//!
//! The states of the routers' inputs are watched. A head that is put on a wire is known
//! to show in the state of the input at the other end so many clocks later
//! ([`Switch::head_clocks`], and the clocks of the wire); an input whose state changes in that
//! very cycle is entered by that attempt. So an attempt is followed from its launch, which the
//! host tells of, from router to router. What enters a router without a head that was due, as
//! from a wire that is stuck, is nobody's.
//!
//! In each cycle heads are given outputs first, then others are rejected, so that who lost to a
//! head of the same cycle knows it; last, outputs become free.
//!
//! Cost: a few bits of every router in every cycle, 64 routers to a word, on an engine that
//! keeps planes, or those of awake routers on one that does not; and some steps for each change
//! of an input's state. Attempts that are over leave their memory to later ones. Engines do not
//! take bursts.

use std::io;

use smallvec::SmallVec;

use super::record::{
    AttemptRecord, Collision, EndOfAttempt, HopRecord, LifeSink, Lost, MessageLife, NO_OUTPUT,
    Rival,
};
use super::under_way::Slots;
use crosswave_chips::switch::{Crossing, Switch};
use crosswave_chips::{PinDirection, Role};
use crosswave_network::path::follow;
use crosswave_network::topology::{NODES, OnPath, ROUTERS, Topology};
use crosswave_network::{Fabric, LinkPort};
use crosswave_probe::engine::{Engine, Watched};
use crosswave_probe::message::{MessageEvent, MessageRecord, NEVER};
use crosswave_run::observer::Observer;

/// No attempt.
const NONE: u32 = u32::MAX;

/// An attempt that is not over.
#[derive(Debug)]
struct Attempt {
    record: AttemptRecord,
    /// The number of its way.
    way: u32,
    /// Routers that hold something for it.
    held: u32,
    /// The input to which its head is on the way, and the cycle in which it shows there.
    head: Option<(usize, u64)>,
    /// The next attempt whose head is on the way to the same input.
    next_there: u32,
    /// The host's record, once the message was acknowledged.
    acknowledged: Option<MessageLife>,
    /// True while the delivery is still to come.
    awaits_tail: bool,
}

/// An input of a router.
#[derive(Debug, Clone, Copy)]
struct Input {
    /// The attempt that is in it.
    attempt: u32,
    /// The first of the attempts whose heads are on the way to it.
    coming: u32,
}

/// An input whose state has changed.
#[derive(Debug, Clone, Copy)]
struct Changed {
    router: usize,
    input: usize,
}

impl AttemptRecord {
    /// The latest of its hops through an input that it is in.
    fn hop_in(&self, Changed { router, input }: Changed) -> usize {
        let is_there = |hop: &HopRecord| (hop.router, hop.input) == (router as u32, input as u8);
        let found = self.hops.iter().rposition(is_there);
        found.expect("an attempt in an input has a hop there")
    }
}

/// Follows all messages of one replicate, alone on its engine.
pub struct CircuitFollower<'a, S: LifeSink> {
    topology: &'a dyn Topology,
    fabric: &'a Fabric,
    switch: &'static dyn Switch,
    /// The states, by input.
    states: Vec<Watched>,
    /// The inputs of each router.
    inputs: Vec<Input>,
    /// Ports on which interfaces drive what they send, by link port.
    driven: Vec<usize>,
    attempts: Slots<Attempt>,
    /// The latest attempt of each interface.
    latest: Vec<u32>,
    /// The cycles that the current message of each interface has lost.
    lost: Vec<Lost>,
    /// Attempts whose messages were acknowledged before they were delivered.
    tails: Vec<u32>,
    rejected: Vec<Changed>,
    freed: Vec<Changed>,
    /// The last holder of each output of each router; empty where no answers are awaited.
    last_held: Vec<Option<Rival>>,
    sink: S,
    error: Option<io::Error>,
}

impl<'a, S: LifeSink> CircuitFollower<'a, S> {
    /// Follows the messages of a network, whose fabric is given, and tells a sink.
    ///
    /// # Panics
    /// When the fabric has copies.
    pub fn new(topology: &'a dyn Topology, fabric: &'a Fabric, sink: S) -> Self {
        assert_eq!(fabric.copies.count(), 1, "one copy");
        let switch = topology.circuit_switch();
        let routers = &fabric.arrays[ROUTERS];
        let state = |input: usize| {
            let port = switch.state_port(input);
            let width = routers.chip.ports[port].width;
            Watched::new(ROUTERS, port, width, routers.instances)
        };
        let nodes = &fabric.arrays[NODES];
        let sends = |link: usize| {
            let mut ports = nodes.chip.ports.iter();
            let found = ports.position(|port| {
                let of_link = matches!(port.role, Role::Link { link: of, .. } if of == link);
                of_link && port.direction == PinDirection::Output
            });
            found.expect("every link port drives something")
        };
        let empty = Input {
            attempt: NONE,
            coming: NONE,
        };
        CircuitFollower {
            states: (0..switch.inputs()).map(state).collect(),
            inputs: vec![empty; routers.instances * switch.inputs()],
            driven: (0..nodes.chip.links.len()).map(sends).collect(),
            attempts: Slots::default(),
            latest: vec![NONE; nodes.instances],
            lost: vec![Lost::default(); nodes.instances],
            tails: Vec::new(),
            rejected: Vec::new(),
            freed: Vec::new(),
            last_held: match switch.awaits_answers() {
                true => vec![None; routers.instances * routers.chip.links.len()],
                false => Vec::new(),
            },
            topology,
            fabric,
            switch,
            sink,
            error: None,
        }
    }

    /// The sink.
    pub fn sink(&mut self) -> &mut S {
        &mut self.sink
    }

    /// Ends the records, those of attempts that are under way too, and gives back the sink.
    ///
    /// # Errors
    /// The first one that the sink had.
    pub fn finish(mut self) -> io::Result<S> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let mut left = self.attempts.into_left();
        left.sort_by_key(|attempt| (attempt.record.launched_cycle, attempt.record.id));
        for attempt in left {
            self.sink.attempt(&attempt.record)?;
            if let Some(life) = &attempt.acknowledged {
                self.sink.message(life)?;
            }
        }
        Ok(self.sink)
    }

    fn place(&self, router: usize, input: usize) -> usize {
        router * self.switch.inputs() + input
    }

    fn output(&self, router: usize, link: usize) -> usize {
        router * self.fabric.arrays[ROUTERS].chip.links.len() + link
    }

    /// Puts the head of an attempt on the wire at a link port.
    fn send(&mut self, slot: u32, from: LinkPort, cycle: u64) {
        // A wire that is cut leads nowhere.
        let Some((clocks, to)) = follow(self.fabric, from) else {
            return;
        };
        let attempt = &mut self.attempts[slot];
        if to.array == NODES {
            attempt.record.reached_cycle = cycle + clocks;
            return;
        }
        let place = to.instance * self.switch.inputs() + to.link;
        attempt.head = Some((place, cycle + clocks + self.switch.head_clocks()));
        attempt.next_there = std::mem::replace(&mut self.inputs[place].coming, slot);
    }

    /// Takes the head that is due at an input in a cycle from the wire.
    fn arrive(&mut self, place: usize, cycle: u64) -> Option<u32> {
        let mut slot = self.inputs[place].coming;
        while slot != NONE {
            let attempt = &self.attempts[slot];
            if attempt.head == Some((place, cycle)) {
                self.take_from_wire(slot);
                return Some(slot);
            }
            slot = attempt.next_there;
        }
        None
    }

    /// Forgets the head of an attempt that is on a wire.
    fn take_from_wire(&mut self, slot: u32) {
        let attempt = &mut self.attempts[slot];
        let Some((place, _)) = attempt.head.take() else {
            return;
        };
        let next = attempt.next_there;
        let first = &mut self.inputs[place].coming;
        if *first == slot {
            *first = next;
            return;
        }
        let mut before = *first;
        while self.attempts[before].next_there != slot {
            before = self.attempts[before].next_there;
        }
        self.attempts[before].next_there = next;
    }

    /// Takes in that the state of an input has changed.
    fn changed(&mut self, engine: &dyn Engine, at: Changed, cycle: u64) {
        let Changed { router, input } = at;
        let state = self.states[input].value(router);
        let shown = |port: usize| engine.value(ROUTERS, port, router);
        let crossing = self.switch.crossing(input, state, &shown);
        let place = self.place(router, input);
        let mut slot = self.inputs[place].attempt;
        if slot == NONE {
            if crossing == Crossing::Idle {
                return;
            }
            let Some(arrived) = self.arrive(place, cycle) else {
                return;
            };
            slot = arrived;
            self.inputs[place].attempt = slot;
            let attempt = &mut self.attempts[slot];
            attempt.held += 1;
            attempt.record.hops.push(HopRecord {
                router: router as u32,
                input: input as u8,
                output: NO_OUTPUT,
                vc: 0,
                arrived_cycle: cycle - self.switch.head_clocks(),
                left_cycle: NEVER,
                freed_cycle: NEVER,
            });
        }
        let attempt = &mut self.attempts[slot];
        let there = attempt.record.hop_in(at);
        let hop = &mut attempt.record.hops[there];
        match crossing {
            Crossing::Arrived => {}
            Crossing::Holds(output) if hop.output == NO_OUTPUT => {
                hop.output = output as u8;
                hop.left_cycle = cycle;
                let from = LinkPort {
                    array: ROUTERS,
                    instance: router,
                    link: output,
                };
                self.send(slot, from, cycle);
            }
            Crossing::Holds(_) => {}
            Crossing::Rejected if hop.output == NO_OUTPUT => {
                if attempt.record.collision.is_none() {
                    self.rejected.push(at);
                }
            }
            // These follow a message whose circuit is gone.
            Crossing::Rejected | Crossing::Idle => self.freed.push(at),
        }
    }

    /// Records how a router rejects an attempt, which is in one of its inputs.
    fn reject(&mut self, Changed { router, input }: Changed, cycle: u64) {
        let slot = self.inputs[self.place(router, input)].attempt;
        let record = &self.attempts[slot].record;
        let mut wanted: SmallVec<[u8; 2]> = SmallVec::new();
        for draw in [false, true] {
            let output = self.topology.leaves(OnPath {
                source: record.source,
                destination: record.destination,
                chip: record.hops.len() as u32,
                arrived: input,
                draw,
                way: self.attempts[slot].way,
            });
            if !wanted.contains(&(output as u8)) {
                wanted.push(output as u8);
            }
        }
        let mut rivals: SmallVec<[Rival; 2]> = SmallVec::new();
        for other in (0..self.switch.inputs()).filter(|&other| other != input) {
            let holder = self.inputs[self.place(router, other)].attempt;
            let Some(holder) = self.attempts.get(holder) else {
                continue;
            };
            let at = Changed {
                router,
                input: other,
            };
            let hop = holder.record.hops[holder.record.hop_in(at)];
            if wanted.contains(&hop.output) {
                rivals.push(Rival {
                    id: holder.record.id,
                    attempt: holder.record.attempt,
                    packet: None,
                    input: hop.input,
                    output: hop.output,
                    since_cycle: hop.left_cycle,
                    freed_cycle: NEVER,
                });
            }
        }
        for &output in &wanted {
            let is_held = rivals.iter().any(|rival| rival.output == output);
            let last = self.last_held.get(self.output(router, usize::from(output)));
            rivals.extend(last.copied().flatten().filter(|_| !is_held));
        }
        let record = &mut self.attempts[slot].record;
        record.collision = Some(Collision {
            cycle,
            wanted,
            rivals,
        });
        self.sink.rejected(record);
    }

    /// Takes in that an input no longer holds anything.
    fn leave(&mut self, at: Changed, cycle: u64) {
        let Changed { router, input } = at;
        let place = self.place(router, input);
        let slot = std::mem::replace(&mut self.inputs[place].attempt, NONE);
        let attempt = &mut self.attempts[slot];
        attempt.held -= 1;
        let there = attempt.record.hop_in(at);
        let hop = &mut attempt.record.hops[there];
        hop.freed_cycle = cycle;
        let held = Rival {
            id: attempt.record.id,
            attempt: attempt.record.attempt,
            packet: None,
            input: hop.input,
            output: hop.output,
            since_cycle: hop.left_cycle,
            freed_cycle: cycle,
        };
        let output = self.output(router, usize::from(held.output));
        if held.output != NO_OUTPUT
            && let Some(last) = self.last_held.get_mut(output)
        {
            *last = Some(held);
        }
        self.close(slot);
    }

    /// Ends an attempt if it is over.
    fn close(&mut self, slot: u32) {
        let attempt = &self.attempts[slot];
        let under_way = attempt.record.end == EndOfAttempt::UnderWay;
        if under_way || attempt.held > 0 || attempt.awaits_tail {
            return;
        }
        let told = self.sink.attempt(&attempt.record);
        self.note(told);
        if let Some(life) = self.attempts[slot].acknowledged {
            let told = self.sink.message(&life);
            self.note(told);
        }
        self.take_from_wire(slot);
        self.attempts.free(slot);
    }

    /// Keeps the first error of the sink.
    fn note(&mut self, told: io::Result<()>) {
        if let Err(error) = told {
            self.error.get_or_insert(error);
        }
    }

    /// Begins an attempt.
    fn launch(
        &mut self,
        engine: &dyn Engine,
        instance: usize,
        (id, attempt): (u32, u32),
        (destination, way): (u32, u32),
    ) {
        let cycle = engine.cycle();
        let source = self.topology.node_of_instance(instance);
        let record = AttemptRecord {
            id,
            attempt,
            packet: None,
            source,
            destination,
            launched_cycle: cycle,
            hops: SmallVec::new(),
            reached_cycle: NEVER,
            collision: None,
            end: EndOfAttempt::UnderWay,
            end_cycle: NEVER,
        };
        let begun = Attempt {
            record,
            way,
            held: 0,
            head: None,
            next_there: NONE,
            acknowledged: None,
            awaits_tail: false,
        };
        let slot = self.attempts.insert(begun);
        self.latest[instance] = slot;
        let lost = &mut self.lost[instance];
        match attempt {
            1 => *lost = Lost::default(),
            _ => lost.backoff += cycle - lost.told_cycle,
        }
        let links = [false, true].map(|draw| {
            self.topology.leaves(OnPath {
                source,
                destination,
                chip: 0,
                arrived: 0,
                draw,
                way,
            })
        });
        let drives = |link: usize| engine.value(NODES, self.driven[link], instance) != 0;
        let link = match drives(links[0]) || links[0] == links[1] {
            true => links[0],
            false => links[1],
        };
        let from = LinkPort {
            array: NODES,
            instance,
            link,
        };
        self.send(slot, from, cycle);
    }

    /// Takes in that a sender was told how its attempt ended.
    fn told(&mut self, instance: u32, end: EndOfAttempt, cycle: u64) -> u32 {
        let slot = self.latest[instance as usize];
        let record = &mut self.attempts[slot].record;
        record.end = end;
        record.end_cycle = cycle;
        slot
    }
}

impl<S: LifeSink> Observer for CircuitFollower<'_, S> {
    fn cycle(&mut self, engine: &dyn Engine, clocked: bool) {
        if !clocked {
            return;
        }
        let cycle = engine.cycle();
        for input in 0..self.states.len() {
            engine.watch(&mut self.states[input]);
            for word in 0..self.states[input].changed.len() {
                let mut lanes = std::mem::take(&mut self.states[input].changed[word]);
                while lanes != 0 {
                    let router = 64 * word + lanes.trailing_zeros() as usize;
                    lanes &= lanes - 1;
                    self.changed(engine, Changed { router, input }, cycle);
                }
            }
        }
        let mut rejected = std::mem::take(&mut self.rejected);
        rejected.drain(..).for_each(|at| self.reject(at, cycle));
        self.rejected = rejected;
        let mut freed = std::mem::take(&mut self.freed);
        freed.drain(..).for_each(|at| self.leave(at, cycle));
        self.freed = freed;
    }

    fn follows_messages(&self) -> bool {
        true
    }

    fn message(&mut self, engine: &dyn Engine, _: usize, event: MessageEvent) {
        let cycle = engine.cycle();
        match event {
            MessageEvent::Launched {
                instance,
                id,
                attempt,
                destination,
                way,
                ..
            } => {
                let to = (destination, way);
                self.launch(engine, instance as usize, (id, attempt), to);
            }
            MessageEvent::Rejected { instance, .. } => {
                let slot = self.told(instance, EndOfAttempt::Rejected, cycle);
                let launched = self.attempts[slot].record.launched_cycle;
                let lost = &mut self.lost[instance as usize];
                lost.blocked += cycle - launched;
                lost.told_cycle = cycle;
                self.close(slot);
            }
            MessageEvent::Acknowledged {
                instance,
                message,
                connection,
                ..
            } => {
                let slot = self.told(instance, EndOfAttempt::Acknowledged, cycle);
                let attempt = &mut self.attempts[slot];
                let lost = self.lost[instance as usize];
                attempt.acknowledged = Some(MessageLife {
                    id: attempt.record.id,
                    message,
                    connection,
                    breakdown: lost.breakdown(&message, &attempt.record),
                });
                // A connection is acknowledged after its words have come, or never will.
                if connection.is_none() && message.delivered_cycle == NEVER {
                    attempt.awaits_tail = true;
                    self.tails.push(slot);
                }
                self.close(slot);
            }
            MessageEvent::Delivered { id } => {
                let is_of = |slot: &u32| self.attempts[*slot].record.id == id;
                let found = self.tails.iter().position(is_of);
                let slot = self.tails.swap_remove(found.expect("it was acknowledged"));
                let attempt = &mut self.attempts[slot];
                attempt.awaits_tail = false;
                let life: Option<&mut MessageLife> = attempt.acknowledged.as_mut();
                let message: &mut MessageRecord = &mut life.expect("it was acknowledged").message;
                message.delivered_cycle = cycle;
                self.close(slot);
            }
        }
    }

    fn interrupted(&mut self) -> bool {
        self.error.is_some() || self.sink.is_satisfied()
    }
}
