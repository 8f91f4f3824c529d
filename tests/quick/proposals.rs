//! Component files that are proposed, and modules against their sources in Icarus Verilog.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::program::{failure, read, root, success, workplace, write};

/// Runs the program with netlists that are kept in the folder.
fn crosswave(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_crosswave"))
        .args(arguments)
        .current_dir(folder)
        .env("CROSSWAVE_CACHE", folder.join("cache"))
        .output()
        .expect("the program starts")
}

/// The routers of the examples need nothing but their proposals, and do what their sources do.
#[test]
fn examples_are_guessed_and_agree_with_their_sources() {
    for (router, ending, level) in [("mesh_router", "sv", "high"), ("credit_router", "v", "low")] {
        let work = workplace();
        let folder = work.path();
        let file = format!("{router}.{ending}");
        let text = read(&root("examples/routers"), &file);
        std::fs::create_dir(folder.join("rtl")).expect("a folder");
        write(folder, &format!("rtl/{file}"), &text);
        let source = format!("rtl/{file}");
        let guess = [
            "component",
            "guess",
            &source,
            "--top",
            router,
            "--output",
            "rtl/r.toml",
        ];
        let ran = crosswave(folder, &guess);
        assert!(
            ran.status.success(),
            "{}",
            String::from_utf8_lossy(&ran.stderr)
        );
        // A proposal that is there is kept.
        let ran = crosswave(folder, &guess);
        let said = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(2), "{said}");
        let expected = "rtl/r.toml exists already";
        assert!(
            said.contains(expected) && said.contains("or remove the file"),
            "{said}"
        );
        // Names are those of the example, and files are named from its folder.
        let proposed: toml::Table = read(folder, "rtl/r.toml").parse().expect("TOML");
        let example = read(&root("examples/routers"), &format!("{router}.toml"));
        let example: toml::Table = example.parse().expect("TOML");
        assert_eq!(proposed["link"], example["link"], "{router}");
        assert_eq!(proposed["packet"], example["packet"], "{router}");
        assert_eq!(
            proposed["component"]["sources"],
            example["component"]["sources"]
        );
        assert_eq!(
            proposed["component"]["reset"]["active"].as_str(),
            Some(level)
        );
        let check = [
            "component",
            "check",
            "rtl/r.toml",
            "--rtl",
            "icarus",
            "--cycles",
            "300",
            "--json",
            "-",
        ];
        let ran = crosswave(folder, &check);
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{said}");
        let found: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
        let rtl = &found["rtl"];
        assert_eq!(rtl["cycles"], 300);
        assert_eq!(rtl["first_difference"], Value::Null);
        assert_eq!(rtl["never_compared"], json!([]), "{rtl}");
        // All bits but those before the first edge of the clock.
        assert!(rtl["compared_bits"].as_u64() > Some(299 * 170), "{rtl}");
        assert_eq!(rtl["unknown_bits"], rtl["unknown_bits_in_reset"], "{rtl}");
        assert_eq!(rtl["unknown_netlist_bits"], 0, "{rtl}");
    }
}

/// Two links, of two bits of data each, that end in registers.
const SOURCE: &str = "module r(input clk, input rst_n, input [3:0] d_in, input [1:0] v_in, input mode,\n\
                      output reg [3:0] d_out, output reg [1:0] v_out);\n\
                      always @(posedge clk) if (!rst_n) v_out <= 0; else begin\n\
                      v_out <= v_in; d_out <= d_in ^ {4{mode}}; end\nendmodule\n";

const COMPONENT: &str = "[component]\ntop = 'r'\nnetlist = 'r.json'\nclock = 'clk'\n\
                         reset = { port = 'rst_n', active = 'low' }\npins = { mode = 0 }\n\
                         [[link]]\nnames = ['w', 'e']\nprotocol = 'valid-only'\n\
                         in = { data = 'd_in[2*{i}+1:2*{i}]', valid = 'v_in[{i}]' }\n\
                         out = { data = 'd_out[2*{i}+1:2*{i}]', valid = 'v_out[{i}]' }\n\
                         [packet]\nflits = 'single'\nfields = { dest_x = '[0]', message = '[1]' }\n";

/// The netlist of the source with `last` as the function of the bit `d_out[3]`.
fn netlist(last: &str) -> String {
    let cell = |kind: &str, pins: [(&str, usize); 4]| {
        let pins = pins.into_iter().filter(|(name, _)| !name.is_empty());
        let (mut directions, mut connections) = (json!({}), json!({}));
        for (name, bit) in pins {
            let output = matches!(name, "Y" | "Q");
            directions[name] = json!(if output { "output" } else { "input" });
            connections[name] = json!([bit]);
        }
        json!({ "type": kind, "port_directions": directions, "connections": connections })
    };
    let port = |direction: &str, bits: std::ops::Range<usize>| json!({ "direction": direction, "bits": bits.collect::<Vec<_>>() });
    let mut cells = json!({});
    for at in 0..4 {
        let kind = if at == 3 { last } else { "$_XOR_" };
        let pins = [("A", 4 + at), ("B", 10), ("Y", 20 + at), ("", 0)];
        cells[format!("x{at}")] = cell(kind, pins);
        let pins = [("C", 2), ("E", 3), ("D", 20 + at), ("Q", 11 + at)];
        cells[format!("d{at}")] = cell("$_DFFE_PP_", pins);
    }
    for at in 0..2 {
        let pins = [("C", 2), ("R", 3), ("D", 8 + at), ("Q", 15 + at)];
        cells[format!("v{at}")] = cell("$_SDFF_PN0_", pins);
    }
    json!({ "modules": { "r": {
        "ports": {
            "clk": port("input", 2..3), "rst_n": port("input", 3..4), "d_in": port("input", 4..8),
            "v_in": port("input", 8..10), "mode": port("input", 10..11),
            "d_out": port("output", 11..15), "v_out": port("output", 15..17),
        },
        "cells": cells,
        "netnames": {},
    } } })
    .to_string()
}

/// A gate that is another one than in the sources is found; without its sources a netlist is not compared.
#[test]
fn a_changed_gate_differs_from_the_sources() {
    let work = workplace();
    let folder = work.path();
    write(folder, "r.v", SOURCE);
    write(folder, "r.toml", COMPONENT);
    write(folder, "r.json", &netlist("$_XOR_"));
    let check = [
        "component",
        "check",
        "r.toml",
        "--rtl",
        "icarus",
        "--sources",
        "r.v",
        "--cycles",
        "50",
    ];
    let said = success(folder, &check);
    assert!(
        said.contains("agree in Icarus Verilog: 50 cycles, seed 1"),
        "{said}"
    );
    write(folder, "r.json", &netlist("$_XNOR_"));
    let said = failure(folder, &check, 1);
    assert!(said.contains("cycle 5, d_out[3]"), "{said}");
    assert!(said.contains("the netlist has"), "{said}");
    let said = failure(folder, &check[..5], 2);
    assert!(said.contains("--sources FILE"), "{said}");
    write(folder, "r.v", "module r(input clk;\nendmodule\n");
    let said = failure(folder, &check, 3);
    assert!(
        said.contains("r.v:1") && said.contains("--rtl verilator"),
        "{said}"
    );
}
