//! The host of a packet-switched network: hands the nodes their packets when it is time, and
//! writes down which come, and where some were lost.
//!
//! Nothing answers a packet, so the host waits for nothing. A packet of *step* `t` is on the pins
//! of its source in cycle `t`, on its first link in cycle `t + 1` and on the last of `d` links in
//! cycle `t + d`, and shows at its destination in cycle `t + d + 1`. A step is the clock of one
//! link, and the first one is 1, so it arrives in step `t + d - 1`, as Dimakopoulos & Dimopoulos
//! count.

use crosswave_chips::endpoint::{Endpoint, Notice, PacketRequest, SendRequest};
use crosswave_chips::packet::Packet;
use crosswave_collectives::schedule::{Destination, Schedule};
use crosswave_network::Topology;
use crosswave_network::topology::{NODES, ROUTERS};
use crosswave_probe::engine::Engine;

/// Clocks between a packet's step of arrival and the cycle in which it shows.
const SHOWN_CYCLES: u64 = 2;

/// A packet, and when its source sends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sent {
    /// The step, from 1 on.
    pub step: u64,
    /// The node.
    pub source: u32,
    /// The packet.
    pub packet: Packet,
}

/// The packets of a schedule for a tree of so many levels, which are numbered in its order, by
/// their steps.
///
/// ```
/// use crosswave_collectives::{generate, tree::BinaryFatTree};
/// use crosswave_run::host::packets::sent;
/// let tree = BinaryFatTree::constant(3)?;
/// let packets = sent(&generate::broadcast(&tree, 5), tree.levels());
/// assert_eq!((packets[0].source, packets[0].packet.destination), (5, 0b111));
/// # Ok::<(), crosswave_collectives::tree::TreeError>(())
/// ```
///
/// # Panics
/// When it has 2^32 packets.
pub fn sent(schedule: &Schedule, levels: u32) -> Vec<Sent> {
    let all = schedule.packets.iter().zip(0..);
    let mut sent: Vec<Sent> = all
        .map(|(scheduled, id)| Sent {
            step: scheduled.step,
            source: scheduled.source,
            packet: match scheduled.destination {
                Destination::Processor(destination) => Packet {
                    broadcast: false,
                    phase: 0,
                    destination,
                    id,
                },
                // Level i of the paper is level i - 1 of a chip.
                Destination::Levels(set) => Packet {
                    broadcast: true,
                    phase: 0,
                    destination: set.up_to(levels).map(|level| 1 << (level - 1)).sum(),
                    id,
                },
            },
        })
        .collect();
    sent.sort_by_key(|sent| sent.step);
    sent
}

/// A packet that came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Delivery {
    /// The step in which it was on the last link.
    pub step: u64,
    /// The node that has it.
    pub node: u32,
    /// Its number.
    pub id: u32,
}

/// Packets that met at an output, of which one passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conflict {
    /// The cycle in which the slice shows it, one behind the one in which they met.
    pub cycle: u64,
    /// The slice, by its instance.
    pub slice: u32,
    /// The outputs, as its pin `conflict` has them.
    pub outputs: u64,
}

/// Results of a schedule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScheduleOutcome {
    /// The step in which the last packet arrived; 0 when none did.
    pub finish_step: u64,
    /// Packets that arrived, in order of steps and nodes.
    pub deliveries: Vec<Delivery>,
    /// The places of lost packets.
    pub conflicts: Vec<Conflict>,
    /// Packets that came to another node than theirs.
    pub wrong: Vec<Delivery>,
}

/// The ports at which a packet shows that has come.
#[derive(Debug, Clone, Copy)]
struct ArrivalPorts {
    valid: usize,
    id: usize,
    wrong: usize,
}

impl ArrivalPorts {
    /// # Panics
    /// When the messages of such nodes are no packets.
    fn of(endpoint: &dyn Endpoint) -> ArrivalPorts {
        let arrival = endpoint
            .shows()
            .iter()
            .find_map(|shown| match shown.notice {
                Notice::Arrived { id, wrong } => Some(ArrivalPorts {
                    valid: shown.port,
                    id,
                    wrong,
                }),
                _ => None,
            });
        arrival.expect("messages are packets")
    }
}

/// The host of one schedule.
pub struct PacketHost<'a> {
    network: &'a dyn Topology,
    sent: &'a [Sent],
    /// Number of packets that have been driven.
    next: usize,
    /// The interface of each node.
    instances: Vec<u32>,
    /// Clocks of a packet on its way through the network at most.
    longest_cycles: u64,
    arrival: ArrivalPorts,
    lost_port: usize,
    /// Interfaces that drive a packet in this cycle.
    driving: Vec<u32>,
    raised: Vec<u32>,
    outcome: ScheduleOutcome,
}

