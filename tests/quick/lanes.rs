//! Messages as signals: what the waveform shows of them is what the events say.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::program::{crosswave, failure, read, success, workplace, write};
use crate::support::plain_vcd::values;

struct LaneSignals(BTreeMap<String, BTreeMap<u64, u64>>);

impl LaneSignals {
    /// The value of a signal of `testbench.messages` in a cycle.
    fn at(&self, path: &str, cycle: u64) -> u64 {
        let of_path = self.0.get(&format!("testbench.messages.{path}"));
        let of_path = of_path.unwrap_or_else(|| panic!("no signal {path}"));
        let before = of_path.range(..=cycle).next_back();
        *before
            .unwrap_or_else(|| panic!("{path} shows nothing in {cycle}"))
            .1
    }
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(u64::MAX)
}

/// Counts of the parts of lanes that were compared with events.
#[derive(Debug, Default)]
struct Compared {
    messages: usize,
    /// Messages that were seen when they were delivered, and when they waited to be sent.
    delivered: usize,
    waiting: usize,
    attempts: usize,
    rejected: usize,
    collisions: usize,
    hops: usize,
    freed: usize,
}

/// Compares lanes with events, and counts what was compared.
fn compare(folder: &Path, file: &str, engine: &str, head_clocks: u64) -> Compared {
    let run = [
        "run",
        file,
        "--engine",
        engine,
        "--set",
        "wave.lanes=true",
        "-q",
    ];
    success(
        folder,
        &[&run[..], &["--events", "e.jsonl", "--wave", "l.vcd"]].concat(),
    );
    let shown = LaneSignals(values(&read(folder, "l.vcd")));
    let text = read(folder, "e.jsonl");
    let events: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let mut compared = Compared::default();
    for event in &events {
        let node = format!("node_{}", event["source"]);
        let lane = |signal: &str, cycle: u64| shown.at(&format!("{node}.{signal}"), cycle);
        let own = number(&event["message"]) + 1;
        if event["record"] == "message" {
            let cycle = |key: &str| number(&event[key]);
            if cycle("delivered_cycle") < cycle("acknowledged_cycle") {
                assert_eq!(lane("message", cycle("delivered_cycle")), own);
                assert_eq!(lane("phase", cycle("delivered_cycle")), 4);
                compared.delivered += 1;
            }
            // The next message may be there at once.
            assert_ne!(lane("message", cycle("acknowledged_cycle")), own);
            let sent = cycle("sent_cycle");
            if lane("message", sent - 1) == own {
                assert_eq!(lane("phase", sent - 1), 1);
                assert!(cycle("offered_cycle") < sent);
                compared.waiting += 1;
            }
            compared.messages += 1;
            continue;
        }
        let launched = number(&event["launched_cycle"]);
        assert_eq!(lane("message", launched), own);
        assert_eq!(lane("phase", launched), 2);
        assert_eq!(lane("attempt", launched), number(&event["attempt"]));
        compared.attempts += 1;
        if event["end"] == "rejected" {
            let told = number(&event["end_cycle"]);
            assert_eq!((lane("message", told), lane("phase", told)), (own, 6));
            compared.rejected += 1;
        }
        if let Some(collision) = event["collision"].as_object() {
            let phase = lane("phase", number(&collision["cycle"]));
            assert_eq!(phase, 5, "{event}");
            compared.collisions += 1;
        }
        for hop in event["hops"].as_array().expect("a list") {
            let (router, input) = (&hop["router"], &hop["input"]);
            let [router, input] = [router, input].map(|name| name.as_str().expect("a name"));
            let at = |cycle| shown.at(&format!("{router}.{input}.message"), cycle);
            let entered = number(&hop["arrived_cycle"]) + head_clocks;
            assert_eq!(at(entered), own, "{event}");
            assert_ne!(at(entered - 1), own, "{event}");
            if let Some(freed) = hop["freed_cycle"].as_u64() {
                assert_eq!(at(freed - 1), own, "{event}");
                assert_ne!(at(freed), own, "{event}");
                compared.freed += 1;
            }
            compared.hops += 1;
        }
    }
    compared
}

