//! Waveforms as `crosswave run` records them and `crosswave show` draws them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::program::{failure, success};

fn crosswave(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_crosswave"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program starts")
}

/// Runs the program, which has to end with `code`, and gives what it prints and says.
fn ends(folder: &Path, arguments: &[&str], code: i32) -> (String, String) {
    let output = crosswave(folder, arguments);
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let (printed, said) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    (printed, said)
}

/// Runs the program, which has to succeed, and gives what it prints.
fn prints(folder: &Path, arguments: &[&str]) -> String {
    ends(folder, arguments, 0).0
}

/// A folder with a configuration of 16 nodes, `small.toml`.
fn workplace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "[network]\nkind = \"fat-tree\"\nnodes = 16\n\
                [traffic]\npattern = \"random\"\nwords = 4\n[run]\nengine = \"event\"\n";
    fs::write(folder.path().join("small.toml"), text).expect("writable");
    folder
}

/// Records a waveform of `small.toml`, `w.vcd`, and gives the cycles of the run.
fn record(folder: &Path, sets: &[&str]) -> u64 {
    let mut arguments = vec!["run", "small.toml", "--vcd", "w.vcd", "--json", "-"];
    for set in sets {
        arguments.extend(["--set", set]);
    }
    let json: Value = serde_json::from_str(&prints(folder, &arguments)).expect("JSON");
    json["cycles"].as_u64().expect("a number")
}

#[test]
fn a_window_behind_the_end_is_an_error() {
    let work = workplace();
    let last = record(work.path(), &[]);
    let show = |window: &str, code| {
        let arguments = ["show", "w.vcd", "--scope", "**.node_0.tx_done", "--window"];
        ends(work.path(), &[&arguments[..], &[window]].concat(), code)
    };
    let expected = format!(
        "error: w.vcd: --window: the window begins at cycle {}, and the waveform has {} cycles, 0 to \
         {last}\n",
        last + 1,
        last + 1
    );
    let (printed, said) = show(&format!("{}..{}", last + 1, last + 9), 2);
    assert_eq!(printed, "");
    assert!(said.starts_with(&expected), "{said}");
    show("100000000..", 2);
    show("18446744073709551615..", 2);
    // The last cycle can be shown, and a window may end behind it.
    assert_eq!(
        show(&format!("{last}.."), 0),
        show(&format!("{last}..{last}"), 0)
    );
    assert_eq!(
        show(&format!("{last}..{}", last + 9), 0),
        show(&format!("{last}.."), 0)
    );
}

/// One rule: both ends are in a window.
#[test]
fn windows_include_both_ends() {
    let work = workplace();
    record(work.path(), &["wave.window_cycles=[7, 9]"]);
    let text = fs::read_to_string(work.path().join("w.vcd")).expect("readable");
    let times: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!((times[0], *times.last().expect("one")), ("#70", "#100"));
    assert!(times.contains(&"#90"));
    let arguments = [
        "show",
        "w.vcd",
        "--scope",
        "**.node_0.clock",
        "--window",
        "7..9",
    ];
    let printed = prints(work.path(), &arguments);
    let ruler = printed.lines().next().expect("a line");
    assert_eq!(ruler, "cycle    7   8   9");
    assert_eq!(printed.lines().last(), Some("  clock  ╱▔╲▁╱▔╲▁╱▔╲▁"));
    for command in [&["show", "--help"][..], &["keys", "wave.window_cycles"]] {
        let help = prints(work.path(), command);
        assert!(help.contains("both included"), "{command:?}: {help}");
    }
}

#[test]
fn what_is_drawn_without_options_fits() {
    let work = workplace();
    record(work.path(), &[]);
    let printed = prints(work.path(), &["show", "w.vcd"]);
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines.len() <= 24, "{printed}");
    let drawn = lines.iter().take_while(|line| !line.starts_with('…'));
    assert!(drawn.clone().count() >= 18, "{printed}");
    assert!(
        drawn.clone().all(|line| line.chars().count() <= 80),
        "{printed}"
    );
    assert!(
        drawn.clone().any(|line| line.chars().count() > 60),
        "{printed}"
    );
    assert!(
        printed.contains("… chosen: ") && printed.contains("--list"),
        "{printed}"
    );
    // The hint at more cycles is a window that can be given.
    let (_, window) = printed.split_once("--window ").expect("a window");
    let next = prints(work.path(), &["show", "w.vcd", "--window", window.trim()]);
    let first = window.split("..").next().expect("a cycle");
    let ruler = next.lines().next().expect("a line");
    assert_eq!(ruler.split_whitespace().nth(1), Some(first), "{next}");
    let ascii = prints(work.path(), &["show", "w.vcd", "--ascii"]);
    assert!(ascii.is_ascii());
}

