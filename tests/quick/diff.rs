//! `crosswave diff`: waveforms and tables of messages against each other.

use serde_json::{Value, json};

use crate::program::{crosswave, failure, read, success, workplace, write};

/// The report on two files that differ.
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
                    top.data: at 20000 ps (cycle 2): 4'b0011 in the first file, 4'b001x in the second\n";
    assert_eq!(printed, expected);
    let output = crosswave(folder, &["diff", "a.vcd", "b.vcd", "--json", "-"]);
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let expected = json!({
        "same": false, "compared": 2, "only_left": [], "only_right": ["top.extra"],
        "timescale": "1 ps", "map": [], "real_digits": 16, "unlike": [],
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
    write(folder, "c.csv", "id,offered\n0,5\n");
    let printed = differs(folder, &["a.csv", "c.csv"]);
    assert!(
        printed.starts_with("column source: only in a.csv\n"),
        "{printed}"
    );
    let printed = success(folder, &["diff", "a.csv", "c.csv", "--common"]);
    assert_eq!(
        printed,
        "1 messages are the same, and 2 are in one of the files only\n"
    );
    write(folder, "d.csv", "id,source\n0,1\n0,1,2\n");
    let said = failure(folder, &["diff", "d.csv", "d.csv"], 3);
    assert!(said.contains("d.csv: line 3"), "{said}");
    failure(folder, &["diff", "a.csv", "none.csv"], 4);
    failure(folder, &["diff", "a.csv", "small.toml"], 2);
    failure(folder, &["diff", "small.toml", "small.toml"], 3);
    failure(folder, &["diff", "a.csv", "b.csv", "--json", "a.csv"], 2);
}

/// A dump of `scopes`, one within the other, with these variables (`1 a`) of codes `!`, `"`, …
fn dump(scopes: &[&str], variables: &[&str], body: &str) -> String {
    let mut text = String::from("$timescale 1 ns $end\n");
    for scope in scopes {
        text += &format!("$scope module {scope} $end\n");
    }
    for (variable, code) in variables.iter().zip('!'..) {
        let (width, name) = variable.split_once(' ').expect("a width and a name");
        let kind = if width == "64" { "real" } else { "wire" };
        text += &format!("$var {kind} {width} {code} {name} $end\n");
    }
    text += &"$upscope $end\n".repeat(scopes.len());
    format!("{text}$enddefinitions $end\n{body}\n")
}

fn said(folder: &std::path::Path, arguments: &[&str], code: i32) -> String {
    failure(folder, &[&["diff"], arguments].concat(), code)
}

/// Verilator's dumps have a scope around the others.
#[test]
fn scopes_of_other_names_are_matched() {
    let work = workplace();
    let folder = work.path();
    let body = "#0 0! #10 1! #20 0!";
    write(
        folder,
        "icarus.vcd",
        &dump(&["tb", "dut"], &["1 a", "1 c"], body),
    );
    let inner = ["1 a", "1 b"];
    write(
        folder,
        "verilator.vcd",
        &dump(&["TOP", "tb", "dut"], &inner, body),
    );
    let other = ["icarus.vcd", "verilator.vcd"];
    let printed = differs(folder, &other);
    let expected = "tb.dut.c: only in icarus.vcd\nTOP.tb.dut.b: only in verilator.vcd\n";
    assert_eq!(printed, expected);
    let words = said(folder, &other, 1);
    assert!(words.contains("note: no path is common"), "{words}");
    assert!(words.contains("--map '=TOP'"), "{words}");
    assert!(
        words.contains("0 of 1 signals differ, and 2 are in one of them only"),
        "{words}"
    );
    let common = [&["diff"], &other[..], &["--common"]].concat();
    let printed = success(folder, &common);
    assert_eq!(
        printed,
        "1 signals are the same, and 2 are in one of the files only\n"
    );
    let mapped = [&common[..], &["--map", "tb=TOP.tb", "--json", "-"]].concat();
    let found: Value = serde_json::from_str(&success(folder, &mapped)).expect("JSON");
    let map = json!([{"left": "tb", "right": "TOP.tb", "is_automatic": false}]);
    assert_eq!((&found["map"], &found["same"]), (&map, &json!(true)));
    let automatic = [&common[..], &["--json", "-"]].concat();
    let found: Value = serde_json::from_str(&success(folder, &automatic)).expect("JSON");
    assert_eq!(found["map"][0]["is_automatic"], true);
    // Patterns take the names of the first file, and the second one's values are found by them.
    let scope = [&common[..], &["--scope", "tb.*.a"]].concat();
    assert_eq!(success(folder, &scope), "1 signals are the same\n");
    for (map, what) in [
        ("TOP.tb=tb", "icarus.vcd has no scope `TOP.tb`"),
        ("tb=TOP.dut", "verilator.vcd has no scope `TOP.dut`"),
        ("tb", "`tb` has no `=`"),
    ] {
        let words = said(folder, &[&other[..], &["--map", map]].concat(), 2);
        assert!(words.contains(what), "{words}");
    }
}

/// Files with nothing in common are not the same.
#[test]
fn nothing_compared_is_told() {
    let work = workplace();
    let folder = work.path();
    let body = "#0 0! #10 1! #20 0!";
    write(folder, "a.vcd", &dump(&["top"], &["1 a"], body));
    write(folder, "b.vcd", &dump(&["pot"], &["1 b"], body));
    for more in [&[][..], &["--common"]] {
        let words = said(folder, &[&["a.vcd", "b.vcd"], more].concat(), 1);
        let what = "nothing was compared: no signal is in both, and 2 are in one of them only";
        assert!(words.contains(what), "{words}");
        let help = "--map FIRST=SECOND says what a scope of the first file is called in the second \
                    one: there are scopes `top` in the first, scopes `pot` in the second";
        assert!(words.contains(help), "{words}");
    }
    let words = said(folder, &["a.vcd", "a.vcd", "--window", "3.."], 1);
    assert!(words.contains("a.vcd ends before the window"), "{words}");
    success(folder, &["diff", "a.vcd", "a.vcd", "--window", "2.."]);
    write(folder, "none.csv", "id,source\n");
    write(folder, "one.csv", "id,source\n1,2\n");
    write(folder, "other.csv", "id,words\n");
    for other in ["one.csv", "other.csv"] {
        for more in [&[][..], &["--common"]] {
            let words = said(folder, &[&["none.csv", other], more].concat(), 1);
            assert!(words.contains("nothing was compared"), "{words}");
        }
    }
}

/// Runs in which no message was sent give such tables.
#[test]
fn tables_of_no_messages_are_the_same() {
    let work = workplace();
    let folder = work.path();
    write(folder, "a.csv", "id,source\n");
    write(folder, "b.csv", "id,source\n");
    for more in [&[][..], &["--common"]] {
        let printed = success(folder, &[&["diff", "a.csv", "b.csv"], more].concat());
        assert_eq!(printed, "0 messages are the same\n");
    }
    let json = success(folder, &["diff", "a.csv", "b.csv", "--json", "-"]);
    let found: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(
        (&found["same"], &found["compared"]),
        (&json!(true), &json!(0))
    );
}

/// A table and a waveform are told by what is in them, whatever they are called.
#[test]
fn content_tells_tables_from_waveforms() {
    let work = workplace();
    let folder = work.path();
    let table = "id,source\n0,1\n";
    let waves = dump(&["t"], &["1 a"], "#0 0! #10 1!");
    for (name, text) in [
        ("table", table),
        ("table.csv", table),
        ("table.vcd", table),
        ("waves", &waves),
        ("waves.csv", &waves),
    ] {
        write(folder, name, text);
    }
    for files in [["table", "table.csv"], ["table.vcd", "table"]] {
        let printed = success(folder, &[&["diff"], &files[..]].concat());
        assert_eq!(printed, "1 messages are the same\n");
    }
    let printed = success(folder, &["diff", "waves.csv", "waves"]);
    assert_eq!(printed, "1 signals are the same\n");
    let words = said(folder, &["table", "waves.csv"], 2);
    assert!(
        words.contains("a table and the other one a waveform"),
        "{words}"
    );
}

#[cfg(unix)]
#[test]
fn one_of_the_files_may_be_standard_input() {
    let work = workplace();
    let folder = work.path();
    write(folder, "a.csv", "id,source\n0,1\n");
    write(folder, "a.vcd", &dump(&["t"], &["1 a"], "#0 0! #10 1!"));
    write(folder, "b.vcd", &dump(&["t"], &["1 a"], "#0 0! #10 0!"));
    for (line, code, printed) in [
        (
            "cat a.vcd | crosswave diff a.vcd -",
            0,
            "1 signals are the same\n",
        ),
        (
            "crosswave diff - a.vcd < a.vcd",
            0,
            "1 signals are the same\n",
        ),
        (
            "cat a.csv | crosswave diff - a.csv",
            0,
            "1 messages are the same\n",
        ),
        (
            "cat b.vcd | crosswave diff a.vcd -",
            1,
            "t.a: at 10 ns: 1 in the first file, 0 in the second\n",
        ),
        ("cat a.vcd | crosswave diff - -", 2, ""),
    ] {
        let output = crate::program::shell(folder, line);
        let words = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{line}: {words}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), printed, "{line}");
    }
}

