//! Windows and triggers of `crosswave netlist`: moments, against what another reader sees in the waveform of the whole
//! run, and windows against its cycles.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::formats::of_fst;
use crate::program::{crosswave, failure, root, success, workplace};

/// Options of examples/bridge.
pub(super) const BRIDGE: [&str; 10] = [
    "--reset",
    "rst",
    "--reset-cycles",
    "12",
    "--clock",
    "left=3",
    "--clock",
    "right=2",
    "--random-seed",
    "9",
];

/// The value of every signal in each cycle, in binary, by path.
pub(super) type Table = BTreeMap<String, Vec<String>>;

/// The cycles of a waveform that has them from `first` on.
pub(super) fn table(path: &Path, first: u64, cycles: u64) -> Table {
    let of_signal = |changes: Vec<(u64, String)>| {
        let in_cycle = |cycle: u64| {
            let before = changes.partition_point(|(time, _)| *time <= 10 * cycle + 4);
            changes[before - 1].1.clone()
        };
        (first..first + cycles).map(in_cycle).collect()
    };
    let values = of_fst(path).into_iter();
    values
        .map(|(path, changes)| (path, of_signal(changes)))
        .collect()
}

/// The signals in a cycle, and in the one before.
pub struct Seen<'a> {
    table: &'a Table,
    cycle: usize,
}

impl Seen<'_> {
    fn matching(&self, parts: [&str; 2]) -> impl Iterator<Item = &Vec<String>> {
        let is_meant = move |path: &str| path.contains(parts[0]) && path.ends_with(parts[1]);
        let mut found = self
            .table
            .iter()
            .filter(move |(path, _)| is_meant(path))
            .peekable();
        assert!(found.peek().is_some(), "{parts:?}");
        found.map(|(_, values)| values)
    }

    /// True when a signal has a value that is so; those with X have none.
    pub(super) fn any(&self, parts: [&str; 2], test: impl Fn(u128) -> bool) -> bool {
        let mut all = self.matching(parts);
        all.any(|values| number(&values[self.cycle]).is_some_and(&test))
    }

    /// True when a signal has two values that are so, before the edge and now.
    fn edge(&self, parts: [&str; 2], test: impl Fn(u128, u128) -> bool) -> bool {
        let Some(before) = self.cycle.checked_sub(1) else {
            return false;
        };
        let mut all = self.matching(parts);
        all.any(|values| {
            let numbers = number(&values[before]).zip(number(&values[self.cycle]));
            numbers.is_some_and(|(before, now)| test(before, now))
        })
    }

    fn unknown(&self, parts: [&str; 2]) -> bool {
        let mut all = self.matching(parts);
        all.any(|values| number(&values[self.cycle]).is_none())
    }
}

pub(super) fn number(value: &str) -> Option<u128> {
    u128::from_str_radix(value, 2).ok()
}

/// A condition, and the same on what was seen.
pub(super) type Condition<'a> = (&'a str, &'a dyn Fn(&Seen<'_>) -> bool);

/// A run, whose whole waveforms were written.
pub(super) struct Whole<'a> {
    pub folder: &'a Path,
    pub arguments: Vec<&'a str>,
    pub cycles: u64,
    /// By run.
    pub tables: Vec<Table>,
}

impl<'a> Whole<'a> {
    pub(super) fn new(
        folder: &'a Path,
        arguments: &[&'a str],
        runs: usize,
        cycles: u64,
    ) -> Whole<'a> {
        let mut line = vec!["netlist", "--quiet", "--fst", "whole.fst"];
        let count = cycles.to_string();
        line.extend(arguments);
        line.extend(["--cycles", &count]);
        success(folder, &line);
        let path = |run: usize| match runs {
            1 => folder.join("whole.fst"),
            _ => folder.join(format!("whole.{run}.fst")),
        };
        Whole {
            folder,
            arguments: arguments.to_vec(),
            cycles,
            tables: (0..runs).map(|run| table(&path(run), 0, cycles)).collect(),
        }
    }

