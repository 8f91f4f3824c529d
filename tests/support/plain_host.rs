//! A host that is obviously right, and slow: it looks at every pin of every interface in
//! every cycle, drives every pin in every cycle, skips nothing, and keeps no lists but each
//! node's messages.
//!
//! It shares with the program's host the chips' port names and the messages to be sent. The
//! clocks of ways are those of the README and of docs/networks/bidelta.md, written once more.

use std::collections::VecDeque;

use crosswave_chips::routing::Route;
use crosswave_chips::routing::bidelta::{route, stacks};
use crosswave_event::EventEngine;
use crosswave_network::Fabric;
use crosswave_network::bidelta::StageWires;
use crosswave_network::fat_tree::NODES;
use crosswave_network::traffic::{Offer, Strategy, Workload};
use crosswave_probe::engine::Engine;
use crosswave_probe::message::{ConnectionRecord, MessageRecord, NEVER};
use crosswave_run::config::{Config, NetworkConfig};
use crosswave_run::host::End;
use crosswave_run::simulation::Simulation;

/// The message for networks of packets.
const NO_PACKETS: &str = "the plain host has circuits and connections";

/// The outcome of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub end: End,
    pub last_cycle: u64,
    /// Clock edges but those to cycles in which nothing could happen.
    pub evaluated_cycles: u64,
    pub messages: Vec<MessageRecord>,
    /// Empty in a fat tree.
    pub connections: Vec<ConnectionRecord>,
    /// Attempts that were rejected or blocked.
    pub collisions: u64,
    pub rounds: u64,
}

/// Runs the workload of a configuration on register-level models.
pub fn run(config: &Config) -> Seen {
    let simulation = Simulation::new(config).expect("a legal configuration");
    let replicate = simulation.replicate(0);
    let workload = replicate.unwrap_or_else(|e| panic!("{e}")).workload;
    run_workload(&simulation, &workload)
}

/// Runs a workload on register-level models of a network.
pub fn run_workload(simulation: &Simulation, workload: &Workload) -> Seen {
    let (config, fabric) = (simulation.config(), simulation.fabric());
    let most = simulation.cycles_max(workload);
    let mut host = PlainHost::new(config, fabric, workload);
    let mut engine = EventEngine::new(fabric.clone(), config.run.seed, 1);
    engine.hold_random(true);
    loop {
        host.see(&engine);
        let cycle = engine.cycle();
        if host.is_finished() || cycle >= most {
            return host.ended(cycle);
        }
        host.count(cycle);
        engine.step();
        host.drive(&mut engine);
    }
}

/// The ports of an interface, by their names.
struct Ports {
    launch: usize,
    collision: usize,
    done: usize,
    received: Vec<usize>,
    /// The following are those of RN1's interface.
    opened: Vec<usize>,
    stage: Option<usize>,
    reply: Option<usize>,
    error: Option<usize>,
}

impl Ports {
    fn new(config: &Config, fabric: &Fabric) -> Self {
        let chip = fabric.arrays[NODES].chip;
        let all = |names: &[&str]| names.iter().map(|name| chip.port(name)).collect();
        let (launch, done) = (chip.port("tx_launch"), chip.port("tx_done"));
        match config.network {
            NetworkConfig::FatTree(_) | NetworkConfig::MportTree(_) => Ports {
                launch,
                collision: chip.port("tx_collision"),
                done,
                received: all(&["rx_done"]),
                opened: Vec::new(),
                stage: None,
                reply: None,
                error: None,
            },
            NetworkConfig::Bidelta(_) | NetworkConfig::Butterfly(_) | NetworkConfig::Transit(_) => {
                Ports {
                    launch,
                    collision: chip.port("tx_blocked"),
                    done,
                    received: all(&["rx0_done", "rx1_done"]),
                    opened: all(&["rx0_open", "rx1_open"]),
                    stage: Some(chip.port("tx_stage")),
                    reply: Some(chip.port("tx_reply")),
                    error: Some(chip.port("tx_error")),
                }
            }
            _ => panic!("{NO_PACKETS}"),
        }
    }
}