#[test]
fn lanes_show_what_events_say() {
    let place = workplace();
    let folder = place.path();
    let text = |network: &str| {
        format!("[network]\n{network}\n[traffic]\npattern='random'\nrepeat=6\nwords=7\n")
    };
    write(
        folder,
        "tree.toml",
        &text("kind='fat-tree'\nnodes=32\nlink_delay_cycles=1"),
    );
    write(
        folder,
        "early.toml",
        &text("kind='fat-tree'\nnodes=32\n[router]\nrelease='early-acknowledge'"),
    );
    write(folder, "transit.toml", &text("kind='transit'\nnodes=64"));
    for (file, engine, head_clocks, nodes) in [
        ("tree.toml", "gate", 2, 32),
        ("early.toml", "event", 2, 32),
        ("transit.toml", "event", 1, 64),
    ] {
        let found = compare(folder, file, engine, head_clocks);
        // Each node sends 6 messages, and all are delivered and acknowledged in the end.
        assert_eq!(found.messages, 6 * nodes, "{file}");
        assert!(found.delivered > found.messages / 2, "{file}: {found:?}");
        assert_eq!(found.attempts, found.messages + found.rejected, "{file}");
        assert!(
            found.waiting > 0 && found.collisions > 20,
            "{file}: {found:?}"
        );
        assert!(found.hops > 300 && found.freed > 300, "{file}: {found:?}");
    }
}

/// Counts of levels are those of all inputs, and a part that is replayed shows the same.
#[test]
fn levels_add_up() {
    let place = workplace();
    let folder = place.path();
    let lanes = [
        "--engine",
        "event",
        "--set",
        "wave.lanes=true",
        "-q",
        "--set",
        "traffic.repeat=5",
    ];
    success(
        folder,
        &[&["run", "small.toml", "--wave", "l.vcd"][..], &lanes].concat(),
    );
    let text = read(folder, "l.vcd");
    let shown = LaneSignals(values(&text));
    let last = shown
        .0
        .values()
        .filter_map(|values| values.last_key_value());
    let last = *last
        .map(|(cycle, _)| cycle)
        .max()
        .expect("something changes");
    let inputs: Vec<&String> = shown
        .0
        .keys()
        .filter(|path| path.starts_with("testbench.messages.router_") && path.ends_with(".message"))
        .collect();
    for cycle in (0..=last).step_by(7) {
        for level in 0..6 {
            let of_level = format!("testbench.messages.router_{level}_");
            let of_level = inputs.iter().filter(|path| path.starts_with(&of_level));
            let busy = of_level.filter(|path| {
                let path = path
                    .strip_prefix("testbench.messages.")
                    .expect("it begins so");
                shown.at(path, cycle) != 0
            });
            assert_eq!(
                shown.at(&format!("level_{level}.held"), cycle),
                busy.count() as u64
            );
        }
    }
    // Collisions at each level, by the names of the routers in the events.
    success(
        folder,
        &[&["run", "small.toml", "--events", "e.jsonl"][..], &lanes].concat(),
    );
    let mut of_levels = BTreeMap::new();
    for line in read(folder, "e.jsonl").lines() {
        let event: Value = serde_json::from_str(line).expect("JSON");
        let collision = &event["collision"];
        if let Some(router) = collision["router"].as_str() {
            let level = router.split('_').nth(1).expect("a level").to_owned();
            let cycles: &mut Vec<u64> = of_levels.entry(level).or_default();
            cycles.push(number(&collision["cycle"]));
        }
    }
    assert!(of_levels.len() >= 3, "{of_levels:?}");
    for (level, cycles) in of_levels {
        for cycle in (1..=last).step_by(3) {
            let come = cycles.iter().filter(|at| **at <= cycle).count() as u64;
            let counted = shown.at(&format!("level_{level}.collisions"), cycle);
            assert_eq!(counted, come, "level {level}, cycle {cycle}");
        }
    }
    let window = ["--set", "wave.window_cycles=[60, 90]"];
    success(
        folder,
        &[
            &["run", "small.toml", "--wave", "w.vcd"][..],
            &lanes,
            &window,
        ]
        .concat(),
    );
    let part = LaneSignals(values(&read(folder, "w.vcd")));
    for path in inputs {
        let path = path
            .strip_prefix("testbench.messages.")
            .expect("it begins so");
        for cycle in 60..=90 {
            assert_eq!(
                part.at(path, cycle),
                shown.at(path, cycle),
                "{path} {cycle}"
            );
        }
    }
}

