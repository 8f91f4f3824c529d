//! Packet-switched networks as `crosswave run` has them: messages of packets, packets to all
//! nodes, queues, and what is told of packets that are lost.

use std::path::Path;
use std::process::{Command, Output};

use crosswave_base::random;
use crosswave_chips::bft_node::{self, BftNode};
use crosswave_chips::packet::Packet;
use crosswave_chips::packet_switches::packet_switch::{self, PacketSwitch};
use crosswave_chips::{ChipPins, Model, RandomKind, RandomPins};
use crosswave_collectives::{generate, ideal, tree::BinaryFatTree as IdealTree};
use crosswave_network::topology::{NODES, ROUTERS};
use crosswave_probe::engine::Engine;
use crosswave_run::config::Config;
use crosswave_run::host::{End, Outcome};
use crosswave_run::observer::Observer;
use crosswave_run::replicate::Replicate;
use crosswave_run::simulation::Simulation;
use proptest::prelude::*;
use serde_json::Value;

use crate::support;

/// The cycle, and no random pins.
struct Clock(u64);

impl RandomPins for Clock {
    fn cycle(&self) -> u64 {
        self.0
    }

    fn bit(&self, _: u64, _: RandomKind) -> bool {
        unreachable!("packets know no chance")
    }
}

/// A network and its traffic on the event engine.
fn text(network: &str, traffic: &str) -> String {
    format!(
        "[network]\nkind='binary-fat-tree'\n{network}\n[traffic]\n{traffic}\n[run]\nengine='event'\n"
    )
}

fn outcome(text: &str, folder: &Path) -> Outcome {
    let config = Config::parse(text, "test", folder, &[]).unwrap_or_else(|e| panic!("{e}"));
    let simulation = Simulation::new(&config).unwrap_or_else(|e| panic!("{e}"));
    let replicate = Replicate::new(&config, 0).unwrap_or_else(|e| panic!("{e}"));
    let outcome = simulation.run_one(&replicate, &mut ());
    outcome.unwrap_or_else(|e| panic!("{e}"))
}

/// A folder with a trace of these lines.
fn trace(lines: impl Iterator<Item = String>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mut text = "t_ns,source,destination,bytes,after\n".to_owned();
    lines.for_each(|line| text += &format!("{line}\n"));
    std::fs::write(folder.path().join("t.csv"), text).expect("a file");
    folder
}

/// A slice whose queues hold nobody is one without queues.
#[test]
fn a_switch_without_queues_is_a_node() {
    for seed in 0..64 {
        let level = random::word(random::key(seed, 0, 0), 0) % 4;
        let address = random::word(random::key(seed, 0, 0), 1) % 4 * (2 << level);
        let single = seed % 2;
        let options = [
            ("level", level),
            ("address", address),
            ("upstream_single", single),
        ];
        let mut node_pins = <BftNode as Model>::Pins::default();
        let mut switch_pins = <PacketSwitch as Model>::Pins::default();
        for (name, value) in options {
            node_pins.set(bft_node::CHIP.port(name), value);
            switch_pins.set(packet_switch::CHIP.port(name), value);
        }
        let (mut node, mut switch) = Default::default();
        let mut lost = 0;
        for cycle in 1..300 {
            let word = |link: u64| {
                let drawn = random::word(random::key(seed, 1 + link, 0), cycle);
                let packet = Packet {
                    broadcast: drawn.is_multiple_of(8),
                    phase: 0,
                    destination: (drawn >> 8) as u32 % 64,
                    id: cycle as u32,
                };
                let comes = drawn >> 32 & 1 != 0;
                if comes { packet.word() } else { 0 }
            };
            let mut of_node = [0, 1, 2, 3].map(word);
            let mut of_switch = of_node;
            BftNode::step(&mut node, &node_pins, &Clock(cycle), &mut of_node);
            PacketSwitch::step(&mut switch, &switch_pins, &Clock(cycle), &mut of_switch);
            assert_eq!(of_node, of_switch, "seed {seed}, cycle {cycle}");
            let shown = BftNode::output(&node, bft_node::PORT_CONFLICT);
            let of_switch = PacketSwitch::output(&switch, packet_switch::PORT_LOST);
            assert_eq!(shown, of_switch, "seed {seed}, cycle {cycle}");
            lost += u64::from(shown != 0);
        }
        assert!(lost > 10, "seed {seed}: {lost}");
    }
}

