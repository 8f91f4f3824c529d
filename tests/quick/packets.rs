//! The chips of packet-switched networks alone, and networks of them on every engine.

use crosswave_base::random;
use crosswave_chips::mport_packet_switch::{mport_packet_switch_4_q8, mport_packet_switch_8_q8};
use crosswave_chips::packet::Packet;
use crosswave_chips::packet_switches::packet_switch_q8;
use crosswave_chips::{Chip, Model, bft_node, mport_packet_interface, netlists, packet_interface};
use crosswave_collectives::check::check;
use crosswave_collectives::schedule::Schedule;
use crosswave_collectives::tree::BinaryFatTree as IdealTree;
use crosswave_collectives::{bounds, generate, quartered, total_exchange};
use crosswave_event::EventEngine;
use crosswave_gate::{Backend, GateEngine, ReferenceEngine};
use crosswave_network::binary_fat_tree::BinaryFatTree;
use crosswave_probe::engine::Engine;
use crosswave_probe::signal::SignalSelection;
use crosswave_run::host::packets::{Conflict, Delivery, PacketHost, ScheduleOutcome, Sent, sent};
use crosswave_run::packets::run;
use crosswave_run::recorder::{self, PortSelection, Recorder};
use crosswave_wave::compare::{Rules, compare};
use crosswave_wave::{Timescale, VcdWriter};

use crate::support::chips::{Lanes, Row, Unit, icarus, inputs};
use crate::support::lockstep::{backends, read};

/// Rows of inputs for a chip: reset in the first one, options that stand still, packets in about
/// half of all clocks with destinations near the node.
fn rows(chip: &'static Chip, seed: u64, clocks: u64) -> Vec<Row> {
    let level = random::word(random::key(seed, 0, 0), 0) % 4;
    let nodes = 2 << level;
    let address = random::word(random::key(seed, 0, 0), 1) % 4 * nodes;
    let single = random::word(random::key(seed, 0, 0), 2) & 1;
    let row = |clock: u64| {
        let value = |(at, port): (usize, &crosswave_chips::Port)| {
            let drawn = random::word(random::key(seed, at as u64 + 1, 0), clock);
            match port.name {
                "reset" => u64::from(clock == 0),
                "level" => level,
                "address" | "node" => address,
                "upstream_single" => single,
                "queue_packets" => seed % 11,
                "half_duplex" => seed / 11 % 2,
                name if name.ends_with("destination") => drawn % 64,
                name if name.ends_with("broadcast") => u64::from(drawn.is_multiple_of(4)),
                _ => drawn & (u64::MAX >> (64 - port.width)),
            }
        };
        inputs(chip).map(value).collect()
    };
    (0..clocks).map(row).collect()
}

/// The netlist of a chip and Icarus show what its model shows, for 64 drawn runs, one of them in
/// Icarus.
fn chip_alone<M: Model>() {
    const CLOCKS: u64 = 200;
    let runs: Vec<Vec<Row>> = (0..64).map(|seed| rows(M::CHIP, seed, CLOCKS)).collect();
    let mut units: Vec<Unit<M>> = runs.iter().map(|_| Unit::new()).collect();
    let mut lanes = Lanes::new(M::CHIP);
    let folder = tempfile::tempdir().expect("a folder");
    // One with queues, and half duplex where there is such a pin.
    const IN_ICARUS: usize = 14;
    let sources = M::CHIP.sources.iter();
    let sources: Vec<&str> = sources
        .map(|(name, _)| name.trim_end_matches(".v"))
        .collect();
    let peer = icarus(M::CHIP, &sources, &runs[IN_ICARUS], folder.path());
    for clock in 0..CLOCKS as usize {
        let now: Vec<&Row> = runs.iter().map(|rows| &rows[clock]).collect();
        if clock > 0 {
            for (lane, unit) in units.iter().enumerate() {
                assert_eq!(lanes.shown(lane), unit.shown(), "run {lane}, clock {clock}");
            }
            assert_eq!(
                peer[clock].as_ref(),
                Some(&units[IN_ICARUS].shown()),
                "clock {clock}"
            );
        }
        lanes.step(&now);
        for (unit, row) in units.iter_mut().zip(now) {
            unit.step(row);
        }
    }
}

#[test]
fn the_netlist_of_a_node_is_its_model() {
    chip_alone::<bft_node::BftNode>();
}

#[test]
fn the_netlist_of_a_node_with_queues_is_its_model() {
    chip_alone::<packet_switch_q8::PacketSwitchQ8>();
}

#[test]
fn the_netlists_of_mport_packet_switches_are_their_models() {
    chip_alone::<mport_packet_switch_4_q8::MportPacketSwitch4Q8>();
    chip_alone::<mport_packet_switch_8_q8::MportPacketSwitch8Q8>();
}

