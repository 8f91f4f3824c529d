//! `crosswave diff`: waveforms and tables of messages against each other.

use serde_json::{Value, json};

use crate::program::{crosswave, failure, read, success, workplace, write};

/// What is printed of two files that differ.
fn differs(folder: &std::path::Path, arguments: &[&str]) -> String {
    let output = crosswave(folder, &[&["diff"], arguments].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn engines_and_formats_give_one_waveform() {
    let work = workplace();
    let folder = work.path();
    for (engine, names) in [
        ("gate", ["g.vcd", "g.fst"]),
        ("event", ["e.vcd.gz", "e.fst"]),
    ] {
        for name in names {
            let run = ["run", "small.toml", "-q", "--engine", engine];
            success(
                folder,
                &[&run[..], &["--wave", name, "--messages", engine]].concat(),
            );
        }
    }
    for [left, right] in [
        ["g.vcd", "e.fst"],
        ["g.fst", "e.fst"],
        ["e.fst", "e.vcd.gz"],
    ] {
        let printed = success(folder, &["diff", left, right]);
        assert!(printed.ends_with(" signals are the same\n"), "{printed}");
    }
    for (name, copy) in [("gate", "gate.csv"), ("event", "event.csv")] {
        write(folder, copy, &read(folder, name));
    }
    let printed = success(folder, &["diff", "gate.csv", "event.csv"]);
    assert_eq!(printed, "64 messages are the same\n");

    let other = [
        "run",
        "small.toml",
        "-q",
        "--set",
        "run.seed=2",
        "--wave",
        "o.fst",
    ];
    success(folder, &other);
    let printed = differs(folder, &["g.vcd", "o.fst", "--scope", "**.node_*.tx_state"]);
    assert!(printed.contains("testbench.network.node_"), "{printed}");
    assert!(printed.contains(" (cycle "), "{printed}");
    // Cycle 0 is the reset, whatever the seed.
    let few = ["--scope", "**.node_3.tx_state", "--window", "0..0"];
    success(folder, &[&["diff", "g.vcd", "o.fst"][..], &few].concat());
}

#[test]
fn first_differences_have_a_time_and_a_cycle() {
    let work = workplace();
    let folder = work.path();
    let head = |unit: &str, more: &str| {
        format!(
            "$timescale {unit} $end $scope module top $end $var wire 1 c clk $end
             $var wire 4 d data $end {more} $upscope $end $enddefinitions $end\n"
        )
    };
    let extra = "$var wire 1 e extra $end";
    let body = "#0 1c b0 d #5 0c #10 1c b1010 d #15 0c #20 1c b11 d #25 0c #30 1c";
    write(folder, "a.vcd", &(head("1 ns", "") + body));
    let body =
        "#0 1c b0 d #5000 0c #10000 1c b1010 d #15000 0c #20000 1c b1x d #25000 0c #30000 1c";
    write(folder, "b.vcd", &(head("1 ps", extra) + body));
    let printed = differs(folder, &["a.vcd", "b.vcd"]);
    let expected = "top.extra: only in b.vcd\n\
                    top.data: time 20000 x 1 ps (cycle 2): 11 and 1x\n";
    assert_eq!(printed, expected);
    let output = crosswave(folder, &["diff", "a.vcd", "b.vcd", "--json", "-"]);
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let expected = json!({
        "same": false, "compared": 2, "only_left": [], "only_right": ["top.extra"],
        "timescale": "1 ps",
        "differences": [{"signal": "top.data", "time": 20000, "cycle": 2,
                         "left": "11", "right": "1x"}],
    });
    assert_eq!(found, expected);
    let data = ["--scope", "top.data"];
    success(
        folder,
        &[&["diff", "a.vcd", "b.vcd", "--window", "0..1"][..], &data].concat(),
    );
    differs(
        folder,
        &[&["a.vcd", "b.vcd", "--window", "1..2"][..], &data].concat(),
    );
}

#[test]
fn messages_are_compared_by_their_number() {
    let work = workplace();
    let folder = work.path();
    write(folder, "a.csv", "id,source,offered\n0,1,5\n1,2,6\n10,3,7\n");
    write(folder, "b.csv", "id,source,offered\n1,2,8\n0,1,5\n2,2,2\n");
    let expected = "message 10: only in a.csv\nmessage 2: only in b.csv\n\
                    message 1: offered: 6 and 8\n";
    assert_eq!(differs(folder, &["a.csv", "b.csv"]), expected);
    success(folder, &["diff", "a.csv", "a.csv"]);
    write(folder, "e.csv", "id,offered,replicate\n0,1,0\n0,1,1\n");
    write(folder, "f.csv", "id,offered,replicate\n0,1,0\n0,4,1\n");
    let expected = "message 0 of replicate 1: offered: 1 and 4\n";
    assert_eq!(differs(folder, &["e.csv", "f.csv"]), expected);
    write(folder, "c.csv", "id,offered\n0,1\n");
    differs(folder, &["a.csv", "c.csv"]);
    write(folder, "d.csv", "id,source\n0,1\n0,1,2\n");
    let said = failure(folder, &["diff", "d.csv", "d.csv"], 3);
    assert!(said.contains("d.csv: line 3"), "{said}");
    failure(folder, &["diff", "a.csv", "none.csv"], 4);
    failure(folder, &["diff", "a.csv", "small.toml"], 2);
    failure(folder, &["diff", "small.toml", "small.toml"], 3);
    failure(folder, &["diff", "a.csv", "b.csv", "--json", "a.csv"], 2);
}