#[test]
fn scopes_and_signals_are_listed() {
    let work = workplace();
    record(work.path(), &[]);
    let list = ["show", "w.vcd", "--list", "--scope", "**.node_3"];
    insta::assert_snapshot!(prints(work.path(), &list));
    let json = prints(work.path(), &[&list[..], &["--json", "-"]].concat());
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["timescale"], "1 ns");
    let scopes = json["scopes"].as_array().expect("a list");
    assert_eq!(scopes.len(), 1);
    assert_eq!(scopes[0]["path"], "testbench.network.node_3");
    let signals = scopes[0]["signals"].as_array().expect("a list");
    let find = |name: &str| signals.iter().find(|signal| signal["name"] == name);
    let data = find("net_in_data").expect("a port");
    assert_eq!((&data["width"], &data["kind"]), (&8.into(), &"bits".into()));
    let state = find("tx_state_name").expect("a name");
    assert_eq!(
        (&state["width"], &state["kind"]),
        (&Value::Null, &"text".into())
    );
    // All scopes: 16 nodes and 32 routers.
    prints(
        work.path(),
        &["show", "w.vcd", "--list", "--json", "list.json"],
    );
    let all = fs::read(work.path().join("list.json")).expect("written");
    let all: Value = serde_json::from_slice(&all).expect("JSON");
    assert_eq!(all["scopes"].as_array().expect("a list").len(), 48);
    ends(
        work.path(),
        &["show", "w.vcd", "--list", "--window", "1..2"],
        2,
    );
}

/// The value of every signal in the first cycle of a window, and those that follow it.
#[test]
fn a_window_is_written_as_json() {
    let work = workplace();
    let text = "$timescale 1 ns $end $scope module top $end $var wire 1 c clk $end
        $var wire 4 d data $end $scope module sub $end $var string 1 n name $end
        $var real 64 r level $end $upscope $end $upscope $end $enddefinitions $end
        #0 1c bx d sIDLE n #5 0c #10 1c b1010 d #15 0c b11 d #20 1c b101 d r0.5 r #25 0c
        #30 1c sBUSY n b101 d #35 0c #40 1c b1z d #45 0c #50";
    fs::write(work.path().join("j.vcd"), text).expect("writable");
    let json = |more: &[&str]| -> Value {
        let show = ["show", "j.vcd", "--json", "-"];
        let printed = prints(work.path(), &[&show[..], more].concat());
        serde_json::from_str(&printed).expect("JSON")
    };
    let all = json(&[]);
    let expected = serde_json::json!({
        "timescale": "1 ns",
        "period": 10,
        "window_cycles": [0, 4],
        "signals": [
            {"scope": "top", "signal": "clk", "width": 1, "changes": [[0, "1"]]},
            {"scope": "top", "signal": "data", "width": 4,
             "changes": [[0, "x"], [1, "A"], [2, "5"], [4, "Z"]]},
            {"scope": "top.sub", "signal": "name", "width": null,
             "changes": [[0, "IDLE"], [3, "BUSY"]]},
            {"scope": "top.sub", "signal": "level", "width": null,
             "changes": [[0, null], [2, 0.5]]},
        ],
    });
    assert_eq!(all, expected);
    let some = json(&[
        "--scope", "top.data", "--window", "1..3", "--radix", "binary",
    ]);
    assert_eq!(some["window_cycles"], serde_json::json!([1, 3]));
    let signals = some["signals"].as_array().expect("a list");
    assert_eq!(signals.len(), 1);
    let changes = serde_json::json!([[1, "1010"], [2, "0101"]]);
    assert_eq!(signals[0]["changes"], changes);
    let behind = ["show", "j.vcd", "--json", "-", "--window", "5..9"];
    ends(work.path(), &behind, 2);
    let both = ["show", "j.vcd", "--json", "-", "--svg", "j.svg"];
    ends(work.path(), &both, 2);
}

#[test]
fn values_have_a_radix() {
    let work = workplace();
    let text = "$scope module top $end $var wire 70 ! wide $end $var wire 8 # d $end $upscope $end
        $enddefinitions $end #0 b1 ! b11111111 # #10 bx # #20 b1x01 # #30
        b1000000000000000000000000000000000000000000000000000000000000000000000 ! b0 # #40";
    fs::write(work.path().join("r.vcd"), text).expect("writable");
    let mut drawn = String::new();
    for radix in ["hex", "decimal", "binary"] {
        let show = ["show", "r.vcd", "--window", "0..3", "--radix", radix];
        drawn += &prints(work.path(), &show);
    }
    insta::assert_snapshot!(drawn);
}

