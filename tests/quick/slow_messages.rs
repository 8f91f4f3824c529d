//! Slow messages: which they are, who blocked them, and traces that fit a screen.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::program::{failure, read, root, success, workplace, write};

/// Message 412 of this run has 96 attempts.
const FFT: &str = "examples/fft64.toml";

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

fn count(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("{value}: a number"))
}

/// The height of a picture.
fn height(svg: &str) -> f64 {
    let (_, rest) = svg.split_once(" height=\"").expect("a height");
    let (height, _) = rest.split_once('"').expect("its end");
    height.parse().expect("a number")
}

#[test]
fn the_trace_of_a_message_with_many_attempts_fits_a_screen() {
    let work = workplace();
    let folder = work.path();
    let fft = root(FFT);
    let fft = fft.to_str().expect("UTF-8");
    let folded = success(folder, &["trace", fft, "412", "--svg", "folded.svg"]);
    assert!(folded.lines().count() < 80, "{folded}");
    assert!(height(&read(folder, "folded.svg")) < 1600.0);
    insta::assert_snapshot!(folded);
    let all = ["trace", fft, "412", "--all-attempts", "--svg", "all.svg"];
    let all = success(folder, &all);
    assert!(all.lines().count() > 940);
    assert!(!all.contains("folded"));
    assert!(height(&read(folder, "all.svg")) > 20_000.0);
    // Attempts of the folded table follow one another: none is left out.
    let mut next = 1;
    for line in folded
        .lines()
        .skip(4)
        .take_while(|line| !line.starts_with('└'))
    {
        let cell = line.trim_start_matches('│').trim_start();
        let mut words = cell.split_whitespace();
        let first: u64 = words.next().expect("a number").parse().expect("a number");
        let last = match (words.next(), words.next()) {
            (Some("to"), Some(last)) => last.parse().expect("a number"),
            _ => first,
        };
        assert!(first == next || first + 1 == next, "{line}");
        next = last + 1;
    }
    assert_eq!(next, 97);
}

#[test]
fn a_trace_sums_up_who_blocked_the_message() {
    let folder = workplace();
    let fft = root(FFT);
    let fft = fft.to_str().expect("UTF-8");
    let text = success(folder.path(), &["trace", fft, "412", "--json", "-"]);
    let trace = json(&text);
    assert_eq!(trace["latency"]["from"], "offer");
    assert_eq!(trace["latency"]["to"], "acknowledgement");
    let mut expected: BTreeMap<[String; 3], [u64; 2]> = BTreeMap::new();
    let attempts = trace["attempts"].as_array().expect("a list");
    for attempt in attempts {
        let collision = &attempt["collision"];
        for rival in collision["rivals"].as_array().into_iter().flatten() {
            let key = [&rival["message"], &collision["router"], &rival["output"]];
            let sums = expected.entry(key.map(Value::to_string)).or_default();
            sums[0] += 1;
            sums[1] += count(&attempt["end_cycle"]) - count(&attempt["launched_cycle"]);
        }
    }
    let blocked_by = trace["blocked_by"].as_array().expect("a list");
    let found = blocked_by.iter().map(|blocked| {
        let key = ["message", "router", "output"].map(|name| blocked[name].to_string());
        (
            key,
            ["attempts", "cycles"].map(|name| count(&blocked[name])),
        )
    });
    assert_eq!(found.collect::<BTreeMap<_, _>>(), expected);
    // Each attempt wanted one output.
    let cycles = blocked_by.iter().map(|blocked| count(&blocked["cycles"]));
    let cycles: Vec<u64> = cycles.collect();
    assert!(cycles.is_sorted_by(|one, other| one >= other));
    let blocked = &trace["message"]["breakdown_cycles"]["blocked"];
    assert_eq!(cycles.iter().sum::<u64>(), count(blocked));
}

/// Rows of a table of messages by id, in a file.
fn latencies(folder: &Path, name: &str) -> Vec<(u64, Option<u64>)> {
    let mut reader = csv::Reader::from_path(folder.join(name)).expect("a table");
    let names = reader.headers().expect("a heading").clone();
    let at = |name: &str| {
        names
            .iter()
            .position(|each| each == name)
            .expect("a column")
    };
    let [latency, offered, acknowledged] =
        ["latency_cycles", "offered_cycle", "acknowledged_cycle"].map(at);
    let rows = reader.records().zip(0..).map(|(row, id)| {
        let row = row.expect("a row");
        let cycles = |column: usize| row[column].parse::<u64>().ok();
        let expected = cycles(acknowledged).map(|told| told - cycles(offered).expect("an offer"));
        assert_eq!(cycles(latency), expected);
        (id, cycles(latency))
    });
    rows.collect()
}