/// Bits 3 to 0 of a bus are not its bits 7 to 4, however the first range is written.
#[test]
fn other_bits_of_a_bus_are_another_signal() {
    let work = workplace();
    let folder = work.path();
    let low = dump(&["t"], &["4 a [3:0]", "1 b"], "#0 b101 ! 1\"");
    let high = dump(&["t"], &["4 a [7:4]", "1 b"], "#0 b101 ! 1\"");
    let unsaid = dump(&["t"], &["4 a", "1 b"], "#0 b101 ! 1\"");
    write(folder, "low.vcd", &low);
    write(folder, "high.vcd", &high);
    write(folder, "unsaid.vcd", &unsaid);
    let printed = differs(folder, &["low.vcd", "high.vcd"]);
    assert_eq!(
        printed,
        "t.a: only in low.vcd\nt.a[7:4]: only in high.vcd\n"
    );
    let printed = differs(folder, &["high.vcd", "low.vcd"]);
    assert_eq!(
        printed,
        "t.a[7:4]: only in high.vcd\nt.a: only in low.vcd\n"
    );
    // A file that says no range may mean either.
    for other in ["low.vcd", "high.vcd"] {
        success(folder, &["diff", "unsaid.vcd", other]);
    }
}

#[test]
fn other_widths_and_kinds_are_told() {
    let work = workplace();
    let folder = work.path();
    write(folder, "a.vcd", &dump(&["t"], &["4 v", "1 w"], "#0 bx !"));
    write(folder, "b.vcd", &dump(&["t"], &["8 v", "64 w"], "#0 bx !"));
    let printed = differs(folder, &["a.vcd", "b.vcd"]);
    assert_eq!(
        printed,
        "t.v: 4 bits and 8 bits\nt.w: 1 bit and a real number\n"
    );
    let words = said(folder, &["a.vcd", "b.vcd"], 1);
    let what = "0 of 0 signals differ, 2 have other widths or kinds";
    assert!(words.contains(what), "{words}");
}

