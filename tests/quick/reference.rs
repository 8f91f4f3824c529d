//! The table of fields has every field that is written, and no other.

mod records;

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::program;

/// Runs the program in the folder of the project.
fn crosswave(arguments: &[&str]) -> std::process::Output {
    program::crosswave(Path::new(env!("CARGO_MANIFEST_DIR")), arguments)
}

/// The fields that the program lists for what a command writes.
fn listed(written_by: &str) -> Vec<String> {
    let output = crosswave(&["fields", "--json", "-"]);
    let fields: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let fields = fields.as_array().expect("a list");
    let of = fields
        .iter()
        .filter(|field| field["written_by"] == written_by);
    let paths: Vec<String> = of
        .map(|field| field["field"].as_str().expect("text").to_owned())
        .collect();
    assert!(!paths.is_empty(), "{written_by}");
    paths
}

/// The paths of all values of a document.
fn paths(prefix: &str, value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                let dot = if prefix.is_empty() { "" } else { "." };
                paths(&format!("{prefix}{dot}{key}"), value, found);
            }
        }
        Value::Array(values) if values.iter().any(Value::is_object) => {
            for value in values {
                paths(&format!("{prefix}[]"), value, found);
            }
        }
        // Entries of null say nothing of a group.
        Value::Null => {}
        _ => {
            found.insert(prefix.to_owned());
        }
    }
}

/// True when a field of the list, in which `…` stands for any text, is a path.
fn is_field(listed: &str, path: &str) -> bool {
    match listed.split_once('…') {
        Some((start, end)) => {
            path.len() > start.len() + end.len() && path.starts_with(start) && path.ends_with(end)
        }
        None => listed == path,
    }
}

/// Compares what was written with the table; `unseen` are fields that the runs here do not write.
fn check(written_by: &str, found: &BTreeSet<String>, unseen: &[&str]) {
    let listed = listed(written_by);
    // A list without entries says nothing of their fields.
    let is_listed = |path: &&String| {
        let entry = format!("{path}[]");
        let mut fields = listed.iter();
        fields.any(|field| is_field(field, path) || field.starts_with(&entry))
    };
    let unlisted: Vec<&String> = found.iter().filter(|path| !is_listed(path)).collect();
    assert!(unlisted.is_empty(), "{written_by} writes {unlisted:?}");
    // A group stands before its fields.
    let is_group = |field: &str| {
        let inner = format!("{field}.");
        listed.iter().any(|other| other.starts_with(&inner))
    };
    let missing: Vec<&String> = listed
        .iter()
        .filter(|field| !is_group(field))
        .filter(|field| !found.iter().any(|path| is_field(field, path)))
        .collect();
    assert_eq!(missing, unseen, "{written_by} does not write these fields");
}

