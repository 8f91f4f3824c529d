//! Messages as transactions: an independent reader of FTR finds what the file of events says, and
//! so do trace events.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::program::{crosswave, failure, read, success, workplace, write};

/// A transaction: node, generator, times in nanoseconds, and attributes as texts.
type Row = (u32, String, u64, u64, BTreeMap<String, String>);

/// A run in which messages collide, with its events and its transactions.
fn recorded(folder: &Path) -> Vec<Value> {
    let text = "[network]\nkind='fat-tree'\nnodes=64\n[traffic]\npattern='random'\nrepeat=2\n\
                words=9\n[run]\nreplicates=2\n";
    write(folder, "lives.toml", text);
    for transactions in ["t.ftr", "t.json"] {
        let outputs = ["--events", "e.jsonl", "--transactions", transactions];
        success(
            folder,
            &[&["run", "lives.toml", "--quiet"][..], &outputs].concat(),
        );
    }
    let events = read(folder, "e.jsonl");
    let lines = events
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    lines.collect()
}

/// The events of replicate 0 as transactions.
fn expected(events: &[Value]) -> Vec<Row> {
    let number = |value: &Value| value.as_u64().expect("a number");
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut rows = Vec::new();
    let mut row = |node: u64, of: &str, [from, to]: [u64; 2], attributes: Vec<(&str, String)>| {
        let attributes = attributes
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value));
        rows.push((
            node as u32,
            of.to_owned(),
            10 * from,
            10 * to,
            attributes.collect(),
        ));
    };
    for event in events.iter().filter(|event| event["replicate"] == 0) {
        let source = number(&event["source"]);
        let take = |name: &'static str| (name, text(&event[name]));
        if event["record"] == "message" {
            let mut attributes = [
                "message",
                "destination",
                "words",
                "attempts",
                "latency_cycles",
            ]
            .map(take)
            .to_vec();
            for part in ["source", "blocked", "backoff", "header", "body", "answer"] {
                attributes.push((part, text(&event["breakdown_cycles"][part])));
            }
            let times = [
                number(&event["offered_cycle"]),
                number(&event["acknowledged_cycle"]),
            ];
            row(source, "messages", times, attributes);
            continue;
        }
        let hops = event["hops"].as_array().expect("a list");
        let mut attributes = ["message", "attempt", "destination", "end"]
            .map(take)
            .to_vec();
        attributes.push(("routers", hops.len().to_string()));
        if let Some(rivals) = event["collision"]["rivals"].as_array() {
            attributes.push(("rejected_by", text(&event["collision"]["router"])));
            for (rival, name) in rivals.iter().zip(["rival", "other_rival"]) {
                attributes.push((name, text(&rival["message"])));
            }
        }
        let times = [
            number(&event["launched_cycle"]),
            number(&event["end_cycle"]),
        ];
        row(source, "attempts", times, attributes);
        for hop in hops {
            let mut attributes = ["message", "attempt"].map(take).to_vec();
            for name in ["router", "input", "output"] {
                if !hop[name].is_null() {
                    attributes.push((name, text(&hop[name])));
                }
            }
            let times = [number(&hop["arrived_cycle"]), number(&hop["freed_cycle"])];
            row(source, "hops", times, attributes);
        }
    }
    rows.sort();
    rows
}

