//! Signals of a waveform: kinds, levels, routes and messages, against names, tables and events.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::program::{failure, read, success, workplace, write};
use crate::support::plain_vcd;

/// The paths of the signals that a configuration shows.
fn shown(folder: &Path, file: &str, keys: &[&str]) -> BTreeSet<String> {
    let mut arguments = vec!["run", file, "--engine", "event", "--wave", "s.vcd", "-q"];
    arguments.extend(keys.iter().flat_map(|key| ["--set", key]));
    success(folder, &arguments);
    plain_vcd::paths(&read(folder, "s.vcd"))
        .into_iter()
        .collect()
}

#[test]
fn kinds_and_levels_are_those_of_the_tables() {
    let place = workplace();
    let folder = place.path();
    let all = shown(folder, "small.toml", &[]);
    let states = shown(folder, "small.toml", &["wave.kinds=[\"state\"]"]);
    let is_state = |path: &&String| path.ends_with("_state");
    let expected: BTreeSet<String> = all.iter().filter(is_state).cloned().collect();
    assert_eq!(states, expected);
    let kinds = ["state", "link", "host", "option", "clock"];
    let parts =
        kinds.map(|kind| shown(folder, "small.toml", &[&format!("wave.kinds=[\"{kind}\"]")]));
    let sum: usize = parts.iter().map(BTreeSet::len).sum();
    assert_eq!(sum, all.len(), "every port is of one kind");
    assert_eq!(parts.into_iter().flatten().collect::<BTreeSet<_>>(), all);
    let level = shown(
        folder,
        "small.toml",
        &["wave.levels=[2, 5]", "wave.scopes=[\"**.?_state\"]"],
    );
    let of_levels = |path: &&String| {
        path.ends_with("_state") && (path.contains(".router_2_") || path.contains(".router_5_"))
    };
    let expected: BTreeSet<String> = all.iter().filter(of_levels).cloned().collect();
    assert_eq!(level, expected);
}

/// The link ports of routers that have signals, by router and name, and the nodes.
fn links(paths: &BTreeSet<String>) -> (BTreeSet<(String, String)>, BTreeSet<String>) {
    let (mut links, mut nodes) = (BTreeSet::new(), BTreeSet::new());
    for path in paths {
        let mut names = path.split('.').skip(2);
        let (instance, port) = (names.next().expect("an instance"), names.next());
        if instance.starts_with("node_") {
            nodes.insert(instance.to_owned());
        } else if let Some(port) = port
            && !["_state", "_output"].iter().any(|end| port.ends_with(end))
        {
            let link = port.split('_').next().expect("a name");
            links.insert((instance.to_owned(), link.to_owned()));
        }
    }
    (links, nodes)
}

#[test]
fn messages_show_what_their_events_say() {
    let place = workplace();
    let folder = place.path();
    let busy = ["--set", "traffic.repeat=8", "--set", "traffic.words=9"];
    let run = [
        "run",
        "small.toml",
        "--engine",
        "event",
        "--events",
        "e.jsonl",
        "-q",
    ];
    success(folder, &[&run[..], &busy].concat());
    let (mut expected, mut ends) = (BTreeSet::new(), BTreeSet::new());
    let mut attempts = 0;
    for line in read(folder, "e.jsonl").lines() {
        let event: Value = serde_json::from_str(line).expect("JSON");
        let of_them = event["message"] == 17 || event["message"] == 80;
        if event["record"] != "attempt" || !of_them {
            continue;
        }
        attempts += 1;
        for end in ["source", "destination"] {
            ends.insert(format!("node_{}", event[end]));
        }
        for hop in event["hops"].as_array().expect("a list") {
            let router = hop["router"].as_str().expect("a name");
            for end in ["input", "output"] {
                if let Some(link) = hop[end].as_str() {
                    expected.insert((router.to_owned(), link.to_owned()));
                }
            }
        }
    }
    assert!(attempts > 2, "{attempts}");
    let keys = [
        "traffic.repeat=8",
        "traffic.words=9",
        "wave.messages=[17, 80]",
    ];
    assert_eq!(links(&shown(folder, "small.toml", &keys)), (expected, ends));
}

/// Whatever is drawn, the path that `route` prints is among what is shown.
#[test]
fn routes_show_every_way() {
    let place = workplace();
    let folder = place.path();
    write(
        folder,
        "transit.toml",
        "[network]\nkind = \"transit\"\nnodes = 64\n[traffic]\npattern = \"random\"\n",
    );
    for (file, draws) in [("small.toml", 64), ("transit.toml", 64)] {
        let found = links(&shown(folder, file, &["wave.routes=[[3, 60]]"]));
        let mut expected = (BTreeSet::new(), BTreeSet::new());
        for draw in 0..draws {
            let draw = draw.to_string();
            let said = success(
                folder,
                &["route", file, "3", "60", "--draw", &draw, "--json", "-"],
            );
            let route: Value = serde_json::from_str(&said).expect("JSON");
            for step in route["chips"].as_array().expect("a path") {
                let chip = step["chip"].as_str().expect("a name").to_owned();
                if chip.starts_with("node_") {
                    expected.1.insert(chip);
                    continue;
                }
                for end in ["arrives", "leaves"] {
                    let link = step[end].as_str().expect("a port").to_owned();
                    expected.0.insert((chip.clone(), link));
                }
            }
        }
        assert_eq!(found, expected, "{file}");
    }
}

#[test]
fn mistakes_are_told_at_their_keys() {
    let place = workplace();
    let folder = place.path();
    let mut told = String::new();
    for key in [
        "wave.kinds=[\"states\"]",
        "wave.kinds=[]",
        "wave.kinds=\"state\"",
        "wave.levels=[1, 6]",
        "wave.levels=[-1]",
        "wave.routes=[[0, 64]]",
        "wave.routes=[[5, 5]]",
        "wave.routes=[0, 1]",
        "wave.messages=[3, 64]",
        "wave.messages=[1.5]",
        "wave.before_cycles=-1",
        "wave.triggers=0",
    ] {
        let run = ["run", "small.toml", "--wave", "s.vcd", "-q", "--set", key];
        told += &format!("{key}\n{}\n", failure(folder, &run, 2));
    }
    let nothing = [
        "--set",
        "wave.kinds=[\"option\"]",
        "--set",
        "wave.routes=[[0, 1]]",
        "--set",
        "wave.levels=[0]",
    ];
    let run = ["run", "small.toml", "--wave", "s.vcd", "-q"];
    told += &failure(folder, &[&run[..], &nothing].concat(), 2);
    assert!(!folder.join("s.vcd").exists());
    insta::assert_snapshot!(told);
}
