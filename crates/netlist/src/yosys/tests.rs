use super::*;
use crate::function::Function;
use crate::testing::{evaluate, for_all};
use crate::yosys::flops::FlopType;
use crate::{CellKind, Leaf, Statistics, text};

const STAGES: &str = include_str!("../../../../tests/netlist_data/stages.json");
const STAGES_FLAT: &str = include_str!("../../../../tests/netlist_data/stages_flat.json");
const STAGES_TRACE: &str = include_str!("../../../../tests/netlist_data/stages.trace");

#[test]
fn a_hierarchical_design_is_read() {
    let design = read(STAGES, "stages.json").unwrap();
    let names: Vec<&str> = design.modules.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["stage", "stages"]);
    assert_eq!(design.top().map(|top| top.name.as_str()), Some("stages"));
    let stages = design.module("stages").unwrap();
    insta::assert_snapshot!(Statistics::new(stages), @r"
    module stages
          10 input bits
          19 output bits
          61 nets
          10 flip-flops
          27 gates
               4 NOT
               9 AND
               3 OR
              10 XOR
               1 MUX
           2 instances of stage
           6 levels
    ");
    insta::assert_snapshot!(Statistics::new(design.module("stage").unwrap()), @r"
    module stage
           7 input bits
           7 output bits
          31 nets
           6 flip-flops
          18 gates
               5 AND
               2 OR
              11 XOR
           6 levels
    ");
    // The port is declared [0:3], so its lowest bit is d[3].
    let d = stages.port("d").unwrap().bits[0].net().unwrap();
    assert_eq!(stages.net_name(d), "d[3]");
    assert_eq!(stages.nets[d.index()].src, "stages.v:22.37-22.38");
    let printed = text::print(&design);
    assert_eq!(text::parse(&printed, "printed"), Ok(design));
}

/// Icarus Verilog ran `stages.v`; the netlist must give the same outputs.
#[test]
fn a_flat_design_behaves_as_its_verilog() {
    let design = read(STAGES_FLAT, "stages_flat.json").unwrap();
    let module = &design.modules[0];
    let leaf = Leaf::new(module, "clk", &[]).unwrap();
    insta::assert_snapshot!(Statistics::new(&leaf.module), @r"
    module stages
          10 input bits
          19 output bits
         137 nets
          22 flip-flops
         105 gates
               3 NOT
              22 AND
              17 OR
              32 XOR
               7 ANDNOT
               2 ORNOT
              22 MUX
           9 levels
    ");
    let digits = |text: &str| text.chars().map(|c| c == '1').collect::<Vec<bool>>();
    let rows: Vec<(&str, &str)> = STAGES_TRACE
        .lines()
        .filter_map(|l| l.split_once(' '))
        .collect();
    assert_eq!(rows.len(), 400);
    // The order of the trace is that of the ports, but for `clk`, which is absent;
    // outputs have the highest bit first.
    let inputs: Vec<Vec<bool>> = rows
        .iter()
        .map(|row| [vec![false], digits(row.0)].concat())
        .collect();
    for module in [module, &leaf.module] {
        let outputs = evaluate(module, &inputs);
        for (cycle, (row, bits)) in rows.iter().zip(outputs).enumerate() {
            let mut bits = bits.as_slice();
            let mut shown = String::new();
            for port in module.ports_of(PortDirection::Output) {
                let (value, rest) = bits.split_at(port.bits.len());
                shown.extend(value.iter().rev().map(|&bit| if bit { '1' } else { '0' }));
                bits = rest;
            }
            let differs = |(a, b): (char, char)| a != 'x' && a != b;
            assert_eq!(row.1.len(), shown.len());
            assert!(
                !row.1.chars().zip(shown.chars()).any(differs),
                "cycle {cycle}: {shown} {row:?}"
            );
        }
    }
}

fn module(cells: &str) -> String {
    format!(
        r#"{{"modules":{{"m":{{"attributes":{{"src":"m.v:1"}},"ports":{{
        "a":{{"direction":"input","bits":[2]}},"b":{{"direction":"input","bits":[3]}},
        "y":{{"direction":"output","bits":[4]}}}},"cells":{{{cells}}}}}}}}}"#
    )
}

fn fault(text: &str) -> String {
    match read(text, "m.json") {
        Ok(design) => text::print(&design),
        Err(error) => {
            assert_eq!(error.class, Class::Input);
            error.to_string()
        }
    }
}

fn cell_fault(cells: &str) -> String {
    fault(&module(cells))
}

