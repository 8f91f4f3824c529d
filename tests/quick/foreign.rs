//! Waveforms of other programs, as `crosswave show` reads them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::program::{failure, shell, success, workplace, write};
use crate::support;

const DESIGN: &str = "`timescale 10ps/1ps
module top;
  reg clk = 0; reg [7:0] data = 0; reg [7:4] part; wire z = clk ? 1'bz : 1'b0;
  real level = 0.5; reg [99:0] wide = 1;
  always #5 clk = ~clk;
  always @(posedge clk) begin
    data <= data * 3 + 1; part <= data[3:0]; level <= level + 0.25; wide <= wide << 1;
  end
  initial begin $dumpfile(\"out.dump\"); $dumpvars; #200 $finish; end
endmodule
";

/// The values of the signals of a file, by scope and name.
fn shown(folder: &Path, name: &str, more: &[&str]) -> BTreeMap<(String, String), Value> {
    let show = [&["show", name, "--json", "-", "--period", "1"][..], more].concat();
    let json: Value = serde_json::from_str(&success(folder, &show)).expect("JSON");
    let signals = json["signals"].as_array().expect("a list").iter();
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let entry = |signal: &Value| {
        let key = (text(&signal["scope"]), text(&signal["signal"]));
        (key, signal["changes"].clone())
    };
    signals.map(entry).collect()
}

#[test]
fn icarus_writes_the_same_as_vcd_and_fst() {
    let work = workplace();
    let folder = work.path();
    write(folder, "top.v", DESIGN);
    let compile = ["-o", "top.vvp", "top.v"];
    support::finish(Command::new("iverilog").args(compile).current_dir(folder));
    for (format, name) in [("-vcd", "a.vcd"), ("-fst", "a.fst")] {
        let run = ["-n", "top.vvp", format];
        support::finish(Command::new("vvp").args(run).current_dir(folder));
        fs::rename(folder.join("out.dump"), folder.join(name)).expect("a dump");
    }
    for window in [&[][..], &["--window", "3..9"], &["--window", "120..121"]] {
        let vcd = shown(folder, "a.vcd", window);
        assert_eq!(vcd, shown(folder, "a.fst", window));
        assert_eq!(vcd.len(), 6);
    }
    let drawn = success(
        folder,
        &["show", "a.fst", "--window", "0..9", "--period", "10"],
    );
    assert_eq!(
        drawn,
        success(
            folder,
            &["show", "a.vcd", "--window", "0..9", "--period", "10"]
        )
    );
}

/// A writer of FST that flushes now and then makes sections. A window in a later one shows what
/// signals hold that do not change there.
#[test]
fn signals_keep_their_values_over_sections() {
    let work = workplace();
    let folder = work.path();
    let source = "`timescale 1ns/1ps\nmodule tb; reg clk = 0; reg [7:0] held = 8'h5a;
        real r = 0.5; integer i; reg [7:0] n = 0; always #5 clk = ~clk;
        always @(posedge clk) n <= n + 1;
        initial begin $dumpfile(\"out.dump\"); $dumpvars(0, tb);
        for (i = 0; i < 6; i = i + 1) begin #1000; $dumpflush; end $finish; end endmodule\n";
    write(folder, "tb.v", source);
    let compile = ["-o", "tb.vvp", "tb.v"];
    support::finish(Command::new("iverilog").args(compile).current_dir(folder));
    for (format, name) in [("-vcd", "f.vcd"), ("-fst", "f.fst")] {
        let run = ["-n", "tb.vvp", format];
        support::finish(Command::new("vvp").args(run).current_dir(folder));
        fs::rename(folder.join("out.dump"), folder.join(name)).expect("a dump");
    }
    for window in ["50..60", "99..101", "350..355", "590..599"] {
        let show = |name| {
            let more = ["--period", "10000", "--window", window, "--json", "-"];
            success(folder, &[&["show", name][..], &more].concat())
        };
        let (vcd, fst) = (show("f.vcd"), show("f.fst"));
        assert_eq!(vcd, fst, "{window}");
        assert!(
            fst.contains("\"5A\"") && fst.contains("0.5"),
            "{window}: {fst}"
        );
    }
}

/// Events fire when the source says, in both formats and in every window. What Icarus writes of
/// them at time 0 is no firing: it is the same whether they fire then or not.
#[test]
fn events_of_icarus_fire_when_the_source_says() {
    let work = workplace();
    let folder = work.path();
    let source = "`timescale 1ns/1ps\nmodule tb; event e; reg clk = 0; always #5 clk = ~clk;
        initial begin $dumpfile(\"out.dump\"); $dumpvars(0, tb);
        #12 -> e; #20 -> e; #20 -> e; #6 -> e; #42 $finish; end endmodule\n";
    write(folder, "tb.v", source);
    let compile = ["-o", "tb.vvp", "tb.v"];
    support::finish(Command::new("iverilog").args(compile).current_dir(folder));
    for (format, name) in [("-vcd", "e.vcd"), ("-fst", "e.fst")] {
        let run = ["-n", "tb.vvp", format];
        support::finish(Command::new("vvp").args(run).current_dir(folder));
        fs::rename(folder.join("out.dump"), folder.join(name)).expect("a dump");
        let show = ["show", name, "--period", "10000"];
        let json = |more: &[&str]| -> Value {
            let printed = success(folder, &[&show[..], &["--json", "-"], more].concat());
            let json: Value = serde_json::from_str(&printed).expect("JSON");
            json["signals"][0].clone()
        };
        let firings = serde_json::json!([[0, 12000], [2, 32000], [4, 52000], [5, 58000]]);
        let all = json(&[]);
        assert_eq!((&all["signal"], &all["firings"]), (&"e".into(), &firings));
        assert_eq!(
            (&all["width"], &all["changes"]),
            (&Value::Null, &Value::Null)
        );
        let some = serde_json::json!([[2, 32000], [4, 52000]]);
        assert_eq!(json(&["--window", "1..4"])["firings"], some);
        let drawn = success(
            folder,
            &[&show[..], &["--ascii", "--window", "0..6"]].concat(),
        );
        let line = drawn
            .lines()
            .find(|line| line.trim_start().starts_with("e "));
        assert_eq!(line, Some("  e    ^.......^.......^...^......."), "{drawn}");
        let cursors = ["--cursor", "0", "--cursor", "3", "--cursor", "5"];
        let at = json(&cursors);
        assert_eq!(at["values"], serde_json::json!([1, 0, 1]));
        assert_eq!(at["changes"], serde_json::json!([1, 2]));
        let list: Value =
            serde_json::from_str(&success(folder, &["show", name, "--list", "--json", "-"]))
                .expect("JSON");
        assert_eq!(list["scopes"][0]["signals"][0]["kind"], "event");
    }
}

/// As Verilator and others write them for SystemVerilog.
#[test]
fn scopes_and_variables_of_any_kind_are_read() {
    let work = workplace();
    let folder = work.path();
    let text = "$timescale 1ps $end $scope interface bus $end $scope struct pair $end
        $var logic 4 % high [3:0] $end $var bit 1 & low $end $upscope $end
        $var int 32 ' n $end $upscope $end $enddefinitions $end
        #0 b101 % 0& b1 ' #1 1& #2";
    write(folder, "s.vcd", text);
    let seen = shown(folder, "s.vcd", &[]);
    let names: Vec<String> = seen
        .keys()
        .map(|(scope, name)| format!("{scope}.{name}"))
        .collect();
    assert_eq!(names, ["bus.n", "bus.pair.high", "bus.pair.low"]);
    write(folder, "bad.vcd", "$scope $end");
    let said = failure(folder, &["show", "bad.vcd"], 3);
    assert!(said.contains("line 1: a scope without a name"), "{said}");
}

/// As GHDL writes them: the values of `std_logic`, and ranges without a blank before them.
#[test]
fn values_of_vhdl_are_read() {
    let work = workplace();
    let folder = work.path();
    let text = "$timescale 1 fs $end $scope module bench $end
        $var reg 1 ! clk $end $comment state is not handled $end
        $var reg 5 \" count[4:0] $end $var reg 4 & part[7:4] $end $var reg 1 ' z $end
        $upscope $end $enddefinitions $end
        #0\nU!\nbUUUUU \"\nbLHW- &\n-'\n#1\n0!\nb00001 \"\nb0101 &\nH'\n#2\n1!\n#3\n";
    write(folder, "g.vcd", text);
    let seen = shown(folder, "g.vcd", &[]);
    let changes = |name: &str| seen[&("bench".to_owned(), name.to_owned())].to_string();
    let names: Vec<&String> = seen.keys().map(|(_, name)| name).collect();
    assert_eq!(names, ["clk", "count", "part[7:4]", "z"]);
    let all: Vec<String> = names.iter().map(|name| changes(name)).collect();
    insta::assert_snapshot!(all.join("\n"));
    // Signals that are skipped are not read.
    let one = shown(folder, "g.vcd", &["--scope", "**.count"]);
    assert_eq!(one[&("bench".into(), "count".into())].to_string(), all[1]);
    for bad in ["#0\nU\n#1\n", "#0\nbU2 \"\n#1\n", "#0\nU?\n#1\n"] {
        let (declared, _) = text.split_once("#0").expect("a time");
        write(folder, "bad.vcd", &format!("{declared}{bad}"));
        let said = failure(folder, &["show", "bad.vcd"], 3);
        assert!(said.contains("bad.vcd: line "), "{said}");
    }
}

/// `show` draws the same of all formats of a run.
#[test]
fn every_format_is_shown() {
    let work = workplace();
    let folder = work.path();
    for name in ["w.vcd", "w.vcd.gz", "w.fst"] {
        success(folder, &["run", "small.toml", "-q", "--wave", name]);
    }
    for more in [
        &["--scope", "**.node_3", "--window", "10..40"][..],
        &[
            "--scope",
            "**.node_3.tx_state",
            "--window",
            "20..30",
            "--json",
            "-",
        ],
        &["--list"],
        &[],
    ] {
        let shown = ["w.vcd", "w.vcd.gz", "w.fst"]
            .map(|name| success(folder, &[&["show", name][..], more].concat()));
        assert_eq!(shown[0], shown[1], "{more:?}");
        assert_eq!(shown[0], shown[2], "{more:?}");
    }
    let piped = shell(
        folder,
        "cat w.vcd | crosswave show /dev/stdin --list > /dev/null",
    );
    assert!(piped.status.success());
}

#[test]
fn damaged_files_are_bad_input() {
    let work = workplace();
    let folder = work.path();
    for name in ["w.fst", "w.vcd.gz"] {
        success(folder, &["run", "small.toml", "-q", "--wave", name]);
        let bytes = fs::read(folder.join(name)).expect("written");
        for part in 1..16 {
            let cut = &bytes[..bytes.len() * part / 16];
            fs::write(folder.join("cut"), cut).expect("writable");
            // A cut file is read as far as it is whole when its declarations are.
            let output = crate::program::crosswave(folder, &["show", "cut", "--window", "0.."]);
            let said = String::from_utf8_lossy(&output.stderr);
            match output.status.code() {
                Some(0) => assert!(said.starts_with("warning: cut: "), "{part}: {said}"),
                code => assert_eq!(code, Some(3), "{part}: {said}"),
            }
        }
        for part in 0..64 {
            let mut flipped = bytes.clone();
            let at = bytes.len() * part / 64;
            flipped[at] ^= 0x55;
            fs::write(folder.join("flipped"), flipped).expect("writable");
            let output = crate::program::crosswave(folder, &["show", "flipped"]);
            let said = String::from_utf8_lossy(&output.stderr);
            let code = output.status.code();
            assert!(matches!(code, Some(0 | 3)), "{name} {at}: {code:?} {said}");
            assert!(!said.contains("panicked"), "{said}");
        }
    }
}
