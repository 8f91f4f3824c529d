//! Records of packets: every hop agrees with the words and flits on the wires, with the wiring, the
//! routes, the lengths of queues and what hosts record; on both engines they are the same.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crosswave_network::path::follow;
use crosswave_network::topology::{NODES, OnPath, ROUTERS, Topology};
use crosswave_network::traffic::EVERY_NODE;
use crosswave_network::{Fabric, LinkPort};
use crosswave_observe::life::{AttemptRecord, EndOfAttempt, HopRecord, record::NO_OUTPUT};
use crosswave_probe::engine::Engine;
use crosswave_probe::message::NEVER;
use crosswave_run::config::{Config, EngineKind};
use crosswave_run::host::{End, Outcome};
use crosswave_run::observer::Observer;
use crosswave_run::simulation::Simulation;

use super::lives::{Records, followed};
use crate::program::{crosswave, success, write};

/// A word or flit at a link port in a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    array: usize,
    instance: usize,
    link: usize,
    cycle: u64,
    /// The number of the message; of flits their data, and 256 for the last one.
    value: u64,
}

/// Reads all link ports in every cycle, by the names of ports and nothing else.
struct Wires<'a> {
    fabric: &'a Fabric,
    has_flits: bool,
    inputs: Vec<Seen>,
    outputs: Vec<Seen>,
    /// Packets in the queues of routers, by cycle, router and output, where there are some.
    queued: BTreeMap<(u64, usize, usize), u64>,
    /// Outputs of routers where packets were lost, by cycle, router and output.
    lost: BTreeSet<(u64, usize, usize)>,
    /// Packets that nodes show: cycle, instance and number of the message.
    shown: BTreeSet<(u64, usize, u64)>,
}

impl<'a> Wires<'a> {
    fn of(fabric: &'a Fabric) -> Self {
        let ports = fabric.arrays[NODES].chip.ports;
        Wires {
            fabric,
            has_flits: ports.iter().any(|port| port.name.ends_with("_in_last")),
            inputs: Vec::new(),
            outputs: Vec::new(),
            queued: BTreeMap::new(),
            lost: BTreeSet::new(),
            shown: BTreeSet::new(),
        }
    }
}

impl Observer for Wires<'_> {
    fn cycle(&mut self, engine: &dyn Engine, clocked: bool) {
        let cycle = engine.cycle();
        if !clocked || cycle == 0 {
            return;
        }
        for array in [ROUTERS, NODES] {
            let chip = self.fabric.arrays[array].chip;
            let instances = self.fabric.arrays[array].instances;
            for (link, name) in chip.links.iter().enumerate() {
                let port = |end: &str| chip.port(&format!("{name}_{end}"));
                for (side, seen) in [("in", &mut self.inputs), ("out", &mut self.outputs)] {
                    let valid = port(&format!("{side}_valid"));
                    for instance in 0..instances {
                        if engine.value(array, valid, instance) == 0 {
                            continue;
                        }
                        let shows = |end: &str| {
                            engine.value(array, port(&format!("{side}_{end}")), instance)
                        };
                        let value = match self.has_flits {
                            false => shows("id"),
                            true => shows("data") | shows("last") << 8,
                        };
                        seen.push(Seen {
                            array,
                            instance,
                            link,
                            cycle,
                            value,
                        });
                    }
                }
            }
        }
        let chip = self.fabric.arrays[ROUTERS].chip;
        let lost = ["lost", "conflict"]
            .into_iter()
            .find(|name| chip.ports.iter().any(|port| port.name == *name));
        let lost = chip.port(lost.expect("switches show losses"));
        for router in 0..self.fabric.arrays[ROUTERS].instances {
            let outputs = engine.value(ROUTERS, lost, router);
            let links = (0..chip.links.len()).filter(|link| outputs >> link & 1 != 0);
            self.lost.extend(links.map(|link| (cycle, router, link)));
            for (link, name) in chip.links.iter().enumerate() {
                let name = format!("{name}_queued");
                if chip.ports.iter().any(|port| port.name == name) {
                    let waiting = engine.value(ROUTERS, chip.port(&name), router);
                    if waiting > 0 {
                        self.queued.insert((cycle, router, link), waiting);
                    }
                }
            }
        }
        let chip = self.fabric.arrays[NODES].chip;
        let (valid, id) = (chip.port("rx_valid"), chip.port("rx_id"));
        for node in 0..self.fabric.nodes {
            if engine.value(NODES, valid, node) != 0 {
                self.shown
                    .insert((cycle, node, engine.value(NODES, id, node)));
            }
        }
    }
}

