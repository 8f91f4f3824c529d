//! Waveforms as tools write them: odd declarations and values, files that end too early, and
//! files of other kinds.
//!
//! What is expected was counted by hand in the files, or comes from Icarus Verilog and
//! GTKWave's converters.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::program::{crosswave, failure, root, shell, success, workplace, write};
use crate::support;

/// The signals of a file, by dotted path, in cycles of one unit of time.
fn signals(folder: &Path, name: &str) -> Vec<(String, Value)> {
    let printed = success(folder, &["show", name, "--json", "-", "--period", "1"]);
    let shown: Value = serde_json::from_str(&printed).expect("JSON");
    let signals = shown["signals"].as_array().expect("a list").iter();
    let path = |signal: &Value| {
        let part = |key: &str| signal[key].as_str().expect("text").to_owned();
        format!("{}.{}", part("scope"), part("signal"))
    };
    signals
        .map(|signal| (path(signal), signal.clone()))
        .collect()
}

/// The changes of one of them.
fn changes(folder: &Path, name: &str, path: &str) -> Value {
    let signals = signals(folder, name);
    let found = signals.iter().find(|(found, _)| found == path);
    let names: Vec<&str> = signals.iter().map(|(name, _)| &**name).collect();
    let (_, signal) = found.unwrap_or_else(|| panic!("no {path} in {names:?}"));
    signal["changes"].clone()
}

/// A file with these variables in the scope `t`, and these values.
fn vcd(folder: &Path, name: &str, variables: &str, values: &str) {
    let text = format!(
        "$timescale 1ns $end\n$scope module t $end\n{variables}\n$upscope $end\n\
         $enddefinitions $end\n{values}"
    );
    write(folder, name, &text);
}