impl<'a> PacketHost<'a> {
    /// A host of packets in the order of their steps, in a network whose packets do not wait.
    ///
    /// # Panics
    /// When they are not in order, a step is 0, or a source is no node; and when messages of the
    /// network are no packets, or these wait.
    pub fn new(network: &'a dyn Topology, sent: &'a [Sent]) -> PacketHost<'a> {
        let nodes = network.nodes();
        assert!(sent.is_sorted_by_key(|sent| sent.step), "in order");
        assert!(sent.first().is_none_or(|sent| sent.step > 0), "from 1 on");
        assert!(sent.iter().all(|sent| sent.source < nodes), "nodes");
        let mut instances = vec![0; nodes as usize];
        for instance in 0..nodes {
            instances[network.node_of_instance(instance as usize) as usize] = instance;
        }
        let timing = network.timing();
        let clocks = |destination| {
            let arrival = timing.arrival(0, destination, 1);
            arrival.expect("packets do not wait").delivered
        };
        let packets = network.packets().expect("messages are packets");
        PacketHost {
            network,
            sent,
            next: 0,
            instances,
            longest_cycles: (1..nodes).map(clocks).max().unwrap_or(0),
            arrival: ArrivalPorts::of(network.endpoint()),
            lost_port: packets.lost_port().expect("losses of schedules show"),
            driving: Vec::new(),
            raised: Vec::new(),
            outcome: ScheduleOutcome::default(),
        }
    }

    /// The last cycle in which a packet may show.
    pub fn last_cycle(&self) -> u64 {
        let last = self.sent.last().map_or(0, |sent| sent.step);
        last + self.longest_cycles + 1
    }

    /// The cycle of the next packet, where nothing can be under way before it in the cycles behind
    /// `cycle`.
    pub fn idle_until(&self, cycle: u64) -> Option<u64> {
        let last = self.sent[..self.next].last().map_or(0, |sent| sent.step);
        let quiet_from = last + self.longest_cycles + SHOWN_CYCLES;
        let next = self.sent.get(self.next)?.step;
        (cycle > quiet_from && next > cycle + 1).then_some(next)
    }

    /// Drives the pins of the engine's cycle.
    ///
    /// # Panics
    /// When a node is to send two packets in it.
    pub fn drive(&mut self, engine: &mut dyn Engine) {
        let cycle = engine.cycle();
        let before = std::mem::take(&mut self.driving);
        let due = self.sent[self.next..]
            .iter()
            .take_while(|sent| sent.step <= cycle);
        let due = &self.sent[self.next..self.next + due.count()];
        self.next += due.len();
        self.driving
            .extend(due.iter().map(|sent| self.instances[sent.source as usize]));
        self.driving.sort_unstable();
        let alone = self.driving.windows(2).all(|pair| pair[0] != pair[1]);
        assert!(alone, "a node sends one packet in a step");
        let endpoint = self.network.endpoint();
        let mut pins = PacketPins::default();
        // A node that has sent asks for nothing more; its other pins keep their values.
        let asked = SendRequest {
            request: true,
            ..SendRequest::default()
        };
        for instance in before {
            if self.driving.binary_search(&instance).is_err() {
                let mut drive = |port, value| pins.add(port, instance, value);
                endpoint.drive(&asked, &SendRequest::default(), &mut drive);
            }
        }
        for sent in due {
            let instance = self.instances[sent.source as usize];
            for (port, value) in endpoint.pins(&ask(sent.packet)) {
                pins.add(port, instance, value);
            }
        }
        for (port, values) in &pins.ports {
            engine.drive(NODES, *port, values);
        }
    }

    /// Takes in what shows in the engine's cycle.
    pub fn observe(&mut self, engine: &dyn Engine) {
        let cycle = engine.cycle();
        self.raised.clear();
        engine.raised(NODES, self.arrival.valid, &mut self.raised);
        let first = self.outcome.deliveries.len();
        for &instance in &self.raised {
            let value = |port| engine.value(NODES, port, instance as usize);
            let delivery = Delivery {
                step: cycle - SHOWN_CYCLES,
                node: self.network.node_of_instance(instance as usize),
                id: value(self.arrival.id) as u32,
            };
            self.outcome.finish_step = delivery.step;
            match value(self.arrival.wrong) {
                0 => self.outcome.deliveries.push(delivery),
                _ => self.outcome.wrong.push(delivery),
            }
        }
        self.outcome.deliveries[first..].sort_unstable();
        self.raised.clear();
        engine.raised(ROUTERS, self.lost_port, &mut self.raised);
        let conflicts = self.raised.iter().map(|&slice| Conflict {
            cycle,
            slice,
            outputs: engine.value(ROUTERS, self.lost_port, slice as usize),
        });
        self.outcome.conflicts.extend(conflicts);
    }

    /// The results so far, at the end.
    pub fn end(self) -> ScheduleOutcome {
        self.outcome
    }
}

/// The request to an interface that is to send a packet.
fn ask(packet: Packet) -> SendRequest<'static> {
    let Packet {
        broadcast,
        phase,
        destination,
        id,
    } = packet;
    SendRequest {
        request: true,
        destination,
        words: 1,
        packet: PacketRequest {
            id,
            phase,
            broadcast,
        },
        route: None,
    }
}

/// Values driven in a cycle: for each port, instances and values.
#[derive(Debug, Default)]
struct PacketPins {
    ports: Vec<(usize, Vec<(u32, u64)>)>,
}

impl PacketPins {
    fn add(&mut self, port: usize, instance: u32, value: u64) {
        let known = self.ports.iter().position(|(known, _)| *known == port);
        let at = known.unwrap_or_else(|| {
            self.ports.push((port, Vec::new()));
            self.ports.len() - 1
        });
        self.ports[at].1.push((instance, value));
    }
}