#[test]
fn texts_that_are_not_a_netlist() {
    insta::assert_snapshot!(fault(&STAGES[..700]), @r"
    error: m.json: line 33, column 9: not valid JSON: EOF while parsing a string
      help: write the file again with the Yosys command `write_json`
    ");
    insta::assert_snapshot!(fault("{\n \"modules\": {\n  \"m\": [}"), @r"
    error: m.json: line 3, column 9: not valid JSON: expected value
      help: write the file again with the Yosys command `write_json`
    ");
    insta::assert_snapshot!(fault("[1, 2]"), @r"
    error: m.json: modules: there is no object `modules`
      help: this is not a netlist; write one with the Yosys command `write_json`
    ");
    insta::assert_snapshot!(fault("{\"modules\": {}}"), @r"
    error: m.json: modules: the file has no modules
      help: read the Verilog before `write_json`, and look at what Yosys said of it
    ");
    insta::assert_snapshot!(fault("{\"modules\": {\"m\": 3, \"n\": {\"ports\": [], \"cells\": {\"c\": 0}, \"netnames\": 1}}}"), @r"
    error: m.json: module m: expected an object

    error: m.json: module n: `ports` is an array, expected an object

    error: m.json: module n, cell c: found `0`, expected an object

    error: m.json: module n: `netnames` is `1`, expected an object
    ");
    insta::assert_snapshot!(fault(&"[".repeat(100_000)), @r"
    error: m.json: line 1, column 128: not valid JSON: recursion limit exceeded
      help: write the file again with the Yosys command `write_json`
    ");
}

/// Ignored values are read with the checks of all others.
#[test]
fn mistakes_of_the_text_are_found_in_what_is_ignored() {
    let with = |ignored: &str| {
        let file = format!(r#"{{"creator":{ignored},"modules":{{"m":{{}}}}}}"#);
        let module = format!(r#"{{"modules":{{"m":{{"parameters":{ignored}}}}}}}"#);
        let cell = format!(r#"{{"modules":{{"m":{{"cells":{{"c":{{"model":{ignored}}}}}}}}}}}"#);
        [file, module, cell].map(|text| fault(&text))
    };
    let nested = "[".repeat(128) + &"]".repeat(128);
    for (ignored, expected) in [
        ("1e999", "number out of range"),
        (r#""\ud800""#, "unexpected end of hex escape"),
        ("{1:2}", "key must be a string"),
        (nested.as_str(), "recursion limit exceeded"),
    ] {
        for said in with(ignored) {
            let expected = format!("not valid JSON: {expected}");
            assert!(said.contains(&expected), "{ignored}: {said}");
        }
    }
}

/// The last one of several equal keys counts, in the place of the first.
#[test]
fn keys_given_twice() {
    let wide: Vec<String> = (0..40)
        .map(|at| format!(r#""p{at}":{{"direction":"input","bits":[{at}]}}"#))
        .collect();
    let text = format!(
        r#"{{"modules":{{"m":3}},"modules":{{"n":{{}},"m":{{"attributes":{{"src":"old","top":1}},
        "attributes":{{"src":"m.v:1"}},"ports":{{{wide},"p0":{{"direction":"input","bits":"z",
        "bits":[77]}}}},"cells":{{"g":{{"type":"$_AND_","connections":{{"A":["0"],"Y":[99],
        "A":[1]}},"type":"$_NOT_"}},"h":0,"h":{{"type":"$scopeinfo"}}}}}},
        "n":{{"attributes":{{"top":"1"}}}}}}}}"#,
        wide = wide.join(",")
    );
    let netlist = read_netlist(&text, "m.json").unwrap();
    assert_eq!(netlist.top.as_deref(), Some("n"));
    let names: Vec<&str> = netlist.design.modules.iter().map(|m| &*m.name).collect();
    assert_eq!(names, ["n", "m"]);
    let printed = text::print(&netlist.design);
    let lines: Vec<&str> = printed.lines().map(str::trim).collect();
    for (line, expected) in [
        (2, "module m src m.v:1"),
        (3, "input p0 = $net77"),
        (4, "input p1 = $net1"),
        (42, "input p39 = $net39"),
        (43, "gate g NOT $net1 -> $net99"),
    ] {
        let found = lines.iter().filter(|line| !line.is_empty()).nth(line);
        assert_eq!(found, Some(&expected), "{printed}");
    }
}

#[test]
fn vectors_have_widths() {
    let text = r#"{"modules":{"m":{"cells":{},"netnames":{"a":{"bits":[1]},"b":{"bits":[1,"0","z"]},
        "b":{"bits":[2,3]}}},"n":{}}}"#;
    let vectors = read_netlist(text, "m.json").unwrap().vectors;
    let of_m = BTreeMap::from([("b".to_owned(), 2)]);
    let expected = [("m".to_owned(), of_m), ("n".to_owned(), BTreeMap::new())];
    assert_eq!(vectors, BTreeMap::from(expected));
}

#[test]
fn ports_that_are_wrong() {
    insta::assert_snapshot!(fault(r#"{"modules":{"m":{"ports":{
        "p":{"direction":"inout","bits":[2]},"q":{"bits":[2]},"r":{"direction":"input"},
        "s":{"direction":"output","bits":["z", 1.5, -1, "2", null, [3], "a string that goes on and on and on and on"]},
        "t":{"direction":"input","bits":["0"]}},
        "memories":{"ram":{}},
        "netnames":{"n":{},"o":5,"p":{"bits":[],"offset":"a"}}}}}"#), @r#"
    error: m.json: module m, port p: the direction is `"inout"`, expected `input` or `output`
      help: give a bidirectional port an input and an output of its own

    error: m.json: module m, port q: the direction is nothing, expected `input` or `output`
      help: give a bidirectional port an input and an output of its own

    error: m.json: module m, port r: the bits are nothing, expected an array

    error: m.json: module m, port s, bit 0: the bit is `z`; a net has two values here
      help: run the Yosys pass `tribuf -logic`, or `setundef -zero`

    error: m.json: module m, port s, bit 1: found `1.5`, expected a net number, `0`, `1` or `x`, and 5 more of this kind: module m, port s, bit 2, found `-1`; module m, port s, bit 3, found `"2"`; module m, port s, bit 4, found `null`; …

    error: m.json: module m: the module has memories, such as `ram`
      help: run the Yosys pass `memory -nomap`, or `memory` to make flip-flops of them, then `techmap`

    error: m.json: module m: net name `n`: expected an array of bits

    error: m.json: module m: net name `o`: found `5`, expected an object

    error: m.json: module m: net name `p`: the offset is `"a"`, expected a number
    "#);
    insta::assert_snapshot!(fault(r#"{"modules":{"m":{"ports":{"t":{"direction":"input","bits":["0"]}}}}}"#), @r"
    error: m.json: module m, port t, bit 0: an input of the module is a constant
      help: remove the constant assignment to the net it drives
    ");
}

#[test]
fn cells_that_are_wrong() {
    insta::assert_snapshot!(cell_fault(r#"
        "c1":{"connections":{}},
        "c2":{"type":"$_AND_","connections":[]},
        "c3":{"type":"$_AND_","attributes":{"src":"m.v:3"},"connections":{"A":[2],"Y":[4],"Q":[3]}},
        "c4":{"type":"$_NOT_","connections":{"A":[2,3],"Y":["0"]}},
        "c5":{"type":"$_NOT_","connections":{"A":[2],"Y":["1"]}},
        "c6":{"type":"$_DFF_PX_","connections":{}},
        "c7":{"type":"absent","connections":{}},
        "c8":{"type":"$paramod\\absent","connections":{}}"#), @r"
    error: m.json: module m, cell c1 (m.v:1): the type is nothing, expected a string

    error: m.json: module m, cell c2 (m.v:1): `connections` is an array, expected an object

    error: m.json: module m, cell c3, port B (m.v:3): this pin of `$_AND_` is not connected
      help: connect every pin of a gate; Yosys does unless the file was edited

    error: m.json: module m, cell c3, port Q (m.v:3): `$_AND_` has no such pin
      help: its pins are A, B, Y

    error: m.json: module m, cell c4, port A (m.v:1): 2 bits are connected, expected 1

    error: m.json: module m, cell c4, port Y (m.v:1): an output is shorted to a constant, and 1 more of this kind: module m, cell c5, port Y (m.v:1)
      help: remove the constant assignment to the net it drives

    error: m.json: module m, cell c6 (m.v:1): `$_DFF_PX_` is a gate or flip-flop that is not known
      help: use gates as `abc -g simple` makes them, and flip-flops as `dfflegalize` does

    error: m.json: module m, cell c7 (m.v:1): the design has no module `absent`, and no gate is called so
      help: add the module to the Yosys run, and check it with `hierarchy -check -top TOP`

    error: m.json: module m, cell c8 (m.v:1): the design has no module `$paramod\absent`, and no gate is called so
      help: add the module to the Yosys run, and check it with `hierarchy -check -top TOP`
    ");
}

#[test]
fn cells_that_are_not_supported_name_the_pass_that_removes_them() {
    let types = [
        "$add",
        "$memwr_v2",
        "$memrd",
        "$dff",
        "$sdffe",
        "$_DLATCH_P_",
        "$dlatch",
        "$_SR_PP_",
        "$sr",
        "$sra",
        "$_TBUF_",
        "$ff",
        "$fsm",
        "$lut",
        "$anyconst",
        "$_FOO_",
        "$mux",
        "$pmux",
    ];
    let cells: Vec<String> = types
        .iter()
        .enumerate()
        .map(|(i, t)| format!(r#""c{i}":{{"type":"{t}","connections":{{"Y":[4]}}}}"#))
        .collect();
    insta::assert_snapshot!(cell_fault(&cells.join(",")), @r"
    error: m.json: module m, cell c0 (m.v:1): `$add` is a word-level cell, and 2 more of this kind: module m, cell c9 (m.v:1), `$sra`; module m, cell c17 (m.v:1), `$pmux`
      help: run the Yosys pass `techmap`, then `simplemap`

    error: m.json: module m, cell c1 (m.v:1): `$memwr_v2` is a part of a memory, or one of another version of Yosys, and 1 more of this kind: module m, cell c2 (m.v:1), `$memrd`
      help: run the Yosys pass `memory -nomap`, or `memory` to make flip-flops of it, then `techmap`

    error: m.json: module m, cell c3 (m.v:1): `$dff` is a word-level flip-flop, and 1 more of this kind: module m, cell c4 (m.v:1), `$sdffe`
      help: run the Yosys pass `simplemap`

    error: m.json: module m, cell c5 (m.v:1): `$_DLATCH_P_` is a latch, which follows its input while enabled; values change at clock edges only here, and 1 more of this kind: module m, cell c6 (m.v:1), `$dlatch`
      help: assign the signal in every branch, or in a clocked process, and after an asynchronous reset each bit that it sets; `proc` names the latches

    error: m.json: module m, cell c7 (m.v:1): `$_SR_PP_` is a set-reset latch, which has no clock, and 1 more of this kind: module m, cell c8 (m.v:1), `$sr`
      help: describe it as a flip-flop with asynchronous set and reset

    error: m.json: module m, cell c10 (m.v:1): `$_TBUF_` is a tristate buffer; a net has one driver and two values here
      help: run the Yosys pass `tribuf -logic`, or write a multiplexer

    error: m.json: module m, cell c11 (m.v:1): `$ff` is a flip-flop on the global clock of formal checks
      help: give it a clock, and do not run `clk2fflogic` or `async2sync`

    error: m.json: module m, cell c12 (m.v:1): `$fsm` is a state machine
      help: run the Yosys passes `fsm_map; opt`, then `techmap`

    error: m.json: module m, cell c13 (m.v:1): `$lut` is a look-up table
      help: run the Yosys pass `techmap`, or `abc -g simple` instead of `abc -lut`

    error: m.json: module m, cell c14 (m.v:1): `$anyconst` is a cell of formal checks
      help: read the Verilog without `-formal`, and leave out what is for formal checks only

    error: m.json: module m, cell c15 (m.v:1): `$_FOO_` is a gate or flip-flop that is not known
      help: use gates as `abc -g simple` makes them, and flip-flops as `dfflegalize` does

    error: m.json: module m, cell c16 (m.v:1): `$mux` is a word-level gate
      help: run the Yosys pass `simplemap`
    ");
}

#[test]
fn cells_that_drive_nothing_are_left_out_and_counted() {
    let cells = r#""g":{"type":"$_NOT_","connections":{"A":[2],"Y":[4]}},
        "p1":{"type":"$print","connections":{"TRG":[2],"EN":[],"ARGS":[2,3]}},
        "p2":{"type":"$print","connections":{"TRG":[2],"EN":["1"],"ARGS":[]}},
        "k":{"type":"$check","attributes":{"src":"m.v:7"},"connections":{"A":[99],"EN":["1"]}},
        "l":{"type":"$live","connections":{}},
        "p3":{"type":"$print","connections":{}},
        "s":{"type":"$scopeinfo","parameters":{"TYPE":"module"},"connections":{}},
        "t":{"type":"$scopeinfo","parameters":{"TYPE":"module"},"connections":{}}"#;
    let netlist = read_netlist(&module(cells), "m.json").unwrap();
    let cells = &netlist.design.modules[0].cells;
    assert_eq!(cells.len(), 1);
    let warnings = netlist.warnings.iter();
    let shown: String = warnings.map(|found| found.as_warning("m.json")).collect();
    insta::assert_snapshot!(shown, @r"
    warning: m.json: module m, cell k (m.v:7): `$check` drives nothing, so this cell is left out
      help: nothing is printed or checked here; simulate the source for that
    warning: m.json: module m, cell l (m.v:1): `$live` drives nothing, so this cell is left out
      help: nothing is printed or checked here; simulate the source for that
    warning: m.json: module m, cell p1 (m.v:1): `$print` drives nothing, so this cell and 2 more are left out
      help: nothing is printed or checked here; simulate the source for that
    warning: m.json: module m, cell s (m.v:1): `$scopeinfo` drives nothing, so this cell and 1 more are left out
      help: it only names a scope that `flatten` dissolved; nothing is lost
    ");
    // A module may be called so.
    let own = r#"{"modules":{"$print":{"ports":{"i":{"direction":"input","bits":[2]}}},
        "m":{"ports":{"a":{"direction":"input","bits":[2]}},
        "cells":{"u":{"type":"$print","connections":{"i":[2]}}}}}}"#;
    let netlist = read_netlist(own, "m.json").unwrap();
    assert_eq!(netlist.design.modules[1].cells.len(), 1);
    assert!(netlist.warnings.is_empty());
}

#[test]
fn pins_of_gates_may_be_left_open() {
    let cells = r#""g":{"type":"$_AND_","connections":{"A":[2],"B":[],"Y":[4]}},
        "h":{"type":"$_NOT_","connections":{"A":[2],"Y":[]}},
        "i":{"type":"$_AND_","connections":{"A":[],"B":[],"Y":[]}},
        "f":{"type":"$_DFF_P_","connections":{"C":[2],"D":[],"Q":[]}}"#;
    let netlist = read_netlist(&module(cells), "m.json").unwrap();
    insta::assert_snapshot!(text::print(&netlist.design), @r"
    module m src m.v:1
      input a = $net2
      input b = $net3
      output y = $net4
      gate g AND $net2 ? -> $net4
      gate h NOT $net2 -> h.Y
      gate i AND ? ? -> i.Y
      flop f ? -> f.Q posedge $net2
    end
    ");
    let warnings = netlist.warnings.iter();
    let shown: String = warnings.map(|found| found.as_warning("m.json")).collect();
    insta::assert_snapshot!(shown, @r"
    warning: m.json: module m, cell g, port B (m.v:1): this input of `$_AND_` is left open, as are 2 more of such cells
      help: it is X, and 0 without --four-state; connect it, to a constant if it is not used
    warning: m.json: module m, cell f, port D (m.v:1): this input of `$_DFF_P_` is left open
      help: it is X, and 0 without --four-state; connect it, to a constant if it is not used
    ");
}

#[test]
fn ports_of_instances_may_be_left_open() {
    let text = r#"{"modules":{
        "inner":{"ports":{"i":{"direction":"input","bits":[2,3]},"n":{"direction":"input","bits":[]},
            "o":{"direction":"output","bits":[2,3]},"p":{"direction":"output","bits":[3]}}},
        "m":{"ports":{"a":{"direction":"input","bits":[2]},"y":{"direction":"output","bits":[4]}},"cells":{
            "u":{"type":"inner","connections":{"i":[2,2],"n":[],"o":[],"p":[4]}},
            "v":{"type":"inner","connections":{"i":[],"o":[],"p":[]}}}}}}"#;
    let design = read(text, "m.json").unwrap();
    let ports = |cell: usize| match &design.modules[1].cells[cell].kind {
        CellKind::Instance(instance) => {
            let connections = instance.connections.iter();
            connections
                .map(|one| one.port.clone())
                .collect::<Vec<String>>()
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(ports(0), ["i", "p"]);
    assert!(ports(1).is_empty());
    let absent = text.replace("\"o\":[],\"p\":[]", "\"q\":[]");
    assert!(fault(&absent).contains("`inner` has no such input or output"));
}

#[test]
fn modules_without_contents_are_told_as_such() {
    let text = r#"{"modules":{
        "ram":{"attributes":{"src":"m.v:1"},"ports":{"a":{"direction":"input","bits":[2]},
            "q":{"direction":"output","bits":[3,4]},"r":{"direction":"output","bits":[5]}}},
        "wires":{"ports":{"a":{"direction":"input","bits":[2]},"q":{"direction":"output","bits":[2,"0"]}}}}}"#;
    insta::assert_snapshot!(fault(text), @r"
    error: m.json: module ram, port q (m.v:1): the module has no cells, and nothing drives this output
      help: it may stand for a macro that the netlist does not have: give Yosys a Verilog model of it; or give undriven nets a value with the Yosys pass `setundef -undriven -zero`
    ");
}

#[test]
fn signed_ports_are_known() {
    let text = r#"{"modules":{"m":{"ports":{"a":{"direction":"input","signed":1,"bits":[2,3]},
        "b":{"direction":"input","bits":[4]},"y":{"direction":"output","signed":1,"offset":2,"bits":[2,3]}}}}}"#;
    let design = read(text, "m.json").unwrap();
    let signed = design.modules[0].ports.iter().map(|port| port.signed);
    assert!(signed.eq([true, false, true]));
    let printed = text::print(&design);
    assert_eq!(text::parse(&printed, "printed"), Ok(design));
}

#[test]
fn nets_that_are_wrong() {
    insta::assert_snapshot!(cell_fault(r#"
        "c1":{"type":"$_NOT_","attributes":{"src":"m.v:2"},"connections":{"A":[9],"Y":[3]}}"#), @r"
    error: m.json: module m (m.v:1): net `$net3` is driven 2 times: by input b bit 0, cell c1 port Y
      help: leave it one driver; select between drivers with a multiplexer

    error: m.json: module m, cell c1, port A, bit 0 (m.v:2): net `$net9` is read here but never driven, and 1 more of this kind: module m, port y, bit 0 (m.v:1), net `$net4`
      help: drive it, or give undriven nets a value with the Yosys pass `setundef -undriven -zero`
    ");
    insta::assert_snapshot!(cell_fault(r#"
        "c1":{"type":"$_AND_","connections":{"A":[2],"B":[5],"Y":[4]}},
        "c2":{"type":"$_NOT_","connections":{"A":[4],"Y":[5]}}"#), @r"
    error: m.json: module m, cell c1 (m.v:1): combinational loop: $net4 -> $net5 -> $net4
      help: put a flip-flop into the loop, or break it
    ");
}

#[test]
fn instances_that_are_wrong() {
    let text = r#"{"modules":{
        "box":{"attributes":{"blackbox":"00000000000000000000000000000001"},"ports":{},"cells":{}},
        "inner":{"ports":{"i":{"direction":"input","bits":[2,3]},"o":{"direction":"output","bits":[2]}}},
        "m":{"ports":{"a":{"direction":"input","bits":[2]}},"cells":{
            "u1":{"type":"inner","port_directions":{"p":"input"},"connections":{"i":[2],"p":[2],"o":["1"]}},
            "u2":{"type":"inner","connections":{"i":[],"o":[3]}},
            "u3":{"type":"box","connections":{}},
            "u4":{"type":"m","connections":{"a":[2]}}}}}}"#;
    insta::assert_snapshot!(fault(text), @r"
    error: m.json: module m, cell u3: module `box` is a blackbox with one instance: the file has its ports (no ports), but not what is inside
      help: give Yosys a Verilog model of it without the attribute `blackbox`; or take it out, so that its outputs are inputs of the design: `flatten; expose -evert t:box`
    ");
    let text = text.replace("\"u3\":{\"type\":\"box\",\"connections\":{}},", "");
    insta::assert_snapshot!(fault(&text), @r"
    error: m.json: module m, cell u1, port o, bit 0: an output is shorted to a constant
      help: remove the constant assignment to the net it drives

    error: m.json: module m, cell u1, port i: 1 bits are connected, but the port of module `inner` has 2

    error: m.json: module m, cell u1, port p: module `inner` has no such port
      help: its ports are `i`, `o`

    error: m.json: module m, cell u4: module contains itself: m -> m
      help: hardware cannot contain itself; end the recursion with a parameter
    ");
    let text = text.replace(
        "\"u1\":",
        "\"u0\":{\"type\":\"inner\",\"connections\":{\"q\":[2]}},\"u1\":",
    );
    insta::assert_snapshot!(fault(&text), @r"
    error: m.json: module m, cell u0, port q: module `inner` has no such input or output
      help: connect ports that the module declares
    ");
}

#[test]
fn wide_multiplexers_become_trees() {
    let pins: Vec<String> = "ABCDEFGHIJKLMNOPSTUV"
        .chars()
        .enumerate()
        .map(|(i, pin)| format!("\"{pin}\":[{}]", i + 2))
        .collect();
    let bits: Vec<String> = (2..22).map(|bit| bit.to_string()).collect();
    let text = format!(
        r#"{{"modules":{{"m":{{"ports":{{"a":{{"direction":"input","bits":[{}]}},
        "y":{{"direction":"output","bits":[22]}}}},
        "cells":{{"c":{{"type":"$_MUX16_","connections":{{{},"Y":[22]}}}}}}}}}}}}"#,
        bits.join(","),
        pins.join(",")
    );
    let design = read(&text, "mux").unwrap();
    assert!(
        design.modules[0]
            .gates()
            .all(|(_, gate)| gate.function == Function::Mux)
    );
    for chosen in 0..16_usize {
        let select = |i: usize| chosen >> i & 1 == 1;
        let rows: Vec<Vec<bool>> = (0..16)
            .map(|one| {
                (0..16)
                    .map(|i| i == one)
                    .chain((0..4).map(select))
                    .collect()
            })
            .collect();
        let outputs: Vec<bool> = evaluate(&design.modules[0], &rows)
            .into_iter()
            .flatten()
            .collect();
        assert!(
            outputs
                .iter()
                .enumerate()
                .all(|(one, &y)| y == (one == chosen))
        );
    }
}