/// A packet alone takes a clock for each link, and its message one more for each further word.
#[test]
fn a_packet_takes_a_clock_for_each_link() {
    for (nodes, capacities) in [
        (2, "[1]"),
        (16, "'constant'"),
        (16, "[1,2,3,3]"),
        (64, "'exponential'"),
    ] {
        for (destination, words) in [(nodes - 1, 1), (1, 1), (nodes / 2, 7)] {
            let network = format!("nodes={nodes}\ncapacities={capacities}");
            let pair =
                format!("pattern='pair'\nsource=0\ndestination={destination}\nwords={words}");
            let text = text(&network, &pair);
            let outcome = outcome(&text, Path::new("."));
            assert_eq!(outcome.end, End::Finished, "{text}");
            let message = outcome.messages[0];
            let links = 2 * (u32::ilog2(destination) as u64 + 1);
            assert_eq!(
                (message.offered_cycle, message.sent_cycle),
                (1, 2),
                "{text}"
            );
            assert_eq!(message.delivered_cycle, 2 + links + words - 1, "{text}");
            assert_eq!(
                message.acknowledged_cycle, message.delivered_cycle,
                "{text}"
            );
        }
    }
}

/// Flooding: every node sends a packet to all others at once. It takes as many steps as the
/// judge of schedules finds, and the queues are as long: 2^(i-1) at level i of the paper.
#[test]
fn flooding_takes_the_steps_and_the_queues_of_the_step_simulator() {
    for levels in 2..=6 {
        let nodes = 1u32 << levels;
        let folder = trace((0..nodes).map(|node| format!("0,{node},*,1,")));
        for (name, tree) in [
            ("constant", IdealTree::constant(levels)),
            ("exponential", IdealTree::exponential(levels)),
        ] {
            let tree = tree.expect("a tree");
            let expected = ideal::run(&tree, &generate::flooding(&tree), None).expect("it runs");
            let network =
                format!("nodes={nodes}\ncapacities='{name}'\n[router]\nqueue_packets='unlimited'");
            let outcome = outcome(&text(&network, "trace='t.csv'"), folder.path());
            assert_eq!(outcome.end, End::Finished);
            // Offered in cycle 1, on the first link in step 1 and cycle 2, and it shows a clock
            // behind its last link.
            assert_eq!(
                outcome.last_cycle - 2,
                expected.finish_step,
                "{name} {nodes}"
            );
            if name == "constant" {
                let rows = &outcome.longest_queues;
                let queues: Vec<u64> = (0..levels as usize)
                    .map(|level| rows.iter().map(|row| row.longest[level]).max().unwrap_or(0))
                    .collect();
                let expected: Vec<u64> = expected.queues().iter().map(|&q| q.into()).collect();
                assert_eq!(queues, expected, "{name} {nodes}");
            }
        }
    }
}

/// Looks at both directions of each link.
#[derive(Default)]
struct Directions {
    up: u64,
    down: u64,
}

impl Observer for Directions {
    fn cycle(&mut self, engine: &dyn Engine, _: bool) {
        let port = |name: &str| packet_switch::CHIP.port(name);
        let routers = 4 + 4 + 4;
        for router in 0..routers {
            for (name, is_up) in [
                ("up_0", true),
                ("up_1", true),
                ("left", false),
                ("right", false),
            ] {
                let shows = |end: &str| {
                    engine.value(ROUTERS, port(&format!("{name}_{end}_valid")), router) != 0
                };
                let (ends, cycle) = ([shows("out"), shows("in")], engine.cycle());
                let [up, down] = if is_up { ends } else { [ends[1], ends[0]] };
                assert!(!(up && down), "router {router}, {name}, cycle {cycle}");
                assert!(!up || cycle.is_multiple_of(2), "cycle {cycle}");
                assert!(!down || !cycle.is_multiple_of(2), "cycle {cycle}");
                self.up += u64::from(up);
                self.down += u64::from(down);
            }
        }
    }
}