/// Some tools declare everything as bits: what a signal is, its values tell.
#[test]
fn kinds_are_those_of_the_values() {
    let work = workplace();
    let folder = work.path();
    for (name, first, last) in [
        ("text.vcd", "sAAA", "sBBB"),
        ("other-text.vcd", "sAAA", "sCCC"),
        ("real.vcd", "r0.5", "r2.5"),
        ("other-real.vcd", "r0.5", "r3.5"),
        ("bits.vcd", "b101", "b110"),
    ] {
        let body = format!("#0 {first} ! 0\" #10 {last} ! #20");
        write(folder, name, &dump(&["t"], &["8 s", "1 b"], &body));
    }
    for (files, expected) in [
        (
            ["text.vcd", "other-text.vcd"],
            "t.s: at 10 ns: BBB in the first file, CCC in the second\n",
        ),
        (
            ["real.vcd", "other-real.vcd"],
            "t.s: at 10 ns: 2.5 in the first file, 3.5 in the second\n",
        ),
        (["text.vcd", "real.vcd"], "t.s: text and a real number\n"),
        (["real.vcd", "text.vcd"], "t.s: a real number and text\n"),
        (["text.vcd", "bits.vcd"], "t.s: text and 8 bits\n"),
        (["bits.vcd", "real.vcd"], "t.s: 8 bits and a real number\n"),
    ] {
        assert_eq!(differs(folder, &files), expected);
        assert_eq!(
            differs(folder, &[&files[..], &["--x-matches"]].concat()),
            expected
        );
        success(folder, &["diff", files[0], files[0]]);
    }
}