/// The text of a command on standard error; it has to succeed.
fn said(folder: &Path, arguments: &[&str]) -> String {
    let output = crosswave(folder, arguments);
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {said}");
    said
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// GTKWave's `fst2vcd` writes attributes, with which it says what an enumeration is.
#[test]
fn enumerations_of_attributes_are_shown_by_name() {
    let work = workplace();
    let folder = work.path();
    let file = root("tests/waveforms/verilator_enumeration.vcd");
    let file = file.to_str().expect("UTF-8");
    let names = changes(folder, file, "TOP.st_name");
    let names = names.as_array().expect("a list");
    let first = json!([
        [0, "IDLE"],
        [5, "RUN"],
        [15, "STOP"],
        [25, "IDLE"],
        [35, "RUN"]
    ]);
    assert_eq!(names[..5], first.as_array().expect("a list")[..]);
    assert_eq!(
        changes(folder, file, "TOP.vt.st_name")[2],
        json!([15, "STOP"])
    );
    assert_eq!(changes(folder, file, "TOP.st")[2], json!([15, "3"]));
    assert_eq!(changes(folder, file, "TOP.arr[1]")[2], json!([25, "2"]));
    let scope = [
        "show", file, "--period", "5", "--scope", "TOP.st", "--ascii",
    ];
    let drawn = success(folder, &scope);
    assert!(drawn.contains("|RUN "), "{drawn}");
    // Names alone are read with what they name.
    let name = [
        "show",
        file,
        "--json",
        "-",
        "--period",
        "1",
        "--scope",
        "TOP.st_name",
    ];
    let one: Value = serde_json::from_str(&success(folder, &name)).expect("JSON");
    assert_eq!(one["signals"][0]["changes"][4], json!([35, "RUN"]));
}

#[test]
fn commands_that_say_nothing_of_values_are_passed_over() {
    let work = workplace();
    let folder = work.path();
    vcd(
        folder,
        "a.vcd",
        "$attrbegin class 00 \"x y\" 3 $end $fullscopes $end\n$var wire 1 ! a $end\n$attrend $end",
        "#0\n0!\n$comment 1! $end\n#5\n1!\n$vcdclose #9 $end\n#9\n",
    );
    assert_eq!(changes(folder, "a.vcd", "t.a"), json!([[0, "0"], [5, "1"]]));
}

#[test]
fn strings_may_be_empty_and_have_blanks() {
    let work = workplace();
    let folder = work.path();
    vcd(
        folder,
        "s.vcd",
        "$var wire 1 ! clk $end\n$var string 0 @ st $end",
        "#0\n0!\nsIDLE @\n#5\n1!\nSRUN @\n#10\ns @\n#15\nsin a while @\n#20\n",
    );
    let texts = json!([[0, "IDLE"], [5, "RUN"], [10, ""], [15, "in a while"]]);
    assert_eq!(changes(folder, "s.vcd", "t.st"), texts);
}

#[test]
fn every_type_of_real_number_is_one() {
    let work = workplace();
    let folder = work.path();
    for kind in ["real", "realtime", "shortreal", "real_parameter", "wire"] {
        let variables = format!("$var {kind} 64 ! q $end $var wire 1 & a $end");
        vcd(
            folder,
            "r.vcd",
            &variables,
            "#0\nr2.5 !\n0&\n#5\nr7 !\n1&\n#8\nrnan !\n#9\n",
        );
        let reals = json!([[0, 2.5], [5, 7.0], [8, null]]);
        assert_eq!(changes(folder, "r.vcd", "t.q"), reals, "{kind}");
    }
}

#[test]
fn indices_of_several_dimensions_are_part_of_a_name() {
    let work = workplace();
    let folder = work.path();
    vcd(
        folder,
        "m.vcd",
        "$var wire 4 a m [2][1][3:0] $end $var wire 4 b n [2] [1] [3:0] $end
         $var wire 4 c o[2] [ 7 : 4 ] $end $var wire 1 d \\p+q[0] $end
         $var wire 1 e r [-1] $end",
        "#0\nb110 a\n#5\nb1001 a\n#9\n",
    );
    let names: Vec<String> = signals(folder, "m.vcd")
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    let expected = [
        "t.m[2][1]",
        "t.n[2][1]",
        "t.o[2][7:4]",
        "t.\\p+q[0]",
        "t.r[-1]",
    ];
    assert_eq!(names, expected);
    assert_eq!(
        changes(folder, "m.vcd", "t.m[2][1]"),
        json!([[0, "6"], [5, "9"]])
    );
}

#[test]
fn a_variable_of_no_bits_keeps_nothing_from_being_read() {
    let work = workplace();
    let folder = work.path();
    let variables = "$var wire 1 ! clk $end\n$var wire 0 @ st $end";
    vcd(folder, "z.vcd", variables, "#0\n0!\nb @\n#5\n1!\n#10\n");
    vcd(
        folder,
        "s.vcd",
        variables,
        "#0\n0!\nsIDLE @\n#5\n1!\nsRUN @\n#10\n",
    );
    for file in ["z.vcd", "s.vcd"] {
        assert_eq!(changes(folder, file, "t.clk"), json!([[0, "0"], [5, "1"]]));
    }
    let shown = signals(folder, "s.vcd");
    assert_eq!(shown[1].1["width"], Value::Null);
    assert_eq!(shown[1].1["changes"], json!([[0, "IDLE"], [5, "RUN"]]));
}

/// Names are shown with replacement characters where they are no UTF-8, in VCD and in FST.
#[test]
fn names_that_are_no_utf_8_are_shown() {
    let work = workplace();
    let folder = work.path();
    fs::copy(
        root("tests/waveforms/latin1_name.vcd"),
        folder.join("l.vcd"),
    )
    .expect("a file");
    support::finish(
        Command::new("vcd2fst")
            .args(["l.vcd", "l.fst"])
            .current_dir(folder),
    );
    for file in ["l.vcd", "l.fst"] {
        let path = "logic.D\u{fffd}but";
        assert_eq!(
            changes(folder, file, path),
            json!([[0, "0"], [5, "1"]]),
            "{file}"
        );
    }
}

/// A file that ends anywhere is read up to there, and it is said where that is.
#[test]
fn cut_files_are_read_up_to_their_end() {
    let work = workplace();
    let folder = work.path();
    let variables = "$var wire 1 ! a $end\n$var wire 4 @ v [3:0] $end";
    let whole = "#0\n0!\nb1 @\n#10\n1!\nb10 @\n#20\n0!\n";
    let expected = json!([[0, "1"], [10, "2"]]);
    for end in [
        "b10",
        "b10 ",
        "b",
        "$comment it",
        "b1x0 ?",
        "\0\0\0\0\0\0",
        "sX",
    ] {
        vcd(folder, "c.vcd", variables, &format!("{whole}{end}"));
        let warned = said(folder, &["show", "c.vcd", "--period", "10"]);
        assert!(
            warned.starts_with("warning: c.vcd: line 1"),
            "{end:?}: {warned}"
        );
        assert!(warned.contains("up to time 20"), "{end:?}: {warned}");
        assert_eq!(changes(folder, "c.vcd", "t.v"), expected, "{end:?}");
        assert_eq!(changes(folder, "c.vcd", "t.a")[2], json!([20, "0"]));
    }
    // A last line without its end is whole.
    vcd(folder, "c.vcd", variables, &format!("{whole}b11 @"));
    assert_eq!(said(folder, &["show", "c.vcd"]), "");
    assert_eq!(changes(folder, "c.vcd", "t.v")[2], json!([20, "3"]));
    // A mistake before the end is an error.
    vcd(folder, "c.vcd", variables, &format!("{whole}b12 @\n#30\n"));
    failure(folder, &["show", "c.vcd"], 3);
    // A file that ends in its declarations has no values.
    write(
        folder,
        "d.vcd",
        "$scope module t $end\n$var wire 1 ! a $end\n$var wi",
    );
    let warned = said(folder, &["show", "d.vcd", "--list"]);
    assert!(warned.contains("line 3: the file ends"), "{warned}");
    // `diff` says it as well.
    vcd(folder, "w.vcd", variables, whole);
    vcd(folder, "c.vcd", variables, &format!("{whole}b1"));
    let warned = said(folder, &["diff", "w.vcd", "c.vcd"]);
    assert!(warned.contains("warning: c.vcd: line "), "{warned}");
}

/// As `gzip -dc` does: members follow each other, zeros are nothing, other bytes are told.
#[test]
fn compressed_files_end_as_gzip_says() {
    let work = workplace();
    let folder = work.path();
    vcd(
        folder,
        "a.vcd",
        "$var wire 1 ! a $end",
        "#0\n0!\n#5\n1!\n#9\n",
    );
    let bytes = fs::read(folder.join("a.vcd")).expect("written");
    let (one, two) = bytes.split_at(bytes.len() / 2);
    let whole = packed(&bytes);
    let shown = json!([[0, "0"], [5, "1"]]);
    for (name, content, warning) in [
        ("members.gz", [packed(one), packed(two)].concat(), ""),
        ("zeros.gz", [&whole[..], &[0; 512]].concat(), ""),
        (
            "rubbish.gz",
            [&whole[..], b"rubbish"].concat(),
            "other bytes",
        ),
    ] {
        fs::write(folder.join(name), content).expect("writable");
        assert_eq!(changes(folder, name, "t.a"), shown, "{name}");
        let warned = said(folder, &["show", name]);
        assert_eq!(warned.is_empty(), warning.is_empty(), "{warned}");
        assert!(warned.contains(warning), "{warned}");
    }
    let mut wrong = whole.clone();
    let checksum = wrong.len() - 8;
    wrong[checksum] ^= 1;
    fs::write(folder.join("wrong.gz"), wrong).expect("writable");
    for command in [&["show", "wrong.gz"][..], &["diff", "wrong.gz", "a.vcd"]] {
        let said = failure(folder, command, 3);
        assert!(said.contains("checksum"), "{said}");
    }
    fs::write(folder.join("cut.gz"), &whole[..whole.len() - 12]).expect("writable");
    let warned = said(folder, &["show", "cut.gz"]);
    assert!(warned.contains("the file ends"), "{warned}");
}

#[test]
fn a_text_ends_with_its_line() {
    let work = workplace();
    let folder = work.path();
    vcd(
        folder,
        "s.vcd",
        "$var string 0 ! s $end\n$var wire 1 a w $end",
        "#0\n0a\nsit is a dog !\n#5\n1a\nsa !\n#9\n",
    );
    let texts = json!([[0, "it is a dog"], [5, "a"]]);
    assert_eq!(changes(folder, "s.vcd", "t.s"), texts);
    assert_eq!(changes(folder, "s.vcd", "t.w"), json!([[0, "0"], [5, "1"]]));
}

/// X and Z, which signals show before anything is known, do not tell their kind.
#[test]
fn a_kind_is_told_by_the_first_known_value() {
    let work = workplace();
    let folder = work.path();
    vcd(
        folder,
        "k.vcd",
        "$var wire 8 ! s $end\n$var wire 64 r q $end\n$var string 1 t n $end\n\
         $var string 1 u m $end\n$var wire 8 v z $end",
        "#0\n$dumpvars\nbx !\nbx r\n0t\nxu\nbz v\n$end\n\
         #5\nsIDLE !\nr2.5 r\nsRUN t\nb101 u\nsA v\n#9\n",
    );
    for (path, expected) in [
        ("t.s", json!([[0, "X"], [5, "IDLE"]])),
        ("t.q", json!([[0, null], [5, 2.5]])),
        ("t.n", json!([[0, "0"], [5, "RUN"]])),
        ("t.m", json!([[0, "X"], [5, "101"]])),
        ("t.z", json!([[0, "z"], [5, "A"]])),
    ] {
        assert_eq!(changes(folder, "k.vcd", path), expected, "{path}");
    }
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    let work = workplace();
    let folder = work.path();
    vcd(folder, "a.vcd", "$var wire 1 ! a $end", "#0\n0!\n#5\n1!\n");
    let text = fs::read_to_string(folder.join("a.vcd")).expect("written");
    for mark in ["\u{feff}", "\u{feff}\r\n"] {
        let marked = format!("{mark}{text}");
        write(folder, "b.vcd", &marked);
        fs::write(folder.join("b.vcd.gz"), packed(marked.as_bytes())).expect("writable");
        for file in ["b.vcd", "b.vcd.gz"] {
            assert_eq!(changes(folder, file, "t.a"), json!([[0, "0"], [5, "1"]]));
        }
    }
}

#[test]
fn reals_of_any_form_and_wide_variables_keep_nothing_from_being_read() {
    let work = workplace();
    let folder = work.path();
    vcd(
        folder,
        "r.vcd",
        "$var real 64 ! q $end\n$var wire 1 a w $end",
        "#0\nr0x1.8p3 !\n0a\n#2\nrinf !\n#4\nr-1.#IND !\n#6\nr1e3 !\n1a\n#9\n",
    );
    let reals = json!([[0, 12.0], [2, null], [4, null], [6, 1000.0]]);
    assert_eq!(changes(folder, "r.vcd", "t.q"), reals);
    assert_eq!(changes(folder, "r.vcd", "t.w"), json!([[0, "0"], [6, "1"]]));
    success(folder, &["show", "r.vcd", "--period", "1"]);
    let long = "10".repeat(600_000);
    vcd(
        folder,
        "w.vcd",
        "$var reg 1200000 ! memory [1199999:0] $end\n$var wire 1 a w $end",
        &format!("#0\n$dumpvars\nbx !\n0a\n$end\n#5\nb{long} !\n1a\n#9\n"),
    );
    assert_eq!(changes(folder, "w.vcd", "t.w"), json!([[0, "0"], [5, "1"]]));
    assert_eq!(signals(folder, "w.vcd").len(), 1);
    let warned = said(folder, &["show", "w.vcd"]);
    assert!(warned.contains("1200000 bits wide"), "{warned}");
    assert!(warned.contains("`t.memory`"), "{warned}");
}

/// A design that stops and starts its dump, and fires an event: in its time 12, 55, 68, 79
/// (after `$dumpon`), 99, and in 75, when the dump is off.
const OFF_AND_ON: &str = "`timescale 1ns/1ns
module t; event e; reg q = 0; always #3 q = ~q;
initial begin
  $dumpfile(\"out.dump\"); $dumpvars(0, t);
  #12 ->e; #10 $dumpoff; #23 $dumpon; #10 ->e; #13 ->e; $dumpoff; #7 ->e; #4 $dumpon;
  #0 ->e; #20 ->e; #5 $finish; end
endmodule
";

/// That all signals are shown again at `$dumpon` is no firing, in FST as in VCD.
#[test]
fn events_do_not_fire_when_a_dump_goes_on() {
    let work = workplace();
    let folder = work.path();
    write(folder, "t.v", OFF_AND_ON);
    let compile = ["-o", "t.vvp", "t.v"];
    support::finish(Command::new("iverilog").args(compile).current_dir(folder));
    for (format, name) in [("-vcd", "a.vcd"), ("-fst", "a.fst")] {
        let run = ["-n", "t.vvp", format];
        support::finish(Command::new("vvp").args(run).current_dir(folder));
        fs::rename(folder.join("out.dump"), folder.join(name)).expect("a dump");
    }
    support::finish(
        Command::new("vcd2fst")
            .args(["a.vcd", "b.fst"])
            .current_dir(folder),
    );
    for file in ["a.vcd", "a.fst", "b.fst"] {
        let signals = signals(folder, file);
        let (_, event) = signals.iter().find(|(path, _)| path == "t.e").expect("e");
        let firings = event["firings"].as_array().expect("a list");
        let times: Vec<&Value> = firings.iter().map(|firing| &firing[1]).collect();
        assert_eq!(times, [12, 55, 68, 79, 99], "{file}");
    }
    success(folder, &["diff", "a.vcd", "a.fst"]);
}

/// A design that says when it has written what there is, and runs on.
const LONG: &str = "`timescale 1ns/1ps
module tb; reg clk = 0; reg [31:0] n = 0; real r = 0.5; reg [99:0] w = 1; integer i;
always #5 clk = ~clk;
always @(posedge clk) begin n <= n * 3 + 1; r <= r + 0.25; w <= w << 1; end
initial begin
  $dumpfile(\"out.dump\"); $dumpvars(0, tb);
  for (i = 0; i < 4; i = i + 1) begin #1000; $dumpflush; end
  #1000 $display(\"ready\"); $fflush; #1000000000000; end
endmodule
";

/// A simulation that is killed leaves an FST file without its end, and the declarations beside
/// it. Its values are those of the VCD file of the same simulation.
#[test]
fn fst_of_a_killed_simulation_is_read() {
    let work = workplace();
    let folder = work.path();
    write(folder, "tb.v", LONG);
    let compile = ["-o", "tb.vvp", "tb.v"];
    support::finish(Command::new("iverilog").args(compile).current_dir(folder));
    for (format, name) in [("-vcd", "k.vcd"), ("-fst", "k.fst")] {
        let run = ["-n", "tb.vvp", format];
        let mut simulation = Command::new("vvp")
            .args(run)
            .current_dir(folder)
            .stdout(Stdio::piped())
            .spawn()
            .expect("vvp starts");
        let lines = BufReader::new(simulation.stdout.take().expect("piped")).lines();
        let mut lines = lines.map_while(Result::ok);
        assert!(lines.any(|line| line.contains("ready")), "it ended early");
        simulation.kill().expect("it runs");
        simulation.wait().expect("it was killed");
        fs::rename(folder.join("out.dump"), folder.join(name)).expect("a dump");
    }
    fs::rename(folder.join("out.dump.hier"), folder.join("k.fst.hier")).expect("declarations");
    let window = ["--period", "10000", "--window", "0..390", "--json", "-"];
    let json = |name: &str| -> Value {
        let printed = success(folder, &[&["show", name][..], &window].concat());
        serde_json::from_str(&printed).expect("JSON")
    };
    let (vcd, fst) = (json("k.vcd"), json("k.fst"));
    assert!(vcd["signals"] == fst["signals"], "they differ");
    assert_eq!(vcd["signals"].as_array().expect("a list").len(), 5);
    let warned = said(folder, &["show", "k.fst"]);
    assert!(
        warned.starts_with("warning: k.fst: end of file: "),
        "{warned}"
    );
    assert!(warned.contains("up to time "), "{warned}");
    // They are an input, which no output replaces.
    let declared = fs::read(folder.join("k.fst.hier")).expect("readable");
    let refused = failure(folder, &["show", "k.fst", "--json", "k.fst.hier"], 2);
    assert!(refused.contains("--json"), "{refused}");
    let kept = fs::read(folder.join("k.fst.hier")).expect("readable");
    assert!(kept == declared, "it was replaced");
    // The declarations may be compressed; without them nothing can be told.
    fs::write(folder.join("k.fst.hier"), packed(&declared)).expect("writable");
    assert!(json("k.fst")["signals"] == fst["signals"]);
    // Declarations that are cut: the variables that are whole.
    fs::write(folder.join("k.fst.hier"), &declared[..declared.len() - 6]).expect("writable");
    let some = json("k.fst");
    assert_eq!(some["signals"][0], fst["signals"][0]);
    fs::remove_file(folder.join("k.fst.hier")).expect("it is there");
    let said = failure(folder, &["show", "k.fst"], 3);
    assert!(said.contains(".hier"), "{said}");
}

/// FST is read by its index, and still comes through a pipe or compressed.
#[test]
fn fst_is_read_from_pipes_and_compressed() {
    let work = workplace();
    let folder = work.path();
    success(folder, &["run", "small.toml", "-q", "--wave", "w.fst"]);
    let bytes = fs::read(folder.join("w.fst")).expect("written");
    fs::write(folder.join("w.fst.gz"), packed(&bytes)).expect("writable");
    let options = ["--scope", "**.node_3", "--window", "10..40"];
    let shown = success(folder, &[&["show", "w.fst"][..], &options].concat());
    let unpacked = success(folder, &[&["show", "w.fst.gz"][..], &options].concat());
    assert_eq!(shown, unpacked);
    let line = "cat w.fst | crosswave show - --scope '**.node_3' --window 10..40";
    let piped = shell(folder, line);
    assert_eq!(String::from_utf8_lossy(&piped.stdout), shown);
}

/// A file of another kind is told by its content, whatever its name is.
#[test]
fn other_kinds_of_files_are_named() {
    let work = workplace();
    let folder = work.path();
    vcd(
        folder,
        "a.vcd",
        "$var wire 1 ! a $end",
        "#0\n0!\n#5\n1!\n#9\n",
    );
    for (tool, name) in [("vcd2lxt", "lxt"), ("vcd2lxt2", "lxt2"), ("vcd2vzt", "vzt")] {
        support::finish(Command::new(tool).args(["a.vcd", name]).current_dir(folder));
    }
    let wide = |text: &str| -> Vec<u8> {
        let units = text.encode_utf16();
        [0xfeff]
            .into_iter()
            .chain(units)
            .flat_map(u16::to_le_bytes)
            .collect()
    };
    let text = fs::read_to_string(folder.join("a.vcd")).expect("written");
    fs::write(folder.join("utf16"), wide(&text)).expect("writable");
    fs::write(folder.join("ghw"), b"GHDLwave\n\x10\0").expect("writable");
    fs::write(folder.join("a.fsdb"), b"\x15\0\0\x01").expect("writable");
    fs::write(folder.join("a.wlf"), b"\x0f\0\0\x01").expect("writable");
    vcd(folder, "ports", "$var port 1 <0 a $end", "#0\npD 6 0 <0\n");
    let first = format!("$comment {} $end\n", "long ".repeat(2000));
    let ports = fs::read_to_string(folder.join("ports")).expect("written");
    write(folder, "late_ports", &format!("{first}{ports}"));
    write(folder, "json", "{\"modules\": {}}\n");
    write(folder, "csv", "cycle,source,destination\n0,1,2\n");
    write(folder, "verilog", "module top(input a);\nendmodule\n");
    write(folder, "empty", "");
    for (name, found, help) in [
        ("lxt", "LXT", "vvp"),
        ("lxt2", "LXT2", "lxt2vcd"),
        ("vzt", "VZT", "vzt2vcd"),
        ("ghw", "GHW", "--vcd="),
        ("a.fsdb", "FSDB", "fsdb2vcd"),
        ("a.wlf", "WLF", "wlf2vcd"),
        ("utf16", "UTF-16", "iconv"),
        ("ports", "EVCD", "evcd2vcd"),
        ("late_ports", "EVCD", "evcd2vcd"),
        ("json", "JSON", "crosswave netlist"),
        ("small.toml", "a configuration (TOML)", "crosswave run"),
        ("csv", "a table (CSV)", ""),
        ("verilog", "Verilog source", "$dumpvars"),
        ("empty", "an empty file", ""),
    ] {
        let said = failure(folder, &["show", name], 3);
        assert!(
            said.contains(found) && said.contains("expected"),
            "{name}: {said}"
        );
        assert!(said.contains(help), "{name}: {said}");
    }
    // Other commands that read waveforms say the same.
    let said = failure(folder, &["diff", "lxt2", "a.vcd"], 3);
    assert!(said.contains("LXT2"), "{said}");
}
