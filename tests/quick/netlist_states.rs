//! Checkpoints of `crosswave netlist`: resumed runs against whole ones, and what is refused.

use std::path::Path;

use serde_json::Value;

use super::netlist_triggers::{BRIDGE, number, table};
use crate::program::{failure, root, success, workplace};

/// The result of a run, without what a resumed one has of its own.
fn result(folder: &Path, arguments: &[&str], more: &[&str]) -> Value {
    let mut line = vec!["netlist", "--json", "-"];
    line.extend(arguments);
    line.extend(more);
    let mut result: Value = serde_json::from_str(&success(folder, &line)).expect("JSON");
    let fields = result.as_object_mut().expect("an object");
    fields.remove("performance");
    fields.remove("first_cycle");
    fields.remove("unknown_after_reset");
    result
}

/// Runs to `cycles` at once, and from checkpoints of the run, which look at other nets; compares results and windows.
pub(super) fn same_when_resumed(folder: &Path, arguments: &[&str], cycles: u64, every: u64) {
    let (count, every_text) = (cycles.to_string(), every.to_string());
    let saving = [
        "--checkpoints",
        "kept.states",
        "--checkpoint-every",
        &every_text,
    ];
    let half = (cycles / 2 + 1).to_string();
    // The file says which modules are arrays.
    let mut of_resumed = arguments.to_vec();
    of_resumed.retain(|argument| *argument != "--flat");
    if let Some(at) = of_resumed
        .iter()
        .position(|argument| *argument == "--array")
    {
        of_resumed.drain(at..at + 2);
    }
    result(
        folder,
        arguments,
        &[&saving[..], &["--cycles", &half]].concat(),
    );
    let whole = result(folder, arguments, &["--cycles", &count]);
    // The state at the end of the shorter run.
    let resumed = result(
        folder,
        &of_resumed,
        &["--cycles", &count, "--resume", "kept.states"],
    );
    assert_eq!(whole, resumed, "{arguments:?}");
    let last = cycles / 2;
    for (from, to) in [
        (0, 3),
        (every, every + 3),
        (2 * every + 1, 2 * every + 2),
        (last, last),
    ] {
        let window = format!("{from}..{to}");
        let shown = |file, resume: &[&'static str]| {
            let mut line = vec![
                "netlist", "-q", "--window", &window, "--scope", "*", "--vcd", file,
            ];
            // The reset ends before the run does.
            let end = (to + 1).max(20).to_string();
            line.extend(["--cycles", &end]);
            line.extend(match resume.is_empty() {
                true => arguments,
                false => &of_resumed,
            });
            line.extend(resume);
            success(folder, &line);
            std::fs::read_to_string(folder.join(file)).expect("a waveform")
        };
        let whole = shown("whole.vcd", &[]);
        let part = shown("part.vcd", &["--resume", "kept.states"]);
        assert!(whole == part, "{arguments:?} {window}");
    }
}

#[test]
fn a_run_goes_on_from_its_checkpoints() {
    let folder = workplace();
    let (systolic, bridge) = (
        root("examples/systolic/systolic.json"),
        root("examples/bridge/bridge.json"),
    );
    let systolic = systolic.to_str().expect("a path");
    let random = [systolic, "--reset", "rst", "--random-seed", "5"];
    for more in [&[][..], &["--flat"], &["--four-state"]] {
        same_when_resumed(folder.path(), &[&random[..], more].concat(), 300, 40);
    }
    let bridge = [&[bridge.to_str().expect("a path")][..], &BRIDGE].concat();
    same_when_resumed(folder.path(), &bridge, 400, 70);
    let stimulus = root("examples/systolic/stimulus.csv");
    let stimulus = stimulus.to_str().expect("a path");
    let driven = [
        systolic,
        "--reset",
        "rst",
        "--stimulus",
        stimulus,
        "--four-state",
    ];
    same_when_resumed(folder.path(), &driven, 40, 6);
}