#[test]
fn numbers_are_compared_as_asked() {
    let work = workplace();
    let folder = work.path();
    let real = |name: &str, value: &str| {
        write(
            folder,
            name,
            &dump(&["t"], &["64 r"], &format!("#0 r{value} ! #5 rnan !")),
        );
    };
    real("a.vcd", "0.3");
    real("b.vcd", "0.30000000000000004");
    real("c.vcd", "0.3001");
    success(folder, &["diff", "a.vcd", "b.vcd"]);
    let exact = differs(folder, &["a.vcd", "b.vcd", "--real-digits", "17"]);
    assert_eq!(
        exact,
        "t.r: at 0 ns: 0.3 in the first file, 0.30000000000000004 in the second\n"
    );
    differs(folder, &["a.vcd", "c.vcd"]);
    success(folder, &["diff", "a.vcd", "c.vcd", "--real-digits", "3"]);
}

#[test]
fn unknown_values_and_first_cycles_are_left_out_on_request() {
    let work = workplace();
    let folder = work.path();
    let body = |first: &str| format!("#0 1\" b{first} ! #5 0\" #10 1\" b1 ! #15 0\" #20 1\"");
    write(
        folder,
        "a.vcd",
        &dump(&["t"], &["4 v", "1 clk"], &body("x")),
    );
    write(
        folder,
        "b.vcd",
        &dump(&["t"], &["4 v", "1 clk"], &body("0")),
    );
    let both = ["a.vcd", "b.vcd"];
    let printed = differs(folder, &both);
    assert_eq!(
        printed,
        "t.v: at 0 ns (cycle 0): 4'hx in the first file, 4'h0 in the second\n"
    );
    for more in [&["--x-matches"][..], &["--window", "1.."]] {
        let all = [&["diff"], &both[..], more].concat();
        assert_eq!(success(folder, &all), "2 signals are the same\n");
    }
}

/// Delays and registers of the falling edge change signals within a cycle, of which the end counts then, in
/// files of other units too.
#[test]
fn ends_of_cycles_are_compared_on_request() {
    let work = workplace();
    let folder = work.path();
    let at_once = "#0 0! b0 \" #10 1! b1 \" #15 0! #20 1! b10 \" #25 0! #30 1! b11 \" #35 0!";
    let later = "#0 0! b0 \" #100 1! #101 b1 \" #150 0! #200 1! #203 b10 \" #250 0! #300 1! \
                 #302 b111 \" #340 b11 \" #350 0!";
    let other = later.replace("b11 ", "b10 ");
    for (name, unit, body) in [
        ("a.vcd", "1 ns", at_once),
        ("b.vcd", "100 ps", later),
        ("c.vcd", "100 ps", &other),
    ] {
        let text = dump(&["t"], &["1 clk", "4 v"], body);
        write(folder, name, &text.replace("1 ns", unit));
    }
    assert_eq!(
        differs(folder, &["a.vcd", "b.vcd"]),
        "t.v: at 10000 ps (cycle 1): 4'h1 in the first file, 4'h0 in the second\n"
    );
    let at_ends = |files: [&'static str; 2], period| {
        [&files[..], &["--cycle-ends", "--period", period]].concat()
    };
    for (files, period) in [(["a.vcd", "b.vcd"], "10"), (["b.vcd", "a.vcd"], "100")] {
        let printed = success(folder, &[&["diff"], &at_ends(files, period)[..]].concat());
        assert_eq!(printed, "2 signals are the same\n");
    }
    assert_eq!(
        differs(folder, &at_ends(["b.vcd", "c.vcd"], "100")),
        "t.v: at 30000 ps (cycle 3): 4'h3 in the first file, 4'h2 in the second\n"
    );
    // The second file has a clock where the first one has none, or one that the period is not of.
    let only = dump(&["t"], &["1 clk", "4 v"], at_once).replace(" clk ", " ready ");
    write(folder, "d.vcd", &only.replace("1! ", "").replace("0! ", ""));
    let all = [&["diff", "d.vcd", "a.vcd", "--cycle-ends", "--common"][..]].concat();
    assert_eq!(
        success(folder, &all),
        "1 signals are the same, and 2 are in one of the files only\n"
    );
    let wrong = read(folder, "d.vcd").replace("b11 ", "b10 ");
    write(folder, "d.vcd", &wrong);
    let printed = differs(folder, &["d.vcd", "a.vcd", "--cycle-ends", "--common"]);
    assert!(printed.contains("t.v: at 30 ns (cycle 3): "), "{printed}");
    for files in [["a.vcd", "a.vcd"], ["d.vcd", "d.vcd"]] {
        let refused = said(folder, &at_ends(files, "7"), 2);
        assert!(
            refused.contains("neither file has a clock with cycles of --period"),
            "{refused}"
        );
    }
    // Tenths of a nanosecond are no whole number of them.
    let refused = said(folder, &at_ends(["b.vcd", "a.vcd"], "105"), 2);
    assert!(
        refused.contains("no whole number of time units"),
        "{refused}"
    );
}