/// A packet of flits on a link.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    first_cycle: u64,
    last_cycle: u64,
    data: Vec<u64>,
}

/// The packets of flits at link ports, whole ones.
fn rows(seen: &[Seen]) -> BTreeMap<(usize, usize, usize), Vec<Row>> {
    let mut rows: BTreeMap<_, Vec<Row>> = BTreeMap::new();
    let mut begun: BTreeMap<_, Row> = BTreeMap::new();
    for flit in seen {
        let at = (flit.array, flit.instance, flit.link);
        let row = begun.entry(at).or_insert(Row {
            first_cycle: flit.cycle,
            last_cycle: flit.cycle,
            data: Vec::new(),
        });
        row.last_cycle = flit.cycle;
        row.data.push(flit.value & 0xff);
        if flit.value >> 8 != 0 {
            let row = begun.remove(&at).expect("it has begun");
            rows.entry(at).or_default().push(row);
        }
    }
    rows
}

struct Judge<'s> {
    text: &'s str,
    simulation: &'s Simulation,
    outcome: &'s Outcome,
    records: &'s Records,
    wires: &'s Wires<'s>,
}

impl Judge<'_> {
    fn network(&self) -> &dyn Topology {
        self.simulation.network()
    }

    fn instance(&self, node: u32) -> usize {
        let mut instances = 0..self.simulation.fabric().nodes;
        let found = instances.find(|&at| self.network().node_of_instance(at) == node);
        found.expect("a node")
    }

    /// Hops lead along the wires of the network, by the outputs that routes have, from the source
    /// to the destination.
    fn follows_wires(&self) {
        let fabric = self.simulation.fabric();
        let mut before: BTreeMap<(u32, u32), BTreeMap<u32, u32>> = BTreeMap::new();
        for (id, message) in (0..).zip(&self.outcome.messages) {
            let pair = before.entry((message.source, message.destination));
            let known = pair.or_default();
            let count = known.len() as u32;
            known.insert(id, count);
        }
        for packet in &self.records.attempts {
            let message = &self.outcome.messages[packet.id as usize];
            assert_eq!(packet.source, message.source);
            let pair = (message.source, message.destination);
            let way = self.network().path_choice().map_or(0, |choice| {
                choice.way_of(pair.0, pair.1, before[&pair][&packet.id])
            });
            let mut from = LinkPort {
                array: NODES,
                instance: self.instance(packet.source),
                link: 0,
            };
            let mut cycle = packet.launched_cycle;
            let mut is_whole = true;
            for (hop, chip) in packet.hops.iter().zip(1..) {
                let here = LinkPort {
                    array: ROUTERS,
                    instance: hop.router as usize,
                    link: usize::from(hop.input),
                };
                let led = Some((hop.arrived_cycle - cycle, here));
                assert_eq!(follow(fabric, from), led, "{packet:?}: {}", self.text);
                if hop.output == NO_OUTPUT {
                    assert_eq!(chip as usize, packet.hops.len());
                    is_whole = false;
                    break;
                }
                if packet.destination != EVERY_NODE {
                    let leaves = self.network().leaves(OnPath {
                        source: packet.source,
                        destination: packet.destination,
                        chip,
                        arrived: here.link,
                        draw: false,
                        way,
                    });
                    assert_eq!(leaves, usize::from(hop.output), "{packet:?}");
                }
                assert!(packet.waited_cycles(hop).is_some());
                from = LinkPort {
                    link: usize::from(hop.output),
                    ..here
                };
                cycle = hop.left_cycle;
            }
            if packet.end == EndOfAttempt::Delivered {
                let (clocks, end) = follow(fabric, from).expect("it leads on");
                assert!(is_whole && end.array == NODES, "{packet:?}");
                let node = self.network().node_of_instance(end.instance);
                assert_eq!(node, packet.destination);
                assert_eq!(packet.reached_cycle, cycle + clocks);
                let routers = self.network().routers_on_path(packet.source, node);
                assert_eq!(packet.hops.len() as u32, routers);
                let shown = (packet.end_cycle, end.instance, u64::from(packet.id));
                assert!(self.wires.shown.contains(&shown), "{packet:?}");
            }
        }
    }

    /// All packets of a message that was delivered have come, each once to each destination, and
    /// the parts of its latency are its latency.
    fn messages_are_whole(&self, is_streamed: bool) {
        let mut come: BTreeMap<u32, BTreeSet<(u32, u32)>> = BTreeMap::new();
        for packet in &self.records.attempts {
            if packet.end == EndOfAttempt::Delivered {
                let number = packet.packet.expect("a packet").number;
                let is_new = come.entry(packet.id).or_default();
                assert!(is_new.insert((number, packet.destination)), "{packet:?}");
            }
        }
        let others = u64::from(self.network().nodes() - 1);
        let mut lives = self.records.messages.iter();
        let mut acknowledged = 0;
        for (id, message) in (0..).zip(&self.outcome.messages) {
            let copies = if message.destination == EVERY_NODE {
                others
            } else {
                1
            };
            let packets = if is_streamed {
                1
            } else {
                u64::from(message.words)
            };
            let count = come.get(&id).map_or(0, BTreeSet::len) as u64;
            let is_whole = count == packets * copies;
            assert_eq!(
                is_whole,
                message.acknowledged_cycle != NEVER,
                "message {id}"
            );
            if !is_whole {
                continue;
            }
            acknowledged += 1;
            let life = lives.clone().find(|life| life.id == id);
            let life = life.expect("a message that came is recorded");
            assert_eq!(life.message, *message, "{}", self.text);
            let breakdown = life.breakdown.expect("its route is known");
            assert_eq!(breakdown.total(), message.latency_cycles(), "{life:?}");
        }
        assert_eq!(lives.by_ref().count(), acknowledged);
    }

    /// Every word on a wire is a hop, and every hop is on the wires; queues have those who wait.
    fn words_are_hops(&self) {
        let packets = &self.records.attempts;
        let id = |packet: &AttemptRecord| u64::from(packet.id);
        let of_array = |seen: &[Seen], array: usize| -> BTreeSet<Seen> {
            seen.iter()
                .filter(|seen| seen.array == array)
                .copied()
                .collect()
        };
        let at = |packet: &AttemptRecord, hop: &HopRecord, link: u8, cycle: u64| Seen {
            array: ROUTERS,
            instance: hop.router as usize,
            link: usize::from(link),
            cycle,
            value: id(packet),
        };
        let hops = || {
            let packets = packets.iter();
            packets.flat_map(|packet| packet.hops.iter().map(move |hop| (packet, *hop)))
        };
        let arrived = hops().map(|(packet, hop)| at(packet, &hop, hop.input, hop.arrived_cycle));
        assert_eq!(
            of_array(&self.wires.inputs, ROUTERS),
            arrived.collect(),
            "{}",
            self.text
        );
        let left = hops().filter(|(_, hop)| hop.left_cycle != NEVER);
        let left = left.map(|(packet, hop)| at(packet, &hop, hop.output, hop.left_cycle));
        assert_eq!(
            of_array(&self.wires.outputs, ROUTERS),
            left.collect(),
            "{}",
            self.text
        );
        let node = |packet: &AttemptRecord, node: u32, cycle: u64| Seen {
            array: NODES,
            instance: self.instance(node),
            link: 0,
            cycle,
            value: id(packet),
        };
        let sent = packets.iter();
        let sent = sent.map(|packet| node(packet, packet.source, packet.launched_cycle));
        assert_eq!(
            of_array(&self.wires.outputs, NODES),
            sent.collect(),
            "{}",
            self.text
        );
        let come = packets
            .iter()
            .filter(|packet| packet.reached_cycle != NEVER);
        let come = come.map(|packet| node(packet, packet.destination, packet.reached_cycle));
        assert_eq!(
            of_array(&self.wires.inputs, NODES),
            come.collect(),
            "{}",
            self.text
        );

        // A hop of copies is one until the packet is copied.
        let mut queued: BTreeMap<(u64, usize, usize), u64> = BTreeMap::new();
        let mut waits = BTreeSet::new();
        let mut lost = BTreeMap::new();
        for (packet, hop) in hops() {
            let number = packet.packet.expect("a packet").number;
            let router = hop.router as usize;
            if hop.output != NO_OUTPUT {
                let place = (router, usize::from(hop.output));
                for cycle in hop.arrived_cycle + 1..hop.left_cycle {
                    if waits.insert((cycle, place, packet.id, number)) {
                        *queued.entry((cycle, place.0, place.1)).or_default() += 1;
                    }
                }
            } else if packet.end == EndOfAttempt::Lost {
                let collision = packet.collision.as_ref().expect("it says where");
                assert_eq!(collision.cycle, hop.arrived_cycle + 1);
                assert_eq!(
                    (hop.freed_cycle, packet.end_cycle),
                    (collision.cycle, collision.cycle)
                );
                let output = usize::from(collision.wanted[0]);
                *lost.entry((collision.cycle, router, output)).or_insert(0) += 1;
                // Those in front of it were there before.
                assert!(!collision.rivals.is_empty());
                for rival in &collision.rivals {
                    let is_there = hops().any(|(one, there)| {
                        let number = one.packet.map(|packet| packet.number);
                        (one.id, number) == (rival.id, rival.packet)
                            && (there.router, there.output) == (hop.router, rival.output)
                            && there.arrived_cycle <= hop.arrived_cycle
                            && there.left_cycle >= collision.cycle
                    });
                    assert!(is_there, "{rival:?}");
                }
            }
        }
        assert_eq!(queued, self.wires.queued, "{}", self.text);
        let places: BTreeSet<_> = lost.keys().copied().collect();
        assert_eq!(places, self.wires.lost, "{}", self.text);
        assert_eq!(places.len() as u64, self.outcome.rejections.total());
    }

    /// Every packet of flits on a link is a hop, with the number of its message in its flits.
    fn rows_are_hops(&self) {
        let (inputs, outputs) = (rows(&self.wires.inputs), rows(&self.wires.outputs));
        let row_from = |rows: &BTreeMap<_, Vec<Row>>, at: (usize, usize, usize), first: u64| {
            let found = rows.get(&at).and_then(|rows| {
                let mut rows = rows.iter();
                rows.find(|row| row.first_cycle == first).cloned()
            });
            found.unwrap_or_else(|| panic!("a row from {first} on at {at:?}: {}", self.text))
        };
        let mut found = 0;
        for packet in &self.records.attempts {
            assert_eq!(packet.end, EndOfAttempt::Delivered);
            let is_of = |row: &Row, routers: usize| {
                let number = (0..3).map(|byte| row.data[routers + byte] << (8 * byte));
                number.sum::<u64>() == u64::from(packet.id)
            };
            for (index, hop) in packet.hops.iter().enumerate() {
                let router = hop.router as usize;
                let ahead = packet.hops.len() - index;
                let input = (ROUTERS, router, usize::from(hop.input));
                assert!(is_of(&row_from(&inputs, input, hop.arrived_cycle), ahead));
                let output = (ROUTERS, router, usize::from(hop.output));
                let row = row_from(&outputs, output, hop.left_cycle);
                assert!(is_of(&row, ahead - 1), "{packet:?}: {row:?}");
                assert_eq!(row.last_cycle + 1, hop.freed_cycle);
                found += 1;
            }
            let node = (NODES, self.instance(packet.destination), 0);
            let row = row_from(&inputs, node, packet.reached_cycle);
            assert!(is_of(&row, 0));
            assert_eq!(row.last_cycle + 1, packet.end_cycle);
        }
        let of_routers = outputs.iter().filter(|((array, ..), _)| *array == ROUTERS);
        assert_eq!(of_routers.map(|(_, rows)| rows.len()).sum::<usize>(), found);
    }
}

