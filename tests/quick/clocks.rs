//! `crosswave netlist` with several clocks and both edges, against Icarus Verilog on the same netlist and on
//! the source.
//!
//! Needs Yosys and Icarus Verilog.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use crosswave_wave as wave;
use serde_json::Value;

use super::netlist::pin;
use super::netlist_scopes::same_as_icarus;
use crate::support::designs::{
    BenchClock, Design, Rows, Verilog, crosswave, csv, icarus_clocked, outputs, random_rows,
    synthesise, synthesise_by,
};

const BRIDGE: Design = Design {
    top: "bridge",
    source: "examples/bridge/bridge.v",
    reset: ("rst", '1'),
    inputs: &[pin("put", 18), pin("take", 18), pin("in", 72)],
    outputs: &[
        pin("full", 18),
        pin("empty", 18),
        pin("out", 72),
        pin("bits", 4),
        pin("falls", 4),
    ],
};

/// Clocks of the bridge, and what the command line says of them.
fn clocks(left: (usize, usize), right: (usize, usize)) -> ([BenchClock; 2], [String; 2]) {
    let clock = |name, (period, shift)| BenchClock {
        name,
        period,
        shift,
    };
    let said = |name, (period, shift)| match shift {
        0 => format!("{name}={period}"),
        _ => format!("{name}={period}+{shift}"),
    };
    (
        [clock("left", left), clock("right", right)],
        [said("left", left), said("right", right)],
    )
}

/// Keeps the memories of the bridge.
const KEEPING_MEMORIES: &str =
    "synth -run begin:fine; opt -full; techmap; opt -fast; abc -g simple; opt_clean";

/// Inputs of the bridge, with its reset long enough for both clocks.
fn rows(cycles: usize, seed: u64, x: bool) -> Rows {
    let mut rows = random_rows(&BRIDGE, cycles, seed, x);
    for row in &mut rows[1..12] {
        "1".clone_into(&mut row[0]);
    }
    rows
}

/// The outputs of a run, and how many of their bits are known and match; others are X in Icarus where X is not
/// computed with.
fn agree(found: &[Vec<String>], expected: &[Vec<String>], x: bool, case: &str) -> usize {
    assert_eq!(found.len(), expected.len(), "{case}");
    let mut known = 0;
    for (cycle, (found, expected)) in found.iter().zip(expected).enumerate() {
        for ((found, expected), pin) in found.iter().zip(expected).zip(BRIDGE.outputs) {
            for (found, expected) in found.chars().zip(expected.chars()) {
                if x || expected != 'x' {
                    assert_eq!(found, expected, "{case}: cycle {cycle}, {}", pin.name);
                    known += usize::from(expected != 'x');
                }
            }
        }
    }
    known
}

fn run(folder: &Path, arguments: &[&str]) -> Vec<Vec<String>> {
    let mut all = vec!["netlist", "netlist.json", "--vcd", "out.vcd", "--quiet"];
    all.extend(arguments);
    crosswave(folder, &all);
    let cycles = fs::read_to_string(folder.join("clocks.txt")).expect("levels");
    outputs(&BRIDGE, &folder.join("out.vcd"), cycles.lines().count())
}

#[test]
fn channels_between_clocks_of_any_ratio() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let folder = place.path();
    const CYCLES: usize = 300;
    let ratios = [
        ((1, 0), (2, 0)),
        ((3, 0), (2, 1)),
        ((2, 1), (2, 0)),
        ((5, 2), (4, 0)),
        ((1, 0), (10, 3)),
    ];
    for memories in [false, true] {
        match memories {
            false => synthesise(&BRIDGE, folder),
            true => synthesise_by(&BRIDGE, folder, KEEPING_MEMORIES),
        }
        for (number, (left, right)) in ratios.into_iter().enumerate() {
            let (bench, said) = clocks(left, right);
            let clocks = ["--clock", &said[0], "--clock", &said[1]];
            for x in [false, true] {
                let rows = rows(CYCLES, number as u64, x);
                fs::write(folder.join("s.csv"), csv(&BRIDGE, &rows)).expect("writable");
                let verilog = match number {
                    0 => Verilog::Source,
                    _ => Verilog::Netlist,
                };
                // X in the source is not X in gates.
                if x && verilog == Verilog::Source {
                    continue;
                }
                let expected = icarus_clocked(&BRIDGE, &bench, &rows, folder, false, verilog);
                for form in [&["--flat"][..], &["--array", "clock_fifo"]] {
                    let case = format!("{said:?} {form:?} X {x} memories {memories}");
                    let mut arguments = vec!["--stimulus", "s.csv"];
                    arguments.extend(clocks);
                    arguments.extend(form);
                    if x {
                        arguments.push("--four-state");
                    }
                    let known = agree(&run(folder, &arguments), &expected, x, &case);
                    let least = if x { 20 } else { 60 };
                    assert!(known > least * CYCLES, "{case}: {known}");
                }
            }
        }
    }
}