#[test]
fn a_reader_of_ftr_finds_the_events() {
    let work = workplace();
    let events = recorded(work.path());
    let bytes = std::fs::read(work.path().join("t.ftr")).expect("written");
    let ftr = ftr_parser::parse::parse_ftr_from_bytes(bytes).expect("FTR");
    let mut rows = Vec::new();
    for generator in ftr.tx_generators.values() {
        let stream = ftr.get_stream(generator.stream_id).expect("it is listed");
        let node = stream
            .name
            .strip_prefix("node_")
            .and_then(|node| node.parse().ok());
        for transaction in &generator.transactions {
            let time = |time: num_bigint::BigUint| u64::try_from(time).expect("64 bits");
            let attributes = transaction.attributes.iter();
            rows.push((
                node.expect("a node"),
                generator.name.clone(),
                time(transaction.get_start_time()),
                time(transaction.get_end_time()),
                attributes
                    .map(|one| (one.name.clone(), one.value()))
                    .collect(),
            ));
        }
    }
    rows.sort();
    let expected: Vec<Row> = expected(&events);
    assert!(expected.len() > 1000 && expected.iter().any(|row| row.4.contains_key("rival")));
    assert_eq!(rows.len(), expected.len());
    for (row, expected) in rows.iter().zip(&expected) {
        assert_eq!(row, expected);
    }
}

#[test]
fn trace_events_are_the_events() {
    let work = workplace();
    let events = recorded(work.path());
    let trace: Value = serde_json::from_str(&read(work.path(), "t.json")).expect("JSON");
    let mut rows = Vec::new();
    let mut tracks = BTreeMap::new();
    for event in trace["traceEvents"].as_array().expect("a list") {
        let node = event["pid"].as_u64().expect("a node") as u32;
        if event["ph"] == "M" {
            let before =
                tracks.insert((node, event["tid"].as_u64()), event["args"]["name"].clone());
            assert_eq!(before, None, "a track is named once");
            continue;
        }
        let track = tracks[&(node, event["tid"].as_u64())]
            .as_str()
            .expect("a name");
        let of = match track {
            "messages" | "attempts" => track,
            router => {
                assert!(router.starts_with("router "), "{router}");
                "hops"
            }
        };
        let nanoseconds =
            |name: &str| (event[name].as_f64().expect("a time") * 1000.0).round() as u64;
        let from = nanoseconds("ts");
        let arguments = event["args"].as_object().expect("arguments");
        assert_eq!(arguments["from_cycle"].as_u64(), Some(from / 10));
        let attributes = arguments
            .iter()
            .filter(|(name, _)| !name.ends_with("_cycle"));
        let attributes = attributes.map(|(name, value)| {
            let value = value.as_str().map_or(value.to_string(), str::to_owned);
            (name.clone(), value)
        });
        rows.push((
            node,
            of.to_owned(),
            from,
            from + nanoseconds("dur"),
            attributes.collect(),
        ));
    }
    rows.sort();
    let expected: Vec<Row> = expected(&events);
    assert_eq!(rows.len(), expected.len());
    for (row, expected) in rows.iter().zip(&expected) {
        assert_eq!(row, expected);
    }
}

/// The life of a message that is asked for is that of the file of events; mistakes are told.
#[test]
fn one_message_is_traced() {
    let work = workplace();
    let folder = work.path();
    let events = recorded(folder);
    let attempts = events.iter().filter(|event| event["replicate"] == 1);
    let most = attempts.filter(|event| event["record"] == "message");
    let most = most
        .max_by_key(|event| event["attempts"].as_u64())
        .expect("messages");
    let id = most["message"].to_string();
    let options = [
        "--replicate",
        "1",
        "--json",
        "-",
        "--svg",
        "life.svg",
        "--all-attempts",
    ];
    let text = success(
        folder,
        &[&["trace", "lives.toml", &id][..], &options].concat(),
    );
    let life: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(life["message"], *most);
    let of_it = |event: &&Value| {
        event["record"] == "attempt"
            && event["replicate"] == 1
            && event["message"] == most["message"]
    };
    let expected: Vec<&Value> = events.iter().filter(of_it).collect();
    assert_eq!(
        life["attempts"]
            .as_array()
            .expect("a list")
            .iter()
            .collect::<Vec<_>>(),
        expected
    );
    assert!(expected.len() > 2);
    let picture = read(folder, "life.svg");
    for event in &expected {
        let end = format!(
            "{} {}",
            event["end"].as_str().expect("a name"),
            event["end_cycle"]
        );
        assert!(picture.contains(&end), "{end}");
    }
    let all = [
        "trace",
        "lives.toml",
        &id,
        "--replicate",
        "1",
        "--all-attempts",
    ];
    let table = success(folder, &all);
    assert!(
        table.contains("rejected: ") && table.contains("backoff"),
        "{table}"
    );

    let said = failure(folder, &["trace", "lives.toml", "9999"], 2);
    assert!(said.contains("found 9999; expected 0 to 127"), "{said}");
    let said = failure(folder, &["trace", "lives.toml", "1", "--replicate", "2"], 2);
    assert!(said.contains("found 2; expected 0 to 1"), "{said}");
    let early = [
        "trace",
        "lives.toml",
        &id,
        "--set",
        "run.cycles_max=3",
        "--replicate",
        "1",
    ];
    let said = failure(folder, &early, 1);
    assert!(
        said.contains("it was not acknowledged by cycle 3"),
        "{said}"
    );
    let said = failure(folder, &["run", "lives.toml", "--transactions", "t.txt"], 2);
    assert!(said.contains("ends in neither .ftr nor .json"), "{said}");
    let said = failure(folder, &["run", "lives.toml", "--events", "e.csv"], 2);
    assert!(said.contains("JSONL is the only format"), "{said}");
    let full = ["run", "lives.toml", "--events", "/dev/full"];
    let said = failure(folder, &full, 4);
    assert!(said.contains("/dev/full: file: writing failed"), "{said}");
}