#[test]
fn the_netlists_of_interfaces_are_their_models() {
    chip_alone::<packet_interface::PacketInterface>();
    chip_alone::<mport_packet_interface::MportPacketInterface>();
}

/// Plays packets on an engine, and records every port.
fn record(
    tree: &BinaryFatTree,
    packets: &[Sent],
    engine: &mut dyn Engine,
) -> (ScheduleOutcome, Vec<u8>) {
    let fabric = tree.fabric();
    let set = recorder::signals(&fabric, PortSelection::All);
    let kept = SignalSelection::all(set.signals.len());
    let sink = VcdWriter::new(&set, Timescale::NANOSECOND, Vec::new()).expect("memory");
    let mut recorder = Recorder::new(
        &fabric,
        0,
        PortSelection::All,
        kept,
        (0, u64::MAX / 16),
        sink,
    );
    let host = PacketHost::new(tree, packets);
    let last = host.last_cycle();
    let outcome = run(engine, host, &mut recorder);
    (outcome, recorder.finish(last).expect("memory").into_inner())
}

fn gate(tree: &BinaryFatTree, threads: usize, backend: Backend) -> GateEngine {
    let mut engine = GateEngine::new(tree.fabric(), netlists::plain, 0, threads, backend)
        .unwrap_or_else(|e| panic!("{e}"));
    engine.work_together();
    engine
}

/// Compares what two engines leave behind, and what they record.
fn same(found: &(ScheduleOutcome, Vec<u8>), expected: &(ScheduleOutcome, Vec<u8>), what: &str) {
    let waves = compare(&read(&found.1), &read(&expected.1), Rules::EXACT);
    assert!(waves.is_same(), "{what}: {waves}");
    assert_eq!(found.0, expected.0, "{what}");
    assert!(
        found.1 == expected.1,
        "{what}: other bytes, but the same values"
    );
}

/// The values of packets at every port, which are the same on every engine.
fn every_engine(tree: &BinaryFatTree, packets: &[Sent]) -> ScheduleOutcome {
    let mut event = EventEngine::new(tree.fabric(), 0, 1);
    let expected = record(tree, packets, &mut event);
    for (threads, backend) in backends() {
        let found = record(tree, packets, &mut gate(tree, threads, backend));
        same(&found, &expected, &format!("{backend}, {threads} threads"));
    }
    let mut two = EventEngine::new(tree.fabric(), 0, 2);
    two.work_together();
    same(&record(tree, packets, &mut two), &expected, "two threads");
    let mut reference =
        ReferenceEngine::new(tree.fabric(), netlists::module, 0).unwrap_or_else(|e| panic!("{e}"));
    same(
        &record(tree, packets, &mut reference),
        &expected,
        "reference",
    );
    expected.0
}

/// Packets that anybody sends to anybody, many of which meet.
fn disorder(nodes: u32, steps: u64) -> Vec<Sent> {
    let key = random::key(5, 0, 0);
    let all = (1..=steps).flat_map(|step| (0..nodes).map(move |source| (step, source)));
    let drawn = all.enumerate().filter_map(|(id, (step, source))| {
        let drawn = random::word(key, id as u64);
        let destination = (drawn >> 8) as u32 % nodes;
        let broadcast = drawn.is_multiple_of(16);
        (drawn >> 40 & 3 != 0 && (broadcast || destination != source)).then_some(Sent {
            step,
            source,
            packet: Packet {
                broadcast,
                phase: (drawn >> 50) as u32 & 31,
                destination,
                id: id as u32,
            },
        })
    });
    drawn.collect()
}

/// The capacities of some trees of so many levels.
fn capacities(levels: u32) -> Vec<Vec<u32>> {
    let doubling = (0..levels).map(|level| 1 << level).collect();
    let every_second = (0..levels).map(|level| 1 << level.div_ceil(2)).collect();
    let mut all: Vec<Vec<u32>> = vec![doubling, vec![1; levels as usize], every_second];
    all.dedup();
    all
}

#[test]
fn every_engine_shows_the_same_packets_lost_or_not() {
    for levels in 1..=6 {
        for capacities in capacities(levels) {
            let tree = BinaryFatTree::new(capacities);
            let packets = disorder(tree.nodes(), 12);
            let outcome = every_engine(&tree, &packets);
            assert!(outcome.wrong.is_empty(), "nothing is misled");
            assert!(levels < 3 || !outcome.conflicts.is_empty(), "they meet");
        }
    }
}