/// Networks, traffic, whether something waits and something is lost.
type Case = (&'static str, &'static str, bool, bool);

const TREES: [Case; 9] = [
    (
        "nodes=16\ncapacities='constant'",
        "pattern='cyclic-shift'\nshift=8\nwords=2",
        false,
        true,
    ),
    (
        "nodes=32",
        "pattern='random'\nrepeat=3\nwords=3",
        false,
        true,
    ),
    (
        "nodes=16\ncapacities=[1,2,3,3]",
        "trace='all.csv'",
        false,
        true,
    ),
    (
        "nodes=16\ncapacities=[1,1,2,4]\n[router]\nqueue_packets='unlimited'",
        "trace='all.csv'",
        true,
        false,
    ),
    (
        "nodes=16\n[router]\nqueue_packets=1",
        "trace='all.csv'",
        true,
        true,
    ),
    (
        "nodes=32\n[router]\nqueue_packets='unlimited'",
        "pattern='random'\nrepeat=3\nwords=3",
        true,
        false,
    ),
    (
        "nodes=32\ncapacities='constant'\n[router]\nqueue_packets=2",
        "pattern='random'\nrepeat=2\nwords=4",
        true,
        true,
    ),
    (
        "nodes=16\n[router]\nqueue_packets='unlimited'\nduplex='half'",
        "pattern='random'\nrepeat=2\nwords=3",
        true,
        false,
    ),
    (
        "nodes=16\n[router]\nqueue_packets=3\nduplex='half'",
        "trace='all.csv'",
        true,
        true,
    ),
];