/// One node.
#[derive(Default)]
struct Node {
    /// The interface of the node.
    instance: u32,
    /// Messages that have not been offered.
    waiting: VecDeque<usize>,
    /// The message that is offered.
    offered: Option<usize>,
    /// Cycles in which messages were received, and those in which connections came.
    received: Vec<u64>,
    opened: Vec<u64>,
}

struct PlainHost<'a> {
    config: &'a Config,
    fabric: &'a Fabric,
    ports: Ports,
    workload: &'a Workload,
    nodes: Vec<Node>,
    messages: Vec<MessageRecord>,
    connections: Vec<ConnectionRecord>,
    /// The cycle in which each message's last attempt was launched, unless it was rejected.
    launched: Vec<u64>,
    /// The cycle in which it is known of each message that it was delivered; kept only when
    /// messages wait for it.
    known: Vec<u64>,
    collisions: u64,
    under_way: u64,
    round_start: bool,
    rounds: u64,
    /// The last cycle in which a message was offered.
    last_offered: Option<u64>,
    skipped_to: u64,
    evaluated_cycles: u64,
}

impl<'a> PlainHost<'a> {
    fn new(config: &'a Config, fabric: &'a Fabric, workload: &'a Workload) -> Self {
        let array = &fabric.arrays[NODES];
        let address = array.chip.port("node");
        let mut nodes: Vec<Node> = (0..fabric.nodes).map(|_| Node::default()).collect();
        for instance in 0..fabric.nodes {
            nodes[array.pin(address, instance) as usize].instance = instance as u32;
        }
        for (id, message) in workload.messages.iter().enumerate() {
            nodes[message.source as usize].waiting.push_back(id);
        }
        let messages = workload.messages.iter();
        let messages = messages.map(|m| MessageRecord::new(m.source, m.destination, m.words));
        let connections = match config.network {
            NetworkConfig::FatTree(_) | NetworkConfig::MportTree(_) => 0,
            NetworkConfig::Bidelta(_) | NetworkConfig::Butterfly(_) | NetworkConfig::Transit(_) => {
                workload.messages.len()
            }
            _ => panic!("{NO_PACKETS}"),
        };
        PlainHost {
            config,
            fabric,
            ports: Ports::new(config, fabric),
            workload,
            nodes,
            messages: messages.collect(),
            connections: vec![ConnectionRecord::NEW; connections],
            launched: vec![NEVER; workload.messages.len()],
            known: vec![NEVER; workload.messages.len()],
            collisions: 0,
            under_way: 0,
            round_start: false,
            rounds: 0,
            last_offered: None,
            skipped_to: 0,
            evaluated_cycles: 0,
        }
    }

    /// Looks at the interfaces.
    fn see(&mut self, engine: &EventEngine) {
        let ports = &self.ports;
        let cycle = engine.cycle();
        for node in &mut self.nodes {
            let shown = |port: usize| engine.value(NODES, port, node.instance as usize);
            let raised = |ports: &[usize]| ports.iter().filter(|port| shown(**port) != 0).count();
            let (received, opened) = (raised(&ports.received), raised(&ports.opened));
            node.received.extend(vec![cycle; received]);
            node.opened.extend(vec![cycle; opened]);
            let Some(id) = node.offered else {
                assert_eq!(raised(&[ports.launch, ports.collision, ports.done]), 0);
                continue;
            };
            let message = &mut self.messages[id];
            let mut connection = self.connections.get_mut(id);
            if shown(ports.launch) != 0 {
                self.under_way += 1;
                message.attempts += 1;
                message.sent_cycle = message.sent_cycle.min(cycle);
                self.launched[id] = cycle;
                if let Some(connection) = &mut connection {
                    connection.launched_cycle = cycle;
                }
            }
            if shown(ports.collision) != 0 {
                self.under_way -= 1;
                self.collisions += 1;
                self.launched[id] = NEVER;
                if let (Some(connection), Some(stage)) = (&mut connection, ports.stage) {
                    connection.stages = shown(stage) as u32;
                }
            }
            if let (Some(connection), Some(reply)) = (&mut connection, ports.reply)
                && shown(reply) != 0
            {
                connection.reply_cycle = cycle;
            }
            if shown(ports.done) != 0 {
                self.under_way -= 1;
                message.acknowledged_cycle = cycle;
                node.offered = None;
                if let (Some(connection), Some(error)) = (connection, ports.error) {
                    connection.wrong = shown(error) != 0;
                    let way = way_of(self.config, message.source, message.destination);
                    connection.stages = u32::from(way.stages);
                }
                // The next message waits for this one, or has waited.
                if let Some(&next) = node.waiting.front()
                    && self.workload.messages[next].offered == Offer::AfterPrevious
                {
                    self.messages[next].offered_cycle = cycle + 1;
                }
            }
        }
        if !self.workload.sets.is_empty() {
            self.learn(cycle);
        }
    }

