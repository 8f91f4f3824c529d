//! `crosswave schedule`: schedules that are made, written, read again and checked.

use serde_json::Value;

use crate::program::{failure, read, success, workplace, write};

/// The JSON of a command.
fn json(folder: &std::path::Path, arguments: &[&str]) -> Value {
    let printed = success(folder, &[arguments, &["--json", "-"]].concat());
    serde_json::from_str(&printed).expect("JSON alone")
}

/// Every operation, however it is made: what is checked of its file is what was said of it.
#[test]
fn every_schedule_survives_its_file() {
    let place = workplace();
    let folder = place.path();
    for (words, tree, steps) in [
        ("broadcast --root 5", "1", 8),
        ("scatter --root 5", "1", 17),
        ("scatter --order nearest-first", "1", 22),
        ("gather --root 15", "doubling", 17),
        ("multinode-broadcast --by flooding", "1", 17),
        ("multinode-broadcast --by phases", "1", 22),
        ("multinode-broadcast", "1", 17),
        ("total-exchange --by serial", "doubling", 31),
        ("total-exchange", "doubling", 22),
        ("total-exchange", "1,2,3,3", 38),
        ("total-exchange --by interleaved", "doubling", 21),
        ("total-exchange --by quartered", "1", 71),
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        let tree = ["--nodes", "16", "--capacities", tree];
        let out = ["--out", "s.csv"];
        let made = json(folder, &[&["schedule"], &words[..], &tree, &out].concat());
        assert_eq!(made["steps"], made["formula_steps"], "{words:?}");
        assert_eq!(made["operation"], words[0]);
        let least = made["least_steps"].as_u64().expect("a bound");
        assert!(least <= steps, "{words:?}");
        assert_eq!(made["steps"], steps, "{words:?}");
        let check = ["schedule", "check", "s.csv"];
        let mut checked = vec![[&check[..], &tree].concat()];
        checked.push([&checked[0][..], &["--queues"]].concat());
        if words.last() == Some(&"flooding") {
            failure(folder, &checked.remove(0), 1);
        }
        for arguments in checked {
            let found = json(folder, &arguments);
            for key in ["nodes", "capacities", "packets", "deliveries", "steps"] {
                assert_eq!(found[key], made[key], "{arguments:?}: {key}");
            }
            assert_eq!(found["schedule"], "s.csv");
            assert_eq!(found["formula_steps"], Value::Null);
        }
        let printed = success(
            folder,
            &[&["schedule"], &words[..], &tree, &["--out", "-"]].concat(),
        );
        assert_eq!(printed, read(folder, "s.csv"), "{words:?}");
    }
}

#[test]
fn tables_of_a_schedule() {
    let place = workplace();
    let folder = place.path();
    let made = "schedule total-exchange --nodes 8 --by interleaved --out exchange.csv";
    let made: Vec<&str> = made.split(' ').collect();
    let flooding = "schedule multinode-broadcast --nodes 16 --capacities 1 --by flooding";
    let flooding: Vec<&str> = flooding.split(' ').collect();
    let text = [made, flooding].map(|arguments| success(folder, &arguments));
    insta::assert_snapshot!("tables_of_a_schedule", text.concat());
    assert_eq!(read(folder, "exchange.csv").lines().count(), 1 + 8 * 7);
}

/// The mistakes are told, with the exit code of each.
#[test]
fn mistakes_are_told_with_their_places() {
    let place = workplace();
    let folder = place.path();
    let cases = [
        ("1,0,2\n1,1,3\n", "1", 1),
        ("# waits\n1,0,2\n1,1,3\n", "queues", 1),
        ("1,0,3\n9,0,3\n", "1", 1),
        ("1,0,9\n", "1", 3),
        ("1,0,*3\n", "1", 3),
        ("1,0,3\n1,x,3\n0,1,2\n", "1", 3),
        ("1,0,1,0>2\n2,1,2,0>2\n", "1", 1),
    ];
    let mut all = String::new();
    for (rows, how, code) in cases {
        let message = if rows.contains('>') { ",message" } else { "" };
        write(
            folder,
            "s.csv",
            &format!("step,source,destination{message}\n{rows}"),
        );
        let mut arguments = vec!["schedule", "check", "s.csv", "--nodes", "4"];
        arguments.extend(["--capacities", "1"]);
        if how == "queues" {
            arguments.extend(["--queues", "0"]);
        }
        all += &failure(folder, &arguments, code);
    }
    write(folder, "s.csv", "nothing of the kind\n");
    all += &failure(folder, &["schedule", "check", "s.csv", "--nodes", "4"], 3);
    failure(
        folder,
        &["schedule", "check", "none.csv", "--nodes", "4"],
        4,
    );
    insta::assert_snapshot!("mistakes_of_schedules", all);
}

