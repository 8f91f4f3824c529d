//! `crosswave netlist` on odd files: stimuli of any length and shape, hierarchies of any
//! depth, netlists that are refused with a help that has to work.
//!
//! Needs Yosys.

use std::fmt::Write;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support;

/// A folder with files, for designs that are given as text.
struct Bench {
    place: tempfile::TempDir,
}

impl Bench {
    fn new() -> Bench {
        let place = tempfile::tempdir().expect("a temporary folder");
        Bench { place }
    }

    fn folder(&self) -> &Path {
        self.place.path()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder().join(name), text).expect("a writable folder");
    }

    /// Runs a Yosys script on a source.
    fn yosys(&self, verilog: &str, script: &str) {
        self.write("source.v", verilog);
        let mut command = Command::new("yosys");
        support::finish(
            command
                .args(["-q", "-p", script])
                .current_dir(self.folder()),
        );
    }

    /// Synthesises module `t` to `NAME.json`, with more commands before it is written.
    fn synthesise(&self, name: &str, verilog: &str, more: &str) {
        let script = format!(
            "read_verilog source.v; synth -top t; {more} abc -g simple; opt_clean; \
             write_json {name}.json"
        );
        self.yosys(verilog, &script);
    }

    /// Runs `crosswave netlist`: exit code, standard output, standard error.
    fn run(&self, arguments: &str) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_crosswave"))
            .arg("netlist")
            .args(arguments.split(' '))
            .current_dir(self.folder())
            .output()
            .expect("the program");
        let [out, err] =
            [output.stdout, output.stderr].map(|s| String::from_utf8(s).expect("text"));
        assert!(!err.contains("panicked"), "{arguments}: {err}");
        let code = output.status.code().expect("a code, no signal");
        (code, out, err)
    }

    /// The same, with something on standard input.
    fn run_on(&self, input: &[u8], arguments: &str) -> (i32, String, String) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_crosswave"))
            .arg("netlist")
            .args(arguments.split(' '))
            .current_dir(self.folder())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program");
        // One that refuses its options reads nothing.
        let _ = child.stdin.take().expect("a pipe").write_all(input);
        let output = child.wait_with_output().expect("an end");
        let [out, err] =
            [output.stdout, output.stderr].map(|s| String::from_utf8(s).expect("text"));
        assert!(!err.contains("panicked"), "{arguments}: {err}");
        (output.status.code().expect("a code, no signal"), out, err)
    }

    /// The result of a run that has to succeed, and its warnings.
    fn result(&self, arguments: &str) -> (Value, String) {
        let (code, out, err) = self.run(&format!("{arguments} --json -"));
        assert_eq!(code, 0, "{arguments}: {err}");
        (serde_json::from_str(&out).expect("JSON"), err)
    }
}

const COUNTER: &str = "module t(input clk, input [7:2] adr, input en, output reg [11:4] q);
always @(posedge clk) if (en) q <= {2'b0, adr};
endmodule
";

#[test]
fn times_and_cycles_of_a_stimulus_are_no_amount_of_memory() {
    let bench = Bench::new();
    bench.synthesise("t", COUNTER, "");
    for end in ["1000000000000", "18446744073709551615"] {
        let text = format!(
            "$var wire 1 # en $end $var wire 6 $ adr [7:2] $end $enddefinitions $end\n\
             #0 1# b101 $ #{end} 0#\n"
        );
        bench.write("s.vcd", &text);
        let (code, _, said) = bench.run("t.json --stimulus s.vcd --period 1");
        assert_eq!(code, 2, "{said}");
        assert!(said.contains(end) && said.contains("--cycles"), "{said}");
        let (result, said) = bench.result("t.json --stimulus s.vcd --period 1 --cycles 3");
        assert_eq!(result["outputs"][0]["q"], "00000101");
        assert_eq!(said, "");
    }
    bench.write("s.csv", "cycle,en,adr\n0,1,5\n18446744073709551614,0,0\n");
    assert_eq!(bench.run("t.json --stimulus s.csv").0, 2);
    let (result, _) = bench.result("t.json --stimulus s.csv --cycles 3 --lanes 4096");
    assert_eq!(result["outputs"][4095]["q"], "00000101");
}

#[test]
fn ranges_are_kept_and_found_again() {
    let bench = Bench::new();
    bench.synthesise("t", COUNTER, "");
    bench.write("s.csv", "cycle,adr,en\n0,5,1\n2,0x2a,1\n4,1,0\n6,0,0\n");
    let (_, said) = bench.result("t.json --stimulus s.csv --vcd a.vcd");
    assert_eq!(said, "");
    let text = fs::read_to_string(bench.folder().join("a.vcd")).expect("a waveform");
    for declared in ["adr [7:2] $end", "q [11:4] $end", " en $end"] {
        assert!(text.contains(declared), "{declared} in {text}");
    }
    let (_, said) = bench.result("t.json --stimulus a.vcd --vcd b.vcd");
    assert_eq!(said, "");
    assert_eq!(
        fs::read_to_string(bench.folder().join("b.vcd")).expect("a waveform"),
        text
    );
    // As Icarus Verilog writes them, and bit by bit.
    bench.write("other.vcd", &text.replace("adr [7:2]", "adr [9:4]"));
    let (code, _, said) = bench.run("t.json --stimulus other.vcd");
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("the input is adr[7:2]"), "{said}");
}