/// All chips have one clock and one reset, so a waveform has one code for each.
#[test]
fn a_waveform_has_one_clock() {
    let work = workplace();
    record(work.path(), &[]);
    let text = fs::read_to_string(work.path().join("w.vcd")).expect("readable");
    for (name, variables) in [("clock", 48), ("reset", 48), ("node", 16)] {
        let codes = text.lines().filter_map(|line| {
            let mut words = line.strip_prefix("$var ")?.split(' ').skip(2);
            let code = words.next()?;
            (words.next()? == name).then_some(code)
        });
        assert_eq!(codes.clone().count(), variables, "{name}");
        let different: BTreeSet<&str> = codes.collect();
        assert_eq!(
            different.len(),
            if name == "node" { 16 } else { 1 },
            "{name}"
        );
    }
    // One of the chips will do.
    let show = ["--scope", "**.clock", "--window", "1..2"];
    record(
        work.path(),
        &["wave.scopes=['**.router_1_3', '**.node_2.clock']"],
    );
    let printed = prints(work.path(), &[&["show", "w.vcd"], &show[..]].concat());
    assert_eq!(printed.matches("╱▔╲▁╱▔╲▁").count(), 2, "{printed}");
}

#[test]
fn random_pins_are_recorded_on_request() {
    let work = workplace();
    let random = ["show", "w.vcd", "--list", "--scope", "**.random_*"];
    record(work.path(), &[]);
    ends(work.path(), &random, 2);
    let without = fs::metadata(work.path().join("w.vcd"))
        .expect("written")
        .len();
    record(work.path(), &["wave.random_pins=true"]);
    assert!(prints(work.path(), &random).contains("router_0_0\n  random"));
    let with = fs::metadata(work.path().join("w.vcd"))
        .expect("written")
        .len();
    assert!(with > without + without / 10, "{with} {without}");
    let run = [
        "run",
        "small.toml",
        "--vcd",
        "x.vcd",
        "--set",
        "wave.scopes=['**.random_up']",
    ];
    let (_, said) = ends(work.path(), &run, 2);
    assert!(
        said.contains("matches only pins with random bits"),
        "{said}"
    );
    assert!(said.contains("wave.random_pins = true"), "{said}");
    let set = "wave.random_pins=1";
    let (_, said) = ends(work.path(), &["run", "small.toml", "--set", set], 2);
    assert!(said.contains("wave.random_pins"), "{said}");
}