#[test]
fn options_that_make_no_tree_are_usage_errors() {
    let place = workplace();
    let folder = place.path();
    let cases = [
        "broadcast --nodes 6",
        "broadcast --nodes 2097152",
        "broadcast --nodes 8 --capacities 1,2",
        "broadcast --nodes 8 --capacities 1,2,x",
        "broadcast --nodes 8 --capacities 2,1,1",
        "broadcast --nodes 8 --capacities 0",
        "broadcast --nodes 8 --root 8",
        "total-exchange --nodes 8192",
        "multinode-broadcast --nodes 8192",
        "total-exchange --nodes 8 --capacities 1 --by interleaved",
        "broadcast --nodes 8 --out schedule.json",
    ];
    let said = cases.map(|words| {
        let words: Vec<&str> = words.split(' ').collect();
        failure(folder, &[&["schedule"], &words[..]].concat(), 2)
    });
    insta::assert_snapshot!("options_of_schedules", said.concat());
    // An input is not replaced.
    write(folder, "s.csv", "step,source,destination\n1,0,1\n");
    let replaced = [
        "schedule", "check", "s.csv", "--nodes", "4", "--json", "s.csv",
    ];
    failure(folder, &replaced, 2);
}

/// Through chips a schedule takes the same steps on both engines, with a waveform that is the same;
/// what the ideal tree lets pass may meet there, and is told with chip and cycle.
#[test]
fn schedules_go_through_chips() {
    let place = workplace();
    let folder = place.path();
    let out = ["--out", "s.csv"];
    let made = [
        "schedule",
        "total-exchange",
        "--by",
        "interleaved",
        "--nodes",
        "16",
    ];
    success(folder, &[&made[..], &out].concat());
    let check = ["schedule", "check", "s.csv", "--nodes", "16"];
    for engine in ["gate", "event"] {
        let wave = format!("{engine}.vcd");
        let more = ["--engine", engine, "--wave", &wave];
        let found = json(folder, &[&check[..], &more].concat());
        assert_eq!(found["steps"], 21);
        assert_eq!(found["hardware"]["engine"], engine);
        assert_eq!(found["hardware"]["steps"], 21);
        assert_eq!(found["hardware"]["deliveries"], 16 * 15);
    }
    assert_eq!(read(folder, "gate.vcd"), read(folder, "event.vcd"));
    success(
        folder,
        &[&check[..], &["--engine", "gate", "--wave", "s.fst"]].concat(),
    );
    success(folder, &["diff", "gate.vcd", "s.fst"]);

    let mut told = String::new();
    write(
        folder,
        "meet.csv",
        "step,source,destination\n1,4,0\n1,6,1\n",
    );
    let check = ["schedule", "check", "meet.csv", "--nodes", "8"];
    success(folder, &check);
    told += &failure(folder, &[&check[..], &["--engine", "event"]].concat(), 1);
    told += &failure(folder, &[&check[..], &["--wave", "s.vcd"]].concat(), 2);
    let queues = ["--engine", "event", "--queues"];
    told += &failure(folder, &[&check[..], &queues].concat(), 2);
    let capacities = ["--engine", "event", "--capacities", "2,2,2"];
    told += &failure(folder, &[&check[..], &capacities].concat(), 2);
    insta::assert_snapshot!(told);
}