#[test]
fn the_slowest_messages_are_those_of_the_table() {
    let work = workplace();
    let folder = work.path();
    write(
        folder,
        "run.toml",
        "[network]\nkind='fat-tree'\nnodes=64\n[traffic]\npattern='random'\nrepeat=3\nwords=9\n\
         [run]\nreplicates=1\n",
    );
    let outputs = ["--messages", "m.csv", "--events", "e.jsonl", "-q"];
    success(folder, &[&["run", "run.toml"][..], &outputs].concat());
    let mut messages = latencies(folder, "m.csv");
    messages.sort_by_key(|&(id, latency)| (std::cmp::Reverse(latency), id));
    let found = json(&success(
        folder,
        &["trace", "run.toml", "--slowest=7", "--json", "-"],
    ));
    let slowest = found["slowest"].as_array().expect("a list");
    let ids = slowest
        .iter()
        .map(|slow| (count(&slow["message"]), slow["latency_cycles"].as_u64()));
    assert_eq!(ids.collect::<Vec<_>>(), messages[..7]);
    assert_eq!(found["messages_acknowledged"], 192);
    assert_eq!(found["messages_under_way"], 0);

    // Rejections by output, and holds of outputs, as the file of events has them.
    let events = read(folder, "e.jsonl");
    let events: Vec<Value> = events.lines().map(json).collect();
    let mut rejected: BTreeMap<[String; 2], u64> = BTreeMap::new();
    let mut held: BTreeMap<[String; 2], u64> = BTreeMap::new();
    for event in &events {
        let collision = &event["collision"];
        for wanted in collision["wanted"].as_array().into_iter().flatten() {
            let key = [&collision["router"], wanted].map(Value::to_string);
            *rejected.entry(key).or_default() += 1;
        }
        for hop in event["hops"].as_array().into_iter().flatten() {
            if let Some(left) = hop["left_cycle"].as_u64() {
                let key = [&hop["router"], &hop["output"]].map(Value::to_string);
                let most = held.entry(key).or_default();
                *most = (*most).max(count(&hop["freed_cycle"]) - left);
            }
        }
    }
    let mut most: Vec<u64> = rejected.values().copied().collect();
    most.sort_unstable();
    most.reverse();
    let outputs = found["outputs"].as_array().expect("a list");
    assert_eq!(outputs.len(), 10);
    for (output, most) in outputs.iter().zip(most) {
        let key = [&output["router"], &output["output"]].map(Value::to_string);
        assert_eq!(count(&output["attempts_rejected"]), rejected[&key]);
        assert_eq!(rejected[&key], most);
        let longest = &output["held_longest_by"][0];
        assert_eq!(count(&longest["held_cycles"]), held[&key], "{output}");
    }
    insta::assert_snapshot!(success(folder, &["trace", "run.toml", "--slowest", "3"]));

    // Both engines find the same.
    let event = ["--json", "-", "--set", "run.engine='event'"];
    let again = success(
        folder,
        &[&["trace", "run.toml", "--slowest", "7"][..], &event].concat(),
    );
    assert_eq!(json(&again), found);
}

#[test]
fn a_trace_is_of_one_message_or_of_the_slowest() {
    let work = workplace();
    let folder = work.path();
    let said = failure(folder, &["trace", "small.toml"], 2);
    assert!(
        said.contains("found neither a message nor --slowest; expected one of them"),
        "{said}"
    );
    let both = failure(folder, &["trace", "small.toml", "5", "--slowest"], 2);
    assert!(both.contains("cannot be used with"), "{both}");
    let none = failure(folder, &["trace", "small.toml", "--slowest", "0"], 2);
    assert!(none.contains("--slowest"), "{none}");
    let picture = ["trace", "small.toml", "--slowest", "--svg", "s.svg"];
    failure(folder, &picture, 2);
    // Ten without a number.
    let text = success(folder, &["trace", "small.toml", "--slowest"]);
    assert!(text.starts_with("slowest messages: 10 of 64; "), "{text}");
    // Messages that a run leaves under way are told.
    let early = [
        "trace",
        "small.toml",
        "--slowest",
        "--set",
        "run.cycles_max=3",
    ];
    let text = success(folder, &early);
    assert!(
        text.contains("not acknowledged by cycle 3, in which the run ended: 64;"),
        "{text}"
    );
}