#[test]
fn the_example_is_current_and_its_clocks_are_asked_for() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/bridge");
    let place = tempfile::tempdir().expect("a temporary folder");
    let made = place.path().join("made.json");
    let script = Command::new(folder.join("make.sh")).arg(&made).status();
    assert!(script.expect("a shell").success());
    let [made, kept] = [made, folder.join("bridge.json")].map(fs::read);
    assert_eq!(made.ok(), kept.ok(), "examples/bridge/make.sh");
    let place = place.path();
    fs::write(place.join("table.csv"), "cycle,rst\n0,1\n4,0\n").expect("writable");
    fs::copy(folder.join("bridge.json"), place.join("bridge.json")).expect("a file");
    let mut log = String::new();
    for arguments in [
        "",
        "--stimulus table.csv",
        "--clock left=1",
        "--clock left",
        "--clock left=1 --clock right",
        "--clock left=1 --clock right=3",
        "--clock left=1 --clock right=1.5",
        "--clock left=0 --clock right=2",
        "--clock left=1 --clock right=2+",
        "--clock left=1 --clock right=2 --stimulus bridge.vcd",
        "--stimulus bridge.vcd --period 10",
    ] {
        if arguments.contains(".vcd") {
            let mut known = vec!["netlist", "bridge.json", "--vcd", "bridge.vcd", "--quiet"];
            known.extend("--clock left=1 --clock right=2 --cycles 9".split(' '));
            crosswave(place, &known);
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_crosswave"));
        command.args(["netlist", "bridge.json", "--cycles", "9"]);
        command
            .args(arguments.split_whitespace())
            .current_dir(place);
        let done = command.output().expect("runs");
        let said = String::from_utf8(done.stderr).expect("UTF-8");
        let said: Vec<&str> = said.lines().take(2).collect();
        let code = done.status.code().expect("a code");
        let _ = writeln!(log, "{arguments}: {code}\n{}", said.join("\n"));
    }
    insta::assert_snapshot!(log, @r"
    : 2
    error: command line: --clock: flip-flops follow `left` and both edges of `right`, and it is not known how they run
      help: give their periods in cycles, as in --clock left=1 --clock right=2; without --clock, a waveform with them as the stimulus says it
    --stimulus table.csv: 2
    error: command line: --clock: flip-flops follow `left` and both edges of `right`, and it is not known how they run
      help: give their periods in cycles, as in --clock left=1 --clock right=2; without --clock, a waveform with them as the stimulus says it
    --clock left=1: 2
    error: command line: --clock: `right` clocks flip-flops too, but its period is not known
      help: add --clock right=CYCLES
    --clock left: 2
    error: command line: --clock: flip-flops follow `left` and both edges of `right`, and it is not known how they run
      help: give their periods in cycles, as in --clock left=1 --clock right=2; without --clock, a waveform with them as the stimulus says it
    --clock left=1 --clock right: 2
    error: command line: --clock: 2 clocks are given, and `right` without a period
      help: write `right=CYCLES`, or leave all out if a waveform with the clocks is the stimulus
    --clock left=1 --clock right=3: 2
    error: command line: --clock: flip-flops act on the falling edges of `right`, which are within a cycle: its period is 3, expected an even number of cycles
      help: double the periods and shifts of all clocks
    --clock left=1 --clock right=1.5: 2
    error: invalid value 'right=1.5' for '--clock <NAME[=PERIOD[+SHIFT]]>': the period is `1.5`, expected a whole number of cycles from 1 to 4294967296; a cycle is the unit of all periods and shifts: for 1 and 1.5 write 2 and 3

    --clock left=0 --clock right=2: 2
    error: invalid value 'left=0' for '--clock <NAME[=PERIOD[+SHIFT]]>': the period is `0`, expected a whole number of cycles from 1 to 4294967296

    --clock left=1 --clock right=2+: 2
    error: invalid value 'right=2+' for '--clock <NAME[=PERIOD[+SHIFT]]>': the shift is ``, expected a whole number of cycles from 0 to 4294967296

    --clock left=1 --clock right=2 --stimulus bridge.vcd: 2
    error: command line: --clock: periods of clocks are given, and a waveform, which has edges of its own
      help: leave --clock out, so that the edges of the waveform count, or give the length of a cycle in the waveform with --period
    --stimulus bridge.vcd --period 10: 2
    error: command line: --period: the clocks are those of the waveform, whose edges end the cycles
      help: leave it out, or say how the clocks run with --clock NAME=PERIOD
    ");
}

#[test]
fn the_clocks_of_a_waveform_are_followed() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let folder = place.path();
    const CYCLES: usize = 400;
    synthesise(&BRIDGE, folder);
    let (bench, said) = clocks((7, 0), (4, 3));
    let rows = rows(CYCLES, 5, false);
    fs::write(folder.join("s.csv"), csv(&BRIDGE, &rows)).expect("writable");
    let expected = icarus_clocked(&BRIDGE, &bench, &rows, folder, true, Verilog::Netlist);
    let clocks = ["--clock", &said[0], "--clock", &said[1]];
    let mut arguments = vec!["--stimulus", "s.csv"];
    arguments.extend(clocks);
    arguments.extend(["--scope", "*"]);
    agree(&run(folder, &arguments), &expected, false, "a table");
    let dump = wave::read_file(&folder.join("icarus.vcd")).expect("a waveform");
    let names = same_as_icarus(&BRIDGE, folder, "out.vcd", &dump, CYCLES, false, false);
    let clocks_inside = [
        "channel[2].genblk1.over.reader.clk",
        "nright",
        "pin[3].b.nclk",
        "t.clk",
    ];
    assert!(
        clocks_inside.iter().all(|name| names.contains_key(*name)),
        "{names:?}"
    );
    // The waveform that was written, cycle by cycle, gives the same waveform.
    fs::rename(folder.join("out.vcd"), folder.join("first.vcd")).expect("a file");
    let mut arguments = vec!["--stimulus", "first.vcd", "--period", "10"];
    arguments.extend(["--stimulus-scope", "bridge", "--scope", "*"]);
    arguments.extend(clocks);
    run(folder, &arguments);
    let read = |name: &str| fs::read(folder.join(name)).expect("a file");
    assert!(read("out.vcd") == read("first.vcd"));
    // Both waveforms by their edges, two runs side by side: in each run, cycles end where one of its clocks has
    // an edge, and then the outputs are those of the last cycle before.
    let (other, _) = self::clocks((3, 1), (6, 0));
    let ends = |bench: &[BenchClock]| {
        let rises = |clock: &BenchClock, cycle: usize| {
            (cycle + 1) % clock.period == clock.shift % clock.period
        };
        let falls = |clock: &BenchClock, cycle: usize| {
            let half = clock.period / 2;
            (cycle + 1) % clock.period == (clock.shift + half) % clock.period
        };
        let [left, right] = [bench[0], bench[1]];
        let is_end =
            |&cycle: &usize| rises(&left, cycle) || rises(&right, cycle) || falls(&right, cycle);
        (0..CYCLES).filter(is_end).collect::<Vec<usize>>()
    };
    fs::rename(folder.join("icarus.vcd"), folder.join("one.vcd")).expect("a file");
    let of_other = icarus_clocked(&BRIDGE, &other, &rows, folder, true, Verilog::Netlist);
    fs::rename(folder.join("icarus.vcd"), folder.join("two.vcd")).expect("a file");
    let arguments = [
        "netlist",
        "netlist.json",
        "--stimulus",
        "one.vcd",
        "--stimulus",
        "two.vcd",
        "--fst",
        "out.fst",
        "--json",
        "out.json",
        "--quiet",
    ];
    crosswave(folder, &arguments);
    for (run, (bench, expected)) in [(bench, expected), (other, of_other)]
        .into_iter()
        .enumerate()
    {
        let ends = ends(&bench);
        let found = outputs(&BRIDGE, &folder.join(format!("out.{run}.fst")), ends.len());
        let expected: Vec<_> = ends.iter().map(|&end| expected[end].clone()).collect();
        let known = agree(&found, &expected, false, &format!("run {run}"));
        assert!(known > 30 * ends.len());
    }
    let text = fs::read_to_string(folder.join("out.json")).expect("a file");
    let result: Value = serde_json::from_str(&text).expect("JSON");
    insta::assert_snapshot!(
        serde_json::to_string_pretty(&result["clocks"]).expect("JSON"),
        @r#"
    [
      {
        "name": "left",
        "period_cycles": null,
        "shift_cycles": null,
        "rising_edges_act": true,
        "falling_edges_act": false
      },
      {
        "name": "right",
        "period_cycles": null,
        "shift_cycles": null,
        "rising_edges_act": true,
        "falling_edges_act": true
      }
    ]
    "#
    );
}
