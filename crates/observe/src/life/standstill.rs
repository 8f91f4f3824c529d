//! The state of packets at the end of a run that failed, in networks of a designer's own routers: where
//! each was seen last, which links wait for each other, and which packet moves on and on.
//!
//! ```text
//! the run once more ──> TagFollower ──> packets under way  ──> waits  ──> circle, or chain, of links
//!                              └──────> flits on stalled links ─┘
//! ```
//!
//! Nothing is known of the inside of routers. What a packet waits for is read off, in this order:
//! the output by which its head has left; the output at which its head is offered; the output by which
//! earlier packets to the same node left the router; all outputs of the router that are taken.

mod waits;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

use smallvec::SmallVec;

use super::record::{AttemptRecord, EndOfAttempt, LifeSink, MessageLife, NO_OUTPUT};
use super::tags::{OfferedFlit, TagFollower};
use crosswave_base::diagnostic::Error;
use crosswave_network::topology::{NODES, PacketPorts, Topology};
use crosswave_network::{Fabric, LinkPort};
use crosswave_probe::engine::Engine;
use crosswave_probe::message::{MessageEvent, NEVER};
use crosswave_run::observer::Observer;
use crosswave_run::result::failure::{
    Deadlock, FailedPackets, Failure, LastPlace, Livelock, LostNack, PassedRouter,
};
use crosswave_run::simulation::Simulation;

/// Hops of a packet that comes nowhere which are told, the last ones.
const HOPS_TOLD: usize = 20;

/// A virtual channel of a link that leads into a router: the router, the input and the channel.
type InputChannel = (u32, u8, u8);

/// The outputs, each with a virtual channel, by which packets left a router.
type Outputs = SmallVec<[(u8, u8); 2]>;

/// The packets of a run that are kept, and the outputs that packets took.
#[derive(Debug, Default)]
struct KeptPackets {
    /// Messages whose packets are kept though they came.
    wanted: BTreeSet<u32>,
    /// These packets, and all that are under way at the end.
    packets: Vec<AttemptRecord>,
    /// The last attempt of each message that was rejected and has not come.
    rejected: BTreeMap<u32, AttemptRecord>,
    /// The outputs by which packets to a node left a router, by router, virtual channel at the input and
    /// node.
    taken: BTreeMap<(u32, u8, u32), Outputs>,
    /// The last cycle in which a packet came that has left again.
    passed: BTreeMap<InputChannel, u64>,
}

impl LifeSink for KeptPackets {
    fn attempt(&mut self, packet: &AttemptRecord) -> io::Result<()> {
        for (at, hop) in packet.hops.iter().enumerate() {
            if hop.output == NO_OUTPUT {
                continue;
            }
            let next = packet.hops.get(at + 1).map_or(hop.vc, |next| next.vc);
            let taken = self.taken.entry((hop.router, hop.vc, packet.destination));
            let taken = taken.or_default();
            if !taken.contains(&(hop.output, next)) {
                taken.push((hop.output, next));
            }
            let passed = self.passed.entry((hop.router, hop.input, hop.vc));
            let passed = passed.or_default();
            *passed = hop.arrived_cycle.max(*passed);
        }
        if packet.end == EndOfAttempt::Rejected {
            self.rejected.insert(packet.id, packet.clone());
        } else if packet.end == EndOfAttempt::UnderWay || self.wanted.contains(&packet.id) {
            self.packets.push(packet.clone());
        }
        Ok(())
    }

    fn message(&mut self, life: &MessageLife) -> io::Result<()> {
        self.rejected.remove(&life.id);
        Ok(())
    }
}