#[test]
fn every_flip_flop_type_is_known() {
    let flop = |cell_type: &str| {
        let parsed = FlopType::parse(cell_type)?;
        let pins: Vec<&str> = parsed.inputs().collect();
        let connections: Vec<String> = pins
            .iter()
            .map(|pin| format!("\"{pin}\":[{}]", if *pin == "C" { 2 } else { 3 }))
            .collect();
        let cells = format!(
            r#""f":{{"type":"{cell_type}","connections":{{{},"Q":[4]}}}}"#,
            connections.join(",")
        );
        let printed = cell_fault(&cells);
        let line = printed
            .lines()
            .find(|line| line.contains("flop"))
            .unwrap()
            .trim();
        Some(format!("{cell_type:18} {line}\n"))
    };
    let shown = [
        "$_DFF_N_",
        "$_DFF_PN1_",
        "$_DFFE_NP_",
        "$_DFFE_PN0P_",
        "$_SDFF_PP1_",
        "$_SDFFE_PN0N_",
        "$_SDFFCE_PP1N_",
        "$_DFFSR_PNP_",
        "$_DFFSRE_PPNN_",
        "$_ALDFF_PN_",
        "$_ALDFFE_NPN_",
    ];
    let shown: String = shown.into_iter().filter_map(flop).collect();
    insta::assert_snapshot!(shown, @r"
    $_DFF_N_           flop f $net3 -> $net4 negedge $net2
    $_DFF_PN1_         flop f $net3 -> $net4 posedge $net2 async-reset $net3 low to 1
    $_DFFE_NP_         flop f $net3 -> $net4 negedge $net2 enable $net3 high
    $_DFFE_PN0P_       flop f $net3 -> $net4 posedge $net2 enable $net3 high async-reset $net3 low to 0
    $_SDFF_PP1_        flop f $net3 -> $net4 posedge $net2 reset $net3 high to 1
    $_SDFFE_PN0N_      flop f $net3 -> $net4 posedge $net2 enable $net3 low reset $net3 low to 0
    $_SDFFCE_PP1N_     flop f $net3 -> $net4 posedge $net2 enable $net3 low reset $net3 high to 1 gated
    $_DFFSR_PNP_       flop f $net3 -> $net4 posedge $net2 async-set-reset $net3 low $net3 high
    $_DFFSRE_PPNN_     flop f $net3 -> $net4 posedge $net2 enable $net3 low async-set-reset $net3 high $net3 low
    $_ALDFF_PN_        flop f $net3 -> $net4 posedge $net2 async-load $net3 low $net3
    $_ALDFFE_NPN_      flop f $net3 -> $net4 negedge $net2 enable $net3 low async-load $net3 high $net3
    ");
    let mut count = 0;
    for (family, letters) in [
        ("DFF", 1),
        ("DFF", 3),
        ("DFFE", 2),
        ("DFFE", 4),
        ("SDFF", 3),
        ("SDFFE", 4),
        ("SDFFCE", 4),
        ("DFFSR", 3),
        ("DFFSRE", 4),
        ("ALDFF", 2),
        ("ALDFFE", 3),
    ] {
        for code in 0..1 << letters {
            let code: String = (0..letters)
                .map(|i| {
                    match (
                        letters >= 3 && i == 2 && !family.contains("SR") && !family.contains("AL"),
                        code >> i & 1,
                    ) {
                        (true, 0) => '0',
                        (true, _) => '1',
                        (false, 0) => 'N',
                        (false, _) => 'P',
                    }
                })
                .collect();
            let cell_type = format!("$_{family}_{code}_");
            assert!(FlopType::parse(&cell_type).is_some(), "{cell_type}");
            count += 1;
        }
    }
    assert_eq!(count, 106);
    for wrong in [
        "$_DFF_",
        "$_DFF__",
        "$_DFF_PP_",
        "$_DFF_PPP_",
        "$_DFF_PP0é_",
        "DFF_P",
        "$_DFFX_P_",
    ] {
        assert_eq!(FlopType::parse(wrong), None, "{wrong}");
    }
}

#[test]
fn names_initial_values_and_scopes() {
    let text = r#"{"modules":{"m":{"ports":{"c":{"direction":"input","bits":[2]},
        "y":{"direction":"output","bits":[7, 8, 9]}},
        "cells":{"f":{"type":"$_DFF_P_","connections":{"C":[2],"D":[8],"Q":[7]}},
                 "g":{"type":"$_DFF_P_","connections":{"C":[2],"D":[9],"Q":[8]}},
                 "h":{"type":"$_DFF_P_","connections":{"C":[2],"D":[7],"Q":[9]}},
                 "s":{"type":"$scopeinfo","connections":{}}},
        "netnames":{"$hidden":{"hide_name":1,"bits":[7]},
                    "u.inner":{"hide_name":0,"bits":[7],"attributes":{"src":"m.v:4"}},
                    "state":{"hide_name":0,"bits":[8, 7, "x"],"offset":-4,"attributes":{"init":"x10"}},
                    "state[-4]":{"hide_name":0,"bits":[9]},
                    "unused":{"hide_name":0,"bits":[77]}}}}}"#;
    insta::assert_snapshot!(fault(text), @r"
    module m
      input c = $net2
      output y = state[-3] state[-4] state[-4]$1
      flop f state[-4] -> state[-3] posedge $net2 init 1
      flop g state[-4]$1 -> state[-4] posedge $net2 init 0
      flop h state[-3] -> state[-4]$1 posedge $net2
    end
    ");
}