#[test]
fn links_of_half_duplex_have_one_direction_at_a_time() {
    let network = "nodes=8\n[router]\nqueue_packets='unlimited'\nduplex='half'";
    let text = text(network, "pattern='random'\nrepeat=5\nwords=3");
    let config = Config::parse(&text, "test", Path::new("."), &[]).expect("legal");
    let simulation = Simulation::new(&config).expect("legal");
    let mut directions = Directions::default();
    let mut engine = simulation.engine(config.run.seed).expect("an engine");
    let replicate = simulation.replicate(0).expect("no trace");
    let outcome = simulation.run_on(&mut *engine, &replicate.workload, &mut directions);
    assert_eq!(outcome.end, End::Finished);
    assert_eq!(simulation.fabric().arrays[ROUTERS].instances, 12);
    assert_eq!(simulation.fabric().arrays[NODES].instances, 8);
    assert!(directions.up > 100 && directions.down > 100);
    let one = |words: u64| {
        let pair = format!("pattern='pair'\nsource=0\ndestination=7\nwords={words}");
        let folder = Path::new(".");
        self::outcome(&self::text(network, &pair), folder).messages[0]
    };
    // Cycle 2 up, then 4 and 6; 7 down, then 9 and 11, and it shows in 12.
    assert_eq!((one(1).sent_cycle, one(1).delivered_cycle), (2, 12));
    assert_eq!(one(4).delivered_cycle, 12 + 6);
}