/// Names of states are shown where a file has them, in either format.
#[test]
fn states_are_shown_by_name() {
    let work = workplace();
    let folder = work.path();
    for (seed, names) in [("1", ["a.vcd", "a.fst"]), ("2", ["b.vcd", "b.fst"])] {
        for name in names {
            let seed = format!("run.seed={seed}");
            let run = ["run", "small.toml", "-q", "--engine", "event"];
            success(
                folder,
                &[&run[..], &["--set", &seed, "--wave", name]].concat(),
            );
        }
    }
    let states = ["--scope", "**.node_3.tx_state"];
    let one = differs(folder, &[&["a.vcd", "b.vcd"][..], &states].concat());
    let other = differs(folder, &[&["a.fst", "b.vcd"][..], &states].concat());
    assert_eq!(one, other);
    // Such as `IDLE (4'h0)`.
    let (_, values) = one.trim_end().split_once("): ").expect("a cycle");
    for value in values.split(" and ") {
        let (name, digits) = value.split_once(" (").expect("a name");
        assert!(
            name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'),
            "{value}"
        );
        assert!(digits.contains("'h"), "{value}");
    }
}

/// The test bench of a fat tree writes messages without ids.
#[test]
fn messages_without_ids_are_told_by_their_sources() {
    let work = workplace();
    let folder = work.path();
    let columns = "source,destination,offered_cycle,sent_cycle,attempts,delivered_cycle,\
                   acknowledged_cycle";
    let run = format!(
        "id,{columns},replicate,latency_cycles\n\
         0,5,1,1,2,1,9,12,0,11\n1,3,2,1,2,1,9,13,0,12\n2,5,4,13,14,2,30,,0,\n"
    );
    write(folder, "run.csv", &run);
    let outcomes =
        |last: &str| format!("{columns}\n3,2,1,2,1,9,13\n5,1,1,2,1,9,12\n5,4,13,14,{last},30,\n");
    write(folder, "same.csv", &outcomes("2"));
    write(folder, "other.csv", &outcomes("3"));
    for files in [["run.csv", "same.csv"], ["same.csv", "run.csv"]] {
        let printed = success(folder, &[&["diff"][..], &files].concat());
        assert_eq!(printed, "3 messages are the same\n");
    }
    let printed = differs(folder, &["run.csv", "other.csv"]);
    assert_eq!(printed, "message 1 of source 5: attempts: 2 and 3\n");
    write(folder, "more.csv", &(run + "0,5,1,1,2,1,9,12,1,11\n"));
    let printed = differs(folder, &["more.csv", "same.csv"]);
    assert_eq!(
        printed,
        "message 0 of source 5 of replicate 1: only in more.csv\n"
    );
}

#[test]
fn events_differ_where_one_fires() {
    let work = workplace();
    let folder = work.path();
    let head = "$timescale 1 ns $end $scope module t $end $var event 1 ! e $end $upscope $end
                $enddefinitions $end\n";
    write(
        folder,
        "a.vcd",
        &format!("{head}#0 $dumpvars 1! $end #12 1! #32 1! #52 1! #60\n"),
    );
    write(
        folder,
        "b.vcd",
        &format!("{head}#0 $dumpvars 1! $end #12 1! #32 #52 1! #60\n"),
    );
    let printed = differs(folder, &["a.vcd", "b.vcd"]);
    assert_eq!(
        printed,
        "t.e: at 32 ns: fired in the first file, nothing in the second\n"
    );
    success(folder, &["diff", "a.vcd", "a.vcd"]);
}