    /// The cycle in which a message arrives, as far as its source knows.
    fn arrives(&self, id: usize) -> u64 {
        let message = &self.messages[id];
        self.launched[id].saturating_add(self.way(message) + u64::from(message.words) + 1)
    }

    /// Finds out whose messages have come: when as many could have come to a node in a cycle
    /// as have.
    fn learn(&mut self, now: u64) {
        let arrivals: Vec<u64> = (0..self.messages.len())
            .map(|id| self.arrives(id))
            .collect();
        for (node, of) in (0..).zip(&self.nodes) {
            for &cycle in &of.received {
                let could: Vec<usize> = (0..self.messages.len())
                    .filter(|&id| self.messages[id].destination == node && arrivals[id] == cycle)
                    .collect();
                if could.len() == of.received.iter().filter(|&&at| at == cycle).count() {
                    for id in could {
                        self.known[id] = self.known[id].min(now);
                    }
                }
            }
        }
    }

    /// The cycle in which a message is offered that waits for a set of others.
    fn after(&self, set: u32, not_before: u64) -> Option<u64> {
        let known = self
            .workload
            .sets
            .of(set)
            .iter()
            .map(|&id| self.known[id as usize]);
        let last = known.max().expect("a set has members");
        (last != NEVER).then(|| not_before.max(last + 1))
    }

    fn is_finished(&self) -> bool {
        let received: usize = self.nodes.iter().map(|node| node.received.len()).sum();
        let mut messages = self.messages.iter();
        received == self.messages.len() && messages.all(|m| m.acknowledged_cycle != NEVER)
    }

    /// The cycle in which a node can offer its next message.
    fn due(&self, node: &Node) -> Option<u64> {
        let id = *node.waiting.front()?;
        Some(match self.workload.messages[id].offered {
            Offer::At(cycle) => cycle,
            Offer::AfterPrevious => self.messages[id].offered_cycle,
            Offer::After { set, not_before } => return self.after(set, not_before),
        })
    }

    fn is_quiet(&self, cycle: u64) -> bool {
        let rest = self.fabric.rest_cycles;
        self.last_offered.is_none_or(|last| cycle > last + rest)
    }

    /// Counts the edge behind a cycle, unless the network rests until the next offer, and
    /// that is later.
    fn count(&mut self, cycle: u64) {
        if cycle < self.skipped_to {
            return;
        }
        let nobody = self.nodes.iter().all(|node| node.offered.is_none());
        let next = self.nodes.iter().filter_map(|node| self.due(node)).min();
        match next {
            Some(next) if cycle > 0 && nobody && self.is_quiet(cycle) && next > cycle + 1 => {
                self.skipped_to = next;
            }
            _ => self.evaluated_cycles += 1,
        }
    }