    /// The moments of a condition in cycles from `first` on: cycle, run, window.
    fn moments(&self, condition: Condition<'_>, plan: [u64; 4]) -> Vec<[u64; 4]> {
        let [before, after, wanted, mut armed] = plan;
        let mut moments = Vec::new();
        for cycle in 0..self.cycles {
            let seen = |table| Seen {
                table,
                cycle: cycle as usize,
            };
            let mut runs = self.tables.iter().map(seen);
            if cycle < armed || moments.len() as u64 == wanted {
                continue;
            }
            if let Some(run) = runs.position(|seen| condition.1(&seen)) {
                let to = cycle + after;
                moments.push([cycle, run as u64, cycle.saturating_sub(before), to]);
                armed = to + 1;
            }
        }
        moments
    }

    /// Runs with a trigger, and compares moments and windows.
    pub(super) fn same(&self, condition: Condition<'_>, plan: [u64; 4]) {
        let [before, after, wanted, first] = plan.map(|number| number.to_string());
        let (window, count) = (format!("{first}.."), self.cycles.to_string());
        let mut line = vec!["netlist", "--json", "-", "--fst", "part.fst"];
        line.extend(&self.arguments);
        line.extend([
            "--cycles",
            &count,
            "--trigger",
            condition.0,
            "--window",
            &window,
        ]);
        line.extend(["--before-cycles", &before, "--after-cycles", &after]);
        line.extend(["--triggers", &wanted]);
        let expected = self.moments(condition, plan);
        assert_eq!(expected.len() as u64, plan[2], "{}", condition.0);
        let result: Value = serde_json::from_str(&success(self.folder, &line)).expect("JSON");
        let moments = result["moments"].as_array().expect("moments").iter();
        let found = moments.map(|moment| {
            let number = |name: &str| moment[name].as_u64().expect("a number");
            ["cycle", "lane", "from_cycle", "to_cycle"].map(number)
        });
        let found: Vec<[u64; 4]> = found.collect();
        let last = self.cycles - 1;
        let expected = expected.into_iter();
        let expected = expected.map(|[cycle, run, from, to]| [cycle, run, from, to.min(last)]);
        assert_eq!(found, expected.collect::<Vec<_>>(), "{}", condition.0);
        for (number, [_, run, from, to]) in found.iter().enumerate() {
            let file = match found.len() {
                1 => "part.fst".to_owned(),
                _ => format!("part.{number}.fst"),
            };
            let part = table(&self.folder.join(file), *from, to - from + 1);
            for (path, values) in &part {
                let whole = &self.tables[*run as usize][path][*from as usize..];
                assert_eq!(&whole[..values.len()], values, "{} {path}", condition.0);
            }
            assert_eq!(part.len(), self.tables[0].len());
        }
        // It ends behind the last window.
        let end = found.last().expect("one")[3] + 1;
        assert_eq!(result["cycles"], end);
        assert_eq!(result["finished"], true);
    }
}

#[test]
fn a_trigger_finds_the_first_cycle_of_any_run_and_shows_that_run() {
    let folder = workplace();
    let systolic = root("examples/systolic/systolic.json");
    let netlist = systolic.to_str().expect("a path");
    for more in [&[][..], &["--flat"], &["--four-state"]] {
        let mut arguments = vec![
            netlist,
            "--reset",
            "rst",
            "--random-seed",
            "3",
            "--lanes",
            "3",
        ];
        arguments.extend([
            "--scope",
            "**.rows[?].columns[3].**.sum",
            "--scope",
            "**.a_out",
        ]);
        arguments.extend(more);
        let whole = Whole::new(folder.path(), &arguments, 3, 14_000);
        let sum = ["columns[3].cell_of", ".sum"];
        let drain = ["systolic", ".drain"];
        let c = ["systolic", ".c"];
        // From the beginning on, and far after the first state that is kept.
        let first: [Condition<'_>; 2] = [
            ("**.columns[3].**.sum == 54321", &|seen| {
                seen.any(sum, |value| value == 54_321)
            }),
            (
                "rise(systolic.drain) && systolic.c >= 0x8000000000000000",
                &|seen| {
                    seen.edge(drain, |before, now| now > before)
                        && seen.any(c, |value| value >= 1 << 63)
                },
            ),
        ];
        let later: [Condition<'_>; 2] = [
            ("fall(systolic.c) and not change(systolic.drain)", &|seen| {
                seen.edge(c, |before, now| now < before)
                    && !seen.edge(drain, |before, now| now != before)
            }),
            (
                "**.rows[7].columns[3].**.sum > 0b1111111110000000 || systolic.c < 1",
                &|seen| {
                    seen.any(["rows[7].columns[3].cell_of", ".sum"], |value| {
                        value > 0xff80
                    }) || seen.any(c, |value| value < 1)
                },
            ),
        ];
        for condition in first {
            whole.same(condition, [5, 4, 1, 0]);
        }
        for condition in later {
            whole.same(condition, [20, 3, 3, 9_000]);
        }
    }
}