#[test]
fn several_runs_go_on_and_so_does_a_search() {
    let folder = workplace();
    let systolic = root("examples/systolic/systolic.json");
    let netlist = systolic.to_str().expect("a path");
    let arguments = [
        netlist,
        "--reset",
        "rst",
        "--random-seed",
        "5",
        "--lanes",
        "70",
    ];
    let saving = ["--checkpoints", "kept.states", "--checkpoint-every", "100"];
    let whole = result(folder.path(), &arguments, &["--cycles", "250"]);
    result(
        folder.path(),
        &arguments,
        &[&saving[..], &["--cycles", "201"]].concat(),
    );
    let going_on = ["--cycles", "250", "--resume", "kept.states"];
    assert_eq!(whole, result(folder.path(), &arguments, &going_on));
    // Windows that begin at a state, in which something changes at once, and cycles before the trigger that lie before
    // the state that is nearest.
    for (condition, window, before) in [
        ("change(systolic.a)", "100..", "0"),
        ("change(systolic.a)", "150..", "60"),
        ("**.rows[7].columns[7].**.sum > 65000", "150..", "3"),
    ] {
        let search = [
            "--cycles",
            "100000",
            "--trigger",
            condition,
            "--window",
            window,
        ];
        let search = [&search[..], &["--before-cycles", before, "--vcd", "w.vcd"]].concat();
        let run = |more: &[&'static str]| {
            let found = result(folder.path(), &arguments, &[&search[..], more].concat());
            (
                found,
                std::fs::read(folder.path().join("w.vcd")).expect("a waveform"),
            )
        };
        let whole = run(&[]);
        assert!(
            whole == run(&["--resume", "kept.states"]),
            "{condition} {window}"
        );
        assert_eq!(whole.0["moments"].as_array().map(Vec::len), Some(1));
    }
    // From the last state on there are no cycles before it.
    let late = [
        "--cycles",
        "300",
        "--trigger",
        "systolic.rst == 0",
        "--resume",
        "kept.states",
    ];
    let late = result(folder.path(), &arguments, &late);
    assert_eq!(late["moments"][0]["from_cycle"], 201);
}

/// The reset and the stimulus of a run that goes on are those of a run from the beginning.
#[test]
fn other_inputs_count_when_a_run_goes_on() {
    let folder = workplace();
    let systolic = root("examples/systolic/systolic.json");
    let netlist = systolic.to_str().expect("a path");
    let mut line = vec![
        "netlist",
        netlist,
        "-q",
        "--reset",
        "rst",
        "--random-seed",
        "5",
    ];
    line.extend([
        "--cycles",
        "50",
        "--checkpoints",
        "kept.states",
        "--checkpoint-every",
        "10",
    ]);
    success(folder.path(), &line);
    std::fs::write(folder.path().join("s.csv"), "cycle,a,b\n0,1,5\n52,,7\n").expect("a file");
    let shown = |more: &[&str]| {
        let mut line = vec!["netlist", netlist, "-q", "--reset", "rst", "--cycles", "60"];
        line.extend(["--window", "50..", "--fst", "part.fst"]);
        line.extend(more);
        success(folder.path(), &line);
        table(&folder.path().join("part.fst"), 50, 10)
    };
    let driven = shown(&["--resume", "kept.states", "--stimulus", "s.csv"]);
    let number = |name: &str, cycle: usize| number(&driven[name][cycle]);
    assert_eq!(
        [0, 1, 9].map(|cycle| number("systolic.a", cycle)),
        [Some(1); 3]
    );
    assert_eq!(
        [1, 2].map(|cycle| number("systolic.b", cycle)),
        [Some(5), Some(7)]
    );
    let reset = [
        "--reset-cycles",
        "55",
        "--random-seed",
        "5",
        "--resume",
        "kept.states",
    ];
    let reset = shown(&reset);
    assert_eq!(reset["systolic.rst"].concat(), "1111100000");
    assert_eq!(
        reset["systolic.a"],
        shown(&["--random-seed", "5"])["systolic.a"]
    );
}

/// A flip-flop that nothing reads but itself.
const LONELY: &str = r#"{"modules":{"lonely":{"attributes":{"top":"1"},"ports":{
  "clk":{"direction":"input","bits":[2]},"d":{"direction":"input","bits":[3]},
  "q":{"direction":"output","bits":[4]}},"cells":{
  "read":{"type":"$_DFF_P_","port_directions":{"C":"input","D":"input","Q":"output"},
    "connections":{"C":[2],"D":[3],"Q":[4]}},
  "gate":{"type":"$_XOR_","port_directions":{"A":"input","B":"input","Y":"output"},
    "connections":{"A":[3],"B":[5],"Y":[6]}},
  "unread":{"type":"$_DFF_P_","port_directions":{"C":"input","D":"input","Q":"output"},
    "connections":{"C":[2],"D":[6],"Q":[5]}}},
  "netnames":{"clk":{"bits":[2]},"d":{"bits":[3]},"q":{"bits":[4]},"parity":{"bits":[5]}}}}}"#;