    /// Drives all pins of a cycle.
    fn drive(&mut self, engine: &mut EventEngine) {
        let cycle = engine.cycle();
        for at in 0..self.nodes.len() {
            let due = self.due(&self.nodes[at]);
            let node = &mut self.nodes[at];
            if node.offered.is_none() && due.is_some_and(|due| due <= cycle) {
                node.offered = node.waiting.pop_front();
            }
        }
        let offered = self.nodes.iter().filter(|node| node.offered.is_some());
        if offered.count() > 0 {
            self.last_offered = Some(cycle);
        }
        let rounds = self.config.retry.strategy == Strategy::Rounds;
        let begins = rounds && !self.round_start && self.under_way == 0;
        self.round_start = begins && self.last_offered == Some(cycle);
        self.rounds += u64::from(self.round_start);

        let chip = self.fabric.arrays[NODES].chip;
        for node in &self.nodes {
            let message = node.offered.map(|id| &self.workload.messages[id]);
            let words = message.map_or(0, |m| u64::from(m.words) - 1);
            let destination = message.map_or(0, |m| m.destination);
            let mut pins = vec![
                ("tx_request", u64::from(message.is_some())),
                ("tx_destination", u64::from(destination)),
                ("tx_words", words),
            ];
            match self.config.network {
                NetworkConfig::FatTree(_) => {
                    pins.push(("round_start", u64::from(self.round_start)))
                }
                NetworkConfig::MportTree(_) => {
                    let ports = message.map(|m| ports_of(self.config, m.source, m.destination));
                    let ports = ports.unwrap_or_default();
                    let route = ports
                        .iter()
                        .fold(0u128, |v, &port| v << 8 | u128::from(port));
                    let last = (ports.len() as u64).saturating_sub(1);
                    pins.push(("tx_hops", last));
                    pins.push(("tx_route_low", route as u64));
                    pins.push(("tx_route_high", (route >> 64) as u64));
                    pins.push(("round_start", u64::from(self.round_start)));
                }
                NetworkConfig::Bidelta(_)
                | NetworkConfig::Butterfly(_)
                | NetworkConfig::Transit(_) => {
                    let way = message.map(|m| way_of(self.config, m.source, m.destination));
                    let way = way.unwrap_or_default();
                    let value = way.bytes.iter().rev();
                    let value = value.fold(0, |v, &b| v << 8 | u64::from(b));
                    let last = (way.bytes.len() as u64).saturating_sub(1);
                    pins.push(("tx_route", value));
                    pins.push(("tx_route_bytes", last));
                    pins.push(("tx_stages", u64::from(way.stages)));
                    pins.push(("tx_swallows", u64::from(way.swallows)));
                }
                _ => panic!("{NO_PACKETS}"),
            }
            for (port, value) in pins {
                engine.drive(NODES, chip.port(port), &[(node.instance, value)]);
            }
        }
        engine.hold_random(self.is_quiet(cycle));
    }

    /// Clocks from the first word of an attempt on the sender's wire to the one in which the
    /// receiver has taken in the first word of the body; and from then to the last one.
    fn way(&self, message: &MessageRecord) -> u64 {
        static NONE: Vec<u32> = Vec::new();
        let delays = match &self.config.network {
            NetworkConfig::MportTree(_) => &NONE,
            NetworkConfig::FatTree(tree) => &tree.link_delay_cycles,
            NetworkConfig::Bidelta(network) => match &network.link_delay_cycles {
                StageWires::Given(delays) => delays,
                StageWires::Geometry => panic!("these tests give the delays"),
            },
            NetworkConfig::Butterfly(_) => &NONE,
            NetworkConfig::Transit(tree) => {
                let delays = tree.link_delay_cycles.as_ref();
                delays.expect("these tests give the delays")
            }
            _ => panic!("{NO_PACKETS}"),
        };
        let delays = delays.iter().map(|&cycles| u64::from(cycles));
        match self.config.network {
            NetworkConfig::MportTree(_) => {
                2 * ports_of(self.config, message.source, message.destination).len() as u64
            }
            NetworkConfig::FatTree(_) => {
                let turn = (message.source ^ message.destination).ilog2();
                let routers = u64::from(2 * turn + 1);
                let up: u64 = delays.take(turn as usize + 1).sum();
                2 * routers + 2 * up
            }
            NetworkConfig::Bidelta(_) | NetworkConfig::Butterfly(_) | NetworkConfig::Transit(_) => {
                let way = way_of(self.config, message.source, message.destination);
                let wires = match &self.config.network {
                    // Up to the highest layer and down again, and perhaps through the cap.
                    NetworkConfig::Transit(tree) => {
                        let layers = way.bytes.len().saturating_sub(2);
                        let [from, to] = [message.source, message.destination]
                            .map(|node| tree.form.address(node).root);
                        let cap: u64 = match from == to {
                            true => 0,
                            false => delays.clone().next_back().expect("of the cap"),
                        };
                        2 * delays.take(layers).sum::<u64>() + cap
                    }
                    NetworkConfig::Bidelta(network) => {
                        delays.sum::<u64>() + u64::from(network.loop_back_cycles)
                    }
                    _ => 0,
                };
                let swallowed = way.bytes.len() as u64 - 1;
                u64::from(way.stages) + wires + 1 + swallowed
            }
            _ => panic!("{NO_PACKETS}"),
        }
    }