#[test]
fn inputs_that_a_stimulus_lacks_are_named() {
    let bench = Bench::new();
    bench.synthesise("t", COUNTER, "");
    bench.write("s.csv", "cycle,en\n0,1\n3,1\n");
    bench.write(
        "s.vcd",
        "$var wire 1 ! clk $end $var wire 1 # en $end $enddefinitions $end\n\
         #0 0! 1# #5 1! #10 0! #15 1!\n",
    );
    for file in ["s.csv", "s.vcd"] {
        let (_, said) = bench.result(&format!("t.json --stimulus {file}"));
        assert!(said.contains("no values for `adr`, which stay 0"), "{said}");
        let (_, said) = bench.result(&format!("t.json --stimulus {file} --four-state"));
        assert!(said.contains("no values for `adr`, which stay X"), "{said}");
        let (_, said) = bench.result(&format!("t.json --stimulus {file} --random-seed 1"));
        assert_eq!(said, "");
    }
}

#[test]
fn x_is_0_in_every_stimulus_without_four_state() {
    let bench = Bench::new();
    bench.synthesise("t", COUNTER, "");
    bench.write("s.csv", "cycle,en,adr\n0,1,0b1x0z11\n1,1,0b1x0z11\n");
    bench.write(
        "s.vcd",
        "$var wire 1 # en $end $var wire 6 $ adr [7:2] $end $enddefinitions $end\n\
         #0 1# b1x0z11 $ #20\n",
    );
    for arguments in ["--stimulus s.csv", "--stimulus s.vcd --period 10"] {
        let (result, said) = bench.result(&format!("t.json {arguments}"));
        assert_eq!(result["outputs"][0]["q"], "00100011");
        assert!(
            said.contains("`adr`") && said.contains("--four-state"),
            "{said}"
        );
        let (result, said) = bench.result(&format!("t.json {arguments} --four-state"));
        assert_eq!(result["outputs"][0]["q"], "001x0x11");
        assert_eq!(said, "");
    }
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut encoder = flate2::read::GzEncoder::new(bytes, flate2::Compression::default());
    encoder.read_to_end(&mut packed).expect("compressed bytes");
    packed
}