const PORT_TREES: [Case; 3] = [
    (
        "ports=4\nlevels=3\nrouting='omrmn'",
        "pattern='random'\nrepeat=4\nwords=3",
        true,
        false,
    ),
    (
        "ports=8\nlevels=2\nrouting='d-mod-k'\npaths=2\nchoice='random'",
        "pattern='random'\nrepeat=6\nwords=2",
        true,
        false,
    ),
    (
        "ports=6\nlevels=2\n[router]\nqueue_packets=1",
        "pattern='random'\nrepeat=4\nwords=4",
        true,
        true,
    ),
];

const FRAMES: [(&str, &str, &str); 5] = [
    (
        "butterfly-fat-tree",
        "levels=2",
        "pattern='random'\nrepeat=4\nwords=5",
    ),
    (
        "fat-stack",
        "levels=2",
        "pattern='random'\nrepeat=4\nwords=1",
    ),
    (
        "fat-stack",
        "levels=3\nlink_delay_cycles=2",
        "pattern='random'\nrepeat=2\nwords=9",
    ),
    (
        "fat-pyramid",
        "levels=2",
        "pattern='random'\nrepeat=6\nwords=12",
    ),
    (
        "fat-pyramid",
        "levels=3\nlink_delay_cycles='geometry'",
        "pattern='random'\nrepeat=1\nwords=7",
    ),
];