/// Chips that count turns miss none while nothing is under way, alone and among replicates.
#[test]
fn turns_of_half_duplex_go_on_in_quiet_cycles() {
    for seed in 0..6 {
        let run = |engine: &str, replicates: u32| {
            let text = format!(
                "[network]\nkind='binary-fat-tree'\nnodes={}\n[router]\nqueue_packets=8\n\
                 duplex='half'\n[traffic]\npattern='steady'\nload=0.02\nwords=2\ncycles=600\n\
                 [run]\nengine='{engine}'\nseed={seed}\nreplicates={replicates}\n",
                2 << (seed % 3)
            );
            let config = Config::parse(&text, "test", Path::new("."), &[]).expect("legal");
            let simulation = Simulation::new(&config).expect("legal");
            let replicate = Replicate::new(&config, 0).expect("no trace");
            simulation
                .run_one(&replicate, &mut ())
                .expect("it runs")
                .messages
        };
        let messages = run("event", 1);
        assert!(messages.len() > 5, "seed {seed}");
        assert!(run("gate", 1) == messages, "seed {seed}");
    }
    // Packets are lost in some of them, which end before the others.
    let folder = tempfile::tempdir().expect("a folder");
    let delivered = |engine: &str| {
        let text = format!(
            "[network]\nkind='binary-fat-tree'\nnodes=4\n[router]\nqueue_packets=1\nduplex='half'\n\
             [traffic]\npattern='steady'\nload=0.2\nwords=3\ncycles=200\n\
             [run]\nengine='{engine}'\nreplicates=8\n"
        );
        std::fs::write(folder.path().join("run.toml"), text).expect("a file");
        let output = crosswave(folder.path(), &["run", "run.toml", "--json", "-"]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        ["messages", "conflicts", "longest_queues", "cycles"].map(|of| json[of].clone())
    };
    let of_gate = delivered("gate");
    assert!(of_gate.iter().all(|of| !of.is_null()), "{of_gate:?}");
    assert_eq!(of_gate, delivered("event"));
}

/// Nothing is lost or sent twice in queues without a limit, whatever the capacities.
#[test]
fn queues_without_a_limit_lose_nothing() {
    let capacities = proptest::collection::vec(0..3u32, 1..6).prop_map(|steps| {
        let mut capacities = vec![1];
        for step in steps {
            capacities.push(capacities[capacities.len() - 1] + step);
        }
        capacities
    });
    let any = (capacities, 1..6u32, 1..5u32, any::<u32>(), any::<bool>());
    let mut runner = support::cases::runner(48);
    let result = runner.run(&any, |(capacities, words, repeat, seed, half)| {
        let duplex = if half { "half" } else { "full" };
        let text = format!(
            "[network]\nkind='binary-fat-tree'\nnodes={}\ncapacities={capacities:?}\n\
             [router]\nqueue_packets='unlimited'\nduplex='{duplex}'\n\
             [traffic]\npattern='random'\nwords={words}\nrepeat={repeat}\n\
             [run]\nengine='event'\nseed={seed}\n",
            1 << capacities.len()
        );
        let outcome = outcome(&text, Path::new("."));
        prop_assert_eq!(outcome.end, End::Finished, "{}", text);
        prop_assert_eq!(outcome.rejections.total(), 0);
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
}

/// A message that waits for another is offered in the cycle after that came, and a message to all
/// nodes has come when all have it.
#[test]
fn messages_wait_for_the_delivery_of_others() {
    let folder = trace(
        ["0,0,*,1,", "0,7,0,3,0", "0,1,0,1,", "0,5,2,1,1 2"]
            .into_iter()
            .map(str::to_owned),
    );
    for (queues, engine) in [
        ("0", "gate"),
        ("0", "event"),
        ("8", "gate"),
        ("8", "event"),
        ("'unlimited'", "event"),
    ] {
        let text = format!(
            "[network]\nkind='binary-fat-tree'\nnodes=8\n[router]\nqueue_packets={queues}\n\
             [traffic]\ntrace='t.csv'\n[run]\nengine='{engine}'\n"
        );
        let messages = outcome(&text, folder.path()).messages;
        let delivered = messages.iter().map(|message| message.delivered_cycle);
        // The last of seven nodes is six links away.
        assert_eq!(delivered.collect::<Vec<_>>()[0], 2 + 6, "{text}");
        assert_eq!(messages[1].offered_cycle, 9, "{text}");
        let last = messages[1].delivered_cycle.max(messages[2].delivered_cycle);
        assert_eq!(messages[3].offered_cycle, last + 1, "{text}");
    }
}

fn crosswave(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_crosswave"))
        .current_dir(folder)
        .args(arguments)
        .output()
        .expect("it runs")
}

/// A run in which packets are lost ends when nothing is under way any more, and says where.
#[test]
fn losses_are_told_with_cycle_and_place() {
    let folder = tempfile::tempdir().expect("a folder");
    for (engine, queues) in [("gate", "0"), ("event", "0"), ("gate", "1"), ("event", "1")] {
        let text = format!(
            "[network]\nkind='binary-fat-tree'\nnodes=8\n[router]\nqueue_packets={queues}\n\
             [traffic]\npattern='hot-spot'\ndestination=0\nmessages=7\n\
             [run]\nengine='{engine}'\n"
        );
        std::fs::write(folder.path().join("run.toml"), text).expect("a file");
        let output = crosswave(folder.path(), &["run", "run.toml", "--json", "run.json"]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            said.contains("cycle ") && said.contains("router_"),
            "{said}"
        );
        let json = std::fs::read(folder.path().join("run.json")).expect("a file");
        let json: Value = serde_json::from_slice(&json).expect("JSON");
        let count = |of: &str| json["conflicts"][of].clone();
        assert!(count("total").as_u64().expect("a number") > 0, "{json}");
        assert_eq!(count("wrong_node"), 0);
        assert_eq!(json["finished"], false);
    }
}

/// Seven packets want one link, up to three of them at once. A queue takes what it holds, the rest
/// are lost, and the run ends a few clocks after the last one of any kind, however long
/// the queues could be.
#[test]
fn a_run_with_losses_ends_when_the_queues_are_empty() {
    let last = |packets: u32, words: u32| {
        let network = format!("nodes=8\n[router]\nqueue_packets={packets}");
        let spot = format!("pattern='hot-spot'\ndestination=0\nmessages=7\nwords={words}");
        outcome(&text(&network, &spot), Path::new("."))
    };
    for (packets, words) in [(1, 20), (4, 300), (60_000, 70_000)] {
        let found = last(packets, words);
        assert_eq!(found.end, End::Lost, "{packets} {words}");
        let delivered = found.messages.iter().filter(|m| m.came_through());
        let latest = delivered.map(|m| m.delivered_cycle).max().unwrap_or(0);
        let sent = u64::from(words);
        // Waiting packets go out one a clock, over the last of the links.
        let waiting = 3 * u64::from(packets);
        assert!(found.last_cycle >= latest.max(sent), "{packets} {words}");
        assert!(found.last_cycle <= sent + waiting + 20, "{packets} {words}");
        let most = found
            .longest_queues
            .iter()
            .flat_map(|row| &row.longest)
            .max();
        assert_eq!(most, Some(&u64::from(packets)), "{packets} {words}");
    }
}

/// A message to all nodes may have more packets than 32 bits count.
#[test]
fn packets_of_a_message_are_counted_in_full() {
    let folder = trace(std::iter::once("0,5,*,1048576,".to_owned()));
    let text = "[network]\nkind='binary-fat-tree'\nnodes=8192\ncapacities='constant'\n\
                [traffic]\ntrace='t.csv'\n[run]\nengine='event'\ncycles_max=60\n";
    let found = outcome(text, folder.path());
    assert_eq!(found.end, End::OutOfCycles);
    assert_eq!(found.rejections.total(), 0);
    assert!(!found.messages[0].came_through());
}

/// A message that is offered in the last cycle is not yet on the wire.
#[test]
fn what_comes_after_the_end_is_not_written_down() {
    let pair = "pattern='pair'\nsource=0\ndestination=7";
    let text = text("nodes=8", pair).replace("[run]", "[run]\ncycles_max=1");
    let message = outcome(&text, Path::new(".")).messages[0];
    assert_eq!((message.offered_cycle, message.attempts), (1, 0));
    assert_eq!(message.sent_cycle, crosswave_probe::message::NEVER);
}

/// A run that is taken up at a checkpoint goes on as it would have, packets in queues too.
#[test]
fn replay_of_a_window_is_what_the_whole_run_shows() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "[network]\nkind='binary-fat-tree'\nnodes=16\n[router]\nqueue_packets=3\n\
                duplex='half'\n[traffic]\npattern='random'\nrepeat=40\nwords=3\n\
                [run]\nengine='event'\n";
    std::fs::write(folder.path().join("run.toml"), text).expect("a file");
    let window = "wave.window_cycles=[150, 170]";
    let keeps = [
        "run",
        "run.toml",
        "--checkpoints",
        "c",
        "--wave",
        "whole.vcd",
        "--set",
        window,
    ];
    assert_eq!(crosswave(folder.path(), &keeps).status.code(), Some(1));
    let replay = [
        "replay",
        "run.toml",
        "--checkpoints",
        "c",
        "--from",
        "150",
        "--to",
        "170",
        "--wave",
        "part.vcd",
    ];
    let output = crosswave(folder.path(), &replay);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let read = |name: &str| std::fs::read(folder.path().join(name)).expect("a file");
    assert!(read("whole.vcd") == read("part.vcd"));
}

#[test]
fn what_packets_do_not_do_is_refused() {
    let folder = trace(std::iter::once("0,0,*,1,".to_owned()));
    let plain = "[network]\nkind='binary-fat-tree'\nnodes=8\n[traffic]\ntrace='t.csv'\n";
    let write = |text: &str| std::fs::write(folder.path().join("run.toml"), text).expect("a file");
    write(plain);
    let refused = |arguments: &[&str], code: i32, saying: &str| {
        let output = crosswave(folder.path(), arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        assert!(said.contains(saying), "{arguments:?}: {said}");
    };
    let queues = ["run", "run.toml", "--set", "router.queue_packets=9"];
    refused(
        &queues,
        2,
        "run.engine = \"event\", or router.queue_packets to 8 or less",
    );
    let half = ["run", "run.toml", "--set", "router.duplex=half"];
    refused(&half, 2, "expected \"full\" without queues");
    refused(
        &["run", "run.toml", "--set", "network.kind=fat-tree"],
        3,
        "goes to all nodes",
    );
    refused(
        &["run", "run.toml", "--set", "network.capacities=[1,3,2]"],
        2,
        "capacities do not fall",
    );
}