/// Trace events of packets, which overlap: pairs of a beginning and an end that say what the events say.
#[test]
fn trace_events_of_packets_are_pairs() {
    let place = workplace();
    let folder = place.path();
    for (network, ends) in [
        ("kind='fat-stack'\nlevels=2", &["delivered"][..]),
        ("kind='binary-fat-tree'\nnodes=16", &["delivered", "lost"]),
    ] {
        let text =
            format!("[network]\n{network}\n[traffic]\npattern='random'\nrepeat=3\nwords=4\n");
        write(folder, "p.toml", &text);
        for transactions in ["t.json", "t.ftr"] {
            let outputs = ["--events", "e.jsonl", "--transactions", transactions];
            let _ = crosswave(folder, &[&["run", "p.toml", "-q"][..], &outputs].concat());
            assert!(folder.join(transactions).exists(), "{text}");
        }
        let traced: Value = serde_json::from_str(&read(folder, "t.json")).expect("JSON");
        let traced = traced["traceEvents"].as_array().expect("a list");
        let mut begun: BTreeMap<u64, &Value> = BTreeMap::new();
        let mut found = Vec::new();
        for event in traced.iter().filter(|event| event["ph"] != "M") {
            let id = event["id"].as_u64().expect("a number");
            if event["ph"] == "b" {
                assert!(begun.insert(id, event).is_none());
                continue;
            }
            let first = begun.remove(&id).expect("it has begun");
            assert_eq!(first["name"], event["name"]);
            let cycle = |event: &Value| (event["ts"].as_f64().expect("a time") * 100.0).round();
            let args = &first["args"];
            assert_eq!(cycle(first), args["from_cycle"].as_f64().expect("a cycle"));
            assert_eq!(cycle(event), args["to_cycle"].as_f64().expect("a cycle"));
            if first["tid"] == 2 {
                let end = args["end"].as_str().expect("an end");
                assert!(ends.contains(&end), "{args}");
                let key = ["message", "packet", "from_cycle", "to_cycle"];
                found.push(key.map(|key| args[key].as_u64().expect("a number")));
            }
        }
        assert!(begun.is_empty());
        let events = read(folder, "e.jsonl");
        let lines = events
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let packets = lines
            .filter(|line| line["record"] == "attempt")
            .map(|line| {
                ["message", "packet", "launched_cycle", "end_cycle"]
                    .map(|key| line[key].as_u64().expect("a number"))
            });
        assert_eq!(found, packets.collect::<Vec<_>>(), "{text}");
    }
}