/// A folder with a trace in which some nodes send to all others.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mut text = "t_ns,source,destination,bytes\n".to_owned();
    (0..16).for_each(|node| text += &format!("0,{node},*,{}\n", 1 + node % 3));
    write(folder.path(), "all.csv", &(text + "1,4,9,2\n"));
    folder
}

fn simulation(text: &str, folder: &Path) -> Simulation {
    let config = Config::parse(text, "test", folder, &[]).unwrap_or_else(|e| panic!("{e}"));
    Simulation::new(&config).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// Compares the records of a run with the wires and with those of the other engine, if there is
/// one. The packets that waited, and those that were lost.
fn judged(text: &str, folder: &Path, is_streamed: bool) -> [usize; 2] {
    let event = simulation(&format!("{text}[run]\nengine='event'\n"), folder);
    let replicate = event.replicate(0).unwrap_or_else(|e| panic!("{e}"));
    let mut wires = Wires::of(event.fabric());
    let plain = event.run_one(&replicate, &mut wires);
    let (outcome, records) = followed(&event);
    assert_eq!(outcome, plain.unwrap_or_else(|e| panic!("{e}")), "{text}");
    let judge = Judge {
        text,
        simulation: &event,
        outcome: &outcome,
        records: &records,
        wires: &wires,
    };
    judge.follows_wires();
    judge.messages_are_whole(is_streamed);
    match is_streamed {
        false => judge.words_are_hops(),
        true => judge.rows_are_hops(),
    }
    if !text.contains("queue_packets") && !text.contains("m-port") {
        for threads in [1, 3] {
            let text = format!("{text}[run]\nengine='gate'\nthreads={threads}\n");
            let gate = simulation(&text, folder);
            assert_eq!(gate.config().run.engine, EngineKind::Gate);
            assert!(
                followed(&gate) == (outcome.clone(), records.clone()),
                "{text}"
            );
        }
    }
    let packets = records.attempts.iter();
    let waited = packets.clone().filter(|packet| {
        let mut hops = packet.hops.iter();
        hops.any(|hop| packet.waited_cycles(hop).unwrap_or(0) > 0)
    });
    let lost = packets.filter(|packet| packet.end == EndOfAttempt::Lost);
    let counts = [waited.count(), lost.count()];
    let end = if counts[1] > 0 {
        End::Lost
    } else {
        End::Finished
    };
    assert_eq!(outcome.end, end, "{text}");
    counts
}

fn judge_cases(kind: &str, cases: &[Case]) {
    let folder = folder();
    for (network, traffic, waits, loses) in cases {
        let text = format!("[network]\nkind='{kind}'\n{network}\n[traffic]\n{traffic}\n");
        let [waited, lost] = judged(&text, folder.path(), false);
        assert_eq!((waited > 3, lost > 3), (*waits, *loses), "{text}");
    }
}

#[test]
fn packets_of_trees_agree_with_wires_routes_and_hosts() {
    judge_cases("binary-fat-tree", &TREES);
}

#[test]
fn packets_of_port_trees_agree_with_wires_routes_and_hosts() {
    judge_cases("m-port-n-tree-packets", &PORT_TREES);
}

#[test]
fn flits_agree_with_wires_routes_and_hosts() {
    let folder = folder();
    for (kind, network, traffic) in FRAMES {
        let text = format!("[network]\nkind='{kind}'\n{network}\n[traffic]\n{traffic}\n");
        let [waited, lost] = judged(&text, folder.path(), true);
        assert!(waited > 3 && lost == 0, "{text}");
    }
}

/// A run that ends while packets are under way records what came by then.
#[test]
fn packets_that_are_under_way_end_with_the_run() {
    for (kind, network) in [
        (
            "binary-fat-tree",
            "nodes=32\n[router]\nqueue_packets='unlimited'",
        ),
        ("fat-pyramid", "levels=2\nlink_delay_cycles=3"),
    ] {
        let text = format!(
            "[network]\nkind='{kind}'\n{network}\n[traffic]\npattern='random'\nwords=20\n\
             [run]\nengine='event'\ncycles_max=17\n"
        );
        let (outcome, records) = followed(&simulation(&text, Path::new(".")));
        assert_eq!((outcome.end, outcome.last_cycle), (End::OutOfCycles, 17));
        let is_left = |packet: &&AttemptRecord| packet.end == EndOfAttempt::UnderWay;
        assert!(records.attempts.iter().filter(is_left).count() > 3);
        for hop in records.attempts.iter().flat_map(|packet| &packet.hops) {
            for cycle in [hop.arrived_cycle, hop.left_cycle, hop.freed_cycle] {
                assert!(cycle <= 17 || cycle == NEVER, "{hop:?}");
            }
        }
    }
}

const SHIFT: &str = "[network]\nkind='binary-fat-tree'\nnodes=16\ncapacities='constant'\n\
                     [traffic]\npattern='cyclic-shift'\nshift=8\nwords=2\n";

/// The trace of a message of two packets that wait, of one of which a packet was lost, of a message
/// to all nodes, and of flits that wait.
#[test]
fn traces_of_packets_are_printed() {
    let folder = folder();
    write(folder.path(), "shift.toml", SHIFT);
    let queues = |packets: &'static str| ["--set", packets, "--set", "run.engine=event"];
    let unlimited = queues("router.queue_packets=unlimited");
    let waits = success(
        folder.path(),
        &[&["trace", "shift.toml", "3"][..], &unlimited].concat(),
    );
    insta::assert_snapshot!("waits", waits);
    let one = queues("router.queue_packets=1");
    let arguments = [&["trace", "shift.toml", "1"][..], &one].concat();
    let lost = crosswave(folder.path(), &arguments);
    assert_eq!(lost.status.code(), Some(1));
    let said = [lost.stdout, lost.stderr].map(|text| String::from_utf8(text).expect("UTF-8"));
    insta::assert_snapshot!("lost", said.concat());
    let text = "[network]\nkind='binary-fat-tree'\nnodes=4\n[traffic]\ntrace='one.csv'\n";
    write(folder.path(), "one.toml", text);
    write(
        folder.path(),
        "one.csv",
        "t_ns,source,destination,bytes\n0,1,*,1\n",
    );
    insta::assert_snapshot!(
        "copies",
        success(folder.path(), &["trace", "one.toml", "0"])
    );
    let text = "[network]\nkind='fat-stack'\nlevels=2\n\
                [traffic]\npattern='pairs'\npairs=[[0,4],[1,5]]\nwords=6\n";
    write(folder.path(), "stack.toml", text);
    insta::assert_snapshot!(
        "flits",
        success(folder.path(), &["trace", "stack.toml", "1"])
    );
}