#[test]
fn a_stimulus_is_known_by_its_content() {
    let bench = Bench::new();
    bench.synthesise("t", COUNTER, "");
    let table = "cycle,adr,en\n0,5,1\n2,0x2a,1\n4,1,0\n6,0,0\n";
    bench.write("s.csv", table);
    let (expected, _) = bench.result("t.json --stimulus s.csv --vcd a.vcd");
    // The last row that is enabled has adr = 42.
    assert_eq!(expected["outputs"][0]["q"], "00101010");
    bench.result("t.json --stimulus s.csv --fst a.fst");
    let read = |name: &str| fs::read(bench.folder().join(name)).expect("a file");
    let (vcd, fst) = (read("a.vcd"), read("a.fst"));
    let kinds = [
        ("table.txt", table.as_bytes().to_vec()),
        ("table", packed(table.as_bytes())),
        ("wave.dump", vcd.clone()),
        ("wave.csv", packed(&vcd)),
        ("wave.vcd", fst),
    ];
    for (name, bytes) in &kinds {
        fs::write(bench.folder().join(name), bytes).expect("a writable folder");
        let (result, said) = bench.result(&format!("t.json --stimulus {name}"));
        assert_eq!(result["outputs"], expected["outputs"], "{name}");
        assert_eq!(result["cycles"], 7, "{name}");
        assert_eq!(said, "", "{name}");
    }
    for (name, bytes) in &kinds[..4] {
        let (code, out, said) = bench.run_on(bytes, "t.json --stimulus - --json -");
        assert_eq!(code, 0, "{name}: {said}");
        let result: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(result["outputs"], expected["outputs"], "{name}");
    }
    for (bytes, expected) in [
        (read("t.json"), "found JSON, expected a stimulus"),
        (b"GHDLwave\n".to_vec(), "(GHW), expected a stimulus"),
        (
            read("source.v"),
            "found Verilog source, expected a stimulus",
        ),
        (packed(&read("t.json")), "found JSON, expected a stimulus"),
        (b"\xff\xfec\0y\0".to_vec(), "UTF-16"),
        (Vec::new(), "the file is empty"),
    ] {
        fs::write(bench.folder().join("s"), &bytes).expect("a writable folder");
        let (code, _, said) = bench.run("t.json --stimulus s");
        assert_eq!(code, 3, "{said}");
        assert!(said.contains(expected), "{said}");
    }
}

/// The waveform of a design without flip-flops has its cycles.
#[test]
fn a_design_without_a_clock_takes_its_own_waveform() {
    let bench = Bench::new();
    // One input has the name that the clock of the waveform would have.
    let verilog = "module t(input [3:0] a, input clock, output [3:0] y);\n\
                   assign y = a ^ {4{clock}};\nendmodule\n";
    bench.synthesise("t", verilog, "");
    bench.write("s.csv", "cycle,a,clock\n0,5,0\n3,6,1\n7,6,1\n9,6,1\n");
    for (name, again) in [("a.vcd", "b.vcd"), ("a.fst", "b.fst")] {
        let (result, said) = bench.result(&format!("t.json --stimulus s.csv --wave {name}"));
        assert_eq!((said.as_str(), &result["clocks"]), ("", &json!([])));
        let (result, said) = bench.result(&format!("t.json --stimulus {name} --wave {again}"));
        assert_eq!(said, "");
        // 6 ^ 15, after ten cycles.
        assert_eq!(result["outputs"][0]["y"], "1001");
        assert_eq!(result["cycles"], 10);
        let read = |name: &str| fs::read(bench.folder().join(name)).expect("a waveform");
        assert_eq!(read(name), read(again), "{name}");
    }
    bench.write(
        "other.vcd",
        "$var wire 4 ! a $end $enddefinitions $end #0 b101 ! #10 b1 ! #20",
    );
    let (code, _, said) = bench.run("t.json --stimulus other.vcd");
    assert_eq!(code, 3, "{said}");
    assert!(
        said.contains("`clock_`") && said.contains("--period"),
        "{said}"
    );
}

#[test]
fn a_netlist_comes_from_standard_input_once() {
    let bench = Bench::new();
    bench.synthesise("t", COUNTER, "");
    let netlist = fs::read(bench.folder().join("t.json")).expect("a netlist");
    bench.write("s.csv", "cycle,adr,en\n0,5,1\n1,0,0\n");
    for name in ["-", "/dev/stdin"] {
        let (code, out, said) =
            bench.run_on(&netlist, &format!("{name} --stimulus s.csv --json -"));
        assert_eq!(code, 0, "{said}");
        let result: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(result["outputs"][0]["q"], "00000101");
    }
    for (arguments, option) in [
        ("- --stimulus -", "--stimulus"),
        ("- --stimulus /dev/stdin", "--stimulus"),
        (
            "t.json --stimulus - --stimulus s.csv --stimulus /dev/fd/0",
            "--stimulus",
        ),
    ] {
        let (code, _, said) = bench.run_on(&netlist, arguments);
        assert_eq!(code, 2, "{said}");
        assert!(
            said.contains(option) && said.contains("read once only"),
            "{said}"
        );
    }
    let (code, _, said) = bench.run_on(b"module t(); endmodule\n", "- --cycles 1");
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("standard input"), "{said}");
}