#[test]
fn mutated_files_do_not_panic() {
    // A shorter file gives mutations a better chance to be seen.
    let valid = module(
        r#""g":{"type":"$_MUX4_","attributes":{"src":"m.v:3"},"connections":{"A":[2],"B":[3],
        "C":[6],"D":["0"],"S":[2],"T":["x"],"Y":[4]}},
        "f":{"type":"$_SDFFE_PP0P_","connections":{"C":[2],"D":[4],"R":[3],"E":["1"],"Q":[6]}},
        "u":{"type":"inner","port_directions":{"i":"input"},"connections":{"i":[6,"0"],"o":[8]}}"#,
    )
    .replace(
        "\"modules\":{",
        r#""modules":{"inner":{"ports":{"i":{"direction":"input","bits":[2,3]},
        "o":{"direction":"output","bits":[3]}},"netnames":{"i":{"hide_name":0,"bits":[2,3],
        "offset":4,"upto":1,"attributes":{"init":"0x"}}}},"#,
    );
    assert!(read(&valid, "valid").is_ok());
    for_all(4000, |mut choices| {
        let mut bytes = valid.as_bytes().to_vec();
        for _ in 0..1 + choices.below(4) {
            let at = choices.below(bytes.len());
            match choices.below(5) {
                0 => bytes[at] = choices.below(256) as u8,
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, b"[]{}\",:9-x0"[choices.below(11)]),
                3 => bytes[at] = b'0' + (bytes[at] + 1) % 10,
                _ if choices.below(4) == 0 => bytes.truncate(at + 1),
                _ => {}
            }
        }
        if let Err(error) = read_named_netlist(&String::from_utf8_lossy(&bytes), "mutated") {
            assert!(!error.to_string().is_empty());
        }
    });
}

#[test]
fn truncated_files_do_not_panic() {
    for end in (0..STAGES.len()).step_by(97) {
        let error = read(&STAGES[..end], "truncated").unwrap_err();
        assert!(error.diagnostics[0].place.starts_with("line "));
    }
}
