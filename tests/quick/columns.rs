//! Tables as Parquet: read back, they say what the same command writes as JSON lines and CSV.

use std::fs::File;
use std::path::Path;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use serde_json::{Map, Value, json};

use crate::program::{failure, read, success, workplace, write};

fn value(field: &Field) -> Value {
    match field {
        Field::Null => Value::Null,
        Field::Long(count) => json!(count),
        Field::Double(number) => json!(number),
        Field::Str(text) => json!(text),
        Field::ListInternal(list) => list.elements().iter().map(value).collect(),
        other => panic!("a field that is not written: {other:?}"),
    }
}

/// The rows of a file.
fn rows(folder: &Path, name: &str) -> Vec<Map<String, Value>> {
    let file = File::open(folder.join(name)).expect("a file");
    let reader = SerializedFileReader::new(file).expect("Parquet");
    let row = |row: Row| {
        let columns = row.get_column_iter();
        columns
            .map(|(name, field)| (name.clone(), value(field)))
            .collect()
    };
    let rows = reader.get_row_iter(None).expect("rows");
    rows.map(|found| row(found.expect("a row"))).collect()
}

/// An attempt's line of JSON, and the line of its message, as a row.
fn row(attempt: &Value, message: Option<&Value>) -> Value {
    let mut row = json!({});
    for name in [
        "replicate",
        "message",
        "attempt",
        "source",
        "destination",
        "launched_cycle",
    ] {
        row[name] = attempt[name].clone();
    }
    for name in ["reached_cycle", "end_cycle", "end"] {
        row[name] = attempt[name].clone();
    }
    let list = |entries: &Value, name: &str| -> Value {
        let entries = entries.as_array().into_iter().flatten();
        entries.map(|entry| entry[name].clone()).collect()
    };
    for (name, field) in [
        ("hop_routers", "router"),
        ("hop_inputs", "input"),
        ("hop_outputs", "output"),
        ("hop_arrived_cycles", "arrived_cycle"),
        ("hop_left_cycles", "left_cycle"),
        ("hop_freed_cycles", "freed_cycle"),
        ("hop_waited_cycles", "waited_cycles"),
    ] {
        row[name] = list(&attempt["hops"], field);
    }
    let collision = &attempt["collision"];
    for name in ["router", "input", "cycle"] {
        row[format!("collision_{name}")] = collision[name].clone();
    }
    row["packet"] = attempt["packet"].clone();
    row["rival_messages"] = list(&collision["rivals"], "message");
    row["rival_attempts"] = list(&collision["rivals"], "attempt");
    let none = Value::Null;
    let message = message.unwrap_or(&none);
    for name in [
        "words",
        "attempts",
        "offered_cycle",
        "sent_cycle",
        "delivered_cycle",
    ] {
        row[name] = message[name].clone();
    }
    for name in ["acknowledged_cycle", "latency_cycles"] {
        row[name] = message[name].clone();
    }
    for name in ["source", "blocked", "backoff", "header", "body", "answer"] {
        row[format!("{name}_cycles")] = message["breakdown_cycles"][name].clone();
    }
    row
}

#[test]
fn attempts_are_those_of_the_lines() {
    let place = workplace();
    let folder = place.path();
    for text in [
        "[network]\nkind='fat-tree'\nnodes=64\n[traffic]\npattern='random'\nrepeat=3\nwords=9\n",
        "[network]\nkind='bidelta'\nnodes=64\n[traffic]\npattern='random'\nwords=6\n\
         [interface]\nreply_words=3\n[run]\ncycles_max=60\n",
        "[network]\nkind='fat-pyramid'\nlevels=2\n[traffic]\npattern='random'\nwords=6\n",
        "[network]\nkind='binary-fat-tree'\nnodes=16\n[traffic]\npattern='random'\nwords=3\n\
         [run]\ncycles_max=60\n",
    ] {
        write(folder, "case.toml", text);
        let code = if text.contains("cycles_max") { 1 } else { 0 };
        for name in ["lives.jsonl", "lives.parquet", "again.parquet"] {
            let engine = if name.starts_with("again") {
                "event"
            } else {
                "gate"
            };
            let run = [
                "run",
                "case.toml",
                "-q",
                "--set",
                "run.replicates=2",
                "--engine",
                engine,
            ];
            let run = [&run[..], &["--events", name]].concat();
            match code {
                0 => drop(success(folder, &run)),
                code => drop(failure(folder, &run, code)),
            }
        }
        let table = std::fs::read(folder.join("lives.parquet")).expect("a file");
        assert_eq!(
            std::fs::read(folder.join("again.parquet")).expect("a file"),
            table
        );
        let lines = read(folder, "lives.jsonl");
        let lines = lines
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"));
        let lines: Vec<Value> = lines.collect();
        let mut expected = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            if line["record"] == "attempt" {
                let next = lines.get(at + 1);
                expected.push(row(line, next.filter(|next| next["record"] == "message")));
            }
        }
        let found = rows(folder, "lives.parquet");
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.into_iter().zip(expected) {
            assert_eq!(Value::Object(found), expected);
        }
    }
}

#[test]
fn a_sweep_is_that_of_the_table() {
    let place = workplace();
    let folder = place.path();
    let sweep = ["sweep", "small.toml", "--out", "o", "--replicates", "1..3"];
    let varied = [
        "--vary",
        "traffic.words=2,8",
        "--vary",
        "retry.strategy=backoff,immediate",
    ];
    success(folder, &[&sweep[..], &varied].concat());
    let found = rows(folder, "o/sweep.parquet");
    let mut reader = csv::Reader::from_path(folder.join("o/sweep.csv")).expect("a table");
    let heading = reader.headers().expect("a heading").clone();
    for (row, record) in found.iter().zip(reader.records()) {
        let record = record.expect("a row");
        assert!(row.keys().eq(heading.iter()));
        for (value, cell) in row.values().zip(record.iter()) {
            match value {
                Value::Null => assert_eq!(cell, ""),
                Value::String(text) => assert_eq!(cell, text),
                number => assert_eq!(cell.parse().ok(), number.as_f64()),
            }
        }
    }
    assert_eq!(found.len(), 4);
}