#[test]
fn x_can_be_looked_for() {
    let folder = workplace();
    let systolic = root("examples/systolic/systolic.json");
    let netlist = systolic.to_str().expect("a path");
    let stimulus = "cycle,drain,a,b\n0,0,1,2\n40,0,x,3\n41,0,1,2\n60,1,,\n";
    std::fs::write(folder.path().join("x.csv"), stimulus).expect("a file");
    let arguments = [
        netlist,
        "--reset",
        "rst",
        "--stimulus",
        "x.csv",
        "--four-state",
        "--scope",
        "**.sum",
    ];
    let whole = Whole::new(folder.path(), &arguments, 1, 90);
    let (sum, c) = (["systolic", ".sum"], ["systolic", ".c"]);
    whole.same(
        ("!unknown(**.sum)", &|seen| !seen.unknown(sum)),
        [2, 2, 1, 0],
    );
    whole.same(("unknown(**.sum)", &|seen| seen.unknown(sum)), [2, 2, 2, 5]);
    whole.same(
        ("unknown(systolic.c) or change(systolic.drain)", &|seen| {
            seen.unknown(c) || seen.edge(["systolic", ".drain"], |before, now| now != before)
        }),
        [0, 0, 2, 5],
    );
}

#[test]
fn clocks_and_their_states_are_as_in_the_whole_run() {
    let folder = workplace();
    let bridge = root("examples/bridge/bridge.json");
    let netlist = bridge.to_str().expect("a path");
    let mut arguments = [&[netlist][..], &BRIDGE].concat();
    arguments.extend(["--scope", "*"]);
    let whole = Whole::new(folder.path(), &arguments, 1, 9_500);
    let left = ["bridge", "bridge.left"];
    whole.same(
        ("rise(bridge.left) && bridge.bits >= 3", &|seen| {
            seen.edge(left, |before, now| now > before)
                && seen.any(["bridge", "bridge.bits"], |value| value >= 3)
        }),
        [3, 3, 2, 8_700],
    );
}

#[test]
fn a_window_shows_its_cycles_and_no_others() {
    let folder = workplace();
    let systolic = root("examples/systolic/systolic.json");
    let netlist = systolic.to_str().expect("a path");
    let arguments = [
        netlist,
        "--reset",
        "rst",
        "--random-seed",
        "3",
        "--lanes",
        "2",
    ];
    let whole = Whole::new(folder.path(), &arguments, 2, 50);
    for (window, first, last) in [("20..29", 20, 29), ("..3", 0, 3), ("45..100", 45, 49)] {
        let mut line = vec!["netlist", "-q", "--fst", "part.fst", "--window", window];
        line.extend(["--cycles", "50"]);
        line.extend(arguments);
        success(folder.path(), &line);
        for run in 0..2 {
            let path = folder.path().join(format!("part.{run}.fst"));
            let part = table(&path, first, last - first + 1);
            for (name, values) in &part {
                let seen = &whole.tables[run][name];
                assert_eq!(
                    &seen[first as usize..=last as usize],
                    values,
                    "{window} {name}"
                );
            }
            let times = of_fst(&path);
            let times = times.values().flatten().map(|(time, _)| *time);
            let (least, most) = (times.clone().min(), times.max());
            assert_eq!(least, Some(10 * first));
            assert!(most <= Some(10 * (last + 1)), "{most:?}");
        }
    }
}