/// The size that is told before the run comes near to what is written.
#[test]
fn the_size_is_told_after_the_run() {
    let work = workplace();
    for name in ["w.vcd", "w.fst", "w.vcd.gz"] {
        let (_, said) = ends(work.path(), &["run", "small.toml", "--wave", name], 0);
        let file = fs::metadata(work.path().join(name)).expect("written");
        let size = match file.len() {
            bytes @ 0..10_000 => format!("{bytes} bytes"),
            bytes @ 10_000..100_000 => format!("{} kB", bytes.div_ceil(1000)),
            bytes => format!("{:.1} MB", bytes as f64 / 1e6),
        };
        assert!(said.ends_with(&format!(" signals, {size}\n")), "{said}");
        assert!(said.starts_with(&format!("{name}: ")), "{said}");
    }
    // As many as a reader finds, without the names of states.
    let (_, said) = ends(work.path(), &["run", "small.toml", "--vcd", "w.vcd"], 0);
    let declared = fs::read_to_string(work.path().join("w.vcd")).expect("written");
    let names = declared.matches("$var string ").count();
    let declared = declared.matches("$var ").count() - names;
    assert!(said.contains(&format!(": {declared} signals, ")), "{said}");
    let quiet = ["run", "small.toml", "--vcd", "w.vcd", "-q"];
    assert_eq!(ends(work.path(), &quiet, 0).1, "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_large_waveform_is_warned_of() {
    let work = workplace();
    // The device is full after a few cycles; what is estimated is the whole run.
    let sets = [
        "traffic.repeat=1000",
        "traffic.words=1_000_000",
        "run.cycles_max=100_000_000",
    ];
    let mut arguments = vec!["run", "small.toml", "-q", "--vcd", "/dev/full"];
    for set in &sets {
        arguments.extend(["--set", set]);
    }
    let (_, said) = ends(work.path(), &arguments, 4);
    assert!(
        said.starts_with("warning: /dev/full: --vcd: the waveform will have about "),
        "{said}"
    );
    assert!(
        said.contains(" GB\n  help: select less with wave.scopes"),
        "{said}"
    );
}

/// Values at cursors are those of single cycles.
#[test]
fn cursors_show_values_and_what_is_between() {
    let place = workplace();
    let folder = place.path();
    let more = ["--set", "traffic.repeat=4"];
    let run = ["run", "small.toml", "--wave", "w.vcd", "-q"];
    success(folder, &[&run[..], &more].concat());
    let show = [
        "show",
        "w.vcd",
        "--scope",
        "**.router_2_1.?_state",
        "--scope",
        "**.node_3.tx_state",
    ];
    let cursors = ["--cursor", "30", "--cursor", "12", "--cursor", "45"];
    let table = success(folder, &[&show[..], &cursors].concat());
    insta::assert_snapshot!("cursors", table);
    let text = success(folder, &[&show[..], &cursors, &["--json", "-"]].concat());
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(json["cursor_cycles"], serde_json::json!([12, 30, 45]));
    assert_eq!(json["between_cycles"], serde_json::json!([18, 15]));
    for (at, cycle) in [12, 30, 45].iter().enumerate() {
        let window = format!("{cycle}..{cycle}");
        let text = success(
            folder,
            &[&show[..], &["--window", &window, "--json", "-"]].concat(),
        );
        let alone: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        for signal in json["signals"].as_array().expect("a list") {
            let name = format!("{}_name", signal["signal"].as_str().expect("a name"));
            let all = alone["signals"].as_array().expect("a list");
            let of_name = all.iter().find(|other| {
                other["scope"] == signal["scope"] && other["signal"] == name.as_str()
            });
            let value = of_name.map(|other| &other["changes"][0][1]);
            if let Some(value) = value {
                assert_eq!(&signal["values"][at], value, "{signal}");
            }
        }
    }
    let late = failure(folder, &[&show[..], &["--cursor", "99999"]].concat(), 2);
    assert!(late.contains("a cursor is at cycle 99999"), "{late}");
}

/// After a trigger, and in the middle of a run, a drawing begins with what happens.
#[test]
fn without_options_what_changes_is_drawn() {
    let work = workplace();
    let sets = [
        "traffic.repeat=4",
        "wave.window_cycles=[40, 90]",
        "wave.scopes=['**']",
    ];
    record(work.path(), &sets);
    let printed = prints(work.path(), &["show", "w.vcd"]);
    let ruler = printed.lines().next().expect("a line");
    let first: u64 = ruler
        .split_whitespace()
        .nth(1)
        .expect("a cycle")
        .parse()
        .expect("a number");
    assert!((40..60).contains(&first), "{printed}");
    assert!(!printed.contains("xxx"), "{printed}");
    // States come before words and bits, and no row stays the same.
    let rows: Vec<&str> = printed
        .lines()
        .filter(|line| line.starts_with("  "))
        .collect();
    assert!(rows[0].contains("state") && rows.len() > 10, "{printed}");
    let is_flat = |row: &&str| row.matches(['│', '╱', '╲']).count() < 1;
    assert_eq!(
        rows.iter().filter(|row| is_flat(row)).count(),
        0,
        "{printed}"
    );
    let said = printed
        .lines()
        .find(|line| line.starts_with("… chosen: "))
        .expect("a line");
    assert!(said.contains(" signals that change in cycles "), "{said}");
    assert!(printed.contains("--scope 'testbench.network."), "{printed}");
    // A pipe, FST and SVG have the same.
    record(work.path(), &sets);
    let fst = ["run", "small.toml", "--fst", "w.fst", "-q"];
    let mut arguments = fst.to_vec();
    sets.iter().for_each(|set| arguments.extend(["--set", set]));
    prints(work.path(), &arguments);
    assert_eq!(prints(work.path(), &["show", "w.fst"]), printed);
    let (_, said) = ends(work.path(), &["show", "w.vcd", "--svg", "w.svg"], 0);
    assert!(said.starts_with("… chosen: "), "{said}");
    // Scopes that are asked for keep their meaning, and begin there too.
    let scope = ["show", "w.vcd", "--scope", "**.node_0"];
    let all = prints(work.path(), &scope);
    assert!(all.contains("  reset ") && !all.contains("xxx"), "{all}");
    let none = prints(work.path(), &["show", "w.vcd", "--scope", "**.reset"]);
    assert!(none.starts_with("cycle    40"), "{none}");
}

/// Ids are decimal numbers in a drawing, and hexadecimal in JSON as ever.
#[test]
fn ids_are_decimal_numbers() {
    let work = workplace();
    let text =
        "$scope module top $end $var wire 12 ! rx_id $end $var wire 12 # rx_data $end $upscope $end
        $enddefinitions $end #0 b11111 ! b11111 # #10 b101010 ! b101010 # #20";
    fs::write(work.path().join("i.vcd"), text).expect("writable");
    let drawn = prints(work.path(), &["show", "i.vcd"]);
    assert!(
        drawn.contains("│31 │42") && drawn.contains("│01F│02A"),
        "{drawn}"
    );
    let hex = prints(work.path(), &["show", "i.vcd", "--radix", "hex"]);
    assert!(hex.matches("│01F│02A").count() == 2, "{hex}");
    let json: Value = serde_json::from_str(&prints(work.path(), &["show", "i.vcd", "--json", "-"]))
        .expect("JSON");
    assert_eq!(json["signals"][0]["changes"][1][1], "02A");
}