#[test]
fn other_files_than_netlists_are_called_by_their_kind() {
    let bench = Bench::new();
    bench.synthesise("t", COUNTER, "");
    let netlist = fs::read(bench.folder().join("t.json")).expect("a netlist");
    let marked = [b"\xef\xbb\xbf".as_slice(), &netlist].concat();
    fs::write(bench.folder().join("mark.json"), marked).expect("a writable folder");
    bench.result("mark.json --cycles 1");
    let wide = |text: &str| {
        let units = "\u{feff}".encode_utf16().chain(text.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect::<Vec<u8>>()
    };
    for (bytes, kind, help) in [
        (COUNTER.as_bytes().to_vec(), "Verilog source", "write_json"),
        (packed(&netlist), "compressed with gzip", "gunzip"),
        (wide("{}"), "UTF-16", "iconv"),
        (b"GHDLwave\n".to_vec(), "GHW", ""),
        (b"$date today $end".to_vec(), "VCD", "--stimulus"),
        (b"cycle,a\n0,1\n".to_vec(), "a table (CSV)", "--stimulus"),
        (b"[network]\nkind = 1\n".to_vec(), "TOML", "crosswave run"),
        (
            b".model t\n.inputs a\n.end\n".to_vec(),
            "some other text",
            "read_blif",
        ),
        (Vec::new(), "an empty file", "failed"),
    ] {
        fs::write(bench.folder().join("n"), &bytes).expect("a writable folder");
        let (code, _, said) = bench.run("n --cycles 1");
        assert_eq!(code, 3, "{said}");
        assert!(said.contains(kind) && said.contains(help), "{said}");
        assert!(said.contains("expected a netlist (JSON"), "{said}");
    }
}

/// Icarus Verilog says what the output is before each edge.
#[test]
fn the_waveform_of_a_test_bench_is_a_stimulus() {
    let bench = Bench::new();
    let verilog = "module t(input clk, input rst, input [3:0] a, output reg [3:0] q);\n\
                   always @(posedge clk) if (rst) q <= 0; else q <= q + a;\nendmodule\n";
    let around = "`timescale 1ns/1ps\nmodule tb; reg ck=0, rst=1; reg [3:0] a=3; wire [3:0] q;\n\
                  t dut(.clk(ck), .rst(rst), .a(a), .q(q)); always #5 ck=~ck;\n\
                  always @(posedge ck) $display(\"%b\", q);\n\
                  integer i; initial begin $dumpfile(\"tb.vcd\"); $dumpvars;\n\
                  for (i=0;i<12;i=i+1) begin @(posedge ck); #1 rst=0; a=a*5+i; end $finish; end\n\
                  endmodule\n";
    bench.write("tb.v", around);
    bench.synthesise("t", verilog, "");
    let run = "iverilog -o tb source.v tb.v && vvp tb && vcd2fst tb.vcd tb.fst";
    let mut shell = Command::new("sh");
    let printed = support::finished_text(shell.args(["-c", run]).current_dir(bench.folder()));
    let values: Vec<&str> = printed.lines().filter(|line| line.len() == 4).collect();
    assert_eq!(values.len(), 12);
    for name in ["tb.vcd", "tb.fst"] {
        let (result, said) = bench.result(&format!("t.json --stimulus {name} --four-state"));
        assert_eq!(result["cycles"], 12, "{name}");
        assert_eq!(result["outputs"][0]["q"], values[11], "{name}");
        assert!(said.contains("taken from `tb.dut`"), "{said}");
        assert!(
            said.contains("`tb`") && said.contains("--stimulus-scope"),
            "{said}"
        );
        let chosen = format!("t.json --stimulus {name} --stimulus-scope tb.dut");
        let (again, said) = bench.result(&chosen);
        assert_eq!(again["outputs"], result["outputs"]);
        assert_eq!(said, "");
    }
}

#[test]
fn an_input_that_is_not_connected_is_x() {
    let bench = Bench::new();
    let verilog = "module part(input clk, input [1:0] a, input b, output reg y);\n\
                   always @(posedge clk) y <= a[0] | (a[1] & b);\nendmodule\n\
                   module t(input clk, input [1:0] a, output y, output z);\n\
                   part one(.clk(clk), .a(a), .b(), .y(y));\n\
                   part two(.clk(clk), .b(a[0]), .y(z));\nendmodule\n";
    bench.synthesise("deep", verilog, "");
    bench.synthesise("flat", verilog, "flatten; opt;");
    bench.write("s.csv", "cycle,a\n0,0\n1,1\n2,2\n3,3\n4,2\n5,2\n");
    for end in ["", " --four-state"] {
        let [flat, deep, arrays] = ["flat.json", "deep.json --flat", "deep.json --array part"]
            .map(|name| bench.result(&format!("{name} --stimulus s.csv{end}")));
        // In the last cycle y is an OR of 0 and of what is not connected; Yosys takes it
        // for 0 where it sees it.
        assert_eq!(flat.0["outputs"][0]["y"], "0");
        let expected = if end.is_empty() { "0" } else { "x" };
        assert_eq!(deep.0["outputs"][0]["y"], expected);
        assert_eq!(deep.0["outputs"], arrays.0["outputs"]);
        assert_eq!(flat.1, "");
        for (said, port) in [(&deep.1, "one, port b"), (&arrays.1, "two, port a")] {
            assert!(
                said.contains(port) && said.contains("not connected"),
                "{said}"
            );
        }
    }
}

#[test]
fn a_port_that_is_left_open_is_of_any_width_and_direction() {
    let bench = Bench::new();
    let verilog = "module leaf(input clk, input [1:0] d, input [2:0] e, output [1:0] q,\n\
                   output un, output [6:0] wide);\n\
                   reg [1:0] r; always @(posedge clk) r <= d + r + e[2];\n\
                   assign q = r, un = ^r, wide = {5'd1, r} ^ e;\nendmodule\n\
                   module t(input clk, input [1:0] a, output [1:0] y, output [6:0] w);\n\
                   leaf one(.clk(clk), .d(a), .e(), .q(y), .un(), .wide());\n\
                   leaf two(.clk(clk), .d(a), .e(3'd4), .q(), .wide(w));\nendmodule\n";
    bench.synthesise("t", verilog, "");
    let text = fs::read_to_string(bench.folder().join("t.json")).expect("a netlist");
    assert!(text.contains("\"un\": [ ]") && text.contains("\"wide\": [ ]"));
    bench.write("s.csv", "cycle,a\n0,1\n6,1\n");
    for more in ["", " --flat", " --array leaf"] {
        let (result, said) = bench.result(&format!("t.json --stimulus s.csv{more}"));
        // Six times 1, and six times 1 + 1, modulo 4; and 1 above two bits, with e = 4.
        assert_eq!(result["outputs"][0]["y"], "10");
        assert_eq!(result["outputs"][0]["w"], "0000000");
        assert!(
            said.contains("one, port e") && !said.contains("port un"),
            "{said}"
        );
    }
}

#[test]
fn cells_that_drive_nothing_are_left_out() {
    let bench = Bench::new();
    let verilog = "module t(input clk, input a, output reg y);\n\
                   always @(posedge clk) begin y <= a; assert(a); assume(a | y); cover(y); end\n\
                   always @* assert(a | !a);\n\
                   specify (a => y) = 1; endspecify\nendmodule\n";
    bench.yosys(
        verilog,
        "read_verilog -formal -specify source.v; synth -top t; write_json t.json",
    );
    let text = fs::read_to_string(bench.folder().join("t.json")).expect("a netlist");
    // Newer versions of Yosys have one cell for all checks, and cells that print.
    bench.write(
        "new.json",
        &text
            .replace("\"$assert\"", "\"$check\"")
            .replace("\"$assume\"", "\"$print\""),
    );
    for (name, kinds) in [
        ("t.json", ["$assert", "$assume", "$cover", "$specify2"]),
        ("new.json", ["$check", "$print", "$cover", "$specify2"]),
    ] {
        let (result, said) = bench.result(&format!("{name} --random-seed 1 --cycles 5"));
        assert_eq!(result["clocks"][0]["name"], "clk");
        for kind in kinds {
            let kind = format!("`{kind}` drives nothing");
            assert_eq!(said.matches(&kind).count(), 1, "{kind}: {said}");
        }
        assert!(said.contains("source.v:2"), "{said}");
    }
}

#[test]
fn a_blackbox_is_named_and_its_help_does_help() {
    let bench = Bench::new();
    let verilog = "(* blackbox *) module SPRAM(input A, output Q); endmodule\n\
                   (* blackbox *) module UNUSED(input A, output Q); endmodule\n\
                   module mid(input clk, input a, output reg q); wire w;\n\
                   SPRAM r(.A(a), .Q(w)); always @(posedge clk) q <= w; endmodule\n\
                   module t(input clk, input a, output q); mid m(clk, a, q); endmodule\n";
    bench.synthesise("t", verilog, "");
    let (code, _, said) = bench.run("t.json --cycles 3");
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("module mid, cell r (source.v:4"), "{said}");
    assert!(said.contains("module `SPRAM` is a blackbox"), "{said}");
    assert!(!said.contains("UNUSED"), "{said}");
    let help = said.split('`').find(|text| text.contains("expose"));
    let help = format!("{};", help.expect("a command"));
    bench.synthesise("out", verilog, &help);
    bench.write("s.csv", "cycle,a,m.r.Q\n0,0,1\n1,0,0\n");
    let (result, _) = bench.result("out.json --stimulus s.csv");
    assert_eq!(result["outputs"][0]["q"], "1");

    let alone = r#"{"modules":{"SPRAM":{"attributes":{"blackbox":1}}}}"#;
    bench.write("alone.json", alone);
    bench.write("both.json", &alone.replace("}}}}", r#"}},"t":{}}}"#));
    for arguments in ["both.json --cycles 3 --top SPRAM", "alone.json --cycles 3"] {
        let (code, _, said) = bench.run(arguments);
        assert_eq!(code, 2, "{said}");
        assert!(said.contains("module `SPRAM` is a blackbox"), "{said}");
    }
}

#[test]
fn what_helps_against_refusals_does_help() {
    let bench = Bench::new();
    let falling = COUNTER.replace("posedge", "negedge");
    bench.synthesise("falling", &falling, "");
    let (code, _, said) = bench.run("falling.json --cycles 3");
    assert_eq!(code, 2, "{said}");
    let help = said
        .split(" as in ")
        .nth(1)
        .and_then(|text| text.split(';').next());
    let help = help.expect("an option");
    let (result, _) = bench.result(&format!("falling.json --cycles 6 {help}"));
    assert_eq!(result["clocks"][0]["period_cycles"], 2);

    let vector = "module t(input [1:0] clks, input d, output reg q);\n\
                  always @(posedge clks[1]) q <= d;\nendmodule\n";
    bench.synthesise("vector", vector, "");
    let (code, _, said) = bench.run("vector.json --cycles 3");
    assert_eq!(code, 3, "{said}");
    let help = said.split('`').find(|text| text.starts_with("splitnets"));
    let help = format!("{};", help.expect("a command"));
    bench.synthesise("split", vector, &help);
    let (result, _) = bench.result("split.json --cycles 3");
    assert_eq!(result["clocks"][0]["name"], "clks[1]");

    let undriven = "module t(input a, output y, output z); assign y = !a; endmodule\n";
    let gates = "read_verilog source.v; techmap; simplemap;";
    bench.yosys(undriven, &format!("{gates} write_json undriven.json"));
    let (code, _, said) = bench.run("undriven.json --cycles 3");
    assert_eq!(code, 3, "{said}");
    let help = said.split('`').find(|text| text.starts_with("setundef"));
    let help = help.expect("a command");
    bench.yosys(undriven, &format!("{gates} {help}; write_json zero.json"));
    let (result, _) = bench.result("zero.json --cycles 3");
    assert_eq!(result["outputs"][0]["z"], "0");
    // A net that nothing drives is X after `opt`.
    bench.synthesise("x", undriven, "");
    let (result, _) = bench.result("x.json --cycles 3 --four-state");
    assert_eq!(result["outputs"][0]["z"], "x");

    let gates = "module t(input a, input b, output y);\n\
                 \\$_AND_ g(.A(a), .B(b), .Y(y));\nendmodule\n";
    bench.yosys(gates, "read_verilog source.v; write_json gates.json");
    let (code, _, said) = bench.run("gates.json --cycles 3");
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("`read_verilog -icells`"), "{said}");
    bench.yosys(
        gates,
        "read_verilog -icells source.v; write_json gates.json",
    );
    bench.result("gates.json --cycles 3");

    let fpga = "module t(input a, output y);\n\
                SB_LUT4 u(.I0(a), .I1(1'b0), .I2(1'b0), .I3(1'b0), .O(y));\nendmodule\n";
    bench.yosys(fpga, "read_verilog source.v; write_json fpga.json");
    let (code, _, said) = bench.run("fpga.json --cycles 3");
    assert_eq!(code, 3, "{said}");
    assert!(
        said.contains("FPGA") && said.contains("`synth -top TOP; abc"),
        "{said}"
    );
}

#[test]
fn odd_files_are_refused_in_few_words() {
    let bench = Bench::new();
    bench.synthesise("t", COUNTER, "");
    let long = "7".repeat(1 << 20);
    for cell in [
        &long,
        &format!("0b{long}"),
        &format!("0x{long}"),
        &"a b".repeat(1 << 18),
    ] {
        bench.write("s.csv", &format!("cycle,en\n{cell},{cell}\n0,{cell}\n"));
        let (code, _, said) = bench.run("t.json --stimulus s.csv");
        assert_eq!(code, 3, "{said}");
        assert!(said.len() < 2000, "{} bytes", said.len());
    }
    bench.write("s.csv", &format!("cycle,{long}\n0,1\n"));
    assert!(bench.run("t.json --stimulus s.csv").2.len() < 1000);
    let text = fs::read_to_string(bench.folder().join("t.json")).expect("a netlist");
    bench.write("long.json", &text.replace("$_", &format!("${long}_")));
    assert!(bench.run("long.json --cycles 1").2.len() < 100_000);
    bench.write("empty.json", &text.replace("\"en\"", "\"\""));
    let (code, _, said) = bench.run("empty.json --cycles 1 --vcd w.vcd");
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("a port without a name"), "{said}");
    let (code, _, said) = bench.run("t.json --cycles 1 --lanes 2 --vcd /dev/null");
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("/dev/null is no regular file"), "{said}");
    assert_eq!(bench.run("t.json --cycles 1 --vcd /dev/null").0, 0);
}