/// A message that was offered while its node sends another one is in the lane when that is over.
#[test]
fn a_message_waits_behind_the_one_under_way() {
    let place = workplace();
    let folder = place.path();
    write(
        folder,
        "t.csv",
        "t_ns,source,destination,bytes\n0,0,3,40\n50,0,2,4\n60,1,2,40\n",
    );
    write(
        folder,
        "queue.toml",
        "[network]\nkind='fat-tree'\nnodes=4\n[traffic]\ntrace='t.csv'\n[wave]\nlanes=true\n",
    );
    let run = [
        "run",
        "queue.toml",
        "-q",
        "--messages",
        "m.csv",
        "--wave",
        "l.vcd",
    ];
    success(folder, &run);
    let table = read(folder, "m.csv");
    let rows: Vec<BTreeMap<&str, u64>> = {
        let mut lines = table.lines();
        let names: Vec<&str> = lines.next().expect("names").split(',').collect();
        let row = |line: &'_ str| -> BTreeMap<&str, u64> {
            let values = line
                .split(',')
                .map(|value| value.parse().unwrap_or(u64::MAX));
            names.iter().copied().zip(values).collect()
        };
        lines.map(row).collect()
    };
    let [first, second] = [&rows[0], &rows[1]];
    let (sent, over) = (first["sent_cycle"], first["acknowledged_cycle"]);
    // It is offered in cycle 6, long before the first one is over.
    assert!(sent < 6 && over > 20, "{table}");
    let shown = LaneSignals(values(&read(folder, "l.vcd")));
    for cycle in sent..second["acknowledged_cycle"] {
        let message = shown.at("node_0.message", cycle);
        assert_eq!(message, if cycle < over { 1 } else { 2 }, "{cycle}");
        let waits = shown.at("node_0.phase", cycle) == 1;
        assert_eq!(
            waits,
            (over..second["sent_cycle"]).contains(&cycle),
            "{cycle}"
        );
    }
}

/// `show --follow` is where the events say that a message is.
#[test]
fn a_message_is_followed() {
    let place = workplace();
    let folder = place.path();
    let run = [
        "run",
        "small.toml",
        "-q",
        "--set",
        "traffic.repeat=4",
        "--set",
        "traffic.words=9",
    ];
    let outputs = ["--events", "e.jsonl", "--set", "wave.lanes=true", "--wave"];
    let events = |folder: &Path| -> Vec<Value> {
        let text = read(folder, "e.jsonl");
        let lines = text
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"));
        lines.collect()
    };
    let mut shown = Vec::new();
    for file in ["l.vcd", "l.fst"] {
        success(folder, &[&run[..], &outputs, &[file]].concat());
        let events = events(folder);
        let is_often =
            |event: &&Value| event["record"] == "message" && number(&event["attempts"]) > 2;
        let message = events
            .iter()
            .find(is_often)
            .expect("a message with several attempts");
        let id = message["message"].to_string();
        let said = success(folder, &["show", file, "--follow", &id, "--json", "-"]);
        let values: Value = serde_json::from_str(&said).expect("JSON");
        let window = &values["window_cycles"];
        assert_eq!(window[1], message["acknowledged_cycle"]);
        assert!(number(&window[0]) <= number(&message["sent_cycle"]));
        let mut inputs: Vec<(u64, String)> = Vec::new();
        for event in &events {
            if event["record"] != "attempt" || event["message"] != message["message"] {
                continue;
            }
            for hop in event["hops"].as_array().expect("hops") {
                let text = |key: &str| hop[key].as_str().expect("a name").to_owned();
                let path = format!("testbench.messages.{}.{}", text("router"), text("input"));
                if inputs.iter().all(|(_, known)| *known != path) {
                    inputs.push((number(&hop["arrived_cycle"]), path));
                }
            }
        }
        inputs.sort();
        let mut found: Vec<String> = Vec::new();
        let mut states = 0;
        for signal in values["signals"].as_array().expect("signals") {
            let scope = signal["scope"].as_str().expect("a path");
            states += usize::from(scope.starts_with("testbench.network."));
            if scope.starts_with("testbench.messages.router_") {
                found.push(scope.to_owned());
            }
        }
        let source = format!("testbench.messages.node_{}", message["source"]);
        assert_eq!(values["signals"][0]["scope"], source.as_str());
        let expected: Vec<String> = inputs.into_iter().map(|(_, path)| path).collect();
        assert_eq!(found, expected);
        assert_eq!(states, expected.len());
        shown.push(success(folder, &["show", file, "--follow", &id]));
    }
    insta::assert_snapshot!("followed", shown[0]);
    let said = failure(folder, &["show", "l.vcd", "--follow", "100000"], 2);
    assert!(said.contains("message 100000 is not there"), "{said}");
    success(folder, &["run", "small.toml", "-q", "--wave", "no.vcd"]);
    let said = failure(folder, &["show", "no.vcd", "--follow", "1"], 3);
    assert!(said.contains("wave.lanes=true"), "{said}");
}