    /// Says which delivery was whose: a message arrives as many clocks after its last
    /// launch as its way and its words take. No delivery is left, and none is missing.
    fn ended(mut self, cycle: u64) -> Seen {
        let finished = self.is_finished();
        let mut received: Vec<(u32, u64)> = Vec::new();
        let mut opened: Vec<(u32, u64)> = Vec::new();
        for id in 0..self.messages.len() {
            let way = self.way(&self.messages[id]);
            let message = &self.messages[id];
            let offer = match self.workload.messages[id].offered {
                Offer::At(offer) => offer,
                Offer::AfterPrevious => message.offered_cycle,
                Offer::After { set, not_before } => self.after(set, not_before).unwrap_or(NEVER),
            };
            let message = &mut self.messages[id];
            message.offered_cycle = if offer <= cycle { offer } else { NEVER };
            let delivered = self.launched[id].saturating_add(way + u64::from(message.words) + 1);
            if message.acknowledged_cycle != NEVER && delivered <= cycle {
                message.delivered_cycle = delivered;
                received.push((message.destination, delivered));
                if let Some(connection) = self.connections.get_mut(id) {
                    connection.opened_cycle = self.launched[id] + way;
                    opened.push((message.destination, connection.opened_cycle));
                }
            }
        }
        if finished {
            let of = |lists: fn(&Node) -> &[u64]| {
                let nodes = (0..).zip(&self.nodes);
                let all = nodes.flat_map(|(node, of)| lists(of).iter().map(move |&at| (node, at)));
                let mut all: Vec<(u32, u64)> = all.collect();
                all.sort_unstable();
                all
            };
            received.sort_unstable();
            assert_eq!(of(|node| &node.received), received);
            opened.sort_unstable();
            // A connection that is blocked does not come to its destination.
            assert_eq!(of(|node| &node.opened), opened);
        }
        let ends = self.messages.iter();
        let ends = ends.map(|m| m.acknowledged_cycle.max(m.delivered_cycle));
        Seen {
            end: if finished {
                End::Finished
            } else {
                End::OutOfCycles
            },
            last_cycle: if finished {
                ends.max().unwrap_or(0)
            } else {
                cycle
            },
            evaluated_cycles: self.evaluated_cycles,
            messages: self.messages,
            connections: self.connections,
            collisions: self.collisions,
            rounds: self.rounds,
        }
    }
}

/// The output ports of a way through an m-port n-tree with the default routing: up by the digits of
/// the destination, the last one first, and down by all of them.
fn ports_of(config: &Config, source: u32, destination: u32) -> Vec<u32> {
    let NetworkConfig::MportTree(network) = &config.network else {
        panic!("an m-port n-tree");
    };
    assert_eq!(network.tree.routing.name(), "d-mod-k");
    let (half, levels) = (network.tree.tree.half(), network.tree.tree.levels());
    let digit = |level: u32| destination / half.pow(level) % half;
    // Nodes of a common switch of level l have the same number when divided by (m/2)^(l+1).
    let alike = |level: &u32| source / half.pow(level + 1) == destination / half.pow(level + 1);
    let turn = (0..levels - 1).find(alike).unwrap_or(levels - 1);
    let turned = match turn + 1 == levels {
        true => destination / half.pow(turn),
        false => digit(turn),
    };
    let up = (0..turn).map(|level| half + digit(level));
    let down = (0..turn).rev().map(digit);
    up.chain([turned]).chain(down).collect()
}

/// Routing bytes, routers and swallows of a way. In a bidelta network the first stage of
/// every stack but the first swallows.
fn way_of(config: &Config, source: u32, destination: u32) -> Route {
    if let NetworkConfig::Transit(tree) = &config.network {
        let [from, to] = [source, destination].map(|node| tree.form.address(node));
        return tree.form.route(&from, &to);
    }
    let stages = config.network.nodes().ilog2() / 2;
    let mut route = Route {
        swallows: 0,
        ..route(stages, destination)
    };
    if let NetworkConfig::Bidelta(_) = config.network {
        let mut first = 0;
        for of_stack in stacks(stages) {
            route.swallows |= u16::from(first > 0) << first;
            first += of_stack;
        }
    }
    route
}