/// A chain of modules, each of which instantiates the next so many times.
fn chain(modules: usize, times: usize, name: &str) -> String {
    let ports = r#""ports":{"clk":{"direction":"input","bits":[2]},
        "d":{"direction":"input","bits":[3]},"q":{"direction":"output","bits":[4]}}"#;
    let mut text = String::from("{\"modules\":{");
    for module in 0..modules {
        let mut cells: Vec<String> = Vec::new();
        for copy in (0..times).filter(|_| module + 1 < modules) {
            let from = if copy == 0 { 3 } else { 10 + copy };
            let to = if copy + 1 == times { 4 } else { 11 + copy };
            cells.push(format!(
                "\"{name}{copy}\":{{\"type\":\"m{}\",\"connections\":\
                 {{\"clk\":[2],\"d\":[{from}],\"q\":[{to}]}}}}",
                module + 1
            ));
        }
        if cells.is_empty() {
            cells.push(
                "\"f\":{\"type\":\"$_DFF_P_\",\"connections\":\
                 {\"C\":[2],\"D\":[3],\"Q\":[4]}}"
                    .to_owned(),
            );
        }
        let comma = if module > 0 { "," } else { "" };
        let _ = write!(
            text,
            "{comma}\"m{module}\":{{{ports},\"cells\":{{{}}}}}",
            cells.join(",")
        );
    }
    text.push_str("}}");
    text
}

/// Paths in a chain of n modules are n names long; they must not take n² bytes.
#[test]
#[cfg(target_os = "linux")]
fn deep_hierarchies_cost_memory_by_their_size() {
    let bench = Bench::new();
    bench.write("long.json", &chain(4000, 1, &"instance".repeat(16)));
    bench.write("twice.json", &chain(16, 2, &"instance".repeat(400)));
    for (name, cycles) in [("long.json", 2), ("twice.json", 2)] {
        let command = format!(
            "ulimit -v 1000000; exec {} netlist {name} --four-state --cycles {cycles} --json out.json",
            env!("CARGO_BIN_EXE_crosswave")
        );
        let mut shell = Command::new("sh");
        support::finish(shell.args(["-c", &command]).current_dir(bench.folder()));
        let result = fs::read_to_string(bench.folder().join("out.json")).expect("a result");
        let result: Value = serde_json::from_str(&result).expect("JSON");
        assert_eq!(result["outputs"][0]["q"], "x");
    }
}