/// Finds out what went wrong in a run; `None` where nothing did, or it is not known. The replicate that
/// failed is run once more for that, before an observer.
///
/// # Errors
/// When it cannot be run.
pub fn find_failure(
    simulation: &Simulation,
    failed: &FailedPackets,
    observer: &mut dyn Observer,
) -> Result<Option<Failure>, Error> {
    let Some((replicate, last_cycle)) = failed.replicate() else {
        return Ok(None);
    };
    let mut failure = Failure {
        failed_packets: failed.packets().to_vec(),
        failed_packets_left_out: failed.count() - failed.packets().len() as u64,
        ..Failure::default()
    };
    let (network, fabric) = (simulation.network(), simulation.fabric());
    let packets = failure.failed_packets.iter();
    let messages = packets.filter_map(|packet| packet.message);
    let follower = StandstillFollower::new(network, fabric, last_cycle, messages);
    let Some(mut follower) = follower else {
        return Ok(Some(failure));
    };
    let again = simulation.replicate(replicate)?;
    let outcome = simulation.run_one(&again, &mut (observer, &mut follower))?;
    if outcome.last_cycle < last_cycle {
        return Ok(Some(failure));
    }
    let standstill = follower.finish();
    let packets = failure.failed_packets.iter_mut();
    for packet in packets.filter(|packet| packet.replicate == replicate) {
        packet.last = packet.message.and_then(|id| standstill.last_place(id));
    }
    if failed.is_stalled() {
        failure.lost_nack = standstill.lost_nack(replicate);
        failure.livelock = standstill.livelock(replicate);
        if failure.livelock.is_none() {
            failure.deadlock = standstill.deadlock(replicate);
        }
    }
    Ok(Some(failure))
}

/// Follows a run that is known to fail, alone on its engine, up to its last cycle.
pub struct StandstillFollower<'a> {
    topology: &'a dyn Topology,
    fabric: &'a Fabric,
    follower: TagFollower<'a, KeptPackets>,
    last_cycle: u64,
    offered: Vec<OfferedFlit>,
}

impl<'a> StandstillFollower<'a> {
    /// Follows the packets of a network, whose fabric is given, up to a cycle. Those of some messages
    /// are kept though they come. `None` where routers are none of a designer's own.
    pub fn new(
        topology: &'a dyn Topology,
        fabric: &'a Fabric,
        last_cycle: u64,
        messages: impl Iterator<Item = u32>,
    ) -> Option<Self> {
        let PacketPorts::Tags(flits) = topology.packets()?.packet_ports() else {
            return None;
        };
        let kept = KeptPackets {
            wanted: messages.collect(),
            ..KeptPackets::default()
        };
        Some(StandstillFollower {
            topology,
            fabric,
            follower: TagFollower::new(topology, fabric, flits, kept),
            last_cycle,
            offered: Vec::new(),
        })
    }

    /// The state at the end.
    pub fn finish(self) -> Standstill<'a> {
        let moved = self.follower.moved.clone();
        let nacks = self.follower.nacks_under_way();
        let channel_bits = self.follower.channel_bits();
        let kept = self.follower.finish();
        Standstill {
            topology: self.topology,
            fabric: self.fabric,
            last_cycle: self.last_cycle,
            offered: self.offered,
            channel_bits,
            moved,
            nacks,
            kept: kept.expect("packets are kept in memory"),
        }
    }
}

impl Observer for StandstillFollower<'_> {
    fn cycle(&mut self, engine: &dyn Engine, clocked: bool) {
        self.follower.cycle(engine, clocked);
        if engine.cycle() == self.last_cycle {
            self.offered = self.follower.offered(engine);
        }
    }

    fn follows_messages(&self) -> bool {
        true
    }

    fn message(&mut self, engine: &dyn Engine, copy: usize, event: MessageEvent) {
        self.follower.message(engine, copy, event);
    }
}

/// The packets of a run that failed, at its end.
pub struct Standstill<'a> {
    topology: &'a dyn Topology,
    fabric: &'a Fabric,
    last_cycle: u64,
    offered: Vec<OfferedFlit>,
    channel_bits: usize,
    /// The cycle in which a flit moved last at each virtual channel of each output.
    moved: Vec<Vec<u64>>,
    /// The place and the cycle of rejections of which sources were not told, by message.
    nacks: BTreeMap<u32, (LinkPort, u64)>,
    kept: KeptPackets,
}

