//! Follows messages through the routers, whatever they are: circuits, packets of a word, or rows of
//! flits.

use std::io;

use super::circuits::CircuitFollower;
use super::flits::FlitFollower;
use super::packets::PacketFollower;
use super::record::LifeSink;
use super::tags::TagFollower;
use crosswave_network::Fabric;
use crosswave_network::topology::{PacketPorts, Topology};
use crosswave_probe::engine::Engine;
use crosswave_probe::message::MessageEvent;
use crosswave_run::observer::Observer;

/// Follows all messages of one replicate, alone on its engine.
pub enum Follower<'a, S: LifeSink> {
    /// Messages are circuits.
    Circuits(CircuitFollower<'a, S>),
    /// A message is a packet for each of its words.
    Packets(PacketFollower<'a, S>),
    /// A message is one packet of flits.
    Flits(FlitFollower<'a, S>),
    /// A message is flits whose heads have its number.
    Tags(TagFollower<'a, S>),
}

impl<'a, S: LifeSink> Follower<'a, S> {
    /// Follows the messages of a network, whose fabric is given, and tells a sink.
    ///
    /// # Panics
    /// When the fabric has copies.
    pub fn new(topology: &'a dyn Topology, fabric: &'a Fabric, sink: S) -> Self {
        assert_eq!(fabric.copies.count(), 1, "one copy");
        let Some(rules) = topology.packets() else {
            return Follower::Circuits(CircuitFollower::new(topology, fabric, sink));
        };
        match rules.packet_ports() {
            ports @ PacketPorts::Words { .. } => {
                Follower::Packets(PacketFollower::new(topology, rules, fabric, ports, sink))
            }
            ports @ PacketPorts::Flits { .. } => {
                Follower::Flits(FlitFollower::new(topology, fabric, ports, sink))
            }
            PacketPorts::Tags(flits) => {
                Follower::Tags(TagFollower::new(topology, fabric, flits, sink))
            }
        }
    }

    /// Ends the records, those of attempts that are under way too, and gives back the sink.
    ///
    /// # Errors
    /// The first one that the sink had.
    pub fn finish(self) -> io::Result<S> {
        match self {
            Follower::Circuits(follower) => follower.finish(),
            Follower::Packets(follower) => follower.finish(),
            Follower::Flits(follower) => follower.finish(),
            Follower::Tags(follower) => follower.finish(),
        }
    }
}

impl<S: LifeSink> Observer for Follower<'_, S> {
    fn cycle(&mut self, engine: &dyn Engine, clocked: bool) {
        match self {
            Follower::Circuits(follower) => follower.cycle(engine, clocked),
            Follower::Packets(follower) => follower.cycle(engine, clocked),
            Follower::Flits(follower) => follower.cycle(engine, clocked),
            Follower::Tags(follower) => follower.cycle(engine, clocked),
        }
    }

    fn follows_messages(&self) -> bool {
        true
    }

    fn message(&mut self, engine: &dyn Engine, copy: usize, event: MessageEvent) {
        match self {
            Follower::Circuits(follower) => follower.message(engine, copy, event),
            Follower::Packets(follower) => follower.message(engine, copy, event),
            Follower::Flits(follower) => follower.message(engine, copy, event),
            Follower::Tags(follower) => follower.message(engine, copy, event),
        }
    }

    fn interrupted(&mut self) -> bool {
        match self {
            Follower::Circuits(follower) => follower.interrupted(),
            Follower::Packets(follower) => follower.interrupted(),
            Follower::Flits(follower) => follower.interrupted(),
            Follower::Tags(follower) => follower.interrupted(),
        }
    }
}
