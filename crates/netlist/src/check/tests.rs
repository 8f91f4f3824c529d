use super::*;
use crate::model::{Net, NetId, Port};
use crate::text;

fn found(netlist: &str) -> String {
    let design = text::parse_unchecked(netlist, "test").unwrap();
    match check(&design, "m.json") {
        Ok(()) => "nothing is wrong".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn undriven_and_multiply_driven_nets() {
    let netlist = "module m src \"m.v:1\"\n wire y src \"m.v:3.4\"\n input a\n output y = y w v[1]\n \
        gate g1 AND a w -> y src \"m.v:5\"\n gate g2 NOT a -> y\n gate g3 NOT a -> a\nend\n";
    insta::assert_snapshot!(found(netlist), @r"
    error: m.json: module m (m.v:3.4): net `y` is driven 2 times: by cell g1 port Y, cell g2 port Y, and 1 more of this kind: module m (m.v:1), net `a`
      help: leave it one driver; select between drivers with a multiplexer

    error: m.json: module m, cell g1, port B, bit 0 (m.v:5): net `w` is read here but never driven, and 1 more of this kind: module m, port y, bit 2 (m.v:1), net `v[1]`
      help: drive it, or give undriven nets a value with the Yosys pass `setundef -undriven -zero`
    ");
}

#[test]
fn names_that_are_given_twice() {
    let netlist = "module m\n input a\n input a = b\n gate g NOT a -> c\n gate g NOT a -> d\nend\n\
        module m\nend\n";
    insta::assert_snapshot!(found(netlist), @r"
    error: m.json: module m: a second module of this name
      help: give each module its own name

    error: m.json: module m, port a: a second port of this name
      help: give each port of a module its own name

    error: m.json: module m, cell g: a second cell of this name
      help: give each cell of a module its own name
    ");
}

#[test]
fn instances_that_do_not_fit_their_module() {
    let netlist = "module m\n input a\n instance u1 n in p = a a in r = a in z = a in s =\n \
        instance u2 absent in p = a\n instance u3 n in p = a in s = a in r = a out q = 1 in p = 0\nend\n\
        module n\n input p\n input s\n input t\n output q = p\n output r = p\nend\n";
    insta::assert_snapshot!(found(netlist), @r"
    error: m.json: module m, cell u3, port q, bit 0: an output is shorted to a constant
      help: remove the constant assignment to the net it drives

    error: m.json: module m, cell u1, port p: 2 bits are connected, but the port of module `n` has 1

    error: m.json: module m, cell u1, port r: connected as an input, but module `n` declares an output, and 1 more of this kind: module m, cell u3, port r

    error: m.json: module m, cell u1, port z: module `n` has no such port
      help: its ports are `p`, `q`, `r`, `s`, `t`

    error: m.json: module m, cell u2: the design has no module `absent`, and no gate is called so
      help: add the module to the Yosys run, and check it with `hierarchy -check -top TOP`

    error: m.json: module m, cell u3, port p: the port is connected twice
      help: connect it once
    ");
}

#[test]
fn a_module_that_contains_itself() {
    let netlist = "module a\n instance u b\nend\nmodule b\n instance v c\n instance w c\nend\n\
        module c\n instance x b src \"c.v:1\"\nend\nmodule d\n instance y d\nend\n";
    insta::assert_snapshot!(found(netlist), @r"
    error: m.json: module c, cell x (c.v:1): module contains itself: b -> c -> b
      help: hardware cannot contain itself; end the recursion with a parameter

    error: m.json: module d, cell y: module contains itself: d -> d
      help: hardware cannot contain itself; end the recursion with a parameter
    ");
}

#[test]
fn a_combinational_loop() {
    let netlist = "module m\n input a\n output y\n gate g1 AND a z -> y src \"m.v:2\"\n \
        gate g2 NOT y -> z\nend\n";
    insta::assert_snapshot!(found(netlist), @r"
    error: m.json: module m, cell g1 (m.v:2): combinational loop: y -> z -> y
      help: put a flip-flop into the loop, or break it
    ");
}

#[test]
fn a_module_made_by_hand_with_numbers_that_do_not_exist() {
    let mut design = text::parse("module m\n input a\n gate g AND a a -> b\nend\n", "t").unwrap();
    design.modules[0].ports.push(Port {
        name: "y".to_owned(),
        direction: PortDirection::Output,
        bits: vec![Bit::Net(NetId(7))],
        range: Default::default(),
        signed: false,
    });
    if let crate::CellKind::Gate(gate) = &mut design.modules[0].cells[0].kind {
        gate.inputs.push(Bit::One);
    }
    design.modules[0].nets.push(Net::default());
    insta::assert_snapshot!(check(&design, "made").unwrap_err(), @r"
    error: made: module m, port y, bit 0: net number 7 does not exist
      help: add the net to the module

    error: made: module m, cell g: AND has 3 inputs, expected 2
    ");
}

/// One mistake is said once, however often it occurs; of kinds the first fifty are shown.
#[test]
fn mistakes_are_counted_by_kind() {
    let outputs: String = (0..60).map(|i| format!(" output y{i}\n")).collect();
    let text = found(&format!(
        "module m\n input a\n{outputs} gate g NOT a -> n\nend\n"
    ));
    insta::assert_snapshot!(text, @r"
    error: m.json: module m, port y0, bit 0: net `y0` is read here but never driven, and 59 more of this kind: module m, port y1, bit 0, net `y1`; module m, port y2, bit 0, net `y2`; module m, port y3, bit 0, net `y3`; …
      help: drive it, or give undriven nets a value with the Yosys pass `setundef -undriven -zero`
    ");
    let instances: String = (0..60)
        .map(|i| format!(" instance u{i} absent{i} in p = a\n"))
        .collect();
    let text = found(&format!("module m\n input a\n{instances}end\n"));
    assert_eq!(text.matches("error: ").count(), 51);
    insta::assert_snapshot!(text.lines().rev().take(2).collect::<Vec<_>>().join("\n"), @r"
      help: fix the ones above first
    error: m.json: more: 10 more mistakes of other kinds are not shown
    ");
}