/// In hardware a schedule takes the steps that it takes in the paper's ideal network, and
/// everybody gets what he gets there.
fn in_hardware(ideal: &IdealTree, schedule: &Schedule) -> u64 {
    let levels = ideal.levels();
    let expected = check(ideal, schedule).unwrap_or_else(|fault| panic!("{fault:?}"));
    let capacities = (1..=levels).map(|level| ideal.capacity(level)).collect();
    let tree = BinaryFatTree::new(capacities);
    let packets = sent(schedule, levels);
    let mut engine = gate(&tree, 1, Backend::best());
    let outcome = run(&mut engine, PacketHost::new(&tree, &packets), &mut ());
    let mut event = EventEngine::new(tree.fabric(), 0, 1);
    let again = run(&mut event, PacketHost::new(&tree, &packets), &mut ());
    assert!(outcome == again, "the engines agree");
    let none: Vec<Conflict> = Vec::new();
    assert_eq!(outcome.conflicts, none, "{levels} levels");
    let none: Vec<Delivery> = Vec::new();
    assert_eq!(outcome.wrong, none);
    assert_eq!(outcome.deliveries.len() as u64, expected.deliveries);
    let mut nodes: Vec<(u32, u32)> = (outcome.deliveries.iter())
        .map(|delivery| (delivery.id, delivery.node))
        .collect();
    nodes.sort_unstable();
    assert!(
        nodes.windows(2).all(|pair| pair[0] != pair[1]),
        "none twice"
    );
    assert_eq!(outcome.finish_step, expected.finish_step);
    outcome.finish_step
}

#[test]
fn schedules_take_their_steps_in_hardware() {
    for levels in 1..=6 {
        let exponential = IdealTree::exponential(levels).expect("levels");
        let constant = IdealTree::constant(levels).expect("levels");
        for tree in [&exponential, &constant] {
            let broadcast = generate::broadcast(tree, 1);
            assert_eq!(
                in_hardware(tree, &broadcast),
                bounds::broadcast_steps(levels)
            );
            let scatter = generate::scatter(tree, 0, generate::Discipline::FurthestFirst);
            assert_eq!(in_hardware(tree, &scatter), bounds::scatter_steps(levels));
            let gather = generate::gather(tree, 1);
            assert_eq!(in_hardware(tree, &gather), bounds::scatter_steps(levels));
            let phases = generate::multinode_in_phases(tree);
            let steps = bounds::multinode_in_phases_steps(levels);
            assert_eq!(in_hardware(tree, &phases), steps);
            // Without a queue, and as fast as flooding with queues.
            let nested = generate::multinode_nested(tree);
            assert_eq!(in_hardware(tree, &nested), bounds::scatter_steps(levels));
            for phases in [
                total_exchange::Phases::Serial,
                total_exchange::Phases::Pipelined,
            ] {
                let exchange = total_exchange::in_phases(tree, phases).expect("a size");
                in_hardware(tree, &exchange);
            }
        }
        let exchange = quartered::quartered(&constant).expect("a size");
        let optimum = bounds::total_exchange_cbft_optimum(levels);
        assert_eq!(in_hardware(&constant, &exchange), optimum);
        if levels >= 3 {
            let exchange = total_exchange::interleaved(&exponential).expect("a size");
            let optimum = bounds::total_exchange_ebft_optimum(levels);
            assert_eq!(in_hardware(&exponential, &exchange), optimum);
        }
    }
}

/// A loss is told with its place: two nodes of one half send to the other half at once in a tree
/// with single links.
#[test]
fn a_conflict_is_told_with_cycle_and_place() {
    let tree = BinaryFatTree::new(vec![1, 1]);
    let packet = |destination, id| Packet {
        broadcast: false,
        phase: 0,
        destination,
        id,
    };
    let packets = [(0, packet(2, 1)), (1, packet(3, 2))];
    let packets = packets.map(|(source, packet)| Sent {
        step: 4,
        source,
        packet,
    });
    let outcome = every_engine(&tree, &packets);
    let [conflict] = outcome.conflicts[..] else {
        panic!("{outcome:?}");
    };
    // On their first links in cycle 5, they meet at the edge behind it.
    assert_eq!((conflict.cycle, conflict.outputs), (6, 4));
    let name = tree.fabric().instance_name(0, conflict.slice as usize);
    assert_eq!(name, "router_0_0");
    let came: Vec<(u64, u32, u32)> = (outcome.deliveries.iter())
        .map(|delivery| (delivery.step, delivery.node, delivery.id))
        .collect();
    assert_eq!(came, [(7, 2, 1)]);
}

/// Steps without packets cost nothing, however many there are, and change nothing.
#[test]
fn quiet_steps_are_skipped() {
    let tree = BinaryFatTree::new(vec![1, 2, 4]);
    let packet = |destination, id| Packet {
        broadcast: false,
        phase: 0,
        destination,
        id,
    };
    let times = [1, 2, 40, 1_000_000_000_000];
    let sent = times.map(|step| Sent {
        step,
        source: 0,
        packet: packet(7, step as u32 % 1000),
    });
    let outcome = every_engine(&tree, &sent);
    let came: Vec<u64> = outcome.deliveries.iter().map(|came| came.step).collect();
    assert_eq!(came, times.map(|step| step + 5));
}
