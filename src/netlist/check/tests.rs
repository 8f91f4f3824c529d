use super::*;
use crate::netlist::model::{Net, NetId, Port};
use crate::netlist::text;

fn found(netlist: &str) -> String {
    let design = text::parse_unchecked(netlist, "test").unwrap();
    match check(&design, "m.json") {
        Ok(()) => "nothing is wrong".to_owned(),
        Err(report) => report.to_string(),
    }
}

#[test]
fn undriven_and_multiply_driven_nets() {
    let netlist = "module m src \"m.v:1\"\n wire y src \"m.v:3.4\"\n input a\n output y = y w v[1]\n \
        gate g1 AND a w -> y src \"m.v:5\"\n gate g2 NOT a -> y\n gate g3 NOT a -> a\nend\n";
    insta::assert_snapshot!(found(netlist), @"");
}

#[test]
fn names_that_are_given_twice() {
    let netlist = "module m\n input a\n input a = b\n gate g NOT a -> c\n gate g NOT a -> d\nend\n\
        module m\nend\n";
    insta::assert_snapshot!(found(netlist), @"");
}

#[test]
fn instances_that_do_not_fit_their_module() {
    let netlist = "module m\n input a\n instance u1 n in p = a a in r = a in z = a in s =\n \
        instance u2 absent in p = a\n instance u3 n in p = a in s = a in r = a out q = 1 in p = 0\nend\n\
        module n\n input p\n input s\n input t\n output q = p\n output r = p\nend\n";
    insta::assert_snapshot!(found(netlist), @"");
}

#[test]
fn a_module_that_contains_itself() {
    let netlist = "module a\n instance u b\nend\nmodule b\n instance v c\n instance w c\nend\n\
        module c\n instance x b src \"c.v:1\"\nend\nmodule d\n instance y d\nend\n";
    insta::assert_snapshot!(found(netlist), @"");
}

#[test]
fn a_combinational_loop() {
    let netlist = "module m\n input a\n output y\n gate g1 AND a z -> y src \"m.v:2\"\n \
        gate g2 NOT y -> z\nend\n";
    insta::assert_snapshot!(found(netlist), @"");
}

#[test]
fn a_module_made_by_hand_with_numbers_that_do_not_exist() {
    let mut design = text::parse("module m\n input a\n gate g AND a a -> b\nend\n", "t").unwrap();
    design.modules[0].ports.push(Port {
        name: "y".to_owned(),
        direction: Direction::Output,
        bits: vec![Bit::Net(NetId(7))],
    });
    if let crate::netlist::CellKind::Gate(gate) = &mut design.modules[0].cells[0].kind {
        gate.inputs.push(Bit::One);
    }
    design.modules[0].nets.push(Net::default());
    insta::assert_snapshot!(check(&design, "made").unwrap_err(), @"");
}

#[test]
fn at_most_fifty_mistakes_are_shown() {
    let outputs: String = (0..60).map(|i| format!(" output y{i}\n")).collect();
    let text = found(&format!("module m\n{outputs}end\n"));
    assert_eq!(text.matches("error: ").count(), 51);
    insta::assert_snapshot!(text.lines().rev().take(2).collect::<Vec<_>>().join("\n"), @"");
}