impl Standstill<'_> {
    /// The last place where the head of a message was seen; `None` of a message that was not sent.
    pub fn last_place(&self, message: u32) -> Option<LastPlace> {
        let mut packets = self.kept.packets.iter();
        let packet = packets.find(|packet| packet.id == message);
        let packet = packet.or_else(|| self.kept.rejected.get(&message))?;
        let Some(hop) = packet.hops.last() else {
            let node = packet.source as usize;
            return Some(LastPlace {
                router: self.fabric.instance_name(NODES, node),
                link: self.fabric.arrays[NODES].chip.links[0],
                has_left: true,
                cycle: packet.launched_cycle,
            });
        };
        let has_left = hop.output != NO_OUTPUT;
        let (link, cycle) = match has_left {
            true => (hop.output, hop.left_cycle),
            false => (hop.input, hop.arrived_cycle),
        };
        Some(LastPlace {
            router: self.fabric.router_name(hop.router as usize),
            link: self.link_name(hop.router, link),
            has_left,
            cycle,
        })
    }

    /// The links that wait for each other at the end of a replicate; `None` where nothing waits.
    pub fn deadlock(&self, replicate: u32) -> Option<Deadlock> {
        let waits = waits::found(self)?;
        Some(Deadlock {
            replicate,
            cycle: self.last_cycle,
            is_circle: waits.end.is_none(),
            links: waits.links,
            leads_to: waits.leads_to,
            end: waits.end,
        })
    }

    /// The first rejection of a circuit that came back to a router and not to its source, though there was time
    /// for it: within the last quarter of the cycles after which a run has stalled it may be on its way.
    pub fn lost_nack(&self, replicate: u32) -> Option<LostNack> {
        let stall_cycles = self.topology.packets()?.stall_cycles()?;
        let since = self.last_cycle.saturating_sub(stall_cycles / 4);
        let nacks = self.nacks.iter();
        let lost = nacks.filter(|(_, (_, cycle))| *cycle <= since);
        let (&message, &(at, cycle)) =
            lost.min_by_key(|(message, (_, cycle))| (*cycle, **message))?;
        Some(LostNack {
            replicate,
            message,
            router: self.fabric.instance_name(at.array, at.instance),
            link: self.fabric.arrays[at.array].chip.links[at.link],
            cycle,
        })
    }

    /// The packet that is longest under way of those that moved within the last quarter of the cycles
    /// after which a run has stalled, or the message that was rejected most often if any was then; `None`
    /// where all stand still.
    pub fn livelock(&self, replicate: u32) -> Option<Livelock> {
        let stall_cycles = self.topology.packets()?.stall_cycles()?;
        let since = self.last_cycle.saturating_sub(stall_cycles / 4);
        let packets = self.kept.packets.iter().filter(|packet| {
            let last = packet.hops.last();
            packet.end == EndOfAttempt::UnderWay
                && last.is_some_and(|hop| hop.arrived_cycle > since)
        });
        let rejected = self.kept.rejected.values();
        let rejected = rejected.filter(|packet| packet.end_cycle > since);
        let packet = rejected
            .max_by_key(|packet| (packet.attempt, Reverse(packet.id)))
            .or_else(|| packets.min_by_key(|packet| (packet.launched_cycle, packet.id)))?;
        let hops = packet.hops.len();
        let last = packet.hops[hops.saturating_sub(HOPS_TOLD)..].iter();
        Some(Livelock {
            replicate,
            message: packet.id,
            attempts: packet.attempt,
            launched_cycle: packet.launched_cycle,
            hops,
            last_hops: last
                .map(|hop| PassedRouter {
                    router: self.fabric.router_name(hop.router as usize),
                    link: (hop.output != NO_OUTPUT).then(|| self.link_name(hop.router, hop.output)),
                    cycle: hop.arrived_cycle,
                })
                .collect(),
        })
    }

    /// The name of a link of a router.
    fn link_name(&self, router: u32, link: u8) -> &'static str {
        self.fabric.router_links(router as usize)[usize::from(link)]
    }

    /// A link port of a router.
    fn port(&self, router: u32, link: u8) -> LinkPort {
        let (array, instance) = self.fabric.router_place(router as usize);
        LinkPort {
            array,
            instance,
            link: link.into(),
        }
    }

    /// The cycle from which on no flit has moved at a virtual channel of an output.
    fn since(&self, from: LinkPort, vc: u8) -> u64 {
        let links = self.fabric.arrays[from.array].chip.links.len();
        let place = ((from.instance * links + from.link) << self.channel_bits) | usize::from(vc);
        match self.moved[from.array][place] {
            NEVER => 0,
            cycle => cycle + 1,
        }
    }
}
