//! Waveforms that Verilator writes of SystemVerilog, as `crosswave show` reads them.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::program::{root, success, workplace};
use crate::support;

#[test]
fn structs_and_enumerations_of_verilator_are_shown() {
    let work = workplace();
    let folder = work.path();
    let source = root("tests/designs/packets.sv");
    for (option, name) in [("--trace", "a.vcd"), ("--trace-fst", "a.fst")] {
        let mut build = Command::new("verilator");
        build
            .args(["--binary", "--timing", "--trace-structs", option])
            .args(["-MAKEFLAGS", "OPT_FAST=-O0", "-MAKEFLAGS", "OPT_SLOW=-O0"])
            .args(["-MAKEFLAGS", "OPT_GLOBAL=-O0", "--top-module", "bench"])
            .args(["-j", "0", "--Mdir", name.trim_start_matches("a.")])
            .arg(&source);
        support::finish(build.current_dir(folder));
        let model = folder.join(name.trim_start_matches("a.")).join("Vbench");
        support::finish(Command::new(model).current_dir(folder));
        fs::rename(folder.join("out.dump"), folder.join(name)).expect("a dump");
    }
    let show = |more: &[&str]| {
        let all = [
            &["show"][..],
            more,
            &["--period", "10", "--window", "0..15"],
        ]
        .concat();
        success(folder, &all)
    };
    let drawn = |name: &str, scope: &str| show(&[name, "--scope", scope]);
    // Bits are the same, and FST has the names of the enumeration.
    for path in ["**.data", "**.valid", "**.count", "**.clk"] {
        let changes = |name: &str| {
            let json = show(&[name, "--scope", path, "--json", "-"]);
            let json: Value = serde_json::from_str(&json).expect("JSON");
            let signals = json["signals"].as_array().expect("a list").iter();
            let mut signals: Vec<String> = signals
                .map(|signal| {
                    format!(
                        "{} {} {}",
                        signal["scope"], signal["signal"], signal["changes"]
                    )
                })
                .collect();
            signals.sort();
            signals
        };
        let vcd = changes("a.vcd");
        assert!(!vcd.is_empty(), "{path}");
        assert_eq!(vcd, changes("a.fst"), "{path}");
    }
    insta::assert_snapshot!(drawn("a.vcd", "**.packets.sent.*"));
    insta::assert_snapshot!(drawn("a.fst", "**.packets.state"));
}