fn json(arguments: &[&str]) -> Value {
    let output = crosswave(arguments);
    let code = output.status.code();
    assert!(
        matches!(code, Some(0 | 1)),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn fields_of_faults_are_those_of_the_table() {
    let mut found = BTreeSet::new();
    let arguments = [
        "faults",
        "examples/diameter16.toml",
        "--sample",
        "60",
        "--json",
        "-",
    ];
    paths("", &json(&arguments), &mut found);
    check("faults --json", &found, &[]);
}

#[test]
fn fields_of_coverage_are_those_of_the_table() {
    let mut found = BTreeSet::new();
    let arguments = [
        "run",
        "examples/diameter16.toml",
        "--engine",
        "gate",
        "--coverage-reach",
        "4",
        "--coverage-paths",
        "--coverage",
        "-",
    ];
    paths("", &json(&arguments), &mut found);
    check("run --coverage", &found, &[]);
}

#[test]
fn fields_of_runs_are_those_of_the_table() {
    let mut found = BTreeSet::new();
    let runs: [&[&str]; 9] = [
        &["examples/fft64.toml", "--set", "traffic.limit=300"],
        &[
            "examples/fft64.toml",
            "--set",
            "network.capacities=\"every-second-level\"",
            "--set",
            "traffic.limit=100",
        ],
        &[
            "examples/fft64.toml",
            "--set",
            "retry.strategy=\"rounds\"",
            "--set",
            "traffic.limit=100",
        ],
        &[
            "examples/loads/fat-tree.toml",
            "--set",
            "run.replicates=2",
            "--set",
            "traffic.cycles=6000",
        ],
        &["examples/loads/fat-tree.toml", "--set", "traffic.load=0.03"],
        &["examples/bidelta64.toml"],
        &["examples/flooding64.toml"],
        &["examples/loads/m-port-n-tree-packets.toml"],
        &[
            "examples/loads/fat-stack.toml",
            "--set",
            "traffic.cycles=2000",
        ],
    ];
    for run in runs {
        let arguments = [&["run"], run, &["--engine", "event", "--json", "-"]].concat();
        paths("", &json(&arguments), &mut found);
    }
    let mesh = [
        "run",
        "examples/routers/mesh64.toml",
        "--set",
        "traffic.cycles=500",
    ];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let links = folder.path().join("links.csv").display().to_string();
    let counted = ["--links", &links, "--json", "-"];
    paths("", &json(&[&mesh[..], &counted].concat()), &mut found);
    // Sinks that take nothing.
    let stalled = [
        "run",
        "examples/routers/mesh64.toml",
        "--set",
        "traffic.cycles=50",
        "--set",
        "network.size=[2,2]",
        "--set",
        "endpoint.stall=1.0",
        "--set",
        "checks.deadlock_cycles=300",
        "--set",
        "checks.monitors=true",
        "--json",
        "-",
    ];
    let failed = json(&stalled);
    paths("", &failed, &mut found);
    assert_eq!(failed["deadlock"]["is_circle"], false, "{failed}");
    let sink = failed["deadlock"]["end"].as_str().expect("a reason");
    assert!(sink.starts_with("node_"), "{sink}");
    // Only routers with virtual channels have some, others only routers with mistakes.
    let unseen = [
        "links.use_share_mean_by_vc",
        "failed_packets[].node",
        "deadlock.links[].vc",
        "livelock.replicate",
        "livelock.message",
        "livelock.attempts",
        "livelock.launched_cycle",
        "livelock.hops",
        "livelock.last_hops[].router",
        "livelock.last_hops[].link",
        "livelock.last_hops[].cycle",
        "lost_nack.replicate",
        "lost_nack.message",
        "lost_nack.router",
        "lost_nack.link",
        "lost_nack.cycle",
        "monitors.broken[].replicate",
        "monitors.broken[].router",
        "monitors.broken[].place",
        "monitors.broken[].property",
        "monitors.broken[].sentence",
        "monitors.broken[].cycle",
    ];
    check("run --json", &found, &unseen);
    let mut reader = csv::Reader::from_path(links).expect("a table");
    let columns = reader.headers().expect("a header").iter();
    check("run --links", &columns.map(str::to_owned).collect(), &[]);
}

/// A latency says where it ends: packets are not acknowledged.
#[test]
fn latencies_say_where_they_end() {
    for (kind, end) in [
        ("fat-tree", "acknowledgement"),
        ("bidelta", "acknowledgement"),
        ("fat-stack", "arrival of the last packet"),
        ("m-port-n-tree-packets", "arrival of the last packet"),
    ] {
        let file = format!("examples/loads/{kind}.toml");
        let cycles = "traffic.cycles=2000";
        let run = json(&[
            "run", &file, "--set", cycles, "--engine", "event", "--json", "-",
        ]);
        assert_eq!(run["steady"]["latency_cycles"]["to"], end, "{kind}");
        assert_eq!(run["steady"]["network_latency_cycles"]["to"], end, "{kind}");
    }
}

#[test]
fn columns_of_tables_are_those_of_the_table() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = |name: &str| folder.path().join(name).display().to_string();
    let (messages, rn1, collisions) = (file("m.csv"), file("rn1.csv"), file("c.csv"));
    crosswave(&[
        "run",
        "examples/fft64.toml",
        "--set",
        "traffic.limit=300",
        "--messages",
        &messages,
        "--collisions",
        &collisions,
        "-q",
    ]);
    crosswave(&["run", "examples/bidelta64.toml", "--messages", &rn1, "-q"]);
    let header = |name: &str| -> BTreeSet<String> {
        let mut reader = csv::Reader::from_path(Path::new(name)).expect("a table");
        reader
            .headers()
            .expect("a header")
            .iter()
            .map(str::to_owned)
            .collect()
    };
    let mut columns = header(&messages);
    columns.extend(header(&rn1));
    check("run --messages", &columns, &[]);
    check("run --collisions", &header(&collisions), &[]);
}

#[test]
fn fields_of_sweeps_and_checks_are_those_of_the_table() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out").display().to_string();
    let mut found = BTreeSet::new();
    let sweep = json(&[
        "sweep",
        "examples/loads/fat-tree.toml",
        "--set",
        "run.engine=\"event\"",
        "--set",
        "traffic.cycles=2000",
        "--vary",
        "network.nodes=16",
        "--saturation",
        "traffic.load",
        "--replicates",
        "2..2",
        "--out",
        &out,
        "--json",
        "-",
    ]);
    paths("", &sweep, &mut found);
    check("sweep --json", &found, &[]);

    let mut found = BTreeSet::new();
    paths(
        "",
        &json(&["check", "--formulas", "--json", "-"]),
        &mut found,
    );
    check("check --json", &found, &["papers[].quantities[].stderr"]);
}