/// Lanes of packets: the packet on the wire of a node, those in front at inputs, and how many are in
/// the routers of a level.
#[test]
fn lanes_of_packets_show_what_events_say() {
    let place = workplace();
    let folder = place.path();
    write(
        folder,
        "all.csv",
        "t_ns,source,destination,bytes\n0,5,*,2\n0,3,*,2\n0,1,9,3\n0,4,*,1\n1,5,2,1\n2,5,1,1\n",
    );
    let random = "pattern='random'\nrepeat=4\nwords=6";
    let cases = [
        ("binary-fat-tree", "nodes=16", random, false),
        (
            "binary-fat-tree",
            "nodes=16\n[router]\nqueue_packets=1",
            "trace='all.csv'",
            false,
        ),
        (
            "m-port-n-tree-packets",
            "ports=4\nlevels=2\n[router]\nqueue_packets=2",
            random,
            false,
        ),
        ("fat-stack", "levels=2\nlink_delay_cycles=1", random, true),
    ];
    for (kind, network, traffic, has_flits) in cases {
        let text = format!(
            "[network]\nkind='{kind}'\n{network}\n[traffic]\n{traffic}\n[run]\nengine='event'\n\
             cycles_max=400\n[wave]\nlanes=true\n"
        );
        write(folder, "p.toml", &text);
        let run = [
            "run", "p.toml", "-q", "--events", "e.jsonl", "--wave", "l.vcd",
        ];
        let _ = crosswave(folder, &run);
        let shown = LaneSignals(values(&read(folder, "l.vcd")));
        let events = read(folder, "e.jsonl");
        let events: Vec<Value> = events
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        let mut in_routers: BTreeMap<(String, u64), BTreeSet<String>> = BTreeMap::new();
        let mut lost = BTreeMap::new();
        let (mut waiting, mut hops) = (0, 0);
        for event in &events {
            let own = number(&event["message"]) + 1;
            let node = format!("node_{}", event["source"]);
            let lane = |signal: &str, cycle: u64| shown.at(&format!("{node}.{signal}"), cycle);
            if event["record"] == "message" {
                let sent = number(&event["sent_cycle"]);
                assert_eq!(lane("phase", sent), 7);
                if lane("message", sent - 1) == own {
                    assert_eq!(lane("phase", sent - 1), 1);
                    waiting += 1;
                }
                continue;
            }
            let launched = number(&event["launched_cycle"]);
            let seen = ["message", "phase", "packet"].map(|signal| lane(signal, launched));
            assert_eq!(seen, [own, 7, number(&event["packet"])], "{event}");
            for hop in event["hops"].as_array().expect("a list") {
                let name = |key: &str| hop[key].as_str().unwrap_or("none").to_owned();
                let (router, input) = (name("router"), name("input"));
                let at = |cycle| shown.at(&format!("{router}.{input}.message"), cycle);
                let [arrived, left, freed] =
                    ["arrived_cycle", "left_cycle", "freed_cycle"].map(|key| number(&hop[key]));
                match has_flits {
                    false => assert_eq!(at(arrived), own, "{event}"),
                    true if freed != u64::MAX => assert_eq!(at(freed - 1), own, "{event}"),
                    true => {}
                }
                let level = format!("level_{}", router.split('_').nth(1).expect("a level"));
                let end = if has_flits { freed } else { left.min(freed) };
                let output = match &event["collision"]["wanted"][0] {
                    Value::String(wanted) if hop["output"].is_null() => wanted.clone(),
                    _ => name("output"),
                };
                for cycle in arrived..end.min(401) {
                    let packet = format!("{own} {} {router} {output}", event["packet"]);
                    in_routers
                        .entry((level.clone(), cycle))
                        .or_default()
                        .insert(packet);
                }
                if event["end"] == "lost" && left == u64::MAX {
                    *lost.entry(level.clone()).or_insert(0) += 1;
                }
                hops += 1;
            }
        }
        assert!(waiting > 1 && hops > 50, "{text}: {waiting} {hops}");
        let last = in_routers.keys().map(|(_, cycle)| *cycle).max();
        for ((level, cycle), packets) in &in_routers {
            let held = shown.at(&format!("{level}.held"), *cycle);
            assert_eq!(held, packets.len() as u64, "{level} {cycle}: {text}");
        }
        for (level, count) in &lost {
            let shown = shown.at(&format!("{level}.lost"), last.expect("hops") + 2);
            assert_eq!(shown, *count, "{level}: {text}");
        }
        assert_eq!(lost.is_empty(), has_flits, "{text}");
    }
}

/// `show --follow` finds a packet that waits.
#[test]
fn a_packet_is_followed() {
    let place = workplace();
    let folder = place.path();
    write(
        folder,
        "stack.toml",
        "[network]\nkind='fat-stack'\nlevels=2\n\
         [traffic]\npattern='pairs'\npairs=[[0,4],[1,5]]\nwords=6\n[wave]\nlanes=true\n",
    );
    success(folder, &["run", "stack.toml", "-q", "--wave", "l.vcd"]);
    insta::assert_snapshot!(
        "packet",
        success(folder, &["show", "l.vcd", "--follow", "1"])
    );
}
