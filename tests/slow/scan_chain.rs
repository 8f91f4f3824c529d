//! Exported networks of RN1 whose options come through a scan chain do what pins do: in every cycle
//! Icarus Verilog, and in soaks Verilator, have at every port what a run of the program has, whose
//! options are pins.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::program::{failure, shell, success, workplace, write};
use crate::support;
use crate::support::lockstep::soak_cases;

/// Exports a network to the folder `out`.
fn exported(folder: &Path, network: &str) {
    let text = format!(
        "[network]\n{network}\n[traffic]\npattern='random'\nwords=3\nmessages=16\n[run]\ncycles_max=200\n"
    );
    write(folder, "network.toml", &text);
    success(
        folder,
        &["export", "network.toml", "--scan-chain", "--verilog", "out"],
    );
}

/// Runs a script of the folder, and compares what it recorded with the program.
fn ran(folder: &Path, script: &str) -> Output {
    shell(
        folder,
        &format!("CROSSWAVE=crosswave sh out/{script} +vcd=recorded.vcd 2>&1"),
    )
}

fn same(folder: &Path, script: &str) {
    let ran = ran(folder, script);
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success(), "{said}");
    assert!(said.contains(" signals are the same"), "{said}");
}

/// A small network of each kind: swallows and two crossbars, wires with delays, ports that are off.
const NETWORKS: [&str; 3] = [
    "kind='bidelta'\nnodes=16\nlink_delay_cycles=[3]",
    "kind='butterfly'\nnodes=16",
    "kind='transit'\nnodes=64\ndispersion='random'",
];

#[test]
fn options_through_a_chain_are_those_of_pins() {
    for network in NETWORKS {
        let work = workplace();
        exported(work.path(), network);
        same(work.path(), "run-icarus.sh");
    }
}

#[test]
fn verilator_takes_the_chain_as_well() {
    let work = workplace();
    let folder = work.path();
    exported(folder, NETWORKS[0]);
    let out = folder.join("out");
    for top in ["bidelta", "testbench"] {
        assert_eq!(support::lint_verilator(&out, top), "", "{top}");
    }
    // Minutes of compiling.
    if soak_cases().is_some() {
        same(folder, "run-verilator.sh");
    }
}

/// Another option of one router is seen, and so are too few options and a chain of another length.
#[test]
fn other_options_and_lengths_are_told() {
    let work = workplace();
    let folder = work.path();
    exported(folder, NETWORKS[0]);
    let (options, network) = (folder.join("out/options.hex"), folder.join("out/bidelta.v"));
    let text = fs::read_to_string(&options).expect("exported");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 8);
    let expect = |text: &str, parts: &[&str]| {
        fs::write(&options, text).expect("writable");
        let ran = ran(folder, "run-icarus.sh");
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(!ran.status.success(), "{said}");
        for part in parts {
            assert!(said.contains(part), "{part}: {said}");
        }
    };
    for (place, line) in lines.iter().enumerate() {
        // The lowest bit says whether RN1 is two crossbars.
        let word = u128::from_str_radix(line, 16).expect("a number") ^ 1;
        let word = format!("{word:x}");
        let mut changed = lines.clone();
        changed[place] = &word;
        let router = match 7 - place {
            at @ 0..4 => format!("rn1_0_{at}.two_crossbars"),
            at => format!("rn1_1_{}.two_crossbars", at - 4),
        };
        expect(&changed.join("\n"), &[&router]);
    }
    expect(
        &lines[1..].join("\n"),
        &["line 8 is not a hexadecimal number of 105 bits, of 8 such lines"],
    );
    let more = [&lines[..], &["0"]].concat().join("\n");
    expect(&more, &["there are more than 8 lines"]);
    let wide = text.replacen(lines[2], &format!("f{:0>27}", lines[2]), 1);
    expect(&wide, &["is not a hexadecimal number of 105 bits"]);
    let shorter = fs::read_to_string(&network).expect("exported");
    let shorter = shorter.replace(".scan_in(rn1_1_2_scan_out)", ".scan_in(rn1_1_1_scan_out)");
    fs::write(&network, shorter).expect("writable");
    expect(
        &text,
        &["the chain has 735 places, and not 105 for each of 8 routers"],
    );
}

#[test]
fn networks_without_a_chain_are_refused() {
    let work = workplace();
    let folder = work.path();
    let export = |arguments: &[&str]| {
        let all = [&["export", "--scan-chain", "--verilog", "out"], arguments].concat();
        failure(folder, &all, 2)
    };
    let said = export(&["small.toml"]);
    assert!(
        said.contains("--scan-chain: the network fat_tree has no RN1"),
        "{said}"
    );
    let text = "[network]\nkind='bidelta'\nnodes=16\n[traffic]\npattern='random'\n\
                [faults]\nrouters=['rn1_0_1@20..40']\n";
    write(folder, "faulty.toml", text);
    let said = export(&["faulty.toml"]);
    assert!(
        said.contains("faults change the option in_enable of routers during the run"),
        "{said}"
    );
    let text = "[network]\nkind='transit'\nnodes=64\nclimb='height'\n[traffic]\npattern='random'\n";
    write(folder, "height.toml", text);
    let said = export(&["height.toml"]);
    let expected = "--scan-chain: the routers of the network transit are rn1_height; expected RN1";
    assert!(said.contains(expected), "{said}");
    assert!(!folder.join("out").exists());
    // Files of an export before, which nobody has changed, are gone.
    exported(folder, NETWORKS[0]);
    let has = |name: &str| folder.join("out").join(name).exists();
    assert!(has("options.hex") && has("rn1_scan.v"));
    success(folder, &["export", "network.toml", "--verilog", "out"]);
    assert!(!has("options.hex") && !has("rn1_scan.v") && has("rn1.v"));
}