#[test]
fn wrong_triggers_and_windows_are_refused() {
    let folder = workplace();
    let systolic = root("examples/systolic/systolic.json");
    let netlist = systolic.to_str().expect("a path");
    let mut said = String::new();
    for (code, arguments) in [
        (2, &["--trigger", "systolic.drain = 1"][..]),
        (2, &["--trigger", "systolic.dran == 1"]),
        (2, &["--trigger", "systolic.drain == HIGH"]),
        (2, &["--trigger", "rize(systolic.drain)"]),
        (2, &["--trigger", "unknown(systolic.c)"]),
        (2, &["--trigger", "(systolic.c == 1"]),
        (2, &["--trigger", ""]),
        (2, &["--window", "50.."]),
        (2, &["--window", "9..3"]),
        (2, &["--triggers", "2"]),
        (2, &["--trigger", "systolic.c == 1", "--triggers", "0"]),
        (
            2,
            &[
                "--trigger",
                "systolic.c == 1",
                "--triggers",
                "2",
                "--wave",
                "-",
                "--wave-format",
                "vcd",
            ],
        ),
        (1, &["--trigger", "systolic.c == 77", "--fst", "none.fst"]),
        (1, &["--trigger", "systolic.c == 77", "--window", "3..4"]),
    ] {
        let mut line = vec!["netlist", netlist, "--reset", "rst", "--cycles", "50", "-q"];
        line.extend(arguments);
        said += &format!(
            "{}\n{}\n",
            arguments.join(" "),
            failure(folder.path(), &line, code)
        );
    }
    assert!(!folder.path().join("none.fst").exists());
    insta::assert_snapshot!(said, @r"
    --trigger systolic.drain = 1
    error: --trigger: character 1: found `=` after `systolic.drain`; expected ==, !=, <, <=, > or >=
      help: such as `**.state == 3`, `rise(top.valid) && top.data != 0` or `unknown(**.sum)`

    --trigger systolic.dran == 1
    error: --trigger: character 1: pattern `systolic.dran`: matches no scope and no signal
      help: did you mean `systolic.drain`?

    --trigger systolic.drain == HIGH
    error: --trigger: character 19: found `HIGH`; expected a number of at most 64 bits
      help: nets have no named values: write 12, 0xc or 0b1100

    --trigger rize(systolic.drain)
    error: --trigger: character 1: found `(` after `rize`; expected ==, !=, <, <=, > or >=
      help: did you mean `rise`?

    --trigger unknown(systolic.c)
    error: --trigger: character 1: nothing is X, since X is not computed with
      help: add --four-state

    --trigger (systolic.c == 1
    error: --trigger: character 17: found the end; expected `)`
      help: such as `**.state == 3`, `rise(top.valid) && top.data != 0` or `unknown(**.sum)`

    --trigger 
    error: --trigger: character 1: found the end; expected a test
      help: such as `**.state == 3`, `rise(top.valid) && top.data != 0` or `unknown(**.sum)`

    --window 50..
    error: command line: --window: the window begins at cycle 50, and the run has 50 cycles
      help: begin it earlier, or run more cycles with --cycles

    --window 9..3
    error: command line: --window: the window `9..3` ends before it begins
      help: write it as `3..9`

    --triggers 2
    error: the following required arguments were not provided:
      --trigger <CONDITION>

    Usage: crosswave netlist --trigger <CONDITION> --reset <NAME[=low]> --cycles <N> --quiet --triggers <N> <FILE>

    For more information, try '--help'.

    --trigger systolic.c == 1 --triggers 0
    error: invalid value '0' for '--triggers <N>': 0 is not in 1..=256

    For more information, try '--help'.

    --trigger systolic.c == 1 --triggers 2 --wave - --wave-format vcd
    error: command line: --wave: standard output is no regular file, and each of 2 triggers has a waveform
      help: name a file; a number is put into its name

    --trigger systolic.c == 77 --fst none.fst
    error: run: --trigger: the condition was never true in cycles 0 to 49
      help: look at the condition, or run more cycles; no waveform is written

    --trigger systolic.c == 77 --window 3..4
    error: run: --trigger: the condition was never true in cycles 3 to 4
      help: --window limits the search to these cycles; no waveform is written
    ");
}

#[test]
fn fewer_triggers_than_wanted_are_told() {
    let folder = workplace();
    let systolic = root("examples/systolic/systolic.json");
    let netlist = systolic.to_str().expect("a path");
    let mut line = vec!["netlist", netlist, "--reset", "rst", "--cycles", "50"];
    line.extend([
        "--trigger",
        "fall(systolic.rst)",
        "--triggers",
        "3",
        "--vcd",
        "few.vcd",
    ]);
    let output = crosswave(folder.path(), &line);
    assert!(output.status.success());
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stderr), @r"
    warning: --triggers: 1 of 3 moments came; few.1.vcd and the files after it are not written
    few.0.vcd: triggered in cycle 1, shows cycles 0 to 49
    ");
    assert!(folder.path().join("few.0.vcd").exists() && !folder.path().join("few.1.vcd").exists());
}