#[test]
fn what_nothing_reads_is_in_checkpoints_too() {
    let folder = workplace();
    std::fs::write(folder.path().join("lonely.json"), LONELY).expect("a file");
    for more in [&[][..], &["--four-state"]] {
        let arguments = [
            &["lonely.json", "--random-seed", "2", "--lanes", "1"][..],
            more,
        ]
        .concat();
        same_when_resumed(folder.path(), &arguments, 60, 10);
    }
}

#[test]
fn checkpoints_of_another_run_are_refused() {
    let folder = workplace();
    let systolic = root("examples/systolic/systolic.json");
    let netlist = systolic.to_str().expect("a path");
    let bridge = root("examples/bridge/bridge.json");
    let bridge = bridge.to_str().expect("a path");
    let run = [netlist, "--reset", "rst", "--random-seed", "5"];
    let mut line = vec!["netlist", "-q", "--checkpoints", "kept.states"];
    line.extend(["--cycles", "90"]);
    line.extend(run);
    success(folder.path(), &line);
    let kept = std::fs::read(folder.path().join("kept.states")).expect("a file");
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.path().join(name), bytes).expect("a file");
    };
    write("cut.states", &kept[..kept.len() - 1]);
    let mut changed = kept.clone();
    let middle = kept.len() / 2;
    changed[middle] ^= 1;
    write("changed.states", &changed);
    write("other.states", b"cycle,d\n");
    let mut said = String::new();
    let with = |more: &[&'static str]| {
        let mut line = vec!["netlist", "-q", "--cycles", "95"];
        line.extend(run);
        line.extend(more);
        line
    };
    let clocked = ["--clock", "clk=2"];
    let cases: [(i32, Vec<&str>); 10] = [
        (3, with(&["--resume", "cut.states"])),
        (3, with(&["--resume", "changed.states"])),
        (3, with(&["--resume", "other.states"])),
        (4, with(&["--resume", "none.states"])),
        (2, with(&["--resume", "kept.states", "--flat"])),
        (2, with(&["--resume", "kept.states", "--lanes", "2"])),
        (2, with(&["--resume", "kept.states", "--four-state"])),
        (
            2,
            with(&[&["--resume", "kept.states"][..], &clocked].concat()),
        ),
        (
            2,
            with(&["--resume", "kept.states", "--checkpoints", "kept.states"]),
        ),
        (
            3,
            vec![
                "netlist",
                bridge,
                "--clock",
                "left=3",
                "--clock",
                "right=2",
                "--cycles",
                "9",
                "--resume",
                "kept.states",
            ],
        ),
    ];
    for (code, line) in cases {
        said += &format!("{}\n", failure(folder.path(), &line, code));
    }
    insta::assert_snapshot!(said, @r"
    error: cut.states: its end: it is cut short
      help: run the netlist again with --checkpoints

    error: changed.states: the checkpoint of cycle 90: it is damaged: its digest is another one
      help: run the netlist again with --checkpoints

    error: other.states: header: it is no file of checkpoints
      help: such a file comes from `crosswave netlist --checkpoints FILE`

    error: none.states: file: reading failed: No such file or directory (os error 2)

    error: the argument '--resume <FILE>' cannot be used with '--flat'

    Usage: crosswave netlist --quiet --cycles <N> --reset <NAME[=low]> --random-seed <SEED> --resume <FILE> <FILE>

    For more information, try '--help'.

    error: command line: --lanes: kept.states is of one run, and this is 2 runs side by side
      help: give the options that the checkpoints were made with

    error: command line: --four-state: kept.states is of a run without X, and this is a run with X
      help: give the options that the checkpoints were made with

    error: command line: --clock: kept.states is of a run with the clocks clk=1, and this is a run with the clocks clk=2
      help: give the options that the checkpoints were made with

    error: command line: --checkpoints: kept.states is what the file of checkpoints is read from
      help: name another file

    error: kept.states: header: it is of another netlist
      help: name the netlist and the top that the checkpoints were made with
    ");
}
